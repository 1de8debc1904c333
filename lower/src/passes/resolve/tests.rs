//! What pointers become, in IR text.

use crate::ir::text::parse;
use crate::kernel_info::BindingModel;
use crate::pipeline::run_pass;
use crate::{BindingChoice, LowerError, LowerOptions, Target};

fn resolved(body: &str, bits: u32, model: BindingModel) -> Result<String, LowerError> {
    let head = format!("module read bits={bits}\nkernel \"k\" f0\n");
    let args = "  arg \"a\" \"int*\" () pointer global\n  arg \"b\" \"int*\" () pointer global\n";
    let mut module = parse(&format!("{head}{args}func f0 \"k\" returns ()\n{body}")).expect("the test's IR");
    let mut target = Target::minimum();
    target.features.shader_int64 = bits == 64;
    target.features.buffer_device_address = true;
    let options = LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
    run_pass("resolve", &mut module, &target, &options)?;
    Ok(module.to_string())
}

/// A pointer chosen between two arguments, or null, is a pair in the descriptor model, and its access is dispatched.
#[test]
fn chosen_between_buffers() {
    let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = rootaddr arg1\n  v2: i32 = workitem.globalid 0\n  \
                v3: bool = icmp.eq v2, i32:0\n  v4: ptr.global = select v3, v0, v1\n  v5: i32 = load [v4], align=4\n  \
                store [v0], v5, align=4\n  return()\n";
    for bits in [32, 64] {
        let text = resolved(body, bits, BindingModel::Descriptor).expect("resolves");
        assert!(
            text.contains("condbr") && text.contains("load arg0.i32") && text.contains("load arg1.i32"),
            "{text}"
        );
    }
    let text = resolved(body, 64, BindingModel::Address).expect("resolves");
    assert!(!text.contains("condbr") && text.contains("load address"), "{text}");
}

/// Null is no variable's first byte; pointers into two variables differ.
#[test]
fn comparisons_are_folded() {
    let body = "  slot s0 size=4 align=4\n  slot s1 size=4 align=4\nb0():\n  v0: ptr.private = rootaddr s0\n  \
                v1: ptr.private = rootaddr s1\n  v2: bool = icmp.eq v0, ptr.private:0\n  v3: bool = icmp.ne v0, v1\n  \
                v4: ptr.global = rootaddr arg0\n  v5: i32 = select v2, i32:1, i32:2\n  v6: i32 = select v3, v5, i32:3\n  \
                store [v4], v6, align=4\n  return()\n";
    let text = resolved(body, 64, BindingModel::Descriptor).expect("resolves");
    assert!(text.contains("select bool:0, i32:1, i32:2") && text.contains("xor bool:0, bool:1"), "{text}");
}

/// An address that no pointer in sight explains is no descriptor's.
#[test]
fn addresses_from_elsewhere() {
    let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = load [v0], align=8\n  \
                store [v1], i32:1, align=4\n  return()\n";
    assert!(matches!(resolved(body, 64, BindingModel::Descriptor), Err(LowerError::NotYet { .. })));
    assert!(resolved(body, 64, BindingModel::Address).expect("resolves").contains("store address"));
}

/// A pointer that a private variable holds is the root's that was stored there.
#[test]
fn through_memory() {
    let body = "  slot s0 size=16 align=8\n  slot s1 size=8 align=4\nb0():\n  v0: ptr.private = rootaddr s0\n  \
                v1: ptr.private = rootaddr s1\n  v2: i32 = workitem.globalid 0\n  \
                v3: ptr.private = ptradd v0, v2, 8\n  store [v3], v1, align=8\n  v4: ptr.private = load [v3], align=8\n  \
                store [v4], i32:1, align=4\n  return()\n";
    let text = resolved(body, 64, BindingModel::Descriptor).expect("resolves");
    assert!(text.contains("store s1.i32") && !text.contains("condbr"), "{text}");
}

//! Tests of the lowering of pointers, in IR text.

use crate::ir::text::parse;
use crate::kernel_info::BindingModel;
use crate::pipeline::run_pass;
use crate::{BindingChoice, LowerError, LowerOptions, Target};

fn resolved(body: &str, bits: u32, model: BindingModel) -> Result<String, LowerError> {
    resolved_for(body, bits, model, |_| {})
}

/// The same on an adjusted target.
fn resolved_for(
    body: &str,
    bits: u32,
    model: BindingModel,
    change: impl FnOnce(&mut Target),
) -> Result<String, LowerError> {
    let head = format!("module read bits={bits}\nkernel \"k\" f0\n");
    let args = "  arg \"a\" \"int*\" () pointer global\n  arg \"b\" \"int*\" () pointer global\n";
    let mut module = parse(&format!("{head}{args}func f0 \"k\" returns ()\n{body}")).expect("the test's IR");
    let mut target = Target::minimum();
    target.features.shader_int64 = bits == 64;
    target.features.buffer_device_address = true;
    change(&mut target);
    let options = LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
    run_pass("lower_addresses", &mut module, &target, &options)?;
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

/// An address that no pointer in sight explains cannot be a descriptor.
#[test]
fn addresses_from_elsewhere() {
    let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = load [v0], align=8\n  \
                store [v1], i32:1, align=4\n  return()\n";
    assert!(matches!(resolved(body, 64, BindingModel::Descriptor), Err(LowerError::NotYet { .. })));
    assert!(resolved(body, 64, BindingModel::Address).expect("resolves").contains("store address"));
}

/// The same holds for an address whose bytes passed through a variable. Data beside a pointer is not part of it.
#[test]
fn addresses_through_variables() {
    let body = |stores: &str| {
        format!(
            "  slot s0 size=32 align=8\nb0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.private = rootaddr s0\n  \
             v2: i32 = workitem.globalid 0\n  v3: ptr.private = ptradd v1, v2, 16\n  v4: ptr.private = ptroffset v3, 8\n{stores}  \
             v9: ptr.global = load [v1], align=8\n  store [v9], i32:1, align=4\n  return()\n"
        )
    };
    let copied = body("  v5: i64 = load [v0], align=8\n  store [v3], v5, align=8\n");
    let bytes = body(
        "  v5: i8 = load [v0], align=1\n  v6: ptr.private = ptradd v1, v2, 1\n  store [v6], v5, align=1\n",
    );
    for source in [copied, bytes] {
        assert!(matches!(resolved(&source, 64, BindingModel::Descriptor), Err(LowerError::NotYet { .. })));
        assert!(resolved(&source, 64, BindingModel::Address).expect("resolves").contains("store address"));
    }
    let beside =
        body("  v5: i64 = load [v0], align=8\n  store [v4], v5, align=8\n  store [v3], v0, align=8\n");
    assert!(resolved(&beside, 64, BindingModel::Descriptor).expect("resolves").contains("store arg0.i32"));
}

/// The links of a list are pointers only, although loaded pointers write the structures' other member.
#[test]
fn links_beside_numbers() {
    let body = "  slot s0 size=64 align=8\n  slot s1 size=8 align=8\nb0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.private = rootaddr s0\n  \
                v2: i32 = workitem.globalid 0\n  v3: ptr.private = ptradd v1, v2, 16\n  v4: ptr.private = rootaddr s1\n  store [v4], v3, align=8\n  \
                v5: ptr.private = load [v4], align=8\n  v6: ptr.private = ptroffset v5, 8\n  v8: i32 = load [v6], align=4\n  v9: i32 = iadd v8, v2\n  store [v6], v9, align=4\n  \
                store [v5], v0, align=8\n  \
                v7: ptr.global = load [v5], align=8\n  store [v7], i32:1, align=4\n  return()\n";
    let text = resolved(body, 64, BindingModel::Descriptor).expect("resolves");
    assert!(text.contains("store arg0.i32"), "{text}");
}

/// Generic pointers in private structures, beside numbers, point to these structures.
#[test]
fn rings_of_generic_pointers() {
    let body = "  slot s0 size=16 align=8\n  slot s1 size=16 align=8\nb0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.private = rootaddr s0\n  \
                v2: ptr.private = rootaddr s1\n  v3: ptr.generic = ptrcast v1\n  v4: ptr.generic = ptrcast v2\n  \
                v5: ptr.private = ptroffset v1, 8\n  store [v5], i32:1, align=8\n  store [v1], v4, align=8\n  \
                v6: ptr.private = ptroffset v2, 8\n  store [v6], i32:2, align=8\n  store [v2], v3, align=8\n  \
                v7: i32 = workitem.globalid 0\n  v8: bool = icmp.eq v7, i32:0\n  v9: ptr.generic = select v8, v3, v4\n  \
                v10: ptr.generic = load [v9], align=8\n  v11: ptr.generic = ptroffset v10, 8\n  v12: i32 = load [v11], align=8\n  \
                store [v11], v7, align=8\n  v13: ptr.generic = load [v10], align=8\n  v14: ptr.generic = ptroffset v13, 8\n  \
                store [v14], v12, align=8\n  return()\n";
    let text = resolved(body, 64, BindingModel::Descriptor).expect("resolves");
    assert!(!text.contains("store arg0"), "{text}");
}

/// An integer selected between a pointer's and one from memory may be any address. An integer added to a pointer's is none.
#[test]
fn integers_from_elsewhere() {
    let body = |made: &str| {
        format!(
            "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: i64 = ptrtoint v0\n  v2: i64 = load [v0], align=8\n  \
             v3: i32 = workitem.globalid 0\n  v4: bool = icmp.eq v3, i32:0\n  {made}\n  \
             v9: ptr.global = inttoptr v8\n  store [v9], i32:1, align=4\n  return()\n"
        )
    };
    let chosen = body("v8: i64 = select v4, v1, v2");
    assert!(matches!(resolved(&chosen, 64, BindingModel::Descriptor), Err(LowerError::NotYet { .. })));
    for made in ["v8: i64 = iadd v1, v2", "v8: i64 = select v4, v1, i64:0"] {
        let text = resolved(&body(made), 64, BindingModel::Descriptor).expect("resolves");
        assert!(text.contains("store arg0.i32"), "{text}");
    }
}

/// If kept pointers differ from device addresses, a loaded one gets the difference added at an access and an argument's own
/// does not. Stores store the kept pointer. On other devices there is no difference.
#[test]
fn kept_pointers_that_differ_from_addresses() {
    let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = load [v0], align=8\n  \
                store [v1], i32:1, align=4\n  v2: ptr.global = rootaddr arg1\n  store [v2], v0, align=8\n  return()\n";
    let plain = resolved(body, 64, BindingModel::Address).expect("resolves");
    assert!(!plain.contains("shared_base") && !plain.contains("isub") && !plain.contains("iadd"), "{plain}");
    let shared = |target: &mut Target| target.features.shared_base = true;
    let text = resolved_for(body, 64, BindingModel::Address, shared).expect("resolves");
    let count = |what: &str| text.matches(what).count();
    assert!(text.contains("shared_base"), "{text}");
    // One for the loaded pointer, two for the kept pointers of the two arguments.
    assert_eq!((count(" iadd "), count(" isub ")), (1, 2), "{text}");
    assert_eq!(count("select"), 2, "null stays null: {text}");
    // With arguments only, the addresses are the same as without a difference.
    let own = "b0():\n  v0: ptr.global = rootaddr arg0\n  store [v0], i32:1, align=4\n  return()\n";
    let stored = |text: &str| {
        let line = text.lines().find(|line| line.contains("store address")).map(str::to_owned);
        (line.is_some(), text.matches(" iadd ").count())
    };
    let (a, b) = (
        resolved(own, 64, BindingModel::Address).expect("resolves"),
        resolved_for(own, 64, BindingModel::Address, shared).expect("resolves"),
    );
    assert_eq!((stored(&a), stored(&b)), ((true, 0), (true, 0)), "{a}\n{b}");
}

/// A pointer in a private variable points into the root that was stored there.
#[test]
fn through_memory() {
    let body = "  slot s0 size=16 align=8\n  slot s1 size=8 align=4\nb0():\n  v0: ptr.private = rootaddr s0\n  \
                v1: ptr.private = rootaddr s1\n  v2: i32 = workitem.globalid 0\n  \
                v3: ptr.private = ptradd v0, v2, 8\n  store [v3], v1, align=8\n  v4: ptr.private = load [v3], align=8\n  \
                store [v4], i32:1, align=4\n  return()\n";
    let text = resolved(body, 64, BindingModel::Descriptor).expect("resolves");
    assert!(text.contains("store s1.i32") && !text.contains("condbr"), "{text}");
}

/// Bytes and words of one local array, with a 64-bit atomic on it or without.
fn in_local_memory(last: &str, adjust: impl Fn(&mut Target)) -> Result<String, LowerError> {
    let body = format!(
        "module read bits=64\nglobal g0 \"words\" local size=32 align=8\nglobal g1 \"other\" local size=4 align=4\nkernel \"k\" \
         f0\nfunc f0 \"k\" returns ()\nb0():\n  v0: ptr.local = rootaddr g0\n  v1: i32 = workitem.localid 0\n  \
         v2: ptr.local = ptradd v0, v1, 1\n  v3: ptr.local = rootaddr g1\n  store [v0], i32:7, align=4\n  \
         store [v3], i32:7, align=4\n  store [v2], i8:1, align=1\n{last}  return()\n"
    );
    let mut module = parse(&body).expect("the test's IR");
    let mut target = Target::minimum();
    target.api_version = (1, 3);
    let f = &mut target.features;
    for flag in [
        &mut f.shader_int64,
        &mut f.shader_int8,
        &mut f.workgroup_memory_explicit_layout,
        &mut f.workgroup_memory_explicit_layout_8bit_access,
    ] {
        *flag = true;
    }
    adjust(&mut target);
    run_pass("lower_addresses", &mut module, &target, &LowerOptions::default())?;
    Ok(module.to_string())
}

/// If the target can lay out local memory, bytes and words of one variable are plain stores, beside 64-bit atomics.
/// Otherwise one element type serves both.
#[test]
fn local_memory_in_several_sizes() {
    let plain = |text: &str| text.contains("localarena.i8") && !text.contains("atomic");
    let text = in_local_memory("", |_| ()).expect("resolves");
    assert!(plain(&text) && text.contains("views=48"), "{text}");
    let atomic = "  v4: i64 = atomic.iadd [v0] (i64:1) workgroup relaxed\n";
    let text = in_local_memory(atomic, |_| ()).expect("resolves");
    assert!(text.contains("localarena.i64") && text.contains("localarena.i8"), "{text}");

    let none = |t: &mut Target| t.features.workgroup_memory_explicit_layout = false;
    assert!(
        in_local_memory(atomic, none).is_err_and(|e| e.to_string().contains("workgroupMemoryExplicitLayout"))
    );
    let text = in_local_memory("", none).expect("resolves");
    assert!(
        text.contains("store g0.i8") && text.contains("store g1.i32") && !text.contains("atomic"),
        "{text}"
    );
    let words = |t: &mut Target| {
        t.features.workgroup_memory_explicit_layout_8bit_access = false;
        t.features.shader_int8 = false;
    };
    let text = in_local_memory("", words).expect("resolves");
    assert!(text.contains("g0.i32") && text.contains("atomic.and") && text.contains("atomic.or"), "{text}");
    // SPIR-V 1.3 has no such blocks.
    let text = in_local_memory("", |t| t.api_version = (1, 1)).expect("resolves");
    assert!(!text.contains("localarena"), "{text}");
}

/// In the packed model a pointer into any buffer, and null, is a packed offset, and an access finds the window.
#[test]
fn packed_offsets_are_accessed_through_windows() {
    let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = rootaddr arg1\n  v2: i32 = workitem.globalid 0\n  \
                v3: bool = icmp.eq v2, i32:0\n  v4: ptr.global = select v3, v0, ptr.global:0\n  v5: bool = icmp.ne v4, ptr.global:0\n  \
                v6: i32 = select v5, i32:1, i32:2\n  store [v4], v6, align=4\n  v7: ptr.global = load [v1], align=4\n  \
                v8: i32 = load [v7], align=4\n  store [v0], v8, align=4\n  return()\n";
    for bits in [32, 64] {
        let packed = |max_buffers: u32| {
            resolved_for(body, bits, BindingModel::Packed, |target| {
                target.features.buffer_device_address = false;
                target.limits.max_per_stage_descriptor_storage_buffers = max_buffers;
            })
        };
        let text = packed(4).expect("resolves");
        let windows = "\\\"count\\\":4,\\\"follows_pointers\\\":true,\\\"stores_pointers\\\":false,\\\"read\\\":[0,1],\\\"written\\\":[0]";
        assert!(text.contains(windows), "{text}");
        assert!(text.contains("severalwindows") && text.contains("store window3.i32"), "{text}");
        assert!(!text.contains("load arg") && !text.contains("window4"), "{text}");
        // One descriptor needs no comparison.
        let text = packed(1).expect("resolves");
        assert!(text.contains("store window0.i32") && !text.contains("switch"), "{text}");
        // This device has addresses if it has 64-bit integers.
        assert_eq!(resolved(body, bits, BindingModel::Packed).is_err(), bits == 64);
    }
}

/// The packed model reports that a pointer, or an integer made of one, may be stored for other kernels.
#[test]
fn stored_pointers_are_reported() {
    let stores = |what: &str, to: &str| {
        let body = format!(
            "b0():\n  v0: ptr.global = rootaddr arg0\n  v1: ptr.global = rootaddr arg1\n  v2: i64 = ptrtoint v0\n  \
             v3: bool = icmp.eq v0, v1\n  v4: i64 = select v3, i64:1, i64:2\n  v5: i64 = iadd v2, i64:16\n  store [{to}], {what}, align=8\n  \
             return()\n"
        );
        let packed = resolved_for(&body, 64, BindingModel::Packed, |target| {
            target.features.buffer_device_address = false;
        });
        packed.expect("resolves").contains("\\\"stores_pointers\\\":true")
    };
    assert_eq!(["v0", "v2", "v4", "v5"].map(|what| stores(what, "v1")), [true, true, false, true]);
}

/// A loop-carried pointer is an index if all its values are multiples of the elements, else a byte offset.
#[test]
fn loop_carried_offsets_are_in_elements() {
    let by = |step: &str| {
        let body = format!(
            "  slot s0 size=64 align=4\nb0():\n  v0: ptr.private = rootaddr s0\n  v9: ptr.private = ptroffset v0, 8\n  v8: i32 = workitem.globalid 0\n  \
             br b1(v9, i32:0)\nb1(v1: ptr.private, v2: i32):\n  store [v1], v2, align=4\n  v3: ptr.private = {step}\n  \
             v4: i32 = iadd v2, i32:1\n  v5: bool = icmp.ult v4, i32:4\n  condbr v5, b1(v3, v4), b2()\nb2():\n  \
             v6: i32 = load [v1], align=4\n  v7: ptr.global = rootaddr arg0\n  store [v7], v6, align=4\n  return()\n"
        );
        resolved(&body, 64, BindingModel::Descriptor).expect("resolves")
    };
    let words = by("ptradd v1, v8, 4");
    assert!(!words.contains("lshr") && words.contains("br b1(i32:2, i32:0)"), "{words}");
    let bytes = by("ptradd v1, v8, 1");
    assert!(bytes.contains("lshr") && bytes.contains("br b1(i32:8, i32:0)"), "{bytes}");
}

//! Tests of the pass, in text.

use crate::check::{Access, Checks, Fault, ObjectKind};
use crate::ir::Module;
use crate::ir::text::parse;
use crate::pipeline::run_pass;
use crate::{LowerOptions, Target};

/// A kernel with a buffer, a size and a private array after the pass.
fn checked(body: &str, check: Checks) -> Module {
    let text = format!(
        "module read bits=64\nfile \"k.cl\"\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\n\
         arg \"q\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n  slot s0 \"a\" size=16 align=4\nb0():\n  \
         v100: ptr.global = rootaddr arg0\n  v101: ptr.global = rootaddr arg1\n  v102: ptr.private = rootaddr s0\n  \
         v0: i32 = workitem.globalid 0\n{body}  return()\n"
    );
    let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = LowerOptions { check, ..LowerOptions::default() };
    run_pass("insert_checks", &mut module, &Target::minimum(), &options).expect("runs");
    module
}

/// The faults of a kernel's sites, with the objects that it names.
fn sites(body: &str, check: Checks) -> Vec<(Fault, Access, u32)> {
    let module = checked(body, check);
    module.kernels[0].printf.checks.sites.iter().map(|s| (s.fault, s.access, s.size)).collect()
}

#[test]
fn nothing_is_changed_without_checks() {
    let store = "  v1: ptr.global = ptradd v100, v0, 4\n  store [v1], v0, align=4 @1:3\n";
    let module = checked(store, Checks::empty());
    assert!(module.kernels[0].printf.is_empty());
    assert!(!module.to_string().contains("argumentsize"), "{module}");
}

#[test]
fn an_access_of_a_buffer_asks_for_its_size() {
    let store = "  v1: ptr.global = ptradd v100, v0, 4\n  store [v1], v0, align=4 @1:3\n";
    let module = checked(store, Checks::BOUNDS);
    let table = &module.kernels[0].printf.checks;
    assert_eq!(
        (table.sites[0].fault, table.sites[0].access, table.sites[0].line),
        (Fault::Bounds, Access::Write, 3)
    );
    assert_eq!(table.objects[2].kind, ObjectKind::Buffer(0));
    assert_eq!((table.objects[2].name.as_str(), table.files[0].name.as_str()), ("p", "k.cl"));
    assert!(module.to_string().contains("argumentsize 0"), "{module}");
}

#[test]
fn what_is_proven_has_no_check() {
    // Of four ints: the remainder is within, the next one may not be.
    let index = "  v1: i32 = and v0, i32:3\n  v2: ptr.private = ptradd v102, v1, 4\n";
    let all = Checks::BOUNDS | Checks::ALIGNMENT;
    assert_eq!(sites(&format!("{index}  v3: i32 = load [v2], align=4\n"), all), []);
    let next = "  v3: ptr.private = ptroffset v2, 4\n  v4: i32 = load [v3], align=4\n";
    assert_eq!(sites(&format!("{index}{next}"), all), [(Fault::Bounds, Access::Read, 4)]);
    let odd = "  v3: ptr.private = ptroffset v102, 2\n  v4: i32 = load [v3], align=4\n";
    assert_eq!(sites(odd, all), [(Fault::Alignment, Access::Read, 4)]);
}

#[test]
fn a_chosen_pointer_carries_its_object() {
    let body = "  v1: bool = icmp.ult v0, i32:7\n  v2: ptr.global = select v1, v100, v101\n  \
                br b1(v2)\nb1(v3: ptr.global):\n  store [v3], v0, align=4\n  v4: ptr.global = ptroffset v3, 4\n  \
                v5: bool = icmp.ult v0, i32:9\n  condbr v5, b1(v4), b2()\nb2():\n";
    let module = checked(body, Checks::BOUNDS);
    let text = module.to_string();
    assert!(text.contains("argumentsize 0") && text.contains("argumentsize 1"), "{text}");
    assert_eq!(module.kernels[0].printf.checks.sites.len(), 1);
    let kinds: Vec<_> = module.kernels[0].printf.checks.objects.iter().map(|o| o.kind).collect();
    assert_eq!(kinds[2..], [ObjectKind::Buffer(0), ObjectKind::Buffer(1)]);
}

#[test]
fn pointers_from_memory_are_not_looked_at() {
    let body = "  v1: ptr.global = load [v100], align=8\n  store [v1], v0, align=4\n";
    assert_eq!(
        sites(body, Checks::BOUNDS),
        [(Fault::Bounds, Access::Read, 8)],
        "the load of the pointer alone"
    );
}

#[test]
fn faults_at_too_many_places_share_the_last_site() {
    let most = crate::check::MAX_SITES;
    let mut body = "  v1: ptr.global = ptradd v100, v0, 4\n".to_owned();
    for line in 0..most + 9 {
        body.push_str(&format!("  store [v1], v0, align=4 @1:{}\n", line + 1));
    }
    let found = sites(&body, Checks::BOUNDS);
    assert_eq!(found.len(), most);
    assert_eq!((found[most - 2].0, found[most - 1].0), (Fault::Bounds, Fault::Any));
}

#[test]
fn work_items_have_places_of_their_own() {
    // Every feature that records of races need.
    let mut target = Target::minimum();
    target.features.shader_int64 = true;
    target.features.shader_buffer_int64_atomics = true;
    target.features.shader_shared_int64_atomics = true;
    let own = |body: &str| {
        let text = format!(
            "module read bits=64\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\n  arg \"n\" \"int\" () value size=4 align=4 leaves=(0)\n\
             func f0 \"k\" returns ()\nb0():\n  v100: ptr.global = rootaddr arg0\n  v0: i32 = workitem.globalid 0\n  \
             v1: i32 = workitem.globalid 1\n  v2: ptr.block = rootaddr block\n  v3: i32 = load [v2], align=4\n{body}  return()\n"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let options = LowerOptions { check: Checks::RACES, ..LowerOptions::default() };
        run_pass("insert_checks", &mut module, &target, &options).expect("runs");
        let cells = module.kernels[0].printf.checks.cells[0];
        cells.own.map(|own| (own.steps, own.low, own.high))
    };
    let pair = "  v4: i32 = shl v0, i32:1\n  v5: i32 = mul v1, i32:512\n  v6: i32 = iadd v4, v5\n  v7: ptr.global = ptradd v100, v6, 4\n  \
                v8: ptr.global = ptroffset v7, -4\n";
    let pair = pair.replace("mul", "imul");
    assert_eq!(
        own(&format!("{pair}  store [v7], v0, align=4\n  store [v8], v0, align=4\n")),
        Some(([8, 2048, 0], -4, 4))
    );
    // One more use, of a place that depends on an argument, or of another step.
    let places = ["  v9: ptr.global = ptradd v100, v3, 4\n", "  v9: ptr.global = ptradd v100, v0, 4\n"];
    for place in places {
        let text = format!("{pair}{place}  store [v7], v0, align=4\n  v10: i32 = load [v9], align=4\n");
        assert_eq!(own(&text), None, "{text}");
    }
}

//! Tests of the work-item loops in IR text. tests/cases/run/barriers/larger.cl shows what such kernels compute.

use crate::ir::text::parse;
use crate::ir::verify::verify;
use crate::pipeline::run_pass;
use crate::{LowerError, LowerOptions, Target};

/// A kernel after the pass, on a device with work-groups of 128.
fn lowered(blocks: &str, required: &str) -> Result<String, LowerError> {
    on_device(blocks, (required, ""), [128, 16])
}

/// The same on a device with this work-group width and sub-group size. `linear_groups` says whether the kernel has sub-groups.
fn on_device(
    blocks: &str,
    (required, linear_groups): (&str, &str),
    [width, size]: [u32; 2],
) -> Result<String, LowerError> {
    let source = format!(
        "module read bits=64{linear_groups}\nkernel \"k\" f0{required}\n  arg \"p\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n\
         b0(v0: ptr.global):\n{blocks}"
    );
    let mut module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut target = Target::minimum();
    target.limits.max_compute_work_group_invocations = 128;
    target.limits.max_compute_work_group_size = [width, 128, 64];
    target.limits.subgroup_size = size;
    run_pass(
        "work_item_loops",
        &mut module,
        &target,
        &LowerOptions { large: true, ..LowerOptions::default() },
    )?;
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    Ok(module.to_string())
}

const BARRIER: &str = "  barrier workgroup workgroup acquire|release|local\n";

/// A kernel without barriers gets one loop, and ids come from its counter.
#[test]
fn without_barriers() {
    let text = lowered("  v1: i32 = workitem.localid 1\n  store [v0], v1, align=4\n  return()\n", "")
        .expect("lowers");
    assert!(text.contains("bits=64 work_item_loops=128"), "{text}");
    assert!(!text.contains("workitem.localid") && text.contains("urem"), "{text}");
    assert_eq!(text.matches("switch").count(), 0, "{text}");
}

/// A value, a bool and a pointer that a loop advances are kept: two words and the pointer's distance.
#[test]
fn kept_over_a_barrier() {
    let blocks = format!(
        "  v1: i32 = workitem.localid 0\n  v2: bool = icmp.ult v1, i32:7\n  br b1(v0, i32:0)\nb1(v3: ptr.global, v4: i32):\n  \
         store [v3], v1, align=4\n{BARRIER}  v5: i32 = select v2, v1, v4\n  store [v3], v5, align=4\n  \
         v6: ptr.global = ptradd v3, i32:1, 4\n  v7: i32 = iadd v4, i32:1\n  v8: bool = icmp.ult v7, i32:5\n  \
         condbr v8, b1(v6, v7), b2()\nb2():\n  return()\n"
    );
    let text = lowered(&blocks, "").expect("lowers");
    assert_eq!(text.matches("barrier workgroup").count(), 1, "{text}");
    assert_eq!(text.matches("switch").count(), 1, "{text}");
    assert!(text.contains("ptrdiff"), "{text}");
    // Each of eight chunks has a copy of the bool and the counter (4 bytes) and the offset (8). The id is computed.
    assert_eq!((text.matches("size=32 ").count(), text.matches("size=64 ").count()), (2, 1), "{text}");
}

/// A pointer that may point into either of two variables is stored as it is, and so is a loaded one.
/// Pointers that are computed from it are rematerialised.
#[test]
fn pointers_into_several_variables_are_stored() {
    let blocks = format!(
        "  v1: i32 = workitem.localid 0\n  v2: bool = icmp.ult v1, i32:7\n  v3: ptr.global = rootaddr globals\n  \
         condbr v2, b1(v0), b1(v3)\nb1(v4: ptr.global):\n  v5: ptr.global = ptradd v4, v1, 4\n{BARRIER}  \
         store [v4], v1, align=4\n  store [v5], v1, align=4\n  return()\n"
    );
    let text = lowered(&blocks, "").expect("lowers");
    // Each of eight chunks has a copy of the pointer, of eight bytes.
    assert_eq!((text.matches("size=64 ").count(), text.matches("size=").count()), (1, 1), "{text}");
    assert_eq!(text.matches("ptr.global = load").count(), 1, "{text}");
    let blocks = format!(
        "  v1: i32 = workitem.localid 0\n  v2: ptr.global = load [v0], align=8\n{BARRIER}  store [v2], v1, align=4\n  return()\n"
    );
    let text = lowered(&blocks, "").expect("lowers");
    assert_eq!(text.matches("ptr.global = load").count(), 2, "{text}");
}

/// Sub-groups have other ids in each chunk, and the last one of the last chunk may not be full. Their barriers do not
/// split the loop. The device launches whole sub-groups only.
#[test]
fn sub_groups() {
    let blocks = "  v1: i32 = workitem.subgroupid 0\n  v2: i32 = workitem.subgroupsize 0\n  v3: i32 = workitem.subgrouplocalid 0\n  \
                  store [v0], v1, align=4\n  barrier subgroup subgroup acquire|release|local\n  store [v0], v2, align=4\n  \
                  store [v0], v3, align=4\n  return()\n";
    let text = on_device(blocks, ("", " linear_groups"), [120, 32]).expect("lowers");
    assert!(text.contains("linear_groups work_item_loops=96"), "{text}");
    assert!(!text.contains("workitem.subgroupid") && !text.contains("workitem.subgroupsize"), "{text}");
    assert!(text.contains("workitem.subgrouplocalid") && text.contains("barrier subgroup"), "{text}");
    assert_eq!((text.matches("switch").count(), text.matches(" udiv ").count()), (0, 1), "{text}");
    let refused = on_device(blocks, ("", " linear_groups"), [64, 128]).expect_err("refused").to_string();
    assert!(refused.contains("sub-groups that are larger"), "{refused}");
}

/// One vector needs no barrier. What lives across one is in local memory, once for each work-item, and so are private variables.
#[test]
fn single_vectors() {
    let source = format!(
        "module read bits=64\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n  \
         slot s0 \"table\" size=8 align=4\nb0(v0: ptr.global):\n  v1: i32 = workitem.localid 0\n  v2: ptr.private = rootaddr s0\n  \
         v3: ptr.private = ptradd v2, v1, 4\n  store [v3], v1, align=4\n{BARRIER}  v4: i32 = load [v3], align=4\n  \
         store [v0], v4, align=4\n  return()\n"
    );
    let mut module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut target = Target::minimum();
    target.limits.subgroup_size = 8;
    let options = LowerOptions { single_vector: Some(20), ..LowerOptions::default() };
    run_pass("work_item_loops", &mut module, &target, &options).expect("lowers");
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    let text = module.to_string();
    assert!(text.contains("work_item_loops=8 single_vector"), "{text}");
    assert_eq!((text.matches("barrier").count(), text.matches("rootaddr s0").count()), (0, 0), "{text}");
    assert!(text.contains("local size=160 align=4"), "20 tables of 8 bytes\n{text}");
    assert_eq!(parse(&text).expect("parses").to_string(), text);
}

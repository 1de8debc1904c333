//! Modules written from the IR's text, judged by SPIRV-Tools where the machine has it.

use super::write;
use crate::error::LowerError;
use crate::ir::text::parse;
use crate::kernel_info::{ArgKind, BlockLocation, BlockSource, DescriptorSource, KernelInfo};
use crate::profile::target_from_profile;
use crate::target::Target;
use spirv_io::spirv::{Capability, Decoration, ExecutionMode, LoopControl, Op};
use spirv_io::{Reader, words_to_bytes};
use std::process::Command;

/// A device with everything that the writer can use.
fn rich(api_version: (u32, u32)) -> Target {
    let mut target = Target::minimum();
    target.name = "rich".to_owned();
    target.api_version = api_version;
    let f = &mut target.features;
    for flag in [
        &mut f.shader_int64,
        &mut f.shader_int16,
        &mut f.shader_int8,
        &mut f.shader_float16,
        &mut f.shader_float64,
        &mut f.storage_buffer_8bit_access,
        &mut f.storage_buffer_16bit_access,
        &mut f.buffer_device_address,
        &mut f.vulkan_memory_model,
        &mut f.vulkan_memory_model_device_scope,
        &mut f.shader_buffer_int64_atomics,
        &mut f.shader_shared_int64_atomics,
        &mut f.shader_buffer_float32_atomic_add,
        &mut f.shader_shared_float32_atomic_add,
        &mut f.shader_maximal_reconvergence,
        &mut f.maintenance4,
        &mut f.denorm_behavior_independence_all,
    ] {
        *flag = true;
    }
    f.shader_signed_zero_inf_nan_preserve = [true; 3];
    f.shader_denorm_preserve = [true, false, true];
    f.shader_rounding_mode_rte = [true; 3];
    f.subgroup_operations = 1;
    target
}

fn targets() -> Vec<Target> {
    let mut list = vec![rich((1, 1)), rich((1, 2)), rich((1, 3))];
    let mut old = rich((1, 2));
    old.features.vulkan_memory_model = false;
    old.features.maintenance4 = false;
    old.name = "GLSL450".to_owned();
    list.push(old);
    let mut no_device_scope = rich((1, 3));
    no_device_scope.features.vulkan_memory_model_device_scope = false;
    list.push(no_device_scope);
    for name in ["lavapipe", "nvidia", "amd", "intel", "apple"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/classes");
        let text = std::fs::read_to_string(format!("{folder}/{name}.json")).expect("a profile");
        list.push(target_from_profile(&text).expect("a profile"));
    }
    list
}

/// Writes a module and lets SPIRV-Tools judge it.
fn check(name: &str, text: &str, target: &Target) -> Result<(Vec<u32>, Vec<KernelInfo>), LowerError> {
    let module = parse(text).expect("the test's IR");
    crate::ir::verify::verify(&module).expect("the test's IR is right");
    let (words, infos) = write(&module, target)?;
    validate(name, &words, target);
    Ok((words, infos))
}

fn validate(name: &str, words: &[u32], target: &Target) {
    let folder = std::env::temp_dir().join(format!("pumice-write-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let device: String = target.name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let file = folder.join(format!("{name}-{device}-{}.spv", target.api_version.1));
    std::fs::write(&file, words_to_bytes(words)).expect("a temporary file");
    let env = match target.api_version {
        (1, minor @ 0..=2) => format!("vulkan1.{}", minor.max(1)),
        _ => "vulkan1.3".to_owned(),
    };
    let mut tries = [
        ("spvtool", vec!["val".to_owned(), env.clone(), file.display().to_string()]),
        ("spirv-val", vec!["--target-env".to_owned(), env, file.display().to_string()]),
    ];
    if target.features.scalar_block_layout {
        tries[0].1.push("--scalar".to_owned());
        tries[1].1.push("--scalar-block-layout".to_owned());
    }
    for (tool, args) in tries {
        match Command::new(tool).args(args).output() {
            Err(_) => {}
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                // A validator of before SPV_KHR_maximal_reconvergence (Debian 12's) cannot read the module.
                if said.contains("Invalid execution mode operand: 6023") {
                    continue;
                }
                assert!(
                    output.status.success(),
                    "{name} for {}: {} says {said}",
                    target.name,
                    file.display()
                );
                return;
            }
        }
    }
    eprintln!("SKIPPED: no spvtool, no spirv-val that is new enough to judge {name}");
}

fn count(words: &[u32], op: Op) -> usize {
    let (_, reader) = Reader::new(words).expect("a module");
    reader.filter(|i| i.as_ref().is_ok_and(|i| i.op == op)).count()
}

fn capability(words: &[u32], capability: Capability) -> bool {
    let (_, mut reader) = Reader::new(words).expect("a module");
    reader.any(|i| i.is_ok_and(|i| i.op == Op::Capability && i.operands == [capability as u32]))
}

fn decorations(words: &[u32], decoration: Decoration) -> usize {
    let (_, reader) = Reader::new(words).expect("a module");
    let is = |i: &spirv_io::Instruction<'_>| match i.op {
        Op::Decorate => i.operands.get(1) == Some(&(decoration as u32)),
        Op::MemberDecorate => i.operands.get(2) == Some(&(decoration as u32)),
        _ => false,
    };
    reader.filter(|i| i.as_ref().is_ok_and(is)).count()
}

const BLOCK: &str = r#"{\"size\":16,\"location\":PLACE,\"members\":[{\"offset\":0,\"size\":4,\"source\":{\"argument\":2}},{\"offset\":8,\"size\":8,\"source\":{\"argument_address\":0}}]}"#;

fn block(place: &str) -> String {
    BLOCK.replace("PLACE", place)
}

/// Buffers, the block, local memory, a barrier, a loop and a selection.
fn sums(place: &str) -> String {
    format!(
        r#"module structured bits=64
file "sum.cl"
global g0 "tile" local size=256 align=4
kernel "sum" f0
  arg "in" "float*" ("const") pointer global read_only
  arg "out" "float*" () pointer global
  arg "n" "uint" () value size=4 align=4 leaves=(0)
  arg "scratch" "float*" () pointer local
  plan descriptor "{}"
func f0 "sum" returns ()
  slot s0 "acc" size=16 align=16
b0():
  v0: i32 = input.globalinvocationid 0 @1:3
  v1: i32 = load block.i32[i32:0], align=4
  v2: i32 = input.localinvocationindex 0
  v3: i32 = workgroupsize 0
  store s0.f32x4[i32:0], f32x4:0.0, align=16
  br b1(v0, f32:0.0)
b1(v4: i32, v5: f32):
  v6: bool = icmp.ult v4, v1
  merge loop b4, b3, 1
  condbr v6, b2(), b4()
b2():
  v7: f32 = load arg0.f32[v4], align=4 @1:4
  v8: f32 = fadd v5, v7
  store s0.f32x4[i32:0], f32x4:2.0, align=16
  br b3()
b3():
  v9: i32 = iadd v4, v3
  br b1(v9, v8)
b4():
  store g0.f32[v2], v5, align=4
  store localarg3.f32x4[v2], f32x4:1.0, align=16
  barrier workgroup workgroup acquire|release|seq_cst|local|global
  v10: f32 = load g0.f32[i32:5], align=4
  v16: f32x4 = load localarg3.f32x4[i32:3], align=16
  v11: f32 = extract v16, 3
  v12: bool = icmp.eq v2, i32:0
  merge selection b6
  condbr v12, b5(), b6(v10)
b5():
  v13: f32 = fmul v10, v11
  br b6(v13)
b6(v14: f32):
  store arg1.f32[v0], v14, align=4 volatile
  v15: i32 = load arg1.i32[v0], align=4
  store arg1.i32x4[i32:1], i32x4:7, align=16
  store arg1.i32[i32:0], v15, align=4
  return()
"#,
        block(place)
    )
}

#[test]
fn buffers_local_memory_and_control_flow() {
    let text = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
    for target in targets() {
        let (words, infos) = check("sum", &text, &target).expect("written");
        let info = &infos[0];
        assert_eq!(info.work_group_size_ids, Some([0, 1, 2]));
        assert_eq!((info.local_memory_size, info.private_memory_size), (256, 16));
        assert!(info.has_barrier);
        let sources: Vec<_> = info.descriptors.iter().map(|d| (d.binding, d.source)).collect();
        assert_eq!(sources, [(0, DescriptorSource::Argument(0)), (1, DescriptorSource::Argument(1))]);
        assert_eq!(
            info.args[0].kind,
            ArgKind::Buffer { constant: false, written: false, read: true, binding: Some(0) }
        );
        assert_eq!(info.args[3].kind, ArgKind::Local { spec_id: Some(3), unit: 16, align: 16 });
        assert_eq!(decorations(&words, Decoration::Aliased), 4, "in, and three views of out");
        assert_eq!(count(&words, Op::Phi), 3);
        assert_eq!(capability(&words, Capability::VulkanMemoryModel), target.features.vulkan_memory_model);
        let coherent = if target.features.vulkan_memory_model { 0 } else { 3 };
        assert_eq!(decorations(&words, Decoration::Coherent), coherent);
    }
}

#[test]
fn the_block_in_a_buffer_and_behind_an_address() {
    let text = sums("{\\\"storage_buffer\\\":{\\\"binding\\\":9}}").replace("\\\\", "\\");
    for target in targets() {
        let (_, infos) = check("sum-buffer", &text, &target).expect("written");
        assert_eq!(infos[0].block.location, BlockLocation::StorageBuffer { binding: 2 });
        assert_eq!(infos[0].descriptors[2].source, DescriptorSource::ArgumentBlock);
    }
    let text = sums("\\\"buffer_address\\\"").replace("\\\\", "\\");
    for target in targets() {
        check("sum-address", &text, &target).expect("written");
    }
}

/// Kernels that share buffers without the Vulkan memory model say Coherent through structures.
const ADDRESSES: &str = r#"module structured bits=64
kernel "k" f0 reqd=(8, 4, 1) contraction_off
  arg "p" "long*" () pointer global
  plan address "BLOCK"
kernel "free" f2
  arg "p" "char*" () pointer global
  plan address "BLOCK"
func f0 "k" returns ()
b0():
  v0: i32 = load block.i32[i32:2], align=4
  v1: i32 = load block.i32[i32:3], align=4
  v2: i32x2 = construct(v0, v1)
  v3: i64 = bitcast v2
  v4: i64 = load address[v3], align=8
  v5: i64 = atomic.iadd address[v3] (i64:1) device relaxed
  v6: f32 = atomic.fadd address[v3] (f32:0x40000000) device acquire|release|global
  v7: f32 = atomic.exchange address[v3] (v6) device seq_cst|acquire|release|global
  v8: i32 = atomic.compareexchange address[v3] (i32:1, v0) workgroup acquire|release|global
  v9: i32 = atomic.load address[v3] () crossdevice acquire|global
  atomic.store address[v3] (v9) device release|global
  membarrier device acquire|release|global
  v10: f32, v11: i64 = call f1(v7, v4)
  v12: f32x4 = construct(v10)
  v13: i64 = iadd v3, i64:16
  store address[v13], v12, align=4 volatile
  store address[v3], v11, align=8
  return()
func f1 "helper" returns (f32, i64)
b0(v0: f32, v1: i64):
  v2: f32 = fmul v0, v0
  v3: f32 = fadd v2, f32:1.0
  v4: f64 = convert.floattofloat v3
  v5: i64 = convert.ftos v4
  v6: i64 = bitcount v1
  v7: i64 = bitreverse v5
  v8: i64 = iadd v6, v7
  return(v3, v8)
func f2 "free" returns ()
b0():
  v0: i32 = load block.i32[i32:2], align=4
  v1: i64 = convert.zext v0
  v2: i8x4 = load address[v1], align=1
  v3: i8 = extract v2, 3
  v4: i32 = workgroupsize 1
  v5: i8 = convert.trunc v4
  v6: i8 = iadd v3, v5
  v7: i8 = bitreverse v6
  store address[v1], v7, align=1
  return()
"#;

#[test]
fn addresses_atomics_and_calls() {
    let text = ADDRESSES.replace("BLOCK", &block("\\\"push_constants\\\"").replace("\\\\", "\\"));
    // The module computes in 8 bits.
    for target in targets().iter().filter(|t| t.has_address_model() && !t.quirks.wrong_8_bit_arithmetic) {
        let f = &target.features;
        let able = f.shader_buffer_float32_atomic_add && f.shader_buffer_int64_atomics && f.shader_float64;
        match check("addresses", &text, target) {
            Ok((words, infos)) => {
                assert!(able, "{}", target.name);
                assert!(capability(&words, Capability::PhysicalStorageBufferAddresses));
                assert_eq!(decorations(&words, Decoration::NoContraction), 2);
                let ids = infos[0].work_group_size_ids.is_none();
                assert_eq!(ids, target.spirv_version() >= (1, 6) && f.maintenance4, "{}", target.name);
                assert_eq!(infos[1].work_group_size_ids, Some([0, 1, 2]));
            }
            Err(LowerError::Unsupported { .. }) => assert!(!able, "{}", target.name),
            Err(other) => panic!("{other}"),
        }
    }
}

/// How many loads and stores are said not to be private.
fn non_private(words: &[u32]) -> usize {
    let (_, reader) = Reader::new(words).expect("a module");
    let is = |i: &spirv_io::Instruction<'_>| match i.op {
        Op::Load => i.operands.get(3).is_some_and(|mask| mask & 0x20 != 0),
        Op::Store => i.operands.get(2).is_some_and(|mask| mask & 0x20 != 0),
        _ => false,
    };
    reader.filter(|i| i.as_ref().is_ok_and(is)).count()
}

/// Accesses are private where the kernel orders none of their kind; volatile ones, and those of buffers that two arguments may
/// name, are not.
#[test]
fn what_nobody_else_sees_is_private() {
    let target = rich((1, 3));
    let text = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
    let restrict = text
        .replace("(\"const\") pointer global read_only", "(\"const\") pointer global restrict read_only")
        .replace("\"float*\" () pointer global", "\"float*\" () pointer global restrict");
    let local = |text: &str| text.replace("|seq_cst|local|global", "|seq_cst|local");
    let nothing = |text: &str| text.replace("acquire|release|seq_cst|local|global", "relaxed");
    // Four accesses of local memory, five of buffers, one of them volatile.
    for (text, expected) in [
        (text.clone(), 9),
        (restrict.clone(), 9),
        (local(&text), 9),
        (local(&restrict), 5),
        (nothing(&text), 5),
        (nothing(&restrict), 1),
    ] {
        let (words, _) = check("private", &text, &target).expect("written");
        assert_eq!(non_private(&words), expected, "{text}");
        assert_eq!(modes(&words, ExecutionMode::MaximallyReconvergesKHR), 1);
    }
    let alone = nothing(&restrict).replace("  barrier workgroup workgroup relaxed\n", "");
    let (words, _) = check("alone", &alone, &target).expect("written");
    assert_eq!(modes(&words, ExecutionMode::MaximallyReconvergesKHR), 0, "no work-item meets another");
}

/// Kernels with quotients of floats leave RoundingModeRTE out where it makes them slow, if nothing in them needs denormals.
#[test]
fn quotients_leave_the_rounding_mode_out() {
    let mut target = rich((1, 3));
    target.features.rounding_mode_independence_all = true;
    let products = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
    let quotients = products.replacen(": f32 = fmul ", ": f32 = fdiv ", 1);
    let denormals = quotients.replace(" returns ()\n", " returns () needs_denormals\n");
    let with_mode = |text: &str, target: &Target| {
        let (words, _) = check("quotients", text, target).expect("written");
        modes(&words, ExecutionMode::RoundingModeRTE) == 1
    };
    assert!(products != quotients && quotients != denormals);
    assert!(with_mode(&quotients, &target));
    target.quirks.slow_float_division = true;
    assert_eq!([&products, &quotients, &denormals].map(|text| with_mode(text, &target)), [true, false, true]);
}

fn modes(words: &[u32], mode: ExecutionMode) -> usize {
    let (_, reader) = Reader::new(words).expect("a module");
    let is = |i: &spirv_io::Instruction<'_>| {
        i.op == Op::ExecutionMode && i.operands.get(1) == Some(&(mode as u32))
    };
    reader.filter(|i| i.as_ref().is_ok_and(is)).count()
}

/// One of every instruction that needs no feature.
const TORTURE: &str = r#"module structured bits=32
kernel "t" f0
  arg "p" "int*" ("restrict") pointer global restrict
  arg "c" "int*" () pointer constant
  plan descriptor "{\"size\":0,\"location\":\"push_constants\",\"members\":[]}"
func f0 "t" returns ()
  slot s0 size=64 align=4
b0():
  v0: i32 = load arg1.i32[i32:0], align=4
  v1: i32x4 = load arg0.i32x4[i32:0], align=16
  v2: f32x4 = bitcast v1
  v3: i32x4 = ineg v1
  v4: i32x4 = not v3
  v5: f32x4 = fneg v2
  v6: f32x4 = fabs v5
  v7: i32x4 = bitreverse v4
  v8: i32x4 = bitcount v7
  v9: boolx4 = isnan v6
  v10: boolx4 = isinf v6
  v11: boolx4 = or v9, v10
  v12: bool = any v11
  v13: bool = all v11
  v14: bool = xor v12, v13
  v15: bool = not v14
  v16: i32x4 = umin v8, v1
  v17: i32x4 = smax v16, v1
  v18: i32x4 = umulhi v17, v1
  v19: i32x4 = smulhi v18, v1
  v20: i32x4 = urem v19, i32x4:7
  v21: i32x4 = sdiv v20, i32x4:7
  v22: i32x4 = shl v21, i32x4:3
  v23: i32x4 = ashr v22, i32x4:2
  v24: f32x4 = frem v6, f32x4:3.0
  v25: boolx4 = fcmp.ordered v24, v6
  v26: boolx4 = fcmp.unordered v24, v6
  v27: boolx4 = fcmp.une v24, v6
  v28: boolx4 = xor v25, v26
  v29: boolx4 = and v28, v27
  v30: i32x4 = select v29, v23, v22
  v31: i32x4 = select v15, v30, v1
  v32: f32x4 = convert.stof v31
  v33: f32x4 = convert.utof v31
  v34: i32x4 = convert.ftou v33
  v35: f32x4 = fma v32, v33, v24
  v36: f32 = extractdyn v35, v0
  v37: f32x4 = insertdyn v35, v36, v0
  v38: f32x4 = insert v37, f32:0.5, 2
  v39: f32x3 = shuffle v38, v37, (0, _, 6)
  v40: f32x4 = construct(v39, v36)
  v41: i32x4 = construct(i32:1, i32:2, i32:3, i32:4)
  v42: f32x4 = glsl 31(v40)
  store s0.f32x4[v0], v42, align=16
  v45: f32x4 = load s0.f32x4[i32:1], align=8
  v49: i32x4 = bitcast v45
  v46: i32 = extract v49, 1
  barrier workgroup workgroup relaxed
  membarrier device acquire|release
  merge selection b3
  switch v46, b3(v46), (0: b1(), 5: b2(), 9: b3(v46))
b1():
  br b2()
b2():
  condbr v15, b3(v0), b3(i32:12)
b3(v47: i32):
  v48: i32 = atomic.umax arg0.i32[v47] (v0) device relaxed
  store arg0.i32x4[v48], v41, align=16
  store arg0.i32x4[v47], v34, align=16
  store arg0.f32x4[i32:-1], v42, align=16
  return()
"#;

#[test]
fn every_plain_instruction() {
    let mut list = targets();
    list.push(Target::minimum());
    for target in list {
        let (words, infos) = check("torture", TORTURE, &target).expect("written");
        assert_eq!(infos[0].block.size, 0);
        assert_eq!(decorations(&words, Decoration::Restrict), 1, "the constant argument has one view");
        let marks = usize::from(!target.quirks.wrong_non_writable);
        assert_eq!(decorations(&words, Decoration::NonWritable), marks);
        assert_eq!(decorations(&words, Decoration::Aliased), 3, "the restrict argument has three");
    }
}

/// If NonWritable changes how other buffers are read, it is not used.
#[test]
fn non_writable_does_not_spread() {
    let mut target = rich((1, 3));
    for (wrong, marks) in [(false, 1), (true, 0)] {
        target.quirks.wrong_non_writable = wrong;
        let (words, _) = check("spreading", TORTURE, &target).expect("written");
        assert_eq!(decorations(&words, Decoration::NonWritable), marks);
    }
}

/// That a loop wants to be unrolled is said, but where that costs more than it gains. That it must not be is.
#[test]
fn drivers_are_left_to_unroll_where_unrolled_loops_are_slow() {
    let mut target = rich((1, 3));
    let (unroll, never) = (LoopControl::UNROLL, LoopControl::DONT_UNROLL);
    for (slow, asked, control) in
        [(false, 1, unroll), (true, 1, LoopControl::NONE), (false, 2, never), (true, 2, never)]
    {
        target.quirks.slow_unrolled_loops = slow;
        let text = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
        let text = text.replace("merge loop b4, b3, 1", &format!("merge loop b4, b3, {asked}"));
        let (words, _) = check("loops", &text, &target).expect("written");
        let (_, reader) = Reader::new(&words).expect("a module");
        let merges = reader.filter_map(Result::ok).filter(|i| i.op == Op::LoopMerge);
        let controls: Vec<u32> = merges.map(|i| i.operands[2]).collect();
        assert_eq!(controls, [control.bits()], "{slow} {asked}");
    }
}

/// A bool that is another phi of the same block is copied for the drivers that crash on it. A phi of words is not, nor the phi itself.
#[test]
fn phis_of_phis_are_copied() {
    let text = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
    let text = text
        .replace("br b1(v0, f32:0.0)", "v20: bool = icmp.ult v2, v1\n  v21: bool = icmp.eq v2, v1\n  br b1(v0, f32:0.0, v20, v21, v0, v20)")
        .replace("b1(v4: i32, v5: f32):", "b1(v4: i32, v5: f32, v22: bool, v23: bool, v24: i32, v25: bool):")
        .replace("br b1(v9, v8)", "v26: bool = icmp.ult v9, v24\n  br b1(v9, v8, v23, v26, v4, v25)");
    let mut target = rich((1, 3));
    let mut copies = |crashes| {
        target.quirks.phis_of_phis = crashes;
        let (words, _) = check("phis", &text, &target).expect("written");
        count(&words, Op::CopyObject)
    };
    assert_eq!(copies(true), copies(false) + 1);
}

#[test]
fn what_the_device_lacks_is_named() {
    let text = ADDRESSES.replace("BLOCK", &block("\\\"push_constants\\\"").replace("\\\\", "\\"));
    let refused = check("refused", &text, &Target::minimum()).expect_err("no addresses");
    assert!(refused.to_string().contains("bufferDeviceAddress"), "{refused}");
    let mut target = rich((1, 3));
    target.features.shader_buffer_int64_atomics = false;
    let refused = check("refused", &text, &target).expect_err("refused").to_string();
    assert!(
        refused.starts_with("k: the device 'rich'") && refused.contains("shaderBufferInt64Atomics"),
        "{refused}"
    );
}

#[test]
fn the_same_module_gives_the_same_bytes() {
    let target = rich((1, 3));
    let first = check("same", TORTURE, &target).expect("written");
    for _ in 0..3 {
        assert_eq!(check("same", TORTURE, &target).expect("written"), first);
    }
}

/// The buffers, of two, that a kernel may write by address. Its code has their addresses in v8 and v9, a 64-bit value argument in v10,
/// and a 32-bit number in v6.
fn written_by(code: &str) -> [bool; 2] {
    let (_, infos) = by_address("\"long*\" () pointer global", code);
    let written = |n: usize| matches!(infos[0].args[n].kind, ArgKind::Buffer { written: true, .. });
    [written(0), written(1)]
}

/// That kernel, written; its second buffer is of this type and space.
fn by_address(second: &str, code: &str) -> (Vec<u32>, Vec<KernelInfo>) {
    let members = r#"[{\"offset\":0,\"size\":8,\"source\":{\"argument_address\":0}},{\"offset\":8,\"size\":8,\"source\":{\"argument_address\":1}},{\"offset\":16,\"size\":8,\"source\":{\"argument\":2}}]"#;
    let text = format!(
        r#"module structured bits=64
kernel "k" f0
  arg "p" "long*" () pointer global
  arg "q" {second}
  arg "n" "long" () value size=8 align=8 leaves=(0)
  plan address "{{\"size\":24,\"location\":\"push_constants\",\"members\":{members}}}"
func f0 "k" returns ()
b0():
  v0: i32 = load block.i32[i32:0], align=4
  v1: i32 = load block.i32[i32:1], align=4
  v2: i32 = load block.i32[i32:2], align=4
  v3: i32 = load block.i32[i32:3], align=4
  v4: i32 = load block.i32[i32:4], align=4
  v5: i32 = load block.i32[i32:5], align=4
  v6: i32 = iadd v4, i32:1
  v7: i32x2 = construct(v0, v1)
  v8: i64 = bitcast v7
  v11: i32x2 = construct(v2, v3)
  v9: i64 = bitcast v11
  v12: i32x2 = construct(v4, v5)
  v10: i64 = bitcast v12
  v13: i64 = convert.zext v6
  v14: i64 = imul v13, i64:8
  v15: i64 = load address[v8], align=8
{code}"#
    );
    let module = parse(&text).expect("the test's IR");
    let target = targets().into_iter().find(|t| t.has_address_model()).expect("a target with addresses");
    write(&module, &target).expect("written")
}

/// Loads by address are NonWritable if nothing can write the memory: it is `__constant`, or the kernel's own by `restrict`.
#[test]
fn what_nothing_writes_is_non_writable() {
    let read = "  v20: i64 = iadd v9, v14\n  v21: i64 = load address[v20], align=8\n  \
                store address[v8], v21, align=8\n  return()\n";
    let either = "  v19: bool = icmp.eq v6, i32:0\n  v20: i64 = select v19, v8, v9\n  \
                  v21: i64 = load address[v20], align=8\n  store address[v8], v21, align=8\n  return()\n";
    let written = "  v21: i64 = load address[v9], align=8\n  store address[v9], v21, align=8\n  return()\n";
    let volatile = read.replacen("align=8", "align=8 volatile", 1);
    let constant = "\"long*\" () pointer constant";
    let restrict = "\"long*\" (\"restrict\") pointer global restrict";
    let global = "\"long*\" () pointer global";
    for (second, code, marked) in [
        (constant, read, true),
        (restrict, read, true),
        (global, read, false),
        (constant, either, false),
        (restrict, written, false),
        (constant, &volatile, false),
    ] {
        let (words, _) = by_address(second, code);
        let marks = decorations(&words, Decoration::NonWritable);
        assert_eq!(marks, usize::from(marked), "{second}\n{code}");
    }
}

/// If arguments do not alias, nothing is Aliased. Memory that is not written is NonWritable, unless other kernels may write it
/// meanwhile.
#[test]
fn arguments_that_do_not_alias() {
    let target = rich((1, 3));
    let text = sums("\\\"push_constants\\\"").replace("\\\\", "\\");
    let noalias = text.replacen("bits=64", "bits=64 noalias", 1);
    let alone = noalias.replace("acquire|release|seq_cst|local|global", "relaxed");
    let device = noalias.replace("barrier workgroup workgroup", "barrier workgroup device");
    for (text, aliased, non_writable) in [(&text, 4, 0), (&noalias, 3, 1), (&alone, 3, 1), (&device, 3, 0)] {
        let (words, infos) = check("noalias", text, &target).expect("written");
        assert_eq!(decorations(&words, Decoration::Aliased), aliased, "{text}");
        assert_eq!(decorations(&words, Decoration::NonWritable), non_writable, "{text}");
        assert_eq!(infos[0].noalias, aliased == 3);
    }
}

/// If the driver knows the range of ids, pipelines can be specialised for ids that begin at 0.
#[test]
fn pipelines_are_specialised_for_ids_from_0() {
    let text = r#"module structured bits=64 specialised
kernel "k" f0
  arg "p" "int*" () pointer global
  plan descriptor "{\"size\":8,\"location\":\"push_constants\",\"members\":[{\"offset\":0,\"size\":4,\"source\":{\"global_id_base\":0}},{\"offset\":4,\"size\":4,\"source\":{\"global_size\":0}}]}"
func f0 "k" returns ()
b0():
  v0: i32 = load block.i32[i32:0], align=4
  v1: i32 = load block.i32[i32:1], align=4
  v2: i32 = iadd v0, v1
  store arg0.i32[v2], v2, align=4
  return()
"#;
    let mut target = rich((1, 3));
    for knows in [false, true] {
        target.quirks.bounded_ids = knows;
        let (_, infos) = check("starts", text, &target).expect("written");
        let specialised: Vec<_> = infos[0].specialised.iter().map(|word| word.source).collect();
        assert_eq!(specialised, if knows { vec![BlockSource::GlobalIdBase(0)] } else { Vec::new() });
    }
}

#[test]
fn what_is_written_by_address() {
    let store = |address: &str| format!("{address}  store address[v20], v15, align=8\n  return()\n");
    // At an index, and at one that was loaded and scaled; the second buffer alone.
    assert_eq!(written_by(&store("  v20: i64 = iadd v9, v14\n")), [false, true]);
    assert_eq!(
        written_by(&store("  v21: i64 = imul v15, i64:8\n  v20: i64 = iadd v21, v9\n")),
        [false, true]
    );
    assert_eq!(
        written_by(&store("  v21: i64 = imul v10, i64:8\n  v20: i64 = iadd v9, v21\n")),
        [false, true]
    );
    // The end of the buffer less something within it.
    let within = "  v21: i64 = iadd v8, v14\n  v22: i64 = isub v21, v8\n  v20: i64 = iadd v9, v22\n";
    assert_eq!(written_by(&store(within)), [false, true]);
    // A choice; what may be an address for all that is known: a value, a loaded number, the difference of two buffers.
    let choice = "  v21: bool = icmp.eq v6, i32:0\n  v20: i64 = select v21, v8, v9\n";
    assert_eq!(written_by(&store(choice)), [true, true]);
    assert_eq!(written_by(&store("  v20: i64 = iadd v10, v14\n")), [true, true]);
    assert_eq!(written_by(&store("  v20: i64 = iadd v15, v14\n")), [true, true]);
    assert_eq!(written_by(&store("  v20: i64 = iadd v9, v10\n")), [true, true]);
    assert_eq!(written_by(&store("  v21: i64 = isub v8, v9\n  v20: i64 = iadd v9, v21\n")), [true, true]);
    assert_eq!(written_by(&store("  v20: i64 = and v9, v10\n")), [true, true]);
    // Nothing; an atomic.
    assert_eq!(written_by("  return()\n"), [false, false]);
    let atomic = "  v20: i32 = atomic.iadd address[v8] (i32:1) device relaxed\n  return()\n";
    assert_eq!(written_by(atomic), [true, false]);
}

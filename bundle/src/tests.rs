//! Bundles are read as they were written, and devices get what fits them.

use super::*;
use frontend::options::Options;
use lower::LowerOptions;

fn variant(source: &str, target: &Target) -> Variant {
    let options = Options::default();
    let compiled = frontend::compile("k.cl", source, &options);
    let words = compiled.spirv.expect("good source");
    let lowered = lower::lower(&words, target, &LowerOptions::default()).expect("lowers");
    Variant::new(target.clone(), Traits::default(), lowered).expect("a variant")
}

const PLAIN: &str = "constant int t[4] = {1, 2, 3, 4};
    kernel void k(global int *p, int n, local int *l) { l[get_local_id(0)] = n; p[get_global_id(0)] += t[n & 3] + l[0]; }
    kernel void other(global float *p) { p[get_global_id(0)] *= 2; }";

fn named(name: &str, change: impl FnOnce(&mut Target)) -> Target {
    let mut target = Target { name: name.to_owned(), ..Target::minimum() };
    change(&mut target);
    target
}

#[test]
fn what_was_written_is_read() {
    let wide = named("wide", |t| t.features.shader_int64 = true);
    let bundle = Bundle { variants: vec![variant(PLAIN, &Target::minimum()), variant(PLAIN, &wide)] };
    let bytes = bundle.write().expect("bytes");
    assert_eq!(Bundle::read(&bytes).as_ref(), Ok(&bundle));
    let again = Bundle { variants: vec![variant(PLAIN, &Target::minimum()), variant(PLAIN, &wide)] };
    assert_eq!(again.write().expect("bytes"), bytes);
    assert!(Bundle::is_bundle(&bytes));
    let mut newer = bytes.clone();
    newer[8] += 1;
    assert_eq!(Bundle::read(&newer), Err(BundleError::Version(FORMAT + 1)));
    assert_eq!(Bundle::read(b"kernel void"), Err(BundleError::NotABundle));
    for length in 0..bytes.len() {
        assert!(Bundle::read(&bytes[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn the_device_decides() {
    let doubles = named("doubles", |t| t.features.shader_float64 = true);
    let memory = named("memory model", |t| {
        t.api_version = (1, 2);
        t.features.vulkan_memory_model = true;
    });
    let bundle =
        Bundle { variants: [&Target::minimum(), &doubles, &memory].map(|t| variant(PLAIN, t)).into() };
    let chosen = |device: &Target| bundle.choose(device).map(|v| v.target.name.clone());
    assert_eq!(chosen(&Target::minimum()).as_deref(), Ok("Vulkan 1.1 minimum"));
    assert_eq!(chosen(&doubles).as_deref(), Ok("doubles"), "that is most like it");
    let both = named("both", |t| {
        t.api_version = (1, 3);
        t.features = doubles.features.clone();
        t.features.vulkan_memory_model = true;
        t.features.shader_int16 = true;
    });
    assert_eq!(chosen(&both).as_deref(), Ok("doubles"), "the first of those that are alike");
    let alone = Bundle { variants: vec![variant(PLAIN, &memory)] };
    let why = alone.choose(&Target::minimum()).expect_err("it has no memory model");
    assert!(why.contains("'memory model' needs SPIR-V 1.5"), "{why}");
    let later = named("later", |t| t.api_version = (1, 3));
    let why = alone.choose(&later).expect_err("it has no memory model");
    assert!(why.contains("needs vulkanMemoryModel"), "{why}");
    let faulty = named("faulty", |t| t.quirks.wrong_byte_swaps = true);
    let why = bundle.choose(&faulty).expect_err("faults that nothing avoids");
    assert!(why.contains("(x << 8 | x >> 8) in 16 bits gives zeros"), "{why}");
    assert!(!why.contains("wrong_byte_swaps") && !why.contains(".;"), "{why}");
}

#[test]
fn atomics_ask_by_the_memory_that_they_are_on() {
    let with = |buffer, shared| {
        named("long", |t| {
            t.features.shader_int64 = true;
            (t.features.shader_buffer_int64_atomics, t.features.shader_shared_int64_atomics) =
                (buffer, shared);
        })
    };
    let source = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        kernel void k(global long *p) { atom_add(p, 1L); }";
    let mut options = Options::default();
    options.features |= frontend::options::Features::INT64 | frontend::options::Features::INT64_ATOMICS;
    let words = frontend::compile("k.cl", source, &options).spirv.expect("good source");
    let lowered = lower::lower(&words, &with(true, true), &LowerOptions::default()).expect("lowers");
    let variant = Variant::new(with(true, true), Traits::default(), lowered).expect("a variant");
    assert_eq!(variant.unfit(&with(true, false)), None);
    assert_eq!(variant.unfit(&with(false, true)).as_deref(), Some("shaderBufferInt64Atomics"));
}

/// A module for sub-groups of one size has that size as a constant.
#[test]
fn sub_groups_of_one_size() {
    let sizes = |sizes: [u32; 2], control: bool, size: u32| {
        named("sizes", |t| {
            t.api_version = (1, 3);
            t.features.subgroup_operations = 0x3f;
            t.features.subgroup_size_control = control;
            (t.limits.subgroup_size, t.limits.required_subgroup_sizes) = (size, sizes);
        })
    };
    let source = "kernel void k(global int *p) { p[get_global_id(0)] = get_max_sub_group_size(); }";
    let mut options = Options::default();
    options.features |= frontend::options::Features::SUBGROUPS;
    let words = frontend::compile("k.cl", source, &options).spirv.expect("good source");
    let made = |target: Target| {
        let lowered = lower::lower(&words, &target, &LowerOptions::default()).expect("lowers");
        Variant::new(target, Traits::default(), lowered).expect("a variant")
    };
    let (one, required, unknown) =
        (sizes([32, 32], false, 32), sizes([8, 32], true, 32), sizes([8, 32], false, 32));
    let variant = made(one.clone());
    assert_eq!(variant.unfit(&one), None);
    assert_eq!(variant.unfit(&required), None, "pipelines require it there");
    assert_eq!(variant.unfit(&unknown).as_deref(), Some("sub-groups of 32 alone"));
    assert_eq!(variant.unfit(&sizes([16, 16], false, 16)).as_deref(), Some("sub-groups of 32"));
    assert_eq!(made(unknown).unfit(&one), None, "it asks");
}

#[test]
fn lines_go() {
    let words = variant(PLAIN, &Target::minimum()).lowered.spirv;
    let ops = |words: &[u32]| {
        let (_, reader) = spirv_io::Reader::new(words).expect("a module");
        reader.map(|i| i.expect("an instruction").op).collect::<Vec<_>>()
    };
    assert!(ops(&words).contains(&Op::Line));
    let less = without_lines(&words).expect("a module");
    assert!(!ops(&less).iter().any(|op| matches!(op, Op::Line | Op::String | Op::Source)));
}

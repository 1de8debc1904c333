//! `-g` (API specification, §5.8.6.6): debug information that the validator accepts, and that changes no kernel.

use crate::cases;
use frontend::options::{Features, Options};
use lower::{BindingChoice, BindingModel, LowerOptions, Target};
use spirv_io::Reader;
use spirv_io::spirv::{Capability, Op};
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator, ValidatorOptions};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The run-suite: sources with their build options and the features that they need.
fn sources() -> Vec<(PathBuf, String, Features)> {
    let mut paths = Vec::new();
    cases::all_cases(&pumice_tests::root().join("cases/run"), &mut paths);
    let mut sources: Vec<(PathBuf, String, Features)> = paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("case");
            let case = cases::parse(&text).expect("a case");
            (path, case.options.join(" "), cases::features(&case.features).expect("features"))
        })
        .collect();
    let kernels = pumice_tests::files(&pumice_tests::root().join("kernels"), "cl");
    sources.extend(kernels.into_iter().map(|path| (path, "-DT=short".to_owned(), Features::empty())));
    assert!(sources.len() >= 200, "the run-suite is there");
    sources
}

fn compile(path: &Path, build: &str, features: Features) -> Option<Vec<u32>> {
    let mut options = Options::default();
    host::target::apply_generic(&mut options);
    // What the devices that run the cases have besides.
    options.features |= Features::GENERIC_ADDRESS_SPACE | Features::PROGRAM_SCOPE_GLOBALS | features;
    options.parse_build_options(build).expect("options");
    let text = std::fs::read_to_string(path).expect("source");
    frontend::compile(&path.to_string_lossy(), &text, &options).spirv
}

/// The environment that judges a module: OpenCL's ends at SPIR-V 1.2, and knows no cl_khr_int64_base_atomics.
pub fn environment(words: &[u32]) -> TargetEnv {
    let (_, mut reader) = Reader::new(words).expect("our own module");
    let wide_atomics = reader
        .any(|i| i.is_ok_and(|i| i.op == Op::Capability && i.operands[0] == Capability::Int64Atomics as u32));
    match words.get(1).map_or(0, |version| version >> 8 & 0xff) {
        0..=2 if wide_atomics => TargetEnv::Universal_1_2,
        0..=2 => TargetEnv::OpenCL_2_2,
        3..=5 => TargetEnv::Universal_1_5,
        _ => TargetEnv::Universal_1_6,
    }
}

/// How many functions have a body, and how many instructions of a number of the debug information's set there are.
fn functions_and(words: &[u32], number: u32) -> (usize, usize) {
    let (_, reader) = Reader::new(words).expect("our own module");
    let instructions: Vec<_> = reader.map(|i| i.expect("our own module")).collect();
    let is_set = |i: &&spirv_io::Instruction| {
        i.op == Op::ExtInstImport
            && i.string(1).is_ok_and(|s| s.0.starts_with("NonSemantic.Shader.DebugInfo"))
    };
    let set = instructions.iter().find(is_set).map(|i| i.operands[0]);
    let of_set = |i: &&spirv_io::Instruction| {
        i.op == Op::ExtInst && Some(i.operands[2]) == set && i.operands[3] == number
    };
    let functions = instructions.iter().filter(|i| i.op == Op::Function).count();
    (functions, instructions.iter().filter(of_set).count())
}

const FUNCTION_DEFINITION: u32 = 101;
const LOCAL_VARIABLE: u32 = 26;

/// A Target that can hold most of the run-suite: the committed profile, with the integers and doubles that it lacks.
fn capable() -> Target {
    let path = pumice_tests::root().join("profiles/swiftshader.json");
    let mut target = host::target::read_profile(&path).expect("profile");
    let f = &mut target.features;
    for feature in [
        &mut f.shader_int64,
        &mut f.shader_int16,
        &mut f.shader_int8,
        &mut f.shader_float64,
        &mut f.storage_buffer_8bit_access,
        &mut f.storage_buffer_16bit_access,
        &mut f.buffer_device_address,
        &mut f.vulkan_memory_model,
        &mut f.vulkan_memory_model_device_scope,
        &mut f.shader_storage_image_write_without_format,
    ] {
        *feature = true;
    }
    target
}

#[test]
fn every_program_of_the_run_suite_has_valid_debug_information() {
    let (mut problems, mut modules, mut variables) = (String::new(), 0, 0);
    for (path, build, features) in sources() {
        // Some cases are for options or devices that they choose themselves.
        let (Some(_), Some(with)) =
            (compile(&path, &build, features), compile(&path, &format!("{build} -g"), features))
        else {
            let _ = writeln!(problems, "{}: does not compile", path.display());
            continue;
        };
        modules += 1;
        if let Err(e) = val::create(Some(environment(&with))).validate(&with, None) {
            let _ = writeln!(problems, "{}: {e}", path.display());
        }
        // Only the entry points of kernels that others call are not described: they are not in the source.
        if functions_and(&with, FUNCTION_DEFINITION).1 == 0 {
            let _ = writeln!(problems, "{}: no function is described", path.display());
        }
        variables += functions_and(&with, LOCAL_VARIABLE).1;
    }
    pumice_tests::tell(&format!("-g: {modules} modules accepted, {variables} local variables described"));
    assert!(variables > 1000, "only {variables} variables");
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn debug_information_changes_no_kernel() {
    let mut target = capable();
    target.features.non_semantic_info = false;
    let options =
        LowerOptions { binding: BindingChoice::Fixed(BindingModel::Descriptor), ..LowerOptions::default() };
    let (mut problems, mut same) = (String::new(), 0);
    for (path, build, features) in sources().into_iter().step_by(2) {
        let (Some(without), Some(with)) =
            (compile(&path, &build, features), compile(&path, &format!("{build} -g"), features))
        else {
            continue;
        };
        let lowered = |words: &[u32]| lower::lower(words, &target, &options).map(|l| l.spirv);
        match (lowered(&without), lowered(&with)) {
            (Ok(a), Ok(b)) if a == b => same += 1,
            (Err(a), Err(b)) if a.to_string() == b.to_string() => {}
            (a, b) => {
                let size = |r: Result<Vec<u32>, lower::LowerError>| match r {
                    Ok(words) => format!("{} words", words.len()),
                    Err(e) => e.to_string(),
                };
                let _ = writeln!(problems, "{}: {} without -g, {} with", path.display(), size(a), size(b));
            }
        }
    }
    assert!(same >= 75, "only {same} programs");
    assert!(problems.is_empty(), "{problems}");
}

/// Where the Target takes non-semantic instructions, debuggers find the source, the functions and the lines.
#[test]
fn debug_information_reaches_vulkan() {
    const LINE: u32 = 103;
    let mut target = capable();
    target.features.non_semantic_info = true;
    let (mut problems, mut modules) = (String::new(), 0);
    for version in [(1, 1), (1, 2), (1, 3)] {
        target.api_version = version;
        let env = match version {
            (1, 1) => TargetEnv::Vulkan_1_1,
            (1, 2) => TargetEnv::Vulkan_1_2,
            _ => TargetEnv::Vulkan_1_3,
        };
        // The validator's rules for the instructions are the same in all versions; a part is enough.
        let step = if version == (1, 3) { 3 } else { 16 };
        for (path, build, features) in sources().iter().step_by(step) {
            let Some(waist) = compile(path, &format!("{build} -g"), *features) else { continue };
            for model in [BindingModel::Descriptor, BindingModel::Address] {
                let options =
                    LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
                let Ok(lowered) = lower::lower(&waist, &target, &options) else { continue };
                modules += 1;
                let what = format!("{} ({model:?}, {version:?})", path.display());
                if let Err(e) = val::create(Some(env)).validate(&lowered.spirv, Some(layout())) {
                    let _ = writeln!(problems, "{what}: {e}");
                }
                let (functions, definitions) = functions_and(&lowered.spirv, FUNCTION_DEFINITION);
                let (_, lines) = functions_and(&lowered.spirv, LINE);
                if functions > 0 && (definitions == 0 || lines == 0) {
                    let _ = writeln!(problems, "{what}: {definitions} functions described, {lines} lines");
                }
            }
        }
    }
    pumice_tests::tell(&format!("-g: {modules} Vulkan modules accepted"));
    assert!(modules >= 100, "only {modules} modules");
    assert!(problems.is_empty(), "{problems}");
}

/// What [`capable`] allows of layouts.
fn layout() -> ValidatorOptions {
    let features = capable().features;
    ValidatorOptions {
        relax_block_layout: Some(true),
        uniform_buffer_standard_layout: features.uniform_buffer_standard_layout,
        scalar_block_layout: features.scalar_block_layout,
        ..ValidatorOptions::default()
    }
}

/// Whole programs give the same results. `PUMICE_TEST_OPTIONS=-g` runs all cases so.
#[test]
fn programs_run_the_same_with_debug_information() {
    let mut problems = String::new();
    for folder in ["control", "generic", "pointers", "program_scope", "statements"] {
        let mut paths = Vec::new();
        cases::all_cases(&pumice_tests::root().join("cases/run").join(folder), &mut paths);
        for path in paths {
            if let Err(problem) = cases::check_runs(&path, &["-g"]) {
                let _ = writeln!(problems, "--- {} with -g\n{problem}", path.display());
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

/// Linked programs keep what their parts have, down to the Vulkan module.
#[test]
fn linking_keeps_debug_information() {
    let compile = |name: &str, text: &str| {
        let mut options = Options::default();
        host::target::apply_generic(&mut options);
        options.allow_undefined = true;
        options.parse_build_options("-g").expect("options");
        frontend::compile(name, text, &options).spirv.expect("compiles")
    };
    let kernel = compile(
        "kernel.cl",
        "extern int helper(int x);\nextern constant int table[2];\n\
         kernel void k(global int *p) { int y = helper(p[0]); p[1] = y + table[1]; }\n",
    );
    let helper = compile(
        "helper.cl",
        "constant int table[2] = { 1, 2 };\nint helper(int x) {\n    int z = x * x;\n    return z + 1;\n}\n",
    );
    let linked = lower::link::link(&[&kernel, &helper], lower::link::LinkOptions::default()).expect("links");
    val::create(Some(TargetEnv::OpenCL_2_2)).validate(&linked, None).expect("valid");
    assert_eq!(functions_and(&linked, FUNCTION_DEFINITION).1, 2);
    assert_eq!(functions_and(&linked, LOCAL_VARIABLE).1, 4);
    let mut target = capable();
    target.features.non_semantic_info = true;
    let lowered = lower::lower(&linked, &target, &LowerOptions::default()).expect("lowers").spirv;
    let env = TargetEnv::Vulkan_1_3;
    val::create(Some(env)).validate(&lowered, Some(layout())).expect("valid");
    // The helper is inlined, in its own file.
    const INLINED_AT: u32 = 25;
    const SOURCE: u32 = 35;
    assert_eq!(functions_and(&lowered, INLINED_AT).1, 1);
    assert_eq!(functions_and(&lowered, SOURCE).1, 2);
}

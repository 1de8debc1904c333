//! Judges that are not ours: SPIRV-Tools on both sides of the waist, naga, RADV's compiler, shaderc.

use frontend::options::Options;
use lower::{BindingChoice, BindingModel, LowerOptions, Target};
use spirv_io::spirv;
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator, ValidatorOptions};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kernels that are judged: the programs of `tests/kernels`.
fn sources() -> Vec<PathBuf> {
    let files = pumice_tests::files(&pumice_tests::root().join("kernels"), "cl");
    assert!(files.len() >= 20, "the kernels are there");
    files
}

fn name(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The OpenCL SPIR-V of a source for a Target.
fn compile(path: &Path, target: &Target) -> Vec<u32> {
    let mut options = Options::default();
    host::target::apply(target, &mut options);
    options.parse_build_options("-DT=short").expect("options");
    let text = std::fs::read_to_string(path).expect("source");
    let compiled = frontend::compile(&name(path), &text, &options);
    let style = frontend::diag::Style::Line;
    compiled.spirv.unwrap_or_else(|| {
        panic!("{}", frontend::diag::render(&compiled.diagnostics, &compiled.sources, style))
    })
}

fn validate(env: TargetEnv, words: &[u32], target: Option<&Target>) -> Result<(), String> {
    let features = target.map(|t| &t.features);
    let options = ValidatorOptions {
        relax_block_layout: features.map(|_| true),
        uniform_buffer_standard_layout: features.is_some_and(|f| f.uniform_buffer_standard_layout),
        scalar_block_layout: features.is_some_and(|f| f.scalar_block_layout),
        ..ValidatorOptions::default()
    };
    val::create(Some(env)).validate(words, Some(options)).map_err(|e| e.to_string())
}

fn vulkan_env(target: &Target) -> TargetEnv {
    match target.api_version {
        (1, 0 | 1) => TargetEnv::Vulkan_1_1,
        (1, 2) => TargetEnv::Vulkan_1_2,
        _ => TargetEnv::Vulkan_1_3,
    }
}

fn swiftshader() -> Target {
    host::target::read_profile(&pumice_tests::root().join("profiles/swiftshader.json")).expect("profile")
}

/// Profiles of several classes of devices.
fn targets() -> Vec<Target> {
    let classes = ["lavapipe.json", "nvidia.json", "amd.json", "intel.json", "apple.json"];
    let read = |file: &str| host::target::read_profile(&pumice_tests::profile(file)).expect("profile");
    std::iter::once(swiftshader()).chain(classes.into_iter().map(read)).collect()
}

fn models(target: &Target) -> Vec<BindingModel> {
    if target.has_address_model() {
        vec![BindingModel::Descriptor, BindingModel::Address]
    } else {
        vec![BindingModel::Descriptor]
    }
}

fn lower(words: &[u32], target: &Target, model: BindingModel) -> Result<Vec<u32>, lower::LowerError> {
    let options = LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
    lower::lower(words, target, &options).map(|l| l.spirv)
}

#[test]
fn spirv_val_accepts_both_sides() {
    let (mut problems, mut modules) = (String::new(), 0);
    for target in targets() {
        for path in sources() {
            let waist = compile(&path, &target);
            if let Err(e) = validate(TargetEnv::OpenCL_2_2, &waist, None) {
                let _ = writeln!(problems, "{} before lowering: {e}", name(&path));
            }
            for model in models(&target) {
                let what = format!("{} for {} ({model:?})", name(&path), target.name);
                match lower(&waist, &target, model) {
                    Err(e) => drop(writeln!(problems, "{what}: {e}")),
                    Ok(words) => {
                        modules += 1;
                        if let Err(e) = validate(vulkan_env(&target), &words, Some(&target)) {
                            let _ = writeln!(problems, "{what}: {e}");
                        }
                    }
                }
            }
        }
    }
    pumice_tests::tell(&format!("spirv-val: {modules} Vulkan modules accepted"));
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let target = swiftshader();
    for path in sources() {
        let once = compile(&path, &target);
        assert_eq!(once, compile(&path, &target), "{}", name(&path));
        let lowered = || lower(&once, &target, BindingModel::Descriptor).expect("lowered");
        assert_eq!(lowered(), lowered(), "{}", name(&path));
    }
}

/// naga as a second validator of descriptor-model modules, where it knows their capabilities.
#[test]
fn naga_accepts() {
    let (mut checked, mut skipped, mut refused) = (0, 0, String::new());
    let mut for_swiftshader = 0;
    for target in targets() {
        for path in sources() {
            let waist = compile(&path, &target);
            let Ok(words) = lower(&waist, &target, BindingModel::Descriptor) else { continue };
            match naga_verdict(&words) {
                Ok(true) => {
                    checked += 1;
                    for_swiftshader += u32::from(target.name == swiftshader().name);
                }
                Ok(false) => skipped += 1,
                Err(e) => drop(writeln!(refused, "{} for {}: {e}", name(&path), target.name)),
            }
        }
    }
    let count = refused.lines().count();
    pumice_tests::tell(&format!(
        "naga: {checked} checked ({for_swiftshader} for SwiftShader), {skipped} skipped by capability, {count} refused"
    ));
    assert!(refused.is_empty(), "{refused}");
    assert!(for_swiftshader >= 15, "only {for_swiftshader} modules for SwiftShader");
}

/// `Ok(false)`: naga does not know a capability, extension or instruction of the module.
fn naga_verdict(words: &[u32]) -> Result<bool, String> {
    use naga::front::spv::{Error, Frontend, Options};
    let options = Options { strict_capabilities: true, ..Options::default() };
    let value = |id: u32| [8, 8, 1].get(id as usize).copied().unwrap_or(256);
    let frozen = lower::specialize::frozen(words, value).expect("our own module");
    let module = match Frontend::new(frozen.into_iter(), &options).parse() {
        Ok(module) => module,
        Err(
            // It lists Int8 and Int16 among the capabilities, but has integers of 32 and 64 bits only.
            Error::InvalidTypeWidth(1 | 2)
            | Error::UnsupportedCapability(_)
            | Error::UnsupportedExtension(_)
            | Error::UnsupportedInstruction(..),
        ) => return Ok(false),
        Err(e) => return Err(format!("{e:?}")),
    };
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).map(|_| true).map_err(|e| format!("{:?}", e.into_inner()))
}

/// Pipelines on RADV's null device: a real GPU compiler for one GFX8, one RDNA2 and one RDNA3 chip.
#[test]
fn radv_creates_pipelines() {
    let driver = Path::new("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json");
    if !driver.exists() {
        pumice_tests::tell("SKIP: RADV is not installed");
        return;
    }
    for family in ["polaris10", "navi21", "gfx1100"] {
        let exe = pumice_tests::pumice().with_file_name("radv-null");
        let mut command = Command::new(&exe);
        command.args(sources()).env("RADV_FORCE_FAMILY", family).env("VK_DRIVER_FILES", driver);
        command.env("VK_ICD_FILENAMES", driver).env("MESA_SHADER_CACHE_DISABLE", "true");
        let output = command.output().unwrap_or_else(|e| panic!("{}: {e}", exe.display()));
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{family}: {}\n{told}{}\nrepeat with: {command:?}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        pumice_tests::tell(&format!("RADV {family}: {}", told.lines().last().unwrap_or("")));
    }
}

/// Opcodes with their operands.
type Instructions = Vec<(spirv::Op, Vec<u32>)>;

/// A module's decorations, sorted since their order says nothing, and all other instructions in order.
fn instructions(spirv: &[u8]) -> (Instructions, Instructions) {
    let words = spirv_io::bytes_to_words(spirv).expect("whole words");
    let (_, reader) = spirv_io::Reader::new(&words).expect("a module");
    let all = reader.map(|i| i.expect("an instruction")).map(|i| (i.op, i.operands.to_vec()));
    let decorates = [spirv::Op::Decorate, spirv::Op::MemberDecorate];
    let (mut decorations, others): (Vec<_>, Vec<_>) = all.partition(|(op, _)| decorates.contains(op));
    decorations.sort_by_key(|(op, operands)| (*op as u32, operands.clone()));
    (decorations, others)
}

/// GLSL, and its SPIR-V: the helper kernels, and the shaders that `opencl-bench` compares with.
fn committed_shaders() -> Vec<(String, String, Vec<u8>)> {
    let helper = |h: &shaders::Helper| (h.name.to_owned(), h.glsl.to_owned(), h.spirv.to_vec());
    let mut all: Vec<_> = shaders::HELPERS.iter().map(helper).collect();
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/shaders"));
    let mut controls: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|f| f.expect("a file").path()).collect();
    controls.retain(|file| file.extension().is_some_and(|e| e == "comp"));
    assert!(!controls.is_empty(), "there are shaders");
    for file in controls {
        let text = std::fs::read_to_string(&file).expect("a source");
        let spirv = std::fs::read(file.with_extension("spv")).expect("its SPIR-V");
        all.push((file.file_stem().expect("a name").to_string_lossy().into_owned(), text, spirv));
    }
    all
}

/// The committed SPIR-V of the shaders is what shaderc makes of their sources: the distribution's glslc, of
/// whatever version. Newer versions repeat a member's NonWritable and NonReadable at the variable.
#[test]
fn glslc_makes_the_committed_shaders() {
    assert_eq!((shaders::TARGET, shaders::OPTIMIZATION), ("vulkan1.1", "zero"), "what is done here");
    let repeated = [spirv::Decoration::NonWritable, spirv::Decoration::NonReadable].map(|d| d as u32);
    let counts = |d: &(spirv::Op, Vec<u32>)| !d.1.last().is_some_and(|last| repeated.contains(last));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, glsl, spirv) in committed_shaders() {
        let (source, made) = (folder.path().join(format!("{name}.comp")), folder.path().join("made.spv"));
        std::fs::write(&source, glsl).expect("the source");
        let told = Command::new("glslc")
            .args(["-O0", "--target-env=vulkan1.1", "-o"])
            .args([&made, &source])
            .output()
            .expect("glslc is on the path (./test installs it)");
        assert!(told.status.success(), "{name}: {}", String::from_utf8_lossy(&told.stderr));
        let (decorations, others) = instructions(&std::fs::read(&made).expect("what glslc made"));
        let (committed, committed_others) = instructions(&spirv);
        assert_eq!(others, committed_others, "{name}: write what shaderc makes now beside its source");
        let differ = |a: &Instructions, b: &Instructions| -> Instructions {
            a.iter().filter(|d| counts(d) && !b.contains(d)).cloned().collect()
        };
        let (lost, added) = (differ(&decorations, &committed), differ(&committed, &decorations));
        assert!(lost.is_empty() && added.is_empty(), "{name}: decorations differ: {lost:?} {added:?}");
    }
}

/// The same byte for byte, by the shaderc crate (`--features pumice-tests/shaderc`).
#[cfg(feature = "shaderc")]
#[test]
fn shaderc_makes_the_committed_helpers() {
    assert_eq!((shaders::TARGET, shaders::OPTIMIZATION), ("vulkan1.1", "zero"), "what is done here");
    let compiler = shaderc::Compiler::new().expect("shaderc");
    let mut options = shaderc::CompileOptions::new().expect("options");
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_1 as u32);
    options.set_optimization_level(shaderc::OptimizationLevel::Zero);
    for helper in shaders::HELPERS {
        let file = format!("{}.comp", helper.name);
        let artifact = compiler
            .compile_into_spirv(
                helper.glsl,
                shaderc::ShaderKind::Compute,
                &file,
                shaders::ENTRY_POINT,
                Some(&options),
            )
            .unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(
            artifact.as_binary_u8(),
            helper.spirv,
            "{file}: write what shaderc makes now beside its source"
        );
    }
}

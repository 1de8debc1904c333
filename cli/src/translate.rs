//! Kernels in the languages of other interfaces, by naga: WGSL, Metal's, Direct3D's and OpenGL's.
//!
//! naga knows work-group sizes and array lengths as constants alone, no addresses, and of integers those of 32 and 64 bits: a module
//! is specialized as a pipeline would be, and what naga does not know is refused by its words.

use crate::cli::Emit;
use crate::error::CliError;
use lower::specialize::frozen;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::front::spv;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// The work-group size of kernels that do not say theirs.
pub const WORK_GROUP: [u32; 3] = [64, 1, 1];
/// How many elements a `__local` argument has.
pub const LOCAL_ELEMENTS: u32 = 256;

/// The kernels of a Vulkan module in a language.
///
/// # Errors
/// What naga does not know.
pub fn translate(words: &[u32], language: Emit) -> Result<String, CliError> {
    let (module, info) = read(words).map_err(|e| refused(&e))?;
    let text = match language {
        Emit::Wgsl => {
            wgsl::write_string(&module, &info, wgsl::WriterFlags::empty()).map_err(|e| e.to_string())
        }
        Emit::Msl => to_msl(&module, &info),
        Emit::Hlsl => to_hlsl(&module, &info),
        Emit::Glsl => to_glsl(&module, &info),
        other => return Err(CliError::Failed(format!("{other:?} is no language of naga's"))),
    };
    text.map_err(|e| refused(&e))
}

fn refused(why: &str) -> CliError {
    CliError::Failed(format!("naga cannot translate the program: {why}"))
}

/// The module as naga has it, validated.
///
/// # Errors
/// What naga says.
pub fn read(words: &[u32]) -> Result<(naga::Module, ModuleInfo), String> {
    let value = |id: u32| WORK_GROUP.get(id as usize).copied().unwrap_or(LOCAL_ELEMENTS);
    let frozen = frozen(words, value).map_err(|e| e.to_string())?;
    let options = spv::Options { strict_capabilities: true, ..spv::Options::default() };
    let parsed = spv::Frontend::new(frozen.into_iter(), &options).parse();
    let module = parsed.map_err(|e| match e {
        spv::Error::InvalidTypeWidth(bits @ (1 | 2)) => format!("it has no integers of {} bits", bits * 8),
        other => format!("{other:?}"),
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|e| format!("{:?}", e.into_inner()))?;
    Ok((module, info))
}

fn to_msl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let options = msl::Options { lang_version: (2, 4), ..msl::Options::default() };
    let written = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
    written.map(|(text, _)| text).map_err(|e| e.to_string())
}

fn to_hlsl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        immediates_target: Some(hlsl::BindTarget { space: 1, ..hlsl::BindTarget::default() }),
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: None };
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    let reflection = writer.write(module, info, None).map_err(|e| e.to_string())?;
    for name in reflection.entry_point_names {
        name.map_err(|e| e.to_string())?;
    }
    Ok(text)
}

fn to_glsl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let [entry] = module.entry_points.as_slice() else {
        return Err("a module of GLSL has one kernel; this program has several".to_owned());
    };
    let options = glsl::Options { version: glsl::Version::Desktop(450), ..glsl::Options::default() };
    let pipeline =
        glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
    let mut text = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    let mut writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
        .map_err(|e| e.to_string())?;
    writer.write().map_err(|e| e.to_string())?;
    Ok(text)
}

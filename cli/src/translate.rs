//! Kernels in the languages of other interfaces, by naga: WGSL, Metal's, Direct3D's and OpenGL's.
//!
//! naga knows work-group sizes and array lengths as constants alone, no addresses, and of integers those of 32 and 64 bits: a module
//! is specialized as a pipeline would be, and what naga does not know is refused by its words.

use crate::cli::Emit;
use crate::error::CliError;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::front::spv;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use spirv_io::ReadError;
use spirv_io::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op};

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
    let frozen = frozen(words, WORK_GROUP).map_err(|e| e.to_string())?;
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

/// The module as a pipeline would specialize it: specialization constants become constants (the work-group size as given, sizes of
/// local arguments [`LOCAL_ELEMENTS`]), and execution modes other than the work-group size, which naga does not know, are left
/// out.
///
/// # Errors
/// Words that are no module.
pub fn frozen(words: &[u32], work_group: [u32; 3]) -> Result<Vec<u32>, ReadError> {
    const FLOAT_CONTROLS: [u32; 5] = [
        Capability::DenormPreserve as u32,
        Capability::DenormFlushToZero as u32,
        Capability::SignedZeroInfNanPreserve as u32,
        Capability::RoundingModeRTE as u32,
        Capability::RoundingModeRTZ as u32,
    ];
    let (_, reader) = spirv_io::Reader::new(words)?;
    let instructions = reader.collect::<Result<Vec<_>, _>>()?;
    let value_of = |id: u32| {
        let spec_id = instructions.iter().find_map(|i| match (i.op, i.operands) {
            (Op::Decorate, &[target, decoration, spec_id]) => {
                (target == id && decoration == Decoration::SpecId as u32).then_some(spec_id)
            }
            _ => None,
        });
        spec_id.and_then(|n| work_group.get(n as usize).copied()).unwrap_or(LOCAL_ELEMENTS)
    };
    let built_in = [Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32];
    let sized = instructions.iter().any(|i| i.op == Op::Decorate && i.rest(1) == built_in);
    let mut out = words.get(..5).unwrap_or_default().to_vec();
    for i in &instructions {
        let mut operands = i.operands.to_vec();
        let op = match i.op {
            Op::SpecConstant => {
                let value = value_of(i.word(1)?);
                if let Some(word) = operands.get_mut(2) {
                    *word = value;
                }
                Op::Constant
            }
            Op::SpecConstantComposite => Op::ConstantComposite,
            Op::Decorate if i.word(1)? == Decoration::SpecId as u32 => continue,
            // What is specialized says 1 there, which the built-in constant overrides; naga does not look at that.
            Op::ExecutionMode if i.rest(1) == [ExecutionMode::LocalSize as u32, 1, 1, 1] && sized => {
                operands.truncate(2);
                operands.extend(work_group);
                Op::ExecutionMode
            }
            Op::ExecutionMode if i.word(1)? != ExecutionMode::LocalSize as u32 => continue,
            // What only the execution modes that are left out need.
            Op::Capability if FLOAT_CONTROLS.contains(&i.word(0)?) => continue,
            Op::Extension if i.string(0)?.0 == "SPV_KHR_float_controls" => continue,
            op => op,
        };
        out.push((operands.len() as u32 + 1) << 16 | op as u32);
        out.extend(operands);
    }
    Ok(out)
}

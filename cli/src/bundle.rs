//! Bundles: `pumice compile -o kernels.pum`, and `pumice run kernels.pum` (docs/how-to/aot.md).

use crate::cli::{RunArgs, SourceArgs};
use crate::compile::Form;
use crate::error::CliError;
use crate::{compile, target};
use ::bundle::{Bundle, Traits, Variant, without_lines};
use frontend::options::Options;
use lower::{BindingChoice, Lowered, Target};
use spirv_io::spirv::Op;
use std::path::Path;

/// Compiles a source for all its targets.
///
/// # Errors
/// What fails for one of them.
pub fn compile(source: &SourceArgs, options: &Options) -> Result<Vec<u8>, CliError> {
    let targets = target::all(&source.target, &source.driver)?;
    let mut variants = Vec::new();
    for target in targets {
        let mut options = options.clone();
        host::target::apply(&target, &mut options);
        let module = compile::opencl_spirv(&source.file, &options)?;
        let mut lowered = compile::lower(&module, &target, None, source.binding.choice(), Form::default())
            .map_err(|e| for_target(&target, &e.to_string()))?;
        if lowered.kernels.is_empty() {
            return Err(CliError::Failed(format!("'{}' has no kernel", source.file.display())));
        }
        if let Some(kernel) = lowered.kernels.iter().find(|kernel| kernel.record().is_some()) {
            let what = format!("kernel '{}' enqueues kernels, which no bundle has", kernel.name);
            return Err(for_target(&target, &what));
        }
        let damaged = |e: spirv_io::ReadError| CliError::Failed(format!("internal error: {e}"));
        lowered.spirv = without_lines(&lowered.spirv).map_err(damaged)?;
        let group_functions = has_group_functions(&module.words).map_err(damaged)?;
        let traits = Traits { non_uniform: module.non_uniform, group_functions };
        let made = Variant::new(target.clone(), traits, lowered);
        variants.push(made.map_err(|e| for_target(&target, &e.to_string()))?);
    }
    Bundle { variants }.write().map_err(|e| CliError::Failed(e.to_string()))
}

fn for_target(target: &Target, what: &str) -> CliError {
    CliError::Failed(format!("for '{}': {what}", target.name))
}

/// Whether a module has work-group or sub-group functions.
fn has_group_functions(words: &[u32]) -> Result<bool, spirv_io::ReadError> {
    let (_, reader) = spirv_io::Reader::new(words)?;
    for inst in reader {
        let op = inst?.op;
        let other = matches!(
            op,
            Op::GroupAsyncCopy | Op::GroupWaitEvents | Op::GroupDecorate | Op::GroupMemberDecorate
        );
        if !other && format!("{op:?}").starts_with("Group") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The bytes of a file that begins as a bundle does; `None` of another one, and of standard input.
///
/// # Errors
/// A file that cannot be read.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, CliError> {
    if path == Path::new("-") {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|e| CliError::reading(path, e))?;
    Ok(Some(bytes).filter(|bytes| Bundle::is_bundle(bytes)))
}

/// What a bundle has for a device, and whether its work-groups need not divide the NDRange.
///
/// # Errors
/// Bytes that are no bundle; nothing in it fits the device, or it has no such kernel.
pub fn open(path: &Path, bytes: &[u8], device: &Target, args: &RunArgs) -> Result<(Lowered, bool), CliError> {
    let kernel = args.kernel.as_str();
    let contents = |message: String| CliError::Contents { path: path.to_owned(), message };
    let bundle = Bundle::read(bytes).map_err(|e| contents(e.to_string()))?;
    let variant = bundle.choose(device).map_err(contents)?;
    let Some(info) = variant.kernel(kernel) else {
        let names: Vec<&str> = variant.lowered.kernels.iter().map(|k| k.name.as_str()).collect();
        return Err(contents(format!("no kernel '{kernel}' in the bundle; it has: {}", names.join(", "))));
    };
    if let BindingChoice::Fixed(model) = args.binding.choice()
        && model != info.binding_model
    {
        return Err(contents(format!("kernel '{kernel}' was compiled for the other binding model")));
    }
    Ok((variant.lowered.clone(), variant.traits.non_uniform))
}

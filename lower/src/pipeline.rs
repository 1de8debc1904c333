//! From IR to Vulkan SPIR-V: the passes in order, the verifier after each, the writer.

use crate::error::LowerError;
use crate::ir::{Module, verify::verify};
use crate::kernel_info::Lowered;
use crate::passes::{PASSES, PassContext};
use crate::target::Target;
use crate::{LowerOptions, write};

/// Runs all passes. The verifier looks at the module after each in debug and test builds.
///
/// # Errors
/// A pass's own errors, and [`LowerError::Bug`] naming the pass that broke an invariant.
pub fn run_passes(module: &mut Module, target: &Target, options: &LowerOptions) -> Result<(), LowerError> {
    if target.api_version < (1, 1) {
        return Err(LowerError::Unsupported {
            kernel: module.kernels.first().map_or_else(String::new, |k| k.name.clone()),
            device: target.name.clone(),
            needs: "Vulkan 1.1".to_owned(),
        });
    }
    let cx = PassContext { target, options };
    module.cut_off |= options.cut_off;
    module.apart |= options.apart;
    module.told |= options.told;
    dump(module, "read", options);
    for pass in PASSES {
        if options.skip.iter().any(|name| name == pass.name) {
            continue;
        }
        (pass.run)(module, &cx)?;
        dump(module, pass.name, options);
        if cfg!(debug_assertions) {
            verify(module).map_err(|message| LowerError::Bug { pass: pass.name, message })?;
        }
    }
    Ok(())
}

/// Runs one pass by its name, with the verifier before and after it: `false` when there is none of that name.
///
/// # Errors
/// [`LowerError::InvalidModule`] for a module that breaks an invariant, and the pass's own errors.
pub fn run_pass(
    name: &str,
    module: &mut Module,
    target: &Target,
    options: &LowerOptions,
) -> Result<bool, LowerError> {
    let Some(pass) = PASSES.iter().find(|p| p.name == name) else { return Ok(false) };
    verify(module).map_err(LowerError::InvalidModule)?;
    (pass.run)(module, &PassContext { target, options })?;
    verify(module).map_err(|message| LowerError::Bug { pass: pass.name, message })?;
    Ok(true)
}

/// Lowers a module of IR, as the reader gives it or as text was parsed.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_ir(mut module: Module, target: &Target, options: &LowerOptions) -> Result<Lowered, LowerError> {
    run_passes(&mut module, target, options)?;
    finish(&module, target)
}

/// Writes a module that has gone through the passes.
pub(crate) fn finish(module: &Module, target: &Target) -> Result<Lowered, LowerError> {
    let (spirv, kernels) = if module.kernels.is_empty() {
        // A program of helper functions alone builds; there is nothing to launch.
        (Vec::new(), Vec::new())
    } else {
        write::write(module, target)?
    };
    Ok(Lowered { spirv, kernels, program_data: module.program_data.clone(), warnings: Vec::new() })
}

/// `PUMICE_DUMP`: `NAME` or `all`; `read` is what the passes start with.
fn dump(module: &Module, after: &str, options: &LowerOptions) {
    if options.dump_after.iter().any(|name| name == after || name == "all") {
        eprintln!("; after {after}\n{module}");
    }
}

//! Structured control flow for Vulkan SPIR-V (§2.11).
//!
//! A function whose merge annotations make it structured is kept, after small repairs ([`repair`]).
//! Annotations are never trusted unchecked: LLVM producers use OpLoopMerge as an unroll hint anywhere.
//! For other functions annotations are proposed from the plain control-flow graph ([`infer`]) and checked in the
//! same way; what has no structure of its own is rebuilt ([`rebuild`]), whatever its shape.

mod infer;
mod rebuild;
mod repair;

use super::PassContext;
use super::cleanup;
use crate::error::LowerError;
use crate::ir::{Function, Module, Stage, verify};

/// Makes every function structured; the module is at [`Stage::Structured`] then.
///
/// # Errors
/// [`LowerError::Bug`] if a rebuilt function is not structured.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut() {
        if !function.layout.is_empty() {
            structurize(function)?;
        }
    }
    module.stage = Stage::Structured;
    Ok(())
}

/// Makes one function structured.
///
/// # Errors
/// [`LowerError::Bug`] if the result is not structured.
pub fn structurize(function: &mut Function) -> Result<(), LowerError> {
    cleanup::remove_unreachable(function);
    let mut kept = function.clone();
    repair::run(&mut kept);
    match verify::structured(&kept) {
        Ok(()) => {
            *function = kept;
            return Ok(());
        }
        Err(why) => log::debug!("{}: restructured: {why}", function.name),
    }
    let mut inferred = function.clone();
    if infer::run(&mut inferred) {
        repair::order(&mut inferred);
        match verify::structured(&inferred) {
            Ok(()) => {
                cleanup::redundant_params(&mut inferred);
                *function = inferred;
                return Ok(());
            }
            Err(why) => log::debug!("{}: rebuilt: {why}", function.name),
        }
    }
    rebuild::run(function);
    verify::structured(function).map_err(|message| LowerError::Bug {
        pass: "structurize",
        message: format!("function '{}': {message}", function.name),
    })
}

//! Structured control flow for Vulkan SPIR-V (§2.11).
//!
//! A function whose merge annotations make it structured is kept, after small repairs ([`repair`]).
//! Annotations are never trusted unchecked: LLVM producers use OpLoopMerge as an unroll hint anywhere.
//! Any other function is restructured from its plain control-flow graph: first its cycles ([`loops`]), then its
//! branches ([`branches`]). What was structured comes out as it was; where an edge leads to where structured
//! control flow cannot go, a junction ([`edges`]) with a selector variable leads it there in steps. No block is
//! copied, and control flow that was uniform stays so: all work-items that took the same way take the same
//! way through the junctions.

mod branches;
mod edges;
mod loops;
mod repair;
#[cfg(test)]
mod tests;

use super::{PassContext, cleanup, ssa};
use crate::error::LowerError;
use crate::ir::{Block, Function, Merge, Module, Stage, verify};
use rustc_hash::FxHashMap;

/// What became of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its merges held, perhaps after repairs.
    Kept,
    /// It was restructured, with so many junctions that choose among several targets: in loops' entries and
    /// exits, and after branches.
    Restructured {
        /// Of loops.
        loops: usize,
        /// Of branches.
        branches: usize,
    },
}

/// Makes every function structured; the module is at [`Stage::Structured`] then.
///
/// # Errors
/// [`LowerError::Bug`] if a restructured function is not structured.
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
pub fn structurize(function: &mut Function) -> Result<Outcome, LowerError> {
    cleanup::remove_unreachable(function);
    repair::run(function);
    let Err(why) = verify::structured(function) else { return Ok(Outcome::Kept) };
    let (loops, branches) = restructure(function);
    log::debug!(
        "{}: restructured ({loops} junctions of loops, {branches} of branches): {why}",
        function.name
    );
    match verify::structured(function) {
        Ok(()) => Ok(Outcome::Restructured { loops, branches }),
        Err(message) => Err(LowerError::Bug {
            pass: "structurize",
            message: format!("function '{}': {message}", function.name),
        }),
    }
}

/// Restructures a function, whatever its shape. Gives the numbers of junctions.
fn restructure(function: &mut Function) -> (usize, usize) {
    let mut controls: FxHashMap<Block, u32> = FxHashMap::default();
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        if let Some(Merge::Loop { control, .. }) = function.blocks[block].merge.take() {
            controls.insert(block, control);
        }
    }
    cleanup::remove_unreachable(function);
    let regions = loops::run(function, &controls);
    let branches = branches::run(function, &regions);
    repair::order(function);
    ssa::repair(function);
    cleanup::redundant_params(function);
    cleanup::dead_code(function);
    (regions.junctions, branches)
}

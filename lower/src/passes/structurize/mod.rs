//! Structured control flow for Vulkan SPIR-V (§2.11): the control-flow graph is structured once, here, at the end.
//!
//! First its cycles ([`loops`]), then its branches ([`branches`]). What the source wrote with `if`, `switch` and loops comes
//! out in that form; where an edge leads to where structured control flow cannot go (`goto`, a `return` of an inlined
//! function within a loop), a junction ([`edges`]) with a selector variable leads it there in steps. No block is copied, and
//! control flow that was uniform stays so: all work-items that took the same way take the same way through the junctions,
//! and ways that met meet again at the first block where they can.

mod branches;
mod depth;
mod edges;
mod graph;
mod loops;
#[cfg(test)]
mod tests;

use super::{PassContext, cleanup, ssa};
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Entity, Function, Merge, Module, Stage, Terminator, Value, verify};
use rustc_hash::FxHashMap;

/// How many junctions choose among several targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Junctions {
    /// In the entries and exits of loops.
    pub loops: usize,
    /// After branches.
    pub branches: usize,
}

/// Makes every function structured; the module is at [`Stage::Structured`] then.
///
/// # Errors
/// [`LowerError::Bug`] if a restructured function is not structured; [`LowerError::Unsupported`] for one whose conditions are
/// nested deeper than the driver executes.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut() {
        if function.layout.is_empty() {
            continue;
        }
        structurize(function)?;
        let Some(limit) = context.target.quirks.deepest_nesting else { continue };
        let deepest = depth::deepest(function, context.target.quirks.nested_exits);
        if deepest > limit {
            return Err(LowerError::Unsupported {
                kernel: function.name.clone(),
                device: context.target.name.clone(),
                needs: format!(
                    "conditions are nested {deepest} deep, and its driver leaves out those deeper than {limit}"
                ),
            });
        }
    }
    module.stage = Stage::Structured;
    Ok(())
}

/// Makes one function structured.
///
/// # Errors
/// [`LowerError::Bug`] if the result is not structured.
pub fn structurize(function: &mut Function) -> Result<Junctions, LowerError> {
    cleanup::remove_unreachable(function);
    if let [_] = function.layout[..] {
        return Ok(Junctions { loops: 0, branches: 0 });
    }
    let mut regions = loops::run(function);
    let found = Junctions { branches: branches::run(function, &mut regions), loops: regions.junctions };
    if found.loops + found.branches > 0 {
        let (loops, branches) = (found.loops, found.branches);
        log::debug!("{}: {loops} junctions of loops, {branches} of branches", function.name);
    }
    order(function);
    ssa::repair(function);
    cleanup::redundant_params(function);
    cleanup::dead_code(function);
    fuse(function);
    if cfg!(debug_assertions) {
        verify::structured(function).map_err(|message| LowerError::Bug {
            pass: "structurize",
            message: format!("function '{}': {message}", function.name),
        })?;
    }
    Ok(found)
}

/// Orders the layout as SPIR-V wants it: a block after its structural dominator. What cannot be reached goes, but for merge
/// blocks.
fn order(function: &mut Function) {
    function.layout = Cfg::structural_order(function);
}

/// Appends blocks to the only block before them, where no header names them.
fn fuse(function: &mut Function) {
    let count = function.blocks.len();
    let (mut edges, mut named, mut removed) = (vec![0u32; count], vec![false; count], vec![false; count]);
    for &block in &function.layout {
        let data = &function.blocks[block];
        data.term.each_target(|t| edges[t.block.index()] += 1);
        match data.merge {
            Some(Merge::Selection { merge }) => named[merge.index()] = true,
            Some(Merge::Loop { merge, continue_target, .. }) => {
                named[merge.index()] = true;
                named[continue_target.index()] = true;
            }
            None => {}
        }
    }
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        while let Some(next) = only_next(function, block)
            && !removed[block.index()]
            && (edges[next.index()], named[next.index()]) == (1, false)
        {
            let term = std::mem::replace(&mut function.blocks[next].term, Terminator::Unreachable);
            let (insts, params) = {
                let data = &mut function.blocks[next];
                (std::mem::take(&mut data.insts), std::mem::take(&mut data.params))
            };
            let merge = function.blocks[next].merge.take();
            let data = &mut function.blocks[block];
            data.insts.extend(insts);
            data.merge = data.merge.or(merge);
            if let Terminator::Branch(target) = std::mem::replace(&mut data.term, term) {
                replaced.extend(params.into_iter().zip(target.args));
            }
            removed[next.index()] = true;
        }
    }
    function.layout.retain(|b| !removed[b.index()]);
    function.replace_uses(&replaced);
}

/// The block after one that ends in a plain branch, if their merges allow them to be one.
fn only_next(function: &Function, block: Block) -> Option<Block> {
    let data = &function.blocks[block];
    let Terminator::Branch(target) = &data.term else { return None };
    let next = &function.blocks[target.block];
    let branches = matches!(next.term, Terminator::Branch(_) | Terminator::CondBranch { .. });
    let fits = data.merge.is_none() || (next.merge.is_none() && branches);
    (target.block != block && fits).then_some(target.block)
}

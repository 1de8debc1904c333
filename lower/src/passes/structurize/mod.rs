//! Control-flow structurisation: the control-flow graph becomes structured control flow with merge instructions (SPIR-V §2.11).
//!
//! It runs once, at the end. Cycles are structured first ([`loops`]), branches next ([`branches`]). Code with `if`, `switch` and loops
//! keeps its form. Other edges (`goto`, a `return` of an inlined function within a loop) go through junctions ([`edges`]) with a
//! selector variable:
//!
//! ```text
//! L: a; if (x) goto M;             loop { a; if (x) break; b; if (!y) break; }
//! b; if (y) goto L; c;             next = x ? 1 : 0;
//! M: d;                            if (next == 0) c;  d;
//! ```
//!
//! Some drivers limit nested conditions or the cases of a switch. Large switches become binary searches then ([`search`]), and deep
//! nests are cut ([`cut`]).
//!
//! WGSL has a rule of its own, that barriers are in uniform control flow. Conditions around them are made uniform first
//! ([`uniform_branches`]).
//!
//! No block is copied. Uniform control flow stays uniform: work-items that took the same path take the same path through the junctions,
//! and paths merge at the first block where they can.

mod branches;
mod cut;
mod depth;
mod edges;
mod graph;
mod loops;
mod search;
#[cfg(test)]
mod tests;
pub mod uniform_branches;
pub mod unify_loop_exits;
pub mod unify_returns;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Entity, Function, Merge, Module, Stage, Terminator, Value, verify};
use crate::transform::cleanup;
use crate::transform::ssa;
use depth::Depths;
use loops::Regions;
use rustc_hash::FxHashMap;

/// So deep conditions are nested before the first cut, and between two: each costs a level itself.
const CUT_SPACING: u32 = 40;
/// A function is cut no more often.
const MAX_CUTS: usize = 64;
/// The number of consecutive cuts without a smaller depth after which cutting stops.
const MAX_FAILED_CUTS: usize = 16;

/// How many junctions choose among several targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Junctions {
    /// In the entries and exits of loops.
    pub loops: usize,
    /// After branches.
    pub branches: usize,
}

/// The limits of a driver.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// The cases of a switch.
    pub cases: Option<u32>,
    /// Nested conditions.
    pub depth: Option<u32>,
    /// So deep conditions are nested before the first cut, and between two, where there are that many.
    pub cut_spacing: u32,
    /// Conditions that leave a loop count as nested, too.
    pub exits: bool,
    /// The code that follows a case is not made its fall-through, and no case leaves a loop: naga loses the code after a default that falls
    /// through, and takes the exit of a loop for one of the switch.
    pub no_fall_through: bool,
}

/// Structures every function and sets [`Stage::Structured`].
///
/// # Errors
/// [`LowerError::Bug`] if a restructured function is not structured; [`LowerError::Unsupported`] if its conditions are nested deeper
/// than the driver executes.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if context.target.features.wgsl {
        uniform_branches::make_uniform(module);
    }
    let quirks = &context.target.quirks;
    let limits = Limits {
        cases: quirks.max_switch_cases,
        depth: quirks.max_nesting,
        cut_spacing: CUT_SPACING,
        exits: quirks.nested_exits,
        no_fall_through: context.target.features.wgsl,
    };
    for function in module.functions.values_mut() {
        if function.layout.is_empty() {
            continue;
        }
        let (_, deepest) = within(function, &limits)?;
        if let Some(limit) = limits.depth.filter(|limit| deepest > *limit) {
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
    within(function, &Limits::default()).map(|found| found.0)
}

/// Structures one function within a driver's limits, if possible. Returns the nesting depth of its conditions too, or 0 if there is no
/// limit.
pub(crate) fn within(function: &mut Function, limits: &Limits) -> Result<(Junctions, u32), LowerError> {
    cleanup::remove_unreachable(function);
    if let [_] = function.layout[..] {
        return Ok((Junctions { loops: 0, branches: 0 }, 0));
    }
    let mut regions = loops::run(function);
    if let Some(most) = limits.cases {
        search::run(function, &mut regions, most as usize);
    }
    let (branches, deepest) = if limits.no_fall_through {
        merge_branches_for_naga(function, &mut regions, limits)?
    } else {
        merge_branches(function, &mut regions, limits)
    };
    let found = Junctions { branches, loops: regions.junctions };
    if found.loops + found.branches > 0 {
        let (loops, branches) = (found.loops, found.branches);
        log::debug!("{}: {loops} junctions of loops, {branches} of branches", function.name);
    }
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
    Ok((found, deepest))
}

/// Gives every branch its merge, and orders the blocks; cuts what is nested too deep. Tells the junctions of branches, and how deep
/// conditions are nested.
fn merge_branches(function: &mut Function, regions: &mut Regions, limits: &Limits) -> (usize, u32) {
    let Some(limit) = limits.depth else {
        let junctions = branches::run(function, regions, limits.no_fall_through);
        order(function);
        return (junctions, 0);
    };
    let (mut min_depth, mut failed) = (u32::MAX, 0);
    for cuts in 0.. {
        let before = (function.clone(), regions.clone());
        let junctions = branches::run(function, regions, limits.no_fall_through);
        order(function);
        let depths = Depths::new(function, limits.exits);
        let deepest = depths.deepest(function);
        failed = if deepest < min_depth { 0 } else { failed + 1 };
        min_depth = min_depth.min(deepest);
        let (mut original, mut original_regions) = before;
        if deepest <= limit
            || cuts >= MAX_CUTS
            || failed > MAX_FAILED_CUTS
            || !cut_deepest(&mut original, &mut original_regions, &depths, limits)
        {
            return (junctions, deepest);
        }
        (*function, *regions) = (original, original_regions);
    }
    (0, 0)
}

/// Does the same without switches that an exit of a loop leaves. naga takes such an exit for one of the switch alone, so that these switches
/// become conditions.
fn merge_branches_for_naga(
    function: &mut Function,
    regions: &mut Regions,
    limits: &Limits,
) -> Result<(usize, u32), LowerError> {
    loop {
        let before = (function.clone(), regions.clone());
        let done = merge_branches(function, regions, limits);
        let mut switches = left_with_a_loop(function);
        if switches.is_empty() {
            return Ok(done);
        }
        (*function, *regions) = before;
        let is_switch = |b: &Block| {
            let data = function.blocks.get(*b);
            data.is_some_and(|data| matches!(data.term, Terminator::Switch { .. }))
        };
        switches.retain(is_switch);
        if switches.is_empty() {
            return Err(LowerError::Unsupported {
                kernel: function.name.clone(),
                device: "WebGPU".to_owned(),
                needs: "a case of a switch leaves a loop".to_owned(),
            });
        }
        for block in switches {
            search::to_conditions(function, regions, block);
        }
    }
}

/// The headers of switches within loops, of which one case branches to the loop's merge block.
fn left_with_a_loop(function: &Function) -> Vec<Block> {
    let cfg = Cfg::structural(function);
    let mut found = Vec::new();
    for &header in &function.layout {
        let Some(Merge::Loop { merge, .. }) = function.blocks[header].merge else { continue };
        for &exit in cfg.preds(merge) {
            let mut at = Some(exit).filter(|b| *b != header);
            while let Some(block) = at {
                let data = &function.blocks[block];
                if let (Terminator::Switch { .. }, Some(Merge::Selection { merge })) =
                    (&data.term, data.merge)
                    && !cfg.dominates(merge, exit)
                    && !found.contains(&block)
                {
                    found.push(block);
                }
                at = cfg.idom(block).filter(|b| *b != header);
            }
        }
    }
    found
}

/// Cuts a function without merge blocks at its deepest path. `depths` are those with merge blocks. Returns false if nothing could be
/// cut.
fn cut_deepest(function: &mut Function, regions: &mut Regions, depths: &Depths, limits: &Limits) -> bool {
    // The blocks around the deepest one, from the outside in, with the regions where they can be cut.
    let known = |b: Block| b.index() < function.blocks.len();
    let path: Vec<(Block, u32, usize)> = depths
        .path()
        .into_iter()
        .rev()
        .filter(|(block, _)| known(*block))
        .map(|(block, depth)| (block, depth, regions.get(block)))
        .collect();
    let mut ranges: FxHashMap<usize, (u32, u32)> = FxHashMap::default();
    for &(_, depth, region) in &path {
        let range = ranges.entry(region).or_insert((depth, depth));
        *range = (range.0.min(depth), range.1.max(depth));
    }
    let mut order: Vec<(usize, (u32, u32))> = ranges.into_iter().collect();
    order.sort_unstable_by_key(|(region, (low, high))| (std::cmp::Reverse(high - low), *region));
    for (region, (low, high)) in order {
        if high - low < 3 {
            return false;
        }
        let wanted = low + limits.cut_spacing.min((high - low) / 2);
        let mut candidates: Vec<(u32, Block)> = path
            .iter()
            .filter(|(_, depth, of)| *of == region && *depth > low + 1)
            .map(|(block, depth, _)| (depth.abs_diff(wanted), *block))
            .collect();
        candidates.sort_by_key(|(far, _)| *far);
        for (_, block) in candidates {
            if cut::cut(function, regions, region, block, limits.exits) {
                return true;
            }
        }
    }
    false
}

/// Orders the layout as SPIR-V requires: a block after its structural dominator. Unreachable blocks other than merge blocks are
/// removed.
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

//! V-17: structured control flow (SPIR-V §2.11), for functions whose blocks carry their merges.
//!
//! - S-1 A block that ends in a switch, or in a conditional branch with two arms that are no exits, has a merge. A
//!   loop merge stands before a branch or conditional branch, a selection merge before a conditional
//!   branch or switch.
//! - S-2 Merge blocks and continue targets are in the layout; no block is the merge block of two headers, nor both
//!   merge block and continue target.
//! - S-3 A header structurally and strictly dominates its merge block; a loop header dominates its continue target.
//! - S-4 Every back edge goes to a loop header; each loop header has exactly one, from a block that the continue
//!   target dominates.
//! - S-5 A branch that leaves a construct goes to its merge block, or to the merge block or continue target of the
//!   innermost loop around it, or to the merge block of the innermost switch around it within that loop.
//! - S-6 A branch enters a construct only at its header.
//! - S-7 Constructs nest: the merge block of one within another is within that too.
//! - S-8 A switch dominates the blocks of its cases, save its merge block.
//!
//! The validator judges the written module besides; here the first broken rule is named where it arose.

use super::{Broken, ensure};
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Entity, Function, Merge, Terminator};

/// A construct, and those around it.
#[derive(Clone, Copy)]
struct Construct {
    header: Block,
    merge: Block,
    /// For loops, the continue target.
    continue_target: Option<Block>,
    /// The innermost construct around it.
    parent: Option<usize>,
    /// The innermost loop, itself included.
    in_loop: Option<usize>,
    /// The innermost switch within that loop, itself included.
    in_switch: Option<usize>,
}

impl Construct {
    /// Whether a block is inside (the continue construct counts to the loop).
    fn contains(&self, cfg: &Cfg, block: Block) -> bool {
        cfg.dominates(self.header, block) && !cfg.dominates(self.merge, block)
    }
}

/// The constructs of a function and where each block is.
struct Constructs {
    all: Vec<Construct>,
    /// The innermost construct of each block; a header is in its own.
    inner: Vec<Option<usize>>,
    /// The same, a header's own left out.
    outer: Vec<Option<usize>>,
}

/// Checks a function.
pub(super) fn check(function: &Function) -> Result<(), Broken> {
    let cfg = Cfg::structural(function);
    let constructs = constructs(function, &cfg)?;
    check_back_edges(function, &cfg)?;
    for construct in &constructs.all {
        ensure(constructs.outer[construct.merge.index()] == construct.parent, || {
            format!("S-7: {}'s merge block {} is not where {0} is", construct.header, construct.merge)
        })?;
    }
    for &block in cfg.rpo() {
        check_exits(function, &cfg, block, &constructs)?;
        for target in function.blocks[block].term.targets() {
            let to = target.block;
            let entered = constructs.outer[to.index()].map(|c| &constructs.all[c]);
            ensure(entered.is_none_or(|c| c.contains(&cfg, block)), || {
                format!("S-6: the branch from {block} to {to} enters a construct from its side")
            })?;
        }
    }
    Ok(())
}

/// Collects the constructs: S-1's second half, S-2, S-3, S-8.
fn constructs(function: &Function, cfg: &Cfg) -> Result<Constructs, Broken> {
    let count = function.blocks.len();
    let mut role = vec![None; count];
    let mut listed = vec![false; count];
    function.layout.iter().for_each(|b| listed[b.index()] = true);
    let mut found = Constructs { all: Vec::new(), inner: vec![None; count], outer: vec![None; count] };
    for &block in cfg.rpo() {
        let mut around = cfg.idom(block).and_then(|d| found.inner[d.index()]);
        while let Some(c) = around.filter(|c| cfg.dominates(found.all[*c].merge, block)) {
            around = found.all[c].parent;
        }
        (found.inner[block.index()], found.outer[block.index()]) = (around, around);
        let Some((merge, continue_target)) = merge_of(function, block)? else { continue };
        for (target, what) in [(Some(merge), "merge"), (continue_target, "continue")] {
            let Some(target) = target else { continue };
            ensure(listed[target.index()], || {
                format!("S-2: {block}'s {what} block {target} is not in the layout")
            })?;
            let old = role[target.index()].replace((block, what));
            ensure(old.is_none(), || format!("S-2: {target} is {what} block of {block} and {old:?}"))?;
            let dominated = cfg.dominates(block, target) && (block != target || what == "continue");
            ensure(dominated, || format!("S-3: {block} does not dominate its {what} block {target}"))?;
        }
        let term = &function.blocks[block].term;
        let switch = matches!(term, Terminator::Switch { .. });
        for target in term.targets().filter(|t| switch && t.block != merge) {
            let to = target.block;
            ensure(cfg.dominates(block, to), || {
                format!("S-8: {block}'s case {to} is reached from elsewhere")
            })?;
        }
        let index = found.all.len();
        let is_loop = continue_target.is_some();
        let in_loop = if is_loop { Some(index) } else { around.and_then(|c| found.all[c].in_loop) };
        let outer_switch = around.filter(|_| !is_loop).and_then(|c| found.all[c].in_switch);
        let in_switch = if switch { Some(index) } else { outer_switch };
        let header = block;
        found.all.push(Construct { header, merge, continue_target, parent: around, in_loop, in_switch });
        found.inner[block.index()] = Some(index);
    }
    Ok(found)
}

/// A block's merge block and continue target, if it is a header.
fn merge_of(function: &Function, header: Block) -> Result<Option<(Block, Option<Block>)>, Broken> {
    let data = &function.blocks[header];
    let branches = matches!(data.term, Terminator::CondBranch { .. });
    match data.merge {
        None => Ok(None),
        Some(Merge::Selection { merge }) => {
            let good = branches || matches!(data.term, Terminator::Switch { .. });
            ensure(good, || format!("S-1: {header}'s selection merge before a plain branch"))?;
            Ok(Some((merge, None)))
        }
        Some(Merge::Loop { merge, continue_target, .. }) => {
            let good = branches || matches!(data.term, Terminator::Branch(_));
            ensure(good, || format!("S-1: {header}'s loop merge before another terminator"))?;
            Ok(Some((merge, Some(continue_target))))
        }
    }
}

/// S-4.
fn check_back_edges(function: &Function, cfg: &Cfg) -> Result<(), Broken> {
    for &header in cfg.rpo() {
        let mut back = Vec::new();
        for &pred in cfg.preds(header) {
            if cfg.rpo_index(pred) >= cfg.rpo_index(header) {
                back.push(pred);
            }
        }
        match function.blocks[header].merge {
            Some(Merge::Loop { continue_target, .. }) => {
                // The structural edge from a single-block loop to its continue target is itself one.
                back.dedup();
                ensure(back.len() <= 1, || format!("S-4: {header} has {} back edges", back.len()))?;
                let from_continue = back.iter().all(|b| cfg.dominates(continue_target, *b));
                ensure(from_continue, || format!("S-4: a back edge to {header} not from {continue_target}"))?;
            }
            _ => ensure(back.is_empty(), || format!("S-4: a back edge to {header}, no loop header"))?,
        }
    }
    Ok(())
}

/// S-1 and S-5 for one block.
fn check_exits(function: &Function, cfg: &Cfg, block: Block, constructs: &Constructs) -> Result<(), Broken> {
    let data = &function.blocks[block];
    // A header is in its own construct: its arms branch into that, to its merge block, or are exits.
    let inner = constructs.inner[block.index()].map(|c| constructs.all[c]);
    let mut allowed: Vec<Block> = Vec::new();
    if let Some(construct) = inner {
        let switch = construct.in_switch.map(|c| constructs.all[c].merge);
        allowed.extend([Some(construct.merge), switch].into_iter().flatten());
        if let Some(around) = construct.in_loop.map(|c| constructs.all[c]) {
            allowed.extend([around.merge, around.header]);
            allowed.extend(around.continue_target);
        }
    }
    for target in data.term.targets() {
        let to = target.block;
        let leaves = inner.is_some_and(|c| !c.contains(cfg, to));
        ensure(!leaves || allowed.contains(&to), || {
            format!("S-5: the branch from {block} to {to} leaves a construct")
        })?;
    }
    if data.merge.is_some() {
        return Ok(());
    }
    ensure(!matches!(data.term, Terminator::Switch { .. }), || format!("S-1: {block}: a switch, no merge"))?;
    let mut successors: Vec<Block> = data.term.targets().iter().map(|t| t.block).collect();
    successors.retain(|t| !allowed.contains(t));
    successors.dedup();
    ensure(successors.len() <= 1, || format!("S-1: {block}: a selection without merge"))
}

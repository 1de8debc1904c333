//! V-17: structured control flow (SPIR-V §2.11), for functions whose blocks carry their merges.
//!
//! - S-1 A block that ends in a switch, or in a conditional branch with two ways that are no exits, has a merge. A
//!   loop merge stands before a branch or conditional branch, a selection merge before a conditional
//!   branch or switch.
//! - S-2 Merge blocks and continue targets are in the layout; no block is the merge block of two headers, nor both
//!   merge block and continue target.
//! - S-3 A header structurally and strictly dominates its merge block; a loop header dominates its continue target.
//! - S-4 Every back edge leads to a loop header; each loop header has exactly one, from a block that the continue
//!   target dominates.
//! - S-5 A branch that leaves a construct goes to its merge block, or to the merge block or continue target of the
//!   innermost loop around it, or to the merge block of the innermost switch around it within that loop.
//! - S-6 A branch enters a construct only at its header.
//!
//! The validator judges the written module besides; here the first broken rule is named where it arose.

use super::ensure;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Entity, Function, Merge, Terminator};

/// A construct around a block.
#[derive(Clone, Copy)]
struct Construct {
    header: Block,
    merge: Block,
    /// For loops, the continue target.
    continue_target: Option<Block>,
    /// Whether the header ends in a switch.
    switch: bool,
}

impl Construct {
    /// Whether a block is inside (the continue construct counts to the loop).
    fn contains(&self, cfg: &Cfg, block: Block) -> bool {
        cfg.dominates(self.header, block) && !cfg.dominates(self.merge, block)
    }
}

/// The constructs of a function and how they nest.
///
/// By S-3 a merge block's immediate structural dominator is its header: going down the dominator tree, a header opens
/// its construct and the merge block among its children closes it. The constructs around a block are a chain.
struct Nesting {
    constructs: Vec<Construct>,
    /// For each construct the one around it.
    outer: Vec<Option<usize>>,
    /// For each block the innermost construct that contains it.
    innermost: Vec<Option<usize>>,
}

impl Nesting {
    fn new(function: &Function, cfg: &Cfg, constructs: Vec<Construct>) -> Nesting {
        let mut opens = vec![None; function.blocks.len()];
        for (n, construct) in constructs.iter().enumerate() {
            opens[construct.header.index()] = Some(n);
        }
        let mut nesting =
            Nesting { outer: vec![None; constructs.len()], innermost: vec![None; opens.len()], constructs };
        for &block in cfg.rpo() {
            let above = cfg.idom(block).and_then(|idom| {
                let inner = nesting.innermost[idom.index()];
                let closed = inner.filter(|c| nesting.constructs[*c].merge == block);
                closed.map_or(inner, |c| nesting.outer[c])
            });
            nesting.innermost[block.index()] = above;
            if let Some(opened) = opens[block.index()] {
                nesting.outer[opened] = above;
                nesting.innermost[block.index()] = Some(opened);
            }
        }
        nesting
    }

    /// The constructs around a block, innermost first.
    fn around(&self, block: Block) -> impl Iterator<Item = &Construct> + Clone {
        let first = self.innermost.get(block.index()).copied().flatten();
        std::iter::successors(first, |n| self.outer[*n]).map(|n| &self.constructs[n])
    }
}

/// Checks a function.
pub(super) fn check(function: &Function) -> Result<(), String> {
    let cfg = Cfg::structural(function);
    let nesting = Nesting::new(function, &cfg, constructs(function, &cfg)?);
    check_back_edges(function, &cfg)?;
    for &block in cfg.rpo() {
        check_exits(function, &cfg, block, &nesting)?;
        for target in function.blocks[block].term.targets() {
            let to = target.block;
            let mut entered = nesting.around(to).filter(|c| c.header != to);
            ensure(entered.all(|c| c.contains(&cfg, block)), || {
                format!("S-6: the branch from {block} to {to} enters a construct from its side")
            })?;
        }
    }
    Ok(())
}

/// Collects the constructs: S-1's second half, S-2, S-3.
fn constructs(function: &Function, cfg: &Cfg) -> Result<Vec<Construct>, String> {
    let mut role = vec![None; function.blocks.len()];
    let mut listed = vec![false; function.blocks.len()];
    for block in &function.layout {
        listed[block.index()] = true;
    }
    let mut all = Vec::new();
    for &header in cfg.rpo() {
        let data = &function.blocks[header];
        let switch = matches!(data.term, Terminator::Switch { .. });
        let (merge, continue_target) = match data.merge {
            None => continue,
            Some(Merge::Selection { merge }) => {
                let good = switch || matches!(data.term, Terminator::CondBranch { .. });
                ensure(good, || format!("S-1: {header}'s selection merge before a plain branch"))?;
                (merge, None)
            }
            Some(Merge::Loop { merge, continue_target, .. }) => {
                let good = matches!(data.term, Terminator::Branch(_) | Terminator::CondBranch { .. });
                ensure(good, || format!("S-1: {header}'s loop merge before another terminator"))?;
                (merge, Some(continue_target))
            }
        };
        for (target, what) in [(Some(merge), "merge"), (continue_target, "continue")] {
            let Some(target) = target else { continue };
            ensure(listed.get(target.index()) == Some(&true), || {
                format!("S-2: {header}'s {what} block {target} is not in the layout")
            })?;
            let old = role[target.index()].replace((header, what));
            ensure(old.is_none(), || format!("S-2: {target} is {what} block of {header} and {old:?}"))?;
            let dominated = cfg.dominates(header, target) && (header != target || what == "continue");
            ensure(dominated, || format!("S-3: {header} does not dominate its {what} block {target}"))?;
        }
        all.push(Construct { header, merge, continue_target, switch });
    }
    Ok(all)
}

/// S-4.
fn check_back_edges(function: &Function, cfg: &Cfg) -> Result<(), String> {
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
fn check_exits(function: &Function, cfg: &Cfg, block: Block, nesting: &Nesting) -> Result<(), String> {
    let data = &function.blocks[block];
    let mut allowed: Vec<Block> = Vec::new();
    // A header is in its own construct: its ways lead into that, to its merge block, or are exits.
    let mut switch_seen = false;
    for (i, construct) in nesting.around(block).enumerate() {
        let is_loop = construct.continue_target.is_some();
        if i == 0 || is_loop || (construct.switch && !switch_seen) {
            allowed.push(construct.merge);
        }
        switch_seen |= construct.switch;
        if let Some(target) = construct.continue_target {
            allowed.extend([target, construct.header]);
            break;
        }
    }
    for target in data.term.targets() {
        let to = target.block;
        let leaves = nesting.around(block).any(|c| !c.contains(cfg, to));
        ensure(!leaves || allowed.contains(&to), || {
            format!("S-5: the branch from {block} to {to} leaves a construct")
        })?;
    }
    if data.merge.is_some() {
        return Ok(());
    }
    ensure(!matches!(data.term, Terminator::Switch { .. }), || format!("S-1: {block}: a switch, no merge"))?;
    let mut inner: Vec<Block> = data.term.targets().iter().map(|t| t.block).collect();
    inner.retain(|t| !allowed.contains(t));
    inner.dedup();
    ensure(inner.len() <= 1, || format!("S-1: {block}: a selection without merge"))
}

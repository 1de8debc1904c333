//! Case ranges: consecutive cases of a switch with one target (`case 'a' ... 'z'`) become one comparison before the switch.
//!
//! ```text
//! switch (c) { case 'a' … case 'z': f(); break; case 0: g(); }    →    if (c - 'a' <= 25) f(); else switch (c) { case 0: g(); }
//! ```
//!
//! Drivers compare with each case by itself. The rule applies only where no case falls through into another, so that the switch keeps its
//! structure: all cases reach one merge block, directly or through a block of their own.

use crate::ir::{BinaryOp, Block, BranchTarget, Function, InstKind, IntCC, Terminator, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The least number of consecutive cases that one comparison replaces.
const MIN_RUN: usize = 6;
/// Limit on the runs that are taken out of one switch.
const MAX_RUNS: usize = 8;

/// Replaces the case ranges of every switch, and returns whether there were any.
pub fn replace_ranges(function: &mut Function) -> bool {
    let mut edges = None;
    let mut changed = false;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let Terminator::Switch { value, cases, .. } = &function.blocks[block].term else { continue };
        if cases.len() < MIN_RUN || function.ty(*value) != Type::I32 {
            continue;
        }
        let runs = runs(cases);
        if !runs.is_empty()
            && has_one_merge_block(function, edges.get_or_insert_with(|| count_edges(function)), block)
        {
            replace_runs(function, block, &runs);
            changed = true;
        }
    }
    changed
}

/// The runs of consecutive cases, as indices in order of the case values.
fn runs(cases: &[(u64, BranchTarget)]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_unstable_by_key(|n| cases[*n].0);
    let follows = |a: &usize, b: &usize| cases[*b].0 == cases[*a].0 + 1 && cases[*a].1 == cases[*b].1;
    let long = order.chunk_by(follows).filter(|run| run.len() >= MIN_RUN);
    long.take(MAX_RUNS).map(<[usize]>::to_vec).collect()
}

/// The number of branches to each block.
fn count_edges(function: &Function) -> Vec<u32> {
    let mut edges = vec![0; function.blocks.len()];
    for &block in &function.layout {
        function.blocks[block].term.each_target(|target| edges[target.block.0 as usize] += 1);
    }
    edges
}

/// Whether all successors of a switch reach one block, directly or through a block that nothing else reaches.
fn has_one_merge_block(function: &Function, edges: &[u32], block: Block) -> bool {
    let targets = function.blocks[block].term.targets();
    let mut own: FxHashMap<Block, u32> = FxHashMap::default();
    targets.iter().for_each(|target| *own.entry(target.block).or_default() += 1);
    let mut merge = None;
    // Consecutive cases mostly have one target: it is checked once.
    let mut last = None;
    targets.iter().all(|target| {
        if last.replace(target.block) == Some(target.block) {
            return true;
        }
        let alone = edges.get(target.block.0 as usize) == own.get(&target.block);
        let to = match &function.blocks[target.block].term {
            Terminator::Branch(to) if alone => to.block,
            Terminator::Return(_) | Terminator::Unreachable if alone => return true,
            _ => target.block,
        };
        *merge.get_or_insert(to) == to
    })
}

fn replace_runs(function: &mut Function, block: Block, runs: &[Vec<usize>]) {
    let mut rest = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
    let Terminator::Switch { value, cases, default } = &mut rest else { return };
    let value = *value;
    let found: SmallVec<[(u64, u64, BranchTarget); MAX_RUNS]> =
        runs.iter().map(|run| (cases[run[0]].0, run.len() as u64 - 1, cases[run[0]].1.clone())).collect();
    let mut taken = vec![false; cases.len()];
    runs.iter().flatten().for_each(|n| taken[*n] = true);
    let mut taken = taken.into_iter();
    cases.retain(|_| !taken.next().unwrap_or(false));
    if cases.is_empty() {
        rest = Terminator::Branch(default.clone());
    }
    let mut at = block;
    for (first, more, then) in found {
        let (first, more) = (function.iconst(Type::I32, first), function.iconst(Type::I32, more));
        let offset = function.append(at, InstKind::Binary(BinaryOp::ISub, value, first), Type::I32);
        let cond = function.append(at, InstKind::ICmp(IntCC::Ule, offset, more), Type::BOOL);
        let next = function.new_block();
        let els = BranchTarget { block: next, args: SmallVec::new() };
        function.blocks[at].term = Terminator::CondBranch { cond, then, els };
        at = next;
    }
    function.blocks[at].term = rest;
}

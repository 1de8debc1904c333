//! Cases of a switch that are values in a row and lead to one place (`case 'a' ... 'z'`) are asked for by a comparison before it: drivers
//! compare with each by itself.
//!
//! Only where no case falls into another, so that the switch's structure stays: all of them lead to one block, at once or through one of
//! their own.

use crate::ir::{BinaryOp, Block, BranchTarget, Function, InstKind, IntCC, Terminator, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// So many cases in a row are asked for together.
const LONG: usize = 6;
/// No more runs than this are taken from one switch.
const MAX: usize = 8;

/// Does so for every switch; tells whether there was one.
pub fn compare(function: &mut Function) -> bool {
    let mut edges = None;
    let mut changed = false;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let Terminator::Switch { value, cases, .. } = &function.blocks[block].term else { continue };
        if cases.len() < LONG || function.ty(*value) != Type::I32 {
            continue;
        }
        let runs = runs(cases);
        if !runs.is_empty() && meets(function, edges.get_or_insert_with(|| count_edges(function)), block) {
            take(function, block, &runs);
            changed = true;
        }
    }
    changed
}

/// Cases by number, those of a run in order.
fn runs(cases: &[(u64, BranchTarget)]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_unstable_by_key(|n| cases[*n].0);
    let follows = |a: &usize, b: &usize| cases[*b].0 == cases[*a].0 + 1 && cases[*a].1 == cases[*b].1;
    let long = order.chunk_by(follows).filter(|run| run.len() >= LONG);
    long.take(MAX).map(<[usize]>::to_vec).collect()
}

/// How many branches lead to each block.
fn count_edges(function: &Function) -> Vec<u32> {
    let mut edges = vec![0; function.blocks.len()];
    for &block in &function.layout {
        function.blocks[block].term.each_target(|target| edges[target.block.0 as usize] += 1);
    }
    edges
}

/// Whether all ways of a switch lead to one block, at once or through one that nothing else leads to.
fn meets(function: &Function, edges: &[u32], block: Block) -> bool {
    let targets = function.blocks[block].term.targets();
    let mut own: FxHashMap<Block, u32> = FxHashMap::default();
    targets.iter().for_each(|target| *own.entry(target.block).or_default() += 1);
    let mut meeting = None;
    // Cases in a row mostly lead to one block: it is looked at once.
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
        *meeting.get_or_insert(to) == to
    })
}

fn take(function: &mut Function, block: Block, runs: &[Vec<usize>]) {
    let mut rest = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
    let Terminator::Switch { value, cases, default } = &mut rest else { return };
    let value = *value;
    let found: SmallVec<[(u64, u64, BranchTarget); MAX]> =
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
        let place = function.append(at, InstKind::Binary(BinaryOp::ISub, value, first), Type::I32);
        let cond = function.append(at, InstKind::ICmp(IntCC::Ule, place, more), Type::BOOL);
        let next = function.new_block();
        let els = BranchTarget { block: next, args: SmallVec::new() };
        function.blocks[at].term = Terminator::CondBranch { cond, then, els };
        at = next;
    }
    function.blocks[at].term = rest;
}

//! Switch lowering: a large switch becomes a binary search.
//!
//! Mesa's compiler turns a switch into a sequence of conditions, one for each case, and nests the code after a case that leaves the
//! loop. A switch with more cases than the driver supports becomes a tree of comparisons, whose leaves are smaller switches:
//!
//! ```text
//! switch (x) { case 0: … case 39: }   →   if (x < 20) switch (x) { case 0: … case 19: } else switch (x) { case 20: … case 39: }
//! ```

use super::loops::Regions;
use crate::ir::{Block, BranchTarget, Entity, Function, InstKind, IntCC, Scalar, Terminator, Type};
use smallvec::SmallVec;

/// The cases of a switch: labels and targets.
type Cases = Vec<(u64, BranchTarget)>;

/// Gives every switch of more than `most` cases a tree of comparisons. New blocks are in the region of the switch.
pub(super) fn run(function: &mut Function, regions: &mut Regions, most: usize) {
    for index in 0..function.blocks.len() {
        let block = Block::new(index);
        if matches!(&function.blocks[block].term, Terminator::Switch { cases, .. } if cases.len() > most) {
            divide(function, regions, block, most.max(1));
        }
    }
}

/// Makes conditions of a switch. New blocks are in its region.
pub(super) fn to_conditions(function: &mut Function, regions: &mut Regions, block: Block) {
    divide(function, regions, block, 0);
}

/// The mask of a type's bits.
fn bits_of(ty: Type) -> u64 {
    let bits = ty.scalar().map_or(64, |s: Scalar| 8 * s.bytes());
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// Makes a tree of comparisons of a switch, whose leaves are switches of up to `most` cases, or conditions if that is 0.
fn divide(function: &mut Function, regions: &mut Regions, block: Block, most: usize) {
    let term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
    let Terminator::Switch { value, cases, default } = term else {
        function.blocks[block].term = term;
        return;
    };
    let mask = bits_of(function.ty(value));
    let mut cases: Cases = cases.into_iter().map(|(label, target)| (label & mask, target)).collect();
    cases.sort_by_key(|case| case.0);
    let region = regions.get(block);
    let mut work = vec![(block, cases)];
    while let Some((block, mut cases)) = work.pop() {
        if cases.len() <= most {
            function.blocks[block].term = Terminator::Switch { value, cases, default: default.clone() };
            continue;
        }
        if cases.len() <= 1 {
            let default = default.clone();
            function.blocks[block].term = match cases.pop() {
                Some((label, then)) => {
                    let label = function.iconst(function.ty(value), label);
                    let cond = function.append(block, InstKind::ICmp(IntCC::Eq, value, label), Type::BOOL);
                    Terminator::CondBranch { cond, then, els: default }
                }
                None => Terminator::Branch(default),
            };
            continue;
        }
        let high = cases.split_off(cases.len() / 2);
        let [low_block, high_block] = [(); 2].map(|()| function.new_block());
        [low_block, high_block].into_iter().for_each(|b| regions.set(b, region));
        let first = high.first().map_or(0, |case| case.0);
        let first = function.iconst(function.ty(value), first);
        let cond = function.append(block, InstKind::ICmp(IntCC::Ult, value, first), Type::BOOL);
        let to = |block| BranchTarget { block, args: SmallVec::new() };
        function.blocks[block].term =
            Terminator::CondBranch { cond, then: to(low_block), els: to(high_block) };
        work.push((high_block, high));
        work.push((low_block, cases));
    }
}

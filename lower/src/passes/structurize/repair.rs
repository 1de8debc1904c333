//! Small repairs of annotated control flow: annotations that say nothing go, and a merge block of two
//! headers gets an intermediate block for the inner one.

use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, Function, Merge, Terminator, Value};
use crate::passes::cleanup;
use smallvec::SmallVec;

/// Repairs what can be repaired locally.
pub fn run(function: &mut Function) {
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let data = &mut function.blocks[block];
        let plain = !matches!(data.term, Terminator::CondBranch { .. } | Terminator::Switch { .. });
        if plain && matches!(data.merge, Some(Merge::Selection { .. })) {
            data.merge = None;
        }
    }
    for _ in 0..64 {
        if !split_shared_merge(function) {
            break;
        }
    }
    order(function);
}

fn merge_of(function: &Function, block: Block) -> Option<Block> {
    match function.blocks[block].merge? {
        Merge::Selection { merge } | Merge::Loop { merge, .. } => Some(merge),
    }
}

/// Gives the inner of two headers with one merge block, or a header whose merge block is a loop's continue
/// target, a merge block of its own.
fn split_shared_merge(function: &mut Function) -> bool {
    let cfg = Cfg::structural(function);
    let mut taken: Vec<Option<Block>> = vec![None; function.blocks.len()];
    for &block in cfg.rpo() {
        if let Some(Merge::Loop { continue_target, .. }) = function.blocks[block].merge {
            taken[continue_target.0 as usize] = Some(block);
        }
    }
    // Outer headers come first.
    let mut inner = None;
    for &block in cfg.rpo() {
        if let Some(merge) = merge_of(function, block) {
            if taken[merge.0 as usize].is_some() {
                inner = Some((block, merge));
            } else {
                taken[merge.0 as usize] = Some(block);
            }
        }
    }
    let Some((header, merge)) = inner else { return false };
    let middle = function.new_block();
    let types: SmallVec<[_; 4]> = function.blocks[merge].params.iter().map(|p| function.ty(*p)).collect();
    let params: SmallVec<[Value; 2]> = types.into_iter().map(|ty| function.add_param(middle, ty)).collect();
    function.blocks[middle].term = Terminator::Branch(BranchTarget { block: merge, args: params });
    for &block in cfg.rpo() {
        if cfg.dominates(header, block) && !cfg.dominates(merge, block) {
            for target in function.blocks[block].term.targets_mut() {
                if target.block == merge {
                    target.block = middle;
                }
            }
        }
    }
    if let Some(Merge::Selection { merge } | Merge::Loop { merge, .. }) = &mut function.blocks[header].merge {
        *merge = middle;
    }
    true
}

/// Orders the layout as SPIR-V wants it: a block after its structural dominator.
pub fn order(function: &mut Function) {
    let cfg = Cfg::structural(function);
    let mut layout = cfg.rpo().to_vec();
    if layout.is_empty() {
        return;
    }
    std::mem::swap(&mut function.layout, &mut layout);
    cleanup::remove_unreachable(function);
}

//! Small repairs of annotated control flow: annotations that say nothing go, and a merge block of two
//! headers gets an intermediate block for the inner one.

use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, Function, Merge, Terminator, Value};
use crate::passes::cleanup;
use rustc_hash::FxHashMap;
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
    meet_where_branches_meet(function);
    split_shared_merges(function);
    order(function);
}

/// A selection whose merge block nothing reaches (every branch of an inlined function returned) merges where its
/// branches do meet: the one block that several of them reach and that is none of its own targets.
fn meet_where_branches_meet(function: &mut Function) {
    let cfg = Cfg::new(function);
    let mut moved = Vec::new();
    for &header in cfg.rpo() {
        let Some(Merge::Selection { merge }) = function.blocks[header].merge else { continue };
        if cfg.preds(merge).iter().any(|p| cfg.dominates(header, *p)) {
            continue;
        }
        let targets: Vec<Block> = function.blocks[header].term.targets().iter().map(|t| t.block).collect();
        let mut meets = cfg
            .rpo()
            .iter()
            .copied()
            .filter(|b| cfg.preds(*b).len() > 1 && cfg.idom(*b) == Some(header) && !targets.contains(b));
        if let (Some(meet), None) = (meets.next(), meets.next()) {
            moved.push((header, meet));
        }
    }
    for (header, merge) in moved {
        function.blocks[header].merge = Some(Merge::Selection { merge });
    }
}

fn merge_of(function: &Function, block: Block) -> Option<Block> {
    match function.blocks[block].merge? {
        Merge::Selection { merge } | Merge::Loop { merge, .. } => Some(merge),
    }
}

/// Gives the inner ones of several headers with one merge block, and a header whose merge block is a loop's continue
/// target, merge blocks of their own.
fn split_shared_merges(function: &mut Function) {
    let cfg = Cfg::structural(function);
    let mut taken = vec![false; function.blocks.len()];
    for &block in cfg.rpo() {
        if let Some(Merge::Loop { continue_target, .. }) = function.blocks[block].merge {
            taken[continue_target.0 as usize] = true;
        }
    }
    // Outer headers come first.
    let mut inner = Vec::new();
    for &block in cfg.rpo() {
        if let Some(merge) = merge_of(function, block)
            && std::mem::replace(&mut taken[merge.0 as usize], true)
        {
            inner.push((block, merge));
        }
    }
    // The innermost first; each new block counts as inside of what is around its header.
    let mut made: FxHashMap<Block, Vec<(Block, Block)>> = FxHashMap::default();
    for (header, merge) in inner.into_iter().rev() {
        let middle = forward(function, merge);
        let inside = |b: Block| cfg.dominates(header, b) && !cfg.dominates(merge, b);
        for &block in cfg.preds(merge).iter().filter(|b| inside(**b)) {
            redirect(function, block, merge, middle);
        }
        let made = made.entry(merge).or_default();
        for (block, _) in made.iter().filter(|(_, home)| inside(*home)) {
            redirect(function, *block, merge, middle);
        }
        made.push((middle, header));
        if let Some(Merge::Selection { merge } | Merge::Loop { merge, .. }) =
            &mut function.blocks[header].merge
        {
            *merge = middle;
        }
    }
}

/// A new block that goes to `block` with whatever arguments it gets.
fn forward(function: &mut Function, block: Block) -> Block {
    let middle = function.new_block();
    let types: SmallVec<[_; 4]> = function.blocks[block].params.iter().map(|p| function.ty(*p)).collect();
    let args: SmallVec<[Value; 2]> = types.into_iter().map(|ty| function.add_param(middle, ty)).collect();
    function.blocks[middle].term = Terminator::Branch(BranchTarget { block, args });
    middle
}

fn redirect(function: &mut Function, from: Block, old: Block, new: Block) {
    for target in function.blocks[from].term.targets_mut() {
        if target.block == old {
            target.block = new;
        }
    }
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

//! Every iteration of a loop ends at one place, behind which nothing is left to do.
//!
//! Mesa puts what a continue target does, values that meet there too, before the next iteration. An ended lane does not come there: behind the loop it
//! would find what its last iteration began with. So ways that lead back meet in a block of the loop's body, and the continue target stays empty.

use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, EMPTY_CONTINUE, Function, Terminator, Type};

/// Makes the ways back to these heads meet.
pub(super) fn join_iterations(f: &mut Function, heads: &[Block]) {
    let cfg = Cfg::new(f);
    for &head in heads {
        let latches: Vec<Block> =
            cfg.preds(head).iter().copied().filter(|from| cfg.dominates(head, *from)).collect();
        let types: Vec<Type> = f.blocks[head].params.iter().map(|p| f.ty(*p)).collect();
        f.blocks[head].loop_control |= EMPTY_CONTINUE;
        let end = f.new_block();
        let args = types.iter().map(|ty| f.add_param(end, *ty)).collect();
        f.blocks[end].term = Terminator::Branch(BranchTarget { block: head, args });
        for from in latches {
            f.blocks[from].term.targets_mut().filter(|t| t.block == head).for_each(|t| t.block = end);
        }
    }
}

//! Latch unification: all iterations of a loop end in one block, after which no code follows.
//!
//! Mesa places the code of a continue target, including its phis, before the next iteration. A lane whose loop was ended does not
//! execute it and would keep the values of its last iteration. Back edges are therefore merged in a block of the loop's body, and the
//! continue target stays empty.

use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, EMPTY_CONTINUE, Function, Terminator, Type};

/// Merges the back edges of these headers.
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

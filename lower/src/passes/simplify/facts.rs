//! What branches say of their conditions: behind the one way of a branch its condition holds, behind the other it does not.

use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, Block, Function, InstKind, Terminator, UnaryOp, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Conditions that are made of others are taken apart so deep.
const DEEPEST: u32 = 4;

/// Conditions, whether they hold, and from which block on. Blocks that the walk has left dominate none that it comes to, so that
/// nothing needs to be taken out.
#[derive(Default)]
pub(super) struct Facts(FxHashMap<Value, (bool, Block)>);

impl Facts {
    /// The walk comes to a block.
    #[inline]
    pub fn enter(&mut self, function: &Function, graph: &Cfg, block: Block) {
        let [from] = graph.preds(block) else { return };
        if let Terminator::CondBranch { cond, then, .. } = &function.blocks[*from].term {
            self.note(function, *cond, then.block == block, block, 0);
        }
    }

    fn note(&mut self, function: &Function, condition: Value, holds: bool, from: Block, depth: u32) {
        let ValueDef::Inst(inst, _) = function.values[condition].def else {
            if let ValueDef::Param(..) = function.values[condition].def {
                self.0.insert(condition, (holds, from));
            }
            return;
        };
        self.0.insert(condition, (holds, from));
        if depth == DEEPEST {
            return;
        }
        match function.insts[inst].kind {
            InstKind::Unary(UnaryOp::Not, a) => self.note(function, a, !holds, from, depth + 1),
            // Both of two, or neither.
            InstKind::Binary(BinaryOp::And, a, b) if holds => {
                self.note(function, a, true, from, depth + 1);
                self.note(function, b, true, from, depth + 1);
            }
            InstKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.note(function, a, false, from, depth + 1);
                self.note(function, b, false, from, depth + 1);
            }
            _ => {}
        }
    }

    /// Whether a condition is known in a block.
    #[inline]
    pub fn of(&self, graph: &Cfg, at: Block, condition: Value) -> Option<bool> {
        if self.0.is_empty() {
            return None;
        }
        let (holds, from) = *self.0.get(&condition)?;
        (from == at || graph.dominates(from, at)).then_some(holds)
    }
}

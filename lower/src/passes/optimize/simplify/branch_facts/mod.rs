//! What branches say of their conditions: behind the one way of a branch its condition holds, behind the other it does not. Where it
//! compares a number with a constant, so is the number's range known ([`ranges`]); a switch tells it, too.

mod ranges;

use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::{BinaryOp, Block, Function, InstKind, IntCC, Terminator, UnaryOp, Value, ValueDef};
use ranges::Ranges;
use rustc_hash::FxHashMap;

/// Conditions that are made of others are taken apart so deep.
const DEEPEST: u32 = 4;

/// Conditions, whether they hold, and from which block on. Blocks that the walk has left dominate none that it comes to, so that
/// nothing needs to be taken out.
#[derive(Default)]
pub(super) struct Facts {
    holds: FxHashMap<Value, (bool, Block)>,
    ranges: Ranges,
}

impl Facts {
    /// The walk comes to a block.
    #[inline]
    pub fn enter(&mut self, function: &Function, graph: &Cfg, block: Block) {
        let [from] = graph.preds(block) else { return };
        match &function.blocks[*from].term {
            Terminator::CondBranch { cond, then, .. } => {
                self.note(function, *cond, then.block == block, block, 0);
            }
            Terminator::Switch { value, cases, default } => {
                for (case, target) in cases {
                    if target.block == block {
                        self.ranges.note(function, (IntCC::Eq, *value, *case), block);
                    } else if default.block == block {
                        self.ranges.note(function, (IntCC::Ne, *value, *case), block);
                    }
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, function: &Function, condition: Value, holds: bool, from: Block, depth: u32) {
        let ValueDef::Inst(inst, _) = function.values[condition].def else {
            if let ValueDef::Param(..) = function.values[condition].def {
                self.holds.insert(condition, (holds, from));
            }
            return;
        };
        self.holds.insert(condition, (holds, from));
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
            InstKind::ICmp(cc, x, k) => {
                if let Some(k) = function.const_bits(k) {
                    let cc = if holds { cc } else { fold::not_icmp(cc) };
                    self.ranges.note(function, (cc, x, k), from);
                }
            }
            _ => {}
        }
    }

    /// Whether a condition is known in a block.
    #[inline]
    pub fn of(&self, function: &Function, graph: &Cfg, at: Block, condition: Value) -> Option<bool> {
        if self.holds.is_empty() && self.ranges.is_empty() {
            return None;
        }
        if let Some(&(holds, from)) = self.holds.get(&condition)
            && (from == at || graph.dominates(from, at))
        {
            return Some(holds);
        }
        let InstKind::ICmp(cc, x, k) = function.def_inst(condition)?.kind else { return None };
        self.compares(function, graph, at, (cc, x, function.const_bits(k)?))
    }

    /// Whether a number is known to compare so with a constant in a block.
    #[inline]
    pub fn compares(
        &self,
        function: &Function,
        graph: &Cfg,
        at: Block,
        test: (IntCC, Value, u64),
    ) -> Option<bool> {
        if self.ranges.is_empty() {
            return None;
        }
        self.ranges.decide(function, graph, at, test)
    }
}

//! Branch facts: a condition is true in the blocks that its branch's true arm dominates, and false in those of the other arm.
//!
//! ```text
//! if (n < 8) { … n < 8 … n < 16 … }    →    if (n < 8) { … true … true … }
//! ```
//!
//! A comparison with a constant also gives the range of the compared number ([`ranges`]), and so does a switch.

mod ranges;

use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::{BinaryOp, Block, Function, InstKind, IntCC, Terminator, UnaryOp, Value, ValueDef};
use ranges::Ranges;
use rustc_hash::FxHashMap;

/// Depth to which compound conditions are split.
const MAX_DEPTH: u32 = 4;

/// The known conditions, with their values and the blocks where the facts begin. Blocks that the walk has left dominate no later ones, so that
/// nothing needs to be removed.
#[derive(Default)]
pub(super) struct Facts {
    holds: FxHashMap<Value, (bool, Block)>,
    ranges: Ranges,
}

impl Facts {
    /// Adds the facts of a block when the walk enters it.
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
        if depth == MAX_DEPTH {
            return;
        }
        match function.insts[inst].kind {
            InstKind::Unary(UnaryOp::Not, a) => self.note(function, a, !holds, from, depth + 1),
            // Both operands hold, or neither does.
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

    /// The known value of a condition in a block.
    #[inline]
    pub fn value_of(&self, function: &Function, graph: &Cfg, at: Block, condition: Value) -> Option<bool> {
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

    /// The known result of comparing a number with a constant in a block.
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

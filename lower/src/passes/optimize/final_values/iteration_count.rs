//! The number of a loop's iterations, computed from the comparison in its condition.

use super::{ClosedForms, Linear};
use crate::analysis::ranges::possible_bits;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Type, UnaryOp, Value};

impl ClosedForms<'_> {
    /// The number of iterations before the condition lets the loop exit. The loop continues where the condition equals `on`.
    pub(super) fn iterations(&mut self, cond: Value, on: bool) -> Option<Value> {
        let inst = self.inst_of(cond).filter(|_| self.is_inside(cond))?;
        match self.function().insts[inst].kind {
            InstKind::Unary(UnaryOp::Not, a) => self.iterations(a, !on),
            // The loop continues while both conditions say so.
            InstKind::Binary(op, a, b) if op == if on { BinaryOp::And } else { BinaryOp::Or } => {
                let (a, b) = (self.iterations(a, on)?, self.iterations(b, on)?);
                let wide = if self.ty(a).bytes() < self.ty(b).bytes() { self.ty(b) } else { self.ty(a) };
                let (a, b) = (self.widened(a, wide), self.widened(b, wide));
                Some(self.binary(BinaryOp::UMin, a, b))
            }
            InstKind::ICmp(cc, a, b) if self.ty(a).lanes() == 1 => {
                self.ty(a).scalar().filter(|s| s.is_int())?;
                let cc = if on { cc } else { fold::not_icmp(cc) };
                match (self.invariant(a), self.invariant(b)) {
                    (None, Some(end)) => {
                        let linear = self.linear(a)?;
                        self.iterations_until(cc, linear, end)
                    }
                    (Some(end), None) => {
                        let linear = self.linear(b)?;
                        self.iterations_until(fold::swap_icmp(cc), linear, end)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn widened(&mut self, value: Value, ty: Type) -> Value {
        if self.ty(value) == ty {
            return value;
        }
        self.build(InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, rounding: None }, ty)
    }

    /// The first iteration in which the comparison of a linear value with `end` fails. `None` where it may never fail, or that is not known.
    fn iterations_until(&mut self, cc: IntCC, linear: Linear, end: Value) -> Option<Value> {
        let ty = self.ty(end);
        let width = ty.scalar()?.bits();
        let step = self.function().const_signed(linear.step)?;
        let start = linear.start;
        match cc {
            _ if step == 0 => None,
            IntCC::Eq => {
                let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
                let continues = self.compare(IntCC::Eq, start, end);
                Some(self.choose(continues, one, none))
            }
            // An odd step reaches every number: it has an inverse modulo 2^n.
            IntCC::Ne if step & 1 != 0 => {
                let difference = self.binary(BinaryOp::ISub, end, start);
                let inverse = self.constant(ty, fold::inverse(step as u64));
                Some(self.binary(BinaryOp::IMul, difference, inverse))
            }
            IntCC::Ne => None,
            IntCC::Ult | IntCC::Slt | IntCC::Ugt | IntCC::Sgt => {
                let up = matches!(cc, IntCC::Ult | IntCC::Slt);
                if up != (step > 0) || !self.has_room(cc, end, step.unsigned_abs() - 1, width) {
                    return None;
                }
                Some(self.distance(cc, (start, end), step.unsigned_abs()))
            }
            IntCC::Ule | IntCC::Sle | IntCC::Uge | IntCC::Sge => {
                let up = matches!(cc, IntCC::Ule | IntCC::Sle);
                if up != (step > 0) || !self.has_room(cc, end, step.unsigned_abs(), width) {
                    return None;
                }
                // The number one beyond the end does not wrap.
                let one = self.constant(ty, 1);
                let end = self.binary(if up { BinaryOp::IAdd } else { BinaryOp::ISub }, end, one);
                let cc = match cc {
                    IntCC::Ule => IntCC::Ult,
                    IntCC::Sle => IntCC::Slt,
                    IntCC::Uge => IntCC::Ugt,
                    _ => IntCC::Sgt,
                };
                Some(self.distance(cc, (start, end), step.unsigned_abs()))
            }
        }
    }

    /// The number of steps from the start until the comparison with the end fails; zero where it fails at the start.
    fn distance(&mut self, cc: IntCC, (start, end): (Value, Value), step: u64) -> Value {
        let ty = self.ty(end);
        let up = matches!(cc, IntCC::Ult | IntCC::Slt);
        let ordered = |from: Value, to: Value| if up { (to, from) } else { (from, to) };
        if step == 1 {
            let op = match cc {
                IntCC::Ult => BinaryOp::UMax,
                IntCC::Slt => BinaryOp::SMax,
                IntCC::Ugt => BinaryOp::UMin,
                _ => BinaryOp::SMin,
            };
            let end = self.binary(op, end, start);
            let (more, less) = ordered(start, end);
            return self.binary(BinaryOp::ISub, more, less);
        }
        let (more, less) = ordered(start, end);
        let difference = self.binary(BinaryOp::ISub, more, less);
        let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
        let last = self.binary(BinaryOp::ISub, difference, one);
        let by = self.constant(ty, step);
        let steps = self.binary(BinaryOp::UDiv, last, by);
        let steps = self.binary(BinaryOp::IAdd, steps, one);
        let continues = self.compare(cc, start, end);
        self.choose(continues, steps, none)
    }

    /// Returns whether `room` more than the end, or less where the counter falls, is representable: the counter does not wrap.
    fn has_room(&self, cc: IntCC, end: Value, room: u64, width: u32) -> bool {
        let function = self.function();
        let all = fold::mask(width);
        let highest = possible_bits(function, end);
        match cc {
            _ if room == 0 => true,
            IntCC::Ult | IntCC::Ule => room <= all - highest,
            IntCC::Slt | IntCC::Sle => match function.const_signed(end) {
                Some(end) => i128::from(end) + i128::from(room) <= i128::from(all >> 1),
                None => room <= (all >> 1) - (highest & all >> 1),
            },
            IntCC::Ugt | IntCC::Uge => function.const_bits(end).is_some_and(|end| room <= end),
            _ => function
                .const_signed(end)
                .is_some_and(|end| i128::from(end) - i128::from(room) >= -i128::from(all >> 1) - 1),
        }
    }
}

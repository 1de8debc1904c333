//! How often a loop is gone through, by what its condition compares.

use super::{Closing, Line};
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Type, UnaryOp, Value};
use crate::passes::optimize::simplify;

impl Closing<'_> {
    /// How often the loop's condition lets it go on, `on`: where it is true, else where it is false.
    pub(super) fn turns(&mut self, cond: Value, on: bool) -> Option<Value> {
        let inst = self.inst_of(cond).filter(|_| self.is_inside(cond))?;
        match self.function().insts[inst].kind {
            InstKind::Unary(UnaryOp::Not, a) => self.turns(a, !on),
            // It goes on while both do.
            InstKind::Binary(op, a, b) if op == if on { BinaryOp::And } else { BinaryOp::Or } => {
                let (a, b) = (self.turns(a, on)?, self.turns(b, on)?);
                let wide = if self.ty(a).bytes() < self.ty(b).bytes() { self.ty(b) } else { self.ty(a) };
                let (a, b) = (self.widened(a, wide), self.widened(b, wide));
                Some(self.binary(BinaryOp::UMin, a, b))
            }
            InstKind::ICmp(cc, a, b) if self.ty(a).lanes() == 1 => {
                self.ty(a).scalar().filter(|s| s.is_int())?;
                let cc = if on { cc } else { fold::not_icmp(cc) };
                match (self.same(a), self.same(b)) {
                    (None, Some(end)) => {
                        let line = self.line(a)?;
                        self.turns_to(cc, line, end)
                    }
                    (Some(end), None) => {
                        let line = self.line(b)?;
                        self.turns_to(fold::swap_icmp(cc), line, end)
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

    /// The first k for which `line` in round k does not compare so with `end`. `None` where there may be none, or it is not known.
    fn turns_to(&mut self, cc: IntCC, line: Line, end: Value) -> Option<Value> {
        let ty = self.ty(end);
        let width = ty.scalar()?.bits();
        let step = self.function().const_signed(line.step)?;
        let start = line.start;
        match cc {
            _ if step == 0 => None,
            IntCC::Eq => {
                let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
                let goes = self.compare(IntCC::Eq, start, end);
                Some(self.choose(goes, one, none))
            }
            // An odd step comes everywhere: it has an inverse modulo 2^n.
            IntCC::Ne if step & 1 != 0 => {
                let way = self.binary(BinaryOp::ISub, end, start);
                let inverse = self.constant(ty, fold::inverse(step as u64));
                Some(self.binary(BinaryOp::IMul, way, inverse))
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
                // One beyond the end is a number.
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

    /// The steps from the start until it does not compare so with the end, none where it does not at first.
    fn distance(&mut self, cc: IntCC, (start, end): (Value, Value), step: u64) -> Value {
        let ty = self.ty(end);
        let up = matches!(cc, IntCC::Ult | IntCC::Slt);
        let way = |from: Value, to: Value| if up { (to, from) } else { (from, to) };
        if step == 1 {
            let op = match cc {
                IntCC::Ult => BinaryOp::UMax,
                IntCC::Slt => BinaryOp::SMax,
                IntCC::Ugt => BinaryOp::UMin,
                _ => BinaryOp::SMin,
            };
            let end = self.binary(op, end, start);
            let (more, less) = way(start, end);
            return self.binary(BinaryOp::ISub, more, less);
        }
        let (more, less) = way(start, end);
        let way = self.binary(BinaryOp::ISub, more, less);
        let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
        let last = self.binary(BinaryOp::ISub, way, one);
        let by = self.constant(ty, step);
        let steps = self.binary(BinaryOp::UDiv, last, by);
        let steps = self.binary(BinaryOp::IAdd, steps, one);
        let goes = self.compare(cc, start, end);
        self.choose(goes, steps, none)
    }

    /// Whether so much more than the end, or less where the counter falls, is a number: the counter does not wrap around.
    fn has_room(&self, cc: IntCC, end: Value, room: u64, width: u32) -> bool {
        let function = self.function();
        let all = fold::mask(width);
        let highest = simplify::possible_bits(function, end);
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

//! Bounds: numbers that are known before a loop, with the code that computes them, and the conditions under which they are right.
//!
//! All numbers are exact integers, whatever type the kernel computes them in. Their code computes with 64 bits, and each number has a range that
//! 64 bits hold: a number whose range is too large gets a condition ([`Emitter::at_most`]), or there is none.

use crate::ir::{BinaryOp, InstKind, IntCC, Type, Value};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;

/// No number is as large.
const LIMIT: i64 = 1 << 62;
/// The largest number of which nothing is known but a condition.
pub(super) const LARGE: i64 = 1 << 40;
/// The largest factor of a product.
const FACTOR: i64 = (1 << 31) - 1;

/// A number: a value of 64 bits, if there is one, plus a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub base: Option<Value>,
    pub add: i64,
    /// The least number that it can be.
    pub least: i64,
    /// The greatest number that it can be.
    pub greatest: i64,
}

impl Bound {
    /// A constant.
    pub fn constant(number: i64) -> Bound {
        Bound { base: None, add: number, least: number, greatest: number }
    }

    /// A value in a range.
    pub fn value(value: Value, (least, greatest): (i64, i64)) -> Bound {
        Bound { base: Some(value), add: 0, least, greatest }
    }

    /// The same number plus a constant; `None` if it may be too large.
    pub fn plus(self, number: i64) -> Option<Bound> {
        let shift = |n: i64| n.checked_add(number).filter(|n| n.unsigned_abs() < LIMIT as u64);
        Some(Bound {
            add: self.add.checked_add(number)?,
            least: shift(self.least)?,
            greatest: shift(self.greatest)?,
            ..self
        })
    }

    fn within(self, (least, greatest): (Option<i64>, Option<i64>)) -> Option<Bound> {
        let fits = |n: &i64| n.unsigned_abs() < LIMIT as u64;
        Some(Bound { least: least.filter(fits)?, greatest: greatest.filter(fits)?, ..self })
    }
}

/// Makes the code of bounds, and collects their conditions.
pub(super) struct Emitter<'a, 'f> {
    pub rw: &'a mut Rewriter<'f>,
    /// All must hold.
    pub conditions: Vec<Value>,
    known: FxHashMap<(InstKind, Type), Value>,
}

impl<'a, 'f> Emitter<'a, 'f> {
    pub fn new(rw: &'a mut Rewriter<'f>) -> Self {
        Emitter { rw, conditions: Vec::new(), known: FxHashMap::default() }
    }

    /// Adds an instruction without effects, unless there is one.
    pub fn emit(&mut self, kind: InstKind, ty: Type) -> Value {
        if let Some(known) = self.known.get(&(kind.clone(), ty)) {
            return *known;
        }
        let value = self.rw.inst(kind.clone(), ty);
        self.known.insert((kind, ty), value);
        value
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.emit(InstKind::Binary(op, a, b), Type::I64)
    }

    /// The number as a value.
    pub fn materialise(&mut self, bound: Bound) -> Value {
        let add = self.rw.iconst(Type::I64, bound.add as u64);
        match bound.base {
            None => add,
            Some(base) if bound.add == 0 => base,
            Some(base) => self.binary(BinaryOp::IAdd, base, add),
        }
    }

    pub fn condition(&mut self, cc: IntCC, a: Value, b: Value) {
        let condition = self.emit(InstKind::ICmp(cc, a, b), Type::BOOL);
        self.also(condition);
    }

    /// Adds a condition.
    pub fn also(&mut self, condition: Value) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// The number where it is at least another one, which is then a condition. `None` if it never is.
    pub fn at_least(&mut self, bound: Bound, least: i64) -> Option<Bound> {
        if bound.least < least {
            let base = bound.base.filter(|_| bound.greatest >= least)?;
            let limit = self.rw.iconst(Type::I64, least.checked_sub(bound.add)? as u64);
            self.condition(IntCC::Sge, base, limit);
        }
        Some(Bound { least: bound.least.max(least), ..bound })
    }

    /// The number where it is at most another one, which is then a condition. `None` if it never is.
    pub fn at_most(&mut self, bound: Bound, greatest: i64) -> Option<Bound> {
        if bound.greatest > greatest {
            let base = bound.base.filter(|_| bound.least <= greatest)?;
            let limit = self.rw.iconst(Type::I64, greatest.checked_sub(bound.add)? as u64);
            self.condition(IntCC::Sle, base, limit);
        }
        Some(Bound { greatest: bound.greatest.min(greatest), ..bound })
    }

    pub fn add(&mut self, a: Bound, b: Bound) -> Option<Bound> {
        let base = match (a.base, b.base) {
            (Some(x), Some(y)) => Some(self.binary(BinaryOp::IAdd, x, y)),
            (x, y) => x.or(y),
        };
        let sum = Bound { base, add: a.add.checked_add(b.add)?, ..a };
        sum.within((a.least.checked_add(b.least), a.greatest.checked_add(b.greatest)))
    }

    pub fn sub(&mut self, a: Bound, b: Bound) -> Option<Bound> {
        if a.base == b.base {
            return Some(Bound::constant(a.add.checked_sub(b.add)?));
        }
        let base = match (a.base, b.base) {
            (x, None) => x,
            (x, Some(y)) => {
                let x = x.unwrap_or_else(|| self.rw.iconst(Type::I64, 0));
                Some(self.binary(BinaryOp::ISub, x, y))
            }
        };
        let difference = Bound { base, add: a.add.checked_sub(b.add)?, ..a };
        difference.within((a.least.checked_sub(b.greatest), a.greatest.checked_sub(b.least)))
    }

    /// The number times a constant.
    pub fn times(&mut self, a: Bound, factor: i64) -> Option<Bound> {
        if factor == 1 {
            return Some(a);
        }
        let base = a.base.map(|base| match u64::try_from(factor).ok().filter(|n| n.is_power_of_two()) {
            Some(power) => {
                let count = self.rw.iconst(Type::I64, power.trailing_zeros().into());
                self.binary(BinaryOp::Shl, base, count)
            }
            None => {
                let factor = self.rw.iconst(Type::I64, factor as u64);
                self.binary(BinaryOp::IMul, base, factor)
            }
        });
        let product = Bound { base, add: a.add.checked_mul(factor)?, ..a };
        let (x, y) = (a.least.checked_mul(factor), a.greatest.checked_mul(factor));
        product.within(if factor < 0 { (y, x) } else { (x, y) })
    }

    /// The product of any number and one that is not negative.
    pub fn product(&mut self, a: Bound, b: Bound) -> Option<Bound> {
        match (a.base, b.base) {
            (_, None) => return self.times(a, b.add),
            (None, _) => return self.times(b, a.add),
            _ => {}
        }
        let a = self.at_least(a, -FACTOR)?;
        let (a, b) = (self.at_most(a, FACTOR)?, self.at_most(b, FACTOR)?);
        let (x, y) = (self.materialise(a), self.materialise(b));
        let value = self.binary(BinaryOp::IMul, x, y);
        let most = a.greatest.max(0).checked_mul(b.greatest)?;
        let least = a.least.min(0).checked_mul(b.greatest)?;
        let product = Bound::value(value, (least, most));
        let product = self.at_least(product, -LARGE)?;
        self.at_most(product, LARGE)
    }

    /// The quotient of a number that is not negative and a positive constant, rounded down.
    pub fn quotient(&mut self, a: Bound, by: i64) -> Option<Bound> {
        let least = a.least.max(0) / by;
        let greatest = a.greatest.max(0) / by;
        if a.base.is_none() {
            return Some(Bound::constant(a.add.max(0) / by));
        }
        if by == 1 {
            return Some(a);
        }
        let value = self.materialise(a);
        let by = self.rw.iconst(Type::I64, by as u64);
        let kind = match self.rw.f.const_bits(by).filter(|by| by.is_power_of_two()) {
            Some(power) => {
                let count = self.rw.iconst(Type::I64, power.trailing_zeros().into());
                InstKind::Binary(BinaryOp::LShr, value, count)
            }
            None => InstKind::Binary(BinaryOp::UDiv, value, by),
        };
        Some(Bound::value(self.emit(kind, Type::I64), (least, greatest)))
    }

    /// The smaller number.
    pub fn min(&mut self, a: Bound, b: Bound) -> Bound {
        if a.base == b.base {
            return if a.add <= b.add { a } else { b };
        }
        if a.greatest <= b.least {
            return a;
        }
        if b.greatest <= a.least {
            return b;
        }
        let (x, y) = (self.materialise(a), self.materialise(b));
        let range = (a.least.min(b.least), a.greatest.min(b.greatest));
        Bound::value(self.binary(BinaryOp::SMin, x, y), range)
    }

    /// The larger number.
    pub fn max(&mut self, a: Bound, b: Bound) -> Bound {
        if a.base == b.base {
            return if a.add >= b.add { a } else { b };
        }
        if a.least >= b.greatest {
            return a;
        }
        if b.least >= a.greatest {
            return b;
        }
        let (x, y) = (self.materialise(a), self.materialise(b));
        let range = (a.least.max(b.least), a.greatest.max(b.greatest));
        Bound::value(self.binary(BinaryOp::SMax, x, y), range)
    }
}

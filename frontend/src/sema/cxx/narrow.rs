//! Narrowing conversions, which are errors in braces (C++17 §11.6.4, 7).

use crate::hir::{Constant, Expr};
use crate::sema::context::Sema;
use crate::sema::convert::is_error;
use crate::types::{Scalar, Type, TypeId};

impl Sema<'_> {
    /// Reports a value in braces that may not fit the type that it initialises.
    pub(in crate::sema) fn check_narrowing(&mut self, e: &Expr, to: TypeId) {
        if !self.cxx.enabled || is_error(e) {
            return;
        }
        let to = match *self.types.get(to) {
            Type::Vector(scalar, _) => crate::types::Types::scalar(scalar),
            _ => to,
        };
        let Some((target, 1)) = self.types.scalar_and_lanes(to) else { return };
        let narrows = match self.types.scalar_and_lanes(e.ty.ty) {
            Some((from, 1)) => from != target && self.narrows(e, from, target),
            Some(_) => false,
            None => target == Scalar::Bool && self.types.pointee(e.ty.ty).is_some(),
        };
        if narrows {
            let (from, to) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
            let message = format!("in braces '{from}' does not become '{to}': the value may not fit");
            self.error("narrowing", e.span, message).remark("a cast says that it does");
        }
    }

    fn narrows(&mut self, e: &Expr, from: Scalar, to: Scalar) -> bool {
        match (from.is_float(), to.is_float()) {
            (true, false) => true,
            (true, true) => from.size() > to.size() && !self.is_in_range(e, to),
            (false, true) => !self.const_eval_int(e).is_some_and(|value| is_exact(value, from, to)),
            (false, false) => {
                !holds(from, to) && !self.const_eval_int(e).is_some_and(|value| fits(value, from, to))
            }
        }
    }

    /// Returns whether a floating-point constant does not overflow in a type.
    fn is_in_range(&mut self, e: &Expr, to: Scalar) -> bool {
        let largest = match to {
            Scalar::Half => 65504.0,
            Scalar::Float => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        match self.const_eval(e, e.ty.ty) {
            Some(Constant::Float(value)) => !value.is_finite() || value.abs() <= largest,
            _ => false,
        }
    }
}

/// The bits of an integer type that count.
fn width(scalar: Scalar) -> u32 {
    if scalar == Scalar::Bool { 1 } else { scalar.size() * 8 }
}

/// Returns whether a type has all values of another one.
fn holds(from: Scalar, to: Scalar) -> bool {
    match (from.is_signed(), to.is_signed()) {
        (false, true) => width(from) < width(to),
        (true, false) => false,
        _ => width(from) <= width(to),
    }
}

/// The value whose bits a constant of a type has.
fn value_of(bits: i64, from: Scalar) -> i128 {
    if from == Scalar::ULong { i128::from(bits as u64) } else { i128::from(bits) }
}

fn fits(bits: i64, from: Scalar, to: Scalar) -> bool {
    let value = value_of(bits, from);
    match to.is_signed() {
        true => (-(1i128 << (width(to) - 1))..1i128 << (width(to) - 1)).contains(&value),
        false => (0..1i128 << width(to)).contains(&value),
    }
}

/// Returns whether a floating-point type has the value.
fn is_exact(bits: i64, from: Scalar, to: Scalar) -> bool {
    let digits = match to {
        Scalar::Half => 11,
        Scalar::Float => 24,
        _ => 53,
    };
    let value = value_of(bits, from).unsigned_abs();
    let used = 128 - value.leading_zeros() - value.trailing_zeros().min(127);
    let in_range = to != Scalar::Half || value <= 65504;
    value == 0 || (in_range && used <= digits)
}

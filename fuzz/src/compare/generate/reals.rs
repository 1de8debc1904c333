//! Floats of all sizes that are rounded: random expressions of them, and integers of them.

use super::super::ast::*;
use super::super::floats;
use super::Generator;
use super::numbers::mask_of;

impl Generator<'_> {
    /// A type of floats that the device has.
    pub(super) fn float_type(&mut self) -> Scalar {
        let mut list = vec![Scalar::F32, Scalar::F32];
        // Whose bits are 64-bit integers.
        if self.features.doubles && self.features.int64 {
            list.push(Scalar::F64);
        }
        if self.features.halves {
            list.push(Scalar::F16);
        }
        *self.random.pick(&list).unwrap_or(&Scalar::F32)
    }

    /// A scalar or vector of floats.
    pub(super) fn floats(&mut self) -> Ty {
        let s = self.float_type();
        match self.random.below(8) {
            0..=4 => Ty::Scalar(s),
            n => Ty::Vector(s, [2, 3, 4, 8][(n - 5 + self.random.below(2)) % 4]),
        }
    }

    pub(super) fn real_literal(&mut self, s: Scalar) -> u64 {
        let value = match self.random.below(12) {
            0 => 0.0,
            1 => 1.0,
            2 => -1.0,
            3 => f64::from(self.random.below(4096) as u32),
            4 => [0.1, -0.3, 1.0 / 3.0, std::f64::consts::E][self.random.below(4)],
            5 => [2049.0, 16_777_217.0, 9_007_199_254_740_993.0][self.random.below(3)],
            6 => [65504.0, 3.0e38, 1.0e300][self.random.below(3)],
            7 => [6.2e-5, 1.5e-38, 1.0e-300][self.random.below(3)],
            8 if self.random.one_in(4) => f64::NEG_INFINITY,
            8 if self.random.one_in(3) => f64::INFINITY,
            9 => -0.0,
            // A fraction of all bits, near one.
            _ => {
                let size = 1.0 + (self.random.bits() >> 12) as f64 * 2f64.powi(-52);
                size * 2f64.powi(self.random.below(12) as i32 - 6)
                    * if self.random.one_in(3) { -1.0 } else { 1.0 }
            }
        };
        let bits = floats::nearest(s, value);
        if floats::plain(s, bits).is_ok() { bits } else { 0 }
    }

    fn real_leaf(&mut self, s: Scalar) -> Expr {
        let to = Ty::Scalar(s);
        if self.random.one_in(3) {
            let bits = self.real_literal(s);
            return Expr::new(to, Kind::Lit(bits));
        }
        match self.walk(false).map(|r| r.place) {
            Some(place) => match place.ty.clone() {
                Ty::Vector(of, n) => {
                    let lane = self.random.below(usize::from(n)) as u8;
                    Expr::new(Ty::Scalar(of), Kind::Swizzle(Box::new(place), vec![lane])).convert(to)
                }
                _ => place.convert(to),
            },
            None => Expr::new(to, Kind::Lit(0)),
        }
    }

    /// A float.
    pub(super) fn real(&mut self, s: Scalar, depth: usize) -> Expr {
        let to = Ty::Scalar(s);
        if depth == 0 {
            return self.real_leaf(s);
        }
        match self.random.below(16) {
            0..=5 => self.real_binary(&to, depth),
            6 | 7 => self.real_builtin(&to, depth),
            8 => {
                let a = self.real(s, depth - 1);
                Expr::new(to, Kind::Unary(Unary::Neg, Box::new(a)))
            }
            9 => {
                let from = self.float_type();
                self.real(from, depth - 1).convert(to)
            }
            10 => {
                let from = self.integer();
                self.number(from, depth - 1).convert(to)
            }
            11 => {
                let (c, a, b) = (self.condition(depth - 1), self.real(s, depth - 1), self.real(s, depth - 1));
                Expr::new(to, Kind::Cond(Box::new(c), Box::new(a), Box::new(b)))
            }
            12 => self.call_of(&to, depth).unwrap_or_else(|| self.real_leaf(s)),
            13 => {
                let n = [2, 3, 4][self.random.below(3)];
                let v = self.lanes(s, n, depth - 1);
                let lane = self.random.below(usize::from(n)) as u8;
                Expr::new(to, Kind::Swizzle(Box::new(v), vec![lane]))
            }
            _ => self.real_leaf(s),
        }
    }

    fn real_binary(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Binary::{Add, Mul, Sub};
        let op = *self.random.pick(&[Add, Sub, Mul]).unwrap_or(&Add);
        let (mut a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
        let doubles = ty.lanes().is_some_and(|l| l.0 == Scalar::F64);
        if doubles && self.features.shapes && self.random.one_in(4) {
            return Expr::binary(Binary::Div, a, b);
        }
        if op != Mul && self.random.one_in(2) {
            // What may not be contracted.
            let c = self.value(ty, 0);
            a = Expr::binary(Mul, a, c);
        }
        Expr::binary(op, a, b)
    }

    fn real_builtin(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Builtin::*;
        let list = [Fma, Fma, Fma, Fmin, Fmax, Fabs, Copysign, Floor, Ceil, Trunc, Rint, Select];
        let mut f = *self.random.pick(&list).unwrap_or(&Fma);
        let doubles = ty.lanes().is_some_and(|l| l.0 == Scalar::F64);
        if self.features.shapes && self.random.one_in(3) {
            let list = [Round, Fdim, Fmod, Fmod, Remainder, Remainder, Ldexp, Ldexp, Sqrt];
            f = *self.random.pick(&list[..if doubles { 9 } else { 8 }]).unwrap_or(&Round);
        }
        let mut list = vec![self.value(ty, depth - 1)];
        if matches!(f, Fma | Fmin | Fmax | Copysign | Select | Fdim | Fmod | Remainder) {
            list.push(self.value(ty, depth - 1));
        }
        if f == Fma {
            list.push(self.value(ty, 0));
        }
        if f == Select {
            list.push(self.value(&mask_of(ty), depth - 1));
        }
        if f == Ldexp {
            list.push(self.exponents(ty));
        }
        Expr::new(ty.clone(), Kind::Builtin(f, list))
    }

    /// Ints by which floats of a type are scaled.
    fn exponents(&mut self, ty: &Ty) -> Expr {
        let int = match ty {
            Ty::Vector(_, n) => Ty::Vector(Scalar::I32, *n),
            _ => INT,
        };
        if self.random.one_in(4) {
            return self.value(&int, 1);
        }
        let near = self.random.below(40) as u64;
        Expr::new(int, Kind::Lit(Scalar::I32.wrap(near.wrapping_sub(20))))
    }

    /// A vector of floats.
    pub(super) fn real_lanes(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vector(s, n);
        if depth == 0 {
            return self.lanes_at_hand(s, n);
        }
        match self.random.below(12) {
            0..=3 => self.real_binary(&ty, depth),
            4 | 5 => self.real_builtin(&ty, depth),
            6 => {
                let from = if self.random.one_in(2) { self.float_type() } else { self.integer() };
                if from == s {
                    return self.lanes_at_hand(s, n);
                }
                Expr::new(ty, Kind::Convert(Box::new(self.lanes(from, n, depth - 1))))
            }
            7 => {
                let a = self.real(s, depth - 1);
                Expr::new(ty, Kind::Splat(Box::new(a)))
            }
            8 => {
                let a = self.real_lanes(s, n, depth - 1);
                Expr::new(ty, Kind::Unary(Unary::Neg, Box::new(a)))
            }
            9 => {
                let c = self.compared_lanes(s, n, depth - 1);
                let (a, b) = (self.real_lanes(s, n, depth - 1), self.real_lanes(s, n, 0));
                Expr::new(ty, Kind::Choose(Box::new(c), Box::new(a), Box::new(b)))
            }
            _ => self.lanes_at_hand(s, n),
        }
    }

    fn lanes_at_hand(&mut self, s: Scalar, n: u8) -> Expr {
        let ty = Ty::Vector(s, n);
        let same = |e: &Expr| matches!(e.ty, Ty::Vector(of, m) if of == s && m >= n);
        let list: Vec<Expr> = self.reaches().into_iter().map(|r| r.place).filter(same).collect();
        match self.random.pick(&list).cloned() {
            Some(place) if place.ty == ty => place,
            Some(place) => Expr::new(ty, Kind::Swizzle(Box::new(place), (0..n).rev().collect())),
            None => {
                let parts = (0..n).map(|_| self.real_leaf(s)).collect();
                Expr::new(ty, Kind::Build(parts))
            }
        }
    }

    /// A comparison of two vectors of floats: a vector of the signed integers of their size.
    pub(super) fn compared_lanes(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let (a, b) = (self.real_lanes(s, n, depth), self.real_lanes(s, n, 0));
        Expr::new(Ty::Vector(s.signed(), n), Kind::Compare(self.comparison(), Box::new(a), Box::new(b)))
    }

    /// A comparison of two floats.
    pub(super) fn real_test(&mut self, depth: usize) -> Expr {
        let s = self.float_type();
        let (a, b) = (self.real(s, depth), self.real(s, depth));
        Expr::truth(Kind::Compare(self.comparison(), Box::new(a), Box::new(b)))
    }

    /// An integer that floats give: what a float is cut to, or its bits.
    pub(super) fn of_real(&mut self, to: &Ty, depth: usize) -> Expr {
        let s = self.float_type();
        let a = self.real(s, depth);
        if self.random.one_in(2) { self.bits_of(a).convert(to.clone()) } else { self.whole(a, to) }
    }

    /// The bits of a float, as an integer of its size.
    pub(super) fn bits_of(&mut self, a: Expr) -> Expr {
        match a.ty {
            Ty::Scalar(s) if s.is_float() => Expr::new(Ty::Scalar(s.unsigned()), Kind::As(Box::new(a))),
            _ => a,
        }
    }

    /// A scalar as an integer of a type: a float as the nearest of those towards zero.
    pub(super) fn whole(&mut self, a: Expr, to: &Ty) -> Expr {
        match a.ty {
            Ty::Scalar(s) if s.is_float() && self.program.floats => {
                Expr::new(to.clone(), Kind::ConvertSat(Box::new(a)))
            }
            // Small whole numbers.
            Ty::Scalar(s) if s.is_float() => a.convert(UINT).convert(to.clone()),
            _ => a.convert(to.clone()),
        }
    }

    /// Gives the floats of a type ordinary values in bytes that hold anything.
    pub(super) fn ordinary(&mut self, bytes: &mut [u8], ty: &Ty) {
        match ty {
            Ty::Scalar(s) | Ty::Vector(s, _) if s.is_float() => {
                for lane in bytes.chunks_exact_mut(s.bytes() as usize) {
                    let bits = self.real_literal(*s);
                    lane.copy_from_slice(&bits.to_le_bytes()[..s.bytes() as usize]);
                }
            }
            Ty::Array(of, _) => {
                let size = self.program.size(of) as usize;
                for part in bytes.chunks_exact_mut(size.max(1)) {
                    self.ordinary(part, of);
                }
            }
            Ty::Record(r) if !self.program.records[*r].union => {
                for n in 0..self.program.records[*r].fields.len() {
                    let ty = self.program.records[*r].fields[n].ty.clone();
                    let at = self.program.offset(*r, n) as usize;
                    let end = at + self.program.size(&ty) as usize;
                    self.ordinary(&mut bytes[at..end], &ty);
                }
            }
            _ => {}
        }
    }
}

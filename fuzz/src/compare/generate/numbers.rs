//! Numbers: random expressions of scalar and vector types.

use super::super::ast::*;
use super::Generator;
use super::places::Reach;

impl Generator<'_> {
    pub(super) fn literal(&mut self, s: Scalar) -> Expr {
        if s.is_float() && self.program.floats {
            return Expr::lit(s, self.real_literal(s));
        }
        if s.is_float() {
            return Expr::lit(s, u64::from((self.random.below(100) as f32).to_bits()));
        }
        let bits = self.random.bits();
        let value = match self.random.below(8) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << (s.bits() - 1),
            4 => bits,
            _ => bits & 15,
        };
        Expr::lit(s, value)
    }

    pub(super) fn leaf(&mut self, s: Scalar) -> Expr {
        let to = Ty::Scalar(s);
        match self.random.below(8) {
            0 | 1 => self.literal(s),
            2 => self.simple().convert(to),
            _ => match self.walk(false) {
                Some(reach) => match reach.place.ty.clone() {
                    Ty::Vector(of, n) => {
                        let lane = self.random.below(usize::from(n)) as u8;
                        let lane =
                            Expr::new(Ty::Scalar(of), Kind::Swizzle(Box::new(reach.place), vec![lane]));
                        self.whole(lane, &to)
                    }
                    _ => self.whole(reach.place, &to),
                },
                None => self.literal(s),
            },
        }
    }

    /// An integer, or a float.
    pub(super) fn number(&mut self, s: Scalar, depth: usize) -> Expr {
        let to = Ty::Scalar(s);
        if s.is_float() {
            return self.real(s, depth);
        }
        if depth == 0 || self.chance(20) {
            return self.leaf(s);
        }
        match self.random.below(26) {
            20..=25 => self.rare_number(s, depth),
            0..=6 => self.binary(&to, depth),
            7 => {
                let op = if self.random.one_in(2) { Unary::Neg } else { Unary::Not };
                let a = self.number(s, depth - 1);
                Expr::new(to, Kind::Unary(op, Box::new(a)))
            }
            8 | 9 => self.condition(depth - 1).convert(to),
            10 => {
                let (c, a, b) =
                    (self.condition(depth - 1), self.number(s, depth - 1), self.number(s, depth - 1));
                Expr::new(to, Kind::Cond(Box::new(c), Box::new(a), Box::new(b)))
            }
            11 => {
                let from = self.integer();
                self.number(from, depth - 1).convert(to)
            }
            12 | 13 => self.builtin(&to, depth),
            14 | 15 => match self.nullable() {
                Some((e, p, _)) => {
                    let Some(value) = self.behind(&e, &p) else { return self.leaf(s) };
                    let other = self.literal(Scalar::U32);
                    Expr::new(UINT, Kind::Cond(Box::new(e), Box::new(value), Box::new(other))).convert(to)
                }
                None => self.leaf(s),
            },
            16 => self.call_of(&to, depth).unwrap_or_else(|| self.leaf(s)),
            17 => {
                let Ty::Vector(of, n) = self.vector() else { return self.leaf(s) };
                let v = self.lanes(of, n, depth - 1);
                let lane = self.random.below(usize::from(n)) as u8;
                Expr::new(Ty::Scalar(of), Kind::Swizzle(Box::new(v), vec![lane])).convert(to)
            }
            18 if self.program.floats => self.of_real(&to, depth - 1),
            18 => self.float(depth - 1).convert(Ty::Scalar(Scalar::I32)).convert(to),
            _ => self.reinterpreted(s, depth),
        }
    }

    /// Rare forms.
    fn rare_number(&mut self, s: Scalar, depth: usize) -> Expr {
        let to = Ty::Scalar(s);
        match self.random.below(8) {
            0 | 1 => {
                let from = self.integer();
                let a =
                    if self.random.one_in(5) { self.float(depth - 1) } else { self.number(from, depth - 1) };
                Expr::new(to, Kind::ConvertSat(Box::new(a)))
            }
            2 => {
                let Ty::Vector(of, n) = self.vector() else { return self.leaf(s) };
                let of = of.signed();
                let (a, b) = (self.lanes(of, n, depth - 1), self.lanes(of, n, 0));
                let ty = Ty::Vector(of, n);
                let compared = Expr::new(ty, Kind::Compare(self.comparison(), Box::new(a), Box::new(b)));
                Expr::truth(Kind::Any(self.random.one_in(2), Box::new(compared))).convert(to)
            }
            3 | 4 => self.pointer_number().map_or_else(|| self.leaf(s), |e| e.convert(to)),
            _ => match self.walk(false).filter(|r| r.addressable && !r.packed) {
                Some(reach) => match reach.place.ty {
                    Ty::Scalar(of) if !of.is_float() => self.volatile(&reach).convert(to),
                    _ => self.leaf(s),
                },
                None => self.leaf(s),
            },
        }
    }

    /// A place, as volatile.
    pub(super) fn volatile(&mut self, reach: &Reach) -> Expr {
        Expr::new(reach.place.ty.clone(), Kind::Volatile(reach.space, Box::new(reach.place.clone())))
    }

    pub(super) fn binary(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Binary::*;
        let op = *self.random.pick(&[Add, Add, Sub, Mul, And, Or, Xor, Shl, Shr, Div, Rem]).unwrap_or(&Add);
        let (a, mut b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
        let bits = ty.lanes().map_or(32, |l| l.0.bits());
        let lit = |n: u64| Expr::new(ty.clone(), Kind::Lit(n));
        b = match op {
            Div | Rem if self.random.one_in(2) => lit(1 + self.random.below(9) as u64),
            Div | Rem => Expr::binary(Or, b, lit(1)),
            Shl | Shr if self.random.one_in(2) => lit(self.random.below(bits as usize) as u64),
            Shl | Shr => Expr::binary(And, b, lit(u64::from(bits) - 1)),
            _ => b,
        };
        Expr::binary(op, a, b)
    }

    pub(super) fn builtin(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Builtin::*;
        let f = *self
            .random
            .pick(&[
                Min, Max, AddSat, SubSat, Hadd, Rhadd, MulHi, Rotate, Clz, Popcount, Select, Bitselect,
                Clamp, Abs, AbsDiff, MadHi, MadSat,
            ])
            .unwrap_or(&Min);
        let mut list = vec![self.value(ty, depth - 1)];
        if f == Clamp {
            let lit = |n: u64| Expr::new(ty.clone(), Kind::Lit(n));
            list.push(lit(self.random.below(10) as u64));
            list.push(lit(10 + self.random.below(100) as u64));
            return Expr::new(ty.clone(), Kind::Builtin(f, list));
        }
        if !matches!(f, Clz | Popcount | Abs) {
            list.push(self.value(ty, depth - 1));
        }
        if matches!(f, Bitselect | MadHi | MadSat) {
            list.push(self.value(ty, 0));
        }
        if f == Select {
            list.push(self.value(&mask_of(ty), depth - 1));
        }
        Expr::new(ty.clone(), Kind::Builtin(f, list))
    }

    /// A vector of integers or floats.
    pub(super) fn lanes(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vector(s, n);
        if s.is_float() {
            return self.real_lanes(s, n, depth);
        }
        let choices = if self.features.declarations { 17 } else { 15 };
        let choice = if depth == 0 { self.random.below(4) } else { self.random.below(choices) };
        match choice {
            15 => {
                let op =
                    [Binary::Add, Binary::Sub, Binary::And, Binary::Or, Binary::Xor][self.random.below(5)];
                let (a, c) = (self.lanes(s, n, depth - 1), self.condition(depth - 1));
                Expr::binary(op, a, Expr::new(ty, Kind::Truths(false, Box::new(c))))
            }
            16 => {
                let c = self.condition(depth - 1);
                Expr::new(ty, Kind::Truths(true, Box::new(c)))
            }
            0 => {
                let bits = self.random.bits();
                Expr::new(ty, Kind::Lit(s.wrap(bits & 0xff)))
            }
            1..=3 => {
                let same: Vec<Reach> = self.reaches();
                let same: Vec<&Reach> = same
                    .iter()
                    .filter(|r| matches!(r.place.ty, Ty::Vector(of, m) if of == s && m >= n))
                    .collect();
                let Some(reach) = self.random.pick(&same).map(|r| r.place.clone()) else {
                    let parts = (0..n).map(|_| self.leaf(s)).collect();
                    return Expr::new(ty, Kind::Build(parts));
                };
                let Ty::Vector(_, m) = reach.ty else { return reach };
                if m == n && self.random.one_in(2) {
                    return reach;
                }
                let picks = (0..n).map(|_| self.random.below(usize::from(m)) as u8).collect();
                Expr::new(ty, Kind::Swizzle(Box::new(reach), picks))
            }
            4 | 5 => self.binary(&ty, depth),
            6 => self.builtin(&ty, depth),
            7 if self.program.floats && self.random.one_in(2) => {
                let from = self.float_type();
                if from.bytes() == s.bytes() && s.is_signed() && self.random.one_in(2) {
                    return self.compared_lanes(from, n, depth - 1);
                }
                let from = self.real_lanes(from, n, depth - 1);
                Expr::new(ty, Kind::ConvertSat(Box::new(from)))
            }
            7 => {
                let from = self.integer();
                Expr::new(ty, Kind::Convert(Box::new(self.lanes(from, n, depth - 1))))
            }
            11 => {
                let from = self.integer();
                Expr::new(ty, Kind::ConvertSat(Box::new(self.lanes(from, n, depth - 1))))
            }
            12 => {
                let a = self.number(s, depth - 1);
                Expr::new(ty, Kind::Splat(Box::new(a)))
            }
            13 => {
                let of = s.signed();
                let (c, d) = (self.lanes(of, n, depth - 1), self.lanes(of, n, 0));
                let compared = Kind::Compare(self.comparison(), Box::new(c), Box::new(d));
                let c = Expr::new(Ty::Vector(of, n), compared);
                let (a, b) = (self.lanes(s, n, depth - 1), self.lanes(s, n, 0));
                Expr::new(ty, Kind::Choose(Box::new(c), Box::new(a), Box::new(b)))
            }
            14 if n == 4 || n == 8 => {
                // From vectors and scalars.
                let half = self.lanes(s, n / 2, depth - 1);
                let mut parts = vec![half];
                parts.extend((0..n / 2).map(|_| self.leaf(s)).collect::<Vec<Expr>>());
                if self.random.one_in(2) {
                    parts.rotate_left(1);
                }
                Expr::new(ty, Kind::Build(parts))
            }
            8 if s.is_signed() => {
                let of = if self.random.one_in(2) { s } else { s.unsigned() };
                let (a, b) = (self.lanes(of, n, depth - 1), self.lanes(of, n, depth - 1));
                Expr::new(ty, Kind::Compare(self.comparison(), Box::new(a), Box::new(b)))
            }
            9 | 10 => {
                let pointer = Self::pointer_to(
                    [Space::Private, Space::Global, Space::Local][self.random.below(3)],
                    Ty::Scalar(s),
                    (u32::from(n)).next_power_of_two(),
                    false,
                    false,
                );
                match self.pointer(&pointer, 0, false) {
                    Some(p) => Expr::new(ty, Kind::Vload(Box::new(Expr::uint(0)), Box::new(p))),
                    None => Expr::new(ty, Kind::Lit(1)),
                }
            }
            _ => {
                let parts = (0..n).map(|_| self.number(s, depth.saturating_sub(1))).collect();
                Expr::new(ty, Kind::Build(parts))
            }
        }
    }

    /// A float; where those are not rounded, a small whole number.
    pub(super) fn float(&mut self, depth: usize) -> Expr {
        if self.program.floats {
            return self.real(Scalar::F32, depth);
        }
        let ty = Ty::Scalar(Scalar::F32);
        if depth > 0 && self.random.one_in(2) {
            let op = if self.random.one_in(2) { Binary::Add } else { Binary::Mul };
            let (a, b) = (self.float(depth - 1), self.float(0));
            return Expr::binary(op, a, b);
        }
        let n = self.number(Scalar::U32, 1);
        Expr::binary(Binary::And, n, Expr::uint(0xff)).convert(ty)
    }

    pub(super) fn comparison(&mut self) -> Compare {
        use Compare::*;
        *self.random.pick(&[Eq, Ne, Lt, Le, Gt, Ge]).unwrap_or(&Eq)
    }

    /// An int that is used as a truth value.
    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        if self.program.floats && self.random.one_in(6) {
            return self.real_test(depth.min(1));
        }
        match self.random.below(12) {
            0..=3 => {
                let s = self.integer();
                let (a, b) = (self.number(s, depth.min(1)), self.number(s, depth.min(1)));
                Expr::truth(Kind::Compare(self.comparison(), Box::new(a), Box::new(b)))
            }
            4 => {
                let n = self.simple();
                let bit = Expr::binary(Binary::And, n, Expr::uint(1 << self.random.below(3)));
                Expr::truth(Kind::Compare(Compare::Ne, Box::new(bit), Box::new(Expr::uint(0))))
            }
            5 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                Expr::truth(Kind::Logic(self.random.one_in(2), Box::new(a), Box::new(b)))
            }
            6 if depth > 0 => {
                let a = self.condition(depth - 1);
                Expr::truth(Kind::Falsity(Box::new(a)))
            }
            _ => self.pointer_test().unwrap_or_else(|| {
                let a = self.simple();
                Expr::truth(Kind::Compare(Compare::Gt, Box::new(a), Box::new(Expr::uint(1))))
            }),
        }
    }

    /// The bits of something of the same size.
    pub(super) fn reinterpreted(&mut self, s: Scalar, depth: usize) -> Expr {
        let parts = s.bytes();
        let of = match self.random.below(3) {
            0 if parts >= 2 => Scalar::U8,
            1 if parts >= 4 => Scalar::I16,
            _ if s.is_signed() => s.unsigned(),
            _ => s.signed(),
        };
        let n = (parts / of.bytes()) as u8;
        let from = if n == 1 { self.number(of, depth - 1) } else { self.lanes(of, n, depth - 1) };
        Expr::new(Ty::Scalar(s), Kind::As(Box::new(from)))
    }

    /// A scalar or vector of a type.
    pub(super) fn value(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Vector(s, n) => self.lanes(*s, *n, depth),
            Ty::Scalar(s) => self.number(*s, depth),
            _ => Expr::uint(0),
        }
    }
}

/// The type of what `select` chooses by between two of a type (OpenCL C §6.15.6).
pub(super) fn mask_of(ty: &Ty) -> Ty {
    match ty {
        Ty::Vector(s, n) => Ty::Vector(s.unsigned(), *n),
        Ty::Scalar(s) => Ty::Scalar(s.unsigned()),
        _ => UINT,
    }
}

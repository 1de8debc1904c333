//! Random expressions: what a value can be made of where it is wanted.

use super::ast::*;
use super::generate::{Generator, Place};
use std::rc::Rc;

/// A place in memory that an expression can name.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pub place: Expr,
    pub space: Space,
    /// No other work-item uses it.
    pub own: bool,
    /// Statements may write it here.
    pub writable: bool,
    /// It belongs to a helper's variable, or is reached through one.
    pub tainted: bool,
    /// A variable, or a part of one: not reached through a pointer.
    pub direct: bool,
    /// Its address may be kept.
    pub addressable: bool,
    pub packed: bool,
}

/// More places than this are not listed.
const PLACES: usize = 120;

impl Generator<'_> {
    // ---- Places.

    /// An index below `n`, a power of two.
    pub(super) fn index(&mut self, n: u32) -> Expr {
        if n <= 1 {
            return Expr::uint(0);
        }
        if self.chance(45) {
            return Expr::uint(self.random.below(n as usize) as u32);
        }
        let from = self.simple();
        Expr::binary(Binary::And, from, Expr::uint(n - 1))
    }

    /// A uint that costs nothing: a variable or an id.
    fn simple(&mut self) -> Expr {
        for _ in 0..4 {
            let Some(var) = self.random.pick(&self.scope).copied() else { break };
            if let Ty::Scalar(s) = self.program.vars[var].ty
                && !s.is_float()
            {
                return self.var(var).convert(UINT);
            }
        }
        use ItemFn::*;
        let list = [GlobalId, GlobalId, LocalId, LocalId, GroupId, LocalSize, GlobalSize, NumGroups];
        let f = list[self.random.below(list.len())];
        Expr::new(UINT, Kind::Item(f))
    }

    fn root(&self, var: VarId) -> Reach {
        let space = self.program.vars[var].space;
        let own = space == Space::Private;
        Reach {
            place: self.var(var),
            space,
            own,
            writable: own && !self.fixed.contains(&var),
            tainted: self.local_values.contains(&var),
            direct: true,
            addressable: self.addressable.contains(&var),
            packed: false,
        }
    }

    fn member(&mut self, base: &Reach, record: usize, n: usize) -> Reach {
        let ty = self.program.records[record].fields[n].ty.clone();
        let kind = match base.place.kind.clone() {
            Kind::Deref(p) if self.random.one_in(2) => Kind::Arrow(p, n),
            _ => Kind::Member(Box::new(base.place.clone()), n),
        };
        let packed = base.packed || self.program.records[record].packed;
        Reach { place: Expr::new(ty, kind), packed, ..base.clone() }
    }

    fn element(&mut self, base: &Reach, of: &Ty, n: u32) -> Reach {
        let index = self.index(n);
        let kind = Kind::At(Box::new(base.place.clone()), Box::new(index));
        Reach { place: Expr::new(of.clone(), kind), ..base.clone() }
    }

    fn behind_pointer(&mut self, base: &Reach, p: &Pointer) -> Reach {
        let pointer = Box::new(base.place.clone());
        let kind = if p.len > 1 || self.random.one_in(3) {
            Kind::At(pointer, Box::new(self.index(p.len)))
        } else {
            Kind::Deref(pointer)
        };
        Reach {
            place: Expr::new(p.to.clone(), kind),
            space: p.space,
            own: p.own,
            writable: p.own && self.function != Place::Helper(true),
            tainted: base.tainted,
            direct: false,
            addressable: true,
            packed: false,
        }
    }

    /// All places, arrays and records too, each array's elements by one index.
    pub(super) fn reaches(&mut self) -> Vec<Reach> {
        let mut list = Vec::new();
        for var in self.scope.clone() {
            let root = self.root(var);
            self.descend(root, 2, &mut list);
        }
        list
    }

    fn descend(&mut self, reach: Reach, depth: usize, list: &mut Vec<Reach>) {
        if list.len() >= PLACES {
            return;
        }
        match reach.place.ty.clone() {
            Ty::Record(r) => {
                for n in 0..self.program.records[r].fields.len() {
                    let member = self.member(&reach, r, n);
                    self.descend(member, depth, list);
                }
            }
            Ty::Array(of, n) => {
                let element = self.element(&reach, &of, n);
                self.descend(element, depth, list);
            }
            Ty::Pointer(p) if !p.null && depth > 0 => {
                let behind = self.behind_pointer(&reach, &p);
                self.descend(behind, depth - 1, list);
            }
            _ => {}
        }
        list.push(reach);
    }

    /// A random scalar or vector in memory.
    fn walk(&mut self, writable: bool) -> Option<Reach> {
        'tries: for _ in 0..5 {
            let var = self.random.pick(&self.scope).copied()?;
            let mut reach = self.root(var);
            for _ in 0..6 {
                reach = match reach.place.ty.clone() {
                    Ty::Record(r) => {
                        let n = self.random.below(self.program.records[r].fields.len());
                        self.member(&reach, r, n)
                    }
                    Ty::Array(of, n) => self.element(&reach, &of, n),
                    Ty::Pointer(p) if !p.null => self.behind_pointer(&reach, &p),
                    Ty::Scalar(_) | Ty::Vector(..) if reach.writable || !writable => return Some(reach),
                    _ => continue 'tries,
                };
            }
        }
        None
    }

    /// A place to write a number to.
    pub(super) fn writable_number(&mut self) -> Option<Reach> {
        self.walk(true)
    }

    /// A nullable pointer that stands in a place.
    pub(super) fn nullable(&mut self) -> Option<(Expr, Rc<Pointer>, Reach)> {
        let mut found: Vec<(Rc<Pointer>, Reach)> = Vec::new();
        for reach in self.reaches() {
            if let Ty::Pointer(p) = &reach.place.ty
                && p.null
            {
                found.push((p.clone(), reach));
            }
        }
        let (p, reach) = self.random.pick(&found)?.clone();
        Some((reach.place.clone(), p, reach))
    }

    /// A uint of what a pointer that is not null points to.
    pub(super) fn behind(&mut self, e: &Expr, p: &Pointer) -> Option<Expr> {
        let base = Reach {
            place: e.clone(),
            space: Space::Private,
            own: true,
            writable: false,
            tainted: false,
            direct: true,
            addressable: false,
            packed: false,
        };
        let mut reach = self.behind_pointer(&base, p);
        for _ in 0..4 {
            reach = match reach.place.ty.clone() {
                Ty::Scalar(_) => return Some(reach.place.convert(UINT)),
                Ty::Vector(s, n) => {
                    let lane = self.random.below(usize::from(n)) as u8;
                    let lane = Expr::new(Ty::Scalar(s), Kind::Swizzle(Box::new(reach.place), vec![lane]));
                    return Some(lane.convert(UINT));
                }
                Ty::Record(r) => {
                    let n = self.random.below(self.program.records[r].fields.len());
                    self.member(&reach, r, n)
                }
                Ty::Array(of, n) => self.element(&reach, &of, n),
                Ty::Pointer(p) if !p.null => self.behind_pointer(&reach, &p),
                Ty::Pointer(_) => {
                    return Some(Expr::truth(Kind::Falsity(Box::new(reach.place))).convert(UINT));
                }
                Ty::Void => return None,
            };
        }
        None
    }

    // ---- Numbers.

    pub(super) fn literal(&mut self, s: Scalar) -> Expr {
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

    fn leaf(&mut self, s: Scalar) -> Expr {
        let to = Ty::Scalar(s);
        match self.random.below(8) {
            0 | 1 => self.literal(s),
            2 => self.simple().convert(to),
            _ => match self.walk(false) {
                Some(reach) => match reach.place.ty.clone() {
                    Ty::Vector(of, n) => {
                        let lane = self.random.below(usize::from(n)) as u8;
                        Expr::new(Ty::Scalar(of), Kind::Swizzle(Box::new(reach.place), vec![lane]))
                            .convert(to)
                    }
                    Ty::Scalar(Scalar::F32) => reach.place.convert(UINT).convert(to),
                    _ => reach.place.convert(to),
                },
                None => self.literal(s),
            },
        }
    }

    /// An integer.
    pub(super) fn number(&mut self, s: Scalar, depth: usize) -> Expr {
        let to = Ty::Scalar(s);
        if depth == 0 || self.chance(20) {
            return self.leaf(s);
        }
        match self.random.below(20) {
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
            18 => self.float(depth - 1).convert(Ty::Scalar(Scalar::I32)).convert(to),
            _ => self.reinterpreted(s, depth),
        }
    }

    /// The bits of something of the same size.
    fn reinterpreted(&mut self, s: Scalar, depth: usize) -> Expr {
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

    /// A scalar or vector of a type of integers.
    fn of(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Vector(s, n) => self.lanes(*s, *n, depth),
            Ty::Scalar(s) => self.number(*s, depth),
            _ => Expr::uint(0),
        }
    }

    fn binary(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Binary::*;
        let op = *self.random.pick(&[Add, Add, Sub, Mul, And, Or, Xor, Shl, Shr, Div, Rem]).unwrap_or(&Add);
        let (a, mut b) = (self.of(ty, depth - 1), self.of(ty, depth - 1));
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

    fn builtin(&mut self, ty: &Ty, depth: usize) -> Expr {
        use Builtin::*;
        let f = *self
            .random
            .pick(&[Min, Max, AddSat, SubSat, Hadd, Rhadd, MulHi, Rotate, Clz, Popcount, Select, Bitselect])
            .unwrap_or(&Min);
        let mut list = vec![self.of(ty, depth - 1)];
        if !matches!(f, Clz | Popcount) {
            list.push(self.of(ty, depth - 1));
        }
        if f == Bitselect {
            list.push(self.of(ty, 0));
        }
        if f == Select {
            let mask = match ty {
                Ty::Vector(s, n) => Ty::Vector(s.unsigned(), *n),
                Ty::Scalar(s) => Ty::Scalar(s.unsigned()),
                _ => UINT,
            };
            list.push(self.of(&mask, depth - 1));
        }
        Expr::new(ty.clone(), Kind::Builtin(f, list))
    }

    /// A vector of integers.
    pub(super) fn lanes(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vector(s, n);
        let choice = if depth == 0 { self.random.below(4) } else { self.random.below(11) };
        match choice {
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
            7 => {
                let from = self.integer();
                Expr::new(ty, Kind::Convert(Box::new(self.lanes(from, n, depth - 1))))
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

    /// A float that is a small whole number.
    pub(super) fn float(&mut self, depth: usize) -> Expr {
        let ty = Ty::Scalar(Scalar::F32);
        if depth > 0 && self.random.one_in(2) {
            let op = if self.random.one_in(2) { Binary::Add } else { Binary::Mul };
            let (a, b) = (self.float(depth - 1), self.float(0));
            return Expr::binary(op, a, b);
        }
        let n = self.number(Scalar::U32, 1);
        Expr::binary(Binary::And, n, Expr::uint(0xff)).convert(ty)
    }

    fn comparison(&mut self) -> Compare {
        use Compare::*;
        *self.random.pick(&[Eq, Ne, Lt, Le, Gt, Ge]).unwrap_or(&Eq)
    }

    /// An int that is used as a truth value.
    pub(super) fn condition(&mut self, depth: usize) -> Expr {
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

    /// A test of pointers.
    fn pointer_test(&mut self) -> Option<Expr> {
        let pointers: Vec<Expr> =
            self.reaches().into_iter().filter(|r| r.place.ty.pointer().is_some()).map(|r| r.place).collect();
        let p = self.random.pick(&pointers)?.clone();
        let of = p.ty.pointer()?.clone();
        let boxed = Box::new(p.clone());
        Some(match self.random.below(10) {
            0 => Expr::truth(Kind::Falsity(boxed)),
            1 => {
                let null = Expr::new(p.ty.clone(), Kind::Null);
                Expr::truth(Kind::PtrEq(self.random.one_in(2), boxed, Box::new(null)))
            }
            2 if of.len > 1 => {
                let n = Box::new(self.index(of.len));
                let q = Expr::new(p.ty.clone(), Kind::Offset(Box::new(p.clone()), n));
                if of.null {
                    let less = Expr::truth(Kind::PtrEq(true, Box::new(p.clone()), Box::new(q)));
                    return Some(Expr::truth(Kind::Logic(true, boxed, Box::new(less))));
                }
                let less = Expr::truth(Kind::PtrLess(self.random.one_in(2), boxed, Box::new(q.clone())));
                if self.random.one_in(2) {
                    return Some(less);
                }
                let far = Expr::truth(Kind::PtrDiff(Box::new(q), Box::new(p)));
                Expr::truth(Kind::Compare(Compare::Gt, Box::new(far), Box::new(Expr::int(1))))
            }
            n => {
                let other = Self::pointer_to(of.space, of.to.clone(), 1, true, false);
                let q = Box::new(self.pointer(&other, 1, false)?);
                let eq = self.random.one_in(2);
                Expr::truth(if n == 3 { Kind::IntEq(eq, boxed, q) } else { Kind::PtrEq(eq, boxed, q) })
            }
        })
    }

    // ---- Calls.

    /// Arguments for a function, where there are some.
    pub(super) fn arguments(&mut self, f: usize, depth: usize) -> Option<Vec<Expr>> {
        let function = self.program.functions[f].clone();
        // What a callee gets it may keep in what it can write.
        let keeps = self.function != Place::Kernel && !function.pure;
        let mut args = Vec::new();
        for param in &function.params {
            let ty = self.program.vars[*param].ty.clone();
            args.push(match &ty {
                Ty::Scalar(s) => self.number(*s, depth),
                Ty::Vector(s, n) => self.lanes(*s, *n, depth),
                Ty::Pointer(_) => self.pointer(&ty, depth, keeps)?,
                _ => {
                    let same: Vec<Expr> =
                        self.reaches().into_iter().map(|r| r.place).filter(|p| p.ty == ty).collect();
                    self.random.pick(&same)?.clone()
                }
            });
        }
        Some(args)
    }

    /// A call of a pure function with this result.
    fn call_of(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let fits = |f: &Function| f.pure && !f.kernel && f.result == *ty;
        let list: Vec<usize> =
            (0..self.program.functions.len()).filter(|f| fits(&self.program.functions[*f])).collect();
        let f = *self.random.pick(&list)?;
        let args = self.arguments(f, depth.saturating_sub(1).min(1))?;
        Some(Expr::new(ty.clone(), Kind::Call(f, args)))
    }

    // ---- Pointers.

    /// A pointer that keeps what the type promises; with `leaves`, one that may leave a helper.
    pub(super) fn pointer(&mut self, ty: &Ty, depth: usize, leaves: bool) -> Option<Expr> {
        let want = ty.pointer()?.clone();
        if want.null && self.chance(18) {
            return Some(Expr::new(ty.clone(), Kind::Null));
        }
        if depth > 0 && self.chance(35) {
            let a = self.pointer(ty, depth - 1, leaves)?;
            let b = self.pointer(ty, depth - 1, leaves)?;
            let c = self.condition(depth - 1);
            return Some(Expr::new(ty.clone(), Kind::Cond(Box::new(c), Box::new(a), Box::new(b))));
        }
        let mut options = Vec::new();
        for reach in self.reaches() {
            if leaves && reach.tainted && self.function != Place::Kernel {
                continue;
            }
            self.options(&reach, ty, &want, &mut options);
        }
        if options.is_empty() || self.random.one_in(8) {
            options.extend(self.called(ty, &want, depth));
        }
        let Some(found) = self.random.pick(&options).cloned() else {
            return want.null.then(|| Expr::new(ty.clone(), Kind::Null));
        };
        let found = match found.ty.pointer() {
            Some(p) if p.space != want.space => Expr::new(ty.clone(), Kind::PtrCast(Box::new(found))),
            _ => Expr { ty: ty.clone(), ..found },
        };
        if self.random.one_in(40) {
            return Some(Expr::new(ty.clone(), Kind::RoundTrip(Box::new(found))));
        }
        Some(found)
    }

    /// A call that gives such a pointer.
    fn called(&mut self, ty: &Ty, want: &Pointer, depth: usize) -> Option<Expr> {
        if self.function != Place::Kernel || depth == 0 {
            return None;
        }
        let fits = |f: &Function| {
            let kept = f.result.pointer().is_some_and(|p| {
                p.to == want.to
                    && p.space == want.space
                    && p.len >= want.len
                    && (want.null || !p.null)
                    && (p.own || !want.own)
            });
            f.pure && !f.kernel && kept
        };
        let list: Vec<usize> =
            (0..self.program.functions.len()).filter(|f| fits(&self.program.functions[*f])).collect();
        let f = *self.random.pick(&list)?;
        let args = self.arguments(f, depth - 1)?;
        Some(Expr::new(ty.clone(), Kind::Call(f, args)))
    }

    /// The pointers that a place can give.
    fn options(&mut self, reach: &Reach, ty: &Ty, want: &Pointer, list: &mut Vec<Expr>) {
        let space_fits =
            |space: Space| space == want.space || (want.space == Space::Generic && space != Space::Constant);
        let place = &reach.place;
        // What a pointer variable holds.
        if let Ty::Pointer(p) = &place.ty
            && space_fits(p.space)
            && p.to == want.to
            && p.len >= want.len
            && (p.own || !want.own)
        {
            let mut value = place.clone();
            if p.null && !want.null {
                return;
            }
            if p.len > want.len && !p.null && self.random.one_in(2) {
                let step = Expr::uint(want.len);
                let index = Expr::binary(Binary::Mul, self.index(p.len / want.len), step);
                value = Expr::new(place.ty.clone(), Kind::Offset(Box::new(value), Box::new(index)));
            }
            // What holds more pointers is chosen more often than one that stands alone.
            list.push(value.clone());
            list.push(value);
        }
        if !space_fits(reach.space) || !reach.addressable || reach.packed || (want.own && !reach.own) {
            return;
        }
        let to = |space: Space| Self::pointer_to(space, want.to.clone(), want.len, want.null, want.own);
        let here = to(reach.space);
        if place.ty == want.to && want.len == 1 {
            list.push(Expr::new(here.clone(), Kind::Address(Box::new(place.clone()))));
        }
        if let Ty::Array(of, n) = &place.ty
            && **of == want.to
            && *n >= want.len
        {
            let base = Expr::new(here.clone(), Kind::Decay(Box::new(place.clone())));
            let step = Expr::uint(want.len);
            let index = Expr::binary(Binary::Mul, self.index(n / want.len), step);
            list.push(if self.random.one_in(2) {
                base
            } else {
                Expr::new(here.clone(), Kind::Offset(Box::new(base), Box::new(index)))
            });
            return;
        }
        self.punned(reach, want, here, ty, list);
    }

    /// The same memory as another type.
    fn punned(&mut self, reach: &Reach, want: &Pointer, here: Ty, ty: &Ty, list: &mut Vec<Expr>) {
        let place = &reach.place;
        let Some((s, _)) = want.to.lanes() else { return };
        let size = self.program.size(&want.to) * want.len;
        let fits = self.features.punning
            && !s.is_float()
            && place.ty != want.to
            && self.dense(&place.ty)
            && self.program.size(&place.ty) >= size
            && self.program.align(&place.ty) >= self.program.align(&want.to);
        if !fits || !self.random.one_in(4) {
            return;
        }
        let to = Self::pointer_to(reach.space, place.ty.clone(), 1, false, false);
        let from = match &place.ty {
            Ty::Array(of, _) => {
                let to = Self::pointer_to(reach.space, (**of).clone(), 1, false, false);
                Expr::new(to, Kind::Decay(Box::new(place.clone())))
            }
            _ => Expr::new(to, Kind::Address(Box::new(place.clone()))),
        };
        let cast = if reach.space == want.space { ty.clone() } else { here };
        list.push(Expr::new(cast, Kind::PtrCast(Box::new(from))));
    }

    /// Whether all bytes of a type are integers.
    pub(super) fn dense(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(s) => !s.is_float(),
            Ty::Vector(s, n) => !s.is_float() && *n != 3,
            Ty::Array(of, _) => self.dense(of),
            Ty::Record(r) => {
                let record = &self.program.records[*r];
                let sum: u32 = record.fields.iter().map(|f| self.program.size(&f.ty)).sum();
                (record.union || sum == self.program.size(ty))
                    && record.fields.iter().all(|f| self.dense(&f.ty))
            }
            _ => false,
        }
    }
}

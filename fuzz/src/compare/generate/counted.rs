//! Loops that count: with counters of all integer types, bounds near the ends of these, steps of both signs that may be known only when
//! the kernel runs, and values that the rounds carry, which are used behind the loop. Passes look for such loops, so they are made on purpose.

use super::super::arith;
use super::super::ast::*;
use super::{Generator, Place};

/// No loop has more iterations.
const MAX_ITERATIONS: u32 = 40;

/// A loop's numbers.
pub(super) struct Plan {
    pub s: Scalar,
    pub start: u64,
    pub end: u64,
    pub step: u64,
    pub compare: Compare,
    /// The test looks at the next round's counter.
    pub ahead: bool,
    /// It comes behind the round.
    pub late: bool,
}

impl Plan {
    /// The number of the loop's iterations; `None`: too often.
    fn rounds(&self) -> Option<u32> {
        let mut i = self.start;
        for round in 0..MAX_ITERATIONS {
            let next = self.s.wrap(i.wrapping_add(self.step));
            if round > 0 || !self.late {
                let value = if self.ahead { next } else { i };
                if !arith::compare(self.compare, self.s, value, self.end) {
                    return Some(round);
                }
            }
            i = next;
        }
        None
    }
}

impl Generator<'_> {
    pub(super) fn plan(&mut self) -> Plan {
        use Compare::{Ge, Gt, Le, Lt, Ne};
        let list = if self.features.int64 { &INTEGERS[..] } else { &INTEGERS[..6] };
        let s = *self.random.pick(list).unwrap_or(&Scalar::U32);
        let high = 1u64 << (s.bits() - 1);
        for _ in 0..12 {
            let bits = self.random.bits();
            let few = bits & 7;
            let start = match self.random.below(8) {
                0 | 1 => 0,
                2 => few,
                3 => few.wrapping_neg(),
                4 => high.wrapping_add(few),
                5 => high.wrapping_sub(few),
                6 => bits,
                _ => self.program.group.into(),
            };
            let items = self.program.group * self.program.groups;
            let step = match self.random.below(10) {
                0..=2 => 1,
                3 => u64::MAX,
                4 => 2 + few,
                5 => (2 + few).wrapping_neg(),
                6 => high.wrapping_add(few),
                7 => items.into(),
                8 => self.program.group.into(),
                _ => bits >> 7,
            };
            let rounds = self.random.below(14) as u64;
            let end = step.wrapping_mul(rounds).wrapping_add(start);
            let end = if self.random.one_in(3) { end.wrapping_add(few).wrapping_sub(3) } else { end };
            let (start, end, step) = (s.wrap(start), s.wrap(end), s.wrap(step));
            let compare = [Ne, Lt, Lt, Le, Gt, Ge][self.random.below(6)];
            let plan = Plan {
                s,
                start,
                end,
                step,
                compare,
                ahead: self.random.one_in(4),
                late: self.random.one_in(4),
            };
            if step != 0 && plan.rounds().is_some() {
                return plan;
            }
        }
        let end = self.random.below(9) as u64;
        Plan { s, start: 0, end, step: 1, compare: Lt, ahead: false, late: false }
    }

    /// A number, or what is it when the kernel runs.
    pub(super) fn hidden(&mut self, s: Scalar, value: u64) -> Expr {
        let (group, groups) = (u64::from(self.program.group), u64::from(self.program.groups));
        let shape = self.program.shape;
        let (f, is) = match self.random.below(6) {
            0 if shape.cut == 0 => (ItemFn::LocalSize, group),
            1 => (ItemFn::GlobalSize, shape.global().iter().product::<u32>().into()),
            2 => (ItemFn::NumGroups, groups),
            _ => return Expr::lit(s, value),
        };
        let item = Expr::new(UINT, Kind::Item(f)).convert(Ty::Scalar(s));
        if s.wrap(is) == value {
            return item;
        }
        match self.random.below(3) {
            0 => Expr::binary(Binary::Add, item, Expr::lit(s, value.wrapping_sub(is))),
            1 => Expr::binary(Binary::Sub, Expr::lit(s, value.wrapping_add(is)), item),
            // The negative of a number: compilers count loops to it in ways of their own.
            _ => {
                let sum =
                    Expr::binary(Binary::Add, item, Expr::lit(s, 0u64.wrapping_sub(value).wrapping_sub(is)));
                Expr::binary(Binary::Sub, Expr::lit(s, 0), sum)
            }
        }
    }

    /// `for (i = start; i < end; i += step) { a += i; b = 7 - b; c += x[i & 15]; … }`, and what it leaves.
    pub(super) fn counted(&mut self) -> Vec<Stmt> {
        let plan = self.plan();
        let s = plan.s;
        let ty = Ty::Scalar(s);
        let i = self.variable("i", ty.clone(), Space::Private);
        let start = self.hidden(s, plan.start);
        let mut list = vec![Stmt::Decl(i, Some(Init::Expr(start)))];
        // Known in every round, or before the loop.
        let mut known = |g: &mut Self, value: u64| {
            let e = g.hidden(s, value);
            if matches!(e.kind, Kind::Lit(_)) || g.random.one_in(3) {
                return e;
            }
            let var = g.variable("n", ty.clone(), Space::Private);
            list.push(Stmt::Decl(var, Some(Init::Expr(e))));
            g.var(var)
        };
        let (end, step) = (known(self, plan.end), known(self, plan.step));
        let mut kept = Vec::new();
        let mut round = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let of = if self.random.one_in(3) { s } else { self.integer() };
            let ty = if self.random.one_in(8) {
                Ty::Vector(of, 2 + 2 * (self.random.below(2) as u8))
            } else {
                Ty::Scalar(of)
            };
            let a = self.variable("a", ty.clone(), Space::Private);
            let first =
                if self.random.one_in(2) { Expr::new(ty.clone(), Kind::Lit(3)) } else { self.value(&ty, 1) };
            list.push(Stmt::Decl(a, Some(Init::Expr(first))));
            let next = self.carried(a, i, &kept);
            round.push(Stmt::Assign(self.var(a), None, next));
            kept.push(a);
        }
        if let [.., a, b] = kept[..]
            && self.program.vars[a].ty == self.program.vars[b].ty
            && self.random.one_in(2)
        {
            let temp = self.variable("t", self.program.vars[a].ty.clone(), Space::Private);
            round.push(Stmt::Decl(temp, Some(Init::Expr(self.var(a)))));
            round.push(Stmt::Assign(self.var(a), None, self.var(b)));
            round.push(Stmt::Assign(self.var(b), None, self.var(temp)));
        }
        if self.random.one_in(6) {
            let c = match kept.first().map(|a| self.var(*a)) {
                Some(a) if matches!(a.ty, Ty::Scalar(_)) && self.random.one_in(2) => {
                    let k = Expr::new(a.ty.clone(), Kind::Lit(self.random.below(40) as u64));
                    Expr::truth(Kind::Compare(self.comparison(), Box::new(a), Box::new(k)))
                }
                _ => self.condition(1),
            };
            let at = self.random.below(round.len() + 1);
            round.insert(at, Stmt::If(c, vec![Stmt::Break], vec![]));
        }
        if self.random.one_in(6) {
            round.extend(self.assign_number());
        }
        let next = Expr::binary(Binary::Add, self.var(i), step.clone());
        round.push(Stmt::Assign(self.var(i), None, next.clone()));
        let value = if plan.ahead { next } else { self.var(i) };
        let goes = Expr::truth(Kind::Compare(plan.compare, Box::new(value), Box::new(end)));
        list.push(Stmt::While(plan.late, goes, round));
        if self.random.one_in(2) {
            kept.push(i);
        }
        for var in kept {
            self.scope.push(var);
            if self.function != Place::Kernel {
                self.local_values.push(var);
            }
        }
        list
    }

    /// The value of a variable in the next iteration.
    fn carried(&mut self, a: VarId, i: VarId, others: &[VarId]) -> Expr {
        let ty = self.program.vars[a].ty.clone();
        let Some((of, lanes)) = ty.lanes() else { return self.var(a) };
        let number = |g: &mut Self| {
            let n = g.literal(of);
            if lanes == 1 { n } else { Expr::new(ty.clone(), Kind::Splat(Box::new(n))) }
        };
        let wide = |e: Expr| {
            let e = e.convert(Ty::Scalar(of));
            if lanes == 1 { e } else { Expr::new(ty.clone(), Kind::Splat(Box::new(e))) }
        };
        let own = self.var(a);
        let counter = self.var(i);
        match self.random.below(16) {
            0 | 1 => Expr::binary(Binary::Add, own, wide(counter)),
            2 => Expr::binary(Binary::Sub, own, wide(counter)),
            3 => Expr::binary(Binary::Add, own, number(self)),
            4 => Expr::binary(Binary::Sub, number(self), own),
            5 => Expr::binary(Binary::Xor, own, number(self)),
            6 => {
                let f = if self.random.one_in(2) { Builtin::Min } else { Builtin::Max };
                let list = vec![own, number(self)];
                Expr::new(ty.clone(), Kind::Builtin(f, list))
            }
            7 => wide(counter),
            8 => {
                let three = Expr::new(ty.clone(), Kind::Lit(3));
                let tripled = Expr::binary(Binary::Mul, own, three);
                Expr::binary(Binary::Add, tripled, number(self))
            }
            9 => Expr::new(ty.clone(), Kind::Unary(Unary::Not, Box::new(own))),
            10 | 11 => match self.random.pick(others).map(|b| self.var(*b)) {
                Some(b) if b.ty == ty => {
                    let op = if self.random.one_in(2) { Binary::Add } else { Binary::Sub };
                    Expr::binary(op, own, b)
                }
                Some(b) if matches!(b.ty, Ty::Scalar(_)) => Expr::binary(Binary::Add, own, wide(b)),
                _ => number(self),
            },
            _ => {
                let Some(load) = self.loaded(i) else { return Expr::binary(Binary::Add, own, wide(counter)) };
                let op = [Binary::Add, Binary::Add, Binary::Xor, Binary::Sub][self.random.below(4)];
                Expr::binary(op, own, wide(load))
            }
        }
    }

    /// An element by a loop's counter, or by such an element.
    fn loaded(&mut self, i: VarId) -> Option<Expr> {
        let places: Vec<Expr> = self
            .reaches()
            .into_iter()
            .map(|r| r.place)
            .filter(|p| match &p.ty {
                Ty::Pointer(p) => !p.null && p.len >= 2 && matches!(p.to, Ty::Scalar(s) if !s.is_float()),
                Ty::Array(of, n) => n.is_power_of_two() && matches!(**of, Ty::Scalar(s) if !s.is_float()),
                _ => false,
            })
            .collect();
        let mut index = self.var(i).convert(UINT);
        for again in [self.random.one_in(4), false] {
            let base = self.random.pick(&places)?.clone();
            let (of, n) = match &base.ty {
                Ty::Pointer(p) => (p.to.clone(), p.len),
                Ty::Array(of, n) => ((**of).clone(), *n),
                _ => return None,
            };
            let at = Expr::binary(Binary::And, index, Expr::uint(n - 1));
            let load = Expr::new(of, Kind::At(Box::new(base), Box::new(at)));
            if !again {
                return Some(load);
            }
            index = load.convert(UINT);
        }
        None
    }
}

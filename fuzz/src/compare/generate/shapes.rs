//! Statements made for what passes look for besides loops that count: branches whose ways share work, rows whose ends are in memory, counters that
//! are lanes of vectors, zeros that are chosen, few rounds around loops that end by what is read, strides from a local id, bytes put into words.

use super::super::ast::*;
use super::super::floats;
use super::numbers::mask_of;
use super::{Generator, Place};

/// Elements of integers that an index reaches: a pointer or an array, their type, and how many there are, a power of two.
type Elements = (Expr, Scalar, u32);

impl Generator<'_> {
    pub(super) fn shape(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        match self.random.below(12) {
            0..=3 => self.both_ways(depth.min(2), result),
            4 | 5 => self.row(),
            6 => self.lanes_that_count(),
            7 | 8 if self.program.floats => self.chosen_zero(),
            9 => self.around(),
            10 => self.strides(),
            11 => self.bytes_into_words(),
            _ => self.both_ways(depth.min(1), result),
        }
    }

    /// Lets the statements behind use a variable.
    fn keep(&mut self, var: VarId) {
        self.scope.push(var);
        if self.function != Place::Kernel {
            self.local_values.push(var);
        }
    }

    fn begun(&mut self, prefix: &str, value: Expr, list: &mut Vec<Stmt>) -> VarId {
        let var = self.variable(prefix, value.ty.clone(), Space::Private);
        list.push(Stmt::Decl(var, Some(Init::Expr(value))));
        var
    }

    fn elements(&mut self, written: bool) -> Option<Elements> {
        let pure = self.function == Place::Helper(true);
        let mut found = Vec::new();
        for reach in self.reaches() {
            let (of, n, may) = match &reach.place.ty {
                Ty::Pointer(p) if !p.null => (p.to.clone(), p.len, p.own && !pure),
                Ty::Array(of, n) => ((**of).clone(), *n, reach.writable),
                _ => continue,
            };
            if let Ty::Scalar(s) = of
                && !s.is_float()
                && n.is_power_of_two()
                && n >= 2
                && (may || !written)
            {
                found.push((reach.place, s, n));
            }
        }
        self.random.pick(&found).cloned()
    }

    /// An element so far behind an index, which is below half of what there is.
    fn at((base, s, n): &Elements, index: &Expr, more: u32) -> Expr {
        let low = Expr::binary(Binary::And, index.clone(), Expr::uint(n / 2 - 1));
        let index = match more % (n / 2 + 1) {
            0 => low,
            more => Expr::binary(Binary::Add, low, Expr::uint(more)),
        };
        Expr::new(Ty::Scalar(*s), Kind::At(Box::new(base.clone()), Box::new(index)))
    }

    /// `if (c) { t = E; x = t + a[i]; *p = x; } else { u = E; x = a[i + 1] - u; *p = u; }`
    fn both_ways(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mut list = Vec::new();
        let s = self.integer();
        let first = self.number(s, 1);
        let x = self.begun("x", first, &mut list);
        let index = self.simple();
        let shared: Vec<Expr> = (0..1 + self.random.below(3))
            .map(|_| match self.elements(false).filter(|_| self.random.one_in(2)) {
                Some(from) => Self::at(&from, &index, self.random.below(3) as u32).convert(Ty::Scalar(s)),
                None => self.number(s, 2),
            })
            .collect();
        let (from, to) = (self.elements(false), self.elements(true));
        let mut places = Vec::new();
        for _ in 0..self.random.below(3) {
            places.extend(self.writable_number().map(|r| r.place).filter(|p| self.is_number(&p.ty)));
        }
        let ways = if self.random.one_in(4) { 3 } else { 2 };
        let c = self.condition(1);
        let mut bodies = Vec::new();
        for _ in 0..ways {
            let mark = self.scope.len();
            let mut body = Vec::new();
            let mut known = Vec::new();
            let mut order = shared.clone();
            if self.random.one_in(3) {
                order.reverse();
            }
            for e in order {
                let t = self.begun("t", e, &mut body);
                known.push(t);
                if self.random.one_in(5) {
                    body.extend(self.assign_number());
                }
            }
            let own = self.random.pick(&known).map_or_else(|| Expr::lit(s, 1), |t| self.var(*t));
            let loaded = from.as_ref().map(|from| Self::at(from, &index, self.random.below(3) as u32));
            let value = match (self.random.below(6), loaded) {
                (0 | 1, Some(load)) => load.convert(Ty::Scalar(s)),
                (2, Some(load)) => Expr::binary(Binary::Add, load.convert(Ty::Scalar(s)), own.clone()),
                (3, _) => Expr::binary(Binary::Xor, own.clone(), self.literal(s)),
                (4, _) => self.number(s, 1),
                _ => own.clone(),
            };
            body.push(Stmt::Assign(self.var(x), None, value));
            if depth > 0 && self.random.one_in(5) {
                body.extend(self.both_ways(depth - 1, result));
            }
            for place in &places {
                let value = match place.ty.clone() {
                    Ty::Scalar(of) if !of.is_float() && self.random.one_in(2) => {
                        self.var(x).convert(Ty::Scalar(of))
                    }
                    ty => self.value(&ty, 1),
                };
                body.push(Stmt::Assign(place.clone(), None, value));
            }
            if let Some(to) = &to {
                let place = Self::at(to, &index, self.random.below(3) as u32);
                let value = if self.random.one_in(2) { self.var(x) } else { own };
                let value = value.convert(place.ty.clone());
                body.push(Stmt::Assign(place, None, value));
            }
            if depth == 1 && self.random.one_in(8) {
                body.extend(self.jump(result));
            }
            self.scope.truncate(mark);
            bodies.push(body);
        }
        if ways == 3 {
            let n = self.number(Scalar::U32, 1);
            let n = Expr::binary(Binary::And, n, Expr::uint(3));
            let arms = bodies.into_iter().zip([Some(0), Some(2), None]);
            let arms = arms.map(|(body, label)| Arm { labels: vec![label], body, falls: false });
            list.push(Stmt::Switch(n, arms.collect()));
        } else if let (Some(other), Some(then)) = (bodies.pop(), bodies.pop()) {
            list.push(Stmt::If(c, then, other));
        }
        self.keep(x);
        list
    }

    /// Returns whether a type is of numbers that an assignment may have anything of.
    fn is_number(&self, ty: &Ty) -> bool {
        ty.lanes().is_some_and(|(s, _)| !s.is_float() || self.program.floats)
    }

    /// `for (i = start[r]; i < start[r + 1]; i++) a += x[i];`, perhaps for several r.
    fn row(&mut self) -> Vec<Stmt> {
        let (Some(rows), Some(values)) = (self.elements(false), self.elements(false)) else { return vec![] };
        let mut list = Vec::new();
        let first = self.literal(values.1);
        let sum = self.begun("a", first, &mut list);
        let mark = self.scope.len();
        let row = self.random.one_in(2).then(|| self.counter());
        let at = match row {
            Some(row) => self.var(row),
            None => self.simple(),
        };
        let end =
            |more: u32| Expr::binary(Binary::And, Self::at(&rows, &at, more).convert(UINT), Expr::uint(7));
        let mut inner = Vec::new();
        let start = if self.random.one_in(2) { Expr::uint(0) } else { end(0) };
        let i = self.begun("i", start, &mut inner);
        self.scope.push(i);
        self.fixed.push(i);
        let compare = [Compare::Lt, Compare::Lt, Compare::Le][self.random.below(3)];
        let mut goes = Expr::truth(Kind::Compare(compare, Box::new(self.var(i)), Box::new(end(1))));
        if self.random.one_in(3) {
            let other = self.condition(1);
            goes = Expr::truth(Kind::Logic(true, Box::new(goes), Box::new(other)));
        }
        let mut body = Vec::new();
        if self.random.one_in(4) {
            body.extend(self.assign_number());
        }
        let far = Expr::binary(Binary::And, self.var(i), Expr::uint(values.2 - 1));
        let load = Expr::new(Ty::Scalar(values.1), Kind::At(Box::new(values.0.clone()), Box::new(far)));
        let op = [Binary::Add, Binary::Xor, Binary::Sub][self.random.below(3)];
        let next = Expr::binary(op, self.var(sum), load);
        body.push(Stmt::Assign(self.var(sum), None, next));
        if self.random.one_in(4) {
            body.extend(self.assign_number());
        }
        if self.random.one_in(5) {
            let c = self.condition(1);
            body.push(Stmt::If(c, vec![Stmt::Break], vec![]));
        }
        let step = Expr::uint(1 + self.random.below(2) as u32);
        body.push(Stmt::Assign(self.var(i), Some(Binary::Add), step));
        inner.push(Stmt::While(self.random.one_in(4), goes, body));
        if self.random.one_in(3) {
            inner.extend(self.assign_number());
        }
        match row {
            Some(row) => {
                let rounds = Expr::uint(1 + self.random.below(8) as u32);
                list.push(Stmt::For(row, Expr::uint(0), rounds, 1, inner));
            }
            None => list.push(Stmt::Block(inner)),
        }
        self.scope.truncate(mark);
        self.keep(sum);
        list
    }

    /// `int4 v = (int4)(start, end, …); while (v.x < v.y) { v += (int4)(step, 0, …); a ^= v.z; }`
    fn lanes_that_count(&mut self) -> Vec<Stmt> {
        let plan = self.plan();
        let (s, n) = (plan.s, [2u8, 2, 3, 4, 4, 8][self.random.below(6)]);
        let ty = Ty::Vector(s, n);
        let a = self.random.below(usize::from(n)) as u8;
        let b = (a + 1 + self.random.below(usize::from(n) - 1) as u8) % n;
        let in_lane = self.random.one_in(2);
        let mut list = Vec::new();
        let lanes = |g: &mut Self, counted: u64, end: u64| {
            let lane = |lane: u8| match lane {
                lane if lane == a => g.hidden(s, counted),
                lane if lane == b && in_lane => g.hidden(s, end),
                _ => g.literal(s),
            };
            Expr::new(ty.clone(), Kind::Build((0..n).map(lane).collect()))
        };
        let (first, step) = (lanes(self, plan.start, plan.end), lanes(self, plan.step, 0));
        let v = self.begun("v", first, &mut list);
        let zero = Expr::lit(s, 0);
        let sum = self.begun("a", zero, &mut list);
        let lane =
            |g: &Self, lane: u8| Expr::new(Ty::Scalar(s), Kind::Swizzle(Box::new(g.var(v)), vec![lane]));
        let end = if in_lane { lane(self, b) } else { self.hidden(s, plan.end) };
        let mut round = Vec::new();
        if self.random.one_in(3) {
            round.extend(self.assign_number());
        }
        let other = self.random.below(usize::from(n)) as u8;
        let other = lane(self, other);
        let next = Expr::binary(Binary::Xor, self.var(sum), other);
        round.push(Stmt::Assign(self.var(sum), None, next));
        let step_of = Expr::lit(s, plan.step);
        if self.random.one_in(3) {
            let next = Expr::binary(Binary::Add, lane(self, a), step_of.clone());
            round.push(Stmt::Assign(lane(self, a), None, next));
        } else {
            let next = Expr::binary(Binary::Add, self.var(v), step);
            round.push(Stmt::Assign(self.var(v), None, next));
        }
        let mut value = lane(self, a);
        if plan.ahead {
            value = Expr::binary(Binary::Add, value, step_of);
        }
        let goes = Expr::truth(Kind::Compare(plan.compare, Box::new(value), Box::new(end)));
        list.push(Stmt::While(plan.late, goes, round));
        self.keep(sum);
        self.keep(v);
        list
    }

    /// `float x = c ? 1.0f : -0.0f;`, as a branch, or by lanes; and its bits.
    fn chosen_zero(&mut self) -> Vec<Stmt> {
        let s = self.float_type();
        let ty = match self.random.below(4) {
            0 => Ty::Vector(s, [2, 3, 4][self.random.below(3)]),
            _ => Ty::Scalar(s),
        };
        let choice = |g: &mut Self| match g.random.below(9) {
            n @ 0..=5 => {
                let value = [0.0, -0.0, 0.0, -0.0, 1.0, -1.0][n];
                Expr::new(ty.clone(), Kind::Lit(floats::nearest(s, value)))
            }
            6 => {
                let a = g.value(&ty, 0);
                Expr::new(ty.clone(), Kind::Builtin(Builtin::Fabs, vec![a]))
            }
            _ => g.value(&ty, 1),
        };
        let (a, b) = (choice(self), choice(self));
        let mut list = Vec::new();
        let x = match (&ty, self.random.below(3)) {
            (Ty::Vector(_, n), 0 | 1) => {
                let c = self.compared_lanes(s, *n, 1);
                let chosen = Kind::Choose(Box::new(c), Box::new(a), Box::new(b));
                self.begun("x", Expr::new(ty.clone(), chosen), &mut list)
            }
            (_, 0) => {
                let x = self.begun("x", a, &mut list);
                let c = self.condition(1);
                let then = vec![Stmt::Assign(self.var(x), None, b)];
                let other = self.assign_number();
                list.push(Stmt::If(c, then, other));
                x
            }
            (Ty::Scalar(_), 1) => {
                let c = self.condition(1);
                let chosen = Kind::Cond(Box::new(c), Box::new(a), Box::new(b));
                self.begun("x", Expr::new(ty.clone(), chosen), &mut list)
            }
            _ => {
                let mask = self.value(&mask_of(&ty), 1);
                let chosen = Kind::Builtin(Builtin::Select, vec![a, b, mask]);
                self.begun("x", Expr::new(ty.clone(), chosen), &mut list)
            }
        };
        let other = self.value(&ty, 0);
        let y = match self.random.below(4) {
            0 => Expr::binary(Binary::Mul, self.var(x), other),
            1 => Expr::binary(Binary::Add, other, self.var(x)),
            2 => Expr::binary(Binary::Sub, self.var(x), other),
            _ => Expr::new(ty.clone(), Kind::Unary(Unary::Neg, Box::new(self.var(x)))),
        };
        let y = self.begun("y", y, &mut list);
        self.keep(x);
        self.keep(y);
        list
    }

    /// `for (r = 0; r < 4; r++) { while (…) …  a = a * 31 + found; }`
    fn around(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        let sum = self.begun("a", Expr::uint(1), &mut list);
        let mark = self.scope.len();
        let round = self.counter();
        let kept = self.scope.len();
        let mut body = if self.random.one_in(3) { self.row() } else { self.search() };
        let Some(found) = self.scope.get(kept).copied() else {
            self.scope.truncate(mark);
            return vec![];
        };
        let digit = match self.program.vars[found].ty {
            Ty::Scalar(s) if !s.is_float() => self.var(found).convert(UINT),
            _ => self.var(round),
        };
        let more = Expr::binary(Binary::Mul, self.var(sum), Expr::uint(31));
        body.push(Stmt::Assign(self.var(sum), None, Expr::binary(Binary::Add, more, digit)));
        if self.random.one_in(2) {
            body.extend(self.assign_number());
        }
        self.scope.truncate(mark);
        let rounds = Expr::uint(1 + self.random.below(9) as u32);
        list.push(Stmt::For(round, Expr::uint(0), rounds, 1, body));
        self.keep(sum);
        list
    }

    /// `for (i = get_local_id(0); i < 18; i += get_local_size(0)) a += x[i & 7];`
    fn strides(&mut self) -> Vec<Stmt> {
        let Some((base, s, n)) = self.elements(false) else { return vec![] };
        let group = self.program.group;
        let mut list = Vec::new();
        let first = self.literal(s);
        let sum = self.begun("a", first, &mut list);
        let mark = self.scope.len();
        let id = Expr::new(UINT, Kind::Item(ItemFn::LocalId));
        let i = self.begun("i", id, &mut list);
        self.scope.push(i);
        self.fixed.push(i);
        let end = Expr::uint(self.random.below(4 * group as usize + 4) as u32);
        let goes = Expr::truth(Kind::Compare(Compare::Lt, Box::new(self.var(i)), Box::new(end)));
        let at = Expr::binary(Binary::And, self.var(i), Expr::uint(n - 1));
        let load = Expr::new(Ty::Scalar(s), Kind::At(Box::new(base), Box::new(at)));
        let next = Expr::binary(Binary::Add, self.var(sum), load);
        let mut body = vec![Stmt::Assign(self.var(sum), None, next)];
        if self.random.one_in(2) {
            body.extend(self.assign_number());
        }
        if self.random.one_in(6) {
            let c = self.condition(1);
            body.push(Stmt::If(c, vec![Stmt::Break], vec![]));
        }
        let size = Expr::new(UINT, Kind::Item(ItemFn::LocalSize));
        let step = if self.random.one_in(2) { Expr::uint(group) } else { size };
        body.push(Stmt::Assign(self.var(i), Some(Binary::Add), step));
        list.push(Stmt::While(false, goes, body));
        self.scope.truncate(mark);
        self.keep(sum);
        list
    }

    /// `w = b0 | b1 << 8 | …;`, or one after the other under masks, and parts of it.
    fn bytes_into_words(&mut self) -> Vec<Stmt> {
        let wide = self.features.int64 && self.random.one_in(4);
        let s = [Scalar::U32, Scalar::U64][usize::from(wide)];
        let part = [8u32, 8, 8, 16][self.random.below(4)];
        let count = s.bits() / part;
        let mask = (1u64 << part) - 1;
        let from = self.elements(false).filter(|_| self.random.one_in(2));
        let index = self.simple();
        let mut parts: Vec<(u32, Expr)> = Vec::new();
        for n in 0..count {
            let value = match &from {
                Some(from) => Self::at(from, &index, n).convert(Ty::Scalar(s)),
                None => self.number(s, 1),
            };
            let small = match self.random.below(8) {
                0 => value,
                _ => Expr::binary(Binary::And, value, Expr::lit(s, mask)),
            };
            parts.push((n * part, small));
        }
        if self.random.one_in(3) {
            let by = self.random.below(parts.len());
            parts.rotate_left(by);
        }
        if self.random.one_in(5) {
            parts.pop();
        }
        let shifted = |(by, e): (u32, Expr)| match by {
            0 => e,
            by => Expr::binary(Binary::Shl, e, Expr::lit(s, by.into())),
        };
        let mut list = Vec::new();
        let w = if self.random.one_in(2) {
            let op = [Binary::Or, Binary::Or, Binary::Add, Binary::Xor][self.random.below(4)];
            let whole = parts.into_iter().map(shifted).reduce(|a, b| Expr::binary(op, a, b));
            self.begun("w", whole.unwrap_or_else(|| Expr::lit(s, 0)), &mut list)
        } else {
            let first = self.literal(s);
            let w = self.begun("w", first, &mut list);
            for (by, e) in parts {
                let rest = Expr::lit(s, !(mask << by));
                let kept = Expr::binary(Binary::And, self.var(w), rest);
                let next = Expr::binary(Binary::Or, kept, shifted((by, e)));
                list.push(Stmt::Assign(self.var(w), None, next));
            }
            w
        };
        let by = Expr::lit(s, self.random.below(s.bits() as usize) as u64);
        let value = match self.random.below(4) {
            0 => Expr::new(Ty::Scalar(s), Kind::Builtin(Builtin::Rotate, vec![self.var(w), by])),
            1 => {
                let low = Expr::binary(Binary::Shr, self.var(w), by);
                Expr::binary(Binary::And, low, Expr::lit(s, mask))
            }
            2 => {
                let n = self.random.below(s.bytes() as usize) as u8;
                let bytes = Ty::Vector(Scalar::U8, s.bytes() as u8);
                let bytes = Expr::new(bytes, Kind::As(Box::new(self.var(w))));
                let byte = Expr::new(Ty::Scalar(Scalar::U8), Kind::Swizzle(Box::new(bytes), vec![n]));
                byte.convert(Ty::Scalar(s))
            }
            _ => {
                let turned = Expr::new(Ty::Scalar(s), Kind::Builtin(Builtin::Rotate, vec![self.var(w), by]));
                Expr::binary(Binary::Add, turned, self.var(w))
            }
        };
        let x = self.begun("x", value, &mut list);
        self.keep(w);
        self.keep(x);
        list
    }
}

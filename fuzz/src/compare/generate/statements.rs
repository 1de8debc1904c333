//! Random statements.

use super::super::ast::*;
use super::places::Reach;
use super::{Generator, Place};

/// The depth of a function's outermost statements in a kernel: barriers stand there.
const TOP: usize = 3;

impl Generator<'_> {
    /// Statements, as many as the budget has.
    pub(super) fn statements(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mut list = Vec::new();
        let mut tries = 60;
        while self.budget > 0 && tries > 0 {
            tries -= 1;
            list.extend(self.statement(depth, result, true));
        }
        list
    }

    /// A few statements in braces: what they declare ends there.
    pub(super) fn inner(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mark = self.scope.len();
        let mut list = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            list.extend(self.statement(depth, result, false));
        }
        self.scope.truncate(mark);
        list
    }

    pub(super) fn statement(&mut self, depth: usize, result: &Ty, top: bool) -> Vec<Stmt> {
        self.budget -= 1;
        let kernel = self.function == Place::Kernel;
        if self.features.counted && self.random.one_in(8) {
            return self.counted();
        }
        if self.features.shapes && self.random.one_in(6) {
            return self.shape(depth, result);
        }
        if self.features.large && depth > 0 && self.random.one_in(100) {
            return self.large(depth, result);
        }
        let together = top && kernel && self.barriers && self.features.collectives && self.program.generic;
        if together && self.random.one_in(if self.features.sub_groups { 3 } else { 8 }) {
            return self.collective();
        }
        match self.random.below(116) {
            100..=104 => self.fetch(top),
            105..=108 => self.search(),
            109..=111 => self.over_an_array(),
            112..=115 if top && kernel && self.barriers => self.group_call(),
            0..=17 => self.assign_number(),
            18..=31 => self.assign_pointer(),
            32..=39 => self.guarded(),
            40..=47 if depth > 0 => {
                let c = self.condition(2);
                let then = self.inner(depth - 1, result);
                let other = if self.random.one_in(2) { self.inner(depth - 1, result) } else { vec![] };
                vec![Stmt::If(c, then, other)]
            }
            48..=54 if depth > 0 => self.for_loop(depth, result),
            55..=58 if depth > 0 => self.while_loop(depth, result),
            59..=62 if depth > 0 => self.switch(depth, result),
            63..=66 if depth > 0 => self.labelled(depth, result),
            67..=72 => self.declare(top),
            73..=79 => self.call(top),
            80..=83 => self.swap(),
            84..=85 => self.exclusive_swap(),
            86..=88 => self.list_walk(),
            89..=90 => self.vstore(),
            91..=92 => self.copy(),
            93 => self.atomic(),
            94..=95 if top && kernel && self.barriers => self.uniform_loop(depth, result),
            94..=97 if top && kernel && self.barriers => self.exchange(),
            _ if depth < TOP && !top => self.jump(result),
            _ => self.assign_number(),
        }
    }

    pub(super) fn assign_number(&mut self) -> Vec<Stmt> {
        let Some(reach) = self.writable_number() else { return vec![] };
        let mut place = reach.place.clone();
        if reach.addressable && !reach.packed && self.random.one_in(12) && matches!(place.ty, Ty::Scalar(_)) {
            place = self.volatile(&reach);
        }
        match place.ty.clone() {
            Ty::Scalar(Scalar::F32) => {
                let value = self.float(1);
                vec![Stmt::Assign(place, None, value)]
            }
            Ty::Scalar(s) if s.is_float() => {
                let value = self.real(s, 2);
                let ops = [None, None, Some(Binary::Add), Some(Binary::Sub), Some(Binary::Mul)];
                vec![Stmt::Assign(place, ops[self.random.below(5)], value)]
            }
            Ty::Scalar(s) => {
                let value = self.number(s, 2);
                let op = match self.random.below(9) {
                    8 => Some(Binary::And),
                    0 => Some(Binary::Xor),
                    1 => Some(Binary::Or),
                    2 if !(s.is_signed() && s.bytes() >= 4) => Some(Binary::Add),
                    3 if !(s.is_signed() && s.bytes() >= 4) => Some(Binary::Sub),
                    _ => None,
                };
                vec![Stmt::Assign(place, op, value)]
            }
            Ty::Vector(s, n) => {
                if self.random.one_in(2) {
                    let value = self.lanes(s, n, 2);
                    return vec![Stmt::Assign(place, None, value)];
                }
                if n > 2 && self.random.one_in(3) {
                    // Two lanes that differ.
                    let first = self.random.below(usize::from(n)) as u8;
                    let second = (first + 1 + self.random.below(usize::from(n) - 1) as u8) % n;
                    let value = self.lanes(s, 2, 1);
                    let lanes = vec![first, second];
                    let to = Expr::new(Ty::Vector(s, 2), Kind::Swizzle(Box::new(place), lanes));
                    return vec![Stmt::Assign(to, None, value)];
                }
                let lane = self.random.below(usize::from(n)) as u8;
                let value = self.number(s, 1);
                let to = Expr::new(Ty::Scalar(s), Kind::Swizzle(Box::new(place), vec![lane]));
                vec![Stmt::Assign(to, None, value)]
            }
            _ => vec![],
        }
    }

    pub(super) fn assign_pointer(&mut self) -> Vec<Stmt> {
        let list: Vec<Reach> =
            self.reaches().into_iter().filter(|r| r.writable && r.place.ty.pointer().is_some()).collect();
        let Some(reach) = self.random.pick(&list).cloned() else { return vec![] };
        let leaves = !(reach.direct && reach.tainted);
        let Some(value) = self.pointer(&reach.place.ty, 2, leaves) else { return vec![] };
        vec![Stmt::Assign(reach.place, None, value)]
    }

    /// `if (p) *p = …;`
    pub(super) fn guarded(&mut self) -> Vec<Stmt> {
        let Some((e, p, _)) = self.nullable() else { return vec![] };
        let c = match self.random.below(3) {
            0 => e.clone(),
            _ => {
                let null = Expr::new(e.ty.clone(), Kind::Null);
                Expr::truth(Kind::PtrEq(false, Box::new(e.clone()), Box::new(null)))
            }
        };
        if !p.own || self.function == Place::Helper(true) {
            let Some(value) = self.behind(&e, &p) else { return vec![] };
            let Some(to) = self.writable_number() else { return vec![] };
            let Some((s, 1)) = to.place.ty.lanes() else { return vec![] };
            if s.is_float() {
                return vec![];
            }
            let value = value.convert(Ty::Scalar(s));
            return vec![Stmt::If(c, vec![Stmt::Assign(to.place, None, value)], vec![])];
        }
        let index = Box::new(self.index(p.len));
        let mut place = match p.len {
            1 => Expr::new(p.to.clone(), Kind::Deref(Box::new(e))),
            _ => Expr::new(p.to.clone(), Kind::At(Box::new(e), index)),
        };
        for _ in 0..3 {
            place = match place.ty.clone() {
                Ty::Record(r) => {
                    let n = self.random.below(self.program.records[r].fields.len());
                    let ty = self.program.records[r].fields[n].ty.clone();
                    Expr::new(ty, Kind::Member(Box::new(place), n))
                }
                Ty::Array(of, n) => {
                    let index = self.index(n);
                    Expr::new((*of).clone(), Kind::At(Box::new(place), Box::new(index)))
                }
                _ => break,
            };
        }
        let value = match place.ty.clone() {
            Ty::Scalar(Scalar::F32) => Some(self.float(0)),
            Ty::Scalar(s) => Some(self.number(s, 1)),
            Ty::Vector(s, n) => Some(self.lanes(s, n, 1)),
            ty @ Ty::Pointer(_) => self.pointer(&ty, 1, true),
            _ => None,
        };
        let Some(value) = value else { return vec![] };
        let mut then = vec![Stmt::Assign(place, None, value)];
        if self.random.one_in(4) {
            then.extend(self.assign_number());
        }
        let other = if self.random.one_in(4) { self.assign_number() } else { vec![] };
        vec![Stmt::If(c, then, other)]
    }

    /// Runs `f` with one more loop around.
    pub(super) fn in_loop<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.loops += 1;
        self.breakable += 1;
        let value = f(self);
        self.loops -= 1;
        self.breakable -= 1;
        value
    }

    pub(super) fn counter(&mut self) -> VarId {
        let var = self.variable("i", UINT, Space::Private);
        self.scope.push(var);
        self.fixed.push(var);
        var
    }

    pub(super) fn for_loop(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mark = self.scope.len();
        let to = match self.random.below(3) {
            0 => {
                let n = self.number(Scalar::U32, 1);
                Expr::binary(Binary::And, n, Expr::uint(3))
            }
            _ => Expr::uint(1 + self.random.below(4) as u32),
        };
        let var = self.counter();
        let body = self.in_loop(|g| g.inner(depth - 1, result));
        self.scope.truncate(mark);
        let step = 1 + u32::from(self.random.one_in(5));
        vec![Stmt::For(var, Expr::uint(0), to, step, body)]
    }

    pub(super) fn while_loop(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mark = self.scope.len();
        let var = self.counter();
        let limit = Expr::truth(Kind::Compare(
            Compare::Lt,
            Box::new(self.var(var)),
            Box::new(Expr::uint(1 + self.random.below(4) as u32)),
        ));
        let c = self.condition(1);
        let c = Expr::truth(Kind::Logic(true, Box::new(limit), Box::new(c)));
        let mut body = vec![Stmt::Assign(self.var(var), Some(Binary::Add), Expr::uint(1))];
        body.extend(self.in_loop(|g| g.inner(depth - 1, result)));
        self.scope.truncate(mark);
        let whole = vec![
            Stmt::Decl(var, Some(Init::Expr(Expr::uint(0)))),
            Stmt::While(self.random.one_in(3), c, body),
        ];
        vec![Stmt::Block(whole)]
    }

    pub(super) fn switch(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let wide = if self.features.int64 { Scalar::I64 } else { Scalar::I32 };
        let s = [Scalar::U32, Scalar::I32, Scalar::U32, wide][self.random.below(4)];
        let value = self.number(s, 1);
        let value = Expr::binary(Binary::And, value, Expr::lit(s, 3));
        let mut labels: Vec<Option<u64>> = vec![Some(0), Some(1), Some(2), Some(3), None];
        labels.remove(self.random.below(5));
        let mut arms = Vec::new();
        self.breakable += 1;
        while !labels.is_empty() {
            let at = self.random.below(labels.len());
            let mut mine = vec![labels.remove(at)];
            if !labels.is_empty() && self.random.one_in(3) {
                mine.push(labels.remove(0));
            }
            let body = self.inner(depth - 1, result);
            arms.push(Arm { labels: mine, body, falls: self.random.one_in(3) });
        }
        self.breakable -= 1;
        vec![Stmt::Switch(value, arms)]
    }

    pub(super) fn labelled(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let label = self.next_label;
        self.next_label += 1;
        if self.random.one_in(3) {
            let mark = self.scope.len();
            let var = self.counter();
            let mut body = vec![Stmt::Assign(self.var(var), Some(Binary::Add), Expr::uint(1))];
            body.extend(self.inner(depth - 1, result));
            let c = Expr::truth(Kind::Compare(
                Compare::Lt,
                Box::new(self.var(var)),
                Box::new(Expr::uint(2 + self.random.below(2) as u32)),
            ));
            body.push(Stmt::If(c, vec![Stmt::Goto(label)], vec![]));
            self.scope.truncate(mark);
            let declared = Stmt::Decl(var, Some(Init::Expr(Expr::uint(0))));
            return vec![Stmt::Block(vec![declared, Stmt::Back(label, body)])];
        }
        self.labels.push(label);
        let mut body = self.inner(depth - 1, result);
        let c = self.condition(1);
        let at = self.random.below(body.len() + 1);
        body.insert(at, Stmt::If(c, vec![Stmt::Goto(label)], vec![]));
        self.labels.pop();
        vec![Stmt::Ahead(label, body)]
    }

    /// Two places of one type exchange what they hold, perhaps in a loop.
    pub(super) fn swap(&mut self) -> Vec<Stmt> {
        let places: Vec<Reach> = self
            .reaches()
            .into_iter()
            .filter(|r| r.writable && matches!(r.place.ty, Ty::Pointer(_)) && (r.direct || !r.tainted))
            .collect();
        let Some(a) = self.random.pick(&places).cloned() else { return vec![] };
        let same: Vec<Reach> = places
            .into_iter()
            .filter(|r| r.place.ty == a.place.ty && r.tainted == a.tainted && r.direct == a.direct)
            .collect();
        let Some(b) = self.random.pick(&same).cloned() else { return vec![] };
        let temp = self.variable("x", a.place.ty.clone(), Space::Private);
        let body = vec![
            Stmt::Decl(temp, Some(Init::Expr(a.place.clone()))),
            Stmt::Assign(a.place, None, b.place.clone()),
            Stmt::Assign(b.place, None, self.var(temp)),
        ];
        if self.random.one_in(2) {
            return vec![Stmt::Block(body)];
        }
        let mark = self.scope.len();
        let var = self.counter();
        let mut body = body;
        body.extend(self.assign_number());
        self.scope.truncate(mark);
        let to = Expr::uint(1 + self.random.below(3) as u32);
        vec![Stmt::For(var, Expr::uint(0), to, 1, body)]
    }

    /// `if (p != q) { *p ^= *q; *q ^= *p; *p ^= *q; }`
    pub(super) fn exclusive_swap(&mut self) -> Vec<Stmt> {
        if self.function == Place::Helper(true) {
            return vec![];
        }
        let fits = |ty: &Ty| match ty {
            Ty::Pointer(p) => p.own && !p.null && matches!(p.to, Ty::Scalar(s) if !s.is_float()),
            _ => false,
        };
        let list: Vec<Expr> = self.reaches().into_iter().map(|r| r.place).filter(|p| fits(&p.ty)).collect();
        let Some(p) = self.random.pick(&list).cloned() else { return vec![] };
        let Some(of) = p.ty.pointer().cloned() else { return vec![] };
        let q = Self::pointer_to(of.space, of.to.clone(), 1, false, true);
        let Some(q) = self.pointer(&q, 0, false) else { return vec![] };
        let at = |e: &Expr| Expr::new(of.to.clone(), Kind::Deref(Box::new(e.clone())));
        let body = vec![
            Stmt::Assign(at(&p), Some(Binary::Xor), at(&q)),
            Stmt::Assign(at(&q), Some(Binary::Xor), at(&p)),
            Stmt::Assign(at(&p), Some(Binary::Xor), at(&q)),
        ];
        let differ = Expr::truth(Kind::PtrEq(false, Box::new(p), Box::new(q)));
        vec![Stmt::If(differ, body, vec![])]
    }

    /// `for (p = list; p && n < 6; p = p->next) n += p->value;`
    pub(super) fn list_walk(&mut self) -> Vec<Stmt> {
        let nodes: Vec<usize> =
            [self.node, self.local_node, self.global_node].into_iter().flatten().collect();
        let heads: Vec<Expr> = self
            .reaches()
            .into_iter()
            .map(|r| r.place)
            .filter(|p| p.ty.pointer().is_some_and(|p| matches!(p.to, Ty::Record(r) if nodes.contains(&r))))
            .collect();
        let Some(head) = self.random.pick(&heads).cloned() else { return vec![] };
        let Some(Ty::Record(record)) = head.ty.pointer().map(|p| p.to.clone()) else { return vec![] };
        let fields = self.program.records[record].fields.clone();
        let next = fields.iter().position(|f| {
            f.ty.pointer().is_some_and(|p| {
                p.to == Ty::Record(record) && Some(p.space) == head.ty.pointer().map(|p| p.space)
            })
        });
        let value = fields.iter().position(|f| matches!(f.ty, Ty::Scalar(_)));
        let (Some(next), Some(value)) = (next, value) else { return vec![] };
        let at = self.variable("n", fields[next].ty.clone(), Space::Private);
        let sum = self.variable("v", UINT, Space::Private);
        let steps = self.variable("i", UINT, Space::Private);
        let arrow = |n: usize, g: &Self| Expr::new(fields[n].ty.clone(), Kind::Arrow(Box::new(g.var(at)), n));
        let few = Expr::truth(Kind::Compare(Compare::Lt, Box::new(self.var(steps)), Box::new(Expr::uint(6))));
        let mut body = vec![
            Stmt::Assign(self.var(steps), Some(Binary::Add), Expr::uint(1)),
            Stmt::Assign(self.var(sum), Some(Binary::Add), arrow(value, self).convert(UINT)),
        ];
        let own = head.ty.pointer().is_some_and(|p| p.own);
        if own && self.function != Place::Helper(true) && self.random.one_in(3) {
            let more = Expr::binary(
                Binary::Add,
                arrow(value, self),
                Expr::new(fields[value].ty.clone(), Kind::Lit(1)),
            );
            body.push(Stmt::Assign(arrow(value, self), None, more));
        }
        body.push(Stmt::Assign(self.var(at), None, arrow(next, self)));
        let going = Expr::truth(Kind::Logic(true, Box::new(self.var(at)), Box::new(few)));
        self.scope.push(sum);
        if self.function != Place::Kernel {
            self.local_values.push(sum);
        }
        let zero = || Some(Init::Expr(Expr::uint(0)));
        vec![
            Stmt::Decl(sum, zero()),
            Stmt::Block(vec![
                Stmt::Decl(steps, zero()),
                Stmt::Decl(at, Some(Init::Expr(Expr { ty: fields[next].ty.clone(), ..head }))),
                Stmt::While(false, going, body),
            ]),
        ]
    }

    pub(super) fn vstore(&mut self) -> Vec<Stmt> {
        if self.function == Place::Helper(true) {
            return vec![];
        }
        let Ty::Vector(s, n) = self.vector() else { return vec![] };
        let space = [Space::Private, Space::Global, Space::Local][self.random.below(3)];
        let to = Self::pointer_to(space, Ty::Scalar(s), u32::from(n).next_power_of_two(), false, true);
        let Some(to) = self.pointer(&to, 0, false) else { return vec![] };
        let value = self.lanes(s, n, 1);
        vec![Stmt::Vstore(value, Expr::uint(0), to)]
    }

    /// A whole record from one place to another.
    pub(super) fn copy(&mut self) -> Vec<Stmt> {
        let list: Vec<Reach> =
            self.reaches().into_iter().filter(|r| matches!(r.place.ty, Ty::Record(_))).collect();
        let to: Vec<Reach> = list.iter().filter(|r| r.writable).cloned().collect();
        let Some(to) = self.random.pick(&to).cloned() else { return vec![] };
        let from: Vec<Reach> = list
            .into_iter()
            .filter(|r| r.place.ty == to.place.ty && (!r.tainted || (to.direct && to.tainted)))
            .collect();
        let Some(from) = self.random.pick(&from).cloned() else { return vec![] };
        vec![Stmt::Assign(to.place, None, from.place)]
    }

    pub(super) fn atomic(&mut self) -> Vec<Stmt> {
        if self.function != Place::Kernel {
            return vec![];
        }
        let Some((var, ops)) = self.random.pick(&self.atomics).cloned() else { return vec![] };
        let n = self.random.below(4);
        let mut base = self.var(var);
        if self.program.vars[var].space == Space::Local {
            let ty = Self::pointer_to(Space::Local, UINT, 4, false, true);
            base = Expr::new(ty, Kind::Decay(Box::new(base)));
        }
        let cell = Expr::new(base.ty.clone(), Kind::Offset(Box::new(base), Box::new(Expr::uint(n as u32))));
        let value = self.number(Scalar::U32, 1);
        vec![Stmt::Atomic(ops[n], cell, value)]
    }

    /// An atomic operation on memory of this work-item's own, whose result is used.
    fn fetch(&mut self, top: bool) -> Vec<Stmt> {
        use AtomicOp::*;
        if self.function == Place::Helper(true) {
            return vec![];
        }
        let space = if self.random.one_in(2) { Space::Global } else { Space::Local };
        let to = Self::pointer_to(space, UINT, 1, false, true);
        let Some(p) = self.pointer(&to, 0, false) else { return vec![] };
        let ops = [Add, Sub, And, Or, Xor, Min, Max, Inc, Dec, Xchg, CmpXchg];
        let op = ops[self.random.below(ops.len())];
        let mut list = vec![p.clone()];
        if op == CmpXchg {
            // Often what is there.
            let there = Expr::new(UINT, Kind::Deref(Box::new(p)));
            list.push(if self.random.one_in(2) { there } else { self.number(Scalar::U32, 0) });
        }
        if !matches!(op, Inc | Dec) {
            list.push(self.number(Scalar::U32, 1));
        }
        self.declared(UINT, Init::Expr(Expr::new(UINT, Kind::Fetch(op, list))), top)
    }

    /// A loop that work-items leave when each has found something, and what they found.
    pub(super) fn search(&mut self) -> Vec<Stmt> {
        let places: Vec<Expr> = self
            .reaches()
            .into_iter()
            .map(|r| r.place)
            .filter(|p| {
                p.ty.pointer().is_some_and(|p| !p.null && p.len >= 4 && matches!(p.to, Ty::Scalar(_)))
                    || matches!(&p.ty, Ty::Array(of, n) if n.is_power_of_two() && matches!(**of, Ty::Scalar(_)))
            })
            .collect();
        let Some(base) = self.random.pick(&places).cloned() else { return vec![] };
        let (of, n) = match &base.ty {
            Ty::Pointer(p) => (p.to.clone(), p.len),
            Ty::Array(of, n) => ((**of).clone(), *n),
            _ => return vec![],
        };
        let Ty::Scalar(s) = of else { return vec![] };
        if s.is_float() {
            return vec![];
        }
        let (step, found) =
            (self.variable("i", UINT, Space::Private), self.variable("v", of.clone(), Space::Private));
        let sum = Expr::binary(Binary::Add, self.index(n), self.var(step));
        let at = Box::new(Expr::binary(Binary::And, sum, Expr::uint(n - 1)));
        let load = Expr::new(of, Kind::At(Box::new(base), at));
        let few = Kind::Compare(Compare::Lt, Box::new(self.var(step)), Box::new(Expr::uint(5)));
        let limit = self.literal(s);
        let goes = Kind::Compare(Compare::Le, Box::new(self.var(found)), Box::new(limit));
        let goes = Box::new(Expr::truth(goes));
        let both = Expr::truth(Kind::Logic(true, Box::new(Expr::truth(few)), goes.clone()));
        let one = Stmt::Assign(self.var(step), Some(Binary::Add), Expr::uint(1));
        let turn = Stmt::Assign(self.var(found), None, load);
        let zero = Some(Init::Expr(Expr::lit(s, 0)));
        let begin = vec![Stmt::Decl(found, zero), Stmt::Decl(step, Some(Init::Expr(Expr::uint(0))))];
        let whole = match self.random.below(3) {
            0 => Stmt::While(true, both, vec![turn, one]),
            1 => Stmt::While(false, both, vec![turn, one]),
            _ => {
                let leave = Stmt::If(Expr::truth(Kind::Falsity(goes)), vec![Stmt::Break], vec![]);
                let end = Expr::uint(6);
                let again = self.variable("i", UINT, Space::Private);
                Stmt::For(again, Expr::uint(0), end, 1, vec![turn, leave, one])
            }
        };
        self.scope.push(found);
        if self.function != Place::Kernel {
            self.local_values.push(found);
        }
        [begin, vec![whole]].concat()
    }

    /// `for (i = 0; i < n; i++) a[i] = …;`
    fn over_an_array(&mut self) -> Vec<Stmt> {
        let arrays: Vec<Reach> = self
            .reaches()
            .into_iter()
            .filter(|r| r.writable && matches!(&r.place.ty, Ty::Array(of, _) if of.lanes().is_some()))
            .collect();
        let Some(array) = self.random.pick(&arrays).cloned() else { return vec![] };
        let Ty::Array(of, n) = array.place.ty.clone() else { return vec![] };
        let mark = self.scope.len();
        let var = self.counter();
        let place = Expr::new((*of).clone(), Kind::At(Box::new(array.place), Box::new(self.var(var))));
        let value = match of.lanes() {
            Some((Scalar::F32, 1)) => self.float(1),
            Some((s, 1)) => self.number(s, 2),
            Some((s, lanes)) => self.lanes(s, lanes, 2),
            None => return vec![],
        };
        let body = vec![Stmt::Assign(place, None, value)];
        self.scope.truncate(mark);
        vec![Stmt::For(var, Expr::uint(0), Expr::uint(n), 1, body)]
    }

    /// Reads what another work-item wrote, between barriers.
    fn exchange(&mut self) -> Vec<Stmt> {
        let global = self.random.one_in(3) || self.exchanges.is_empty();
        let far = Expr::uint(1 + self.random.below(7) as u32);
        let far = Expr::binary(Binary::Add, Expr::new(UINT, Kind::Item(ItemFn::LocalId)), far);
        let (of, element) = if global {
            let Some((var, each)) = self.random.pick(&self.global_exchanges).copied() else { return vec![] };
            let Some(p) = self.program.vars[var].ty.pointer().cloned() else { return vec![] };
            let group = self.program.group;
            let lane = self.lane(far);
            let first = Expr::new(UINT, Kind::Item(ItemFn::GroupId));
            let first = Expr::binary(Binary::Mul, first, Expr::uint(group));
            let item = Expr::binary(Binary::Add, first, lane);
            let at = Expr::binary(Binary::Mul, item, Expr::uint(each));
            (p.to.clone(), Kind::At(Box::new(self.var(var)), Box::new(at)))
        } else {
            let Some(var) = self.random.pick(&self.exchanges).copied() else { return vec![] };
            let Ty::Array(of, n) = self.program.vars[var].ty.clone() else { return vec![] };
            let at = match self.program.shape.cut {
                0 if n.is_power_of_two() => Expr::binary(Binary::And, far, Expr::uint(n - 1)),
                0 if self.program.shape.is_line() => return vec![],
                0 => Expr::binary(Binary::Rem, far, Expr::uint(n)),
                _ => self.lane(far),
            };
            ((*of).clone(), Kind::At(Box::new(self.var(var)), Box::new(at)))
        };
        let both = self.random.one_in(4);
        let mut list = vec![Stmt::Barrier(!global || both, global || both)];
        let temp = self.variable("v", of.clone(), Space::Private);
        self.scope.push(temp);
        self.addressable.push(temp);
        list.push(Stmt::Decl(temp, Some(Init::Expr(Expr::new(of, element)))));
        list.push(Stmt::Barrier(!global, global));
        list
    }

    /// A function of all work-items.
    fn collective(&mut self) -> Vec<Stmt> {
        let wide = if self.features.int64 { 4 } else { 2 };
        let s = [Scalar::U32, Scalar::I32, Scalar::U64, Scalar::I64][self.random.below(wide)];
        let combine = [Combine::Add, Combine::Min, Combine::Max][self.random.below(3)];
        let f = match self.random.below(8) {
            _ if self.features.sub_groups && !self.random.one_in(4) => {
                let size = [1, 2, 4, 4][self.random.below(4)];
                Collective::Cluster(combine, size, self.random.below(256) as u32)
            }
            0 | 1 => Collective::Reduce(combine),
            2 | 3 => Collective::Inclusive(combine),
            4 | 5 => Collective::Exclusive(combine),
            6 => Collective::Broadcast(self.random.below(self.broadcast()) as u32),
            _ => Collective::Vote(self.random.one_in(2)),
        };
        let s = if matches!(f, Collective::Vote(_)) { Scalar::I32 } else { s };
        let value = match f {
            Collective::Vote(_) => self.condition(1),
            _ => self.number(s, 2),
        };
        let var = self.variable("w", Ty::Scalar(s), Space::Private);
        self.scope.push(var);
        vec![Stmt::Collective(var, f, value)]
    }

    /// From so many work-items may a broadcast come, which the ids of one name: those of a smaller group have others.
    fn broadcast(&self) -> usize {
        if self.program.shape.cut == 0 { self.program.group as usize } else { 1 }
    }

    /// A loop of all work-items, with barriers in it.
    pub(super) fn uniform_loop(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let mark = self.scope.len();
        let var = self.counter();
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            body.extend(self.statement(depth.min(TOP - 1), result, false));
        }
        body.extend(self.exchange());
        if self.features.collectives && self.program.generic && self.random.one_in(3) {
            body.extend(self.collective());
        }
        body.extend(self.assign_number());
        self.scope.truncate(mark);
        let end = Expr::uint(1 + self.random.below(3) as u32);
        vec![Stmt::For(var, Expr::uint(0), end, 1, body)]
    }

    /// `if (…) break;` and the like.
    pub(super) fn jump(&mut self, result: &Ty) -> Vec<Stmt> {
        let mut list = Vec::new();
        if self.breakable > 0 {
            list.push(Stmt::Break);
        }
        if self.loops > 0 {
            list.push(Stmt::Continue);
        }
        if let Some(label) = self.random.pick(&self.labels) {
            list.push(Stmt::Goto(*label));
        }
        match self.function {
            Place::Kernel if !self.barriers => list.push(Stmt::Return(None)),
            Place::Helper(_) if *result == Ty::Void => list.push(Stmt::Return(None)),
            Place::Helper(_) => {
                let value = self.result(result);
                if value.is_some() {
                    list.push(Stmt::Return(value));
                }
            }
            Place::Kernel => {}
        }
        let Some(jump) = self.random.pick(&list).cloned() else { return vec![] };
        let c = self.condition(1);
        vec![Stmt::If(c, vec![jump], vec![])]
    }
}

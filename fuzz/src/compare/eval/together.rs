//! Statements with barriers in them: all work-items of a group go through them together.

use super::super::ast::*;
use super::super::memory::{R, Reject};
use super::{Flow, Machine, Val};

/// Work-items that go on together, and what became of those that do not.
pub(super) struct Front {
    pub active: Vec<usize>,
    pub left: Vec<(usize, Flow)>,
}

impl Machine<'_> {
    pub(super) fn together(&mut self, body: &[Stmt], front: &mut Front) -> R<()> {
        for stmt in body {
            if has_barrier(self.program, stmt) {
                self.step_together(stmt, front)?;
                continue;
            }
            let mut stay = Vec::new();
            for item in std::mem::take(&mut front.active) {
                self.turn(item);
                match self.stmt(stmt)? {
                    Flow::Next => stay.push(item),
                    flow => front.left.push((item, flow)),
                }
            }
            front.active = stay;
        }
        Ok(())
    }

    pub(super) fn step_together(&mut self, stmt: &Stmt, front: &mut Front) -> R<()> {
        self.step()?;
        match stmt {
            Stmt::Barrier(local, global) => {
                if front.active.len() != self.items.len() {
                    return Err(Reject("a barrier that not all work-items reach"));
                }
                self.memory.who.local_epoch += u32::from(*local);
                self.memory.who.global_epoch += u32::from(*global);
                Ok(())
            }
            Stmt::Collective(var, f, value) => self.collective(*var, *f, value, front),
            Stmt::Block(body) => self.together(body, front),
            Stmt::Ahead(label, body) => {
                let outer = std::mem::take(&mut front.left);
                self.together(body, front)?;
                for (item, flow) in std::mem::replace(&mut front.left, outer) {
                    match flow {
                        Flow::Goto(l) if l == *label => front.active.push(item),
                        flow => front.left.push((item, flow)),
                    }
                }
                front.active.sort_unstable();
                Ok(())
            }
            Stmt::If(c, then, other) => {
                let (yes, no) = self.split(c, &front.active)?;
                let mut a = Front { active: yes, left: vec![] };
                let mut b = Front { active: no, left: vec![] };
                if !a.active.is_empty() {
                    self.together(then, &mut a)?;
                }
                if !b.active.is_empty() {
                    self.together(other, &mut b)?;
                }
                front.active = [a.active, b.active].concat();
                front.active.sort_unstable();
                front.left.extend(a.left.into_iter().chain(b.left));
                Ok(())
            }
            Stmt::For(var, from, to, by, body) => {
                for item in front.active.clone() {
                    self.turn(item);
                    let from = self.value(from)?;
                    let p = self.declare(*var)?;
                    self.store(p, &UINT, from)?;
                }
                let less = Expr::truth(Kind::Compare(
                    Compare::Lt,
                    Box::new(Expr::new(UINT, Kind::Var(*var))),
                    Box::new(to.clone()),
                ));
                let next = Stmt::Assign(Expr::new(UINT, Kind::Var(*var)), Some(Binary::Add), Expr::uint(*by));
                self.loop_together(front, false, &less, body, Some(&next))
            }
            Stmt::While(first, c, body) => self.loop_together(front, *first, c, body, None),
            Stmt::Do(Expr { kind: Kind::Call(f, args), .. }) => self.call_together(*f, args, None, front),
            Stmt::Decl(var, Some(Init::Expr(Expr { kind: Kind::Call(f, args), .. }))) => {
                self.call_together(*f, args, Some(*var), front)
            }
            _ => Err(Reject("a barrier in a statement that is not for it")),
        }
    }

    /// A function of all work-items, in the order of their numbers.
    fn collective(&mut self, var: VarId, f: Collective, value: &Expr, front: &Front) -> R<()> {
        if front.active.len() != self.items.len() {
            return Err(Reject("a function of a work-group that not all work-items reach"));
        }
        let Some((s, 1)) = value.ty.lanes() else {
            return Err(Reject("a function of a work-group of no number"));
        };
        let mut values = Vec::new();
        for item in 0..self.items.len() {
            self.turn(item);
            values.push(self.scalar(value)?);
        }
        let least = if s.is_signed() { s.wrap(1 << (s.bits() - 1)) } else { 0 };
        let combined = |combine: Combine, list: &[u64]| match combine {
            Combine::Add => list.iter().fold(0u64, |sum, n| s.wrap(sum.wrapping_add(*n))),
            Combine::Min => list.iter().copied().min_by_key(|n| s.number(*n)).unwrap_or(s.wrap(!least)),
            Combine::Max => list.iter().copied().max_by_key(|n| s.number(*n)).unwrap_or(least),
        };
        for item in 0..self.items.len() {
            let result = match f {
                Collective::Reduce(c) => combined(c, &values),
                Collective::Inclusive(c) => combined(c, &values[..=item]),
                Collective::Exclusive(c) => combined(c, &values[..item]),
                Collective::Broadcast(n) => {
                    *values.get(n as usize).ok_or(Reject("the value of no work-item"))?
                }
                Collective::Vote(true) => values.iter().all(|n| *n != 0).into(),
                Collective::Vote(false) => values.iter().any(|n| *n != 0).into(),
                Collective::Cluster(c, size, pattern) => {
                    let size = size.max(1) as usize;
                    let bit = |item: usize| pattern.checked_shr(item as u32).unwrap_or(0) & 1;
                    let with = |other: usize| other / size == item / size && bit(other) == bit(item);
                    let list: Vec<u64> = (0..values.len()).filter(|n| with(*n)).map(|n| values[n]).collect();
                    combined(c, &list)
                }
            };
            self.turn(item);
            let p = self.declare(var)?;
            self.store(p, &self.program.vars[var].ty, Val::Scalar(result))?;
        }
        Ok(())
    }

    pub(super) fn split(&mut self, c: &Expr, active: &[usize]) -> R<(Vec<usize>, Vec<usize>)> {
        let (mut yes, mut no) = (vec![], vec![]);
        for item in active {
            self.turn(*item);
            if self.truth(c)? { yes.push(*item) } else { no.push(*item) }
        }
        Ok((yes, no))
    }

    pub(super) fn loop_together(
        &mut self,
        front: &mut Front,
        first: bool,
        c: &Expr,
        body: &[Stmt],
        next: Option<&Stmt>,
    ) -> R<()> {
        let (mut active, mut done) = (std::mem::take(&mut front.active), vec![]);
        let mut test = !first;
        loop {
            self.step()?;
            if test {
                let (yes, no) = self.split(c, &active)?;
                active = yes;
                done.extend(no);
            }
            test = true;
            if active.is_empty() {
                break;
            }
            let mut inner = Front { active, left: vec![] };
            self.together(body, &mut inner)?;
            active = inner.active;
            for (item, flow) in inner.left {
                match flow {
                    Flow::Break => done.push(item),
                    Flow::Continue => active.push(item),
                    flow => front.left.push((item, flow)),
                }
            }
            active.sort_unstable();
            for item in active.clone() {
                self.turn(item);
                if let Some(next) = next {
                    self.stmt(next)?;
                }
            }
        }
        done.sort_unstable();
        front.active = done;
        Ok(())
    }

    /// `result` is a variable that begins with what the function gives.
    pub(super) fn call_together(
        &mut self,
        f: usize,
        args: &[Expr],
        result: Option<VarId>,
        front: &mut Front,
    ) -> R<()> {
        let function = &self.program.functions[f];
        for item in front.active.clone() {
            self.turn(item);
            let values = args.iter().map(|a| self.value(a)).collect::<R<Vec<_>>>()?;
            self.bind(function, values)?;
        }
        let outer = std::mem::take(&mut front.left);
        self.together(&function.body, front)?;
        if result.is_some() && !front.active.is_empty() {
            return Err(Reject("a function that ends without its result"));
        }
        for (item, flow) in std::mem::replace(&mut front.left, outer) {
            let Flow::Return(value) = flow else { return Err(Reject("a jump out of a function")) };
            front.active.push(item);
            if let Some(var) = result {
                self.turn(item);
                let p = self.declare(var)?;
                self.store(p, &self.program.vars[var].ty, value)?;
            }
        }
        front.active.sort_unstable();
        Ok(())
    }
}

pub(super) fn has_barrier(program: &Program, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Barrier(..) | Stmt::Collective(..) => true,
        Stmt::Do(Expr { kind: Kind::Call(f, _), .. })
        | Stmt::Decl(_, Some(Init::Expr(Expr { kind: Kind::Call(f, _), .. }))) => {
            program.functions.get(*f).is_some_and(|f| f.body.iter().any(|s| has_barrier(program, s)))
        }
        _ => stmt.blocks().iter().any(|b| b.iter().any(|s| has_barrier(program, s))),
    }
}

//! Statements with barriers in them: all work-items of a group go through them together.

use super::super::ast::*;
use super::super::memory::{R, Reject};
use super::{Flow, Machine};

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
        Stmt::Barrier(..) => true,
        Stmt::Do(Expr { kind: Kind::Call(f, _), .. })
        | Stmt::Decl(_, Some(Init::Expr(Expr { kind: Kind::Call(f, _), .. }))) => {
            program.functions.get(*f).is_some_and(|f| f.body.iter().any(|s| has_barrier(program, s)))
        }
        _ => stmt.blocks().iter().any(|b| b.iter().any(|s| has_barrier(program, s))),
    }
}

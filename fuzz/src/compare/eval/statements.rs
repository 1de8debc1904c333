//! Statements of one work-item.

use super::super::arith;
use super::super::ast::*;
use super::super::memory::{R, Reject};
use super::values::{lane_of, lanewise, ordinary};
use super::{Flow, Machine, Val};

impl Machine<'_> {
    pub(super) fn block(&mut self, body: &[Stmt]) -> R<Flow> {
        let mark = self.items[self.current].stack.len();
        let mut flow = Flow::Next;
        for stmt in body {
            flow = self.stmt(stmt)?;
            if !matches!(flow, Flow::Next) {
                break;
            }
        }
        self.unwind(mark);
        Ok(flow)
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> R<Flow> {
        self.step()?;
        match stmt {
            Stmt::Decl(var, init) => self.declaration(*var, init.as_ref())?,
            Stmt::Assign(to, op, value) => self.assign(to, *op, value)?,
            Stmt::Do(e) => drop(self.value(e)?),
            Stmt::If(c, then, other) => {
                return if self.truth(c)? { self.block(then) } else { self.block(other) };
            }
            Stmt::For(var, from, to, by, body) => return self.for_loop(*var, from, to, *by, body),
            Stmt::While(first, c, body) => {
                let mut test = !first;
                loop {
                    if test && !self.truth(c)? {
                        break;
                    }
                    test = true;
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Stmt::Switch(value, arms) => return self.switch(value, arms),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(None) => return Ok(Flow::Return(Val::Void)),
            Stmt::Return(Some(e)) => return Ok(Flow::Return(self.value(e)?)),
            Stmt::Block(body) => return self.block(body),
            Stmt::Ahead(label, body) => {
                return Ok(match self.block(body)? {
                    Flow::Goto(l) if l == *label => Flow::Next,
                    flow => flow,
                });
            }
            Stmt::Back(label, body) => loop {
                self.step()?;
                match self.block(body)? {
                    Flow::Goto(l) if l == *label => {}
                    flow => return Ok(flow),
                }
            },
            Stmt::Goto(label) => return Ok(Flow::Goto(*label)),
            Stmt::Barrier(..) | Stmt::Collective(..) => {
                return Err(Reject("a barrier where work-items go their own ways"));
            }
            Stmt::Vstore(value, index, to) => self.vstore(value, index, to)?,
            Stmt::Atomic(op, to, value) => self.atomic(*op, to, value)?,
        }
        Ok(Flow::Next)
    }

    pub(super) fn declaration(&mut self, var: VarId, init: Option<&Init>) -> R<()> {
        let v = &self.program.vars[var];
        if v.space == Space::Local {
            return if init.is_none() { Ok(()) } else { Err(Reject("a local variable with a value")) };
        }
        // The value is computed before the variable is there.
        let value = match init {
            Some(Init::Expr(e)) => Some(self.value(e)?),
            _ => None,
        };
        let p = self.declare(var)?;
        match (value, init) {
            (Some(value), _) => self.store(p, &v.ty, value),
            (None, Some(init)) => self.init(p, &v.ty, init),
            (None, None) => Ok(()),
        }
    }

    pub(super) fn assign(&mut self, to: &Expr, op: Option<Binary>, value: &Expr) -> R<()> {
        let mut new = self.value(value)?;
        if let Some(op) = op {
            let (s, _) = to.ty.lanes().ok_or(Reject("an operator on no number"))?;
            let overflows = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
            if overflows && s.is_signed() && s.bytes() >= 4 || to.ty.lanes() != value.ty.lanes() {
                return Err(Reject("an operator that may overflow"));
            }
            let old = self.value(to)?;
            new = lanewise(&old, &new, |a, b| arith::binary(op, s, a, b))?;
        }
        ordinary(&new, &to.ty)?;
        if let Kind::Swizzle(base, lanes) = &to.kind {
            let (s, _) = base.ty.lanes().ok_or(Reject("lanes of no vector"))?;
            let p = self.place(base)?;
            for (n, lane) in lanes.iter().enumerate() {
                let at = self.memory.add(p, i64::from(*lane) * i64::from(s.bytes()))?;
                self.memory.write(at, s.bytes(), lane_of(&new, n)?)?;
            }
            return Ok(());
        }
        let p = self.place(to)?;
        self.store(p, &to.ty, new)
    }

    pub(super) fn for_loop(&mut self, var: VarId, from: &Expr, to: &Expr, by: u32, body: &[Stmt]) -> R<Flow> {
        let mark = self.items[self.current].stack.len();
        let from = self.value(from)?;
        let p = self.declare(var)?;
        self.store(p, &UINT, from)?;
        let mut result = Flow::Next;
        loop {
            self.step()?;
            let (i, end) = (self.memory.read(p, 4)?, lane_of(&self.value(to)?, 0)?);
            if i >= end {
                break;
            }
            match self.block(body)? {
                Flow::Break => break,
                Flow::Next | Flow::Continue => {}
                flow => {
                    result = flow;
                    break;
                }
            }
            let i = self.memory.read(p, 4)?;
            self.memory.write(p, 4, Scalar::U32.wrap(i + u64::from(by)))?;
        }
        self.unwind(mark);
        Ok(result)
    }

    pub(super) fn switch(&mut self, value: &Expr, arms: &[Arm]) -> R<Flow> {
        let value = self.scalar(value)?;
        let named = arms.iter().position(|a| a.labels.contains(&Some(value)));
        let start = named.or_else(|| arms.iter().position(|a| a.labels.contains(&None)));
        for arm in arms.iter().skip(start.unwrap_or(arms.len())) {
            match self.block(&arm.body)? {
                Flow::Break => break,
                Flow::Next if arm.falls => {}
                Flow::Next => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn vstore(&mut self, value: &Expr, index: &Expr, to: &Expr) -> R<()> {
        let (s, n) = value.ty.lanes().ok_or(Reject("vstore of no vector"))?;
        let to_store = &value.ty;
        let value = self.value(value)?;
        ordinary(&value, to_store)?;
        let p = self.element(index, to, u32::from(n) * s.bytes())?;
        self.memory.check_align(p, s.bytes())?;
        for lane in 0..n {
            let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
            self.memory.write(at, s.bytes(), lane_of(&value, usize::from(lane))?)?;
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, op: AtomicOp, to: &Expr, value: &Expr) -> R<()> {
        let s = match to.ty.pointer().map(|p| &p.to) {
            Some(Ty::Scalar(s)) if s.bytes() == 4 && !s.is_float() => *s,
            _ => return Err(Reject("an atomic of no int")),
        };
        let value = self.scalar(value)?;
        let p = self.pointer(to)?;
        self.memory.check_align(p, 4)?;
        let class = arith::class(op).ok_or(Reject("an atomic whose order shows"))?;
        self.memory.atomic(p, 4, class, |old| arith::atomic(op, s, old, value))
    }

    /// With its result, in memory that no other work-item uses meanwhile: so it is a read and a write.
    pub(super) fn fetch(&mut self, op: AtomicOp, list: &[Expr]) -> R<Val> {
        let Some((to, operands)) = list.split_first() else { return Err(Reject("an atomic of nothing")) };
        let s = match to.ty.pointer().map(|p| &p.to) {
            Some(Ty::Scalar(s)) if s.bytes() == 4 && !s.is_float() => *s,
            _ => return Err(Reject("an atomic of no int")),
        };
        let p = self.pointer(to)?;
        let values = operands.iter().map(|e| self.scalar(e)).collect::<R<Vec<u64>>>()?;
        self.memory.check_align(p, 4)?;
        let old = self.memory.read(p, 4)?;
        let value = values.last().copied().unwrap_or(1);
        let keeps = op == AtomicOp::CmpXchg && values.first() != Some(&old);
        self.memory.write(p, 4, if keeps { old } else { arith::atomic(op, s, old, value) })?;
        Ok(Val::Scalar(old))
    }

    pub(super) fn call(&mut self, f: usize, args: &[Expr]) -> R<Val> {
        let function = self.program.functions.get(f).ok_or(Reject("no such function"))?;
        let values = args.iter().map(|a| self.value(a)).collect::<R<Vec<_>>>()?;
        let mark = self.items[self.current].stack.len();
        self.bind(function, values)?;
        let flow = self.block(&function.body)?;
        self.unwind(mark);
        match flow {
            Flow::Next if function.result == Ty::Void => Ok(Val::Void),
            Flow::Return(value) => Ok(value),
            _ => Err(Reject("a function that ends without its result")),
        }
    }
}

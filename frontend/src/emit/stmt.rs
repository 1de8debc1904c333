//! Statements and control flow.
//!
//! Every construct is structured: a header with a merge instruction, a merge block after it, and for
//! loops a continue target. In an irregular function (see [`super::analysis`]) the same blocks are
//! made without the merge instructions. Code that cannot be reached is skipped in regular functions;
//! in irregular ones it is emitted, since a label may make it reachable, and dropped at the end.

use super::error::Emit;
use super::function::{FunctionEmitter, Targets};
use super::module::MAX_OPERANDS;
use crate::hir::{Block, Expr, Stmt, StmtKind, UnrollHint};
use crate::types::Type;
use spirv_io::Id;
use spirv_io::spirv::{LoopControl, Op, SelectionControl};

impl<'a> FunctionEmitter<'_, 'a> {
    /// A list of statements.
    pub fn block(&mut self, block: &'a Block) -> Emit<()> {
        let mut in_run = false;
        for stmt in &block.stmts {
            match (in_run, after_labels(stmt)) {
                // A further label of the run: its block is open already.
                (true, Some(inner)) => self.stmt(inner)?,
                _ => self.stmt(stmt)?,
            }
            in_run = after_labels(stmt).is_some_and(|inner| matches!(inner.kind, StmtKind::Empty));
        }
        Ok(())
    }

    /// One statement.
    pub fn stmt(&mut self, stmt: &'a Stmt) -> Emit<()> {
        let is_case = matches!(stmt.kind, StmtKind::Case { .. } | StmtKind::Default { .. });
        if self.body.current().is_none() && !self.facts.irregular && !is_case {
            return Ok(());
        }
        self.m.at = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.line(stmt.span);
                self.effect(expr)
            }
            StmtKind::Declare(local, init) => {
                self.declared_in_scope(*local);
                match init {
                    Some(init) => {
                        self.line(stmt.span);
                        self.declare(*local, init)
                    }
                    None => Ok(()),
                }
            }
            StmtKind::Block(block) => self.scoped(&block.stmts, stmt.span, |e| e.block(block)),
            StmtKind::If { cond, then, els } => self.if_stmt(cond, then, els.as_deref()),
            StmtKind::While { cond, body, unroll } => self.while_loop(Some(cond), None, body, *unroll),
            StmtKind::DoWhile { body, cond, unroll } => self.do_loop(body, cond, *unroll),
            StmtKind::For { init, cond, step, body, unroll } => self.scoped(init, stmt.span, |e| {
                init.iter().try_for_each(|stmt| e.stmt(stmt))?;
                e.while_loop(cond.as_ref(), step.as_ref(), body, *unroll)
            }),
            StmtKind::Switch { value, body } => self.switch(value, body),
            StmtKind::Case { .. } | StmtKind::Default { .. } => self.case(stmt),
            StmtKind::Break => match self.targets.last() {
                Some(targets) => {
                    self.branch(targets.break_to);
                    Ok(())
                }
                None => self.m.bug("break outside a loop or switch"),
            },
            StmtKind::Continue => match self.targets.iter().rev().find_map(|t| t.continue_to) {
                Some(target) => {
                    self.branch(target);
                    Ok(())
                }
                None => self.m.bug("continue outside a loop"),
            },
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), stmt),
            StmtKind::Goto(label) => match self.labels.get(label.0 as usize) {
                Some(target) => {
                    self.branch(*target);
                    Ok(())
                }
                None => self.m.bug("a label out of range"),
            },
            StmtKind::Label { label, body } => {
                match self.labels.get(label.0 as usize) {
                    Some(target) => self.enter(*target),
                    None => return self.m.bug("a label out of range"),
                }
                self.stmt(body)
            }
            StmtKind::Empty => Ok(()),
        }
    }

    fn return_stmt(&mut self, value: Option<&'a Expr>, stmt: &Stmt) -> Emit<()> {
        self.line(stmt.span);
        match value {
            Some(value) if !matches!(self.m.program.types.get(self.f.ret), Type::Void) => {
                let value = self.rvalue(value)?;
                self.ensure_block();
                self.body.terminate(Op::ReturnValue, &[value.0], &[]);
                Ok(())
            }
            other => {
                if let Some(value) = other {
                    self.effect(value)?;
                }
                self.fall_off_the_end()
            }
        }
    }

    /// Ends the open block with a branch.
    pub fn branch(&mut self, target: Id) {
        self.body.terminate(Op::Branch, &[target.0], &[target]);
    }

    /// Ends the open block, if there is one, by falling into `label`, and opens that.
    pub fn enter(&mut self, label: Id) {
        self.branch(label);
        self.body.open(label);
    }

    /// Opens the merge block of a construct. Where nothing branches to it, it ends at once.
    fn merge_block(&mut self, label: Id, reached: bool) {
        self.branch(label);
        self.body.open(label);
        if !reached && !self.facts.irregular {
            self.body.terminate(Op::Unreachable, &[], &[]);
        }
    }

    /// Branches on a bool.
    pub fn branch_on(&mut self, cond: Id, yes: Id, no: Id) {
        self.ensure_block();
        self.body.terminate(Op::BranchConditional, &[cond.0, yes.0, no.0], &[yes, no]);
    }

    /// OpSelectionMerge, where merge instructions are written.
    pub fn selection_merge(&mut self, merge: Id) {
        if !self.facts.irregular {
            self.op_void(Op::SelectionMerge, &[merge.0, SelectionControl::NONE.bits()]);
        }
    }

    fn if_stmt(&mut self, cond: &'a Expr, then: &'a Stmt, els: Option<&'a Stmt>) -> Emit<()> {
        self.line(cond.span);
        let cond = self.condition(cond)?;
        let (yes, merge) = (self.m.b.id(), self.m.b.id());
        let no = if els.is_some() { self.m.b.id() } else { merge };
        self.selection_merge(merge);
        self.branch_on(cond, yes, no);
        self.body.open(yes);
        self.stmt(then)?;
        let mut reached = self.body.current().is_some() || els.is_none();
        self.branch(merge);
        if let Some(els) = els {
            self.body.open(no);
            self.stmt(els)?;
            reached |= self.body.current().is_some();
        }
        self.merge_block(merge, reached);
        Ok(())
    }

    /// `while` and `for`: header, test, body, step (the continue target), merge.
    fn while_loop(
        &mut self,
        cond: Option<&'a Expr>,
        step: Option<&'a Expr>,
        body: &'a Stmt,
        unroll: Option<UnrollHint>,
    ) -> Emit<()> {
        let [header, test, inside, next, merge] = std::array::from_fn(|_| self.m.b.id());
        self.enter(header);
        self.loop_merge(merge, next, unroll);
        self.enter(test);
        let always = match cond {
            Some(cond) => {
                self.line(cond.span);
                let cond = self.condition(cond)?;
                if self.m.known(cond) == Some(1) {
                    self.branch(inside);
                    true
                } else {
                    self.branch_on(cond, inside, merge);
                    false
                }
            }
            None => {
                self.branch(inside);
                true
            }
        };
        self.body.open(inside);
        self.targets.push(Targets { break_to: merge, continue_to: Some(next) });
        self.stmt(body)?;
        self.targets.pop();
        self.enter(next);
        if let Some(step) = step {
            self.line(step.span);
            self.effect(step)?;
        }
        self.branch(header);
        let reached = !always || self.body.branched_to(merge);
        self.merge_block(merge, reached);
        Ok(())
    }

    fn do_loop(&mut self, body: &'a Stmt, cond: &'a Expr, unroll: Option<UnrollHint>) -> Emit<()> {
        let [header, inside, next, merge] = std::array::from_fn(|_| self.m.b.id());
        self.enter(header);
        self.loop_merge(merge, next, unroll);
        self.enter(inside);
        self.targets.push(Targets { break_to: merge, continue_to: Some(next) });
        self.stmt(body)?;
        self.targets.pop();
        self.enter(next);
        self.line(cond.span);
        let cond = self.condition(cond)?;
        if self.m.known(cond) == Some(1) {
            self.branch(header);
        } else {
            self.branch_on(cond, header, merge);
        }
        let reached = self.body.branched_to(merge);
        self.merge_block(merge, reached);
        Ok(())
    }

    /// OpLoopMerge, where merge instructions are written.
    pub fn loop_merge(&mut self, merge: Id, next: Id, unroll: Option<UnrollHint>) {
        if self.facts.irregular {
            return;
        }
        // Partial counts came with SPIR-V 1.4.
        let control = match unroll {
            None => LoopControl::NONE,
            Some(UnrollHint::Disable | UnrollHint::Count(1)) => LoopControl::DONT_UNROLL,
            Some(UnrollHint::Full | UnrollHint::Count(_)) => LoopControl::UNROLL,
        };
        self.op_void(Op::LoopMerge, &[merge.0, next.0, control.bits()]);
    }

    fn switch(&mut self, value: &'a Expr, body: &'a Stmt) -> Emit<()> {
        self.line(value.span);
        let (scalar, _) = self.m.arithmetic(value.ty.ty)?;
        let value = self.rvalue(value)?;
        let mut found = Cases::default();
        match &body.kind {
            StmtKind::Block(block) => found.block(block),
            _ => {
                found.stmt(body, None);
            }
        }
        let merge = self.m.b.id();
        let blocks: Vec<Id> = (0..found.blocks).map(|_| self.m.b.id()).collect();
        let default = found.default.map_or(merge, |block| blocks[block]);
        let mut operands = vec![value.0, default.0];
        let mut successors = vec![default];
        for (case, block) in &found.values {
            operands.push(*case as u32);
            if scalar.size() == 8 {
                operands.push((*case >> 32) as u32);
            }
            operands.push(blocks[*block].0);
            successors.push(blocks[*block]);
        }
        if operands.len() > MAX_OPERANDS {
            return self.m.fail("switch-too-large", "the switch has too many cases");
        }
        self.selection_merge(merge);
        self.ensure_block();
        self.body.terminate(Op::Switch, &operands, &successors);
        self.cases.push(blocks.into_iter().rev().collect());
        self.targets.push(Targets { break_to: merge, continue_to: None });
        match &body.kind {
            // Directly, since a block that nothing falls into would be skipped as unreachable.
            StmtKind::Block(block) => self.scoped(&block.stmts, body.span, |e| e.block(block))?,
            _ => self.stmt(body)?,
        }
        self.targets.pop();
        self.cases.pop();
        let reached = self.body.current().is_some() || self.body.branched_to(merge);
        self.merge_block(merge, reached);
        Ok(())
    }

    /// A run of case labels: one block.
    fn case(&mut self, stmt: &'a Stmt) -> Emit<()> {
        match self.cases.last_mut().and_then(Vec::pop) {
            Some(block) => self.enter(block),
            None => return self.m.bug("a case label outside its switch"),
        }
        after_labels(stmt).map_or(Ok(()), |inner| self.stmt(inner))
    }
}

/// The statement after a run of case labels; `None` where the statement has none.
fn after_labels(stmt: &Stmt) -> Option<&Stmt> {
    let mut inner = stmt;
    while let StmtKind::Case { body, .. } | StmtKind::Default { body } = &inner.kind {
        inner = body;
    }
    (!std::ptr::eq(inner, stmt)).then_some(inner)
}

/// The case labels of one switch. Labels that follow each other directly share a block; blocks are
/// numbered in the order in which [`FunctionEmitter::stmt`] comes to them.
#[derive(Debug, Default)]
struct Cases {
    values: Vec<(i64, usize)>,
    default: Option<usize>,
    blocks: usize,
}

impl Cases {
    fn block(&mut self, block: &Block) {
        let mut run = None;
        for stmt in &block.stmts {
            run = self.stmt(stmt, run);
        }
    }

    /// `run`: the block of the label right before this statement. Gives the block of the labels that this
    /// statement consists of, if it is nothing else.
    fn stmt(&mut self, stmt: &Stmt, run: Option<usize>) -> Option<usize> {
        match &stmt.kind {
            StmtKind::Case { body, .. } | StmtKind::Default { body } => {
                let block = run.unwrap_or_else(|| {
                    self.blocks += 1;
                    self.blocks - 1
                });
                match &stmt.kind {
                    StmtKind::Case { value, .. } => self.values.push((*value, block)),
                    _ => self.default = Some(block),
                }
                return match body.kind {
                    StmtKind::Empty => Some(block),
                    _ => self.stmt(body, Some(block)),
                };
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { then, els, .. } => {
                self.stmt(then, None);
                if let Some(els) = els {
                    self.stmt(els, None);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Label { body, .. } => {
                self.stmt(body, None);
            }
            // The labels in an inner switch are its own.
            StmtKind::Switch { .. } => {}
            StmtKind::Expr(_) | StmtKind::Declare(..) | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Empty => {}
        }
        None
    }
}

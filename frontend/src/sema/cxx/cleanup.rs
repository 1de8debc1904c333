//! What is destroyed at the end of a block, of a loop's body, of a function, of an expression.

use super::{Cleanup, Kind};
use crate::hir::{Block, Expr, ExprKind, LocalId, Stmt, StmtKind};
use crate::sema::context::Sema;
use crate::source::Span;
use crate::types::QualType;

impl Sema<'_> {
    /// Returns whether objects of the type are destroyed by a function.
    pub(in crate::sema) fn destroys(&self, ty: crate::types::TypeId) -> bool {
        let mut ty = ty;
        while let crate::types::Type::Array(element, _) = self.types.get(ty) {
            ty = element.ty;
        }
        self.class_of(ty).and_then(|id| self.class_facts(id)).is_some_and(|c| c.destroys)
    }

    /// Begins a block.
    pub(in crate::sema) fn begin_cleanup(&mut self) {
        self.cxx.cleanups.push(Cleanup::default());
    }

    /// Begins the body of a loop or a switch.
    pub(in crate::sema) fn begin_breakable_cleanup(&mut self, is_loop: bool) {
        let kind = if is_loop { Kind::Loop } else { Kind::Switch };
        self.cxx.cleanups.push(Cleanup { kind, objects: Vec::new() });
    }

    /// Ends the body of a loop or a switch.
    pub(in crate::sema) fn end_breakable_cleanup(&mut self) {
        self.cxx.cleanups.pop();
    }

    /// An object to be destroyed at the end of the block.
    pub(in crate::sema) fn add_cleanup(&mut self, local: LocalId, ty: QualType) {
        if self.destroys(ty.ty)
            && let Some(cleanup) = self.cxx.cleanups.last_mut()
        {
            cleanup.objects.push((local, ty));
        }
    }

    /// Ends a block: its objects are destroyed where its end is reached.
    pub(in crate::sema) fn end_cleanup(&mut self, stmts: &mut Vec<Stmt>, span: Span) {
        let Some(cleanup) = self.cxx.cleanups.pop() else { return };
        if cleanup.objects.is_empty() || stmts.last().is_some_and(leaves) {
            return;
        }
        for (local, ty) in cleanup.objects.into_iter().rev() {
            let stmt = self.destroy_local(local, ty, span);
            stmts.push(stmt);
        }
    }

    /// A jump out of blocks: what they have is destroyed before.
    pub(in crate::sema) fn leaving(&mut self, kind: StmtKind, span: Span) -> StmtKind {
        let stop = match kind {
            StmtKind::Break => {
                self.cxx.cleanups.iter().rposition(|c| matches!(c.kind, Kind::Loop | Kind::Switch))
            }
            StmtKind::Continue => self.cxx.cleanups.iter().rposition(|c| c.kind == Kind::Loop),
            _ => None,
        };
        let from = stop.unwrap_or(0);
        let objects: Vec<(LocalId, QualType)> =
            self.cxx.cleanups[from..].iter().flat_map(|c| c.objects.iter().copied()).collect();
        if objects.is_empty() {
            return kind;
        }
        let mut stmts = Vec::new();
        for (local, ty) in objects.into_iter().rev() {
            let stmt = self.destroy_local(local, ty, span);
            stmts.push(stmt);
        }
        stmts.push(Stmt { kind, span });
        StmtKind::Block(Block { stmts })
    }

    /// A `return`: its value is computed before objects are destroyed. A variable that is returned moves to the caller.
    pub(in crate::sema) fn returning(&mut self, value: Option<Expr>, span: Span) -> StmtKind {
        let moved = match &value {
            Some(Expr { kind: ExprKind::Load(inner), .. }) => match inner.kind {
                ExprKind::Local(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let objects: Vec<(LocalId, QualType)> = self
            .cxx
            .cleanups
            .iter()
            .flat_map(|c| c.objects.iter().copied())
            .filter(|(local, _)| Some(*local) != moved)
            .collect();
        let temporaries = std::mem::take(&mut self.cxx.temporaries);
        if objects.is_empty() && temporaries.is_empty() {
            return StmtKind::Return(value);
        }
        let mut stmts = Vec::new();
        let value = value.map(|value| {
            let ty = QualType::new(value.ty.ty);
            let at = value.span;
            let local = self.new_local(None, ty, at);
            let init = Some(crate::hir::Init::Whole(value));
            stmts.push(Stmt { kind: StmtKind::Declare(local, init), span: at });
            let place = Expr { kind: ExprKind::Local(local), ty, span: at };
            crate::sema::convert::rvalue(ExprKind::Load(Box::new(place)), ty.ty, at)
        });
        for (local, ty) in temporaries.into_iter().rev().chain(objects.into_iter().rev()) {
            let stmt = self.destroy_local(local, ty, span);
            stmts.push(stmt);
        }
        stmts.push(Stmt { kind: StmtKind::Return(value), span });
        StmtKind::Block(Block { stmts })
    }

    /// The end of a full expression: its objects without a name are destroyed.
    pub(in crate::sema) fn end_full_expression(
        &mut self,
        from: usize,
        kind: StmtKind,
        span: Span,
    ) -> StmtKind {
        if self.cxx.temporaries.len() <= from {
            return kind;
        }
        let objects = self.cxx.temporaries.split_off(from);
        let mut stmts = vec![Stmt { kind, span }];
        for (local, ty) in objects.into_iter().rev() {
            let stmt = self.destroy_local(local, ty, span);
            stmts.push(stmt);
        }
        StmtKind::Block(Block { stmts })
    }

    /// The end of the full expression that a condition is: its value is kept while objects are destroyed.
    pub(in crate::sema) fn end_full_value(&mut self, from: usize, value: Expr) -> Expr {
        if self.cxx.temporaries.len() <= from || self.function.is_none() {
            return value;
        }
        let objects = self.cxx.temporaries.split_off(from);
        let (ty, span) = (QualType::new(value.ty.ty), value.span);
        let local = self.new_local(None, ty, span);
        let init = Some(crate::hir::Init::Whole(value));
        let mut stmts = vec![Stmt { kind: StmtKind::Declare(local, init), span }];
        for (local, ty) in objects.into_iter().rev() {
            let stmt = self.destroy_local(local, ty, span);
            stmts.push(stmt);
        }
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let value = crate::sema::convert::rvalue(ExprKind::Load(Box::new(place)), ty.ty, span);
        let value = Some(Box::new(value));
        crate::sema::convert::rvalue(ExprKind::Statements { block: Block { stmts }, value }, ty.ty, span)
    }

    fn destroy_local(&mut self, local: LocalId, ty: QualType, span: Span) -> Stmt {
        let object = Expr { kind: ExprKind::Local(local), ty, span };
        let kind = self.destroy(object, span);
        Stmt { kind, span }
    }
}

/// Returns whether the end of a statement is never reached.
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => true,
        StmtKind::Block(block) => block.stmts.last().is_some_and(leaves),
        _ => false,
    }
}

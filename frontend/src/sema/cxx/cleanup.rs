//! What is destroyed at the end of a block, of a loop's body, of a function, of an expression.

use super::{Cleanup, Kind};
use crate::hir::{Block, Constant, Expr, ExprKind, LocalId, Stmt, StmtKind};
use crate::sema::context::{Jump, Live, Sema};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{QualType, Types};

/// The flags that say which objects without a name were made.
#[derive(Debug, Default)]
pub(in crate::sema) struct Flags {
    /// Those that the whole expression begins without.
    zeroed: Vec<LocalId>,
    /// Those that the operand sets.
    set: Vec<LocalId>,
}

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

    /// The end of the full expression that is evaluated for its effects alone.
    pub(in crate::sema) fn end_full_effect(&mut self, from: usize, effect: Expr) -> Expr {
        if self.cxx.temporaries.len() <= from {
            return effect;
        }
        let span = effect.span;
        let kind = self.end_full_expression(from, StmtKind::Expr(effect), span);
        let block = Block { stmts: vec![Stmt { kind, span }] };
        crate::sema::convert::rvalue(ExprKind::Statements { block, value: None }, Types::VOID, span)
    }

    // ---- objects without a name that may not be made ----

    /// The flags of objects without a name that nodes made, behind one node up to another, where those may not be evaluated.
    pub(in crate::sema) fn conditional_objects(&mut self, first: u32, end: u32) -> Flags {
        let nodes = self.cxx.made.iter().filter(|(node, _)| *node > first && *node <= end);
        let lives = |local: &LocalId| self.cxx.temporaries.iter().any(|(id, _)| id == local);
        let list: Vec<LocalId> = nodes.flat_map(|(_, made)| made.iter().copied()).filter(lives).collect();
        let Some(function) = self.function.as_ref().map(|f| f.id) else { return Flags::default() };
        let mut flags = Flags::default();
        for local in list {
            let known = self.cxx.flags.get(&(function, local)).copied();
            if let Some(flag) = known {
                flags.zeroed.push(flag);
                continue;
            }
            let flag = self.new_local(None, QualType::new(Types::BOOL), Span::NONE);
            self.cxx.flags.insert((function, local), flag);
            flags.zeroed.push(flag);
            flags.set.push(flag);
        }
        flags
    }

    /// An operand that may not be evaluated, which says that its objects are made.
    pub(in crate::sema) fn with_objects(&mut self, flags: &Flags, operand: Expr) -> Expr {
        self.after_flags(&flags.set, true, operand)
    }

    /// An expression of which no object is made at first.
    pub(in crate::sema) fn without_objects(&mut self, flags: &[Flags], whole: Expr) -> Expr {
        let zeroed: Vec<LocalId> = flags.iter().flat_map(|f| f.zeroed.iter().copied()).collect();
        self.after_flags(&zeroed, false, whole)
    }

    fn after_flags(&mut self, flags: &[LocalId], value: bool, e: Expr) -> Expr {
        if flags.is_empty() || crate::sema::convert::is_error(&e) {
            return e;
        }
        let (span, ty) = (e.span, e.ty);
        let stmts = flags.iter().map(|flag| set_flag(*flag, value, span)).collect();
        if e.kind.is_lvalue() {
            let pointer = self.address_of_object(e);
            let to = pointer.ty.ty;
            let kind = ExprKind::Statements { block: Block { stmts }, value: Some(Box::new(pointer)) };
            let pointer = crate::sema::convert::rvalue(kind, to, span);
            return Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span };
        }
        let kind = ExprKind::Statements { block: Block { stmts }, value: Some(Box::new(e)) };
        crate::sema::convert::rvalue(kind, ty.ty, span)
    }

    // ---- jumps to labels ----

    /// The objects that are to be destroyed, outermost first.
    fn live_objects(&self) -> Vec<(LocalId, QualType)> {
        self.cxx.cleanups.iter().flat_map(|c| c.objects.iter().copied()).collect()
    }

    /// Where the initialized variables are declared that live here, outermost first.
    pub(in crate::sema) fn initialized_variables(&self) -> impl Iterator<Item = &Span> {
        self.scopes.iter().skip(2).flat_map(|scope| &scope.initialized)
    }

    /// Notes an initialized variable.
    pub(in crate::sema) fn note_initialized(&mut self, at: Span) {
        if !self.at_file_scope() {
            self.scope().initialized.push(at);
        }
    }

    fn live_here(&self) -> Live {
        Live {
            objects: self.live_objects().into_iter().map(|(local, _)| local).collect(),
            initialized: self.initialized_variables().copied().collect(),
        }
    }

    /// Notes what lives where a label stands.
    pub(in crate::sema) fn note_label(&mut self, name: Symbol) {
        let live = self.live_here();
        if let Some(function) = &mut self.function {
            function.label_objects.insert(name, live);
        }
    }

    /// Reports a jump that bypasses an initialization.
    pub(in crate::sema) fn passes_declaration(&mut self, jump: Span, declared: Span) {
        let message = "this jump bypasses the initialization of a variable";
        self.error("jump-into-scope", jump, message).note(declared, "it is declared here");
    }

    fn check_passed(&mut self, here: &Live, there: &Live, jump: Span) -> bool {
        let passed = there.initialized.iter().find(|at| !here.initialized.contains(at)).copied();
        if let Some(at) = passed {
            self.passes_declaration(jump, at);
        }
        passed.is_some()
    }

    /// A `goto` destroys the objects that do not live at its label. Those at a later label are not known yet: a flag for each object decides,
    /// and [`Self::left_objects`] sets the flags.
    pub(in crate::sema) fn cxx_goto(&mut self, name: Symbol, jump: StmtKind, span: Span) -> StmtKind {
        let objects = self.live_objects();
        let live = self.live_here();
        let Some(function) = &self.function else { return jump };
        let mut stmts = Vec::new();
        if let Some(there) = function.label_objects.get(&name).cloned() {
            for (local, ty) in objects.into_iter().rev().filter(|(local, _)| !there.objects.contains(local)) {
                stmts.push(self.destroy_local(local, ty, span));
            }
            self.check_passed(&live, &there, span);
        } else {
            let mut leaves = Vec::new();
            for (local, ty) in objects.into_iter().rev() {
                let flag = self.new_local(None, QualType::new(Types::BOOL), span);
                let then = Box::new(self.destroy_local(local, ty, span));
                stmts.push(Stmt {
                    kind: StmtKind::If { cond: flag_value(flag, span), then, els: None },
                    span,
                });
                leaves.push(flag);
            }
            leaves.reverse();
            if let Some(function) = &mut self.function {
                function.jumps.push(Jump { label: name, span, live, leaves });
            }
        }
        if stmts.is_empty() {
            return jump;
        }
        stmts.push(Stmt { kind: jump, span });
        StmtKind::Block(Block { stmts })
    }

    /// The first statements of a function: what its jumps to later labels leave. Checks that those bypass no initialization.
    pub(in crate::sema) fn left_objects(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let Some(function) = &mut self.function else { return stmts };
        for Jump { label, span, live, leaves } in std::mem::take(&mut function.jumps) {
            let labels = self.function.as_ref().map(|f| &f.label_objects);
            let there = labels.and_then(|l| l.get(&label)).cloned().unwrap_or_default();
            self.check_passed(&live, &there, span);
            for (object, flag) in live.objects.iter().zip(leaves) {
                stmts.push(Stmt { kind: StmtKind::Declare(flag, None), span });
                stmts.push(set_flag(flag, !there.objects.contains(object), span));
            }
        }
        stmts
    }

    fn destroy_local(&mut self, local: LocalId, ty: QualType, span: Span) -> Stmt {
        let object = Expr { kind: ExprKind::Local(local), ty, span };
        let kind = self.destroy(object, span);
        let function = self.function.as_ref().map(|f| f.id);
        let flag = function.and_then(|f| self.cxx.flags.get(&(f, local)).copied());
        let Some(flag) = flag else { return Stmt { kind, span } };
        // It may not have been made.
        let cond = flag_value(flag, span);
        let then = Box::new(Stmt { kind, span });
        Stmt { kind: StmtKind::If { cond, then, els: None }, span }
    }
}

fn flag_place(flag: LocalId, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(flag), ty: QualType::new(Types::BOOL), span }
}

fn flag_value(flag: LocalId, span: Span) -> Expr {
    let load = ExprKind::Load(Box::new(flag_place(flag, span)));
    crate::sema::convert::rvalue(load, Types::BOOL, span)
}

/// The statement that sets a flag.
fn set_flag(flag: LocalId, value: bool, span: Span) -> Stmt {
    let rhs = ExprKind::Constant(Constant::Int(value.into()));
    let rhs = Box::new(crate::sema::convert::rvalue(rhs, Types::BOOL, span));
    let kind = ExprKind::Assign { lhs: Box::new(flag_place(flag, span)), rhs };
    let set = crate::sema::convert::rvalue(kind, Types::BOOL, span);
    Stmt { kind: StmtKind::Expr(set), span }
}

/// Returns whether the end of a statement is never reached.
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => true,
        StmtKind::Block(block) => block.stmts.last().is_some_and(leaves),
        _ => false,
    }
}

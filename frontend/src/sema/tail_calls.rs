//! Functions that call themselves as the last thing they do: the call becomes a jump to the beginning with other
//! arguments, as LLVM makes it. OpenCL C has no recursion (§6.11, i), but clang compiles it, and programs have this form.

use super::context::{FunctionContext, Sema};
use crate::hir::{Block, Expr, ExprKind, FunctionId, Init, LabelId, Local, LocalId, Stmt, StmtKind};
use crate::source::Span;
use crate::types::{AddressSpace, QualType, Type, TypeId};

impl Sema<'_> {
    /// Rewrites the body of a function whose calls of itself are all tail calls; any other is left as it is, for
    /// [`Sema::check_recursion`] to report.
    pub(super) fn loop_tail_calls(
        &mut self,
        id: FunctionId,
        context: &mut FunctionContext,
        block: &mut Block,
    ) {
        let self_calls = context.self_calls;
        if self_calls == 0 || context.is_kernel || context.block.is_some() {
            return;
        }
        let params = self.functions.get(id.0 as usize).map_or(0, |f| f.param_count);
        let ends_void = context.ret == crate::types::Types::VOID;
        // A pointer to this call's variables must not reach the next, which has the same.
        let types = context.locals.iter().take(params).map(|l| l.ty.ty);
        if context.addressed && types.into_iter().any(|ty| self.may_point_to_private(ty, 0)) {
            return;
        }
        let label = LabelId(context.label_list.len() as u32);
        let mut rewriter = Rewriter { id, label, params, locals: context.locals.clone(), rewritten: 0 };
        let mut body = block.clone();
        rewriter.list(&mut body.stmts, ends_void);
        if rewriter.rewritten != self_calls {
            return;
        }
        let span = body.stmts.first().map_or(Span::default(), |s| s.span);
        let start = Stmt {
            kind: StmtKind::Label { label, body: Box::new(Stmt { kind: StmtKind::Empty, span }) },
            span,
        };
        body.stmts.insert(0, start);
        context.locals = rewriter.locals;
        context.label_list.push((context.name, span));
        *block = body;
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.calls.retain(|(callee, _)| *callee != id);
        }
    }

    fn may_point_to_private(&self, ty: TypeId, depth: u32) -> bool {
        match self.types.get(ty) {
            Type::Pointer(p) => matches!(p.space, AddressSpace::Private | AddressSpace::Generic),
            Type::Array(element, _) => self.may_point_to_private(element.ty, depth),
            Type::Record(id) if depth < 64 => {
                let fields = self.types.record(*id).fields.as_deref().unwrap_or_default();
                fields.iter().any(|f| self.may_point_to_private(f.ty.ty, depth + 1))
            }
            _ => false,
        }
    }
}

struct Rewriter {
    id: FunctionId,
    /// The beginning of the body.
    label: LabelId,
    params: usize,
    locals: Vec<Local>,
    rewritten: u32,
}

impl Rewriter {
    /// A list of statements; `ends`: behind its last one a function that returns nothing ends.
    fn list(&mut self, stmts: &mut [Stmt], ends: bool) {
        for i in 0..stmts.len() {
            let followed = match stmts.get(i + 1).map(|s| &s.kind) {
                None => ends,
                Some(StmtKind::Return(None)) => true,
                Some(_) => false,
            };
            if let Some(stmt) = stmts.get_mut(i) {
                self.statement(stmt, followed);
            }
        }
    }

    /// A statement; `ends`: after it the function returns nothing.
    fn statement(&mut self, stmt: &mut Stmt, ends: bool) {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Return(Some(value)) if self.is_tail(value) => {
                let value = std::mem::replace(
                    value,
                    Expr { kind: ExprKind::Error, ty: QualType::new(crate::types::Types::ERROR), span },
                );
                stmt.kind = self.returned(value, span);
            }
            StmtKind::Expr(e) if ends && self.is_call(e) => {
                let e = std::mem::replace(
                    e,
                    Expr { kind: ExprKind::Error, ty: QualType::new(crate::types::Types::ERROR), span },
                );
                stmt.kind = self.jump(e, span);
            }
            StmtKind::Block(block) => self.list(&mut block.stmts, ends),
            StmtKind::If { then, els, .. } => {
                self.statement(then, ends);
                if let Some(els) = els {
                    self.statement(els, ends);
                }
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
                self.statement(body, false);
            }
            StmtKind::Switch { body, .. } => self.statement(body, false),
            StmtKind::Case { body, .. } | StmtKind::Default { body } | StmtKind::Label { body, .. } => {
                self.statement(body, ends);
            }
            _ => {}
        }
    }

    fn is_call(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Call { function, .. } if function == self.id)
    }

    /// Returns whether a returned value is a call of the function, on one arm at least.
    fn is_tail(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Conditional { then, els, .. } => self.is_tail(then) || self.is_tail(els),
            _ => self.is_call(e),
        }
    }

    /// `return value`, whose value is a call on some arm.
    fn returned(&mut self, value: Expr, span: Span) -> StmtKind {
        if self.is_call(&value) {
            return self.jump(value, span);
        }
        match value.kind {
            ExprKind::Conditional { cond, then, els } if self.is_tail(&then) || self.is_tail(&els) => {
                let mut arm = |e: Expr| Box::new(Stmt { kind: self.returned(e, span), span });
                let (then, els) = (arm(*then), arm(*els));
                StmtKind::If { cond: *cond, then, els: Some(els) }
            }
            _ => StmtKind::Return(Some(value)),
        }
    }

    /// The parameters get the arguments' values, all of which are computed first; then the body begins again.
    fn jump(&mut self, call: Expr, span: Span) -> StmtKind {
        let ExprKind::Call { args, .. } = call.kind else { return StmtKind::Empty };
        self.rewritten += 1;
        let (mut stmts, mut assignments) = (Vec::new(), Vec::new());
        for (i, arg) in args.into_iter().take(self.params).enumerate() {
            let param = LocalId(i as u32);
            let Some(ty) = self.locals.get(i).map(|l| l.ty) else { continue };
            let unchanged = matches!(&arg.kind, ExprKind::Load(from) if matches!(from.kind, ExprKind::Local(id) if id == param));
            if unchanged {
                continue;
            }
            let ty = QualType::new(ty.ty);
            let temporary = LocalId(self.locals.len() as u32);
            self.locals.push(Local { name: None, ty, written_type: None, aligned: None, span });
            stmts.push(Stmt { kind: StmtKind::Declare(temporary, Some(Init::Whole(arg))), span });
            let place = |id| Expr { kind: ExprKind::Local(id), ty, span };
            let load = Expr { kind: ExprKind::Load(Box::new(place(temporary))), ty, span };
            let assign = ExprKind::Assign { lhs: Box::new(place(param)), rhs: Box::new(load) };
            assignments.push(Stmt { kind: StmtKind::Expr(Expr { kind: assign, ty, span }), span });
        }
        stmts.extend(assignments);
        stmts.push(Stmt { kind: StmtKind::Goto(self.label), span });
        StmtKind::Block(Block { stmts })
    }
}

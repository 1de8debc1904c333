//! Forms of C11 and of GNU C that OpenCL compilers take: `_Generic`, `a ?: b`, `({ … })`.

use super::context::Sema;
use super::convert::{error_expr, is_error, rvalue};
use super::expr::Typing;
use crate::hir::{Expr, ExprKind, Stmt, StmtKind};
use crate::source::Span;
use crate::syntax::declaration::Row;
use crate::types::{QualType, TypeId, Types};

impl Sema<'_> {
    /// The middle operand of `cond ?: other`: the value of `cond`, which is computed once.
    pub(super) fn omitted_operand(&mut self, cond: &mut Expr) -> Expr {
        let span = cond.span;
        let value = self.to_rvalue(std::mem::replace(cond, error_expr(span)));
        if is_error(&value) || self.function.is_none() || matches!(value.kind, ExprKind::Constant(_)) {
            *cond = value;
            return cond.clone();
        }
        let ty = QualType::new(value.ty.ty);
        let local = self.new_local(None, ty, span);
        let place = || Expr { kind: ExprKind::Local(local), ty, span };
        let assign = ExprKind::Assign { lhs: Box::new(place()), rhs: Box::new(value) };
        *cond = rvalue(assign, ty.ty, span);
        place()
    }

    /// `({ … })`: the value is that of the last statement if it is an expression. `end` is the number behind its nodes.
    pub(super) fn statement_expression(
        &mut self,
        typing: &mut Typing,
        items: Row,
        end: u32,
        span: Span,
    ) -> Expr {
        if self.function.is_none() {
            let message = "a statement expression can only stand in a function";
            self.error("local-outside-function", span, message);
            while typing.tree.problems.pop_if(|p| p.before < end && !p.fatal).is_some() {}
            return error_expr(span);
        }
        let outer = match &mut self.function {
            Some(f) => f.statement_expression.replace(f.breakables.len()),
            None => None,
        };
        let (block, value) = self.in_scope(|p| {
            let mut block = p.block_items(typing, items);
            if let Some(function) = &mut p.function {
                function.statement_expression = outer;
            }
            let value = match block.stmts.pop() {
                Some(Stmt { kind: StmtKind::Expr(e), .. }) if e.ty.ty != Types::VOID || is_error(&e) => {
                    Some(p.to_rvalue(e))
                }
                last => {
                    block.stmts.extend(last);
                    None
                }
            };
            (block, value)
        });
        match value {
            Some(value) if is_error(&value) => error_expr(span),
            Some(value) => {
                let ty = value.ty.ty;
                rvalue(ExprKind::Statements { block, value: Some(Box::new(value)) }, ty, span)
            }
            None => rvalue(ExprKind::Statements { block, value: None }, Types::VOID, span),
        }
    }

    /// `_Generic ( expression , type : expression , … default : expression )` (C11 §6.5.1.1): the types (none for
    /// `default`), expressions and places of the associations. The expressions that are not chosen are checked, and produce
    /// nothing.
    pub(super) fn generic_selection(
        &mut self,
        control: Expr,
        associations: Vec<(Option<TypeId>, Expr, Span)>,
        span: Span,
    ) -> Expr {
        let control = self.to_rvalue(control);
        let (mut chosen, mut default) = (None, None);
        for (ty, e, at) in associations {
            let slot = match ty {
                None => &mut default,
                Some(ty) if self.same_type(ty, control.ty.ty) => &mut chosen,
                Some(_) => continue,
            };
            if slot.replace(e).is_some() {
                self.error("generic-selection", at, "two associations of '_Generic' are for the same type");
            }
        }
        if is_error(&control) {
            return error_expr(span);
        }
        if let Some(e) = chosen.or(default) {
            return Expr { span, ..e };
        }
        let ty = self.type_id_text(control.ty.ty);
        self.error("generic-selection", span, format!("no association of '_Generic' is for the type '{ty}'"));
        error_expr(span)
    }
}

//! Forms of C11 and of GNU C that OpenCL compilers take: `_Generic`, `a ?: b`, `({ … })`, `__builtin_offsetof`,
//! `__builtin_expect`, `__builtin_assume`.

use super::convert::{error_expr, is_error, rvalue};
use super::operators::Prefix;
use super::parser::Parser;
use super::vector::Access;
use crate::hir::{CastKind, Constant, Expr, ExprKind, Stmt, StmtKind};
use crate::source::Span;
use crate::symbol::kw;
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

impl Parser<'_> {
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

    /// `({ … })`, at the `(`: the value is that of the last statement if it is an expression.
    pub(super) fn parse_statement_expression(&mut self) -> Expr {
        let start = self.bump().span;
        if self.function.is_none() {
            let message = "a statement expression can only stand in a function";
            self.error("local-outside-function", start, message);
            self.skip_group();
            self.close(Punct::RParen, "statement expression");
            return error_expr(start);
        }
        let open = self.bump().span;
        let outer = match &mut self.function {
            Some(f) => f.statement_expression.replace(f.breakables.len()),
            None => None,
        };
        let (block, value) = self.in_scope(|p| {
            let mut block = p.parse_block_items(open);
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
        self.close(Punct::RParen, "statement expression");
        let span = start.to(self.previous_span());
        match value {
            Some(value) if is_error(&value) => error_expr(span),
            Some(value) => {
                let ty = value.ty.ty;
                rvalue(ExprKind::Statements { block, value: Some(Box::new(value)) }, ty, span)
            }
            None => rvalue(ExprKind::Statements { block, value: None }, Types::VOID, span),
        }
    }

    /// `_Generic ( expression , type : expression , … default : expression )` (C11 §6.5.1.1), at the keyword. The
    /// expressions that are not chosen are checked, and produce nothing.
    pub(super) fn parse_generic_selection(&mut self) -> Expr {
        let start = self.bump().span;
        self.expect(Punct::LParen, "'_Generic'");
        let control = self.parse_assignment_expression();
        let control = self.to_rvalue(control);
        let (mut chosen, mut default) = (None, None);
        while self.eat(Punct::Comma) {
            let at = self.peek().span;
            let is_default = self.peek().kind == TokenKind::Ident(kw::DEFAULT);
            let ty = if is_default {
                self.bump();
                None
            } else {
                Some(self.parse_type_name())
            };
            self.expect(Punct::Colon, "the type of an association");
            let e = self.parse_assignment_expression();
            let slot = match ty {
                None => &mut default,
                Some(ty) if self.same_type(ty.ty, control.ty.ty) => &mut chosen,
                Some(_) => continue,
            };
            if slot.replace(e).is_some() {
                self.error("generic-selection", at, "two associations of '_Generic' are for the same type");
            }
        }
        self.close(Punct::RParen, "associations");
        let span = start.to(self.previous_span());
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

    /// `__builtin_offsetof ( type , member-designator )`, at the keyword.
    pub(super) fn parse_offsetof(&mut self) -> Expr {
        let start = self.bump().span;
        self.expect(Punct::LParen, "'__builtin_offsetof'");
        let ty = self.parse_type_name();
        self.expect(Punct::Comma, "the type");
        let token = self.peek();
        let TokenKind::Ident(name) = token.kind else {
            let found = self.token_text(token);
            self.error("expected-member", token.span, format!("expected a member name, found {found}"));
            self.close(Punct::RParen, "member designator");
            return error_expr(start);
        };
        self.bump();
        let base = self.object_at_zero(ty.ty, start);
        let access = Access { name, at: token.span, operator: None, span: token.span };
        let first = self.build_member(base, access);
        let member = self.parse_suffixes(first);
        self.close(Punct::RParen, "member designator");
        let span = start.to(self.previous_span());
        let address = self.build_prefix(Prefix::AddressOf, member, start);
        let size_t = self.types.size_t();
        let offset = self.explicit_cast(address, size_t, span);
        match self.const_eval(&offset, size_t) {
            Some(value) => rvalue(ExprKind::Constant(value), size_t, span),
            None => offset,
        }
    }

    /// The object that a null pointer would point to.
    fn object_at_zero(&mut self, ty: TypeId, span: Span) -> Expr {
        if ty == Types::ERROR {
            return error_expr(span);
        }
        let pointee = self.in_space(QualType::new(ty), AddressSpace::Private);
        let pointer = self.types.intern(Type::Pointer(pointee));
        let null = rvalue(ExprKind::Constant(Constant::Zero), pointer, span);
        self.build_prefix(Prefix::Deref, null, span)
    }

    /// `__builtin_expect ( value , likely )`: the value, as a long.
    pub(super) fn parse_expect(&mut self) -> Expr {
        let start = self.bump().span;
        self.expect(Punct::LParen, "'__builtin_expect'");
        let value = self.parse_assignment_expression();
        self.expect(Punct::Comma, "the value");
        self.parse_assignment_expression();
        self.close(Punct::RParen, "the expected value");
        let span = start.to(self.previous_span());
        self.explicit_cast(value, Types::scalar(Scalar::Long), span)
    }

    /// `__builtin_assume ( condition )` (SPV_KHR_expect_assume's companion): checked, not computed, since nothing here
    /// gains by it.
    pub(super) fn parse_assume(&mut self) -> Expr {
        let start = self.bump().span;
        self.expect(Punct::LParen, "'__builtin_assume'");
        let condition = self.parse_assignment_expression();
        let condition = self.to_bool_condition(condition);
        self.close(Punct::RParen, "the condition");
        let span = start.to(self.previous_span());
        if is_error(&condition) {
            return error_expr(span);
        }
        let nothing = rvalue(ExprKind::Constant(Constant::Zero), Types::INT, span);
        self.cast(CastKind::ToVoid, nothing, Types::VOID)
    }
}

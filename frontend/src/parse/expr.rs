//! The grammar of expressions (C99 §6.5): recursive descent down to casts and unary operators, precedence
//! climbing for what is between. Each production hands its parts to the function that types them.
//!
//! ```text
//! expression:  assignment (',' assignment)*
//! assignment:  conditional (assign-op assignment)?
//! conditional: binary ('?' expression? ':' binary)*       right-associative, read in a loop
//! binary:      cast (operator cast)*                      by precedence
//! cast:        '(' type ')' cast | unary
//! unary:       operator cast | sizeof … | postfix
//! postfix:     primary ('[' … ']' | '(' … ')' | '.' name | '->' name | '++' | '--')*
//! ```

use super::convert::{error_expr, is_error, rvalue};
use super::literal;
use super::operators::{Infix, Prefix};
use super::parser::{Name, Parser};
use super::vector::Access;
use crate::hir::{BinaryOp, Constant, Expr, ExprKind, Global, Init, Linkage};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

/// Trees higher than this are an error: they are freed by recursion, which must not run out of stack. Chains
/// (`a + b + c …`, `a ? b : c ? d : …`) make the tree higher without nesting in the source; what else walks them
/// does so in a loop, or has a limit of its own.
const MAX_HEIGHT: u32 = 20_000;

/// Precedence (higher binds closer) and meaning of an infix operator.
fn infix(kind: TokenKind) -> Option<(u8, Infix)> {
    use BinaryOp::*;
    let TokenKind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::PipePipe => (1, Infix::Or),
        Punct::AmpAmp => (2, Infix::And),
        Punct::Pipe => (3, Infix::Binary(BitOr)),
        Punct::Caret => (4, Infix::Binary(BitXor)),
        Punct::Amp => (5, Infix::Binary(BitAnd)),
        Punct::EqEq => (6, Infix::Binary(Eq)),
        Punct::BangEq => (6, Infix::Binary(Ne)),
        Punct::Lt => (7, Infix::Binary(Lt)),
        Punct::Gt => (7, Infix::Binary(Gt)),
        Punct::Le => (7, Infix::Binary(Le)),
        Punct::Ge => (7, Infix::Binary(Ge)),
        Punct::Shl => (8, Infix::Binary(Shl)),
        Punct::Shr => (8, Infix::Binary(Shr)),
        Punct::Plus => (9, Infix::Binary(Add)),
        Punct::Minus => (9, Infix::Binary(Sub)),
        Punct::Star => (10, Infix::Binary(Mul)),
        Punct::Slash => (10, Infix::Binary(Div)),
        Punct::Percent => (10, Infix::Binary(Rem)),
        _ => return None,
    })
}

/// The operation of an assignment operator: `Some(None)` is plain `=`.
fn assignment_operator(kind: TokenKind) -> Option<Option<BinaryOp>> {
    use BinaryOp::*;
    let TokenKind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::Eq => None,
        Punct::StarEq => Some(Mul),
        Punct::SlashEq => Some(Div),
        Punct::PercentEq => Some(Rem),
        Punct::PlusEq => Some(Add),
        Punct::MinusEq => Some(Sub),
        Punct::ShlEq => Some(Shl),
        Punct::ShrEq => Some(Shr),
        Punct::AmpEq => Some(BitAnd),
        Punct::CaretEq => Some(BitXor),
        Punct::PipeEq => Some(BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    /// `expression`: assignments separated by commas.
    pub(super) fn parse_expression(&mut self) -> Expr {
        let mut first = self.parse_assignment_expression();
        while self.eat(Punct::Comma) {
            let height = self.exprs.height;
            let second = self.parse_assignment_expression();
            self.grow(height);
            first = self.build_comma(first, second);
        }
        first
    }

    fn build_comma(&mut self, first: Expr, second: Expr) -> Expr {
        let span = first.span.to(second.span);
        let (first, second) = (self.to_rvalue(first), self.to_rvalue(second));
        if is_error(&first) || is_error(&second) {
            return error_expr(span);
        }
        let ty = second.ty.ty;
        rvalue(ExprKind::Comma { first: Box::new(first), second: Box::new(second) }, ty, span)
    }

    /// `assignment-expression`
    pub(super) fn parse_assignment_expression(&mut self) -> Expr {
        let lhs = self.parse_conditional_expression();
        let Some(op) = assignment_operator(self.peek().kind) else { return lhs };
        let operator = self.bump().span;
        let height = self.exprs.height;
        let rhs = self.deeper(|p| p.parse_assignment_expression()).unwrap_or_else(|| error_expr(operator));
        self.grow(height);
        if op.is_none() {
            self.exprs.assigned = Some((self.pos, operator));
        }
        self.build_assignment(op, lhs, rhs, operator)
    }

    /// `conditional-expression`. A chain `a ? b : c ? d : e` is read in a loop and built from its end.
    pub(super) fn parse_conditional_expression(&mut self) -> Expr {
        let mut last = self.parse_binary(0);
        if !self.at(Punct::Question) {
            return last;
        }
        let mut arms = Vec::new();
        let mut height = self.exprs.height;
        while self.at(Punct::Question) {
            let question = self.bump().span;
            let then = if self.at(Punct::Colon) {
                self.omitted_operand(&mut last)
            } else {
                self.deeper(|p| p.parse_expression()).unwrap_or_else(|| error_expr(question))
            };
            height = height.max(self.exprs.height);
            self.expect(Punct::Colon, "the second operand of '?'");
            let els = self.parse_binary(0);
            height = height.max(self.exprs.height) + 1;
            arms.push((std::mem::replace(&mut last, els), then, question));
        }
        self.exprs.height = height;
        self.grow(0);
        while let Some((cond, then, question)) = arms.pop() {
            last = self.build_conditional(cond, then, last, question);
        }
        last
    }

    /// Operands joined by operators of at least precedence `least`.
    fn parse_binary(&mut self, least: u8) -> Expr {
        let mut lhs = self.parse_cast_expression();
        while let Some((precedence, op)) = infix(self.peek().kind) {
            if precedence < least {
                break;
            }
            let operator = self.bump().span;
            let height = self.exprs.height;
            let rhs = self.parse_binary(precedence + 1);
            self.grow(height);
            lhs = self.build_infix(op, lhs, rhs, operator);
        }
        lhs
    }

    /// Accounts for a node over the expression parsed last and another of height `other`.
    fn grow(&mut self, other: u32) {
        self.exprs.height = self.exprs.height.max(other) + 1;
        if self.exprs.height > MAX_HEIGHT {
            let span = self.previous_span();
            let message = format!(
                "the expression is too complex: more than {MAX_HEIGHT} operations depend on each other"
            );
            self.error("expression-too-complex", span, message).remark("split it with variables");
            self.abort();
            self.exprs.height = 0;
        }
    }

    /// `cast-expression`
    fn parse_cast_expression(&mut self) -> Expr {
        let span = self.peek().span;
        self.deeper(|p| p.cast_or_unary()).unwrap_or_else(|| error_expr(span))
    }

    fn cast_or_unary(&mut self) -> Expr {
        let prefix = match self.peek().kind {
            TokenKind::Punct(Punct::LParen) if self.at_parenthesised_type() => return self.parse_cast(),
            TokenKind::Punct(Punct::Caret) => {
                let literal = self.parse_block_literal();
                self.exprs.height = 1;
                return self.parse_suffixes(literal);
            }
            TokenKind::Punct(Punct::Amp) => Prefix::AddressOf,
            TokenKind::Punct(Punct::Star) => Prefix::Deref,
            TokenKind::Punct(Punct::Plus) => Prefix::Plus,
            TokenKind::Punct(Punct::Minus) => match self.parse_least_long() {
                Some(least) => return least,
                None => Prefix::Minus,
            },
            TokenKind::Punct(Punct::Tilde) => Prefix::BitNot,
            TokenKind::Punct(Punct::Bang) => Prefix::Not,
            TokenKind::Punct(punct @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                let operator = self.bump().span;
                let operand = self.parse_cast_expression();
                self.grow(0);
                return self.build_inc_dec(operand, punct == Punct::PlusPlus, true, operator);
            }
            TokenKind::Ident(kw::SIZEOF | kw::ALIGNOF | kw::ALIGNOF_2 | kw::ALIGNOF_3 | kw::VEC_STEP) => {
                return self.parse_type_query();
            }
            TokenKind::Ident(kw::EXTENSION) => {
                self.bump();
                return self.parse_cast_expression();
            }
            _ => {
                let primary = self.parse_primary();
                return self.parse_suffixes(primary);
            }
        };
        let operator = self.bump().span;
        let operand = self.parse_cast_expression();
        self.grow(0);
        self.build_prefix(prefix, operand, operator)
    }

    /// `-9223372036854775808`: the digits alone are of no type (C99 §6.4.4.1) and are taken as ulong, which a minus leaves
    /// positive. Programs mean the least long by it, and compilers whose `long long` has 128 bits give them that.
    fn parse_least_long(&mut self) -> Option<Expr> {
        let (minus, digits) = (self.peek(), self.peek_at(1));
        let TokenKind::Number(text) = digits.kind else { return None };
        if *self.symbols.shared(text) != *"9223372036854775808" {
            return None;
        }
        self.bump();
        self.bump();
        self.exprs.height = 1;
        let span = minus.span.to(digits.span);
        Some(rvalue(ExprKind::Constant(Constant::Int(i64::MIN)), Types::scalar(Scalar::Long), span))
    }

    /// Returns whether the cursor is at `(` and a type name follows.
    fn at_parenthesised_type(&mut self) -> bool {
        if !self.at(Punct::LParen) {
            return false;
        }
        self.pos += 1;
        let found = self.at_type_name();
        self.pos -= 1;
        found
    }

    /// `(type)` at the cursor: a cast, a vector literal or a compound literal.
    fn parse_cast(&mut self) -> Expr {
        let open = self.bump().span;
        let ty = self.parse_type_name();
        self.expect(Punct::RParen, "type name");
        if self.at(Punct::LBrace) {
            let literal = self.parse_compound_literal(ty, open);
            return self.parse_suffixes(literal);
        }
        let is_vector = matches!(self.types.get(ty.ty), Type::Vector(..));
        let statements = self.peek_at(1).kind == TokenKind::Punct(Punct::LBrace);
        let operand = if is_vector && self.at(Punct::LParen) && !statements && !self.at_parenthesised_type() {
            let (mut parts, span) = self.parse_vector_parts(open);
            if parts.len() != 1 {
                let literal = self.build_vector_literal(ty.ty, parts, span);
                return self.parse_suffixes(literal);
            }
            let only = parts.pop().unwrap_or_else(|| error_expr(span));
            // What follows belongs to the vector, as clang has it: `(float4)(x).xy` is one of two components.
            let only = self.only_component(only, ty.ty);
            let value = self.explicit_cast(only, ty.ty, span);
            return self.parse_suffixes(value);
        } else {
            self.parse_cast_expression()
        };
        self.grow(0);
        let span = open.to(operand.span).to(self.previous_span());
        self.explicit_cast(operand, ty.ty, span)
    }

    /// The one part of a vector literal, a component (§6.3.2): a bool is 1 there, as clang has it, and not what a cast
    /// makes of it.
    fn only_component(&mut self, part: Expr, vector: TypeId) -> Expr {
        let part = self.to_rvalue(part);
        match *self.types.get(vector) {
            Type::Vector(scalar, _) if part.ty.ty == Types::BOOL => {
                self.cast_arithmetic(part, Types::scalar(scalar))
            }
            _ => part,
        }
    }

    /// `( part, part … )` of a vector literal.
    fn parse_vector_parts(&mut self, open: Span) -> (Vec<Expr>, Span) {
        self.bump();
        let mut parts = Vec::new();
        let mut height = 0;
        loop {
            parts.push(self.parse_assignment_expression());
            height = height.max(self.exprs.height);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.exprs.height = height;
        self.grow(0);
        self.close(Punct::RParen, "vector literal");
        (parts, open.to(self.previous_span()))
    }

    /// A closing bracket; where it is missing, what stands before it is skipped.
    pub(super) fn close(&mut self, bracket: Punct, what: &str) {
        if self.eat(bracket) {
            return;
        }
        if self.exprs.expected_at != Some(self.pos) {
            self.expect(bracket, what);
        }
        self.skip_balanced_until(&[bracket]);
        self.eat(bracket);
    }

    /// `(type){…}` after the `)` (C99 §6.5.2.5).
    fn parse_compound_literal(&mut self, ty: QualType, open: Span) -> Expr {
        let (init, ty) = self.parse_initializer(ty);
        let span = open.to(self.previous_span());
        if ty.ty == Types::ERROR || matches!(&init, Init::Whole(e) if is_error(e)) {
            return error_expr(span);
        }
        let init = match init {
            // A vector in braces is a value like any other.
            Init::Whole(value) if matches!(self.types.get(ty.ty), Type::Vector(..)) => return value,
            init => init,
        };
        if self.function.is_some() {
            let local = self.new_local(None, ty, span);
            return Expr { kind: ExprKind::CompoundLiteral { local, init: Box::new(init) }, ty, span };
        }
        let Some(constant) = self.init_to_constant(&init, ty.ty, span) else { return error_expr(span) };
        let ty = self.in_space(ty, AddressSpace::Constant);
        let name = format!(".compoundliteral.{}", self.globals.len());
        let linkage = Linkage::Internal;
        let id = self.add_global(Global { name, ty, init: Some(constant), linkage, aligned: None, span });
        Expr { kind: ExprKind::Global(id), ty, span }
    }

    /// `sizeof`, `__alignof__`, `vec_step` of a type or an expression.
    fn parse_type_query(&mut self) -> Expr {
        let token = self.bump();
        let query = match token.kind {
            TokenKind::Ident(word) => word,
            _ => kw::SIZEOF,
        };
        let (ty, aligned) = if self.at_parenthesised_type() {
            self.bump();
            let ty = self.parse_type_name();
            self.close(Punct::RParen, "type name");
            if self.at(Punct::LBrace) {
                let literal = self.parse_compound_literal(ty, token.span);
                (self.parse_suffixes(literal).ty, None)
            } else {
                (ty, None)
            }
        } else {
            let object = self.parse_cast_expression();
            (object.ty, self.declared_alignment(&object))
        };
        self.exprs.height = 0;
        let span = token.span.to(self.previous_span());
        self.type_query(query, ty, aligned.unwrap_or(1), span)
    }

    /// The alignment that a variable's or member's declaration asks for.
    fn declared_alignment(&self, object: &Expr) -> Option<u32> {
        match &object.kind {
            ExprKind::Local(id) => self.function.as_ref()?.locals.get(id.0 as usize)?.aligned,
            ExprKind::Global(id) => self.globals.get(id.0 as usize)?.aligned,
            ExprKind::Member { base, field } => match self.types.get(base.ty.ty) {
                Type::Record(id) => self.types.record(*id).fields.as_ref()?.get(*field as usize)?.aligned,
                _ => None,
            },
            _ => None,
        }
    }

    /// `aligned`: what declarations ask for beyond the type's own alignment.
    fn type_query(&mut self, query: Symbol, object: QualType, aligned: u32, span: Span) -> Expr {
        let ty = object.ty;
        if ty == Types::ERROR {
            return error_expr(span);
        }
        if query == kw::VEC_STEP {
            // §6.15.13: 4 for vectors of 3, 1 for scalars and void.
            let lanes = match self.types.scalar_and_lanes(ty) {
                Some((_, lanes)) => lanes,
                None if ty == Types::VOID => 1,
                None => {
                    let message =
                        format!("'vec_step' takes a scalar or a vector, not '{}'", self.type_id_text(ty));
                    self.error("invalid-operands", span, message);
                    return error_expr(span);
                }
            };
            let step = if lanes == 3 { 4 } else { lanes };
            return rvalue(ExprKind::Constant(Constant::Int(step.into())), Types::INT, span);
        }
        // §6.14.2: a block's size may not be computed at compile time.
        if matches!(self.types.get(ty), Type::Block(_)) {
            self.error("incomplete-type", span, "a block has no size that the program could know");
            return error_expr(span);
        }
        let layout = self.types.object_layout(object);
        let value = match layout {
            Some(layout) if query == kw::SIZEOF => layout.size,
            Some(layout) => layout.align.max(aligned.into()),
            None => {
                let message = format!("the incomplete type '{}' has no size", self.type_id_text(ty));
                self.error("incomplete-type", span, message);
                return error_expr(span);
            }
        };
        rvalue(ExprKind::Constant(Constant::Int(value as i64)), self.types.size_t(), span)
    }

    /// Returns what may follow a primary expression.
    pub(super) fn parse_suffixes(&mut self, mut e: Expr) -> Expr {
        loop {
            let token = self.peek();
            let TokenKind::Punct(punct) = token.kind else { return e };
            let height = self.exprs.height;
            match punct {
                Punct::LBracket => {
                    self.bump();
                    let index = self.parse_expression();
                    self.close(Punct::RBracket, "subscript");
                    let span = e.span.to(self.previous_span());
                    e = self.build_index(e, index, span);
                }
                Punct::Dot | Punct::Arrow => {
                    self.bump();
                    e = self.parse_member(e, punct == Punct::Arrow, token.span);
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.bump();
                    e = self.build_inc_dec(e, punct == Punct::PlusPlus, false, token.span);
                }
                Punct::LParen => {
                    let args = self.parse_arguments();
                    let span = e.span.to(self.previous_span());
                    if matches!(self.types.get(e.ty.ty), Type::Block(_)) {
                        e = self.build_block_call(e, args, span);
                        self.grow(height);
                        continue;
                    }
                    if !is_error(&e) {
                        self.error("not-a-function", e.span, "the called object is not a function");
                    }
                    drop(args);
                    e = error_expr(span);
                }
                _ => return e,
            }
            self.grow(height);
        }
    }

    fn parse_member(&mut self, base: Expr, arrow: bool, dot: Span) -> Expr {
        let token = self.peek();
        let TokenKind::Ident(name) = token.kind else {
            let found = self.token_text(token);
            self.error("expected-member", dot, format!("expected a member name, found {found}"));
            return error_expr(dot);
        };
        self.bump();
        let access = Access { name, at: token.span, operator: Some(dot), span: base.span.to(token.span) };
        if arrow { self.build_arrow(base, access) } else { self.build_member(base, access) }
    }

    /// `( argument, … )` of a call, at the `(`.
    pub(super) fn parse_arguments(&mut self) -> Vec<Expr> {
        self.bump();
        let mut args = Vec::new();
        let mut height = 0;
        if !self.at(Punct::RParen) {
            loop {
                args.push(self.parse_assignment_expression());
                height = height.max(self.exprs.height);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close(Punct::RParen, "arguments");
        self.exprs.height = height;
        args
    }

    fn parse_primary(&mut self) -> Expr {
        self.exprs.height = 1;
        let token = self.peek();
        match token.kind {
            TokenKind::Number(text) => {
                self.bump();
                let text = self.symbols.shared(text);
                let parsed = literal::number(&text, self.options);
                let mended =
                    parsed.is_err().then(|| literal::with_known_suffix(&text, self.options)).flatten();
                let literal = self.literal(parsed, token.span);
                if let (Some(mended), false) = (mended, self.aborted)
                    && let Some(diagnostic) = self.diags.latest("invalid-literal")
                {
                    diagnostic.replace(token.span, mended);
                }
                literal
            }
            TokenKind::Char(text) => {
                self.bump();
                let text = self.symbols.shared(text);
                self.check_escapes(&text, token.span);
                let parsed = literal::character(&text);
                self.literal(parsed, token.span)
            }
            TokenKind::Str(_) => self.parse_string(),
            TokenKind::Ident(name) => self.parse_name(name),
            TokenKind::Punct(Punct::LParen) => self.parse_parenthesised(),
            _ => self.expected_expression(),
        }
    }

    fn literal(&mut self, parsed: Result<literal::Literal, String>, span: Span) -> Expr {
        match parsed {
            Ok(literal) => {
                if let Some((id, message)) = literal.warning {
                    self.warning(id, span, message);
                }
                rvalue(ExprKind::Constant(literal.value), Types::scalar(literal.scalar), span)
            }
            Err(message) => {
                self.error("invalid-literal", span, message);
                error_expr(span)
            }
        }
    }

    fn expected_expression(&mut self) -> Expr {
        let token = self.peek();
        // Productions above may ask again without having moved: one report is enough.
        if self.exprs.expected_at != Some(self.pos) {
            self.exprs.expected_at = Some(self.pos);
            let found = self.token_text(token);
            self.error("expected-expression", token.span, format!("expected an expression, found {found}"));
        }
        error_expr(token.span)
    }

    fn parse_parenthesised(&mut self) -> Expr {
        if self.peek_at(1).kind == TokenKind::Punct(Punct::LBrace) {
            return self.parse_statement_expression();
        }
        // `(f)(x)`: the parentheses only keep a macro from being expanded.
        if let (TokenKind::Ident(name), TokenKind::Punct(Punct::RParen), TokenKind::Punct(Punct::LParen)) =
            (self.peek_at(1).kind, self.peek_at(2).kind, self.peek_at(3).kind)
        {
            let callable = match self.lookup(name) {
                Some((Name::Function(_), _)) => true,
                Some(_) => false,
                None => !self.is_keyword(name),
            };
            if callable {
                self.bump();
                let at = self.bump().span;
                self.bump();
                return self.parse_call(name, at);
            }
        }
        let open = self.bump().span;
        let inner = self.parse_expression();
        self.close(Punct::RParen, "expression");
        Expr { span: open.to(self.previous_span()), ..inner }
    }

    /// Adjacent string literals as their joined bytes (C99 §5.1.1.2, phase 6).
    pub(super) fn parse_string_bytes(&mut self) -> (Vec<u8>, Span) {
        let start = self.peek().span;
        let mut bytes = Vec::new();
        while matches!(self.peek().kind, TokenKind::Str(_)) {
            bytes.extend(self.parse_one_string());
        }
        (bytes, start.to(self.previous_span()))
    }

    /// The bytes of the string literal at the cursor.
    pub(super) fn parse_one_string(&mut self) -> Vec<u8> {
        let token = self.bump();
        let TokenKind::Str(text) = token.kind else { return Vec::new() };
        let text = self.symbols.shared(text);
        self.check_escapes(&text, token.span);
        literal::unquote(&text).unwrap_or_else(|message| {
            self.error("invalid-literal", token.span, message);
            Vec::new()
        })
    }

    fn check_escapes(&mut self, text: &str, span: Span) {
        if let Some(c) = literal::unknown_escape(text) {
            let message = format!("unknown escape sequence '\\{c}': it is taken as '{c}'");
            self.warning("unknown-escape", span, message);
        }
    }

    fn parse_string(&mut self) -> Expr {
        let (bytes, span) = self.parse_string_bytes();
        self.string_object(&bytes, span)
    }

    fn string_object(&mut self, bytes: &[u8], span: Span) -> Expr {
        let id = self.new_string_literal(bytes, span);
        Expr { kind: ExprKind::Global(id), ty: self.global_type(id), span }
    }

    fn parse_name(&mut self, name: Symbol) -> Expr {
        if self.is_keyword(name) {
            return self.parse_keyword(name);
        }
        let span = self.bump().span;
        let called = self.at(Punct::LParen);
        let found = self.lookup(name);
        if let Some((_, at)) = found {
            self.check_deprecated(name, at, span);
        }
        match found {
            Some((Name::Local(id), _)) => self.local_or_captured(name, id, span),
            Some((Name::Block(id, ty), _)) => self.static_block(id, ty, span),
            Some((Name::Global(id), _)) => {
                Expr { kind: ExprKind::Global(id), ty: self.global_type(id), span }
            }
            Some((Name::EnumConstant(value, ty), _)) => {
                rvalue(ExprKind::Constant(Constant::Int(value)), ty, span)
            }
            Some((Name::Function(_), _)) if called => self.parse_call(name, span),
            Some((Name::Function(_), at)) => {
                let text = self.symbols.shared(name);
                self.error(
                    "function-as-value",
                    span,
                    format!("'{text}' is a function: OpenCL C has no pointers to functions"),
                )
                .note(at, format!("'{text}' is declared here"));
                error_expr(span)
            }
            Some((Name::Typedef(ty), _)) => self.type_as_value(ty, span),
            None if called => self.parse_call(name, span),
            None if matches!(self.symbols.text(name), "true" | "false") => {
                let value = i64::from(self.symbols.text(name) == "true");
                rvalue(ExprKind::Constant(Constant::Int(value)), Types::BOOL, span)
            }
            None => {
                self.undeclared(name, span);
                error_expr(span)
            }
        }
    }

    /// A type name where an expression is expected: `float4(1, 2, 3, 4)` of other languages.
    fn type_as_value(&mut self, ty: QualType, span: Span) -> Expr {
        let text = self.type_text(ty);
        let message = format!("expected an expression, found the type '{text}'");
        let called = self.at(Punct::LParen);
        let diagnostic = self.error("type-as-value", span, message);
        if called {
            diagnostic.remark(format!("a literal or a cast is written '({text})(…)'"));
            drop(self.parse_arguments());
        }
        error_expr(span)
    }

    /// Reports an undeclared name, once.
    fn undeclared(&mut self, name: Symbol, span: Span) {
        if self.exprs.unknown.insert(name) {
            self.unknown_name(name, span);
        }
    }

    /// Keywords that begin an expression; the others do not.
    fn parse_keyword(&mut self, word: Symbol) -> Expr {
        match word {
            kw::FUNC | kw::FUNCTION | kw::PRETTY_FUNCTION if self.function.is_some() => {
                let span = self.bump().span;
                self.function_name(span)
            }
            kw::GENERIC_C11 => self.parse_generic_selection(),
            _ if self.at_type_name() && self.peek_at(1).kind == TokenKind::Punct(Punct::LParen) => {
                let span = self.peek().span;
                let scalar = self.scalar_keyword(word);
                self.bump();
                self.type_as_value(QualType::new(scalar), span)
            }
            _ => self.expected_expression(),
        }
    }

    /// The name of the function around, as a string; empty outside of one.
    pub(super) fn function_name(&mut self, span: Span) -> Expr {
        let name = self.function.as_ref().map(|f| self.symbols.shared(f.name));
        self.string_object(name.unwrap_or_else(|| "".into()).as_bytes(), span)
    }

    fn scalar_keyword(&self, word: Symbol) -> TypeId {
        let text = self.symbols.text(word);
        use Scalar::*;
        let all = [Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double];
        all.into_iter().find(|s| s.name() == text).map_or(Types::INT, Types::scalar)
    }
}

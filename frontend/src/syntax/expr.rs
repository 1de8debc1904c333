//! The grammar of expressions (C99 §6.5): recursive descent down to casts and unary operators, precedence climbing for
//! what is between.
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

use super::ast::{ExprId, Infix, Kind, List, Node, Prefix, TokenId, Tree};
use super::cursor::Cursor;
use super::cxx::Env;
use super::names::{NameKind, Names};
use super::problem::{MAX_DEPTH, Problem};
use super::words::{Language, is_keyword, is_type_word};
use crate::hir::BinaryOp;
use crate::intrinsics::{self, Form, Intrinsic};
use crate::symbol::{Interner, Symbol, kw};
use crate::token::{Punct, TokenKind};
use std::ops::{Deref, DerefMut};

/// The limit on the height of a tree. The typed tree is freed by recursion, which must not run out of stack. Chains (`a + b + c …`,
/// `a ? b : c ? d : …`) make the tree higher without nesting in the source. Other walks are loops, or have a limit of their own.
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

/// The places that what is read after an expression must know.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Places {
    /// The position behind the assignment parsed last, and its `=`.
    pub assigned: Option<(usize, TokenId)>,
    /// The position where an expression was missing last.
    pub expected_at: Option<usize>,
}

/// The parser of an external declaration.
pub(crate) struct Parser<'p> {
    pub(crate) cursor: Cursor<'p>,
    pub(crate) symbols: &'p Interner,
    pub(crate) language: Language,
    pub(crate) names: &'p mut Names,
    pub(crate) tree: &'p mut Tree,
    /// How deep the source nests here.
    pub(crate) depth: u32,
    /// A bound of the height of the expression parsed last.
    pub(crate) height: u32,
    /// A bound of the heights of the expressions in the block that is read.
    pub(crate) tallest: u32,
    pub(crate) places: Places,
    /// In C++, what is known of names.
    pub(crate) env: Option<&'p Env>,
    /// Among template arguments, where a `>` ends them.
    pub(crate) no_greater: bool,
    /// The class whose members are read.
    pub(crate) class_name: Option<Symbol>,
    /// The type of the conversion function that is being declared.
    pub(crate) conversion: Option<super::declaration::TypeName>,
    /// How many braces of namespaces are open.
    pub(crate) closes: u32,
    /// A template is passed over: packs are written out when it is read.
    pub(crate) in_template: bool,
}

impl<'p> Deref for Parser<'p> {
    type Target = Cursor<'p>;

    fn deref(&self) -> &Cursor<'p> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'p> Parser<'p> {
    /// A parser of what is at the cursor, at file scope.
    pub(crate) fn new(
        cursor: Cursor<'p>,
        symbols: &'p Interner,
        language: Language,
        names: &'p mut Names,
        tree: &'p mut Tree,
    ) -> Self {
        let places = Places::default();
        Parser {
            cursor,
            symbols,
            language,
            names,
            tree,
            depth: 0,
            height: 0,
            tallest: 0,
            places,
            env: None,
            no_greater: false,
            class_name: None,
            conversion: None,
            closes: 0,
            in_template: false,
        }
    }
}

impl Parser<'_> {
    /// `expression`: assignments separated by commas.
    pub(crate) fn expression(&mut self) -> ExprId {
        let start = self.here();
        let mut first = self.assignment();
        while self.eat(Punct::Comma) {
            let height = self.height;
            let second = self.assignment();
            self.grow(height);
            first = self.push(Kind::Comma { first, second }, start);
        }
        first
    }

    /// `assignment-expression`
    pub(crate) fn assignment(&mut self) -> ExprId {
        let start = self.here();
        let lhs = self.conditional();
        let Some(op) = assignment_operator(self.peek().kind) else { return lhs };
        let operator = self.here();
        self.bump();
        let height = self.height;
        let rhs = self.deeper(|p| p.assignment()).unwrap_or_else(|| self.error_at(operator));
        self.grow(height);
        if op.is_none() {
            self.places.assigned = Some((self.pos, operator));
        }
        self.push(Kind::Assign { op, lhs, rhs, operator }, start)
    }

    /// `conditional-expression`. A chain `a ? b : c ? d : e` is read in a loop and built from its end.
    pub(crate) fn conditional(&mut self) -> ExprId {
        let mut last = self.binary(0);
        if !self.at(Punct::Question) {
            return last;
        }
        let mut arms = Vec::new();
        let mut height = self.height;
        while self.at(Punct::Question) {
            let question = self.here();
            self.bump();
            let then = if self.at(Punct::Colon) {
                self.push(Kind::Omitted { cond: last }, question)
            } else {
                self.deeper(|p| p.expression()).unwrap_or_else(|| self.error_at(question))
            };
            height = height.max(self.height);
            self.expect(Punct::Colon, "the second operand of '?'");
            let els = self.binary(0);
            height = height.max(self.height) + 1;
            arms.push((std::mem::replace(&mut last, els), then, question));
        }
        self.height = height;
        self.grow(0);
        while let Some((cond, then, question)) = arms.pop() {
            let start = self.tree.node(cond).first;
            last = self.push(Kind::Conditional { cond, then, els: last, question }, start);
        }
        last
    }

    /// Operands joined by operators of at least precedence `least`.
    fn binary(&mut self, least: u8) -> ExprId {
        let start = self.here();
        let mut lhs = self.cast_expression();
        while let Some((precedence, op)) = infix(self.peek().kind) {
            let (precedence, op, tokens) = self.cxx_infix(precedence, op);
            if precedence < least.max(1) {
                break;
            }
            let operator = self.here();
            self.pos += tokens;
            let height = self.height;
            let rhs = self.binary(precedence + 1);
            self.grow(height);
            lhs = self.push(Kind::Infix { op, lhs, rhs, operator }, start);
        }
        lhs
    }

    /// `cast-expression`
    pub(crate) fn cast_expression(&mut self) -> ExprId {
        let start = self.here();
        self.deeper(|p| p.cast_or_unary()).unwrap_or_else(|| self.error_at(start))
    }

    fn cast_or_unary(&mut self) -> ExprId {
        let start = self.here();
        let op = match self.peek().kind {
            TokenKind::Punct(Punct::LParen) if self.at_parenthesised_type() => return self.cast(),
            TokenKind::Punct(Punct::Caret) if !self.is_cxx() => {
                let literal = self.block_literal();
                return self.suffixes(literal);
            }
            TokenKind::Punct(Punct::Amp) => Prefix::AddressOf,
            TokenKind::Punct(Punct::Star) => Prefix::Deref,
            TokenKind::Punct(Punct::Plus) => Prefix::Plus,
            TokenKind::Punct(Punct::Minus) if self.at_least_long() => {
                self.bump();
                self.bump();
                self.height = 1;
                return self.push(Kind::LeastLong, start);
            }
            TokenKind::Punct(Punct::Minus) => Prefix::Minus,
            TokenKind::Punct(Punct::Tilde) => Prefix::BitNot,
            TokenKind::Punct(Punct::Bang) => Prefix::Not,
            TokenKind::Punct(punct @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                self.bump();
                let operand = self.cast_expression();
                self.grow(0);
                let increment = punct == Punct::PlusPlus;
                return self.push(Kind::IncDec { operand, increment, prefix: true }, start);
            }
            TokenKind::Ident(
                query @ (kw::SIZEOF | kw::ALIGNOF | kw::ALIGNOF_2 | kw::ALIGNOF_3 | kw::VEC_STEP),
            ) => return self.type_query(query),
            TokenKind::Ident(kw::EXTENSION) => {
                self.bump();
                return self.cast_expression();
            }
            _ => {
                let primary = self.primary();
                return self.suffixes(primary);
            }
        };
        self.bump();
        let operand = self.cast_expression();
        self.grow(0);
        self.push(Kind::Prefix { op, operand }, start)
    }

    /// Returns whether `-9223372036854775808` is next: the digits alone are of no type (C99 §6.4.4.1) and are taken as
    /// ulong, which a minus leaves positive. Programs mean the least long by it, and compilers whose `long long` has 128 bits
    /// give them that.
    fn at_least_long(&self) -> bool {
        let TokenKind::Number(text) = self.peek_at(1).kind else { return false };
        self.symbols.text(text) == "9223372036854775808"
    }

    /// The kind of a name; `None` where nothing declares it.
    pub(super) fn kind_of(&self, name: Symbol) -> Option<NameKind> {
        self.names.kind(name)
    }

    /// The number of problems so far.
    pub(super) fn problem_count(&self) -> u32 {
        self.tree.problems.len() as u32
    }

    /// Returns whether the token so far ahead starts a type name.
    pub(super) fn is_type_token(&self, ahead: usize) -> bool {
        if self.is_cxx() {
            return self.cxx_type_at(ahead);
        }
        let token = self.peek_at(ahead);
        match token.kind {
            TokenKind::Ident(word) if is_keyword(word, self.language) => is_type_word(word),
            TokenKind::Ident(word) => self.kind_of(word) == Some(NameKind::Type),
            _ => false,
        }
    }

    /// Returns whether the cursor is at `(` and a type name follows.
    fn at_parenthesised_type(&self) -> bool {
        self.at(Punct::LParen) && self.is_type_token(1) && !(self.is_cxx() && self.at_constructed_operand())
    }

    /// A type name as an operand.
    fn type_operand(&mut self) -> ExprId {
        let start = self.here();
        let node = self.push(Kind::Error, start);
        let ty = self.type_name();
        let end = self.tree.nodes.len() as u32;
        self.tree.nodes[node.0 as usize].kind = Kind::TypeName { ty, end };
        self.end_here(node);
        node
    }

    /// `(type)` at the cursor: a cast, a vector literal or a compound literal.
    fn cast(&mut self) -> ExprId {
        let start = self.here();
        self.bump();
        let ty = self.type_operand();
        self.expect(Punct::RParen, "type name");
        if self.at(Punct::LBrace) {
            let literal = self.compound_literal(ty, start);
            return self.suffixes(literal);
        }
        if self.at(Punct::LParen)
            && self.peek_at(1).kind != TokenKind::Punct(Punct::LBrace)
            && !self.at_parenthesised_type()
            && self.called_in_parentheses().is_none()
        {
            let components = self.components(ty);
            let operand = self.suffixes(components);
            self.grow(0);
            return self.push(Kind::CastComponents { ty, operand }, start);
        }
        let operand = self.cast_expression();
        self.grow(0);
        self.push(Kind::Cast { ty, operand }, start)
    }

    /// `( part, part … )` after `(type)`.
    fn components(&mut self, ty: ExprId) -> ExprId {
        let start = self.here();
        self.bump();
        let list = self.tree.begin_list();
        let mut height = 0;
        loop {
            let part = self.assignment();
            self.tree.add_to_list(part);
            height = height.max(self.height);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.height = height;
        self.grow(0);
        let parts = self.tree.end_list(list);
        let closed = self.is_closed(Punct::RParen);
        let node = self.push(Kind::Components { ty, parts, closed }, start);
        self.pass(Punct::RParen);
        if closed {
            self.end_here(node);
        }
        node
    }

    /// `(type){…}` after the `)` (C99 §6.5.2.5).
    fn compound_literal(&mut self, ty: ExprId, start: TokenId) -> ExprId {
        let node = self.push(Kind::Error, start);
        let init = self.initializer();
        self.grow(0);
        let end = self.tree.nodes.len() as u32;
        self.tree.nodes[node.0 as usize].kind = Kind::CompoundLiteral { ty, init, end };
        self.end_here(node);
        node
    }

    /// `sizeof`, `__alignof__`, `vec_step` of a type or an expression.
    fn type_query(&mut self, query: Symbol) -> ExprId {
        let start = self.here();
        self.bump();
        self.pass_expansion();
        let operand = if self.at_parenthesised_type() {
            self.bump();
            let ty = self.type_operand();
            self.close(Punct::RParen, "type name");
            if self.at(Punct::LBrace) {
                let literal = self.compound_literal(ty, start);
                self.suffixes(literal)
            } else {
                ty
            }
        } else {
            self.cast_expression()
        };
        self.height = 0;
        self.push(Kind::TypeQuery { query, operand }, start)
    }

    /// Returns what may follow a primary expression.
    fn suffixes(&mut self, mut e: ExprId) -> ExprId {
        let start = self.tree.node(e).first;
        loop {
            let TokenKind::Punct(punct) = self.peek().kind else { return e };
            let height = self.height;
            let kind = match punct {
                Punct::LBracket => {
                    self.bump();
                    let outer = std::mem::replace(&mut self.no_greater, false);
                    let index = self.expression();
                    self.no_greater = outer;
                    self.close(Punct::RBracket, "subscript");
                    Kind::Index { base: e, index }
                }
                Punct::Dot | Punct::Arrow => {
                    let dot = self.here();
                    self.bump();
                    if self.is_cxx()
                        && let Some(member) = self.cxx_member(e, start, punct == Punct::Arrow)
                    {
                        e = member;
                        self.grow(height);
                        continue;
                    }
                    let token = self.peek();
                    if let TokenKind::Ident(name) = token.kind {
                        self.bump();
                        Kind::Member { base: e, name, arrow: punct == Punct::Arrow }
                    } else {
                        let found = token.text(self.symbols);
                        let message = format!("expected a member name, found {found}");
                        self.report(Problem::new("expected-member", self.span_of(dot), message));
                        e = self.error_at(dot);
                        self.grow(height);
                        continue;
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.bump();
                    Kind::IncDec { operand: e, increment: punct == Punct::PlusPlus, prefix: false }
                }
                Punct::LParen => Kind::Call { callee: e, args: self.arguments(false) },
                _ => return e,
            };
            self.grow(height);
            e = self.push(kind, start);
        }
    }

    /// `( argument, … )` of a call, at the `(`. A `format` is a string literal that is the whole first argument.
    fn arguments(&mut self, format: bool) -> List {
        self.bump();
        let outer = std::mem::replace(&mut self.no_greater, false);
        let list = self.tree.begin_list();
        let mut height = 0;
        if !self.at(Punct::RParen) {
            let mut format = format && self.at_whole_string();
            loop {
                let argument = match std::mem::take(&mut format) {
                    true => self.string(Kind::Format),
                    false => self.assignment(),
                };
                self.tree.add_to_list(argument);
                self.pass_expansion();
                height = height.max(self.height);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.no_greater = outer;
        self.close(Punct::RParen, "arguments");
        self.height = height;
        self.tree.end_list(list)
    }

    /// Returns whether string literals are next, and behind them a comma or `)`.
    fn at_whole_string(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.peek_at(ahead).kind, TokenKind::Str(_)) {
            ahead += 1;
        }
        ahead > 0 && matches!(self.peek_at(ahead).kind, TokenKind::Punct(Punct::Comma | Punct::RParen))
    }

    fn primary(&mut self) -> ExprId {
        self.height = 1;
        let start = self.here();
        if self.is_cxx()
            && let Some(e) = self.cxx_primary()
        {
            return e;
        }
        let kind = match self.peek().kind {
            TokenKind::Number(text) => Kind::Number(text),
            TokenKind::Char(text) => Kind::Char(text),
            TokenKind::Str(_) => return self.string(Kind::String),
            TokenKind::Ident(name) if is_keyword(name, self.language) => return self.keyword(name),
            TokenKind::Ident(name) => {
                self.bump();
                if self.at(Punct::LParen) {
                    return self.call(name, start);
                }
                return self.push(Kind::Name(name), start);
            }
            TokenKind::Punct(Punct::LParen) => return self.parenthesised(),
            _ => return self.expected_expression(),
        };
        self.bump();
        self.push(kind, start)
    }

    /// Adjacent string literals (C99 §5.1.1.2, phase 6).
    fn string(&mut self, kind: Kind) -> ExprId {
        let start = self.here();
        while matches!(self.peek().kind, TokenKind::Str(_)) {
            self.bump();
        }
        self.height = 1;
        self.push(kind, start)
    }

    pub(super) fn expected_expression(&mut self) -> ExprId {
        let token = self.peek();
        // Productions above may ask again without having moved: one report is enough.
        if self.places.expected_at != Some(self.pos) {
            self.places.expected_at = Some(self.pos);
            let found = token.text(self.symbols);
            let message = format!("expected an expression, found {found}");
            self.report(Problem::new("expected-expression", token.span, message));
        }
        self.error_at(self.here())
    }

    /// The name and its place at `(f)(`: the parentheses only keep a macro from being expanded.
    fn called_in_parentheses(&self) -> Option<(Symbol, TokenId)> {
        let ahead = (self.peek_at(1).kind, self.peek_at(2).kind, self.peek_at(3).kind);
        let (TokenKind::Ident(name), TokenKind::Punct(Punct::RParen), TokenKind::Punct(Punct::LParen)) =
            ahead
        else {
            return None;
        };
        let callable = self.kind_of(name) != Some(NameKind::Type) && !is_keyword(name, self.language);
        callable.then(|| (name, self.here() + 1))
    }

    fn parenthesised(&mut self) -> ExprId {
        let start = self.here();
        if self.peek_at(1).kind == TokenKind::Punct(Punct::LBrace) {
            return self.statement_expression();
        }
        if let Some((name, at)) = self.called_in_parentheses() {
            self.pos += 3;
            return self.call(name, at);
        }
        self.bump();
        let outer = std::mem::replace(&mut self.no_greater, false);
        let inner = self.expression();
        self.no_greater = outer;
        self.close(Punct::RParen, "expression");
        self.push(Kind::Paren(inner), start)
    }

    /// Keywords that begin an expression; the others do not.
    fn keyword(&mut self, word: Symbol) -> ExprId {
        let start = self.here();
        match word {
            kw::FUNC | kw::FUNCTION | kw::PRETTY_FUNCTION => {
                self.bump();
                self.push(Kind::FunctionName, start)
            }
            kw::GENERIC_C11 => self.generic_selection(),
            // `int(3)` of other languages.
            _ if is_type_word(word) && self.peek_at(1).kind == TokenKind::Punct(Punct::LParen) => {
                self.bump();
                let callee = self.push(Kind::Callee(word), start);
                let args = self.arguments(false);
                self.push(Kind::Call { callee, args }, start)
            }
            _ => self.expected_expression(),
        }
    }

    /// `_Generic ( expression , type : expression , … default : expression )` (C11 §6.5.1.1), at the keyword.
    fn generic_selection(&mut self) -> ExprId {
        let start = self.here();
        self.bump();
        self.expect(Punct::LParen, "'_Generic'");
        let control = self.assignment();
        let list = self.tree.begin_list();
        while self.eat(Punct::Comma) {
            let ty = if self.at_word(kw::DEFAULT) {
                let at = self.here();
                self.bump();
                self.push(Kind::Default, at)
            } else {
                self.type_operand()
            };
            self.expect(Punct::Colon, "the type of an association");
            self.tree.add_to_list(ty);
            let e = self.assignment();
            self.tree.add_to_list(e);
        }
        let associations = self.tree.end_list(list);
        self.close(Punct::RParen, "associations");
        self.push(Kind::Generic { control, associations }, start)
    }

    /// A call of a name, at the `(`. Functions that nothing declares may be ones with a syntax of their own.
    fn call(&mut self, name: Symbol, at: TokenId) -> ExprId {
        let callee = self.push(Kind::Callee(name), at);
        if let Some(node) = self.tree.nodes.last_mut() {
            node.last = at;
        }
        let text = self.symbols.text(name);
        let declared = self.kind_of(name).is_some();
        let args = match intrinsics::find(text).filter(|_| !declared) {
            Some(Intrinsic::Form(form)) => self.form_arguments(form),
            Some(Intrinsic::Absent(_)) => {
                self.skip_group();
                List::default()
            }
            _ => self.arguments(!declared && text == "printf"),
        };
        self.push(Kind::Call { callee, args }, at)
    }

    /// The arguments of a function with a syntax of its own, at the `(`.
    fn form_arguments(&mut self, form: Form) -> List {
        if !form.has_syntax() {
            return self.arguments(false);
        }
        self.bump();
        let list = self.tree.begin_list();
        match form {
            Form::Astype | Form::ConvertVector => {
                let operand = self.assignment();
                self.tree.add_to_list(operand);
                self.expect(Punct::Comma, "the value");
                let ty = self.type_operand();
                self.tree.add_to_list(ty);
                self.close(Punct::RParen, "type name");
            }
            Form::BitCast => {
                let ty = self.type_operand();
                self.tree.add_to_list(ty);
                self.expect(Punct::Comma, "the type");
                let operand = self.assignment();
                self.tree.add_to_list(operand);
                self.close(Punct::RParen, "the value");
            }
            Form::TypesCompatible => {
                let a = self.type_operand();
                self.tree.add_to_list(a);
                self.expect(Punct::Comma, "the first type");
                let b = self.type_operand();
                self.tree.add_to_list(b);
                self.close(Punct::RParen, "type name");
            }
            Form::ChooseExpr => {
                let condition = self.conditional();
                self.tree.add_to_list(condition);
                for after in ["the condition", "the second argument"] {
                    self.expect(Punct::Comma, after);
                    let argument = self.assignment();
                    self.tree.add_to_list(argument);
                }
                self.close(Punct::RParen, "the third argument");
            }
            Form::Offsetof => {
                let member = self.member_designator();
                self.tree.add_to_list(member);
                self.close(Punct::RParen, "member designator");
            }
            _ => self.close(Punct::RParen, "arguments"),
        }
        self.tree.end_list(list)
    }

    /// `type , member-designator` of `offsetof`.
    fn member_designator(&mut self) -> ExprId {
        let ty = self.type_operand();
        self.expect(Punct::Comma, "the type");
        let start = self.here();
        let token = self.peek();
        let TokenKind::Ident(name) = token.kind else {
            let found = token.text(self.symbols);
            let message = format!("expected a member name, found {found}");
            self.report(Problem::new("expected-member", token.span, message));
            return self.error_at(start);
        };
        self.bump();
        let first = self.push(Kind::OffsetMember { ty, name }, start);
        self.suffixes(first)
    }

    // ---- nodes, problems ----

    /// The current token.
    pub(super) fn here(&self) -> TokenId {
        self.pos as TokenId
    }

    /// A node from the token `first` to the one before the cursor.
    pub(super) fn push(&mut self, kind: Kind, first: TokenId) -> ExprId {
        let last = self.here().saturating_sub(1).max(first);
        self.tree.nodes.push(Node { kind, first, last });
        ExprId(self.tree.nodes.len() as u32 - 1)
    }

    /// What stands at a token is no expression.
    fn error_at(&mut self, token: TokenId) -> ExprId {
        self.tree.nodes.push(Node { kind: Kind::Error, first: token, last: token });
        ExprId(self.tree.nodes.len() as u32 - 1)
    }

    /// Ends a node before the cursor.
    pub(super) fn end_here(&mut self, id: ExprId) {
        let last = self.here().saturating_sub(1);
        let node = &mut self.tree.nodes[id.0 as usize];
        node.last = last.max(node.first);
    }

    /// Reports a problem, unless a fatal one came before.
    pub(super) fn report(&mut self, problem: Problem) {
        if self.is_finished() {
            return;
        }
        let before = self.tree.nodes.len() as u32;
        if problem.fatal {
            self.finish();
        }
        self.tree.problems.push(Problem { before, ..problem });
    }

    /// Returns whether a fatal problem was reported.
    fn is_finished(&self) -> bool {
        self.tree.problems.last().is_some_and(|p| p.fatal)
    }

    /// Accounts for a node over the expression parsed last and another of height `other`.
    pub(super) fn grow(&mut self, other: u32) {
        self.height = self.height.max(other) + 1;
        if self.height > MAX_HEIGHT {
            let message = format!(
                "the expression is too complex: more than {MAX_HEIGHT} operations depend on each other"
            );
            let problem = Problem::new("expression-too-complex", self.previous_span(), message);
            self.report(Problem { remark: Some("split it with variables"), fatal: true, ..problem });
            self.height = 0;
        }
    }

    /// Runs a production one level deeper; `None` after reporting that the source nests too deeply.
    pub(super) fn deeper<T>(&mut self, production: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.report(Problem::too_deep(self.peek().span));
            return None;
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        Some(result)
    }

    /// Takes the punctuator, or reports that it is missing `after` something.
    pub(super) fn expect(&mut self, punct: Punct, after: &str) {
        if !self.eat(punct) {
            self.report(Problem::missing(self.cursor, self.symbols, punct, after));
        }
    }

    /// Takes a closing bracket. If it is missing, the tokens up to it are skipped.
    pub(super) fn close(&mut self, bracket: Punct, what: &str) {
        if !self.at(bracket) && self.places.expected_at != Some(self.pos) {
            self.report(Problem::missing(self.cursor, self.symbols, bracket, what));
        }
        self.pass(bracket);
    }

    /// Returns whether a closing bracket is here, or a problem was reported here in its place.
    pub(super) fn is_closed(&self, bracket: Punct) -> bool {
        self.at(bracket) || self.places.expected_at == Some(self.pos) || self.is_finished()
    }

    /// Passes over the tokens before a closing bracket, and over it.
    pub(super) fn pass(&mut self, bracket: Punct) {
        if !self.eat(bracket) {
            self.skip_balanced_until(&[bracket]);
            self.eat(bracket);
        }
    }
}

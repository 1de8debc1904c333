//! The grammar of expressions that C does not have.
//!
//! ```text
//! primary: "this" | "nullptr" | "true" | "false" | cast-word "<" type ">" "(" expression ")" | type "(" arguments ")"
//!        | type "{" items "}" | qualified-name | lambda
//! suffix:  ("." | "->") "template"? qualified-name
//! lambda:  "[" captures "]" ("(" parameters ")" tail)? block
//! ```

use super::tree::{Capture, CxxExpr, FunctionTail, Lambda};
use crate::hir::BinaryOp;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::{ExprId, Infix, InitId, Kind, TokenId};
use crate::syntax::declaration::{Declarator, Row, SpecContext, TypeName, row};
use crate::syntax::declarator::Naming;
use crate::syntax::expr::Parser;
use crate::syntax::names::NameKind;
use crate::syntax::problem::Problem;
use crate::syntax::words::{is_keyword, is_type_word};
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// Adds a node of C++ whose parts are read by `parts`: it precedes theirs.
    pub(super) fn cxx_node(
        &mut self,
        start: TokenId,
        parts: impl FnOnce(&mut Self) -> Option<CxxExpr>,
    ) -> ExprId {
        let node = self.push(Kind::Error, start);
        if let Some(expr) = parts(self) {
            let end = self.tree.nodes.len() as u32;
            self.tree.cxx.exprs.push(expr);
            let index = self.tree.cxx.exprs.len() as u32 - 1;
            self.tree.nodes[node.0 as usize].kind = Kind::Cxx { node: index, end };
        }
        self.end_here(node);
        self.height = self.height.max(1);
        node
    }

    /// A primary expression that C does not have; `None` where C's grammar goes on.
    pub(crate) fn cxx_primary(&mut self) -> Option<ExprId> {
        let start = self.here();
        let simple = match self.peek().kind {
            TokenKind::Ident(kw::THIS) => CxxExpr::This,
            TokenKind::Ident(kw::NULLPTR) => CxxExpr::Nullptr,
            TokenKind::Ident(word @ (kw::TRUE | kw::FALSE)) => CxxExpr::Bool(word == kw::TRUE),
            TokenKind::Ident(
                kw::STATIC_CAST | kw::REINTERPRET_CAST | kw::CONST_CAST | kw::ADDRSPACE_CAST,
            ) => return Some(self.named_cast()),
            TokenKind::Ident(word @ (kw::THROW | kw::TYPEID | kw::DYNAMIC_CAST)) => {
                return Some(self.refused_expression(word));
            }
            TokenKind::Ident(kw::NOEXCEPT) => return Some(self.refused_expression(kw::NOEXCEPT)),
            TokenKind::Punct(Punct::LBracket) => return Some(self.lambda()),
            TokenKind::Punct(Punct::LBrace) => return Some(self.braced()),
            _ => return self.name_or_construction(),
        };
        self.bump();
        Some(self.cxx_node(start, |_| Some(simple)))
    }

    fn name_or_construction(&mut self) -> Option<ExprId> {
        let start = self.here();
        if self.at_allocation() {
            return Some(self.allocation());
        }
        let TokenKind::Ident(word) = self.peek().kind else {
            if self.at(Punct::ColonColon) {
                return Some(self.cxx_name(start));
            }
            return None;
        };
        if word == kw::OPERATOR {
            return Some(self.cxx_name(start));
        }
        if is_keyword(word, self.language) {
            let opens = matches!(self.peek_at(1).kind, TokenKind::Punct(Punct::LParen | Punct::LBrace));
            let construction = word == kw::TYPENAME || word == kw::DECLTYPE || (is_type_word(word) && opens);
            return construction.then(|| self.construction(start));
        }
        let walk = self.walk_name(self.pos)?;
        let next = self.tokens.get(walk.end).map_or(TokenKind::Eof, |t| t.kind);
        let opens = matches!(next, TokenKind::Punct(Punct::LParen | Punct::LBrace));
        let is_type = match walk.kind {
            Some(NameKind::Type) => true,
            // Arguments that are deduced.
            Some(NameKind::TypeTemplate) => true,
            None => walk.qualified && next == TokenKind::Punct(Punct::LBrace) && !walk.constructor,
            _ => false,
        };
        if is_type && opens {
            return Some(self.construction(start));
        }
        (walk.qualified || is_type).then(|| self.cxx_name(start))
    }

    fn cxx_name(&mut self, start: TokenId) -> ExprId {
        self.cxx_node(start, |p| p.qualified_name().map(CxxExpr::Name))
    }

    /// The specifiers of a type that is called, without a declarator.
    fn called_type(&mut self) -> TypeName {
        let specs = match self.peek().kind {
            TokenKind::Ident(word) if is_keyword(word, self.language) && is_type_word(word) => {
                self.one_word_type(word)
            }
            _ => self.specifiers(SpecContext::TypeName),
        };
        let at = self.here();
        let none = Declarator {
            before: Row::default(),
            name: None,
            inner: None,
            behind: Row::default(),
            attributes: Row::default(),
            first: at,
            last: at.saturating_sub(1),
            problems_end: self.problem_count(),
        };
        self.tree.declarations.declarators.push(none);
        TypeName(Some((specs, self.tree.declarations.declarators.len() as u32 - 1)))
    }

    fn one_word_type(&mut self, word: Symbol) -> u32 {
        use crate::syntax::declaration::{SpecKind, SpecWord, Specs};
        let (first, problems) = (self.here(), self.problem_count());
        self.bump();
        let spec = SpecWord { kind: SpecKind::Keyword(word), first, end: self.here(), problems };
        let words = row(&mut self.tree.declarations.words, vec![spec]);
        self.tree.declarations.specs.push(Specs { words, first, end: self.here(), problems_end: problems });
        self.tree.declarations.specs.len() as u32 - 1
    }

    /// `T(a, b)` or `T{a, b}`
    fn construction(&mut self, start: TokenId) -> ExprId {
        self.cxx_node(start, |p| {
            let ty = p.called_type();
            if p.at(Punct::LBrace) {
                let init = p.initializer();
                p.grow(0);
                return Some(CxxExpr::ConstructBraced { ty, init });
            }
            if !p.at(Punct::LParen) {
                let found = p.peek().text(p.symbols);
                let message = format!("expected '(' or '{{' after a type, found {found}");
                p.report(Problem::new("expected-token", p.peek().span, message));
                return None;
            }
            let (args, _) = p.init_arguments();
            Some(CxxExpr::Construct { ty, args })
        })
    }

    /// `( initialiser, … )`, at the `(`.
    pub(crate) fn init_arguments(&mut self) -> (Vec<InitId>, bool) {
        self.bump();
        let outer = std::mem::replace(&mut self.no_greater, false);
        let mut args = Vec::new();
        let mut height = 0;
        while !self.at(Punct::RParen) {
            let Some(value) = self.deeper(|p| p.initializer()) else { break };
            args.push(value);
            self.pass_expansion();
            height = height.max(self.height);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.height = height;
        self.grow(0);
        self.no_greater = outer;
        let closed = self.at(Punct::RParen);
        self.close(Punct::RParen, "arguments");
        (args, closed)
    }

    /// Passes over the `...` of a template that is not read here.
    pub(crate) fn pass_expansion(&mut self) {
        if self.in_template {
            self.eat(Punct::Ellipsis);
        }
    }

    /// A list in braces.
    pub(crate) fn braced(&mut self) -> ExprId {
        let start = self.here();
        self.cxx_node(start, |p| {
            let init = p.initializer();
            p.grow(0);
            Some(CxxExpr::Braced(init))
        })
    }

    fn named_cast(&mut self) -> ExprId {
        let start = self.here();
        let TokenKind::Ident(word) = self.bump().kind else { return self.push(Kind::Error, start) };
        self.cxx_node(start, |p| {
            if !p.eat(Punct::Lt) {
                p.report(Problem::missing(p.cursor, p.symbols, Punct::Lt, "the cast"));
                return None;
            }
            let outer = std::mem::replace(&mut p.no_greater, true);
            let ty = p.type_name();
            p.no_greater = outer;
            if !p.eat(Punct::Gt) {
                p.report(Problem::missing(p.cursor, p.symbols, Punct::Gt, "the type of a cast"));
                return None;
            }
            p.expect(Punct::LParen, "the type of a cast");
            let outer = std::mem::replace(&mut p.no_greater, false);
            let operand = p.deeper(|p| p.range(|p| p.expression()));
            p.no_greater = outer;
            p.close(Punct::RParen, "the operand of a cast");
            p.grow(0);
            Some(CxxExpr::NamedCast { word, ty, operand: operand? })
        })
    }

    /// An expression that C++ for OpenCL does not have.
    fn refused_expression(&mut self, word: Symbol) -> ExprId {
        let start = self.here();
        let span = self.bump().span;
        let what = match word {
            kw::THROW => "exceptions ('throw')",
            kw::TYPEID => "run-time type information ('typeid')",
            kw::DYNAMIC_CAST => "'dynamic_cast'",
            _ => "the operator 'noexcept' here",
        };
        let message = format!("C++ for OpenCL does not have {what}");
        self.report(Problem::new("unsupported-cxx", span, message));
        self.skip_balanced_until(&[Punct::Comma]);
        self.push(Kind::Error, start)
    }

    /// An infix operator in C++: there `>>` is two tokens, and a `>` may end template arguments. Gives the tokens that it has too.
    pub(crate) fn cxx_infix(&self, precedence: u8, op: Infix) -> (u8, Infix, usize) {
        if op != Infix::Binary(BinaryOp::Gt) || !self.is_cxx() {
            return (precedence, op, 1);
        }
        let next = self.peek_at(1);
        match next.kind {
            _ if self.no_greater => (0, op, 1),
            TokenKind::Punct(Punct::Gt) if !next.space_before && !next.line_start => {
                (8, Infix::Binary(BinaryOp::Shr), 2)
            }
            _ => (precedence, op, 1),
        }
    }

    // ---- members ----

    /// The name of a member that C does not have, behind `.` or `->`; `None` where C's grammar goes on.
    pub(crate) fn cxx_member(&mut self, base: ExprId, start: TokenId, arrow: bool) -> Option<ExprId> {
        let next = self.peek_at(1).kind;
        let is_cxx = match self.peek().kind {
            TokenKind::Ident(kw::TEMPLATE | kw::OPERATOR) => true,
            TokenKind::Punct(Punct::Tilde) => true,
            TokenKind::Punct(Punct::Star) => {
                let message = "C++ for OpenCL does not have pointers to members".to_owned();
                self.report(Problem::new("unsupported-cxx", self.peek().span, message));
                return None;
            }
            TokenKind::Ident(name) if !is_keyword(name, self.language) => match next {
                TokenKind::Punct(Punct::ColonColon) => true,
                TokenKind::Punct(Punct::Lt) => self.looks_like_arguments(self.pos + 1),
                _ => false,
            },
            _ => false,
        };
        if !is_cxx {
            return None;
        }
        Some(self.cxx_node(start, |p| {
            let template = p.eat_word(kw::TEMPLATE);
            let name = if template || p.peek_at(1).kind == TokenKind::Punct(Punct::Lt) {
                p.member_template()
            } else {
                p.qualified_name()
            };
            name.map(|name| CxxExpr::Member { base, name, arrow })
        }))
    }

    /// `name<arguments>` of a member.
    fn member_template(&mut self) -> Option<super::tree::QualName> {
        let at = self.here();
        let TokenKind::Ident(name) = self.peek().kind else { return self.qualified_name() };
        if self.peek_at(1).kind != TokenKind::Punct(Punct::Lt) {
            return self.qualified_name();
        }
        self.bump();
        let args = Some(self.template_arguments());
        let parts = vec![super::tree::NamePart { name, at, args }];
        Some(super::tree::QualName { global: false, parts, first: at, last: self.here().saturating_sub(1) })
    }

    // ---- lambdas ----

    /// Returns whether the `[` at the cursor begins a lambda and not a designator.
    pub(crate) fn at_lambda(&self) -> bool {
        let behind = super::pack::behind_group(self.tokens, self.pos);
        let kind = self.tokens.get(behind).map_or(TokenKind::Eof, |t| t.kind);
        self.is_cxx() && matches!(kind, TokenKind::Punct(Punct::LParen | Punct::LBrace))
    }

    fn lambda(&mut self) -> ExprId {
        let start = self.here();
        self.cxx_node(start, |p| {
            p.bump();
            let (default, captures) = p.captures(start)?;
            let (mut declarator, mut generic) = (None, false);
            if p.at(Punct::LParen) {
                generic = p.has_auto_parameter();
                let outer = p.in_template;
                p.in_template |= generic;
                declarator = Some(p.lambda_parameters());
                p.in_template = outer;
            } else if !p.at(Punct::LBrace) {
                let tail = p.function_tail();
                p.tree.cxx.tails.insert(start, tail);
            }
            let body = p.here();
            if !p.at(Punct::LBrace) {
                p.report(Problem::missing(p.cursor, p.symbols, Punct::LBrace, "the head of a lambda"));
                return None;
            }
            p.skip_group();
            p.height = 1;
            let lambda = Lambda { default, captures, declarator, body, generic, first: start };
            Some(CxxExpr::Lambda(Box::new(lambda)))
        })
    }

    fn captures(&mut self, start: TokenId) -> Option<(Option<bool>, Vec<Capture>)> {
        let (mut default, mut list) = (None, Vec::new());
        while !self.at(Punct::RBracket) {
            let at = self.here();
            let by_reference = self.eat(Punct::Amp);
            let next = self.peek().kind;
            let ends = matches!(next, TokenKind::Punct(Punct::Comma | Punct::RBracket));
            match next {
                _ if by_reference && ends && list.is_empty() => default = Some(true),
                TokenKind::Punct(Punct::Eq) if !by_reference && list.is_empty() => {
                    self.bump();
                    default = Some(false);
                }
                TokenKind::Ident(kw::THIS) => {
                    self.bump();
                    list.push(Capture { name: None, by_reference, init: None, at });
                }
                TokenKind::Punct(Punct::Star) if self.peek_at(1).kind == TokenKind::Ident(kw::THIS) => {
                    let message = "a lambda captures the object as 'this' here, not as '*this'".to_owned();
                    self.report(Problem::new("unsupported-cxx", self.peek().span, message));
                    self.pos += 2;
                }
                TokenKind::Ident(name) if !is_keyword(name, self.language) => {
                    self.bump();
                    let init =
                        if self.eat(Punct::Eq) { self.deeper(|p| p.range(|p| p.assignment())) } else { None };
                    list.push(Capture { name: Some(name), by_reference, init, at });
                }
                _ => {
                    let found = self.peek().text(self.symbols);
                    let message = format!("expected a capture of a lambda, found {found}");
                    self.report(Problem::new("expected-token", self.span_of(start), message));
                    self.skip_balanced_until(&[]);
                    return None;
                }
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RBracket, "captures");
        Some((default, list))
    }

    /// Returns whether the parameters at the cursor have one that is declared `auto`.
    fn has_auto_parameter(&self) -> bool {
        let mut depth = 0;
        for token in self.tokens.get(self.pos..).unwrap_or(&[]) {
            match token.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => {
                    depth -= 1;
                    if depth == 0 {
                        return false;
                    }
                }
                TokenKind::Ident(kw::AUTO) => return true,
                TokenKind::Eof | TokenKind::Punct(Punct::Semi) => return false,
                _ => {}
            }
        }
        false
    }

    /// The parameters of a lambda with what follows them, as a declarator without a name.
    fn lambda_parameters(&mut self) -> u32 {
        self.declarator(Naming::Forbidden)
    }

    /// What follows the parameters of a function.
    pub(crate) fn function_tail(&mut self) -> FunctionTail {
        let mut tail = FunctionTail::default();
        loop {
            let at = self.here();
            match self.peek().kind {
                TokenKind::Ident(kw::CONST | kw::CONST_U | kw::CONST_UU) => tail.is_const = true,
                TokenKind::Ident(kw::VOLATILE | kw::VOLATILE_U | kw::VOLATILE_2) => tail.is_volatile = true,
                // A space is the last of the qualifiers.
                TokenKind::Ident(kw::MUTABLE) if tail.space.is_some() => break,
                TokenKind::Ident(kw::MUTABLE) => tail.is_mutable = true,
                TokenKind::Ident(word) if crate::syntax::words::is_space_word(word) => {
                    let plain = |word| self.symbols.text(word).trim_start_matches('_');
                    if tail.space.is_some_and(|(before, _)| plain(before) != plain(word)) {
                        let message = "two address spaces for the object of a member function".to_owned();
                        self.report(Problem::new("multiple-address-spaces", self.peek().span, message));
                    }
                    tail.space = Some((word, at));
                }
                TokenKind::Ident(kw::CONSTEXPR) => {}
                TokenKind::Ident(kw::OVERRIDE | kw::FINAL) => tail.is_virtual = Some(at),
                TokenKind::Punct(Punct::Amp | Punct::AmpAmp) => tail.reference = Some(at),
                TokenKind::Ident(kw::NOEXCEPT) => {
                    self.bump();
                    if self.at(Punct::LParen) {
                        self.skip_group();
                    }
                    continue;
                }
                TokenKind::Ident(kw::THROW) => {
                    self.bump();
                    if self.at(Punct::LParen) {
                        self.skip_group();
                    }
                    continue;
                }
                _ if self.at_attribute() && !self.at_bracket_attribute() => {
                    // They are the function's, and the declarator reads them.
                    break;
                }
                TokenKind::Punct(Punct::Arrow) => {
                    self.bump();
                    if matches!(
                        self.peek().kind,
                        TokenKind::Punct(Punct::LBrace | Punct::Semi) | TokenKind::Eof
                    ) {
                        let message = "a type is missing after '->'".to_owned();
                        self.report(Problem::new("missing-type", self.peek().span, message));
                        break;
                    }
                    tail.trailing = Some(self.type_name());
                    break;
                }
                _ => break,
            }
            self.bump();
        }
        tail
    }
}

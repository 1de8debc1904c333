//! Qualified names, template arguments, and what they are.
//!
//! ```text
//! name:      "::"? (part "::")* last
//! part:      "template"? identifier arguments?
//! last:      part | "~" identifier | "operator" (punctuator | type)
//! arguments: "<" ((type | expression) "..."? ("," …)*)? ">"
//! ```

use super::tree::{ArgKind, NamePart, QualName, TemplateArg};
use crate::symbol::{Symbol, kw};
use crate::syntax::declaration::{SpecContext, TypeName};
use crate::syntax::declarator::Naming;
use crate::syntax::expr::Parser;
use crate::syntax::names::NameKind;
use crate::syntax::problem::Problem;
use crate::syntax::words::{is_keyword, is_type_word};
use crate::token::{Punct, TokenKind};

/// Tokens that are looked at to find the end of template arguments.
const MAX_ARGUMENT_TOKENS: usize = 2000;

/// A name that was walked over without reading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    /// The position behind it.
    pub end: usize,
    /// What it is, where that is known.
    pub kind: Option<NameKind>,
    /// It has `::` or template arguments.
    pub qualified: bool,
    /// Its last part is the name of its class: a constructor.
    pub constructor: bool,
}

impl Parser<'_> {
    fn kind_at(&self, pos: usize) -> TokenKind {
        self.tokens.get(pos).map_or(TokenKind::Eof, |t| t.kind)
    }

    /// Returns whether the language is C++ for OpenCL.
    pub(crate) fn is_cxx(&self) -> bool {
        self.language.cxx
    }

    /// The position behind template arguments whose `<` is at `pos`.
    pub(crate) fn behind_angles(&self, pos: usize) -> Option<usize> {
        let (mut at, mut depth, mut brackets) = (pos, 0usize, 0usize);
        while at < pos + MAX_ARGUMENT_TOKENS {
            match self.kind_at(at) {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => brackets += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    brackets = brackets.checked_sub(1)?;
                }
                TokenKind::Punct(Punct::Lt) if brackets == 0 => depth += 1,
                TokenKind::Punct(Punct::Gt) if brackets == 0 => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                TokenKind::Punct(Punct::Semi) | TokenKind::Eof => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Walks over the name that begins at a position.
    pub(crate) fn walk_name(&self, start: usize) -> Option<Walk> {
        let env = self.env?;
        let mut at = start;
        let mut scope: Option<Symbol> = None;
        let mut qualified = false;
        let mut unknown = false;
        if self.kind_at(at) == TokenKind::Punct(Punct::ColonColon) {
            at += 1;
            qualified = true;
        }
        let mut previous: Option<Symbol> = None;
        loop {
            if qualified && self.kind_at(at) == TokenKind::Ident(kw::TEMPLATE) {
                at += 1;
            }
            let TokenKind::Ident(name) = self.kind_at(at) else {
                // `~T`, `operator …`
                return qualified.then_some(Walk { end: at, kind: None, qualified, constructor: false });
            };
            if is_keyword(name, self.language) {
                return qualified.then_some(Walk { end: at, kind: None, qualified, constructor: false });
            }
            let constructor = qualified && previous == Some(name);
            let mut kind = match scope {
                Some(scope) => env.kind(scope, name),
                None if unknown => None,
                None => self.kind_of(name),
            };
            let mut inner = match scope {
                Some(scope) => env.inner.get(&(scope, name)).copied(),
                None if unknown => None,
                None => env.named.get(&name).copied(),
            };
            at += 1;
            let template = matches!(kind, Some(NameKind::TypeTemplate | NameKind::FunctionTemplate));
            let behind_template = at >= start + 2 && self.kind_at(at - 2) == TokenKind::Ident(kw::TEMPLATE);
            if self.kind_at(at) == TokenKind::Punct(Punct::Lt)
                && (template
                    || behind_template
                    || (unknown && qualified && self.looks_like_type_arguments(at)))
                && let Some(end) = self.behind_angles(at)
            {
                at = end;
                qualified = true;
                if kind == Some(NameKind::TypeTemplate) {
                    kind = Some(NameKind::Type);
                }
            } else if kind == Some(NameKind::TypeTemplate)
                && scope.is_none()
                && (env.class_names.contains(&name) || self.class_name == Some(name))
            {
                // The name of the class in itself.
                kind = Some(NameKind::Type);
            }
            if self.kind_at(at) != TokenKind::Punct(Punct::ColonColon) {
                let kind = if constructor { None } else { kind };
                return Some(Walk { end: at, kind, qualified, constructor });
            }
            if kind.is_none() {
                inner = None;
            }
            unknown |= inner.is_none();
            scope = inner;
            previous = Some(name);
            qualified = true;
            at += 1;
        }
    }

    /// As [`Self::looks_like_arguments`]; a declared name may follow, too.
    fn looks_like_type_arguments(&self, pos: usize) -> bool {
        let behind = self.behind_angles(pos).map(|end| self.kind_at(end));
        let named = matches!(behind, Some(TokenKind::Ident(word)) if !is_keyword(word, self.language));
        self.looks_like_arguments(pos) || (named && self.are_plain_arguments(pos))
    }

    /// Returns whether the `<` at a position begins template arguments that `(`, `::` or `{` follows.
    pub(crate) fn looks_like_arguments(&self, pos: usize) -> bool {
        let next = self.behind_angles(pos).map(|end| self.kind_at(end));
        let opens = matches!(next, Some(TokenKind::Punct(Punct::LParen | Punct::ColonColon | Punct::LBrace)));
        opens && self.are_plain_arguments(pos)
    }

    /// Returns whether names, numbers and the punctuators of types stand between the `<` at a position and its `>`.
    fn are_plain_arguments(&self, pos: usize) -> bool {
        let Some(end) = self.behind_angles(pos) else { return false };
        self.tokens[pos + 1..end - 1].iter().all(|t| match t.kind {
            TokenKind::Ident(_) | TokenKind::Number(_) => true,
            TokenKind::Punct(p) => matches!(
                p,
                Punct::Comma
                    | Punct::Star
                    | Punct::Amp
                    | Punct::ColonColon
                    | Punct::Lt
                    | Punct::Gt
                    | Punct::LBracket
                    | Punct::RBracket
                    | Punct::Plus
                    | Punct::Minus
                    | Punct::Ellipsis
            ),
            _ => false,
        })
    }

    /// Returns whether the type behind the `(` at the cursor is called: `(T(1).v)`.
    pub(crate) fn at_constructed_operand(&self) -> bool {
        let end = match self.peek_at(1).kind {
            // Specifiers with parts in parentheses or braces.
            TokenKind::Ident(
                kw::TYPEOF
                | kw::TYPEOF_U
                | kw::TYPEOF_2
                | kw::DECLTYPE
                | kw::ALIGNAS
                | kw::STRUCT
                | kw::UNION
                | kw::ENUM
                | kw::CLASS,
            ) => return false,
            TokenKind::Ident(word) if is_keyword(word, self.language) => self.pos + 2,
            _ => self.walk_name(self.pos + 1).map_or(self.pos + 2, |walk| walk.end),
        };
        let kind = |pos: usize| self.tokens.get(pos).map_or(TokenKind::Eof, |t| t.kind);
        match kind(end) {
            TokenKind::Punct(Punct::LBrace) => true,
            // `(*)` and `(&)` are declarators.
            TokenKind::Punct(Punct::LParen) => !matches!(
                kind(end + 1),
                TokenKind::Punct(Punct::Star | Punct::Amp | Punct::AmpAmp | Punct::Caret)
            ),
            _ => false,
        }
    }

    /// Returns whether a type begins `ahead` tokens on.
    pub(crate) fn cxx_type_at(&self, ahead: usize) -> bool {
        let pos = self.pos + ahead;
        match self.kind_at(pos) {
            TokenKind::Ident(kw::TYPENAME | kw::CLASS | kw::DECLTYPE) => true,
            TokenKind::Ident(kw::AUTO) => true,
            TokenKind::Ident(word) if is_keyword(word, self.language) => is_type_word(word),
            TokenKind::Ident(_) | TokenKind::Punct(Punct::ColonColon) => match self.walk_name(pos) {
                Some(Walk { kind: Some(NameKind::Type), .. }) => true,
                // A class template whose arguments are deduced; a name of a scope that nothing is known of.
                Some(Walk { kind: Some(NameKind::TypeTemplate), .. }) => true,
                Some(Walk { kind: None, qualified: true, constructor: false, end }) => {
                    self.declares_behind(end)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether what stands at a position makes a name before it a type: another name, or `*` or `&` before one that
    /// is declared.
    fn declares_behind(&self, end: usize) -> bool {
        let word = |pos: usize| match self.kind_at(pos) {
            TokenKind::Ident(word) => !is_keyword(word, self.language),
            _ => false,
        };
        if word(end) {
            return true;
        }
        let pointer = matches!(self.kind_at(end), TokenKind::Punct(Punct::Star | Punct::Amp | Punct::AmpAmp));
        pointer
            && word(end + 1)
            && matches!(
                self.kind_at(end + 2),
                TokenKind::Punct(Punct::Eq | Punct::Semi | Punct::Comma | Punct::RParen)
            )
    }

    /// A name with its qualifiers, at its first token.
    pub(crate) fn qualified_name(&mut self) -> Option<QualName> {
        let first = self.here();
        let global = self.eat(Punct::ColonColon);
        let mut parts: Vec<NamePart> = Vec::new();
        loop {
            let template = !parts.is_empty() && self.eat_word(kw::TEMPLATE);
            let at = self.here();
            let token = self.peek();
            let name = match token.kind {
                TokenKind::Ident(kw::OPERATOR) => self.operator_name()?,
                TokenKind::Ident(word) if !is_keyword(word, self.language) => {
                    self.bump();
                    word
                }
                TokenKind::Punct(Punct::Tilde) => {
                    self.bump();
                    self.walk_over_name();
                    kw::DESTRUCTOR
                }
                _ => {
                    let found = token.text(self.symbols);
                    let message = format!("expected a name, found {found}");
                    self.report(Problem::new("expected-identifier", token.span, message));
                    return None;
                }
            };
            let special = name >= kw::OP_NEW && name <= kw::CONVERSION;
            let arguments =
                self.at(Punct::Lt) && !special && (template || self.is_template_name(first, name));
            let args = if arguments { Some(self.template_arguments()) } else { None };
            parts.push(NamePart { name, at, args });
            if special || !self.at(Punct::ColonColon) || self.peek_at(1).kind == TokenKind::Punct(Punct::Star)
            {
                break;
            }
            self.bump();
        }
        Some(QualName { global, parts, first, last: self.here().saturating_sub(1) })
    }

    /// Passes over the name of a class behind `~`.
    fn walk_over_name(&mut self) {
        if let Some(walk) = self.walk_name(self.pos) {
            self.pos = walk.end.max(self.pos + 1);
        } else {
            self.bump();
        }
    }

    /// Returns whether the name behind the cursor, of a qualified name that began at `first`, is a template.
    fn is_template_name(&self, first: u32, name: Symbol) -> bool {
        let end = self.behind_angles(self.pos);
        let Some(end) = end else { return false };
        if first + 1 == self.here() {
            let kind = self.kind_of(name);
            return matches!(kind, Some(NameKind::TypeTemplate | NameKind::FunctionTemplate));
        }
        match self.walk_name(first as usize) {
            Some(walk) => walk.end >= end || self.looks_like_arguments(self.pos),
            None => self.looks_like_arguments(self.pos),
        }
    }

    /// `< argument, … >`, at the `<`.
    pub(crate) fn template_arguments(&mut self) -> Vec<TemplateArg> {
        self.bump();
        let outer = std::mem::replace(&mut self.no_greater, true);
        let mut args = Vec::new();
        while !self.at(Punct::Gt) && self.peek().kind != TokenKind::Eof {
            let at = self.here();
            let kind = if self.cxx_type_at(0) {
                ArgKind::Type(self.template_type())
            } else {
                let read = self.deeper(|p| p.range(|p| p.conditional()));
                match read {
                    Some(range) => ArgKind::Value(range),
                    None => ArgKind::Type(TypeName(None)),
                }
            };
            let expanded = self.eat(Punct::Ellipsis);
            args.push(TemplateArg { kind, expanded, at });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.no_greater = outer;
        if !self.eat(Punct::Gt) {
            self.report(Problem::missing(self.cursor, self.symbols, Punct::Gt, "template arguments"));
        }
        args
    }

    /// A type as a template argument, where `f(int)` is a function's type.
    fn template_type(&mut self) -> TypeName {
        let read = self.deeper(|p| {
            let specs = p.specifiers(SpecContext::TypeName);
            (specs, p.declarator(Naming::Forbidden))
        });
        TypeName(read)
    }

    /// `operator` with what follows it. A conversion's type is not read.
    fn operator_name(&mut self) -> Option<Symbol> {
        self.bump();
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else {
            if let TokenKind::Ident(word @ (kw::NEW | kw::DELETE)) = token.kind {
                self.bump();
                let is_array =
                    self.at(Punct::LBracket) && self.peek_at(1).kind == TokenKind::Punct(Punct::RBracket);
                self.pos += if is_array { 2 } else { 0 };
                return Some(match (word == kw::NEW, is_array) {
                    (true, false) => kw::OP_NEW,
                    (true, true) => kw::OP_NEW_ARRAY,
                    (false, false) => kw::OP_DELETE,
                    (false, true) => kw::OP_DELETE_ARRAY,
                });
            }
            return Some(kw::CONVERSION);
        };
        self.bump();
        let name = match punct {
            Punct::LParen => {
                self.eat(Punct::RParen);
                kw::OP_CALL
            }
            Punct::LBracket => {
                self.eat(Punct::RBracket);
                kw::OP_INDEX
            }
            Punct::Gt if self.at(Punct::Gt) && !self.peek().space_before => {
                self.bump();
                kw::OP_SHR
            }
            punct => match operator_symbol(punct) {
                Some(name) => name,
                None => {
                    let message = format!("'operator{}' is none that a program may define", punct.spelling());
                    self.report(Problem::new("expected-identifier", token.span, message));
                    return None;
                }
            },
        };
        Some(name)
    }
}

/// The name of the function that an operator calls.
pub(crate) fn operator_symbol(punct: Punct) -> Option<Symbol> {
    use Punct::*;
    Some(match punct {
        Plus => kw::OP_ADD,
        Minus => kw::OP_SUB,
        Star => kw::OP_MUL,
        Slash => kw::OP_DIV,
        Percent => kw::OP_REM,
        Caret => kw::OP_XOR,
        Amp => kw::OP_AND,
        Pipe => kw::OP_OR,
        Tilde => kw::OP_COMPL,
        Bang => kw::OP_NOT,
        Eq => kw::OP_ASSIGN,
        Lt => kw::OP_LT,
        Gt => kw::OP_GT,
        PlusEq => kw::OP_ADD_ASSIGN,
        MinusEq => kw::OP_SUB_ASSIGN,
        StarEq => kw::OP_MUL_ASSIGN,
        SlashEq => kw::OP_DIV_ASSIGN,
        PercentEq => kw::OP_REM_ASSIGN,
        CaretEq => kw::OP_XOR_ASSIGN,
        AmpEq => kw::OP_AND_ASSIGN,
        PipeEq => kw::OP_OR_ASSIGN,
        Shl => kw::OP_SHL,
        Shr => kw::OP_SHR,
        ShlEq => kw::OP_SHL_ASSIGN,
        ShrEq => kw::OP_SHR_ASSIGN,
        EqEq => kw::OP_EQ,
        BangEq => kw::OP_NE,
        Le => kw::OP_LE,
        Ge => kw::OP_GE,
        AmpAmp => kw::OP_ANDAND,
        PipePipe => kw::OP_OROR,
        PlusPlus => kw::OP_INC,
        MinusMinus => kw::OP_DEC,
        Comma => kw::OP_COMMA,
        Arrow => kw::OP_ARROW,
        _ => return None,
    })
}

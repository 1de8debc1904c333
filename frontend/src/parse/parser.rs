//! The parser's state: the token cursor, the program under construction, scopes.

use crate::diag::Diagnostics;
use crate::hir::{Function, Global, Local, LocalId};
use crate::options::Options;
use crate::source::Span;
use crate::symbol::{Interner, Symbol};
use crate::token::{Punct, Token, TokenKind};
use crate::types::{QualType, TypeId, Types};
use rustc_hash::FxHashMap;

/// What an ordinary identifier means (C99 §6.2.3: one name space for all of these).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Name {
    /// A variable of automatic storage or a parameter of the current function.
    Local(LocalId),
    /// A program-scope, static or `__local` variable.
    Global(crate::hir::GlobalId),
    /// A function (or the first of a set of `overloadable` ones, see `Parser::overloads`).
    Function(crate::hir::FunctionId),
    /// A typedef name.
    Typedef(QualType),
    /// An enumeration constant and its type.
    EnumConstant(i64, TypeId),
}

/// A struct, union or enum tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tag {
    Record(crate::types::RecordId),
    Enum(crate::types::EnumId),
}

/// One scope: its names and tags, with where each was declared.
#[derive(Debug, Default)]
pub struct Scope {
    /// Ordinary identifiers.
    pub names: FxHashMap<Symbol, (Name, Span)>,
    /// Tags.
    pub tags: FxHashMap<Symbol, (Tag, Span)>,
}

/// What the body being parsed needs to know of its function.
#[derive(Debug)]
pub struct FunctionContext {
    /// The function's name.
    pub name: Symbol,
    /// What it returns.
    pub ret: TypeId,
    /// Whether it is a kernel.
    pub is_kernel: bool,
    /// Its locals so far, parameters first.
    pub locals: Vec<Local>,
}

/// Nesting deeper than this (expressions, statements, declarators together) is an error, not a
/// stack overflow.
pub const MAX_DEPTH: u32 = 200;

/// The parser.
pub struct Parser<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) pos: usize,
    pub(super) symbols: &'a mut Interner,
    pub(super) options: &'a Options,
    pub(super) diags: &'a mut Diagnostics,
    pub(super) types: Types,
    pub(super) globals: Vec<Global>,
    pub(super) functions: Vec<Function>,
    pub(super) scopes: Vec<Scope>,
    pub(super) function: Option<FunctionContext>,
    pub(super) depth: u32,
}

impl<'a> Parser<'a> {
    /// A parser before the first token.
    pub fn new(
        tokens: &'a [Token],
        symbols: &'a mut Interner,
        options: &'a Options,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Parser {
            tokens,
            pos: 0,
            symbols,
            options,
            diags,
            types: Types::new(options.address_width),
            globals: Vec::new(),
            functions: Vec::new(),
            scopes: vec![Scope::default()],
            function: None,
            depth: 0,
        }
    }

    /// The current token; `Eof` at the end, for ever.
    pub(super) fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// The token `ahead` places on.
    pub(super) fn peek_at(&self, ahead: usize) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get((self.pos + ahead).min(last)).copied().unwrap_or(Token {
            kind: TokenKind::Eof,
            span: Span::default(),
            space_before: false,
            line_start: true,
        })
    }

    /// Takes the current token.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    /// Whether the current token is this punctuator.
    pub(super) fn at(&self, punct: Punct) -> bool {
        self.peek().kind == TokenKind::Punct(punct)
    }

    /// Takes the punctuator if it is the current token.
    pub(super) fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    /// Whether the current token is this keyword or identifier.
    pub(super) fn at_word(&self, word: Symbol) -> bool {
        self.peek().kind == TokenKind::Ident(word)
    }

    /// Takes the word if it is the current token.
    pub(super) fn eat_word(&mut self, word: Symbol) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// The meaning of an identifier, innermost scope first.
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<(Name, Span)> {
        self.scopes.iter().rev().find_map(|s| s.names.get(&symbol).copied())
    }
}

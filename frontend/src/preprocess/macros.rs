//! Macro definitions (C99 §6.10.3): how they are kept, read and looked up.

use super::lexer::Lexer;
use super::predefined::{self, Predefined};
use super::queries::Query;
use super::{Preprocessor, Slot};
use crate::source::Span;
use crate::symbol::{MacroName, Symbol};
use crate::token::{Punct, Token, TokenKind};
use std::cell::Cell;
use std::rc::Rc;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    /// `None` for an object-like macro.
    pub params: Option<Vec<Symbol>>,
    /// The last parameter takes all remaining arguments.
    pub variadic: bool,
    pub body: Vec<Item>,
    /// The place of its name in the definition.
    pub definition: Span,
    /// Made by the implementation: redefining it gives no warning.
    pub builtin: bool,
    /// A macro whose replacement depends on where it is used.
    pub dynamic: Option<Dynamic>,
    /// Its replacement is being rescanned.
    pub disabled: Cell<bool>,
}

/// The macros that are computed at each use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dynamic {
    Line,
    File,
    /// `__FILE_NAME__`: the last part of the file's name.
    FileName,
    /// `__BASE_FILE__`: the main source's name.
    BaseFile,
    IncludeLevel,
    Counter,
    /// A question about the compiler, with its argument in parentheses.
    Query(Query),
}

/// One piece of a replacement list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    Token(Token),
    /// A parameter by its number; `raw` where it is an operand of `##`.
    Param {
        index: usize,
        token: Token,
        raw: bool,
    },
    /// `#` and a parameter.
    Stringize {
        index: usize,
        token: Token,
    },
    /// `##`
    Paste,
    /// The comma of GNU's `, ## __VA_ARGS__`: it goes when the call has no variable arguments (an
    /// empty one is one).
    VaComma {
        index: usize,
        token: Token,
    },
    /// `__VA_OPT__ ( … )`: the next `len` items, where the call has variable arguments; or, with `#` before it, a
    /// string of them.
    VaOpt {
        len: usize,
        stringize: bool,
        token: Token,
    },
}

impl Item {
    fn token(&self) -> Option<&Token> {
        match self {
            Item::Token(t)
            | Item::Param { token: t, .. }
            | Item::Stringize { token: t, .. }
            | Item::VaComma { token: t, .. }
            | Item::VaOpt { token: t, .. } => Some(t),
            Item::Paste => None,
        }
    }

    /// Returns whether two pieces are the same but for their places (C99 §6.10.3 paragraph 1).
    fn same(&self, other: &Item, first: bool) -> bool {
        let kinds = match (self, other) {
            (Item::Stringize { index: a, .. }, Item::Stringize { index: b, .. }) => a == b,
            (Item::VaOpt { len: a, stringize: c, .. }, Item::VaOpt { len: b, stringize: d, .. }) => {
                (a, c) == (b, d)
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        };
        let tokens = match (self.token(), other.token()) {
            (Some(a), Some(b)) => a.kind == b.kind && (first || a.space_before == b.space_before),
            (None, None) => true,
            _ => false,
        };
        kinds && tokens
    }
}

impl Macro {
    fn same(&self, other: &Macro) -> bool {
        self.params == other.params
            && self.variadic == other.variadic
            && self.dynamic == other.dynamic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(|(i, (a, b))| a.same(b, i == 0))
    }
}

impl Preprocessor<'_> {
    /// The macros that the source defined and did not undefine.
    pub(super) fn macro_names(&self) -> Vec<MacroName> {
        let defined = self.slots.iter().filter_map(|slot| match slot {
            Slot::Defined(m) if !m.builtin => Some(m),
            _ => None,
        });
        let name =
            |m: &Rc<Macro>| MacroName { name: m.name, at: m.definition, has_parameters: m.params.is_some() };
        defined.map(name).collect()
    }

    pub(super) fn slot(&mut self, name: Symbol) -> &mut Slot {
        let index = name.0 as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 64, Slot::default);
        }
        &mut self.slots[index]
    }

    /// The macro that `name` stands for now.
    pub(super) fn macro_of(&mut self, name: Symbol) -> Option<Rc<Macro>> {
        match self.slot(name) {
            Slot::Defined(definition) => Some(definition.clone()),
            Slot::Undefined => None,
            Slot::Unresolved => {
                let made = self.make_predefined(name).map(Rc::new);
                *self.slot(name) = made.clone().map_or(Slot::Undefined, Slot::Defined);
                made
            }
        }
    }

    fn make_predefined(&mut self, name: Symbol) -> Option<Macro> {
        let found = predefined::lookup(self.symbols.text(name), self.options, self.atomics_std())?;
        let span = match self.builtin_span {
            Some(span) => span,
            None => {
                let id = self.sources.add(predefined::FILE, "");
                let start = self.sources.files[id.0 as usize].start;
                *self.builtin_span.insert(Span { lo: start, hi: start, ..Span::default() })
            }
        };
        let mut definition = match &found {
            Predefined::Dynamic(dynamic) => {
                let mut made = self.object(name, span);
                made.dynamic = Some(*dynamic);
                made
            }
            Predefined::Text(text) => {
                let mut lexer = Lexer::scratch(text, span);
                let tokens = std::iter::from_fn(|| lexer.next_in_line(self.symbols)).collect::<Vec<_>>();
                let mut made = self.object(name, span);
                made.body = tokens.into_iter().map(Item::Token).collect();
                made
            }
            Predefined::Function(text) => {
                let mut lexer = Lexer::scratch(text, span);
                let tokens = std::iter::from_fn(|| lexer.next_in_line(self.symbols)).collect::<Vec<_>>();
                self.read_definition(&tokens, span)?
            }
        };
        definition.builtin = true;
        Some(definition)
    }

    fn object(&self, name: Symbol, definition: Span) -> Macro {
        Macro {
            name,
            params: None,
            variadic: false,
            body: Vec::new(),
            definition,
            builtin: false,
            dynamic: None,
            disabled: Cell::new(false),
        }
    }

    /// `#define`: `tokens` is the line after it, `directive` the place to blame for a missing name.
    pub(super) fn define(&mut self, tokens: &[Token], directive: Span) {
        let Some(new) = self.read_definition(tokens, directive) else { return };
        self.warn_predefined(new.name, new.definition);
        let old = self.macro_of(new.name);
        if let Some(old) = old.filter(|old| !old.builtin && !old.same(&new)) {
            let message = format!("'{}' macro redefined", self.symbols.text(new.name));
            self.diags
                .warning("macro-redefined", new.definition, message)
                .note(old.definition, "previous definition is here");
        }
        let name = new.name;
        *self.slot(name) = Slot::Defined(Rc::new(new));
    }

    /// C99 §6.10.8, 4: the predefined macros are not to be defined or undefined.
    pub(super) fn warn_predefined(&mut self, name: Symbol, span: Span) {
        const FIXED: [&str; 8] = [
            "__FILE__",
            "__LINE__",
            "__DATE__",
            "__TIME__",
            "__STDC__",
            "__STDC_VERSION__",
            "__OPENCL_VERSION__",
            "__OPENCL_C_VERSION__",
        ];
        let text = self.symbols.text(name);
        if FIXED.contains(&text) {
            let message = format!("'{text}' is predefined: it should be neither defined nor undefined");
            self.diags.warning("predefined-macro", span, message);
        }
    }

    fn read_definition(&mut self, tokens: &[Token], directive: Span) -> Option<Macro> {
        let name = self.macro_name(tokens.first(), directive)?;
        let mut made = self.object(name, tokens[0].span);
        let mut rest = &tokens[1..];
        if let Some(Token { kind: TokenKind::Punct(Punct::LParen), space_before: false, .. }) = rest.first() {
            let (params, variadic, used) = self.read_params(rest)?;
            made.params = Some(params);
            made.variadic = variadic;
            rest = &rest[used..];
        } else if rest.first().is_some_and(|t| !t.space_before) {
            // C99 §6.10.3 paragraph 3 requires white space there.
            let span = rest[0].span;
            self.diags.warning("missing-space", span, "white space is required after the macro name");
        }
        made.body = self.read_body(rest, made.params.as_deref(), made.variadic, false)?;
        Some(made)
    }

    /// Checks that `token` can name a macro.
    pub(super) fn macro_name(&mut self, token: Option<&Token>, directive: Span) -> Option<Symbol> {
        match token {
            Some(Token { kind: TokenKind::Ident(name), span, .. }) => {
                if *name == self.names.defined {
                    self.diags.error("invalid-macro-name", *span, "'defined' cannot be used as a macro name");
                    return None;
                }
                if *name == self.names.va_args {
                    self.report_va_args(*span);
                    return None;
                }
                Some(*name)
            }
            Some(token) => {
                self.diags.error("invalid-macro-name", token.span, "macro name must be an identifier");
                None
            }
            None => {
                self.diags.error("invalid-macro-name", directive, "macro name missing");
                None
            }
        }
    }

    fn report_va_args(&mut self, span: Span) {
        let message = "'__VA_ARGS__' can only appear in the expansion of a variadic macro";
        self.diags.error("invalid-va-args", span, message);
    }

    /// The parameter list, from its `(` on: names, whether variadic, tokens used.
    fn read_params(&mut self, tokens: &[Token]) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut params = Vec::new();
        let mut at = 1;
        if matches!(tokens.get(1).map(|t| t.kind), Some(TokenKind::Punct(Punct::RParen))) {
            return Some((params, false, 2));
        }
        loop {
            let (mut variadic, token) = (false, tokens.get(at));
            match token.map(|t| t.kind) {
                Some(TokenKind::Ident(name)) if name != self.names.va_args => {
                    if params.contains(&name) {
                        let message = format!("duplicate macro parameter '{}'", self.symbols.text(name));
                        self.diags.error("duplicate-macro-parameter", tokens[at].span, message);
                        return None;
                    }
                    params.push(name);
                    // GNU's `args...`.
                    if matches!(tokens.get(at + 1).map(|t| t.kind), Some(TokenKind::Punct(Punct::Ellipsis))) {
                        variadic = true;
                        at += 1;
                    }
                }
                Some(TokenKind::Punct(Punct::Ellipsis)) => {
                    params.push(self.names.va_args);
                    variadic = true;
                }
                _ => {
                    let span = tokens.get(at).or(tokens.last()).map_or(Span::default(), |t| t.span);
                    self.diags.error("invalid-macro-parameters", span, "expected a macro parameter name");
                    return None;
                }
            }
            let next = tokens.get(at + 1);
            match next.map(|t| t.kind) {
                Some(TokenKind::Punct(Punct::RParen)) => return Some((params, variadic, at + 2)),
                Some(TokenKind::Punct(Punct::Comma)) if !variadic => at += 2,
                _ => {
                    let span = next.or(tokens.last()).map_or(Span::default(), |t| t.span);
                    let expected = if variadic { "')'" } else { "',' or ')'" };
                    let message = format!("expected {expected} in macro parameter list");
                    self.diags.error("invalid-macro-parameters", span, message);
                    return None;
                }
            }
        }
    }

    /// The replacement list, or with `of_va_opt` what `__VA_OPT__` encloses in one. `#` and `##` are resolved here, once.
    fn read_body(
        &mut self,
        tokens: &[Token],
        params: Option<&[Symbol]>,
        variadic: bool,
        of_va_opt: bool,
    ) -> Option<Vec<Item>> {
        let param = |token: Option<&Token>| match token?.kind {
            TokenKind::Ident(name) => params?.iter().position(|p| *p == name),
            _ => None,
        };
        let va_opt = self.names.va_opt;
        let opens_va_opt =
            |token: Option<&Token>| variadic && token.is_some_and(|t| t.kind == TokenKind::Ident(va_opt));
        let is = |at: usize, p: Punct| tokens.get(at).is_some_and(|t| t.kind == TokenKind::Punct(p));
        for end in [tokens.first(), tokens.last()].into_iter().flatten() {
            if end.kind == TokenKind::Punct(Punct::HashHash) {
                let what = if of_va_opt { "the argument of '__VA_OPT__'" } else { "a macro expansion" };
                let message = format!("'##' cannot appear at either end of {what}");
                self.diags.error("invalid-paste", end.span, message);
                return None;
            }
        }
        let mut body = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at).copied() {
            at += 1;
            match token.kind {
                TokenKind::Punct(Punct::HashHash) => body.push(Item::Paste),
                TokenKind::Punct(Punct::Hash) if params.is_some() => match param(tokens.get(at)) {
                    Some(index) => {
                        body.push(Item::Stringize { index, token });
                        at += 1;
                    }
                    None if opens_va_opt(tokens.get(at)) => {
                        at = self.read_va_opt(tokens, at, params, of_va_opt, Some(token), &mut body)?;
                    }
                    None => {
                        let message = "'#' is not followed by a macro parameter";
                        self.diags.error("invalid-stringize", token.span, message);
                        return None;
                    }
                },
                TokenKind::Punct(Punct::Comma) if variadic && is(at, Punct::HashHash) => {
                    match (param(tokens.get(at + 1)), params) {
                        (Some(index), Some(params)) if index + 1 == params.len() => {
                            body.push(Item::VaComma { index, token });
                            body.push(Item::Param { index, token: tokens[at + 1], raw: true });
                            at += 2;
                        }
                        _ => body.push(Item::Token(token)),
                    }
                }
                TokenKind::Ident(_) if opens_va_opt(Some(&token)) => {
                    at = self.read_va_opt(tokens, at - 1, params, of_va_opt, None, &mut body)?;
                }
                TokenKind::Ident(name) => match param(Some(&token)) {
                    Some(index) => {
                        let raw = is(at, Punct::HashHash) || matches!(body.last(), Some(Item::Paste));
                        body.push(Item::Param { index, token, raw });
                    }
                    None if name == self.names.va_args => {
                        self.report_va_args(token.span);
                        return None;
                    }
                    None => {
                        if name == va_opt {
                            let message =
                                "'__VA_OPT__' means something in the expansion of a variadic macro only";
                            self.diags.warning("misplaced-va-opt", token.span, message);
                        }
                        body.push(Item::Token(token));
                    }
                },
                _ => body.push(Item::Token(token)),
            }
        }
        Some(body)
    }

    /// `__VA_OPT__ ( … )` of C23, whose name is at `at`, and with `hash` the `#` before it; gives where it ends.
    fn read_va_opt(
        &mut self,
        tokens: &[Token],
        at: usize,
        params: Option<&[Symbol]>,
        nested: bool,
        hash: Option<Token>,
        body: &mut Vec<Item>,
    ) -> Option<usize> {
        let name = tokens[at];
        let punct = |at: usize| match tokens.get(at).map(|t| t.kind) {
            Some(TokenKind::Punct(punct)) => Some(punct),
            _ => None,
        };
        let (mut end, mut depth) = (at + 1, 0u32);
        while end < tokens.len() {
            match punct(end) {
                Some(Punct::LParen) => depth += 1,
                Some(Punct::RParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            end += 1;
        }
        let message = match punct(at + 1) {
            _ if nested => "'__VA_OPT__' cannot stand within its own argument",
            Some(Punct::LParen) if end < tokens.len() => {
                let inner = self.read_body(&tokens[at + 2..end], params, true, true)?;
                let (len, stringize, token) = (inner.len(), hash.is_some(), hash.unwrap_or(name));
                body.push(Item::VaOpt { len, stringize, token });
                body.extend(inner);
                return Some(end + 1);
            }
            _ => "'__VA_OPT__' takes an argument in parentheses",
        };
        self.diags.error("invalid-va-opt", name.span, message);
        None
    }
}

//! The preprocessor (C99 §6.10): text to the tokens that the parser reads.
//!
//! How it works, from the outside in:
//!
//! - [`Preprocessor::run`] asks for one expanded token after the other and collects them.
//! - [`Preprocessor::next_raw`] gives the next token before expansion: from the innermost *context*
//!   (the replacement of a macro that is being rescanned), else from the innermost file. It acts on the
//!   directives that it meets on the way.
//! - [`Preprocessor::next_expanded`] replaces macros: a macro's replacement becomes a new context. While
//!   a context is on the stack its macro is disabled; its name met in that time is *painted*, and never
//!   replaced afterwards. That is C99 §6.10.3.4 without sets of names, in linear time.
//! - Arguments are collected raw, and expanded on their own (a *floor* under the contexts hides what
//!   follows them) where the replacement list needs them so.
//!
//! Predefined macros sit in a static table and are made when their name is first met, so that a
//! compilation starts at no cost. Nothing recurses with the input's size; where nesting recurses (arguments
//! in arguments, parentheses in `#if`) a limit is an error.
//!
//! `__DATE__` and `__TIME__` are fixed ("the date of translation is not available", C99 §6.10.8):
//! the same source gives the same bytes.

mod compiler_macros;
mod condition;
mod directives;
mod expand;
mod include;
mod lexer;
mod macros;
mod pragma;
mod predefined;
mod queries;
#[cfg(test)]
mod tests;

use crate::diag::Diagnostics;
use crate::options::{LangVersion, MacroOption, Options};
use crate::source::{FileId, SourceMap, Span};
use crate::symbol::{Interner, Symbol};
use crate::token::{Token, TokenKind};
use lexer::Lexer;
use macros::Macro;
pub(crate) use predefined::names as predefined_names;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Tokens that macro expansion may produce in one compilation, lists of arguments included.
const EXPANSION_BUDGET: usize = 1 << 22;
/// Arguments within arguments, and parentheses in `#if`.
const MAX_NESTING: u32 = 200;
/// Bytes of all sources together; global offsets must fit in 32 bits.
const MAX_SOURCE_BYTES: usize = 1 << 28;

/// What the parser reads.
pub struct Preprocessed {
    /// The last one is `Eof`.
    pub tokens: Vec<Token>,
    /// A source of OpenCL C 1.x enables cl_ext_float_atomics: see [`Options::float_atomics_enabled`].
    pub float_atomics: bool,
}

/// Preprocesses the file `main` and everything that it includes.
pub fn preprocess(
    main: FileId,
    sources: &mut SourceMap,
    symbols: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(sources, symbols, options, diagnostics);
    preprocessor.command_line();
    preprocessor.enter_main(main);
    preprocessor.run();
    let macros = preprocessor.macro_names();
    let (tokens, float_atomics) = (preprocessor.out, preprocessor.float_atomics);
    symbols.macros = macros;
    Preprocessed { tokens, float_atomics }
}

/// A token on its way through expansion.
#[derive(Debug, Clone, Copy)]
struct PTok {
    token: Token,
    /// A macro's name that was met while the macro was disabled: never replaced any more.
    painted: bool,
}

impl PTok {
    fn new(token: Token) -> Self {
        PTok { token, painted: false }
    }
}

/// Tokens to be read before anything else.
struct Context {
    tokens: Vec<PTok>,
    pos: usize,
    /// The macro that they replace, disabled while this context is there.
    source: Option<Rc<Macro>>,
}

/// A file being read.
struct Frame {
    id: FileId,
    lexer: Lexer,
    /// How many conditionals were open when it was entered.
    conditionals: usize,
    origin: include::Origin,
}

/// An open `#if`.
struct Conditional {
    /// The place of the directive.
    span: Span,
    /// One of its groups was, or is being, taken.
    taken: bool,
    /// Where its `#else` stands.
    else_seen: Option<Span>,
}

/// What is known of a name as a macro.
#[derive(Clone, Default)]
enum Slot {
    /// It may be in the table of predefined macros.
    #[default]
    Unresolved,
    Undefined,
    Defined(Rc<Macro>),
}

/// Names that the preprocessor itself looks for.
struct Names {
    defined: Symbol,
    va_args: Symbol,
    va_opt: Symbol,
    pragma_operator: Symbol,
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    symbols: &'a mut Interner,
    options: &'a Options,
    diags: &'a mut Diagnostics,
    names: Names,
    /// By [`Symbol`].
    slots: Vec<Slot>,
    frames: Vec<Frame>,
    conditionals: Vec<Conditional>,
    contexts: Vec<Context>,
    /// Contexts below it, and the files, are out of sight.
    floor: Option<usize>,
    out: Vec<Token>,
    budget: usize,
    nesting: u32,
    counter: u64,
    included: u32,
    once: FxHashSet<include::Origin>,
    /// What `#pragma push_macro` has put by.
    pushed: FxHashMap<Symbol, Vec<Slot>>,
    /// The names of `#pragma GCC poison`.
    poisoned: FxHashSet<Symbol>,
    /// See [`Preprocessed::float_atomics`].
    float_atomics: bool,
    /// A place for what has none: predefined macros.
    builtin_span: Option<Span>,
    /// An error that leaves nothing sensible to do.
    stopped: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(
        sources: &'a mut SourceMap,
        symbols: &'a mut Interner,
        options: &'a Options,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let names = Names {
            defined: symbols.intern("defined"),
            va_args: symbols.intern("__VA_ARGS__"),
            va_opt: symbols.intern("__VA_OPT__"),
            pragma_operator: symbols.intern("_Pragma"),
        };
        Preprocessor {
            sources,
            symbols,
            options,
            diags,
            names,
            slots: Vec::new(),
            frames: Vec::new(),
            conditionals: Vec::new(),
            contexts: Vec::new(),
            floor: None,
            out: Vec::new(),
            budget: EXPANSION_BUDGET,
            nesting: 0,
            counter: 0,
            included: 0,
            once: FxHashSet::default(),
            pushed: FxHashMap::default(),
            poisoned: FxHashSet::default(),
            float_atomics: false,
            builtin_span: None,
            stopped: false,
        }
    }

    /// See [`Options::atomics_std`].
    fn atomics_std(&self) -> LangVersion {
        self.options.std.max(if self.float_atomics { LangVersion::Cl3_0 } else { self.options.std })
    }

    /// `-D` and `-U`, in order. Each definition is a small file of its own, for diagnostics.
    fn command_line(&mut self) {
        for option in &self.options.macros {
            match option {
                MacroOption::Define { head, value } => {
                    // What comes after a newline is no part of the definition (API §5.8.6.1).
                    let text = format!("{head} {value}");
                    let text = text.lines().next().unwrap_or_default();
                    let id = self.sources.add("<command line>", text);
                    let file = &self.sources.files[id.0 as usize];
                    let mut lexer = Lexer::new(file.text.clone(), file.start);
                    let place = lexer.here();
                    let tokens = std::iter::from_fn(|| lexer.next_in_line(self.symbols)).collect::<Vec<_>>();
                    self.define(&tokens, place);
                }
                MacroOption::Undefine(name) => {
                    let symbol = self.symbols.intern(name);
                    *self.slot(symbol) = Slot::Undefined;
                }
            }
        }
    }

    fn enter_main(&mut self, main: FileId) {
        let file = &self.sources.files[main.0 as usize];
        let lexer = Lexer::new(file.text.clone(), file.start);
        let origin = include::Origin::of_main(&file.name);
        if file.text.len() > MAX_SOURCE_BYTES {
            let place = lexer.here();
            self.fatal("source-too-large", place, "the source is larger than 256 MiB");
        }
        self.frames.push(Frame { id: main, lexer, conditionals: 0, origin });
    }

    /// Reads everything to the end.
    fn run(&mut self) {
        loop {
            let token = self.next_expanded().token;
            match token.kind {
                TokenKind::Eof => {
                    if self.leave_file() {
                        continue;
                    }
                    self.out.push(token);
                    return;
                }
                TokenKind::Unknown(c) => self.report_unknown(c, token.span),
                _ => self.out.push(token),
            }
        }
    }

    /// A character that starts no token; it is dropped, so that the parser need not complain again.
    fn report_unknown(&mut self, c: char, span: Span) {
        match c {
            '"' => self.diags.error("unterminated-literal", span, "missing terminating '\"' character"),
            '\'' => self.diags.error("unterminated-literal", span, "missing terminating ''' character"),
            // What the callers put in the place of bytes that are none.
            char::REPLACEMENT_CHARACTER => {
                self.diags.error("invalid-character", span, "this is not UTF-8 text")
            }
            _ => {
                let message = format!("unexpected character '{}'", c.escape_default());
                self.diags.error("invalid-character", span, message)
            }
        };
    }

    /// At the end of the innermost file: reports what it left open and returns to the file that included
    /// it. Gives whether there is one.
    fn leave_file(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        if let (Some(span), false) = (frame.lexer.unterminated_comment, self.stopped) {
            self.diags.error("unterminated-comment", span, "unterminated /* comment");
        }
        if let Some((span, c)) = frame.lexer.trigraph {
            self.diags.warning("trigraphs", span, format!("this trigraph stands for '{c}' (C99 §5.2.1.1)"));
        }
        if let Some(span) = frame.lexer.unicode_space {
            let message = "a space that is not ASCII is taken as white space";
            self.diags.warning("unicode-whitespace", span, message);
        }
        for open in self.conditionals.drain(frame.conditionals.min(self.conditionals.len())..) {
            if !self.stopped {
                self.diags.error("unterminated-conditional", open.span, "unterminated conditional directive");
            }
        }
        !self.frames.is_empty()
    }

    /// Reports an error after which preprocessing ends.
    fn fatal(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.diags.error(id, span, message);
        }
        self.stopped = true;
    }

    fn eof(&self) -> PTok {
        let span = self.frames.last().map_or(Span::default(), |f| f.lexer.here());
        PTok::new(Token { kind: TokenKind::Eof, span, space_before: true, line_start: true })
    }

    /// The next token before macro replacement; `Eof` at the end of the innermost file, or at the floor.
    fn next_raw(&mut self) -> PTok {
        let floor = self.floor.unwrap_or(0);
        loop {
            while self.contexts.len() > floor {
                let Some(context) = self.contexts.last_mut() else { break };
                if let Some(token) = context.tokens.get(context.pos) {
                    context.pos += 1;
                    return *token;
                }
                self.pop_context();
            }
            if self.stopped || self.floor.is_some() || self.diags.is_full() {
                return self.eof();
            }
            let Some(frame) = self.frames.last_mut() else { return self.eof() };
            let token = frame.lexer.next(self.symbols);
            if token.line_start && token.kind == TokenKind::Punct(crate::token::Punct::Hash) {
                match self.directive(token) {
                    Some(token) => return PTok::new(token),
                    None => continue,
                }
            }
            return PTok::new(token);
        }
    }

    fn pop_context(&mut self) {
        if let Some(Context { source: Some(source), .. }) = self.contexts.pop() {
            source.disabled.set(false);
        }
    }

    /// Runs `f` with `tokens` as all that there is to read.
    fn isolated<R>(&mut self, tokens: Vec<PTok>, f: impl FnOnce(&mut Self) -> R) -> R {
        let bottom = self.contexts.len();
        let floor = self.floor.replace(bottom);
        self.contexts.push(Context { tokens, pos: 0, source: None });
        let result = f(self);
        while self.contexts.len() > bottom {
            self.pop_context();
        }
        self.floor = floor;
        result
    }

    /// The next token of the directive's line.
    fn line_token(&mut self) -> Option<Token> {
        self.frames.last_mut()?.lexer.next_in_line(self.symbols)
    }

    /// The remaining tokens of the directive's line.
    fn line_tokens(&mut self) -> Vec<Token> {
        std::iter::from_fn(|| self.line_token()).collect()
    }

    /// The next token in the current file and not in a context, whatever line it is on; directives are
    /// tokens here.
    fn file_token(&mut self) -> Token {
        match self.frames.last_mut() {
            Some(frame) => frame.lexer.next(self.symbols),
            None => self.eof().token,
        }
    }
}

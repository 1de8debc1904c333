//! `#pragma` and `_Pragma` (C99 §6.10.6, §6.10.9). What means something to Pumice is brought to one
//! spelling (see [`TokenKind::Pragma`]) and passed on; everything else is ignored, as C99 asks.

use super::directives::unquote;
use super::include::Origin;
use super::lexer::{Lexer, spell};
use super::{Preprocessor, Slot, predefined};
use crate::options::{Features, LangVersion};
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

impl Preprocessor<'_> {
    /// A `#pragma` line.
    pub(super) fn pragma_directive(&mut self, directive: Span) -> Option<Token> {
        let tokens = self.line_tokens();
        self.pragma(&tokens, directive)
    }

    /// `_Pragma ( "…" )`, after its name.
    pub(super) fn pragma_operator(&mut self, name: Token) -> Option<Token> {
        let open = self.next_raw().token;
        let string =
            if open.kind == TokenKind::Punct(Punct::LParen) { self.next_expanded().token } else { open };
        let text = match string.kind {
            TokenKind::Str(text) if self.next_raw().token.kind == TokenKind::Punct(Punct::RParen) => text,
            _ => {
                let message = "_Pragma takes a parenthesized string literal";
                self.diags.error("invalid-pragma-operator", name.span, message);
                return None;
            }
        };
        let text = unquote(self.symbols.text(text));
        let mut lexer = Lexer::scratch(&text, name.span);
        let tokens = std::iter::from_fn(|| lexer.next_in_line(self.symbols)).collect::<Vec<_>>();
        self.pragma(&tokens, name.span)
    }

    fn pragma(&mut self, tokens: &[Token], place: Span) -> Option<Token> {
        let words: Vec<_> = tokens.iter().map(|t| spell(t, self.symbols)).collect();
        let words: Vec<&str> = words.iter().map(|w| &**w).collect();
        let text = match &words[..] {
            ["once", ..] => {
                self.pragma_once();
                return None;
            }
            ["OPENCL", "EXTENSION", "cl_ext_float_atomics", ":", "enable"] => {
                self.enable_float_atomics();
                words.join(" ")
            }
            ["OPENCL", "EXTENSION" | "FP_CONTRACT", ..] => words.join(" "),
            ["STDC", "FP_CONTRACT", value, ..] => format!("OPENCL FP_CONTRACT {value}"),
            ["clang", "fp", "contract", ..] => words.join(" "),
            ["clang", "loop", "unroll", "(", how, ")"] if *how == "disable" => "nounroll".to_owned(),
            ["clang", "loop", "unroll", "(", _, ")"] => "unroll".to_owned(),
            ["clang", "loop", "unroll_count", "(", ..] => self.unroll(&tokens[3..]),
            ["unroll", ..] => self.unroll(&tokens[1..]),
            ["GCC", "unroll", ..] => self.unroll(&tokens[2..]),
            ["nounroll", ..] => "nounroll".to_owned(),
            ["pack", ..] => self.pack(&tokens[1..]),
            _ => {
                self.gnu_pragma(&words, tokens, place);
                return None;
            }
        };
        let kind = TokenKind::Pragma(self.symbols.intern(&text));
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => place,
        };
        Some(Token { kind, span, space_before: true, line_start: true })
    }

    /// The pragmas of GNU C and clang that the preprocessor itself acts on.
    fn gnu_pragma(&mut self, words: &[&str], tokens: &[Token], place: Span) {
        match words {
            ["push_macro", "(", name, ")"] => {
                let symbol = self.symbols.intern(&unquote(name));
                let slot = self.slot(symbol).clone();
                self.pushed.entry(symbol).or_default().push(slot);
            }
            ["pop_macro", "(", name, ")"] => {
                let symbol = self.symbols.intern(&unquote(name));
                match self.pushed.get_mut(&symbol).and_then(Vec::pop) {
                    Some(slot) => *self.slot(symbol) = slot,
                    None => {
                        let message = format!("no '#pragma push_macro({name})' came before");
                        self.diags.warning("pop-macro", place, message);
                    }
                }
            }
            ["GCC" | "clang", "poison", ..] => {
                let names = tokens.iter().skip(2);
                self.poisoned.extend(names.filter_map(|t| match t.kind {
                    TokenKind::Ident(name) => Some(name),
                    _ => None,
                }));
            }
            ["GCC" | "clang", "error", text] => {
                self.diags.error("user-error", place, unquote(text));
            }
            ["message", "(", text, ")"] | ["message", text] | ["GCC" | "clang", "warning", text] => {
                self.diags.warning("user-warning", place, unquote(text));
            }
            _ => {}
        }
    }

    /// The extension needs OpenCL C 2.0, whose atomics it extends: before 2.0 its macro is not there. Programs that find it among the
    /// device's extensions enable it with no `-cl-std` (MCX), and from there on have it with all that it needs.
    fn enable_float_atomics(&mut self) {
        if self.float_atomics
            || self.options.std >= LangVersion::Cl2_0
            || !self.options.features.contains(Features::FLOAT_ATOMICS)
        {
            return;
        }
        self.float_atomics = true;
        for name in predefined::of_atomics() {
            let symbol = self.symbols.intern(name);
            let slot = self.slot(symbol);
            if matches!(slot, Slot::Undefined) {
                *slot = Slot::Unresolved;
            }
        }
    }

    /// `unroll n` from the tokens of `n` or `(n)`, macros replaced.
    fn unroll(&mut self, count: &[Token]) -> String {
        let tokens = self.expand_tokens(count);
        let mut text = String::from("unroll");
        for token in &tokens {
            if !matches!(token.kind, TokenKind::Punct(Punct::LParen | Punct::RParen)) {
                text.push(' ');
                text.push_str(&spell(token, self.symbols));
            }
        }
        text
    }

    /// `pack ( … )`, macros replaced.
    fn pack(&mut self, rest: &[Token]) -> String {
        let tokens = self.expand_tokens(rest);
        let mut text = String::from("pack");
        for token in &tokens {
            text.push(' ');
            text.push_str(&spell(token, self.symbols));
        }
        text
    }

    pub(super) fn pragma_once(&mut self) {
        let origin = self.frames.last().map(|f| f.origin.clone());
        self.once.extend(origin.filter(|o| *o != Origin::Text));
    }
}

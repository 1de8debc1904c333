//! clang's questions about the compiler: `__has_builtin(x)`, `__has_include("x")` and their kin, which are macros that
//! expand to 0 or 1. `#ifdef` and `defined` see them as macros.

use super::{PTok, Preprocessor};
use crate::attributes::is_attribute;
use crate::intrinsics;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, Token, TokenKind};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Query {
    /// `__has_builtin`: a function that the compiler itself knows.
    Builtin,
    /// `__has_feature`: a feature of the language in use.
    Feature,
    /// `__has_extension`: the same, or an extension of it.
    Extension,
    /// `__has_attribute`: an attribute in `__attribute__((…))`.
    Attribute,
    /// `__has_warning`: an option `-W…`.
    Warning,
    /// `__has_include`, `__has_include_next`.
    Include {
        /// The second.
        next: bool,
    },
    /// `__is_identifier`: no keyword.
    IsIdentifier,
    /// What is always answered with 0: targets of clang's, attributes in `[[…]]` and `__declspec`, which there are none of,
    /// `__has_constexpr_builtin`, `__building_module`.
    Never,
}

/// The macros' names.
pub(super) fn find(name: &str) -> Option<Query> {
    Some(match name {
        "__has_builtin" => Query::Builtin,
        "__has_feature" => Query::Feature,
        "__has_extension" => Query::Extension,
        "__has_attribute" => Query::Attribute,
        "__has_warning" => Query::Warning,
        "__has_include" => Query::Include { next: false },
        "__has_include_next" => Query::Include { next: true },
        "__is_identifier" => Query::IsIdentifier,
        "__has_c_attribute"
        | "__has_declspec_attribute"
        | "__has_constexpr_builtin"
        | "__building_module"
        | "__is_target_arch"
        | "__is_target_vendor"
        | "__is_target_os"
        | "__is_target_environment" => Query::Never,
        _ => return None,
    })
}

/// What clang calls features of C99 and of OpenCL C, of those that are here.
const FEATURES: &[&str] = &[
    "attribute_deprecated_with_message",
    "attribute_ext_vector_type",
    "attribute_overloadable",
    "enumerator_attributes",
];

/// What clang calls extensions, of those that are here.
const EXTENSIONS: &[&str] = &[
    "c_alignas",
    "c_alignof",
    "c_generic_selections",
    "c_static_assert",
    "cxx_binary_literals",
    "cxx_fixed_enum",
    "gnu_asm",
    "overloadable_unmarked",
    "statement_attributes_with_gnu_syntax",
];

/// A name with and without the underscores around it.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

impl Preprocessor<'_> {
    /// The answer, at the macro's name.
    pub(super) fn query(&mut self, query: Query, name: Token) -> PTok {
        let value = self.answer(query, name).unwrap_or(false);
        let text = if value { "1" } else { "0" };
        PTok::new(Token { kind: TokenKind::Number(self.symbols.intern(text)), ..name })
    }

    fn answer(&mut self, query: Query, name: Token) -> Option<bool> {
        let arguments = self.query_arguments(name)?;
        match query {
            Query::Include { next } => return self.has_include(&arguments, next, name.span),
            Query::Warning => {
                // No warning here has an option of its own.
                let is_text = matches!(arguments.first()?.kind, TokenKind::Str(_));
                return if is_text { Some(false) } else { self.malformed(name, "a string of a '-W' option") };
            }
            Query::Never => return Some(false),
            _ => {}
        }
        let [Token { kind: TokenKind::Ident(word), .. }] = arguments[..] else {
            // A keyword is an identifier to the preprocessor; a number or several words are not.
            if query == Query::IsIdentifier && arguments.len() == 1 {
                return Some(false);
            }
            return self.malformed(name, "an identifier");
        };
        let text = self.symbols.shared(word);
        Some(match query {
            Query::Builtin => intrinsics::is_there(&text, self.options),
            Query::Feature => FEATURES.contains(&plain(&text)),
            Query::Extension => FEATURES.contains(&plain(&text)) || EXTENSIONS.contains(&plain(&text)),
            Query::Attribute => is_attribute(plain(&text)),
            Query::IsIdentifier => !self.is_reserved(word, &text),
            _ => false,
        })
    }

    fn is_reserved(&self, word: Symbol, text: &str) -> bool {
        let later = matches!(word, kw::GENERIC | kw::PIPE);
        ((word.0 as usize) < kw::ALL.len()
            && (!later || self.options.std >= crate::options::LangVersion::Cl2_0))
            || intrinsics::is_keyword(text)
    }

    fn malformed(&mut self, name: Token, wanted: &str) -> Option<bool> {
        let TokenKind::Ident(symbol) = name.kind else { return None };
        let message = format!("'{}' takes {wanted} in parentheses", self.symbols.text(symbol));
        self.diags.error("invalid-feature-test", name.span, message);
        None
    }

    /// The tokens in the parentheses, without macro replacement.
    fn query_arguments(&mut self, name: Token) -> Option<Vec<Token>> {
        let open = self.next_raw();
        if open.token.kind != TokenKind::Punct(Punct::LParen) {
            if open.token.kind != TokenKind::Eof {
                self.contexts.push(super::Context { tokens: vec![open], pos: 0, source: None });
            }
            self.malformed(name, "an argument");
            return None;
        }
        let (mut arguments, mut depth) = (Vec::new(), 0u32);
        loop {
            let token = self.next_raw().token;
            match token.kind {
                TokenKind::Eof => {
                    self.malformed(name, "an argument");
                    return None;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            if !self.spend(1, name.span) {
                return None;
            }
            arguments.push(token);
        }
        if arguments.is_empty() {
            self.malformed(name, "an argument");
            return None;
        }
        Some(arguments)
    }

    fn has_include(&mut self, arguments: &[Token], next: bool, at: Span) -> Option<bool> {
        let expanded;
        let written = match arguments.first()?.kind {
            TokenKind::Ident(_) => {
                expanded = self.expand_tokens(arguments);
                self.header_of(&expanded)
            }
            _ => self.header_of(arguments),
        };
        match written {
            Some((name, angled)) => Some(self.search(&name, angled, next).is_ok()),
            None => {
                self.diags.error("invalid-feature-test", at, "expected \"FILENAME\" or <FILENAME>");
                None
            }
        }
    }
}

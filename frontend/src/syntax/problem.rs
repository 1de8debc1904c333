//! Errors of syntax: what to report, and where among the nodes of the tree.

use super::cursor::Cursor;
use crate::source::Span;
use crate::symbol::Interner;
use crate::token::Punct;
use std::borrow::Cow;

/// Nesting deeper than this (expressions, statements, declarators together) is an error, not a stack overflow.
pub(crate) const MAX_DEPTH: u32 = 200;

/// An error of syntax.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The number of nodes before it.
    pub before: u32,
    /// The stable id.
    pub id: &'static str,
    /// Its place.
    pub span: Span,
    /// The message.
    pub message: String,
    /// What to insert behind which place.
    pub insertion: Option<(Span, Cow<'static, str>)>,
    /// A note.
    pub note: Option<(Span, &'static str)>,
    /// A remark.
    pub remark: Option<&'static str>,
    /// Nothing more is read after it.
    pub fatal: bool,
    /// It follows from other errors: it is reported where the declaration or statement that it is in has none so far.
    pub follows: bool,
}

impl Problem {
    /// A plain error.
    pub fn new(id: &'static str, span: Span, message: String) -> Problem {
        Problem {
            before: 0,
            id,
            span,
            message,
            insertion: None,
            note: None,
            remark: None,
            fatal: false,
            follows: false,
        }
    }

    /// A punctuator that is missing at the cursor `after` something (`expression`, `parameter list`). The place is behind
    /// the previous token.
    pub fn missing(cursor: Cursor<'_>, symbols: &Interner, punct: Punct, after: &str) -> Problem {
        let previous = cursor.previous_span();
        let span = Span { lo: previous.hi.saturating_sub(1).max(previous.lo), ..previous };
        let found = cursor.peek().text(symbols);
        let message = format!("expected '{}' after {after}, found {found}", punct.spelling());
        let id = if punct == Punct::Semi { "expected-semicolon" } else { "expected-token" };
        let closes = matches!(punct, Punct::Semi | Punct::RParen | Punct::RBracket | Punct::RBrace);
        Problem {
            insertion: closes.then(|| (previous, punct.spelling().into())),
            ..Problem::new(id, span, message)
        }
    }

    /// The source nests too deeply at `span`.
    pub fn too_deep(span: Span) -> Problem {
        let message = format!("the source nests deeper than {MAX_DEPTH} levels here");
        Problem { fatal: true, ..Problem::new("nesting-too-deep", span, message) }
    }
}

//! Tokens: what the preprocessor gives and the parser reads.

use crate::source::Span;
use crate::symbol::{Interner, Symbol};

/// One token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it was spelled, and through which macro expansions it came.
    pub span: Span,
    /// True if white space stood before it (what `#` and function-like macro definitions need).
    pub space_before: bool,
    /// True if it is the first on its line.
    pub line_start: bool,
}

impl Token {
    /// The token as a message shows it.
    pub(crate) fn text(self, symbols: &Interner) -> String {
        match self.kind {
            TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
                format!("'{}'", symbols.text(s))
            }
            TokenKind::Punct(p) => format!("'{}'", p.spelling()),
            TokenKind::Pragma(_) => "a #pragma".to_owned(),
            TokenKind::Unknown(c) => format!("'{c}'"),
            TokenKind::Eof => "the end of the file".to_owned(),
        }
    }
}

/// The kinds of token after translation phase 7 (C99 §5.1.1.2); preprocessing numbers stay text
/// until the parser asks for their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword (see [`crate::symbol::kw`]).
    Ident(Symbol),
    /// A preprocessing number, its spelling kept.
    Number(Symbol),
    /// A character constant, quotes and prefix included.
    Char(Symbol),
    /// A string literal, quotes and prefix included; adjacent ones are not joined yet.
    Str(Symbol),
    /// A punctuator.
    Punct(Punct),
    /// A `#pragma` line or `_Pragma` operator that the parser must see: its tokens after `pragma`,
    /// separated by one space each. Only these arrive: `OPENCL EXTENSION name : behaviour`,
    /// `OPENCL FP_CONTRACT ON|OFF|DEFAULT`, `clang fp contract ( … )`, `unroll`, `unroll n`, `nounroll`, `pack ( … )`.
    Pragma(Symbol),
    /// A character that starts no token.
    Unknown(char),
    /// The end of the source; always the last token.
    Eof,
}

/// The punctuators of C99 §6.4.6, digraphs already replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Punct {
    LBracket,
    RBracket,
    LParen,
    RParen,
    LBrace,
    RBrace,
    Dot,
    Arrow,
    PlusPlus,
    MinusMinus,
    Amp,
    Star,
    Plus,
    Minus,
    Tilde,
    Bang,
    Slash,
    Percent,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    EqEq,
    BangEq,
    Caret,
    Pipe,
    AmpAmp,
    PipePipe,
    Question,
    Colon,
    Semi,
    Ellipsis,
    Eq,
    StarEq,
    SlashEq,
    PercentEq,
    PlusEq,
    MinusEq,
    ShlEq,
    ShrEq,
    AmpEq,
    CaretEq,
    PipeEq,
    Comma,
    Hash,
    HashHash,
    /// `::` of C++, which the preprocessor leaves as two colons.
    ColonColon,
}

impl Punct {
    /// Its spelling.
    pub fn spelling(self) -> &'static str {
        use Punct::*;
        match self {
            LBracket => "[",
            RBracket => "]",
            LParen => "(",
            RParen => ")",
            LBrace => "{",
            RBrace => "}",
            Dot => ".",
            Arrow => "->",
            PlusPlus => "++",
            MinusMinus => "--",
            Amp => "&",
            Star => "*",
            Plus => "+",
            Minus => "-",
            Tilde => "~",
            Bang => "!",
            Slash => "/",
            Percent => "%",
            Shl => "<<",
            Shr => ">>",
            Lt => "<",
            Gt => ">",
            Le => "<=",
            Ge => ">=",
            EqEq => "==",
            BangEq => "!=",
            Caret => "^",
            Pipe => "|",
            AmpAmp => "&&",
            PipePipe => "||",
            Question => "?",
            Colon => ":",
            Semi => ";",
            Ellipsis => "...",
            Eq => "=",
            StarEq => "*=",
            SlashEq => "/=",
            PercentEq => "%=",
            PlusEq => "+=",
            MinusEq => "-=",
            ShlEq => "<<=",
            ShrEq => ">>=",
            AmpEq => "&=",
            CaretEq => "^=",
            PipeEq => "|=",
            Comma => ",",
            Hash => "#",
            HashHash => "##",
            ColonColon => "::",
        }
    }
}

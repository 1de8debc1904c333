//! Tokens of C++ made of the preprocessor's: `::`, `>` by itself, and the words that stand for punctuators.

use crate::symbol::{Interner, kw};
use crate::token::{Punct, Token, TokenKind};

/// The words that stand for punctuators.
const ALTERNATIVES: &[(&str, Punct)] = &[
    ("and", Punct::AmpAmp),
    ("or", Punct::PipePipe),
    ("not", Punct::Bang),
    ("xor", Punct::Caret),
    ("bitand", Punct::Amp),
    ("bitor", Punct::Pipe),
    ("compl", Punct::Tilde),
    ("and_eq", Punct::AmpEq),
    ("or_eq", Punct::PipeEq),
    ("xor_eq", Punct::CaretEq),
    ("not_eq", Punct::BangEq),
];

/// The tokens of a source of C++. Each `>>` becomes two `>`, of which the second follows the first without space.
pub(crate) fn of_cxx(tokens: &[Token], symbols: &Interner) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len() + tokens.len() / 16);
    let mut index = 0;
    while let Some(token) = tokens.get(index).copied() {
        index += 1;
        let kind = match token.kind {
            TokenKind::Punct(Punct::Colon) => match tokens.get(index) {
                Some(next) if next.kind == token.kind && !next.space_before && !next.line_start => {
                    index += 1;
                    let span = token.span.to(next.span);
                    out.push(Token { kind: TokenKind::Punct(Punct::ColonColon), span, ..token });
                    continue;
                }
                _ => token.kind,
            },
            TokenKind::Punct(Punct::Shr) => {
                let greater = TokenKind::Punct(Punct::Gt);
                out.push(Token { kind: greater, ..token });
                out.push(Token { kind: greater, space_before: false, line_start: false, ..token });
                continue;
            }
            TokenKind::Ident(kw::STATIC_ASSERT_CXX) => TokenKind::Ident(kw::STATIC_ASSERT),
            TokenKind::Ident(kw::ALIGNAS_CXX) => TokenKind::Ident(kw::ALIGNAS),
            TokenKind::Ident(kw::ALIGNOF_CXX) => TokenKind::Ident(kw::ALIGNOF_3),
            TokenKind::Ident(word) if word >= kw::FIRST_NAME => {
                let text = symbols.text(word);
                let found = ALTERNATIVES.iter().find(|(name, _)| *name == text);
                found.map_or(token.kind, |(_, punct)| TokenKind::Punct(*punct))
            }
            kind => kind,
        };
        out.push(Token { kind, ..token });
    }
    out
}

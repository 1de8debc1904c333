//! Pragmas where the grammar has none.

use crate::source::Span;
use crate::symbol::kw;
use crate::token::{Punct, Token, TokenKind};

/// The tokens without the pragmas that stand inside an expression or a declarator, where no production looks for one, and
/// the places of those; `None` when there are none of that kind.
pub(crate) fn without_misplaced(tokens: &[Token]) -> Option<(Vec<Token>, Vec<Span>)> {
    if !tokens.iter().any(|t| matches!(t.kind, TokenKind::Pragma(_))) {
        return None;
    }
    let (mut kept, mut dropped): (Vec<Token>, Vec<Span>) = (Vec::new(), Vec::new());
    for token in tokens {
        if matches!(token.kind, TokenKind::Pragma(_)) && !pragma_fits(&kept) {
            dropped.push(token.span);
        } else {
            kept.push(*token);
        }
    }
    (!dropped.is_empty()).then_some((kept, dropped))
}

/// Returns whether a statement, a declaration or a member can begin after these tokens.
fn pragma_fits(before: &[Token]) -> bool {
    let mut before = before.iter().rev().map(|t| t.kind);
    match before.next() {
        None | Some(TokenKind::Pragma(_)) | Some(TokenKind::Ident(kw::ELSE | kw::DO)) => true,
        Some(TokenKind::Punct(Punct::LBrace)) => {
            // Initialisers nest as blocks do.
            let outer = before.find(|kind| *kind != TokenKind::Punct(Punct::LBrace));
            !matches!(outer, Some(TokenKind::Punct(Punct::Eq | Punct::Comma)))
        }
        Some(TokenKind::Punct(p)) => {
            matches!(p, Punct::Semi | Punct::RBrace | Punct::RParen | Punct::Colon)
        }
        _ => false,
    }
}

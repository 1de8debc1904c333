//! The place in the tokens.

use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, Token, TokenKind};

/// The token behind the last one, if there is none.
const END: Token = Token { kind: TokenKind::Eof, span: Span::NONE, space_before: false, line_start: true };

/// Tokens, and the place of the next one. The last token is the end of the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// All tokens.
    pub tokens: &'a [Token],
    /// The index of the current one.
    pub pos: usize,
}

impl Cursor<'_> {
    /// Goes to the end of the source for good.
    pub fn finish(&mut self) {
        self.pos = self.tokens.len();
    }

    /// A token by its index; the last one behind the end.
    pub fn token(&self, token: u32) -> Token {
        self.tokens.get(token as usize).or(self.tokens.last()).copied().unwrap_or(END)
    }

    /// The span of a token.
    pub fn span_of(&self, token: u32) -> Span {
        self.token(token).span
    }

    /// The span of the token before the current one.
    pub fn previous_span(&self) -> Span {
        match self.pos.min(self.tokens.len()).checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(token) => token.span,
            None => self.peek().span,
        }
    }

    /// Skips to the end of a broken statement or declaration: past the next `;`, or before the `}` that
    /// closes the block (or a `{`…`}` group is passed whole).
    pub fn skip_to_statement_end(&mut self) {
        while !matches!(self.peek().kind, TokenKind::Eof) {
            match self.peek().kind {
                TokenKind::Punct(Punct::Semi) => {
                    self.bump();
                    return;
                }
                TokenKind::Punct(Punct::RBrace) => return,
                TokenKind::Punct(Punct::LBrace) => {
                    self.skip_group();
                    return;
                }
                TokenKind::Punct(Punct::LParen | Punct::LBracket) => self.skip_group(),
                TokenKind::Ident(word) if self.peek().line_start && starts_statement(word) => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips forward to one of `stops` (not taken), a `;`, or an unmatched closing bracket; groups in
    /// brackets are passed whole.
    pub fn skip_balanced_until(&mut self, stops: &[Punct]) {
        loop {
            match self.peek().kind {
                TokenKind::Eof => return,
                TokenKind::Punct(p) if stops.contains(&p) => return,
                TokenKind::Punct(Punct::Semi | Punct::RParen | Punct::RBracket | Punct::RBrace) => return,
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => self.skip_group(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips a bracketed group whose opening bracket is the current token. Inside `(` and `[` a `;` that
    /// stands outside braces, or a `}` too many, ends it: a missing bracket should not swallow the file.
    pub fn skip_group(&mut self) {
        let mut open: Vec<Punct> = Vec::new();
        loop {
            let TokenKind::Punct(punct) = self.peek().kind else {
                if self.peek().kind == TokenKind::Eof {
                    return;
                }
                self.bump();
                continue;
            };
            match punct {
                Punct::LParen | Punct::LBracket | Punct::LBrace => open.push(punct),
                Punct::RParen | Punct::RBracket if open.last() != Some(&Punct::LBrace) => {
                    open.pop();
                }
                Punct::RBrace => {
                    while open.last().is_some_and(|o| *o != Punct::LBrace) {
                        open.pop();
                    }
                    if open.pop().is_none() {
                        return;
                    }
                }
                Punct::Semi if !open.contains(&Punct::LBrace) => return,
                _ => {}
            }
            self.bump();
            if open.is_empty() {
                return;
            }
        }
    }

    /// The current token; `Eof` at the end, for ever.
    pub fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// The token `ahead` places on.
    pub fn peek_at(&self, ahead: usize) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get((self.pos + ahead).min(last)).copied().unwrap_or(END)
    }

    /// Takes the current token.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    /// Returns whether the current token is this punctuator.
    pub fn at(&self, punct: Punct) -> bool {
        self.peek().kind == TokenKind::Punct(punct)
    }

    /// Takes the punctuator if it is the current token.
    pub fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    /// Returns whether the current token is this keyword or identifier.
    pub fn at_word(&self, word: Symbol) -> bool {
        self.peek().kind == TokenKind::Ident(word)
    }

    /// Takes the word if it is the current token.
    pub fn eat_word(&mut self, word: Symbol) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
}

/// Keywords that begin a statement and never continue an expression: recovery stops at one that begins
/// a line.
fn starts_statement(word: Symbol) -> bool {
    matches!(
        word,
        kw::IF
            | kw::FOR
            | kw::WHILE
            | kw::DO
            | kw::SWITCH
            | kw::RETURN
            | kw::BREAK
            | kw::CONTINUE
            | kw::GOTO
            | kw::CASE
            | kw::DEFAULT
            | kw::KERNEL
            | kw::KERNEL_U
            | kw::TYPEDEF
    )
}

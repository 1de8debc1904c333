//! Text to preprocessing tokens (C99 §5.1.1.2, translation phases 1 to 3): trigraphs and digraphs are replaced, line
//! splices and comments go, everything else becomes a [`Token`].
//!
//! The lexer reports nothing: what is malformed becomes [`TokenKind::Unknown`], which is an error only
//! where it is used, so that an apostrophe in a skipped group does no harm.

use crate::source::Span;
use crate::symbol::{Interner, Text};
use crate::token::{Punct, Token, TokenKind};
use std::sync::Arc;

/// A reader of one text.
pub(super) struct Lexer {
    text: Arc<str>,
    pos: usize,
    base: u32,
    /// Given to every token instead of its place: for text that is in no file.
    fixed: Option<Span>,
    line_start: bool,
    /// Where a comment starts that the end of the file cut off.
    pub unterminated_comment: Option<Span>,
    /// The first trigraph in a token, and what it stands for: hardly anybody means one.
    pub trigraph: Option<(Span, char)>,
    /// The first white space that is not ASCII.
    pub unicode_space: Option<Span>,
}

impl Lexer {
    /// Reads `text`, whose first byte has the global offset `base`.
    pub fn new(text: Arc<str>, base: u32) -> Self {
        Lexer {
            text,
            pos: 0,
            base,
            fixed: None,
            line_start: true,
            unterminated_comment: None,
            trigraph: None,
            unicode_space: None,
        }
    }

    /// Reads text that is in no file; all tokens get the place `span`.
    pub fn scratch(text: &str, span: Span) -> Self {
        Lexer { fixed: Some(span), ..Lexer::new(text.into(), 0) }
    }

    fn byte(&self, pos: usize) -> u8 {
        self.text.as_bytes().get(pos).copied().unwrap_or(0)
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        self.fixed.unwrap_or(Span { lo: self.base + lo as u32, hi: self.base + hi as u32, ..Span::default() })
    }

    /// The place where the lexer stands, without extent.
    pub fn here(&self) -> Span {
        self.span(self.pos, self.pos)
    }

    /// Returns what the trigraph at `pos` stands for (C99 §5.2.1.1).
    fn trigraph_at(&self, pos: usize) -> Option<u8> {
        if self.byte(pos) != b'?' || self.byte(pos + 1) != b'?' {
            return None;
        }
        Some(match self.byte(pos + 2) {
            b'=' => b'#',
            b'/' => b'\\',
            b'\'' => b'^',
            b'(' => b'[',
            b')' => b']',
            b'!' => b'|',
            b'<' => b'{',
            b'>' => b'}',
            b'-' => b'~',
            _ => return None,
        })
    }

    fn note_trigraph(&mut self, pos: usize, byte: u8) {
        self.trigraph = self.trigraph.or(Some((self.span(pos, pos + 3), char::from(byte))));
    }

    /// The length of a line splice at `pos`; 0 where there is none. White space between the backslash
    /// and the end of the line is forgiven, as other compilers do.
    fn splice(&self, pos: usize) -> usize {
        let mut end = match self.byte(pos) {
            b'\\' => pos + 1,
            b'?' if self.trigraph_at(pos) == Some(b'\\') => pos + 3,
            _ => return 0,
        };
        while matches!(self.byte(end), b' ' | b'\t' | b'\r') && end < self.text.len() {
            end += 1;
        }
        if self.byte(end) == b'\n' { end + 1 - pos } else { 0 }
    }

    /// `pos` moved over line splices.
    fn unspliced(&self, mut pos: usize) -> usize {
        loop {
            match self.splice(pos) {
                0 => return pos,
                n => pos += n,
            }
        }
    }

    /// The byte at `pos`, splices skipped and a trigraph replaced, and the position after it.
    fn logical(&self, pos: usize) -> (u8, usize) {
        let pos = self.unspliced(pos);
        match self.byte(pos) {
            b'?' => self.trigraph_at(pos).map_or((b'?', pos + 1), |byte| (byte, pos + 3)),
            byte => (byte, pos + 1),
        }
    }

    /// Moves over white space and comments. Gives (white space was there, a new line began). With
    /// `stay` it stops in front of the end of the line.
    fn skip_blank(&mut self, stay: bool) -> bool {
        let mut blank = false;
        while self.pos < self.text.len() {
            match self.byte(self.pos) {
                b'\n' => {
                    if stay {
                        return blank;
                    }
                    self.line_start = true;
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.pos += 1,
                b'\\' | b'?' => match self.splice(self.pos) {
                    0 => return blank,
                    n => self.pos += n,
                },
                b'/' => {
                    let (next, after) = self.logical(self.pos + 1);
                    match next {
                        b'/' => self.skip_line_comment(after),
                        b'*' => self.skip_block_comment(after),
                        _ => return blank,
                    }
                }
                // A byte order mark at the very start.
                0xef if self.pos == 0 && self.text.starts_with('\u{feff}') => self.pos = 3,
                0x80.. => match self.character(self.pos).filter(|c| c.is_whitespace()) {
                    Some(c) => {
                        let end = self.pos + c.len_utf8();
                        self.unicode_space = self.unicode_space.or(Some(self.span(self.pos, end)));
                        self.pos = end;
                    }
                    None => return blank,
                },
                _ => return blank,
            }
            blank = true;
        }
        blank
    }

    fn skip_line_comment(&mut self, from: usize) {
        self.pos = from;
        while self.pos < self.text.len() && self.byte(self.pos) != b'\n' {
            self.pos += self.splice(self.pos).max(1);
        }
    }

    fn skip_block_comment(&mut self, from: usize) {
        let start = self.pos;
        self.pos = from;
        while self.pos < self.text.len() {
            if self.byte(self.pos) == b'*' {
                let (next, after) = self.logical(self.pos + 1);
                if next == b'/' {
                    self.pos = after;
                    return;
                }
            }
            self.pos += 1;
        }
        self.unterminated_comment.get_or_insert(self.span(start, start + 2));
    }

    /// The next token, or `Eof` (again and again) at the end.
    pub fn next(&mut self, symbols: &mut Interner) -> Token {
        let blank = self.skip_blank(false);
        let line_start = std::mem::take(&mut self.line_start);
        self.token(symbols, blank || line_start, line_start)
    }

    /// The next token of this line, or `None` in front of its end.
    pub fn next_in_line(&mut self, symbols: &mut Interner) -> Option<Token> {
        let blank = self.skip_blank(true);
        if self.pos >= self.text.len() || self.byte(self.pos) == b'\n' {
            return None;
        }
        Some(self.token(symbols, blank, false))
    }

    /// The rest of the line as text, comments kept, splices removed (for `#error`).
    pub fn rest_of_line(&mut self) -> String {
        self.skip_blank(true);
        let start = self.pos;
        self.skip_line_comment(start);
        self.spelling(start).trim().to_owned()
    }

    /// A header name (C99 §6.4.7) if one follows on this line: its text, whether in `<>`, its place.
    pub fn header_name(&mut self) -> Option<(String, bool, Span)> {
        self.skip_blank(true);
        let close = match self.byte(self.pos) {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let start = self.pos;
        let mut end = start + 1;
        while self.byte(end) != close {
            if end >= self.text.len() || self.byte(end) == b'\n' {
                return None;
            }
            end += 1;
        }
        self.pos = end + 1;
        Some((self.text[start + 1..end].to_owned(), close == b'>', self.span(start, end + 1)))
    }

    fn token(&mut self, symbols: &mut Interner, space_before: bool, line_start: bool) -> Token {
        let start = self.pos;
        let kind = if start >= self.text.len() { TokenKind::Eof } else { self.kind(symbols) };
        Token { kind, span: self.span(start, self.pos), space_before, line_start }
    }

    fn kind(&mut self, symbols: &mut Interner) -> TokenKind {
        let first = self.byte(self.pos);
        match first {
            b'L' => {
                let (next, _) = self.logical(self.pos + 1);
                if matches!(next, b'"' | b'\'') { self.quoted(symbols, next) } else { self.ident(symbols) }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.ident(symbols),
            0x80.. if self.word_character(self.pos).is_some_and(|(c, _)| !c.is_numeric()) => {
                self.ident(symbols)
            }
            b'\\' if self.word_character(self.pos).is_some_and(|(c, _)| !c.is_numeric()) => {
                self.ident(symbols)
            }
            b'0'..=b'9' => self.number(symbols),
            b'.' if self.logical(self.pos + 1).0.is_ascii_digit() => self.number(symbols),
            b'"' | b'\'' => self.quoted(symbols, first),
            _ => self.punct(),
        }
    }

    /// The text from `start` to the current position, splices removed and trigraphs replaced.
    fn spelling(&mut self, start: usize) -> std::borrow::Cow<'_, str> {
        if !self.text[start..self.pos].contains(['\\', '?']) {
            return self.text[start..self.pos].into();
        }
        let (mut clean, mut pos) = (String::with_capacity(self.pos - start), start);
        while pos < self.pos {
            pos = self.unspliced(pos);
            if let Some(byte) = self.trigraph_at(pos) {
                self.note_trigraph(pos, byte);
                clean.push(char::from(byte));
                pos += 3;
                continue;
            }
            let mut end = pos + 1;
            while end < self.pos && !self.text.is_char_boundary(end) {
                end += 1;
            }
            // Only whole characters are stepped over, so the slice exists.
            clean.push_str(self.text.get(pos..end.min(self.pos)).unwrap_or(""));
            pos = end;
        }
        clean.into()
    }

    /// The character at `pos`, if one begins there.
    fn character(&self, pos: usize) -> Option<char> {
        self.text.get(pos..)?.chars().next()
    }

    /// A character beyond ASCII that may stand in a word (C99 §6.4.2.1 and its annex D), as itself or as `\u` and `\U`
    /// with its number; and the position after it.
    fn word_character(&self, pos: usize) -> Option<(char, usize)> {
        let (c, end) = match self.byte(pos) {
            b'\\' => {
                let digits = match self.byte(pos + 1) {
                    b'u' => 4,
                    b'U' => 8,
                    _ => return None,
                };
                let end = pos + 2 + digits;
                let number = self.text.get(pos + 2..end)?;
                let c = char::from_u32(u32::from_str_radix(number, 16).ok()?)?;
                (c, end)
            }
            0x80.. => {
                let c = self.character(pos)?;
                (c, pos + c.len_utf8())
            }
            _ => return None,
        };
        // The annex has the letters and digits of all scripts, and a middle dot; clang takes the dollar's number, too.
        ((c.is_alphanumeric() && !c.is_ascii()) || matches!(c, '·' | '$')).then_some((c, end))
    }

    fn ident(&mut self, symbols: &mut Interner) -> TokenKind {
        let start = self.pos;
        // With universal character names replaced, so that both spellings are one name.
        let mut replaced: Option<String> = None;
        let mut copied = start;
        loop {
            let byte = self.byte(self.pos);
            if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') {
                self.pos += 1;
            } else if let Some((c, end)) = self.word_character(self.pos) {
                if byte == b'\\' {
                    let before = self.spelling(copied).into_owned();
                    let text = replaced.get_or_insert_default();
                    text.push_str(&before);
                    text.push(c);
                    copied = end;
                }
                self.pos = end;
            } else {
                let (next, after) = self.logical(self.pos);
                if !matches!(byte, b'\\' | b'?')
                    || !(next.is_ascii_alphanumeric() || matches!(next, b'_' | b'$'))
                {
                    break;
                }
                self.pos = after;
            }
        }
        match replaced {
            Some(text) => {
                let text = text + &self.spelling(copied);
                TokenKind::Ident(symbols.intern(&text))
            }
            None => TokenKind::Ident(symbols.intern(&self.spelling(start))),
        }
    }

    /// A preprocessing number (C99 §6.4.8): more than any valid constant.
    fn number(&mut self, symbols: &mut Interner) -> TokenKind {
        let start = self.pos;
        loop {
            let (byte, after) = self.logical(self.pos);
            let sign_may_follow = matches!(byte, b'e' | b'E' | b'p' | b'P');
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.') {
                break;
            }
            self.pos = after;
            if sign_may_follow {
                let (sign, after) = self.logical(self.pos);
                if matches!(sign, b'+' | b'-') {
                    self.pos = after;
                }
            }
        }
        TokenKind::Number(symbols.intern(&self.spelling(start)))
    }

    /// A character constant or string literal; one that its line does not close becomes
    /// `Unknown(quote)` and takes the rest of the line.
    fn quoted(&mut self, symbols: &mut Interner, quote: u8) -> TokenKind {
        let start = self.pos;
        let mut pos = self.pos;
        let mut opened = false;
        while pos < self.text.len() {
            let (byte, after) = self.logical(pos);
            match byte {
                b'\n' => break,
                b'\\' => {
                    // The escaped character, whatever it is; a newline still ends the literal.
                    let (escaped, after_escape) = self.logical(after);
                    pos = if escaped == b'\n' { after } else { after_escape };
                }
                _ if byte == quote && opened => {
                    self.pos = after;
                    let text = symbols.intern(&self.spelling(start));
                    return if quote == b'"' { TokenKind::Str(text) } else { TokenKind::Char(text) };
                }
                _ => {
                    opened |= byte == quote;
                    pos = after;
                }
            }
        }
        self.pos = pos.min(self.text.len());
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        TokenKind::Unknown(quote as char)
    }

    fn punct(&mut self) -> TokenKind {
        use Punct::*;
        let (b0, p1) = self.logical(self.pos);
        let (b1, p2) = self.logical(p1);
        let (b2, p3) = self.logical(p2);
        let (punct, end) = match (b0, b1, b2) {
            (b'.', b'.', b'.') => (Ellipsis, p3),
            (b'<', b'<', b'=') => (ShlEq, p3),
            (b'>', b'>', b'=') => (ShrEq, p3),
            (b'-', b'>', _) => (Arrow, p2),
            (b'+', b'+', _) => (PlusPlus, p2),
            (b'-', b'-', _) => (MinusMinus, p2),
            (b'<', b'<', _) => (Shl, p2),
            (b'>', b'>', _) => (Shr, p2),
            (b'<', b'=', _) => (Le, p2),
            (b'>', b'=', _) => (Ge, p2),
            (b'=', b'=', _) => (EqEq, p2),
            (b'!', b'=', _) => (BangEq, p2),
            (b'&', b'&', _) => (AmpAmp, p2),
            (b'|', b'|', _) => (PipePipe, p2),
            (b'*', b'=', _) => (StarEq, p2),
            (b'/', b'=', _) => (SlashEq, p2),
            (b'%', b'=', _) => (PercentEq, p2),
            (b'+', b'=', _) => (PlusEq, p2),
            (b'-', b'=', _) => (MinusEq, p2),
            (b'&', b'=', _) => (AmpEq, p2),
            (b'^', b'=', _) => (CaretEq, p2),
            (b'|', b'=', _) => (PipeEq, p2),
            (b'#', b'#', _) => (HashHash, p2),
            (b'<', b':', _) => (LBracket, p2),
            (b':', b'>', _) => (RBracket, p2),
            (b'<', b'%', _) => (LBrace, p2),
            (b'%', b'>', _) => (RBrace, p2),
            (b'%', b':', b'%') if self.logical(p3).0 == b':' => (HashHash, self.logical(p3).1),
            (b'%', b':', _) => (Hash, p2),
            _ => match single(b0) {
                Some(punct) => (punct, p1),
                None => return self.unknown(),
            },
        };
        if let Some(byte) = self.trigraph_at(self.pos) {
            self.note_trigraph(self.pos, byte);
        }
        self.pos = end;
        TokenKind::Punct(punct)
    }

    fn unknown(&mut self) -> TokenKind {
        if let Some(byte) = self.trigraph_at(self.pos) {
            self.pos += 3;
            return TokenKind::Unknown(char::from(byte));
        }
        let c = self.text.get(self.pos..).and_then(|t| t.chars().next()).unwrap_or('\u{fffd}');
        self.pos += c.len_utf8();
        TokenKind::Unknown(c)
    }
}

/// The punctuators of one character.
fn single(byte: u8) -> Option<Punct> {
    use Punct::*;
    Some(match byte {
        b'[' => LBracket,
        b']' => RBracket,
        b'(' => LParen,
        b')' => RParen,
        b'{' => LBrace,
        b'}' => RBrace,
        b'.' => Dot,
        b'&' => Amp,
        b'*' => Star,
        b'+' => Plus,
        b'-' => Minus,
        b'~' => Tilde,
        b'!' => Bang,
        b'/' => Slash,
        b'%' => Percent,
        b'<' => Lt,
        b'>' => Gt,
        b'^' => Caret,
        b'|' => Pipe,
        b'?' => Question,
        b':' => Colon,
        b';' => Semi,
        b'=' => Eq,
        b',' => Comma,
        b'#' => Hash,
        _ => return None,
    })
}

/// Returns how a token is spelled, for `#`, `##` and messages.
pub(super) fn spell(token: &Token, symbols: &Interner) -> Text {
    match token.kind {
        TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
            symbols.shared(s)
        }
        TokenKind::Punct(p) => p.spelling().into(),
        TokenKind::Pragma(_) | TokenKind::Eof => "".into(),
        TokenKind::Unknown(c) => Text::Shared(c.to_string().into()),
    }
}

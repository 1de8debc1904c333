//! Packs: the tokens of a template with its pack written out.
//!
//! A template with a pack stands for a family of templates, one for each length of the pack. [`written_out`] gives the tokens
//! of one of them, in which each expansion is a list:
//!
//! | tokens | length 2 | length 0 |
//! |---|---|---|
//! | `void f(T a, Ts... b)` | `void f(T a, Ts#0 b#0, Ts#1 b#1)` | `void f(T a)` |
//! | `g(a, h(b)...)` | `g(a, h(b#0), h(b#1))` | `g(a)` |
//! | `(b + ...)` | `((b#0) + ((b#1)))` | an error, but for `&&`, `\|\|` and `,` |
//! | `sizeof...(Ts)` | `2ul` | `0ul` |
//!
//! A pattern begins behind the bracket, the comma or the colon before it. In `c ? a : b...` that is wrong.

use crate::symbol::{Interner, Symbol, kw};
use crate::token::{Punct, Token, TokenKind};

/// An element of a pack.
pub(crate) fn element(symbols: &mut Interner, pack: Symbol, index: usize) -> Symbol {
    let name = format!("{}#{index}", symbols.text(pack));
    symbols.intern(&name)
}

/// The position behind the declaration that begins at a position. `is_function`: a body in braces ends it.
pub(crate) fn declaration_end(tokens: &[Token], start: usize, is_function: bool) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Eof => return at,
            TokenKind::Punct(Punct::Semi) => return at + 1,
            TokenKind::Punct(Punct::LParen | Punct::LBracket) => at = behind_group(tokens, at),
            TokenKind::Punct(Punct::LBrace) => {
                at = behind_group(tokens, at);
                // Behind the value of a member in braces the constructor goes on.
                let goes_on = matches!(kind(tokens, at), TokenKind::Punct(Punct::Comma | Punct::LBrace));
                if is_function && !goes_on {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// The position of the body of the lambda whose parameters begin at a position.
pub(crate) fn body_of_lambda(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    loop {
        match kind(tokens, at) {
            TokenKind::Punct(Punct::LBrace) | TokenKind::Eof => return at,
            TokenKind::Punct(Punct::LParen | Punct::LBracket) => at = behind_group(tokens, at),
            _ => at += 1,
        }
    }
}

/// The tokens with packs of some lengths written out; `auto` is the pack of a lambda. `size_suffix`: that of a constant of type
/// `size_t`.
pub(crate) fn written_out(
    tokens: &[Token],
    packs: &[(Symbol, usize)],
    size_suffix: &str,
    symbols: &mut Interner,
) -> Vec<Token> {
    let (autos, packs): (Vec<_>, Vec<_>) = packs.iter().partition(|(pack, _)| *pack == kw::AUTO);
    let autos = autos.first().map(|(_, length)| *length);
    let out = Vec::with_capacity(tokens.len() + 16);
    let mut writer = Writer { tokens, packs, autos, size_suffix, symbols, out };
    writer.write(0, tokens.len());
    writer.out
}

fn kind(tokens: &[Token], at: usize) -> TokenKind {
    tokens.get(at).map_or(TokenKind::Eof, |t| t.kind)
}

/// The position behind the group whose bracket is at a position.
pub(crate) fn behind_group(tokens: &[Token], open: usize) -> usize {
    let (mut at, mut depth) = (open, 0usize);
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
            TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            TokenKind::Eof => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The position of the bracket of the group whose last token is at a position.
fn group_start(tokens: &[Token], close: usize) -> usize {
    let (mut at, mut depth) = (close, 0usize);
    loop {
        match tokens[at].kind {
            TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => depth += 1,
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth -= 1,
            _ => {}
        }
        if depth == 0 || at == 0 {
            return at;
        }
        at -= 1;
    }
}

/// The position of the `<` of the template arguments whose `>` is at a position.
fn angle_start(tokens: &[Token], close: usize) -> Option<usize> {
    let (mut at, mut depth) = (close, 0usize);
    loop {
        match tokens[at].kind {
            TokenKind::Punct(Punct::Gt) => depth += 1,
            TokenKind::Punct(Punct::Lt) => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => at = group_start(tokens, at),
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace | Punct::Semi) => return None,
            _ => {}
        }
        at = at.checked_sub(1)?;
    }
}

/// Returns whether an operator can fold a pack.
fn folds(kind: TokenKind) -> Option<Punct> {
    use Punct::*;
    match kind {
        TokenKind::Punct(
            p @ (Plus | Minus | Star | Slash | Percent | Caret | Amp | Pipe | Eq | Lt | Gt | Shl | PlusEq
            | MinusEq | StarEq | SlashEq | PercentEq | CaretEq | AmpEq | PipeEq | ShlEq | ShrEq | EqEq
            | BangEq | Le | Ge | AmpAmp | PipePipe | Comma),
        ) => Some(p),
        _ => None,
    }
}

/// A fold expression.
#[derive(Clone, Copy)]
struct Fold {
    op: Punct,
    /// The length of the pack.
    count: usize,
    /// A token at its place.
    like: Token,
}

/// The writer of the tokens of a template.
struct Writer<'a> {
    tokens: &'a [Token],
    /// The packs that are known with their lengths: the template's, and the functions' parameters.
    packs: Vec<(Symbol, usize)>,
    /// The length of the list of `auto` parameters of the lambda that the tokens are.
    autos: Option<usize>,
    size_suffix: &'a str,
    symbols: &'a mut Interner,
    out: Vec<Token>,
}

impl Writer<'_> {
    fn write(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let token = self.tokens[at];
            if token.kind == TokenKind::Punct(Punct::Ellipsis) {
                at = self.expansion(at);
            } else {
                self.out.push(token);
                at += 1;
            }
        }
    }

    /// The `...` at a position with what belongs to it; gives the position behind.
    fn expansion(&mut self, at: usize) -> usize {
        let before = self.out.last().map_or(TokenKind::Eof, |t| t.kind);
        let next = kind(self.tokens, at + 1);
        if let Some(behind) = self.length(before, at) {
            return behind;
        }
        if let Some(behind) = self.fold(before, next, at) {
            return behind;
        }
        self.list(next, at)
    }

    /// `sizeof...(pack)`
    fn length(&mut self, before: TokenKind, at: usize) -> Option<usize> {
        let (TokenKind::Ident(kw::SIZEOF), TokenKind::Ident(pack)) = (before, kind(self.tokens, at + 2))
        else {
            return None;
        };
        let (_, length) = self.packs.iter().rev().find(|(name, _)| *name == pack)?;
        let size = self.symbols.intern(&format!("{length}{}", self.size_suffix));
        let word = self.out.pop()?;
        self.out.push(Token { kind: TokenKind::Number(size), ..word });
        Some(at + 4)
    }

    /// `(pattern + ...)`, `(... + pattern)`, `(pattern + ... + value)`, `(value + ... + pattern)`
    fn fold(&mut self, before: TokenKind, next: TokenKind, at: usize) -> Option<usize> {
        let close = self.tokens.get(at..)?.len();
        let close = at + close;
        if before == TokenKind::Punct(Punct::LParen) {
            let op = folds(next)?;
            let end = self.closing(at + 1, close)?;
            let pattern = self.inner(at + 2, end);
            let fold = Fold { op, count: self.length_of(&pattern)?, like: self.tokens[at] };
            self.fold_left(fold, None, &pattern);
            return Some(end);
        }
        let op = folds(before)?;
        let open = self.open_paren()?;
        let left: Vec<Token> = self.out[open + 1..self.out.len() - 1].to_vec();
        if next == TokenKind::Punct(Punct::RParen) {
            let fold = Fold { op, count: self.length_of(&left)?, like: self.tokens[at] };
            self.out.truncate(open + 1);
            self.fold_right(fold, &left, None);
            return Some(at + 1);
        }
        if folds(next) != Some(op) {
            return None;
        }
        let end = self.closing(at + 1, close)?;
        let right = self.inner(at + 2, end);
        let like = self.tokens[at];
        if let Some(count) = self.length_of(&left) {
            self.out.truncate(open + 1);
            self.fold_right(Fold { op, count, like }, &left, Some(&right));
        } else {
            let count = self.length_of(&right)?;
            self.out.truncate(open + 1);
            self.fold_left(Fold { op, count, like }, Some(&left), &right);
        }
        Some(end)
    }

    /// Tokens between two positions, written out.
    fn inner(&mut self, from: usize, to: usize) -> Vec<Token> {
        let outer = std::mem::take(&mut self.out);
        self.write(from, to);
        std::mem::replace(&mut self.out, outer)
    }

    /// The position of the `)` that closes the parenthesis around a position.
    fn closing(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            match self.tokens[at].kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => {
                    at = behind_group(self.tokens, at)
                }
                TokenKind::Punct(Punct::RParen) => return Some(at),
                TokenKind::Punct(Punct::RBracket | Punct::RBrace | Punct::Semi) | TokenKind::Eof => {
                    return None;
                }
                _ => at += 1,
            }
        }
        None
    }

    /// The place of the `(` around what was written last.
    fn open_paren(&self) -> Option<usize> {
        let mut at = self.out.len();
        while at > 0 {
            at -= 1;
            match self.out[at].kind {
                TokenKind::Punct(Punct::LParen) => return Some(at),
                TokenKind::Punct(Punct::LBracket | Punct::LBrace | Punct::Semi) => return None,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    at = group_start(&self.out, at)
                }
                _ => {}
            }
        }
        None
    }

    fn punct(&mut self, punct: Punct, like: Token) {
        self.out.push(Token { kind: TokenKind::Punct(punct), ..like });
    }

    fn value(&mut self, tokens: &[Token], element: Option<usize>, like: Token) {
        self.punct(Punct::LParen, like);
        match element {
            Some(index) => self.element_of(tokens, index),
            None => self.out.extend_from_slice(tokens),
        }
        self.punct(Punct::RParen, like);
    }

    /// `a op (b op (c op init))`
    fn fold_right(&mut self, fold: Fold, pattern: &[Token], init: Option<&[Token]>) {
        let Fold { op, count, like } = fold;
        if count == 0 {
            return self.fold_nothing(op, init, like);
        }
        for index in 0..count {
            self.value(pattern, Some(index), like);
            if index + 1 < count || init.is_some() {
                self.punct(op, like);
                self.punct(Punct::LParen, like);
            }
        }
        if let Some(init) = init {
            self.value(init, None, like);
        }
        let open = count - 1 + usize::from(init.is_some());
        (0..open).for_each(|_| self.punct(Punct::RParen, like));
    }

    /// `((init op a) op b) op c`
    fn fold_left(&mut self, fold: Fold, init: Option<&[Token]>, pattern: &[Token]) {
        let Fold { op, count, like } = fold;
        if count == 0 {
            return self.fold_nothing(op, init, like);
        }
        let steps = count - 1 + usize::from(init.is_some());
        (0..steps).for_each(|_| self.punct(Punct::LParen, like));
        if let Some(init) = init {
            self.value(init, None, like);
        }
        for index in 0..count {
            let first = index == 0 && init.is_none();
            if !first {
                self.punct(op, like);
            }
            self.value(pattern, Some(index), like);
            if !first {
                self.punct(Punct::RParen, like);
            }
        }
    }

    /// The value of a fold of nothing (C++17 §8.1.6): three operators have one.
    fn fold_nothing(&mut self, op: Punct, init: Option<&[Token]>, like: Token) {
        let word = |word| Token { kind: TokenKind::Ident(word), ..like };
        match (op, init) {
            (_, Some(init)) => self.value(init, None, like),
            (Punct::AmpAmp, None) => self.out.push(word(kw::TRUE)),
            (Punct::PipePipe, None) => self.out.push(word(kw::FALSE)),
            (Punct::Comma, None) => {
                self.out.push(word(kw::VOID));
                self.punct(Punct::LParen, like);
                self.punct(Punct::RParen, like);
            }
            _ => self.nameless("<a fold of nothing>", like),
        }
    }

    /// A name that nothing has: its use is an error, where it is read.
    fn nameless(&mut self, text: &str, like: Token) {
        let name = self.symbols.intern(text);
        self.out.push(Token { kind: TokenKind::Ident(name), ..like });
    }

    /// `pattern...`, which declares a pack where a name follows.
    fn list(&mut self, next: TokenKind, at: usize) -> usize {
        let start = self.pattern_start(next == TokenKind::Punct(Punct::RParen));
        let declared = match next {
            TokenKind::Ident(name) if name >= kw::FIRST_NAME => Some(name),
            _ => None,
        };
        // `auto... x` of the lambda that the tokens are; its parameter has no name.
        let is_auto = |t: &Token| t.kind == TokenKind::Ident(kw::AUTO);
        let autos = self.autos.filter(|_| declared.is_some() && self.out[start..].iter().any(is_auto));
        let Some(count) = autos.or_else(|| self.length_of(&self.out[start..])) else {
            let pattern = &self.out[start..];
            if (0..pattern.len()).any(|at| self.pack_at(pattern, at).is_some()) {
                self.out.truncate(start);
                self.nameless("<packs of different lengths>", self.tokens[at]);
            } else {
                self.out.push(self.tokens[at]);
            }
            return at + 1;
        };
        if autos.is_some() {
            self.autos = None;
        }
        let pattern = self.out.split_off(start);
        self.packs.extend(declared.map(|name| (name, count)));
        let behind = at + 1 + usize::from(declared.is_some());
        let before = self.out.last().map(|t| t.kind);
        let is_using = before == Some(TokenKind::Ident(kw::USING));
        if count == 0 {
            return self.nothing(before, behind);
        }
        let like = self.tokens[at];
        for index in 0..count {
            if index > 0 && is_using {
                self.punct(Punct::Semi, like);
                self.out.push(Token { kind: TokenKind::Ident(kw::USING), ..like });
            } else if index > 0 {
                self.punct(Punct::Comma, like);
            }
            self.element_of(&pattern, index);
            if let Some(name) = declared {
                let name = element(self.symbols, name, index);
                self.out.push(Token { kind: TokenKind::Ident(name), ..self.tokens[at + 1] });
            }
        }
        behind
    }

    /// An empty list: a comma beside it goes, or what opened it.
    fn nothing(&mut self, before: Option<TokenKind>, behind: usize) -> usize {
        let next = kind(self.tokens, behind);
        match before {
            Some(TokenKind::Punct(Punct::Comma)) => _ = self.out.pop(),
            _ if next == TokenKind::Punct(Punct::Comma) => return behind + 1,
            Some(TokenKind::Punct(Punct::Colon)) => _ = self.out.pop(),
            Some(TokenKind::Ident(kw::USING)) => {
                self.out.pop();
                return behind + 1;
            }
            _ => {}
        }
        behind
    }

    /// The place where the pattern before a `...` begins. `in_parens`: a `)` follows, so that `<` compares.
    fn pattern_start(&self, in_parens: bool) -> usize {
        let mut at = self.out.len();
        while at > 0 {
            match self.out[at - 1].kind {
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    at = group_start(&self.out, at - 1);
                }
                TokenKind::Punct(
                    Punct::LParen
                    | Punct::LBracket
                    | Punct::LBrace
                    | Punct::Comma
                    | Punct::Semi
                    | Punct::Colon,
                )
                | TokenKind::Ident(kw::USING) => break,
                TokenKind::Punct(Punct::Lt) if !in_parens => break,
                TokenKind::Punct(Punct::Gt) => at = angle_start(&self.out, at - 1).unwrap_or(at - 1),
                _ => at -= 1,
            }
        }
        at
    }

    /// The pack, with its length, that a token names.
    fn pack_at(&self, tokens: &[Token], at: usize) -> Option<(Symbol, usize)> {
        let TokenKind::Ident(name) = tokens[at].kind else { return None };
        let member = at > 0
            && matches!(tokens[at - 1].kind, TokenKind::Punct(Punct::Dot | Punct::Arrow | Punct::ColonColon));
        if member {
            return None;
        }
        self.packs.iter().rev().find(|(pack, _)| *pack == name).copied()
    }

    /// The length of the packs in a pattern; `None` where it has none, or some of several lengths.
    fn length_of(&self, pattern: &[Token]) -> Option<usize> {
        let mut lengths =
            (0..pattern.len()).filter_map(|at| self.pack_at(pattern, at)).map(|(_, length)| length);
        let first = lengths.next()?;
        lengths.all(|length| length == first).then_some(first)
    }

    /// A pattern for one element.
    fn element_of(&mut self, pattern: &[Token], index: usize) {
        for at in 0..pattern.len() {
            let kind = match self.pack_at(pattern, at) {
                Some((pack, _)) => TokenKind::Ident(element(self.symbols, pack, index)),
                None => pattern[at].kind,
            };
            self.out.push(Token { kind, ..pattern[at] });
        }
    }
}

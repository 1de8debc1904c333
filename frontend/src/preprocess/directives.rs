//! Directives (C99 §6.10): dispatch, conditional inclusion, `#line`, `#error`.

use super::{Conditional, PTok, Preprocessor, Slot};
use crate::diag::edit_distance;
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

/// A directive spelt almost like `word`.
fn similar_directive(word: &str) -> Option<&'static str> {
    const NAMES: [&str; 12] = [
        "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line", "error",
        "pragma",
    ];
    NAMES.into_iter().filter_map(|name| Some((edit_distance(word, name)?, name))).min().map(|(_, name)| name)
}

impl Preprocessor<'_> {
    /// Acts on the directive that `hash` begins. A pragma that the parser must see comes back.
    pub(super) fn directive(&mut self, hash: Token) -> Option<Token> {
        let name = self.line_token()?;
        let word = match name.kind {
            TokenKind::Ident(symbol) => self.symbols.shared(symbol),
            // `# 12 "file.cl" 1`, as other preprocessors write it.
            TokenKind::Number(_) => {
                let mut tokens = vec![name];
                tokens.extend(self.line_tokens());
                self.line_mark(&tokens, name.span);
                return None;
            }
            _ => "".into(),
        };
        match &*word {
            "define" => {
                let tokens = self.line_tokens();
                self.define(&tokens, name.span);
            }
            "undef" => self.undef(name.span),
            "include" | "include_next" => self.include(name.span, &*word == "include_next"),
            "import" => {
                // A header that is included once.
                let files = self.frames.len();
                self.include(name.span, false);
                if self.frames.len() > files {
                    self.pragma_once();
                }
            }
            "if" => self.if_expression(name.span),
            "ifdef" => self.if_defined(name.span, true),
            "ifndef" => self.if_defined(name.span, false),
            "elif" | "elifdef" | "elifndef" => self.end_taken_group(name.span, &word),
            "else" => self.end_taken_group(name.span, "else"),
            "endif" => self.end_conditional(name.span),
            "line" => {
                let tokens = self.line_tokens();
                let tokens = self.expand_tokens(&tokens);
                self.line_mark(&tokens, name.span);
            }
            "error" => self.user_message(hash.span.to(name.span), true),
            "warning" => self.user_message(hash.span.to(name.span), false),
            "pragma" => return self.pragma_directive(name.span),
            "ident" | "sccs" => {
                self.line_tokens();
            }
            word => {
                self.line_tokens();
                let near = similar_directive(word);
                let diagnostic =
                    self.diags.error("invalid-directive", name.span, "invalid preprocessing directive");
                if let Some(near) = near {
                    diagnostic.did_you_mean(name.span, near, None);
                }
            }
        }
        None
    }

    /// `tokens` with macros replaced.
    pub(super) fn expand_tokens(&mut self, tokens: &[Token]) -> Vec<Token> {
        let tokens = tokens.iter().map(|t| PTok::new(*t)).collect();
        self.expand_list(tokens).into_iter().map(|t| t.token).collect()
    }

    fn undef(&mut self, directive: Span) {
        let tokens = self.line_tokens();
        if let Some(name) = self.macro_name(tokens.first(), directive) {
            self.extra_tokens(&tokens[1..], "undef");
            self.warn_predefined(name, tokens[0].span);
            *self.slot(name) = Slot::Undefined;
        }
    }

    fn extra_tokens(&mut self, tokens: &[Token], directive: &str) {
        if let Some(token) = tokens.first() {
            let message = format!("extra tokens at end of #{directive} directive");
            self.diags.warning("extra-tokens", token.span, message);
        }
    }

    /// `#error`, `#warning`: the rest of the line as it is.
    fn user_message(&mut self, span: Span, error: bool) {
        let text = self.frames.last_mut().map_or(String::new(), |f| f.lexer.rest_of_line());
        match error {
            true => self.diags.error("user-error", span, format!("#error {text}")),
            false => self.diags.warning("user-warning", span, format!("#warning {text}")),
        };
    }

    /// `#line` (§6.10.4): `tokens` are the number and perhaps the name.
    fn line_mark(&mut self, tokens: &[Token], directive: Span) {
        let number = match tokens.first().map(|t| t.kind) {
            Some(TokenKind::Number(s)) => self.symbols.text(s).parse::<u32>().ok(),
            _ => None,
        };
        let name = match tokens.get(1).map(|t| t.kind) {
            Some(TokenKind::Str(s)) => Some(unquote(self.symbols.text(s))),
            _ => None,
        };
        let (Some(number), true) = (number, tokens.len() < 2 || name.is_some()) else {
            let message = "#line needs a line number, and optionally a file name in quotes";
            self.diags.error("invalid-line", directive, message);
            return;
        };
        let Some(frame) = self.frames.last() else { return };
        let Some(file) = self.sources.files.get_mut(frame.id.0 as usize) else { return };
        let offset = directive.lo.saturating_sub(file.start);
        let next_line = file.lines.partition_point(|l| *l <= offset) as u32;
        // A mark without a name keeps the last one.
        let name = name.or_else(|| file.line_marks.last().and_then(|m| m.2.clone()));
        file.line_marks.push((next_line, number, name));
    }

    fn if_expression(&mut self, span: Span) {
        let value = self.condition(span);
        self.open_conditional(span, value);
    }

    /// Returns whether `#ifdef NAME` holds; `None` after an error.
    fn is_defined(&mut self, directive: Span, word: &str) -> Option<bool> {
        let tokens = self.line_tokens();
        let name = self.macro_name(tokens.first(), directive)?;
        self.extra_tokens(&tokens[1..], word);
        Some(self.macro_of(name).is_some())
    }

    fn if_defined(&mut self, span: Span, wanted: bool) {
        let word = if wanted { "ifdef" } else { "ifndef" };
        let value = self.is_defined(span, word) == Some(wanted);
        self.open_conditional(span, value);
    }

    fn open_conditional(&mut self, span: Span, value: bool) {
        self.conditionals.push(Conditional { span, taken: value, else_seen: None });
        if !value {
            self.skip_groups();
        }
    }

    /// Returns how many conditionals belong to the files around the current one.
    fn outer_conditionals(&self) -> usize {
        self.frames.last().map_or(0, |f| f.conditionals)
    }

    /// `#elif` or `#else` after a group that was taken: the other groups are skipped.
    fn end_taken_group(&mut self, span: Span, word: &str) {
        if self.conditionals.len() <= self.outer_conditionals() {
            self.line_tokens();
            self.diags.error("stray-conditional", span, format!("#{word} without #if"));
            return;
        }
        if word == "else" {
            let tokens = self.line_tokens();
            self.extra_tokens(&tokens, word);
            self.check_else(span, word, true);
        } else {
            self.line_tokens();
            self.check_else(span, word, false);
        }
        self.skip_groups();
    }

    /// Nothing but `#endif` may follow `#else`.
    fn check_else(&mut self, span: Span, word: &str, is_else: bool) {
        let Some(conditional) = self.conditionals.last_mut() else { return };
        match conditional.else_seen {
            Some(previous) => {
                self.diags
                    .error("stray-conditional", span, format!("#{word} after #else"))
                    .note(previous, "the #else is here");
            }
            None if is_else => conditional.else_seen = Some(span),
            None => {}
        }
    }

    fn end_conditional(&mut self, span: Span) {
        let tokens = self.line_tokens();
        if self.conditionals.len() <= self.outer_conditionals() {
            self.diags.error("stray-conditional", span, "#endif without #if");
            return;
        }
        self.extra_tokens(&tokens, "endif");
        self.conditionals.pop();
    }

    /// Skips groups of the innermost conditional until one is taken or its `#endif` is passed; what is odd in them
    /// is nobody's business.
    fn skip_groups(&mut self) {
        let odd = self.frames.last().map(|frame| (frame.lexer.trigraph, frame.lexer.unicode_space));
        self.skip_to_taken_group();
        if let (Some(frame), Some(odd)) = (self.frames.last_mut(), odd) {
            (frame.lexer.trigraph, frame.lexer.unicode_space) = odd;
        }
    }

    /// Within the groups only the nesting of conditionals is looked at (C99 §6.10 paragraph 4).
    fn skip_to_taken_group(&mut self) {
        let mut inner: Vec<Span> = Vec::new();
        loop {
            let token = self.file_token();
            if token.kind == TokenKind::Eof {
                // Reported with the conditionals that are still open.
                self.conditionals.extend(inner.into_iter().map(|span| Conditional {
                    span,
                    taken: true,
                    else_seen: None,
                }));
                return;
            }
            if !token.line_start || token.kind != TokenKind::Punct(Punct::Hash) {
                continue;
            }
            let Some(Token { kind: TokenKind::Ident(name), span, .. }) = self.line_token() else { continue };
            let word = self.symbols.shared(name);
            match &*word {
                "if" | "ifdef" | "ifndef" => inner.push(span),
                "endif" if inner.pop().is_some() => {}
                "endif" => return self.end_conditional(span),
                "else" | "elif" | "elifdef" | "elifndef"
                    if inner.is_empty() && self.enter_group(span, &word) =>
                {
                    return;
                }
                _ => {}
            }
        }
    }

    /// At an `#else` or `#elif` of the conditional whose groups are being skipped: whether its group is
    /// taken.
    fn enter_group(&mut self, span: Span, word: &str) -> bool {
        self.check_else(span, word, word == "else");
        let open = self.conditionals.last().is_some_and(|c| !c.taken);
        // Once a group was taken the other conditions are not even looked at.
        let value = open
            && match word {
                "else" => {
                    let tokens = self.line_tokens();
                    self.extra_tokens(&tokens, "else");
                    true
                }
                "elif" => self.condition(span),
                "elifdef" => self.is_defined(span, word) == Some(true),
                _ => self.is_defined(span, word) == Some(false),
            };
        if let (true, Some(conditional)) = (value, self.conditionals.last_mut()) {
            conditional.taken = true;
        }
        value
    }
}

/// The text of a string literal without its quotes, `\"` and `\\` undone.
pub(super) fn unquote(literal: &str) -> String {
    let inner = literal.trim_start_matches('L').trim_start_matches('"');
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let (mut text, mut chars) = (String::new(), inner.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\')) => text.push(c),
                Some(c) => text.extend(['\\', c]),
                None => text.push('\\'),
            },
            c => text.push(c),
        }
    }
    text
}

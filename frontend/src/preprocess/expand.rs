//! Macro replacement (C99 §6.10.3.1 to §6.10.3.4).

use super::lexer::{Lexer, spell};
use super::macros::{Dynamic, Item, Macro};
use super::{Context, MAX_NESTING, PTok, Preprocessor};
use crate::source::{Expansion, ExpansionId, Span};
use crate::token::{Punct, Token, TokenKind};
use std::rc::Rc;

/// A token made by pasting is not longer: pasting again and again would take time and memory of the square of it.
const MAX_PASTED: usize = 4096;

/// What became of a macro's name.
enum Use {
    /// The replacement is the innermost context now.
    Entered,
    /// One token replaces it, not to be looked at again.
    Token(PTok),
    /// A function-like macro's name without arguments: an ordinary identifier.
    NotACall,
}

/// An argument of a function-like macro.
struct Argument {
    raw: Vec<PTok>,
    expanded: Option<Vec<PTok>>,
    /// The variable arguments of a call that gives none: not even a comma stands for them.
    absent: bool,
}

impl Argument {
    fn new(raw: Vec<PTok>) -> Self {
        Argument { raw, expanded: None, absent: false }
    }
}

impl Preprocessor<'_> {
    /// The next token with all macros replaced; `Eof` as for [`Preprocessor::next_raw`].
    pub(super) fn next_expanded(&mut self) -> PTok {
        loop {
            let mut token = self.next_raw();
            let TokenKind::Ident(name) = token.token.kind else { return token };
            if token.painted {
                return token;
            }
            // Macros defined before may use it.
            if token.token.span.expansion == ExpansionId::default() && self.poisoned.contains(&name) {
                let message = format!("'{}' is poisoned by a pragma", self.symbols.text(name));
                self.diags.error("poisoned-identifier", token.token.span, message);
            }
            if name == self.names.pragma_operator {
                match self.pragma_operator(token.token) {
                    Some(pragma) => return PTok::new(pragma),
                    None => continue,
                }
            }
            let Some(definition) = self.macro_of(name) else { return token };
            if definition.disabled.get() {
                token.painted = true;
                return token;
            }
            match self.use_macro(definition, token.token) {
                Use::Entered => {}
                Use::Token(token) => return token,
                Use::NotACall => return token,
            }
        }
    }

    /// All of `tokens` with macros replaced, as if nothing followed them.
    pub(super) fn expand_list(&mut self, tokens: Vec<PTok>) -> Vec<PTok> {
        if self.nesting >= MAX_NESTING {
            let span = tokens.first().map_or(Span::default(), |t| t.token.span);
            self.fatal("expansion-too-deep", span, "macro arguments are nested too deeply");
            return Vec::new();
        }
        self.nesting += 1;
        let expanded = self.isolated(tokens, |pp| {
            let mut out = Vec::new();
            loop {
                let token = pp.next_expanded();
                if token.token.kind == TokenKind::Eof {
                    return out;
                }
                out.push(token);
            }
        });
        self.nesting -= 1;
        expanded
    }

    fn use_macro(&mut self, definition: Rc<Macro>, name: Token) -> Use {
        match definition.dynamic {
            Some(Dynamic::Query(query)) => return Use::Token(self.query(query, name)),
            Some(dynamic) => return Use::Token(self.dynamic(dynamic, name)),
            None => {}
        }
        let Some(params) = &definition.params else {
            return self.enter(definition, name, name.span, Vec::new());
        };
        let paren = self.next_raw();
        if paren.token.kind != TokenKind::Punct(Punct::LParen) {
            if paren.token.kind != TokenKind::Eof {
                self.contexts.push(Context { tokens: vec![paren], pos: 0, source: None });
            }
            return Use::NotACall;
        }
        let Some((mut args, close)) = self.collect_arguments(&definition, params.len(), name) else {
            return Use::NotACall;
        };
        self.check_count(&definition, &mut args, name);
        self.enter(definition, name, name.span.to(close), args)
    }

    /// Takes `cost` tokens off the budget; on running out ends the preprocessing.
    pub(super) fn spend(&mut self, cost: usize, span: Span) -> bool {
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.fatal("expansion-too-large", span, "macro expansion produces too many tokens");
                false
            }
        }
    }

    fn enter(&mut self, definition: Rc<Macro>, name: Token, call: Span, args: Vec<Argument>) -> Use {
        if !self.spend(definition.body.len() + 1, name.span) {
            return Use::NotACall;
        }
        let shared = self.symbols.shared(definition.name);
        let expansion =
            self.sources.add_expansion(Expansion { name: shared, call, definition: definition.definition });
        let mut args = args;
        let mut tokens = self.substitute(&definition, &definition.body, &mut args, expansion);
        for (i, token) in tokens.iter_mut().enumerate() {
            token.token.line_start = i == 0 && name.line_start;
        }
        if let Some(first) = tokens.first_mut() {
            first.token.space_before = name.space_before;
        }
        definition.disabled.set(true);
        self.contexts.push(Context { tokens, pos: 0, source: Some(definition) });
        Use::Entered
    }

    /// Reads arguments up to the closing parenthesis; gives them with its place.
    fn collect_arguments(
        &mut self,
        definition: &Macro,
        params: usize,
        name: Token,
    ) -> Option<(Vec<Argument>, Span)> {
        let (mut args, mut raw, mut depth) = (Vec::new(), Vec::new(), 0u32);
        loop {
            let token = self.next_raw();
            match token.token.kind {
                TokenKind::Eof => {
                    self.report_unterminated(definition, name);
                    return None;
                }
                TokenKind::Punct(Punct::RParen) if depth == 0 => {
                    args.push(Argument::new(raw));
                    return Some((args, token.token.span));
                }
                TokenKind::Punct(Punct::Comma)
                    if depth == 0 && !(definition.variadic && args.len() + 1 >= params) =>
                {
                    args.push(Argument::new(std::mem::take(&mut raw)));
                    continue;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            if !self.spend(1, name.span) {
                return None;
            }
            raw.push(token);
        }
    }

    fn report_unterminated(&mut self, definition: &Macro, name: Token) {
        if self.stopped || self.diags.is_full() {
            return;
        }
        let text = self.symbols.shared(definition.name);
        let message = format!("unterminated argument list invoking macro '{text}'");
        let diagnostic = self.diags.error("unterminated-macro-call", name.span, message);
        if !definition.builtin {
            diagnostic.note(definition.definition, format!("macro '{text}' defined here"));
        }
    }

    /// Makes the number of arguments right. After the diagnostic, surplus ones go and missing ones are
    /// empty, so that one mistake gives one error.
    fn check_count(&mut self, definition: &Macro, args: &mut Vec<Argument>, name: Token) {
        let wanted = definition.params.as_ref().map_or(0, Vec::len);
        let given = args.len();
        let none = given == 1 && args[0].raw.is_empty();
        // The variable arguments may be missing altogether, comma included, as GNU C has it.
        let complete =
            given == wanted || (definition.variadic && given + 1 == wanted) || (none && wanted == 0);
        if !complete {
            let (text, few) = (self.symbols.shared(definition.name), given < wanted);
            let message = format!(
                "too {} arguments provided to function-like macro invocation '{text}': {} expected, {} given",
                if few { "few" } else { "many" },
                wanted,
                if none { 0 } else { given },
            );
            let diagnostic = self.diags.error("macro-argument-count", name.span, message);
            if !definition.builtin {
                diagnostic.note(definition.definition, format!("macro '{text}' defined here"));
            }
        }
        args.truncate(wanted);
        if let (true, [only]) = (none && definition.variadic, &mut args[..]) {
            only.absent = true;
        }
        while args.len() < wanted {
            args.push(Argument { absent: true, ..Argument::new(Vec::new()) });
        }
    }

    /// `body`, the replacement list of `definition` or a part of it, with arguments, `#` and `##` done (§6.10.3.1 to
    /// §6.10.3.3).
    fn substitute(
        &mut self,
        definition: &Macro,
        body: &[Item],
        args: &mut [Argument],
        expansion: ExpansionId,
    ) -> Vec<PTok> {
        let mut out: Vec<PTok> = Vec::with_capacity(body.len());
        let placed = |token: Token| Token { span: Span { expansion, ..token.span }, ..token };
        // Where the left operand of a `##` that may follow begins; nothing from there on is a placemarker.
        let (mut operand, mut pasting) = (0, false);
        let mut rest = body;
        while let Some((item, after)) = rest.split_first() {
            rest = after;
            let start = out.len();
            let mut list: &[PTok] = &[];
            let (single, several);
            match *item {
                Item::Paste => {
                    pasting = true;
                    continue;
                }
                Item::Token(token) => {
                    single = [PTok::new(placed(token))];
                    list = &single;
                }
                Item::VaComma { index, token } => {
                    if args.get(index).is_some_and(|a| !a.absent) {
                        single = [PTok::new(placed(token))];
                        list = &single;
                    }
                }
                Item::Stringize { index, token } => {
                    let string = self.stringize(args.get(index).map_or(&[], |a| &a.raw[..]), placed(token));
                    single = [PTok::new(string)];
                    list = &single;
                }
                Item::Param { index, raw, .. } => {
                    if let Some(arg) = args.get_mut(index) {
                        list = if raw { &arg.raw } else { self.expanded(arg) };
                    }
                    if !self.spend(list.len(), definition.definition) {
                        return out;
                    }
                }
                Item::VaOpt { len, stringize, token } => {
                    let (inner, after) = rest.split_at(len.min(rest.len()));
                    rest = after;
                    // "Has variable arguments" is: they expand to some token (C23 §6.10.5.2).
                    let given = args.last_mut().is_some_and(|va| !self.expanded(va).is_empty());
                    several =
                        if given { self.substitute(definition, inner, args, expansion) } else { Vec::new() };
                    list = &several;
                    if stringize {
                        single = [PTok::new(self.stringize(&several, placed(token)))];
                        list = &single;
                    }
                    if !self.spend(list.len(), definition.definition) {
                        return out;
                    }
                }
            }
            match (pasting, list.split_first()) {
                (true, Some((right, rest))) if out.len() > operand => {
                    if let Some(left) = out.pop() {
                        self.paste(left, *right, expansion, &mut out);
                    }
                    out.extend_from_slice(rest);
                }
                _ => {
                    out.extend_from_slice(list);
                    if !pasting {
                        operand = start;
                    }
                    if let (Item::Param { token, .. } | Item::VaOpt { token, .. }, Some(first)) =
                        (item, out.get_mut(start))
                    {
                        first.token.space_before = token.space_before;
                    }
                }
            }
            pasting = false;
        }
        out
    }

    /// An argument with its macros replaced, computed once.
    fn expanded<'b>(&mut self, arg: &'b mut Argument) -> &'b [PTok] {
        if arg.expanded.is_none() {
            let macros_possible = arg.raw.iter().any(|t| matches!(t.token.kind, TokenKind::Ident(_)));
            arg.expanded = Some(match macros_possible {
                true => self.expand_list(arg.raw.clone()),
                false => arg.raw.clone(),
            });
        }
        arg.expanded.as_deref().unwrap_or(&[])
    }

    /// `#` (§6.10.3.2).
    fn stringize(&mut self, tokens: &[PTok], at: Token) -> Token {
        let mut text = String::from("\"");
        for (i, PTok { token, .. }) in tokens.iter().enumerate() {
            if i > 0 && token.space_before {
                text.push(' ');
            }
            let spelling = spell(token, self.symbols);
            if matches!(token.kind, TokenKind::Str(_) | TokenKind::Char(_)) {
                for c in spelling.chars() {
                    if matches!(c, '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(c);
                }
            } else {
                text.push_str(&spelling);
            }
        }
        text.push('"');
        Token { kind: TokenKind::Str(self.symbols.intern(&text)), ..at }
    }

    /// `##` (§6.10.3.3); both tokens stay as they are when together they are none.
    fn paste(&mut self, left: PTok, right: PTok, expansion: ExpansionId, out: &mut Vec<PTok>) {
        let (a, b) = (spell(&left.token, self.symbols), spell(&right.token, self.symbols));
        let span = Span { expansion, ..left.token.span };
        if a.len() + b.len() > MAX_PASTED {
            let message = format!("pasting formed a token of more than {MAX_PASTED} characters");
            self.diags.error("token-too-long", span, message);
            out.extend([left, right]);
            return;
        }
        let text = format!("{a}{b}");
        // A comment start is no token.
        if !text.starts_with("//") && !text.starts_with("/*") {
            let mut lexer = Lexer::scratch(&text, span);
            let first = lexer.next(self.symbols);
            let second = lexer.next(self.symbols);
            if second.kind == TokenKind::Eof && !matches!(first.kind, TokenKind::Unknown(_) | TokenKind::Eof)
            {
                let Token { space_before, line_start, .. } = left.token;
                out.push(PTok::new(Token { space_before, line_start, ..first }));
                return;
            }
        }
        let message = format!("pasting formed '{text}', an invalid preprocessing token");
        self.diags.error("invalid-paste", span, message);
        out.extend([left, right]);
    }

    fn dynamic(&mut self, dynamic: Dynamic, name: Token) -> PTok {
        let place = self.sources.outermost(name.span);
        let kind = match dynamic {
            Dynamic::Line => {
                let line = self.sources.locate(place).line;
                TokenKind::Number(self.symbols.intern(&line.to_string()))
            }
            Dynamic::File => {
                let file = self.sources.locate(place).file;
                self.quoted_name(&file)
            }
            Dynamic::FileName => {
                let file = self.sources.locate(place).file;
                self.quoted_name(file.rsplit(['/', '\\']).next().unwrap_or_default())
            }
            Dynamic::BaseFile => {
                let main = self.frames.first().and_then(|f| self.sources.files.get(f.id.0 as usize));
                let name = main.map(|f| f.name.clone()).unwrap_or_default();
                self.quoted_name(&name)
            }
            Dynamic::IncludeLevel => {
                let level = self.frames.len().saturating_sub(1);
                TokenKind::Number(self.symbols.intern(&level.to_string()))
            }
            // Answered where its argument is read.
            Dynamic::Query(_) => TokenKind::Number(self.symbols.intern("0")),
            Dynamic::Counter => {
                let count = self.counter;
                self.counter += 1;
                TokenKind::Number(self.symbols.intern(&count.to_string()))
            }
        };
        PTok::new(Token { kind, ..name })
    }

    /// A file's name as a string literal.
    fn quoted_name(&mut self, name: &str) -> TokenKind {
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        TokenKind::Str(self.symbols.intern(&format!("\"{escaped}\"")))
    }
}

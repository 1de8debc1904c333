//! The grammar of statements (C99 §6.8), with labels before declarations as in C23, pragmas and attributes; statement
//! expressions and block literals.
//!
//! ```text
//! block:     "{" item* "}"
//! item:      hint* (declaration | statement) | label
//! statement: hint* (label statement? | block | if | switch | while | do | for | goto | continue | break | return
//!          | asm | expression? ";")
//! label:     name ":" | "case" value ("..." value)? ":" | "default" ":"
//! hint:      pragma | attribute-list
//! ```

use super::ast::{ExprId, ExprRange, Kind, TokenId};
use super::declaration::{Row, SpecContext, row};
use super::declarator::Naming;
use super::expr::Parser;
use super::names::NameKind;
use super::problem::Problem;
use super::statement::{
    BlockLiteral, Condition, For, ForInit, ForOfCxx, Hint, HintKind, IfArm, Labelled, Stmt, StmtId, StmtKind,
    Tokens,
};
use super::words::is_keyword;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};

/// More `else if` than this in one chain are an error.
const MAX_ELSE_IF: usize = 10_000;

impl Parser<'_> {
    /// The items of a block up to its `}`, in the current scope. `open` is its `{`, which was taken.
    pub(super) fn block(&mut self, open: TokenId) -> Row {
        let begin = self.tree.statements.begin_block();
        while !self.at(Punct::RBrace) {
            if self.peek().kind == TokenKind::Eof {
                self.unclosed_block(open);
                return self.tree.statements.end_block(begin);
            }
            let before = self.pos;
            let Some(item) = self.block_item() else { return self.tree.statements.end_block(begin) };
            self.tree.statements.add_to_block(item);
            if self.pos == before {
                self.bump();
            }
        }
        self.bump();
        self.tree.statements.end_block(begin)
    }

    fn unclosed_block(&mut self, open: TokenId) {
        let message = "expected '}' at the end of the block".to_owned();
        let brace = format!("\n{}}}", "    ".repeat(self.names.blocks()));
        let problem = Problem::new("expected-token", self.peek().span, message);
        let note = Some((self.span_of(open), "to match this '{'"));
        let insertion = Some((self.previous_span(), brace.into()));
        self.report(Problem { note, insertion, ..problem });
    }

    /// One item of a block. `None` where the source nests too deeply.
    fn block_item(&mut self) -> Option<StmtId> {
        let hints = if matches!(self.peek().kind, TokenKind::Pragma(_)) {
            let pragmas = self.pragmas();
            if self.at(Punct::RBrace) || self.peek().kind == TokenKind::Eof {
                let hints = row(&mut self.tree.statements.hints, vec![pragmas]);
                let first = self.here();
                return Some(self.add_stmt(StmtKind::Nothing, hints, first));
            }
            Some(pragmas)
        } else if self.at_attribute() && !self.attributes_of_declaration() {
            Some(self.attribute_hint())
        } else {
            None
        };
        if hints.is_some() {
            if self.at_block_declaration() {
                let hints = row(&mut self.tree.statements.hints, hints.into_iter().collect());
                return self.deeper(|p| p.block_declaration(hints));
            }
            return self.deeper(|p| p.statement(hints));
        }
        if self.at_word(kw::CASE) || self.at_word(kw::DEFAULT) {
            // In a block a label is an item of its own: a thousand of them in a row nest no deeper than one.
            let first = self.here();
            let kind = self.case_or_default(true);
            return Some(self.add_stmt(kind, Row::default(), first));
        }
        if self.at_attribute() || self.at_block_declaration() {
            self.deeper(|p| p.block_declaration(Row::default()))
        } else {
            self.deeper(|p| p.statement(None))
        }
    }

    /// A declaration as a statement.
    fn block_declaration(&mut self, hints: Row) -> StmtId {
        let first = self.here();
        let cxx = if self.is_cxx() { self.cxx_external(false) } else { None };
        let kind = if let Some(external) = cxx {
            StmtKind::Cxx(external)
        } else if self.at_word(kw::STATIC_ASSERT) {
            StmtKind::StaticAssert(self.static_assert())
        } else {
            StmtKind::Declaration(self.declaration())
        };
        self.add_stmt(kind, hints, first)
    }

    /// The pragmas at the cursor.
    pub(super) fn pragma_tokens(&mut self) -> Tokens {
        let first = self.here();
        while matches!(self.peek().kind, TokenKind::Pragma(_)) {
            self.bump();
        }
        (first, self.here())
    }

    fn pragmas(&mut self) -> Hint {
        let kind = HintKind::Pragmas(self.pragma_tokens());
        Hint { kind, problems_end: self.problem_count() }
    }

    fn attribute_hint(&mut self) -> Hint {
        let kind = HintKind::Attributes(self.attributes());
        Hint { kind, problems_end: self.problem_count() }
    }

    /// Returns whether the attributes at the cursor are a declaration's.
    fn attributes_of_declaration(&mut self) -> bool {
        let start = self.pos;
        while self.at_attribute() {
            if !self.at_bracket_attribute() {
                self.pos += 1;
            }
            if !self.at(Punct::LParen) && !self.at_bracket_attribute() {
                break;
            }
            self.skip_group();
        }
        let found = self.at_block_declaration();
        self.pos = start;
        found
    }

    /// Returns whether a declaration comes; a misspelt type before a name counts.
    pub(super) fn at_block_declaration(&self) -> bool {
        if self.is_cxx() {
            return self.at_cxx_block_declaration();
        }
        if self.at_declaration() {
            // `name:` is a label whatever else the name means.
            return self.peek_at(1).kind != TokenKind::Punct(Punct::Colon);
        }
        let Some(name) = self.identifier() else { return false };
        let next = self.peek_at(1);
        let next_is_name = |ahead: usize| match self.peek_at(ahead).kind {
            TokenKind::Ident(w) => !is_keyword(w, self.language),
            _ => false,
        };
        // On one line: two names on two lines are more likely a forgotten semicolon.
        if next_is_name(1) && !next.line_start {
            return self.kind_of(name) != Some(NameKind::Value);
        }
        if matches!(next.kind, TokenKind::Ident(_)) {
            return self.symbols.text(name) == "__block" && self.is_type_token(1);
        }
        next.kind == TokenKind::Punct(Punct::Star)
            && next_is_name(2)
            && matches!(self.peek_at(3).kind, TokenKind::Punct(Punct::Eq | Punct::Semi))
            && self.kind_of(name).is_none()
    }

    /// Returns whether a declaration of C++ comes.
    fn at_cxx_block_declaration(&self) -> bool {
        match self.peek().kind {
            TokenKind::Ident(kw::USING | kw::NAMESPACE | kw::TEMPLATE) => true,
            TokenKind::Ident(word) if is_keyword(word, self.language) && super::words::is_type_word(word) => {
                // `int(x)` as a statement is none that a program has; `struct`, qualifiers.
                let next = self.peek_at(1).kind;
                !matches!(next, TokenKind::Punct(Punct::LParen | Punct::LBrace))
                    || self.at_nested_declarator(1)
                    || matches!(
                        word,
                        kw::TYPEOF
                            | kw::TYPEOF_U
                            | kw::TYPEOF_2
                            | kw::ALIGNAS
                            | kw::STRUCT
                            | kw::UNION
                            | kw::ENUM
                    )
            }
            TokenKind::Ident(kw::DECLTYPE | kw::CLASS | kw::AUTO | kw::TYPENAME) => true,
            TokenKind::Ident(word) if is_keyword(word, self.language) => self.at_declaration(),
            TokenKind::Ident(_) | TokenKind::Punct(Punct::ColonColon) => {
                if self.peek_at(1).kind == TokenKind::Punct(Punct::Colon) {
                    return false;
                }
                let Some(walk) = self.walk_name(self.pos) else { return false };
                let next = self.tokens.get(walk.end).copied();
                let next_kind = next.map_or(TokenKind::Eof, |t| t.kind);
                let known = matches!(walk.kind, Some(NameKind::Type | NameKind::TypeTemplate));
                match next_kind {
                    TokenKind::Punct(Punct::LParen)
                        if known && self.at_nested_declarator(walk.end - self.pos) =>
                    {
                        true
                    }
                    // A construction whose value is dropped, or a call.
                    TokenKind::Punct(Punct::LParen | Punct::LBrace) => false,
                    TokenKind::Punct(Punct::ColonColon) => false,
                    _ if known => true,
                    _ if walk.qualified => self.cxx_type_at(0),
                    // A misspelt type before a name.
                    TokenKind::Ident(w) => {
                        !is_keyword(w, self.language)
                            && !next.is_some_and(|t| t.line_start)
                            && walk.kind != Some(NameKind::Value)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns whether `(*name)` or `(&name)` of an array's declarator stands so far ahead.
    fn at_nested_declarator(&self, ahead: usize) -> bool {
        let kind = |n: usize| self.peek_at(ahead + n).kind;
        kind(0) == TokenKind::Punct(Punct::LParen)
            && matches!(kind(1), TokenKind::Punct(Punct::Star | Punct::Amp | Punct::AmpAmp))
            && matches!(kind(2), TokenKind::Ident(_))
            && kind(3) == TokenKind::Punct(Punct::RParen)
            && kind(4) == TokenKind::Punct(Punct::LBracket)
    }

    /// The identifier at the cursor, if the token is one and not a keyword of this language version.
    pub(super) fn identifier(&self) -> Option<Symbol> {
        match self.peek().kind {
            TokenKind::Ident(s) if !is_keyword(s, self.language) => Some(s),
            _ => None,
        }
    }

    /// One statement, behind its first hint where it has one.
    fn statement(&mut self, hint: Option<Hint>) -> StmtId {
        let mut hints: Vec<Hint> = hint.into_iter().collect();
        loop {
            hints.push(match self.peek().kind {
                _ if self.at_attribute() => self.attribute_hint(),
                TokenKind::Pragma(_) => self.pragmas(),
                _ => break,
            });
        }
        let hints = row(&mut self.tree.statements.hints, hints);
        let first = self.here();
        let kind = self.statement_kind();
        self.add_stmt(kind, hints, first)
    }

    /// Adds a statement that ends before the cursor.
    fn add_stmt(&mut self, kind: StmtKind, hints: Row, first: TokenId) -> StmtId {
        let (last, problems_end) = (self.here().saturating_sub(1), self.problem_count());
        self.tree.statements.add(Stmt { kind, hints, first, last, problems_end })
    }

    fn statement_kind(&mut self) -> StmtKind {
        let token = self.peek();
        let word = match token.kind {
            TokenKind::Ident(word) => word,
            TokenKind::Punct(Punct::LBrace) => {
                let open = self.here();
                self.bump();
                return StmtKind::Compound(self.in_scope(|p| p.block(open)));
            }
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
                return StmtKind::Empty;
            }
            TokenKind::Punct(Punct::RBrace) | TokenKind::Eof => {
                let message = format!("expected a statement, found {}", token.text(self.symbols));
                self.report(Problem::new("expected-statement", token.span, message));
                return StmtKind::Empty;
            }
            _ => return self.expression_statement(),
        };
        if self.peek_at(1).kind == TokenKind::Punct(Punct::Colon) && !is_keyword(word, self.language) {
            self.pos += 2;
            return StmtKind::Label { name: word, body: self.labelled() };
        }
        match word {
            kw::IF => self.if_statement(),
            kw::SWITCH => {
                self.bump();
                let value = Condition { assigned: None, ..self.condition("'switch'") };
                StmtKind::Switch { value, body: self.substatement() }
            }
            kw::WHILE => {
                self.bump();
                let cond = self.condition("'while'");
                StmtKind::While { cond, body: self.substatement() }
            }
            kw::DO => self.do_statement(),
            kw::FOR => self.in_scope(|p| p.for_statement()),
            kw::CASE | kw::DEFAULT => self.case_or_default(false),
            kw::BREAK => self.jump(StmtKind::Break, "'break'"),
            kw::CONTINUE => self.jump(StmtKind::Continue, "'continue'"),
            kw::RETURN => self.return_statement(),
            kw::GOTO => self.goto_statement(),
            kw::ELSE => {
                self.bump();
                let message = "'else' without an 'if' before it".to_owned();
                self.report(Problem::new("else-without-if", token.span, message));
                StmtKind::Empty
            }
            kw::TRY if self.is_cxx() => self.try_statement(),
            kw::ASM | kw::ASM_U | kw::ASM_2 => self.asm_statement(),
            _ if self.at_block_declaration() => {
                let message = "a declaration cannot stand here; put it in braces".to_owned();
                self.report(Problem::new("expected-statement", token.span, message));
                StmtKind::Misplaced(self.in_scope(|p| p.block_declaration(Row::default())))
            }
            _ => self.expression_statement(),
        }
    }

    /// Runs a production in a scope of its own.
    pub(super) fn in_scope<T>(&mut self, production: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.names.open();
        let result = production(self);
        self.names.close(scope);
        result
    }

    fn expression_statement(&mut self) -> StmtKind {
        let problems = self.problem_count();
        let e = self.range(|p| p.expression());
        self.end_declaration("expression", problems);
        StmtKind::Expression(e)
    }

    /// The `;` of a declaration or statement. When it is missing, what follows on a new line is taken as the next one;
    /// otherwise the rest is skipped. Nothing is reported twice: `problems` is their number from before it began.
    pub(super) fn end_declaration(&mut self, what: &str, problems: u32) {
        if self.eat(Punct::Semi) {
            return;
        }
        if self.problem_count() == problems {
            self.expect_unless_broken(Punct::Semi, what);
            if self.peek().line_start || self.at(Punct::RBrace) {
                return;
            }
        } else if self.at(Punct::RBrace) || (self.peek().line_start && self.at_declaration()) {
            return;
        }
        self.skip_to_statement_end();
    }

    /// Takes the punctuator. If it is missing, that is reported unless the declaration or statement has another error.
    pub(super) fn expect_unless_broken(&mut self, punct: Punct, after: &str) {
        if !self.eat(punct) {
            let problem = Problem::missing(self.cursor, self.symbols, punct, after);
            self.report(Problem { follows: true, ..problem });
        }
    }

    /// The statement that another one governs, in a scope of its own (C99 §6.8.4, 3 and 6.8.5, 5).
    fn substatement(&mut self) -> StmtId {
        let first = self.here();
        let stmt = self.deeper(|p| p.in_scope(|p| p.statement(None)));
        stmt.unwrap_or_else(|| self.add_stmt(StmtKind::Empty, Row::default(), first))
    }

    // ---- conditions, loops ----

    /// Returns the `=`, where all of the expression that ends before the cursor is an assignment.
    fn assigned_here(&self) -> Option<TokenId> {
        self.places.assigned.filter(|(end, _)| *end == self.pos).map(|(_, operator)| operator)
    }

    /// `( expression )` after `after`.
    fn condition(&mut self, after: &str) -> Condition {
        let problems = self.problem_count();
        if !self.at(Punct::LParen) {
            self.expect(Punct::LParen, after);
            let at = self.here();
            let missing = self.at(Punct::LBrace) || self.at(Punct::Semi) || self.at(Punct::RBrace);
            // `if x > 3 {`: the parentheses are missing, the condition is there.
            let expr = (!missing).then(|| self.range(|p| p.expression()));
            return Condition {
                expr,
                cxx: (None, None),
                at,
                assigned: None,
                problems_end: self.problem_count(),
            };
        }
        self.bump();
        let first = if self.is_cxx() { self.condition_statement() } else { None };
        let at = self.here();
        if self.is_cxx() && self.at_block_declaration() {
            let declaration = self.condition_declaration();
            self.close_condition("condition", problems);
            let cxx = (first, Some(declaration));
            return Condition { expr: None, cxx, at, assigned: None, problems_end: self.problem_count() };
        }
        let expr = Some(self.range(|p| p.expression()));
        let assigned = self.assigned_here();
        self.close_condition("condition", problems);
        Condition { expr, cxx: (first, None), at, assigned, problems_end: self.problem_count() }
    }

    /// The statement before a condition, where a `;` ends one (C++17).
    fn condition_statement(&mut self) -> Option<StmtId> {
        let mut ahead = 0;
        let mut depth = 0;
        loop {
            match self.peek_at(ahead).kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) if depth == 0 => {
                    return None;
                }
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => depth -= 1,
                TokenKind::Punct(Punct::Semi) if depth == 0 => break,
                TokenKind::Eof => return None,
                _ => {}
            }
            ahead += 1;
        }
        if self.at_block_declaration() {
            return Some(self.block_declaration(Row::default()));
        }
        self.deeper(|p| p.statement(None))
    }

    /// The declaration that is a condition.
    fn condition_declaration(&mut self) -> StmtId {
        let first = self.here();
        let kind = StmtKind::Declaration(self.condition_variable());
        self.add_stmt(kind, Row::default(), first)
    }

    /// A `)`. When it is missing, what stands before one is skipped. That is reported where no other problem came since
    /// `problems`; then the rest stays where there is no `)`.
    fn close_condition(&mut self, after: &str, problems: u32) {
        if self.eat(Punct::RParen) {
            return;
        }
        let (first, pos) = (self.problem_count() == problems, self.pos);
        if first {
            self.expect_unless_broken(Punct::RParen, after);
        }
        self.skip_balanced_until(&[Punct::LBrace]);
        if !self.eat(Punct::RParen) && first {
            self.pos = pos;
        }
    }

    /// A chain of `else if` is read in a loop, so that its length is no depth.
    fn if_statement(&mut self) -> StmtKind {
        let mut arms = Vec::new();
        let mut els = None;
        loop {
            let at = self.here();
            self.bump();
            let is_constexpr = self.is_cxx() && self.eat_word(kw::CONSTEXPR);
            let cond = self.condition("'if'");
            let then = self.substatement();
            let nests = is_constexpr || cond.cxx != (None, None);
            arms.push(IfArm { cond, then, at, is_constexpr });
            if nests || (self.is_cxx() && self.else_if_of_cxx()) {
                els = if self.eat_word(kw::ELSE) { Some(self.substatement()) } else { None };
                break;
            }
            if !self.eat_word(kw::ELSE) {
                break;
            }
            if !self.at_word(kw::IF) {
                els = Some(self.substatement());
                break;
            }
            if arms.len() == MAX_ELSE_IF {
                let message = format!("more than {MAX_ELSE_IF} 'else if' in one chain");
                let problem = Problem::new("nesting-too-deep", self.peek().span, message);
                self.report(Problem { fatal: true, ..problem });
                break;
            }
        }
        StmtKind::If { arms: row(&mut self.tree.statements.arms, arms), els }
    }

    /// Returns whether an `else if` comes whose condition C does not have: it nests.
    fn else_if_of_cxx(&self) -> bool {
        self.at_word(kw::ELSE)
            && self.peek_at(1).kind == TokenKind::Ident(kw::IF)
            && self.peek_at(2).kind == TokenKind::Ident(kw::CONSTEXPR)
    }

    /// `try { … } catch (…) { … }`, which is refused: its blocks are read all the same.
    fn try_statement(&mut self) -> StmtKind {
        let message = "C++ for OpenCL does not have exceptions ('try')".to_owned();
        self.report(Problem::new("unsupported-cxx", self.peek().span, message));
        self.bump();
        let block = self.substatement();
        while self.eat_word(kw::CATCH) {
            if self.at(Punct::LParen) {
                self.skip_group();
            }
            if self.at(Punct::LBrace) {
                self.skip_group();
            }
        }
        StmtKind::Misplaced(block)
    }

    fn do_statement(&mut self) -> StmtKind {
        self.bump();
        let body = self.substatement();
        let problems = self.problem_count();
        if !self.eat_word(kw::WHILE) {
            let token = self.peek();
            let found = token.text(self.symbols);
            let message = format!("expected 'while' after the body of 'do', found {found}");
            self.report(Problem::new("expected-token", token.span, message));
            return StmtKind::Do { body, cond: None };
        }
        let cond = self.condition("'while'");
        self.end_declaration("'do' statement", problems);
        StmtKind::Do { body, cond: Some(cond) }
    }

    fn for_statement(&mut self) -> StmtKind {
        self.bump();
        let problems = self.problem_count();
        if !self.at(Punct::LParen) {
            self.expect(Punct::LParen, "'for'");
            let problems = self.problem_count();
            let nothing = For {
                init: ForInit::None,
                cond: None,
                cxx: ForOfCxx::None,
                assigned: None,
                step: None,
                body: None,
                problems,
            };
            return self.add_for(nothing);
        }
        self.bump();
        if self.is_cxx() && self.at_range_for() {
            return self.range_for();
        }
        let init = if self.at_block_declaration() {
            ForInit::Declaration(self.block_declaration(Row::default()))
        } else if self.eat(Punct::Semi) {
            ForInit::None
        } else {
            let e = self.range(|p| p.expression());
            self.for_semicolon("the first part of 'for'", problems);
            ForInit::Expression(e)
        };
        let mut assigned = None;
        let mut cxx = ForOfCxx::None;
        if self.is_cxx() && self.at_block_declaration() {
            cxx = ForOfCxx::Condition(self.condition_declaration());
        }
        let no_cond = self.at(Punct::Semi) || self.at(Punct::RParen);
        let cond = (!no_cond).then(|| {
            let e = self.range(|p| p.expression());
            assigned = self.assigned_here();
            e
        });
        self.for_semicolon("the condition of 'for'", problems);
        let no_step = self.at(Punct::RParen) || self.at(Punct::LBrace);
        let step = (!no_step).then(|| self.range(|p| p.expression()));
        self.close_condition("'for'", problems);
        let problems = self.problem_count();
        let body = Some(self.substatement());
        self.add_for(For { init, cond, cxx, assigned, step, body, problems })
    }

    /// `for (declaration : range) body` behind the `(`. The variable's initialiser is the range; a first statement is none of C++17.
    fn range_for(&mut self) -> StmtKind {
        let problems = self.problem_count();
        let first = self.here();
        let (declaration, range) = self.range_variable();
        let kind = StmtKind::Declaration(declaration);
        let init = ForInit::Declaration(self.add_stmt(kind, Row::default(), first));
        self.close_condition("'for'", problems);
        let problems = self.problem_count();
        let body = Some(self.substatement());
        let cxx = range.map_or(ForOfCxx::None, ForOfCxx::Range);
        self.add_for(For { init, cond: None, cxx, assigned: None, step: None, body, problems })
    }

    /// Returns whether a `:` comes before the `;` of a `for`.
    fn at_range_for(&self) -> bool {
        let mut question = false;
        for token in self.tokens.get(self.pos..).unwrap_or(&[]) {
            match token.kind {
                TokenKind::Punct(Punct::Colon) => return !question,
                TokenKind::Punct(Punct::Question) => question = true,
                TokenKind::Punct(Punct::Semi | Punct::LBrace | Punct::RBrace) | TokenKind::Eof => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    fn add_for(&mut self, tree: For) -> StmtKind {
        self.tree.statements.fors.push(tree);
        StmtKind::For(self.tree.statements.fors.len() as u32 - 1)
    }

    fn for_semicolon(&mut self, after: &str, problems: u32) {
        if self.problem_count() == problems || self.at(Punct::Semi) {
            self.expect_unless_broken(Punct::Semi, after);
            return;
        }
        self.skip_balanced_until(&[Punct::LBrace]);
        self.eat(Punct::Semi);
    }

    // ---- labels, jumps ----

    /// `case` or `default` with what follows. As an item of a block it holds no statement.
    fn case_or_default(&mut self, item: bool) -> StmtKind {
        if self.eat_word(kw::DEFAULT) {
            self.expect(Punct::Colon, "'default'");
            let problems = self.problem_count();
            return StmtKind::Default { body: self.after_label(item), problems };
        }
        self.bump();
        let before = self.problem_count();
        let low = self.range(|p| p.conditional());
        let high = self.eat(Punct::Ellipsis).then(|| self.range(|p| p.conditional()));
        if self.problem_count() == before || self.at(Punct::Colon) {
            self.expect_unless_broken(Punct::Colon, "'case' value");
        } else {
            self.skip_balanced_until(&[Punct::Colon]);
            self.eat(Punct::Colon);
        }
        let problems = self.problem_count();
        StmtKind::Case { low, high, body: self.after_label(item), problems }
    }

    fn after_label(&mut self, item: bool) -> Labelled {
        match item {
            true if self.at(Punct::RBrace) => Labelled::End,
            true if self.at_block_declaration() => Labelled::Declaration,
            true => Labelled::Item,
            false => self.labelled(),
        }
    }

    /// Returns the statement or declaration that a label marks. A declaration or the end of the block stands behind an empty statement, as C23
    /// has it.
    fn labelled(&mut self) -> Labelled {
        if self.at(Punct::RBrace) {
            return Labelled::End;
        }
        if self.at_block_declaration() || self.peek().kind == TokenKind::Eof {
            return Labelled::Declaration;
        }
        // A run of labels is a loop for the source but a nest for the tree: it counts as depth.
        Labelled::Statement(self.deeper(|p| p.statement(None)))
    }

    fn jump(&mut self, kind: StmtKind, what: &str) -> StmtKind {
        self.bump();
        let problems = self.problem_count();
        self.end_declaration(what, problems);
        kind
    }

    fn return_statement(&mut self) -> StmtKind {
        self.bump();
        let problems = self.problem_count();
        if self.at(Punct::Semi) || self.at(Punct::RBrace) {
            self.end_declaration("'return'", problems);
            return StmtKind::Return(None);
        }
        let braced = self.is_cxx() && self.at(Punct::LBrace);
        let value = self.range(|p| if braced { p.braced() } else { p.expression() });
        self.end_declaration("'return' statement", problems);
        StmtKind::Return(Some(value))
    }

    fn goto_statement(&mut self) -> StmtKind {
        self.bump();
        let problems = self.problem_count();
        let Some(name) = self.identifier() else {
            let token = self.peek();
            let message = format!("expected a label after 'goto', found {}", token.text(self.symbols));
            self.report(Problem::new("expected-identifier", token.span, message));
            self.skip_to_statement_end();
            return StmtKind::Empty;
        };
        let at = self.here();
        self.bump();
        self.end_declaration("'goto' statement", problems);
        StmtKind::Goto { name, at }
    }

    // ---- statements in expressions ----

    /// `({ … })`, at the `(`.
    pub(super) fn statement_expression(&mut self) -> ExprId {
        let start = self.here();
        let node = self.push(Kind::Error, start);
        self.bump();
        let open = self.here();
        self.bump();
        let around = std::mem::take(&mut self.tallest);
        let items = self.in_scope(|p| p.block(open));
        self.height = std::mem::replace(&mut self.tallest, around);
        self.grow(0);
        let end = self.tree.nodes.len() as u32;
        self.tree.nodes[node.0 as usize].kind = Kind::Statements { items, end };
        self.close(Punct::RParen, "statement expression");
        self.end_here(node);
        node
    }

    /// A block literal, at the `^`.
    ///
    /// ```text
    /// block-literal: "^" (type? "(" parameters ")" | type)? block
    /// ```
    pub(super) fn block_literal(&mut self) -> ExprId {
        let start = self.here();
        let node = self.push(Kind::Error, start);
        self.bump();
        let scope = self.names.open();
        let literal = self.block_parts(start);
        self.names.close(scope);
        self.tree.statements.blocks.push(literal);
        let (literal, end) = (self.tree.statements.blocks.len() as u32 - 1, self.tree.nodes.len() as u32);
        self.tree.nodes[node.0 as usize].kind = Kind::Block { literal, end };
        self.end_here(node);
        self.height = 1;
        node
    }

    fn block_parts(&mut self, start: TokenId) -> BlockLiteral {
        let (mut specs, mut declarator, mut body) = (None, None, None);
        let written = !self.at(Punct::LBrace) && !self.at(Punct::LParen);
        let broken = written && !self.is_type_token(0);
        if written && !broken {
            specs = Some(self.specifiers(SpecContext::TypeName));
        }
        if broken {
            let found = self.peek().text(self.symbols);
            let message = format!("expected a block's parameters or its body, found {found}");
            self.report(Problem::new("expected-token", self.span_of(start), message));
        } else if !self.at(Punct::LBrace) || written {
            declarator = Some(self.declarator(Naming::Forbidden));
        }
        let header_last = self.here().saturating_sub(1);
        if self.at(Punct::LBrace) {
            let step = declarator.and_then(|declarator| self.first_step(declarator));
            self.declare_parameters(step);
            body = Some(self.body());
        } else if !broken {
            self.expect(Punct::LBrace, "the parameters of a block");
        }
        BlockLiteral { specs, declarator, header_last, body, problems_end: self.problem_count() }
    }

    /// The nodes of an expression that stands by itself.
    pub(crate) fn range(&mut self, production: impl FnOnce(&mut Self) -> ExprId) -> ExprRange {
        let start = self.tree.nodes.len() as u32;
        let root = production(self);
        self.tallest = self.tallest.max(self.height);
        ExprRange { start, end: self.tree.nodes.len() as u32, root }
    }
}

//! Statements (C99 §6.8).

use super::attribute::Attributes;
use super::parser::{Breakable, LabelState, Name, Parser};
use super::state::{Shown, What};
use crate::hir::{Block, Constant, Expr, ExprKind, LabelId, Stmt, StmtKind, UnrollHint};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};
use crate::types::{QualType, Type, TypeId, Types};

use super::convert::{AssignContext, error_expr};

/// An `else if` chain is cut into pieces of so many conditions.
const ELSE_IF_PIECE: usize = 32;

/// More `else if` than this in one chain are an error.
const MAX_ELSE_IF: usize = 10_000;

impl Parser<'_> {
    /// The statements of a block up to its `}`, in the current scope. `open` is where the block began.
    pub(super) fn parse_block_items(&mut self, open: Span) -> Block {
        let mut block = Block::default();
        let contract = self.fp_contract;
        while !self.at(Punct::RBrace) {
            if self.peek().kind == TokenKind::Eof {
                let span = self.peek().span;
                let last = self.previous_span();
                let brace = format!("\n{}}}", "    ".repeat(self.scopes.len().saturating_sub(3)));
                self.error("expected-token", span, "expected '}' at the end of the block")
                    .note(open, "to match this '{'")
                    .insert_after(last, brace);
                return block;
            }
            let before = self.pos;
            if self.parse_block_item(&mut block.stmts).is_none() {
                return block;
            }
            if self.pos == before {
                self.bump();
            }
        }
        self.bump();
        // The pragma holds to the end of its block (C99 §7.12.2); a function's own stays for its end.
        if self.scopes.len() > 3 {
            self.fp_contract = contract;
        }
        block
    }

    fn parse_block_item(&mut self, into: &mut Vec<Stmt>) -> Option<()> {
        if let TokenKind::Pragma(text) = self.peek().kind {
            if !into.is_empty() && self.symbols.text(text).contains("FP_CONTRACT") {
                let message = "FP_CONTRACT stands outside of functions or at the start of a block";
                self.warning("misplaced-pragma", self.peek().span, message);
            }
            let hint = self.parse_pragmas();
            if self.at(Punct::RBrace) || self.peek().kind == TokenKind::Eof {
                self.report_stray_hint(hint);
                return Some(());
            }
            return self.parse_hinted(hint, into);
        }
        if self.at_attribute() && !self.attributes_of_declaration() {
            let hint = self.parse_statement_attributes();
            return self.parse_hinted(hint, into);
        }
        if self.at_word(kw::CASE) || self.at_word(kw::DEFAULT) {
            // In a block a label is an item of its own: a thousand of them in a row nest no deeper than one.
            let span = self.peek().span;
            let labels =
                if self.at_word(kw::CASE) { self.parse_case_label() } else { self.parse_default_label() };
            if self.at(Punct::RBrace) || self.at_block_declaration() {
                self.warn_label_before();
            }
            let label = |kind| Stmt { kind, span };
            into.extend(labels.into_iter().map(label));
            return Some(());
        }
        if self.at_attribute() || self.at_block_declaration() {
            self.deeper(|p| p.parse_block_declaration(into))
        } else {
            let statement = self.deeper(|p| p.parse_statement(None))?;
            into.push(statement);
            Some(())
        }
    }

    /// A block item after an unroll hint: a loop, or anything with a warning.
    fn parse_hinted(&mut self, hint: Option<(UnrollHint, Span)>, into: &mut Vec<Stmt>) -> Option<()> {
        if self.at_block_declaration() {
            self.report_stray_hint(hint);
            return self.deeper(|p| p.parse_block_declaration(into));
        }
        let statement = self.deeper(|p| p.parse_statement(hint))?;
        into.push(statement);
        Some(())
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

    fn parse_statement_attributes(&mut self) -> Option<(UnrollHint, Span)> {
        let mut attributes = Attributes::default();
        self.parse_attributes(&mut attributes);
        self.reject_kernel_attributes(&attributes);
        attributes.unroll
    }

    fn report_stray_hint(&mut self, hint: Option<(UnrollHint, Span)>) {
        if let Some((_, span)) = hint {
            self.warning("misplaced-unroll", span, "an unroll hint has no effect on anything but a loop");
        }
    }

    /// Returns whether a declaration comes; a misspelt type before a name counts.
    pub(super) fn at_block_declaration(&self) -> bool {
        if self.at_declaration() {
            // `name:` is a label whatever else the name means.
            return self.peek_at(1).kind != TokenKind::Punct(Punct::Colon);
        }
        let Some(name) = self.identifier() else { return false };
        if self.symbols.text(name) == "__block" && self.is_type_token(self.peek_at(1)) {
            return true;
        }
        let next_is_name = |ahead: usize| match self.peek_at(ahead).kind {
            TokenKind::Ident(w) => !self.is_keyword(w),
            _ => false,
        };
        // On one line: two names on two lines are more likely a forgotten semicolon.
        if next_is_name(1) && !self.peek_at(1).line_start {
            return !matches!(
                self.lookup(name),
                Some((Name::Local(_) | Name::Global(_) | Name::Block(..), _))
            );
        }
        self.peek_at(1).kind == TokenKind::Punct(Punct::Star)
            && next_is_name(2)
            && matches!(self.peek_at(3).kind, TokenKind::Punct(Punct::Eq | Punct::Semi))
            && self.lookup(name).is_none()
    }

    /// One statement.
    ///
    /// ```text
    /// statement: label ":" statement | "{" … "}" | if | switch | while | do | for | goto | continue
    ///          | break | return | expression? ";"
    /// ```
    pub(super) fn parse_statement(&mut self, hint: Option<(UnrollHint, Span)>) -> Stmt {
        let mut hint = hint;
        while matches!(self.peek().kind, TokenKind::Pragma(_)) || self.at_attribute() {
            let more =
                if self.at_attribute() { self.parse_statement_attributes() } else { self.parse_pragmas() };
            hint = more.or(hint);
        }
        let token = self.peek();
        let TokenKind::Ident(word) = token.kind else {
            self.report_stray_hint(hint);
            let kind = match token.kind {
                TokenKind::Punct(Punct::LBrace) => self.parse_compound(),
                TokenKind::Punct(Punct::Semi) => {
                    self.bump();
                    StmtKind::Empty
                }
                TokenKind::Punct(Punct::RBrace) | TokenKind::Eof => {
                    let found = self.token_text(token);
                    self.error(
                        "expected-statement",
                        token.span,
                        format!("expected a statement, found {found}"),
                    );
                    StmtKind::Empty
                }
                _ => self.parse_expression_statement(),
            };
            return self.statement(kind, token.span);
        };
        let unroll = hint.map(|(h, _)| h);
        if !matches!(word, kw::FOR | kw::WHILE | kw::DO) {
            let is_label = self.peek_at(1).kind == TokenKind::Punct(Punct::Colon) && !self.is_keyword(word);
            if is_label {
                let kind = self.parse_label(word, hint);
                return self.statement(kind, token.span);
            }
            self.report_stray_hint(hint);
        }
        let kind = match word {
            kw::IF => self.parse_if(),
            kw::SWITCH => self.parse_switch(),
            kw::WHILE => self.parse_while(unroll),
            kw::DO => self.parse_do(unroll),
            kw::FOR => self.in_scope(|p| p.parse_for(unroll)),
            kw::CASE => self.parse_case(),
            kw::DEFAULT => self.parse_default(),
            kw::BREAK => self.parse_jump(StmtKind::Break),
            kw::CONTINUE => self.parse_jump(StmtKind::Continue),
            kw::RETURN => self.parse_return(),
            kw::GOTO => self.parse_goto(),
            kw::ELSE => {
                self.bump();
                self.error("else-without-if", token.span, "'else' without an 'if' before it");
                StmtKind::Empty
            }
            kw::ASM | kw::ASM_U | kw::ASM_2 => self.parse_asm(),
            _ if self.at_block_declaration() => self.misplaced_declaration(token.span),
            _ => self.parse_expression_statement(),
        };
        self.statement(kind, token.span)
    }

    pub(super) fn statement(&self, kind: StmtKind, start: Span) -> Stmt {
        Stmt { kind, span: start.to(self.previous_span()) }
    }

    /// A declaration where only a statement can stand (`if (x) int y;`).
    fn misplaced_declaration(&mut self, span: Span) -> StmtKind {
        self.error("expected-statement", span, "a declaration cannot stand here; put it in braces");
        let mut stmts = Vec::new();
        self.in_scope(|p| p.parse_block_declaration(&mut stmts));
        StmtKind::Block(Block { stmts })
    }

    fn parse_compound(&mut self) -> StmtKind {
        let open = self.bump().span;
        StmtKind::Block(self.in_scope(|p| p.parse_block_items(open)))
    }

    fn parse_expression_statement(&mut self) -> StmtKind {
        let errors = self.diags.error_count();
        let expr = self.parse_discarded();
        if let ExprKind::Call { function, .. } = expr.kind
            && self.must_use.contains(&function)
        {
            let message = "the result of a function with 'warn_unused_result' is ignored";
            self.warning("unused-result", expr.span, message);
        }
        self.end_declaration("expression", errors);
        StmtKind::Expr(expr)
    }

    /// An expression for its effects only. A volatile object is read all the same (C99 §6.7.3, 6), and a
    /// bare variable becomes a value, which costs nothing.
    fn parse_discarded(&mut self) -> Expr {
        let expr = self.parse_expression();
        let reads = matches!(expr.kind, ExprKind::Local(_)) || expr.ty.is_volatile;
        if reads && expr.ty.ty != Types::VOID { self.to_rvalue(expr) } else { expr }
    }

    /// The statement that another one governs, in a scope of its own (C99 §6.8.4, 3 and 6.8.5, 5).
    pub(super) fn parse_substatement(&mut self) -> Box<Stmt> {
        let span = self.peek().span;
        let parsed = self.deeper(|p| p.in_scope(|p| p.parse_statement(None)));
        Box::new(parsed.unwrap_or(Stmt { kind: StmtKind::Empty, span }))
    }

    fn parse_loop_body(&mut self) -> Box<Stmt> {
        self.push_breakable(Breakable::Loop);
        let body = self.parse_substatement();
        self.pop_breakable();
        body
    }

    pub(super) fn push_breakable(&mut self, breakable: Breakable) {
        if let Some(function) = &mut self.function {
            function.breakables.push(breakable);
        }
    }

    pub(super) fn pop_breakable(&mut self) -> Option<Breakable> {
        self.function.as_mut().and_then(|f| f.breakables.pop())
    }

    /// `( expression )` after `after`, as a condition.
    fn parse_condition(&mut self, after: &str) -> Expr {
        let condition = self.parse_parenthesized(after);
        self.to_bool_condition(condition)
    }

    /// Warns of `if (a = b)`; another pair of parentheses says that it is meant.
    fn check_assignment_as_condition(&mut self) {
        let Some((end, operator)) = self.exprs.places.assigned else { return };
        if end == self.pos {
            let message = "an assignment is the condition: was a comparison meant?";
            self.warning("assignment-as-condition", operator, message)
                .remark("parentheses around the assignment silence this warning")
                .replace(operator, "==");
        }
    }

    pub(super) fn parse_parenthesized(&mut self, after: &str) -> Expr {
        let errors = self.diags.error_count();
        if !self.expect(Punct::LParen, after) {
            let span = self.peek().span;
            if self.at(Punct::LBrace) || self.at(Punct::Semi) || self.at(Punct::RBrace) {
                return error_expr(span);
            }
            // `if x > 3 {`: the parentheses are missing, the condition is there.
            return self.parse_expression();
        }
        let expr = self.parse_expression();
        if after != "'switch'" {
            self.check_assignment_as_condition();
        }
        self.close_paren("condition", errors);
        expr
    }

    /// A `)`; when it is missing and nothing was reported since `errors`, that is.
    fn close_paren(&mut self, after: &str, errors: usize) {
        if self.eat(Punct::RParen) {
            return;
        }
        if self.diags.error_count() == errors {
            self.expect(Punct::RParen, after);
            return;
        }
        self.skip_balanced_until(&[Punct::LBrace]);
        self.eat(Punct::RParen);
    }

    fn parse_if(&mut self) -> StmtKind {
        self.bump();
        let mut arms = Vec::new();
        let mut els = None;
        // A chain of `else if` is read in a loop, so that its length is no depth; it is built from its end.
        loop {
            let start = self.previous_span();
            let cond = self.parse_condition("'if'");
            let then = self.parse_substatement();
            arms.push((cond, then, start));
            if !self.eat_word(kw::ELSE) {
                break;
            }
            if !self.eat_word(kw::IF) {
                els = Some(self.parse_substatement());
                break;
            }
            if arms.len() == MAX_ELSE_IF {
                let span = self.previous_span();
                let message = format!("more than {MAX_ELSE_IF} 'else if' in one chain");
                self.error("nesting-too-deep", span, message);
                self.abort();
                break;
            }
        }
        self.build_else_ifs(arms, els)
    }

    /// The tree of an `else if` chain. A long one is cut into pieces that follow each other, each run only where
    /// no condition before it held, so that control flow nests no deeper than a piece is long: drivers have
    /// limits on nesting (llvmpipe's is 80, and what is deeper runs wrongly).
    fn build_else_ifs(&mut self, arms: Vec<(Expr, Box<Stmt>, Span)>, last: Option<Box<Stmt>>) -> StmtKind {
        let end = self.previous_span();
        let count = arms.len();
        if count <= ELSE_IF_PIECE || arms.iter().any(|(_, then, _)| has_label(then, false)) {
            return else_if_tree(arms, last, end);
        }
        let int = QualType::new(Types::INT);
        let none_held = self.new_local(None, int, end);
        let place = || Expr { kind: ExprKind::Local(none_held), ty: int, span: end };
        let set = |value| {
            let rhs = Expr { kind: ExprKind::Constant(Constant::Int(value)), ty: int, span: end };
            let assign = ExprKind::Assign { lhs: Box::new(place()), rhs: Box::new(rhs) };
            Stmt { kind: StmtKind::Expr(Expr { kind: assign, ty: int, span: end }), span: end }
        };
        let (mut stmts, mut arms, mut last) = (Vec::new(), arms.into_iter().peekable(), last);
        while arms.peek().is_some() {
            let piece: Vec<_> = arms.by_ref().take(ELSE_IF_PIECE).collect();
            let otherwise = if arms.peek().is_some() { Some(Box::new(set(1))) } else { last.take() };
            let tree = Stmt { kind: else_if_tree(piece, otherwise, end), span: end };
            let piece = vec![set(0), tree];
            if stmts.is_empty() {
                stmts = piece;
                continue;
            }
            let cond = self.to_bool_condition(place());
            let then = Box::new(Stmt { kind: StmtKind::Block(Block { stmts: piece }), span: end });
            stmts.push(Stmt { kind: StmtKind::If { cond, then, els: None }, span: end });
        }
        StmtKind::Block(Block { stmts })
    }

    fn parse_while(&mut self, unroll: Option<UnrollHint>) -> StmtKind {
        self.bump();
        let cond = self.parse_condition("'while'");
        let body = self.parse_loop_body();
        StmtKind::While { cond, body, unroll }
    }

    fn parse_do(&mut self, unroll: Option<UnrollHint>) -> StmtKind {
        self.bump();
        let body = self.parse_loop_body();
        let errors = self.diags.error_count();
        if !self.eat_word(kw::WHILE) {
            let token = self.peek();
            let found = self.token_text(token);
            let message = format!("expected 'while' after the body of 'do', found {found}");
            self.error("expected-token", token.span, message);
            return StmtKind::DoWhile { body, cond: error_expr(token.span), unroll };
        }
        let cond = self.parse_condition("'while'");
        self.end_declaration("'do' statement", errors);
        StmtKind::DoWhile { body, cond, unroll }
    }

    fn parse_for(&mut self, unroll: Option<UnrollHint>) -> StmtKind {
        self.bump();
        let errors = self.diags.error_count();
        if !self.expect(Punct::LParen, "'for'") {
            return StmtKind::Empty;
        }
        let mut init = Vec::new();
        if self.at_block_declaration() {
            self.parse_block_declaration(&mut init);
        } else if !self.eat(Punct::Semi) {
            let expr = self.parse_discarded();
            let span = expr.span;
            init.push(Stmt { kind: StmtKind::Expr(expr), span });
            self.for_semicolon("the first part of 'for'", errors);
        }
        let cond = if self.at(Punct::Semi) || self.at(Punct::RParen) {
            None
        } else {
            let expr = self.parse_expression();
            self.check_assignment_as_condition();
            Some(self.to_bool_condition(expr))
        };
        self.for_semicolon("the condition of 'for'", errors);
        let step = if self.at(Punct::RParen) || self.at(Punct::LBrace) {
            None
        } else {
            Some(self.parse_discarded())
        };
        self.close_paren("'for'", errors);
        let body = self.parse_loop_body();
        StmtKind::For { init, cond, step, body, unroll }
    }

    fn for_semicolon(&mut self, after: &str, errors: usize) {
        if self.eat(Punct::Semi) {
            return;
        }
        if self.diags.error_count() == errors {
            self.expect(Punct::Semi, after);
        } else {
            self.skip_balanced_until(&[Punct::LBrace]);
            self.eat(Punct::Semi);
        }
    }

    // ---- jumps ----

    fn parse_jump(&mut self, kind: StmtKind) -> StmtKind {
        let span = self.bump().span;
        let (is_break, errors) = (matches!(kind, StmtKind::Break), self.diags.error_count());
        let good = self
            .function
            .as_ref()
            .is_some_and(|f| f.breakables.iter().any(|b| is_break || matches!(b, Breakable::Loop)));
        self.end_declaration(if is_break { "'break'" } else { "'continue'" }, errors);
        if good {
            return kind;
        }
        if is_break {
            self.error("break-outside-loop", span, "'break' outside of a loop or 'switch'");
        } else {
            self.error("continue-outside-loop", span, "'continue' outside of a loop");
        }
        StmtKind::Empty
    }

    fn parse_return(&mut self) -> StmtKind {
        let span = self.bump().span;
        let errors = self.diags.error_count();
        let is_block = |p: &Self| p.function.as_ref().is_some_and(|f| f.block.is_some());
        let (ret, name) = match &self.function {
            Some(f) => (f.ret, self.symbols.shared(f.name)),
            None => (Types::ERROR, "".into()),
        };
        if self.at(Punct::Semi) || self.at(Punct::RBrace) {
            let ret = if is_block(self) { self.infer_result(Types::VOID, span) } else { ret };
            self.end_declaration("'return'", errors);
            if ret != Types::VOID && ret != Types::ERROR {
                let message =
                    format!("function '{name}' must return a value of type '{}'", self.type_id_text(ret));
                self.error("return-without-value", span, message);
            }
            return StmtKind::Return(None);
        }
        if let Some(function) = &mut self.function {
            function.returns_value = true;
        }
        let value = self.peek().span;
        let expr = self.parse_expression();
        self.value_of_a_kernel(span, value.to(self.previous_span()));
        let expr = self.to_rvalue(expr);
        let ret = if is_block(self) { self.infer_result(expr.ty.ty, expr.span) } else { ret };
        let kind = self.return_value(expr, ret, &name);
        self.end_declaration("'return' statement", errors);
        kind
    }

    /// Where a kernel's type is to become void, its `return` is to lose the value.
    fn value_of_a_kernel(&mut self, word: Span, value: Span) {
        if self.function.as_ref().is_none_or(|f| !f.is_kernel || f.ret == Types::VOID) || self.aborted {
            return;
        }
        if let Some(diagnostic) = self.diags.latest("kernel-return-type")
            && !diagnostic.replacements.is_empty()
        {
            diagnostic.replace(Span { lo: word.hi, ..value }, "");
        }
    }

    fn return_value(&mut self, expr: Expr, ret: TypeId, name: &str) -> StmtKind {
        if ret == Types::ERROR || matches!(self.types.get(expr.ty.ty), Type::Error) {
            return StmtKind::Return(Some(expr));
        }
        if ret != Types::VOID {
            let function = self.function.as_ref().and_then(|f| self.functions.get(f.id.0 as usize));
            let name = self.function.as_ref().map(|f| f.name);
            let target = function.zip(name);
            let target = target.map(|(f, name)| Shown { span: f.span, what: What::Function(name, ret) });
            let ret = QualType::new(ret);
            let value =
                self.with_target(target, |p| p.convert_for_assignment(expr, ret, AssignContext::Return));
            return StmtKind::Return(Some(value));
        }
        let span = expr.span;
        if expr.ty.ty != Types::VOID {
            let message =
                format!("function '{name}' returns void; it cannot return '{}'", self.type_text(expr.ty));
            self.error("return-with-value", span, message);
            return StmtKind::Return(None);
        }
        // `return f();` where f returns void, as C++ and GNU C have it.
        let call = Stmt { kind: StmtKind::Expr(expr), span };
        let end = Stmt { kind: StmtKind::Return(None), span };
        StmtKind::Block(Block { stmts: vec![call, end] })
    }

    fn parse_goto(&mut self) -> StmtKind {
        self.bump();
        let errors = self.diags.error_count();
        let Some(name) = self.identifier() else {
            let token = self.peek();
            let found = self.token_text(token);
            self.error(
                "expected-identifier",
                token.span,
                format!("expected a label after 'goto', found {found}"),
            );
            self.skip_to_statement_end();
            return StmtKind::Empty;
        };
        let span = self.bump().span;
        self.end_declaration("'goto' statement", errors);
        match self.label(name, span, false) {
            Some(id) => StmtKind::Goto(id),
            None => StmtKind::Empty,
        }
    }

    /// The label of a name, used or defined at `span`.
    fn label(&mut self, name: Symbol, span: Span, defines: bool) -> Option<LabelId> {
        let function = self.function.as_mut()?;
        let next = LabelId(function.label_list.len() as u32);
        let mut is_new = false;
        let state = function.labels.entry(name).or_insert_with(|| {
            is_new = true;
            LabelState { id: next, defined: None, used: None }
        });
        let before = state.defined;
        if defines {
            state.defined.get_or_insert(span);
        } else {
            state.used.get_or_insert(span);
        }
        let id = state.id;
        if is_new {
            function.label_list.push((name, span));
        } else if defines
            && before.is_none()
            && let Some(entry) = function.label_list.get_mut(id.0 as usize)
        {
            entry.1 = span;
        }
        if let (true, Some(before)) = (defines, before) {
            let message = format!("redefinition of label '{}'", self.symbols.text(name));
            self.error("duplicate-label", span, message).note(before, "previous definition is here");
            return None;
        }
        Some(id)
    }

    fn parse_label(&mut self, name: Symbol, hint: Option<(UnrollHint, Span)>) -> StmtKind {
        let span = self.bump().span;
        self.bump();
        if self.function.as_ref().is_some_and(|f| f.statement_expression.is_some()) {
            let message = "a label cannot stand in a statement expression: nothing can jump into one";
            self.error("label-in-expression", span, message);
        }
        let label = self.label(name, span, true);
        let body = match hint {
            Some(_) if !self.at(Punct::RBrace) => {
                self.deeper(|p| p.parse_statement(hint)).map_or(StmtKind::Empty, |s| s.kind)
            }
            _ => self.parse_labelled(),
        };
        let Some(label) = label else { return body };
        let body = Box::new(self.statement(body, span));
        StmtKind::Label { label, body }
    }

    /// Labels that were used and never defined; those that were defined and never used.
    pub(super) fn check_labels(&mut self) {
        let Some(function) = &self.function else { return };
        let states: Vec<(Symbol, LabelState)> =
            function.label_list.iter().filter_map(|(n, _)| Some((*n, *function.labels.get(n)?))).collect();
        for (name, state) in states {
            let text = self.symbols.shared(name);
            match (state.defined, state.used) {
                (None, Some(span)) => {
                    self.error("undefined-label", span, format!("use of undeclared label '{text}'"));
                }
                (Some(span), None) => {
                    self.warning("unused-label", span, format!("unused label '{text}'"));
                }
                _ => {}
            }
        }
    }
}

/// Returns whether a jump may lead into a statement. `in_switch`: the case labels are those of a switch in it.
fn has_label(stmt: &Stmt, in_switch: bool) -> bool {
    match &stmt.kind {
        StmtKind::Label { .. } => true,
        StmtKind::Case { body, .. } | StmtKind::Default { body } => !in_switch || has_label(body, in_switch),
        StmtKind::Block(block) => block.stmts.iter().any(|s| has_label(s, in_switch)),
        StmtKind::If { then, els, .. } => {
            has_label(then, in_switch) || els.as_deref().is_some_and(|e| has_label(e, in_switch))
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
            has_label(body, in_switch)
        }
        StmtKind::Switch { body, .. } => has_label(body, true),
        StmtKind::Expr(_) | StmtKind::Declare(..) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Empty => false,
    }
}

/// `if … else if …` as nested statements, from its end.
fn else_if_tree(mut arms: Vec<(Expr, Box<Stmt>, Span)>, last: Option<Box<Stmt>>, end: Span) -> StmtKind {
    let (mut els, mut kind) = (last, StmtKind::Empty);
    while let Some((cond, then, start)) = arms.pop() {
        kind = StmtKind::If { cond, then, els: els.take() };
        if !arms.is_empty() {
            let inner = std::mem::replace(&mut kind, StmtKind::Empty);
            els = Some(Box::new(Stmt { kind: inner, span: start.to(end) }));
        }
    }
    kind
}

//! Statements (C99 §6.8).

use super::context::{Breakable, LabelState, Sema};
use super::expr::Typing;
use super::parameter::Attributes;
use super::state::{Shown, What};
use crate::hir::{Block, Constant, Expr, ExprKind, LabelId, Stmt, StmtKind, UnrollHint};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{ExprRange, TokenId};
use crate::syntax::declaration::Row;
use crate::syntax::statement::{
    self as syntax, Condition, ForInit, ForOfCxx, Hint, HintKind, Labelled, StmtId,
};
use crate::token::TokenKind;
use crate::types::{QualType, Type, TypeId, Types};

use super::convert::{AssignContext, error_expr};

/// An `else if` chain is cut into pieces of so many conditions.
const ELSE_IF_PIECE: usize = 32;

impl Sema<'_> {
    /// The statements of a block, in the current scope.
    pub(super) fn block_items(&mut self, typing: &mut Typing, items: Row) -> Block {
        let mut block = Block::default();
        let contract = self.fp_contract;
        if self.cxx.enabled {
            self.begin_cleanup();
        }
        for index in items.start..items.end {
            let item = typing.tree.statements.stmt(typing.tree.statements.item(index));
            self.block_item(typing, item, &mut block.stmts);
        }
        if self.cxx.enabled {
            let span = block.stmts.last().map_or(Span::default(), |s| s.span);
            self.end_cleanup(&mut block.stmts, span);
        }
        // The pragma holds to the end of its block (C99 §7.12.2); a function's own stays for its end.
        if self.scopes.len() > 3 {
            self.fp_contract = contract;
        }
        block
    }

    fn block_item(&mut self, typing: &mut Typing, item: syntax::Stmt, into: &mut Vec<Stmt>) {
        if !into.is_empty() && item.hints.start < item.hints.end {
            self.check_place_of_contract(typing.tree.statements.hints[item.hints.start as usize]);
        }
        match item.kind {
            syntax::StmtKind::Nothing
            | syntax::StmtKind::Cxx(_)
            | syntax::StmtKind::Declaration(_)
            | syntax::StmtKind::StaticAssert(_) => {
                let hint = self.hints(typing, item.hints);
                self.report_stray_hint(hint);
                self.block_declaration(typing, item, into);
            }
            // In a block a label is an item of its own.
            syntax::StmtKind::Case { body, .. } | syntax::StmtKind::Default { body, .. }
                if !matches!(body, Labelled::Statement(_)) && item.hints.start == item.hints.end =>
            {
                let (labels, span) = (self.case_labels(typing, item), self.span_of(item.first));
                self.warn_label_before(body, item.last);
                into.extend(labels.into_iter().map(|kind| Stmt { kind, span }));
            }
            _ => into.push(self.typed_statement(typing, item, None)),
        }
        self.report_before(typing, item.problems_end);
    }

    /// Warns of `FP_CONTRACT` behind other statements.
    fn check_place_of_contract(&mut self, hint: Hint) {
        let HintKind::Pragmas((first, _)) = hint.kind else { return };
        let token = self.token(first);
        if let TokenKind::Pragma(text) = token.kind
            && self.symbols.text(text).contains("FP_CONTRACT")
        {
            let message = "FP_CONTRACT stands outside of functions or at the start of a block";
            self.warning("misplaced-pragma", token.span, message);
        }
    }

    /// A declaration or static assertion in a block: the statements that it means.
    pub(super) fn block_declaration(
        &mut self,
        typing: &mut Typing,
        item: syntax::Stmt,
        into: &mut Vec<Stmt>,
    ) {
        match item.kind {
            syntax::StmtKind::Declaration(index) => self.typed_declaration(typing, index, into),
            syntax::StmtKind::StaticAssert(index) => self.static_assert(typing, index),
            syntax::StmtKind::Cxx(index) => self.cxx_external_declaration(typing, index, into),
            _ => {}
        }
    }

    /// Does what pragmas and attributes before a statement say; gives the unroll hint among them.
    fn hints(&mut self, typing: &mut Typing, hints: Row) -> Option<(UnrollHint, Span)> {
        let mut found = None;
        for index in hints.start..hints.end {
            let hint = typing.tree.statements.hints[index as usize];
            let unroll = match hint.kind {
                HintKind::Pragmas(tokens) => self.pragmas(tokens),
                HintKind::Attributes(row) => {
                    let mut attributes = Attributes::default();
                    self.apply_attributes(typing, row, &mut attributes);
                    self.report_before(typing, hint.problems_end);
                    self.reject_kernel_attributes(&attributes);
                    attributes.unroll
                }
            };
            found = unroll.or(found);
        }
        found
    }

    fn report_stray_hint(&mut self, hint: Option<(UnrollHint, Span)>) {
        if let Some((_, span)) = hint {
            self.warning("misplaced-unroll", span, "an unroll hint has no effect on anything but a loop");
        }
    }

    /// One statement; `hint` is one of a label before it.
    pub(super) fn statement(
        &mut self,
        typing: &mut Typing,
        id: StmtId,
        hint: Option<(UnrollHint, Span)>,
    ) -> Stmt {
        let stmt = typing.tree.statements.stmt(id);
        self.typed_statement(typing, stmt, hint)
    }

    fn typed_statement(
        &mut self,
        typing: &mut Typing,
        stmt: syntax::Stmt,
        hint: Option<(UnrollHint, Span)>,
    ) -> Stmt {
        let hint = self.hints(typing, stmt.hints).or(hint);
        let unroll = hint.map(|(h, _)| h);
        let kind = self.following(|p| {
            let kind = match stmt.kind {
                syntax::StmtKind::While { cond, body } => p.while_loop(typing, cond, body, unroll),
                syntax::StmtKind::Do { body, cond } => p.do_loop(typing, body, cond, stmt, unroll),
                syntax::StmtKind::For(index) if p.cxx.enabled => {
                    p.in_scope(|p| p.cxx_for(typing, index, unroll))
                }
                syntax::StmtKind::For(index) => p.in_scope(|p| p.for_loop(typing, index, unroll)),
                syntax::StmtKind::Label { name, body } => p.label_statement(typing, name, body, stmt, hint),
                _ => {
                    p.report_stray_hint(hint);
                    p.other_statement(typing, stmt)
                }
            };
            p.report_before(typing, stmt.problems_end);
            kind
        });
        self.with_span(kind, stmt)
    }

    /// A statement for which hints have no meaning.
    fn other_statement(&mut self, typing: &mut Typing, stmt: syntax::Stmt) -> StmtKind {
        match stmt.kind {
            syntax::StmtKind::Compound(items) => {
                StmtKind::Block(self.in_scope(|p| p.block_items(typing, items)))
            }
            syntax::StmtKind::Expression(range) => self.expression_statement(typing, range),
            syntax::StmtKind::If { arms, els } => self.if_chain(typing, arms, els, self.span_of(stmt.last)),
            syntax::StmtKind::Switch { value, body } => self.switch(typing, value, body),
            syntax::StmtKind::Case { .. } | syntax::StmtKind::Default { .. } => {
                self.case_statement(typing, stmt)
            }
            syntax::StmtKind::Break => self.jump(typing, StmtKind::Break, stmt),
            syntax::StmtKind::Continue => self.jump(typing, StmtKind::Continue, stmt),
            syntax::StmtKind::Return(value) => self.return_statement(typing, value, stmt),
            syntax::StmtKind::Goto { name, at } => {
                self.report_before(typing, stmt.problems_end);
                let span = self.span_of(at);
                let jump = self.label(name, span, false).map_or(StmtKind::Empty, StmtKind::Goto);
                if self.cxx.enabled { self.cxx_goto(name, jump, span) } else { jump }
            }
            syntax::StmtKind::Asm(index) => {
                self.asm(typing, index, self.span_of(stmt.first), stmt.problems_end)
            }
            syntax::StmtKind::Misplaced(id) => {
                let mut stmts = Vec::new();
                let item = typing.tree.statements.stmt(id);
                self.in_scope(|p| p.block_declaration(typing, item, &mut stmts));
                StmtKind::Block(Block { stmts })
            }
            _ => StmtKind::Empty,
        }
    }

    /// A typed statement with the place of its tree.
    pub(super) fn with_span(&self, kind: StmtKind, stmt: syntax::Stmt) -> Stmt {
        Stmt { kind, span: self.span_of(stmt.first).to(self.span_of(stmt.last)) }
    }

    fn expression_statement(&mut self, typing: &mut Typing, range: ExprRange) -> StmtKind {
        let from = self.cxx.temporaries.len();
        let expr = self.discarded(typing, range);
        if self.cxx.temporaries.len() > from {
            let span = expr.span;
            return self.end_full_expression(from, StmtKind::Expr(expr), span);
        }
        if let ExprKind::Call { function, .. } = expr.kind
            && self.must_use.contains(&function)
        {
            let message = "the result of a function with 'warn_unused_result' is ignored";
            self.warning("unused-result", expr.span, message);
        }
        StmtKind::Expr(expr)
    }

    /// An expression for its effects only. A volatile object is read all the same (C99 §6.7.3, 6), and a
    /// bare variable becomes a value, which costs nothing.
    fn discarded(&mut self, typing: &mut Typing, range: ExprRange) -> Expr {
        let expr = self.type_range(typing, range);
        let reads = matches!(expr.kind, ExprKind::Local(_)) || expr.ty.is_volatile;
        if reads && expr.ty.ty != Types::VOID { self.to_rvalue(expr) } else { expr }
    }

    /// The statement that another one governs, in a scope of its own (C99 §6.8.4, 3 and 6.8.5, 5).
    pub(super) fn substatement(&mut self, typing: &mut Typing, id: StmtId) -> Box<Stmt> {
        Box::new(self.in_scope(|p| p.statement(typing, id, None)))
    }

    pub(super) fn loop_body(&mut self, typing: &mut Typing, id: StmtId) -> Box<Stmt> {
        self.push_breakable(Breakable::Loop);
        let body = self.substatement(typing, id);
        self.pop_breakable();
        body
    }

    pub(super) fn push_breakable(&mut self, breakable: Breakable) {
        if self.cxx.enabled {
            self.begin_breakable_cleanup(matches!(breakable, Breakable::Loop));
        }
        if let Some(function) = &mut self.function {
            function.breakables.push(breakable);
        }
    }

    pub(super) fn pop_breakable(&mut self) -> Option<Breakable> {
        if self.cxx.enabled {
            self.end_breakable_cleanup();
        }
        self.function.as_mut().and_then(|f| f.breakables.pop())
    }

    /// `( expression )` as a condition.
    pub(super) fn condition(&mut self, typing: &mut Typing, tree: Condition) -> Expr {
        let from = self.cxx.temporaries.len();
        let condition = self.parenthesized(typing, tree);
        let condition = self.to_bool_condition(condition);
        if self.cxx.enabled { self.end_full_value(from, condition) } else { condition }
    }

    /// Warns of `if (a = b)`, whose `=` is given; another pair of parentheses says that it is meant.
    fn check_assignment_as_condition(&mut self, assigned: Option<TokenId>) {
        let Some(operator) = assigned else { return };
        let operator = self.span_of(operator);
        let message = "an assignment is the condition: was a comparison meant?";
        self.warning("assignment-as-condition", operator, message)
            .remark("parentheses around the assignment silence this warning")
            .replace(operator, "==");
    }

    /// `( expression )`
    pub(super) fn parenthesized(&mut self, typing: &mut Typing, tree: Condition) -> Expr {
        self.following(|p| {
            let expr = match tree.expr {
                Some(range) => p.type_range(typing, range),
                None => error_expr(p.span_of(tree.at)),
            };
            p.check_assignment_as_condition(tree.assigned);
            p.report_before(typing, tree.problems_end);
            expr
        })
    }

    fn if_chain(&mut self, typing: &mut Typing, arms: Row, els: Option<StmtId>, end: Span) -> StmtKind {
        if self.cxx.enabled && arms.end == arms.start + 1 {
            let arm = typing.tree.statements.arms[arms.start as usize];
            if arm.is_constexpr || arm.cond.cxx != (None, None) {
                return self.cxx_if(typing, arm, els, end);
            }
        }
        let mut typed = Vec::new();
        for index in arms.start..arms.end {
            let arm = typing.tree.statements.arms[index as usize];
            let cond = self.condition(typing, arm.cond);
            let then = self.substatement(typing, arm.then);
            typed.push((cond, then, self.span_of(arm.at)));
        }
        let els = els.map(|els| self.substatement(typing, els));
        self.build_else_ifs(typed, els, end)
    }

    /// The tree of an `else if` chain. A long one is cut into pieces that follow each other, each run only where
    /// no condition before it held, so that control flow nests no deeper than a piece is long: drivers have
    /// limits on nesting (llvmpipe's is 80, and what is deeper runs wrongly).
    fn build_else_ifs(
        &mut self,
        arms: Vec<(Expr, Box<Stmt>, Span)>,
        last: Option<Box<Stmt>>,
        end: Span,
    ) -> StmtKind {
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

    fn while_loop(
        &mut self,
        typing: &mut Typing,
        cond: Condition,
        body: StmtId,
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        if cond.cxx != (None, None) {
            return self.cxx_while(typing, cond, body, unroll);
        }
        let cond = self.condition(typing, cond);
        StmtKind::While { cond, body: self.loop_body(typing, body), unroll }
    }

    fn do_loop(
        &mut self,
        typing: &mut Typing,
        body: StmtId,
        cond: Option<Condition>,
        stmt: syntax::Stmt,
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        let body = self.loop_body(typing, body);
        let cond = self.following(|p| {
            let cond = match cond {
                Some(cond) => p.condition(typing, cond),
                None => error_expr(p.span_of(stmt.last)),
            };
            p.report_before(typing, stmt.problems_end);
            cond
        });
        StmtKind::DoWhile { body, cond, unroll }
    }

    pub(super) fn for_loop(
        &mut self,
        typing: &mut Typing,
        index: u32,
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        let tree = typing.tree.statements.fors[index as usize];
        let mut init = Vec::new();
        match tree.init {
            ForInit::None => {}
            ForInit::Declaration(id) => {
                let item = typing.tree.statements.stmt(id);
                self.block_declaration(typing, item, &mut init);
            }
            ForInit::Expression(range) => {
                let from = self.cxx.temporaries.len();
                let expr = self.discarded(typing, range);
                let span = expr.span;
                let kind = self.end_full_expression(from, StmtKind::Expr(expr), span);
                init.push(Stmt { kind, span });
            }
        }
        let cond = tree.cond.map(|range| {
            let from = self.cxx.temporaries.len();
            let expr = self.type_range(typing, range);
            self.check_assignment_as_condition(tree.assigned);
            let cond = self.to_bool_condition(expr);
            self.end_full_value(from, cond)
        });
        let step = tree.step.map(|range| {
            let from = self.cxx.temporaries.len();
            let step = self.discarded(typing, range);
            self.end_full_effect(from, step)
        });
        self.report_before(typing, tree.problems);
        let Some(body) = tree.body else { return StmtKind::Empty };
        let body = match tree.cxx {
            ForOfCxx::Condition(declaration) => self.body_with_condition(typing, declaration, body),
            _ => self.loop_body(typing, body),
        };
        StmtKind::For { init, cond, step, body, unroll }
    }

    // ---- jumps ----

    fn jump(&mut self, typing: &mut Typing, kind: StmtKind, stmt: syntax::Stmt) -> StmtKind {
        let (span, is_break) = (self.span_of(stmt.first), matches!(kind, StmtKind::Break));
        let good = self
            .function
            .as_ref()
            .is_some_and(|f| f.breakables.iter().any(|b| is_break || matches!(b, Breakable::Loop)));
        self.report_before(typing, stmt.problems_end);
        if good {
            return if self.cxx.enabled { self.leaving(kind, span) } else { kind };
        }
        if is_break {
            self.error("break-outside-loop", span, "'break' outside of a loop or 'switch'");
        } else {
            self.error("continue-outside-loop", span, "'continue' outside of a loop");
        }
        StmtKind::Empty
    }

    fn return_statement(
        &mut self,
        typing: &mut Typing,
        value: Option<ExprRange>,
        stmt: syntax::Stmt,
    ) -> StmtKind {
        let span = self.span_of(stmt.first);
        let is_block = |p: &Self| p.function.as_ref().is_some_and(|f| f.block.is_some());
        let (ret, name) = match &self.function {
            Some(f) => (f.ret, self.symbols.shared(f.name)),
            None => (Types::ERROR, "".into()),
        };
        let Some(value) = value else {
            let ret = if is_block(self) { self.infer_result(Types::VOID, span) } else { ret };
            self.report_before(typing, stmt.problems_end);
            if ret != Types::VOID && ret != Types::ERROR {
                let message =
                    format!("function '{name}' must return a value of type '{}'", self.type_id_text(ret));
                self.error("return-without-value", span, message);
            }
            return if self.cxx.enabled { self.returning(None, span) } else { StmtKind::Return(None) };
        };
        if let Some(function) = &mut self.function {
            function.returns_value = true;
        }
        let root = typing.tree.node(value.root);
        let expr = self.type_range(typing, value);
        self.value_of_a_kernel(span, self.node_span(root));
        if self.cxx.enabled {
            return self.cxx_return(expr, ret, &name, span);
        }
        let expr = self.to_rvalue(expr);
        let ret = if is_block(self) { self.infer_result(expr.ty.ty, expr.span) } else { ret };
        self.return_value(expr, ret, &name)
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

    pub(super) fn return_value(&mut self, expr: Expr, ret: TypeId, name: &str) -> StmtKind {
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

    fn label_statement(
        &mut self,
        typing: &mut Typing,
        name: Symbol,
        body: Labelled,
        stmt: syntax::Stmt,
        hint: Option<(UnrollHint, Span)>,
    ) -> StmtKind {
        let span = self.span_of(stmt.first);
        if self.function.as_ref().is_some_and(|f| f.statement_expression.is_some()) {
            let message = "a label cannot stand in a statement expression: nothing can jump into one";
            self.error("label-in-expression", span, message);
        }
        let label = self.label(name, span, true);
        if self.cxx.enabled {
            self.note_label(name);
        }
        if !matches!(body, Labelled::Statement(_)) {
            self.report_stray_hint(hint);
        }
        let body = self.labelled(typing, body, stmt.last, hint);
        let Some(label) = label else { return body };
        StmtKind::Label { label, body: Box::new(self.with_span(body, stmt)) }
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

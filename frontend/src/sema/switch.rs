//! `switch` and its labels (C99 §6.8.1, §6.8.4.2).

use super::context::{Breakable, Sema, SwitchState};
use super::convert::error_expr;
use super::expr::Typing;
use crate::hir::{self, Block, CastKind, Expr, ExprKind, StmtKind, UnrollHint};
use crate::source::Span;
use crate::syntax::ast::{ExprRange, TokenId};
use crate::syntax::statement::{self as syntax, Condition, Labelled, Stmt, StmtId};
use crate::types::{QualType, Scalar, Type, TypeId, Types};
use rustc_hash::FxHashMap;

/// GNU's `case a ... b` covers at most this many values: each is a label of its own in the tree.
const MAX_CASE_RANGE: i64 = 1 << 14;

impl Sema<'_> {
    // ---- switch ----

    pub(super) fn switch(&mut self, typing: &mut Typing, value: Condition, body: StmtId) -> StmtKind {
        if value.cxx != (None, None) {
            return self.cxx_switch(typing, value, body);
        }
        let from = self.cxx.temporaries.len();
        let value = self.parenthesized(typing, value);
        let value = if self.cxx.enabled { self.integer_of_class(value) } else { value };
        let value = self.to_rvalue(value);
        let value = self.end_full_value(from, value);
        self.switch_of(typing, value, body)
    }

    /// A `switch` over a value.
    pub(super) fn switch_of(&mut self, typing: &mut Typing, value: Expr, body: StmtId) -> StmtKind {
        let value = if self.cxx.enabled { self.integer_of_class(value) } else { value };
        let value = self.to_rvalue(value);
        let value = self.switch_value(value);
        let ty = value.ty.ty;
        let initialized = self.initialized_variables().count();
        self.push_breakable(Breakable::Switch(SwitchState {
            ty,
            cases: FxHashMap::default(),
            default: None,
            initialized,
        }));
        let body = self.substatement(typing, body);
        self.pop_breakable();
        StmtKind::Switch { value, body }
    }

    /// The controlling expression, promoted (C99 §6.8.4.2, 1 and 5).
    fn switch_value(&mut self, value: Expr) -> Expr {
        let to = match self.types.get(value.ty.ty) {
            Type::Error => return value,
            _ => match self.types.scalar_and_lanes(value.ty.ty) {
                Some((s, 1)) if s.is_integer() && s.size() >= 4 => Types::scalar(s),
                Some((s, 1)) if s.is_integer() => Types::INT,
                _ => {
                    let message =
                        format!("'switch' needs an integer, this is '{}'", self.type_text(value.ty));
                    self.error("switch-type", value.span, message);
                    return error_expr(value.span);
                }
            },
        };
        if value.ty.ty == to {
            return value;
        }
        let span = value.span;
        let kind = ExprKind::Cast { kind: CastKind::Arithmetic, operand: Box::new(value) };
        Expr { kind, ty: QualType::new(to), span }
    }

    /// Checks that the jump to a label of the innermost `switch` bypasses no initialization (C++17 §9.7, 3).
    fn check_case(&mut self, span: Span) {
        let Some(before) = self.innermost_switch().map(|s| s.initialized) else { return };
        let passed = self.initialized_variables().nth(before).copied();
        if let Some(at) = passed {
            self.passes_declaration(span, at);
        }
    }

    fn innermost_switch(&mut self) -> Option<&mut SwitchState> {
        let function = self.function.as_mut()?;
        // The labels in a statement expression are not those of a switch around it.
        let first = function.statement_expression.unwrap_or(0);
        function.breakables.get_mut(first..)?.iter_mut().rev().find_map(|b| match b {
            Breakable::Switch(state) => Some(state),
            Breakable::Loop => None,
        })
    }

    /// A label where a single statement stands (`switch (x) case 1: f();`): it holds its statement.
    pub(super) fn case_statement(&mut self, typing: &mut Typing, stmt: Stmt) -> StmtKind {
        let labels = self.case_labels(typing, stmt);
        let (syntax::StmtKind::Case { body, .. } | syntax::StmtKind::Default { body, .. }) = stmt.kind else {
            return StmtKind::Empty;
        };
        let body = self.labelled(typing, body, stmt.last, None);
        if labels.is_empty() {
            return body;
        }
        let span = self.span_of(stmt.first);
        let mut stmts: Vec<hir::Stmt> = labels.into_iter().map(|kind| hir::Stmt { kind, span }).collect();
        stmts.push(self.with_span(body, stmt));
        StmtKind::Block(Block { stmts })
    }

    /// `case` or `default` as labels with nothing behind them; none after an error.
    pub(super) fn case_labels(&mut self, typing: &mut Typing, stmt: Stmt) -> Vec<StmtKind> {
        let span = self.span_of(stmt.first);
        self.check_case(span);
        match stmt.kind {
            syntax::StmtKind::Case { low, high, problems, .. } => {
                self.case_label(typing, low, high, problems, span)
            }
            syntax::StmtKind::Default { problems, .. } => {
                self.report_before(typing, problems);
                self.default_label(span)
            }
            _ => Vec::new(),
        }
    }

    /// `case value :` or GNU's `case low ... high :`
    fn case_label(
        &mut self,
        typing: &mut Typing,
        low: ExprRange,
        high: Option<ExprRange>,
        problems: u32,
        span: Span,
    ) -> Vec<StmtKind> {
        let (low, high) = self.following(|p| {
            let low = p.case_value(typing, low);
            let high = high.map_or(low, |high| p.case_value(typing, high));
            p.report_before(typing, problems);
            (low, high)
        });
        let Some(ty) = self.innermost_switch().map(|s| s.ty) else {
            self.error("case-outside-switch", span, "'case' outside of a 'switch'");
            return Vec::new();
        };
        let (Some(low), Some(high)) = (low, high) else { return Vec::new() };
        let (low, high) = (self.wrap_case(low, ty), self.wrap_case(high, ty));
        if high < low {
            self.warning("case-range", span, "this 'case' range is empty: no value is in it");
            return Vec::new();
        }
        if high.wrapping_sub(low) >= MAX_CASE_RANGE || high.wrapping_sub(low) < 0 {
            let message = format!("a 'case' range must go upwards over at most {MAX_CASE_RANGE} values");
            self.error("case-range", span, message);
            return Vec::new();
        }
        for value in low..=high {
            self.add_case(value, span);
        }
        let nothing = || Box::new(hir::Stmt { kind: StmtKind::Empty, span });
        (low..=high).map(|value| StmtKind::Case { value, body: nothing() }).collect()
    }

    fn case_value(&mut self, typing: &mut Typing, value: ExprRange) -> Option<i64> {
        let errors = self.diags.error_count();
        let (expr, value) = self.constant_int(typing, value);
        if value.is_none() && self.diags.error_count() == errors {
            let message = "a 'case' value must be an integer constant expression";
            self.error("non-constant-case", expr.span, message);
        }
        value
    }

    /// A case value converted to the type of the switch.
    fn wrap_case(&self, value: i64, ty: TypeId) -> i64 {
        match self.types.scalar_and_lanes(ty) {
            Some((Scalar::Int, _)) => i64::from(value as i32),
            Some((Scalar::UInt, _)) => i64::from(value as u32),
            _ => value,
        }
    }

    fn add_case(&mut self, value: i64, span: Span) {
        let Some(state) = self.innermost_switch() else { return };
        if let Some(before) = state.cases.insert(value, span) {
            self.error("duplicate-case", span, format!("duplicate case value {value}"))
                .note(before, "previous case is here");
        }
    }

    fn default_label(&mut self, span: Span) -> Vec<StmtKind> {
        let before = match self.innermost_switch() {
            Some(state) => state.default.replace(span),
            None => {
                self.error("case-outside-switch", span, "'default' outside of a 'switch'");
                return Vec::new();
            }
        };
        if let Some(before) = before {
            self.error("duplicate-case", span, "a second 'default' in one 'switch'")
                .note(before, "the first one is here");
        }
        vec![StmtKind::Default { body: Box::new(hir::Stmt { kind: StmtKind::Empty, span }) }]
    }

    /// The statement that a label marks. A declaration or the end of the block gives an empty statement, as C23
    /// has it. `at` is the label's last token.
    pub(super) fn labelled(
        &mut self,
        typing: &mut Typing,
        body: Labelled,
        at: TokenId,
        hint: Option<(UnrollHint, Span)>,
    ) -> StmtKind {
        match body {
            Labelled::Statement(Some(body)) => self.statement(typing, body, hint).kind,
            _ => {
                self.warn_label_before(body, at);
                StmtKind::Empty
            }
        }
    }

    /// C99 has labels before statements only (§6.8.1).
    pub(super) fn warn_label_before(&mut self, body: Labelled, at: TokenId) {
        if self.cxx.enabled {
            return;
        }
        let what = match body {
            Labelled::End => "at the end of a block",
            Labelled::Declaration => "before a declaration",
            Labelled::Item | Labelled::Statement(_) => return,
        };
        let span = self.span_of(at);
        self.warning("c23-extension", span, format!("a label {what} is of C23, not of OpenCL C"))
            .remark("put a ';' after the label");
    }
}

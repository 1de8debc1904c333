//! `switch` and its labels (C99 §6.8.1, §6.8.4.2).

use super::convert::error_expr;
use super::parser::{Breakable, Parser, SwitchState};
use crate::hir::{Block, CastKind, Expr, ExprKind, Stmt, StmtKind};
use crate::source::Span;
use crate::token::{Punct, TokenKind};
use crate::types::{QualType, Scalar, Type, TypeId, Types};
use rustc_hash::FxHashMap;

/// GNU's `case a ... b` covers at most this many values: each is a label of its own in the tree.
const MAX_CASE_RANGE: i64 = 1 << 14;

impl Parser<'_> {
    // ---- switch ----

    pub(super) fn parse_switch(&mut self) -> StmtKind {
        self.bump();
        let value = self.parse_parenthesized("'switch'");
        let value = self.to_rvalue(value);
        let value = self.switch_value(value);
        let ty = value.ty.ty;
        self.push_breakable(Breakable::Switch(SwitchState {
            ty,
            cases: FxHashMap::default(),
            default: None,
        }));
        let body = self.parse_substatement();
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
    pub(super) fn parse_case(&mut self) -> StmtKind {
        let span = self.peek().span;
        let labels = self.parse_case_label();
        self.parse_after_labels(labels, span)
    }

    fn parse_after_labels(&mut self, labels: Vec<StmtKind>, span: Span) -> StmtKind {
        let body = self.parse_labelled();
        if labels.is_empty() {
            return body;
        }
        let mut stmts: Vec<Stmt> = labels.into_iter().map(|kind| Stmt { kind, span }).collect();
        stmts.push(self.statement(body, span));
        StmtKind::Block(Block { stmts })
    }

    /// `case value :` or GNU's `case low ... high :`, as labels with nothing behind them; none after an error.
    pub(super) fn parse_case_label(&mut self) -> Vec<StmtKind> {
        let span = self.bump().span;
        let errors = self.diags.error_count();
        let low = self.parse_case_value();
        let high = if self.eat(Punct::Ellipsis) { self.parse_case_value() } else { low };
        if !self.eat(Punct::Colon) {
            if self.diags.error_count() == errors {
                self.expect(Punct::Colon, "'case' value");
            } else {
                self.skip_balanced_until(&[Punct::Colon]);
                self.eat(Punct::Colon);
            }
        }
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
        let nothing = || Box::new(Stmt { kind: StmtKind::Empty, span });
        (low..=high).map(|value| StmtKind::Case { value, body: nothing() }).collect()
    }

    fn parse_case_value(&mut self) -> Option<i64> {
        let errors = self.diags.error_count();
        let (expr, value) = self.parse_constant_int();
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

    pub(super) fn parse_default(&mut self) -> StmtKind {
        let span = self.peek().span;
        let labels = self.parse_default_label();
        self.parse_after_labels(labels, span)
    }

    pub(super) fn parse_default_label(&mut self) -> Vec<StmtKind> {
        let span = self.bump().span;
        self.expect(Punct::Colon, "'default'");
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
        vec![StmtKind::Default { body: Box::new(Stmt { kind: StmtKind::Empty, span }) }]
    }

    /// Returns what a label stands before. A declaration or the end of the block gives an empty statement, as
    /// C23 has it.
    pub(super) fn parse_labelled(&mut self) -> StmtKind {
        if self.at(Punct::RBrace) || self.at_block_declaration() || self.peek().kind == TokenKind::Eof {
            self.warn_label_before();
            return StmtKind::Empty;
        }
        // A run of labels is a loop for the source but a nest for the tree: it counts as depth.
        self.deeper(|p| p.parse_statement(None)).map_or(StmtKind::Empty, |s| s.kind)
    }

    /// C99 has labels before statements only (§6.8.1).
    pub(super) fn warn_label_before(&mut self) {
        let what = if self.at(Punct::RBrace) { "at the end of a block" } else { "before a declaration" };
        let span = self.previous_span();
        self.warning("c23-extension", span, format!("a label {what} is of C23, not of OpenCL C"))
            .remark("put a ';' after the label");
    }
}

//! `a ? b : c` on scalar conditions (C99 §6.5.15), and chains of it.

use super::error::Emit;
use super::expr::NO_VALUE;
use super::function::FunctionEmitter;
use crate::hir::{Constant, Expr, ExprKind};
use crate::types::{Type, TypeId};
use spirv_io::Id;
use spirv_io::spirv::Op;

/// Longer chains are cut into pieces of this many conditions that follow each other, so that control flow nests no
/// deeper: drivers have limits on nesting (llvmpipe's is 80, and what is deeper runs wrongly).
const PIECE: usize = 32;

/// A condition of a chain whose second arm is being emitted.
struct Arm {
    merge: Id,
    value: Id,
    /// The block that the first arm ends in.
    from: Id,
}

/// What a piece of a chain gives.
struct Piece<'a> {
    /// [`NO_VALUE`] for void; anything where none of the conditions held and `rest` has more.
    value: Id,
    /// Whether no condition of the piece held, and the chain from there on.
    rest: Option<(Id, &'a Expr)>,
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// A conditional expression. Chains that lean to the right are walked down without recursion.
    pub fn conditional(&mut self, expr: &'a Expr) -> Emit<Id> {
        let ty = expr.ty.ty;
        let Piece { mut value, mut rest } = self.conditional_piece(expr, ty)?;
        while let Some((none_held, chain)) = rest {
            let (more, merge) = (self.m.b.id(), self.m.b.id());
            let Some(from) = self.body.current() else { return self.m.bug("no open block") };
            self.selection_merge(merge);
            self.branch_on(none_held, more, merge);
            self.body.open(more);
            let piece = self.conditional_piece(chain, ty)?;
            let Some(end) = self.body.current() else { return self.m.bug("no open block") };
            self.branch(merge);
            self.body.open(merge);
            value = self.either(ty, (value, from), (piece.value, end))?;
            rest = piece.rest.map(|(none_held, chain)| {
                let (bools, held) = (self.m.bool_type(), self.m.bool_constant(false));
                (self.op(Op::Phi, bools, &[held.0, from.0, none_held.0, end.0]), chain)
            });
        }
        Ok(value)
    }

    /// At most [`PIECE`] conditions, one in the second arm of the other.
    fn conditional_piece(&mut self, expr: &'a Expr, ty: TypeId) -> Emit<Piece<'a>> {
        let is_void = matches!(self.m.program.types.get(ty), Type::Void);
        let mut arms: Vec<Arm> = Vec::new();
        let mut at = expr;
        let (mut value, rest) = loop {
            let ExprKind::Conditional { cond, then, els } = &at.kind else {
                break (self.arm(at, is_void)?, None);
            };
            if arms.len() == PIECE {
                let none = if is_void { NO_VALUE } else { self.m.value_constant(&Constant::Zero, ty)? };
                break (none, Some(at));
            }
            let cond = self.condition(cond)?;
            if let Some(known) = self.m.known(cond) {
                at = if known != 0 { then } else { els };
                continue;
            }
            let selectable = matches!(self.m.program.types.get(ty), Type::Scalar(_) | Type::Pointer(_));
            let mut budget = 12;
            if selectable && self.is_cheap(then, &mut budget) && self.is_cheap(els, &mut budget) {
                let (yes, no) = (self.rvalue(then)?, self.rvalue(els)?);
                let ty = self.m.value_type(ty)?;
                break (self.op(Op::Select, ty, &[cond.0, yes.0, no.0]), None);
            }
            let [yes, no, merge] = std::array::from_fn(|_| self.m.b.id());
            self.selection_merge(merge);
            self.branch_on(cond, yes, no);
            self.body.open(yes);
            let value = self.arm(then, is_void)?;
            let Some(from) = self.body.current() else { return self.m.bug("no open block") };
            self.branch(merge);
            self.body.open(no);
            arms.push(Arm { merge, value, from });
            at = els;
        };
        let mut rest = rest.map(|chain| (self.m.bool_constant(true), chain));
        while let Some(Arm { merge, value: yes, from }) = arms.pop() {
            let Some(end) = self.body.current() else { return self.m.bug("no open block") };
            self.branch(merge);
            self.body.open(merge);
            value = self.either(ty, (yes, from), (value, end))?;
            if let Some((none_held, _)) = &mut rest {
                let (bools, held) = (self.m.bool_type(), self.m.bool_constant(false));
                *none_held = self.op(Op::Phi, bools, &[held.0, from.0, none_held.0, end.0]);
            }
        }
        Ok(Piece { value, rest })
    }

    /// One arm's value or effect.
    fn arm(&mut self, arm: &'a Expr, is_void: bool) -> Emit<Id> {
        if is_void {
            self.effect(arm)?;
            return Ok(NO_VALUE);
        }
        self.rvalue(arm)
    }

    /// The value of whichever block came before this one.
    fn either(&mut self, ty: TypeId, one: (Id, Id), other: (Id, Id)) -> Emit<Id> {
        if matches!(self.m.program.types.get(ty), Type::Void) {
            return Ok(NO_VALUE);
        }
        let ty = self.m.value_type(ty)?;
        Ok(self.op(Op::Phi, ty, &[one.0.0, one.1.0, other.0.0, other.1.0]))
    }
}

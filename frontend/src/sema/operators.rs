//! The typing of operators (OpenCL C §6.5; C99 §6.5.3–§6.5.16).

use super::context::Sema;
use super::convert::{AssignContext, add_declaration, error_expr, is_error, rvalue};
use super::pointer::Meeting;
use crate::hir::{BinaryOp, CastKind, Constant, Expr, ExprKind, UnaryOp};
use crate::source::Span;
use crate::syntax::ast::{Infix, Prefix};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

impl Sema<'_> {
    /// Types `lhs op rhs`.
    pub(super) fn build_infix(&mut self, op: Infix, lhs: Expr, rhs: Expr, operator: Span) -> Expr {
        let span = lhs.span.to(rhs.span);
        let (lhs, rhs) = match self.cxx.enabled && !is_error(&lhs) && !is_error(&rhs) {
            true => match self.cxx_infix(op, lhs, rhs, operator) {
                Ok(call) => return Expr { span, ..call },
                Err(operands) => operands,
            },
            false => (lhs, rhs),
        };
        let (lhs, rhs) = (self.to_rvalue(lhs), self.to_rvalue(rhs));
        if is_error(&lhs) || is_error(&rhs) {
            return error_expr(span);
        }
        let result = match op {
            Infix::Binary(op) => self.build_binary(op, lhs, rhs, operator),
            Infix::And => self.build_logical(true, lhs, rhs, operator),
            Infix::Or => self.build_logical(false, lhs, rhs, operator),
        };
        let result = match (self.cxx.enabled, result) {
            (true, Some(e)) => Some(self.cxx_truth(op, e)),
            (_, result) => result,
        };
        Expr { span, ..result.unwrap_or_else(|| error_expr(span)) }
    }

    fn build_binary(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        use BinaryOp::*;
        match op {
            Add | Sub if self.is_pointer(&lhs) || self.is_pointer(&rhs) => {
                self.pointer_arithmetic(op, lhs, rhs, operator)
            }
            Lt | Gt | Le | Ge | Eq | Ne => self.comparison(op, lhs, rhs, operator),
            Shl | Shr => self.shift(op, lhs, rhs, operator),
            _ => self.arithmetic(op, lhs, rhs, operator),
        }
    }

    fn is_pointer(&self, e: &Expr) -> bool {
        matches!(self.types.get(e.ty.ty), Type::Pointer(_))
    }

    /// Both arithmetic, and integers where `op` asks for it; reports otherwise.
    fn check_operands(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, operator: Span) -> Option<()> {
        use BinaryOp::*;
        let integers = matches!(op, Rem | Shl | Shr | BitAnd | BitOr | BitXor);
        let fits = |ty| match self.types.scalar_and_lanes(ty) {
            Some((scalar, _)) => !integers || scalar.is_integer(),
            None => false,
        };
        if fits(lhs.ty.ty) && fits(rhs.ty.ty) {
            return Some(());
        }
        self.invalid_operands(lhs, rhs, operator);
        None
    }

    fn invalid_operands(&mut self, lhs: &Expr, rhs: &Expr, operator: Span) {
        let (l, r) = (self.type_id_text(lhs.ty.ty), self.type_id_text(rhs.ty.ty));
        let (ls, rs) = (lhs.span, rhs.span);
        self.error("invalid-operands", operator, format!("invalid operands: '{l}' and '{r}'"))
            .note(ls, format!("'{l}'"))
            .note(rs, format!("'{r}'"));
    }

    fn arithmetic(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        self.check_operands(op, &lhs, &rhs, operator)?;
        self.warn_division(op, &rhs);
        let (lhs, rhs) = self.usual_conversions(lhs, rhs, operator)?;
        let ty = lhs.ty.ty;
        Some(self.binary_node(op, lhs, rhs, ty))
    }

    fn warn_division(&mut self, op: BinaryOp, rhs: &Expr) {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem)
            && matches!(rhs.kind, ExprKind::Constant(Constant::Int(0)))
        {
            self.warning("division-by-zero", rhs.span, "division by zero");
        }
    }

    fn binary_node(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, ty: TypeId) -> Expr {
        let span = lhs.span.to(rhs.span);
        let kind = ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) };
        self.fold(rvalue(kind, ty, span))
    }

    /// Shifts (§6.5.7): each operand is promoted alone; a scalar shifts a vector componentwise.
    fn shift(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        self.check_operands(op, &lhs, &rhs, operator)?;
        let lhs = self.promote(lhs);
        let rhs = self.shift_count(&lhs, rhs, operator)?;
        let ty = lhs.ty.ty;
        Some(self.binary_node(op, lhs, rhs, ty))
    }

    /// The right operand of a shift with as many components as the left one has.
    fn shift_count(&mut self, lhs: &Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        let (_, left_lanes) = self.types.scalar_and_lanes(lhs.ty.ty)?;
        let rhs = self.promote(rhs);
        let (scalar, lanes) = self.types.scalar_and_lanes(rhs.ty.ty)?;
        match (left_lanes, lanes) {
            (a, b) if a == b => Some(rhs),
            (_, 1) => {
                let vector = self.types.vector(scalar, left_lanes);
                Some(self.cast(CastKind::Splat, rhs, vector))
            }
            _ => {
                self.invalid_operands(lhs, &rhs, operator);
                None
            }
        }
    }

    /// The type of a comparison: int, or the signed integer vector of the operands' size.
    fn truth_type(&mut self, operand: TypeId) -> TypeId {
        match *self.types.get(operand) {
            Type::Vector(scalar, lanes) => self.types.vector(Scalar::signed_of_size(scalar.size()), lanes),
            _ => Types::INT,
        }
    }

    fn comparison(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        let (lhs, rhs) = if self.is_pointer(&lhs) || self.is_pointer(&rhs) {
            self.pointer_operands(lhs, rhs, operator)?
        } else {
            self.check_operands(op, &lhs, &rhs, operator)?;
            self.usual_conversions(lhs, rhs, operator)?
        };
        let ty = self.truth_type(lhs.ty.ty);
        Some(self.binary_node(op, lhs, rhs, ty))
    }

    /// The operands of a comparison one of which is a pointer, in one type.
    fn pointer_operands(&mut self, lhs: Expr, rhs: Expr, operator: Span) -> Option<(Expr, Expr)> {
        let integer = |p: &Self, e: &Expr| {
            p.types.scalar_and_lanes(e.ty.ty).is_some_and(|(s, n)| n == 1 && s.is_integer())
        };
        match (self.is_pointer(&lhs), self.is_pointer(&rhs)) {
            (true, true) => self.common_pointer(lhs, rhs, operator, Meeting::Compared),
            (true, false) if self.is_null_constant(&rhs) => {
                self.common_pointer(lhs, rhs, operator, Meeting::Compared)
            }
            (false, true) if self.is_null_constant(&lhs) => {
                self.common_pointer(lhs, rhs, operator, Meeting::Compared)
            }
            (true, false) if integer(self, &rhs) => {
                self.warning("pointer-integer-compare", operator, "comparison between pointer and integer");
                let ty = lhs.ty.ty;
                let rhs = self.cast(CastKind::IntToPointer, rhs, ty);
                Some((lhs, rhs))
            }
            (false, true) if integer(self, &lhs) => {
                self.warning("pointer-integer-compare", operator, "comparison between pointer and integer");
                let ty = rhs.ty.ty;
                let lhs = self.cast(CastKind::IntToPointer, lhs, ty);
                Some((lhs, rhs))
            }
            _ => {
                self.invalid_operands(&lhs, &rhs, operator);
                None
            }
        }
    }

    /// `&&` and `||`: on scalars by truth value and lazily, on vectors by component (§6.5.11).
    fn build_logical(&mut self, and: bool, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        let span = lhs.span.to(rhs.span);
        let is_vector = |p: &Self, e: &Expr| matches!(p.types.get(e.ty.ty), Type::Vector(..));
        if is_vector(self, &lhs) || is_vector(self, &rhs) {
            self.check_operands(BinaryOp::Ne, &lhs, &rhs, operator)?;
            let (lhs, rhs) = self.usual_conversions(lhs, rhs, operator)?;
            let ty = self.truth_type(lhs.ty.ty);
            let kind = ExprKind::VectorLogical { and, lhs: Box::new(lhs), rhs: Box::new(rhs) };
            return Some(rvalue(kind, ty, span));
        }
        if !self.is_scalar_or_pointer(lhs.ty.ty) || !self.is_scalar_or_pointer(rhs.ty.ty) {
            self.invalid_operands(&lhs, &rhs, operator);
            return None;
        }
        let lhs = Box::new(self.to_bool_condition(lhs));
        let rhs = Box::new(self.to_bool_condition(rhs));
        let kind = if and { ExprKind::LogicalAnd { lhs, rhs } } else { ExprKind::LogicalOr { lhs, rhs } };
        Some(self.fold(rvalue(kind, Types::INT, span)))
    }

    /// Pointer plus or minus integer, pointer minus pointer (C99 §6.5.6).
    fn pointer_arithmetic(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        let span = lhs.span.to(rhs.span);
        let integer = |p: &Self, e: &Expr| {
            p.types.scalar_and_lanes(e.ty.ty).is_some_and(|(s, n)| n == 1 && s.is_integer())
        };
        match (self.is_pointer(&lhs), self.is_pointer(&rhs)) {
            (true, false) if integer(self, &rhs) => self.pointer_offset(lhs, rhs, op == BinaryOp::Sub, span),
            (false, true) if integer(self, &lhs) && op == BinaryOp::Add => {
                self.pointer_offset(rhs, lhs, false, span)
            }
            (true, true) if op == BinaryOp::Sub => self.pointer_difference(lhs, rhs, operator),
            _ => {
                self.invalid_operands(&lhs, &rhs, operator);
                None
            }
        }
    }

    /// `pointer ± index`. Arithmetic on `void *` is by bytes, as GNU C and clang have it.
    pub(super) fn pointer_offset(
        &mut self,
        pointer: Expr,
        index: Expr,
        subtract: bool,
        span: Span,
    ) -> Option<Expr> {
        let ty = pointer.ty.ty;
        let pointee = self.types.pointee(ty)?;
        let index = Box::new(self.promote(index));
        if pointee.ty == Types::VOID {
            let bytes = self.types.pointer(QualType { ty: Types::scalar(Scalar::Char), ..pointee });
            let pointer = Box::new(self.cast(CastKind::PointerBitcast, pointer, bytes));
            let moved = rvalue(ExprKind::PointerOffset { pointer, index, subtract }, bytes, span);
            return Some(self.cast(CastKind::PointerBitcast, moved, ty));
        }
        self.check_pointee(pointee, span)?;
        Some(rvalue(ExprKind::PointerOffset { pointer: Box::new(pointer), index, subtract }, ty, span))
    }

    /// Pointers can step only over types of known size.
    fn check_pointee(&mut self, pointee: QualType, span: Span) -> Option<()> {
        if self.types.layout(pointee.ty).is_some() {
            return Some(());
        }
        if pointee.ty != Types::ERROR {
            let message =
                format!("arithmetic on a pointer to the incomplete type '{}'", self.type_id_text(pointee.ty));
            self.error("incomplete-type", span, message);
        }
        None
    }

    fn pointer_difference(&mut self, lhs: Expr, rhs: Expr, operator: Span) -> Option<Expr> {
        let span = lhs.span.to(rhs.span);
        let (a, b) = (self.types.pointee(lhs.ty.ty)?, self.types.pointee(rhs.ty.ty)?);
        if !self.same_type(a.ty, b.ty) {
            self.invalid_operands(&lhs, &rhs, operator);
            return None;
        }
        let (mut lhs, mut rhs) = self.common_pointer(lhs, rhs, operator, Meeting::Compared)?;
        if a.ty == Types::VOID {
            let pointee = self.types.pointee(lhs.ty.ty)?;
            let bytes = self.types.pointer(QualType { ty: Types::scalar(Scalar::Char), ..pointee });
            lhs = self.cast(CastKind::PointerBitcast, lhs, bytes);
            rhs = self.cast(CastKind::PointerBitcast, rhs, bytes);
        } else {
            self.check_pointee(a, span)?;
        }
        let ty = self.types.ptrdiff_t();
        Some(rvalue(ExprKind::PointerDifference { lhs: Box::new(lhs), rhs: Box::new(rhs) }, ty, span))
    }

    /// Types a unary operator (C99 §6.5.3).
    pub(super) fn build_prefix(&mut self, op: Prefix, operand: Expr, operator: Span) -> Expr {
        let span = operator.to(operand.span);
        if is_error(&operand) {
            return error_expr(span);
        }
        let operand = match self.cxx.enabled {
            true => match self.cxx_prefix(op, operand, span) {
                Ok(call) => return Expr { span, ..call },
                Err(operand) => operand,
            },
            false => operand,
        };
        let result = match op {
            Prefix::AddressOf => self.address_of(operand, span),
            Prefix::Deref => {
                let operand = self.to_rvalue(operand);
                self.dereference(operand, span)
            }
            Prefix::Plus | Prefix::Minus | Prefix::BitNot => self.arithmetic_prefix(op, operand, operator),
            Prefix::Not => {
                let e = self.logical_not(operand, operator);
                if self.cxx.enabled { self.as_bool(e) } else { e }
            }
        };
        Expr { span, ..result }
    }

    fn arithmetic_prefix(&mut self, op: Prefix, operand: Expr, operator: Span) -> Expr {
        let operand = self.to_rvalue(operand);
        let scalar = self.types.scalar_and_lanes(operand.ty.ty).map(|(s, _)| s);
        match (scalar, op) {
            (Some(s), _) if op != Prefix::BitNot || s.is_integer() => {
                let operand = self.promote(operand);
                match op {
                    Prefix::Minus => self.unary_node(UnaryOp::Neg, operand),
                    Prefix::BitNot => self.unary_node(UnaryOp::BitNot, operand),
                    _ => operand,
                }
            }
            _ => self.invalid_operand(&operand, operator),
        }
    }

    fn invalid_operand(&mut self, operand: &Expr, operator: Span) -> Expr {
        if !is_error(operand) {
            let message = format!("invalid operand of type '{}'", self.type_id_text(operand.ty.ty));
            self.error("invalid-operands", operator, message);
        }
        error_expr(operator)
    }

    fn logical_not(&mut self, operand: Expr, operator: Span) -> Expr {
        let operand = self.to_rvalue(operand);
        let is_vector = matches!(self.types.get(operand.ty.ty), Type::Vector(..));
        if !is_vector && !self.is_scalar_or_pointer(operand.ty.ty) {
            return self.invalid_operand(&operand, operator);
        }
        let (ty, span) = (self.truth_type(operand.ty.ty), operand.span);
        self.fold(rvalue(ExprKind::Unary { op: UnaryOp::LogicalNot, operand: Box::new(operand) }, ty, span))
    }

    /// `*pointer`
    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Expr {
        if is_error(&pointer) {
            return error_expr(span);
        }
        match self.types.pointee(pointer.ty.ty) {
            Some(pointee) if pointee.ty == Types::VOID => {
                self.error("void-value", span, "a pointer to 'void' cannot be dereferenced")
                    .remark("cast it to a pointer to the type of the object first");
                error_expr(span)
            }
            Some(pointee) => Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: pointee, span },
            None => {
                let message = format!(
                    "indirection requires a pointer ('{}' is none)",
                    self.type_id_text(pointer.ty.ty)
                );
                self.error("not-a-pointer", span, message);
                error_expr(span)
            }
        }
    }

    /// `&lvalue`: not of vector components (§6.5.3), nor of values.
    fn address_of(&mut self, operand: Expr, span: Span) -> Expr {
        if matches!(operand.kind, ExprKind::Swizzle { .. } | ExprKind::VectorElement { .. }) {
            self.error("address-of-component", span, "the address of a vector component cannot be taken")
                .remark("take the vector's address and cast it to a pointer to its element type");
            return error_expr(span);
        }
        if !operand.kind.is_lvalue() {
            let message = format!(
                "the address of a value of type '{}' cannot be taken",
                self.type_id_text(operand.ty.ty)
            );
            self.error("not-an-lvalue", span, message);
            return error_expr(span);
        }
        // §6.14.5: '&' cannot be used with a block.
        if let Type::Image(..) | Type::Sampler | Type::Pipe(..) | Type::Block(_) =
            self.types.get(operand.ty.ty)
        {
            let message = format!("the address of a '{}' cannot be taken", self.type_id_text(operand.ty.ty));
            self.error("address-of-opaque", span, message);
            return error_expr(span);
        }
        let ty = self.types.pointer(operand.ty);
        self.note_address(operand.ty.space);
        match operand.kind {
            ExprKind::Deref(pointer) => Expr { span, ty: QualType::new(ty), ..*pointer },
            _ => rvalue(ExprKind::AddressOf(Box::new(operand)), ty, span),
        }
    }

    /// Types `cond ? then : els` (§6.5.9).
    pub(super) fn build_conditional(&mut self, cond: Expr, then: Expr, els: Expr, question: Span) -> Expr {
        let span = cond.span.to(els.span);
        let (cond, then, els) = match self.cxx.enabled {
            true => match self.cxx_conditional(cond, then, els, span) {
                Ok(object) => return object,
                Err(operands) => operands,
            },
            false => (cond, then, els),
        };
        let (cond, then, els) = (self.to_rvalue(cond), self.to_rvalue(then), self.to_rvalue(els));
        if is_error(&cond) || is_error(&then) || is_error(&els) {
            return error_expr(span);
        }
        // §6.14.5: blocks cannot be operands of '?:'.
        if [&then, &els].into_iter().any(|e| matches!(self.types.get(e.ty.ty), Type::Block(_))) {
            self.error("block-operand", question, "a block cannot be an operand of '?:'");
            return error_expr(span);
        }
        let result = match *self.types.get(cond.ty.ty) {
            Type::Scalar(scalar) if scalar.is_float() && !self.cxx.enabled => {
                let message = format!(
                    "the condition of '?:' must be an integer or a pointer ('{}' is invalid)",
                    scalar.name()
                );
                self.error("condition-not-integer", cond.span, message).remark("compare it with 0");
                None
            }
            Type::Vector(scalar, lanes) => self.vector_conditional(cond, scalar, lanes, then, els, question),
            _ => self.scalar_conditional(cond, then, els, question),
        };
        Expr { span, ..result.unwrap_or_else(|| error_expr(span)) }
    }

    fn scalar_conditional(&mut self, cond: Expr, then: Expr, els: Expr, question: Span) -> Option<Expr> {
        let cond = self.to_bool_condition(cond);
        if is_error(&cond) {
            return None;
        }
        let arithmetic = |p: &Self, e: &Expr| p.types.scalar_and_lanes(e.ty.ty).is_some();
        let chosen = |p: &Self, e: &Expr| !matches!(p.types.get(e.ty.ty), Type::Image(..) | Type::Sampler);
        let (then, els) = match () {
            // C++ does not promote operands of one type ([expr.cond]).
            _ if self.cxx.enabled && then.ty.ty == els.ty.ty && arithmetic(self, &then) => (then, els),
            // §6.11, b: images and samplers are arguments of functions and nothing else.
            _ if then.ty.ty == els.ty.ty && !arithmetic(self, &then) && chosen(self, &then) => (then, els),
            _ if arithmetic(self, &then) && arithmetic(self, &els) => {
                self.usual_conversions(then, els, question)?
            }
            _ if then.ty.ty == Types::VOID || els.ty.ty == Types::VOID => {
                let mut void = |e: Expr| {
                    let span = e.span;
                    if e.ty.ty == Types::VOID { e } else { self.explicit_cast(e, Types::VOID, span) }
                };
                (void(then), void(els))
            }
            _ if self.pointer_arm(&then) && self.pointer_arm(&els) => {
                self.common_pointer(then, els, question, Meeting::Chosen)?
            }
            _ => {
                self.invalid_operands(&then, &els, question);
                return None;
            }
        };
        let ty = then.ty.ty;
        let kind = ExprKind::Conditional { cond: Box::new(cond), then: Box::new(then), els: Box::new(els) };
        Some(self.fold(rvalue(kind, ty, question)))
    }

    fn pointer_arm(&self, e: &Expr) -> bool {
        self.is_pointer(e) || self.is_null_constant(e)
    }

    /// The vector form: componentwise by the most significant bit of the condition.
    fn vector_conditional(
        &mut self,
        cond: Expr,
        scalar: Scalar,
        lanes: u8,
        then: Expr,
        els: Expr,
        question: Span,
    ) -> Option<Expr> {
        if scalar.is_float() {
            let message = format!(
                "a vector condition must have integer elements ('{}' is invalid)",
                self.type_id_text(cond.ty.ty)
            );
            self.error("condition-not-integer", cond.span, message);
            return None;
        }
        self.check_operands(BinaryOp::Ne, &then, &els, question)?;
        let (mut then, mut els) = self.selected_operands(then, els, question)?;
        if let Type::Scalar(element) = *self.types.get(then.ty.ty) {
            let vector = self.types.vector(element, lanes);
            then = self.splat(then, vector);
            els = self.splat(els, vector);
        }
        let (element, found) = self.types.scalar_and_lanes(then.ty.ty)?;
        if found != lanes || element.size() != scalar.size() {
            let (tc, tr) = (self.type_id_text(cond.ty.ty), self.type_id_text(then.ty.ty));
            let what = if found == lanes { "elements of one size" } else { "as many components" };
            let message = format!("the condition '{tc}' and the result '{tr}' do not have {what}");
            self.error("vector-select-size", question, message);
            return None;
        }
        let ty = then.ty.ty;
        let kind = ExprKind::VectorSelect { cond: Box::new(cond), then: Box::new(then), els: Box::new(els) };
        Some(rvalue(kind, ty, question))
    }

    /// The operands of a componentwise selection in one type. Scalars are components: they are not promoted to int.
    fn selected_operands(&mut self, then: Expr, els: Expr, question: Span) -> Option<(Expr, Expr)> {
        let shapes = (self.types.scalar_and_lanes(then.ty.ty)?, self.types.scalar_and_lanes(els.ty.ty)?);
        let ((a, 1), (b, 1)) = shapes else { return self.usual_conversions(then, els, question) };
        if a.is_float() || b.is_float() {
            return self.usual_conversions(then, els, question);
        }
        let common = Types::scalar(a.max(b).max(Scalar::Char));
        Some((self.cast_arithmetic(then, common), self.cast_arithmetic(els, common)))
    }

    /// Returns whether an expression may be written; reports why not (C99 §6.3.2.1, 1; rule A-9).
    fn check_modifiable(&mut self, e: &Expr, operator: Span) -> bool {
        if !e.kind.is_lvalue() && !matches!(self.types.get(e.ty.ty), Type::Block(_)) {
            self.error("not-assignable", operator, "the expression is not assignable")
                .note(e.span, "this is a value");
            return false;
        }
        if matches!(self.types.get(e.ty.ty), Type::Atomic(_)) {
            self.atomic_operand(e.ty.ty, operator);
            return false;
        }
        let problem = match self.types.get(e.ty.ty) {
            // §6.14.5: block variables are const, and may not be reassigned.
            Type::Block(_) => Some(("const-write", "a block variable cannot be assigned: it is const")),
            _ if e.ty.space == AddressSpace::Constant => {
                Some(("constant-write", "an object in '__constant' cannot be written"))
            }
            _ if e.ty.is_const => Some(("const-write", "a const-qualified object cannot be written")),
            Type::Array(..) => Some(("not-assignable", "an array cannot be assigned")),
            Type::Sampler | Type::Image(..) => {
                Some(("not-assignable", "images and samplers cannot be assigned"))
            }
            // §6.15.18 "Restrictions": the C operators cannot be used with pipes.
            Type::Pipe(..) => Some(("not-assignable", "pipes cannot be assigned")),
            Type::Function(_) => Some(("not-assignable", "a function cannot be assigned")),
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _) if !self.has_fp16() => Some((
                "needs-feature",
                "storing a 'half' needs cl_khr_fp16, which this device does not have; use vstore_half",
            )),
            Type::Record(_) if self.has_const_member(e.ty.ty) => {
                Some(("const-write", "the object has a const-qualified member and cannot be assigned"))
            }
            _ => None,
        };
        if let Some((id, message)) = problem {
            let note = self.declaration_note(e);
            let diagnostic = self.error(id, operator, message);
            if id == "constant-write" {
                diagnostic.remark("copy it to a variable in '__private' or '__local' to change it");
            }
            add_declaration(diagnostic, note);
            return false;
        }
        if let ExprKind::Swizzle { components, .. } = &e.kind {
            let mut seen = 0u16;
            for c in components {
                let bit = 1u16 << (c & 15);
                if seen & bit != 0 {
                    self.error("duplicate-component", e.span, "a vector component is assigned twice");
                    return false;
                }
                seen |= bit;
            }
        }
        true
    }

    fn has_const_member(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Record(id) => self
                .types
                .record(*id)
                .fields
                .iter()
                .flatten()
                .any(|f| f.ty.is_const || self.has_const_member(f.ty.ty)),
            Type::Array(element, _) => element.is_const || self.has_const_member(element.ty),
            _ => false,
        }
    }

    /// Types `lhs = rhs` and `lhs op= rhs`.
    pub(super) fn build_assignment(
        &mut self,
        op: Option<BinaryOp>,
        lhs: Expr,
        rhs: Expr,
        operator: Span,
    ) -> Expr {
        let span = lhs.span.to(rhs.span);
        let (lhs, rhs) = match self.cxx.enabled && !is_error(&lhs) && !is_error(&rhs) {
            true => match self.cxx_assignment(op, lhs, rhs, operator) {
                Ok(call) => return Expr { span, ..call },
                Err(operands) => operands,
            },
            false => (lhs, rhs),
        };
        let rhs = self.to_rvalue(rhs);
        if is_error(&lhs) || is_error(&rhs) || !self.check_modifiable(&lhs, operator) {
            return error_expr(span);
        }
        let ty = lhs.ty.ty;
        let result = match op {
            None => {
                let target = self.declaration(&lhs);
                let rhs = self
                    .with_target(target, |p| p.convert_for_assignment(rhs, lhs.ty, AssignContext::Assign));
                (!is_error(&rhs)).then(|| ExprKind::Assign { lhs: Box::new(lhs), rhs: Box::new(rhs) })
            }
            Some(op) => self.compound_assignment(op, lhs, rhs, operator),
        };
        match result {
            Some(kind) => rvalue(kind, ty, span),
            None => error_expr(span),
        }
    }

    fn compound_assignment(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        operator: Span,
    ) -> Option<ExprKind> {
        if let Some(pointee) = self.types.pointee(lhs.ty.ty) {
            return self.pointer_assignment(op, pointee, lhs, rhs, operator);
        }
        // The same checks as for `lhs op rhs`, on a copy that stands for lhs's value.
        let value = self.to_rvalue(lhs.clone());
        if is_error(&value) {
            return None;
        }
        self.check_operands(op, &value, &rhs, operator)?;
        self.warn_division(op, &rhs);
        let (computation, rhs) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let value = self.promote(value);
            let rhs = self.shift_count(&value, rhs, operator)?;
            (value.ty.ty, rhs)
        } else {
            let lanes = |t| self.types.scalar_and_lanes(t).map_or(0, |(_, n)| n);
            if lanes(value.ty.ty) == 1 && lanes(rhs.ty.ty) != 1 {
                self.invalid_operands(&value, &rhs, operator);
                return None;
            }
            let (value, rhs) = self.usual_conversions(value, rhs, operator)?;
            (value.ty.ty, rhs)
        };
        Some(ExprKind::CompoundAssign { op, lhs: Box::new(lhs), rhs: Box::new(rhs), computation })
    }

    fn pointer_assignment(
        &mut self,
        op: BinaryOp,
        pointee: QualType,
        lhs: Expr,
        rhs: Expr,
        operator: Span,
    ) -> Option<ExprKind> {
        let integer = self.types.scalar_and_lanes(rhs.ty.ty).is_some_and(|(s, n)| n == 1 && s.is_integer());
        if !integer || !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            self.invalid_operands(&lhs, &rhs, operator);
            return None;
        }
        if pointee.ty != Types::VOID {
            self.check_pointee(pointee, operator)?;
        }
        let rhs = self.promote(rhs);
        let computation = lhs.ty.ty;
        Some(ExprKind::CompoundAssign { op, lhs: Box::new(lhs), rhs: Box::new(rhs), computation })
    }

    /// `++` and `--` are not for floating types (§6.5.3); compilers take them on scalars.
    fn check_float_step(&mut self, operand: &Expr, operator: Span) -> bool {
        if self.cxx.enabled && !matches!(self.types.get(operand.ty.ty), Type::Vector(..)) {
            return true;
        }
        let floating = matches!(self.types.scalar_and_lanes(operand.ty.ty), Some((s, _)) if s.is_float());
        if !floating {
            return true;
        }
        let text = self.type_id_text(operand.ty.ty);
        if matches!(self.types.get(operand.ty.ty), Type::Vector(..)) {
            let message = format!("'++' and '--' are not for vectors of floating numbers ('{text}')");
            self.error("float-step", operator, message).remark("add or subtract 1");
            return false;
        }
        let message = format!(
            "OpenCL C has no '++' and '--' for floating numbers ('{text}'); 1 is added or subtracted"
        );
        self.warning("float-step", operator, message);
        true
    }

    /// Types `++` and `--`.
    pub(super) fn build_inc_dec(
        &mut self,
        operand: Expr,
        increment: bool,
        prefix: bool,
        operator: Span,
    ) -> Expr {
        let span = if prefix { operator.to(operand.span) } else { operand.span.to(operator) };
        let operand = match self.cxx.enabled && !is_error(&operand) {
            true => match self.cxx_inc_dec(operand, increment, prefix, span) {
                Ok(call) => return Expr { span, ..call },
                Err(operand) => operand,
            },
            false => operand,
        };
        if is_error(&operand) || !self.check_modifiable(&operand, operator) {
            return error_expr(span);
        }
        let steps = match self.types.pointee(operand.ty.ty) {
            Some(pointee) => pointee.ty == Types::VOID || self.check_pointee(pointee, operator).is_some(),
            None if self.types.scalar_and_lanes(operand.ty.ty).is_none() => {
                return self.invalid_operand(&operand, operator);
            }
            None => true,
        };
        if !steps || !self.check_float_step(&operand, operator) {
            return error_expr(span);
        }
        let ty = operand.ty.ty;
        rvalue(ExprKind::IncDec { lvalue: Box::new(operand), increment, prefix }, ty, span)
    }
}

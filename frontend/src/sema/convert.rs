//! Conversions (OpenCL C §6.4; C99 §6.3, §6.5.16.1): lvalues to values, promotions, the usual arithmetic
//! conversions with OpenCL's mixing of scalars and vectors, implicit conversions with their diagnostics,
//! casts, and the rules of address spaces (A-10 … A-14).

use super::context::Sema;
use crate::diag::Diagnostic;
use crate::hir::{CastKind, Constant, Expr, ExprKind, UnaryOp};
use crate::options::Features;
use crate::source::Span;
use crate::types::{AddressSpace, Opaque, QualType, Scalar, Type, TypeId, Types};

/// Why a value is converted implicitly: the words of the diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssignContext {
    Assign,
    Initialize,
    Return,
    Argument,
}

/// The expression of something that was diagnosed.
pub(super) fn error_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, ty: QualType::new(Types::ERROR), span }
}

/// An rvalue.
pub(super) fn rvalue(kind: ExprKind, ty: TypeId, span: Span) -> Expr {
    Expr { kind, ty: QualType::new(ty), span }
}

/// Returns whether an expression was diagnosed already.
pub(super) fn is_error(e: &Expr) -> bool {
    e.ty.ty == Types::ERROR
}

impl Sema<'_> {
    /// The value of an expression: loads an lvalue, turns an array into a pointer to its first element
    /// (C99 §6.3.2.1).
    #[allow(clippy::wrong_self_convention)] // `to` is of the expression, not of `self`
    pub(super) fn to_rvalue(&mut self, e: Expr) -> Expr {
        if is_error(&e) || !e.kind.is_lvalue() {
            return e;
        }
        let span = e.span;
        match *self.types.get(e.ty.ty) {
            Type::Array(element, _) => {
                let pointee = self.element_type(e.ty, element);
                let ty = self.types.pointer(pointee);
                self.note_address(e.ty.space);
                rvalue(ExprKind::ArrayDecay(Box::new(e)), ty, span)
            }
            Type::Void => {
                self.error("void-value", span, "a value of type 'void' cannot be used");
                error_expr(span)
            }
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _) if !self.has_fp16() => {
                self.error(
                    "needs-feature",
                    span,
                    "loading a 'half' needs cl_khr_fp16, which this device does not have",
                )
                .remark("vload_half reads halves as floats on every device");
                error_expr(span)
            }
            Type::Record(_) if self.types.layout(e.ty.ty).is_none() => {
                let message = format!("'{}' is an incomplete type", self.type_id_text(e.ty.ty));
                self.error("incomplete-type", span, message);
                error_expr(span)
            }
            Type::Sampler => self.sampler_value(e),
            Type::Block(_) => self.block_variable_value(e),
            Type::Atomic(_) if self.cxx.enabled => self.atomic_value(e),
            Type::Atomic(_) => self.atomic_operand(e.ty.ty, span),
            _ => {
                let ty = e.ty.ty;
                rvalue(ExprKind::Load(Box::new(e)), ty, span)
            }
        }
    }

    /// Records that an object of the current function may be reached by its address.
    pub(super) fn note_address(&mut self, space: AddressSpace) {
        if let Some(function) = self.function.as_mut().filter(|_| space == AddressSpace::Private) {
            function.addressed = true;
        }
    }

    /// The value of a sampler variable: those that are not parameters are constants (§6.15.15.1).
    fn sampler_value(&mut self, e: Expr) -> Expr {
        let (ty, span) = (e.ty.ty, e.span);
        if let ExprKind::Global(id) = e.kind
            && let Some(init) = self.globals.get(id.0 as usize).and_then(|g| g.init.clone())
        {
            return rvalue(ExprKind::Constant(init), ty, span);
        }
        rvalue(ExprKind::Load(Box::new(e)), ty, span)
    }

    /// Refuses an atomic object where a value is needed, or where one is stored (§6.15.12.9, "Restrictions").
    pub(super) fn atomic_operand(&mut self, ty: TypeId, span: Span) -> Expr {
        let message = format!(
            "an object of type '{}' is accessed by the atomic functions only: operators do not take it",
            self.type_id_text(ty)
        );
        self.error("atomic-operand", span, message)
            .remark("use atomic_load, atomic_store, atomic_init and the like");
        error_expr(span)
    }

    /// The first value of an atomic object: a value of what it holds.
    fn atomic_initializer(&mut self, e: Expr, scalar: Scalar, to: QualType, context: AssignContext) -> Expr {
        if context != AssignContext::Initialize {
            return self.atomic_operand(to.ty, e.span);
        }
        let plain = QualType { ty: Types::scalar(scalar), ..to };
        let e = self.convert_for_assignment(e, plain, context);
        let span = e.span;
        match e.kind {
            _ if is_error(&e) => e,
            ExprKind::Constant(_) => rvalue(e.kind, to.ty, span),
            _ => rvalue(ExprKind::Cast { kind: CastKind::Bitcast, operand: Box::new(e) }, to.ty, span),
        }
    }

    /// An integer constant as a sampler.
    fn sampler_constant(&mut self, e: Expr, to: TypeId, context: AssignContext) -> Expr {
        if let Some(bits) = self.const_eval_int(&e) {
            if u32::try_from(bits).is_err() {
                self.error("not-constant", e.span, "a sampler is made of an integer of 32 bits");
                return error_expr(e.span);
            }
            return rvalue(ExprKind::Constant(Constant::Int(bits)), to, e.span);
        }
        if self.types.scalar_and_lanes(e.ty.ty).is_none() {
            return self.incompatible(e, to, context);
        }
        let message = "a sampler is made of an integer constant expression only";
        self.error("not-constant", e.span, message);
        error_expr(e.span)
    }

    pub(super) fn has_fp16(&self) -> bool {
        self.options.features.contains(Features::FP16)
    }

    /// The type of an element of an array object: the array's space and qualifiers are its elements'.
    pub(super) fn element_type(&mut self, array: QualType, element: QualType) -> QualType {
        let element = self.in_space(element, array.space);
        QualType {
            is_const: element.is_const || array.is_const,
            is_volatile: element.is_volatile || array.is_volatile,
            ..element
        }
    }

    /// A condition as a bool (C99 §6.8.4.1): any scalar or pointer, compared with zero.
    #[allow(clippy::wrong_self_convention)] // as for `to_rvalue`
    pub(super) fn to_bool_condition(&mut self, e: Expr) -> Expr {
        let e = if self.cxx.enabled { self.cxx_condition(e) } else { e };
        let e = self.to_rvalue(e);
        if is_error(&e) {
            return e;
        }
        if self.is_scalar_or_pointer(e.ty.ty) {
            return self.convert_to_bool(e);
        }
        let message =
            format!("a scalar is required as condition ('{}' is invalid)", self.type_id_text(e.ty.ty));
        let vector = matches!(self.types.get(e.ty.ty), Type::Vector(..));
        let span = e.span;
        let diagnostic = self.error("condition-not-scalar", span, message);
        if vector {
            diagnostic.remark("any(x) and all(x) make a scalar of a vector");
        }
        error_expr(span)
    }

    pub(super) fn convert_to_bool(&mut self, e: Expr) -> Expr {
        if e.ty.ty == Types::BOOL {
            return e;
        }
        self.cast(CastKind::ToBool, e, Types::BOOL)
    }

    /// Returns whether a value of the type can be compared with zero.
    pub(super) fn is_scalar_or_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Scalar(_) | Type::Enum(_) | Type::Pointer(_))
    }

    /// A conversion node, folded when its operand is constant.
    pub(super) fn cast(&mut self, kind: CastKind, operand: Expr, to: TypeId) -> Expr {
        let span = operand.span;
        let e = rvalue(ExprKind::Cast { kind, operand: Box::new(operand) }, to, span);
        self.fold(e)
    }

    /// An arithmetic value as another arithmetic type of as many components.
    pub(super) fn cast_arithmetic(&mut self, e: Expr, to: TypeId) -> Expr {
        if e.ty.ty == to {
            e
        } else if to == Types::BOOL {
            self.convert_to_bool(e)
        } else {
            self.cast(CastKind::Arithmetic, e, to)
        }
    }

    /// A scalar operand in every component of a vector, converted to the element type (§6.4.1): a bool gives 1.
    pub(super) fn splat(&mut self, e: Expr, vector: TypeId) -> Expr {
        let Type::Vector(scalar, _) = *self.types.get(vector) else { return e };
        let e = self.cast_arithmetic(e, Types::scalar(scalar));
        self.cast(CastKind::Splat, e, vector)
    }

    /// A scalar cast to a vector: a bool gives −1 (§6.4.3, "Explicit Casts"). So does one that is assigned, passed or
    /// returned where a vector is wanted, and one in a vector of floats: clang has it so, and the conformance tests.
    pub(super) fn splat_cast(&mut self, e: Expr, vector: TypeId) -> Expr {
        if e.ty.ty != Types::BOOL {
            return self.splat(e, vector);
        }
        let number = self.cast_arithmetic(e, Types::INT);
        let number = self.unary_node(UnaryOp::Neg, number);
        self.splat(number, vector)
    }

    pub(super) fn unary_node(&mut self, op: UnaryOp, e: Expr) -> Expr {
        let (ty, span) = (e.ty.ty, e.span);
        self.fold(rvalue(ExprKind::Unary { op, operand: Box::new(e) }, ty, span))
    }

    /// The integer promotions (C99 §6.3.1.1); vectors and floating values stay what they are.
    pub(super) fn promote(&mut self, e: Expr) -> Expr {
        let Some((scalar, 1)) = self.types.scalar_and_lanes(e.ty.ty) else { return e };
        let to = promoted(scalar);
        self.cast_arithmetic(e, Types::scalar(to))
    }

    /// The usual arithmetic conversions of two values (C99 §6.3.1.8), a scalar beside a vector widened
    /// (OpenCL C §6.4.4): both in the common type. `None` after a diagnostic.
    pub(super) fn usual_conversions(&mut self, a: Expr, b: Expr, operator: Span) -> Option<(Expr, Expr)> {
        let (sa, na) = self.types.scalar_and_lanes(a.ty.ty)?;
        let (sb, nb) = self.types.scalar_and_lanes(b.ty.ty)?;
        match (na, nb) {
            (1, 1) => {
                let common = Types::scalar(common_scalar(sa, sb));
                Some((self.cast_arithmetic(a, common), self.cast_arithmetic(b, common)))
            }
            (1, _) => {
                let vector = b.ty.ty;
                Some((self.widen(a, vector, b.span, operator)?, b))
            }
            (_, 1) => {
                let vector = a.ty.ty;
                let b = self.widen(b, vector, a.span, operator)?;
                Some((a, b))
            }
            _ if a.ty.ty == b.ty.ty => Some((a, b)),
            _ => {
                let (ta, tb) = (self.type_id_text(a.ty.ty), self.type_id_text(b.ty.ty));
                let message =
                    format!("vectors do not convert implicitly: the operands are '{ta}' and '{tb}'");
                let hint = if na == nb {
                    format!("convert one of them with convert_{ta}() or as_{ta}()")
                } else {
                    "the numbers of components differ".to_owned()
                };
                self.error("vector-type-mismatch", operator, message).remark(hint);
                None
            }
        }
    }

    /// A scalar operand beside a vector: an error when its rank is greater than the element's, unless it
    /// is a constant that the element type holds.
    fn widen(&mut self, e: Expr, vector: TypeId, vector_span: Span, operator: Span) -> Option<Expr> {
        let (element, _) = self.types.scalar_and_lanes(vector)?;
        let (scalar, _) = self.types.scalar_and_lanes(e.ty.ty)?;
        let greater = match (scalar.is_float(), element.is_float()) {
            (true, false) => true,
            (false, true) => false,
            (true, true) => scalar.size() > element.size(),
            // Of one precision, the unsigned type ranks higher (§6.4.6).
            _ if scalar == Scalar::Bool => false,
            _ => (scalar.size(), !scalar.is_signed()) > (element.size(), !element.is_signed()),
        };
        if greater && self.constant_fits(&e, element) {
            // §6.4.6 has no exception for constants, but other compilers had one, and programs grew on it.
            let (ts, tv) = (self.type_id_text(e.ty.ty), self.type_id_text(vector));
            let message = format!(
                "the constant has greater rank than the element of the vector ('{ts}' beside '{tv}'): it is taken as '{}'",
                element.name()
            );
            self.warning("scalar-rank", e.span, message);
        } else if greater {
            let (ts, tv) = (self.type_id_text(e.ty.ty), self.type_id_text(vector));
            let message = format!(
                "the scalar operand has greater rank than the element of the vector: '{ts}' beside '{tv}'"
            );
            let span = e.span;
            self.error("scalar-rank", operator, message)
                .note(span, format!("'{ts}'"))
                .note(vector_span, format!("'{tv}'"))
                .remark(format!("cast the scalar to '{}'", element.name()));
            return None;
        }
        Some(self.splat(e, vector))
    }

    /// Returns whether an integer constant keeps its value in `element`; floating constants fit any floating type.
    fn constant_fits(&self, e: &Expr, element: Scalar) -> bool {
        match &e.kind {
            ExprKind::Constant(Constant::Float(_)) => element.is_float(),
            ExprKind::Constant(Constant::Int(i)) => {
                let unsigned_64 = e.ty.ty == Types::scalar(Scalar::ULong);
                super::constant::wrap(*i, element) == *i
                    && !(unsigned_64 && *i < 0 && element != Scalar::ULong)
            }
            _ => false,
        }
    }

    /// Converts a value to the type of what it is assigned to, with the diagnostics of simple assignment
    /// (C99 §6.5.16.1), OpenCL's on vectors (§6.4.1) and on address spaces (rules A-10 … A-14).
    pub(super) fn convert_for_assignment(&mut self, e: Expr, to: QualType, context: AssignContext) -> Expr {
        let e = match self.cxx.enabled {
            true => match self.cxx_convert(e, to, context) {
                Ok(converted) => return converted,
                Err(e) => e,
            },
            false => e,
        };
        let e = self.to_rvalue(e);
        if is_error(&e) || to.ty == Types::ERROR {
            return error_expr(e.span);
        }
        if e.ty.ty == to.ty && e.ty.ty != Types::VOID {
            return e;
        }
        if self.is_null_constant(&e) && self.has_null(to.ty) {
            return rvalue(ExprKind::Constant(Constant::Zero), to.ty, e.span);
        }
        match *self.types.get(to.ty) {
            Type::Sampler => return self.sampler_constant(e, to.ty, context),
            Type::Atomic(scalar) => return self.atomic_initializer(e, scalar, to, context),
            _ => {}
        }
        let (from, target) = (self.types.scalar_and_lanes(e.ty.ty), self.types.scalar_and_lanes(to.ty));
        match (from, target) {
            (Some((_, 1)), Some((_, 1))) => {
                self.warn_if_changed(&e, to.ty);
                return self.cast_arithmetic(e, to.ty);
            }
            (Some((_, 1)), Some(_)) => return self.splat_cast(e, to.ty),
            (Some(_), Some(_)) => return self.vector_mismatch(e, to.ty, context),
            _ => {}
        }
        match (self.types.get(e.ty.ty).clone(), self.types.get(to.ty).clone()) {
            (Type::Pointer(from), Type::Pointer(target)) => {
                self.convert_pointer(e, from, target, to.ty, context)
            }
            (Type::Pointer(_), Type::Scalar(Scalar::Bool)) => self.convert_to_bool(e),
            (Type::Void, _) => {
                self.error("void-value", e.span, "a value of type 'void' cannot be used");
                error_expr(e.span)
            }
            (Type::Pointer(_), Type::Scalar(s)) if s.is_integer() => self.int_conversion(e, to.ty, context),
            (Type::Scalar(s), Type::Pointer(_)) if s.is_integer() => self.int_conversion(e, to.ty, context),
            _ => self.incompatible(e, to.ty, context),
        }
    }

    /// Returns whether the constant 0 is a value of the type: the null pointer, no event, no queue, no reservation
    /// (`CLK_NULL_EVENT`, `CLK_NULL_QUEUE`, `CLK_NULL_RESERVE_ID`).
    pub(super) fn has_null(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Pointer(_) | Type::Event => true,
            Type::Opaque(opaque) => *opaque != Opaque::NdRange,
            _ => false,
        }
    }

    fn vector_mismatch(&mut self, e: Expr, to: TypeId, context: AssignContext) -> Expr {
        let (from_text, to_text) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
        let lanes = |t| self.types.scalar_and_lanes(t).map(|(_, n)| n);
        let hint = match (lanes(e.ty.ty), lanes(to)) {
            (Some(a), Some(b)) if a == b => {
                format!("convert_{to_text}() converts the values, as_{to_text}() keeps the bits")
            }
            (_, Some(1)) => "select a component, as in v.x".to_owned(),
            _ => "the numbers of components differ: select components, as in v.xy".to_owned(),
        };
        let message = self.context_message(context, &from_text, &to_text);
        self.error("vector-conversion", e.span, format!("{message}: vectors do not convert implicitly"))
            .remark(hint);
        error_expr(e.span)
    }

    fn int_conversion(&mut self, e: Expr, to: TypeId, context: AssignContext) -> Expr {
        let (from_text, to_text) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
        let message = self.context_message(context, &from_text, &to_text);
        self.error(
            "int-conversion",
            e.span,
            format!("{message}: pointers and integers convert only by a cast"),
        );
        error_expr(e.span)
    }

    fn incompatible(&mut self, e: Expr, to: TypeId, context: AssignContext) -> Expr {
        let (from_text, to_text) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
        let message = self.context_message(context, &from_text, &to_text);
        self.error("incompatible-types", e.span, format!("{message}: the types are incompatible"));
        error_expr(e.span)
    }

    pub(super) fn context_message(&self, context: AssignContext, from: &str, to: &str) -> String {
        match context {
            AssignContext::Assign => format!("assigning '{from}' to '{to}'"),
            AssignContext::Initialize => format!("initializing '{to}' with '{from}'"),
            AssignContext::Return => format!("returning '{from}' from a function that returns '{to}'"),
            AssignContext::Argument => format!("passing '{from}' to a parameter of type '{to}'"),
        }
    }

    /// Warns about an integer constant whose value its new type cannot hold.
    fn warn_if_changed(&mut self, e: &Expr, to: TypeId) {
        let ExprKind::Constant(Constant::Int(value)) = e.kind else { return };
        let Some((scalar, 1)) = self.types.scalar_and_lanes(to) else { return };
        let bits = scalar.size() * 8;
        // The bits of a negative number in an unsigned type, and of an unsigned one in a signed type, are
        // usual in C; only values that no type of this size has are worth a word.
        if scalar.is_float() || scalar == Scalar::Bool || bits == 64 {
            return;
        }
        let range = -(1i64 << (bits - 1))..1i64 << bits;
        if !range.contains(&value) {
            let changed = super::constant::wrap(value, scalar);
            let message =
                format!("conversion to '{}' changes the value from {value} to {changed}", scalar.name());
            self.warning("constant-conversion", e.span, message);
        }
    }
}

/// Adds where something was declared to a diagnostic.
pub(super) fn add_declaration(diagnostic: &mut Diagnostic, note: Option<(Span, String)>) {
    if let Some((span, text)) = note {
        diagnostic.note(span, text);
    }
}

/// The integer promotions of C99 §6.3.1.1.
pub(super) fn promoted(scalar: Scalar) -> Scalar {
    if scalar.is_integer() && scalar.size() < 4 { Scalar::Int } else { scalar }
}

/// The common type of two scalars (C99 §6.3.1.8; half below float).
pub(super) fn common_scalar(a: Scalar, b: Scalar) -> Scalar {
    if a.is_float() || b.is_float() {
        return match (a.is_float(), b.is_float()) {
            (true, true) => a.max(b),
            (true, false) => a,
            _ => b,
        };
    }
    // Scalar's order is that of rank, the unsigned type after its signed one; long holds every uint.
    promoted(a).max(promoted(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_arithmetic_conversions() {
        use Scalar::*;
        let cases = [
            (Char, Char, Int),
            (Bool, UChar, Int),
            (UShort, Short, Int),
            (Int, UInt, UInt),
            (UInt, Long, Long),
            (Long, ULong, ULong),
            (Int, Half, Half),
            (Half, Float, Float),
            (ULong, Float, Float),
            (Float, Double, Double),
        ];
        for (a, b, common) in cases {
            assert_eq!(common_scalar(a, b), common, "{a:?} {b:?}");
            assert_eq!(common_scalar(b, a), common, "{b:?} {a:?}");
        }
    }
}

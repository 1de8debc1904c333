//! Calls of clang's own functions, `__builtin_…` (`crate::intrinsics` has their names): trees of the operators and
//! functions of OpenCL C.

mod bits;
mod forms;
mod memory;
mod overflow;
mod vectors;

use super::context::Sema;
use super::convert::{AssignContext, error_expr, is_error, rvalue};
use crate::hir::{BinaryOp, CastKind, Constant, Expr, ExprKind};
use crate::intrinsics::{Align, Classify, Function, Intrinsic};
use crate::source::Span;
use crate::syntax::ast::{Infix, Prefix};
use crate::types::{QualType, Scalar, Type, TypeId, Types};

/// A value that is used more than once, and computed once: the assignment to the temporary that holds it, and that
/// temporary. A constant holds itself.
struct Held {
    assign: Option<Expr>,
    place: Expr,
}

impl Held {
    /// One more use.
    fn get(&self) -> Expr {
        self.place.clone()
    }
}

impl Sema<'_> {
    /// A call of `text`, which means `intrinsic`.
    pub(super) fn call_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: Vec<Expr>,
        text: &str,
        at: Span,
        span: Span,
    ) -> Expr {
        match intrinsic {
            Intrinsic::Form(form) => return self.call_form(form, args, text, at, span),
            Intrinsic::Absent(why) => {
                self.error("unsupported-builtin", at, format!("'{text}' is not supported: {why}"));
                return error_expr(span);
            }
            _ => {}
        }
        let args: Vec<Expr> = args.into_iter().map(|a| self.to_rvalue(a)).collect();
        if args.iter().any(is_error) {
            return error_expr(span);
        }
        let result = match intrinsic {
            Intrinsic::Bits(op, scalar) => self.call_bits(op, scalar, args, text, span),
            Intrinsic::Function(function) => self.call_function_of_opencl(function, args, text, span),
            Intrinsic::Classify(class) => self.call_classify(class, args, text, span),
            Intrinsic::Special { nan, scalar } => self.call_special(nan, scalar, args, text, span),
            Intrinsic::Overflow(op, scalar) => self.call_overflow(op, scalar, args, text, span),
            Intrinsic::Carry { subtract, scalar } => self.call_carry(subtract, scalar, args, text, span),
            Intrinsic::Elementwise { float, integer } => {
                self.call_elementwise(float, integer, args, text, span)
            }
            Intrinsic::Reduce(reduction) => self.call_reduce(reduction, args, text, span),
            Intrinsic::Memory(memory) => self.call_memory(memory, args, text, span),
            Intrinsic::Align(align) => self.call_align(align, args, text, span),
            Intrinsic::Form(_) | Intrinsic::Absent(_) => None,
        };
        result.map_or_else(|| error_expr(span), |e| Expr { span, ..e })
    }

    /// The arguments, where there are as many as there should be.
    fn exactly<const N: usize>(&mut self, args: Vec<Expr>, text: &str, span: Span) -> Option<[Expr; N]> {
        let given = args.len();
        let exact = <[Expr; N]>::try_from(args).ok();
        if exact.is_none() {
            let message = format!("'{text}' takes {N} arguments, {given} are given");
            self.error("argument-count", span, message);
        }
        exact
    }

    /// Computes a value once for several uses.
    fn hold(&mut self, value: Expr) -> Held {
        let value = self.to_rvalue(value);
        if is_error(&value) || matches!(value.kind, ExprKind::Constant(_)) {
            return Held { assign: None, place: value };
        }
        let (ty, span) = (QualType::new(value.ty.ty), value.span);
        if self.function.is_none() {
            self.error("not-constant", span, "this is not a compile-time constant");
            return Held { assign: None, place: error_expr(span) };
        }
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let assign = ExprKind::Assign { lhs: Box::new(place.clone()), rhs: Box::new(value) };
        Held { assign: Some(rvalue(assign, ty.ty, span)), place }
    }

    /// `value` after the assignments of what it uses.
    fn after(&mut self, held: impl IntoIterator<Item = Held>, value: Expr) -> Expr {
        let first = held.into_iter().filter_map(|h| h.assign).reduce(|a, b| {
            let (ty, span) = (b.ty.ty, a.span);
            rvalue(ExprKind::Comma { first: Box::new(a), second: Box::new(b) }, ty, span)
        });
        let value = self.to_rvalue(value);
        match first {
            Some(first) if !is_error(&value) => {
                let (ty, span) = (value.ty.ty, value.span);
                rvalue(ExprKind::Comma { first: Box::new(first), second: Box::new(value) }, ty, span)
            }
            _ => value,
        }
    }

    fn number(&self, value: i64, scalar: Scalar, span: Span) -> Expr {
        rvalue(ExprKind::Constant(Constant::Int(value)), Types::scalar(scalar), span)
    }

    fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let span = a.span;
        self.build_infix(Infix::Binary(op), a, b, span)
    }

    fn as_scalar(&mut self, e: Expr, scalar: Scalar) -> Expr {
        let span = e.span;
        self.explicit_cast(e, Types::scalar(scalar), span)
    }

    /// An argument as a parameter of that type.
    fn argument(&mut self, e: Expr, ty: TypeId) -> Expr {
        self.convert_for_assignment(e, QualType::new(ty), AssignContext::Argument)
    }

    fn choose(&mut self, cond: Expr, then: Expr, els: Expr) -> Expr {
        let span = cond.span;
        self.build_conditional(cond, then, els, span)
    }

    /// `*pointer = value`.
    fn store(&mut self, pointer: Expr, value: Expr) -> Expr {
        let span = pointer.span;
        let object = self.build_prefix(Prefix::Deref, pointer, span);
        self.build_assignment(None, object, value, span)
    }

    /// A call of a function of OpenCL C.
    fn call_named(&mut self, function: &str, args: Vec<Expr>, span: Span) -> Expr {
        if args.iter().any(is_error) {
            return error_expr(span);
        }
        let name = self.symbols.intern(function);
        self.call_builtin(name, function, args, span, span)
    }

    /// The type of what must be a number.
    fn scalar_of(&mut self, e: &Expr, text: &str) -> Option<Scalar> {
        match self.types.scalar_and_lanes(e.ty.ty) {
            Some((scalar, 1)) => Some(scalar),
            _ => {
                let message = format!("'{text}' takes numbers, not '{}'", self.type_id_text(e.ty.ty));
                self.error("builtin-argument", e.span, message);
                None
            }
        }
    }

    /// Reports an argument that is none of the function's.
    fn bad_argument(&mut self, e: &Expr, text: &str, wanted: &str) {
        let message = format!("'{text}' takes {wanted}, not '{}'", self.type_id_text(e.ty.ty));
        self.error("builtin-argument", e.span, message);
    }

    /// Math functions: the first arguments become the floating type.
    fn call_function_of_opencl(
        &mut self,
        function: Function,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let Function { name, arguments, floats, scalar, result } = function;
        if args.len() != usize::from(arguments) {
            let message = format!("'{text}' takes {arguments} arguments, {} are given", args.len());
            self.error("argument-count", span, message);
            return None;
        }
        let ty = Types::scalar(scalar);
        let args: Vec<Expr> = args
            .into_iter()
            .enumerate()
            .map(|(i, arg)| if i < usize::from(floats) { self.argument(arg, ty) } else { arg })
            .collect();
        let call = self.call_named(name, args, span);
        Some(match result {
            Some(result) => self.as_scalar(call, result),
            None => call,
        })
    }

    fn call_classify(&mut self, class: Classify, args: Vec<Expr>, text: &str, span: Span) -> Option<Expr> {
        match class {
            Classify::Relation(name, 1) => {
                let [x] = self.exactly(args, text, span)?;
                let x = self.floating(x, text)?;
                Some(self.call_named(name, vec![x], span))
            }
            Classify::Relation(name, _) => {
                let [a, b] = self.exactly(args, text, span)?;
                let (a, b) = self.usual_conversions(a, b, span)?;
                let (a, b) = (self.floating(a, text)?, self.floating(b, text)?);
                Some(self.call_named(name, vec![a, b], span))
            }
            Classify::InfSign => {
                let [x] = self.exactly(args, text, span)?;
                let x = self.floating(x, text)?;
                let x = self.hold(x);
                let (value, sign) = (self.to_rvalue(x.get()), self.to_rvalue(x.get()));
                let infinite = self.call_named("isinf", vec![value], span);
                let negative = self.call_named("signbit", vec![sign], span);
                let (one, minus, zero) = (
                    self.number(1, Scalar::Int, span),
                    self.number(-1, Scalar::Int, span),
                    self.number(0, Scalar::Int, span),
                );
                let signed = self.choose(negative, minus, one);
                let result = self.choose(infinite, signed, zero);
                Some(self.after([x], result))
            }
            Classify::FloatClass => {
                let [nan, inf, normal, subnormal, zero, x] = self.exactly(args, text, span)?;
                let x = self.floating(x, text)?;
                let x = self.hold(x);
                let mut result = subnormal;
                for (function, class) in [("isnormal", normal), ("isinf", inf), ("isnan", nan)] {
                    let value = self.to_rvalue(x.get());
                    let test = self.call_named(function, vec![value], span);
                    result = self.choose(test, class, result);
                }
                let none = self.number(0, Scalar::Int, span);
                let is_zero = self.binary(BinaryOp::Eq, x.get(), none);
                let result = self.choose(is_zero, zero, result);
                Some(self.after([x], result))
            }
        }
    }

    fn floating(&mut self, e: Expr, text: &str) -> Option<Expr> {
        match self.scalar_of(&e, text)? {
            scalar if scalar.is_float() => Some(e),
            _ => {
                self.bad_argument(&e, text, "a floating-point number");
                None
            }
        }
    }

    /// Infinity; NaN, whose payload a string has as a number.
    fn call_special(
        &mut self,
        nan: bool,
        scalar: Scalar,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let ty = Types::scalar(scalar);
        self.check_half_or_double(scalar, text, span)?;
        if !nan {
            let [] = self.exactly(args, text, span)?;
            return Some(rvalue(ExprKind::Constant(Constant::Float(f64::INFINITY)), ty, span));
        }
        let [payload] = self.exactly(args, text, span)?;
        let Some(bytes) = self.string_value(&payload) else {
            self.bad_argument(&payload, text, "a string literal");
            return None;
        };
        let payload = parse_payload(&String::from_utf8_lossy(&bytes));
        let (bits, integer) = match scalar {
            Scalar::Half => (0x7e00 | payload & 0x1ff, Scalar::UShort),
            Scalar::Float => (0x7fc0_0000 | payload & 0x3f_ffff, Scalar::UInt),
            _ => (0x7ff8_0000_0000_0000 | payload & 0x7_ffff_ffff_ffff, Scalar::ULong),
        };
        let bits = self.number(bits as i64, integer, span);
        Some(self.build_astype(bits, ty, span))
    }

    fn check_half_or_double(&mut self, scalar: Scalar, text: &str, span: Span) -> Option<()> {
        if crate::intrinsics::is_there(text, self.options) {
            return Some(());
        }
        let extension = if scalar == Scalar::Half { "cl_khr_fp16" } else { "cl_khr_fp64" };
        self.error("needs-feature", span, format!("'{text}' needs {extension}, which is not available here"));
        None
    }

    /// `is_aligned`, `align_up`, `align_down` of an integer or a pointer.
    fn call_align(&mut self, align: Align, args: Vec<Expr>, text: &str, span: Span) -> Option<Expr> {
        let [value, alignment] = self.exactly(args, text, span)?;
        let size_t = self.types.size_t();
        let is_pointer = self.types.pointee(value.ty.ty).is_some();
        let integer = matches!(self.types.scalar_and_lanes(value.ty.ty), Some((s, 1)) if s.is_integer());
        if !is_pointer && !integer {
            self.bad_argument(&value, text, "an integer or a pointer");
            return None;
        }
        let unit = if is_pointer { size_t } else { value.ty.ty };
        let (ty, one) = (value.ty.ty, self.number(1, Scalar::Int, span));
        let mask = self.explicit_cast(alignment, unit, span);
        let mask = self.binary(BinaryOp::Sub, mask, one);
        let (value, mask) = (self.hold(value), self.hold(mask));
        let number = self.explicit_cast(value.get(), unit, span);
        let result = match align {
            Align::Is => {
                let low = self.binary(BinaryOp::BitAnd, number, mask.get());
                let zero = self.number(0, Scalar::Int, span);
                let equal = self.binary(BinaryOp::Eq, low, zero);
                self.explicit_cast(equal, Types::BOOL, span)
            }
            // A pointer moves by what its number lacks, so that it stays one into the same object.
            Align::Up | Align::Down if is_pointer => {
                let number = match align {
                    Align::Up => self.build_prefix(Prefix::Minus, number, span),
                    _ => number,
                };
                let distance = self.binary(BinaryOp::BitAnd, number, mask.get());
                let pointee = self.types.pointee(ty)?;
                let bytes = self.types.pointer(QualType { ty: Types::scalar(Scalar::Char), ..pointee });
                let start = self.explicit_cast(value.get(), bytes, span);
                let op = if align == Align::Up { BinaryOp::Add } else { BinaryOp::Sub };
                let moved = self.binary(op, start, distance);
                self.explicit_cast(moved, ty, span)
            }
            Align::Up | Align::Down => {
                let number = match align {
                    Align::Up => self.binary(BinaryOp::Add, number, mask.get()),
                    _ => number,
                };
                let keep = self.build_prefix(Prefix::BitNot, mask.get(), span);
                let result = self.binary(BinaryOp::BitAnd, number, keep);
                self.explicit_cast(result, ty, span)
            }
        };
        Some(self.after([value, mask], result))
    }

    /// The bytes of a string literal that was given as a value.
    fn string_value(&self, e: &Expr) -> Option<Vec<u8>> {
        match &e.kind {
            ExprKind::ArrayDecay(array) => self.string_of(array),
            ExprKind::Cast { kind: CastKind::PointerBitcast | CastKind::PointerSpace, operand } => {
                self.string_value(operand)
            }
            _ => None,
        }
    }

    /// Returns whether a value is a pointer.
    fn is_a_pointer(&self, e: &Expr) -> bool {
        matches!(self.types.get(e.ty.ty), Type::Pointer(_))
    }
}

/// The number in a NaN's string, as C's `strtoull` reads it; 0 where it is none.
fn parse_payload(text: &str) -> u64 {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None if lower.starts_with('0') => (lower.as_str(), 8),
        None => (lower.as_str(), 10),
    };
    u64::from_str_radix(digits, radix).unwrap_or(0)
}

//! Functions of vectors: of each component, of all of them; `shufflevector`, `convertvector`.

use super::super::context::Sema;
use super::super::convert::{is_error, rvalue};
use crate::hir::{CastKind, Expr, ExprKind};
use crate::intrinsics::Reduction;
use crate::source::Span;
use crate::types::{Scalar, Type, TypeId, Types};

impl Sema<'_> {
    /// A function of OpenCL C on scalars or vectors of one type.
    pub(super) fn call_elementwise(
        &mut self,
        float: Option<&'static str>,
        integer: Option<&'static str>,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let Some(first) = args.first() else {
            let [_] = self.exactly::<1>(args, text, span)?;
            return None;
        };
        let ty = first.ty.ty;
        let Some((scalar, _)) = self.types.scalar_and_lanes(ty) else {
            let first = first.clone();
            self.bad_argument(&first, text, "numbers and vectors");
            return None;
        };
        if let Some(other) = args.iter().find(|a| a.ty.ty != ty).cloned() {
            let wanted = format!("arguments of one type ('{}')", self.type_id_text(ty));
            self.bad_argument(&other, text, &wanted);
            return None;
        }
        let Some(function) = (if scalar.is_float() { float } else { integer }) else {
            let first = first.clone();
            self.bad_argument(
                &first,
                text,
                if scalar.is_float() { "integers" } else { "floating-point numbers" },
            );
            return None;
        };
        let call = self.call_named(function, args, span);
        // `abs` of OpenCL C gives unsigned numbers.
        Some(if call.ty.ty != ty && !is_error(&call) {
            self.cast(CastKind::Arithmetic, call, ty)
        } else {
            call
        })
    }

    /// One value of a vector's components, halves joined by halves.
    pub(super) fn call_reduce(
        &mut self,
        reduction: Reduction,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let [vector] = self.exactly(args, text, span)?;
        let Type::Vector(scalar, lanes) = *self.types.get(vector.ty.ty) else {
            self.bad_argument(&vector, text, "a vector");
            return None;
        };
        if scalar.is_float() && matches!(reduction, Reduction::Operator(_)) {
            self.bad_argument(&vector, text, "a vector of integers");
            return None;
        }
        let vector = self.hold(vector);
        let mut parts: Vec<Expr> =
            (0..lanes).map(|lane| self.component(vector.get(), scalar, lane)).collect();
        while parts.len() > 1 {
            let half = parts.len().div_ceil(2);
            let upper = parts.split_off(half);
            let mut joined = Vec::with_capacity(half);
            let mut upper = upper.into_iter();
            for low in parts {
                joined.push(match upper.next() {
                    Some(high) => self.reduce_two(reduction, low, high, scalar, span),
                    None => low,
                });
            }
            parts = joined;
        }
        let result = parts.pop()?;
        let result = self.as_scalar(result, scalar);
        Some(self.after([vector], result))
    }

    fn reduce_two(&mut self, reduction: Reduction, a: Expr, b: Expr, scalar: Scalar, span: Span) -> Expr {
        let function = match reduction {
            Reduction::Operator(op) => {
                let value = self.binary(op, a, b);
                return self.as_scalar(value, scalar);
            }
            Reduction::Min if scalar.is_float() => "fmin",
            Reduction::Max if scalar.is_float() => "fmax",
            Reduction::Min => "min",
            Reduction::Max => "max",
        };
        self.call_named(function, vec![a, b], span)
    }

    /// One component of a vector.
    fn component(&mut self, vector: Expr, scalar: Scalar, lane: u8) -> Expr {
        let span = vector.span;
        let base = Box::new(self.to_rvalue(vector));
        let e = rvalue(ExprKind::SwizzleValue { base, components: vec![lane] }, Types::scalar(scalar), span);
        self.fold(e)
    }

    /// `__builtin_shufflevector(a, b, index…)`: components of both vectors by constants; -1 is any.
    pub(super) fn shuffle_vector(&mut self, args: Vec<Expr>, text: &str, span: Span) -> Option<Expr> {
        let mut args = args.into_iter();
        let (Some(a), Some(b)) = (args.next(), args.next()) else {
            self.error("argument-count", span, format!("'{text}' takes two vectors and indices"));
            return None;
        };
        let Type::Vector(scalar, lanes) = *self.types.get(a.ty.ty) else {
            self.bad_argument(&a, text, "vectors");
            return None;
        };
        if args.len() == 0 {
            // The form with a mask: as `shuffle` of OpenCL C.
            return Some(self.call_named("shuffle", vec![a, b], span));
        }
        if b.ty.ty != a.ty.ty {
            let wanted = format!("vectors of one type ('{}')", self.type_id_text(a.ty.ty));
            self.bad_argument(&b, text, &wanted);
            return None;
        }
        let mut indices = Vec::with_capacity(args.len());
        for index in args {
            match self.const_eval_int(&index) {
                Some(i) if (-1..2 * i64::from(lanes)).contains(&i) => indices.push(i.max(0) as u8),
                _ => {
                    let message =
                        format!("the indices of '{text}' are constants from -1 to {}", 2 * lanes - 1);
                    self.error("builtin-argument", index.span, message);
                    return None;
                }
            }
        }
        if !matches!(indices.len(), 2 | 3 | 4 | 8 | 16) {
            let message =
                format!("'{text}' with {} indices: there is no such vector in OpenCL C", indices.len());
            self.error("builtin-argument", span, message);
            return None;
        }
        let (a, b) = (self.hold(a), self.hold(b));
        let ty = self.types.vector(scalar, indices.len() as u8);
        let result = if indices.iter().all(|i| *i < lanes) {
            let base = Box::new(self.to_rvalue(a.get()));
            let e = rvalue(ExprKind::SwizzleValue { base, components: indices }, ty, span);
            self.fold(e)
        } else {
            let pick = |p: &mut Self, i: u8| {
                if i < lanes {
                    p.component(a.get(), scalar, i)
                } else {
                    p.component(b.get(), scalar, i - lanes)
                }
            };
            let parts = indices.into_iter().map(|i| pick(self, i)).collect();
            self.build_vector_literal(ty, parts, span)
        };
        Some(self.after([a, b], result))
    }

    /// `__builtin_convertvector(v, T)`: each component converted as a cast does it.
    pub(super) fn convert_vector(&mut self, e: Expr, to: TypeId, text: &str) -> Option<Expr> {
        let e = self.to_rvalue(e);
        if is_error(&e) || to == Types::ERROR {
            return None;
        }
        match (self.types.get(e.ty.ty), self.types.get(to)) {
            (Type::Vector(_, a), Type::Vector(_, b)) if a == b => Some(self.cast_arithmetic(e, to)),
            _ => {
                let wanted = format!("a vector of as many components as '{}' has", self.type_id_text(to));
                self.bad_argument(&e, text, &wanted);
                None
            }
        }
    }
}

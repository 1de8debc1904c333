//! The functions of clang whose arguments are types, are not evaluated, or are typed in a way of their own.

use super::super::context::Sema;
use super::super::convert::{error_expr, is_error, rvalue};
use super::super::vector::Access;
use crate::hir::{CastKind, Constant, Expr, ExprKind};
use crate::intrinsics::Form;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::Prefix;
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

impl Sema<'_> {
    /// A form. A type among its arguments is an expression of the type.
    pub(super) fn call_form(
        &mut self,
        form: Form,
        args: Vec<Expr>,
        text: &str,
        at: Span,
        span: Span,
    ) -> Expr {
        let result = if form.has_syntax() {
            self.form_of_types(form, args, text, at, span)
        } else {
            self.form_of_values(form, args, text, span)
        };
        result.map_or_else(|| error_expr(span), |e| Expr { span, ..e })
    }

    /// The forms with a syntax of their own: the parser has counted their arguments.
    fn form_of_types(
        &mut self,
        form: Form,
        args: Vec<Expr>,
        text: &str,
        at: Span,
        span: Span,
    ) -> Option<Expr> {
        let mut args = args.into_iter();
        if form == Form::Function {
            return Some(self.function_name(at));
        }
        let first = args.next()?;
        if form == Form::Offsetof {
            return Some(self.offset_of(first, at, span));
        }
        let second = args.next()?;
        match form {
            Form::Astype => Some(self.build_astype(first, second.ty.ty, span)),
            Form::BitCast => {
                let ty = first.ty.ty;
                let same = second.ty.ty == ty;
                Some(if same { self.to_rvalue(second) } else { self.build_astype(second, ty, span) })
            }
            Form::ConvertVector => self.convert_vector(first, second.ty.ty, text),
            Form::TypesCompatible => {
                let same = self.same_type(first.ty.ty, second.ty.ty);
                Some(self.number(same.into(), Scalar::Int, at))
            }
            Form::ChooseExpr => self.choose_expr(first, second, args.next()?, text, at),
            _ => None,
        }
    }

    /// The forms whose arguments are expressions.
    fn form_of_values(&mut self, form: Form, args: Vec<Expr>, text: &str, span: Span) -> Option<Expr> {
        if form == Form::ConstantP {
            let [value] = self.exactly(args, text, span)?;
            return Some(self.is_constant(value, span));
        }
        if form == Form::ObjectSize {
            let [pointer, kind] = self.exactly(args, text, span)?;
            return self.object_size(pointer, kind, text, span);
        }
        let args: Vec<Expr> = args.into_iter().map(|a| self.to_rvalue(a)).collect();
        if args.iter().any(is_error) {
            return None;
        }
        let long = Types::scalar(Scalar::Long);
        match form {
            Form::Expect => {
                let [value, _] = self.exactly(args, text, span)?;
                Some(self.explicit_cast(value, long, span))
            }
            Form::ExpectWithProbability => {
                let [value, _, _] = self.exactly(args, text, span)?;
                Some(self.explicit_cast(value, long, span))
            }
            Form::Assume => {
                let [condition] = self.exactly(args, text, span)?;
                let condition = self.to_bool_condition(condition);
                // Checked, not computed: nothing here gains by it.
                (!is_error(&condition)).then(|| self.nothing(span))
            }
            Form::Launder => {
                let [value] = self.exactly(args, text, span)?;
                Some(value)
            }
            Form::AssumeAligned => {
                let mut args = args;
                if args.len() == 3 {
                    args.pop();
                }
                let [pointer, _] = self.exactly(args, text, span)?;
                let Some(pointee) = self.types.pointee(pointer.ty.ty) else {
                    self.bad_argument(&pointer, text, "a pointer");
                    return None;
                };
                let void = self.types.pointer(QualType { ty: Types::VOID, ..pointee });
                Some(self.explicit_cast(pointer, void, span))
            }
            Form::Unreachable => {
                let [] = self.exactly(args, text, span)?;
                Some(self.nothing(span))
            }
            Form::Trap => {
                let [] = self.exactly(args, text, span)?;
                let message = format!("'{text}' does nothing: a kernel cannot be stopped from within");
                self.warning("ignored-builtin", span, message);
                Some(self.nothing(span))
            }
            Form::Prefetch => {
                let Some(pointer) = args.into_iter().next() else {
                    self.error("argument-count", span, format!("'{text}' takes a pointer"));
                    return None;
                };
                if !self.is_a_pointer(&pointer) {
                    self.bad_argument(&pointer, text, "a pointer");
                    return None;
                }
                Some(self.cast(CastKind::ToVoid, pointer, Types::VOID))
            }
            Form::LoadHalf => {
                let [pointer] = self.exactly(args, text, span)?;
                let zero = self.number(0, Scalar::Int, span);
                let value = self.call_named("vload_half", vec![zero, pointer], span);
                Some(if text.ends_with("halff") { value } else { self.as_scalar(value, Scalar::Double) })
            }
            Form::StoreHalf => {
                let [value, pointer] = self.exactly(args, text, span)?;
                let zero = self.number(0, Scalar::Int, span);
                Some(self.call_named("vstore_half", vec![value, zero, pointer], span))
            }
            Form::ShuffleVector => self.shuffle_vector(args, text, span),
            _ => None,
        }
    }

    /// A void expression without effect.
    fn nothing(&mut self, span: Span) -> Expr {
        let zero = self.number(0, Scalar::Int, span);
        self.cast(CastKind::ToVoid, zero, Types::VOID)
    }

    /// `__builtin_constant_p(e)`: whether the value is known here; `e` is not evaluated.
    fn is_constant(&mut self, e: Expr, span: Span) -> Expr {
        let is_string = matches!(e.kind, ExprKind::Global(_)) && self.string_of(&e).is_some();
        let known = is_string || (self.types.scalar_and_lanes(e.ty.ty).is_some() && self.value(&e).is_some());
        self.number(known.into(), Scalar::Int, span)
    }

    /// `__builtin_choose_expr(constant, a, b)`: one of the two as it is; the other produces nothing.
    fn choose_expr(&mut self, condition: Expr, then: Expr, els: Expr, text: &str, at: Span) -> Option<Expr> {
        let condition = self.to_rvalue(condition);
        match self.const_eval_int(&condition) {
            Some(value) => Some(if value != 0 { then } else { els }),
            None => {
                if !is_error(&condition) {
                    let message =
                        format!("the first argument of '{text}' is to be an integer constant expression");
                    self.error("not-constant", at, message);
                }
                None
            }
        }
    }

    /// `__builtin_object_size(p, kind)`: the bytes from `p` to the end of a variable that is named here, else all or
    /// nothing; `p` is not evaluated.
    fn object_size(&mut self, pointer: Expr, kind: Expr, text: &str, span: Span) -> Option<Expr> {
        let pointer = self.to_rvalue(pointer);
        if is_error(&pointer) {
            return None;
        }
        if !self.is_a_pointer(&pointer) {
            self.bad_argument(&pointer, text, "a pointer");
            return None;
        }
        let kind = self.to_rvalue(kind);
        let Some(kind @ 0..=3) = self.const_eval_int(&kind) else {
            self.error(
                "not-constant",
                kind.span,
                format!("the second argument of '{text}' is a constant from 0 to 3"),
            );
            return None;
        };
        let size_t = self.types.size_t();
        let unknown = if kind < 2 { self.options.address_width.bytes() as i64 * 8 } else { 0 };
        let unknown = match unknown {
            64 => -1,
            32 => i64::from(u32::MAX),
            _ => 0,
        };
        let mut at = &pointer;
        while let ExprKind::Cast { kind: CastKind::PointerBitcast | CastKind::PointerSpace, operand } =
            &at.kind
        {
            at = operand;
        }
        let object = match &at.kind {
            ExprKind::ArrayDecay(object) | ExprKind::AddressOf(object) => Some(object),
            _ => None,
        };
        let size = object
            .filter(|o| matches!(o.kind, ExprKind::Local(_) | ExprKind::Global(_)))
            .and_then(|o| self.types.layout(o.ty.ty))
            .map_or(unknown, |l| l.size as i64);
        Some(rvalue(ExprKind::Constant(Constant::Int(size)), size_t, span))
    }

    /// The member of a type that begins the designator of `__builtin_offsetof`, whose name stands at `start`.
    pub(in super::super) fn offset_member(
        &mut self,
        ty: TypeId,
        name: Symbol,
        at: Span,
        start: Span,
    ) -> Expr {
        let base = self.object_at_zero(ty, start);
        self.build_member(base, Access { name, at, operator: None, span: at })
    }

    /// `__builtin_offsetof ( type , member-designator )`.
    fn offset_of(&mut self, member: Expr, start: Span, span: Span) -> Expr {
        let address = self.build_prefix(Prefix::AddressOf, member, start);
        let size_t = self.types.size_t();
        let offset = self.explicit_cast(address, size_t, span);
        match self.const_eval(&offset, size_t) {
            Some(value) => rvalue(ExprKind::Constant(value), size_t, span),
            None => offset,
        }
    }

    /// The object that a null pointer would point to.
    fn object_at_zero(&mut self, ty: TypeId, span: Span) -> Expr {
        if ty == Types::ERROR {
            return error_expr(span);
        }
        let pointee = self.in_space(QualType::new(ty), AddressSpace::Private);
        let pointer = self.types.intern(Type::Pointer(pointee));
        let null = rvalue(ExprKind::Constant(Constant::Zero), pointer, span);
        self.build_prefix(Prefix::Deref, null, span)
    }
}

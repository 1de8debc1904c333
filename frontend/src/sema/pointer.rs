//! Conversions of pointers with the rules of address spaces (A-10 … A-14), and casts (OpenCL C §6.4; C99 §6.3.2.3, §6.5.4).

use super::context::Sema;
use super::convert::*;
use super::state::{Shown, What};
use crate::hir::{CastKind, Constant, Expr, ExprKind};
use crate::source::Span;
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

/// How one pointer type converts to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpaceRule {
    /// One space.
    Same,
    /// A named space to generic.
    ToGeneric,
    /// Generic to a named space: only by a cast.
    FromGeneric,
    /// Never.
    Disjoint,
}

/// Why two pointers come to have one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// They are compared or subtracted.
    Compared,
    /// A condition chooses one of them.
    Chosen,
}

fn space_rule(from: AddressSpace, to: AddressSpace) -> SpaceRule {
    match (from, to) {
        (a, b) if a == b => SpaceRule::Same,
        (AddressSpace::Constant, _) | (_, AddressSpace::Constant) => SpaceRule::Disjoint,
        (_, AddressSpace::Generic) => SpaceRule::ToGeneric,
        (AddressSpace::Generic, _) => SpaceRule::FromGeneric,
        _ => SpaceRule::Disjoint,
    }
}

impl Sema<'_> {
    /// A null pointer constant (C99 §6.3.2.3): the integer constant 0, or that as `void *`.
    pub(super) fn is_null_constant(&self, e: &Expr) -> bool {
        // `(global void *)0` is a pointer to global memory, and not to any.
        let default = |space| matches!(space, AddressSpace::Private | AddressSpace::Generic);
        match e.kind {
            ExprKind::Constant(Constant::Int(0)) => true,
            ExprKind::Constant(Constant::Zero) => self
                .types
                .pointee(e.ty.ty)
                .is_some_and(|p| p.ty == Types::VOID && !p.is_const && !p.is_volatile && default(p.space)),
            _ => false,
        }
    }

    /// Implicit conversion between pointers.
    pub(super) fn convert_pointer(
        &mut self,
        e: Expr,
        from: QualType,
        target: QualType,
        to: TypeId,
        context: AssignContext,
    ) -> Expr {
        let rule = space_rule(from.space, target.space);
        if matches!(rule, SpaceRule::Disjoint | SpaceRule::FromGeneric) {
            return self.space_error(e, from, target, to, Some(context));
        }
        let from_type = e.ty.ty;
        let message = |p: &Self| p.context_message(context, &p.type_id_text(from_type), &p.type_id_text(to));
        let to_void = from.ty == Types::VOID || target.ty == Types::VOID;
        if !to_void && !self.same_type(from.ty, target.ty) {
            if self.nested_spaces_differ(from.ty, target.ty) {
                let (a, b) = self.innermost_spaces(from.ty, target.ty);
                let message = message(self);
                let message = format!(
                    "{message} changes the address space of a nested pointer from '{}' to '{}'",
                    a.name(),
                    b.name()
                );
                let notes = [self.declaration_note(&e), self.target_note()];
                let diagnostic = self.error("nested-address-space", e.span, message);
                diagnostic.remark("pointers to pointers to different address spaces do not convert");
                notes.into_iter().for_each(|note| add_declaration(diagnostic, note));
                return error_expr(e.span);
            }
            let message = message(self);
            self.warning(
                "incompatible-pointer-types",
                e.span,
                format!("{message}: the pointees have different types"),
            );
        }
        // Nothing in `__constant` can be written, with const or without.
        let drops_const = from.is_const && !target.is_const && target.space != AddressSpace::Constant;
        if drops_const || (from.is_volatile && !target.is_volatile) {
            let message = message(self);
            self.warning("discards-qualifiers", e.span, format!("{message} discards qualifiers"));
        }
        self.pointer_node(e, rule, to)
    }

    fn pointer_node(&mut self, e: Expr, rule: SpaceRule, to: TypeId) -> Expr {
        if e.ty.ty == to {
            return e;
        }
        if let ExprKind::Constant(Constant::Zero) = e.kind {
            return rvalue(e.kind, to, e.span);
        }
        let kind = if rule == SpaceRule::Same { CastKind::PointerBitcast } else { CastKind::PointerSpace };
        self.cast(kind, e, to)
    }

    /// The diagnostic of rules: names both spaces and shows the declaration.
    fn space_error(
        &mut self,
        e: Expr,
        from: QualType,
        target: QualType,
        to: TypeId,
        context: Option<AssignContext>,
    ) -> Expr {
        let (from_text, to_text) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
        let what = match context {
            Some(context) => self.context_message(context, &from_text, &to_text),
            None => format!("casting '{from_text}' to '{to_text}'"),
        };
        let (a, b) = (from.space.name(), target.space.name());
        let message = format!("{what} changes the address space of the pointer from '{a}' to '{b}'");
        let declaration = self.declaration_note(&e);
        let target_declaration = context.and_then(|_| self.target_note());
        let is_string = self.refers_to_string(&e);
        let span = e.span;
        let pointee = self.type_text(QualType { space: AddressSpace::Private, is_const: false, ..target });
        let diagnostic = self.error("address-space", span, message);
        match (from.space, target.space) {
            _ if is_string => {
                diagnostic.remark(format!(
                    "a string literal is in '__constant': declare it as '__constant {pointee} *'"
                ));
            }
            (AddressSpace::Constant, _) | (_, AddressSpace::Constant) => {
                diagnostic.remark("'__constant' never converts to or from another address space");
            }
            (AddressSpace::Generic, _) => {
                diagnostic.remark("'__generic' converts to a named address space only by an explicit cast");
            }
            _ => {
                diagnostic.remark("named address spaces never convert to each other");
            }
        }
        add_declaration(diagnostic, declaration);
        add_declaration(diagnostic, target_declaration);
        error_expr(span)
    }

    /// Runs `convert` with what is converted to declared at `span`: a refusal shows it.
    pub(super) fn with_target<T>(
        &mut self,
        target: Option<Shown>,
        convert: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.target, target);
        let result = convert(self);
        self.target = outer;
        result
    }

    /// The note that shows a declaration.
    pub(super) fn declared_note(&self, declared: Shown) -> (Span, String) {
        let Shown { span, what } = declared;
        let text = match what {
            What::Variable(name, ty) => {
                format!("'{}' is declared here as '{}'", self.symbols.text(name), self.type_text(ty))
            }
            What::Global(id, ty) => {
                let name = self.globals.get(id.0 as usize).map_or("", |g| g.name.as_str());
                let name = name.rsplit('.').next().unwrap_or(name);
                format!("'{name}' is declared here as '{}'", self.type_text(ty))
            }
            What::Parameter(ty) => format!("the parameter is declared here as '{}'", self.type_text(ty)),
            What::Function(name, ret) => {
                let (name, ret) = (self.symbols.text(name), self.type_id_text(ret));
                format!("'{name}' is declared here to return '{ret}'")
            }
        };
        (span, text)
    }

    /// The note that shows what is being initialised, assigned, passed or returned to.
    pub(super) fn target_note(&self) -> Option<(Span, String)> {
        self.target.map(|declared| self.declared_note(declared))
    }

    fn refers_to_string(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::ArrayDecay(base) => match base.kind {
                ExprKind::Global(id) => {
                    self.globals.get(id.0 as usize).is_some_and(|g| g.name.starts_with(".str."))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The note that shows where the variable that an expression is built on was declared.
    pub(super) fn declaration_note(&self, e: &Expr) -> Option<(Span, String)> {
        self.declaration(e).map(|declared| self.declared_note(declared))
    }

    /// The declaration of the variable that an expression is built on.
    pub(super) fn declaration(&self, e: &Expr) -> Option<Shown> {
        match &e.kind {
            ExprKind::Load(inner)
            | ExprKind::AddressOf(inner)
            | ExprKind::ArrayDecay(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Member { base: inner, .. }
            | ExprKind::Swizzle { base: inner, .. }
            | ExprKind::VectorElement { base: inner, .. }
            | ExprKind::PointerOffset { pointer: inner, .. } => self.declaration(inner),
            ExprKind::Cast { kind: CastKind::PointerBitcast, operand } => self.declaration(operand),
            ExprKind::Local(id) => {
                let local = self.function.as_ref()?.locals.get(id.0 as usize)?;
                Some(Shown::variable(local.name?, local.ty, local.span))
            }
            ExprKind::Global(id) => {
                let global = self.globals.get(id.0 as usize)?;
                if global.name.starts_with(".str.") {
                    return None;
                }
                Some(Shown { span: global.span, what: What::Global(*id, global.ty) })
            }
            _ => None,
        }
    }

    /// Returns whether two types are the same but for the spaces recorded inside arrays, enumerations counting as
    /// their integers and an array without length as any.
    pub(super) fn same_type(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Array(x, n), Type::Array(y, m)) => {
                (n == m || n.is_none() || m.is_none()) && self.same_type(x.ty, y.ty)
            }
            (Type::Pointer(x), Type::Pointer(y)) => {
                x.space == y.space
                    && x.is_const == y.is_const
                    && x.is_volatile == y.is_volatile
                    && self.same_type(x.ty, y.ty)
            }
            (Type::Enum(e), Type::Scalar(s)) | (Type::Scalar(s), Type::Enum(e)) => {
                let underlying = self.types.enums.get(e.0 as usize).map_or(Scalar::Int, |e| e.underlying);
                s.size() == underlying.size() && s.is_integer()
            }
            _ => false,
        }
    }

    /// The first spaces, from the outside, in which two pointee types differ.
    fn innermost_spaces(&self, a: TypeId, b: TypeId) -> (AddressSpace, AddressSpace) {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Pointer(x), Type::Pointer(y)) if x.space == y.space => self.innermost_spaces(x.ty, y.ty),
            (Type::Pointer(x), Type::Pointer(y)) => (x.space, y.space),
            _ => (AddressSpace::Private, AddressSpace::Private),
        }
    }

    /// Returns whether two pointee types hold pointers to different spaces (rule A-13).
    fn nested_spaces_differ(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                x.space != y.space || self.nested_spaces_differ(x.ty, y.ty)
            }
            _ => false,
        }
    }

    /// A type to which two pointers convert for a comparison or a conditional (C99 §6.5.15; rule A-12);
    /// `None` after a diagnostic.
    pub(super) fn common_pointer(
        &mut self,
        a: Expr,
        b: Expr,
        span: Span,
        why: Meeting,
    ) -> Option<(Expr, Expr)> {
        if self.is_null_constant(&a) || self.is_null_constant(&b) {
            let ty = if self.is_null_constant(&b) { a.ty.ty } else { b.ty.ty };
            let null = |e: Expr| rvalue(ExprKind::Constant(Constant::Zero), ty, e.span);
            let (null_a, null_b) = (self.is_null_constant(&a), self.is_null_constant(&b));
            return Some((
                if null_a && ty != a.ty.ty { null(a) } else { a },
                if null_b { null(b) } else { b },
            ));
        }
        let (pa, pb) = (self.types.pointee(a.ty.ty)?, self.types.pointee(b.ty.ty)?);
        let constant = pa.space == AddressSpace::Constant || pb.space == AddressSpace::Constant;
        let space = match space_rule(pa.space, pb.space) {
            SpaceRule::Same => pa.space,
            SpaceRule::ToGeneric | SpaceRule::FromGeneric => AddressSpace::Generic,
            // One pointer for several spaces is what rule A-12 asks for, though the specification calls it an error
            // (§6.7, clause 6.5.15); what is compared or subtracted would have no meaning (clauses 6.5.8, 6.5.9).
            SpaceRule::Disjoint if why == Meeting::Chosen && self.has_generic_space() && !constant => {
                let (sa, sb) = (pa.space.name(), pb.space.name());
                let message = format!(
                    "a choice between pointers to '{sa}' and '{sb}', taken as generic, is an error elsewhere"
                );
                self.warning("disjoint-address-spaces", span, message);
                AddressSpace::Generic
            }
            SpaceRule::Disjoint => {
                let (ta, tb) = (self.type_id_text(a.ty.ty), self.type_id_text(b.ty.ty));
                let (sa, sb) = (pa.space.name(), pb.space.name());
                let message = format!(
                    "the pointers are to different address spaces, '{sa}' and '{sb}': '{ta}' and '{tb}'"
                );
                let notes = [self.declaration_note(&a), self.declaration_note(&b)];
                let diagnostic = self.error("address-space", span, message);
                for note in notes {
                    add_declaration(diagnostic, note);
                }
                return None;
            }
        };
        let same = self.same_type(pa.ty, pb.ty);
        let has_void = pa.ty == Types::VOID || pb.ty == Types::VOID;
        if !same && !has_void {
            let (ta, tb) = (self.type_id_text(a.ty.ty), self.type_id_text(b.ty.ty));
            let id = match why {
                Meeting::Compared => "compare-distinct-pointer-types",
                Meeting::Chosen => "pointer-type-mismatch",
            };
            self.warning(id, span, format!("pointers to different types: '{ta}' and '{tb}'"));
        }
        let pointee = QualType {
            ty: if same { pa.ty } else { Types::VOID },
            space,
            is_const: pa.is_const || pb.is_const,
            is_volatile: pa.is_volatile || pb.is_volatile,
            is_restrict: false,
            // What is less aligned may be what is chosen.
            aligned: pa.aligned.into_iter().chain(pb.aligned).min(),
        };
        let ty = self.types.pointer(pointee);
        let a = self.pointer_node(a, space_rule(pa.space, space), ty);
        let b = self.pointer_node(b, space_rule(pb.space, space), ty);
        Some((a, b))
    }

    /// An explicit cast `(to)e` (§6.4.2; C99 §6.5.4).
    pub(super) fn explicit_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        // What is dropped need not be read: an atomic object may be named so.
        let dropped = to == Types::VOID && matches!(self.types.get(e.ty.ty), Type::Atomic(_));
        let e = if dropped { e } else { self.to_rvalue(e) };
        if is_error(&e) || to == Types::ERROR {
            return error_expr(span);
        }
        if to == Types::VOID {
            return rvalue(ExprKind::Cast { kind: CastKind::ToVoid, operand: Box::new(e) }, to, span);
        }
        if e.ty.ty == to {
            return Expr { span, ..e };
        }
        let (from, target) = (self.types.scalar_and_lanes(e.ty.ty), self.types.scalar_and_lanes(to));
        if matches!(target, Some((Scalar::Half, _))) && !self.has_fp16() {
            let message = "a value of type 'half' needs cl_khr_fp16, which this device does not have";
            self.error("needs-feature", span, message)
                .remark("vstore_half writes floats as halves on every device");
            return error_expr(span);
        }
        let result = match (from, target) {
            (Some((_, 1)), Some((_, 1))) => self.cast_arithmetic(e, to),
            (Some((_, 1)), Some(_)) => self.splat_cast(e, to),
            (Some(_), Some(_)) => return self.vector_cast_error(e, to, span),
            _ => match (self.types.get(e.ty.ty).clone(), self.types.get(to).clone()) {
                (Type::Pointer(from), Type::Pointer(target)) => self.cast_pointer(e, from, target, to),
                (Type::Pointer(_), Type::Scalar(Scalar::Bool)) => self.convert_to_bool(e),
                (Type::Pointer(_), Type::Scalar(s)) if s.is_integer() => {
                    self.cast(CastKind::PointerToInt, e, to)
                }
                (Type::Pointer(_), Type::Enum(_)) => {
                    let size = self.types.size_t();
                    let address = self.cast(CastKind::PointerToInt, e, size);
                    self.cast_arithmetic(address, to)
                }
                (Type::Scalar(_) | Type::Enum(_), Type::Pointer(_)) => self.cast_to_pointer(e, to, span),
                // No event yet (§6.15.11), no queue: the one number that is cast to an opaque type.
                (Type::Scalar(_), Type::Event | Type::Opaque(_))
                    if self.is_null_constant(&e) && self.has_null(to) =>
                {
                    rvalue(ExprKind::Constant(Constant::Zero), to, span)
                }
                _ => self.bad_cast(e, to, span),
            },
        };
        Expr { span, ..result }
    }

    fn cast_to_pointer(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        match e.kind {
            ExprKind::Constant(Constant::Int(0)) => rvalue(ExprKind::Constant(Constant::Zero), to, span),
            _ if self.types.scalar_and_lanes(e.ty.ty).is_some_and(|(s, _)| s.is_integer()) => {
                self.cast(CastKind::IntToPointer, e, to)
            }
            _ => self.bad_cast(e, to, span),
        }
    }

    fn cast_pointer(&mut self, e: Expr, from: QualType, target: QualType, to: TypeId) -> Expr {
        let rule = space_rule(from.space, target.space);
        if rule == SpaceRule::Disjoint && !self.is_null_constant(&e) {
            return self.space_error(e, from, target, to, None);
        }
        self.pointer_node(e, rule, to)
    }

    fn vector_cast_error(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let (from_text, to_text) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
        let lanes = |t| self.types.scalar_and_lanes(t).map_or(0, |(_, n)| n);
        let hint = if lanes(e.ty.ty) == lanes(to) {
            format!("use convert_{to_text}() to convert the values, or as_{to_text}() to keep the bits")
        } else if lanes(to) == 1 {
            "select a component, as in v.x".to_owned()
        } else {
            format!("as_{to_text}() keeps the bits of a value of the same size")
        };
        self.error("vector-cast", span, format!("'{from_text}' cannot be cast to '{to_text}'")).remark(hint);
        error_expr(span)
    }

    fn bad_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let message =
            format!("'{}' cannot be cast to '{}'", self.type_id_text(e.ty.ty), self.type_id_text(to));
        self.error("invalid-cast", span, message);
        error_expr(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_converts_to_nothing_and_generic_back_only_by_cast() {
        use AddressSpace::*;
        assert_eq!(space_rule(Global, Generic), SpaceRule::ToGeneric);
        assert_eq!(space_rule(Generic, Local), SpaceRule::FromGeneric);
        assert_eq!(space_rule(Constant, Generic), SpaceRule::Disjoint);
        assert_eq!(space_rule(Generic, Constant), SpaceRule::Disjoint);
        assert_eq!(space_rule(Global, Local), SpaceRule::Disjoint);
        assert_eq!(space_rule(Private, Private), SpaceRule::Same);
    }
}

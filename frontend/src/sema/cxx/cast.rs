//! Casts: `static_cast` and its kin, functional and C-style casts of classes, `addrspace_cast`.

use super::Stash;
use super::construct::Value;
use crate::hir::{CastKind, Expr, ExprKind};
use crate::sema::context::Sema;
use crate::sema::convert::{AssignContext, error_expr, is_error, rvalue};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::types::{AddressSpace, QualType, Type, TypeId, Types};

impl Sema<'_> {
    /// `word<ty>(e)`
    pub(in crate::sema) fn named_cast(&mut self, word: Symbol, ty: QualType, e: Expr, span: Span) -> Expr {
        if is_error(&e) || ty.ty == Types::ERROR {
            return error_expr(span);
        }
        if let Type::Reference(referred, rvalued) = *self.types.get(ty.ty) {
            return self.cast_to_reference(word, referred, rvalued, e, span);
        }
        let result = match word {
            kw::ADDRSPACE_CAST => self.space_cast(e, ty.ty, span),
            kw::CONST_CAST => self.const_cast(e, ty.ty, span),
            kw::REINTERPRET_CAST => self.reinterpret_cast(e, ty.ty, span),
            _ => self.static_cast(e, ty.ty, span),
        };
        Expr { span, ..result }
    }

    fn bad_named_cast(&mut self, word: &str, e: &Expr, to: TypeId, span: Span) -> Expr {
        let message = format!(
            "'{word}' does not convert '{}' to '{}'",
            self.type_id_text(e.ty.ty),
            self.type_id_text(to)
        );
        self.error("invalid-cast", span, message);
        error_expr(span)
    }

    fn cast_to_reference(
        &mut self,
        word: Symbol,
        referred: QualType,
        rvalued: bool,
        e: Expr,
        span: Span,
    ) -> Expr {
        let object = if e.kind.is_lvalue() { e } else { self.as_object(e) };
        if is_error(&object) {
            return object;
        }
        let to = self.types.pointer(referred);
        // To a derived class, or the same by its address.
        let pointer = self.address_of_object(object);
        let pointer = match word {
            kw::STATIC_CAST => self.static_cast(pointer, to, span),
            kw::ADDRSPACE_CAST => self.space_cast(pointer, to, span),
            kw::CONST_CAST => self.const_cast(pointer, to, span),
            _ => self.reinterpret_cast(pointer, to, span),
        };
        if is_error(&pointer) {
            return pointer;
        }
        let object = Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: referred, span };
        match rvalued {
            // What moves is a value from here on.
            true => self.movable(object),
            false => object,
        }
    }

    fn static_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        if self.class_of(to).is_some() || self.class_of(e.ty.ty).is_some() {
            return self.cast_class(e, to, span);
        }
        if to == Types::VOID {
            return self.explicit_cast(e, to, span);
        }
        let e = self.to_rvalue(e);
        let (from, target) = (self.types.scalar_and_lanes(e.ty.ty), self.types.scalar_and_lanes(to));
        match (self.types.get(e.ty.ty).clone(), self.types.get(to).clone()) {
            _ if from.is_some() && target.is_some() => self.explicit_cast(e, to, span),
            (Type::Pointer(a), Type::Pointer(b)) => {
                let classes = (self.class_of(a.ty), self.class_of(b.ty));
                let spaces = a.space == b.space
                    || (b.space == AddressSpace::Generic && a.space != AddressSpace::Constant);
                let qualified = (b.is_const || !a.is_const) && (b.is_volatile || !a.is_volatile);
                if let (Some(from), Some(derived)) = classes
                    && from != derived
                    && self.derives_from(derived, from, 0)
                    && spaces
                    && qualified
                {
                    return self.derived_pointer(e, from, derived, b, to);
                }
                if a.ty == Types::VOID && b.ty != Types::VOID && spaces && qualified {
                    return self.explicit_cast(e, to, span);
                }
                if !spaces || !qualified {
                    return self.bad_named_cast("static_cast", &e, to, span);
                }
                self.convert_for_assignment(e, QualType::new(to), AssignContext::Initialize)
            }
            _ => self.convert_for_assignment(e, QualType::new(to), AssignContext::Initialize),
        }
    }

    /// A pointer to a base as one to a class that derives from it.
    fn derived_pointer(
        &mut self,
        e: Expr,
        base: crate::types::RecordId,
        derived: crate::types::RecordId,
        target: QualType,
        to: TypeId,
    ) -> Expr {
        let offset = self.base_offset(derived, base).unwrap_or(0);
        let Some(from) = self.types.pointee(e.ty.ty) else { return e };
        let span = e.span;
        let byte = QualType { ty: Types::scalar(crate::types::Scalar::Char), ..from };
        let bytes = self.types.pointer(byte);
        let mut pointer = self.cast(CastKind::PointerBitcast, e, bytes);
        if offset != 0 {
            let index =
                rvalue(ExprKind::Constant(crate::hir::Constant::Int(offset as i64)), Types::INT, span);
            let kind = ExprKind::PointerOffset {
                pointer: Box::new(pointer),
                index: Box::new(index),
                subtract: true,
            };
            pointer = rvalue(kind, bytes, span);
        }
        let same = self.types.pointer(QualType { space: from.space, ..target });
        let pointer = self.cast(CastKind::PointerBitcast, pointer, same);
        if same == to { pointer } else { self.cast(CastKind::PointerSpace, pointer, to) }
    }

    fn base_offset(&self, class: crate::types::RecordId, base: crate::types::RecordId) -> Option<u64> {
        if class == base {
            return Some(0);
        }
        let facts = self.class_facts(class)?;
        facts.bases.iter().find_map(|(inner, field, _)| {
            let rest = self.base_offset(*inner, base)?;
            let at = match field {
                Some(field) => *self.types.record_layout(class)?.offsets.get(*field as usize)?,
                None => 0,
            };
            Some(at + rest)
        })
    }

    fn cast_class(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        if e.ty.ty == to {
            let copies = self.class_of(to).and_then(|c| self.class_facts(c)).is_some_and(|c| c.copies);
            if copies && e.kind.is_lvalue() {
                return self.constructed(QualType::new(to), Value::Args(vec![e]), span);
            }
            return self.to_rvalue(e);
        }
        if to == Types::VOID {
            return rvalue(
                ExprKind::Cast { kind: CastKind::ToVoid, operand: Box::new(self.to_rvalue(e)) },
                to,
                span,
            );
        }
        if let (Some(a), Some(b)) = (self.class_of(e.ty.ty), self.class_of(to))
            && self.derives_from(a, b, 0)
        {
            let e = self.base_object(e, a, b, span);
            return self.to_rvalue(e);
        }
        if self.class_of(e.ty.ty).is_some() || self.class_facts_of(to).is_none_or(|c| c) {
            if let Some(value) = self.user_conversion(&e, QualType::new(to), true, span) {
                return value;
            }
            return self.bad_named_cast("a cast", &e, to, span);
        }
        self.constructed(QualType::new(to), Value::Args(vec![e]), span)
    }

    /// Whether a class has constructors.
    fn class_facts_of(&self, ty: TypeId) -> Option<bool> {
        self.class_of(ty).and_then(|c| self.class_facts(c)).map(|c| c.has_constructors)
    }

    /// `T(e)`, and `(T)e` where a class takes part.
    pub(in crate::sema) fn functional_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        if let Some(Stash::Braced(_)) = self.unstash(&e) {
            return self.convert_for_assignment(e, QualType::new(to), AssignContext::Initialize);
        }
        if let Type::Reference(referred, rvalued) = *self.types.get(to) {
            return self.cast_to_reference(kw::REINTERPRET_CAST, referred, rvalued, e, span);
        }
        if self.class_of(to).is_some() || self.class_of(e.ty.ty).is_some() {
            return self.cast_class(e, to, span);
        }
        if let (Some(a), Some(b)) = (self.types.pointee(e.ty.ty), self.types.pointee(to))
            && let (Some(from), Some(derived)) = (self.class_of(a.ty), self.class_of(b.ty))
            && from != derived
        {
            if self.derives_from(derived, from, 0) {
                return self.derived_pointer(e, from, derived, b, to);
            }
            if self.derives_from(from, derived, 0) {
                return self.convert_for_assignment(e, QualType::new(to), AssignContext::Initialize);
            }
        }
        self.explicit_cast(e, to, span)
    }

    /// Between address spaces alone.
    fn space_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let e = self.to_rvalue(e);
        let (Some(a), Some(b)) = (self.types.pointee(e.ty.ty), self.types.pointee(to)) else {
            return self.bad_named_cast("addrspace_cast", &e, to, span);
        };
        let plain = |q: QualType| QualType { space: AddressSpace::Private, ..q };
        if plain(a) != plain(b) && !self.same_type(a.ty, b.ty) {
            return self.bad_named_cast("addrspace_cast", &e, to, span);
        }
        if a.is_const && !b.is_const {
            return self.bad_named_cast("addrspace_cast", &e, to, span);
        }
        self.explicit_cast(e, to, span)
    }

    /// Qualifiers alone, at each level of pointers ([expr.const.cast]).
    fn const_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let e = self.to_rvalue(e);
        if self.types.pointee(to).is_none() || !self.is_similar(e.ty.ty, to) {
            return self.bad_named_cast("const_cast", &e, to, span);
        }
        self.explicit_cast(e, to, span)
    }

    /// Returns whether two types differ in `const` and `volatile` of what they point to alone ([conv.qual]). Spaces are the same.
    fn is_similar(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.pointee(a), self.types.pointee(b)) {
            (Some(a), Some(b)) => a.space == b.space && self.is_similar(a.ty, b.ty),
            (None, None) => self.same_type(a, b),
            _ => false,
        }
    }

    /// The same bits: between pointers, pointers and integers, and values of one size.
    fn reinterpret_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let e = self.to_rvalue(e);
        let itself = matches!(
            self.types.get(to),
            Type::Scalar(_) | Type::Vector(..) | Type::Pointer(_) | Type::Enum(_)
        );
        if e.ty.ty == to && itself {
            return e;
        }
        let size = |p: &Self, ty| p.types.layout(ty).map(|l| l.size);
        match (self.types.get(e.ty.ty).clone(), self.types.get(to).clone()) {
            (Type::Pointer(a), Type::Pointer(b)) => {
                let spaces = a.space == b.space
                    || (b.space == AddressSpace::Generic && a.space != AddressSpace::Constant);
                if !spaces || (a.is_const && !b.is_const) {
                    return self.bad_named_cast("reinterpret_cast", &e, to, span);
                }
                self.explicit_cast(e, to, span)
            }
            (Type::Pointer(_), Type::Scalar(s)) | (Type::Scalar(s), Type::Pointer(_)) if s.is_integer() => {
                self.explicit_cast(e, to, span)
            }
            (Type::Scalar(_) | Type::Vector(..), Type::Vector(..)) | (Type::Vector(..), Type::Scalar(_))
                if size(self, e.ty.ty) == size(self, to) =>
            {
                self.cast(CastKind::Bitcast, e, to)
            }
            _ => self.bad_named_cast("reinterpret_cast", &e, to, span),
        }
    }
}

//! Vectors and members: component access (§6.3.7, "Vector Components"), vector literals (§6.3.6),
//! subscripts, and the members of structs and unions.

use super::context::Sema;
use super::convert::{error_expr, is_error, rvalue};
use crate::hir::{CastKind, Constant, Expr, ExprKind, Init};
use crate::options::LangVersion;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{QualType, RecordId, Scalar, Type, TypeId, Types};

/// The components that a name selects of a vector with `lanes` components.
///
/// # Errors
/// The message, when the name selects nothing, too much, or what is not there.
fn select_components(name: &str, lanes: u8) -> Result<Vec<u8>, String> {
    // A 3-component vector counts as one of 4: what its last component gives is undefined, and what is assigned
    // to it is lost.
    let whole = if lanes == 3 { 4 } else { lanes };
    match name {
        "lo" => return Ok((0..whole / 2).collect()),
        "hi" => return Ok((whole / 2..whole).collect()),
        "even" => return Ok((0..whole).step_by(2).collect()),
        "odd" => return Ok((1..whole).step_by(2).collect()),
        _ => {}
    }
    let numeric = name.len() > 1 && name.starts_with(['s', 'S']);
    let letters = if numeric { &name[1..] } else { name };
    let index = |c: char| match c {
        _ if numeric => c.to_digit(16).map(|d| d as u8),
        'x' | 'r' => Some(0),
        'y' | 'g' => Some(1),
        'z' | 'b' => Some(2),
        'w' | 'a' => Some(3),
        _ => None,
    };
    let mut components = Vec::with_capacity(letters.len().min(16));
    for c in letters.chars() {
        let component = index(c).ok_or_else(|| format!("'{name}' selects no vector components"))?;
        if component >= lanes {
            return Err(format!("component '{c}' is beyond the end of a vector of {lanes} components"));
        }
        components.push(component);
    }
    let is_color = |c: char| "rgba".contains(c);
    if !numeric && letters.contains(is_color) && !letters.chars().all(is_color) {
        return Err(format!("'{name}' mixes the letters xyzw and rgba"));
    }
    match components.len() {
        1 | 2 | 3 | 4 | 8 | 16 => Ok(components),
        n => Err(format!("'{name}' selects {n} components; a vector has 2, 3, 4, 8 or 16")),
    }
}

/// `.name` or `->name`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    /// The member.
    pub name: Symbol,
    /// Where its name stands.
    pub at: Span,
    /// `.` or `->`, where there is one.
    pub operator: Option<Span>,
    /// The whole expression.
    pub span: Span,
}

impl Sema<'_> {
    /// Types `base.name`.
    pub(super) fn build_member(&mut self, base: Expr, access: Access) -> Expr {
        let Access { name, span, .. } = access;
        if is_error(&base) {
            return error_expr(span);
        }
        match *self.types.get(base.ty.ty) {
            Type::Vector(scalar, lanes) => self.vector_components(base, scalar, lanes, name, span),
            Type::Record(record) => self.record_member(base, record, access),
            Type::Pointer(_) => {
                let message =
                    format!("'{}' is a pointer: use '->' to reach a member", self.type_id_text(base.ty.ty));
                let diagnostic = self.error("member-of-pointer", span, message);
                if let Some(operator) = access.operator {
                    diagnostic.replace(operator, "->");
                }
                error_expr(span)
            }
            _ => {
                let message = format!("'{}' has no members", self.type_id_text(base.ty.ty));
                self.error("no-member", span, message);
                error_expr(span)
            }
        }
    }

    /// Types `base->name`.
    pub(super) fn build_arrow(&mut self, base: Expr, access: Access) -> Expr {
        let span = access.span;
        let base = self.to_rvalue(base);
        if is_error(&base) {
            return error_expr(span);
        }
        if self.types.pointee(base.ty.ty).is_none() {
            let message =
                format!("'{}' is no pointer: use '.' to reach a member", self.type_id_text(base.ty.ty));
            let has_members = matches!(self.types.get(base.ty.ty), Type::Record(_) | Type::Vector(..));
            let diagnostic = self.error("not-a-pointer", span, message);
            if let Some(operator) = access.operator.filter(|_| has_members) {
                diagnostic.replace(operator, ".");
            }
            return error_expr(span);
        }
        let object = self.dereference(base, span);
        self.build_member(object, access)
    }

    fn record_member(&mut self, base: Expr, record: RecordId, access: Access) -> Expr {
        let Access { name, span, .. } = access;
        let text = self.symbols.shared(name);
        if self.types.record(record).fields.is_none() {
            let message = format!("'{}' is an incomplete type", self.type_id_text(base.ty.ty));
            self.error("incomplete-type", span, message);
            return error_expr(span);
        }
        let Some(path) = self.find_member(record, name) else {
            let message = format!("'{}' has no member named '{text}'", self.type_id_text(base.ty.ty));
            let near = self.similar_member(record, &text);
            let diagnostic = self.error("no-member", span, message);
            if let Some((near, at)) = near {
                diagnostic.note(at, format!("did you mean '{near}'?")).replace(access.at, near);
            }
            return error_expr(span);
        };
        path.into_iter().fold(base, |base, field| self.field(base, field, span))
    }

    pub(super) fn similar_member(&self, record: RecordId, name: &str) -> Option<(String, Span)> {
        let fields = self.types.record(record).fields.as_ref()?;
        let near = |symbol: Symbol| {
            let text = self.symbols.text(symbol);
            crate::diag::edit_distance(name, text).map(|d| (d, text.to_owned()))
        };
        let candidates = fields.iter().filter_map(|f| near(f.name?).map(|(d, t)| (d, t, f.span)));
        candidates.min_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1))).map(|(_, text, span)| (text, span))
    }

    /// One step into a record: the member has the record's space and qualifiers beside its own.
    pub(super) fn field(&mut self, base: Expr, field: u32, span: Span) -> Expr {
        let Type::Record(record) = *self.types.get(base.ty.ty) else { return error_expr(span) };
        let fields = self.types.record(record).fields.as_ref();
        let Some(declared) = fields.and_then(|f| f.get(field as usize)).map(|f| f.ty) else {
            return error_expr(span);
        };
        let is_array = matches!(self.types.get(declared.ty), Type::Array(..));
        // An array in a value has no address to decay to: the value goes into an object first.
        let base = if is_array && !base.kind.is_lvalue() { self.materialize(base) } else { base };
        if is_error(&base) {
            return base;
        }
        if base.kind.is_lvalue() {
            let placed = self.in_space(declared, base.ty.space);
            let ty = self.with_qualifiers(placed, base.ty.is_const, base.ty.is_volatile, false);
            Expr { kind: ExprKind::Member { base: Box::new(base), field }, ty, span }
        } else {
            rvalue(ExprKind::MemberValue { base: Box::new(base), field }, declared.ty, span)
        }
    }

    /// A value as a fresh object.
    fn materialize(&mut self, e: Expr) -> Expr {
        let (ty, span) = (QualType::new(e.ty.ty), e.span);
        if self.function.is_none() {
            self.error("initializer-not-constant", span, "this is not a compile-time constant");
            return error_expr(span);
        }
        let local = self.new_local(None, ty, span);
        Expr { kind: ExprKind::CompoundLiteral { local, init: Box::new(Init::Whole(e)) }, ty, span }
    }

    fn vector_components(&mut self, base: Expr, scalar: Scalar, lanes: u8, name: Symbol, span: Span) -> Expr {
        let text = self.symbols.shared(name);
        let components = match select_components(&text, lanes) {
            Ok(components) => components,
            Err(message) => {
                self.error("invalid-swizzle", span, message);
                return error_expr(span);
            }
        };
        let color = !text.starts_with(['s', 'S']) && text.contains(['r', 'g', 'b', 'a']) && text.len() <= 4;
        let named = matches!(&*text, "lo" | "hi" | "even" | "odd");
        if color && !named && self.options.std < LangVersion::Cl3_0 {
            self.warning(
                "rgba-swizzle",
                span,
                format!("'{text}': the letters rgba are a feature of OpenCL C 3.0"),
            );
        }
        self.swizzle(base, scalar, components, span)
    }

    /// Components of a vector; of a selection, the components that it stands for.
    fn swizzle(&mut self, base: Expr, scalar: Scalar, components: Vec<u8>, span: Span) -> Expr {
        let ty = self.types.vector(scalar, components.len() as u8);
        let through = |inner: &[u8]| -> Vec<u8> {
            components.iter().map(|c| inner.get(usize::from(*c)).copied().unwrap_or(0)).collect()
        };
        match base.kind {
            ExprKind::Swizzle { base: inner, components: selected } => {
                let components = through(&selected);
                Expr {
                    kind: ExprKind::Swizzle { base: inner, components },
                    ty: component_type(ty, scalar, base.ty),
                    span,
                }
            }
            ExprKind::SwizzleValue { base: inner, components: selected } => {
                let components = through(&selected);
                rvalue(ExprKind::SwizzleValue { base: inner, components }, ty, span)
            }
            _ if base.kind.is_lvalue() => {
                let ty = component_type(ty, scalar, base.ty);
                Expr { kind: ExprKind::Swizzle { base: Box::new(base), components }, ty, span }
            }
            _ => {
                let e = rvalue(ExprKind::SwizzleValue { base: Box::new(base), components }, ty, span);
                self.fold(e)
            }
        }
    }

    /// Types `a[b]`: pointers and arrays on either side, and vectors as an extension.
    pub(super) fn build_index(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        if is_error(&a) || is_error(&b) {
            return error_expr(span);
        }
        let (a, b) = match self.cxx.enabled {
            true => match self.cxx_index(a, b, span) {
                Ok(call) => return call,
                Err(operands) => operands,
            },
            false => (a, b),
        };
        if let Type::Vector(scalar, lanes) = *self.types.get(a.ty.ty) {
            return self.vector_index(a, scalar, lanes, b, span);
        }
        let (a, b) = (self.to_rvalue(a), self.to_rvalue(b));
        if is_error(&a) || is_error(&b) {
            return error_expr(span);
        }
        let (pointer, index) = if self.types.pointee(a.ty.ty).is_some() { (a, b) } else { (b, a) };
        if self.types.pointee(pointer.ty.ty).is_none() {
            let message = format!(
                "a subscripted value must be an array, a pointer or a vector ('{}' is none)",
                self.type_id_text(index.ty.ty)
            );
            self.error("invalid-subscript", span, message);
            return error_expr(span);
        }
        if !self.is_integer_scalar(index.ty.ty) {
            return self.bad_index(&index);
        }
        match self.pointer_offset(pointer, index, false, span) {
            Some(pointer) => self.dereference(pointer, span),
            None => error_expr(span),
        }
    }

    fn is_integer_scalar(&self, ty: TypeId) -> bool {
        self.types.scalar_and_lanes(ty).is_some_and(|(s, n)| n == 1 && s.is_integer())
    }

    fn bad_index(&mut self, index: &Expr) -> Expr {
        let message =
            format!("a subscript must be an integer ('{}' is none)", self.type_id_text(index.ty.ty));
        self.error("invalid-subscript", index.span, message);
        error_expr(index.span)
    }

    fn vector_index(&mut self, base: Expr, scalar: Scalar, lanes: u8, index: Expr, span: Span) -> Expr {
        let index = self.to_rvalue(index);
        if is_error(&index) {
            return error_expr(span);
        }
        if !self.is_integer_scalar(index.ty.ty) {
            return self.bad_index(&index);
        }
        if let ExprKind::Constant(Constant::Int(i)) = index.kind {
            return match u8::try_from(i) {
                Ok(i) if i < lanes => self.swizzle(base, scalar, vec![i], span),
                _ => {
                    let message =
                        format!("component {i} is beyond the end of a vector of {lanes} components");
                    self.error("invalid-subscript", span, message);
                    error_expr(span)
                }
            };
        }
        let index = Box::new(self.promote(index));
        let ty = Types::scalar(scalar);
        // A selection cannot be subscripted in place; as a value it can.
        let base = if matches!(base.kind, ExprKind::Swizzle { .. }) { self.to_rvalue(base) } else { base };
        if is_error(&base) {
            return error_expr(span);
        }
        if base.kind.is_lvalue() {
            let ty = component_type(ty, scalar, base.ty);
            Expr { kind: ExprKind::VectorElement { base: Box::new(base), index }, ty, span }
        } else {
            rvalue(ExprKind::VectorElementValue { base: Box::new(base), index }, ty, span)
        }
    }

    /// Types `(vector)(parts…)` with more than one part, or the components of `{…}` for a vector.
    pub(super) fn build_vector_literal(&mut self, vector: TypeId, parts: Vec<Expr>, span: Span) -> Expr {
        let Type::Vector(scalar, lanes) = *self.types.get(vector) else { return error_expr(span) };
        let mut count = 0usize;
        let mut converted = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.to_rvalue(part);
            if is_error(&part) {
                return error_expr(span);
            }
            let Some(part) = self.literal_part(part, scalar) else { return error_expr(span) };
            count += self.types.scalar_and_lanes(part.ty.ty).map_or(0, |(_, n)| usize::from(n));
            converted.push(part);
        }
        if count != usize::from(lanes) {
            let what = if count < usize::from(lanes) { "too few" } else { "too many" };
            let message =
                format!("{what} components for '{}': {count} instead of {lanes}", self.type_id_text(vector));
            self.error("vector-literal-count", span, message);
            return error_expr(span);
        }
        let e = rvalue(ExprKind::VectorLiteral(converted), vector, span);
        self.fold(e)
    }

    /// A part of a vector literal: a scalar converts to the element type, a vector has to be of it.
    fn literal_part(&mut self, part: Expr, scalar: Scalar) -> Option<Expr> {
        let element = Types::scalar(scalar);
        match self.types.scalar_and_lanes(part.ty.ty) {
            Some((_, 1)) => Some(self.cast_arithmetic(part, element)),
            Some((s, _)) if s == scalar => Some(part),
            _ => {
                let (found, wanted) = (self.type_id_text(part.ty.ty), scalar.name());
                let message = format!("'{found}' cannot be part of a vector of '{wanted}'");
                self.error("vector-literal-part", part.span, message);
                None
            }
        }
    }

    /// `__builtin_astype(e, T)`, what `as_T(e)` means: the same bits (§6.4.4.2).
    pub(super) fn build_astype(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let e = self.to_rvalue(e);
        if is_error(&e) || to == Types::ERROR {
            return error_expr(span);
        }
        let size = |t| self.types.scalar_and_lanes(t).and_then(|_| self.types.layout(t)).map(|l| l.size);
        match (size(e.ty.ty), size(to)) {
            (Some(a), Some(b)) if a == b => Expr { span, ..self.cast(CastKind::Bitcast, e, to) },
            _ => {
                let (from, to) = (self.type_id_text(e.ty.ty), self.type_id_text(to));
                self.error("astype-size", span, format!("'{from}' and '{to}' are not of one size"));
                error_expr(span)
            }
        }
    }
}

/// The type of components of a vector object: a typedef's alignment of the vector says nothing of them, unless it is
/// less than theirs.
fn component_type(ty: TypeId, scalar: Scalar, vector: QualType) -> QualType {
    QualType { ty, aligned: vector.aligned.filter(|a| *a < scalar.size()), ..vector }
}

#[cfg(test)]
mod tests {
    use super::select_components;

    #[test]
    fn names_of_components() {
        let ok = |name: &str, lanes: u8| select_components(name, lanes).ok();
        assert_eq!(ok("x", 2), Some(vec![0]));
        assert_eq!(ok("wzyx", 4), Some(vec![3, 2, 1, 0]));
        assert_eq!(ok("rgb", 4), Some(vec![0, 1, 2]));
        assert_eq!(ok("s0aF1b", 16), None);
        assert_eq!(ok("s0aF1", 16), Some(vec![0, 10, 15, 1]));
        assert_eq!(ok("S01234567", 8), Some(vec![0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(ok("lo", 8), Some(vec![0, 1, 2, 3]));
        assert_eq!(ok("hi", 2), Some(vec![1]));
        assert_eq!(ok("odd", 4), Some(vec![1, 3]));
        assert_eq!(ok("lo", 3), Some(vec![0, 1]));
        assert_eq!(ok("even", 3), Some(vec![0, 2]));
        assert_eq!(ok("hi", 3), Some(vec![2, 3]));
        for (name, lanes) in [
            ("z", 2),
            ("xr", 4),
            ("q", 4),
            ("s4", 4),
            ("xyzwx", 4),
            ("s", 4),
            ("sg", 16),
            ("é", 4),
            ("sé", 4),
        ] {
            assert_eq!(ok(name, lanes), None, "{name}");
        }
    }
}

//! Conversions of C++: by constructors and conversion functions, of classes to their bases; binding of references; and what
//! C++ refuses that C takes.

use super::construct::Form;
use super::{MemberOf, Stash};
use crate::hir::{Block, CastKind, Expr, ExprKind, FunctionId};
use crate::sema::context::Sema;
use crate::sema::convert::{AssignContext, error_expr, is_error, rvalue};
use crate::source::Span;
use crate::symbol::kw;
use crate::types::{AddressSpace, QualType, RecordId, Type, TypeId, Types};

/// The cost of a conversion by a function of a class.
const USER: u32 = 1000;

/// The object of which a value is that may be moved.
pub(in crate::sema) fn moved_object(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Statements { block, value: Some(value) } if block.stmts.is_empty() => match &value.kind {
            ExprKind::Load(object) => Some(object),
            _ => None,
        },
        _ => None,
    }
}

impl Sema<'_> {
    /// The C++ part of [`Sema::convert_for_assignment`]; `Err` gives back what C converts.
    pub(in crate::sema) fn cxx_convert(
        &mut self,
        e: Expr,
        to: QualType,
        context: AssignContext,
    ) -> Result<Expr, Expr> {
        if is_error(&e) {
            return Err(e);
        }
        let span = e.span;
        if let Some(stash) = self.unstash(&e).cloned() {
            return Ok(match stash {
                Stash::Braced(items) => self.constructed(to, super::construct::Value::Braced(items), span),
                Stash::Overloads(_) => {
                    self.refuse_cxx("pointers and references to functions", span);
                    error_expr(span)
                }
                Stash::Type(ty) => {
                    let text = self.type_text(ty);
                    self.error(
                        "type-as-value",
                        span,
                        format!("expected an expression, found the type '{text}'"),
                    );
                    error_expr(span)
                }
            });
        }
        let (from, target) = (self.class_of(e.ty.ty), self.class_of(to.ty));
        match (from, target) {
            (None, None) => {}
            (Some(from), Some(target)) if from == target => {
                let copies = self.class_facts(target).is_some_and(|c| c.copies);
                let object = e.kind.is_lvalue() || moved_object(&e).is_some();
                if copies && object && context != AssignContext::Assign {
                    return Ok(self.constructed(to, super::construct::Value::Expr(e), span));
                }
                return Err(e);
            }
            (Some(from), Some(target)) if self.derives_from(from, target, 0) => {
                let e = self.base_object(e, from, target, span);
                return Ok(self.convert_for_assignment(e, to, context));
            }
            _ => {
                if let Some(converted) = self.user_conversion(&e, to, false, span) {
                    return Ok(converted);
                }
                let (from, to) = (self.type_id_text(e.ty.ty), self.type_id_text(to.ty));
                let message = self.context_message(context, &from, &to);
                self.error("incompatible-types", span, format!("{message}: there is no conversion"));
                return Ok(error_expr(span));
            }
        }
        let e = self.to_rvalue(e);
        self.check_strict(&e, to, context)?;
        match self.types.get(to.ty) {
            Type::Pointer(target) => {
                let target = *target;
                self.pointer_to_base(e, target)
            }
            _ => Err(e),
        }
    }

    /// What C++ does not convert implicitly; reports it and gives the value for C's conversion otherwise.
    fn check_strict(&mut self, e: &Expr, to: QualType, context: AssignContext) -> Result<(), Expr> {
        let fail = |p: &mut Self, why: &str| {
            let (from, to) = (p.type_id_text(e.ty.ty), p.type_id_text(to.ty));
            let message = p.context_message(context, &from, &to);
            p.error("incompatible-types", e.span, format!("{message}: {why}"));
            Err(error_expr(e.span))
        };
        if e.ty.ty == to.ty || self.is_null_constant(e) {
            return Ok(());
        }
        match (self.types.get(e.ty.ty), self.types.get(to.ty)) {
            (Type::Enum(a), _) if self.cxx.scoped_enums.contains(a) => {
                fail(self, "an 'enum class' converts by a cast only")
            }
            (Type::Scalar(_), Type::Enum(_)) => {
                fail(self, "an integer becomes an enumeration by a cast only")
            }
            (Type::Enum(_), Type::Enum(_)) => fail(self, "enumerations convert by a cast only"),
            (Type::Pointer(from), Type::Pointer(target)) => {
                let (from, target) = (*from, *target);
                if target.space == AddressSpace::Constant || from.space == AddressSpace::Constant {
                    return Ok(());
                }
                let drops = (from.is_const && !target.is_const) || (from.is_volatile && !target.is_volatile);
                if drops {
                    return fail(self, "qualifiers are dropped");
                }
                let classes = (self.class_of(from.ty), self.class_of(target.ty));
                let derived = matches!(classes, (Some(a), Some(b)) if self.derives_from(a, b, 0));
                let same = self.same_type(from.ty, target.ty) || derived || target.ty == Types::VOID;
                if !same && !matches!(self.types.get(from.ty), Type::Pointer(_)) {
                    return fail(self, "the pointees have different types");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A pointer to a class as one to its base.
    fn pointer_to_base(&mut self, e: Expr, target: QualType) -> Result<Expr, Expr> {
        let Some(from) = self.types.pointee(e.ty.ty) else { return Err(e) };
        let (Some(a), Some(b)) = (self.class_of(from.ty), self.class_of(target.ty)) else { return Err(e) };
        if a == b || !self.derives_from(a, b, 0) {
            return Err(e);
        }
        let span = e.span;
        let object = Expr { kind: ExprKind::Deref(Box::new(e)), ty: from, span };
        let base = self.base_object(object, a, b, span);
        Err(self.address_of_object(base))
    }

    /// A conversion by a constructor of the target, or by a function of the class that is converted. `explicit`: those that
    /// must be asked for count.
    pub(in crate::sema) fn user_conversion(
        &mut self,
        e: &Expr,
        to: QualType,
        explicit: bool,
        span: Span,
    ) -> Option<Expr> {
        if let Some(from) = self.class_of(e.ty.ty)
            && let Some(function) = self.conversion_function(from, e, to.ty, explicit)
        {
            let object = self.as_object(e.clone());
            let value = self.build_call(function, Some(object), Vec::new(), span, span);
            return Some(self.convert_for_assignment(value, to, AssignContext::Initialize));
        }
        let target = self.class_of(to.ty)?;
        if !explicit && self.constructor_cost(e, target).is_none() {
            return None;
        }
        let has = self.class_facts(target).is_some_and(|c| c.members.contains_key(&kw::CONSTRUCTOR));
        if !has {
            return None;
        }
        if self.function.is_none() {
            let args = vec![e.clone()];
            return Some(self.constructed(to, super::construct::Value::Args(args), span));
        }
        let ty = QualType::new(to.ty);
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let mut stmts = vec![crate::hir::Stmt { kind: crate::hir::StmtKind::Declare(local, None), span }];
        let errors = self.diags.error_count();
        let form = if explicit { Form::Explicit } else { Form::Implicit };
        self.construct(place.clone(), target, vec![e.clone()], form, span, &mut stmts);
        if self.diags.error_count() > errors {
            return Some(error_expr(span));
        }
        self.note_temporary(local, ty);
        let value = rvalue(ExprKind::Load(Box::new(place)), ty.ty, span);
        let block = crate::hir::Block { stmts };
        Some(rvalue(ExprKind::Statements { block, value: Some(Box::new(value)) }, ty.ty, span))
    }

    /// The conversion function of a class whose result converts best.
    pub(in crate::sema) fn conversion_function(
        &mut self,
        class: RecordId,
        object: &Expr,
        to: TypeId,
        explicit: bool,
    ) -> Option<FunctionId> {
        let (_, member, _) = self.find_member_of(class, kw::CONVERSION, 0)?;
        let MemberOf::Functions(list, _) = member else { return None };
        let mut best: Option<(u32, FunctionId)> = None;
        for function in list {
            let facts = self.cxx.facts.get(&function)?;
            if facts.is_explicit && !explicit {
                continue;
            }
            let ty = self.function_type(function);
            let Some(this) = ty.params.first().copied() else { continue };
            let Some(object) = self.object_cost(object, this) else { continue };
            let ret = match *self.types.get(ty.ret) {
                Type::Reference(referred, _) => referred.ty,
                _ => ty.ret,
            };
            let sample = rvalue(ExprKind::Error, ret, Span::default());
            let Some(cost) = self.plain_cost(&sample, to) else { continue };
            let cost = cost * 16 + object;
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, function));
            }
        }
        best.map(|(_, function)| function)
    }

    /// Returns what it costs to make an object of a class of a value, by a constructor that is not explicit.
    fn constructor_cost(&mut self, e: &Expr, class: RecordId) -> Option<u32> {
        let Some((MemberOf::Functions(list, templates), _)) =
            self.class_facts(class).and_then(|c| c.members.get(&kw::CONSTRUCTOR)).cloned()
        else {
            return None;
        };
        let mut best = None;
        for function in list {
            let facts = self.cxx.facts.get(&function)?;
            let (is_explicit, defaults) = (facts.is_explicit, facts.defaults.len());
            let params = self.function_type(function).params;
            let takes = params.len() == 2 || (params.len() > 2 && params.len() - 2 <= defaults);
            if is_explicit || !takes {
                continue;
            }
            // No second conversion by a class.
            let param = match *self.types.get(params[1]) {
                Type::Reference(referred, _) => referred.ty,
                _ => params[1],
            };
            if let Some(cost) = self.plain_cost(e, param)
                && best.is_none_or(|b| cost < b)
            {
                best = Some(cost);
            }
        }
        if best.is_none() && !templates.is_empty() {
            return Some(50);
        }
        best
    }

    /// The cost of a conversion that no class takes part in, but for one to a base.
    pub(in crate::sema) fn plain_cost(&mut self, e: &Expr, to: TypeId) -> Option<u32> {
        if let (Some(from), Some(target)) = (self.class_of(e.ty.ty), self.class_of(to)) {
            if from == target {
                return Some(0);
            }
            return self.derives_from(from, target, 0).then_some(30);
        }
        if self.class_of(e.ty.ty).is_some() || self.class_of(to).is_some() {
            return None;
        }
        let sample = self.decayed(e);
        if matches!(self.types.get(to), Type::Sampler)
            && matches!(self.types.get(e.ty.ty), Type::Scalar(s) if s.is_integer())
            && self.const_eval_int(e).is_some()
        {
            return Some(20);
        }
        if self.is_null_constant(e) && self.types.pointee(to).is_some() && e.ty.ty != to {
            return Some(20);
        }
        if let (Some(a), Some(b)) = (self.types.pointee(sample.ty.ty), self.types.pointee(to))
            && let (Some(from), Some(target)) = (self.class_of(a.ty), self.class_of(b.ty))
            && from != target
        {
            let spaces =
                a.space == b.space || (b.space == AddressSpace::Generic && a.space != AddressSpace::Constant);
            return (self.derives_from(from, target, 0) && spaces && (b.is_const || !a.is_const))
                .then_some(30);
        }
        match (self.types.get(sample.ty.ty), self.types.get(to)) {
            (Type::Enum(a), Type::Enum(b)) if a != b => return None,
            (Type::Enum(a), Type::Scalar(_) | Type::Vector(..)) if self.cxx.scoped_enums.contains(a) => {
                return None;
            }
            (Type::Scalar(_), Type::Enum(_)) => return None,
            (Type::Pointer(_), Type::Scalar(crate::types::Scalar::Bool)) => return Some(45),
            (Type::Pointer(a), Type::Pointer(b)) if self.same_type(a.ty, b.ty) => {
                // Exact but for qualifiers and the space.
                if (a.is_const && !b.is_const) || (a.is_volatile && !b.is_volatile) {
                    return None;
                }
                let qualifiers = u32::from(a.is_const != b.is_const || a.is_volatile != b.is_volatile);
                return match (a.space, b.space) {
                    (x, y) if x == y => Some(qualifiers),
                    (AddressSpace::Constant, _) => None,
                    (_, AddressSpace::Generic) => Some(2 + qualifiers),
                    _ => None,
                };
            }
            _ => {}
        }
        self.conversion_cost(&sample, to).map(|cost| match cost {
            0 => 0,
            1 => 10,
            cost => 10 * u32::from(cost),
        })
    }

    /// The value that an expression would be, for its type alone.
    fn decayed(&mut self, e: &Expr) -> Expr {
        match *self.types.get(e.ty.ty) {
            Type::Array(element, _) => {
                let pointee = self.element_type(e.ty, element);
                let ty = self.types.pointer(pointee);
                rvalue(ExprKind::Error, ty, e.span)
            }
            _ if matches!(e.kind, ExprKind::Constant(_)) => e.clone(),
            _ => rvalue(ExprKind::Error, e.ty.ty, e.span),
        }
    }

    /// What it costs to pass an argument: 0 is none; `None` where it cannot be.
    pub(in crate::sema) fn argument_cost(&mut self, e: &Expr, param: TypeId) -> Option<u32> {
        if let Some(stash) = self.unstash(e) {
            return match stash {
                Stash::Braced(_) => Some(40),
                _ => None,
            };
        }
        match *self.types.get(param) {
            Type::Reference(referred, rvalued) => self.reference_cost(e, referred, rvalued),
            _ => {
                if let Some(cost) = self.plain_cost(e, param) {
                    return Some(cost);
                }
                self.user_cost(e, param)
            }
        }
    }

    fn user_cost(&mut self, e: &Expr, to: TypeId) -> Option<u32> {
        if let Some(from) = self.class_of(e.ty.ty)
            && self.conversion_function(from, e, to, false).is_some()
        {
            return Some(USER);
        }
        let target = self.class_of(to)?;
        self.constructor_cost(e, target).map(|cost| USER + cost)
    }

    fn reference_cost(&mut self, e: &Expr, referred: QualType, rvalued: bool) -> Option<u32> {
        let lvalue = e.kind.is_lvalue()
            || matches!(
                e.kind,
                ExprKind::Assign { .. }
                    | ExprKind::CompoundAssign { .. }
                    | ExprKind::IncDec { prefix: true, .. }
            );
        let same = self.same_type(e.ty.ty, referred.ty);
        let derived = match (self.class_of(e.ty.ty), self.class_of(referred.ty)) {
            (Some(a), Some(b)) => a != b && self.derives_from(a, b, 0),
            _ => false,
        };
        if (same || derived) && (lvalue || referred.is_const || rvalued) {
            if lvalue && rvalued {
                return None;
            }
            if lvalue
                && ((e.ty.is_const && !referred.is_const) || (e.ty.is_volatile && !referred.is_volatile))
            {
                return None;
            }
            let space = if lvalue { e.ty.space } else { AddressSpace::Private };
            let space = match (space, referred.space) {
                (a, b) if a == b => 0,
                (AddressSpace::Constant, _) => return None,
                (_, AddressSpace::Generic) => 2,
                _ => return None,
            };
            let qualifiers = u32::from(lvalue && e.ty.is_const != referred.is_const);
            let kind = u32::from(!lvalue && !rvalued);
            return Some(space + qualifiers + kind + if derived { 30 } else { 0 });
        }
        if !(referred.is_const || rvalued) {
            return None;
        }
        if !matches!(referred.space, AddressSpace::Generic | AddressSpace::Private) {
            return None;
        }
        let cost = match self.plain_cost(e, referred.ty) {
            Some(cost) => cost,
            None => self.user_cost(e, referred.ty)?,
        };
        Some(cost + 3)
    }

    /// What it costs to call a member function on an object; `this` is the type of its pointer.
    pub(in crate::sema) fn object_cost(&mut self, object: &Expr, this: TypeId) -> Option<u32> {
        let pointee = self.types.pointee(this)?;
        let (from, to) = (self.class_of(object.ty.ty)?, self.class_of(pointee.ty)?);
        if !self.derives_from(from, to, 0) {
            return None;
        }
        let lvalue = object.kind.is_lvalue();
        if lvalue
            && ((object.ty.is_const && !pointee.is_const) || (object.ty.is_volatile && !pointee.is_volatile))
        {
            return None;
        }
        let space = if lvalue { object.ty.space } else { AddressSpace::Private };
        let space = match (space, pointee.space) {
            (a, b) if a == b => 0,
            (AddressSpace::Constant, _) => return None,
            (_, AddressSpace::Generic) => 2,
            _ => return None,
        };
        let qualifiers = u32::from(object.ty.is_const != pointee.is_const);
        Some(space + qualifiers)
    }

    /// The pointer that a reference is, bound to an object, or to one without a name that a value becomes.
    pub(in crate::sema) fn bind_reference(
        &mut self,
        e: Expr,
        referred: QualType,
        rvalued: bool,
        what: &str,
    ) -> Expr {
        let span = e.span;
        if is_error(&e) || referred.ty == Types::ERROR {
            return error_expr(span);
        }
        let e = if e.kind.is_lvalue() || rvalued { e } else { self.object_of_value(e) };
        let moved = moved_object(&e).filter(|_| rvalued || referred.is_const).cloned();
        let (e, rvalued) = match moved {
            Some(object) => (object, false),
            None => (e, rvalued),
        };
        let pointer_type = self.types.pointer(referred);
        let same = self.same_type(e.ty.ty, referred.ty);
        let derived = match (self.class_of(e.ty.ty), self.class_of(referred.ty)) {
            (Some(a), Some(b)) if a != b && self.derives_from(a, b, 0) => Some((a, b)),
            _ => None,
        };
        if e.kind.is_lvalue() && (same || derived.is_some()) && !rvalued {
            let (from, to) = (self.type_text(e.ty), self.type_text(referred));
            if (e.ty.is_const && !referred.is_const) || (e.ty.is_volatile && !referred.is_volatile) {
                let message = format!("{what} a reference to '{to}' with '{from}' drops qualifiers");
                self.error("discards-qualifiers", span, message);
                return error_expr(span);
            }
            let e = match derived {
                Some((a, b)) => self.base_object(e, a, b, span),
                None => e,
            };
            let pointer = self.address_of_object(e);
            return self.convert_for_assignment(
                pointer,
                QualType::new(pointer_type),
                AssignContext::Initialize,
            );
        }
        if rvalued && e.kind.is_lvalue() && (same || derived.is_some()) {
            let text = self.type_text(e.ty);
            let message = format!("an rvalue reference cannot be bound to the object of type '{text}'");
            self.error("reference-binding", span, message)
                .remark("static_cast<T &&>(x) makes an rvalue of it");
            return error_expr(span);
        }
        if !referred.is_const && !rvalued {
            let (from, to) = (self.type_text(e.ty), self.type_text(referred));
            let message = match same {
                true => format!("a reference to '{to}' that is not const cannot be bound to a value"),
                false => format!("a reference to '{to}' that is not const cannot be bound to '{from}'"),
            };
            self.error("reference-binding", span, message);
            return error_expr(span);
        }
        if !matches!(referred.space, AddressSpace::Generic | AddressSpace::Private) {
            let message = format!(
                "a reference to {} memory cannot be bound to a value: what it becomes is in __private",
                referred.space.name()
            );
            self.error("reference-binding", span, message);
            return error_expr(span);
        }
        let value = QualType::new(referred.ty);
        let value = match derived {
            Some(_) => e,
            None => self.convert_for_assignment(e, value, AssignContext::Initialize),
        };
        if is_error(&value) {
            return value;
        }
        let object = self.as_object(value);
        let object = match derived {
            Some((a, b)) => self.base_object(object, a, b, span),
            None => object,
        };
        if is_error(&object) {
            return object;
        }
        let pointer = self.address_of_object(object);
        self.pointer_in_space(pointer, pointer_type)
    }

    /// A pointer to private memory as one of a reference's type.
    fn pointer_in_space(&mut self, pointer: Expr, to: TypeId) -> Expr {
        let (Some(from), Some(target)) = (self.types.pointee(pointer.ty.ty), self.types.pointee(to)) else {
            return pointer;
        };
        if pointer.ty.ty == to {
            return pointer;
        }
        let kind = if from.space == target.space { CastKind::PointerBitcast } else { CastKind::PointerSpace };
        self.cast(kind, pointer, to)
    }

    /// The value of a `switch`: a class converts by its only function.
    pub(in crate::sema) fn integer_of_class(&mut self, e: Expr) -> Expr {
        if self.class_of(e.ty.ty).is_some() { self.cxx_value(e) } else { e }
    }

    // ---- objects that may be moved ----

    /// An object that may be moved: a value that says which object it is of.
    pub(in crate::sema) fn movable(&mut self, object: Expr) -> Expr {
        let (ty, span) = (object.ty.ty, object.span);
        let value = self.to_rvalue(object);
        let kind = ExprKind::Statements { block: Block::default(), value: Some(Box::new(value)) };
        rvalue(kind, ty, span)
    }

    /// A condition of C++: a class converts to bool.
    pub(in crate::sema) fn cxx_condition(&mut self, e: Expr) -> Expr {
        match self.class_of(e.ty.ty) {
            Some(_) => {
                let span = e.span;
                match self.user_conversion(&e, QualType::new(Types::BOOL), true, span) {
                    Some(value) => value,
                    None => e,
                }
            }
            None => e,
        }
    }
}

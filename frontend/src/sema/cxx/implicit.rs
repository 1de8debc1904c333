//! The bodies of functions that no declaration gives: copies, moves, assignments, inherited constructors.

use super::method::{NOWHERE, without_const};
use super::{FunctionFacts, MemberOf, PendingBody, Role};
use crate::hir::{Expr, ExprKind, FunctionId, LocalId, Stmt, StmtKind};
use crate::sema::context::Sema;
use crate::sema::convert::{error_expr, rvalue};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::kw;
use crate::types::{QualType, RecordId, Type, Types};

impl Sema<'_> {
    /// Copies, or moves, the parts of an object.
    pub(in crate::sema) fn copy_parts(
        &mut self,
        class: RecordId,
        moves: bool,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let Some(object) = self.this_object(span) else { return };
        let source = self.own_local(LocalId(1), span);
        let count = self.types.record(class).fields.as_ref().map_or(0, Vec::len);
        for index in 0..count as u32 {
            let target = self.raw_field(object.clone(), index, span);
            let value = self.raw_field(source.clone(), index, span);
            let target = without_const(target);
            let moves = moves && self.class_of(value.ty.ty).is_some();
            let value = if moves { self.movable(value) } else { value };
            self.initialize(target, super::construct::Value::Expr(value), span, stmts);
        }
    }

    /// `using Base::Base;`: the constructors of a base are those of the class.
    pub(in crate::sema) fn inherit_constructors(&mut self, class: RecordId, base: RecordId, span: Span) {
        let Some((MemberOf::Functions(list, templates), access)) =
            self.class_facts(base).and_then(|c| c.members.get(&kw::CONSTRUCTOR)).cloned()
        else {
            return;
        };
        if !templates.is_empty() {
            self.lacks_cxx("the inheritance of constructors that are templates", span);
        }
        let record = self.types.intern(Type::Record(class));
        for from in list {
            let types = self.function_type(from).params;
            let Some(facts) = self.cxx.facts.get(&from).cloned() else { continue };
            // Those that copy or move are not inherited.
            let of_base = types.len() == 2
                && matches!(self.types.get(types[1]), Type::Reference(r, _) if self.types.get(r.ty) == &Type::Record(base));
            let Some(pointee) = types.first().and_then(|t| self.types.pointee(*t)).filter(|_| !of_base)
            else {
                continue;
            };
            let this = self.types.pointer(QualType { ty: record, ..pointee });
            let mut params = vec![self.object_parameter(this, span)];
            for ty in types.iter().skip(1) {
                params.push(self.object_parameter(*ty, span));
            }
            let context = facts.context.clone();
            let facts = FunctionFacts {
                class: Some(class),
                role: Role::Inherited,
                inherited: Some(from),
                access,
                ..facts
            };
            let Some(id) = self.add_member(class, kw::CONSTRUCTOR, Types::VOID, params.clone(), facts) else {
                continue;
            };
            let depth = self.cxx.depth;
            self.cxx.pending.push(PendingBody { id, at: NOWHERE, context, params, depth });
            self.note_special(class, kw::CONSTRUCTOR, id);
            self.add_member_function(class, kw::CONSTRUCTOR, id, access);
        }
    }

    /// The body of an inherited constructor: that of the base, and default values of the other parts.
    pub(in crate::sema) fn construct_inherited(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        id: FunctionId,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let from = self.cxx.facts.get(&id).and_then(|f| f.inherited);
        let base = from.and_then(|f| self.cxx.facts.get(&f)).and_then(|f| f.class);
        let (Some(from), Some(base)) = (from, base) else { return };
        let types = self.function_type(from).params;
        let mut args = Vec::new();
        for (index, ty) in types.iter().enumerate().skip(1) {
            let value = self.own_local(LocalId(index as u32), span);
            let by_value = !matches!(self.types.get(*ty), Type::Reference(_, false));
            args.push(if by_value { self.movable(value) } else { value });
        }
        self.construct_parts(typing, class, Vec::new(), Some((base, from, args)), span, stmts);
    }

    /// Returns whether a class has an implicit function that moves: it declares none that copies, moves, assigns or destroys.
    pub(in crate::sema) fn moves_implicitly(&self, class: RecordId) -> bool {
        let Some(facts) = self.class_facts(class) else { return false };
        let declares = |name| facts.members.contains_key(&name);
        let copies = match facts.members.get(&kw::CONSTRUCTOR) {
            Some((MemberOf::Functions(list, _), _)) => {
                list.iter().any(|id| self.is_copy_constructor(class, *id))
            }
            _ => false,
        };
        !declares(kw::DESTRUCTOR) && !declares(kw::OP_ASSIGN) && !copies
    }

    /// `a = b` of a class without an `operator=` of its own that has parts with one.
    pub(in crate::sema) fn implicit_assignment(&mut self, lhs: Expr, rhs: Expr, span: Span) -> Expr {
        let (Some(class), from) = (self.class_of(lhs.ty.ty), self.class_of(rhs.ty.ty)) else {
            return error_expr(span);
        };
        let rhs = match from {
            Some(from) if self.derives_from(from, class, 0) => rhs,
            _ => {
                let context = crate::sema::convert::AssignContext::Assign;
                self.convert_for_assignment(rhs, QualType::new(lhs.ty.ty), context)
            }
        };
        let moves = !rhs.kind.is_lvalue() && self.moves_implicitly(class);
        let role = if moves { Role::MoveAssign } else { Role::Assign };
        let Some(function) = self.implicit_member(class, role) else { return error_expr(span) };
        self.build_call(function, Some(lhs), vec![rhs], span, span)
    }

    /// The body of an implicit assignment.
    pub(in crate::sema) fn assign_parts(
        &mut self,
        class: RecordId,
        moves: bool,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let (Some(object), Some(pointer)) = (self.this_object(span), self.this_pointer(span)) else { return };
        let source = self.own_local(LocalId(1), span);
        let count = self.types.record(class).fields.as_ref().map_or(0, Vec::len);
        for index in 0..count as u32 {
            let target = self.raw_field(object.clone(), index, span);
            let value = self.raw_field(source.clone(), index, span);
            self.assign_part(target, value, moves, span, stmts);
        }
        if let Some(function) = &mut self.function {
            function.returns_value = true;
        }
        stmts.push(Stmt { kind: StmtKind::Return(Some(pointer)), span });
    }

    fn assign_part(&mut self, target: Expr, value: Expr, moves: bool, span: Span, stmts: &mut Vec<Stmt>) {
        if let Type::Array(_, Some(len)) = *self.types.get(target.ty.ty)
            && self.assigns_by_function(target.ty.ty)
        {
            for index in 0..len {
                let (to, from) = (
                    self.nth_element(target.clone(), index, span),
                    self.nth_element(value.clone(), index, span),
                );
                self.assign_part(to, from, moves, span, stmts);
            }
            return;
        }
        let ty = target.ty.ty;
        let assigned = if self.class_of(ty).is_some() {
            let value = if moves { self.movable(value) } else { value };
            self.build_assignment(None, target, value, span)
        } else {
            let value = rvalue(ExprKind::Load(Box::new(value)), ty, span);
            rvalue(ExprKind::Assign { lhs: Box::new(without_const(target)), rhs: Box::new(value) }, ty, span)
        };
        stmts.push(Stmt { kind: StmtKind::Expr(assigned), span });
    }
}

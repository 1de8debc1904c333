//! `new` and `delete`: calls of the operators that the program declares, and the objects that they make and destroy. The language
//! has no operators of its own.

use super::construct::Value;
use super::lookup::Found;
use super::{MemberOf, Overloads};
use crate::hir::{Block, CastKind, Constant, Expr, ExprKind, Stmt, StmtKind};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{error_expr, is_error, rvalue};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::ExprRange;
use crate::syntax::cxx::tree::New;
use crate::types::{QualType, Type, TypeId, Types};

impl Sema<'_> {
    /// `new (placement) T(args)`
    pub(in crate::sema) fn new_object(&mut self, typing: &mut Typing, tree: New, span: Span) -> Expr {
        let ty = QualType::new(self.type_named(typing, tree.ty).ty);
        let count = match tree.count {
            None => None,
            Some(range) => {
                let e = self.type_range(typing, range);
                let Some(count) = self.const_eval_int(&e).filter(|count| *count > 0) else {
                    if !is_error(&e) {
                        let message =
                            "the number of elements must be a positive constant in Pumice's own compiler";
                        self.error("template-argument", e.span, message);
                    }
                    return error_expr(span);
                };
                Some(count as u64)
            }
        };
        let placement = tree.placement.into_iter().map(|a| self.typed_initializer(typing, a)).collect();
        let value = match (tree.args, tree.list) {
            (Some(args), _) => {
                Value::Args(args.into_iter().map(|a| self.typed_initializer(typing, a)).collect())
            }
            (None, Some(list)) => Value::Braced(self.typed_items(typing, list)),
            (None, None) => Value::Default,
        };
        let made = match count {
            Some(count) => QualType::new(self.types.intern(Type::Array(ty, Some(count)))),
            None => ty,
        };
        let name = if count.is_some() { kw::OP_NEW_ARRAY } else { kw::OP_NEW };
        let Some(pointer) = self.allocated(name, tree.global, made.ty, ty.ty, placement, span) else {
            return error_expr(span);
        };
        let Some(raw) = self.types.pointee(pointer.ty.ty) else { return error_expr(span) };
        let to = self.types.pointer(QualType { space: raw.space, ..made });
        let pointer = self.cast(CastKind::PointerBitcast, pointer, to);
        let mut stmts = Vec::new();
        let pointer = self.kept_value_of(pointer, span, &mut stmts);
        let object = self.dereference(pointer.clone(), span);
        let errors = self.diags.error_count();
        self.initialize(object, value, span, &mut stmts);
        if self.diags.error_count() > errors {
            return error_expr(span);
        }
        let result = self.types.pointer(QualType { space: raw.space, ..ty });
        let first =
            if count.is_some() { self.cast(CastKind::PointerBitcast, pointer, result) } else { pointer };
        let kind = ExprKind::Statements { block: Block { stmts }, value: Some(Box::new(first)) };
        rvalue(kind, result, span)
    }

    /// The call of an operator `new` for an object of a type.
    fn allocated(
        &mut self,
        name: Symbol,
        global: bool,
        made: TypeId,
        element: TypeId,
        placement: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let Some(layout) = self.types.layout(made) else {
            if element != Types::ERROR {
                let text = self.type_id_text(element);
                let message = match self.types.layout(element) {
                    Some(_) => format!("an array of '{text}' is too large"),
                    None => format!("the incomplete type '{text}' has no size"),
                };
                self.error("incomplete-type", span, message);
            }
            return None;
        };
        let size = ExprKind::Constant(Constant::Int(layout.size as i64));
        let size = rvalue(size, self.types.size_t(), span);
        let args: Vec<Expr> = std::iter::once(size).chain(placement).collect();
        let overloads = self.allocation_operators(name, global, element, span)?;
        let call = self.call_overloads(overloads, args, span, span);
        (!is_error(&call)).then_some(call)
    }

    /// The operators that the program declares for objects of a type: those of its class, or those of the program.
    fn allocation_operators(
        &mut self,
        name: Symbol,
        global: bool,
        ty: TypeId,
        at: Span,
    ) -> Option<Overloads> {
        if let Some(class) = self.class_of(ty).filter(|_| !global)
            && let Some((_, MemberOf::Functions(functions, templates), _)) =
                self.find_member_of(class, name, 0)
        {
            return Some(Overloads { name, functions, templates, closed: true, ..Overloads::default() });
        }
        let found = self.find_in_namespace(self.cxx.root, name, 0);
        match found {
            Some(Found::Name(Name::Function(_), _) | Found::Templates(_)) => {
                self.overloads_of(name, found, at)
            }
            _ => {
                let text = self.symbols.shared(name);
                let message =
                    format!("C++ for OpenCL does not have '{text}' of its own: the program declares none");
                self.error("unsupported-cxx", at, message);
                None
            }
        }
    }

    /// `delete p`
    pub(in crate::sema) fn delete_object(
        &mut self,
        typing: &mut Typing,
        operand: ExprRange,
        is_array: bool,
        global: bool,
        span: Span,
    ) -> Expr {
        let e = self.type_range(typing, operand);
        let pointer = self.to_rvalue(e);
        if is_error(&pointer) {
            return pointer;
        }
        let Some(pointee) = self.types.pointee(pointer.ty.ty) else {
            self.error("not-a-pointer", span, "what is deleted is no pointer");
            return error_expr(span);
        };
        if is_array && self.destroys(pointee.ty) {
            self.lacks_cxx("'delete[]' of objects with destructors", span);
            return error_expr(span);
        }
        let name = if is_array { kw::OP_DELETE_ARRAY } else { kw::OP_DELETE };
        let Some(overloads) = self.allocation_operators(name, global, pointee.ty, span) else {
            return error_expr(span);
        };
        let mut stmts = Vec::new();
        let pointer = self.kept_value_of(pointer, span, &mut stmts);
        // Nothing is done with a null pointer (C++17 §8.3.5, 2 and 7).
        let cond = self.to_bool_condition(pointer.clone());
        let mut inner = Vec::new();
        if self.destroys(pointee.ty) {
            let object = self.dereference(pointer.clone(), span);
            let kind = self.destroy(object, span);
            inner.push(Stmt { kind, span });
        }
        let call = self.call_overloads(overloads, vec![pointer], span, span);
        if is_error(&call) {
            return call;
        }
        inner.push(Stmt { kind: StmtKind::Expr(call), span });
        let then = Box::new(Stmt { kind: StmtKind::Block(Block { stmts: inner }), span });
        stmts.push(Stmt { kind: StmtKind::If { cond, then, els: None }, span });
        let kind = ExprKind::Statements { block: Block { stmts }, value: None };
        rvalue(kind, Types::VOID, span)
    }
}

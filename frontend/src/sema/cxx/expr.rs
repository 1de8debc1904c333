//! Expressions that C does not have, and names in C++.

use super::lookup::Found;
use super::{MemberOf, Overloads, Stash};
use crate::hir::{Constant, Expr, ExprKind};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{error_expr, is_error, rvalue};
use crate::sema::expr::Typing;
use crate::sema::vector::Access;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::Node;
use crate::syntax::cxx::tree::{CxxExpr, QualName};
use crate::types::{QualType, RecordId, Type, Types};

impl Sema<'_> {
    /// An expression that C does not have.
    pub(in crate::sema) fn cxx_expr(&mut self, typing: &mut Typing, index: u32, node: Node) -> Expr {
        let span = self.node_span(node);
        let expr = typing.tree.cxx.exprs[index as usize].clone();
        match expr {
            CxxExpr::This => match self.this_pointer(span) {
                Some(pointer) => pointer,
                None => {
                    self.error("no-object", span, "'this' stands in member functions alone");
                    error_expr(span)
                }
            },
            CxxExpr::Nullptr => {
                let void = QualType::in_space(Types::VOID, self.default_pointee_space());
                let pointer = self.types.pointer(void);
                rvalue(ExprKind::Constant(Constant::Zero), pointer, span)
            }
            CxxExpr::Bool(value) => {
                rvalue(ExprKind::Constant(Constant::Int(value.into())), Types::BOOL, span)
            }
            CxxExpr::Name(name) => self.qualified_expression(typing, &name, span),
            CxxExpr::NamedCast { word, ty, operand } => {
                let ty = self.type_named(typing, ty);
                let e = self.type_range(typing, operand);
                self.named_cast(word, ty, e, span)
            }
            CxxExpr::Construct { ty, args } => {
                let ty = self.type_named(typing, ty);
                let args: Vec<Expr> = args.into_iter().map(|a| self.typed_initializer(typing, a)).collect();
                self.construction(ty, super::construct::Value::Args(args), span)
            }
            CxxExpr::ConstructBraced { ty, init } => {
                let ty = self.type_named(typing, ty);
                if let Type::Array(..) = self.types.get(ty.ty) {
                    self.lacks_cxx("an array without a name", span);
                    return error_expr(span);
                }
                let items = self.typed_items(typing, init);
                self.construction(ty, super::construct::Value::Braced(items), span)
            }
            CxxExpr::New(tree) => self.new_object(typing, *tree, span),
            CxxExpr::Delete { operand, is_array, global } => {
                self.delete_object(typing, operand, is_array, global, span)
            }
            CxxExpr::Braced(init) => {
                let items = self.typed_items(typing, init);
                self.stashed(Stash::Braced(items), span)
            }
            CxxExpr::Member { base, name, arrow } => {
                let base = typing.take_value(base);
                self.cxx_named_member(typing, base, &name, arrow, span)
            }
            CxxExpr::Lambda(lambda) => self.lambda(typing, *lambda, span),
        }
    }

    /// `T(…)` or `T{…}`
    fn construction(&mut self, ty: QualType, value: super::construct::Value, span: Span) -> Expr {
        use super::construct::Value;
        let list = match &value {
            Value::Args(list) | Value::Braced(list) => list,
            _ => return error_expr(span),
        };
        if ty.ty == Types::ERROR || list.iter().any(is_error) {
            return error_expr(span);
        }
        if let Some(template) = self.class_to_deduce(ty.ty) {
            return match self.deduce_class(template, &value, span) {
                Some(ty) => self.constructed(ty, value, span),
                None => error_expr(span),
            };
        }
        if ty.ty == Types::VOID {
            return match list.first().cloned() {
                Some(e) => self.explicit_cast(e, Types::VOID, span),
                None => super::nothing(span),
            };
        }
        if let [e] = list.as_slice()
            && (self.class_of(ty.ty).is_none() || matches!(self.types.get(ty.ty), Type::Reference(..)))
        {
            let e = e.clone();
            if matches!(value, Value::Braced(_)) {
                self.check_narrowing(&e, ty.ty);
            }
            return self.functional_cast(e, ty.ty, span);
        }
        self.constructed(ty, value, span)
    }

    /// The type that `decltype` gives: that of the declaration of a name or a member; for other objects a reference.
    pub(in crate::sema) fn declared_type(
        &mut self,
        typing: &mut Typing,
        range: crate::syntax::ast::ExprRange,
    ) -> QualType {
        use crate::syntax::ast::Kind;
        let node = typing.tree.node(range.root);
        let (name, is_name) = match node.kind {
            Kind::Name(name) => (Some(name), true),
            Kind::Member { .. } => (None, true),
            Kind::Cxx { node, .. } => {
                let is_name =
                    matches!(typing.tree.cxx.exprs[node as usize], CxxExpr::Name(_) | CxxExpr::Member { .. });
                (None, is_name)
            }
            _ => (None, false),
        };
        let from = self.cxx.temporaries.len();
        let e = self.type_range(typing, range);
        // Nothing is evaluated.
        self.cxx.temporaries.truncate(from);
        if let Some(Found::Name(Name::Local(id), _)) = name.and_then(|name| self.find_name(name))
            && let Some(function) = self.function.as_ref().map(|f| f.id)
            && let Some(ty) = self.cxx.references.get(&(function, id)).copied()
        {
            return QualType::new(ty);
        }
        if is_name || is_error(&e) || self.unstash(&e).is_some() {
            return e.ty;
        }
        let object = self.object_of_value(e);
        if let Some(moved) = super::convert::moved_object(&object) {
            let referred = moved.ty;
            return QualType::new(self.types.intern(Type::Reference(referred, true)));
        }
        match object.kind.is_lvalue() {
            true => QualType::new(self.types.intern(Type::Reference(object.ty, false))),
            false => QualType::new(object.ty.ty),
        }
    }

    // ---- names ----

    /// The meaning of an unqualified name as an expression, in C++.
    pub(in crate::sema) fn cxx_name(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        let found = self.find_name(name)?;
        Some(self.found_expression(name, found, span))
    }

    fn found_expression(&mut self, name: Symbol, found: Found, span: Span) -> Expr {
        match found {
            Found::Name(Name::Local(id), _) => self.local_or_closed(name, id, span),
            Found::Name(Name::Typedef(ty), _) | Found::Member(_, MemberOf::Name(Name::Typedef(ty), _)) => {
                self.stashed(Stash::Type(ty), span)
            }
            Found::Name(Name::Function(_), _)
            | Found::Templates(_)
            | Found::Member(_, MemberOf::Functions(..)) => match self.overloads_of(name, Some(found), span) {
                Some(overloads) => self.stashed(Stash::Overloads(Box::new(overloads)), span),
                None => error_expr(span),
            },
            Found::Name(meaning, _) | Found::Member(_, MemberOf::Name(meaning, _)) => {
                self.named_value(meaning, name, span)
            }
            Found::Member(_, MemberOf::Field(_)) => {
                let Some(object) = self.this_object(span) else {
                    let text = self.symbols.shared(name);
                    self.error("no-object", span, format!("the member '{text}' needs an object"));
                    return error_expr(span);
                };
                self.member_named(object, name, span, span)
            }
            Found::Member(_, MemberOf::Template(_)) | Found::Namespace(_) => {
                let text = self.symbols.shared(name);
                self.error("type-as-value", span, format!("'{text}' is no value"));
                error_expr(span)
            }
        }
    }

    /// A qualified name, or a template with arguments.
    fn qualified_expression(&mut self, typing: &mut Typing, name: &QualName, span: Span) -> Expr {
        let Some(last) = name.parts.last().cloned() else { return error_expr(span) };
        if let Some(ty) = self.remove_space_trait(typing, name) {
            return self.stashed(Stash::Type(ty), span);
        }
        let Some(found) = self.find_qualified(typing, name) else { return error_expr(span) };
        if let Some(args) = &last.args {
            let Some(args) = self.template_args(typing, args) else { return error_expr(span) };
            return match found {
                Found::Member(_, MemberOf::Template(symbol)) => {
                    match self.class_template_instance(symbol, args, span) {
                        Some(ty) => self.stashed(Stash::Type(ty), span),
                        None => error_expr(span),
                    }
                }
                Found::Templates(symbol) if self.is_type_template(symbol) => {
                    match self.class_template_instance(symbol, args, span) {
                        Some(ty) => self.stashed(Stash::Type(ty), span),
                        None => error_expr(span),
                    }
                }
                Found::Templates(symbol) if self.is_variable_template(symbol) => {
                    self.variable_instance(symbol, args, span)
                }
                found => match self.overloads_of(last.name, Some(found), span) {
                    Some(mut overloads) => {
                        overloads.args = Some(args);
                        overloads.closed = name.parts.len() > 1;
                        self.stashed(Stash::Overloads(Box::new(overloads)), span)
                    }
                    None => error_expr(span),
                },
            };
        }
        match found {
            // A member of a base or of the class around, by its class.
            Found::Member(owner, MemberOf::Field(index)) => {
                let Some(object) = self.this_object(span) else {
                    let text = self.symbols.shared(last.name);
                    self.error("no-object", span, format!("the member '{text}' needs an object"));
                    return error_expr(span);
                };
                let Some(from) = self.class_of(object.ty.ty) else { return error_expr(span) };
                let base = self.base_object(object, from, owner, span);
                self.field_of(base, owner, index, last.name, span)
            }
            found => {
                let e = self.found_expression(last.name, found, span);
                if let Some(Stash::Overloads(overloads)) = self.unstash(&e).cloned()
                    && name.parts.len() > 1
                {
                    let overloads = Overloads { closed: true, builtin: false, ..*overloads };
                    return self.stashed(Stash::Overloads(Box::new(overloads)), span);
                }
                e
            }
        }
    }

    // ---- members ----

    /// `base.name` and `base->name` in C++; `None` where the base is of no class.
    pub(in crate::sema) fn cxx_member(
        &mut self,
        base: Expr,
        arrow: bool,
        access: Access,
    ) -> Result<Expr, Expr> {
        let base = match arrow {
            true => self.arrow_object(base, access.span)?,
            false => base,
        };
        if self.class_of(base.ty.ty).is_none() {
            return match arrow {
                // The object of a pointer, for C.
                true => Ok(self.build_member(base, access)),
                false => Err(base),
            };
        }
        Ok(self.member_named(base, access.name, access.at, access.span))
    }

    /// The object that `->` leads to: that of a pointer, or what the operator of a class gives.
    fn arrow_object(&mut self, base: Expr, span: Span) -> Result<Expr, Expr> {
        let mut base = base;
        for _ in 0..16 {
            if self.class_of(base.ty.ty).is_none() {
                break;
            }
            match self.operator_call(kw::OP_ARROW, std::slice::from_ref(&base), span) {
                Some(e) => base = e,
                None => return Err(base),
            }
        }
        let pointer = self.to_rvalue(base);
        match self.types.pointee(pointer.ty.ty) {
            Some(_) => Ok(self.dereference(pointer, span)),
            None => Err(pointer),
        }
    }

    /// A member of an object of a class by its name.
    pub(in crate::sema) fn member_named(&mut self, base: Expr, name: Symbol, at: Span, span: Span) -> Expr {
        let moved = super::convert::moved_object(&base).cloned();
        if let Some(object) = moved {
            let member = self.member_named(object, name, at, span);
            return if member.kind.is_lvalue() { self.movable(member) } else { member };
        }
        let Some(class) = self.class_of(base.ty.ty) else { return error_expr(span) };
        let base = if base.kind.is_lvalue() { base } else { self.object_of_value(base) };
        if self.types.record(class).fields.is_none() {
            let message = format!("'{}' is an incomplete type", self.type_id_text(base.ty.ty));
            self.error("incomplete-type", span, message);
            return error_expr(span);
        }
        let Some((owner, member, access)) = self.find_member_of(class, name, 0) else {
            let text = self.symbols.shared(name);
            let message = format!("'{}' has no member named '{text}'", self.type_id_text(base.ty.ty));
            let near = self.similar_member(class, &text);
            let diagnostic = self.error("no-member", span, message);
            if let Some((near, declared)) = near {
                diagnostic.note(declared, format!("did you mean '{near}'?")).replace(at, near);
            }
            return error_expr(span);
        };
        self.check_access(owner, access, name, at);
        match member {
            MemberOf::Field(index) => {
                let base = self.base_object(base, class, owner, span);
                self.field_of(base, owner, index, name, span)
            }
            MemberOf::Functions(functions, templates) => {
                let object = Some(base);
                let overloads =
                    Overloads { name, functions, templates, object, closed: true, ..Overloads::default() };
                self.stashed(Stash::Overloads(Box::new(overloads)), span)
            }
            MemberOf::Name(meaning, _) => match meaning {
                Name::Global(_) | Name::EnumConstant(..) => self.named_value(meaning, name, span),
                _ => {
                    let text = self.symbols.shared(name);
                    self.error("type-as-value", span, format!("'{text}' is a type, no member of an object"));
                    error_expr(span)
                }
            },
            MemberOf::Template(_) => error_expr(span),
        }
    }

    /// A data member: what a reference refers to, and through an unnamed union.
    fn field_of(&mut self, base: Expr, owner: RecordId, index: u32, name: Symbol, span: Span) -> Expr {
        let is_const = base.ty.is_const;
        let field = self.raw_field(base, index, span);
        if let Some(reference) = self.class_facts(owner).and_then(|c| c.references.get(&index).copied()) {
            if !field.kind.is_lvalue() {
                let Type::Reference(referred, _) = *self.types.get(reference) else { return field };
                return Expr { kind: ExprKind::Deref(Box::new(field)), ty: referred, span };
            }
            return self.referred_object(field, reference);
        }
        if is_const && self.class_facts(owner).is_some_and(|c| c.mutables.contains(&index)) {
            return super::method::without_const(field);
        }
        let unnamed = self
            .types
            .record(owner)
            .fields
            .as_ref()
            .and_then(|f| f.get(index as usize))
            .is_some_and(|f| f.name.is_none());
        if unnamed && self.class_of(field.ty.ty).is_some() {
            return self.member_named(field, name, span, span);
        }
        field
    }

    /// `base.name` with a name that C does not have.
    fn cxx_named_member(
        &mut self,
        typing: &mut Typing,
        base: Expr,
        name: &QualName,
        arrow: bool,
        span: Span,
    ) -> Expr {
        let base = match arrow {
            true => match self.arrow_object(base, span) {
                Ok(base) => base,
                Err(base) => {
                    if !is_error(&base) {
                        let text = self.type_id_text(base.ty.ty);
                        self.error(
                            "not-a-pointer",
                            span,
                            format!("'{text}' is no pointer: use '.' to reach a member"),
                        );
                    }
                    return error_expr(span);
                }
            },
            false => base,
        };
        let Some(last) = name.parts.last().cloned() else { return error_expr(span) };
        if is_error(&base) {
            return base;
        }
        let Some(class) = self.class_of(base.ty.ty) else {
            if last.name == kw::DESTRUCTOR {
                // That of a scalar does nothing; its call has no arguments.
                let zero = rvalue(ExprKind::Constant(Constant::Zero), Types::VOID, span);
                let overloads =
                    Overloads { name: kw::DESTRUCTOR, object: Some(zero), ..Overloads::default() };
                return self.stashed(Stash::Overloads(Box::new(overloads)), span);
            }
            let text = self.type_id_text(base.ty.ty);
            self.error("no-member", span, format!("'{text}' has no members"));
            return error_expr(span);
        };
        let mut base = base;
        let mut class = class;
        if name.parts.len() > 1 {
            if let Some(super::lookup::Scope::Class(id)) = self.class_of_qualifier(typing, name)
                && self.derives_from(class, id, 0)
            {
                base = self.base_object(base, class, id, span);
                class = id;
            } else {
                self.error("no-member", span, "this is no base of the object's class");
                return error_expr(span);
            }
        }
        if last.name == kw::DESTRUCTOR
            && self.find_member_of(class, kw::DESTRUCTOR, 0).is_none_or(|(o, ..)| o != class)
        {
            let function = match self.class_facts(class).is_some_and(|c| c.destroys) {
                true => self.implicit_member(class, super::Role::Destructor),
                false => None,
            };
            let functions = function.into_iter().collect();
            let overloads = Overloads {
                name: kw::DESTRUCTOR,
                functions,
                object: Some(base),
                closed: true,
                ..Overloads::default()
            };
            return self.stashed(Stash::Overloads(Box::new(overloads)), span);
        }
        let e = self.member_named(base, last.name, span, span);
        if let Some(args) = &last.args {
            let Some(args) = self.template_args(typing, args) else { return error_expr(span) };
            if let Some(Stash::Overloads(overloads)) = self.unstash(&e).cloned() {
                let overloads = Overloads { args: Some(args), ..*overloads };
                return self.stashed(Stash::Overloads(Box::new(overloads)), span);
            }
        }
        e
    }
}

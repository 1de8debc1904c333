//! Objects and their first values: constructors, aggregates, arrays; objects without a name; destruction.

use super::{MemberOf, Role, Stash};
use crate::hir::{Block, CastKind, Constant, Expr, ExprKind, Init, LocalId, Stmt, StmtKind};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{AssignContext, error_expr, is_error, rvalue};
use crate::sema::decl::Declared;
use crate::sema::declspec::Storage;
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::kw;
use crate::syntax::ast::{InitId, InitKind};
use crate::syntax::statement::Direct;
use crate::types::{AddressSpace, QualType, RecordId, Type, TypeId, Types};

/// Elements of an array of objects that are constructed one by one.
const MAX_ELEMENTS: u64 = 4096;

/// What an object is initialised with.
#[derive(Debug, Clone)]
pub(in crate::sema) enum Value {
    /// Nothing.
    Default,
    /// `= value`
    Expr(Expr),
    /// `(a, b)`
    Args(Vec<Expr>),
    /// `{a, b}`
    Braced(Vec<Expr>),
}

/// How a constructor is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sema) enum Form {
    /// By a conversion: explicit ones are not called.
    Implicit,
    Explicit,
    /// With values in braces, which must not narrow.
    Braced,
}

impl Sema<'_> {
    /// Returns whether objects of the type need more than C's initialisation.
    pub(in crate::sema) fn needs_construction(&self, ty: TypeId) -> bool {
        let element = self.innermost_element(ty);
        self.class_of(element).is_some_and(|id| self.is_special_class(id, 0))
    }

    fn is_special_class(&self, id: RecordId, depth: u32) -> bool {
        let Some(class) = self.class_facts(id) else { return false };
        if class.has_constructors
            || class.copies
            || class.destroys
            || !class.defaults.is_empty()
            || !class.references.is_empty()
            || !class.bases.is_empty()
        {
            return true;
        }
        depth < 64
            && self.types.record(id).fields.iter().flatten().any(|f| {
                let element = self.innermost_element(f.ty.ty);
                self.class_of(element).is_some_and(|inner| self.is_special_class(inner, depth + 1))
            })
    }

    // ---- the parts of initialisers ----

    /// An initialiser as an expression; a list in braces has no type yet.
    pub(in crate::sema) fn typed_initializer(&mut self, typing: &mut Typing, init: InitId) -> Expr {
        let tree = typing.tree.initializer(init);
        match tree.kind {
            InitKind::Expr(range) => self.type_range(typing, range),
            InitKind::List(_) => {
                let items = self.typed_items(typing, init);
                let span = self.span_of(tree.first).to(self.span_of(tree.last));
                self.stashed(Stash::Braced(items), span)
            }
        }
    }

    /// The items of a list.
    pub(in crate::sema) fn typed_items(&mut self, typing: &mut Typing, init: InitId) -> Vec<Expr> {
        let tree = typing.tree.initializer(init);
        let list = match tree.kind {
            InitKind::List(list) => list,
            InitKind::Expr(range) => return vec![self.type_range(typing, range)],
        };
        let mut items = Vec::new();
        for index in list.start..list.end {
            let item = typing.tree.items[index as usize];
            if item.designators.0 < item.designators.1 {
                let span = self.span_of(typing.tree.initializer(item.value).first);
                self.lacks_cxx("a designator for an object of a class with constructors", span);
                continue;
            }
            items.push(self.typed_initializer(typing, item.value));
        }
        items
    }

    // ---- objects ----

    /// A variable whose type is a class, or an array of one.
    pub(in crate::sema) fn declare_object(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        direct: Direct,
        into: &mut Vec<Stmt>,
    ) {
        let file = self.at_file_scope();
        let is_extern = matches!(d.specs.storage, Some((Storage::Extern, _)));
        if is_extern {
            let mut none = Vec::new();
            let d = Declared { init: None, value: None, ..d };
            self.declare_variable(typing, d, &mut none);
            return;
        }
        let is_static = matches!(d.specs.storage, Some((Storage::Static, _)));
        if file || is_static || d.ty.space == Some(AddressSpace::Constant) {
            return self.declare_program_object(typing, d, direct, file);
        }
        let from = self.cxx.full_expression;
        let value = self.declared_value(typing, &d, direct);
        match d.ty.space {
            Some(AddressSpace::Local) => {
                if !matches!(value, Value::Default) {
                    let message = "an object in __local memory has no initialiser: it is constructed by hand";
                    self.error("local-initializer", d.span, message);
                }
                let d = Declared { init: None, value: None, ..d };
                self.declare_block_variable(typing, d, into);
            }
            Some(space @ (AddressSpace::Global | AddressSpace::Generic)) => {
                let message = format!(
                    "variable '{}' in a function cannot be in the {} address space; it is in __private",
                    self.symbols.text(d.name),
                    space.name()
                );
                self.error("function-scope-address-space", d.span, message);
            }
            _ => self.declare_local_object(d, value, from, into),
        }
    }

    fn declare_local_object(&mut self, d: Declared, value: Value, from: usize, into: &mut Vec<Stmt>) {
        let ty = self.finish_type(d.ty, AddressSpace::Private);
        let ty = self.sized_by_value(ty, &value);
        if matches!(self.types.get(ty.ty), Type::Record(r) if self.types.record(*r).fields.is_none()) {
            let message = format!("variable has incomplete type '{}'", self.type_text(ty));
            self.error("incomplete-type", d.span, message);
            return;
        }
        let local = self.new_local(Some(d.name), ty, d.span);
        if let Some(l) = self.function.as_mut().and_then(|f| f.locals.get_mut(local.0 as usize)) {
            l.aligned = d.attributes.aligned;
        }
        self.declare_name(d.name, Name::Local(local), d.span);
        let object = Expr { kind: ExprKind::Local(local), ty, span: d.span };
        let target = super::method::without_const(object);
        let mut stmts = Vec::new();
        self.initialize(target, value, d.span, &mut stmts);
        // One value of the whole object is its initialiser.
        let whole = match stmts.as_slice() {
            [Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Assign { lhs, .. }, .. }), .. }] => {
                matches!(lhs.kind, ExprKind::Local(l) if l == local)
            }
            _ => false,
        };
        let span = d.span;
        if whole
            && let Some(Stmt {
                kind: StmtKind::Expr(Expr { kind: ExprKind::Assign { rhs, .. }, .. }), ..
            }) = stmts.pop()
        {
            if d.specs.cxx.is_constexpr.is_some()
                && let Some(constant) = self.const_eval(&rhs, ty.ty)
                && let Some(function) = self.function.as_ref().map(|f| f.id)
            {
                self.exprs.const_locals.insert((function, local), constant);
            }
            into.push(Stmt { kind: StmtKind::Declare(local, Some(Init::Whole(*rhs))), span });
        } else {
            into.push(Stmt { kind: StmtKind::Declare(local, None), span });
            if d.specs.cxx.is_constexpr.is_some()
                && let Some(constant) = self.object_constant(ty.ty, &stmts, local)
                && let Some(function) = self.function.as_ref().map(|f| f.id)
            {
                self.exprs.const_locals.insert((function, local), constant);
            }
            into.append(&mut stmts);
        }
        if self.cxx.temporaries.len() > from {
            let end = self.end_full_expression(from, StmtKind::Empty, span);
            into.push(Stmt { kind: end, span });
        }
        self.add_cleanup(local, ty);
    }

    /// An array without length gets that of its list.
    pub(in crate::sema) fn sized_by_value(&mut self, ty: QualType, value: &Value) -> QualType {
        if let (Type::Array(element, None), Value::Braced(items)) = (self.types.get(ty.ty).clone(), value) {
            let array = self.types.intern(Type::Array(element, Some(items.len() as u64)));
            return QualType { ty: array, ..ty };
        }
        ty
    }

    // ---- initialisation ----

    /// The statements that give an object its first value.
    pub(in crate::sema) fn initialize(
        &mut self,
        target: Expr,
        value: Value,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if is_error(&target) {
            return;
        }
        if let Value::Braced(items) = &value {
            items.iter().for_each(|e| self.check_narrowing(e, target.ty.ty));
        }
        if let Value::Expr(e) = &value
            && let Some(Stash::Braced(items)) = self.unstash(e)
        {
            let items = items.clone();
            return self.initialize(target, Value::Braced(items), span, out);
        }
        match *self.types.get(target.ty.ty) {
            Type::Array(element, Some(len)) => self.initialize_array(target, element, len, value, span, out),
            Type::Record(id) if self.class_facts(id).is_some() => {
                self.initialize_class(target, id, value, span, out);
            }
            _ => {
                let e = match value {
                    Value::Default => return,
                    Value::Expr(e) => e,
                    Value::Args(mut list) | Value::Braced(mut list) if list.len() == 1 => {
                        list.pop().unwrap_or_else(|| error_expr(span))
                    }
                    Value::Args(list) | Value::Braced(list) if list.is_empty() => {
                        rvalue(ExprKind::Constant(Constant::Zero), target.ty.ty, span)
                    }
                    Value::Args(list) | Value::Braced(list) => {
                        let ty = target.ty.ty;
                        if matches!(self.types.get(ty), Type::Vector(..)) {
                            self.build_vector_literal(ty, list, span)
                        } else {
                            self.error(
                                "excess-initializers",
                                span,
                                "there are more values than the object has parts",
                            );
                            error_expr(span)
                        }
                    }
                };
                self.assign_first(target, e, span, out);
            }
        }
    }

    fn assign_first(&mut self, target: Expr, value: Expr, span: Span, out: &mut Vec<Stmt>) {
        let value = self.convert_for_assignment(value, target.ty, AssignContext::Initialize);
        if is_error(&value) {
            return;
        }
        let ty = target.ty.ty;
        let kind = ExprKind::Assign { lhs: Box::new(target), rhs: Box::new(value) };
        out.push(Stmt { kind: StmtKind::Expr(rvalue(kind, ty, span)), span });
    }

    fn initialize_array(
        &mut self,
        target: Expr,
        element: QualType,
        len: u64,
        value: Value,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let items = match value {
            Value::Default if !self.needs_construction(element.ty) => return,
            Value::Default => Vec::new(),
            Value::Braced(items) => items,
            Value::Expr(e) if self.is_array_like(e.ty.ty, target.ty.ty) => {
                // A part of an object that is copied.
                return self.copy_array(target, e, element, len, span, out);
            }
            Value::Args(list) if list.is_empty() => Vec::new(),
            _ => {
                self.error("array-initializer", span, "an array is initialised by a list in braces");
                return;
            }
        };
        if len > MAX_ELEMENTS {
            self.lacks_cxx(&format!("an array of more than {MAX_ELEMENTS} objects with constructors"), span);
            return;
        }
        let missing = match self.needs_construction(element.ty) {
            true => Value::Default,
            false => Value::Braced(Vec::new()),
        };
        if items.len() as u64 > len {
            self.error("excess-initializers", span, "there are more values than the array has elements");
        }
        let mut items = items.into_iter();
        for index in 0..len {
            let place = self.nth_element(target.clone(), index, span);
            let value = items.next();
            value.iter().for_each(|e| self.check_narrowing(e, element.ty));
            self.initialize(place, value.map_or(missing.clone(), Value::Expr), span, out);
        }
    }

    /// Returns whether two types are arrays of one length and one type of elements, whatever their qualifiers and spaces are.
    fn is_array_like(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Array(x, n), Type::Array(y, m)) => n == m && self.is_array_like(x.ty, y.ty),
            _ => self.types.same(a, b),
        }
    }

    fn copy_array(
        &mut self,
        target: Expr,
        source: Expr,
        element: QualType,
        len: u64,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if !self.needs_construction(element.ty) && len > 16 {
            // A loop would do; a copy of the bits does, too.
            let ty = target.ty.ty;
            let value = rvalue(ExprKind::Load(Box::new(source)), ty, span);
            let kind = ExprKind::Assign { lhs: Box::new(target), rhs: Box::new(value) };
            out.push(Stmt { kind: StmtKind::Expr(rvalue(kind, ty, span)), span });
            return;
        }
        for index in 0..len.min(MAX_ELEMENTS) {
            let place = self.nth_element(target.clone(), index, span);
            let value = self.nth_element(source.clone(), index, span);
            self.initialize(place, Value::Expr(value), span, out);
        }
    }

    /// An element of an array object.
    pub(in crate::sema) fn nth_element(&mut self, array: Expr, index: u64, span: Span) -> Expr {
        let index = rvalue(ExprKind::Constant(Constant::Int(index as i64)), Types::INT, span);
        self.build_index(array, index, span)
    }

    fn initialize_class(
        &mut self,
        target: Expr,
        id: RecordId,
        value: Value,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let Some(class) = self.class_facts(id) else { return };
        let (copies, has_constructors, aggregate, defaulted) =
            (class.copies, class.has_constructors, !class.no_aggregate, class.defaulted);
        let ty = target.ty.ty;
        // One value of the class, or of one that derives from it.
        let single = match &value {
            Value::Expr(e) => Some(e),
            Value::Args(list) => match list.as_slice() {
                [e] => Some(e),
                _ => None,
            },
            Value::Braced(list) => match list.as_slice() {
                [e] if e.ty.ty == ty => Some(e),
                _ => None,
            },
            Value::Default => None,
        };
        if let Some(e) = single
            && let Some(from) = self.class_of(e.ty.ty)
            && self.derives_from(from, id, 0)
        {
            let e = e.clone();
            let fresh = !e.kind.is_lvalue() && super::convert::moved_object(&e).is_none();
            if from == id && fresh {
                self.elide(&e);
            }
            if !copies || (from == id && fresh) {
                let e = self.base_object(e, from, id, span);
                let e = self.to_rvalue(e);
                return self.store_value(target, e, span, out);
            }
        }
        match value {
            Value::Default if !has_constructors || defaulted => {
                if self.is_special_class(id, 0) {
                    self.call_implicit(target, id, Role::Constructor, None, span, out);
                }
            }
            Value::Args(list) | Value::Braced(list)
                if list.is_empty() && (!has_constructors || defaulted) =>
            {
                let zero = rvalue(ExprKind::Constant(Constant::Zero), ty, span);
                self.store_value(target.clone(), zero, span, out);
                if self.is_special_class(id, 0) {
                    self.call_implicit(target, id, Role::Constructor, None, span, out);
                }
            }
            Value::Expr(e)
                if has_constructors || !aggregate || !matches!(self.unstash(&e), Some(Stash::Braced(_))) =>
            {
                let same = self.class_of(e.ty.ty).is_some_and(|from| self.derives_from(from, id, 0));
                if same {
                    self.construct(target, id, vec![e], Form::Explicit, span, out);
                } else {
                    // A conversion to the class.
                    let e = self.convert_for_assignment(e, QualType::new(ty), AssignContext::Initialize);
                    if !is_error(&e) {
                        self.elide(&e);
                        self.store_value(target, e, span, out);
                    }
                }
            }
            Value::Braced(items) if aggregate && !has_constructors => {
                self.initialize_aggregate(target, id, items, span, out);
            }
            Value::Default => self.construct(target, id, Vec::new(), Form::Explicit, span, out),
            Value::Args(list) => self.construct(target, id, list, Form::Explicit, span, out),
            Value::Braced(list) => self.construct(target, id, list, Form::Braced, span, out),
            Value::Expr(e) => self.construct(target, id, vec![e], Form::Explicit, span, out),
        }
    }

    fn store_value(&mut self, target: Expr, value: Expr, span: Span, out: &mut Vec<Stmt>) {
        if is_error(&value) {
            return;
        }
        let ty = target.ty.ty;
        let kind = ExprKind::Assign { lhs: Box::new(target), rhs: Box::new(value) };
        out.push(Stmt { kind: StmtKind::Expr(rvalue(kind, ty, span)), span });
    }

    /// A value without a name that becomes an object is that object: it is not destroyed by itself.
    pub(in crate::sema) fn elide(&mut self, e: &Expr) {
        let ExprKind::Statements { value: Some(value), .. } = &e.kind else { return };
        match &value.kind {
            ExprKind::Statements { .. } => self.elide(value),
            ExprKind::Load(inner) => {
                if let ExprKind::Local(local) = inner.kind {
                    self.cxx.temporaries.retain(|(id, _)| *id != local);
                }
            }
            _ => {}
        }
    }

    fn initialize_aggregate(
        &mut self,
        target: Expr,
        id: RecordId,
        items: Vec<Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let elements = self.elements_of(id);
        let count = elements.len();
        let is_union = self.types.record(id).is_union;
        let ty = target.ty.ty;
        let zero = rvalue(ExprKind::Constant(Constant::Zero), ty, span);
        if items.len() < count || is_union {
            self.store_value(target.clone(), zero, span, out);
        }
        if items.len() > count || (is_union && items.len() > 1) {
            self.error("excess-initializers", span, "there are more values than the object has members");
            return;
        }
        let mut items = items.into_iter();
        for element in elements {
            let Some(index) = element else {
                // An empty base: its value is computed and has no place.
                if let Some(e) = items.next().filter(|e| self.unstash(e).is_none()) {
                    self.elide(&e);
                    out.push(Stmt { kind: StmtKind::Expr(e), span });
                }
                continue;
            };
            let place = super::method::without_const(self.raw_field(target.clone(), index, span));
            let reference = self.class_facts(id).and_then(|c| c.references.get(&index).copied());
            match (items.next(), reference) {
                (Some(e), Some(reference)) => {
                    let Type::Reference(referred, rvalued) = *self.types.get(reference) else { continue };
                    let pointer = self.bind_reference(e, referred, rvalued, "initialising");
                    self.store_value(place, pointer, span, out);
                }
                (Some(e), None) => {
                    self.check_narrowing(&e, place.ty.ty);
                    self.initialize(place, Value::Expr(e), span, out);
                }
                (None, _) if is_union => {}
                (None, _) => {
                    if let Some(value) = self.default_value(id, index) {
                        self.initialize(place, value, span, out);
                    } else if self.needs_construction(place.ty.ty) {
                        self.initialize(place, Value::Default, span, out);
                    }
                }
            }
        }
    }

    /// The elements of an aggregate (C++17 §11.6.1): its bases, then its members; an empty base has no field.
    fn elements_of(&self, id: RecordId) -> Vec<Option<u32>> {
        let Some(facts) = self.class_facts(id) else { return Vec::new() };
        let mut elements: Vec<Option<u32>> = facts.bases.iter().map(|(_, field, _)| *field).collect();
        let first = elements.iter().flatten().count() as u32;
        let count = self.types.record(id).fields.as_ref().map_or(0, Vec::len) as u32;
        if !facts.is_empty {
            elements.extend((first..count).map(Some));
        }
        elements
    }

    /// A call of a constructor.
    pub(in crate::sema) fn construct(
        &mut self,
        target: Expr,
        id: RecordId,
        args: Vec<Expr>,
        form: Form,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if args.iter().any(is_error) {
            return;
        }
        let (functions, templates) = match self.class_facts(id).and_then(|c| c.members.get(&kw::CONSTRUCTOR))
        {
            Some((MemberOf::Functions(functions, templates), _)) => (functions.clone(), templates.clone()),
            _ => (Vec::new(), Vec::new()),
        };
        // A copy that is implicit.
        if let [e] = args.as_slice()
            && let Some(from) = self.class_of(e.ty.ty)
            && self.derives_from(from, id, 0)
            && !functions.iter().any(|f| self.takes_class(*f, id))
        {
            let moves = !e.kind.is_lvalue() && self.moves_implicitly(id);
            let e = self.as_object(e.clone());
            let e = self.base_object(e, from, id, span);
            let (role, e) = match moves {
                true => (Role::Move, self.movable(e)),
                false => (Role::Copy, e),
            };
            self.call_implicit(target, id, role, Some(e), span, out);
            return;
        }
        let functions: Vec<_> = functions
            .into_iter()
            .filter(|f| {
                form != Form::Implicit || !self.cxx.facts.get(f).is_some_and(|facts| facts.is_explicit)
            })
            .collect();
        if functions.is_empty() && templates.is_empty() {
            let text = self.type_id_text(target.ty.ty);
            let types: Vec<String> = args.iter().map(|a| self.type_id_text(a.ty.ty)).collect();
            let message = format!("'{text}' has no constructor that takes ({})", types.join(", "));
            self.error("no-matching-function", span, message);
            return;
        }
        let overloads = super::Overloads {
            name: kw::CONSTRUCTOR,
            functions,
            templates,
            object: Some(target),
            closed: true,
            braced: form == Form::Braced,
            ..Default::default()
        };
        let call = self.call_overloads(overloads, args, span, span);
        if !is_error(&call) {
            out.push(Stmt { kind: StmtKind::Expr(call), span });
        }
    }

    /// Returns whether a constructor's only parameter is a reference to its class.
    fn takes_class(&self, function: crate::hir::FunctionId, id: RecordId) -> bool {
        let params = self.function_type(function).params;
        params.len() == 2
            && matches!(self.types.get(params[1]), Type::Reference(r, _) if self.types.get(r.ty) == &Type::Record(id))
    }

    fn call_implicit(
        &mut self,
        target: Expr,
        id: RecordId,
        role: Role,
        source: Option<Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let Some(function) = self.implicit_member(id, role) else { return };
        let call = self.build_call(function, Some(target), source.into_iter().collect(), span, span);
        if !is_error(&call) {
            out.push(Stmt { kind: StmtKind::Expr(call), span });
        }
    }

    /// The statement that destroys an object.
    pub(in crate::sema) fn destroy(&mut self, object: Expr, span: Span) -> StmtKind {
        let object = super::method::without_const(object);
        if let Type::Array(element, Some(len)) = *self.types.get(object.ty.ty) {
            if !self.destroys(element.ty) {
                return StmtKind::Empty;
            }
            let mut stmts = Vec::new();
            for index in (0..len.min(MAX_ELEMENTS)).rev() {
                let place = self.nth_element(object.clone(), index, span);
                let kind = self.destroy(place, span);
                stmts.push(Stmt { kind, span });
            }
            return StmtKind::Block(Block { stmts });
        }
        let Some(id) = self.class_of(object.ty.ty) else { return StmtKind::Empty };
        let own = match self.class_facts(id).and_then(|c| c.members.get(&kw::DESTRUCTOR)).cloned() {
            Some((MemberOf::Functions(functions, templates), _)) => Some((functions, templates)),
            _ => None,
        };
        let call = match own {
            Some((functions, templates)) => {
                let overloads = super::Overloads {
                    name: kw::DESTRUCTOR,
                    functions,
                    templates,
                    object: Some(object),
                    closed: true,
                    ..Default::default()
                };
                self.call_overloads(overloads, Vec::new(), span, span)
            }
            None if self.class_facts(id).is_some_and(|c| c.destroys) => {
                match self.implicit_member(id, Role::Destructor) {
                    Some(function) => self.build_call(function, Some(object), Vec::new(), span, span),
                    None => return StmtKind::Empty,
                }
            }
            None => return StmtKind::Empty,
        };
        StmtKind::Expr(call)
    }

    // ---- objects without a name ----

    /// A value of a type made of arguments: `T(a)`, `T{a}`.
    pub(in crate::sema) fn constructed(&mut self, ty: QualType, value: Value, span: Span) -> Expr {
        let ty = QualType::new(ty.ty);
        let is_array = matches!(self.types.get(ty.ty), Type::Array(_, Some(_)));
        let in_object = is_array && self.function.is_some();
        if self.class_of(self.innermost_element(ty.ty)).is_none() && !in_object {
            if let Value::Braced(list) = &value {
                list.iter().for_each(|e| self.check_narrowing(e, ty.ty));
            }
            return match value {
                Value::Default => rvalue(ExprKind::Constant(Constant::Zero), ty.ty, span),
                Value::Expr(e) => self.convert_for_assignment(e, ty, AssignContext::Initialize),
                Value::Args(list) | Value::Braced(list) => self.constructed_value(ty, list, span),
            };
        }
        if self.function.is_none() {
            let (locals, stmts) = self.constant_code(ty, value, span);
            return match self.value_of_code(ty.ty, stmts, &locals) {
                Some(constant) => rvalue(ExprKind::Constant(constant), ty.ty, span),
                None => {
                    self.error("initializer-not-constant", span, "this is not a compile-time constant");
                    error_expr(span)
                }
            };
        }
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let errors = self.diags.error_count();
        let mut stmts = vec![Stmt { kind: StmtKind::Declare(local, None), span }];
        self.initialize(place.clone(), value, span, &mut stmts);
        if self.diags.error_count() > errors {
            return error_expr(span);
        }
        self.note_temporary(local, ty);
        let value = rvalue(ExprKind::Load(Box::new(place)), ty.ty, span);
        let kind = ExprKind::Statements { block: Block { stmts }, value: Some(Box::new(value)) };
        rvalue(kind, ty.ty, span)
    }

    fn constant_code(
        &mut self,
        ty: QualType,
        value: Value,
        span: Span,
    ) -> (Vec<crate::hir::Local>, Vec<Stmt>) {
        let place = Expr { kind: ExprKind::Local(LocalId(0)), ty, span };
        use crate::sema::context::FunctionContext;
        let name = self.symbols.intern("<constant>");
        let id = crate::hir::FunctionId(u32::MAX);
        self.function = Some(FunctionContext::new(id, name, Types::VOID, false, self.scopes.len()));
        self.new_local(None, ty, span);
        let mut stmts = Vec::new();
        self.initialize(place, value, span, &mut stmts);
        self.cxx.temporaries.clear();
        let context = self.function.take();
        (context.map(|c| c.locals).unwrap_or_default(), stmts)
    }

    fn constructed_value(&mut self, ty: QualType, mut list: Vec<Expr>, span: Span) -> Expr {
        let list_is_one = list.len() == 1;
        match self.types.get(ty.ty) {
            Type::Error => error_expr(span),
            _ if list.is_empty() => {
                let zero = rvalue(ExprKind::Constant(Constant::Zero), ty.ty, span);
                match self.types.scalar_and_lanes(ty.ty) {
                    Some((scalar, 1)) => {
                        let zero = if scalar.is_float() { Constant::Float(0.0) } else { Constant::Int(0) };
                        rvalue(ExprKind::Constant(zero), ty.ty, span)
                    }
                    _ => zero,
                }
            }
            _ if list_is_one => {
                let e = list.pop().unwrap_or_else(|| error_expr(span));
                self.functional_cast(e, ty.ty, span)
            }
            Type::Vector(..) => self.build_vector_literal(ty.ty, list, span),
            _ => {
                let message = format!("'{}' is made of one value", self.type_text(ty));
                self.error("excess-initializers", span, message);
                error_expr(span)
            }
        }
    }

    /// An object without a name, to be destroyed at the end of the full expression.
    pub(in crate::sema) fn note_temporary(&mut self, local: LocalId, ty: QualType) {
        if self.destroys(ty.ty) {
            self.cxx.temporaries.push((local, ty));
        }
    }

    /// A value as an object: what a reference or a member function needs.
    pub(in crate::sema) fn as_object(&mut self, e: Expr) -> Expr {
        if e.kind.is_lvalue() || is_error(&e) {
            return e;
        }
        if let Some(object) = super::convert::moved_object(&e) {
            return object.clone();
        }
        let (ty, span) = (QualType::new(e.ty.ty), e.span);
        if self.function.is_none() {
            self.error("initializer-not-constant", span, "this needs an object, which only a function has");
            return error_expr(span);
        }
        // One that has a place already.
        if let ExprKind::Statements { block, value: Some(value) } = &e.kind
            && let ExprKind::Load(inner) = &value.kind
            && matches!(inner.kind, ExprKind::Local(_))
        {
            let place = (**inner).clone();
            let pointer = self.types.pointer(place.ty);
            let address = rvalue(ExprKind::AddressOf(Box::new(place)), pointer, span);
            let kind = ExprKind::Statements { block: block.clone(), value: Some(Box::new(address)) };
            let pointer = rvalue(kind, pointer, span);
            return Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span };
        }
        let local = self.new_local(None, ty, span);
        Expr { kind: ExprKind::CompoundLiteral { local, init: Box::new(Init::Whole(e)) }, ty, span }
    }

    /// A member of a record by its number; that of a reference is its pointer.
    pub(in crate::sema) fn raw_field(&mut self, base: Expr, field: u32, span: Span) -> Expr {
        self.field(base, field, span)
    }

    /// The part of an object that is of a base class.
    pub(in crate::sema) fn base_object(&mut self, e: Expr, from: RecordId, to: RecordId, span: Span) -> Expr {
        if from == to {
            return e;
        }
        let bases = self.class_facts(from).map(|c| c.bases.clone()).unwrap_or_default();
        for (base, field, _) in bases {
            if !self.derives_from(base, to, 0) {
                continue;
            }
            let inner = match field {
                Some(field) => self.field(e, field, span),
                None => {
                    // An empty base has no place of its own: it begins where the object does.
                    let object = self.as_object(e);
                    let base_type = self.types.intern(Type::Record(base));
                    let pointee = QualType { ty: base_type, ..object.ty };
                    let pointer = self.address_of_object(object);
                    let to = self.types.pointer(pointee);
                    let pointer = self.cast(CastKind::PointerBitcast, pointer, to);
                    Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: pointee, span }
                }
            };
            return self.base_object(inner, base, to, span);
        }
        e
    }

    /// The address of an object.
    pub(in crate::sema) fn address_of_object(&mut self, object: Expr) -> Expr {
        let (ty, span) = (self.types.pointer(object.ty), object.span);
        self.note_address(object.ty.space);
        match object.kind {
            ExprKind::Deref(pointer) => Expr { span, ty: QualType::new(ty), ..*pointer },
            _ => rvalue(ExprKind::AddressOf(Box::new(object)), ty, span),
        }
    }
}

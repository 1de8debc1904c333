//! Member functions: `this`, constructors, destructors, conversion functions, operators.

use super::declare::FunctionTree;
use super::{FunctionFacts, MemberOf, PendingBody, Role};
use crate::hir::{Expr, ExprKind, FunctionId, LocalId, Stmt, StmtKind};
use crate::sema::context::Sema;
use crate::sema::convert::{error_expr, rvalue};
use crate::sema::decl::Declared;
use crate::sema::declarator::{Chunk, Declarator};
use crate::sema::declspec::{DeclSpecs, PartialType, Storage, space_of};
use crate::sema::expr::Typing;
use crate::sema::parameter::Attributes;
use crate::sema::parameter::Parameter;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::TokenId;
use crate::syntax::cxx::class::MemberInit;
use crate::syntax::cxx::tree::{Access, FunctionTail, MemberItem, Special};
use crate::syntax::declaration::TypeName;
use crate::types::{FunctionType, QualType, RecordId, Type, TypeId, Types};

/// The place of the body of an implicit function.
pub(in crate::sema) const NOWHERE: TokenId = TokenId::MAX;

impl Sema<'_> {
    /// The type of the object of a member function, by what follows its parameters.
    fn object_type(&mut self, class: RecordId, name: Symbol, tail: &FunctionTail) -> QualType {
        let ty = self.types.intern(Type::Record(class));
        let space = tail.space.and_then(|(word, _)| space_of(word));
        let special = matches!(name, kw::CONSTRUCTOR | kw::DESTRUCTOR);
        QualType {
            is_const: tail.is_const && !special,
            is_volatile: tail.is_volatile,
            ..QualType::in_space(ty, space.unwrap_or(self.default_pointee_space()))
        }
    }

    /// A member function in its class.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::sema) fn member_function(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        specs: &DeclSpecs,
        declarator: Declarator,
        function: FunctionTree,
        conversion: Option<TypeName>,
        item: MemberItem,
        access: Access,
    ) {
        let Some((name, span)) = declarator.name else { return };
        if let Some(at) = specs.cxx.is_virtual {
            self.refuse_cxx("virtual functions", at);
        }
        if let Some(at) = function.tail.is_virtual {
            self.refuse_cxx("virtual functions", self.span_of(at));
        }
        if let Some(at) = function.tail.reference
            && self.token(at).kind == crate::token::TokenKind::Punct(crate::token::Punct::AmpAmp)
        {
            self.lacks_cxx(
                "a member function of values alone ('&&' behind its parameters)",
                self.span_of(at),
            );
            return;
        }
        if specs.kernel.is_some() {
            self.error("kernel-member", span, "a kernel cannot be a member of a class");
            return;
        }
        if item.special == Special::Default && self.default_special(class, name, &declarator) {
            return;
        }
        let body = item.body;
        let id = self.enter_member(typing, class, specs, declarator, function, conversion, body, access);
        let Some(id) = id else { return };
        if item.special == Special::Delete
            && let Some(facts) = self.cxx.facts.get_mut(&id)
        {
            facts.is_deleted = true;
        }
        self.note_special(class, name, id);
        self.add_member_function(class, name, id, access);
    }

    /// `= default` in a class; true where the implicit function is meant.
    fn default_special(&mut self, class: RecordId, name: Symbol, declarator: &Declarator) -> bool {
        let params = match declarator.chunks.first() {
            Some(Chunk::Function { params, .. }) => params.len(),
            _ => 0,
        };
        match name {
            kw::CONSTRUCTOR if params == 0 => {
                self.change_class(class, |c| c.defaulted = true);
                true
            }
            kw::CONSTRUCTOR | kw::DESTRUCTOR | kw::OP_ASSIGN => true,
            _ => false,
        }
    }

    /// What a special member function changes of its class.
    pub(in crate::sema) fn note_special(&mut self, class: RecordId, name: Symbol, id: FunctionId) {
        match name {
            kw::CONSTRUCTOR => {
                let copies = self.is_copy_constructor(class, id);
                self.change_class(class, |c| {
                    c.has_constructors |= true;
                    c.no_aggregate = true;
                    c.copies |= copies;
                });
            }
            kw::DESTRUCTOR => self.change_class(class, |c| {
                c.destroys = true;
                c.destructor = c.destructor.or(Some(id));
            }),
            kw::OP_ASSIGN => {}
            _ => {}
        }
    }

    /// Returns whether a constructor copies an object of its class.
    pub(in crate::sema) fn is_copy_constructor(&self, class: RecordId, id: FunctionId) -> bool {
        let params = self.function_type(id).params;
        matches!(params.as_slice(), [_, first, ..] if matches!(
            self.types.get(*first),
            Type::Reference(referred, false) if self.types.get(referred.ty) == &Type::Record(class)
        ))
    }

    /// Enters a member function; also one that is an instance of a template.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::sema) fn enter_member(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        specs: &DeclSpecs,
        mut declarator: Declarator,
        function: FunctionTree,
        conversion: Option<TypeName>,
        body: Option<TokenId>,
        access: Access,
    ) -> Option<FunctionId> {
        let (name, span) = declarator.name?;
        let defined_static = self.member_is_static(class, name, &declarator);
        // The operators `new` and `delete` of a class have no object.
        let allocates = matches!(name, kw::OP_NEW | kw::OP_NEW_ARRAY | kw::OP_DELETE | kw::OP_DELETE_ARRAY);
        let is_static = allocates
            || matches!(specs.storage, Some((Storage::Static, _)))
            || (self.cxx.open_classes == 0 && defined_static);
        let object = (!is_static).then(|| self.object_type(class, name, &function.tail));
        if let Some(object) = object {
            let pointer = self.types.pointer(object);
            let this = self.object_parameter(pointer, span);
            if let Some(Chunk::Function { params, .. }) = declarator.chunks.first_mut() {
                params.insert(0, this);
            }
        }
        let (base, deduced) = match name {
            kw::CONSTRUCTOR | kw::DESTRUCTOR => (PartialType { ty: Types::VOID, ..plain(specs) }, false),
            kw::CONVERSION => {
                let ty = conversion.map_or(QualType::new(Types::ERROR), |c| self.type_named(typing, c));
                (PartialType { ty: ty.ty, ..plain(specs) }, false)
            }
            _ => {
                if specs.is_empty || specs.cxx.no_type {
                    let message = "a type specifier is missing; C++ does not assume 'int'";
                    self.error("missing-type", span, message);
                    return None;
                }
                self.result_type(typing, specs, &function.tail, &declarator.chunks, object.map(|_| class))
            }
        };
        let ty = self.apply_declarator(base, &declarator.chunks, span);
        if ty.ty == Types::ERROR {
            return None;
        }
        let mut attributes = declarator.attributes.clone();
        attributes.overloadable = true;
        let scope = self.class_facts(class).map_or(self.cxx.root, |c| c.name);
        let symbol = self.qualify_in(scope, name);
        let defaults = self.default_arguments(typing, function.params);
        let facts = FunctionFacts {
            class: Some(class),
            is_static,
            defaults,
            context: self.cxx.context.clone(),
            is_constexpr: specs.cxx.is_constexpr.is_some(),
            is_explicit: specs.cxx.is_explicit.is_some(),
            access,
            deduced,
            role: match name {
                kw::CONSTRUCTOR => Role::Constructor,
                kw::DESTRUCTOR => Role::Destructor,
                _ => Role::Plain,
            },
            ..FunctionFacts::default()
        };
        let declared = Declared { name: symbol, span, ty, specs, attributes, init: None, value: None };
        let id = self.enter_cxx_function(declared, declarator, facts, body)?;
        let lazy = self.class_facts(class).is_some_and(|c| c.template.is_some());
        if lazy && let Some(index) = self.cxx.pending.iter().position(|p| p.id == id) {
            let pending = self.cxx.pending.remove(index);
            self.cxx.lazy.insert(id, pending);
        }
        Some(id)
    }

    /// Returns whether a member that is defined outside of its class was declared static there.
    fn member_is_static(&self, class: RecordId, name: Symbol, declarator: &Declarator) -> bool {
        let Some(Chunk::Function { params, .. }) = declarator.chunks.first() else { return false };
        let Some((MemberOf::Functions(list, _), _)) =
            self.class_facts(class).and_then(|c| c.members.get(&name))
        else {
            return false;
        };
        list.iter().any(|id| {
            let types = self.function_type(*id).params;
            self.cxx.facts.get(id).is_some_and(|f| f.is_static)
                && types.len() == params.len()
                && types.iter().zip(params).all(|(a, b)| self.types.same(*a, b.ty.ty))
        })
    }

    /// A member function that is defined outside of its class.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::sema) fn define_member(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        specs: &DeclSpecs,
        declarator: Declarator,
        function: FunctionTree,
        conversion: Option<TypeName>,
        body: Option<TokenId>,
    ) {
        let Some((name, span)) = declarator.name else { return };
        let count = self.functions.len();
        let access = self.class_facts(class).and_then(|c| c.members.get(&name)).map(|(_, a)| *a);
        let Some(access) = access else {
            let text = super::declare::shown_name(&self.symbols.shared(name));
            let class = self.class_facts(class).map_or("", |c| self.symbols.text(c.name)).to_owned();
            self.error("no-member", span, format!("'{class}' has no member '{text}'"));
            return;
        };
        let id = self.enter_member(typing, class, specs, declarator, function, conversion, body, access);
        if id.is_some() && self.functions.len() > count {
            let text = super::declare::shown_name(&self.symbols.shared(name));
            let message = format!("the definition of '{text}' matches no declaration in its class");
            self.error("no-member", span, message);
        }
    }

    /// `= default` outside of the class.
    pub(in crate::sema) fn default_member(&mut self, id: FunctionId, span: Span) {
        let Some(facts) = self.cxx.facts.get(&id).cloned() else { return };
        if facts.role == Role::Plain {
            self.lacks_cxx("'= default' of this function", span);
            return;
        }
        let params = self.functions.get(id.0 as usize).map(|f| f.param_count).unwrap_or(1);
        let params = (0..params).map(|_| self.object_parameter(Types::INT, span)).collect();
        let depth = self.cxx.depth;
        self.cxx.pending.push(PendingBody { id, at: NOWHERE, context: facts.context, params, depth });
    }

    /// The parameter for the object of a member function.
    pub(in crate::sema) fn object_parameter(&self, pointer: TypeId, span: Span) -> Parameter {
        Parameter {
            name: None,
            ty: QualType::new(pointer),
            written: self.type_id_text(pointer),
            sized_by_host: None,
            attributes: Attributes::default(),
            span,
            pointee_space: None,
            old_style: false,
        }
    }

    /// Makes a member function that no declaration gives.
    pub(in crate::sema) fn add_member(
        &mut self,
        class: RecordId,
        name: Symbol,
        ret: TypeId,
        params: Vec<Parameter>,
        facts: FunctionFacts,
    ) -> Option<FunctionId> {
        let span = self.types.record(class).span;
        let function = FunctionType {
            ret,
            params: params.iter().map(|p| p.ty.ty).collect(),
            variadic: false,
            no_prototype: false,
        };
        let ty = self.types.intern(Type::Function(function));
        let specs = self.no_specs(span);
        let attributes = Attributes { overloadable: true, ..Attributes::default() };
        let scope = self.class_facts(class).map_or(self.cxx.root, |c| c.name);
        let symbol = self.qualify_in(scope, name);
        let ty = PartialType { ty, ..plain(&specs) };
        let declared =
            Declared { name: symbol, span, ty, specs: &specs, attributes, init: None, value: None };
        let chunk = Chunk::Function { params, variadic: None, span };
        let declarator =
            Declarator { name: Some((symbol, span)), chunks: vec![chunk], ..Declarator::default() };
        self.enter_cxx_function(declared, declarator, facts, None)
    }

    /// The implicit constructor, copy or destructor of a class.
    pub(in crate::sema) fn implicit_member(&mut self, class: RecordId, role: Role) -> Option<FunctionId> {
        let slot = match role {
            Role::Constructor | Role::Plain => 0,
            Role::Copy => 1,
            Role::Destructor => 2,
            Role::Move => 3,
            Role::Assign => 4,
            Role::MoveAssign => 5,
            Role::Inherited => return None,
        };
        if let Some(id) = self.class_facts(class).and_then(|c| c.implicit[slot]) {
            return Some(id);
        }
        let span = self.types.record(class).span;
        let record = self.types.intern(Type::Record(class));
        let object = QualType::in_space(record, self.default_pointee_space());
        let pointer = self.types.pointer(object);
        let mut params = vec![self.object_parameter(pointer, span)];
        let assigns = matches!(role, Role::Assign | Role::MoveAssign);
        let name = match role {
            Role::Destructor => kw::DESTRUCTOR,
            _ if assigns => kw::OP_ASSIGN,
            _ => kw::CONSTRUCTOR,
        };
        if assigns || matches!(role, Role::Copy | Role::Move) {
            let moves = matches!(role, Role::Move | Role::MoveAssign);
            let source = QualType { is_const: !moves, ..object };
            let ty = self.types.intern(Type::Reference(source, moves));
            params.push(self.object_parameter(ty, span));
        }
        let ret = if assigns { self.types.intern(Type::Reference(object, false)) } else { Types::VOID };
        let context = self.class_facts(class).map(|c| c.context.clone()).unwrap_or_default();
        let facts =
            FunctionFacts { class: Some(class), role, context: context.clone(), ..Default::default() };
        // Bodies of instances are not read with those around.
        let outer = self.cxx.context.clone();
        let function = self.function.take();
        self.cxx.context = context.clone();
        let id = self.add_member(class, name, ret, params.clone(), facts);
        self.cxx.context = outer;
        self.function = function;
        let id = id?;
        self.change_class(class, |c| c.implicit[slot] = Some(id));
        let depth = self.cxx.depth;
        let pending = PendingBody { id, at: NOWHERE, context, params, depth };
        self.cxx.pending.push(pending);
        Some(id)
    }

    /// Returns whether a body is that of an implicit function, of which nothing is read.
    pub(in crate::sema) fn is_nowhere(at: TokenId) -> bool {
        at == NOWHERE
    }

    // ---- bodies ----

    /// The object of the current member function.
    pub(in crate::sema) fn this_object(&mut self, span: Span) -> Option<Expr> {
        let pointer = self.this_pointer(span)?;
        let ty = self.types.pointee(pointer.ty.ty)?;
        Some(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span })
    }

    /// `this` of the current function, or of the one around a lambda.
    pub(in crate::sema) fn this_pointer(&mut self, span: Span) -> Option<Expr> {
        if let Some(pointer) = self.captured_this(span) {
            return Some(pointer);
        }
        let id = self.function.as_ref()?.id;
        let facts = self.cxx.facts.get(&id)?;
        if facts.class.is_none() || facts.is_static {
            return None;
        }
        let ty = self.local_type(LocalId(0));
        let place = Expr { kind: ExprKind::Local(LocalId(0)), ty, span };
        Some(rvalue(ExprKind::Load(Box::new(place)), ty.ty, span))
    }

    /// The beginning of the body of a constructor: its object's parts.
    pub(in crate::sema) fn begin_special_body(
        &mut self,
        typing: &mut Typing,
        id: FunctionId,
        inits: Vec<MemberInit>,
        stmts: &mut Vec<Stmt>,
    ) {
        let Some(facts) = self.cxx.facts.get(&id) else { return };
        let (role, class) = (facts.role, facts.class);
        let span = self.functions.get(id.0 as usize).map_or(Span::default(), |f| f.span);
        if let (Some(class), Role::Inherited) = (class, role) {
            return self.construct_inherited(typing, class, id, span, stmts);
        }
        if let (Some(class), Role::Assign | Role::MoveAssign) = (class, role) {
            return self.assign_parts(class, role == Role::MoveAssign, span, stmts);
        }
        let makes = matches!(role, Role::Constructor | Role::Copy | Role::Move);
        let Some(class) = class.filter(|_| makes) else {
            if let Some(init) = inits.first() {
                let message = "only a constructor has initialisers of members";
                self.error("misplaced-initializer", self.span_of(init.at), message);
            }
            return;
        };
        match role {
            Role::Copy | Role::Move => self.copy_parts(class, role == Role::Move, span, stmts),
            _ => self.construct_parts(typing, class, inits, None, span, stmts),
        }
    }

    pub(in crate::sema) fn construct_parts(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        inits: Vec<MemberInit>,
        inherited: Option<(RecordId, FunctionId, Vec<Expr>)>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let Some(object) = self.this_object(span) else { return };
        let object = without_const(object);
        // What each initialiser is for, before any is typed.
        let mut fields: rustc_hash::FxHashMap<u32, MemberInit> = Default::default();
        let mut bases: rustc_hash::FxHashMap<RecordId, MemberInit> = Default::default();
        for init in inits {
            let at = self.span_of(init.name.first);
            let simple = match init.name.parts.as_slice() {
                [part] if part.args.is_none() => Some(part.name),
                _ => None,
            };
            let member = simple.and_then(|name| self.class_facts(class)?.members.get(&name).cloned());
            if let Some((MemberOf::Field(index), _)) = member {
                if fields.insert(index, init).is_some() {
                    self.error("redefinition", at, "a member is initialised twice");
                }
                continue;
            }
            let ty = self.named_type(typing, &init.name);
            let Some(base) = self.class_of(ty.ty) else {
                if ty.ty != Types::ERROR {
                    self.error("no-member", at, "this is no member and no base of the class");
                }
                continue;
            };
            if base == class {
                // Another constructor does it all.
                let value = self.member_value(typing, &init);
                self.initialize(object, value, at, stmts);
                return;
            }
            if !self.class_facts(class).is_some_and(|c| c.bases.iter().any(|(b, _, _)| *b == base)) {
                self.error("no-member", at, "this is no base of the class");
                continue;
            }
            bases.insert(base, init);
        }
        let list = self.class_facts(class).map(|c| c.bases.clone()).unwrap_or_default();
        let mut taken = rustc_hash::FxHashSet::default();
        for (base, field, _) in list {
            taken.extend(field);
            let target = self.base_object(object.clone(), class, base, span);
            if let Some((_, function, args)) = inherited.as_ref().filter(|(of, ..)| *of == base) {
                let call = self.build_call(*function, Some(target), args.clone(), span, span);
                stmts.push(Stmt { kind: StmtKind::Expr(call), span });
                continue;
            }
            let value = match bases.remove(&base) {
                Some(init) => self.member_value(typing, &init),
                None => super::construct::Value::Default,
            };
            self.initialize(target, value, span, stmts);
        }
        let count = self.types.record(class).fields.as_ref().map_or(0, Vec::len) as u32;
        let is_union = self.types.record(class).is_union;
        for index in (0..count).filter(|i| !taken.contains(i)) {
            let init = fields.remove(&index);
            if is_union && init.is_none() {
                continue;
            }
            self.construct_field(typing, class, object.clone(), index, init, span, stmts);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn construct_field(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        object: Expr,
        index: u32,
        init: Option<MemberInit>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let reference = self.class_facts(class).and_then(|c| c.references.get(&index).copied());
        let target = without_const(self.raw_field(object, index, span));
        if let Some(Type::Reference(referred, is_rvalue)) = reference.map(|r| self.types.get(r).clone()) {
            let value = match init {
                Some(init) => self.member_value(typing, &init),
                None => self.default_value(class, index).unwrap_or(super::construct::Value::Default),
            };
            let e = match value {
                super::construct::Value::Expr(e) => Some(e),
                super::construct::Value::Args(mut list) | super::construct::Value::Braced(mut list)
                    if list.len() == 1 =>
                {
                    list.pop()
                }
                _ => None,
            };
            let Some(e) = e else {
                self.error(
                    "reference-uninitialized",
                    span,
                    "a member that is a reference must be initialised",
                );
                return;
            };
            let pointer = self.bind_reference(e, referred, is_rvalue, "initialising");
            let ty = target.ty.ty;
            let kind = ExprKind::Assign { lhs: Box::new(target), rhs: Box::new(pointer) };
            stmts.push(Stmt { kind: StmtKind::Expr(rvalue(kind, ty, span)), span });
            return;
        }
        let value = match init {
            Some(init) => self.member_value(typing, &init),
            None => match self.default_value(class, index) {
                Some(value) => value,
                None => super::construct::Value::Default,
            },
        };
        self.initialize(target, value, span, stmts);
    }

    /// The value that an initialiser before the body of a constructor gives.
    fn member_value(&mut self, typing: &mut Typing, init: &MemberInit) -> super::construct::Value {
        if init.braces {
            let items = init.args.first().map(|list| self.typed_items(typing, *list)).unwrap_or_default();
            return super::construct::Value::Braced(items);
        }
        let args = init.args.iter().map(|arg| self.typed_initializer(typing, *arg)).collect();
        super::construct::Value::Args(args)
    }

    /// The default value of a member, as its class has it.
    pub(in crate::sema) fn default_value(
        &mut self,
        class: RecordId,
        index: u32,
    ) -> Option<super::construct::Value> {
        let facts = self.class_facts(class)?;
        let at = *facts.defaults.get(&index)?;
        let context = facts.context.clone();
        let e = self.expression_at(at, context);
        Some(super::construct::Value::Expr(e))
    }

    /// An expression at a token, in the current function with the names of a context.
    pub(in crate::sema) fn expression_at(&mut self, at: TokenId, context: super::Context) -> Expr {
        if self.cxx.depth > super::template::MAX_DEPTH {
            return error_expr(self.span_of(at));
        }
        let scopes = self.scopes.split_off(self.scopes.len().min(2));
        let outer = std::mem::replace(&mut self.cxx.context, context);
        let mut bindings = crate::sema::context::Scope::default();
        for (name, meaning) in &self.cxx.context.bindings {
            bindings.names.insert(*name, (*meaning, Span::default()));
        }
        self.scopes.push(bindings);
        let mut typing = Typing::default();
        let (range, _) = self.read(at as usize, &mut typing.tree, false, |p| p.range(|p| p.assignment()));
        typing.begin();
        let e = self.type_range(&mut typing, range);
        self.report_before(&mut typing, u32::MAX);
        self.scopes.truncate(2);
        self.scopes.extend(scopes);
        self.cxx.context = outer;
        e
    }

    /// The end of the body of a destructor: its object's parts.
    pub(in crate::sema) fn end_special_body(&mut self, id: FunctionId, stmts: &mut Vec<Stmt>) {
        let Some(facts) = self.cxx.facts.get(&id) else { return };
        let Some(class) = facts.class.filter(|_| facts.role == Role::Destructor) else { return };
        let span = self.functions.get(id.0 as usize).map_or(Span::default(), |f| f.span);
        let Some(object) = self.this_object(span) else { return };
        let object = without_const(object);
        let count = self.types.record(class).fields.as_ref().map_or(0, Vec::len) as u32;
        for index in (0..count).rev() {
            let field = self.raw_field(object.clone(), index, span);
            if self.destroys(field.ty.ty) {
                let kind = self.destroy(field, span);
                stmts.push(Stmt { kind, span });
            }
        }
    }

    /// The specifiers of what is declared without any.
    pub(in crate::sema) fn no_specs(&self, span: Span) -> DeclSpecs {
        DeclSpecs {
            ty: PartialType {
                ty: Types::VOID,
                space: None,
                is_const: false,
                is_volatile: false,
                is_restrict: false,
                aligned: None,
            },
            space_span: None,
            storage: None,
            inline: Some(span),
            kernel: None,
            attributes: Attributes::default(),
            span,
            type_span: None,
            written: String::new(),
            sized_by_host: false,
            alignas: None,
            is_typeof: false,
            auto_type: None,
            declares_tag: false,
            is_empty: false,
            cxx: Default::default(),
        }
    }
}

/// A type without qualifiers and space.
fn plain(specs: &DeclSpecs) -> PartialType {
    PartialType {
        space: None,
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        aligned: None,
        ..specs.ty
    }
}

/// An object that is being made: its const members are written.
pub(in crate::sema) fn without_const(e: Expr) -> Expr {
    Expr { ty: QualType { is_const: false, ..e.ty }, ..e }
}

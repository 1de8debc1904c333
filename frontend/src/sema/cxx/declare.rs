//! Variables and functions: `auto`, references, objects of classes, overloads, default arguments.

use super::lookup::Scope;
use super::{FunctionFacts, PendingBody};
use crate::hir::{Expr, ExprKind, FunctionId, Init, LocalId, Stmt, StmtKind};
use crate::sema::attribute::Place;
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{error_expr, is_error};
use crate::sema::decl::Declared;
use crate::sema::declarator::{Chunk, Declarator};
use crate::sema::declspec::{DeclSpecs, PartialType, Storage};
use crate::sema::expr::Typing;
use crate::sema::parameter::Parameter;
use crate::source::Span;
use crate::symbol::kw;
use crate::syntax::ast::{InitKind, TokenId};
use crate::syntax::cxx::tree::FunctionTail;
use crate::syntax::declaration::{Param, Row, Step};
use crate::syntax::names::NameKind;
use crate::syntax::statement::{Direct, InitDeclarator, InitPart};
use crate::token::TokenKind;
use crate::types::{AddressSpace, QualType, Type, TypeId, Types};

/// What the tree says about the parameters of a function and what follows them.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::sema) struct FunctionTree {
    pub params: Row,
    pub tail: FunctionTail,
}

/// A function's name as messages show it: without the marks of special members.
pub(in crate::sema) fn shown_name(text: &str) -> String {
    text.replace("<constructor>", "constructor").replace("<destructor>", "destructor")
}

impl Sema<'_> {
    /// The step next to the name of a declarator, where it is a function's.
    pub(in crate::sema) fn function_tree(&self, typing: &Typing, declarator: u32) -> FunctionTree {
        let all = &typing.tree.declarations;
        let at = all.declarators[declarator as usize];
        if let Some(inner) = at.inner {
            return self.function_tree(typing, inner);
        }
        let steps = &all.steps[at.behind.start as usize..at.behind.end as usize];
        match steps.iter().find(|s| !matches!(s, Step::Attributes(_))) {
            Some(Step::Function { params, first, .. }) => FunctionTree {
                params: *params,
                tail: typing.tree.cxx.tails.get(first).copied().unwrap_or_default(),
            },
            _ => FunctionTree::default(),
        }
    }

    /// The places of default arguments.
    pub(in crate::sema) fn default_arguments(
        &self,
        typing: &Typing,
        params: Row,
    ) -> rustc_hash::FxHashMap<usize, TokenId> {
        let list = params.items(&typing.tree.declarations.params);
        list.enumerate()
            .filter_map(|(index, param)| match param {
                Param::Typed { declarator, .. } => {
                    typing.tree.cxx.defaults.get(&declarator).map(|at| (index, *at))
                }
                Param::Name { .. } => None,
            })
            .collect()
    }

    /// A declarator with its initialiser or the body of a function.
    pub(in crate::sema) fn cxx_init_declarator(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        tree: InitDeclarator,
        into: &mut Vec<Stmt>,
    ) {
        let qualifier = typing.tree.cxx.qualifiers.get(&tree.declarator).cloned();
        let outer = self.cxx.context.clone();
        let mut class = None;
        if let Some(name) = qualifier.filter(|name| name.parts.len() > 1 || name.global) {
            match self.class_of_qualifier(typing, &name) {
                Some(Scope::Class(id)) => {
                    class = Some(id);
                    let inner = self.class_facts(id).map(|c| c.context.clone()).unwrap_or_default();
                    self.cxx.context = super::Context { class, ..inner };
                }
                Some(Scope::Namespace(symbol)) => self.cxx.context.namespaces.push(symbol),
                None => return,
            }
        }
        let mut declarator = self.declarator(typing, tree.declarator);
        if tree.cxx_body.is_none() && self.declares_printf(specs, &declarator) {
            self.cxx.context = outer;
            return;
        }
        let function = self.function_tree(typing, tree.declarator);
        let mut attributes = specs.attributes.clone();
        attributes.merge(std::mem::take(&mut declarator.attributes));
        declarator.attributes = attributes;
        if declarator.name.is_some() {
            if self.options.infer_address_spaces && specs.kernel.is_some() {
                self.infer_kernel_parameters(&mut declarator.chunks);
            }
            let is_function = matches!(declarator.chunks.first(), Some(Chunk::Function { .. }));
            if is_function && !matches!(specs.storage, Some((Storage::Typedef, _))) {
                match class {
                    Some(class) => {
                        let conversion = typing.tree.cxx.conversions.get(&tree.declarator).copied();
                        let body = tree.cxx_body;
                        self.define_member(typing, class, specs, declarator, function, conversion, body);
                    }
                    None => self.cxx_function(typing, specs, declarator, function, tree.cxx_body),
                }
            } else {
                self.cxx_variable(typing, specs, declarator, tree, into);
            }
        }
        self.cxx.context = outer;
        if let Some(init) = tree.init {
            self.report_before(typing, init.problems_end);
        }
    }

    // ---- variables ----

    fn cxx_variable(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        declarator: Declarator,
        tree: InitDeclarator,
        into: &mut Vec<Stmt>,
    ) {
        let Some((name, span)) = declarator.name else { return };
        if (specs.is_empty || specs.cxx.no_type) && specs.auto_type.is_none() {
            self.error("missing-type", span, "a type specifier is missing; C++ does not assume 'int'");
            return;
        }
        let mut attributes = declarator.attributes.clone();
        if let Some(at) = specs.cxx.thread_local {
            self.refuse_cxx("'thread_local'", at);
        }
        let mut value = None;
        let from = self.cxx.temporaries.len();
        self.cxx.initializing = None;
        let deduced = specs.auto_type.or(self.class_to_deduce(specs.ty.ty).map(|_| span));
        let base = match deduced {
            Some(at) if self.at_file_scope() => {
                let mut code = self.new_initializer(span);
                let base = self.in_initializer(&mut code, |p| {
                    p.deduce_type(typing, specs, &declarator, at, tree, &mut value)
                });
                self.cxx.initializing = Some(code);
                base
            }
            Some(at) => self.deduce_type(typing, specs, &declarator, at, tree, &mut value),
            None => {
                value = self.cxx.range_value.take();
                specs.ty
            }
        };
        let mut ty = self.apply_declarator(base, &declarator.chunks, span);
        if specs.cxx.is_constexpr.is_some() {
            ty.is_const = true;
        }
        let is_object = declarator.chunks.iter().all(|c| matches!(c, Chunk::Array { .. }));
        if specs.is_typeof && specs.space_span.is_none() && is_object && !self.at_file_scope() {
            ty.space = None;
        }
        let is_typedef = matches!(specs.storage, Some((Storage::Typedef, _)));
        if !is_typedef {
            let inherited = self.types.typedef_alignment(ty.ty, ty.aligned);
            attributes.aligned = attributes.aligned.max(inherited);
            self.check_place(&attributes, Place::Other);
            self.check_alignas(specs, ty.ty);
        }
        let at_file = self.at_file_scope();
        let simple = name;
        let name = self.qualified_here(name);
        let init = tree.init;
        let declared = Declared { name, span, ty, specs, attributes, init, value };
        if is_typedef {
            let ty = self.finish_type(ty, AddressSpace::Private);
            if at_file && self.cxx.context.class.is_none() {
                self.tell_grammar(simple, NameKind::Type);
                if let Some(inner) = self.scope_symbol(ty) {
                    self.tell_scope(simple, inner);
                }
            }
            self.declare(typing, declared, declarator, false, into);
            return;
        }
        if at_file && self.cxx.context.class.is_none() {
            self.tell_grammar(simple, NameKind::Value);
        }
        if at_file && let Some(class) = self.cxx.context.class {
            return self.define_static_member(typing, class, simple, declared, tree.direct);
        }
        let is_static = matches!(specs.storage, Some((Storage::Static | Storage::Extern, _)));
        if !is_static && (init.is_some() || self.needs_construction(ty.ty)) {
            self.note_initialized(span);
        }
        match *self.types.get(ty.ty) {
            Type::Reference(referred, rvalue) => {
                self.declare_reference(typing, declared, referred, rvalue, into);
            }
            _ if self.needs_construction(ty.ty)
                || (self.class_of(ty.ty).is_some() && tree.direct == Direct::Parens) =>
            {
                self.cxx.full_expression = from;
                self.declare_object(typing, declared, tree.direct, into);
            }
            _ => {
                let from = self.cxx.temporaries.len().min(from);
                let constant = specs.cxx.is_constexpr.filter(|_| init.is_none());
                if let Some(at) = constant {
                    self.error("initializer-not-constant", at, "a constexpr variable needs an initialiser");
                }
                let before = self.diags.error_count();
                if at_file && super::program_objects::may_be_computed(&declared) {
                    self.declare_file_value(typing, declared, declarator, into);
                } else {
                    self.declare(typing, declared, declarator, false, into);
                }
                if specs.cxx.is_constexpr.is_some() && self.diags.error_count() == before {
                    self.check_constexpr(into.last(), span);
                }
                if self.cxx.temporaries.len() > from {
                    let kind = self.end_full_expression(from, StmtKind::Empty, span);
                    into.push(Stmt { kind, span });
                }
            }
        }
    }

    /// A constexpr variable of a function has a constant value.
    fn check_constexpr(&mut self, declared: Option<&Stmt>, span: Span) {
        let Some(Stmt { kind: StmtKind::Declare(id, init), .. }) = declared else { return };
        let id = *id;
        let Some(function) = self.function.as_ref().map(|f| f.id) else { return };
        if self.exprs.const_locals.contains_key(&(function, id)) {
            return;
        }
        let ty = self.local_type(id).ty;
        let constant = match init {
            Some(Init::Constant(c)) => Some(c.clone()),
            Some(Init::Whole(e)) => {
                let e = e.clone();
                if is_error(&e) {
                    return;
                }
                self.const_eval(&e, ty)
            }
            _ => None,
        };
        match constant {
            Some(constant) => {
                self.exprs.const_locals.insert((function, id), constant);
            }
            None => {
                let message = "a constexpr variable must have a value that is known at compile time";
                self.error("initializer-not-constant", span, message);
            }
        }
    }

    /// The one expression of an initialiser.
    pub(in crate::sema) fn only_expression(
        &mut self,
        typing: &mut Typing,
        init: Option<InitPart>,
    ) -> Option<Expr> {
        let value = init?.value?;
        let kind = typing.tree.initializer(value).kind;
        let range = match kind {
            InitKind::Expr(range) => range,
            InitKind::List(list) if list.end == list.start + 1 => {
                let item = typing.tree.items[list.start as usize];
                match typing.tree.initializer(item.value).kind {
                    InitKind::Expr(range) => range,
                    InitKind::List(_) => return None,
                }
            }
            InitKind::List(_) => return None,
        };
        Some(self.type_range(typing, range))
    }

    /// The type that `auto`, or a class template without arguments, stands for in a variable's declaration; `value` takes the
    /// initialiser.
    fn deduce_type(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        declarator: &Declarator,
        at: Span,
        tree: InitDeclarator,
        value: &mut Option<Expr>,
    ) -> PartialType {
        let Some(template) = self.class_to_deduce(specs.ty.ty) else {
            return self.deduce_auto(typing, specs, declarator, at, tree.init, value);
        };
        let error = PartialType { ty: Types::ERROR, ..specs.ty };
        if !declarator.chunks.is_empty() {
            self.report_arguments(template, at);
            return error;
        }
        let first = self.value_of_initializer(typing, tree.init, tree.direct);
        let Some(ty) = self.deduce_class(template, &first, at) else { return error };
        *value = Some(match first {
            super::construct::Value::Expr(e) => e,
            first => self.constructed(ty, first, at),
        });
        PartialType { ty: ty.ty, ..specs.ty }
    }

    /// The type that `auto` stands for in a variable's declaration; `value` takes the initialiser.
    fn deduce_auto(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        declarator: &Declarator,
        at: Span,
        init: Option<InitPart>,
        value: &mut Option<Expr>,
    ) -> PartialType {
        let error = PartialType { ty: Types::ERROR, ..specs.ty };
        let e = match self.cxx.range_value.take() {
            Some(e) => Some(e),
            None => self.only_expression(typing, init),
        };
        let Some(e) = e else {
            self.error("auto-type", at, "'auto' needs an initialiser that is one expression");
            return error;
        };
        let (result, e) = self.deduce_from(specs.ty, &declarator.chunks, e, at);
        *value = Some(e);
        result
    }

    /// What `auto` with a declarator's steps stands for, of an expression.
    pub(in crate::sema) fn deduce_from(
        &mut self,
        written: PartialType,
        chunks: &[Chunk],
        e: Expr,
        at: Span,
    ) -> (PartialType, Expr) {
        let error = PartialType { ty: Types::ERROR, ..written };
        if is_error(&e) {
            return (error, e);
        }
        if e.ty.ty == self.cxx.unresolved {
            self.error("auto-type", at, "the type of 'auto' cannot be told from this expression");
            return (error, error_expr(e.span));
        }
        match chunks {
            [] => {
                let e = if self.class_of(e.ty.ty).is_some() { e } else { self.to_rvalue(e) };
                if e.ty.ty == Types::VOID {
                    self.error("auto-type", e.span, "an expression of type 'void' initialises nothing");
                    return (error, error_expr(e.span));
                }
                (PartialType { ty: e.ty.ty, ..written }, e)
            }
            [Chunk::Reference { .. }] => {
                let space = e.kind.is_lvalue().then_some(e.ty.space).filter(|s| *s != AddressSpace::Private);
                let is_const = written.is_const || (e.kind.is_lvalue() && e.ty.is_const);
                let ty = PartialType { ty: e.ty.ty, space: written.space.or(space), is_const, ..written };
                (ty, e)
            }
            chunks => {
                let lvalue = matches!(chunks.first(), Some(Chunk::Reference { .. }));
                let value = self.to_rvalue(e.clone());
                let mut ty = QualType::new(value.ty.ty);
                for _ in chunks.iter().filter(|c| matches!(c, Chunk::Pointer(_))) {
                    match self.types.pointee(ty.ty) {
                        Some(pointee) => ty = pointee,
                        None => {
                            self.error("auto-type", at, "'auto *' needs a pointer");
                            return (error, error_expr(value.span));
                        }
                    }
                }
                let space = written.space.or(Some(ty.space));
                let result = PartialType {
                    ty: ty.ty,
                    space,
                    is_const: ty.is_const || written.is_const,
                    is_volatile: ty.is_volatile || written.is_volatile,
                    ..written
                };
                (result, if lvalue { e } else { value })
            }
        }
    }

    /// A reference: a pointer whose object is meant by the name.
    fn declare_reference(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        referred: QualType,
        rvalue: bool,
        into: &mut Vec<Stmt>,
    ) {
        if self.at_file_scope() || matches!(d.specs.storage, Some((Storage::Static | Storage::Extern, _))) {
            return self.declare_program_reference(typing, d, (referred, rvalue));
        }
        let value = match d.value.clone() {
            Some(value) => Some(value),
            None => self.initializer_of_reference(typing, d.init),
        };
        let Some(value) = value else {
            self.error("reference-uninitialized", d.span, "a reference must be initialised");
            return;
        };
        let pointer = self.bind_reference(value, referred, rvalue, "initialising");
        // What the reference is bound to lives as long as it does.
        let kept = std::mem::take(&mut self.cxx.temporaries);
        if kept.len() > 1 {
            self.lacks_cxx("a reference with several objects without names in its value", d.span);
        }
        for (local, ty) in kept {
            self.add_cleanup(local, ty);
        }
        let pointer_type = self.types.pointer(referred);
        let local = self.new_local(Some(d.name), QualType::new(pointer_type), d.span);
        if let Some(function) = self.function.as_ref().map(|f| f.id) {
            self.cxx.references.insert((function, local), d.ty.ty);
        }
        self.declare_name(d.name, Name::Local(local), d.span);
        let init = Some(Init::Whole(pointer));
        into.push(Stmt { kind: StmtKind::Declare(local, init), span: d.span });
    }

    fn initializer_of_reference(&mut self, typing: &mut Typing, init: Option<InitPart>) -> Option<Expr> {
        if let Some(e) = self.only_expression(typing, init) {
            return Some(e);
        }
        let value = init?.value?;
        let items = self.typed_items(typing, value);
        let span = self.span_of(typing.tree.initializer(value).first);
        Some(self.stashed(super::Stash::Braced(items), span))
    }

    /// Returns the object that a local name means: what a reference refers to.
    pub(in crate::sema) fn own_local(&mut self, id: LocalId, span: Span) -> Expr {
        let e = Expr { kind: ExprKind::Local(id), ty: self.local_type(id), span };
        let function = self.function.as_ref().map(|f| f.id);
        let reference = function.and_then(|f| self.cxx.references.get(&(f, id)).copied());
        match reference {
            Some(ty) => self.referred_object(e, ty),
            None => e,
        }
    }

    /// The object of a reference whose pointer is in an lvalue.
    pub(in crate::sema) fn referred_object(&mut self, pointer: Expr, reference: TypeId) -> Expr {
        let Type::Reference(referred, _) = *self.types.get(reference) else { return pointer };
        let (ty, span) = (pointer.ty.ty, pointer.span);
        let value = crate::sema::convert::rvalue(ExprKind::Load(Box::new(pointer)), ty, span);
        Expr { kind: ExprKind::Deref(Box::new(value)), ty: referred, span }
    }

    // ---- functions ----

    /// Returns whether `extern "C"` is around.
    fn has_c_linkage(&self) -> bool {
        self.cxx.braces.contains(&super::unit::LINKAGE)
    }

    /// The result that a function's declaration gives: the trailing one where it is written; and whether it is deduced.
    pub(in crate::sema) fn result_type(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        tail: &FunctionTail,
        chunks: &[Chunk],
        class: Option<crate::types::RecordId>,
    ) -> (PartialType, bool) {
        if specs.auto_type.is_none() {
            return (specs.ty, false);
        }
        match tail.trailing {
            Some(ty) => {
                let params = match chunks.first() {
                    Some(Chunk::Function { params, .. }) => params.clone(),
                    _ => Vec::new(),
                };
                let ty = self.trailing_type(typing, ty, params, class);
                let space = (ty.space != AddressSpace::Private).then_some(ty.space);
                (PartialType { ty: ty.ty, space, is_const: ty.is_const, ..specs.ty }, false)
            }
            None => (PartialType { ty: Types::VOID, ..specs.ty }, true),
        }
    }

    /// The type behind `->`, in which the parameters have names. The first is `this` of a member of a class.
    pub(in crate::sema) fn trailing_type(
        &mut self,
        typing: &mut Typing,
        ty: crate::syntax::declaration::TypeName,
        params: Vec<Parameter>,
        class: Option<crate::types::RecordId>,
    ) -> QualType {
        use crate::sema::context::{FunctionContext, Scope};
        let id = FunctionId(u32::MAX);
        let name = self.symbols.intern("<trailing>");
        let context = FunctionContext::new(id, name, Types::VOID, false, self.scopes.len());
        let outer = self.function.replace(context);
        let lambdas = std::mem::take(&mut self.cxx.lambdas);
        let temporaries = std::mem::take(&mut self.cxx.temporaries);
        self.scopes.push(Scope::default());
        self.cxx.cleanups.push(super::Cleanup::function());
        if class.is_some() {
            self.cxx.facts.insert(id, FunctionFacts { class, ..FunctionFacts::default() });
        }
        self.declare_parameters(params);
        self.note_reference_parameters(id);
        let ty = self.type_named(typing, ty);
        self.cxx.references.retain(|(function, _), _| *function != id);
        self.cxx.facts.remove(&id);
        self.cxx.cleanups.pop();
        self.scopes.pop();
        self.function = outer;
        self.cxx.lambdas = lambdas;
        self.cxx.temporaries = temporaries;
        ty
    }

    /// A function that is no member.
    fn cxx_function(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        declarator: Declarator,
        function: FunctionTree,
        body: Option<TokenId>,
    ) {
        let Some((simple, span)) = declarator.name else { return };
        if matches!(simple, kw::CONSTRUCTOR | kw::DESTRUCTOR | kw::CONVERSION) {
            self.error("expected-declaration", span, "this is a member of a class, and none is named here");
            return;
        }
        if specs.is_empty || specs.cxx.no_type || (specs.ty.ty == Types::ERROR && specs.auto_type.is_none()) {
            if specs.is_empty || specs.cxx.no_type {
                let message = "a type specifier is missing; C++ does not assume 'int'";
                self.error("missing-type", span, message);
            }
            return;
        }
        if self.lacks_arguments(specs) {
            return;
        }
        self.check_tail(&function.tail, span);
        let (base, deduced) = self.result_type(typing, specs, &function.tail, &declarator.chunks, None);
        let ty = self.apply_declarator(base, &declarator.chunks, span);
        if ty.ty == Types::ERROR {
            return;
        }
        let mut attributes = declarator.attributes.clone();
        self.check_place(&attributes, Place::Function);
        let kernel = specs.kernel.is_some();
        attributes.overloadable = !kernel && !self.has_c_linkage();
        let scope = self.current_namespace();
        let name = match attributes.overloadable {
            true => self.qualify_in(scope, simple),
            false => simple,
        };
        if self.function.is_none() {
            if name == simple && scope != self.cxx.root {
                self.cxx.aliases.insert((scope, simple), simple);
            }
            self.tell_grammar(simple, NameKind::Function);
        }
        let defaults = self.default_arguments(typing, function.params);
        let facts = FunctionFacts {
            defaults,
            context: self.cxx.context.clone(),
            is_constexpr: specs.cxx.is_constexpr.is_some(),
            deduced,
            ..FunctionFacts::default()
        };
        let declared = Declared { name, span, ty, specs, attributes, init: None, value: None };
        self.enter_cxx_function(declared, declarator, facts, body);
    }

    pub(in crate::sema) fn check_tail(&mut self, tail: &FunctionTail, span: Span) {
        if tail.is_const || tail.is_volatile || tail.space.is_some() || tail.reference.is_some() {
            let message = "only a member function has qualifiers behind its parameters";
            self.error("misplaced-qualifier", span, message);
        }
        if let Some(at) = tail.is_virtual {
            self.refuse_cxx("virtual functions", self.span_of(at));
        }
    }

    /// Enters a function with its body, which is to be read.
    pub(in crate::sema) fn enter_cxx_function(
        &mut self,
        d: Declared,
        declarator: Declarator,
        facts: FunctionFacts,
        body: Option<TokenId>,
    ) -> Option<FunctionId> {
        let Some(Chunk::Function { params, .. }) = declarator.chunks.into_iter().next() else { return None };
        let (name, span) = (d.name, d.span);
        let is_kernel = d.specs.kernel.is_some();
        if is_kernel {
            self.check_kernel_references(&params);
        }
        let context = facts.context.clone();
        let (deduced, is_constexpr) = (facts.deduced, facts.is_constexpr);
        let id = self.enter_function(&d, params.clone())?;
        self.lower_signature(id);
        let known = self.cxx.facts.entry(id).or_default();
        let defaults = std::mem::take(&mut known.defaults);
        *known = FunctionFacts { is_constexpr: known.is_constexpr || is_constexpr, ..facts };
        for (index, at) in defaults {
            known.defaults.entry(index).or_insert(at);
        }
        if is_constexpr || self.cxx.depth > 0 || known.class.is_some() {
            // Each program that has the source has it.
            if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
                info.internal = true;
            }
        }
        let Some(at) = body else { return Some(id) };
        if matches!(self.token(at).kind, TokenKind::Punct(crate::token::Punct::Eq)) {
            match self.token(at + 1).kind {
                TokenKind::Ident(kw::DELETE) => {
                    if let Some(facts) = self.cxx.facts.get_mut(&id) {
                        facts.is_deleted = true;
                    }
                    return Some(id);
                }
                TokenKind::Ident(kw::DEFAULT) => {
                    self.default_member(id, span);
                    return Some(id);
                }
                _ => {
                    self.refuse_cxx("virtual functions", self.span_of(at));
                    return Some(id);
                }
            }
        }
        let before = self.function_infos.get_mut(id.0 as usize).and_then(|f| f.defined.replace(span));
        if let Some(before) = before {
            let text = shown_name(&self.symbols.shared(name));
            self.error("redefinition", span, format!("redefinition of '{text}'"))
                .note(before, "previous definition is here");
            return Some(id);
        }
        let depth = self.cxx.depth;
        self.cxx.pending.push(PendingBody { id, at, context, params, depth });
        if (deduced || is_constexpr) && self.cxx.classes_open() == 0 {
            self.read_body_now(id);
        }
        Some(id)
    }

    /// Makes pointers of the references in a function's signature.
    pub(in crate::sema) fn lower_signature(&mut self, id: FunctionId) {
        let ret = self.function_type(id).ret;
        let lowered = self.lowered_type(ret);
        let mut locals = match self.functions.get_mut(id.0 as usize) {
            Some(function) => std::mem::take(&mut function.locals),
            None => return,
        };
        for local in &mut locals {
            local.ty.ty = self.lowered_type(local.ty.ty);
        }
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            if function.body.is_none() {
                function.ret = lowered;
            }
            function.locals = locals;
        }
    }

    /// The type that a reference has in the typed tree.
    pub(in crate::sema) fn lowered_type(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Reference(referred, _) => self.types.pointer(referred),
            _ => ty,
        }
    }

    /// Makes pointers of the parameters of the current function that are references.
    pub(in crate::sema) fn note_reference_parameters(&mut self, id: FunctionId) {
        let Some(function) = &mut self.function else { return };
        let mut locals = std::mem::take(&mut function.locals);
        for (index, local) in locals.iter_mut().enumerate() {
            let ty = local.ty.ty;
            if let Type::Reference(referred, _) = *self.types.get(ty) {
                local.ty.ty = self.types.pointer(referred);
                self.cxx.references.insert((id, LocalId(index as u32)), ty);
            }
        }
        let objects: Vec<(LocalId, QualType)> = locals
            .iter()
            .enumerate()
            .filter(|(_, local)| self.destroys(local.ty.ty))
            .map(|(index, local)| (LocalId(index as u32), local.ty))
            .collect();
        if let Some(function) = &mut self.function {
            function.locals = locals;
        }
        for (local, ty) in objects {
            self.add_cleanup(local, ty);
        }
    }

    /// Rule C-7: references of kernels are to global, constant or local memory; classes are plain data.
    fn check_kernel_references(&mut self, params: &[Parameter]) {
        for param in params {
            match *self.types.get(param.ty.ty) {
                Type::Reference(referred, _)
                    if matches!(referred.space, AddressSpace::Generic | AddressSpace::Private) =>
                {
                    let message = format!(
                        "a reference parameter of a kernel must refer to __global, __local or __constant, this one refers to {}",
                        referred.space.name()
                    );
                    self.error("kernel-pointer-address-space", param.span, message);
                }
                Type::Record(id)
                    if self.class_facts(id).is_some_and(|c| c.copies || c.destroys || c.has_constructors) =>
                {
                    let message = format!(
                        "'{}' cannot be the type of a kernel parameter: it is no plain data (a constructor, a destructor)",
                        self.type_text(param.ty)
                    );
                    self.error("kernel-parameter-type", param.span, message);
                }
                Type::Atomic(_) => {
                    let text = self.type_text(param.ty);
                    let message =
                        format!("'{text}' cannot be the type of a kernel parameter: it is an atomic object");
                    self.error("kernel-parameter-type", param.span, message);
                }
                _ => {
                    let mut ty = param.ty.ty;
                    while let Type::Pointer(pointee) | Type::Reference(pointee, _) = *self.types.get(ty) {
                        ty = pointee.ty;
                    }
                    if self.class_of(ty).is_some_and(|id| !self.has_standard_layout(id, 0)) {
                        let message = format!(
                            "'{}' cannot be the type of a kernel parameter: the class has no standard layout (its members differ in access, or a base has members, too)",
                            self.type_text(param.ty)
                        );
                        self.error("kernel-parameter-type", param.span, message);
                    }
                }
            }
        }
    }

    /// Returns whether a class has the layout of a structure of C: members of one access, in one class of those that it derives from.
    fn has_standard_layout(&self, id: crate::types::RecordId, depth: u32) -> bool {
        use super::MemberOf;
        let Some(facts) = self.class_facts(id) else { return true };
        if depth > 64 || !facts.complete {
            return true;
        }
        let mut accesses = facts
            .members
            .values()
            .filter(|(member, _)| matches!(member, MemberOf::Field(_)))
            .map(|(_, access)| *access);
        let first = accesses.next();
        let same = accesses.all(|access| Some(access) == first);
        let with_members = facts.bases.iter().filter(|(base, field, _)| {
            field.is_some() && self.class_facts(*base).is_some_and(|b| !b.is_empty)
        });
        let fields = self.types.record(id).fields.iter().flatten();
        let parts = fields.filter_map(|f| self.class_of(self.innermost_element(f.ty.ty)));
        same && with_members.count() + usize::from(first.is_some()) <= 1
            && facts.references.is_empty()
            && parts.into_iter().all(|part| self.has_standard_layout(part, depth + 1))
    }
}

//! Classes: their bases and members, and what is implicit in them.

use super::{Argument, Class, Context, MemberOf};
use crate::hir::{FunctionId, Global, Linkage};
use crate::sema::attribute::Place;
use crate::sema::context::{Name, Sema};
use crate::sema::declarator::Chunk;
use crate::sema::declspec::{DeclSpecs, PartialType, Storage};
use crate::sema::expr::Typing;
use crate::sema::parameter::Attributes;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::cxx::tree::{Access, Class as Tree, CxxExternal, MemberItem, MemberKind, Special};
use crate::syntax::declaration::SpecContext;
use crate::syntax::names::NameKind;
use crate::syntax::statement::Direct;
use crate::types::{AddressSpace, Field, QualType, RecordId, Scalar, Type, TypeId, Types};

impl Sema<'_> {
    /// A class specifier: the type, and how it was written.
    pub(in crate::sema) fn class_specifier(&mut self, typing: &mut Typing, index: u32) -> (QualType, String) {
        let tree = typing.tree.cxx.classes[index as usize].clone();
        let mut attributes = Attributes::default();
        self.apply_attributes(typing, tree.attributes, &mut attributes);
        let span = tree.name.as_ref().map_or(self.span_of(tree.at), |n| self.span_of(n.last));
        let part = tree.name.as_ref().and_then(|n| n.parts.last().cloned());
        let written = part.as_ref().map_or("struct".to_owned(), |p| self.symbols.text(p.name).to_owned());
        let plain = tree.name.as_ref().is_some_and(|n| n.parts.len() == 1 && n.parts[0].args.is_none());
        let forced = if tree.members.is_some() || tree.declares_only { self.cxx.forced.take() } else { None };
        if tree.members.is_none() && forced.is_none() {
            let ty = self.refer_class(typing, &tree, plain, span);
            return (ty, written);
        }
        let is_union = tree.key == kw::UNION;
        let id = match (&tree.name, forced) {
            (_, Some((symbol, simple, template))) => {
                self.new_class(is_union, Some((simple, symbol)), span, template)
            }
            (Some(name), None) if plain => {
                let simple = name.parts[0].name;
                let symbol = self.class_symbol(simple);
                self.new_class(is_union, Some((simple, symbol)), span, None)
            }
            (Some(name), None) => {
                // A member class that is defined outside of its class.
                let found = self.named_type(typing, name);
                match *self.types.get(found.ty) {
                    Type::Record(id) if self.types.record(id).fields.is_none() => id,
                    Type::Error => return (QualType::new(Types::ERROR), written),
                    _ => {
                        self.error("redefinition", span, "redefinition of a class");
                        return (found, written);
                    }
                }
            }
            (None, None) => self.new_class(is_union, None, span, None),
        };
        let ty = QualType::new(self.types.intern(Type::Record(id)));
        if self.types.record(id).fields.is_some() {
            let text = self.type_text(ty);
            let before = self.types.record(id).span;
            self.error("redefinition", span, format!("redefinition of '{text}'"))
                .note(before, "previous definition is here");
            return (ty, written);
        }
        if tree.members.is_some() {
            let context = self.class_facts(id).map(|c| c.context.clone()).unwrap_or_default();
            self.cxx.open_classes += 1;
            self.open_records.push(id);
            self.isolated(context, |p| p.class_members(typing, id, tree, attributes, span));
            self.cxx.open_classes -= 1;
        }
        (ty, written)
    }

    /// The qualified name of a class that is declared here.
    fn class_symbol(&mut self, simple: Symbol) -> Symbol {
        let Some(function) = self.function.as_ref().map(|f| f.name) else {
            return self.qualified_here(simple);
        };
        self.cxx.counter += 1;
        let text =
            format!("{}::{}#{}", self.symbols.text(function), self.symbols.text(simple), self.cxx.counter);
        self.symbols.intern(&text)
    }

    /// `struct name` without a body.
    fn refer_class(&mut self, typing: &mut Typing, tree: &Tree, plain: bool, span: Span) -> QualType {
        let Some(name) = &tree.name else {
            self.error("expected-token", span, "expected a name or '{' behind the key of a class");
            return QualType::new(Types::ERROR);
        };
        if !plain {
            return self.named_type(typing, name);
        }
        let simple = name.parts[0].name;
        if let Some((Name::Typedef(ty), _)) = self.lookup(simple)
            && !tree.declares_only
        {
            return ty;
        }
        let symbol = self.class_symbol(simple);
        if let Some(id) = self.cxx.class_names.get(&symbol).copied() {
            return QualType::new(self.types.intern(Type::Record(id)));
        }
        let id = self.new_class(tree.key == kw::UNION, Some((simple, symbol)), span, None);
        QualType::new(self.types.intern(Type::Record(id)))
    }

    /// A class whose members are to come: the one of that name that was declared, or a new one.
    fn new_class(
        &mut self,
        is_union: bool,
        names: Option<(Symbol, Symbol)>,
        span: Span,
        template: Option<(usize, Vec<Argument>)>,
    ) -> RecordId {
        if let Some(id) = names.and_then(|(_, symbol)| self.cxx.class_names.get(&symbol).copied()) {
            return id;
        }
        let outer = self.cxx.context.class.filter(|_| self.function.is_none());
        let id = self.new_record(is_union, names.map(|(_, symbol)| symbol), span);
        let ty = QualType::new(self.types.intern(Type::Record(id)));
        let mut context = Context { class: Some(id), ..self.cxx.context.clone() };
        if self.function.is_some() {
            // A local class sees the types and constants of the function around.
            for scope in self.scopes.iter().skip(2) {
                for (name, (meaning, _)) in &scope.names {
                    if matches!(meaning, Name::Typedef(_) | Name::EnumConstant(..) | Name::Function(_)) {
                        context.bindings.push((*name, *meaning));
                    }
                }
            }
        }
        self.cxx.counter += 1;
        let (simple, symbol) = names.unwrap_or_else(|| {
            let text = format!("(unnamed {})", self.cxx.counter);
            let symbol = self.symbols.intern(&text);
            (symbol, symbol)
        });
        let is_template = template.is_some();
        let class = Class { name: symbol, simple, outer, template, context, ..Class::default() };
        if let Some((index, args)) = class.template.clone() {
            self.note_class_instance(index, args, id);
        }
        self.cxx.classes.insert(id, class);
        self.cxx.class_names.insert(symbol, id);
        if names.is_none() || is_template {
            return id;
        }
        if self.function.is_some() {
            self.scope().names.insert(simple, (Name::Typedef(ty), span));
        } else if let Some(outer) = outer {
            self.enter_member_name(outer, simple, Name::Typedef(ty), span);
            self.tell_scope(simple, symbol);
        } else {
            if let Some(scope) = self.scopes.get_mut(1) {
                scope.names.insert(symbol, (Name::Typedef(ty), span));
            }
            self.tell_grammar(simple, NameKind::Type);
            self.tell_scope(simple, symbol);
        }
        id
    }

    /// Changes the facts about a class.
    pub(in crate::sema) fn change_class(&mut self, id: RecordId, change: impl FnOnce(&mut Class)) {
        if let Some(class) = self.cxx.classes.get_mut(&id) {
            change(class);
        }
    }

    fn class_members(
        &mut self,
        typing: &mut Typing,
        id: RecordId,
        tree: Tree,
        mut attributes: Attributes,
        span: Span,
    ) {
        let mut fields: Vec<Field> = Vec::new();
        self.bases(typing, id, &tree, &mut fields);
        let is_union = tree.key == kw::UNION;
        for member in tree.members.into_iter().flatten() {
            let access = member.access;
            match member.kind {
                MemberKind::Pragmas(tokens) => _ = self.pragmas(tokens),
                MemberKind::StaticAssert(index) => self.static_assert(typing, index),
                MemberKind::Broken(problems) => self.report_before(typing, problems),
                MemberKind::External(index) => self.member_external(typing, id, index, access),
                MemberKind::Declaration { specs, items, anonymous, problems, problems_end } => {
                    self.report_before(typing, problems);
                    self.following(|p| {
                        let specs = p.decl_specs(typing, specs, SpecContext::Member);
                        if anonymous {
                            p.unnamed_member(id, &specs, &mut fields, access);
                        }
                        for item in items {
                            p.class_item(typing, id, &specs, item, access, is_union, &mut fields);
                        }
                        p.report_before(typing, problems_end);
                    });
                }
            }
        }
        self.apply_attributes(typing, tree.behind, &mut attributes);
        self.report_before(typing, tree.problems_end);
        self.check_place(&attributes, Place::Layout);
        let is_empty = fields.is_empty();
        if is_empty {
            let ty = QualType::new(Types::scalar(Scalar::Char));
            fields.push(Field { name: None, ty, aligned: None, packed: false, span });
        }
        let parts: Vec<TypeId> = fields.iter().map(|f| self.innermost_element(f.ty.ty)).collect();
        let (mut copies, mut destroys) = (false, false);
        for part in parts {
            if let Some(facts) = self.class_of(part).and_then(|c| self.class_facts(c)) {
                copies |= facts.copies;
                destroys |= facts.destroys;
            }
        }
        self.change_class(id, |c| {
            c.is_empty = is_empty;
            c.copies |= copies;
            c.destroys |= destroys;
            c.complete = true;
        });
        self.complete_record(id, fields, &attributes, span);
    }

    fn bases(&mut self, typing: &mut Typing, id: RecordId, tree: &Tree, fields: &mut Vec<Field>) {
        for base in &tree.bases {
            let span = self.span_of(base.name.first);
            if base.is_virtual {
                self.refuse_cxx("virtual base classes", span);
            }
            let ty = self.named_type(typing, &base.name);
            let Some(base_id) = self.class_of(ty.ty) else {
                if ty.ty != Types::ERROR {
                    self.error("invalid-base", span, "a base must be a class");
                }
                continue;
            };
            if self.types.record(base_id).fields.is_none() || self.types.record(base_id).is_union {
                let text = self.type_text(ty);
                self.error("invalid-base", span, format!("the base '{text}' is incomplete or a union"));
                continue;
            }
            let default = if tree.key == kw::CLASS { Access::Private } else { Access::Public };
            let access = base.access.unwrap_or(default);
            let empty = self.class_facts(base_id).is_some_and(|c| c.is_empty);
            let field = (!empty).then_some(fields.len() as u32);
            if !empty {
                let ty = QualType::new(ty.ty);
                fields.push(Field { name: None, ty, aligned: None, packed: false, span });
            }
            let (copies, destroys) =
                self.class_facts(base_id).map_or((false, false), |c| (c.copies, c.destroys));
            self.change_class(id, |c| {
                c.bases.push((base_id, field, access));
                c.no_aggregate |= access != Access::Public;
                c.copies |= copies;
                c.destroys |= destroys;
            });
        }
    }

    /// `using`, a template, a friend in a class.
    fn member_external(&mut self, typing: &mut Typing, id: RecordId, index: u32, access: Access) {
        let external = typing.tree.cxx.externals[index as usize].clone();
        match external {
            CxxExternal::Friend { class, specs } => self.befriend(typing, id, class, specs),
            CxxExternal::Template(template) if template.is_friend => {
                let name = template.name.parts.last().map(|p| p.name);
                if let Some(name) = name {
                    let scope = self.current_namespace();
                    let symbol = self.qualify_in(scope, name);
                    self.change_class(id, |c| c.friends.extend([symbol, name]));
                }
                if template.defined {
                    let class = self.cxx.context.class.take();
                    self.declare_template(template);
                    self.cxx.context.class = class;
                }
            }
            CxxExternal::Alias { name, .. } => {
                self.cxx_external_declaration(typing, index, &mut Vec::new());
                self.change_class(id, |c| {
                    if let Some((_, a)) = c.members.get_mut(&name) {
                        *a = access;
                    }
                });
            }
            CxxExternal::Template(template) => {
                let name = template.name.parts.last().map(|p| p.name);
                self.declare_template(template);
                self.change_class(id, |c| {
                    if let Some((_, a)) = name.and_then(|n| c.members.get_mut(&n)) {
                        *a = access;
                    }
                });
            }
            _ => self.cxx_external_declaration(typing, index, &mut Vec::new()),
        }
    }

    /// `friend class X;`, `friend function;`: functions are those of the namespace around.
    fn befriend(
        &mut self,
        typing: &mut Typing,
        id: RecordId,
        class: Option<crate::syntax::cxx::tree::QualName>,
        declaration: u32,
    ) {
        let scope = self.current_namespace();
        if let Some(class) = class {
            if let Some(name) = class.parts.last().map(|p| p.name) {
                let symbol = self.qualify_in(scope, name);
                self.change_class(id, |c| c.friends.extend([symbol, name]));
            }
            return;
        }
        let before = self.functions.len();
        let tree = typing.tree.statements.declarations[declaration as usize];
        if let crate::syntax::statement::DeclarationKind::Declarators(row) = tree.kind {
            for index in row.start..row.end {
                let declarator = typing.tree.statements.declarators[index as usize].declarator;
                let name = typing.tree.declarations.declarators[declarator as usize].name;
                if let Some((name, _)) = name {
                    let symbol = self.qualify_in(scope, name);
                    self.change_class(id, |c| c.friends.extend([symbol, name]));
                }
            }
        }
        // The body sees the names of the class.
        let outer = self.cxx.context.class.take();
        self.typed_declaration(typing, declaration, &mut Vec::new());
        self.cxx.context.class = outer;
        for index in before..self.functions.len() {
            let function = FunctionId(index as u32);
            let name = self.functions[index].name;
            self.change_class(id, |c| c.friends.push(name));
            for pending in self.cxx.pending.iter_mut().filter(|p| p.id == function) {
                pending.context.class = Some(id);
            }
        }
    }

    /// A member declaration without a declarator.
    fn unnamed_member(&mut self, id: RecordId, specs: &DeclSpecs, fields: &mut Vec<Field>, access: Access) {
        let Type::Record(inner) = *self.types.get(specs.ty.ty) else { return };
        if self.types.record(inner).tag.is_some() || self.types.record(inner).fields.is_none() {
            return;
        }
        let ty = self.finish_type(PartialType { space: None, ..specs.ty }, AddressSpace::Private);
        let index = fields.len() as u32;
        fields.push(Field { name: None, ty, aligned: None, packed: false, span: specs.span });
        // Its members are found through it.
        let names: Vec<Symbol> =
            self.class_facts(inner).map(|c| c.members.keys().copied().collect()).unwrap_or_default();
        for name in names {
            self.change_class(id, |c| {
                c.members.insert(name, (MemberOf::Field(index), access));
            });
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn class_item(
        &mut self,
        typing: &mut Typing,
        id: RecordId,
        specs: &DeclSpecs,
        item: MemberItem,
        access: Access,
        is_union: bool,
        fields: &mut Vec<Field>,
    ) {
        if let Some((colon, width)) = item.width {
            self.error("bit-field", self.span_of(colon), "bit-fields are not supported in OpenCL C");
            if let Some(width) = width {
                self.type_range(typing, width);
            }
        }
        if let Special::Pure(at) = item.special {
            self.refuse_cxx("virtual functions", self.span_of(at));
            return;
        }
        let Some(index) = item.declarator else { return };
        let mut declarator = self.declarator(typing, index);
        let function = self.function_tree(typing, index);
        let Some((name, span)) = declarator.name else { return };
        let mut attributes = specs.attributes.clone();
        attributes.merge(std::mem::take(&mut declarator.attributes));
        self.apply_attributes(typing, item.attributes, &mut attributes);
        declarator.attributes = attributes.clone();
        let is_typedef = matches!(specs.storage, Some((Storage::Typedef, _)));
        if matches!(declarator.chunks.first(), Some(Chunk::Function { .. })) && !is_typedef {
            let conversion = typing.tree.cxx.conversions.get(&index).copied();
            self.member_function(typing, id, specs, declarator, function, conversion, item, access);
            return;
        }
        let ty = self.apply_declarator(specs.ty, &declarator.chunks, span);
        if is_typedef {
            let ty = self.finish_type(ty, AddressSpace::Private);
            self.enter_member_name(id, name, Name::Typedef(ty), span);
            if let Some(inner) = self.scope_symbol(ty) {
                self.tell_scope(name, inner);
            }
            return;
        }
        if matches!(specs.storage, Some((Storage::Static, _))) {
            self.static_member(id, name, span, ty, specs, item, access);
            return;
        }
        if let Some(space) = ty.space {
            let message = format!("a member cannot be qualified with an address space ({})", space.name());
            self.error("member-address-space", span, message);
        }
        let ty = self.finish_type(PartialType { space: None, ..ty }, AddressSpace::Private);
        let field = fields.len() as u32;
        let mut stored = ty;
        if let Type::Reference(..) = self.types.get(ty.ty) {
            stored.ty = self.lowered_type(ty.ty);
            self.change_class(id, |c| _ = c.references.insert(field, ty.ty));
        }
        if !self.check_member_type(stored, false, is_union, span) {
            stored = QualType::new(Types::ERROR);
        }
        if self.class_facts(id).is_some_and(|c| c.members.contains_key(&name)) {
            let message = format!("duplicate member '{}'", self.symbols.text(name));
            self.error("duplicate-member", span, message);
        }
        let (aligned, packed) = (attributes.aligned, attributes.packed);
        fields.push(Field { name: Some(name), ty: stored, aligned, packed, span });
        let (init, is_mutable) = (item.init, specs.cxx.is_mutable.is_some());
        self.change_class(id, |c| {
            c.members.insert(name, (MemberOf::Field(field), access));
            c.no_aggregate |= access != Access::Public;
            if let Some(at) = init {
                c.defaults.insert(field, at);
            }
            if is_mutable {
                c.mutables.insert(field);
            }
        });
        self.tell_grammar(name, NameKind::Value);
    }

    /// A static data member: a variable of the program.
    #[allow(clippy::too_many_arguments)]
    fn static_member(
        &mut self,
        id: RecordId,
        name: Symbol,
        span: Span,
        mut ty: PartialType,
        specs: &DeclSpecs,
        item: MemberItem,
        access: Access,
    ) {
        ty.is_const |= specs.cxx.is_constexpr.is_some();
        let mut value = None;
        if let Some(at) = item.init {
            let mut inner = Typing::default();
            let (range, _) = self.read(at as usize, &mut inner.tree, true, |p| {
                if item.direct == Direct::Braces {
                    p.range(|p| p.braced())
                } else {
                    p.range(|p| p.assignment())
                }
            });
            inner.begin();
            let e = self.type_range(&mut inner, range);
            self.report_before(&mut inner, u32::MAX);
            value = Some(e);
        }
        if specs.auto_type.is_some()
            && let Some(e) = value.clone()
        {
            let e = self.to_rvalue(e);
            ty.ty = e.ty.ty;
        }
        let space = ty.space.unwrap_or(match self.has_program_scope_globals() {
            true => AddressSpace::Global,
            false if ty.is_const => AddressSpace::Constant,
            false => AddressSpace::Global,
        });
        if !self.has_program_scope_globals() && space == AddressSpace::Global {
            let message = "a static member is in __global memory, which needs program-scope variables; here it must be in __constant";
            self.error("program-scope-address-space", span, message);
        }
        let ty = self.finish_type(PartialType { space: Some(space), ..ty }, space);
        let class = self.class_facts(id).map_or(self.cxx.root, |c| c.name);
        let symbol = self.qualify_in(class, name);
        let init = value.and_then(|e| {
            let e = self.convert_for_assignment(e, ty, crate::sema::convert::AssignContext::Initialize);
            if crate::sema::convert::is_error(&e) {
                return None;
            }
            let constant = self.const_eval(&e, ty.ty);
            if constant.is_none() {
                self.error(
                    "initializer-not-constant",
                    e.span,
                    "a static member's first value in its class must be a constant",
                );
            }
            constant
        });
        let text = self.symbols.text(symbol).to_owned();
        let linkage = Linkage::Internal;
        let global = self.add_global(Global { name: text, ty, init, linkage, aligned: None, span });
        if let Some(scope) = self.scopes.get_mut(1) {
            scope.names.insert(symbol, (Name::Global(global), span));
        }
        self.enter_member_name(id, name, Name::Global(global), span);
        self.change_class(id, |c| {
            if let Some((_, a)) = c.members.get_mut(&name) {
                *a = access;
            }
        });
    }

    /// Enters a type, a constant or a static member into a class.
    pub(in crate::sema) fn enter_member_name(
        &mut self,
        id: RecordId,
        name: Symbol,
        meaning: Name,
        span: Span,
    ) {
        let kind = super::unit::kind_of(&meaning);
        let scope = self.class_facts(id).map_or(self.cxx.root, |c| c.name);
        self.cxx.env.declare(scope, name, kind);
        if let Name::Typedef(ty) = meaning
            && let Some(inner) = self.scope_symbol(ty)
        {
            self.cxx.env.inner.insert((scope, name), inner);
        }
        self.change_class(id, |c| {
            c.members.insert(name, (MemberOf::Name(meaning, span), Access::Public));
        });
    }

    /// Enters a function into a class.
    pub(in crate::sema) fn add_member_function(
        &mut self,
        id: RecordId,
        name: Symbol,
        function: FunctionId,
        access: Access,
    ) {
        let scope = self.class_facts(id).map_or(self.cxx.root, |c| c.name);
        self.cxx.env.declare(scope, name, NameKind::Function);
        self.change_class(id, |c| {
            let entry = c
                .members
                .entry(name)
                .or_insert_with(|| (MemberOf::Functions(Vec::new(), Vec::new()), access));
            if let MemberOf::Functions(list, _) = &mut entry.0
                && !list.contains(&function)
            {
                list.push(function);
            }
        });
    }

    /// Enters a function template into a class.
    pub(in crate::sema) fn add_member_template(
        &mut self,
        id: RecordId,
        name: Symbol,
        template: usize,
        access: Access,
    ) {
        let scope = self.class_facts(id).map_or(self.cxx.root, |c| c.name);
        self.cxx.env.declare(scope, name, NameKind::FunctionTemplate);
        self.change_class(id, |c| {
            let entry = c
                .members
                .entry(name)
                .or_insert_with(|| (MemberOf::Functions(Vec::new(), Vec::new()), access));
            if let MemberOf::Functions(_, list) = &mut entry.0 {
                list.push(template);
            }
        });
    }

    /// `enum class`: an enumeration whose constants are in a scope of their own.
    pub(in crate::sema) fn scoped_enum(
        &mut self,
        typing: &mut Typing,
        index: u32,
        span: Span,
    ) -> (TypeId, String) {
        let tree = typing.tree.declarations.enums[index as usize];
        let Some((name, at)) = tree.tag else {
            return self.enum_specifier(typing, index, span);
        };
        let at = self.span_of(at);
        let symbol = self.qualified_here(name);
        let outer = self.cxx.context.clone();
        // Its constants are entered as a namespace's.
        let function = self.function.take();
        let class = self.cxx.context.class.take();
        let counter = self.cxx.counter;
        let scope = match &function {
            Some(_) => {
                self.cxx.counter += 1;
                self.symbols.intern(&format!("enum#{counter}"))
            }
            None => symbol,
        };
        self.cxx.context.namespaces.push(scope);
        self.cxx.namespaces.insert(scope);
        let (ty, written) = self.enum_specifier(typing, index, span);
        self.cxx.context = outer;
        self.function = function;
        self.cxx.context.class = class;
        if let Type::Enum(id) = *self.types.get(ty) {
            self.cxx.scoped_enums.insert(id);
            self.cxx.enum_scopes.insert(id, scope);
            if let Some(enumeration) = self.types.enums.get_mut(id.0 as usize) {
                enumeration.tag = Some(symbol);
            }
        }
        self.declare_enum_name(name, QualType::new(ty), at);
        self.tell_scope(name, scope);
        (ty, written)
    }

    /// An enumeration without `class` is a scope of its constants, too.
    pub(in crate::sema) fn note_enum_scope(
        &mut self,
        typing: &Typing,
        ty: TypeId,
        tag: Option<Symbol>,
        list: crate::syntax::declaration::Row,
    ) {
        let (Some(tag), Type::Enum(id)) = (tag, self.types.get(ty).clone()) else { return };
        let text = format!("enum {}#{}", self.symbols.text(tag), id.0);
        let scope = self.symbols.intern(&text);
        self.cxx.namespaces.insert(scope);
        self.cxx.enum_scopes.entry(id).or_insert(scope);
        for index in list.start..list.end {
            let name = typing.tree.declarations.enumerators[index as usize].name;
            if let Some((Name::EnumConstant(value, ty), span)) = self.lookup(name) {
                let symbol = self.qualify_in(scope, name);
                if let Some(names) = self.scopes.get_mut(1) {
                    names.names.insert(symbol, (Name::EnumConstant(value, ty), span));
                }
                self.cxx.env.declare(scope, name, NameKind::Constant);
            }
        }
    }

    /// The name of an enumeration is a type's.
    pub(in crate::sema) fn declare_enum_name(&mut self, name: Symbol, ty: QualType, span: Span) {
        if self.function.is_some() {
            self.scope().names.entry(name).or_insert((Name::Typedef(ty), span));
        } else if let Some(class) = self.cxx.context.class {
            self.enter_member_name(class, name, Name::Typedef(ty), span);
            if let Some(inner) = self.scope_symbol(ty) {
                self.tell_scope(name, inner);
            }
        } else {
            if let Some(inner) = self.scope_symbol(ty) {
                self.tell_scope(name, inner);
            }
            let symbol = self.qualified_here(name);
            if let Some(scope) = self.scopes.get_mut(1) {
                scope.names.entry(symbol).or_insert((Name::Typedef(ty), span));
            }
            self.tell_grammar(name, NameKind::Type);
        }
    }
}

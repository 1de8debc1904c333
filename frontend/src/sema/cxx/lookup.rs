//! Names: of blocks, of classes with their bases, of namespaces; and qualified ones.

use super::{Argument, MemberOf};
use crate::sema::context::{Name, Sema};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::cxx::tree::{Access, NamePart, QualName};
use crate::syntax::names::NameKind;
use crate::types::{QualType, RecordId, Type, Types};

/// A name's meaning.
#[derive(Debug, Clone)]
pub(in crate::sema) enum Found {
    /// What C has, too.
    Name(Name, Span),
    /// A member of a class that is no name of C: the class that has it, the way from the one asked.
    Member(RecordId, MemberOf),
    /// Templates by their qualified name, and the functions beside them.
    Templates(Symbol),
    /// A namespace by its qualified name.
    Namespace(Symbol),
}

impl Sema<'_> {
    /// The qualified name of a name in a scope; it is made if it is new.
    pub(in crate::sema) fn qualify_in(&mut self, scope: Symbol, name: Symbol) -> Symbol {
        if scope == self.cxx.root {
            return name;
        }
        if let Some(found) = self.cxx.qualified.get(&(scope, name)) {
            return *found;
        }
        let text = format!("{}::{}", self.symbols.text(scope), self.symbols.text(name));
        let symbol = self.symbols.intern(&text);
        self.cxx.qualified.insert((scope, name), symbol);
        symbol
    }

    /// The scope that declarations are entered into: the innermost namespace.
    pub(in crate::sema) fn current_namespace(&self) -> Symbol {
        self.cxx.context.namespaces.last().copied().unwrap_or(self.cxx.root)
    }

    /// The qualified name that a declaration of the file's scope gets.
    pub(in crate::sema) fn qualified_here(&mut self, name: Symbol) -> Symbol {
        if !self.cxx.enabled || !self.at_file_scope() {
            return name;
        }
        let scope = match self.cxx.context.class.and_then(|c| self.class_facts(c)) {
            Some(class) => class.name,
            None => self.current_namespace(),
        };
        self.qualify_in(scope, name)
    }

    /// Tells the grammar of a name that was entered into the current scope of the file.
    pub(in crate::sema) fn tell_grammar(&mut self, name: Symbol, kind: NameKind) {
        let scope = match self.cxx.context.class.and_then(|c| self.class_facts(c)) {
            Some(class) => class.name,
            None => self.current_namespace(),
        };
        self.cxx.env.declare(scope, name, kind);
    }

    /// The meaning of an identifier of C in C++: what [`Sema::lookup`] gives.
    pub(in crate::sema) fn cxx_lookup(&self, name: Symbol) -> Option<(Name, Span)> {
        match self.find_name(name)? {
            Found::Name(name, span) => Some((name, span)),
            Found::Member(_, MemberOf::Name(name, span)) => Some((name, span)),
            Found::Member(_, MemberOf::Functions(functions, _)) => {
                functions.first().map(|f| (Name::Function(*f), Span::default()))
            }
            _ => None,
        }
    }

    /// The meaning of an unqualified name.
    pub(in crate::sema) fn find_name(&self, name: Symbol) -> Option<Found> {
        let (_, inner) = self.scopes.split_at(self.scopes.len().min(2));
        if let Some((found, span)) = inner.iter().rev().find_map(|s| s.names.get(&name)) {
            return Some(Found::Name(*found, *span));
        }
        if let Some((_, symbol)) = self.cxx.context.templates.iter().rev().find(|(n, _)| *n == name) {
            return Some(Found::Templates(*symbol));
        }
        let mut class = self.cxx.context.class;
        while let Some(id) = class {
            if let Some(found) = self.find_in_class(id, name) {
                return Some(found);
            }
            class = self.class_facts(id).and_then(|c| c.outer);
        }
        for scope in self.cxx.context.namespaces.iter().rev().chain([&self.cxx.root]) {
            if let Some(found) = self.find_in_namespace(*scope, name, 0) {
                return Some(found);
            }
        }
        let (found, span) = self.scopes.first()?.names.get(&name)?;
        Some(Found::Name(*found, *span))
    }

    /// The meaning of a name in a namespace.
    pub(in crate::sema) fn find_in_namespace(
        &self,
        scope: Symbol,
        name: Symbol,
        depth: u32,
    ) -> Option<Found> {
        if let Some(found) = self.find_directly(scope, name) {
            return Some(found);
        }
        if depth > 16 {
            return None;
        }
        let used = self.cxx.directives.get(&scope)?;
        used.iter().find_map(|used| self.find_in_namespace(*used, name, depth + 1))
    }

    fn find_directly(&self, scope: Symbol, name: Symbol) -> Option<Found> {
        if let Some(target) = self.cxx.aliases.get(&(scope, name)) {
            return self.find_qualified_symbol(*target);
        }
        let symbol = match scope == self.cxx.root {
            true => name,
            false => *self.cxx.qualified.get(&(scope, name))?,
        };
        self.find_qualified_symbol(symbol)
    }

    /// What a qualified name means as a whole.
    pub(in crate::sema) fn find_qualified_symbol(&self, symbol: Symbol) -> Option<Found> {
        if self.cxx.template_names.contains_key(&symbol) {
            return Some(Found::Templates(symbol));
        }
        if let Some((found, span)) = self.scopes.get(1).and_then(|s| s.names.get(&symbol)) {
            return Some(Found::Name(*found, *span));
        }
        self.cxx.namespaces.contains(&symbol).then_some(Found::Namespace(symbol))
    }

    /// A member of a class or of its bases.
    pub(in crate::sema) fn find_in_class(&self, id: RecordId, name: Symbol) -> Option<Found> {
        self.find_member_of(id, name, 0).map(|(class, member, _)| Found::Member(class, member))
    }

    /// A member of a class or of its bases: the class that has it, and the access that the way to it leaves.
    pub(in crate::sema) fn find_member_of(
        &self,
        id: RecordId,
        name: Symbol,
        depth: u32,
    ) -> Option<(RecordId, MemberOf, Access)> {
        let class = self.class_facts(id)?;
        if let Some((member, access)) = class.members.get(&name) {
            return Some((id, member.clone(), *access));
        }
        if name == class.simple && depth == 0 {
            let ty = self.record_type(id)?;
            let access = Access::Public;
            return Some((id, MemberOf::Name(Name::Typedef(QualType::new(ty)), Span::default()), access));
        }
        if depth > 64 {
            return None;
        }
        class.bases.iter().find_map(|(base, _, access)| {
            let (owner, member, inner) = self.find_member_of(*base, name, depth + 1)?;
            let worst = match (*access, inner) {
                (Access::Private, _) | (_, Access::Private) => Access::Private,
                (Access::Protected, _) | (_, Access::Protected) => Access::Protected,
                _ => Access::Public,
            };
            Some((owner, member, worst))
        })
    }

    /// The type of a record that exists.
    pub(in crate::sema) fn record_type(&self, id: RecordId) -> Option<crate::types::TypeId> {
        self.types.id_of(&Type::Record(id))
    }

    /// The scope that a part of a qualified name means: a namespace, or a class that is completed for it.
    fn scope_of_part(&mut self, typing: &mut Typing, part: &NamePart, found: Found) -> Option<Scope> {
        match self.with_arguments(found, part) {
            Found::Namespace(symbol) => Some(Scope::Namespace(symbol)),
            Found::Templates(symbol) => {
                let args = part.args.as_ref()?;
                let args = self.template_args(typing, args)?;
                let ty = self.class_template_instance(symbol, args, self.span_of(part.at))?;
                self.scope_of_type(ty)
            }
            Found::Member(_, MemberOf::Template(symbol)) => {
                let args = self.template_args(typing, part.args.as_ref()?)?;
                let ty = self.class_template_instance(symbol, args, self.span_of(part.at))?;
                self.scope_of_type(ty)
            }
            Found::Name(Name::Typedef(ty), _) | Found::Member(_, MemberOf::Name(Name::Typedef(ty), _)) => {
                self.scope_of_type(ty)
            }
            _ => None,
        }
    }

    /// The name of a class in itself is that of its template where arguments follow.
    fn with_arguments(&self, found: Found, part: &NamePart) -> Found {
        if let (Found::Member(_, MemberOf::Name(Name::Typedef(ty), _)), true) = (&found, part.args.is_some())
            && let Some(class) = self.class_of(ty.ty).and_then(|id| self.class_facts(id))
            && class.simple == part.name
            && let Some(template) = class.template.as_ref().and_then(|(t, _)| self.cxx.templates.get(*t))
        {
            return Found::Templates(template.name);
        }
        found
    }

    fn scope_of_type(&self, ty: QualType) -> Option<Scope> {
        match self.types.get(ty.ty) {
            Type::Record(id) => self.class_facts(*id).map(|_| Scope::Class(*id)),
            Type::Enum(id) => self.cxx.enum_scopes.get(id).map(|s| Scope::Namespace(*s)),
            _ => None,
        }
    }

    /// What a qualified name means, without the arguments of its last part. Reports what is not there.
    pub(in crate::sema) fn find_qualified(&mut self, typing: &mut Typing, name: &QualName) -> Option<Found> {
        let (last, outer) = name.parts.split_last()?;
        let mut scope = if name.global { Some(Scope::Namespace(self.cxx.root)) } else { None };
        for part in outer {
            let found = match scope {
                None => self.find_name(part.name),
                Some(Scope::Namespace(symbol)) => self.find_in_namespace(symbol, part.name, 0),
                Some(Scope::Class(id)) => self.find_in_class(id, part.name),
            };
            let errors = self.diags.error_count();
            let inner = found.and_then(|found| self.scope_of_part(typing, part, found));
            let Some(inner) = inner else {
                if self.diags.error_count() == errors {
                    let text = self.symbols.shared(part.name);
                    let message = format!("'{text}' is no class, namespace or enumeration");
                    self.error("unknown-scope", self.span_of(part.at), message);
                }
                return None;
            };
            scope = Some(inner);
        }
        let found = match scope {
            None => self.find_name(last.name),
            Some(Scope::Namespace(symbol)) => self.find_in_namespace(symbol, last.name, 0),
            Some(Scope::Class(id)) => {
                let found = self.find_member_of(id, last.name, 0);
                if let Some((owner, _, access)) = &found {
                    self.check_access(*owner, *access, last.name, self.span_of(last.at));
                }
                found.map(|(owner, member, _)| Found::Member(owner, member))
            }
        };
        if found.is_none() {
            let text = self.symbols.shared(last.name);
            let message = match scope {
                Some(Scope::Namespace(scope)) if scope != self.cxx.root => {
                    format!("no member named '{text}' in '{}'", self.symbols.text(scope))
                }
                Some(Scope::Class(id)) => {
                    let class = self.class_facts(id).map_or("", |c| self.symbols.text(c.name));
                    format!("no member named '{text}' in '{class}'")
                }
                _ => format!("use of undeclared identifier '{text}'"),
            };
            self.error("undeclared-identifier", self.span_of(last.at), message);
        }
        found
    }

    /// The class that qualifies a declared name.
    pub(in crate::sema) fn class_of_qualifier(
        &mut self,
        typing: &mut Typing,
        name: &QualName,
    ) -> Option<Scope> {
        let (_, outer) = name.parts.split_last()?;
        let mut scope = if name.global { Some(Scope::Namespace(self.cxx.root)) } else { None };
        for part in outer {
            let found = match scope {
                None => self.find_name(part.name),
                Some(Scope::Namespace(symbol)) => self.find_in_namespace(symbol, part.name, 0),
                Some(Scope::Class(id)) => self.find_in_class(id, part.name),
            };
            let inner = found.and_then(|found| self.scope_of_part(typing, part, found));
            let Some(inner) = inner else {
                let text = self.symbols.shared(part.name);
                let message = format!("'{text}' is no class or namespace");
                self.error("unknown-scope", self.span_of(part.at), message);
                return None;
            };
            scope = Some(inner);
        }
        scope
    }

    /// Reports the use of a member that the current function may not name.
    pub(in crate::sema) fn check_access(
        &mut self,
        owner: RecordId,
        access: Access,
        name: Symbol,
        span: Span,
    ) {
        if access == Access::Public || self.may_name(owner, access) {
            return;
        }
        let class = self.class_facts(owner).map_or("", |c| self.symbols.text(c.name)).to_owned();
        let word = if access == Access::Private { "private" } else { "protected" };
        let text = self.symbols.shared(name);
        let what = match &*text {
            "<constructor>" => "the constructor".to_owned(),
            "<destructor>" => "the destructor".to_owned(),
            "<conversion>" => "the conversion".to_owned(),
            text => format!("'{text}'"),
        };
        self.error("member-access", span, format!("{what} is a {word} member of '{class}'"));
    }

    fn may_name(&self, owner: RecordId, access: Access) -> bool {
        let mut class = self.cxx.context.class;
        while let Some(id) = class {
            if id == owner || (access == Access::Protected && self.derives_from(id, owner, 0)) {
                return true;
            }
            let facts = self.class_facts(id);
            if let (Some(facts), Some(owner)) = (facts, self.class_facts(owner))
                && (owner.friends.contains(&facts.name)
                    || facts
                        .template
                        .as_ref()
                        .and_then(|(t, _)| self.cxx.templates.get(*t))
                        .is_some_and(|t| owner.friends.contains(&t.name)))
            {
                return true;
            }
            class = facts.and_then(|c| c.outer);
        }
        let Some(owner) = self.class_facts(owner) else { return true };
        let friend = |function: &crate::sema::context::FunctionContext| {
            let template = self.cxx.facts.get(&function.id).and_then(|f| f.template);
            let template = template.and_then(|t| self.cxx.templates.get(t));
            owner.friends.contains(&function.name)
                || template.is_some_and(|t| owner.friends.contains(&t.name))
        };
        self.function.iter().chain(&self.enclosing).any(friend)
    }

    /// Returns whether a class is another one or derives from it.
    pub(in crate::sema) fn derives_from(&self, class: RecordId, base: RecordId, depth: u32) -> bool {
        class == base
            || (depth < 64
                && self.class_facts(class).is_some_and(|c| {
                    c.bases.iter().any(|(inner, _, _)| self.derives_from(*inner, base, depth + 1))
                }))
    }

    /// The type that a name with qualifiers and arguments means; the error type after a report.
    pub(in crate::sema) fn named_type(&mut self, typing: &mut Typing, name: &QualName) -> QualType {
        let error = QualType::new(Types::ERROR);
        let span = self.span_of(name.first).to(self.span_of(name.last));
        let Some(last) = name.parts.last().cloned() else { return error };
        if last.name == crate::symbol::kw::REMOVE_SPACE && last.args.is_some() {
            return error;
        }
        if let Some(ty) = self.remove_space_trait(typing, name) {
            return ty;
        }
        let Some(found) = self.find_qualified(typing, name) else { return error };
        let symbol = match self.with_arguments(found, &last) {
            Found::Name(Name::Typedef(ty), _) | Found::Member(_, MemberOf::Name(Name::Typedef(ty), _)) => {
                return ty;
            }
            Found::Templates(symbol) | Found::Member(_, MemberOf::Template(symbol)) => symbol,
            _ => {
                let text = self.symbols.shared(last.name);
                self.error("unknown-type", span, format!("'{text}' is no type"));
                return error;
            }
        };
        let Some(args) = &last.args else {
            return self.template_without_arguments(symbol, span);
        };
        let Some(args) = self.template_args(typing, args) else { return error };
        self.class_template_instance(symbol, args, span).unwrap_or(error)
    }

    /// `__remove_address_space<T>::type`
    pub(in crate::sema) fn remove_space_trait(
        &mut self,
        typing: &mut Typing,
        name: &QualName,
    ) -> Option<QualType> {
        let [first, second] = name.parts.as_slice() else { return None };
        if first.name != crate::symbol::kw::REMOVE_SPACE || second.name != crate::symbol::kw::TYPE_MEMBER {
            return None;
        }
        let args = self.template_args(typing, first.args.as_ref()?)?;
        match args.first() {
            Some(Argument::Type(ty)) => Some(QualType { space: crate::types::AddressSpace::Private, ..*ty }),
            _ => None,
        }
    }
}

/// What qualifies a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::sema) enum Scope {
    Namespace(Symbol),
    Class(RecordId),
}

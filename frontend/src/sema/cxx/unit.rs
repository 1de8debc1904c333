//! The file: its declarations in turn, and what waits to be read.

use super::lookup::{Found, Scope};
use super::{Context, MemberOf, PendingBody};
use crate::hir::Stmt;
use crate::sema::context::{FunctionContext, Name, Scope as Names, Sema};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::Cursor;
use crate::syntax::ast::Tree;
use crate::syntax::cxx::tree::{CxxExternal, QualName};
use crate::syntax::expr::Parser;
use crate::syntax::names::NameKind;
use crate::syntax::words::Language;
use crate::token::TokenKind;
use crate::types::{QualType, Record, RecordId, Type};

/// The brace of `extern "C"` among those that are open.
pub(in crate::sema) const LINKAGE: u32 = u32::MAX;

/// Bodies and instances that one declaration may have read.
const MAX_PENDING: usize = 50_000;

/// A record without members that no declaration names.
pub(super) fn unnamed_record(tag: Option<Symbol>, span: Span) -> Record {
    Record {
        tag,
        is_union: false,
        fields: None,
        packed: false,
        pack: None,
        aligned: None,
        span,
        layout: None,
    }
}

impl Sema<'_> {
    /// Makes the state ready for C++.
    fn begin_cxx(&mut self) {
        self.cxx.enabled = true;
        self.cxx.root = self.symbols.intern("");
        let predeclared: Vec<Symbol> =
            self.scopes.first().into_iter().flat_map(|s| s.names.keys().copied()).collect();
        self.cxx.names = crate::syntax::names::Names::new(predeclared.into_iter());
        let tag = Some(self.symbols.intern("<overloaded function>"));
        let id = RecordId(self.types.records.len() as u32);
        self.types.records.push(unnamed_record(tag, Span::default()));
        self.cxx.unresolved = self.types.intern(Type::Record(id));
        let remove = crate::symbol::kw::REMOVE_SPACE;
        self.cxx.names.declare(remove, NameKind::TypeTemplate);
    }

    /// The whole file.
    pub(in crate::sema) fn cxx_unit(&mut self) {
        self.begin_cxx();
        let mut typing = Typing::default();
        let mut pos = 0;
        while !self.aborted && !self.diags.is_full() {
            if self.token(pos as u32).kind == TokenKind::Eof {
                break;
            }
            typing.clear();
            let (declaration, next) = self.read(pos, &mut typing.tree, true, |p| p.external_declaration());
            typing.begin();
            self.external_declaration(&mut typing, declaration);
            self.read_pending();
            pos = next.max(pos + 1);
        }
        self.finish_tentative_definitions();
        self.finish_initializers();
    }

    /// Reads tokens from a position on with the names of the current context. `declarations`: they are those of a namespace
    /// or a class. Gives the position behind them.
    pub(in crate::sema) fn read<T>(
        &mut self,
        pos: usize,
        tree: &mut Tree,
        declarations: bool,
        production: impl FnOnce(&mut Parser<'_>) -> T,
    ) -> (T, usize) {
        let at_root = self.scopes.len() <= 2
            && self.cxx.context.class.is_none()
            && self.cxx.context.namespaces.is_empty();
        let (context, plain, restored) = match at_root && declarations {
            true => (None, None, Vec::new()),
            false => {
                let (context, plain) = match declarations {
                    true => (Some(self.cxx.names.open_context()), None),
                    false => (None, Some(self.cxx.names.open())),
                };
                (context, plain, self.declare_context_names())
            }
        };
        let inner = plain.is_some().then(|| self.cxx.names.open());
        let cursor = Cursor { tokens: self.tokens.all(), pos };
        let language = Language::from_options(self.options);
        let closes = self.cxx.braces.len() as u32;
        let mut parser = Parser::new(cursor, self.symbols, language, &mut self.cxx.names, tree);
        parser.env = Some(&self.cxx.env);
        parser.closes = closes;
        let result = production(&mut parser);
        let end = parser.cursor.pos;
        if let Some(inner) = inner {
            self.cxx.names.close(inner);
        }
        if let Some(plain) = plain {
            self.cxx.names.close(plain);
        }
        if let Some(context) = context {
            self.cxx.names.close_context(context);
        }
        for (name, scope) in restored.into_iter().rev() {
            match scope {
                Some(scope) => self.cxx.env.named.insert(name, scope),
                None => self.cxx.env.named.remove(&name),
            };
        }
        (result, end)
    }

    /// Declares for the grammar the names that are visible in the current context, innermost first. Gives what the names of
    /// scopes meant before.
    fn declare_context_names(&mut self) -> Vec<(Symbol, Option<Symbol>)> {
        let mut restored = Vec::new();
        self.cxx.env.class_names.clear();
        let mut list: Vec<(Symbol, NameKind, Option<Symbol>)> = Vec::new();
        for scope in self.scopes.iter().skip(2).rev() {
            for (name, (meaning, _)) in &scope.names {
                let inner = match meaning {
                    Name::Typedef(ty) => self.scope_symbol(*ty),
                    _ => None,
                };
                list.push((*name, kind_of(meaning), inner));
            }
        }
        for (name, symbol) in &self.cxx.context.templates {
            list.push((*name, NameKind::TypeTemplate, Some(*symbol)));
        }
        let mut class = self.cxx.context.class;
        while let Some(id) = class {
            self.class_names_of(id, &mut list, 0);
            let Some(facts) = self.class_facts(id) else { break };
            let (simple, name, outer) = (facts.simple, facts.name, facts.outer);
            let facts_template = facts.template.is_some();
            self.cxx.env.class_names.push(simple);
            let kind = match facts_template {
                true => NameKind::TypeTemplate,
                false => NameKind::Type,
            };
            list.push((simple, kind, Some(name)));
            class = outer;
        }
        for scope in self.cxx.context.namespaces.iter().rev() {
            self.namespace_names(*scope, &mut list, 0);
        }
        for (name, kind, inner) in list {
            self.cxx.names.declare(name, kind);
            if let Some(inner) = inner
                && !restored.iter().any(|(n, _)| *n == name)
            {
                restored.push((name, self.cxx.env.named.insert(name, inner)));
            }
        }
        restored
    }

    fn class_names_of(&self, id: RecordId, list: &mut Vec<(Symbol, NameKind, Option<Symbol>)>, depth: u32) {
        let Some(facts) = self.class_facts(id) else { return };
        for member in self.cxx.env.members(facts.name) {
            let inner = self.cxx.env.inner.get(&(facts.name, member.name)).copied();
            list.push((member.name, member.kind, inner));
        }
        if depth < 64 {
            for (base, _, _) in &facts.bases {
                self.class_names_of(*base, list, depth + 1);
            }
        }
    }

    fn namespace_names(&self, scope: Symbol, list: &mut Vec<(Symbol, NameKind, Option<Symbol>)>, depth: u32) {
        for member in self.cxx.env.members(scope) {
            let inner = self.cxx.env.inner.get(&(scope, member.name)).copied();
            list.push((member.name, member.kind, inner));
        }
        if depth < 8 {
            for used in self.cxx.directives.get(&scope).into_iter().flatten() {
                self.namespace_names(*used, list, depth + 1);
            }
        }
    }

    /// The scope that a type is.
    pub(in crate::sema) fn scope_symbol(&self, ty: QualType) -> Option<Symbol> {
        match self.types.get(ty.ty) {
            Type::Record(id) => self.class_facts(*id).map(|c| c.name),
            Type::Enum(id) => self.cxx.enum_scopes.get(id).copied(),
            _ => None,
        }
    }

    /// Tells the grammar that a name of the current scope of the file is a scope, too.
    pub(in crate::sema) fn tell_scope(&mut self, name: Symbol, inner: Symbol) {
        let class = self.cxx.context.class.and_then(|c| self.class_facts(c)).map(|c| c.name);
        let scope = class.unwrap_or_else(|| self.current_namespace());
        self.cxx.env.inner.insert((scope, name), inner);
        if scope == self.cxx.root {
            self.cxx.env.named.insert(name, inner);
        }
    }

    /// Runs an analysis as if it stood at the file's scope in a context, whatever is being typed now.
    pub(in crate::sema) fn isolated<T>(
        &mut self,
        context: Context,
        analysis: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let function = self.function.take();
        let enclosing = std::mem::take(&mut self.enclosing);
        let scopes = self.scopes.split_off(self.scopes.len().min(2));
        let outer = std::mem::replace(&mut self.cxx.context, context);
        let cleanups = std::mem::take(&mut self.cxx.cleanups);
        let temporaries = std::mem::take(&mut self.cxx.temporaries);
        let lambdas = std::mem::take(&mut self.cxx.lambdas);
        let target = self.target.take();
        let contract = self.fp_contract;
        let mut bindings = Names::default();
        for (name, meaning) in &self.cxx.context.bindings {
            bindings.names.insert(*name, (*meaning, Span::default()));
        }
        if !bindings.names.is_empty() {
            self.scopes.push(bindings);
        }
        let result = self.following(analysis);
        self.scopes.truncate(2);
        self.scopes.extend(scopes);
        self.function = function;
        self.enclosing = enclosing;
        self.cxx.context = outer;
        self.cxx.cleanups = cleanups;
        self.cxx.temporaries = temporaries;
        self.cxx.lambdas = lambdas;
        self.target = target;
        self.fp_contract = contract;
        result
    }

    /// Reads the bodies that wait.
    pub(in crate::sema) fn read_pending(&mut self) {
        let mut next = 0;
        while next < self.cxx.pending.len() && !self.aborted && !self.diags.is_full() {
            let pending = self.cxx.pending[next].clone();
            next += 1;
            if next > MAX_PENDING {
                let span = self.span_of(pending.at);
                self.error(
                    "template-limit",
                    span,
                    format!("more than {MAX_PENDING} functions are made here"),
                );
                self.abort();
                break;
            }
            self.read_body(pending);
        }
        self.cxx.pending.clear();
    }

    /// Reads the body of a function now, where it waits.
    pub(in crate::sema) fn read_body_now(&mut self, id: crate::hir::FunctionId) {
        if let Some(pending) = self.cxx.lazy.remove(&id) {
            self.read_body(pending);
        } else if let Some(index) = self.cxx.pending.iter().position(|p| p.id == id) {
            let pending = self.cxx.pending[index].clone();
            self.read_body(pending);
        }
    }

    fn read_body(&mut self, pending: PendingBody) {
        let has_body = self.functions.get(pending.id.0 as usize).is_none_or(|f| f.body.is_some());
        if has_body || self.is_open(pending.id) {
            return;
        }
        let depth = std::mem::replace(&mut self.cxx.depth, pending.depth);
        let errors = self.diags.error_count();
        let (directives, aliases) = (self.cxx.directives.clone(), self.cxx.aliases.clone());
        self.isolated(pending.context.clone(), |p| p.typed_body(pending));
        (self.cxx.directives, self.cxx.aliases) = (directives, aliases);
        if self.diags.error_count() > errors {
            self.cxx.hard_errors += 1;
        }
        self.cxx.depth = depth;
    }

    /// Returns whether the body of a function is being typed.
    pub(in crate::sema) fn is_open(&self, id: crate::hir::FunctionId) -> bool {
        self.open_bodies.contains(&id)
    }

    fn typed_body(&mut self, pending: PendingBody) {
        let PendingBody { id, at, params, .. } = pending;
        let Some(function) = self.functions.get(id.0 as usize) else { return };
        let (name, is_kernel, span) = (function.name, function.kernel.is_some(), function.span);
        let ret = self.function_type(id).ret;
        self.open_bodies.push(id);
        let base = self.scopes.len();
        self.function = Some(FunctionContext::new(id, name, ret, is_kernel, base));
        self.scopes.push(Names::default());
        self.cxx.cleanups.push(super::Cleanup::function());
        self.declare_parameters(params);
        self.note_reference_parameters(id);
        let errors = self.diags.error_count();
        let mut typing = Typing::default();
        let nothing = (
            Vec::new(),
            crate::syntax::statement::Body { items: Default::default(), read: true, problems_end: 0 },
        );
        let (inits, body) = match Self::is_nowhere(at) {
            true => nothing,
            false => self.read(at as usize, &mut typing.tree, false, |p| p.cxx_body()).0,
        };
        typing.begin();
        let mut stmts = Vec::new();
        self.begin_special_body(&mut typing, id, inits, &mut stmts);
        let mut block = self.block_items(&mut typing, body.items);
        self.report_before(&mut typing, u32::MAX);
        stmts.append(&mut block.stmts);
        self.end_special_body(id, &mut stmts);
        block.stmts = stmts;
        self.end_cleanup(&mut block.stmts, span);
        self.scopes.pop();
        block.stmts.splice(0..0, self.left_objects());
        self.check_labels();
        self.open_bodies.retain(|open| *open != id);
        let Some(context) = self.function.take() else { return };
        let ret = self.function_type(id).ret;
        let deduced = self.cxx.facts.get(&id).is_some_and(|f| f.deduced);
        if !context.returns_value
            && ret != crate::types::Types::VOID
            && ret != crate::types::Types::ERROR
            && !is_kernel
            && !deduced
            && self.diags.error_count() == errors
        {
            let name = self.symbols.shared(context.name);
            let message =
                format!("function '{}' returns no value on any path", super::declare::shown_name(&name));
            self.warning("missing-return", span, message);
        }
        self.finish_function(id, context, block);
    }

    /// A declaration that C does not have.
    pub(in crate::sema) fn cxx_external_declaration(
        &mut self,
        typing: &mut Typing,
        index: u32,
        into: &mut Vec<Stmt>,
    ) {
        let external = typing.tree.cxx.externals[index as usize].clone();
        match external {
            CxxExternal::NamespaceOpen { names, inline } => self.open_namespace(names, inline),
            CxxExternal::Close => {
                let opened = self.cxx.braces.pop().unwrap_or(0);
                if opened != LINKAGE {
                    let left = self.cxx.context.namespaces.len().saturating_sub(opened as usize);
                    self.cxx.context.namespaces.truncate(left);
                }
            }
            CxxExternal::LinkageOpen => self.cxx.braces.push(LINKAGE),
            CxxExternal::Linkage(declaration) => {
                self.cxx.braces.push(LINKAGE);
                self.typed_declaration(typing, declaration, into);
                self.cxx.braces.pop();
            }
            CxxExternal::NamespaceAlias { name, at, target } => {
                let found = self.find_qualified(typing, &target);
                let Some(Found::Namespace(symbol)) = found else {
                    if found.is_some() {
                        self.error("unknown-scope", self.span_of(at), "this is no namespace");
                    }
                    return;
                };
                let scope = self.current_namespace();
                self.cxx.aliases.insert((scope, name), symbol);
                self.tell_grammar(name, NameKind::Namespace);
                self.tell_scope(name, symbol);
            }
            CxxExternal::UsingDirective(name) => self.using_directive(typing, &name),
            CxxExternal::Using(name) => self.using_declaration(typing, &name),
            CxxExternal::Alias { name, at, ty, problems_end } => {
                let ty = self.type_named(typing, ty);
                self.report_before(typing, problems_end);
                match self.class_to_deduce(ty.ty) {
                    Some(template) => self.report_arguments(template, self.span_of(at)),
                    None => self.declare_alias(name, ty, self.span_of(at)),
                }
            }
            CxxExternal::Template(template) => self.declare_template(template),
            CxxExternal::Instantiation { specs } => {
                let specs = typing.tree.statements.declarations[specs as usize].specs;
                self.decl_specs(typing, specs, crate::syntax::declaration::SpecContext::TypeName);
            }
            CxxExternal::Friend { .. } | CxxExternal::Broken => {}
        }
    }

    fn open_namespace(&mut self, names: Vec<(Symbol, u32)>, inline: bool) {
        let mut names: Vec<Symbol> = names.into_iter().map(|(name, _)| name).collect();
        let anonymous = names.is_empty();
        if anonymous {
            names.push(self.symbols.intern("(anonymous)"));
        }
        self.cxx.braces.push(names.len() as u32);
        for name in names {
            let scope = self.current_namespace();
            let qualified = self.qualify_in(scope, name);
            self.cxx.namespaces.insert(qualified);
            self.tell_grammar(name, NameKind::Namespace);
            self.tell_scope(name, qualified);
            if inline || anonymous {
                let used = self.cxx.directives.entry(scope).or_default();
                if !used.contains(&qualified) {
                    used.push(qualified);
                }
            }
            self.cxx.context.namespaces.push(qualified);
        }
    }

    fn using_directive(&mut self, typing: &mut Typing, name: &QualName) {
        let span = self.span_of(name.first);
        match self.find_qualified(typing, name) {
            Some(Found::Namespace(symbol)) => {
                let scope = self.current_namespace();
                let used = self.cxx.directives.entry(scope).or_default();
                if !used.contains(&symbol) && symbol != scope {
                    used.push(symbol);
                }
            }
            Some(_) => {
                self.error("unknown-scope", span, "this is no namespace");
            }
            None => {}
        }
    }

    fn using_declaration(&mut self, typing: &mut Typing, name: &QualName) {
        let Some(found) = self.find_qualified(typing, name) else { return };
        let Some(last) = name.parts.last() else { return };
        let (simple, span) = (last.name, self.span_of(last.at));
        if let Some(class) = self.cxx.context.class.filter(|_| self.function.is_none()) {
            // A member of a base.
            match found {
                Found::Member(_, MemberOf::Functions(functions, templates)) => {
                    for function in functions {
                        self.add_member_function(class, simple, function, Default::default());
                    }
                    for template in templates {
                        self.add_member_template(class, simple, template, Default::default());
                    }
                }
                Found::Member(owner, _) if simple == self.class_facts(owner).map_or(simple, |c| c.simple) => {
                    self.inherit_constructors(class, owner, span);
                }
                _ => {}
            }
            return;
        }
        let scope = match self.class_of_qualifier(typing, name) {
            Some(Scope::Namespace(scope)) => scope,
            _ => {
                self.error("unknown-scope", span, "a using declaration here names a member of a namespace");
                return;
            }
        };
        let target = self.qualify_in(scope, simple);
        if self.function.is_some() {
            if let Found::Name(meaning, at) = found {
                self.scope().names.insert(simple, (meaning, at));
                return;
            }
            let here = self.current_namespace();
            self.cxx.aliases.insert((here, simple), target);
            return;
        }
        let kind = match &found {
            Found::Name(meaning, _) => kind_of(meaning),
            Found::Templates(symbol) => self.kind_of_templates(*symbol),
            _ => NameKind::Namespace,
        };
        let here = self.current_namespace();
        self.cxx.aliases.insert((here, simple), target);
        if let Found::Name(Name::Typedef(ty), _) = found
            && let Some(inner) = self.scope_symbol(ty)
        {
            self.tell_scope(simple, inner);
        }
        self.tell_grammar(simple, kind);
    }

    /// Another name of a type.
    pub(in crate::sema) fn declare_alias(&mut self, name: Symbol, ty: QualType, span: Span) {
        if let Some(inner) = self.scope_symbol(ty)
            && self.function.is_none()
        {
            self.tell_scope(name, inner);
        }
        if let Some(class) = self.cxx.context.class.filter(|_| self.function.is_none()) {
            self.enter_member_name(class, name, Name::Typedef(ty), span);
            return;
        }
        if self.function.is_some() {
            self.declare_name(name, Name::Typedef(ty), span);
            return;
        }
        let symbol = self.qualified_here(name);
        let before = self.scopes.get(1).and_then(|s| s.names.get(&symbol).copied());
        self.tell_grammar(name, NameKind::Type);
        if let Some((Name::Typedef(before), _)) = before
            && self.same_object_type(before, ty)
        {
            return;
        }
        self.declare_name(symbol, Name::Typedef(ty), span);
    }
}

/// The kind of a name for the grammar.
pub(in crate::sema) fn kind_of(name: &Name) -> NameKind {
    match name {
        Name::Typedef(_) => NameKind::Type,
        Name::Function(_) => NameKind::Function,
        Name::EnumConstant(..) => NameKind::Constant,
        Name::Local(_) | Name::Global(_) | Name::Block(..) => NameKind::Value,
    }
}

//! Templates: their declarations, arguments and instances. An instance is read from the template's tokens, with the
//! parameters bound to the arguments.

use super::{Argument, Context, MemberOf, Template};
use crate::hir::{Expr, FunctionId};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{error_expr, is_error};
use crate::sema::declarator::Chunk;
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::TokenId;
use crate::syntax::cxx::tree::{
    ArgKind, QualName, Template as Tree, TemplateArg, TemplateKind, TemplateParam,
};
use crate::syntax::declaration::SpecContext;
use crate::syntax::names::NameKind;
use crate::syntax::statement::DeclarationKind;
use crate::token::TokenKind;
use crate::types::{QualType, RecordId, Type, Types};
use rustc_hash::FxHashMap;

/// Instances of templates nest no deeper.
pub(in crate::sema) const MAX_DEPTH: u32 = 256;

/// A program has no more instances.
const MAX_INSTANCES: usize = 20_000;

impl Sema<'_> {
    /// A template, or a specialisation of one.
    pub(in crate::sema) fn declare_template(&mut self, tree: Tree) {
        let span = self.span_of(tree.name.first);
        if self.function.is_some() {
            self.error("misplaced-template", span, "a template stands outside of functions");
            return;
        }
        let mut specifiers = tree.start..tree.name.first;
        let is_kernel = |at: u32| matches!(self.token(at).kind, TokenKind::Ident(kw::KERNEL | kw::KERNEL_U));
        if specifiers.any(is_kernel) {
            self.error("kernel-template", span, "a kernel cannot be a template");
            return;
        }
        let Some(last) = tree.name.parts.last().cloned() else { return };
        let params: Vec<TemplateParam> = tree.lists.first().cloned().unwrap_or_default();
        if tree.kind == TemplateKind::Guide {
            self.declare_guide(tree, params, span);
            return;
        }
        if tree.kind != TemplateKind::Function && last.args.is_some() {
            self.specialise_class(tree, params, span);
            return;
        }
        if tree.name.parts.len() > 1 {
            self.declare_outside(tree, span);
            return;
        }
        if params.is_empty() {
            self.specialise_function(tree, span);
            return;
        }
        if tree.kind != TemplateKind::Function && !self.check_packs(&params, span) {
            return;
        }
        let class = self.cxx.context.class;
        let name = match class.and_then(|c| self.class_facts(c)).map(|c| c.name) {
            Some(scope) => self.qualify_in(scope, last.name),
            None => self.qualified_here(last.name),
        };
        let known = self.cxx.template_names.get(&name).cloned().unwrap_or_default();
        if let (TemplateKind::Class | TemplateKind::Alias, Some(index)) = (tree.kind, known.first().copied())
        {
            let before = &mut self.cxx.templates[index];
            if before.defined && tree.defined {
                let at = before.span;
                let text = self.symbols.shared(name);
                self.error("redefinition", span, format!("redefinition of '{text}'"))
                    .note(at, "previous definition is here");
                return;
            }
            if tree.defined {
                let defaults: Vec<Option<TokenId>> = before.params.iter().map(|p| p.default).collect();
                before.params = params;
                for (param, default) in before.params.iter_mut().zip(defaults) {
                    param.default = param.default.or(default);
                }
                before.start = tree.start;
                before.defined = true;
                before.family.clear();
            }
            return;
        }
        let index = self.cxx.templates.len();
        self.cxx.templates.push(Template {
            name,
            simple: last.name,
            kind: tree.kind,
            params,
            start: tree.start,
            defined: tree.defined,
            context: self.cxx.context.clone(),
            span,
            class,
            specials: Vec::new(),
            outside: Vec::new(),
            lambda: None,
            classes: FxHashMap::default(),
            functions: FxHashMap::default(),
            is_static: false,
            base: None,
            family: FxHashMap::default(),
        });
        let function = tree.kind == TemplateKind::Function;
        match class {
            Some(class) if function => {
                self.add_member_template(class, last.name, index, Default::default());
            }
            Some(class) => {
                self.change_class(class, |c| {
                    c.members.insert(last.name, (MemberOf::Template(name), Default::default()));
                });
                self.cxx.template_names.entry(name).or_default().push(index);
                self.tell_grammar(last.name, NameKind::TypeTemplate);
            }
            None => {
                // One that was declared without a body comes first.
                self.cxx.template_names.entry(name).or_default().push(index);
                let kind = if matches!(tree.kind, TemplateKind::Function | TemplateKind::Variable) {
                    NameKind::FunctionTemplate
                } else {
                    NameKind::TypeTemplate
                };
                self.tell_grammar(last.name, kind);
            }
        }
    }

    /// The kind of templates for the grammar.
    pub(in crate::sema) fn kind_of_templates(&self, symbol: Symbol) -> NameKind {
        if self.is_type_template(symbol) { NameKind::TypeTemplate } else { NameKind::FunctionTemplate }
    }

    /// Returns whether a name is that of a class or alias template.
    pub(in crate::sema) fn is_type_template(&self, symbol: Symbol) -> bool {
        let first = self.cxx.template_names.get(&symbol).and_then(|l| l.first());
        first
            .and_then(|i| self.cxx.templates.get(*i))
            .is_some_and(|t| matches!(t.kind, TemplateKind::Class | TemplateKind::Alias))
    }

    /// Returns whether a name is that of a variable template.
    pub(in crate::sema) fn is_variable_template(&self, symbol: Symbol) -> bool {
        let first = self.cxx.template_names.get(&symbol).and_then(|l| l.first());
        first.and_then(|i| self.cxx.templates.get(*i)).is_some_and(|t| t.kind == TemplateKind::Variable)
    }

    pub(in crate::sema) fn template_of(&mut self, name: &QualName, span: Span) -> Option<usize> {
        let last = name.parts.last()?;
        let found = self.find_name(last.name);
        let symbol = match found {
            Some(super::lookup::Found::Templates(symbol)) => symbol,
            Some(super::lookup::Found::Member(_, MemberOf::Template(symbol))) => symbol,
            _ => {
                let text = self.symbols.shared(last.name);
                self.error("unknown-template", span, format!("'{text}' is no template"));
                return None;
            }
        };
        self.cxx.template_names.get(&symbol)?.first().copied()
    }

    // ---- arguments ----

    /// Arguments as they are written.
    pub(in crate::sema) fn template_args(
        &mut self,
        typing: &mut Typing,
        args: &[TemplateArg],
    ) -> Option<Vec<Argument>> {
        let mut list = Vec::with_capacity(args.len());
        for arg in args {
            if arg.expanded {
                self.lacks_cxx("the expansion of a pack", self.span_of(arg.at));
                return None;
            }
            list.push(self.template_arg(typing, arg.kind)?);
        }
        Some(list)
    }

    pub(in crate::sema) fn template_arg(&mut self, typing: &mut Typing, kind: ArgKind) -> Option<Argument> {
        match kind {
            ArgKind::Type(name) => {
                // The name of a class template by itself is one as an argument.
                if let Some((specs, _)) = name.0
                    && let Some(symbol) = self.template_as_argument(typing, specs)
                {
                    return Some(Argument::Template(symbol));
                }
                let ty = self.type_named(typing, name);
                (ty.ty != Types::ERROR).then_some(Argument::Type(QualType { aligned: None, ..ty }))
            }
            ArgKind::Value(range) => {
                let e = self.type_range(typing, range);
                if is_error(&e) {
                    return None;
                }
                match self.unstash(&e).cloned() {
                    Some(super::Stash::Type(ty)) => return Some(Argument::Type(ty)),
                    Some(super::Stash::Overloads(o)) if !o.templates.is_empty() && o.args.is_none() => {}
                    _ => {}
                }
                let e = self.to_rvalue(e);
                match self.const_eval_int(&e) {
                    Some(value) => Some(Argument::Value(value, e.ty.ty)),
                    None => {
                        if !is_error(&e) {
                            let message = "an argument of a template must be a type or an integer constant";
                            self.error("template-argument", e.span, message);
                        }
                        None
                    }
                }
            }
        }
    }

    fn template_as_argument(&mut self, typing: &Typing, specs: u32) -> Option<Symbol> {
        use crate::syntax::cxx::tree::CxxType;
        use crate::syntax::declaration::SpecKind;
        let words = typing.tree.declarations.specs[specs as usize].words;
        let mut words = words.items(&typing.tree.declarations.words);
        let (first, rest) = (words.next()?, words.next());
        let SpecKind::Cxx(index) = first.kind else { return None };
        let CxxType::Named(name) = &typing.tree.cxx.types[index as usize] else { return None };
        let [part] = name.parts.as_slice() else { return None };
        if rest.is_some() || part.args.is_some() {
            return None;
        }
        match self.find_name(part.name) {
            Some(super::lookup::Found::Templates(symbol)) => Some(symbol),
            _ => None,
        }
    }

    /// The names of parameters with what they are bound to.
    pub(in crate::sema) fn bind(&self, params: &[TemplateParam], args: &[Argument]) -> Vec<(Symbol, Name)> {
        let pairs = params.iter().zip(args);
        pairs
            .filter_map(|(param, arg)| {
                let name = param.name?;
                match arg {
                    Argument::Type(ty) => Some((name, Name::Typedef(*ty))),
                    Argument::Value(value, ty) => Some((name, Name::EnumConstant(*value, *ty))),
                    Argument::Template(_) => None,
                }
            })
            .collect()
    }

    /// A context in which parameters are bound to arguments.
    pub(in crate::sema) fn bound_context(
        &mut self,
        context: &Context,
        params: &[TemplateParam],
        args: &[Argument],
    ) -> Context {
        let mut context = context.clone();
        context.bindings.extend(self.bind(params, args));
        for (param, arg) in params.iter().zip(args) {
            if let (Some(name), Argument::Template(symbol)) = (param.name, arg) {
                context.templates.push((name, *symbol));
            }
        }
        context
    }

    /// Adds default arguments, and gives values the types of their parameters.
    pub(in crate::sema) fn complete_arguments(
        &mut self,
        params: &[TemplateParam],
        context: &Context,
        mut args: Vec<Argument>,
        at: Span,
        quiet: bool,
    ) -> Option<Vec<Argument>> {
        if args.len() > params.len() {
            if !quiet {
                self.error(
                    "template-argument",
                    at,
                    "there are more arguments than the template has parameters",
                );
            }
            return None;
        }
        for index in 0..params.len() {
            let param = &params[index];
            if index >= args.len() {
                let Some(default) = param.default else {
                    if !quiet {
                        let message = "there are fewer arguments than the template has parameters";
                        self.error("template-argument", at, message);
                    }
                    return None;
                };
                let bound = self.bound_context(context, &params[..index], &args);
                let is_type = param.is_type;
                let arg = self.isolated(bound, |p| p.default_argument(default, is_type))?;
                args.push(arg);
            }
            let fits = matches!(
                (&args[index], param.is_type, param.is_template),
                (Argument::Type(_), true, false)
                    | (Argument::Template(_), _, true)
                    | (Argument::Value(..), false, _)
            );
            if !fits {
                if !quiet {
                    let what = if param.is_type { "a type" } else { "a constant" };
                    self.error(
                        "template-argument",
                        at,
                        format!("argument {} of the template must be {what}", index + 1),
                    );
                }
                return None;
            }
            if let Argument::Value(value, _) = args[index] {
                let bound = self.bound_context(context, &params[..index], &args[..index]);
                let start = param.at;
                let ty = self.isolated(bound, |p| p.parameter_type(start));
                let ty = if ty.ty == Types::ERROR { return None } else { ty.ty };
                let value = match self.types.scalar_and_lanes(ty) {
                    Some((scalar, 1)) => crate::sema::constant::wrap(value, scalar),
                    // `auto`
                    _ => value,
                };
                let ty = if self.types.scalar_and_lanes(ty).is_some() { ty } else { Types::INT };
                args[index] = Argument::Value(value, ty);
            }
        }
        Some(args)
    }

    fn default_argument(&mut self, at: TokenId, is_type: bool) -> Option<Argument> {
        let mut typing = Typing::default();
        let (kind, _) =
            self.read(at as usize, &mut typing.tree, false, |p| p.default_template_argument(is_type));
        typing.begin();
        let kind = kind?;
        let arg = self.template_arg(&mut typing, kind);
        self.report_before(&mut typing, u32::MAX);
        arg
    }

    /// The type of a parameter that is no type.
    fn parameter_type(&mut self, at: TokenId) -> QualType {
        let mut typing = Typing::default();
        let (specs, _) =
            self.read(at as usize, &mut typing.tree, false, |p| p.specifiers(SpecContext::TypeName));
        typing.begin();
        let specs = self.decl_specs(&mut typing, specs, SpecContext::File);
        if specs.auto_type.is_some() {
            return QualType::new(Types::VOID);
        }
        QualType::new(specs.ty.ty)
    }

    /// Arguments as text.
    pub(in crate::sema) fn arguments_text(&self, args: &[Argument]) -> String {
        let one = |arg: &Argument| match arg {
            Argument::Type(ty) => self.type_text(*ty).replace("struct ", ""),
            Argument::Value(value, _) => value.to_string(),
            Argument::Template(symbol) => self.symbols.text(*symbol).to_owned(),
        };
        args.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Counts an instance: too many, or too deep ones, are an error.
    pub(in crate::sema) fn count_instance(&mut self, span: Span) -> bool {
        self.cxx.instances += 1;
        if self.cxx.depth >= MAX_DEPTH {
            let message = format!("instances of templates nest deeper than {MAX_DEPTH} levels here");
            self.error("template-limit", span, message);
            self.abort();
            return false;
        }
        if self.cxx.instances > MAX_INSTANCES {
            let message = format!("there are more than {MAX_INSTANCES} instances of templates");
            self.error("template-limit", span, message);
            self.abort();
            return false;
        }
        true
    }

    // ---- classes ----

    /// A class template named without arguments: the class itself in its members; else they are to be deduced.
    pub(in crate::sema) fn template_without_arguments(&mut self, symbol: Symbol, span: Span) -> QualType {
        let mut class = self.cxx.context.class;
        while let Some(id) = class {
            let Some(facts) = self.class_facts(id) else { break };
            let template = facts.template.as_ref().and_then(|(t, _)| self.cxx.templates.get(*t));
            if template.is_some_and(|t| t.name == symbol) {
                return QualType::new(self.types.intern(Type::Record(id)));
            }
            class = facts.outer;
        }
        self.deduced_class_type(symbol, span)
    }

    /// The instance of a class or alias template.
    pub(in crate::sema) fn class_template_instance(
        &mut self,
        symbol: Symbol,
        args: Vec<Argument>,
        span: Span,
    ) -> Option<QualType> {
        let index = self.cxx.template_names.get(&symbol)?.first().copied()?;
        let index = self.template_taking(index, args.len(), span)?;
        let template = self.cxx.templates.get(index)?.clone();
        if !matches!(template.kind, TemplateKind::Class | TemplateKind::Alias) {
            let text = self.symbols.shared(symbol);
            self.error("unknown-type", span, format!("'{text}' is no class template"));
            return None;
        }
        let args = self.complete_arguments(&template.params, &template.context, args, span, false)?;
        if template.kind == TemplateKind::Alias {
            if !self.count_instance(span) {
                return None;
            }
            let context = self.bound_context(&template.context, &template.params, &args);
            let start = template.start;
            self.cxx.depth += 1;
            let ty = self.isolated(context, |p| p.alias_type(start));
            self.cxx.depth -= 1;
            return (ty.ty != Types::ERROR).then_some(ty);
        }
        if let Some(id) = template.classes.get(&args) {
            let ty = self.types.intern(Type::Record(*id));
            return Some(QualType::new(ty));
        }
        if !self.count_instance(span) {
            return None;
        }
        let (start, context, defined) = self.chosen_class(&template, &args)?;
        let name = format!("{}<{}>", self.symbols.text(template.name), self.arguments_text(&args));
        let name = self.symbols.intern(&name);
        if !defined {
            let text = self.symbols.shared(name);
            self.error("incomplete-type", span, format!("'{text}' is declared and not defined"))
                .note(template.span, "the template is declared here");
            return None;
        }
        self.cxx.depth += 1;
        let errors = self.diags.error_count();
        let (simple, key) = (template.simple, args.clone());
        let id = self.isolated(context, |p| p.read_instance(start, index, name, simple, key));
        self.cxx.depth -= 1;
        if self.diags.error_count() > errors {
            self.cxx.hard_errors += 1;
            self.note_instance(name, span);
        }
        let id = id?;
        for outside in &template.outside {
            self.define_outside(index, id, &args, outside);
        }
        let ty = self.types.intern(Type::Record(id));
        Some(QualType::new(ty))
    }

    /// Says with the latest error which instance it is in.
    fn note_instance(&mut self, name: Symbol, span: Span) {
        if self.aborted {
            return;
        }
        let text = self.symbols.shared(name);
        if let Some(diagnostic) = self.diags.last_error() {
            diagnostic.note(span, format!("in the instance '{text}', which is asked for here"));
        }
    }

    fn read_instance(
        &mut self,
        start: TokenId,
        index: usize,
        name: Symbol,
        simple: Symbol,
        args: Vec<Argument>,
    ) -> Option<RecordId> {
        let mut typing = Typing::default();
        let (specs, _) = self.read(start as usize, &mut typing.tree, true, |p| p.class_of_template());
        typing.begin();
        self.cxx.forced = Some((name, simple, Some((index, args.clone()))));
        // The class is known by its arguments while its members are read.
        let specs = self.decl_specs(&mut typing, specs, SpecContext::File);
        self.report_before(&mut typing, u32::MAX);
        match self.types.get(specs.ty.ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    }

    /// Notes a class as an instance of its template.
    pub(in crate::sema) fn note_class_instance(
        &mut self,
        template: usize,
        args: Vec<Argument>,
        id: RecordId,
    ) {
        if let Some(template) = self.cxx.templates.get_mut(template) {
            template.classes.insert(args, id);
        }
    }

    /// The specialisation that arguments choose, or the template itself.
    fn chosen_class(&mut self, template: &Template, args: &[Argument]) -> Option<(TokenId, Context, bool)> {
        let mut best: Option<(u32, TokenId, Context, bool)> = None;
        for special in self.specials_for(template, args) {
            let Some((bound, score)) = self.match_special(&special, args) else { continue };
            let context = self.bound_context(&special.context, &special.params, &bound);
            if best.as_ref().is_none_or(|(s, ..)| score > *s) {
                best = Some((score, special.start, context, special.defined));
            }
        }
        if let Some((_, start, context, defined)) = best {
            return Some((start, context, defined));
        }
        let context = self.bound_context(&template.context, &template.params, args);
        Some((template.start, context, template.defined))
    }

    fn alias_type(&mut self, start: TokenId) -> QualType {
        let mut typing = Typing::default();
        let (ty, _) = self.read(start as usize, &mut typing.tree, true, |p| p.alias_of_template());
        typing.begin();
        let ty = match ty {
            Some(ty) => self.type_named(&mut typing, ty),
            None => QualType::new(Types::ERROR),
        };
        self.report_before(&mut typing, u32::MAX);
        ty
    }

    // ---- functions and variables ----

    /// The instance of a function template.
    pub(in crate::sema) fn function_instance(
        &mut self,
        index: usize,
        args: Vec<Argument>,
        span: Span,
    ) -> Option<FunctionId> {
        let template = self.cxx.templates.get(index)?.clone();
        if let Some(found) = template.functions.get(&args) {
            return *found;
        }
        if !self.count_instance(span) {
            return None;
        }
        // One that was declared may be defined by another of the same name.
        let pack = if template.base.is_some() { "..." } else { "" };
        let name = format!("{}<{}{pack}>", self.symbols.text(template.simple), self.arguments_text(&args));
        let own = match template.simple {
            kw::CONSTRUCTOR => kw::CONSTRUCTOR,
            _ => self.symbols.intern(&name),
        };
        self.cxx.templates[index].functions.insert(args.clone(), None);
        let context = self.bound_context(&template.context, &template.params, &args);
        let (start, class) = (template.start, template.class.map(|class| (class, template.is_static)));
        if let Some(lambda) = &template.lambda {
            return self.lambda_instance(index, lambda, context, args);
        }
        let before = self.functions.len();
        self.cxx.depth += 1;
        let (mark, hard) = (self.diags.mark(), self.cxx.hard_errors);
        let id = self.isolated(context, |p| p.read_function_instance(start, class, own));
        self.cxx.depth -= 1;
        if self.cxx.hard_errors != hard {
            self.forget_functions(before);
            return None;
        }
        if self.diags.changed_since(mark) && !self.aborted {
            // A type that the arguments do not make is no error: the function is none of the candidates.
            self.diags.rollback(mark);
            self.cxx.pending.retain(|p| (p.id.0 as usize) < before);
            self.forget_functions(before);
            return None;
        }
        let id = id?;
        if let Some(facts) = self.cxx.facts.get_mut(&id) {
            facts.template = Some(index);
        }
        if let Some(position) = self.cxx.pending.iter().position(|p| p.id == id) {
            let pending = self.cxx.pending.remove(position);
            self.cxx.lazy.insert(id, pending);
        }
        self.cxx.templates[index].functions.insert(args, Some(id));
        Some(id)
    }

    /// Leaves functions out whose types could not be made.
    fn forget_functions(&mut self, from: usize) {
        for function in self.functions.iter_mut().skip(from) {
            let broken = |ty: crate::types::TypeId| ty == Types::ERROR;
            if broken(function.ret) || function.locals.iter().any(|l| broken(l.ty.ty)) {
                function.ret = Types::VOID;
                function.locals.clear();
                function.param_count = 0;
            }
        }
    }

    fn read_function_instance(
        &mut self,
        start: TokenId,
        class: Option<(RecordId, bool)>,
        own: Symbol,
    ) -> Option<FunctionId> {
        let mut typing = Typing::default();
        if let Some((class, is_static)) = class {
            let simple = self.class_facts(class).map(|c| c.simple);
            let (member, _) =
                self.read(start as usize, &mut typing.tree, true, |p| p.member_of_template(simple));
            typing.begin();
            return self.member_instance(&mut typing, class, member, own, is_static);
        }
        let (declaration, _) = self.read(start as usize, &mut typing.tree, true, |p| p.declaration_at());
        typing.begin();
        let at = self.rename_declared(&mut typing, declaration, own)?;
        let before = self.functions.len();
        self.typed_declaration(&mut typing, declaration, &mut Vec::new());
        self.report_before(&mut typing, u32::MAX);
        self.declared_since(before, own, at)
    }

    /// The function of a name that was declared at a place after others. Instances that its type asks for come before it, those
    /// that its body asks for behind it.
    pub(in crate::sema) fn declared_since(
        &self,
        before: usize,
        name: Symbol,
        at: Span,
    ) -> Option<FunctionId> {
        let name = self.symbols.text(name);
        let mut new = self.functions.iter().enumerate().skip(before);
        let found = new.find(|(_, f)| f.span == at && self.symbols.text(f.name).contains(name));
        found.map(|(index, _)| FunctionId(index as u32))
    }

    fn member_instance(
        &mut self,
        typing: &mut Typing,
        class: RecordId,
        member: crate::syntax::cxx::tree::MemberKind,
        own: Symbol,
        is_static: bool,
    ) -> Option<FunctionId> {
        use crate::syntax::cxx::tree::MemberKind;
        let MemberKind::Declaration { specs, items, .. } = member else { return None };
        let at = self.span_of(typing.tree.declarations.specs[specs as usize].first);
        let mut specs = self.decl_specs(typing, specs, SpecContext::Member);
        if is_static {
            specs.storage = specs.storage.or(Some((crate::sema::declspec::Storage::Static, at)));
        }
        let item = items.first().copied()?;
        let index = item.declarator?;
        let declarator = self.declarator(typing, index);
        if !matches!(declarator.chunks.first(), Some(Chunk::Function { .. })) {
            return None;
        }
        let function = self.function_tree(typing, index);
        let conversion = typing.tree.cxx.conversions.get(&index).copied();
        let before = self.functions.len();
        let mut declarator = declarator;
        let original = declarator.name?;
        if !matches!(original.0, kw::CONSTRUCTOR | kw::CONVERSION) {
            declarator.name = Some((own, original.1));
        }
        let declared = declarator.name?.0;
        let access = self
            .class_facts(class)
            .and_then(|c| c.members.get(&original.0))
            .map_or(Default::default(), |(_, a)| *a);
        self.enter_member(typing, class, &specs, declarator, function, conversion, item.body, access);
        self.report_before(typing, u32::MAX);
        self.declared_since(before, declared, original.1)
    }

    /// The value of a variable template, which must be a constant.
    pub(in crate::sema) fn variable_instance(
        &mut self,
        symbol: Symbol,
        args: Vec<Argument>,
        span: Span,
    ) -> Expr {
        use crate::hir::ExprKind;
        let index = self.cxx.template_names.get(&symbol).and_then(|l| l.first()).copied();
        let index = index.and_then(|i| self.template_taking(i, args.len(), span));
        let Some(template) = index.and_then(|i| self.cxx.templates.get(i)).cloned() else {
            return error_expr(span);
        };
        let args = self.complete_arguments(&template.params, &template.context, args, span, false);
        let Some(args) = args.filter(|_| self.count_instance(span)) else { return error_expr(span) };
        let context = self.bound_context(&template.context, &template.params, &args);
        let start = template.start;
        self.cxx.depth += 1;
        let value = self.isolated(context, |p| p.read_variable(start));
        self.cxx.depth -= 1;
        match value {
            Some((constant, ty)) => crate::sema::convert::rvalue(ExprKind::Constant(constant), ty, span),
            None => {
                self.lacks_cxx("a variable template that is no constant", span);
                error_expr(span)
            }
        }
    }

    fn read_variable(&mut self, start: TokenId) -> Option<(crate::hir::Constant, crate::types::TypeId)> {
        let mut typing = Typing::default();
        let (declaration, _) = self.read(start as usize, &mut typing.tree, true, |p| p.declaration_at());
        typing.begin();
        let tree = typing.tree.statements.declarations[declaration as usize];
        let DeclarationKind::Declarators(row) = tree.kind else { return None };
        let item = *typing.tree.statements.declarators.get(row.start as usize)?;
        let specs = self.decl_specs(&mut typing, tree.specs, SpecContext::File);
        let e = self.only_expression(&mut typing, item.init)?;
        let e = self.to_rvalue(e);
        let ty = if specs.auto_type.is_some() { e.ty.ty } else { specs.ty.ty };
        let e = self.convert_for_assignment(
            e,
            QualType::new(ty),
            crate::sema::convert::AssignContext::Initialize,
        );
        let constant = self.const_eval(&e, ty)?;
        Some((constant, ty))
    }
}

//! Members of class templates that are defined, or specialised, outside of their classes.

use super::{Argument, Context, MemberOf, Outside};
use crate::sema::context::Sema;
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::TokenId;
use crate::syntax::cxx::tree::{QualName, Template as Tree, TemplateKind, TemplateParam};
use crate::syntax::statement::DeclarationKind;
use crate::token::{Punct, TokenKind};
use crate::types::RecordId;

impl Sema<'_> {
    /// A member of a class template that is defined outside of it.
    pub(in crate::sema) fn declare_outside(&mut self, tree: Tree, span: Span) {
        let count = tree.name.parts.len();
        let class = tree.name.parts[count - 2].clone();
        let found = if count == 2 { self.find_name(class.name) } else { None };
        let Some(super::lookup::Found::Templates(symbol)) = found else {
            if class.args.is_none() {
                self.define_member_template(tree, span);
            } else {
                self.error("unknown-template", span, "this is a member of no template");
            }
            return;
        };
        let Some(index) = self.cxx.template_names.get(&symbol).and_then(|l| l.first()).copied() else {
            return;
        };
        if tree.lists.iter().all(Vec::is_empty) {
            self.specialise_member(&tree, span);
            return;
        }
        if tree.lists.len() > 2 || tree.kind == TemplateKind::Class {
            self.lacks_cxx(
                "a member template of a member template that is defined outside of its class",
                span,
            );
            return;
        }
        let params = tree.lists.first().cloned().unwrap_or_default();
        let name = tree.name.parts.last().map_or(Symbol(0), |p| p.name);
        let own = tree.lists.get(1).cloned().map(|own| (name, own));
        let outside = Outside { params, start: tree.start, own };
        // Instances that there are already get it.
        for (index, outside) in self.add_outside(index, &outside) {
            let instances: Vec<(Vec<Argument>, RecordId)> =
                self.cxx.templates[index].classes.iter().map(|(a, r)| (a.clone(), *r)).collect();
            for (args, class) in instances {
                self.define_outside(index, class, &args, &outside);
            }
        }
    }

    /// A member template of a class, which is defined outside of it.
    fn define_member_template(&mut self, tree: Tree, span: Span) {
        let Some(last) = tree.name.parts.last().map(|p| p.name) else { return };
        let mut typing = Typing::default();
        let Some(super::lookup::Scope::Class(class)) = self.class_of_qualifier(&mut typing, &tree.name)
        else {
            self.error("unknown-template", span, "this is a member of no template");
            return;
        };
        let params = tree.lists.first().cloned().unwrap_or_default();
        let context = self.class_facts(class).map(|c| c.context.clone()).unwrap_or_default();
        if !self.give_body(class, last, &params, tree.start, context) {
            self.error("no-member", span, "the class declares no such template");
        }
    }

    /// Gives a member template of a class the body that stands outside of it.
    fn give_body(
        &mut self,
        class: RecordId,
        name: Symbol,
        params: &[TemplateParam],
        start: TokenId,
        context: Context,
    ) -> bool {
        let name = match self.class_facts(class) {
            Some(facts) if facts.simple == name => kw::CONSTRUCTOR,
            _ => name,
        };
        let templates = match self.class_facts(class).and_then(|c| c.members.get(&name)) {
            Some((MemberOf::Functions(_, templates), _)) => templates.clone(),
            _ => Vec::new(),
        };
        let mut open = templates.into_iter().filter(|t| {
            self.cxx.templates.get(*t).is_some_and(|t| !t.defined && t.params.len() == params.len())
        });
        let (Some(index), others) = (open.next(), open.next()) else { return false };
        if others.is_some() {
            let span = self.span_of(start);
            self.lacks_cxx(
                "one of several member templates of a name that is defined outside of its class",
                span,
            );
            return true;
        }
        let tokens = self.tokens.all();
        let template = &mut self.cxx.templates[index];
        let defaults: Vec<Option<TokenId>> = template.params.iter().map(|p| p.default).collect();
        template.params = params.to_vec();
        for (param, default) in template.params.iter_mut().zip(defaults) {
            param.default = param.default.or(default);
        }
        let mut specifiers = template.start..;
        let word = |at: TokenId| tokens.get(at as usize).map_or(TokenKind::Eof, |t| t.kind);
        let ends = |kind| matches!(kind, TokenKind::Eof | TokenKind::Punct(Punct::LParen));
        template.is_static = specifiers
            .find(|at| word(*at) == TokenKind::Ident(kw::STATIC) || ends(word(*at)))
            .is_some_and(|at| word(at) == TokenKind::Ident(kw::STATIC));
        (template.start, template.defined, template.context) = (start, true, context);
        template.family.clear();
        true
    }

    /// `template <> int A<char>::f() { … }`: one instance has another body.
    fn specialise_member(&mut self, tree: &Tree, span: Span) {
        let mut typing = Typing::default();
        let (declaration, _) = self.read(tree.start as usize, &mut typing.tree, true, |p| p.declaration_at());
        typing.begin();
        let scope = match self.declared_qualifier(&typing, declaration) {
            Some(name) => self.class_of_qualifier(&mut typing, &name),
            None => None,
        };
        let Some(super::lookup::Scope::Class(class)) = scope else {
            self.error("unknown-template", span, "this is a member of no template");
            return;
        };
        let last = tree.name.parts.last().map_or(Symbol(0), |p| p.name);
        let functions = match self.class_facts(class).and_then(|c| c.members.get(&last)) {
            Some((MemberOf::Functions(functions, _), _)) => functions.clone(),
            _ => Vec::new(),
        };
        for id in functions {
            if self.cxx.lazy.remove(&id).is_some()
                && let Some(info) = self.function_infos.get_mut(id.0 as usize)
            {
                info.defined = None;
            }
        }
        self.typed_declaration(&mut typing, declaration, &mut Vec::new());
        self.report_before(&mut typing, u32::MAX);
    }

    /// The name, with its qualifiers, that a declaration declares.
    pub(in crate::sema) fn declared_qualifier(&self, typing: &Typing, declaration: u32) -> Option<QualName> {
        let tree = typing.tree.statements.declarations[declaration as usize];
        let DeclarationKind::Declarators(row) = tree.kind else { return None };
        let item = *typing.tree.statements.declarators.get(row.start as usize)?;
        typing.tree.cxx.qualifiers.get(&item.declarator).cloned()
    }

    /// Reads a member's definition outside of its class template for one instance.
    pub(in crate::sema) fn define_outside(
        &mut self,
        index: usize,
        class: RecordId,
        args: &[Argument],
        outside: &Outside,
    ) {
        let Some(template) = self.cxx.templates.get(index) else { return };
        let context = template.context.clone();
        let bindings = self.bind(&outside.params, args);
        let context = Context { bindings, ..context };
        if let Some((name, own)) = &outside.own {
            let facts = self.class_facts(class).map(|c| c.context.clone()).unwrap_or_default();
            let context = Context { bindings: [facts.bindings, context.bindings].concat(), ..facts };
            self.give_body(class, *name, own, outside.start, context);
            return;
        }
        let start = outside.start;
        let depth = self.cxx.depth;
        self.cxx.depth += 1;
        self.isolated(context, |p| {
            let mut typing = Typing::default();
            let (declaration, _) = p.read(start as usize, &mut typing.tree, true, |p| p.declaration_at());
            typing.begin();
            p.typed_declaration(&mut typing, declaration, &mut Vec::new());
            p.report_before(&mut typing, u32::MAX);
        });
        self.cxx.depth = depth;
        // A body that waits does so until it is called.
        let waiting = std::mem::take(&mut self.cxx.pending);
        for pending in waiting {
            let facts = self.cxx.facts.get(&pending.id);
            if facts.is_some_and(|f| f.class == Some(class)) && !super::Sema::is_nowhere(pending.at) {
                self.cxx.lazy.insert(pending.id, pending);
            } else {
                self.cxx.pending.push(pending);
            }
        }
    }
}

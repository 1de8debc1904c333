//! Class template argument deduction (C++17 §16.3.1.8): `Pair p(1, 2.5f)`.
//!
//! Each constructor gives a function template, its deduction guide: `template <class A, class B> Pair(A, B)` of
//! `Pair` is read as `Pair<A, B> Pair#guide(A, B);`. A program's own guides are such functions, too. The result of the
//! one that overload resolution chooses is the class.

use super::construct::Value;
use super::{Overloads, Template};
use crate::hir::Expr;
use crate::sema::context::Sema;
use crate::sema::declspec::DeclSpecs;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::cxx::pack::behind_group;
use crate::syntax::cxx::tree::{Template as Tree, TemplateKind, TemplateParam};
use crate::token::{Punct, Token, TokenKind};
use crate::types::{QualType, RecordId, Type, TypeId};
use rustc_hash::FxHashMap;

impl Sema<'_> {
    /// The placeholder type of a class template whose arguments are to be deduced.
    pub(in crate::sema) fn deduced_class_type(&mut self, template: Symbol, span: Span) -> QualType {
        let known =
            self.cxx.deduced_classes.iter().find(|(_, symbol)| **symbol == template).map(|(id, _)| *id);
        let id = known.unwrap_or_else(|| {
            let id = RecordId(self.types.records.len() as u32);
            self.types.records.push(super::unit::unnamed_record(Some(template), span));
            self.cxx.deduced_classes.insert(id, template);
            id
        });
        QualType::new(self.types.intern(Type::Record(id)))
    }

    /// The class template that a type of [`Self::deduced_class_type`] stands for.
    pub(in crate::sema) fn class_to_deduce(&self, ty: TypeId) -> Option<Symbol> {
        match self.types.get(ty) {
            Type::Record(id) if self.cxx.enabled => self.cxx.deduced_classes.get(id).copied(),
            _ => None,
        }
    }

    /// Reports a placeholder for a class template where there is no initializer (C++17 §10.1.7.5).
    pub(in crate::sema) fn lacks_arguments(&mut self, specs: &DeclSpecs) -> bool {
        let Some(template) = self.class_to_deduce(specs.ty.ty) else { return false };
        self.report_arguments(template, specs.span);
        true
    }

    /// Says that a class template needs its arguments.
    pub(in crate::sema) fn report_arguments(&mut self, template: Symbol, span: Span) {
        let text = self.symbols.shared(template);
        self.error(
            "template-argument",
            span,
            format!("the class template '{text}' needs its arguments here"),
        );
    }

    /// The class that an initializer deduces.
    pub(in crate::sema) fn deduce_class(
        &mut self,
        template: Symbol,
        value: &Value,
        span: Span,
    ) -> Option<QualType> {
        let index = self.cxx.template_names.get(&template)?.first().copied()?;
        let args: Vec<Expr> = match value {
            Value::Default => Vec::new(),
            Value::Expr(e) => vec![e.clone()],
            Value::Args(list) | Value::Braced(list) => list.clone(),
        };
        if args.iter().any(crate::sema::convert::is_error) {
            return None;
        }
        // A copy of an object of the class.
        if let [only] = args.as_slice()
            && let Some(class) = self.class_of(only.ty.ty)
            && self.is_instance_of(class, template)
        {
            return Some(QualType::new(only.ty.ty));
        }
        let (own, implicit) = (self.own_guides(index), self.implicit_guides(index));
        let name = template;
        let set = |templates: Vec<usize>| Overloads { name, templates, closed: true, ..Overloads::default() };
        let errors = self.diags.error_count();
        let chosen = self.chosen_function(&set([own.clone(), implicit].concat()), &args);
        let chosen = chosen.or_else(|| self.chosen_function(&set(own), &args));
        let Some(function) = chosen else {
            if self.diags.error_count() == errors {
                let text = self.symbols.shared(template);
                let message = format!(
                    "the arguments of the class template '{text}' cannot be deduced from these values"
                );
                self.error("template-argument", span, message);
            }
            return None;
        };
        let class = self.function_type(function).ret;
        if !self.class_of(class).is_some_and(|class| self.is_instance_of(class, template)) {
            let text = self.symbols.shared(template);
            let message = format!("a deduction guide of '{text}' gives another type");
            self.error("template-argument", span, message);
            return None;
        }
        Some(QualType::new(class))
    }

    fn is_instance_of(&self, class: RecordId, template: Symbol) -> bool {
        let facts = self.class_facts(class).and_then(|f| f.template.as_ref());
        facts.and_then(|(t, _)| self.cxx.templates.get(*t)).is_some_and(|t| t.name == template)
    }

    fn own_guides(&self, index: usize) -> Vec<usize> {
        self.cxx.guides.get(&index).map(|g| g.own.clone()).unwrap_or_default()
    }

    /// `template <class T> Pair(T) -> Pair<T, T>;`
    pub(in crate::sema) fn declare_guide(&mut self, tree: Tree, params: Vec<TemplateParam>, span: Span) {
        let Some(name) = tree.name.parts.last().map(|p| p.name) else { return };
        let found = self.find_name(name);
        let index = match found {
            Some(super::lookup::Found::Templates(symbol)) => {
                self.cxx.template_names.get(&symbol).and_then(|l| l.first()).copied()
            }
            _ => None,
        };
        let Some(index) = index else {
            self.error("unknown-template", span, "this is a guide for no class template");
            return;
        };
        let tokens = self.tokens.all();
        let at = tree.name.first as usize;
        let end = crate::syntax::cxx::pack::declaration_end(tokens, at, false);
        let guide = self.guide_name(name);
        let tokens = self.tokens.all();
        let like = tokens[at];
        let word = |word| Token { kind: TokenKind::Ident(word), ..like };
        let written = [&[word(kw::AUTO), word(guide)], &tokens[at + 1..end]].concat();
        let made = self.add_guide(guide, params, &written, span);
        self.cxx.guides.entry(index).or_default().own.push(made);
    }

    fn guide_name(&mut self, name: Symbol) -> Symbol {
        let text = format!("{}#guide", self.symbols.text(name));
        self.symbols.intern(&text)
    }

    fn add_guide(
        &mut self,
        guide: Symbol,
        params: Vec<TemplateParam>,
        tokens: &[Token],
        span: Span,
    ) -> usize {
        let start = self.tokens.append(tokens);
        let index = self.cxx.templates.len();
        self.cxx.templates.push(Template {
            name: guide,
            simple: guide,
            kind: TemplateKind::Function,
            params,
            start,
            defined: false,
            context: self.cxx.context.clone(),
            span,
            class: None,
            specials: Vec::new(),
            outside: Vec::new(),
            lambda: None,
            classes: FxHashMap::default(),
            functions: FxHashMap::default(),
            is_static: false,
            base: None,
            family: FxHashMap::default(),
        });
        index
    }

    /// The guides of the constructors of a class template.
    fn implicit_guides(&mut self, index: usize) -> Vec<usize> {
        if let Some(known) = self.cxx.guides.get(&index).and_then(|g| g.implicit.clone()) {
            return known;
        }
        let template = self.cxx.templates[index].clone();
        let simple = template.simple;
        let guide = self.guide_name(simple);
        let found = constructors(self.tokens.all(), template.start as usize, simple);
        let outer = std::mem::replace(&mut self.cxx.context, template.context.clone());
        let mut list = Vec::new();
        for Constructor { own, params } in found {
            let mut all = template.params.clone();
            if let Some(at) = own {
                let mut tree = crate::syntax::ast::Tree::default();
                let (parsed, _) = self.read(at, &mut tree, true, |p| p.parameters_of_list());
                all.extend(parsed.unwrap_or_default());
            }
            let like = self.token(template.start);
            let punct = |p| Token { kind: TokenKind::Punct(p), ..like };
            let word = |word| Token { kind: TokenKind::Ident(word), ..like };
            let mut tokens = vec![word(simple), punct(Punct::Lt)];
            for (place, param) in template.params.iter().enumerate() {
                if place > 0 {
                    tokens.push(punct(Punct::Comma));
                }
                tokens.extend(param.name.map(word));
                tokens.extend(param.pack.then(|| punct(Punct::Ellipsis)));
            }
            tokens.extend([punct(Punct::Gt), word(guide)]);
            tokens.extend_from_slice(&self.tokens.all()[params]);
            tokens.push(punct(Punct::Semi));
            list.push(self.add_guide(guide, all, &tokens, template.span));
        }
        self.cxx.context = outer;
        self.cxx.guides.entry(index).or_default().implicit = Some(list.clone());
        list
    }
}

/// The places of a constructor's tokens.
struct Constructor {
    /// The `<` of its own template parameters.
    own: Option<usize>,
    /// Its parameters with their parentheses.
    params: std::ops::Range<usize>,
}

/// The constructors in the body of the class that is declared at a position.
fn constructors(tokens: &[Token], start: usize, class: Symbol) -> Vec<Constructor> {
    let kind = |at: usize| tokens.get(at).map_or(TokenKind::Eof, |t| t.kind);
    let mut at = start;
    while !matches!(kind(at), TokenKind::Eof | TokenKind::Punct(Punct::LBrace | Punct::Semi)) {
        at += 1;
    }
    let mut list = Vec::new();
    if kind(at) != TokenKind::Punct(Punct::LBrace) {
        return list;
    }
    let end = behind_group(tokens, at).saturating_sub(1);
    at += 1;
    let (mut begins, mut own) = (true, None);
    while at < end {
        match kind(at) {
            TokenKind::Ident(kw::TEMPLATE) if begins => {
                own = Some(at + 1);
                at = behind_angles(tokens, at + 1);
                continue;
            }
            TokenKind::Ident(kw::EXPLICIT | kw::CONSTEXPR | kw::INLINE) => {}
            TokenKind::Ident(name)
                if begins && name == class && kind(at + 1) == TokenKind::Punct(Punct::LParen) =>
            {
                let behind = behind_group(tokens, at + 1);
                list.push(Constructor { own, params: at + 1..behind });
                (at, begins) = (behind, false);
                continue;
            }
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => {
                let is_body = kind(at) == TokenKind::Punct(Punct::LBrace);
                at = behind_group(tokens, at);
                if is_body {
                    (begins, own) = (true, None);
                }
                continue;
            }
            TokenKind::Punct(Punct::Semi | Punct::Colon) => (begins, own) = (true, None),
            _ => begins = false,
        }
        at += 1;
    }
    list
}

/// The position behind template parameters whose `<` is at a position.
fn behind_angles(tokens: &[Token], open: usize) -> usize {
    let (mut at, mut depth) = (open, 0usize);
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Punct(Punct::Lt) => depth += 1,
            TokenKind::Punct(Punct::Gt) => depth = depth.saturating_sub(1),
            TokenKind::Punct(Punct::LParen | Punct::LBrace) => {
                at = behind_group(tokens, at);
                continue;
            }
            TokenKind::Eof => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    at
}

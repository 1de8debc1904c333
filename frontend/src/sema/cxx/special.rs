//! Specialisations of templates: of classes, explicit and partial, and of functions.

use super::{Argument, Overloads, Special};
use crate::hir::Expr;
use crate::sema::context::Sema;
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::cxx::tree::{Template as Tree, TemplateKind, TemplateParam};
use crate::syntax::statement::DeclarationKind;
use crate::types::{QualType, Type};

impl Sema<'_> {
    pub(in crate::sema) fn specialise_class(&mut self, tree: Tree, params: Vec<TemplateParam>, span: Span) {
        let Some(index) = self.template_of(&tree.name, span) else { return };
        let context = self.cxx.context.clone();
        let name = tree.name.first;
        let special = Special { params, name, start: tree.start, defined: tree.defined, context };
        if tree.kind == TemplateKind::Class
            && let Some(template) = self.cxx.templates.get_mut(index)
        {
            template.specials.push(special);
        } else {
            self.lacks_cxx("a specialisation of this template", span);
        }
    }

    /// `template <> void f<int>(int) { … }`: a function that is called where the instance would be.
    pub(in crate::sema) fn specialise_function(&mut self, tree: Tree, span: Span) {
        let Some(last) = tree.name.parts.last().cloned() else { return };
        let found = self.find_name(last.name);
        let Some(super::lookup::Found::Templates(symbol)) = found else {
            self.error("unknown-template", span, "this specialises no template");
            return;
        };
        let templates = self.cxx.template_names.get(&symbol).cloned().unwrap_or_default();
        // The declaration as that of a function, whose name is one of its own.
        let mut inner = Typing::default();
        let (declaration, _) = self.read(tree.start as usize, &mut inner.tree, true, |p| p.declaration_at());
        inner.begin();
        let before = self.functions.len();
        let written = self.written_arguments(&mut inner, declaration);
        self.cxx.depth += 1;
        self.cxx.counter += 1;
        let own = self.symbols.intern(&format!("{}#{}", self.symbols.text(last.name), self.cxx.counter));
        let at = self.rename_declared(&mut inner, declaration, own);
        self.typed_declaration(&mut inner, declaration, &mut Vec::new());
        self.cxx.depth -= 1;
        self.report_before(&mut inner, u32::MAX);
        let Some(id) = at.and_then(|at| self.declared_since(before, own, at)) else { return };
        let params = self.function_type(id).params;
        for template in templates {
            let sample: Vec<Expr> = params.iter().map(|p| self.sample(*p)).collect();
            let overloads = Overloads { args: written.clone(), ..Overloads::default() };
            if let Some((template, args)) = self.deduce_arguments(template, &overloads, &sample) {
                self.cxx.templates[template].functions.insert(args, Some(id));
                return;
            }
        }
        self.error("unknown-template", span, "this specialises no template");
    }

    /// The arguments that a declared name has.
    fn written_arguments(&mut self, typing: &mut Typing, declaration: u32) -> Option<Vec<Argument>> {
        let name = self.declared_qualifier(typing, declaration)?;
        let args = name.parts.last()?.args.clone()?;
        self.template_args(typing, &args)
    }

    /// Gives what a declaration declares another name; gives the place of the name.
    pub(in crate::sema) fn rename_declared(
        &mut self,
        typing: &mut Typing,
        declaration: u32,
        name: Symbol,
    ) -> Option<Span> {
        let tree = typing.tree.statements.declarations[declaration as usize];
        let DeclarationKind::Declarators(row) = tree.kind else { return None };
        let item = typing.tree.statements.declarators.get(row.start as usize).copied()?;
        typing.tree.cxx.qualifiers.remove(&item.declarator);
        let (declared, at) = typing.tree.declarations.declarators[item.declarator as usize].name.as_mut()?;
        *declared = name;
        Some(self.span_of(*at))
    }

    /// An object or a value of a parameter's type.
    fn sample(&mut self, ty: crate::types::TypeId) -> Expr {
        use crate::hir::{ExprKind, LocalId};
        let span = Span::default();
        match *self.types.get(ty) {
            Type::Reference(referred, false) => {
                Expr { kind: ExprKind::Local(LocalId(0)), ty: referred, span }
            }
            Type::Reference(referred, true) => Expr { kind: ExprKind::Error, ty: referred, span },
            _ => Expr { kind: ExprKind::Error, ty: QualType::new(ty), span },
        }
    }
}

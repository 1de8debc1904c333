//! Template argument deduction: from the arguments of a call, and from those of another class.

use super::{Argument, Special, Template};
use super::{Overloads, Stash};
use crate::hir::{Expr, FunctionId};
use crate::sema::context::Sema;
use crate::sema::expr::Typing;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::Kind;
use crate::syntax::cxx::tree::{ArgKind, CxxType, TemplateArg, TemplateParam};
use crate::syntax::declaration::{ArraySize, Param, Row, SpecKind, Step, TypeName};
use crate::types::{AddressSpace, QualType, Type};

/// What parameters of a template were found to be.
struct Deduction<'p> {
    params: &'p [TemplateParam],
    found: Vec<Option<Argument>>,
    /// How much of the parameters' types is written and not deduced.
    special: u32,
    /// How many of them were written.
    written: usize,
    /// Qualifiers and references must be the same: a specialisation of a class is matched.
    strict: bool,
}

/// The parameter of a lambda's call operator that an `auto` is, by its place among those of the tree.
fn auto_parameter(typing: &Typing, index: u32, deduction: &Deduction) -> Option<usize> {
    if deduction.strict || !matches!(typing.tree.cxx.types[index as usize], CxxType::Auto) {
        return None;
    }
    let place = super::lambda::place_of_auto(typing, index);
    (place < deduction.params.len()).then_some(place)
}

fn is_const_word(kind: &SpecKind) -> bool {
    matches!(kind, SpecKind::Qualifier(kw::CONST | kw::CONST_U | kw::CONST_UU))
}

impl Deduction<'_> {
    fn index(&self, name: Symbol) -> Option<usize> {
        self.params.iter().position(|p| p.name == Some(name))
    }

    /// Binds a parameter; false where it is bound to another argument.
    fn bind(&mut self, index: usize, arg: Argument) -> bool {
        match &self.found[index] {
            Some(_) if index < self.written => true,
            Some(Argument::Value(before, _)) => {
                // One that is used twice is more special.
                self.special += 1;
                matches!(arg, Argument::Value(v, _) if v == *before)
            }
            Some(before) => {
                self.special += 1;
                *before == arg
            }
            None => {
                self.found[index] = Some(arg);
                true
            }
        }
    }
}

/// A type of a template's function as its tree has it: the specifiers, and the steps around them, outermost first.
#[derive(Clone)]
struct Pattern {
    specs: u32,
    steps: Vec<Step>,
}

impl Sema<'_> {
    /// The instance of a function template that a call's arguments tell, and how much of its parameters is written.
    pub(in crate::sema) fn deduced_instance(
        &mut self,
        template: usize,
        overloads: &Overloads,
        args: &[Expr],
    ) -> Option<(FunctionId, u32)> {
        let span = args.first().map_or(self.cxx.templates[template].span, |a| a.span);
        let (template, found, special) = self.deduce_length(template, overloads, args)?;
        let id = self.function_instance(template, found, span)?;
        Some((id, self.weighted(template, special)))
    }

    /// The arguments of a function template that a call's arguments tell; with the template, which is another for each length
    /// of a pack.
    pub(in crate::sema) fn deduce_arguments(
        &mut self,
        template: usize,
        overloads: &Overloads,
        args: &[Expr],
    ) -> Option<(usize, Vec<Argument>)> {
        self.deduce_length(template, overloads, args).map(|(template, found, _)| (template, found))
    }

    fn deduce_length(
        &mut self,
        template: usize,
        overloads: &Overloads,
        args: &[Expr],
    ) -> Option<(usize, Vec<Argument>, u32)> {
        let lengths = self.lengths_of(template, overloads, args);
        lengths.into_iter().find_map(|template| {
            self.deduce(template, overloads, args).map(|(found, special)| (template, found, special))
        })
    }

    fn deduce(&mut self, index: usize, overloads: &Overloads, args: &[Expr]) -> Option<(Vec<Argument>, u32)> {
        let template = self.cxx.templates.get(index)?.clone();
        let written = overloads.args.clone().unwrap_or_default();
        if written.len() > template.params.len() {
            return None;
        }
        let count = written.len();
        let mut found: Vec<Option<Argument>> = written.into_iter().map(Some).collect();
        found.resize(template.params.len(), None);
        let mut deduction =
            Deduction { params: &template.params, found, special: 0, written: count, strict: false };
        // The parameters as they are declared, with names that no type is known of yet.
        let mut typing = Typing::default();
        let row = self.isolated(template.context.clone(), |p| {
            p.parameters_of_pattern(&template, &mut typing).and_then(|row| {
                let matched = p.match_parameters(&mut typing, row, args, &mut deduction);
                matched.then_some(row)
            })
        });
        row?;
        let special = deduction.special;
        let mut list = Vec::new();
        for arg in deduction.found {
            match arg {
                Some(arg) => list.push(arg),
                None => break,
            }
        }
        let (mark, hard) = (self.diags.mark(), self.cxx.hard_errors);
        let list = self.complete_arguments(&template.params, &template.context, list, template.span, true);
        if self.diags.changed_since(mark) && !self.aborted && self.cxx.hard_errors == hard {
            self.diags.rollback(mark);
            return None;
        }
        list.map(|list| (list, special))
    }

    /// The parameters of a function template as they are written, its own parameters not being bound.
    pub(in crate::sema) fn parameters_of_pattern(
        &mut self,
        template: &Template,
        typing: &mut Typing,
    ) -> Option<Row> {
        let simple = template.class.and_then(|c| self.class_facts(c)).map(|c| c.simple);
        let is_lambda = template.lambda.is_some();
        let (row, _) = self.read(template.start as usize, &mut typing.tree, true, |parser| match is_lambda {
            true => {
                let declarator = parser.declarator_of_lambda();
                parser.parameters_of(declarator)
            }
            false => parser.parameters_of_template(&template.params, simple),
        });
        typing.begin();
        row
    }

    fn match_parameters(
        &mut self,
        typing: &mut Typing,
        row: Row,
        args: &[Expr],
        deduction: &mut Deduction,
    ) -> bool {
        let count = (row.end - row.start) as usize;
        if args.len() > count {
            return false;
        }
        for (index, arg) in args.iter().enumerate() {
            let param = typing.tree.declarations.params[row.start as usize + index];
            let Param::Typed { specs, declarator } = param else { return false };
            let pattern = Pattern { specs, steps: self.steps_of(typing, declarator) };
            if matches!(self.unstash(arg), Some(Stash::Braced(_) | Stash::Overloads(_))) {
                continue;
            }
            if !self.match_argument(typing, &pattern, arg, deduction) {
                return false;
            }
        }
        for index in args.len()..count {
            let Param::Typed { declarator, .. } = typing.tree.declarations.params[row.start as usize + index]
            else {
                return false;
            };
            if !typing.tree.cxx.defaults.contains_key(&declarator) {
                return false;
            }
        }
        true
    }

    /// The steps of a declarator, from what its name is on.
    fn steps_of(&self, typing: &Typing, declarator: u32) -> Vec<Step> {
        let all = &typing.tree.declarations;
        let at = all.declarators[declarator as usize];
        let mut steps = match at.inner {
            Some(inner) => self.steps_of(typing, inner),
            None => Vec::new(),
        };
        let is_step = |step: &Step| !matches!(step, Step::Attributes(_));
        steps.extend(at.behind.items(&all.steps).filter(is_step));
        let mut before: Vec<Step> = at.before.items(&all.steps).filter(is_step).collect();
        before.reverse();
        steps.extend(before);
        steps
    }

    fn match_argument(
        &mut self,
        typing: &mut Typing,
        pattern: &Pattern,
        arg: &Expr,
        deduction: &mut Deduction,
    ) -> bool {
        let lvalue = arg.kind.is_lvalue();
        if let Some(Step::Reference { rvalue, .. }) = pattern.steps.first() {
            let inner = Pattern { specs: pattern.specs, steps: pattern.steps[1..].to_vec() };
            let space = if lvalue { arg.ty.space } else { AddressSpace::Private };
            let ty = QualType { space, is_restrict: false, aligned: None, ..arg.ty };
            // `T &&` takes an object by reference.
            if *rvalue
                && lvalue
                && inner.steps.is_empty()
                && let Some(index) = self.bare_parameter(typing, inner.specs, deduction)
            {
                let space = match ty.space {
                    AddressSpace::Private => self.default_pointee_space(),
                    space => space,
                };
                let reference = self.types.intern(Type::Reference(QualType { space, ..ty }, false));
                return deduction.bind(index, Argument::Type(QualType::new(reference)));
            }
            deduction.special += 1;
            return self.match_type(typing, &inner, ty, deduction, true);
        }
        let ty = match *self.types.get(arg.ty.ty) {
            Type::Array(element, _) => {
                let pointee = self.element_type(arg.ty, element);
                QualType::new(self.types.pointer(pointee))
            }
            _ => QualType::new(arg.ty.ty),
        };
        let mut pattern = pattern.clone();
        // A parameter that is an array is a pointer.
        if let Some(Step::Array { qualifiers, .. }) = pattern.steps.first().copied() {
            pattern.steps[0] = Step::Pointer(qualifiers);
        }
        self.match_type(typing, &pattern, ty, deduction, true)
    }

    /// The parameter that specifiers are alone.
    fn bare_parameter(&self, typing: &Typing, specs: u32, deduction: &Deduction) -> Option<usize> {
        let words = typing.tree.declarations.specs[specs as usize].words;
        let mut words = words.items(&typing.tree.declarations.words);
        match (words.next()?.kind, words.next()) {
            (SpecKind::TypedefName(name), None) => deduction.index(name),
            (SpecKind::Cxx(index), None) => auto_parameter(typing, index, deduction),
            _ => None,
        }
    }

    /// Matches a type with a pattern; a pattern without parameters matches anything here: conversions are looked at later.
    fn match_type(
        &mut self,
        typing: &mut Typing,
        pattern: &Pattern,
        ty: QualType,
        deduction: &mut Deduction,
        top: bool,
    ) -> bool {
        match pattern.steps.split_first() {
            Some((Step::Pointer(qualifiers), rest)) => {
                let inner = Pattern { specs: pattern.specs, steps: rest.to_vec() };
                if deduction.strict {
                    let words: Vec<SpecKind> =
                        qualifiers.items(&typing.tree.declarations.words).map(|w| w.kind).collect();
                    let is_const = words.iter().any(is_const_word);
                    if is_const != ty.is_const {
                        return false;
                    }
                    deduction.special += u32::from(is_const);
                }
                match self.types.pointee(ty.ty) {
                    Some(pointee) => {
                        deduction.special += 2;
                        self.match_type(
                            typing,
                            &inner,
                            QualType { aligned: None, ..pointee },
                            deduction,
                            false,
                        )
                    }
                    None => !self.mentions(typing, &inner, deduction),
                }
            }
            Some((Step::Reference { rvalue, .. }, rest)) if deduction.strict => {
                let inner = Pattern { specs: pattern.specs, steps: rest.to_vec() };
                deduction.special += 2;
                match *self.types.get(ty.ty) {
                    Type::Reference(referred, r) if r == *rvalue => {
                        self.match_type(typing, &inner, referred, deduction, false)
                    }
                    _ => false,
                }
            }
            Some((Step::Reference { .. }, rest)) => {
                let inner = Pattern { specs: pattern.specs, steps: rest.to_vec() };
                self.match_type(typing, &inner, ty, deduction, top)
            }
            Some((Step::Array { size, .. }, rest)) => {
                let inner = Pattern { specs: pattern.specs, steps: rest.to_vec() };
                let Type::Array(element, len) = *self.types.get(ty.ty) else {
                    return !self.mentions(typing, &inner, deduction);
                };
                let element = self.element_type(ty, element);
                deduction.special += 2;
                if let ArraySize::Value(range) = size
                    && let Kind::Name(name) = typing.tree.node(range.root).kind
                    && let Some(index) = deduction.index(name)
                {
                    let size_t = self.types.size_t();
                    if !deduction.bind(index, Argument::Value(len.unwrap_or(0) as i64, size_t)) {
                        return false;
                    }
                }
                self.match_type(typing, &inner, element, deduction, false)
            }
            Some(_) => true,
            None => self.match_specs(typing, pattern.specs, ty, deduction, top),
        }
    }

    /// Returns whether a pattern has parameters of the template.
    fn mentions(&self, typing: &Typing, pattern: &Pattern, deduction: &Deduction) -> bool {
        let words = typing.tree.declarations.specs[pattern.specs as usize].words;
        words.items(&typing.tree.declarations.words).any(|word| match word.kind {
            // One that was written is not deduced.
            SpecKind::TypedefName(name) => deduction.index(name).is_some_and(|i| i >= deduction.written),
            SpecKind::Cxx(index) if auto_parameter(typing, index, deduction).is_some() => true,
            SpecKind::Cxx(index) => matches!(
                &typing.tree.cxx.types[index as usize],
                CxxType::Named(name) if name.parts.iter().any(|p| p.args.is_some())
            ),
            _ => false,
        })
    }

    fn match_specs(
        &mut self,
        typing: &mut Typing,
        specs: u32,
        ty: QualType,
        deduction: &mut Deduction,
        top: bool,
    ) -> bool {
        let words = typing.tree.declarations.specs[specs as usize].words;
        let list: Vec<SpecKind> = words.items(&typing.tree.declarations.words).map(|w| w.kind).collect();
        let (mut is_const, mut is_volatile, mut has_space) = (false, false, false);
        let mut named = None;
        for kind in list {
            match kind {
                SpecKind::Qualifier(kw::CONST | kw::CONST_U | kw::CONST_UU) => is_const = true,
                SpecKind::Qualifier(kw::VOLATILE | kw::VOLATILE_U | kw::VOLATILE_2) => is_volatile = true,
                SpecKind::Qualifier(word) if crate::syntax::words::is_space_word(word) => {
                    has_space = true;
                    deduction.special += 1;
                    // A space that is written must be the argument's.
                    let space = crate::sema::declspec::space_of(word);
                    if !top && space.is_some_and(|s| s != ty.space && s != AddressSpace::Generic) {
                        return false;
                    }
                }
                SpecKind::TypedefName(name) => named = Some((Some(name), None)),
                SpecKind::Cxx(index) => named = Some((None, Some(index))),
                _ => {}
            }
        }
        if deduction.strict && ((is_const && !ty.is_const) || (is_volatile && !ty.is_volatile)) {
            return false;
        }
        deduction.special += u32::from(is_const) + u32::from(is_volatile);
        match named {
            Some((Some(name), _)) => {
                let Some(index) = deduction.index(name) else {
                    deduction.special += 1;
                    return true;
                };
                let mut bound = QualType { is_restrict: false, aligned: None, ..ty };
                bound.is_const &= !is_const;
                bound.is_volatile &= !is_volatile;
                if has_space || (self.has_generic_space() && bound.space == AddressSpace::Generic) {
                    bound.space = AddressSpace::Private;
                }
                deduction.bind(index, Argument::Type(bound))
            }
            Some((None, Some(index))) => {
                if let Some(auto) = auto_parameter(typing, index, deduction) {
                    let mut bound = QualType { is_restrict: false, aligned: None, ..ty };
                    bound.is_const &= !is_const;
                    bound.is_volatile &= !is_volatile;
                    if has_space || bound.space == AddressSpace::Generic {
                        bound.space = AddressSpace::Private;
                    }
                    return deduction.bind(auto, Argument::Type(bound));
                }
                let CxxType::Named(name) = typing.tree.cxx.types[index as usize].clone() else { return true };
                self.match_named(typing, &name, ty, deduction)
            }
            _ => {
                deduction.special += 1;
                true
            }
        }
    }

    /// Matches the instance of a class template: `Vec<T, N>`.
    fn match_named(
        &mut self,
        typing: &mut Typing,
        name: &crate::syntax::cxx::tree::QualName,
        ty: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        let Some(last) = name.parts.last() else { return true };
        // A type in a scope that depends is not deduced.
        let Some(args) = last.args.clone() else { return true };
        let symbol = match self.find_name(last.name) {
            Some(super::lookup::Found::Templates(symbol)) if name.parts.len() == 1 => Some(symbol),
            _ if name.parts.len() > 1 => None,
            _ => None,
        };
        deduction.special += 2;
        let Some(mut class) = self.class_of(ty.ty) else {
            return !deduction.strict && !self.arguments_mention(typing, &args, deduction);
        };
        // The class, or the first base, that is an instance of the template.
        for _ in 0..16 {
            let Some(facts) = self.class_facts(class) else { return false };
            if let Some((template, bound)) = &facts.template {
                let same = self.cxx.templates.get(*template).is_some_and(|t| {
                    symbol.is_none_or(|s| s == t.name) && t.simple == last.name
                        || deduction.index(last.name).is_some()
                });
                if same {
                    let bound = bound.clone();
                    let template = self.cxx.templates.get(*template);
                    if template.is_some_and(|t| t.base.is_some()) && args.len() != bound.len() {
                        return false;
                    }
                    let template = template.map(|t| t.name);
                    if let (Some(index), Some(template)) = (deduction.index(last.name), template)
                        && !deduction.bind(index, Argument::Template(template))
                    {
                        return false;
                    }
                    return self.match_arguments(typing, &args, &bound, deduction);
                }
            }
            match facts.bases.first() {
                Some((base, _, _)) => class = *base,
                None => return false,
            }
        }
        false
    }

    fn arguments_mention(
        &self,
        typing: &Typing,
        args: &[crate::syntax::cxx::tree::TemplateArg],
        deduction: &Deduction,
    ) -> bool {
        args.iter().any(|arg| match arg.kind {
            ArgKind::Type(TypeName(Some((specs, _)))) => {
                self.mentions(typing, &Pattern { specs, steps: Vec::new() }, deduction)
            }
            ArgKind::Type(TypeName(None)) => false,
            ArgKind::Value(range) => {
                matches!(typing.tree.node(range.root).kind, Kind::Name(name) if deduction.index(name).is_some())
            }
        })
    }

    fn match_arguments(
        &mut self,
        typing: &mut Typing,
        args: &[crate::syntax::cxx::tree::TemplateArg],
        bound: &[Argument],
        deduction: &mut Deduction,
    ) -> bool {
        if args.len() > bound.len() {
            return false;
        }
        for (arg, bound) in args.iter().zip(bound) {
            let matched = match (arg.kind, bound) {
                (ArgKind::Type(TypeName(Some((specs, declarator)))), Argument::Type(ty)) => {
                    let pattern = Pattern { specs, steps: self.steps_of(typing, declarator) };
                    if self.mentions(typing, &pattern, deduction) {
                        self.match_type(typing, &pattern, *ty, deduction, false)
                    } else {
                        deduction.special += 1;
                        let written = self.type_named(typing, TypeName(Some((specs, declarator))));
                        self.types.same(written.ty, ty.ty)
                            && written.space == ty.space
                            && written.is_const == ty.is_const
                    }
                }
                (ArgKind::Type(TypeName(Some((specs, _)))), Argument::Template(symbol)) => {
                    match self.bare_parameter(typing, specs, deduction) {
                        Some(index) => deduction.bind(index, Argument::Template(*symbol)),
                        None => true,
                    }
                }
                (ArgKind::Value(range), bound) => match typing.tree.node(range.root).kind {
                    Kind::Name(name) if deduction.index(name).is_some() => {
                        let index = deduction.index(name).unwrap_or(0);
                        deduction.bind(index, bound.clone())
                    }
                    _ => {
                        deduction.special += 1;
                        match self.template_arg(typing, arg.kind) {
                            Some(Argument::Value(value, _)) => {
                                matches!(bound, Argument::Value(b, _) if *b == value)
                            }
                            Some(other) => other == *bound,
                            None => false,
                        }
                    }
                },
                _ => false,
            };
            if !matched {
                return false;
            }
        }
        true
    }

    /// The arguments that a specialisation is for, as they are written.
    pub(in crate::sema) fn written_arguments_of(
        &mut self,
        special: &Special,
        typing: &mut Typing,
    ) -> Option<Vec<TemplateArg>> {
        let (at, params) = (special.name as usize, &special.params);
        let (name, _) = self.read(at, &mut typing.tree, true, |parser| parser.name_of_template(params));
        typing.begin();
        name?.parts.last()?.args.clone()
    }

    /// The arguments of a specialisation's own parameters, where it is for these arguments; and how special it is.
    pub(in crate::sema) fn match_special(
        &mut self,
        special: &Special,
        args: &[Argument],
    ) -> Option<(Vec<Argument>, u32)> {
        let mut deduction = Deduction {
            params: &special.params,
            found: vec![None; special.params.len()],
            special: 0,
            written: 0,
            strict: true,
        };
        let mut typing = Typing::default();
        let matched = self.isolated(special.context.clone(), |p| {
            let written = p.written_arguments_of(special, &mut typing)?;
            if written.len() != args.len() {
                return None;
            }
            p.match_arguments(&mut typing, &written, args, &mut deduction).then_some(())
        });
        matched?;
        let special = deduction.special + 1;
        let list: Option<Vec<Argument>> = deduction.found.into_iter().collect();
        list.map(|list| (list, special))
    }
}

//! Templates with packs: a family of templates, one for each length of the pack. A member of the family is an ordinary
//! template, whose tokens have the pack written out ([`crate::syntax::cxx::pack`]).

use super::{Argument, GenericLambda, Outside, Overloads, Special, Template};
use crate::sema::context::Sema;
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::syntax::ast::TokenId;
use crate::syntax::cxx::pack;
use crate::syntax::cxx::tree::{TemplateKind, TemplateParam};
use crate::types::Types;
use rustc_hash::FxHashMap;

/// A pack has no more elements.
const MAX_LENGTH: usize = 256;

/// Templates with packs add no more tokens to a file.
const MAX_TOKENS: usize = 8_000_000;

/// The weight of the written parts of a function template's parameters in its rank; the length of a pack counts less.
const WEIGHT: u32 = 512;

/// The longest packs' lengths that are tried for several packs.
const MAX_TRIES: usize = 4096;

/// Returns whether a template has a pack among its parameters.
fn has_packs(params: &[TemplateParam]) -> bool {
    params.iter().any(|p| p.pack)
}

/// All lengths that packs of a number can have, the short ones first.
fn all_lengths(packs: usize, least: usize, longest: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..packs {
        let longer =
            list.iter().flat_map(|before| (least..=longest).map(|l| [before.as_slice(), &[l]].concat()));
        list = longer.take(MAX_TRIES).collect();
    }
    list
}

impl Sema<'_> {
    /// Reports a class template whose pack is not the last parameter.
    pub(in crate::sema) fn check_packs(&mut self, params: &[TemplateParam], span: Span) -> bool {
        let first = params.iter().position(|p| p.pack);
        let is_last = first.is_none_or(|at| at + 1 == params.len());
        if !is_last {
            let message = "the pack of this template must be its last parameter";
            self.error("misplaced-template", span, message);
        }
        is_last
    }

    /// The template that takes as many arguments: the member of a family, or the template itself.
    pub(in crate::sema) fn template_taking(
        &mut self,
        index: usize,
        args: usize,
        span: Span,
    ) -> Option<usize> {
        let params = &self.cxx.templates.get(index)?.params;
        if !has_packs(params) {
            return Some(index);
        }
        let length = args.saturating_sub(params.len() - 1);
        self.template_of_lengths(index, vec![length], span)
    }

    /// The member of a family whose packs have some lengths.
    fn template_of_lengths(&mut self, index: usize, lengths: Vec<usize>, span: Span) -> Option<usize> {
        if let Some(known) = self.cxx.templates.get(index)?.family.get(&lengths) {
            return Some(*known);
        }
        let base = self.cxx.templates.get(index)?.clone();
        if lengths.iter().any(|length| *length > MAX_LENGTH) {
            let message = format!("a pack has more than {MAX_LENGTH} elements");
            self.error("template-limit", span, message);
            return None;
        }
        let end = self.end_of(&base);
        let start = self.written_out(&base.params, base.start, end, &lengths)?;
        let lambda = base.lambda.clone().map(|lambda| {
            let body = pack::body_of_lambda(self.tokens.all(), start as usize) as TokenId;
            Box::new(GenericLambda { body, ..*lambda })
        });
        let mut params = self.params_of_lengths(&base.params, &lengths);
        if lambda.is_some() {
            for (place, param) in params.iter_mut().enumerate() {
                param.name = Some(self.symbols.intern(&format!("auto#{place}")));
            }
        }
        let outside = base.outside.iter().filter_map(|o| self.outside_of_lengths(o, &lengths)).collect();
        let member = Template {
            params,
            start,
            lambda,
            outside,
            base: Some(index),
            classes: FxHashMap::default(),
            functions: FxHashMap::default(),
            family: FxHashMap::default(),
            ..base
        };
        let number = self.cxx.templates.len();
        self.cxx.templates.push(member);
        self.cxx.templates[index].family.insert(lengths, number);
        Some(number)
    }

    /// The position behind a template's declaration.
    fn end_of(&self, template: &Template) -> usize {
        let tokens = self.tokens.all();
        match &template.lambda {
            Some(lambda) => pack::behind_group(tokens, lambda.body as usize),
            None => {
                let is_function = template.kind == TemplateKind::Function;
                pack::declaration_end(tokens, template.start as usize, is_function)
            }
        }
    }

    /// The place of a declaration's tokens with the packs written out.
    fn written_out(
        &mut self,
        params: &[TemplateParam],
        start: TokenId,
        end: usize,
        lengths: &[usize],
    ) -> Option<TokenId> {
        let packs = params.iter().filter(|p| p.pack).zip(lengths);
        let packs: Vec<_> = packs.filter_map(|(p, length)| Some((p.name?, *length))).collect();
        let size = if self.types.size_t() == Types::UINT { "u" } else { "ul" };
        let tokens = &self.tokens.all()[start as usize..end];
        let written = pack::written_out(tokens, &packs, size, self.symbols);
        if self.tokens.all().len() + written.len() > MAX_TOKENS {
            let message = format!("templates with packs make more than {MAX_TOKENS} tokens");
            self.error("template-limit", self.span_of(start), message);
            self.abort();
            return None;
        }
        Some(self.tokens.append(&written))
    }

    fn params_of_lengths(&mut self, params: &[TemplateParam], lengths: &[usize]) -> Vec<TemplateParam> {
        let mut list = Vec::with_capacity(params.len());
        let mut lengths = lengths.iter();
        for param in params {
            if !param.pack {
                list.push(param.clone());
                continue;
            }
            for index in 0..lengths.next().copied().unwrap_or(0) {
                let name = param.name.map(|name| pack::element(self.symbols, name, index));
                list.push(TemplateParam { name, pack: false, ..param.clone() });
            }
        }
        list
    }

    /// A member that is defined outside of its class template, for lengths of the packs.
    fn outside_of_lengths(&mut self, outside: &Outside, lengths: &[usize]) -> Option<Outside> {
        let end = pack::declaration_end(self.tokens.all(), outside.start as usize, true);
        let start = self.written_out(&outside.params, outside.start, end, lengths)?;
        let params = self.params_of_lengths(&outside.params, lengths);
        Some(Outside { params, start, own: outside.own.clone() })
    }

    /// Adds a definition of a member to a template and to those of its family that there are; gives them all.
    pub(in crate::sema) fn add_outside(&mut self, index: usize, outside: &Outside) -> Vec<(usize, Outside)> {
        let family = self.cxx.templates[index].family.iter();
        let family: Vec<(Vec<usize>, usize)> =
            family.map(|(lengths, member)| (lengths.clone(), *member)).collect();
        self.cxx.templates[index].outside.push(outside.clone());
        let mut list = vec![(index, outside.clone())];
        for (lengths, member) in family {
            if let Some(outside) = self.outside_of_lengths(outside, &lengths) {
                self.cxx.templates[member].outside.push(outside.clone());
                list.push((member, outside));
            }
        }
        list
    }

    /// The specialisations that may be for arguments, with the packs of those written out in each length that can fit.
    pub(in crate::sema) fn specials_for(&mut self, template: &Template, args: &[Argument]) -> Vec<Special> {
        let specials = match template.base.and_then(|b| self.cxx.templates.get(b)) {
            Some(base) => base.specials.clone(),
            None => template.specials.clone(),
        };
        let longest = self.longest_pack(args);
        let mut list = Vec::new();
        for special in specials {
            let packs = special.params.iter().filter(|p| p.pack).count();
            if packs == 0 {
                list.push(special);
                continue;
            }
            let lengths = match if packs == 1 { self.length_of_special(&special, args.len()) } else { None } {
                Some(length) => vec![vec![length]],
                None => all_lengths(packs, 0, longest),
            };
            for lengths in lengths {
                let Some(special) = self.special_of_lengths(&special, lengths) else { return list };
                list.push(special);
            }
        }
        list
    }

    /// A specialisation for lengths of its packs.
    fn special_of_lengths(&mut self, special: &Special, lengths: Vec<usize>) -> Option<Special> {
        let params = self.params_of_lengths(&special.params, &lengths);
        let key = (special.start, lengths);
        let start = match self.cxx.written_specials.get(&key) {
            Some(start) => *start,
            None => {
                let end = pack::declaration_end(self.tokens.all(), special.start as usize, false);
                let start = self.written_out(&special.params, special.start, end, &key.1)?;
                self.cxx.written_specials.insert(key, start);
                start
            }
        };
        let name = start + (special.name - special.start);
        Some(Special { params, name, start, ..special.clone() })
    }

    /// The length of a pack that gives a specialisation as many arguments; `None` where they do not depend on it.
    fn length_of_special(&mut self, special: &Special, args: usize) -> Option<usize> {
        let mut counts = [0; 2];
        for (length, count) in counts.iter_mut().enumerate() {
            let special = self.special_of_lengths(special, vec![length])?;
            let mut typing = Typing::default();
            *count = self
                .isolated(special.context.clone(), |p| p.written_arguments_of(&special, &mut typing))?
                .len();
        }
        let [none, one] = counts;
        (one > none).then(|| args.saturating_sub(none) / (one - none))
    }

    /// The length of the longest pack that arguments can give: their number, or that of the arguments of one of them.
    fn longest_pack(&self, args: &[Argument]) -> usize {
        let inner = |arg: &Argument| {
            let Argument::Type(mut ty) = *arg else { return 0 };
            while let Some(pointee) = self.types.pointee(ty.ty) {
                ty = pointee;
            }
            let facts = self.class_of(ty.ty).and_then(|class| self.class_facts(class));
            facts.and_then(|f| f.template.as_ref()).map_or(0, |(_, args)| args.len())
        };
        args.iter().map(inner).max().unwrap_or(0).max(args.len()).min(MAX_LENGTH)
    }

    /// The function templates that a call of a template can mean, with the least lengths of packs first.
    pub(in crate::sema) fn lengths_of(
        &mut self,
        index: usize,
        overloads: &Overloads,
        args: &[crate::hir::Expr],
    ) -> Vec<usize> {
        let Some(template) = self.cxx.templates.get(index) else { return Vec::new() };
        let packs = template.params.iter().filter(|p| p.pack).count();
        if packs == 0 {
            return vec![index];
        }
        let (span, fixed) = (template.span, template.params.len() - packs);
        let types: Vec<Argument> = args.iter().map(|a| Argument::Type(a.ty)).collect();
        let written = overloads.args.as_ref().map_or(0, Vec::len).saturating_sub(fixed);
        let lengths = match if packs == 1 { self.length_for(index, args.len(), span) } else { None } {
            Some(length) => vec![vec![length]],
            None => {
                let longest = self.longest_pack(&types).max(written);
                all_lengths(packs, if packs == 1 { written } else { 0 }, longest)
            }
        };
        lengths.into_iter().filter_map(|lengths| self.template_of_lengths(index, lengths, span)).collect()
    }

    /// The length of a pack that makes a function's parameters as many as its arguments; `None` where they do not depend on it.
    fn length_for(&mut self, index: usize, args: usize, span: Span) -> Option<usize> {
        let none = self.template_of_lengths(index, vec![0], span)?;
        let one = self.template_of_lengths(index, vec![1], span)?;
        let (none, one) = (self.parameter_count(none)?, self.parameter_count(one)?);
        (one > none).then(|| args.saturating_sub(none) / (one - none))
    }

    /// How many parameters a function template has.
    fn parameter_count(&mut self, index: usize) -> Option<usize> {
        if let Some(known) = self.cxx.parameter_counts.get(&index) {
            return Some(*known);
        }
        let template = self.cxx.templates.get(index)?.clone();
        let mut typing = Typing::default();
        let row =
            self.isolated(template.context.clone(), |p| p.parameters_of_pattern(&template, &mut typing))?;
        let count = (row.end - row.start) as usize;
        self.cxx.parameter_counts.insert(index, count);
        Some(count)
    }

    /// The rank of a function template among overloads (partial ordering, C++17 §17.5.6.2): a template without a pack is more specialized
    /// than one with a pack, and a short pack more than a long one.
    pub(in crate::sema) fn weighted(&self, template: usize, special: u32) -> u32 {
        let member = self.cxx.templates.get(template);
        let length =
            member.and_then(|t| Some((t.params.len(), self.cxx.templates.get(t.base?)?.params.len())));
        let length = length.map_or(0, |(all, base)| (all + 2).saturating_sub(base) as u32);
        special * WEIGHT + WEIGHT - 1 - length.min(WEIGHT - 1)
    }
}

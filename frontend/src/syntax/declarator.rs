//! The grammar of declarators and attributes (C99 §6.7.5).
//!
//! ```text
//! declarator:     ("*" qualifier* | "^" qualifier* | attribute)* direct
//! direct:         (identifier | "(" declarator ")")? ("[" size? "]" | "(" parameters ")")*
//! attribute-list: "__attribute__" "((" attribute? ("," attribute?)* "))"
//! attribute:      word ("(" argument ("," argument)* ")")?
//! ```

use super::cxx::tree::QualName;
use super::declaration::{
    ArraySize, Attribute, AttributeArgs, Declarator, Param, Row, SpecContext, SpecKind, SpecWord, Step,
    TypeName, row,
};
use super::expr::Parser;
use super::names::NameKind;
use super::problem::Problem;
use super::words::is_keyword;
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};

/// Parameters of one function: more is a mistake of the source (C99 §5.2.4.1 asks for 127).
const MAX_PARAMETERS: usize = 1024;

/// Whether a declarator has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Naming {
    Required,
    Optional,
    Forbidden,
}

impl Parser<'_> {
    /// A declarator; gives its index.
    pub(crate) fn declarator(&mut self, naming: Naming) -> u32 {
        let first = self.here();
        let mut before = Vec::new();
        loop {
            let (at, problems) = (self.here(), self.problem_count());
            if self.at_attribute() {
                let attributes = self.attributes();
                before.push(Step::Attributes(attributes));
            } else if self.eat(Punct::Star) {
                before.push(Step::Pointer(self.qualifiers(true)));
            } else if self.is_cxx() && (self.at(Punct::Amp) || self.at(Punct::AmpAmp)) {
                let rvalue = self.bump().kind == TokenKind::Punct(Punct::AmpAmp);
                before.push(Step::Reference { qualifiers: self.qualifiers(true), rvalue });
            } else if self.is_cxx() && self.at_member_pointer() {
                let message = "C++ for OpenCL does not have pointers to members".to_owned();
                self.report(Problem::new("unsupported-cxx", self.peek().span, message));
                self.qualified_name();
                self.pos += 1;
                self.eat(Punct::Star);
            } else if self.eat(Punct::Caret) {
                before.push(Step::Caret { at, qualifiers: self.qualifiers(false), problems });
            } else {
                break;
            }
        }
        let before = row(&mut self.tree.declarations.steps, before);
        self.pass_expansion();
        let mut qualified = None;
        let (name, inner, named) = match self.is_cxx() && naming != Naming::Forbidden {
            true => self.cxx_name_of_declarator(naming, &mut qualified),
            false => self.declared_name(naming),
        };
        let scope = qualified.as_ref().map(|name| {
            let scope = self.names.open();
            self.declare_members_of(name);
            scope
        });
        let behind = if named { self.declarator_suffixes() } else { Row::default() };
        if let Some(scope) = scope {
            self.names.close(scope);
        }
        let attributes = self.attributes();
        let last = self.here().saturating_sub(1);
        let problems_end = self.problem_count();
        let declarator = Declarator { before, name, inner, behind, attributes, first, last, problems_end };
        self.tree.declarations.declarators.push(declarator);
        let index = self.tree.declarations.declarators.len() as u32 - 1;
        if let Some(name) = qualified {
            self.tree.cxx.qualifiers.insert(index, name);
        }
        if let (true, Some((kw::CONVERSION, _))) = (self.is_cxx(), name)
            && let Some(ty) = self.conversion.take()
        {
            self.tree.cxx.conversions.insert(index, ty);
        }
        index
    }

    /// Returns whether `Class::*` comes.
    fn at_member_pointer(&self) -> bool {
        let Some(walk) = self.walk_name(self.pos) else { return false };
        let behind = self.tokens.get(walk.end).map(|t| t.kind);
        walk.qualified
            && behind == Some(TokenKind::Punct(Punct::Star))
            && self.tokens.get(walk.end.saturating_sub(1)).map(|t| t.kind)
                == Some(TokenKind::Punct(Punct::ColonColon))
    }

    /// The declared name in C++.
    fn cxx_name_of_declarator(
        &mut self,
        naming: Naming,
        qualified: &mut Option<QualName>,
    ) -> (Option<(Symbol, u32)>, Option<u32>, bool) {
        let Some((name, at, qualifier)) = self.cxx_declared_name() else {
            return self.declared_name(naming);
        };
        *qualified = qualifier;
        if name == kw::CONVERSION {
            self.conversion = Some(self.conversion_type());
        }
        (Some((name, at)), None, true)
    }

    /// The type of a conversion function, with the pointers that follow its specifiers.
    fn conversion_type(&mut self) -> TypeName {
        let read = self.deeper(|p| {
            let specs = p.specifiers(SpecContext::TypeName);
            let first = p.here();
            let mut before = Vec::new();
            while p.at(Punct::Star) || p.at(Punct::Amp) {
                let pointer = p.bump().kind == TokenKind::Punct(Punct::Star);
                let qualifiers = p.qualifiers(true);
                before.push(match pointer {
                    true => Step::Pointer(qualifiers),
                    false => Step::Reference { qualifiers, rvalue: false },
                });
            }
            let before = row(&mut p.tree.declarations.steps, before);
            let declarator = Declarator {
                before,
                name: None,
                inner: None,
                behind: Row::default(),
                attributes: Row::default(),
                first,
                last: p.here().saturating_sub(1),
                problems_end: p.problem_count(),
            };
            p.tree.declarations.declarators.push(declarator);
            (specs, p.tree.declarations.declarators.len() as u32 - 1)
        });
        TypeName(read)
    }

    /// Qualifiers, and attributes among them.
    pub(crate) fn qualifiers(&mut self, attributes: bool) -> Row {
        let mut words = Vec::new();
        loop {
            let (first, problems) = (self.here(), self.problem_count());
            let kind = match self.peek().kind {
                _ if attributes && self.at_attribute() => SpecKind::Attributes(self.attributes()),
                TokenKind::Ident(word) if self.at_qualifier(word) => {
                    self.bump();
                    SpecKind::Qualifier(word)
                }
                _ => break,
            };
            words.push(SpecWord { kind, first, end: self.here(), problems });
        }
        row(&mut self.tree.declarations.words, words)
    }

    /// The name, or the declarator in parentheses; false where a name is missing.
    fn declared_name(&mut self, naming: Naming) -> (Option<(Symbol, u32)>, Option<u32>, bool) {
        let token = self.peek();
        let at = self.here();
        match token.kind {
            TokenKind::Ident(name) if naming != Naming::Forbidden && !is_keyword(name, self.language) => {
                self.bump();
                (Some((name, at)), None, true)
            }
            TokenKind::Punct(Punct::LParen) if self.is_nested_declarator(naming) => {
                self.bump();
                let inner = self.deeper(|p| p.declarator(naming));
                self.expect(Punct::RParen, "declarator");
                (None, inner, true)
            }
            _ if naming != Naming::Required => (None, None, true),
            kind => {
                let found = token.text(self.symbols);
                let is_word = matches!(kind, TokenKind::Ident(_));
                let message = match is_word {
                    true => format!("expected a name, but {found} is a keyword"),
                    false => format!("expected a name, found {found}"),
                };
                self.report(Problem::new("expected-identifier", token.span, message));
                if is_word {
                    self.bump();
                }
                (None, None, false)
            }
        }
    }

    /// Returns whether a `(` opens a nested declarator rather than a parameter list.
    fn is_nested_declarator(&self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        let next = self.peek_at(1);
        next.kind != TokenKind::Punct(Punct::RParen) && !self.is_type_token(1)
    }

    fn declarator_suffixes(&mut self) -> Row {
        let mut steps = Vec::new();
        loop {
            if self.at_bracket_attribute() {
                let attributes = self.attributes();
                steps.push(Step::Attributes(attributes));
            } else if self.at(Punct::LBracket) {
                steps.push(self.array_suffix());
            } else if self.at(Punct::LParen) {
                if self.is_cxx() && self.at_direct_initializer() {
                    return row(&mut self.tree.declarations.steps, steps);
                }
                steps.extend(self.deeper(|p| p.function_suffix()));
            } else {
                return row(&mut self.tree.declarations.steps, steps);
            }
        }
    }

    /// `[size]`; `static` and qualifiers of a parameter's array are read over.
    fn array_suffix(&mut self) -> Step {
        let (first, problems) = (self.here(), self.problem_count());
        self.bump();
        let mut words = Vec::new();
        loop {
            if self.eat_word(kw::STATIC) {
                continue;
            }
            let more = self.qualifiers(false);
            if more.start == more.end {
                break;
            }
            words.extend(more.items(&self.tree.declarations.words));
        }
        let qualifiers = row(&mut self.tree.declarations.words, words);
        let array =
            |size, last| Step::Array { qualifiers, size, first, last, problems, problems_end: problems };
        if self.eat(Punct::RBracket) {
            return array(ArraySize::Unknown, self.here() - 1);
        }
        if self.at(Punct::Star) && self.peek_at(1).kind == TokenKind::Punct(Punct::RBracket) {
            self.pos += 2;
            return array(ArraySize::Star, self.here() - 1);
        }
        let size = self.deeper(|p| p.range(|p| p.assignment()));
        let size = size.map_or(ArraySize::TooDeep, ArraySize::Value);
        if !self.at(Punct::RBracket) {
            self.expect_unless_broken(Punct::RBracket, "array size");
            self.skip_balanced_until(&[Punct::Comma, Punct::Eq]);
        }
        self.eat(Punct::RBracket);
        let problems_end = self.problem_count();
        Step::Array { qualifiers, size, first, last: self.here() - 1, problems, problems_end }
    }

    /// `(parameters)`. In OpenCL C an empty list means no parameters, as `(void)` does.
    fn function_suffix(&mut self) -> Step {
        let first = self.here();
        self.bump();
        let mut params = Vec::new();
        let mut variadic = None;
        if self.at_word(kw::VOID) && self.peek_at(1).kind == TokenKind::Punct(Punct::RParen) {
            self.bump();
        }
        let old_style = !self.is_cxx() && self.at_identifier_list();
        let scope = self.names.open();
        while !self.at(Punct::RParen) && self.peek().kind != TokenKind::Eof {
            if self.at(Punct::Ellipsis) {
                variadic = Some(self.here());
                self.bump();
            } else {
                let at = self.here();
                match if old_style { self.old_parameter() } else { self.parameter() } {
                    Some(param) if params.len() < MAX_PARAMETERS => params.push(param),
                    Some(_) => {
                        let message = format!("more than {MAX_PARAMETERS} parameters");
                        self.report(Problem::new("too-many-parameters", self.span_of(at), message));
                        self.skip_balanced_until(&[]);
                    }
                    None => self.skip_balanced_until(&[Punct::Comma]),
                }
            }
            if !self.eat(Punct::Comma) {
                break;
            }
            if self.at(Punct::RParen) {
                let message = "expected a parameter after ','".to_owned();
                self.report(Problem::new("expected-parameter", self.peek().span, message));
            }
        }
        self.names.close(scope);
        if !self.at(Punct::RParen) {
            self.expect(Punct::RParen, "parameter list");
            if !self.at(Punct::LBrace) {
                self.skip_balanced_until(&[Punct::LBrace]);
            }
        }
        self.eat(Punct::RParen);
        let params = row(&mut self.tree.declarations.params, params);
        let last = self.here() - 1;
        if self.is_cxx() {
            let tail = self.function_tail();
            self.tree.cxx.tails.insert(first, tail);
        }
        Step::Function { params, variadic, first, last }
    }

    fn parameter(&mut self) -> Option<Param> {
        let (start, first) = (self.peek(), self.here());
        let specs = self.specifiers(SpecContext::Parameter);
        if self.here() == first {
            let found = start.text(self.symbols);
            let message = format!("expected a parameter declaration, found {found}");
            self.report(Problem::new("expected-parameter", start.span, message));
            return None;
        }
        let declarator = self.declarator(Naming::Optional);
        if let Some(name) = self.declared_name_of(declarator) {
            self.names.declare(name, NameKind::Value);
        }
        if self.is_cxx() && self.eat(Punct::Eq) {
            self.tree.cxx.defaults.insert(declarator, self.here());
            self.skip_initializer();
        }
        Some(Param::Typed { specs, declarator })
    }

    /// Returns whether the list of names of an old-style definition comes.
    fn at_identifier_list(&self) -> bool {
        let token = self.peek();
        let TokenKind::Ident(name) = token.kind else { return false };
        !is_keyword(name, self.language)
            && !self.is_type_token(0)
            && matches!(self.peek_at(1).kind, TokenKind::Punct(Punct::Comma | Punct::RParen))
            && self.names.at_file_scope()
    }

    /// A name of an identifier list: a parameter without a type.
    fn old_parameter(&mut self) -> Option<Param> {
        let TokenKind::Ident(name) = self.peek().kind else { return None };
        let at = self.here();
        if is_keyword(name, self.language) {
            return None;
        }
        self.bump();
        Some(Param::Name { name, at })
    }

    // ---- attributes ----

    /// Returns whether an attribute list comes.
    pub(super) fn at_attribute(&self) -> bool {
        self.at_word(kw::ATTRIBUTE) || self.at_word(kw::ATTRIBUTE_2) || self.at_bracket_attribute()
    }

    /// Returns whether `[[` comes: attributes of later languages.
    pub(super) fn at_bracket_attribute(&self) -> bool {
        self.at(Punct::LBracket) && self.peek_at(1).kind == TokenKind::Punct(Punct::LBracket)
    }

    /// All attribute lists at the cursor.
    pub(crate) fn attributes(&mut self) -> Row {
        if !self.at_attribute() {
            return Row::default();
        }
        let mut list = Vec::new();
        while self.at_attribute() {
            if self.at_bracket_attribute() {
                self.refuse_bracket_attribute();
                continue;
            }
            self.bump();
            if !self.eat(Punct::LParen) {
                self.expect(Punct::LParen, "'__attribute__'");
                break;
            }
            if !self.eat(Punct::LParen) {
                self.expect(Punct::LParen, "'__attribute__('");
                self.skip_balanced_until(&[]);
                self.eat(Punct::RParen);
                continue;
            }
            loop {
                if let TokenKind::Ident(name) = self.peek().kind {
                    list.push(self.attribute(name));
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            if self.eat(Punct::RParen) {
                self.expect(Punct::RParen, "attribute list");
                continue;
            }
            self.expect(Punct::RParen, "attribute");
            self.skip_balanced_until(&[]);
            self.eat(Punct::RParen);
            self.eat(Punct::RParen);
        }
        row(&mut self.tree.declarations.attributes, list)
    }

    /// OpenCL C is C99 with `__attribute__` (§6.13).
    fn refuse_bracket_attribute(&mut self) {
        let start = self.here();
        self.skip_group();
        let span = self.span_of(start).to(self.previous_span());
        let message = "OpenCL C has no attributes in '[[…]]'".to_owned();
        let problem = Problem::new("bracket-attribute", span, message);
        self.report(Problem { remark: Some("write __attribute__((…))"), ..problem });
    }

    fn attribute(&mut self, name: Symbol) -> Attribute {
        let (at, problems) = (self.here(), self.problem_count());
        self.bump();
        let text = self.symbols.text(name);
        let text = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text);
        let args = match text {
            "vec_type_hint" => self.type_argument(),
            "packed" | "overloadable" | "always_inline" | "noinline" | "warn_unused_result" => {
                AttributeArgs::None
            }
            _ if !self.at(Punct::LParen) => AttributeArgs::None,
            // The values that the others take are not 0.
            "address_space" if matches!(self.peek_at(1).kind, TokenKind::Number(n) if self.symbols.text(n) == "0") => {
                self.token_arguments()
            }
            "aligned"
            | "ext_vector_type"
            | "vector_size"
            | "reqd_work_group_size"
            | "work_group_size_hint"
            | "intel_reqd_sub_group_size"
            | "opencl_unroll_hint"
            | "address_space" => self.value_arguments(),
            _ => self.token_arguments(),
        };
        Attribute { name, at, args, problems, problems_end: self.problem_count() }
    }

    fn token_arguments(&mut self) -> AttributeArgs {
        let first = self.here() + 1;
        self.skip_group();
        AttributeArgs::Tokens(first)
    }

    /// Constants in parentheses.
    fn value_arguments(&mut self) -> AttributeArgs {
        self.bump();
        let mut values = Vec::new();
        while !self.at(Punct::RParen) && self.peek().kind != TokenKind::Eof {
            values.push(self.range(|p| p.conditional()));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RParen) {
            self.skip_balanced_until(&[]);
        }
        self.expect(Punct::RParen, "attribute arguments");
        AttributeArgs::Values(row(&mut self.tree.declarations.values, values))
    }

    fn type_argument(&mut self) -> AttributeArgs {
        if !self.eat(Punct::LParen) {
            self.expect(Punct::LParen, "'vec_type_hint'");
            return AttributeArgs::None;
        }
        let args = if self.is_type_token(0) {
            AttributeArgs::Type(self.type_name())
        } else {
            self.skip_balanced_until(&[]);
            AttributeArgs::NoType
        };
        self.expect(Punct::RParen, "type");
        args
    }
}

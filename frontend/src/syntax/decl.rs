//! The grammar of declarations (C99 §6.7, §6.9): what follows the specifiers, external declarations, function bodies,
//! old-style definitions, static assertions.
//!
//! ```text
//! declaration:   specifiers (init-declarator ("," init-declarator)*)? ";" | specifiers declarator parameters? block
//! init-declarator: declarator asm-label? ("=" initializer)?
//! parameters:    (specifiers declarator ("," declarator)* ";")*
//! static-assert: "_Static_assert" "(" constant ("," string)? ")" ";"
//! ```

use super::ast::{ExprRange, InitKind, Tree};
use super::cursor::Cursor;
use super::cxx::tree::CxxType;
use super::declaration::{Param, Row, SpecContext, SpecKind, Step, row};
use super::declarator::Naming;
use super::expr::{Parser, Places};
use super::names::{NameKind, Names};
use super::problem::Problem;
use super::statement::{
    Body, Declaration, DeclarationKind, Direct, InitDeclarator, InitPart, OldParameters, StaticAssert, Tokens,
};
use super::words::Language;
use crate::symbol::{Interner, Symbol, kw};
use crate::token::{Punct, Token, TokenKind};

/// A declaration at file scope.
#[derive(Debug, Clone, Copy)]
pub(crate) enum External {
    /// Nothing that declares something.
    Nothing,
    /// By its index in [`super::statement::Statements::declarations`].
    Declaration(u32),
    /// By its index in [`super::statement::Statements::assertions`].
    StaticAssert(u32),
    /// A declaration of C++, by its index in [`super::cxx::CxxTree::externals`].
    Cxx(u32),
}

/// An external declaration, and the pragmas before it.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct ExternalDeclaration {
    pub pragmas: Tokens,
    pub kind: External,
}

/// The tokens of a file, read one external declaration at a time.
pub(crate) struct Source<'t> {
    cursor: Cursor<'t>,
    language: Language,
    names: Names,
    places: Places,
}

impl<'t> Source<'t> {
    /// A file before its first token.
    pub fn new(tokens: &'t [Token], language: Language, predeclared: impl Iterator<Item = Symbol>) -> Self {
        let cursor = Cursor { tokens, pos: 0 };
        Source { cursor, language, names: Names::new(predeclared), places: Places::default() }
    }

    /// Reads the next external declaration into a tree; `None` at the end of the file.
    pub fn next(&mut self, symbols: &Interner, tree: &mut Tree) -> Option<ExternalDeclaration> {
        if self.cursor.peek().kind == TokenKind::Eof {
            return None;
        }
        let before = self.cursor.pos;
        let mut parser = Parser::new(self.cursor, symbols, self.language, &mut self.names, tree);
        parser.places = self.places;
        let declaration = parser.external_declaration();
        (self.cursor.pos, self.places) = (parser.cursor.pos, parser.places);
        if self.cursor.pos == before {
            self.cursor.bump();
        }
        Some(declaration)
    }
}

impl Parser<'_> {
    /// One declaration or function definition at file scope (C99 §6.9).
    pub(crate) fn external_declaration(&mut self) -> ExternalDeclaration {
        let pragmas = self.pragma_tokens();
        let token = self.peek();
        if self.is_cxx()
            && let Some(external) = self.cxx_external(false)
        {
            return ExternalDeclaration { pragmas, kind: External::Cxx(external) };
        }
        let kind = match token.kind {
            TokenKind::Eof => External::Nothing,
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
                External::Nothing
            }
            TokenKind::Punct(Punct::RBrace) => {
                self.bump();
                let message = "extraneous '}': it closes nothing".to_owned();
                self.report(Problem::new("extraneous-brace", token.span, message));
                External::Nothing
            }
            TokenKind::Ident(kw::ASM | kw::ASM_U | kw::ASM_2) => {
                let message = "inline assembly stands in functions alone".to_owned();
                self.report(Problem::new("inline-assembly", token.span, message));
                self.skip_to_statement_end();
                External::Nothing
            }
            TokenKind::Ident(kw::STATIC_ASSERT) => External::StaticAssert(self.static_assert()),
            _ => External::Declaration(self.declaration()),
        };
        ExternalDeclaration { pragmas, kind }
    }

    /// A declaration or a function definition; gives its index.
    pub(super) fn declaration(&mut self) -> u32 {
        let problems = self.problem_count();
        let (token, first) = (self.peek(), self.here());
        let at_file_scope = self.names.at_file_scope();
        let context = if at_file_scope { SpecContext::File } else { SpecContext::Block };
        let specs = self.specifiers(context);
        let facts = self.spec_facts(specs);
        // `name(` at file scope is a function whose return type was forgotten.
        let unspecified = (self.identifier().is_some()
            && self.peek_at(1).kind == TokenKind::Punct(Punct::LParen))
            || (self.is_cxx() && (self.identifier().is_some() || self.at_word(kw::OPERATOR)));
        let kind = if self.here() == first && at_file_scope && !unspecified {
            let message = format!("expected a declaration, found {}", token.text(self.symbols));
            self.report(Problem::new("expected-declaration", token.span, message));
            self.skip_to_statement_end();
            DeclarationKind::Broken
        } else if self.eat(Punct::Semi) {
            DeclarationKind::Nothing
        } else if self.after_unfinished_body(facts.tag, context) {
            self.expect(Punct::Semi, "the member list");
            DeclarationKind::Unfinished
        } else {
            DeclarationKind::Declarators(self.init_declarators(facts, problems))
        };
        let problems_end = self.problem_count();
        self.tree.statements.declarations.push(Declaration { specs, kind, problems_end });
        self.tree.statements.declarations.len() as u32 - 1
    }

    fn init_declarators(&mut self, facts: SpecFacts, problems: u32) -> Row {
        let mut list = Vec::new();
        loop {
            let declarator = self.declarator(Naming::Required);
            let mut item = InitDeclarator {
                declarator,
                old_parameters: None,
                asm_label: None,
                init: None,
                body: None,
                cxx_body: None,
                direct: Direct::No,
            };
            let Some(name) = self.declared_name_of(declarator) else {
                list.push(item);
                break;
            };
            let step = self.first_step(declarator);
            if let Some(Step::Function { params, .. }) = step {
                item.old_parameters = self.old_parameters(params);
            }
            item.asm_label = self.asm_label();
            let is_function = matches!(step, Some(Step::Function { .. }));
            if !facts.auto_type {
                self.declare_declarator(name, step, facts.typedef);
            }
            if self.is_cxx() {
                let ended = self.cxx_declarator_end(&mut item, is_function, list.is_empty());
                list.push(item);
                if ended {
                    return row(&mut self.tree.statements.declarators, list);
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
                continue;
            }
            if is_function && list.is_empty() && self.at(Punct::LBrace) {
                item.body = Some(self.function_body(step, item.old_parameters));
                list.push(item);
                return row(&mut self.tree.statements.declarators, list);
            }
            item.init = self.init_part();
            if facts.auto_type {
                self.names.declare(name, NameKind::Value);
            }
            list.push(item);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.end_declaration("declaration", problems);
        row(&mut self.tree.statements.declarators, list)
    }

    /// What follows a declarator in C++; true for the body of a function.
    fn cxx_declarator_end(&mut self, item: &mut InitDeclarator, is_function: bool, first: bool) -> bool {
        if is_function {
            if first && (self.at(Punct::LBrace) || self.at(Punct::Colon) || self.at_word(kw::TRY)) {
                item.cxx_body = self.skipped_body();
                return item.cxx_body.is_some();
            }
            if self.at(Punct::Eq) {
                // `= default` outside of the class, `= delete`.
                let at = self.here();
                self.pos += 2;
                item.cxx_body = Some(at);
            }
            return false;
        }
        let equal = self.here();
        if self.at(Punct::LParen) || self.at(Punct::LBrace) {
            item.direct = if self.at(Punct::LParen) { Direct::Parens } else { Direct::Braces };
            let value = match item.direct {
                Direct::Parens => {
                    let (args, closed) = self.init_arguments();
                    Some(self.tree.add_parenthesised(args, closed, equal, self.cursor.pos as u32))
                }
                _ => self.deeper(|p| p.initializer()),
            };
            item.init = Some(InitPart { equal, value, problems_end: self.problem_count() });
            return false;
        }
        item.init = self.init_part();
        false
    }

    /// The declaration of one variable that is a condition; gives its index.
    pub(super) fn condition_variable(&mut self) -> u32 {
        let (specs, mut item) = self.one_variable();
        self.cxx_declarator_end(&mut item, false, true);
        self.add_one_variable(specs, item)
    }

    /// The variable of a loop over a range, with the `:` and the range, which is its initialiser.
    pub(super) fn range_variable(&mut self) -> (u32, Option<ExprRange>) {
        let (specs, mut item) = self.one_variable();
        let equal = self.here();
        self.expect(Punct::Colon, "the variable of a loop over a range");
        let value = self.deeper(|p| p.initializer());
        let range = match value.map(|value| self.tree.initializer(value).kind) {
            Some(InitKind::Expr(range)) => Some(range),
            Some(InitKind::List(_)) => {
                let message =
                    "a loop over a list in braces needs the standard library's std::initializer_list";
                self.report(Problem::new("unsupported-cxx", self.span_of(equal), message.to_owned()));
                None
            }
            None => None,
        };
        item.init = Some(InitPart { equal, value, problems_end: self.problem_count() });
        (self.add_one_variable(specs, item), range)
    }

    fn one_variable(&mut self) -> (u32, InitDeclarator) {
        let specs = self.specifiers(SpecContext::Block);
        let declarator = self.declarator(Naming::Required);
        if let Some(name) = self.declared_name_of(declarator) {
            self.names.declare(name, NameKind::Value);
        }
        let item = InitDeclarator {
            declarator,
            old_parameters: None,
            asm_label: None,
            init: None,
            body: None,
            cxx_body: None,
            direct: Direct::No,
        };
        (specs, item)
    }

    fn add_one_variable(&mut self, specs: u32, item: InitDeclarator) -> u32 {
        let row = row(&mut self.tree.statements.declarators, vec![item]);
        let problems_end = self.problem_count();
        let kind = DeclarationKind::Declarators(row);
        self.tree.statements.declarations.push(Declaration { specs, kind, problems_end });
        self.tree.statements.declarations.len() as u32 - 1
    }

    /// `= initializer`
    fn init_part(&mut self) -> Option<InitPart> {
        let equal = self.here();
        if !self.eat(Punct::Eq) {
            return None;
        }
        let value = self.deeper(|p| {
            let value = p.initializer();
            p.tallest = p.tallest.max(p.height);
            value
        });
        Some(InitPart { equal, value, problems_end: self.problem_count() })
    }

    /// The name of a declarator.
    pub(super) fn declared_name_of(&self, declarator: u32) -> Option<Symbol> {
        let mut at = &self.tree.declarations.declarators[declarator as usize];
        while let Some(inner) = at.inner {
            at = &self.tree.declarations.declarators[inner as usize];
        }
        at.name.map(|(name, _)| name)
    }

    /// The step next to the name of a declarator: what the name is.
    pub(super) fn first_step(&self, declarator: u32) -> Option<Step> {
        let all = &self.tree.declarations;
        let at = all.declarators[declarator as usize];
        let inner = at.inner.and_then(|inner| self.first_step(inner));
        let is_step = |step: &Step| !matches!(step, Step::Attributes(_));
        let row = |row: Row| &all.steps[row.start as usize..row.end as usize];
        inner
            .or_else(|| row(at.behind).iter().copied().find(is_step))
            .or_else(|| row(at.before).iter().rev().copied().find(is_step))
    }

    fn declare_declarator(&mut self, name: Symbol, step: Option<Step>, typedef: bool) {
        if typedef {
            self.names.declare(name, NameKind::Type);
        } else if let Some(Step::Function { variadic, .. }) = step {
            if variadic.is_none() || self.symbols.text(name) != "printf" || !self.names.at_file_scope() {
                self.names.declare_function(name);
            }
        } else {
            self.names.declare(name, NameKind::Value);
        }
    }

    /// The body of a function, at its `{`. One inside another function is skipped.
    fn function_body(&mut self, step: Option<Step>, old_parameters: Option<Row>) -> Body {
        if !self.names.at_file_scope() {
            self.skip_group();
            return Body { items: Row::default(), read: false, problems_end: self.problem_count() };
        }
        let scope = self.names.open();
        self.declare_parameters(step);
        for index in old_parameters.map_or(0..0, |row| row.start..row.end) {
            let declared = self.tree.statements.old_parameters[index as usize];
            for index in declared.declarators.start..declared.declarators.end {
                let declarator = self.tree.statements.old_declarators[index as usize];
                if let Some(name) = self.declared_name_of(declarator) {
                    self.names.declare(name, NameKind::Value);
                }
            }
        }
        let body = self.body();
        self.names.close(scope);
        body
    }

    /// Declares the parameters that a step lists.
    pub(super) fn declare_parameters(&mut self, step: Option<Step>) {
        let Some(Step::Function { params, .. }) = step else { return };
        for index in params.start..params.end {
            let name = match self.tree.declarations.params[index as usize] {
                Param::Typed { declarator, .. } => self.declared_name_of(declarator),
                Param::Name { name, .. } => Some(name),
            };
            if let Some(name) = name {
                self.names.declare(name, NameKind::Value);
            }
        }
    }

    /// The body of a function or a block literal, at its `{`, in the scope of the parameters.
    pub(super) fn body(&mut self) -> Body {
        let open = self.here();
        self.bump();
        let items = self.deeper(|p| p.block(open)).unwrap_or_default();
        Body { items, read: true, problems_end: self.problem_count() }
    }

    /// The declarations between an identifier list and the body (C99 §6.9.1).
    fn old_parameters(&mut self, params: Row) -> Option<Row> {
        let named = params.items(&self.tree.declarations.params);
        let mut names: Vec<Symbol> =
            named.filter_map(|p| if let Param::Name { name, .. } = p { Some(name) } else { None }).collect();
        if names.is_empty() || !self.at_old_parameters(&names) {
            return None;
        }
        let mut list = Vec::new();
        while !self.at(Punct::LBrace) && self.peek().kind != TokenKind::Eof {
            let (before, problems) = (self.pos, self.problem_count());
            let specs = self.specifiers(SpecContext::Parameter);
            let mut declarators = Vec::new();
            let mut known = true;
            while known && !self.at(Punct::Semi) {
                let declarator = self.declarator(Naming::Optional);
                declarators.push(declarator);
                let name = self.declared_name_of(declarator);
                let listed = names.iter().position(|n| Some(*n) == name);
                known = listed.map(|index| names.swap_remove(index)).is_some();
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            if known {
                self.end_declaration("parameter declaration", problems);
            } else {
                while !self.at(Punct::LBrace) && self.peek().kind != TokenKind::Eof {
                    self.bump();
                }
            }
            let declarators = row(&mut self.tree.statements.old_declarators, declarators);
            list.push(OldParameters { specs, declarators, problems_end: self.problem_count() });
            if self.pos == before {
                break;
            }
        }
        Some(row(&mut self.tree.statements.old_parameters, list))
    }

    /// Returns whether a body comes, or a declaration of one of the names that has one: anything else is not meant so.
    fn at_old_parameters(&self, names: &[Symbol]) -> bool {
        if self.at(Punct::LBrace) {
            return true;
        }
        let mut rest = self.tokens.get(self.pos..).unwrap_or(&[]).iter().map(|t| t.kind);
        let declares = |kind: TokenKind| matches!(kind, TokenKind::Ident(name) if names.contains(&name));
        let ends =
            |kind: &TokenKind| matches!(kind, TokenKind::Punct(Punct::Semi | Punct::LBrace) | TokenKind::Eof);
        self.at_declaration() && rest.by_ref().take_while(|kind| !ends(kind)).any(declares)
    }

    /// `asm("name")` after a declarator: the name in an object file, which there is none of.
    fn asm_label(&mut self) -> Option<u32> {
        let is_word = matches!(self.peek().kind, TokenKind::Ident(kw::ASM | kw::ASM_U | kw::ASM_2));
        let is_name = self.peek_at(1).kind == TokenKind::Punct(Punct::LParen)
            && matches!(self.peek_at(2).kind, TokenKind::Str(_));
        (is_word && is_name).then(|| {
            let at = self.here();
            self.bump();
            self.skip_group();
            at
        })
    }

    /// `_Static_assert(constant, "text");` (C11 §6.7.10); gives its index.
    pub(super) fn static_assert(&mut self) -> u32 {
        let at = self.here();
        self.bump();
        self.expect(Punct::LParen, "'_Static_assert'");
        let cond = self.deeper(|p| p.range(|p| p.conditional()));
        let text = if self.eat(Punct::Comma) { self.strings() } else { (at, at) };
        self.expect(Punct::RParen, "static assertion");
        let problems = self.problem_count();
        self.end_declaration("static assertion", problems);
        let problems_end = self.problem_count();
        self.tree.statements.assertions.push(StaticAssert { at, cond, text, problems, problems_end });
        self.tree.statements.assertions.len() as u32 - 1
    }

    /// Adjacent string literals.
    pub(super) fn strings(&mut self) -> Tokens {
        let first = self.here();
        while matches!(self.peek().kind, TokenKind::Str(_)) {
            self.bump();
        }
        (first, self.here())
    }

    /// The facts about specifiers that the grammar needs.
    fn spec_facts(&self, specs: u32) -> SpecFacts {
        let mut facts = SpecFacts::default();
        let words = self.tree.declarations.specs[specs as usize].words;
        for word in words.items(&self.tree.declarations.words) {
            match word.kind {
                SpecKind::Keyword(kw::TYPEDEF) => facts.typedef = true,
                SpecKind::Keyword(kw::AUTO_TYPE) => facts.auto_type = true,
                SpecKind::Record(_) | SpecKind::Enum(_) => facts.tag = true,
                SpecKind::Cxx(index) => {
                    facts.tag |= matches!(
                        self.tree.cxx.types[index as usize],
                        CxxType::Class(_) | CxxType::ScopedEnum(_)
                    );
                }
                _ => {}
            }
        }
        facts
    }
}

/// The facts about specifiers that the grammar needs.
#[derive(Debug, Clone, Copy, Default)]
struct SpecFacts {
    typedef: bool,
    auto_type: bool,
    /// A struct, union or enum specifier is among them.
    tag: bool,
}

//! The grammar of declaration specifiers and type names (C99 §6.7, §6.7.6) with the bodies of structs, unions and
//! enumerations (§6.7.2).
//!
//! ```text
//! specifiers: (storage-class | type-specifier | qualifier | "inline" | "kernel" | attribute)*
//! type-name:  specifiers declarator
//! record:     ("struct" | "union") attributes? tag? ("{" member* "}" attributes?)?
//! enum:       "enum" attributes? tag? (":" specifiers)? ("{" enumerator ("," enumerator)* ","? "}" attributes?)?
//! ```

use super::ast::ExprRange;
use super::cxx::tree::CxxType;
use super::declaration::{
    Enum, Enumerator, Member, MemberDeclarator, Record, Row, SpecContext, SpecKind, SpecWord, Specs,
    TypeName, row,
};
use super::declarator::Naming;
use super::expr::Parser;
use super::names::NameKind;
use super::problem::Problem;
use super::words::{is_function_word, is_keyword, is_qualifier_word, is_space_word, is_type_word};
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};

/// What the specifiers so far say about those that may follow.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    /// A word of a type.
    any: bool,
    /// A typedef name, a tag or `typeof`.
    other: bool,
    tag: bool,
}

impl Parser<'_> {
    /// Declaration specifiers; gives their index.
    pub(crate) fn specifiers(&mut self, context: SpecContext) -> u32 {
        let first = self.here();
        let mut words = Vec::new();
        let mut seen = Seen::default();
        loop {
            let (at, problems) = (self.here(), self.problem_count());
            let kind = match self.peek().kind {
                _ if self.at_attribute() => SpecKind::Attributes(self.attributes()),
                TokenKind::Ident(_) | TokenKind::Punct(Punct::ColonColon)
                    if self.is_cxx() && !self.after_unfinished_body(seen.tag, context) =>
                {
                    match self.cxx_specifier(context, &mut seen) {
                        Some(kind) => kind,
                        None => break,
                    }
                }
                TokenKind::Ident(word) if !self.after_unfinished_body(seen.tag, context) => {
                    match self.specifier(word, context, &mut seen) {
                        Some(kind) => kind,
                        None => break,
                    }
                }
                _ => break,
            };
            words.push(SpecWord { kind, first: at, end: self.here(), problems });
        }
        let end = self.here();
        let words = row(&mut self.tree.declarations.words, words);
        let problems_end = self.problem_count();
        self.tree.declarations.specs.push(Specs { words, first, end, problems_end });
        self.tree.declarations.specs.len() as u32 - 1
    }

    /// A specifier in C++.
    fn cxx_specifier(&mut self, context: SpecContext, seen: &mut Seen) -> Option<SpecKind> {
        let word = match self.peek().kind {
            TokenKind::Ident(word) => word,
            _ => kw::OP_NEW,
        };
        match word {
            kw::CLASS | kw::STRUCT | kw::UNION => {
                self.bump();
                (seen.any, seen.other, seen.tag) = (true, true, true);
                return Some(self.class_specifier(word));
            }
            kw::ENUM if matches!(self.peek_at(1).kind, TokenKind::Ident(kw::CLASS | kw::STRUCT)) => {
                self.pos += 2;
                (seen.any, seen.other, seen.tag) = (true, true, true);
                // Its constants are in a scope of their own.
                let scope = self.names.open();
                let read = self.enumeration();
                self.names.close(scope);
                let SpecKind::Enum(index) = read else { return None };
                if let Some((name, _)) = self.tree.declarations.enums[index as usize].tag {
                    self.names.declare(name, NameKind::Type);
                }
                return Some(self.cxx_type(CxxType::ScopedEnum(index)));
            }
            kw::ENUM => {
                let kind = self.specifier(word, context, seen);
                if let Some(SpecKind::Enum(index)) = kind
                    && let Some((name, _)) = self.tree.declarations.enums[index as usize].tag
                {
                    self.names.declare(name, NameKind::Type);
                }
                return kind;
            }
            kw::AUTO => {
                self.bump();
                (seen.any, seen.other) = (true, true);
                return Some(self.cxx_type(CxxType::Auto));
            }
            kw::DECLTYPE => {
                self.bump();
                (seen.any, seen.other) = (true, true);
                self.expect(Punct::LParen, "'decltype'");
                if self.eat_word(kw::AUTO) {
                    self.expect(Punct::RParen, "'auto'");
                    return Some(self.cxx_type(CxxType::Auto));
                }
                let outer = std::mem::replace(&mut self.no_greater, false);
                let read = self.deeper(|p| p.range(|p| p.expression()));
                self.no_greater = outer;
                self.close(Punct::RParen, "the operand of 'decltype'");
                return Some(match read {
                    Some(range) => self.cxx_type(CxxType::Decltype(range)),
                    None => SpecKind::TypeofNothing,
                });
            }
            _ if is_cxx_specifier(word) => {
                self.bump();
                return Some(SpecKind::Keyword(word));
            }
            kw::TYPENAME if !seen.any => {
                self.bump();
                return self.cxx_named_type(seen);
            }
            _ if word != kw::OP_NEW && (is_keyword(word, self.language) || self.at_qualifier(word)) => {
                return self.specifier(word, context, seen);
            }
            _ => {}
        }
        if seen.any {
            return None;
        }
        // The name of a constructor is no type.
        let opens = self.peek_at(1).kind == TokenKind::Punct(Punct::LParen);
        if opens && self.class_name == Some(word) && context == SpecContext::Member {
            return None;
        }
        if self.cxx_type_at(0) {
            let walk = self.walk_name(self.pos);
            if walk.is_some_and(|w| !w.qualified) && self.kind_of(word) == Some(NameKind::Type) {
                self.bump();
                (seen.any, seen.other) = (true, true);
                return Some(SpecKind::TypedefName(word));
            }
            return self.cxx_named_type(seen);
        }
        if self.walk_name(self.pos).is_some_and(|w| w.qualified) || word == kw::OP_NEW {
            return None;
        }
        let name = self.typedef_name(word, context);
        (seen.any, seen.other) = (seen.any || name.is_some(), seen.other || name.is_some());
        name
    }

    fn cxx_named_type(&mut self, seen: &mut Seen) -> Option<SpecKind> {
        (seen.any, seen.other) = (true, true);
        let name = self.qualified_name()?;
        Some(self.cxx_type(CxxType::Named(name)))
    }

    fn specifier(&mut self, word: Symbol, context: SpecContext, seen: &mut Seen) -> Option<SpecKind> {
        if self.at_qualifier(word) {
            self.bump();
            return Some(SpecKind::Qualifier(word));
        }
        if word == kw::ALIGNAS {
            return Some(self.alignas());
        }
        if !is_keyword(word, self.language) {
            let name = if seen.any { None } else { self.typedef_name(word, context) };
            (seen.any, seen.other) = (seen.any || name.is_some(), seen.other || name.is_some());
            return name;
        }
        if is_function_word(word) || (is_type_word(word) && seen.other) || is_access_word(word) {
            self.bump();
            return Some(SpecKind::Keyword(word));
        }
        if !is_type_word(word) {
            return None;
        }
        self.bump();
        let kind = match word {
            kw::STRUCT | kw::UNION => {
                (seen.other, seen.tag) = (true, true);
                self.record(word == kw::UNION)
            }
            kw::ENUM => {
                (seen.other, seen.tag) = (true, true);
                self.enumeration()
            }
            kw::TYPEOF | kw::TYPEOF_U | kw::TYPEOF_2 => {
                seen.other = true;
                self.type_of()
            }
            kw::AUTO_TYPE => {
                seen.other = true;
                SpecKind::Keyword(word)
            }
            kw::PIPE => return Some(SpecKind::Keyword(word)),
            kw::ATOMIC => {
                if !self.eat(Punct::LParen) {
                    return Some(SpecKind::Atomic(None));
                }
                seen.other = true;
                let ty = self.type_name();
                self.expect(Punct::RParen, "the operand of '_Atomic'");
                SpecKind::Atomic(Some(ty))
            }
            _ => SpecKind::Keyword(word),
        };
        seen.any = true;
        Some(kind)
    }

    /// Returns whether a new declaration begins on the line after a member list: its `;` was forgotten.
    pub(super) fn after_unfinished_body(&self, declares_tag: bool, context: SpecContext) -> bool {
        declares_tag
            && matches!(context, SpecContext::File | SpecContext::Block)
            && self.token(self.here().saturating_sub(1)).kind == TokenKind::Punct(Punct::RBrace)
            && self.peek().line_start
            && self.at_declaration()
    }

    /// Returns whether the current token starts a declaration, `__extension__` before it included.
    pub(super) fn at_declaration(&self) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead).kind == TokenKind::Ident(kw::EXTENSION) {
            ahead += 1;
        }
        let TokenKind::Ident(word) = self.peek_at(ahead).kind else {
            return self.is_cxx() && self.cxx_type_at(ahead);
        };
        is_function_word(word)
            || word == kw::STATIC_ASSERT
            || self.is_type_token(ahead)
            || (self.is_cxx() && is_cxx_specifier(word))
    }

    /// Returns whether the word at the cursor qualifies: `const`, an address space, and words that say nothing.
    pub(super) fn at_qualifier(&self, word: Symbol) -> bool {
        if !is_keyword(word, self.language) {
            // `generic` in front of a type, where the language version does not have it.
            let TokenKind::Ident(next) = self.peek_at(1).kind else { return false };
            return word == kw::GENERIC
                && self.kind_of(word).is_none()
                && (is_type_word(next) || self.kind_of(next) == Some(NameKind::Type));
        }
        is_qualifier_word(word) || word == kw::EXTENSION || is_space_word(word)
    }

    /// An identifier where a type can stand: a typedef name; or, where nothing but a type makes sense, a misspelt one.
    fn typedef_name(&mut self, word: Symbol, context: SpecContext) -> Option<SpecKind> {
        let found = self.kind_of(word);
        if found == Some(NameKind::Type) {
            self.bump();
            return Some(SpecKind::TypedefName(word));
        }
        let names_follow = match self.peek_at(1).kind {
            TokenKind::Ident(w) => !is_keyword(w, self.language) || is_type_word(w),
            // A qualifier stood before it, and nothing but a type can follow.
            _ if context == SpecContext::TypeName => found.is_none(),
            TokenKind::Punct(Punct::Star) => {
                let behind = self.peek_at(2).kind;
                found.is_none() && matches!(behind, TokenKind::Ident(_) | TokenKind::Punct(Punct::Star))
            }
            TokenKind::Punct(Punct::Comma | Punct::RParen) => {
                context == SpecContext::Parameter && found.is_none()
            }
            _ => false,
        };
        names_follow.then(|| {
            self.bump();
            SpecKind::UnknownType(word)
        })
    }

    /// A type name.
    pub(crate) fn type_name(&mut self) -> TypeName {
        TypeName(self.deeper(|p| (p.specifiers(SpecContext::TypeName), p.declarator(Naming::Forbidden))))
    }

    /// `(type)` or `(expression)` behind `typeof`.
    fn type_of(&mut self) -> SpecKind {
        if !self.eat(Punct::LParen) {
            self.expect(Punct::LParen, "'typeof'");
            return SpecKind::TypeofNothing;
        }
        let kind = if self.is_type_token(0) {
            SpecKind::TypeofType(self.type_name())
        } else {
            let read = self.deeper(|p| p.range(|p| p.expression()));
            read.map_or(SpecKind::TypeofNothing, SpecKind::TypeofExpr)
        };
        self.expect(Punct::RParen, "the operand of 'typeof'");
        kind
    }

    /// `_Alignas(type)` or `_Alignas(constant)` (C11 §6.7.5).
    fn alignas(&mut self) -> SpecKind {
        self.bump();
        if !self.eat(Punct::LParen) {
            self.expect(Punct::LParen, "'_Alignas'");
            return SpecKind::AlignasNothing;
        }
        let kind = if self.is_type_token(0) {
            SpecKind::AlignasType(self.type_name())
        } else {
            let read = self.deeper(|p| p.range(|p| p.conditional()));
            read.map_or(SpecKind::AlignasNothing, SpecKind::AlignasExpr)
        };
        self.expect(Punct::RParen, "the operand of '_Alignas'");
        kind
    }

    fn tag(&mut self) -> Option<(Symbol, u32)> {
        let TokenKind::Ident(tag) = self.peek().kind else { return None };
        if is_keyword(tag, self.language) {
            return None;
        }
        let at = self.here();
        self.bump();
        Some((tag, at))
    }

    /// A struct or union specifier behind its keyword.
    fn record(&mut self, is_union: bool) -> SpecKind {
        let attributes = self.attributes();
        let problems = self.problem_count();
        let tag = self.tag();
        let next = self.here();
        let mut members = None;
        let mut behind = Row::default();
        if self.eat(Punct::LBrace) {
            members = Some(self.deeper(|p| p.members()).unwrap_or_default());
            self.expect(Punct::RBrace, "member list");
            behind = self.attributes();
        }
        let problems_end = self.problem_count();
        let record = Record { is_union, attributes, tag, members, behind, next, problems, problems_end };
        self.tree.declarations.records.push(record);
        SpecKind::Record(self.tree.declarations.records.len() as u32 - 1)
    }

    fn members(&mut self) -> Row {
        let mut members = Vec::new();
        while !self.at(Punct::RBrace) && self.peek().kind != TokenKind::Eof {
            let before = self.pos;
            if matches!(self.peek().kind, TokenKind::Pragma(_)) {
                members.push(Member::Pragmas(self.pragma_tokens()));
            }
            if self.eat(Punct::Semi) {
                continue;
            }
            if self.at(Punct::RBrace) {
                break;
            }
            members.push(self.member());
            if self.pos == before {
                self.bump();
            }
        }
        row(&mut self.tree.declarations.members, members)
    }

    fn member(&mut self) -> Member {
        let (at, problems) = (self.here(), self.problem_count());
        if self.at_word(kw::STATIC_ASSERT) {
            return Member::StaticAssert(self.static_assert());
        }
        let specs = self.specifiers(SpecContext::Member);
        if self.here() == at {
            let token = self.peek();
            let found = token.text(self.symbols);
            let message = format!("expected a member declaration, found {found}");
            self.report(Problem::new("expected-member", token.span, message));
            self.skip_to_statement_end();
            return Member::Broken { problems };
        }
        let anonymous = self.at(Punct::Semi);
        let declarators = if anonymous { Row::default() } else { self.member_declarators() };
        self.end_declaration("member declaration", problems);
        let problems_end = self.problem_count();
        Member::Declaration { specs, declarators, anonymous, problems, problems_end }
    }

    fn member_declarators(&mut self) -> Row {
        let mut list = Vec::new();
        loop {
            let mut member = MemberDeclarator { declarator: None, attributes: Row::default(), width: None };
            if !self.at(Punct::Colon) {
                let declarator = self.declarator(Naming::Required);
                member.declarator = Some(declarator);
                if self.declared_name_of(declarator).is_none() {
                    list.push(member);
                    break;
                }
                member.attributes = self.attributes();
            }
            if self.at(Punct::Colon) {
                let at = self.here();
                self.bump();
                member.width = Some((at, self.deeper(|p| p.range(|p| p.conditional()))));
            }
            list.push(member);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        row(&mut self.tree.declarations.member_declarators, list)
    }

    /// An enum specifier behind its keyword.
    fn enumeration(&mut self) -> SpecKind {
        let attributes = self.attributes();
        let problems = self.problem_count();
        let tag = self.tag();
        // `: type` of C23 and clang, the type that holds the enumeration's values.
        let typed = self.at(Punct::Colon) && self.is_type_token(1);
        let underlying = typed.then(|| {
            self.bump();
            self.specifiers(SpecContext::TypeName)
        });
        let next = self.here();
        let mut enumerators = None;
        let mut behind = Row::default();
        if self.eat(Punct::LBrace) {
            enumerators = Some(self.enumerators());
            self.expect(Punct::RBrace, "enumerator list");
            behind = self.attributes();
        }
        let problems_end = self.problem_count();
        let enumeration =
            Enum { attributes, tag, underlying, enumerators, behind, next, problems, problems_end };
        self.tree.declarations.enums.push(enumeration);
        SpecKind::Enum(self.tree.declarations.enums.len() as u32 - 1)
    }

    fn enumerators(&mut self) -> Row {
        let mut list = Vec::new();
        while !self.at(Punct::RBrace) && self.peek().kind != TokenKind::Eof {
            let problems = self.problem_count();
            let Some((name, at)) = self.tag() else {
                let token = self.peek();
                let message = format!("expected an enumerator, found {}", token.text(self.symbols));
                self.report(Problem::new("expected-identifier", token.span, message));
                self.skip_balanced_until(&[]);
                break;
            };
            let value: Option<ExprRange> =
                if self.eat(Punct::Eq) { self.deeper(|p| p.range(|p| p.conditional())) } else { None };
            self.names.declare(name, NameKind::Constant);
            list.push(Enumerator { name, at, value, problems });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RBrace) && !self.at(Punct::Semi) {
            self.skip_balanced_until(&[]);
        }
        row(&mut self.tree.declarations.enumerators, list)
    }
}

/// Specifiers of C++ that are no types.
fn is_cxx_specifier(word: Symbol) -> bool {
    matches!(word, kw::CONSTEXPR | kw::VIRTUAL | kw::EXPLICIT | kw::FRIEND | kw::MUTABLE | kw::THREAD_LOCAL)
}

/// Access qualifiers of images.
fn is_access_word(word: Symbol) -> bool {
    matches!(
        word,
        kw::READ_ONLY
            | kw::READ_ONLY_U
            | kw::WRITE_ONLY
            | kw::WRITE_ONLY_U
            | kw::READ_WRITE
            | kw::READ_WRITE_U
    )
}

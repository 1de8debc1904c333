//! The grammar of classes.
//!
//! ```text
//! class:  ("class" | "struct" | "union") attributes? name? "final"? (":" base ("," base)*)? ("{" member* "}" attributes?)?
//! base:   "virtual"? access? name
//! member: access ":" | using | alias | template | friend | static-assert | specifiers (item ("," item)*)? ";"
//!       | specifiers declarator (":" initialisers)? block
//! item:   declarator (":" width | "=" value | "{" … "}" | "=" ("0" | "default" | "delete"))?
//! ```

use super::tree::{Access, Base, Class, CxxType, Member, MemberItem, MemberKind, QualName, Special};
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::TokenId;
use crate::syntax::declaration::{Row, SpecContext, SpecKind, Step};
use crate::syntax::declarator::Naming;
use crate::syntax::expr::Parser;
use crate::syntax::names::NameKind;
use crate::syntax::problem::Problem;
use crate::syntax::statement::Direct;
use crate::syntax::words::is_keyword;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// A class specifier behind its keyword.
    pub(crate) fn class_specifier(&mut self, key: Symbol) -> SpecKind {
        let at = self.here().saturating_sub(1);
        let attributes = self.attributes();
        let named = match self.peek().kind {
            TokenKind::Ident(word) => !is_keyword(word, self.language),
            TokenKind::Punct(Punct::ColonColon) => true,
            _ => false,
        };
        let name = if named { self.qualified_name() } else { None };
        let simple = name.as_ref().and_then(|n| match n.parts.as_slice() {
            [part] => Some(part.name),
            parts => parts.last().map(|p| p.name),
        });
        let declares = self.at(Punct::Semi);
        if self.at_word(kw::FINAL)
            && matches!(self.peek_at(1).kind, TokenKind::Punct(Punct::Colon | Punct::LBrace))
        {
            self.bump();
        }
        let defines = self.at(Punct::LBrace) || (self.at(Punct::Colon) && self.bases_follow());
        if let (true, Some(name), Some(qualified)) = (defines || declares, simple, &name)
            && qualified.parts.len() == 1
            && qualified.parts[0].args.is_none()
            && self.kind_of(name) != Some(NameKind::TypeTemplate)
        {
            self.names.declare(name, NameKind::Type);
        }
        let (mut bases, mut members, mut behind) = (Vec::new(), None, Row::default());
        if defines {
            if self.eat(Punct::Colon) {
                bases = self.bases();
            }
            members = self.deeper(|p| p.class_body(simple, key));
            behind = self.attributes();
        }
        let problems_end = self.problem_count();
        let declares_only = self.at(Punct::Semi);
        let class = Class { key, at, attributes, name, bases, members, behind, declares_only, problems_end };
        self.tree.cxx.classes.push(class);
        let class = self.tree.cxx.classes.len() as u32 - 1;
        self.cxx_type(CxxType::Class(class))
    }

    pub(crate) fn cxx_type(&mut self, ty: CxxType) -> SpecKind {
        self.tree.cxx.types.push(ty);
        SpecKind::Cxx(self.tree.cxx.types.len() as u32 - 1)
    }

    /// Returns whether the `:` at the cursor begins base classes rather than the width of a bit-field.
    fn bases_follow(&self) -> bool {
        !matches!(self.peek_at(1).kind, TokenKind::Number(_))
    }

    fn access_word(&self) -> Option<Access> {
        match self.peek().kind {
            TokenKind::Ident(kw::PUBLIC) => Some(Access::Public),
            TokenKind::Ident(kw::PROTECTED) => Some(Access::Protected),
            TokenKind::Ident(kw::PRIVATE) => Some(Access::Private),
            _ => None,
        }
    }

    fn bases(&mut self) -> Vec<Base> {
        let mut bases = Vec::new();
        loop {
            let (mut access, mut is_virtual) = (None, false);
            loop {
                if self.eat_word(kw::VIRTUAL) {
                    is_virtual = true;
                } else if let Some(word) = self.access_word() {
                    self.bump();
                    access = Some(word);
                } else if !self.eat_word(kw::TYPENAME) {
                    break;
                }
            }
            let Some(name) = self.qualified_name() else {
                self.skip_balanced_until(&[Punct::LBrace]);
                return bases;
            };
            bases.push(Base { access, is_virtual, name });
            if !self.eat(Punct::Comma) {
                return bases;
            }
        }
    }

    /// The members, from the `{` to behind the `}`.
    fn class_body(&mut self, name: Option<Symbol>, key: Symbol) -> Vec<Member> {
        self.expect(Punct::LBrace, "base classes");
        let outer = std::mem::replace(&mut self.class_name, name);
        let (no_greater, places) =
            (std::mem::replace(&mut self.no_greater, false), self.names.open_context());
        if let Some(name) = name
            && self.kind_of(name) != Some(NameKind::TypeTemplate)
        {
            self.names.declare(name, NameKind::Type);
        }
        let mut access = if key == kw::CLASS { Access::Private } else { Access::Public };
        let mut members = Vec::new();
        while !self.at(Punct::RBrace) && self.peek().kind != TokenKind::Eof {
            let before = self.pos;
            if matches!(self.peek().kind, TokenKind::Pragma(_)) {
                let kind = MemberKind::Pragmas(self.pragma_tokens());
                members.push(Member { access, kind });
                continue;
            }
            if let (Some(word), TokenKind::Punct(Punct::Colon)) = (self.access_word(), self.peek_at(1).kind) {
                self.pos += 2;
                access = word;
                continue;
            }
            if self.eat(Punct::Semi) {
                continue;
            }
            let kind = self.deeper(|p| p.class_member());
            match kind {
                Some(kind) => members.push(Member { access, kind }),
                None => break,
            }
            if self.pos == before {
                self.bump();
            }
        }
        self.names.close_context(places);
        self.class_name = outer;
        self.no_greater = no_greater;
        self.expect(Punct::RBrace, "member list");
        members
    }

    pub(super) fn class_member(&mut self) -> MemberKind {
        let (at, problems) = (self.here(), self.problem_count());
        match self.peek().kind {
            TokenKind::Ident(kw::STATIC_ASSERT) => return MemberKind::StaticAssert(self.static_assert()),
            TokenKind::Ident(kw::USING | kw::TEMPLATE | kw::FRIEND) => {
                if let Some(external) = self.cxx_external(true) {
                    return MemberKind::External(external);
                }
            }
            _ => {}
        }
        let specs = self.specifiers(SpecContext::Member);
        let named = self.identifier().is_some()
            || matches!(
                self.peek().kind,
                TokenKind::Punct(Punct::Tilde | Punct::Star | Punct::Amp | Punct::AmpAmp | Punct::LParen)
                    | TokenKind::Ident(kw::OPERATOR)
            )
            || self.at(Punct::Colon)
            || self.at(Punct::ColonColon);
        if self.here() == at && !named {
            let token = self.peek();
            let found = token.text(self.symbols);
            let message = format!("expected a member declaration, found {found}");
            self.report(Problem::new("expected-member", token.span, message));
            self.skip_to_statement_end();
            return MemberKind::Broken(problems);
        }
        let anonymous = self.at(Punct::Semi);
        let mut items = Vec::new();
        let mut ended = false;
        if !anonymous {
            ended = self.member_items(&mut items);
        }
        if !ended {
            self.end_declaration("member declaration", problems);
        }
        let problems_end = self.problem_count();
        MemberKind::Declaration { specs, items, anonymous, problems, problems_end }
    }

    /// The declarators of a member declaration; true where a function's body ends it.
    fn member_items(&mut self, items: &mut Vec<MemberItem>) -> bool {
        loop {
            let mut item = MemberItem {
                declarator: None,
                attributes: Row::default(),
                width: None,
                init: None,
                direct: Direct::No,
                body: None,
                special: Special::No,
            };
            if !self.at(Punct::Colon) {
                let declarator = self.declarator(Naming::Required);
                item.declarator = Some(declarator);
                if self.declared_name_of(declarator).is_none() {
                    items.push(item);
                    return false;
                }
                item.attributes = self.attributes();
                let is_function = matches!(self.first_step(declarator), Some(Step::Function { .. }));
                if is_function {
                    if self.function_end(&mut item) {
                        items.push(item);
                        return true;
                    }
                } else {
                    self.member_initializer(&mut item);
                }
            }
            if self.at(Punct::Colon) {
                let at = self.here();
                self.bump();
                item.width = Some((at, self.deeper(|p| p.range(|p| p.conditional()))));
            }
            items.push(item);
            if !self.eat(Punct::Comma) {
                return false;
            }
        }
    }

    /// What ends a function of a class: true for a body.
    fn function_end(&mut self, item: &mut MemberItem) -> bool {
        if self.at(Punct::Eq) {
            let at = self.here();
            self.bump();
            item.special = match self.bump().kind {
                TokenKind::Ident(kw::DEFAULT) => Special::Default,
                TokenKind::Ident(kw::DELETE) => Special::Delete,
                _ => Special::Pure(at),
            };
            return false;
        }
        item.body = self.skipped_body();
        item.body.is_some()
    }

    /// The place of a function's body, which is passed over; that of the `:` before it where a constructor has one.
    pub(crate) fn skipped_body(&mut self) -> Option<TokenId> {
        let at = self.here();
        if self.at_word(kw::TRY) {
            let message = "C++ for OpenCL does not have exceptions ('try')".to_owned();
            self.report(Problem::new("unsupported-cxx", self.peek().span, message));
            self.bump();
        }
        if self.at(Punct::Colon) {
            self.bump();
            while !matches!(self.peek().kind, TokenKind::Eof | TokenKind::Punct(Punct::Semi | Punct::RBrace))
            {
                // A name, its arguments.
                match self.walk_name(self.pos) {
                    Some(walk) => self.pos = walk.end.max(self.pos + 1),
                    None => break,
                }
                if self.at(Punct::Lt)
                    && let Some(end) = self.behind_angles(self.pos)
                {
                    self.pos = end;
                }
                if !self.at(Punct::LParen) && !self.at(Punct::LBrace) {
                    break;
                }
                self.skip_group();
                self.eat(Punct::Ellipsis);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        if !self.at(Punct::LBrace) {
            self.pos = at as usize;
            return None;
        }
        self.skip_group();
        Some(at)
    }

    /// The default value of a member, which is passed over, or the value of a static one.
    fn member_initializer(&mut self, item: &mut MemberItem) {
        let at = self.here();
        if self.at(Punct::Eq) {
            self.bump();
            item.init = Some(self.here());
        } else if self.at(Punct::LBrace) {
            item.init = Some(at);
            item.direct = Direct::Braces;
        } else {
            return;
        }
        let end = self.here();
        self.skip_initializer();
        if self.here() == end {
            item.init = None;
        }
    }

    /// Passes over an initialiser, up to `,`, `;` or the end of the group.
    pub(crate) fn skip_initializer(&mut self) {
        loop {
            match self.peek().kind {
                TokenKind::Eof => return,
                TokenKind::Punct(
                    Punct::Semi | Punct::Comma | Punct::RParen | Punct::RBrace | Punct::RBracket,
                ) => return,
                TokenKind::Punct(Punct::LParen | Punct::LBrace | Punct::LBracket) => self.skip_group(),
                TokenKind::Ident(word) if !is_keyword(word, self.language) => {
                    match self.walk_name(self.pos) {
                        Some(walk) => self.pos = walk.end.max(self.pos + 1),
                        None => self.pos += 1,
                    }
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// The class whose constructor or destructor a qualified name names, or `None`.
    pub(crate) fn names_constructor(&self, name: &QualName) -> bool {
        let [.., class, last] = name.parts.as_slice() else { return false };
        class.name == last.name && last.args.is_none()
    }
}

/// An initialiser of a base or a member before the body of a constructor.
#[derive(Debug, Clone)]
pub(crate) struct MemberInit {
    /// The base or the member.
    pub name: QualName,
    /// The arguments.
    pub args: Vec<crate::syntax::ast::InitId>,
    /// They are in braces: the one argument is the list.
    pub braces: bool,
    /// Their first token.
    pub at: TokenId,
}

impl Parser<'_> {
    /// The body of a function, with the initialisers of a constructor before it.
    pub(crate) fn cxx_body(&mut self) -> (Vec<MemberInit>, crate::syntax::statement::Body) {
        let mut inits = Vec::new();
        self.eat_word(kw::TRY);
        if self.eat(Punct::Colon) {
            while let Some(name) = self.qualified_name() {
                let at = self.here();
                if self.at(Punct::LBrace) {
                    let list = self.deeper(|p| p.initializer());
                    inits.push(MemberInit { name, args: list.into_iter().collect(), braces: true, at });
                } else if self.at(Punct::LParen) {
                    let (args, _) = self.init_arguments();
                    inits.push(MemberInit { name, args, braces: false, at });
                } else {
                    self.report(Problem::missing(self.cursor, self.symbols, Punct::LParen, "the member"));
                    break;
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            if !self.at(Punct::LBrace) {
                self.skip_balanced_until(&[Punct::LBrace]);
            }
        }
        if !self.at(Punct::LBrace) {
            let body = crate::syntax::statement::Body {
                items: Row::default(),
                read: true,
                problems_end: self.problem_count(),
            };
            return (inits, body);
        }
        let body = self.body();
        (inits, body)
    }
}

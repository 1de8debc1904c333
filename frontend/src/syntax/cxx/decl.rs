//! The grammar of declarations that C does not have, and of declared names.
//!
//! ```text
//! external:  "namespace" names "{" | "namespace" name "=" name ";" | "using" "namespace" name ";" | "using" name ";"
//!          | "using" name "=" type ";" | "template" ("<" parameters ">")* declaration | "extern" string ("{" | declaration)
//!          | "friend" declaration
//! parameter: ("typename" | "class") "..."? name? ("=" type)? | specifiers declarator ("=" value)?
//! ```

use super::tree::{CxxExternal, QualName, Template, TemplateKind, TemplateParam};
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::TokenId;
use crate::syntax::declarator::Naming;
use crate::syntax::expr::Parser;
use crate::syntax::names::NameKind;
use crate::syntax::problem::Problem;
use crate::syntax::words::is_keyword;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    fn add_external(&mut self, external: CxxExternal) -> u32 {
        self.tree.cxx.externals.push(external);
        self.tree.cxx.externals.len() as u32 - 1
    }

    /// A declaration that C does not have, by its index; `None` where C's grammar goes on.
    pub(crate) fn cxx_external(&mut self, member: bool) -> Option<u32> {
        let at = self.here();
        let external = match (self.peek().kind, self.peek_at(1).kind) {
            (TokenKind::Ident(kw::NAMESPACE), _) => self.namespace(false),
            (TokenKind::Ident(kw::INLINE), TokenKind::Ident(kw::NAMESPACE)) => {
                self.bump();
                self.namespace(true)
            }
            (TokenKind::Ident(kw::USING), _) => self.using(),
            (TokenKind::Ident(kw::TEMPLATE), _) => self.template(),
            (TokenKind::Ident(kw::EXTERN), TokenKind::Ident(kw::TEMPLATE)) => {
                self.bump();
                self.template()
            }
            (TokenKind::Ident(kw::EXTERN), TokenKind::Str(_)) if !member => {
                self.pos += 2;
                if self.eat(Punct::LBrace) {
                    CxxExternal::LinkageOpen
                } else {
                    CxxExternal::Linkage(self.declaration())
                }
            }
            (TokenKind::Ident(kw::FRIEND), _) => self.friend(),
            (TokenKind::Punct(Punct::RBrace), _) if !member && self.closes > 0 => {
                self.bump();
                CxxExternal::Close
            }
            (TokenKind::Ident(kw::CONSTEXPR), _) => return None,
            _ => return None,
        };
        debug_assert!(self.here() >= at);
        Some(self.add_external(external))
    }

    fn namespace(&mut self, mut inline: bool) -> CxxExternal {
        let at = self.here();
        self.bump();
        let mut names = Vec::new();
        loop {
            inline |= self.eat_word(kw::INLINE);
            let Some(name) = self.identifier() else { break };
            names.push((name, self.here()));
            self.bump();
            if !self.eat(Punct::ColonColon) {
                break;
            }
        }
        if let ([(name, name_at)], true) = (names.as_slice(), self.at(Punct::Eq)) {
            let (name, name_at) = (*name, *name_at);
            self.bump();
            let Some(target) = self.qualified_name() else {
                self.skip_to_statement_end();
                return CxxExternal::Broken;
            };
            let problems = self.problem_count();
            self.end_declaration("namespace alias", problems);
            self.names.declare(name, NameKind::Namespace);
            return CxxExternal::NamespaceAlias { name, at: name_at, target };
        }
        if self.at(Punct::LBrace) && !self.names.at_file_scope() {
            let message = "a namespace stands at file scope".to_owned();
            self.report(Problem::new("misplaced-namespace", self.span_of(at), message));
            self.skip_group();
            return CxxExternal::Broken;
        }
        if !self.eat(Punct::LBrace) {
            self.report(Problem::missing(self.cursor, self.symbols, Punct::LBrace, "'namespace'"));
            self.skip_to_statement_end();
            return CxxExternal::Broken;
        }
        if let Some((name, _)) = names.first() {
            self.names.declare(*name, NameKind::Namespace);
        }
        CxxExternal::NamespaceOpen { names, inline }
    }

    fn using(&mut self) -> CxxExternal {
        self.bump();
        let problems = self.problem_count();
        if self.eat_word(kw::NAMESPACE) {
            let Some(name) = self.qualified_name() else {
                self.skip_to_statement_end();
                return CxxExternal::Broken;
            };
            self.end_declaration("using directive", problems);
            self.use_names_of(&name);
            return CxxExternal::UsingDirective(name);
        }
        if let (Some(name), TokenKind::Punct(Punct::Eq)) = (self.identifier(), self.peek_at(1).kind) {
            let at = self.here();
            self.pos += 2;
            let ty = self.type_name();
            self.end_declaration("alias", problems);
            self.names.declare(name, NameKind::Type);
            return CxxExternal::Alias { name, at, ty, problems_end: self.problem_count() };
        }
        self.eat_word(kw::TYPENAME);
        let walk = self.walk_name(self.pos);
        let Some(name) = self.qualified_name() else {
            self.skip_to_statement_end();
            return CxxExternal::Broken;
        };
        self.end_declaration("using declaration", problems);
        if let (Some(kind), Some(part)) = (walk.and_then(|w| w.kind), name.parts.last()) {
            self.names.declare(part.name, kind);
        }
        CxxExternal::Using(name)
    }

    /// Declares the names of a namespace where it is used.
    fn use_names_of(&mut self, name: &QualName) {
        let Some(env) = self.env else { return };
        let mut scope: Option<Symbol> = None;
        for part in &name.parts {
            scope = match scope {
                None => env.named.get(&part.name).copied(),
                Some(scope) => env.inner.get(&(scope, part.name)).copied(),
            };
            if scope.is_none() {
                return;
            }
        }
        for member in scope.map_or(&[][..], |scope| env.members(scope)) {
            if self.names.kind(member.name).is_none() {
                self.names.declare(member.name, member.kind);
            }
        }
    }

    fn friend(&mut self) -> CxxExternal {
        let at = self.here();
        self.bump();
        let simple = match self.peek().kind {
            TokenKind::Ident(kw::CLASS | kw::STRUCT | kw::UNION) => self.pos + 1,
            _ => self.pos,
        };
        if let Some(walk) = self.walk_name(simple)
            && self.tokens.get(walk.end).map(|t| t.kind) == Some(TokenKind::Punct(Punct::Semi))
        {
            self.pos = simple;
            let class = self.qualified_name();
            let problems = self.problem_count();
            self.end_declaration("friend", problems);
            return CxxExternal::Friend { class, specs: 0 };
        }
        if self.at_word(kw::TEMPLATE) {
            return match self.template() {
                CxxExternal::Template(template) => {
                    CxxExternal::Template(Template { is_friend: true, ..template })
                }
                other => other,
            };
        }
        self.pos = at as usize + 1;
        // It declares a function of the namespace around.
        let context = std::mem::take(&mut self.class_name);
        let declaration = self.declaration();
        self.class_name = context;
        CxxExternal::Friend { class: None, specs: declaration }
    }

    // ---- templates ----

    fn template(&mut self) -> CxxExternal {
        let mut lists = Vec::new();
        while self.eat_word(kw::TEMPLATE) {
            if !self.at(Punct::Lt) {
                // An explicit instantiation.
                let problems = self.problem_count();
                let specs = self.declaration();
                let _ = problems;
                return CxxExternal::Instantiation { specs };
            }
            match self.template_parameters() {
                Some(list) => lists.push(list),
                None => {
                    self.skip_to_statement_end();
                    return CxxExternal::Broken;
                }
            }
        }
        let is_friend = self.eat_word(kw::FRIEND);
        let start = self.here();
        let scope = self.names.open_context();
        for param in lists.iter().flatten() {
            if let Some(name) = param.name {
                let kind = match (param.is_template, param.is_type) {
                    (true, _) => NameKind::TypeTemplate,
                    (_, true) => NameKind::Type,
                    _ => NameKind::Value,
                };
                self.names.declare(name, kind);
            }
        }
        let outer = std::mem::replace(&mut self.in_template, true);
        let found = self.template_declaration();
        self.in_template = outer;
        self.names.close_context(scope);
        let Some((kind, name, defined)) = found else {
            let message = "expected a class, a function or an alias behind 'template'".to_owned();
            self.report(Problem::new("expected-declaration", self.span_of(start), message));
            if self.here() == start {
                self.skip_to_statement_end();
            }
            return CxxExternal::Broken;
        };
        if let ([part], false) = (name.parts.as_slice(), lists.iter().all(Vec::is_empty)) {
            let kind = match kind {
                TemplateKind::Class | TemplateKind::Alias => NameKind::TypeTemplate,
                TemplateKind::Function => NameKind::FunctionTemplate,
                TemplateKind::Variable => NameKind::FunctionTemplate,
                TemplateKind::Guide => NameKind::TypeTemplate,
            };
            self.names.declare(part.name, kind);
        }
        CxxExternal::Template(Template { lists, start, kind, name, defined, is_friend })
    }

    fn template_parameters(&mut self) -> Option<Vec<TemplateParam>> {
        self.bump();
        let mut list = Vec::new();
        while !self.at(Punct::Gt) {
            let at = self.here();
            let mut param = TemplateParam {
                name: None,
                is_type: true,
                pack: false,
                at,
                default: None,
                is_template: false,
            };
            match (self.peek().kind, self.peek_at(1).kind) {
                (TokenKind::Ident(kw::TEMPLATE), _) => {
                    self.bump();
                    let end = if self.at(Punct::Lt) { self.behind_angles(self.pos)? } else { return None };
                    self.pos = end;
                    self.bump();
                    param.is_template = true;
                    self.template_parameter_name(&mut param);
                }
                (TokenKind::Ident(kw::TYPENAME | kw::CLASS), next) if !self.names_a_type(next) => {
                    self.bump();
                    self.template_parameter_name(&mut param);
                }
                _ => {
                    param.is_type = false;
                    let specs = self.specifiers(crate::syntax::declaration::SpecContext::Parameter);
                    if self.here() == at {
                        let message = format!(
                            "expected a parameter of a template, found {}",
                            self.peek().text(self.symbols)
                        );
                        self.report(Problem::new("expected-parameter", self.peek().span, message));
                        return None;
                    }
                    let _ = specs;
                    param.pack = self.eat(Punct::Ellipsis);
                    let declarator = self.declarator(Naming::Optional);
                    param.name = self.declared_name_of(declarator);
                }
            }
            if self.eat(Punct::Eq) {
                param.default = Some(self.here());
                self.skip_template_default();
            }
            list.push(param);
            if list.len() > 255 {
                return None;
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.eat(Punct::Gt) {
            self.report(Problem::missing(
                self.cursor,
                self.symbols,
                Punct::Gt,
                "the parameters of a template",
            ));
            return None;
        }
        Some(list)
    }

    fn names_a_type(&self, next: TokenKind) -> bool {
        // `typename T::type N`
        matches!(next, TokenKind::Ident(word) if !is_keyword(word, self.language))
            && self.peek_at(2).kind == TokenKind::Punct(Punct::ColonColon)
    }

    fn template_parameter_name(&mut self, param: &mut TemplateParam) {
        param.pack = self.eat(Punct::Ellipsis);
        param.name = self.identifier();
        if param.name.is_some() {
            self.bump();
        }
    }

    /// Passes over the default argument of a template's parameter, up to `,` or `>`.
    fn skip_template_default(&mut self) {
        loop {
            match self.peek().kind {
                TokenKind::Eof | TokenKind::Punct(Punct::Gt | Punct::Comma | Punct::Semi) => return,
                TokenKind::Punct(Punct::LParen | Punct::LBrace | Punct::LBracket) => self.skip_group(),
                TokenKind::Ident(word) if !is_keyword(word, self.language) => {
                    match self.walk_name(self.pos) {
                        Some(walk) => self.pos = walk.end.max(self.pos + 1),
                        None => self.pos += 1,
                    }
                }
                TokenKind::Punct(Punct::Lt) => match self.behind_angles(self.pos) {
                    Some(end) => self.pos = end,
                    None => self.pos += 1,
                },
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Walks over the declaration of a template: what it is, its name, and whether it has a body.
    fn template_declaration(&mut self) -> Option<(TemplateKind, QualName, bool)> {
        if self.at_word(kw::USING) {
            self.bump();
            let (name, at) = (self.identifier()?, self.here());
            self.skip_to_statement_end();
            let parts = vec![super::tree::NamePart { name, at, args: None }];
            let name = QualName { global: false, parts, first: at, last: at };
            return Some((TemplateKind::Alias, name, true));
        }
        let first = self.here();
        if matches!(self.peek().kind, TokenKind::Ident(kw::CLASS | kw::STRUCT | kw::UNION)) {
            self.bump();
            self.attributes();
            let name = self.qualified_name()?;
            if self.at(Punct::Semi) {
                self.bump();
                return Some((TemplateKind::Class, name, false));
            }
            if self.at(Punct::LBrace) || self.at(Punct::Colon) || self.at_word(kw::FINAL) {
                while !matches!(
                    self.peek().kind,
                    TokenKind::Eof | TokenKind::Punct(Punct::LBrace | Punct::Semi)
                ) {
                    self.bump();
                }
                self.skip_group();
                self.attributes();
                let problems = self.problem_count();
                self.end_declaration("class template", problems);
                return Some((TemplateKind::Class, name, true));
            }
            self.pos = first as usize;
        }
        if let Some(name) = self.guide() {
            return Some((TemplateKind::Guide, name, false));
        }
        self.template_function()
    }

    /// Walks over a deduction guide: `Pair(T) -> Pair<T, T>;`.
    fn guide(&mut self) -> Option<QualName> {
        let first = self.pos + usize::from(self.at_word(kw::EXPLICIT));
        let at = first as TokenId;
        let TokenKind::Ident(name) = self.tokens.get(first)?.kind else { return None };
        let kind = |at: usize| self.tokens.get(at).map_or(TokenKind::Eof, |t| t.kind);
        let opens = kind(first + 1) == TokenKind::Punct(Punct::LParen);
        if !opens || self.class_name.is_some() || self.kind_of(name) != Some(NameKind::TypeTemplate) {
            return None;
        }
        if kind(super::pack::behind_group(self.tokens, first + 1)) != TokenKind::Punct(Punct::Arrow) {
            return None;
        }
        self.skip_to_statement_end();
        let parts = vec![super::tree::NamePart { name, at, args: None }];
        Some(QualName { global: false, parts, first: at, last: at })
    }

    /// The parameters of a template, at their `<`.
    pub(crate) fn parameters_of_list(&mut self) -> Option<Vec<TemplateParam>> {
        self.template_parameters()
    }

    /// Walks over a function: the name is what stands before its parameters.
    fn template_function(&mut self) -> Option<(TemplateKind, QualName, bool)> {
        let outer = self.class_name;
        let context = match self.class_name {
            Some(_) => crate::syntax::declaration::SpecContext::Member,
            None => crate::syntax::declaration::SpecContext::File,
        };
        self.specifiers(context);
        let declarator = self.declarator(Naming::Required);
        self.class_name = outer;
        let (name, at) = self.declared_name_at(declarator)?;
        let mut qualified = match self.tree.cxx.qualifiers.get(&declarator) {
            Some(qualified) => qualified.clone(),
            None => QualName { global: false, parts: Vec::new(), first: at, last: at },
        };
        if qualified.parts.is_empty() {
            qualified.parts.push(super::tree::NamePart { name, at, args: None });
        }
        let step = self.first_step(declarator);
        if !matches!(step, Some(crate::syntax::declaration::Step::Function { .. })) {
            self.skip_to_statement_end();
            return Some((TemplateKind::Variable, qualified, true));
        }
        self.attributes();
        if self.at(Punct::Eq) {
            self.skip_to_statement_end();
            return Some((TemplateKind::Function, qualified, false));
        }
        let defined = self.skipped_body().is_some();
        if !defined {
            let problems = self.problem_count();
            self.end_declaration("template", problems);
        }
        Some((TemplateKind::Function, qualified, defined))
    }

    fn declared_name_at(&self, declarator: u32) -> Option<(Symbol, TokenId)> {
        let mut at = &self.tree.declarations.declarators[declarator as usize];
        while let Some(inner) = at.inner {
            at = &self.tree.declarations.declarators[inner as usize];
        }
        at.name
    }

    // ---- declared names ----

    /// The name of a declarator with its qualifiers: those are what is given. Destructors, operators and conversion
    /// functions have names of their own.
    pub(crate) fn cxx_declared_name(&mut self) -> Option<(Symbol, TokenId, Option<QualName>)> {
        let at = self.here();
        match self.peek().kind {
            TokenKind::Punct(Punct::Tilde | Punct::ColonColon) | TokenKind::Ident(kw::OPERATOR) => {}
            TokenKind::Ident(word) if !is_keyword(word, self.language) => {
                let next = self.peek_at(1).kind;
                let more = match next {
                    TokenKind::Punct(Punct::ColonColon) => true,
                    TokenKind::Punct(Punct::Lt) => {
                        matches!(
                            self.kind_of(word),
                            Some(NameKind::TypeTemplate | NameKind::FunctionTemplate)
                        ) && self.behind_angles(self.pos + 1).is_some()
                    }
                    _ => false,
                };
                if !more {
                    self.bump();
                    let constructor =
                        self.class_name == Some(word) && next == TokenKind::Punct(Punct::LParen);
                    return Some((if constructor { kw::CONSTRUCTOR } else { word }, at, None));
                }
            }
            _ => return None,
        }
        let name = self.qualified_name()?;
        let last = name.parts.last()?;
        let (mut symbol, at) = (last.name, last.at);
        if name.parts.len() > 1 && self.names_constructor(&name) {
            symbol = kw::CONSTRUCTOR;
        }
        let qualified = name.parts.len() > 1 || last.args.is_some();
        Some((symbol, at, qualified.then_some(name)))
    }

    /// Opens the scope of the class that qualifies a declared name, where its parameters are read.
    pub(crate) fn declare_members_of(&mut self, name: &QualName) {
        let Some(env) = self.env else { return };
        let mut scope: Option<Symbol> = None;
        for part in &name.parts[..name.parts.len().saturating_sub(1)] {
            scope = match scope {
                None => env.named.get(&part.name).copied(),
                Some(scope) => env.inner.get(&(scope, part.name)).copied(),
            };
        }
        for member in scope.map_or(&[][..], |scope| env.members(scope)) {
            self.names.declare(member.name, member.kind);
        }
    }

    /// Returns whether the `(` at the cursor behind a declared name begins an initialiser and not parameters.
    pub(crate) fn at_direct_initializer(&self) -> bool {
        let next = self.peek_at(1).kind;
        if matches!(next, TokenKind::Punct(Punct::RParen | Punct::Ellipsis)) {
            return false;
        }
        if self.at_attribute_at(1) || !self.cxx_declares_at(1) {
            return true;
        }
        if matches!(self.peek_at(1).kind, TokenKind::Ident(kw::ATTRIBUTE | kw::ATTRIBUTE_2)) {
            return false;
        }
        // A type that is called makes a value.
        let end = match self.peek_at(1).kind {
            TokenKind::Ident(kw::DECLTYPE | kw::TYPEOF | kw::TYPEOF_U | kw::TYPEOF_2) => {
                super::pack::behind_group(self.tokens, self.pos + 2)
            }
            TokenKind::Ident(word) if is_keyword(word, self.language) => self.pos + 2,
            _ => self.walk_name(self.pos + 1).map_or(self.pos + 2, |walk| walk.end),
        };
        let behind = self.tokens.get(end).map_or(TokenKind::Eof, |t| t.kind);
        let mut next = end + 1;
        while self.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Punct(Punct::LParen)) {
            next += 1;
        }
        let behind_next = self.tokens.get(next).map_or(TokenKind::Eof, |t| t.kind);
        match behind {
            TokenKind::Punct(Punct::LBrace) => true,
            TokenKind::Punct(Punct::LParen) => {
                !matches!(behind_next, TokenKind::Punct(Punct::Star | Punct::Amp))
            }
            _ => false,
        }
    }

    fn at_attribute_at(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Punct(Punct::LBracket))
    }

    /// Returns whether the specifiers of a declaration begin `ahead` tokens on.
    fn cxx_declares_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead).kind {
            TokenKind::Ident(kw::ATTRIBUTE | kw::ATTRIBUTE_2) => true,
            TokenKind::Ident(word) if crate::syntax::words::is_function_word(word) => true,
            _ => self.cxx_type_at(ahead),
        }
    }
}

impl Parser<'_> {
    /// A declaration at the cursor; gives its index.
    pub(crate) fn declaration_at(&mut self) -> u32 {
        self.declaration()
    }

    /// Declares the parameters of a template.
    fn declare_template_parameters(&mut self, params: &[TemplateParam]) {
        for param in params {
            if let Some(name) = param.name {
                let kind = match (param.is_template, param.is_type) {
                    (true, _) => NameKind::TypeTemplate,
                    (_, true) => NameKind::Type,
                    _ => NameKind::Value,
                };
                self.names.declare(name, kind);
            }
        }
    }

    /// The parameters of the function that a template is, its own parameters not being bound. `class`: the name of the class
    /// that it is a member of.
    pub(crate) fn parameters_of_template(
        &mut self,
        params: &[TemplateParam],
        class: Option<Symbol>,
    ) -> Option<crate::syntax::declaration::Row> {
        use crate::syntax::declaration::{SpecContext, Step};
        let scope = self.names.open_context();
        self.declare_template_parameters(params);
        self.class_name = class;
        let context = if class.is_some() { SpecContext::Member } else { SpecContext::File };
        self.specifiers(context);
        let declarator = self.declarator(Naming::Required);
        self.names.close_context(scope);
        match self.first_step(declarator) {
            Some(Step::Function { params, .. }) => Some(params),
            _ => None,
        }
    }

    /// The declarator of a lambda at its `(`, its `auto` parameters not being bound.
    pub(crate) fn declarator_of_lambda(&mut self) -> u32 {
        self.declarator(Naming::Forbidden)
    }

    /// The parameters of a declarator that is a function's.
    pub(crate) fn parameters_of(&self, declarator: u32) -> Option<crate::syntax::declaration::Row> {
        match self.first_step(declarator) {
            Some(crate::syntax::declaration::Step::Function { params, .. }) => Some(params),
            _ => None,
        }
    }

    /// The name of a specialisation with its arguments.
    pub(crate) fn name_of_template(&mut self, params: &[TemplateParam]) -> Option<QualName> {
        let scope = self.names.open_context();
        self.declare_template_parameters(params);
        let name = self.qualified_name();
        self.names.close_context(scope);
        name
    }

    /// The specifiers of the class that a template is.
    pub(crate) fn class_of_template(&mut self) -> u32 {
        self.specifiers(crate::syntax::declaration::SpecContext::File)
    }

    /// The member function that a template is.
    pub(crate) fn member_of_template(&mut self, class: Option<Symbol>) -> super::tree::MemberKind {
        self.class_name = class;
        self.class_member()
    }

    /// The type of an alias template, at its `using`.
    pub(crate) fn alias_of_template(&mut self) -> Option<crate::syntax::declaration::TypeName> {
        if !self.eat_word(kw::USING) {
            return None;
        }
        self.identifier()?;
        self.bump();
        self.eat(Punct::Eq).then(|| self.type_name())
    }

    /// The default argument of a template's parameter.
    pub(crate) fn default_template_argument(&mut self, is_type: bool) -> Option<super::tree::ArgKind> {
        self.no_greater = true;
        let kind = if is_type {
            super::tree::ArgKind::Type(self.type_name())
        } else {
            super::tree::ArgKind::Value(self.deeper(|p| p.range(|p| p.conditional()))?)
        };
        Some(kind)
    }
}

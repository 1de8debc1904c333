//! `new` and `delete`, which call the operators that the program declares.
//!
//! ```text
//! new:    "::"? "new" ("(" arguments ")")? specifiers "*"* ("[" expression "]")? ("(" arguments ")" | list)?
//! delete: "::"? "delete" ("[" "]")? expression
//! ```

use super::tree::{CxxExpr, New};
use crate::symbol::kw;
use crate::syntax::ast::{ExprId, TokenId};
use crate::syntax::declaration::{Declarator, Row, SpecContext, Step, TypeName, row};
use crate::syntax::expr::Parser;
use crate::syntax::problem::Problem;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// Returns whether `new` or `delete` comes, perhaps behind `::`.
    pub(super) fn at_allocation(&self) -> bool {
        let ahead = usize::from(self.at(Punct::ColonColon));
        matches!(self.peek_at(ahead).kind, TokenKind::Ident(kw::NEW | kw::DELETE))
    }

    pub(super) fn allocation(&mut self) -> ExprId {
        let start = self.here();
        self.cxx_node(start, |p| {
            let global = p.eat(Punct::ColonColon);
            let expr = if p.bump().kind == TokenKind::Ident(kw::NEW) {
                let new = p.new_expression(global, start)?;
                CxxExpr::New(Box::new(new))
            } else {
                let is_array = p.eat(Punct::LBracket);
                if is_array {
                    p.close(Punct::RBracket, "'delete['");
                }
                let operand = p.deeper(|p| p.range(|p| p.cast_expression()))?;
                CxxExpr::Delete { operand, is_array, global }
            };
            p.grow(0);
            Some(expr)
        })
    }

    fn new_expression(&mut self, global: bool, start: TokenId) -> Option<New> {
        let placement = if self.at(Punct::LParen) { self.init_arguments().0 } else { Vec::new() };
        let begin = self.here();
        let specs = self.specifiers(SpecContext::TypeName);
        if self.here() == begin {
            let message = format!("expected a type behind 'new', found {}", self.peek().text(self.symbols));
            self.report(Problem::new("missing-type", self.span_of(start), message));
            return None;
        }
        let first = self.here();
        let mut before = Vec::new();
        while self.eat(Punct::Star) {
            before.push(Step::Pointer(self.qualifiers(true)));
        }
        let before = row(&mut self.tree.declarations.steps, before);
        let declarator = Declarator {
            before,
            name: None,
            inner: None,
            behind: Row::default(),
            attributes: Row::default(),
            first,
            last: self.here().saturating_sub(1),
            problems_end: self.problem_count(),
        };
        self.tree.declarations.declarators.push(declarator);
        let ty = TypeName(Some((specs, self.tree.declarations.declarators.len() as u32 - 1)));
        let mut count = None;
        if self.eat(Punct::LBracket) {
            count = Some(self.deeper(|p| p.range(|p| p.expression()))?);
            self.close(Punct::RBracket, "the number of elements");
        }
        let (mut args, mut list) = (None, None);
        if self.at(Punct::LParen) {
            args = Some(self.init_arguments().0);
        } else if self.at(Punct::LBrace) {
            list = Some(self.initializer());
        }
        Some(New { global, placement, ty, count, args, list })
    }
}

//! The grammar of initialisers (C99 §6.7.8), with GNU C's designators.
//!
//! ```text
//! initializer: assignment-expression | '{' (item (',' item)* ','?)? '}'
//! item:        (designator+ '='? | name ':')? initializer
//! designator:  '[' conditional ('...' conditional)? ']' | '.' name
//! ```

use super::ast::{Designator, InitId, InitKind, InitList, Initializer, Item, ItemSign};
use super::expr::Parser;
use super::problem::Problem;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// `initializer`
    pub(crate) fn initializer(&mut self) -> InitId {
        let first = self.here();
        let kind = if self.at(Punct::LBrace) {
            InitKind::List(self.deeper(|p| p.initializer_list()).unwrap_or_default())
        } else {
            InitKind::Expr(self.range(|p| p.assignment()))
        };
        let last = self.here().saturating_sub(1).max(first);
        self.tree.add_initializer(Initializer { kind, first, last })
    }

    /// A list, at its `{`.
    fn initializer_list(&mut self) -> InitList {
        self.bump();
        let begin = self.tree.begin_items();
        let mut height = 0;
        while !self.at(Punct::RBrace) {
            let item = self.item();
            height = height.max(self.height);
            self.tree.add_item(item);
            if !self.eat(Punct::Comma) || self.peek().kind == TokenKind::Eof {
                break;
            }
        }
        self.height = height;
        let (start, end) = self.tree.end_items(begin);
        let close = self.here();
        let closed = self.is_closed(Punct::RBrace);
        self.pass(Punct::RBrace);
        InitList { start, end, close, closed }
    }

    /// One part of a list.
    fn item(&mut self) -> Item {
        let begin = self.tree.designators.len() as u32;
        let mut sign = ItemSign::None;
        let first = self.here();
        if let (TokenKind::Ident(name), TokenKind::Punct(Punct::Colon)) =
            (self.peek().kind, self.peek_at(1).kind)
        {
            self.tree.designators.push(Designator::Member { name, first, at: first });
            self.pos += 2;
            sign = ItemSign::Colon;
        }
        while (self.at(Punct::LBracket) && !self.at_lambda()) || self.at(Punct::Dot) {
            sign = if self.at(Punct::Dot) { self.member_of_item() } else { self.index_of_item() };
            if sign == ItemSign::Broken {
                self.skip_balanced_until(&[Punct::RBrace]);
                self.tree.designators.truncate(begin as usize);
                return Item { designators: (begin, begin), sign, value: InitId::default() };
            }
        }
        let designators = (begin, self.tree.designators.len() as u32);
        match sign {
            ItemSign::Equal => self.expect(Punct::Eq, "designator"),
            ItemSign::Bracket if self.eat(Punct::Eq) => sign = ItemSign::Equal,
            _ => {}
        }
        Item { designators, sign, value: self.initializer() }
    }

    /// `.name`
    fn member_of_item(&mut self) -> ItemSign {
        let first = self.here();
        self.bump();
        let TokenKind::Ident(name) = self.peek().kind else {
            let message = "expected '.' and a member name".to_owned();
            self.report(Problem::new("invalid-designator", self.span_of(first), message));
            return ItemSign::Broken;
        };
        let at = self.here();
        self.bump();
        self.tree.designators.push(Designator::Member { name, first, at });
        ItemSign::Equal
    }

    /// `[index]` or `[first ... last]`
    fn index_of_item(&mut self) -> ItemSign {
        let first = self.here();
        self.bump();
        let from = self.range(|p| p.conditional());
        let to = self.eat(Punct::Ellipsis).then(|| self.range(|p| p.conditional()));
        self.close(Punct::RBracket, "designator");
        let last = self.here().saturating_sub(1);
        self.tree.designators.push(Designator::Index { from, to, first, last });
        ItemSign::Bracket
    }
}

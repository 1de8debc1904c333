//! The syntax tree of an external declaration: its expressions and initialisers.
//!
//! The nodes are in one vector, operands before the node that has them: the order in which a parser of one pass would type
//! them. A visit in this order needs no recursion, however high the tree is.

use super::cxx::CxxTree;
use super::declaration::{Declarations, Row, TypeName};
use super::problem::Problem;
use super::statement::Statements;
use crate::hir::BinaryOp;
use crate::symbol::Symbol;

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExprId(pub u32);

/// A token, by its index.
pub(crate) type TokenId = u32;

/// Some nodes in a row: arguments, components, associations.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct List {
    start: u32,
    len: u32,
}

/// An expression and its tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its first token.
    pub first: TokenId,
    /// Its last token.
    pub last: TokenId,
}

/// What stands between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Infix {
    /// Arithmetic, shifts, comparisons.
    Binary(BinaryOp),
    /// `&&`
    And,
    /// `||`
    Or,
}

/// The unary operators by their tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Prefix {
    AddressOf,
    Deref,
    Plus,
    Minus,
    BitNot,
    Not,
}

/// An initialiser of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct InitId(u32);

/// An initialiser and its tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Initializer {
    /// What it is.
    pub kind: InitKind,
    /// Its first token.
    pub first: TokenId,
    /// Its last token.
    pub last: TokenId,
}

/// The kinds of initialiser.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InitKind {
    /// An expression.
    Expr(ExprRange),
    /// A list in braces.
    List(InitList),
}

/// An expression that is typed by itself: its nodes, and the one that has the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExprRange {
    /// The first node.
    pub start: u32,
    /// Behind the last node.
    pub end: u32,
    /// The whole.
    pub root: ExprId,
}

/// A list in braces: the numbers of its items.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InitList {
    /// The first item.
    pub start: u32,
    /// Behind the last item.
    pub end: u32,
    /// The place of the `}`.
    pub close: TokenId,
    /// False where the `}` is missing and nothing else was reported there.
    pub closed: bool,
}

/// One part of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    /// The numbers of its designators: the first, and behind the last.
    pub designators: (u32, u32),
    /// The sign between the designators and the value.
    pub sign: ItemSign,
    /// The value.
    pub value: InitId,
}

/// What stands between the designators of an item and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemSign {
    /// Nothing: there are no designators.
    None,
    /// `=`
    Equal,
    /// The `:` of GNU C's `member: value`.
    Colon,
    /// The `]` of GNU C's `[index] value`.
    Bracket,
    /// A designator is none, as a problem says. The item is the last of its list and has no value.
    Broken,
}

/// The part of an object that an item is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Designator {
    /// `[from]`, or `[from ... to]`.
    Index {
        /// The index.
        from: ExprRange,
        /// The last index.
        to: Option<ExprRange>,
        /// The `[`.
        first: TokenId,
        /// The `]`.
        last: TokenId,
    },
    /// `.name`, or `name:`.
    Member {
        /// The name.
        name: Symbol,
        /// The `.`, or the name.
        first: TokenId,
        /// The name's token.
        at: TokenId,
    },
}

/// The kinds of node. Operands are nodes before it.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum Kind {
    /// Something that is no expression; a problem says why.
    Error,
    Number(Symbol),
    Char(Symbol),
    /// `-9223372036854775808`
    LeastLong,
    /// Adjacent string literals: all tokens of the node.
    String,
    /// Adjacent string literals that are the format of `printf`: no object is made of them.
    Format,
    Name(Symbol),
    /// A name before the `(` of a call, declared or not; or a keyword that names a type.
    Callee(Symbol),
    /// `__func__` and its kin.
    FunctionName,
    Paren(ExprId),
    Prefix {
        op: Prefix,
        operand: ExprId,
    },
    IncDec {
        operand: ExprId,
        increment: bool,
        prefix: bool,
    },
    Infix {
        op: Infix,
        lhs: ExprId,
        rhs: ExprId,
        operator: TokenId,
    },
    /// `lhs = rhs`, or `lhs op= rhs`.
    Assign {
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        operator: TokenId,
    },
    Conditional {
        cond: ExprId,
        then: ExprId,
        els: ExprId,
        question: TokenId,
    },
    /// The middle operand of `cond ?: els`.
    Omitted {
        cond: ExprId,
    },
    Comma {
        first: ExprId,
        second: ExprId,
    },
    /// A type name. Its node precedes those of its parts; `end` is the number behind them.
    TypeName {
        ty: TypeName,
        end: u32,
    },
    Cast {
        ty: ExprId,
        operand: ExprId,
    },
    /// `( part, part … )` after `(type)`: the components of a vector, or for another type an expression in parentheses.
    Components {
        ty: ExprId,
        parts: List,
        /// False where the `)` is missing and nothing else was reported there; then the node ends before its place.
        closed: bool,
    },
    /// `(type)(…)` with what follows it: `operand` is a [`Kind::Components`] and its suffixes. They belong to the vector,
    /// or for another type to what is cast.
    CastComponents {
        ty: ExprId,
        operand: ExprId,
    },
    /// `(type){…}`. Its node precedes those of its initialiser, whose types it decides; `end` is the number behind them.
    CompoundLiteral {
        ty: ExprId,
        init: InitId,
        end: u32,
    },
    /// `sizeof`, `__alignof__`, `vec_step` of a type name or an expression.
    TypeQuery {
        query: Symbol,
        operand: ExprId,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `.name` or `->name`, the last two tokens.
    Member {
        base: ExprId,
        name: Symbol,
        arrow: bool,
    },
    /// A call of a [`Kind::Callee`] or of a value. Some functions take types or a member designator.
    Call {
        callee: ExprId,
        args: List,
    },
    /// The member at the start of the designator of `offsetof`, its only token.
    OffsetMember {
        ty: ExprId,
        name: Symbol,
    },
    /// `_Generic`: for each association the type name or [`Kind::Default`], and the expression.
    Generic {
        control: ExprId,
        associations: List,
    },
    /// `default` of an association.
    Default,
    /// `({ … })`: the items of its block. Its node precedes those of the statements; `end` is the number behind them.
    Statements {
        items: Row,
        end: u32,
    },
    /// `^ … { … }`, by its index in [`Statements::blocks`]. Its node precedes those of its parts; `end` is the number
    /// behind them.
    Block {
        literal: u32,
        end: u32,
    },
    /// An expression of C++, by its index in [`CxxTree::exprs`]. Its node precedes those of its parts; `end` is the number
    /// behind them.
    Cxx {
        node: u32,
        end: u32,
    },
}

/// An external declaration: all its nodes, and the problems found between them.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The nodes, operands first.
    pub nodes: Vec<Node>,
    /// The problems, in the order of [`Problem::before`].
    pub problems: Vec<Problem>,
    lists: Vec<ExprId>,
    /// Members of the lists that are not complete yet.
    open: Vec<ExprId>,
    inits: Vec<Initializer>,
    /// The items of all lists in braces.
    pub items: Vec<Item>,
    /// Items of the lists that are not complete yet.
    open_items: Vec<Item>,
    /// The designators of all items.
    pub designators: Vec<Designator>,
    /// Specifiers and declarators.
    pub declarations: Declarations,
    /// Statements, and declarations with their initialisers.
    pub statements: Statements,
    /// What C++ for OpenCL adds.
    pub cxx: CxxTree,
}

impl Tree {
    /// Empties the tree, and keeps its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.problems.clear();
        self.lists.clear();
        self.open.clear();
        self.inits.clear();
        self.items.clear();
        self.open_items.clear();
        self.designators.clear();
        self.declarations.clear();
        self.statements.clear();
        self.cxx.clear();
    }

    /// An initialiser.
    pub fn initializer(&self, id: InitId) -> Initializer {
        self.inits[id.0 as usize]
    }

    /// Adds the arguments of a declaration `T x(a, b)` as a list.
    pub(super) fn add_parenthesised(
        &mut self,
        args: Vec<InitId>,
        closed: bool,
        first: TokenId,
        end: TokenId,
    ) -> InitId {
        let start = self.items.len() as u32;
        for value in args {
            self.items.push(Item { designators: (0, 0), sign: ItemSign::None, value });
        }
        let list = InitList { start, end: self.items.len() as u32, close: end.saturating_sub(1), closed };
        let last = end.saturating_sub(1).max(first);
        self.add_initializer(Initializer { kind: InitKind::List(list), first, last })
    }

    pub(super) fn add_initializer(&mut self, initializer: Initializer) -> InitId {
        self.inits.push(initializer);
        InitId(self.inits.len() as u32 - 1)
    }

    /// Begins a list of items; lists nest.
    pub(super) fn begin_items(&self) -> usize {
        self.open_items.len()
    }

    pub(super) fn add_item(&mut self, item: Item) {
        self.open_items.push(item);
    }

    /// Ends the list of items that began there: the first, and behind the last.
    pub(super) fn end_items(&mut self, begin: usize) -> (u32, u32) {
        let start = self.items.len() as u32;
        self.items.extend(self.open_items.drain(begin..));
        (start, self.items.len() as u32)
    }

    /// A node.
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.0 as usize]
    }

    /// The members of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    /// Begins a list; lists nest.
    pub(super) fn begin_list(&self) -> usize {
        self.open.len()
    }

    /// Adds to the list that was begun last.
    pub(super) fn add_to_list(&mut self, id: ExprId) {
        self.open.push(id);
    }

    /// Ends the list that began there.
    pub(super) fn end_list(&mut self, begin: usize) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend(self.open.drain(begin..));
        List { start, len: self.lists.len() as u32 - start }
    }
}

//! The syntax tree of statements, `asm` statements and declarations with their initialisers.

use super::ast::{ExprRange, InitId, TokenId};
use super::declaration::Row;
use crate::symbol::Symbol;

/// A statement of a [`Statements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StmtId(pub u32);

/// A row of tokens: the first, and behind the last.
pub(crate) type Tokens = (TokenId, TokenId);

/// All statements and declarations of a tree.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    stmts: Vec<Stmt>,
    lists: Vec<StmtId>,
    /// Items of the blocks that are not complete yet.
    open: Vec<StmtId>,
    /// Pragmas and attributes before statements.
    pub hints: Vec<Hint>,
    /// The arms of `if`.
    pub arms: Vec<IfArm>,
    /// The heads of `for`.
    pub fors: Vec<For>,
    /// `asm` statements.
    pub asms: Vec<Asm>,
    /// The operands of `asm` statements.
    pub asm_operands: Vec<AsmOperand>,
    /// Static assertions.
    pub assertions: Vec<StaticAssert>,
    /// Declarations.
    pub declarations: Vec<Declaration>,
    /// The declarators of declarations.
    pub declarators: Vec<InitDeclarator>,
    /// Declarations of the parameters of old-style definitions.
    pub old_parameters: Vec<OldParameters>,
    /// The declarators of those.
    pub old_declarators: Vec<u32>,
    /// Block literals.
    pub blocks: Vec<BlockLiteral>,
}

impl Statements {
    /// Empties all, and keeps the memory.
    pub fn clear(&mut self) {
        self.stmts.clear();
        self.lists.clear();
        self.open.clear();
        self.hints.clear();
        self.arms.clear();
        self.fors.clear();
        self.asms.clear();
        self.asm_operands.clear();
        self.assertions.clear();
        self.declarations.clear();
        self.declarators.clear();
        self.old_parameters.clear();
        self.old_declarators.clear();
        self.blocks.clear();
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> Stmt {
        self.stmts[id.0 as usize]
    }

    pub(super) fn add(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt);
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// An item of a block.
    pub fn item(&self, index: u32) -> StmtId {
        self.lists[index as usize]
    }

    /// Begins a block; blocks nest.
    pub(super) fn begin_block(&self) -> usize {
        self.open.len()
    }

    /// Adds an item to the block that was begun last.
    pub(super) fn add_to_block(&mut self, item: StmtId) {
        self.open.push(item);
    }

    /// Ends the block that began there.
    pub(super) fn end_block(&mut self, begin: usize) -> Row {
        let start = self.lists.len() as u32;
        self.lists.extend(self.open.drain(begin..));
        Row { start, end: self.lists.len() as u32 }
    }
}

/// A statement with its labels and attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Pragmas and attributes before it.
    pub hints: Row,
    /// The first token behind those.
    pub first: TokenId,
    /// The last token.
    pub last: TokenId,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// A pragma or an attribute list before a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hint {
    /// Its kind.
    pub kind: HintKind,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// The kinds of hint.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum HintKind {
    Pragmas(Tokens),
    Attributes(Row),
}

/// The kinds of statement.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum StmtKind {
    /// Hints with nothing behind them that they could be for.
    Nothing,
    /// `;`, or something that is no statement; a problem says so.
    Empty,
    Compound(Row),
    Expression(ExprRange),
    /// The arms of an `else if` chain.
    If {
        arms: Row,
        els: Option<StmtId>,
    },
    Switch {
        value: Condition,
        body: StmtId,
    },
    While {
        cond: Condition,
        body: StmtId,
    },
    /// Without a condition where the `while` is missing.
    Do {
        body: StmtId,
        cond: Option<Condition>,
    },
    /// By its index in [`Statements::fors`].
    For(u32),
    Case {
        low: ExprRange,
        high: Option<ExprRange>,
        body: Labelled,
        /// The number of problems before what follows the label.
        problems: u32,
    },
    Default {
        body: Labelled,
        problems: u32,
    },
    Label {
        name: Symbol,
        body: Labelled,
    },
    Break,
    Continue,
    Return(Option<ExprRange>),
    Goto {
        name: Symbol,
        at: TokenId,
    },
    /// By its index in [`Statements::asms`].
    Asm(u32),
    /// By its index in [`Statements::declarations`].
    Declaration(u32),
    /// By its index in [`Statements::assertions`].
    StaticAssert(u32),
    /// A declaration of C++, by its index in [`super::cxx::CxxTree::externals`].
    Cxx(u32),
    /// A declaration where only a statement can stand; a problem says so.
    Misplaced(StmtId),
}

/// The statement or declaration that a label marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labelled {
    /// A statement; `None` where the source nests too deeply.
    Statement(Option<StmtId>),
    /// The next item of the block.
    Item,
    /// A declaration, which is the next item of the block.
    Declaration,
    /// The end of the block.
    End,
}

/// `( expression )` of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Condition {
    /// The expression.
    pub expr: Option<ExprRange>,
    /// What C++ has before the condition: a first statement, and the declaration that is the condition.
    pub cxx: (Option<StmtId>, Option<StmtId>),
    /// The place of the expression.
    pub at: TokenId,
    /// The `=`, where all of the expression is an assignment.
    pub assigned: Option<TokenId>,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// One `if` of an `else if` chain.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct IfArm {
    pub cond: Condition,
    pub then: StmtId,
    /// The `if`.
    pub at: TokenId,
    /// `if constexpr` of C++.
    pub is_constexpr: bool,
}

/// `for ( init ; cond ; step ) body`
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct For {
    pub init: ForInit,
    pub cond: Option<ExprRange>,
    /// What C++ has in place of these: the declaration that is the condition, or the range whose parts the first part's variable takes.
    pub cxx: ForOfCxx,
    /// The `=`, where all of the condition is an assignment.
    pub assigned: Option<TokenId>,
    pub step: Option<ExprRange>,
    /// `None` where the `(` is missing.
    pub body: Option<StmtId>,
    /// The number of problems before the body.
    pub problems: u32,
}

/// What a `for` of C++ has that C does not.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum ForOfCxx {
    None,
    Condition(StmtId),
    Range(ExprRange),
}

/// The first part of a `for`.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum ForInit {
    None,
    Declaration(StmtId),
    Expression(ExprRange),
}

/// `_Static_assert ( cond , text ) ;`
#[derive(Debug, Clone, Copy)]
pub(crate) struct StaticAssert {
    /// The keyword.
    pub at: TokenId,
    /// The condition; `None` where the source nests too deeply.
    pub cond: Option<ExprRange>,
    /// The string literals of the text.
    pub text: Tokens,
    /// The number of problems before the `;`.
    pub problems: u32,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// An `asm` statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asm {
    /// The literals of the instructions.
    pub text: Tokens,
    /// False where a `:` follows the text.
    pub basic: bool,
    /// The operands and clobbers.
    pub operands: Row,
    /// The last token of the operands, the `)`.
    pub close: TokenId,
    /// False where the rest of the statement was skipped; a problem says why.
    pub whole: bool,
}

/// An operand of an `asm` statement, or a clobber.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AsmOperand {
    /// Its kind.
    pub kind: AsmOperandKind,
    /// Its name.
    pub name: Option<Symbol>,
    /// The literals of the constraint, or the clobber.
    pub constraint: Tokens,
    /// The value; none of a clobber.
    pub value: Option<ExprRange>,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// The sections of an `asm` statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum AsmOperandKind {
    Output,
    Input,
    Clobber,
}

/// A declaration: specifiers and what follows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declaration {
    /// The specifiers.
    pub specs: u32,
    /// What follows.
    pub kind: DeclarationKind,
    /// The number of problems before what follows the declaration.
    pub problems_end: u32,
}

/// The part of a declaration after its specifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeclarationKind {
    /// A `;`.
    Nothing,
    /// Another declaration: the `;` of a member list is missing, as a problem says.
    Unfinished,
    /// No declaration at all; a problem says so.
    Broken,
    /// Declarators.
    Declarators(Row),
}

/// A declarator of a declaration with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InitDeclarator {
    /// The declarator.
    pub declarator: u32,
    /// The declarations of an old-style definition's parameters. `None` where no definition follows.
    pub old_parameters: Option<Row>,
    /// The `asm` of a name for the assembler.
    pub asm_label: Option<TokenId>,
    /// The initialiser.
    pub init: Option<InitPart>,
    /// The body of a function.
    pub body: Option<Body>,
    /// In C++ the place of a function's body, which is read when the function is known.
    pub cxx_body: Option<TokenId>,
    /// In C++ the form of the initialiser.
    pub direct: Direct,
}

/// The form of an initialiser of C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Direct {
    /// `= value`, or none.
    #[default]
    No,
    /// `(a, b)`
    Parens,
    /// `{a, b}`
    Braces,
}

/// `= initializer`
#[derive(Debug, Clone, Copy)]
pub(crate) struct InitPart {
    /// The `=`.
    pub equal: TokenId,
    /// The initialiser; `None` where the source nests too deeply.
    pub value: Option<InitId>,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// The body of a function or a block literal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    /// The items.
    pub items: Row,
    /// False where it was skipped: a function inside another one.
    pub read: bool,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// A declaration of the parameters of an old-style definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OldParameters {
    /// The specifiers.
    pub specs: u32,
    /// The declarators, in [`Statements::old_declarators`].
    pub declarators: Row,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// A block literal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLiteral {
    /// The specifiers of the result, where it is written.
    pub specs: Option<u32>,
    /// The parameters.
    pub declarator: Option<u32>,
    /// The last token before the body.
    pub header_last: TokenId,
    /// The body; `None` where it is missing.
    pub body: Option<Body>,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

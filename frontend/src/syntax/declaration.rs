//! The syntax tree of declaration specifiers, declarators, attributes, and the bodies of structs and enumerations.

use super::ast::{ExprRange, TokenId};
use super::statement::Tokens;
use crate::symbol::Symbol;

/// Items in a row of one of the vectors of [`Declarations`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    /// The first item.
    pub start: u32,
    /// Behind the last item.
    pub end: u32,
}

impl Row {
    /// The items of the row.
    pub fn items<T: Copy>(self, all: &[T]) -> impl Iterator<Item = T> + use<'_, T> {
        all[self.start as usize..self.end as usize].iter().copied()
    }
}

/// The items of all declarations of a tree.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub(crate) struct Declarations {
    pub specs: Vec<Specs>,
    pub words: Vec<SpecWord>,
    pub declarators: Vec<Declarator>,
    pub steps: Vec<Step>,
    pub params: Vec<Param>,
    pub attributes: Vec<Attribute>,
    pub values: Vec<ExprRange>,
    pub records: Vec<Record>,
    pub members: Vec<Member>,
    pub member_declarators: Vec<MemberDeclarator>,
    pub enums: Vec<Enum>,
    pub enumerators: Vec<Enumerator>,
}

impl Declarations {
    /// Empties all, and keeps the memory.
    pub fn clear(&mut self) {
        self.specs.clear();
        self.words.clear();
        self.declarators.clear();
        self.steps.clear();
        self.params.clear();
        self.attributes.clear();
        self.values.clear();
        self.records.clear();
        self.members.clear();
        self.member_declarators.clear();
        self.enums.clear();
        self.enumerators.clear();
    }
}

/// Adds what was collected to a vector.
pub(super) fn row<T>(into: &mut Vec<T>, items: Vec<T>) -> Row {
    let start = into.len() as u32;
    into.extend(items);
    Row { start, end: into.len() as u32 }
}

/// Where specifiers stand: what may be among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum SpecContext {
    File,
    Block,
    Parameter,
    Member,
    TypeName,
}

/// Declaration specifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Specs {
    /// The words.
    pub words: Row,
    /// The first token.
    pub first: TokenId,
    /// Behind the last token: the first, where there are none.
    pub end: TokenId,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// One specifier or qualifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpecWord {
    /// What it is.
    pub kind: SpecKind,
    /// Its first token.
    pub first: TokenId,
    /// Behind its last token.
    pub end: TokenId,
    /// The number of problems before it.
    pub problems: u32,
}

/// The kinds of specifier.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum SpecKind {
    /// A qualifier or an address space.
    Qualifier(Symbol),
    /// Another keyword without operands.
    Keyword(Symbol),
    TypedefName(Symbol),
    /// A name that is no type, where only a type makes sense.
    UnknownType(Symbol),
    Attributes(Row),
    /// By its index in [`Declarations::records`].
    Record(u32),
    /// By its index in [`Declarations::enums`].
    Enum(u32),
    /// `typeof` of a type, an expression or nothing that could be read.
    TypeofType(TypeName),
    TypeofExpr(ExprRange),
    TypeofNothing,
    /// `_Atomic`, with the type in its parentheses.
    Atomic(Option<TypeName>),
    AlignasType(TypeName),
    AlignasExpr(ExprRange),
    AlignasNothing,
    /// A type of C++ by its index in [`super::cxx::CxxTree::types`].
    Cxx(u32),
}

/// A type name: indices of specifiers and declarator. `None` where the source nests too deeply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypeName(pub Option<(u32, u32)>);

/// A declarator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declarator {
    /// Pointers and attributes before the name, in the order of the source.
    pub before: Row,
    /// The name.
    pub name: Option<(Symbol, TokenId)>,
    /// The declarator in parentheses that stands for the name.
    pub inner: Option<u32>,
    /// Arrays, parameters and attributes behind the name.
    pub behind: Row,
    /// Attributes at the end.
    pub attributes: Row,
    /// The first token.
    pub first: TokenId,
    /// The last token.
    pub last: TokenId,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// One step of a declarator.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum Step {
    Attributes(Row),
    /// `*` with its qualifiers, a row of words.
    Pointer(Row),
    /// `&` or `&&` of C++ with its qualifiers.
    Reference {
        qualifiers: Row,
        rvalue: bool,
    },
    /// `^` with its qualifiers.
    Caret {
        at: TokenId,
        qualifiers: Row,
        problems: u32,
    },
    Array {
        qualifiers: Row,
        size: ArraySize,
        first: TokenId,
        last: TokenId,
        problems: u32,
        /// The number of problems before what follows.
        problems_end: u32,
    },
    Function {
        params: Row,
        variadic: Option<TokenId>,
        first: TokenId,
        last: TokenId,
    },
}

/// What stands between the brackets of an array.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum ArraySize {
    Unknown,
    /// `[*]`
    Star,
    Value(ExprRange),
    /// The source nests too deeply.
    TooDeep,
}

/// One parameter.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum Param {
    /// Indices of specifiers and declarator.
    Typed { specs: u32, declarator: u32 },
    /// A name in the list of an old-style definition.
    Name { name: Symbol, at: TokenId },
}

/// An attribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    /// The name as it is written.
    pub name: Symbol,
    /// The name's token.
    pub at: TokenId,
    /// The arguments.
    pub args: AttributeArgs,
    /// The number of problems before it.
    pub problems: u32,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// The arguments of an attribute, by the grammar of its name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AttributeArgs {
    /// No parentheses.
    None,
    /// Constants.
    Values(Row),
    /// A type.
    Type(TypeName),
    /// No type where one must stand.
    NoType,
    /// Tokens from this one to the `)`.
    Tokens(TokenId),
}

/// A struct or union specifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// `union`
    pub is_union: bool,
    /// Attributes before the tag.
    pub attributes: Row,
    /// The tag.
    pub tag: Option<(Symbol, TokenId)>,
    /// The members, where there is a body.
    pub members: Option<Row>,
    /// Attributes behind the body.
    pub behind: Row,
    /// The token behind the tag.
    pub next: TokenId,
    /// The number of problems before the tag.
    pub problems: u32,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// A part of the body of a struct or union.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) enum Member {
    Pragmas(Tokens),
    /// By its index in [`super::statement::Statements::assertions`].
    StaticAssert(u32),
    /// No member; a problem says so. The number of problems before it.
    Broken {
        problems: u32,
    },
    Declaration {
        specs: u32,
        declarators: Row,
        /// A `;` follows the specifiers.
        anonymous: bool,
        problems: u32,
        problems_end: u32,
    },
}

/// A member's declarator, attributes behind it, and the width of a bit-field with its `:`.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct MemberDeclarator {
    pub declarator: Option<u32>,
    pub attributes: Row,
    pub width: Option<(TokenId, Option<ExprRange>)>,
}

/// An enum specifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enum {
    /// Attributes before the tag.
    pub attributes: Row,
    /// The tag.
    pub tag: Option<(Symbol, TokenId)>,
    /// The specifiers of the underlying type.
    pub underlying: Option<u32>,
    /// The enumerators, where there is a list.
    pub enumerators: Option<Row>,
    /// Attributes behind the list.
    pub behind: Row,
    /// The token behind the tag and the underlying type.
    pub next: TokenId,
    /// The number of problems before the tag.
    pub problems: u32,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// An enumerator.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct Enumerator {
    pub name: Symbol,
    pub at: TokenId,
    pub value: Option<ExprRange>,
    /// The number of problems before it.
    pub problems: u32,
}

//! The nodes of C++ in a syntax tree.

use crate::symbol::Symbol;
use crate::syntax::ast::{ExprId, ExprRange, InitId, TokenId};
use crate::syntax::declaration::{Row, TypeName};
use crate::syntax::statement::{Direct, Tokens};
use rustc_hash::FxHashMap;

/// All nodes of C++ of a tree.
#[derive(Debug, Default)]
pub(crate) struct CxxTree {
    /// Expressions.
    pub exprs: Vec<CxxExpr>,
    /// Types among specifiers.
    pub types: Vec<CxxType>,
    /// Class specifiers.
    pub classes: Vec<Class>,
    /// Declarations that C does not have.
    pub externals: Vec<CxxExternal>,
    /// What follows the parameters of a function, by the token of their `(`.
    pub tails: FxHashMap<TokenId, FunctionTail>,
    /// The classes and namespaces before the names of declarators.
    pub qualifiers: FxHashMap<u32, QualName>,
    /// The places of default arguments, by the declarators of the parameters.
    pub defaults: FxHashMap<u32, TokenId>,
    /// The types of conversion functions, by their declarators.
    pub conversions: FxHashMap<u32, TypeName>,
}

impl CxxTree {
    /// Empties all, and keeps the memory.
    pub fn clear(&mut self) {
        self.exprs.clear();
        self.types.clear();
        self.classes.clear();
        self.externals.clear();
        self.tails.clear();
        self.qualifiers.clear();
        self.defaults.clear();
        self.conversions.clear();
    }
}

/// A name with what is before it: `::a::b<int>::c`.
#[derive(Debug, Clone, Default)]
pub(crate) struct QualName {
    /// It begins with `::`.
    pub global: bool,
    /// Its parts; never empty.
    pub parts: Vec<NamePart>,
    /// Its first token.
    pub first: TokenId,
    /// Its last token.
    pub last: TokenId,
}

/// One part of a name.
#[derive(Debug, Clone)]
pub(crate) struct NamePart {
    /// The identifier, or the name of an operator or a special member.
    pub name: Symbol,
    /// Its token.
    pub at: TokenId,
    /// The arguments of a template.
    pub args: Option<Vec<TemplateArg>>,
}

/// An argument of a template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TemplateArg {
    /// What it is.
    pub kind: ArgKind,
    /// `…` follows it.
    pub expanded: bool,
    /// Its first token.
    pub at: TokenId,
}

/// The kinds of template argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgKind {
    /// A type.
    Type(TypeName),
    /// An expression, or a name that may be a type.
    Value(ExprRange),
}

/// An expression that C does not have.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) enum CxxExpr {
    This,
    Nullptr,
    Bool(bool),
    /// A qualified name, or a template with arguments.
    Name(QualName),
    /// `static_cast` and its kin.
    NamedCast {
        word: Symbol,
        ty: TypeName,
        operand: ExprRange,
    },
    /// `T(a, b)`
    Construct {
        ty: TypeName,
        args: Vec<InitId>,
    },
    /// `T{a, b}`
    ConstructBraced {
        ty: TypeName,
        init: InitId,
    },
    /// A list in braces where an expression can stand.
    Braced(InitId),
    /// `base.name`, `base->name` with a name that C does not have.
    Member {
        base: ExprId,
        name: QualName,
        arrow: bool,
    },
    Lambda(Box<Lambda>),
    New(Box<New>),
    Delete {
        operand: ExprRange,
        is_array: bool,
        global: bool,
    },
}

/// `new (placement) type[count](args)`
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct New {
    /// `::` is before it: the operators of classes are not called.
    pub global: bool,
    pub placement: Vec<InitId>,
    pub ty: TypeName,
    pub count: Option<ExprRange>,
    /// The values in parentheses, or the list in braces.
    pub args: Option<Vec<InitId>>,
    pub list: Option<InitId>,
}

/// A type that C does not have.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) enum CxxType {
    Named(QualName),
    Auto,
    Decltype(ExprRange),
    /// By its index in [`CxxTree::classes`].
    Class(u32),
    /// `enum class`, an enumeration by its index.
    ScopedEnum(u32),
}

/// What follows the parameters of a function.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub(crate) struct FunctionTail {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_mutable: bool,
    /// The address space of `*this`.
    pub space: Option<(Symbol, TokenId)>,
    /// `&` or `&&`
    pub reference: Option<TokenId>,
    /// `override` or `final`: a virtual function.
    pub is_virtual: Option<TokenId>,
    /// `-> type`
    pub trailing: Option<TypeName>,
}

/// Who may name a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub(crate) enum Access {
    #[default]
    Public,
    Protected,
    Private,
}

/// A class specifier.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    /// `class`, `struct` or `union`.
    pub key: Symbol,
    /// Its token.
    pub at: TokenId,
    /// Attributes before the name.
    pub attributes: Row,
    /// The name, with the arguments of a specialisation.
    pub name: Option<QualName>,
    /// The base classes.
    pub bases: Vec<Base>,
    /// The members, where there is a body.
    pub members: Option<Vec<Member>>,
    /// Attributes behind the body.
    pub behind: Row,
    /// A `;` follows.
    pub declares_only: bool,
    /// The number of problems before what follows.
    pub problems_end: u32,
}

/// A base class.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct Base {
    pub access: Option<Access>,
    pub is_virtual: bool,
    pub name: QualName,
}

/// A part of the body of a class.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct Member {
    pub access: Access,
    pub kind: MemberKind,
}

/// The kinds of member.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) enum MemberKind {
    Pragmas(Tokens),
    StaticAssert(u32),
    /// A problem says why.
    Broken(u32),
    Declaration {
        specs: u32,
        items: Vec<MemberItem>,
        anonymous: bool,
        problems: u32,
        problems_end: u32,
    },
    External(u32),
}

/// A declarator of a member with what belongs to it.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct MemberItem {
    pub declarator: Option<u32>,
    pub attributes: Row,
    pub width: Option<(TokenId, Option<ExprRange>)>,
    /// The place of the default value.
    pub init: Option<TokenId>,
    pub direct: Direct,
    /// The place of the body.
    pub body: Option<TokenId>,
    pub special: Special,
}

/// `= default`, `= delete`, `= 0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub(crate) enum Special {
    #[default]
    No,
    Default,
    Delete,
    Pure(TokenId),
}

/// A lambda.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct Lambda {
    /// `=` or `&` at the start of the captures.
    pub default: Option<bool>,
    pub captures: Vec<Capture>,
    /// The declarator of the parameters, where they are written.
    pub declarator: Option<u32>,
    /// The place of the body's `{`.
    pub body: TokenId,
    /// A parameter is declared `auto`.
    pub generic: bool,
    /// The `[`.
    pub first: TokenId,
}

/// A capture of a lambda.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub(crate) struct Capture {
    /// `None` is `this`.
    pub name: Option<Symbol>,
    pub by_reference: bool,
    /// `name = value`
    pub init: Option<ExprRange>,
    pub at: TokenId,
}

/// A declaration that C does not have.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) enum CxxExternal {
    /// `namespace a::b {`
    NamespaceOpen {
        names: Vec<(Symbol, TokenId)>,
        inline: bool,
    },
    /// `}` of a namespace or of `extern "C" {`.
    Close,
    /// `extern "C" {`
    LinkageOpen,
    /// `extern "C"` before a declaration.
    Linkage(u32),
    NamespaceAlias {
        name: Symbol,
        at: TokenId,
        target: QualName,
    },
    UsingDirective(QualName),
    Using(QualName),
    Alias {
        name: Symbol,
        at: TokenId,
        ty: TypeName,
        problems_end: u32,
    },
    Template(Template),
    /// `template class X<int>;`
    Instantiation {
        specs: u32,
    },
    /// `friend …;`
    Friend {
        class: Option<QualName>,
        specs: u32,
    },
    /// It was refused; the number of problems behind it.
    Broken,
}

/// A template: the places of its parts.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct Template {
    /// The lists of parameters, outermost first; empty ones are specialisations.
    pub lists: Vec<Vec<TemplateParam>>,
    /// The first token of the declaration behind the parameters.
    pub start: TokenId,
    pub kind: TemplateKind,
    /// The declared name with its qualifiers.
    pub name: QualName,
    /// Its declaration has a body.
    pub defined: bool,
    pub is_friend: bool,
}

/// What is a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum TemplateKind {
    Class,
    Function,
    Alias,
    Variable,
    /// `template <class T> Pair(T) -> Pair<T, T>;`
    Guide,
}

/// A parameter of a template.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub(crate) struct TemplateParam {
    pub name: Option<Symbol>,
    /// `typename` or `class`; else the place of the specifiers of its type.
    pub is_type: bool,
    pub pack: bool,
    /// The first token of the parameter.
    pub at: TokenId,
    /// The place of the default argument.
    pub default: Option<TokenId>,
    /// A template as parameter.
    pub is_template: bool,
}

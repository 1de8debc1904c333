//! The state of C++: classes, templates, functions, and what is under way.

use crate::hir::{Expr, FunctionId, LocalId};
use crate::sema::context::{FunctionContext, Name};
use crate::sema::parameter::Parameter;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::TokenId;
use crate::syntax::cxx::Env;
use crate::syntax::cxx::tree::{Access, TemplateKind, TemplateParam};
use crate::syntax::names::Names;
use crate::types::{QualType, RecordId, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where names are looked up beside the blocks around.
#[derive(Debug, Clone, Default)]
pub(in crate::sema) struct Context {
    /// The namespaces around by their qualified names, outermost first.
    pub namespaces: Vec<Symbol>,
    /// The class around.
    pub class: Option<RecordId>,
    /// What the parameters of templates are, and the names that a local class sees.
    pub bindings: Vec<(Symbol, Name)>,
    /// What the parameters that are templates are.
    pub templates: Vec<(Symbol, Symbol)>,
}

/// A member of a class.
#[derive(Debug, Clone)]
pub(in crate::sema) enum MemberOf {
    /// The number of the member in the record.
    Field(u32),
    /// Functions and function templates of one name.
    Functions(Vec<FunctionId>, Vec<usize>),
    /// A type, a constant, a static member.
    Name(Name, Span),
    /// A class template, by its qualified name.
    Template(Symbol),
}

/// The facts about a class.
#[derive(Debug, Default, Clone)]
pub(in crate::sema) struct Class {
    /// Its qualified name, which is its scope.
    pub name: Symbol,
    /// Its name without those.
    pub simple: Symbol,
    /// Its bases: the class, the number of the member that holds it (none for an empty one), the access.
    pub bases: Vec<(RecordId, Option<u32>, Access)>,
    /// The members by name.
    pub members: FxHashMap<Symbol, (MemberOf, Access)>,
    /// The class that it is a member of.
    pub outer: Option<RecordId>,
    /// The template that it is an instance of, and the arguments.
    pub template: Option<(usize, Vec<Argument>)>,
    /// Where its members are looked up.
    pub context: Context,
    /// It has constructors of its own.
    pub has_constructors: bool,
    /// It has a constructor that copies, of its own or of a part.
    pub copies: bool,
    /// It has a destructor, of its own or of a part.
    pub destroys: bool,
    /// Its destructor, once it is known.
    pub destructor: Option<FunctionId>,
    /// The default values of its members.
    pub defaults: FxHashMap<u32, TokenId>,
    /// Members that are references.
    pub references: FxHashMap<u32, TypeId>,
    /// Friends: classes and functions.
    pub friends: Vec<Symbol>,
    /// A member is private or protected, or it has a base: no aggregate.
    pub no_aggregate: bool,
    /// It has no members but the byte that gives it a size.
    pub is_empty: bool,
    /// The access of its conversions and the like is not looked at.
    pub complete: bool,
    /// The implicit functions that were made: default constructor, copy, destructor, move, both assignments.
    pub implicit: [Option<FunctionId>; 6],
    /// Its default constructor is the implicit one beside others of its own.
    pub defaulted: bool,
    /// Members that are written even in constant objects.
    pub mutables: FxHashSet<u32>,
}

/// What a function does beside its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::sema) enum Role {
    /// Nothing.
    #[default]
    Plain,
    /// It constructs its object's parts before.
    Constructor,
    /// It copies its object's parts.
    Copy,
    /// It moves its object's parts.
    Move,
    /// It assigns the parts of another object to its object's.
    Assign,
    /// It moves the parts of another object to its object's.
    MoveAssign,
    /// It constructs its object by a constructor of a base.
    Inherited,
    /// It destroys its object's parts after.
    Destructor,
}

/// The facts about a function of C++.
#[derive(Debug, Default, Clone)]
pub(in crate::sema) struct FunctionFacts {
    /// The class that it is a member of.
    pub class: Option<RecordId>,
    /// A member without an object.
    pub is_static: bool,
    /// The places of default arguments by parameter, the object not counted.
    pub defaults: FxHashMap<usize, TokenId>,
    /// Where those are looked up.
    pub context: Context,
    pub is_constexpr: bool,
    pub is_explicit: bool,
    pub is_deleted: bool,
    pub access: Access,
    /// Its result is that of its `return`.
    pub deduced: bool,
    /// The template that it is an instance of.
    pub template: Option<usize>,
    pub role: Role,
    /// The constructor of a base that it is.
    pub inherited: Option<FunctionId>,
}

/// A body that waits to be read.
#[derive(Debug, Clone)]
pub(in crate::sema) struct PendingBody {
    pub id: FunctionId,
    /// Its `{`, or the `:` before it.
    pub at: TokenId,
    pub context: Context,
    pub params: Vec<Parameter>,
    /// How deep instances of templates nest.
    pub depth: u32,
}

/// What an expression stands for that has no type yet.
#[derive(Debug, Clone)]
pub(in crate::sema) enum Stash {
    /// Functions of one name.
    Overloads(Box<Overloads>),
    /// A list in braces.
    Braced(Vec<Expr>),
    /// A type where a value can stand: the argument of a template.
    Type(QualType),
}

/// Functions and templates of one name, as they were named.
#[derive(Debug, Clone, Default)]
pub(in crate::sema) struct Overloads {
    pub name: Symbol,
    pub functions: Vec<FunctionId>,
    pub templates: Vec<usize>,
    /// Arguments of the templates that were written.
    pub args: Option<Vec<Argument>>,
    /// The object that they are called on.
    pub object: Option<Expr>,
    /// The name was qualified, or is a member's: no functions of the arguments' namespaces.
    pub closed: bool,
    /// The builtin functions of the name are candidates, too.
    pub builtin: bool,
    /// The arguments stand in braces.
    pub braced: bool,
}

/// The qualified and the plain name of a class that is read, and the template that it is an instance of.
pub(in crate::sema) type Forced = (Symbol, Symbol, Option<(usize, Vec<Argument>)>);

/// The state of C++.
#[derive(Debug)]
pub(in crate::sema) struct Cxx {
    /// The language is C++.
    pub enabled: bool,
    pub names: Names,
    pub env: Env,
    pub context: Context,
    pub classes: FxHashMap<RecordId, Class>,
    /// Classes by their qualified names.
    pub class_names: FxHashMap<Symbol, RecordId>,
    pub namespaces: FxHashSet<Symbol>,
    /// The qualified name by scope and name.
    pub qualified: FxHashMap<(Symbol, Symbol), Symbol>,
    /// Other names: of using declarations and namespace aliases, by scope and name.
    pub aliases: FxHashMap<(Symbol, Symbol), Symbol>,
    /// Namespaces whose names are visible in a scope.
    pub directives: FxHashMap<Symbol, Vec<Symbol>>,
    pub templates: Vec<Template>,
    /// How many parameters function templates with packs have.
    pub parameter_counts: FxHashMap<usize, usize>,
    /// The tokens of specialisations for lengths of their packs, by the place of the specialisation.
    pub written_specials: FxHashMap<(TokenId, Vec<usize>), TokenId>,
    /// The deduction guides by class template.
    pub guides: FxHashMap<usize, Guides>,
    /// The types that stand for class templates without arguments.
    pub deduced_classes: FxHashMap<RecordId, Symbol>,
    /// Templates by their qualified names.
    pub template_names: FxHashMap<Symbol, Vec<usize>>,
    pub facts: FxHashMap<FunctionId, FunctionFacts>,
    pub pending: Vec<PendingBody>,
    /// Bodies of members of instances, read when they are called.
    pub lazy: FxHashMap<FunctionId, PendingBody>,
    pub stash: Vec<Stash>,
    /// The type of what [`Stash`] has.
    pub unresolved: TypeId,
    /// Locals that are references: the type that was declared.
    pub references: FxHashMap<(FunctionId, LocalId), TypeId>,
    /// What is to be destroyed in the function that is typed.
    pub cleanups: Vec<Cleanup>,
    /// Objects without a name in the full expression that is typed.
    pub temporaries: Vec<(LocalId, QualType)>,
    /// The nodes of the expression that is typed that made some of them, with those.
    pub made: Vec<(u32, Vec<LocalId>)>,
    /// How many objects without a name there were before the declaration that is read.
    pub full_expression: usize,
    /// What the variable of a loop over a range is initialised with.
    pub range_value: Option<Expr>,
    /// Flags that say whether an object without a name was made, by the object.
    pub flags: FxHashMap<(FunctionId, LocalId), LocalId>,
    /// The namespaces that each open brace has opened; [`LINKAGE`](super::unit::LINKAGE) for one of `extern "C"`.
    pub braces: Vec<u32>,
    /// What the `auto` parameters of the lambda are whose call operator is made.
    pub auto_arguments: Option<Vec<Argument>>,
    /// How often an instance of a template had errors, which no other candidate makes good.
    pub hard_errors: usize,
    /// How deep instances of templates nest.
    pub depth: u32,
    /// How many instances there are.
    pub instances: usize,
    pub scoped_enums: FxHashSet<crate::types::EnumId>,
    /// Enumerations that are scopes.
    pub enum_scopes: FxHashMap<crate::types::EnumId, Symbol>,
    /// The lambdas whose bodies are typed, innermost last.
    pub lambdas: Vec<Closure>,
    /// The symbol of the scope around all others.
    pub root: Symbol,
    /// Numbers of local classes and lambdas.
    pub counter: u32,
    /// The name that the class has which is read next: an instance of a template.
    pub forced: Option<Forced>,
    /// Classes whose members are read.
    pub open_classes: u32,
    /// The functions that give objects of the program their values, in their order.
    pub initializers: Vec<FunctionId>,
    /// The function of the object of the program whose declaration is read, where its type was deduced.
    pub initializing: Option<Initializer>,
    /// Variables of the program that are references: the type that was declared.
    pub global_references: FxHashMap<crate::hir::GlobalId, TypeId>,
}

impl Default for Cxx {
    fn default() -> Self {
        Cxx {
            enabled: false,
            names: Names::new(std::iter::empty()),
            env: Env::default(),
            context: Context::default(),
            classes: FxHashMap::default(),
            class_names: FxHashMap::default(),
            namespaces: FxHashSet::default(),
            qualified: FxHashMap::default(),
            aliases: FxHashMap::default(),
            directives: FxHashMap::default(),
            templates: Vec::new(),
            parameter_counts: FxHashMap::default(),
            written_specials: FxHashMap::default(),
            guides: FxHashMap::default(),
            deduced_classes: FxHashMap::default(),
            template_names: FxHashMap::default(),
            facts: FxHashMap::default(),
            pending: Vec::new(),
            lazy: FxHashMap::default(),
            stash: Vec::new(),
            unresolved: Types::ERROR,
            references: FxHashMap::default(),
            cleanups: Vec::new(),
            temporaries: Vec::new(),
            made: Vec::new(),
            full_expression: 0,
            range_value: None,
            flags: FxHashMap::default(),
            braces: Vec::new(),
            depth: 0,
            auto_arguments: None,
            hard_errors: 0,
            instances: 0,
            scoped_enums: FxHashSet::default(),
            enum_scopes: FxHashMap::default(),
            lambdas: Vec::new(),
            root: Symbol(0),
            counter: 0,
            forced: None,
            open_classes: 0,
            initializers: Vec::new(),
            initializing: None,
            global_references: FxHashMap::default(),
        }
    }
}

impl Cxx {
    /// How many classes there are whose members are being read.
    pub fn classes_open(&self) -> u32 {
        self.open_classes
    }
}

/// The objects of a block that are to be destroyed, in the order of their declarations.
#[derive(Debug, Clone, Default)]
pub(in crate::sema) struct Cleanup {
    pub kind: Kind,
    pub objects: Vec<(LocalId, QualType)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::sema) enum Kind {
    #[default]
    Block,
    Function,
    Loop,
    Switch,
}

impl Cleanup {
    /// The parameters of a function.
    pub fn function() -> Cleanup {
        Cleanup { kind: Kind::Function, objects: Vec::new() }
    }
}

/// The function that gives an object of the program its value, while it is made.
#[derive(Debug)]
pub(in crate::sema) struct Initializer {
    pub id: FunctionId,
    /// Its locals, while nothing is typed in it.
    pub context: Option<FunctionContext>,
    pub temporaries: Vec<(LocalId, QualType)>,
}

/// The lambda whose body is typed.
#[derive(Debug, Clone)]
pub(in crate::sema) struct Closure {
    /// Its class.
    pub class: RecordId,
    /// What it captured so far: a name or `this`, the member that has it, and the reference's type where it is one.
    pub captures: Vec<(Option<Symbol>, u32, Option<TypeId>)>,
    /// The values of the members, of the function around.
    pub values: Vec<Expr>,
    /// `[&]` or `[=]`.
    pub default: Option<bool>,
    /// The scopes of the call operator begin here.
    pub scope_base: usize,
    /// The functions around, when it was met.
    pub level: usize,
    pub span: Span,
}

/// An argument of a template.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::sema) enum Argument {
    /// A type; the space Private is none.
    Type(QualType),
    /// A constant and its type.
    Value(i64, TypeId),
    /// A class template, by its qualified name.
    Template(Symbol),
}

/// A specialisation of a class template.
#[derive(Debug, Clone)]
pub(in crate::sema) struct Special {
    /// Its own parameters; none of an explicit one.
    pub params: Vec<TemplateParam>,
    /// The token of the name with its arguments.
    pub name: TokenId,
    pub start: TokenId,
    pub defined: bool,
    pub context: Context,
}

/// A member that is defined outside of its class template.
#[derive(Debug, Clone)]
pub(in crate::sema) struct Outside {
    pub params: Vec<TemplateParam>,
    pub start: TokenId,
    /// Its name and its own parameters, where it is a template itself.
    pub own: Option<(Symbol, Vec<TemplateParam>)>,
}

/// A lambda with `auto` parameters: what its call operators have in common.
#[derive(Debug, Clone)]
pub(in crate::sema) struct GenericLambda {
    /// Its class, and what it captured.
    pub closure: Closure,
    /// Its `{`.
    pub body: TokenId,
}

/// The deduction guides of a class template.
#[derive(Debug, Clone, Default)]
pub(in crate::sema) struct Guides {
    /// Those that the program declares.
    pub own: Vec<usize>,
    /// Those of the constructors, once they are made.
    pub implicit: Option<Vec<usize>>,
}

/// A template.
#[derive(Debug, Clone)]
pub(in crate::sema) struct Template {
    /// Its qualified name, and the last part.
    pub name: Symbol,
    pub simple: Symbol,
    pub kind: TemplateKind,
    pub params: Vec<TemplateParam>,
    pub start: TokenId,
    pub defined: bool,
    pub context: Context,
    pub span: Span,
    /// The class that it is a member of.
    pub class: Option<RecordId>,
    pub specials: Vec<Special>,
    pub outside: Vec<Outside>,
    /// The lambda whose call operator it is.
    pub lambda: Option<Box<GenericLambda>>,
    pub classes: FxHashMap<Vec<Argument>, RecordId>,
    pub functions: FxHashMap<Vec<Argument>, Option<FunctionId>>,
    /// A static member whose definition outside of its class does not say so.
    pub is_static: bool,
    /// The template with a pack that this one is for one length of.
    pub base: Option<usize>,
    /// The templates for lengths of the packs.
    pub family: FxHashMap<Vec<usize>, usize>,
}

//! The typed tree between semantic analysis and emission.
//!
//! Every name is resolved, every conversion is a node of its own, and every operand already has the
//! type that its operation needs; the emitter decides nothing about the language. Expressions are
//! lvalues or rvalues by their kind ([`ExprKind::is_lvalue`]); an lvalue becomes a value only through
//! [`ExprKind::Load`].

use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{QualType, Scalar, TypeId, Types};

pub use crate::builtins::Builtin;

/// A whole translation unit.
#[derive(Debug, Clone)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// Program-scope variables, function-scope statics, and string literals.
    pub globals: Vec<Global>,
    /// Functions that are defined, or declared and used.
    pub functions: Vec<Function>,
    /// `#pragma OPENCL FP_CONTRACT` at the end of the file. Each function has its own.
    pub fp_contract: bool,
}

/// Index into [`Program::globals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// Index into [`Program::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// Index into [`Function::locals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// How a symbol is seen by other modules (SPIR-V's linkage types).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Linkage {
    Internal,
    Export,
    Import,
}

/// A variable that lives as long as the program, in `__constant` or `__global`; or a `__local`
/// variable of a kernel, whose storage is the work-group's.
#[derive(Debug, Clone)]
pub struct Global {
    /// Its name; function-scope ones as `function.name`, string literals as `.str.N`.
    pub name: String,
    /// Its type and space.
    pub ty: QualType,
    /// Its value at the start; `None` is zero (or undefined for `__local` and imports).
    pub init: Option<Constant>,
    /// Seen from outside?
    pub linkage: Linkage,
    /// `__attribute__((aligned(n)))`.
    pub aligned: Option<u32>,
    /// Where it was declared.
    pub span: Span,
}

/// A value known at compile time.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// All bytes zero, of any type (a null pointer too).
    Zero,
    /// An integer or bool of any width, as the bits of its type, sign-extended when signed.
    Int(i64),
    /// A floating value of any width; half and float are exactly representable.
    Float(f64),
    /// The components of a vector.
    Vector(Vec<Constant>),
    /// The elements of an array; missing ones at the end are zero.
    Array(Vec<Constant>),
    /// The members of a struct, in order; missing ones are zero.
    Struct(Vec<Constant>),
    /// A union with its initialised member.
    Union {
        /// Which member.
        field: u32,
        /// Its value.
        value: Box<Constant>,
    },
    /// The address of a global plus bytes.
    Address {
        /// The variable.
        global: GlobalId,
        /// The byte offset.
        offset: i64,
    },
}

/// What a kernel's attributes say (§6.7.2, "Optional Attribute Qualifiers").
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelAttributes {
    /// `reqd_work_group_size(x, y, z)`
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint(x, y, z)`
    pub work_group_size_hint: Option<[u32; 3]>,
    /// `vec_type_hint(type)`
    pub vec_type_hint: Option<TypeId>,
    /// `intel_reqd_sub_group_size(n)`
    pub reqd_sub_group_size: Option<u32>,
}

/// A function. Its first locals are its parameters.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// What it returns.
    pub ret: TypeId,
    /// How many of `locals` are parameters.
    pub param_count: usize,
    /// Parameters, then every variable of automatic storage in the function.
    pub locals: Vec<Local>,
    /// `Some` for a kernel.
    pub kernel: Option<KernelAttributes>,
    /// The body; `None` for an import.
    pub body: Option<Block>,
    /// Labels of `goto`, by [`LabelId`]; the span is of the label.
    pub labels: Vec<(Symbol, Span)>,
    /// Seen from outside?
    pub linkage: Linkage,
    /// `noinline` / `always_inline` where asked for.
    pub inline_hint: InlineHint,
    /// True if a*b+c may be contracted in it: `FP_CONTRACT` is on in all of it.
    pub fp_contract: bool,
    /// For a block: the structure of what it captures, to which its first parameter points.
    pub captures: Option<TypeId>,
    /// The declaration's name.
    pub span: Span,
}

/// Which block a block expression is (§6.14.5: statically determinable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockTarget {
    /// The block of this literal. Its function has one more parameter before those that the program sees: a generic
    /// `void *` to what it captured.
    Function(FunctionId),
    /// The one that was passed for this parameter of the current function.
    Parameter(LocalId),
}

/// What the source asks about inlining.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum InlineHint {
    #[default]
    None,
    Inline,
    NoInline,
}

/// A parameter or a variable of automatic storage in private memory.
#[derive(Debug, Clone)]
pub struct Local {
    /// Its name; `None` for unnamed parameters and temporaries.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: QualType,
    /// The type as it was written, for clGetKernelArgInfo (`float4*`), for parameters.
    pub written_type: Option<String>,
    /// `__attribute__((aligned(n)))`.
    pub aligned: Option<u32>,
    /// Where it was declared.
    pub span: Span,
}

/// A list of statements that is a scope.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// Index of a `goto` label in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelId(pub u32);

/// A statement and its place.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// `__attribute__((opencl_unroll_hint(n)))` or `#pragma unroll n` before a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnrollHint {
    Full,
    Count(u32),
    Disable,
}

/// The statements (§6.10 of C99 6.8). Conditions are scalars converted to bool.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum StmtKind {
    Expr(Expr),
    /// The point where a variable's declaration is reached; its initialiser runs here each time.
    Declare(LocalId, Option<Init>),
    Block(Block),
    If {
        cond: Expr,
        then: Box<Stmt>,
        els: Option<Box<Stmt>>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
        unroll: Option<UnrollHint>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
        unroll: Option<UnrollHint>,
    },
    For {
        /// Declarations or an expression statement.
        init: Vec<Stmt>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
        unroll: Option<UnrollHint>,
    },
    /// `value` is an integer of at least int's rank; the case labels are in `body`.
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// A `case` label of the innermost switch, converted to the type of its value.
    Case {
        value: i64,
        body: Box<Stmt>,
    },
    Default {
        body: Box<Stmt>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(LabelId),
    Label {
        label: LabelId,
        body: Box<Stmt>,
    },
    Empty,
}

/// How an object gets its first value. Parts that no leaf covers are zero when `zero_fill` is set.
#[derive(Debug, Clone)]
pub enum Init {
    /// One expression of the object's own type (scalars, vectors, structs by value).
    Whole(Expr),
    /// A brace-enclosed list, flattened: each leaf names the path to a scalar, vector or struct
    /// subobject, and its value; in source order, so that a later one for the same path wins.
    List {
        /// Path and value. A path step is an array index or a member number, by the type on the way.
        leaves: Vec<(Vec<u64>, Expr)>,
        /// True if everything else is zero (always, for a list; false never occurs in C).
        zero_fill: bool,
    },
    /// A constant for the whole object, cheaper to emit than its leaves (string literals, tables).
    Constant(Constant),
}

/// An expression and its type. For an lvalue, `ty` is the object's qualified type; for an rvalue
/// the qualifiers mean nothing.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: QualType,
    /// Where it was written.
    pub span: Span,
}

/// Unary operators on values whose type is the result's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// `!`: scalar operand (integer, float or pointer) gives int 0/1; vector operand gives the signed
    /// integer vector 0/−1.
    LogicalNot,
}

/// Binary operators. Arithmetic: both operands have the result's type. Shifts: the right operand has
/// the same number of components, its own integer type, and is taken modulo the left's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    /// Comparisons: operands of one type (scalars, vectors or pointers); the result is int 0/1, or the
    /// signed integer vector 0/−1.
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
}

/// Conversions, each named for what it does to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastKind {
    /// Between arithmetic scalars, or componentwise between vectors of one length (only where the
    /// language converts implicitly or by `convert_`'s default): by the scalar kinds of the types. To
    /// bool compares with zero. Float to integer truncates and saturates; NaN gives 0 (kept defined).
    Arithmetic,
    /// A scalar to every component of a vector of the same scalar type.
    Splat,
    /// The same bits as another type of the same size.
    Bitcast,
    /// Pointer to pointer in the same space.
    PointerBitcast,
    /// Pointer to pointer in another space (to or from generic).
    PointerSpace,
    /// Pointer to integer, and back (sizes adjusted).
    PointerToInt,
    /// See [`CastKind::PointerToInt`].
    IntToPointer,
    /// Any scalar or pointer to bool: `!= 0`.
    ToBool,
    /// The null pointer constant to a pointer.
    NullPointer,
    /// To void: the value is dropped.
    ToVoid,
}

/// The kinds of expression.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum ExprKind {
    // ---- lvalues ----
    Local(LocalId),
    Global(GlobalId),
    /// The object that a pointer points to.
    Deref(Box<Expr>),
    /// A member. The base is an lvalue here; see [`ExprKind::MemberValue`] for rvalues.
    Member {
        base: Box<Expr>,
        field: u32,
    },
    /// Components of a vector lvalue (distinct where it is assigned to). `hi` and `odd` of 3 components have a
    /// fourth, which is undefined and not stored.
    Swizzle {
        base: Box<Expr>,
        components: Vec<u8>,
    },
    /// One component of a vector lvalue, chosen at run time.
    VectorElement {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `(type){…}`: a fresh object each time it is evaluated.
    CompoundLiteral {
        local: LocalId,
        init: Box<Init>,
    },

    // ---- rvalues ----
    Constant(Constant),
    /// The value of an lvalue.
    Load(Box<Expr>),
    AddressOf(Box<Expr>),
    /// An array lvalue as a pointer to its first element.
    ArrayDecay(Box<Expr>),
    MemberValue {
        base: Box<Expr>,
        field: u32,
    },
    SwizzleValue {
        base: Box<Expr>,
        components: Vec<u8>,
    },
    VectorElementValue {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// Pointer plus integer (any integer type), scaled by the pointee's size; `subtract` for minus.
    PointerOffset {
        pointer: Box<Expr>,
        index: Box<Expr>,
        subtract: bool,
    },
    /// Pointer minus pointer, in elements, as ptrdiff_t.
    PointerDifference {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `&&`, `||` on scalars converted to bool; the right side runs only when needed. Gives int.
    LogicalAnd {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    LogicalOr {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `&&`, `||` on vectors: both sides run; gives 0/−1.
    VectorLogical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `cond ? a : b` with a bool condition; only one side runs.
    Conditional {
        cond: Box<Expr>,
        then: Box<Expr>,
        els: Box<Expr>,
    },
    /// `cond ? a : b` with an integer vector condition: by the most significant bit; both sides run.
    VectorSelect {
        cond: Box<Expr>,
        then: Box<Expr>,
        els: Box<Expr>,
    },
    /// Stores and gives the stored value (of the unqualified type of `lhs`).
    Assign {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `lhs op= rhs`: `lhs` is evaluated once, converted to `computation`, combined, converted back.
    /// `rhs` has type `computation` (for shifts: its own). On a pointer `lhs`, op is Add or Sub, `rhs`
    /// an integer, `computation` the pointer type.
    CompoundAssign {
        op: BinaryOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
        computation: TypeId,
    },
    /// `++`, `--` on an arithmetic scalar, vector or pointer.
    IncDec {
        lvalue: Box<Expr>,
        increment: bool,
        prefix: bool,
    },
    Cast {
        kind: CastKind,
        operand: Box<Expr>,
    },
    Call {
        function: FunctionId,
        args: Vec<Expr>,
    },
    /// A block, and a generic `void *` to what it captured.
    Block {
        target: BlockTarget,
        captures: Box<Expr>,
    },
    /// A call of `block`, which is an [`ExprKind::Block`].
    CallBlock {
        block: Box<Expr>,
        args: Vec<Expr>,
    },
    /// A builtin of the table, its arguments converted to the chosen overload's parameters.
    Builtin {
        builtin: Box<Builtin>,
        args: Vec<Expr>,
    },
    /// `printf(format, …)`: the format's bytes, the promoted arguments. Gives int.
    Printf {
        format: Vec<u8>,
        args: Vec<Expr>,
    },
    /// `(float4)(a, b, c, d)`: parts are scalars and vectors of the element type, together as many
    /// components as the vector has.
    VectorLiteral(Vec<Expr>),
    Comma {
        first: Box<Expr>,
        second: Box<Expr>,
    },
    /// GNU's `({ … })`: the statements run, then `value`, an rvalue, is computed; void without one.
    Statements {
        block: Block,
        value: Option<Box<Expr>>,
    },
    /// Something diagnosed already; the emitter never sees one.
    Error,
}

impl ExprKind {
    /// Returns whether the expression designates an object.
    pub fn is_lvalue(&self) -> bool {
        use ExprKind::*;
        matches!(
            self,
            Local(_)
                | Global(_)
                | Deref(_)
                | Member { .. }
                | Swizzle { .. }
                | VectorElement { .. }
                | CompoundLiteral { .. }
        )
    }
}

impl Program {
    /// Scalar and number of components of an arithmetic type, or of what an atomic object holds.
    pub fn arithmetic(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        self.types.scalar_and_lanes(self.types.plain(ty))
    }
}

//! Programs as trees: what the generator makes, the printer writes, the interpreter executes and the shrinker reduces.
//!
//! Every operation here is defined for all operands, or the interpreter rejects the program: a sum of ints is the sum
//! modulo 2^32, and the printer writes OpenCL C that says so.

use std::rc::Rc;

// What a tree consists of is said once for shared and for unique references, which no function can.

macro_rules! parts {
    ($kind:expr) => {{
        use Kind::*;
        match $kind {
            Lit(_) | Var(_) | Item(_) | Null => vec![],
            Build(list) | Builtin(_, list) | Call(_, list) | Fetch(_, list) => list.into_iter().collect(),
            Member(a, _)
            | Arrow(a, _)
            | Swizzle(a, _)
            | Unary(_, a)
            | Truths(_, a)
            | Any(_, a)
            | Volatile(_, a) => vec![a],
            Deref(a) | Decay(a) | Address(a) | Falsity(a) | Convert(a) | ConvertSat(a) | As(a) | Splat(a) => {
                vec![a]
            }
            PtrCast(a) | RoundTrip(a) | IntAligned(a) | ToSpace(a) => vec![a],
            Binary(_, a, b) | Compare(_, a, b) | Logic(_, a, b) => vec![a, b],
            At(a, b) | Offset(a, b) | PtrDiff(a, b) | IntOffset(a, b) | Vload(a, b) => vec![a, b],
            PtrEq(_, a, b) | PtrLess(_, a, b) | IntEq(_, a, b) => vec![a, b],
            Cond(a, b, c) | Choose(a, b, c) => vec![a, b, c],
        }
    }};
}

macro_rules! blocks {
    ($stmt:expr, $iter:ident, $body:expr) => {
        match $stmt {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::For(.., b)
            | Stmt::While(_, _, b)
            | Stmt::Block(b)
            | Stmt::Ahead(_, b)
            | Stmt::Back(_, b) => vec![b],
            Stmt::Switch(_, arms) => arms.$iter().map($body).collect(),
            _ => vec![],
        }
    };
}

macro_rules! exprs {
    ($stmt:expr, $of:ident) => {
        match $stmt {
            Stmt::Decl(_, Some(init)) => init.$of(),
            Stmt::Assign(a, _, b) | Stmt::For(_, a, b, ..) | Stmt::Atomic(_, a, b) => vec![a, b],
            Stmt::Do(a)
            | Stmt::If(a, ..)
            | Stmt::While(_, a, _)
            | Stmt::Switch(a, _)
            | Stmt::Collective(_, _, a)
            | Stmt::Return(Some(a)) => vec![a],
            Stmt::Vstore(a, b, c) => vec![a, b, c],
            _ => vec![],
        }
    };
}

/// A scalar type. Values are kept as their bits, zero-extended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

pub(crate) const INTEGERS: [Scalar; 8] =
    [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];

impl Scalar {
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    pub(crate) fn bits(self) -> u32 {
        self.bytes() * 8
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// The unsigned integer of its size.
    pub(crate) fn unsigned(self) -> Scalar {
        match self.bytes() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        }
    }

    /// The signed integer of its size.
    pub(crate) fn signed(self) -> Scalar {
        match self.bytes() {
            1 => Scalar::I8,
            2 => Scalar::I16,
            4 => Scalar::I32,
            _ => Scalar::I64,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::I8 => "char",
            Scalar::U8 => "uchar",
            Scalar::I16 => "short",
            Scalar::U16 => "ushort",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::I64 => "long",
            Scalar::U64 => "ulong",
            Scalar::F16 => "half",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }

    /// The low bits.
    pub(crate) fn wrap(self, value: u64) -> u64 {
        if self.bits() == 64 { value } else { value & ((1 << self.bits()) - 1) }
    }

    /// The number that bits of this integer type mean.
    pub(crate) fn number(self, bits: u64) -> i128 {
        match self.is_signed() {
            true => i128::from((bits << (64 - self.bits())) as i64 >> (64 - self.bits())),
            false => i128::from(bits),
        }
    }
}

/// Address spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Private,
    Local,
    Global,
    Constant,
    Generic,
}

/// The object of a pointer, and the generator's promises about it (nothing of that is printed).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub space: Space,
    pub to: Ty,
    /// This many elements are there from where it points, a power of two.
    pub len: u32,
    /// It may be null.
    pub null: bool,
    /// No other work-item uses what it points to: it may be written.
    pub own: bool,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ty {
    Void,
    Scalar(Scalar),
    Vector(Scalar, u8),
    Pointer(Rc<Pointer>),
    /// By its index in [`Program::records`].
    Record(usize),
    Array(Rc<Ty>, u32),
}

pub(crate) const INT: Ty = Ty::Scalar(Scalar::I32);
pub(crate) const UINT: Ty = Ty::Scalar(Scalar::U32);

impl Ty {
    pub(crate) fn pointer(&self) -> Option<&Pointer> {
        match self {
            Ty::Pointer(p) => Some(p),
            _ => None,
        }
    }

    /// The scalar of a scalar or vector, and the number of lanes.
    pub(crate) fn lanes(&self) -> Option<(Scalar, u8)> {
        match self {
            Ty::Scalar(s) => Some((*s, 1)),
            Ty::Vector(s, n) => Some((*s, *n)),
            _ => None,
        }
    }

    /// Returns whether both are the same type of OpenCL C.
    pub(crate) fn same_c(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Pointer(a), Ty::Pointer(b)) => a.space == b.space && a.to.same_c(&b.to),
            (Ty::Array(a, n), Ty::Array(b, m)) => n == m && a.same_c(b),
            _ => self == other,
        }
    }

    pub(crate) fn holds_pointers(&self, program: &Program) -> bool {
        match self {
            Ty::Pointer(_) => true,
            Ty::Array(of, _) => of.holds_pointers(program),
            Ty::Record(n) => program.records[*n].fields.iter().any(|f| f.ty.holds_pointers(program)),
            _ => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub name: String,
    pub ty: Ty,
    /// The alignment that a typedef gives its type.
    pub aligned: Option<u32>,
}

/// A struct or union.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub name: String,
    pub fields: Vec<Field>,
    pub union: bool,
    pub packed: bool,
}

pub(crate) type VarId = usize;

/// A variable of any kind; its name is unique in the program.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Ty,
    pub space: Space,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Neg,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Functions of OpenCL C whose operands and result are of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    Min,
    Max,
    /// clamp(a, b, c), where b is at most c.
    Clamp,
    /// The absolute value and difference, as the type of the operands.
    Abs,
    AbsDiff,
    MadHi,
    MadSat,
    AddSat,
    SubSat,
    Hadd,
    Rhadd,
    MulHi,
    Rotate,
    Clz,
    Popcount,
    /// select(a, b, c), the third operand of the unsigned type.
    Select,
    Bitselect,
    Fma,
    Fmin,
    Fmax,
    Fabs,
    Copysign,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Round,
    Fdim,
    Fmod,
    Remainder,
    /// Functions of an int, or as many.
    Ldexp,
    /// Functions of doubles, whose root is the nearest.
    Sqrt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemFn {
    GlobalId,
    LocalId,
    GroupId,
    LocalSize,
    GlobalSize,
    NumGroups,
}

#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub ty: Ty,
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A scalar's bits; in a vector's type, all lanes.
    Lit(u64),
    /// A vector of the lanes of scalars and vectors.
    Build(Vec<Expr>),
    /// A vector of a scalar in each lane.
    Splat(Box<Expr>),
    /// A bool in each lane of a vector of integers: 1 where it is an operand, −1 where it is cast (true).
    Truths(bool, Box<Expr>),
    Var(VarId),
    Member(Box<Expr>, usize),
    /// An element of an array, or of what a pointer points to.
    At(Box<Expr>, Box<Expr>),
    Deref(Box<Expr>),
    Arrow(Box<Expr>, usize),
    Swizzle(Box<Expr>, Vec<u8>),
    /// A pointer to an array's first element.
    Decay(Box<Expr>),
    Address(Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// `&&` (true) or `||`, of scalars and pointers.
    Logic(bool, Box<Expr>, Box<Expr>),
    /// `!`
    Falsity(Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion of a scalar or vector.
    Convert(Box<Expr>),
    /// The nearest that the type has.
    ConvertSat(Box<Expr>),
    /// The same bits as another type.
    As(Box<Expr>),
    /// True if all lanes (true) or any have their highest bit.
    Any(bool, Box<Expr>),
    /// `?:` of vectors: by the highest bit of each lane of the first.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A place in this memory, read and written as volatile.
    Volatile(Space, Box<Expr>),
    Builtin(Builtin, Vec<Expr>),
    Item(ItemFn),
    Call(usize, Vec<Expr>),
    Null,
    /// A pointer and so many elements.
    Offset(Box<Expr>, Box<Expr>),
    /// A pointer as another pointer type.
    PtrCast(Box<Expr>),
    /// `==` (true) or `!=` of pointers.
    PtrEq(bool, Box<Expr>, Box<Expr>),
    /// `<` or `>=` of pointers into one object.
    PtrLess(bool, Box<Expr>, Box<Expr>),
    /// Elements between two pointers into one object.
    PtrDiff(Box<Expr>, Box<Expr>),
    /// Two pointers as integers: `==` or `!=`.
    IntEq(bool, Box<Expr>, Box<Expr>),
    /// A pointer to an integer and back.
    RoundTrip(Box<Expr>),
    /// A pointer to an integer, so many elements on, and back.
    IntOffset(Box<Expr>, Box<Expr>),
    /// True if a pointer is aligned, by its integer.
    IntAligned(Box<Expr>),
    /// to_global and its kin: null if it points elsewhere.
    ToSpace(Box<Expr>),
    /// An atomic operation on memory of this work-item's own, and what was there before: pointer and operands.
    Fetch(AtomicOp, Vec<Expr>),
    /// vloadN
    Vload(Box<Expr>, Box<Expr>),
}

impl Expr {
    pub(crate) fn new(ty: Ty, kind: Kind) -> Expr {
        Expr { ty, kind }
    }

    pub(crate) fn lit(scalar: Scalar, value: u64) -> Expr {
        Expr::new(Ty::Scalar(scalar), Kind::Lit(scalar.wrap(value)))
    }

    pub(crate) fn int(value: i64) -> Expr {
        Expr::lit(Scalar::I32, value as u64)
    }

    pub(crate) fn uint(value: u32) -> Expr {
        Expr::lit(Scalar::U32, u64::from(value))
    }

    pub(crate) fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::new(a.ty.clone(), Kind::Binary(op, Box::new(a), Box::new(b)))
    }

    pub(crate) fn convert(self, to: Ty) -> Expr {
        if self.ty == to { self } else { Expr::new(to, Kind::Convert(Box::new(self))) }
    }

    pub(crate) fn truth(kind: Kind) -> Expr {
        Expr::new(INT, kind)
    }

    /// Direct parts.
    pub(crate) fn parts(&self) -> Vec<&Expr> {
        parts!(&self.kind)
    }

    /// Direct parts, to be changed.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Expr> {
        parts!(&mut self.kind)
    }
}

/// The initial value of a variable.
#[derive(Debug, Clone)]
pub(crate) enum Init {
    Expr(Expr),
    List(Vec<Init>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    Inc,
    Dec,
    Xchg,
    CmpXchg,
}

#[derive(Debug, Clone)]
pub(crate) struct Arm {
    /// The case labels; `None` is `default`.
    pub labels: Vec<Option<u64>>,
    pub body: Vec<Stmt>,
    /// Without `break` at the end.
    pub falls: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    Decl(VarId, Option<Init>),
    /// With an operator: `+=` and its kin, of types whose arithmetic wraps.
    Assign(Expr, Option<Binary>, Expr),
    Do(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (uint i = from; i < to; i += step)`
    For(VarId, Expr, Expr, u32, Vec<Stmt>),
    /// With `true`, `do … while`.
    While(bool, Expr, Vec<Stmt>),
    Switch(Expr, Vec<Arm>),
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    /// A block behind whose end stands a label.
    Ahead(usize, Vec<Stmt>),
    /// A block before whose begin stands a label.
    Back(usize, Vec<Stmt>),
    Goto(usize),
    /// Orders local memory, global memory.
    Barrier(bool, bool),
    /// vstoreN(value, index, pointer)
    Vstore(Expr, Expr, Expr),
    Atomic(AtomicOp, Expr, Expr),
    /// A variable, and the function of all work-items' values that it begins with.
    Collective(VarId, Collective, Expr),
}

/// Functions of all work-items of a work-group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collective {
    Reduce(Combine),
    Inclusive(Combine),
    Exclusive(Combine),
    /// The value of the work-item of this number.
    Broadcast(u32),
    /// True if all (true) or any of the values are other than 0.
    Vote(bool),
    /// Functions of clusters of sub-groups: of the members whose bits of a number, which work-items have by their own, are alike.
    Cluster(Combine, u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Min,
    Max,
}

impl Stmt {
    pub(crate) fn blocks(&self) -> Vec<&Vec<Stmt>> {
        blocks!(self, iter, |a| &a.body)
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        blocks!(self, iter_mut, |a| &mut a.body)
    }

    /// The expressions directly inside.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        exprs!(self, exprs)
    }

    /// The same, to be changed.
    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        exprs!(self, exprs_mut)
    }
}

impl Init {
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Init::Expr(e) => vec![e],
            Init::List(list) => list.iter().flat_map(Init::exprs).collect(),
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Init::Expr(e) => vec![e],
            Init::List(list) => list.iter_mut().flat_map(Init::exprs_mut).collect(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub name: String,
    pub result: Ty,
    pub params: Vec<VarId>,
    pub body: Vec<Stmt>,
    pub kernel: bool,
    pub noinline: bool,
    /// It changes nothing but its own variables.
    pub pure: bool,
    /// It has a builtin's name, and parameters that no builtin of that name has.
    pub overloads: bool,
    /// How it is declared before it is defined.
    pub prototypes: Vec<Prototype>,
}

/// A form of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prototype {
    /// With `const` parameters without names.
    Plain,
    /// By a typedef of its type.
    Typedef,
    Typeof,
    Extern,
    /// `static`, which stands first.
    Static,
}

/// The argument of a launch for a kernel's parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Actual {
    /// A buffer, from this byte on.
    Buffer(usize, u32),
    Null,
    Value(Vec<u8>),
    Local(u32),
}

#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub kernel: usize,
    pub args: Vec<Actual>,
}

/// The shape of groups and of their work-items in three dimensions, and how many of the last group's are cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub local: [u32; 3],
    pub groups: [u32; 3],
    /// Work-items that the last group of the dimension lacks in which the groups lie (OpenCL C 2.0).
    pub cut: u32,
}

impl Shape {
    /// All in the first dimension.
    pub(crate) fn line(group: u32, groups: u32) -> Shape {
        Shape { local: [group, 1, 1], groups: [groups, 1, 1], cut: 0 }
    }

    /// Returns whether programs are as they are without shapes.
    pub(crate) fn is_line(&self) -> bool {
        *self == Shape::line(self.local[0], self.groups[0])
    }

    /// The dimension of the groups.
    pub(crate) fn along(&self) -> usize {
        self.groups.iter().position(|n| *n > 1).unwrap_or(0)
    }

    /// The work-items in each dimension.
    pub(crate) fn global(&self) -> [u32; 3] {
        let mut global: [u32; 3] = std::array::from_fn(|d| self.local[d] * self.groups[d]);
        global[self.along()] -= self.cut;
        global
    }

    /// The shape of a group by its number.
    pub(crate) fn group_size(&self, group: u32) -> [u32; 3] {
        let mut local = self.local;
        if group + 1 == self.groups.iter().product::<u32>() {
            local[self.along()] -= self.cut;
        }
        local
    }

    /// The work-items of the smallest group.
    pub(crate) fn least(&self) -> u32 {
        self.group_size(self.groups.iter().product::<u32>() - 1).iter().product()
    }
}

/// A whole program and what it is run on.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Unqualified pointers are generic.
    pub generic: bool,
    /// OpenCL C 3.0, where they are.
    pub three: bool,
    /// Floats are rounded; otherwise they are small whole numbers, and what is not makes the program undefined.
    pub floats: bool,
    /// Zeros, infinities and NaNs may be computed; otherwise they make the program undefined.
    pub special_floats: bool,
    pub pointer_bytes: u32,
    pub records: Vec<Record>,
    pub vars: Vec<Variable>,
    /// Variables at program scope, in order, with what they begin with.
    pub statics: Vec<(VarId, Init)>,
    /// Kernels among them.
    pub functions: Vec<Function>,
    pub launches: Vec<Launch>,
    pub buffers: Vec<Vec<u8>>,
    /// Work-items of a group, and groups.
    pub group: u32,
    pub groups: u32,
    /// Both shapes in the three dimensions.
    pub shape: Shape,
    /// Kernels require that size of work-groups.
    pub required: bool,
}

impl Program {
    /// Bytes.
    pub(crate) fn size(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Void => 0,
            Ty::Scalar(s) => s.bytes(),
            Ty::Vector(s, n) => s.bytes() * u32::from(if *n == 3 { 4 } else { *n }),
            Ty::Pointer(_) => self.pointer_bytes,
            Ty::Array(of, n) => self.size(of) * n,
            Ty::Record(index) => {
                let record = &self.records[*index];
                let mut end = 0;
                for (n, field) in record.fields.iter().enumerate() {
                    end = end.max(self.offset(*index, n) + self.size(&field.ty));
                }
                end.next_multiple_of(self.align(ty))
            }
        }
    }

    pub(crate) fn align(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Array(of, _) => self.align(of),
            Ty::Record(index) => {
                let record = &self.records[*index];
                match record.packed {
                    true => 1,
                    false => record.fields.iter().map(|f| self.field_align(f)).max().unwrap_or(1),
                }
            }
            _ => self.size(ty).max(1),
        }
    }

    /// The alignment of a member where its record is not packed.
    pub(crate) fn field_align(&self, field: &Field) -> u32 {
        field.aligned.unwrap_or_else(|| self.align(&field.ty))
    }

    /// Marks the bytes of a type that are no padding.
    pub(crate) fn cover(&self, ty: &Ty, bytes: &mut [bool]) {
        match ty {
            Ty::Array(of, n) => {
                let size = self.size(of) as usize;
                for part in bytes.chunks_mut(size.max(1)).take(*n as usize) {
                    self.cover(of, part);
                }
            }
            Ty::Record(index) => {
                for (n, field) in self.records[*index].fields.iter().enumerate() {
                    let at = self.offset(*index, n) as usize;
                    let end = at + self.size(&field.ty) as usize;
                    self.cover(&field.ty, &mut bytes[at..end]);
                }
            }
            Ty::Vector(s, 3) => bytes[..3 * s.bytes() as usize].fill(true),
            _ => bytes.fill(true),
        }
    }

    /// A member's first byte.
    pub(crate) fn offset(&self, record: usize, field: usize) -> u32 {
        let record = &self.records[record];
        if record.union {
            return 0;
        }
        let mut at = 0;
        for (n, f) in record.fields.iter().enumerate() {
            let align = if record.packed { 1 } else { self.field_align(f) };
            at = u32::next_multiple_of(at, align);
            if n == field {
                break;
            }
            at += self.size(&f.ty);
        }
        at
    }
}

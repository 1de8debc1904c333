//! Instructions.

use super::short::{Mask, Pair};
use super::{Func, GlobalVar, GroupOp, ImageOp, ImageRef, Scalar, Slot, Type, Value};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A constant scalar, or a vector of constants through [`InstKind::Construct`]. Constants are values
/// of the function without a place in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer (bits above its width are zero), a bool (0 or 1), or a float's bit pattern; for a
    /// vector type every lane has it; for a pointer type 0 is the null pointer of its space.
    Bits(u64),
    /// Any value will do.
    Undef,
}

/// Operations on one operand of the result's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    INeg,
    /// Bitwise complement; logical on bools.
    Not,
    FNeg,
    FAbs,
    BitReverse,
    /// Population count.
    BitCount,
    /// Truth tests on floats, giving bools.
    IsNan,
    IsInf,
    /// `any` / `all` of a bool vector, giving a bool.
    Any,
    All,
}

/// Operations on two operands of one type, which is the result's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    IAdd,
    ISub,
    IMul,
    UDiv,
    SDiv,
    URem,
    SRem,
    /// Bitwise; logical on bools.
    And,
    Or,
    Xor,
    /// The count is below the width (else any value results); it has the type of the shifted value.
    Shl,
    LShr,
    AShr,
    UMin,
    UMax,
    SMin,
    SMax,
    /// The high half of the product.
    UMulHi,
    SMulHi,
    /// The sum of the products of the operands' four bytes, on words: signed, unsigned, signed by unsigned.
    SDot4,
    UDot4,
    SUDot4,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// C's fmod: the sign of the dividend.
    FRem,
}

/// Integer comparisons. Pointers are compared as unsigned addresses; null is below all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntCC {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Float comparisons; `O`: false on NaN, `U`: true on NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatCC {
    OEq,
    ONe,
    OLt,
    OLe,
    OGt,
    OGe,
    Ordered,
    UEq,
    UNe,
    ULt,
    ULe,
    UGt,
    UGe,
    Unordered,
}

/// Value conversions; the result type says to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ConvertOp {
    /// Integer to a narrower integer.
    Trunc,
    ZExt,
    SExt,
    /// Float to another float, by the rounding mode.
    FloatToFloat,
    SToF,
    UToF,
    FToS,
    FToU,
}

/// Rounding modes of conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Rounding {
    ToNearestEven,
    ToZero,
    ToPositive,
    ToNegative,
}

/// What OpenCL asks about a work-item; each gives an i32 (dimension 0 to 2 where it has one, word 0 to 3 of a mask).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    EnqueuedLocalSize,
    NumGroups,
    GlobalOffset,
    WorkDim,
    GlobalLinearId,
    LocalLinearId,
    SubgroupSize,
    SubgroupMaxSize,
    NumSubgroups,
    SubgroupId,
    SubgroupLocalId,
    /// How many sub-groups a work-group has that is no remainder.
    NumEnqueuedSubgroups,
    /// The sub-group's members whose index is this one's, not less, more, not more, less: word n of four.
    SubgroupEqMask,
    SubgroupGeMask,
    SubgroupGtMask,
    SubgroupLeMask,
    SubgroupLtMask,
    /// Where global ids are of 64 bits ([`crate::LowerOptions::wide`]): what this dispatch's ids start from, its low and its high word,
    /// and the high words of the global size and offset.
    GlobalStart,
    GlobalStartHigh,
    GlobalSizeHigh,
    GlobalOffsetHigh,
}

/// A Vulkan input, after the work-item functions have been expanded; each gives an i32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum BuiltinInput {
    GlobalInvocationId,
    LocalInvocationId,
    WorkgroupId,
    NumWorkgroups,
    LocalInvocationIndex,
    SubgroupSize,
    SubgroupId,
    SubgroupLocalInvocationId,
}

/// What a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// A global variable of the module, in any space.
    Global(GlobalVar),
    /// A variable in private memory.
    Slot(Slot),
    /// The buffer of kernel argument n.
    Arg(u32),
    /// The `__local` memory of kernel argument n.
    LocalArg(u32),
    /// The work-group memory that several `__local` arguments and variables share, because some pointer
    /// chooses between them (see `KernelData::local_arena`).
    LocalArena,
    /// The argument block.
    Block,
    /// The program's read-only data.
    Constants,
    /// The program's writable data.
    Globals,
    /// The launch's printf buffer (see [`crate::printf`]).
    Printf,
    /// The word of the device that sequentially consistent operations increment (`passes/language/lower_seq_cst.rs`).
    Sequence,
    /// All buffers of a kernel in the packed model, by their places ([`crate::kernel_info::Windows`]): within `lower_addresses` alone.
    Places,
    /// A window of the packed model.
    Window(u32),
}

/// Where a memory access goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A pointer value (until `lower_addresses`).
    Pointer(Value),
    /// Element `index` (an i32 or i64, unsigned) of `root` seen as an array of `lanes` × `scalar`,
    /// densely packed. The access has exactly that type.
    Element {
        /// The memory.
        root: Root,
        /// The element's scalar.
        scalar: Scalar,
        /// 1, 2 or 4.
        lanes: u8,
        /// Which element.
        index: Value,
    },
    /// A device address: an i64, or its words in an i32x2 where `split_int64` has split it.
    Address(Value),
}

/// What else an access says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemFlags {
    /// The address is a multiple of this power of two.
    pub align: u32,
    /// `volatile`
    pub volatile: bool,
}

/// Memory and execution scopes, by SPIR-V's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scope {
    CrossDevice,
    Device,
    Workgroup,
    Subgroup,
    Invocation,
}

bitflags::bitflags! {
    /// Memory semantics: an order, and the memories it holds for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Semantics: u8 {
        /// Acquire.
        const ACQUIRE = 1;
        /// Release.
        const RELEASE = 2;
        /// Sequentially consistent (with both of the above).
        const SEQ_CST = 4;
        /// Buffers.
        const GLOBAL = 8;
        /// Work-group memory.
        const LOCAL = 16;
        /// Images.
        const IMAGE = 32;
    }
}

/// Atomic read-modify-writes and their like. All but `Store` give the old (for `Load` the) value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Load,
    Store,
    Exchange,
    /// Operands: new value, comparator.
    CompareExchange,
    IAdd,
    ISub,
    UMin,
    UMax,
    SMin,
    SMax,
    And,
    Or,
    Xor,
    FAdd,
    FMin,
    FMax,
}

/// Instructions. Result types are on the result values; see each for what they must be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum InstKind {
    Unary(UnaryOp, Value),
    Binary(BinaryOp, Value, Value),
    /// Gives a bool for each lane.
    ICmp(IntCC, Value, Value),
    /// Gives a bool for each lane.
    FCmp(FloatCC, Value, Value),
    /// The condition is one bool, or one for each lane.
    Select(Value, Value, Value),
    Convert {
        op: ConvertOp,
        value: Value,
        saturate: bool,
        rounding: Option<Rounding>,
    },
    /// The same bits as another scalar or vector type of the same size.
    Bitcast(Value),
    /// A vector from scalars and vectors side by side; one scalar makes a splat.
    Construct(SmallVec<[Value; 4]>),
    Extract(Value, u8),
    ExtractDyn(Value, Value),
    Insert {
        vector: Value,
        scalar: Value,
        lane: u8,
    },
    InsertDyn {
        vector: Value,
        scalar: Value,
        index: Value,
    },
    /// Lanes of the two operands side by side; `None` is any value.
    Shuffle(Value, Value, Mask),
    /// A function of OpenCL.std by number (until `lower_math`); pointer operands included.
    ExtInst {
        number: u32,
        args: SmallVec<[Value; 4]>,
    },
    /// A function of GLSL.std.450 by number (after `lower_math`), on scalars and vectors of at most 4 lanes.
    Glsl {
        number: u32,
        args: SmallVec<[Value; 4]>,
    },
    /// A fused multiply-add, exact: a*b+c with one rounding.
    Fma(Value, Value, Value),

    /// The start of a root, as a pointer.
    RootAddr(Root),
    /// pointer + index × scale bytes; the index is an i32 (signed) or i64.
    PtrAdd {
        base: Value,
        index: Value,
        scale: u64,
    },
    /// pointer + bytes.
    PtrOffset {
        base: Value,
        bytes: i64,
    },
    /// To or from generic; the result's space says which.
    PtrCast(Value),
    /// A generic pointer as one to the result's space: null where it points elsewhere.
    PtrToSpace(Value),
    /// What a generic pointer points into: 2 for global memory, 1 for local, 0 for private.
    PtrFence(Value),
    PtrToInt(Value),
    IntToPtr(Value),
    /// The bytes from the second pointer to the first, as wide as an address.
    PtrDiff(Value, Value),
    Load {
        place: Place,
        flags: MemFlags,
    },
    Store {
        place: Place,
        value: Value,
        flags: MemFlags,
    },
    /// Copies bytes between two pointers (until `lower_memcpy`).
    Copy {
        dst: Value,
        src: Value,
        bytes: u64,
        flags: MemFlags,
    },
    Atomic {
        op: AtomicOp,
        place: Place,
        operands: Pair,
        scope: Scope,
        semantics: Semantics,
    },

    /// Control barrier with its memory semantics.
    Barrier {
        execution: Scope,
        memory: Scope,
        semantics: Semantics,
    },
    /// A sample of the clock of a sub-group or of the device: the low word and the high word.
    Clock(Scope),
    MemBarrier {
        memory: Scope,
        semantics: Semantics,
    },
    /// Something that the members of a group compute together: see [`GroupOp`] for the operands.
    Group {
        op: GroupOp,
        scope: Scope,
        /// There are few of them: they do not make all other instructions larger.
        args: Box<SmallVec<[Value; 4]>>,
    },
    /// Something with an image: see [`ImageOp`] for the operands. Texels have four lanes (of those that are read, and have no
    /// class yet, as many as the result).
    Image {
        op: ImageOp,
        image: ImageRef,
        /// There are few of them: they do not make all other instructions larger.
        args: Box<SmallVec<[Value; 4]>>,
    },
    /// The bits of a sampler argument, an i32 (until `lower_addresses`).
    SamplerBits(u32),
    /// A work-item function (until `work_item`).
    WorkItem(WorkItem, u8),
    /// A Vulkan input.
    Input(BuiltinInput, u8),
    /// The work-group size in a dimension, as a specialization constant.
    WorkgroupSize(u8),
    /// Whether a buffer may cross a multiple of 4 GiB, as a specialization constant: a bool.
    BuffersCross,
    /// Whether a launch has more than one window ([`crate::kernel_info::Windows`]), as a specialization constant: a bool.
    SeveralWindows,
    /// The size of a `__local` argument in the arena, in the arena's units, as a specialization constant.
    LocalArgUnits(u32),
    /// Gives as many results as the function returns. `pure`: they depend on the arguments alone, and nothing else is done.
    Call {
        func: Func,
        args: Vec<Value>,
        pure: bool,
    },
}

impl Place {
    /// The value that the place depends on.
    #[inline]
    pub fn value(&self) -> Value {
        match self {
            Place::Pointer(v) | Place::Element { index: v, .. } | Place::Address(v) => *v,
        }
    }

    /// The value that the place depends on, to change.
    pub fn value_mut(&mut self) -> &mut Value {
        match self {
            Place::Pointer(v) | Place::Element { index: v, .. } | Place::Address(v) => v,
        }
    }
}

impl InstKind {
    /// Applies `f` to every value that the instruction uses.
    pub fn map_values(&mut self, mut f: impl FnMut(Value) -> Value) {
        self.visit_mut(|value| *value = f(*value));
    }

    /// Every value that the instruction uses, in order, to change.
    pub fn values_mut(&mut self) -> SmallVec<[&mut Value; 4]> {
        let mut values = SmallVec::new();
        self.visit_mut(|value| values.push(value));
        values
    }

    /// Shows every value that the instruction uses, in order, to be changed.
    #[inline]
    fn visit_mut<'a>(&'a mut self, mut f: impl FnMut(&'a mut Value)) {
        use InstKind::*;
        match self {
            Unary(_, a)
            | Bitcast(a)
            | Extract(a, _)
            | PtrCast(a)
            | PtrToSpace(a)
            | PtrFence(a)
            | PtrToInt(a)
            | IntToPtr(a) => f(a),
            Convert { value, .. } => f(value),
            Binary(_, a, b)
            | ICmp(_, a, b)
            | FCmp(_, a, b)
            | ExtractDyn(a, b)
            | Shuffle(a, b, _)
            | PtrDiff(a, b) => {
                f(a);
                f(b);
            }
            Select(a, b, c) | Fma(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            Insert { vector, scalar, .. } => {
                f(vector);
                f(scalar);
            }
            InsertDyn { vector, scalar, index } => {
                f(vector);
                f(scalar);
                f(index);
            }
            Construct(args) | ExtInst { args, .. } | Glsl { args, .. } => args.iter_mut().for_each(f),
            Call { args, .. } => args.iter_mut().for_each(f),
            Group { args, .. } => args.iter_mut().for_each(f),
            PtrAdd { base, index, .. } => {
                f(base);
                f(index);
            }
            PtrOffset { base, .. } => f(base),
            Load { place, .. } => f(place.value_mut()),
            Store { place, value, .. } => {
                f(place.value_mut());
                f(value);
            }
            Image { image, args, .. } => {
                if let ImageRef::Value(image) = image {
                    f(image);
                }
                args.iter_mut().for_each(f);
            }
            Copy { dst, src, .. } => {
                f(dst);
                f(src);
            }
            Atomic { place, operands, .. } => {
                f(place.value_mut());
                operands.iter_mut().for_each(f);
            }
            RootAddr(_)
            | Barrier { .. }
            | MemBarrier { .. }
            | Clock(_)
            | SamplerBits(_)
            | WorkItem(..)
            | Input(..)
            | WorkgroupSize(_)
            | BuffersCross
            | SeveralWindows
            | LocalArgUnits(_) => {}
        }
    }

    /// Shows every value that the instruction uses, in order.
    #[inline]
    pub fn each_value(&self, mut f: impl FnMut(Value)) {
        use InstKind::*;
        match self {
            Unary(_, a)
            | Bitcast(a)
            | Extract(a, _)
            | PtrCast(a)
            | PtrToSpace(a)
            | PtrFence(a)
            | PtrToInt(a)
            | IntToPtr(a)
            | Convert { value: a, .. }
            | PtrOffset { base: a, .. } => f(*a),
            Binary(_, a, b) | ICmp(_, a, b) | FCmp(_, a, b) => {
                f(*a);
                f(*b);
            }
            other => other.values().for_each(f),
        }
    }

    /// The place that the instruction accesses, if it names one.
    #[inline]
    pub fn place(&self) -> Option<Place> {
        match self {
            InstKind::Load { place, .. } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                Some(*place)
            }
            _ => None,
        }
    }

    /// Every value that the instruction uses, in order.
    #[inline]
    pub fn values(&self) -> Operands<'_> {
        use InstKind::*;
        match self {
            Unary(_, a)
            | Bitcast(a)
            | Extract(a, _)
            | PtrCast(a)
            | PtrToSpace(a)
            | PtrFence(a)
            | PtrToInt(a)
            | IntToPtr(a) => Operands::of([*a]),
            Convert { value, .. } => Operands::of([*value]),
            Binary(_, a, b)
            | ICmp(_, a, b)
            | FCmp(_, a, b)
            | ExtractDyn(a, b)
            | Shuffle(a, b, _)
            | PtrDiff(a, b) => Operands::of([*a, *b]),
            Select(a, b, c) | Fma(a, b, c) => Operands::of([*a, *b, *c]),
            Insert { vector, scalar, .. } => Operands::of([*vector, *scalar]),
            InsertDyn { vector, scalar, index } => Operands::of([*vector, *scalar, *index]),
            Construct(args) | ExtInst { args, .. } | Glsl { args, .. } => Operands::of([]).and(args),
            Call { args, .. } => Operands::of([]).and(args),
            PtrAdd { base, index, .. } => Operands::of([*base, *index]),
            PtrOffset { base, .. } => Operands::of([*base]),
            Load { place, .. } => Operands::of([place.value()]),
            Store { place, value, .. } => Operands::of([place.value(), *value]),
            Image { image: ImageRef::Value(image), args, .. } => Operands::of([*image]).and(args),
            Image { args, .. } | Group { args, .. } => Operands::of([]).and(args),
            Copy { dst, src, .. } => Operands::of([*dst, *src]),
            Atomic { place, operands, .. } => Operands::of([place.value()]).and(operands),
            RootAddr(_)
            | Barrier { .. }
            | MemBarrier { .. }
            | Clock(_)
            | SamplerBits(_)
            | WorkItem(..)
            | Input(..)
            | WorkgroupSize(_)
            | BuffersCross
            | SeveralWindows
            | LocalArgUnits(_) => Operands::of([]),
        }
    }
}

/// The values that an instruction uses, in order: some of its own, then those of its list.
#[derive(Debug, Clone)]
pub struct Operands<'a> {
    own: [Value; 3],
    next: u8,
    end: u8,
    list: std::slice::Iter<'a, Value>,
}

impl<'a> Operands<'a> {
    #[inline]
    fn of<const N: usize>(values: [Value; N]) -> Operands<'a> {
        let mut own = [Value(0); 3];
        own[..N].copy_from_slice(&values);
        Operands { own, next: 0, end: N as u8, list: [].iter() }
    }

    #[inline]
    fn and(self, list: &'a [Value]) -> Operands<'a> {
        Operands { list: list.iter(), ..self }
    }
}

impl Iterator for Operands<'_> {
    type Item = Value;

    #[inline]
    fn next(&mut self) -> Option<Value> {
        if self.next < self.end {
            self.next += 1;
            return Some(self.own[usize::from(self.next) - 1]);
        }
        self.list.next().copied()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = usize::from(self.end - self.next) + self.list.len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for Operands<'_> {}

/// The type of elements that a place names.
impl Place {
    /// For [`Place::Element`], the element's type.
    pub fn element_type(&self) -> Option<Type> {
        match self {
            Place::Element { scalar, lanes, .. } => Some(Type::of(*scalar, *lanes)),
            _ => None,
        }
    }
}

//! The fields of instructions: operations, comparisons, conversions, places in memory, scopes.

use super::{Function, GlobalVar, Scalar, Slot, Space, Type, Value};
use serde::{Deserialize, Serialize};

/// A constant scalar, or a vector of constants through [`super::InstKind::Construct`]. Constants are values
/// of the function that are in no block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer (bits above its width are zero), a bool (0 or 1), or a float's bit pattern; for a
    /// vector type every lane has it; for a pointer type 0 is the null pointer of its space.
    Bits(u64),
    /// Any value will do.
    Undef,
}

/// Defines enumerations, each with the list of its variants. Their words in text are the variants' names in lower case.
macro_rules! enumerations {
    ($($(#[$meta:meta])* $name:ident { $( $(#[$doc:meta])* $variant:ident, )+ })+) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[allow(missing_docs)]
            pub enum $name {
                $( $(#[$doc])* $variant, )+
            }

            impl $name {
                /// All of them, in order. New ones come last: the packed math library has them by their indices.
                pub const ALL: &[$name] = &[$( $name::$variant, )+];
            }
        )+
    };
}

enumerations! {
    /// Operations on one operand of the result's type.
    UnaryOp {
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
        /// The operand, as a value of which no pass and no driver knows anything. Nothing folds it or looks through it.
        /// `lower_opaque` lowers it as the last pass.
        Opaque,
    }
    /// Operations on two operands of one type, which is the result's.
    #[derive(Serialize, Deserialize)]
    BinaryOp {
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
        FAdd,
        FSub,
        FMul,
        FDiv,
        /// C's fmod: the sign of the dividend.
        FRem,
        /// The sum of the products of the operands' four bytes, on words: signed, unsigned, signed by unsigned.
        SDot4,
        UDot4,
        SUDot4,
        /// A product that is rounded: it may not be fused with a sum (Vulkan's NoContraction).
        FMulNoContraction,
    }
    /// Integer comparisons. Pointers are compared as unsigned addresses; null is below all others.
    IntCC {
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
    FloatCC {
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
    ConvertOp {
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
    Rounding {
        ToNearestEven,
        ToZero,
        ToPositive,
        ToNegative,
    }
    /// What OpenCL asks about a work-item; each gives an i32 (dimension 0 to 2 where it has one, word 0 to 3 of a mask).
    WorkItem {
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
        /// The number of work-items of this dispatch in a dimension if its last work-groups reach beyond the NDRange there, else 0
        /// (`guard_remainders`).
        DispatchSize,
    }
    /// A Vulkan input, after the work-item functions have been expanded; each gives an i32.
    BuiltinInput {
        GlobalInvocationId,
        LocalInvocationId,
        WorkgroupId,
        NumWorkgroups,
        LocalInvocationIndex,
        SubgroupSize,
        SubgroupId,
        SubgroupLocalInvocationId,
    }
    /// Memory and execution scopes, by SPIR-V's names.
    Scope {
        CrossDevice,
        Device,
        Workgroup,
        Subgroup,
        Invocation,
    }
    /// Atomic read-modify-writes and their like. All but `Store` give the old (for `Load` the) value.
    AtomicOp {
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
    /// The word of the device that sequentially consistent operations increment (`passes/language/lower_memory_order/seq_cst.rs`).
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

    /// For [`Place::Element`], the element's type.
    pub fn element_type(&self) -> Option<Type> {
        match self {
            Place::Element { scalar, lanes, .. } => Some(Type::new(*scalar, *lanes)),
            _ => None,
        }
    }

    /// Whether a dispatch never writes the memory.
    pub fn is_read_only(&self, function: &Function) -> bool {
        match self {
            Place::Pointer(p) => matches!(function.ty(*p), Type::Ptr(Space::Constant | Space::Block)),
            Place::Element { root, .. } => matches!(root, Root::Block | Root::Constants),
            Place::Address(_) => false,
        }
    }
}

/// The operands that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Integers.
    Ints,
    /// Integers and bools.
    Bits,
    /// Floats.
    Floats,
    /// One i32 each.
    Words,
    /// A vector of bools.
    Bools,
    /// All scalars and vectors.
    Numbers,
}

impl Takes {
    /// Whether a type is one of these.
    pub fn includes(self, ty: Type) -> bool {
        ty.scalar().is_some_and(|scalar| match self {
            Takes::Ints => scalar.is_int(),
            Takes::Bits => !scalar.is_float(),
            Takes::Floats => scalar.is_float(),
            Takes::Words => ty == Type::I32,
            Takes::Bools => scalar == Scalar::Bool && ty.lanes() > 1,
            Takes::Numbers => true,
        })
    }
}

impl UnaryOp {
    /// The operand that it takes.
    pub fn takes(self) -> Takes {
        match self {
            UnaryOp::INeg | UnaryOp::BitReverse | UnaryOp::BitCount => Takes::Ints,
            UnaryOp::Not => Takes::Bits,
            UnaryOp::FNeg | UnaryOp::FAbs | UnaryOp::IsNan | UnaryOp::IsInf => Takes::Floats,
            UnaryOp::Any | UnaryOp::All => Takes::Bools,
            UnaryOp::Opaque => Takes::Numbers,
        }
    }

    /// The type that it gives for an operand's type.
    pub fn gives(self, operand: Type) -> Type {
        match self {
            UnaryOp::IsNan | UnaryOp::IsInf => operand.with_scalar(Scalar::Bool),
            UnaryOp::Any | UnaryOp::All => Type::BOOL,
            _ => operand,
        }
    }
}

impl BinaryOp {
    /// The operands that it takes.
    pub fn takes(self) -> Takes {
        use BinaryOp::*;
        match self {
            And | Or | Xor => Takes::Bits,
            FAdd | FSub | FMul | FMulNoContraction | FDiv | FRem => Takes::Floats,
            IAdd | ISub | IMul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | UMin | UMax | SMin
            | SMax | UMulHi | SMulHi => Takes::Ints,
            SDot4 | UDot4 | SUDot4 => Takes::Words,
        }
    }

    /// Whether the result is undefined for some operands: division by zero, a quotient that does not fit, shifts by the width or more.
    #[inline]
    pub fn has_undefined_cases(self) -> bool {
        use BinaryOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
        matches!(self, UDiv | SDiv | URem | SRem | Shl | LShr | AShr)
    }
}

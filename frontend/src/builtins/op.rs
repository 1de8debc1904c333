//! A builtin function as the rest of the front end sees it: its overload, and the instruction that it becomes.

use crate::options::Options;
use crate::types::{AddressSpace, TypeId, Types};
use spirv::{GroupOperation, Op, Scope};

/// A builtin call resolved to one overload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// The name in OpenCL C; families whose names hold types go by one name (`convert_type`, `as_type`,
    /// `vloadn`, `atomic` …).
    pub name: &'static str,
    /// The code that the emitter writes for it.
    pub op: BuiltinOp,
    /// The parameter types of the chosen overload; the arguments have been converted to them.
    pub params: Vec<TypeId>,
    /// The result type.
    pub ret: TypeId,
}

/// A rounding mode of `convert_` and `vstore_half` (SPIR-V's FPRoundingMode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rounding {
    ToNearestEven,
    ToZero,
    ToPositive,
    ToNegative,
}

/// What a builtin becomes in SPIR-V: data that the emitter dispatches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinOp {
    /// An instruction of the OpenCL.std extended set, by its number; operands in parameter order.
    ExtInst(u32),
    /// An OpenCL.std instruction whose last operand is a literal lane count: `vloadn`, `vload_halfn`.
    ExtInstLanes(u32),
    /// `vstore_half_r*`: an OpenCL.std instruction whose last operand is a literal rounding mode.
    ExtInstRounded(u32, Rounding),
    /// A core instruction, operands in parameter order (`dot`: OpDot, OpFMul for scalars).
    Op(spirv::Op),
    /// A core relational instruction: bool results become int 0/1 or a vector of 0/−1.
    Relational(spirv::Op),
    /// `any` / `all`: test the most significant bits first.
    AnyAll(spirv::Op),
    /// `select(a, b, c)`: scalars by `c != 0`, vectors by the most significant bit; then b else a.
    Select,
    /// A work-item function: the SPIR-V builtin variable, and what an index out of range gives.
    WorkItem {
        /// The builtin variable.
        variable: spirv::BuiltIn,
        /// True if it takes a dimension index (get_work_dim does not).
        indexed: bool,
        /// The result for an index beyond 2.
        out_of_range: u64,
    },
    /// `convert_T_sat_rte(x)` and its kin.
    Convert {
        /// `_sat`
        saturate: bool,
        /// The rounding suffix, if one was written.
        rounding: Option<Rounding>,
    },
    /// `as_T(x)`: the same bits; between 3 and 4 components of one size the fourth is undefined.
    AsType,
    /// `barrier`, `work_group_barrier(flags[, scope])`: control and memory barrier.
    Barrier,
    /// `mem_fence` and its kin: memory barrier only; the semantics bits.
    MemFence {
        /// Acquire, Release or AcquireRelease.
        semantics: u32,
    },
    /// The 1.x atomics `atomic_OP`, `atom_OP`: relaxed, device scope (work-group scope for `__local`
    /// pointers); the core instruction. Increment and decrement have no operand.
    Atomic(spirv::Op),
    /// The atomics of OpenCL C 2.0: the core instruction, and how many operands stand between the pointer and
    /// the orders and scope. Compare-and-exchange has a pointer and a value, and gives whether they were equal.
    AtomicC11 {
        /// The core instruction.
        op: spirv::Op,
        /// Operands after the pointer.
        operands: u8,
        /// `atomic_init`: no order at all.
        relaxed: bool,
        /// The operand is subtracted by an instruction that adds.
        negated: bool,
    },
    /// `async_work_group_copy` and its strided form.
    AsyncCopy {
        /// Strided.
        strided: bool,
    },
    /// `async_work_group_copy_2D2D`, and `_3D3D`.
    AsyncCopyLines {
        /// Lines in planes.
        planes: bool,
    },
    /// `to_global` and its kin.
    ToSpace(AddressSpace),
    /// `get_fence`.
    GetFence,
    /// `wait_group_events`.
    WaitGroupEvents,
    /// `prefetch`.
    Prefetch,
    /// `shuffle` and `shuffle2`.
    Shuffle {
        /// The two-vector form.
        two: bool,
    },
    /// An image function.
    Image(ImageOp),
    /// A function of a whole work-group or sub-group.
    Collective(Collective),
    /// A dot product of four bytes and four bytes, and that added to a number with saturation.
    IntegerDot {
        /// The core instruction.
        op: spirv::Op,
        /// The bytes are packed in 32 bits.
        packed: bool,
        /// The instruction takes the second vector first.
        swapped: bool,
    },
    /// `clock_read_…`: the clock of a scope, as a ulong or uint2.
    Clock(spirv::Scope),
    /// A function of a pipe: the core instruction, and the group that calls it together.
    Pipe {
        /// The core instruction.
        op: spirv::Op,
        /// A work-group or sub-group.
        group: Option<spirv::Scope>,
    },
    /// A function of device-side enqueue that takes a block, which is one of the arguments.
    OfBlock {
        /// The core instruction.
        op: spirv::Op,
    },
    /// `ndrange_1D` and its kin.
    NdRange {
        /// How many sizes each argument has.
        dimensions: u8,
    },
    /// `vec_step` and anything else that folds to a constant.
    ConstantInt(i64),
}

/// What resolving a call found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// No builtin of that name exists in this language version with these features.
    NotBuiltin,
    /// The overload to call; the caller converts the arguments to `params`.
    Match(Builtin),
    /// The name is a builtin's, but no overload takes such arguments: the candidates, as text.
    NoMatch(Vec<String>),
    /// Several overloads fit equally well: the candidates, as text.
    Ambiguous(Vec<String>),
    /// The builtin exists but needs a feature or extension that is off: its name.
    NeedsFeature(&'static str),
}

/// Functions whose overloads are found by rules of their own, and not in the table.
pub(super) struct Family {
    /// Whether a name is one of them.
    pub has: fn(&str) -> bool,
    /// Resolves a call; `None` where the name is none of them.
    pub resolve: fn(&mut Types, &Options, &str, &[TypeId]) -> Option<Resolution>,
}

/// What the members of a group compute together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collective {
    /// The group.
    pub scope: Scope,
    /// Only the active members take part (OpGroupNonUniform…); else all must come.
    pub non_uniform: bool,
    /// The function.
    pub function: GroupFunction,
}

/// The functions of a group, by SPIR-V's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum GroupFunction {
    Elect,
    All,
    Any,
    AllEqual,
    Broadcast,
    BroadcastFirst,
    Ballot,
    InverseBallot,
    BallotBit,
    BallotCount(GroupOperation),
    BallotFirst,
    BallotLast,
    Combine(Combine, GroupOperation),
    /// One of the four shuffles.
    Shuffle(Op),
    /// By a number of members; within clusters with a further operand.
    Rotate,
}

/// How values are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Combine {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

/// What an image function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageOp {
    /// With a sampler: image, sampler, coordinate, and what the level of detail comes from.
    Sample {
        /// Where the level of detail comes from.
        lod: Lod,
        /// Integers are signed or not; `None` for floats.
        signed: Option<bool>,
    },
    /// Without: image, coordinate, and the number of a sample.
    Read {
        /// See [`ImageOp::Sample`].
        signed: Option<bool>,
    },
    /// Image, coordinate, level of detail where there is one, color.
    Write {
        /// See [`ImageOp::Sample`].
        signed: Option<bool>,
        /// A level of detail is given.
        lod: bool,
    },
    /// `get_image_…`.
    Query(Query),
}

/// The level of detail of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Lod {
    Zero,
    Given,
    Gradients,
}

/// What `get_image_…` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Query {
    Width,
    Height,
    Depth,
    ChannelType,
    ChannelOrder,
    Dim,
    ArraySize,
    Samples,
    MipLevels,
}

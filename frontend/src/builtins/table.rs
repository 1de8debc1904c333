//! The table of builtin functions whose overloads follow a pattern: for each group of functions the
//! generic type, what it ranges over, the parameters in terms of it, and what each function becomes.
//!
//! A scalar argument where a vector is wanted is widened by the caller, so the overloads with scalar
//! operands (`max(gentype, scalar)`, `ldexp(floatn, int)`, `mix(gentype, gentype, float)` …) need no rows of
//! their own.

use super::ext::*;
use super::op::BuiltinOp;
use crate::options::{Features, LangVersion};
use crate::types::Scalar;
use rustc_hash::FxBuildHasher;
use spirv::Op;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// What the generic type of a group ranges over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    /// How candidates spell it.
    pub name: &'static str,
    /// Its element types; the first is preferred.
    pub scalars: &'static [Scalar],
    /// Its numbers of components.
    pub lanes: &'static [u8],
}

/// A parameter or result in terms of the generic type `G` with `n` components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    Void,
    /// The generic type.
    G,
    /// Its element.
    Elem,
    /// `n` components of this type.
    Lanes(Scalar),
    /// `n` signed integers of the element's size.
    SignedLike,
    /// `n` unsigned integers of the element's size.
    UnsignedLike,
    /// `n` integers of twice the element's size and its signedness.
    Wide,
    /// What a relational function gives: int for scalars, else `SignedLike`.
    Truth,
    /// A scalar.
    One(Scalar),
    /// size_t
    Size,
    /// A writable pointer to `G`.
    PtrG,
    /// A writable pointer to `n` ints.
    PtrInt,
    /// This vector.
    Exact(Scalar, u8),
}

/// What a function becomes, by signedness where that matters.
#[derive(Debug, Clone, Copy)]
pub(super) enum Make {
    /// An OpenCL.std instruction.
    Ext(u32),
    /// An OpenCL.std instruction for signed, and one for unsigned elements.
    SignedExt(u32, u32),
    /// For scalars, and for vectors.
    ByShape(BuiltinOp, BuiltinOp),
    /// The operation.
    Plain(BuiltinOp),
}

/// When a group exists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gate {
    /// From this language version on.
    pub since: LangVersion,
    /// With these features.
    pub needs: Features,
}

/// Functions that share a signature.
#[derive(Debug)]
pub(super) struct Group {
    pub family: Family,
    pub ret: Pattern,
    pub params: &'static [Pattern],
    pub gate: Gate,
    pub functions: &'static [(&'static str, Make)],
}

use BuiltinOp::{AnyAll, Relational};
use Make::{ByShape, Ext, Plain};
use Pattern::*;
use Scalar::{Char, Double, Float, Half, Int, Long, Short, UChar, UInt, ULong, UShort};

const ALL_LANES: &[u8] = &[1, 2, 3, 4, 8, 16];
pub(super) const fn family(name: &'static str, scalars: &'static [Scalar]) -> Family {
    Family { name, scalars, lanes: ALL_LANES }
}
const FLOATS: Family = family("gentype", &[Float, Double, Half]);
const FLOAT: Family = family("gentypef", &[Float]);
const SIGNED: Family = family("igentype", &[Int, Long, Short, Char]);
const ANY: Family =
    family("gentype", &[Float, Double, Half, Int, UInt, Long, ULong, Short, UShort, Char, UChar]);
const GEOMETRIC: Family = Family { name: "gentype", scalars: &[Float, Double, Half], lanes: &[1, 2, 3, 4] };
const GEOMETRIC_FLOAT: Family = Family { name: "gentypef", scalars: &[Float], lanes: &[1, 2, 3, 4] };
const CROSS_FAMILY: Family = Family { name: "gentype", scalars: &[Float, Double, Half], lanes: &[3, 4] };
pub(super) const NO_FAMILY: Family = Family { name: "", scalars: &[Int], lanes: &[1] };

const ALWAYS: Gate = since(LangVersion::Cl1_0);
pub(super) const fn since(version: LangVersion) -> Gate {
    Gate { since: version, needs: Features::empty() }
}

/// With features, in every version.
pub(super) const fn with(needs: Features) -> Gate {
    Gate { since: LangVersion::Cl1_0, needs }
}

pub(super) const fn group(
    family: Family,
    ret: Pattern,
    params: &'static [Pattern],
    functions: &'static [(&'static str, Make)],
) -> Group {
    Group { family, ret, params, gate: ALWAYS, functions }
}

pub(super) const fn gated(gate: Gate, group: Group) -> Group {
    Group { gate, ..group }
}

pub(super) const fn work_item(variable: spirv::BuiltIn, indexed: bool, out_of_range: u64) -> Make {
    Plain(BuiltinOp::WorkItem { variable, indexed, out_of_range })
}

const fn fence(semantics: spirv::MemorySemantics) -> Make {
    Plain(BuiltinOp::MemFence { semantics: semantics.bits() })
}

const fn relational(op: Op) -> Make {
    Plain(Relational(op))
}

/// Every group; the sections are those of the OpenCL C specification.
pub(super) static GROUPS: &[Group] = &[
    // §6.15.1 Work-item functions.
    group(
        NO_FAMILY,
        Size,
        &[One(UInt)],
        &[
            ("get_global_size", work_item(spirv::BuiltIn::GlobalSize, true, 1)),
            ("get_global_id", work_item(spirv::BuiltIn::GlobalInvocationId, true, 0)),
            ("get_local_size", work_item(spirv::BuiltIn::WorkgroupSize, true, 1)),
            ("get_local_id", work_item(spirv::BuiltIn::LocalInvocationId, true, 0)),
            ("get_num_groups", work_item(spirv::BuiltIn::NumWorkgroups, true, 1)),
            ("get_group_id", work_item(spirv::BuiltIn::WorkgroupId, true, 0)),
            ("get_global_offset", work_item(spirv::BuiltIn::GlobalOffset, true, 0)),
        ],
    ),
    gated(
        since(LangVersion::Cl2_0),
        group(
            NO_FAMILY,
            Size,
            &[One(UInt)],
            &[("get_enqueued_local_size", work_item(spirv::BuiltIn::EnqueuedWorkgroupSize, true, 1))],
        ),
    ),
    gated(
        since(LangVersion::Cl2_0),
        group(
            NO_FAMILY,
            Size,
            &[],
            &[
                ("get_global_linear_id", work_item(spirv::BuiltIn::GlobalLinearId, false, 0)),
                ("get_local_linear_id", work_item(spirv::BuiltIn::LocalInvocationIndex, false, 0)),
            ],
        ),
    ),
    group(NO_FAMILY, One(UInt), &[], &[("get_work_dim", work_item(spirv::BuiltIn::WorkDim, false, 0))]),
    // §6.15.2 Math functions.
    group(
        FLOATS,
        G,
        &[G],
        &[
            ("acos", Ext(ACOS)),
            ("acosh", Ext(ACOSH)),
            ("acospi", Ext(ACOSPI)),
            ("asin", Ext(ASIN)),
            ("asinh", Ext(ASINH)),
            ("asinpi", Ext(ASINPI)),
            ("atan", Ext(ATAN)),
            ("atanh", Ext(ATANH)),
            ("atanpi", Ext(ATANPI)),
            ("cbrt", Ext(CBRT)),
            ("ceil", Ext(CEIL)),
            ("cos", Ext(COS)),
            ("cosh", Ext(COSH)),
            ("cospi", Ext(COSPI)),
            ("erf", Ext(ERF)),
            ("erfc", Ext(ERFC)),
            ("exp", Ext(EXP)),
            ("exp10", Ext(EXP10)),
            ("exp2", Ext(EXP2)),
            ("expm1", Ext(EXPM1)),
            ("fabs", Ext(FABS)),
            ("floor", Ext(FLOOR)),
            ("lgamma", Ext(LGAMMA)),
            ("log", Ext(LOG)),
            ("log10", Ext(LOG10)),
            ("log1p", Ext(LOG1P)),
            ("log2", Ext(LOG2)),
            ("logb", Ext(LOGB)),
            ("rint", Ext(RINT)),
            ("round", Ext(ROUND)),
            ("rsqrt", Ext(RSQRT)),
            ("sin", Ext(SIN)),
            ("sinh", Ext(SINH)),
            ("sinpi", Ext(SINPI)),
            ("sqrt", Ext(SQRT)),
            ("tan", Ext(TAN)),
            ("tanh", Ext(TANH)),
            ("tanpi", Ext(TANPI)),
            ("tgamma", Ext(TGAMMA)),
            ("trunc", Ext(TRUNC)),
        ],
    ),
    group(
        FLOATS,
        G,
        &[G, G],
        &[
            ("atan2", Ext(ATAN2)),
            ("atan2pi", Ext(ATAN2PI)),
            ("copysign", Ext(COPYSIGN)),
            ("fdim", Ext(FDIM)),
            ("fmax", Ext(FMAX)),
            ("fmin", Ext(FMIN)),
            ("fmod", Ext(FMOD)),
            ("hypot", Ext(HYPOT)),
            ("maxmag", Ext(MAXMAG)),
            ("minmag", Ext(MINMAG)),
            ("nextafter", Ext(NEXTAFTER)),
            ("pow", Ext(POW)),
            ("powr", Ext(POWR)),
            ("remainder", Ext(REMAINDER)),
        ],
    ),
    group(FLOATS, G, &[G, G, G], &[("fma", Ext(FMA)), ("mad", Ext(MAD))]),
    group(FLOATS, G, &[G, Lanes(Int)], &[("ldexp", Ext(LDEXP)), ("pown", Ext(POWN)), ("rootn", Ext(ROOTN))]),
    group(FLOATS, Lanes(Int), &[G], &[("ilogb", Ext(ILOGB))]),
    group(FLOATS, G, &[G, PtrG], &[("fract", Ext(FRACT)), ("modf", Ext(MODF)), ("sincos", Ext(SINCOS))]),
    group(FLOATS, G, &[G, PtrInt], &[("frexp", Ext(FREXP)), ("lgamma_r", Ext(LGAMMA_R))]),
    group(FLOATS, G, &[G, G, PtrInt], &[("remquo", Ext(REMQUO))]),
    group(family("uintn", &[UInt]), Lanes(Float), &[G], &[("nan", Ext(NAN))]),
    gated(with(Features::FP64), group(family("ulongn", &[ULong]), Lanes(Double), &[G], &[("nan", Ext(NAN))])),
    gated(with(Features::FP16), group(family("ushortn", &[UShort]), Lanes(Half), &[G], &[("nan", Ext(NAN))])),
    group(
        FLOAT,
        G,
        &[G],
        &[
            ("half_cos", Ext(HALF_COS)),
            ("half_exp", Ext(HALF_EXP)),
            ("half_exp10", Ext(HALF_EXP10)),
            ("half_exp2", Ext(HALF_EXP2)),
            ("half_log", Ext(HALF_LOG)),
            ("half_log10", Ext(HALF_LOG10)),
            ("half_log2", Ext(HALF_LOG2)),
            ("half_recip", Ext(HALF_RECIP)),
            ("half_rsqrt", Ext(HALF_RSQRT)),
            ("half_sin", Ext(HALF_SIN)),
            ("half_sqrt", Ext(HALF_SQRT)),
            ("half_tan", Ext(HALF_TAN)),
            ("native_cos", Ext(NATIVE_COS)),
            ("native_exp", Ext(NATIVE_EXP)),
            ("native_exp10", Ext(NATIVE_EXP10)),
            ("native_exp2", Ext(NATIVE_EXP2)),
            ("native_log", Ext(NATIVE_LOG)),
            ("native_log10", Ext(NATIVE_LOG10)),
            ("native_log2", Ext(NATIVE_LOG2)),
            ("native_recip", Ext(NATIVE_RECIP)),
            ("native_rsqrt", Ext(NATIVE_RSQRT)),
            ("native_sin", Ext(NATIVE_SIN)),
            ("native_sqrt", Ext(NATIVE_SQRT)),
            ("native_tan", Ext(NATIVE_TAN)),
        ],
    ),
    group(
        FLOAT,
        G,
        &[G, G],
        &[
            ("half_divide", Ext(HALF_DIVIDE)),
            ("half_powr", Ext(HALF_POWR)),
            ("native_divide", Ext(NATIVE_DIVIDE)),
            ("native_powr", Ext(NATIVE_POWR)),
        ],
    ),
    // §6.15.4 Common functions.
    group(FLOATS, G, &[G], &[("degrees", Ext(DEGREES)), ("radians", Ext(RADIANS)), ("sign", Ext(SIGN))]),
    group(FLOATS, G, &[G, G], &[("max", Ext(FMAX_COMMON)), ("min", Ext(FMIN_COMMON)), ("step", Ext(STEP))]),
    group(
        FLOATS,
        G,
        &[G, G, G],
        &[("clamp", Ext(FCLAMP)), ("mix", Ext(MIX)), ("smoothstep", Ext(SMOOTHSTEP))],
    ),
    // §6.15.5 Geometric functions. OpDot wants vectors.
    group(CROSS_FAMILY, G, &[G, G], &[("cross", Ext(CROSS))]),
    group(
        GEOMETRIC,
        Elem,
        &[G, G],
        &[("dot", ByShape(BuiltinOp::Op(Op::FMul), BuiltinOp::Op(Op::Dot))), ("distance", Ext(DISTANCE))],
    ),
    group(GEOMETRIC, Elem, &[G], &[("length", Ext(LENGTH))]),
    group(GEOMETRIC, G, &[G], &[("normalize", Ext(NORMALIZE))]),
    group(GEOMETRIC_FLOAT, Elem, &[G, G], &[("fast_distance", Ext(FAST_DISTANCE))]),
    group(GEOMETRIC_FLOAT, Elem, &[G], &[("fast_length", Ext(FAST_LENGTH))]),
    group(GEOMETRIC_FLOAT, G, &[G], &[("fast_normalize", Ext(FAST_NORMALIZE))]),
    // §6.15.6 Relational functions.
    group(
        FLOATS,
        Truth,
        &[G, G],
        &[
            ("isequal", relational(Op::FOrdEqual)),
            ("isnotequal", relational(Op::FUnordNotEqual)),
            ("isgreater", relational(Op::FOrdGreaterThan)),
            ("isgreaterequal", relational(Op::FOrdGreaterThanEqual)),
            ("isless", relational(Op::FOrdLessThan)),
            ("islessequal", relational(Op::FOrdLessThanEqual)),
            ("islessgreater", relational(Op::FOrdNotEqual)),
            ("isordered", relational(Op::Ordered)),
            ("isunordered", relational(Op::Unordered)),
        ],
    ),
    group(
        FLOATS,
        Truth,
        &[G],
        &[
            ("isfinite", relational(Op::IsFinite)),
            ("isinf", relational(Op::IsInf)),
            ("isnan", relational(Op::IsNan)),
            ("isnormal", relational(Op::IsNormal)),
            ("signbit", relational(Op::SignBitSet)),
        ],
    ),
    group(SIGNED, One(Int), &[G], &[("any", Plain(AnyAll(Op::Any))), ("all", Plain(AnyAll(Op::All)))]),
    group(ANY, G, &[G, G, G], &[("bitselect", Ext(BITSELECT))]),
    group(ANY, G, &[G, G, SignedLike], &[("select", Plain(BuiltinOp::Select))]),
    group(ANY, G, &[G, G, UnsignedLike], &[("select", Plain(BuiltinOp::Select))]),
    // §6.15.8 Synchronization functions, §6.15.9 fences.
    group(NO_FAMILY, Void, &[One(UInt)], &[("barrier", Plain(BuiltinOp::Barrier))]),
    gated(
        since(LangVersion::Cl2_0),
        group(NO_FAMILY, Void, &[One(UInt)], &[("work_group_barrier", Plain(BuiltinOp::Barrier))]),
    ),
    gated(
        since(LangVersion::Cl2_0),
        group(NO_FAMILY, Void, &[One(UInt), One(Int)], &[("work_group_barrier", Plain(BuiltinOp::Barrier))]),
    ),
    group(
        NO_FAMILY,
        Void,
        &[One(UInt)],
        &[
            ("mem_fence", fence(spirv::MemorySemantics::ACQUIRE_RELEASE)),
            ("read_mem_fence", fence(spirv::MemorySemantics::ACQUIRE)),
            ("write_mem_fence", fence(spirv::MemorySemantics::RELEASE)),
        ],
    ),
    // §6.15.12.5
    gated(
        since(LangVersion::Cl2_0),
        group(
            NO_FAMILY,
            Void,
            &[One(UInt), One(Int), One(Int)],
            &[("atomic_work_item_fence", fence(spirv::MemorySemantics::ACQUIRE_RELEASE))],
        ),
    ),
];

/// A function and the group that it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub group: &'static Group,
    pub name: &'static str,
    pub make: Make,
}

/// All groups of all tables.
pub(super) fn groups() -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().chain(super::integer::GROUPS).chain(super::collective::GROUPS)
}

/// The rows by a hash of their names: those of one hash side by side, in the order of the tables.
struct Index {
    /// Where each hash's rows begin; one more, for their end.
    starts: Vec<u16>,
    rows: Vec<Row>,
}

/// So many hashes there are; a power of two.
const HASHES: usize = 512;

fn hash(name: &str) -> usize {
    FxBuildHasher.hash_one(name) as usize % HASHES
}

/// Made once per process, for the first name that is looked up: it must cost little.
static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut unsorted: Vec<(u16, Row)> = Vec::with_capacity(600);
    let mut starts = vec![0u16; HASHES + 1];
    for group in groups() {
        for (name, make) in group.functions {
            let hash = hash(name);
            starts[hash + 1] += 1;
            unsorted.push((hash as u16, Row { group, name, make: *make }));
        }
    }
    for n in 0..HASHES {
        starts[n + 1] += starts[n];
    }
    let mut next = starts.clone();
    let mut order = vec![0u16; unsorted.len()];
    for (n, (hash, _)) in (0..).zip(&unsorted) {
        let place = &mut next[usize::from(*hash)];
        order[usize::from(*place)] = n;
        *place += 1;
    }
    Index { starts, rows: order.into_iter().map(|n| unsorted[usize::from(n)].1).collect() }
});

/// The rows of a name, in the order of the tables.
pub(super) fn rows(name: &str) -> impl Iterator<Item = &'static Row> {
    let index = &*INDEX;
    let hash = hash(name);
    let alike = &index.rows[usize::from(index.starts[hash])..usize::from(index.starts[hash + 1])];
    alike.iter().filter(move |row| row.name == name)
}

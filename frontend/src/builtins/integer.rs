//! The integer functions (§6.15.3): arithmetic, dot products of bytes, bit fields.

use super::ext::*;
use super::op::BuiltinOp;
use super::table::Pattern::{Exact, G, One, SignedLike, UnsignedLike, Wide};
use super::table::{Family, Group, Make, NO_FAMILY, family, gated, group, since, with};
use crate::options::{Features, LangVersion};
use crate::types::Scalar::{Char, Int, Long, Short, UChar, UInt, ULong, UShort};
use Make::{Ext, Plain, SignedExt};
use spirv::Op;

const INTS: Family = family("igentype", &[Int, UInt, Long, ULong, Short, UShort, Char, UChar]);
const INTS_32: Family = family("igentype", &[Int, UInt]);
const INTS_NARROW: Family = family("igentype", &[Int, UInt, Short, UShort, Char, UChar]);

/// A dot product of two vectors of four bytes: the instruction for signed and unsigned, as it takes them.
const fn dot(op: Op, packed: bool, swapped: bool) -> Make {
    Plain(BuiltinOp::IntegerDot { op, packed, swapped })
}

const fn core(op: Op) -> Make {
    Plain(BuiltinOp::Op(op))
}

/// The groups of this section.
pub(super) static GROUPS: &[Group] = &[
    group(INTS, UnsignedLike, &[G], &[("abs", SignedExt(S_ABS, U_ABS))]),
    group(INTS, UnsignedLike, &[G, G], &[("abs_diff", SignedExt(S_ABS_DIFF, U_ABS_DIFF))]),
    group(
        INTS,
        G,
        &[G, G],
        &[
            ("add_sat", SignedExt(S_ADD_SAT, U_ADD_SAT)),
            ("hadd", SignedExt(S_HADD, U_HADD)),
            ("rhadd", SignedExt(S_RHADD, U_RHADD)),
            ("sub_sat", SignedExt(S_SUB_SAT, U_SUB_SAT)),
            ("mul_hi", SignedExt(S_MUL_HI, U_MUL_HI)),
            ("rotate", Ext(ROTATE)),
            ("max", SignedExt(S_MAX, U_MAX)),
            ("min", SignedExt(S_MIN, U_MIN)),
        ],
    ),
    group(
        INTS,
        G,
        &[G, G, G],
        &[
            ("clamp", SignedExt(S_CLAMP, U_CLAMP)),
            ("mad_hi", SignedExt(S_MAD_HI, U_MAD_HI)),
            ("mad_sat", SignedExt(S_MAD_SAT, U_MAD_SAT)),
        ],
    ),
    group(INTS, G, &[G], &[("clz", Ext(CLZ))]),
    gated(since(LangVersion::Cl2_0), group(INTS, G, &[G], &[("ctz", Ext(CTZ))])),
    gated(since(LangVersion::Cl1_2), group(INTS, G, &[G], &[("popcount", Ext(POPCOUNT))])),
    group(INTS_32, G, &[G, G], &[("mul24", SignedExt(S_MUL24, U_MUL24))]),
    group(INTS_32, G, &[G, G, G], &[("mad24", SignedExt(S_MAD24, U_MAD24))]),
    group(INTS_NARROW, Wide, &[G, UnsignedLike], &[("upsample", SignedExt(S_UPSAMPLE, U_UPSAMPLE))]),
    // Dot products of bytes. OpSUDot takes the signed vector first.
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(UInt),
            &[Exact(UChar, 4), Exact(UChar, 4)],
            &[("dot", dot(Op::UDot, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(UInt),
            &[Exact(UChar, 4), Exact(UChar, 4), One(UInt)],
            &[("dot_acc_sat", dot(Op::UDotAccSat, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(Char, 4), Exact(Char, 4)],
            &[("dot", dot(Op::SDot, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(Char, 4), Exact(Char, 4), One(Int)],
            &[("dot_acc_sat", dot(Op::SDotAccSat, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(UChar, 4), Exact(Char, 4)],
            &[("dot", dot(Op::SUDot, false, true))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(UChar, 4), Exact(Char, 4), One(Int)],
            &[("dot_acc_sat", dot(Op::SUDotAccSat, false, true))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(Char, 4), Exact(UChar, 4)],
            &[("dot", dot(Op::SUDot, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8),
        group(
            NO_FAMILY,
            One(Int),
            &[Exact(Char, 4), Exact(UChar, 4), One(Int)],
            &[("dot_acc_sat", dot(Op::SUDotAccSat, false, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8_PACKED),
        group(
            NO_FAMILY,
            One(UInt),
            &[One(UInt), One(UInt)],
            &[("dot_4x8packed_uu_uint", dot(Op::UDot, true, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8_PACKED),
        group(
            NO_FAMILY,
            One(Int),
            &[One(UInt), One(UInt)],
            &[
                ("dot_4x8packed_ss_int", dot(Op::SDot, true, false)),
                ("dot_4x8packed_us_int", dot(Op::SUDot, true, true)),
                ("dot_4x8packed_su_int", dot(Op::SUDot, true, false)),
            ],
        ),
    ),
    gated(
        with(Features::DOT_4X8_PACKED),
        group(
            NO_FAMILY,
            One(UInt),
            &[One(UInt), One(UInt), One(UInt)],
            &[("dot_acc_sat_4x8packed_uu_uint", dot(Op::UDotAccSat, true, false))],
        ),
    ),
    gated(
        with(Features::DOT_4X8_PACKED),
        group(
            NO_FAMILY,
            One(Int),
            &[One(UInt), One(UInt), One(Int)],
            &[
                ("dot_acc_sat_4x8packed_ss_int", dot(Op::SDotAccSat, true, false)),
                ("dot_acc_sat_4x8packed_us_int", dot(Op::SUDotAccSat, true, true)),
                ("dot_acc_sat_4x8packed_su_int", dot(Op::SUDotAccSat, true, false)),
            ],
        ),
    ),
    // Extended bit operations.
    gated(
        with(Features::BIT_OPS),
        group(INTS, G, &[G, G, One(UInt), One(UInt)], &[("bitfield_insert", core(Op::BitFieldInsert))]),
    ),
    gated(
        with(Features::BIT_OPS),
        group(
            INTS,
            SignedLike,
            &[G, One(UInt), One(UInt)],
            &[("bitfield_extract_signed", core(Op::BitFieldSExtract))],
        ),
    ),
    gated(
        with(Features::BIT_OPS),
        group(
            INTS,
            UnsignedLike,
            &[G, One(UInt), One(UInt)],
            &[("bitfield_extract_unsigned", core(Op::BitFieldUExtract))],
        ),
    ),
    gated(with(Features::BIT_OPS), group(INTS, G, &[G], &[("bit_reverse", core(Op::BitReverse))])),
];

//! The words for enumerations: the variant's own name in lower case.

use crate::ir::{
    AtomicOp, BinaryOp, BuiltinInput, ConvertOp, FloatCC, IntCC, Opaque, Rounding, Scalar, Scope, Semantics,
    Space, Stage, Type, UnaryOp, WorkItem,
};
use std::fmt::Debug;

/// The word for a variant.
pub(crate) fn word(variant: impl Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

/// The variant for a word.
pub(crate) fn find<T: Debug + Copy>(all: &[T], text: &str) -> Option<T> {
    all.iter().copied().find(|v| word(v) == text)
}

pub(crate) const UNARY: &[UnaryOp] = {
    use UnaryOp::*;
    &[INeg, Not, FNeg, FAbs, BitReverse, BitCount, IsNan, IsInf, Any, All]
};

/// New ones come last: the packed library has them by their places.
pub(crate) const BINARY: &[BinaryOp] = {
    use BinaryOp::*;
    &[
        IAdd, ISub, IMul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin, SMax,
        UMulHi, SMulHi, FAdd, FSub, FMul, FDiv, FRem, SDot4, UDot4, SUDot4,
    ]
};

pub(crate) const INT_CC: &[IntCC] = {
    use IntCC::*;
    &[Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge]
};

pub(crate) const FLOAT_CC: &[FloatCC] = {
    use FloatCC::*;
    &[OEq, ONe, OLt, OLe, OGt, OGe, Ordered, UEq, UNe, ULt, ULe, UGt, UGe, Unordered]
};

pub(crate) const CONVERT: &[ConvertOp] = {
    use ConvertOp::*;
    &[Trunc, ZExt, SExt, FloatToFloat, SToF, UToF, FToS, FToU]
};

pub(crate) const ROUNDING: &[Rounding] = {
    use Rounding::*;
    &[ToNearestEven, ToZero, ToPositive, ToNegative]
};

pub(crate) const WORK_ITEM: &[WorkItem] = {
    use WorkItem::*;
    &[
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
        NumEnqueuedSubgroups,
        SubgroupEqMask,
        SubgroupGeMask,
        SubgroupGtMask,
        SubgroupLeMask,
        SubgroupLtMask,
        GlobalStart,
        GlobalStartHigh,
        GlobalSizeHigh,
        GlobalOffsetHigh,
    ]
};

pub(crate) const INPUT: &[BuiltinInput] = {
    use BuiltinInput::*;
    &[
        GlobalInvocationId,
        LocalInvocationId,
        WorkgroupId,
        NumWorkgroups,
        LocalInvocationIndex,
        SubgroupSize,
        SubgroupId,
        SubgroupLocalInvocationId,
    ]
};

pub(crate) const ATOMIC: &[AtomicOp] = {
    use AtomicOp::*;
    &[
        Load,
        Store,
        Exchange,
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
    ]
};

pub(crate) const SCOPE: &[Scope] = {
    use Scope::*;
    &[CrossDevice, Device, Workgroup, Subgroup, Invocation]
};

pub(crate) const STAGE: &[Stage] = &[Stage::Read, Stage::Resolved, Stage::Legal, Stage::Structured];

pub(crate) const SPACE: &[Space] =
    &[Space::Private, Space::Local, Space::Constant, Space::Global, Space::Generic, Space::Block];

/// `i32`, `f32x4`, `ptr.global`.
pub(crate) fn find_type(text: &str) -> Option<Type> {
    if let Some(space) = text.strip_prefix("ptr.") {
        return find(SPACE, space).map(Type::Ptr);
    }
    if let Some(number) = text.strip_prefix('o') {
        return number.parse().ok().map(|n| Type::Opaque(Opaque(n)));
    }
    let (scalar, lanes) = text.split_once('x').map_or((text, "1"), |(s, n)| (s, n));
    Some(Type::of(find_scalar(scalar)?, lanes.parse().ok().filter(|n| (1..=16).contains(n))?))
}

/// `i32`
pub(crate) fn find_scalar(text: &str) -> Option<Scalar> {
    use Scalar::*;
    [Bool, I8, I16, I32, I64, F16, F32, F64].into_iter().find(|s| s.to_string() == text)
}

/// `acquire|local`; `relaxed` for none.
pub(crate) fn semantics_word(semantics: Semantics) -> String {
    if semantics.is_empty() {
        return "relaxed".to_owned();
    }
    let names: Vec<String> = semantics.iter_names().map(|(n, _)| n.to_lowercase()).collect();
    names.join("|")
}

/// The reverse of [`semantics_word`].
pub(crate) fn find_semantics(text: &str) -> Option<Semantics> {
    if text == "relaxed" {
        return Some(Semantics::empty());
    }
    text.split('|').map(|n| Semantics::from_name(&n.to_uppercase())).collect()
}

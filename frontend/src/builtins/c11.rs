//! The atomic functions of OpenCL C 2.0 (§6.15.12): generic over the atomic types, which are the plain types of
//! their sizes here; with `_explicit`, the order and the scope are arguments.

use super::special::{is_scalar, made, scalar_pointee};
use super::{Builtin, BuiltinOp, Resolution};
use crate::options::{Features, LangVersion, Options};
use crate::types::{AddressSpace, Scalar, Type, TypeId, Types};
use spirv::Op;

/// What is done to the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Init,
    Store,
    Load,
    Exchange,
    CompareExchange,
    Add,
    Sub,
    Or,
    Xor,
    And,
    Min,
    Max,
    FlagSet,
    FlagClear,
}

/// The access and whether the name ends in `_explicit`.
fn parse(name: &str) -> Option<(Access, bool)> {
    let rest = name.strip_prefix("atomic_")?;
    if rest == "init" {
        return Some((Access::Init, false));
    }
    let (rest, explicit) = rest.strip_suffix("_explicit").map_or((rest, false), |r| (r, true));
    let access = match rest {
        "store" => Access::Store,
        "load" => Access::Load,
        "exchange" => Access::Exchange,
        "compare_exchange_strong" | "compare_exchange_weak" => Access::CompareExchange,
        "fetch_add" => Access::Add,
        "fetch_sub" => Access::Sub,
        "fetch_or" => Access::Or,
        "fetch_xor" => Access::Xor,
        "fetch_and" => Access::And,
        "fetch_min" => Access::Min,
        "fetch_max" => Access::Max,
        "flag_test_and_set" => Access::FlagSet,
        "flag_clear" => Access::FlagClear,
        _ => return None,
    };
    Some((access, explicit))
}

pub(super) fn is_name(name: &str) -> bool {
    parse(name).is_some()
}

/// Resolves a call; `None` where the name is none of these.
pub(super) fn resolve(
    types: &mut Types,
    options: &Options,
    name: &str,
    args: &[TypeId],
) -> Option<Resolution> {
    let (access, explicit) = parse(name)?;
    if options.std < LangVersion::Cl2_0 {
        return Some(Resolution::NotBuiltin);
    }
    let Some((builtin, scoped)) = fit(types, access, explicit, args) else {
        return Some(Resolution::NoMatch(vec![describe(access, explicit, name)]));
    };
    let scalar = scalar_pointee(types, builtin.params[0], false).unwrap_or(Scalar::Int);
    if let Some(feature) = missing(options, access, explicit, scoped, scalar) {
        return Some(Resolution::NeedsFeature(feature));
    }
    Some(Resolution::Match(builtin))
}

/// The feature that a call needs and the device lacks (§6.15.12, "Restrictions"): OpenCL C 2.0 has them all but those
/// of types.
fn missing(
    options: &Options,
    access: Access,
    explicit: bool,
    scoped: bool,
    scalar: Scalar,
) -> Option<&'static str> {
    let has = |feature| options.features.contains(feature);
    let optional = options.std >= LangVersion::Cl3_0 && access != Access::Init;
    match scalar {
        Scalar::Long | Scalar::ULong | Scalar::Double if !has(Features::INT64_ATOMICS) => {
            Some("cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics")
        }
        _ if optional && !explicit && !has(Features::ATOMIC_ORDER_SEQ_CST) => {
            Some("__opencl_c_atomic_order_seq_cst")
        }
        _ if optional && !scoped && !has(Features::ATOMIC_SCOPE_DEVICE) => {
            Some("__opencl_c_atomic_scope_device")
        }
        _ => None,
    }
}

/// The builtin, and whether a scope is given.
fn fit(types: &mut Types, access: Access, explicit: bool, args: &[TypeId]) -> Option<(Builtin, bool)> {
    let (&pointer, rest) = args.split_first()?;
    let scalar = scalar_pointee(types, pointer, access != Access::Load)?;
    let space = types.pointee(pointer)?.space;
    if !matches!(space, AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic) {
        return None;
    }
    let integer = matches!(scalar, Scalar::Int | Scalar::UInt | Scalar::Long | Scalar::ULong);
    let float = matches!(scalar, Scalar::Float | Scalar::Double);
    let operands = match access {
        Access::Load | Access::FlagSet | Access::FlagClear => 0,
        Access::CompareExchange => 2,
        _ => 1,
    };
    let allowed = match access {
        Access::Init | Access::Store | Access::Load | Access::Exchange | Access::CompareExchange => {
            integer || float
        }
        Access::FlagSet | Access::FlagClear => scalar == Scalar::Int,
        _ => integer,
    };
    let orders = if access == Access::CompareExchange { 2 } else { 1 };
    let extra = rest.len().checked_sub(operands)?;
    let counts = if explicit { extra == orders || extra == orders + 1 } else { extra == 0 };
    if !allowed || !counts {
        return None;
    }
    let ty = Types::scalar(scalar);
    let mut params = vec![pointer];
    for (i, arg) in rest.iter().enumerate() {
        if access == Access::CompareExchange && i == 0 {
            let expected =
                types.pointee(*arg).filter(|p| !p.is_const && *types.get(p.ty) == Type::Scalar(scalar));
            expected.filter(|p| p.space != AddressSpace::Constant)?;
            params.push(*arg);
            continue;
        }
        if !is_scalar(types, *arg) {
            return None;
        }
        params.push(if i < operands { ty } else { Types::INT });
    }
    let signed = scalar.is_signed();
    let (op, ret) = match access {
        Access::Init | Access::Store => (Op::AtomicStore, Types::VOID),
        Access::Load => (Op::AtomicLoad, ty),
        Access::Exchange => (Op::AtomicExchange, ty),
        Access::CompareExchange => (Op::AtomicCompareExchange, Types::scalar(Scalar::Bool)),
        Access::Add => (Op::AtomicIAdd, ty),
        Access::Sub => (Op::AtomicISub, ty),
        Access::Or => (Op::AtomicOr, ty),
        Access::Xor => (Op::AtomicXor, ty),
        Access::And => (Op::AtomicAnd, ty),
        Access::Min => (if signed { Op::AtomicSMin } else { Op::AtomicUMin }, ty),
        Access::Max => (if signed { Op::AtomicSMax } else { Op::AtomicUMax }, ty),
        Access::FlagSet => (Op::AtomicFlagTestAndSet, Types::scalar(Scalar::Bool)),
        Access::FlagClear => (Op::AtomicFlagClear, Types::VOID),
    };
    let relaxed = access == Access::Init;
    let op = BuiltinOp::AtomicC11 { op, operands: operands as u8, relaxed };
    Some((made("atomic", op, params, ret)?, extra > orders))
}

fn describe(access: Access, explicit: bool, name: &str) -> String {
    let operands = match access {
        Access::Load | Access::FlagSet | Access::FlagClear => "",
        Access::CompareExchange => ", type *, type",
        _ => ", type",
    };
    let orders = match (explicit, access) {
        (false, _) => "",
        (true, Access::CompareExchange) => ", memory_order, memory_order[, memory_scope]",
        (true, _) => ", memory_order[, memory_scope]",
    };
    format!("{name}(volatile atomic_type *{operands}{orders}) with a __global or __local object")
}

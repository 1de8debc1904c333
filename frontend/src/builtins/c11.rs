//! The atomic functions of OpenCL C 2.0 (§6.15.12): generic over the atomic types; with `_explicit`, the order and
//! the scope are arguments. A pointer to a plain scalar is taken as one to the atomic type: its conversion warns.

use super::op::{Builtin, BuiltinOp, Family, Resolution};
use super::samples::{Sample, exists, pointer, spaces};
use super::special::{is_scalar, is_writable, made};
use crate::options::{Features, LangVersion, Optional, Options};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};
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

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| parse(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let (access, explicit) = parse(name)?;
    if options.atomics_std() < LangVersion::Cl2_0 {
        return Some(Resolution::NotBuiltin);
    }
    let no_match = || Resolution::NoMatch(vec![describe(access, explicit, name)]);
    let Some((pointer, rest)) = args.split_first() else { return Some(no_match()) };
    let Some(object) = object(types, options, access, *pointer) else { return Some(no_match()) };
    let Some((builtin, scoped)) = fit(types, access, explicit, object, rest) else { return Some(no_match()) };
    let lacking = needs(options, access, explicit, scoped, object)
        .difference(options.features.in_version(options.atomics_std()));
    if !lacking.is_empty() {
        return Some(Resolution::NeedsFeature(Optional::name_of(lacking, options.atomics_std())));
    }
    Some(Resolution::Match(builtin))
}

/// What is accessed: the type of the pointer to it (generic for private ones, whose access has no meaning but may be
/// written), its scalar and its space.
#[derive(Debug, Clone, Copy)]
struct Object {
    pointer: TypeId,
    scalar: Scalar,
    space: AddressSpace,
}

fn object(types: &mut Types, options: &Options, access: Access, pointer: TypeId) -> Option<Object> {
    let pointee = types.pointee(pointer).filter(|p| access == Access::Load || is_writable(*p))?;
    let (Type::Atomic(scalar) | Type::Scalar(scalar)) = *types.get(pointee.ty) else { return None };
    let integer = matches!(scalar, Scalar::Int | Scalar::UInt | Scalar::Long | Scalar::ULong);
    let allowed = match access {
        Access::CompareExchange => integer || matches!(scalar, Scalar::Float | Scalar::Double),
        Access::FlagSet | Access::FlagClear => scalar == Scalar::Int,
        Access::Or | Access::Xor | Access::And => integer,
        _ => integer || scalar.is_float(),
    };
    let space = match pointee.space {
        AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic => pointee.space,
        AddressSpace::Private if options.has(Features::GENERIC_ADDRESS_SPACE) => AddressSpace::Generic,
        _ => return None,
    };
    if !allowed {
        return None;
    }
    let ty = types.intern(Type::Atomic(scalar));
    let pointer = types.pointer(QualType { space, ty, ..pointee });
    Some(Object { pointer, scalar, space })
}

/// The features that a call needs (§6.15.12, "Restrictions", and cl_ext_float_atomics).
fn needs(options: &Options, access: Access, explicit: bool, scoped: bool, object: Object) -> Features {
    let mut needs = Features::empty();
    if options.atomics_std() >= LangVersion::Cl3_0 && access != Access::Init {
        needs.set(Features::ATOMIC_ORDER_SEQ_CST, !explicit);
        needs.set(Features::ATOMIC_SCOPE_DEVICE, !scoped);
    }
    needs.set(Features::INT64_ATOMICS, object.scalar.size() == 8);
    let (global, local) = match (object.scalar, access) {
        (Scalar::Half, Access::Load | Access::Store | Access::Exchange) => {
            (Features::FP16_GLOBAL_LOAD_STORE, Features::FP16_LOCAL_LOAD_STORE)
        }
        (Scalar::Half, Access::Add | Access::Sub) => (Features::FP16_GLOBAL_ADD, Features::FP16_LOCAL_ADD),
        (Scalar::Float, Access::Add | Access::Sub) => (Features::FP32_GLOBAL_ADD, Features::FP32_LOCAL_ADD),
        (Scalar::Double, Access::Add | Access::Sub) => (Features::FP64_GLOBAL_ADD, Features::FP64_LOCAL_ADD),
        (Scalar::Half, Access::Min | Access::Max) => {
            (Features::FP16_GLOBAL_MIN_MAX, Features::FP16_LOCAL_MIN_MAX)
        }
        (Scalar::Float, Access::Min | Access::Max) => {
            (Features::FP32_GLOBAL_MIN_MAX, Features::FP32_LOCAL_MIN_MAX)
        }
        (Scalar::Double, Access::Min | Access::Max) => {
            (Features::FP64_GLOBAL_MIN_MAX, Features::FP64_LOCAL_MIN_MAX)
        }
        _ => (Features::empty(), Features::empty()),
    };
    match object.space {
        AddressSpace::Global => needs | global,
        AddressSpace::Local => needs | local,
        _ => needs | global | local,
    }
}

/// Operands after the object, and orders.
fn counts(access: Access) -> (usize, usize) {
    match access {
        Access::Load | Access::FlagSet | Access::FlagClear => (0, 1),
        Access::CompareExchange => (2, 2),
        _ => (1, 1),
    }
}

/// The builtin, and whether a scope is given.
fn fit(
    types: &mut Types,
    access: Access,
    explicit: bool,
    object: Object,
    rest: &[TypeId],
) -> Option<(Builtin, bool)> {
    let Object { pointer, scalar, .. } = object;
    let (operands, orders) = counts(access);
    let extra = rest.len().checked_sub(operands)?;
    if !(if explicit { extra == orders || extra == orders + 1 } else { extra == 0 }) {
        return None;
    }
    let ty = Types::scalar(scalar);
    let mut params = vec![pointer];
    for (i, arg) in rest.iter().enumerate() {
        if access == Access::CompareExchange && i == 0 {
            let expected = types.pointee(*arg).filter(|p| is_writable(*p) && types.plain(p.ty) == ty)?;
            params.push(types.pointer(QualType { ty, ..expected }));
            continue;
        }
        if !is_scalar(types, *arg) {
            return None;
        }
        params.push(if i < operands { ty } else { Types::INT });
    }
    let (op, ret) = operation(access, scalar);
    let op = BuiltinOp::AtomicC11 {
        op,
        operands: operands as u8,
        relaxed: access == Access::Init,
        negated: access == Access::Sub && scalar.is_float(),
    };
    Some((made("atomic", op, params, ret)?, extra > orders))
}

/// The instruction and what it gives.
fn operation(access: Access, scalar: Scalar) -> (Op, TypeId) {
    let ty = Types::scalar(scalar);
    let (signed, float) = (scalar.is_signed(), scalar.is_float());
    match access {
        Access::Init | Access::Store => (Op::AtomicStore, Types::VOID),
        Access::Load => (Op::AtomicLoad, ty),
        Access::Exchange => (Op::AtomicExchange, ty),
        Access::CompareExchange => (Op::AtomicCompareExchange, Types::BOOL),
        Access::Add | Access::Sub if float => (Op::AtomicFAddEXT, ty),
        Access::Min if float => (Op::AtomicFMinEXT, ty),
        Access::Max if float => (Op::AtomicFMaxEXT, ty),
        Access::Add => (Op::AtomicIAdd, ty),
        Access::Sub => (Op::AtomicISub, ty),
        Access::Or => (Op::AtomicOr, ty),
        Access::Xor => (Op::AtomicXor, ty),
        Access::And => (Op::AtomicAnd, ty),
        Access::Min => (if signed { Op::AtomicSMin } else { Op::AtomicUMin }, ty),
        Access::Max => (if signed { Op::AtomicSMax } else { Op::AtomicUMax }, ty),
        Access::FlagSet => (Op::AtomicFlagTestAndSet, Types::BOOL),
        Access::FlagClear => (Op::AtomicFlagClear, Types::VOID),
    }
}

/// Every name.
const NAMES: [&str; 15] = [
    "init",
    "store",
    "load",
    "exchange",
    "compare_exchange_strong",
    "compare_exchange_weak",
    "fetch_add",
    "fetch_sub",
    "fetch_or",
    "fetch_xor",
    "fetch_and",
    "fetch_min",
    "fetch_max",
    "flag_test_and_set",
    "flag_clear",
];

/// Every overload of this file's functions.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    use Scalar::{Double, Float, Half, Int, Long, UInt, ULong};
    if options.atomics_std() < LangVersion::Cl2_0 {
        return;
    }
    for scalar in [Int, UInt, Long, ULong, Half, Float, Double].into_iter().filter(|s| exists(*s, options)) {
        for space in spaces(options) {
            let atomic = types.intern(Type::Atomic(scalar));
            let pointee = QualType { is_volatile: true, ..QualType::in_space(atomic, space) };
            let pointer = types.pointer(pointee);
            for (name, explicit) in NAMES.iter().flat_map(|n| [(*n, false), (*n, true)]) {
                let suffix = if explicit { "_explicit" } else { "" };
                let name = format!("atomic_{name}{suffix}");
                let Some((access, _)) = parse(&name) else { continue };
                let Some(object) = object(types, options, access, pointer) else { continue };
                of_object(types, options, (access, explicit), object, pointer, &name, out);
            }
        }
    }
}

fn of_object(
    types: &mut Types,
    options: &Options,
    (access, explicit): (Access, bool),
    object: Object,
    pointer_type: TypeId,
    name: &str,
    out: &mut Vec<Sample>,
) {
    let ty = Types::scalar(object.scalar);
    let (operands, orders) = counts(access);
    let expected_spaces = match access {
        Access::CompareExchange => spaces(options),
        _ => vec![AddressSpace::Private],
    };
    for space in expected_spaces {
        let expected = pointer(types, ty, space);
        for extra in if explicit { vec![orders, orders + 1] } else { vec![0] } {
            if !options.has(needs(options, access, explicit, extra > orders, object)) {
                continue;
            }
            let mut args = vec![pointer_type];
            args.resize(1 + operands, ty);
            if let (Access::CompareExchange, Some(place)) = (access, args.get_mut(1)) {
                *place = expected;
            }
            args.resize(1 + operands + extra, Types::INT);
            out.push((name.to_owned(), args));
        }
    }
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

//! The builtin functions that no simple pattern describes: their names carry types (`convert_uchar4_sat`),
//! or their pointers decide (`vload4`, `atomic_add`, `async_work_group_copy`).

use super::ext::*;
use super::op::{Builtin, BuiltinOp, Family, Resolution, Rounding};
use super::resolve::conversion_cost;
use super::samples::{ELEMENTS, LANES, Sample, event, exists, pointer, spaces};
use crate::options::{Features, Options};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};
use spirv::Op;

/// A function that is recognised by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Convert { to: (Scalar, u8), saturate: bool, rounding: Option<Rounding> },
    As { to: (Scalar, u8) },
    Vload { lanes: u8 },
    Vstore { lanes: u8 },
    VloadHalf { lanes: u8, aligned: bool },
    VstoreHalf { lanes: u8, aligned: bool, rounding: Option<Rounding> },
    Atomic { kind: Atomic },
    AsyncCopy { strided: bool },
    WaitGroupEvents,
    Prefetch,
    Shuffle { two: bool },
}

/// The operations of the 1.x atomics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atomic {
    Add,
    Sub,
    Exchange,
    Increment,
    Decrement,
    CompareExchange,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| parse(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let special = parse(name)?;
    if let Some(missing) = missing(special, options) {
        return Some(missing);
    }
    let found = match special {
        Special::Convert { to, saturate, rounding } => convert(types, to, saturate, rounding, args),
        Special::As { to } => as_type(types, to, args),
        Special::Vload { lanes } => vload(types, options, lanes, args),
        Special::Vstore { lanes } => vstore(types, options, lanes, args),
        Special::VloadHalf { lanes, aligned } => vload_half(types, lanes, aligned, args),
        Special::VstoreHalf { lanes, aligned, rounding } => {
            vstore_half(types, options, lanes, aligned, rounding, args)
        }
        Special::Atomic { kind } => atomic(types, options, kind, args),
        Special::AsyncCopy { strided } => async_copy(types, strided, args),
        Special::WaitGroupEvents => wait_group_events(types, args),
        Special::Prefetch => prefetch(types, args),
        Special::Shuffle { two } => shuffle(types, two, args),
    };
    Some(match found {
        Some(builtin) => Resolution::Match(builtin),
        None => Resolution::NoMatch(vec![describe(special, name)]),
    })
}

/// `uchar4` and its like.
fn type_name(text: &str) -> Option<(Scalar, u8)> {
    use Scalar::*;
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (name, lanes) = text.split_at(digits);
    let lanes = match lanes {
        "" => 1,
        _ => lane_count(lanes)?,
    };
    let all = [Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double];
    all.into_iter().find(|s| s.name() == name).map(|s| (s, lanes))
}

fn lane_count(text: &str) -> Option<u8> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        "8" => Some(8),
        "16" => Some(16),
        _ => None,
    }
}

/// Takes a rounding suffix off the end.
fn rounding_suffix(text: &str) -> (&str, Option<Rounding>) {
    let suffixes = [
        ("_rte", Rounding::ToNearestEven),
        ("_rtz", Rounding::ToZero),
        ("_rtp", Rounding::ToPositive),
        ("_rtn", Rounding::ToNegative),
    ];
    let found = suffixes.iter().find_map(|(suffix, mode)| Some((text.strip_suffix(suffix)?, *mode)));
    found.map_or((text, None), |(rest, mode)| (rest, Some(mode)))
}

fn parse(name: &str) -> Option<Special> {
    if let Some(rest) = name.strip_prefix("convert_") {
        let (rest, rounding) = rounding_suffix(rest);
        let (rest, saturate) = rest.strip_suffix("_sat").map_or((rest, false), |r| (r, true));
        let to = type_name(rest)?;
        // Saturation is for integers only (§6.4.3.3).
        return (!saturate || to.0.is_integer()).then_some(Special::Convert { to, saturate, rounding });
    }
    if let Some(rest) = name.strip_prefix("as_") {
        return Some(Special::As { to: type_name(rest)? });
    }
    if let Some(rest) = name.strip_prefix("vload") {
        let (rest, aligned) = rest.strip_prefix('a').map_or((rest, false), |r| (r, true));
        return match rest.strip_prefix("_half") {
            Some("") => Some(Special::VloadHalf { lanes: 1, aligned }),
            Some(lanes) => Some(Special::VloadHalf { lanes: lane_count(lanes)?, aligned }),
            None if aligned => None,
            None => Some(Special::Vload { lanes: lane_count(rest)? }),
        };
    }
    if let Some(rest) = name.strip_prefix("vstore") {
        let (rest, aligned) = rest.strip_prefix('a').map_or((rest, false), |r| (r, true));
        let (rest, rounding) = rounding_suffix(rest);
        return match rest.strip_prefix("_half") {
            Some("") => Some(Special::VstoreHalf { lanes: 1, aligned, rounding }),
            Some(lanes) => Some(Special::VstoreHalf { lanes: lane_count(lanes)?, aligned, rounding }),
            None if aligned || rounding.is_some() => None,
            None => Some(Special::Vstore { lanes: lane_count(rest)? }),
        };
    }
    // `atomic_` came with OpenCL C 1.1, as `shuffle` did; compilers have them in 1.0 too.
    for prefix in ["atomic_", "atom_"] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return Some(Special::Atomic { kind: atomic_kind(rest)? });
        }
    }
    Some(match name {
        "async_work_group_copy" => Special::AsyncCopy { strided: false },
        "async_work_group_strided_copy" => Special::AsyncCopy { strided: true },
        "wait_group_events" => Special::WaitGroupEvents,
        "prefetch" => Special::Prefetch,
        "shuffle" => Special::Shuffle { two: false },
        "shuffle2" => Special::Shuffle { two: true },
        _ => return None,
    })
}

fn atomic_kind(text: &str) -> Option<Atomic> {
    Some(match text {
        "add" => Atomic::Add,
        "sub" => Atomic::Sub,
        "xchg" => Atomic::Exchange,
        "inc" => Atomic::Increment,
        "dec" => Atomic::Decrement,
        "cmpxchg" => Atomic::CompareExchange,
        "min" => Atomic::Min,
        "max" => Atomic::Max,
        "and" => Atomic::And,
        "or" => Atomic::Or,
        "xor" => Atomic::Xor,
        _ => return None,
    })
}

/// Returns what stands against the function under these options.
fn missing(special: Special, options: &Options) -> Option<Resolution> {
    match special {
        Special::Convert { to, .. } | Special::As { to } => missing_scalar(to.0, options),
        _ => None,
    }
}

fn missing_scalar(scalar: Scalar, options: &Options) -> Option<Resolution> {
    match scalar {
        Scalar::Double if !options.features.contains(Features::FP64) => {
            Some(Resolution::NeedsFeature("cl_khr_fp64"))
        }
        Scalar::Half if !options.features.contains(Features::FP16) => {
            Some(Resolution::NeedsFeature("cl_khr_fp16"))
        }
        _ => None,
    }
}

/// The signature as text.
fn describe(special: Special, name: &str) -> String {
    let suffix = |lanes: u8| if lanes == 1 { String::new() } else { lanes.to_string() };
    match special {
        Special::Convert { to: (s, n), .. } => {
            format!("{0}{1} {name}(gentype{1}) with {n} components", s.name(), suffix(n))
        }
        Special::As { to: (s, n) } => {
            format!("{}{} {name}(a type of {} bytes)", s.name(), suffix(n), vector_bytes(s, n))
        }
        Special::Vload { lanes } => format!("gentype{lanes} {name}(size_t, const gentype *)"),
        Special::Vstore { lanes } => format!("void {name}(gentype{lanes}, size_t, gentype *)"),
        Special::VloadHalf { lanes, .. } => format!("float{} {name}(size_t, const half *)", suffix(lanes)),
        Special::VstoreHalf { lanes, .. } => format!("void {name}(float{}, size_t, half *)", suffix(lanes)),
        Special::Atomic { kind } => {
            let operands = match kind {
                Atomic::Increment | Atomic::Decrement => "",
                Atomic::CompareExchange => ", type, type",
                _ => ", type",
            };
            format!("type {name}(volatile __global or __local type *{operands}) (type: int, uint)")
        }
        Special::AsyncCopy { strided } => format!(
            "event_t {name}(__local gentype *, const __global gentype *, size_t, {}event_t) or from local to global",
            if strided { "size_t, " } else { "" }
        ),
        Special::WaitGroupEvents => format!("void {name}(int, event_t *)"),
        Special::Prefetch => format!("void {name}(const __global gentype *, size_t)"),
        Special::Shuffle { two } => {
            format!("gentypen {name}(gentypem, {}ugentypen)", if two { "gentypem, " } else { "" })
        }
    }
}

pub(super) fn made(name: &'static str, op: BuiltinOp, params: Vec<TypeId>, ret: TypeId) -> Option<Builtin> {
    Some(Builtin { name, op, params, ret })
}

/// Returns whether a scalar argument can be passed for any scalar number.
pub(super) fn is_scalar(types: &Types, arg: TypeId) -> bool {
    matches!(types.scalar_and_lanes(arg), Some((_, 1))) || arg == Types::ERROR
}

fn convert(
    types: &mut Types,
    (scalar, lanes): (Scalar, u8),
    saturate: bool,
    rounding: Option<Rounding>,
    args: &[TypeId],
) -> Option<Builtin> {
    let &[arg] = args else { return None };
    let (from, n) = types.scalar_and_lanes(arg).filter(|(_, n)| *n == lanes)?;
    let params = vec![types.vector(from, n)];
    let ret = types.vector(scalar, lanes);
    made("convert_type", BuiltinOp::Convert { saturate, rounding }, params, ret)
}

/// §6.4.4.2: the same number of bits, or three components for four of the same size.
fn as_type(types: &mut Types, (scalar, lanes): (Scalar, u8), args: &[TypeId]) -> Option<Builtin> {
    let &[arg] = args else { return None };
    let (from, n) = types.scalar_and_lanes(arg).filter(|(s, _)| *s != Scalar::Bool)?;
    if vector_bytes(from, n) != vector_bytes(scalar, lanes) {
        return None;
    }
    let params = vec![types.vector(from, n)];
    let ret = types.vector(scalar, lanes);
    made("as_type", BuiltinOp::AsType, params, ret)
}

/// `sizeof` a vector: of three components as of four (§6.1.5).
fn vector_bytes(scalar: Scalar, lanes: u8) -> u32 {
    scalar.size() * u32::from(if lanes == 3 { 4 } else { lanes })
}

/// The pointee of a pointer argument when it is one scalar that can be loaded, or stored to.
pub(super) fn scalar_pointee(types: &Types, pointer: TypeId, store: bool) -> Option<Scalar> {
    let pointee = types.pointee(pointer)?;
    if store && !is_writable(pointee) {
        return None;
    }
    match types.get(pointee.ty) {
        Type::Scalar(s) if *s != Scalar::Bool => Some(*s),
        _ => None,
    }
}

pub(super) fn is_writable(pointee: QualType) -> bool {
    !pointee.is_const && pointee.space != AddressSpace::Constant
}

/// Half in memory needs no feature with vload_half, but does with vload.
fn loadable(scalar: Scalar, options: &Options) -> bool {
    missing_scalar(scalar, options).is_none()
}

fn vload(types: &mut Types, options: &Options, lanes: u8, args: &[TypeId]) -> Option<Builtin> {
    let &[offset, pointer] = args else { return None };
    let scalar = scalar_pointee(types, pointer, false).filter(|s| loadable(*s, options))?;
    let ret = types.vector(scalar, lanes);
    let params = vec![types.size_t(), pointer];
    is_scalar(types, offset).then(|| made("vloadn", BuiltinOp::ExtInstLanes(VLOADN), params, ret)).flatten()
}

/// Returns whether `arg` can be passed for a vector (or scalar) of that shape: exactly, or as a scalar.
fn passes(types: &Types, arg: TypeId, shape: (Scalar, u8)) -> bool {
    arg == Types::ERROR || types.scalar_and_lanes(arg).is_some_and(|(s, n)| n == 1 || (s, n) == shape)
}

fn vstore(types: &mut Types, options: &Options, lanes: u8, args: &[TypeId]) -> Option<Builtin> {
    let &[data, offset, mut pointer] = args else { return None };
    let mut scalar = scalar_pointee(types, pointer, true).filter(|s| loadable(*s, options))?;
    // Integers of the other signedness have the same bits; the conversion of the pointer is warned of.
    let given = types.scalar_and_lanes(data).filter(|(s, n)| *n == lanes && s.differs_in_sign(scalar));
    if let Some((given, _)) = given {
        scalar = given;
        let pointee = types.pointee(pointer)?;
        pointer = types.pointer(QualType { ty: Types::scalar(given), ..pointee });
    }
    if !passes(types, data, (scalar, lanes)) || !is_scalar(types, offset) {
        return None;
    }
    let params = vec![types.vector(scalar, lanes), types.size_t(), pointer];
    made("vstoren", BuiltinOp::ExtInst(VSTOREN), params, Types::VOID)
}

fn vload_half(types: &mut Types, lanes: u8, aligned: bool, args: &[TypeId]) -> Option<Builtin> {
    let &[offset, pointer] = args else { return None };
    scalar_pointee(types, pointer, false).filter(|s| *s == Scalar::Half)?;
    if !is_scalar(types, offset) {
        return None;
    }
    let (name, op) = match (lanes, aligned) {
        (1, _) => ("vload_half", BuiltinOp::ExtInst(VLOAD_HALF)),
        (_, false) => ("vload_halfn", BuiltinOp::ExtInstLanes(VLOAD_HALFN)),
        (_, true) => ("vloada_halfn", BuiltinOp::ExtInstLanes(VLOADA_HALFN)),
    };
    let ret = types.vector(Scalar::Float, lanes);
    made(name, op, vec![types.size_t(), pointer], ret)
}

fn vstore_half(
    types: &mut Types,
    options: &Options,
    lanes: u8,
    aligned: bool,
    rounding: Option<Rounding>,
    args: &[TypeId],
) -> Option<Builtin> {
    let &[data, offset, pointer] = args else { return None };
    scalar_pointee(types, pointer, true).filter(|s| *s == Scalar::Half)?;
    let double = matches!(types.scalar_and_lanes(data), Some((Scalar::Double, _)));
    let scalar = if double { Scalar::Double } else { Scalar::Float };
    if !passes(types, data, (scalar, lanes)) || !loadable(scalar, options) || !is_scalar(types, offset) {
        return None;
    }
    let (name, plain, rounded) = match (lanes, aligned) {
        (1, _) => ("vstore_half", VSTORE_HALF, VSTORE_HALF_R),
        (_, false) => ("vstore_halfn", VSTORE_HALFN, VSTORE_HALFN_R),
        (_, true) => ("vstorea_halfn", VSTOREA_HALFN, VSTOREA_HALFN_R),
    };
    let op = rounding.map_or(BuiltinOp::ExtInst(plain), |mode| BuiltinOp::ExtInstRounded(rounded, mode));
    let params = vec![types.vector(scalar, lanes), types.size_t(), pointer];
    made(name, op, params, Types::VOID)
}

/// §6.15.12.8 and the 64-bit extensions: a pointer to global or local memory.
fn atomic(types: &mut Types, options: &Options, kind: Atomic, args: &[TypeId]) -> Option<Builtin> {
    let (pointer, operands) = args.split_first()?;
    let pointee = types.pointee(*pointer).filter(|p| is_writable(*p))?;
    // These functions are for plain integers; a pointer to an atomic one converts, with a warning.
    let (Type::Scalar(scalar) | Type::Atomic(scalar)) = *types.get(pointee.ty) else { return None };
    let space = pointee.space;
    if !matches!(space, AddressSpace::Global | AddressSpace::Local) {
        return None;
    }
    let wide = options.features.contains(Features::INT64_ATOMICS);
    match scalar {
        Scalar::Int | Scalar::UInt => {}
        Scalar::Long | Scalar::ULong if wide => {}
        Scalar::Float if kind == Atomic::Exchange => {}
        _ => return None,
    }
    let signed = scalar.is_signed();
    let (op, count) = match kind {
        Atomic::Add => (Op::AtomicIAdd, 1),
        Atomic::Sub => (Op::AtomicISub, 1),
        Atomic::Exchange => (Op::AtomicExchange, 1),
        Atomic::Increment => (Op::AtomicIIncrement, 0),
        Atomic::Decrement => (Op::AtomicIDecrement, 0),
        Atomic::CompareExchange => (Op::AtomicCompareExchange, 2),
        Atomic::Min if signed => (Op::AtomicSMin, 1),
        Atomic::Min => (Op::AtomicUMin, 1),
        Atomic::Max if signed => (Op::AtomicSMax, 1),
        Atomic::Max => (Op::AtomicUMax, 1),
        Atomic::And => (Op::AtomicAnd, 1),
        Atomic::Or => (Op::AtomicOr, 1),
        Atomic::Xor => (Op::AtomicXor, 1),
    };
    if operands.len() != count || !operands.iter().all(|a| is_scalar(types, *a)) {
        return None;
    }
    let ty = Types::scalar(scalar);
    let mut params = vec![types.pointer(QualType { ty, ..pointee })];
    params.resize(1 + count, ty);
    made("atomic", BuiltinOp::Atomic(op), params, ty)
}

/// The pointee of a pointer to numbers, when it is in `space`.
fn numbers_in(types: &Types, pointer: TypeId, space: AddressSpace) -> Option<QualType> {
    let pointee = types.pointee(pointer).filter(|p| p.space == space)?;
    matches!(types.get(pointee.ty), Type::Scalar(_) | Type::Vector(..)).then_some(pointee)
}

fn async_copy(types: &mut Types, strided: bool, args: &[TypeId]) -> Option<Builtin> {
    use AddressSpace::{Global, Local};
    let (&destination, &source) = (args.first()?, args.get(1)?);
    let (&event, counts) = args.get(2..)?.split_last()?;
    let pair = |to, from| Some((numbers_in(types, destination, to)?, numbers_in(types, source, from)?));
    let (to, from) = pair(Local, Global).or_else(|| pair(Global, Local))?;
    let event_ok = *types.get(event) == Type::Event || is_scalar(types, event);
    let counts_ok = counts.len() == 1 + usize::from(strided) && counts.iter().all(|c| is_scalar(types, *c));
    if to.ty != from.ty || to.is_const || !event_ok || !counts_ok {
        return None;
    }
    let event = types.intern(Type::Event);
    let mut params = vec![destination, source];
    params.resize(2 + counts.len(), types.size_t());
    params.push(event);
    let name = if strided { "async_work_group_strided_copy" } else { "async_work_group_copy" };
    made(name, BuiltinOp::AsyncCopy { strided }, params, event)
}

fn wait_group_events(types: &mut Types, args: &[TypeId]) -> Option<Builtin> {
    let &[count, list] = args else { return None };
    // NULL has no events to wait for.
    let pointee = types.pointee(list).filter(|p| *types.get(p.ty) == Type::Event || p.ty == Types::VOID)?;
    let ty = types.intern(Type::Event);
    let params = vec![Types::INT, types.pointer(QualType { ty, ..pointee })];
    is_scalar(types, count)
        .then(|| made("wait_group_events", BuiltinOp::WaitGroupEvents, params, Types::VOID))
        .flatten()
}

fn prefetch(types: &mut Types, args: &[TypeId]) -> Option<Builtin> {
    let &[pointer, count] = args else { return None };
    numbers_in(types, pointer, AddressSpace::Global)?;
    let params = vec![pointer, types.size_t()];
    is_scalar(types, count).then(|| made("prefetch", BuiltinOp::Prefetch, params, Types::VOID)).flatten()
}

/// §6.15.13: 2, 4, 8 or 16 components on both sides, a mask of unsigned elements of the data's size.
fn shuffle(types: &mut Types, two: bool, args: &[TypeId]) -> Option<Builtin> {
    let (&mask, data) = args.split_last()?;
    let &first = data.first()?;
    if data.len() != 1 + usize::from(two) || data.iter().any(|d| *d != first) {
        return None;
    }
    let (scalar, m) = types.scalar_and_lanes(first)?;
    let (index, n) = types.scalar_and_lanes(mask)?;
    let fits = |lanes: u8| matches!(lanes, 2 | 4 | 8 | 16);
    if !fits(m) || !fits(n) || conversion_cost(index, Scalar::unsigned_of_size(scalar.size())) != 0 {
        return None;
    }
    let ret = types.vector(scalar, n);
    let name = if two { "shuffle2" } else { "shuffle" };
    made(name, BuiltinOp::Shuffle { two }, args.to_vec(), ret)
}

/// Every overload of this file's functions.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    let elements: Vec<Scalar> = ELEMENTS.into_iter().filter(|s| exists(*s, options)).collect();
    let suffix = |lanes: u8| if lanes == 1 { String::new() } else { lanes.to_string() };
    for from in elements.iter().copied() {
        for lanes in LANES {
            let arg = types.vector(from, lanes);
            for to in elements.iter().copied() {
                let name = format!("convert_{}{}", to.name(), suffix(lanes));
                let saturations: &[&str] = if to.is_integer() { &["", "_sat"] } else { &[""] };
                for saturation in saturations {
                    for rounding in ROUNDINGS {
                        out.push((format!("{name}{saturation}{rounding}"), vec![arg]));
                    }
                }
                for m in LANES {
                    if vector_bytes(from, lanes) == vector_bytes(to, m) {
                        out.push((format!("as_{}{}", to.name(), suffix(m)), vec![arg]));
                    }
                }
            }
        }
    }
    memory_samples(types, options, &elements, out);
    atomic_samples(types, options, out);
    group_samples(types, &elements, out);
}

const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

/// vload, vstore and their half forms.
fn memory_samples(types: &mut Types, options: &Options, elements: &[Scalar], out: &mut Vec<Sample>) {
    let size = types.size_t();
    let writable = spaces(options);
    let mut readable = writable.clone();
    readable.push(AddressSpace::Constant);
    for lanes in LANES {
        let suffix = if lanes == 1 { String::new() } else { lanes.to_string() };
        for scalar in elements.iter().copied().filter(|_| lanes > 1) {
            for space in readable.iter().copied() {
                let from = pointer(types, Types::scalar(scalar), space);
                out.push((format!("vload{lanes}"), vec![size, from]));
            }
            let data = types.vector(scalar, lanes);
            for space in writable.iter().copied() {
                let to = pointer(types, Types::scalar(scalar), space);
                out.push((format!("vstore{lanes}"), vec![data, size, to]));
            }
        }
        for form in ["vload_half", "vloada_half"] {
            for space in readable.iter().copied() {
                let from = pointer(types, Types::scalar(Scalar::Half), space);
                out.push((format!("{form}{suffix}"), vec![size, from]));
            }
        }
        for data in [Scalar::Float, Scalar::Double].into_iter().filter(|s| exists(*s, options)) {
            let data = types.vector(data, lanes);
            for form in ["vstore_half", "vstorea_half"] {
                for space in writable.iter().copied() {
                    let to = pointer(types, Types::scalar(Scalar::Half), space);
                    for rounding in ROUNDINGS {
                        out.push((format!("{form}{suffix}{rounding}"), vec![data, size, to]));
                    }
                }
            }
        }
    }
}

/// The 1.x atomics.
fn atomic_samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    let names = ["add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"];
    for scalar in [Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong, Scalar::Float] {
        let wide = scalar.size() == 8;
        if wide && !options.has(Features::INT64_ATOMICS | Features::INT64) {
            continue;
        }
        for space in [AddressSpace::Global, AddressSpace::Local] {
            let ty = Types::scalar(scalar);
            let object = pointer(types, ty, space);
            for name in names {
                let operands = match name {
                    "inc" | "dec" => 0,
                    "cmpxchg" => 2,
                    _ => 1,
                };
                if scalar == Scalar::Float && name != "xchg" {
                    continue;
                }
                let mut args = vec![object];
                args.resize(1 + operands, ty);
                out.extend((!wide).then(|| (format!("atomic_{name}"), args.clone())));
                out.push((format!("atom_{name}"), args));
            }
        }
    }
}

/// Copies, prefetch, shuffles.
fn group_samples(types: &mut Types, elements: &[Scalar], out: &mut Vec<Sample>) {
    let (size, event) = (types.size_t(), event(types));
    let list = pointer(types, event, AddressSpace::Private);
    out.push(("wait_group_events".to_owned(), vec![Types::INT, list]));
    for scalar in elements.iter().copied() {
        for lanes in LANES {
            let ty = types.vector(scalar, lanes);
            let global = pointer(types, ty, AddressSpace::Global);
            let local = pointer(types, ty, AddressSpace::Local);
            for (to, from) in [(local, global), (global, local)] {
                out.push(("async_work_group_copy".to_owned(), vec![to, from, size, event]));
                let strided = vec![to, from, size, size, event];
                out.push(("async_work_group_strided_copy".to_owned(), strided));
            }
            out.push(("prefetch".to_owned(), vec![global, size]));
            if matches!(lanes, 1 | 3) {
                continue;
            }
            for n in [2, 4, 8, 16] {
                let mask = types.vector(Scalar::unsigned_of_size(scalar.size()), n);
                out.push(("shuffle".to_owned(), vec![ty, mask]));
                out.push(("shuffle2".to_owned(), vec![ty, ty, mask]));
            }
        }
    }
}

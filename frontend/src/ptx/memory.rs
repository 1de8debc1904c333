//! Loads and stores (§9.7.8), atomics and fences (§9.7.12).

use super::context::{Context, Inst, Width, scalar};
use super::{Bound, Error, Type, statement};
use crate::builtins::BuiltinOp;
use crate::hir::{BinaryOp, CastKind, Expr, ExprKind, StmtKind};
use crate::options::Features;
use crate::types::{AddressSpace, QualType, Scalar, TypeId, Types};
use spirv::Op;

/// OpenCL C's numbers of memory orders and scopes (§6.15.12.3 and 4 of its specification).
mod number {
    pub const RELAXED: i64 = 0;
    pub const ACQUIRE: i64 = 2;
    pub const RELEASE: i64 = 3;
    pub const ACQ_REL: i64 = 4;
    pub const SEQ_CST: i64 = 5;
    pub const WORK_GROUP: i64 = 1;
    pub const DEVICE: i64 = 2;
    /// CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
    pub const BOTH_MEMORIES: i64 = 3;
}

/// The address space of an instruction's state space; none is generic addressing.
fn space(i: &Inst<'_>) -> Option<AddressSpace> {
    Some(match i.one_of(&["global", "shared", "shared::cta", "const", "local"])? {
        "global" => AddressSpace::Global,
        "const" => AddressSpace::Constant,
        "local" => AddressSpace::Private,
        _ => AddressSpace::Local,
    })
}

/// The type in memory of a type.
fn memory_scalar(ty: Type) -> Scalar {
    let bytes = ty.bits() / 8;
    match ty {
        Type::F32 => Scalar::Float,
        Type::F64 => Scalar::Double,
        _ if ty.is_signed() => Scalar::signed_of_size(bytes),
        _ => Scalar::unsigned_of_size(bytes),
    }
}

/// Returns what an address operand points to, as an object of type `ty`.
fn object(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    operand: &statement::Operand,
    ty: TypeId,
) -> Result<Expr, Error> {
    let statement::Operand::Address(base, offset) = operand else {
        return c.error("an address in brackets was expected");
    };
    let (pointer, space) = base_pointer(c, i, base)?;
    let volatile = i.has("volatile") || i.has("cv");
    let pointee = QualType { is_volatile: volatile, ..QualType::in_space(ty, space) };
    let mut pointer = pointer;
    if *offset != 0 {
        let bytes = c.host.types.pointer(QualType::in_space(Types::scalar(Scalar::UChar), space));
        let start =
            c.node(ExprKind::Cast { kind: CastKind::PointerBitcast, operand: Box::new(pointer) }, bytes);
        let index = Box::new(c.int(*offset, Scalar::Long));
        pointer = c.node(ExprKind::PointerOffset { pointer: Box::new(start), index, subtract: false }, bytes);
    }
    let to = c.host.types.pointer(pointee);
    let pointer = c.node(ExprKind::Cast { kind: CastKind::PointerBitcast, operand: Box::new(pointer) }, to);
    let span = c.host.span;
    Ok(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: pointee, span })
}

/// The pointer that an address begins with, and its space. That of a pointer of the program is known; an integer is an
/// address of the instruction's state space.
fn base_pointer(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    base: &statement::Operand,
) -> Result<(Expr, AddressSpace), Error> {
    let wanted = space(i);
    if let statement::Operand::Bound(index) = base
        && let Some(Bound::Pointer(local, ty)) = c.operands.get(*index).map(|o| o.bound)
    {
        let pointer = c.load(local, ty);
        let Some(pointee) = c.host.types.pointee(ty) else { return c.error("a pointer was expected") };
        return in_space(c, i, pointer, pointee, wanted);
    }
    let generic = c.host.options.has(Features::GENERIC_ADDRESS_SPACE);
    let space = wanted.unwrap_or(if generic { AddressSpace::Generic } else { AddressSpace::Global });
    let bytes = c.host.types.pointer(QualType::in_space(Types::scalar(Scalar::UChar), space));
    // A word is an address where pointers have 32 bits, and in shared memory (§6.4.1).
    let narrow = c.host.types.address_width.bytes() == 4 || space == AddressSpace::Local;
    let value = match c.get(base, Type::U64) {
        Err(_) if narrow => c.get(base, Type::U32)?,
        value => value?,
    };
    let cast = ExprKind::Cast { kind: CastKind::IntToPointer, operand: Box::new(value) };
    Ok((c.node(cast, bytes), space))
}

/// A pointer of the program in the space that an instruction names.
fn in_space(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    pointer: Expr,
    pointee: QualType,
    wanted: Option<AddressSpace>,
) -> Result<(Expr, AddressSpace), Error> {
    match wanted {
        None => Ok((pointer, pointee.space)),
        Some(space) if space == pointee.space => Ok((pointer, space)),
        Some(space) if pointee.space == AddressSpace::Generic && space != AddressSpace::Constant => {
            let to = c.host.types.pointer(QualType { space, ..pointee });
            let cast = ExprKind::Cast { kind: CastKind::PointerSpace, operand: Box::new(pointer) };
            Ok((c.node(cast, to), space))
        }
        Some(_) => c.error(format!(
            "'{}' accesses another state space than that of the pointer, which is {}",
            i.row.name,
            pointee.space.name()
        )),
    }
}

/// Returns how many values a load or store moves.
fn lanes(i: &Inst<'_>) -> u8 {
    match i.one_of(&["v2", "v4"]) {
        Some("v2") => 2,
        Some(_) => 4,
        None => 1,
    }
}

/// The registers of a load or store, as many as it moves.
fn registers<'i>(
    c: &Context<'_>,
    i: &Inst<'i>,
    operand: &'i statement::Operand,
) -> Result<Vec<&'i statement::Operand>, Error> {
    let registers: Vec<&statement::Operand> = match operand {
        statement::Operand::Vector(parts) => parts.iter().collect(),
        one => vec![one],
    };
    if registers.len() == usize::from(lanes(i)) {
        return Ok(registers);
    }
    c.error(format!("'{}' moves {} values, and has {} registers", i.row.name, lanes(i), registers.len()))
}

/// Returns whether an access has an order that only atomics have.
fn is_strong(i: &Inst<'_>) -> bool {
    i.one_of(&["relaxed", "acquire", "release"]).is_some()
}

/// `ld`, `ldu`
pub(super) fn ld(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let registers = registers(c, i, i.operand(0))?;
    let (element, lanes) = (memory_scalar(ty), lanes(i));
    if is_strong(i) {
        let pointer = atomic_pointer(c, i, i.operand(1), element)?;
        let value = c11(c, i, Op::AtomicLoad, pointer, vec![], Types::scalar(element));
        let value = c.cast(value, scalar(ty));
        return c.put_as(
            registers.first().copied().unwrap_or(&statement::Operand::Sink),
            ty,
            value,
            Width::Relaxed,
        );
    }
    let object_type = c.host.types.vector(element, lanes);
    let object = object(c, i, i.operand(1), object_type)?;
    let value = c.node(ExprKind::Load(Box::new(object)), object_type);
    let value = c.temp(value);
    for (n, register) in (0..).zip(registers) {
        let lane = match lanes {
            1 => value.clone(),
            _ => {
                let base = Box::new(value.clone());
                c.node(ExprKind::SwizzleValue { base, components: vec![n] }, Types::scalar(element))
            }
        };
        let lane = c.cast(lane, scalar(ty));
        c.put_as(register, ty, lane, Width::Relaxed)?;
    }
    Ok(())
}

/// `st`
pub(super) fn st(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let (element, lanes) = (memory_scalar(ty), lanes(i));
    let mut values = Vec::new();
    for register in registers(c, i, i.operand(1))? {
        let value = c.get_as(register, ty, Width::Relaxed)?;
        values.push(c.cast(value, element));
    }
    if is_strong(i) {
        let pointer = atomic_pointer(c, i, i.operand(0), element)?;
        let store = c11(c, i, Op::AtomicStore, pointer, values, Types::VOID);
        c.effect(store);
        return Ok(());
    }
    let object_type = c.host.types.vector(element, lanes);
    let object = object(c, i, i.operand(0), object_type)?;
    if object.ty.space == AddressSpace::Constant {
        return c.error("constant memory is not written to");
    }
    let value = match (values.pop(), lanes) {
        (Some(value), 1) => value,
        (last, _) => {
            values.extend(last);
            c.node(ExprKind::VectorLiteral(values), object_type)
        }
    };
    let store = ExprKind::Assign { lhs: Box::new(object), rhs: Box::new(value) };
    let store = c.node(store, object_type);
    c.effect(store);
    Ok(())
}

/// The pointer of an atomic access.
fn atomic_pointer(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    operand: &statement::Operand,
    element: Scalar,
) -> Result<Expr, Error> {
    if lanes(i) != 1 || element.size() < 4 {
        return c.error(format!("'{}' with an order is of one value of 32 or 64 bits here", i.row.name));
    }
    let place = object(c, i, operand, Types::scalar(element))?;
    let local = place.ty.space == AddressSpace::Local;
    if matches!(place.ty.space, AddressSpace::Private | AddressSpace::Constant) {
        return c.error("atomics are of global and shared memory");
    }
    if element.size() == 8 {
        c.needs(Features::INT64_ATOMICS, "an atomic of 64 bits")?;
    }
    if element == Scalar::Double {
        let feature = if local { Features::FP64_LOCAL_ADD } else { Features::FP64_GLOBAL_ADD };
        c.needs(feature, "an atomic of doubles")?;
    }
    match place.kind {
        ExprKind::Deref(pointer) => Ok(*pointer),
        _ => c.error("a pointer was expected"),
    }
}

/// The order that an instruction names (§8.8); none is relaxed.
fn order(i: &Inst<'_>) -> i64 {
    match i.one_of(&["acquire", "release", "acq_rel", "sc"]) {
        Some("acquire") => number::ACQUIRE,
        Some("release") => number::RELEASE,
        Some("acq_rel") => number::ACQ_REL,
        Some(_) => number::SEQ_CST,
        None => number::RELAXED,
    }
}

/// The scope that it names (§8.5). The whole system is the device: other memory is no kernel's to order.
fn scope(i: &Inst<'_>) -> i64 {
    if i.has("cta") { number::WORK_GROUP } else { number::DEVICE }
}

/// An atomic function of OpenCL C 2.0 with the order and scope of the instruction.
fn c11(c: &Context<'_>, i: &Inst<'_>, op: Op, pointer: Expr, operands: Vec<Expr>, ret: TypeId) -> Expr {
    let count = operands.len() as u8;
    let mut args = vec![pointer];
    args.extend(operands);
    let order = order(i);
    args.push(c.int(order, Scalar::Int));
    if op == Op::AtomicCompareExchange {
        // What is only read is not released.
        let failed = match order {
            number::RELEASE => number::RELAXED,
            number::ACQ_REL => number::ACQUIRE,
            other => other,
        };
        args.push(c.int(failed, Scalar::Int));
    }
    args.push(c.int(scope(i), Scalar::Int));
    let params = args.iter().map(|a| a.ty.ty).collect();
    c.call(BuiltinOp::AtomicC11 { op, operands: count, relaxed: false, negated: false }, params, args, ret)
}

const OPERATIONS: [&str; 10] = ["add", "and", "or", "xor", "exch", "cas", "min", "max", "inc", "dec"];

/// `atom`: gives what was there before.
pub(super) fn atom(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let old = atomic(c, i, 1)?;
    c.put(i.operand(0), i.ty(), old)
}

/// `red`
pub(super) fn red(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if i.has("exch") || i.has("cas") {
        return c.error("'red' has no exchange");
    }
    let old = atomic(c, i, 0)?;
    c.effect(old);
    Ok(())
}

/// The instruction of an operation on a type.
fn instruction(c: &Context<'_>, name: &str, ty: Type) -> Result<Op, Error> {
    Ok(match (name, ty.is_float(), ty.is_signed()) {
        ("add", true, _) => Op::AtomicFAddEXT,
        ("add", false, _) => Op::AtomicIAdd,
        ("exch", false, _) => Op::AtomicExchange,
        ("and", false, _) => Op::AtomicAnd,
        ("or", false, _) => Op::AtomicOr,
        ("xor", false, _) => Op::AtomicXor,
        ("min", false, true) => Op::AtomicSMin,
        ("min", false, false) => Op::AtomicUMin,
        ("max", false, true) => Op::AtomicSMax,
        ("max", false, false) => Op::AtomicUMax,
        _ => return c.error(format!("there is no atomic '{name}' of '.{}'", ty.name())),
    })
}

fn atomic(c: &mut Context<'_>, i: &Inst<'_>, address: usize) -> Result<Expr, Error> {
    let ty = i.ty();
    let Some(name) = i.one_of(&OPERATIONS) else {
        return c.error(format!("'{}' needs an operation, such as '.add'", i.row.name));
    };
    let count = i.operands.len() - address - 1;
    if count != if name == "cas" { 2 } else { 1 } {
        return c.error(format!("'{}.{name}' has {} operands", i.row.name, i.operands.len()));
    }
    let element = memory_scalar(ty);
    let pointer = atomic_pointer(c, i, i.operand(address), element)?;
    let value = c.get(i.operand(address + 1), ty)?;
    let value = c.temp(value);
    match name {
        "cas" => {
            let new = c.get(i.operand(address + 2), ty)?;
            let expected = c.new_local(Types::scalar(element));
            c.assign(expected, value);
            let swap = compare_exchange(c, i, pointer, expected, new);
            c.effect(swap);
            Ok(c.load(expected, Types::scalar(element)))
        }
        "inc" | "dec" if ty == Type::U32 => wrapping_step(c, i, name == "inc", pointer, value),
        _ => {
            let op = instruction(c, name, ty)?;
            let old = c11(c, i, op, pointer, vec![value], Types::scalar(element));
            Ok(c.temp(old))
        }
    }
}

/// Compares with the variable `expected` and exchanges; the variable becomes what was there. Gives whether it was equal.
fn compare_exchange(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    pointer: Expr,
    expected: crate::hir::LocalId,
    new: Expr,
) -> Expr {
    let ty = new.ty.ty;
    let private = c.host.types.pointer(QualType::in_space(ty, AddressSpace::Private));
    let address = c.node(ExprKind::AddressOf(Box::new(c.place(expected, ty))), private);
    c11(c, i, Op::AtomicCompareExchange, pointer, vec![address, new], Types::BOOL)
}

/// `inc`: 0 where it was b or more, else one more. `dec`: b where it was 0 or more than b, else one less.
fn wrapping_step(
    c: &mut Context<'_>,
    i: &Inst<'_>,
    up: bool,
    pointer: Expr,
    bound: Expr,
) -> Result<Expr, Error> {
    let seen = c.new_local(Types::UINT);
    let first = c11(c, i, Op::AtomicLoad, pointer.clone(), vec![], Types::UINT);
    c.assign(seen, first);
    let done = c.new_local(Types::BOOL);
    let body = c.block(|c| {
        let old = || c.load(seen, Types::UINT);
        let next = if up {
            let wraps = c.compare(BinaryOp::Ge, old(), bound.clone());
            c.select(wraps, c.uint(0), c.add(old(), c.uint(1)))
        } else {
            let zero = c.compare(BinaryOp::Eq, old(), c.uint(0));
            let above = c.compare(BinaryOp::Gt, old(), bound.clone());
            c.select(c.either(zero, above), bound.clone(), c.sub(old(), c.uint(1)))
        };
        let next = c.temp(next);
        let swap = compare_exchange(c, i, pointer.clone(), seen, next);
        c.assign(done, swap);
        Ok(())
    })?;
    let cond = c.not(c.load(done, Types::BOOL));
    c.push(StmtKind::DoWhile { body: Box::new(body), cond, unroll: None });
    Ok(c.load(seen, Types::UINT))
}

/// `membar`, `fence`: `membar` is a sequentially consistent fence.
pub(super) fn fence(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let order = match order(i) {
        number::RELAXED => number::SEQ_CST,
        order => order,
    };
    let args =
        vec![c.uint(number::BOTH_MEMORIES as u32), c.int(order, Scalar::Int), c.int(scope(i), Scalar::Int)];
    let semantics = spirv::MemorySemantics::ACQUIRE_RELEASE.bits();
    let params = args.iter().map(|a| a.ty.ty).collect();
    let fence = c.call(BuiltinOp::MemFence { semantics }, params, args, Types::VOID);
    c.effect(fence);
    Ok(())
}

/// Hints, which change no result: `prefetch`, `discard` and their like.
pub(super) fn hint(_: &mut Context<'_>, _: &Inst<'_>) -> Result<(), Error> {
    Ok(())
}

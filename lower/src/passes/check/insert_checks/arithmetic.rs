//! Arithmetic without a result: divisions by zero, quotients and conversions that do not fit their type; and shifts beyond the width.
//!
//! ```text
//! x / y        becomes        if (y == 0) report(); x / (y == 0 ? 1 : y)
//! ```
//!
//! OpenCL C gives such divisions an unspecified value (§6.3), C99 such conversions none (6.3.1.4). Shifts are defined: their count is taken modulo the
//! width (§6.3). Shuffles of a sub-group with the index of no member have an undefined value, which many kernels do not use (§6.15.19). Both are looked
//! at only if they are asked for by name.

use super::report::{ReportValues, Reporter, SiteFault, UNKNOWN};
use crate::analysis::ranges::possible_bits;
use crate::check::{Access, Checks, Fault};
use crate::ir::{
    BinaryOp, ConvertOp, FloatCC, Function, GroupOp, Inst, InstKind, IntCC, Scalar, Type, UnaryOp, Value,
    WorkItem, fold,
};
use crate::transform::rewriter::{Rewriter, Site};
use rustc_hash::FxHashSet;

/// Returns whether an operation is a shift.
pub fn is_shift(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)
}

fn is_division(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}

/// The instructions that may be faulty.
pub(super) fn find(f: &Function, checks: Checks) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    if !checks.intersects(Checks::ARITHMETIC | Checks::SHIFTS | Checks::SHUFFLES) {
        return found;
    }
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        let data = &f.insts[*inst];
        let wanted = match data.kind {
            InstKind::Binary(op, _, b) if is_division(op) => data.line.is_marked() && !is_harmless(f, b),
            InstKind::Binary(op, ..) if is_shift(op) => kept_count(f, *inst).is_some(),
            InstKind::Convert { op: ConvertOp::FToS | ConvertOp::FToU, saturate: false, .. } => {
                data.line.is_marked()
            }
            InstKind::Group { op: GroupOp::Shuffle, .. } => {
                data.line.is_marked() && checks.contains(Checks::SHUFFLES)
            }
            _ => false,
        };
        if wanted {
            found.insert(*inst);
        }
    }
    found
}

/// Returns whether a divisor is a constant that divides everything.
fn is_harmless(f: &Function, divisor: Value) -> bool {
    let good = |value: Value| {
        let width = f.ty(value).scalar().map_or(64, Scalar::bits);
        f.const_bits(value).is_some_and(|bits| bits != 0 && bits != fold::mask(width))
    };
    match f.def_inst(divisor).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) => parts.iter().all(|part| good(*part)),
        _ => good(divisor),
    }
}

/// The opaque count of a shift, and the mask that is taken of it (`mark_operations`).
fn kept_count(f: &Function, inst: Inst) -> Option<(Value, Value)> {
    let InstKind::Binary(_, _, masked) = f.insts[inst].kind else { return None };
    let InstKind::Binary(BinaryOp::And, opaque, mask) = f.def_inst(masked)?.kind else { return None };
    let InstKind::Unary(UnaryOp::Opaque, count) = f.def_inst(opaque)?.kind else { return None };
    let width = f.ty(masked).scalar()?.bits();
    (possible_bits(f, count) > u64::from(width) - 1).then_some((count, mask))
}

/// Replaces one by what has a result for all operands, and reports those for which it had none.
pub(super) fn guard(
    rw: &mut Rewriter<'_>,
    point: &mut Site,
    inst: Inst,
    reporter: &mut Reporter<'_>,
) -> Option<Value> {
    let ty = rw.f.ty(rw.f.insts[inst].results[0]);
    match rw.f.insts[inst].kind {
        InstKind::Binary(op, a, b) if is_division(op) => {
            let divisor = divisor(rw, point, (inst, op), (a, b), reporter);
            Some(rw.inst(InstKind::Binary(op, a, divisor), ty))
        }
        InstKind::Binary(op, a, masked) => {
            let Some((count, mask)) = kept_count(rw.f, inst) else {
                rw.keep(inst);
                return None;
            };
            let (bits, ty) = (scalar(ty).bits(), rw.f.ty(masked));
            let width = rw.iconst(ty, bits.into());
            let beyond = rw.icmp(IntCC::Uge, count, width);
            report(rw, point, (inst, Fault::Shift, bits), beyond, count, reporter);
            let count = rw.inst(InstKind::Binary(BinaryOp::And, count, mask), ty);
            Some(rw.inst(InstKind::Binary(op, a, count), rw.f.ty(a)))
        }
        InstKind::Convert { op, value, saturate, rounding } => {
            let from = rw.f.ty(value);
            let outside = outside(rw, op, value, scalar(ty));
            let bits = scalar(from).bits();
            report(rw, point, (inst, Fault::Conversion, bits.max(32)), outside, value, reporter);
            let zero = rw.fconst(from, 0.0);
            let value = rw.inst(InstKind::Select(outside, zero, value), from);
            Some(rw.inst(InstKind::Convert { op, value, saturate, rounding }, ty))
        }
        InstKind::Group { op: GroupOp::Shuffle, ref args, .. } => {
            if let Some(index) = args.get(1).copied() {
                let size = rw.inst(InstKind::WorkItem(WorkItem::SubgroupSize, 0), Type::I32);
                let beyond = rw.icmp(IntCC::Uge, index, size);
                report(rw, point, (inst, Fault::Shuffle, 32), beyond, index, reporter);
            }
            rw.keep(inst);
            None
        }
        _ => {
            rw.keep(inst);
            None
        }
    }
}

fn scalar(ty: Type) -> Scalar {
    ty.scalar().unwrap_or(Scalar::I32)
}

/// The divisor, or 1 for those that divide nothing.
fn divisor(
    rw: &mut Rewriter<'_>,
    point: &mut Site,
    (inst, op): (Inst, BinaryOp),
    (a, b): (Value, Value),
    reporter: &mut Reporter<'_>,
) -> Value {
    let ty = rw.f.ty(b);
    let bits = scalar(ty).bits();
    let (zero, one) = (rw.iconst(ty, 0), rw.iconst(ty, 1));
    let by_zero = rw.icmp(IntCC::Eq, b, zero);
    report(rw, point, (inst, Fault::DivisionByZero, bits), by_zero, a, reporter);
    let mut divisor = rw.inst(InstKind::Select(by_zero, one, b), ty);
    if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
        let least = rw.iconst(ty, 1 << (bits - 1));
        let minus_one = rw.iconst(ty, fold::mask(bits));
        let is_least = rw.icmp(IntCC::Eq, a, least);
        let is_minus_one = rw.icmp(IntCC::Eq, b, minus_one);
        let overflows = rw.binary(BinaryOp::And, is_least, is_minus_one);
        report(rw, point, (inst, Fault::DivisionOverflow, bits), overflows, a, reporter);
        divisor = rw.inst(InstKind::Select(overflows, one, divisor), ty);
    }
    divisor
}

/// Tests if floats, without their fractions, are outside of an integer type.
fn outside(rw: &mut Rewriter<'_>, op: ConvertOp, value: Value, to: Scalar) -> Value {
    let ty = rw.f.ty(value);
    let (digits, largest) = match scalar(ty) {
        Scalar::F16 => (11, 16),
        Scalar::F64 => (53, 1024),
        _ => (24, 128),
    };
    let bits = to.bits() as i32;
    let (least, end) = match op {
        ConvertOp::FToS => (-(2f64.powi(bits - 1)), bits - 1),
        _ => (0.0, bits),
    };
    // A type that has the number below the least one: what lies between them is cut off.
    let low = match bits < digits || op == ConvertOp::FToU {
        true => (FloatCC::OGt, least - 1.0),
        false => (FloatCC::OGe, least),
    };
    let high = if end < largest { 2f64.powi(end) } else { f64::INFINITY };
    let low = match (low, bits > largest) {
        // Every number of the type is above; the infinity is not.
        (_, true) if op == ConvertOp::FToS => (FloatCC::OGt, f64::NEG_INFINITY),
        (low, _) => low,
    };
    let bool_ty = ty.with_scalar(Scalar::Bool);
    let bound = rw.fconst(ty, low.1);
    let above = rw.inst(InstKind::FCmp(low.0, value, bound), bool_ty);
    let bound = rw.fconst(ty, high);
    let below = rw.inst(InstKind::FCmp(FloatCC::OLt, value, bound), bool_ty);
    let inside = rw.binary(BinaryOp::And, above, below);
    rw.inst(InstKind::Unary(UnaryOp::Not, inside), bool_ty)
}

/// Reports a fault if a condition, or some lane of it, is true. The value is that of the first such lane.
fn report(
    rw: &mut Rewriter<'_>,
    point: &mut Site,
    (inst, fault, size): (Inst, Fault, u32),
    condition: Value,
    value: Value,
    reporter: &mut Reporter<'_>,
) {
    let lanes = rw.f.ty(condition).lanes();
    let any = match lanes {
        1 => condition,
        _ => rw.inst(InstKind::Unary(UnaryOp::Any, condition), Type::BOOL),
    };
    let line = rw.f.insts[inst].line;
    let mut fork = point.fork(rw, any, &[]);
    let mut shown = rw.extract(value, lanes - 1);
    for lane in (0..lanes - 1).rev() {
        let (faulty, of_lane) = (rw.extract(condition, lane), rw.extract(value, lane));
        let ty = rw.f.ty(shown);
        shown = rw.inst(InstKind::Select(faulty, of_lane, shown), ty);
    }
    let value = wide(rw, shown);
    let (object, limit) = (rw.iconst(Type::I32, UNKNOWN.into()), rw.iconst(Type::I64, 0));
    let what = SiteFault { fault, access: Access::None, size };
    reporter.report(rw, (what, line), ReportValues { object, value, limit });
    fork.otherwise(point, rw, &[]);
    fork.join(point, rw, &[]);
}

/// A number as 64 bits: integers with their sign, doubles, and other floats as the bits of a float of 32 bits.
fn wide(rw: &mut Rewriter<'_>, value: Value) -> Value {
    match rw.f.ty(value).scalar() {
        Some(Scalar::F64) => rw.bitcast(value, Type::I64),
        Some(Scalar::F16) => {
            let float = rw.convert(ConvertOp::FloatToFloat, value, Type::F32);
            wide(rw, float)
        }
        Some(Scalar::F32) => {
            let bits = rw.bitcast(value, Type::I32);
            rw.int_cast(bits, Type::I64, false)
        }
        _ => rw.int_cast(value, Type::I64, true),
    }
}

//! Arithmetic on single lanes, as OpenCL C has it.

use super::ast::{AtomicOp, Binary, Builtin, Compare, Scalar, Unary};
use super::floats;
use super::memory::{R, Reject};

pub(crate) fn unary(op: Unary, s: Scalar, a: u64) -> u64 {
    match op {
        Unary::Neg if s.is_float() => floats::negated(s, a),
        Unary::Neg => s.wrap(a.wrapping_neg()),
        Unary::Not => s.wrap(!a),
    }
}

pub(crate) fn binary(op: Binary, s: Scalar, a: u64, b: u64) -> R<u64> {
    if s.is_float() {
        return floats::binary(op, s, a, b);
    }
    // Shifts take the amount modulo the width (OpenCL C §6.4.10), of narrow scalars the promoted one's: both are one
    // for the amounts that are let through.
    let shift = b % u64::from(s.bits());
    if matches!(op, Binary::Shl | Binary::Shr) && s.bits() < 32 && b >= u64::from(s.bits()) {
        return Err(Reject("a shift of a narrow integer beyond its width"));
    }
    Ok(match op {
        Binary::Add => s.wrap(a.wrapping_add(b)),
        Binary::Sub => s.wrap(a.wrapping_sub(b)),
        Binary::Mul => s.wrap(a.wrapping_mul(b)),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => s.wrap(a << shift),
        Binary::Shr => s.wrap((s.number(a) >> shift) as u64),
        Binary::Div | Binary::Rem => {
            let (x, y) = (s.number(a), s.number(b));
            let least = -(1i128 << (s.bits() - 1));
            if y == 0 || (s.is_signed() && x == least && y == -1) {
                return Err(Reject("a quotient that does not exist"));
            }
            s.wrap(if op == Binary::Div { x / y } else { x % y } as u64)
        }
    })
}

pub(crate) fn compare(op: Compare, s: Scalar, a: u64, b: u64) -> bool {
    let order = match s.is_float() {
        true => floats::number(s, a).partial_cmp(&floats::number(s, b)),
        false => Some(s.number(a).cmp(&s.number(b))),
    };
    // What is no number differs from all, and nothing else is true of it.
    let Some(order) = order else { return op == Compare::Ne };
    match op {
        Compare::Eq => order.is_eq(),
        Compare::Ne => order.is_ne(),
        Compare::Lt => order.is_lt(),
        Compare::Le => order.is_le(),
        Compare::Gt => order.is_gt(),
        Compare::Ge => order.is_ge(),
    }
}

pub(crate) fn convert(from: Scalar, to: Scalar, a: u64) -> R<u64> {
    match (from.is_float(), to.is_float()) {
        (true, true) => floats::convert(from, to, a),
        (false, true) => Ok(floats::from_integer(to, from.number(a))),
        (true, false) => {
            let n = floats::number(from, a).trunc();
            let fits = n.abs() < 1e30 && to.number(to.wrap(n as i128 as u64)) == n as i128;
            if fits { Ok(to.wrap(n as i128 as u64)) } else { Err(Reject("a float that does not fit")) }
        }
        // C99 6.3.1.3; to a signed type the low bits, as OpenCL devices do.
        (false, false) => Ok(to.wrap(from.number(a) as u64)),
    }
}

/// To the nearest number of an integer type.
pub(crate) fn convert_sat(from: Scalar, to: Scalar, a: u64) -> R<u64> {
    match (from.is_float(), to.is_float()) {
        (_, true) => Err(Reject("a saturated conversion to a float")),
        // §6.4.3.3: what is no number becomes 0, as with Rust's cast.
        (true, false) => Ok(clamp(to, floats::number(from, a) as i128)),
        (false, false) => Ok(clamp(to, from.number(a))),
    }
}

fn clamp(s: Scalar, n: i128) -> u64 {
    let (low, high) = match s.is_signed() {
        true => (-(1i128 << (s.bits() - 1)), (1i128 << (s.bits() - 1)) - 1),
        false => (0, (1i128 << s.bits()) - 1),
    };
    s.wrap(n.clamp(low, high) as u64)
}

/// The whole product, its bits above the 128th lost where there is no sign.
fn product(s: Scalar, a: u64, b: u64) -> i128 {
    match s {
        Scalar::U64 => (u128::from(a) * u128::from(b)) as i128,
        _ => s.number(a) * s.number(b),
    }
}

pub(crate) fn builtin(f: Builtin, s: Scalar, vector: bool, args: &[u64]) -> R<u64> {
    if s.is_float() && f != Builtin::Select {
        return floats::builtin(f, s, args);
    }
    let arg = |n: usize| args.get(n).copied().unwrap_or(0);
    let (a, b, c) = (arg(0), arg(1), arg(2));
    let (x, y) = (s.number(a), s.number(b));
    Ok(match f {
        Builtin::Min => s.wrap(x.min(y) as u64),
        Builtin::Max => s.wrap(x.max(y) as u64),
        // §6.15.3: what clamp does where the limits cross is not defined.
        Builtin::Clamp if y > s.number(c) => return Err(Reject("a clamp without room")),
        Builtin::Clamp => s.wrap(x.clamp(y, s.number(c)) as u64),
        Builtin::Abs => s.wrap(x.unsigned_abs() as u64),
        Builtin::AbsDiff => s.wrap(x.abs_diff(y) as u64),
        Builtin::MadHi => s.wrap((product(s, a, b) >> s.bits()).wrapping_add(s.number(c)) as u64),
        Builtin::MadSat if s == Scalar::U64 => {
            let sum = (u128::from(a) * u128::from(b)).saturating_add(u128::from(c));
            sum.min(u128::from(u64::MAX)) as u64
        }
        Builtin::MadSat => clamp(s, x.wrapping_mul(y) + s.number(c)),
        Builtin::AddSat => clamp(s, x + y),
        Builtin::SubSat => clamp(s, x - y),
        Builtin::Hadd => s.wrap(((x + y) >> 1) as u64),
        Builtin::Rhadd => s.wrap(((x + y + 1) >> 1) as u64),
        Builtin::MulHi => s.wrap((product(s, a, b) >> s.bits()) as u64),
        Builtin::Rotate => {
            let n = (b % u64::from(s.bits())) as u32;
            if n == 0 { a } else { s.wrap(a << n | a >> (s.bits() - n)) }
        }
        Builtin::Clz => u64::from(a.leading_zeros() - (64 - s.bits())),
        Builtin::Popcount => u64::from(a.count_ones()),
        // §6.15.6: of a scalar any bit decides, of a vector's lane the highest.
        Builtin::Select => {
            let yes = if vector { c >> (s.bits() - 1) != 0 } else { c != 0 };
            if yes { b } else { a }
        }
        Builtin::Bitselect => a & !c | b & c,
        _ => return Err(Reject("a function that integers have not")),
    })
}

/// Atomic operations of one class commute; the others are of none.
pub(crate) fn class(op: AtomicOp) -> Option<u8> {
    Some(match op {
        AtomicOp::Add | AtomicOp::Sub | AtomicOp::Inc | AtomicOp::Dec => 1,
        AtomicOp::And => 2,
        AtomicOp::Or => 3,
        AtomicOp::Xor => 4,
        AtomicOp::Min => 5,
        AtomicOp::Max => 6,
        AtomicOp::Xchg | AtomicOp::CmpXchg => return None,
    })
}

pub(crate) fn atomic(op: AtomicOp, s: Scalar, old: u64, value: u64) -> u64 {
    match op {
        AtomicOp::Add => s.wrap(old.wrapping_add(value)),
        AtomicOp::Sub => s.wrap(old.wrapping_sub(value)),
        AtomicOp::Inc => s.wrap(old.wrapping_add(1)),
        AtomicOp::Dec => s.wrap(old.wrapping_sub(1)),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Min => s.wrap(s.number(old).min(s.number(value)) as u64),
        AtomicOp::Max => s.wrap(s.number(old).max(s.number(value)) as u64),
        AtomicOp::Xchg | AtomicOp::CmpXchg => value,
    }
}

//! Active members of a sub-group: bits of ballots' words, and the members that count in a scan.

use crate::ir::{BinaryOp, InstKind, IntCC, Span, Type, Value};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// The number of words of a ballot that have bits.
pub(super) fn ballot_words(target: &Target) -> u8 {
    target.limits.subgroup_size.div_ceil(32).clamp(1, 4) as u8
}

/// Word n of the mask of the members below an index.
pub(crate) fn bits_below(rw: &mut Rewriter<'_>, end: Value, n: u8) -> Value {
    let base = rw.iconst(Type::I32, u64::from(n) * 32);
    let (zero, width) = (rw.iconst(Type::I32, 0), rw.iconst(Type::I32, 32));
    let count = rw.binary(BinaryOp::ISub, end, base);
    let none = rw.icmp(IntCC::Ule, end, base);
    let all = rw.icmp(IntCC::Uge, count, width);
    let shift = rw.binary_const(BinaryOp::And, count, 31);
    let one = rw.iconst(Type::I32, 1);
    let bit = rw.binary(BinaryOp::Shl, one, shift);
    let low = rw.binary_const(BinaryOp::ISub, bit, 1);
    let ones = rw.iconst(Type::I32, u64::MAX);
    let some = rw.inst(InstKind::Select(all, ones, low), Type::I32);
    rw.inst(InstKind::Select(none, zero, some), Type::I32)
}

/// Returns whether words have the bit of a member.
pub(super) fn has_bit(rw: &mut Rewriter<'_>, words: &[Value], member: Value) -> Value {
    let zero = rw.iconst(Type::I32, 0);
    let number = rw.binary_const(BinaryOp::LShr, member, 5);
    let mut word = words.first().copied().unwrap_or(zero);
    for (n, other) in (0..).zip(words).skip(1) {
        let n = rw.iconst(Type::I32, n);
        let here = rw.icmp(IntCC::Eq, number, n);
        word = rw.inst(InstKind::Select(here, *other, word), Type::I32);
    }
    let shift = rw.binary_const(BinaryOp::And, member, 31);
    let bit = rw.binary(BinaryOp::LShr, word, shift);
    let bit = rw.binary_const(BinaryOp::And, bit, 1);
    rw.icmp(IntCC::Ne, bit, zero)
}

/// The new value of a member: `with` another member's value if that one counts for it, else `without`.
/// A member counts if it is active (when some may not be) and within the span (of clusters of a size).
pub(super) fn with_those_who_count(
    rw: &mut Rewriter<'_>,
    (span, cluster): (Span, Option<Value>),
    (lane, member): (Value, Value),
    there: Option<Value>,
    [with, without]: [Value; 2],
) -> Value {
    let near = match span {
        Span::Reduce => None,
        Span::Inclusive => Some(rw.icmp(IntCC::Ule, member, lane)),
        Span::Exclusive => Some(rw.icmp(IntCC::Ult, member, lane)),
        Span::Clustered => {
            let distance = rw.binary(BinaryOp::Xor, lane, member);
            let size = cluster.unwrap_or_else(|| rw.iconst(Type::I32, 1));
            Some(rw.icmp(IntCC::Ult, distance, size))
        }
    };
    let counts = match (there, near) {
        (Some(there), Some(near)) => rw.inst(InstKind::Binary(BinaryOp::And, there, near), Type::BOOL),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return with,
    };
    let ty = rw.f.ty(with);
    rw.inst(InstKind::Select(counts, with, without), ty)
}

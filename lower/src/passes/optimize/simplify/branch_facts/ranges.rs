//! Ranges of integers that branches have compared with constants.

use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::{Block, Function, IntCC, Scalar, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Limit on the ranges of one number; the oldest is forgotten.
const MAX_RANGES: usize = 8;

/// The numbers from `first` up to `last`, modulo 2^n: `last` may be the smaller one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: u64,
    last: u64,
}

impl Range {
    /// The numbers for which a comparison with a constant holds; `None` if that is none or all.
    fn new(cc: IntCC, k: u64, width: u32) -> Option<Range> {
        let all = fold::mask(width);
        let least = 1u64 << (width - 1);
        let (before, after) = (k.wrapping_sub(1) & all, k.wrapping_add(1) & all);
        let (first, last, none) = match cc {
            IntCC::Eq => (k, k, false),
            IntCC::Ne => (after, before, false),
            IntCC::Ult => (0, before, k == 0),
            IntCC::Ule => (0, k, k == all),
            IntCC::Ugt => (after, all, k == all),
            IntCC::Uge => (k, all, k == 0),
            IntCC::Slt => (least, before, k == least),
            IntCC::Sle => (least, k, k == least - 1),
            IntCC::Sgt => (after, least - 1, k == least - 1),
            IntCC::Sge => (k, least - 1, k == least),
        };
        (!none).then_some(Range { first, last })
    }

    /// Whether the range is a subset of another.
    fn is_within(self, other: Range, width: u32) -> bool {
        let from = |n: u64| n.wrapping_sub(other.first) & fold::mask(width);
        from(self.first) <= from(self.last) && from(self.last) <= from(other.last)
    }
}

/// The ranges of numbers, with the blocks where they begin to hold. Blocks that the walk has left dominate no later ones.
#[derive(Default)]
pub(super) struct Ranges(FxHashMap<Value, SmallVec<[(Block, Range); 2]>>);

impl Ranges {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records that a comparison of a number with a constant holds from a block on.
    pub fn note(&mut self, function: &Function, (cc, value, k): (IntCC, Value, u64), from: Block) {
        if let ValueDef::Const(_) = function.values[value].def {
            return;
        }
        let Some(range) = width(function, value).and_then(|width| Range::new(cc, k, width)) else { return };
        let known = self.0.entry(value).or_default();
        if known.len() == MAX_RANGES {
            known.remove(0);
        }
        known.push((from, range));
    }

    /// The result of comparing a number with a constant in a block, if it is known.
    pub fn decide(
        &self,
        function: &Function,
        graph: &Cfg,
        at: Block,
        (cc, value, k): (IntCC, Value, u64),
    ) -> Option<bool> {
        let known = self.0.get(&value)?;
        let width = width(function, value)?;
        let (yes, no) = (Range::new(cc, k, width), Range::new(fold::not_icmp(cc), k, width));
        let here = known.iter().filter(|(from, _)| *from == at || graph.dominates(*from, at));
        here.map(|(_, range)| *range).find_map(|range| {
            let is = |set: Option<Range>| set.is_some_and(|set| range.is_within(set, width));
            if is(yes) { Some(true) } else { is(no).then_some(false) }
        })
    }
}

/// The width of an integer in bits.
fn width(function: &Function, value: Value) -> Option<u32> {
    let ty = function.ty(value);
    ty.scalar().filter(|s| s.is_int() && ty.lanes() == 1).map(Scalar::bits)
}

#[cfg(test)]
mod tests {
    use super::Range;
    use crate::ir::IntCC;
    use crate::ir::fold;

    /// `is_within` is the subset relation, for all pairs of comparisons of 4-bit numbers.
    #[test]
    fn ranges_are_sets() {
        use IntCC::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let all = [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge];
        let members = |cc, k| (0..16u64).filter(move |n| fold::icmp(cc, 4, *n, k));
        for (a, j) in all.iter().flat_map(|a| (0..16).map(move |j| (*a, j))) {
            let Some(range) = Range::new(a, j, 4) else {
                assert!([0, 16].contains(&members(a, j).count()), "{a:?} {j}");
                continue;
            };
            for (b, k) in all.iter().flat_map(|b| (0..16).map(move |k| (*b, k))) {
                if let Some(set) = Range::new(b, k, 4) {
                    let expected = members(a, j).all(|n| fold::icmp(b, 4, n, k));
                    assert_eq!(range.is_within(set, 4), expected, "{a:?} {j} {b:?} {k}");
                }
            }
        }
    }
}

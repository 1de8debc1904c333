//! Symbolic trip counts: an upper bound of the iterations of all loops of a kernel, as a formula of a launch's arguments and sizes.
//!
//! A driver may end loops that iterate too often ([`Quirks::max_iterations`](crate::Quirks::max_iterations)). The launch often knows the bounds:
//!
//! ```text
//! for (i = 0; i < n; i++) for (j = get_global_id(0); j < m; j += get_global_size(0)) …     (n + 3) * (m / size + 3) + …
//! ```
//!
//! The pass `loop_watchdog` computes the formula. [`KernelInfo::iterations`](crate::KernelInfo::iterations) has it, and the host evaluates it.

use crate::ir::{BinaryOp, Scalar, fold};
use serde::{Deserialize, Serialize};

/// The largest number of terms in a formula.
const MAX: usize = 128;
/// The largest number of lanes of a driver's vectors.
const LANES: u64 = 16;

/// A formula: an unsigned integer that depends on the launch. Arithmetic saturates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// A constant.
    Number(u64),
    /// Bytes of an argument that is a value.
    Argument {
        /// The argument's number.
        index: u32,
        /// The offset of the first byte.
        offset: u32,
        /// The number of bytes.
        bytes: u32,
    },
    /// The global size in a dimension.
    GlobalSize(u8),
    /// The sum of the global offset, the global size and the lanes of a vector, in a dimension. Lanes need not be work-items.
    GlobalEnd(u8),
    /// The work-group size in a dimension.
    LocalSize(u8),
    /// The result of an instruction on integers of this many bits.
    Computed(BinaryOp, u32, Box<[Count; 2]>),
    /// The sign extension of an integer of this many bits.
    Extended(u32, Box<Count>),
    /// `a + b`
    Sum(Box<[Count; 2]>),
    /// `a * b`
    Product(Box<[Count; 2]>),
    /// `a / b`; unknown where `b` is 0.
    Quotient(Box<[Count; 2]>),
    /// The minimum of two bounds. One may be unknown.
    Min(Box<[Count; 2]>),
    /// The number if it is below this bound; else unknown.
    Below(u64, Box<Count>),
    /// The second number if the first is below this bound; else unknown.
    Guarded(u64, Box<[Count; 2]>),
}

/// The facts about a launch that formulas use.
#[derive(Clone, Copy)]
pub struct LaunchFacts<'a> {
    /// The bytes of the arguments that are values, by number.
    pub argument: &'a dyn Fn(u32) -> Option<&'a [u8]>,
    /// The global size.
    pub global: [u64; 3],
    /// The global offset.
    pub offset: [u64; 3],
    /// The work-group size, if all work-groups have the same.
    pub local: Option<[u64; 3]>,
}

impl Count {
    /// The constant, if the formula is one.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Count::Number(n) => Some(*n),
            _ => None,
        }
    }

    pub(crate) fn plus(self, other: Count) -> Count {
        match (&self, &other) {
            (Count::Number(a), Count::Number(b)) => Count::Number(a.saturating_add(*b)),
            (Count::Number(0), _) => other,
            (_, Count::Number(0)) => self,
            _ => Count::Sum(Box::new([self, other])),
        }
    }

    pub(crate) fn times(self, other: Count) -> Count {
        match (&self, &other) {
            (Count::Number(a), Count::Number(b)) => Count::Number(a.saturating_mul(*b)),
            (Count::Number(1), _) => other,
            (_, Count::Number(1)) => self,
            _ => Count::Product(Box::new([self, other])),
        }
    }

    pub(crate) fn over(self, other: Count) -> Count {
        match (&self, &other) {
            (Count::Number(a), Count::Number(b)) if *b != 0 => Count::Number(a / b),
            (_, Count::Number(1)) => self,
            _ => Count::Quotient(Box::new([self, other])),
        }
    }

    pub(crate) fn or_less(self, other: Count) -> Count {
        match (&self, &other) {
            (Count::Number(a), Count::Number(b)) => Count::Number(*a.min(b)),
            _ => Count::Min(Box::new([self, other])),
        }
    }

    /// The number if it is below a bound; else unknown.
    pub(crate) fn below(self, bound: u64) -> Count {
        match self {
            Count::Number(n) if n < bound => self,
            _ => Count::Below(bound, Box::new(self)),
        }
    }

    /// The number if another is below a bound; else unknown.
    pub(crate) fn guarded_by(self, other: Count, bound: u64) -> Count {
        match other {
            Count::Number(n) if n < bound => self,
            _ => Count::Guarded(bound, Box::new([other, self])),
        }
    }

    /// The formula is small enough to keep.
    pub(crate) fn is_small(&self) -> bool {
        fn size(count: &Count) -> usize {
            match count {
                Count::Computed(_, _, of)
                | Count::Sum(of)
                | Count::Product(of)
                | Count::Quotient(of)
                | Count::Min(of)
                | Count::Guarded(_, of) => 1 + size(&of[0]) + size(&of[1]),
                Count::Extended(_, of) | Count::Below(_, of) => 1 + size(of),
                _ => 1,
            }
        }
        size(self) <= MAX
    }

    /// Evaluates the formula for a launch; `None` if the result is unknown.
    #[must_use]
    pub fn evaluate(&self, launch: &LaunchFacts<'_>) -> Option<u64> {
        let both = |of: &[Count; 2]| Some((of[0].evaluate(launch)?, of[1].evaluate(launch)?));
        // Sizes are 32-bit numbers to a kernel, and steps of loops: none is 0.
        let size = |n: u64| Some(n).filter(|n| (1..1 << 32).contains(n));
        let at = |dim: &u8, list: &[u64; 3]| list.get(usize::from(*dim)).copied();
        match self {
            Count::Number(n) => Some(*n),
            Count::Argument { index, offset, bytes } => {
                let (start, length) = (*offset as usize, *bytes as usize);
                let value = (launch.argument)(*index)?.get(start..start.checked_add(length)?)?;
                Some(value.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
            }
            Count::GlobalSize(dim) => size(at(dim, &launch.global)?),
            Count::GlobalEnd(dim) => {
                let end = at(dim, &launch.global)?.checked_add(at(dim, &launch.offset)?)?;
                size(end.checked_add(LANES)?)
            }
            Count::LocalSize(dim) => size(at(dim, launch.local.as_ref()?)?),
            Count::Computed(op, bits, of) => {
                let (a, b) = both(of)?;
                let mask = fold::mask(*bits);
                fold::binary(*op, integer(*bits)?, a & mask, b & mask).map(|value| value & mask)
            }
            Count::Extended(bits, of) => Some(fold::signed(of.evaluate(launch)?, *bits).cast_unsigned()),
            Count::Sum(of) => both(of).map(|(a, b)| a.saturating_add(b)),
            Count::Product(of) => both(of).map(|(a, b)| a.saturating_mul(b)),
            Count::Quotient(of) => both(of).and_then(|(a, b)| a.checked_div(b)),
            Count::Min(of) => match (of[0].evaluate(launch), of[1].evaluate(launch)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            Count::Below(bound, of) => of.evaluate(launch).filter(|n| n < bound),
            Count::Guarded(bound, of) => both(of).filter(|(n, _)| n < bound).map(|(_, value)| value),
        }
    }
}

fn integer(bits: u32) -> Option<Scalar> {
    match bits {
        8 => Some(Scalar::I8),
        16 => Some(Scalar::I16),
        32 => Some(Scalar::I32),
        64 => Some(Scalar::I64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::pipeline::run_pass;
    use crate::{LowerOptions, Target};

    /// The bound for a kernel with two 32-bit arguments and one loop, in a launch of 1,024 work-items in groups of 64.
    fn counted(first: &str, test: &str, next: &str, arguments: [u32; 2]) -> Option<u64> {
        let source = format!(
            "module read bits=64\nkernel \"k\" f0\n  arg \"n\" \"uint\" () value size=4 align=4 leaves=(0)\n  \
             arg \"m\" \"uint\" () value size=4 align=4 leaves=(0)\nfunc f0 \"k\" returns ()\nb0():\n  \
             v20: ptr.block = rootaddr block\n  v0: i32 = load [v20], align=4\n  v21: ptr.block = ptroffset v20, 4\n  \
             v1: i32 = load [v21], align=4\n  v2: i32 = workitem.localsize 0\n  v3: i32 = workitem.globalsize 0\n  \
             v4: i32 = workitem.globalid 0\n  v5: i32 = iadd v0, v1\n  v10: i32 = workitem.groupid 0\n  \
             v11: i32 = imul v10, v1\n  v12: i32 = iadd v11, v1\n  v13: i32 = smin v12, v0\n  v14: i32 = umin v12, v0\n  v15: i32 = ineg v0\n  br b1({first})\nb1(v6: i32):\n  \
             v7: bool = icmp.{test}\n  condbr v7, b2(), b3()\nb2():\n  v9: i32 = {next}\n  br b1(v9)\nb3():\n  return()\n"
        );
        counted_in(&source, arguments)
    }

    fn counted_in(source: &str, arguments: [u32; 2]) -> Option<u64> {
        let mut module = parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut target = Target::minimum();
        target.quirks.max_iterations = Some(65535);
        let options = LowerOptions { iterations: crate::Iterations::Few, ..LowerOptions::default() };
        run_pass("loop_watchdog", &mut module, &target, &options).unwrap_or_else(|e| panic!("{e}"));
        let again = parse(&module.to_string()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(again.to_string(), module.to_string());
        let kernel = &again.kernels[0];
        assert_ne!(kernel.iterations.is_some(), kernel.watches_loops, "{module}");
        let bytes = arguments.map(u32::to_le_bytes);
        let argument = |index: u32| bytes.get(index as usize).map(|bytes| &bytes[..]);
        let launch = LaunchFacts {
            argument: &argument,
            global: [1024, 1, 1],
            offset: [0; 3],
            local: Some([64, 1, 1]),
        };
        kernel.iterations.as_ref()?.evaluate(&launch)
    }

    #[test]
    fn trip_counts_that_a_launch_knows() {
        for (first, test, next, arguments, min, max) in [
            ("i32:0", "ult v6, v0", "iadd v6, i32:1", [100, 0], 101, 110),
            ("i32:0", "slt v6, v0", "iadd v6, i32:2", [100, 0], 51, 60),
            ("i32:0", "slt v6, v0", "iadd v6, i32:1", [u32::MAX, 0], 1, 10),
            ("i32:-50", "slt v6, v0", "iadd v6, i32:1", [-10i32 as u32, 0], 41, 60),
            ("v4", "ult v6, v0", "iadd v6, v3", [1 << 20, 0], 1025, 1030),
            ("v4", "ult v6, v0", "iadd v6, v2", [1 << 20, 0], 16385, 16390),
            ("v0", "sgt v6, i32:0", "iadd v6, i32:-1", [100, 0], 101, 110),
            ("v0", "ne v6, i32:0", "iadd v6, i32:-1", [100, 0], 101, 110),
            ("v0", "ne v6, v5", "iadd v6, i32:1", [100, 7], 8, 15),
            ("i32:0", "ult v6, v5", "iadd v6, v1", [100, 10], 12, 20),
            ("i32:0", "ult v6, v4", "iadd v6, i32:1", [0, 0], 1025, 1050),
            // The part of a work-group: from `group * m` to `min(group * m + m, n)`.
            ("v11", "slt v6, v13", "iadd v6, i32:1", [1 << 20, 60_000], 60_000, 60_010),
            ("v11", "slt v6, v13", "iadd v6, v1", [1 << 20, 4096], 2, 10),
            ("v11", "ult v6, v14", "iadd v6, i32:1", [1 << 20, 60_000], 60_000, 60_010),
            ("v11", "ult v6, v12", "iadd v6, i32:1", [0, 1000], 1000, 1010),
            ("v11", "slt v6, v0", "iadd v6, v1", [32_000, 100], 320, 330),
            // A window: from `-n` to `n`, or to `m`.
            ("v15", "sle v6, v0", "iadd v6, i32:1", [5, 0], 10, 20),
            ("v15", "slt v6, v1", "iadd v6, i32:1", [30_000, 30_000], 60_000, 60_010),
            ("v15", "slt v6, v1", "iadd v6, i32:1", [-100i32 as u32, 50], 0, 10),
        ] {
            let found = counted(first, test, next, arguments);
            let found = found.unwrap_or_else(|| panic!("{first}, {test}, {next}"));
            assert!((min..=max).contains(&found), "{first}, {test}, {next}: {found}");
        }
    }

    /// The rest of a loop by 8: `for (i = 0; i + 8 <= n; i += 8) …  for (; i < n; i++) …`. The second starts where the first ended.
    #[test]
    fn a_loop_that_starts_where_another_ended() {
        let source = "module read bits=64\nkernel \"k\" f0\n  arg \"n\" \"uint\" () value size=4 align=4 leaves=(0)\n  \
             arg \"m\" \"uint\" () value size=4 align=4 leaves=(0)\nfunc f0 \"k\" returns ()\nb0():\n  \
             v20: ptr.block = rootaddr block\n  v0: i32 = load [v20], align=4\n  br b1(i32:0)\n\
             b1(v1: i32):\n  v2: i32 = iadd v1, i32:8\n  v3: bool = icmp.sle v2, v0\n  condbr v3, b2(), b3(v1)\n\
             b2():\n  br b1(v2)\nb3(v4: i32):\n  v5: bool = icmp.slt v4, v0\n  condbr v5, b4(), b5()\n\
             b4():\n  v6: i32 = iadd v4, i32:1\n  br b3(v6)\nb5():\n  return()\n";
        let found = counted_in(source, [1000, 0]).expect("a bound");
        assert!((1000..2200).contains(&found), "{found}");
        assert_eq!(counted_in(source, [70_000, 0]), None);
    }

    #[test]
    fn trip_counts_that_are_too_large_or_unknown() {
        for (first, test, next, arguments) in [
            ("i32:0", "ult v6, v0", "iadd v6, i32:1", [70_000, 0]),
            ("i32:0", "ult v6, v0", "iadd v6, i32:1", [u32::MAX, 0]),
            ("i32:0", "ult v6, v0", "iadd v6, v1", [100, 0]),
            ("i32:0", "ult v6, v0", "iadd v6, v1", [100, 0x8000_0000]),
            ("v1", "slt v6, v0", "iadd v6, i32:1", [100, 0x8000_0000]),
            ("v11", "slt v6, v13", "iadd v6, i32:1", [1 << 20, 70_000]),
            ("v15", "slt v6, v1", "iadd v6, i32:1", [40_000, 40_000]),
            ("v15", "slt v6, v1", "iadd v6, i32:1", [1 << 31, 0x7fff_ffff]),
            ("v11", "slt v6, v13", "iadd v6, i32:1", [1 << 20, 0x8000_0000]),
            ("v11", "ult v6, v14", "iadd v6, v1", [u32::MAX, 1 << 29]),
            ("v0", "sgt v6, i32:0", "iadd v6, i32:-1", [70_000, 0]),
            ("v0", "ne v6, i32:0", "iadd v6, i32:-1", [70_000, 0]),
            ("v0", "ne v6, v1", "iadd v6, i32:1", [100, 7]),
            ("v0", "ne v6, v1", "iadd v6, i32:3", [7, 100]),
            ("i32:0", "ult v6, v0", "shl v6, i32:1", [7, 100]),
        ] {
            assert_eq!(counted(first, test, next, arguments), None, "{first}, {test}, {next}");
        }
    }
}

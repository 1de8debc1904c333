//! Guards of rules: named predicates on what a pattern matched.

use super::pattern::VARS;
use crate::analysis::ranges::possible_bits;
use crate::analysis::uses::Uses;
use crate::ir::{Function, Scalar, Type, Value, fold};
use crate::target::Target;
use std::cell::Cell;

/// The inputs of guards besides the function.
#[derive(Clone, Copy, Default)]
pub(crate) struct Facts<'a> {
    /// Whether 8- and 16-bit integers were widened: no new operation on them is legal.
    pub widened: [bool; 2],
    /// The uses of values, if they were counted.
    pub uses: Option<&'a Uses>,
    /// The device, for rules that it gates.
    pub target: Option<&'a Target>,
}

impl Facts<'_> {
    /// Whether new operations on a type are legal.
    pub(crate) fn computes(&self, ty: Type) -> bool {
        match ty.scalar() {
            Some(Scalar::I8) => !self.widened[0],
            Some(Scalar::I16) => !self.widened[1],
            _ => true,
        }
    }
}

/// The bits that the last value asked for may have set: several rules ask for those of one operand.
#[derive(Default)]
pub(crate) struct KnownBits(Cell<Option<(Value, u64)>>);

impl KnownBits {
    fn bits(&self, f: &Function, value: Value) -> u64 {
        match self.0.get() {
            Some((last, bits)) if last == value => bits,
            _ => {
                let bits = possible_bits(f, value);
                self.0.set(Some((value, bits)));
                bits
            }
        }
    }
}

/// The bits that an integer may have set, and its width. The bits of a constant are exact.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub bits: u64,
    pub width: u32,
}

/// A predicate on variables of a rule.
#[derive(Clone, Copy)]
pub(crate) enum Guard {
    /// On the bits that integers may have set. It holds for fewer bits where it holds for more.
    Bits(fn(&[Known]) -> bool, &'static [u8]),
    /// On constants, and on the widths of other variables, whose bits count as 0.
    Constants(fn(&[Known]) -> bool, &'static [u8]),
    /// On the width of the result, and the widths of variables.
    Widths(fn(u32, &[u32]) -> bool, &'static [u8]),
    /// On types: integers that are no truth values.
    Integer(&'static [u8]),
    /// On types otherwise. The rule is right without it.
    Types(fn(&[Type]) -> bool, &'static [u8]),
    /// New operations on the type are legal.
    Legal(&'static [u8]),
    /// The value has no other use.
    SingleUse(&'static [u8]),
    /// The value is no constant.
    Computed(&'static [u8]),
    /// On the device, and on the types of variables.
    Device(fn(&Target, &[Type]) -> bool, &'static [u8]),
}

macro_rules! predicates {
    ($kind:ident: $($(#[$doc:meta])* $name:ident = $holds:expr;)*) => {
        $($(#[$doc])* pub(crate) const fn $name(vars: &'static [u8]) -> Guard { Guard::$kind($holds, vars) })*
    };
}

predicates! { Bits:
    /// The sign bits are clear.
    not_negative = |v| v.iter().all(|v| v.bits >> (v.width - 1) & 1 == 0);
    /// No bit is set in both.
    disjoint = |v| v[0].bits & v[1].bits == 0;
    /// All bits of the first are set in the second, a constant.
    within = |v| v[0].bits & !v[1].bits == 0;
    /// A left shift of the first by the second, a constant, leaves no bit.
    lost_by_shl = |v| v[1].bits < u64::from(v[1].width) && v[0].bits << v[1].bits & fold::mask(v[0].width) == 0;
    /// A right shift of the first by the second, a constant, leaves no bit.
    lost_by_lshr = |v| v[1].bits < u64::from(v[1].width) && v[0].bits >> v[1].bits == 0;
    /// A mask, the second, takes no bit of the first that a left shift by the third leaves.
    unmasked_by_shl = |v| {
        v[2].bits < u64::from(v[2].width) && (v[0].bits & !v[1].bits) << v[2].bits & fold::mask(v[0].width) == 0
    };
    /// A mask, the second, takes no bit of the first that a right shift by the third leaves.
    unmasked_by_lshr = |v| v[2].bits < u64::from(v[2].width) && (v[0].bits & !v[1].bits) >> v[2].bits == 0;
}

predicates! { Constants:
    /// A power of two.
    power_of_two = |v| v[0].bits.is_power_of_two();
    /// A constant of the form 0…01…1.
    low_mask = |v| v[0].bits & v[0].bits.wrapping_add(1) == 0;
    /// Less than the width.
    below_width = |v| v.iter().all(|v| v.bits < u64::from(v.width));
    /// The sum of two is less than the width.
    sum_below_width = |v| v[0].bits + v[1].bits < u64::from(v[0].width);
    /// The sum of two, each less than the width, is not.
    sum_reaches_width = |v| v[0].bits + v[1].bits >= u64::from(v[0].width);
    /// The mask of the width of the second.
    mask_of_width = |v| v[0].bits == fold::mask(v[1].width);
    /// The power of two above the mask of the width of the second.
    power_of_width = |v| v[0].bits.wrapping_sub(1) == fold::mask(v[1].width);
    /// The width of the second.
    is_width = |v| v[0].bits == u64::from(v[1].width);
    /// Half its own width.
    is_half_width = |v| v[0].bits == u64::from(v[0].width / 2);
    /// The number of the highest bit of the second.
    is_last_bit = |v| v[0].bits == u64::from(v[1].width) - 1;
    /// One less than the second.
    is_one_less = |v| v[1].bits.checked_sub(1) == Some(v[0].bits);
    /// No bits above the width of the second.
    fits_width = |v| v[0].bits & !fold::mask(v[1].width) == 0;
    /// Sign-extended from the width of the second.
    fits_signed = |v| fold::signed(v[0].bits, v[1].width) as u64 & fold::mask(v[0].width) == v[0].bits;
    /// A float that is zero.
    float_zero = |v| v[0].bits & fold::mask(v[0].width - 1) == 0;
    /// Floats that are powers of two, with a normal reciprocal: a product with it rounds as the quotient does.
    exact_reciprocal = |v| v.iter().all(|v| {
        let fraction = match v.width {
            16 => 10,
            32 => 23,
            _ => 52,
        };
        let exponent = (v.bits & fold::mask(v.width - 1)) >> fraction;
        let highest = fold::mask(v.width - 1 - fraction) - 1;
        v.bits & fold::mask(fraction) == 0 && exponent > 1 && exponent < highest
    });
}

predicates! { Widths:
    /// The result is narrower than the variable.
    narrows = |result, widths| result < widths[0];
    /// The result is wider than the variable.
    widens = |result, widths| result > widths[0];
    /// The first is wider than the second.
    wider = |_, widths| widths[0] > widths[1];
    /// Both have the same width.
    same_width = |_, widths| widths[0] == widths[1];
    /// The first has twice the width of the second.
    twice_the_width = |_, widths| widths[0] == 2 * widths[1];
    /// The first has at least twice the width of the second.
    twice_as_wide = |_, widths| widths[0] >= 2 * widths[1];
}

/// Integers that are no truth values.
pub(crate) const fn integer(vars: &'static [u8]) -> Guard {
    Guard::Integer(vars)
}

/// New operations on the types are legal.
pub(crate) const fn legal(vars: &'static [u8]) -> Guard {
    Guard::Legal(vars)
}

/// The values have no other use.
pub(crate) const fn single_use(vars: &'static [u8]) -> Guard {
    Guard::SingleUse(vars)
}

/// The values are no constants.
pub(crate) const fn computed(vars: &'static [u8]) -> Guard {
    Guard::Computed(vars)
}

macro_rules! widths {
    ($($(#[$doc:meta])* $name:ident = $scalar:ident;)*) => {
        $($(#[$doc])* pub(crate) const fn $name(vars: &'static [u8]) -> Guard {
            Guard::Types(|types| types.iter().all(|ty| ty.scalar() == Some(Scalar::$scalar)), vars)
        })*
    };
}

widths! {
    /// 32-bit integers.
    is_i32 = I32;
    /// 64-bit integers.
    is_i64 = I64;
    /// Floats.
    is_f32 = F32;
}

/// 32-bit integers that are no vectors.
pub(crate) const fn words(vars: &'static [u8]) -> Guard {
    Guard::Types(|types| types.iter().all(|ty| *ty == Type::I32), vars)
}

macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident = $holds:expr;)*) => {
        $($(#[$doc])* pub(crate) const fn $name(vars: &'static [u8]) -> Guard { Guard::Device($holds, vars) })*
    };
}

devices! {
    /// The device has fused operations as fast as sums: on floats, and a GPU on doubles.
    fuses = |target, types| match types[0].scalar() {
        Some(Scalar::F32) => true,
        Some(Scalar::F64) => !target.features.is_cpu,
        _ => false,
    };
}

impl Guard {
    /// Whether the guard holds.
    #[inline]
    pub(super) fn holds(
        &self,
        (facts, known_bits): (&Facts<'_>, &KnownBits),
        f: &Function,
        ty: Type,
        bound: &[Value; VARS],
    ) -> bool {
        let value = |var: &u8| bound[usize::from(*var)];
        let scalar = |var: &u8| f.ty(value(var)).scalar();
        let types = |vars: &[u8]| {
            let mut types = [Type::BOOL; 3];
            types.iter_mut().zip(vars).for_each(|(ty, var)| *ty = f.ty(value(var)));
            types
        };
        match self {
            Guard::Bits(holds, vars) | Guard::Constants(holds, vars) => {
                let exact = matches!(self, Guard::Constants(..));
                let mut known = [Known { bits: 0, width: 1 }; 3];
                for (known, var) in known.iter_mut().zip(*vars) {
                    let (value, Some(scalar)) = (value(var), scalar(var)) else { return false };
                    let bits = match f.const_bits(value) {
                        Some(bits) => bits,
                        None if exact => 0,
                        None => known_bits.bits(f, value),
                    };
                    *known = Known { bits, width: scalar.bits() };
                }
                holds(&known[..vars.len().min(known.len())])
            }
            Guard::Widths(holds, vars) => {
                let width = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
                let mut widths = [0; 3];
                widths.iter_mut().zip(*vars).for_each(|(w, var)| *w = width(f.ty(value(var))));
                holds(width(ty), &widths)
            }
            Guard::Integer(vars) => vars.iter().all(|v| scalar(v).is_some_and(|s| s.is_int())),
            Guard::Types(holds, vars) => {
                let types = types(vars);
                holds(&types[..vars.len().min(types.len())])
            }
            Guard::Legal(vars) => vars.iter().all(|v| facts.computes(f.ty(value(v)))),
            Guard::SingleUse(vars) => {
                vars.iter().all(|v| facts.uses.is_some_and(|uses| uses.is_single(value(v))))
            }
            Guard::Computed(vars) => vars.iter().all(|v| f.const_bits(value(v)).is_none()),
            Guard::Device(holds, vars) => facts.target.is_some_and(|target| holds(target, &types(vars))),
        }
    }
}

//! Rewrite rules of arithmetic and integer comparisons.
//!
//! ```text
//! x * 1 → x        (x + 3) + 4 → x + 7        x - x → 0        x / 4.0f → x * 0.25f        select(c, 1, 0) != 0 → c
//! ```

use super::{Folded, Simplifier};
use crate::analysis::ranges;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Scalar, Type, UnaryOp, Value};
use smallvec::SmallVec;
use spirv::GlslStd450Op as G;

fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        IAdd | IMul
            | And
            | Or
            | Xor
            | UMin
            | UMax
            | SMin
            | SMax
            | UMulHi
            | SMulHi
            | FAdd
            | FMul
            | FMulNoContraction
    )
}

fn bits_one(scalar: Scalar) -> Option<u64> {
    Some(match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::F32 => 0x3f80_0000,
        Scalar::F64 => 0x3ff0 << 48,
        _ => return None,
    })
}

/// The width of a float's fraction, and the largest biased exponent of a finite number.
fn exponents(scalar: Scalar) -> (u32, u64) {
    match scalar {
        Scalar::F16 => (10, 30),
        Scalar::F32 => (23, 254),
        _ => (52, 2046),
    }
}

/// 1 / `k`, where `k` is a power of two and the reciprocal is normal: a product with it rounds as the quotient does.
fn reciprocal_of_power(scalar: Scalar, k: u64) -> Option<u64> {
    let (fraction, max_exponent) = exponents(scalar);
    let exponent = (k & !(1u64 << (scalar.bits() - 1))) >> fraction;
    let power = k & fold::mask(fraction) == 0 && exponent > 1 && exponent < max_exponent;
    if power { fold::binary(BinaryOp::FDiv, scalar, bits_one(scalar)?, k) } else { None }
}

impl Simplifier<'_> {
    pub(super) fn fold_binary(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type) -> Option<Folded> {
        let scalar = ty.scalar()?;
        let (left, right) = (self.is_constant(a), self.is_constant(b));
        if left && right {
            let (x, y) = (self.const_lanes(a)?, self.const_lanes(b)?);
            let lanes: Option<SmallVec<[u64; 4]>> =
                x.iter().zip(&y).map(|(x, y)| fold::binary(op, scalar, *x, *y)).collect();
            return self.lanes_folded(ty, &lanes?);
        }
        if commutes(op) && !right && (left || b < a) {
            return Some(Folded::Kind(InstKind::Binary(op, b, a)));
        }
        if a == b
            && let Some(fold) = self.fold_same(op, a, ty)
        {
            return Some(fold);
        }
        if scalar.is_float() {
            return self.fold_float(op, a, b, scalar, ty);
        }
        if let Some(fold) = self.fold_negation(op, a, b) {
            return Some(fold);
        }
        if matches!(op, BinaryOp::Or | BinaryOp::Xor)
            && let Some(fold) = self.fold_parts(op, a, b, ty)
        {
            return Some(fold);
        }
        if op == BinaryOp::IMul
            && let Some(fold) = self.fold_product_with_truth(a, b, ty)
        {
            return Some(fold);
        }
        if let Some(0) = self.splat_const(a) {
            match op {
                BinaryOp::ISub => return Some(Folded::Kind(InstKind::Unary(UnaryOp::INeg, b))),
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => return Some(Folded::Value(a)),
                _ => {}
            }
        }
        let unsigned = match op {
            BinaryOp::SDiv => Some(BinaryOp::UDiv),
            BinaryOp::SRem => Some(BinaryOp::URem),
            _ => None,
        };
        if let Some(unsigned) = unsigned
            && self.is_not_negative(b)
            && self.is_not_negative(a)
        {
            return Some(Folded::Kind(InstKind::Binary(unsigned, a, b)));
        }
        let k = self.splat_const(b)?;
        if self.is_undef(a) && matches!(op, BinaryOp::And | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
            return Some(Folded::Value(self.constant(ty, 0)));
        }
        if let Some(&InstKind::Select(c, x, y)) = self.def(a)
            && let (Some(x), Some(y)) = (self.splat_const(x), self.splat_const(y))
            && let (Some(x), Some(y)) = (fold::binary(op, scalar, x, k), fold::binary(op, scalar, y, k))
        {
            // A selection between constants: the operation applies to both.
            let (x, y) = (self.constant(ty, x), self.constant(ty, y));
            return Some(Folded::Kind(InstKind::Select(c, x, y)));
        }
        self.fold_with_constant(op, a, b, k, scalar, ty)
    }

    /// x * (c ? 1 : 0)
    fn fold_product_with_truth(&mut self, a: Value, b: Value, ty: Type) -> Option<Folded> {
        for (x, truth) in [(a, b), (b, a)] {
            let Some(&InstKind::Select(c, yes, no)) = self.def(truth) else { continue };
            let zero = |s: &mut Self| s.constant(ty, 0);
            let kind = match (self.splat_const(yes), self.splat_const(no)) {
                (Some(1), Some(0)) => InstKind::Select(c, x, zero(self)),
                (Some(0), Some(1)) => InstKind::Select(c, zero(self), x),
                _ => continue,
            };
            return Some(Folded::Kind(kind));
        }
        None
    }

    fn fold_same(&mut self, op: BinaryOp, a: Value, ty: Type) -> Option<Folded> {
        match op {
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::UMin
            | BinaryOp::UMax
            | BinaryOp::SMin
            | BinaryOp::SMax => Some(Folded::Value(a)),
            BinaryOp::ISub | BinaryOp::Xor => Some(Folded::Value(self.constant(ty, 0))),
            _ => None,
        }
    }

    /// x + -y, x - -y
    fn fold_negation(&self, op: BinaryOp, a: Value, b: Value) -> Option<Folded> {
        let negated = |v| match self.def(v) {
            Some(InstKind::Unary(UnaryOp::INeg, x)) => Some(*x),
            _ => None,
        };
        match op {
            BinaryOp::IAdd => match (negated(a), negated(b)) {
                (_, Some(y)) => Some(Folded::Kind(InstKind::Binary(BinaryOp::ISub, a, y))),
                (Some(x), _) => Some(Folded::Kind(InstKind::Binary(BinaryOp::ISub, b, x))),
                _ => None,
            },
            BinaryOp::ISub => negated(b).map(|y| Folded::Kind(InstKind::Binary(BinaryOp::IAdd, a, y))),
            _ => None,
        }
    }

    /// 1 ÷ √x. OpenCL C (§7.4) allows 2.5 and 3 ulp for the two, and Vulkan's InverseSqrt has 2. The slow division is removed.
    fn fold_reciprocal_root(&self, op: BinaryOp, a: Value, b: Value, scalar: Scalar) -> Option<Folded> {
        let one = bits_one(scalar)?;
        match self.def(b)? {
            InstKind::Glsl { number, args }
                if op == BinaryOp::FDiv
                    && scalar == Scalar::F32
                    && *number == G::Sqrt as u32
                    && self.splat_const(a) == Some(one) =>
            {
                Some(Folded::Kind(InstKind::Glsl { number: G::InverseSqrt as u32, args: args.clone() }))
            }
            _ => None,
        }
    }

    /// A quotient by one of two powers of two: the product with the reciprocal of the chosen one.
    fn fold_selected_divisor(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        scalar: Scalar,
        ty: Type,
    ) -> Option<Folded> {
        let &InstKind::Select(c, x, y) = self.def(b).filter(|_| op == BinaryOp::FDiv)? else { return None };
        let x = reciprocal_of_power(scalar, self.splat_const(x)?)?;
        let y = reciprocal_of_power(scalar, self.splat_const(y)?)?;
        let (x, y) = (self.constant(ty, x), self.constant(ty, y));
        let by = self.build(InstKind::Select(c, x, y), ty);
        Some(Folded::Kind(InstKind::Binary(BinaryOp::FMul, a, by)))
    }

    fn fold_float(&mut self, op: BinaryOp, a: Value, b: Value, scalar: Scalar, ty: Type) -> Option<Folded> {
        if let Some(folded) = self.fold_reciprocal_root(op, a, b, scalar) {
            return Some(folded);
        }
        if let Some(folded) = self.fold_selected_divisor(op, a, b, scalar, ty) {
            return Some(folded);
        }
        let k = self.splat_const(b)?;
        let sign = 1u64 << (scalar.bits() - 1);
        let one = bits_one(scalar)?;
        match op {
            // x + -0 and x - +0 are x for every x; x + +0 is not, for -0.
            BinaryOp::FAdd if k == sign => Some(Folded::Value(a)),
            BinaryOp::FSub if k == 0 => Some(Folded::Value(a)),
            BinaryOp::FMul | BinaryOp::FMulNoContraction | BinaryOp::FDiv if k == one => {
                Some(Folded::Value(a))
            }
            BinaryOp::FMul | BinaryOp::FMulNoContraction | BinaryOp::FDiv if k == one | sign => {
                Some(Folded::Kind(InstKind::Unary(UnaryOp::FNeg, a)))
            }
            BinaryOp::FDiv => {
                let (fraction, max_exponent) = exponents(scalar);
                // A quotient by zero: the product with an infinity is the same, and NaN for zeros, too. Mesa 22's llvmpipe
                // folds every quotient by a constant zero to 0.
                if k & !sign == 0 {
                    let by = self.constant(ty, k | (max_exponent + 1) << fraction);
                    return Some(Folded::Kind(InstKind::Binary(BinaryOp::FMul, a, by)));
                }
                let by = self.constant(ty, reciprocal_of_power(scalar, k)?);
                Some(Folded::Kind(InstKind::Binary(BinaryOp::FMul, a, by)))
            }
            _ => None,
        }
    }

    fn fold_with_constant(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        k: u64,
        scalar: Scalar,
        ty: Type,
    ) -> Option<Folded> {
        use BinaryOp::*;
        let width = scalar.bits();
        let ones = fold::mask(width);
        if op == AShr
            && let Some(distance) = self.fold_distance(a, k, ty)
        {
            return Some(distance);
        }
        let power = (k.is_power_of_two() && scalar != Scalar::Bool).then(|| u64::from(k.trailing_zeros()));
        match op {
            IAdd | ISub | Or | Xor | Shl | LShr | AShr | UMax if k == 0 => return Some(Folded::Value(a)),
            IMul | And | UMin if k == 0 => return Some(Folded::Value(b)),
            IMul | UDiv | SDiv if k == 1 => return Some(Folded::Value(a)),
            URem | SRem if k == 1 => return Some(Folded::Value(self.constant(ty, 0))),
            And | UMin if k == ones => return Some(Folded::Value(a)),
            Or | UMax if k == ones => return Some(Folded::Value(b)),
            Xor if k == ones => return Some(Folded::Kind(InstKind::Unary(UnaryOp::Not, a))),
            IMul if k == ones => return Some(Folded::Kind(InstKind::Unary(UnaryOp::INeg, a))),
            ISub => {
                let minus = self.constant(ty, k.wrapping_neg());
                return Some(Folded::Kind(InstKind::Binary(IAdd, a, minus)));
            }
            _ => {}
        }
        if let Some(power) = power {
            let by = match op {
                IMul => Some((Shl, power)),
                UDiv => Some((LShr, power)),
                URem => Some((And, k - 1)),
                _ => None,
            };
            if let Some((op, k)) = by {
                let by = self.constant(ty, k);
                return Some(Folded::Kind(InstKind::Binary(op, a, by)));
            }
        }
        let fold = match op {
            And => self.fold_mask(a, k).or_else(|| self.fold_known_bits(a, b, k)),
            Shl | LShr => self.fold_shift_back(op, a, k).or_else(|| self.fold_shifted_parts(op, a, b, k)),
            AShr if self.is_not_negative(a) => Some(Folded::Kind(InstKind::Binary(LShr, a, b))),
            _ => None,
        };
        fold.or_else(|| self.fold_chain(op, a, k, scalar, ty))
    }

    /// A mask over an extended value.
    fn fold_mask(&self, a: Value, k: u64) -> Option<Folded> {
        let InstKind::Convert { op, value, saturate: false, .. } = self.def(a)? else { return None };
        let from = fold::mask(self.ty(*value).scalar()?.bits());
        match op {
            ConvertOp::ZExt if k & from == from => Some(Folded::Value(a)),
            ConvertOp::SExt if k == from => Some(Folded::Kind(InstKind::Convert {
                op: ConvertOp::ZExt,
                value: *value,
                saturate: false,
                rounding: None,
            })),
            _ => None,
        }
    }

    /// (x op k1) op k2
    fn fold_chain(&mut self, op: BinaryOp, a: Value, k: u64, scalar: Scalar, ty: Type) -> Option<Folded> {
        use BinaryOp::*;
        let InstKind::Binary(inner, x, y) = *self.def(a)? else { return None };
        let k1 = self.splat_const(y)?;
        let width = u64::from(scalar.bits());
        let (op, k) = match (op, inner) {
            (IAdd, IAdd) => (IAdd, k.wrapping_add(k1)),
            (IMul, IMul) => (IMul, k.wrapping_mul(k1)),
            (IMul, Shl) if k1 < width => (IMul, k << k1),
            (And, And) => (And, k & k1),
            (Or, Or) => (Or, k | k1),
            (Xor, Xor) => (Xor, k ^ k1),
            (Shl, Shl) | (LShr, LShr) if k < width && k1 < width => {
                if k + k1 >= width {
                    return Some(Folded::Value(self.constant(ty, 0)));
                }
                (op, k + k1)
            }
            (AShr, AShr) if k < width && k1 < width => (op, (k + k1).min(width - 1)),
            _ => return None,
        };
        let by = self.constant(ty, k);
        Some(Folded::Kind(InstKind::Binary(op, x, by)))
    }

    pub(super) fn fold_icmp(&mut self, cc: IntCC, a: Value, b: Value, ty: Type) -> Option<Folded> {
        if a == b {
            let value = fold::icmp(cc, 64, 0, 0);
            return Some(Folded::Value(self.constant(ty, u64::from(value))));
        }
        if let Type::Ptr(_) = self.ty(a) {
            return self.fold_pointer_icmp(cc, a, b);
        }
        let scalar = self.ty(a).scalar()?;
        let width = scalar.bits();
        let (left, right) = (self.is_constant(a), self.is_constant(b));
        if left && right {
            let (x, y) = (self.const_lanes(a)?, self.const_lanes(b)?);
            let lanes: SmallVec<[u64; 4]> =
                x.iter().zip(&y).map(|(x, y)| u64::from(fold::icmp(cc, width, *x, *y))).collect();
            return self.lanes_folded(ty, &lanes);
        }
        if !right && (left || b < a) {
            return Some(Folded::Kind(InstKind::ICmp(fold::swap_icmp(cc), b, a)));
        }
        let Some(k) = self.splat_const(b) else { return self.icmp_of_extended(cc, a, b) };
        if scalar == Scalar::Bool {
            return match (cc, k) {
                (IntCC::Eq, 1) | (IntCC::Ne, 0) => Some(Folded::Value(a)),
                (IntCC::Eq, 0) | (IntCC::Ne, 1) => Some(Folded::Kind(InstKind::Unary(UnaryOp::Not, a))),
                _ => None,
            };
        }
        match (cc, k) {
            (IntCC::Ult, 0) => return Some(Folded::Value(self.constant(ty, 0))),
            (IntCC::Uge, 0) => return Some(Folded::Value(self.constant(ty, 1))),
            (IntCC::Ugt, 0) | (IntCC::Uge, 1) => {
                let zero = self.constant(self.ty(a), 0);
                return Some(Folded::Kind(InstKind::ICmp(IntCC::Ne, a, zero)));
            }
            (IntCC::Ule, 0) | (IntCC::Ult, 1) => {
                let zero = self.constant(self.ty(a), 0);
                return Some(Folded::Kind(InstKind::ICmp(IntCC::Eq, a, zero)));
            }
            _ => {}
        }
        if let Some(holds) = self.compares(cc, a, k) {
            return Some(Folded::Value(self.constant(ty, u64::from(holds))));
        }
        if let Some(holds) = ranges::decide(self.function, cc, a, k) {
            return Some(Folded::Value(self.constant(ty, u64::from(holds))));
        }
        self.icmp_with_constant(cc, a, k, width, ty)
    }

    fn icmp_with_constant(&mut self, cc: IntCC, a: Value, k: u64, width: u32, ty: Type) -> Option<Folded> {
        match *self.def(a)? {
            // OpenCL's comparisons give integers: this returns to the truth value.
            InstKind::Select(c, x, y) => {
                let (x, y) = (self.compare_selection(cc, x, k, ty)?, self.compare_selection(cc, y, k, ty)?);
                match (self.splat_const(x), self.splat_const(y)) {
                    (Some(x_holds), Some(y_holds)) if x_holds == y_holds => Some(Folded::Value(x)),
                    _ if self.ty(c) != ty => None,
                    _ => Some(Folded::Kind(InstKind::Select(c, x, y))),
                }
            }
            InstKind::Convert { op, value, saturate: false, .. } => {
                self.icmp_of_convert(cc, op, value, k, width, ty)
            }
            InstKind::Binary(BinaryOp::ISub | BinaryOp::Xor, x, y)
                if k == 0 && matches!(cc, IntCC::Eq | IntCC::Ne) =>
            {
                Some(Folded::Kind(InstKind::ICmp(cc, x, y)))
            }
            InstKind::Binary(BinaryOp::IAdd, x, y) if matches!(cc, IntCC::Eq | IntCC::Ne) => {
                let y = self.splat_const(y)?;
                let k = self.constant(self.ty(x), k.wrapping_sub(y));
                Some(Folded::Kind(InstKind::ICmp(cc, x, k)))
            }
            _ => None,
        }
    }

    /// The comparison of a value with a constant, where its outcome is known or the value is a selection of such values.
    fn compare_selection(&mut self, cc: IntCC, value: Value, k: u64, ty: Type) -> Option<Value> {
        fn is_known(s: &Simplifier<'_>, (cc, value, k): (IntCC, Value, u64), depth: u32) -> bool {
            let known = ranges::decide(s.function, cc, value, k).or_else(|| s.compares(cc, value, k));
            known.is_some()
                || matches!(s.def(value), Some(&InstKind::Select(_, x, y))
                    if depth > 0 && is_known(s, (cc, x, k), depth - 1) && is_known(s, (cc, y, k), depth - 1))
        }
        if !is_known(self, (cc, value, k), 3) {
            return None;
        }
        let k = self.constant(self.ty(value), k);
        Some(self.build(InstKind::ICmp(cc, value, k), ty))
    }

    fn icmp_of_convert(
        &mut self,
        cc: IntCC,
        op: ConvertOp,
        value: Value,
        k: u64,
        width: u32,
        ty: Type,
    ) -> Option<Folded> {
        let from = self.ty(value);
        let low = fold::mask(from.scalar()?.bits());
        match op {
            ConvertOp::ZExt => {
                if k & !low == 0 {
                    if !self.computes(from) {
                        return None;
                    }
                    let k = self.constant(from, k);
                    return Some(Folded::Kind(InstKind::ICmp(fold::unsigned_icmp(cc), value, k)));
                }
                // No extended value reaches k: all compare the same.
                let same = fold::icmp(cc, width, 0, k);
                (fold::icmp(cc, width, low, k) == same)
                    .then(|| Folded::Value(self.constant(ty, u64::from(same))))
            }
            ConvertOp::SExt => {
                let back = fold::signed(k & low, from.scalar()?.bits()) as u64 & fold::mask(width);
                if back != k || !self.computes(from) {
                    return None;
                }
                let k = self.constant(from, k & low);
                Some(Folded::Kind(InstKind::ICmp(cc, value, k)))
            }
            _ => None,
        }
    }

    /// Both operands are extended by the same conversion from one type.
    fn icmp_of_extended(&self, cc: IntCC, a: Value, b: Value) -> Option<Folded> {
        let InstKind::Convert { op: op_a, value: x, saturate: false, .. } = self.def(a)? else { return None };
        let InstKind::Convert { op: op_b, value: y, saturate: false, .. } = self.def(b)? else { return None };
        if op_a != op_b || self.ty(*x) != self.ty(*y) || !self.computes(self.ty(*x)) {
            return None;
        }
        match op_a {
            ConvertOp::ZExt => Some(Folded::Kind(InstKind::ICmp(fold::unsigned_icmp(cc), *x, *y))),
            ConvertOp::SExt => Some(Folded::Kind(InstKind::ICmp(cc, *x, *y))),
            _ => None,
        }
    }
}

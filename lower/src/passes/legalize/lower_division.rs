//! Division lowering: 64-bit divisions become 32-bit operations, multiplications by reciprocals, or a refined float estimate.
//!
//! The pass runs on GPUs, and on every device without 64-bit integers.
//! No GPU divides 64-bit integers in hardware, and drivers call routines of their own.
//! Mesa's routine takes 400 instructions and more, bit by bit.
//! NVIDIA's (driver 580, on an H200) never ends in some modules that have private variables in memory.
//!
//! | operands | lowering |
//! |---|---|
//! | both below 2^32 | a 32-bit division, behind a branch |
//! | a constant divisor | a multiplication by the reciprocal, or a shift |
//! | others | an estimate of the divisor's reciprocal in float, refined twice ([`Divider::long`]) |
//!
//! ```text
//! q = udiv i64 a, b        becomes        if ((a | b) >> 32 == 0) q = (u32)a / (u32)b; else q = long(a, b)
//! ```
//!
//! The pass also narrows a 32-bit division whose operands were extended from 8 or 16 bits, because drivers divide those in floats.
//! It leaves other 32-bit divisions alone.
//!
//! A division by zero gives some value and traps nowhere, as OpenCL C permits (§6.3).

use super::lower_float_division::rewrite_quotients;
use crate::analysis::ranges::possible_bits;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, ConvertOp, Function, Inst, InstKind, IntCC, Module, Scalar, Terminator,
    Type, Value,
};
use crate::transform::rewriter::{Rewriter, replace_each};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const I64: Type = Type::Scalar(Scalar::I64);
const F32: Type = Type::Scalar(Scalar::F32);

/// Runs the pass. Integers are divided on devices that are no CPUs or have no 64-bit integers, floats where quotients are slow.
///
/// # Errors
/// None. All passes have this signature.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let features = &context.target.features;
    // Before the divisions of integers, whose own quotients have small divisors.
    if context.target.quirks.slow_float_division {
        module.functions.values_mut().filter(|f| !f.needs_denormals).for_each(rewrite_quotients);
    }
    if !(features.is_cpu && features.shader_int64) {
        module.functions.values_mut().filter(|f| !f.layout.is_empty()).for_each(rewrite_divisions);
    }
    let small = [Scalar::I8, Scalar::I16].map(|s| context.target.has_arithmetic(s));
    if !features.is_cpu && small.contains(&true) {
        module.functions.values_mut().for_each(|f| shorten(f, small));
    }
    Ok(())
}

/// Narrows divisions whose operands were extended from 8 or 16 bits. `has` says whether the device has 8-bit and 16-bit arithmetic.
fn shorten(function: &mut Function, has: [bool; 2]) {
    let wanted = |f: &Function, inst: Inst| short(f, inst, has);
    replace_each(function, wanted, |rw, _, (Division { op, a, b }, op_of_short, scalar)| {
        let ty = rw.f.ty(a).with_scalar(scalar);
        let [x, y] = [a, b].map(|v| rw.convert(ConvertOp::Trunc, v, ty));
        let value = rw.inst(InstKind::Binary(op_of_short, x, y), ty);
        let signed = matches!(op_of_short, BinaryOp::SDiv | BinaryOp::SRem);
        debug_assert!(!signed || op == op_of_short);
        let extend = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        InstKind::Convert { op: extend, value, saturate: false, rounding: None }
    });
}

/// A 32-bit division that can be narrowed, with the narrow operation and type.
fn short(f: &Function, inst: Inst, has: [bool; 2]) -> Option<(Division, BinaryOp, Scalar)> {
    use BinaryOp::{SDiv, SRem, UDiv, URem};
    let InstKind::Binary(op @ (UDiv | URem | SDiv | SRem), a, b) = f.insts[inst].kind else { return None };
    // A division by a constant becomes a multiplication instead.
    if f.ty(a).scalar() != Some(Scalar::I32) || f.const_bits(b).is_some() {
        return None;
    }
    let division = Division { op, a, b };
    let unsigned = if matches!(op, UDiv | SDiv) { UDiv } else { URem };
    let bits = possible_bits(f, a) | possible_bits(f, b);
    match bits {
        0..=0xff if has[0] => return Some((division, unsigned, Scalar::I8)),
        0..=0xffff if has[1] => return Some((division, unsigned, Scalar::I16)),
        _ => {}
    }
    // The minimum divided by -1 needs one more bit. Bytes have room in 16 bits.
    let of_byte = |v: Value| match f.def_inst(v).map(|inst| &inst.kind) {
        Some(&InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. }) => {
            f.ty(value).scalar() == Some(Scalar::I8)
        }
        _ => possible_bits(f, v) <= 0x7f,
    };
    (matches!(op, SDiv | SRem) && has[1] && of_byte(a) && of_byte(b)).then_some((division, op, Scalar::I16))
}

fn rewrite_divisions(function: &mut Function) {
    let divides = |f: &Function, inst: &Inst| division(f, *inst).is_some();
    let mut replaced = FxHashMap::default();
    let mut layout = Vec::with_capacity(function.layout.len());
    for home in function.layout.clone() {
        layout.push(home);
        if !function.blocks[home].insts.iter().any(|inst| divides(function, inst)) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[home].insts);
        let end = std::mem::replace(&mut function.blocks[home].term, Terminator::Unreachable);
        let mut divider = Divider {
            rw: Rewriter::new(function),
            block: home,
            layout: &mut layout,
            known: FxHashMap::default(),
        };
        for inst in insts {
            divider.rw.at(inst);
            match division(divider.rw.f, inst) {
                Some(division) => {
                    replaced.insert(divider.rw.f.insts[inst].results[0], divider.lanes(division));
                }
                None => divider.rw.keep(inst),
            }
        }
        let last = divider.block;
        divider.rw.finish_block(last);
        function.blocks[last].term = end;
    }
    function.layout = layout;
    function.replace_uses(&replaced);
}

/// An instruction that divides.
#[derive(Clone, Copy)]
struct Division {
    op: BinaryOp,
    a: Value,
    b: Value,
}

fn division(f: &Function, inst: Inst) -> Option<Division> {
    match f.insts[inst].kind {
        InstKind::Binary(op @ (BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv), a, b)
            if f.ty(a).scalar() == Some(Scalar::I64) =>
        {
            Some(Division { op, a, b })
        }
        _ => None,
    }
}

/// Quotient and remainder.
type QuotientRemainder = (Value, Value);

struct Divider<'f, 'l> {
    rw: Rewriter<'f>,
    /// The block that instructions go to.
    block: Block,
    layout: &'l mut Vec<Block>,
    /// The divisions that dominate this block, by operands and signedness.
    known: FxHashMap<(Value, Value, bool), QuotientRemainder>,
}

impl Divider<'_, '_> {
    /// The result of a division, lane by lane.
    fn lanes(&mut self, Division { op, a, b }: Division) -> Value {
        let ty = self.rw.f.ty(a);
        let one = |this: &mut Self, a: Value, b: Value| {
            let signed = op == BinaryOp::SDiv;
            let both = match this.known.get(&(a, b, signed)) {
                Some(both) => *both,
                None if signed => this.signed(a, b),
                None => this.unsigned(a, b),
            };
            this.known.insert((a, b, signed), both);
            if op == BinaryOp::URem { both.1 } else { both.0 }
        };
        if ty == I64 {
            return one(self, a, b);
        }
        let lane = |this: &mut Self, v: Value, n: u8| match this.rw.f.const_bits(v) {
            Some(bits) => this.rw.iconst(I64, bits),
            None => this.rw.extract(v, n),
        };
        let results: Vec<Value> = (0..ty.lanes())
            .map(|n| {
                let (a, b) = (lane(self, a, n), lane(self, b, n));
                one(self, a, b)
            })
            .collect();
        self.rw.construct(&results, ty)
    }

    fn unsigned(&mut self, a: Value, b: Value) -> QuotientRemainder {
        match self.rw.f.const_bits(b) {
            Some(by) => {
                let quotient = self.by_constant(a, by);
                (quotient, self.rest(a, quotient, b))
            }
            None => self.by_size(a, b),
        }
    }

    /// The remainder of `a`.
    fn rest(&mut self, a: Value, quotient: Value, b: Value) -> Value {
        let product = match self.rw.f.const_bits(b) {
            Some(by) => self.rw.mul_const(quotient, by),
            None => self.rw.binary(BinaryOp::IMul, quotient, b),
        };
        self.rw.binary(BinaryOp::ISub, a, product)
    }

    /// Divides signed integers by their magnitudes. The quotient rounds towards zero and gets its sign afterwards.
    fn signed(&mut self, a: Value, b: Value) -> QuotientRemainder {
        let sign_a = self.rw.binary_const(BinaryOp::AShr, a, 63);
        if let Some(by) = self.rw.f.const_signed(b) {
            let magnitude = by.unsigned_abs();
            let quotient = if magnitude.is_power_of_two() {
                let power = magnitude.trailing_zeros();
                // A negative quotient rounds up.
                let up = match power {
                    0 => self.rw.iconst(I64, 0),
                    _ => self.rw.binary_const(BinaryOp::LShr, sign_a, u64::from(64 - power)),
                };
                let raised = self.rw.add(a, up);
                self.rw.binary_const(BinaryOp::AShr, raised, u64::from(power))
            } else {
                let positive = self.negated_if(a, sign_a);
                let quotient = self.by_constant(positive, magnitude);
                self.negated_if(quotient, sign_a)
            };
            let zero = self.rw.iconst(I64, 0);
            let quotient = if by < 0 { self.rw.binary(BinaryOp::ISub, zero, quotient) } else { quotient };
            return (quotient, zero);
        }
        let sign_b = self.rw.binary_const(BinaryOp::AShr, b, 63);
        let (x, y) = (self.negated_if(a, sign_a), self.negated_if(b, sign_b));
        let (quotient, rest) = self.by_size(x, y);
        let sign = self.rw.binary(BinaryOp::Xor, sign_a, sign_b);
        (self.negated_if(quotient, sign), rest)
    }

    /// The value negated if all bits of `sign` are set, unchanged if none is.
    fn negated_if(&mut self, value: Value, sign: Value) -> Value {
        let flipped = self.rw.binary(BinaryOp::Xor, value, sign);
        self.rw.binary(BinaryOp::ISub, flipped, sign)
    }

    /// `a / by` as a multiplication by the reciprocal M = ⌊2^(64+s) / by⌋ + 1.
    /// The high half of a · M, shifted by s, is exact for all a if M · by − 2^(64+s) ≤ 2^s (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", theorem 4.2).
    fn by_constant(&mut self, a: Value, by: u64) -> Value {
        if by == 0 {
            return self.rw.iconst(I64, 0);
        }
        if by.is_power_of_two() {
            return match by.trailing_zeros() {
                0 => a,
                power => self.rw.binary_const(BinaryOp::LShr, a, u64::from(power)),
            };
        }
        if by > 1 << 63 {
            // The quotient is 0 or 1.
            let divisor = self.rw.iconst(I64, by);
            let fits = self.rw.icmp(IntCC::Uge, a, divisor);
            let [zero, one] = [0, 1].map(|n| self.rw.iconst(I64, n));
            return self.rw.inst(InstKind::Select(fits, one, zero), I64);
        }
        for shift in 0..64 - by.leading_zeros() {
            let Some(factor) = reciprocal(by, shift) else { continue };
            let factor = self.rw.iconst(I64, factor);
            let high = self.high_product(a, factor);
            return if shift == 0 {
                high
            } else {
                self.rw.binary_const(BinaryOp::LShr, high, u64::from(shift))
            };
        }
        // M has 65 bits. Its highest bit adds a, and the halving keeps the sum within 64 bits.
        let shift = 64 - by.leading_zeros();
        let factor = ((1u128 << (64 + shift)) / u128::from(by) + 1) as u64;
        let factor = self.rw.iconst(I64, factor);
        let high = self.high_product(a, factor);
        let rest = self.rw.binary(BinaryOp::ISub, a, high);
        let half = self.rw.binary_const(BinaryOp::LShr, rest, 1);
        let sum = self.rw.add(half, high);
        self.rw.binary_const(BinaryOp::LShr, sum, u64::from(shift - 1))
    }

    /// Divides in 32 bits if both operands fit, else by [`Self::long`]: a branch and a merge block.
    fn by_size(&mut self, a: Value, b: Value) -> QuotientRemainder {
        let either = self.rw.binary(BinaryOp::Or, a, b);
        let [_, high] = self.halves(either);
        let zero = self.rw.iconst(Type::I32, 0);
        let short = self.rw.icmp(IntCC::Eq, high, zero);
        let [then, els, end] = std::array::from_fn(|_| self.rw.f.new_detached_block());
        self.layout.extend([then, els, end]);
        let quotient = self.rw.f.add_param(end, I64);
        let rest = self.rw.f.add_param(end, I64);
        let to = |block: Block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
        self.end(Terminator::CondBranch { cond: short, then: to(then, &[]), els: to(els, &[]) }, then);
        let (x, y) = (self.halves(a)[0], self.halves(b)[0]);
        let narrow = self.rw.binary(BinaryOp::UDiv, x, y);
        let less = self.rest(x, narrow, y);
        let wide = [narrow, less].map(|v| self.rw.convert(ConvertOp::ZExt, v, I64));
        self.end(Terminator::Branch(to(end, &wide)), els);
        let (q, r) = self.long(a, b);
        self.end(Terminator::Branch(to(end, &[q, r])), end);
        (quotient, rest)
    }

    /// Ends the block and begins another.
    fn end(&mut self, term: Terminator, next: Block) {
        let block = std::mem::replace(&mut self.block, next);
        self.rw.finish_block(block);
        self.rw.f.blocks[block].term = term;
    }

    /// The quotient and remainder of any two operands.
    ///
    /// Let X = 2^64 / b. A float estimate gives x ≤ X with X − x < X · 2^−19 + 1.
    /// Vulkan's division is within 2.5 ULP and the conversion of b within 1.5 ("Precision and Operation of SPIR-V Instructions").
    /// The dividend 1 − 2^−20 in place of 1 therefore keeps x below X.
    /// The step x + ⌊x · (2^64 − b x) / 2^64⌋ stays at most X and squares the distance. After two steps it is below 1.1.
    /// ⌊a x / 2^64⌋ is then at most 2 below the quotient.
    fn long(&mut self, a: Value, b: Value) -> QuotientRemainder {
        let mut x = self.estimate(b);
        let zero = self.rw.iconst(I64, 0);
        for _ in 0..2 {
            let product = self.rw.binary(BinaryOp::IMul, b, x);
            let missing = self.rw.binary(BinaryOp::ISub, zero, product);
            let more = self.high_product(x, missing);
            x = self.rw.add(x, more);
        }
        let mut quotient = self.high_product(a, x);
        let mut rest = self.rest(a, quotient, b);
        for _ in 0..2 {
            let less = self.rw.icmp(IntCC::Uge, rest, b);
            let one = self.rw.iconst(I64, 1);
            let next = self.rw.add(quotient, one);
            quotient = self.rw.inst(InstKind::Select(less, next, quotient), I64);
            let next = self.rw.binary(BinaryOp::ISub, rest, b);
            rest = self.rw.inst(InstKind::Select(less, next, rest), I64);
        }
        (quotient, rest)
    }

    /// A float estimate of ⌊2^64 / b⌋, and never above it.
    fn estimate(&mut self, b: Value) -> Value {
        let two_32 = self.rw.iconst(F32, u64::from(4_294_967_296f32.to_bits()));
        let down_32 = self.rw.iconst(F32, u64::from((1.0 / 4_294_967_296f32).to_bits()));
        // 2^64 · (1 − 2^−20): 44 ones and 20 zeros, with 24 bits.
        let numerator =
            self.rw.iconst(F32, u64::from((((1u64 << 20) - 1) as f32 * (1u64 << 44) as f32).to_bits()));
        let [low, high] = self.halves(b);
        // A divisor of zero must not give an infinity, whose integer is undefined. Large divisors see no difference.
        let low = self.rw.binary_const(BinaryOp::UMax, low, 1);
        let [low, high] = [low, high].map(|half| self.rw.convert(ConvertOp::UToF, half, F32));
        let high = self.rw.binary(BinaryOp::FMul, high, two_32);
        let divisor = self.rw.binary(BinaryOp::FAdd, high, low);
        let quotient = self.rw.binary(BinaryOp::FDiv, numerator, divisor);
        // The part above 2^32 and the rest, both without rounding.
        let upper = self.rw.binary(BinaryOp::FMul, quotient, down_32);
        let upper = self.rw.convert(ConvertOp::FToU, upper, Type::I32);
        let back = self.rw.convert(ConvertOp::UToF, upper, F32);
        let back = self.rw.binary(BinaryOp::FMul, back, two_32);
        let lower = self.rw.binary(BinaryOp::FSub, quotient, back);
        let lower = self.rw.convert(ConvertOp::FToU, lower, Type::I32);
        let pair = self.rw.construct(&[lower, upper], Type::Vector(Scalar::I32, 2));
        self.rw.bitcast(pair, I64)
    }

    /// The low and the high half.
    fn halves(&mut self, value: Value) -> [Value; 2] {
        if let Some(bits) = self.rw.f.const_bits(value) {
            return [bits, bits >> 32].map(|half| self.rw.iconst(Type::I32, half));
        }
        let pair = self.rw.bitcast(value, Type::Vector(Scalar::I32, 2));
        [0, 1].map(|lane| self.rw.extract(pair, lane))
    }

    /// The high half of a 128-bit product, from four products of 32-bit halves.
    fn high_product(&mut self, a: Value, b: Value) -> Value {
        let [a_low, a_high] = self.halves(a).map(|half| self.rw.convert(ConvertOp::ZExt, half, I64));
        let [b_low, b_high] = self.halves(b).map(|half| self.rw.convert(ConvertOp::ZExt, half, I64));
        let low = self.rw.binary(BinaryOp::IMul, a_low, b_low);
        let carry = self.rw.binary_const(BinaryOp::LShr, low, 32);
        let first = self.rw.binary(BinaryOp::IMul, a_high, b_low);
        let first = self.rw.add(first, carry);
        let [first_low, first_high] =
            self.halves(first).map(|half| self.rw.convert(ConvertOp::ZExt, half, I64));
        let second = self.rw.binary(BinaryOp::IMul, a_low, b_high);
        let second = self.rw.add(second, first_low);
        let second = self.rw.binary_const(BinaryOp::LShr, second, 32);
        let high = self.rw.binary(BinaryOp::IMul, a_high, b_high);
        let high = self.rw.add(high, first_high);
        self.rw.add(high, second)
    }
}

/// ⌊2^(64+s) / by⌋ + 1, if it has 64 bits and is close enough to be exact.
fn reciprocal(by: u64, shift: u32) -> Option<u64> {
    let power = 1u128 << (64 + shift);
    let factor = power / u128::from(by) + 1;
    let near = factor * u128::from(by) - power <= 1 << shift;
    u64::try_from(factor).ok().filter(|_| near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text};
    use crate::passes::fuzz::Random;

    fn module(ty: &str, op: &str, by: &str) -> Module {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}, v1: {ty}):\n  v2: {ty} = {op} v0, {by}\n  return(v2)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(rewrite_divisions);
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module
    }

    fn divided(module: &Module, a: &[u64], b: &[u64]) -> Vec<u64> {
        let lanes = |v: &[u64]| v.iter().map(|x| Some(*x)).collect::<Vec<_>>();
        let function = module.functions.values().next().expect("one");
        match interp::run(function, &[lanes(a), lanes(b)], 0, 1000).end {
            interp::End::Return(values) => values[0].iter().map(|l| l.expect("a number")).collect(),
            end => panic!("{a:?} and {b:?}: {end:?}\n{module}"),
        }
    }

    fn expected(op: &str, a: u64, b: u64) -> u64 {
        match op {
            "udiv" => a / b,
            "urem" => a % b,
            _ => (a as i64).wrapping_div(b as i64) as u64,
        }
    }

    /// Powers of two and their neighbours, with both signs.
    fn edges() -> Vec<u64> {
        let near = |n: u32| [-2i64, -1, 0, 1, 2].map(|o| (1u64 << n).wrapping_add_signed(o));
        let mut all: Vec<u64> =
            [0, 1, 2, 15, 16, 23, 24, 31, 32, 33, 44, 47, 52, 62, 63].into_iter().flat_map(near).collect();
        all.extend([
            0xffff_ffff_0000_0000,
            0x1_0000_0001_0000,
            10_000_000_000_000_000_000,
            11_114_852_795_603_988_623,
            15_869_559_710_964_646_319,
            7,
            10,
            1_000_000_007,
        ]);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Operands of all lengths, among them near multiples of each other.
    fn pairs(count: u64) -> Vec<(u64, u64)> {
        let mut random = Random::new(7);
        let mut number = move || (random.below(1 << 32) << 32 | random.below(1 << 32)) >> random.below(64);
        let near = |b: u64, factor: u64, less: u64| (b, b.wrapping_mul(factor).wrapping_sub(less));
        (0..count)
            .map(|n| {
                let (a, b) = (number(), number());
                if n % 2 == 0 { (a, b) } else { (near(b, a, n / 2 % 2).1, b) }
            })
            .collect()
    }

    #[test]
    fn quotients_and_remainders_are_exact() {
        for op in ["udiv", "urem", "sdiv"] {
            let module = module("i64", op, "v1");
            let text = module.to_string();
            assert!(!text.contains(&format!("i64 = {op}")) && text.contains("condbr"), "{text}");
            let check = |a: u64, b: u64| {
                // The minimum divided by −1 overflows, so no result is expected.
                if b != 0 && (op != "sdiv" || (a, b) != (1 << 63, u64::MAX)) {
                    assert_eq!(divided(&module, &[a], &[b]), [expected(op, a, b)], "{op} {a:#x} {b:#x}");
                }
            };
            edges().iter().for_each(|a| edges().iter().for_each(|b| check(*a, *b)));
            pairs(4000).into_iter().for_each(|(a, b)| check(a, b));
        }
    }

    #[test]
    fn zero_divides_into_something() {
        for op in ["udiv", "urem", "sdiv"] {
            let module = module("i64", op, "v1");
            divided(&module, &[u64::MAX >> 1], &[0]);
            divided(&self::module("i64", op, "i64:0"), &[5], &[0]);
        }
    }

    #[test]
    fn divisions_by_constants_are_products() {
        let random: Vec<u64> = pairs(60).into_iter().map(|p| p.1).collect();
        for by in edges().into_iter().chain(random).filter(|b| *b != 0) {
            for op in ["udiv", "urem", "sdiv"] {
                let module = module("i64", op, &format!("i64:{}", by as i64));
                assert!(!module.to_string().contains("condbr"), "{module}");
                let others = pairs(40)
                    .into_iter()
                    .flat_map(|p| [p.0, by.wrapping_mul(p.0), by.wrapping_mul(p.0).wrapping_sub(1)]);
                for a in edges().into_iter().chain(others) {
                    if op != "sdiv" || (a, by) != (1 << 63, u64::MAX) {
                        assert_eq!(
                            divided(&module, &[a], &[0]),
                            [expected(op, a, by)],
                            "{op} {a:#x} {by:#x}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn vectors_are_divided_by_lanes() {
        let module = module("i64x2", "urem", "v1");
        assert_eq!(divided(&module, &[100, u64::MAX], &[7, 1 << 33]), [2, (1 << 33) - 1]);
    }

    #[test]
    fn quotient_and_remainder_share_a_division() {
        let source = "module resolved bits=64\nfunc f0 \"f\" returns (i64)\nb0(v0: i64, v1: i64):\n  v2: i64 = udiv v0, v1\n  \
                      v3: i64 = urem v0, v1\n  v4: i64 = xor v2, v3\n  return(v4)\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        module.functions.values_mut().for_each(rewrite_divisions);
        assert_eq!(module.to_string().matches("condbr").count(), 1, "{module}");
        let (a, b) = (0x1234_5678_9abc_def0, 0x3_4567_89ab);
        assert_eq!(divided(&module, &[a], &[b]), [(a / b) ^ (a % b)]);
    }
}

//! Lowering of opaque values: each `opaque` becomes an exclusive or with a zero that no driver can fold.
//!
//! The zero is made of the numbers of work-groups. It differs from 0 only if a launch has 32,768 work-groups or more in each dimension, and no
//! such launch ends.
//!
//! ```text
//! zero = (groups.x & groups.y & groups.z) >> 15;  bits = 0 - zero
//! opaque x   ->   x ^ bits
//! ```
//!
//! NVIDIA's compiler (580) specialises loops on a selection, and knows the values in each copy. So the zero and all that is made of it is
//! arithmetic. Mesa's range analysis knows that its drivers take 65,535 work-groups at most: a shift by 16 would be a constant to it.
//!
//! Floats are combined as integers of their size. Without 16-bit integer arithmetic, an opaque constant half is converted from an opaque float,
//! and any other half is one arm of a selection. The other arm is the converted number of work-groups: no driver moves a conversion into
//! the selection then.
//!
//! The zero and opaque constants are computed once, at the start of the function.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, BuiltinInput, ConvertOp, Function, Inst, InstKind, IntCC, Module, Scalar, Type, UnaryOp, Value,
    fold,
};
use crate::target::Target;
use crate::transform::rewriter::{Rewriter, replace_results};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Lowers the opaque values of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    module.functions.values_mut().for_each(|f| lower_function(f, context.target));
    Ok(())
}

fn lower_function(f: &mut Function, target: &Target) {
    let mut lowering = Lowering { target, entry: Vec::new(), known: FxHashMap::default() };
    let operand = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::Unary(UnaryOp::Opaque, value) => Some(value),
        _ => None,
    };
    replace_results(
        f,
        |f, inst| operand(f, inst).is_some(),
        |rw, inst| operand(rw.f, inst).map(|value| lowering.lower(rw, value)),
    );
    if let Some(&entry) = f.layout.first() {
        f.blocks[entry].insts.splice(0..0, lowering.entry);
    }
}

/// A value at the start of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Known {
    /// The zero, a word.
    Zero,
    /// A bool that is false.
    Never,
    /// An integer without any bits.
    Bits(Scalar),
    /// An opaque constant.
    Constant(Value),
}

struct Lowering<'a> {
    target: &'a Target,
    /// The instructions at the start of the function, and the values that they give.
    entry: Vec<Inst>,
    known: FxHashMap<Known, Value>,
}

impl Lowering<'_> {
    /// The opaque value of an operand.
    fn lower(&mut self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        match rw.f.const_bits(value) {
            Some(bits) => {
                self.at_entry(rw, Known::Constant(value), |this, rw| this.constant(rw, value, bits))
            }
            None => self.variable(rw, value),
        }
    }

    /// A value at the start of the function, which is computed there when it is first asked for.
    fn at_entry(
        &mut self,
        rw: &mut Rewriter<'_>,
        known: Known,
        compute: impl FnOnce(&mut Self, &mut Rewriter<'_>) -> Value,
    ) -> Value {
        if let Some(value) = self.known.get(&known) {
            return *value;
        }
        let mut insts = Vec::new();
        let value = rw.elsewhere(&mut insts, |rw| compute(self, rw));
        // Its operands are defined already.
        self.entry.append(&mut insts);
        self.known.insert(known, value);
        value
    }

    fn zero(&mut self, rw: &mut Rewriter<'_>) -> Value {
        self.at_entry(rw, Known::Zero, |_, rw| {
            let [x, y, z] =
                [0, 1, 2].map(|dim| rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, dim), Type::I32));
            let all = rw.binary(BinaryOp::And, x, y);
            let all = rw.binary(BinaryOp::And, all, z);
            rw.binary_const(BinaryOp::LShr, all, 15)
        })
    }

    fn never(&mut self, rw: &mut Rewriter<'_>) -> Value {
        let zero = self.zero(rw);
        self.at_entry(rw, Known::Never, |_, rw| {
            let none = rw.iconst(Type::I32, 0);
            rw.icmp(IntCC::Ne, zero, none)
        })
    }

    /// An integer without any bits, as many times as a type has lanes.
    fn bits(&mut self, rw: &mut Rewriter<'_>, ty: Type) -> Value {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let zero = self.zero(rw);
        let word = self.at_entry(rw, Known::Bits(Scalar::I32), |_, rw| {
            let none = rw.iconst(Type::I32, 0);
            rw.binary(BinaryOp::ISub, none, zero)
        });
        let one = Type::Scalar(scalar);
        let bits = self.at_entry(rw, Known::Bits(scalar), |_, rw| rw.int_cast(word, one, true));
        rw.construct(&[bits], ty)
    }

    /// An integer, combined with an integer without any bits.
    fn integer(&mut self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        let ty = rw.f.ty(value);
        if ty.scalar().is_some_and(|s| s.bits() < 32 && !self.target.has_arithmetic(s)) {
            let wide = rw.int_cast(value, ty.with_scalar(Scalar::I32), false);
            let wide = self.integer(rw, wide);
            return rw.int_cast(wide, ty, false);
        }
        let bits = self.bits(rw, ty);
        rw.inst(InstKind::Binary(BinaryOp::Xor, value, bits), ty)
    }

    /// The integers that floats, and 64-bit integers that the Target lacks, are combined as.
    fn carrier(&self, ty: Type) -> Option<Type> {
        let scalar = Scalar::int(ty.scalar()?.bytes())?;
        match scalar {
            _ if self.target.has_arithmetic(scalar) => Some(ty.with_scalar(scalar)),
            Scalar::I64 => Some(Type::Vector(Scalar::I32, 2)),
            _ => None,
        }
    }

    fn constant(&mut self, rw: &mut Rewriter<'_>, value: Value, bits: u64) -> Value {
        let ty = rw.f.ty(value);
        let Some(scalar) = ty.scalar() else { return value };
        if scalar == Scalar::Bool && bits == 0 {
            let never = self.never(rw);
            return rw.construct(&[never], ty);
        }
        if !scalar.is_float() {
            return self.variable(rw, value);
        }
        match self.carrier(ty) {
            Some(integers) if integers.scalar().map(Scalar::bits) == Some(scalar.bits()) => {
                let word = rw.iconst(integers, bits);
                let word = self.integer(rw, word);
                rw.bitcast(word, ty)
            }
            Some(_) => self.variable(rw, value),
            // Each half is a float.
            None => {
                let convert = ConvertOp::FloatToFloat;
                let single = fold::convert(convert, scalar, Scalar::F32, bits, false, None);
                let single = rw.iconst(ty.with_scalar(Scalar::F32), single.unwrap_or(0));
                let single = self.lower(rw, single);
                rw.convert(convert, single, ty)
            }
        }
    }

    fn variable(&mut self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        let ty = rw.f.ty(value);
        let Some(scalar) = ty.scalar() else { return value };
        if scalar == Scalar::Bool {
            let never = self.never(rw);
            let never = rw.construct(&[never], ty);
            return rw.inst(InstKind::Binary(BinaryOp::Xor, value, never), ty);
        }
        match self.carrier(ty) {
            Some(integers) if integers.bytes() == ty.bytes() => {
                let word = rw.bitcast(value, integers);
                let word = self.integer(rw, word);
                rw.bitcast(word, ty)
            }
            Some(_) => {
                let lanes: SmallVec<[Value; 4]> = (0..ty.lanes())
                    .map(|n| {
                        let lane = rw.extract(value, n);
                        self.variable(rw, lane)
                    })
                    .collect();
                rw.construct(&lanes, ty)
            }
            None if scalar.is_float() => self.selected(rw, value),
            None => self.integer(rw, value),
        }
    }

    /// A half, or the number of work-groups where what never holds does.
    fn selected(&mut self, rw: &mut Rewriter<'_>, half: Value) -> Value {
        let ty = rw.f.ty(half);
        let never = self.never(rw);
        let groups = rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, 0), Type::I32);
        let other = rw.convert(ConvertOp::UToF, groups, Type::Scalar(Scalar::F16));
        let other = rw.construct(&[other], ty);
        rw.inst(InstKind::Select(never, other, half), ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text, verify};

    /// A function that returns an opaque value of its argument or of a constant, before and after the pass.
    fn lowered(ty: &str, operand: &str, target: &Target) -> (Module, Module) {
        let source = format!(
            "module structured bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}):\n  v1: {ty} = opaque {operand}\n  return(v1)\n"
        );
        let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        verify::verify(&before).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut after = before.clone();
        after.functions.values_mut().for_each(|f| lower_function(f, target));
        verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
        assert!(!after.to_string().contains("opaque"), "{after}");
        (before, after)
    }

    fn large() -> Target {
        let mut target = Target::minimum();
        let f = &mut target.features;
        (f.shader_int8, f.shader_int16, f.shader_int64) = (true, true, true);
        (f.shader_float16, f.shader_float64) = (true, true);
        target
    }

    const TYPES: [&str; 12] =
        ["bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "i16x4", "i32x2", "f32x3", "f64x2"];

    /// Every type keeps its value, on a Target with all arithmetic and on one with little.
    #[test]
    fn values_stay() {
        for ty in TYPES {
            for target in [&large(), &Target::minimum()] {
                let [zero, one] = match ty.split('x').next().unwrap_or(ty) {
                    "f16" => ["0x0", "0x3c00"],
                    "f32" | "f64" => ["-0.0", "1.0"],
                    _ => ["0", "1"],
                };
                for operand in ["v0", &*format!("{ty}:{zero}"), &*format!("{ty}:{one}")] {
                    let (before, after) = lowered(ty, operand, target);
                    let run = |m: &Module| {
                        let f = m.functions.values().next().expect("one");
                        let lanes = usize::from(f.ty(f.params()[0]).lanes());
                        interp::run(f, &[vec![Some(1); lanes]], 0, 100).end
                    };
                    assert_eq!(run(&before), run(&after), "{ty} {operand}\n{after}");
                }
            }
        }
    }

    /// A Target's missing arithmetic is not used.
    #[test]
    fn small_targets_compute_in_words() {
        for (ty, operand) in
            [("i8", "v0"), ("i16", "i16:7"), ("f16", "v0"), ("f16", "f16:0x3c00"), ("f64", "v0")]
        {
            let text = lowered(ty, operand, &Target::minimum()).1.to_string();
            for none in ["i8 = xor", "i16 = xor", "i64 = xor", "i16 = bitcast"] {
                assert!(!text.contains(none), "{ty} {operand}: {text}");
            }
        }
    }

    /// The bits of a half are no integer where the driver computes wrongly with 16 bits.
    #[test]
    fn no_arithmetic_that_goes_wrong() {
        let mut target = large();
        assert!(lowered("f16", "v0", &target).1.to_string().contains("i16 = xor"));
        target.quirks.wrong_16_bit_arithmetic = true;
        assert!(lowered("f16", "v0", &target).1.to_string().contains("f16 = select"));
    }

    #[test]
    fn constants_are_computed_once_at_the_start() {
        let source = "module structured bits=64\nfunc f0 \"f\" returns (f32)\nb0(v0: f32, v1: bool):\n  merge selection b2\n  condbr v1, b1(), b2(v0)\n\
                      b1():\n  v2: f32 = opaque f32:0.0\n  v3: f32 = opaque f32:0.0\n  v4: f32 = fadd v2, v3\n  br b2(v4)\nb2(v5: f32):\n  return(v5)\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        module.functions.values_mut().for_each(|f| lower_function(f, &Target::minimum()));
        let text = module.to_string();
        let (entry, rest) = text.split_once("b1():").expect("two blocks");
        assert_eq!((entry.matches("= xor").count(), rest.matches("= xor").count()), (1, 0), "{text}");
        assert_eq!(entry.matches("numworkgroups").count(), 3, "{text}");
    }

    /// No pass folds an opaque constant.
    #[test]
    fn nothing_folds_them() {
        let source = "module legal bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  v1: i32 = opaque i32:0\n  v2: i32 = imul v0, v1\n  return(v2)\n";
        for pass in ["simplify", "reassociate", "rewrite_rules", "licm"] {
            let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
            let mut target = large();
            target.quirks.lacks_licm = true;
            let ran = crate::pipeline::run_pass(pass, &mut module, &target, &crate::LowerOptions::default());
            assert!(matches!(ran, Ok(true)), "{pass}");
            assert!(module.to_string().contains("opaque i32:0"), "{pass}: {module}");
        }
    }
}

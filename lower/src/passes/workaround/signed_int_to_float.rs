//! Unsigned-to-float conversion by signed ones, because SwiftShader rounds large unsigned integers twice.
//!
//! ```text
//! (float)u    →    (int)u < 0 ? 2 * (float)(int)(u >> 1 | u & 1) : (float)(int)u
//! ```
//!
//! SwiftShader adds 2^31 to the rounded float of the low 31 bits: 0xf0298a90 becomes 0x1.e05314p31 instead of 0x1.e05316p31. Vulkan requires
//! correct rounding ("Precision and Operation of SPIR-V Instructions").
//!
//! Integers of 2^31 and more are halved, converted as signed ones and doubled. The bit that the halving drops is kept as a sticky bit in the
//! lowest one. Values that are known to be below 2^31 stay as they are.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Value};
use crate::transform::rewriter::Rewriter;

/// The integer of a conversion that may be rounded twice.
fn conversion(f: &Function, inst: Inst) -> Option<Value> {
    let InstKind::Convert { op: ConvertOp::UToF, value, .. } = f.insts[inst].kind else { return None };
    let to = f.insts[inst].results.first().and_then(|r| f.ty(*r).scalar());
    let words = f.ty(value).scalar() == Some(Scalar::I32) && to == Some(Scalar::F32);
    (words && !is_small(f, value)).then_some(value)
}

/// Returns whether a word is seen to be below 2³¹.
fn is_small(f: &Function, value: Value) -> bool {
    let constant = |v: Value| f.const_bits(v);
    if let Some(bits) = constant(value) {
        return bits < 1 << 31;
    }
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Convert { op: ConvertOp::ZExt, .. }) => true,
        Some(InstKind::Binary(BinaryOp::And, a, b)) => {
            [*a, *b].into_iter().any(|v| constant(v).is_some_and(|bits| bits < 1 << 31))
        }
        Some(InstKind::Binary(BinaryOp::LShr, _, by)) => {
            constant(*by).is_some_and(|by| (1..32).contains(&by))
        }
        _ => false,
    }
}

/// Rewrites a conversion that may be rounded twice.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let value = conversion(rw.f, inst)?;
    let (words, ty) = (rw.f.ty(value), rw.f.ty(rw.f.insts[inst].results[0]));
    let zero = rw.iconst(words, 0);
    let large = rw.icmp(IntCC::Slt, value, zero);
    let half = rw.binary_const(BinaryOp::LShr, value, 1);
    let last = rw.binary_const(BinaryOp::And, value, 1);
    let half = rw.binary(BinaryOp::Or, half, last);
    let number = rw.inst(InstKind::Select(large, half, value), words);
    let float = rw.convert(ConvertOp::SToF, number, ty);
    let double = rw.binary(BinaryOp::FAdd, float, float);
    Some(InstKind::Select(large, double, float))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, interp, text, verify};
    use crate::passes::optimize::rewrite_rules::apply_each;

    fn module(body: &str) -> Module {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (f32)\nb0(v0: i32):\n{body}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_each(&mut module, rewrite);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module
    }

    #[test]
    fn they_are_rounded_once() {
        let module = module("  v9: f32 = convert.utof v0\n");
        assert!(!module.to_string().contains("utof"), "{module}");
        let function = module.functions.values().next().expect("one");
        let mut numbers = vec![
            0,
            1,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xf029_8a90,
            u32::MAX,
            u32::MAX - 127,
            u32::MAX - 128,
        ];
        // Next to what lies between two floats, on both sides of 2³¹.
        numbers.extend((0..64).flat_map(|n: u32| {
            let middle = (0x8000_0080u32).wrapping_add(n.wrapping_mul(0x0123_4500));
            [middle - 1, middle, middle + 1, middle >> 1, (middle >> 1) + 1]
        }));
        for n in numbers {
            let expected = u64::from((n as f32).to_bits());
            let end = interp::run(function, &[vec![Some(n.into())]], 0, 100).end;
            assert_eq!(end, interp::End::Return(vec![vec![Some(expected)]]), "{n:#x}");
        }
    }

    #[test]
    fn small_ones_stay() {
        for small in ["and v0, i32:0x7fffffff", "lshr v0, i32:8"] {
            let text = module(&format!("  v1: i32 = {small}\n  v9: f32 = convert.utof v1\n")).to_string();
            assert!(text.contains("utof"), "{text}");
        }
    }
}

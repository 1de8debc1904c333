//! Dot-product lowering: packed dot products of four bytes become multiplications and additions of words.
//!
//! ```text
//! d = sdot4 a, b        becomes        d = sext(a.byte0) * sext(b.byte0) + … + sext(a.byte3) * sext(b.byte3)
//! ```

use crate::ir::{BinaryOp, Function, Inst, InstKind, Type, Value};
use crate::transform::rewriter::{Rewriter, replace_results};

/// Lowers the dot products of a function.
pub(super) fn run(f: &mut Function) {
    let dot = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::Binary(op @ (BinaryOp::SDot4 | BinaryOp::UDot4 | BinaryOp::SUDot4), a, b) => {
            Some((op, a, b))
        }
        _ => None,
    };
    replace_results(
        f,
        |f, inst| dot(f, inst).is_some(),
        |rw, inst| dot(rw.f, inst).map(|(op, a, b)| product(rw, op, a, b)),
    );
}

fn product(rw: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    let mut sum = rw.iconst(Type::I32, 0);
    for n in 0..4 {
        let x = byte(rw, a, n, op != BinaryOp::UDot4);
        let y = byte(rw, b, n, op == BinaryOp::SDot4);
        let product = rw.binary(BinaryOp::IMul, x, y);
        sum = rw.add(sum, product);
    }
    sum
}

/// Byte n of a word, extended to a word.
fn byte(rw: &mut Rewriter<'_>, word: Value, n: u64, signed: bool) -> Value {
    if !signed {
        let low = if n == 0 { word } else { rw.binary_const(BinaryOp::LShr, word, 8 * n) };
        return if n == 3 { low } else { rw.binary_const(BinaryOp::And, low, 0xFF) };
    }
    let high = if n == 3 { word } else { rw.binary_const(BinaryOp::Shl, word, 24 - 8 * n) };
    let count = rw.iconst(Type::I32, 24);
    rw.inst(InstKind::Binary(BinaryOp::AShr, high, count), Type::I32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Scalar, fold, text};

    /// The signed and unsigned products of constants match a reference.
    #[test]
    fn bytes_are_multiplied() {
        for (word, op) in
            [("sdot4", BinaryOp::SDot4), ("udot4", BinaryOp::UDot4), ("sudot4", BinaryOp::SUDot4)]
        {
            let (a, b) = (0x80FF_7F01u32, 0xFF80_02FEu32);
            let value = |word: u32, n: usize, signed: bool| {
                let byte = word.to_le_bytes()[n];
                if signed { i32::from(byte.cast_signed()) } else { i32::from(byte) }
            };
            let (first, second) = (op != BinaryOp::UDot4, op == BinaryOp::SDot4);
            let expected: i32 = (0..4).map(|n| value(a, n, first) * value(b, n, second)).sum();
            let folded = fold::binary(op, Scalar::I32, a.into(), b.into());
            assert_eq!(folded, Some(u64::from(expected.cast_unsigned())), "{word}");
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  v2: i32 = {word} v0, v1\n  return(v2)\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}"));
            module.functions.values_mut().for_each(run);
            let text = module.to_string();
            assert!(!text.contains("dot4") && text.matches("imul").count() == 4, "{text}");
        }
    }
}

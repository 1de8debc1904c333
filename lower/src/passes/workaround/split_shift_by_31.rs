//! Shifts of extended integers by 31 in two halves, because NVIDIA's compiler (580) multiplies by -2^31 instead.
//!
//! ```text
//! (long)x << 31    →    (long)(uint)(x >> 1) << 32 | (uint)(x << 31)
//! ```
//!
//! That compiler makes `(long)x << 31` of an int a widening product of x and the int `1 << 31`, which is negative. The product of `(long)x` and
//! 2^31 is the same to it. 16 bits that are extended and shifted by 15 are rewritten, too.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Scalar, Value};
use crate::transform::rewriter::Rewriter;

/// Rewrites the shift of an extended integer by one bit less than it has.
pub(super) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    Some(match shifted(rw.f, inst)? {
        Shifted::Int(x) => {
            let ty = rw.f.ty(x).with_scalar(Scalar::I64);
            let low = rw.binary_const(BinaryOp::Shl, x, 31);
            let high = rw.binary_const(BinaryOp::AShr, x, 1);
            let [low, high] = [low, high].map(|half| rw.convert(ConvertOp::ZExt, half, ty));
            let high = rw.binary_const(BinaryOp::Shl, high, 32);
            InstKind::Binary(BinaryOp::Or, high, low)
        }
        Shifted::Short(up) => {
            let one = rw.iconst(rw.f.ty(up), 1);
            InstKind::Binary(BinaryOp::AShr, up, one)
        }
    })
}

/// A sign-extended value that is shifted by one bit less than its own width.
enum Shifted {
    /// 32 bits in 64.
    Int(Value),
    /// 16 bits in 32, which are the upper ones of this.
    Short(Value),
}

fn shifted(f: &Function, inst: Inst) -> Option<Shifted> {
    let (x, bits) = match f.insts[inst].kind {
        InstKind::Binary(BinaryOp::Shl, x, by) => (x, f.const_bits(by)?),
        InstKind::Binary(BinaryOp::IMul, a, b) => {
            let (x, factor) = f.const_bits(b).map(|n| (a, n)).or_else(|| Some((b, f.const_bits(a)?)))?;
            (x, u64::from(factor.is_power_of_two().then(|| factor.trailing_zeros())?))
        }
        _ => return None,
    };
    match f.def_inst(x)?.kind {
        InstKind::Convert { op: ConvertOp::SExt, value, .. }
            if bits == 31
                && f.ty(x).scalar() == Some(Scalar::I64)
                && f.ty(value).scalar() == Some(Scalar::I32) =>
        {
            Some(Shifted::Int(value))
        }
        InstKind::Binary(BinaryOp::AShr, up, down)
            if bits == 15
                && f.const_bits(down) == Some(16)
                && f.ty(x).scalar() == Some(Scalar::I32)
                && matches!(f.def_inst(up)?.kind, InstKind::Binary(BinaryOp::Shl, _, n) if f.const_bits(n) == Some(16)) =>
        {
            Some(Shifted::Short(up))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, interp, text, verify};
    use crate::passes::workaround::workaround_rules::apply_each;

    /// The function after the pass, which gives what it gave before.
    fn after(ty: &str, body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: i32):\n{body}  return(v9)\n"
        );
        let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut module = before.clone();
        apply_each(&mut module, rewrite);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        for x in [0, 1, 923_087_225, 0x7fff, 0x8000, 0x8001, 1 << 31, u64::from(u32::MAX)] {
            let end = |m: &Module| {
                let function = m.functions.values().next().expect("one");
                interp::run(function, &[vec![Some(x)]], 0, 100).end
            };
            assert_eq!(end(&before), end(&module), "{x:#x}:\n{module}");
        }
        module.to_string()
    }

    #[test]
    fn extended_numbers_are_shifted_by_halves() {
        let wide = "  v1: i64 = convert.sext v0\n";
        for shift in ["shl v1, i64:31", "imul v1, i64:2147483648", "imul i64:2147483648, v1"] {
            let text = after("i64", &format!("{wide}  v9: i64 = {shift}\n"));
            assert!(text.contains("v9: i64 = or") && !text.contains("imul"), "{text}");
        }
        let text = after(
            "i32",
            "  v1: i32 = shl v0, i32:16\n  v2: i32 = ashr v1, i32:16\n  v9: i32 = shl v2, i32:15\n",
        );
        assert!(text.contains("v9: i32 = ashr v1, i32:1\n"), "{text}");
        for shift in ["shl v1, i64:30", "imul v1, i64:1073741824", "imul v1, i64:2147483649"] {
            let text = after("i64", &format!("{wide}  v9: i64 = {shift}\n"));
            assert!(text.contains(&format!("v9: i64 = {shift}")), "{text}");
        }
        let text = after("i64", "  v1: i64 = convert.zext v0\n  v9: i64 = shl v1, i64:31\n");
        assert!(text.contains("v9: i64 = shl v1"), "{text}");
    }
}

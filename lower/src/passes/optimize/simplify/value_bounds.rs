//! Signed ranges of integers, derived from the operations that compute them; comparisons beyond a range fold.
//!
//! ```text
//! (x >> 23) == 1000 → false    (arithmetic shift of 32 bits: -256 … 255)
//! ```

use super::bits::possible_bits;
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, IntCC, Scalar, Value};

/// Depth to which operands are followed.
const MAX_DEPTH: u32 = 4;

/// The result of comparing a number with a constant, if it is the same for all operands of the number's operation.
pub(super) fn decide(f: &Function, cc: IntCC, value: Value, k: u64) -> Option<bool> {
    let width = f.ty(value).scalar().filter(|s| s.is_int()).map(Scalar::bits)?;
    if let Some(bits) = f.const_bits(value) {
        return Some(fold::icmp(cc, width, bits, k));
    }
    // Selections, loads and parameters have no bounds.
    if !matches!(f.def_inst(value)?.kind, InstKind::Binary(..)) {
        return None;
    }
    let k = fold::signed(k, width);
    let (lowest, highest) = bounds(f, value, width, MAX_DEPTH)?;
    let (below, above) = (highest < k, k < lowest);
    match cc {
        IntCC::Eq if below || above => Some(false),
        IntCC::Ne if below || above => Some(true),
        IntCC::Slt if below || lowest >= k => Some(below),
        IntCC::Sge if below || lowest >= k => Some(!below),
        IntCC::Sgt if above || highest <= k => Some(above),
        IntCC::Sle if above || highest <= k => Some(!above),
        // Neither is negative: signs make no difference.
        IntCC::Ult if lowest >= 0 && k >= 0 && (below || lowest >= k) => Some(below),
        IntCC::Uge if lowest >= 0 && k >= 0 && (below || lowest >= k) => Some(!below),
        IntCC::Ugt if lowest >= 0 && k >= 0 && (above || highest <= k) => Some(above),
        IntCC::Ule if lowest >= 0 && k >= 0 && (above || highest <= k) => Some(!above),
        _ => None,
    }
}

/// The least and the greatest signed value of a number; `None` where it may be any.
fn bounds(f: &Function, value: Value, width: u32, depth: u32) -> Option<(i64, i64)> {
    if let Some(bits) = f.const_bits(value) {
        let k = fold::signed(bits, width);
        return Some((k, k));
    }
    let fits = |(lowest, highest): (i64, i64)| {
        let top = fold::mask(width - 1) as i64;
        (-top - 1 <= lowest && highest <= top).then_some((lowest, highest))
    };
    let by_bits = || {
        let bits = possible_bits(f, value);
        (bits >> (width - 1) == 0).then_some((0, bits as i64))
    };
    let of = |v: Value| bounds(f, v, width, depth.checked_sub(1)?);
    match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::AShr, _, by) => {
            let by = f.const_bits(by).filter(|by| (1..u64::from(width)).contains(by))?;
            let top = fold::mask(width - 1 - by as u32) as i64;
            Some((-top - 1, top))
        }
        InstKind::Binary(BinaryOp::IAdd, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            fits((a.checked_add(c)?, b.checked_add(d)?))
        }
        InstKind::Binary(BinaryOp::ISub, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            fits((a.checked_sub(d)?, b.checked_sub(c)?))
        }
        InstKind::Binary(BinaryOp::And | BinaryOp::LShr | BinaryOp::URem, ..) => by_bits(),
        InstKind::Convert { op: ConvertOp::ZExt, .. } => by_bits(),
        InstKind::Select(_, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            Some((a.min(c), b.max(d)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::passes::optimize::simplify::simplify_function;

    fn simplified(body: &str) -> String {
        let text = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (bool)\nb0(v0: i32, v1: i32, v2: bool, v3: bool):\n{body}"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    #[test]
    fn comparisons_beyond_the_bounds_fold() {
        let exponent = "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:-276, i32:-127\n  v6: i32 = iadd v4, v5\n";
        let beyond =
            simplified(&format!("{exponent}  v7: bool = icmp.eq v6, i32:2147483647\n  return(v7)\n"));
        assert!(beyond.contains("return(false)") || beyond.contains("return(bool:0)"), "{beyond}");
        let edge = simplified(&format!("{exponent}  v7: bool = icmp.sge v6, i32:-532\n  return(v7)\n"));
        assert!(edge.contains("return(true)") || edge.contains("return(bool:1)"), "{edge}");
        let within = simplified(&format!("{exponent}  v7: bool = icmp.sge v6, i32:-531\n  return(v7)\n"));
        assert!(within.contains("icmp.sge"), "{within}");
        let less =
            "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:276, i32:127\n  v6: i32 = isub v4, v5\n";
        let beyond = simplified(&format!("{less}  v7: bool = icmp.slt v6, i32:-532\n  return(v7)\n"));
        assert!(beyond.contains("return(bool:0)"), "{beyond}");
        let within = simplified(&format!("{less}  v7: bool = icmp.slt v6, i32:-531\n  return(v7)\n"));
        assert!(within.contains("icmp.slt"), "{within}");
        // A sum that may wrap has no bounds.
        let wraps = simplified(
            "  v4: i32 = ashr v0, i32:1\n  v5: i32 = ashr v1, i32:1\n  v6: i32 = iadd v4, v5\n  v7: i32 = iadd v6, v4\n  v8: bool = icmp.sgt v7, i32:-2147483648\n  return(v8)\n",
        );
        assert!(wraps.contains("icmp.sgt"), "{wraps}");
    }

    #[test]
    fn selections_of_constants_outside_the_bounds() {
        let named = "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:2147483647, v4\n  v6: i32 = select v3, i32:-2147483648, v5\n";
        let one = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:-2147483648\n  return(v7)\n"));
        assert!(one.contains("return(v3)"), "{one}");
        let inner = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:2147483647\n  return(v7)\n"));
        assert!(inner.contains("and ") && inner.contains("not v3") && !inner.contains("icmp"), "{inner}");
        let reached = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:5\n  return(v7)\n"));
        assert!(reached.contains("icmp.eq v6"), "{reached}");
    }
}

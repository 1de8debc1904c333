//! Opaque atomic operands: operands of atomics that were computed as floats pass an integer operation, because llvmpipe (22.3) crashes on them.
//!
//! ```text
//! atomic_add(p, as_uint(x * y))    →    atomic_add(p, opaque as_uint(x * y))
//! ```
//!
//! llvmpipe gives LLVM the operands of atomics through pointers in the type in which they were computed. LLVM then has no instruction for
//! `atomic_add(p, as_uint(x * y))`, and ends the process. Exchanges and float atomics are not affected. The operand becomes an opaque
//! value.

use crate::ir::{AtomicOp, Function, Inst, InstKind, Place, Value};
use crate::transform::rewriter::Rewriter;

/// So far an operand is followed to where it comes from.
const DEPTH: u32 = 6;

/// Makes the operands of an atomic by an address opaque that are bits of floats.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let InstKind::Atomic { op, place: Place::Address(_), operands, .. } = &rw.f.insts[inst].kind else {
        return None;
    };
    let counts = !matches!(op, AtomicOp::Exchange | AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
    if !counts || !operands.iter().any(|v| is_float(rw.f, *v, DEPTH)) {
        return None;
    }
    let mut kind = rw.f.insts[inst].kind.clone();
    if let InstKind::Atomic { operands, .. } = &mut kind {
        for operand in operands.iter_mut() {
            if is_float(rw.f, *operand, DEPTH) {
                *operand = rw.opaque(*operand);
            }
        }
    }
    Some(kind)
}

/// Returns whether a value is bits of floats, or of a vector of them, or may be chosen to be; what comes from further away may be, too.
fn is_float(f: &Function, value: Value, depth: u32) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return true };
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Bitcast(from)) => f.ty(*from).scalar().is_some_and(|s| s.is_float()),
        Some(InstKind::Extract(from, _)) => is_float(f, *from, deeper),
        Some(InstKind::Select(_, one, other)) => is_float(f, *one, deeper) || is_float(f, *other, deeper),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::apply_each;

    fn after(body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i64, v1: f32, v2: i32):\n{body}  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_each(&mut module, rewrite);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    #[test]
    fn floats_are_hidden_where_the_driver_dies() {
        let with = |place: &str, op: &str, operands: &str| {
            after(&format!(
                "  v3: i32 = bitcast v1\n  v4: i32 = atomic.{op} {place} ({operands}) device relaxed\n"
            ))
        };
        let opaque =
            |place: &str, op: &str, operands: &str| with(place, op, operands).matches("= opaque").count();
        assert_eq!(opaque("address[v0]", "iadd", "v3"), 1);
        assert_eq!(opaque("address[v0]", "compareexchange", "v2, v3"), 1);
        assert_eq!(opaque("address[v0]", "compareexchange", "v3, v3"), 2);
        // An operand of which each of many steps chooses between the two before.
        let mut steps =
            "  v4: bool = icmp.ult v2, i32:9\n  v5: i32 = iadd v2, v2\n  v6: i32 = imul v2, v2\n".to_owned();
        for n in 7..200 {
            steps += &format!("  v{n}: i32 = select v4, v{}, v{}\n", n - 1, n - 2);
        }
        let last = "  v200: i32 = atomic.iadd address[v0] (v199) device relaxed\n";
        assert_eq!(after(&format!("{steps}{last}")).matches("= opaque").count(), 1);
        // Exchanges, integers and buffers by their descriptors are as they were.
        assert_eq!(opaque("address[v0]", "exchange", "v3"), 0);
        assert_eq!(opaque("address[v0]", "iadd", "v2"), 0);
        assert_eq!(opaque("arg0.i32[v2]", "iadd", "v3"), 0);
    }
}

//! Byte swaps of 16 bits by multiplication, because drivers compile the shift form wrongly.
//!
//! A multiplication by 0x10001 repeats the 16 bits, and a shift by 8 takes the swapped ones from the middle.
//!
//! ```text
//! (x << 8) | (x >> 8)   ->   (((x & 0xffff) * 0x10001) >> 8) & 0xffff
//! ```
//!
//! NVIDIA's compiler (580) uses its byte-permute instruction for every (x << 8) | (x >> 8) of which 16 bits are used, masked or not, in 16 or 32
//! bits. It gives zeros or a register with an address. Bits above the lowest 16 keep what the original operation gives.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Scalar, Value};
use crate::transform::rewriter::Rewriter;

/// Rewrites what joins two bytes that were swapped.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let kind = &rw.f.insts[inst].kind;
    if let Some(swap) = swap(rw.f, kind) {
        return Some(by_product(rw, &swap));
    }
    rotation(rw.f, kind).map(|rotation| rotation.by_product(rw))
}

/// A value whose lowest two bytes an instruction swaps.
struct Swap {
    /// The swapped value, of 16 or 32 bits.
    value: Value,
    /// The other operand of the join, which has the bits above the 16.
    op: BinaryOp,
    parts: [Value; 2],
    /// True if bits above those 16 can be set in the result.
    more: bool,
}

/// One side of a swap: a value, the bits of it that count, moved by 8.
struct Moved {
    value: Value,
    up: bool,
    bits: u64,
}

fn swap(f: &Function, kind: &InstKind) -> Option<Swap> {
    let InstKind::Binary(op @ (BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd), a, b) = *kind else {
        return None;
    };
    if !matches!(f.ty(a).scalar(), Some(Scalar::I16 | Scalar::I32)) {
        return None;
    }
    let (first, second) = (moved(f, a)?, moved(f, b)?);
    let (up, down) = if first.up { (first, second) } else { (second, first) };
    let swaps = up.up && !down.up && up.value == down.value;
    // Each of the lower 16 bits is one of the value's, and the two sides have no bit in common.
    let whole = up.bits & 0xff == 0xff
        && down.bits & 0xff_ff00 == 0xff00
        && (op == BinaryOp::Or || up.bits << 8 & down.bits >> 8 == 0);
    let more = up.bits > 0xff || down.bits > 0xffff;
    (swaps && whole).then_some(Swap { value: up.value, op, parts: [a, b], more })
}

/// 16 bits turned by a number known at run time, of which the driver may find that it is 8: a specialization constant's.
struct Rotation {
    op: BinaryOp,
    up: Value,
    /// The 16 bits that are moved down, and by how much.
    value: Value,
    by: Value,
}

fn rotation(f: &Function, kind: &InstKind) -> Option<Rotation> {
    let InstKind::Binary(op @ (BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd), a, b) = *kind else {
        return None;
    };
    if f.ty(a).scalar() != Some(Scalar::I32) {
        return None;
    }
    let shift = |v: Value, wanted: BinaryOp| match f.def_inst(v)?.kind {
        InstKind::Binary(op, x, by) if op == wanted && f.const_bits(by).is_none() => Some((x, by)),
        _ => None,
    };
    let sides = |a: Value, b: Value| Some((a, shift(a, BinaryOp::Shl)?.0, shift(b, BinaryOp::LShr)?));
    let (up, x, (value, by)) = sides(a, b).or_else(|| sides(b, a))?;
    let (inner, mask) = masked(f, value);
    let whole = mask & widened(f, inner).1 & 0xffff_ffff == 0xffff;
    let same = masked(f, x).0 == inner;
    // With 16 more the shift stays below 32.
    let few = masked(f, by).1 <= 15;
    (whole && same && few).then_some(Rotation { op, up, value, by })
}

impl Rotation {
    /// The shifted-down bits come from the upper half of a product, in which no driver recognises the value.
    fn by_product(&self, rw: &mut Rewriter<'_>) -> InstKind {
        let twice = rw.binary_const(BinaryOp::IMul, self.value, 0x1_0001);
        let sixteen = rw.iconst(rw.f.ty(self.by), 16);
        let by = rw.add(self.by, sixteen);
        let down = rw.binary(BinaryOp::LShr, twice, by);
        InstKind::Binary(self.op, self.up, down)
    }
}

/// A value that is a shift by 8, masked before or after it or not at all.
fn moved(f: &Function, value: Value) -> Option<Moved> {
    let (value, after) = masked(f, value);
    let InstKind::Binary(op @ (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr), x, by) =
        f.def_inst(value)?.kind
    else {
        return None;
    };
    if f.const_bits(by)? != 8 {
        return None;
    }
    let (x, before) = masked(f, x);
    let width = f.ty(value).scalar()?.bits();
    let all = u64::MAX >> (64 - width);
    let (x, known) = widened(f, x);
    let before = before & known & all;
    // The bits that an arithmetic shift fills in are of the highest.
    if op == BinaryOp::AShr && before >> (width - 1) != 0 && after >> (width - 8) != 0 {
        return None;
    }
    let up = op == BinaryOp::Shl;
    let bits = if up { before & (after & all) >> 8 } else { before & after << 8 };
    Some(Moved { value: x, up, bits })
}

/// The bits of a value that masks keep, in scalars or in lanes of vectors.
fn masked(f: &Function, value: Value) -> (Value, u64) {
    let (mut value, mut bits) = (value, u64::MAX);
    while let Some((inner, mask)) = unmasked(f, value) {
        (value, bits) = (inner, bits & mask);
    }
    (value, bits)
}

/// The value that a mask is applied to, and the mask.
fn unmasked(f: &Function, value: Value) -> Option<(Value, u64)> {
    let operands = |value: Value| match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::And, a, b) => Some([(a, b), (b, a)]),
        _ => None,
    };
    match f.def_inst(value)?.kind {
        InstKind::Extract(vector, lane) => operands(vector)?.into_iter().find_map(|(x, mask)| {
            let mask = f.const_bits(mask).or_else(|| f.const_bits(component(f, mask, lane)?))?;
            Some((component(f, x, lane)?, mask))
        }),
        _ => operands(value)?.into_iter().find_map(|(x, mask)| Some((x, f.const_bits(mask)?))),
    }
}

/// A lane of a vector that is made of scalars.
fn component(f: &Function, vector: Value, lane: u8) -> Option<Value> {
    match &f.def_inst(vector)?.kind {
        InstKind::Construct(parts) if parts.iter().all(|part| f.ty(*part).lanes() == 1) => {
            parts.get(usize::from(lane)).copied()
        }
        _ => None,
    }
}

/// The 16-bit value from which a 32-bit one was extended, and the bits of it that can be set.
fn widened(f: &Function, value: Value) -> (Value, u64) {
    match f.def_inst(value).map(|i| &i.kind) {
        Some(InstKind::Convert { op: ConvertOp::ZExt, value: narrow, .. })
            if f.ty(*narrow).scalar() == Some(Scalar::I16) =>
        {
            (*narrow, 0xffff)
        }
        _ => (value, u64::MAX),
    }
}

/// The swap by a product in 32 bits, and what is above it.
fn by_product(rw: &mut Rewriter<'_>, swap: &Swap) -> InstKind {
    let [a, b] = swap.parts;
    let ty = rw.f.ty(a);
    let wide = ty.with_scalar(Scalar::I32);
    let value = rw.int_cast(swap.value, wide, false);
    let value = rw.binary_const(BinaryOp::And, value, 0xffff);
    let twice = rw.binary_const(BinaryOp::IMul, value, 0x1_0001);
    let down = rw.binary_const(BinaryOp::LShr, twice, 8);
    let swapped = rw.binary_const(BinaryOp::And, down, 0xffff);
    if ty != wide {
        return InstKind::Convert { op: ConvertOp::Trunc, value: swapped, saturate: false, rounding: None };
    }
    if !swap.more {
        let zero = rw.iconst(ty, 0);
        return InstKind::Binary(BinaryOp::Or, swapped, zero);
    }
    let joined = rw.binary(swap.op, a, b);
    let above = rw.binary_const(BinaryOp::And, joined, 0xffff_0000);
    InstKind::Binary(BinaryOp::Or, swapped, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, interp, text};
    use crate::passes::optimize::rewrite_rules::apply_each;

    /// The rewritten function, which must give what it gave before.
    fn rewritten(ty: &str, body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}):\n{body}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let before = module.clone();
        apply_each(&mut module, rewrite);
        for x in [0, 1, 0x80, 0xff00, 0x1234, 0xffff, 0x8001_7ffe, 0xabcd_ef98, 0xffff_ffff] {
            let run = |m: &Module| {
                let function = m.functions.values().next().expect("one");
                let width = function
                    .ty(function.blocks[function.layout[0]].params[0])
                    .scalar()
                    .map_or(32, Scalar::bits);
                interp::run(function, &[vec![Some(x & u64::MAX >> (64 - width))]], 0, 60).end
            };
            assert_eq!(run(&before), run(&module), "of {x:#x}:\n{module}");
        }
        module.to_string()
    }

    #[test]
    fn swaps_are_products() {
        let bare = rewritten(
            "i16",
            "  v1: i16 = shl v0, i16:8\n  v2: i16 = lshr v0, i16:8\n  v9: i16 = or v1, v2\n",
        );
        assert!(bare.contains("i32:65537") && bare.contains("v9: i16 = convert.trunc"), "{bare}");
        let masked = "  v1: i32 = and v0, i32:255\n  v2: i32 = shl v1, i32:8\n  v3: i32 = lshr v0, i32:8\n  \
                      v4: i32 = and v3, i32:255\n  v9: i32 = iadd v4, v2\n";
        let masked = rewritten("i32", masked);
        assert!(masked.contains("i32:65537") && !masked.contains("i32:-65536"), "{masked}");
        let open = "  v1: i32 = shl v0, i32:8\n  v2: i32 = and v0, i32:65280\n  v3: i32 = ashr v2, i32:8\n  \
                    v9: i32 = or v1, v3\n";
        let open = rewritten("i32", open);
        assert!(open.contains("i32:65537") && open.contains("i32:-65536"), "{open}");
        // As two bytes of a vector, swapped by a shuffle, come out of the legalization of bytes.
        let lanes = "  v1: i32 = and v0, i32:255\n  v2: i32 = lshr v0, i32:8\n  v3: i32 = and v2, i32:255\n  \
                     v4: i32x2 = construct(v3, v1)\n  v5: i32x2 = and v4, i32x2:255\n  v6: i32 = extract v5, 0\n  \
                     v7: i32 = extract v5, 1\n  v8: i32 = shl v7, i32:8\n  v9: i32 = or v6, v8\n";
        let lanes = rewritten("i32", lanes);
        assert!(lanes.contains("i32:65537"), "{lanes}");
    }

    #[test]
    fn other_shifts_stay() {
        for body in [
            // Bits 16 to 23 come down, too.
            "  v1: i32 = shl v0, i32:8\n  v2: i32 = lshr v0, i32:8\n  v9: i32 = or v1, v2\n",
            "  v1: i32 = shl v0, i32:7\n  v2: i32 = lshr v0, i32:9\n  v9: i32 = or v1, v2\n",
            "  v1: i32 = and v0, i32:15\n  v2: i32 = shl v1, i32:8\n  v3: i32 = and v0, i32:65280\n  \
             v4: i32 = lshr v3, i32:8\n  v9: i32 = or v2, v4\n",
        ] {
            let after = rewritten("i32", body);
            assert!(!after.contains("i32:65537"), "{after}");
        }
    }
}

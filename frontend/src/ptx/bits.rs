//! Bits: counts and fields (§9.7.1), logic and shifts (§9.7.7), permutations of bytes (§9.7.8).

use super::context::{Context, Inst, scalar};
use super::{Error, Type, statement};
use crate::builtins::BuiltinOp;
use crate::builtins::ext;
use crate::hir::{BinaryOp, Expr};
use crate::types::Scalar;
use spirv::Op;

/// The bits `first` to `first + count` of a word, extended by the sign of its type.
pub(super) fn field(c: &Context<'_>, word: Expr, first: u32, count: u32) -> Expr {
    c.shr(c.shl(word, c.uint(32 - first - count)), c.uint(32 - count))
}

/// `popc`
pub(super) fn popc(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    count(c, i, ext::POPCOUNT)
}

/// `clz`
pub(super) fn clz(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    count(c, i, ext::CLZ)
}

fn count(c: &mut Context<'_>, i: &Inst<'_>, number: u32) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let value = c.ext(number, vec![a], scalar(i.ty()));
    let value = c.cast(value, Scalar::UInt);
    c.put(i.operand(0), Type::U32, value)
}

/// `bfind`: the place of the highest bit that is no sign; with `.shiftamt` how far it is from the top.
pub(super) fn bfind(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let a = c.temp(a);
    let unsigned = Scalar::unsigned_of_size(ty.bits() / 8);
    let digits = if ty.is_signed() {
        // x ^ (x >> 31) is ~x where x is negative.
        let sign = c.shr(a.clone(), c.uint(ty.bits() - 1));
        c.cast(c.xor(a, sign), unsigned)
    } else {
        a
    };
    let digits = c.temp(digits);
    let zeros = c.ext(ext::CLZ, vec![digits.clone()], unsigned);
    let zeros = c.cast(zeros, Scalar::UInt);
    let place = if i.has("shiftamt") { zeros } else { c.sub(c.uint(ty.bits() - 1), zeros) };
    let found = c.compare(BinaryOp::Ne, digits.clone(), c.same(0, &digits));
    let value = c.select(found, place, c.uint(u32::MAX));
    c.put(i.operand(0), Type::U32, value)
}

/// `brev`
pub(super) fn brev(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let ty = a.ty.ty;
    let value = c.call(BuiltinOp::Op(Op::BitReverse), vec![ty], vec![a], ty);
    c.put(i.operand(0), i.ty(), value)
}

/// The 8 low bits of a place or length (`bfe`, `bfi`).
fn small(c: &mut Context<'_>, operand: &statement::Operand) -> Result<Expr, Error> {
    let value = c.get(operand, Type::U32)?;
    let value = c.and(value, c.uint(0xff));
    Ok(c.temp(value))
}

/// `length` ones from bit 0 on; all where that is as wide as the type or wider.
fn ones(c: &Context<'_>, length: Expr, ty: Scalar) -> Expr {
    let bits = ty.size() * 8;
    let all = c.int(-1, ty);
    let mask = c.bit_not(c.shl(c.int(-1, ty), length.clone()));
    let some = c.compare(BinaryOp::Lt, length, c.uint(bits));
    c.select(some, mask, all)
}

/// `bfe`: the field of c bits at bit b of a. Beyond the top the bits are 0, or the sign.
pub(super) fn bfe(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let bits = ty.bits();
    let constants = (c.immediate(i.operand(2)), c.immediate(i.operand(3)));
    if let (Some(place), Some(length)) = constants {
        let (place, length) = ((place & 0xff) as u32, (length & 0xff) as u32);
        if length > 0 && place + length <= bits {
            let up = c.shl(a, c.uint(bits - place - length));
            let value = c.shr(up, c.uint(bits - length));
            return c.put(i.operand(0), ty, value);
        }
    }
    let (place, length) = (small(c, i.operand(2))?, small(c, i.operand(3))?);
    let top = c.uint(bits - 1);
    let value = if ty.is_signed() {
        // The shift fills with the sign; then the field's own top bit is the sign.
        let shifted = c.shr(a, c.min(place, top));
        let shifted = c.temp(shifted);
        let up = c.sub(c.uint(bits), length.clone());
        let up = c.temp(up);
        let cut = c.shr(c.shl(shifted.clone(), up.clone()), up);
        let zero = c.same(0, &shifted);
        let whole = c.compare(BinaryOp::Lt, length.clone(), c.uint(bits));
        let cut = c.select(whole, cut, shifted);
        let some = c.compare(BinaryOp::Ne, length, c.uint(0));
        c.select(some, cut, zero)
    } else {
        let within = c.compare(BinaryOp::Lt, place.clone(), c.uint(bits));
        let zero = c.same(0, &a);
        let shifted = c.select(within, c.shr(a, place), zero);
        c.and(shifted, ones(c, length, scalar(ty)))
    };
    c.put(i.operand(0), ty, value)
}

/// `bfi`: the low d bits of a put into b at bit c.
pub(super) fn bfi(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let b = c.get(i.operand(2), ty)?;
    let (place, length) = (small(c, i.operand(3))?, small(c, i.operand(4))?);
    let mask = c.shl(ones(c, length, scalar(ty)), place.clone());
    let within = c.compare(BinaryOp::Lt, place.clone(), c.uint(ty.bits()));
    let mask = c.select(within, mask, c.int(0, scalar(ty)));
    let mask = c.temp(mask);
    let kept = c.and(b, c.bit_not(mask.clone()));
    let value = c.or(kept, c.and(c.shl(a, place), mask));
    c.put(i.operand(0), ty, value)
}

/// `bmsk`: b ones from bit a on. With `.clamp` a place beyond the top gives none and a length beyond it all that are left;
/// with `.wrap` both are taken modulo 32.
pub(super) fn bmsk(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), Type::U32)?;
    let b = c.get(i.operand(2), Type::U32)?;
    let (a, b) = (c.temp(a), c.temp(b));
    let (place, length) = match i.one_of(&["clamp", "wrap"]) {
        Some("clamp") => (a.clone(), b),
        Some(_) => (c.and(a.clone(), c.uint(31)), c.and(b, c.uint(31))),
        None => return c.error("'bmsk' needs '.clamp' or '.wrap'"),
    };
    let (place, length) = (c.temp(place), c.temp(length));
    let mask = c.shl(ones(c, length, Scalar::UInt), place.clone());
    let within = c.compare(BinaryOp::Lt, place, c.uint(32));
    let value = c.select(within, mask, c.uint(0));
    c.put(i.operand(0), Type::B32, value)
}

/// `and`
pub(super) fn and(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    logic(c, i, BinaryOp::BitAnd)
}

/// `or`
pub(super) fn or(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    logic(c, i, BinaryOp::BitOr)
}

/// `xor`
pub(super) fn xor(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    logic(c, i, BinaryOp::BitXor)
}

/// Two predicates joined by `and`, `or` or `xor`.
pub(super) fn join_predicates(c: &Context<'_>, op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match op {
        BinaryOp::BitAnd => c.both(a, b),
        BinaryOp::BitOr => c.either(a, b),
        _ => c.differ(a, b),
    }
}

fn logic(c: &mut Context<'_>, i: &Inst<'_>, op: BinaryOp) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let b = c.get(i.operand(2), i.ty())?;
    let value = match i.ty() {
        Type::Pred => join_predicates(c, op, a, b),
        _ => c.binary(op, a, b),
    };
    c.put(i.operand(0), i.ty(), value)
}

/// `not`
pub(super) fn not(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let value = if i.ty() == Type::Pred { c.not(a) } else { c.bit_not(a) };
    c.put(i.operand(0), i.ty(), value)
}

/// `cnot`: 1 where a is 0, else 0.
pub(super) fn cnot(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), i.ty())?;
    let zero = c.same(0, &a);
    let value = c.compare(BinaryOp::Eq, a, zero);
    let value = c.cast(value, scalar(i.ty()));
    c.put(i.operand(0), i.ty(), value)
}

/// The function of b and c whose values for 00, 01, 10, 11 are the bits of `table`.
fn of_two(e: &Context<'_>, table: u8, b: &Expr, c: &Expr) -> Expr {
    let (b, c) = (|| b.clone(), || c.clone());
    match table & 0xf {
        0x0 => e.uint(0),
        0x1 => e.bit_not(e.or(b(), c())),
        0x2 => e.and(e.bit_not(b()), c()),
        0x3 => e.bit_not(b()),
        0x4 => e.and(b(), e.bit_not(c())),
        0x5 => e.bit_not(c()),
        0x6 => e.xor(b(), c()),
        0x7 => e.bit_not(e.and(b(), c())),
        0x8 => e.and(b(), c()),
        0x9 => e.bit_not(e.xor(b(), c())),
        0xa => c(),
        0xb => e.or(e.bit_not(b()), c()),
        0xc => b(),
        0xd => e.or(b(), e.bit_not(c())),
        0xe => e.or(b(), c()),
        _ => e.uint(u32::MAX),
    }
}

/// `lop3`: the function of three bits that is the table `immLut`; bit 4a + 2b + c of it is the result for a, b, c.
pub(super) fn lop3(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let Some(table) = c.immediate(i.operand(4)) else { return lop3_of_value(c, i) };
    let Ok(table) = u8::try_from(table) else { return c.error("the table of 'lop3' has 8 bits") };
    let mut values = Vec::new();
    for n in 1..4 {
        let value = c.get(i.operand(n), Type::B32)?;
        values.push(c.temp(value));
    }
    let [x, y, z] = values.as_slice() else { return Ok(()) };
    // Without a the function is `low`; where a is set it differs by `change`.
    let (low, change) = (table & 0xf, (table & 0xf) ^ (table >> 4));
    let base = of_two(c, low, y, z);
    let value = match (low, change) {
        (_, 0) => base,
        (0, 0xf) => x.clone(),
        (0, _) => c.and(x.clone(), of_two(c, change, y, z)),
        (_, 0xf) => c.xor(base, x.clone()),
        _ => c.xor(base, c.and(x.clone(), of_two(c, change, y, z))),
    };
    c.put(i.operand(0), Type::B32, value)
}

/// `lop3` with a table that only inlining makes constant: a polynomial over bits, whose coefficients fold then.
fn lop3_of_value(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let mut values = Vec::new();
    for n in 1..5 {
        let value = c.get(i.operand(n), Type::B32)?;
        values.push(c.temp(value));
    }
    let [x, y, z, table] = values.as_slice() else { return Ok(()) };
    let differ = c.xor(table.clone(), c.shr(table.clone(), c.uint(4)));
    let change = c.temp(differ);
    // Without a the function is the first polynomial; where a is set it differs by the second.
    let (low, change) = (polynomial(c, table, y, z), polynomial(c, &change, y, z));
    let value = c.xor(low, c.and(x.clone(), change));
    c.put(i.operand(0), Type::B32, value)
}

/// The function of y and z whose table is bits 0 to 3 of a value, as t0 ^ (t0^t1)z ^ (t0^t2)y ^ (t0^t1^t2^t3)yz.
fn polynomial(c: &mut Context<'_>, table: &Expr, y: &Expr, z: &Expr) -> Expr {
    let of_z = c.xor(table.clone(), c.shr(table.clone(), c.uint(1)));
    let of_z = c.temp(of_z);
    let of_y = c.xor(table.clone(), c.shr(table.clone(), c.uint(2)));
    let of_both = c.xor(of_z.clone(), c.shr(of_z.clone(), c.uint(2)));
    // All bits are the lowest one.
    let mask = |bit: Expr| c.sub(c.uint(0), c.and(bit, c.uint(1)));
    let linear = c.xor(c.and(mask(of_z), z.clone()), c.and(mask(of_y), y.clone()));
    let product = c.and(mask(of_both), c.and(y.clone(), z.clone()));
    c.xor(c.xor(mask(table.clone()), linear), product)
}

/// `shf`: 32 of the 64 bits of b:a, shifted.
pub(super) fn shf(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let (Some(way), Some(mode)) = (i.one_of(&["l", "r"]), i.one_of(&["clamp", "wrap"])) else {
        return c.error("'shf' needs '.l' or '.r', and '.clamp' or '.wrap'");
    };
    let a = c.get(i.operand(1), Type::U32)?;
    let b = c.get(i.operand(2), Type::U32)?;
    let n = c.get(i.operand(3), Type::U32)?;
    let (low, high, n) = (c.temp(a), c.temp(b), c.temp(n));
    let left = way == "l";
    let same = i.operand(1) == i.operand(2);
    let value = if same {
        // A rotation; 32 gives what 0 does.
        let amount = if mode == "clamp" { c.min(n, c.uint(32)) } else { n };
        let amount = if left { amount } else { c.sub(c.uint(0), amount) };
        c.ext(ext::ROTATE, vec![low, c.and(amount, c.uint(31))], Scalar::UInt)
    } else {
        // In two steps, so that no amount is 32.
        let less = c.and(n.clone(), c.uint(31));
        let less = c.temp(less);
        let rest = c.sub(c.uint(31), less.clone());
        let shifted = if left {
            let in_low = c.shr(c.shr(low.clone(), c.uint(1)), rest);
            c.or(c.shl(high.clone(), less), in_low)
        } else {
            let in_high = c.shl(c.shl(high.clone(), c.uint(1)), rest);
            c.or(in_high, c.shr(low.clone(), less))
        };
        if mode == "clamp" {
            let whole = if left { low } else { high };
            let all = c.compare(BinaryOp::Ge, n, c.uint(32));
            c.select(all, whole, shifted)
        } else {
            shifted
        }
    };
    c.put(i.operand(0), Type::B32, value)
}

/// `shl`: amounts beyond the width give 0.
pub(super) fn shl(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let n = c.get(i.operand(2), Type::U32)?;
    let value = clamped(c, ty, n, |c, n| c.shl(a.clone(), n));
    c.put(i.operand(0), ty, value)
}

/// `shr`: amounts beyond the width give 0, or the sign everywhere.
pub(super) fn shr(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    let a = c.get(i.operand(1), ty)?;
    let n = c.get(i.operand(2), Type::U32)?;
    let value = if ty.is_signed() {
        let n = c.min(n, c.uint(ty.bits() - 1));
        c.shr(a, n)
    } else {
        clamped(c, ty, n, |c, n| c.shr(a.clone(), n))
    };
    c.put(i.operand(0), ty, value)
}

fn clamped(c: &mut Context<'_>, ty: Type, n: Expr, shift: impl Fn(&Context<'_>, Expr) -> Expr) -> Expr {
    let n = c.temp(n);
    let shifted = shift(c, n.clone());
    let within = c.compare(BinaryOp::Lt, n, c.uint(ty.bits()));
    c.select(within, shifted, c.int(0, scalar(ty)))
}

/// The four selectors that a mode of `prmt` stands for, by the two low bits of c.
fn selectors(mode: &str) -> [u32; 4] {
    match mode {
        "f4e" => [0x3210, 0x4321, 0x5432, 0x6543],
        "b4e" => [0x5670, 0x6701, 0x7012, 0x0123],
        "rc8" => [0x0000, 0x1111, 0x2222, 0x3333],
        "ecl" => [0x3210, 0x3211, 0x3222, 0x3333],
        "ecr" => [0x0000, 0x1110, 0x2210, 0x3210],
        _ => [0x1010, 0x3232, 0x1010, 0x3232],
    }
}

/// `prmt`: each byte of the result is one of the eight of b:a, or its sign eight times.
pub(super) fn prmt(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let a = c.get(i.operand(1), Type::B32)?;
    let b = c.get(i.operand(2), Type::B32)?;
    let (a, b) = (c.temp(a), c.temp(b));
    let constant = c.immediate(i.operand(3)).map(|n| n as u32);
    let mode = i.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    let constant = match (mode, constant) {
        (Some(mode), Some(n)) => selectors(mode).get((n & 3) as usize).copied(),
        (_, constant) => constant,
    };
    if let Some(selector) = constant {
        let value = permuted(c, &a, &b, selector);
        return c.put(i.operand(0), Type::B32, value);
    }
    let selector = c.get(i.operand(3), Type::B32)?;
    let selector = c.temp(selector);
    let selector = match mode {
        None => selector,
        Some(mode) => {
            let [zero, one, two, three] = selectors(mode).map(|s| c.uint(s));
            let bit = |c: &Context<'_>, n: u32| {
                c.compare(BinaryOp::Ne, c.and(selector.clone(), c.uint(n)), c.uint(0))
            };
            let (low, high) = (c.select(bit(c, 1), one, zero), c.select(bit(c, 1), three, two));
            let chosen = c.select(bit(c, 2), high, low);
            c.temp(chosen)
        }
    };
    let both = c.join(a, b, Scalar::ULong, 32);
    let both = c.temp(both);
    let mut value = c.uint(0);
    for k in 0..4 {
        let control = c.shr(selector.clone(), c.uint(4 * k));
        let control = c.temp(control);
        let amount = c.shl(c.and(control.clone(), c.uint(7)), c.uint(3));
        let byte = c.cast(c.shr(both.clone(), amount), Scalar::Char);
        let byte = c.cast(byte, Scalar::Int);
        let byte = c.temp(byte);
        let signs = c.shr(byte.clone(), c.uint(7));
        let replicate = c.compare(BinaryOp::Ne, c.and(control, c.uint(8)), c.uint(0));
        let byte = c.select(replicate, signs, byte);
        let byte = c.and(c.cast(byte, Scalar::UInt), c.uint(0xff));
        value = c.or(value, c.shl(byte, c.uint(8 * k)));
    }
    c.put(i.operand(0), Type::B32, value)
}

/// The bytes that a constant selector picks. Those that move alike move together.
fn permuted(c: &Context<'_>, a: &Expr, b: &Expr, selector: u32) -> Expr {
    let mut moves: Vec<(u32, i32, u32)> = Vec::new();
    let mut terms: Vec<Expr> = Vec::new();
    for k in 0..4u32 {
        let control = selector >> (4 * k) & 0xf;
        let (source, from) = (control >> 2 & 1, control & 3);
        if control & 8 != 0 {
            let word = if source == 0 { a } else { b }.clone();
            let word = c.cast(word, Scalar::Int);
            let signs = c.shr(c.shl(word, c.uint(24 - 8 * from)), c.uint(31));
            let byte = c.and(c.cast(signs, Scalar::UInt), c.uint(0xff << (8 * k)));
            terms.push(byte);
            continue;
        }
        let distance = (k as i32 - from as i32) * 8;
        let mask = 0xffu32 << (8 * k);
        match moves.iter_mut().find(|(s, d, _)| (*s, *d) == (source, distance)) {
            Some((_, _, all)) => *all |= mask,
            None => moves.push((source, distance, mask)),
        }
    }
    for (source, distance, mask) in moves {
        let word = if source == 0 { a } else { b }.clone();
        let amount = c.uint(distance.unsigned_abs());
        let (moved, reaches) = match distance {
            0 => (word, u32::MAX),
            d if d > 0 => (c.shl(word, amount), u32::MAX << d),
            d => (c.shr(word, amount), u32::MAX >> -d),
        };
        terms.push(if mask == reaches { moved } else { c.and(moved, c.uint(mask)) });
    }
    terms.into_iter().reduce(|x, y| c.or(x, y)).unwrap_or_else(|| c.uint(0))
}

/// `mov`: registers, constants, special registers; parts into a register and out of it.
pub(super) fn mov(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let ty = i.ty();
    match (i.operand(0), i.operand(1)) {
        (statement::Operand::Vector(parts), source) => {
            let part = part_type(c, ty, parts.len())?;
            let source = c.get(source, ty)?;
            let source = c.temp(source);
            for (n, to) in (0..).zip(parts) {
                let bits = c.shr(source.clone(), c.uint(n * part.bits()));
                let bits = c.cast(bits, scalar(part));
                c.put(to, part, bits)?;
            }
            Ok(())
        }
        (to, statement::Operand::Vector(parts)) => {
            let part = part_type(c, ty, parts.len())?;
            let whole = scalar(ty);
            let mut value = c.int(0, whole);
            for (n, from) in (0..).zip(parts) {
                let bits = c.get(from, part)?;
                value = c.or(value, c.shl(c.cast(bits, whole), c.uint(n * part.bits())));
            }
            c.put(to, ty, value)
        }
        (to, from) => {
            let value = c.get(from, ty)?;
            c.put(to, ty, value)
        }
    }
}

/// The type of each of `count` parts of a register.
fn part_type(c: &Context<'_>, ty: Type, count: usize) -> Result<Type, Error> {
    match (ty, count) {
        (Type::B64, 2) => Ok(Type::B32),
        (Type::B64, 4) | (Type::B32, 2) => Ok(Type::B16),
        (Type::B32, 4) | (Type::B16, 2) => Ok(Type::B8),
        _ => c.error(format!("'mov.{}' has no form with {count} parts", ty.name())),
    }
}

//! Opaque values: values that only the launch knows, in place of constants of which a driver's compiler would make something wrong.

use crate::ir::{
    BinaryOp, Block, BuiltinInput, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Type, Value,
};
use crate::transform::rewriter::Rewriter;

/// Makes values at the entry of a function, which can be used everywhere, and goes through all instructions with them; `each` may change an
/// instruction, which stays, and add others before it.
pub(crate) fn rewrite_with<T>(
    f: &mut Function,
    make: impl FnOnce(&mut Rewriter<'_>) -> T,
    each: impl FnMut(&mut Rewriter<'_>, Inst, &T),
) {
    rewrite_all(f, make, each, |_, _, _| {});
}

/// The same, with the ends of blocks: `end` may change what a block ends with, and add instructions before it.
pub(crate) fn rewrite_all<T>(
    f: &mut Function,
    make: impl FnOnce(&mut Rewriter<'_>) -> T,
    mut each: impl FnMut(&mut Rewriter<'_>, Inst, &T),
    mut end: impl FnMut(&mut Rewriter<'_>, Block, &T),
) {
    let (mut make, mut made) = (Some(make), None);
    for n in 0..f.layout.len() {
        let block = f.layout[n];
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        // The entry comes first.
        if let Some(make) = make.take() {
            made = Some(make(&mut rw));
        }
        for inst in insts {
            rw.at(inst);
            if let Some(made) = &made {
                each(&mut rw, inst, made);
            }
            rw.keep(inst);
        }
        if let Some(made) = &made {
            end(&mut rw, block, made);
        }
        rw.finish_block(block);
    }
}

/// Whether the launch has no work-groups: it is not known to be false.
pub(crate) fn no_groups(rw: &mut Rewriter<'_>) -> Value {
    let groups = rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, 0), Type::I32);
    let zero = rw.iconst(Type::I32, 0);
    rw.icmp(IntCC::Eq, groups, zero)
}

/// A word that is zero: 1 if the launch had 32,768 work-groups or more in each dimension, which none has that ends. It is made by arithmetic, and so must
/// be what is made of it: NVIDIA's compiler makes two loops of one with a selection that each round does alike, and knows the values in each.
pub(crate) fn zero(rw: &mut Rewriter<'_>) -> Value {
    let [x, y, z] = [0, 1, 2].map(|d| rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, d), Type::I32));
    let all = rw.binary(BinaryOp::And, x, y);
    let all = rw.binary(BinaryOp::And, all, z);
    let by = rw.iconst(Type::I32, 15);
    rw.binary(BinaryOp::LShr, all, by)
}

/// An integer without any bits, all of which may be set for all that a driver knows; of what [`zero`] gives.
pub(crate) fn no_bits(rw: &mut Rewriter<'_>, zero: Value, scalar: Scalar) -> Value {
    let none = rw.iconst(Type::I32, 0);
    let word = rw.binary(BinaryOp::ISub, none, zero);
    match scalar.bits() {
        32 => word,
        64 => rw.convert(ConvertOp::SExt, word, Type::Scalar(scalar)),
        _ => rw.convert(ConvertOp::Trunc, word, Type::Scalar(scalar)),
    }
}

/// A value that is another one for all that a driver knows; `zero` is what [`zero`] gives.
pub(crate) fn hidden(rw: &mut Rewriter<'_>, value: Value, zero: Value) -> Value {
    let ty = rw.f.ty(value);
    let Some(scalar) = ty.scalar() else { return value };
    if scalar == Scalar::Bool {
        let none = rw.iconst(Type::I32, 0);
        let no = rw.icmp(IntCC::Ne, zero, none);
        return rw.binary(BinaryOp::Xor, value, no);
    }
    let Some(bits) = Scalar::int(scalar.bytes()) else { return value };
    let nothing = no_bits(rw, zero, bits);
    match scalar.is_float() {
        true => {
            let word = rw.bitcast(value, Type::Scalar(bits));
            let word = rw.binary(BinaryOp::Xor, word, nothing);
            rw.bitcast(word, ty)
        }
        false => rw.binary(BinaryOp::Xor, value, nothing),
    }
}

//! Values that only the launch knows, in place of constants of which a driver's compiler would make something wrong.

use super::rewrite::Rewriter;
use crate::ir::{BinaryOp, BuiltinInput, Function, Inst, InstKind, IntCC, Type, Value};

/// Makes values at the entry of a function, which can be used everywhere, and goes through all instructions with them; `each` may change an
/// instruction, which stays, and add others before it.
pub(super) fn rewrite_with<T>(
    f: &mut Function,
    make: impl FnOnce(&mut Rewriter<'_>) -> T,
    mut each: impl FnMut(&mut Rewriter<'_>, Inst, &T),
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
        rw.finish_block(block);
    }
}

/// Whether the launch has no work-groups: it is not known to be false.
pub(super) fn no_groups(rw: &mut Rewriter<'_>) -> Value {
    let groups = rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, 0), Type::I32);
    let zero = rw.iconst(Type::I32, 0);
    rw.icmp(IntCC::Eq, groups, zero)
}

/// Whether the launch has 65,535 work-groups in each dimension, which none has that ends, for drivers that may know that there are some.
pub(super) fn most_groups(rw: &mut Rewriter<'_>) -> Value {
    let [x, y, z] = [0, 1, 2].map(|d| rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, d), Type::I32));
    let all = rw.binary(BinaryOp::And, x, y);
    let all = rw.binary(BinaryOp::And, all, z);
    let most = rw.iconst(Type::I32, 65_535);
    rw.icmp(IntCC::Eq, all, most)
}

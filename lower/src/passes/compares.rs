//! Where a driver compares vectors of 64-bit integers wrongly, they are compared lane by lane.
//!
//! Mesa's compiler (22.3) makes of `(long2)(0, x) > (long2)(1)`, where `x` was an `int`, comparisons of 32 bits with what the
//! constant says of one lane alone.

use super::PassContext;
use super::rewrite::Rewriter;
use crate::error::LowerError;
use crate::ir::{Function, Inst, InstKind, IntCC, Module, Scalar, Type, Value};
use smallvec::SmallVec;

/// Rewrites the comparisons of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if context.target.quirks.wrong_wide_comparisons {
        module.functions.values_mut().for_each(compare_lanes);
    }
    Ok(())
}

fn compare_lanes(function: &mut Function) {
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        if !function.blocks[block].insts.iter().any(|inst| comparison(function, *inst).is_some()) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        for inst in insts {
            rw.at(inst);
            if let Some((cc, a, b)) = comparison(rw.f, inst) {
                let lanes = rw.f.ty(a).lanes();
                let lane = |rw: &mut Rewriter<'_>, i| {
                    let [a, b] = [a, b].map(|v| rw.inst(InstKind::Extract(v, i), Type::Scalar(Scalar::I64)));
                    rw.icmp(cc, a, b)
                };
                let each: SmallVec<[Value; 4]> = (0..lanes).map(|i| lane(&mut rw, i)).collect();
                rw.f.insts[inst].kind = InstKind::Construct(each);
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// A comparison in order of vectors of signed 64-bit integers.
fn comparison(f: &Function, inst: Inst) -> Option<(IntCC, Value, Value)> {
    match f.insts[inst].kind {
        InstKind::ICmp(cc @ (IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge), a, b) => {
            matches!(f.ty(a), Type::Vector(Scalar::I64, _)).then_some((cc, a, b))
        }
        _ => None,
    }
}

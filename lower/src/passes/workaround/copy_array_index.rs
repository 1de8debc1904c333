//! Copies of array indices: each access of a private array gets its own index value, because Mesa (22.3) overwrites a shared one too early.
//!
//! Mesa (22.3) computes `&v[i]` once for all accesses of a private array with the same `i`. It takes `i` for dead after the first access if
//! nothing else uses it, and reuses its register:
//!
//! ```text
//! v[i] = 20; if (c) x = i; else x = y; v[0] = x; ... v[i] ...    // the second v[i] is v[x]
//! ```
//!
//! Only phis and their operands have registers there. The index becomes a sum with an opaque zero, which is never an operand of a phi.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{ConvertOp, Function, Inst, InstKind, Module, Place, Root, Type, Value};
use crate::passes::workaround::opaque::{no_groups, rewrite_with};
use crate::transform::rewriter::Rewriter;

/// Rewrites the indices of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    module.functions.values_mut().for_each(separate);
    Ok(())
}

fn separate(function: &mut Function) {
    let mut insts = function.layout.iter().flat_map(|block| &function.blocks[*block].insts);
    if !insts.any(|inst| index(function, *inst).is_some()) {
        return;
    }
    rewrite_with(function, unknown_zero, |rw, inst, zero| {
        let Some(index) = index(rw.f, inst) else { return };
        let nothing = match rw.f.ty(index) {
            Type::I32 => *zero,
            ty => rw.convert(ConvertOp::ZExt, *zero, ty),
        };
        let own = rw.add(index, nothing);
        if let InstKind::Load { place, .. } | InstKind::Store { place, .. } = &mut rw.f.insts[inst].kind {
            *place.value_mut() = own;
        }
    });
}

/// A zero.
fn unknown_zero(rw: &mut Rewriter<'_>) -> Value {
    let none = no_groups(rw);
    let [zero, one] = [0, 1].map(|n| rw.iconst(Type::I32, n));
    rw.inst(InstKind::Select(none, one, zero), Type::I32)
}

/// The index of an access to private memory, unless it is a constant.
fn index(function: &Function, inst: Inst) -> Option<Value> {
    match function.insts[inst].kind.place()? {
        Place::Element { root: Root::Slot(_), index, .. } => {
            function.const_bits(index).is_none().then_some(index)
        }
        _ => None,
    }
}

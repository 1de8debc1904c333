//! Copies of array indices: each access of a private array gets its own index value, because Mesa (22.3) overwrites a shared one too early.
//!
//! Mesa (22.3) computes `&v[i]` once for all accesses of a private array with the same `i`. It takes `i` for dead after the first access if
//! nothing else uses it, and reuses its register:
//!
//! ```text
//! v[i] = 20; if (c) x = i; else x = y; v[0] = x; ... v[i] ...    // the second v[i] is v[x]
//! ```
//!
//! Only phis and their operands have registers there. The index of each access becomes an opaque value of its own, which is never an operand of a phi.

use crate::ir::{Function, Inst, InstKind, Place, Root, Value};
use crate::transform::rewriter::Rewriter;

/// Gives an access of a private array its own index.
pub(crate) fn rewrite(rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
    let index = index(rw.f, inst)?;
    let own = rw.opaque(index);
    let mut kind = rw.f.insts[inst].kind.clone();
    if let InstKind::Load { place, .. } | InstKind::Store { place, .. } = &mut kind {
        *place.value_mut() = own;
    }
    Some(kind)
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

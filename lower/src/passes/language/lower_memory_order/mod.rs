//! Memory-order lowering: atomics, fences and barriers get orders that the target has, in place of those that it lacks.
//!
//! ```text
//! atomic_store seq_cst p, x        becomes        atomic_inc acq_rel sequence; atomic_store seq_cst p, x
//! membarrier acquire|release       becomes        (nothing, for WGSL, if the module has neither atomics nor volatile accesses)
//! ```
//!
//! Vulkan has no sequential consistency ([`seq_cst`]), and WGSL has no fences ([`fences`]).
//!
//! The pass runs before unwanted kernels are removed: the hidden variable of [`seq_cst`] is in the layout of the program's data, which all
//! modules of the program share. Another pass replaces orders that one driver takes for execution barriers (`fences_by_atomics`).

mod fences;
mod seq_cst;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::Module;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    // Read-modify-writes that are sequentially consistent replace all ordered operations of this driver (`fences_by_atomics`).
    if !context.target.quirks.atomics_order_themselves {
        seq_cst::lower(module, context.target.features.shared_sequence);
    }
    if context.target.features.wgsl {
        fences::remove(module, context.options);
    }
    Ok(())
}

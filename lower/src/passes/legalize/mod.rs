//! What the Target or Vulkan does not have becomes what it has, in three steps over every function:
//! [`conversions`] (saturation, rounding modes, bit counts of odd widths), [`vectors`] (8 and 16 lanes
//! become pieces of 4), [`ints`] (8- and 16-bit integers become 32-bit ones where the Target lacks
//! them). Then [`types`] refuses what is left over and cannot be had.

mod conversions;
mod ints;
mod types;
mod vectors;

use super::PassContext;
use crate::error::LowerError;
use crate::ir::{Module, Stage};

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] for types that the Target lacks.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let names: Vec<String> = module.functions.values().map(|f| f.name.clone()).collect();
    for (f, name) in module.functions.values_mut().zip(&names) {
        conversions::run(f);
        vectors::run(f);
        ints::run(f, cx.target, name)?;
        types::check(f, cx.target, name)?;
    }
    module.stage = Stage::Legal;
    Ok(())
}

//! Legalisation: types and operations that the target or Vulkan lacks become those that it has.

pub mod legalize_types;
pub mod lower_division;
pub mod lower_float_atomics;
mod lower_float_division;
pub mod split_int64;
pub mod work_item_loops;

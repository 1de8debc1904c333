//! Workarounds: each pass and each rule avoids one fault of a driver, and is applied only for drivers that have it.

pub mod bswap16;
pub mod copy_array_index;
pub mod fabs_by_mask;
pub mod fences_by_atomics;
pub mod group_loops;
pub mod loop_watchdog;
pub mod lower_opaque;
pub mod opaque_atomic_operand;
pub mod opaque_bit_count;
pub mod opaque_copysign;
pub mod opaque_phi;
pub mod opaque_rounding;
pub mod opaque_select;
pub mod opaque_step;
pub mod opaque_zero;
pub mod resume_loops;
pub mod scalarize_sub;
pub mod signed_int_to_float;

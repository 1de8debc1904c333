//! Workarounds: each pass and each rule avoids one fault of a driver, and is applied only for drivers that have it.
//!
//! | module | what it avoids |
//! |---|---|
//! | [`bswap16`] | byte swaps of 16 bits by shifts, compiled wrongly |
//! | [`copy_array_index`] | an array index that several accesses share and Mesa overwrites too early |
//! | [`fabs_by_mask`] | a fabs of a constant -0 that Mesa drops |
//! | [`fences_by_atomics`] | memory orders taken for execution barriers |
//! | [`group_loops`] | compile time that is cubic in the number of loops in a row |
//! | [`loop_watchdog`] | a limit of loop iterations that ends loops in silence |
//! | [`lower_opaque`] | folding of opaque values: it replaces them by operations that no driver folds |
//! | [`opaque_atomic_operand`] | a crash on operands of atomics that were computed as floats |
//! | [`opaque_bit_count`] | bit counts of 16 bits that read the unused half of a register |
//! | [`opaque_copysign`] | masks of a copysign, combined wrongly for AVX-512 |
//! | [`opaque_phi`] | phis that are narrowed |
//! | [`opaque_rounding`] | roundings through a narrower type that are folded away |
//! | [`opaque_select`] | selections of zero that lose its sign |
//! | [`opaque_step`] | wrong trip counts of counters that wrap around |
//! | [`opaque_zero`] | zeros that lose their sign in float operations |
//! | [`resume_loops`] | the limit of loop iterations: the next dispatch goes on |
//! | [`scalarize_sub`] | operands of vector subtractions and divisions that NVIDIA's compiler swaps |
//! | [`signed_int_to_float`] | large unsigned integers that SwiftShader rounds twice |

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

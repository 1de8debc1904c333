//! Lowering of the language: builtins, kernel arguments, `printf` and program-scope variables become plain operations.
//!
//! The results are arithmetic, memory accesses and calls of the math library.

pub mod dead_functions;
pub mod guard_remainders;
pub mod lower_images;
pub mod lower_kernel_args;
pub mod lower_math;
pub mod lower_memcpy;
pub mod lower_memory_order;
pub mod lower_printf;
pub mod lower_program_scope;
pub mod lower_workgroup;
pub mod zero_memory;

//! Optimisations that do not depend on a driver's faults: they change the time that a kernel takes, never its results.

pub mod address_arithmetic;
pub mod divisor_powers;
pub mod final_values;
mod fma_contraction;
mod funnel_shifts;
pub mod hoist_sink_common;
pub mod inline;
pub mod jump_threading;
pub mod licm;
pub mod mem2reg;
pub mod merge_stores;
mod narrow_double;
mod narrow_int32;
pub mod narrow_int64;
pub mod reassociate;
pub mod rewrite_rules;
pub mod simplify;
pub mod sroa;
pub mod unroll;

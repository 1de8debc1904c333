//! The functions of OpenCL C but those of mathematics (`accuracy` has these), for every type and width, compared with what the
//! specification says of them, in Rust, on any OpenCL library.
//!
//! ```text
//! lists of expressions ── kernels of many each ──▶ the library ──▶ results ─┐
//!       └── reference, for each work-item or group ─────────────────────────┴─▶ counts by family, type and class of sizes
//! ```
//!
//! Kernels are launched in one to three dimensions, in whole and partial sub-groups and work-groups, and in ranges that are no multiple
//! of the work-group's size; arguments are the numbers at which functions have edges, in all combinations, and others at random from
//! fixed seeds.

mod atomics;
mod conversions;
mod copies;
mod groups;
mod integers;
mod items;
mod relational;
mod report;
mod run;
mod shapes;
mod subgroups;
mod values;
mod vectors;
mod workgroups;

pub use report::{Report, tables};
pub use run::{Effort, Settings, run};

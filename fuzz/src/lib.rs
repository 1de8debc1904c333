//! The front end and the lowering against programs that they were not written with.
//!
//! - `corpus`: compiles real programs from elsewhere and tables what became of each (`scripts/corpus` obtains them);
//! - `fuzz`: compiles random programs ([`mutate`], [`grammar`]), deep ones ([`deep`]), and reads random Vulkan profiles;
//! - `fuzz compare`: runs random programs and compares with an interpreter ([`compare`]);
//! - `fuzz sizes`: runs programs with 3 to 300 of one construct and compares with the host ([`sizes`]).
//!
//! A compilation here ([`run`]) is watched: a panic is an outcome, its time is measured, and it has the stack that
//! `libpumice.so` gives its compiler threads.
#![forbid(unsafe_code)]

pub mod compare;
pub mod deep;
pub mod grammar;
pub mod mutate;
pub mod random;
pub mod run;
pub mod sizes;

//! Measurement. Nothing but `functions` and `litmus` is a test: figures are printed, never asserted.
//!
//! - `compile-bench`: how long the front end and each pass of the lowering take, in process;
//! - `code-bench`: what RADV's compiler (on its null device, no hardware) makes of the modules;
//! - `accuracy`: how far the math functions of OpenCL drivers are from the right results;
//! - `functions`: whether the other functions give what the specification says;
//! - `litmus`: whether OpenCL drivers keep the orders of memory;
//! - `opencl-bench`: OpenCL drivers side by side, through the OpenCL API, with bare Vulkan as the control.
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod accuracy;
pub mod code;
pub mod corpus;
pub mod functions;
pub mod generate;
pub mod inputs;
pub mod litmus;
pub mod opencl;
pub mod stages;
pub mod table;

//! The OpenCL C API as libpumice.so: an installable client driver (cl_khr_icd), and usable as libOpenCL.so.1.
//!
//! The modules are layers. Each uses only those above it in this table:
//!
//! | module | what it is |
//! |---|---|
//! | `abi` | handles, the guard around entry points, callbacks, errors: the C ABI |
//! | `scheduler` | when a command is recorded and complete (the crate `pumice-scheduler`) |
//! | `device` | the platform, devices, contexts, and the memory that a device shares with the host |
//! | `memory` | buffers, images, samplers, mappings, unified shared memory |
//! | `program` | programs, builds, binaries, caches |
//! | `kernel` | kernels, their arguments and dimensions |
//! | `commands` | command queues, events, commands, command buffers |
//! | [`entry`] | the exported functions: they turn handles into objects and results into codes, and nothing else |
//! | [`testing`] | test modes, for the tests of this crate |
#![recursion_limit = "256"] // objects hold objects, with locks between: so deep does it go to see that handles may cross threads
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(clippy::missing_safety_doc)] // what each entry point demands of its caller is the OpenCL specification's text

mod abi;
mod commands;
mod device;
pub mod entry;
mod kernel;
mod memory;
mod program;
pub mod testing;

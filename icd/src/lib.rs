//! The OpenCL C API as libpumice.so.
//!
//! An installable client driver (cl_khr_icd) that so far only *discovers*: it has a platform, its devices and
//! contexts. Every device says CL_DEVICE_AVAILABLE and CL_DEVICE_COMPILER_AVAILABLE = CL_FALSE, and every other entry of
//! the dispatch table fails with an error code: nothing is claimed that is not there.
//!
//! Handles are addresses of objects whose first word is the dispatch table, as the loader demands; a handle that comes in is
//! looked up among the live ones and never dereferenced, so a bad handle is an error code, not a crash.
#![deny(clippy::undocumented_unsafe_blocks)]

mod api;
mod cl;
mod dispatch;
#[allow(non_snake_case)]
mod exports;
mod info;
mod objects;

pub use exports::*;

//! The OpenCL C API as libpumice.so: an installable client driver (cl_khr_icd), and usable as libOpenCL.so.1.
//!
//! | module | what it is |
//! |---|---|
//! | [`entry`] | the exported functions: they turn handles into objects and results into codes, and nothing else |
//! | [`handle`] | handles: what the application holds; checked, counted, never dangling |
//! | [`ffi`] | the guard around every entry point: no panic crosses it, calls are traced |
//! | [`reply`] | answering clGet*Info queries |
//! | [`error`] | OpenCL error codes, and what becomes of the errors of the other crates |
//! | [`platform`], [`device`], [`context`] | the objects of those names |
//! | [`queue`], [`event`], [`schedule`] | command queues, events, and when a command is handed to the device |
//! | [`callbacks`] | functions of the application, and the one place that calls them |
//! | [`command_buffer`] | commands that are recorded once and enqueued again and again |
//! | [`memory`] | buffers, mappings, shared virtual memory |
//! | [`program`], [`kernel`] | programs, builds, binaries, caches; kernels, arguments, launches |
//! | [`testing`] | test modes, for the tests of this crate |
//! | [`trace`] | `PUMICE_TRACE`: what happened when |
//! | [`dispatch`] | the table that the ICD loader calls through |
#![recursion_limit = "256"] // objects hold objects, with locks between: so deep does it go to see that handles may cross threads
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(clippy::missing_safety_doc)] // what each entry point demands of its caller is the OpenCL specification's text

mod callbacks;
mod command;
mod command_buffer;
mod context;
mod device;
mod dispatch;
pub mod entry;
mod error;
mod event;
mod ffi;
mod handle;
mod kernel;
mod life;
mod memory;
mod platform;
mod program;
mod queue;
mod reply;
mod sampler;
mod schedule;
mod svm;
pub mod testing;
mod trace;
#[cfg(test)]
mod versions;

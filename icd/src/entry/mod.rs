//! The exported functions. They turn handles into objects and results into codes; the work is done by the objects' modules.
//!
//! Each demands of its caller what the OpenCL API specification says of its parameters: a pointer is NULL where that is
//! allowed, or points to as many elements as the parameters say. Handles are checked and need no promise.
//!
//! | module | the functions of |
//! |---|---|
//! | [`platform`], [`device`], [`context`] | platforms, devices and contexts, with their queries |
//! | [`queue`], [`event`] | command queues, markers, barriers, events |
//! | [`memory`], [`image`], [`sampler`], [`pipe`] | memory objects and samplers |
//! | [`transfer`] | reads, writes, copies, fills and maps of buffers |
//! | [`svm`], [`usm`] | shared virtual memory, unified shared memory |
//! | [`program`], [`kernel`], [`launch`] | programs, kernels, launches |
//! | [`command_buffer`] | command buffers and mutable commands |
//! | [`external_memory`] | memory of other APIs |
//! | [`semaphore`] | semaphores |
//! | [`gl`] | objects of OpenGL and EGL |
//! | [`interop`] | extensions that no device has |
//! | [`extension`] | functions by their names |
//! | `dispatch_table`, `functions` | the ICD loader's table, lists of functions of extensions |
//! | `guard`, `device_info` | the guard of every entry point, queries about devices |
#![allow(non_snake_case)]

pub mod command_buffer;
pub mod context;
pub mod device;
mod device_info;
mod dispatch_table;
pub mod event;
pub mod extension;
pub mod external_memory;
mod functions;
pub mod gl;
mod guard;
pub mod image;
pub mod interop;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod semaphore;
pub mod svm;
pub mod transfer;
pub mod usm;

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClResult, ensure};
use crate::abi::handle;
use crate::abi::handle::Raw;
use crate::memory::Memory;

/// The buffer that a handle names.
///
/// # Errors
/// CL_INVALID_MEM_OBJECT, also for an image or a pipe.
fn buffer(raw: Raw) -> ClResult<Arc<Memory>> {
    let memory = handle::get::<Memory>(raw)?;
    ensure(memory.is_buffer(), cl::CL_INVALID_MEM_OBJECT)?;
    Ok(memory)
}

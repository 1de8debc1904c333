//! The exported functions. They turn handles into objects and results into codes; the work is done by the objects' modules.
//!
//! What each demands of its caller is what the OpenCL API specification says of its parameters: a pointer is NULL where that is
//! allowed, or points to as many elements as the parameters say. Handles are checked and need no promise.
#![allow(non_snake_case)]

pub mod command_buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod extension;
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
pub mod svm;
pub mod transfer;
pub mod usm;

use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::error::{ClResult, ensure};
use crate::handle::{self, Raw};
use crate::memory::Memory;

/// The buffer that a handle names.
///
/// # Errors
/// CL_INVALID_MEM_OBJECT, also for an image.
fn buffer(raw: Raw) -> ClResult<Arc<Memory>> {
    let memory = handle::get::<Memory>(raw)?;
    ensure(memory.image.is_none(), cl::CL_INVALID_MEM_OBJECT)?;
    Ok(memory)
}

/// The dispatch table with everything that there is.
pub(crate) fn table() -> cl_icd_dispatch {
    // SAFETY: the table consists of optional functions and integers, for which zeros are valid.
    let mut table: cl_icd_dispatch = unsafe { std::mem::zeroed() };
    platform::fill(&mut table);
    device::fill(&mut table);
    context::fill(&mut table);
    extension::fill(&mut table);
    image::fill(&mut table);
    interop::fill(&mut table);
    pipe::fill(&mut table);
    queue::fill(&mut table);
    sampler::fill(&mut table);
    event::fill(&mut table);
    program::fill(&mut table);
    memory::fill(&mut table);
    transfer::fill(&mut table);
    svm::fill(&mut table);
    kernel::fill(&mut table);
    launch::fill(&mut table);
    table
}

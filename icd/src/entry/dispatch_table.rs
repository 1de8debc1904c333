//! The dispatch table of the ICD loader, made of all entry points that have a place in it.

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::loader;
use crate::entry::{
    context, device, event, extension, gl, image, interop, kernel, launch, memory, pipe, platform, program,
    queue, sampler, svm, transfer,
};

/// The table, filled.
pub(crate) fn table() -> &'static cl_icd_dispatch {
    loader::fill(make)
}

/// The dispatch table with everything that there is.
fn make() -> cl_icd_dispatch {
    // SAFETY: the table consists of optional functions and integers, for which zeros are valid.
    let mut table: cl_icd_dispatch = unsafe { std::mem::zeroed() };
    platform::fill(&mut table);
    device::fill(&mut table);
    context::fill(&mut table);
    extension::fill(&mut table);
    image::fill(&mut table);
    gl::fill(&mut table);
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

//! Events (OpenCL API §5.11).

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::event::Event;
use crate::{ffi, handle};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clRetainEvent = Some(clRetainEvent);
    table.clReleaseEvent = Some(clReleaseEvent);
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainEvent(event: cl::cl_event) -> cl::cl_int {
    ffi::code("clRetainEvent", || handle::retain::<Event>(event))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseEvent(event: cl::cl_event) -> cl::cl_int {
    ffi::code("clReleaseEvent", || handle::release::<Event>(event).map(drop))
}

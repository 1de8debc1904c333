//! Contexts (OpenCL API §4.4).

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::context::Context;
use crate::{ffi, handle};

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clRetainContext = Some(clRetainContext);
    table.clReleaseContext = Some(clReleaseContext);
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainContext(context: cl::cl_context) -> cl::cl_int {
    ffi::code("clRetainContext", || handle::retain::<Context>(context))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseContext(context: cl::cl_context) -> cl::cl_int {
    ffi::code("clReleaseContext", || handle::release::<Context>(context).map(drop))
}

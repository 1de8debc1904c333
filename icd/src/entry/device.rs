//! Devices (OpenCL API §4.2, §4.3).

use opencl_sys::cl_icd::cl_icd_dispatch;

pub(crate) fn fill(_table: &mut cl_icd_dispatch) {}

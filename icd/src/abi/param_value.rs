//! Answers to clGet*Info queries.

use std::ffi::c_void;

use opencl_sys as cl;

use crate::abi::error::{ClResult, ensure};
use crate::abi::handle::Raw;

/// An answer: the bytes that the application gets.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParamValue(pub(crate) Vec<u8>);

impl ParamValue {
    /// A string, with its NUL.
    pub(crate) fn text(value: &str) -> Self {
        let mut out = value.as_bytes().to_vec();
        out.push(0);
        ParamValue(out)
    }
    /// cl_uint, cl_int's bit pattern, or an enumeration.
    pub(crate) fn uint(value: cl::cl_uint) -> Self {
        ParamValue(value.to_ne_bytes().to_vec())
    }
    /// cl_uint[], or enumerations.
    pub(crate) fn uints(values: impl IntoIterator<Item = cl::cl_uint>) -> Self {
        ParamValue(values.into_iter().flat_map(cl::cl_uint::to_ne_bytes).collect())
    }
    pub(crate) fn int(value: cl::cl_int) -> Self {
        ParamValue(value.to_ne_bytes().to_vec())
    }
    /// cl_ulong or a bit-field.
    pub(crate) fn ulong(value: cl::cl_ulong) -> Self {
        ParamValue(value.to_ne_bytes().to_vec())
    }
    /// size_t.
    pub(crate) fn size(value: usize) -> Self {
        ParamValue(value.to_ne_bytes().to_vec())
    }
    /// size_t[].
    pub(crate) fn sizes(values: &[usize]) -> Self {
        ParamValue(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
    /// cl_bool.
    pub(crate) fn bool(value: bool) -> Self {
        ParamValue::uint(cl::cl_uint::from(value))
    }
    /// A handle or another pointer.
    pub(crate) fn pointer(value: *const c_void) -> Self {
        ParamValue::size(value.addr())
    }
    /// Handles.
    pub(crate) fn handles(values: impl IntoIterator<Item = Raw>) -> Self {
        ParamValue(values.into_iter().flat_map(|v| v.addr().to_ne_bytes()).collect())
    }
    /// A list of properties as it was given.
    pub(crate) fn isizes(values: &[isize]) -> Self {
        ParamValue(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
    /// 64-bit properties as they were given.
    pub(crate) fn ulongs(values: &[u64]) -> Self {
        ParamValue(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
    /// cl_name_version[].
    pub(crate) fn named_versions<'a>(values: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut out = Vec::new();
        for (name, version) in values {
            out.extend_from_slice(&version.to_ne_bytes());
            let mut text = name.as_bytes().to_vec();
            text.resize(cl::CL_NAME_VERSION_MAX_NAME_SIZE, 0);
            out.extend_from_slice(&text);
        }
        ParamValue(out)
    }

    /// Gives the answer to the application, as all queries do (OpenCL API §4.1 and others): CL_INVALID_VALUE if there is a place for it
    /// that is too small.
    ///
    /// # Safety
    /// `value` is NULL or has `size` bytes; `size_ret` is NULL or may be written to.
    pub(crate) unsafe fn give(self, size: usize, value: *mut c_void, size_ret: *mut usize) -> ClResult<()> {
        if !value.is_null() {
            ensure(size >= self.0.len(), cl::CL_INVALID_VALUE)?;
            // SAFETY: by the caller's promise and the check.
            unsafe { std::ptr::copy_nonoverlapping(self.0.as_ptr(), value.cast(), self.0.len()) };
        }
        // SAFETY: by the caller's promise.
        unsafe { crate::abi::ffi::write(size_ret, self.0.len()) };
        Ok(())
    }
}

//! Contexts (OpenCL API §4.4).

use std::ffi::c_void;
use std::sync::Arc;

use lower::Zeroed;
use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::{DestructorFunction, ErrorFunction, in_release};
use crate::abi::error::{ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::param_value::ParamValue;
use crate::abi::{ffi, handle};
use crate::device::Device;
use crate::device::context::{Context, PERF_HINT, PERF_HINTS, Wishes};
use crate::device::gl::properties::SharingProperties;
use crate::device::platform;
use crate::device::platform::Platform;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![clSetPerfHintQCOM];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateContext = Some(clCreateContext);
    table.clCreateContextFromType = Some(clCreateContextFromType);
    table.clRetainContext = Some(clRetainContext);
    table.clReleaseContext = Some(clReleaseContext);
    table.clGetContextInfo = Some(clGetContextInfo);
    table.clSetContextDestructorCallback = Some(clSetContextDestructorCallback);
}

/// Makes a context of devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContext(
    properties: *const cl::cl_context_properties,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    notify: Option<ErrorFunction>,
    user: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_context {
    entry!(clCreateContext, error, {
        let Properties { list, wishes, sharing, .. } = read_properties(properties)?;
        ensure(count > 0 && !devices.is_null(), cl::CL_INVALID_VALUE)?;
        ensure(notify.is_some() || user.is_null(), cl::CL_INVALID_VALUE)?;
        let devices: Vec<Arc<Device>> = handle::get_all(count, devices)?;
        let gl = sharing.start()?;
        Context::create(devices, (list, wishes), gl, notify.map(|call| (call, UserPointer(user))))
    })
}

/// Makes a context of all devices of a type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContextFromType(
    properties: *const cl::cl_context_properties,
    kind: cl::cl_device_type,
    notify: Option<ErrorFunction>,
    user: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_context {
    entry!(clCreateContextFromType, error, {
        let Properties { platform, list, wishes, sharing } = read_properties(properties)?;
        ensure(notify.is_some() || user.is_null(), cl::CL_INVALID_VALUE)?;
        let devices = platform.devices_of_type(kind)?;
        let gl = sharing.start()?;
        Context::create(devices, (list, wishes), gl, notify.map(|call| (call, UserPointer(user))))
    })
}

/// A list of context properties.
pub(crate) struct Properties {
    /// The platform that it names, or the one there is.
    pub(crate) platform: &'static Arc<Platform>,
    /// The list, for the query.
    pub(crate) list: Vec<cl::cl_context_properties>,
    /// What it asks of the context.
    pub(crate) wishes: Wishes,
    /// The context of OpenGL that it names.
    pub(crate) sharing: SharingProperties,
}

/// Reads a list of context properties.
///
/// # Safety
/// As [`ffi::properties`].
///
/// # Errors
/// CL_INVALID_PROPERTY, CL_INVALID_PLATFORM (§4.4).
pub(crate) unsafe fn read_properties(list: *const cl::cl_context_properties) -> ClResult<Properties> {
    // SAFETY: the caller's promise.
    let list = unsafe { ffi::properties(list) };
    let platform = platform::platform()?;
    let pairs: Vec<&[isize]> = list.chunks_exact(2).collect();
    let (mut sharing, mut user_sync, mut wishes) = (SharingProperties::default(), false, Wishes::default());
    for (i, pair) in pairs.iter().enumerate() {
        let &[name, value] = *pair else { continue };
        ensure(!pairs.iter().take(i).any(|p| p.first() == Some(&name)), cl::CL_INVALID_PROPERTY)?;
        match name {
            cl::CL_CONTEXT_PLATFORM => {
                ensure(value == platform.raw().addr().cast_signed(), cl::CL_INVALID_PLATFORM)?;
            }
            cl::CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure(value == 0 || value == 1, cl::CL_INVALID_PROPERTY)?;
                user_sync = true;
            }
            PERF_HINT => ensure(PERF_HINTS.contains(&value), cl::CL_INVALID_PROPERTY)?,
            MEMORY_INITIALIZE => wishes.zeroed = zeroed(value)?,
            _ if sharing.take(name, value) => {}
            _ => return fail(cl::CL_INVALID_PROPERTY),
        }
    }
    ensure(!(user_sync && sharing.is_named()), cl::CL_INVALID_PROPERTY)?;
    Ok(Properties { platform, list, wishes, sharing })
}

/// [`cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR`] as the name of a property.
const MEMORY_INITIALIZE: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;

/// The kinds of memory that a property says (§4.4, `cl_context_memory_initialize_khr`).
fn zeroed(bits: cl::cl_context_properties) -> ClResult<Zeroed> {
    let local = cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR as isize;
    let private = cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR as isize;
    ensure(bits & !(local | private) == 0, cl::CL_INVALID_PROPERTY)?;
    Ok(Zeroed { local: bits & local != 0, private: bits & private != 0 })
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainContext(context: cl::cl_context) -> cl::cl_int {
    entry!(clRetainContext, handle::retain::<Context>(context))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseContext(context: cl::cl_context) -> cl::cl_int {
    entry!(clReleaseContext, in_release(|| handle::release::<Context>(context).map(drop)))
}

/// Answers a query about a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetContextInfo(
    context: cl::cl_context,
    param: cl::cl_context_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetContextInfo, {
        let context: Arc<Context> = handle::get(context)?;
        let reply = match param {
            cl::CL_CONTEXT_REFERENCE_COUNT => ParamValue::uint(context.references()),
            cl::CL_CONTEXT_NUM_DEVICES => {
                ParamValue::uint(cl::cl_uint::try_from(context.devices.len()).unwrap_or(cl::cl_uint::MAX))
            }
            cl::CL_CONTEXT_DEVICES => ParamValue::handles(context.devices.iter().map(|d| d.raw())),
            cl::CL_CONTEXT_PROPERTIES => ParamValue::isizes(&context.properties()),
            _ => return fail(cl::CL_INVALID_VALUE),
        };
        reply.give(size, value, size_ret)
    })
}

/// Registers a function to be called when the context is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetContextDestructorCallback(
    context: cl::cl_context,
    notify: Option<DestructorFunction>,
    user: *mut c_void,
) -> cl::cl_int {
    entry!(clSetContextDestructorCallback, {
        let context: Arc<Context> = handle::get(context)?;
        let Some(call) = notify else { return fail(cl::CL_INVALID_VALUE) };
        context.on_destruction((call, UserPointer(user)));
        Ok(())
    })
}

/// Asks for a level of performance (cl_qcom_perf_hint).
pub unsafe extern "C" fn clSetPerfHintQCOM(context: cl::cl_context, hint: cl::cl_uint) -> cl::cl_int {
    entry!(clSetPerfHintQCOM, {
        let context: Arc<Context> = handle::get(context)?;
        context.set_perf_hint(isize::try_from(hint).unwrap_or(0))
    })
}

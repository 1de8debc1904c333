//! Launches (OpenCL API §5.10).

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClResult, ensure};
use crate::abi::{ffi, handle, trace};
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::kernel::Kernel;
use crate::kernel::dimensions::Dimensions;
use crate::kernel::repeat;
use crate::kernel::repeat::Asked;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    // cl_khr_suggested_local_work_size: the function of OpenCL 3.1.
    clGetKernelSuggestedLocalWorkSizeKHR = clGetKernelSuggestedLocalWorkSize,
];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clEnqueueNDRangeKernel = Some(clEnqueueNDRangeKernel);
    table.clEnqueueTask = Some(clEnqueueTask);
    table.clGetKernelSuggestedLocalWorkSize = Some(clGetKernelSuggestedLocalWorkSize);
}

/// Enqueues a launch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueNDRangeKernel(
    queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    waits: cl::cl_uint,
    wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let command = cl::CL_COMMAND_NDRANGE_KERNEL;
    entry!(clEnqueueNDRangeKernel, {
        let same = |known: &Dimensions| known.are(work_dim, offset, global, local);
        if waits == 0 && wait_list.is_null() && event.is_null() && !trace::is_on() {
            if let Some(result) = repeat::again_plainly(queue, kernel, same) {
                return result;
            }
        } else {
            let list = handle::get_all(waits, wait_list);
            if (waits == 0) == wait_list.is_null()
                && let Ok(waits) = &list
                && event.is_aligned()
            {
                // SAFETY: the application's promise; aligned.
                let asked = Asked { command, waits, event: unsafe { event.as_mut() } };
                if let Some(result) = repeat::again(queue, kernel, same, asked) {
                    return result;
                }
            }
        }
        let dims = Dimensions::read(work_dim, offset, global, local);
        enqueue(queue, kernel, command, dims, waits, wait_list, event)
    })
}

/// Enqueues a launch of one work-item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueTask(
    queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    waits: cl::cl_uint,
    wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueTask, {
        let dims = Ok(Dimensions::ONE);
        enqueue(queue, kernel, cl::CL_COMMAND_TASK, dims, waits, wait_list, event)
    })
}

/// # Safety
/// As [`Request::new`].
unsafe fn enqueue(
    queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    command: cl::cl_command_type,
    dims: ClResult<Dimensions>,
    waits: cl::cl_uint,
    wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> ClResult<()> {
    let queue = handle::get::<Queue>(queue)?;
    let kernel = handle::get::<Kernel>(kernel)?;
    // SAFETY: by the caller's promise.
    let request = unsafe { Request::new(&queue, command, false, waits, wait_list, event) }?;
    kernel.enqueue(&queue, request, &dims?)
}

/// The work-group size that a launch without one would get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSize(
    queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    offset: *const usize,
    global: *const usize,
    suggested: *mut usize,
) -> cl::cl_int {
    entry!(clGetKernelSuggestedLocalWorkSize, {
        let queue = handle::get::<Queue>(queue)?;
        let kernel = handle::get::<Kernel>(kernel)?;
        let dims = Dimensions::read(work_dim, offset, global, std::ptr::null())?;
        ensure(!suggested.is_null(), cl::CL_INVALID_VALUE)?;
        let size = kernel.suggested(&queue, &dims)?;
        for (d, size) in size.into_iter().enumerate().take(work_dim as usize) {
            // SAFETY: the application's promise: room for as many dimensions.
            unsafe { ffi::write(suggested.add(d), usize::try_from(size).unwrap_or(usize::MAX)) };
        }
        Ok(())
    })
}

/// As [`clGetKernelSuggestedLocalWorkSize`] (cl_khr_suggested_local_work_size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSizeKHR(
    queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    offset: *const usize,
    global: *const usize,
    suggested: *mut usize,
) -> cl::cl_int {
    // SAFETY: the same demands.
    unsafe { clGetKernelSuggestedLocalWorkSize(queue, kernel, work_dim, offset, global, suggested) }
}

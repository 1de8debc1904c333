//! Kernels (OpenCL API §5.9).

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::{ffi, handle};
use crate::device::Device;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::kernel::Kernel;
use crate::kernel::args::Arg;
use crate::program::Program;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![clSetKernelArgDevicePointerEXT];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateKernel = Some(clCreateKernel);
    table.clCreateKernelsInProgram = Some(clCreateKernelsInProgram);
    table.clCloneKernel = Some(clCloneKernel);
    table.clRetainKernel = Some(clRetainKernel);
    table.clReleaseKernel = Some(clReleaseKernel);
    table.clSetKernelArg = Some(clSetKernelArg);
    table.clSetKernelArgSVMPointer = Some(clSetKernelArgSVMPointer);
    table.clSetKernelExecInfo = Some(clSetKernelExecInfo);
    table.clGetKernelInfo = Some(clGetKernelInfo);
    table.clGetKernelArgInfo = Some(clGetKernelArgInfo);
    table.clGetKernelWorkGroupInfo = Some(clGetKernelWorkGroupInfo);
    table.clGetKernelSubGroupInfo = Some(clGetKernelSubGroupInfo);
    table.clGetKernelSubGroupInfoKHR = Some(clGetKernelSubGroupInfoKHR);
}

/// Makes a kernel object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateKernel(
    program: cl::cl_program,
    name: *const c_char,
    error: *mut cl::cl_int,
) -> cl::cl_kernel {
    entry!(clCreateKernel, error, {
        let program = handle::get::<Program>(program)?;
        let name = ffi::text(name).ok_or(ClError(cl::CL_INVALID_VALUE))?;
        Kernel::create(&program, &name)
    })
}

/// Makes kernel objects for all kernels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateKernelsInProgram(
    program: cl::cl_program,
    count: cl::cl_uint,
    kernels: *mut cl::cl_kernel,
    count_ret: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clCreateKernelsInProgram, {
        let program = handle::get::<Program>(program)?;
        let there = Kernel::count_all(&program)?;
        if !kernels.is_null() {
            ensure(count as usize >= there, cl::CL_INVALID_VALUE)?;
            for (i, kernel) in Kernel::create_all(&program)?.into_iter().enumerate() {
                // SAFETY: no more than there are names, for which there is room, as checked.
                unsafe { ffi::write(kernels.add(i), kernel) };
            }
        }
        ffi::write(count_ret, u32::try_from(there).unwrap_or(u32::MAX));
        Ok(())
    })
}

/// Makes a copy of a kernel object with its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCloneKernel(kernel: cl::cl_kernel, error: *mut cl::cl_int) -> cl::cl_kernel {
    entry!(clCloneKernel, error, handle::get::<Kernel>(kernel)?.duplicate())
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainKernel(kernel: cl::cl_kernel) -> cl::cl_int {
    entry!(clRetainKernel, handle::retain::<Kernel>(kernel))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseKernel(kernel: cl::cl_kernel) -> cl::cl_int {
    entry!(clReleaseKernel, handle::release::<Kernel>(kernel).map(drop))
}

/// Sets an argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArg(
    kernel: cl::cl_kernel,
    index: cl::cl_uint,
    size: usize,
    value: *const c_void,
) -> cl::cl_int {
    entry!(clSetKernelArg, {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.set_arg(index, size, value)
    })
}

/// Returns whether any device of a kernel's context has shared virtual memory.
pub(crate) fn any_svm(kernel: &Kernel) -> bool {
    kernel.program.context.devices.iter().any(|d| d.svm_capabilities() != 0)
}

/// Returns whether any device of a kernel's context has cl_ext_buffer_device_address.
fn any_addresses(kernel: &Kernel) -> bool {
    kernel.program.context.devices.iter().any(|d| d.target.has_address_model())
}

/// Sets an argument to a pointer to shared virtual memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    kernel: cl::cl_kernel,
    index: cl::cl_uint,
    value: *const c_void,
) -> cl::cl_int {
    entry!(clSetKernelArgSVMPointer, {
        let kernel = handle::get::<Kernel>(kernel)?;
        ensure(any_svm(&kernel), cl::CL_INVALID_OPERATION)?;
        kernel.set_pointer(index, value.addr() as u64, Arg::Svm, cl::CL_INVALID_ARG_VALUE)
    })
}

/// Sets an argument to a device address (cl_ext_buffer_device_address).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArgDevicePointerEXT(
    kernel: cl::cl_kernel,
    index: cl::cl_uint,
    value: cl::cl_mem_device_address_ext,
) -> cl::cl_int {
    entry!(clSetKernelArgDevicePointerEXT, {
        let kernel = handle::get::<Kernel>(kernel)?;
        ensure(any_addresses(&kernel), cl::CL_INVALID_OPERATION)?;
        kernel.set_pointer(index, value, Arg::Address, cl::CL_INVALID_ARG_INDEX)
    })
}

/// Says what a kernel touches beside its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelExecInfo(
    kernel: cl::cl_kernel,
    param: cl::cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> cl::cl_int {
    entry!(clSetKernelExecInfo, {
        let kernel = handle::get::<Kernel>(kernel)?;
        set_exec_info(&kernel, param, size, value)
    })
}

/// The checks and effects of clSetKernelExecInfo.
///
/// # Safety
/// `value` is NULL or has `size` bytes.
pub(crate) unsafe fn set_exec_info(
    kernel: &Kernel,
    param: cl::cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> ClResult<()> {
    match param {
        cl::CL_KERNEL_EXEC_INFO_SVM_PTRS => {
            ensure(any_svm(kernel), cl::CL_INVALID_OPERATION)?;
            // SAFETY: by the caller's promise.
            let list = unsafe { pointers(size, value) }?;
            kernel.set_svm_pointers(list);
            Ok(())
        }
        cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => {
            ensure(any_addresses(kernel), cl::CL_INVALID_OPERATION)?;
            // SAFETY: by the caller's promise.
            let list = unsafe { pointers(size, value) }?;
            kernel.set_device_pointers(list);
            Ok(())
        }
        cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            ensure(any_addresses(kernel), cl::CL_INVALID_OPERATION)?;
            // SAFETY: by the caller's promise.
            let list = unsafe { pointers(size, value) }?;
            kernel.set_unified_pointers(list);
            Ok(())
        }
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
            let of_device = param == cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL;
            let has = if of_device { any_addresses(kernel) } else { any_svm(kernel) };
            ensure(has, cl::CL_INVALID_OPERATION)?;
            ensure(size == size_of::<cl::cl_bool>() && !value.is_null(), cl::CL_INVALID_VALUE)?;
            // SAFETY: the size is that of the value.
            let reaches = unsafe { value.cast::<cl::cl_bool>().read_unaligned() } != 0;
            kernel.set_indirect(1 << (param - cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL), reaches);
            Ok(())
        }
        cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
            ensure(size == size_of::<cl::cl_bool>() && !value.is_null(), cl::CL_INVALID_VALUE)?;
            // SAFETY: the size is that of the value.
            let wanted = unsafe { value.cast::<cl::cl_bool>().read_unaligned() };
            let system = |d: &Arc<Device>| d.svm_capabilities() & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0;
            let any = kernel.program.context.devices.iter().any(system);
            ensure(wanted == 0 || any, cl::CL_INVALID_OPERATION)
        }
        _ => fail(cl::CL_INVALID_VALUE),
    }
}

/// A list of 64-bit pointers of so many bytes.
///
/// # Safety
/// `value` is NULL or has `size` bytes.
unsafe fn pointers(size: usize, value: *const c_void) -> ClResult<Vec<u64>> {
    let one = size_of::<u64>();
    ensure(size.is_multiple_of(one) && (size == 0) == value.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: within the bytes, by the caller's promise.
    Ok((0..size / one).map(|i| unsafe { value.cast::<u64>().add(i).read_unaligned() }).collect())
}

/// Answers a query about a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelInfo(
    kernel: cl::cl_kernel,
    param: cl::cl_kernel_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetKernelInfo, {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.info(param)?.give(size, value, size_ret)
    })
}

/// Answers a query about an argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelArgInfo(
    kernel: cl::cl_kernel,
    index: cl::cl_uint,
    param: cl::cl_kernel_arg_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetKernelArgInfo, {
        let kernel = handle::get::<Kernel>(kernel)?;
        kernel.argument_info(index, param)?.give(size, value, size_ret)
    })
}

/// The device of a query: NULL where the kernel has just one.
fn device_of(device: cl::cl_device_id) -> ClResult<Option<Arc<Device>>> {
    if device.is_null() { Ok(None) } else { handle::get::<Device>(device).map(Some) }
}

/// Answers a query about a kernel on a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    kernel: cl::cl_kernel,
    device: cl::cl_device_id,
    param: cl::cl_kernel_work_group_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetKernelWorkGroupInfo, {
        let kernel = handle::get::<Kernel>(kernel)?;
        let device = device_of(device)?;
        kernel.work_group_info(device.as_ref(), param)?.give(size, value, size_ret)
    })
}

/// Answers a query about a kernel's sub-groups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    kernel: cl::cl_kernel,
    device: cl::cl_device_id,
    param: cl::cl_kernel_sub_group_info,
    input_size: usize,
    input: *const c_void,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetKernelSubGroupInfo, {
        let kernel = handle::get::<Kernel>(kernel)?;
        let device = device_of(device)?;
        let words = input_size / size_of::<usize>();
        let input = match input.is_null() || words == 0 || words > 3 {
            true => [].as_slice(),
            // SAFETY: the application promises so many bytes; at most three numbers are looked at.
            false => unsafe { std::slice::from_raw_parts(input.cast::<usize>(), words) },
        };
        let input = if input_size.is_multiple_of(size_of::<usize>()) { input } else { &[] };
        let whole = !value.is_null() && size.is_multiple_of(size_of::<usize>());
        let room = whole.then_some(size / size_of::<usize>());
        let reply = kernel.sub_group_info(device.as_ref(), param, input, room)?;
        reply.give(size, value, size_ret)
    })
}

/// As [`clGetKernelSubGroupInfo`] (cl_khr_subgroups).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSubGroupInfoKHR(
    kernel: cl::cl_kernel,
    device: cl::cl_device_id,
    param: cl::cl_kernel_sub_group_info,
    input_size: usize,
    input: *const c_void,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    // SAFETY: the same demands.
    unsafe { clGetKernelSubGroupInfo(kernel, device, param, input_size, input, size, value, size_ret) }
}

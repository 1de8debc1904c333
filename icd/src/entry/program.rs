//! Programs (OpenCL API §5.8).

use std::ffi::{c_char, c_uchar, c_void};
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::BuildFunction;
use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::handle::Raw;
use crate::abi::{ffi, handle};
use crate::device::Device;
use crate::device::context::Context;
use crate::entry::functions::{Function, functions};
use crate::entry::guard;
use crate::entry::guard::entry;
use crate::program::Program;
use crate::program::build::{Notify, link_program};

/// The application's callback of a build.
type Callback = Option<BuildFunction>;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![
    // cl_khr_il_program: the function of OpenCL 2.1.
    clCreateProgramWithILKHR = clCreateProgramWithIL,
];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateProgramWithSource = Some(clCreateProgramWithSource);
    table.clCreateProgramWithBinary = Some(clCreateProgramWithBinary);
    table.clCreateProgramWithBuiltInKernels = Some(clCreateProgramWithBuiltInKernels);
    table.clCreateProgramWithIL = Some(clCreateProgramWithIL);
    table.clRetainProgram = Some(clRetainProgram);
    table.clReleaseProgram = Some(clReleaseProgram);
    table.clBuildProgram = Some(clBuildProgram);
    table.clCompileProgram = Some(clCompileProgram);
    table.clLinkProgram = Some(clLinkProgram);
    table.clGetProgramInfo = Some(clGetProgramInfo);
    table.clGetProgramBuildInfo = Some(clGetProgramBuildInfo);
    table.clSetProgramReleaseCallback = Some(clSetProgramReleaseCallback);
    table.clSetProgramSpecializationConstant = Some(clSetProgramSpecializationConstant);
}

/// A list of devices: `None` for NULL.
///
/// # Safety
/// `list` is NULL or has `count` elements.
unsafe fn device_list(
    count: cl::cl_uint,
    list: *const cl::cl_device_id,
) -> ClResult<Option<Vec<Arc<Device>>>> {
    ensure((count == 0) == list.is_null(), cl::CL_INVALID_VALUE)?;
    if list.is_null() {
        return Ok(None);
    }
    // SAFETY: by the caller's promise.
    unsafe { handle::get_all::<Device>(count, list) }.map(Some)
}

fn notification(call: Callback, user: *mut c_void) -> ClResult<Option<Notify>> {
    ensure(call.is_some() || user.is_null(), cl::CL_INVALID_VALUE)?;
    Ok(call.map(|call| (call, UserPointer(user))))
}

/// Makes a program from source.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithSource(
    context: cl::cl_context,
    count: cl::cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    entry!(clCreateProgramWithSource, error, {
        let context = handle::get::<Context>(context)?;
        ensure(count > 0 && !strings.is_null(), cl::CL_INVALID_VALUE)?;
        let strings = ffi::slice(strings, count as usize);
        let lengths = ffi::slice(lengths, count as usize);
        let mut text = Vec::new();
        for (i, string) in strings.iter().enumerate() {
            ensure(!string.is_null(), cl::CL_INVALID_VALUE)?;
            match lengths.get(i).copied().unwrap_or(0) {
                0 => text.extend_from_slice(std::ffi::CStr::from_ptr(*string).to_bytes()),
                length => text.extend_from_slice(ffi::slice(string.cast::<u8>(), length)),
            }
        }
        Program::from_source(&context, text)
    })
}

/// Makes a program from binaries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithBinary(
    context: cl::cl_context,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    lengths: *const usize,
    binaries: *mut *const c_uchar,
    status: *mut cl::cl_int,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    entry!(clCreateProgramWithBinary, error, {
        let context = handle::get::<Context>(context)?;
        ensure(count > 0 && !devices.is_null(), cl::CL_INVALID_VALUE)?;
        ensure(!lengths.is_null() && !binaries.is_null(), cl::CL_INVALID_VALUE)?;
        let devices = handle::get_all::<Device>(count, devices)?;
        ensure(devices.iter().all(|d| context.has(d)), cl::CL_INVALID_DEVICE)?;
        let pointers = ffi::slice(binaries, count as usize);
        let lengths = ffi::slice(lengths, count as usize);
        let bytes: Vec<&[u8]> = pointers.iter().zip(lengths).map(|(p, n)| ffi::slice(*p, *n)).collect();
        let (codes, made) = Program::from_binaries(&context, devices, &bytes);
        if !status.is_null() {
            for (i, code) in codes.into_iter().enumerate() {
                ffi::write(status.add(i), code);
            }
        }
        made
    })
}

/// There are no built-in kernels: every name is unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    context: cl::cl_context,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    names: *const c_char,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    entry!(clCreateProgramWithBuiltInKernels, error, {
        let context = handle::get::<Context>(context)?;
        ensure(count > 0 && !devices.is_null() && !names.is_null(), cl::CL_INVALID_VALUE)?;
        let devices = handle::get_all::<Device>(count, devices)?;
        ensure(devices.iter().all(|d| context.has(d)), cl::CL_INVALID_DEVICE)?;
        fail(cl::CL_INVALID_VALUE)
    })
}

/// Makes a program from SPIR-V.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithIL(
    context: cl::cl_context,
    il: *const c_void,
    length: usize,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    entry!(clCreateProgramWithIL, error, {
        let context = handle::get::<Context>(context)?;
        ensure(!il.is_null() && length > 0, cl::CL_INVALID_VALUE)?;
        Program::from_il(&context, ffi::slice(il.cast::<u8>(), length))
    })
}

/// As [`clCreateProgramWithIL`] (cl_khr_il_program).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithILKHR(
    context: cl::cl_context,
    il: *const c_void,
    length: usize,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    // SAFETY: the application's promise.
    unsafe { clCreateProgramWithIL(context, il, length, error) }
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainProgram(program: cl::cl_program) -> cl::cl_int {
    entry!(clRetainProgram, handle::retain::<Program>(program))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseProgram(program: cl::cl_program) -> cl::cl_int {
    entry!(clReleaseProgram, handle::release::<Program>(program).map(drop))
}

/// Compiles and links.
///
/// A callback is called by this thread before this returns, and the code reports a failure as well (§5.8.3 of the API allows that, and
/// an early return; [`crate::program::build`] says why).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clBuildProgram(
    program: cl::cl_program,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    options: *const c_char,
    notify: Callback,
    user: *mut c_void,
) -> cl::cl_int {
    entry!(clBuildProgram, {
        let program = handle::get::<Program>(program)?;
        let (devices, options) = (device_list(count, devices)?, ffi::text(options));
        let notify = notification(notify, user)?;
        program.build(devices.as_deref(), options, notify)
    })
}

/// Compiles, to be linked later. A callback is called as that of [`clBuildProgram`] is (§5.8.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCompileProgram(
    program: cl::cl_program,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    options: *const c_char,
    header_count: cl::cl_uint,
    headers: *const cl::cl_program,
    names: *mut *const c_char,
    notify: Callback,
    user: *mut c_void,
) -> cl::cl_int {
    entry!(clCompileProgram, {
        let program = handle::get::<Program>(program)?;
        let none = header_count == 0;
        ensure(none == headers.is_null() && none == names.is_null(), cl::CL_INVALID_VALUE)?;
        let (devices, options) = (device_list(count, devices)?, ffi::text(options));
        let notify = notification(notify, user)?;
        let headers = handle::get_all::<Program>(header_count, headers)?;
        let names = ffi::slice(names, header_count as usize);
        let named = headers.into_iter().zip(names).map(|(header, name)| {
            let name = ffi::text(*name).ok_or(ClError(cl::CL_INVALID_VALUE))?;
            Ok((name, header))
        });
        let named = named.collect::<ClResult<Vec<_>>>()?;
        program.compile(devices.as_deref(), options.as_deref().unwrap_or(""), &named, notify)
    })
}

/// Links compiled programs and libraries. A program that could not be linked is returned with
/// CL_LINK_PROGRAM_FAILURE, so that its log can be read. A callback is called as that of [`clBuildProgram`] is (§5.8.4): it gets the
/// program that this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clLinkProgram(
    context: cl::cl_context,
    count: cl::cl_uint,
    devices: *const cl::cl_device_id,
    options: *const c_char,
    input_count: cl::cl_uint,
    inputs: *const cl::cl_program,
    notify: Callback,
    user: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_program {
    let mut outcome: ClResult<()> = Ok(());
    // SAFETY: the application's promise.
    unsafe {
        let program = guard::object("clLinkProgram", error, || -> ClResult<Raw> {
            let context = handle::get::<Context>(context)?;
            ensure(input_count > 0 && !inputs.is_null(), cl::CL_INVALID_VALUE)?;
            let inputs = handle::get_all::<Program>(input_count, inputs)?;
            let (devices, options) = (device_list(count, devices)?, ffi::text(options));
            let notify = notification(notify, user)?;
            let options = options.as_deref().unwrap_or("");
            let (program, done) = link_program(&context, devices.as_deref(), options, &inputs, notify)?;
            outcome = done;
            Ok(program.raw())
        });
        if let Err(ClError(code)) = outcome {
            ffi::write(error, code);
        }
        program
    }
}

/// Answers a query about a program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetProgramInfo(
    program: cl::cl_program,
    param: cl::cl_program_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetProgramInfo, {
        let program = handle::get::<Program>(program)?;
        if param == cl::CL_PROGRAM_BINARIES {
            return give_binaries(&program, size, value, size_ret);
        }
        program.info(param)?.give(size, value, size_ret)
    })
}

/// CL_PROGRAM_BINARIES: the application gives an array of places, one for each device, NULL for those that it does not
/// want.
///
/// # Safety
/// `value` is NULL or has `size` bytes; the places are large enough for the binaries.
unsafe fn give_binaries(
    program: &Program,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> ClResult<()> {
    let needed = program.devices.len() * size_of::<*mut u8>();
    if !value.is_null() {
        ensure(size >= needed, cl::CL_INVALID_VALUE)?;
        for (i, binary) in program.binaries().into_iter().enumerate() {
            // SAFETY: the array has a place for each device, as checked.
            let place = unsafe { value.cast::<*mut u8>().add(i).read_unaligned() };
            if !place.is_null() {
                // SAFETY: by the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(binary.as_ptr(), place, binary.len()) };
            }
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { ffi::write(size_ret, needed) };
    Ok(())
}

/// Answers a query about a build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetProgramBuildInfo(
    program: cl::cl_program,
    device: cl::cl_device_id,
    param: cl::cl_program_build_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetProgramBuildInfo, {
        let program = handle::get::<Program>(program)?;
        let device = handle::get::<Device>(device)?;
        program.build_info(&device, param)?.give(size, value, size_ret)
    })
}

/// No device has destructors of program-scope variables (§5.8.2: CL_INVALID_OPERATION).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetProgramReleaseCallback(
    program: cl::cl_program,
    notify: Callback,
    _user: *mut c_void,
) -> cl::cl_int {
    entry!(clSetProgramReleaseCallback, {
        handle::get::<Program>(program)?;
        ensure(notify.is_some(), cl::CL_INVALID_VALUE)?;
        fail(cl::CL_INVALID_OPERATION)
    })
}

/// Gives a specialization constant of a program from SPIR-V a value for the builds to come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    program: cl::cl_program,
    id: cl::cl_uint,
    size: usize,
    value: *const c_void,
) -> cl::cl_int {
    entry!(clSetProgramSpecializationConstant, {
        let program = handle::get::<Program>(program)?;
        let il = program.il().ok_or(ClError(cl::CL_INVALID_PROGRAM))?;
        ensure(il.constant_size(id)? == size && !value.is_null(), cl::CL_INVALID_VALUE)?;
        il.specialize(id, ffi::slice(value.cast::<u8>(), size))
    })
}

//! The lists of errors of kernels (§5.9) and launches (§5.10).

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::device::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::queue::*;

use crate::world::{Handle, Kind, Verdict, World, good};

const VALUE: i32 = cl::CL_INVALID_VALUE;

/// §5.9.2. The kernel's arguments: a buffer, an int, local memory.
pub fn arguments(w: &World, v: &mut Verdict) {
    const NAME: &str = "clSetKernelArg";
    // SAFETY: a handle; the arguments of the world's kernel stay as they are.
    let kernel = unsafe { good(|e| clCloneKernel(w.here.kernel, e)) };
    // SAFETY: values have their sizes.
    let set = |index, size, value: *const c_void| unsafe { clSetKernelArg(kernel, index, size, value) };
    let (number, handle) = (7u64, size_of::<Handle>());
    let number = (&raw const number).cast();
    for index in [3, 4, 1000, u32::MAX] {
        v.expect(NAME, format!("argument {index}"), set(index, 4, number), cl::CL_INVALID_ARG_INDEX);
    }
    const SIZE: i32 = cl::CL_INVALID_ARG_SIZE;
    for size in [0, 1, 3, 5, 8, usize::MAX] {
        v.expect(NAME, format!("an int of {size} bytes"), set(1, size, number), SIZE);
    }
    let buffer: *const c_void = (&raw const w.here.buffer).cast();
    for size in [0, 4, handle - 1, handle + 1, usize::MAX] {
        v.expect(NAME, format!("a handle of {size} bytes"), set(0, size, buffer), SIZE);
    }
    // Since OpenCL 3.1 (§5.9.2).
    v.expect(NAME, "local memory of no bytes", set(2, 0, null()), cl::CL_SUCCESS);
    // What a NULL int and a value for local memory give is no item of the list any more; until OpenCL 2.2:
    // "if arg_value specified is not a valid value".
    v.expect(NAME, "an int that is not there", set(1, 4, null()), cl::CL_INVALID_ARG_VALUE);
    v.expect(NAME, "local memory with a value", set(2, 4, number), cl::CL_INVALID_ARG_VALUE);
    for (what, bad) in w.bad(Kind::Memory) {
        // NULL is a buffer that is not there (§5.9.2).
        let expected = if bad.is_null() { 0 } else { cl::CL_INVALID_MEM_OBJECT };
        v.expect(NAME, what, set(0, handle, (&raw const bad).cast()), expected);
    }
    let foreign = (&raw const w.there.buffer).cast();
    v.expect(NAME, "a buffer of another context", set(0, handle, foreign), cl::CL_INVALID_CONTEXT);
    exec_info(w, v, kernel);
    pointers(v, kernel);
    info(w, v);
    // SAFETY: a handle.
    unsafe {
        v.expect("clReleaseKernel", "once", clReleaseKernel(kernel), 0);
        v.expect("clReleaseKernel", "twice", clReleaseKernel(kernel), cl::CL_INVALID_KERNEL);
    }
}

fn exec_info(w: &World, v: &mut Verdict, kernel: Handle) {
    const NAME: &str = "clSetKernelExecInfo";
    let (list, flag) = ([0u64; 2], 1u32);
    let (list, flag): (*const c_void, *const c_void) = (list.as_ptr().cast(), (&raw const flag).cast());
    // SAFETY: values have their sizes.
    let set = |param, size, value| unsafe { clSetKernelExecInfo(kernel, param, size, value) };
    for param in [0, 1, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS - 1, u32::MAX] {
        v.expect(NAME, format!("{param:#x}"), set(param, 8, list), VALUE);
    }
    const SYSTEM: u32 = cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    let mut shares: cl::cl_device_svm_capabilities = 0;
    let (param, place) = (cl::CL_DEVICE_SVM_CAPABILITIES, (&raw mut shares).cast());
    // SAFETY: room for the answer.
    let told = unsafe { clGetDeviceInfo(w.device, param, size_of_val(&shares), place, null_mut()) };
    assert_eq!(told, cl::CL_SUCCESS);
    let has_system = shares & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0;
    let expected = if has_system { cl::CL_SUCCESS } else { cl::CL_INVALID_OPERATION };
    v.expect(NAME, "system memory", set(SYSTEM, 4, flag), expected);
    v.expect(NAME, "a boolean of 3 bytes", set(SYSTEM, 3, flag), VALUE);
    v.expect(NAME, "no boolean", set(SYSTEM, 4, null()), VALUE);
    for param in [cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT] {
        // The empty list tells whether a device has such pointers at all.
        if set(param, 0, null()) == cl::CL_INVALID_OPERATION {
            v.expect(NAME, format!("{param:#x}, unsupported"), set(param, 8, list), cl::CL_INVALID_OPERATION);
            continue;
        }
        v.expect(NAME, format!("{param:#x}, no list"), set(param, 8, null()), VALUE);
        v.expect(NAME, format!("{param:#x}, one and a half"), set(param, 12, list), VALUE);
    }
}

/// cl_ext_buffer_device_address.
fn pointers(v: &mut Verdict, kernel: Handle) {
    const NAME: &str = "clSetKernelArgDevicePointerEXT";
    // SAFETY: a handle.
    let set = |index| unsafe { clSetKernelArgDevicePointerEXT(kernel, index, 0) };
    let code = set(0);
    let right = if code == cl::CL_INVALID_OPERATION { code } else { cl::CL_INVALID_ARG_INDEX };
    v.expect(NAME, "all right or unsupported", code, if code == cl::CL_INVALID_OPERATION { code } else { 0 });
    for (what, index) in [("an int", 1), ("local memory", 2), ("no such argument", 3), ("none", u32::MAX)] {
        v.expect(NAME, what, set(index), right);
    }
}

/// §5.9.4.
fn info(w: &World, v: &mut Verdict) {
    let k = w.here.kernel;
    // SAFETY: places are NULL.
    unsafe {
        for index in [3, u32::MAX] {
            let code = clGetKernelArgInfo(k, index, cl::CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut());
            v.expect("clGetKernelArgInfo", format!("argument {index}"), code, cl::CL_INVALID_ARG_INDEX);
        }
        // The program was built without -cl-kernel-arg-info.
        let code = clGetKernelArgInfo(k, 0, cl::CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut());
        v.expect("clGetKernelArgInfo", "not kept", code, cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        let param = cl::CL_KERNEL_GLOBAL_WORK_SIZE;
        let code = clGetKernelWorkGroupInfo(k, w.device, param, 0, null_mut(), null_mut());
        v.expect("clGetKernelWorkGroupInfo", "no built-in kernel", code, VALUE);
    }
}

/// A launch that is not right: what, dimensions, offset, global size, local size, the code.
type Launch<'a> = (&'a str, u32, Option<[usize; 3]>, Option<[usize; 3]>, Option<[usize; 3]>, i32);

/// §5.10.
pub fn launches(w: &World, v: &mut Verdict) {
    const DIMENSION: i32 = cl::CL_INVALID_WORK_DIMENSION;
    const GROUP: i32 = cl::CL_INVALID_WORK_GROUP_SIZE;
    let eight = Some([8; 3]);
    let cases: [Launch; 13] = [
        ("no dimensions", 0, None, eight, None, DIMENSION),
        ("four dimensions", 4, None, eight, None, DIMENSION),
        ("all dimensions", u32::MAX, None, eight, None, DIMENSION),
        ("an offset that overflows", 1, Some([usize::MAX, 0, 0]), eight, None, cl::CL_INVALID_GLOBAL_OFFSET),
        ("a group of none", 1, None, eight, Some([0; 3]), GROUP),
        ("a group of none in one dimension", 3, None, eight, Some([1, 1, 0]), GROUP),
        ("a group of none of none", 1, None, Some([0; 3]), Some([0; 3]), GROUP),
        ("a group that is too large of none", 1, None, Some([0; 3]), Some([1 << 33; 3]), GROUP),
        ("a group of none of nothing", 1, None, None, Some([0; 3]), GROUP),
        ("a group that does not divide", 1, None, eight, Some([3; 3]), GROUP),
        ("a group that is larger than all", 1, None, eight, Some([16; 3]), GROUP),
        ("more than there may be in all", 3, None, Some([1 << 12; 3]), Some([1 << 12; 3]), GROUP),
        ("a size that overflows", 3, None, Some([1 << 31; 3]), Some([1 << 31; 3]), GROUP),
    ];
    let place = |list: &Option<[usize; 3]>| list.as_ref().map_or(null(), |l| l.as_ptr());
    let launch = |kernel, dims, offset, global, local| {
        let (offset, global, local) = (place(&offset), place(&global), place(&local));
        // SAFETY: three elements each, or NULL; dimensions over 3 are refused first.
        unsafe {
            clEnqueueNDRangeKernel(w.here.queue, kernel, dims, offset, global, local, 0, null(), null_mut())
        }
    };
    const NAME: &str = "clEnqueueNDRangeKernel";
    let k = w.here.kernel;
    for (what, dims, offset, global, local, expected) in cases {
        let code = launch(k, dims, offset, global, local);
        // Over a dimension's limit and over the limit of all: both errors apply (§5.10).
        let both = expected == GROUP
            && code == cl::CL_INVALID_WORK_ITEM_SIZE
            && local.is_some_and(|l| l[0] > 1 << 10);
        v.expect(NAME, what, if both { expected } else { code }, expected);
    }
    // Nothing to run is no error since OpenCL 2.1.
    for (what, global, local) in [("none", Some([0; 3]), Some([4; 3])), ("nothing", None, None)] {
        v.expect(NAME, what, launch(k, 2, None, global, local), 0);
    }
    suggestions(w, v);
    // SAFETY: handles.
    unsafe {
        let fresh = good(|e| clCreateKernel(w.here.program, c"k".as_ptr(), e));
        let unset = cl::CL_INVALID_KERNEL_ARGS;
        v.expect(NAME, "no arguments", launch(fresh, 1, None, eight, None), unset);
        v.expect(
            "clEnqueueTask",
            "no arguments",
            clEnqueueTask(w.here.queue, fresh, 0, null(), null_mut()),
            unset,
        );
        assert_eq!(clReleaseKernel(fresh), 0);
        let required = good(|e| clCreateKernel(w.here.program, c"eight".as_ptr(), e));
        let buffer = (&raw const w.here.buffer).cast();
        assert_eq!(clSetKernelArg(required, 0, size_of::<Handle>(), buffer), 0);
        v.expect(NAME, "the required size", launch(required, 1, None, eight, eight), 0);
        v.expect(NAME, "another size than required", launch(required, 1, None, eight, Some([4; 3])), GROUP);
        v.expect(
            NAME,
            "not divided by the required size",
            launch(required, 1, None, Some([12; 3]), None),
            GROUP,
        );
        let code = clEnqueueTask(w.here.queue, required, 0, null(), null_mut());
        v.expect("clEnqueueTask", "a size of 8 required", code, GROUP);
        // A kernel holds no reference to its arguments (§5.9.2): a launch with one that was released finds none.
        let gone = good(|e| clCreateBuffer(w.here.context, 0, 64, null_mut(), e));
        assert_eq!(clSetKernelArg(required, 0, size_of::<Handle>(), (&raw const gone).cast()), 0);
        assert_eq!(clReleaseMemObject(gone), 0);
        v.expect(NAME, "a released buffer", launch(required, 1, None, eight, eight), unset);
        assert_eq!((clFinish(w.here.queue), clReleaseKernel(required)), (0, 0));
    }
}

/// §5.9.4, clGetKernelSuggestedLocalWorkSize.
fn suggestions(w: &World, v: &mut Verdict) {
    let (k, q) = (w.here.kernel, w.here.queue);
    let mut out = [0usize; 3];
    let out = out.as_mut_ptr();
    type Suggest = unsafe extern "C" fn(Handle, Handle, u32, *const usize, *const usize, *mut usize) -> i32;
    let functions: [(&str, Suggest); 2] = [
        ("clGetKernelSuggestedLocalWorkSize", clGetKernelSuggestedLocalWorkSize),
        ("clGetKernelSuggestedLocalWorkSizeKHR", clGetKernelSuggestedLocalWorkSizeKHR),
    ];
    let (eight, zero, far) = ([8usize; 3], [0usize; 3], [usize::MAX; 3]);
    let (eight, zero, far) = (eight.as_ptr(), zero.as_ptr(), far.as_ptr());
    for (name, f) in functions {
        // SAFETY: three elements each, or NULL; dimensions over 3 are refused first.
        let get = |q, k, dims, offset, global, out| unsafe { f(q, k, dims, offset, global, out) };
        v.expect(name, "all right", get(q, k, 3, null(), eight, out), 0);
        for dims in [0, 4, u32::MAX] {
            let code = get(q, k, dims, null(), eight, out);
            v.expect(name, format!("{dims} dimensions"), code, cl::CL_INVALID_WORK_DIMENSION);
        }
        const GLOBAL: i32 = cl::CL_INVALID_GLOBAL_WORK_SIZE;
        v.expect(name, "no size", get(q, k, 1, null(), null(), out), GLOBAL);
        v.expect(name, "a size of 0", get(q, k, 1, null(), zero, out), GLOBAL);
        let code = get(q, k, 1, far, eight, out);
        v.expect(name, "an offset that overflows", code, cl::CL_INVALID_GLOBAL_OFFSET);
        v.expect(name, "no place", get(q, k, 1, null(), eight, null_mut()), VALUE);
        let context = cl::CL_INVALID_CONTEXT;
        v.expect(name, "a queue of another context", get(w.there.queue, k, 1, null(), eight, out), context);
        // SAFETY: handles.
        unsafe {
            let fresh = good(|e| clCreateKernel(w.here.program, c"k".as_ptr(), e));
            let code = get(q, fresh, 1, null(), eight, out);
            v.expect(name, "no arguments", code, cl::CL_INVALID_KERNEL_ARGS);
            assert_eq!(clReleaseKernel(fresh), 0);
        }
        for (what, bad) in w.bad(Kind::Kernel) {
            v.expect(name, what, get(q, bad, 1, null(), eight, out), cl::CL_INVALID_KERNEL);
        }
        for (what, bad) in w.bad(Kind::Queue) {
            v.expect(name, what, get(bad, k, 1, null(), eight, out), cl::CL_INVALID_COMMAND_QUEUE);
        }
    }
}

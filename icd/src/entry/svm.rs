//! Shared virtual memory (OpenCL API §5.6).

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::callbacks::FreeFunction;
use crate::abi::error::ensure;
use crate::abi::ffi::UserPointer;
use crate::abi::{ffi, handle};
use crate::commands::request::Request;
use crate::commands::svm_transfer;
use crate::device::context::Context;
use crate::device::queue::Queue;
use crate::device::svm;
use crate::device::svm::Kind;
use crate::entry::functions::{Function, functions};
use crate::entry::guard;
use crate::entry::guard::entry;
use crate::entry::transfer::pattern_of;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clSVMAlloc = Some(clSVMAlloc);
    table.clSVMFree = Some(clSVMFree);
    table.clEnqueueSVMFree = Some(clEnqueueSVMFree);
    table.clEnqueueSVMMemcpy = Some(clEnqueueSVMMemcpy);
    table.clEnqueueSVMMemFill = Some(clEnqueueSVMMemFill);
    table.clEnqueueSVMMap = Some(clEnqueueSVMMap);
    table.clEnqueueSVMUnmap = Some(clEnqueueSVMUnmap);
    table.clEnqueueSVMMigrateMem = Some(clEnqueueSVMMigrateMem);
}

/// Allocates shared virtual memory; NULL when that fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMAlloc(
    context: cl::cl_context,
    flags: cl::cl_svm_mem_flags,
    size: usize,
    alignment: cl::cl_uint,
) -> *mut c_void {
    entry!(clSVMAlloc, failed = std::ptr::null_mut(), {
        let context = handle::get::<Context>(context)?;
        svm::allocate(&context, flags, size, alignment).map(|pointer| pointer.0)
    })
}

/// Frees shared virtual memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMFree(context: cl::cl_context, pointer: *mut c_void) {
    guard::value("clSVMFree", (), || {
        let context = handle::get::<Context>(context)?;
        drop(context.svm.remove(pointer.addr(), |kind| kind == Kind::Svm));
        Ok(())
    });
}

/// Frees shared virtual memory when earlier commands are done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMFree(
    queue: cl::cl_command_queue,
    pointer_count: cl::cl_uint,
    pointers: *mut *mut c_void,
    function: Option<FreeFunction>,
    user_data: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMFree, {
        let queue = handle::get::<Queue>(queue)?;
        svm::check(&queue.device)?;
        ensure((pointer_count == 0) == pointers.is_null(), cl::CL_INVALID_VALUE)?;
        let pointers = ffi::slice(pointers.cast_const(), pointer_count as usize);
        let pointers = pointers.iter().map(|p| UserPointer(*p)).collect();
        let command = cl::CL_COMMAND_SVM_FREE;
        let request = || Request::new(&queue, command, false, count, list, event);
        svm_transfer::free(&queue, request, pointers, function, UserPointer(user_data))
    })
}

/// Copies memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    queue: cl::cl_command_queue,
    blocking: cl::cl_bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMMemcpy, {
        let queue = handle::get::<Queue>(queue)?;
        svm::check(&queue.device)?;
        let command = cl::CL_COMMAND_SVM_MEMCPY;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        svm_transfer::copy(&queue, request, UserPointer(to), UserPointer(from.cast_mut()), size)
    })
}

/// Fills memory with a pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMemFill(
    queue: cl::cl_command_queue,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMMemFill, {
        let queue = handle::get::<Queue>(queue)?;
        svm::check(&queue.device)?;
        let pattern = pattern_of(pattern, pattern_size)?;
        let command = cl::CL_COMMAND_SVM_MEMFILL;
        let request = || Request::new(&queue, command, false, count, list, event);
        svm_transfer::fill(&queue, request, UserPointer(to), pattern, size)
    })
}

/// Gives a region to the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMap(
    queue: cl::cl_command_queue,
    blocking: cl::cl_bool,
    flags: cl::cl_map_flags,
    pointer: *mut c_void,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMMap, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_SVM_MAP;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        svm_transfer::map(&queue, request, flags, UserPointer(pointer), size)
    })
}

/// Gives a region back to the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMUnmap(
    queue: cl::cl_command_queue,
    pointer: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMUnmap, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_SVM_UNMAP;
        let request = || Request::new(&queue, command, false, count, list, event);
        svm_transfer::unmap(&queue, request, UserPointer(pointer))
    })
}

/// Moves ranges to the queue's device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
    queue: cl::cl_command_queue,
    pointer_count: cl::cl_uint,
    pointers: *mut *const c_void,
    sizes: *const usize,
    flags: cl::cl_mem_migration_flags,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueSVMMigrateMem, {
        let queue = handle::get::<Queue>(queue)?;
        svm::check(&queue.device)?;
        ensure(pointer_count > 0 && !pointers.is_null(), cl::CL_INVALID_VALUE)?;
        let pointers = ffi::slice(pointers.cast_const(), pointer_count as usize);
        let pointers: Vec<_> = pointers.iter().map(|p| UserPointer(p.cast_mut())).collect();
        let sizes = ffi::slice(sizes, pointer_count as usize);
        let command = cl::CL_COMMAND_SVM_MIGRATE_MEM;
        let request = || Request::new(&queue, command, false, count, list, event);
        svm_transfer::migrate(&queue, request, &pointers, sizes, flags)
    })
}

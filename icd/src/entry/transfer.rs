//! Commands that move the data of buffers (OpenCL API §5.2.2 to §5.2.4), unmap and migrate (§5.5.2, §5.5.4).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::{ffi, handle};
use crate::commands::request::Request;
use crate::commands::transfer;
use crate::commands::transfer::HostBox;
use crate::device::queue::Queue;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::memory::Memory;
use crate::memory::rect;

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![clEnqueueMigrateMemObjectEXT];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clEnqueueReadBuffer = Some(clEnqueueReadBuffer);
    table.clEnqueueWriteBuffer = Some(clEnqueueWriteBuffer);
    table.clEnqueueReadBufferRect = Some(clEnqueueReadBufferRect);
    table.clEnqueueWriteBufferRect = Some(clEnqueueWriteBufferRect);
    table.clEnqueueCopyBuffer = Some(clEnqueueCopyBuffer);
    table.clEnqueueCopyBufferRect = Some(clEnqueueCopyBufferRect);
    table.clEnqueueFillBuffer = Some(clEnqueueFillBuffer);
    table.clEnqueueMapBuffer = Some(clEnqueueMapBuffer);
    table.clEnqueueUnmapMemObject = Some(clEnqueueUnmapMemObject);
    table.clEnqueueMigrateMemObjects = Some(clEnqueueMigrateMemObjects);
}

/// Three sizes.
///
/// # Safety
/// `place` is NULL or has three elements.
///
/// # Errors
/// CL_INVALID_VALUE for NULL.
pub(crate) unsafe fn three(place: *const usize) -> ClResult<[usize; 3]> {
    ensure(!place.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    Ok(unsafe { place.cast::<[usize; 3]>().read_unaligned() })
}

/// Reads a buffer to host memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadBuffer(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking: cl::cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReadBuffer, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let command = cl::CL_COMMAND_READ_BUFFER;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::read(&queue, request, buffer, offset, size, UserPointer(ptr))
    })
}

/// Writes host memory to a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteBuffer(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking: cl::cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueWriteBuffer, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let command = cl::CL_COMMAND_WRITE_BUFFER;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::write(&queue, request, buffer, offset, size, UserPointer(ptr.cast_mut()))
    })
}

/// The box of a transfer between a buffer and host memory.
///
/// # Safety
/// The lists are NULL or have three elements each.
unsafe fn host_box(
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_pitches: [usize; 2],
    host_pitches: [usize; 2],
) -> ClResult<HostBox> {
    // SAFETY: by the caller's promise.
    let (buffer, host, region) = unsafe { (three(buffer_origin)?, three(host_origin)?, three(region)?) };
    Ok(HostBox {
        buffer: rect::side(buffer, region, buffer_pitches[0], buffer_pitches[1])?,
        host: rect::side(host, region, host_pitches[0], host_pitches[1])?,
        region,
    })
}

/// Reads a box of a buffer to host memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadBufferRect(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking: cl::cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReadBufferRect, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let (inner, outer) = ([buffer_row_pitch, buffer_slice_pitch], [host_row_pitch, host_slice_pitch]);
        queue.context.same(buffer.context())?;
        let place = host_box(buffer_origin, host_origin, region, inner, outer)?;
        let command = cl::CL_COMMAND_READ_BUFFER_RECT;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::read_rect(&queue, request, buffer, place, UserPointer(ptr))
    })
}

/// Writes a box of host memory to a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteBufferRect(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking: cl::cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *const c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueWriteBufferRect, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let (inner, outer) = ([buffer_row_pitch, buffer_slice_pitch], [host_row_pitch, host_slice_pitch]);
        queue.context.same(buffer.context())?;
        let place = host_box(buffer_origin, host_origin, region, inner, outer)?;
        let command = cl::CL_COMMAND_WRITE_BUFFER_RECT;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::write_rect(&queue, request, buffer, place, UserPointer(ptr.cast_mut()))
    })
}

/// Copies between buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBuffer(
    queue: cl::cl_command_queue,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCopyBuffer, {
        let queue = handle::get::<Queue>(queue)?;
        let (src, dst) = (crate::entry::buffer(src)?, crate::entry::buffer(dst)?);
        let command = cl::CL_COMMAND_COPY_BUFFER;
        let request = || Request::new(&queue, command, false, count, list, event);
        transfer::copy(&queue, request, (src, src_offset), (dst, dst_offset), size)
    })
}

/// Copies a box between buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBufferRect(
    queue: cl::cl_command_queue,
    src: cl::cl_mem,
    dst: cl::cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCopyBufferRect, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_COPY_BUFFER_RECT;
        let request = || Request::new(&queue, command, false, count, list, event);
        let (origins, pitches) = ([src_origin, dst_origin], [src_row_pitch, src_slice_pitch]);
        let pitches = [pitches, [dst_row_pitch, dst_slice_pitch]];
        copy_boxes(&queue, request, [src, dst], origins, region, pitches)
    })
}

/// A copy of a box, wherever it goes. First the source's, then the target's.
///
/// # Safety
/// The lists are NULL or have three elements each.
pub(crate) unsafe fn copy_boxes(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    [src, dst]: [cl::cl_mem; 2],
    [src_origin, dst_origin]: [*const usize; 2],
    region: *const usize,
    [[src_row, src_slice], [dst_row, dst_slice]]: [[usize; 2]; 2],
) -> ClResult<()> {
    let (src, dst) = (crate::entry::buffer(src)?, crate::entry::buffer(dst)?);
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    // SAFETY: by the caller's promise.
    let (from, to, region) = unsafe { (three(src_origin)?, three(dst_origin)?, three(region)?) };
    let from = rect::side(from, region, src_row, src_slice)?;
    let to = rect::side(to, region, dst_row, dst_slice)?;
    transfer::copy_rect(queue, request, (src, from), (dst, to), region)
}

/// A pattern to fill with.
///
/// # Safety
/// `pattern` is NULL or has so many bytes, if that is a size that patterns have.
///
/// # Errors
/// CL_INVALID_VALUE for NULL and for other sizes.
pub(crate) unsafe fn pattern_of(pattern: *const c_void, size: usize) -> ClResult<Vec<u8>> {
    ensure(!pattern.is_null(), cl::CL_INVALID_VALUE)?;
    transfer::check_pattern(size)?;
    // SAFETY: not NULL; by the caller's promise.
    Ok(unsafe { ffi::slice(pattern.cast::<u8>(), size) }.to_vec())
}

/// Fills a buffer with a pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueFillBuffer(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueFillBuffer, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let pattern = pattern_of(pattern, pattern_size)?;
        let command = cl::CL_COMMAND_FILL_BUFFER;
        let request = || Request::new(&queue, command, false, count, list, event);
        transfer::fill(&queue, request, buffer, pattern, offset, size)
    })
}

/// Maps a region of a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapBuffer(
    queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking: cl::cl_bool,
    flags: cl::cl_map_flags,
    offset: usize,
    size: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
    error: *mut cl::cl_int,
) -> *mut c_void {
    entry!(clEnqueueMapBuffer, error, {
        let queue = handle::get::<Queue>(queue)?;
        let buffer = crate::entry::buffer(buffer)?;
        let command = cl::CL_COMMAND_MAP_BUFFER;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::map(&queue, request, buffer, flags, offset, size).map(|pointer| pointer.0)
    })
}

/// Unmaps a region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueUnmapMemObject(
    queue: cl::cl_command_queue,
    object: cl::cl_mem,
    pointer: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueUnmapMemObject, {
        let queue = handle::get::<Queue>(queue)?;
        let object = handle::get::<Memory>(object)?;
        let command = cl::CL_COMMAND_UNMAP_MEM_OBJECT;
        let request = || Request::new(&queue, command, false, count, list, event);
        transfer::unmap(&queue, request, object, UserPointer(pointer))
    })
}

/// Moves objects to a device or the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMigrateMemObjects(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    flags: cl::cl_mem_migration_flags,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMigrateMemObjects, {
        let command = cl::CL_COMMAND_MIGRATE_MEM_OBJECTS;
        migrate(queue, (object_count, objects), flags, command, (count, list, event))
    })
}

/// As [`clEnqueueMigrateMemObjects`], before OpenCL 1.2 (cl_ext_migrate_memobject): it has no flag for contents that do not count.
///
/// # Safety
/// As there.
pub unsafe extern "C" fn clEnqueueMigrateMemObjectEXT(
    queue: cl::cl_command_queue,
    object_count: cl::cl_uint,
    objects: *const cl::cl_mem,
    flags: cl::cl_mem_migration_flags_ext,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueMigrateMemObjectEXT, {
        ensure(flags & !cl::CL_MIGRATE_MEM_OBJECT_HOST_EXT == 0, cl::CL_INVALID_VALUE)?;
        let command = cl::CL_COMMAND_MIGRATE_MEM_OBJECT_EXT as cl::cl_command_type;
        migrate(queue, (object_count, objects), flags, command, (count, list, event))
    })
}

/// # Safety
/// As [`clEnqueueMigrateMemObjects`].
unsafe fn migrate(
    queue: cl::cl_command_queue,
    (object_count, objects): (cl::cl_uint, *const cl::cl_mem),
    flags: cl::cl_mem_migration_flags,
    command: cl::cl_command_type,
    (count, list, event): (cl::cl_uint, *const cl::cl_event, *mut cl::cl_event),
) -> ClResult<()> {
    let queue = handle::get::<Queue>(queue)?;
    ensure(object_count > 0 && !objects.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    let objects = unsafe { handle::get_all::<Memory>(object_count, objects) }
        .map_err(|_| ClError(cl::CL_INVALID_MEM_OBJECT))?;
    // SAFETY: by the caller's promise.
    let request = || unsafe { Request::new(&queue, command, false, count, list, event) };
    transfer::migrate(&queue, request, objects, flags)
}

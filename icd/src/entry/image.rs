//! Images (OpenCL API §5.3).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::CL_MEM_IMMUTABLE_EXT;
use crate::abi::{ffi, handle};
use crate::commands::request::Request;
use crate::commands::transfer;
use crate::commands::transfer::ImageHostBox;
use crate::device::context::Context;
use crate::device::queue::Queue;
use crate::entry::buffer;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::entry::memory::memory_properties;
use crate::entry::transfer::three;
use crate::memory::Memory;
use crate::memory::image;
use crate::memory::image::{Kind, Wanted};
use crate::memory::requirements::{Asked, requirements};

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![clGetImageRequirementsInfoEXT,];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateImage = Some(clCreateImage);
    table.clCreateImageWithProperties = Some(clCreateImageWithProperties);
    table.clCreateImage2D = Some(clCreateImage2D);
    table.clCreateImage3D = Some(clCreateImage3D);
    table.clGetSupportedImageFormats = Some(clGetSupportedImageFormats);
    table.clGetImageInfo = Some(clGetImageInfo);
    table.clEnqueueReadImage = Some(clEnqueueReadImage);
    table.clEnqueueWriteImage = Some(clEnqueueWriteImage);
    table.clEnqueueCopyImage = Some(clEnqueueCopyImage);
    table.clEnqueueCopyImageToBuffer = Some(clEnqueueCopyImageToBuffer);
    table.clEnqueueCopyBufferToImage = Some(clEnqueueCopyBufferToImage);
    table.clEnqueueFillImage = Some(clEnqueueFillImage);
    table.clEnqueueMapImage = Some(clEnqueueMapImage);
}

/// The image that a handle names.
///
/// # Errors
/// CL_INVALID_MEM_OBJECT, also for a buffer.
fn image_of(raw: cl::cl_mem) -> ClResult<Arc<Memory>> {
    let memory = handle::get::<Memory>(raw)?;
    memory.form()?;
    Ok(memory)
}

/// A place in an image: behind the coordinates of some images with levels, the level.
///
/// # Safety
/// `place` is NULL or has as many elements as §5.3, "Specifying Mipmap Levels to Image Operations", says of the image; at least three.
///
/// # Errors
/// CL_INVALID_VALUE for NULL.
unsafe fn place(at: *const usize, image: &Memory) -> ClResult<[usize; 4]> {
    // SAFETY: by the caller's promise.
    let [x, y, z] = unsafe { three(at) }?;
    // SAFETY: likewise; `at` is not NULL.
    let level = if image.form()?.has_fourth() { unsafe { at.add(3).read_unaligned() } } else { 0 };
    Ok([x, y, z, level])
}

/// Lists the formats of images.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    kind: cl::cl_mem_object_type,
    entries: cl::cl_uint,
    formats: *mut cl::cl_image_format,
    count: *mut cl::cl_uint,
) -> cl::cl_int {
    entry!(clGetSupportedImageFormats, {
        let context = handle::get::<Context>(context)?;
        ensure(are_flags(flags), cl::CL_INVALID_VALUE)?;
        let kind = Kind::from_object_type(kind).ok_or(ClError(cl::CL_INVALID_VALUE))?;
        ensure(entries > 0 || formats.is_null(), cl::CL_INVALID_VALUE)?;
        let found = image::supported(&context, flags, kind);
        if !formats.is_null() {
            for (index, format) in found.iter().take(entries as usize).enumerate() {
                let format = cl::cl_image_format {
                    image_channel_order: format.order,
                    image_channel_data_type: format.data_type,
                };
                // SAFETY: one of so many entries, by the application's promise.
                unsafe { ffi::write(formats.wrapping_add(index), format) };
            }
        }
        ffi::write(count, cl::cl_uint::try_from(found.len()).unwrap_or(cl::cl_uint::MAX));
        Ok(())
    })
}

/// Tells what an image would demand of its buffer (cl_ext_image_requirements_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetImageRequirementsInfoEXT(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    param: cl::cl_image_requirements_info_ext,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetImageRequirementsInfoEXT, {
        let context = handle::get::<Context>(context)?;
        ensure(are_flags(flags), cl::CL_INVALID_VALUE)?;
        let Wanted { properties, format, desc, .. } =
            wanted(properties, flags, image_format, image_desc, std::ptr::null_mut());
        let reply = requirements(&context, &Asked { properties, format, desc }, param)?;
        reply.give(size, value, size_ret)
    })
}

/// Returns whether flags are valid for a query of formats: known ones, and at most one kind of access.
fn are_flags(flags: cl::cl_mem_flags) -> bool {
    const ACCESS: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE
        | cl::CL_MEM_WRITE_ONLY
        | cl::CL_MEM_READ_ONLY
        | cl::CL_MEM_KERNEL_READ_AND_WRITE;
    const REST: cl::cl_mem_flags = cl::CL_MEM_USE_HOST_PTR
        | cl::CL_MEM_ALLOC_HOST_PTR
        | cl::CL_MEM_COPY_HOST_PTR
        | cl::CL_MEM_HOST_WRITE_ONLY
        | CL_MEM_IMMUTABLE_EXT
        | cl::CL_MEM_HOST_READ_ONLY
        | cl::CL_MEM_HOST_NO_ACCESS;
    flags & !(ACCESS | REST) == 0 && (flags & ACCESS).count_ones() <= 1
}

/// Returns what the application's pointers point to.
///
/// # Safety
/// Each pointer is NULL or points to its structure.
unsafe fn wanted(
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    format: *const cl::cl_image_format,
    desc: *const cl::cl_image_desc,
    host: *mut c_void,
) -> Wanted {
    // SAFETY: by the caller's promise.
    unsafe {
        Wanted {
            properties: memory_properties(properties),
            flags,
            format: (!format.is_null()).then(|| format.read_unaligned()),
            desc: (!desc.is_null()).then(|| desc.read_unaligned()),
            host,
        }
    }
}

/// Makes an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateImage, error, {
        let context = handle::get(context)?;
        let wanted = wanted(std::ptr::null(), flags, image_format, image_desc, host_ptr);
        Memory::create_image(&context, &wanted)
    })
}

/// Makes an image with properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateImageWithProperties, error, {
        let context = handle::get(context)?;
        let wanted = wanted(properties, flags, image_format, image_desc, host_ptr);
        Memory::create_image(&context, &wanted)
    })
}

/// The descriptor of an image of OpenCL 1.1.
fn old_desc(kind: cl::cl_mem_object_type, size: [usize; 3], pitches: [usize; 2]) -> cl::cl_image_desc {
    let none = std::ptr::null_mut();
    cl::cl_image_desc {
        image_type: kind,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        __bindgen_anon_1: cl::_cl_image_desc__bindgen_ty_1 { mem_object: none },
    }
}

/// Returns what was wrong with pitches and sizes in the functions of OpenCL 1.1, which have no descriptor.
fn old_error(error: ClError) -> ClError {
    match error {
        ClError(cl::CL_INVALID_IMAGE_DESCRIPTOR) => ClError(cl::CL_INVALID_IMAGE_SIZE),
        other => other,
    }
}

/// Makes a 2D image, in OpenCL 1.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage2D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateImage2D, error, {
        let context = handle::get(context)?;
        let desc = old_desc(cl::CL_MEM_OBJECT_IMAGE2D, [image_width, image_height, 0], [image_row_pitch, 0]);
        let wanted = wanted(std::ptr::null(), flags, image_format, &desc, host_ptr);
        Memory::create_image(&context, &wanted).map_err(old_error)
    })
}

/// Makes a 3D image, in OpenCL 1.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage3D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
    error: *mut cl::cl_int,
) -> cl::cl_mem {
    entry!(clCreateImage3D, error, {
        let context = handle::get::<Context>(context)?;
        // Where no device has images that is what is said.
        let has_images = context.devices.iter().any(|d| d.caps.images.is_some());
        ensure(image_depth > 1 || !has_images, cl::CL_INVALID_IMAGE_SIZE)?;
        let size = [image_width, image_height, image_depth];
        let desc = old_desc(cl::CL_MEM_OBJECT_IMAGE3D, size, [image_row_pitch, image_slice_pitch]);
        let wanted = wanted(std::ptr::null(), flags, image_format, &desc, host_ptr);
        Memory::create_image(&context, &wanted).map_err(old_error)
    })
}

/// Answers a query about an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetImageInfo(
    image: cl::cl_mem,
    param: cl::cl_image_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetImageInfo, {
        let reply = handle::get::<Memory>(image)?.image_info(param)?;
        reply.give(size, value, size_ret)
    })
}

/// Reads a box of an image to host memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadImage(
    queue: cl::cl_command_queue,
    image: cl::cl_mem,
    blocking: cl::cl_bool,
    origin: *const usize,
    region: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: *mut c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueReadImage, {
        let queue = handle::get::<Queue>(queue)?;
        let image = image_of(image)?;
        queue.context.same(image.context())?;
        let (origin, region) = (place(origin, &image)?, three(region)?);
        let host = ImageHostBox { origin, region, row_pitch, slice_pitch };
        let command = cl::CL_COMMAND_READ_IMAGE;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::read_image(&queue, request, image, &host, UserPointer(ptr))
    })
}

/// Writes a box of host memory to an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteImage(
    queue: cl::cl_command_queue,
    image: cl::cl_mem,
    blocking: cl::cl_bool,
    origin: *const usize,
    region: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: *const c_void,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueWriteImage, {
        let queue = handle::get::<Queue>(queue)?;
        let image = image_of(image)?;
        queue.context.same(image.context())?;
        let (origin, region) = (place(origin, &image)?, three(region)?);
        let host = ImageHostBox { origin, region, row_pitch, slice_pitch };
        let command = cl::CL_COMMAND_WRITE_IMAGE;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        transfer::write_image(&queue, request, image, &host, UserPointer(ptr.cast_mut()))
    })
}

/// Copies a box between images.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImage(
    queue: cl::cl_command_queue,
    src_image: cl::cl_mem,
    dst_image: cl::cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCopyImage, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_COPY_IMAGE;
        let request = || Request::new(&queue, command, false, count, list, event);
        copy(&queue, request, (src_image, src_origin), (dst_image, dst_origin), region)
    })
}

/// A copy between images, wherever it goes.
///
/// # Safety
/// The places are as [`place`] has them, the region is NULL or has three elements.
pub(crate) unsafe fn copy(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, src_origin): (cl::cl_mem, *const usize),
    (dst, dst_origin): (cl::cl_mem, *const usize),
    region: *const usize,
) -> ClResult<()> {
    let (src, dst) = (image_of(src)?, image_of(dst)?);
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    // SAFETY: by the caller's promise.
    let (from, to, region) = unsafe { (place(src_origin, &src)?, place(dst_origin, &dst)?, three(region)?) };
    transfer::copy_image(queue, request, (src, from), (dst, to), region)
}

/// Copies a box of an image to a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: cl::cl_command_queue,
    src_image: cl::cl_mem,
    dst_buffer: cl::cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCopyImageToBuffer, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER;
        let request = || Request::new(&queue, command, false, count, list, event);
        copy_to_buffer(&queue, request, (src_image, src_origin), region, (dst_buffer, dst_offset))
    })
}

/// A copy of an image's box to a buffer, wherever it goes.
///
/// # Safety
/// As [`copy`].
pub(crate) unsafe fn copy_to_buffer(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, origin): (cl::cl_mem, *const usize),
    region: *const usize,
    (dst, offset): (cl::cl_mem, usize),
) -> ClResult<()> {
    let (src, dst) = (image_of(src)?, buffer(dst)?);
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    // SAFETY: by the caller's promise.
    let (from, region) = unsafe { (place(origin, &src)?, three(region)?) };
    transfer::copy_image_to_buffer(queue, request, (src, from), region, (dst, offset))
}

/// Copies bytes of a buffer to a box of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    queue: cl::cl_command_queue,
    src_buffer: cl::cl_mem,
    dst_image: cl::cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueCopyBufferToImage, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE;
        let request = || Request::new(&queue, command, false, count, list, event);
        copy_from_buffer(&queue, request, (src_buffer, src_offset), (dst_image, dst_origin), region)
    })
}

/// A copy of a buffer's bytes to a box of an image, wherever it goes.
///
/// # Safety
/// As [`copy`].
pub(crate) unsafe fn copy_from_buffer(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    (src, offset): (cl::cl_mem, usize),
    (dst, origin): (cl::cl_mem, *const usize),
    region: *const usize,
) -> ClResult<()> {
    let (src, dst) = (buffer(src)?, image_of(dst)?);
    queue.context.same(src.context())?;
    queue.context.same(dst.context())?;
    // SAFETY: by the caller's promise.
    let (to, region) = unsafe { (place(origin, &dst)?, three(region)?) };
    transfer::copy_buffer_to_image(queue, request, (src, offset), (dst, to), region)
}

/// Fills a box of an image with a colour.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueFillImage(
    queue: cl::cl_command_queue,
    image: cl::cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    entry!(clEnqueueFillImage, {
        let queue = handle::get::<Queue>(queue)?;
        let command = cl::CL_COMMAND_FILL_IMAGE;
        let request = || Request::new(&queue, command, false, count, list, event);
        fill_with(&queue, request, image, fill_color, origin, region)
    })
}

/// A fill of an image's box, wherever it goes.
///
/// # Safety
/// As [`copy`]; the colour is NULL or has as many channels of four bytes as the image's form demands.
pub(crate) unsafe fn fill_with(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    image: cl::cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
) -> ClResult<()> {
    let image = image_of(image)?;
    queue.context.same(image.context())?;
    ensure(!fill_color.is_null(), cl::CL_INVALID_VALUE)?;
    // SAFETY: by the caller's promise.
    let (origin, region) = unsafe { (place(origin, &image)?, three(region)?) };
    let mut colour = [0u32; 4];
    // The colour of a depth image is one float.
    let channels = if image.form()?.format.order == cl::CL_DEPTH { 1 } else { 4 };
    for (index, place) in colour.iter_mut().take(channels).enumerate() {
        // SAFETY: so many channels of four bytes, by the caller's promise.
        *place = unsafe { fill_color.cast::<u32>().add(index).read_unaligned() };
    }
    transfer::fill_image(queue, request, image, colour, origin, region)
}

/// Maps a box of an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapImage(
    queue: cl::cl_command_queue,
    image: cl::cl_mem,
    blocking: cl::cl_bool,
    flags: cl::cl_map_flags,
    origin: *const usize,
    region: *const usize,
    row_pitch: *mut usize,
    slice_pitch: *mut usize,
    count: cl::cl_uint,
    list: *const cl::cl_event,
    event: *mut cl::cl_event,
    error: *mut cl::cl_int,
) -> *mut c_void {
    entry!(clEnqueueMapImage, error, {
        let queue = handle::get::<Queue>(queue)?;
        let image = image_of(image)?;
        queue.context.same(image.context())?;
        let place = (place(origin, &image)?, three(region)?);
        ensure(!row_pitch.is_null(), cl::CL_INVALID_VALUE)?;
        let command = cl::CL_COMMAND_MAP_IMAGE;
        let request = || Request::new(&queue, command, blocking != 0, count, list, event);
        let mapped = transfer::map_image(&queue, request, image, flags, place, !slice_pitch.is_null())?;
        ffi::write(row_pitch, mapped.row_pitch);
        ffi::write(slice_pitch, mapped.slice_pitch);
        Ok(mapped.pointer.0)
    })
}

//! The dispatch table of cl_khr_icd: 149 functions in the loader's order.
//!
//! What Pumice does not have yet fails: with the code for an invalid object where the function works on an object that
//! cannot exist yet, else with CL_INVALID_OPERATION.

use std::ffi::c_void;
use std::sync::OnceLock;

use crate::api;
use crate::cl;

/// Entries up to OpenCL 3.0.
const ENTRIES: usize = 149;

/// The table.
#[repr(transparent)]
pub(crate) struct Table([Entry; ENTRIES]);

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Entry(*const c_void);

// SAFETY: an entry is the address of a function, which every thread may call.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

/// A function that returns an error code. It looks at no argument, so that it can stand for any of them: in the C ABIs
/// of the platforms with an ICD loader the caller removes the arguments.
extern "C" fn fail<const CODE: i32>() -> i32 {
    CODE
}

/// clSVMAlloc: NULL is how it fails.
extern "C" fn svm_alloc(_context: usize, _flags: u64, _size: usize, _align: u32) -> *mut c_void {
    std::ptr::null_mut()
}

/// clSVMFree: there is nothing to free.
extern "C" fn svm_free(_context: usize, _pointer: usize) {}

/// Fails a function that makes an object.
///
/// # Safety
/// `error` is NULL or valid.
unsafe fn no_object(error: *mut i32) -> *mut c_void {
    if !error.is_null() {
        // SAFETY: by the caller's promise.
        unsafe { error.write(cl::INVALID_OPERATION) };
    }
    std::ptr::null_mut()
}

unsafe extern "C" fn make1<A>(_: A, e: *mut i32) -> *mut c_void {
    // SAFETY: the API demands NULL or a valid place; the same below.
    unsafe { no_object(e) }
}

unsafe extern "C" fn make2<A, B>(_: A, _: B, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

unsafe extern "C" fn make3<A, B, C>(_: A, _: B, _: C, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

unsafe extern "C" fn make4<A, B, C, D>(_: A, _: B, _: C, _: D, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

unsafe extern "C" fn make5<A, B, C, D, E>(_: A, _: B, _: C, _: D, _: E, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

unsafe extern "C" fn make6<A, B, C, D, E, F>(_: A, _: B, _: C, _: D, _: E, _: F, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

type P = *const c_void;

/// clCreateImage2D.
unsafe extern "C" fn image_2d(
    _: P,
    _: u64,
    _: P,
    _: usize,
    _: usize,
    _: usize,
    _: P,
    e: *mut i32,
) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

/// clCreateImage3D.
unsafe extern "C" fn image_3d(
    _: P,
    _: u64,
    _: P,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: P,
    e: *mut i32,
) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

/// clLinkProgram.
unsafe extern "C" fn link(_: P, _: u32, _: P, _: P, _: u32, _: P, _: P, _: P, e: *mut i32) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

/// clEnqueueMapBuffer.
unsafe extern "C" fn map_buffer(
    _: P,
    _: P,
    _: u32,
    _: u64,
    _: usize,
    _: usize,
    _: u32,
    _: P,
    _: P,
    e: *mut i32,
) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

/// clEnqueueMapImage.
unsafe extern "C" fn map_image(
    _: P,
    _: P,
    _: u32,
    _: u64,
    _: P,
    _: P,
    _: P,
    _: P,
    _: u32,
    _: P,
    _: P,
    e: *mut i32,
) -> *mut c_void {
    // SAFETY: see make1.
    unsafe { no_object(e) }
}

/// The table, made once.
pub(crate) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = [Entry(fail::<{ cl::INVALID_OPERATION }> as *const c_void); ENTRIES];
        for (range, function) in failures() {
            for entry in table.iter_mut().take(range.1 + 1).skip(range.0) {
                *entry = Entry(function);
            }
        }
        for (index, function) in creators().into_iter().chain(implemented()) {
            if let Some(entry) = table.get_mut(index) {
                *entry = Entry(function);
            }
        }
        Table(table)
    })
}

/// Functions on objects that cannot exist: first and last entry, and the function.
fn failures() -> Vec<((usize, usize), P)> {
    let queue = fail::<{ cl::INVALID_COMMAND_QUEUE }> as P;
    let memory = fail::<{ cl::INVALID_MEM_OBJECT }> as P;
    let sampler = fail::<{ cl::INVALID_SAMPLER }> as P;
    let program = fail::<{ cl::INVALID_PROGRAM }> as P;
    let kernel = fail::<{ cl::INVALID_KERNEL }> as P;
    let event = fail::<{ cl::INVALID_EVENT }> as P;
    vec![
        ((10, 13), queue),     // clRetainCommandQueue … clSetCommandQueueProperty
        ((17, 18), memory),    // clRetainMemObject, clReleaseMemObject
        ((20, 21), memory),    // clGetMemObjectInfo, clGetImageInfo
        ((23, 25), sampler),   // clRetainSampler … clGetSamplerInfo
        ((28, 30), program),   // clRetainProgram … clBuildProgram
        ((32, 33), program),   // clGetProgramInfo, clGetProgramBuildInfo
        ((35, 35), program),   // clCreateKernelsInProgram
        ((36, 40), kernel),    // clRetainKernel … clGetKernelWorkGroupInfo
        ((41, 45), event),     // clWaitForEvents … clGetEventProfilingInfo
        ((46, 64), queue),     // clFlush … clEnqueueBarrier
        ((81, 81), event),     // clSetEventCallback
        ((83, 83), memory),    // clSetMemObjectDestructorCallback
        ((85, 85), event),     // clSetUserEventStatus
        ((86, 88), queue),     // clEnqueueReadBufferRect … clEnqueueCopyBufferRect
        ((98, 98), program),   // clCompileProgram
        ((101, 101), kernel),  // clGetKernelArgInfo
        ((102, 106), queue),   // clEnqueueFillBuffer … clEnqueueBarrierWithWaitList
        ((125, 125), memory),  // clGetPipeInfo
        ((128, 132), queue),   // clEnqueueSVMFree … clEnqueueSVMUnmap
        ((134, 136), kernel),  // clSetKernelArgSVMPointer … clGetKernelSubGroupInfoKHR
        ((139, 139), queue),   // clEnqueueSVMMigrateMem
        ((142, 142), kernel),  // clGetKernelSubGroupInfo
        ((144, 145), program), // clSetProgramReleaseCallback, clSetProgramSpecializationConstant
    ]
}

/// Functions that make objects, which there are none of yet.
fn creators() -> Vec<(usize, P)> {
    let mut out = vec![
        (9, make3::<P, P, u64> as P),               // clCreateCommandQueue
        (14, make4::<P, u64, usize, P> as P),       // clCreateBuffer
        (15, image_2d as P),                        // clCreateImage2D
        (16, image_3d as P),                        // clCreateImage3D
        (22, make4::<P, u32, u32, u32> as P),       // clCreateSampler
        (26, make4::<P, u32, P, P> as P),           // clCreateProgramWithSource
        (27, make6::<P, u32, P, P, P, P> as P),     // clCreateProgramWithBinary
        (34, make2::<P, P> as P),                   // clCreateKernel
        (56, map_buffer as P),                      // clEnqueueMapBuffer
        (57, map_image as P),                       // clEnqueueMapImage
        (66, make3::<P, u64, u32> as P),            // clCreateFromGLBuffer
        (67, make5::<P, u64, u32, i32, u32> as P),  // clCreateFromGLTexture2D
        (68, make5::<P, u64, u32, i32, u32> as P),  // clCreateFromGLTexture3D
        (69, make3::<P, u64, u32> as P),            // clCreateFromGLRenderbuffer
        (76, make3::<P, u64, P> as P),              // clCreateFromD3D10BufferKHR
        (82, make4::<P, u64, u32, P> as P),         // clCreateSubBuffer
        (84, make1::<P> as P),                      // clCreateUserEvent
        (92, make2::<P, P> as P),                   // clCreateEventFromGLsyncKHR
        (96, make5::<P, u64, P, P, P> as P),        // clCreateImage
        (97, make4::<P, u32, P, P> as P),           // clCreateProgramWithBuiltInKernels
        (99, link as P),                            // clLinkProgram
        (108, make5::<P, u64, u32, i32, u32> as P), // clCreateFromGLTexture
        (110, make3::<P, u64, P> as P),             // clCreateFromD3D11BufferKHR
        (113, make4::<P, u64, u32, P> as P),        // clCreateFromDX9MediaSurfaceKHR
        (119, make5::<P, P, P, u64, P> as P),       // clCreateFromEGLImageKHR
        (122, make3::<P, P, P> as P),               // clCreateEventFromEGLSyncKHR
        (123, make3::<P, P, P> as P),               // clCreateCommandQueueWithProperties
        (124, make5::<P, u64, u32, u32, P> as P),   // clCreatePipe
        (126, svm_alloc as P),                      // clSVMAlloc
        (127, svm_free as P),                       // clSVMFree
        (133, make2::<P, P> as P),                  // clCreateSamplerWithProperties
        (137, make1::<P> as P),                     // clCloneKernel
        (138, make3::<P, P, usize> as P),           // clCreateProgramWithIL
        (146, make5::<P, P, u64, usize, P> as P),   // clCreateBufferWithProperties
        (147, make6::<P, P, u64, P, P, P> as P),    // clCreateImageWithProperties
    ];
    // The D3D10 and D3D11 textures: context, flags, resource, subresource.
    out.extend([77, 78, 111, 112].map(|i| (i, make4::<P, u64, P, u32> as P)));
    out
}

/// What is there.
fn implemented() -> Vec<(usize, P)> {
    vec![
        (0, api::get_platform_ids as P),
        (1, api::get_platform_info as P),
        (2, api::get_device_ids as P),
        (3, api::get_device_info as P),
        (4, api::create_context as P),
        (5, api::create_context_from_type as P),
        (6, api::retain_context as P),
        (7, api::release_context as P),
        (8, api::get_context_info as P),
        (65, api::get_extension_function_address as P),
        (90, api::retain_release_device as P), // clRetainDeviceEXT
        (91, api::retain_release_device as P), // clReleaseDeviceEXT
        (94, api::retain_release_device as P), // clRetainDevice
        (95, api::retain_release_device as P), // clReleaseDevice
        (107, api::get_extension_function_address_for_platform as P),
    ]
}

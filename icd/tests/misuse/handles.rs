//! Every parameter that is a handle, with everything that is no such handle.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::device::*;
use pumice::entry::event::*;
use pumice::entry::extension::*;
use pumice::entry::gl::*;
use pumice::entry::image::*;
use pumice::entry::kernel::*;
use pumice::entry::launch::*;
use pumice::entry::memory::*;
use pumice::entry::pipe::*;
use pumice::entry::platform::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;
use pumice::entry::sampler::*;
use pumice::entry::svm::*;

use crate::world::{Handle, Kind, SIZE, Verdict, World, made};

type Call<'a> = Box<dyn Fn(Handle) -> i32 + 'a>;

/// A function with one of its handles left open.
struct Row<'a> {
    name: &'static str,
    kind: Kind,
    /// What the call gives with a good handle; `None` where that call would change the object.
    right: Option<i32>,
    call: Call<'a>,
}

fn row<'a>(name: &'static str, kind: Kind, right: Option<i32>, call: impl Fn(Handle) -> i32 + 'a) -> Row<'a> {
    Row { name, kind, right, call: Box::new(call) }
}

fn check(world: &World, verdict: &mut Verdict, rows: &[Row]) {
    for row in rows {
        if let Some(right) = row.right {
            verdict.expect(row.name, "all good", (row.call)(world.handle(row.kind)), right);
        }
        for (what, handle) in world.bad(row.kind) {
            verdict.expect(row.name, what, (row.call)(handle), row.kind.code());
        }
    }
}

const OK: Option<i32> = Some(0);
const REFUSED: Option<i32> = Some(cl::CL_INVALID_OPERATION);
/// A context that shares nothing with OpenGL.
const NOT_SHARED: Option<i32> = Some(cl::CL_INVALID_CONTEXT);
/// The functions have no errors but those of the handle; the query's number is none.
const NO_QUERY: Option<i32> = Some(cl::CL_INVALID_VALUE);

unsafe extern "C" fn ignore(_: Handle, _: *mut c_void) {}
unsafe extern "C" fn ignore_event(_: Handle, _: i32, _: *mut c_void) {}

pub fn platforms_and_devices(w: &World, verdict: &mut Verdict) {
    let (mut n, mut time) = (0u32, 0u64);
    let (n, time) = (&raw mut n, &raw mut time);
    use Kind::{Device, Platform};
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    let rows = unsafe {
        [
            row("clGetPlatformInfo", Platform, NO_QUERY, |h| {
                clGetPlatformInfo(h, 0, 0, null_mut(), null_mut())
            }),
            row("clGetDeviceIDs", Platform, OK, |h| {
                clGetDeviceIDs(h, cl::CL_DEVICE_TYPE_ALL, 0, null_mut(), n)
            }),
            row("clUnloadPlatformCompiler", Platform, OK, |h| clUnloadPlatformCompiler(h)),
            row("clIcdSetPlatformDispatchDataKHR", Platform, OK, |h| {
                clIcdSetPlatformDispatchDataKHR(h, null_mut())
            }),
            row("clGetDeviceInfo", Device, NO_QUERY, |h| clGetDeviceInfo(h, 0, 0, null_mut(), null_mut())),
            row("clCreateSubDevices", Device, NO_QUERY, |h| clCreateSubDevices(h, null(), 0, null_mut(), n)),
            row("clCreateSubDevicesEXT", Device, NO_QUERY, |h| {
                clCreateSubDevicesEXT(h, null(), 0, null_mut(), n)
            }),
            row("clRetainDevice", Device, OK, |h| clRetainDevice(h)),
            row("clReleaseDevice", Device, OK, |h| clReleaseDevice(h)),
            row("clRetainDeviceEXT", Device, OK, |h| clRetainDeviceEXT(h)),
            row("clReleaseDeviceEXT", Device, OK, |h| clReleaseDeviceEXT(h)),
            row("clGetDeviceAndHostTimer", Device, OK, |h| clGetDeviceAndHostTimer(h, time, time)),
            row("clGetHostTimer", Device, OK, |h| clGetHostTimer(h, time)),
            row("clCreateContext", Device, None, |h| {
                made(|e| clCreateContext(null(), 1, &h, None, null_mut(), e))
            }),
        ]
    };
    check(w, verdict, &rows);
    for (what, handle) in w.bad(Platform) {
        // SAFETY: strings.
        unsafe {
            let name = c"clGetDeviceIDs".as_ptr();
            let found = clGetExtensionFunctionAddressForPlatform(handle, name);
            verdict.holds("clGetExtensionFunctionAddressForPlatform", &what, found.is_null());
            let found = clIcdGetFunctionAddressForPlatformKHR(handle, name);
            verdict.holds("clIcdGetFunctionAddressForPlatformKHR", &what, found.is_null());
        }
        let list = [cl::CL_CONTEXT_PLATFORM, handle.addr().cast_signed(), 0];
        // SAFETY: the list is whole.
        let code = unsafe {
            made(|e| clCreateContextFromType(list.as_ptr(), cl::CL_DEVICE_TYPE_ALL, None, null_mut(), e))
        };
        verdict.expect("clCreateContextFromType's platform", &what, code, cl::CL_INVALID_PLATFORM);
    }
}

/// Returns what a function of images gives for arguments that are wrong: on a device without images it is refused before.
fn images(w: &World, code: i32) -> Option<i32> {
    let mut has = 0u32;
    // SAFETY: room for the answer.
    let asked = unsafe {
        clGetDeviceInfo(w.device, cl::CL_DEVICE_IMAGE_SUPPORT, 4, (&raw mut has).cast(), null_mut())
    };
    assert_eq!(asked, 0);
    if has == 0 { REFUSED } else { Some(code) }
}

/// Returns what a function gives that takes a device queue for one of the host's; a device without such queues refuses before.
fn device_queues(w: &World) -> Option<i32> {
    let mut has = 0u64;
    let param = cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES;
    // SAFETY: room for the answer.
    let asked = unsafe { clGetDeviceInfo(w.device, param, 8, (&raw mut has).cast(), null_mut()) };
    assert_eq!(asked, 0);
    if has == 0 { REFUSED } else { Some(cl::CL_INVALID_COMMAND_QUEUE) }
}

pub fn contexts(w: &World, verdict: &mut Verdict) {
    let (d, mut n) = (w.device, 0u32);
    let images = |code| images(w, code);
    let n = &raw mut n;
    let (source, length) = (c"".as_ptr(), 0usize);
    use Kind::{Context, Device, Program};
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    let rows = unsafe {
        [
            row("clRetainContext", Context, None, |h| clRetainContext(h)),
            row("clReleaseContext", Context, None, |h| clReleaseContext(h)),
            row("clGetContextInfo", Context, NO_QUERY, |h| clGetContextInfo(h, 0, 0, null_mut(), null_mut())),
            row("clSetPerfHintQCOM", Context, OK, |h| clSetPerfHintQCOM(h, 0x40C4)),
            row("clSetContextDestructorCallback", Context, OK, |h| {
                clSetContextDestructorCallback(h, Some(ignore), null_mut())
            }),
            row("clCreateCommandQueue", Context, None, |h| made(|e| clCreateCommandQueue(h, d, 0, e))),
            row("clCreateCommandQueue's device", Device, None, |h| {
                made(|e| clCreateCommandQueue(w.here.context, h, 0, e))
            }),
            row("clCreateCommandQueueWithProperties", Context, None, |h| {
                made(|e| clCreateCommandQueueWithProperties(h, d, null(), e))
            }),
            row("clCreateCommandQueueWithProperties' device", Device, None, |h| {
                made(|e| clCreateCommandQueueWithProperties(w.here.context, h, null(), e))
            }),
            row("clCreateBuffer", Context, None, |h| made(|e| clCreateBuffer(h, 0, SIZE, null_mut(), e))),
            row("clCreateBufferWithProperties", Context, None, |h| {
                made(|e| clCreateBufferWithProperties(h, null(), 0, SIZE, null_mut(), e))
            }),
            row("clCreateUserEvent", Context, None, |h| made(|e| clCreateUserEvent(h, e))),
            row("clCreateProgramWithSource", Context, None, |h| {
                made(|e| clCreateProgramWithSource(h, 1, (&raw const source).cast_mut(), &length, e))
            }),
            row("clCreateProgramWithIL", Context, NO_QUERY, |h| {
                made(|e| clCreateProgramWithIL(h, (&raw const length).cast(), 8, e))
            }),
            row("clCreateProgramWithBuiltInKernels", Context, NO_QUERY, |h| {
                made(|e| clCreateProgramWithBuiltInKernels(h, 1, &d, c"none".as_ptr(), e))
            }),
            row("clCreateProgramWithBuiltInKernels' device", Device, None, |h| {
                made(|e| clCreateProgramWithBuiltInKernels(w.here.context, 1, &h, c"none".as_ptr(), e))
            }),
            row("clLinkProgram", Context, None, |h| {
                made(|e| clLinkProgram(h, 0, null(), null(), 1, &w.here.program, None, null_mut(), e))
            }),
            row("clLinkProgram's device", Device, None, |h| {
                let context = w.here.context;
                made(|e| clLinkProgram(context, 1, &h, null(), 1, &w.here.program, None, null_mut(), e))
            }),
            row("clLinkProgram's input", Program, None, |h| {
                made(|e| clLinkProgram(w.here.context, 0, null(), null(), 1, &h, None, null_mut(), e))
            }),
            row("clSetDefaultDeviceCommandQueue", Context, device_queues(w), |h| {
                clSetDefaultDeviceCommandQueue(h, d, w.here.queue)
            }),
            row("clSetDefaultDeviceCommandQueue's device", Device, device_queues(w), |h| {
                clSetDefaultDeviceCommandQueue(w.here.context, h, w.here.queue)
            }),
            row("clCreateImage", Context, images(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR), |h| {
                made(|e| clCreateImage(h, 0, null(), null(), null_mut(), e))
            }),
            row(
                "clCreateImageWithProperties",
                Context,
                images(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
                |h| made(|e| clCreateImageWithProperties(h, null(), 0, null(), null(), null_mut(), e)),
            ),
            row("clCreateImage2D", Context, images(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR), |h| {
                made(|e| clCreateImage2D(h, 0, null(), 1, 1, 0, null_mut(), e))
            }),
            row("clCreateImage3D", Context, images(cl::CL_INVALID_IMAGE_SIZE), |h| {
                made(|e| clCreateImage3D(h, 0, null(), 1, 1, 1, 0, 0, null_mut(), e))
            }),
            row("clGetImageRequirementsInfoEXT", Context, OK, |h| {
                clGetImageRequirementsInfoEXT(h, null(), 0, null(), null(), 0x1290, 0, null_mut(), null_mut())
            }),
            row("clGetSupportedImageFormats", Context, OK, |h| {
                clGetSupportedImageFormats(h, 0, cl::CL_MEM_OBJECT_IMAGE2D, 0, null_mut(), n)
            }),
            row("clCreateSampler", Context, images(cl::CL_INVALID_VALUE), |h| {
                made(|e| clCreateSampler(h, 0, 0, 0, e))
            }),
            row("clCreateSamplerWithProperties", Context, None, |h| {
                made(|e| clCreateSamplerWithProperties(h, null(), e))
            }),
            row("clCreatePipe", Context, None, |h| made(|e| clCreatePipe(h, 0, 4, 4, null(), e))),
            row("clCreateFromGLBuffer", Context, NOT_SHARED, |h| made(|e| clCreateFromGLBuffer(h, 0, 1, e))),
            row("clCreateFromGLTexture", Context, NOT_SHARED, |h| {
                made(|e| clCreateFromGLTexture(h, 0, 1, 0, 1, e))
            }),
            row("clCreateFromGLTexture2D", Context, NOT_SHARED, |h| {
                made(|e| clCreateFromGLTexture2D(h, 0, 1, 0, 1, e))
            }),
            row("clCreateFromGLTexture3D", Context, NOT_SHARED, |h| {
                made(|e| clCreateFromGLTexture3D(h, 0, 1, 0, 1, e))
            }),
            row("clCreateFromGLRenderbuffer", Context, NOT_SHARED, |h| {
                made(|e| clCreateFromGLRenderbuffer(h, 0, 1, e))
            }),
        ]
    };
    check(w, verdict, &rows);
    for (what, handle) in w.bad(Context) {
        // SAFETY: nothing but handles.
        unsafe {
            verdict.holds("clSVMAlloc", &what, clSVMAlloc(handle, 0, 64, 0).is_null());
            // Returns nothing: no crash is all there is to see.
            clSVMFree(handle, null_mut());
            verdict.holds("clSVMFree", &what, true);
        }
    }
}

pub fn memory_objects(w: &World, verdict: &mut Verdict) {
    let region = cl::cl_buffer_region { origin: 0, size: 64 };
    let region = (&raw const region).cast();
    use Kind::Memory;
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    let rows = unsafe {
        [
            row("clRetainMemObject", Memory, None, |h| clRetainMemObject(h)),
            row("clReleaseMemObject", Memory, None, |h| clReleaseMemObject(h)),
            row("clGetMemObjectInfo", Memory, NO_QUERY, |h| {
                clGetMemObjectInfo(h, 0, 0, null_mut(), null_mut())
            }),
            row("clSetMemObjectDestructorCallback", Memory, OK, |h| {
                clSetMemObjectDestructorCallback(h, Some(ignore), null_mut())
            }),
            row("clCreateSubBuffer", Memory, None, |h| {
                made(|e| clCreateSubBuffer(h, 0, cl::CL_BUFFER_CREATE_TYPE_REGION, region, e))
            }),
            row("clGetImageInfo", Memory, Some(cl::CL_INVALID_MEM_OBJECT), |h| {
                clGetImageInfo(h, cl::CL_IMAGE_WIDTH, 0, null_mut(), null_mut())
            }),
            row("clGetPipeInfo", Memory, Some(cl::CL_INVALID_MEM_OBJECT), |h| {
                clGetPipeInfo(h, cl::CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut())
            }),
        ]
    };
    check(w, verdict, &rows);
    for (what, handle) in w.bad(Memory) {
        // SAFETY: handles, NULL.
        unsafe {
            verdict.expect("clRetainSampler", &what, clRetainSampler(handle), cl::CL_INVALID_SAMPLER);
            verdict.expect("clReleaseSampler", &what, clReleaseSampler(handle), cl::CL_INVALID_SAMPLER);
            let code = clGetSamplerInfo(handle, 0, 0, null_mut(), null_mut());
            verdict.expect("clGetSamplerInfo", &what, code, cl::CL_INVALID_SAMPLER);
            let code = clGetGLObjectInfo(handle, null_mut(), null_mut());
            verdict.expect("clGetGLObjectInfo", &what, code, cl::CL_INVALID_MEM_OBJECT);
            let code = clGetGLTextureInfo(handle, 0, 0, null_mut(), null_mut());
            verdict.expect("clGetGLTextureInfo", &what, code, cl::CL_INVALID_MEM_OBJECT);
        }
    }
}

pub fn programs_and_kernels(w: &World, verdict: &mut Verdict) {
    let (k, q, d) = (w.here.kernel, w.here.queue, w.device);
    let (global, mut local, mut n) = (8usize, 0usize, 0u32);
    let (local, n) = (&raw mut local, &raw mut n);
    use Kind::{Device, Kernel, Program, Queue};
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    let rows = unsafe {
        [
            row("clRetainProgram", Program, None, |h| clRetainProgram(h)),
            row("clReleaseProgram", Program, None, |h| clReleaseProgram(h)),
            row("clBuildProgram", Program, None, |h| clBuildProgram(h, 0, null(), null(), None, null_mut())),
            row("clBuildProgram's device", Device, None, |h| {
                clBuildProgram(w.here.program, 1, &h, null(), None, null_mut())
            }),
            row("clCompileProgram", Program, None, |h| {
                clCompileProgram(h, 0, null(), null(), 0, null(), null_mut(), None, null_mut())
            }),
            row("clCompileProgram's device", Device, None, |h| {
                clCompileProgram(w.here.program, 1, &h, null(), 0, null(), null_mut(), None, null_mut())
            }),
            row("clGetProgramInfo", Program, NO_QUERY, |h| clGetProgramInfo(h, 0, 0, null_mut(), null_mut())),
            row("clGetProgramBuildInfo", Program, NO_QUERY, |h| {
                clGetProgramBuildInfo(h, d, 0, 0, null_mut(), null_mut())
            }),
            row("clGetProgramBuildInfo's device", Device, NO_QUERY, |h| {
                clGetProgramBuildInfo(w.here.program, h, 0, 0, null_mut(), null_mut())
            }),
            row("clSetProgramSpecializationConstant", Program, None, |h| {
                clSetProgramSpecializationConstant(h, 0, 4, local.cast())
            }),
            row("clSetProgramReleaseCallback", Program, None, |h| {
                clSetProgramReleaseCallback(h, Some(ignore), null_mut())
            }),
            row("clCreateKernel", Program, None, |h| made(|e| clCreateKernel(h, c"k".as_ptr(), e))),
            row("clCreateKernelsInProgram", Program, OK, |h| clCreateKernelsInProgram(h, 0, null_mut(), n)),
            row("clCloneKernel", Kernel, None, |h| made(|e| clCloneKernel(h, e))),
            row("clRetainKernel", Kernel, None, |h| clRetainKernel(h)),
            row("clReleaseKernel", Kernel, None, |h| clReleaseKernel(h)),
            row("clSetKernelArg", Kernel, OK, |h| clSetKernelArg(h, 1, 4, (&raw const global).cast())),
            row("clSetKernelArgSVMPointer", Kernel, None, |h| clSetKernelArgSVMPointer(h, 0, null())),
            row("clSetKernelArgDevicePointerEXT", Kernel, None, |h| clSetKernelArgDevicePointerEXT(h, 0, 0)),
            row("clSetKernelExecInfo", Kernel, NO_QUERY, |h| clSetKernelExecInfo(h, 0, 0, null())),
            row("clGetKernelInfo", Kernel, NO_QUERY, |h| clGetKernelInfo(h, 0, 0, null_mut(), null_mut())),
            row("clGetKernelArgInfo", Kernel, NO_QUERY, |h| {
                clGetKernelArgInfo(h, 0, 0, 0, null_mut(), null_mut())
            }),
            row("clGetKernelWorkGroupInfo", Kernel, NO_QUERY, |h| {
                clGetKernelWorkGroupInfo(h, d, 0, 0, null_mut(), null_mut())
            }),
            row("clGetKernelSubGroupInfo", Kernel, Some(no_sub_group_query(d)), |h| {
                clGetKernelSubGroupInfo(h, d, 0, 0, null(), 0, null_mut(), null_mut())
            }),
            row("clGetKernelSuggestedLocalWorkSize", Kernel, OK, |h| {
                clGetKernelSuggestedLocalWorkSize(q, h, 1, null(), &global, local)
            }),
            row("clGetKernelSuggestedLocalWorkSize's queue", Queue, OK, |h| {
                clGetKernelSuggestedLocalWorkSize(h, k, 1, null(), &global, local)
            }),
            row("clEnqueueNDRangeKernel", Kernel, OK, |h| {
                clEnqueueNDRangeKernel(q, h, 1, null(), &global, null(), 0, null(), null_mut())
            }),
            row("clEnqueueTask", Kernel, OK, |h| clEnqueueTask(q, h, 0, null(), null_mut())),
        ]
    };
    check(w, verdict, &rows);
    // One device: NULL stands for it (§5.9.3).
    for (what, handle) in w.bad(Device) {
        let expected = if handle.is_null() { cl::CL_INVALID_VALUE } else { cl::CL_INVALID_DEVICE };
        // SAFETY: handles, NULL.
        let code = unsafe { clGetKernelWorkGroupInfo(k, handle, 0, 0, null_mut(), null_mut()) };
        verdict.expect("clGetKernelWorkGroupInfo's device", &what, code, expected);
        let expected = if handle.is_null() { no_sub_group_query(d) } else { cl::CL_INVALID_DEVICE };
        // SAFETY: as above.
        let code = unsafe { clGetKernelSubGroupInfo(k, handle, 0, 0, null(), 0, null_mut(), null_mut()) };
        verdict.expect("clGetKernelSubGroupInfo's device", &what, code, expected);
    }
}

/// Returns what a query about sub-groups gives that there is not: on a device without them, every query's code (§5.9.4).
pub fn no_sub_group_query(device: *mut std::ffi::c_void) -> i32 {
    let mut most = 0u32;
    let place = (&raw mut most).cast();
    // SAFETY: four bytes.
    let code = unsafe { clGetDeviceInfo(device, cl::CL_DEVICE_MAX_NUM_SUB_GROUPS, 4, place, null_mut()) };
    assert_eq!(code, 0);
    if most == 0 { cl::CL_INVALID_OPERATION } else { cl::CL_INVALID_VALUE }
}

pub fn queues_and_events(w: &World, verdict: &mut Verdict) {
    let profiling = Some(cl::CL_PROFILING_INFO_NOT_AVAILABLE);
    use Kind::{Event, Queue};
    // SAFETY: apart from handles, which need no promise, all pointers are NULL or valid.
    let rows = unsafe {
        [
            row("clRetainCommandQueue", Queue, None, |h| clRetainCommandQueue(h)),
            row("clReleaseCommandQueue", Queue, None, |h| clReleaseCommandQueue(h)),
            row("clGetCommandQueueInfo", Queue, NO_QUERY, |h| {
                clGetCommandQueueInfo(h, 0, 0, null_mut(), null_mut())
            }),
            row("clSetCommandQueueProperty", Queue, REFUSED, |h| {
                clSetCommandQueueProperty(h, 0, 1, null_mut())
            }),
            row("clFlush", Queue, OK, |h| clFlush(h)),
            row("clFinish", Queue, OK, |h| clFinish(h)),
            row("clRetainEvent", Event, None, |h| clRetainEvent(h)),
            row("clReleaseEvent", Event, None, |h| clReleaseEvent(h)),
            row("clWaitForEvents", Event, OK, |h| clWaitForEvents(1, &h)),
            row("clGetEventInfo", Event, NO_QUERY, |h| clGetEventInfo(h, 0, 0, null_mut(), null_mut())),
            row("clGetEventProfilingInfo", Event, profiling, |h| {
                clGetEventProfilingInfo(h, cl::CL_PROFILING_COMMAND_START, 0, null_mut(), null_mut())
            }),
            row("clSetUserEventStatus", Event, REFUSED, |h| clSetUserEventStatus(h, 0)),
            row("clSetEventCallback", Event, OK, |h| {
                clSetEventCallback(h, cl::CL_COMPLETE, Some(ignore_event), null_mut())
            }),
        ]
    };
    check(w, verdict, &rows);
}

//! The lists of errors of platforms, devices, contexts (§4), command queues (§5.1), programs (§5.8) and events (§5.11).

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::device::*;
use pumice::entry::event::*;
use pumice::entry::extension::*;
use pumice::entry::image::*;
use pumice::entry::kernel::*;
use pumice::entry::platform::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;

use crate::world::{Handle, Kind, Verdict, World, good, made};

const VALUE: i32 = cl::CL_INVALID_VALUE;

unsafe extern "C" fn complain(_: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {}

/// Something for callbacks' data.
fn data() -> *mut c_void {
    std::ptr::without_provenance_mut(8)
}

/// §4.1 to §4.3, cl_khr_icd.
pub fn discovery(w: &World, v: &mut Verdict) {
    let (p, d) = (w.platform, w.device);
    let (mut place, mut n, mut time) = (null_mut(), 0u32, 0u64);
    let (place, n, time) = (&raw mut place, &raw mut n, &raw mut time);
    // SAFETY: places are valid or NULL.
    unsafe {
        for (name, get) in [
            ("clGetPlatformIDs", clGetPlatformIDs as unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32),
            ("clIcdGetPlatformIDsKHR", clIcdGetPlatformIDsKHR),
        ] {
            v.expect(name, "all right", get(1, place, n), 0);
            v.expect(name, "room for none", get(0, place, n), VALUE);
            v.expect(name, "no places", get(0, null_mut(), null_mut()), VALUE);
            v.expect(name, "no places for one", get(1, null_mut(), null_mut()), VALUE);
        }
        const ALL: u64 = cl::CL_DEVICE_TYPE_ALL;
        v.expect("clGetDeviceIDs", "all right", clGetDeviceIDs(p, ALL, 1, place, null_mut()), 0);
        v.expect("clGetDeviceIDs", "room for none", clGetDeviceIDs(p, ALL, 0, place, n), VALUE);
        v.expect("clGetDeviceIDs", "no places", clGetDeviceIDs(p, ALL, 0, null_mut(), null_mut()), VALUE);
        const KIND: i32 = cl::CL_INVALID_DEVICE_TYPE;
        for kind in [0, 1 << 5, 1 << 31, 1 << 40, ALL << 1] {
            let code = clGetDeviceIDs(p, kind, 1, place, n);
            v.expect("clGetDeviceIDs", format!("type {kind:#x}"), code, KIND);
            let code = made(|e| clCreateContextFromType(null(), kind, None, null_mut(), e));
            v.expect("clCreateContextFromType", format!("type {kind:#x}"), code, KIND);
        }
        const CUSTOM: u64 = cl::CL_DEVICE_TYPE_CUSTOM;
        const NONE: i32 = cl::CL_DEVICE_NOT_FOUND;
        v.expect("clGetDeviceIDs", "none of the type", clGetDeviceIDs(p, CUSTOM, 1, place, n), NONE);
        let code = made(|e| clCreateContextFromType(null(), CUSTOM, None, null_mut(), e));
        v.expect("clCreateContextFromType", "none of the type", code, NONE);
        let both = clGetDeviceAndHostTimer;
        v.expect("clGetDeviceAndHostTimer", "no device's time", both(d, null_mut(), time), VALUE);
        v.expect("clGetDeviceAndHostTimer", "no host's time", both(d, time, null_mut()), VALUE);
        v.expect("clGetHostTimer", "no place", clGetHostTimer(d, null_mut()), VALUE);
        // Vulkan devices have no parts: no partition is supported (§4.3).
        for list in
            [[cl::CL_DEVICE_PARTITION_EQUALLY, 1, 0], [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, 0], [77, 1, 0]]
        {
            let code = clCreateSubDevices(d, list.as_ptr(), 1, place, n);
            v.expect("clCreateSubDevices", format!("{list:?}"), code, VALUE);
        }
        v.expect("clUnloadCompiler", "at any time", clUnloadCompiler(), 0);
    }
    names(w, v);
}

/// §4.5: NULL for functions that there are not, and for no name.
fn names(w: &World, v: &mut Verdict) {
    for name in ["", "clNoSuchFunction", "main", "clgetdeviceids", "clGetDeviceIDs ", "\u{e9}\u{1f}%n%s"] {
        let text = format!("{name}\0");
        let at = text.as_ptr().cast::<c_char>();
        // SAFETY: a string.
        let found = unsafe {
            [
                ("clGetExtensionFunctionAddress", clGetExtensionFunctionAddress(at)),
                (
                    "clGetExtensionFunctionAddressForPlatform",
                    clGetExtensionFunctionAddressForPlatform(w.platform, at),
                ),
                (
                    "clIcdGetFunctionAddressForPlatformKHR",
                    clIcdGetFunctionAddressForPlatformKHR(w.platform, at),
                ),
            ]
        };
        found.iter().for_each(|(f, at)| v.holds(f, name, at.is_null()));
    }
    // SAFETY: NULL, strings.
    unsafe {
        v.holds("clGetExtensionFunctionAddress", "NULL", clGetExtensionFunctionAddress(null()).is_null());
        let at = clGetExtensionFunctionAddressForPlatform(w.platform, null());
        v.holds("clGetExtensionFunctionAddressForPlatform", "NULL", at.is_null());
        let at = clGetExtensionFunctionAddressForPlatform(null_mut(), c"clGetDeviceIDs".as_ptr());
        v.holds("clGetExtensionFunctionAddressForPlatform", "no platform", at.is_null());
        let at = clIcdGetFunctionAddressForPlatformKHR(w.platform, null());
        v.holds("clIcdGetFunctionAddressForPlatformKHR", "NULL", at.is_null());
        v.expect("pumiceLiveObjectsPUMICE", "NULL", pumiceLiveObjectsPUMICE(null()) as i32, -1);
        v.expect("pumiceLiveObjectsPUMICE", "no kind", pumiceLiveObjectsPUMICE(c"x".as_ptr()) as i32, -1);
    }
}

/// §4.4.
pub fn contexts(w: &World, v: &mut Verdict) {
    let d = w.device;
    const PLATFORM: isize = cl::CL_CONTEXT_PLATFORM;
    const SYNC: isize = cl::CL_CONTEXT_INTEROP_USER_SYNC;
    const PROPERTY: i32 = cl::CL_INVALID_PROPERTY;
    let p = w.platform.addr().cast_signed();
    let lists: [(&str, &[isize], i32); 7] = [
        ("an unknown property", &[77, 0, 0], PROPERTY),
        ("a property of an extension that is not there", &[0x4101, 1, 0], PROPERTY),
        ("an unknown hint", &[0x40C2, 0x40C6, 0], PROPERTY),
        ("a property that is there twice", &[PLATFORM, p, PLATFORM, p, 0], PROPERTY),
        ("no boolean", &[SYNC, 2, 0], PROPERTY),
        ("no platform", &[PLATFORM, 0x1234, 0], cl::CL_INVALID_PLATFORM),
        ("a device for a platform", &[PLATFORM, d.addr().cast_signed(), 0], cl::CL_INVALID_PLATFORM),
    ];
    // SAFETY: lists are whole; places are valid or NULL.
    unsafe {
        for (what, list, expected) in lists {
            let code = made(|e| clCreateContext(list.as_ptr(), 1, &d, None, null_mut(), e));
            v.expect("clCreateContext", what, code, expected);
            let kind = cl::CL_DEVICE_TYPE_ALL;
            let code = made(|e| clCreateContextFromType(list.as_ptr(), kind, None, null_mut(), e));
            v.expect("clCreateContextFromType", what, code, expected);
        }
        let code = made(|e| clCreateContext(null(), 1, null(), None, null_mut(), e));
        v.expect("clCreateContext", "no devices", code, VALUE);
        let code = made(|e| clCreateContext(null(), 0, &d, None, null_mut(), e));
        v.expect("clCreateContext", "none of the devices", code, VALUE);
        let code = made(|e| clCreateContext(null(), 1, &d, None, data(), e));
        v.expect("clCreateContext", "data without a function", code, VALUE);
        let code = made(|e| clCreateContextFromType(null(), cl::CL_DEVICE_TYPE_ALL, None, data(), e));
        v.expect("clCreateContextFromType", "data without a function", code, VALUE);
        let two = [d, null_mut()];
        let code = made(|e| clCreateContext(null(), 2, two.as_ptr(), None, null_mut(), e));
        v.expect("clCreateContext", "a bad second device", code, cl::CL_INVALID_DEVICE);
        let code = clSetPerfHintQCOM(w.here.context, 0x40C6);
        v.expect("clSetPerfHintQCOM", "an unknown hint", code, VALUE);
        let code = clSetContextDestructorCallback(w.here.context, None, data());
        v.expect("clSetContextDestructorCallback", "no function", code, VALUE);
        // The place of the code may be NULL everywhere; a device may be there twice.
        v.holds(
            "clCreateContext",
            "no place",
            clCreateContext(null(), 0, null(), None, null_mut(), null_mut()).is_null(),
        );
        let twice = [d, d];
        let context = clCreateContext(null(), 2, twice.as_ptr(), Some(complain), data(), null_mut());
        v.holds("clCreateContext", "a device twice", !context.is_null());
        v.expect("clReleaseContext", "once", clReleaseContext(context), 0);
        v.expect("clReleaseContext", "twice", clReleaseContext(context), cl::CL_INVALID_CONTEXT);
        v.expect("clRetainContext", "released", clRetainContext(context), cl::CL_INVALID_CONTEXT);
    }
}

/// §5.1.
pub fn queues(w: &World, v: &mut Verdict) {
    let (c, d) = (w.here.context, w.device);
    const PROPERTIES: u64 = cl::CL_QUEUE_PROPERTIES as u64;
    const DEVICE_QUEUE: u64 = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const UNSUPPORTED: i32 = cl::CL_INVALID_QUEUE_PROPERTIES;
    let lists: [(&str, &[u64], i32); 9] = [
        ("an unknown property", &[77, 0, 0], VALUE),
        ("unknown bits", &[PROPERTIES, 1 << 20, 0], VALUE),
        ("a property that is there twice", &[PROPERTIES, 0, PROPERTIES, 0, 0], VALUE),
        ("the size of a host queue", &[cl::CL_QUEUE_SIZE as u64, 64, 0], VALUE),
        ("a device queue that is in order", &[PROPERTIES, cl::CL_QUEUE_ON_DEVICE, 0], VALUE),
        ("the default queue on the host", &[PROPERTIES, cl::CL_QUEUE_ON_DEVICE_DEFAULT, 0], VALUE),
        (
            "a device queue that is too large",
            &[PROPERTIES, DEVICE_QUEUE, cl::CL_QUEUE_SIZE as u64, 1 << 40, 0],
            UNSUPPORTED,
        ),
        ("no priority", &[cl::CL_QUEUE_PRIORITY_KHR, 3, 0], VALUE),
        ("no throttle", &[cl::CL_QUEUE_THROTTLE_KHR, 0, 0], VALUE),
    ];
    // SAFETY: lists are whole; places are valid or NULL.
    unsafe {
        for (what, list, expected) in lists {
            let code = made(|e| clCreateCommandQueueWithProperties(c, d, list.as_ptr(), e));
            v.expect("clCreateCommandQueueWithProperties", what, code, expected);
            let code = made(|e| clCreateCommandQueueWithPropertiesKHR(c, d, list.as_ptr(), e));
            v.expect("clCreateCommandQueueWithPropertiesKHR", what, code, expected);
        }
        for bits in [1 << 20, 1 << 63, u64::MAX, cl::CL_QUEUE_ON_DEVICE] {
            let code = made(|e| clCreateCommandQueue(c, d, bits, e));
            v.expect("clCreateCommandQueue", format!("{bits:#x}"), code, VALUE);
        }
        let queue = good(|e| clCreateCommandQueue(c, d, 0, e));
        v.expect("clReleaseCommandQueue", "once", clReleaseCommandQueue(queue), 0);
        const QUEUE: i32 = cl::CL_INVALID_COMMAND_QUEUE;
        v.expect("clReleaseCommandQueue", "twice", clReleaseCommandQueue(queue), QUEUE);
        v.expect("clFlush", "released", clFlush(queue), QUEUE);
        v.expect("clFinish", "released", clFinish(queue), QUEUE);
        // §5.1, the query's text: of a host queue.
        let code = clGetCommandQueueInfo(w.here.queue, cl::CL_QUEUE_SIZE, 0, null_mut(), null_mut());
        v.expect("clGetCommandQueueInfo", "the size of a host queue", code, QUEUE);
    }
}

/// §5.8.1, §5.8.2, §5.8.4.
pub fn programs(w: &World, v: &mut Verdict) {
    let (c, d) = (w.here.context, w.device);
    let length = 0usize;
    let text = c"kernel void k() {}".as_ptr();
    // SAFETY: arrays have as many elements as is said; places are valid or NULL.
    unsafe {
        let create = |n, strings: *const *const c_char| {
            made(|e| clCreateProgramWithSource(c, n, strings.cast_mut(), null(), e))
        };
        v.expect("clCreateProgramWithSource", "no strings", create(0, &text), VALUE);
        v.expect("clCreateProgramWithSource", "no array", create(1, null()), VALUE);
        v.expect("clCreateProgramWithSource", "a NULL string", create(2, [text, null()].as_ptr()), VALUE);
        v.expect("clCreateProgramWithSource", "only NULL", create(1, &null()), VALUE);
        let binary = binary_of(w);
        let (bytes, size) = (binary.as_ptr(), binary.len());
        let load = |n, devices: *const Handle, sizes: *const usize, data: *const *const u8| {
            made(|e| clCreateProgramWithBinary(c, n, devices, sizes, data.cast_mut(), null_mut(), e))
        };
        const NAME: &str = "clCreateProgramWithBinary";
        v.expect(NAME, "no devices", load(0, &d, &size, &bytes), VALUE);
        v.expect(NAME, "no list of devices", load(1, null(), &size, &bytes), VALUE);
        v.expect(NAME, "no lengths", load(1, &d, null(), &bytes), VALUE);
        v.expect(NAME, "no binaries", load(1, &d, &size, null()), VALUE);
        v.expect(NAME, "an empty binary", load(1, &d, &length, &bytes), VALUE);
        v.expect(NAME, "a NULL binary", load(1, &d, &size, &null()), VALUE);
        v.expect(NAME, "a binary cut short", load(1, &d, &(size - 1), &bytes), cl::CL_INVALID_BINARY);
        let noise = [0x5au8; 64];
        v.expect(NAME, "noise", load(1, &d, &noise.len(), &noise.as_ptr()), cl::CL_INVALID_BINARY);
        let elf = b"\x7fELF\x02\x01\x01";
        v.expect(NAME, "another format", load(1, &d, &elf.len(), &elf.as_ptr()), cl::CL_INVALID_BINARY);
        for (what, bad) in w.bad(Kind::Device) {
            v.expect(NAME, what, load(1, &bad, &size, &bytes), cl::CL_INVALID_DEVICE);
        }
        for (what, bad) in w.bad(Kind::Context) {
            let code = made(|e| {
                clCreateProgramWithBinary(bad, 1, &d, &size, (&raw const bytes).cast_mut(), null_mut(), e)
            });
            v.expect(NAME, what, code, cl::CL_INVALID_CONTEXT);
        }
        let mut status = [77];
        let code = made(|e| {
            let data = noise.as_ptr();
            clCreateProgramWithBinary(c, 1, &d, &64, (&raw const data).cast_mut(), status.as_mut_ptr(), e)
        });
        v.expect(NAME, "noise, with a status", code, cl::CL_INVALID_BINARY);
        v.expect(NAME, "the status of noise", status[0], cl::CL_INVALID_BINARY);
        let builtin = |n, devices: *const Handle, names: *const c_char| {
            made(|e| clCreateProgramWithBuiltInKernels(c, n, devices, names, e))
        };
        const BUILTIN: &str = "clCreateProgramWithBuiltInKernels";
        v.expect(BUILTIN, "no devices", builtin(0, &d, text), VALUE);
        v.expect(BUILTIN, "no list", builtin(1, null(), text), VALUE);
        v.expect(BUILTIN, "no names", builtin(1, &d, null()), VALUE);
        v.expect(BUILTIN, "an unknown name", builtin(1, &d, c"one;two".as_ptr()), VALUE);
        let il = [0x0723_0203u32, 0];
        for (what, data, length) in [
            ("a header cut short", il.as_ptr().cast(), 8usize),
            ("no bytes", il.as_ptr().cast(), 0),
            ("no module", null(), 8),
            ("half a word", il.as_ptr().cast(), 6),
        ] {
            let code = made(|e| clCreateProgramWithIL(c, data, length, e));
            v.expect("clCreateProgramWithIL", what, code, VALUE);
            let code = made(|e| clCreateProgramWithILKHR(c, data, length, e));
            v.expect("clCreateProgramWithILKHR", what, code, VALUE);
        }
        let program = w.here.program;
        let code = clSetProgramReleaseCallback(program, Some(done), null_mut());
        v.expect("clSetProgramReleaseCallback", "no destructors", code, cl::CL_INVALID_OPERATION);
        let code = clSetProgramSpecializationConstant(program, 0, 4, il.as_ptr().cast());
        v.expect("clSetProgramSpecializationConstant", "no IL", code, cl::CL_INVALID_PROGRAM);
    }
}

fn binary_of(w: &World) -> Vec<u8> {
    let mut size = 0usize;
    // SAFETY: places are valid for their sizes.
    unsafe {
        let word = size_of::<usize>();
        let value = (&raw mut size).cast();
        assert_eq!(clGetProgramInfo(w.here.program, cl::CL_PROGRAM_BINARY_SIZES, word, value, null_mut()), 0);
        let mut out = vec![0u8; size];
        let mut place = out.as_mut_ptr();
        let value = (&raw mut place).cast();
        assert_eq!(clGetProgramInfo(w.here.program, cl::CL_PROGRAM_BINARIES, word, value, null_mut()), 0);
        out
    }
}

unsafe extern "C" fn done(_: Handle, _: *mut c_void) {}

fn program(context: Handle, source: &CStr) -> Handle {
    let text = source.as_ptr();
    // SAFETY: one string.
    good(|e| unsafe { clCreateProgramWithSource(context, 1, (&raw const text).cast_mut(), null(), e) })
}

/// §5.8.3 to §5.8.8: builds.
pub fn building(w: &World, v: &mut Verdict) {
    let (c, d) = (w.here.context, w.device);
    const OPERATION: i32 = cl::CL_INVALID_OPERATION;
    let fresh = program(c, c"kernel void k(global int *a) { a[0] = 1; }");
    let broken = program(c, c"kernel void k(global int *a) { a[0] = ; }");
    let foreign = program(w.there.context, c"#define X 1\n");
    // SAFETY: arrays have as many elements as is said; the rest is NULL.
    unsafe {
        let build = |p, n, list: *const Handle, options: &CStr, user| {
            clBuildProgram(p, n, list, options.as_ptr(), None, user)
        };
        let none = null_mut();
        v.expect(
            "clBuildProgram",
            "kernels attached",
            build(w.here.program, 0, null(), c"", none),
            OPERATION,
        );
        v.expect("clBuildProgram", "a count without devices", build(fresh, 1, null(), c"", none), VALUE);
        v.expect("clBuildProgram", "devices without a count", build(fresh, 0, &d, c"", none), VALUE);
        v.expect("clBuildProgram", "data without a function", build(fresh, 0, null(), c"", data()), VALUE);
        const BAD: i32 = cl::CL_INVALID_BUILD_OPTIONS;
        v.expect("clBuildProgram", "an unknown option", build(fresh, 0, null(), c"-no-such", none), BAD);
        v.expect("clBuildProgram", "an unfinished option", build(fresh, 0, null(), c"-D", none), BAD);
        v.expect("clBuildProgram", "a bad version", build(fresh, 0, null(), c"-cl-std=CL9.9", none), BAD);
        const FAILED: i32 = cl::CL_BUILD_PROGRAM_FAILURE;
        v.expect("clBuildProgram", "an error in the source", build(broken, 0, null(), c"", none), FAILED);
        let none_built = cl::CL_INVALID_PROGRAM_EXECUTABLE;
        for p in [fresh, broken] {
            v.expect(
                "clCreateKernel",
                "not built",
                made(|e| clCreateKernel(p, c"k".as_ptr(), e)),
                none_built,
            );
            let code = clCreateKernelsInProgram(p, 0, null_mut(), null_mut());
            v.expect("clCreateKernelsInProgram", "not built", code, none_built);
            for param in [cl::CL_PROGRAM_NUM_KERNELS, cl::CL_PROGRAM_KERNEL_NAMES] {
                let code = clGetProgramInfo(p, param, 0, null_mut(), null_mut());
                v.expect("clGetProgramInfo", format!("{param:#x}, not built"), code, none_built);
            }
        }
        compiling(w, v, fresh, broken, foreign);
        linking(w, v, fresh, foreign);
        for p in [fresh, broken, foreign] {
            v.expect("clReleaseProgram", "once", clReleaseProgram(p), 0);
            v.expect("clReleaseProgram", "twice", clReleaseProgram(p), cl::CL_INVALID_PROGRAM);
        }
        let k = |name: *const c_char| made(|e| clCreateKernel(w.here.program, name, e));
        v.expect("clCreateKernel", "no name", k(null()), VALUE);
        for name in [c"", c"K", c"none", c"k "] {
            v.expect("clCreateKernel", format!("{name:?}"), k(name.as_ptr()), cl::CL_INVALID_KERNEL_NAME);
        }
        let mut kernels = [null_mut(); 2];
        let code = clCreateKernelsInProgram(w.here.program, 1, kernels.as_mut_ptr(), null_mut());
        v.expect("clCreateKernelsInProgram", "room for one of two", code, VALUE);
    }
}

fn compiling(w: &World, v: &mut Verdict, fresh: Handle, broken: Handle, foreign: Handle) {
    let (d, name) = (w.device, c"x.h".as_ptr());
    const NAME: &str = "clCompileProgram";
    let compile = |p, n, list: *const Handle, options: &CStr, user| {
        // SAFETY: the list has as many elements.
        unsafe { clCompileProgram(p, n, list, options.as_ptr(), 0, null(), null_mut(), None, user) }
    };
    let headers = |n, list: *const Handle, names: *const *const c_char| {
        // SAFETY: the lists have as many elements.
        unsafe { clCompileProgram(fresh, 0, null(), null(), n, list, names.cast_mut(), None, null_mut()) }
    };
    let none = null_mut();
    v.expect(
        NAME,
        "kernels attached",
        compile(w.here.program, 0, null(), c"", none),
        cl::CL_INVALID_OPERATION,
    );
    v.expect(NAME, "a count without devices", compile(fresh, 1, null(), c"", none), VALUE);
    v.expect(NAME, "devices without a count", compile(fresh, 0, &d, c"", none), VALUE);
    v.expect(NAME, "data without a function", compile(fresh, 0, null(), c"", data()), VALUE);
    let options = cl::CL_INVALID_COMPILER_OPTIONS;
    v.expect(NAME, "an unknown option", compile(fresh, 0, null(), c"-no-such", none), options);
    let failed = cl::CL_COMPILE_PROGRAM_FAILURE;
    v.expect(NAME, "an error in the source", compile(broken, 0, null(), c"", none), failed);
    v.expect(NAME, "headers without names", headers(1, &fresh, null()), VALUE);
    v.expect(NAME, "names without headers", headers(1, null(), &name), VALUE);
    v.expect(NAME, "no headers, but names", headers(0, null(), &name), VALUE);
    v.expect(NAME, "no headers, but a list", headers(0, &fresh, null()), VALUE);
    v.expect(NAME, "a header of another context", headers(1, &foreign, &name), cl::CL_INVALID_CONTEXT);
    for (what, bad) in w.bad(Kind::Program) {
        v.expect(NAME, format!("a header: {what}"), headers(1, &bad, &name), cl::CL_INVALID_PROGRAM);
    }
}

fn linking(w: &World, v: &mut Verdict, fresh: Handle, foreign: Handle) {
    let (c, d) = (w.here.context, w.device);
    const NAME: &str = "clLinkProgram";
    let link = |n, list: *const Handle, options: &CStr, count, inputs: *const Handle, user| {
        // SAFETY: the lists have as many elements.
        made(|e| unsafe { clLinkProgram(c, n, list, options.as_ptr(), count, inputs, None, user, e) })
    };
    let none = null_mut();
    v.expect(NAME, "no inputs", link(0, null(), c"", 0, null(), none), VALUE);
    v.expect(NAME, "inputs without a count", link(0, null(), c"", 0, &fresh, none), VALUE);
    v.expect(NAME, "a count without inputs", link(0, null(), c"", 1, null(), none), VALUE);
    v.expect(NAME, "a count without devices", link(1, null(), c"", 1, &fresh, none), VALUE);
    v.expect(NAME, "devices without a count", link(0, &d, c"", 1, &fresh, none), VALUE);
    v.expect(NAME, "data without a function", link(0, null(), c"", 1, &fresh, data()), VALUE);
    v.expect(
        NAME,
        "an input of another context",
        link(0, null(), c"", 1, &foreign, none),
        cl::CL_INVALID_CONTEXT,
    );
    let options = cl::CL_INVALID_LINKER_OPTIONS;
    v.expect(NAME, "an unknown option", link(0, null(), c"-no-such", 1, &fresh, none), options);
    // SAFETY: one string, NULL.
    let object = program(c, c"int f(int); kernel void k(global int *a) { a[0] = f(1); }");
    // SAFETY: as above.
    let code = unsafe { clCompileProgram(object, 0, null(), null(), 0, null(), null_mut(), None, none) };
    assert_eq!(code, 0);
    let two = [object, fresh];
    let mixed = link(0, null(), c"", 2, two.as_ptr(), none);
    v.expect(NAME, "one of two is compiled", mixed, cl::CL_INVALID_OPERATION);
    let mut code = 77;
    // SAFETY: one input.
    let failed = unsafe { clLinkProgram(c, 0, null(), null(), 1, &object, None, none, &mut code) };
    v.expect(NAME, "an undefined function", code, cl::CL_LINK_PROGRAM_FAILURE);
    // The program is there for its log (§5.8.4).
    v.holds(NAME, "the program with the log", !failed.is_null());
    // SAFETY: handles.
    unsafe {
        assert_eq!(clReleaseProgram(object), 0);
        let code = clBuildProgram(failed, 0, null(), null(), None, none);
        v.expect("clBuildProgram", "a linked program", code, cl::CL_INVALID_OPERATION);
        let code = clCompileProgram(failed, 0, null(), null(), 0, null(), null_mut(), None, none);
        v.expect("clCompileProgram", "a linked program", code, cl::CL_INVALID_OPERATION);
        assert_eq!(clReleaseProgram(failed), 0);
    }
}

unsafe extern "C" fn reached(_: Handle, _: i32, _: *mut c_void) {}

/// §5.11, §5.14.
pub fn events(w: &World, v: &mut Verdict) {
    let mut command = null_mut();
    let (here, there) = (w.here.event, w.there.event);
    // SAFETY: lists have as many elements; places are valid or NULL.
    unsafe {
        v.expect("clWaitForEvents", "none", clWaitForEvents(0, &here), VALUE);
        v.expect("clWaitForEvents", "no list", clWaitForEvents(1, null()), VALUE);
        v.expect(
            "clWaitForEvents",
            "two contexts",
            clWaitForEvents(2, [here, there].as_ptr()),
            cl::CL_INVALID_CONTEXT,
        );
        v.expect(
            "clWaitForEvents",
            "one is NULL",
            clWaitForEvents(2, [here, null_mut()].as_ptr()),
            cl::CL_INVALID_EVENT,
        );
        let user = good(|e| clCreateUserEvent(w.here.context, e));
        for status in [1, 2, 3, 7, i32::MAX] {
            v.expect("clSetUserEventStatus", format!("{status}"), clSetUserEventStatus(user, status), VALUE);
        }
        v.expect("clSetUserEventStatus", "a failure", clSetUserEventStatus(user, -5), 0);
        v.expect("clSetUserEventStatus", "twice", clSetUserEventStatus(user, 0), cl::CL_INVALID_OPERATION);
        let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        v.expect("clWaitForEvents", "one that failed", clWaitForEvents(1, &user), failed);
        v.expect("clSetEventCallback", "no function", clSetEventCallback(here, 0, None, null_mut()), VALUE);
        for status in [cl::CL_QUEUED, 4, -1, i32::MIN, i32::MAX] {
            let code = clSetEventCallback(here, status, Some(reached), null_mut());
            v.expect("clSetEventCallback", format!("status {status}"), code, VALUE);
        }
        let profile = |event, param| clGetEventProfilingInfo(event, param, 0, null_mut(), null_mut());
        const MISSING: i32 = cl::CL_PROFILING_INFO_NOT_AVAILABLE;
        v.expect(
            "clGetEventProfilingInfo",
            "of a user event",
            profile(user, cl::CL_PROFILING_COMMAND_END),
            MISSING,
        );
        assert_eq!(clEnqueueMarker(w.here.queue, &mut command), 0);
        v.expect(
            "clSetUserEventStatus",
            "of a command",
            clSetUserEventStatus(command, 0),
            cl::CL_INVALID_EVENT,
        );
        assert_eq!(clWaitForEvents(1, &command), 0);
        let code = profile(command, cl::CL_PROFILING_COMMAND_END);
        v.expect("clGetEventProfilingInfo", "of a queue without profiling", code, MISSING);
        for event in [user, command] {
            v.expect("clReleaseEvent", "once", clReleaseEvent(event), 0);
            v.expect("clReleaseEvent", "twice", clReleaseEvent(event), cl::CL_INVALID_EVENT);
        }
        profiled(w, v);
    }
}

/// A command that is not complete has no times yet, one that is has no others than those.
fn profiled(w: &World, v: &mut Verdict) {
    let mut event = null_mut();
    // SAFETY: lists have as many elements; places are valid or NULL.
    unsafe {
        let profiling = cl::CL_QUEUE_PROFILING_ENABLE;
        let queue = good(|e| clCreateCommandQueue(w.here.context, w.device, profiling, e));
        let user = good(|e| clCreateUserEvent(w.here.context, e));
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, &user, &mut event), 0);
        let profile = |param, size, value| clGetEventProfilingInfo(event, param, size, value, null_mut());
        let mut time = 0u64;
        let place: *mut c_void = (&raw mut time).cast();
        let code = profile(cl::CL_PROFILING_COMMAND_QUEUED, 8, place);
        v.expect("clGetEventProfilingInfo", "not complete", code, cl::CL_PROFILING_INFO_NOT_AVAILABLE);
        assert_eq!((clSetUserEventStatus(user, 0), clFinish(queue)), (0, 0));
        for param in cl::CL_PROFILING_COMMAND_QUEUED..=cl::CL_PROFILING_COMMAND_COMPLETE {
            v.expect("clGetEventProfilingInfo", format!("{param:#x}"), profile(param, 8, place), 0);
            let code = profile(param, 7, place);
            v.expect("clGetEventProfilingInfo", format!("{param:#x}, small"), code, VALUE);
        }
        for param in [0, 1, cl::CL_PROFILING_COMMAND_COMPLETE + 1, cl::CL_EVENT_CONTEXT, u32::MAX] {
            v.expect("clGetEventProfilingInfo", format!("{param:#x}"), profile(param, 8, place), VALUE);
        }
        assert_eq!((clReleaseEvent(event), clReleaseEvent(user), clReleaseCommandQueue(queue)), (0, 0, 0));
    }
}

/// §5.3.1: the query of formats is there without images.
pub fn formats(w: &World, v: &mut Verdict) {
    let mut format = cl::cl_image_format { image_channel_order: 0, image_channel_data_type: 0 };
    let mut n = 7;
    let (image, format) = (cl::CL_MEM_OBJECT_IMAGE2D, &raw mut format);
    let mut get = |flags, kind, entries, formats| {
        // SAFETY: there is room for one format.
        unsafe { clGetSupportedImageFormats(w.here.context, flags, kind, entries, formats, &mut n) }
    };
    const NAME: &str = "clGetSupportedImageFormats";
    v.expect(NAME, "all right", get(0, image, 1, format), 0);
    v.expect(NAME, "room for none", get(0, image, 0, format), VALUE);
    v.expect(NAME, "no type", get(0, 0, 1, format), VALUE);
    v.expect(NAME, "a buffer's type", get(0, cl::CL_MEM_OBJECT_BUFFER, 1, format), VALUE);
    v.expect(NAME, "unknown flags", get(1 << 40, image, 1, format), VALUE);
    v.expect(
        NAME,
        "flags at odds",
        get(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, image, 1, format),
        VALUE,
    );
}

//! Every query of OpenCL 3.1 is answered, with the right size, and refuses a place that is too small; what is no query of an
//! object is refused (the tables of §4.1 to §5.14: platform, device, context, command queue, memory object, program,
//! build, kernel, kernel argument, kernel and device, event, profiling).

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::device::*;
use pumice::entry::event::*;
use pumice::entry::kernel::*;
use pumice::entry::memory::*;
use pumice::entry::platform::*;
use pumice::entry::program::*;
use pumice::entry::queue::*;

use crate::world::{Verdict, World, good};

/// A size in bytes; `ANY` for strings and lists.
type Size = usize;
const ANY: Size = usize::MAX;
const INT: Size = 4;
const LONG: Size = 8;
/// size_t, a pointer, a handle.
const WORD: Size = size_of::<usize>();

/// Queries from the first number to the last, which have one size.
type Range = (u32, u32, Size);

/// The last two are those of cl_khr_icd and cl_khr_icd_unloadable.
const PLATFORM: &[Range] = &[
    (0x0900, 0x0904, ANY),
    (0x0905, 0x0905, LONG),
    (0x0906, 0x0906, INT),
    (0x0907, 0x0907, ANY),
    (0x0920, 0x0920, ANY),
    (0x0921, 0x0921, INT),
];
const DEVICE: &[Range] = &[
    (0x1000, 0x1000, LONG),
    (0x1001, 0x1003, INT),
    (0x1004, 0x1004, WORD),
    (0x1005, 0x1005, 3 * WORD),
    (0x1006, 0x100f, INT),
    (0x1010, 0x1010, LONG),
    (0x1011, 0x1015, WORD),
    (0x1016, 0x1016, INT),
    (0x1017, 0x1017, WORD),
    (0x1018, 0x101a, INT),
    (0x101b, 0x101b, LONG),
    (0x101c, 0x101d, INT),
    (0x101e, 0x1020, LONG),
    (0x1021, 0x1022, INT),
    (0x1023, 0x1023, LONG),
    (0x1024, 0x1024, INT),
    (0x1025, 0x1025, WORD),
    (0x1026, 0x1028, INT),
    (0x1029, 0x102a, LONG),
    (0x102b, 0x1030, ANY),
    (0x1031, 0x1031, WORD),
    (0x1032, 0x1033, LONG),
    (0x1034, 0x103c, INT),
    (0x103d, 0x103d, ANY),
    (0x103e, 0x103e, INT),
    (0x103f, 0x103f, ANY),
    (0x1040, 0x1042, WORD),
    (0x1043, 0x1043, INT),
    (0x1044, 0x1044, ANY),
    (0x1045, 0x1045, LONG),
    (0x1046, 0x1046, ANY),
    (0x1047, 0x1048, INT),
    (0x1049, 0x1049, WORD),
    (0x104a, 0x104c, INT),
    (0x104d, 0x104d, WORD),
    (0x104e, 0x104e, LONG),
    (0x104f, 0x1052, INT),
    (0x1053, 0x1053, LONG),
    (0x1054, 0x1054, WORD),
    (0x1055, 0x105a, INT),
    (0x105b, 0x105b, ANY),
    (0x105c, 0x105f, INT),
    (0x1060, 0x1062, ANY),
    (0x1063, 0x1064, LONG),
    (0x1065, 0x1065, INT),
    (0x1066, 0x1066, ANY),
    (0x1067, 0x1067, WORD),
    (0x1068, 0x1069, INT),
    (0x106a, 0x106b, 16),
    (0x106c, 0x106c, INT),
    (0x106d, 0x106d, 8),
    (0x106e, 0x106e, INT),
    (0x106f, 0x106f, ANY),
    (0x1070, 0x1070, LONG),
    (0x1071, 0x1071, INT),
    (0x1072, 0x1072, ANY),
    (0x1073, 0x1073, LONG),
    (0x1074, 0x1075, 24),
    (0x12b9, 0x12bb, ANY),
];
const CONTEXT: &[Range] = &[(0x1080, 0x1080, INT), (0x1081, 0x1082, ANY), (0x1083, 0x1083, INT)];
/// CL_QUEUE_SIZE (0x1094) is for device queues.
const QUEUE: &[Range] = &[
    (0x1090, 0x1091, WORD),
    (0x1092, 0x1092, INT),
    (0x1093, 0x1093, LONG),
    (0x1095, 0x1095, WORD),
    (0x1098, 0x1098, ANY),
];
const MEMORY: &[Range] = &[
    (0x1100, 0x1100, INT),
    (0x1101, 0x1101, LONG),
    (0x1102, 0x1103, WORD),
    (0x1104, 0x1105, INT),
    (0x1106, 0x1108, WORD),
    (0x1109, 0x1109, INT),
    (0x110a, 0x110a, ANY),
];
const PROGRAM: &[Range] = &[
    (0x1160, 0x1160, INT),
    (0x1161, 0x1161, WORD),
    (0x1162, 0x1162, INT),
    (0x1163, 0x1163, ANY),
    (0x1164, 0x1166, ANY),
    (0x1167, 0x1167, WORD),
    (0x1168, 0x1169, ANY),
    (0x116a, 0x116b, INT),
];
const BUILD: &[Range] =
    &[(0x1181, 0x1181, INT), (0x1182, 0x1183, ANY), (0x1184, 0x1184, INT), (0x1185, 0x1185, WORD)];
const KERNEL: &[Range] =
    &[(0x1190, 0x1190, ANY), (0x1191, 0x1192, INT), (0x1193, 0x1194, WORD), (0x1195, 0x1195, ANY)];
const ARGUMENT: &[Range] =
    &[(0x1196, 0x1197, INT), (0x1198, 0x1198, ANY), (0x1199, 0x1199, LONG), (0x119a, 0x119a, ANY)];
/// CL_KERNEL_GLOBAL_WORK_SIZE (0x11b5) is for built-in kernels and custom devices.
const GROUP: &[Range] = &[
    (0x11b0, 0x11b0, WORD),
    (0x11b1, 0x11b1, 3 * WORD),
    (0x11b2, 0x11b2, LONG),
    (0x11b3, 0x11b3, WORD),
    (0x11b4, 0x11b4, LONG),
];
const EVENT: &[Range] = &[(0x11d0, 0x11d0, WORD), (0x11d1, 0x11d3, INT), (0x11d4, 0x11d4, WORD)];
const PROFILING: &[Range] = &[(0x1280, 0x1284, LONG)];

/// What is no query of anything, or of something else.
const UNKNOWN: [u32; 8] = [0, 1, 0x08ff, 0x0fff, 0x1084, 0x12ff, 0x3fff, u32::MAX];

struct Info<'a> {
    name: &'static str,
    ranges: &'static [Range],
    get: Box<dyn Fn(u32, usize, *mut c_void, *mut usize) -> i32 + 'a>,
}

fn info<'a>(
    name: &'static str,
    ranges: &'static [Range],
    get: impl Fn(u32, usize, *mut c_void, *mut usize) -> i32 + 'a,
) -> Info<'a> {
    Info { name, ranges, get: Box::new(get) }
}

/// A loader that ends may close the library (`unloaded` in tests/process_life.rs does).
fn unloadable(w: &World, verdict: &mut Verdict) {
    let (mut text, mut answer) = ([0u8; 8192], 0u32);
    // SAFETY: places of the sizes.
    unsafe {
        let place = text.as_mut_ptr().cast();
        assert_eq!(clGetPlatformInfo(w.platform, cl::CL_PLATFORM_EXTENSIONS, 8192, place, null_mut()), 0);
        let place = (&raw mut answer).cast();
        assert_eq!(clGetPlatformInfo(w.platform, 0x0921, 4, place, null_mut()), 0);
    }
    let is_claimed = text.split(|byte| matches!(byte, b' ' | 0)).any(|name| name == b"cl_khr_icd_unloadable");
    verdict.holds("clGetPlatformInfo", "CL_PLATFORM_UNLOADABLE_KHR", is_claimed && answer == 1);
}

pub fn queries(w: &World, verdict: &mut Verdict) {
    unloadable(w, verdict);
    let side = &w.here;
    let (mut event, text) = (null_mut(), c"kernel void k(global const int *a, float4 b) {}".as_ptr());
    // SAFETY, of all: places are NULL or valid for the sizes that go with them.
    unsafe {
        let program =
            good(|e| clCreateProgramWithSource(side.context, 1, (&raw const text).cast_mut(), null(), e));
        let options = c"-cl-kernel-arg-info".as_ptr();
        assert_eq!(clBuildProgram(program, 0, null(), options, None, null_mut()), 0);
        let kernel = good(|e| clCreateKernel(program, c"k".as_ptr(), e));
        let profiled = cl::CL_QUEUE_PROFILING_ENABLE;
        let queue = good(|e| clCreateCommandQueue(side.context, w.device, profiled, e));
        assert_eq!((clEnqueueMarker(queue, &mut event), clFinish(queue)), (0, 0));
        let list = [
            info("clGetPlatformInfo", PLATFORM, |p, n, v, s| clGetPlatformInfo(w.platform, p, n, v, s)),
            info("clGetDeviceInfo", DEVICE, |p, n, v, s| clGetDeviceInfo(w.device, p, n, v, s)),
            info("clGetContextInfo", CONTEXT, |p, n, v, s| clGetContextInfo(side.context, p, n, v, s)),
            info("clGetCommandQueueInfo", QUEUE, |p, n, v, s| clGetCommandQueueInfo(queue, p, n, v, s)),
            info("clGetMemObjectInfo", MEMORY, |p, n, v, s| clGetMemObjectInfo(side.buffer, p, n, v, s)),
            info("clGetProgramInfo", PROGRAM, |p, n, v, s| clGetProgramInfo(program, p, n, v, s)),
            info("clGetProgramBuildInfo", BUILD, |p, n, v, s| {
                clGetProgramBuildInfo(program, w.device, p, n, v, s)
            }),
            info("clGetKernelInfo", KERNEL, |p, n, v, s| clGetKernelInfo(kernel, p, n, v, s)),
            info("clGetKernelArgInfo", ARGUMENT, |p, n, v, s| clGetKernelArgInfo(kernel, 1, p, n, v, s)),
            info("clGetKernelWorkGroupInfo", GROUP, |p, n, v, s| {
                clGetKernelWorkGroupInfo(kernel, w.device, p, n, v, s)
            }),
            info("clGetEventInfo", EVENT, |p, n, v, s| clGetEventInfo(event, p, n, v, s)),
            info("clGetEventInfo's user event", EVENT, |p, n, v, s| clGetEventInfo(side.event, p, n, v, s)),
            info("clGetEventProfilingInfo", PROFILING, |p, n, v, s| {
                clGetEventProfilingInfo(event, p, n, v, s)
            }),
        ];
        list.iter().for_each(|i| check(i, verdict));
        of_extensions(w, verdict);
        assert_eq!((clReleaseEvent(event), clReleaseCommandQueue(queue)), (0, 0));
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
    }
}

/// Queries of extensions are answered where the device has them, and are unknown elsewhere.
fn of_extensions(w: &World, verdict: &mut Verdict) {
    let mut text = vec![0u8; 1 << 16];
    let at = text.as_mut_ptr().cast();
    // SAFETY: the places are valid for their sizes.
    unsafe {
        assert_eq!(clGetDeviceInfo(w.device, cl::CL_DEVICE_EXTENSIONS, text.len(), at, null_mut()), 0);
        let text = std::ffi::CStr::from_bytes_until_nul(&text).expect("a string").to_string_lossy();
        for (param, size, extension) in [
            (cl::CL_DEVICE_PCI_BUS_INFO_KHR, 16, "cl_khr_pci_bus_info"),
            (cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 8, "cl_khr_command_buffer"),
            (cl::CL_DEVICE_SEMAPHORE_TYPES_KHR, ANY, "cl_khr_semaphore"),
        ] {
            let mut found = ANY;
            let code = clGetDeviceInfo(w.device, param, 0, null_mut(), &mut found);
            let has = text.split(' ').any(|name| name == extension);
            verdict.expect("clGetDeviceInfo", extension, code, if has { 0 } else { cl::CL_INVALID_VALUE });
            verdict.holds("clGetDeviceInfo", extension, !has || size == ANY || found == size);
        }
    }
}

fn check(info: &Info, verdict: &mut Verdict) {
    const SMALL: i32 = cl::CL_INVALID_VALUE;
    let Info { name, ranges, get } = info;
    for (first, last, size) in *ranges {
        for param in *first..=*last {
            let what = |what: &str| format!("{param:#x}, {what}");
            verdict.expect(name, what("nothing asked"), get(param, 0, null_mut(), null_mut()), 0);
            let mut found = ANY;
            verdict.expect(name, what("the size"), get(param, 0, null_mut(), &mut found), 0);
            verdict.holds(
                name,
                what(&format!("{found} bytes")),
                found != ANY && (*size == ANY || found == *size),
            );
            if found > 1 << 20 {
                continue;
            }
            // Zeros: the places of CL_PROGRAM_BINARIES are read.
            let mut bytes = vec![0u8; found + 8];
            let at: *mut c_void = bytes.as_mut_ptr().cast();
            if found > 0 {
                verdict.expect(name, what("a byte too few"), get(param, found - 1, at, null_mut()), SMALL);
                verdict.expect(name, what("room for nothing"), get(param, 0, at, null_mut()), SMALL);
            }
            let mut again = ANY;
            verdict.expect(name, what("all right"), get(param, found, at, &mut again), 0);
            verdict.holds(name, what("the size again"), again == found);
            verdict.expect(name, what("more room than needed"), get(param, found + 8, at, null_mut()), 0);
            verdict.holds(name, what("nothing written beyond"), bytes[found..] == [0; 8]);
        }
    }
    for param in UNKNOWN {
        let mut byte = [0u64; 4];
        let at = byte.as_mut_ptr().cast();
        verdict.expect(name, format!("{param:#x}"), get(param, 32, at, null_mut()), SMALL);
    }
}

/// The sections of the OpenCL headers with queries, and the tables here.
const SECTIONS: [(&str, &[Range]); 12] = [
    ("cl_platform_info", PLATFORM),
    ("cl_device_info", DEVICE),
    ("cl_context_info", CONTEXT),
    ("cl_command_queue_info", QUEUE),
    ("cl_mem_info", MEMORY),
    ("cl_program_info", PROGRAM),
    ("cl_program_build_info", BUILD),
    ("cl_kernel_info", KERNEL),
    ("cl_kernel_arg_info", ARGUMENT),
    ("cl_kernel_work_group_info", GROUP),
    ("cl_event_info", EVENT),
    ("cl_profiling_info", PROFILING),
];

/// The tables lack no query of the installed headers.
#[test]
fn the_tables_have_every_query_of_the_headers() {
    let Ok(header) = std::fs::read_to_string("/usr/include/CL/cl.h") else {
        println!("SKIP: no OpenCL headers (Debian: apt install opencl-c-headers)");
        return;
    };
    // Those that only refuse here: see QUEUE and GROUP.
    let elsewhere = ["CL_QUEUE_SIZE", "CL_KERNEL_GLOBAL_WORK_SIZE"];
    let (mut table, mut found) = (None, 0);
    for line in header.lines() {
        if let Some(comment) = line.strip_prefix("/* ") {
            let section = comment.split([' ', '*']).next().unwrap_or_default();
            table = SECTIONS.iter().find(|(name, _)| *name == section).map(|(_, table)| *table);
        }
        let mut words = line.split_whitespace();
        let (Some("#define"), Some(name), Some(value), Some(table)) =
            (words.next(), words.next(), words.next(), table)
        else {
            continue;
        };
        let Some(value) = value.strip_prefix("0x").and_then(|v| u32::from_str_radix(v, 16).ok()) else {
            continue;
        };
        found += 1;
        let has = table.iter().any(|(first, last, _)| (*first..=*last).contains(&value));
        assert!(has || elsewhere.contains(&name), "{name} ({value:#x})");
    }
    assert!(found > 100, "{found} queries in cl.h");
}

//! One object of each kind, the same in another context, and handles that name nothing.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fmt::Display;
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

pub type Handle = *mut c_void;

/// What a handle should name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Platform,
    Device,
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
    Event,
}

pub const KINDS: [Kind; 8] = [
    Kind::Platform,
    Kind::Device,
    Kind::Context,
    Kind::Queue,
    Kind::Memory,
    Kind::Program,
    Kind::Kernel,
    Kind::Event,
];

impl Kind {
    /// The code for a bad handle of this kind.
    pub fn code(self) -> i32 {
        match self {
            Kind::Platform => cl::CL_INVALID_PLATFORM,
            Kind::Device => cl::CL_INVALID_DEVICE,
            Kind::Context => cl::CL_INVALID_CONTEXT,
            Kind::Queue => cl::CL_INVALID_COMMAND_QUEUE,
            Kind::Memory => cl::CL_INVALID_MEM_OBJECT,
            Kind::Program => cl::CL_INVALID_PROGRAM,
            Kind::Kernel => cl::CL_INVALID_KERNEL,
            Kind::Event => cl::CL_INVALID_EVENT,
        }
    }
}

/// A context with one object of each kind.
pub struct Side {
    pub context: Handle,
    pub queue: Handle,
    /// 4096 bytes.
    pub buffer: Handle,
    pub program: Handle,
    /// Of `program`, with all arguments.
    pub kernel: Handle,
    /// A user event that is complete.
    pub event: Handle,
}

pub struct World {
    pub platform: Handle,
    pub device: Handle,
    pub here: Side,
    /// Another context on the same device.
    pub there: Side,
    /// Handles of a context, queue, buffer, program, kernel and event that were released.
    gone: Side,
}

/// Bytes of each buffer.
pub const SIZE: usize = 4096;

pub const SOURCE: &str = "kernel void k(global int *a, int n, local int *l) { l[get_local_id(0)] = n; a[get_global_id(0)] = l[0]; }
kernel void eight(global int *a) __attribute__((reqd_work_group_size(8, 1, 1))) { a[get_global_id(0)] = 1; }\n";

/// Returns what a function that makes an object says: NULL comes with a code, an object with success.
pub fn made(create: impl FnOnce(*mut i32) -> Handle) -> i32 {
    let mut error = 77;
    let handle = create(&mut error);
    assert_ne!(error, 77, "the code is always written");
    assert_eq!(handle.is_null(), error != 0, "code {error}");
    error
}

pub fn good(create: impl FnOnce(*mut i32) -> Handle) -> Handle {
    let mut error = 77;
    let handle = create(&mut error);
    assert_eq!(error, 0);
    handle
}

pub fn wild(address: usize) -> Handle {
    std::ptr::without_provenance_mut(address)
}

impl Side {
    fn new(device: Handle) -> Self {
        let source = SOURCE.as_ptr();
        let length = SOURCE.len();
        // SAFETY: the places are valid; lists have as many elements as is said.
        unsafe {
            let context = good(|e| clCreateContext(null(), 1, &device, None, null_mut(), e));
            let queue = good(|e| clCreateCommandQueue(context, device, 0, e));
            let buffer = good(|e| clCreateBuffer(context, 0, SIZE, null_mut(), e));
            let program = good(|e| {
                clCreateProgramWithSource(context, 1, (&raw const source).cast_mut().cast(), &length, e)
            });
            assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), 0);
            let kernel = good(|e| clCreateKernel(program, c"k".as_ptr(), e));
            let number = 7i32;
            assert_eq!(clSetKernelArg(kernel, 0, size_of::<Handle>(), (&raw const buffer).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 4, (&raw const number).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 2, 4096, null()), 0);
            let event = good(|e| clCreateUserEvent(context, e));
            assert_eq!(clSetUserEventStatus(event, 0), 0);
            Side { context, queue, buffer, program, kernel, event }
        }
    }

    fn release(&self) {
        // SAFETY: handles.
        unsafe {
            assert_eq!(clFinish(self.queue), 0);
            assert_eq!(clReleaseEvent(self.event), 0);
            assert_eq!(clReleaseKernel(self.kernel), 0);
            assert_eq!(clReleaseProgram(self.program), 0);
            assert_eq!(clReleaseMemObject(self.buffer), 0);
            assert_eq!(clReleaseCommandQueue(self.queue), 0);
            assert_eq!(clReleaseContext(self.context), 0);
        }
    }

    fn object(&self, kind: Kind) -> Option<Handle> {
        match kind {
            Kind::Platform | Kind::Device => None,
            Kind::Context => Some(self.context),
            Kind::Queue => Some(self.queue),
            Kind::Memory => Some(self.buffer),
            Kind::Program => Some(self.program),
            Kind::Kernel => Some(self.kernel),
            Kind::Event => Some(self.event),
        }
    }
}

impl World {
    /// The world, or a visible skip.
    pub fn new() -> Option<Self> {
        pumice::testing::validate();
        let (mut platform, mut device) = (null_mut(), null_mut());
        // SAFETY: the places are valid.
        unsafe {
            if clGetPlatformIDs(1, &mut platform, null_mut()) != 0 {
                pumice::testing::no_device();
                return None;
            }
            assert_eq!(clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()), 0);
        }
        let gone = Side::new(device);
        let (here, there) = (Side::new(device), Side::new(device));
        gone.release();
        Some(World { platform, device, here, there, gone })
    }

    pub fn handle(&self, kind: Kind) -> Handle {
        match kind {
            Kind::Platform => self.platform,
            Kind::Device => self.device,
            kind => self.here.object(kind).unwrap_or(null_mut()),
        }
    }

    /// Everything that is no handle of this kind.
    pub fn bad(&self, kind: Kind) -> Vec<(String, Handle)> {
        let valid = self.handle(kind).addr();
        let on_stack = 0u64;
        let mut out: Vec<(String, Handle)> = [
            ("1", 1),
            ("8", 8),
            ("0x1000", 0x1000),
            ("-1", usize::MAX),
            ("-8", usize::MAX - 7),
            ("a valid one + 1", valid + 1),
            ("a valid one + 8", valid + 8),
            ("a valid one far off", valid ^ (1 << 40)),
            ("something on the stack", (&raw const on_stack).addr()),
        ]
        .map(|(name, address)| (name.to_owned(), wild(address)))
        .to_vec();
        if kind != Kind::Platform {
            out.push(("NULL".to_owned(), null_mut()));
        }
        out.extend(self.gone.object(kind).map(|h| ("a released one".to_owned(), h)));
        let others = KINDS.iter().filter(|k| **k != kind);
        out.extend(others.map(|k| (format!("one of {k:?}"), self.handle(*k))));
        out
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.here.release();
            self.there.release();
        }
    }
}

/// The codes that were not as expected, gathered so that one run shows all.
#[derive(Default)]
pub struct Verdict {
    wrong: Vec<String>,
    checked: usize,
    /// The functions that were called.
    functions: BTreeSet<String>,
}

impl Verdict {
    /// Notes what a call gave. `name` is the function's, with what of it is tried after an apostrophe.
    pub fn expect(&mut self, name: &str, what: impl Display, code: i32, expected: i32) {
        self.checked += 1;
        self.functions.insert(name.split('\'').next().unwrap_or(name).to_owned());
        if code != expected {
            self.wrong.push(format!("{name}: {what}: {code}, not {expected}"));
        }
    }

    /// The same for functions that return something else.
    pub fn holds(&mut self, name: &str, what: impl Display, holds: bool) {
        self.expect(name, what, i32::from(!holds), 0);
    }

    /// Fails for what was wrong, and for functions that nobody called.
    pub fn end(self, functions: impl IntoIterator<Item = &'static str>) {
        let Verdict { wrong, checked, functions: called } = self;
        assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
        let missed: Vec<_> = functions.into_iter().filter(|f| !called.contains(*f)).collect();
        assert!(missed.is_empty(), "not tried: {missed:?}");
        println!("{checked} calls of {} functions", called.len());
    }
}

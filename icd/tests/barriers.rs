//! Each class of barrier is needed: one test for each class and each way in which kernels reach buffers gives the right result,
//! and a wrong one when barriers of that class are left out.
//!
//! A device that happens to run commands one after the other shows nothing of that by itself, so the commands between two
//! barriers run in the opposite order here, data goes through staging buffers, and the host sees of a mapping only what was
//! made visible to it (the test modes `reorder`, `stage` and `shadow`). Synchronization validation sees some of the hazards of
//! descriptors, and none of those of addresses: its messages are counted for the sound runs only.

mod again;
mod cl;
mod open;

use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cl::{Handle, Setup, arg, info, kernel, launch, release};
use opencl_sys::CL_INVALID_OPERATION;
use pumice::entry::{kernel::*, memory::*, queue::clFlush, transfer::*};
use pumice::testing;

const COUNT: usize = 1024;

/// The modes are the process's: one test at a time.
static SERIAL: Mutex<()> = Mutex::new(());

/// How kernels reach buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Whatever the device prefers: descriptors on CPUs.
    Preferred,
    /// Addresses: a NULL among the arguments wants them.
    Address,
    /// Device addresses in place of buffers.
    Pointer,
}

struct Bench {
    s: Setup,
    way: Way,
    add: Handle,
    x: Handle,
    y: Handle,
    z: Handle,
}

impl Bench {
    /// Buffers full of 1, 10 and 100; `None`, said aloud, where that way does not exist.
    fn new(way: Way) -> Option<Bench> {
        let s = Setup::new()?;
        let source = "kernel void add(global int *to, global const int *from, global int *none) {
            size_t i = get_global_id(0);
            if (!none) to[i] += from[i];
        }";
        let source = if way == Way::Preferred { source.replace("!none", "none") } else { source.to_owned() };
        let add = kernel(s.context, &source, c"add");
        let buffer = |value: i32| {
            let mut error = 1;
            let list = [0x5000, 1, 0];
            let list = if way == Way::Pointer { &list[..] } else { &list[2..] };
            // SAFETY: the list is whole.
            let buffer = unsafe {
                let size = COUNT * 4;
                clCreateBufferWithProperties(s.context, list.as_ptr(), 0, size, null_mut(), &mut error)
            };
            if error == CL_INVALID_OPERATION && way == Way::Pointer {
                return None;
            }
            assert_eq!(error, 0);
            s.write(buffer, 0, &value.to_ne_bytes().repeat(COUNT));
            Some(buffer)
        };
        let (x, y, z) = (buffer(1), buffer(10), buffer(100));
        s.finish();
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            println!("SKIP: no device addresses");
            // SAFETY: a handle.
            unsafe { clReleaseKernel(add) };
            return None;
        };
        Some(Bench { s, way, add, x, y, z })
    }

    /// Adds one buffer to another.
    fn add(&self, to: Handle, from: Handle) {
        for (index, buffer) in [(0, to), (1, from)] {
            if self.way == Way::Pointer {
                let address = info::<u64>(buffer, 0x5001).expect("address");
                // SAFETY: the address is the buffer's.
                assert_eq!(unsafe { clSetKernelArgDevicePointerEXT(self.add, index, address) }, 0);
            } else {
                arg(self.add, index, &buffer);
            }
        }
        let none: Handle = if self.way == Way::Preferred { self.x } else { null_mut() };
        arg(self.add, 2, &none);
        launch(self.s.queue, self.add, COUNT);
    }

    fn copy(&self, from: Handle, to: Handle) {
        // SAFETY: both have the size.
        let code = unsafe {
            let size = COUNT * 4;
            clEnqueueCopyBuffer(self.s.queue, from, to, 0, 0, size, 0, std::ptr::null(), null_mut())
        };
        assert_eq!(code, 0);
    }

    /// Returns whether a buffer is full of a number, read by work of its own: no other barrier is at work.
    fn is(&self, buffer: Handle, want: i32) -> bool {
        self.s.finish();
        let want = want.to_ne_bytes();
        self.s.read(buffer, 0, COUNT * 4).chunks(4).all(|c| c == want)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        [self.x, self.y, self.z].into_iter().for_each(release);
        // SAFETY: a handle.
        assert_eq!(unsafe { clReleaseKernel(self.add) }, 0);
    }
}

fn kernel_to_kernel(b: &Bench) -> bool {
    b.add(b.y, b.x);
    b.add(b.z, b.y);
    b.is(b.z, 111)
}

fn kernel_to_copy(b: &Bench) -> bool {
    b.add(b.y, b.x);
    b.copy(b.y, b.z);
    b.is(b.z, 11)
}

fn copy_to_kernel(b: &Bench) -> bool {
    b.copy(b.x, b.y);
    b.add(b.z, b.y);
    b.is(b.z, 101)
}

fn device_to_host(b: &Bench) -> bool {
    b.add(b.y, b.x);
    // SAFETY: a handle.
    assert_eq!(unsafe { clFlush(b.s.queue) }, 0);
    b.is(b.y, 11)
}

/// Waits until no Vulkan device is left that has other modes.
fn no_devices() {
    let since = Instant::now();
    while !testing::alive().is_empty() {
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}", testing::alive());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Right with all barriers, wrong without those of a class.
fn needs(class: &str, way: Way, work: fn(&Bench) -> bool) {
    let _serial = SERIAL.lock().unwrap_or_else(PoisonError::into_inner);
    testing::forgive_messages();
    let messages = || testing::validation_messages().len();
    for dropped in [false, true] {
        let drop = if dropped { format!(",drop={class}") } else { String::new() };
        testing::set_modes(&format!("tune.at_once=0,reorder,stage,shadow,count{drop}"));
        let before = messages();
        let Some(bench) = Bench::new(way) else { return };
        let right = work(&bench);
        std::mem::drop(bench);
        no_devices();
        assert_eq!(right, !dropped, "{class} {way:?}, left out: {dropped}");
        println!("{class} {way:?}: right: {right}; {} messages", messages() - before);
        assert!(dropped || messages() == before, "{:?}", testing::validation_messages());
    }
}

/// The child: synchronization validation has something to say.
#[test]
#[ignore = "run by the next one"]
fn without_a_barrier() {
    testing::set_modes("reorder,stage,shadow,drop=kernel-kernel");
    let Some(bench) = Bench::new(Way::Preferred) else { return };
    kernel_to_kernel(&bench);
    println!("{} messages", testing::validation_messages().len());
}

/// What the other tests of this crate rely on.
#[test]
fn a_process_that_the_layers_complain_about_fails() {
    let program = std::env::current_exe().expect("its path");
    let child = ["--ignored", "--exact", "without_a_barrier", "--nocapture"];
    let output = std::process::Command::new(program).args(child).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let silent =
        !text.contains(" messages") || text.contains("\n0 messages") || text.starts_with("0 messages");
    assert_eq!(output.status.code(), Some(if silent { 0 } else { 101 }), "{text}");
    println!("{}", if silent { "SKIP: no validation layers, or they see nothing here" } else { "it fails" });
}

macro_rules! tests {
    ($($name:ident: $class:literal, $way:ident, $work:ident;)*) => {
        $(#[test]
        fn $name() {
            needs($class, Way::$way, $work);
        })*
    };
}

tests! {
    kernel_to_kernel_by_descriptors: "kernel-kernel", Preferred, kernel_to_kernel;
    kernel_to_copy_by_descriptors: "kernel-copy", Preferred, kernel_to_copy;
    copy_to_kernel_by_descriptors: "copy-kernel", Preferred, copy_to_kernel;
    device_to_host_by_descriptors: "device-host", Preferred, device_to_host;
    kernel_to_kernel_by_addresses: "kernel-kernel", Address, kernel_to_kernel;
    kernel_to_copy_by_addresses: "kernel-copy", Address, kernel_to_copy;
    copy_to_kernel_by_addresses: "copy-kernel", Address, copy_to_kernel;
    device_to_host_by_addresses: "device-host", Address, device_to_host;
    kernel_to_kernel_by_pointers: "kernel-kernel", Pointer, kernel_to_kernel;
    kernel_to_copy_by_pointers: "kernel-copy", Pointer, kernel_to_copy;
    copy_to_kernel_by_pointers: "copy-kernel", Pointer, copy_to_kernel;
    device_to_host_by_pointers: "device-host", Pointer, device_to_host;
}

#[test]
fn the_same_with_several_streams() {
    again::again_in(module_path!(), &["streams=3", "wander,streams=3"]);
}

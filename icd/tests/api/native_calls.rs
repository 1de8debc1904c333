//! Functions of the application as commands (clEnqueueNativeKernel), where the device is the processor.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::event::*;
use pumice::entry::queue::clEnqueueNativeKernel;

use crate::again;
use crate::cl::{Handle, Setup, arg, kernel, launch, noise, release};

/// The arguments: a handle, which becomes a pointer, and a number.
#[repr(C)]
#[derive(Clone, Copy)]
struct Arguments {
    count: u64,
    data: Handle,
    part: Handle,
}

/// Adds to each number of one buffer, and copies the last to the other.
unsafe extern "C" fn add(arguments: *mut c_void) {
    // SAFETY: the block that the test gave, with pointers to as many numbers as it says.
    unsafe {
        let Arguments { count, data, part } = arguments.cast::<Arguments>().read();
        let numbers = std::slice::from_raw_parts_mut(data.cast::<u32>(), count as usize);
        numbers.iter_mut().for_each(|n| *n = n.wrapping_add(7));
        part.cast::<u32>().write(numbers[count as usize - 1]);
    }
}

fn is_native(device: Handle) -> bool {
    let mut capabilities = 0u64;
    let place = (&raw mut capabilities).cast();
    // SAFETY: room for the answer.
    assert_eq!(unsafe { clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, 8, place, null_mut()) }, 0);
    capabilities & CL_EXEC_NATIVE_KERNEL != 0
}

fn call(queue: Handle, block: &Arguments, list: &[Handle], places: &[usize], event: *mut Handle) -> i32 {
    let base = std::ptr::from_ref(block).cast::<c_void>();
    let mut places: Vec<*const c_void> = places.iter().map(|p| base.wrapping_byte_add(*p)).collect();
    // SAFETY: the block has its size, the lists as many elements as is said.
    unsafe {
        let (size, count) = (size_of::<Arguments>(), list.len() as u32);
        let (list, places) = match list {
            [] => (null(), null_mut()),
            list => (list.as_ptr(), places.as_mut_ptr()),
        };
        clEnqueueNativeKernel(queue, Some(add), base.cast_mut(), size, count, list, places, 0, null(), event)
    }
}

/// Between kernels, which see what it wrote and write what it sees.
#[test]
fn kernels_and_functions_take_turns() {
    let Some(setup) = Setup::new() else { return };
    let count = 5000usize;
    let data = setup.filled(&noise(count * 4, 3));
    let whole = setup.buffer(0, 8192);
    let part = setup.sub(whole, 0, 4096, 64).expect("a part");
    let block = Arguments { count: count as u64, data, part };
    let places = [std::mem::offset_of!(Arguments, data), std::mem::offset_of!(Arguments, part)];
    if !is_native(setup.device) {
        let code = call(setup.queue, &block, &[data, part], &places, null_mut());
        assert_eq!(code, CL_INVALID_OPERATION);
        [part, whole, data].into_iter().for_each(release);
        return println!("SKIP: the device is not the processor");
    }
    let source = "kernel void f(global uint *p) { p[get_global_id(0)] *= 3u; }";
    let kernel = kernel(setup.context, source, c"f");
    arg(kernel, 0, &data);
    let mut expected: Vec<u32> = setup
        .read(data, 0, count * 4)
        .chunks(4)
        .map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    for _ in 0..20 {
        launch(setup.queue, kernel, count);
        let mut event = null_mut();
        assert_eq!(call(setup.queue, &block, &[data, part], &places, &mut event), 0);
        launch(setup.queue, kernel, count);
        expected.iter_mut().for_each(|n| *n = n.wrapping_mul(3).wrapping_add(7));
        let last = expected[count - 1].to_ne_bytes();
        assert_eq!(setup.read(part, 0, 4), last);
        expected.iter_mut().for_each(|n| *n = n.wrapping_mul(3));
        let mut kind = 0u32;
        // SAFETY: handles; four bytes.
        unsafe {
            let place = (&raw mut kind).cast();
            assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, place, null_mut()), 0);
            assert_eq!((kind, clReleaseEvent(event)), (CL_COMMAND_NATIVE_KERNEL, 0));
        }
    }
    let bytes: Vec<u8> = expected.iter().flat_map(|n| n.to_ne_bytes()).collect();
    assert_eq!(setup.read(data, 0, count * 4), bytes);
    [part, whole, data].into_iter().for_each(release);
    // SAFETY: a handle.
    assert_eq!(unsafe { pumice::entry::kernel::clReleaseKernel(kernel) }, 0);
}

/// Lists and blocks that do not fit each other.
#[test]
fn errors() {
    let Some(setup) = Setup::new() else { return };
    if !is_native(setup.device) {
        return println!("SKIP: the device is not the processor");
    }
    let data = setup.buffer(0, 64);
    let block = Arguments { count: 1, data, part: data };
    let queue = setup.queue;
    assert_eq!(call(queue, &block, &[data], &[20], null_mut()), CL_INVALID_VALUE, "across the end");
    assert_eq!(call(queue, &block, &[data], &[4000], null_mut()), CL_INVALID_VALUE);
    assert_eq!(call(queue, &block, &[queue], &[8], null_mut()), CL_INVALID_MEM_OBJECT);
    assert_eq!(call(data, &block, &[data], &[8], null_mut()), CL_INVALID_COMMAND_QUEUE);
    // SAFETY: refused before anything is followed.
    unsafe {
        let (none, nowhere, wrong) = (null(), null_mut(), CL_INVALID_VALUE);
        let enqueue = clEnqueueNativeKernel;
        let place = std::ptr::from_ref(&block).cast_mut().cast();
        assert_eq!(enqueue(queue, None, nowhere, 0, 0, none, null_mut(), 0, null(), null_mut()), wrong);
        assert_eq!(enqueue(queue, Some(add), nowhere, 8, 0, none, null_mut(), 0, null(), null_mut()), wrong);
        assert_eq!(enqueue(queue, Some(add), place, 0, 0, none, null_mut(), 0, null(), null_mut()), wrong);
        assert_eq!(enqueue(queue, Some(add), place, 24, 1, none, null_mut(), 0, null(), null_mut()), wrong);
    }
    release(data);
}

#[test]
fn the_same_in_test_modes() {
    // In the others the host does not reach the memory of buffers, which a processor's driver always maps.
    again::again_in(module_path!(), &["shadow", "reorder", "streams=4"]);
}

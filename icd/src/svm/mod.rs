//! Shared virtual memory (OpenCL API §5.6), first form: on devices whose mapped host memory has its own addresses as device
//! addresses. That a device has it is shown by a kernel before it is claimed ([`probe`]).
//!
//! Such memory is one place for host and device. The commands on it are the host's work: they are done when the device has come
//! to them, and what depends on them is held until then.

mod probe;
pub(crate) mod transfer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys as cl;
use vk_runtime::{Buffer, BufferUse, DeviceKind};

use crate::context::Context;
use crate::device::{Device, Runtime};
use crate::error::{ClError, ClResult, ensure, fail};
use crate::ffi::UserPointer;

/// The size of the largest type (long16): the default alignment, and the largest that can be asked for (clSVMAlloc).
const LARGEST: usize = 128;

/// A piece of shared virtual memory.
pub(crate) struct Allocation {
    /// The device that it is on.
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) buffer: Buffer,
    /// Where the buffer begins in the host's memory, and for the device.
    start: UserPointer,
    /// What the application got.
    pointer: UserPointer,
    size: usize,
}

/// The shared virtual memory of a context.
#[derive(Default)]
pub(crate) struct Allocations {
    by_address: Mutex<BTreeMap<usize, Arc<Allocation>>>,
    /// There has been one.
    any: AtomicBool,
}

impl Allocation {
    /// Where its Vulkan buffer begins.
    pub(crate) fn buffer_start(&self) -> *mut u8 {
        self.start.0.cast()
    }

    /// Where an address in it lies in its Vulkan buffer.
    pub(crate) fn offset_of(&self, address: usize) -> u64 {
        address.wrapping_sub(self.start.0.addr()) as u64
    }

    /// Whether so many bytes from an address in it on are in it.
    pub(crate) fn holds(&self, address: usize, size: u64) -> bool {
        let end = (self.pointer.0.addr() + self.size) as u64;
        (address as u64).checked_add(size).is_some_and(|e| e <= end)
    }
}

impl Allocations {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Allocation>>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocation that an address lies in.
    pub(crate) fn find(&self, address: usize) -> Option<Arc<Allocation>> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let map = self.lock();
        let (_, allocation) = map.range(..=address).next_back()?;
        // One past the end is no address in it.
        allocation.holds(address, 1).then(|| allocation.clone())
    }

    /// Forgets an allocation, by what clSVMAlloc returned. Its memory goes when the commands that are recorded have finished.
    pub(crate) fn remove(&self, address: usize) -> Option<Arc<Allocation>> {
        self.lock().remove(&address)
    }
}

/// clSVMAlloc (§5.6.1).
///
/// # Errors
/// The function returns NULL for all of them: CL_INVALID_OPERATION without a device that has shared virtual memory,
/// CL_INVALID_VALUE for flags, sizes and alignments that are not possible, CL_MEM_OBJECT_ALLOCATION_FAILURE.
pub(crate) fn allocate(
    context: &Context,
    flags: cl::cl_svm_mem_flags,
    size: usize,
    alignment: u32,
) -> ClResult<UserPointer> {
    const KERNEL: u64 = cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY;
    const FINE: u64 = cl::CL_MEM_SVM_FINE_GRAIN_BUFFER;
    const ATOMICS: u64 = cl::CL_MEM_SVM_ATOMICS;
    let known = flags & !(KERNEL | FINE | ATOMICS) == 0 && (flags & KERNEL).count_ones() <= 1;
    ensure(known && (flags & ATOMICS == 0 || flags & FINE != 0), cl::CL_INVALID_VALUE)?;
    let mut capable = context.devices.iter().filter(|d| d.svm_capabilities() != 0);
    let device = capable.next().ok_or(ClError(cl::CL_INVALID_OPERATION))?;
    // One piece of memory is on one device; no two devices of one machine share addresses in this form.
    ensure(capable.next().is_none(), cl::CL_INVALID_OPERATION)?;
    let has = device.svm_capabilities();
    let supported = (flags & FINE == 0 || has & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0)
        && (flags & ATOMICS == 0 || has & cl::CL_DEVICE_SVM_ATOMICS != 0);
    ensure(supported, cl::CL_INVALID_VALUE)?;
    let alignment = if alignment == 0 { LARGEST } else { alignment as usize };
    ensure(alignment.is_power_of_two() && alignment <= LARGEST, cl::CL_INVALID_VALUE)?;
    let runtime = context.runtime(device)?;
    let fits = size > 0 && context.devices.iter().all(|d| size as u64 <= d.caps.max_mem_alloc_size);
    ensure(fits, cl::CL_INVALID_VALUE)?;
    // Every allocation is aligned for the largest type, so that a buffer made of it is; the Vulkan buffer may begin anywhere.
    let buffer = runtime.device.create_buffer(size as u64 + LARGEST as u64, BufferUse::Svm)?;
    let start = shared_start(&buffer).ok_or(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    let skew = start.addr().next_multiple_of(LARGEST) - start.addr();
    let pointer = UserPointer(start.wrapping_add(skew).cast());
    let start = UserPointer(start.cast());
    let allocation = Allocation { runtime: runtime.clone(), buffer, start, pointer, size };
    context.svm.lock().insert(pointer.0.addr(), Arc::new(allocation));
    context.svm.any.store(true, Ordering::Release);
    Ok(pointer)
}

/// Where a buffer begins, if that is the same for host and device.
fn shared_start(buffer: &Buffer) -> Option<*mut u8> {
    let start = buffer.host_ptr()?;
    (buffer.device_address() == Some(start.addr() as u64) && buffer.is_coherent()).then_some(start)
}

/// CL_DEVICE_SVM_CAPABILITIES, found by running a kernel; 0 for a device that need not be asked.
pub(crate) fn capabilities(device: &Device) -> cl::cl_device_svm_capabilities {
    let kind = device.physical.kind();
    let features = &device.target.features;
    if kind != DeviceKind::Cpu || !features.buffer_device_address || !features.shader_int64 {
        return 0;
    }
    match probe::run(device) {
        Ok(true) => cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
        Ok(false) => 0,
        Err(ClError(code)) => {
            log::warn!("no shared virtual memory: the kernel that shows it failed ({code})");
            0
        }
    }
}

/// Checks that a command's device has shared virtual memory.
///
/// # Errors
/// CL_INVALID_OPERATION (§5.6.1, every clEnqueueSVM* function).
pub(crate) fn check(device: &Device) -> ClResult<()> {
    if device.svm_capabilities() == 0 { fail(cl::CL_INVALID_OPERATION) } else { Ok(()) }
}

//! Shared virtual memory (OpenCL API §5.6) and unified shared memory: pointers that host and kernels follow alike.
//!
//! | module | what it is |
//! |---|---|
//! | [`way`] | how a device comes to share addresses: what is tried, and what was seen |
//! | [`probe`] | the kernels that show it |
//! | [`heap`], [`ranges`] | the memory that allocations are made of |
//! | [`transfer`] | the commands |
//! | [`usm`] | cl_intel_unified_shared_memory |
//!
//! Such memory is one place for host and device. A context finds the allocation of a pointer in logarithmic time, so that what uses it
//! is ordered and waited for like what uses a buffer. docs/svm.md tells the whole.

mod heap;
mod probe;
mod ranges;
pub(crate) mod transfer;
pub(crate) mod usm;
pub(crate) mod way;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys as cl;
use vk_runtime::{Buffer, SharedPlace, SharedWay};

use crate::context::Context;
use crate::device::{Device, Runtime};
use crate::error::{ClError, ClResult, ensure, fail};
use crate::ffi::UserPointer;
pub(crate) use heap::Heap;
use heap::Piece;

/// The size of the largest type (long16): the default alignment, and the largest that can be asked for (clSVMAlloc).
pub(crate) const LARGEST: usize = 128;

/// Who made an allocation, and so what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// clSVMAlloc.
    Svm,
    /// clHostMemAllocINTEL.
    Host,
    /// clDeviceMemAllocINTEL: the host has pointers to it and never follows them.
    Device,
    /// clSharedMemAllocINTEL.
    Shared,
}

/// A piece of shared memory.
pub(crate) struct Allocation {
    /// The Vulkan device that it is on.
    pub(crate) runtime: Arc<Runtime>,
    /// `None` once it is being given back.
    piece: Option<Piece>,
    pub(crate) buffer: Buffer,
    /// What the application got, and where that lies in the buffer.
    pub(crate) pointer: UserPointer,
    offset: u64,
    pub(crate) size: usize,
    pub(crate) kind: Kind,
    /// The OpenCL device that it was asked for, and flags (unified shared memory).
    pub(crate) device: Option<Arc<Device>>,
    pub(crate) flags: u64,
}

/// The shared memory of a context.
#[derive(Default)]
pub(crate) struct Allocations {
    by_address: Mutex<BTreeMap<usize, Arc<Allocation>>>,
    /// There has been one.
    any: AtomicBool,
}

/// What is asked of [`Allocations::make`].
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) place: SharedPlace,
    pub(crate) size: usize,
    pub(crate) device: Option<Arc<Device>>,
    pub(crate) flags: u64,
}

impl Allocation {
    /// Where an address in it lies in its Vulkan buffer.
    pub(crate) fn offset_of(&self, address: usize) -> u64 {
        self.offset.wrapping_add(address.wrapping_sub(self.pointer.0.addr()) as u64)
    }

    /// The host's pointer to a byte of its Vulkan buffer.
    pub(crate) fn host_pointer(&self, offset: u64) -> *mut u8 {
        let from = usize::try_from(offset.wrapping_sub(self.offset)).unwrap_or(0);
        self.pointer.0.cast::<u8>().wrapping_add(from)
    }

    /// The bytes of its Vulkan buffer that it is.
    pub(crate) fn span(&self) -> (u64, u64) {
        (self.offset, self.offset + self.size as u64)
    }

    /// Whether so many bytes from an address in it on are in it.
    pub(crate) fn holds(&self, address: usize, size: u64) -> bool {
        let end = (self.pointer.0.addr() + self.size) as u64;
        (address as u64).checked_add(size).is_some_and(|e| e <= end)
    }

    /// Whether the host may follow pointers to it.
    pub(crate) fn is_hosts(&self) -> bool {
        self.kind != Kind::Device
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let (Some(piece), Some(heap)) = (self.piece.take(), &self.runtime.heap) {
            heap.free(piece, &self.runtime.stream);
        }
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

    /// The same where the host may follow the address.
    pub(crate) fn find_hosts(&self, address: usize) -> Option<Arc<Allocation>> {
        self.find(address).filter(|a| a.is_hosts())
    }

    /// Forgets an allocation, by what the application got, if it is `such`. Its memory goes when the commands that are recorded have
    /// finished.
    pub(crate) fn remove(&self, address: usize, such: impl FnOnce(Kind) -> bool) -> Option<Arc<Allocation>> {
        let mut map = self.lock();
        let kind = map.get(&address)?.kind;
        if such(kind) { map.remove(&address) } else { None }
    }

    /// Makes an allocation on a Vulkan device.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE.
    pub(crate) fn make(&self, runtime: &Arc<Runtime>, asked: Asked) -> ClResult<UserPointer> {
        const FAILURE: ClError = ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let heap = runtime.heap.as_ref().ok_or(FAILURE)?;
        let Asked { kind, place, size, device, flags } = asked;
        let piece = heap.allocate(place, size as u64, &runtime.stream)?;
        let address = piece.pointer(heap.base()).ok_or(FAILURE)?;
        let pointer = UserPointer(std::ptr::with_exposed_provenance_mut(address));
        let (buffer, offset) = (piece.buffer.clone(), piece.offset);
        let runtime = runtime.clone();
        let allocation =
            Allocation { runtime, piece: Some(piece), buffer, pointer, offset, size, kind, device, flags };
        self.lock().insert(address, Arc::new(allocation));
        self.any.store(true, Ordering::Release);
        Ok(pointer)
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
    let device = only_capable(context)?;
    let has = device.svm_capabilities();
    let supported = (flags & FINE == 0 || has & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0)
        && (flags & ATOMICS == 0 || has & cl::CL_DEVICE_SVM_ATOMICS != 0);
    ensure(supported, cl::CL_INVALID_VALUE)?;
    check_alignment(alignment)?;
    let fits = size > 0 && context.devices.iter().all(|d| size as u64 <= d.caps.max_mem_alloc_size);
    ensure(fits, cl::CL_INVALID_VALUE)?;
    // What the host may read at any time is better in its own memory; what it maps before, in the device's.
    let place = if flags & FINE != 0 { SharedPlace::Host } else { SharedPlace::Device };
    let asked = Asked { kind: Kind::Svm, place, size, device: None, flags };
    context.svm.make(context.runtime(device)?, asked)
}

/// The device of a context that has shared memory. One piece of memory is on one device: no two of one machine share addresses.
///
/// # Errors
/// CL_INVALID_OPERATION unless there is exactly one.
pub(crate) fn only_capable(context: &Context) -> ClResult<&Arc<Device>> {
    let mut capable = context.devices.iter().filter(|d| d.svm_capabilities() != 0);
    let device = capable.next().ok_or(ClError(cl::CL_INVALID_OPERATION))?;
    ensure(capable.next().is_none(), cl::CL_INVALID_OPERATION)?;
    Ok(device)
}

/// Checks an alignment that is asked for; every allocation is aligned for the largest type.
///
/// # Errors
/// CL_INVALID_VALUE.
pub(crate) fn check_alignment(alignment: u32) -> ClResult<()> {
    let alignment = alignment as usize;
    let possible = alignment == 0 || (alignment.is_power_of_two() && alignment <= LARGEST);
    ensure(possible, cl::CL_INVALID_VALUE)
}

/// Checks that a command's device has shared virtual memory.
///
/// # Errors
/// CL_INVALID_OPERATION (§5.6.1, every clEnqueueSVM* function).
pub(crate) fn check(device: &Device) -> ClResult<()> {
    if device.svm_capabilities() == 0 { fail(cl::CL_INVALID_OPERATION) } else { Ok(()) }
}

impl Runtime {
    /// What device addresses are more than the pointers that kernels keep ([`vk_runtime::Device::shared_base`]). To be asked before a
    /// program is loaded that was lowered for a difference.
    pub(crate) fn shared_base(&self) -> u64 {
        self.heap.as_ref().map_or(0, Heap::base)
    }

    /// Whether the device's copies of shared memory are better than the host's.
    pub(crate) fn copies_on_device(&self) -> bool {
        self.heap.as_ref().is_some_and(|heap| heap.way != Some(SharedWay::Identity))
    }
}

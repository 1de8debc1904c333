//! Shared virtual memory (OpenCL API §5.6) and unified shared memory: pointers that host and kernels follow alike.
//!
//! | module | what it is |
//! |---|---|
//! | [`mapping`] | the mapping between device and host addresses: what is tried, and what works |
//! | [`probe`] | the kernels that show it |
//! | [`heap`], [`ranges`] | the memory that allocations are made of |
//! | [`multi_device`] | that of contexts of several devices |
//! | [`coarse`], [`spans`], [`map_predictor`] | memory that lies twice: what maps copy, and what is copied before they ask |
//! | [`transfer`] | the commands |
//! | [`usm`] | cl_intel_unified_shared_memory |
//!
//! This memory is one place for host and device, or looks so ([`coarse`]). A context finds the allocation of a pointer in logarithmic time, so that what uses it
//! is ordered and waited for like what uses a buffer. docs/explanation/svm.md tells the whole.

pub(crate) mod coarse;
mod heap;
mod map_predictor;
pub(crate) mod mapping;
pub(crate) mod multi_device;
mod probe;
mod ranges;
mod spans;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use lower::check::Checks;
use opencl_sys as cl;
use smallvec::{SmallVec, smallvec};
use vk_runtime::{AddressMapping, Buffer, DeviceKind, Queue as Stream, SharedPlace};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::device::context::Context;
use crate::device::{Device, Runtime};
use coarse::Coarse;
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
    /// The Vulkan devices that reach it, and the buffer that it is a part of on each; of the first one it is made.
    places: Places,
    /// `None` once it is being given back.
    memory: Option<Memory>,
    /// The application's pointer, and its offset in the buffers.
    pub(crate) pointer: UserPointer,
    offset: u64,
    pub(crate) size: usize,
    pub(crate) kind: Kind,
    /// The host's own memory, if it has any.
    coarse: Option<Coarse>,
    /// The OpenCL device that it was asked for, and flags (unified shared memory).
    pub(crate) device: Option<Arc<Device>>,
    pub(crate) flags: u64,
}

type Places = SmallVec<[(Arc<Runtime>, Buffer); 1]>;

/// The memory of an allocation.
enum Memory {
    /// A device's shared memory.
    Own(Piece),
    /// The process's, which several devices reach.
    MultiDevice(multi_device::Part),
}

/// The shared memory of a context.
#[derive(Default)]
pub(crate) struct Allocations {
    by_address: Mutex<BTreeMap<usize, Arc<Allocation>>>,
    /// There has been one.
    any: AtomicBool,
    /// How many were made or forgotten.
    changes: AtomicU64,
    /// How many kernels were recorded that may write any of it.
    anything: Arc<AtomicU64>,
    /// Allocations that were freed, the oldest first, which the checking mode keeps (`lifetime`): nobody gets their addresses again.
    quarantine: Mutex<Vec<Arc<Allocation>>>,
}

/// The arguments of [`Allocations::make`].
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) place: SharedPlace,
    pub(crate) size: usize,
    pub(crate) device: Option<Arc<Device>>,
    pub(crate) flags: u64,
}

impl Allocation {
    /// The Vulkan device that it was made on, or the first of those that reach it.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT, which cannot be: there is one.
    pub(crate) fn home(&self) -> ClResult<&Arc<Runtime>> {
        Ok(&self.places.first().ok_or(ClError(cl::CL_INVALID_CONTEXT))?.0)
    }

    /// The buffer that it is a part of on a Vulkan device, if that reaches it.
    pub(crate) fn on(&self, runtime: &Arc<Runtime>) -> Option<&Buffer> {
        self.places.iter().find(|(place, _)| Arc::ptr_eq(place, runtime)).map(|(_, buffer)| buffer)
    }

    /// The same, by the Vulkan device itself.
    pub(crate) fn on_device(&self, device: &vk_runtime::Device) -> Option<&Buffer> {
        self.places.iter().find(|(place, _)| place.device == *device).map(|(_, buffer)| buffer)
    }

    /// The Vulkan devices that reach it.
    pub(crate) fn runtimes(&self) -> impl Iterator<Item = &Arc<Runtime>> {
        self.places.iter().map(|(runtime, _)| runtime)
    }

    /// Returns whether all devices of its context that share memory reach it.
    pub(crate) fn is_multi_device(&self) -> bool {
        matches!(self.memory, Some(Memory::MultiDevice(_)))
    }

    /// Returns the offset of an address in its Vulkan buffer.
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

    /// Returns whether so many bytes from an address in it on are in it.
    pub(crate) fn holds(&self, address: usize, size: u64) -> bool {
        let end = (self.pointer.0.addr() + self.size) as u64;
        (address as u64).checked_add(size).is_some_and(|e| e <= end)
    }

    /// The addresses that it has.
    pub(crate) fn addresses(&self) -> Range<usize> {
        let start = self.pointer.0.addr();
        start..start + self.size
    }

    /// Returns whether it is the memory at these addresses.
    pub(crate) fn lies_at(&self, memory: &Range<usize>) -> bool {
        memory.contains(&self.pointer.0.addr())
    }

    /// Returns whether the host may follow pointers to it.
    pub(crate) fn is_hosts(&self) -> bool {
        self.kind != Kind::Device
    }

    /// A command was recorded that may write bytes of its Vulkan buffer on the device.
    pub(crate) fn written(&self, bytes: Range<u64>) {
        if let Some(coarse) = &self.coarse {
            coarse.written(&bytes);
        }
    }

    /// A kernel was recorded on a stream that may write all of it on the device.
    ///
    /// # Errors
    /// What bringing it to the host ahead gives.
    pub(crate) fn after_kernel(&self, stream: &Stream) -> ClResult<()> {
        match self.coarse() {
            Some((coarse, runtime, buffer)) if *stream.device() == runtime.device => {
                coarse.after_kernel(stream, buffer, &(self.offset..self.offset + self.size as u64))
            }
            _ => Ok(()),
        }
    }

    /// Returns what is known of it where the host has memory of its own, with the Vulkan device and the buffer there. That is one.
    pub(crate) fn coarse(&self) -> Option<(&Coarse, &Arc<Runtime>, &Buffer)> {
        let (runtime, buffer) = self.places.first()?;
        Some((self.coarse.as_ref()?, runtime, buffer))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match self.memory.take() {
            Some(Memory::Own(piece)) => {
                let runtime = self.places.first().map(|(runtime, _)| runtime);
                if let Some((runtime, heap)) = runtime.and_then(|r| r.heap.as_ref().map(|heap| (r, heap))) {
                    heap.free(piece, &runtime.stream);
                }
            }
            Some(Memory::MultiDevice(part)) => part.free(&self.places),
            None => {}
        }
    }
}

impl Allocations {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Allocation>>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocation of an address.
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

    /// A number that grows with each allocation that is made or forgotten.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Forgets an allocation, by what the application got, if it is `such`. Its memory goes when the commands that are recorded have
    /// finished.
    pub(crate) fn remove(&self, address: usize, such: impl FnOnce(Kind) -> bool) -> Option<Arc<Allocation>> {
        let mut map = self.lock();
        let kind = map.get(&address)?.kind;
        self.changes.fetch_add(1, Ordering::AcqRel);
        let removed = if such(kind) { map.remove(&address) } else { None };
        if let Some(allocation) = &removed
            && host::check::checks().contains(Checks::LIFETIME)
        {
            self.keep_freed(allocation.clone());
        }
        removed
    }

    /// Keeps a freed allocation, and lets the oldest ones go where all take too much.
    fn keep_freed(&self, allocation: Arc<Allocation>) {
        let mut kept = self.quarantine.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(allocation);
        let mut bytes: usize = kept.iter().map(|a| a.size).sum();
        while bytes > MAX_QUARANTINE && !kept.is_empty() {
            bytes -= kept.remove(0).size;
        }
    }

    /// The size of the freed allocation that an address is in, if it is still known.
    pub(crate) fn freed_at(&self, address: u64) -> Option<usize> {
        let address = usize::try_from(address).ok()?;
        let kept = self.quarantine.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|a| a.holds(address, 1)).map(|a| a.size)
    }

    /// A kernel was recorded that may write any of it.
    pub(crate) fn anything_written(&self) {
        self.anything.fetch_add(1, Ordering::AcqRel);
    }

    /// Makes an allocation on a Vulkan device, or one that all of several reach.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE.
    pub(crate) fn make(&self, runtimes: &[Arc<Runtime>], asked: Asked) -> ClResult<UserPointer> {
        let Asked { kind, place, size, device, flags } = asked;
        let first = runtimes.first().ok_or(FAILURE)?;
        let heap = first.heap.as_ref().ok_or(FAILURE)?;
        // A processor's own memory is the process's.
        let joins = place != SharedPlace::Hidden || first.device.physical().kind() == DeviceKind::Cpu;
        let (memory, places, address, offset) = if heap.multi_device.is_some() && joins {
            let (part, places) = multi_device(runtimes, size as u64)?;
            let (address, offset) = (part.address(), part.at);
            (Memory::MultiDevice(part), places, address, offset)
        } else {
            let piece = heap.allocate(place, size as u64, &first.stream)?;
            let address = piece.pointer(heap.base()).ok_or(FAILURE)?;
            let (buffer, offset) = (piece.buffer.clone(), piece.offset);
            (Memory::Own(piece), smallvec![(first.clone(), buffer)], address, offset)
        };
        let pointer = UserPointer(std::ptr::with_exposed_provenance_mut(address));
        let bytes = offset..offset + size as u64;
        let copied = matches!(&memory, Memory::Own(piece) if piece.is_copied());
        let coarse = copied.then(|| Coarse::new(bytes, &self.anything));
        let memory = Some(memory);
        let allocation = Allocation { places, memory, pointer, offset, size, kind, coarse, device, flags };
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.lock().insert(address, Arc::new(allocation));
        self.any.store(true, Ordering::Release);
        Ok(pointer)
    }
}

/// The largest number of bytes of freed allocations that the checking mode keeps.
const MAX_QUARANTINE: usize = 64 << 20;

const FAILURE: ClError = ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE);

/// A part of the process's memory, and what it is on each of some devices.
fn multi_device(runtimes: &[Arc<Runtime>], size: u64) -> ClResult<(multi_device::Part, Places)> {
    let mut places = Places::new();
    let mut memory = None;
    for runtime in runtimes {
        runtime.shared_base();
        let reach = runtime.heap.as_ref().and_then(|heap| heap.multi_device.as_ref()).ok_or(FAILURE)?;
        let (multi_device, buffer) = reach.get().ok_or(FAILURE)?;
        ensure(reach.works(|| probe::follows(runtime, multi_device)), FAILURE.0)?;
        memory = Some(multi_device);
        places.push((runtime.clone(), buffer.clone()));
    }
    Ok((memory.ok_or(FAILURE)?.allocate(size)?, places))
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
    let runtimes = sharing(context)?;
    let all = context.devices.iter().map(|d| d.svm_capabilities()).filter(|has| *has != 0);
    let has = all.fold(!0, |a, b| a & b);
    let supported = (flags & FINE == 0 || has & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0)
        && (flags & ATOMICS == 0 || has & cl::CL_DEVICE_SVM_ATOMICS != 0);
    ensure(supported, cl::CL_INVALID_VALUE)?;
    check_alignment(alignment)?;
    let fits = size > 0 && context.devices.iter().all(|d| size as u64 <= d.caps.max_mem_alloc_size);
    ensure(fits, cl::CL_INVALID_VALUE)?;
    // What the host may read at any time is better in its own memory; what it maps before, in the device's, and in the host's too
    // where reading that would go over the bus.
    let copies = context.devices.iter().any(|device| device.shared().copies);
    let place = match flags & FINE != 0 {
        true => SharedPlace::Host,
        false if copies => SharedPlace::Copied,
        false => SharedPlace::Device,
    };
    let asked = Asked { kind: Kind::Svm, place, size, device: None, flags };
    context.svm.make(&runtimes, asked)
}

/// The Vulkan devices of a context that share memory.
///
/// # Errors
/// CL_INVALID_OPERATION when none does.
pub(crate) fn sharing(context: &Context) -> ClResult<SmallVec<[Arc<Runtime>; 2]>> {
    let pairs = context.devices.iter().zip(context.runtimes());
    let found: SmallVec<_> =
        pairs.filter(|(d, _)| d.svm_capabilities() != 0).map(|(_, runtime)| runtime.clone()).collect();
    ensure(!found.is_empty(), cl::CL_INVALID_OPERATION)?;
    Ok(found)
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
    /// Returns what device addresses are more than the pointers that kernels keep ([`vk_runtime::Device::shared_base`]). To be asked before a
    /// program is loaded that was lowered for a difference.
    pub(crate) fn shared_base(&self) -> u64 {
        self.heap.as_ref().map_or(0, Heap::base)
    }

    /// The same for a launch. In contexts of several devices that is settled with the first shared memory: before, kernels get
    /// no pointers, and many programs never have any.
    pub(crate) fn base_of_launch(&self) -> u64 {
        match &self.heap {
            Some(heap) if heap.multi_device.is_some() => self.device.shared_base(),
            _ => self.shared_base(),
        }
    }

    /// The mapping by which it shares memory with the host, if it does.
    pub(crate) fn mapping(&self) -> Option<AddressMapping> {
        self.heap.as_ref()?.mapping
    }

    /// Returns whether the device's copies of shared memory are better than the host's.
    pub(crate) fn copies_on_device(&self) -> bool {
        self.heap.as_ref().is_some_and(|heap| heap.mapping != Some(AddressMapping::Identity))
    }
}

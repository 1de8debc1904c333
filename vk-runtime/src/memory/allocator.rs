//! Device memory: suballocated by gpu-allocator, or dedicated for the very large, behind one type.
//!
//! The memory type is chosen here, from Vulkan's property flags, for both; gpu-allocator then sees one
//! permitted type only.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use ash::vk;
use ash::vk::Handle;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationError, AllocationSizes, MemoryLocation};
use vk::MemoryPropertyFlags as Flags;

use crate::device::options::{BarrierClass, DeviceOptions};
use crate::device::physical::{DeviceKind, PhysicalDevice, PhysicalInfo};
use crate::device::tune::Tune;
use crate::error::{Call, RuntimeError};
use crate::memory::budget::Budget;
use crate::memory::host_access::Reach;
use crate::memory::packed_blocks::{Block, Blocks};
use crate::memory::shadow_mapping::Shadow;
use crate::memory::write_combined;
use crate::process::event_listener::{self, Activity};
use crate::process::parallel_copy;

/// The size of long16, in bytes.
const LARGEST_TYPE: u64 = 128;

/// Buffers above this get a vkAllocateMemory of their own.
const DEDICATED_ABOVE: u64 = 256 << 20;
/// Mapped memory begins at a multiple of this where the driver's mappings do: the size of OpenCL's largest type.
const HOST_ALIGN: u64 = 128;
const MIB: u64 = 1 << 20;
/// Buffers up to this go into a window that the host has to a part of the device's memory.
const WINDOW_SMALL: u64 = 64 << 10;

/// The use of a buffer, which decides its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub enum BufferUse {
    /// For kernels: device-local memory, mapped too if host and device share memory.
    #[default]
    Device,
    /// Host memory that the device reads, mapped.
    Upload,
    /// Cached host memory that the device reads or writes, mapped: staging.
    Download,
    /// What kernels read and write at each access, and the host rarely: the device's memory, mapped if the host reaches all of it.
    Records,
    /// Host memory that kernels work on too, mapped, cached where possible (CL_MEM_ALLOC_HOST_PTR).
    HostPinned,
    /// Memory that host and kernels share, mapped, device-local where possible. It is shared virtual memory where
    /// [`Buffer::host_ptr`](crate::Buffer::host_ptr) equals [`Buffer::device_address`](crate::Buffer::device_address).
    Svm,
}

impl BufferUse {
    /// Returns whether the host must reach it.
    fn is_host(self) -> bool {
        !matches!(self, BufferUse::Device | BufferUse::Records)
    }
}

/// The use of memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Holder {
    Buffer(vk::Buffer),
    /// With optimal tiling.
    Image(vk::Image),
}

/// The allocator of one device.
pub(crate) struct Memory {
    /// Dropped (freeing its blocks) before the device is destroyed.
    allocator: ManuallyDrop<Mutex<Allocator>>,
    device: ash::Device,
    /// The counts of bytes that are allocated from each heap.
    counts: Arc<PhysicalInfo>,
    budget: Option<Budget>,
    /// The blocks of the packed model, for kernels without device addresses.
    blocks: Option<Blocks>,
    properties: vk::PhysicalDeviceMemoryProperties,
    /// Host and device share memory: integrated GPUs and CPUs.
    unified: bool,
    device_addresses: bool,
    atom: u64,
    /// DeviceOptions.
    always_stage: bool,
    window: bool,
    shadow: bool,
    stale_reads: bool,
    copy_threads: usize,
    tune: Tune,
}

/// A piece of device memory. Given back through [`Memory::free`].
pub(crate) struct MemoryPart {
    backing: Backing,
    pub(crate) memory: vk::DeviceMemory,
    pub(crate) offset: u64,
    size: u64,
    /// Counted as used of its heap; `None`: memory that was imported.
    heap: Option<u32>,
    pub(crate) flags: Flags,
    mapped: Option<NonNull<u8>>,
    /// DeviceOptions::shadow_mappings: what the host sees in place of `mapped`.
    shadow: Option<Shadow>,
}

/// The sharing of a buffer's memory with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Not,
    /// In such memory as there is, or nowhere.
    Present,
    Any,
}

enum Backing {
    Part(Allocation),
    Dedicated,
    /// At the part's offset.
    Block(Arc<Block>),
    /// Another API's.
    External,
}

// SAFETY: the pointer is to mapped device memory, which any thread may access; accesses go through raw copies only.
unsafe impl Send for MemoryPart {}
// SAFETY: as above; nothing is mutated through a shared reference but the mapped bytes, by raw copies.
unsafe impl Sync for MemoryPart {}

impl Memory {
    pub(crate) fn new(
        physical: &PhysicalDevice,
        device: &ash::Device,
        device_addresses: bool,
        blocks: Option<Blocks>,
        options: &DeviceOptions<'_>,
    ) -> Result<Self, RuntimeError> {
        let (instance, info) = (&physical.instance.inner.raw, &*physical.info);
        let mut debug_settings = gpu_allocator::AllocatorDebugSettings::default();
        debug_settings.log_leaks_on_shutdown = cfg!(debug_assertions);
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.clone(),
            physical_device: physical.handle,
            debug_settings,
            buffer_device_address: device_addresses,
            allocation_sizes: AllocationSizes::new(16 * MIB, 8 * MIB)
                .with_max_device_memblock_size(256 * MIB)
                .with_max_host_memblock_size(64 * MIB),
        })
        .map_err(|e| allocation_error(&e))?;
        Ok(Memory {
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            device: device.clone(),
            counts: physical.info.clone(),
            blocks,
            budget: info.present.memory_budget.then(|| Budget::new(instance, physical.handle)),
            properties: info.memory,
            unified: matches!(info.kind, DeviceKind::Integrated | DeviceKind::Cpu),
            device_addresses,
            atom: info.properties.limits.non_coherent_atom_size.max(1),
            always_stage: options.always_stage,
            window: options.window,
            shadow: options.shadow_mappings,
            tune: options.tune,
            copy_threads: if options.always_stage { 2 } else { parallel_copy::threads() },
            stale_reads: options.drop_barrier == Some(BarrierClass::DeviceToHost),
        })
    }

    /// Memory types that suit a use and a size, best first.
    fn candidates(&self, usage: BufferUse, size: u64, bits: u32) -> Vec<u32> {
        let mapped = Flags::HOST_VISIBLE;
        let (local, cached, coherent) = (Flags::DEVICE_LOCAL, Flags::HOST_CACHED, Flags::HOST_COHERENT);
        let preferences = match (usage, self.unified) {
            // Never host memory on a discrete GPU: two orders slower, and running out must be an error.
            (BufferUse::Device, false) if size <= self.window_limit() => {
                vec![local | mapped | coherent, local]
            }
            (BufferUse::Records, false) if self.has_whole_window() => vec![local | mapped | coherent, local],
            (BufferUse::Device | BufferUse::Records, false) => vec![local],
            (BufferUse::Device | BufferUse::Records, true) => {
                vec![
                    local | mapped | cached | coherent,
                    local | mapped | cached,
                    local | mapped,
                    local,
                    mapped,
                ]
            }
            (BufferUse::Upload, _) => vec![mapped | coherent, mapped],
            (BufferUse::Download | BufferUse::HostPinned, _) => {
                vec![mapped | cached | coherent, mapped | cached, mapped]
            }
            (BufferUse::Svm, _) => vec![
                local | mapped | cached | coherent,
                local | mapped | coherent,
                mapped | cached | coherent,
                mapped | coherent,
            ],
        };
        // Types that need features which are not enabled, or are no use for buffers.
        let shunned = Flags::PROTECTED
            | Flags::LAZILY_ALLOCATED
            | Flags::DEVICE_COHERENT_AMD
            | Flags::DEVICE_UNCACHED_AMD
            | Flags::RDMA_CAPABLE_NV;
        let mut found: Vec<u32> = Vec::new();
        for wanted in preferences {
            for (ty, index) in self.properties.memory_types_as_slice().iter().zip(0u32..) {
                let usable = bits & (1 << index) != 0 && !ty.property_flags.intersects(shunned);
                if usable && ty.property_flags.contains(wanted) && !found.contains(&index) {
                    found.push(index);
                }
            }
        }
        found
    }

    /// Buffers up to this are put where the host reaches device memory. A window to a part of it is small.
    fn window_limit(&self) -> u64 {
        if self.has_whole_window() {
            self.tune.window_buffer
        } else {
            self.tune.window_buffer.min(WINDOW_SMALL)
        }
    }

    /// Returns whether the host reaches all of the device's memory.
    fn has_whole_window(&self) -> bool {
        let heap = |wanted: Flags| {
            let mut types = self.properties.memory_types_as_slice().iter();
            types.find(|ty| ty.property_flags.contains(wanted)).map(|ty| ty.heap_index)
        };
        let window = heap(Flags::DEVICE_LOCAL | Flags::HOST_VISIBLE | Flags::HOST_COHERENT);
        let largest = self.properties.memory_heaps_as_slice().iter().zip(0u32..);
        let largest = largest.filter(|(heap, _)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        window.is_some() && window == largest.max_by_key(|(heap, _)| heap.size).map(|(_, i)| i)
    }

    /// Returns whether memory that is shared ([`BufferUse::Svm`]) is the device's own, and the host reads it through a cache.
    pub(crate) fn shares_cached(&self) -> bool {
        let first = self.candidates(BufferUse::Svm, 0, u32::MAX).first().copied();
        let ty = first.and_then(|index| self.properties.memory_types_as_slice().get(index as usize));
        ty.is_some_and(|ty| ty.property_flags.contains(Flags::HOST_CACHED))
    }

    /// Returns whether the device has memory of its own, or is to behave so.
    pub(crate) fn has_own(&self) -> bool {
        !self.unified || self.always_stage
    }

    /// Returns whether host and device share memory.
    pub(crate) fn is_unified(&self) -> bool {
        self.unified
    }

    /// Returns how many threads copy large amounts of host data.
    pub(crate) fn copy_threads(&self) -> usize {
        self.copy_threads
    }

    /// Returns whether mappings are shadow copies.
    pub(crate) fn has_shadows(&self) -> bool {
        self.shadow
    }

    /// The type to import host memory as.
    pub(crate) fn import_type(&self, bits: u32) -> Option<(u32, Flags)> {
        let index = *self.candidates(BufferUse::HostPinned, u64::MAX, bits).first()?;
        self.properties.memory_types_as_slice().get(index as usize).map(|t| (index, t.property_flags))
    }

    /// The types as which another API's memory may be imported, best first: device memory, then what the host reaches.
    pub(crate) fn import_types(&self, bits: u32) -> Vec<(u32, Flags)> {
        let types = self.properties.memory_types_as_slice();
        let mut found = self.candidates(BufferUse::Device, u64::MAX, bits);
        for index in self.candidates(BufferUse::HostPinned, u64::MAX, bits) {
            if !found.contains(&index) {
                found.push(index);
            }
        }
        found.into_iter().filter_map(|i| Some((i, types.get(i as usize)?.property_flags))).collect()
    }

    /// Memory for an image, which the host never reaches.
    pub(crate) fn allocate_image(
        &self,
        image: Holder,
        requirements: vk::MemoryRequirements,
    ) -> Result<MemoryPart, RuntimeError> {
        let mut last = RuntimeError::unsupported("the device has no memory type for images");
        for index in self.candidates(BufferUse::Device, u64::MAX, requirements.memory_type_bits) {
            let start = event_listener::start();
            let made = self.allocate_in(image, requirements, index, Sharing::Not, "image");
            event_listener::report(Activity::Allocation(requirements.size), start);
            match made {
                Err(e) if e.is_out_of_memory() => last = e,
                other => return other,
            }
        }
        Err(last)
    }

    /// Memory for a buffer; the next best type when one is full.
    pub(crate) fn allocate(
        &self,
        buffer: Holder,
        requirements: vk::MemoryRequirements,
        usage: BufferUse,
        name: &str,
    ) -> Result<MemoryPart, RuntimeError> {
        let mut last = RuntimeError::unsupported("the device has no memory type for buffers of this use");
        let candidates = self.candidates(usage, requirements.size, requirements.memory_type_bits);
        // What the host writes for the device alone is no kernel's buffer.
        let shares = self.blocks.as_ref().filter(|_| usage != BufferUse::Upload);
        let any = if shares.is_some() { Sharing::Any } else { Sharing::Not };
        let crowded = shares.is_some_and(Blocks::is_crowded);
        let present = candidates.iter().filter(|_| crowded).map(|index| (*index, Sharing::Present));
        for (index, sharing) in present.chain(candidates.iter().map(|index| (*index, any))) {
            let start = event_listener::start();
            let made = self.allocate_in(buffer, requirements, index, sharing, name);
            event_listener::report(Activity::Allocation(requirements.size), start);
            match made {
                Err(e) if e.is_out_of_memory() => last = e,
                Ok(part) if self.always_stage && !usage.is_host() => {
                    return Ok(MemoryPart { mapped: None, ..part });
                }
                Ok(part) if self.window && !usage.is_host() => {
                    let mapped = part.mapped.filter(|_| requirements.size <= WINDOW_SMALL);
                    return Ok(MemoryPart { mapped, flags: part.flags & !Flags::HOST_CACHED, ..part });
                }
                Ok(mut part) if self.shadow && part.is_mapped() => {
                    match Shadow::new(part.size) {
                        Some(shadow) => part.shadow = Some(shadow),
                        None => {
                            self.free(part);
                            return Err(RuntimeError::Driver {
                                call: "vkMapMemory",
                                result: vk::Result::ERROR_OUT_OF_HOST_MEMORY,
                            });
                        }
                    }
                    return Ok(part);
                }
                other => return other,
            }
        }
        Err(last)
    }

    fn allocate_in(
        &self,
        holder: Holder,
        mut requirements: vk::MemoryRequirements,
        index: u32,
        sharing: Sharing,
        name: &str,
    ) -> Result<MemoryPart, RuntimeError> {
        let types = self.properties.memory_types_as_slice();
        let Some(ty) = types.get(index as usize) else {
            return Err(RuntimeError::bug("a memory type index out of range"));
        };
        let flags = ty.property_flags;
        if flags.contains(Flags::HOST_VISIBLE) {
            requirements.alignment = requirements.alignment.max(HOST_ALIGN);
        }
        if flags.contains(Flags::HOST_VISIBLE) && !flags.contains(Flags::HOST_COHERENT) {
            // Flushes and invalidations work on whole atoms, which must not be shared with a neighbour.
            requirements.alignment = requirements.alignment.max(self.atom);
            requirements.size = requirements.size.next_multiple_of(self.atom);
        }
        // A buffer begins where any type of OpenCL C may lie (OpenCL API §4.2, CL_DEVICE_MEM_BASE_ADDR_ALIGN), by its address
        // on the device and where the host has it mapped; drivers ask for less.
        requirements.alignment = requirements.alignment.max(LARGEST_TYPE);
        requirements.memory_type_bits = 1 << index;
        self.count(ty.heap_index, requirements.size)?;
        let blocks = self.blocks.as_ref().filter(|_| sharing != Sharing::Not);
        let new = sharing == Sharing::Any;
        let shared = blocks.and_then(|blocks| self.part_of_block(blocks, &requirements, (index, ty), new));
        let part = match shared {
            Some(part) => Ok(part),
            None if sharing == Sharing::Present => Err(RuntimeError::Driver {
                call: "vkAllocateMemory",
                result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            }),
            None => self.allocate_counted(holder, requirements, (index, ty), name),
        };
        if part.is_err() {
            self.uncount(ty.heap_index, requirements.size);
        }
        part
    }

    /// A part of memory that many buffers share, counted as used of its heap already.
    fn part_of_block(
        &self,
        blocks: &Blocks,
        requirements: &vk::MemoryRequirements,
        (index, ty): (u32, &vk::MemoryType),
        new: bool,
    ) -> Option<MemoryPart> {
        let map = ty.property_flags.contains(Flags::HOST_VISIBLE);
        let (block, at) = blocks.take(&self.device, requirements, index, map, new)?;
        Some(MemoryPart {
            memory: block.memory,
            offset: at,
            size: requirements.size,
            heap: Some(ty.heap_index),
            flags: ty.property_flags,
            mapped: block.mapped_at(at),
            shadow: None,
            backing: Backing::Block(block),
        })
    }

    /// The memory that many buffers share, where kernels have no addresses.
    pub(crate) fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// Returns whether buffers share memory, because kernels have no addresses.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Memory that is counted as used of its heap already.
    fn allocate_counted(
        &self,
        holder: Holder,
        requirements: vk::MemoryRequirements,
        (index, ty): (u32, &vk::MemoryType),
        name: &str,
    ) -> Result<MemoryPart, RuntimeError> {
        if requirements.size > DEDICATED_ABOVE {
            return self.allocate_dedicated(holder, requirements.size, index, ty);
        }
        let mut allocator = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        let part = allocator
            .allocate(&AllocationCreateDesc {
                name,
                requirements,
                location: MemoryLocation::Unknown,
                linear: matches!(holder, Holder::Buffer(_)),
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| allocation_error(&e))?;
        // SAFETY: the handle is only bound to a buffer and mapped ranges are flushed; it is not freed or mapped here.
        let memory = unsafe { part.memory() };
        Ok(MemoryPart {
            memory,
            offset: part.offset(),
            size: requirements.size,
            heap: Some(ty.heap_index),
            flags: ty.property_flags,
            mapped: part.mapped_ptr().map(NonNull::cast),
            shadow: None,
            backing: Backing::Part(part),
        })
    }

    fn allocate_dedicated(
        &self,
        holder: Holder,
        size: u64,
        index: u32,
        ty: &vk::MemoryType,
    ) -> Result<MemoryPart, RuntimeError> {
        let mut address =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default();
        dedicated = match holder {
            Holder::Buffer(buffer) => dedicated.buffer(buffer),
            Holder::Image(image) => dedicated.image(image),
        };
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(index)
            .push_next(&mut dedicated);
        if self.device_addresses {
            info = info.push_next(&mut address);
        }
        // SAFETY: the type index exists, the structures live through the call, the buffer or image is unbound and alive.
        let memory = unsafe { self.device.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
        let mut part = MemoryPart {
            backing: Backing::Dedicated,
            memory,
            offset: 0,
            size,
            heap: None,
            flags: ty.property_flags,
            mapped: None,
            shadow: None,
        };
        if ty.property_flags.contains(Flags::HOST_VISIBLE) && matches!(holder, Holder::Buffer(_)) {
            // SAFETY: just allocated, host-visible, not mapped yet; the whole of it is mapped once.
            let pointer =
                unsafe { self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
            match pointer.call("vkMapMemory") {
                Ok(pointer) => part.mapped = NonNull::new(pointer.cast()),
                Err(e) => {
                    self.free(part);
                    return Err(e);
                }
            }
        }
        // From here on `free` takes it from the count.
        part.heap = Some(ty.heap_index);
        Ok(part)
    }

    /// Memory of its own, a multiple of `align` large, for a buffer that is mapped when its address is known, or never. What is for
    /// the host is coherent.
    pub(crate) fn allocate_unmapped(
        &self,
        requirements: vk::MemoryRequirements,
        usage: BufferUse,
        align: u64,
    ) -> Result<MemoryPart, RuntimeError> {
        let mut last = RuntimeError::unsupported("the device has no memory type for buffers of this use");
        let size = requirements.size.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        // What will be suballocated is reached where small buffers are.
        let wish = if self.has_whole_window() { 0 } else { size };
        for index in self.candidates(usage, wish, requirements.memory_type_bits) {
            let Some(ty) = self.properties.memory_types_as_slice().get(index as usize) else { continue };
            if usage.is_host() && !ty.property_flags.contains(Flags::HOST_VISIBLE | Flags::HOST_COHERENT) {
                continue;
            }
            self.count(ty.heap_index, size)?;
            let mut address =
                vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(index);
            if self.device_addresses {
                info = info.push_next(&mut address);
            }
            let start = event_listener::start();
            // SAFETY: the type index exists; the structures live through the call.
            let made = unsafe { self.device.allocate_memory(&info, None) };
            event_listener::report(Activity::Allocation(size), start);
            match made.call("vkAllocateMemory") {
                Ok(memory) => {
                    return Ok(MemoryPart {
                        backing: Backing::Dedicated,
                        memory,
                        offset: 0,
                        size,
                        heap: Some(ty.heap_index),
                        flags: ty.property_flags,
                        mapped: None,
                        shadow: None,
                    });
                }
                Err(e) => {
                    self.uncount(ty.heap_index, size);
                    last = e;
                }
            }
        }
        Err(last)
    }

    /// Maps all of memory that [`allocate_unmapped`](Self::allocate_unmapped) made, where it can be and no test mode hides it.
    pub(crate) fn map_window(&self, part: &mut MemoryPart) {
        if !part.flags.contains(Flags::HOST_VISIBLE) || self.always_stage || self.window || self.shadow {
            return;
        }
        // SAFETY: host-visible memory of this device that is not mapped; the whole of it is mapped once.
        let mapped =
            unsafe { self.device.map_memory(part.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        match mapped {
            Ok(pointer) => part.set_mapped(pointer.cast()),
            Err(e) => log::debug!("device memory is not mapped: {e}"),
        }
    }

    /// Counts memory as used of a heap. A driver may give more than a heap has, until the machine has none left.
    fn count(&self, heap: u32, size: u64) -> Result<(), RuntimeError> {
        let Some(used) = self.counts.used.get(heap as usize) else { return Ok(()) };
        let most = self.properties.memory_heaps_as_slice().get(heap as usize).map_or(0, |h| h.size);
        let more = |used: u64| used.checked_add(size).filter(|sum| *sum <= most);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(()),
            Err(_) => Err(RuntimeError::Driver {
                call: "vkAllocateMemory",
                result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            }),
        }
    }

    fn uncount(&self, heap: u32, size: u64) {
        if let Some(used) = self.counts.used.get(heap as usize) {
            used.fetch_sub(size, Ordering::Relaxed);
        }
    }

    /// Returns what buffers have of the largest device-local heap, and what it has.
    pub(crate) fn used(&self) -> (u64, u64) {
        let heaps = self.properties.memory_heaps_as_slice().iter().zip(&self.counts.used);
        let local = heaps.filter(|(h, _)| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        let largest = local.max_by_key(|(h, _)| h.size);
        largest.map_or((0, 0), |(heap, used)| (used.load(Ordering::Relaxed), heap.size))
    }

    /// Returns whether the driver says that little of the memory is left that this process may have.
    pub(crate) fn is_tight(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_tight)
    }

    /// Gives memory back. The caller has made sure that the device no longer uses it.
    pub(crate) fn free(&self, part: MemoryPart) {
        if let Some(heap) = part.heap {
            self.uncount(heap, part.size);
        }
        match part.backing {
            Backing::Part(allocation) => {
                let mut allocator = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(e) = allocator.free(allocation) {
                    log::error!("memory could not be given back: {e}");
                }
            }
            Backing::Block(block) => block.give(part.offset),
            Backing::Dedicated | Backing::External => {
                // SAFETY: allocated by allocate_dedicated, or imported from this device, freed once (by value), no longer in use;
                // freeing unmaps.
                unsafe { self.device.free_memory(part.memory, None) };
            }
        }
    }

    /// Frees gpu-allocator's blocks.
    ///
    /// # Safety
    /// To be called once, before the device is destroyed, after all parts were freed; nothing may be called after it.
    pub(crate) unsafe fn shut_down(&mut self) {
        // SAFETY: once, by the caller's promise.
        unsafe { ManuallyDrop::drop(&mut self.allocator) };
    }

    /// Copies from the host into mapped memory and makes it available to the device.
    pub(crate) fn write(&self, part: &MemoryPart, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let pointer = part.pointer(offset, data.len())?;
        // SAFETY: `pointer` checked that the range lies in the mapping; the mapping is device memory that no Rust
        // object overlaps; the queue orders device accesses around host ones.
        unsafe { parallel_copy::copy(data.as_ptr(), pointer.as_ptr(), data.len(), self.copy_threads) };
        self.flush(part, offset, data.len() as u64)
    }

    /// Makes host writes available to the device.
    pub(crate) fn flush(&self, part: &MemoryPart, offset: u64, size: u64) -> Result<(), RuntimeError> {
        if let (Some(shadow), Some(mapped)) = (&part.shadow, part.mapped) {
            shadow.check(offset, size)?;
            // SAFETY: the range lies in both (they have the same size); the two do not overlap.
            unsafe { shadow.copy_to(mapped.as_ptr(), offset, size) };
        }
        if part.flags.contains(Flags::HOST_COHERENT) || size == 0 {
            return Ok(());
        }
        let range = self.atoms(part, offset, size);
        // SAFETY: mapped memory of this device, a range of whole atoms within it.
        unsafe { self.device.flush_mapped_memory_ranges(&[range]) }.call("vkFlushMappedMemoryRanges")
    }

    /// Makes device writes visible to the host.
    pub(crate) fn invalidate(&self, part: &MemoryPart, offset: u64, size: u64) -> Result<(), RuntimeError> {
        if !part.flags.contains(Flags::HOST_COHERENT) && size > 0 {
            let range = self.atoms(part, offset, size);
            // SAFETY: mapped memory of this device, a range of whole atoms within it.
            unsafe { self.device.invalidate_mapped_memory_ranges(&[range]) }
                .call("vkInvalidateMappedMemoryRanges")?;
        }
        if let (Some(shadow), Some(mapped), false) = (&part.shadow, part.mapped, self.stale_reads) {
            shadow.check(offset, size)?;
            // SAFETY: the range lies in both (they have the same size); the two do not overlap.
            unsafe { shadow.copy_from(mapped.as_ptr(), offset, size) };
        }
        Ok(())
    }

    /// Copies mapped memory, as the device left it, to the host.
    pub(crate) fn read(&self, part: &MemoryPart, offset: u64, data: &mut [u8]) -> Result<(), RuntimeError> {
        let pointer = part.pointer(offset, data.len())?;
        self.invalidate(part, offset, data.len() as u64)?;
        if part.reach() == Reach::Window {
            // SAFETY: as in `write`, the other way.
            unsafe {
                write_combined::copy(pointer.as_ptr(), data.as_mut_ptr(), data.len(), self.tune.stream_loads)
            };
        } else {
            // SAFETY: as above.
            unsafe {
                parallel_copy::copy(pointer.as_ptr(), data.as_mut_ptr(), data.len(), self.copy_threads)
            };
        }
        Ok(())
    }

    /// The range rounded out to nonCoherentAtomSize. These parts are aligned to atoms at both ends.
    fn atoms(&self, part: &MemoryPart, offset: u64, size: u64) -> vk::MappedMemoryRange<'static> {
        let start = (part.offset + offset) / self.atom * self.atom;
        let end = (part.offset + offset + size).next_multiple_of(self.atom).min(part.offset + part.size);
        vk::MappedMemoryRange::default().memory(part.memory).offset(start).size(end - start)
    }
}

impl MemoryPart {
    /// Memory that was imported: freed like a dedicated allocation, mapped by nature.
    pub(crate) fn imported(
        memory: vk::DeviceMemory,
        offset: u64,
        size: u64,
        flags: Flags,
        pointer: *mut u8,
    ) -> Self {
        MemoryPart {
            backing: Backing::Dedicated,
            memory,
            offset,
            size,
            heap: None,
            flags,
            mapped: NonNull::new(pointer),
            shadow: None,
        }
    }

    /// Memory of another API. The host does not map it: for the host, too, it is reached by commands alone.
    pub(crate) fn external(memory: vk::DeviceMemory, size: u64, flags: Flags) -> Self {
        let backing = Backing::External;
        MemoryPart { backing, memory, offset: 0, size, heap: None, flags, mapped: None, shadow: None }
    }

    /// Memory of the device that another API imports. As [`external`](Self::external), but no other memory of this device's.
    pub(crate) fn exported(memory: vk::DeviceMemory, size: u64, flags: Flags) -> Self {
        MemoryPart { backing: Backing::Dedicated, ..Self::external(memory, size, flags) }
    }

    /// The memory that it is a part of, where others are, too.
    pub(crate) fn block(&self) -> Option<&Arc<Block>> {
        match &self.backing {
            Backing::Block(block) => Some(block),
            Backing::Part(_) | Backing::Dedicated | Backing::External => None,
        }
    }

    /// It was mapped there, all of it.
    pub(crate) fn set_mapped(&mut self, pointer: *mut u8) {
        self.mapped = NonNull::new(pointer);
    }

    /// Returns whether it is the device's own, which the host reaches through a window at most.
    pub(crate) fn is_local(&self) -> bool {
        self.reach() == Reach::Not
            || (self.reach() == Reach::Window && self.flags.contains(Flags::DEVICE_LOCAL))
    }

    /// Returns whether the host can write it directly.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped.is_some()
    }

    /// Returns which memory it is: a number, and where it begins there. Memory of the host has one number, by whatever imports. `None` for memory
    /// of another API: it may be any other one. NVIDIA's driver exports a memory by files with different numbers.
    pub(crate) fn place(&self) -> Option<(u64, u64)> {
        match (&self.backing, self.mapped) {
            (Backing::External, _) => None,
            (_, Some(pointer)) => Some((0, pointer.addr().get() as u64)),
            (_, None) => Some((self.memory.as_raw(), self.offset)),
        }
    }

    pub(crate) fn host_ptr(&self) -> Option<*mut u8> {
        self.mapping().map(NonNull::as_ptr)
    }

    /// Returns where the host works.
    fn mapping(&self) -> Option<NonNull<u8>> {
        self.shadow.as_ref().map_or(self.mapped, |shadow| Some(shadow.start()))
    }

    /// Returns whether host and device see each other's writes without flushes.
    pub(crate) fn is_coherent(&self) -> bool {
        self.shadow.is_none() && self.flags.contains(Flags::HOST_COHERENT)
    }

    /// Returns how the host reaches it.
    pub(crate) fn reach(&self) -> Reach {
        match (self.is_mapped(), self.is_cached()) {
            (_, true) => Reach::Own,
            (true, false) => Reach::Window,
            (false, false) => Reach::Not,
        }
    }

    /// Returns whether the host reads it as fast as its own memory: uncached memory is better copied by the device first.
    pub(crate) fn is_cached(&self) -> bool {
        self.is_mapped() && self.flags.contains(Flags::HOST_CACHED)
    }

    fn pointer(&self, offset: u64, len: usize) -> Result<NonNull<u8>, RuntimeError> {
        let base =
            self.mapping().ok_or_else(|| RuntimeError::bug("host access to memory that is not mapped"))?;
        let fits = offset.checked_add(len as u64).is_some_and(|end| end <= self.size);
        match usize::try_from(offset) {
            // SAFETY: offset <= size of the mapped range, checked here.
            Ok(offset) if fits => Ok(unsafe { base.add(offset) }),
            _ => Err(RuntimeError::bug("host access outside a memory range")),
        }
    }
}

fn allocation_error(error: &AllocationError) -> RuntimeError {
    match error {
        AllocationError::OutOfMemory => {
            RuntimeError::Driver { call: "vkAllocateMemory", result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY }
        }
        other => RuntimeError::bug(format!("gpu-allocator: {other}")),
    }
}

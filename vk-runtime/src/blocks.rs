//! Memory that many buffers share, on devices whose kernels have no addresses: a few large blocks, each bound to a Vulkan buffer of its
//! own besides those of the buffers in it. A kernel of the packed model ([`Windows`]) sees a block through that one, as a descriptor,
//! and the buffers in it by their places.
//!
//! Buffers that lie in one memory see the same bytes (Vulkan specification, "Memory Aliasing": all of a buffer is a host-accessible
//! subresource). Ordering is of commands and of all memory, so that it does not matter through which buffer something was written.

use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use lower::kernel_info::Windows;

use crate::error::{Call, RuntimeError};
use crate::places::Places;
use crate::point::PerStream;

/// The blocks of a device.
pub(crate) struct Blocks {
    places: Arc<Places>,
    /// maxStorageBufferRange.
    range: u64,
    /// The first block's size; each further one is twice as large as the one before, up to eight times as large.
    first: u64,
    all: Mutex<Vec<Weak<Block>>>,
}

/// Memory with many buffers in it.
pub(crate) struct Block {
    /// All of it.
    pub(crate) window: vk::Buffer,
    pub(crate) memory: vk::DeviceMemory,
    /// The place of its first byte.
    pub(crate) start: u64,
    /// Bytes.
    pub(crate) size: u64,
    type_index: u32,
    pub(crate) mapped: Option<NonNull<u8>>,
    taken: Places,
    kept_by: PerStream,
    places: Arc<Places>,
    device: ash::Device,
}

// SAFETY: the pointer is to mapped device memory, which any thread may access; accesses go through raw copies only.
unsafe impl Send for Block {}
// SAFETY: as above; nothing is mutated through a shared reference but the mapped bytes, by raw copies.
unsafe impl Sync for Block {}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block").field("start", &self.start).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Block {
    /// The value of the last batch of a stream that keeps it.
    pub(crate) fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.kept_by.of(stream)
    }
}

impl Blocks {
    pub(crate) fn new(places: Arc<Places>, range: u64, first: u64) -> Self {
        Blocks { places, range, first, all: Mutex::default() }
    }

    /// Those that are alive.
    pub(crate) fn alive(&self) -> Vec<Arc<Block>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).collect()
    }

    /// Room for a buffer in memory of a type: the block, and where in it; `None` where no block can have it.
    pub(crate) fn take(
        &self,
        device: &ash::Device,
        requirements: &vk::MemoryRequirements,
        type_index: u32,
        map: bool,
    ) -> Option<(Arc<Block>, u64)> {
        let size = requirements.size;
        if size > self.range || requirements.alignment > Places::ALIGN {
            return None;
        }
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|block| block.strong_count() > 0);
        let mut count = 0;
        for block in all.iter().filter_map(Weak::upgrade).filter(|b| b.type_index == type_index) {
            count += 1;
            if let Some(at) = block.taken.take_within(size, block.size) {
                return Some((block, at));
            }
        }
        let usual = (self.first << count.min(3)).min(self.range / Places::ALIGN * Places::ALIGN);
        let exact = size.checked_next_multiple_of(Places::ALIGN)?;
        let sizes = [usual.max(exact), exact];
        let block = sizes.into_iter().find_map(|size| {
            Block::new(device, &self.places, size, type_index, map)
                .inspect_err(|e| log::debug!("no block of {size} bytes for buffers: {e}"))
                .ok()
        })?;
        let block = Arc::new(block);
        let at = block.taken.take_within(size, block.size)?;
        all.push(Arc::downgrade(&block));
        Some((block, at))
    }
}

impl Block {
    fn new(
        device: &ash::Device,
        places: &Arc<Places>,
        size: u64,
        type_index: u32,
        map: bool,
    ) -> Result<Self, RuntimeError> {
        let none = || RuntimeError::unsupported("a block for buffers that the device does not take");
        let start = places.take_below(size, Windows::END).ok_or_else(none)?;
        // From here on Block's drop cleans up; destroying null handles does nothing.
        let mut block = Block {
            window: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            start,
            size,
            type_index,
            mapped: None,
            taken: Places::default(),
            kept_by: PerStream::default(),
            places: places.clone(),
            device: device.clone(),
        };
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive; the size is not 0.
        block.window = unsafe { device.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // SAFETY: just created.
        let requirements = unsafe { device.get_buffer_memory_requirements(block.window) };
        if requirements.memory_type_bits & (1 << type_index) == 0 {
            return Err(none());
        }
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size.max(size))
            .memory_type_index(type_index);
        // SAFETY: the type index exists, as the buffer's requirements say.
        block.memory = unsafe { device.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
        // SAFETY: the buffer is unbound; the memory is as its requirements say.
        unsafe { device.bind_buffer_memory(block.window, block.memory, 0) }.call("vkBindBufferMemory")?;
        if map {
            let flags = vk::MemoryMapFlags::empty();
            // SAFETY: just allocated, host-visible by the caller's word, not mapped yet; the whole of it is mapped once.
            let pointer = unsafe { device.map_memory(block.memory, 0, vk::WHOLE_SIZE, flags) };
            block.mapped = NonNull::new(pointer.call("vkMapMemory")?.cast());
        }
        Ok(block)
    }

    /// Where a part of it is mapped.
    pub(crate) fn mapped_at(&self, at: u64) -> Option<NonNull<u8>> {
        // SAFETY: `at` is the start of a part that `Blocks::take` gave, so within the mapping, which is of the whole memory.
        self.mapped.map(|start| unsafe { start.add(at as usize) })
    }

    /// Gives a part back.
    pub(crate) fn give(&self, at: u64) {
        self.taken.give(at);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.places.give(self.start);
        // SAFETY: what holds an Arc of the block (storages of buffers in it, `HeldBlock`) holds the device longer, and is held by batches
        // that bind the window; each (or null) is destroyed once, and freeing unmaps.
        unsafe {
            self.device.destroy_buffer(self.window, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

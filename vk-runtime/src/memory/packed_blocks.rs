//! Memory that many buffers share, on devices whose kernels have no addresses: a few large blocks, each bound to a Vulkan buffer of its
//! own besides those of the buffers in it. A kernel of the packed model ([`Windows`]) sees a block through that one, as a descriptor,
//! and the buffers in it by their places.
//!
//! A kernel sees few blocks at once, so there are few: each is four times as large as the one before, as far as one descriptor may
//! show it. With as many as a kernel sees, room is first looked for in all of them, whatever their type of memory. A launch with more
//! is made by [`gather`](crate::launch::gather).
//!
//! Buffers of one memory see the same bytes (Vulkan specification, "Memory Aliasing": all of a buffer is a host-accessible
//! subresource). Ordering is of commands and of all memory, so that it does not matter through which buffer something was written.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use timeline::sync::Mutex;

use ash::vk;
use lower::kernel_info::Windows;

use crate::error::{Call, RuntimeError};
use crate::memory::packed_addresses::PackedAddresses;
use timeline::PerStream;

/// The blocks of a device.
pub(crate) struct Blocks {
    places: Arc<PackedAddresses>,
    sizes: Sizes,
    all: Mutex<Vec<Weak<Block>>>,
    /// The place of a buffer outside all blocks may have been stored.
    stray: AtomicBool,
}

/// How large blocks are, and how many a kernel sees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// maxStorageBufferRange.
    pub(crate) range: u64,
    /// The first block's bytes.
    pub(crate) first: u64,
    /// The bytes of blocks at most, unless a buffer wants more.
    pub(crate) most: u64,
    /// How many a kernel sees.
    pub(crate) windows: usize,
}

impl Sizes {
    /// The bytes of a block for a buffer of so many, where there are so many blocks: the first that the device has memory for.
    fn wishes(&self, blocks: usize, buffer: u64) -> impl Iterator<Item = u64> {
        let whole = |size: u64| size / PackedAddresses::ALIGN * PackedAddresses::ALIGN;
        let grown = self.first.saturating_mul(1 << (2 * blocks.min(16)));
        let exact = buffer.next_multiple_of(PackedAddresses::ALIGN);
        let usual = whole(grown.min(self.most).min(self.range)).max(exact);
        let halves = (0..3).map(move |n| whole(usual >> n)).filter(move |size| *size > exact);
        halves.chain([exact])
    }
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
    taken: PackedAddresses,
    /// Places in it may have been stored, so that kernels which follow pointers reach it.
    stored: AtomicBool,
    kept_by: PerStream,
    places: Arc<PackedAddresses>,
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
        self.kept_by.stream(stream)
    }
}

impl Blocks {
    pub(crate) fn new(places: Arc<PackedAddresses>, sizes: Sizes) -> Self {
        Blocks { places, sizes, all: Mutex::default(), stray: AtomicBool::new(false) }
    }

    /// The blocks that kernels may reach by pointers which others stored; `None` where such a pointer may be to no block.
    pub(crate) fn stored(&self) -> Option<Vec<Arc<Block>>> {
        if self.stray.load(Ordering::Acquire) {
            return None;
        }
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = all.iter().filter_map(Weak::upgrade);
        Some(alive.filter(|block| block.stored.load(Ordering::Acquire)).collect())
    }

    /// The place of a buffer in a block may be stored from now on.
    pub(crate) fn note_stored(&self, block: Option<&Arc<Block>>) {
        block.map_or(&self.stray, |block| &block.stored).store(true, Ordering::Release);
    }

    /// Returns whether there are as many as a kernel sees.
    pub(crate) fn is_crowded(&self) -> bool {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|block| block.strong_count() > 0).count() >= self.sizes.windows
    }

    /// Room for a buffer in memory of a type: the block, and where in it; `None` where no block can have it. `new`: another block may be
    /// made for it.
    pub(crate) fn take(
        &self,
        device: &ash::Device,
        requirements: &vk::MemoryRequirements,
        type_index: u32,
        map: bool,
        new: bool,
    ) -> Option<(Arc<Block>, u64)> {
        let size = requirements.size;
        if size > self.sizes.range || requirements.alignment > PackedAddresses::ALIGN {
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
        let block = self.sizes.wishes(count, size).filter(|_| new).find_map(|size| {
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
        places: &Arc<PackedAddresses>,
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
            taken: PackedAddresses::default(),
            stored: AtomicBool::new(false),
            kept_by: PerStream::default(),
            places: places.clone(),
            device: device.clone(),
        };
        let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
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

    /// Returns where a part of it is mapped.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_blocks_have_most_of_what_four_descriptors_show() {
        let mib = 1 << 20;
        let sizes = Sizes { range: 128 * mib, first: 32 * mib, most: 1 << 40, windows: 4 };
        let usual = |blocks| sizes.wishes(blocks, 256).next();
        assert_eq!([0, 1, 2, 99].map(usual), [32, 128, 128, 128].map(|n| Some(n * mib)));
        let larger = Sizes { range: 4096 * mib - 4, ..sizes };
        assert_eq!(larger.wishes(2, 256).next(), Some(512 * mib));
        assert_eq!(larger.wishes(9, 256).next(), Some(4096 * mib - 256), "places are whole");
        // Where there is no memory for that, less; in the end the buffer alone.
        let found: Vec<u64> = sizes.wishes(1, 40 * mib + 1).collect();
        assert_eq!(found, [128 * mib, 64 * mib, 40 * mib + 256]);
        let few = Sizes { most: 2048, first: 2048, ..sizes };
        assert_eq!(few.wishes(5, 256).collect::<Vec<_>>(), [2048, 1024, 512, 256]);
        assert_eq!(few.wishes(5, 5000).collect::<Vec<_>>(), [5120]);
    }
}

//! The memory of a device that its shared allocations are made of.
//!
//! Small ones are parts of slabs, which grow; a large one has memory of its own, some of which is kept for the next. Memory that is freed
//! while commands still use it serves nobody else before they are done.
//!
//! The pools have a lock. It is held while parts are taken and given, and never while a stream is waited for, or memory made or
//! dropped: what ends commands gives memory back, too.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use vk_runtime::{AddressMapping, Buffer, DeviceKind, Points, Queue, RuntimeError, SharedPlace};

use crate::abi::error::{ClError, ClResult};
use crate::device::svm::LARGEST;
use crate::device::svm::multi_device::{Kept, Reach};
use crate::device::svm::ranges::Ranges;

/// The first slab, and the largest.
const FIRST: u64 = 2 << 20;
const MAX: u64 = 64 << 20;
/// The size above which an allocation has memory of its own.
const OWN: u64 = 8 << 20;
/// Bytes of such memory that are kept, and pieces of it.
const KEPT: u64 = 1 << 30;
const KEPT_PIECES: usize = 16;
/// Memory of its own is a multiple of this.
const ROUND: u64 = 64 << 10;
/// The arena: the most, and the least that is worth having.
const ARENA: u64 = 1 << 30;
const LEAST_ARENA: u64 = 64 << 20;

/// The shared memory of a Vulkan device.
pub(crate) struct Heap {
    device: vk_runtime::Device,
    /// `None`: the host shares no pointers; there is memory for the device alone.
    pub(crate) mapping: Option<AddressMapping>,
    /// In contexts of several devices: what host and devices share is not of this device's memory.
    pub(crate) multi_device: Option<Reach>,
    pools: Mutex<Pools>,
}

/// A part of it.
pub(crate) struct Piece {
    pub(crate) buffer: Buffer,
    /// Its offset in the buffer.
    pub(crate) offset: u64,
    place: SharedPlace,
    slab: u32,
    size: u64,
}

#[derive(Default)]
struct Pools {
    slabs: BTreeMap<u32, Slab>,
    next: u32,
    /// The free parts of slabs.
    free: BTreeMap<SharedPlace, Ranges>,
    /// Freed, and still in use until the streams have reached the points.
    waiting: Vec<(Points, Piece)>,
    /// Memory of its own that nobody has, oldest first: place and size.
    kept: Vec<(SharedPlace, Buffer)>,
}

struct Slab {
    buffer: Buffer,
    /// Parts that are taken.
    parts: usize,
    size: u64,
    place: SharedPlace,
}

/// The number of what is no slab.
const NO_SLAB: u32 = u32::MAX;

impl Piece {
    /// The pointer to it, which is the host's, where it has one. `base`: [`Heap::base`].
    pub(crate) fn pointer(&self, base: u64) -> Option<usize> {
        let start = self.buffer.device_address()?.wrapping_sub(base);
        usize::try_from(start.wrapping_add(self.offset)).ok()
    }

    /// Returns whether the host has memory of its own there, which somebody copies.
    pub(crate) fn is_copied(&self) -> bool {
        self.place == SharedPlace::Copied
    }
}

impl Heap {
    /// A heap with the first of some mappings that the device can begin with.
    pub(crate) fn new(device: &vk_runtime::Device, mappings: &[AddressMapping]) -> Self {
        let mut heap =
            Heap { device: device.clone(), mapping: None, multi_device: None, pools: Mutex::default() };
        heap.mapping = mappings.iter().copied().find(|mapping| heap.begin(*mapping));
        heap
    }

    /// For contexts of several devices.
    pub(crate) fn multi_device(device: &vk_runtime::Device, shares: bool, kept: &Arc<Kept>) -> Self {
        let mapping = shares.then_some(AddressMapping::Arena);
        let multi_device = shares.then(|| Reach::new(kept.clone()));
        Heap { device: device.clone(), mapping, multi_device, pools: Mutex::default() }
    }

    /// Returns whether a mapping works, as far as is known now: of placed memory the process may have the addresses, which shows when the first
    /// slabs are made. That is now: what programs are lowered for depends on it.
    fn begin(&self, mapping: AddressMapping) -> bool {
        if mapping != AddressMapping::Placed {
            return true;
        }
        for place in [SharedPlace::Device, SharedPlace::Host] {
            match self.device.create_shared(mapping, place, FIRST) {
                Ok(buffer) => self.pools().add(buffer, place),
                Err(e) => {
                    log::warn!("shared memory at its device addresses is not to be had: {e}");
                    let gone = std::mem::take(&mut *self.pools());
                    drop(gone);
                    return false;
                }
            }
        }
        true
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what device addresses are more than pointers are. The arena is made for that, once, or the process's memory reached.
    pub(crate) fn base(&self) -> u64 {
        if self.mapping != Some(AddressMapping::Arena) {
            return 0;
        }
        self.device.settle_shared_base(|| {
            if let Some(multi_device) = &self.multi_device {
                return multi_device.difference(&self.device);
            }
            let Some(arena) = self.make_arena() else { return 0 };
            let (Some(host), Some(address)) = (arena.host_ptr(), arena.device_address()) else { return 0 };
            let difference = address.wrapping_sub(host.addr() as u64);
            self.pools().add(arena, SharedPlace::Device);
            difference
        })
    }

    fn make_arena(&self) -> Option<Buffer> {
        let cpu = self.device.physical().kind() == DeviceKind::Cpu;
        let share = if cpu { ARENA } else { self.device.physical().memory_size() / 8 };
        let mut size = share.min(ARENA).min(self.device.max_buffer_size()) / ROUND * ROUND;
        while size >= LEAST_ARENA {
            match self.device.create_shared(AddressMapping::Arena, SharedPlace::Device, size) {
                Ok(arena) => return Some(arena),
                Err(e) => log::debug!("no arena of {size} bytes: {e}"),
            }
            size /= 2;
        }
        None
    }

    /// Memory of so many bytes, aligned for the largest type. `stream`: any of the device's.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE when there is none.
    pub(crate) fn allocate(&self, place: SharedPlace, size: u64, stream: &Queue) -> ClResult<Piece> {
        self.base();
        let cpu = self.device.physical().kind() == DeviceKind::Cpu;
        let place = match (self.mapping, place) {
            // A processor's own memory is the process's, and the arena has room enough.
            (Some(AddressMapping::Arena), SharedPlace::Hidden) if cpu => SharedPlace::Device,
            // The process's memory is given by itself.
            (_, SharedPlace::Device | SharedPlace::Host) if self.multi_device.is_some() => {
                return Err(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE));
            }
            (Some(AddressMapping::Identity), _) | (Some(AddressMapping::Arena), SharedPlace::Host) => {
                SharedPlace::Device
            }
            (None, SharedPlace::Device | SharedPlace::Host | SharedPlace::Copied) => {
                return Err(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE));
            }
            (_, place) => place,
        };
        let size = size.max(1).next_multiple_of(LARGEST as u64);
        loop {
            let (found, gone) = self.take(place, size, stream);
            drop(gone);
            if let Some(found) = found {
                return Ok(found);
            }
            match self.grow(place, size) {
                Ok(Some(made)) => return Ok(made),
                Ok(None) => {}
                Err(e) if e.is_out_of_memory() => {}
                Err(e) => return Err(e.into()),
            }
            if !self.get_back(stream) {
                return Err(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE));
            }
        }
    }

    /// Returns whether memory of a place is a part of the arena, which does not grow.
    fn is_in_arena(&self, place: SharedPlace) -> bool {
        self.mapping == Some(AddressMapping::Arena) && place == SharedPlace::Device
    }

    /// Memory that is there, and what is to be dropped.
    fn take(&self, place: SharedPlace, size: u64, stream: &Queue) -> (Option<Piece>, Vec<Buffer>) {
        let mut pools = self.pools();
        let gone = pools.settle(stream);
        let own = size > OWN && !self.is_in_arena(place);
        (if own { pools.take_kept(place, size) } else { pools.take(place, size) }, gone)
    }

    /// Memory that is made for it; `None`: the arena is full.
    fn grow(&self, place: SharedPlace, size: u64) -> Result<Option<Piece>, RuntimeError> {
        if self.is_in_arena(place) {
            return Ok(None);
        }
        if size > OWN {
            let buffer = self.create(place, size.next_multiple_of(ROUND))?;
            return Ok(Some(Piece { buffer, offset: 0, place, slab: NO_SLAB, size }));
        }
        let slabs = self.pools().slabs.len() as u32;
        let slab_size = (FIRST << slabs.min(5)).min(MAX).max(size);
        let buffer = self.create(place, slab_size)?;
        let mut pools = self.pools();
        pools.add(buffer, place);
        Ok(pools.take(place, size))
    }

    /// There is no memory left: what is kept for the next goes, then the oldest of what commands use is waited for. Returns whether there was either.
    fn get_back(&self, stream: &Queue) -> bool {
        let mut pools = self.pools();
        let kept = std::mem::take(&mut pools.kept);
        let oldest = pools.waiting.first().map(|(points, _)| points.clone());
        drop(pools);
        if !kept.is_empty() {
            return true;
        }
        // A lost device uses nothing any more.
        oldest.is_some_and(|points| stream.wait_only(points).is_ok() || stream.lost().is_some())
    }

    fn create(&self, place: SharedPlace, size: u64) -> Result<Buffer, RuntimeError> {
        // What the host does not reach is made alike with the arena's mapping and without any.
        self.device.create_shared(self.mapping.unwrap_or(AddressMapping::Arena), place, size)
    }

    /// Takes memory back; it serves somebody else when nothing that is recorded uses it any more.
    pub(crate) fn free(&self, piece: Piece, stream: &Queue) {
        let points = stream.last_use(&piece.buffer);
        let mut pools = self.pools();
        let gone = if points.is_empty() || stream.has_reached(&points) {
            pools.give(piece)
        } else {
            pools.waiting.push((points, piece));
            None
        };
        drop(pools);
        // Without the lock: it may take a while.
        drop(gone);
    }
}

impl Pools {
    /// A slab of free memory.
    fn add(&mut self, buffer: Buffer, place: SharedPlace) {
        let (slab, size) = (self.next, buffer.size());
        self.next = (self.next + 1) % NO_SLAB;
        self.slabs.insert(slab, Slab { size, buffer, parts: 0, place });
        self.free.entry(place).or_default().give((slab, 0), size);
    }

    /// Memory of its own that was kept, and is not much too large.
    fn take_kept(&mut self, place: SharedPlace, size: u64) -> Option<Piece> {
        let most = size + size / 8 + ROUND;
        let fits =
            |(of, buffer): &(SharedPlace, Buffer)| *of == place && (size..=most).contains(&buffer.size());
        let at = self.kept.iter().rposition(fits)?;
        let buffer = self.kept.remove(at).1;
        Some(Piece { buffer, offset: 0, place, slab: NO_SLAB, size })
    }

    /// A part of a slab.
    fn take(&mut self, place: SharedPlace, size: u64) -> Option<Piece> {
        let (slab, offset) = self.free.get_mut(&place)?.take(size)?;
        let of = self.slabs.get_mut(&slab)?;
        of.parts += 1;
        Some(Piece { buffer: of.buffer.clone(), offset, place, slab, size })
    }

    /// Returns what nobody uses any more is free; what is to be dropped for it.
    fn give(&mut self, piece: Piece) -> Option<Buffer> {
        let Piece { buffer, offset, place, slab, size } = piece;
        if slab == NO_SLAB {
            self.kept.push((place, buffer));
            let bytes: u64 = self.kept.iter().map(|(_, b)| b.size()).sum();
            let full = bytes > KEPT || self.kept.len() > KEPT_PIECES;
            return full.then(|| self.kept.remove(0).1);
        }
        let (at, length) = self.free.entry(place).or_default().give((slab, offset), size);
        let of = self.slabs.get_mut(&slab)?;
        of.parts -= 1;
        // One slab of a place is kept.
        let others = |slabs: &BTreeMap<u32, Slab>| slabs.values().filter(|s| s.place == place).count() > 1;
        if of.parts == 0 && length == of.size && others(&self.slabs) {
            self.free.entry(place).or_default().remove(at, length);
            return self.slabs.remove(&slab).map(|slab| slab.buffer);
        }
        None
    }

    /// Takes back what waited for commands that are done; what is to be dropped for it.
    fn settle(&mut self, stream: &Queue) -> Vec<Buffer> {
        let mut gone = Vec::new();
        if self.waiting.is_empty() {
            return gone;
        }
        let waiting = std::mem::take(&mut self.waiting);
        for (points, piece) in waiting {
            // A lost device uses nothing any more.
            if stream.has_come_to(&points) || stream.lost().is_some() {
                gone.extend(self.give(piece));
            } else {
                self.waiting.push((points, piece));
            }
        }
        gone
    }
}

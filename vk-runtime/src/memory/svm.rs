//! Memory whose pointers mean the same to the host and to kernels.
//!
//! | mapping | where | how |
//! |---|---|---|
//! | [`AddressMapping::Identity`] | CPU drivers | the driver's own mappings are the device addresses |
//! | [`AddressMapping::Placed`] | VK_EXT_map_memory_placed | memory is mapped at its device address, which the process has to have free |
//! | [`AddressMapping::Arena`] | elsewhere | one allocation, in which the device's addresses are the host's plus a constant; kernels add it |
//!
//! The features of a device say which mapping it may have. Kernels that run show that it does (the caller's part).
//!
//! With the arena's mapping every pointer that kernels keep, compare or receive is a device address minus the constant
//! ([`Device::shared_base`]): of shared memory that is the host's pointer, of other buffers a number that stands for their address.

use std::any::Any;
use std::sync::Arc;

use ash::vk;

use crate::device::logical::{Device, DeviceInner};
use crate::device::physical::{DeviceKind, PhysicalDevice};
use crate::error::{Call, RuntimeError};
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, Storage, create_info};
use crate::memory::svm_host_copy::HostCopy;
use crate::process::address_space::{Mapping, Pages, Reservation};

/// How pointers come to mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressMapping {
    /// Mapped memory has its host addresses as device addresses.
    Identity,
    /// Memory is mapped at its device address.
    Placed,
    /// The two differ by a constant.
    Arena,
}

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SharedPlace {
    /// The device's, which the host reaches.
    Device,
    /// The host's, which the device reaches.
    Host,
    /// The device's, which the host need not reach. Its addresses are reserved in the process, so that no pointer of the host's means
    /// something else.
    Hidden,
    /// The device's. At the same addresses the host has memory of its own ([`Buffer::host_view`]), and somebody copies: a device's own
    /// memory is read over the bus word by word, without a cache.
    Copied,
}

/// The pages that are reserved for memory.
#[derive(Clone, Copy)]
enum Room {
    /// The device's: the memory is all of them.
    Device,
    /// The system's, around the memory.
    Own,
    /// Multiples of this, around the memory.
    Multiple(u64),
}

/// Memory of the process that several devices reach, each at addresses of its own ([`Device::reach_common`]). All zeros at first; taken
/// page by page when it is used, or at once where a device reaches it that has memory of its own.
pub struct CommonMemory {
    pages: Pages,
    /// Its mapping in the process.
    here: Mapping,
}

/// Addresses that are taken in the process are tried again elsewhere so often.
const TRIES: u32 = 24;
/// The share of the device's memory that is held meanwhile at most, so that the next addresses are others.
const HELD: u64 = 16;
/// The largest piece of held memory: drivers have large ones elsewhere, and the next address would be the same.
const HELD_PIECE: u64 = 256 << 20;

impl PhysicalDevice {
    /// The mappings that are worth trying, best first.
    #[must_use]
    pub fn address_mappings(&self) -> Vec<AddressMapping> {
        let features = &self.info.target.features;
        if !features.buffer_device_address || !features.shader_int64 || cfg!(not(target_pointer_width = "64"))
        {
            return Vec::new();
        }
        let mut mappings = Vec::new();
        if self.info.kind == DeviceKind::Cpu {
            mappings.push(AddressMapping::Identity);
        }
        // A processor's driver has all its addresses itself: there it is a test of what happens where they are taken.
        let placed = self.info.present.map_memory_placed || self.info.kind == DeviceKind::Cpu;
        if placed && Reservation::POSSIBLE {
            mappings.push(AddressMapping::Placed);
        }
        mappings.push(AddressMapping::Arena);
        mappings
    }
}

impl Device {
    /// Makes memory that host and device share, for suballocation: it is not counted as a user's. Its
    /// [`host_ptr`](Buffer::host_ptr) is its [`device_address`](Buffer::device_address), but for [`AddressMapping::Arena`], and for
    /// [`SharedPlace::Hidden`] and [`SharedPlace::Copied`], which need have none, or are mapped elsewhere for small transfers.
    ///
    /// # Errors
    /// Unsupported where the device does not have that mapping; Driver when memory or addresses run out.
    pub fn create_shared(
        &self,
        mapping: AddressMapping,
        place: SharedPlace,
        size: u64,
    ) -> Result<Buffer, RuntimeError> {
        match (mapping, place) {
            (AddressMapping::Identity, _) => self.identical(size),
            (_, SharedPlace::Hidden) => self.hidden(size),
            (_, SharedPlace::Copied) => self.copied(size),
            (AddressMapping::Placed, _) => self.placed(place, size),
            (AddressMapping::Arena, _) => self.arena(size),
        }
    }

    /// Returns whether what the host maps before it uses it is better [copied](SharedPlace::Copied): the host reads the device's memory without
    /// a cache. On a processor's driver the arena is a test, and so is this.
    #[must_use]
    pub fn copies_shared(&self, mapping: AddressMapping) -> bool {
        let cpu = self.inner.physical.info.kind == DeviceKind::Cpu;
        match mapping {
            AddressMapping::Identity => false,
            AddressMapping::Placed | AddressMapping::Arena => {
                self.inner.import.is_some()
                    && if cpu { mapping == AddressMapping::Arena } else { !self.inner.memory.shares_cached() }
            }
        }
    }

    /// Returns what the device's addresses are more than the pointers that kernels keep: 0 where they are the same.
    #[must_use]
    pub fn shared_base(&self) -> u64 {
        self.inner.shared_base.get().copied().unwrap_or(0)
    }

    /// Settles [`shared_base`](Self::shared_base), once: to be called before the first program that was lowered for it is loaded.
    /// Its kind from now on.
    pub fn settle_shared_base(&self, base: impl FnOnce() -> u64) -> u64 {
        *self.inner.shared_base.get_or_init(base)
    }

    fn identical(&self, size: u64) -> Result<Buffer, RuntimeError> {
        let buffer = Buffer::internal(&self.inner, size, BufferUse::Svm, "shared memory")?;
        let same = buffer.host_ptr().is_some_and(|p| buffer.device_address() == Some(p.addr() as u64));
        if same && buffer.is_coherent() {
            Ok(buffer)
        } else {
            Err(self.refusal("mapped memory is elsewhere"))
        }
    }

    fn refusal(&self, why: &str) -> RuntimeError {
        let name = &self.inner.target.name;
        RuntimeError::unsupported(format!("'{name}' does not share its addresses with the host: {why}"))
    }

    /// Allocates until the process has the addresses free. Memory that was allocated in vain is kept meanwhile, so that each is elsewhere.
    fn at_free_addresses(
        &self,
        size: u64,
        usage: BufferUse,
        pointer: impl Fn(u64) -> Option<u64>,
        room: Room,
    ) -> Result<(Storage, Option<Reservation>), RuntimeError> {
        let device = &self.inner;
        let align = device.physical.info.placed_alignment.max(64 << 10);
        let size = size.checked_next_multiple_of(align).ok_or_else(|| self.refusal("the size"))?;
        let make = |size: u64, usage| {
            let info = create_info(device, size);
            Storage::new(device, size, None, &info, "shared memory", |_, requirements| {
                device.memory.allocate_unmapped(requirements, usage, align)
            })
        };
        let mut in_vain = Vec::new();
        let (mut held, most) = (0u64, device.physical.memory_size() / HELD);
        for attempt in 0..TRIES {
            let storage = make(size, usage)?;
            let address = storage.address.ok_or_else(|| self.refusal("buffers have no addresses"))?;
            let Some(wanted) = pointer(address) else { return Ok((storage, None)) };
            let reservation = match room {
                Room::Device => Reservation::at(wanted, size, align),
                Room::Own => Reservation::around(wanted, size, 1),
                Room::Multiple(of) => Reservation::around(wanted, size, of),
            };
            if let Some(reservation) = reservation {
                return Ok((storage, Some(reservation)));
            }
            log::debug!("shared memory: {size} bytes at {wanted:#x} are taken in this process");
            in_vain.push(storage);
            held = held.saturating_add(size);
            // The process may have more there: ever more is stepped over, with memory that costs the host nothing.
            let mut step = if attempt == 0 { 0 } else { size.saturating_mul(1 << (attempt / 2).min(16)) };
            let (mut largest, mut end) =
                (HELD_PIECE.min(device.max_buffer_size), address.saturating_add(size));
            while step > 0 && held < most {
                let piece = step.min(largest);
                let Ok(storage) = make(piece, BufferUse::Device) else { break };
                let at = storage.address.unwrap_or(end);
                // One that is far away found no room here, where the next address would be again: smaller ones take what is left.
                if piece > size && at.abs_diff(end) > piece.saturating_mul(2) {
                    largest = (piece / 2).max(size);
                    continue;
                }
                end = at.saturating_add(piece);
                in_vain.push(storage);
                (step, held) = (step - piece, held.saturating_add(piece));
            }
        }
        Err(RuntimeError::Driver { call: "vkMapMemory2", result: vk::Result::ERROR_MEMORY_MAP_FAILED })
    }

    fn placed(&self, place: SharedPlace, size: u64) -> Result<Buffer, RuntimeError> {
        let device = &self.inner;
        let usage = if place == SharedPlace::Host { BufferUse::HostPinned } else { BufferUse::Svm };
        let (mut storage, reservation) = self.at_free_addresses(size, usage, Some, Room::Device)?;
        let Some(calls) = &device.map_memory2 else {
            return Err(self.refusal("VK_EXT_map_memory_placed is missing"));
        };
        let (Some(address), Some(reservation)) = (storage.address, reservation) else {
            return Err(RuntimeError::bug("placed memory without an address"));
        };
        let pointer = reservation.start();
        debug_assert_eq!(pointer.addr() as u64, address);
        let mut placed = vk::MemoryMapPlacedInfoEXT::default().placed_address(pointer.cast());
        let info = vk::MemoryMapInfoKHR::default()
            .flags(vk::MemoryMapFlags::PLACED_EXT)
            .memory(storage.part()?.memory)
            .offset(0)
            .size(vk::WHOLE_SIZE)
            .push_next(&mut placed);
        let mut mapped: *mut std::ffi::c_void = std::ptr::null_mut();
        // SAFETY: the extensions are enabled, and with them the feature; host-visible memory of this device that is not mapped; all of
        // it goes to an address of the demanded alignment, where nothing is but the reservation, which is as large.
        unsafe { (calls.fp().map_memory2_khr)(device.raw.handle(), &raw const info, &raw mut mapped) }
            .result()
            .call("vkMapMemory2")?;
        if mapped.addr() as u64 != address {
            return Err(RuntimeError::bug("placed memory is elsewhere"));
        }
        // The mapping has replaced it, and goes with the memory.
        reservation.forget();
        storage.set_mapped(pointer);
        Ok(Buffer::of_storage(storage))
    }

    fn hidden(&self, size: u64) -> Result<Buffer, RuntimeError> {
        let base = self.shared_base();
        // A processor's addresses are the process's: nobody else has them.
        let own = base == 0 && self.inner.physical.info.kind == DeviceKind::Cpu;
        let pointer = |address: u64| {
            let pointer = address.wrapping_sub(base);
            (!own && Reservation::is_possible(pointer)).then_some(pointer)
        };
        let (mut storage, reservation) =
            self.at_free_addresses(size, BufferUse::Device, pointer, Room::Own)?;
        if let Some(reservation) = reservation {
            storage.set_beneath(Box::new(reservation));
        }
        storage.map_window();
        Ok(Buffer::of_storage(storage))
    }

    fn copied(&self, size: u64) -> Result<Buffer, RuntimeError> {
        let (base, page) = (self.shared_base(), self.inner.physical.info.host_import_alignment);
        let pointer = |address: u64| Some(address.wrapping_sub(base));
        let room = Room::Multiple(page);
        let (mut storage, reservation) = self.at_free_addresses(size, BufferUse::Device, pointer, room)?;
        let (Some(address), Some(reservation)) = (storage.address, reservation) else {
            return Err(RuntimeError::bug("shared memory without an address"));
        };
        let view = HostCopy::new(self, reservation, address.wrapping_sub(base));
        storage.set_view(view.ok_or(RuntimeError::Driver {
            call: "mprotect",
            result: vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        })?);
        storage.map_window();
        Ok(Buffer::of_storage(storage))
    }

    /// The arena: on a device of its own memory the mapping as the driver makes it; on CPU drivers, where that would make no difference,
    /// memory that is mapped twice, one of which the driver is given.
    fn arena(&self, size: u64) -> Result<Buffer, RuntimeError> {
        let buffer = match self.inner.physical.info.kind == DeviceKind::Cpu {
            true => self.twin(size)?,
            false => Buffer::internal(&self.inner, size, BufferUse::Svm, "shared memory")?,
        };
        let has = buffer.host_ptr().is_some() && buffer.is_coherent() && buffer.device_address().is_some();
        if has { Ok(buffer) } else { Err(self.refusal("no coherent mapping")) }
    }

    fn twin(&self, size: u64) -> Result<Buffer, RuntimeError> {
        let pages = Pages::new(size).ok_or_else(no_pages)?;
        // What else is shared lies as far from the driver's place for it.
        let here = pages.map_afar().ok_or_else(no_pages)?;
        let start = here.start();
        self.reach_pages(&pages, start, Box::new(here))
    }

    /// Memory that lies at `here` in the process, as a buffer; the driver gets a mapping of its own. `beneath` keeps the memory there.
    fn reach_pages(
        &self,
        pages: &Pages,
        here: *mut u8,
        beneath: Box<dyn Any + Send + Sync>,
    ) -> Result<Buffer, RuntimeError> {
        let drivers = pages.map().ok_or_else(no_pages)?;
        // SAFETY: the mapping lives as long as the storage does, which keeps it.
        let mut storage = unsafe { self.import_storage(drivers.start(), pages.size()) }?;
        storage.set_mapped(here);
        storage.set_beneath(Box::new((beneath, drivers)));
        Ok(Buffer::of_storage(storage))
    }

    /// A buffer of this device that is common memory. Its [`host_ptr`](Buffer::host_ptr) is the memory's place in the process; its
    /// [`device_address`](Buffer::device_address) is the device's own. `apart`: a driver that is a part of the process is to have it
    /// elsewhere, for tests.
    ///
    /// # Errors
    /// Unsupported without VK_EXT_external_memory_host, device addresses, or coherent memory for it; Driver when Vulkan fails.
    pub fn reach_common(&self, memory: &Arc<CommonMemory>, apart: bool) -> Result<Buffer, RuntimeError> {
        let keeps = Box::new(memory.clone());
        let buffer = match apart {
            true => self.reach_pages(&memory.pages, memory.start(), keeps)?,
            false => {
                // SAFETY: the mapping lives as long as the memory does, which the storage keeps.
                let mut storage = unsafe { self.import_storage(memory.start(), memory.size()) }?;
                storage.set_beneath(keeps);
                Buffer::of_storage(storage)
            }
        };
        let has = buffer.host_ptr().is_some() && buffer.is_coherent() && buffer.device_address().is_some();
        if has { Ok(buffer) } else { Err(self.refusal("no coherent import")) }
    }
}

fn no_pages() -> RuntimeError {
    RuntimeError::Driver { call: "mmap", result: vk::Result::ERROR_OUT_OF_HOST_MEMORY }
}

impl CommonMemory {
    /// This many bytes, or a few more; `None` where the system has no memory that can be mapped more than once.
    #[must_use]
    pub fn new(size: u64) -> Option<Arc<Self>> {
        let pages = Pages::new(size)?;
        let here = pages.map()?;
        Some(Arc::new(CommonMemory { pages, here }))
    }

    /// Returns where the process has it.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.here.start()
    }

    /// Bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.pages.size()
    }
}

impl Buffer {
    /// A buffer of storage that nobody else has, not counted as a user's.
    pub(crate) fn of_storage(storage: Storage) -> Self {
        let size = storage.capacity;
        Self::on(Arc::new(storage), size, size, false)
    }
}

/// Returns what [`Device::settle_shared_base`] settled on a device that programs are loaded on.
pub(crate) fn base(device: &DeviceInner) -> u64 {
    device.shared_base.get().copied().unwrap_or(0)
}

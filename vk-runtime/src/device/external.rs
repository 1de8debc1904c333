//! Memory and semaphores that a device shares with other APIs: handle types, what Vulkan says of them, and the functions for them.

use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use lower::Target;

use crate::device::features::Present;
use crate::device::handle_calls::{MemoryCalls, SemaphoreCalls};
use crate::device::physical::{DeviceKind, PhysicalDevice};

/// The type of a handle of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryHandle {
    /// A file descriptor that Vulkan's drivers understand.
    OpaqueFd,
    /// A file descriptor of a Linux dma-buf.
    DmaBuf,
    /// An NT handle that Vulkan's drivers understand.
    OpaqueWin32,
}

/// The type of a handle of a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SemaphoreHandle {
    /// A file descriptor that Vulkan's drivers understand: the semaphore itself.
    OpaqueFd,
    /// A file descriptor of a Linux sync file: a copy of the signal that is under way.
    SyncFd,
    /// An NT handle that Vulkan's drivers understand: the semaphore itself.
    OpaqueWin32,
}

/// The handle types that hold on a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExternalSupport {
    /// Memory that it imports.
    pub memory: Vec<MemoryHandle>,
    /// The host's memory, which it shares: buffers of it need no copies.
    pub host: bool,
    /// Semaphores that it imports.
    pub semaphores_in: Vec<SemaphoreHandle>,
    /// Semaphores that it exports.
    pub semaphores_out: Vec<SemaphoreHandle>,
}

impl MemoryHandle {
    /// All types. Which of them a system has is what [`external_support`](PhysicalDevice::external_support) says.
    pub const ALL: [MemoryHandle; 3] =
        [MemoryHandle::OpaqueFd, MemoryHandle::DmaBuf, MemoryHandle::OpaqueWin32];

    /// Returns whether handles of this system can be of the type: descriptors, or HANDLEs on Windows.
    fn is_of_system(self) -> bool {
        (self == MemoryHandle::OpaqueWin32) == cfg!(windows)
    }

    pub(crate) fn bit(self) -> vk::ExternalMemoryHandleTypeFlags {
        match self {
            MemoryHandle::OpaqueFd => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
            MemoryHandle::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
            MemoryHandle::OpaqueWin32 => vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32,
        }
    }

    /// Returns whether texels of images in such memory are taken to be in rows.
    #[must_use]
    pub fn has_rows(self) -> bool {
        self.tiling() == vk::ImageTiling::LINEAR
    }

    /// Returns how texels of images in such memory are taken to lie. Only a dma-buf is for devices of which Vulkan knows nothing.
    pub(crate) fn tiling(self) -> vk::ImageTiling {
        match self {
            MemoryHandle::OpaqueFd | MemoryHandle::OpaqueWin32 => vk::ImageTiling::OPTIMAL,
            MemoryHandle::DmaBuf => vk::ImageTiling::LINEAR,
        }
    }
}

impl SemaphoreHandle {
    /// All types, as [`MemoryHandle::ALL`].
    pub const ALL: [SemaphoreHandle; 3] =
        [SemaphoreHandle::OpaqueFd, SemaphoreHandle::SyncFd, SemaphoreHandle::OpaqueWin32];

    /// Returns whether handles of this system can be of the type.
    fn is_of_system(self) -> bool {
        (self == SemaphoreHandle::OpaqueWin32) == cfg!(windows)
    }

    pub(crate) fn bit(self) -> vk::ExternalSemaphoreHandleTypeFlags {
        match self {
            SemaphoreHandle::OpaqueFd => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
            SemaphoreHandle::SyncFd => vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
            SemaphoreHandle::OpaqueWin32 => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32,
        }
    }
}

/// Returns how this crate uses buffers.
pub(crate) fn buffer_usage(addresses: bool) -> vk::BufferUsageFlags {
    let mut flags = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::INDIRECT_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    if addresses {
        flags |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    }
    flags
}

impl PhysicalDevice {
    /// Returns the handle types that hold for devices with these features. Buffers whose kernels have no addresses share a few blocks of
    /// memory, in which other memory has no place.
    #[must_use]
    pub fn external_support(&self, target: &Target) -> ExternalSupport {
        let mut out = ExternalSupport::default();
        if self.below_floor().is_some() {
            return out;
        }
        let present = &self.info.present;
        let unified = matches!(self.kind(), DeviceKind::Cpu | DeviceKind::Integrated);
        out.host = present.external_memory_host && unified && target.has_address_model();
        if present.external_memory && target.has_address_model() {
            let imports = |handle: &MemoryHandle| {
                let there = match handle {
                    MemoryHandle::DmaBuf => present.external_memory_dma_buf,
                    MemoryHandle::OpaqueFd | MemoryHandle::OpaqueWin32 => handle.is_of_system(),
                };
                let found = self.external_buffers(*handle, target.features.buffer_device_address);
                there && found.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
            };
            out.memory = MemoryHandle::ALL.into_iter().filter(imports).collect();
        }
        // A wait for a semaphore of another API is a part of a batch, which timelines order.
        if present.external_semaphore && target.features.timeline_semaphore {
            for handle in SemaphoreHandle::ALL.into_iter().filter(|h| h.is_of_system()) {
                let found = self.external_semaphores(handle);
                if found.contains(vk::ExternalSemaphoreFeatureFlags::IMPORTABLE) {
                    out.semaphores_in.push(handle);
                }
                if found.contains(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE) {
                    out.semaphores_out.push(handle);
                }
            }
        }
        out
    }

    /// vkGetPhysicalDeviceExternalBufferProperties, of a buffer of this crate's.
    pub(crate) fn external_buffers(
        &self,
        handle: MemoryHandle,
        addresses: bool,
    ) -> vk::ExternalMemoryFeatureFlags {
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(buffer_usage(addresses))
            .handle_type(handle.bit());
        let mut found = vk::ExternalBufferProperties::default();
        let instance = &self.instance.inner.raw;
        // SAFETY: the device belongs to the live instance and has Vulkan 1.1.
        unsafe { instance.get_physical_device_external_buffer_properties(self.handle, &info, &mut found) };
        found.external_memory_properties.external_memory_features
    }

    fn external_semaphores(&self, handle: SemaphoreHandle) -> vk::ExternalSemaphoreFeatureFlags {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(handle.bit());
        let mut found = vk::ExternalSemaphoreProperties::default();
        let instance = &self.instance.inner.raw;
        // SAFETY: the device belongs to the live instance and has Vulkan 1.1.
        unsafe {
            instance.get_physical_device_external_semaphore_properties(self.handle, &info, &mut found);
        }
        found.external_semaphore_features
    }
}

/// The functions for handles of the operating system, and who owns memory that other APIs use.
pub(crate) struct ExternalFunctions {
    pub(crate) memory: Option<MemoryCalls>,
    pub(crate) semaphore: Option<SemaphoreCalls>,
    /// VK_EXT_queue_family_foreign.
    foreign_queues: bool,
}

impl ExternalFunctions {
    /// Loads those of the extensions that a device was made with.
    pub(crate) fn load(instance: &ash::Instance, raw: &ash::Device, present: &Present) -> Self {
        ExternalFunctions {
            memory: present.external_memory.then(|| MemoryCalls::new(instance, raw)),
            semaphore: present.external_semaphore.then(|| SemaphoreCalls::new(instance, raw)),
            foreign_queues: present.queue_family_foreign,
        }
    }

    /// The queue family that stands for the other users of memory. Those of a dma-buf need not be Vulkan's.
    pub(crate) fn other_family(&self, handle: MemoryHandle) -> u32 {
        match handle {
            MemoryHandle::DmaBuf if self.foreign_queues => vk::QUEUE_FAMILY_FOREIGN_EXT,
            _ => vk::QUEUE_FAMILY_EXTERNAL,
        }
    }
}

/// The part of a buffer or image that says who owns its memory: the device's queues, or another API.
pub(crate) struct External {
    /// The device's queues have acquired it.
    acquired: AtomicBool,
    /// The queue family that stands for the others.
    family: u32,
}

impl External {
    /// For memory that was just imported, which another API owns.
    pub(crate) fn new(family: u32) -> Self {
        External { acquired: AtomicBool::new(false), family }
    }

    /// Notes a change of owner that is being recorded in a queue of a family; the queue families of its barrier, from and to. `None`: it is owned so
    /// already.
    pub(crate) fn change(&self, ours: u32, acquire: bool) -> Option<(u32, u32)> {
        if self.acquired.swap(acquire, Ordering::AcqRel) == acquire {
            return None;
        }
        Some(if acquire { (self.family, ours) } else { (ours, self.family) })
    }
}

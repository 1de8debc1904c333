//! Memory of other APIs as buffers, and buffers of memory for other APIs: VK_KHR_external_memory_fd, VK_EXT_external_memory_dma_buf,
//! VK_KHR_external_memory_win32.

use std::sync::Arc;

use ash::vk;

use crate::device::external::MemoryHandle;
use crate::device::handle_calls;
use crate::device::logical::{Device, DeviceInner};
use crate::error::{RuntimeError, UserError};
use crate::memory::allocator::{Holder, MemoryPart};
use crate::memory::buffer::Buffer;
use crate::memory::import::tail_is_shared;
use crate::process::os_handle::{self, BorrowedOsHandle, File, OsHandle};

/// Memory that another API exported.
pub(crate) struct Import<'a> {
    pub(crate) handle: MemoryHandle,
    descriptor: BorrowedOsHandle<'a>,
    /// Its bytes, where the file tells.
    bytes: Option<u64>,
}

fn invalid(why: impl Into<String>) -> RuntimeError {
    RuntimeError::user(UserError::InvalidHandle, why.into())
}

impl<'a> Import<'a> {
    /// Looks at a handle. A driver reads what it is given: what may make it wait is refused before.
    ///
    /// # Errors
    /// User (InvalidHandle) for a handle that is closed, or of a file that no driver exports.
    pub(crate) fn new(
        device: &DeviceInner,
        handle: MemoryHandle,
        descriptor: BorrowedOsHandle<'a>,
    ) -> Result<Self, RuntimeError> {
        let raw = os_handle::raw(descriptor);
        let file = File::inspect(raw).ok_or_else(|| invalid(format!("the handle {raw:?} is closed")))?;
        // A CPU driver's memory is a file; a GPU's is the kernel's own kind, or the driver's device.
        let is_files = device.target.features.is_cpu && handle == MemoryHandle::OpaqueFd;
        if file.is_foreign || (is_files && file.regular.is_none()) {
            return Err(invalid(format!("the handle {raw:?} is of a file that no driver exports")));
        }
        let bytes = match handle {
            MemoryHandle::OpaqueFd | MemoryHandle::OpaqueWin32 => file.regular,
            MemoryHandle::DmaBuf => os_handle::end(descriptor),
        };
        Ok(Import { handle, descriptor, bytes })
    }

    /// Imports the memory for a buffer or an image. Each memory type is tried that holds for both: the handle's own is not told.
    ///
    /// # Errors
    /// User: InvalidHandle if the driver takes it for none of its, InvalidBufferSize if the file is smaller than what is asked for.
    pub(crate) fn allocate(
        &self,
        device: &DeviceInner,
        holder: Holder,
        dedicated: bool,
        requirements: vk::MemoryRequirements,
    ) -> Result<MemoryPart, RuntimeError> {
        if let Some(bytes) = self.bytes.filter(|bytes| *bytes < requirements.size) {
            let text = format!("{} bytes of external memory that has {bytes}", requirements.size);
            return Err(RuntimeError::user(UserError::InvalidBufferSize, text));
        }
        let Some(calls) = &device.external.memory else {
            return Err(RuntimeError::bug("an import without the extension for handles of memory"));
        };
        let mut bits = requirements.memory_type_bits;
        if self.handle == MemoryHandle::DmaBuf {
            let raw = os_handle::raw(self.descriptor);
            // SAFETY: the extension is enabled; the descriptor is open; a handle type that is not opaque.
            bits &= unsafe { handle_calls::memory_types(calls, self.handle.bit(), raw) }
                .map_err(|e| invalid(format!("the handle {raw:?} is no dma-buf for this device: {e}")))?;
        }
        let mut last = invalid("no memory type of the device can be imported so");
        for (index, flags) in device.memory.import_types(bits) {
            match self.allocate_in(device, holder, dedicated, (requirements.size, index)) {
                Ok(memory) => {
                    return Ok(MemoryPart::external(memory, requirements.size, flags));
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    fn allocate_in(
        &self,
        device: &DeviceInner,
        holder: Holder,
        dedicated: bool,
        (size, index): (u64, u32),
    ) -> Result<vk::DeviceMemory, RuntimeError> {
        let made = os_handle::lend(self.descriptor, |raw| {
            let mut import = handle_calls::memory_import(self.handle.bit(), raw);
            let mut address =
                vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let mut whole = match holder {
                Holder::Buffer(buffer) => vk::MemoryDedicatedAllocateInfo::default().buffer(buffer),
                Holder::Image(image) => vk::MemoryDedicatedAllocateInfo::default().image(image),
            };
            let mut info = vk::MemoryAllocateInfo::default()
                .allocation_size(size)
                .memory_type_index(index)
                .push_next(&mut import);
            let is_buffer = matches!(holder, Holder::Buffer(_));
            if is_buffer && device.target.features.buffer_device_address {
                info = info.push_next(&mut address);
            }
            if dedicated {
                info = info.push_next(&mut whole);
            }
            // SAFETY: the handle is open, and a descriptor becomes the driver's; the type index is one that buffer or image allow; the
            // structures live through the call.
            unsafe { device.raw.allocate_memory(&info, None) }
        });
        let made = made.map_err(|e| invalid(format!("the handle cannot be duplicated: {e}")))?;
        made.map_err(|e| match e {
            vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
                invalid("the driver takes the handle for none of its memory")
            }
            result => RuntimeError::Driver { call: "vkAllocateMemory", result },
        })
    }
}

impl Device {
    /// Makes a buffer of memory that another API exported. The handle stays the caller's. Commands may use the buffer between
    /// [`Queue::acquire`](crate::Queue::acquire) and [`Queue::release`](crate::Queue::release).
    ///
    /// # Errors
    /// Unsupported if the device imports no buffers so, or reaches their last bytes by words that go beyond them; User: InvalidHandle for a
    /// handle that is none of that type, InvalidBufferSize for more than the memory has; Driver when Vulkan fails.
    pub fn import_buffer(
        &self,
        handle: MemoryHandle,
        descriptor: BorrowedOsHandle<'_>,
        size: u64,
    ) -> Result<Buffer, RuntimeError> {
        let inner: &Arc<DeviceInner> = &self.inner;
        let Some(dedicated) = inner.imports_buffers(handle) else {
            let name = &inner.target.name;
            return Err(RuntimeError::unsupported(format!("{handle:?} memory on the device '{name}'")));
        };
        if tail_is_shared(&inner.target.features, size) {
            return Err(RuntimeError::user(
                UserError::InvalidBufferSize,
                format!(
                    "{size} bytes of external memory end within a word, which kernels write as a whole here"
                ),
            ));
        }
        let import = Import::new(inner, handle, descriptor)?;
        let allocate =
            |raw, requirements| import.allocate(inner, Holder::Buffer(raw), dedicated, requirements);
        Buffer::external(inner, size, handle, allocate).inspect_err(|e| log::debug!("import: {e}"))
    }
}

/// A buffer whose memory another API imports.
#[derive(Debug)]
pub struct ExportedBuffer {
    /// The buffer, which the other API owns at first.
    pub buffer: Buffer,
    /// A handle of its memory.
    pub handle: OsHandle,
    /// Bytes of the memory, which an import names.
    pub allocation: u64,
    /// True if the memory is the buffer's alone, as an import has to say, too.
    pub dedicated: bool,
}

impl Device {
    /// Makes a buffer of memory that another API imports. Commands may use it between
    /// [`Queue::acquire`](crate::Queue::acquire) and [`Queue::release`](crate::Queue::release).
    ///
    /// # Errors
    /// Unsupported if the device exports no buffers so; Driver when Vulkan fails.
    pub fn export_buffer(&self, handle: MemoryHandle, size: u64) -> Result<ExportedBuffer, RuntimeError> {
        let inner: &Arc<DeviceInner> = &self.inner;
        let found = inner.physical.external_buffers(handle, inner.target.features.buffer_device_address);
        let exports = found.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE);
        if !exports || inner.imports_buffers(handle).is_none() {
            let name = &inner.target.name;
            return Err(RuntimeError::unsupported(format!("{handle:?} memory from the device '{name}'")));
        }
        let dedicated = found.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY);
        let mut exported = None;
        let allocate = |raw, requirements| {
            let (part, descriptor) = export(inner, handle, (raw, dedicated), requirements)?;
            exported = Some((descriptor, requirements.size));
            Ok(part)
        };
        let buffer = Buffer::exported(inner, size, handle, allocate)?;
        let (handle, allocation) =
            exported.ok_or_else(|| RuntimeError::bug("a buffer that was made without memory"))?;
        Ok(ExportedBuffer { buffer, handle, allocation, dedicated })
    }
}

/// Allocates memory for a buffer, and exports it. The first memory type that holds for both serves.
fn export(
    device: &DeviceInner,
    handle: MemoryHandle,
    (buffer, dedicated): (vk::Buffer, bool),
    requirements: vk::MemoryRequirements,
) -> Result<(MemoryPart, OsHandle), RuntimeError> {
    let Some(calls) = &device.external.memory else {
        return Err(RuntimeError::bug("an export without the extension for handles of memory"));
    };
    let mut last = RuntimeError::unsupported("no memory type of the device can be exported");
    for (index, flags) in device.memory.import_types(requirements.memory_type_bits) {
        let mut exported = vk::ExportMemoryAllocateInfo::default().handle_types(handle.bit());
        let mut address =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut whole = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(index)
            .push_next(&mut exported);
        if device.target.features.buffer_device_address {
            info = info.push_next(&mut address);
        }
        if dedicated {
            info = info.push_next(&mut whole);
        }
        // SAFETY: the type index is one that the buffer allows; the structures live through the call.
        let memory = match unsafe { device.raw.allocate_memory(&info, None) } {
            Ok(memory) => memory,
            Err(result) => {
                last = RuntimeError::Driver { call: "vkAllocateMemory", result };
                continue;
            }
        };
        // SAFETY: the memory is alive, and was made to be exported so.
        match unsafe { handle_calls::export_memory(calls, memory, handle.bit()) } {
            Ok(descriptor) => {
                return Ok((MemoryPart::exported(memory, requirements.size, flags), descriptor));
            }
            Err(result) => {
                // SAFETY: ours, and nothing is bound to it.
                unsafe { device.raw.free_memory(memory, None) };
                last = RuntimeError::Driver { call: "vkGetMemoryFdKHR", result };
            }
        }
    }
    Err(last)
}

impl DeviceInner {
    /// Returns whether the device imports buffers by a handle type; `Some(true)`: only with an allocation that is the buffer's alone.
    pub(crate) fn imports_buffers(&self, handle: MemoryHandle) -> Option<bool> {
        let support = self.physical.external_support(&self.target);
        let found = self.physical.external_buffers(handle, self.target.features.buffer_device_address);
        let alone = found.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY);
        support.memory.contains(&handle).then_some(alone)
    }
}

//! Buffers.

use std::sync::Arc;

use ash::vk;

use crate::device::DeviceInner;
use crate::error::{Call, RuntimeError, UserError};
use crate::memory::{BufferUse, MemoryPart};

/// Sizes are rounded up to this, so that kernels may read whole words and vectors at the end.
const ROUND: u64 = 16;

/// Device memory that kernels can work on. Cheap to clone: a clone is the same memory.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) inner: Arc<BufferInner>,
}

pub(crate) struct BufferInner {
    pub(crate) raw: vk::Buffer,
    /// `None` only while it is being made.
    part: Option<MemoryPart>,
    /// As asked for.
    pub(crate) size: u64,
    /// Rounded up: what is bound.
    pub(crate) bound_size: u64,
    pub(crate) id: u64,
    pub(crate) address: Option<u64>,
    pub(crate) device: Arc<DeviceInner>,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("id", &self.inner.id)
            .field("size", &self.inner.size)
            .finish_non_exhaustive()
    }
}

impl Buffer {
    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// Its device address, on a device with bufferDeviceAddress.
    #[must_use]
    pub fn device_address(&self) -> Option<u64> {
        self.inner.address
    }

    /// Whether the host reaches its memory without a copy by the device.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.inner.part.as_ref().is_some_and(MemoryPart::is_mapped)
    }

    /// Gives it a name in debuggers and validation messages.
    pub fn set_name(&self, name: &str) {
        self.inner.device.name(self.inner.raw, name);
    }

    pub(crate) fn new(
        device: &Arc<DeviceInner>,
        size: u64,
        usage: BufferUse,
        name: &str,
    ) -> Result<Self, RuntimeError> {
        if size == 0 {
            return Err(RuntimeError::user(UserError::InvalidBufferSize, "a buffer of size 0"));
        }
        if size > device.max_buffer_size {
            return Err(RuntimeError::user(
                UserError::InvalidBufferSize,
                format!(
                    "a buffer of {size} bytes: the device '{}' allows {} bytes",
                    device.target.name, device.max_buffer_size
                ),
            ));
        }
        let bound_size = size.next_multiple_of(ROUND);
        let with_address = device.target.features.buffer_device_address;
        let mut flags = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        if with_address {
            flags |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default()
            .size(bound_size)
            .usage(flags)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive; the size is not 0; address usage only with the feature.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        let mut inner = BufferInner {
            raw,
            part: None,
            size,
            bound_size,
            id: device.new_id(),
            address: None,
            device: device.clone(),
        };
        // From here on BufferInner's drop cleans up.
        // SAFETY: `raw` is alive.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let part = inner.part.insert(device.memory.allocate(raw, requirements, usage, name)?);
        // SAFETY: the buffer is unbound; the memory is of a permitted type, aligned and large enough by the
        // requirements, with the address flag where the usage has it.
        unsafe { device.raw.bind_buffer_memory(raw, part.memory, part.offset) }.call("vkBindBufferMemory")?;
        if with_address {
            inner.address = Some(device.buffer_address(raw));
        }
        device.name(raw, name);
        Ok(Buffer { inner: Arc::new(inner) })
    }
}

impl BufferInner {
    pub(crate) fn part(&self) -> Result<&MemoryPart, RuntimeError> {
        self.part.as_ref().ok_or_else(|| RuntimeError::bug("a buffer without memory"))
    }

    /// Checks that a range lies within the buffer.
    pub(crate) fn check_range(&self, what: &str, offset: u64, size: u64) -> Result<(), RuntimeError> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(RuntimeError::user(
                UserError::InvalidValue,
                format!("{what}: {size} bytes from offset {offset} of a buffer of {} bytes", self.size),
            )),
        }
    }
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        // SAFETY: a batch that uses the buffer holds an Arc of it until the device has finished, so it is idle; destroyed
        // once.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        if let Some(part) = self.part.take() {
            self.device.memory.free(part);
        }
    }
}

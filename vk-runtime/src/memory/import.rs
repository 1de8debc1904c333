//! Host memory as a buffer: VK_EXT_external_memory_host.

use std::sync::Arc;

use ash::vk;
use lower::target::TargetFeatures;

use crate::device::logical::{Device, DeviceInner};
use crate::error::{Call, RuntimeError};
use crate::memory::allocator::MemoryPart;
use crate::memory::buffer::{Buffer, HOST, Storage};

impl Device {
    /// Storage of whole pages of host memory, for the runtime itself.
    ///
    /// # Safety
    /// `size` bytes at `ptr`, where a page begins, are mapped and stay so until the storage is gone.
    pub(crate) unsafe fn import_storage(&self, ptr: *mut u8, size: u64) -> Result<Storage, RuntimeError> {
        if self.inner.import.is_none() {
            return Err(RuntimeError::unsupported("VK_EXT_external_memory_host is missing"));
        }
        Storage::imported(&self.inner, size, |requirements| {
            if requirements.size > size {
                return Err(RuntimeError::unsupported("a buffer needs more memory than it is large"));
            }
            // SAFETY: the caller's promise.
            unsafe { import(&self.inner, requirements, ptr, 0, size) }
        })
    }

    /// Makes a buffer of existing host memory, without a copy, on a device that shares the host's memory. Its
    /// [`host_ptr`](Buffer::host_ptr) is `ptr`.
    ///
    /// # Errors
    /// Unsupported on a device with memory of its own, without VK_EXT_external_memory_host, or where the pointer is not
    /// aligned as the device wants it: then a copy serves. Driver when Vulkan fails.
    ///
    /// # Safety
    /// `size` bytes at `ptr` are readable and writable memory, and stay so until the buffer's last handle is dropped and
    /// the stream has finished the commands that use it. The pages that hold the first and the last byte are imported as
    /// a whole.
    pub unsafe fn import_host(&self, ptr: *mut u8, size: u64) -> Result<Buffer, RuntimeError> {
        let inner = &self.inner;
        let refusal = |why: &str| {
            let name = &inner.target.name;
            RuntimeError::unsupported(format!("host memory cannot be imported on '{name}': {why}"))
        };
        let refuse = |why: &str| Err(refusal(why));
        if !inner.memory.is_unified() {
            return refuse("it has memory of its own");
        }
        if inner.memory.has_blocks() {
            return refuse(
                "its buffers share memory, so that kernels see many of them through few descriptors",
            );
        }
        if inner.memory.has_shadows() {
            return refuse("mappings are shadow copies in this test mode");
        }
        if inner.import.is_none() {
            return refuse("VK_EXT_external_memory_host is missing");
        }
        if tail_is_shared(&inner.target.features, size) {
            return refuse(
                "it ends within a word, and kernels reach its last bytes by the whole word, which is not the buffer's",
            );
        }
        let address = ptr.addr() as u64;
        let page = inner.physical.info.host_import_alignment.max(1);
        // What is imported: whole pages around the range.
        let start = address / page * page;
        let Some(end) = address.checked_add(size).and_then(|e| e.checked_next_multiple_of(page)) else {
            return refuse("the range wraps around");
        };
        if size == 0 || ptr.is_null() {
            return refuse("there is none");
        }
        let offset = address - start;
        Buffer::imported(inner, size, |requirements| {
            if !offset.is_multiple_of(requirements.alignment) || offset + requirements.size > end - start {
                return Err(refusal(&format!(
                    "the pointer must be a multiple of {}, its end leave room for {} bytes",
                    requirements.alignment, requirements.size
                )));
            }
            // SAFETY: the caller's promise for the range.
            let part = unsafe { import(inner, requirements, ptr, offset, end - start) }?;
            Ok(part)
        })
    }
}

/// Returns whether kernels may reach bytes of a buffer of that size by a word that goes beyond it: bytes and shorts without storage of their own, and
/// halves as atomic operations change them. The rest of that word is the program's; a device that checks bounds loses the access.
pub(crate) fn tail_is_shared(features: &TargetFeatures, size: u64) -> bool {
    let whole = !(features.storage_buffer_8bit_access && features.storage_buffer_16bit_access);
    match size % 4 {
        0 => false,
        1 => whole,
        _ => whole || features.shader_float16,
    }
}

/// Imports `length` bytes from `offset` before `ptr`.
///
/// # Safety
/// The pages around the range are mapped and stay so while the part lives.
unsafe fn import(
    device: &Arc<DeviceInner>,
    requirements: vk::MemoryRequirements,
    ptr: *mut u8,
    offset: u64,
    length: u64,
) -> Result<MemoryPart, RuntimeError> {
    let Some(calls) = &device.import else {
        return Err(RuntimeError::bug("an import without the extension"));
    };
    let first = ptr.wrapping_sub(usize::try_from(offset).unwrap_or(0));
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the extension is enabled; `first` is a multiple of the import alignment within mapped pages.
    unsafe {
        (calls.fp().get_memory_host_pointer_properties_ext)(
            device.raw.handle(),
            HOST,
            first.cast(),
            &raw mut properties,
        )
    }
    .result()
    .call("vkGetMemoryHostPointerPropertiesEXT")?;
    let bits = properties.memory_type_bits & requirements.memory_type_bits;
    let Some((index, flags)) = device.memory.import_type(bits) else {
        return Err(RuntimeError::unsupported("no memory type for imported host memory"));
    };
    let mut host = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HOST).host_pointer(first.cast());
    let mut address = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut info = vk::MemoryAllocateInfo::default()
        .allocation_size(length)
        .memory_type_index(index)
        .push_next(&mut host);
    if device.target.features.buffer_device_address {
        info = info.push_next(&mut address);
    }
    // SAFETY: pointer and length are multiples of the import alignment and mapped (the caller's promise); the type is
    // one of those that the pointer and the buffer allow; the buffer was made for this handle type.
    let memory = unsafe { device.raw.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
    Ok(MemoryPart::imported(memory, offset, requirements.size, flags, ptr))
}

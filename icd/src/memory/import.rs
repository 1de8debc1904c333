//! Memory of the host and dma-bufs as buffers that need no acquisition (cl_arm_import_memory).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::os_handle::{self, RawOsHandle};
use vk_runtime::{DeviceKind, MemoryHandle, Object};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::abi::handle::Raw;
use crate::device::context::Context;
use crate::memory::Memory;
use crate::memory::store::{Form, Place, Store};

/// The type of memory that clImportMemoryARM is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    /// With true if commands and the host are to see the same without more ado.
    DmaBuf(bool),
}

/// Reads a list of properties.
///
/// # Errors
/// CL_INVALID_PROPERTY for an unknown name, a wrong value, and a name that is there twice.
fn kind(list: &[cl::cl_import_properties_arm]) -> ClResult<Kind> {
    const WRONG: ClError = ClError(cl::CL_INVALID_PROPERTY);
    let (mut found, mut consistent) = (None, None);
    for pair in list.chunks_exact(2) {
        let [name, value] = *pair else { continue };
        match name {
            cl::CL_IMPORT_TYPE_ARM => {
                ensure(found.is_none(), WRONG.0)?;
                found = Some(match value {
                    cl::CL_IMPORT_TYPE_HOST_ARM => Kind::Host,
                    cl::CL_IMPORT_TYPE_DMA_BUF_ARM => Kind::DmaBuf(false),
                    _ => return Err(WRONG),
                });
            }
            cl::CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM => {
                ensure(consistent.is_none() && matches!(value, 0 | 1), WRONG.0)?;
                consistent = Some(value == 1);
            }
            _ => return Err(WRONG),
        }
    }
    match (found.unwrap_or(Kind::Host), consistent) {
        (Kind::Host, Some(_)) => Err(WRONG),
        (Kind::Host, None) => Ok(Kind::Host),
        (Kind::DmaBuf(_), consistent) => Ok(Kind::DmaBuf(consistent.unwrap_or(false))),
    }
}

impl Memory {
    /// clImportMemoryARM.
    ///
    /// # Safety
    /// `memory`, unless NULL, points to `size` bytes that stay as long as the buffer, or to a descriptor of a dma-buf.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for no memory and for flags that name a host pointer; CL_INVALID_PROPERTY; CL_INVALID_BUFFER_SIZE; CL_INVALID_OPERATION
    /// where a device of the context does not import such memory, or not this one: nothing is copied.
    pub(crate) unsafe fn import(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        properties: &[cl::cl_import_properties_arm],
        memory: *mut c_void,
        size: usize,
    ) -> ClResult<Raw> {
        let kind = kind(properties)?;
        let hosts = cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR;
        ensure(flags & hosts == 0 && !memory.is_null(), cl::CL_INVALID_VALUE)?;
        flags::check_new(flags)?;
        flags::check_contents(flags, false)?;
        let length = size as u64;
        let fits = context.devices.iter().any(|d| length <= d.caps.max_mem_alloc_size);
        ensure(size > 0 && fits, cl::CL_INVALID_BUFFER_SIZE)?;
        let [device] = context.devices.as_slice() else { return fail(cl::CL_INVALID_OPERATION) };
        let store = match kind {
            Kind::Host => {
                ensure(device.caps.external.host, cl::CL_INVALID_OPERATION)?;
                let place = Place::User(UserPointer(memory));
                let store = Store::new(context, flags, length, place, Form::Bytes);
                let coherent = store.buffer(0)?.is_coherent();
                // Where the pointer is not aligned as the device wants it, the store has a copy.
                ensure(store.is_imported(0) && coherent, cl::CL_INVALID_OPERATION)?;
                store
            }
            Kind::DmaBuf(consistent) => {
                let seen = !consistent || device.physical.kind() == DeviceKind::Cpu;
                ensure(device.caps.imports_dma_bufs && seen, cl::CL_INVALID_OPERATION)?;
                // SAFETY: by the caller's promise.
                let descriptor = unsafe { memory.cast::<RawOsHandle>().read_unaligned() };
                ensure(os_handle::is_possible(descriptor), cl::CL_INVALID_VALUE)?;
                // SAFETY: possible. The application promises that it is open; the runtime asks the system first. It stays the application's.
                let descriptor = unsafe { os_handle::borrow(descriptor) };
                let place = Place::External(Box::from([0]));
                let store = Store::new(context, flags, length, place, Form::Bytes);
                let runtime = context.runtime(device)?;
                let buffer = runtime.device.import_buffer(MemoryHandle::DmaBuf, descriptor, length)?;
                // For good: the extension has no commands for it.
                runtime.stream.acquire(&[Object::Buffer(&buffer)])?;
                store.adopt_buffer(0, buffer)?;
                store
            }
        };
        Memory::publish(Arc::new(store), None, 0, length, flags, Vec::new(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_properties() {
        let (name, host, dma) =
            (cl::CL_IMPORT_TYPE_ARM, cl::CL_IMPORT_TYPE_HOST_ARM, cl::CL_IMPORT_TYPE_DMA_BUF_ARM);
        let consistent = cl::CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM;
        assert_eq!(kind(&[]), Ok(Kind::Host));
        assert_eq!(kind(&[0]), Ok(Kind::Host));
        assert_eq!(kind(&[name, host, 0]), Ok(Kind::Host));
        assert_eq!(kind(&[name, dma, 0]), Ok(Kind::DmaBuf(false)));
        assert_eq!(kind(&[consistent, 1, name, dma, 0]), Ok(Kind::DmaBuf(true)));
        let wrong = Err(ClError(cl::CL_INVALID_PROPERTY));
        for list in [&[name, 7, 0][..], &[77, 1, 0], &[name, host, name, host, 0], &[consistent, 1, 0]] {
            assert_eq!(kind(list), wrong, "{list:?}");
        }
        assert_eq!(kind(&[name, dma, consistent, 2, 0]), wrong);
    }
}

//! Memory of other APIs as buffers and images (cl_khr_external_memory): "External Memory Handle Types" of §5.

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::os_handle::{self, BorrowedOsHandle, RawOsHandle};
use vk_runtime::{MemoryHandle, Object, RuntimeError};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::flags;
use crate::abi::handle;
use crate::abi::handle::Raw;
use crate::device::Device;
use crate::device::context::Context;
use crate::memory::Memory;
use crate::memory::image::ImageForm;
use crate::memory::store::{Place, Store};

/// The properties of clCreateBufferWithProperties and clCreateImageWithProperties.
#[derive(Default)]
pub(crate) struct Properties {
    /// CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.
    pub(crate) addressed: bool,
    pub(crate) external: Option<Box<External>>,
}

/// A handle of memory, as the application gives it.
pub(crate) struct External {
    handle: MemoryHandle,
    raw: RawOsHandle,
    /// CL_MEM_DEVICE_HANDLE_LIST_KHR.
    devices: Option<Vec<Raw>>,
}

/// CL_EXTERNAL_MEMORY_HANDLE_*_KHR of a type.
pub(crate) fn code(handle: MemoryHandle) -> cl::cl_uint {
    match handle {
        MemoryHandle::OpaqueFd => cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
        MemoryHandle::DmaBuf => cl::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
        MemoryHandle::OpaqueWin32 => cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR,
    }
}

impl Properties {
    /// Reads a list.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY for an unknown name, a wrong value, a name that is there twice, more than one handle, devices without a handle
    /// (§5.2.1, §5.3.1).
    pub(crate) fn read(list: &[cl::cl_mem_properties], is_image: bool) -> ClResult<Self> {
        const WRONG: ClError = ClError(cl::CL_INVALID_PROPERTY);
        // Nearly every buffer.
        if list.is_empty() {
            return Ok(Self::default());
        }
        let (mut addressed, mut devices, mut found) = (None, None, None);
        let mut rest = list.iter().copied();
        while let Some(name) = rest.next().filter(|name| *name != 0) {
            let typed = MemoryHandle::ALL.into_iter().find(|h| u64::from(code(*h)) == name);
            if name == flags::CL_MEM_DEVICE_HANDLE_LIST_KHR {
                ensure(devices.is_none(), WRONG.0)?;
                let end = flags::CL_MEM_DEVICE_HANDLE_LIST_END_KHR;
                let raw =
                    |word: u64| std::ptr::with_exposed_provenance_mut(usize::try_from(word).unwrap_or(0));
                devices = Some(rest.by_ref().take_while(|word| *word != end).map(raw).collect());
                continue;
            }
            let value = rest.next().ok_or(WRONG)?;
            if let Some(handle) = typed {
                ensure(found.is_none(), WRONG.0)?;
                found = Some((handle, os_handle::of_property(value)));
            } else {
                let known = name == cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && !is_image;
                ensure(known && value <= 1 && addressed.is_none(), WRONG.0)?;
                addressed = Some(value == 1);
            }
        }
        ensure(devices.is_none() || found.is_some(), WRONG.0)?;
        let external = found.map(|(handle, raw)| Box::new(External { handle, raw, devices }));
        Ok(Properties { addressed: addressed.unwrap_or(false), external })
    }
}

/// Returns whether a device imports memory so.
fn imports(device: &Device, handle: MemoryHandle) -> bool {
    device.caps.external.memory.contains(&handle)
}

impl External {
    /// Returns the place of the bytes of an object that is made of it: on these devices of the context.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY if no device knows the handle's type; CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_HOST_PTR as §5.2.1 and §5.3.1
    /// have them.
    pub(crate) fn place(
        &self,
        context: &Context,
        flags: cl::cl_mem_flags,
        host: *mut std::ffi::c_void,
    ) -> ClResult<Place> {
        let known = crate::device::platform::platform()?.devices.iter().any(|d| imports(d, self.handle));
        ensure(known, cl::CL_INVALID_PROPERTY)?;
        let hosts = cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR;
        ensure(flags & hosts == 0, cl::CL_INVALID_VALUE)?;
        flags::check_new(flags)?;
        ensure(host.is_null(), cl::CL_INVALID_HOST_PTR)?;
        let mut indices = Vec::new();
        match &self.devices {
            None => indices.extend(0..context.devices.len()),
            Some(list) => {
                for raw in list {
                    let device = handle::get::<Device>(*raw)?;
                    let index = context.devices.iter().position(|d| Arc::ptr_eq(d, &device));
                    indices.push(index.ok_or(ClError(cl::CL_INVALID_DEVICE))?);
                }
                ensure(!indices.is_empty(), cl::CL_INVALID_DEVICE)?;
            }
        }
        let can = |index: &usize| context.devices.get(*index).is_some_and(|d| imports(d, self.handle));
        ensure(indices.iter().all(can), cl::CL_INVALID_DEVICE)?;
        Ok(Place::External(indices.into_boxed_slice()))
    }

    fn borrow(&self) -> ClResult<BorrowedOsHandle<'_>> {
        ensure(os_handle::is_possible(self.raw), cl::CL_INVALID_PROPERTY)?;
        // SAFETY: possible. The application promises that it is open; whoever uses it asks the system first.
        Ok(unsafe { os_handle::borrow(self.raw) })
    }

    /// Imports the memory of a new buffer on its devices.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY for a descriptor of something else, CL_INVALID_BUFFER_SIZE for more bytes than it has,
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES.
    pub(crate) fn import_buffer(&self, store: &Store) -> ClResult<()> {
        let descriptor = self.borrow()?;
        for (index, runtime) in store.external_devices()? {
            store.adopt_buffer(index, runtime.device.import_buffer(self.handle, descriptor, store.size)?)?;
        }
        Ok(())
    }

    /// The same for a new image.
    ///
    /// # Errors
    /// As [`import_buffer`](Self::import_buffer); CL_IMAGE_FORMAT_NOT_SUPPORTED for a format of which a device imports no images,
    /// CL_INVALID_IMAGE_DESCRIPTOR for another row pitch than the device's.
    pub(crate) fn import_image(&self, store: &Store, form: &ImageForm, row: usize) -> ClResult<()> {
        let descriptor = self.borrow()?;
        let row = (row != 0).then_some(row as u64);
        for (index, runtime) in store.external_devices()? {
            let made = runtime.device.import_image(self.handle, descriptor, &form.desc(), row);
            let image = made.map_err(|e| match e {
                RuntimeError::Unsupported(why) => {
                    log::error!("{why}");
                    ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED)
                }
                e => match ClError::from(e) {
                    // The memory is too small for the image, or its rows lie otherwise.
                    ClError(cl::CL_INVALID_BUFFER_SIZE) => ClError(cl::CL_INVALID_IMAGE_SIZE),
                    other => other,
                },
            })?;
            store.adopt_image(index, image)?;
        }
        Ok(())
    }

    /// Ends the application's ownership of a descriptor: the object is made. Before that the descriptor is as it was.
    pub(crate) fn take_over(self) {
        // SAFETY: it was imported just now, so it is open; and it is the application's, which gives it away.
        unsafe { os_handle::take_over(self.raw) };
    }
}

impl Memory {
    /// Returns whether it was made of external memory that a device of the context has, by its number.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT for another object, a part of one among them; CL_INVALID_COMMAND_QUEUE for another device.
    pub(crate) fn check_external(&self, device: usize) -> ClResult<()> {
        match &self.store.place {
            Place::External(devices) if self.parent.is_none() => {
                ensure(devices.contains(&device), cl::CL_INVALID_COMMAND_QUEUE)
            }
            _ => fail(cl::CL_INVALID_MEM_OBJECT),
        }
    }
}

impl Store {
    /// Its object on a device, as the runtime has it.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer) and [`image`](Self::image).
    pub(crate) fn object(&self, index: usize) -> ClResult<Object<'_>> {
        Ok(match self.is_image() {
            true => Object::Image(self.image(index)?),
            false => Object::Buffer(self.buffer(index)?),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_properties() {
        let (fd, dma) = (code(MemoryHandle::OpaqueFd).into(), code(MemoryHandle::DmaBuf).into());
        let (list, address) = (flags::CL_MEM_DEVICE_HANDLE_LIST_KHR, cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT);
        let read = |words: &[u64], image: bool| Properties::read(words, image);
        let wrong =
            |words: &[u64], image: bool| read(words, image).err() == Some(ClError(cl::CL_INVALID_PROPERTY));
        assert!(read(&[], false).is_ok_and(|p| !p.addressed && p.external.is_none()));
        assert!(read(&[address, 1, 0], false).is_ok_and(|p| p.addressed));
        let found = read(&[address, 0, fd, 5, list, 64, 128, 0, 0], false).expect("read");
        let external = found.external.expect("a handle");
        assert_eq!((external.handle, external.raw), (MemoryHandle::OpaqueFd, 5));
        assert_eq!(external.devices.map(|d| d.len()), Some(2));
        // An int of -1 may have been converted with its sign or without.
        for minus in [u64::MAX, u64::from(u32::MAX)] {
            assert!(read(&[dma, minus, 0], true).is_ok_and(|p| p.external.is_some_and(|e| e.raw == -1)));
        }
        assert!(wrong(&[fd, 5, dma, 6, 0], false), "two handles");
        assert!(wrong(&[fd, 5, fd, 5, 0], false), "one twice");
        assert!(wrong(&[list, 64, 0, 0], false), "devices of no handle");
        assert!(wrong(&[fd, 5, list, 0, list, 0, 0], false), "two lists");
        assert!(wrong(&[address, 2, 0], false));
        assert!(wrong(&[address, 1, 0], true), "no property of images");
        assert!(wrong(&[77, 1, 0], false));
    }
}

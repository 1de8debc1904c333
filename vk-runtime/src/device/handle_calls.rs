//! Vulkan's functions for handles of the operating system: those of VK_KHR_external_memory_fd and VK_KHR_external_semaphore_fd, or of their
//! counterparts for Windows.
//!
//! Both modules have the same items.

#[cfg(unix)]
pub(crate) use descriptors::*;
#[cfg(windows)]
pub(crate) use win32::*;

#[cfg(unix)]
mod descriptors {
    use std::os::fd::{FromRawFd, OwnedFd, RawFd};

    use ash::prelude::VkResult;
    use ash::{khr, vk};

    pub(crate) use khr::external_memory_fd::{Device as MemoryCalls, NAME as MEMORY_EXTENSION};
    pub(crate) use khr::external_semaphore_fd::{Device as SemaphoreCalls, NAME as SEMAPHORE_EXTENSION};

    /// The part of vkAllocateMemory that names a descriptor.
    pub(crate) fn memory_import(
        kind: vk::ExternalMemoryHandleTypeFlags,
        raw: RawFd,
    ) -> vk::ImportMemoryFdInfoKHR<'static> {
        vk::ImportMemoryFdInfoKHR::default().handle_type(kind).fd(raw)
    }

    /// The memory types for a handle type that is not opaque.
    ///
    /// # Safety
    /// The descriptor is open.
    pub(crate) unsafe fn memory_types(
        calls: &MemoryCalls,
        kind: vk::ExternalMemoryHandleTypeFlags,
        raw: RawFd,
    ) -> VkResult<u32> {
        let mut found = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: by the caller's promise; the place is valid.
        unsafe { calls.get_memory_fd_properties(kind, raw, &mut found) }?;
        Ok(found.memory_type_bits)
    }

    /// vkGetMemoryFdKHR.
    ///
    /// # Safety
    /// The memory is alive and was made to be exported so.
    pub(crate) unsafe fn export_memory(
        calls: &MemoryCalls,
        memory: vk::DeviceMemory,
        kind: vk::ExternalMemoryHandleTypeFlags,
    ) -> VkResult<OwnedFd> {
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(kind);
        // SAFETY: by the caller's promise.
        let raw = unsafe { calls.get_memory_fd(&info) }?;
        // SAFETY: new, and the caller's.
        Ok(unsafe { OwnedFd::from_raw_fd(raw) })
    }

    /// vkImportSemaphoreFdKHR.
    ///
    /// # Safety
    /// The semaphore is alive and no command uses it; the descriptor is open, or -1, and becomes the driver's.
    pub(crate) unsafe fn import_semaphore(
        calls: &SemaphoreCalls,
        semaphore: vk::Semaphore,
        flags: vk::SemaphoreImportFlags,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
        raw: RawFd,
    ) -> VkResult<()> {
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .flags(flags)
            .handle_type(kind)
            .fd(raw);
        // SAFETY: by the caller's promise.
        unsafe { calls.import_semaphore_fd(&info) }
    }

    /// vkGetSemaphoreFdKHR; `None` for a sync file whose signal has come.
    ///
    /// # Safety
    /// The semaphore is alive and was made to be exported so.
    pub(crate) unsafe fn export_semaphore(
        calls: &SemaphoreCalls,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> VkResult<Option<OwnedFd>> {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind);
        // SAFETY: by the caller's promise.
        let raw = unsafe { calls.get_semaphore_fd(&info) }?;
        // SAFETY: new, and the caller's.
        Ok((raw >= 0).then(|| unsafe { OwnedFd::from_raw_fd(raw) }))
    }
}

#[cfg(windows)]
mod win32 {
    use std::os::windows::io::{FromRawHandle, OwnedHandle, RawHandle};

    use ash::prelude::VkResult;
    use ash::{khr, vk};

    pub(crate) use khr::external_memory_win32::{Device as MemoryCalls, NAME as MEMORY_EXTENSION};
    pub(crate) use khr::external_semaphore_win32::{Device as SemaphoreCalls, NAME as SEMAPHORE_EXTENSION};

    /// The part of vkAllocateMemory that names a handle.
    pub(crate) fn memory_import(
        kind: vk::ExternalMemoryHandleTypeFlags,
        raw: RawHandle,
    ) -> vk::ImportMemoryWin32HandleInfoKHR<'static> {
        vk::ImportMemoryWin32HandleInfoKHR::default()
            .handle_type(kind)
            .handle(raw.expose_provenance() as isize)
    }

    /// The memory types for a handle type that is not opaque.
    ///
    /// # Safety
    /// The handle is open.
    pub(crate) unsafe fn memory_types(
        calls: &MemoryCalls,
        kind: vk::ExternalMemoryHandleTypeFlags,
        raw: RawHandle,
    ) -> VkResult<u32> {
        let mut found = vk::MemoryWin32HandlePropertiesKHR::default();
        // SAFETY: by the caller's promise; the place is valid.
        unsafe {
            calls.get_memory_win32_handle_properties(kind, raw.expose_provenance() as isize, &mut found)
        }?;
        Ok(found.memory_type_bits)
    }

    /// vkGetMemoryWin32HandleKHR.
    ///
    /// # Safety
    /// The memory is alive and was made to be exported so.
    pub(crate) unsafe fn export_memory(
        calls: &MemoryCalls,
        memory: vk::DeviceMemory,
        kind: vk::ExternalMemoryHandleTypeFlags,
    ) -> VkResult<OwnedHandle> {
        let info = vk::MemoryGetWin32HandleInfoKHR::default().memory(memory).handle_type(kind);
        // SAFETY: by the caller's promise.
        let raw = unsafe { calls.get_memory_win32_handle(&info) }?;
        let raw: RawHandle = std::ptr::with_exposed_provenance_mut(raw.cast_unsigned());
        // SAFETY: new, and the caller's.
        Ok(unsafe { OwnedHandle::from_raw_handle(raw) })
    }

    /// vkImportSemaphoreWin32HandleKHR.
    ///
    /// # Safety
    /// The semaphore is alive and no command uses it; the handle is open. It stays the caller's.
    pub(crate) unsafe fn import_semaphore(
        calls: &SemaphoreCalls,
        semaphore: vk::Semaphore,
        flags: vk::SemaphoreImportFlags,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
        raw: RawHandle,
    ) -> VkResult<()> {
        let info = vk::ImportSemaphoreWin32HandleInfoKHR::default()
            .semaphore(semaphore)
            .flags(flags)
            .handle_type(kind)
            .handle(raw.expose_provenance() as isize);
        // SAFETY: by the caller's promise.
        unsafe { calls.import_semaphore_win32_handle(&info) }
    }

    /// vkGetSemaphoreWin32HandleKHR.
    ///
    /// # Safety
    /// The semaphore is alive and was made to be exported so.
    pub(crate) unsafe fn export_semaphore(
        calls: &SemaphoreCalls,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> VkResult<Option<OwnedHandle>> {
        let info = vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(semaphore).handle_type(kind);
        // SAFETY: by the caller's promise.
        let raw = unsafe { calls.get_semaphore_win32_handle(&info) }?;
        let raw: RawHandle = std::ptr::with_exposed_provenance_mut(raw.cast_unsigned());
        // SAFETY: new, and the caller's.
        Ok(Some(unsafe { OwnedHandle::from_raw_handle(raw) }))
    }
}

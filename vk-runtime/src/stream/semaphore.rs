//! Binary semaphores that other APIs signal and wait for (VK_KHR_external_semaphore_fd,
//! VK_KHR_external_semaphore_win32). Within a device streams need none: they have timelines.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ash::vk;

use crate::device::external::SemaphoreHandle;
use crate::device::handle_calls;
use crate::device::logical::{Device, DeviceInner};
use crate::device::retained::Retained;
use crate::error::{Call, RuntimeError, UserError};
use crate::process::os_handle::{self, BorrowedOsHandle, File, NO_HANDLE, OsHandle};
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::{Point, STREAMS};

/// A binary semaphore that is exported or imported. Cheap to clone.
#[derive(Clone)]
pub struct Semaphore {
    inner: Arc<SemaphoreInner>,
}

struct SemaphoreInner {
    raw: vk::Semaphore,
    kept_by: [AtomicU64; STREAMS],
    device: Arc<DeviceInner>,
}

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Semaphore").field("raw", &self.inner.raw).finish_non_exhaustive()
    }
}

impl Retained for SemaphoreInner {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        // Streams are numbered below the limit.
        &self.kept_by[stream as usize % STREAMS]
    }
}

impl Drop for SemaphoreInner {
    fn drop(&mut self) {
        // SAFETY: batches that signal it or wait for it hold an Arc of this until the device has run them; destroyed once.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) };
    }
}

fn invalid(why: impl Into<String>) -> RuntimeError {
    RuntimeError::user(UserError::InvalidHandle, why.into())
}

impl Device {
    /// Makes a semaphore that is not signalled, which can be exported so, or can [import](Semaphore::import).
    ///
    /// # Errors
    /// Unsupported without VK_KHR_external_semaphore_fd, or its counterpart for Windows; Driver when Vulkan fails.
    pub fn create_semaphore(&self, export: Option<SemaphoreHandle>) -> Result<Semaphore, RuntimeError> {
        let device = &self.inner;
        if device.external.semaphore.is_none() || !device.target.features.timeline_semaphore {
            return Err(RuntimeError::unsupported(
                "the device shares no semaphores: it lacks VK_KHR_external_semaphore_fd (_win32 on Windows), or timelines",
            ));
        }
        let mut exported = vk::ExportSemaphoreCreateInfo::default();
        let mut info = vk::SemaphoreCreateInfo::default();
        if let Some(handle) = export {
            exported = exported.handle_types(handle.bit());
            info = info.push_next(&mut exported);
        }
        // SAFETY: the device is alive; it exports such handles (the caller asked `external_support`).
        let raw = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
        device.name(raw, "external semaphore");
        let kept_by = Default::default();
        Ok(Semaphore { inner: Arc::new(SemaphoreInner { raw, kept_by, device: device.clone() }) })
    }
}

impl Semaphore {
    /// Takes another API's semaphore for this one, which no command has used. The descriptor stays the caller's; `None` stands for a sync file whose
    /// signal has come.
    ///
    /// # Errors
    /// User (InvalidHandle) for a descriptor that is none of that type; Driver when Vulkan fails.
    pub fn import(
        &self,
        handle: SemaphoreHandle,
        descriptor: Option<BorrowedOsHandle<'_>>,
    ) -> Result<(), RuntimeError> {
        let device = &self.inner.device;
        let Some(calls) = &device.external.semaphore else {
            return Err(RuntimeError::bug("an import without the extension for handles of semaphores"));
        };
        let flags = match handle {
            SemaphoreHandle::OpaqueFd | SemaphoreHandle::OpaqueWin32 => vk::SemaphoreImportFlags::empty(),
            // A sync file is a copy of one signal (Vulkan specification, "Importing Semaphore Payloads").
            SemaphoreHandle::SyncFd => vk::SemaphoreImportFlags::TEMPORARY,
        };
        let take = |raw| {
            // SAFETY: the semaphore is alive and no command uses it; a descriptor becomes the driver's.
            unsafe { handle_calls::import_semaphore(calls, self.inner.raw, flags, handle.bit(), raw) }
        };
        let taken = match descriptor {
            None if handle == SemaphoreHandle::SyncFd => take(NO_HANDLE),
            None => return Err(invalid("a semaphore without a handle")),
            Some(descriptor) => {
                let raw = os_handle::raw(descriptor);
                let file =
                    File::inspect(raw).ok_or_else(|| invalid(format!("the handle {raw:?} is closed")))?;
                // A CPU driver's semaphore is a file of memory.
                let is_files = device.target.features.is_cpu && handle == SemaphoreHandle::OpaqueFd;
                if file.is_foreign || (is_files && file.regular.is_none_or(|bytes| bytes == 0)) {
                    return Err(invalid(format!("the handle {raw:?} is of a file that is no semaphore")));
                }
                os_handle::lend(descriptor, take)
                    .map_err(|e| invalid(format!("the handle cannot be duplicated: {e}")))?
            }
        };
        taken.map_err(|e| match e {
            vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
                invalid("the driver takes the handle for none of its semaphores")
            }
            result => RuntimeError::Driver { call: "vkImportSemaphore*KHR", result },
        })
    }

    /// A new descriptor of it. Of a sync file, which copies the signal that is under way and takes it from the semaphore, `None` stands for one whose signal
    /// has come.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn export(&self, handle: SemaphoreHandle) -> Result<Option<OsHandle>, RuntimeError> {
        let Some(calls) = &self.inner.device.external.semaphore else {
            return Err(RuntimeError::bug("an export without the extension for handles of semaphores"));
        };
        // SAFETY: the semaphore is alive and was made to be exported so (the caller's table).
        unsafe { handle_calls::export_semaphore(calls, self.inner.raw, handle.bit()) }
            .call("vkGetSemaphore*KHR")
    }
}

impl Queue {
    /// Signals semaphores behind everything recorded so far in this stream, and submits it. Returns the point at which they are signalled.
    ///
    /// # Errors
    /// User (InvalidContext) for a semaphore of another device; Driver when Vulkan fails.
    pub fn signal(&self, semaphores: &[Semaphore]) -> Result<Point, RuntimeError> {
        self.with_semaphores(semaphores, |state| state.signal(semaphores))
    }

    /// Orders everything that is recorded from now on in this stream behind semaphores, and submits the wait. Vulkan demands that what signals them is
    /// submitted before. Returns the point at which they were signalled.
    ///
    /// # Errors
    /// As [`signal`](Self::signal).
    pub fn wait_for_semaphores(&self, semaphores: &[Semaphore]) -> Result<Point, RuntimeError> {
        self.with_semaphores(semaphores, |state| state.wait_for_semaphores(semaphores))
    }

    fn with_semaphores(
        &self,
        semaphores: &[Semaphore],
        record: impl FnOnce(&mut State) -> Result<(), RuntimeError>,
    ) -> Result<Point, RuntimeError> {
        if semaphores.iter().any(|s| !Arc::ptr_eq(&s.inner.device, self.device_inner())) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a semaphore of another device"));
        }
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        record(&mut state)?;
        let value = state.flush()?;
        stream.leave(state)?;
        Ok(self.point(value))
    }
}

impl State {
    /// The open batch signals semaphores at its end.
    fn signal(&mut self, semaphores: &[Semaphore]) -> Result<(), RuntimeError> {
        self.catch_up()?;
        let (batch, _) = self.open()?;
        batch.count += 1;
        for semaphore in semaphores {
            batch.keep(&semaphore.inner);
            batch.signals.push(semaphore.inner.raw);
        }
        Ok(())
    }

    /// A batch of its own waits for semaphores: what was recorded before does not.
    fn wait_for_semaphores(&mut self, semaphores: &[Semaphore]) -> Result<(), RuntimeError> {
        self.close()?;
        let (batch, _) = self.open()?;
        batch.count += 1;
        for semaphore in semaphores {
            batch.keep(&semaphore.inner);
            batch.foreign_waits.push(semaphore.inner.raw);
        }
        Ok(())
    }
}

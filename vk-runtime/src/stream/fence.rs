//! Fences of batches, and what a thread waits for.

use std::sync::Arc;

use ash::vk;

use crate::device::logical::DeviceInner;

/// The object to wait on for a value.
pub(crate) enum Waitable {
    Done,
    Timeline,
    Fence(Arc<Fence>),
}

/// A batch's fence, where there are no timeline semaphores.
pub(crate) struct Fence {
    pub(crate) raw: vk::Fence,
    pub(crate) device: Arc<DeviceInner>,
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: batches and waiting threads hold an Arc of it, so it is in no pending submission; destroyed once.
        unsafe { self.device.raw.destroy_fence(self.raw, None) };
    }
}

//! Texel buffer views of buffers.

use std::sync::PoisonError;
use timeline::sync::Mutex;

use ash::vk::{self, Format};

use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::memory::buffer::BufferInner;

/// The views of texel buffers that a buffer's storage has; they go with it.
#[derive(Default)]
pub(crate) struct TexelViews(Mutex<Vec<(TexelRange, vk::BufferView)>>);

/// Format, offset and size, and whether kernels write it.
type TexelRange = (Format, u64, u64, bool);

impl TexelViews {
    /// Destroys them.
    ///
    /// # Safety
    /// Nothing uses the buffer any more.
    pub(crate) unsafe fn destroy(&mut self, device: &DeviceInner) {
        for (_, view) in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: by the caller's promise; destroyed once.
            unsafe { device.raw.destroy_buffer_view(view, None) };
        }
    }
}

impl BufferInner {
    /// A view of a range as texels, made when it is first asked for. `stored`: kernels write it.
    pub(crate) fn texel_view(
        &self,
        format: Format,
        (offset, range): (u64, u64),
        stored: bool,
    ) -> Result<vk::BufferView, RuntimeError> {
        let limits = self.device.physical.image_limits();
        if !offset.is_multiple_of(limits.texel_buffer_alignment) {
            return Err(RuntimeError::unsupported(format!(
                "an image of a buffer from byte {offset}, which must be a multiple of {}",
                limits.texel_buffer_alignment
            )));
        }
        let mut views = self.texel_views.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (format, offset, range, stored);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == key) {
            return Ok(*view);
        }
        if stored && !self.device.physical.format_uses(format).texel_stored {
            return Err(self.device.no_stores(&format!("an image of a buffer, of format {format:?}")));
        }
        let info =
            vk::BufferViewCreateInfo::default().buffer(self.raw).format(format).offset(offset).range(range);
        // SAFETY: the buffer is alive, bound, has the usage; the offset is aligned, the range whole texels within the buffer and
        // the device's limit (checked by the callers).
        let view = unsafe { self.device.raw.create_buffer_view(&info, None) }.call("vkCreateBufferView")?;
        views.push((key, view));
        Ok(view)
    }
}

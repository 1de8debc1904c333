//! The word that sequentially consistent operations increment.

use std::sync::{Arc, PoisonError, Weak};
use timeline::sync::Mutex;

use crate::device::logical::{Device, DeviceInner};
use crate::device::services::Service;
use crate::error::RuntimeError;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, BufferInner};

/// The word, which programs hold.
#[derive(Default)]
struct SequenceWord(Mutex<Weak<BufferInner>>);

impl Service for SequenceWord {
    fn new(_: &DeviceInner) -> Self {
        Self::default()
    }
}

impl DeviceInner {
    /// The word that the sequentially consistent operations of all programs increment, 0 at first; it lives as long as a program that
    /// has it.
    ///
    /// # Errors
    /// Driver when memory runs out.
    pub(crate) fn sequence(self: &Arc<Self>) -> Result<Buffer, RuntimeError> {
        let mut known = self.service::<SequenceWord>().0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = known.upgrade() {
            return Ok(Buffer { inner });
        }
        let word = Buffer::new(self, 4, BufferUse::Device, "sequence")?;
        Device { inner: self.clone() }.create_queue()?.initialize(&word, 0, &[0; 4])?;
        *known = Arc::downgrade(&word.inner);
        Ok(word)
    }
}

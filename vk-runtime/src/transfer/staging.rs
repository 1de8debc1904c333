//! Staging memory that a caller uses for a while.

use crate::error::RuntimeError;
use crate::memory::buffer::Buffer;
use crate::stream::queue::{Queue, QueueInner};

/// Host memory that the device copies from and to, mapped and cached where possible, from the stream's stock of staging memory.
/// Goes back to it when this is dropped and the commands that use it are done: making such memory takes a driver longer than
/// filling it.
pub struct StagingLease {
    queue: Queue,
    /// `None` only while it is dropped.
    buffer: Option<Buffer>,
}

impl std::fmt::Debug for StagingLease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StagingLease").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}

impl Queue {
    /// Lends staging memory of at least this size.
    ///
    /// # Errors
    /// User for size 0; Driver when memory runs out.
    pub fn lease_staging(&self, size: u64) -> Result<StagingLease, RuntimeError> {
        Ok(StagingLease { queue: self.clone(), buffer: Some(self.inner.stream.staging(size)?) })
    }
}

impl StagingLease {
    /// The memory. Nobody else may keep it beyond this object's life.
    ///
    /// # Errors
    /// None but a bug's.
    pub fn buffer(&self) -> Result<&Buffer, RuntimeError> {
        self.buffer.as_ref().ok_or_else(|| RuntimeError::bug("leased staging memory that was given back"))
    }
}

impl Drop for StagingLease {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        let QueueInner { stream, streams, .. } = &*self.queue.inner;
        let uses = stream.shared.last_use(&buffer.inner.marks);
        let mut uses = uses.iter();
        match (uses.next(), uses.next()) {
            (None, _) => stream.give_staging(buffer),
            (Some(last), None) => {
                // After a loss there is nothing to be given back to.
                let Ok(Ok(mut state)) = streams.stream(last).map(|stream| stream.lock()) else { return };
                if let Ok((batch, _)) = state.open() {
                    // Done later than all that uses it.
                    batch.return_later(buffer);
                }
            }
            // Their batches keep it until the last one is done.
            _ => {}
        }
    }
}

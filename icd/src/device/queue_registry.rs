//! What contexts and devices keep for device queues, whose type the layer above knows.

use std::any::Any;
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::Mutex;

use vk_runtime::Buffer;

/// Buffers of a device for launches that enqueue, which no launch uses.
#[derive(Clone, Default)]
pub(crate) struct Arenas(pub(crate) Arc<Mutex<Vec<Buffer>>>);

/// The default queue of each device of a context, by the device's place among them.
#[derive(Default)]
pub(crate) struct Defaults(Mutex<Vec<(usize, Weak<dyn Any + Send + Sync>)>>);

impl Defaults {
    /// The default queue of a device, unless it is gone.
    pub(crate) fn find(&self, place: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(known, _)| *known == place).and_then(|(_, queue)| queue.upgrade())
    }

    /// Makes a queue the default one.
    pub(crate) fn set(&self, place: usize, queue: Arc<dyn Any + Send + Sync>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != place);
        all.push((place, Arc::downgrade(&queue)));
    }
}

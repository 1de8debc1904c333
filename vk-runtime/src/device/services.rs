//! Parts of a device that belong to higher layers: storage of released buffers, samplers, the pipeline cache, and others.
//!
//! The device names none of their types. A layer asks for its own part by its type; the part is made when it is first asked for.

use std::any::Any;
use std::sync::OnceLock;

use crate::device::logical::DeviceInner;

/// A part of a device that a higher layer defines.
pub(crate) trait Service: Any + Send + Sync {
    /// Makes the part. It asks for no other part.
    fn new(device: &DeviceInner) -> Self
    where
        Self: Sized;

    /// Destroys the part's Vulkan objects. Nothing uses them any more, and the VkDevice is about to be destroyed.
    fn end(&self, _device: &DeviceInner) {}
}

/// The parts of a device: a list that only grows.
#[derive(Default)]
pub(crate) struct Services(OnceLock<Box<Entry>>);

struct Entry {
    service: Box<dyn Service>,
    next: Services,
}

impl Services {
    /// The part of a type, made when it is first asked for.
    pub(crate) fn get<T: Service>(&self, device: &DeviceInner) -> &T {
        let mut list = self;
        loop {
            let entry = list.0.get_or_init(|| {
                Box::new(Entry { service: Box::new(T::new(device)), next: Services::default() })
            });
            let service: &dyn Any = &*entry.service;
            if let Some(service) = service.downcast_ref() {
                return service;
            }
            list = &entry.next;
        }
    }

    /// Ends all parts, in the order in which they were made.
    pub(crate) fn end(&self, device: &DeviceInner) {
        let mut list = self;
        while let Some(entry) = list.0.get() {
            entry.service.end(device);
            list = &entry.next;
        }
    }
}

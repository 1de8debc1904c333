//! The buffers of a context by their device addresses (cl_ext_buffer_device_address).

use lower::target::MAX_BUFFER_SIZE;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use crate::device::Runtime;

/// The store that owns a buffer, whose type the layer above knows.
pub(crate) type Owner = Arc<dyn Any + Send + Sync>;
/// By device and first address: the end, and the owner.
type Map = BTreeMap<(usize, u64), (u64, Weak<dyn Any + Send + Sync>)>;

/// The buffers of a context that have addresses.
#[derive(Default)]
pub(crate) struct Addresses {
    map: Mutex<Map>,
}

impl Addresses {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a buffer of at most [`MAX_BUFFER_SIZE`] begins at an address of a device.
    pub(crate) fn begins(&self, runtime: &Arc<Runtime>, runtimes: &[Arc<Runtime>], address: u64) -> bool {
        let index = runtimes.iter().position(|r| Arc::ptr_eq(r, runtime));
        let map = self.lock();
        let end = index.and_then(|index| map.get(&(index, address))).map(|(end, _)| *end);
        end.is_some_and(|end| end - address <= MAX_BUFFER_SIZE)
    }

    /// The owner of the buffer behind an address of a device, and the device's index.
    pub(crate) fn find(
        &self,
        runtime: &Arc<Runtime>,
        runtimes: &[Arc<Runtime>],
        address: u64,
    ) -> Option<(usize, Owner)> {
        let index = runtimes.iter().position(|r| Arc::ptr_eq(r, runtime))?;
        let map = self.lock();
        let (_, (end, owner)) =
            map.range(..=(index, address)).next_back().filter(|((i, _), _)| *i == index)?;
        if address >= *end { None } else { Some((index, owner.upgrade()?)) }
    }
}

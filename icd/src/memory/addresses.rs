//! Buffers by their device addresses (cl_ext_buffer_device_address).

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use vk_runtime::Buffer;

use super::store::Store;
use crate::device::Runtime;
use crate::error::{ClResult, ensure};

/// By device and first address: the end, and whose it is.
type Map = BTreeMap<(usize, u64), (u64, Weak<Store>)>;

/// The buffers of a context that have addresses.
#[derive(Default)]
pub(crate) struct Addresses {
    map: Mutex<Map>,
}

/// A buffer's place in the list.
pub(crate) struct Entry {
    /// By the context's devices; 0 for one that has no addresses.
    addresses: Vec<u64>,
    store: Arc<Store>,
}

/// Reads clCreateBufferWithProperties' list: whether it asks for addresses.
///
/// # Errors
/// CL_INVALID_PROPERTY for an unknown one, a wrong value, or one that is there twice (§5.2.1).
pub(crate) fn asked_for(properties: &[cl::cl_mem_properties]) -> ClResult<bool> {
    let mut asked = None;
    for pair in properties.chunks_exact(2) {
        let [name, value] = *pair else { continue };
        let known = name == cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;
        ensure(known && value <= 1 && asked.is_none(), cl::CL_INVALID_PROPERTY)?;
        asked = Some(value == 1);
    }
    Ok(asked.unwrap_or(false))
}

impl Entry {
    /// Makes a store's copies on all devices, whose addresses then stay as they are, and notes them.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE.
    pub(crate) fn new(store: &Arc<Store>) -> ClResult<Self> {
        let mut addresses = Vec::new();
        for (index, runtime) in store.context.runtimes().iter().enumerate() {
            let start = store.buffer(index)?.device_address();
            // As kernels keep pointers.
            addresses.push(start.map_or(0, |a| (a + store.base()).wrapping_sub(runtime.shared_base())));
        }
        let mut map = store.context.addresses.lock();
        for (index, start) in addresses.iter().enumerate().filter(|(_, a)| **a != 0) {
            map.insert((index, *start), (start.wrapping_add(store.size), Arc::downgrade(store)));
        }
        drop(map);
        Ok(Entry { addresses, store: store.clone() })
    }

    /// CL_MEM_DEVICE_ADDRESS_EXT.
    pub(crate) fn all(&self) -> &[u64] {
        &self.addresses
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut map = self.store.context.addresses.lock();
        for (index, start) in self.addresses.iter().enumerate() {
            let mine = |(_, s): &(u64, Weak<Store>)| std::ptr::eq(s.as_ptr(), Arc::as_ptr(&self.store));
            if map.get(&(index, *start)).is_some_and(mine) {
                map.remove(&(index, *start));
            }
        }
    }
}

impl Addresses {
    fn lock(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a buffer begins at an address of a device.
    pub(crate) fn begins(&self, runtime: &Arc<Runtime>, runtimes: &[Arc<Runtime>], address: u64) -> bool {
        let index = runtimes.iter().position(|r| Arc::ptr_eq(r, runtime));
        index.is_some_and(|index| self.lock().contains_key(&(index, address)))
    }

    /// The buffer that an address of a device lies in, for the launch of a kernel that is given the address: its store, to be
    /// [prepared](Store::prepare) as an argument is, and its copy on the device.
    pub(crate) fn find(
        &self,
        runtime: &Arc<Runtime>,
        runtimes: &[Arc<Runtime>],
        address: u64,
    ) -> Option<(Arc<Store>, Buffer)> {
        let index = runtimes.iter().position(|r| Arc::ptr_eq(r, runtime))?;
        let store = {
            let map = self.lock();
            let (_, (end, store)) =
                map.range(..=(index, address)).next_back().filter(|((i, _), _)| *i == index)?;
            if address >= *end {
                return None;
            }
            store.upgrade()?
        };
        let buffer = store.existing(index)?.clone();
        Some((store, buffer))
    }
}

//! Buffers by their device addresses (cl_ext_buffer_device_address).

use std::any::Any;
use std::sync::{Arc, Weak};

use vk_runtime::Buffer;

use crate::abi::error::ClResult;
use crate::device::Runtime;
use crate::device::addresses::Owner;
use crate::device::context::Context;
use crate::memory::store::Store;

/// A buffer's place in the list.
pub(crate) struct Entry {
    /// By the context's devices; 0 for one that has no addresses.
    addresses: Vec<u64>,
    store: Arc<Store>,
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
            let owner: Owner = store.clone();
            map.insert((index, *start), (start.wrapping_add(store.size), Arc::downgrade(&owner)));
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
            let own = Arc::as_ptr(&self.store).cast::<()>();
            let mine =
                |(_, owner): &(u64, Weak<dyn Any + Send + Sync>)| std::ptr::eq(owner.as_ptr().cast(), own);
            if map.get(&(index, *start)).is_some_and(mine) {
                map.remove(&(index, *start));
            }
        }
    }
}

/// The buffer of an address of a device, for the launch of a kernel that is given the address: its store, to be
/// [prepared](Store::prepare) as an argument is, and its copy on the device.
pub(crate) fn find(context: &Context, runtime: &Arc<Runtime>, address: u64) -> Option<(Arc<Store>, Buffer)> {
    let (index, owner) = context.addresses.find(runtime, context.runtimes(), address)?;
    let store = owner.downcast::<Store>().ok()?;
    let buffer = store.existing(index)?.clone();
    Some((store, buffer))
}

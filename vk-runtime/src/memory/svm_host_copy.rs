//! The host's own memory at the addresses of a device's ([`SharedPlace::Copied`](crate::SharedPlace)).
//!
//! It has the addresses that are reserved for the device's memory anyway, and takes none of the host's before it is used. The device
//! reaches it as a buffer of its own, with another address, which copies alone use. That is made when it is first asked for: the pages
//! of memory that nobody maps are not pinned.

use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use crate::device::logical::{Device, DeviceInner};
use crate::error::RuntimeError;
use crate::memory::buffer::Buffer;
use crate::process::address_space::Reservation;

/// The host's memory at a device's addresses.
pub(crate) struct HostCopy {
    reservation: Arc<Reservation>,
    /// How far from its begin the first byte of the device's memory is.
    skew: u64,
    device: Arc<DeviceInner>,
    made: Mutex<Option<Buffer>>,
}

/// The host's memory at a buffer's addresses, for the device.
#[derive(Debug, Clone)]
pub struct HostView {
    /// The memory: mapped, coherent and cached.
    pub buffer: Buffer,
    /// The offset of the buffer's first byte in it.
    pub start: u64,
}

impl HostCopy {
    /// In addresses that are reserved. `None`: the system gives no memory there.
    pub(crate) fn new(device: &Device, reservation: Reservation, pointer: u64) -> Option<Self> {
        let skew = pointer.wrapping_sub(reservation.start().addr() as u64);
        let opened = reservation.open();
        let (reservation, device) = (Arc::new(reservation), device.inner.clone());
        opened.then(|| HostCopy { reservation, skew, device, made: Mutex::new(None) })
    }

    fn get(&self) -> Result<HostView, RuntimeError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = match &*made {
            Some(buffer) => buffer.clone(),
            None => made.insert(self.make()?).clone(),
        };
        Ok(HostView { buffer, start: self.skew })
    }

    fn make(&self) -> Result<Buffer, RuntimeError> {
        let device = Device { inner: self.device.clone() };
        // SAFETY: memory that was opened just now, whole pages as the device wants them (`Pages::Multiple`); the storage keeps it.
        let mut storage =
            unsafe { device.import_storage(self.reservation.start(), self.reservation.size()) }?;
        storage.set_beneath(Box::new(self.reservation.clone()));
        let buffer = Buffer::of_storage(storage);
        if buffer.is_coherent() && buffer.is_cached() {
            Ok(buffer)
        } else {
            Err(RuntimeError::unsupported("host memory that is imported is not coherent and cached"))
        }
    }
}

impl Buffer {
    /// The host's memory at the addresses of memory in [`SharedPlace::Copied`](crate::SharedPlace), as the device has it from the first
    /// call on; `None` for all others. A copy between equal offsets of the two is the caller's.
    ///
    /// # Errors
    /// Driver when memory runs out; Unsupported where the device does not take the host's memory so.
    pub fn host_view(&self) -> Result<Option<HostView>, RuntimeError> {
        self.inner.view().map(HostCopy::get).transpose()
    }

    /// The same if somebody has asked for it before.
    #[must_use]
    pub fn known_host_view(&self) -> Option<HostView> {
        let view = self.inner.view()?;
        let made = view.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.clone().map(|buffer| HostView { buffer, start: view.skew })
    }
}

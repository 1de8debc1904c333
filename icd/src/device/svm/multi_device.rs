//! Shared memory of contexts of several devices: memory of the process that each of them reaches, at addresses of its own. Kernels add
//! the difference, as in an arena; it is another one on each device, and 0 where a driver is a part of the process. Nothing is copied
//! from device to device.
//!
//! The process has one such memory, which is made when a context wants it first and goes with the last Vulkan device that reaches it.

use std::sync::{Arc, OnceLock, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{Buffer, CommonMemory, DeviceKind, Points};

use crate::abi::error::{ClError, ClResult};
use crate::device::Runtime;
use crate::device::svm::LARGEST;
use crate::device::svm::ranges::Ranges;

/// Bytes of it: the most, and the least that is worth having.
const MAX: u64 = 1 << 30;
const LEAST: u64 = 64 << 20;

/// The memory.
pub(crate) struct MultiDeviceMemory {
    memory: Arc<CommonMemory>,
    pools: Mutex<Pools>,
}

struct Pools {
    free: Ranges,
    /// Freed, and still in use on some devices until these have come to the points.
    waiting: Vec<(Uses, u64, u64)>,
}

/// The points that devices must reach before memory is free. One that is gone uses nothing any more.
type Uses = SmallVec<[(Weak<Runtime>, Points); 2]>;

/// A part of it.
pub(crate) struct Part {
    multi_device: Arc<MultiDeviceMemory>,
    /// Its offset.
    pub(crate) at: u64,
    size: u64,
}

/// The memory as one device reaches it.
pub(crate) struct Reach {
    kept: Arc<Kept>,
    reached: OnceLock<Option<(Arc<MultiDeviceMemory>, Buffer)>>,
    /// Kernels were seen to follow pointers into it.
    works: OnceLock<bool>,
}

/// The process's memory, while somebody has it.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Weak<MultiDeviceMemory>>);

impl Kept {
    fn get(&self, most: u64) -> Option<Arc<MultiDeviceMemory>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(multi_device) = kept.upgrade() {
            return Some(multi_device);
        }
        let multi_device = Arc::new(MultiDeviceMemory::new(most)?);
        *kept = Arc::downgrade(&multi_device);
        Some(multi_device)
    }

    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Weak::new();
    }
}

impl Reach {
    /// A device that has not reached the memory yet.
    pub(crate) fn new(kept: Arc<Kept>) -> Self {
        Reach { kept, reached: OnceLock::new(), works: OnceLock::new() }
    }

    /// Returns what the device's addresses are more than the process's; 0, too, where it does not reach the memory.
    pub(crate) fn difference(&self, device: &vk_runtime::Device) -> u64 {
        let reached = self.reached.get_or_init(|| reach(device, &self.kept));
        let places = reached.as_ref().and_then(|(_, buffer)| buffer.device_address().zip(buffer.host_ptr()));
        places.map_or(0, |(address, host)| address.wrapping_sub(host.addr() as u64))
    }

    /// The memory, if the device reaches it.
    pub(crate) fn get(&self) -> Option<&(Arc<MultiDeviceMemory>, Buffer)> {
        self.reached.get()?.as_ref()
    }

    /// Returns whether kernels follow pointers into it, which `probe` finds out.
    pub(crate) fn works(&self, probe: impl FnOnce() -> bool) -> bool {
        *self.works.get_or_init(probe)
    }
}

/// The process's memory on a device. The memory for the first device may be smaller than is wanted.
fn reach(device: &vk_runtime::Device, kept: &Kept) -> Option<(Arc<MultiDeviceMemory>, Buffer)> {
    // A driver that is a part of the process is to be told of another place, for tests.
    let arena = host::settings::get("PUMICE_SVM").as_deref() == Some("arena");
    let apart = arena && device.physical().kind() == DeviceKind::Cpu;
    let mut size = MAX.min(device.max_buffer_size()) / LEAST * LEAST;
    while size >= LEAST {
        let multi_device = kept.get(size)?;
        match device.reach_common(&multi_device.memory, apart) {
            Ok(buffer) => return Some((multi_device, buffer)),
            Err(e) => {
                let name = device.physical().name();
                log::warn!("'{name}' has no shared memory in contexts of several devices: {e}");
                if Arc::strong_count(&multi_device) > 1 || !e.is_out_of_memory() {
                    return None;
                }
                kept.forget();
            }
        }
        size /= 2;
    }
    None
}

impl MultiDeviceMemory {
    fn new(size: u64) -> Option<Self> {
        let memory = CommonMemory::new(size)?;
        let mut free = Ranges::default();
        free.give((0, 0), memory.size());
        Some(MultiDeviceMemory { memory, pools: Mutex::new(Pools { free, waiting: Vec::new() }) })
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This many bytes of it, aligned for the largest type.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE when it is full.
    pub(crate) fn allocate(self: &Arc<Self>, size: u64) -> ClResult<Part> {
        let size = size.max(1).next_multiple_of(LARGEST as u64);
        loop {
            let mut pools = self.pools();
            let seen = pools.settle();
            let found = pools.free.take(size);
            let uses = pools.waiting.first().map(|(uses, _, _)| uses.clone());
            drop(pools);
            // Perhaps the last of them, which wait for their devices.
            drop(seen);
            if let Some((_, at)) = found {
                return Ok(Part { multi_device: self.clone(), at, size });
            }
            // The oldest of what commands use is waited for, without the lock: what ends commands gives memory back, too.
            let uses = uses.ok_or(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
            for (runtime, points) in uses {
                let Some(runtime) = runtime.upgrade() else { continue };
                let stream = &runtime.stream;
                if let Err(e) = stream.wait_only(points)
                    && stream.lost().is_none()
                {
                    return Err(e.into());
                }
            }
        }
    }
}

impl Part {
    /// Returns where the process has it.
    pub(crate) fn address(&self) -> usize {
        self.multi_device.memory.start().addr() + usize::try_from(self.at).unwrap_or(0)
    }

    /// Gives it back; it serves somebody else when no device uses it any more.
    pub(crate) fn free(self, places: &[(Arc<Runtime>, Buffer)]) {
        let uses = places.iter().filter_map(|(runtime, buffer)| {
            let points = runtime.stream.last_use(buffer);
            let busy = !points.is_empty() && !runtime.stream.has_reached(&points);
            busy.then(|| (Arc::downgrade(runtime), points))
        });
        let uses: Uses = uses.collect();
        let mut pools = self.multi_device.pools();
        if uses.is_empty() {
            pools.free.give((0, self.at), self.size);
        } else {
            pools.waiting.push((uses, self.at, self.size));
        }
    }
}

impl Pools {
    /// Takes back what waited for commands that are done; the devices that were looked at, to be dropped without the lock.
    fn settle(&mut self) -> Vec<Arc<Runtime>> {
        let mut seen = Vec::new();
        for (mut uses, at, size) in std::mem::take(&mut self.waiting) {
            uses.retain(|(runtime, points)| {
                let Some(runtime) = runtime.upgrade() else { return false };
                // A lost device uses nothing any more.
                let uses = !runtime.stream.has_come_to(points) && runtime.stream.lost().is_none();
                seen.push(runtime);
                uses
            });
            if uses.is_empty() {
                self.free.give((0, at), size);
            } else {
                self.waiting.push((uses, at, size));
            }
        }
        seen
    }
}

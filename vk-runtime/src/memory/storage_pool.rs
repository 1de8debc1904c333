//! Storage that is kept for the next buffer, or the next image.
//!
//! Making memory costs a driver milliseconds where it is large (2 ms at 64 MiB, 6 ms at 256 MiB on an H200), and programs make and
//! release temporaries for each call. So the storage of a buffer that goes is kept, as a whole: the Vulkan buffer, its memory, its
//! address, and what the stream remembers of its uses. The next buffer that fits takes it over. If the device has not done with
//! the storage yet, the new buffer's commands are ordered behind the old one's like any two commands on one buffer.
//!
//! Images likewise, for such as are made alike in everything: with the Vulkan image and the memory, the layout and the views stay, too.
//!
//! The first contents of a new buffer are undefined (OpenCL API §5.2.1), so that of a released one may be there: of this
//! process and this device, nobody else's.
//!
//! The kept storage is limited: bytes by a share of the heap, and buffers by their number. It goes, the oldest first, when the limit is
//! reached or nobody wanted it for long; all of it goes when an allocation fails, when the driver's budget is nearly used up, and
//! with the device's last queue.

use crate::device::image_desc::ImageDesc;
use crate::device::logical::DeviceInner;
use crate::device::services::Service;
use crate::error::RuntimeError;
use crate::memory::buffer::Marks;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use timeline::Points;
use timeline::sync::{Mutex, MutexGuard};

use ash::vk;

use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Storage;

/// The share of the device's memory that is kept at most.
const SHARE: u64 = 8;
/// The share of host memory, and the most of it: it is taken from everybody.
const HOST_SHARE: u64 = 16;
const MAX_HOST: u64 = 1 << 30;
/// This many are kept at most.
const MAX: usize = 8192;
/// A buffer takes over storage that is larger by this share at most.
const SLACK: u64 = 8;
/// The time after which kept memory that nobody wanted is freed, when something comes or is taken.
const LONG: Duration = Duration::from_secs(30);
/// From this size on storage may be taken over that the device still uses; a smaller one is made faster than it is waited for.
const BUSY_FROM: u64 = 64 << 10;
/// This many of a size are looked at for one that the device no longer uses.
const LOOKS: usize = 16;

/// The storage that is kept.
pub(crate) struct Pool {
    limits: Limits,
    kept: Mutex<Kept>,
    streams: OnceLock<StreamCalls>,
}

/// The calls by which memory reaches the streams of a device, which are above it.
pub(crate) struct StreamCalls {
    /// Submits the commands that use a storage. Gives the points at which they end.
    pub(crate) submit_uses: fn(&DeviceInner, &Marks) -> Result<Points, RuntimeError>,
    /// Waits for everything that the streams have, and runs no callbacks.
    pub(crate) settle: fn(&DeviceInner) -> Result<(), RuntimeError>,
}

/// Bytes that may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limits {
    device: u64,
    host: u64,
}

#[derive(Default)]
struct Kept {
    /// The device has a queue.
    open: bool,
    /// By use and size, the oldest first.
    classes: BTreeMap<Class, Vec<Entry>>,
    /// All of them by age.
    ages: BTreeMap<u64, Class>,
    /// Bytes of device and of host memory.
    bytes: [u64; 2],
    next: u64,
}

/// The properties by which one storage may stand for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Buffers of a use and a size, and those that are a little smaller.
    Buffer(BufferUse, u64),
    Image(ImageDesc),
}

struct Entry {
    age: u64,
    since: Instant,
    stored: Stored,
}

/// The storage of an image, which is of a higher layer.
pub(crate) trait PooledImage: Any + Send + Sync {
    /// The image's description: storage serves images that are made alike.
    fn desc(&self) -> ImageDesc;

    /// Bytes of its memory.
    fn bytes(&self) -> u64;

    /// Returns whether its device is short of memory.
    fn is_tight(&self) -> bool;
}

#[derive(Clone)]
enum Stored {
    Buffer(Arc<Storage>),
    Image(Arc<dyn PooledImage>),
}

impl Stored {
    /// `None`: memory that was imported, which serves nothing else.
    fn class(&self) -> Option<Class> {
        match self {
            Stored::Buffer(storage) => storage.usage.map(|usage| Class::Buffer(usage, storage.capacity)),
            Stored::Image(storage) => Some(Class::Image(storage.desc())),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Stored::Buffer(storage) => storage.capacity,
            Stored::Image(storage) => storage.bytes(),
        }
    }

    /// 1: in host memory.
    fn heap(&self) -> usize {
        match self {
            Stored::Buffer(storage) => storage.is_in_host_memory().into(),
            Stored::Image(_) => 0,
        }
    }

    /// Nobody else has it: no batch keeps it.
    fn is_idle(&self) -> bool {
        match self {
            Stored::Buffer(storage) => Arc::strong_count(storage) == 1,
            Stored::Image(storage) => Arc::strong_count(storage) == 1,
        }
    }

    /// Returns whether it may be taken over while the device uses it. `full`: making another one would soon be no gain either.
    fn may_be_busy(&self, full: bool) -> bool {
        if self.bytes() < BUSY_FROM {
            return false;
        }
        match self {
            Stored::Buffer(storage) => {
                // The host writes shared virtual memory when it likes. What it reaches is written at once if it is idle.
                let mapped = storage.part().is_ok_and(crate::memory::allocator::MemoryPart::is_mapped);
                storage.usage != Some(BufferUse::Svm) && (!mapped || full)
            }
            Stored::Image(_) => true,
        }
    }

    fn is_tight(&self) -> bool {
        match self {
            Stored::Buffer(storage) => storage.device.memory.is_tight(),
            Stored::Image(storage) => storage.is_tight(),
        }
    }
}

impl Pool {
    /// The streams of the device are reached by these calls.
    pub(crate) fn use_streams(&self, calls: StreamCalls) {
        // A device is made once.
        let _ = self.streams.set(calls);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on storage is kept.
    pub(crate) fn open(&self) {
        self.lock().open = true;
    }

    /// Lets everything go, and keeps nothing any more: storage keeps its device alive, which must end some time.
    pub(crate) fn close(&self) {
        self.lock().open = false;
        self.empty();
    }

    /// Lets everything go that is kept. Returns whether there was anything.
    pub(crate) fn empty(&self) -> bool {
        let mut kept = self.lock();
        let gone = std::mem::take(&mut kept.classes);
        kept.ages.clear();
        kept.bytes = [0; 2];
        drop(kept);
        // What is dropped is dropped without the lock.
        !gone.is_empty()
    }

    /// Bytes of device memory that are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.lock().bytes[0]
    }

    /// Storage for a buffer of this size. `may_wait`: the device may still use it.
    pub(crate) fn take(&self, usage: BufferUse, size: u64, may_wait: bool) -> Option<Arc<Storage>> {
        let most = size.saturating_add(size / SLACK);
        match self.take_of(Class::Buffer(usage, size)..=Class::Buffer(usage, most), may_wait)? {
            Stored::Buffer(storage) => Some(storage),
            Stored::Image(_) => None,
        }
    }

    /// Storage for an image. The device may still use it.
    pub(crate) fn take_image<T: PooledImage>(&self, desc: &ImageDesc) -> Option<Arc<T>> {
        match self.take_of(Class::Image(*desc)..=Class::Image(*desc), true)? {
            Stored::Image(storage) => (storage as Arc<dyn Any + Send + Sync>).downcast().ok(),
            Stored::Buffer(_) => None,
        }
    }

    fn take_of(&self, wanted: RangeInclusive<Class>, may_wait: bool) -> Option<Stored> {
        let mut kept = self.lock();
        let Kept { classes, bytes, .. } = &mut *kept;
        let fitting = classes.range(wanted);
        let full = bytes[0] >= self.limits.device / 2;
        let (class, at) = fitting
            .filter_map(|(class, entries)| Some((*class, choose(entries, full)?)))
            .filter(|(_, (_, busy))| may_wait || !*busy)
            .min_by_key(|(_, (_, busy))| *busy)
            .map(|(class, (at, _))| (class, at))?;
        let entry = kept.remove(class, at)?;
        drop(kept);
        Some(entry.stored)
    }

    /// Keeps the storage of a buffer that goes, if it may.
    pub(crate) fn put(&self, storage: &Arc<Storage>) {
        self.keep(&Stored::Buffer(storage.clone()));
    }

    /// Keeps the storage of an image that goes, if it may.
    pub(crate) fn put_image(&self, storage: Arc<dyn PooledImage>) {
        self.keep(&Stored::Image(storage));
    }

    fn keep(&self, stored: &Stored) {
        let Some(class) = stored.class() else { return };
        let heap = stored.heap();
        let limit = if heap == 1 { self.limits.host } else { self.limits.device };
        if stored.bytes() > limit || !self.lock().open {
            return;
        }
        if stored.is_tight() {
            self.empty();
            return;
        }
        let mut gone = Vec::new();
        let mut kept = self.lock();
        if !kept.open {
            return;
        }
        let (age, now) = (kept.next, Instant::now());
        kept.next += 1;
        kept.bytes[heap] += stored.bytes();
        kept.ages.insert(age, class);
        kept.classes.entry(class).or_default().push(Entry { age, since: now, stored: stored.clone() });
        while let Some(class) = kept.ages.values().next().copied() {
            let full = kept.bytes[0] > self.limits.device
                || kept.bytes[1] > self.limits.host
                || kept.ages.len() > MAX;
            let oldest = kept.classes.get(&class).and_then(|entries| entries.first());
            let old = oldest.is_some_and(|entry| now.duration_since(entry.since) > LONG);
            if !full && !old {
                break;
            }
            let Some(entry) = kept.remove(class, 0) else { break };
            gone.push(entry);
        }
        drop(kept);
    }
}

impl Service for Pool {
    fn new(device: &DeviceInner) -> Self {
        let limits = Limits::from_properties(&device.physical.info.memory);
        Pool { limits, kept: Mutex::default(), streams: OnceLock::new() }
    }
}

impl DeviceInner {
    /// Storage of released buffers and images.
    pub(crate) fn pool(&self) -> &Pool {
        self.service()
    }

    /// Submits what uses a storage. Gives the points at which its uses end.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub(crate) fn submit_uses(&self, marks: &Marks) -> Result<Points, RuntimeError> {
        let streams = self.pool().streams.get();
        streams.map_or_else(|| Ok(Points::none()), |streams| (streams.submit_uses)(self, marks))
    }

    /// Lets go of what its siblings and it keep for reuse. Returns whether there was anything.
    pub(crate) fn make_room(&self) -> bool {
        self.siblings().iter().filter(|device| device.pool().empty()).count() > 0
    }

    /// Waits for all that its streams and its siblings' have: then what only their commands kept is gone.
    ///
    /// # Errors
    /// Driver when the device is lost; a sibling's loss is its own.
    pub(crate) fn settle(&self) -> Result<(), RuntimeError> {
        self.siblings().iter().try_for_each(|device| {
            let settled = device.pool().streams.get().map_or(Ok(()), |streams| (streams.settle)(device));
            if std::ptr::eq(&**device, self) { settled } else { Ok(()) }
        })
    }
}

impl Kept {
    fn remove(&mut self, class: Class, at: usize) -> Option<Entry> {
        let entries = self.classes.get_mut(&class)?;
        if at >= entries.len() {
            return None;
        }
        let entry = entries.remove(at);
        if entries.is_empty() {
            self.classes.remove(&class);
        }
        self.ages.remove(&entry.age);
        let heap = entry.stored.heap();
        self.bytes[heap] = self.bytes[heap].saturating_sub(entry.stored.bytes());
        Some(entry)
    }
}

/// Returns which of some entries a buffer takes, and whether the device still uses it: one that it does not use, else the one whose uses
/// end first, where that is no loss. `full`: making another one would soon be none either.
fn choose(entries: &[Entry], full: bool) -> Option<(usize, bool)> {
    let idle = |entry: &Entry| entry.stored.is_idle();
    let late = entries.len().saturating_sub(LOOKS);
    if let Some(at) = entries.iter().skip(late).rposition(idle) {
        return Some((late + at, false));
    }
    let oldest = entries.first()?;
    if idle(oldest) {
        return Some((0, false));
    }
    oldest.stored.may_be_busy(full).then_some((0, true))
}

impl Limits {
    fn from_properties(memory: &vk::PhysicalDeviceMemoryProperties) -> Self {
        let largest = |local: bool| {
            let heaps = memory.memory_heaps_as_slice().iter();
            let wanted = heaps.filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL) == local);
            wanted.map(|h| h.size).max().unwrap_or(0)
        };
        Limits { device: largest(true) / SHARE, host: (largest(false) / HOST_SHARE).min(MAX_HOST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shares_of_the_heaps() {
        let mut memory = vk::PhysicalDeviceMemoryProperties { memory_heap_count: 2, ..Default::default() };
        memory.memory_heaps[0] = vk::MemoryHeap { size: 64 << 30, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
        memory.memory_heaps[1] = vk::MemoryHeap { size: 8 << 30, flags: vk::MemoryHeapFlags::empty() };
        assert_eq!(Limits::from_properties(&memory), Limits { device: 8 << 30, host: 512 << 20 });
        memory.memory_heaps[1].size = 1 << 40;
        assert_eq!(Limits::from_properties(&memory).host, MAX_HOST);
        memory.memory_heap_count = 0;
        assert_eq!(Limits::from_properties(&memory), Limits { device: 0, host: 0 });
    }
}

//! Buffers, and the storage under them, which outlives them.

use std::any::Any;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ash::vk;

use crate::device::external::{External, MemoryHandle, buffer_usage};
use crate::device::logical::DeviceInner;
use crate::device::retained::Retained;
use crate::error::{Call, RuntimeError, UserError};
use crate::memory::allocator::{BufferUse, Holder, MemoryPart};
use crate::memory::host_access::Reach;
use crate::memory::packed_blocks::Block;
use crate::memory::svm_host_copy::HostCopy;
use crate::memory::texel_views::TexelViews;
use timeline::{STREAMS, SharedPoints};

/// Sizes are rounded up to this, so that kernels may read whole words and vectors at the end.
const ROUND: u64 = 16;

/// Device memory that kernels can work on. Cheap to clone: a clone is the same memory.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) inner: Arc<BufferInner>,
}

/// A buffer as its users have it. Batches keep the storage alone: when this goes, the storage may serve the next buffer, whose
/// commands are ordered behind those that still use it, since both have the same marks.
pub(crate) struct BufferInner {
    storage: Arc<Storage>,
    /// As asked for.
    pub(crate) size: u64,
    /// Rounded up: what is bound.
    pub(crate) bound_size: u64,
    /// Its packed address, for kernels without device addresses.
    place: Option<u64>,
    /// Made for a user: counted.
    counted: bool,
}

/// A Vulkan buffer with its memory.
pub(crate) struct Storage {
    pub(crate) raw: vk::Buffer,
    /// `None` only while it is being made.
    part: Option<MemoryPart>,
    /// Bytes of the Vulkan buffer.
    pub(crate) capacity: u64,
    /// The use that it may serve again; `None`: memory that was imported.
    pub(crate) usage: Option<BufferUse>,
    /// Nobody but this crate and kernels read its memory: no pointer to it is anybody's, and no other API has it.
    pub(crate) hidden: bool,
    pub(crate) address: Option<u64>,
    pub(crate) marks: Arc<Marks>,
    /// Its ranges as texels.
    pub(crate) texel_views: TexelViews,
    pub(crate) device: Arc<DeviceInner>,
    /// Its owner, if the memory is another API's.
    pub(crate) external: Option<External>,
    /// Its memory, given back after it.
    beneath: Option<Box<dyn Any + Send + Sync>>,
    /// The host's memory at the same addresses.
    view: Option<HostCopy>,
}

impl Deref for BufferInner {
    type Target = Arc<Storage>;

    fn deref(&self) -> &Arc<Storage> {
        &self.storage
    }
}

/// The streams' marks of a storage, whichever buffer it serves. Outlives the storage where a [`Repeat`](crate::Repeat)
/// names it.
pub(crate) struct Marks {
    /// The storage's number; no other one has it.
    pub(crate) id: u64,
    /// Submitted points that all its uses come behind: where its first contents are there, which the runtime itself sent on their
    /// way, and where other streams are done with the buffer that the storage served before. Nobody else orders them.
    pub(crate) origin: SharedPoints,
    /// How often the host wrote it.
    host_writes: AtomicU64,
    /// This many batches that write it have a barrier for the host's reads behind them: [`ALWAYS`], or as many as [`READ`] says after each
    /// read in memory that the host reaches through a window, which nobody but this crate reads.
    for_host: AtomicU32,
    streams: [StreamMarks; STREAMS],
}

/// The host may read it whenever it likes.
const ALWAYS: u32 = u32::MAX;
/// The barrier takes an H200 0.7 µs, and to have no barrier where the host reads once 16.
const READ: u32 = 128;

/// The marks of one stream. Written under its lock.
#[derive(Default)]
pub(crate) struct StreamMarks {
    /// Value of the last batch that keeps the buffer alive.
    pub(crate) kept_by: AtomicU64,
    /// Values of the last commands that use and that write it.
    pub(crate) last_use: AtomicU64,
    pub(crate) last_write: AtomicU64,
    /// How often it was recorded that a command writes it.
    pub(crate) writes: AtomicU64,
    /// Hazards::epoch at the last use.
    pub(crate) epoch: AtomicU64,
}

impl Marks {
    pub(crate) fn new(id: u64) -> Self {
        Marks {
            id,
            origin: SharedPoints::default(),
            host_writes: AtomicU64::new(0),
            for_host: AtomicU32::new(ALWAYS),
            streams: Default::default(),
        }
    }

    /// To be called after the host has written the memory, whose old bytes nobody then takes for the new ones.
    pub(crate) fn note_host_write(&self) {
        self.host_writes.fetch_add(1, Ordering::AcqRel);
    }

    /// A batch writes it: whether the host is to see that as soon as it is done.
    pub(crate) fn take_host_barrier(&self) -> bool {
        match self.for_host.load(Ordering::Relaxed) {
            0 => false,
            ALWAYS => true,
            left => {
                // Another stream's may be lost: it is no exact count.
                self.for_host.store(left - 1, Ordering::Relaxed);
                true
            }
        }
    }

    /// Nobody but this crate reads it, and has not yet.
    pub(crate) fn set_hidden(&self) {
        self.for_host.store(0, Ordering::Relaxed);
    }

    /// The host reads it in place.
    pub(crate) fn note_host_read(&self) {
        if self.for_host.load(Ordering::Relaxed) != ALWAYS {
            self.for_host.store(READ, Ordering::Relaxed);
        }
    }

    /// A number that grows with every write by the host or by a command that is recorded in any stream.
    pub(crate) fn writes(&self) -> u64 {
        let commands = self.streams.iter().map(|s| s.writes.load(Ordering::Acquire));
        commands.sum::<u64>() + self.host_writes.load(Ordering::Acquire)
    }

    /// The marks of a stream.
    pub(crate) fn stream(&self, stream: u32) -> &StreamMarks {
        // Streams are numbered below the limit.
        &self.streams[stream as usize % STREAMS]
    }
}

impl Retained for Storage {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        &self.marks.stream(stream).kept_by
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("id", &self.inner.marks.id)
            .field("size", &self.inner.size)
            .finish_non_exhaustive()
    }
}

impl Buffer {
    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// Its device address, on a device with bufferDeviceAddress.
    #[must_use]
    pub fn device_address(&self) -> Option<u64> {
        self.inner.address
    }

    /// Returns whether the host reaches its memory without a copy by the device.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.inner.part.as_ref().is_some_and(MemoryPart::is_mapped)
    }

    /// Returns whether a read of so many bytes that waits for the device is better made by the host itself than staged.
    #[must_use]
    pub fn reads_in_place(&self, size: u64) -> bool {
        self.inner.part().is_ok_and(|part| part.reach().reads_in_place(size, &self.inner.device.tune))
    }

    /// The same where the device has yet to write it, and takes less to bring it along than the host to read it.
    #[must_use]
    pub fn reads_behind(&self, size: u64) -> bool {
        let tune = &self.inner.device.tune;
        let brought = self.inner.device.slow_copies && !self.is_cached() && size > tune.ahead_from;
        !brought && self.reads_in_place(size)
    }

    /// Returns whether the host reads its memory as fast as its own.
    #[must_use]
    pub fn is_cached(&self) -> bool {
        self.inner.part.as_ref().is_some_and(MemoryPart::is_cached)
    }

    /// Returns whether [`flush_host`](Self::flush_host) and [`invalidate_host`](Self::invalidate_host) have nothing to do.
    #[must_use]
    pub fn is_coherent(&self) -> bool {
        self.inner.part.as_ref().is_some_and(MemoryPart::is_coherent)
    }

    /// Gives it a name in debuggers and validation messages.
    pub fn set_name(&self, name: &str) {
        self.inner.device.name(self.inner.raw, name);
    }

    /// Returns where the host reaches its memory, for as long as the buffer lives; `None` where it does not. Access is the
    /// caller's to order: [`flush_host`](Self::flush_host) after writing and before the commands that read it are
    /// recorded; [`invalidate_host`](Self::invalidate_host) before reading, after the stream has reached the value of
    /// the command that wrote it. Data that the device writes to [`BufferUse::Device`] need not be there for the host where it is not
    /// [cached](Self::is_cached): such memory is read by [`Queue::read_buffer`](crate::Queue::read_buffer) and its likes.
    #[must_use]
    pub fn host_ptr(&self) -> Option<*mut u8> {
        self.inner.part.as_ref().and_then(MemoryPart::host_ptr)
    }

    /// Sets memory that nothing uses yet to zeros, if it is mapped: [`Self::peek`] finds nothing there until a command writes it.
    ///
    /// # Errors
    /// User for a range outside the buffer; Driver when Vulkan fails.
    pub fn clear_unused(&self, bytes: u64) -> Result<(), RuntimeError> {
        if !self.is_mapped() {
            return Ok(());
        }
        self.host_range(&(0..bytes))?;
        let zeros = vec![0; usize::try_from(bytes).unwrap_or(0)];
        self.inner.device.memory.write(self.inner.part()?, 0, &zeros)
    }

    /// Copies what the host sees of mapped memory now, without waiting for anybody: commands may be writing it, and the device may be lost.
    ///
    /// # Errors
    /// User for a range outside the buffer; Unsupported where the host does not reach it; Driver when Vulkan fails.
    pub fn peek(&self, offset: u64, data: &mut [u8]) -> Result<(), RuntimeError> {
        self.host_range(&(offset..offset + data.len() as u64))?;
        self.inner.device.memory.read(self.inner.part()?, offset, data)
    }

    /// Makes what the host wrote through [`host_ptr`](Self::host_ptr) available to the device (non-coherent memory).
    ///
    /// # Errors
    /// User for a range outside the buffer; Unsupported without a host pointer; Driver when Vulkan fails.
    pub fn flush_host(&self, range: Range<u64>) -> Result<(), RuntimeError> {
        self.inner.marks.note_host_write();
        self.inner.device.memory.flush(self.host_range(&range)?, range.start, range.end - range.start)
    }

    /// Makes what the device wrote visible through [`host_ptr`](Self::host_ptr) (non-coherent memory).
    ///
    /// # Errors
    /// As [`flush_host`](Self::flush_host).
    pub fn invalidate_host(&self, range: Range<u64>) -> Result<(), RuntimeError> {
        self.inner.device.memory.invalidate(self.host_range(&range)?, range.start, range.end - range.start)
    }

    fn host_range(&self, range: &Range<u64>) -> Result<&MemoryPart, RuntimeError> {
        if range.start > range.end || range.end > self.inner.size {
            let text = format!("bytes {range:?} of a buffer of {} bytes", self.inner.size);
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        let part = self.inner.part()?;
        if !part.is_mapped() {
            return Err(RuntimeError::unsupported("the host does not reach the buffer's memory"));
        }
        Ok(part)
    }

    /// A buffer that a user asks for.
    pub(crate) fn new(
        device: &Arc<DeviceInner>,
        size: u64,
        usage: BufferUse,
        name: &str,
    ) -> Result<Self, RuntimeError> {
        Self::make(device, size, usage, name, true)
    }

    /// A buffer that the runtime needs itself.
    pub(crate) fn internal(
        device: &Arc<DeviceInner>,
        size: u64,
        usage: BufferUse,
        name: &str,
    ) -> Result<Self, RuntimeError> {
        Self::make(device, size, usage, name, false)
    }

    /// A buffer of memory that `import` gives.
    pub(crate) fn imported(
        device: &Arc<DeviceInner>,
        size: u64,
        import: impl FnOnce(vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        let storage = Storage::imported(device, size, import)?;
        Ok(Self::on(Arc::new(storage), size, size, true))
    }

    /// A buffer of memory of another API, which `import` gives. It has exactly what there is: nothing may be written beyond it.
    pub(crate) fn external(
        device: &Arc<DeviceInner>,
        size: u64,
        handle: MemoryHandle,
        import: impl FnOnce(vk::Buffer, vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        Self::of_handle(device, (size, size), handle, import)
    }

    /// A buffer of memory that another API imports, which `export` gives.
    pub(crate) fn exported(
        device: &Arc<DeviceInner>,
        size: u64,
        handle: MemoryHandle,
        export: impl FnOnce(vk::Buffer, vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        Self::of_handle(device, (size, size.next_multiple_of(ROUND)), handle, export)
    }

    fn of_handle(
        device: &Arc<DeviceInner>,
        (size, bound_size): (u64, u64),
        handle: MemoryHandle,
        memory: impl FnOnce(vk::Buffer, vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        check_size(device, size)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle.bit());
        let info = create_info(device, bound_size).push_next(&mut external);
        let mut storage = Storage::new(device, bound_size, None, &info, "external buffer", memory)?;
        storage.external = Some(External::new(device.external.other_family(handle)));
        Ok(Self::on(Arc::new(storage), size, bound_size, true))
    }

    fn make(
        device: &Arc<DeviceInner>,
        size: u64,
        usage: BufferUse,
        name: &str,
        counted: bool,
    ) -> Result<Self, RuntimeError> {
        check_size(device, size)?;
        let bound_size = size.next_multiple_of(ROUND);
        // Inside of the runtime a stream's lock may be held: then no other stream can be asked to submit.
        let may_wait = counted || device.stream_count == 1;
        if let Some(storage) = device.pool().take(usage, bound_size, may_wait) {
            if counted && device.stream_count > 1 {
                storage.marks.origin.set(device.submit_uses(&storage.marks)?);
            }
            return Ok(Self::on(storage, size, bound_size, counted));
        }
        let info = create_info(device, bound_size);
        let make = || {
            Storage::new(device, bound_size, Some(usage), &info, name, |raw, requirements| {
                device.memory.allocate(Holder::Buffer(raw), requirements, usage, name)
            })
        };
        let storage = match make() {
            // What is kept for reuse makes room.
            Err(e) if e.is_out_of_memory() && device.make_room() => make(),
            other => other,
        }?;
        Ok(Self::on(Arc::new(storage), size, bound_size, counted))
    }

    pub(crate) fn on(storage: Arc<Storage>, size: u64, bound_size: u64, counted: bool) -> Self {
        let device = &storage.device;
        let shared = storage.block().is_some();
        let packed = counted && !shared && !device.target.has_address_model();
        let place = if packed { device.places.take(bound_size) } else { None };
        let inner = BufferInner { storage, size, bound_size, place, counted };
        inner.count(true);
        Buffer { inner: Arc::new(inner) }
    }
}

fn check_size(device: &DeviceInner, size: u64) -> Result<(), RuntimeError> {
    if size == 0 {
        return Err(RuntimeError::user(UserError::InvalidBufferSize, "a buffer of size 0"));
    }
    if size > device.max_buffer_size {
        return Err(RuntimeError::user(
            UserError::InvalidBufferSize,
            format!(
                "a buffer of {size} bytes: the device '{}' allows {} bytes",
                device.target.name, device.max_buffer_size
            ),
        ));
    }
    Ok(())
}

pub(crate) fn create_info(device: &DeviceInner, size: u64) -> vk::BufferCreateInfo<'static> {
    let flags = buffer_usage(device.target.features.buffer_device_address);
    vk::BufferCreateInfo::default().size(size).usage(flags).sharing_mode(vk::SharingMode::EXCLUSIVE)
}

/// Returns whether the addresses from the first of a buffer to the one behind its last differ above 32 bits.
fn crosses(address: u64, size: u64) -> bool {
    address >> 32 != address.saturating_add(size) >> 32
}

impl Storage {
    /// Its memory was mapped there, all of it.
    pub(crate) fn set_mapped(&mut self, pointer: *mut u8) {
        if let Some(part) = &mut self.part {
            part.set_mapped(pointer);
        }
    }

    /// Maps memory of its own, of which nobody has a pointer, wherever the driver does, where the host reaches it at all and a test does
    /// not say otherwise: for small transfers. It does without, where that fails.
    pub(crate) fn map_window(&mut self) {
        if let Some(part) = &mut self.part {
            self.device.memory.map_window(part);
            self.hidden = true;
            if part.reach() == Reach::Window {
                self.marks.set_hidden();
            }
        }
    }

    /// The host has memory of its own at the same addresses.
    pub(crate) fn set_view(&mut self, view: HostCopy) {
        self.view = Some(view);
    }

    /// See [`set_view`](Self::set_view).
    pub(crate) fn view(&self) -> Option<&HostCopy> {
        self.view.as_ref()
    }

    /// Keeps the owner of its memory.
    pub(crate) fn set_beneath(&mut self, beneath: Box<dyn Any + Send + Sync>) {
        self.beneath = Some(beneath);
    }

    /// Creates a buffer of memory that `import` gives.
    pub(crate) fn imported(
        device: &Arc<DeviceInner>,
        size: u64,
        import: impl FnOnce(vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        check_size(device, size)?;
        let mut external = external_info();
        // Exactly what there is: nothing may be written beyond it.
        let info = create_info(device, size).push_next(&mut external);
        Self::new(device, size, None, &info, "imported buffer", |_, requirements| import(requirements))
    }

    pub(crate) fn new(
        device: &Arc<DeviceInner>,
        capacity: u64,
        usage: Option<BufferUse>,
        info: &vk::BufferCreateInfo<'_>,
        name: &str,
        memory: impl FnOnce(vk::Buffer, vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError>,
    ) -> Result<Self, RuntimeError> {
        // SAFETY: the device is alive; the size is not 0; address usage only with the feature.
        let raw = unsafe { device.raw.create_buffer(info, None) }.call("vkCreateBuffer")?;
        let mut storage = Storage {
            raw,
            part: None,
            capacity,
            usage,
            hidden: usage == Some(BufferUse::Device),
            address: None,
            marks: Arc::new(Marks::new(device.new_id())),
            texel_views: TexelViews::default(),
            device: device.clone(),
            external: None,
            beneath: None,
            view: None,
        };
        // From here on Storage's drop cleans up.
        // SAFETY: `raw` is alive.
        let mut requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        // Kernels may count on it (`KernelInfo::aligned`).
        requirements.alignment = requirements.alignment.max(lower::target::START_ALIGNMENT.into());
        let part = storage.part.insert(memory(raw, requirements)?);
        if usage == Some(BufferUse::Device) && part.reach() == Reach::Window {
            storage.marks.set_hidden();
        }
        // SAFETY: the buffer is unbound; the memory is of a permitted type, aligned and large enough by the
        // requirements, with the address flag where the usage has it.
        unsafe { device.raw.bind_buffer_memory(raw, part.memory, part.offset) }.call("vkBindBufferMemory")?;
        if device.target.features.buffer_device_address {
            let address = device.buffer_address(raw);
            // Before anything can name the buffer; what was made for launches before does not use it.
            if crosses(address, info.size) {
                device.crossed.store(true, Ordering::SeqCst);
            }
            storage.address = Some(address);
        }
        device.name(raw, name);
        Ok(storage)
    }

    pub(crate) fn part(&self) -> Result<&MemoryPart, RuntimeError> {
        self.part.as_ref().ok_or_else(|| RuntimeError::bug("a buffer without memory"))
    }

    /// The memory that it shares with other buffers.
    pub(crate) fn block(&self) -> Option<&Arc<Block>> {
        self.part.as_ref().and_then(MemoryPart::block)
    }

    /// Returns whether its memory is host memory that a device of its own memory reaches.
    pub(crate) fn is_in_host_memory(&self) -> bool {
        self.part.as_ref().is_some_and(|p| !p.flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL))
    }
}

impl BufferInner {
    /// Returns what batches keep.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Returns what tells it from other buffers in a kernel: its device address, or what stands for one where kernels have none.
    pub(crate) fn kernel_address(&self) -> Result<u64, RuntimeError> {
        if self.device.target.has_address_model() {
            return self.address.ok_or_else(|| RuntimeError::bug("a buffer without an address"));
        }
        if let (Some(block), Ok(part)) = (self.block(), self.part()) {
            return Ok(block.start + part.offset);
        }
        self.place.ok_or_else(|| {
            RuntimeError::unsupported("pointers that are compared need buffers of less than 4 GiB together")
        })
    }

    fn count(&self, alive: bool) {
        let counter =
            if self.counted { &self.device.live_buffers } else { &self.device.live_internal_buffers };
        if alive {
            counter.fetch_add(1, Ordering::Relaxed);
        } else {
            counter.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Checks that a range lies within the buffer.
    pub(crate) fn check_range(&self, what: &str, offset: u64, size: u64) -> Result<(), RuntimeError> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(RuntimeError::user(
                UserError::InvalidValue,
                format!("{what}: {size} bytes from offset {offset} of a buffer of {} bytes", self.size),
            )),
        }
    }
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        self.count(false);
        if let Some(place) = self.place {
            self.device.places.give(place);
        }
        self.device.pool().put(&self.storage);
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: a batch that uses the buffer holds an Arc of it until the device has finished, so it is idle; destroyed
        // once.
        unsafe { self.texel_views.destroy(&self.device) };
        // SAFETY: as above.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        if let Some(part) = self.part.take() {
            self.device.memory.free(part);
        }
    }
}

pub(crate) const HOST: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// Returns the parameters of vkCreateBuffer for a buffer that is to be bound to imported memory.
pub(crate) fn external_info() -> vk::ExternalMemoryBufferCreateInfo<'static> {
    vk::ExternalMemoryBufferCreateInfo::default().handle_types(HOST)
}

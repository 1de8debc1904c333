//! Batches: a command buffer with everything that must live until the device has run it, and the
//! recycling of their parts.

use crate::device::device_time::DeviceTime;
use crate::device::retained::Retained;
use crate::image::resource_use::Resource;
use crate::kernel::descriptor_counts::KINDS;
use crate::kernel::descriptor_counts::Room;
use crate::kernel::descriptor_counts::SETS;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;
use smallvec::SmallVec;

use crate::device::functions::MemoryBarrier;
use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::kernel::program::{KernelInner, descriptor_type};
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::binding::{BoundState, WrittenSets};
use crate::stream::deferred::Deferred;
use crate::stream::fence::Fence;
use crate::stream::timestamps::Queries;
use timeline::Points;

/// Size of the buffers that small data (argument blocks, patterns, small writes) is cut from.
const CHUNK: u64 = 256 << 10;
/// Size of the largest recycled staging buffer.
const STAGING: u64 = 64 << 20;
/// Size of the smallest; between them there is a class for each power of two.
const SMALLEST: u64 = 4 << 10;
const CLASSES: usize = (STAGING / SMALLEST).ilog2() as usize + 1;
/// How many idle chunks, and staging buffers of a class, are kept.
const KEEP: usize = 4;
/// How many idle batches, and their pools, are kept.
const KEEP_BATCHES: usize = 64;
/// This many of them may wait for their pools to be reset while new ones are made.
const WORN: usize = 16;
/// A batch goes on with the chunk of the one before while that has so many bytes left.
const ROOM: u64 = 4 << 10;
/// How many bytes of idle staging buffers of one class are kept, where that is more of them.
const KEEP_BYTES: u64 = 1 << 20;
/// From this size on as many are kept as this many bytes in all allow: large transfers have a dozen pieces on their way.
const LARGE: u64 = 2 << 20;
const KEEP_LARGE: u64 = 96 << 20;

/// Commands on their way to the device.
pub(crate) struct Batch {
    /// The value that the timeline reaches when it has run.
    pub(crate) value: u64,
    /// The number of its stream.
    stream: u32,
    /// It runs after these points of other streams.
    pub(crate) waits: Points,
    /// It runs after these binary semaphores of other APIs are signalled, and signals those at its end. It keeps them.
    pub(crate) foreign_waits: SmallVec<[vk::Semaphore; 1]>,
    pub(crate) signals: SmallVec<[vk::Semaphore; 1]>,
    /// Nothing more goes in.
    pub(crate) sealed: bool,
    /// The command buffer that is recorded: `primary`, or the last of `group`.
    pub(crate) commands: vk::CommandBuffer,
    pub(crate) primary: vk::CommandBuffer,
    /// The command buffer that the device gets in place of `primary` ([`command_buffer_cache`](crate::stream::command_buffer_cache), [`sequence`](crate::launch::sequence)).
    pub(crate) recorded: Option<vk::CommandBuffer>,
    /// Launches that are not in `primary` yet: all that the batch has ([`deferred`](crate::stream::deferred)).
    pub(crate) later: Vec<Deferred>,
    /// It ended so.
    pub(crate) ended_later: bool,
    /// Its commands found no memory and are not executed.
    pub(crate) failed: bool,
    /// It does work that belongs to no command, and later commands rely on it. No event could report that it found no memory.
    pub(crate) is_relied_on: bool,
    /// `primary` is being recorded, and empty.
    begun: bool,
    /// DeviceOptions::reorder: one secondary command buffer for each command since the last barrier, and those left over.
    group: Vec<vk::CommandBuffer>,
    spare: Vec<vk::CommandBuffer>,
    used: Vec<vk::CommandBuffer>,
    pub(crate) count: u32,
    /// The device writes memory that the host may read directly.
    pub(crate) host_reads: bool,
    /// Only without timeline semaphores.
    pub(crate) fence: Option<Arc<Fence>>,
    /// Host time of the submission.
    pub(crate) submitted_at: u64,
    pub(crate) queries: Vec<Queries>,
    pub(crate) bound: BoundState,
    /// The [`Repeat`](crate::Repeat) recorded last, whose objects it keeps; 0: none.
    pub(crate) kept_launch: u64,
    pub(crate) sets: WrittenSets,
    pool: vk::CommandPool,
    descriptor_pools: Vec<DescriptorPool>,
    chunks: Vec<Chunk>,
    staging: Vec<Buffer>,
    keep: Vec<Arc<dyn Any + Send + Sync>>,
    device: Arc<DeviceInner>,
}

/// A batch goes from one list to another for each submission, and is a kilobyte and more.
#[allow(clippy::vec_box)]
pub(crate) type Batches = Vec<Box<Batch>>;

pub(crate) struct DescriptorPool {
    raw: vk::DescriptorPool,
    sets: u32,
    room: Room,
    /// When nothing is taken from it.
    whole: Room,
}

struct Chunk {
    buffer: Buffer,
    used: u64,
}

/// Parts of finished batches.
#[derive(Default)]
pub(crate) struct Recycler {
    /// The number of its stream.
    stream: u32,
    batches: Batches,
    /// Batches that have run, whose pools are not reset yet.
    worn: Batches,
    /// One that is being recorded already.
    begun: Option<Box<Batch>>,
    chunks: Vec<Chunk>,
    /// A chunk and a descriptor pool with room left, of batches that may be on their way. The next batch goes on with them. They
    /// are used from the beginning again when the last batch that used them is done, and batches end in order.
    begun_chunk: Option<Chunk>,
    begun_pool: Option<DescriptorPool>,
    /// By class.
    staging: [Vec<Buffer>; CLASSES],
    /// Bytes of the large ones among them.
    large: u64,
    descriptor_pools: Vec<DescriptorPool>,
    pub(crate) queries: Vec<Queries>,
}

impl Batch {
    /// Keeps a resource that a command uses.
    pub(crate) fn keep_resource(&mut self, resource: Resource<'_>) {
        match resource {
            Resource::Buffer(bytes) => self.keep(bytes.buffer.storage()),
            Resource::Image { image, .. } => self.keep(image.storage()),
        }
    }

    fn new(device: &Arc<DeviceInner>, stream: u32) -> Result<Box<Self>, RuntimeError> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(device.queue_family);
        // SAFETY: the device is alive and was made with this family.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        // From here on Batch's drop cleans up; destroying null handles does nothing.
        let mut batch = Box::new(Batch {
            value: 0,
            stream,
            waits: Points::none(),
            foreign_waits: SmallVec::new(),
            signals: SmallVec::new(),
            sealed: false,
            commands: vk::CommandBuffer::null(),
            primary: vk::CommandBuffer::null(),
            recorded: None,
            ended_later: false,
            failed: false,
            is_relied_on: false,
            later: Vec::new(),
            begun: false,
            group: Vec::new(),
            spare: Vec::new(),
            used: Vec::new(),
            count: 0,
            host_reads: false,
            fence: None,
            submitted_at: 0,
            queries: Vec::new(),
            bound: BoundState::default(),
            kept_launch: 0,
            sets: WrittenSets::default(),
            pool,
            descriptor_pools: Vec::new(),
            chunks: Vec::new(),
            staging: Vec::new(),
            keep: Vec::new(),
            device: device.clone(),
        });
        batch.primary = batch.allocate(vk::CommandBufferLevel::PRIMARY)?;
        batch.commands = batch.primary;
        device.name(batch.commands, "pumice batch");
        Ok(batch)
    }

    fn allocate(&self, level: vk::CommandBufferLevel) -> Result<vk::CommandBuffer, RuntimeError> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive and used by this batch only, under the stream's lock.
        let buffers =
            unsafe { self.device.raw.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        buffers.first().copied().ok_or_else(|| RuntimeError::bug("no command buffer"))
    }

    /// DeviceOptions::reorder: the next command goes into a command buffer of its own.
    pub(crate) fn begin_alone(&mut self) -> Result<(), RuntimeError> {
        let commands = match self.spare.pop() {
            Some(commands) => commands,
            None => self.allocate(vk::CommandBufferLevel::SECONDARY)?,
        };
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)
            .inheritance_info(&inheritance);
        // SAFETY: the command buffer is new or its pool was reset; it is used under the stream's lock only.
        unsafe { self.device.raw.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;
        self.group.push(commands);
        self.commands = commands;
        self.bound.forget();
        Ok(())
    }

    /// DeviceOptions::reorder: puts the commands since the last barrier in, the last first.
    pub(crate) fn end_group(&mut self) -> Result<(), RuntimeError> {
        if self.group.is_empty() {
            return Ok(());
        }
        for commands in &self.group {
            // SAFETY: being recorded, under the stream's lock.
            unsafe { self.device.raw.end_command_buffer(*commands) }.call("vkEndCommandBuffer")?;
        }
        self.group.reverse();
        // SAFETY: complete secondary command buffers, each executed once.
        unsafe { self.device.raw.cmd_execute_commands(self.primary, &self.group) };
        self.used.append(&mut self.group);
        self.commands = self.primary;
        self.bound.forget();
        Ok(())
    }

    /// Puts a barrier after everything recorded so far.
    pub(crate) fn barrier(&mut self, barrier: &MemoryBarrier) -> Result<(), RuntimeError> {
        self.end_group()?;
        self.device.barrier(self.primary, barrier);
        Ok(())
    }

    /// The names of the kernels that it runs.
    pub(crate) fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.keep.iter().filter_map(|kept| {
            let kept: &(dyn Any + Send + Sync) = &**kept;
            kept.downcast_ref::<KernelInner>().map(|kernel| kernel.info.name.as_str())
        })
    }

    pub(crate) fn device(&self) -> &Arc<DeviceInner> {
        &self.device
    }

    /// Keeps an object alive until the device has run the batch.
    pub(crate) fn keep<T: Retained>(&mut self, object: &Arc<T>) {
        // Under the stream's lock: no need of an atomic exchange.
        let kept_by = object.kept_by(self.stream);
        if kept_by.load(Ordering::Relaxed) != self.value {
            kept_by.store(self.value, Ordering::Relaxed);
            self.keep.push(object.clone());
        }
    }

    /// Hands over what it keeps alive, to be dropped without the stream's lock.
    pub(crate) fn take_kept(&mut self, garbage: &mut Vec<Arc<dyn Any + Send + Sync>>) {
        garbage.append(&mut self.keep);
    }

    /// Reads the timestamps of a batch that has run.
    pub(crate) fn read_times(&mut self) -> Result<(), RuntimeError> {
        let at = self.submitted_at;
        self.queries.iter_mut().try_for_each(|q| q.read(at))
    }

    /// The timestamps will not come.
    pub(crate) fn fail_times(&mut self, error: &RuntimeError) {
        self.queries.iter_mut().for_each(|q| q.fail(error));
    }

    /// Host-visible memory of up to CHUNK bytes that lives as long as the batch.
    pub(crate) fn small(
        &mut self,
        recycler: &mut Recycler,
        size: u64,
        align: u64,
    ) -> Result<(Arc<BufferInner>, u64), RuntimeError> {
        let align = align.max(16);
        if self.chunks.is_empty() {
            self.chunks.extend(recycler.begun_chunk.take());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            let start = chunk.used.next_multiple_of(align);
            if start.checked_add(size).is_some_and(|end| end <= chunk.buffer.inner.bound_size) {
                chunk.used = start + size;
                return Ok((chunk.buffer.inner.clone(), start));
            }
        }
        let buffer = if size > CHUNK {
            Buffer::internal(&self.device, size, BufferUse::Upload, "chunk")?
        } else if let Some(chunk) = recycler.chunks.pop() {
            chunk.buffer
        } else {
            Buffer::internal(&self.device, CHUNK, BufferUse::Upload, "chunk")?
        };
        let inner = buffer.inner.clone();
        self.chunks.push(Chunk { buffer, used: size });
        Ok((inner, 0))
    }

    /// Takes a staging buffer over, to give it back when the batch has run.
    pub(crate) fn return_later(&mut self, staging: Buffer) {
        self.staging.push(staging);
    }

    /// A descriptor set that lives as long as the batch.
    pub(crate) fn descriptor_set(
        &mut self,
        recycler: &mut Recycler,
        layout: vk::DescriptorSetLayout,
        room: &Room,
    ) -> Result<vk::DescriptorSet, RuntimeError> {
        let fits = |p: &DescriptorPool| p.sets > 0 && p.room.has(room);
        if self.descriptor_pools.is_empty() {
            self.descriptor_pools.extend(recycler.begun_pool.take());
        }
        if !self.descriptor_pools.last().is_some_and(fits) {
            let pool = match recycler.descriptor_pools.pop() {
                Some(pool) if fits(&pool) => pool,
                other => {
                    recycler.descriptor_pools.extend(other);
                    DescriptorPool::new(&self.device, room.for_pool(), SETS)?
                }
            };
            self.descriptor_pools.push(pool);
        }
        let pool = self.descriptor_pools.last_mut().ok_or_else(|| RuntimeError::bug("no descriptor pool"))?;
        pool.take(&self.device, layout, room)
    }
}

impl DescriptorPool {
    /// For so many sets, of which all together take at most `whole`.
    pub(crate) fn new(device: &DeviceInner, whole: Room, sets: u32) -> Result<Self, RuntimeError> {
        let sizes: SmallVec<[vk::DescriptorPoolSize; KINDS.len()]> = KINDS
            .into_iter()
            .zip(whole.0)
            .filter(|(_, descriptor_count)| *descriptor_count > 0)
            .map(|(kind, descriptor_count)| vk::DescriptorPoolSize {
                ty: descriptor_type(kind),
                descriptor_count,
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        device.name(raw, "pumice descriptors");
        Ok(DescriptorPool { raw, sets, room: whole, whole })
    }

    /// A set that takes so much, which the pool has.
    pub(crate) fn take(
        &mut self,
        device: &DeviceInner,
        layout: vk::DescriptorSetLayout,
        room: &Room,
    ) -> Result<vk::DescriptorSet, RuntimeError> {
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.raw).set_layouts(&layouts);
        // SAFETY: pool and layout are alive; the pool is used by its owner only, under the stream's lock.
        let sets = unsafe { device.raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?;
        self.sets -= 1;
        self.room.take(room);
        sets.first().copied().ok_or_else(|| RuntimeError::bug("no descriptor set"))
    }

    /// Destroys it. The device is done with its sets.
    pub(crate) fn destroy(self, device: &DeviceInner) {
        // SAFETY: no submission uses its sets, by the caller; of this device, destroyed once.
        unsafe { device.raw.destroy_descriptor_pool(self.raw, None) };
    }
}

impl Recycler {
    /// A stream's.
    pub(crate) fn new(stream: u32) -> Self {
        Recycler { stream, ..Recycler::default() }
    }

    /// Takes from a batch that is complete what the next one may go on with.
    pub(crate) fn carry_over(&mut self, batch: &mut Batch) {
        let roomy = |c: &Chunk| c.used + ROOM <= c.buffer.inner.bound_size;
        if self.begun_chunk.is_none() && batch.chunks.last().is_some_and(roomy) {
            self.begun_chunk = batch.chunks.pop();
            let kept: Option<Arc<dyn Any + Send + Sync>> =
                self.begun_chunk.as_ref().map(|c| c.buffer.inner.storage().clone() as _);
            batch.keep.extend(kept);
        }
        if self.begun_pool.is_none() && batch.descriptor_pools.last().is_some_and(|p| p.sets > 0) {
            self.begun_pool = batch.descriptor_pools.pop();
        }
    }

    /// A batch whose command buffer is being recorded.
    pub(crate) fn begin(
        &mut self,
        device: &Arc<DeviceInner>,
        value: u64,
    ) -> Result<Box<Batch>, RuntimeError> {
        let mut batch = match self.begun.take() {
            Some(batch) => batch,
            None => self.begin_another(device)?,
        };
        batch.value = value;
        if !device.target.features.timeline_semaphore {
            // A new one each time: a thread may still be looking at an old one.
            // SAFETY: the device is alive.
            let raw = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
                .call("vkCreateFence")?;
            batch.fence = Some(Arc::new(Fence { raw, device: device.clone() }));
        }
        Ok(batch)
    }

    fn begin_another(&mut self, device: &Arc<DeviceInner>) -> Result<Box<Batch>, RuntimeError> {
        // Some are left to `prepare`: who only records is not to be held up.
        if self.batches.is_empty()
            && self.worn.len() > WORN
            && let Some(worn) = self.worn.pop()
        {
            self.renew(worn);
        }
        let mut batch = match self.batches.pop() {
            Some(batch) => batch,
            None => Batch::new(device, self.stream)?,
        };
        if std::mem::take(&mut batch.begun) {
            return Ok(batch);
        }
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is new or its pool was reset; it is used under the queue's lock only.
        unsafe { device.raw.begin_command_buffer(batch.primary, &info) }.call("vkBeginCommandBuffer")?;
        Ok(batch)
    }

    /// Prepares for the batches that come, while the device works.
    pub(crate) fn prepare(&mut self, device: &Arc<DeviceInner>) {
        for worn in std::mem::take(&mut self.worn) {
            self.renew(worn);
        }
        if self.begun.is_none() {
            // What fails here fails again when it is needed.
            self.begun = self.begin_another(device).ok();
        }
    }

    /// A recycled staging buffer of at least this size, if there is one.
    pub(crate) fn take_staging(&mut self, size: u64) -> Option<Buffer> {
        let buffer = self.staging.get_mut(class(size)?)?.pop()?;
        if buffer.size() >= LARGE {
            self.large -= buffer.size();
        }
        Some(buffer)
    }

    /// Takes an idle staging buffer back.
    pub(crate) fn give_staging(&mut self, buffer: Buffer) {
        let Some(class) = class(buffer.size()) else { return };
        let Some(list) = self.staging.get_mut(class) else { return };
        let size = buffer.size();
        let many = usize::try_from(KEEP_BYTES / size).unwrap_or(0).max(KEEP);
        let room = if size < LARGE { list.len() < many } else { self.large + size <= KEEP_LARGE };
        if size == class_size(class) && room {
            if size >= LARGE {
                self.large += size;
            }
            list.push(buffer);
        }
    }

    /// Takes apart a batch that the device has run (or that was never submitted). Its pools are reset later: somebody may be
    /// waiting for it.
    pub(crate) fn recycle(&mut self, mut batch: Box<Batch>) {
        batch.keep.clear();
        batch.later.clear();
        batch.fence = None;
        for mut queries in batch.queries.drain(..) {
            if self.queries.len() < KEEP_BATCHES {
                queries.renew();
                self.queries.push(queries);
            }
        }
        for mut chunk in batch.chunks.drain(..) {
            if self.chunks.len() < KEEP && chunk.buffer.size() == CHUNK {
                chunk.used = 0;
                self.chunks.push(chunk);
            }
        }
        for buffer in batch.staging.drain(..) {
            self.give_staging(buffer);
        }
        if self.worn.len() + self.batches.len() >= KEEP_BATCHES {
            return;
        }
        match batch.recorded.is_some() && batch.descriptor_pools.is_empty() {
            // There is nothing to be reset.
            true => self.renew(batch),
            false => self.worn.push(batch),
        }
    }

    /// Makes a batch that was taken apart ready to be used again.
    fn renew(&mut self, mut batch: Box<Batch>) {
        let raw = &batch.device.raw;
        for pool in &mut batch.descriptor_pools {
            // SAFETY: the batch is not running, so its sets are unused.
            let reset = unsafe { raw.reset_descriptor_pool(pool.raw, vk::DescriptorPoolResetFlags::empty()) };
            if reset.is_err() {
                pool.sets = 0;
                continue;
            }
            pool.sets = SETS;
            pool.room = pool.whole;
        }
        let (mut good, bad): (Vec<_>, Vec<_>) = batch.descriptor_pools.drain(..).partition(|p| p.sets > 0);
        while self.descriptor_pools.len() < KEEP_BATCHES
            && let Some(pool) = good.pop()
        {
            self.descriptor_pools.push(pool);
        }
        // Batch's drop, or the loop below, destroys the rest.
        for pool in good.into_iter().chain(bad) {
            // SAFETY: not running, of this device, destroyed once.
            unsafe { raw.destroy_descriptor_pool(pool.raw, None) };
        }
        // Where something else was submitted in its place it is as it was.
        batch.begun = batch.recorded.take().is_some();
        let reset = match batch.begun {
            true => Ok(()),
            // SAFETY: the batch is not running; nobody else uses its pool.
            false => unsafe { raw.reset_command_pool(batch.pool, vk::CommandPoolResetFlags::empty()) },
        };
        batch.count = 0;
        let mut used = std::mem::take(&mut batch.used);
        batch.spare.append(&mut used);
        batch.spare.append(&mut batch.group);
        batch.commands = batch.primary;
        batch.bound.forget();
        batch.kept_launch = 0;
        batch.waits = Points::none();
        batch.foreign_waits.clear();
        batch.signals.clear();
        batch.sealed = false;
        batch.sets = WrittenSets::default();
        batch.host_reads = false;
        batch.ended_later = false;
        batch.failed = false;
        batch.is_relied_on = false;
        if reset.is_ok() {
            self.batches.push(batch);
        }
    }

    /// Drops the objects that are kept only to save time, because memory has run out.
    pub(crate) fn trim(&mut self) {
        self.batches.clear();
        self.worn.clear();
        self.begun = None;
        self.chunks.clear();
        self.staging.iter_mut().for_each(Vec::clear);
        self.large = 0;
    }

    /// Destroys what is kept, with the queue.
    pub(crate) fn destroy(&mut self, device: &DeviceInner) {
        self.trim();
        self.queries.clear();
        self.begun_chunk = None;
        for pool in self.descriptor_pools.drain(..).chain(self.begun_pool.take()) {
            // SAFETY: no batch uses it, of this device, destroyed once.
            unsafe { device.raw.destroy_descriptor_pool(pool.raw, None) };
        }
    }
}

/// The class of staging buffers that a size falls into; `None` for what is larger than all.
fn class(size: u64) -> Option<usize> {
    let units = size.max(1).div_ceil(SMALLEST).next_power_of_two();
    let class = units.ilog2() as usize;
    (class < CLASSES).then_some(class)
}

/// The size of a class's buffers.
fn class_size(class: usize) -> u64 {
    SMALLEST << class
}

/// A new staging buffer: of its class's size, or exact where it is larger than all classes.
pub(crate) fn new_staging(device: &Arc<DeviceInner>, size: u64) -> Result<Buffer, RuntimeError> {
    let size = class(size).map_or(size, class_size).min(device.max_buffer_size);
    Buffer::internal(device, size, BufferUse::Download, "staging")
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: a batch is dropped only when the device has run it, it was never submitted, or the device is lost; each
        // handle (or null) is of this device and destroyed once.
        unsafe {
            for pool in self.descriptor_pools.drain(..) {
                self.device.raw.destroy_descriptor_pool(pool.raw, None);
            }
            self.device.raw.destroy_command_pool(self.pool, None);
        }
    }
}

impl Batch {
    /// Records a timestamp: when everything recorded so far has come as far as `stage`.
    pub(crate) fn timestamp(
        &mut self,
        spare: &mut Vec<Queries>,
        stage: vk::PipelineStageFlags,
    ) -> Result<DeviceTime, RuntimeError> {
        if self.queries.last().is_none_or(Queries::is_full) {
            let fresh = match spare.pop() {
                Some(queries) => queries,
                None => Queries::new(self.device())?,
            };
            self.queries.push(fresh);
        }
        self.end_group()?;
        let commands = self.primary;
        self.count += 1;
        match self.queries.last_mut() {
            Some(queries) => Ok(queries.record(commands, stage)),
            None => Err(RuntimeError::bug("no query pool")),
        }
    }

    /// Records what brings the timestamps to the host, at the batch's end; whether the host reads memory that the device writes for it.
    pub(crate) fn copy_times(&self) -> bool {
        self.queries.iter().fold(false, |copied, queries| queries.copy(self.primary) | copied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_staging_buffers() {
        assert_eq!((class(0), class(1), class(SMALLEST)), (Some(0), Some(0), Some(0)));
        assert_eq!((class(SMALLEST + 1), class(STAGING)), (Some(1), Some(CLASSES - 1)));
        assert_eq!(class(STAGING + 1), None);
        assert_eq!(class_size(CLASSES - 1), STAGING);
    }
}

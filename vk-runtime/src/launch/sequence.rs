//! Launches one after the other that are recorded once, into a command buffer of their own, and submitted again and again.
//!
//! A [`Sequence`] is made of [`Repeat`]s: all is settled but what comes before it. So its command buffer begins with a barrier behind
//! everything, has those between the launches that their accesses need, and ends with one for the host's reads where the host reaches
//! what it writes. To submit it is to close the open batch, and to order and keep what the launches touch, each memory once.
//!
//! A sequence of iterations ([`Queue::iterations`]) has the same launches several times over, and a kernel writes how many work-groups each has.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ash::vk;

use crate::device::functions::MemoryBarrier;
use crate::device::functions::READS_AND_WRITES;
use crate::device::logical::DeviceInner;
use crate::device::retained::Retained;
use crate::error::{Call, RuntimeError};
use crate::kernel::descriptor_counts::Room;
use crate::launch::prepared::{Repeat, Touch};
use crate::memory::buffer::Buffer;
use crate::stream::batch::DescriptorPool;
use crate::stream::binding::fill_set;
use crate::stream::hazards::{Access, HOST_READ_BARRIER, Hazards, Stage};
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::{PerStream, Point};

/// Launches that were recorded. It keeps none of their buffers alive.
pub struct Sequence(Arc<Recorded>);

struct Recorded {
    launches: Vec<Repeat>,
    iterations: Option<Iterations>,
    /// The memory that they touch: each once, with all that is done to it.
    touches: Vec<Touch>,
    /// Null before there is one.
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    sets: Option<DescriptorPool>,
    kept_by: PerStream,
    device: Arc<DeviceInner>,
}

impl std::fmt::Debug for Sequence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sequence").field("launches", &self.0.launches).finish_non_exhaustive()
    }
}

impl Retained for Recorded {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.kept_by.stream(stream)
    }
}

/// How often the launches are repeated, and where the numbers of work-groups of all but the first one are.
struct Iterations {
    count: u32,
    buffer: Buffer,
    offsets: Vec<u64>,
}

/// Orders a launch before others that read numbers of work-groups.
const BEFORE_INDIRECT: MemoryBarrier = MemoryBarrier {
    src_stages: vk::PipelineStageFlags::COMPUTE_SHADER,
    src_access: vk::AccessFlags::SHADER_WRITE,
    dst_stages: vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::DRAW_INDIRECT.as_raw(),
    ),
    dst_access: vk::AccessFlags::from_raw(
        vk::AccessFlags::SHADER_READ.as_raw()
            | vk::AccessFlags::SHADER_WRITE.as_raw()
            | vk::AccessFlags::INDIRECT_COMMAND_READ.as_raw(),
    ),
};

/// Orders launches before one that writes the numbers of work-groups that they read.
const BEHIND_INDIRECT: MemoryBarrier = MemoryBarrier {
    src_stages: BEFORE_INDIRECT.dst_stages,
    src_access: vk::AccessFlags::SHADER_WRITE,
    dst_stages: vk::PipelineStageFlags::COMPUTE_SHADER,
    dst_access: vk::AccessFlags::from_raw(
        vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::SHADER_WRITE.as_raw(),
    ),
};

/// Orders everything before.
const BEHIND_EVERYTHING: MemoryBarrier = MemoryBarrier {
    src_stages: HOST_READ_BARRIER.src_stages,
    src_access: HOST_READ_BARRIER.src_access,
    dst_stages: HOST_READ_BARRIER.src_stages,
    dst_access: READS_AND_WRITES,
};

impl Queue {
    /// Records launches of this device for [`submit_again`](Self::submit_again). `None` where each is to be recorded by itself.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn sequence(&self, launches: Vec<Repeat>) -> Result<Option<Sequence>, RuntimeError> {
        self.sequence_of(launches, None)
    }

    /// Records iterations, for [`submit_again`](Self::submit_again): in each one the first launch, and behind it the others beside each other, with the
    /// numbers of work-groups that `counts` then has at their offsets (VkDispatchIndirectCommand). `None` where each is to be recorded by itself.
    ///
    /// # Errors
    /// As `sequence`.
    pub fn iterations(
        &self,
        first: Repeat,
        others: Vec<(Repeat, u64)>,
        counts: &Buffer,
        count: u32,
    ) -> Result<Option<Sequence>, RuntimeError> {
        let (others, offsets): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let reaches = |offset: &u64| offset.checked_add(12).is_some_and(|end| end <= counts.size());
        let launches: Vec<Repeat> = std::iter::once(first).chain(others).collect();
        // Descriptor sets are taken for one launch each.
        let pushed = launches.iter().all(|launch| launch.bound.is_empty());
        if !pushed || !offsets.iter().all(|offset| offset.is_multiple_of(4) && reaches(offset)) {
            return Ok(None);
        }
        self.sequence_of(launches, Some(Iterations { count, buffer: counts.clone(), offsets }))
    }

    fn sequence_of(
        &self,
        launches: Vec<Repeat>,
        iterations: Option<Iterations>,
    ) -> Result<Option<Sequence>, RuntimeError> {
        let device = self.device_inner();
        let modes = &device.modes;
        // Windows are found anew for each launch.
        let plain = |launch: &Repeat| launch.is_whole() && launch.kernel.info.windows.is_none();
        let own = launches.iter().all(|launch| launch.is_of(device) && plain(launch));
        if launches.is_empty() || !own || modes.reorder || modes.drop_barrier.is_some() {
            return Ok(None);
        }
        let mut recorded = Recorded {
            touches: Touch::together(launches.iter().flat_map(|launch| &launch.touches)),
            launches,
            iterations,
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            sets: None,
            kept_by: PerStream::default(),
            device: device.clone(),
        };
        recorded.record()?;
        Ok(Some(Sequence(Arc::new(recorded))))
    }

    /// Hands a sequence on as it was recorded, behind everything recorded before, and returns its point; `None`, and nothing is done, if one of
    /// its buffers is gone.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn submit_again(&self, sequence: &Sequence) -> Result<Option<Point>, RuntimeError> {
        let recorded = &sequence.0;
        if !Arc::ptr_eq(&recorded.device, self.device_inner()) {
            return Ok(None);
        }
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let whole = recorded.launches.iter().all(Repeat::is_whole);
        if !whole {
            return Ok(None);
        }
        let start = self.span().map(|_| state.timestamp()).transpose()?;
        if !recorded.submit(&mut state)? {
            return Ok(None);
        }
        if let (Some(span), Some(start)) = (self.span(), start) {
            span.note(start, state.timestamp()?);
        }
        let value = state.recorded()?;
        stream.leave(state)?;
        Ok(Some(stream.point(value)))
    }
}

impl Recorded {
    fn record(&mut self) -> Result<(), RuntimeError> {
        let (device, raw) = (self.device.clone(), &self.device.raw);
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the device is alive and was made with this family.
        self.pool = unsafe { raw.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is alive, and nobody else's.
        let buffers = unsafe { raw.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        let commands = buffers.first().copied().ok_or_else(|| RuntimeError::bug("no command buffer"))?;
        device.name(commands, "pumice sequence");
        let bound = || self.launches.iter().filter(|launch| !launch.bound.is_empty());
        let sets = match u32::try_from(bound().count()).unwrap_or(u32::MAX) {
            0 => None,
            sets => {
                let room = bound().fold(Room::default(), |room, launch| room.and(&launch.kernel.room));
                Some(DescriptorPool::new(&device, room, sets)?)
            }
        };
        self.sets = sets;
        // It may be on its way several times.
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        // SAFETY: the command buffer is new, and known here alone.
        unsafe { raw.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;
        device.barrier(commands, &BEHIND_EVERYTHING);
        match &self.iterations {
            Some(iterations) => self.record_iterations(commands, iterations)?,
            None => {
                let mut hazards = Hazards::new(None);
                for launch in &self.launches {
                    if let Some(barrier) = hazards.command(None, launch.touches.iter().map(Touch::access)) {
                        device.barrier(commands, &barrier);
                    }
                    launch.record_into(commands, self.sets.as_mut())?;
                }
            }
        }
        if self.touches.iter().any(|touch| touch.mapped) {
            device.barrier(commands, &HOST_READ_BARRIER);
        }
        // SAFETY: it is being recorded.
        unsafe { raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")?;
        self.commands = commands;
        Ok(())
    }

    fn record_iterations(
        &self,
        commands: vk::CommandBuffer,
        iterations: &Iterations,
    ) -> Result<(), RuntimeError> {
        let Some((first, others)) = self.launches.split_first() else { return Ok(()) };
        for iteration in 0..iterations.count {
            if iteration > 0 {
                self.device.barrier(commands, &BEHIND_INDIRECT);
            }
            first.record_into(commands, None)?;
            self.device.barrier(commands, &BEFORE_INDIRECT);
            for (launch, offset) in others.iter().zip(&iterations.offsets) {
                launch.bind_into(commands, None)?;
                // SAFETY: as of a dispatch; the buffer is kept, is made for this use, and has three words at the offset, which is a multiple of 4.
                // The kernel that writes them keeps them within the device's limits.
                unsafe {
                    self.device.raw.cmd_dispatch_indirect(commands, iterations.buffer.inner.raw, *offset);
                }
            }
        }
        Ok(())
    }

    /// Puts it into a batch of its own; false, and no command is in it, when a buffer is gone.
    fn submit(self: &Arc<Self>, state: &mut State) -> Result<bool, RuntimeError> {
        for touch in &self.touches {
            state.behind_origin(&touch.marks)?;
        }
        state.close()?;
        let (batch, _) = state.open()?;
        for touch in &self.touches {
            if !touch.owner.keep(batch) {
                return Ok(false);
            }
        }
        for launch in &self.launches {
            batch.keep(&launch.kernel);
            batch.keep(&launch.pipeline);
        }
        batch.keep(self);
        state.order_recorded(self.touches.iter().map(|touch| (&*touch.marks, touch.span)))?;
        let (batch, _) = state.open()?;
        batch.recorded = Some(self.commands);
        batch.sealed = true;
        let iterations = self.iterations.as_ref().map_or(1, |iterations| iterations.count);
        batch.count = u32::try_from(self.launches.len()).unwrap_or(u32::MAX).saturating_mul(iterations);
        Ok(true)
    }
}

impl Repeat {
    fn is_of(&self, device: &Arc<DeviceInner>) -> bool {
        Arc::ptr_eq(self.kernel.device(), device)
    }

    /// Records it into a command buffer in which nothing is bound that it relies on.
    fn record_into(
        &self,
        commands: vk::CommandBuffer,
        sets: Option<&mut DescriptorPool>,
    ) -> Result<(), RuntimeError> {
        self.bind_into(commands, sets)?;
        let [x, y, z] = self.groups;
        // SAFETY: the command buffer is being recorded, by this thread alone; pipeline, descriptors and push constants are bound; counts are
        // within the device's limits, as they were checked for the launch.
        unsafe { self.kernel.device().raw.cmd_dispatch(commands, x, y, z) };
        Ok(())
    }

    /// Binds all that a dispatch needs.
    fn bind_into(
        &self,
        commands: vk::CommandBuffer,
        sets: Option<&mut DescriptorPool>,
    ) -> Result<(), RuntimeError> {
        let (kernel, compute) = (&*self.kernel, vk::PipelineBindPoint::COMPUTE);
        let device = kernel.device();
        // SAFETY: the command buffer is being recorded, by this thread alone; pipeline and layout are alive.
        unsafe { device.raw.cmd_bind_pipeline(commands, compute, self.pipeline.raw) };
        if let Some(pool) = sets.filter(|_| !self.bound.is_empty()) {
            let set = pool.take(device, kernel.set_layout, &kernel.room)?;
            fill_set(set, kernel, &self.bound);
            // SAFETY: as above; the set was made with this layout's set layout, and lives as long as what is recorded.
            unsafe { device.raw.cmd_bind_descriptor_sets(commands, compute, kernel.layout, 0, &[set], &[]) };
        }
        if !self.push.is_empty() {
            let stages = vk::ShaderStageFlags::COMPUTE;
            // SAFETY: as above; the layout's range is exactly these bytes.
            unsafe { device.raw.cmd_push_constants(commands, kernel.layout, stages, 0, &self.push) };
        }
        Ok(())
    }
}

impl Touch {
    fn access(&self) -> Access {
        let span = self.span;
        let (resource, stage) = (self.marks.id, Stage::Compute);
        let (start, end, read, write) = (span.start, span.end, span.read, span.write);
        Access { resource, start, end, read, write, stage, fresh: false }
    }

    /// Each memory once.
    fn together<'a>(all: impl Iterator<Item = &'a Touch>) -> Vec<Touch> {
        let mut together: Vec<Touch> = Vec::new();
        for touch in all {
            match together.iter_mut().find(|known| known.marks.id == touch.marks.id) {
                Some(known) => {
                    let (span, more) = (&mut known.span, touch.span);
                    (span.start, span.end) = (span.start.min(more.start), span.end.max(more.end));
                    (span.read, span.write) = (span.read | more.read, span.write | more.write);
                    known.mapped |= touch.mapped;
                }
                None => together.push(touch.clone()),
            }
        }
        together
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if let Some(sets) = self.sets.take() {
            sets.destroy(&self.device);
        }
        // SAFETY: of this device (or null), destroyed once; the batches that have it keep it until the device is done with them.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}

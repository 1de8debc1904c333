//! Launches one after the other that are recorded once, into a command buffer of their own, and submitted again and again.
//!
//! A [`Sequence`] is made of [`Repeat`]s: all is settled but what comes before it. So its command buffer begins with a barrier behind
//! everything, has those between the launches that their accesses need, and ends with one for the host's reads where the host reaches
//! what it writes. To submit it is to close the open batch, and to order and keep what the launches touch, each memory once.

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
        self.kept_by.of(stream)
    }
}

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
        let mut hazards = Hazards::new(None);
        for launch in &self.launches {
            if let Some(barrier) = hazards.command(None, launch.touches.iter().map(Touch::access)) {
                device.barrier(commands, &barrier);
            }
            launch.record_into(commands, self.sets.as_mut())?;
        }
        if self.touches.iter().any(|touch| touch.mapped) {
            device.barrier(commands, &HOST_READ_BARRIER);
        }
        // SAFETY: it is being recorded.
        unsafe { raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")?;
        self.commands = commands;
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
        batch.count = u32::try_from(self.launches.len()).unwrap_or(u32::MAX);
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
        let (kernel, compute) = (&*self.kernel, vk::PipelineBindPoint::COMPUTE);
        let (device, [x, y, z]) = (kernel.device(), self.groups);
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
        // SAFETY: as above; pipeline, descriptors and push constants are bound; counts are within the device's limits, as they were checked
        // for the launch.
        unsafe { device.raw.cmd_dispatch(commands, x, y, z) };
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

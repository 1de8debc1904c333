//! Command buffers that are recorded once and submitted again and again.
//!
//! To record one launch takes NVIDIA's driver 1.2 to 2.3 µs, and each barrier and descriptor set more (H200, driver 580: docs/results/svm.md). The
//! launches of a batch that are not recorded yet ([`deferred`](crate::stream::deferred)) are what tells one from another: pipelines, push constants,
//! descriptors, work-groups, and the barriers between them. A batch that is asked for a second time is kept from then on.
//!
//! A command buffer that is kept names a pipeline, and the buffers and views of its descriptors, and keeps none of them alive; addresses in
//! push constants are numbers to it. It is submitted only for launches that are the same objects': a pipeline by its place in memory, which
//! nothing else has while it is remembered here, what descriptors name by a number that is given once. So all of them are alive then, and
//! the batch keeps them until it is done. One whose objects are gone is never asked for, and makes room for another.

use std::hash::Hasher;
use std::sync::{Arc, Weak};

use ash::vk;
use rustc_hash::FxHasher;

use crate::device::functions::MemoryBarrier;
use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::kernel::program::Pipeline;
use crate::stream::batch::DescriptorPool;
use crate::stream::binding::fill_set;
use crate::stream::deferred::Deferred;
use crate::stream::hazards::HOST_READ_BARRIER;

/// This many are remembered that were asked for once.
const ASKED: usize = 16;

/// The command buffers of one stream.
#[derive(Default)]
pub(crate) struct CommandBufferCache {
    /// Null before the first.
    pool: vk::CommandPool,
    /// A command buffer of the pool that was recorded once, with nothing that does anything.
    prepared: Option<vk::CommandBuffer>,
    /// The latest that were asked for are at the front.
    list: Vec<Kept>,
    /// The digests of batches that were asked for lately and are not kept.
    asked: [u64; ASKED],
    /// The place of the oldest.
    oldest: usize,
    /// How many batches they were.
    pub(crate) used: u64,
}

struct Kept {
    digest: u64,
    launches: Box<[Launch]>,
    host_reads: bool,
    commands: vk::CommandBuffer,
    pools: Vec<DescriptorPool>,
    /// The value of the last batch that it is in.
    last: u64,
}

/// A launch as it is remembered.
struct Launch {
    barrier: Option<MemoryBarrier>,
    pipeline: Weak<Pipeline>,
    push: Box<[u8]>,
    bound_id: u64,
    groups: [u32; 3],
}

impl Launch {
    fn from_deferred(launch: &Deferred) -> Self {
        Launch {
            barrier: launch.barrier,
            pipeline: Arc::downgrade(&launch.pipeline),
            push: launch.push.as_slice().into(),
            bound_id: launch.bound_id,
            groups: launch.groups,
        }
    }

    fn is(&self, launch: &Deferred) -> bool {
        // The weak reference holds the place: no other pipeline is ever there.
        std::ptr::eq(self.pipeline.as_ptr(), Arc::as_ptr(&launch.pipeline))
            && self.push[..] == launch.push[..]
            && (self.bound_id, self.groups, self.barrier) == (launch.bound_id, launch.groups, launch.barrier)
    }
}

impl Kept {
    fn is(&self, digest: u64, launches: &[Deferred], host_reads: bool) -> bool {
        (self.digest, self.host_reads, self.launches.len()) == (digest, host_reads, launches.len())
            && self.launches.iter().zip(launches).all(|(kept, launch)| kept.is(launch))
    }
}

impl CommandBufferCache {
    /// A command buffer with these launches, to be submitted as a batch of this value, if they were asked for before. `host_reads`: with the
    /// barrier for the host's reads behind them; `completed`: what the stream has reached. The caller keeps what the launches need.
    pub(crate) fn get(
        &mut self,
        device: &DeviceInner,
        launches: &[Deferred],
        host_reads: bool,
        value: u64,
        completed: u64,
    ) -> Option<vk::CommandBuffer> {
        let digest = digest(launches, host_reads);
        if let Some(at) = self.list.iter().position(|kept| kept.is(digest, launches, host_reads)) {
            self.list[..=at].rotate_right(1);
            self.used += 1;
            return self.list.first_mut().map(|kept| {
                kept.last = value;
                kept.commands
            });
        }
        let Some(known) = self.asked.iter().position(|asked| *asked == digest) else {
            self.asked[self.oldest % ASKED] = digest;
            self.oldest += 1;
            return None;
        };
        let (commands, pools) = self.room(device, completed)?;
        let mut kept = Kept {
            digest,
            launches: launches.iter().map(Launch::from_deferred).collect(),
            host_reads,
            commands,
            pools,
            last: value,
        };
        // What cannot be kept is recorded as ever: that tells what is wrong.
        let recorded = kept.record(device, launches);
        self.asked[known] = 0;
        if recorded.is_err() {
            kept.forget();
            self.list.push(kept);
            return None;
        }
        self.list.insert(0, kept);
        self.used += 1;
        Some(commands)
    }

    /// Makes the pool and records a command buffer, while the device works. The first recording of a pool takes NVIDIA's driver 1.3 ms (H200,
    /// driver 580), for which the second launch of a kernel would wait otherwise. What fails here fails again when it is needed.
    pub(crate) fn prepare(&mut self, device: &DeviceInner) {
        if self.pool != vk::CommandPool::null() {
            return;
        }
        let prepared = self.allocate(device).and_then(|commands| {
            let info = vk::CommandBufferBeginInfo::default();
            // SAFETY: the command buffer is new; its pool is used under the stream's lock only.
            unsafe { device.raw.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;
            device.barrier(commands, &HOST_READ_BARRIER);
            // SAFETY: it is being recorded.
            unsafe { device.raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")?;
            Ok(commands)
        });
        self.prepared = prepared.ok();
    }

    /// A command buffer that nothing uses, and no pools: a new one, or the one that was not asked for for longest.
    fn room(
        &mut self,
        device: &DeviceInner,
        completed: u64,
    ) -> Option<(vk::CommandBuffer, Vec<DescriptorPool>)> {
        if self.list.len() < device.tune.keep {
            if let Some(commands) = self.prepared.take() {
                return Some((commands, Vec::new()));
            }
            return self.allocate(device).ok().map(|commands| (commands, Vec::new()));
        }
        let mut oldest = self.list.pop_if(|oldest| oldest.last <= completed)?;
        oldest.pools.drain(..).for_each(|pool| pool.destroy(device));
        Some((oldest.commands, oldest.pools))
    }

    fn allocate(&mut self, device: &DeviceInner) -> Result<vk::CommandBuffer, RuntimeError> {
        if self.pool == vk::CommandPool::null() {
            let info = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
                .queue_family_index(device.queue_family);
            // SAFETY: the device is alive and was made with this family.
            self.pool = unsafe { device.raw.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        }
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is alive and used under the stream's lock only.
        let buffers =
            unsafe { device.raw.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        let commands = buffers.first().copied().ok_or_else(|| RuntimeError::bug("no command buffer"))?;
        device.name(commands, "pumice kept");
        Ok(commands)
    }

    /// The device was lost, or waited for: it uses none of them any more.
    pub(crate) fn release(&mut self) {
        self.list.iter_mut().for_each(|kept| kept.last = 0);
    }

    /// Destroys them, with the stream; `completed`: what it has reached. A command buffer that the device may still use stays.
    pub(crate) fn destroy(&mut self, device: &DeviceInner, completed: u64) {
        let done = self.list.iter().all(|kept| kept.last <= completed);
        for pool in self.list.drain(..).flat_map(|kept| kept.pools).filter(|_| done) {
            pool.destroy(device);
        }
        if done {
            // SAFETY: of this device (or null), destroyed once; the device is done with its command buffers.
            unsafe { device.raw.destroy_command_pool(self.pool, None) };
        }
        self.prepared = None;
        self.pool = vk::CommandPool::null();
    }
}

impl Kept {
    fn record(&mut self, device: &DeviceInner, launches: &[Deferred]) -> Result<(), RuntimeError> {
        // The device may have it twice: the end of a copy is told before the timeline gets there.
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        let (raw, compute, commands) = (&device.raw, vk::PipelineBindPoint::COMPUTE, self.commands);
        // SAFETY: the command buffer is new, or the device is done with it and its pool lets it be reset; recorded under the stream's lock.
        unsafe { raw.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;
        for launch in launches {
            if let Some(barrier) = &launch.barrier {
                device.barrier(commands, barrier);
            }
            let (kernel, [x, y, z]) = (&*launch.kernel, launch.groups);
            // SAFETY: as above; pipeline and layout are alive, by the caller.
            unsafe { raw.cmd_bind_pipeline(commands, compute, launch.pipeline.raw) };
            if launch.bound_id != 0 {
                let mut pool = DescriptorPool::new(device, kernel.room, 1)?;
                let set = pool.take(device, kernel.set_layout, &kernel.room);
                self.pools.push(pool);
                let sets = [set?];
                fill_set(sets[0], kernel, &launch.bound);
                // SAFETY: as above; the set was made with this layout's set layout, and lives as long as what is recorded.
                unsafe { raw.cmd_bind_descriptor_sets(commands, compute, kernel.layout, 0, &sets, &[]) };
            }
            if !launch.push.is_empty() {
                let stages = vk::ShaderStageFlags::COMPUTE;
                // SAFETY: as above; the layout's range is exactly these bytes.
                unsafe { raw.cmd_push_constants(commands, kernel.layout, stages, 0, &launch.push) };
            }
            // SAFETY: as above; pipeline, descriptors and push constants are bound; counts are within the device's limits, as they were
            // checked for the launch.
            unsafe { raw.cmd_dispatch(commands, x, y, z) };
        }
        if self.host_reads {
            device.barrier(commands, &HOST_READ_BARRIER);
        }
        // SAFETY: it is being recorded.
        unsafe { raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")
    }

    /// It is nothing's any more.
    fn forget(&mut self) {
        (self.digest, self.launches, self.last) = (0, Box::default(), 0);
    }
}

/// A number that tells launches apart, mostly; never 0.
fn digest(launches: &[Deferred], host_reads: bool) -> u64 {
    let mut digest = FxHasher::default();
    digest.write_u8(host_reads.into());
    for launch in launches {
        digest.write_usize(Arc::as_ptr(&launch.pipeline).addr());
        digest.write(&launch.push);
        digest.write_u64(launch.bound_id);
        launch.groups.iter().for_each(|n| digest.write_u32(*n));
        digest.write_u32(launch.barrier.map_or(0, |barrier| barrier.src_access.as_raw() + 1));
    }
    digest.finish().max(1)
}

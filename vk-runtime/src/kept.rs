//! Command buffers that are recorded once and submitted again and again: one command each, behind all that was before it.
//!
//! To record a helper's launch takes NVIDIA's driver 1.3 µs (H200, driver 580: docs/svm.md). What a program asks for a second time in the
//! same words is kept from then on.

use ash::vk;

use crate::calls::MemoryBarrier;
use crate::device::DeviceInner;
use crate::error::{Call, RuntimeError};
use crate::hazards::{HOST_READ_BARRIER, READS_AND_WRITES};

/// So many are kept.
const KEPT: usize = 16;

/// What tells one command from another: all that is in its command buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launch<'a> {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    /// Push constants.
    pub(crate) push: &'a [u8],
    pub(crate) groups: u32,
    /// The host may read what it writes.
    pub(crate) host_reads: bool,
}

/// Those of one stream.
#[derive(Default)]
pub(crate) struct KeptCommands {
    /// Null before the first.
    pool: vk::CommandPool,
    list: Vec<Kept>,
    /// What was asked for lately and is not kept, the latest at the end.
    asked: Vec<Key>,
}

struct Kept {
    key: Key,
    commands: vk::CommandBuffer,
    /// The value of the last batch that it is in.
    last: u64,
}

/// A launch's own copy.
#[derive(PartialEq, Eq)]
struct Key {
    pipeline: vk::Pipeline,
    push: Box<[u8]>,
    groups: u32,
    host_reads: bool,
}

impl Key {
    fn of(launch: &Launch<'_>) -> Self {
        let Launch { pipeline, push, groups, host_reads, .. } = *launch;
        Key { pipeline, push: push.into(), groups, host_reads }
    }

    fn is(&self, launch: &Launch<'_>) -> bool {
        self.push[..] == *launch.push
            && (self.pipeline, self.groups, self.host_reads)
                == (launch.pipeline, launch.groups, launch.host_reads)
    }
}

impl KeptCommands {
    /// A command buffer with a launch, to be submitted as a batch of this value, if it was asked for before. `completed`: what the
    /// stream has reached. The caller keeps the pipeline and what the launch touches.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub(crate) fn get(
        &mut self,
        device: &DeviceInner,
        launch: &Launch<'_>,
        value: u64,
        completed: u64,
    ) -> Result<Option<vk::CommandBuffer>, RuntimeError> {
        if let Some(at) = self.list.iter().position(|kept| kept.key.is(launch)) {
            // The latest are found first.
            self.list[..=at].rotate_right(1);
            return Ok(self.list.first_mut().map(|kept| {
                kept.last = value;
                kept.commands
            }));
        }
        let Some(known) = self.asked.iter().position(|asked| asked.is(launch)) else {
            if self.asked.len() >= KEPT {
                self.asked.remove(0);
            }
            self.asked.push(Key::of(launch));
            return Ok(None);
        };
        // The one that was not used for longest makes room, if the device is done with it.
        let commands = match self.list.last() {
            Some(oldest) if self.list.len() >= KEPT && oldest.last > completed => return Ok(None),
            Some(_) if self.list.len() >= KEPT => self.list.pop().map(|oldest| oldest.commands),
            _ => None,
        };
        let commands = match commands {
            Some(commands) => commands,
            None => self.allocate(device)?,
        };
        record(device, commands, launch)?;
        let key = self.asked.remove(known);
        self.list.insert(0, Kept { key, commands, last: value });
        Ok(Some(commands))
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
        buffers.first().copied().ok_or_else(|| RuntimeError::bug("no command buffer"))
    }

    /// Destroys them, with the stream; `completed`: what it has reached. What the device may still use stays.
    pub(crate) fn destroy(&mut self, device: &DeviceInner, completed: u64) {
        if self.list.drain(..).all(|kept| kept.last <= completed) {
            // SAFETY: of this device (or null), destroyed once; the device is done with its command buffers.
            unsafe { device.raw.destroy_command_pool(self.pool, None) };
        }
        self.pool = vk::CommandPool::null();
    }
}

/// All that was before is done, and seen.
const BEHIND_ALL: MemoryBarrier = MemoryBarrier {
    src_stages: HOST_READ_BARRIER.src_stages,
    src_access: HOST_READ_BARRIER.src_access,
    dst_stages: vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
    ),
    dst_access: READS_AND_WRITES,
};

fn record(
    device: &DeviceInner,
    commands: vk::CommandBuffer,
    launch: &Launch<'_>,
) -> Result<(), RuntimeError> {
    // The device may have it twice: its end is told before the timeline gets there.
    let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
    let (raw, compute) = (&device.raw, vk::PipelineBindPoint::COMPUTE);
    // SAFETY: the command buffer is new, or the device is done with it and its pool lets it be reset; recorded under the stream's lock.
    unsafe { raw.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;
    device.barrier(commands, &BEHIND_ALL);
    // SAFETY: as above; pipeline and layout are alive, the layout's range is exactly these bytes, and the number of work-groups is within the
    // device's limits, by the caller.
    unsafe {
        raw.cmd_bind_pipeline(commands, compute, launch.pipeline);
        raw.cmd_push_constants(commands, launch.layout, vk::ShaderStageFlags::COMPUTE, 0, launch.push);
        raw.cmd_dispatch(commands, launch.groups, 1, 1);
    }
    if launch.host_reads {
        device.barrier(commands, &HOST_READ_BARRIER);
    }
    // SAFETY: it is being recorded.
    unsafe { raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")
}

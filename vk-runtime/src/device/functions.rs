//! Vulkan commands that are core in a newer version or come by an extension: addresses, timelines, barriers.

use std::time::Duration;

use ash::{khr, vk};
use lower::Target;

use crate::device::logical::DeviceInner;
use crate::device::physical::PhysicalDevice;
use crate::error::{Call, RuntimeError};
use crate::process::event_listener::{self, Activity};

/// Commands that are core in a newer version or come by an extension.
pub(crate) struct DeviceFunctions {
    address: Option<khr::buffer_device_address::Device>,
    timeline: Option<khr::timeline_semaphore::Device>,
    synchronization2: Option<khr::synchronization2::Device>,
}

impl DeviceFunctions {
    pub(crate) fn load(
        instance: &ash::Instance,
        raw: &ash::Device,
        physical: &PhysicalDevice,
        target: &Target,
    ) -> Self {
        let version = physical.info.properties.api_version.min(physical.instance.inner.api_version);
        let (v12, v13) = (version >= vk::API_VERSION_1_2, version >= vk::API_VERSION_1_3);
        let f = &target.features;
        DeviceFunctions {
            address: (f.buffer_device_address && !v12)
                .then(|| khr::buffer_device_address::Device::new(instance, raw)),
            timeline: (f.timeline_semaphore && !v12)
                .then(|| khr::timeline_semaphore::Device::new(instance, raw)),
            synchronization2: (f.synchronization2 && !v13)
                .then(|| khr::synchronization2::Device::new(instance, raw)),
        }
    }
}

impl DeviceInner {
    /// The address of a buffer made with SHADER_DEVICE_ADDRESS usage.
    pub(crate) fn buffer_address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.calls.address {
            // SAFETY: the feature is enabled; the buffer is alive, bound, and has the usage.
            Some(ext) => unsafe { ext.get_buffer_device_address(&info) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.get_buffer_device_address(&info) },
        }
    }

    /// vkWaitSemaphores on one timeline; false when the time is over.
    pub(crate) fn wait_timeline(
        &self,
        semaphore: vk::Semaphore,
        value: u64,
        timeout: u64,
    ) -> Result<bool, RuntimeError> {
        if self.modes.silence().is_some() {
            let reached = self.timeline_value(semaphore)? >= value;
            if !reached {
                std::thread::sleep(Duration::from_nanos(timeout));
            }
            return Ok(reached);
        }
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let start = event_listener::start();
        let waited = match &self.calls.timeline {
            // SAFETY: a live timeline semaphore of this device.
            Some(ext) => unsafe { ext.wait_semaphores(&info, timeout) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.wait_semaphores(&info, timeout) },
        };
        event_listener::report(Activity::Wait, start);
        match waited {
            Err(vk::Result::TIMEOUT) => Ok(false),
            other => other.call("vkWaitSemaphores").map(|()| true),
        }
    }

    /// vkGetSemaphoreCounterValue.
    pub(crate) fn timeline_value(&self, semaphore: vk::Semaphore) -> Result<u64, RuntimeError> {
        match self.modes.silence() {
            Some(silence) => silence.stands(semaphore, || self.counter_value(semaphore)),
            None => self.counter_value(semaphore),
        }
    }

    fn counter_value(&self, semaphore: vk::Semaphore) -> Result<u64, RuntimeError> {
        match &self.calls.timeline {
            // SAFETY: a live timeline semaphore of this device.
            Some(ext) => unsafe { ext.get_semaphore_counter_value(semaphore) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.get_semaphore_counter_value(semaphore) },
        }
        .call("vkGetSemaphoreCounterValue")
    }

    /// One global memory barrier, by synchronization2 where it is enabled.
    pub(crate) fn barrier(&self, commands: vk::CommandBuffer, barrier: &MemoryBarrier) {
        if self.target.features.synchronization2 {
            let barriers = [vk::MemoryBarrier2::default()
                .src_stage_mask(stages2(barrier.src_stages))
                .src_access_mask(access2(barrier.src_access))
                .dst_stage_mask(stages2(barrier.dst_stages))
                .dst_access_mask(access2(barrier.dst_access))];
            let info = vk::DependencyInfo::default().memory_barriers(&barriers);
            match &self.calls.synchronization2 {
                // SAFETY: the command buffer is being recorded under the queue's lock; the feature is enabled.
                Some(ext) => unsafe { ext.cmd_pipeline_barrier2(commands, &info) },
                // SAFETY: as above, with Vulkan 1.3.
                None => unsafe { self.raw.cmd_pipeline_barrier2(commands, &info) },
            }
        } else {
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(barrier.src_access)
                .dst_access_mask(barrier.dst_access)];
            // SAFETY: the command buffer is being recorded under the queue's lock.
            unsafe {
                self.raw.cmd_pipeline_barrier(
                    commands,
                    barrier.src_stages,
                    barrier.dst_stages,
                    vk::DependencyFlags::empty(),
                    &barriers,
                    &[],
                    &[],
                );
            }
        }
    }
}

/// A global memory barrier in Vulkan 1.0's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryBarrier {
    pub(crate) src_stages: vk::PipelineStageFlags,
    pub(crate) src_access: vk::AccessFlags,
    pub(crate) dst_stages: vk::PipelineStageFlags,
    pub(crate) dst_access: vk::AccessFlags,
}

/// The bits of Vulkan 1.0's stages mean the same in synchronization2.
fn stages2(stages: vk::PipelineStageFlags) -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::from_raw(stages.as_raw().into())
}

/// The bits of Vulkan 1.0's accesses mean the same in synchronization2.
fn access2(access: vk::AccessFlags) -> vk::AccessFlags2 {
    vk::AccessFlags2::from_raw(access.as_raw().into())
}

/// All that commands of ours do to memory.
pub(crate) const READS_AND_WRITES: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::TRANSFER_READ.as_raw()
        | vk::AccessFlags::TRANSFER_WRITE.as_raw()
        | vk::AccessFlags::SHADER_READ.as_raw()
        | vk::AccessFlags::SHADER_WRITE.as_raw()
        | vk::AccessFlags::UNIFORM_READ.as_raw(),
);

/// vkGetCalibratedTimestamps, by either of its names.
pub(crate) struct CalibratedTimestamps {
    pub(crate) call: vk::PFN_vkGetCalibratedTimestampsKHR,
}

/// Returns what is enabled for [`AddressMapping::Placed`](crate::AddressMapping::Placed).
pub(crate) fn load_map_memory2(
    instance: &ash::Instance,
    raw: &ash::Device,
    physical: &PhysicalDevice,
) -> Option<ash::khr::map_memory2::Device> {
    physical.info.present.map_memory_placed.then(|| ash::khr::map_memory2::Device::new(instance, raw))
}

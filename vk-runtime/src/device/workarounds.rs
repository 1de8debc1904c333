//! Driver quirks that concern the runtime; those that concern modules are `lower`'s ([`lower::quirks`]).

use ash::vk;
use lower::{Driver, Quirks};

use crate::device::physical::PhysicalDevice;

/// The workarounds of the runtime, driver by driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Workarounds {
    /// NVIDIA's driver states maxMemoryAllocationSize and maxBufferSize of 4 GiB, yet allocates and runs far larger
    /// buffers (16 GB measured on an H200, driver 580): only the heap's size limits a buffer.
    pub allocation_limit_is_heap: bool,
    /// NVIDIA's driver runs vkCmdCopyBuffer at 273 GB/s where a kernel copies at more than 2,000 (H200, driver 580): large
    /// copies and fills of device memory are done by kernels. Likewise vkCmdCopyBufferToImage: 90 GB/s in queues without graphics.
    pub slow_copies: bool,
    /// The exit handler of NVIDIA's driver crashes or hangs in a child by fork once the parent has a VkDevice, also without Pumice (H200,
    /// driver 580): a child ends before it.
    pub exits_badly_in_children: bool,
    /// NVIDIA's driver does not tell of a lost device by timelines: vkGetSemaphoreCounterValue succeeds and vkWaitSemaphores times out, vkQueueSubmit succeeds.
    /// vkWaitForFences fails with VK_ERROR_DEVICE_LOST, a second after the fault (H200, driver 580; docs/explanation/faults.md, `vulkan-faults` in bench): fences are asked, too
    /// ([`loss_watch`](crate::stream::loss_watch)). Vulkan wants it of vkWaitSemaphores ("Lost Device").
    pub timelines_hide_loss: bool,
    /// A kernel that reads where no memory is, at an odd address or outside of shared memory, never ends on NVIDIA's driver, and no call tells of it, until
    /// another process waits for the GPU (H200, driver 580; docs/explanation/faults.md, `vulkan-faults` in bench): a device that gets no further is
    /// [probed](crate::stream::fault_probe). A thread that waits long for a kernel gets an error.
    pub hides_faults: bool,
    /// The exit handler of NVIDIA's driver waits for the device's work without an end (H200, driver 580; docs/explanation/faults.md): a process that has given up on a
    /// device ends before it.
    pub waits_for_work_at_exit: bool,
    /// llvmpipe's vkGetQueryPoolResults waits for everything that the device has to do, whatever its flags (seen: Mesa 22.3; newer sources read alike).
    /// The device copies timestamps to host memory there, at the end of each batch.
    pub results_wait_for_all: bool,
    /// NVIDIA's compiler dies of one random program in some thousands (580, docs/archive/fuzzing-findings.md): it is called on threads that may
    /// (`process/crash_guard.rs`).
    pub compiler_may_crash: bool,
}

impl Workarounds {
    /// Returns what this device needs.
    #[must_use]
    pub fn for_device(physical: &PhysicalDevice) -> Self {
        Self::of_driver(physical.info.driver_id)
    }

    /// Returns the names of those in force.
    #[must_use]
    pub fn in_force(&self) -> Vec<&'static str> {
        // A field that is added is added here: the pattern has no rest.
        let Workarounds {
            allocation_limit_is_heap,
            slow_copies,
            exits_badly_in_children,
            timelines_hide_loss,
            hides_faults,
            waits_for_work_at_exit,
            results_wait_for_all,
            compiler_may_crash,
        } = *self;
        let all = [
            (allocation_limit_is_heap, "allocation_limit_is_heap"),
            (slow_copies, "slow_copies"),
            (exits_badly_in_children, "exits_badly_in_children"),
            (timelines_hide_loss, "timelines_hide_loss"),
            (hides_faults, "hides_faults"),
            (waits_for_work_at_exit, "waits_for_work_at_exit"),
            (results_wait_for_all, "results_wait_for_all"),
            (compiler_may_crash, "compiler_may_crash"),
        ];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
    }

    /// Returns what this driver needs.
    pub(crate) fn of_driver(driver: Option<vk::DriverId>) -> Self {
        let nvidia = known(driver) == Some(Driver::Nvidia);
        let llvmpipe = known(driver) == Some(Driver::Llvmpipe);
        Workarounds {
            allocation_limit_is_heap: nvidia,
            slow_copies: nvidia,
            exits_badly_in_children: nvidia,
            compiler_may_crash: nvidia,
            timelines_hide_loss: nvidia,
            hides_faults: nvidia,
            waits_for_work_at_exit: nvidia,
            results_wait_for_all: llvmpipe,
        }
    }
}

/// The driver, if anything is known of it.
fn known(driver: Option<vk::DriverId>) -> Option<Driver> {
    match driver? {
        vk::DriverId::NVIDIA_PROPRIETARY => Some(Driver::Nvidia),
        vk::DriverId::MESA_LLVMPIPE => Some(Driver::Llvmpipe),
        vk::DriverId::MESA_RADV => Some(Driver::Radv),
        vk::DriverId::GOOGLE_SWIFTSHADER => Some(Driver::SwiftShader),
        vk::DriverId::MESA_TURNIP => Some(Driver::Turnip),
        vk::DriverId::MESA_PANVK => Some(Driver::PanVk),
        vk::DriverId::MESA_AGXV => Some(Driver::Honeykrisp),
        vk::DriverId::INTEL_OPEN_SOURCE_MESA => Some(Driver::Anv),
        vk::DriverId::IMAGINATION_OPEN_SOURCE_MESA
        | vk::DriverId::MESA_V3DV
        | vk::DriverId::MESA_VENUS
        | vk::DriverId::MESA_DOZEN
        | vk::DriverId::MESA_NVK => Some(Driver::Mesa),
        _ => None,
    }
}

/// Returns what modules for this driver, which says so of itself, must avoid.
pub(crate) fn quirks(driver: Option<vk::DriverId>, info: &str) -> Quirks {
    Quirks::for_version(known(driver), lower::quirks::mesa_version(info))
}

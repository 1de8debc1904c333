//! Driver quirks.

use ash::vk;

use crate::physical::PhysicalDevice;

/// What is worked around, driver by driver: the only place that looks at a driver's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Workarounds {
    /// NVIDIA's driver states maxMemoryAllocationSize and maxBufferSize of 4 GiB, yet allocates and runs far larger
    /// buffers (16 GB measured on an H200, driver 580): only the heap's size limits a buffer.
    pub allocation_limit_is_heap: bool,
    /// Mesa's llvmpipe (22.3) makes a memory barrier a point where the work-items of a group wait for each other, one
    /// of an atomic's order too: in a loop that they leave at different times, those that stay are never resumed. Its
    /// read-modify-writes are sequentially consistent without an order, and stand for fences and ordered loads and stores.
    pub atomics_order_themselves: bool,
    /// Mesa's llvmpipe (22.3) makes a multiplication and an addition of an Fma, with two roundings; OpenCL's `fma` has one
    /// (OpenCL C §7.4).
    pub unfused_fma: bool,
    /// Mesa's llvmpipe (22.3) keeps for lanes that have left a loop only its phis: another value, used behind the loop, is what
    /// the loop's last turn gave, and a load gives a lane that has left zero.
    pub stale_loop_values: bool,
    /// NVIDIA's driver (580, on an H200) makes nonsense of (x << 8 | x >> 8) in 16 bits: zeros, or a register with an
    /// address. Its own instruction for it is what is wrong, not the shifts.
    pub wrong_byte_swaps: bool,
    /// NVIDIA's driver (580, on an H200) reads buffers as if nothing wrote them where another buffer of the module, of the same or
    /// of another entry point, is NonWritable: a load after a store of the same work-item gives what was there before.
    pub wrong_non_writable: bool,
    /// NVIDIA's GPUs compute with denormal doubles and have no other way (sums, products, quotients, roots and fused
    /// products of 131,072 doubles, a fifth of them denormal, had the exact bits on an H200); the driver does not say so in
    /// shaderDenormPreserveFloat64.
    pub denormal_doubles: bool,
    /// NVIDIA's driver runs vkCmdCopyBuffer at 273 GB/s where a kernel copies at more than 2,000 (H200, driver 580): large
    /// copies and fills of device memory are done by kernels.
    pub slow_copies: bool,
    /// NVIDIA's driver raises an interrupt with each value that a timeline gets, and none for anything else that a submission
    /// does: one processor of an H200's host handles them (driver 580), and a thread that launches and waits there has round trips
    /// of 40 µs in place of 12. So threads that wait step aside.
    pub signals_interrupt: bool,
}

impl Workarounds {
    /// What this device needs.
    pub(crate) fn of(physical: &PhysicalDevice) -> Self {
        Self::of_driver(physical.info.driver_id)
    }

    /// What this driver needs.
    pub(crate) fn of_driver(driver: Option<vk::DriverId>) -> Self {
        let nvidia = driver == Some(vk::DriverId::NVIDIA_PROPRIETARY);
        let llvmpipe = driver == Some(vk::DriverId::MESA_LLVMPIPE);
        Workarounds {
            allocation_limit_is_heap: nvidia,
            slow_copies: nvidia,
            signals_interrupt: nvidia,
            atomics_order_themselves: llvmpipe,
            unfused_fma: llvmpipe,
            stale_loop_values: llvmpipe,
            wrong_byte_swaps: nvidia,
            wrong_non_writable: nvidia,
            denormal_doubles: nvidia,
        }
    }
}

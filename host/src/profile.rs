//! The profile that a device has: the full one where the minima of the table of device queries (OpenCL API 3.1, §4.2) hold, else the
//! embedded one (the appendix on the OpenCL Embedded Profile), whose minima hold on any Vulkan device.

use lower::Target;
use vk_runtime::PhysicalDevice;

/// The number of a kernel's `__constant` arguments; they share descriptors where there are few.
pub const MAX_CONSTANT_ARGS: u32 = 128;
/// Bytes of a kernel's arguments. An argument block that does not fit the push constants goes into a buffer: the specification's
/// minimum, with its 128 arguments, always fits.
pub const MAX_PARAMETER_SIZE: usize = 1024;
/// The buffer for printf's output.
pub const PRINTF_BUFFER_SIZE: usize = 1 << 20;

// The full profile's minima.
const _: () = assert!(MAX_CONSTANT_ARGS >= 8 && MAX_PARAMETER_SIZE >= 1024 && PRINTF_BUFFER_SIZE >= 1 << 20);

/// The largest buffer. Without the address model a buffer over the range of a descriptor could not be given to a kernel.
#[must_use]
pub fn max_mem_alloc_size(physical: &PhysicalDevice, target: &Target) -> u64 {
    let size = physical.max_buffer_size();
    if target.has_address_model() { size } else { size.min(target.limits.max_storage_buffer_range) }
}

/// The features that keep a device from the full profile, masked as `target`; nothing where it has it.
#[must_use]
pub fn lacks_for_full_profile(physical: &PhysicalDevice, target: &Target) -> Vec<String> {
    lacks(target, max_mem_alloc_size(physical, target), physical.memory_size())
}

fn lacks(target: &Target, largest: u64, memory: u64) -> Vec<String> {
    let mut out = Vec::new();
    let least = (1u64 << 30).min(memory / 4).max(32 << 20);
    if largest < least {
        out.push(format!("buffers of {} MiB (it has {} MiB)", least.div_ceil(1 << 20), largest >> 20));
    }
    let local = target.limits.max_compute_shared_memory_size;
    if local < 32 << 10 {
        out.push(format!("32 KiB of local memory (it has {} KiB)", local >> 10));
    }
    if !target.features.shader_signed_zero_inf_nan_preserve[1] {
        out.push("infinities and NaNs of floats".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_full_profile_needs_is_named() {
        let mut target = Target {
            name: "a".to_owned(),
            api_version: (1, 2),
            features: lower::target::TargetFeatures::default(),
            limits: lower::target::TargetLimits::default(),
            quirks: lower::Quirks::default(),
        };
        target.features.shader_signed_zero_inf_nan_preserve = [false, true, false];
        target.limits.max_compute_shared_memory_size = 32 << 10;
        assert_eq!(lacks(&target, 1 << 30, 8 << 30), Vec::<String>::new());
        assert_eq!(lacks(&target, 32 << 20, 64 << 20), Vec::<String>::new(), "a quarter of the memory");
        assert_eq!(lacks(&target, 128 << 20, 4 << 30), ["buffers of 1024 MiB (it has 128 MiB)"]);
        target.limits.max_compute_shared_memory_size = 16 << 10;
        target.features.shader_signed_zero_inf_nan_preserve = [true, false, true];
        assert_eq!(
            lacks(&target, 1 << 30, 8 << 30),
            ["32 KiB of local memory (it has 16 KiB)", "infinities and NaNs of floats"]
        );
    }
}

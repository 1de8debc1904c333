//! `pumice devices`

use crate::error::CliError;
use crate::output;
use vk_runtime::{DeviceKind, Instance, InstanceOptions};

/// NVIDIA's number among the PCI vendors.
const NVIDIA: u32 = 0x10de;

/// Lists the devices.
///
/// # Errors
/// No Vulkan, or no device.
pub fn list() -> Result<(), CliError> {
    let devices = Instance::new(&InstanceOptions::default())?.devices()?;
    if devices.is_empty() {
        return Err(vk_runtime::no_device().into());
    }
    for (index, device) in devices.iter().enumerate() {
        let (major, minor, patch) = device.api_version();
        let target = device.target();
        output::line(format!("{index}: {}", device.name()))?;
        output::line(format!(
            "   {:?}, Vulkan {major}.{minor}.{patch}, driver {}",
            device.kind(),
            device.driver()
        ))?;
        if let Some(why) = device.below_floor() {
            output::line(format!("   not usable: {why}"))?;
            continue;
        }
        let mut options = frontend::options::Options::default();
        host::target::apply(target, &mut options);
        let lacking = host::version::lacks_for_3_1(options.features);
        output::line(match lacking.is_empty() {
            true => "   OpenCL 3.1".to_owned(),
            false => format!("   OpenCL 3.0; 3.1 needs {}", lacking.join(", ")),
        })?;
        let features = &target.features;
        let list: Vec<&str> = [
            (features.shader_int64, "int64"),
            (features.shader_float64, "fp64"),
            (features.shader_float16, "fp16"),
            (features.shader_int16, "int16"),
            (features.shader_int8, "int8"),
            (features.buffer_device_address, "device addresses"),
            (features.vulkan_memory_model, "Vulkan memory model"),
        ]
        .iter()
        .filter(|(has, _)| *has)
        .map(|(_, name)| *name)
        .collect();
        output::line(format!(
            "   {} MiB, work-group ≤ {}, local memory {} KiB, {}",
            device.memory_size() >> 20,
            target.limits.max_compute_work_group_invocations,
            target.limits.max_compute_shared_memory_size >> 10,
            if list.is_empty() { "no optional features".to_owned() } else { list.join(", ") }
        ))?;
        if device.vendor_id() == NVIDIA && device.kind() == DeviceKind::Discrete {
            output::line(match host::settings::keeps_clocks() {
                true => "   clocks are kept up (PUMICE_KEEP_CLOCKS)",
                false => "   clocks fall while it has little to do; PUMICE_KEEP_CLOCKS=1 keeps them up",
            })?;
        }
    }
    Ok(())
}

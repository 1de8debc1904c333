//! `pumice devices`

use crate::error::CliError;
use crate::output;
use host::{present, profile, programs};
use lower::Target;
use vk_runtime::{DeviceKind, Instance, PhysicalDevice};

/// NVIDIA's number among the PCI vendors.
const NVIDIA: u32 = 0x10de;

/// Lists the devices, and what they are presented as.
///
/// # Errors
/// No Vulkan, no device, or a `PUMICE_TARGET` that is no profile.
pub fn list() -> Result<(), CliError> {
    let devices = Instance::new(&host::settings::instance_options())?.devices()?;
    if devices.is_empty() {
        return Err(vk_runtime::no_device().into());
    }
    let mask = host::target::mask()?;
    for (index, device) in devices.iter().enumerate() {
        for line in describe(index, device, mask.as_ref()) {
            output::line(line)?;
        }
    }
    presented()
}

/// One device: its lines.
#[must_use]
pub fn describe(index: usize, device: &PhysicalDevice, mask: Option<&Target>) -> Vec<String> {
    let (major, minor, patch) = device.api_version();
    let mut lines = vec![
        format!("{index}: {}", device.name()),
        format!("   {:?}, Vulkan {major}.{minor}.{patch}, driver {}", device.kind(), device.driver()),
    ];
    if let Some(why) = device.below_floor() {
        lines.push(format!("   not usable: {why}"));
        return lines;
    }
    let target = match mask {
        Some(mask) => {
            lines.push("   masked by PUMICE_TARGET; as it is then:".to_owned());
            device.target().intersect(mask)
        }
        None => device.target().clone(),
    };
    let mut options = frontend::options::Options::default();
    host::target::apply(&target, &mut options);
    let lacking = host::version::lacks_for_3_1(options.features);
    lines.push(match lacking.is_empty() {
        true => "   OpenCL 3.1".to_owned(),
        false => format!("   OpenCL 3.0; 3.1 needs {}", lacking.join(", ")),
    });
    let lacking = profile::lacks_for_full_profile(device, &target);
    lines.push(match lacking.is_empty() {
        true => "   FULL_PROFILE".to_owned(),
        false => format!(
            "   EMBEDDED_PROFILE; the full one needs {}; PUMICE_PRESENT_PROFILE=full says that it is one",
            lacking.join(", ")
        ),
    });
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
    lines.push(format!(
        "   {} MiB, work-group ≤ {}, local memory {} KiB, {}",
        device.memory_size() >> 20,
        target.limits.max_compute_work_group_invocations,
        target.limits.max_compute_shared_memory_size >> 10,
        if list.is_empty() { "no optional features".to_owned() } else { list.join(", ") }
    ));
    if !matches!(device.kind(), DeviceKind::Cpu | DeviceKind::Integrated) {
        lines.push(
            "   memory of its own: CL_MEM_ALLOC_HOST_PTR buffers lie in it, and maps of them copy".to_owned(),
        );
    }
    if device.vendor_id() == NVIDIA && device.kind() == DeviceKind::Discrete {
        lines.push(match host::settings::keeps_clocks() {
            true => "   clocks are kept up (PUMICE_KEEP_CLOCKS)".to_owned(),
            false => {
                "   clocks fall while it has little to do; PUMICE_KEEP_CLOCKS=1 keeps them up".to_owned()
            }
        });
    }
    lines
}

/// What libpumice.so answers in place of the truth: to all programs by the environment, and to those that files name.
fn presented() -> Result<(), CliError> {
    for (name, value) in present::of_environment() {
        output::line(format!("presented to all programs: {name}={value} (environment)"))?;
    }
    for file in programs::files() {
        for program in &file.programs {
            for (name, value) in program.values.iter().filter(|(name, _)| present::is_one(name)) {
                let path = file.path.display();
                output::line(format!("presented to '{}': {name}={value} ('{path}')", program.name))?;
            }
        }
    }
    Ok(())
}

//! Vulkan devices: what each lacks for OpenCL, and what is known of its driver.

use super::machine::Machine;
use super::report::{Mark, Section};
use lower::quirks::Kind;
use lower::{Quirks, Target};
use vk_runtime::{Instance, PhysicalDevice, Workarounds};

/// Lists the devices.
pub fn check(machine: &Machine) -> Section {
    let mut section = Section::new("Devices");
    let instance = match Instance::new(&host::settings::instance_options()) {
        Ok(instance) => instance,
        Err(e) => {
            section.add(Mark::Wrong, e.to_string());
            return section;
        }
    };
    let mask = host::target::mask().unwrap_or_else(|e| {
        section.add(Mark::Wrong, format!("PUMICE_TARGET: {e}"));
        None
    });
    match instance.devices() {
        Ok(devices) => {
            for (index, device) in devices.iter().enumerate() {
                show(&mut section, index, device, mask.as_ref());
            }
            if let Err(e) = instance.usable() {
                section.add(Mark::Wrong, e.to_string());
            }
        }
        Err(e) => section.add(Mark::Wrong, e.to_string()),
    }
    if let Some(list) = machine.variable("PUMICE_DEVICE") {
        match instance.select_all(list) {
            Ok(chosen) => chosen.iter().for_each(|device| choice(&mut section, device)),
            Err(e) => section.add(Mark::Wrong, format!("PUMICE_DEVICE: {e}")),
        }
    }
    section
}

/// A device that `PUMICE_DEVICE` names.
fn choice(section: &mut Section, device: &PhysicalDevice) {
    match device.below_floor() {
        None => section.add(Mark::Note, format!("PUMICE_DEVICE takes {}", device.name())),
        Some(why) => {
            section.add(Mark::Wrong, format!("PUMICE_DEVICE: '{}' is unusable: {why}", device.name()))
        }
    }
}

fn show(section: &mut Section, index: usize, device: &PhysicalDevice, mask: Option<&Target>) {
    let mark = if device.below_floor().is_none() { Mark::Good } else { Mark::Note };
    let mut lines = crate::devices::describe(index, device, mask).into_iter();
    section.add(mark, lines.next().unwrap_or_default());
    for line in lines {
        section.add(Mark::More, line);
    }
    if device.below_floor().is_some() {
        return;
    }
    let quirks = &device.target().quirks;
    let faults = names(quirks, |kind| matches!(kind, Kind::WrongCode | Kind::Crash | Kind::Hang));
    let others = names(quirks, |kind| matches!(kind, Kind::Slow | Kind::MissingFeature));
    let runtime = Workarounds::for_device(device).in_force();
    for (what, list) in [
        ("known defects of the driver, worked around", faults),
        ("other workarounds (speed, missing features)", others),
        ("workarounds of the runtime", runtime),
    ] {
        if !list.is_empty() {
            section.add(Mark::More, format!("   {what}: {}", list.join(", ")));
        }
    }
}

fn names(quirks: &Quirks, of: impl Fn(Kind) -> bool) -> Vec<&'static str> {
    quirks.in_force().filter(|quirk| of(quirk.kind)).map(|quirk| quirk.name).collect()
}

//! Environment variables and files of settings.

use super::machine::Machine;
use super::report::{Mark, Section};
use host::settings;

/// Beginnings of the names of variables that change what Vulkan, its drivers and OpenCL loaders do.
const PREFIXES: [&str; 14] = [
    "VK_",
    "OCL_",
    "OPENCL_",
    "CL_",
    "PYOPENCL_",
    "MESA_",
    "LIBGL_",
    "LP_",
    "RADV_",
    "ANV_",
    "NVK_",
    "ZINK_",
    "CUDA_",
    "LD_",
];

/// The variables that are set, and those that are nearly called as settings are.
pub fn check(machine: &Machine) -> Section {
    let mut section = Section::new("Environment");
    for (name, value) in &machine.variables {
        if settings::is_unknown(name) {
            match settings::near(name) {
                Some(near) => section
                    .add(Mark::Wrong, format!("{name}={value}: no setting is called so; there is {near}")),
                None => section.add(Mark::Note, format!("{name}={value}: no setting is called so")),
            }
            continue;
        }
        if name.starts_with("PUMICE_") {
            match settings::problem(name, value).filter(|_| !value.is_empty()) {
                Some(why) => section.add(Mark::Wrong, format!("{name}={value}: {why}")),
                None => section.add(Mark::Note, format!("{name}={value}")),
            }
        } else if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            section.add(Mark::Note, format!("{name}={value}"));
        }
    }
    section
}

/// The files of settings that this process reads.
pub fn of_this_process(_machine: &Machine) -> Section {
    let mut section = Section::new("Settings for single programs");
    for file in host::programs::files() {
        section.add(Mark::Good, format!("{}: {} programs", file.path.display(), file.programs.len()));
        for program in &file.programs {
            for (name, value) in &program.values {
                section.add(Mark::Note, format!("for '{}': {name}={value}", program.name));
            }
        }
    }
    for problem in host::programs::problems() {
        section.add(Mark::Wrong, problem.as_str());
    }
    section
}

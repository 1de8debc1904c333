//! `pumice stats`: what the driver's compiler makes of each kernel.

use crate::cli::StatsArgs;
use crate::compile::Form;
use crate::error::CliError;
use crate::{compile, output, target};
use frontend::options::Options;
use std::path::Path;
use vk_runtime::Instance;
use vk_runtime::executable::Compiler;

/// RADV, where distributions put what tells the loader of it.
const RADV: [&str; 2] =
    ["/usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "/usr/share/vulkan/icd.d/radeon_icd.json"];

/// Runs the command.
///
/// # Errors
/// Anything that can go wrong.
pub fn command(args: &StatsArgs, mut options: Options) -> Result<(), CliError> {
    // The loader and the driver read the environment: another process has the one that they need.
    if let Some(chip) = args.chip.as_deref().filter(|_| std::env::var_os("RADV_FORCE_FAMILY").is_none()) {
        return on_null_device(chip);
    }
    let instance = Instance::new(&host::settings::instance_options())?;
    let physical = target::device(&instance, args.device.as_deref())?;
    let target = physical.target();
    host::target::apply(target, &mut options);
    let module = compile::opencl_spirv(&args.file, &options)?;
    // As nearly all launches have them.
    let form = Form { noalias: true, specialised: true, ..Form::default() };
    let lowered = compile::lower(&module, target, None, args.binding.choice(), form)?;
    let compiler = Compiler::new(&physical, target)?;
    let mut local = [1; 3];
    for (side, asked) in local.iter_mut().zip(&args.local) {
        *side = *asked;
    }
    let mut kernels = Vec::new();
    for kernel in &lowered.kernels {
        let size = kernel.reqd_work_group_size.unwrap_or(local);
        let found = compiler.statistics(&lowered.spirv, kernel, size)?;
        kernels.push((kernel, size, found));
    }
    if args.json {
        let list: Vec<_> = kernels
            .iter()
            .map(|(kernel, size, found)| {
                let found: serde_json::Map<_, _> =
                    found.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
                serde_json::json!({
                    "kernel": kernel.name,
                    "binding_model": kernel.binding_model,
                    "work_group_size": size,
                    "statistics": found,
                })
            })
            .collect();
        return output::line(format!(
            "{:#}",
            serde_json::json!({ "device": physical.name(), "kernels": list })
        ));
    }
    output::line(physical.name())?;
    for (kernel, [x, y, z], found) in kernels {
        output::line(format!("kernel {} ({:?} model, {x}x{y}x{z})", kernel.name, kernel.binding_model))?;
        for (name, value) in found {
            output::line(format!("  {name:28} {value}"))?;
        }
    }
    Ok(())
}

/// Runs this command again for RADV's null device.
fn on_null_device(chip: &str) -> Result<(), CliError> {
    let Some(icd) = RADV.into_iter().find(|file| Path::new(file).exists()) else {
        return Err(CliError::Failed(format!(
            "--chip needs RADV, Mesa's driver for AMD's GPUs ({}; Debian: apt install mesa-vulkan-drivers)",
            RADV[0]
        )));
    };
    let failed = |e: std::io::Error| CliError::Failed(format!("cannot run this program again: {e}"));
    let status = std::process::Command::new(std::env::current_exe().map_err(failed)?)
        .args(std::env::args_os().skip(1))
        .env("RADV_FORCE_FAMILY", chip)
        .env("VK_DRIVER_FILES", icd)
        .env("VK_ICD_FILENAMES", icd)
        .status()
        .map_err(failed)?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(CliError::Shown(u8::try_from(code).unwrap_or(1))),
        None => Err(CliError::Failed(format!("the driver's compiler ended with {status}"))),
    }
}

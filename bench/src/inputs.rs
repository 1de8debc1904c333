//! Inputs of measurements: source files and Targets.

use frontend::options::{AddressWidth, Features, MacroOption, Options};
use lower::Target;
use lower::profile::target_from_profile;
use std::path::{Path, PathBuf};

/// A source text and what tables call it.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Reads the files; with none, all kernels of `tests/kernels`.
///
/// # Errors
/// A message that names the file.
pub fn sources(files: &[PathBuf]) -> Result<Vec<Source>, String> {
    let mut files = files.to_vec();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        files
            .extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "cl")));
        files.sort();
    }
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        Ok(Source { name, text })
    };
    files.iter().map(read).collect()
}

/// Reads a Vulkan Profiles JSON.
///
/// # Errors
/// A message that names the file.
pub fn target(path: &Path) -> Result<Target, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    target_from_profile(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// A Target with what today's desktop drivers have, for when no profile is named.
pub fn usual_target() -> Target {
    let mut target = Target::minimum();
    target.name = "usual desktop".to_owned();
    target.api_version = (1, 3);
    let f = &mut target.features;
    for flag in [
        &mut f.shader_int64,
        &mut f.shader_int16,
        &mut f.shader_int8,
        &mut f.shader_float16,
        &mut f.shader_float64,
        &mut f.storage_buffer_8bit_access,
        &mut f.storage_buffer_16bit_access,
        &mut f.buffer_device_address,
        &mut f.vulkan_memory_model,
        &mut f.vulkan_memory_model_device_scope,
        &mut f.scalar_block_layout,
        &mut f.uniform_buffer_standard_layout,
        &mut f.maintenance4,
        &mut f.timeline_semaphore,
        &mut f.synchronization2,
        &mut f.non_semantic_info,
    ] {
        *flag = true;
    }
    target.limits.max_storage_buffer_range = u64::from(u32::MAX);
    target.limits.max_uniform_buffer_range = 65536;
    target.limits.max_push_constants_size = 256;
    target.limits.max_compute_shared_memory_size = 65536;
    target.limits.max_compute_work_group_invocations = 1024;
    target.limits.max_compute_work_group_size = [1024, 1024, 1024];
    target.limits.max_per_stage_descriptor_storage_buffers = 1 << 20;
    target
}

/// The front end's options for a Target, as `pumice compile` sets them.
pub fn options(target: &Target) -> Options {
    let features = &target.features;
    let address_width = if target.address_bits() == 64 { AddressWidth::Bits64 } else { AddressWidth::Bits32 };
    let mut on = Features::empty();
    on.set(Features::FP64, features.shader_float64);
    on.set(Features::FP16, features.shader_float16);
    on.set(Features::INT64, features.shader_int64);
    on |= host::target::images(target);
    Options { address_width, features: on, ..Options::default() }
}

/// `NAME` or `NAME=VALUE`, as `-D` takes it.
pub fn define(text: &str) -> MacroOption {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    MacroOption::Define { head: name.to_owned(), value: value.to_owned() }
}

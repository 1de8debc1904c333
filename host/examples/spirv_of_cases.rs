//! Lists a hash of the Vulkan SPIR-V of every case, kernel file and benchmark kernel, for every profile, binding model and variant: what
//! `scripts/compare-spirv` compares between two commits.
//!
//! `spirv_of_cases LIST [FOLDER PART]` writes the list. With a folder it writes the modules whose line contains `PART` there, too.
//! `COMPARE_DEVICES` selects devices by parts of their names, separated by commas.

use frontend::options::Options;
use lower::{BindingChoice, BindingModel, Driver, LowerOptions, Quirks, Target};
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A device of which modules are made.
struct Device {
    name: String,
    target: Target,
}

/// The folder for modules whose line contains a text.
struct Kept {
    folder: PathBuf,
    part: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let list = args.next().ok_or("usage: spirv_of_cases LIST [FOLDER PART]")?;
    let kept = match (args.next(), args.next()) {
        (Some(folder), Some(part)) => Some(Kept { folder: folder.into(), part }),
        _ => None,
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut files = Vec::new();
    for folder in ["cases", "kernels", "../bench/kernels"] {
        collect(&root.join(folder), "cl", &mut files)?;
    }
    let mut devices = devices(&root)?;
    if let Ok(parts) = std::env::var("COMPARE_DEVICES") {
        devices.retain(|device| parts.split(',').any(|part| device.name.contains(part)));
    }
    let (next, lines) = (AtomicUsize::new(0), Mutex::new(vec![String::new(); files.len()]));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else { break };
                    let text = lines_of(file, &root, &devices, kept.as_ref());
                    lines.lock().expect("no thread panics")[index] = text;
                }
            });
        }
    });
    std::fs::write(&list, lines.into_inner()?.concat())?;
    Ok(())
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
    Ok(())
}

/// Every profile with the driver that it names, and one device of wide features with every driver of which faults are known.
fn devices(root: &Path) -> Result<Vec<Device>, Box<dyn Error>> {
    let mut profiles = Vec::new();
    collect(&root.join("profiles"), "json", &mut profiles)?;
    let shared = root.join("../../shared/profiles");
    if shared.is_dir() {
        collect(&shared, "json", &mut profiles)?;
    }
    let mut devices = Vec::new();
    for path in &profiles {
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let target = host::target::read_profile(path)?;
        if name == "lavapipe" {
            for driver in Driver::names() {
                let quirks = Quirks::for_version(Driver::from_name(driver), Driver::version_in_name(driver));
                devices.push(Device {
                    name: format!("{name}+{driver}"),
                    target: Target { quirks, ..target.clone() },
                });
            }
        }
        devices.push(Device { name, target });
    }
    Ok(devices)
}

/// The variants that are lowered: a name and what the options say.
fn variants() -> Vec<(&'static str, LowerOptions)> {
    let own = LowerOptions { own_module: true, ..LowerOptions::default() };
    vec![
        ("auto", own.clone()),
        (
            "descriptor",
            LowerOptions { binding: BindingChoice::Prefer(BindingModel::Descriptor), ..own.clone() },
        ),
        ("long", LowerOptions { long_loops: true, ..own.clone() }),
        ("resume", LowerOptions { long_loops: true, resume: true, ..own.clone() }),
        (
            "all",
            LowerOptions {
                wide: true,
                large: true,
                noalias: true,
                specialised: true,
                non_uniform: true,
                ..own
            },
        ),
    ]
}

/// The lines of one file: file, device, variant, hash or error.
fn lines_of(file: &Path, root: &Path, devices: &[Device], kept: Option<&Kept>) -> String {
    let mut lines = String::new();
    let Ok(text) = std::fs::read_to_string(file) else { return lines };
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    for device in devices {
        let module = match module(&text, file, device) {
            Ok(module) => module,
            Err(error) => {
                let _ = writeln!(lines, "{name} {} not compiled: {error}", device.name);
                continue;
            }
        };
        for (variant, options) in variants() {
            let label = format!("{name} {} {variant}", device.name);
            let result = match lower::lower(&module, &device.target, &options) {
                Ok(lowered) => {
                    if let Some(kept) = kept.filter(|k| label.contains(&k.part)) {
                        let path = kept.folder.join(format!("{}.spv", label.replace(['/', ' '], "_")));
                        std::fs::write(path, spirv_io::words_to_bytes(&lowered.spirv))
                            .expect("the folder can be written");
                    }
                    let mut hash = DefaultHasher::new();
                    lowered.spirv.hash(&mut hash);
                    lowered.program_data.constants.bytes.hash(&mut hash);
                    format!("{:016x}", hash.finish())
                }
                Err(error) => format!("refused: {}", error.to_string().replace('\n', " ")),
            };
            let _ = writeln!(lines, "{label} {result}");
        }
    }
    lines
}

/// A file's OpenCL SPIR-V for a device, with the options that the case names.
fn module(text: &str, file: &Path, device: &Device) -> Result<Vec<u32>, String> {
    let mut options = Options::default();
    host::target::apply(&device.target, &mut options);
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("// options: ") {
            options.parse_build_options(words).map_err(|e| e.to_string())?;
        }
    }
    if let Some(folder) = file.parent() {
        options.include_dirs.push(folder.to_owned());
    }
    let compiled = frontend::compile("case.cl", text, &options);
    compiled.spirv.ok_or_else(|| compiled.diagnostics.summary().unwrap_or_default())
}

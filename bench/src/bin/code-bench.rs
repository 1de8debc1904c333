//! What RADV's compiler makes of the kernels, in both binding models: registers, instructions, latency. Its null
//! device needs no hardware, and the figures are the same every time.

use lower::kernel_info::BindingModel;
use lower::{BindingChoice, LowerOptions};
use pumice_bench::code::against::{self, Asked};
use pumice_bench::{inputs, table};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use vk_runtime::executable::Compiler;

const HELP: &str = "\
Usage: code-bench [--chip CHIP] [-D NAME=VALUE …] [FILE.cl …]
       code-bench --against FOLDER [--chip CHIP …] [--texts FOLDER] [--all] [--together] [FILE.cl …]

Compiles each kernel of each file (default: tests/kernels/*.cl) for RADV's null device and prints what
the driver says of the result. CHIP as RADV_FORCE_FAMILY has it: polaris10, navi21 (default), gfx1100 …

With --against, compares with another compiler's modules, FOLDER/tests/kernels/aes.spv of tests/kernels/aes.cl
and so on (default: the run-suite's cases, tests/kernels and bench/kernels): instructions weighted by the
loops around them, ratio of ours to theirs on each chip (default: polaris10, navi21, gfx1100), geometric
means, the worst 20 rows or with --all each. --texts writes what the driver shows of the code.
With --together ours are in the form for launches whose arguments share memory.
";
const ICD: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
/// Columns, and how RADV's names begin.
const COLUMNS: [(&str, &str); 8] = [
    ("vgprs", "VGPRs"),
    ("sgprs", "SGPRs"),
    ("spilled", "Spilled VGPRs"),
    ("scratch", "Scratch"),
    ("code B", "Code size"),
    ("instrs", "Instructions"),
    ("latency", "Latency"),
    ("inv.thr", "Inverse Throughput"),
];

fn main() -> ExitCode {
    let (mut chips, mut files, mut defines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut modules, mut texts, mut all, mut together) = (None, None, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--chip" => chips.extend(words.next()),
            "--against" => modules = words.next().map(PathBuf::from),
            "--texts" => texts = words.next().map(PathBuf::from),
            "--all" => all = true,
            "--together" => together = true,
            "-D" => defines.extend(words.next()),
            "--help" | "-h" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            file => files.push(PathBuf::from(file)),
        }
    }
    let on_chip = std::env::var_os("RADV_FORCE_FAMILY").is_some();
    let result = match modules {
        Some(modules) => {
            let asked = Asked { modules, chips, files, texts, all, together };
            if on_chip {
                against::compile_all(&asked)
            } else {
                installed().and_then(|()| against::compare(&asked, ICD))
            }
        }
        None if on_chip => run(&files, &defines),
        None => again(chips.last().map_or("navi21", String::as_str)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("code-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn installed() -> Result<(), String> {
    match std::path::Path::new(ICD).exists() {
        true => Ok(()),
        false => Err(format!("RADV is not installed ({ICD})")),
    }
}

/// Runs this program again with the environment that chooses the driver and the chip.
fn again(chip: &str) -> Result<(), String> {
    installed()?;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let status = Command::new(program)
        .args(std::env::args_os().skip(1))
        .env("RADV_FORCE_FAMILY", chip)
        .env("VK_DRIVER_FILES", ICD)
        .env("VK_ICD_FILENAMES", ICD)
        .status()
        .map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("failed on {chip}: {status}")) }
}

fn run(files: &[PathBuf], defines: &[String]) -> Result<(), String> {
    let instance =
        vk_runtime::Instance::new(&vk_runtime::InstanceOptions::default()).map_err(|e| e.to_string())?;
    let physical = instance.select(None).map_err(|e| e.to_string())?;
    let target = physical.target();
    println!("{}", physical.name());
    let compiler = Compiler::new(&physical, target).map_err(|e| e.to_string())?;
    let mut options = inputs::options(target);
    options.macros.extend(defines.iter().map(|d| inputs::define(d)));
    let mut rows = Vec::new();
    for source in inputs::sources(files)? {
        let Some(words) = frontend::compile(&source.name, &source.text, &options).spirv else {
            println!("{}: does not compile", source.name);
            continue;
        };
        for model in [BindingModel::Descriptor, BindingModel::Address] {
            let lower_options = LowerOptions {
                binding: BindingChoice::Fixed(model),
                apart: true,
                told: true,
                ..LowerOptions::default()
            };
            let lowered = match lower::lower(&words, target, &lower_options) {
                Ok(lowered) => lowered,
                Err(e) => {
                    println!("{}: {e}", source.name);
                    continue;
                }
            };
            for kernel in &lowered.kernels {
                let size = kernel.reqd_work_group_size.unwrap_or([64, 1, 1]);
                let mut row = vec![kernel.name.clone(), format!("{model:?}").to_lowercase()];
                match compiler.statistics(&lowered.spirv, kernel, size) {
                    Ok(found) => row.extend(COLUMNS.map(|(_, name)| {
                        let value = found.iter().find(|f| f.0.starts_with(name)).map(|f| f.1);
                        value.map_or_else(|| "-".to_owned(), |v| v.to_string())
                    })),
                    Err(e) => row.push(e.to_string()),
                }
                rows.push(row);
            }
        }
    }
    let mut header = vec!["kernel", "binding"];
    header.extend(COLUMNS.map(|c| c.0));
    table::print(&header, &rows);
    Ok(())
}

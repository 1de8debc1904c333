//! The code of RADV's compiler for the kernels, in both binding models: registers, instructions, latency. Its null
//! device needs no hardware, and the figures are the same every time. Compilers of more drivers are asked with --here.

use lower::kernel_info::BindingModel;
use lower::{BindingChoice, LowerOptions};
use pumice_bench::code::against::{self, Asked};
use pumice_bench::{inputs, table};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use vk_runtime::executable::Compiler;

const HELP: &str = "\
Usage: code-bench [--chip CHIP | --here] [-D NAME=VALUE …] [FILE.cl …]
       code-bench --against FOLDER [--chip CHIP … | --here] [--texts FOLDER] [--all] [--together] [FILE.cl …]

Compiles each kernel of each file (default: tests/kernels/*.cl) for RADV's null device and prints what
the driver says of the result. CHIP as RADV_FORCE_FAMILY has it: polaris10, navi21 (default), gfx1100 …

With --against, compares with another compiler's modules, FOLDER/tests/kernels/aes.spv of tests/kernels/aes.cl
and so on (default: the run-suite's cases, tests/kernels and bench/kernels): instructions weighted by the
loops around them, ratio of ours to theirs on each chip (default: polaris10, navi21, gfx1100), geometric
means, the worst 20 rows or with --all each. --texts writes what the driver shows of the code.
With --together ours are in the form for launches whose arguments share memory.

--here asks the Vulkan device that the environment chooses (VK_DRIVER_FILES, PUMICE_DEVICE) in place of RADV's:
Turnip, PanVK and ANV show their code, too (docs/results/performance.md).
";
const ICD: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
/// Columns, and how RADV's names begin, or Turnip's and ANV's.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("vgprs", &["VGPRs", "Registers used", "Max live registers"]),
    ("sgprs", &["SGPRs"]),
    ("spilled", &["Spilled VGPRs", "STP Count", "Spill Count"]),
    ("scratch", &["Scratch"]),
    ("code B", &["Code size", "Code Size"]),
    ("instrs", &["Instruction"]),
    ("latency", &["Latency", "Cycle Count"]),
    ("inv.thr", &["Inverse Throughput"]),
];

fn main() -> ExitCode {
    let (mut chips, mut files, mut defines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut modules, mut texts, mut all, mut together) = (None, None, false, false);
    let (mut here, mut alone) = (false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--chip" => chips.extend(words.next()),
            "--against" => modules = words.next().map(PathBuf::from),
            "--texts" => texts = words.next().map(PathBuf::from),
            "--all" => all = true,
            "--together" => together = true,
            "--here" => here = true,
            // The process that has the environment of one chip.
            against::ALONE => alone = true,
            "-D" => defines.extend(words.next()),
            "--help" | "-h" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            file => files.push(PathBuf::from(file)),
        }
    }
    let result = match modules {
        Some(modules) => {
            let asked = Asked { modules, chips, files, texts, all, together, here };
            match (alone, here) {
                (true, _) => against::compile_all(&asked),
                (false, true) => against::compare(&asked, ICD),
                (false, false) => installed().and_then(|()| against::compare(&asked, ICD)),
            }
        }
        None if alone || here => run(&files, &defines),
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
        .arg(against::ALONE)
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
                noalias: true,
                specialised: true,
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
                    Ok(found) => row.extend(COLUMNS.map(|(_, names)| {
                        let named = |f: &&(String, f64)| names.iter().any(|name| f.0.starts_with(name));
                        let value = found.iter().find(named).map(|f| f.1);
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

//! The run-suite on SwiftShader, Google's Vulkan driver for processors, which `./test` obtains, and on lavapipe masked with each profile of
//! `tests/profiles`. A run gives what it prints anywhere, or is refused by the name of what the device lacks; anything else fails.
//!
//! `PUMICE_TEST_TARGETS_TABLE=docs/results/data/targets.md cargo test -p pumice-tests --test all targets` writes what ran as a document; without it
//! SwiftShader's part is run alone. `PUMICE_TEST_DEVICES=phone-1.1,mali` runs these alone and tells each refusal.

use crate::cases::{Case, How, Run, all_cases, check_run, each, parse};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What devices lack, and what a refusal says of it. The first that fits is told.
const LACKS: &[(&str, &[&str])] = &[
    ("fp64", &["needs cl_khr_fp64", "shaderFloat64"]),
    ("fp16", &["needs cl_khr_fp16", "shaderFloat16"]),
    (
        "64-bit atomics",
        &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "needs 64-bit atomics"],
    ),
    ("clocks", &["__opencl_c_kernel_clock_scope"]),
    (
        "image formats",
        &[
            "STORAGE_WRITE_WITHOUT_FORMAT",
            "needs image support",
            "__opencl_c_read_write_images",
            "StorageImageReadWithoutFormat",
            "shaderStorageImageExtendedFormats",
        ],
    ),
    (
        "local size",
        &[
            "maxComputeSharedMemorySize",
            "maxComputeWorkGroup",
            "work-group size",
            "of local memory, of which it has",
        ],
    ),
    // What CL_DEVICE_ADDRESS_BITS says of size_t: with 32 such a launch is CL_INVALID_GLOBAL_OFFSET (API, clEnqueueNDRangeKernel).
    ("64-bit sizes", &["is above 4294967295"]),
    (
        "device addresses",
        &[
            "use the address model",
            "bufferDeviceAddress",
            "error[program-scope-address-space]",
            "addresses to be had",
        ],
    ),
    ("storage buffers", &["maxPerStageDescriptorStorageBuffers"]),
    ("sub-groups", &["needs __opencl_c_subgroups", "needs cl_khr_subgroups", "sub-groups of 32 work-items"]),
];

/// How many of [`LACKS`], from the first on, no lowering can make up for, or OpenCL itself refuses: runs that lack these are counted apart.
const NOT_TO_BE_HAD: usize = 7;

/// Names the devices to look at, with commas.
const DEVICES: &str = "PUMICE_TEST_DEVICES";

/// What [`Outcome::Runs`] is called.
const RUNS: &str = "runs";

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It gave what it gives anywhere.
    Runs,
    /// The device lacks this.
    Refused(&'static str),
    /// Neither; what it gave.
    Wrong(String),
}

fn outcome(case: &Case, run: &Run, path: &Path, how: &How<'_>) -> Outcome {
    let Err(problem) = check_run(case, run, path, how) else { return Outcome::Runs };
    let said = problem.starts_with("exit exit status: 1\n") || problem.starts_with("no '");
    if !said || problem.contains("the validation layers complained") {
        return Outcome::Wrong(problem);
    }
    if std::env::var_os(DEVICES).is_some() {
        let lines: Vec<&str> = problem.lines().take(4).collect();
        pumice_tests::tell(&format!("{}: {}", path.display(), lines.join(" ")));
    }
    let fits = |row: &&(&str, &[&str])| row.1.iter().any(|text| problem.contains(text));
    LACKS.iter().find(fits).map_or(Outcome::Wrong(problem.clone()), |row| Outcome::Refused(row.0))
}

/// For each case, by its path in the suite, what became of its runs.
type Outcomes = BTreeMap<String, Vec<Outcome>>;

/// What the run-suite runs on.
struct Device {
    name: String,
    driver: Option<PathBuf>,
    mask: Option<PathBuf>,
}

/// lavapipe masked with each profile that there is.
fn masked_devices() -> Vec<Device> {
    let folder = pumice_tests::root().join("profiles");
    let mut profiles = pumice_tests::files(&folder, "json");
    profiles.extend(pumice_tests::files(&folder.join("classes"), "json"));
    let device = |profile: PathBuf| Device {
        name: profile.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        driver: None,
        mask: Some(profile),
    };
    profiles.into_iter().map(device).collect()
}

fn run_all(device: &Device) -> Outcomes {
    let suite = pumice_tests::root().join("cases/run");
    let mut paths = Vec::new();
    all_cases(&suite, &mut paths);
    assert!(paths.len() >= 200, "the cases are there");
    if let Ok(part) = std::env::var("PUMICE_TEST_CASES") {
        paths.retain(|path| path.to_string_lossy().contains(&part));
    }
    let found = Mutex::new(Outcomes::new());
    let failures = each(&paths, |path| {
        let text = std::fs::read_to_string(path).expect("a case");
        let case = match parse(&text) {
            Ok(case) => case,
            Err(problem) => return Some(format!("{}: {problem}", path.display())),
        };
        let outcomes = case.runs.iter().map(|run| {
            // What runs in several models, or cannot have descriptors, runs in the one that suits the device.
            let binding = if let ["descriptor"] = run.bindings { "descriptor" } else { "auto" };
            let (driver, mask) = (device.driver.as_deref(), device.mask.as_deref());
            let how = How { binding, driver, mask, whatever_is_refused: true, ..How::default() };
            outcome(&case, run, path, &how)
        });
        let name = path.strip_prefix(&suite).unwrap_or(path).display().to_string();
        found.lock().expect("no panic").insert(name, outcomes.collect());
        None
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    found.into_inner().expect("no panic")
}

/// How many runs gave what.
fn counts<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for outcome in outcomes {
        let name = match outcome {
            Outcome::Runs => RUNS,
            Outcome::Refused(name) => name,
            Outcome::Wrong(_) => "WRONG",
        };
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

/// What `scripts/debian13` showed, which is not part of `./test`.
const DEBIAN_13: &str = "\
## lavapipe: Debian 12's and Debian 13's

`./test` runs the run-suite on the lavapipe that is installed (Debian 12: Mesa 22.3.6). `scripts/debian13` runs it on Debian 13's, whose
packages it unpacks into `target/debian13`. The quirks of llvmpipe go by its version (`Quirks::for_version`).

| | Mesa 22.3.6 | Mesa 25.0.7 |
|---|---|---|
| run/control/many_returns.cl: its compiler nests what stands behind a return, and crashes with 90 of them (`Quirks::nested_exits`) | avoided | avoided |
| more than 65,535 iterations of a work-item's loops, in kernels with barriers or `__local` memory | fails with a message | right |
| the other cases | right | right |
| ends loops, takes fences for barriers, spoils values of those that left loops, loses work-items at returns, overwrites indices, compares wide integers wrongly | avoided | not there, nothing is paid for it |
| joins the sign of one number with the rest of another wrongly on processors with AVX-512 (LLVM: run/math/joined_signs.cl; run/math/atan.cl was wrong by it on 25.0.7) | avoided | avoided |
| `fma` with two roundings, 8-bit linear filters | avoided | avoided |
";

/// Per cent of the runs that run, of those that could.
fn share(outcomes: &Outcomes) -> f64 {
    let all = counts(outcomes.values().flatten());
    let apart: usize = LACKS[..NOT_TO_BE_HAD].iter().filter_map(|row| all.get(row.0)).sum();
    let (ran, of) = (all.get(RUNS).copied().unwrap_or(0), all.values().sum::<usize>() - apart);
    100.0 * ran as f64 / of.max(1) as f64
}

fn document(found: &[(Device, Outcomes)]) -> String {
    let mut text = format!("# What runs where: every case\n\n{DEBIAN_13}\n## Devices with less\n\n");
    let layers =
        if pumice_tests::validate() == "1" { "validation layers silent" } else { "validation layers off" };
    let _ = write!(
        text,
        "The run-suite (`tests/cases/run`) on SwiftShader, Google's Vulkan driver for processors, as Debian's package \
         chromium-common\nhas it, and on lavapipe masked with profiles of our own writing: `tests/profiles`, and one for each class of \
         device in\n`tests/profiles/classes`; {layers}. A run gives the same as anywhere, or is refused by the name of what the\ndevice \
         lacks; it never gives anything else. A run that lacks several things is counted with the first. The share is that of\nthe runs that \
         need no fp64, no fp16, no 64-bit atomics, no clocks, no image formats and no local size that the device has not, nor sizes beyond\nthe \
         32 bits of its size_t, which the specification wants refused (CL_INVALID_GLOBAL_OFFSET).\n\n\
         Written by `PUMICE_TEST_TARGETS_TABLE=docs/results/data/targets.md cargo test -p pumice-tests --test all targets`; `./test` checks SwiftShader, \
         under the layers.\n\n| device | runs |",
    );
    for (name, _) in LACKS {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, " share |\n|---|---|{}---|", "---|".repeat(LACKS.len()));
    for (device, outcomes) in found {
        let all = counts(outcomes.values().flatten());
        let count = |name: &str| all.get(name).map_or(String::new(), usize::to_string);
        let _ = write!(text, "| {} | {} |", device.name, count(RUNS));
        for (name, _) in LACKS {
            let _ = write!(text, " {} |", count(name));
        }
        let _ = writeln!(text, " {:.1} % |", share(outcomes));
    }
    text.push_str("\nWhat is refused, where not all runs of a case run everywhere:\n\n| case |");
    for (device, _) in found {
        let _ = write!(text, " {} |", device.name);
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(found.len()));
    let Some((_, first)) = found.first() else { return text };
    let mut everywhere = 0;
    for case in first.keys() {
        let cell = |(_, outcomes): &(Device, Outcomes)| {
            let counted = counts(outcomes.get(case).into_iter().flatten());
            let refused = counted.into_iter().filter(|(name, _)| *name != RUNS);
            let words = refused.map(|(name, count)| match count {
                1 => name.to_owned(),
                _ => format!("{name} {count}"),
            });
            words.collect::<Vec<_>>().join(", ")
        };
        let cells: Vec<String> = found.iter().map(cell).collect();
        if cells.iter().all(String::is_empty) {
            everywhere += 1;
        } else {
            let _ = writeln!(text, "| {case} | {} |", cells.join(" | "));
        }
    }
    let _ = writeln!(text, "\nThe other {everywhere} cases run everywhere.");
    text
}

#[test]
fn targets() {
    let Some(driver) = pumice_tests::swiftshader() else {
        pumice_tests::tell(
            "targets: SKIPPED: no SwiftShader (./test obtains it where Debian's packages are)",
        );
        return;
    };
    let mut devices = vec![Device { name: "SwiftShader".to_owned(), driver: Some(driver), mask: None }];
    let table = std::env::var_os("PUMICE_TEST_TARGETS_TABLE");
    let chosen = std::env::var(DEVICES).ok();
    if table.is_some() || chosen.is_some() {
        devices.extend(masked_devices());
    }
    if let Some(names) = &chosen {
        devices.retain(|device| names.split(',').any(|name| name == device.name));
        assert!(!devices.is_empty(), "no device is called {names}");
    }
    let mut found = Vec::new();
    for device in devices {
        let outcomes = run_all(&device);
        let all = counts(outcomes.values().flatten());
        pumice_tests::tell(&format!("{}: {all:?}, {:.1} %", device.name, share(&outcomes)));
        found.push((device, outcomes));
    }
    if let Some(file) = table {
        // As seen from the repository, where cargo is called; it starts tests in their crate.
        let file = pumice_tests::root().join("..").join(file);
        std::fs::write(&file, document(&found)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
    let mut wrong = Vec::new();
    for (device, outcomes) in &found {
        for (case, outcome) in outcomes.iter().flat_map(|(case, all)| all.iter().map(move |o| (case, o))) {
            if let Outcome::Wrong(problem) = outcome {
                wrong.push(format!("--- {case} on {}\n{problem}", device.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A driver that refuses everything would agree with all of the above.
    let share = share(&found[0].1);
    assert!(
        chosen.is_some() || share >= 98.0 || std::env::var_os("PUMICE_TEST_CASES").is_some(),
        "{share} % of the runs"
    );
}

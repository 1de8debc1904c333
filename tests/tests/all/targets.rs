//! The run-suite on SwiftShader, Google's Vulkan driver for processors, which `./test` obtains. A run gives what it prints anywhere, or is refused
//! by the name of what the device lacks; anything else fails.
//!
//! `PUMICE_TEST_TARGETS_TABLE=docs/targets.md cargo test -p pumice-tests --test all targets` writes what ran as a document.

use crate::cases::{Case, How, Run, all_cases, check_run, each, parse};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// What devices lack, and what a refusal says of it. The first that fits is told.
const LACKS: &[(&str, &[&str])] = &[
    ("fp64", &["needs cl_khr_fp64", "shaderFloat64"]),
    ("fp16", &["needs cl_khr_fp16", "shaderFloat16"]),
    ("64-bit atomics", &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]),
    (
        "device addresses",
        &[
            "use the address model",
            "bufferDeviceAddress",
            "error[program-scope-address-space]",
            "addresses to be had",
        ],
    ),
    ("64-bit integers", &["needs __opencl_c_int64", "shaderInt64"]),
    (
        "image formats",
        &["STORAGE_WRITE_WITHOUT_FORMAT", "__opencl_c_read_write_images", "StorageImageReadWithoutFormat"],
    ),
    ("local memory", &["maxComputeSharedMemorySize"]),
];

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
    let fits = |row: &&(&str, &[&str])| row.1.iter().any(|text| problem.contains(text));
    LACKS.iter().find(fits).map_or(Outcome::Wrong(problem.clone()), |row| Outcome::Refused(row.0))
}

/// For each case, by its path in the suite, what became of its runs.
type Outcomes = BTreeMap<String, Vec<Outcome>>;

fn run_all(driver: &Path) -> Outcomes {
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
            // What runs in both models runs in the one that suits the device.
            let binding = if let [only] = run.bindings { only } else { "auto" };
            outcome(&case, run, path, &How { binding, driver: Some(driver), ..How::default() })
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
packages it unpacks into `target/debian13`. The quirks of llvmpipe go by its version (`Quirks::of_version`).

| | Mesa 22.3.6 | Mesa 25.0.7 |
|---|---|---|
| run/math/atan.cl, atanpi.cl | right | wrong: its Atan is farther off than 5 ulp |
| run/control/many_returns.cl | right | the driver's compiler crashes |
| run/loops: more than 65,535 turns of a work-item's loops | fails with a message | right |
| the other cases | right | right |
| ends loops, takes fences for barriers, spoils values of those that left loops, loses work-items at returns, overwrites indices, compares wide integers wrongly | avoided | not there, nothing is paid for it |
| `fma` with two roundings, 8-bit linear filters | avoided | avoided |
";

fn document(outcomes: &Outcomes) -> String {
    let mut text = format!("# What runs where\n\n{DEBIAN_13}\n## SwiftShader\n\n");
    text.push_str(
        "The run-suite (`tests/cases/run`) on SwiftShader, Google's Vulkan driver for processors, as Debian's package \
         chromium-common\nhas it, with the validation layers silent. A run gives the same as anywhere, or is refused by the name of what the \
         device lacks; it\nnever gives anything else. A run that lacks several things is counted with the first.\n\nWritten by \
         `PUMICE_TEST_TARGETS_TABLE=docs/targets.md cargo test -p pumice-tests --test all targets`; `./test` checks it.\n\n\
         | | runs |\n|---|---|\n",
    );
    let all = counts(outcomes.values().flatten());
    for name in [RUNS].into_iter().chain(LACKS.iter().map(|row| row.0)) {
        if let Some(count) = all.get(name) {
            let _ = writeln!(text, "| {}{name} | {count} |", if name == RUNS { "" } else { "refused: " });
        }
    }
    let _ = writeln!(text, "| together | {} |\n\n| case | |\n|---|---|", all.values().sum::<usize>());
    for (case, outcomes) in outcomes {
        let cell = counts(outcomes).into_iter().map(|(name, count)| match count {
            1 => name.to_owned(),
            _ => format!("{name} {count}"),
        });
        let _ = writeln!(text, "| {case} | {} |", cell.collect::<Vec<_>>().join(", "));
    }
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
    let found = run_all(&driver);
    let sums = counts(found.values().flatten());
    pumice_tests::tell(&format!("SwiftShader: {sums:?}"));
    if let Some(file) = std::env::var_os("PUMICE_TEST_TARGETS_TABLE") {
        std::fs::write(&file, document(&found)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
    let wrong = found.iter().flat_map(|(case, outcomes)| outcomes.iter().map(move |o| (case, o)));
    let wrong = wrong.filter_map(|(case, outcome)| match outcome {
        Outcome::Wrong(problem) => Some(format!("--- {case}\n{problem}")),
        _ => None,
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A driver that refuses everything would agree with all of the above.
    let (ran, all) = (sums.get(RUNS).copied().unwrap_or(0), sums.values().sum::<usize>());
    assert!(ran * 2 > all, "{ran} of {all} runs");
}

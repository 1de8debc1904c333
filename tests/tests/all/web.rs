//! The run-suite on WebGPU.
//!
//! [`run_suite`] compiles each run's kernel to WGSL, which naga has to accept, or notes by what it is refused. With `PUMICE_TEST_WEB=FOLDER` it writes the
//! runs to `jobs.json` there, which `web/test/run.mjs` runs in a browser. [`results`] compares `results.json` with the cases and writes the
//! table docs/results/web.md. `scripts/web --test` does all three.

use crate::cases::{Case, Run, all_cases, each, parse};
use clap::Parser;
use pumice_cli::arg_spec::{ArgData, ArgSpec};
use pumice_cli::array::Array;
use pumice_cli::cli::{Cli, Command, RunArgs, take_build_options};
use pumice_cli::run::{Wishes, assign, buffer_index};
use pumice_web::program::{Compiled, Settings, compile};
use pumice_web::target::Adapter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Names the folder for the browser's runs.
const FOLDER: &str = "PUMICE_TEST_WEB";

/// A reason of refusals.
struct Lack {
    name: &'static str,
    /// Whose limit it is.
    because: &'static str,
    /// What the messages say.
    says: &'static [&'static str],
}

const fn lack(name: &'static str, because: &'static str, says: &'static [&'static str]) -> Lack {
    Lack { name, because, says }
}

/// The reasons of refusals. The first that fits counts.
const LACKS: &[Lack] = &[
    lack("fp64", "WGSL has no doubles", &["cl_khr_fp64"]),
    lack(
        "fp16",
        "the adapter has no `shader-f16`; naga accepts the WGSL that is made for one that has",
        &["cl_khr_fp16"],
    ),
    lack("64-bit atomics", "WGSL has none", &["needs 64-bit atomics", "atom_add", "cl_khr_int64"]),
    lack("clocks", "WGSL has none", &["__opencl_c_kernel_clock_scope"]),
    lack("sub-group size", "the adapter has another size of sub-groups", &["(the device's have"]),
    lack(
        "uniform control flow",
        "fences beside atomics, and barriers of sub-groups, are barriers in WGSL, which all work-items must reach",
        &["must only be called from uniform control flow"],
    ),
    lack("sub-groups", "", &["sub-group", "subgroup", "sub_group", "intel_"]),
    lack(
        "ordered atomics",
        "WGSL has relaxed ones alone",
        &["memory_scope_", "memory_order_", "atomic_order", "atomic_scope"],
    ),
    lack("images", "", &["image", "Image", "sampler"]),
    lack("local memory", "", &["of local memory, of which it has"]),
    lack("private memory", "", &["bytes of private memory"]),
    lack(
        "64-bit sizes",
        "a dispatch of WebGPU has 32 bits",
        &[
            "above 4294967295",
            "global ids have 32 bits",
            "number too large",
            "invalid value",
            "invalid digit",
        ],
    ),
    lack(
        "work-group size",
        "",
        &[
            "do not divide",
            "exceed the device",
            "that exceeds the maximum allowed",
            "requires another work-group size",
        ],
    ),
    lack("nesting", "", &["recursive depth", "statement nesting depth"]),
    lack(
        "naga",
        "",
        &["introduced into the scope", "loop does not exit", "unresolved value '_e", "code is unreachable"],
    ),
];

/// Why a run of [`SPECIAL_FLOATS`] is none.
const SPECIAL: &str = "WGSL lets implementations assume that there are neither infinities nor NaNs";

/// Runs whose results depend on infinities, NaNs, denormals or the signs of zeros. WGSL lets a browser ignore all of these (WGSL, "Floating Point
/// Evaluation"), and Chromium's modules do not ask the driver to keep them.
const SPECIAL_FLOATS: &[&str] = &[
    "loops/one_iteration.cl#0",
    "math/constant_zeros.cl#0",
    "math/constant_zeros.cl#1",
    "math/products_with_zero.cl#0",
    "math/special_values_folded.cl#0",
    "math/zeros_of_folded_functions.cl#0",
    "ptx/float.cl#0",
];

/// What is no run for a browser: faults that the checking mode or the host finds.
const OTHER: &str = "of the host";

/// What WebGPU cannot have, or OpenCL itself refuses: such runs are not counted in the share.
const NOT_TO_BE_HAD: &[&str] = &[OTHER, "fp64", "fp16", "64-bit atomics", "clocks", "64-bit sizes"];

/// An argument of a run, for JavaScript.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
enum JobArg {
    /// Bytes, in hexadecimal.
    Buffer {
        bytes: String,
    },
    /// The buffer of another argument.
    Same {
        of: usize,
    },
    Null,
    /// Bytes, in hexadecimal.
    Value {
        bytes: String,
    },
    Local {
        bytes: u64,
    },
    /// Texels' bytes, in hexadecimal.
    Image {
        order: &'static str,
        #[serde(rename = "type")]
        channels: &'static str,
        size: [u32; 3],
        bytes: String,
    },
    /// OpenCL C's bits.
    Sampler {
        bits: u32,
    },
}

/// A run, for JavaScript.
#[derive(Debug, Serialize)]
struct Job {
    /// `PATH#NUMBER`.
    id: String,
    file: String,
    source: String,
    options: String,
    kernel: String,
    global: Vec<u64>,
    local: Option<Vec<u64>>,
    offset: Option<Vec<u64>>,
    repeat: u32,
    args: Vec<JobArg>,
}

/// What a browser made of a run.
#[derive(Debug, Deserialize)]
struct JobResult {
    id: String,
    error: Option<String>,
    /// The text of printf.
    #[serde(default)]
    text: String,
    /// The buffers of the arguments, in hexadecimal.
    #[serde(default)]
    buffers: BTreeMap<usize, String>,
}

/// What a run is, or why there is none.
enum Prepared {
    Job(Box<Job>),
    Refused(String),
    Other,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks_exact(2).filter_map(pair).collect()
}

/// The arguments of `pumice run` for a run of a case, and the words of build options among them.
fn run_args(path: &Path, run: &Run) -> Result<(RunArgs, Vec<String>), String> {
    let words = ["pumice".to_owned(), "run".to_owned(), path.display().to_string()];
    let words: Vec<String> = words.into_iter().chain(run.args.iter().cloned()).collect();
    let (rest, _) = take_build_options(words.clone()).map_err(|e| e.to_string())?;
    let options = words.into_iter().filter(|word| !rest.contains(word)).collect();
    match Cli::try_parse_from(rest).map_err(|e| e.to_string())?.command {
        Command::Run(args) => Ok((*args, options)),
        _ => Err("not a run".to_owned()),
    }
}

fn specs(args: &RunArgs) -> Result<Vec<ArgSpec>, String> {
    args.args.iter().map(|text| ArgSpec::parse(text)).collect::<Result<_, _>>().map_err(|e| e.to_string())
}

/// The first error of a compilation, for a kernel that it has not.
fn refusal(compiled: &Compiled) -> String {
    let error = compiled.messages.iter().find(|m| m.severity == "error");
    error.map_or("no error".to_owned(), |m| format!("{}: {}", m.id, m.message))
}

/// A case's source, as it was compiled for each set of build options.
struct Programs {
    file: String,
    source: String,
    compiled: BTreeMap<String, Compiled>,
}

/// What Chromium on SwiftShader offers beyond WebGPU's default limits, and `shader-f16`, which it does not: kernels with halves are compiled
/// here, and refused there. `web/test/run.html` asks for the same features.
fn offers() -> Adapter {
    let features = ["subgroups", "shader-f16"].map(str::to_owned).to_vec();
    Adapter { features, subgroup_sizes: Some([4, 4]), ..Adapter::default() }
}

impl Programs {
    fn get(&mut self, options: &str) -> Result<&Compiled, String> {
        if !self.compiled.contains_key(options) {
            let (options, file) = (options.to_owned(), Some(self.file.clone()));
            let settings = Settings { options, file, adapter: offers() };
            self.compiled.insert(settings.options.clone(), compile(&self.source, &settings)?);
        }
        self.compiled.get(options).ok_or_else(|| "nothing compiled".to_owned())
    }
}

fn prepare(
    name: &str,
    path: &Path,
    programs: &mut Programs,
    case: &Case,
    number: usize,
) -> Result<Prepared, String> {
    let run = &case.runs[number];
    let of_the_host = run.fails.is_some() || !run.reports.is_empty();
    if of_the_host || run.args.iter().any(|a| a.starts_with("--check") || a.starts_with("--loop-limit")) {
        return Ok(Prepared::Other);
    }
    let (args, mut options) = run_args(path, run)?;
    if !args.out.is_empty() || !args.expect.is_empty() || args.time {
        return Ok(Prepared::Other);
    }
    options.splice(0..0, case.options.iter().cloned());
    let (file, source, options) = (programs.file.clone(), programs.source.clone(), options.join(" "));
    let compiled = programs.get(&options)?;
    let program = compiled.program.as_ref();
    let Some(kernel) = program.and_then(|p| p.kernel(&args.kernel).ok()) else {
        return Ok(Prepared::Refused(refusal(compiled)));
    };
    if args.global.iter().chain(args.offset.iter().flatten()).any(|n| *n > u32::MAX.into()) {
        return Ok(Prepared::Refused("a size is above 4294967295".to_owned()));
    }
    let info = kernel.info();
    let data = assign(info, specs(&args)?).map_err(|e| e.to_string())?;
    let mut job_args = Vec::new();
    for arg in &data {
        job_args.push(match arg {
            ArgData::Buffer(array) => JobArg::Buffer { bytes: hex(&array.bytes) },
            ArgData::Same(other) => {
                JobArg::Same { of: buffer_index(info, &data, other).map_err(|e| e.to_string())? }
            }
            ArgData::Null => JobArg::Null,
            ArgData::Value(array) => JobArg::Value { bytes: hex(&array.bytes) },
            ArgData::Bytes(bytes) => JobArg::Value { bytes: hex(bytes) },
            ArgData::Local(bytes) => JobArg::Local { bytes: *bytes },
            ArgData::Image(image) => {
                let (order, channels) = image.format_names().ok_or("no such format")?;
                JobArg::Image { order, channels, size: image.queried_size(), bytes: hex(&image.texels.bytes) }
            }
            ArgData::Sampler(bits) => JobArg::Sampler { bits: *bits },
        });
    }
    Ok(Prepared::Job(Box::new(Job {
        id: format!("{name}#{number}"),
        file,
        source,
        options,
        kernel: args.kernel,
        global: args.global,
        local: args.local,
        offset: args.offset,
        repeat: args.repeat,
        args: job_args,
    })))
}

/// The cases of the run-suite by their names in it.
fn suite() -> Vec<(String, PathBuf)> {
    let root = pumice_tests::root().join("cases/run");
    let mut paths = Vec::new();
    all_cases(&root, &mut paths);
    if let Ok(part) = std::env::var("PUMICE_TEST_CASES") {
        paths.retain(|path| path.to_string_lossy().contains(&part));
    }
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    paths.into_iter().map(|path| (name(&path), path)).collect()
}

fn reason(message: &str) -> Option<&'static str> {
    let fits = |row: &&Lack| row.says.iter().any(|text| message.contains(text));
    LACKS.iter().find(fits).map(|row| row.name)
}

/// Calls `found` with each run of the suite as it is prepared. Gives the faults.
fn all_runs(
    found: impl Fn(String, &Case, Prepared, &mut Programs) -> Result<(), String> + Sync,
) -> Vec<String> {
    each(&suite(), |(name, path)| {
        let all = || {
            let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
            let case = parse(&source)?;
            let mut faults = Vec::new();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut programs = Programs { file, source, compiled: BTreeMap::new() };
            for number in 0..case.runs.len() {
                let id = format!("{name}#{number}");
                let prepared = prepare(name, path, &mut programs, &case, number);
                let done = prepared.and_then(|prepared| found(id.clone(), &case, prepared, &mut programs));
                faults.extend(
                    done.err().map(|why| if why.contains(&id) { why } else { format!("{id}: {why}") }),
                );
            }
            if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
        };
        all().err().map(|e: String| format!("--- {name}: {e}"))
    })
}

#[test]
fn run_suite() {
    let counts: Mutex<BTreeMap<&str, usize>> = Mutex::default();
    let jobs = Mutex::new(Vec::new());
    let faults = all_runs(|id, _, prepared, _| {
        let name = match prepared {
            Prepared::Job(job) => {
                jobs.lock().expect("no panic").push(job);
                "WGSL"
            }
            Prepared::Refused(why) => {
                if std::env::var_os("PUMICE_TEST_WEB_REFUSALS").is_some() {
                    pumice_tests::tell(&format!("{id}: {why}"));
                }
                reason(&why).ok_or(format!("{id}: no reason by name: {why}"))?
            }
            Prepared::Other => OTHER,
        };
        *counts.lock().expect("no panic").entry(name).or_default() += 1;
        Ok(())
    });
    let (counts, mut jobs) = (counts.into_inner().expect("no panic"), jobs.into_inner().expect("no panic"));
    pumice_tests::tell(&format!("web: {counts:?}"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if let Some(folder) = std::env::var_os(FOLDER) {
        jobs.sort_by(|a, b| a.id.cmp(&b.id));
        let text = serde_json::to_string(&jobs).expect("JSON");
        std::fs::write(Path::new(&folder).join("jobs.json"), text).expect("jobs.json is written");
    }
    let all: usize = counts.iter().filter(|(name, _)| !NOT_TO_BE_HAD.contains(name)).map(|(_, n)| n).sum();
    let share = 100 * counts.get("WGSL").copied().unwrap_or(0) / all.max(1);
    assert!(share >= 80 || std::env::var_os("PUMICE_TEST_CASES").is_some(), "{share} % of the runs");
}

/// What is wrong with a result; nothing if it is as the case says.
fn judge(
    path: &Path,
    case: &Case,
    job: &Job,
    result: &JobResult,
    programs: &mut Programs,
) -> Result<(), String> {
    let number = job.id.rsplit_once('#').and_then(|(_, number)| number.parse::<usize>().ok());
    let run = &case.runs[number.ok_or("no number")?];
    let (args, _) = run_args(path, run)?;
    let wishes = Wishes::parse(&args).map_err(|e| e.to_string())?;
    let program = programs.get(&job.options)?.program.as_ref().ok_or("no program")?;
    let info = program.kernel(&args.kernel)?.info();
    let data = assign(info, specs(&args)?).map_err(|e| e.to_string())?;
    let lines = wishes.printed(|name| {
        let index = buffer_index(info, &data, name)?;
        let array = match &data[index] {
            ArgData::Buffer(array) => array,
            ArgData::Image(image) => &image.texels,
            _ => return Ok(Array::from_fn(ty(), 0, |_| zero())),
        };
        let mut bytes = result.buffers.get(&index).map(|hex| bytes_of(hex)).unwrap_or_default();
        bytes.truncate(array.bytes.len());
        Ok(Array { ty: array.ty, bytes })
    });
    let lines = lines.map_err(|e| e.to_string())?;
    let got: Vec<&str> = result.text.lines().chain(lines.iter().map(String::as_str)).map(str::trim).collect();
    if got == run.prints { Ok(()) } else { Err(format!("gives {got:#?} instead of {:#?}", run.prints)) }
}

fn ty() -> pumice_cli::array::ElementType {
    pumice_cli::array::ElementType { scalar: pumice_cli::array::Scalar::Int, lanes: 1 }
}

fn zero() -> pumice_cli::array::Number {
    pumice_cli::array::Number::Int(0)
}

/// The WGSL of each kernel of tests/kernels, and of two cases, is as in tests/wgsl. `PUMICE_TEST_BLESS=1 cargo test -p pumice-tests --test all web::kernels` writes it.
#[test]
fn kernels() {
    let root = pumice_tests::root();
    let (sources, snapshots) = (root.join("kernels"), root.join("wgsl"));
    let bless = std::env::var_os("PUMICE_TEST_BLESS").is_some();
    let (mut faults, mut count) = (Vec::new(), 0);
    let entries = std::fs::read_dir(&sources).expect("tests/kernels").map(|e| e.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "cl")).collect();
    // Sub-groups, images.
    paths.extend(["groups/sub_group.cl", "images/copy.cl"].map(|case| root.join("cases/run").join(case)));
    paths.sort();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a kernel");
        let options = match path.strip_prefix(&sources) {
            Ok(kernel) if kernel == Path::new("vectors.cl") => "-DT=float".to_owned(),
            Ok(_) => String::new(),
            Err(_) => parse(&source).map(|case| case.options.join(" ")).unwrap_or_default(),
        };
        let settings = Settings { file: Some(file.clone()), adapter: offers(), options };
        let compiled = compile(&source, &settings).expect("no options");
        let mut text = String::new();
        let errors = compiled.messages.iter().filter(|m| m.severity == "error");
        faults.extend(errors.map(|m| format!("{file} is refused: {}", m.message)));
        for kernel in compiled.program.iter().flat_map(|p| p.kernels()) {
            let _ = writeln!(text, "// kernel {}\n{}", kernel.name(), kernel.wgsl());
            count += 1;
        }
        let snapshot = snapshots.join(format!("{file}.wgsl"));
        if bless {
            std::fs::create_dir_all(&snapshots).expect("a folder");
            std::fs::write(&snapshot, &text).expect("a snapshot");
        }
        let known = std::fs::read_to_string(&snapshot).unwrap_or_default();
        if known != text {
            let line = known.lines().zip(text.lines()).position(|(a, b)| a != b).unwrap_or(0);
            faults.push(format!("{} differs from line {} on", snapshot.display(), line + 1));
        }
    }
    // Eight thousand lines are no snapshot.
    let tree = std::fs::read_to_string(sources.join("large/call_tree.cl")).expect("a kernel");
    let tree = compile(&tree, &Settings::default()).expect("no options").program.expect("a program");
    assert!(tree.kernel("tree").is_ok_and(|kernel| kernel.wgsl().len() > 100_000));
    assert!(faults.is_empty(), "{}\nPUMICE_TEST_BLESS=1 writes them again", faults.join("\n"));
    assert!(count >= 32, "{count} kernels");
}

#[test]
fn results() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let Ok(text) = std::fs::read_to_string(folder.join("results.json")) else { return };
    let results: Vec<JobResult> = serde_json::from_str(&text).expect("results.json");
    let results: BTreeMap<String, JobResult> = results.into_iter().map(|r| (r.id.clone(), r)).collect();
    let paths: BTreeMap<String, PathBuf> = suite().into_iter().collect();
    let outcomes: Mutex<BTreeMap<String, String>> = Mutex::default();
    let faults = all_runs(|id, case, prepared, programs| {
        let outcome = match prepared {
            Prepared::Other => return Ok(()),
            Prepared::Refused(why) => reason(&why).ok_or(format!("{id}: no reason by name: {why}"))?,
            Prepared::Job(job) => {
                let result = results.get(&id).ok_or(format!("{id}: no result"))?;
                let (name, _) = job.id.rsplit_once('#').ok_or("no number")?;
                let judged = match &result.error {
                    Some(error) => Err(error.clone()),
                    None => judge(&paths[name], case, &job, result, programs),
                };
                match judged {
                    Ok(()) if SPECIAL_FLOATS.contains(&id.as_str()) => {
                        return Err(format!("{id}: runs, and is no longer one of special floats"));
                    }
                    Ok(()) => "runs",
                    Err(_) if SPECIAL_FLOATS.contains(&id.as_str()) => "special floats",
                    Err(why) if result.error.is_some() && reason(&why).is_some() => {
                        reason(&why).unwrap_or_default()
                    }
                    Err(why) => {
                        outcomes.lock().expect("no panic").insert(id.clone(), "WRONG".to_owned());
                        return Err(format!("{id}: {why}"));
                    }
                }
            }
        };
        outcomes.lock().expect("no panic").insert(id, outcome.to_owned());
        Ok(())
    });
    let outcomes = outcomes.into_inner().expect("no panic");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes.values() {
        *counts.entry(outcome).or_default() += 1;
    }
    pumice_tests::tell(&format!("web results: {counts:?}"));
    if let Some(file) = std::env::var_os("PUMICE_TEST_WEB_TABLE") {
        let file = pumice_tests::root().join("..").join(file);
        std::fs::write(&file, document(&outcomes)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The row of the random programs, from the summary that `scripts/web --programs` keeps.
fn programs() -> String {
    let file = pumice_tests::root().join("../docs/results/data/web-programs.txt");
    let Ok(summary) = std::fs::read_to_string(file) else { return String::new() };
    let numbers = |line: &str, before: &str| -> u64 {
        let rest = line.trim().strip_prefix(before).unwrap_or_default();
        rest.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let sum = |before: &str| summary.lines().map(|line| numbers(line, before)).sum::<u64>();
    let (all, right) = (sum("compare: "), sum("WebGPU: "));
    let (refused, failed) = (sum("refused "), sum("FAILED "));
    format!(
        "\nRandom programs (`scripts/web --programs {all}`; [fuzzing](../maintainers/fuzzing.md#programs-that-are-compared)), compared with an \
         interpreter, without\nwhat WebGPU has not: doubles, halves, parts of buffers, sub-groups, zeros and infinities as results.\n\n\
         | programs | as expected | refused | failed |\n|---|---|---|---|\n| {all} | {right} | {refused} | {failed} |\n"
    )
}

/// The rows of the path tracer in the browser beside the native one, from what `web/test/beside` keeps.
fn frames() -> String {
    let file = pumice_tests::root().join("../docs/results/data/web-frames.txt");
    let Ok(data) = std::fs::read_to_string(file) else { return String::new() };
    let line = |name: &str| data.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let numbers = |line: &str| -> Vec<f64> { line.split(' ').filter_map(|word| word.parse().ok()).collect() };
    let (native, browser) = (numbers(line("native")), numbers(line("browser")));
    let ([native, native_used], [browser, browser_used]) = (&native[..], &browser[..]) else {
        return String::new();
    };
    let (share, share_used) = (browser / native, native_used / browser_used);
    format!(
        "\nThe gallery's path tracer (384 × 256, one sample a frame) in turns natively and in Chromium, on Chromium's SwiftShader: medians of {} \
         rounds\n(`web/test/beside`; [where the difference comes from](../how-to/web.md#measurements)).\n\n\
         | | native | browser | share |\n|---|---|---|---|\n| frames a second | {native} | {browser} | {share:.2} |\n\
         | the processor's time for each, ms | {native_used} | {browser_used} | {share_used:.2} |\n",
        line("rounds")
    )
}

fn document(outcomes: &BTreeMap<String, String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes.values() {
        *counts.entry(outcome).or_default() += 1;
    }
    let runs = counts.get("runs").copied().unwrap_or(0);
    let mut text = format!(
        "# What runs in a browser\n\nThe run-suite (`tests/cases/run`) in Chromium on SwiftShader, by `pumice-web` with WebGPU's default \
         limits and sub-groups. A run gives the same as\nanywhere or is refused by name; WRONG is one that does neither. Runs that test the host's messages and the checking mode are not \
         counted.\n\nWritten by `scripts/web --test`.\n\n{runs} of {} runs run ({:.1} %).\n\n| outcome | runs | because |\n|---|---|---|\n",
        outcomes.len(),
        100.0 * runs as f64 / outcomes.len().max(1) as f64
    );
    for (outcome, count) in &counts {
        let because = LACKS.iter().find(|lack| lack.name == *outcome).map_or("", |lack| lack.because);
        let because = if *outcome == "special floats" { SPECIAL } else { because };
        let _ = writeln!(text, "| {outcome} | {count} | {because} |");
    }
    text.push_str(&programs());
    text.push_str(&frames());
    let mut cases: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (id, outcome) in outcomes.iter().filter(|(_, outcome)| *outcome != "runs") {
        let name = id.rsplit_once('#').map_or(id.as_str(), |(name, _)| name);
        *cases.entry(name).or_default().entry(outcome).or_default() += 1;
    }
    text.push_str("\n| case | refused runs |\n|---|---|\n");
    for (case, all) in cases {
        let words: Vec<String> = all.into_iter().map(|(why, n)| format!("{why} {n}")).collect();
        let _ = writeln!(text, "| {case} | {} |", words.join(", "));
    }
    text
}

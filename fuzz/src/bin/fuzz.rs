//! Random programs and random profiles, by the million.

use lower::Target;
use lower::profile::target_from_profile;
use pumice_fuzz::compare::command;
use pumice_fuzz::random::Random;
use pumice_fuzz::run::{self, LowerOutcome, Outcome, Watch};
use pumice_fuzz::{deep, grammar, mutate, sizes};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
Usage: fuzz TARGET [OPTIONS]

TARGET is what is tried:
  text      programs of this repository with some bytes changed
  tokens    programs of this repository with some tokens changed
  grammar   random programs that are valid: an error is a fault
  profile   Vulkan Profiles JSON with some tokens changed
  compare   random programs that are defined, run and compared with an interpreter: 'fuzz compare --help'
  sizes     programs with 3 to 300 of one construct, run and compared with the host: 'fuzz sizes --help'
  deep      one construct, nested or repeated 10 … 1,000,000 times, with a table of times
  FILE.cl   one program

Options:
  --seed N           where the random numbers begin (default 1)
  --runs N           how many (default: no end)
  --seconds N        how long on a CPU (default: no end)
  --lower FILE.json  the Vulkan profile to lower for (default: tests/profiles/swiftshader.json)
  --out DIR          where inputs with faults go (default: target/fuzz)
  --slow MS          more than this on a CPU is a fault (default: 1000)
  --print            print the input of --seed, and do not try it

A fault is a panic, a valid program refused, a module that the lowering calls wrong, or more time on a CPU than --slow.
The input of a run is in DIR/current while it is tried: it is the fault when the process dies.";

/// More than this on a CPU is a fault, when --slow says nothing else.
const SLOW: Duration = Duration::from_secs(1);

struct Args {
    target: String,
    seed: u64,
    runs: u64,
    seconds: u64,
    lower: PathBuf,
    out: PathBuf,
    slow: Duration,
    print: bool,
}

fn main() -> ExitCode {
    let command = || match std::env::args().nth(1).as_deref() {
        Some("compare") => command::command(std::env::args().skip(2)).map(|good| usize::from(!good)),
        Some("sizes") => sizes::command::command(std::env::args().skip(2)).map(|good| usize::from(!good)),
        _ => parse().and_then(|args| fuzz(&args)),
    };
    let work = move || match command() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    };
    let thread = std::thread::Builder::new().stack_size(run::STACK).spawn(work);
    thread.ok().and_then(|t| t.join().ok()).unwrap_or(ExitCode::FAILURE)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn parse() -> Result<Args, String> {
    let mut args = Args {
        target: String::new(),
        seed: 1,
        runs: u64::MAX,
        seconds: u64::MAX,
        lower: repository().join("tests/profiles/swiftshader.json"),
        out: repository().join("target/fuzz"),
        slow: SLOW,
        print: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("'{text}' is no number"));
        match word.as_str() {
            "--seed" => args.seed = number(value()?)?,
            "--runs" => args.runs = number(value()?)?,
            "--seconds" => args.seconds = number(value()?)?,
            "--slow" => args.slow = Duration::from_millis(number(value()?)?),
            "--lower" => args.lower = value()?.into(),
            "--out" => args.out = value()?.into(),
            "--print" => args.print = true,
            "--help" | "-h" => return Err(HELP.to_owned()),
            target => args.target = target.to_owned(),
        }
    }
    if args.target.is_empty() { Err(HELP.to_owned()) } else { Ok(args) }
}

/// All files below a folder with an ending.
fn files(folder: &Path, ending: &str, list: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, ending, list);
        } else if path.extension().is_some_and(|e| e == ending) {
            list.push(path);
        }
    }
}

fn texts(folders: &[&str], ending: &str) -> Vec<String> {
    let mut list = Vec::new();
    for folder in folders {
        files(&repository().join(folder), ending, &mut list);
    }
    list.iter().filter_map(|f| std::fs::read_to_string(f).ok()).collect()
}

/// The finding of a run: a short text that is the same for the same fault.
type Fault = Option<String>;

struct Fuzzer {
    target: Target,
    faults: BTreeMap<String, u64>,
    good: u64,
    lowered: u64,
    slowest: Duration,
    slow: Duration,
    out: PathBuf,
}

fn fuzz(args: &Args) -> Result<usize, String> {
    let text = std::fs::read_to_string(&args.lower).map_err(|e| format!("{}: {e}", args.lower.display()))?;
    let target = target_from_profile(&text).map_err(|e| format!("{}: {e}", args.lower.display()))?;
    std::fs::create_dir_all(&args.out).map_err(|e| format!("{}: {e}", args.out.display()))?;
    let mut fuzzer = Fuzzer {
        target,
        faults: BTreeMap::new(),
        good: 0,
        lowered: 0,
        slowest: Duration::ZERO,
        slow: args.slow,
        out: args.out.clone(),
    };
    let programs = || texts(&["tests/kernels", "tests/cases", "frontend/tests/corpus", "fuzz/corpus"], "cl");
    type Make = Box<dyn Fn(&mut Random) -> String>;
    let (make, ending): (Make, &str) = match args.target.as_str() {
        "text" => {
            let seeds = programs();
            (Box::new(move |r| mutate::bytes(r, &seeds)), "cl")
        }
        "tokens" => {
            let seeds = programs();
            (Box::new(move |r| mutate::tokens(r, &seeds)), "cl")
        }
        "grammar" => (Box::new(grammar::program), "cl"),
        "profile" => {
            let mut seeds = texts(&["tests/profiles"], "json");
            seeds.push(text);
            seeds.push(SMALL_PROFILE.to_owned());
            (Box::new(move |r| mutate::json(r, &seeds)), "json")
        }
        "deep" => return Ok(all_deep()),
        file => {
            let text = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
            let fault = fuzzer.program(&String::from_utf8_lossy(&text), false, false);
            println!("{}, {:?}", fault.as_deref().unwrap_or("no fault"), fuzzer.slowest);
            return Ok(usize::from(fault.is_some()));
        }
    };
    if args.print {
        println!("{}", make(&mut Random::new(args.seed)));
        return Ok(0);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let watch = Watch::start();
    let mut runs = 0;
    while runs < args.runs && watch.elapsed().as_secs() < args.seconds {
        let seed = args.seed.wrapping_add(runs);
        let input = make(&mut Random::new(seed));
        fuzzer.one(&input, ending, args.target == "grammar", seed);
        runs += 1;
        if runs % 100_000 == 0 {
            println!(
                "{runs} runs, {} s on a CPU, {} kinds of faults",
                watch.elapsed().as_secs(),
                fuzzer.faults.len()
            );
        }
    }
    println!(
        "{}: {runs} runs from seed {}, {} s on a CPU; {} compiled, {} lowered; the slowest took {:.0} ms; {} kinds of faults",
        args.target,
        args.seed,
        watch.elapsed().as_secs(),
        fuzzer.good,
        fuzzer.lowered,
        fuzzer.slowest.as_secs_f64() * 1000.0,
        fuzzer.faults.len()
    );
    for (fault, count) in &fuzzer.faults {
        println!("{count} times: {fault}");
    }
    Ok(fuzzer.faults.len())
}

/// A profile with little in it, so that changes hit what matters.
const SMALL_PROFILE: &str = r#"{ "$schema": "https://schema.khronos.org/vulkan/profiles-0.8-latest.json#",
"capabilities": { "device": { "extensions": { "VK_KHR_maintenance4": 1 },
"features": { "VkPhysicalDeviceFeatures": { "shaderInt64": true, "shaderFloat64": true },
"VkPhysicalDeviceVulkan12Features": { "bufferDeviceAddress": true, "shaderInt8": true } },
"properties": { "VkPhysicalDeviceProperties": { "apiVersion": 4206592, "deviceName": "small", "deviceType": 2,
"limits": { "maxComputeWorkGroupInvocations": 1024, "maxComputeWorkGroupSize": [1024, 1024, 64],
"maxComputeSharedMemorySize": 32768, "maxStorageBufferRange": 4294967295, "maxPushConstantsSize": 128 } } } } },
"profiles": { "device": { "version": 1, "api-version": "1.3.0", "label": "", "description": "",
"capabilities": ["device"] } } }"#;

impl Fuzzer {
    fn one(&mut self, input: &str, ending: &str, valid: bool, seed: u64) {
        // The file that is left when the process dies.
        let _ = std::fs::write(self.out.join("current"), input);
        let fault =
            if ending == "json" { self.profile(input) } else { self.program(input, valid, seed % 2 == 1) };
        let Some(fault) = fault else { return };
        let count = self.faults.entry(fault.clone()).or_default();
        *count += 1;
        if *count == 1 {
            let file = self.out.join(format!("fault-{seed}.{ending}"));
            let _ = std::fs::write(&file, input);
            println!("{}: {fault}", file.display());
        }
    }

    /// `debug`: with `-g`.
    fn program(&mut self, text: &str, valid: bool, debug: bool) -> Fault {
        let mut options = run::options_of(text);
        options.debug_info |= debug;
        let compiled = run::compile("k.cl", text, &options);
        self.slowest = self.slowest.max(compiled.time);
        match &compiled.outcome {
            Outcome::Panic(message) => return Some(format!("panic: {message}")),
            Outcome::Refused(message) if valid => return Some(format!("refused: {}", kind(message))),
            _ => {}
        }
        if compiled.time > self.slow {
            return Some("the front end is slow".to_owned());
        }
        let words = compiled.spirv?;
        self.good += 1;
        let (outcome, time) = run::lower(&words, &self.target);
        self.slowest = self.slowest.max(time);
        match outcome {
            LowerOutcome::Wrong(message) => Some(format!("the lowering says: {message}")),
            LowerOutcome::Panic(message) => Some(format!("panic in the lowering: {message}")),
            _ if time > self.slow => Some("the lowering is slow".to_owned()),
            LowerOutcome::Good => {
                self.lowered += 1;
                None
            }
            LowerOutcome::Refused(_) => None,
        }
    }

    fn profile(&mut self, text: &str) -> Fault {
        let watch = Watch::start();
        let result = std::panic::catch_unwind(|| target_from_profile(text));
        self.slowest = self.slowest.max(watch.elapsed());
        let target = match result {
            Err(_) => return Some("panic: reading a profile".to_owned()),
            Ok(Err(_)) => return None,
            Ok(Ok(target)) => target,
        };
        self.good += 1;
        // What the profile says must not surprise the lowering either.
        let text = "kernel void k(global int *p, local long *l, double d) \
                    { l[0] = d; barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] += l[0]; }";
        let words = run::compile("k.cl", text, &run::everything()).spirv?;
        let (outcome, time) = run::lower(&words, &target);
        self.slowest = self.slowest.max(time);
        match outcome {
            LowerOutcome::Wrong(message) => Some(format!("the lowering says: {message}")),
            LowerOutcome::Panic(message) => Some(format!("panic in the lowering: {message}")),
            LowerOutcome::Good => {
                self.lowered += 1;
                None
            }
            LowerOutcome::Refused(_) => None,
        }
    }
}

/// A diagnostic without its place and the names in it.
fn kind(message: &str) -> String {
    let text = message.split_once("error: ").map_or(message, |m| m.1);
    let mut parts = text.split('\'').enumerate();
    let mut short = String::new();
    for (n, part) in parts.by_ref() {
        short.push_str(if n % 2 == 0 { part } else { "'…'" });
    }
    short
}

/// The table of [`deep`]; how many were too slow or panicked.
fn all_deep() -> usize {
    let mut bad = 0;
    for shape in deep::SHAPES {
        let mut row = format!("{:<26}", shape.name);
        for n in [10, 100, 1000, 10_000, 100_000, 1_000_000] {
            // Sizes whose text alone is beyond what anybody writes are left out.
            let text = shape.program(n);
            if text.len() > 4 << 20 {
                break;
            }
            let compiled = run::compile("k.cl", &text, &run::everything());
            let slow = compiled.time > SLOW;
            let what = match &compiled.outcome {
                Outcome::Good(_) => "good",
                Outcome::Refused(_) => "error",
                Outcome::Panic(_) => "PANIC",
            };
            bad += usize::from(slow || what == "PANIC");
            row += &format!(
                " {n}: {what} {:.0}ms{}",
                compiled.time.as_secs_f64() * 1e3,
                if slow { " SLOW" } else { "" }
            );
            if slow {
                break;
            }
        }
        println!("{row}");
    }
    bad
}

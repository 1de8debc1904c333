//! `fuzz compare`: the command around [`compare`](super::compare()).
//!
//! The work is done by a child process, since a driver that is given wrong code may end the process or never come back:
//! the parent then notes the program's seed and starts another child behind it.

use super::{Failure, Features, Lowering, Progress, Report, Runner, Settings, Vulkan, compare, show};
use lower::Target;
use lower::profile::target_from_profile;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// What `fuzz compare --help` says.
pub const HELP: &str = "\
Usage: fuzz compare [OPTIONS]

Makes random OpenCL C programs that are defined, executes each with an interpreter, and runs it in both binding models on
a Vulkan device: every buffer must hold the same.

Options:
  --seed N           the first program (default 1)
  --count M          how many (default 1000)
  --device D         the Vulkan device, by index or by a part of its name
  --mask FILE        restricts the device to a Vulkan profile
  --model M          descriptor or address alone
  --target FILE      no device: lowers for this profile, and counts refusals (may be given several times)
  --without F        leaves a feature out: int64, generic, stored, aliases, null-arguments, punning, globals, tables
  --out DIR          where cases of failures go (default: target/fuzz)
  --no-shrink        failures are left as large as they are
  --seconds N        a program that takes longer is a failure (default 120)
  --show             prints the case of --seed and does not run it

With another OpenCL in place of Vulkan: `cargo run -p pumice-bench --bin opencl-compare -- --opencl DRIVER.so`.
Failures are shown with their seeds and written as cases; the exit code is 1 if there are any.";

/// The arguments.
#[derive(Debug, Clone)]
pub struct Args {
    /// What to make.
    pub settings: Settings,
    device: Option<String>,
    mask: Option<PathBuf>,
    model: Option<String>,
    targets: Vec<PathBuf>,
    seconds: u64,
    show: bool,
    worker: bool,
    /// Options that are not of this command.
    pub others: Vec<(String, String)>,
}

/// Reads the arguments; `others` names further options, each with a value.
///
/// # Errors
/// A message for the user.
pub fn parse(words: impl Iterator<Item = String>, others: &[&str]) -> Result<Args, String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut args = Args {
        settings: Settings {
            seed: 1,
            count: 1000,
            features: Features::default(),
            out: Some(root.join("target/fuzz")),
            shrink: true,
        },
        device: None,
        mask: None,
        model: None,
        targets: vec![],
        seconds: 120,
        show: false,
        worker: false,
        others: vec![],
    };
    let mut words = words;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("'{text}' is no number"));
        match word.as_str() {
            "--seed" => args.settings.seed = number(value()?)?,
            "--count" => args.settings.count = number(value()?)?,
            "--device" => args.device = Some(value()?),
            "--mask" => args.mask = Some(value()?.into()),
            "--model" => args.model = Some(value()?),
            "--target" => args.targets.push(value()?.into()),
            "--out" => args.settings.out = Some(value()?.into()),
            "--seconds" => args.seconds = number(value()?)?,
            "--no-shrink" => args.settings.shrink = false,
            "--show" => args.show = true,
            "--worker" => args.worker = true,
            "--without" => {
                let name = value()?;
                if !args.settings.features.without(&name) {
                    return Err(format!("'{name}' is none of {}", Features::NAMES.join(", ")));
                }
            }
            word if others.contains(&word) => args.others.push((word.to_owned(), value()?)),
            _ => return Err(HELP.to_owned()),
        }
    }
    Ok(args)
}

/// Runs the command; how many kinds of failures there are.
///
/// # Errors
/// A message for the user.
pub fn command(words: impl Iterator<Item = String>) -> Result<usize, String> {
    let words: Vec<String> = words.collect();
    let mut args = parse(words.iter().cloned(), &[])?;
    if args.worker || args.show {
        let mut runner = runner(&mut args)?;
        return work(&args, runner.as_mut());
    }
    supervise(&args, &words)
}

fn profile(path: &PathBuf) -> Result<Target, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    target_from_profile(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// What runs the cases. A device without 64-bit integers gets programs without them.
fn runner(args: &mut Args) -> Result<Box<dyn Runner>, String> {
    let targets = args.targets.iter().map(profile).collect::<Result<Vec<_>, _>>()?;
    if !targets.is_empty() {
        args.settings.features.int64 &= targets.iter().all(|t| t.features.shader_int64);
        return Ok(Box::new(Lowering::new(targets)));
    }
    let mask = args.mask.as_ref().map(profile).transpose()?;
    let vulkan = Vulkan::open(args.device.as_deref(), mask.as_ref(), args.model.as_deref())?;
    args.settings.features.int64 &= vulkan.target().features.shader_int64;
    println!("device {}", vulkan.device());
    Ok(Box::new(vulkan))
}

/// The child's part: runs everything in this process, and says on standard output how far it is.
///
/// # Errors
/// A message for the user.
pub fn work(args: &Args, runner: &mut dyn Runner) -> Result<usize, String> {
    if args.show {
        let text = show(args.settings.seed, &args.settings.features);
        println!("{}", text.ok_or("no program of this seed is defined")?);
        return Ok(0);
    }
    let mut shown = 0;
    let mut failed = |report: &Report| {
        for Failure { kind, seed, case } in report.failures.iter().skip(shown) {
            println!("failure {seed} {kind}");
            log::debug!("{case}");
        }
        shown = report.failures.len();
    };
    let report = compare(&args.settings, runner, |progress, report| {
        failed(report);
        match progress {
            Progress::Seed(seed) => println!("seed {seed}"),
            Progress::Shrinking => println!("shrinking"),
        }
        let _ = std::io::stdout().flush();
    });
    failed(&report);
    println!("programs {}", report.programs);
    println!("good {}", report.good);
    for (reason, count) in &report.rejected {
        println!("rejected {count} {reason}");
    }
    for (reason, count) in &report.refusals {
        println!("refused {count} {reason}");
    }
    println!("end 0");
    Ok(report.failures.len())
}

/// Everything that children said.
#[derive(Default)]
struct Sum {
    device: String,
    programs: u64,
    good: u64,
    rejected: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    failures: BTreeMap<String, Vec<u64>>,
    done: u64,
    ended: bool,
}

impl Sum {
    fn line(&mut self, line: &str) -> Option<u64> {
        let (word, rest) = line.split_once(' ')?;
        let counted = || {
            let (count, text) = rest.split_once(' ')?;
            Some((count.parse::<u64>().ok()?, text.to_owned()))
        };
        match word {
            "seed" => {
                self.done += 1;
                return rest.parse().ok();
            }
            "end" => self.ended = true,
            "device" => self.device = rest.to_owned(),
            "programs" => self.programs += rest.parse().unwrap_or(0),
            "good" => self.good += rest.parse().unwrap_or(0),
            "rejected" => counted().into_iter().for_each(|(n, t)| *self.rejected.entry(t).or_default() += n),
            "refused" => counted().into_iter().for_each(|(n, t)| *self.refused.entry(t).or_default() += n),
            "failure" => {
                if let Some((seed, text)) = counted() {
                    println!("seed {seed}: {text}");
                    self.failures.entry(text).or_default().push(seed);
                }
            }
            _ => {}
        }
        None
    }
}

/// The parent's part.
fn supervise(args: &Args, words: &[String]) -> Result<usize, String> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let end = args.settings.seed.saturating_add(args.settings.count);
    let mut next = args.settings.seed;
    let mut sum = Sum::default();
    while next < end {
        let mut child = Command::new(&me)
            .arg("compare")
            .args(words)
            .args(["--worker", "--seed", &next.to_string(), "--count", &(end - next).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let output = child.stdout.take().ok_or("no output")?;
        let (send, receive) = channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut current = None;
        let mut hangs = false;
        loop {
            match receive.recv_timeout(Duration::from_secs(args.seconds)) {
                Ok(line) => {
                    if let Some(seed) = sum.line(&line) {
                        current = Some(seed);
                        if sum.done % 1000 == 0 {
                            println!("{} programs, {} kinds of failures", sum.done, sum.failures.len());
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    hangs = true;
                    let _ = child.kill();
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        let _ = reader.join();
        if sum.ended {
            break;
        }
        let Some(seed) = current else { return Err("the comparison does not start".to_owned()) };
        let what = if hangs { "it does not end".to_owned() } else { format!("the process dies: {status}") };
        println!("seed {seed}: {what}");
        sum.failures.entry(what).or_default().push(seed);
        // What it had counted is lost with it.
        sum.programs += seed.saturating_sub(next);
        next = seed.saturating_add(1);
    }
    summary(args, &sum);
    Ok(sum.failures.len())
}

fn summary(args: &Args, sum: &Sum) {
    println!(
        "compare: {} programs from seed {}{}; {} runs as expected; {} kinds of failures",
        sum.programs,
        args.settings.seed,
        if sum.device.is_empty() { String::new() } else { format!(" on {}", sum.device) },
        sum.good,
        sum.failures.len()
    );
    for (what, count) in &sum.rejected {
        println!("  made anew {count} times: {what}");
    }
    for (what, count) in &sum.refused {
        println!("  refused {count} times: {what}");
    }
    for (what, seeds) in &sum.failures {
        println!("FAILED {} times: {what}; seeds {:?}", seeds.len(), &seeds[..seeds.len().min(8)]);
    }
}

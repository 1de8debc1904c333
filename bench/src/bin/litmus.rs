//! Litmus tests of memory order on an OpenCL library.

use pumice_bench::litmus::run::{self, Config, Count, Effort, Report};
use pumice_bench::opencl::{Library, Result};
use std::process::ExitCode;

const HELP: &str = "\
Usage: litmus [OPTIONS] LABEL=LIBRARY.so

Runs litmus tests of memory order (message passing, store buffering, IRIW, coherence, …) by atomics' orders, fences and
read-modify-writes, in global and local memory, at every scope. An outcome that OpenCL's memory model forbids is a failure. Each test
is also run with its orders one step weaker, in all work-items and in each alone, until the outcome is seen: a machine that never shows
it proves little.

  --device NAME     the device whose name contains NAME (default: the first GPU)
  --runs N          runs of each test, in millions (default 10)
  --weak-runs N     runs of each weakened form, in millions (default: as many)
  --seconds N       begin no test after so many seconds (default 3600)
  --instances N     instances of a launch, a power of two (default 1048576, or 16384 on a CPU)
  --only TEXT       only tests with TEXT in their names, such as 'SB', 'IRIW seq_cst', 'work-group, local'; may be repeated
  --must-weaken     fail unless some weakened form shows its outcome
  --list            the tests' names
";

struct Args {
    library: Option<(String, String)>,
    device: Option<String>,
    runs: u64,
    weak_runs: Option<u64>,
    seconds: u64,
    instances: Option<usize>,
    only: Vec<String>,
    must_weaken: bool,
    list: bool,
}

fn main() -> ExitCode {
    match parse().and_then(|args| args.map_or(Ok(()), |a| run(&a))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("litmus: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Args>> {
    let mut args = Args {
        library: None,
        device: None,
        runs: 10_000_000,
        weak_runs: None,
        seconds: 3600,
        instances: None,
        only: Vec::new(),
        must_weaken: false,
        list: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse::<f64>().map_err(|_| format!("{word} {text}: a number"));
        match word.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(None);
            }
            "--device" => args.device = Some(value()?),
            "--runs" => args.runs = (number(value()?)? * 1e6) as u64,
            "--weak-runs" => args.weak_runs = Some((number(value()?)? * 1e6) as u64),
            "--seconds" => args.seconds = number(value()?)? as u64,
            "--instances" => args.instances = Some(number(value()?)? as usize),
            "--only" => args.only.push(value()?),
            "--must-weaken" => args.must_weaken = true,
            "--list" => args.list = true,
            library => match library.split_once('=') {
                Some((label, path)) => args.library = Some((label.to_owned(), path.to_owned())),
                None => return Err(format!("'{library}' is no LABEL=LIBRARY.so (see --help)")),
            },
        }
    }
    Ok(Some(args))
}

fn run(args: &Args) -> Result<()> {
    let wanted = |c: &Config| args.only.is_empty() || args.only.iter().any(|o| c.name().contains(o.as_str()));
    let configs: Vec<Config> = run::configs().into_iter().filter(wanted).collect();
    if args.list {
        configs.iter().for_each(|c| println!("{}", c.name()));
        return Ok(());
    }
    let (label, path) = args.library.as_ref().ok_or("no library (see --help)")?;
    let session = Library::load(label, path)?.open(args.device.as_deref())?;
    let cpu = session.is_cpu()?;
    let effort = Effort {
        runs: args.runs.max(1),
        weak_runs: args.weak_runs.unwrap_or(args.runs).max(1),
        instances: args.instances.unwrap_or(if cpu { 1 << 14 } else { 1 << 20 }),
        group_size: if cpu { 64 } else { 256 },
        cpu_threads: if cpu { session.compute_units()? } else { 0 },
        builders: std::thread::available_parallelism().map_or(1, usize::from).min(16),
        end: run::end_in(args.seconds),
    };
    if !effort.instances.is_power_of_two() || effort.instances < 4 * effort.group_size {
        return Err(format!(
            "--instances {}: a power of two, at least {}",
            effort.instances,
            4 * effort.group_size
        ));
    }
    println!("{label}: {}", session.device);
    let mut totals = Totals::default();
    line(["test", "site", "runs", "outcomes", "forbidden", "weakened: seen/runs"].map(str::to_owned));
    run::run(&session, &configs, &effort, &mut |config, report| {
        totals.add(&config.name(), report);
        line(row(config, report));
    })?;
    totals.end(configs.len(), args.must_weaken)
}

/// Prints a line of the table.
fn line([test, site, runs, outcomes, forbidden, weak]: [String; 6]) {
    println!("{test:<27} {site:<18} {runs:>7} {outcomes:>8} {forbidden:>9} {weak}");
}

fn row(config: &Config, report: &Report) -> [String; 6] {
    let name = format!("{} {} {}", config.shape.name, config.order.name(), config.way.name());
    let site = config.site.name().to_owned();
    match report {
        Report::Ran(count, weak) => {
            let weak: Vec<String> = weak.iter().map(|c| format!("{}/{}", c.seen, short(c.runs))).collect();
            let (runs, outcomes) = (short(count.runs), count.outcomes.to_string());
            [name, site, runs, outcomes, count.seen.to_string(), weak.join(" ")]
        }
        Report::Skipped(why) => {
            let line = why.lines().find(|l| l.contains("error")).or(why.lines().next()).unwrap_or_default();
            let line: String = line.chars().take(90).collect();
            [name, site, "skipped".to_owned(), String::new(), String::new(), line]
        }
    }
}

/// `1.5k`, `100M`.
fn short(number: u64) -> String {
    match number {
        n if n >= 1_000_000 => format!("{}M", n / 1_000_000),
        n if n >= 1000 => format!("{}k", n / 1000),
        n => n.to_string(),
    }
}

#[derive(Default)]
struct Totals {
    runs: u64,
    ran: usize,
    skipped: usize,
    forbidden: Vec<String>,
    /// Tests with orders to weaken, and those whose weakened forms showed the outcome.
    weakened: (usize, usize),
}

impl Totals {
    fn add(&mut self, name: &str, report: &Report) {
        match report {
            Report::Ran(count, weak) => {
                self.ran += 1;
                self.runs += count.runs;
                if count.seen > 0 {
                    self.forbidden.push(format!("{name}: {} of {} runs", count.seen, count.runs));
                }
                if !weak.is_empty() {
                    self.weakened.0 += 1;
                    self.weakened.1 += usize::from(weak.iter().map(|c: &Count| c.seen).sum::<u64>() > 0);
                }
            }
            Report::Skipped(_) => self.skipped += 1,
        }
    }

    fn end(&self, tests: usize, must_weaken: bool) -> Result<()> {
        println!(
            "{} tests, {} million runs, {} with a forbidden outcome; {} skipped, {} not begun; weakened: {} of {} show it",
            self.ran,
            self.runs / 1_000_000,
            self.forbidden.len(),
            self.skipped,
            tests - self.ran - self.skipped,
            self.weakened.1,
            self.weakened.0
        );
        for line in &self.forbidden {
            println!("FORBIDDEN: {line}");
        }
        if !self.forbidden.is_empty() {
            return Err(format!("{} tests have a forbidden outcome", self.forbidden.len()));
        }
        if self.ran == 0 {
            return Err("no test was run".to_owned());
        }
        if must_weaken && self.weakened.1 == 0 {
            return Err("no weakened form shows its outcome: nothing is proven".to_owned());
        }
        Ok(())
    }
}

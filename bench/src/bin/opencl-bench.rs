//! OpenCL libraries side by side, through the OpenCL API: times, rates and ratios.

use pumice_bench::opencl::clock;
use pumice_bench::opencl::compare::{self, Outcome, Row, geometric_mean};
use pumice_bench::opencl::control::Control;
use pumice_bench::opencl::launches::{self, Launches, Summary};
use pumice_bench::opencl::workloads::{self, Scale};
use pumice_bench::opencl::{Library, Result, Session, big, costs, first, images, runtime, shared};
use pumice_bench::table;
use std::process::ExitCode;

const HELP: &str = "\
Usage: opencl-bench [OPTIONS] LABEL=LIBRARY.so [LABEL=LIBRARY.so …]

Loads OpenCL drivers (the libraries that .icd files name) by path, runs the same work on each in turn, checks the results
and prints the median times, each row on standard error as soon as it is measured. The first library is the one that ratios
are about: its time over the other's, with their geometric mean at the end.

  --device NAME     the device whose name contains NAME, in every library (default: the first GPU)
  --scale SCALE     small (CPU drivers) or large (default)
  --rounds N        so many measurements of each (default 15)
  --only TEXT       only what has TEXT in its name; may be repeated
  --control [NAME]  also the same launches and copies, and shaders written for some of the work, in bare Vulkan, on the device whose
                    name contains NAME
  --cpu             kernels, fills, copies and builds in CPU time of the process, all of its threads, in place of the time that passes:
                    for CPU drivers on a machine that does other work
  --first           nothing else, but processes that begin, without caches: what loading, opening a device, building, the first launch,
                    reading its result and the end take, by the time that passes and by CPU time
  --launches        nothing else, but launch 1, launches 2 to 20 and the steady state of each kernel, each launch waited for. The
                    caches of the libraries are used: PUMICE_CACHE_DIR= and CUDA_CACHE_DISABLE=1 turn them off
  --big-buffer SIZE nothing else, but check a buffer of so many bytes (10GiB): its first, last and border elements by host, kernel,
                    fill and copy; prints PASS or FAIL
  --json            one JSON object instead of tables
";

struct Args {
    libraries: Vec<(String, String)>,
    device: Option<String>,
    scale: Scale,
    rounds: usize,
    only: Vec<String>,
    control: Option<String>,
    cpu: bool,
    first: bool,
    launches: bool,
    big_buffer: Option<usize>,
    json: bool,
}

fn main() -> ExitCode {
    match parse().and_then(|args| args.map_or(Ok(()), |a| run(&a))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("opencl-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Args>> {
    let mut args = Args {
        libraries: Vec::new(),
        device: None,
        scale: Scale::Large,
        rounds: 15,
        only: Vec::new(),
        control: None,
        cpu: false,
        first: false,
        launches: false,
        big_buffer: None,
        json: false,
    };
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(None);
            }
            "--device" => args.device = Some(value()?),
            "--scale" => {
                args.scale = match value()?.as_str() {
                    "small" => Scale::Small,
                    "large" => Scale::Large,
                    other => return Err(format!("--scale {other}: small or large")),
                }
            }
            "--rounds" => {
                let text = value()?;
                args.rounds = text.parse().map_err(|_| format!("--rounds {text}: a number"))?;
            }
            "--only" => args.only.push(value()?),
            "--control" => args.control = Some(words.next_if(|w| !w.contains('=')).unwrap_or_default()),
            "--big-buffer" => args.big_buffer = Some(big::parse_size(&value()?)?),
            "--first" => args.first = true,
            "--launches" => args.launches = true,
            "--cpu" => args.cpu = true,
            "--json" => args.json = true,
            library => match library.split_once('=') {
                Some((label, path)) => args.libraries.push((label.to_owned(), path.to_owned())),
                None => return Err(format!("'{library}' is no LABEL=LIBRARY.so (see --help)")),
            },
        }
    }
    if args.libraries.is_empty() || args.rounds == 0 {
        return Err("no library (see --help)".into());
    }
    Ok(Some(args))
}

fn run(args: &Args) -> Result<()> {
    if args.first {
        return first_results(args);
    }
    let mut sessions = Vec::new();
    for (label, path) in &args.libraries {
        let mut session = Library::load(label, path)?.open(args.device.as_deref())?;
        if args.cpu {
            session.clock = clock::process;
        }
        eprintln!("{label}: {} ({path})", session.device);
        sessions.push(session);
    }
    if let Some(size) = args.big_buffer {
        return check_big_buffer(&sessions, size);
    }
    if args.launches {
        return first_launches(args, &sessions);
    }
    let control = args.control.as_ref().map(|name| Control::new(name)).transpose()?;
    let mut rows = Vec::new();
    for workload in workloads::all().filter(|w| wanted(args, w.name)) {
        let row = compare::workload(&sessions, control.as_ref(), args.scale, args.rounds, &workload)?;
        eprintln!("{}", progress(&row));
        rows.push(row);
    }
    let all =
        costs::cases().into_iter().chain(runtime::cases()).chain(images::cases()).chain(shared::cases());
    for case in all.filter(|c| wanted(args, &c.name)) {
        let row = compare::case(&sessions, control.as_ref(), args.scale, args.rounds, &case)?;
        eprintln!("{}", progress(&row));
        rows.push(row);
    }
    if args.json {
        let others = sessions.iter().enumerate().skip(1);
        let means = others.map(|(i, s)| {
            let (mean, count) = geometric_mean(&rows, i).unzip();
            serde_json::json!({"over": s.label(), "geometric_mean": mean, "rows": count})
        });
        let value = serde_json::json!({
            "libraries": sessions.iter().map(|s| serde_json::json!({"label": s.label(), "device": s.device})).collect::<Vec<_>>(),
            "rows": rows,
            "means": means.collect::<Vec<_>>(),
        });
        println!("{value:#}");
    } else {
        print(&sessions, &rows, control.is_some());
    }
    match rows.iter().flat_map(|r| &r.results).filter(|r| matches!(r, Outcome::Failed(_))).count() {
        0 => Ok(()),
        n => Err(format!("{n} measurements failed")),
    }
}

/// From nothing to a first result, by phase. Before any library is loaded here.
fn first_results(args: &Args) -> Result<()> {
    let sum = |times: &[f64]| times.iter().sum::<f64>();
    for (program, name) in first::PROGRAMS.iter().filter(|(_, name)| wanted(args, name)) {
        let all = first::measure(&args.libraries, args.device.as_deref(), *program, args.rounds)?;
        let mut header = vec![*name];
        for (label, _) in &args.libraries {
            header.extend([label.as_str(), "CPU time"]);
        }
        let row = |name: &str, of: &dyn Fn(&[f64; first::PHASES.len()]) -> f64| {
            let cells = all.iter().flat_map(|p| [time(of(&p.wall)), time(of(&p.cpu))]);
            std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
        };
        let phases = first::PHASES.iter().enumerate().map(|(i, phase)| row(phase, &|times| times[i]));
        let mut rows: Vec<_> = phases.collect();
        rows.push(row("source to result", &|times| sum(&times[first::TO_RESULT])));
        rows.push(row("all", &|times| sum(times)));
        table::print(&header, &rows);
    }
    Ok(())
}

/// The first launches of each kernel.
fn first_launches(args: &Args, sessions: &[Session]) -> Result<()> {
    let wanted = workloads::all().filter(|w| wanted(args, w.name));
    let mut rows = Vec::new();
    for workload in wanted {
        let row = launches::row(sessions, args.scale, &workload);
        let early = row.results.iter().map(|r| r.as_ref().map_or("failed".to_owned(), |l| time(l.early)));
        eprintln!("{}: {}", row.name, early.collect::<Vec<_>>().join(", "));
        rows.push(row);
    }
    if args.json {
        let libraries: Vec<_> = sessions.iter().map(Session::label).collect();
        println!("{:#}", serde_json::json!({"libraries": libraries, "rows": rows}));
    } else {
        print_launches(sessions, &rows);
    }
    match rows.iter().flat_map(|r| &r.results).filter(|r| r.is_err()).count() {
        0 => Ok(()),
        n => Err(format!("{n} measurements failed")),
    }
}

fn print_launches(sessions: &[Session], rows: &[launches::Row]) {
    let first = sessions[0].label();
    let mut header = vec![String::new()];
    for session in sessions {
        header.push(format!("{}, launch 1", session.label()));
        header.extend(["2 to 20", "worst", "steady", "2 to 20 / steady"].map(str::to_owned));
    }
    header.extend(sessions[1..].iter().map(|s| format!("2 to 20: {first}/{}", s.label())));
    let against_steady = |row: &launches::Row, i| row.of(i).map(|l| l.early / l.steady);
    let against = |row: &launches::Row, i| Some(row.of(0)?.early / row.of(i)?.early);
    let ratio = |ratio: Option<f64>| ratio.map_or_else(String::new, |r| format!("{r:.2}"));
    let cells = rows.iter().map(|row| {
        let mut line = vec![row.name.clone()];
        for (i, result) in row.results.iter().enumerate() {
            match result {
                Ok(Launches { first, early, worst, steady }) => {
                    line.extend([*first, *early, *worst, *steady].map(time));
                    line.push(ratio(against_steady(row, i)));
                }
                Err(_) => line.extend(["failed", "", "", "", ""].map(str::to_owned)),
            }
        }
        line.extend((1..sessions.len()).map(|i| ratio(against(row, i))));
        line
    });
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(&header, &cells.collect::<Vec<_>>());
    let tell = |what: String, summary: Option<Summary<'_>>| {
        let Some(Summary { mean, rows, largest }) = summary else { return };
        let largest: Vec<String> = largest.iter().map(|(ratio, name)| format!("{name} {ratio:.2}")).collect();
        println!("geometric mean of {what}: {mean:.2} ({rows} rows)\nworst: {}", largest.join("; "));
    };
    for (i, session) in sessions.iter().enumerate() {
        let label = session.label();
        tell(format!("2 to 20 / steady, {label}"), launches::summary(rows, |row| against_steady(row, i)));
        if i > 0 {
            tell(format!("2 to 20, {first}/{label}"), launches::summary(rows, |row| against(row, i)));
        }
    }
    for (row, session, why) in rows.iter().flat_map(|row| {
        let errors = sessions.iter().zip(&row.results);
        errors.filter_map(move |(session, result)| Some((row, session, result.as_ref().err()?)))
    }) {
        eprintln!("{} on {}: {why}", row.name, session.label());
    }
}

/// A line with a verdict for each library; the whole fails when one does.
fn check_big_buffer(sessions: &[Session], size: usize) -> Result<()> {
    let mut failures = 0;
    for session in sessions {
        match big::check(session, size) {
            Ok(text) => println!("PASS: {} on {}: {text}", session.label(), session.device),
            Err(text) => {
                failures += 1;
                println!("FAIL: {} on {}: {text}", session.label(), session.device);
            }
        }
    }
    if failures == 0 { Ok(()) } else { Err(format!("{failures} of {} libraries failed", sessions.len())) }
}

fn wanted(args: &Args, name: &str) -> bool {
    args.only.is_empty() || args.only.iter().any(|o| name.contains(o.as_str()))
}

fn print(sessions: &[Session], rows: &[Row], control: bool) {
    let mut header = vec!["".to_owned()];
    for session in sessions {
        header.extend([session.label().to_owned(), String::new()]);
    }
    let first = sessions[0].label();
    header.extend(sessions[1..].iter().map(|s| format!("{first}/{}", s.label())));
    if control {
        header.extend(["Vulkan".to_owned(), format!("{first}/Vulkan")]);
    }
    let mut cells: Vec<Vec<String>> = rows.iter().map(|row| line(row, control)).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    for line in &mut cells {
        line.resize(header.len(), String::new());
    }
    table::print(&header, &cells);
    for (i, session) in sessions.iter().enumerate().skip(1) {
        let Some((mean, count)) = geometric_mean(rows, i) else { continue };
        println!("geometric mean of {first}/{}: {mean:.2} ({count} rows)", session.label());
        let mut worst: Vec<(f64, &str)> =
            rows.iter().filter_map(|r| Some((r.ratio(i)?, r.name.as_str()))).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worst: Vec<String> = worst.iter().take(5).map(|(r, name)| format!("{name} {r:.2}")).collect();
        println!("worst: {}", worst.join("; "));
    }
    for row in rows {
        for (session, result) in sessions.iter().zip(&row.results) {
            if let Outcome::Failed(why) | Outcome::Skipped(why) = result {
                eprintln!("{} on {}: {why}", row.name, session.label());
            }
        }
    }
}

/// A row that was measured, for who waits for the others.
fn progress(row: &Row) -> String {
    let results = row.results.iter().map(|result| match result {
        Outcome::Time(ns) => time(*ns),
        Outcome::Skipped(_) => "skipped".to_owned(),
        Outcome::Failed(_) => "failed".to_owned(),
    });
    format!("{}: {}", row.name, results.collect::<Vec<_>>().join(", "))
}

/// A row's cells.
fn line(row: &Row, control: bool) -> Vec<String> {
    let mut line = vec![row.name.clone()];
    for (result, rate) in row.results.iter().zip(&row.rates) {
        let text = match result {
            Outcome::Time(ns) => time(*ns),
            Outcome::Skipped(_) => "skipped".to_owned(),
            Outcome::Failed(_) => "failed".to_owned(),
        };
        line.extend([text, rate.clone()]);
    }
    let text = |ratio: Option<f64>| ratio.map_or_else(String::new, |r| format!("{r:.2}"));
    line.extend((1..row.results.len()).map(|i| text(row.ratio(i))));
    if control && let Some(ns) = row.bare_vulkan {
        let mine = row.results.first().and_then(Outcome::time);
        line.extend([time(ns), text(mine.map(|mine| mine / ns))]);
    }
    line
}

fn time(ns: f64) -> String {
    match ns {
        n if n < 1e4 => format!("{n:.0} ns"),
        n if n < 1e7 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}

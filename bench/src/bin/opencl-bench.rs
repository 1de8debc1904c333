//! OpenCL libraries side by side, through the OpenCL API: times, rates and ratios.

use pumice_bench::opencl::big;
use pumice_bench::opencl::control::{COPY_BYTES, Control};
use pumice_bench::opencl::workloads::{Scale, WORKLOADS, Work};
use pumice_bench::opencl::{Arg, Library, Place, Result, Session};
use pumice_bench::{stages, table};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Usage: opencl-bench [OPTIONS] LABEL=LIBRARY.so [LABEL=LIBRARY.so …]

Loads OpenCL drivers (the libraries that .icd files name) by path, runs the same work on each in turn, checks the results
and prints the median times. The first library is the one that ratios are about: its time over the other's.

  --device NAME     the device whose name contains NAME, in every library (default: the first GPU)
  --scale SCALE     small (CPU drivers) or large (default)
  --rounds N        so many measurements of each (default 15)
  --only TEXT       only what has TEXT in its name
  --control [NAME]  also the same launches and copies in bare Vulkan, on the device whose name contains NAME
  --big-buffer SIZE nothing else, but check a buffer of so many bytes (10GiB): its first, last and border elements by host, kernel,
                    fill and copy; prints PASS or FAIL
  --json            one JSON object instead of tables
";

struct Args {
    libraries: Vec<(String, String)>,
    device: Option<String>,
    scale: Scale,
    rounds: usize,
    only: Option<String>,
    control: Option<String>,
    big_buffer: Option<usize>,
    json: bool,
}

/// One measured thing.
#[derive(Serialize)]
struct Row {
    name: String,
    /// Median nanoseconds by library, in the order of the command line; a failure's text instead.
    results: Vec<std::result::Result<f64, String>>,
    /// What the times amount to, by library.
    rates: Vec<String>,
    /// The same in bare Vulkan.
    bare_vulkan: Option<f64>,
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
        only: None,
        control: None,
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
            "--only" => args.only = Some(value()?),
            "--control" => args.control = Some(words.next_if(|w| !w.contains('=')).unwrap_or_default()),
            "--big-buffer" => args.big_buffer = Some(big::parse_size(&value()?)?),
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
    let mut sessions = Vec::new();
    for (label, path) in &args.libraries {
        let session = Library::load(label, path)?.open(args.device.as_deref())?;
        eprintln!("{label}: {} ({path})", session.device);
        sessions.push(session);
    }
    if let Some(size) = args.big_buffer {
        return check_big_buffer(&sessions, size);
    }
    let mut rows = Vec::new();
    for workload in WORKLOADS.iter().filter(|w| wanted(args, w.name)) {
        rows.push(measure_workload(args, &sessions, workload.name, workload.prepare));
    }
    let control = args.control.as_ref().map(|name| Control::new(name)).transpose()?;
    for cost in COSTS.iter().filter(|c| wanted(args, c.0)) {
        rows.push(measure_cost(args, &sessions, control.as_ref(), cost)?);
    }
    if args.json {
        let value = serde_json::json!({
            "libraries": sessions.iter().map(|s| serde_json::json!({"label": s.label(), "device": s.device})).collect::<Vec<_>>(),
            "rows": rows,
        });
        println!("{value:#}");
    } else {
        print(&sessions, &rows, control.is_some());
    }
    match rows.iter().flat_map(|r| &r.results).filter(|r| r.is_err()).count() {
        0 => Ok(()),
        n => Err(format!("{n} measurements failed")),
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
    args.only.as_ref().is_none_or(|o| name.contains(o.as_str()))
}

/// Measures once: nanoseconds.
type Measure<'a> = Box<dyn FnMut() -> Result<f64> + 'a>;

/// The median of each library's times. They take turns, so that what changes on the machine changes for all.
fn take_turns(
    rounds: usize,
    mut measures: Vec<Result<Measure<'_>>>,
) -> Vec<std::result::Result<f64, String>> {
    let mut times: Vec<Result<Vec<f64>>> = measures.iter().map(|_| Ok(Vec::new())).collect();
    for round in 0..=rounds {
        for (measure, times) in measures.iter_mut().zip(&mut times) {
            let one = match measure {
                Ok(measure) => measure(),
                Err(error) => Err(error.clone()),
            };
            match (one, &mut *times) {
                // The first round warms up.
                (Ok(time), Ok(times)) if round > 0 => times.push(time),
                (Err(error), Ok(_)) => *times = Err(error),
                _ => {}
            }
        }
    }
    times.into_iter().map(|t| t.map(stages::median)).collect()
}

fn measure_workload(
    args: &Args,
    sessions: &[Session],
    name: &str,
    prepare: for<'s> fn(&'s Session, Scale) -> Result<pumice_bench::opencl::workloads::Ready<'s>>,
) -> Row {
    let mut ready: Vec<_> = sessions.iter().map(|s| prepare(s, args.scale)).collect();
    for ready in &mut ready {
        if let Ok(workload) = ready
            && let Err(error) = workload.check()
        {
            *ready = Err(error);
        }
    }
    let measures = sessions.iter().zip(&ready).map(|(session, ready)| {
        let ready = ready.as_ref().map_err(Clone::clone)?;
        // As many launches as take about 20 ms.
        let once = launch(session, ready, 1)?;
        let count = (2e7 / once).clamp(1.0, 1000.0) as usize;
        Ok(Box::new(move || launch(session, ready, count)) as Measure<'_>)
    });
    let results = take_turns(args.rounds, measures.collect());
    let rate = |(result, ready): (&std::result::Result<f64, String>, &Result<_>)| {
        let (Ok(ns), Ok(ready)) = (result, ready) else { return String::new() };
        let ready: &pumice_bench::opencl::workloads::Ready<'_> = ready;
        match ready.work {
            Work::Bytes(bytes) => format!("{:.0} GB/s", bytes / ns),
            Work::Flops(flops) => format!("{:.0} GFLOP/s", flops / ns),
            Work::Items(items, what) => format!("{:.2} G{what}/s", items / ns),
        }
    };
    let rates = results.iter().zip(&ready).map(rate).collect();
    Row { name: name.to_owned(), results, rates, bare_vulkan: None }
}

/// Nanoseconds of one of several launches in a row.
fn launch(
    session: &Session,
    ready: &pumice_bench::opencl::workloads::Ready<'_>,
    count: usize,
) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..count {
        ready.launch()?;
    }
    session.finish()?;
    Ok(start.elapsed().as_nanos() as f64 / count as f64)
}

/// What a measurement of host costs gives: nanoseconds.
type Cost = fn(&Session, round: usize) -> Result<f64>;
/// The same in bare Vulkan.
type Bare = fn(&Control) -> Result<f64>;

const COSTS: &[(&str, Cost, Option<Bare>)] = &[
    ("round trip", round_trip, Some(bare_round_trip)),
    ("enqueue", |s, _| enqueue(s, wall, false), Some(|c| bare_enqueue(c, wall, false))),
    ("enqueue, CPU time", |s, _| enqueue(s, cpu, false), Some(|c| bare_enqueue(c, cpu, false))),
    ("enqueue with a new argument", |s, _| enqueue(s, wall, true), Some(|c| bare_enqueue(c, wall, true))),
    (
        "enqueue with a new argument, CPU time",
        |s, _| enqueue(s, cpu, true),
        Some(|c| bare_enqueue(c, cpu, true)),
    ),
    ("write 64 MiB", write, Some(|c| c.write(&vec![5; COPY_BYTES]))),
    ("read 64 MiB", read, None),
    ("map and write 64 MiB", map_write, None),
    ("map and read 64 MiB of the device", map_read, None),
    ("copy 64 MiB on the device", copy, None),
    ("fill 64 MiB on the device", fill, None),
    ("build, cold", build_cold, None),
    ("build, again", build_again, None),
];

/// Measures all libraries and the control in turns.
fn measure_cost(
    args: &Args,
    sessions: &[Session],
    control: Option<&Control>,
    &(name, measure, bare): &(&str, Cost, Option<Bare>),
) -> Result<Row> {
    let mut measures: Vec<_> = sessions
        .iter()
        .map(|session| {
            let mut round = 0;
            Ok(Box::new(move || {
                round += 1;
                measure(session, round)
            }) as Measure<'_>)
        })
        .collect();
    let bare = control.zip(bare);
    if let Some((control, bare)) = bare {
        measures.push(Ok(Box::new(move || bare(control))));
    }
    let mut results = take_turns(args.rounds, measures);
    let bare_vulkan = if bare.is_some() { results.pop().transpose()? } else { None };
    let rate = |r: &std::result::Result<f64, String>| match r {
        Ok(ns) if name.contains("64 MiB") => format!("{:.1} GB/s", COPY_BYTES as f64 / ns),
        _ => String::new(),
    };
    let rates = results.iter().map(rate).collect();
    Ok(Row { name: name.to_owned(), results, rates, bare_vulkan })
}

const TINY: &str = include_str!("../../kernels/tiny.cl");

fn tiny(session: &Session) -> Result<(pumice_bench::opencl::Kernel<'_>, pumice_bench::opencl::Buffer<'_>)> {
    let kernel = session.kernel(TINY, "tiny", "")?;
    let buffer = session.buffer(4096, Place::Device)?;
    kernel.set(&[Arg::Buffer(&buffer), Arg::Value(&[0; 4])])?;
    kernel.launch(&[1], Some(&[1]))?;
    session.finish()?;
    Ok((kernel, buffer))
}

/// Enqueue and clFinish of a kernel that does nothing: the median of many.
fn round_trip(session: &Session, _: usize) -> Result<f64> {
    let (kernel, _buffer) = tiny(session)?;
    let mut times = Vec::with_capacity(200);
    for _ in 0..200 {
        let start = Instant::now();
        kernel.launch(&[1], Some(&[1]))?;
        session.finish()?;
        times.push(start.elapsed().as_nanos() as f64);
    }
    Ok(stages::median(times))
}

fn bare_round_trip(control: &Control) -> Result<f64> {
    let mut times = Vec::with_capacity(200);
    for _ in 0..200 {
        times.push(control.launches(1, false, wall)?.done);
    }
    Ok(stages::median(times))
}

/// Launches in a batch.
const BATCH: u32 = 10_000;

/// The host's time for one enqueue in a batch. `changing`: a value argument is set before each.
fn enqueue(session: &Session, clock: fn() -> f64, changing: bool) -> Result<f64> {
    let (kernel, buffer) = tiny(session)?;
    let start = clock();
    for n in 0..BATCH {
        if changing {
            kernel.set_one(1, &Arg::Value(&n.to_le_bytes()))?;
        }
        kernel.launch(&[1], Some(&[1]))?;
    }
    let time = clock() - start;
    session.finish()?;
    drop(buffer);
    Ok(time / f64::from(BATCH))
}

fn bare_enqueue(control: &Control, clock: fn() -> f64, changing: bool) -> Result<f64> {
    Ok(control.launches(BATCH as usize, changing, clock)?.enqueued / f64::from(BATCH))
}

/// The time that passes, in nanoseconds.
fn wall() -> f64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// The time that this thread was running.
fn cpu() -> f64 {
    nanoseconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn nanoseconds(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the time; both clocks exist.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn write(session: &Session, _: usize) -> Result<f64> {
    let data = vec![7; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let start = Instant::now();
    buffer.write(0, &data)?;
    session.finish()?;
    Ok(start.elapsed().as_nanos() as f64)
}

fn read(session: &Session, _: usize) -> Result<f64> {
    let mut data = vec![7; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let start = Instant::now();
    buffer.read(0, &mut data)?;
    Ok(start.elapsed().as_nanos() as f64)
}

fn map_write(session: &Session, round: usize) -> Result<f64> {
    let buffer = session.buffer(COPY_BYTES, Place::Pinned)?;
    buffer.with_map(opencl_sys::CL_MAP_WRITE, |memory| memory.fill(1))?;
    let start = Instant::now();
    buffer.with_map(opencl_sys::CL_MAP_WRITE, |memory| memory.fill(round as u8))?;
    Ok(start.elapsed().as_nanos() as f64)
}

/// Of the device's memory, not of pinned memory: the library copies, or shows it as it is.
fn map_read(session: &Session, round: usize) -> Result<f64> {
    let data = vec![round as u8; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let mut right = true;
    let start = Instant::now();
    buffer.with_map(opencl_sys::CL_MAP_READ, |memory| right = *memory == *data)?;
    let time = start.elapsed().as_nanos() as f64;
    if right { Ok(time) } else { Err("the mapped data is wrong".into()) }
}

/// With a pattern of 16 bytes.
fn fill(session: &Session, round: usize) -> Result<f64> {
    let buffer = session.buffer(COPY_BYTES, Place::Device)?;
    let pattern: [u8; 16] = std::array::from_fn(|i| (i + round) as u8);
    buffer.fill(&[0; 16], 0, COPY_BYTES)?;
    session.finish()?;
    let start = Instant::now();
    buffer.fill(&pattern, 0, COPY_BYTES)?;
    session.finish()?;
    let time = start.elapsed().as_nanos() as f64;
    let mut end = [0; 16];
    buffer.read(COPY_BYTES - 16, &mut end)?;
    if end == pattern { Ok(time) } else { Err("the filled data is wrong".into()) }
}

fn copy(session: &Session, _: usize) -> Result<f64> {
    let (from, to) = (session.buffer_with(&vec![3; COPY_BYTES])?, session.buffer(COPY_BYTES, Place::Device)?);
    from.copy_to(&to, COPY_BYTES)?;
    session.finish()?;
    let start = Instant::now();
    from.copy_to(&to, COPY_BYTES)?;
    session.finish()?;
    Ok(start.elapsed().as_nanos() as f64)
}

/// From source to the first finished launch, with a text that no cache has.
fn build_cold(session: &Session, round: usize) -> Result<f64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let source = format!("{}\n// {now} {round}\n__constant int nonce = {};\n", NBODY, now as i32 & 0xffff);
    build(session, &source.replace("0.0f)", &format!("{}.0e-9f)", now % 1_000_000)))
}

/// The same with a text that was built before.
fn build_again(session: &Session, _: usize) -> Result<f64> {
    build(session, NBODY)
}

const NBODY: &str = include_str!("../../../tests/kernels/nbody.cl");

fn build(session: &Session, source: &str) -> Result<f64> {
    let data = vec![0; 256 * 16];
    let buffers = [session.buffer_with(&data)?, session.buffer_with(&data)?, session.buffer_with(&data)?];
    let start = Instant::now();
    let kernel = session.kernel(source, "nbody", "")?;
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
        Arg::Value(&256u32.to_le_bytes()),
        Arg::Value(&0.1f32.to_le_bytes()),
        Arg::Value(&0.1f32.to_le_bytes()),
        Arg::Local(64 * 16),
    ])?;
    kernel.launch(&[256], Some(&[64]))?;
    session.finish()?;
    Ok(start.elapsed().as_nanos() as f64)
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
    let mut cells = Vec::new();
    for row in rows {
        let mut line = vec![row.name.clone()];
        for (result, rate) in row.results.iter().zip(&row.rates) {
            line.extend([result.as_ref().map_or_else(|_| "failed".to_owned(), |ns| time(*ns)), rate.clone()]);
        }
        let ratio = |other: Option<f64>| match (&row.results[0], other) {
            (Ok(mine), Some(other)) => format!("{:.2}", mine / other),
            _ => String::new(),
        };
        line.extend(row.results[1..].iter().map(|r| ratio(r.as_ref().ok().copied())));
        if let Some(ns) = row.bare_vulkan {
            line.extend([time(ns), ratio(Some(ns))]);
        }
        cells.push(line);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    for line in &mut cells {
        line.resize(header.len(), String::new());
    }
    table::print(&header, &cells);
    for row in rows {
        for (session, result) in sessions.iter().zip(&row.results) {
            if let Err(error) = result {
                eprintln!("{} on {}: {error}", row.name, session.label());
            }
        }
    }
}

fn time(ns: f64) -> String {
    match ns {
        n if n < 1e4 => format!("{n:.0} ns"),
        n if n < 1e7 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}

//! Faults on the device, each in a process of its own, through any OpenCL library.

use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use pumice_bench::opencl::faults::{self, Kind, Way};
use pumice_bench::opencl::{Library, Result};

const HELP: &str = "\
Usage: faults [OPTIONS] LABEL=LIBRARY.so ...

Brings faults about on the device, each in a process of its own: a kernel that reads or writes where no memory is, a word at an odd address, a buffer that
was released or far outside of one, recursion as deep as an argument says, an endless loop, __local memory and images far outside, an atomic at a wild address. Says who heard of
it after how long, with which code, what works afterwards, and how the process ended. A process that takes too long is killed.

  --device NAME     the device whose name contains NAME (default: the first GPU)
  --kind NAME       only this kind; may be repeated (fine, unmapped, write, misaligned, freed, recursion, loop, local, image, atomic, outside,
                    one, long:SECONDS, full:MILLIONS)
  --way NAME        how it is waited for; may be repeated (finish, event, read, map, callback, status, behind, copies, launches, nobody, threads;
                    default: finish)
  --limit SECONDS   what a process may take (default 10)
  --quiet           the table only
";

#[derive(Default)]
struct Args {
    libraries: Vec<(String, String)>,
    device: Option<String>,
    kinds: Vec<Kind>,
    ways: Vec<Way>,
    limit: u64,
    quiet: bool,
    child: bool,
}

fn main() -> ExitCode {
    match parse().and_then(|args| args.map_or(Ok(()), |a| run(&a))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("failed: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Args>> {
    let mut args = Args { limit: 10, ..Args::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(None);
            }
            "--device" => args.device = Some(value()?),
            "--kind" => {
                let name = value()?;
                args.kinds.push(Kind::of(&name).ok_or_else(|| format!("no kind '{name}'"))?);
            }
            "--way" => {
                let name = value()?;
                let way = Way::ALL.into_iter().find(|w| w.name() == name);
                args.ways.push(way.ok_or_else(|| format!("no way '{name}'"))?);
            }
            "--limit" => args.limit = value()?.parse().map_err(|_| "--limit: a number")?,
            "--quiet" => args.quiet = true,
            "--child" => args.child = true,
            library => match library.split_once('=') {
                Some((label, path)) => args.libraries.push((label.to_owned(), path.to_owned())),
                None => return Err(format!("'{library}' is no LABEL=LIBRARY.so (see --help)")),
            },
        }
    }
    Ok(Some(args))
}

fn run(args: &Args) -> Result<()> {
    if args.child {
        let [(label, path)] = &args.libraries[..] else { return Err("one library".into()) };
        let (&kind, &way) = (args.kinds.first().ok_or("no kind")?, args.ways.first().ok_or("no way")?);
        return faults::strike(&Library::load(label, path)?, args.device.as_deref(), kind, way);
    }
    let kinds = if args.kinds.is_empty() { Kind::ALL.to_vec() } else { args.kinds.clone() };
    let ways = if args.ways.is_empty() { vec![Way::Finish] } else { args.ways.clone() };
    let mut rows = Vec::new();
    for &kind in &kinds {
        for &way in &ways {
            for (label, path) in &args.libraries {
                let (text, end) = strike(args, label, path, kind, way)?;
                let kind = kind.name();
                if !args.quiet {
                    println!("== {label}: {kind}, {}: {end}", way.name());
                    text.lines().for_each(|line| println!("    {line}"));
                }
                rows.push([label.clone(), kind, way.name().to_owned(), first(&text), end]);
            }
        }
    }
    println!("| library | kind | way | heard | process |\n|---|---|---|---|---|");
    rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
    Ok(())
}

/// The first message, or why there was none.
fn first(text: &str) -> String {
    let heard = |line: &str| {
        let rest = line.strip_prefix("heard ")?;
        let (who, rest) = rest.split_once(' ')?;
        let (after, what) = rest.split_once(' ')?;
        Some(format!("{who}: {what}, {after} s"))
    };
    let mut lines = text.lines();
    lines
        .clone()
        .find_map(heard)
        .or_else(|| lines.find_map(|l| l.strip_prefix("failed: ").map(str::to_owned)))
        .unwrap_or_else(|| "nothing".into())
}

/// One fault in a process: what it said, and how it ended.
fn strike(args: &Args, label: &str, path: &str, kind: Kind, way: Way) -> Result<(String, String)> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(me);
    command.args(["--child", "--kind", &kind.name(), "--way", way.name()]).arg(format!("{label}={path}"));
    if let Some(device) = &args.device {
        command.args(["--device", device]);
    }
    let (mut reads, writes) = std::io::pipe().map_err(|e| e.to_string())?;
    let errors = writes.try_clone().map_err(|e| e.to_string())?;
    command.stdin(Stdio::null()).stdout(writes).stderr(errors);
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    // It holds the other end of the pipe.
    drop(command);
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = reads.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let end = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break format!("{status}, {:.2} s", start.elapsed().as_secs_f64());
        }
        if start.elapsed() > Duration::from_secs(args.limit) {
            child.kill().map_err(|e| e.to_string())?;
            child.wait().map_err(|e| e.to_string())?;
            break format!("killed after {} s", args.limit);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ok((reader.join().unwrap_or_default(), end))
}

//! `fuzz sizes`: the table of families, run at several sizes in a process each.

use super::{Measured, SIZES, Verdict, families, measure};
use crate::compare::Vulkan;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The text of `fuzz sizes --help`.
pub const HELP: &str = "\
Usage: fuzz sizes [OPTIONS]

Programs with 3 to 300 of one construct (cases, labels, arguments, …), run on a Vulkan device and compared with what the host computes. Each runs in
a process of its own; the table has the CPU time of the front end, the lowering and the driver in milliseconds, and by which power of the size the
driver's time grows between the last two sizes.

Options:
  --family F,…       families whose names contain one of these
  --sizes N,…        the sizes (default: 3,20,80,130,300)
  --device D         the Vulkan device, by index or by a part of the name
  --mask FILE        restricts the device to a Vulkan profile
  --model M          descriptor, address or packed alone; 'each': all that the device has (default: the one that programs get)
  --seconds S        a program that takes longer is a failure (default 120)
  --with PROGRAM     starts the processes by this program (target/debian13/with)
  --show             prints the program of the first family and size
  --list             prints the families' names

The exit code is 0 if all programs are right, 1 if not; refusals by name are counted and told.";

struct Args {
    family: Vec<String>,
    sizes: Vec<usize>,
    device: Option<String>,
    mask: Option<PathBuf>,
    model: String,
    seconds: u64,
    with: Option<String>,
    show: bool,
    list: bool,
    /// This process is a child, which runs the one program.
    child: bool,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args {
        family: vec![],
        sizes: SIZES.to_vec(),
        device: None,
        mask: None,
        model: "each".to_owned(),
        seconds: 120,
        with: None,
        show: false,
        list: false,
        child: false,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--family" => args.family = value()?.split(',').map(str::to_owned).collect(),
            "--sizes" => {
                let sizes: Result<Vec<usize>, _> = value()?.split(',').map(str::parse).collect();
                args.sizes = sizes.map_err(|_| "--sizes: numbers with commas")?;
                if args.sizes.iter().any(|n| *n < 2) {
                    return Err("--sizes: 2 or more".to_owned());
                }
            }
            "--device" => args.device = Some(value()?),
            "--mask" => args.mask = Some(value()?.into()),
            "--model" => args.model = value()?,
            "--seconds" => args.seconds = value()?.parse().map_err(|_| "--seconds: a number")?,
            "--with" => args.with = Some(value()?),
            "--show" => args.show = true,
            "--list" => args.list = true,
            "--child" => args.child = true,
            _ => return Err(HELP.to_owned()),
        }
    }
    Ok(args)
}

/// Runs the command; whether no program was wrong.
///
/// # Errors
/// A message for the user.
pub fn command(words: impl Iterator<Item = String>) -> Result<bool, String> {
    let args = parse(words)?;
    let all = families();
    let chosen = |name: &str| match args.child {
        true => args.family.iter().any(|part| name == part),
        false => args.family.is_empty() || args.family.iter().any(|part| name.contains(part.as_str())),
    };
    let chosen: Vec<_> = all.into_iter().filter(|f| chosen(f.name)).collect();
    let (Some(first), Some(size)) = (chosen.first(), args.sizes.first()) else {
        return Err("no such family: --list names them".to_owned());
    };
    if args.list {
        chosen.iter().for_each(|f| println!("{}", f.name));
        return Ok(true);
    }
    if args.show {
        print!("{}", first.program(*size).case.source);
        return Ok(true);
    }
    if args.child {
        run_here(&args, &first.program(*size))?;
        return Ok(true);
    }
    let mut wrong = 0;
    let mut refused = 0;
    println!(
        "| family | n | result | front end | lowering | driver | grows by |\n|---|---:|---|---:|---:|---:|---:|"
    );
    for family in &chosen {
        let mut before: Option<(usize, Duration)> = None;
        for &n in &args.sizes {
            let (verdict, times) = run_child(&args, family.name, n)?;
            let driver = times.map_or(Duration::ZERO, |t| t[2]);
            let grows = before.filter(|b| times.is_some() && b.0 < n).map_or(String::new(), |(m, time)| {
                let ratio = driver.as_secs_f64() / time.as_secs_f64().max(1e-3);
                format!("{:.1}", ratio.ln() / (n as f64 / m as f64).ln())
            });
            before = times.map(|t| (n, t[2]));
            let text = match &verdict {
                Verdict::Right => "right".to_owned(),
                Verdict::Refused(why) => format!("refused: {why}"),
                Verdict::Wrong(why) => format!("WRONG: {why}"),
            };
            refused += usize::from(matches!(verdict, Verdict::Refused(_)));
            wrong += usize::from(matches!(verdict, Verdict::Wrong(_)));
            let cells = times.map_or("| | ".to_owned(), |t| t.map(|d| d.as_millis().to_string()).join(" | "));
            println!("| {} | {n} | {text} | {cells} | {grows} |", family.name);
        }
    }
    println!("\n{} programs, {wrong} wrong, {refused} refused", chosen.len() * args.sizes.len());
    Ok(wrong == 0)
}

/// Runs a program in this process, and tells it line by line.
fn run_here(args: &Args, program: &super::Program) -> Result<(), String> {
    let mask = match &args.mask {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
            Some(lower::profile::target_from_profile(&text).map_err(|e| e.to_string())?)
        }
        None => None,
    };
    let model = Some(args.model.as_str()).filter(|m| *m != "each");
    let mut vulkan = Vulkan::open(args.device.as_deref(), mask.as_ref(), model, "")?;
    let measured = measure(program, &mut vulkan, &mut |stage| println!("stage {stage}"));
    let Measured { verdict, frontend, lowering, driver } = measured;
    let (word, why) = match verdict {
        Verdict::Right => ("right", String::new()),
        Verdict::Refused(why) => ("refused", why),
        Verdict::Wrong(why) => ("wrong", why),
    };
    let micros = [frontend, lowering, driver].map(|d| d.as_micros().to_string()).join(" ");
    println!("times {micros}\n{word} {}", why.lines().next().unwrap_or_default());
    Ok(())
}

type Times = [Duration; 3];

/// Runs a program in a child. A child without a verdict gives one, too: it died, or did not end.
fn run_child(args: &Args, family: &str, n: usize) -> Result<(Verdict, Option<Times>), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = match &args.with {
        Some(with) => {
            let mut command = Command::new(with);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(["sizes", "--child", "--family", family, "--sizes", &n.to_string(), "--model", &args.model]);
    if let Some(device) = &args.device {
        command.args(["--device", device]);
    }
    if let Some(mask) = &args.mask {
        command.arg("--mask").arg(mask);
    }
    // What the driver compiles is what is measured.
    command.env("MESA_SHADER_CACHE_DISABLE", "true").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let (send, lines) = mpsc::channel();
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let lines = output.map(BufReader::new).into_iter().flat_map(|o| o.lines().map_while(Result::ok));
        lines.for_each(|line| {
            let _ = send.send(line);
        });
    });
    let verdict = listen(&mut child, &lines, Duration::from_secs(args.seconds));
    let _ = child.kill();
    let _ = child.wait();
    let _ = reader.join();
    Ok(verdict)
}

/// Reads what a child says until it has told its verdict, ends, or the time is over.
fn listen(child: &mut Child, lines: &mpsc::Receiver<String>, limit: Duration) -> (Verdict, Option<Times>) {
    let end = std::time::Instant::now() + limit;
    let (mut times, mut stage) = (None, "the start".to_owned());
    loop {
        let left = end.saturating_duration_since(std::time::Instant::now());
        let line = match lines.recv_timeout(left) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return (Verdict::Wrong(format!("{stage} takes more than {} s", limit.as_secs())), None);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                return (Verdict::Wrong(format!("{stage}: the process ended: {status}")), None);
            }
        };
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "stage" => rest.clone_into(&mut stage),
            "times" => {
                let micros: Vec<u64> = rest.split(' ').map_while(|t| t.parse().ok()).collect();
                times = micros.try_into().ok().map(|t: [u64; 3]| t.map(Duration::from_micros));
            }
            "right" => return (Verdict::Right, times),
            "refused" => return (Verdict::Refused(rest.to_owned()), times),
            "wrong" => return (Verdict::Wrong(rest.to_owned()), times),
            // What a driver printed.
            _ => {}
        }
    }
}

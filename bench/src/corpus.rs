//! How long the front end takes for real programs: the benchmark's figure for thousand lines.

use crate::stages::median;
use crate::table;
use pumice_fuzz::run::{self, Compiled, Outcome};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One source with the options that it is built with.
#[derive(Debug, Clone)]
struct Job {
    program: String,
    file: PathBuf,
    options: String,
}

/// The cost of its compilation.
#[derive(Debug, Clone)]
struct Figure {
    job: Job,
    /// Lines of it and of what it includes.
    lines: usize,
    ms: f64,
}

impl Figure {
    fn ms_per_1000_lines(&self) -> f64 {
        self.ms * 1000.0 / self.lines.max(1) as f64
    }
}

/// Sources shorter than this say more about what every compilation costs than about lines.
const SHORT: usize = 50;

/// Compiles everything that `path` names and prints what it took: `path` is a list as `scripts/corpus` leaves it in
/// `target/corpus/jobs.tsv` (program, file and build options, with tabs between), or a folder, whose files `*.cl` are
/// compiled with no options. Times are this process's on a CPU, whatever else the machine does, the least of several.
///
/// # Errors
/// A message that names what cannot be read.
pub fn run(path: &Path) -> Result<(), String> {
    let jobs = if path.is_dir() { folder(path)? } else { list(path)? };
    let mut figures = Vec::new();
    let mut refused = 0;
    for job in jobs {
        match measure(&job) {
            Some((compiled, time)) => {
                figures.push(Figure { job, lines: compiled.lines, ms: time.as_secs_f64() * 1000.0 });
            }
            None => refused += 1,
        }
    }
    print_programs(&figures);
    println!("\nthe slowest for their length, of {SHORT} lines and more:");
    print_sources(&figures, Figure::ms_per_1000_lines, |f| f.lines >= SHORT);
    println!("\nthe slowest:");
    print_sources(&figures, |f| f.ms, |_| true);
    if refused > 0 {
        println!("\nnot compiled: {refused}");
    }
    Ok(())
}

fn list(path: &Path) -> Result<Vec<Job>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let job = |line: &str| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        let (program, file) = (parts.next()?, parts.next()?);
        Some(Job { program, file: file.into(), options: parts.next().unwrap_or_default() })
    };
    Ok(text.lines().filter_map(job).collect())
}

fn folder(path: &Path) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for file in entries.flatten().map(|e| e.path()) {
            if file.is_dir() {
                folders.push(file);
            } else if file.extension().is_some_and(|e| e == "cl") {
                let below = file.strip_prefix(path).unwrap_or(&file);
                let program = below.parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
                jobs.push(Job { program, file, options: String::new() });
            }
        }
    }
    jobs.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(jobs)
}

/// Compiles a source a few times; `None` where it does not compile.
fn measure(job: &Job) -> Option<(Compiled, Duration)> {
    let mut options = run::everything();
    options.parse_build_options(&job.options).ok()?;
    options.include_dirs.extend(job.file.parent().map(Path::to_owned));
    let text = String::from_utf8_lossy(&std::fs::read(&job.file).ok()?).into_owned();
    let name = job.file.to_string_lossy();
    let compiled = run::compile(&name, &text, &options);
    let Outcome::Good(_) = compiled.outcome else { return None };
    let (mut least, mut all) = (compiled.time, compiled.time);
    for _ in 0..9 {
        if all > Duration::from_millis(30) {
            break;
        }
        let time = run::compile(&name, &text, &options).time;
        least = least.min(time);
        all += time;
    }
    Some((compiled, least))
}

fn print_programs(figures: &[Figure]) {
    let mut programs: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for figure in figures {
        programs.entry(&figure.job.program).or_default().push(figure);
    }
    let mut rows: Vec<_> = programs.iter().map(|(name, group)| row(name, group)).collect();
    rows.push(row("all", &figures.iter().collect::<Vec<_>>()));
    table::print(&["program", "sources", "lines", "median ms/1000 lines", "ms in all"], &rows);
}

fn row(name: &str, group: &[&Figure]) -> Vec<String> {
    vec![
        name.to_owned(),
        group.len().to_string(),
        group.iter().map(|f| f.lines).sum::<usize>().to_string(),
        format!("{:.2}", median(group.iter().map(|f| f.ms_per_1000_lines()).collect())),
        format!("{:.0}", group.iter().map(|f| f.ms).sum::<f64>()),
    ]
}

/// The ten sources that are the worst by a measure.
fn print_sources(figures: &[Figure], by: impl Fn(&Figure) -> f64, among: impl Fn(&Figure) -> bool) {
    let mut worst: Vec<&Figure> = figures.iter().filter(|f| among(f)).collect();
    worst.sort_by(|a, b| by(b).total_cmp(&by(a)));
    let rows: Vec<_> = worst
        .iter()
        .take(10)
        .map(|f| {
            let name = f.job.file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            let per_line = format!("{:.2}", f.ms_per_1000_lines());
            vec![format!("{}: {name}", f.job.program), f.lines.to_string(), per_line, format!("{:.1}", f.ms)]
        })
        .collect();
    table::print(&["source", "lines", "ms/1000 lines", "ms"], &rows);
}

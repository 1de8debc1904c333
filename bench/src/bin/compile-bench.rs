//! How long a compilation takes, in process, stage by stage.

use lower::Target;
use lower::kernel_info::BindingModel;
use pumice_bench::generate::{Shape, program};
use pumice_bench::inputs::{self, Source};
use pumice_bench::stages::{Measurement, measure, names, peak_memory_kib};
use pumice_bench::table;
use pumice_fuzz::run as fuzz;
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Usage: compile-bench [OPTIONS] [FILE.cl …]

Compiles each file (default: tests/kernels/*.cl) for each target in both binding models, many times,
and prints the median times. Nothing is written.

  --target PROFILE.json   a Vulkan Profiles JSON; may be repeated (default: usual desktop features)
  --binding MODEL         descriptor or address only
  --iterations N          at most N compilations of each, for about a second (default 200)
  --generated [LINES]     instead of files: generated programs of 1000, 5000 and 20000 lines (or LINES)
  --corpus PATH           instead: the front end alone, for real programs: a folder of *.cl files, or the list that
                          scripts/corpus leaves in target/corpus/jobs.tsv; and the generated program of 20000 lines
  --json                  one JSON array instead of tables
";

struct Args {
    files: Vec<PathBuf>,
    targets: Vec<Target>,
    models: Vec<BindingModel>,
    iterations: usize,
    generated: Option<Vec<usize>>,
    corpus: Option<PathBuf>,
    json: bool,
}

fn main() -> ExitCode {
    match parse().and_then(|args| args.map_or(Ok(()), |a| run(&a))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("compile-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Args>, String> {
    let mut args = Args {
        files: Vec::new(),
        targets: Vec::new(),
        models: vec![BindingModel::Descriptor, BindingModel::Address],
        iterations: 200,
        generated: None,
        corpus: None,
        json: false,
    };
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--target" => args.targets.push(inputs::target(&PathBuf::from(value()?))?),
            "--binding" => args.models = vec![model(&value()?)?],
            "--iterations" => {
                args.iterations = value()?.parse().map_err(|_| "--iterations needs a number".to_owned())?;
            }
            "--generated" => {
                let lines = words.next_if(|w| w.parse::<usize>().is_ok()).and_then(|w| w.parse().ok());
                args.generated = Some(lines.map_or_else(|| vec![1000, 5000, 20000], |l| vec![l]));
            }
            "--corpus" => args.corpus = Some(value()?.into()),
            "--json" => args.json = true,
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(None);
            }
            option if option.starts_with('-') => return Err(format!("unknown option {option}\n{HELP}")),
            file => args.files.push(PathBuf::from(file)),
        }
    }
    if args.targets.is_empty() {
        args.targets.push(inputs::usual_target());
    }
    Ok(Some(args))
}

fn model(word: &str) -> Result<BindingModel, String> {
    match word {
        "descriptor" => Ok(BindingModel::Descriptor),
        "address" => Ok(BindingModel::Address),
        _ => Err(format!("--binding {word}: neither 'descriptor' nor 'address'")),
    }
}

fn run(args: &Args) -> Result<(), String> {
    if let Some(path) = &args.corpus {
        pumice_bench::corpus::run(path)?;
        return twenty_thousand_lines();
    }
    let sources = match &args.generated {
        None => inputs::sources(&args.files)?,
        Some(sizes) => generated(sizes),
    };
    let mut results = Vec::new();
    let mut refused = Vec::new();
    for source in &sources {
        for target in &args.targets {
            for model in &args.models {
                match measure(&source.name, &source.text, target, *model, args.iterations) {
                    Ok(m) => results.push(m),
                    Err(e) => {
                        let first = e.lines().next().unwrap_or_default();
                        refused.push(format!("{} ({model:?}, {}): {first}", source.name, target.name));
                    }
                }
            }
        }
    }
    if args.json {
        let json =
            serde_json::json!({ "measurements": results, "refused": refused, "peak_kib": peak_memory_kib() });
        println!("{json:#}");
        return Ok(());
    }
    print_totals(&results);
    println!();
    print_stages(&results);
    if let Some(kib) = peak_memory_kib() {
        println!("\npeak memory of this process: {:.1} MB", kib as f64 / 1024.0);
    }
    for line in refused {
        println!("not compiled: {line}");
    }
    Ok(())
}

/// The front end's time for each shape of a program of 20,000 lines.
fn twenty_thousand_lines() -> Result<(), String> {
    println!();
    let mut rows = Vec::new();
    for source in generated(&[20_000]) {
        let compiled = fuzz::compile(&source.name, &source.text, &fuzz::everything());
        if let fuzz::Outcome::Refused(message) | fuzz::Outcome::Panic(message) = compiled.outcome {
            return Err(format!("{}: {message}", source.name));
        }
        let ms = compiled.time.as_secs_f64() * 1000.0;
        rows.push(vec![source.name, compiled.lines.to_string(), format!("{ms:.0}")]);
    }
    table::print(&["generated", "lines", "ms"], &rows);
    Ok(())
}

fn generated(sizes: &[usize]) -> Vec<Source> {
    let mut sources = Vec::new();
    for shape in Shape::ALL {
        for lines in sizes {
            let name = format!("{}-{lines}", shape.name());
            sources.push(Source { name, text: program(shape, *lines) });
        }
    }
    sources
}

fn print_totals(results: &[Measurement]) {
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|m| {
            vec![
                m.name.clone(),
                format!("{:?}", m.binding).to_lowercase(),
                m.target.clone(),
                m.lines.to_string(),
                m.iterations.to_string(),
                format!("{:.2}", m.first_ms),
                format!("{:.2}", m.total_ms),
                format!("{:.1}", m.ms_per_1000_lines()),
                m.words.to_string(),
            ]
        })
        .collect();
    table::print(
        &["source", "binding", "target", "lines", "runs", "first ms", "ms", "ms/1000", "words"],
        &rows,
    );
}

fn print_stages(results: &[Measurement]) {
    let mut header = vec!["ms by stage"];
    header.extend(names());
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|m| {
            let binding = format!("{:?}", m.binding).to_lowercase();
            let mut row = vec![format!("{} {}", m.name, &binding[..1])];
            row.extend(m.stages_ms.iter().map(|(_, ms)| format!("{ms:.2}")));
            row
        })
        .collect();
    table::print(&header, &rows);
}

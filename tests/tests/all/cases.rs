//! Data-driven cases: `tests/cases/**/*.cl`, each with its expectations in comments.
//!
//! | comment | meaning |
//! |---|---|
//! | `// options: …` | build options |
//! | `// features: …` | features that the device has besides, by the names of their macros; the module must be valid for OpenCL |
//! | `// lowering: text` | the case compiles, and no device can run it: the lowering's message contains the text |
//! | `// no-diagnostics` | the case compiles without an error or warning |
//! | `//~ error[id]: text` | on this line: an error with this id whose message contains the text (or a `warning`) |
//! | `//~^ error[id]: text` | the same for the line above; one `^` more for each line further up |
//! | `//~ note: text` | a note of some diagnostic points to this line, and contains the text |
//! | `//~ fix: text` | with the changes made that the diagnostics propose, this line contains the text |
//! | `// fixed` | with those changes made, the case compiles without an error or warning |
//! | `// run: …` | arguments for `pumice run`; runs in both binding models |
//! | `// run[descriptor]: …` | the same in one model |
//! | `// prints: …` | a line that the run before it prints, in order |
//! | `// reports: LINE CLASS: text` | the run before it reports this fault, ends with exit code 1, and prints what it prints; faults in order |
//! | `// fails: text` | the run before it ends with exit code 1 and a message that contains the text |
//! | `// or-fails: text` | it may do so instead of printing what it prints: on drivers that cannot do it right, and say so |
//! | `// or-fails[masked]: text` | the same on a device with little alone |
//! | `// refused: text` | so does the run before it on a device with little (`masked.rs`), which cannot have what it needs |
//! | `// refused[swiftshader phone-1.1]: text` | the same, on those devices alone |
//!
//! `PUMICE_TEST_CASES` is a part of the paths to run alone; `PUMICE_TEST_OPTIONS` are build options for every run (`-g`).
//!
//! Any other `//~` or a misspelt directive fails the test, as does a case that expects nothing.

use crate::debug_info::environment;
use frontend::Compilation;
use frontend::diag::{Severity, Style, fix, render};
use frontend::options::{Features, Optional, Options};
use frontend::source::FileId;
use lower::{LowerError, LowerOptions, Target};
use spirv_tools::val::{self, Validator};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Default)]
pub struct Case {
    pub options: Vec<String>,
    pub features: Vec<String>,
    lowering: Option<String>,
    no_diagnostics: bool,
    /// (line, severity, id, text)
    diagnostics: Vec<(u32, Severity, String, String)>,
    /// (line, text)
    notes: Vec<(u32, String)>,
    /// `// fixed`
    fixed: bool,
    /// (line, text) of what the proposed changes make
    fixes: Vec<(u32, String)>,
    pub runs: Vec<Run>,
}

#[derive(Debug)]
pub struct Run {
    pub bindings: &'static [&'static str],
    pub args: Vec<String>,
    pub prints: Vec<String>,
    /// (line, class, text)
    pub reports: Vec<(u32, String, String)>,
    pub fails: Option<String>,
    /// `// or-fails: text`, and whether on masked devices alone
    pub or_fails: Option<(String, bool)>,
    /// `// refused: text`
    refused: Option<String>,
    /// The profiles it is refused on, by their files' stems; none: on each.
    refused_on: Vec<String>,
}

impl Run {
    /// What the run is refused with on a device masked with a profile.
    fn refused_with(&self, mask: &Path) -> Option<&String> {
        let here = |stem: &String| mask.file_stem().is_some_and(|s| s == stem.as_str());
        let refused = self.refused_on.is_empty() || self.refused_on.iter().any(here);
        self.refused.as_ref().filter(|_| refused)
    }
}

const DIRECTIVES: &[&str] = &[
    "options",
    "features",
    "lowering",
    "run",
    "run[descriptor]",
    "run[address]",
    "prints",
    "reports",
    "fails",
    "or-fails",
    "or-fails[masked]",
    "refused",
];

pub fn parse(text: &str) -> Result<Case, String> {
    let mut case = Case::default();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        if let Some((_, expectation)) = line.split_once("//~") {
            let up = expectation.chars().take_while(|c| *c == '^').count() as u32;
            let (at, expectation) = (number.saturating_sub(up), &expectation[up as usize..]);
            match expectation.trim().split_once(": ") {
                Some(("note", text)) => case.notes.push((at, text.to_owned())),
                Some(("fix", text)) => case.fixes.push((at, text.to_owned())),
                _ => case.diagnostics.push(expectation_of(at, expectation)?),
            }
            continue;
        }
        let Some(comment) = line.strip_prefix("// ") else { continue };
        if comment == "no-diagnostics" {
            case.no_diagnostics = true;
            continue;
        }
        if comment == "fixed" {
            case.fixed = true;
            continue;
        }
        let Some((name, value)) = comment.split_once(": ") else { continue };
        if !DIRECTIVES.contains(&name) && refused_on(name).is_none() {
            // Prose may contain a colon; a word alone before it is taken for a directive.
            let looks_like_one =
                !name.contains(' ') && name.chars().all(|c| c.is_ascii_lowercase() || "-[]".contains(c));
            if looks_like_one {
                return Err(format!("line {number}: unknown directive '{name}'"));
            }
            continue;
        }
        directive(&mut case, number, name, value)?;
    }
    if !case.no_diagnostics && case.diagnostics.is_empty() && case.runs.is_empty() {
        return Err("the case expects nothing".to_owned());
    }
    Ok(case)
}

fn directive(case: &mut Case, number: u32, name: &str, value: &str) -> Result<(), String> {
    let words = || value.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let bindings: &'static [&'static str] = match name {
        "options" => {
            case.options.extend(words());
            return Ok(());
        }
        "features" => {
            case.features.extend(words());
            return Ok(());
        }
        "lowering" => {
            case.lowering = Some(value.trim().to_owned());
            return Ok(());
        }
        "run[descriptor]" => &["descriptor"],
        "run[address]" => &["address"],
        "run" => &["descriptor", "address"],
        _ => {
            let run = case.runs.last_mut().ok_or(format!("line {number}: '{name}' before any 'run'"))?;
            match name {
                "prints" => run.prints.push(value.trim().to_owned()),
                "reports" => {
                    let wrong = || format!("line {number}: not 'LINE CLASS: text'");
                    let (place, text) = value.split_once(": ").ok_or_else(wrong)?;
                    let (line, class) = place.trim().split_once(' ').ok_or_else(wrong)?;
                    let line = line.parse().map_err(|_| wrong())?;
                    run.reports.push((line, class.to_owned(), text.trim().to_owned()));
                }
                "or-fails" => run.or_fails = Some((value.trim().to_owned(), false)),
                "or-fails[masked]" => run.or_fails = Some((value.trim().to_owned(), true)),
                "refused" => run.refused = Some(value.trim().to_owned()),
                _ if refused_on(name).is_some() => {
                    run.refused = Some(value.trim().to_owned());
                    run.refused_on = refused_on(name).unwrap_or_default();
                }
                _ => run.fails = Some(value.trim().to_owned()),
            }
            return Ok(());
        }
    };
    case.runs.push(Run {
        bindings,
        args: words(),
        prints: vec![],
        reports: vec![],
        fails: None,
        or_fails: None,
        refused: None,
        refused_on: vec![],
    });
    Ok(())
}

/// The profiles of `refused[swiftshader phone-1.1]`.
fn refused_on(name: &str) -> Option<Vec<String>> {
    let profiles = name.strip_prefix("refused[")?.strip_suffix(']')?;
    Some(profiles.split_whitespace().map(str::to_owned).collect())
}

/// ` error[id]: text`
fn expectation_of(line: u32, text: &str) -> Result<(u32, Severity, String, String), String> {
    let parse = || {
        let (head, message) = text.trim().split_once("]: ")?;
        let (severity, id) = head.split_once('[')?;
        let severity = match severity {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return None,
        };
        Some((line, severity, id.to_owned(), message.trim().to_owned()))
    };
    parse().ok_or(format!("line {line}: '//~{text}' is not '//~ error[id]: text'"))
}

/// What is wrong with a case, or nothing.
fn check(path: &Path) -> Result<(), String> {
    let extra = std::env::var("PUMICE_TEST_OPTIONS").unwrap_or_default();
    let extra: Vec<&str> = extra.split_whitespace().collect();
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = parse(&text)?;
    check_diagnostics(&case, path, &text)?;
    for run in &case.runs {
        for binding in run.bindings {
            check_run(&case, run, path, &How { binding, extra: &extra, ..How::default() })?;
        }
    }
    Ok(())
}

/// The features of names.
pub fn features(names: &[String]) -> Result<Features, String> {
    let find = |name: &String| Optional::find(name).ok_or(format!("there is no feature '{name}'"));
    names.iter().try_fold(Features::empty(), |all, name| Ok(all | find(name)?.any_of))
}

fn check_diagnostics(case: &Case, path: &Path, text: &str) -> Result<(), String> {
    let mut options = Options::default();
    host::target::apply_generic(&mut options);
    options.parse_build_options(&case.options.join(" ")).map_err(|e| e.to_string())?;
    options.features |= features(&case.features)?;
    let name = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
    let compiled = frontend::compile(&name, text, &options);
    let (mut expected, mut notes) = (case.diagnostics.clone(), case.notes.clone());
    let mut problems = String::new();
    for diagnostic in compiled.diagnostics.iter() {
        for note in &diagnostic.notes {
            let Some(span) = note.span else { continue };
            let line = compiled.sources.locate(compiled.sources.outermost(span)).line;
            notes.retain(|(at, part)| *at != line || !note.message.contains(part.as_str()));
        }
        let place = compiled.sources.locate(compiled.sources.outermost(diagnostic.span));
        let found = expected.iter().position(|(line, severity, id, part)| {
            *line == place.line
                && *severity == diagnostic.severity
                && id == diagnostic.id
                && diagnostic.message.contains(part.as_str())
        });
        match found {
            Some(index) => drop(expected.remove(index)),
            None => {
                let _ = writeln!(
                    problems,
                    "unexpected at line {}: {:?}[{}]: {}",
                    place.line, diagnostic.severity, diagnostic.id, diagnostic.message
                );
            }
        }
    }
    for (line, severity, id, part) in expected {
        let _ = writeln!(problems, "missing at line {line}: {severity:?}[{id}]: …{part}…");
    }
    for (line, part) in notes {
        let _ = writeln!(problems, "missing at line {line}: note …{part}…");
    }
    check_fixes(case, &compiled, &name, &options, &mut problems);
    if compiled.spirv.is_none() && !compiled.diagnostics.has_errors() {
        problems.push_str("no module and no error\n");
    }
    if let (Some(words), false) = (&compiled.spirv, case.features.is_empty())
        && let Err(error) = val::create(Some(environment(words))).validate(words, None)
    {
        let _ = writeln!(problems, "the validator: {error}");
    }
    if let (Some(words), Some(text)) = (&compiled.spirv, &case.lowering) {
        match lower::lower(words, &Target::minimum(), &LowerOptions::default()) {
            Err(error @ LowerError::Unsupported { .. }) if error.to_string().contains(text) => {}
            Err(error) => drop(writeln!(problems, "the lowering says: {error}")),
            Ok(_) => problems.push_str("the lowering refuses nothing\n"),
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{problems}{}", render(&compiled.diagnostics, &compiled.sources, Style::Line)))
}

/// The changes that the diagnostics propose, made: do they give what the case expects?
fn check_fixes(case: &Case, compiled: &Compilation, name: &str, options: &Options, problems: &mut String) {
    if !case.fixed && case.fixes.is_empty() {
        return;
    }
    let fixed = fix::apply(&compiled.diagnostics, &compiled.sources, FileId(0));
    for (line, part) in &case.fixes {
        // What stands in comments is no fix.
        let found = fixed.lines().nth(*line as usize - 1).map_or("", |l| l.split("//~").next().unwrap_or(l));
        if !found.contains(part.as_str()) {
            let _ = writeln!(problems, "line {line} is not fixed to '{part}': '{found}'");
        }
    }
    if case.fixed {
        let again = frontend::compile(name, &fixed, options);
        if again.spirv.is_none() || again.diagnostics.iter().next().is_some() {
            let log = render(&again.diagnostics, &again.sources, Style::Line);
            let _ = writeln!(problems, "the fixed source gives:\n{log}--- it is:\n{fixed}---");
        }
    }
}

/// How the kernels of a case are run.
#[derive(Default)]
pub struct How<'a> {
    /// The binding model.
    pub binding: &'a str,
    /// Further build options.
    pub extra: &'a [&'a str],
    /// A profile that the device is masked with.
    pub mask: Option<&'a Path>,
    /// The Vulkan driver alone that there is, by its description for the loader.
    pub driver: Option<&'a Path>,
    /// What the case says of refusals by the profile is not looked at.
    pub whatever_is_refused: bool,
}

/// Runs a kernel of a case as the case says; `path` is the case, or a file made of it.
pub fn check_run(case: &Case, run: &Run, path: &Path, how: &How<'_>) -> Result<(), String> {
    let mut command = Command::new(pumice_tests::pumice());
    command.arg("run").arg(path).args(["--binding", how.binding]).args(&run.args).args(&case.options);
    command.args(how.extra);
    command.env("PUMICE_VALIDATE", pumice_tests::validate()).env("PUMICE_CACHE_DIR", "");
    if let Some(mask) = how.mask {
        command.env("PUMICE_TARGET", mask);
    }
    if let Some(driver) = how.driver {
        command.env("VK_DRIVER_FILES", driver);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = format!("{stdout}{stderr}\nrepeat with: {command:?}");
    let mask = how.mask.filter(|_| !how.whatever_is_refused);
    match run.fails.as_ref().or(mask.and_then(|mask| run.refused_with(mask))) {
        Some(text) if output.status.code() != Some(1) => {
            return Err(format!("exit {} instead of 1 with '{text}'\n{told}", output.status));
        }
        Some(text) if !stderr.contains(text.as_str()) => return Err(format!("no '{text}' in\n{told}")),
        Some(_) => return Ok(()),
        None if output.status.code() == Some(1)
            && run.or_fails.as_ref().is_some_and(|(text, masked)| {
                (how.mask.is_some() || !masked) && stderr.contains(text.as_str())
            }) =>
        {
            return Ok(());
        }
        None if output.status.code() == Some(1)
            && lacking().iter().any(|name| stderr.contains(&format!("needs {name},"))) =>
        {
            pumice_tests::tell(&format!("{}: refused, the device lacks it", path.display()));
            return Ok(());
        }
        None if !run.reports.is_empty() => check_reports(run, &output, &told)?,
        None if !output.status.success() => return Err(format!("exit {}\n{told}", output.status)),
        None => {}
    }
    let lines: Vec<&str> = stdout.lines().map(str::trim).collect();
    if lines != run.prints {
        return Err(format!("printed {lines:#?}, expected {:#?}\n{told}", run.prints));
    }
    Ok(())
}

/// Compares the faults that a run reported with those that the case has.
fn check_reports(run: &Run, output: &std::process::Output, told: &str) -> Result<(), String> {
    if output.status.code() != Some(1) {
        return Err(format!("exit {} instead of 1 after faults\n{told}", output.status));
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let faults: Vec<&str> = stderr.split("pumice: fault (").skip(1).collect();
    if faults.len() != run.reports.len() {
        return Err(format!("{} faults instead of {}\n{told}", faults.len(), run.reports.len()));
    }
    for (fault, (line, class, text)) in faults.iter().zip(&run.reports) {
        let place = fault.lines().find(|l| l.trim_start().starts_with("-->")).unwrap_or_default();
        let good = fault.starts_with(&format!("{class}):")) && place.contains(&format!(".cl:{line}:"));
        if !good || !fault.contains(text.as_str()) {
            return Err(format!("no fault ({class}) at line {line} with '{text}' but\n{fault}\n{told}"));
        }
    }
    Ok(())
}

/// What the device at hand has not, by `PUMICE_TEST_LACKS`: a run that is refused for it gives what it should. (scripts/arm64: an emulated processor
/// without halves.)
fn lacking() -> Vec<String> {
    let names = std::env::var("PUMICE_TEST_LACKS").unwrap_or_default();
    names.split_whitespace().map(str::to_owned).collect()
}

/// Runs the kernels of a case with further build options, whatever its diagnostics.
pub fn check_runs(path: &Path, extra: &[&str]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = parse(&text)?;
    let runs = case.runs.iter().flat_map(|run| run.bindings.iter().map(move |b| (run, *b)));
    runs.into_iter()
        .try_for_each(|(run, binding)| check_run(&case, run, path, &How { binding, extra, ..How::default() }))
}

/// Runs the kernels of a case that always succeed with further options, each in one binding model.
pub fn check_once(path: &Path, extra: &[&str]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = parse(&text)?;
    let runs = case.runs.iter().filter(|run| run.fails.is_none() && run.or_fails.is_none());
    runs.enumerate().try_for_each(|(n, run)| {
        let binding = run.bindings[n % run.bindings.len()];
        check_run(&case, run, path, &How { binding, extra, ..How::default() })
    })
}

pub fn all_cases(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("tests/cases").map(|e| e.expect("directory entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all_cases(&path, found);
        } else if path.extension().is_some_and(|e| e == "cl") {
            found.push(path);
        }
    }
}

/// What a check has to say about each of many things. One thread for each processor takes the next; most of the time is
/// the program's start.
pub fn each<T: Sync>(things: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut said = Vec::new();
        while let Some(thing) = things.get(next.fetch_add(1, Ordering::Relaxed)) {
            said.extend(check(thing));
        }
        said
    };
    let mut said: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("a check panicked")).collect()
    });
    said.sort();
    said
}

#[test]
fn cases() {
    let mut paths = Vec::new();
    all_cases(&pumice_tests::root().join("cases"), &mut paths);
    assert!(paths.len() >= 20, "the cases are there");
    if let Ok(part) = std::env::var("PUMICE_TEST_CASES") {
        paths.retain(|p| p.to_string_lossy().contains(&part));
        assert!(!paths.is_empty(), "no case has '{part}' in its path");
    }
    let failures = each(&paths, |path| {
        check(path).map_err(|problem| format!("--- {}\n{problem}", path.display())).err()
    });
    let failures = failures.join("\n");
    pumice_tests::tell(&format!("{} cases", paths.len()));
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn misspelt_expectations_are_noticed() {
    for bad in ["// runs: x", "int x; //~ eror[id]: text", "int x; //~ error: text", "// prints: 1", "int x;"]
    {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

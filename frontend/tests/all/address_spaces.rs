//! The rules on address spaces (A-, and the front-end part of I-): each has cases that are accepted and cases that
//! are rejected, under `tests/cases`; a case says which with a line `// A-10 accepted: …`. What the cases
//! expect is checked with all cases, in `tests/`; here is checked that no rule lacks either half, and that
//! what is rejected names both address spaces and shows the declarations.

use pumice_frontend::diag::{Diagnostic, Severity, Style, render};
use pumice_frontend::options::{Features, Options};
use pumice_frontend::{Compilation, compile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The rules: `A-1` to `A-15`, and `I-2`, the one on inference that the front end has a part in.
fn rules() -> Vec<String> {
    (1..=15).map(|n| format!("A-{n}")).chain(["I-2".to_owned()]).collect()
}

/// Errors about one declaration: there is no other to show.
const ONE_DECLARATION: [&str; 9] = [
    "program-scope-address-space",
    "function-scope-address-space",
    "parameter-address-space",
    "return-address-space",
    "member-address-space",
    "kernel-pointer-address-space",
    "constant-uninitialized",
    "static-local",
    "invalid-variable",
];

/// Errors in the same files that are about something else than spaces.
const OTHER: [&str; 3] = ["kernel-return-type", "kernel-parameter-type", "duplicate-address-space"];

#[derive(Debug, Default)]
struct Found {
    accepted: usize,
    rejected: usize,
}

fn case_files(folder: &Path, list: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("tests/cases");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            case_files(&path, list);
        } else if path.extension().is_some_and(|e| e == "cl") {
            list.push(path);
        }
    }
}

fn compile_case(text: &str) -> Compilation {
    let features = Features::FP64 | Features::FP16 | Features::INT64 | Features::INT64_ATOMICS;
    let mut options = Options { device_version: 310, features, ..Options::default() };
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("// options: ") {
            options.parse_build_options(words).expect("the options of a case");
        }
    }
    compile("case.cl", text, &options)
}

/// The spaces that a diagnostic and its notes name.
fn spaces(diagnostic: &Diagnostic) -> usize {
    let mut text = diagnostic.message.clone();
    diagnostic.notes.iter().for_each(|n| text.push_str(&n.message));
    let names = ["__global", "__local", "__constant", "__private", "__generic"];
    names.iter().filter(|n| text.contains(**n)).count()
}

/// Returns what is missing in the errors of a rejected case.
fn check_rejected(compilation: &Compilation) -> Vec<String> {
    let mut problems = Vec::new();
    for diagnostic in compilation.diagnostics.iter() {
        if diagnostic.severity != Severity::Error || OTHER.contains(&diagnostic.id) {
            continue;
        }
        let line = compilation.sources.locate(diagnostic.span).line;
        let at = format!("line {line}: {}: {}", diagnostic.id, diagnostic.message);
        // A string literal and a null pointer have no declaration: the note then says where they live.
        let shown = diagnostic.notes.iter().any(|n| n.span.is_some());
        if !shown && !ONE_DECLARATION.contains(&diagnostic.id) {
            problems.push(format!("{at}: shows no declaration"));
        }
        if spaces(diagnostic) < 2 {
            problems.push(format!("{at}: does not name two address spaces"));
        }
    }
    problems
}

#[test]
fn each_rule_has_an_accepted_and_a_rejected_case() {
    let mut files = Vec::new();
    case_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases"), &mut files);
    let rules = rules();
    let mut found: BTreeMap<&str, Found> = rules.iter().map(|r| (r.as_str(), Found::default())).collect();
    let mut problems = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case");
        let compilation = compile_case(&text);
        for line in text.lines() {
            let Some((rule, rest)) = line.strip_prefix("// ").and_then(|l| l.split_once(' ')) else {
                continue;
            };
            let Some(found) = found.get_mut(rule) else { continue };
            let name = file.display();
            if rest.starts_with("accepted: ") {
                found.accepted += 1;
                if compilation.spirv.is_none() {
                    let said = render(&compilation.diagnostics, &compilation.sources, Style::Line);
                    problems.push(format!("{name}: not accepted\n{said}"));
                }
            } else if rest.starts_with("rejected: ") {
                found.rejected += 1;
                if compilation.spirv.is_some() {
                    problems.push(format!("{name}: not rejected"));
                }
                problems.extend(check_rejected(&compilation).into_iter().map(|p| format!("{name}: {p}")));
            }
        }
    }
    for rule in &rules {
        let Found { accepted, rejected } = found[rule.as_str()];
        println!("{rule}: {accepted} accepted, {rejected} rejected");
        if accepted == 0 || rejected == 0 {
            problems.push(format!("{rule}: needs an accepted and a rejected case"));
        }
    }
    let total: usize = found.values().map(|f| f.accepted + f.rejected).sum();
    println!("{} rules, {total} cases", rules.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

//! The run cases again with a generic pointer for each pointer: compiled as OpenCL C 3.0 with the address spaces of all
//! pointers but kernels' parameters left out, they print what they print.
//!
//! What no longer compiles (a builtin function that wants a named space) is left out and counted.

use crate::cases::{Case, How, all_cases, check_run, each, parse};
use frontend::options::{Features, Options};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

const SPACES: &[&str] = &["global", "__global", "local", "__local", "private", "__private"];

/// The words and other characters of a source without its comments, with where they begin.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |n| n + 2)
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            list.push((text.len() - rest.len(), &rest[..length]));
        }
        rest = &rest[length..];
    }
    list
}

/// Comments become spaces, so that places stay.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        let comment = &rest[at..];
        let length = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => comment.find("*/").map_or(comment.len(), |n| n + 2),
            _ => {
                out.push('/');
                rest = &comment[1..];
                continue;
            }
        };
        out.extend(comment[..length].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &comment[length..];
    }
    out + rest
}

/// Which tokens are in kernels' parameter lists: the last parentheses before a kernel's body that no attribute has.
fn in_kernel_parameters(list: &[(usize, &str)]) -> Vec<bool> {
    let mut inside = vec![false; list.len()];
    let word = |n: usize| list.get(n).map_or("", |t| t.1);
    for start in (0..list.len()).filter(|n| matches!(word(*n), "kernel" | "__kernel")) {
        let (mut depth, mut open, mut parameters) = (0, 0, None);
        for n in start..list.len() {
            match word(n) {
                "(" => {
                    if depth == 0 {
                        open = n;
                    }
                    depth += 1;
                }
                ")" => {
                    depth -= 1;
                    if depth == 0 && word(open.saturating_sub(1)) != "__attribute__" {
                        parameters = Some(open..n);
                    }
                }
                "{" | ";" if depth == 0 => break,
                _ => {}
            }
        }
        parameters.into_iter().flatten().for_each(|n| inside[n] = true);
    }
    inside
}

/// The source with generic pointers, and how many there are.
fn unqualified(text: &str) -> (String, usize) {
    let text = without_comments(text);
    let list = tokens(&text);
    let kept = in_kernel_parameters(&list);
    let mut out = text.clone();
    let mut count = 0;
    for (n, (at, word)) in list.iter().enumerate() {
        let line = text[..*at].rfind('\n').map_or(0, |n| n + 1);
        if kept[n] || !SPACES.contains(word) || text[line..].starts_with('#') {
            continue;
        }
        let ends = |t: &&(usize, &str)| matches!(t.1, "*" | ";" | "," | ")" | "=" | "{" | "}" | "[");
        if list[n + 1..].iter().find(ends).is_some_and(|t| t.1 == "*") {
            out.replace_range(*at..at + word.len(), &" ".repeat(word.len()));
            count += 1;
        }
    }
    (out, count)
}

/// The cases whose pointers are made of integers that may be anything: generic ones may be to buffers then, which descriptors cannot say.
const BY_ADDRESS: [&str; 2] = ["pointers/made_of_integers.cl", "pointers/numbers.cl"];

/// Whether a source compiles for a device with generic pointers.
fn compiles(text: &str, options: &[String]) -> bool {
    let mut all = Options::default();
    host::target::apply_generic(&mut all);
    all.features |= Features::GENERIC_ADDRESS_SPACE | Features::PROGRAM_SCOPE_GLOBALS;
    all.parse_build_options(&options.join(" ")).is_ok()
        && frontend::compile("case.cl", text, &all).spirv.is_some()
}

#[test]
fn every_pointer_generic() {
    let mut paths = Vec::new();
    all_cases(&pumice_tests::root().join("cases"), &mut paths);
    if let Ok(part) = std::env::var("PUMICE_TEST_CASES") {
        paths.retain(|p| p.to_string_lossy().contains(&part));
    }
    let dir = tempfile::tempdir().expect("temporary directory");
    let (runs, left_out) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let numbered: Vec<(usize, &PathBuf)> = paths.iter().enumerate().collect();
    let failures = each(&numbered, |(n, path)| {
        let text = std::fs::read_to_string(path).expect("a case");
        let mut case: Case = parse(&text).ok().filter(|c| !c.runs.is_empty())?;
        let (generic, changed) = unqualified(&text);
        if changed == 0 {
            return None;
        }
        case.options.retain(|o| !o.starts_with("-cl-std"));
        case.options.push("-cl-std=CL3.0".to_owned());
        let file = dir.path().join(format!("{n}.cl"));
        std::fs::write(&file, &generic).expect("a temporary file");
        if !compiles(&generic, &case.options) {
            left_out.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let by_address = BY_ADDRESS.iter().any(|case| path.ends_with(case));
        let problem = case.runs.iter().find_map(|run| {
            let mut bindings = run.bindings.iter().filter(|b| **b == "address" || !by_address);
            bindings.find_map(|b| {
                runs.fetch_add(1, Ordering::Relaxed);
                check_run(&case, run, &file, &How { binding: b, ..How::default() }).err()
            })
        });
        Some(format!("--- {}\n{}--- it was:\n{generic}", path.display(), problem?))
    });
    let (runs, left_out) = (runs.into_inner(), left_out.into_inner());
    pumice_tests::tell(&format!("{runs} runs with generic pointers ({left_out} cases cannot have them)"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let all = std::env::var_os("PUMICE_TEST_CASES").is_none();
    assert!(!all || runs >= 100, "only {runs} runs: pointers are no longer found");
}

#[test]
fn what_is_left_out() {
    let (text, count) = unqualified(
        "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int *p) { local int l[2], *q; global int *r = /* local * */ p; local int *const s = l; }",
    );
    assert_eq!(count, 2, "{text}");
    assert!(text.contains("global int *p") && text.contains("local int l[2]"), "{text}");
}

//! The tutorial is true: its kernels and commands, run as they are written.

use super::repository;
use std::path::Path;
use std::process::Command;

/// The words of a command, with single quotes.
fn words(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => found.push(String::new()),
            _ => found.last_mut().expect("a word").push(c),
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

/// Writes the files that a page says to save: "Save this as `NAME`", and the next fenced text.
fn save_files(page: &str, dir: &Path) -> usize {
    let mut count = 0;
    for part in page.split("Save this as `").skip(1) {
        let (name, rest) = part.split_once('`').expect("a name");
        let text = rest.split("```").nth(1).and_then(|text| text.split_once('\n')).expect("a fenced text").1;
        std::fs::write(dir.join(name), text).expect("written");
        count += 1;
    }
    count
}

/// The commands of a page that begin with `$ pumice`, each with the output that the page shows.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        match line.strip_prefix("    ") {
            Some(line) if line.starts_with("$ pumice ") => {
                found.push((line["$ ".len()..].to_owned(), String::new()));
                is_open = true;
            }
            Some(line) if is_open => {
                let shown = &mut found.last_mut().expect("a command").1;
                *shown += line;
                shown.push('\n');
            }
            _ => is_open = false,
        }
    }
    found
}

#[test]
fn the_first_kernel() {
    let page = std::fs::read_to_string(repository().join("docs/tutorial/first-kernel.md")).expect("the page");
    let dir = tempfile::tempdir().expect("temporary directory");
    assert_eq!(save_files(&page, dir.path()), 2);
    let run = |line: &str| {
        let mut command = Command::new(pumice_tests::pumice());
        command.args(&words(line)[1..]).current_dir(dir.path()).env("PUMICE_CACHE_DIR", "");
        command.output().expect("pumice starts")
    };
    let list = commands(&page);
    assert_eq!(list.len(), 2, "{list:?}");
    for (line, shown) in list {
        let output = run(&line);
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{line}: {errors}");
        // Where arguments go depends on the device.
        if line.starts_with("pumice run") {
            assert_eq!(text, shown, "{line}");
        }
    }
    let refused = run("pumice compile bad.cl -o kernel.spv");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error[undeclared-identifier]") && errors.contains("2 errors"), "{errors}");
}

//! `tests/cases/foreign/*.clcpp`, C++ for OpenCL, through `pumice run`: by Pumice's own compiler, and by a clang that
//! `PUMICE_CLANG` chooses (docs/how-to/foreign.md).

use std::process::Command;

use pumice_tests::{pumice, root, tell, validate};

/// A run of a case: its arguments, and the lines that it must print.
fn run_of(text: &str) -> (Vec<String>, Vec<&str>) {
    let line = |mark| text.lines().filter_map(move |line: &str| line.strip_prefix(mark));
    let args = line("// run: ").flat_map(|line| line.split_whitespace().map(str::to_owned)).collect();
    (args, line("// prints: ").collect())
}

#[test]
fn cases() {
    run_cases("0");
}

#[test]
fn cases_by_clang() {
    match std::env::var("PUMICE_CLANG") {
        Ok(clang) if host::cxx::Tools::find().is_some() => run_cases(&clang),
        _ => tell("cxx: SKIPPED: PUMICE_CLANG chooses no clang with its llvm-spirv"),
    }
}

fn run_cases(clang: &str) {
    let folder = root().join("cases/foreign");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the cases") {
        let path = entry.expect("a case").path();
        if path.extension().is_none_or(|e| e != "clcpp") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("a case");
        let (args, prints) = run_of(&text);
        for binding in ["descriptor", "address"] {
            for level in [&[][..], &["-cl-opt-disable"]] {
                let mut command = Command::new(pumice());
                command.arg("run").arg(&path).args(["--binding", binding]).args(&args).args(level);
                let output = command
                    .env("PUMICE_VALIDATE", validate())
                    .env("PUMICE_CACHE_DIR", "")
                    .env("PUMICE_CLANG", clang)
                    .output()
                    .expect("pumice starts");
                let (out, said) =
                    (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert_eq!(out.lines().collect::<Vec<_>>(), prints, "{command:?}: {said}");
            }
        }
    }
    assert!(count >= 5, "{count} cases in {}", folder.display());
}

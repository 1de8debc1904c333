//! Every input of the fuzz corpus and of the inputs that changes start from: no panic, no module that the lowering calls
//! wrong, none over a second.

use lower::profile::target_from_profile;
use pumice_fuzz::run::{self, LowerOutcome, Outcome};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More than this on a CPU is a fault; a build without optimization gets more.
const SLOW: Duration = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 1 });

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    for path in entries.map(|e| e.expect("a directory's entry").path()) {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "cl") {
            found.push(path);
        }
    }
}

#[test]
fn no_input_of_the_corpus_is_a_fault() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["fuzz/corpus", "tests/kernels", "tests/cases"] {
        programs(&root.join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 200, "{} programs", files.len());
    let profile = std::fs::read_to_string(root.join("tests/profiles/swiftshader.json")).expect("a profile");
    let target = target_from_profile(&profile).expect("a valid profile");
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).expect("a program");
        let compiled = run::compile(&name, &text, &run::options_of(&text));
        if let Outcome::Panic(message) = &compiled.outcome {
            panic!("{name}: {message}");
        }
        assert!(compiled.time < SLOW, "{name}: the front end took {:?}", compiled.time);
        let Some(words) = compiled.spirv else { continue };
        let (outcome, time) = run::lower(&words, &target);
        if let LowerOutcome::Wrong(message) | LowerOutcome::Panic(message) = outcome {
            panic!("{name}: {message}");
        }
        assert!(time < SLOW, "{name}: the lowering took {time:?}");
    }
}

//! The pass table of ARCHITECTURE.md, generated from [`super::PASSES`] and the first paragraph of each pass's file.
//! `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib pipeline::documentation` writes it.

use super::{Gate, PASSES, Pass};
use crate::quirks::Quirks;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- passes: lower/src/pipeline/documentation.rs writes this table -->\n";
const END: &str = "<!-- end of passes -->\n";

/// The file of a pass: `NAME.rs` or `NAME/mod.rs` in its phase's folder or below.
fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    let own = folder.join(format!("{name}.rs"));
    if own.exists() {
        return Some(own);
    }
    if folder.file_name().is_some_and(|f| f == name) {
        return Some(folder.join("mod.rs"));
    }
    let entries = std::fs::read_dir(folder).ok()?;
    entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()).find_map(|p| file(&p, name))
}

/// The first paragraph of a file's module documentation.
fn first_paragraph(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().map_while(|l| l.strip_prefix("//! "));
    lines.collect::<Vec<_>>().join(" ")
}

fn row(pass: &Pass) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes").join(pass.phase.name());
    let path = file(&folder, pass.name)
        .unwrap_or_else(|| panic!("{}: no file of this name in {}", pass.name, folder.display()));
    let text = first_paragraph(&path);
    assert!(!text.is_empty(), "{} has no documentation", path.display());
    format!(
        "| `{}` | {} | {} | {:?} | {} | {text} |\n",
        pass.name,
        pass.phase.name(),
        pass.gate.condition(),
        pass.requires,
        pass.preserves.name()
    )
}

#[test]
fn the_table_of_passes_is_in_architecture_md() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).expect("ARCHITECTURE.md");
    let (before, rest) = text.split_once(BEGIN).expect("the table's beginning");
    let (found, after) = rest.split_once(END).expect("the table's end");
    let mut wanted = String::from(
        "| pass | phase | gate | requires | preserves | what it does |\n|---|---|---|---|---|---|\n",
    );
    for pass in PASSES {
        let _ = write!(wanted, "{}", row(pass));
    }
    if found != wanted && std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("ARCHITECTURE.md");
        return;
    }
    assert_eq!(found, wanted, "PUMICE_TEST_BLESS=1 writes the table");
}

/// The names in a gate are those of rows of the workaround table, and each of these rows alone opens the gate.
#[test]
fn gates_are_opened_by_what_they_name() {
    for pass in PASSES {
        let (Gate::Workaround(names, has) | Gate::Tuning(names, has)) = pass.gate else { continue };
        assert!(!has(&Quirks::default()), "{}: open on a driver without faults", pass.name);
        for name in names.split(" or ") {
            let mut quirks = Quirks::default();
            assert_eq!(quirks.change(&format!("+{name}")), Ok(()), "{}", pass.name);
            assert!(has(&quirks), "{}: {name} does not open it", pass.name);
        }
    }
}

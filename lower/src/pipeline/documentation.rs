//! The tables of passes and rewrite rules in docs/maintainers/passes.md, generated from [`super::PASSES`], [`RULES`] and the first paragraph of each
//! file. `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib pipeline::documentation` writes them.

use super::{Gate, PASSES, Pass};
use crate::passes::optimize::rewrite_rules::{RULES, Rewrite, Rule};
use crate::quirks::Quirks;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- passes: lower/src/pipeline/documentation.rs writes this table -->\n";
const END: &str = "<!-- end of passes -->\n";

const BEGIN_RULES: &str = "<!-- rewrite rules: lower/src/pipeline/documentation.rs writes this table -->\n";
const END_RULES: &str = "<!-- end of rewrite rules -->\n";

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

/// The first paragraph of the file of a pass or rule in a phase's folder.
fn text(phase: &str, name: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes").join(phase);
    let path = file(&folder, name)?;
    let text = first_paragraph(&path);
    assert!(!text.is_empty(), "{} has no documentation", path.display());
    Some(text)
}

/// The first line of the documentation of a set of rows.
fn text_of_rows(name: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rewrite/table");
    let set = format!("pub(crate) static {}:", name.to_uppercase());
    ["overflow.rs", "workaround.rs"].iter().find_map(|file| {
        let text = std::fs::read_to_string(folder.join(file)).expect("a table");
        let (before, _) = text.split_once(&set)?;
        let comment = before.lines().rev().take_while(|line| line.starts_with("///")).last()?;
        Some(comment.trim_start_matches("/// ").to_owned())
    })
}

fn pass_row(pass: &Pass) -> String {
    format!(
        "| `{}` | {} | {} | {:?} | {} | {} |\n",
        pass.name,
        pass.phase.name(),
        pass.gate.condition(),
        pass.requires,
        pass.preserves.name(),
        text(pass.phase.name(), pass.name).unwrap_or_else(|| panic!("{}: no file of this name", pass.name))
    )
}

fn rule_row(rule: &Rule) -> String {
    let walks: Vec<String> = rule.walks.iter().map(|walk| format!("{walk:?}").to_lowercase()).collect();
    let text = match rule.rewrite {
        Rewrite::Rows(_) => text_of_rows(rule.name),
        Rewrite::Each(_) | Rewrite::Sites(_) => {
            text("workaround", rule.name).or_else(|| text("optimize", rule.name))
        }
    };
    let text = text.unwrap_or_else(|| panic!("{}: no documentation", rule.name));
    format!("| `{}` | {} | {} | {text} |\n", rule.name, rule.gate.condition(), walks.join(", "))
}

/// Compares a table in docs/maintainers/passes.md, between two marks, or writes it.
fn table_is((begin, end): (&str, &str), head: &str, rows: impl Iterator<Item = String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/maintainers/passes.md");
    let text = std::fs::read_to_string(&path).expect("passes.md");
    let (before, rest) = text.split_once(begin).expect("the table's beginning");
    let (found, after) = rest.split_once(end).expect("the table's end");
    let wanted = head.to_owned() + &rows.collect::<String>();
    if found != wanted && std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{wanted}{end}{after}")).expect("passes.md");
        return;
    }
    assert_eq!(found, wanted, "PUMICE_TEST_BLESS=1 writes the table");
}

#[test]
fn the_tables_of_passes_and_rules_are_in_the_book() {
    let head = "| pass | phase | gate | requires | preserves | what it does |\n|---|---|---|---|---|---|\n";
    table_is((BEGIN, END), head, PASSES.iter().map(pass_row));
    let head = "| rule | gate | walk | what it does |\n|---|---|---|---|\n";
    table_is((BEGIN_RULES, END_RULES), head, RULES.iter().map(rule_row));
}

/// The names in a gate are those of rows of the workaround table, and each of these rows alone opens the gate.
#[test]
fn gates_are_opened_by_what_they_name() {
    let passes = PASSES.iter().map(|pass| (pass.name, pass.gate));
    for (of, gate) in passes.chain(RULES.iter().map(|rule| (rule.name, rule.gate))) {
        let (Gate::Workaround(names, has) | Gate::Tuning(names, has)) = gate else { continue };
        assert!(!has(&Quirks::default()), "{of}: open on a driver without faults");
        for name in names.split(" or ") {
            let mut quirks = Quirks::default();
            assert_eq!(quirks.change(&format!("+{name}")), Ok(()), "{of}");
            assert!(has(&quirks), "{of}: {name} does not open it");
        }
    }
}

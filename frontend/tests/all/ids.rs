//! The ids of diagnostics are those that the cases expect.

use pumice_frontend::diag::ids::{IDS, WITHOUT_CASE};
use std::collections::BTreeSet;
use std::path::Path;

/// The ids in the expectations of all cases under a folder (`//~ error[id]: …`).
fn expected(folder: &Path, ids: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            expected(&entry, ids);
        } else if entry.extension().is_some_and(|e| e == "cl") {
            let text = String::from_utf8_lossy(&std::fs::read(&entry).expect("a case")).into_owned();
            for line in text.lines() {
                let Some((_, expectation)) = line.split_once("//~") else { continue };
                let id = expectation.split_once('[').and_then(|(_, rest)| rest.split_once("]:"));
                ids.extend(id.map(|(id, _)| id.to_owned()));
            }
        }
    }
}

#[test]
fn every_id_is_in_the_table_and_in_a_case() {
    assert!(IDS.is_sorted() && WITHOUT_CASE.is_sorted());
    let mut cases = BTreeSet::new();
    expected(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases"), &mut cases);
    let unknown: Vec<_> = cases.iter().filter(|id| !IDS.contains(&id.as_str())).collect();
    assert!(unknown.is_empty(), "the cases expect ids that are not in the table: {unknown:?}");
    let missing = |id: &&str| !cases.contains(*id) && !WITHOUT_CASE.contains(id);
    let missing: Vec<_> = IDS.iter().copied().filter(missing).collect();
    assert!(missing.is_empty(), "no case expects {missing:?}");
    let needless: Vec<_> =
        WITHOUT_CASE.iter().filter(|id| cases.contains(**id) || !IDS.contains(id)).collect();
    assert!(needless.is_empty(), "have a case, or are no ids: {needless:?}");
}

//! The checking mode on cases without a fault: no report, and the same results.
//!
//! `PUMICE_TEST_CHECKED=run/` takes all cases whose paths have that part, in place of those of [`CASES`]. `PUMICE_CHECK` has the classes; without it
//! they are those of [`CLASSES`].

use crate::cases;
use std::path::Path;

/// The classes that are looked for.
const CLASSES: &str = "1,races";

/// Parts of the paths of cases that are looked at: `__local` memory, structs, launches of several parts, images, full printf buffers.
const CASES: [&str; 5] = ["run/local/", "run/structs/", "run/groups/", "run/images/", "run/printf/"];

/// Cases that do on purpose what OpenCL leaves undefined, and what they report: accesses outside of an image or an array, and a barrier that names no
/// memory.
const ON_PURPOSE: [(&str, &str); 4] = [
    ("run/barriers/no_fence.cl", "fault (races): kernel 'k': a read of 4 bytes of the "),
    (
        "run/images/outside.cl",
        "fault (bounds): kernel 'w': a write at (-1, -1) of the image of argument 0 'out'",
    ),
    (
        "run/images/read_write.cl",
        "fault (bounds): kernel 'unsigned_ones': a write at (100, 100) of the image of argument 0 'image'",
    ),
    (
        "run/memory/behind_the_end.cl",
        "fault (bounds): kernel 'k': a read of 4 bytes beyond the private variable 'a'",
    ),
];

#[test]
fn cases_without_a_fault_have_no_report() {
    let mut paths = Vec::new();
    cases::all_cases(&pumice_tests::root().join("cases"), &mut paths);
    let asked = std::env::var("PUMICE_TEST_CHECKED").ok();
    let wanted = |path: &Path| {
        let path = path.to_string_lossy();
        match &asked {
            Some(part) => path.contains(part.as_str()),
            None => CASES.iter().any(|part| path.contains(part)),
        }
    };
    paths.retain(|path| wanted(path) && !path.to_string_lossy().contains("cases/check"));
    assert!(!paths.is_empty(), "there are such cases");
    let classes = std::env::var("PUMICE_CHECK").unwrap_or_else(|_| CLASSES.to_owned());
    let option = format!("--check={classes}");
    let failures = cases::each(&paths, |path| {
        let checked = cases::check_once(path, &[&option]);
        let name = path.to_string_lossy();
        match (ON_PURPOSE.iter().find(|(case, _)| name.ends_with(case)), checked) {
            (None, Ok(())) => None,
            (Some((_, report)), Err(problem)) if problem.contains(report) => None,
            (Some((_, report)), _) => Some(format!("--- {name}\nno '{report}'")),
            (None, Err(problem)) => Some(format!("--- {name}\n{problem}")),
        }
    });
    pumice_tests::tell(&format!("{} cases with checks", paths.len()));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

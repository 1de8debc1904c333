//! The tests of a module once more, in processes where something is otherwise. What runs them is named `the_same_in_…` or
//! `the_same_with_…`, and is left out there.
#![allow(dead_code)] // Not every test program uses all of it.

use std::process::Command;

/// What each mapping being a copy, transfers being staged, independent commands running the other way around, several streams, and a
/// window to the device's memory show.
const MODES: [&str; 5] = ["shadow", "shadow,stage", "stage,reorder", "stage,streams=4", "window"];

/// Runs the tests of a module (its `module_path!()`) in processes with `PUMICE_TEST_MODES` set.
pub fn again_in_test_modes(module: &str) {
    again_in(module, &MODES);
}

/// The same in these test modes.
pub fn again_in(module: &str, modes: &[&str]) {
    if std::env::var_os("PUMICE_TEST_MODES").is_none() {
        modes.iter().for_each(|modes| again(module, &[("PUMICE_TEST_MODES", modes)]));
    }
}

/// The same on a device that is masked with a profile of `tests/profiles`.
pub fn again_masked(module: &str, profile: &str) {
    if std::env::var_os("PUMICE_TARGET").is_none() && !is_asked() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/profiles").join(profile);
        again(module, &[("PUMICE_TARGET", path.to_str().expect("UTF-8"))]);
    }
}

/// The same with `PUMICE_SVM` set to these.
pub fn again_in_ways(module: &str, ways: &[&str]) {
    if !is_asked() {
        ways.iter().for_each(|way| again(module, &[("PUMICE_SVM", way)]));
    }
}

/// The same in the arena, in these test modes.
pub fn again_in_arena(module: &str, modes: &[&str]) {
    if !is_asked() {
        modes
            .iter()
            .for_each(|modes| again(module, &[("PUMICE_SVM", "arena"), ("PUMICE_TEST_MODES", modes)]));
    }
}

/// Returns whether somebody asked for something else than what there is without being asked for.
fn is_asked() -> bool {
    std::env::var_os("PUMICE_SVM").is_some() || std::env::var_os("PUMICE_TEST_MODES").is_some()
}

/// Returns whether this is a process that runs this test alone, with the device to itself; if it is not, the test is run in one. Other tests' kernels
/// are waited for where there is one queue, and those that may write anything count as writes of everything.
pub fn alone(test: &str) -> bool {
    const ALONE: &str = "PUMICE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some_and(|name| name == test) {
        return true;
    }
    let exe = std::env::current_exe().expect("this executable");
    let out = Command::new(exe).args(["--exact", test]).env(ALONE, test).output().expect("a process");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains("1 passed"), "{test}:\n{text}");
    false
}

/// Runs the tests of a module in a process with these variables.
///
/// # Panics
/// In such a process: a test that runs others has another name than those that are left out there, and would start processes without end.
pub fn again(module: &str, variables: &[(&str, &str)]) {
    const AGAIN: &str = "PUMICE_TEST_AGAIN";
    assert!(
        std::env::var_os(AGAIN).is_none(),
        "what runs {module} again is not named `the_same_in_…` or `the_same_with_…`"
    );
    // A program of several modules is to run the one's tests alone.
    let own = module.split_once("::").map(|(_, inner)| format!("{inner}::"));
    let exe = std::env::current_exe().expect("this executable");
    let run = Command::new(exe)
        .args(own)
        .args(["--skip", "the_same_in_", "--skip", "the_same_with_"])
        .envs(variables.iter().copied())
        .env(AGAIN, module)
        .output();
    let out = run.expect("a process");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{variables:?}:\n{text}");
    assert!(!text.contains("running 0 tests"), "{variables:?}:\n{text}");
    assert!(!text.contains("PUMICE_TEST_MODES:"), "{text}");
}

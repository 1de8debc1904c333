//! The tests of a file once more, in processes whose devices are in test modes.
#![allow(dead_code)] // Not every test program uses all of it.

use std::process::Command;

/// What each mapping being a copy, transfers being staged, independent commands running the other way around, several streams, and a
/// window to the device's memory show.
const MODES: [&str; 5] = ["shadow", "shadow,stage", "stage,reorder", "stage,streams=4", "window"];

/// Runs all tests of this executable but the one of this name with `PUMICE_TEST_MODES` set.
pub fn again_in_test_modes(but: &str) {
    again_in(but, &MODES);
}

/// The same in these test modes.
pub fn again_in(but: &str, modes: &[&str]) {
    if std::env::var_os("PUMICE_TEST_MODES").is_some() {
        return;
    }
    for modes in modes {
        let exe = std::env::current_exe().expect("this executable");
        let run = Command::new(exe).args(["--skip", but]).env("PUMICE_TEST_MODES", modes).output();
        let out = run.expect("a process");
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "PUMICE_TEST_MODES={modes}:\n{text}");
        assert!(!text.contains("PUMICE_TEST_MODES:"), "{text}");
    }
}

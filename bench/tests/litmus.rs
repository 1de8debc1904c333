//! A short form of the litmus tests on whatever device there is: seconds, and it fails where nothing weak is ever seen.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the built programs; `./test` builds all of them before.
fn built() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_litmus")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Runs the command and gives what it prints; `None`, told, where there is no library or no device, if that may be.
fn litmus(driver: Option<&Path>, args: &[&str]) -> Option<String> {
    let library = built().join("libpumice.so");
    assert!(library.exists(), "{}: build pumice-icd first", library.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_litmus"));
    if let Some(driver) = driver {
        command.env("VK_DRIVER_FILES", driver);
    }
    let output = command.arg(format!("pumice={}", library.display())).args(args).output().expect("runs");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if text.contains("no such device")
        && std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some_and(|v| v == "1")
    {
        eprintln!("litmus: SKIPPED: no device");
        return None;
    }
    assert!(output.status.success(), "{text}");
    Some(text)
}

#[test]
fn store_buffering_is_seen_by_relaxed_accesses_alone() {
    let only = ["--only", "SB seq_cst accesses, device", "--only", "MP acq_rel accesses, device"];
    let much = ["--runs", "0.3", "--weak-runs", "20", "--must-weaken"];
    litmus(None, &[&only[..], &much].concat());
}

#[test]
fn nothing_forbidden_in_a_work_group() {
    let only = ["--only", "work-group, mixed", "--only", "CoRR", "--only", "IRIW seq_cst accesses"];
    litmus(None, &[&only[..], &["--runs", "0.03", "--weak-runs", "0.01"]].concat());
}

/// SwiftShader's loads and stores with acquire and release are a processor's plain ones, which show store buffering: what keeps
/// seq_cst there is the word alone.
#[test]
fn the_word_orders_swiftshader() {
    let Some(workspace) = Path::new(env!("CARGO_MANIFEST_DIR")).parent() else { return };
    let driver = workspace.join("target/swiftshader/vk_swiftshader_icd.json");
    if !driver.exists() {
        eprintln!("litmus: SKIPPED: no SwiftShader (./test obtains it where Debian's packages are)");
        return;
    }
    let only = ["--only", "SB seq_cst accesses, device", "--only", "SB seq_cst fences, device"];
    let much = ["--runs", "0.5", "--weak-runs", "20", "--must-weaken"];
    litmus(Some(&driver), &[&only[..], &much].concat());
}

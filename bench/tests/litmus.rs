//! A short form of the litmus tests on whatever device there is: seconds, and it fails where nothing weak is ever seen.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the built programs; `./test` builds all of them before.
fn built() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_litmus")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Runs the command. Where a weakened form must show its outcome it may take several tries: it needs two threads at once.
fn litmus(driver: Option<&Path>, args: &[&str]) {
    let library = built().join("libpumice.so");
    assert!(library.exists(), "{}: build pumice-icd first", library.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_litmus"));
    if let Some(driver) = driver {
        command.env("VK_DRIVER_FILES", driver);
    }
    command.arg(format!("pumice={}", library.display())).args(args);
    let tries = if args.contains(&"--must-weaken") { 10 } else { 1 };
    let mut text = String::new();
    for _ in 0..tries {
        let output = command.output().expect("runs");
        if output.status.success() {
            return;
        }
        text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if text.contains("no such device")
            && std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some_and(|v| v == "1")
        {
            eprintln!("litmus: SKIPPED: no device");
            return;
        }
        assert!(text.contains("no weakened form shows its outcome"), "{text}");
    }
    panic!("{text}");
}

/// One after another: they need the processor for themselves.
#[test]
fn litmus_tests() {
    let only = ["--only", "SB seq_cst accesses, device"];
    litmus(None, &[&only[..], &["--runs", "0.1", "--weak-runs", "0.3", "--must-weaken"]].concat());
    let only = ["--only", "work-group, mixed", "--only", "CoRR"];
    litmus(None, &[&only[..], &["--runs", "0.02", "--weak-runs", "0.001"]].concat());
    swiftshader();
}

/// SwiftShader's loads and stores with acquire and release are a processor's plain ones, which show store buffering: what keeps
/// seq_cst there is the word alone.
fn swiftshader() {
    let Some(workspace) = Path::new(env!("CARGO_MANIFEST_DIR")).parent() else { return };
    let driver = workspace.join("target/swiftshader/vk_swiftshader_icd.json");
    if !driver.exists() {
        eprintln!("litmus: SKIPPED: no SwiftShader (./test obtains it where Debian's packages are)");
        return;
    }
    let only = ["--only", "SB seq_cst accesses, device", "--only", "SB seq_cst fences, device"];
    litmus(Some(&driver), &[&only[..], &["--runs", "0.1", "--weak-runs", "0.3", "--must-weaken"]].concat());
}

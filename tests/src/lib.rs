//! What the end-to-end tests share: finding the `pumice` program and the kernels.

use std::path::{Path, PathBuf};

/// The folder of this crate; `PUMICE_TESTS_ROOT` where the tests run on another machine than the one that built
/// them.
pub fn root() -> PathBuf {
    std::env::var_os("PUMICE_TESTS_ROOT").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}

/// The `pumice` program of the same build as the running test; `PUMICE_TEST_PUMICE`, where that names one which starts it in another
/// way (`scripts/debian13`).
///
/// # Panics
/// When it was not built: `./test` builds it first.
pub fn pumice() -> PathBuf {
    if let Some(program) = std::env::var_os("PUMICE_TEST_PUMICE") {
        return program.into();
    }
    let exe = std::env::current_exe().expect("the test's own path");
    let dir = exe.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let program = dir.join("pumice");
    assert!(
        program.exists(),
        "{} is missing: run 'cargo build --workspace' first (./test does)",
        program.display()
    );
    program
}

/// The program that takes the place of `pumice run` for the program tests, to execute them on another OpenCL:
/// `scripts/elsewhere` sets `PUMICE_TEST_PROGRAM`.
pub fn elsewhere() -> Option<PathBuf> {
    std::env::var_os("PUMICE_TEST_PROGRAM").map(PathBuf::from)
}

/// The exit code with which [`elsewhere`] says that the other OpenCL lacks something.
pub const SKIPPED: i32 = 77;

/// All files with an extension in a folder, sorted.
///
/// # Panics
/// When the folder cannot be read.
pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("directory entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// The profile of a class of devices.
pub fn profile(name: &str) -> PathBuf {
    root().join("profiles/classes").join(name)
}

/// SwiftShader's description for the Vulkan loader: what `PUMICE_TEST_SWIFTSHADER` names, or where `./test` puts it.
pub fn swiftshader() -> Option<PathBuf> {
    let usual = || root().join("../target/swiftshader/vk_swiftshader_icd.json");
    let path = std::env::var_os("PUMICE_TEST_SWIFTSHADER").map_or_else(usual, PathBuf::from);
    path.exists().then_some(path)
}

/// What `PUMICE_VALIDATE` is set to for the programs under test: on, unless `PUMICE_TEST_VALIDATE` says otherwise
/// (for a machine whose driver is newer than its validation layers).
pub fn validate() -> String {
    std::env::var("PUMICE_TEST_VALIDATE").unwrap_or_else(|_| "1".to_owned())
}

/// Says something to whoever runs the tests, past the capture of passing tests' output: counts, and what was
/// skipped.
pub fn tell(text: &str) {
    use std::io::Write;
    // A closed standard error has nobody to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

//! Compiles every kernel file of `tests/corpus` and has SPIRV-Tools judge the result, with both
//! address widths. The validator is the `spvtool` or `spirv-val` on the path; without one, the
//! modules are compiled all the same and the skip is printed.

use pumice_frontend::options::{AddressWidth, Features, LangVersion, Options};
use pumice_frontend::{Compilation, compile};
use std::path::{Path, PathBuf};
use std::process::Command;

fn options(width: AddressWidth, text: &str) -> Options {
    let std = match text.lines().next().and_then(|line| line.strip_prefix("// -cl-std=")) {
        Some("CL2.0") => LangVersion::Cl2_0,
        Some("CL3.0") => LangVersion::Cl3_0,
        _ => LangVersion::Cl1_2,
    };
    let mut features = Features::INT64 | Features::FP64 | Features::FP16 | Features::INT64_ATOMICS;
    if std >= LangVersion::Cl2_0 {
        features |= Features::GENERIC_ADDRESS_SPACE | Features::PROGRAM_SCOPE_GLOBALS;
    }
    Options { std, address_width: width, features, ..Options::default() }
}

fn messages(compilation: &Compilation) -> Vec<String> {
    let one = |d: &pumice_frontend::diag::Diagnostic| {
        let at = compilation.sources.locate(d.span);
        format!("{}:{}:{}: {:?}[{}]: {}", at.file, at.line, at.column, d.severity, d.id, d.message)
    };
    compilation.diagnostics.iter().map(one).collect()
}

/// The command of the first validator that exists.
fn validator() -> Option<[&'static str; 3]> {
    let candidates = [["spvtool", "val", "opencl2.2"], ["spirv-val", "--target-env", "opencl2.2"]];
    candidates.into_iter().find(|c| Command::new(c[0]).arg("--version").output().is_ok())
}

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = std::fs::read_dir(folder).expect("the corpus folder");
    let mut files: Vec<_> = entries.map(|e| e.expect("entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "cl"));
    files.sort();
    files
}

#[test]
fn corpus_is_valid() {
    let validator = validator();
    if validator.is_none() {
        println!("SKIPPED: neither spvtool nor spirv-val found; modules are not validated");
    }
    let mut failures = Vec::new();
    for file in kernels() {
        let text = std::fs::read_to_string(&file).expect("kernel");
        let name = file.file_stem().expect("name").to_string_lossy().into_owned();
        for (width, suffix) in [(AddressWidth::Bits64, "64"), (AddressWidth::Bits32, "32")] {
            let compilation = compile(&format!("{name}.cl"), &text, &options(width, &text));
            let Some(words) = &compilation.spirv else {
                failures.push(format!("{name} ({suffix}): {:#?}", messages(&compilation)));
                continue;
            };
            let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{suffix}.spv"));
            std::fs::write(&out, spirv_io::words_to_bytes(words)).expect("output");
            let Some([program, args @ ..]) = validator else { continue };
            let judged = Command::new(program).args(args).arg(&out).output().expect("validator");
            if !judged.status.success() {
                let said = [judged.stdout, judged.stderr].concat();
                failures.push(format!("{}: {}", out.display(), String::from_utf8_lossy(&said)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn output_is_deterministic() {
    for file in kernels() {
        let text = std::fs::read_to_string(&file).expect("kernel");
        let once = || compile("k.cl", &text, &options(AddressWidth::Bits64, &text)).spirv;
        assert_eq!(once(), once(), "{}", file.display());
    }
}

//! Every family of functions once, in kernels of any type and size, on whatever device there is: seconds.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

#[test]
fn every_family_once() {
    each_once("");
}

/// The same with kernels that have addresses where processors rather have descriptors.
#[test]
fn every_family_once_by_address() {
    each_once("binding=address");
}

fn each_once(modes: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_functions"));
    let library = program.with_file_name("libpumice.so");
    assert!(library.exists(), "{}: build pumice-icd first", library.display());
    let mut command = Command::new(program);
    command.args(["run", "--quick", "--library"]).arg(&library);
    if !modes.is_empty() {
        command.env("PUMICE_TEST_MODES", modes);
    }
    let output = command.output().expect("runs");
    let (lines, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if told.contains("no such device")
        && std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some_and(|v| v == "1")
    {
        eprintln!("functions: SKIPPED: no device");
        return;
    }
    // A family that is claimed and has no comparison is a failure of the program's own.
    assert!(output.status.success(), "{told}");
    assert!(!told.contains("PUMICE_TEST_MODES"), "{told}");
    let mut compared: BTreeMap<&str, u64> = BTreeMap::new();
    let mut families: BTreeMap<&str, u64> = BTreeMap::new();
    for line in lines.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, section, name, _, _, count, "0"] = fields[..] else { panic!("{line}") };
        let count: u64 = count.parse().expect("a number");
        *compared.entry(section).or_default() += count;
        *families.entry(name).or_default() += count;
    }
    // What every device has; sub-groups, 64-bit atomics and others are as they are claimed.
    let sections =
        ["integers", "bits", "dot products", "conversions", "relational", "vectors", "copies", "atomics"];
    for section in sections {
        assert!(compared.get(section).is_some_and(|n| *n > 0), "nothing of {section}");
    }
    assert!(families.values().filter(|n| **n > 0).count() > 100, "{} families", families.len());
    eprintln!("{told}");
}

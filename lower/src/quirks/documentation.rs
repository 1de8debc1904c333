//! The documentation page docs/reference/workarounds.md, generated from the table. `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib quirks::documentation` writes it.

use super::{Affected, Elsewhere, Kind, Quirk, TABLE};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "# Driver workarounds

This page is made of the table in `lower/src/quirks/table.rs` by its test. `PUMICE_WORKAROUNDS=-NAME,+NAME` leaves single workarounds out
or puts them in, so that a newer driver can be tried without each. [The lowering](../maintainers/passes.md) has the passes and the rewrite rules that they gate. The runtime's
own workarounds are in `vk-runtime/src/device/workarounds.rs`.

";

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::WrongCode => "wrong code",
        Kind::Crash => "crash",
        Kind::Hang => "hang",
        Kind::Slow => "slow",
        Kind::MissingFeature => "missing feature",
    }
}

fn drivers(quirk: &Quirk) -> String {
    let name = |a: &Affected| {
        let mut text = format!("{:?}", a.driver);
        if let Some((major, minor)) = a.from {
            let _ = write!(text, " from {major}.{minor}");
        }
        if let Some((major, minor)) = a.before {
            let _ = write!(text, " before {major}.{minor}");
        }
        text
    };
    quirk.affected.iter().copied().flatten().map(name).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_row_has_a_case_that_exists() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    for quirk in TABLE {
        assert!(!quirk.case.is_empty() || quirk.kind == Kind::Slow, "{}: no case", quirk.name);
        assert!(cases.join(quirk.case).exists(), "{}: {} is not there", quirk.name, quirk.case);
        assert!(!quirk.met_by.is_empty() && !quirk.affected.is_empty(), "{}", quirk.name);
        let faulty = matches!(quirk.kind, Kind::Crash | Kind::Hang);
        assert!(!faulty || quirk.elsewhere != Elsewhere::Harmless, "{}", quirk.name);
    }
}

#[test]
fn the_table_is_in_the_documentation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/workarounds.md");
    let mut wanted = HEAD.to_owned();
    wanted.push_str(
        "| name | drivers | kind | what the driver does | met by | case |\n|---|---|---|---|---|---|\n",
    );
    for quirk in TABLE {
        let case = if quirk.case.is_empty() { String::new() } else { format!("`{}`", quirk.case) };
        let (name, kind) = (quirk.name, kind(quirk.kind));
        let _ = writeln!(
            wanted,
            "| `{name}` | {} | {kind} | {} | {} | {case} |",
            drivers(quirk),
            quirk.description,
            quirk.met_by
        );
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != wanted && std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(&path, wanted).expect("docs/reference/workarounds.md");
        return;
    }
    assert_eq!(found, wanted, "PUMICE_TEST_BLESS=1 writes docs/reference/workarounds.md");
}

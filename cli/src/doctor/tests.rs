//! Machines that files in `fixtures` describe, and the page of each.
//!
//! | line | what it says |
//! |---|---|
//! | `file PATH TEXT` | a file, with one line |
//! | `library NAME [PATH]` | a library that can be opened, and where it is |
//! | `variable NAME VALUE` | an environment variable |
//! | `own PATH` | the `libpumice.so` that belongs to the program |
//!
//! The page follows after `---`; `PUMICE_TEST_BLESS=1` writes it.

use super::machine::Machine;
use super::{drivers, loader, variables};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The machine of a description, with its files below `root`.
fn machine(text: &str, root: &Path) -> Machine {
    let mut libraries = BTreeMap::new();
    let (mut variables, mut library) = (BTreeMap::new(), None);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (kind, name, rest) = (words.next().unwrap_or(""), words.next().unwrap_or(""), words.next());
        match kind {
            "file" => {
                let path = root.join(name.trim_start_matches('/'));
                std::fs::create_dir_all(path.parent().expect("folder")).expect("made");
                std::fs::write(path, rest.unwrap_or("")).expect("written");
            }
            "library" => {
                libraries.insert(name.to_owned(), rest.map(PathBuf::from));
            }
            "variable" => {
                variables.insert(name.to_owned(), rest.unwrap_or("").to_owned());
            }
            "own" => library = Some(PathBuf::from(name)),
            _ => panic!("line '{line}'"),
        }
    }
    let open = move |name: &str| match libraries.get(name) {
        Some(path) => Ok(path.clone()),
        None => Err(format!("{name}: cannot open shared object file")),
    };
    Machine { root: root.to_owned(), variables, library, open: Box::new(open) }
}

#[test]
fn pages_of_described_machines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/doctor/fixtures");
    let mut fixtures: Vec<_> =
        std::fs::read_dir(&folder).expect("folder").map(|e| e.expect("entry").path()).collect();
    fixtures.sort();
    assert!(fixtures.len() > 5, "{fixtures:?}");
    for path in fixtures {
        let text = std::fs::read_to_string(&path).expect("read");
        let (description, expected) = text.split_once("---\n").expect("'---'");
        let root = tempfile::tempdir().expect("temporary directory");
        let machine = machine(description, root.path());
        let sections = [loader::check(&machine), drivers::check(&machine), variables::check(&machine)];
        let page: String = sections.iter().map(|section| section.text()).collect();
        let wrong: usize = sections.iter().map(|section| section.wrong()).sum();
        let page = format!("{}\n{wrong} wrong\n", page.trim_start_matches('\n'));
        if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
            std::fs::write(&path, format!("{description}---\n{page}")).expect("written");
        } else {
            assert_eq!(page, expected, "{}", path.display());
        }
    }
}

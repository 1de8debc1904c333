//! The documentation: links and anchors, the summary, names of pages in the sources, diagrams, how the pages read. `scripts/book` builds
//! the book itself. Pages that are made from the code are in `generated.rs`.

mod generated;
mod markdown;
mod prose;
mod tutorial;

use markdown::{Link, anchors, links};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Pages of the top folder that belong to the book or lead to it.
const TOP: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"];

fn repository() -> PathBuf {
    pumice_tests::root().join("..")
}

/// All files below a folder, as paths from the repository's root; without hidden folders, and without what cargo builds.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(repository().join(&folder)).expect("a folder").flatten() {
            let name = entry.file_name().into_string().expect("a name");
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if entry.path().is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The pages: those of `docs`, and those of the top folder.
fn pages() -> BTreeMap<String, String> {
    let docs = files("docs").into_iter().filter(|path| path.ends_with(".md"));
    let all = docs.chain(TOP.iter().map(|&name| name.to_owned()));
    all.map(|path| (path.clone(), std::fs::read_to_string(repository().join(&path)).expect("a page")))
        .collect()
}

/// The path from the repository's root of a link in a page.
fn target(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let base = Path::new(page).parent().expect("a folder");
    for part in base.components().chain(Path::new(link).components()) {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(name) => parts.push(name.to_str().expect("a name")),
            _ => {}
        }
    }
    parts.join("/")
}

#[test]
fn every_link_leads_to_a_file_and_a_section() {
    let pages = pages();
    let ids: BTreeMap<&String, BTreeSet<String>> =
        pages.iter().map(|(path, text)| (path, anchors(text))).collect();
    let mut wrong = Vec::new();
    for (page, text) in &pages {
        for Link { path, anchor, line } in links(text) {
            let to = if path.is_empty() { page.clone() } else { target(page, &path) };
            if !repository().join(&to).exists() {
                wrong.push(format!("{page}:{line}: no file {to}"));
            } else if let (Some(anchor), Some(ids)) = (&anchor, ids.get(&to))
                && !ids.contains(anchor)
            {
                wrong.push(format!("{page}:{line}: {to} has no section #{anchor}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_summary_once() {
    let pages = pages();
    let mut listed: Vec<String> =
        links(&pages["docs/SUMMARY.md"]).map(|link| target("docs/SUMMARY.md", &link.path)).collect();
    listed.sort();
    let wanted: Vec<&String> =
        pages.keys().filter(|path| *path != "README.md" && *path != "docs/SUMMARY.md").collect();
    assert_eq!(listed.iter().collect::<Vec<_>>(), wanted, "docs/SUMMARY.md (left) lists every page (right)");
}

/// Comments, scripts and messages name pages by their paths from the root.
#[test]
fn pages_that_the_sources_name_exist() {
    let mut wrong = Vec::new();
    for path in files("") {
        let Ok(text) = std::fs::read_to_string(repository().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            for (at, _) in line.match_indices("docs/") {
                let name: String = line[at..]
                    .chars()
                    .take_while(|&c| c.is_ascii_alphanumeric() || "/._-".contains(c))
                    .collect();
                let page = name.trim_end_matches('.');
                // A pattern of names, or another project's folder.
                let whole =
                    at == 0 || !line[..at].ends_with(|c: char| c.is_alphanumeric() || "/_-".contains(c));
                let ours = whole || line[..at].ends_with("../");
                let kind = [".md", ".svg", ".png", ".txt"].iter().any(|end| page.ends_with(end));
                if ours && kind && !repository().join(page).exists() {
                    wrong.push(format!("{path}:{}: {page}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// FNV-1a of 64 bits, as `scripts/book` writes it.
fn fingerprint(bytes: &[u8]) -> String {
    let step = |value: u64, byte: &u8| (value ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn diagrams_are_made_of_their_graphs() {
    let mut count = 0;
    for path in files("docs/diagrams").iter().filter(|path| path.ends_with(".dot")) {
        let graph = std::fs::read(repository().join(path)).expect("the graph");
        let svg = std::fs::read_to_string(repository().join(path).with_extension("svg")).unwrap_or_default();
        let first = svg.lines().next().unwrap_or_default();
        assert!(first.contains(&fingerprint(&graph)), "{path}: scripts/book --diagrams makes its picture");
        assert_eq!(first.matches("--").count(), 2, "{path}: XML has no '--' within a comment");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn first_pages_are_short() {
    let pages = pages();
    let (map, first) = (&pages["ARCHITECTURE.md"], &pages["README.md"]);
    assert!(
        map.len() <= 12 << 10,
        "ARCHITECTURE.md has {} bytes: details belong to docs/maintainers",
        map.len()
    );
    let lines = first.lines().count();
    assert!(lines <= 110, "README.md has {lines} lines, two screens: details belong to docs");
}

/// The figures of `prose.rs` over all pages, without the change log.
#[test]
fn the_pages_read_well() {
    let pages = pages();
    let all = pages.iter().filter(|(path, _)| *path != "CHANGELOG.md");
    let figures = prose::figures(all.map(|(path, text)| (path.as_str(), text.as_str())));
    assert!(figures.mean() <= 20.0, "{figures}");
    assert!(figures.long_share() <= 0.10, "{figures}");
    assert!(figures.vague_share() <= 0.02, "{figures}");
}

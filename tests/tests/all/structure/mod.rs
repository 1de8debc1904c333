//! The structure of the crates: circles of files, upward edges between layers, and files beside each other in a folder.
//!
//! An edge goes from a file to the file that defines an item it names, by `use` or by path. Re-exports are followed to the
//! definition. Methods have no path, so they make no edge. Tests inside the crates do not count.
//!
//! `PUMICE_TEST_STRUCTURE=vk-runtime cargo test -p pumice-tests --test all structure -- --nocapture` prints the circles of a
//! crate with the items that hold them together.

mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use modules::Crate;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

/// The limits of one crate.
struct Limits {
    /// The folder of the crate.
    folder: &'static str,
    /// The layers from the lowest to the highest: each the module names under the crate's root that share it. Modules that are
    /// not listed have no layer.
    layers: &'static [&'static [&'static str]],
    /// The most files that may reach each other.
    circle: usize,
    /// Edges that may go from a layer to a higher one. The aim is 0.
    upward: usize,
    /// Folders of many files that have no table yet. The aim is none.
    without_table: &'static [&'static str],
}

const CRATES: &[Limits] = &[
    Limits { folder: "spirv-io", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits {
        folder: "frontend",
        layers: &[
            &["diag", "source", "symbol", "options", "token", "types", "types_text", "attributes"],
            &["builtins", "hir", "intrinsics"],
            &["preprocess", "ptx"],
            &["syntax"],
            &["sema"],
            &["emit"],
        ],
        circle: 8,
        upward: 0,
        without_table: &[],
    },
    Limits {
        folder: "lower",
        layers: &[
            &["error", "quirks", "profile", "options", "kernel_info", "ir", "target"],
            &["context", "analysis"],
            &["transform"],
            &["rewrite"],
            &["passes"],
            &["pipeline"],
        ],
        circle: 8,
        upward: 0,
        without_table: &[],
    },
    Limits { folder: "bundle", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits {
        folder: "vk-runtime",
        layers: &[
            &["error"],
            &["process"],
            &["device", "memory"],
            &["image"],
            &["kernel"],
            &["stream"],
            &["launch"],
            &["transfer"],
            &["facade"],
        ],
        circle: 8,
        upward: 0,
        without_table: &[],
    },
    Limits { folder: "host", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits { folder: "host/language", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits {
        folder: "icd",
        layers: &[
            &["abi"],
            &["device"],
            &["memory"],
            &["program"],
            &["kernel"],
            &["commands"],
            &["entry"],
            &["testing"],
        ],
        circle: 8,
        upward: 0,
        without_table: &[],
    },
    Limits { folder: "icd/scheduler", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits { folder: "vk-runtime/timeline", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits { folder: "cli", layers: &[], circle: 8, upward: 0, without_table: &[] },
    Limits {
        folder: "web",
        layers: &[&["target", "messages", "wgsl"], &["program"], &["launch"], &["js"]],
        circle: 8,
        upward: 0,
        without_table: &[],
    },
];

/// Files beside each other in a folder whose `mod.rs` (or file of the folder's name) has no table of its modules.
const FILES_WITHOUT_TABLE: usize = 15;

/// All crates with their limits, read once.
static READ: LazyLock<Vec<(&Limits, Crate)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    CRATES.iter().map(|limits| (limits, Crate::read(&root.join(limits.folder).join("src/lib.rs")))).collect()
});

/// The largest groups of files that reach each other come first.
fn circles(of: &Crate) -> Vec<Vec<usize>> {
    let graph: DiGraphMap<usize, ()> = of.edges.keys().map(|&(from, to)| (from, to, ())).collect();
    let mut circles: Vec<_> = tarjan_scc(&graph).into_iter().filter(|c| c.len() > 1).collect();
    circles.sort_by_key(|c| std::cmp::Reverse(c.len()));
    circles
}

/// Edges that leave a layer for a higher one.
fn upward(of: &Crate, layers: &[&[&str]]) -> Vec<(usize, usize)> {
    let layer = |file: usize| layers.iter().position(|names| names.contains(&of.top_module(file)));
    let up = |&(from, to): &(usize, usize)| matches!((layer(from), layer(to)), (Some(a), Some(b)) if a < b);
    of.edges.keys().copied().filter(up).collect()
}

fn describe(of: &Crate, &(from, to): &(usize, usize)) -> String {
    let names: Vec<_> = of.edges[&(from, to)].iter().map(String::as_str).collect();
    format!("{} -> {}: {}", of.files[from], of.files[to], names.join(", "))
}

fn print(of: &Crate, limits: &Limits) {
    for circle in circles(of) {
        println!("circle of {} files", circle.len());
        let inside: BTreeSet<_> = circle.iter().copied().collect();
        let edges = of.edges.keys().filter(|(a, b)| inside.contains(a) && inside.contains(b));
        edges.for_each(|e| println!("  {}", describe(of, e)));
    }
    let up = upward(of, limits.layers);
    println!("{} upward edges", up.len());
    up.iter().for_each(|e| println!("  {}", describe(of, e)));
}

/// Circles and upward edges stay within each crate's limits. A limit above what the crate has is lowered.
#[test]
fn circles_and_layers() {
    let wanted = std::env::var("PUMICE_TEST_STRUCTURE").ok();
    let mut faults = Vec::new();
    for (limits, of) in &*READ {
        if wanted.as_deref() == Some(limits.folder) {
            print(of, limits);
        }
        let largest = circles(of).first().map_or(0, Vec::len);
        let up = upward(of, limits.layers);
        println!(
            "{}: {} files, largest circle {largest}, {} upward edges",
            limits.folder,
            of.files.len(),
            up.len()
        );
        if largest > limits.circle {
            faults.push(format!(
                "{}: a circle of {largest} files, the limit is {}",
                limits.folder, limits.circle
            ));
        }
        if largest.max(8) < limits.circle || up.len() < limits.upward {
            faults.push(format!(
                "{}: lower the limits to {} files and {} upward edges",
                limits.folder,
                largest.max(8),
                up.len()
            ));
        }
        if up.len() > limits.upward {
            let list: Vec<_> = up.iter().map(|e| describe(of, e)).collect();
            faults.push(format!(
                "{}: {} upward edges, the limit is {}:\n  {}",
                limits.folder,
                up.len(),
                limits.upward,
                list.join("\n  ")
            ));
        }
        for layer in limits.layers.iter().flat_map(|l| l.iter()) {
            let there = (0..of.files.len()).any(|f| of.top_module(f) == *layer);
            if !there {
                faults.push(format!("{}: the layer's module `{layer}` does not exist", limits.folder));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{}\nPUMICE_TEST_STRUCTURE=crate and --nocapture print the edges",
        faults.join("\n")
    );
}

/// A folder of many files has a table of its modules in the header of its module.
#[test]
fn folders_have_tables() {
    let mut faults = Vec::new();
    for (limits, of) in &*READ {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &of.files {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            *folders.entry(folder).or_default() += 1;
        }
        for (folder, count) in folders {
            let lacks = count > FILES_WITHOUT_TABLE && !of.has_module_table(folder);
            match (lacks, limits.without_table.contains(&folder)) {
                (true, false) => {
                    faults.push(format!("{}/src/{folder}: {count} files and no module table", limits.folder))
                }
                (false, true) => {
                    faults.push(format!("{}/src/{folder}: take it from `without_table`", limits.folder))
                }
                _ => {}
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

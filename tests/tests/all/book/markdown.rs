//! Links and anchors of Markdown, as mdBook and the forges take them.

use std::collections::{BTreeMap, BTreeSet};

/// A link to a file or a section.
pub(super) struct Link {
    /// The path as written; empty within a page.
    pub(super) path: String,
    /// The section.
    pub(super) anchor: Option<String>,
    /// The line's number.
    pub(super) line: usize,
}

/// The lines that are no code, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced && !line.starts_with("    ")).then_some((number + 1, line))
    })
}

/// A line without what is between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The links to places in the repository: `](path#anchor)`.
pub(super) fn links(text: &str) -> impl Iterator<Item = Link> {
    lines(text).flat_map(|(line, text)| {
        let text = without_code(text);
        let parts = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
        let inside =
            parts.filter(|to| !to.contains("://") && !to.starts_with("mailto:") && !to.contains(' '));
        let of = move |to: String| {
            let (path, anchor) = match to.split_once('#') {
                Some((path, anchor)) => (path.to_owned(), Some(anchor.to_owned())),
                None => (to, None),
            };
            Link { path, anchor, line }
        };
        inside.map(of).collect::<Vec<_>>()
    })
}

/// The names of a page's sections, as links to them are written.
pub(super) fn anchors(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (_, line) in lines(text) {
        let level = line.chars().take_while(|&c| c == '#').count();
        if !(1..=6).contains(&level) || !line[level..].starts_with(' ') {
            continue;
        }
        let kept = line[level + 1..].to_lowercase();
        let kept = kept.chars().filter(|&c| c.is_alphanumeric() || "_- ".contains(c));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let count = times.entry(name.clone()).or_default();
        found.insert(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    found
}

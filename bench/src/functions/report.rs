//! The comparisons: a line for each function family, type and class of sizes; and the tables of docs/results/data/functions.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::values::Ty;
use crate::opencl::Result;

/// The classes of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// One dimension, whole sub-groups.
    Full,
    /// One dimension, with a partial sub-group.
    Partial,
    /// Two dimensions.
    Two,
    /// Three dimensions.
    Three,
    /// The range is no multiple of the work-group's size, in one to three dimensions.
    Cut,
}

/// All classes, with their titles.
pub const CLASSES: [(Class, &str); 5] = [
    (Class::Full, "1D, full"),
    (Class::Partial, "1D, partial"),
    (Class::Two, "2D"),
    (Class::Three, "3D"),
    (Class::Cut, "cut off"),
];

const SECTIONS: [&str; 11] = [
    "sub-groups",
    "work-groups",
    "integers",
    "bits",
    "dot products",
    "conversions",
    "relational",
    "vectors",
    "copies",
    "atomics",
    "others",
];

/// A function family: its section and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Family {
    section: usize,
    name: String,
}

impl Family {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Makes one; sections that are not listed come last.
pub fn family(section: &str, name: &str) -> Family {
    let section = SECTIONS.iter().position(|s| *s == section).unwrap_or(SECTIONS.len() - 1);
    Family { section, name: name.to_owned() }
}

/// How many results were compared, and how many were wrong.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    compared: u64,
    wrong: u64,
}

/// The findings.
#[derive(Debug, Default)]
pub struct Report {
    counts: BTreeMap<(Family, &'static str, Class), Count>,
    /// Families that the device does not claim.
    absent: BTreeSet<Family>,
    /// The first mismatches of each family and type, in words.
    pub complaints: Vec<String>,
    /// Programs that were not built or failed to run.
    pub failures: Vec<String>,
    shown: BTreeMap<(Family, &'static str), u32>,
}

impl Report {
    /// Adds one comparison; the words are made for the first mismatches.
    pub fn add(
        &mut self,
        family: &Family,
        ty: Ty,
        class: Class,
        right: bool,
        words: impl FnOnce() -> String,
    ) {
        let count = self.counts.entry((family.clone(), ty.name(), class)).or_default();
        count.compared += 1;
        if !right {
            count.wrong += 1;
            let shown = self.shown.entry((family.clone(), ty.name())).or_default();
            *shown += 1;
            if *shown <= 3 {
                self.complaints.push(format!("{} of {}, {class:?}: {}", family.name, ty.name(), words()));
            }
        }
    }

    /// Notes that the device does not claim a family.
    pub fn absent(&mut self, family: Family) {
        self.absent.insert(family);
    }

    /// Adds what another one found.
    pub fn merge(&mut self, other: Report) {
        for (key, count) in other.counts {
            let sum = self.counts.entry(key).or_default();
            sum.compared += count.compared;
            sum.wrong += count.wrong;
        }
        self.absent.extend(other.absent);
        self.complaints.extend(other.complaints);
        self.failures.extend(other.failures);
    }

    /// Comparisons and mismatches in all.
    #[must_use]
    pub fn totals(&self) -> (u64, u64) {
        self.counts.values().fold((0, 0), |(c, w), count| (c + count.compared, w + count.wrong))
    }

    /// The families with comparisons.
    pub fn families(&self) -> BTreeSet<&Family> {
        self.counts.iter().filter(|(_, c)| c.compared > 0).map(|((f, _, _), _)| f).collect()
    }

    /// A line for each family, type and class, with tabs.
    #[must_use]
    pub fn lines(&self, label: &str) -> String {
        let mut text = String::new();
        for ((family, ty, class), count) in &self.counts {
            let (section, name) = (SECTIONS[family.section], &family.name);
            let class = CLASSES[*class as usize].1;
            let _ = writeln!(
                text,
                "{label}\t{section}\t{name}\t{ty}\t{class}\t{}\t{}",
                count.compared, count.wrong
            );
        }
        for family in self.absent.iter().filter(|f| !self.families().contains(f)) {
            let _ = writeln!(text, "{label}\t{}\t{}\t-\t-\t0\t0", SECTIONS[family.section], family.name);
        }
        text
    }
}

/// The groups of types that are columns of the table.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("8 bits", &["char", "uchar"]),
    ("16 bits", &["short", "ushort"]),
    ("32 bits", &["int", "uint"]),
    ("64 bits", &["long", "ulong"]),
    ("half", &["half"]),
    ("float", &["float"]),
    ("double", &["double"]),
];

type Cells = BTreeMap<Family, BTreeMap<&'static str, Count>>;

/// Markdown of lines that [`Report::lines`] wrote.
///
/// # Errors
/// A line of something else.
pub fn tables(text: &str) -> Result<String> {
    let mut labels: Vec<(String, Cells)> = Vec::new();
    for line in text.lines() {
        let bad = || format!("no line of this program: {line}");
        let fields: Vec<&str> = line.split('\t').collect();
        let [label, section, name, ty, class, compared, wrong] = fields[..] else { return Err(bad()) };
        if labels.last().is_none_or(|(l, _)| l != label) {
            labels.push((label.to_owned(), Cells::new()));
        }
        let Some((_, cells)) = labels.last_mut() else { return Err(bad()) };
        let row = cells.entry(family(section, name)).or_default();
        let count = Count {
            compared: compared.parse().map_err(|_| bad())?,
            wrong: wrong.parse().map_err(|_| bad())?,
        };
        let column = COLUMNS.iter().find(|c| c.1.contains(&ty)).map(|c| c.0);
        let class = CLASSES.iter().find(|c| c.1 == class).map(|c| c.1);
        for title in column.into_iter().chain(class).chain(["all"]) {
            let sum = row.entry(title).or_default();
            sum.compared += count.compared;
            sum.wrong += count.wrong;
        }
    }
    let mut out = String::new();
    for (label, cells) in &labels {
        let sum = |f: fn(&Count) -> u64| cells.values().filter_map(|r| r.get("all")).map(f).sum::<u64>();
        let (compared, wrong) = (sum(|c| c.compared), sum(|c| c.wrong));
        let _ = writeln!(out, "### {label}\n\n{compared} comparisons, {wrong} mismatches.\n");
        let titles: Vec<&str> = COLUMNS.iter().map(|c| c.0).chain(CLASSES.iter().map(|c| c.1)).collect();
        let _ = writeln!(out, "| function | {} |\n|---|{}", titles.join(" | "), "---|".repeat(titles.len()));
        for (family, row) in cells {
            let cell = |title: &&str| match row.get(title) {
                Some(Count { wrong: 0, compared }) if *compared > 0 => short(*compared),
                Some(Count { wrong, compared }) if *compared > 0 => {
                    format!("**{wrong} of {compared}**")
                }
                _ => "–".to_owned(),
            };
            let claimed = row.get("all").is_some_and(|c| c.compared > 0);
            let name = if claimed { family.name.clone() } else { format!("{} (not claimed)", family.name) };
            let cells: Vec<String> = titles.iter().map(cell).collect();
            let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
        }
        out.push('\n');
    }
    Ok(out)
}

/// Large numbers in thousands.
fn short(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", n / 1_000_000),
    }
}

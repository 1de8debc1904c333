//! The page of text that `pumice doctor` prints.

use super::machine::Machine;
use crate::error::CliError;
use crate::output;

/// The verdict of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It works.
    Good,
    /// It is worth knowing, and harms nothing.
    Note,
    /// It keeps something from working.
    Wrong,
    /// It belongs to the line before.
    More,
}

impl Mark {
    fn word(self) -> &'static str {
        match self {
            Mark::Good => "ok",
            Mark::Note => "note",
            Mark::Wrong => "WRONG",
            Mark::More => "",
        }
    }
}

/// A part of the page.
#[derive(Debug)]
pub struct Section {
    title: &'static str,
    lines: Vec<(Mark, String)>,
}

impl Section {
    /// An empty section.
    pub fn new(title: &'static str) -> Self {
        Section { title, lines: Vec::new() }
    }

    /// Adds a line.
    pub fn add(&mut self, mark: Mark, text: impl Into<String>) {
        self.lines.push((mark, text.into()));
    }

    /// The section's text; an empty section has none.
    pub fn text(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let lines = self.lines.iter().map(|(mark, text)| format!("  {:<6}{text}\n", mark.word()));
        format!("\n{}\n{}", self.title, lines.collect::<String>())
    }

    /// How many of its lines say that something is wrong.
    pub fn wrong(&self) -> usize {
        self.lines.iter().filter(|(mark, _)| *mark == Mark::Wrong).count()
    }
}

/// The page while it is printed.
pub struct Report {
    wrong: usize,
    /// The home directory, whose name a report need not tell.
    home: Option<String>,
}

impl Report {
    /// A page with nothing wrong.
    pub fn new(machine: &Machine) -> Self {
        let home = machine.variable("HOME").filter(|home| home.len() > 1).map(str::to_owned);
        Report { wrong: 0, home }
    }

    /// Prints a section.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn print(&mut self, section: Section) -> Result<(), CliError> {
        self.wrong += section.wrong();
        output::write(self.without_home(&section.text()).as_bytes())
    }

    fn without_home(&self, text: &str) -> String {
        match &self.home {
            Some(home) => text.replace(&format!("{home}/"), "~/"),
            None => text.to_owned(),
        }
    }

    /// Ends the page.
    ///
    /// # Errors
    /// Something was wrong, or standard output cannot be written.
    pub fn end(self) -> Result<(), CliError> {
        match self.wrong {
            0 => output::line("\nNothing is wrong. This page can be pasted into a report."),
            n => {
                let what = if n == 1 { "One thing is wrong" } else { &format!("{n} things are wrong") };
                output::line(format!("\n{what}. This page can be pasted into a report."))?;
                Err(CliError::Shown(1))
            }
        }
    }
}

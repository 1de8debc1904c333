//! Errors and warnings with ranges of the source, as JavaScript takes them.

use frontend::diag::{Diagnostic, Severity, fix};
use frontend::source::{FileId, SourceMap, Span};
use serde::Serialize;

/// A range of the source. Lines and columns count from 1; offsets and columns count UTF-16 code units, as JavaScript's strings do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Range {
    pub start: u32,
    pub end: u32,
    pub line: u32,
    pub column: u32,
}

/// A change of the source that a diagnostic proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The text that goes.
    pub range: Range,
    /// The text that comes.
    pub text: String,
}

/// A note of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The note.
    pub message: String,
    /// Its place, if it has one in the source.
    pub range: Option<Range>,
}

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// A stable name. Those of the front end are in `frontend/src/diag/ids.rs`. `not-on-webgpu` is the refusal of a kernel.
    pub id: String,
    /// The message.
    pub message: String,
    /// Its place, if it has one in the source.
    pub range: Option<Range>,
    /// Notes.
    pub notes: Vec<Note>,
    /// Changes that mend it, all of them together.
    pub fixes: Vec<Edit>,
}

impl Message {
    /// A kernel that WebGPU cannot run. The range is the kernel's name.
    #[must_use]
    pub fn refusal(kernel: &str, why: String, source: &str) -> Self {
        Message {
            severity: "error",
            id: "not-on-webgpu".to_owned(),
            message: why,
            range: name_of_kernel(source, kernel),
            notes: vec![],
            fixes: vec![],
        }
    }
}

/// The place of a kernel's name: the first whole word of this name that a parenthesis follows, after the word `kernel`.
fn name_of_kernel(source: &str, kernel: &str) -> Option<Range> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = source.find("kernel").unwrap_or(0);
    let found = source.match_indices(kernel).find(|(at, _)| {
        let (before, after) = (&source[..*at], &source[at + kernel.len()..]);
        *at > first && !before.ends_with(is_word) && after.trim_start().starts_with('(')
    });
    found.map(|(at, name)| range(source, at, at + name.len()))
}

/// The range between two byte offsets of a text.
fn range(text: &str, lo: usize, hi: usize) -> Range {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let before = &text[..lo];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    Range {
        start: units(before),
        end: units(&text[..hi]),
        line: before.matches('\n').count() as u32 + 1,
        column: units(&before[line..]) + 1,
    }
}

/// Ranges of the source by the front end's spans.
pub(crate) struct Places<'a> {
    pub sources: &'a SourceMap,
    pub text: &'a str,
}

impl Places<'_> {
    /// A diagnostic of the front end.
    pub fn message(&self, d: &Diagnostic, sources: &SourceMap) -> Message {
        let notes = d
            .notes
            .iter()
            .map(|n| Note { message: n.message.clone(), range: n.span.and_then(|span| self.range(span)) });
        let fixes = fix::for_diagnostic(d, sources).into_iter().flatten();
        let fixes = fixes.filter_map(|r| Some(Edit { range: self.range(r.span)?, text: r.text.clone() }));
        Message {
            severity: if d.severity == Severity::Error { "error" } else { "warning" },
            id: d.id.to_owned(),
            message: d.message.clone(),
            range: self.range(d.span),
            notes: notes.collect(),
            fixes: fixes.collect(),
        }
    }

    /// The range of a span. Text from a macro has the place where the macro is used.
    fn range(&self, span: Span) -> Option<Range> {
        let span = self.sources.outermost(span);
        let file = self.sources.files.get(self.sources.file_of(span.lo).0 as usize)?;
        if self.sources.file_of(span.lo) != FileId(0) {
            return None;
        }
        let (lo, hi) = (span.lo.checked_sub(file.start)? as usize, span.hi.checked_sub(file.start)? as usize);
        let inside = lo <= hi && self.text.is_char_boundary(lo) && self.text.is_char_boundary(hi);
        inside.then(|| range(self.text, lo, hi))
    }
}

//! The changes of the source that diagnostics propose: which of them can be made, making them, and printing them for
//! other programs.

use super::{Diagnostic, Diagnostics, Replacement};
use crate::source::{ExpansionId, FileId, SourceMap};
use std::fmt::Write;

/// The changes that a diagnostic proposes; `None` when it has none, or one of them would change text that a macro
/// brought along.
pub fn for_diagnostic<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Option<&'a [Replacement]> {
    let replacements = &diagnostic.replacements;
    let in_one_file = |r: &Replacement| {
        let Some(file) = sources.files.get(sources.file_of(r.span.lo).0 as usize) else { return false };
        let (lo, hi) = (r.span.lo.checked_sub(file.start), r.span.hi.checked_sub(file.start));
        let range = lo.zip(hi).and_then(|(lo, hi)| file.text.get(lo as usize..hi as usize));
        r.span.expansion == ExpansionId::NONE && range.is_some()
    };
    (!replacements.is_empty() && replacements.iter().all(in_one_file)).then_some(replacements)
}

/// The text of a file with all proposed changes made. The changes of one diagnostic are made together or, where one of
/// them crosses a change made before, not at all; two diagnostics that propose the same change have it made once.
pub fn apply(diagnostics: &Diagnostics, sources: &SourceMap, file: FileId) -> String {
    let Some(source) = sources.files.get(file.0 as usize) else { return String::new() };
    let mut made: Vec<&Replacement> = Vec::new();
    for edits in diagnostics.iter().filter_map(|d| for_diagnostic(d, sources)) {
        let here = edits.iter().all(|r| sources.file_of(r.span.lo) == file);
        if here && !edits.iter().any(|r| made.iter().any(|m| conflict(m, r))) {
            for edit in edits {
                if !made.contains(&edit) {
                    made.push(edit);
                }
            }
        }
    }
    made.sort_by_key(|r| (r.span.lo, r.span.hi));
    let (mut text, mut done) = (String::with_capacity(source.text.len()), 0);
    for edit in made {
        let (lo, hi) = ((edit.span.lo - source.start) as usize, (edit.span.hi - source.start) as usize);
        text.push_str(source.text.get(done..lo).unwrap_or(""));
        text.push_str(&edit.text);
        done = hi.max(done);
    }
    text.push_str(source.text.get(done..).unwrap_or(""));
    text
}

/// Returns whether two changes cannot both be made: they change a piece of text in two ways. Insertions at one place go one
/// after the other.
fn conflict(a: &Replacement, b: &Replacement) -> bool {
    a != b && a.span.lo < b.span.hi && b.span.lo < a.span.hi
}

/// Appends the changes that a diagnostic proposes in the form of clang's `-fdiagnostics-parseable-fixits`:
/// `fix-it:"k.cl":{2:9-2:10}:"text"`, lines and columns (in bytes) counted from 1, the end exclusive.
pub(super) fn parseable(diagnostic: &Diagnostic, sources: &SourceMap, out: &mut String) {
    for edit in for_diagnostic(diagnostic, sources).into_iter().flatten() {
        let Some(file) = sources.files.get(sources.file_of(edit.span.lo).0 as usize) else { continue };
        let place = |at: u32| {
            let offset = at - file.start;
            let line = file.lines.partition_point(|l| *l <= offset);
            let begin = line.checked_sub(1).and_then(|l| file.lines.get(l)).copied().unwrap_or(0);
            format!("{line}:{}", offset - begin + 1)
        };
        let (from, to) = (place(edit.span.lo), place(edit.span.hi));
        let _ = writeln!(out, "fix-it:\"{}\":{{{from}-{to}}}:\"{}\"", escape(&file.name), escape(&edit.text));
    }
}

fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Style, render};
    use crate::options::Options;
    use crate::source::Span;

    fn span(lo: u32, hi: u32) -> Span {
        Span { lo, hi, ..Span::default() }
    }

    #[test]
    fn changes_are_made_once_and_whole() {
        let mut sources = SourceMap::new();
        let file = sources.add("a \"b\".cl", "one two\nthree\n");
        let mut diags = Diagnostics::new(&Options { parseable_fixits: true, ..Options::default() });
        diags.error("a", span(0, 3), "").replace(span(0, 3), "1");
        diags.error("b", span(0, 3), "").replace(span(0, 3), "1");
        // Crosses the first: neither of its changes is made.
        diags.error("c", span(0, 3), "").replace(span(2, 5), "x").insert_after(span(8, 13), "!");
        diags.error("d", span(4, 7), "").insert_before(span(4, 7), "+").insert_after(span(4, 7), ";");
        let macros = Span { expansion: ExpansionId(1), ..span(8, 13) };
        diags.error("e", span(4, 7), "").replace(macros, "");
        assert_eq!(apply(&diags, &sources, file), "1 +two;\nthree\n");
        let log = render(&diags, &sources, Style::Line);
        assert!(log.contains("fix-it:\"a \\\"b\\\".cl\":{1:5-1:5}:\"+\"\n"), "{log}");
        assert!(log.contains("fix-it:\"a \\\"b\\\".cl\":{2:6-2:6}:\"!\"\n"), "{log}");
        assert!(!log.contains("{2:1-2:6}"), "{log}");
    }
}

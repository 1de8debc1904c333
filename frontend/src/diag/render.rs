//! Diagnostics as people read them.
//!
//! A diagnostic inside a macro is shown where the outermost macro was used; where the text stands in the
//! macros' definitions follows as notes, as do the files that include the file in question.

use super::{Diagnostic, Diagnostics, Severity, fix};
use crate::source::{SourceFile, SourceMap, Span};
use codespan_reporting::diagnostic::{self as codespan, Label};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config, Styles, StylesWriter};
use std::fmt::Write;
use std::ops::Range;

/// How to show diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// With the source line and a caret, for a terminal.
    Rich {
        /// With ANSI colour sequences.
        color: bool,
    },
    /// `file:line:col: error: message [id]`, one line for each error, warning and note: for build logs.
    Line,
}

/// Source lines longer than this are not shown.
const MAX_SHOWN_LINE: usize = 500;
/// More macros than this in one chain, and the middle ones are left out.
const MAX_MACRO_NOTES: usize = 8;

/// All diagnostics as text, each line ended by a newline; empty when there are none.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, style: Style) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        render_one(diagnostic, sources, style, &mut text);
        if diagnostics.parseable_fixits {
            fix::parseable(diagnostic, sources, &mut text);
        }
    }
    text
}

/// Appends one diagnostic to `text`.
pub fn render_one(diagnostic: &Diagnostic, sources: &SourceMap, style: Style, text: &mut String) {
    let rich = match style {
        Style::Rich { color } => rich(diagnostic, sources, color),
        Style::Line => None,
    };
    match rich {
        Some(rich) => text.push_str(&rich),
        None => line(diagnostic, sources, text),
    }
}

/// A place and what to say there; a remark has no place.
struct Remark {
    span: Option<Span>,
    message: String,
}

/// The notes to show: the diagnostic's own, then the macros that its place came through, from the
/// outermost in.
fn remarks(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Remark> {
    let own = diagnostic.notes.iter().map(|n| Remark {
        span: n.span.map(|s| sources.outermost(s)).filter(|s| is_written(*s, sources)),
        message: n.message.clone(),
    });
    let mut chain = Vec::new();
    let mut span = diagnostic.span;
    while let Some(expansion) = sources.expansion(span.expansion) {
        chain.push((span, &expansion.name));
        span = expansion.call;
    }
    let (count, mut list) = (chain.len(), own.collect::<Vec<_>>());
    for (i, (span, name)) in chain.into_iter().rev().enumerate() {
        if count > MAX_MACRO_NOTES && (MAX_MACRO_NOTES / 2..count - MAX_MACRO_NOTES / 2).contains(&i) {
            if i == MAX_MACRO_NOTES / 2 {
                let message = format!("{} more macros in between", count - MAX_MACRO_NOTES);
                list.push(Remark { span: None, message });
            }
            continue;
        }
        let span = Some(span).filter(|s| is_written(*s, sources));
        list.push(Remark { span, message: format!("expanded from macro '{name}'") });
    }
    list
}

/// Returns whether the place is in text that someone wrote, not in that of the predefined macros.
fn is_written(span: Span, sources: &SourceMap) -> bool {
    sources.files.get(sources.file_of(span.lo).0 as usize).is_some_and(|f| f.name != "<built-in>")
}

/// The inclusions that lead to `span`, the innermost first.
fn inclusions(span: Span, sources: &SourceMap) -> Vec<Span> {
    let mut list = Vec::new();
    let mut file = sources.file_of(span.lo);
    while let Some(from) = sources.files.get(file.0 as usize).and_then(|f| f.included_from) {
        let outer = sources.file_of(from.lo);
        // A file is included by one that was there before it.
        if outer.0 >= file.0 {
            break;
        }
        list.push(from);
        file = outer;
    }
    list
}

fn place(span: Span, sources: &SourceMap) -> String {
    if sources.files.is_empty() {
        return String::new();
    }
    let at = sources.locate(span);
    format!("{}:{}:{}: ", at.file, at.line, at.column)
}

fn line(diagnostic: &Diagnostic, sources: &SourceMap, text: &mut String) {
    let primary = sources.outermost(diagnostic.span);
    for from in inclusions(primary, sources).into_iter().rev() {
        let at = sources.locate(from);
        let _ = writeln!(text, "in file included from {}:{}:", at.file, at.line);
    }
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let at = place(primary, sources);
    let _ = writeln!(text, "{at}{severity}: {} [{}]", diagnostic.message, diagnostic.id);
    for remark in remarks(diagnostic, sources) {
        let at = remark.span.map_or(String::new(), |s| place(s, sources));
        let _ = writeln!(text, "{at}note: {}", remark.message);
    }
}

/// A file as the library sees it: one [`SourceFile`] under one presumed name, that is, with the number
/// of the `#line` mark that holds.
#[derive(Clone, Copy, PartialEq)]
struct FileView {
    file: usize,
    mark: Option<usize>,
}

struct View<'a>(&'a SourceMap);

impl View<'_> {
    fn file(&self, id: FileView) -> Result<&SourceFile, Error> {
        self.0.files.get(id.file).ok_or(Error::FileMissing)
    }
}

fn mark_at(file: &SourceFile, line: usize) -> Option<usize> {
    file.line_marks.partition_point(|(from, _, _)| *from as usize <= line).checked_sub(1)
}

impl<'a> Files<'a> for View<'_> {
    type FileId = FileView;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: FileView) -> Result<String, Error> {
        let file = self.file(id)?;
        let presumed = id.mark.and_then(|m| file.line_marks.get(m)?.2.clone());
        Ok(presumed.unwrap_or_else(|| file.name.clone()))
    }

    fn source(&'a self, id: FileView) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.text)
    }

    fn line_index(&'a self, id: FileView, byte: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.lines.partition_point(|l| *l as usize <= byte).saturating_sub(1))
    }

    fn line_number(&'a self, id: FileView, line: usize) -> Result<usize, Error> {
        let file = self.file(id)?;
        Ok(match mark_at(file, line).and_then(|m| file.line_marks.get(m)) {
            // `#line 0` is none of C's (C99 §6.10.4, 3), but taken; the renderer counts the digits of a number above 0.
            Some((from, presumed, _)) => (*presumed as usize + line - *from as usize).max(1),
            None => line + 1,
        })
    }

    fn line_range(&'a self, id: FileView, line: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id)?;
        let start = *file.lines.get(line).ok_or(Error::FileMissing)? as usize;
        Ok(start..file.lines.get(line + 1).map_or(file.text.len(), |l| *l as usize))
    }
}

/// The label of a place: its part on the first line. `None` where the line cannot be shown.
fn label(span: Span, sources: &SourceMap, primary: bool, message: &str) -> Option<Label<FileView>> {
    let index = sources.file_of(span.lo).0 as usize;
    let file = sources.files.get(index)?;
    let view = View(sources);
    let lo = (span.lo.saturating_sub(file.start) as usize).min(file.text.len());
    let line = file.lines.partition_point(|l| *l as usize <= lo).checked_sub(1)?;
    let id = FileView { file: index, mark: mark_at(file, line) };
    let range = view.line_range(id, line).ok()?;
    if range.len() > MAX_SHOWN_LINE {
        return None;
    }
    let end = range.start + file.text.get(range.clone())?.trim_end().len();
    let hi = (span.hi.saturating_sub(file.start) as usize).min(end).max(lo);
    if !file.text.is_char_boundary(lo) || !file.text.is_char_boundary(hi) {
        return None;
    }
    let label = if primary { Label::primary(id, lo..hi) } else { Label::secondary(id, lo..hi) };
    Some(label.with_message(message))
}

fn same_text(a: Span, b: Span) -> bool {
    (a.lo, a.hi) == (b.lo, b.hi)
}

/// The changes that a diagnostic proposes, each as a place and what to write there.
fn fix_labels(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<(Span, String)> {
    let Some(edits) = fix::for_diagnostic(diagnostic, sources) else { return Vec::new() };
    let help = |text: &str, span: Span| {
        let question = format!("did you mean '{text}'?");
        if diagnostic.notes.iter().any(|n| n.span.is_none() && n.message == question) {
            return question;
        }
        match (text.trim(), span.lo == span.hi) {
            (text, true) => format!("help: insert '{text}'"),
            ("", false) => "help: remove this".to_owned(),
            (text, false) => format!("help: write '{text}'"),
        }
    };
    edits.iter().map(|r| (r.span, help(&r.text, r.span))).collect()
}

/// The rich form; `None` where the library could not make one.
fn rich(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> Option<String> {
    let primary = sources.outermost(diagnostic.span);
    let fixes = fix_labels(diagnostic, sources);
    let at_primary = fixes.iter().find(|(span, _)| same_text(*span, primary)).map_or("", |(_, help)| help);
    let mut labels = vec![label(primary, sources, true, at_primary)?];
    labels.extend(
        fixes
            .iter()
            .filter(|(span, _)| !same_text(*span, primary))
            .filter_map(|(s, m)| label(*s, sources, false, m)),
    );
    let mut notes = Vec::new();
    for remark in remarks(diagnostic, sources) {
        // The label says it already.
        if remark.span.is_none() && fixes.iter().any(|(_, help)| *help == remark.message) {
            continue;
        }
        match remark.span.and_then(|s| label(s, sources, false, &remark.message)) {
            Some(label) => labels.push(label),
            None => notes.push(remark.message),
        }
    }
    for from in inclusions(primary, sources) {
        let at = sources.locate(from);
        notes.push(format!("in file included from {}:{}:{}", at.file, at.line, at.column));
    }
    let severity = match diagnostic.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
    };
    let shown = codespan::Diagnostic::new(severity)
        .with_code(diagnostic.id)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes);
    let (config, view) = (Config::default(), View(sources));
    if !color {
        return term::emit_into_string(&config, &view, &shown).ok();
    }
    let (styles, mut buffer) = (Styles::default(), Vec::new());
    let mut writer = StylesWriter::new(term::termcolor::Ansi::new(&mut buffer), &styles);
    term::emit_to_write_style(&mut writer, &config, &view, &shown).ok()?;
    String::from_utf8(buffer).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::source::{Expansion, ExpansionId};

    fn span(lo: u32, hi: u32, expansion: ExpansionId) -> Span {
        Span { lo, hi, expansion }
    }

    #[test]
    fn macros_and_notes() {
        let mut sources = SourceMap::new();
        sources.add("k.cl", "#define A b\nint x = A;\nint\ty;\n");
        let expansion = sources.add_expansion(Expansion {
            name: "A".into(),
            call: span(20, 21, ExpansionId::NONE),
            definition: span(8, 9, ExpansionId::NONE),
        });
        let mut diags = Diagnostics::new(&Options::default());
        diags
            .error("undeclared-identifier", span(10, 11, expansion), "undeclared identifier 'b'")
            .note(span(27, 28, ExpansionId::NONE), "did you mean 'y'?")
            .remark("or not");
        assert_eq!(
            render(&diags, &sources, Style::Line),
            "k.cl:2:9: error: undeclared identifier 'b' [undeclared-identifier]\n\
             k.cl:3:5: note: did you mean 'y'?\nnote: or not\nk.cl:1:11: note: expanded from macro 'A'\n"
        );
        let rich = render(&diags, &sources, Style::Rich { color: false });
        for part in
            ["error[undeclared-identifier]: undeclared identifier 'b'", "k.cl:2:9", "int x = A;", "= or not"]
        {
            assert!(rich.contains(part), "{rich}");
        }
        assert!(render(&diags, &sources, Style::Rich { color: true }).contains("\u{1b}["));
    }

    #[test]
    fn strange_places() {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(&Options::default());
        diags.error("x", span(5, 2, ExpansionId(7)), "no file");
        assert_eq!(render(&diags, &sources, Style::Rich { color: false }), "error: no file [x]\n");
        sources.add("e.cl", "\u{e9}\u{e9}");
        diags.warning("y", span(1, 90, ExpansionId::NONE), "inside a character");
        render(&diags, &sources, Style::Rich { color: false });
    }
}

//! Source files, places in them, and the macro expansions that tokens came through.

use crate::symbol::Text;
use std::sync::Arc;

/// A place range in the sources: global byte offsets (each file has a range of its own in one
/// space), plus the macro expansion that produced the token, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// The innermost expansion, or [`ExpansionId::NONE`].
    pub expansion: ExpansionId,
}

impl Span {
    /// No place.
    pub(crate) const NONE: Span = Span { lo: 0, hi: 0, expansion: ExpansionId::NONE };

    /// From the start of `self` to the end of `other`. Where the two come from different expansions
    /// or files the result is the outermost place that is sensible: `self`'s.
    pub fn to(self, other: Span) -> Span {
        if self.expansion == other.expansion && other.hi >= self.lo {
            Span { hi: other.hi, ..self }
        } else {
            self
        }
    }
}

/// An entry of [`SourceMap`]'s table of macro expansions; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// The token is in a file as it is.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// One use of a macro.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The macro's name.
    pub name: Text,
    /// Where it was used; its own `expansion` gives the next outer one.
    pub call: Span,
    /// Where it was defined.
    pub definition: Span,
}

/// A file's number in its [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId(pub u32);

/// One file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The name for diagnostics.
    pub name: String,
    /// The text as read; shared, because the lexer reads it while the map grows.
    pub text: Arc<str>,
    /// The global offset of its first byte.
    pub start: u32,
    /// Byte offsets of line starts within the file.
    pub lines: Vec<u32>,
    /// Byte offsets of the bytes that begin no character (UTF-8), so that a column is found without reading its line.
    pub continuations: Vec<u32>,
    /// Where it was included from.
    pub included_from: Option<Span>,
    /// `#line` directives: (first line they hold for, 0-based; presumed line number; presumed name).
    pub line_marks: Vec<(u32, u32, Option<String>)>,
}

/// All files of one compilation and the table of macro expansions.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// The files; [`FileId`] indexes them.
    pub files: Vec<SourceFile>,
    /// The expansions; [`ExpansionId`] − 1 indexes them.
    pub expansions: Vec<Expansion>,
}

/// A place as people read it: 1-based line and column (in characters).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The presumed file name (`#line` included).
    pub file: String,
    /// The presumed line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and gives its number.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let start = self.files.last().map_or(0, |f| f.start + f.text.len() as u32 + 1);
        let offsets = || text.bytes().zip(0_u32..);
        let mut lines = vec![0];
        lines.extend(offsets().filter(|(b, _)| *b == b'\n').map(|(_, i)| i + 1));
        let continuations = match text.is_ascii() {
            true => Vec::new(),
            false => offsets().filter(|(b, _)| b & 0xc0 == 0x80).map(|(_, i)| i).collect(),
        };
        self.files.push(SourceFile {
            name: name.to_owned(),
            text: text.into(),
            start,
            lines,
            continuations,
            included_from: None,
            line_marks: Vec::new(),
        });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file that holds a global offset.
    pub fn file_of(&self, offset: u32) -> FileId {
        FileId(self.files.partition_point(|f| f.start <= offset).saturating_sub(1) as u32)
    }

    /// Records an expansion.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The expansion behind an id.
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// The place in a file where the outermost macro of `span` was used, or `span` itself.
    pub fn outermost(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion(span.expansion) {
            span = expansion.call;
        }
        span
    }

    /// File, line and column of the start of `span`, where it was spelled.
    pub fn locate(&self, span: Span) -> Location {
        let (file, line, column) = self.place(span);
        Location { file: file.to_owned(), line, column }
    }

    /// As [`SourceMap::locate`], with the file's name borrowed.
    pub fn place(&self, span: Span) -> (&str, u32, u32) {
        let file = &self.files[self.file_of(span.lo).0 as usize];
        let offset = span.lo.saturating_sub(file.start).min(file.text.len() as u32);
        let line = file.lines.partition_point(|l| *l <= offset) as u32 - 1;
        let begin = file.lines[line as usize];
        let inside = file.continuations_before(offset) - file.continuations_before(begin);
        let column = offset - begin - inside + 1;
        let after = file.line_marks.partition_point(|(from, _, _)| *from <= line);
        let mark = after.checked_sub(1).and_then(|i| file.line_marks.get(i));
        match mark {
            Some((from, presumed, name)) => {
                (name.as_ref().unwrap_or(&file.name), presumed.saturating_add(line - from), column)
            }
            None => (&file.name, line + 1, column),
        }
    }
}

impl SourceFile {
    fn continuations_before(&self, offset: u32) -> u32 {
        self.continuations.partition_point(|c| *c < offset) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_characters() {
        let mut sources = SourceMap::new();
        sources.add("a", "int a;\n");
        sources.add("b", "x\n/* ÄÖ \u{1f600} */ y\n z");
        let at = |needle: &str| {
            let file = &sources.files[1];
            let lo = file.start + file.text.find(needle).expect("there") as u32;
            sources.place(Span { lo, hi: lo, ..Span::default() })
        };
        assert_eq!(at("x"), ("b", 1, 1));
        assert_eq!(at("Ö"), ("b", 2, 5));
        assert_eq!(at("y"), ("b", 2, 12));
        assert_eq!(at("z"), ("b", 3, 2));
    }
}

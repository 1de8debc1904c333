//! Where instructions come from: OpString and OpLine. Names are given where the named thing is made.

use super::module::Module;
use crate::source::Span;
use spirv_io::spirv::Op;
use spirv_io::{Id, Section, string_words};

/// The longest string literal that fits an instruction.
pub(super) const MAX_STRING: usize = 4 * super::module::MAX_OPERANDS;

/// Debugging names longer than this help nobody.
const MAX_NAME: usize = 4096;

/// The start of `text`, at most `bytes` long.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A place as OpLine has it.
pub(super) type Line = (Id, u32, u32);

impl Module<'_> {
    /// OpName; an absurdly long name is cut.
    pub fn name(&mut self, id: Id, name: &str) {
        self.b.name(id, cut(name, MAX_NAME));
    }

    /// OpMemberName.
    pub fn member_name(&mut self, id: Id, member: u32, name: &str) {
        self.b.member_name(id, member, cut(name, MAX_NAME));
    }

    /// An OpString, cut where SPIR-V's longest instruction ends.
    pub fn string(&mut self, text: &str) -> Id {
        let id = self.b.id();
        let mut operands = vec![id.0];
        operands.extend(string_words(cut(text, MAX_STRING)));
        self.b.push(Section::DebugStrings, Op::String, &operands);
        id
    }

    /// The OpString of a file's name.
    pub fn file(&mut self, name: &str) -> Id {
        if let Some(id) = self.files.get(name) {
            return *id;
        }
        let id = self.string(name);
        self.files.insert(name.to_owned(), id);
        id
    }

    /// File, line and column of `span`, where the outermost macro was used; `None` when there are no
    /// sources (trees made by hand).
    pub fn line(&mut self, span: Span) -> Option<Line> {
        if self.sources.files.is_empty() {
            return None;
        }
        let sources = self.sources;
        let (file, line, column) = sources.place(sources.outermost(span));
        Some((self.file(file), line, column))
    }
}

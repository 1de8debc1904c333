//! Where instructions come from: OpString and OpLine. Names are given where the named thing is made.

use super::module::Module;
use crate::source::Span;
use spirv_io::spirv::Op;
use spirv_io::{Id, Section, string_words};

/// The longest string literal that fits an instruction.
const MAX_STRING: usize = 4 * super::module::MAX_OPERANDS;

/// A place as OpLine has it.
pub(super) type Line = (Id, u32, u32);

impl Module<'_> {
    /// An OpString, cut where SPIR-V's longest instruction ends.
    pub fn string(&mut self, text: &str) -> Id {
        let mut end = text.len().min(MAX_STRING);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let id = self.b.id();
        let mut operands = vec![id.0];
        operands.extend(string_words(&text[..end]));
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
        let location = self.sources.locate(self.sources.outermost(span));
        Some((self.file(&location.file), location.line, location.column))
    }
}

//! Debug information for Targets with non-semantic instructions (Vulkan 1.3, VK_KHR_shader_non_semantic_info).
//!
//! It has the source's text, functions, scopes, inlined calls and lines, as NonSemantic.Shader.DebugInfo.100. Debuggers such as
//! RenderDoc and Nsight read it. OpLine is written in any case.
//!
//! Everything is written at its first use, so that a module has only the information of its kernels.

use super::Writer;
use super::function::Body;
use crate::ir::{ScopeKind, SourceLine};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{Op, SourceLanguage};
use spirv_io::{Id, Section, string_words};

/// The instructions by their numbers in the set.
mod number {
    pub const COMPILATION_UNIT: u32 = 1;
    pub const TYPE_FUNCTION: u32 = 8;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const SCOPE: u32 = 23;
    pub const NO_SCOPE: u32 = 24;
    pub const INLINED_AT: u32 = 25;
    pub const SOURCE: u32 = 35;
    pub const FUNCTION_DEFINITION: u32 = 101;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
}

/// The flag of a function with a body.
const IS_DEFINITION: u32 = 0x08;
/// The versions of the format, and of DWARF, whose terms it uses.
const FORMAT_VERSION: u32 = 1;
const DWARF_VERSION: u32 = 4;
/// The largest size of a string in an instruction.
const MAX_STRING: usize = 260_000;

/// The debug information that is written so far.
#[derive(Debug, Default)]
pub(super) struct DebugIds {
    unit: Option<Id>,
    strings: FxHashMap<String, Id>,
    sources: FxHashMap<u16, Id>,
    scopes: FxHashMap<u32, Id>,
    sites: FxHashMap<u32, Id>,
    /// Functions that have their definition: each has one at most.
    defined: FxHashSet<u32>,
}

impl Writer<'_> {
    /// Returns whether the Target takes debug information and the module has some.
    fn describes(&self) -> bool {
        self.target.features.non_semantic_info && !self.module.debug.scopes.is_empty()
    }

    fn debug_words(&mut self, number: u32, operands: &[u32]) -> (Id, Vec<u32>) {
        self.extension_before((1, 6), "SPV_KHR_non_semantic_info");
        let set = self.b.import("NonSemantic.Shader.DebugInfo.100");
        let mut words = vec![set.0, number];
        words.extend_from_slice(operands);
        (self.void(), words)
    }

    /// An instruction outside of functions.
    fn info(&mut self, number: u32, operands: &[u32]) -> Id {
        let (void, words) = self.debug_words(number, operands);
        self.b.push_result(Section::NonSemantic, Op::ExtInst, Some(void), &words)
    }

    /// An instruction in the current block.
    fn debug_code(&mut self, number: u32, operands: &[u32]) {
        let (void, words) = self.debug_words(number, operands);
        self.code_result(Op::ExtInst, void, &words);
    }

    /// An OpString, cut where an instruction ends.
    fn new_string(&mut self, text: &str) -> Id {
        let id = self.b.id();
        let mut words = vec![id.0];
        words.extend(string_words(cut(text)));
        self.b.push(Section::DebugStrings, Op::String, &words);
        id
    }

    fn debug_string(&mut self, text: &str) -> Id {
        if let Some(id) = self.debug.strings.get(text) {
            return *id;
        }
        let id = self.new_string(text);
        self.debug.strings.insert(text.to_owned(), id);
        id
    }

    /// The OpString of a file's name.
    pub(super) fn file_name(&mut self, file: u16) -> Option<Id> {
        if let Some(id) = self.files.get(&file) {
            return Some(*id);
        }
        let name = self.module.files.get(usize::from(file))?;
        let id = self.new_string(name);
        self.files.insert(file, id);
        Some(id)
    }

    fn debug_source(&mut self, file: u16) -> Option<Id> {
        if let Some(id) = self.debug.sources.get(&file) {
            return Some(*id);
        }
        let name = self.file_name(file)?;
        let module = self.module;
        let mut rest = module.debug.texts.get(&file).and_then(Option::as_deref).unwrap_or("");
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(cut(rest).len());
            pieces.push(self.new_string(piece).0);
            rest = after;
        }
        let (first, more) = pieces.split_at(pieces.len().min(1));
        let id = self.info(number::SOURCE, &[&[name.0], first].concat());
        for piece in more {
            self.info(number::SOURCE_CONTINUED, &[*piece]);
        }
        self.debug.sources.insert(file, id);
        Some(id)
    }

    fn debug_unit(&mut self) -> Option<Id> {
        if let Some(unit) = self.debug.unit {
            return Some(unit);
        }
        let source = self.debug_source(self.module.debug.main)?;
        let [version, dwarf, language] =
            [FORMAT_VERSION, DWARF_VERSION, SourceLanguage::OpenCL_C as u32].map(|n| self.u32_const(n).0);
        let unit = self.info(number::COMPILATION_UNIT, &[version, dwarf, source.0, language]);
        self.debug.unit = Some(unit);
        Some(unit)
    }

    /// A scope, its parents first.
    fn debug_scope(&mut self, scope: u32) -> Option<Id> {
        let module = self.module;
        let mut missing = Vec::new();
        let mut at = scope;
        while at != 0 && !self.debug.scopes.contains_key(&at) {
            missing.push(at);
            at = module.debug.scopes.get(at as usize)?.parent;
        }
        for scope in missing.into_iter().rev() {
            let data = module.debug.scopes.get(scope as usize)?;
            let source = self.debug_source(data.file)?.0;
            let (line, column) = (self.u32_const(data.line).0, self.u32_const(data.column).0);
            let id = match &data.kind {
                ScopeKind::None => return None,
                ScopeKind::Function(name) => {
                    let (unit, name) = (self.debug_unit()?.0, self.debug_string(name).0);
                    let (void, none) = (self.void().0, self.u32_const(0).0);
                    let ty = self.info(number::TYPE_FUNCTION, &[none, void]).0;
                    let flags = self.u32_const(IS_DEFINITION).0;
                    let operands = [name, ty, source, line, column, unit, name, flags, line];
                    self.info(number::FUNCTION, &operands)
                }
                ScopeKind::Block => {
                    let parent = self.debug.scopes.get(&data.parent)?.0;
                    self.info(number::LEXICAL_BLOCK, &[source, line, column, parent])
                }
            };
            self.debug.scopes.insert(scope, id);
        }
        self.debug.scopes.get(&scope).copied()
    }

    /// An inlined call, the outer ones first.
    fn debug_site(&mut self, site: u32) -> Option<Id> {
        let module = self.module;
        let mut missing = Vec::new();
        let mut at = site;
        while at != 0 && !self.debug.sites.contains_key(&at) {
            missing.push(at);
            at = module.debug.sites.get(at as usize)?.site;
        }
        for site in missing.into_iter().rev() {
            let data = module.debug.sites.get(site as usize)?;
            let mut operands = vec![self.u32_const(data.line).0, self.debug_scope(data.scope)?.0];
            operands.extend(self.debug.sites.get(&data.site).map(|id| id.0));
            let id = self.info(number::INLINED_AT, &operands);
            self.debug.sites.insert(site, id);
        }
        self.debug.sites.get(&site).copied()
    }

    /// Names the source function of a function, in its first block. The first instruction with a scope determines it: code inlined into
    /// a kernel's entry point is the kernel.
    pub(super) fn debug_definition(&mut self, body: &Body<'_>, id: Id) {
        if !self.describes() {
            return;
        }
        let function = body.function;
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let place = insts.map(|i| function.insts[*i].line).find(|line| line.scope != 0);
        let scope = place.and_then(|place| self.module.debug.outermost_function(place));
        if let Some(scope) = scope.filter(|s| self.debug.defined.insert(*s))
            && let Some(described) = self.debug_scope(scope)
        {
            self.debug_code(number::FUNCTION_DEFINITION, &[described.0, id.0]);
        }
    }

    /// DebugScope where the scope of `line` is another one than before.
    pub(super) fn debug_scope_of(&mut self, body: &mut Body<'_>, line: SourceLine) {
        if !self.describes() || (line.scope, line.site) == (body.line.scope, body.line.site) {
            return;
        }
        (body.line.scope, body.line.site) = (line.scope, line.site);
        match self.debug_scope(line.scope) {
            Some(scope) => {
                let mut operands = vec![scope.0];
                operands.extend(self.debug_site(line.site).map(|id| id.0));
                self.debug_code(number::SCOPE, &operands);
            }
            None => self.debug_code(number::NO_SCOPE, &[]),
        }
    }

    /// A DebugLine for an OpLine. Columns are not kept.
    pub(super) fn debug_line(&mut self, line: SourceLine) {
        if !self.describes() {
            return;
        }
        let Some(source) = self.debug_source(line.file) else { return };
        let (number, column) = (self.u32_const(line.line).0, self.u32_const(0).0);
        self.debug_code(number::LINE, &[source.0, number, number, column, column]);
    }
}

/// The start of `text` that fits an instruction.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_STRING);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

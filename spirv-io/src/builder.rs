//! Writing a SPIR-V module section by section.

use spirv::{Capability, Op};

/// The id of a result, unique in its module and never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The parts of a module, in the order that SPIR-V §2.4 demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Section {
    /// OpCapability.
    Capabilities,
    /// OpExtension.
    Extensions,
    /// OpExtInstImport.
    ExtInstImports,
    /// OpMemoryModel.
    MemoryModel,
    /// OpEntryPoint.
    EntryPoints,
    /// OpExecutionMode, OpExecutionModeId.
    ExecutionModes,
    /// OpString, OpSource and the like, before any name.
    DebugStrings,
    /// OpName, OpMemberName.
    Names,
    /// OpDecorate and its kin.
    Annotations,
    /// Types, constants and module-scope variables, each defined before it is used.
    Globals,
    /// Non-semantic instructions about the module, such as debug information: after all types, constants and
    /// variables, which they refer to.
    NonSemantic,
    /// Function declarations, those without a body.
    Declarations,
    /// Function definitions.
    Functions,
}

const SECTIONS: usize = Section::Functions as usize + 1;

/// Collects the instructions of one module.
///
/// ```
/// use spirv_io::{Builder, Section, spirv::{Capability, Op}};
/// let mut b = Builder::new(1, 3);
/// b.capability(Capability::Kernel);
/// let int = b.unique(Op::TypeInt, None, &[32, 0]);
/// assert_eq!(int, b.unique(Op::TypeInt, None, &[32, 0]), "one id per type");
/// let seven = b.unique(Op::Constant, Some(int), &[7]);
/// b.name(seven, "seven");
/// assert_eq!(b.finish()[0], spirv_io::MAGIC);
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    version: (u8, u8),
    next: u32,
    sections: [Vec<u32>; SECTIONS],
    unique: Unique,
    capabilities: Vec<Capability>,
    extensions: Vec<String>,
    imports: Vec<(String, Id)>,
}

impl Builder {
    /// An empty module of SPIR-V version `major.minor`.
    pub fn new(major: u8, minor: u8) -> Self {
        Builder {
            version: (major, minor),
            next: 1,
            sections: Default::default(),
            unique: Unique::default(),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            imports: Vec::new(),
        }
    }

    /// Makes the version at least this one.
    pub fn require_version(&mut self, major: u8, minor: u8) {
        self.version = self.version.max((major, minor));
    }

    /// The version so far.
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// The module-scope variables so far.
    pub fn variables(&self) -> Vec<Id> {
        let mut rest = self.sections[Section::Globals as usize].as_slice();
        let mut found = Vec::new();
        while let Some(first) = rest.first() {
            let (count, op) = ((first >> 16) as usize, first & 0xffff);
            if op == Op::Variable as u32 {
                found.extend(rest.get(2).map(|id| Id(*id)));
            }
            rest = rest.get(count.max(1)..).unwrap_or_default();
        }
        found
    }

    /// A fresh id.
    pub fn id(&mut self) -> Id {
        let id = Id(self.next);
        self.next += 1;
        id
    }

    /// Declares a capability, once.
    pub fn capability(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
            self.push(Section::Capabilities, Op::Capability, &[capability as u32]);
        }
    }

    /// The capabilities declared so far.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// Declares an extension, once.
    pub fn extension(&mut self, name: &str) {
        if !self.extensions.iter().any(|e| e == name) {
            self.extensions.push(name.to_owned());
            self.push(Section::Extensions, Op::Extension, &string_words(name));
        }
    }

    /// The id of an extended instruction set, imported once.
    pub fn import(&mut self, set: &str) -> Id {
        if let Some((_, id)) = self.imports.iter().find(|(name, _)| name == set) {
            return *id;
        }
        let id = self.id();
        self.imports.push((set.to_owned(), id));
        let mut operands = vec![id.0];
        operands.extend(string_words(set));
        self.push(Section::ExtInstImports, Op::ExtInstImport, &operands);
        id
    }

    /// Appends an instruction to a section. `operands` are the words after the opcode word.
    ///
    /// # Panics
    /// When the instruction would be longer than 65,535 words, SPIR-V's own limit (§2.17); callers
    /// check user-sized lists before.
    pub fn push(&mut self, section: Section, op: Op, operands: &[u32]) {
        let out = &mut self.sections[section as usize];
        let count = operands.len() + 1;
        assert!(count <= 0xffff, "{op:?} is longer than an instruction can be");
        out.push((count as u32) << 16 | op as u32);
        out.extend_from_slice(operands);
    }

    /// Appends an instruction with a result to a section and gives the result's id.
    pub fn push_result(&mut self, section: Section, op: Op, ty: Option<Id>, operands: &[u32]) -> Id {
        let id = self.id();
        self.push_with_id(section, op, ty, id, operands);
        id
    }

    /// As [`Builder::push_result`], with an id handed out before (a forward reference).
    pub fn push_with_id(&mut self, section: Section, op: Op, ty: Option<Id>, id: Id, operands: &[u32]) {
        let count = operands.len() + 2 + usize::from(ty.is_some());
        assert!(count <= 0xffff, "{op:?} is longer than an instruction can be");
        let out = &mut self.sections[section as usize];
        out.push((count as u32) << 16 | op as u32);
        out.extend(ty.map(|t| t.0));
        out.push(id.0);
        out.extend_from_slice(operands);
    }

    /// Appends whole instructions, already encoded, to a section: a function body that was collected
    /// apart.
    pub fn append(&mut self, section: Section, instructions: &[u32]) {
        self.sections[section as usize].extend_from_slice(instructions);
    }

    /// A type or constant in [`Section::Globals`]: the same opcode, type and operands give the same
    /// id. Aggregate types that need decorations of their own go through [`Builder::push_result`].
    pub fn unique(&mut self, op: Op, ty: Option<Id>, operands: &[u32]) -> Id {
        let hash = Unique::hash(op, ty, operands);
        let globals = &self.sections[Section::Globals as usize];
        if let Some(id) = self.unique.find(globals, hash, op, ty, operands) {
            return id;
        }
        let at = globals.len() as u32;
        let id = self.push_result(Section::Globals, op, ty, operands);
        self.unique.insert(hash, at);
        id
    }

    /// OpName.
    pub fn name(&mut self, id: Id, name: &str) {
        let mut operands = vec![id.0];
        operands.extend(string_words(name));
        self.push(Section::Names, Op::Name, &operands);
    }

    /// OpMemberName.
    pub fn member_name(&mut self, structure: Id, member: u32, name: &str) {
        let mut operands = vec![structure.0, member];
        operands.extend(string_words(name));
        self.push(Section::Names, Op::MemberName, &operands);
    }

    /// OpDecorate.
    pub fn decorate(&mut self, id: Id, decoration: spirv::Decoration, operands: &[u32]) {
        let mut words = vec![id.0, decoration as u32];
        words.extend_from_slice(operands);
        self.push(Section::Annotations, Op::Decorate, &words);
    }

    /// OpMemberDecorate.
    pub fn member_decorate(
        &mut self,
        structure: Id,
        member: u32,
        decoration: spirv::Decoration,
        operands: &[u32],
    ) {
        let mut words = vec![structure.0, member, decoration as u32];
        words.extend_from_slice(operands);
        self.push(Section::Annotations, Op::MemberDecorate, &words);
    }

    /// The module's words. Pumice's generator number is 0, "reserved", until one is registered.
    pub fn finish(&self) -> Vec<u32> {
        let mut words =
            vec![crate::MAGIC, u32::from_le_bytes([0, self.version.1, self.version.0, 0]), 0, self.next, 0];
        for section in &self.sections {
            words.extend_from_slice(section);
        }
        words
    }
}

/// The instructions of [`Section::Globals`] of which there is one each, by their hash: a table with open addresses, an empty
/// place of which has the hash 0. The instructions themselves are not kept twice.
#[derive(Debug, Clone, Default)]
struct Unique {
    /// The hash, and where the instruction begins in the section.
    places: Vec<(u32, u32)>,
    count: usize,
}

impl Unique {
    fn hash(op: Op, ty: Option<Id>, operands: &[u32]) -> u32 {
        const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
        let mut hash = (op as u64).wrapping_add(FACTOR);
        for word in ty.iter().map(|t| t.0).chain(operands.iter().copied()) {
            hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(FACTOR);
        }
        (hash >> 32) as u32 | 1
    }

    /// The id of an instruction that is there.
    fn find(&self, section: &[u32], hash: u32, op: Op, ty: Option<Id>, operands: &[u32]) -> Option<Id> {
        let last = self.places.len().checked_sub(1)?;
        let start = 1 + usize::from(ty.is_some());
        let first = ((operands.len() + start + 1) as u32) << 16 | op as u32;
        let mut at = hash as usize >> 1 & last;
        while self.places[at].0 != 0 {
            let (known, begin) = self.places[at];
            let words = &section[begin as usize..];
            if known == hash
                && words[0] == first
                && ty.is_none_or(|ty| words[1] == ty.0)
                && words[start + 1..start + 1 + operands.len()] == *operands
            {
                return Some(Id(words[start]));
            }
            at = (at + 1) & last;
        }
        None
    }

    /// Adds an instruction that is not there.
    fn insert(&mut self, hash: u32, begin: u32) {
        if 4 * (self.count + 1) > 3 * self.places.len() {
            let size = (2 * self.places.len()).max(64);
            let old = std::mem::replace(&mut self.places, vec![(0, 0); size]);
            old.into_iter().filter(|p| p.0 != 0).for_each(|p| self.put(p));
        }
        self.put((hash, begin));
        self.count += 1;
    }

    fn put(&mut self, place: (u32, u32)) {
        let last = self.places.len() - 1;
        let mut at = place.0 as usize >> 1 & last;
        while self.places[at].0 != 0 {
            at = (at + 1) & last;
        }
        self.places[at] = place;
    }
}

/// A literal string as words: UTF-8, zero-terminated, padded with zeros (SPIR-V §2.2.1). A zero
/// byte inside ends it early, as SPIR-V cannot express one.
pub fn string_words(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let bytes = &bytes[..bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len())];
    let mut words = vec![0u32; bytes.len() / 4 + 1];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 4] |= u32::from(*byte) << (i % 4 * 8);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reader, decode_string};

    #[test]
    fn strings_round_trip() {
        for text in ["", "a", "abc", "abcd", "OpenCL.std", "größe"] {
            assert_eq!(decode_string(&string_words(text)).map(|(t, _)| t).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_module_reads_back_in_section_order() {
        let mut b = Builder::new(1, 4);
        let int = b.unique(Op::TypeInt, None, &[32, 0]);
        b.name(int, "uint");
        b.capability(Capability::Kernel);
        b.capability(Capability::Kernel);
        let words = b.finish();
        let (header, reader) = Reader::new(&words).expect("header");
        assert_eq!((header.version, header.bound), ((1, 4), 2));
        let ops: Vec<_> = reader.map(|i| i.expect("instruction").op).collect();
        assert_eq!(ops, [Op::Capability, Op::Name, Op::TypeInt]);
    }

    #[test]
    fn truncated_modules_are_refused() {
        let mut b = Builder::new(1, 4);
        b.unique(Op::TypeInt, None, &[32, 0]);
        let mut words = b.finish();
        words.pop();
        let (_, mut reader) = Reader::new(&words).expect("header");
        assert!(matches!(reader.next(), Some(Err(crate::ReadError::Truncated(5)))));
        assert!(reader.next().is_none());
    }
}

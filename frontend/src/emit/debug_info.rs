//! What `-g` adds: the source's text, types, functions, scopes and variables as instructions of
//! NonSemantic.Shader.DebugInfo.100 (API specification, §5.8.6.6), which debuggers read and everything else may skip.
//!
//! The instructions refer back only, so that a type is written before what has it. Where a type reaches itself through
//! pointers, the inner mention is of an opaque type of its name. Operands that OpenCL.DebugInfo.100 has as literals are
//! ids of constants here.

use super::debug::MAX_STRING;
use super::debug_state::DebugInfo;
use super::error::Emit;
use super::function::{FunctionEmitter, Passing};
use super::module::{MAX_OPERANDS, Module};
use super::types::storage_class;
use crate::hir::{Function, Global, Linkage, LocalId, Stmt, StmtKind};
use crate::source::Span;
use crate::types::{QualType, RecordId, Scalar, Type, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{Op, SourceLanguage};
use spirv_io::{Id, Section};

/// The instructions by their numbers in the set.
mod number {
    pub const INFO_NONE: u32 = 0;
    pub const COMPILATION_UNIT: u32 = 1;
    pub const TYPE_BASIC: u32 = 2;
    pub const TYPE_POINTER: u32 = 3;
    pub const TYPE_QUALIFIER: u32 = 4;
    pub const TYPE_ARRAY: u32 = 5;
    pub const TYPE_VECTOR: u32 = 6;
    pub const TYPE_FUNCTION: u32 = 8;
    pub const TYPE_COMPOSITE: u32 = 10;
    pub const TYPE_MEMBER: u32 = 11;
    pub const GLOBAL_VARIABLE: u32 = 18;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const SCOPE: u32 = 23;
    pub const LOCAL_VARIABLE: u32 = 26;
    pub const DECLARE: u32 = 28;
    pub const VALUE: u32 = 29;
    pub const EXPRESSION: u32 = 31;
    pub const SOURCE: u32 = 35;
    pub const FUNCTION_DEFINITION: u32 = 101;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
    pub const ENTRY_POINT: u32 = 107;
}

/// Flags of declarations.
const IS_LOCAL: u32 = 0x04;
const IS_DEFINITION: u32 = 0x08;
/// How a basic type's bits are read.
const BOOLEAN: u32 = 2;
const FLOAT: u32 = 3;
const SIGNED: u32 = 4;
const SIGNED_CHAR: u32 = 5;
const UNSIGNED: u32 = 6;
const UNSIGNED_CHAR: u32 = 7;
/// Tags of composites.
const STRUCTURE: u32 = 1;
const UNION: u32 = 2;
/// Of the format of the information, and of DWARF, whose notions it has.
const FORMAT_VERSION: u32 = 1;
const DWARF_VERSION: u32 = 4;

/// The start of a place, as most instructions have it: source, line, column.
type Place = [u32; 3];

impl Module<'_> {
    /// Imports the instruction set and describes the compilation, where it was asked for and there are sources.
    pub fn start_debug_info(&mut self) {
        let Some(main) = self.sources.files.first().filter(|_| self.options.debug_info) else { return };
        let name = main.name.clone();
        self.b.extension("SPV_KHR_non_semantic_info");
        let set = self.b.import("NonSemantic.Shader.DebugInfo.100");
        self.debug = Some(Box::new(DebugInfo {
            set,
            none: set,
            expression: set,
            unit: set,
            sources: FxHashMap::default(),
            strings: FxHashMap::default(),
            types: FxHashMap::default(),
            qualified: FxHashMap::default(),
            opaque: FxHashMap::default(),
            function: None,
            in_progress: FxHashSet::default(),
            mentions: 0,
        }));
        let none = self.info(number::INFO_NONE, &[]);
        let expression = self.info(number::EXPRESSION, &[]);
        let source = self.source(&name);
        let operands =
            [FORMAT_VERSION, DWARF_VERSION, SourceLanguage::OpenCL_C as u32].map(|n| self.word(n).0);
        let unit = self.info(number::COMPILATION_UNIT, &[operands[0], operands[1], source.0, operands[2]]);
        if let Some(debug) = &mut self.debug {
            (debug.none, debug.expression, debug.unit) = (none, expression, unit);
        }
    }

    /// An instruction outside of functions. Only called with debug information on.
    fn info(&mut self, number: u32, operands: &[u32]) -> Id {
        let Some(set) = self.debug.as_ref().map(|d| d.set) else { return Id(0) };
        let mut words = vec![set.0, number];
        words.extend_from_slice(operands);
        let void = self.void_type();
        self.b.push_result(Section::NonSemantic, Op::ExtInst, Some(void), &words)
    }

    fn debug_string(&mut self, text: &str) -> Id {
        if let Some(id) = self.debug.as_ref().and_then(|d| d.strings.get(text)) {
            return *id;
        }
        let id = self.string(text);
        if let Some(debug) = &mut self.debug {
            debug.strings.insert(text.to_owned(), id);
        }
        id
    }

    /// The DebugSource of a file by its presumed name, with its text. Where `#line` gives other numbers to lines, the
    /// text is not what the places are in, and is left out.
    fn source(&mut self, name: &str) -> Id {
        if let Some(id) = self.debug.as_ref().and_then(|d| d.sources.get(name)) {
            return *id;
        }
        let file = self.file(name);
        let found = self.sources.files.iter().find(|f| f.name == name && f.line_marks.is_empty());
        // SPIR-V's strings end at a zero byte.
        let text = found.map(|f| f.text.replace('\0', " ")).filter(|t| !t.is_empty());
        let mut rest = text.as_deref().unwrap_or("");
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(super::debug::cut(rest, MAX_STRING).len());
            pieces.push(self.string(piece));
            rest = after;
        }
        let mut pieces = pieces.into_iter();
        let id = match pieces.next() {
            Some(first) => self.info(number::SOURCE, &[file.0, first.0]),
            None => self.info(number::SOURCE, &[file.0]),
        };
        for piece in pieces {
            self.info(number::SOURCE_CONTINUED, &[piece.0]);
        }
        if let Some(debug) = &mut self.debug {
            debug.sources.insert(name.to_owned(), id);
        }
        id
    }

    fn place(&mut self, span: Span) -> Place {
        let at = self.sources.locate(self.sources.outermost(span));
        let source = self.source(&at.file);
        [source.0, self.word(at.line).0, self.word(at.column).0]
    }

    fn debug_type_of(&mut self, ty: QualType) -> Id {
        let base = self.debug_type(ty.ty);
        // 0 is const, 1 volatile.
        let qualifiers = [(ty.is_const, 0), (ty.is_volatile, 1)];
        qualifiers.into_iter().filter(|(is, _)| *is).fold(base, |base, (_, qualifier)| {
            if let Some(id) = self.debug.as_ref().and_then(|d| d.qualified.get(&(base, qualifier))) {
                return *id;
            }
            let word = self.word(qualifier);
            let id = self.info(number::TYPE_QUALIFIER, &[base.0, word.0]);
            if let Some(debug) = &mut self.debug {
                debug.qualified.insert((base, qualifier), id);
            }
            id
        })
    }

    /// The description of a type; `void` has DebugInfoNone.
    fn debug_type(&mut self, ty: TypeId) -> Id {
        let (known, none, before) = match &self.debug {
            Some(debug) => (debug.types.get(&ty).copied(), debug.none, debug.mentions),
            None => return Id(0),
        };
        if let Some(id) = known {
            return id;
        }
        let id = match self.program.types.get(ty).clone() {
            Type::Void | Type::Error | Type::Function(_) => none,
            Type::Scalar(scalar) => self.basic(scalar.name(), scalar),
            Type::Atomic(scalar) => self.basic(&format!("atomic_{}", scalar.name()), scalar),
            Type::Enum(e) => {
                let found = self.program.types.enums.get(e.0 as usize);
                let (tag, scalar) = found.map_or((None, Scalar::Int), |e| (e.tag, e.underlying));
                let tag = tag.map_or(String::new(), |t| format!(" {}", self.symbols.text(t)));
                self.basic(&format!("enum{tag}"), scalar)
            }
            Type::Vector(scalar, lanes @ 2..=4) => {
                let component = self.debug_type(Types::scalar(scalar));
                let count = self.word(lanes.into());
                self.info(number::TYPE_VECTOR, &[component.0, count.0])
            }
            Type::Vector(scalar, lanes) => self.wide_vector(scalar, lanes),
            Type::Pointer(pointee) => {
                let base = self.debug_type_of(pointee);
                let base = if base == none { self.opaque_description("void") } else { base };
                let (class, flags) = (self.word(storage_class(pointee.space) as u32), self.word(0));
                self.info(number::TYPE_POINTER, &[base.0, class.0, flags.0])
            }
            Type::Array(..) => self.array_description(ty),
            Type::Record(record) => self.record_description(record),
            Type::Reference(..) => self.opaque_description("reference"),
            Type::Event => self.opaque_description("event_t"),
            Type::Sampler => self.opaque_description("sampler_t"),
            Type::Opaque(opaque) => self.opaque_description(opaque.name()),
            Type::Pipe(..) => self.opaque_description("pipe"),
            Type::Block(_) => self.opaque_description("block"),
            Type::Image(name, _) => self.opaque_description(name),
        };
        let record = match self.program.types.get(ty) {
            Type::Record(record) => Some(*record),
            _ => None,
        };
        if let Some(debug) = &mut self.debug {
            // A record in progress was mentioned by its name alone: what was made of that is not the whole type.
            let whole = match record {
                Some(record) => !debug.in_progress.contains(&record),
                None => debug.mentions == before,
            };
            if whole {
                debug.types.insert(ty, id);
            }
            if debug.in_progress.is_empty() {
                debug.mentions = before;
            }
        }
        id
    }

    fn basic(&mut self, name: &str, scalar: Scalar) -> Id {
        let encoding = match scalar {
            Scalar::Bool => BOOLEAN,
            Scalar::Char => SIGNED_CHAR,
            Scalar::UChar => UNSIGNED_CHAR,
            s if s.is_float() => FLOAT,
            Scalar::UShort | Scalar::UInt | Scalar::ULong => UNSIGNED,
            _ => SIGNED,
        };
        let name = self.debug_string(name);
        let operands = [scalar.size() * 8, encoding, 0].map(|n| self.word(n).0);
        self.info(number::TYPE_BASIC, &[name.0, operands[0], operands[1], operands[2]])
    }

    /// DebugTypeVector ends at 4 components; more are members `s0` to `sf`.
    fn wide_vector(&mut self, scalar: Scalar, lanes: u8) -> Id {
        let component = self.debug_type(Types::scalar(scalar));
        let [source, line, column] = self.place(Span::default());
        let (size, flags) = (self.bits(scalar.size().into()), self.word(0));
        let mut members = Vec::new();
        for lane in 0..lanes {
            let name = self.debug_string(&format!("s{lane:x}"));
            let offset = self.bits(u64::from(lane) * u64::from(scalar.size()));
            let operands = [name.0, component.0, source, line, column, offset.0, size.0, flags.0];
            members.push(self.info(number::TYPE_MEMBER, &operands).0);
        }
        let name = self.debug_string(&format!("{}{lanes}", scalar.name()));
        let (tag, size) = (self.word(STRUCTURE), self.bits(u64::from(lanes) * u64::from(scalar.size())));
        let unit = self.debug.as_ref().map_or(Id(0), |d| d.unit);
        let mut operands = vec![name.0, tag.0, source, line, column, unit.0, name.0, size.0, flags.0];
        operands.extend(members);
        self.info(number::TYPE_COMPOSITE, &operands)
    }

    /// A type that has nothing but a name; `@` keeps it apart from the program's own.
    fn opaque_description(&mut self, name: &str) -> Id {
        let Some(debug) = &self.debug else { return Id(0) };
        if let Some(id) = debug.opaque.get(name) {
            return *id;
        }
        let (none, unit) = (debug.none, debug.unit);
        let text = self.debug_string(&format!("@{name}"));
        let place = self.place(Span::default());
        let (tag, flags) = (self.word(STRUCTURE), self.word(0));
        let [source, line, column] = place;
        let operands = [text.0, tag.0, source, line, column, unit.0, text.0, none.0, flags.0];
        let id = self.info(number::TYPE_COMPOSITE, &operands);
        if let Some(debug) = &mut self.debug {
            debug.opaque.insert(name.to_owned(), id);
        }
        id
    }

    /// All dimensions at once; an open one counts 0.
    fn array_description(&mut self, mut ty: TypeId) -> Id {
        let mut counts = Vec::new();
        let mut element = QualType::new(ty);
        while let Type::Array(inner, length) = *self.program.types.get(ty) {
            counts.push(self.word(length.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)).0);
            element = inner;
            ty = inner.ty;
        }
        let base = self.debug_type_of(element);
        let mut operands = vec![base.0];
        operands.append(&mut counts);
        self.info(number::TYPE_ARRAY, &operands)
    }

    /// A size or offset in bits.
    fn bits(&mut self, bytes: u64) -> Id {
        let bits = bytes.saturating_mul(8);
        self.int_constant(if bits > u64::from(u32::MAX) { 64 } else { 32 }, bits)
    }

    fn record_description(&mut self, id: RecordId) -> Id {
        let program = self.program;
        let record = program.types.record(id);
        let tag_text = record.tag.map_or("", |t| self.symbols.text(t)).to_owned();
        let fits = record.fields.as_ref().is_some_and(|f| f.len() < MAX_OPERANDS - 16);
        let layout = program.types.record_layout(id).filter(|_| fits);
        let first = self.debug.as_mut().is_some_and(|d| d.in_progress.insert(id));
        let (Some(layout), true) = (layout, first) else {
            if let Some(debug) = &mut self.debug
                && !first
            {
                debug.mentions += 1;
            } else if let Some(debug) = &mut self.debug {
                debug.in_progress.remove(&id);
            }
            return self.opaque_description(if tag_text.is_empty() { "struct" } else { &tag_text });
        };
        let mut members = Vec::new();
        for (field, offset) in record.fields.iter().flatten().zip(&layout.offsets) {
            let ty = self.debug_type_of(field.ty);
            let text = field.name.map_or("", |n| self.symbols.text(n)).to_owned();
            let name = self.debug_string(&text);
            let size = program.types.layout(field.ty.ty).map_or(0, |l| l.size);
            let [source, line, column] = self.place(field.span);
            let (offset, size, flags) = (self.bits(*offset), self.bits(size), self.word(0));
            let operands = [name.0, ty.0, source, line, column, offset.0, size.0, flags.0];
            members.push(self.info(number::TYPE_MEMBER, &operands).0);
        }
        let name = self.debug_string(&tag_text);
        let tag = self.word(if record.is_union { UNION } else { STRUCTURE });
        let [source, line, column] = self.place(record.span);
        let (size, flags) = (self.bits(layout.layout.size), self.word(0));
        let unit = self.debug.as_ref().map_or(Id(0), |d| d.unit);
        let mut operands = vec![name.0, tag.0, source, line, column, unit.0, name.0, size.0, flags.0];
        operands.extend(members);
        let composite = self.info(number::TYPE_COMPOSITE, &operands);
        if let Some(debug) = &mut self.debug {
            debug.in_progress.remove(&id);
        }
        composite
    }

    /// A program-scope variable; those that the front end made up have no place in the source.
    pub fn debug_global(&mut self, global: &Global, variable: Id) {
        let Some((unit, function)) = self.debug.as_ref().map(|d| (d.unit, d.function)) else { return };
        let (outer, shown) = global.name.rsplit_once('.').unwrap_or(("", &global.name));
        // Imports are described where they are defined.
        if global.name.starts_with('.') || shown.is_empty() || global.linkage == Linkage::Import {
            return;
        }
        let parent = function.filter(|_| !outer.is_empty()).unwrap_or(unit);
        let (name, linkage_name) = (self.debug_string(shown), self.debug_string(&global.name));
        let ty = self.debug_type_of(global.ty);
        let [source, line, column] = self.place(global.span);
        let flags = self.word(IS_DEFINITION | if global.linkage == Linkage::Internal { IS_LOCAL } else { 0 });
        let operands = [name.0, ty.0, source, line, column, parent.0, linkage_name.0, variable.0, flags.0];
        self.info(number::GLOBAL_VARIABLE, &operands);
    }

    fn function_description(&mut self, f: &Function) -> Id {
        let unit = self.debug.as_ref().map_or(Id(0), |d| d.unit);
        let flags = self.word(0);
        let result = match self.program.types.get(f.ret) {
            Type::Void => self.void_type(),
            _ => self.debug_type(f.ret),
        };
        let mut operands = vec![flags.0, result.0];
        for param in f.locals.iter().take(f.param_count) {
            operands.push(self.debug_type_of(param.ty).0);
        }
        let ty = self.info(number::TYPE_FUNCTION, &operands);
        let text = self.symbols.text(f.name).to_owned();
        let name = self.debug_string(&text);
        let [source, line, column] = self.place(f.span);
        let flags = self.word(IS_DEFINITION | if f.linkage == Linkage::Internal { IS_LOCAL } else { 0 });
        let operands = [name.0, ty.0, source, line, column, unit.0, name.0, flags.0, line];
        self.info(number::FUNCTION, &operands)
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// An instruction in the open block; none where no block is open.
    fn debug_op(&mut self, number: u32, operands: &[u32]) {
        let Some(set) = self.m.debug.as_ref().map(|d| d.set) else { return };
        if self.body.current().is_some() {
            let mut words = vec![self.m.void_type().0, self.m.b.id().0, set.0, number];
            words.extend_from_slice(operands);
            self.body.push(Op::ExtInst, &words);
        }
    }

    /// Describes the function, at its beginning.
    pub fn debug_function(&mut self, passing: Passing) {
        let Some(unit) = self.m.debug.as_ref().map(|d| d.unit) else { return };
        let description = self.m.function_description(self.f);
        if passing == Passing::Kernel {
            let compiler = self.m.debug_string(concat!("Pumice ", env!("CARGO_PKG_VERSION")));
            let arguments = self.m.debug_string("");
            self.m.info(number::ENTRY_POINT, &[description.0, unit.0, compiler.0, arguments.0]);
        }
        let function = self.instance.id;
        if let Some(debug) = &mut self.m.debug {
            debug.function = Some(description);
        }
        self.scopes.open.push(description);
        self.debug_op(number::FUNCTION_DEFINITION, &[description.0, function.0]);
        if let Some(block) = self.body.current() {
            self.debug_scope(block);
        }
    }

    /// Runs `emit` in a lexical block if `stmts` declare something; `span` is where the block begins.
    pub fn scoped(
        &mut self,
        stmts: &'a [Stmt],
        span: Span,
        emit: impl FnOnce(&mut Self) -> Emit<()>,
    ) -> Emit<()> {
        let declares = stmts.iter().any(|s| matches!(s.kind, StmtKind::Declare(..)));
        let Some(parent) = self.scopes.open.last().copied().filter(|_| declares) else { return emit(self) };
        let [source, line, column] = self.m.place(span);
        let block = self.m.info(number::LEXICAL_BLOCK, &[source, line, column, parent.0]);
        self.scopes.open.push(block);
        let result = emit(self);
        self.scopes.open.pop();
        result
    }

    /// Notes where a local is declared.
    pub fn declared_in_scope(&mut self, local: LocalId) {
        if let Some(scope) = self.scopes.open.last() {
            self.scopes.of_locals.insert(local, *scope);
        }
    }

    /// The scope of what follows in `block`, where it is another one than before.
    pub fn debug_scope(&mut self, block: Id) {
        let Some(scope) = self.scopes.open.last().copied() else { return };
        if self.scopes.last != Some((block, scope)) {
            self.scopes.last = Some((block, scope));
            self.debug_op(number::SCOPE, &[scope.0]);
        }
    }

    /// At the beginning of a block: scope and line end with the block before.
    pub fn debug_block(&mut self) {
        let (Some(block), Some((last, _))) = (self.body.current(), self.scopes.last) else { return };
        if block != last {
            let at = self.m.at;
            self.line(self.scopes.line);
            self.m.at = at;
        }
    }

    /// DebugLine beside the OpLine of `span`.
    pub fn debug_line(&mut self, span: Span) {
        if self.m.debug.is_none() {
            return;
        }
        let [source, line, column] = self.m.place(span);
        let outer = self.m.sources.outermost(span);
        let end = self.m.sources.locate(Span { lo: outer.hi.max(outer.lo), ..outer });
        let begin = self.m.sources.locate(outer);
        // The end counts in the file of the beginning only.
        let (end_line, end_column) = match end.file == begin.file && end.line >= begin.line {
            true => {
                (end.line, if end.line == begin.line { end.column.max(begin.column) } else { end.column })
            }
            false => (begin.line, begin.column),
        };
        let (end_line, end_column) = (self.m.word(end_line), self.m.word(end_column));
        self.debug_op(number::LINE, &[source, line, end_line.0, column, end_column.0]);
    }

    /// Describes a parameter or variable: it is in memory at `id`, or it is the value `id`.
    pub fn debug_local(&mut self, local: LocalId, id: Id, in_memory: bool) {
        let Some(expression) = self.m.debug.as_ref().map(|d| d.expression) else { return };
        let index = local.0 as usize;
        let Some(declared) = self.f.locals.get(index) else { return };
        let Some(name) = declared.name else { return };
        let Some(function) = self.scopes.open.first().copied() else { return };
        let parent = self.scopes.of_locals.get(&local).copied().unwrap_or(function);
        let text = self.m.symbols.text(name).to_owned();
        let (name, ty) = (self.m.debug_string(&text), self.m.debug_type_of(declared.ty));
        let [source, line, column] = self.m.place(declared.span);
        let flags = self.m.word(IS_LOCAL);
        let mut operands = vec![name.0, ty.0, source, line, column, parent.0, flags.0];
        if index < self.f.param_count {
            operands.push(self.m.word(local.0 + 1).0);
        }
        let variable = self.m.info(number::LOCAL_VARIABLE, &operands);
        let number = if in_memory { number::DECLARE } else { number::VALUE };
        self.debug_op(number, &[variable.0, id.0, expression.0]);
    }
}

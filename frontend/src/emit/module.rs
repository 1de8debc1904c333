//! What all functions of a module share: the builder, the caches, and the order of emission.

use super::analysis;
use super::constant::Bits;
use super::error::{Emit, Failed};
use super::record::RecordInfo;
use crate::diag::Diagnostics;
use crate::hir::{FunctionId, Linkage, Program};
use crate::options::{AddressWidth, LangVersion, Options};
use crate::source::{SourceMap, Span};
use crate::symbol::Interner;
use crate::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{AddressingModel, Capability, LinkageType, MemoryModel, Op, SourceLanguage};
use spirv_io::{Builder, Id, Section, string_words};
use std::rc::Rc;

/// Instructions stay below SPIR-V's 65,535 words with room for their fixed operands.
pub(super) const MAX_OPERANDS: usize = 65_500;

/// Where a program-scope variable's emission stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum GlobalState {
    Untouched,
    /// Its initialiser is being emitted: a reference to it now is a cycle.
    InProgress,
    Done(Id),
    /// It was diagnosed.
    Failed,
}

/// What is known of a function after its body: for the kernels' interface lists and modes.
#[derive(Debug, Clone, Default)]
pub(super) struct Uses {
    /// Bit i: the i-th builtin variable of [`Module::work_items`].
    pub builtins: u64,
    /// It, or a function it calls, has FP_CONTRACT off.
    pub contraction_off: bool,
    /// The functions it calls.
    pub calls: Vec<FunctionId>,
}

/// One of the functions that a source function becomes: one for each choice of blocks that it is called with, most often
/// just one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instance {
    pub id: Id,
    /// By parameter of block type, in order.
    pub blocks: Vec<FunctionId>,
}

/// The module under construction.
pub(super) struct Module<'a> {
    pub program: &'a Program,
    pub symbols: &'a Interner,
    pub sources: &'a SourceMap,
    pub options: &'a Options,
    pub diags: &'a mut Diagnostics,
    pub b: Builder,
    /// OpenCL.std.
    pub ext: Id,
    /// What is being emitted, for diagnostics.
    pub at: Span,
    pub memory_types: FxHashMap<TypeId, Id>,
    pub value_types: FxHashMap<TypeId, Id>,
    pub records: Vec<Option<Rc<RecordInfo>>>,
    pub records_in_progress: Vec<bool>,
    /// Records that reach themselves through pointers: such pointers are written as byte pointers.
    pub recursive_records: Vec<bool>,
    pub constant_bits: FxHashMap<Id, Bits>,
    /// The values of floating constants.
    pub float_values: FxHashMap<Id, f64>,
    pub globals: Vec<GlobalState>,
    /// The functions' ids, by [`FunctionId`].
    pub functions: Vec<Id>,
    /// What functions that take blocks became so far, in order; the first so many of them are emitted.
    pub instances: Vec<(FunctionId, Instance)>,
    pub uses: Vec<Uses>,
    /// The entry points of kernels that are called by other functions.
    pub wrappers: FxHashMap<FunctionId, Id>,
    pub facts: analysis::ProgramFacts,
    /// The builtin variables, in the order of their first use.
    pub work_items: Vec<(spirv_io::spirv::BuiltIn, Id)>,
    pub files: FxHashMap<String, Id>,
    pub formats: FxHashMap<Vec<u8>, Id>,
    /// The variables behind constant initialisers of private arrays, by type and value.
    pub table_ids: FxHashMap<(Id, Id), Id>,
    /// With `-g`.
    pub debug: Option<Box<super::debug_state::DebugInfo>>,
    /// The type half exists.
    pub half_types: bool,
    /// Values of it exist, not only pointers to them.
    pub half_values: bool,
    /// Memory semantics of barriers that are computed, each with a constant for all memory that it may name.
    pub computed_semantics: Vec<(Id, Id)>,
}

impl<'a> Module<'a> {
    pub fn new(
        program: &'a Program,
        symbols: &'a Interner,
        sources: &'a SourceMap,
        options: &'a Options,
        diags: &'a mut Diagnostics,
    ) -> Self {
        // 1.2 is what OpenCL 2.2 takes; few things need a later one (`require_version`).
        let mut b = Builder::new(1, 2);
        b.capability(Capability::Kernel);
        b.capability(Capability::Addresses);
        let ext = b.import("OpenCL.std");
        let functions = program.functions.iter().map(|_| b.id()).collect();
        let records = program.types.records.len();
        Module {
            program,
            symbols,
            sources,
            options,
            diags,
            b,
            ext,
            at: Span::default(),
            memory_types: FxHashMap::default(),
            value_types: FxHashMap::default(),
            records: vec![None; records],
            records_in_progress: vec![false; records],
            recursive_records: vec![false; records],
            constant_bits: FxHashMap::default(),
            float_values: FxHashMap::default(),
            globals: vec![GlobalState::Untouched; program.globals.len()],
            functions,
            instances: Vec::new(),
            wrappers: FxHashMap::default(),
            uses: vec![Uses::default(); program.functions.len()],
            facts: analysis::ProgramFacts::new(program, options.allow_undefined),
            work_items: Vec::new(),
            files: FxHashMap::default(),
            formats: FxHashMap::default(),
            table_ids: FxHashMap::default(),
            debug: None,
            half_types: false,
            half_values: false,
            computed_semantics: Vec::new(),
        }
    }

    pub(super) fn header(&mut self) {
        let addressing = match self.program.types.address_width {
            AddressWidth::Bits32 => AddressingModel::Physical32,
            AddressWidth::Bits64 => AddressingModel::Physical64,
        };
        let model = [addressing as u32, MemoryModel::OpenCL as u32];
        self.b.push(Section::MemoryModel, Op::MemoryModel, &model);
        // major × 100000 + minor × 1000, as the Khronos translator writes it.
        let version = match self.options.std {
            LangVersion::Cl1_0 => 100_000,
            LangVersion::Cl1_1 => 101_000,
            LangVersion::Cl1_2 => 102_000,
            LangVersion::Cl2_0 => 200_000,
            LangVersion::Cl3_0 => 300_000,
            LangVersion::Cl3_1 => 301_000,
        };
        let mut source = vec![SourceLanguage::OpenCL_C as u32, version];
        if let Some(main) = self.sources.files.first() {
            source.push(self.file(&main.name).0);
        }
        self.b.push(Section::DebugStrings, Op::Source, &source);
    }

    pub(super) fn exported_globals(&mut self) -> Emit<()> {
        let mut result = Ok(());
        for (index, global) in self.program.globals.iter().enumerate() {
            if global.linkage == Linkage::Export && !self.diags.is_full() {
                result = self.global(crate::hir::GlobalId(index as u32)).map(|_| ()).and(result);
            }
        }
        result
    }

    /// OpDecorate LinkageAttributes for a symbol that other modules see.
    pub fn linkage(&mut self, id: Id, name: &str, linkage: Linkage) {
        let kind = match linkage {
            Linkage::Internal => return,
            Linkage::Export => LinkageType::Export,
            Linkage::Import => LinkageType::Import,
        };
        self.b.capability(Capability::Linkage);
        let mut words = string_words(name);
        words.push(kind as u32);
        self.b.decorate(id, spirv_io::spirv::Decoration::LinkageAttributes, &words);
    }

    /// Something in the module needs this SPIR-V version.
    pub fn require_version(&mut self, major: u8, minor: u8) {
        self.b.require_version(major, minor);
    }

    /// Reports an error at the place being emitted.
    pub fn fail<T>(&mut self, id: &'static str, message: impl Into<String>) -> Emit<T> {
        self.diags.error(id, self.at, message);
        Err(Failed)
    }

    /// Reports that the tree is not what [`crate::hir`] promises: a bug in Pumice, never the user's.
    pub fn bug<T>(&mut self, what: &str) -> Emit<T> {
        if self.options.cxx.is_some() {
            // Errors in templates and in declarations of C++ are not all reported where they are.
            let message = "this is not C++ for OpenCL, or Pumice's own compiler of it does not take it";
            return self.fail("unsupported-cxx", format!("{message} ({what})"));
        }
        self.fail("internal-compiler-error", format!("internal compiler error while emitting: {what}"))
    }

    /// The functions that each function reaches, folded into its own uses: a fixed point that visits a
    /// caller again only when a callee gained something.
    pub fn propagate_uses(&mut self) {
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); self.uses.len()];
        for (index, uses) in self.uses.iter().enumerate() {
            let unique: FxHashSet<_> = uses.calls.iter().collect();
            for callee in unique {
                callers[callee.0 as usize].push(index as u32);
            }
        }
        let mut work: Vec<u32> = (0..self.uses.len() as u32).collect();
        while let Some(callee) = work.pop() {
            let (builtins, off) = {
                let uses = &self.uses[callee as usize];
                (uses.builtins, uses.contraction_off)
            };
            for caller in &callers[callee as usize] {
                let uses = &mut self.uses[*caller as usize];
                let before = (uses.builtins, uses.contraction_off);
                uses.builtins |= builtins;
                uses.contraction_off |= off;
                if before != (uses.builtins, uses.contraction_off) {
                    work.push(*caller);
                }
            }
        }
    }
}

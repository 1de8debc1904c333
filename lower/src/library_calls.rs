//! Calls of a library of functions in a module's words: what replaces types and instructions that no device has ([`crate::pipes`],
//! [`crate::enqueue`]).
//!
//! The library is a module of its own, which the linker joins with the rewritten one. It merges the types of both.

use crate::error::LowerError;
use crate::link::{self, LinkOptions};
use spirv_io::spirv::{Capability, Decoration, LinkageType, Op, StorageClass};
use spirv_io::{ReadError, Reader, string_words};

/// An instruction that is appended to words.
pub(crate) fn put(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

/// A type of a library's functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    Void,
    Bool,
    Uint,
    Byte,
    Ulong,
    /// A global pointer to words.
    GlobalUint,
    /// A global pointer to bytes.
    GlobalByte,
    /// A generic pointer to bytes.
    GenericByte,
    /// A generic pointer to numbers of 64 bits.
    GenericUlong,
    Uint2,
    Ulong3,
}

/// The ids of types, functions and numbers that the calls need.
pub(crate) struct LibraryCalls {
    bound: u32,
    types: Vec<(Ty, u32)>,
    /// The library's functions by name: id, result, parameters.
    imports: Vec<(&'static str, u32, Ty, Vec<Ty>)>,
    /// Types of functions.
    signatures: Vec<(Ty, Vec<Ty>, u32)>,
    /// Numbers by type and value.
    constants: Vec<(Ty, u32, u32)>,
}

impl LibraryCalls {
    /// Begins with a module's bound. `types`: those that will be used, in the order of their declaration: what a type consists of before it.
    pub(crate) fn new(bound: u32, types: &[Ty]) -> Self {
        let mut calls = LibraryCalls {
            bound,
            types: Vec::new(),
            imports: Vec::new(),
            signatures: Vec::new(),
            constants: Vec::new(),
        };
        for ty in types {
            let id = calls.id();
            calls.types.push((*ty, id));
        }
        calls
    }

    /// The bound of the ids so far.
    pub(crate) fn bound(&self) -> u32 {
        self.bound
    }

    /// A new id.
    pub(crate) fn id(&mut self) -> u32 {
        let id = self.bound;
        self.bound = self.bound.saturating_add(1);
        id
    }

    /// The id of a type.
    pub(crate) fn ty(&self, ty: Ty) -> u32 {
        self.types.iter().find(|(known, _)| *known == ty).map_or(0, |(_, id)| *id)
    }

    /// The id of a number.
    pub(crate) fn constant(&mut self, value: u32) -> u32 {
        self.constant_of(Ty::Uint, value)
    }

    /// The id of a number of a type.
    pub(crate) fn constant_of(&mut self, ty: Ty, value: u32) -> u32 {
        if let Some((.., id)) = self.constants.iter().find(|(of, known, _)| (*of, *known) == (ty, value)) {
            return *id;
        }
        let id = self.id();
        self.constants.push((ty, value, id));
        id
    }

    /// The id of a function's type.
    pub(crate) fn signature(&mut self, result: Ty, params: &[Ty]) -> u32 {
        let mut known = self.signatures.iter();
        if let Some((.., id)) = known.find(|(r, p, _)| *r == result && p == params) {
            return *id;
        }
        let id = self.id();
        self.signatures.push((result, params.to_vec(), id));
        id
    }

    /// The id of a function of the library.
    pub(crate) fn import(&mut self, name: &'static str, result: Ty, params: &[Ty]) -> u32 {
        if let Some((_, id, ..)) = self.imports.iter().find(|(known, ..)| *known == name) {
            return *id;
        }
        self.signature(result, params);
        let id = self.id();
        self.imports.push((name, id, result, params.to_vec()));
        id
    }

    /// Decorates the functions of the library, among the decorations.
    pub(crate) fn decorate_imports(&self, words: &mut Vec<u32>) {
        for (name, id, ..) in &self.imports {
            let mut operands = vec![*id, Decoration::LinkageAttributes as u32];
            operands.extend(string_words(name));
            operands.push(LinkageType::Import as u32);
            put(words, Op::Decorate, &operands);
        }
    }

    /// Declares the types. The linker merges them with the module's own.
    pub(crate) fn declare_types(&self, words: &mut Vec<u32>) {
        let [uint, byte, ulong] = [Ty::Uint, Ty::Byte, Ty::Ulong].map(|ty| self.ty(ty));
        let pointer = |storage: StorageClass, id, to| [id, storage as u32, to];
        for (ty, id) in self.types.iter().copied() {
            match ty {
                Ty::Void => put(words, Op::TypeVoid, &[id]),
                Ty::Bool => put(words, Op::TypeBool, &[id]),
                Ty::Uint => put(words, Op::TypeInt, &[id, 32, 0]),
                Ty::Byte => put(words, Op::TypeInt, &[id, 8, 0]),
                Ty::Ulong => put(words, Op::TypeInt, &[id, 64, 0]),
                Ty::GlobalUint => {
                    put(words, Op::TypePointer, &pointer(StorageClass::CrossWorkgroup, id, uint));
                }
                Ty::GlobalByte => {
                    put(words, Op::TypePointer, &pointer(StorageClass::CrossWorkgroup, id, byte));
                }
                Ty::GenericByte => put(words, Op::TypePointer, &pointer(StorageClass::Generic, id, byte)),
                Ty::GenericUlong => put(words, Op::TypePointer, &pointer(StorageClass::Generic, id, ulong)),
                Ty::Uint2 => put(words, Op::TypeVector, &[id, uint, 2]),
                Ty::Ulong3 => put(words, Op::TypeVector, &[id, ulong, 3]),
            }
        }
        for (ty, value, id) in &self.constants {
            match ty {
                Ty::Ulong => put(words, Op::Constant, &[ulong, *id, *value, 0]),
                _ => put(words, Op::Constant, &[uint, *id, *value]),
            }
        }
    }

    /// Declares the types of functions, and the functions of the library.
    pub(crate) fn declare_functions(&mut self, words: &mut Vec<u32>) {
        let imports = std::mem::take(&mut self.imports);
        for (result, params, id) in &self.signatures {
            let mut operands = vec![*id, self.ty(*result)];
            operands.extend(params.iter().map(|ty| self.ty(*ty)));
            put(words, Op::TypeFunction, &operands);
        }
        for (_, id, result, params) in &imports {
            let signature = self.signature(*result, params);
            put(words, Op::Function, &[self.ty(*result), *id, 0, signature]);
            for ty in params {
                let param = self.id();
                put(words, Op::FunctionParameter, &[self.ty(*ty), param]);
            }
            put(words, Op::FunctionEnd, &[]);
        }
    }
}

/// Returns whether an instruction begins the section of types, constants and variables (SPIR-V §2.4).
pub(crate) fn is_global(op: Op) -> bool {
    let number = op as u32;
    (Op::TypeVoid as u32..=Op::TypeForwardPointer as u32).contains(&number)
        || (Op::ConstantTrue as u32..=Op::SpecConstantOp as u32).contains(&number)
        || matches!(op, Op::Variable | Op::Undef | Op::TypePipeStorage | Op::ConstantPipeStorage)
}

/// Returns whether an instruction is of a section before that of debug information (SPIR-V §2.4).
pub(crate) fn is_before_debug(op: Op) -> bool {
    matches!(
        op,
        Op::Capability
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
    )
}

/// Returns whether a module declares a capability.
pub(crate) fn declares(module: &[u32], capability: Capability) -> Result<bool, ReadError> {
    for inst in Reader::new(module)?.1 {
        let inst = inst?;
        match inst.op {
            Op::Capability if inst.operands == [capability as u32] => return Ok(true),
            Op::Capability | Op::Extension => {}
            _ => break,
        }
    }
    Ok(false)
}

/// A library of 64-bit addresses that depends on nothing of it, for a module's addressing and memory model.
pub(crate) fn library_for(library: &[u8], model: [u32; 2]) -> Result<Vec<u32>, LowerError> {
    let mut words = spirv_io::bytes_to_words(library)?;
    let at = Reader::new(&words)?.1.flatten().find(|inst| inst.op == Op::MemoryModel).map(|inst| inst.at);
    if let Some(operands) = at.and_then(|at| words.get_mut(at + 1..at + 3)) {
        operands.copy_from_slice(&model);
    }
    Ok(words)
}

/// Links a module with the library that it calls.
pub(crate) fn link_library(words: &[u32], library: &[u32]) -> Result<Vec<u32>, LowerError> {
    // Kernels may reach functions that another module defines later.
    let options = LinkOptions { create_library: true, allow_partial: true };
    link::link(&[words, library], options).map_err(|error| LowerError::InvalidModule(error.to_string()))
}

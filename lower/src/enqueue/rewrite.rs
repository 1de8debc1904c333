//! The replacement of the types and instructions of device-side enqueue in a module's words.

use super::QUALIFIERS;
use super::functions::EnqueueFunction;
use super::scan::{Facts, scan, takes_record};
use super::{SCHEDULER, layout};
use crate::error::LowerError;
use crate::library_calls::{LibraryCalls, Ty, is_before_debug, is_global, put};
use spirv_io::spirv::{Capability, ExecutionMode, ExecutionModel, Op};
use spirv_io::{Instruction, Reader, string_words};

/// The types of the library's functions, in the order of their declaration.
const TYPES: [Ty; 9] = [
    Ty::Void,
    Ty::Bool,
    Ty::Uint,
    Ty::Byte,
    Ty::Ulong,
    Ty::GlobalUint,
    Ty::GlobalByte,
    Ty::GenericByte,
    Ty::GenericUlong,
];

/// CLK_ENQUEUE_FAILURE.
pub(super) const FAILURE: u32 = -101i32 as u32;

/// The state of the replacement.
pub(super) struct Rewrite {
    pub(super) calls: LibraryCalls,
    pub(super) facts: Facts,
    /// Functions that enqueue a block.
    pub(super) enqueues: Vec<(EnqueueFunction, u32)>,
    /// Types of functions: the id, then the operands behind it.
    pub(super) function_types: Vec<(u32, Vec<u32>)>,
    /// The types of queues.
    queues: Vec<u32>,
    /// The record of the function under work, if it has one.
    pub(super) record: Option<u32>,
    /// The record is to be declared behind the parameters.
    undeclared: bool,
}

/// Replaces types and instructions; returns the words, and the operands of OpMemoryModel.
///
/// # Errors
/// [`LowerError::InvalidModule`] for damaged modules.
pub(super) fn rewrite(module: &[u32]) -> Result<(Vec<u32>, [u32; 2]), LowerError> {
    let facts = scan(module)?;
    let model = facts.model;
    let mut types = TYPES.to_vec();
    types.push(Ty::Ulong3);
    let mut r = Rewrite {
        calls: LibraryCalls::new(facts.bound, &types),
        facts,
        enqueues: Vec::new(),
        function_types: Vec::new(),
        queues: Vec::new(),
        record: None,
        undeclared: false,
    };
    // What is before types and constants, these, and functions.
    let (mut start, mut globals, mut functions) = (Vec::new(), Vec::new(), Vec::new());
    let (mut in_globals, mut debug, mut in_functions, mut entry_end) = (false, None, false, None);
    for inst in Reader::new(module)?.1 {
        let inst = inst?;
        in_globals |= is_global(inst.op);
        in_functions |= inst.op == Op::Function;
        if matches!(inst.op, Op::ExecutionMode | Op::ExecutionModeId) || !is_before_debug(inst.op) {
            entry_end.get_or_insert(start.len());
        }
        if debug.is_none() && !is_before_debug(inst.op) {
            debug = Some(start.len());
        }
        match inst.op {
            Op::Capability if inst.operands == [Capability::DeviceEnqueue as u32] => {}
            _ if in_functions => r.function_instruction(&inst, &mut functions)?,
            _ if in_globals => r.global(&inst, &mut globals)?,
            _ => put(&mut start, inst.op, inst.operands),
        }
    }
    let mut entries = Vec::new();
    let kernels = r.block_kernels(&mut entries);
    let enqueues = r.enqueue_functions();
    let mut words = module[..5].to_vec();
    for capability in [
        Capability::Linkage,
        Capability::Addresses,
        Capability::GenericPointer,
        Capability::Int8,
        Capability::Int64,
    ] {
        put(&mut words, Op::Capability, &[capability as u32]);
    }
    let names = start.split_off(debug.unwrap_or(start.len()));
    let modes = start.split_off(entry_end.unwrap_or(start.len()).min(start.len()));
    words.append(&mut start);
    r.entry_points(&entries, &mut words);
    words.extend(modes);
    if let Some((scheduler, ..)) = entries.iter().find(|(_, name, _)| name == SCHEDULER) {
        let mode = ExecutionMode::LocalSize as u32;
        put(&mut words, Op::ExecutionMode, &[*scheduler, mode, layout::THREADS, 1, 1]);
    }
    r.tell_qualifiers(&entries, &mut words);
    words.extend(names);
    r.calls.decorate_imports(&mut words);
    r.calls.declare_types(&mut words);
    words.append(&mut globals);
    for (id, operands) in &r.function_types {
        let all: Vec<u32> = std::iter::once(*id).chain(operands.iter().copied()).collect();
        put(&mut words, Op::TypeFunction, &all);
    }
    r.calls.declare_functions(&mut words);
    words.extend(enqueues);
    words.append(&mut functions);
    words.extend(kernels);
    words[3] = r.calls.bound();
    Ok((words, model))
}

impl Rewrite {
    /// The id of a function's type with these parameters.
    pub(super) fn function_type(&mut self, result: u32, params: &[u32]) -> u32 {
        let operands: Vec<u32> = std::iter::once(result).chain(params.iter().copied()).collect();
        if let Some((id, _)) = self.function_types.iter().find(|(_, known)| *known == operands) {
            return *id;
        }
        let id = self.calls.id();
        self.function_types.push((id, operands));
        id
    }

    /// Adds the entry points of hidden kernels. Each lists all built-in variables.
    fn entry_points(&self, entries: &[(u32, String, usize)], words: &mut Vec<u32>) {
        for (function, name, _) in entries {
            let mut operands = vec![ExecutionModel::Kernel as u32, *function];
            operands.extend(string_words(name));
            operands.extend(&self.facts.inputs);
            put(words, Op::EntryPoint, &operands);
        }
    }

    /// Adds a string for each kernel that says which arguments are queues and records.
    fn tell_qualifiers(&mut self, hidden: &[(u32, String, usize)], words: &mut Vec<u32>) {
        let mut texts = Vec::new();
        for (function, name) in &self.facts.entries {
            let Some(known) = self.facts.functions.get(function) else { continue };
            let mut all: Vec<&str> = Vec::new();
            all.extend(known.params.iter().map(|ty| if self.queues.contains(ty) { "queue" } else { "" }));
            if self.facts.needing.contains(function) {
                all.push("record");
            }
            if all.iter().any(|text| !text.is_empty()) {
                texts.push(format!("{QUALIFIERS}.{name}.{},", all.join(",")));
            }
        }
        for (_, name, locals) in hidden {
            texts.push(format!("{QUALIFIERS}.{name}.record,{}", ",".repeat(*locals)));
        }
        for text in texts {
            let mut operands = vec![self.calls.id()];
            operands.extend(string_words(&text));
            put(words, Op::String, &operands);
        }
    }

    /// A type, constant or variable of the module.
    fn global(&mut self, inst: &Instruction<'_>, words: &mut Vec<u32>) -> Result<(), LowerError> {
        match inst.op {
            Op::TypeQueue => {
                self.queues.push(inst.word(0)?);
                put(words, Op::TypeInt, &[inst.word(0)?, 64, 0]);
            }
            Op::TypeDeviceEvent => put(words, Op::TypeInt, &[inst.word(0)?, 64, 0]),
            _ => put(words, inst.op, inst.operands),
        }
        Ok(())
    }

    fn function_instruction(&mut self, inst: &Instruction<'_>, out: &mut Vec<u32>) -> Result<(), LowerError> {
        match inst.op {
            Op::Function => {
                let id = inst.word(1)?;
                (self.record, self.undeclared) = (None, false);
                let mut operands = inst.operands.to_vec();
                if self.facts.needing.contains(&id) {
                    (self.record, self.undeclared) = (Some(self.calls.id()), true);
                    let known = self.facts.functions.get(&id).cloned().unwrap_or_default();
                    let mut params = self.declared_params(known.ty, &known.params);
                    params.push(self.calls.ty(Ty::GlobalUint));
                    let ty = self.function_type(known.result, &params);
                    if let Some(place) = operands.get_mut(3) {
                        *place = ty;
                    }
                }
                put(out, inst.op, &operands);
            }
            Op::Label if std::mem::take(&mut self.undeclared) => {
                let record = self.record.unwrap_or(0);
                put(out, Op::FunctionParameter, &[self.calls.ty(Ty::GlobalUint), record]);
                put(out, inst.op, inst.operands);
            }
            Op::FunctionCall if self.facts.needing.contains(&inst.word(2)?) => {
                let mut operands = inst.operands.to_vec();
                operands.push(self.record.unwrap_or(0));
                put(out, inst.op, &operands);
            }
            Op::BuildNDRange => self.build_range(inst, out)?,
            _ if takes_record(inst.op) => self.replace(inst, out)?,
            _ => put(out, inst.op, inst.operands),
        }
        Ok(())
    }

    /// The parameters of a function type.
    fn declared_params(&self, ty: u32, params: &[u32]) -> Vec<u32> {
        match self.facts.types.get(&ty) {
            Some((Op::TypeFunction, operands)) => operands.get(1..).unwrap_or(&[]).to_vec(),
            _ => params.to_vec(),
        }
    }
}

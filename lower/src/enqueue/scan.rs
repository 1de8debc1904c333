//! The facts about a module that the replacement needs before it begins.

use super::layout::{MAX_ALIGN, MAX_CAPTURES};
use crate::error::LowerError;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{AddressingModel, Op, StorageClass};
use spirv_io::{Instruction, Reader};

/// A block that is enqueued or asked about: its function, and what a hidden kernel needs to know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) function: u32,
    /// The bytes and the alignment of the captures.
    pub(super) size: u32,
    pub(super) align: u32,
}

/// A function.
#[derive(Debug, Default, Clone)]
pub(super) struct Function {
    pub(super) result: u32,
    pub(super) ty: u32,
    pub(super) params: Vec<u32>,
    /// It has a body with such an instruction.
    uses: bool,
    calls: Vec<u32>,
}

/// The facts.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) bound: u32,
    pub(super) model: [u32; 2],
    pub(super) entries: Vec<(u32, String)>,
    /// Built-in variables.
    pub(super) inputs: Vec<u32>,
    /// Compiled with -g: errors have names.
    pub(super) debug: bool,
    /// A kernel asks for times.
    pub(super) times: bool,
    /// Blocks in the order of their first use.
    pub(super) blocks: Vec<Block>,
    pub(super) functions: FxHashMap<u32, Function>,
    /// Functions that need the record.
    pub(super) needing: FxHashSet<u32>,
    /// The instructions of types, by id.
    pub(super) types: FxHashMap<u32, (Op, Vec<u32>)>,
    /// The types of values.
    pub(super) values: FxHashMap<u32, u32>,
    /// Integer constants of one word.
    pub(super) known: FxHashMap<u32, u32>,
}

/// Returns whether an instruction becomes a call that takes the record.
pub(super) fn takes_record(op: Op) -> bool {
    matches!(
        op,
        Op::EnqueueKernel
            | Op::EnqueueMarker
            | Op::GetKernelNDrangeSubGroupCount
            | Op::GetKernelNDrangeMaxSubGroupSize
            | Op::GetKernelWorkGroupSize
            | Op::GetKernelPreferredWorkGroupSizeMultiple
            | Op::RetainEvent
            | Op::ReleaseEvent
            | Op::CreateUserEvent
            | Op::IsValidEvent
            | Op::SetUserEventStatus
            | Op::CaptureEventProfilingInfo
            | Op::GetDefaultQueue
    )
}

/// The operand of an instruction that is a block's function.
pub(super) fn block_operand(op: Op) -> Option<usize> {
    match op {
        Op::EnqueueKernel => Some(8),
        Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => Some(3),
        Op::GetKernelWorkGroupSize | Op::GetKernelPreferredWorkGroupSizeMultiple => Some(2),
        _ => None,
    }
}

/// Gathers the facts.
///
/// # Errors
/// [`LowerError::InvalidModule`] for damaged modules and 32-bit addresses.
pub(super) fn scan(module: &[u32]) -> Result<Facts, LowerError> {
    let (header, reader) = Reader::new(module)?;
    let mut facts = Facts { bound: header.bound, ..Facts::default() };
    let mut function = 0;
    for inst in reader {
        let inst = inst?;
        facts.global(&inst)?;
        match inst.op {
            Op::Function => {
                function = inst.word(1)?;
                let known = Function { result: inst.word(0)?, ty: inst.word(3)?, ..Function::default() };
                facts.functions.insert(function, known);
            }
            Op::FunctionParameter => {
                facts.values.insert(inst.word(1)?, inst.word(0)?);
                facts.functions.entry(function).or_default().params.push(inst.word(0)?);
            }
            Op::FunctionCall => {
                facts.functions.entry(function).or_default().calls.push(inst.word(2)?);
            }
            _ => {}
        }
        if takes_record(inst.op) {
            facts.functions.entry(function).or_default().uses = true;
            facts.times |= inst.op == Op::CaptureEventProfilingInfo;
        }
        if let Some(at) = block_operand(inst.op) {
            facts.block(&inst, at)?;
        }
    }
    if facts.model[0] != AddressingModel::Physical64 as u32 {
        return Err(LowerError::InvalidModule("device-side enqueue needs 64-bit addresses".to_owned()));
    }
    facts.find_needing();
    Ok(facts)
}

impl Facts {
    fn global(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        match inst.op {
            Op::MemoryModel => self.model = [inst.word(0)?, inst.word(1)?],
            Op::EntryPoint => self.entries.push((inst.word(1)?, inst.string(2)?.0)),
            Op::ExtInstImport => self.debug |= inst.string(1)?.0.contains("DebugInfo"),
            Op::Variable if inst.word(2)? == StorageClass::Input as u32 => self.inputs.push(inst.word(1)?),
            Op::Constant => {
                if let [_, id, value] = *inst.operands {
                    self.known.insert(id, value);
                }
            }
            Op::TypeInt
            | Op::TypeArray
            | Op::TypeStruct
            | Op::TypePointer
            | Op::TypeFunction
            | Op::TypeVoid
            | Op::TypeBool
            | Op::TypeFloat
            | Op::TypeVector => {
                self.types.insert(inst.word(0)?, (inst.op, inst.rest(1).to_vec()));
                return Ok(());
            }
            _ => {}
        }
        // A type among the first operands is that of a result.
        if let [ty, id, ..] = *inst.operands
            && self.types.contains_key(&ty)
        {
            self.values.insert(id, ty);
        }
        Ok(())
    }

    /// Notes a block.
    fn block(&mut self, inst: &Instruction<'_>, at: usize) -> Result<(), LowerError> {
        let function = inst.word(at)?;
        let number = |at: usize| -> Result<u32, LowerError> {
            let value = self.known.get(&inst.word(at)?).copied();
            value.ok_or_else(|| {
                LowerError::InvalidModule(format!("the captures of an Op{:?} have no constant size", inst.op))
            })
        };
        let (size, align) = (number(at + 2)?, number(at + 3)?);
        if !align.is_power_of_two() || align > MAX_ALIGN || size > MAX_CAPTURES {
            return Err(LowerError::InvalidModule(format!(
                "a block captures {size} bytes with the alignment {align}"
            )));
        }
        match self.blocks.iter_mut().find(|block| block.function == function) {
            // Some producers do not know what a block captures where they only ask about it.
            Some(known) => (known.size, known.align) = (known.size.max(size), known.align.max(align)),
            None => self.blocks.push(Block { function, size, align }),
        }
        Ok(())
    }

    /// The number of the block that is a function.
    pub(super) fn block_number(&self, function: u32) -> u32 {
        self.blocks.iter().position(|block| block.function == function).map_or(0, |n| n as u32)
    }

    /// Finds the functions that need the record: those that use it, and their callers.
    fn find_needing(&mut self) {
        let mut callers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut work = Vec::new();
        for (id, function) in &self.functions {
            function.calls.iter().for_each(|callee| callers.entry(*callee).or_default().push(*id));
            if function.uses {
                work.push(*id);
            }
        }
        while let Some(id) = work.pop() {
            if self.needing.insert(id) {
                work.extend(callers.get(&id).into_iter().flatten());
            }
        }
    }

    /// The type that an array or structure has as a member.
    pub(super) fn member(&self, ty: u32, index: usize) -> Option<u32> {
        match self.types.get(&ty)? {
            (Op::TypeArray, operands) => operands.first().copied(),
            (Op::TypeStruct, operands) => operands.get(index).copied(),
            _ => None,
        }
    }
}

//! The replacement of pipe types and pipe instructions in a module's words.

use crate::error::LowerError;
use crate::library_calls::{LibraryCalls, Ty, is_before_debug, is_global, put};
use rustc_hash::FxHashMap;
use spirv_io::spirv::{AccessQualifier, Capability, MemoryAccess, Op, Scope, StorageClass};
use spirv_io::{Instruction, Reader, string_words};

/// The key of the strings that say which arguments of a kernel are pipes.
pub(crate) const QUALIFIERS: &str = "pumice.pipes";

/// The types of the library's functions, in the order of their declaration.
const TYPES: [Ty; 8] =
    [Ty::Void, Ty::Bool, Ty::Uint, Ty::Byte, Ty::GlobalUint, Ty::GlobalByte, Ty::GenericByte, Ty::Uint2];

/// A function that transfers one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Transfer {
    reads: bool,
    /// With a reservation and an index.
    reserved: bool,
    size: u32,
    align: u32,
}

/// The state of the replacement.
struct Rewrite {
    calls: LibraryCalls,
    transfers: Vec<(Transfer, u32)>,
    /// The module's integer constants of one word.
    known: FxHashMap<u32, u32>,
    /// The module's types of pipes, with what a kernel may do.
    pipes: FxHashMap<u32, &'static str>,
    /// The qualifiers of each function's parameters.
    qualifiers: FxHashMap<u32, Vec<&'static str>>,
    /// The function under work.
    function: u32,
}

/// Replaces types and instructions; returns the words, and the operands of OpMemoryModel.
///
/// # Errors
/// [`LowerError::InvalidModule`] for damaged modules.
pub(super) fn rewrite(module: &[u32]) -> Result<(Vec<u32>, [u32; 2]), LowerError> {
    let (header, reader) = Reader::new(module)?;
    let mut r = Rewrite {
        calls: LibraryCalls::new(header.bound, &TYPES),
        transfers: Vec::new(),
        known: FxHashMap::default(),
        pipes: FxHashMap::default(),
        qualifiers: FxHashMap::default(),
        function: 0,
    };
    // What is before types and constants, these, and functions.
    let (mut start, mut globals, mut functions) = (Vec::new(), Vec::new(), Vec::new());
    let mut model = [0; 2];
    let (mut in_globals, mut debug) = (false, None);
    let mut entries = Vec::new();
    for inst in reader {
        let inst = inst?;
        in_globals |= is_global(inst.op);
        if debug.is_none() && !is_before_debug(inst.op) {
            debug = Some(start.len());
        }
        match inst.op {
            Op::Capability if inst.operands == [Capability::Pipes as u32] => {}
            Op::MemoryModel => {
                model = [inst.word(0)?, inst.word(1)?];
                put(&mut start, inst.op, inst.operands);
            }
            Op::EntryPoint => {
                entries.push((inst.word(1)?, inst.string(2)?.0));
                put(&mut start, inst.op, inst.operands);
            }
            Op::Function => {
                functions.extend_from_slice(&module[inst.at..]);
                functions = r.functions(&functions)?;
                break;
            }
            _ if in_globals => r.global(&inst, &mut globals)?,
            _ => put(&mut start, inst.op, inst.operands),
        }
    }
    let transfers = r.transfer_functions();
    let mut words = module[..5].to_vec();
    for capability in
        [Capability::Linkage, Capability::Addresses, Capability::GenericPointer, Capability::Int8]
    {
        put(&mut words, Op::Capability, &[capability as u32]);
    }
    let names = start.split_off(debug.unwrap_or(start.len()));
    words.append(&mut start);
    r.tell_qualifiers(&entries, &mut words);
    words.extend(names);
    r.calls.decorate_imports(&mut words);
    r.calls.declare_types(&mut words);
    words.append(&mut globals);
    r.calls.declare_functions(&mut words);
    words.extend(transfers);
    words.append(&mut functions);
    words[3] = r.calls.bound();
    Ok((words, model))
}

impl Rewrite {
    /// Adds a string for each kernel that says which arguments are pipes: its pointers do not show it.
    fn tell_qualifiers(&mut self, entries: &[(u32, String)], words: &mut Vec<u32>) {
        for (function, name) in entries {
            let Some(qualifiers) = self.qualifiers.get(function) else { continue };
            if qualifiers.iter().all(|text| text.is_empty()) {
                continue;
            }
            let text = format!("{QUALIFIERS}.{name}.{},", qualifiers.join(","));
            let mut operands = vec![self.calls.id()];
            operands.extend(string_words(&text));
            put(words, Op::String, &operands);
        }
    }

    /// A type, constant or variable of the module.
    fn global(&mut self, inst: &Instruction<'_>, words: &mut Vec<u32>) -> Result<(), LowerError> {
        match inst.op {
            Op::TypePipe => {
                let reads = inst.word(1)? == AccessQualifier::ReadOnly as u32;
                let text = if reads { "pipe read_only" } else { "pipe write_only" };
                self.pipes.insert(inst.word(0)?, text);
                let operands = [inst.word(0)?, StorageClass::CrossWorkgroup as u32, self.calls.ty(Ty::Uint)];
                put(words, Op::TypePointer, &operands);
            }
            Op::TypeReserveId => put(words, Op::TypeVector, &[inst.word(0)?, self.calls.ty(Ty::Uint), 2]),
            Op::Constant => {
                if let [_, id, value] = *inst.operands {
                    self.known.insert(id, value);
                }
                put(words, inst.op, inst.operands);
            }
            _ => put(words, inst.op, inst.operands),
        }
        Ok(())
    }

    fn functions(&mut self, words: &[u32]) -> Result<Vec<u32>, LowerError> {
        let mut out = Vec::with_capacity(words.len());
        let mut rest = words;
        while let Some((first, _)) = rest.split_first() {
            let count = (*first >> 16) as usize;
            let op = Op::from_u32(first & 0xffff);
            let (Some(op), Some(operands)) = (op, rest.get(1..count)) else {
                return Err(LowerError::InvalidModule("a damaged function".to_owned()));
            };
            let inst = Instruction { op, operands, at: 0 };
            match op {
                Op::Function => self.function = inst.word(1)?,
                Op::FunctionParameter => {
                    let text = self.pipes.get(&inst.word(0)?).copied().unwrap_or("");
                    self.qualifiers.entry(self.function).or_default().push(text);
                }
                _ => {}
            }
            if !self.call(&inst, &mut out)? {
                out.extend_from_slice(&rest[..count]);
            }
            rest = &rest[count..];
        }
        Ok(out)
    }

    /// The value of a constant operand.
    fn literal(&self, inst: &Instruction<'_>, index: usize) -> Result<u32, LowerError> {
        let known = self.known.get(&inst.word(index)?);
        known.copied().ok_or_else(|| {
            LowerError::InvalidModule(format!("the packets of an Op{:?} have no constant size", inst.op))
        })
    }

    /// Replaces an instruction of a pipe by a call; false if it is none.
    fn call(&mut self, inst: &Instruction<'_>, out: &mut Vec<u32>) -> Result<bool, LowerError> {
        let group = |name: [&'static str; 2]| -> Result<&'static str, LowerError> {
            let scope =
                self.literal(inst, if inst.op as u32 >= Op::GroupCommitReadPipe as u32 { 0 } else { 2 })?;
            Ok(name[usize::from(scope == Scope::Subgroup as u32)])
        };
        let (name, params): (&'static str, &[Ty]) = match inst.op {
            Op::ReadPipe | Op::WritePipe | Op::ReservedReadPipe | Op::ReservedWritePipe => {
                self.transfer(inst, out)?;
                return Ok(true);
            }
            Op::IsValidReserveId => {
                let (count, zero) = (self.calls.id(), self.calls.constant(0));
                put(out, Op::CompositeExtract, &[self.calls.ty(Ty::Uint), count, inst.word(2)?, 1]);
                put(out, Op::INotEqual, &[inst.word(0)?, inst.word(1)?, count, zero]);
                return Ok(true);
            }
            Op::GetNumPipePackets => ("pumice_pipe_num_packets", &[Ty::GlobalUint]),
            Op::GetMaxPipePackets => ("pumice_pipe_max_packets", &[Ty::GlobalUint]),
            Op::ReserveReadPipePackets => ("pumice_pipe_reserve_read", &[Ty::GlobalUint, Ty::Uint]),
            Op::ReserveWritePipePackets => ("pumice_pipe_reserve_write", &[Ty::GlobalUint, Ty::Uint]),
            Op::CommitReadPipe => ("pumice_pipe_commit_read", &[Ty::GlobalUint, Ty::Uint2]),
            Op::CommitWritePipe => ("pumice_pipe_commit_write", &[Ty::GlobalUint, Ty::Uint2]),
            Op::GroupReserveReadPipePackets => (
                group(["pumice_pipe_group_reserve_read", "pumice_pipe_sub_group_reserve_read"])?,
                &[Ty::GlobalUint, Ty::Uint],
            ),
            Op::GroupReserveWritePipePackets => (
                group(["pumice_pipe_group_reserve_write", "pumice_pipe_sub_group_reserve_write"])?,
                &[Ty::GlobalUint, Ty::Uint],
            ),
            Op::GroupCommitReadPipe => (
                group(["pumice_pipe_group_commit_read", "pumice_pipe_sub_group_commit_read"])?,
                &[Ty::GlobalUint, Ty::Uint2],
            ),
            Op::GroupCommitWritePipe => (
                group(["pumice_pipe_group_commit_write", "pumice_pipe_sub_group_commit_write"])?,
                &[Ty::GlobalUint, Ty::Uint2],
            ),
            _ => return Ok(false),
        };
        let is_group = matches!(
            inst.op,
            Op::GroupReserveReadPipePackets
                | Op::GroupReserveWritePipePackets
                | Op::GroupCommitReadPipe
                | Op::GroupCommitWritePipe
        );
        let commits = params.last() == Some(&Ty::Uint2);
        let result = match (commits, params.len()) {
            (true, _) => Ty::Void,
            (false, 1) => Ty::Uint,
            (false, _) => Ty::Uint2,
        };
        let callee = self.calls.import(name, result, params);
        let (id, first) = if commits { (self.calls.id(), 0) } else { (inst.word(1)?, 2) };
        let first = first + usize::from(is_group);
        let mut operands = vec![self.calls.ty(result), id, callee];
        for n in 0..params.len() {
            operands.push(inst.word(first + n)?);
        }
        put(out, Op::FunctionCall, &operands);
        Ok(true)
    }

    /// Replaces a transfer of a packet.
    fn transfer(&mut self, inst: &Instruction<'_>, out: &mut Vec<u32>) -> Result<(), LowerError> {
        let reserved = matches!(inst.op, Op::ReservedReadPipe | Op::ReservedWritePipe);
        let reads = matches!(inst.op, Op::ReadPipe | Op::ReservedReadPipe);
        let pointer = if reserved { 5 } else { 3 };
        let size = self.literal(inst, pointer + 1)?;
        let align = self.literal(inst, pointer + 2)?;
        if !align.is_power_of_two() {
            return Err(LowerError::InvalidModule("the alignment of a packet is no power of two".to_owned()));
        }
        let wanted = Transfer { reads, reserved, size, align };
        let callee = match self.transfers.iter().find(|(known, _)| *known == wanted) {
            Some((_, id)) => *id,
            None => {
                let id = self.calls.id();
                self.transfers.push((wanted, id));
                id
            }
        };
        let packet = self.calls.id();
        put(out, Op::Bitcast, &[self.calls.ty(Ty::GenericByte), packet, inst.word(pointer)?]);
        let mut operands = vec![self.calls.ty(Ty::Uint), inst.word(1)?, callee, inst.word(2)?];
        if reserved {
            operands.extend([inst.word(3)?, inst.word(4)?]);
        }
        operands.push(packet);
        put(out, Op::FunctionCall, &operands);
        Ok(())
    }

    /// The functions that transfer packets.
    fn transfer_functions(&mut self) -> Vec<u32> {
        let mut words = Vec::new();
        for (transfer, id) in self.transfers.clone() {
            self.transfer_function(transfer, id, &mut words);
        }
        words
    }

    /// Takes the packet's position, copies, and gives the packet free. The result is 0, or -1 without a position.
    fn transfer_function(&mut self, transfer: Transfer, id: u32, words: &mut Vec<u32>) {
        let Transfer { reads, reserved, size, align } = transfer;
        let params: &[Ty] = match reserved {
            true => &[Ty::GlobalUint, Ty::Uint2, Ty::Uint, Ty::GenericByte],
            false => &[Ty::GlobalUint, Ty::GenericByte],
        };
        let [void, bool, uint, address] =
            [Ty::Void, Ty::Bool, Ty::Uint, Ty::GlobalByte].map(|ty| self.calls.ty(ty));
        let signature = self.calls.signature(Ty::Uint, params);
        put(words, Op::Function, &[uint, id, 1, signature]);
        let args: Vec<u32> = params.iter().map(|_| self.calls.id()).collect();
        for (ty, arg) in params.iter().zip(&args) {
            put(words, Op::FunctionParameter, &[self.calls.ty(*ty), *arg]);
        }
        let [entry, none, some, position, failed, packet] = [(); 6].map(|()| self.calls.id());
        let [zero, minus_one, bytes] = [0, u32::MAX, size].map(|value| self.calls.constant(value));
        let begin = match (reserved, reads) {
            (true, _) => {
                self.calls.import("pumice_pipe_reserved", Ty::Uint, &[Ty::GlobalUint, Ty::Uint2, Ty::Uint])
            }
            (false, true) => self.calls.import("pumice_pipe_begin_read", Ty::Uint, &[Ty::GlobalUint]),
            (false, false) => self.calls.import("pumice_pipe_begin_write", Ty::Uint, &[Ty::GlobalUint]),
        };
        put(words, Op::Label, &[entry]);
        let mut operands = vec![uint, position, begin];
        operands.extend(&args[..args.len() - 1]);
        put(words, Op::FunctionCall, &operands);
        put(words, Op::IEqual, &[bool, failed, position, minus_one]);
        put(words, Op::BranchConditional, &[failed, none, some]);
        put(words, Op::Label, &[none]);
        put(words, Op::ReturnValue, &[minus_one]);
        put(words, Op::Label, &[some]);
        let find = self.calls.import("pumice_pipe_packet", Ty::GlobalByte, &[Ty::GlobalUint, Ty::Uint]);
        let own = args[args.len() - 1];
        put(words, Op::FunctionCall, &[address, packet, find, args[0], position]);
        let (to, from) = if reads { (own, packet) } else { (packet, own) };
        put(words, Op::CopyMemorySized, &[to, from, bytes, MemoryAccess::ALIGNED.bits(), align]);
        if !reserved {
            let name = if reads { "pumice_pipe_end_read" } else { "pumice_pipe_end_write" };
            let (end, call) =
                (self.calls.import(name, Ty::Void, &[Ty::GlobalUint, Ty::Uint]), self.calls.id());
            put(words, Op::FunctionCall, &[void, call, end, args[0], position]);
        }
        put(words, Op::ReturnValue, &[zero]);
        put(words, Op::FunctionEnd, &[]);
    }
}

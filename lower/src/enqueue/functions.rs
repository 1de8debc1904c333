//! The functions that are made: those that enqueue a block, and the hidden kernels.

use super::layout;
use super::rewrite::{FAILURE, Rewrite};
use super::{SCHEDULER, TIMES_KERNEL, block_kernel};
use crate::library_calls::{Ty, put};
use spirv_io::spirv::{MemoryAccess, Op};

/// A function that enqueues a block, with its captures and local arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EnqueueFunction {
    pub(super) block: u32,
    /// The bytes of the captures.
    pub(super) size: u32,
    pub(super) locals: u32,
}

/// The parameters of such a function, before the sizes of local arguments: record, queue, flags, dimensions, offset, global and local size,
/// wait list, event, captures.
const PARAMS: [Ty; 11] = [
    Ty::GlobalUint,
    Ty::Ulong,
    Ty::Uint,
    Ty::Uint,
    Ty::Ulong3,
    Ty::Ulong3,
    Ty::Ulong3,
    Ty::Uint,
    Ty::GenericUlong,
    Ty::GenericUlong,
    Ty::GenericByte,
];

impl Rewrite {
    /// The functions that enqueue blocks.
    pub(super) fn enqueue_functions(&mut self) -> Vec<u32> {
        let mut words = Vec::new();
        for (function, id) in self.enqueues.clone() {
            self.enqueue_function(function, id, &mut words);
        }
        words
    }

    /// Gets a packet, and copies the captures into it. The result is 0 or an error.
    fn enqueue_function(&mut self, function: EnqueueFunction, id: u32, words: &mut Vec<u32>) {
        let EnqueueFunction { block, size, locals } = function;
        let mut params = PARAMS.to_vec();
        params.extend((0..locals).map(|_| Ty::Ulong));
        let signature = self.calls.signature(Ty::Uint, &params);
        let [bool, uint] = [Ty::Bool, Ty::Uint].map(|ty| self.calls.ty(ty));
        put(words, Op::Function, &[uint, id, 1, signature]);
        let args: Vec<u32> = params.iter().map(|_| self.calls.id()).collect();
        for (ty, arg) in params.iter().zip(&args) {
            put(words, Op::FunctionParameter, &[self.calls.ty(*ty), *arg]);
        }
        self.record = args.first().copied();
        let [entry, none, some, packet, succeeds] = [(); 5].map(|()| self.calls.id());
        let [zero, failure] = [0, FAILURE].map(|value| self.calls.constant(value));
        let align = self.facts.blocks.get(block as usize).map_or(1, |block| block.align);
        let numbers = [block, locals, size, align].map(|value| self.calls.constant(value));
        put(words, Op::Label, &[entry]);
        let mut given = args[1..10].to_vec();
        given.extend(numbers);
        let mut kinds = PARAMS[1..10].to_vec();
        kinds.extend([Ty::Uint; 4]);
        self.library("pumice_enqueue_begin", (Ty::Uint, packet), &kinds, &given, words);
        put(words, Op::SGreaterThan, &[bool, succeeds, packet, zero]);
        put(words, Op::BranchConditional, &[succeeds, some, none]);
        put(words, Op::Label, &[none]);
        put(words, Op::ReturnValue, &[if self.facts.debug { packet } else { failure }]);
        put(words, Op::Label, &[some]);
        if size > 0 {
            let to = self.calls.id();
            self.library("pumice_enqueue_captures", (Ty::GlobalByte, to), &[Ty::Uint], &[packet], words);
            let access = [MemoryAccess::ALIGNED.bits(), align.min(layout::UNIT)];
            put(words, Op::CopyMemorySized, &[to, args[10], numbers[2], access[0], access[1]]);
        }
        for (n, size) in (0..).zip(&args[PARAMS.len()..]) {
            let (index, call) = (self.calls.constant(n), self.calls.id());
            let params = [Ty::Uint, Ty::Uint, Ty::Ulong];
            self.library("pumice_enqueue_local", (Ty::Void, call), &params, &[packet, index, *size], words);
        }
        put(words, Op::ReturnValue, &[zero]);
        put(words, Op::FunctionEnd, &[]);
    }

    /// The hidden kernels. `entries` gets the function, the name and the number of local arguments of each.
    pub(super) fn block_kernels(&mut self, entries: &mut Vec<(u32, String, usize)>) -> Vec<u32> {
        let mut words = Vec::new();
        for (n, block) in (0..).zip(self.facts.blocks.clone()) {
            let Some(function) = self.facts.functions.get(&block.function).cloned() else { continue };
            let locals: Vec<u32> = function
                .params
                .get(1..)
                .unwrap_or(&[])
                .iter()
                .copied()
                .filter(|ty| self.is_local_pointer(*ty))
                .collect();
            let kernel = self.calls.id();
            entries.push((kernel, block_kernel(n), locals.len()));
            self.block_kernel(kernel, (block.function, block.align), &locals, &mut words);
        }
        if !self.facts.blocks.is_empty() {
            entries.push((
                self.library_kernel("pumice_enqueue_schedule", &mut words),
                SCHEDULER.to_owned(),
                0,
            ));
        }
        if self.facts.times {
            entries.push((
                self.library_kernel("pumice_enqueue_write_times", &mut words),
                TIMES_KERNEL.to_owned(),
                0,
            ));
        }
        words
    }

    /// A kernel that calls a function of the library with its record.
    fn library_kernel(&mut self, name: &'static str, words: &mut Vec<u32>) -> u32 {
        let kernel = self.calls.id();
        let void = self.calls.ty(Ty::Void);
        let signature = self.calls.signature(Ty::Void, &[Ty::GlobalUint]);
        let [record, label, call] = [(); 3].map(|()| self.calls.id());
        put(words, Op::Function, &[void, kernel, 0, signature]);
        put(words, Op::FunctionParameter, &[self.calls.ty(Ty::GlobalUint), record]);
        put(words, Op::Label, &[label]);
        self.record = Some(record);
        self.library(name, (Ty::Void, call), &[], &[], words);
        put(words, Op::Return, &[]);
        put(words, Op::FunctionEnd, &[]);
        kernel
    }

    /// A kernel that calls a block with the captures of its record.
    fn block_kernel(
        &mut self,
        kernel: u32,
        (block, align): (u32, u32),
        locals: &[u32],
        words: &mut Vec<u32>,
    ) {
        let [void, record_ty, byte, generic] =
            [Ty::Void, Ty::GlobalUint, Ty::GlobalByte, Ty::GenericByte].map(|ty| self.calls.ty(ty));
        let mut params = vec![record_ty];
        params.extend(locals);
        let signature = self.function_type(void, &params);
        put(words, Op::Function, &[void, kernel, 0, signature]);
        let args: Vec<u32> = params.iter().map(|_| self.calls.id()).collect();
        for (ty, arg) in params.iter().zip(&args) {
            put(words, Op::FunctionParameter, &[*ty, *arg]);
        }
        let [label, bytes, place, captures, call] = [(); 5].map(|()| self.calls.id());
        let at = self.calls.constant_of(Ty::Ulong, layout::captures_at(align));
        put(words, Op::Label, &[label]);
        put(words, Op::Bitcast, &[byte, bytes, args[0]]);
        put(words, Op::InBoundsPtrAccessChain, &[byte, place, bytes, at]);
        put(words, Op::PtrCastToGeneric, &[generic, captures, place]);
        let mut operands = vec![void, call, block, captures];
        operands.extend(&args[1..]);
        if self.facts.needing.contains(&block) {
            operands.push(args[0]);
        }
        put(words, Op::FunctionCall, &operands);
        put(words, Op::Return, &[]);
        put(words, Op::FunctionEnd, &[]);
    }
}

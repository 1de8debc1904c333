//! Which arguments' buffers a kernel writes through device addresses, and which addresses name what nothing writes.
//!
//! An address is a number to the IR, so this follows numbers: from the members of the argument block that hold the addresses of
//! arguments, through additions, choices and block parameters, to the stores. What may hold any address (a 64-bit number that was
//! loaded, or given by value, or made by other operations) makes every buffer that the kernel has count as written. A sum of an
//! address and a number that is no address points into the address's buffer: C has no other pointers (C99 6.5.6).

use crate::ir::{
    AtomicOp, BinaryOp, Constant, Function, InstKind, KernelArgKind, KernelData, Module, Place, Root, Scalar,
    Space, Type, UnaryOp, Value, ValueDef,
};
use crate::kernel_info::{BlockMember, BlockSource};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::usage::KernelUse;

/// After so many rounds without an end nothing is claimed.
const ROUNDS: usize = 64;

/// What an address may lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Buffer {
    Argument(u32),
    /// The program's constants.
    Constants,
    /// What else is the program's, or the launch's.
    Own,
}

/// What is known of a kernel's device addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// The arguments whose buffers it may write through them; `None`: any.
    pub written: Option<BTreeSet<u32>>,
    /// Addresses in its function at which it reads what nothing writes while it runs: `__constant` memory, and what only it
    /// names by a `restrict` pointer that it does not write through.
    pub unwritten: FxHashSet<Value>,
}

/// What a 64-bit number may be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// Not known yet.
    Nothing,
    /// Null.
    Null,
    /// No address.
    Number,
    /// An address in one of these.
    Of(BTreeSet<Buffer>),
    /// Any number, any address.
    Anything,
}

impl Origin {
    /// Either of two.
    fn or(self, other: Self) -> Self {
        use Origin::{Anything, Nothing, Null, Number, Of};
        match (self, other) {
            (Nothing, x) | (x, Nothing) => x,
            (Null, x @ (Null | Number | Of(_))) | (x @ (Number | Of(_)), Null) => x,
            (Number, Number) => Number,
            (Of(mut a), Of(b)) => {
                a.extend(b);
                Of(a)
            }
            _ => Anything,
        }
    }

    fn plus(self, other: Self) -> Self {
        use Origin::{Anything, Nothing, Null, Number, Of};
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Null | Number, Null | Number) => Number,
            (Of(a), Null | Number) | (Null | Number, Of(a)) => Of(a),
            _ => Anything,
        }
    }

    fn minus(self, other: Self) -> Self {
        use Origin::{Anything, Nothing, Null, Number, Of};
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Null | Number, Null | Number) => Number,
            (Of(a), Null | Number) => Of(a),
            // Within one buffer.
            (Of(a), Of(b)) if a == b && a.len() == 1 => Number,
            _ => Anything,
        }
    }

    /// What bits of it are.
    fn bits(self, other: Self) -> Self {
        use Origin::{Anything, Nothing, Null, Number};
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Null | Number, Null | Number) => Number,
            _ => Anything,
        }
    }
}

/// Looks at a kernel in the address model.
pub(super) fn addresses(module: &Module, kernel: &KernelData, used: &KernelUse) -> Addresses {
    let nothing = Addresses::default();
    let (Some(function), Some(plan)) = (module.functions.get(kernel.func), &kernel.plan) else {
        return nothing;
    };
    let Some(origins) = Origins::find(function, &plan.block.members) else { return nothing };
    let written = written(module, kernel, used, &origins);
    let never = |buffer: &Buffer| match buffer {
        Buffer::Constants => true,
        Buffer::Own => false,
        Buffer::Argument(n) => match kernel.args.get(*n as usize).map(|arg| &arg.kind) {
            Some(KernelArgKind::Pointer { space: Space::Constant, .. }) => true,
            Some(KernelArgKind::Pointer { restrict: true, .. }) => {
                written.as_ref().is_some_and(|args| !args.contains(n))
            }
            _ => false,
        },
    };
    let unwritten = loads(function).filter(|address| match origins.known.get(address) {
        Some(Origin::Of(buffers)) => buffers.iter().all(never),
        _ => false,
    });
    Addresses { unwritten: unwritten.collect(), written }
}

/// The arguments whose buffers a kernel may write through addresses; `None`: any.
fn written(
    module: &Module,
    kernel: &KernelData,
    used: &KernelUse,
    origins: &Origins<'_>,
) -> Option<BTreeSet<u32>> {
    if !used.addresses.written {
        return Some(BTreeSet::new());
    }
    let others = used.funcs.iter().filter(|func| **func != kernel.func);
    if others.filter_map(|func| module.functions.get(*func)).any(|f| stores(f).next().is_some()) {
        return None;
    }
    let mut written = BTreeSet::new();
    for address in stores(origins.function) {
        match origins.of(address) {
            Origin::Of(buffers) => written.extend(buffers.iter().filter_map(|buffer| match buffer {
                Buffer::Argument(n) => Some(*n),
                Buffer::Constants | Buffer::Own => None,
            })),
            // Where nothing comes by.
            Origin::Nothing => {}
            Origin::Null | Origin::Number | Origin::Anything => return None,
        }
    }
    Some(written)
}

/// The addresses that a function reads at.
fn loads(function: &Function) -> impl Iterator<Item = Value> {
    let insts = function.layout.iter().flat_map(|block| &function.blocks[*block].insts);
    insts.filter_map(|inst| match &function.insts[*inst].kind {
        InstKind::Load { place: Place::Address(address), .. } => Some(*address),
        _ => None,
    })
}

/// The addresses that a function writes to.
fn stores(function: &Function) -> impl Iterator<Item = Value> {
    let insts = function.layout.iter().flat_map(|block| &function.blocks[*block].insts);
    insts.filter_map(|inst| match &function.insts[*inst].kind {
        InstKind::Store { place: Place::Address(address), .. } => Some(*address),
        InstKind::Atomic { op, place: Place::Address(address), .. } if *op != AtomicOp::Load => {
            Some(*address)
        }
        _ => None,
    })
}

struct Origins<'a> {
    function: &'a Function,
    members: &'a [BlockMember],
    known: FxHashMap<Value, Origin>,
}

impl<'a> Origins<'a> {
    /// Goes round until nothing changes.
    fn find(function: &'a Function, members: &'a [BlockMember]) -> Option<Self> {
        let mut origins = Origins { function, members, known: FxHashMap::default() };
        for _ in 0..ROUNDS {
            if !origins.round() {
                return Some(origins);
            }
        }
        None
    }

    fn round(&mut self) -> bool {
        let function = self.function;
        let mut changed = false;
        for block in &function.layout {
            let block = &function.blocks[*block];
            for inst in &block.insts {
                let inst = &function.insts[*inst];
                if let [result] = &inst.results[..] {
                    if function.ty(*result) == Type::I64 {
                        let origin = self.result(&inst.kind);
                        changed |= self.note(*result, origin);
                    }
                } else {
                    for result in inst.results.iter() {
                        changed |= self.note(*result, Origin::Anything);
                    }
                }
            }
            for target in block.term.targets() {
                let params = &function.blocks[target.block].params;
                for (param, arg) in params.iter().zip(&target.args) {
                    if function.ty(*param) == Type::I64 {
                        changed |= self.note(*param, self.of(*arg));
                    }
                }
            }
        }
        changed
    }

    fn note(&mut self, value: Value, origin: Origin) -> bool {
        let old = self.known.get(&value).cloned().unwrap_or(Origin::Nothing);
        let new = old.clone().or(origin);
        let changed = new != old;
        if changed {
            self.known.insert(value, new);
        }
        changed
    }

    fn of(&self, value: Value) -> Origin {
        match self.function.values[value].def {
            ValueDef::Const(Constant::Undef) => Origin::Nothing,
            ValueDef::Const(Constant::Bits(0)) => Origin::Null,
            ValueDef::Const(_) => Origin::Number,
            _ if self.function.ty(value) != Type::I64 => Origin::Anything,
            _ => self.known.get(&value).cloned().unwrap_or(Origin::Nothing),
        }
    }

    /// What an instruction with one 64-bit result gives.
    fn result(&self, kind: &InstKind) -> Origin {
        match kind {
            // From a narrower number, or a float's value.
            InstKind::Convert { .. } => Origin::Number,
            InstKind::Bitcast(pair) => self.member(*pair).unwrap_or(Origin::Anything),
            InstKind::Binary(op, a, b) => {
                let (a, b) = (self.of(*a), self.of(*b));
                match op {
                    BinaryOp::IAdd => a.plus(b),
                    BinaryOp::ISub => a.minus(b),
                    // No multiple and no remainder of an address is one.
                    BinaryOp::IMul | BinaryOp::Shl | BinaryOp::UMulHi | BinaryOp::SMulHi => Origin::Number,
                    BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => Origin::Number,
                    _ => a.bits(b),
                }
            }
            InstKind::Unary(UnaryOp::BitCount, _) => Origin::Number,
            InstKind::Unary(_, a) => self.of(*a).bits(Origin::Number),
            // One address, computed in two ways.
            InstKind::Select(cross, a, _) if matches!(self.inst(*cross), Some(InstKind::BuffersCross)) => {
                self.of(*a)
            }
            InstKind::Select(_, a, b) => self.of(*a).or(self.of(*b)),
            _ => Origin::Anything,
        }
    }

    /// What a pair of words of the argument block is.
    fn member(&self, pair: Value) -> Option<Origin> {
        let InstKind::Construct(words) = self.inst(pair)? else { return None };
        let [low, high] = words.as_slice() else { return None };
        let (low, high) = (self.word(*low)?, self.word(*high)?);
        let source = self.members.iter().find(|m| m.offset == low * 4)?.source;
        match source {
            _ if high != low + 1 => None,
            BlockSource::ArgumentAddress(arg) => Some(Origin::Of([Buffer::Argument(arg)].into())),
            BlockSource::ConstantsAddress => Some(Origin::Of([Buffer::Constants].into())),
            BlockSource::GlobalsAddress | BlockSource::PrintfAddress | BlockSource::SequenceAddress => {
                Some(Origin::Of([Buffer::Own].into()))
            }
            BlockSource::SharedBase => Some(Origin::Number),
            _ => None,
        }
    }

    /// The number of a word of the argument block.
    fn word(&self, value: Value) -> Option<u32> {
        let InstKind::Load { place, .. } = self.inst(value)? else { return None };
        match place {
            Place::Element { root: Root::Block, scalar: Scalar::I32, lanes: 1, index } => {
                u32::try_from(self.function.const_bits(*index)?).ok()
            }
            _ => None,
        }
    }

    fn inst(&self, value: Value) -> Option<&InstKind> {
        match self.function.values[value].def {
            ValueDef::Inst(inst, 0) => Some(&self.function.insts[inst].kind),
            _ => None,
        }
    }
}

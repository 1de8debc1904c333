//! Which arguments' buffers a kernel writes through device addresses, and which addresses name what nothing writes.
//!
//! A store through what may be any address makes every buffer that the kernel has count as written.

use crate::analysis::alias::origins::{Buffers, Origin, Origins};
use crate::ir::cfg::Cfg;
use crate::ir::{AtomicOp, Function, InstKind, KernelArgKind, KernelData, Module, Place, Space, Value};
use rustc_hash::FxHashSet;

use super::usage::KernelUse;

/// Facts about a kernel's device addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// The buffers that it may write through them; `None`: any.
    pub written: Option<Buffers>,
    /// Addresses from which the kernel's function loads memory that nothing writes while it runs: `__constant` memory, memory of a
    /// `restrict` pointer that it does not write through, and, for arguments that do not alias, any memory that it does not write.
    pub unwritten: FxHashSet<Value>,
}

/// Looks at a kernel in the address model.
pub(super) fn addresses(module: &Module, kernel: &KernelData, used: &KernelUse) -> Addresses {
    let nothing = Addresses::default();
    let (Some(function), Some(plan)) = (module.functions.get(kernel.func), &kernel.plan) else {
        return nothing;
    };
    let graph = Cfg::new(function);
    let mut origins = Origins::new(&plan.block);
    let written = written(module, kernel, used, |address| origins.origin(function, &graph, address));
    let mut never = Buffers::CONSTANTS;
    for (n, arg) in (0..).zip(&kernel.args) {
        let is = match arg.kind {
            KernelArgKind::Pointer { space: Space::Constant, .. } => true,
            KernelArgKind::Pointer { restrict, .. } => {
                let own = restrict || (module.noalias && !used.communicates);
                own && written.is_some_and(|written| written.are_none_of(Buffers::argument(n)))
            }
            _ => false,
        };
        if is {
            never = never.and(Buffers::argument(n));
        }
    }
    let unwritten = loads(function).filter(|address| match origins.origin(function, &graph, *address) {
        Origin::Of(buffers) => buffers.are_all_of(never),
        _ => false,
    });
    let unwritten = unwritten.collect();
    Addresses { unwritten, written }
}

/// The buffers that a kernel may write through addresses; `None`: any.
fn written(
    module: &Module,
    kernel: &KernelData,
    used: &KernelUse,
    mut origin: impl FnMut(Value) -> Origin,
) -> Option<Buffers> {
    let mut written = Buffers::NONE;
    if !used.addresses.written {
        return Some(written);
    }
    let others = used.funcs.iter().filter(|func| **func != kernel.func);
    if others.filter_map(|func| module.functions.get(*func)).any(|f| stores(f).next().is_some()) {
        return None;
    }
    for address in stores(module.functions.get(kernel.func)?) {
        match origin(address) {
            Origin::Of(buffers) => written = written.and(buffers),
            // An unreachable path.
            Origin::Nothing => {}
            Origin::Null | Origin::Number | Origin::Given | Origin::Anything => return None,
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

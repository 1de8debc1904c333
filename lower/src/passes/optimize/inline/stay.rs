//! Which calls stay: how many copies of each function inlining would make, and which functions Vulkan can call.

use super::calls;
use crate::ir::{Func, Function, InstKind, Module, Place, Root, Type, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// A callee of at most so many instructions is inlined,
const SMALL: usize = 24;
/// unless its copies have more than this together
const SPREAD: u64 = 1 << 12;
/// and it is no smaller than this: a call has as many.
const TINY: usize = 6;

/// How often a function is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// In the module as it is.
    pub calls: u64,
    /// Once its callers are inlined: as many copies of it there would be.
    pub copies: u64,
    /// Some call passes a constant: a copy of it folds.
    pub constant: bool,
}

/// Counts the calls of all functions that kernels reach. `order` has callees first.
pub(super) fn count(module: &Module, order: &[Func]) -> FxHashMap<Func, Count> {
    let kernels: FxHashSet<Func> = module.kernels.iter().map(|k| k.func).collect();
    // What can stay with all that it calls in it.
    let mut plain: FxHashSet<Func> = FxHashSet::default();
    for &func in order {
        let f = &module.functions[func];
        if computes_on_values(f) && calls(f).all(|g| plain.contains(&g)) {
            plain.insert(func);
        }
    }
    let mut counts: FxHashMap<Func, Count> = FxHashMap::default();
    for &func in order.iter().rev() {
        let f = &module.functions[func];
        let own = counts.get(&func).copied().unwrap_or_default();
        let copies = if kernels.contains(&func) {
            own.copies + 1
        } else if plain.contains(&func) && takes_values(f) && !is_small(f, own.copies) {
            own.copies.min(1)
        } else {
            own.copies
        };
        for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            let InstKind::Call { func: callee, args, .. } = &f.insts[*inst].kind else { continue };
            let count = counts.entry(*callee).or_default();
            count.calls += 1;
            // What nobody calls is a kernel of a library.
            count.copies = count.copies.saturating_add(copies.max(1));
            count.constant |= args.iter().any(|a| matches!(f.values[*a].def, ValueDef::Const(_)));
        }
    }
    counts
}

/// Whether calls of a function stay. One that is called in one place alone, by what is copied itself, does only where its
/// copies would be alike: no argument is constant, and it has no memory that a copy could do without.
pub(super) fn stays(function: &Function, count: Count) -> bool {
    let alike = || {
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let memory = |i: &crate::ir::Inst| matches!(function.insts[*i].kind, InstKind::RootAddr(_));
        !count.constant && !insts.into_iter().any(memory)
    };
    count.copies > 1
        && can_stay(function)
        && !is_small(function, count.copies)
        && (count.calls > 1 || alike())
}

/// Whether so many copies of a function do no harm.
pub(super) fn is_small(function: &Function, copies: u64) -> bool {
    let insts: usize = function.layout.iter().map(|b| function.blocks[*b].insts.len() + 1).sum();
    function.inline_hint == Some(true)
        || insts <= SMALL && (insts <= TINY || copies.saturating_mul(insts as u64) <= SPREAD)
}

/// Whether calls of a function may stay: it computes on values and its own variables only.
pub(super) fn can_stay(function: &Function) -> bool {
    takes_values(function) && computes_on_values(function) && !reads_pointers(function)
}

/// Whether it reads pointers from memory: what its arguments are may have been stored there, and be a caller's pointer.
fn reads_pointers(function: &Function) -> bool {
    let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.map(|inst| &function.insts[*inst]).any(|data| {
        matches!(data.kind, InstKind::Load { .. })
            && data.results.iter().any(|r| matches!(function.ty(*r), Type::Ptr(_)))
    })
}

/// Whether it takes and gives what a function of Vulkan may.
fn takes_values(function: &Function) -> bool {
    let pointer = |ty: Type| matches!(ty, Type::Ptr(_) | Type::Opaque(_));
    let takes_pointers = function.params().iter().any(|p| pointer(function.ty(*p)));
    !takes_pointers && function.returns.len() <= 1 && !function.returns.iter().any(|t| pointer(*t))
}

/// Whether its own instructions, but for those of what it calls, need nothing else.
fn computes_on_values(function: &Function) -> bool {
    let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.into_iter().all(|inst| match &function.insts[*inst].kind {
        InstKind::RootAddr(root) => matches!(root, Root::Slot(_)),
        // `printf` alone is left here: its format must become known.
        InstKind::ExtInst { .. }
        | InstKind::Image { .. }
        | InstKind::Group { .. }
        | InstKind::SamplerBits(_)
        | InstKind::WorkItem(..)
        | InstKind::Input(..)
        | InstKind::WorkgroupSize(_)
        | InstKind::BuffersCross
        | InstKind::SeveralWindows
        | InstKind::LocalArgUnits(_)
        | InstKind::Barrier { .. }
        | InstKind::MemBarrier { .. }
        | InstKind::Clock(_)
        | InstKind::Atomic { .. }
        | InstKind::IntToPtr(_) => false,
        kind => match kind.place() {
            Some(Place::Address(_)) => false,
            Some(Place::Element { root, .. }) => matches!(root, Root::Slot(_)),
            _ => true,
        },
    })
}

/// Says of the calls that stay that they are pure: what can stay computes on its arguments alone.
pub(super) fn mark_pure(module: &mut Module, order: &[Func]) {
    let mut pure: FxHashSet<Func> = FxHashSet::default();
    for &func in order {
        let Some(f) = module.functions.get(func) else { continue };
        if !f.layout.is_empty() && can_stay(f) && calls(f).all(|g| pure.contains(&g)) {
            pure.insert(func);
        }
    }
    for inst in module.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
        if let InstKind::Call { func, pure: is_pure, .. } = &mut inst.kind {
            *is_pure = pure.contains(func);
        }
    }
}

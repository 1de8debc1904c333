//! Inlining plan: chooses the functions that are copied once for all their calls ([`super::shared`]). There are none, unless a kernel would
//! become too large.

use super::calls;
use super::stay::{Count, can_stay, is_small};
use crate::ir::{Func, Function, InstKind, Module, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit on a kernel's instructions with a copy of each function for each call: smaller kernels share nothing.
pub(super) const LARGE: u64 = 1 << 20;
/// The number of instructions that is never small enough after simplification. Drivers inline the calls that stay, and give up on such
/// kernels.
const HUGE: u64 = 1 << 24;
/// The desired limit on the instructions of a large kernel.
const GOAL: u64 = 1 << 13;
/// The cost of a call of a shared function: values that live across it become parameters of the body.
const CALL: u64 = 64;

/// See [`Plan::parameters`].
const MAX_PARAMETERS: usize = 1 << 22;

/// The size of the largest kernel with a copy of each function for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Usual,
    /// Perhaps too large.
    Large,
    /// Certainly too large.
    Huge,
}

/// Estimates the sizes of the kernels after inlining.
pub(super) fn estimate(module: &Module, order: &[Func], counts: &FxHashMap<Func, Count>, limit: u64) -> Size {
    // The first estimate assumes that no call stays: most programs are small even so.
    let (_, whole) = largest(module, order, |_| false);
    if whole <= limit {
        return Size::Usual;
    }
    let stays = |callee: Func| {
        let f = &module.functions[callee];
        counts.get(&callee).is_some_and(|n| n.calls > 1 && !is_small(f, Count { copies: n.calls, ..*n }))
            && can_stay(f)
    };
    let (inlined, _) = largest(module, order, stays);
    match (inlined > limit, whole > HUGE.max(limit)) {
        (_, true) => Size::Huge,
        (true, _) => Size::Large,
        _ => Size::Usual,
    }
}

/// The instructions of the largest kernel: with the calls that stay as calls, and with all of them inlined.
fn largest(module: &Module, order: &[Func], stays: impl Fn(Func) -> bool) -> (u64, u64) {
    let mut sizes: FxHashMap<Func, (u64, u64)> = FxHashMap::default();
    for &func in order {
        let own = own_size(module, func);
        let mut sum = (own, own);
        for callee in calls(&module.functions[func]) {
            let (inlined, whole) = sizes.get(&callee).copied().unwrap_or_default();
            let inlined = if stays(callee) { 1 } else { inlined };
            sum = (sum.0.saturating_add(inlined), sum.1.saturating_add(whole));
        }
        sizes.insert(func, sum);
    }
    let of = |k: &crate::ir::KernelData| sizes.get(&k.func).copied().unwrap_or_default();
    module.kernels.iter().map(of).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)))
}

fn own_size(module: &Module, func: Func) -> u64 {
    let f = &module.functions[func];
    f.layout.iter().map(|b| f.blocks[*b].insts.len() as u64 + 1).sum()
}

/// The decisions for a module.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The functions that get one copy.
    pub shared: FxHashSet<Func>,
    /// The functions of the kernels that share; empty: all.
    pub kernels: FxHashSet<Func>,
    /// The functions with convergent operations, and their callers.
    pub convergent: FxHashSet<Func>,
    /// Limit on the number of values that live across calls, times the number of blocks. Within it the values become block parameters; beyond
    /// it they are kept in memory.
    pub parameters: usize,
}

/// The functions of which kernels can share one copy, and what that takes to know.
struct Candidates<'m> {
    module: &'m Module,
    counts: &'m FxHashMap<Func, Count>,
    own: FxHashMap<Func, u64>,
    convergent: FxHashSet<Func>,
    kernels: FxHashSet<Func>,
}

impl<'m> Candidates<'m> {
    fn new(module: &'m Module, order: &[Func], counts: &'m FxHashMap<Func, Count>) -> Self {
        let (mut own, mut convergent) = (FxHashMap::default(), FxHashSet::default());
        for &func in order {
            let f = &module.functions[func];
            own.insert(func, own_size(module, func));
            let itself = f.layout.iter().flat_map(|b| &f.blocks[*b].insts).any(|i| {
                let kind = &f.insts[*i].kind;
                !matches!(kind, InstKind::Call { .. } | InstKind::ExtInst { .. })
                    && kind.effects(f).convergent
            });
            if itself || calls(f).any(|g| convergent.contains(&g)) {
                convergent.insert(func);
            }
        }
        let kernels = module.kernels.iter().map(|k| k.func).collect();
        Candidates { module, counts, own, convergent, kernels }
    }

    /// Returns whether a function may have one copy for all its calls.
    fn may(&self, func: Func) -> bool {
        // A function with image parameters is copied for each call, so that every image is one argument of the kernel.
        let takes_image = |f: &Function| f.params().iter().any(|p| matches!(f.ty(*p), Type::Opaque(_)));
        self.counts.get(&func).is_some_and(|n| n.calls > 1)
            && !takes_image(&self.module.functions[func])
            && !self.convergent.contains(&func)
            && !self.kernels.contains(&func)
    }
}

/// Returns whether a function has several calls, and would be smaller with one copy.
pub(super) fn has_copies(module: &Module, order: &[Func], counts: &FxHashMap<Func, Count>) -> bool {
    order.iter().any(|f| counts.get(f).is_some_and(|n| n.calls > 1) && own_size(module, *f) >= CALL)
}

/// Makes the plan for kernels that share every function that is worth it.
pub(super) fn plan_for(
    module: &Module,
    order: &[Func],
    counts: &FxHashMap<Func, Count>,
    names: &[String],
) -> Plan {
    let candidates = Candidates::new(module, order, counts);
    let shared = choose(module, order, &candidates.own, CALL, &|func| candidates.may(func)).1;
    let kernels = module.kernels.iter().filter(|k| names.contains(&k.name)).map(|k| k.func).collect();
    Plan { shared, kernels, convergent: candidates.convergent, parameters: MAX_PARAMETERS }
}

/// Makes the plan of a module from all functions, callees first.
pub(super) fn plan(module: &Module, order: &[Func], counts: &FxHashMap<Func, Count>, limit: u64) -> Plan {
    let candidates = Candidates::new(module, order, counts);
    let may = |func: Func| candidates.may(func);
    let own = &candidates.own;
    let mut plan = Plan { parameters: MAX_PARAMETERS, ..Plan::default() };
    // Larger minimum sizes share fewer functions: the first choice that is good enough wins, else the smallest result.
    let mut best: Option<(u64, FxHashSet<Func>)> = None;
    if limit == 0 {
        // A test asks for sharing of every function that can be.
        plan.shared = choose(module, order, own, 0, &may).1;
        plan.convergent = candidates.convergent;
        return plan;
    }
    for least in (6..15).rev().map(|bits| 1u64 << bits) {
        let (size, shared) = choose(module, order, own, least, &may);
        if best.as_ref().is_none_or(|(known, _)| size < *known) {
            best = Some((size, shared));
        }
        if size <= GOAL.min(limit) {
            break;
        }
    }
    plan.shared = best.map(|(_, shared)| shared).unwrap_or_default();
    plan.convergent = candidates.convergent;
    plan
}

/// The functions to share where those of at least `least` instructions qualify, and the resulting size of the largest kernel.
fn choose(
    module: &Module,
    order: &[Func],
    own: &FxHashMap<Func, u64>,
    least: u64,
    may: &impl Fn(Func) -> bool,
) -> (u64, FxHashSet<Func>) {
    let mut shared = FxHashSet::default();
    let mut sizes: FxHashMap<Func, u64> = FxHashMap::default();
    let mut bodies = 0u64;
    for &func in order {
        let size = calls(&module.functions[func]).fold(own.get(&func).copied().unwrap_or(0), |sum, g| {
            let callee = if shared.contains(&g) { CALL } else { sizes.get(&g).copied().unwrap_or(0) };
            sum.saturating_add(callee)
        });
        sizes.insert(func, size);
        if size >= least && may(func) {
            shared.insert(func);
            bodies = bodies.saturating_add(size);
        }
    }
    let largest = module.kernels.iter().filter_map(|k| sizes.get(&k.func)).max().copied().unwrap_or(0);
    (largest.saturating_add(bodies), shared)
}

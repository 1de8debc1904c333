//! Calls that stay: counts the copies of each function that inlining would make, and finds the functions that Vulkan can call.

use super::calls;
use crate::ir::{Func, Function, InstKind, Module, Place, Root, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// A callee with at most this many instructions is inlined,
const SMALL: usize = 24;
/// unless its copies together have more than this many
const SPREAD: u64 = 1 << 12;
/// and it has at least this many: a call costs the same.
const TINY: usize = 6;

/// The number of calls of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// In the module as it is.
    pub calls: u64,
    /// After its callers are inlined: the number of copies.
    pub copies: u64,
    /// True if some call passes a constant, so that its copy folds.
    pub constant: bool,
    /// The parameters for which every call passes a constant: a bit for each of the first 64.
    pub always_constant: u64,
}

/// Counts the calls of all functions that kernels reach. `order` has callees first.
pub(super) fn count(module: &Module, order: &[Func]) -> FxHashMap<Func, Count> {
    let kernels: FxHashSet<Func> = module.kernels.iter().map(|k| k.func).collect();
    // The functions that can stay together with their callees.
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
        } else if plain.contains(&func) && takes_values(f) && !is_small(f, own) {
            own.copies.min(1)
        } else {
            own.copies
        };
        for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            let InstKind::Call { func: callee, args, .. } = &f.insts[*inst].kind else { continue };
            let is_constant = |arg: Value| matches!(f.values[arg].def, ValueDef::Const(_));
            let bits = (0..u64::BITS).zip(args).filter(|(_, arg)| is_constant(**arg));
            let constants = bits.fold(0, |bits, (n, _)| bits | 1 << n);
            let count = counts.entry(*callee).or_default();
            count.always_constant =
                if count.calls == 0 { constants } else { count.always_constant & constants };
            count.calls += 1;
            // A function without callers is an entry of a library.
            count.copies = count.copies.saturating_add(copies.max(1));
            count.constant |= constants != 0;
        }
    }
    counts
}

/// Returns whether calls of a function stay. A function with one call, in a function that is itself copied, stays only where its copies
/// would be alike: no argument is constant, and it has no memory that a copy could remove.
pub(super) fn stays(function: &Function, count: Count) -> bool {
    let alike = || {
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let memory = |i: &crate::ir::Inst| matches!(function.insts[*i].kind, InstKind::RootAddr(_));
        !count.constant && !insts.into_iter().any(memory)
    };
    count.copies > 1 && can_stay(function) && !is_small(function, count) && (count.calls > 1 || alike())
}

/// Returns whether the copies of a function do no harm.
pub(super) fn is_small(function: &Function, count: Count) -> bool {
    let all: usize = function.layout.iter().map(|b| function.blocks[*b].insts.len() + 1).sum();
    let insts = all - if all <= SMALL { folded(function, count.always_constant) } else { 0 };
    function.inline_hint == Some(true)
        || insts <= SMALL && (insts <= TINY || count.copies.saturating_mul(insts as u64) <= SPREAD)
}

/// The number of instructions that every copy folds, as they depend on constant parameters alone: a rotation by a constant is two
/// shifts, and not the remainders of its amount too.
fn folded(function: &Function, constant: u64) -> usize {
    let params = function.params().iter().enumerate();
    let mut known: FxHashSet<Value> =
        params.filter(|(n, _)| *n < 64 && constant >> n & 1 != 0).map(|(_, param)| *param).collect();
    if known.is_empty() {
        return 0;
    }
    let mut count = 0;
    for inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
        let data = &function.insts[*inst];
        let mut depends = true;
        data.kind.each_value(|value| {
            depends &= known.contains(&value) || matches!(function.values[value].def, ValueDef::Const(_));
        });
        if depends
            && matches!(data.kind, InstKind::Unary(..) | InstKind::Binary(..) | InstKind::Convert { .. })
        {
            known.extend(data.results.iter().copied());
            count += 1;
        }
    }
    count
}

/// Returns whether calls of a function may stay: it computes on values and its own variables alone.
pub(super) fn can_stay(function: &Function) -> bool {
    takes_values(function) && computes_on_values(function) && !reads_pointers(function)
}

/// Returns whether a function loads pointers: a stored one may be a caller's.
fn reads_pointers(function: &Function) -> bool {
    let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.map(|inst| &function.insts[*inst]).any(|data| {
        matches!(data.kind, InstKind::Load { .. })
            && data.results.iter().any(|r| matches!(function.ty(*r), Type::Ptr(_)))
    })
}

/// Returns whether a function's parameters and results are legal in Vulkan.
fn takes_values(function: &Function) -> bool {
    let pointer = |ty: Type| matches!(ty, Type::Ptr(_) | Type::Opaque(_));
    let takes_pointers = function.params().iter().any(|p| pointer(function.ty(*p)));
    !takes_pointers && function.returns.len() <= 1 && !function.returns.iter().any(|t| pointer(*t))
}

/// Returns whether a function's own instructions, without its callees, compute on values and its variables alone.
fn computes_on_values(function: &Function) -> bool {
    let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.into_iter().all(|inst| match &function.insts[*inst].kind {
        InstKind::RootAddr(root) => matches!(root, Root::Slot(_)),
        // Its callee is asked on its own.
        InstKind::Call { .. } => true,
        InstKind::IntToPtr(_) => false,
        // Of functions of OpenCL.std only `printf` is left here: its format must become known.
        kind if kind.effects(function).outside => false,
        kind => match kind.place() {
            Some(Place::Address(_)) => false,
            Some(Place::Element { root, .. }) => matches!(root, Root::Slot(_)),
            _ => true,
        },
    })
}

/// Marks the calls that stay as pure: a function that can stay computes on its arguments alone.
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

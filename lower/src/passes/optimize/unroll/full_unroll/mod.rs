//! Full unrolling by partial evaluation: iterations that are certain are evaluated one after the other, and only what depends on unknown values
//! stays.
//!
//! Each iteration folds what it computes from constants, and takes the branches that these constants decide. The rest stays as code:
//!
//! ```text
//! x = n; for (i = 0; i < 4; i++) { if (i == 2) continue; x = x * 3 + a[i]; }
//! → x = n * 3 + a[0]; x = x * 3 + a[1]; x = x * 3 + a[3];
//! ```
//!
//! A loop that depends on constants alone leaves its results alone, however many iterations it has ([`evaluate`]). Other loops are unrolled
//! where the code stays small; [`Env::new`] has the limits for each driver. Loops may have several exits (break, return). They may hold
//! inner loops that end as certainly, even where the outer iteration decides the end.
//!
//! An iteration visits the loop's blocks in reverse post-order. A block where paths of one iteration merge keeps a parameter only where the
//! arguments differ. Branches back to the header lead to the next iteration. Every iteration must decide some branch: without that nothing
//! proves that the loop ends, and it stays. The function does not change before all iterations are known.
//!
//! A loop whose entries pass different constants is also tried for each entry alone. An entry from a case of a switch knows the selector.
//!
//! A loop of few iterations may hold inner loops that stay loops in each iteration, with few copies. Drivers
//! unroll no loop that holds another.
//!
//! Small loops with several entries get a single one first ([`single_entry`]).
//!
//! Loops with barriers or group operations stay, and so do loops that the source forbids to unroll.

mod candidates;
mod costs;
mod evaluate;
mod single_entry;

use crate::context::PassContext;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{Block, BranchTarget, Constant, Function, Module, Terminator, Value};
use crate::passes::optimize::final_values;
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;
use crate::transform::cleanup;
use crate::transform::ssa;
use candidates::{Candidates, Escaping};
use costs::Env;
use evaluate::{Entries, Evaluation, retain};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::slice;

/// Larger loops are not tried: a single iteration leaves too much code.
const MAX_SIZE: u32 = 256;
/// No more loops of one function are unrolled: each costs a walk over the whole function.
const MAX_LOOPS: usize = 64;
/// Loops with more entries are not tried for each entry alone.
const MAX_ENTRIES: usize = 4;
/// A loop is tried this many times again, each time with one more inner loop that stays.
const MAX_REMAINING: usize = 3;

/// Unrolls the loops of every function.
pub(super) fn unroll_module(module: &mut Module, context: &PassContext<'_>) {
    let mut functions = std::mem::take(&mut module.functions);
    let env = Env::new(module, context);
    for function in functions.values_mut() {
        unroll_loops(function, &env);
    }
    module.functions = functions;
}

/// Unrolls the loops of one function, and returns whether there was one.
fn unroll_loops(function: &mut Function, env: &Env<'_>) -> bool {
    if function.layout.len() < 2 {
        return false;
    }
    let cfg = function.cfg();
    let loops = cfg.loops();
    let single = loops.irreducible && single_entry::make_single(function);
    let mut graph = if single { None } else { Some((cfg, loops)) };
    let mut tried: FxHashSet<Block> = FxHashSet::default();
    let mut count = 0;
    while count < MAX_LOOPS {
        let (cfg, loops) = graph.take().unwrap_or_else(|| {
            let cfg = function.cfg();
            let loops = cfg.loops();
            (cfg, loops)
        });
        if !unroll_next(function, env, &cfg, &loops, &mut tried) {
            break;
        }
        count += 1;
    }
    if count == 0 && !single {
        return false;
    }
    log::debug!("{}: {count} loops unrolled", function.name);
    simplify::simplify_function(function, env.address_bits);
    // Indices of private arrays may have become constants.
    if !function.slots.is_empty() {
        while mem2reg::promote_function(function, env.address_bits / 8) == mem2reg::Promotion::Some {}
        simplify::simplify_function(function, env.address_bits);
    }
    // Inner loops may stand alone now, or have a single entry.
    if final_values::replace_loops(function, env.address_bits) {
        simplify::simplify_function(function, env.address_bits);
    }
    true
}

/// Unrolls the first loop that was not tried and can be unrolled, outer loops first. Returns whether there was one.
fn unroll_next(
    function: &mut Function,
    env: &Env<'_>,
    cfg: &Cfg,
    loops: &Loops,
    tried: &mut FxHashSet<Block>,
) -> bool {
    let escaping = OnceCell::new();
    for index in 0..loops.loops.len() {
        let header = loops.loops[index].header;
        if !tried.insert(header) {
            continue;
        }
        let (own, kept) = env.size(function, &loops.loops[index]);
        // Two iterations would exceed the budget.
        if own > MAX_SIZE
            || 2 * kept > own.max(env.budget)
            || !Candidates::new(function, cfg, loops).may_unroll(index)
        {
            continue;
        }
        let entries = entries_of(function, cfg, loops, index);
        let graph = (cfg, loops, &escaping);
        if unroll_for_case(function, env, graph, (index, own), &entries) {
            tried.remove(&header);
            return true;
        }
        if attempt(function, env, graph, (index, own.max(env.budget)), &entries, true) {
            return true;
        }
        if !(2..=MAX_ENTRIES).contains(&entries.len()) || !entries_differ(function, &entries) {
            continue;
        }
        for entry in &entries {
            let one = slice::from_ref(entry);
            if attempt(function, env, graph, (index, own.max(env.budget)), one, false) {
                // The other entries are next.
                tried.remove(&header);
                return true;
            }
        }
    }
    false
}

/// The entries of a loop: the branches that reach its header from outside.
fn entries_of(function: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Entries {
    let header = loops.loops[index].header;
    let (mut entries, mut seen) = (Entries::new(), FxHashSet::default());
    for &from in cfg.preds(header) {
        if loops.contains(index, from) || !seen.insert(from) {
            continue;
        }
        let targets = function.blocks[from].term.targets().enumerate();
        entries.extend(targets.filter(|t| t.1.block == header).map(|t| (from, t.0)));
    }
    entries
}

/// Returns whether two entries pass different constants for one parameter.
fn entries_differ(function: &Function, entries: &[(Block, usize)]) -> bool {
    let args =
        |(from, successor): &(Block, usize)| function.blocks[*from].term.target(*successor).map(|t| &t.args);
    let Some(first) = entries.first().and_then(args) else { return false };
    let others = entries[1..].iter().filter_map(args);
    others.into_iter().any(|other| {
        let mut pairs = first.iter().zip(other);
        pairs.any(|(a, b)| a != b && function.const_bits(*a).is_some() && function.const_bits(*b).is_some())
    })
}

/// Unrolls a loop for one case of a switch that reaches it through an empty block. The known selector must leave little of the loop; `own` is
/// its size.
fn unroll_for_case(
    function: &mut Function,
    env: &Env<'_>,
    graph: (&Cfg, &Loops, &OnceCell<Escaping>),
    (index, own): (usize, u32),
    entries: &[(Block, usize)],
) -> bool {
    let &[(before, 0)] = entries else { return false };
    let data = &function.blocks[before];
    let Terminator::Branch(to) = &data.term else { return false };
    if !data.insts.is_empty() || !data.params.is_empty() {
        return false;
    }
    let to = to.clone();
    for &from in graph.0.preds(before) {
        let Terminator::Switch { cases, .. } = &function.blocks[from].term else { continue };
        let Some(successor) = cases.iter().position(|case| case.1.block == before) else { continue };
        let mut lead = |to: &BranchTarget| match function.blocks[from].term.target_mut(successor) {
            Some(target) => std::mem::replace(target, to.clone()),
            None => to.clone(),
        };
        let old = lead(&to);
        if attempt(function, env, graph, (index, own), &[(from, successor)], false) {
            return true;
        }
        if let Some(target) = function.blocks[from].term.target_mut(successor) {
            *target = old;
        }
    }
    false
}

/// The selector of a switch and its constant value in one case.
fn selected(function: &mut Function, (from, successor): (Block, usize)) -> Option<(Value, Value)> {
    let Terminator::Switch { value, cases, .. } = &function.blocks[from].term else { return None };
    let (value, bits) = (*value, cases.get(successor)?.0);
    let ty = function.ty(value);
    Some((value, function.constant(ty, Constant::Bits(bits))))
}

/// Unrolls a loop for some of its entries, or for `all`, where that is possible, worthwhile and within the budget.
fn attempt(
    function: &mut Function,
    env: &Env<'_>,
    graph: (&Cfg, &Loops, &OnceCell<Escaping>),
    size: (usize, u32),
    entries: &[(Block, usize)],
    all: bool,
) -> bool {
    let mut kept_loops: SmallVec<[usize; MAX_REMAINING]> = SmallVec::new();
    loop {
        match attempt_with(function, env, graph, size, (entries, all), &kept_loops) {
            Attempt::Done => return true,
            Attempt::Stays(Some(inner)) if env.outer_loops && kept_loops.len() < MAX_REMAINING => {
                kept_loops.push(inner)
            }
            Attempt::Stays(_) => return false,
        }
    }
}

/// The outcome of an attempt.
enum Attempt {
    Done,
    /// The loop stays; the inner loop, if any, is the reason.
    Stays(Option<usize>),
}

/// [`attempt`], where some inner loops stay loops.
fn attempt_with(
    function: &mut Function,
    env: &Env<'_>,
    (cfg, loops, escaping): (&Cfg, &Loops, &OnceCell<Escaping>),
    (index, budget): (usize, u32),
    (entries, all): (&[(Block, usize)], bool),
    kept_loops: &[usize],
) -> Attempt {
    let data = &loops.loops[index];
    let only_entry = entries.first().filter(|_| entries.len() == 1).copied();
    let selected = only_entry.and_then(|entry| selected(function, entry));
    let mark = function.mark();
    let head = function.new_detached_block();
    let mut evaluation =
        Evaluation::new(function, env, (cfg, loops, escaping), (index, budget), selected, kept_loops);
    let done = evaluation.run(head, entries, all);
    let Evaluation { made, known, placeholders, entry_mask, cost, steps, inside, failed, .. } = evaluation;
    if !done {
        log::debug!(
            "{}: the loop at {} stays ({steps} steps, {cost} of {budget})",
            function.name,
            data.header
        );
        function.forget_since(mark);
        return Attempt::Stays(failed);
    }
    let escaping = escaping.get_or_init(|| Escaping::new(function, loops));
    let mut defs: FxHashMap<Value, Vec<(Block, Value)>> = FxHashMap::default();
    for (old, block, new) in known.into_iter().filter(|k| escaping.contains(k.0)) {
        defs.entry(old).or_default().push((block, new));
    }
    log::debug!("{}: the loop at {} became {cost} of {budget}", function.name, data.header);
    let homes = (!all).then(|| Positions::new(function));
    for (from, successor) in entries {
        if let Some(target) = function.blocks[*from].term.target_mut(*successor) {
            target.block = head;
            retain(target, &entry_mask);
        }
    }
    function.layout.extend(made);
    cleanup::remove_unreachable(function);
    cleanup::order_layout(function);
    let of = |old: Value| defs.get(&old).cloned().unwrap_or_default();
    if let Some(homes) = homes {
        // The loop stays for the other entries: its values are one more definition behind it.
        let placeholders: FxHashMap<Value, Value> = placeholders.into_iter().collect();
        let defined = |old: Value| Some((homes.block_of(function, old)?, old));
        let both: FxHashMap<Value, Vec<(Block, Value)>> =
            defs.keys().map(|old| (*old, of(*old).into_iter().chain(defined(*old)).collect())).collect();
        ssa::rejoin_others(function, |value, block| match placeholders.get(&value) {
            Some(old) => Some(of(*old)),
            None => both.get(&value).filter(|_| !inside.contains(&block)).cloned(),
        });
        return Attempt::Done;
    }
    let mut variables: Vec<(Value, Vec<(Block, Value)>)> =
        placeholders.into_iter().map(|(value, old)| (value, of(old))).collect();
    let mut olds: Vec<Value> = defs.keys().copied().collect();
    olds.sort_unstable();
    variables.extend(olds.into_iter().map(|old| (old, of(old))));
    ssa::rejoin(function, &variables);
    Attempt::Done
}

#[cfg(test)]
mod tests;

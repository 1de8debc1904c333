//! Full unrolling for scalar replacement: loops over private arrays are unrolled where every index then is a constant.
//!
//! The array becomes SSA values and leaves memory (register tiles, the schedule of a hash, rows of a small matrix):
//!
//! ```text
//! float t[4]; for (i = 0; i < 4; i++) t[i] = in[i] * k;    →    t0 = in[0] * k; … t3 = in[3] * k;
//! ```
//!
//! A slot qualifies if only loads and stores use it, at indices computed from constants and loop counters alone. Those loops are *wanted*, and
//! so are the loops whose counters decide their ends (triangular nests). Trip counts come from evaluating the few values that decide. All
//! wanted loops together must stay within the budget. They are unrolled outermost first, and the passes between turn the counters into
//! constants. The function stays as it was if a wanted slot is still there at the end.
//!
//! Other loops are left to the driver: unrolling that did not free an array made code larger for nothing. Loops that the source forbids to
//! unroll (`#pragma unroll 1`) stay.

use crate::analysis::trip_count::{MAX_UNROLLED, TripCounts};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{Function, InstKind, Module, Place, Root, Slot, Value};
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;
use crate::transform::loops::{self, DONT_UNROLL, Unroll};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Levels of nested loops that are unrolled one after another.
const MAX_LEVELS: usize = 6;

/// Unrolls the loops over private arrays of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    let address_bits = module.address_bits;
    for function in module.functions.values_mut() {
        unroll_function(function, address_bits);
    }
    Ok(())
}

/// Unrolls the loops over private arrays of one function, and returns whether there were any.
pub fn unroll_function(function: &mut Function, address_bits: u32) -> bool {
    if function.slots.is_empty() || function.layout.len() < 2 {
        return false;
    }
    let Some(first) = plan(function) else { return false };
    let before = function.clone();
    let wanted = first.slots.clone();
    let mut next = Some(first);
    for _ in 0..MAX_LEVELS {
        let Some(plan) = next.filter(|p| !p.outermost.is_empty()) else { break };
        for (index, how) in &plan.outermost {
            loops::unroll(function, &plan.loops.loops[*index], *how);
        }
        simplify::simplify_function(function, address_bits);
        while mem2reg::promote_function(function, address_bits / 8) == mem2reg::Promotion::Some {}
        next = self::plan(function);
    }
    simplify::simplify_function(function, address_bits);
    if uses_any(function, &wanted) {
        log::debug!("{}: unrolled loops leave an array in memory: kept as they were", function.name);
        *function = before;
        return false;
    }
    log::debug!("{}: {} private arrays became values by unrolling", function.name, wanted.len());
    true
}

/// The loops to unroll next.
struct Plan {
    loops: Arc<Loops>,
    /// The slots that become values.
    slots: Vec<Slot>,
    /// The wanted loops that are inside no other wanted loop, by index.
    outermost: Vec<(usize, Unroll)>,
}

/// The indices of each slot that are not constant; `None` where anything but loads and stores uses it.
type Indices = FxHashMap<Slot, Option<Vec<Value>>>;

fn plan(function: &mut Function) -> Option<Plan> {
    let cfg = function.cfg();
    let function = &*function;
    let indices = indices(function, &cfg);
    if indices.values().all(|i| i.as_ref().is_none_or(Vec::is_empty)) {
        return None;
    }
    let loops = cfg.loops();
    if loops.loops.is_empty() || loops.irreducible {
        return None;
    }
    let mut counter = TripCounts::new(function, &cfg, &loops);
    let mut slots = Vec::new();
    let mut all: FxHashSet<usize> = FxHashSet::default();
    let mut sorted: Vec<(Slot, Vec<Value>)> =
        indices.into_iter().filter_map(|(slot, i)| Some((slot, i.filter(|i| !i.is_empty())?))).collect();
    sorted.sort_unstable_by_key(|s| s.0);
    for (slot, indices) in sorted {
        let Some(wanted) = counter.wanted(&indices) else { continue };
        let allowed = |n: &usize| function.blocks[loops.loops[*n].header].loop_control & DONT_UNROLL == 0;
        let together: FxHashSet<usize> = all.union(&wanted).copied().collect();
        if wanted.iter().all(allowed) && counter.size(&together).is_some_and(|s| s <= MAX_UNROLLED) {
            all = together;
            slots.push(slot);
        }
    }
    let mut outermost = Vec::new();
    for &index in &all {
        let around = std::iter::successors(loops.loops[index].parent, |p| loops.loops[*p].parent);
        if around.into_iter().any(|p| all.contains(&p)) {
            continue;
        }
        let (trip_count, test) = counter.trip_count(index)?;
        outermost.push((index, Unroll::Full { trip_count: usize::try_from(trip_count).ok()?, test }));
    }
    outermost.sort_unstable_by_key(|unrolled| unrolled.0);
    (!outermost.is_empty()).then_some(Plan { loops, slots, outermost })
}

/// The indices of every slot. Pointers are followed from their roots. A slot has `None` where a pointer to it goes anywhere but
/// into plain loads and stores.
fn indices(function: &Function, cfg: &Cfg) -> Indices {
    let mut found = Indices::default();
    let mut pointers: FxHashMap<Value, Slot> = FxHashMap::default();
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let (slot, index) = match &data.kind {
                InstKind::RootAddr(Root::Slot(slot)) => (Some(*slot), None),
                InstKind::PtrOffset { base, .. } | InstKind::PtrCast(base) => {
                    (pointers.get(base).copied(), None)
                }
                InstKind::PtrAdd { base, index, .. } => (pointers.get(base).copied(), Some(*index)),
                _ => (None, None),
            };
            if let (Some(slot), Some(result)) = (slot, data.results.first()) {
                pointers.insert(*result, slot);
                let list = found.entry(slot).or_insert_with(|| Some(Vec::new()));
                if let (Some(list), Some(index)) = (list, index)
                    && function.const_bits(index).is_none()
                {
                    list.push(index);
                }
                continue;
            }
            let plain = match &data.kind {
                InstKind::Load { place: Place::Pointer(_), flags } => !flags.volatile,
                InstKind::Store { place: Place::Pointer(_), value, flags } => {
                    !flags.volatile && !pointers.contains_key(value)
                }
                _ => false,
            };
            if !plain {
                for value in data.kind.values() {
                    if let Some(slot) = pointers.get(&value) {
                        found.insert(*slot, None);
                    }
                }
            }
        }
        for value in function.blocks[block].term.values() {
            if let Some(slot) = pointers.get(&value) {
                found.insert(*slot, None);
            }
        }
    }
    found
}

/// Returns whether a function uses any of some slots.
fn uses_any(function: &Function, slots: &[Slot]) -> bool {
    let mut insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.any(|i| matches!(&function.insts[*i].kind, InstKind::RootAddr(Root::Slot(s)) if slots.contains(s)))
}

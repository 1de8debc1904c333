//! Shared function bodies: a function is copied into a caller once for all its calls, where a copy for each call explodes.
//!
//! Vulkan drivers inline every call, so that a call that stays does not keep a program small. Here the bodies of the *shared* functions become
//! parts of the caller's graph, one each:
//!
//! ```text
//! a = f(x); … b = f(y);    →    br f(x, 0) … br f(y, 1)    f: … br exit(r)    exit(r): switch site (0: after_a(), 1: after_b())
//! ```
//!
//! A call is a branch to the body's entry, with the arguments and the number of the call. The body passes its results to its exit. There a switch
//! over the number of the call branches back behind the call. Pointers are passed as values, to any memory; `lower_addresses` finds the base
//! objects that a parameter may have from all calls.
//!
//! Values that live across a call are no longer dominated by their definitions. They become block parameters, or variables where there would be
//! too many parameters.
//!
//! Work-items that call and work-items that do not may reconverge later than in the source: in an iteration of the loop that the graph then
//! is. So *convergent* functions (with barriers) are never shared. Nothing is shared between the parts of a function with barriers either: each
//! call in such a function gets a copy of all that it needs ([`super::run`]).

use super::plan::Plan;
use super::{Copier, Tables};
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Positions};
use crate::ir::{
    Block, BranchTarget, DebugInfo, EntityMap, Func, Function, Inst, InstKind, MemFlags, Place, Root,
    SlotData, Space, Terminator, Type, Value, ValueDef,
};
use crate::transform::cleanup;
use crate::transform::ssa;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

/// The one copy of a shared function.
struct Body {
    entry: Block,
    /// The target of its returns: the parameters are the results, and the terminator is the switch over the calls.
    exit: Block,
    /// The entry's last parameter: the number of the call.
    site: Value,
    /// The continuation of each call.
    after: Vec<Block>,
}

/// Replaces all calls of shared functions in a function by branches to one copy of each.
///
/// # Errors
/// [`LowerError::NotYet`] when the function becomes too large.
pub(super) fn share(
    f: &mut Function,
    functions: &EntityMap<Func, Function>,
    plan: &Plan,
    debug: &mut DebugInfo,
    address_bits: u32,
) -> Result<(), LowerError> {
    let mut bodies: FxHashMap<Func, Body> = FxHashMap::default();
    let mut order: Vec<Func> = Vec::new();
    let mut at = 0;
    // Bodies are appended to the layout, and their calls are found there.
    while let Some(&block) = f.layout.get(at) {
        at += 1;
        let call =
            f.blocks[block].insts.iter().enumerate().find_map(|(n, inst)| match &f.insts[*inst].kind {
                InstKind::Call { func, args, .. } if plan.shared.contains(func) => {
                    Some((n, *inst, *func, args.clone()))
                }
                _ => None,
            });
        let Some((index, inst, func, args)) = call else { continue };
        let body = match bodies.entry(func) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                super::check_size(f, functions[func].insts.len())?;
                order.push(func);
                new.insert(copy_body(f, &functions[func], inst, debug))
            }
        };
        let tail = split(f, block, index);
        f.layout.insert(at, tail);
        let mut args: SmallVec<[Value; 2]> = args.into_iter().collect();
        args.push(f.iconst(Type::I32, body.after.len() as u64));
        body.after.push(tail);
        f.blocks[block].term = Terminator::Branch(BranchTarget { block: body.entry, args });
        // All calls pass their results to the same exit. The results of this call become values of its continuation.
        for (n, result) in std::mem::take(&mut f.insts[inst].results).iter().enumerate() {
            f.values[*result].def = ValueDef::Param(tail, n as u16);
            f.blocks[tail].params.push(*result);
        }
    }
    for func in order {
        let Some(mut body) = bodies.remove(&func) else { continue };
        let results: SmallVec<[Value; 2]> = f.blocks[body.exit].params.iter().copied().collect();
        let target = |block| BranchTarget { block, args: results.iter().copied().collect() };
        let Some(last) = body.after.pop() else { continue };
        f.blocks[body.exit].term = if body.after.is_empty() {
            Terminator::Branch(target(last))
        } else {
            let cases = (0..).zip(body.after.into_iter().map(target)).collect();
            Terminator::Switch { value: body.site, cases, default: target(last) }
        };
    }
    f.simplified = false;
    cleanup::remove_unreachable(f);
    cleanup::order_layout(f);
    repair_dominance(f, plan.parameters, address_bits);
    Ok(())
}

/// Splits a block at its nth instruction, a call, and drops the call. Returns the block with the instructions behind it.
fn split(f: &mut Function, block: Block, index: usize) -> Block {
    let tail = f.new_detached_block();
    let rest = f.blocks[block].insts.split_off(index);
    f.blocks[tail].insts = rest[1..].to_vec();
    f.blocks[tail].term = std::mem::replace(&mut f.blocks[block].term, Terminator::Unreachable);
    tail
}

/// Adds a function's blocks to a caller. The entry's parameters are those of the function, and the number of the call.
fn copy_body(f: &mut Function, callee: &Function, call: Inst, debug: &mut DebugInfo) -> Body {
    let (entry, exit) = (f.new_detached_block(), f.new_detached_block());
    let params: Vec<Value> = callee.params().iter().map(|p| f.add_param(entry, callee.ty(*p))).collect();
    for (old, new) in callee.params().iter().zip(&params) {
        if let Some(name) = callee.names.get(old) {
            f.names.insert(*new, name.clone());
        }
    }
    let site = f.add_param(entry, Type::I32);
    for ty in &callee.returns {
        f.add_param(exit, *ty);
    }
    let location = f.insts[call].line;
    let mut tables = Tables::default();
    let mut copier = Copier::with_values(f, callee, location, &params, debug, &mut tables);
    // The callee's entry may be a loop header: a separate block goes in front of it.
    let first = copier.block(callee.entry());
    let mut blocks = vec![entry, first];
    for old in &callee.layout[1..] {
        let new = copier.block(*old);
        blocks.push(new);
    }
    for old in &callee.layout {
        copier.body(*old, exit);
    }
    blocks.push(exit);
    f.blocks[entry].term = Terminator::Branch(BranchTarget { block: first, args: SmallVec::new() });
    f.layout.extend(blocks);
    Body { entry, exit, site, after: Vec::new() }
}

/// Repairs values that no longer dominate their uses: they become block parameters, or variables where they are many.
fn repair_dominance(f: &mut Function, limit: usize, address_bits: u32) {
    let cfg = Cfg::new(f);
    let positions = Positions::new(f);
    let mut cut: FxHashSet<Value> = FxHashSet::default();
    let mut values: Vec<Value> = Vec::new();
    for &block in cfg.rpo() {
        let data = &f.blocks[block];
        for value in data.insts.iter().flat_map(|i| f.insts[*i].kind.values()).chain(data.term.values()) {
            let Some(home) = positions.block_of(f, value) else { continue };
            if home != block && !cfg.dominates(home, block) && cut.insert(value) {
                values.push(value);
            }
        }
    }
    if values.len().saturating_mul(f.layout.len()) > limit {
        keep_in_memory(f, &cfg, &positions, &values, address_bits);
    }
    // Values in memory are loaded in the block that uses them.
    ssa::repair_through_loops(f);
}

/// Stores each value where it is defined, and loads it in other blocks that use it. The accesses are volatile, so that no pass
/// promotes the variables again.
fn keep_in_memory(f: &mut Function, cfg: &Cfg, positions: &Positions, values: &[Value], address_bits: u32) {
    let private = Type::Ptr(Space::Private);
    let mut slots: FxHashMap<Value, (Value, MemFlags)> = FxHashMap::default();
    let mut starts = Vec::new();
    let mut stores: FxHashMap<Block, Vec<(usize, Inst)>> = FxHashMap::default();
    for &value in values {
        let ty = f.ty(value);
        // A truth value has no form in memory.
        let Some(home) =
            positions.block_of(f, value).filter(|_| ty.scalar() != Some(crate::ir::Scalar::Bool))
        else {
            continue;
        };
        let size = crate::passes::optimize::sroa::size_of(ty, address_bits / 8);
        let align = size.next_power_of_two().min(16);
        let slot = f.slots.push(SlotData { name: f.names.get(&value).cloned(), size: size.into(), align });
        let start = f.make_inst(InstKind::RootAddr(Root::Slot(slot)), &[private]);
        starts.push(start);
        let pointer = f.insts[start].results[0];
        let flags = MemFlags { align, volatile: true };
        slots.insert(value, (pointer, flags));
        let store = f.make_inst(InstKind::Store { place: Place::Pointer(pointer), value, flags }, &[]);
        let after = match f.values[value].def {
            ValueDef::Inst(inst, _) => positions.position(inst).map_or(0, |(_, index)| index + 1),
            _ => 0,
        };
        stores.entry(home).or_default().push((after, store));
    }
    for &block in cfg.rpo() {
        let own = |v: Value| positions.block_of(f, v) == Some(block);
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        let mut loads = Vec::new();
        let data = &f.blocks[block];
        let used: Vec<Value> = data
            .insts
            .iter()
            .flat_map(|i| f.insts[*i].kind.values())
            .chain(data.term.values())
            .filter(|v| !own(*v))
            .collect();
        for value in used {
            if let (Some((pointer, flags)), false) = (slots.get(&value).copied(), loaded.contains_key(&value))
            {
                let ty = f.ty(value);
                let load = f.make_inst(InstKind::Load { place: Place::Pointer(pointer), flags }, &[ty]);
                loaded.insert(value, f.insts[load].results[0]);
                loads.push(load);
            }
        }
        let now = |v: Value| loaded.get(&v).copied().unwrap_or(v);
        for inst in f.blocks[block].insts.clone() {
            f.insts[inst].kind.map_values(now);
        }
        f.blocks[block].term.map_values(now);
        let mut insts = std::mem::take(&mut f.blocks[block].insts);
        let mut own = stores.remove(&block).unwrap_or_default();
        own.sort_by_key(|(after, _)| std::cmp::Reverse(*after));
        for (after, store) in own {
            insts.insert(after, store);
        }
        insts.splice(0..0, loads);
        f.blocks[block].insts = insts;
    }
    let entry = f.entry();
    f.blocks[entry].insts.splice(0..0, starts);
}

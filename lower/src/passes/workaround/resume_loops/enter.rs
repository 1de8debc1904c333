//! The entry of a resumed kernel: it branches to the loop whose number was saved.
//!
//! An inner loop is entered through the enclosing loops. Their headers get the number of the loop as a parameter, so that each keeps
//! its one entry.
//!
//! ```text
//! state = saved; if (state == 0) return;
//! outer(values, at):  switch (at) { 0: the outer loop's own header; n: load the values of loop n; branch to its header }
//! ```
//!
//! Where one vector runs a work-group ([`LowerOptions::single_vector`](crate::LowerOptions::single_vector)), each iteration of the outermost
//! loop is what is between two barriers. Lanes that were ended before its next iteration wait for one iteration (`at` is [`waits`]), in which
//! those that were ended in inner loops finish the last one.

use super::area::{Again, Area};
use super::{Private, State, to};
use crate::ir::cfg::{Loops, Positions};
use crate::ir::{Block, BranchTarget, Constant, Function, IntCC, Terminator, Type, Value};
use crate::transform::cleanup::Replaced;
use crate::transform::rewriter::Rewriter;
use crate::transform::ssa;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Builds the entry and returns its first block. `end` returns.
pub(super) fn build(
    f: &mut Function,
    (area, alone): (&Area, bool),
    loops: &Loops,
    (states, private): (&[State], &[Private]),
    again: &Again,
    end: Block,
) -> Block {
    // Recompute values, and load the state.
    let begin = f.new_block();
    let mut rw = Rewriter::new(f);
    let (mut copies, mut replaced) = (FxHashMap::default(), Replaced::default());
    for value in &again.alive {
        let copy = again.copy(&mut rw, *value, &mut copies);
        replaced.insert(*value, copy);
    }
    let (state, own) = area.load_state(&mut rw);
    let none = rw.iconst(Type::I32, 0);
    let resumes = rw.icmp(IntCC::Ne, state, none);
    let made = rw.take();
    replaced.apply(f);
    f.blocks[begin].insts = made;

    let inner = |index: usize| (0..states.len()).filter(move |n| loops.loops[*n].parent == Some(index));
    // Headers of loops with inner loops get the number as a parameter.
    let has_inner: Vec<bool> = (0..states.len()).map(|n| inner(n).next().is_some()).collect();
    let mut params: Vec<Vec<Type>> = Vec::new();
    for state in states {
        params.push(f.blocks[state.header].params.iter().map(|p| f.ty(*p)).collect());
    }
    for (state, _) in states.iter().zip(&has_inner).filter(|(_, has_inner)| **has_inner) {
        add_target_param(f, state.header, none);
    }
    let entries: Vec<Block> = states
        .iter()
        .enumerate()
        .map(|(n, state)| {
            let at = match alone && loops.loops[n].parent.is_none() {
                true => f.iconst(Type::I32, waits(states)),
                false => none,
            };
            enter(f, area, state, (params[n].len(), has_inner[n]), at)
        })
        .collect();
    let routes = Routes { loops, states, params: &params, entries: &entries };
    for (n, state) in states.iter().enumerate().filter(|(n, _)| has_inner[*n]) {
        let at = f.blocks[state.header].params[params[n].len()];
        let default = to(f.blocks[state.header].term.targets().next().map_or(end, |t| t.block), &[]);
        let mut cases = routes.cases(f, Some(n));
        if alone && loops.loops[n].parent.is_none() {
            let wait = f.new_block();
            let mut args = f.blocks[state.header].params.clone();
            args[params[n].len()] = none;
            f.blocks[wait].term = Terminator::Branch(to(state.header, &args));
            cases.push((waits(states), to(wait, &[])));
        }
        f.blocks[state.header].term = Terminator::Switch { value: at, cases, default };
    }
    let route = f.new_block();
    let mut rw = Rewriter::new(f);
    area.clear_state(&mut rw, own);
    area.restore(&mut rw, private);
    rw.finish_block(route);
    let cases = routes.cases(f, None);
    f.blocks[route].term = Terminator::Switch { value: state, cases, default: to(end, &[]) };
    f.blocks[begin].term = Terminator::CondBranch { cond: resumes, then: to(route, &[]), els: to(end, &[]) };
    begin
}

/// The number by which a lane waits for one iteration of an outermost loop.
fn waits(states: &[State]) -> u64 {
    states.len() as u64 + 1
}

/// Adds a parameter to a header, 0 on all existing edges, and moves the header's code to a new block after it.
fn add_target_param(f: &mut Function, header: Block, none: Value) {
    f.add_param(header, Type::I32);
    for block in f.layout.clone() {
        for target in f.blocks[block].term.targets_mut().filter(|t| t.block == header) {
            target.args.push(none);
        }
    }
    let body = f.new_block();
    f.blocks[body].insts = std::mem::take(&mut f.blocks[header].insts);
    let branch = Terminator::Branch(to(body, &[]));
    f.blocks[body].term = std::mem::replace(&mut f.blocks[header].term, branch);
}

/// The block that loads the values saved at a loop and branches to the loop's header.
fn enter(
    f: &mut Function,
    area: &Area,
    state: &State,
    (params, has_inner): (usize, bool),
    at: Value,
) -> Block {
    let block = f.new_block();
    let mut rw = Rewriter::new(f);
    let mut args: Vec<Value> = Vec::new();
    for (value, row) in state.values.iter().take(params) {
        let ty = rw.f.ty(*value);
        args.push(area.load_from(&mut rw, ty, *row));
    }
    let mut loaded = Vec::new();
    for (value, row) in state.values.iter().skip(params) {
        let ty = rw.f.ty(*value);
        loaded.push((*value, area.load_from(&mut rw, ty, *row)));
    }
    args.extend(has_inner.then_some(at));
    rw.finish_block(block);
    f.blocks[block].term = Terminator::Branch(to(state.header, &args));
    state.loaded.borrow_mut().replace((block, loaded));
    block
}

/// How the loops are reached.
struct Routes<'a> {
    loops: &'a Loops,
    states: &'a [State],
    params: &'a [Vec<Type>],
    entries: &'a [Block],
}

impl Routes<'_> {
    /// The cases of a dispatch to loops, by state: within a loop, or from outside of all (`None`).
    fn cases(&self, f: &mut Function, from: Option<usize>) -> Vec<(u64, BranchTarget)> {
        let mut cases = Vec::new();
        for n in 0..self.states.len() {
            // The loop that is directly in `from` and has loop `n` in it, or is it.
            let (mut child, mut parent) = (n, self.loops.loops[n].parent);
            while parent != from {
                let Some(up) = parent else { break };
                (child, parent) = (up, self.loops.loops[up].parent);
            }
            if parent != from || Some(n) == from {
                continue;
            }
            let number = n as u64 + 1;
            let target = if child == n {
                to(self.entries[n], &[])
            } else {
                let types = self.params[child].iter();
                let mut args: Vec<Value> = types.map(|ty| f.constant(*ty, Constant::Undef)).collect();
                args.push(f.iconst(Type::I32, number));
                // Cases of a switch cannot hand one block different values.
                let way = f.new_block();
                f.blocks[way].term = Terminator::Branch(to(self.states[child].header, &args));
                to(way, &[])
            };
            cases.push((number, target));
        }
        cases
    }
}

/// Joins what was loaded with what the blocks compute.
pub(super) fn join(f: &mut Function, states: &[State]) {
    let mut sets: FxHashMap<Value, Vec<(Block, Value)>> = FxHashMap::default();
    for state in states {
        let Some((block, loaded)) = &*state.loaded.borrow() else { continue };
        for (value, now) in loaded {
            sets.entry(*value).or_default().push((*block, *now));
        }
    }
    let positions = Positions::new(f);
    let mut homes: FxHashMap<Value, Block> = FxHashMap::default();
    for (value, sets) in &mut sets {
        if let Some(home) = positions.block_of(f, *value) {
            sets.push((home, *value));
            homes.insert(*value, home);
        }
    }
    ssa::rejoin_others(f, |value, block| {
        sets.get(&value).filter(|_| homes.get(&value) != Some(&block)).cloned()
    });
}

/// The block that loads the values saved at a loop, and those of them that are no header parameters.
pub(super) type Loaded = RefCell<Option<(Block, Vec<(Value, Value)>)>>;

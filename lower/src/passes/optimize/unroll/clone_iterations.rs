//! Cloning of loop iterations: copies of a loop's blocks are chained, for all iterations or for several in one.
//!
//! ```text
//! head: if (c) body; goto head;   →   head: if (c) body; head': if (c') body'; goto head;
//! ```

use super::{DONT_UNROLL, Unrolled};
use crate::ir::cfg::{LoopData, Positions};
use crate::ir::{Block, BranchTarget, Function, InstData, Terminator, Value, ValueData, ValueDef};
use crate::transform::cleanup;
use crate::transform::ssa;
use rustc_hash::{FxHashMap, FxHashSet};

/// One copy of a loop: the blocks and values that stand for the original ones.
#[derive(Default)]
struct Iteration {
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
}

impl Iteration {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

/// Unrolls a loop fully. The number of the iteration decides each test: every one continues, and the last exits.
pub fn unroll(function: &mut Function, data: &LoopData, how: &Unrolled) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let at_header = how.test == data.header;
    // A loop that tests first starts one iteration more than it completes.
    let count = how.trip_count as usize + usize::from(at_header);
    let iterations: Vec<Iteration> =
        (0..count).map(|n| copy(function, data, at_header && n + 1 == count)).collect();
    connect(function, data, &iterations, None, |old, term, n| {
        if old == how.test {
            decide(term, &inside, n + 1 == count);
        }
    });
    rejoin(function, used, &iterations);
}

/// Unrolls a loop to the largest number of iterations. The header's test is decided in the first `least` copies, and in the one behind the last.
pub fn bounded(function: &mut Function, data: &LoopData, (least, most): (usize, usize)) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let iterations: Vec<Iteration> = (0..=most).map(|n| copy(function, data, n == most)).collect();
    connect(function, data, &iterations, None, |old, term, n| {
        if old == data.header && (n < least || n == most) {
            decide(term, &inside, n == most);
        }
    });
    rejoin(function, used, &iterations);
}

/// Unrolls a loop by a factor. Every copy keeps its tests, so that the trip count does not matter.
pub fn several(function: &mut Function, data: &LoopData, times: usize) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let iterations: Vec<Iteration> = (0..times).map(|_| copy(function, data, false)).collect();
    let again = iterations.first().map(|r| r.blocks[&data.header]);
    connect(function, data, &iterations, again, |_, _, _| {});
    rejoin(function, used, &iterations);
}

/// Unrolls a loop by a factor that divides its trip count. The header's test must be the only exit: the first copy's test stands for all.
pub fn by_divisor(function: &mut Function, data: &LoopData, times: usize) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let iterations: Vec<Iteration> = (0..times).map(|_| copy(function, data, false)).collect();
    let again = iterations.first().map(|r| r.blocks[&data.header]);
    connect(function, data, &iterations, again, |old, term, n| {
        if old == data.header && n > 0 {
            decide(term, &inside, false);
        }
    });
    if let Some(header) = again {
        // The driver would unroll the loop once more.
        function.blocks[header].loop_control = DONT_UNROLL;
    }
    rejoin(function, used, &iterations[..1]);
}

/// Gives the copies their terminators: each continues with the next, the last with `again`. The first replaces the loop. `change` sees every
/// original block with the copy's terminator and number.
fn connect(
    function: &mut Function,
    data: &LoopData,
    iterations: &[Iteration],
    again: Option<Block>,
    change: impl Fn(Block, &mut Terminator, usize),
) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    for (n, iteration) in iterations.iter().enumerate() {
        let next = iterations.get(n + 1).map_or(again, |r| r.blocks.get(&data.header).copied());
        for (&old, &new) in &iteration.blocks {
            let mut term = function.blocks[old].term.clone();
            change(old, &mut term, n);
            term.map_values(|v| iteration.value(v));
            for target in term.targets_mut() {
                if target.block == data.header {
                    if let Some(next) = next {
                        target.block = next;
                    }
                } else if let Some(block) = iteration.blocks.get(&target.block) {
                    target.block = *block;
                }
            }
            function.blocks[new].term = term;
        }
    }
    if let Some(first) = iterations.first().and_then(|r| r.blocks.get(&data.header)) {
        for block in function.layout.clone() {
            if inside.contains(&block) {
                continue;
            }
            for target in function.blocks[block].term.targets_mut() {
                if target.block == data.header {
                    target.block = *first;
                }
            }
        }
    }
    cleanup::remove_unreachable(function);
    cleanup::order_layout(function);
}

/// Replaces the uses behind the loop by the value of the copy that exited.
fn rejoin(function: &mut Function, used: Vec<(Value, Block)>, iterations: &[Iteration]) {
    let variables = used.into_iter().map(|(value, home)| {
        let defs = iterations.iter().filter_map(|r| Some((*r.blocks.get(&home)?, *r.values.get(&value)?)));
        (value, defs.collect())
    });
    let variables: Vec<(Value, Vec<(Block, Value)>)> = variables.collect();
    ssa::rejoin(function, &variables);
}

/// Decides a loop's test: the last iteration exits, the others continue.
fn decide(term: &mut Terminator, inside: &FxHashSet<Block>, last: bool) {
    if let Terminator::CondBranch { then, els, .. } = term {
        let stays: &BranchTarget = if inside.contains(&then.block) { then } else { els };
        let leaves: &BranchTarget = if inside.contains(&then.block) { els } else { then };
        let target = if last { leaves.clone() } else { stays.clone() };
        *term = Terminator::Branch(target);
    }
}

/// The values of a loop that are used outside it, with their blocks.
fn used_after(function: &Function, inside: &FxHashSet<Block>) -> Vec<(Value, Block)> {
    let positions = Positions::new(function);
    let mut found = Vec::new();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    for &block in function.layout.iter().filter(|b| !inside.contains(b)) {
        let data = &function.blocks[block];
        let values = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
        for value in values.chain(data.term.values()) {
            let Some(home) = positions.block_of(function, value) else { continue };
            if inside.contains(&home) && seen.insert(value) {
                found.push((value, home));
            }
        }
    }
    found
}

/// Copies a loop's blocks without their terminators. The iteration that does not take place is the header alone.
fn copy(function: &mut Function, data: &LoopData, header_alone: bool) -> Iteration {
    let mut iteration = Iteration::default();
    let blocks: Vec<Block> = if header_alone { vec![data.header] } else { data.blocks.clone() };
    for &old in &blocks {
        let new = function.new_block();
        iteration.blocks.insert(old, new);
        for old in function.blocks[old].params.clone() {
            let param = function.add_param(new, function.ty(old));
            iteration.values.insert(old, param);
            if let Some(name) = function.names.get(&old).cloned() {
                function.names.insert(param, name);
            }
        }
        // The header's loop control belonged to the loop that is replaced.
        if old != data.header {
            function.blocks[new].loop_control = function.blocks[old].loop_control;
        }
    }
    // A block comes after its dominators: what an instruction uses has been copied.
    for &old in &blocks {
        for inst in function.blocks[old].insts.clone() {
            let InstData { mut kind, results, line } = function.insts[inst].clone();
            kind.map_values(|v| iteration.value(v));
            let copied = function.insts.push(InstData { kind, results: Default::default(), line });
            let values = results.iter().enumerate().map(|(n, result)| {
                let ty = function.ty(*result);
                let value = function.values.push(ValueData { ty, def: ValueDef::Inst(copied, n as u16) });
                iteration.values.insert(*result, value);
                value
            });
            let values = values.collect();
            function.insts[copied].results = values;
            let new = iteration.blocks[&old];
            function.blocks[new].insts.push(copied);
        }
    }
    iteration
}

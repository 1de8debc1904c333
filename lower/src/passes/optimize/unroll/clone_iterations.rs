//! Putting the rounds of a loop one after the other, all of them or several in a turn.

use super::{DONT_UNROLL, Unrolled};
use crate::ir::cfg::{LoopData, Positions};
use crate::ir::{Block, BranchTarget, Function, InstData, Terminator, Value, ValueData, ValueDef};
use crate::transform::cleanup;
use crate::transform::ssa;
use rustc_hash::{FxHashMap, FxHashSet};

/// The blocks and values of a loop in one of its rounds.
#[derive(Default)]
struct Round {
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
}

impl Round {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

/// Replaces a loop by its rounds. Where it ends is as certain as where it goes on: each decides by the number of the round.
pub fn unroll(function: &mut Function, data: &LoopData, how: &Unrolled) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let at_header = how.test == data.header;
    // A loop that is tested first begins one round more than it ends.
    let count = how.rounds as usize + usize::from(at_header);
    let rounds: Vec<Round> = (0..count).map(|n| copy(function, data, at_header && n + 1 == count)).collect();
    connect(function, data, &rounds, None, |old, term, n| {
        if old == how.test {
            decide(term, &inside, n + 1 == count);
        }
    });
    rejoin(function, used, &rounds);
}

/// Replaces a loop by rounds, as many as there are at most; its header's test is certain in so many of the first, and in the one behind the last.
pub fn at_most(function: &mut Function, data: &LoopData, (least, most): (usize, usize)) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let rounds: Vec<Round> = (0..=most).map(|n| copy(function, data, n == most)).collect();
    connect(function, data, &rounds, None, |old, term, n| {
        if old == data.header && (n < least || n == most) {
            decide(term, &inside, n == most);
        }
    });
    rejoin(function, used, &rounds);
}

/// Puts so many rounds of a loop into one turn. Each keeps its ends, so that it does not matter how many there are.
pub fn several(function: &mut Function, data: &LoopData, times: usize) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let rounds: Vec<Round> = (0..times).map(|_| copy(function, data, false)).collect();
    let again = rounds.first().map(|r| r.blocks[&data.header]);
    connect(function, data, &rounds, again, |_, _, _| {});
    rejoin(function, used, &rounds);
}

/// Puts so many rounds of a loop into one turn, where the number of its rounds is a multiple and the header's test its only end: the first
/// round's test stands for all.
pub fn together(function: &mut Function, data: &LoopData, times: usize) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_after(function, &inside);
    let rounds: Vec<Round> = (0..times).map(|_| copy(function, data, false)).collect();
    let again = rounds.first().map(|r| r.blocks[&data.header]);
    connect(function, data, &rounds, again, |old, term, n| {
        if old == data.header && n > 0 {
            decide(term, &inside, false);
        }
    });
    if let Some(header) = again {
        // It is what a driver might have made of it.
        function.blocks[header].loop_control = DONT_UNROLL;
    }
    rejoin(function, used, &rounds[..1]);
}

/// Gives the rounds their ends: each goes on with the next one, the last with `again`. The first takes the loop's place. `change` is told of
/// every block's end, and of which round.
fn connect(
    function: &mut Function,
    data: &LoopData,
    rounds: &[Round],
    again: Option<Block>,
    change: impl Fn(Block, &mut Terminator, usize),
) {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    for (n, round) in rounds.iter().enumerate() {
        let next = rounds.get(n + 1).map_or(again, |r| r.blocks.get(&data.header).copied());
        for (&old, &new) in &round.blocks {
            let mut term = function.blocks[old].term.clone();
            change(old, &mut term, n);
            term.map_values(|v| round.value(v));
            for target in term.targets_mut() {
                if target.block == data.header {
                    if let Some(next) = next {
                        target.block = next;
                    }
                } else if let Some(block) = round.blocks.get(&target.block) {
                    target.block = *block;
                }
            }
            function.blocks[new].term = term;
        }
    }
    if let Some(first) = rounds.first().and_then(|r| r.blocks.get(&data.header)) {
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

/// What was used behind the loop is what the round that ended has.
fn rejoin(function: &mut Function, used: Vec<(Value, Block)>, rounds: &[Round]) {
    let variables = used.into_iter().map(|(value, home)| {
        let defs = rounds.iter().filter_map(|r| Some((*r.blocks.get(&home)?, *r.values.get(&value)?)));
        (value, defs.collect())
    });
    let variables: Vec<(Value, Vec<(Block, Value)>)> = variables.collect();
    ssa::rejoin(function, &variables);
}

/// Makes a loop's test certain: in the last round it leaves, in others it goes on.
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

/// Copies a loop's blocks but for their ends; only its header for the round that does not take place.
fn copy(function: &mut Function, data: &LoopData, header_alone: bool) -> Round {
    let mut round = Round::default();
    let blocks: Vec<Block> = if header_alone { vec![data.header] } else { data.blocks.clone() };
    for &old in &blocks {
        let new = function.new_block();
        round.blocks.insert(old, new);
        for old in function.blocks[old].params.clone() {
            let param = function.add_param(new, function.ty(old));
            round.values.insert(old, param);
            if let Some(name) = function.names.get(&old).cloned() {
                function.names.insert(param, name);
            }
        }
        // The hint was for the loop that goes.
        if old != data.header {
            function.blocks[new].loop_control = function.blocks[old].loop_control;
        }
    }
    // A block comes after its dominators: what an instruction uses has been copied.
    for &old in &blocks {
        for inst in function.blocks[old].insts.clone() {
            let InstData { mut kind, results, line } = function.insts[inst].clone();
            kind.map_values(|v| round.value(v));
            let copied = function.insts.push(InstData { kind, results: Default::default(), line });
            let values = results.iter().enumerate().map(|(n, result)| {
                let ty = function.ty(*result);
                let value = function.values.push(ValueData { ty, def: ValueDef::Inst(copied, n as u16) });
                round.values.insert(*result, value);
                value
            });
            let values = values.collect();
            function.insts[copied].results = values;
            let new = round.blocks[&old];
            function.blocks[new].insts.push(copied);
        }
    }
    round
}

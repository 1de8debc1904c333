//! The loop kit: loops are measured, unrolled and left, for the passes that decide which.
//!
//! ```text
//! head: if (c) body; goto head;   →   head: if (c) body; head': if (c') body'; goto head;
//! ```

use super::clone::Region;
use super::{cleanup, ssa};
use crate::ir::cfg::{LoopData, Positions};
use crate::ir::{Block, BranchTarget, Function, Terminator, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// SPIR-V's loop control Unroll.
pub const UNROLL: u32 = 1;
/// SPIR-V's loop control DontUnroll.
pub const DONT_UNROLL: u32 = 2;

/// The number of instructions of a loop, terminators included.
pub fn size(function: &Function, data: &LoopData) -> usize {
    data.blocks.iter().map(|block| function.blocks[*block].insts.len() + 1).sum()
}

/// Whether a loop's iterations may stand in several places: no operation depends on the work-items that execute it together.
pub fn can_be_duplicated(function: &Function, data: &LoopData) -> bool {
    let mut insts = data.blocks.iter().flat_map(|block| &function.blocks[*block].insts);
    insts.all(|inst| function.insts[*inst].kind.effects(function).can_be_duplicated())
}

/// The values of some blocks that other blocks of the layout use, with the blocks that define them, in the order of the uses.
pub fn used_outside(
    function: &Function,
    positions: &Positions,
    inside: impl Fn(Block) -> bool,
) -> Vec<(Value, Block)> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for &block in function.layout.iter().filter(|block| !inside(**block)) {
        let data = &function.blocks[block];
        let values = data.insts.iter().flat_map(|inst| function.insts[*inst].kind.values());
        for value in values.chain(data.term.values()) {
            let home = positions.block_of(function, value).filter(|home| inside(*home));
            found.extend(home.filter(|_| seen.insert(value)).map(|home| (value, home)));
        }
    }
    found
}

/// Redirects the branches of some blocks from one block to another.
pub fn redirect(function: &mut Function, blocks: impl IntoIterator<Item = Block>, from: Block, to: Block) {
    for block in blocks {
        for target in function.blocks[block].term.targets_mut().filter(|target| target.block == from) {
            target.block = to;
        }
    }
}

/// The ways to unroll a loop.
#[derive(Debug, Clone, Copy)]
pub enum Unroll {
    /// All iterations. The number of the iteration decides the test of a block: every one continues, and the last exits.
    Full {
        /// How often the loop's body is executed.
        trip_count: usize,
        /// The block whose branch decides whether the loop continues: the header or the only latch.
        test: Block,
    },
    /// The largest number of iterations. The header's test is decided in the first `least`, and in the one behind the last.
    Bounded {
        /// The least trip count.
        least: usize,
        /// The greatest trip count.
        most: usize,
    },
    /// Several iterations. Every copy keeps its tests, so that the trip count does not matter.
    Factor(usize),
    /// A number of iterations that divides the trip count. The header's test must be the only exit: the first copy's test stands for all.
    Divisor(usize),
    /// Several iterations behind a guard, in a loop of their own. The original loop comes behind it, for the remaining iterations.
    Guarded(Guard),
}

/// A test that stands for the header's tests in several iterations. Its blocks have copies of the header's parameters, and are not in the
/// layout yet.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// The number of iterations.
    pub times: usize,
    /// The block in front of the new loop; it continues with the new loop's header.
    pub entry: Block,
    /// The new loop's header, without a terminator.
    pub header: Block,
    /// The condition. Where it holds, the header's test continues in all of the iterations.
    pub holds: Value,
}

impl Unroll {
    /// The number of copies of the header.
    fn copies(self, header: Block) -> usize {
        match self {
            // A loop that tests first starts one iteration more than it completes.
            Unroll::Full { trip_count, test } => trip_count + usize::from(test == header),
            Unroll::Bounded { most, .. } => most + 1,
            Unroll::Factor(times) | Unroll::Divisor(times) => times,
            Unroll::Guarded(guard) => guard.times,
        }
    }

    /// Whether the last copy is the header alone: the iteration that does not take place.
    fn ends_at_header(self, header: Block) -> bool {
        match self {
            Unroll::Full { test, .. } => test == header,
            Unroll::Bounded { .. } => true,
            Unroll::Factor(_) | Unroll::Divisor(_) | Unroll::Guarded(_) => false,
        }
    }

    /// The block that the last copy continues with, given the first copy and the header.
    fn behind_last(self, first: Block, header: Block) -> Block {
        match self {
            Unroll::Full { .. } | Unroll::Bounded { .. } => header,
            Unroll::Factor(_) | Unroll::Divisor(_) => first,
            Unroll::Guarded(guard) => guard.header,
        }
    }

    /// Whether the loop continues behind a block of copy `n`, if that is decided.
    fn continues(self, header: Block, block: Block, n: usize) -> Option<bool> {
        match self {
            Unroll::Full { test, .. } => (block == test).then(|| n + 1 != self.copies(header)),
            Unroll::Bounded { least, most } => {
                (block == header && (n < least || n == most)).then_some(n != most)
            }
            Unroll::Factor(_) => None,
            Unroll::Divisor(_) => (block == header && n > 0).then_some(true),
            Unroll::Guarded(_) => (block == header).then_some(true),
        }
    }
}

/// Unrolls a loop, and returns the copies. They replace it or precede it; each continues with the next.
pub fn unroll(function: &mut Function, data: &LoopData, how: Unroll) -> Vec<Region> {
    let header = data.header;
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_outside(function, &Positions::new(function), |block| inside.contains(&block));
    let outside: Vec<Block> = function.layout.iter().copied().filter(|b| !inside.contains(b)).collect();
    let count = how.copies(header);
    let mut copies: Vec<Region> = Vec::with_capacity(count);
    for n in 0..count {
        let last = n + 1 == count && how.ends_at_header(header);
        copies.push(Region::copy(function, if last { &data.blocks[..1] } else { &data.blocks }));
    }
    let Some(first) = copies.first().map(|copy| copy.blocks[&header]) else { return copies };
    for n in 0..count {
        let next = match copies.get(n + 1) {
            Some(next) => next.blocks[&header],
            None => how.behind_last(first, header),
        };
        for (&old, &new) in &copies[n].blocks {
            let mut term = function.blocks[old].term.clone();
            if let Some(continues) = how.continues(header, old, n) {
                decide(&mut term, &inside, continues);
            }
            term.map_values(|v| copies[n].value(v));
            for target in term.targets_mut() {
                let copied = copies[n].blocks.get(&target.block).copied();
                target.block = if target.block == header { next } else { copied.unwrap_or(target.block) };
            }
            function.blocks[new].term = term;
        }
        // The header's loop control belonged to the loop that is replaced. The driver would unroll a divided one once more.
        let divided = matches!(how, Unroll::Divisor(_)) && n == 0;
        function.blocks[copies[n].blocks[&header]].loop_control = if divided { DONT_UNROLL } else { 0 };
    }
    match how {
        Unroll::Guarded(guard) => {
            insert_guard(function, guard, first, header);
            redirect(function, outside, header, guard.entry);
        }
        _ => redirect(function, outside, header, first),
    }
    cleanup::remove_unreachable(function);
    cleanup::order_layout(function);
    match how {
        Unroll::Guarded(_) => close_exits_of_both(function, &inside, &used, &copies),
        Unroll::Divisor(_) => close_exits(function, &used, &copies[..1]),
        _ => close_exits(function, &used, &copies),
    }
    copies
}

/// Makes a second version of a loop, and returns it. The block `entry`, which is not in the layout yet and has copies of the header's parameters,
/// decides: the loop itself follows where `holds` is true, and the second version elsewhere.
pub fn version(function: &mut Function, data: &LoopData, (entry, holds): (Block, Value)) -> Region {
    let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
    let used = used_outside(function, &Positions::new(function), |block| inside.contains(&block));
    let outside: Vec<Block> = function.layout.iter().copied().filter(|b| !inside.contains(b)).collect();
    let copy = Region::copy(function, &data.blocks);
    for (old, new) in &copy.blocks {
        function.blocks[*new].term = copy.term(&function.blocks[*old].term);
    }
    let to = |block| BranchTarget { block, args: function.blocks[entry].params.iter().copied().collect() };
    let (then, els) = (to(data.header), to(copy.blocks[&data.header]));
    function.blocks[entry].term = Terminator::CondBranch { cond: holds, then, els };
    redirect(function, outside, data.header, entry);
    function.layout.push(entry);
    cleanup::order_layout(function);
    let copies = [copy];
    close_exits_of_both(function, &inside, &used, &copies);
    let [copy] = copies;
    copy
}

/// Inserts the guard's blocks: all iterations follow, or the original loop.
fn insert_guard(function: &mut Function, guard: Guard, first: Block, header: Block) {
    let to =
        |block| BranchTarget { block, args: function.blocks[guard.header].params.iter().copied().collect() };
    let (then, els) = (to(first), to(header));
    function.blocks[guard.header].term = Terminator::CondBranch { cond: guard.holds, then, els };
    // The copies are enough, and few iterations are left for the original loop.
    function.blocks[guard.header].loop_control = DONT_UNROLL;
    function.blocks[header].loop_control = DONT_UNROLL;
    function.layout.extend([guard.entry, guard.header]);
}

/// The definitions of a value in copies of a loop, with their blocks.
fn definitions(copies: &[Region], value: Value, home: Block) -> impl Iterator<Item = (Block, Value)> {
    copies.iter().filter_map(move |copy| Some((*copy.blocks.get(&home)?, *copy.values.get(&value)?)))
}

/// Replaces the uses behind a loop by the value of the copy that exited.
fn close_exits(function: &mut Function, used: &[(Value, Block)], copies: &[Region]) {
    let variables: Vec<(Value, Vec<(Block, Value)>)> =
        used.iter().map(|(value, home)| (*value, definitions(copies, *value, *home).collect())).collect();
    ssa::rejoin(function, &variables);
}

/// The same where the loop stays, and either may have exited.
fn close_exits_of_both(
    function: &mut Function,
    inside: &FxHashSet<Block>,
    used: &[(Value, Block)],
    copies: &[Region],
) {
    let homes: FxHashMap<Value, Block> = used.iter().copied().collect();
    ssa::rejoin_others(function, |value, block| {
        let home = *homes.get(&value).filter(|_| !inside.contains(&block))?;
        Some(std::iter::once((home, value)).chain(definitions(copies, value, home)).collect())
    });
}

/// Joins blocks that continue with one another, and are reached in no other way, into the first.
pub fn join(function: &mut Function, blocks: &[Block]) {
    let [first, rest @ ..] = blocks else { return };
    let mut arguments: FxHashMap<Value, Value> = FxHashMap::default();
    for block in rest {
        if let Terminator::Branch(target) = &function.blocks[*first].term {
            arguments.extend(function.blocks[*block].params.iter().copied().zip(target.args.iter().copied()));
        }
        let insts = std::mem::take(&mut function.blocks[*block].insts);
        function.blocks[*first].insts.extend(insts);
        function.blocks[*first].term = function.blocks[*block].term.clone();
    }
    function.layout.retain(|block| !rest.contains(block));
    function.replace_uses(&arguments);
}

/// Decides a loop's test.
fn decide(term: &mut Terminator, inside: &FxHashSet<Block>, continues: bool) {
    if let Terminator::CondBranch { then, els, .. } = term {
        let chosen: &BranchTarget = if inside.contains(&then.block) == continues { then } else { els };
        *term = Terminator::Branch(chosen.clone());
    }
}

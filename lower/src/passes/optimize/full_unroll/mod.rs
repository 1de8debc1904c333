//! Full unrolling by partial evaluation: iterations that are certain are evaluated one after the other, and only what depends on unknown values
//! stays.
//!
//! Loops whose rounds are certain are put one after the other while they are evaluated: what every round computes from constants
//! becomes constants, branches that these decide are taken, and only the rest stays as code.
//!
//! A loop that depends on nothing else leaves its results alone, however often it goes round ([`MAX_STEPS`]). Others become their rounds
//! where these stay small; they may be left in several places (break, return), and hold loops that end as certainly, whose ends may depend
//! on the outer one's round. [`Env::of`] says what is small, by driver.
//!
//! A round goes through the loop's blocks in their order. Where ways of one round meet, what they bring is the block's parameter unless they
//! bring the same; branches back to the head lead to the next round. In every round some branch must have been decided, or
//! the loop is left as it is: nothing says then that it ends. Nothing of the function is changed before all rounds are known.
//!
//! A loop that begins with other constants for some who come to it than for others is tried for each branch that leads there by itself, too, and one
//! that a case of a switch leads to with the selector known.
//!
//! A loop of few rounds ([`MAX_ENCLOSING_LOOPS`]) may hold others that do not end so: these stay loops in each round. Drivers unroll nothing that holds a loop.
//!
//! Before that small loops with several entries get one ([`single_entry`]).
//!
//! Loops stay that have barriers or operations of groups, and those that the source forbids to unroll.

mod candidates;
mod costs;
mod single_entry;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    Block, BranchTarget, Constant, Function, Inst, InstData, InstKind, Module, Place, Space, Terminator,
    Type, Value, ValueData, ValueDef,
};
use crate::passes::language::lower_program_scope;
use crate::passes::optimize::final_values;
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;
use crate::passes::optimize::simplify::Simplifier;
use crate::transform::cleanup;
use crate::transform::ssa;
use candidates::{Candidates, Escaping};
pub use costs::Env;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::slice;

/// So many instructions are evaluated for one loop at most.
const MAX_STEPS: u32 = 10_000;
/// Larger loops are not tried: what stays of one round alone is too much.
const LARGEST: u32 = 256;
/// Loops in loops in loops that are gone through together.
const DEEPEST: usize = 8;
/// So many loops of a function are unfolded: each costs a look at the whole function.
const MAX_LOOPS: usize = 64;
/// No more branches to a loop than this are looked at one by one.
const MAX_ENTRIES: usize = 4;
/// So many loops may stay in the rounds of one around them.
const MAX_ENCLOSING_LOOPS: u32 = 8;
/// So often a loop is tried again, with one more of those in it staying.
const MAX_REMAINING: usize = 3;
/// So many branches out of a loop may stay: the code behind each stands in the next one's other way.
const MAX_EXITS: u32 = 16;

/// Unfolds the loops of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let mut functions = std::mem::take(&mut module.functions);
    let env = Env::of(module, context);
    for function in functions.values_mut() {
        unfold_function(function, &env);
    }
    module.functions = functions;
    Ok(())
}

/// Unfolds the loops of one function; tells whether any was.
pub fn unfold_function(function: &mut Function, env: &Env<'_>) -> bool {
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
        if !unfold_next(function, env, &cfg, &loops, &mut tried) {
            break;
        }
        count += 1;
    }
    if count == 0 && !single {
        return false;
    }
    log::debug!("{}: {count} loops unfolded", function.name);
    simplify::simplify_function(function, env.address_bits);
    // Indices of private arrays may be constants now.
    if !function.slots.is_empty() {
        while mem2reg::promote_function(function, env.address_bits / 8) == mem2reg::Promotion::Some {}
        simplify::simplify_function(function, env.address_bits);
    }
    // Loops within may be alone now, or have one entry.
    if final_values::replace_loops(function, env.address_bits) {
        simplify::simplify_function(function, env.address_bits);
    }
    true
}

/// Unfolds the first loop that can be, of those that were not tried: outer ones first. Tells whether there was one.
fn unfold_next(
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
        // Two rounds would be more than may be.
        if own > LARGEST
            || 2 * kept > own.max(env.most)
            || !Candidates::new(function, cfg, loops).may_be(index)
        {
            continue;
        }
        let entries = entries_of(function, cfg, loops, index);
        let graph = (cfg, loops, &escaping);
        if unfold_for_case(function, env, graph, (index, own), &entries) {
            tried.remove(&header);
            return true;
        }
        if attempt(function, env, graph, (index, own.max(env.most)), &entries, true) {
            return true;
        }
        if !(2..=MAX_ENTRIES).contains(&entries.len()) || !begins_apart(function, &entries) {
            continue;
        }
        for entry in &entries {
            let one = slice::from_ref(entry);
            if attempt(function, env, graph, (index, own.max(env.most)), one, false) {
                // The others are next.
                tried.remove(&header);
                return true;
            }
        }
    }
    false
}

/// The branches that lead to a loop from outside: blocks, and which of their targets.
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

/// Whether some of these branches bring other constants than others do.
fn begins_apart(function: &Function, entries: &[(Block, usize)]) -> bool {
    let args = |(from, way): &(Block, usize)| function.blocks[*from].term.target(*way).map(|t| &t.args);
    let Some(first) = entries.first().and_then(args) else { return false };
    let others = entries[1..].iter().filter_map(args);
    others.into_iter().any(|other| {
        let mut pairs = first.iter().zip(other);
        pairs.any(|(a, b)| a != b && function.const_bits(*a).is_some() && function.const_bits(*b).is_some())
    })
}

/// Unfolds a loop of so much code for one case of a switch that leads to it, by an empty block, where little is left of it when the selector is known.
fn unfold_for_case(
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
        let Some(way) = cases.iter().position(|case| case.1.block == before) else { continue };
        let mut lead = |to: &BranchTarget| match function.blocks[from].term.target_mut(way) {
            Some(target) => std::mem::replace(target, to.clone()),
            None => to.clone(),
        };
        let old = lead(&to);
        if attempt(function, env, graph, (index, own), &[(from, way)], false) {
            return true;
        }
        if let Some(target) = function.blocks[from].term.target_mut(way) {
            *target = old;
        }
    }
    false
}

/// What is known of a selector where a case of its switch is taken.
fn selected(function: &mut Function, (from, way): (Block, usize)) -> Option<(Value, Value)> {
    let Terminator::Switch { value, cases, .. } = &function.blocks[from].term else { return None };
    let (value, bits) = (*value, cases.get(way)?.0);
    let ty = function.ty(value);
    Some((value, function.constant(ty, Constant::Bits(bits))))
}

/// Unfolds a loop for those who come to it by some branches, all that there are or not, if it can be, is worth it, and becomes no more code.
fn attempt(
    function: &mut Function,
    env: &Env<'_>,
    graph: (&Cfg, &Loops, &OnceCell<Escaping>),
    size: (usize, u32),
    entries: &[(Block, usize)],
    all: bool,
) -> bool {
    let mut staying: SmallVec<[usize; MAX_REMAINING]> = SmallVec::new();
    loop {
        match attempt_with(function, env, graph, size, (entries, all), &staying) {
            Attempt::Done => return true,
            Attempt::Stays(Some(inner)) if env.around && staying.len() < MAX_REMAINING => staying.push(inner),
            Attempt::Stays(_) => return false,
        }
    }
}

/// What came of an attempt.
enum Attempt {
    Done,
    /// The loop stays, because of one in it or not.
    Stays(Option<usize>),
}

/// [`attempt`], with these loops within staying what they are.
fn attempt_with(
    function: &mut Function,
    env: &Env<'_>,
    (cfg, loops, escaping): (&Cfg, &Loops, &OnceCell<Escaping>),
    (index, most): (usize, u32),
    (entries, all): (&[(Block, usize)], bool),
    staying: &[usize],
) -> Attempt {
    let data = &loops.loops[index];
    let known_there = entries.first().filter(|_| entries.len() == 1).copied();
    let selected = known_there.and_then(|entry| selected(function, entry));
    let mark = function.mark();
    let head = function.new_detached_block();
    let mut unfolding = Unfolding {
        simplifier: Simplifier::detached(function, cfg, env.address_bits),
        env,
        cfg,
        loops,
        escaping,
        inside: data.blocks.iter().copied().collect(),
        scopes: Vec::new(),
        made: vec![head],
        known: Vec::new(),
        standing: Vec::new(),
        entry_mask: SmallVec::new(),
        steps: 0,
        cost: 0,
        full: 0,
        exits: 0,
        accesses: 0,
        most,
        selected,
        staying,
        stood: 0,
        failed: None,
    };
    let first = Pending { block: head, of: data.header, edges: entries.into(), entry: true };
    let done = unfolding.rounds(index, first).filter(|()| unfolding.is_worth_it());
    let Unfolding { made, known, standing, entry_mask, cost, steps, inside, failed, .. } = unfolding;
    if done.is_none() {
        log::debug!("{}: the loop at {} stays ({steps} steps, {cost} of {most})", function.name, data.header);
        function.forget_since(mark);
        return Attempt::Stays(failed);
    }
    let escaping = escaping.get_or_init(|| Escaping::new(function, loops));
    let mut defs: FxHashMap<Value, Vec<(Block, Value)>> = FxHashMap::default();
    for (old, block, new) in known.into_iter().filter(|k| escaping.contains(k.0)) {
        defs.entry(old).or_default().push((block, new));
    }
    log::debug!("{}: the loop at {} became {cost} of {most}", function.name, data.header);
    let homes = (!all).then(|| Positions::new(function));
    for (from, way) in entries {
        if let Some(target) = function.blocks[*from].term.target_mut(*way) {
            target.block = head;
            retain(target, &entry_mask);
        }
    }
    function.layout.extend(made);
    cleanup::remove_unreachable(function);
    cleanup::order_layout(function);
    let of = |old: Value| defs.get(&old).cloned().unwrap_or_default();
    if let Some(homes) = homes {
        // The loop is there for the others: what it computed is one more of what a value is behind it.
        let standing: FxHashMap<Value, Value> = standing.into_iter().collect();
        let defined = |old: Value| Some((homes.block_of(function, old)?, old));
        let both: FxHashMap<Value, Vec<(Block, Value)>> =
            defs.keys().map(|old| (*old, of(*old).into_iter().chain(defined(*old)).collect())).collect();
        ssa::rejoin_others(function, |value, block| match standing.get(&value) {
            Some(old) => Some(of(*old)),
            None => both.get(&value).filter(|_| !inside.contains(&block)).cloned(),
        });
        return Attempt::Done;
    }
    let mut variables: Vec<(Value, Vec<(Block, Value)>)> =
        standing.into_iter().map(|(value, old)| (value, of(old))).collect();
    let mut olds: Vec<Value> = defs.keys().copied().collect();
    olds.sort_unstable();
    variables.extend(olds.into_iter().map(|old| (old, of(old))));
    ssa::rejoin(function, &variables);
    Attempt::Done
}

/// Branches, as blocks and which of their targets.
type Entries = SmallVec<[(Block, usize); 4]>;

/// Keeps the arguments that the mask names.
fn retain(target: &mut BranchTarget, mask: &[bool]) {
    let mut n = 0;
    target.args.retain(|_| {
        n += 1;
        mask.get(n - 1).copied().unwrap_or(true)
    });
}

/// Where a value comes from that stands for another one: a parameter of nothing, which no rule looks behind.
const NOT_YET: ValueDef = ValueDef::Param(Block(u32::MAX), 0);

fn is_standing(function: &Function, value: Value) -> bool {
    function.values[value].def == NOT_YET
}

/// A copy of a block that some branches lead to, and that is not filled yet.
struct Pending {
    block: Block,
    /// What it is a copy of.
    of: Block,
    /// The branches: blocks, and which of their targets.
    edges: Entries,
    /// Whether these are the function's own blocks.
    entry: bool,
}

/// A round of a loop.
struct Scope {
    index: usize,
    /// What the loop's values are in it.
    values: FxHashMap<Value, Value>,
    /// The blocks to come, by their place in the order.
    pending: BTreeMap<usize, Pending>,
    /// The head in the next round.
    next: Option<Pending>,
    /// The loop's head, where it stays a loop.
    head: Option<Block>,
    /// Whether a branch was decided: one of its own, or out of it.
    decided: bool,
    /// What the values of loops within were where these were left; `None` where that depends.
    outs: FxHashMap<Value, Option<Value>>,
}

/// A loop on the way to become its rounds.
struct Unfolding<'a> {
    simplifier: Simplifier<'a>,
    env: &'a Env<'a>,
    cfg: &'a Cfg,
    loops: &'a Loops,
    /// Looked for where it matters.
    escaping: &'a OnceCell<Escaping>,
    inside: FxHashSet<Block>,
    /// The rounds under way, outer loops first.
    scopes: Vec<Scope>,
    /// The new blocks.
    made: Vec<Block>,
    /// What values became, and where.
    known: Vec<(Value, Block, Value)>,
    /// Values that stand for one of those until all is known.
    standing: Vec<(Value, Value)>,
    /// Which parameters the first head keeps.
    entry_mask: SmallVec<[bool; 8]>,
    steps: u32,
    cost: u32,
    /// What it would cost without anything being known.
    full: u32,
    /// The branches out of a loop that stay.
    exits: u32,
    /// Loads and stores of buffers.
    accesses: u32,
    most: u32,
    /// What is known of a switch's selector.
    selected: Option<(Value, Value)>,
    /// The loops within that stay loops.
    staying: &'a [usize],
    /// How often one did.
    stood: u32,
    /// A loop within that was the reason for giving up.
    failed: Option<usize>,
}

impl Unfolding<'_> {
    /// Drivers unroll by themselves what only counts, and know best when: where nothing else is gained it is left to them.
    fn is_worth_it(&self) -> bool {
        let joins = self.env.joins && self.accesses > 1;
        self.exits > 0 || joins || self.stood > 0 || u64::from(self.cost) * 3 <= u64::from(self.full) * 2
    }

    /// All rounds of a loop. `None`: it stays.
    fn rounds(&mut self, index: usize, first: Pending) -> Option<()> {
        let mut next = Some(first);
        while let Some(pending) = next.take() {
            let scope = self.round(index, pending, None)?;
            next = scope.next;
            if next.is_some() && !scope.decided {
                return None;
            }
        }
        Some(())
    }

    /// One round of a loop, or the loop as it is with this head.
    fn round(&mut self, index: usize, first: Pending, head: Option<Block>) -> Option<Scope> {
        if self.scopes.len() == DEEPEST {
            return None;
        }
        let order = self.cfg.rpo_index(first.of)?;
        self.scopes.push(Scope {
            index,
            values: FxHashMap::default(),
            pending: BTreeMap::from([(order, first)]),
            next: None,
            head,
            decided: false,
            outs: FxHashMap::default(),
        });
        while let Some((_, pending)) = self.scopes.last_mut()?.pending.pop_first() {
            let inner = self.loops.innermost(pending.of)?;
            if inner == index {
                self.block(pending)?;
                continue;
            }
            let data = &self.loops.loops[inner];
            // A loop with several entries is none of the graph's.
            if data.header != pending.of || data.parent != Some(index) {
                return None;
            }
            self.within(inner, pending)?;
            self.surface();
        }
        self.scopes.pop()
    }

    /// A loop within another.
    fn within(&mut self, inner: usize, first: Pending) -> Option<()> {
        if !self.staying.contains(&inner) {
            let done = self.rounds(inner, first);
            if done.is_none() && self.failed.is_none() {
                self.failed = Some(inner);
            }
            return done;
        }
        self.stood += 1;
        let head = first.block;
        self.simplifier.function.blocks[head].loop_control =
            self.simplifier.function.blocks[first.of].loop_control;
        let done = self.round(inner, first, Some(head));
        (done.is_some() && self.stood <= MAX_ENCLOSING_LOOPS).then_some(())
    }

    /// An inner loop has ended: what its values are from here on.
    fn surface(&mut self) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let mut outs: Vec<(Value, Option<Value>)> = scope.outs.drain().collect();
        outs.sort_unstable();
        for (old, value) in outs {
            let value = value.unwrap_or_else(|| {
                let function = &mut *self.simplifier.function;
                let value = function.values.push(ValueData { ty: function.ty(old), def: NOT_YET });
                self.standing.push((value, old));
                value
            });
            scope.values.insert(old, value);
        }
    }

    /// What a value of the function is here.
    fn value(&self, old: Value) -> Value {
        let known = self.scopes.iter().rev().find_map(|scope| scope.values.get(&old)).copied();
        let selected = || self.selected.filter(|known| known.0 == old).map(|known| known.1);
        known.or_else(selected).unwrap_or(old)
    }

    /// Notes what a value became.
    fn set(&mut self, old: Value, new: Value, block: Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(old, new);
        }
        self.known.push((old, block, new));
    }

    /// Whether a value is one that stands for another, and would be what `old` became behind its loop: that must be a value of its own.
    fn is_no_end(&self, value: Value, old: Value) -> bool {
        let function = &*self.simplifier.function;
        is_standing(function, value) && self.escaping().contains(old)
    }

    fn escaping(&self) -> &Escaping {
        self.escaping.get_or_init(|| Escaping::new(self.simplifier.function, self.loops))
    }

    /// Fills a copy of a block.
    fn block(&mut self, pending: Pending) -> Option<()> {
        let Pending { block, of, edges, entry } = pending;
        self.params(block, of, &edges, entry);
        self.simplifier.begin(block);
        for n in 0..self.simplifier.function.blocks[of].insts.len() {
            let inst = self.simplifier.function.blocks[of].insts[n];
            self.steps += 1;
            self.inst(inst, block)?;
        }
        let insts = self.simplifier.end();
        let function = &*self.simplifier.function;
        self.cost += insts.iter().map(|i| self.env.cost(function, &function.insts[*i])).sum::<u32>();
        self.simplifier.function.blocks[block].insts = insts;
        self.terminate(block, of)?;
        (self.steps <= MAX_STEPS && self.cost <= self.most && self.exits <= MAX_EXITS).then_some(())
    }

    /// Gives a copy the parameters that it needs: where all branches bring the same it is that.
    fn params(&mut self, block: Block, of: Block, edges: &[(Block, usize)], entry: bool) {
        let mut mask: SmallVec<[bool; 8]> = SmallVec::new();
        // What its rounds bring is not known yet.
        let stays = self.scopes.last().is_some_and(|scope| scope.head == Some(block));
        for (n, old) in self.simplifier.function.blocks[of].params.clone().into_iter().enumerate() {
            let function = &*self.simplifier.function;
            let mut args = edges.iter().map(|(from, way)| {
                function.blocks[*from].term.target(*way).and_then(|target| target.args.get(n).copied())
            });
            let first = args.next().flatten();
            let alike = first.filter(|first| args.all(|arg| arg == Some(*first)));
            let alike = alike.filter(|v| !stays && !self.is_no_end(*v, old));
            mask.push(alike.is_none());
            let function = &mut *self.simplifier.function;
            let new = alike.unwrap_or_else(|| {
                let new = function.add_param(block, function.ty(old));
                if let Some(name) = function.names.get(&old).cloned() {
                    function.names.insert(new, name);
                }
                new
            });
            self.set(old, new, block);
        }
        if entry {
            self.entry_mask = mask;
            return;
        }
        for (from, way) in edges {
            if let Some(target) = self.simplifier.function.blocks[*from].term.target_mut(*way) {
                retain(target, &mask);
            }
        }
    }

    /// Does an instruction, as far as it can be done now.
    fn inst(&mut self, inst: Inst, block: Block) -> Option<()> {
        let InstData { mut kind, results, line } = self.simplifier.function.insts[inst].clone();
        kind.map_values(|v| self.value(v));
        let effects = kind.effects(self.simplifier.function);
        if !effects.can_be_duplicated() {
            return None;
        }
        self.full += self.env.cost(self.simplifier.function, &self.simplifier.function.insts[inst]);
        if let Some(Place::Pointer(pointer)) = kind.place() {
            self.accesses += u32::from(self.simplifier.function.ty(pointer) == Type::Ptr(Space::Global));
        }
        self.simplifier.line = line;
        if let [result] = results[..]
            && effects.can_be_removed()
        {
            let ty = self.simplifier.function.ty(result);
            let new = match self.constant_load(&kind, ty) {
                Some(value) => value,
                None => self.simplifier.build(kind, ty),
            };
            let new = if self.is_no_end(new, result) { self.copied(new, ty) } else { new };
            self.set(result, new, block);
            return Some(());
        }
        let types: SmallVec<[Type; 2]> = results.iter().map(|r| self.simplifier.function.ty(*r)).collect();
        let copied = self.simplifier.function.make_inst(kind, &types);
        self.simplifier.leave(copied, effects);
        for (old, new) in results.iter().zip(self.simplifier.function.insts[copied].results.clone().iter()) {
            self.set(*old, *new, block);
        }
        Some(())
    }

    /// The same as another value.
    fn copied(&mut self, value: Value, ty: Type) -> Value {
        let function = &mut *self.simplifier.function;
        let kind = InstKind::Select(function.constant(Type::BOOL, Constant::Bits(1)), value, value);
        let effects = kind.effects(function);
        let inst = function.make_inst(kind, &[ty]);
        let value = function.insts[inst].results[0];
        self.simplifier.leave(inst, effects);
        value
    }

    /// What a load of a program's constants gives.
    fn constant_load(&mut self, kind: &InstKind, ty: Type) -> Option<Value> {
        let InstKind::Load { place: Place::Pointer(pointer), flags } = kind else { return None };
        if flags.volatile {
            return None;
        }
        let function = &mut *self.simplifier.function;
        let lanes = lower_program_scope::constant_lanes(function, self.env.globals, *pointer, ty)?;
        let parts: SmallVec<[Value; 4]> =
            lanes.iter().map(|bits| function.constant(ty.element(), Constant::Bits(*bits))).collect();
        match parts[..] {
            [one] => Some(one),
            _ => Some(self.simplifier.build(InstKind::Construct(parts), ty)),
        }
    }

    /// Ends a copy: by the one way that is certain, or as the block does.
    fn terminate(&mut self, block: Block, of: Block) -> Option<()> {
        let old = &self.simplifier.function.blocks[of].term;
        let leaves = |index: usize| old.targets().any(|t| !self.loops.contains(index, t.block));
        let left: SmallVec<[bool; DEEPEST]> =
            self.scopes.iter().map(|scope| scope.head.is_none() && leaves(scope.index)).collect();
        let mut term = old.clone();
        term.map_values(|v| self.value(v));
        let bits = |v: &Value| self.simplifier.function.const_bits(*v);
        let certain = match &term {
            Terminator::CondBranch { cond, then, els } => bits(cond).map(|b| if b != 0 { then } else { els }),
            Terminator::Switch { value, cases, default } => {
                bits(value).map(|b| cases.iter().find(|c| c.0 == b).map_or(default, |c| &c.1))
            }
            _ => None,
        };
        if let Some(target) = certain {
            term = Terminator::Branch(target.clone());
            // It may lead to where the loop's condition, made of several, is known.
            if let Some(scope) = self.scopes.last_mut() {
                scope.decided = true;
            }
            for (scope, left) in self.scopes.iter_mut().zip(&left) {
                scope.decided |= *left;
            }
        } else {
            let ways = term.targets().len() as u32;
            self.cost += ways.saturating_sub(1);
            self.exits += u32::from(ways > 1 && left.contains(&true));
        }
        self.full += 1;
        let ways: SmallVec<[Block; 2]> = term.targets().map(|t| t.block).collect();
        self.simplifier.function.blocks[block].term = term;
        for (way, target) in ways.into_iter().enumerate() {
            if self.inside.contains(&target) {
                self.edge(block, of, way, target)?;
            }
        }
        Some(())
    }

    /// A branch to a block of the loop leads to its copy, in this round or as the head of the next.
    fn edge(&mut self, from: Block, of: Block, way: usize, target: Block) -> Option<()> {
        let at = (0..self.scopes.len()).rev().find(|n| self.loops.contains(self.scopes[*n].index, target))?;
        let order = self.cfg.rpo_index(target)?;
        let is_head = self.loops.loops[self.scopes[at].index].header == target;
        // Forward, but to heads: else it leads into a loop by another entry.
        if !is_head && self.cfg.rpo_index(of)? >= order {
            return None;
        }
        self.note_outs(at);
        let Unfolding { simplifier, scopes, made, .. } = self;
        let function = &mut *simplifier.function;
        let new = || {
            let block = function.new_detached_block();
            made.push(block);
            Pending { block, of: target, edges: SmallVec::new(), entry: false }
        };
        let scope = &mut scopes[at];
        if let Some(head) = scope.head.filter(|_| is_head) {
            if let Some(target) = simplifier.function.blocks[from].term.target_mut(way) {
                target.block = head;
            }
            return Some(());
        }
        let pending = if is_head {
            scope.next.get_or_insert_with(new)
        } else {
            scope.pending.entry(order).or_insert_with(new)
        };
        pending.edges.push((from, way));
        let block = pending.block;
        if let Some(target) = simplifier.function.blocks[from].term.target_mut(way) {
            target.block = block;
        }
        Some(())
    }

    /// A branch leaves all loops but those up to `at`: what is used of their values outside is what it is here.
    fn note_outs(&mut self, at: usize) {
        if at + 1 == self.scopes.len() {
            return;
        }
        let mut found: Vec<(Value, Value)> = Vec::new();
        for scope in &self.scopes[at + 1..] {
            let known = |old: &Value| Some((*old, *scope.values.get(old)?));
            found.extend(self.escaping().of(scope.index).iter().filter_map(known));
        }
        let outs = &mut self.scopes[at].outs;
        for (old, value) in found {
            let out = outs.entry(old).or_insert(Some(value));
            if *out != Some(value) {
                *out = None;
            }
        }
    }
}

#[cfg(test)]
mod tests;

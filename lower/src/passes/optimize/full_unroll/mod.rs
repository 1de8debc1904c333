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
//! A loop that depends on constants alone leaves its results alone, however many iterations it has ([`MAX_STEPS`]). Other loops are unrolled
//! where the code stays small; [`Env::new`] has the limits for each driver. Loops may have several exits (break, return). They may hold
//! inner loops that end as certainly, even where the outer iteration decides the end.
//!
//! An iteration visits the loop's blocks in reverse post-order. A block where paths of one iteration merge keeps a parameter only where the
//! arguments differ. Branches back to the header lead to the next iteration. Every iteration must decide some branch: without that nothing
//! proves that the loop ends, and it stays. The function does not change before all iterations are known.
//!
//! A loop whose entries pass different constants is also tried for each entry alone. An entry from a case of a switch knows the selector.
//!
//! A loop of few iterations may hold inner loops that stay loops in each iteration, with at most [`MAX_ENCLOSING_LOOPS`] copies. Drivers
//! unroll no loop that holds another.
//!
//! Small loops with several entries get a single one first ([`single_entry`]).
//!
//! Loops with barriers or group operations stay, and so do loops that the source forbids to unroll.

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

/// The evaluation of one loop stops after this many instructions.
const MAX_STEPS: u32 = 10_000;
/// Larger loops are not tried: a single iteration leaves too much code.
const MAX_SIZE: u32 = 256;
/// Deeper nests of loops are not evaluated together.
const MAX_DEPTH: usize = 8;
/// No more loops of one function are unrolled: each costs a walk over the whole function.
const MAX_LOOPS: usize = 64;
/// Loops with more entries are not tried for each entry alone.
const MAX_ENTRIES: usize = 4;
/// Copies of inner loops that may stay in the iterations of one outer loop.
const MAX_ENCLOSING_LOOPS: u32 = 8;
/// A loop is tried this many times again, each time with one more inner loop that stays.
const MAX_REMAINING: usize = 3;
/// Exit branches that may stay: the code behind each is nested in the other arm of the one before.
const MAX_EXITS: u32 = 16;

/// Unrolls the loops of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let mut functions = std::mem::take(&mut module.functions);
    let env = Env::new(module, context);
    for function in functions.values_mut() {
        unroll_loops(function, &env);
    }
    module.functions = functions;
    Ok(())
}

/// Unrolls the loops of one function, and returns whether there was one.
pub fn unroll_loops(function: &mut Function, env: &Env<'_>) -> bool {
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

/// Whether two entries pass different constants for one parameter.
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
    let mut evaluation = Evaluation {
        simplifier: Simplifier::detached(function, cfg, env.address_bits),
        env,
        cfg,
        loops,
        escaping,
        inside: data.blocks.iter().copied().collect(),
        scopes: Vec::new(),
        made: vec![head],
        known: Vec::new(),
        placeholders: Vec::new(),
        entry_mask: SmallVec::new(),
        steps: 0,
        cost: 0,
        unsimplified_cost: 0,
        exits: 0,
        accesses: 0,
        budget,
        selected,
        kept_loops,
        kept_copies: 0,
        failed: None,
    };
    let first = Pending { block: head, of: data.header, edges: entries.into(), entry: true };
    let done = evaluation.iterations(index, first).filter(|()| evaluation.is_worth_it());
    let Evaluation { made, known, placeholders, entry_mask, cost, steps, inside, failed, .. } = evaluation;
    if done.is_none() {
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

/// Branches: a block, and the index of one of its successors.
type Entries = SmallVec<[(Block, usize); 4]>;

/// Keeps the arguments that the mask selects.
fn retain(target: &mut BranchTarget, mask: &[bool]) {
    let mut n = 0;
    target.args.retain(|_| {
        n += 1;
        mask.get(n - 1).copied().unwrap_or(true)
    });
}

/// The definition of a placeholder: a parameter of no block, which no rewrite rule looks through.
const PLACEHOLDER: ValueDef = ValueDef::Param(Block(u32::MAX), 0);

fn is_placeholder(function: &Function, value: Value) -> bool {
    function.values[value].def == PLACEHOLDER
}

/// A copy of a block that branches reach and that has no instructions yet.
struct Pending {
    block: Block,
    /// The block that it copies.
    of: Block,
    /// The branches that reach it.
    edges: Entries,
    /// Whether the branches are in blocks of the original function.
    entry: bool,
}

/// One iteration of a loop.
struct Scope {
    index: usize,
    /// The loop's values in this iteration.
    values: FxHashMap<Value, Value>,
    /// The blocks to visit, by their index in reverse post-order.
    pending: BTreeMap<usize, Pending>,
    /// The header in the next iteration.
    next: Option<Pending>,
    /// The copy of the header, where the loop stays a loop.
    head: Option<Block>,
    /// Whether a branch of the iteration was decided, or an exit out of it.
    decided: bool,
    /// The values of inner loops at their exits; `None` where exits differ.
    exit_values: FxHashMap<Value, Option<Value>>,
}

/// The evaluation of one loop.
struct Evaluation<'a> {
    simplifier: Simplifier<'a>,
    env: &'a Env<'a>,
    cfg: &'a Cfg,
    loops: &'a Loops,
    /// Computed on first use.
    escaping: &'a OnceCell<Escaping>,
    inside: FxHashSet<Block>,
    /// The iterations in progress, outer loops first.
    scopes: Vec<Scope>,
    /// The new blocks.
    made: Vec<Block>,
    /// Original values with their copies, and the blocks of the copies.
    known: Vec<(Value, Block, Value)>,
    /// Placeholders, and the original values that they stand for until all iterations are known.
    placeholders: Vec<(Value, Value)>,
    /// The parameters that the first header keeps.
    entry_mask: SmallVec<[bool; 8]>,
    steps: u32,
    cost: u32,
    /// The cost of the same iterations without any folding.
    unsimplified_cost: u32,
    /// Exit branches that stay.
    exits: u32,
    /// Loads and stores of buffers that were evaluated.
    accesses: u32,
    budget: u32,
    /// The selector of a switch and its value, where an entry knows it.
    selected: Option<(Value, Value)>,
    /// The inner loops that stay loops.
    kept_loops: &'a [usize],
    /// How many copies of inner loops stay.
    kept_copies: u32,
    /// The inner loop that made the evaluation give up.
    failed: Option<usize>,
}

impl Evaluation<'_> {
    /// Drivers unroll loops that only count by themselves, and know best when. A loop is left to them where nothing else is gained.
    fn is_worth_it(&self) -> bool {
        let merges_accesses = self.env.merges_accesses && self.accesses > 1;
        self.exits > 0
            || merges_accesses
            || self.kept_copies > 0
            || u64::from(self.cost) * 3 <= u64::from(self.unsimplified_cost) * 2
    }

    /// Evaluates all iterations of a loop; `None`: it stays.
    fn iterations(&mut self, index: usize, first: Pending) -> Option<()> {
        let mut next = Some(first);
        while let Some(pending) = next.take() {
            let scope = self.iteration(index, pending, None)?;
            next = scope.next;
            if next.is_some() && !scope.decided {
                return None;
            }
        }
        Some(())
    }

    /// Evaluates one iteration of a loop, or copies the loop as it is with this header.
    fn iteration(&mut self, index: usize, first: Pending, head: Option<Block>) -> Option<Scope> {
        if self.scopes.len() == MAX_DEPTH {
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
            exit_values: FxHashMap::default(),
        });
        while let Some((_, pending)) = self.scopes.last_mut()?.pending.pop_first() {
            let inner = self.loops.innermost(pending.of)?;
            if inner == index {
                self.block(pending)?;
                continue;
            }
            let data = &self.loops.loops[inner];
            // The loop forest has no loops with several entries.
            if data.header != pending.of || data.parent != Some(index) {
                return None;
            }
            self.inner_loop(inner, pending)?;
            self.leave_inner_loop();
        }
        self.scopes.pop()
    }

    /// Evaluates an inner loop, or copies it.
    fn inner_loop(&mut self, inner: usize, first: Pending) -> Option<()> {
        if !self.kept_loops.contains(&inner) {
            let done = self.iterations(inner, first);
            if done.is_none() && self.failed.is_none() {
                self.failed = Some(inner);
            }
            return done;
        }
        self.kept_copies += 1;
        let head = first.block;
        self.simplifier.function.blocks[head].loop_control =
            self.simplifier.function.blocks[first.of].loop_control;
        let done = self.iteration(inner, first, Some(head));
        (done.is_some() && self.kept_copies <= MAX_ENCLOSING_LOOPS).then_some(())
    }

    /// Takes over the values of an inner loop behind its exits.
    fn leave_inner_loop(&mut self) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let mut exit_values: Vec<(Value, Option<Value>)> = scope.exit_values.drain().collect();
        exit_values.sort_unstable();
        for (old, value) in exit_values {
            let value = value.unwrap_or_else(|| {
                let function = &mut *self.simplifier.function;
                let value = function.values.push(ValueData { ty: function.ty(old), def: PLACEHOLDER });
                self.placeholders.push((value, old));
                value
            });
            scope.values.insert(old, value);
        }
    }

    /// The copy of an original value in the current iteration.
    fn value(&self, old: Value) -> Value {
        let known = self.scopes.iter().rev().find_map(|scope| scope.values.get(&old)).copied();
        let selected = || self.selected.filter(|known| known.0 == old).map(|known| known.1);
        known.or_else(selected).unwrap_or(old)
    }

    /// Records the copy of an original value.
    fn set(&mut self, old: Value, new: Value, block: Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(old, new);
        }
        self.known.push((old, block, new));
    }

    /// Whether a placeholder would be the copy of a value that is used behind its loop: that needs a value of its own.
    fn needs_own_value(&self, value: Value, old: Value) -> bool {
        let function = &*self.simplifier.function;
        is_placeholder(function, value) && self.escaping().contains(old)
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
        (self.steps <= MAX_STEPS && self.cost <= self.budget && self.exits <= MAX_EXITS).then_some(())
    }

    /// Gives a copy the parameters that it needs: none where all branches pass the same argument.
    fn params(&mut self, block: Block, of: Block, edges: &[(Block, usize)], entry: bool) {
        let mut mask: SmallVec<[bool; 8]> = SmallVec::new();
        // The arguments of its back edges are not known yet.
        let stays = self.scopes.last().is_some_and(|scope| scope.head == Some(block));
        for (n, old) in self.simplifier.function.blocks[of].params.clone().into_iter().enumerate() {
            let function = &*self.simplifier.function;
            let mut args = edges.iter().map(|(from, successor)| {
                function.blocks[*from].term.target(*successor).and_then(|target| target.args.get(n).copied())
            });
            let first = args.next().flatten();
            let alike = first.filter(|first| args.all(|arg| arg == Some(*first)));
            let alike = alike.filter(|v| !stays && !self.needs_own_value(*v, old));
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
        for (from, successor) in edges {
            if let Some(target) = self.simplifier.function.blocks[*from].term.target_mut(*successor) {
                retain(target, &mask);
            }
        }
    }

    /// Evaluates an instruction, or copies it.
    fn inst(&mut self, inst: Inst, block: Block) -> Option<()> {
        let InstData { mut kind, results, line } = self.simplifier.function.insts[inst].clone();
        kind.map_values(|v| self.value(v));
        let effects = kind.effects(self.simplifier.function);
        if !effects.can_be_duplicated() {
            return None;
        }
        self.unsimplified_cost +=
            self.env.cost(self.simplifier.function, &self.simplifier.function.insts[inst]);
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
            let new = if self.needs_own_value(new, result) { self.copied(new, ty) } else { new };
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

    /// A copy of a value, as a value of its own.
    fn copied(&mut self, value: Value, ty: Type) -> Value {
        let function = &mut *self.simplifier.function;
        let kind = InstKind::Select(function.constant(Type::BOOL, Constant::Bits(1)), value, value);
        let effects = kind.effects(function);
        let inst = function.make_inst(kind, &[ty]);
        let value = function.insts[inst].results[0];
        self.simplifier.leave(inst, effects);
        value
    }

    /// The result of a load from the program's constants.
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

    /// Terminates a copy: by the one successor that is certain, or as the original block does.
    fn terminate(&mut self, block: Block, of: Block) -> Option<()> {
        let old = &self.simplifier.function.blocks[of].term;
        let leaves = |index: usize| old.targets().any(|t| !self.loops.contains(index, t.block));
        let left: SmallVec<[bool; MAX_DEPTH]> =
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
            // The branch may decide one part of a loop condition made of several.
            if let Some(scope) = self.scopes.last_mut() {
                scope.decided = true;
            }
            for (scope, left) in self.scopes.iter_mut().zip(&left) {
                scope.decided |= *left;
            }
        } else {
            let successors = term.targets().len() as u32;
            self.cost += successors.saturating_sub(1);
            self.exits += u32::from(successors > 1 && left.contains(&true));
        }
        self.unsimplified_cost += 1;
        let successors: SmallVec<[Block; 2]> = term.targets().map(|t| t.block).collect();
        self.simplifier.function.blocks[block].term = term;
        for (successor, target) in successors.into_iter().enumerate() {
            if self.inside.contains(&target) {
                self.edge(block, of, successor, target)?;
            }
        }
        Some(())
    }

    /// Redirects a branch inside the loop to the copy of its target: in this iteration, or the header of the next.
    fn edge(&mut self, from: Block, of: Block, successor: usize, target: Block) -> Option<()> {
        let at = (0..self.scopes.len()).rev().find(|n| self.loops.contains(self.scopes[*n].index, target))?;
        let order = self.cfg.rpo_index(target)?;
        let is_head = self.loops.loops[self.scopes[at].index].header == target;
        // A backward branch to no header enters a loop by another entry.
        if !is_head && self.cfg.rpo_index(of)? >= order {
            return None;
        }
        self.note_exit_values(at);
        let Evaluation { simplifier, scopes, made, .. } = self;
        let function = &mut *simplifier.function;
        let new = || {
            let block = function.new_detached_block();
            made.push(block);
            Pending { block, of: target, edges: SmallVec::new(), entry: false }
        };
        let scope = &mut scopes[at];
        if let Some(head) = scope.head.filter(|_| is_head) {
            if let Some(target) = simplifier.function.blocks[from].term.target_mut(successor) {
                target.block = head;
            }
            return Some(());
        }
        let pending = if is_head {
            scope.next.get_or_insert_with(new)
        } else {
            scope.pending.entry(order).or_insert_with(new)
        };
        pending.edges.push((from, successor));
        let block = pending.block;
        if let Some(target) = simplifier.function.blocks[from].term.target_mut(successor) {
            target.block = block;
        }
        Some(())
    }

    /// Records the exit values of all loops that a branch leaves: those deeper than `at`.
    fn note_exit_values(&mut self, at: usize) {
        if at + 1 == self.scopes.len() {
            return;
        }
        let mut found: Vec<(Value, Value)> = Vec::new();
        for scope in &self.scopes[at + 1..] {
            let known = |old: &Value| Some((*old, *scope.values.get(old)?));
            found.extend(self.escaping().of_loop(scope.index).iter().filter_map(known));
        }
        let exit_values = &mut self.scopes[at].exit_values;
        for (old, value) in found {
            let out = exit_values.entry(old).or_insert(Some(value));
            if *out != Some(value) {
                *out = None;
            }
        }
    }
}

#[cfg(test)]
mod tests;

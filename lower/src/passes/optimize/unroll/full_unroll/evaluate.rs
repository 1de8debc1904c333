//! The evaluation of a loop: its iterations are copied one after the other, and each folds what it knows.

use super::candidates::Escaping;
use super::costs::Env;
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{
    Block, BranchTarget, Constant, Function, Inst, InstData, InstKind, Place, Space, Terminator, Type, Value,
    ValueData, ValueDef,
};
use crate::passes::language::lower_program_scope;
use crate::passes::optimize::simplify::Simplifier;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The evaluation of one loop stops after this many instructions.
const MAX_STEPS: u32 = 10_000;
/// Deeper nests of loops are not evaluated together.
const MAX_DEPTH: usize = 8;
/// Copies of inner loops that may stay in the iterations of one outer loop.
const MAX_ENCLOSING_LOOPS: u32 = 8;
/// Exit branches that may stay: the code behind each is nested in the other arm of the one before.
const MAX_EXITS: u32 = 16;

/// Branches: a block, and the index of one of its successors.
pub(super) type Entries = SmallVec<[(Block, usize); 4]>;

/// Keeps the arguments that the mask selects.
pub(super) fn retain(target: &mut BranchTarget, mask: &[bool]) {
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
    /// True if the branches are in blocks of the original function.
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
    /// True if a branch of the iteration was decided, or an exit out of it.
    decided: bool,
    /// The values of inner loops at their exits; `None` where exits differ.
    exit_values: FxHashMap<Value, Option<Value>>,
}

/// The evaluation of one loop.
pub(super) struct Evaluation<'a> {
    simplifier: Simplifier<'a>,
    env: &'a Env<'a>,
    cfg: &'a Cfg,
    loops: &'a Loops,
    /// Computed on first use.
    escaping: &'a OnceCell<Escaping>,
    index: usize,
    pub(super) inside: FxHashSet<Block>,
    /// The iterations in progress, outer loops first.
    scopes: Vec<Scope>,
    /// The new blocks.
    pub(super) made: Vec<Block>,
    /// Original values with their copies, and the blocks of the copies.
    pub(super) known: Vec<(Value, Block, Value)>,
    /// Placeholders, and the original values that they stand for until all iterations are known.
    pub(super) placeholders: Vec<(Value, Value)>,
    /// The parameters that the first header keeps.
    pub(super) entry_mask: SmallVec<[bool; 8]>,
    pub(super) steps: u32,
    pub(super) cost: u32,
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
    pub(super) failed: Option<usize>,
}

impl<'a> Evaluation<'a> {
    /// An evaluation of the loop with this index, of which no more code may be left than the budget. `selected`: the selector of a switch
    /// and its value, where an entry knows it.
    pub(super) fn new(
        function: &'a mut Function,
        env: &'a Env<'a>,
        (cfg, loops, escaping): (&'a Cfg, &'a Loops, &'a OnceCell<Escaping>),
        (index, budget): (usize, u32),
        selected: Option<(Value, Value)>,
        kept_loops: &'a [usize],
    ) -> Self {
        Evaluation {
            simplifier: Simplifier::detached(function, cfg, env.address_bits),
            env,
            cfg,
            loops,
            escaping,
            index,
            inside: loops.loops[index].blocks.iter().copied().collect(),
            scopes: Vec::new(),
            made: Vec::new(),
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
        }
    }
}

impl Evaluation<'_> {
    /// Evaluates all iterations from some entries on, into blocks of which the first is `head`. Returns whether that is possible and worthwhile.
    /// `all`: there are no other entries, so that the loop goes.
    pub(super) fn run(&mut self, head: Block, entries: &[(Block, usize)], all: bool) -> bool {
        self.made.push(head);
        let of = self.loops.loops[self.index].header;
        let first = Pending { block: head, of, edges: entries.into(), entry: true };
        if self.iterations(self.index, first).is_none() {
            return false;
        }
        // A loop of one iteration, for example.
        let stays_small =
            || self.cost <= self.env.size(self.simplifier.function, &self.loops.loops[self.index]).0;
        self.is_worth_it() || all && stays_small()
    }

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

    /// Returns whether a placeholder would be the copy of a value that is used behind its loop: that needs a value of its own.
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
        self.simplifier.function.insts[copied].line = line;
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

//! Simplification: constant folding, instruction combining, value numbering, redundant-load elimination, CFG simplification and dead-code
//! elimination, until nothing changes.
//!
//! ```text
//! v2 = iadd v1, 0; v3 = imul v2, 8; v4 = imul v1, 8; condbr true, b1(), b2()    →    v3 = imul v1, 8; br b1()
//! ```
//!
//! Each iteration cleans up the control flow ([`simplify_cfg`]). Then it walks the dominator tree: it combines instructions ([`instcombine`])
//! by the table of rules ([`crate::rewrite`]) and what searches further, and numbers pure instructions and loads ([`load_elim`]). Branches fold
//! on constants and on what earlier branches decided ([`branch_facts`]). Finally dead code goes.
//!
//! A walk visits operands before their users. A second walk finds more only where branches or parameters went: iterations repeat while
//! some did.
//!
//! No rule changes a float result, but for one that Vulkan's precision allows (never fast-math).

mod bit_fields;
mod bits;
mod branch_facts;
mod conversions;
mod instcombine;
mod integers;
mod load_elim;
mod pointers;
mod simplify_cfg;
mod vectors;

use self::branch_facts::Facts;
use self::load_elim::Memory;
use crate::analysis::alias::NoAlias;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{
    Block, Constant, Effects, Function, Inst, InstKind, IntCC, KernelData, Module, Place, Results, Scalar,
    SourceLine, Stage, Terminator, Type, Value, ValueDef,
};
pub(crate) use crate::rewrite::Folded;
use crate::rewrite::{Builder, Facts as Guarded, table};
use crate::transform::cleanup::{self, Replaced, Seen};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Limit on the iterations over a function; later ones find little.
const MAX_ITERATIONS: usize = 6;

/// The name that leaves out redundant-load elimination.
const LOADS: &str = "loads";

/// Simplifies every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let small = [Scalar::I8, Scalar::I16].map(|s| context.target.has_arithmetic(s));
    let rules = Rules {
        address_bits: module.address_bits,
        // Before `legalize_types` any arithmetic is legal.
        widened: if module.stage < Stage::Legal { [false; 2] } else { small.map(|has| !has) },
        loads: module.stage >= Stage::Resolved && !context.options.skip.iter().any(|s| s == LOADS),
    };
    let (kernels, noalias) = (&module.kernels, module.noalias);
    for (func, function) in module.functions.iter_mut() {
        let kernel = if rules.loads { kernels.iter().find(|k| k.func == func) } else { None };
        simplify_with(function, rules, (kernel, noalias));
    }
    Ok(())
}

/// Simplifies one function, before `legalize_types`.
pub fn simplify_function(function: &mut Function, address_bits: u32) {
    simplify_with(function, Rules { address_bits, widened: [false; 2], loads: false }, (None, false));
}

/// The facts that rules need besides the function.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    address_bits: u32,
    /// Whether 8- and 16-bit integers were widened: no new operation on them is legal.
    widened: [bool; 2],
    /// Whether loads are value-numbered.
    loads: bool,
}

/// Simplifies a function by some rules. `kernel` is the function's kernel, and whether its arguments never alias.
fn simplify_with(function: &mut Function, rules: Rules, kernel: (Option<&KernelData>, bool)) {
    if function.layout.is_empty() {
        return;
    }
    for iteration in 0..MAX_ITERATIONS {
        let mut changed = simplify_cfg::run(function, iteration == 0);
        // The one graph of this iteration: nothing that follows changes an edge.
        let graph = function.cfg();
        if changed {
            function.layout = graph.rpo().to_vec();
        }
        changed |= cleanup::redundant_params_in(function, &graph);
        if iteration > 0 && !changed {
            break;
        }
        let memory = Memory::new(NoAlias::new(&graph, kernel.0, kernel.1));
        let (seen, excluded) = fold_and_number(function, &graph, rules, memory);
        cleanup::dead_code_after(function, &graph, &seen);
        // `simplify_cfg` drops cases that branch to the default's target.
        for (block, k) in excluded {
            if let Terminator::Switch { cases, default, .. } = &mut function.blocks[block].term {
                cases.iter_mut().filter(|case| case.0 == k).for_each(|case| case.1 = default.clone());
            }
        }
    }
    function.simplified = true;
}

/// The result of looking up an instruction.
enum Numbered {
    /// An instruction in scope computes the same.
    Same(Value),
    /// None does; the free entry and the hash.
    New(usize, u32),
    /// A different instruction has the same hash.
    Clash,
}

/// The walk over the dominator tree.
pub(crate) struct Simplifier<'f> {
    pub(crate) function: &'f mut Function,
    rules: Rules,
    /// Replaced values.
    replaced: Replaced,
    /// The pure instructions seen so far.
    known: Known,
    memory: Memory<'f>,
    facts: Facts,
    /// Dead stores of the block.
    dead_stores: SmallVec<[Inst; 4]>,
    graph: &'f Cfg,
    /// Cases of switches that are never taken: after the walk they branch to the default's target.
    excluded: Vec<(Block, u64)>,
    /// The current block.
    at: Block,
    /// The remaining instructions, in the form that `cleanup` takes.
    seen: Seen,
    /// The instructions of the current block so far.
    out: Vec<Inst>,
    pub(crate) line: SourceLine,
}

/// Pure instructions by their hash, in a table with open addressing.
///
/// The table keeps the first of two instructions in scope with one hash. It removes nothing, because the walk follows the dominator tree: a
/// block that does not dominate the current one will dominate no later one either. A later instruction with the same hash replaces its
/// instructions.
#[derive(Default)]
struct Known {
    /// The hash, the result and its block. The length is a power of two.
    entries: Vec<(u32, Value, Block)>,
    count: usize,
}

/// The value of an empty entry.
const EMPTY: Value = Value(u32::MAX);

impl Known {
    fn new(size: usize) -> Known {
        Known { entries: vec![(0, EMPTY, Block(0)); (2 * size).next_power_of_two().max(16)], count: 0 }
    }

    /// The entry of a hash, or the empty one for it.
    fn entry(&self, hash: u32) -> usize {
        let last = self.entries.len() - 1;
        let mut at = hash as usize & last;
        while self.entries[at].1 != EMPTY && self.entries[at].0 != hash {
            at = (at + 1) & last;
        }
        at
    }

    /// Ensures that there is room for one more.
    fn reserve(&mut self) {
        if 4 * (self.count + 1) > 3 * self.entries.len() {
            let old = std::mem::take(&mut self.entries);
            self.entries = vec![(0, EMPTY, Block(0)); 2 * old.len()];
            for entry in old.into_iter().filter(|e| e.1 != EMPTY) {
                let at = self.entry(entry.0);
                self.entries[at] = entry;
            }
        }
    }
}

/// Walks the dominator tree. Returns the remaining instructions, and the cases that are never taken.
fn fold_and_number<'f>(
    function: &'f mut Function,
    graph: &'f Cfg,
    rules: Rules,
    memory: Memory<'f>,
) -> (Seen, Vec<(Block, u64)>) {
    let Some(&entry) = graph.rpo().first() else { return Default::default() };
    let size = function.layout.iter().map(|b| function.blocks[*b].insts.len()).sum();
    let mut walk = Simplifier::new(function, graph, rules, (size, entry), memory);
    let mut steps = vec![entry];
    while let Some(block) = steps.pop() {
        walk.block(block);
        steps.extend(graph.dominated(block).iter().rev());
    }
    // Definitions dominate their uses: every use was visited after the replacement of its value.
    (walk.seen, walk.excluded)
}

impl<'f> Simplifier<'f> {
    fn new(
        function: &'f mut Function,
        graph: &'f Cfg,
        rules: Rules,
        (size, at): (usize, Block),
        memory: Memory<'f>,
    ) -> Self {
        Simplifier {
            function,
            rules,
            replaced: Replaced::default(),
            known: Known::new(size),
            memory,
            facts: Facts::default(),
            dead_stores: SmallVec::new(),
            graph,
            excluded: Vec::new(),
            at,
            seen: Seen::default(),
            out: Vec::new(),
            line: SourceLine::default(),
        }
    }

    /// A simplifier for a pass that fills new blocks, before `legalize_types`: see [`Simplifier::begin`].
    pub(crate) fn detached(function: &'f mut Function, graph: &'f Cfg, address_bits: u32) -> Self {
        let rules = Rules { address_bits, widened: [false; 2], loads: false };
        let entry = function.entry();
        let memory = Memory::new(NoAlias::new(graph, None, false));
        Simplifier::new(function, graph, rules, (0, entry), memory)
    }

    /// Sets the block that the next instructions are built in. The graph does not contain it.
    pub(crate) fn begin(&mut self, block: Block) {
        self.at = block;
    }

    /// Returns the instructions of the block.
    pub(crate) fn end(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.out)
    }
}

impl Builder for Simplifier<'_> {
    fn function(&self) -> &Function {
        self.function
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.function.iconst(ty, bits)
    }

    fn build(&mut self, kind: InstKind, ty: Type) -> Value {
        Simplifier::build(self, kind, ty)
    }
}

impl Simplifier<'_> {
    /// Applies a rule of the table.
    #[inline]
    fn rewrite(&mut self, kind: &InstKind, ty: Type) -> Option<Folded> {
        let facts = Guarded { widened: self.rules.widened, ..Default::default() };
        table::SIMPLIFY.apply(&facts, self, kind, ty)
    }

    fn block(&mut self, block: Block) {
        self.at = block;
        self.facts.enter(self.function, self.graph, block);
        if self.rules.loads {
            self.memory.enter(self.function, self.graph, block);
        }
        if !self.function.blocks[block].insts.is_empty() {
            let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
            insts.iter().for_each(|inst| self.inst(*inst));
            if !self.dead_stores.is_empty() {
                let dead_stores = std::mem::take(&mut self.dead_stores);
                self.out.retain(|inst| !dead_stores.contains(inst));
            }
            if insts != self.out {
                // The old list's allocation is used again.
                insts.clear();
                insts.extend_from_slice(&self.out);
            }
            self.out.clear();
            self.function.blocks[block].insts = insts;
        }
        self.memory.leave(self.graph, block);
        if !self.replaced.is_empty() {
            let replaced = &self.replaced;
            self.function.blocks[block].term.map_values(|v| replaced.resolve(v));
        }
        if let Terminator::CondBranch { cond, .. } = self.function.blocks[block].term
            && let Some(holds) = self.fact(cond)
        {
            let known = self.constant(Type::BOOL, u64::from(holds));
            if let Terminator::CondBranch { cond, .. } = &mut self.function.blocks[block].term {
                *cond = known;
            }
        }
        self.switch(block);
    }

    /// Records the cases that dominating branches have excluded, or chosen.
    fn switch(&mut self, block: Block) {
        let Terminator::Switch { value, cases, .. } = &self.function.blocks[block].term else { return };
        let value = *value;
        let known = |k: u64| self.facts.compares(self.function, self.graph, block, (IntCC::Eq, value, k));
        let is = |known: Option<bool>| known == Some(true);
        if let Some(taken) = cases.iter().map(|case| case.0).find(|k| is(known(*k))) {
            let known = self.constant(self.ty(value), taken);
            if let Terminator::Switch { value, .. } = &mut self.function.blocks[block].term {
                *value = known;
            }
            return;
        }
        let excluded = cases.iter().map(|case| case.0).filter(|k| known(*k) == Some(false));
        self.excluded.extend(excluded.map(|k| (block, k)));
    }

    /// The value of a condition here, if a dominating branch decides it.
    #[inline]
    fn fact(&self, condition: Value) -> Option<bool> {
        self.facts.value_of(self.function, self.graph, self.at, condition)
    }

    /// The result of comparing a number with a constant here, if dominating branches decide it.
    #[inline]
    pub(crate) fn compares(&self, cc: IntCC, value: Value, k: u64) -> Option<bool> {
        self.facts.compares(self.function, self.graph, self.at, (cc, value, k))
    }

    fn inst(&mut self, inst: Inst) {
        if !self.replaced.is_empty() {
            let replaced = &self.replaced;
            self.function.insts[inst].kind.map_values(|v| replaced.resolve(v));
        }
        let data = &self.function.insts[inst];
        self.line = data.line;
        let effects = data.kind.effects(self.function);
        let result = match data.results {
            Results::One(result) if effects.can_be_removed() => result,
            _ if self.memory.is_stored(self.function, &data.kind) => return,
            _ => return self.leave(inst, effects),
        };
        let ty = self.function.ty(result);
        // No rule looks at the instruction itself while it is folded.
        let mut kind = std::mem::replace(&mut self.function.insts[inst].kind, InstKind::WorkgroupSize(0));
        let mut changed = false;
        for _ in 0..16 {
            match self.fold(&kind, ty) {
                Some(Folded::Value(value)) => {
                    self.function.insts[inst].kind = kind;
                    self.replace(result, value);
                    return;
                }
                Some(Folded::Kind(next)) => (kind, changed) = (next, true),
                None => break,
            }
        }
        let effects = if changed { kind.effects(self.function) } else { effects };
        if let InstKind::Load { place, .. } = &kind
            && let Some(value) = self.loaded(place, ty)
        {
            self.function.insts[inst].kind = kind;
            return self.replace(result, value);
        }
        let known = effects.can_be_numbered().then(|| self.number(&kind, ty));
        self.function.insts[inst].kind = kind;
        match known {
            Some(Numbered::Same(value)) => return self.replace(result, value),
            Some(Numbered::New(place, hash)) => self.record(place, hash, result),
            Some(Numbered::Clash) | None => {}
        }
        self.leave(inst, effects);
    }

    /// Keeps an instruction.
    #[inline]
    pub(crate) fn leave(&mut self, inst: Inst, effects: Effects) {
        let data = &self.function.insts[inst];
        self.seen.look_at(inst, &data.kind, effects);
        if self.rules.loads && (effects.reads || effects.writes) {
            let number = self.out.len();
            let dead_stores = self.memory.note(self.function, &data.kind, &data.results, effects, number);
            if let Some(n) = dead_stores {
                self.seen.forget(self.out[n]);
                self.dead_stores.push(self.out[n]);
            }
        }
        self.out.push(inst);
    }

    /// The known result of a load.
    fn loaded(&mut self, place: &Place, ty: Type) -> Option<Value> {
        match self.memory.loaded(self.function, place, ty)? {
            load_elim::Known::Value(value) => Some(value),
            load_elim::Known::Bits(value) => Some(self.build(InstKind::Bitcast(value), ty)),
        }
    }

    /// Looks up an instruction in scope that computes the same.
    fn number(&mut self, kind: &InstKind, ty: Type) -> Numbered {
        let mut hasher = FxHasher::default();
        (kind, ty).hash(&mut hasher);
        let hash = hasher.finish();
        let hash = (hash ^ hash >> 32) as u32;
        self.known.reserve();
        let place = self.known.entry(hash);
        let (_, value, block) = self.known.entries[place];
        if value == EMPTY || (block != self.at && !self.graph.dominates(block, self.at)) {
            return Numbered::New(place, hash);
        }
        if self.ty(value) == ty && self.def(value) == Some(kind) {
            return Numbered::Same(value);
        }
        Numbered::Clash
    }

    #[inline]
    fn record(&mut self, place: usize, hash: u32, result: Value) {
        self.known.count += usize::from(self.known.entries[place].1 == EMPTY);
        self.known.entries[place] = (hash, result, self.at);
    }

    #[inline]
    fn replace(&mut self, result: Value, value: Value) {
        if result == value {
            return;
        }
        if let Some(name) = self.function.names.get(&result).cloned()
            && !matches!(self.function.values[value].def, ValueDef::Const(_))
        {
            self.function.names.entry(value).or_insert(name);
        }
        self.replaced.insert(result, value);
    }

    /// The value of an instruction after simplification. The instruction is built here if none computes it.
    pub(crate) fn build(&mut self, mut kind: InstKind, ty: Type) -> Value {
        for _ in 0..16 {
            match self.fold(&kind, ty) {
                Some(Folded::Value(value)) => return value,
                Some(Folded::Kind(next)) => kind = next,
                None => break,
            }
        }
        let effects = kind.effects(self.function);
        let known = effects.can_be_numbered().then(|| self.number(&kind, ty));
        if let Some(Numbered::Same(value)) = known {
            return value;
        }
        let inst = self.function.make_inst(kind, &[ty]);
        self.function.insts[inst].line = self.line;
        self.leave(inst, effects);
        let value = self.function.insts[inst].results[0];
        if let Some(Numbered::New(place, hash)) = known {
            self.record(place, hash, value);
        }
        value
    }

    /// The instruction that defines a value.
    #[inline]
    pub(crate) fn def(&self, value: Value) -> Option<&InstKind> {
        match self.function.values[value].def {
            ValueDef::Inst(inst, _) => Some(&self.function.insts[inst].kind),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    #[inline]
    pub(crate) fn is_undef(&self, value: Value) -> bool {
        matches!(self.function.values[value].def, ValueDef::Const(Constant::Undef))
    }

    #[inline]
    pub(crate) fn address_bits(&self) -> u32 {
        self.rules.address_bits
    }

    /// Whether new operations on a type are legal.
    pub(crate) fn computes(&self, ty: Type) -> bool {
        Guarded { widened: self.rules.widened, ..Default::default() }.computes(ty)
    }

    pub(crate) fn undef(&mut self, ty: Type) -> Value {
        self.function.constant(ty, Constant::Undef)
    }

    /// The bits of a constant with equal lanes.
    #[inline]
    pub(crate) fn splat_const(&self, value: Value) -> Option<u64> {
        self.function.const_bits(value)
    }

    /// Whether every lane of a scalar or vector is constant.
    #[inline]
    pub(crate) fn is_constant(&self, value: Value) -> bool {
        let data = &self.function.values[value];
        match data.def {
            ValueDef::Const(Constant::Bits(_)) => data.ty.scalar().is_some(),
            ValueDef::Inst(inst, _) if matches!(self.function.insts[inst].kind, InstKind::Construct(_)) => {
                self.const_lanes(value).is_some()
            }
            _ => false,
        }
    }

    /// The lanes of a constant scalar or vector.
    pub(crate) fn const_lanes(&self, value: Value) -> Option<SmallVec<[u64; 4]>> {
        let ty = self.ty(value);
        ty.scalar()?;
        if let Some(bits) = self.function.const_bits(value) {
            return Some(SmallVec::from_elem(bits, usize::from(ty.lanes())));
        }
        let Some(InstKind::Construct(parts)) = self.def(value) else { return None };
        let mut lanes = SmallVec::new();
        for part in parts {
            let bits = self.function.const_bits(*part)?;
            let count = usize::from(self.ty(*part).lanes());
            lanes.extend(std::iter::repeat_n(bits, count));
        }
        if lanes.len() == 1 {
            lanes.resize(usize::from(ty.lanes()), lanes[0]);
        }
        (lanes.len() == usize::from(ty.lanes())).then_some(lanes)
    }

    /// A constant of these lanes.
    pub(crate) fn lanes_folded(&mut self, ty: Type, lanes: &[u64]) -> Option<Folded> {
        let first = *lanes.first()?;
        if lanes.iter().all(|l| *l == first) {
            return Some(Folded::Value(self.function.constant(ty, Constant::Bits(first))));
        }
        let scalar = Type::Scalar(ty.scalar()?);
        let parts = lanes.iter().map(|l| self.function.constant(scalar, Constant::Bits(*l))).collect();
        Some(Folded::Kind(InstKind::Construct(parts)))
    }

    /// A constant, the same in every lane.
    pub(crate) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.function.iconst(ty, bits)
    }
}

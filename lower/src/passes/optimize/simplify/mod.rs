//! Simplification: constant folding, instruction combining, value numbering, redundant-load elimination, CFG simplification and dead-code
//! elimination, until nothing changes.
//!
//! Simplification: constant folding, exact algebraic identities, value numbering over the dominator
//! tree, of loads too ([`load_elim`]), branches on constants and on what earlier ones decided ([`branch_facts`]), dead code. No identity changes a float result (never fast-math).
//!
//! Each round cleans up the control flow ([`simplify_cfg`]), walks the dominator tree folding ([`instcombine`], and
//! their like) and numbering pure instructions, then removes what is dead. In a walk operands come before their users, so
//! that a second one finds more only where branches or parameters went: rounds repeat while some did.

mod bit_fields;
mod bits;
mod branch_facts;
mod conversions;
mod instcombine;
mod integers;
mod load_elim;
mod noalias;
mod pointers;
mod simplify_cfg;
mod value_bounds;
mod vectors;

pub use bits::possible_bits;

use self::branch_facts::Facts;
use self::load_elim::Memory;
pub(crate) use self::noalias::Apart;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{
    Block, Constant, Effects, Function, Inst, InstKind, IntCC, KernelData, Module, Place, Results, Scalar,
    SourceLine, Stage, Terminator, Type, Value, ValueDef,
};
use crate::transform::cleanup::{self, Replaced, Seen};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Rounds over a function; the later ones find little.
const ROUNDS: usize = 6;

/// The part that numbers loads, by the name that leaves it out.
const LOADS: &str = "loads";

/// Simplifies every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let small = [Scalar::I8, Scalar::I16].map(|s| context.target.has_arithmetic(s));
    let rules = Rules {
        address_bits: module.address_bits,
        // Before `legalize_types` any arithmetic may be made.
        widened: if module.stage < Stage::Legal { [false; 2] } else { small.map(|has| !has) },
        loads: module.stage >= Stage::Resolved && !context.options.skip.iter().any(|s| s == LOADS),
    };
    let (kernels, apart) = (&module.kernels, module.apart);
    for (func, function) in module.functions.iter_mut() {
        let kernel = if rules.loads { kernels.iter().find(|k| k.func == func) } else { None };
        simplify_by(function, rules, (kernel, apart));
    }
    Ok(())
}

/// Simplifies one function, before `legalize_types`.
pub fn simplify_function(function: &mut Function, address_bits: u32) {
    simplify_by(function, Rules { address_bits, widened: [false; 2], loads: false }, (None, false));
}

/// What rules ask for besides the function.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    address_bits: u32,
    /// Whether 8- and 16-bit integers were widened: no operation on them may be made.
    widened: [bool; 2],
    /// Whether loads are numbered.
    loads: bool,
}

/// `kernel`: whose function it is, and whether its arguments are apart.
fn simplify_by(function: &mut Function, rules: Rules, kernel: (Option<&KernelData>, bool)) {
    if function.layout.is_empty() {
        return;
    }
    for round in 0..ROUNDS {
        let mut changed = simplify_cfg::run(function, round == 0);
        // The one graph of this round: nothing that follows changes an edge.
        let graph = function.cfg();
        if changed {
            function.layout = graph.rpo().to_vec();
        }
        changed |= cleanup::redundant_params_in(function, &graph);
        if round > 0 && !changed {
            break;
        }
        let memory = Memory::new(Apart::new(&graph, kernel.0, kernel.1));
        let (seen, excluded) = fold_and_number(function, &graph, rules, memory);
        cleanup::dead_code_after(function, &graph, &seen);
        // `cfg` drops cases that lead where the default does.
        for (block, k) in excluded {
            if let Terminator::Switch { cases, default, .. } = &mut function.blocks[block].term {
                cases.iter_mut().filter(|case| case.0 == k).for_each(|case| case.1 = default.clone());
            }
        }
    }
    function.simplified = true;
}

/// What a rule makes of an instruction.
pub(crate) enum Folded {
    /// A value that is there already.
    Value(Value),
    /// A simpler instruction.
    Kind(InstKind),
}

/// What is known of an instruction.
enum Numbered {
    /// One in scope gives the same.
    Same(Value),
    /// None does; its place and hash.
    New(usize, u32),
    /// Another has its hash.
    Clash,
}

/// The walk over the dominator tree.
pub(crate) struct Simplifier<'f> {
    pub(crate) function: &'f mut Function,
    rules: Rules,
    /// Values that were replaced by others.
    replaced: Replaced,
    /// The pure instructions so far.
    known: Known,
    memory: Memory<'f>,
    facts: Facts,
    /// Stores of the block that are not needed.
    needless: SmallVec<[Inst; 4]>,
    graph: &'f Cfg,
    /// Cases of switches that are never taken: they lead where the default does when the walk is done.
    excluded: Vec<(Block, u64)>,
    /// The block at hand.
    at: Block,
    /// The instructions that are left, as `cleanup` wants to know them.
    seen: Seen,
    /// The instructions of the block so far.
    out: Vec<Inst>,
    pub(crate) line: SourceLine,
}

/// Pure instructions by the hash of what they do, in a table with open addresses.
///
/// Of two in scope with one hash the first is known. Nothing is ever taken out: the walk goes down the dominator tree, so
/// that a block that does not dominate the block at hand will dominate no later one either, and what it made can be forgotten
/// where another comes with the same hash.
#[derive(Default)]
struct Known {
    /// The hash, the result and where it was made; a power of two of them.
    places: Vec<(u32, Value, Block)>,
    count: usize,
}

/// Stands for an empty place.
const NOBODY: Value = Value(u32::MAX);

impl Known {
    fn new(size: usize) -> Known {
        Known { places: vec![(0, NOBODY, Block(0)); (2 * size).next_power_of_two().max(16)], count: 0 }
    }

    /// The place of a hash, or the empty one where it belongs.
    fn place(&self, hash: u32) -> usize {
        let last = self.places.len() - 1;
        let mut at = hash as usize & last;
        while self.places[at].1 != NOBODY && self.places[at].0 != hash {
            at = (at + 1) & last;
        }
        at
    }

    /// Makes sure that there is room for one more.
    fn reserve(&mut self) {
        if 4 * (self.count + 1) > 3 * self.places.len() {
            let old = std::mem::take(&mut self.places);
            self.places = vec![(0, NOBODY, Block(0)); 2 * old.len()];
            for entry in old.into_iter().filter(|e| e.1 != NOBODY) {
                let at = self.place(entry.0);
                self.places[at] = entry;
            }
        }
    }
}

/// Gives the instructions that are left, and the cases that are never taken.
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
    // A use stands where its value's definition dominates it: all of them were seen after what replaced them.
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
            needless: SmallVec::new(),
            graph,
            excluded: Vec::new(),
            at,
            seen: Seen::default(),
            out: Vec::new(),
            line: SourceLine::default(),
        }
    }

    /// For a pass that fills new blocks with simplified instructions, before `legalize_types`: see [`Simplifier::begin`].
    pub(crate) fn detached(function: &'f mut Function, graph: &'f Cfg, address_bits: u32) -> Self {
        let rules = Rules { address_bits, widened: [false; 2], loads: false };
        let entry = function.entry();
        let memory = Memory::new(Apart::new(graph, None, false));
        Simplifier::new(function, graph, rules, (0, entry), memory)
    }

    /// What is built from now on stands in this block, which the graph does not have.
    pub(crate) fn begin(&mut self, block: Block) {
        self.at = block;
    }

    /// The instructions of the block.
    pub(crate) fn end(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.out)
    }
}

impl Simplifier<'_> {
    fn block(&mut self, block: Block) {
        self.at = block;
        self.facts.enter(self.function, self.graph, block);
        if self.rules.loads {
            self.memory.enter(self.function, self.graph, block);
        }
        if !self.function.blocks[block].insts.is_empty() {
            let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
            insts.iter().for_each(|inst| self.inst(*inst));
            if !self.needless.is_empty() {
                let needless = std::mem::take(&mut self.needless);
                self.out.retain(|inst| !needless.contains(inst));
            }
            if insts != self.out {
                // The old list's room is used again.
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

    /// Notes the cases that branches on the way here have excluded, or chosen.
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

    /// Whether a condition holds here, where a branch on the way here says so.
    #[inline]
    fn fact(&self, condition: Value) -> Option<bool> {
        self.facts.of(self.function, self.graph, self.at, condition)
    }

    /// Whether a number compares so with a constant here, where branches on the way here say so.
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
        // Nothing looks at the instruction itself while it is folded.
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
            Some(Numbered::New(place, hash)) => self.know(place, hash, result),
            Some(Numbered::Clash) | None => {}
        }
        self.leave(inst, effects);
    }

    /// An instruction stays.
    #[inline]
    pub(crate) fn leave(&mut self, inst: Inst, effects: Effects) {
        let data = &self.function.insts[inst];
        self.seen.look_at(inst, &data.kind, effects);
        if self.rules.loads && (effects.reads || effects.writes) {
            let number = self.out.len();
            let needless = self.memory.note(self.function, &data.kind, &data.results, effects, number);
            if let Some(n) = needless {
                self.seen.forget(self.out[n]);
                self.needless.push(self.out[n]);
            }
        }
        self.out.push(inst);
    }

    /// What a load that may be left out gives, if that is known.
    fn loaded(&mut self, place: &Place, ty: Type) -> Option<Value> {
        match self.memory.loaded(self.function, place, ty)? {
            load_elim::Known::Value(value) => Some(value),
            load_elim::Known::Bits(value) => Some(self.build(InstKind::Bitcast(value), ty)),
        }
    }

    /// Whether an instruction in scope does the same.
    fn number(&mut self, kind: &InstKind, ty: Type) -> Numbered {
        let mut hasher = FxHasher::default();
        (kind, ty).hash(&mut hasher);
        let hash = hasher.finish();
        let hash = (hash ^ hash >> 32) as u32;
        self.known.reserve();
        let place = self.known.place(hash);
        let (_, value, block) = self.known.places[place];
        if value == NOBODY || (block != self.at && !self.graph.dominates(block, self.at)) {
            return Numbered::New(place, hash);
        }
        if self.ty(value) == ty && self.def(value) == Some(kind) {
            return Numbered::Same(value);
        }
        Numbered::Clash
    }

    #[inline]
    fn know(&mut self, place: usize, hash: u32, result: Value) {
        self.known.count += usize::from(self.known.places[place].1 == NOBODY);
        self.known.places[place] = (hash, result, self.at);
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

    /// The value of an instruction, simplified; made in this place if it is not known.
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
            self.know(place, hash, value);
        }
        value
    }

    /// The instruction that makes a value.
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

    /// Whether operations on this type may be made that were none before.
    pub(crate) fn computes(&self, ty: Type) -> bool {
        match ty.scalar() {
            Some(Scalar::I8) => !self.rules.widened[0],
            Some(Scalar::I16) => !self.rules.widened[1],
            _ => true,
        }
    }

    pub(crate) fn undef(&mut self, ty: Type) -> Value {
        self.function.constant(ty, Constant::Undef)
    }

    /// A constant that is the same in every lane.
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

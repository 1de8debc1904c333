//! Candidates for full unrolling: a cheap test before a loop is tried, and the values of loops that are used outside.

use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    BinaryOp, Block, Constant, Function, InstKind, Place, Space, Terminator, Type, Value, ValueDef,
};
use crate::transform::loops::DONT_UNROLL;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Limit on the values, and on the depth, that the search from one condition visits.
const MAX_STEPS_FOLLOWED: u32 = 64;

/// The test whether a loop may be unrolled.
pub struct Candidates<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
}

impl<'a> Candidates<'a> {
    pub fn new(function: &'a Function, cfg: &'a Cfg, loops: &'a Loops) -> Self {
        Candidates { function, cfg, loops }
    }

    /// Returns whether some exit of the loop depends on a condition that may be constant in every iteration.
    pub fn may_unroll(&self, index: usize) -> bool {
        let data = &self.loops.loops[index];
        if self.function.blocks[data.header].loop_control & DONT_UNROLL != 0 {
            return false;
        }
        data.blocks.iter().any(|block| {
            let selector = match &self.function.blocks[*block].term {
                Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => *v,
                _ => return false,
            };
            let mut targets = self.function.blocks[*block].term.targets();
            targets.any(|t| !self.loops.contains(index, t.block))
                && self.may_be_constant(index, selector, &mut FxHashMap::default(), 0)
        })
    }

    /// Returns whether a value may be constant in every iteration, judged by the operations that compute it.
    fn may_be_constant(
        &self,
        index: usize,
        value: Value,
        seen: &mut FxHashMap<Value, bool>,
        depth: u32,
    ) -> bool {
        if let Some(known) = seen.get(&value) {
            return *known;
        }
        if depth > MAX_STEPS_FOLLOWED || seen.len() > MAX_STEPS_FOLLOWED as usize {
            return false;
        }
        // A value that depends on itself is assumed to be.
        seen.insert(value, true);
        let mut of = |v: Value| self.may_be_constant(index, v, seen, depth + 1);
        let certain = match self.function.values[value].def {
            ValueDef::Const(constant) => constant != Constant::Undef,
            ValueDef::Param(block, n) if self.loops.contains(index, block) => {
                // A header needs constant initial values. Elsewhere one constant argument is enough.
                match self.loops.loops[index].header == block {
                    true => self.initial_values(index, n).into_iter().all(of),
                    false => self.arguments(block, n, |_| true).into_iter().any(of),
                }
            }
            ValueDef::Param(..) => false,
            ValueDef::Inst(inst, _) => match &self.function.insts[inst].kind {
                InstKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => of(*a) || of(*b),
                InstKind::Select(c, a, b) => of(*c) && (of(*a) || of(*b)),
                InstKind::Load { place: Place::Pointer(pointer), flags } => {
                    !flags.volatile
                        && self.function.ty(*pointer) == Type::Ptr(Space::Constant)
                        && of(*pointer)
                }
                InstKind::RootAddr(_) => true,
                kind @ (InstKind::Binary(..)
                | InstKind::Unary(..)
                | InstKind::ICmp(..)
                | InstKind::FCmp(..)
                | InstKind::Convert { .. }
                | InstKind::Bitcast(_)
                | InstKind::Construct(_)
                | InstKind::Extract(..)
                | InstKind::Insert { .. }
                | InstKind::Shuffle(..)
                | InstKind::Fma(..)
                | InstKind::PtrAdd { .. }
                | InstKind::PtrOffset { .. }) => kind.values().all(of),
                _ => false,
            },
        };
        seen.insert(value, certain);
        certain
    }

    /// The arguments that the loop's entries pass for parameter n of its header.
    fn initial_values(&self, index: usize, n: u16) -> SmallVec<[Value; 4]> {
        let header = self.loops.loops[index].header;
        self.arguments(header, n, |from| !self.loops.contains(index, from))
    }

    /// The arguments that some predecessors pass for parameter n of a block.
    fn arguments(&self, block: Block, n: u16, wanted: impl Fn(Block) -> bool) -> SmallVec<[Value; 4]> {
        let preds = self.cfg.preds(block).iter().filter(|from| wanted(**from));
        let targets = preds.flat_map(|from| self.function.blocks[*from].term.targets());
        let to = targets.filter(|t| t.block == block);
        to.filter_map(|t| t.args.get(usize::from(n)).copied()).collect()
    }
}

/// The values that are used outside of the innermost loop that defines them.
pub struct Escaping {
    all: FxHashSet<Value>,
    /// By loop: its own values and those of inner loops.
    by_loop: Vec<Vec<Value>>,
}

impl Escaping {
    pub fn new(function: &Function, loops: &Loops) -> Escaping {
        let positions = Positions::new(function);
        let mut found = Escaping { all: FxHashSet::default(), by_loop: vec![Vec::new(); loops.loops.len()] };
        let mut last: Vec<FxHashSet<Value>> = vec![FxHashSet::default(); loops.loops.len()];
        for &block in &function.layout {
            let data = &function.blocks[block];
            let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
            for value in insts.chain(data.term.values()) {
                let Some(home) = positions.block_of(function, value).filter(|home| *home != block) else {
                    continue;
                };
                found.note_use(value, home, block, loops, &mut last);
            }
        }
        found
    }

    fn note_use(
        &mut self,
        value: Value,
        home: Block,
        user: Block,
        loops: &Loops,
        seen: &mut [FxHashSet<Value>],
    ) {
        let around = std::iter::successors(loops.innermost(home), |at| loops.loops[*at].parent);
        for index in around.take_while(|at| !loops.contains(*at, user)) {
            if seen[index].insert(value) {
                self.by_loop[index].push(value);
                self.all.insert(value);
            }
        }
    }

    pub fn contains(&self, value: Value) -> bool {
        self.all.contains(&value)
    }

    /// The values of a loop that are used outside of it.
    pub fn of_loop(&self, index: usize) -> &[Value] {
        &self.by_loop[index]
    }
}

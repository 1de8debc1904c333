//! Which loops may be unfolded, told before anything is tried, and what is used of their values behind them.

use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    BinaryOp, Block, Constant, Function, InstKind, Place, Space, Terminator, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// SPIR-V's loop control DontUnroll.
const DONT_UNROLL: u32 = 2;
/// So much is looked at for a condition.
const MAX_STEPS_FOLLOWED: u32 = 64;

/// What decides where loops end.
pub struct Candidates<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
}

impl<'a> Candidates<'a> {
    pub fn new(function: &'a Function, cfg: &'a Cfg, loops: &'a Loops) -> Self {
        Candidates { function, cfg, loops }
    }

    /// Whether some way out of the loop is taken by what may be certain in every round.
    pub fn may_be(&self, index: usize) -> bool {
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
                && self.is_certain(index, selector, &mut FxHashMap::default(), 0)
        })
    }

    /// Whether a value may be a constant in every round, as far as can be told by what it is made of.
    fn is_certain(&self, index: usize, value: Value, seen: &mut FxHashMap<Value, bool>, depth: u32) -> bool {
        if let Some(known) = seen.get(&value) {
            return *known;
        }
        if depth > MAX_STEPS_FOLLOWED || seen.len() > MAX_STEPS_FOLLOWED as usize {
            return false;
        }
        // What comes back to itself may be.
        seen.insert(value, true);
        let mut of = |v: Value| self.is_certain(index, v, seen, depth + 1);
        let certain = match self.function.values[value].def {
            ValueDef::Const(constant) => constant != Constant::Undef,
            ValueDef::Param(block, n) if self.loops.contains(index, block) => {
                // What enters the loop, and what the rounds make of it. Where ways meet, one is enough.
                match self.loops.loops[index].header == block {
                    true => self.starts(index, n).into_iter().all(of),
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

    /// What parameter n of the loop's head is when the loop is entered.
    fn starts(&self, index: usize, n: u16) -> SmallVec<[Value; 4]> {
        let header = self.loops.loops[index].header;
        self.arguments(header, n, |from| !self.loops.contains(index, from))
    }

    /// What some branches bring for parameter n of a block.
    fn arguments(&self, block: Block, n: u16, wanted: impl Fn(Block) -> bool) -> SmallVec<[Value; 4]> {
        let preds = self.cfg.preds(block).iter().filter(|from| wanted(**from));
        let targets = preds.flat_map(|from| self.function.blocks[*from].term.targets());
        let to = targets.filter(|t| t.block == block);
        to.filter_map(|t| t.args.get(usize::from(n)).copied()).collect()
    }
}

/// The values that are used outside of the innermost loop that makes them.
pub struct Escaping {
    all: FxHashSet<Value>,
    /// By loop: those of it and of loops within.
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
                found.use_of(value, home, block, loops, &mut last);
            }
        }
        found
    }

    fn use_of(
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

    /// The values of a loop that are used outside it.
    pub fn of(&self, index: usize) -> &[Value] {
        &self.by_loop[index]
    }
}

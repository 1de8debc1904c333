//! Trip counts of loops, found by evaluating the values that decide each iteration.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BranchTarget, ConvertOp, Function, InstKind, Scalar, Terminator, UnaryOp, Value,
    ValueDef, WorkItem,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Loops of more iterations are not counted.
const MAX_ITERATIONS: u64 = 256;
/// Limit on the instructions behind one index or condition.
const MAX_STEPS_FOLLOWED: usize = 64;
/// Limit on the blocks between a dominator and a merge point.
const MAX_BRANCHES: usize = 32;
/// Limit on the evaluations for one function.
const MAX_STEPS: usize = 1 << 17;

/// The current values of loop counters.
type Environment = FxHashMap<Value, u64>;

/// The arguments of a header's parameter, each with whether it comes from inside the loop.
type Arguments = Vec<(bool, Value)>;

/// Counts the iterations of a function's loops.
pub struct Counter<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    headers: FxHashMap<Block, usize>,
    /// The loops directly inside each.
    inner_loops: Vec<Vec<usize>>,
    steps: usize,
    /// Whether a loop had more than [`MAX_ITERATIONS`].
    uncounted: bool,
    /// Whether values may depend on local ids.
    takes_ids: bool,
}

/// The loops and parameters that values depend on.
#[derive(Default)]
struct Leaves {
    params: FxHashSet<Value>,
    loops: FxHashSet<usize>,
    /// Local ids, and of which dimension.
    ids: Vec<(Value, u8)>,
}

impl<'a> Counter<'a> {
    pub fn new(function: &'a Function, cfg: &'a Cfg, loops: &'a Loops) -> Self {
        let headers = loops.loops.iter().enumerate().map(|(n, l)| (l.header, n)).collect();
        let mut inner_loops = vec![Vec::new(); loops.loops.len()];
        for (n, data) in loops.loops.iter().enumerate() {
            if let Some(parent) = data.parent {
                inner_loops[parent].push(n);
            }
        }
        Counter { function, cfg, loops, headers, inner_loops, steps: 0, uncounted: false, takes_ids: false }
    }

    /// The loops to unroll so that some values become constants; `None` if that is not enough.
    pub fn wanted(&self, values: &[Value]) -> Option<FxHashSet<usize>> {
        let mut leaves = Leaves::default();
        for &value in values {
            self.follow(value, &mut leaves)?;
        }
        let mut done: FxHashSet<usize> = FxHashSet::default();
        while let Some(&index) = leaves.loops.iter().filter(|l| !done.contains(l)).min() {
            done.insert(index);
            let (_, cond, _) = self.test(index)?;
            self.follow(cond, &mut leaves)?;
        }
        Some(leaves.loops)
    }

    /// Collects the header parameters that a value depends on, transitively.
    fn follow(&self, value: Value, leaves: &mut Leaves) -> Option<()> {
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            if seen.len() > MAX_STEPS_FOLLOWED {
                return None;
            }
            self.function.ty(value).scalar().filter(|s| s.is_int() || *s == Scalar::Bool)?;
            match self.function.values[value].def {
                ValueDef::Const(_) => {}
                ValueDef::Inst(inst, 0) => match &self.function.insts[inst].kind {
                    InstKind::Binary(_, a, b) | InstKind::ICmp(_, a, b) => work.extend([*a, *b]),
                    InstKind::Unary(UnaryOp::INeg | UnaryOp::Not, a)
                    | InstKind::Convert {
                        op: ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt,
                        value: a,
                        saturate: false,
                        ..
                    } => work.push(*a),
                    InstKind::Select(c, a, b) => work.extend([*c, *a, *b]),
                    InstKind::WorkItem(WorkItem::LocalId, dim) if self.takes_ids => {
                        leaves.ids.push((value, *dim));
                    }
                    _ => return None,
                },
                ValueDef::Param(block, n) => {
                    let Some(&index) = self.headers.get(&block) else {
                        work.extend(self.deciding_values(block, n)?);
                        continue;
                    };
                    leaves.loops.insert(index);
                    if leaves.params.insert(value) {
                        work.extend(self.arguments(index, n).into_iter().map(|a| a.1));
                    }
                }
                ValueDef::Inst(..) => return None,
            }
        }
        Some(())
    }

    /// The values that decide a parameter at a merge point: the arguments, and the conditions of the branches since the
    /// immediate dominator.
    fn deciding_values(&self, block: Block, n: u16) -> Option<Vec<Value>> {
        let start = self.cfg.idom(block)?;
        let mut found = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = self.cfg.preds(block).to_vec();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MAX_BRANCHES || (at != start && self.headers.contains_key(&at)) {
                return None;
            }
            match &self.function.blocks[at].term {
                Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => {
                    found.push(*v)
                }
                _ => {}
            }
            let targets = self.function.blocks[at].term.targets();
            found.extend(
                targets
                    .iter()
                    .filter(|t| t.block == block)
                    .filter_map(|t| t.args.get(usize::from(n)).copied()),
            );
            if at != start {
                work.extend(self.cfg.preds(at));
            }
        }
        Some(found)
    }

    /// The arguments of a parameter of a loop's header.
    fn arguments(&self, index: usize, n: u16) -> Arguments {
        let data = &self.loops.loops[index];
        let mut found = Vec::new();
        let mut before: SmallVec<[Block; 4]> = SmallVec::from_slice(self.cfg.preds(data.header));
        before.sort_unstable();
        before.dedup();
        for block in before {
            for target in self.function.blocks[block].term.targets() {
                if let Some(arg) = target.args.get(usize::from(n)).filter(|_| target.block == data.header) {
                    found.push((data.latches.contains(&block), *arg));
                }
            }
        }
        found
    }

    /// The block that tests whether a loop continues, its condition, and the value with which it does. The block is the header, or
    /// the only latch.
    fn test(&self, index: usize) -> Option<(Block, Value, bool)> {
        let data = &self.loops.loops[index];
        let inside = |t: &BranchTarget| self.loops.contains(index, t.block);
        let of = |block: Block| match &self.function.blocks[block].term {
            Terminator::CondBranch { cond, then, els } if inside(then) != inside(els) => {
                Some((block, *cond, inside(then)))
            }
            _ => None,
        };
        match data.latches[..] {
            _ if of(data.header).is_some() => of(data.header),
            [latch] => of(latch),
            _ => None,
        }
    }

    /// The number of instructions that a set of loops becomes with their inner loops; `None` if it is not known.
    pub fn size(&mut self, wanted: &FxHashSet<usize>) -> Option<u64> {
        let mut size = 0u64;
        let mut sorted: Vec<usize> = wanted.iter().copied().collect();
        sorted.sort_unstable();
        for index in sorted {
            let mut around = self.loops.loops[index].parent;
            let mut inner = false;
            while let Some(parent) = around {
                inner |= wanted.contains(&parent);
                around = self.loops.loops[parent].parent;
            }
            if !inner {
                size = size.saturating_add(
                    self.count_iterations(index, Some(wanted), &mut Environment::default())?.1,
                );
            }
        }
        Some(size)
    }

    /// The trip count of a loop that depends on no other, and the block that tests it.
    pub fn trip_count(&mut self, index: usize) -> Option<(u64, Block)> {
        let test = self.test(index)?.0;
        Some((self.count_iterations(index, None, &mut Environment::default())?.0, test))
    }

    /// A lower bound of the trip count, where one is known. It is one more than the limit for a loop that exceeds the iterations or
    /// the steps.
    pub fn least_trip_count(&mut self, index: usize) -> Option<u64> {
        (self.uncounted, self.steps) = (false, 0);
        let trip_count = self.trip_count(index).map(|(trip_count, _)| trip_count);
        trip_count.or((self.uncounted || self.steps > MAX_STEPS).then_some(MAX_ITERATIONS + 1))
    }

    /// The least and the greatest trip count in work-groups of a size. The header's test must depend on local ids of one dimension alone.
    pub fn trip_counts_by_id(&mut self, index: usize, size: [u32; 3]) -> Option<(u64, u64)> {
        let (test, cond, _) = self.test(index)?;
        let mut leaves = Leaves::default();
        (self.takes_ids, self.steps) = (true, 0);
        let followed = self.follow(cond, &mut leaves);
        let alone = leaves.loops.iter().all(|n| *n == index) && test == self.loops.loops[index].header;
        let dim = leaves.ids.first().map(|id| id.1).filter(|_| followed.is_some() && alone);
        let all = dim.filter(|dim| leaves.ids.iter().all(|id| id.1 == *dim)).and_then(|dim| {
            let mut counts = (0..*size.get(usize::from(dim))?).map(|id| {
                let mut env = leaves.ids.iter().map(|known| (known.0, u64::from(id))).collect();
                Some(self.count_iterations(index, None, &mut env)?.0)
            });
            let first = counts.next()??;
            counts.try_fold((first, first), |(least, most), n| n.map(|n| (least.min(n), most.max(n))))
        });
        self.takes_ids = false;
        all
    }

    /// Evaluates a loop. Returns its trip count and, with a set of wanted loops, the number of instructions that it becomes.
    fn count_iterations(
        &mut self,
        index: usize,
        wanted: Option<&FxHashSet<usize>>,
        env: &mut Environment,
    ) -> Option<(u64, u64)> {
        let (test, cond, stays) = self.test(index)?;
        let data = &self.loops.loops[index];
        let at_header = test == data.header;
        let mut leaves = Leaves::default();
        self.follow(cond, &mut leaves)?;
        // Counters that only indices and inner loops need are followed while they stay known.
        let mut params: Vec<(Value, Arguments, bool)> = Vec::new();
        for (n, &param) in self.function.blocks[data.header].params.iter().enumerate() {
            let needed = leaves.params.contains(&param);
            if needed || self.function.ty(param).scalar().is_some_and(|s| s.is_int()) {
                params.push((param, self.arguments(index, n as u16), needed));
            }
        }
        for (param, args, needed) in &params {
            match self.agreed(args.iter().filter(|a| !a.0), env) {
                Some(start) => {
                    env.insert(*param, start);
                }
                None if *needed => return None,
                None => {}
            }
        }
        let own = wanted.map_or(0, |_| self.own_size(index));
        let (mut trip_count, mut size) = (0u64, 0u64);
        loop {
            let continues = (self.evaluate(cond, env)? != 0) == stays;
            if at_header && !continues {
                break;
            }
            trip_count += 1;
            size = size.saturating_add(own);
            if let Some(set) = wanted {
                for n in 0..self.inner_loops[index].len() {
                    size = size.saturating_add(self.inner_size(self.inner_loops[index][n], set, env)?);
                }
            }
            if trip_count > MAX_ITERATIONS || size > super::MAX_INSTRUCTIONS {
                self.uncounted = trip_count > MAX_ITERATIONS;
                return None;
            }
            if !at_header && !continues {
                break;
            }
            let next: Vec<(Value, Option<u64>)> = params
                .iter()
                .map(|(param, args, _)| (*param, self.agreed(args.iter().filter(|a| a.0), env)))
                .collect();
            for (param, value) in next {
                match value {
                    Some(value) => env.insert(param, value),
                    None => env.remove(&param),
                };
            }
        }
        for (param, ..) in &params {
            env.remove(param);
        }
        Some((trip_count, size))
    }

    /// The size of an inner loop: unrolled if it is wanted.
    fn inner_size(&mut self, index: usize, wanted: &FxHashSet<usize>, env: &mut Environment) -> Option<u64> {
        if wanted.contains(&index) {
            return Some(self.count_iterations(index, Some(wanted), env)?.1);
        }
        let mut size = self.own_size(index);
        for n in 0..self.inner_loops[index].len() {
            size = size.saturating_add(self.inner_size(self.inner_loops[index][n], wanted, env)?);
        }
        Some(size)
    }

    /// The number of instructions of a loop without its inner loops.
    fn own_size(&self, index: usize) -> u64 {
        let blocks = &self.loops.loops[index].blocks;
        let own = blocks.iter().filter(|b| self.loops.innermost(**b) == Some(index));
        own.map(|b| self.function.blocks[*b].insts.len() as u64 + 1).sum()
    }

    /// The common value of some arguments.
    fn agreed<'b>(
        &mut self,
        args: impl Iterator<Item = &'b (bool, Value)>,
        env: &Environment,
    ) -> Option<u64> {
        let mut value = None;
        for (_, arg) in args {
            let this = self.evaluate(*arg, env)?;
            if *value.get_or_insert(this) != this {
                return None;
            }
        }
        value
    }

    /// Evaluates a value, where the counters are known.
    fn evaluate(&mut self, value: Value, env: &Environment) -> Option<u64> {
        let mut known: FxHashMap<Value, u64> = FxHashMap::default();
        self.evaluate_within(value, env, &mut known, 0)
    }

    fn evaluate_within(
        &mut self,
        value: Value,
        env: &Environment,
        known: &mut FxHashMap<Value, u64>,
        depth: usize,
    ) -> Option<u64> {
        if let Some(bits) =
            self.function.const_bits(value).or_else(|| env.get(&value).or(known.get(&value)).copied())
        {
            return Some(bits);
        }
        self.steps += 1;
        if depth > MAX_STEPS_FOLLOWED || self.steps > MAX_STEPS {
            return None;
        }
        let function = self.function;
        if let ValueDef::Param(block, n) = function.values[value].def {
            let bits = self.evaluate_param(block, n, env, known, depth)?;
            known.insert(value, bits);
            return Some(bits);
        }
        let ty = function.ty(value);
        let scalar = ty.scalar().filter(|_| ty.lanes() == 1)?;
        let kind = &function.def_inst(value)?.kind;
        let width = |v: Value| function.ty(v).scalar().map_or(64, Scalar::bits);
        let mut of = |v: Value| self.evaluate_within(v, env, known, depth + 1);
        let bits = match kind {
            InstKind::Binary(op, a, b) if scalar.is_int() && !is_float(*op) => {
                fold::binary(*op, scalar, of(*a)?, of(*b)?)?
            }
            InstKind::Unary(op @ (UnaryOp::INeg | UnaryOp::Not), a) => fold::unary(*op, scalar, of(*a)?)?,
            InstKind::ICmp(cc, a, b) if function.ty(*a).lanes() == 1 => {
                u64::from(fold::icmp(*cc, width(*a), of(*a)?, of(*b)?))
            }
            InstKind::Select(c, a, b) if function.ty(*c).lanes() == 1 => {
                if of(*c)? != 0 {
                    of(*a)?
                } else {
                    of(*b)?
                }
            }
            InstKind::Convert { op, value: from, saturate: false, .. } => match op {
                ConvertOp::Trunc => of(*from)? & fold::mask(scalar.bits()),
                ConvertOp::ZExt => of(*from)?,
                ConvertOp::SExt => fold::signed(of(*from)?, width(*from)) as u64 & fold::mask(scalar.bits()),
                _ => return None,
            },
            _ => return None,
        };
        known.insert(value, bits);
        Some(bits)
    }
}

impl Counter<'_> {
    /// Evaluates a parameter at a merge point by following the branches.
    fn evaluate_param(
        &mut self,
        block: Block,
        n: u16,
        env: &Environment,
        known: &mut FxHashMap<Value, u64>,
        depth: usize,
    ) -> Option<u64> {
        let function = self.function;
        let mut at = self.cfg.idom(block).filter(|_| !self.headers.contains_key(&block))?;
        for _ in 0..MAX_BRANCHES {
            let target = match &function.blocks[at].term {
                Terminator::Branch(target) => target,
                Terminator::CondBranch { cond, then, els } => {
                    let holds = self.evaluate_within(*cond, env, known, depth + 1)? != 0;
                    if holds { then } else { els }
                }
                Terminator::Switch { value, cases, default } => {
                    let bits = self.evaluate_within(*value, env, known, depth + 1)?;
                    cases.iter().find(|c| c.0 == bits).map_or(default, |c| &c.1)
                }
                _ => return None,
            };
            if target.block == block {
                let arg = *target.args.get(usize::from(n))?;
                return self.evaluate_within(arg, env, known, depth + 1);
            }
            at = target.block;
        }
        None
    }
}

fn is_float(op: BinaryOp) -> bool {
    use BinaryOp::{FAdd, FDiv, FMul, FMulNoContraction, FRem, FSub};
    matches!(op, FAdd | FSub | FMul | FMulNoContraction | FDiv | FRem)
}

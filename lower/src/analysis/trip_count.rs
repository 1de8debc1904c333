//! Trip counts of loops: closed forms of counters that are compared with constants, and evaluation of the values that decide each iteration.

use super::loops::{self, Test};
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, InstKind, IntCC, Scalar, Terminator, Type, UnaryOp, Value,
    ValueDef, WorkItem,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Loops of more iterations are not evaluated.
const MAX_ITERATIONS: u64 = 256;
/// Limit on the instructions behind one index or condition.
const MAX_STEPS_FOLLOWED: usize = 64;
/// Limit on the blocks between a dominator and a merge point.
const MAX_BRANCHES: usize = 32;
/// Limit on the evaluations for one function.
const MAX_STEPS: usize = 1 << 17;
/// Limit on the instructions of unrolled loops together.
pub const MAX_UNROLLED: u64 = 16_384;

/// The current values of loop counters.
type Environment = FxHashMap<Value, u64>;

/// The arguments of a header's parameter, each with whether it comes from inside the loop.
type Arguments = SmallVec<[(bool, Value); 4]>;

/// The trip counts of a function's loops.
pub struct TripCounts<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    headers: FxHashMap<Block, usize>,
    /// The loops directly inside each.
    inner_loops: Vec<Vec<usize>>,
    steps: usize,
    /// True if a loop had more than [`MAX_ITERATIONS`].
    uncounted: bool,
    /// True if values may depend on local ids.
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

impl<'a> TripCounts<'a> {
    pub fn new(function: &'a Function, cfg: &'a Cfg, loops: &'a Loops) -> Self {
        let headers = loops.loops.iter().enumerate().map(|(n, l)| (l.header, n)).collect();
        let mut inner_loops = vec![Vec::new(); loops.loops.len()];
        for (n, data) in loops.loops.iter().enumerate() {
            if let Some(parent) = data.parent {
                inner_loops[parent].push(n);
            }
        }
        TripCounts {
            function,
            cfg,
            loops,
            headers,
            inner_loops,
            steps: 0,
            uncounted: false,
            takes_ids: false,
        }
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
            let test = self.test(index)?;
            self.follow(test.cond, &mut leaves)?;
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

    fn arguments(&self, index: usize, n: u16) -> Arguments {
        loops::arguments(self.function, self.cfg, &self.loops.loops[index], usize::from(n))
    }

    fn test(&self, index: usize) -> Option<Test> {
        Test::of_loop(self.function, self.loops, index)
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

    /// The trip count of a loop that depends on no other, and the block that tests it. Other exits may end the loop earlier.
    pub fn trip_count(&mut self, index: usize) -> Option<(u64, Block)> {
        let test = self.test(index)?;
        let known = closed_form(self.function, self.cfg, &self.loops.loops[index], &test);
        let known =
            known.or_else(|| Some(self.count_iterations(index, None, &mut Environment::default())?.0));
        Some((known?, test.block))
    }

    /// A lower bound of the trip count, where one is known. It is one more than the limit for a loop that exceeds the iterations or
    /// the steps.
    pub fn least_trip_count(&mut self, index: usize) -> Option<u64> {
        (self.uncounted, self.steps) = (false, 0);
        let trip_count = self.trip_count(index).map(|(trip_count, _)| trip_count);
        let more = (self.uncounted || self.steps > MAX_STEPS).then_some(MAX_ITERATIONS + 1);
        trip_count.map(|trip_count| trip_count.min(MAX_ITERATIONS + 1)).or(more)
    }

    /// The least and the greatest trip count in work-groups of a size. The header's test must depend on local ids of one dimension alone.
    pub fn trip_counts_by_id(&mut self, index: usize, size: [u32; 3]) -> Option<(u64, u64)> {
        let test = self.test(index)?;
        let mut leaves = Leaves::default();
        (self.takes_ids, self.steps) = (true, 0);
        let followed = self.follow(test.cond, &mut leaves);
        let alone = leaves.loops.iter().all(|n| *n == index) && test.block == self.loops.loops[index].header;
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
        let Test { block, cond, stays } = self.test(index)?;
        let data = &self.loops.loops[index];
        let at_header = block == data.header;
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
            if trip_count > MAX_ITERATIONS || size > MAX_UNROLLED {
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

impl TripCounts<'_> {
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

/// The trip count of a loop whose header compares a counter with a constant. Other exits may end the loop earlier.
pub fn closed_form(function: &Function, cfg: &Cfg, data: &LoopData, test: &Test) -> Option<u64> {
    let (cc, a, b) = test.comparison(function).filter(|_| test.block == data.header)?;
    let (cc, counter, end) = match (function.const_bits(a), function.const_bits(b)) {
        (None, Some(end)) => (cc, a, end),
        (Some(end), None) => (fold::swap_icmp(cc), b, end),
        _ => return None,
    };
    let ValueDef::Param(block, n) = function.values[counter].def else { return None };
    let Type::Scalar(scalar) = function.ty(counter) else { return None };
    let arguments = Some(loops::arguments(function, cfg, data, n.into())).filter(|_| block == data.header)?;
    let mut starts = arguments.iter().filter(|a| !a.0).map(|a| function.const_bits(a.1));
    let start = starts.next()?.filter(|start| starts.all(|other| other == Some(*start)))?;
    let mut nexts = arguments.iter().filter(|a| a.0).map(|a| a.1);
    let next = nexts.next().filter(|next| nexts.all(|other| other == *next))?;
    count(cc, scalar.bits(), start, end, loops::constant_step(function, counter, next)?)
}

/// The number of steps from `start` for which the comparison with `end` holds, if none wraps.
fn count(cc: IntCC, bits: u32, start: u64, end: u64, step: i64) -> Option<u64> {
    let signed = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge);
    let (least, most) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let number = |n: u64| {
        let n = i128::from(n) & ((1i128 << bits) - 1);
        if n > most { n - (1i128 << bits) } else { n }
    };
    let (start, end, step) = (number(start), number(end), i128::from(step));
    // The first number that ends the loop is this bound, or the first one beyond it.
    let (up, bound) = match cc {
        IntCC::Slt | IntCC::Ult => (true, end),
        IntCC::Sle | IntCC::Ule => (true, end + 1),
        IntCC::Sgt | IntCC::Ugt => (false, end),
        IntCC::Sge | IntCC::Uge => (false, end - 1),
        IntCC::Ne if (end - start).checked_rem(step) == Some(0) => (step > 0, end),
        _ => return None,
    };
    let distance = if up { bound - start } else { start - bound };
    if step == 0 || up != (step > 0) || distance <= 0 {
        return None;
    }
    let steps = (distance + step.abs() - 1) / step.abs();
    let last = start + steps * step;
    (least..=most).contains(&last).then(|| u64::try_from(steps).ok())?
}

#[cfg(test)]
mod tests {
    use super::count;
    use crate::ir::IntCC;

    #[test]
    fn counters_that_wrap_are_left() {
        assert_eq!(count(IntCC::Ult, 32, 0, 1000, 4), Some(250));
        assert_eq!(count(IntCC::Ule, 32, 0, u32::MAX.into(), 1), None);
        assert_eq!(count(IntCC::Ult, 32, 0, u64::from(u32::MAX), 2), None);
        assert_eq!(count(IntCC::Slt, 32, 0xffff_fff0, 16, 1), Some(32));
        assert_eq!(count(IntCC::Sge, 32, 16, 0, -1), Some(17));
        assert_eq!(count(IntCC::Uge, 32, 16, 0, -1), None);
        assert_eq!(count(IntCC::Ne, 32, 0, 10, 3), None);
        assert_eq!(count(IntCC::Ne, 32, 0, 9, 3), Some(3));
        assert_eq!(count(IntCC::Slt, 32, 5, 5, 1), None);
        assert_eq!(count(IntCC::Slt, 32, 0, 5, -1), None);
        assert_eq!(count(IntCC::Ult, 64, 0, 1 << 40, 1 << 20), Some(1 << 20));
    }
}

//! Runtime unrolling: loops whose trip count is known only at run time run several iterations for one test.
//!
//! ```text
//! for (i = 0; i < n; i++) v = v * a + b;
//! → end = max(n, INT_MIN + 7) - 7;  for (i = 0; i < end; i += 8) { v = v * a + b; … }      for (; i < n; i++) v = v * a + b;
//! ```
//!
//! The original loop stays for the remaining iterations. A guard stands for the tests of all iterations of a trip ([`guards`]):
//!
//! - A counter with a constant step and an invariant end is compared with an end that is so many steps nearer. That end does not wrap.
//! - Any other test that does not depend on loads is made for each of the iterations, and none is inferred from another, because steps may
//!   wrap: `while (i < n && i + s < n && …)`. Only loops that load are worth it.
//!
//! If the loop is one block behind its test that only loads and computes, the loads of a trip come first, so that they are in flight together.
//! A load may depend on other loads of its iteration (`x[index[i]]`), not on those of the iteration before. Nothing is loaded that the loop would
//! not have loaded, and sums of floats keep their order.
//!
//! Loops near the middle of their counter's range stay, and so do loops that end by equality from an unknown start. NVIDIA's driver (580) counts
//! some of them wrongly, and the pass `opaque_step` knows them by the original start. Three cases of `run/loops` lost an H200.
//!
//! Loops that write private memory stay, because their trip counts are mostly small. md5 over messages of at most 64 bytes took 2.2 times as
//! long with trips of 16 bytes (`bench/kernels/md5_chain.cl`, H200).
//!
//! NVIDIA's driver makes four iterations of one where the step is a constant, and none elsewhere. NVIDIA's OpenCL seems to make up to sixteen, by its times. On an H200
//! a sum over a stride of the launch took 3.1 times as long, and a chain of fused sums 1.46 times.

mod counting;
mod guards;
#[cfg(test)]
mod tests;

use super::can_be_unrolled;
use crate::analysis::loops::Test;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{
    BinaryOp, Block, Function, Inst, InstKind, Place, Scalar, Space, Terminator, Type, Value, ValueDef,
};
use crate::transform::loops::{self, Guard, Unroll};
use guards::{Bound, Tests};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit on the cost of all iterations of a trip.
const MAX_COST: usize = 128;
/// The cost of a counter's test and step, which only the trip has.
const COUNTING: usize = 2;
/// The numbers of iterations of a trip, the best first. Fewer are slower than the four that the driver makes of one.
const FACTORS: [usize; 3] = [32, 16, 8];
/// The number of iterations where the loads of a trip come first. Eight took 1.7 times as long on an H200.
const LOADING: [usize; 1] = [16];
/// Limit on the cost of a trip whose loads come first.
const MAX_LOADING_COST: usize = 256;
/// The number of loads in flight at once.
const MAX_LOADS: usize = 32;
/// The same where every test is made.
const MAX_TESTED_LOADS: usize = 8;
/// Limit on the iterations of a trip where every test is made.
const MAX_TESTED: usize = 8;
/// Limit on the instructions of a trip where every test is made.
const MAX_TESTED_INSTRUCTIONS: usize = 320;

/// Unrolls the loops of a function, and returns whether there were any.
pub fn unroll_loops(function: &mut Function) -> bool {
    let mut any = false;
    // An unrolled loop says that it must not be unrolled again.
    for _ in 0..super::MAX_LOOPS {
        let Some((cfg, forest)) = function.loops() else { break };
        let found = (0..forest.loops.len())
            .find_map(|index| Some((index, Plan::new(function, &cfg, &forest, index)?)));
        let Some((index, plan)) = found else { break };
        plan.apply(function, &forest, index);
        function.simplified = false;
        any = true;
    }
    any
}

/// The way to unroll a loop.
struct Plan {
    /// The number of iterations of a trip.
    times: usize,
    bound: Bound,
    /// The only block behind the header.
    body: Option<Block>,
    /// True if the loads of a trip come first.
    loads_first: bool,
}

impl Plan {
    fn new(function: &Function, cfg: &Cfg, forest: &Loops, index: usize) -> Option<Plan> {
        let data = &forest.loops[index];
        let is_outer = || forest.loops.iter().any(|other| other.parent == Some(index));
        let test = Test::of_block(function, data.header, |block| forest.contains(index, block))?;
        if is_outer() || !can_be_unrolled(function, data, MAX_TESTED_INSTRUCTIONS / 2) {
            return None;
        }
        let insts = || data.blocks.iter().flat_map(|block| &function.blocks[*block].insts);
        let stays = |inst: &Inst| {
            let kind = &function.insts[*inst].kind;
            matches!(kind, InstKind::Call { .. } | InstKind::Atomic { .. } | InstKind::MemBarrier { .. })
                || writes_private(function, kind)
        };
        if insts().any(stays) {
            return None;
        }
        let only_loads = !insts().any(|inst| function.insts[*inst].kind.effects(function).writes);
        let (cost, loads) = cost_of_iteration(function, data, only_loads);
        let body = match data.blocks[..] {
            [_, body] if matches!(function.blocks[body].term, Terminator::Branch(_)) => Some(body),
            _ => None,
        };
        let inside: FxHashSet<Inst> = insts().copied().collect();
        let independent =
            || body.is_some_and(|body| loads_are_independent(function, (data.header, body), &inside));
        let loads_first = loads > 0 && only_loads && independent();
        if let Some(bound) = Bound::counted(function, (cfg, data), &test, &inside) {
            let cost = cost.saturating_sub(COUNTING).max(1);
            let (factors, limit) =
                if loads_first { (&LOADING[..], MAX_LOADING_COST) } else { (&FACTORS[..], MAX_COST) };
            let fits = |n: &&usize| {
                **n * cost <= limit && **n * loads <= MAX_LOADS && bound.is_worth(function, cfg, **n)
            };
            let times = *factors.iter().find(fits)?;
            return Some(Plan { times, bound, body, loads_first });
        }
        let tests = Tests::new(function, data.header, body?, &test, &inside).filter(|_| loads_first)?;
        let times = MAX_TESTED_LOADS.checked_div(loads)?.min(MAX_TESTED);
        let fits = times > 1 && inside.len() * times <= MAX_TESTED_INSTRUCTIONS;
        fits.then_some(Plan { times, bound: Bound::Tests(tests), body, loads_first })
    }

    /// Unrolls the loop.
    fn apply(&self, function: &mut Function, forest: &Loops, index: usize) {
        let data = &forest.loops[index];
        let guard: Guard = self.bound.guard(function, data, self.times);
        let copies = loops::unroll(function, data, Unroll::Guarded(guard));
        if let Bound::Counter(counter) = &self.bound {
            counting::follow(function, data, counter, (guard, &copies), self.body.is_some());
        }
        let Some(body) = self.body else { return };
        let blocks: Vec<Block> =
            copies.iter().flat_map(|copy| [copy.blocks[&data.header], copy.blocks[&body]]).collect();
        loops::join(function, &blocks);
        if let Some(first) = blocks.first().filter(|_| self.loads_first) {
            order_loads(function, *first);
        }
    }
}

/// Orders a block by the number of dependent loads that an instruction waits for.
fn order_loads(function: &mut Function, block: Block) {
    let mut levels: FxHashMap<Value, u32> = FxHashMap::default();
    let mut insts: Vec<(u32, Inst)> = Vec::new();
    for &inst in &function.blocks[block].insts {
        let data = &function.insts[inst];
        let own = data.kind.values().map(|v| levels.get(&v).copied().unwrap_or(0)).max().unwrap_or(0);
        let behind = own + u32::from(is_slow_load(function, &data.kind));
        levels.extend(data.results.iter().map(|result| (*result, behind)));
        insts.push((own, inst));
    }
    insts.sort_by_key(|(level, _)| *level);
    function.blocks[block].insts = insts.into_iter().map(|(_, inst)| inst).collect();
}

/// Returns whether no load of an iteration depends on a load of the iteration before: those of several iterations can be in flight together.
fn loads_are_independent(
    function: &Function,
    (header, body): (Block, Block),
    inside: &FxHashSet<Inst>,
) -> bool {
    let Terminator::Branch(again) = &function.blocks[body].term else { return false };
    // The values that a load's address depends on, and the arguments of the parameters among them.
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut carried: FxHashSet<Value> = FxHashSet::default();
    let addresses = inside.iter().filter(|inst| is_slow_load(function, &function.insts[**inst].kind));
    let mut work: Vec<(Value, bool)> =
        addresses.flat_map(|inst| function.insts[*inst].kind.values()).map(|value| (value, false)).collect();
    while let Some((value, before)) = work.pop() {
        if !(if before { &mut carried } else { &mut seen }).insert(value) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Param(block, n) if block == header => {
                work.extend(again.args.get(usize::from(n)).map(|next| (*next, true)));
            }
            ValueDef::Param(block, n) if block == body => {
                let targets = function.blocks[header].term.targets().filter(|target| target.block == body);
                work.extend(targets.filter_map(|target| Some((*target.args.get(usize::from(n))?, before))));
            }
            ValueDef::Inst(inst, _) if inside.contains(&inst) => {
                let kind = &function.insts[inst].kind;
                if before && is_slow_load(function, kind) {
                    return false;
                }
                work.extend(kind.values().map(|value| (value, before)));
            }
            _ => {}
        }
    }
    true
}

/// Returns whether an instruction writes a work-item's own memory.
fn writes_private(function: &Function, kind: &InstKind) -> bool {
    let place = kind.place().filter(|_| kind.effects(function).writes);
    matches!(place, Some(Place::Pointer(p)) if function.ty(p) == Type::Ptr(Space::Private))
}

/// Returns whether an instruction loads from distant memory: global, constant or generic.
fn is_slow_load(function: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { place: Place::Pointer(p), .. } => {
            matches!(function.ty(*p), Type::Ptr(Space::Global | Space::Constant | Space::Generic))
        }
        _ => false,
    }
}

/// The cost of an iteration and the number of its loads from distant memory, without what is the same in every iteration.
fn cost_of_iteration(function: &Function, data: &LoopData, only_loads: bool) -> (usize, usize) {
    let (mut total, mut loads) = (0, 0);
    let params = data.blocks.iter().flat_map(|block| &function.blocks[*block].params);
    let mut varying: FxHashSet<Value> = params.copied().collect();
    for inst in data.blocks.iter().flat_map(|block| &function.blocks[*block].insts) {
        let data = &function.insts[*inst];
        let effects = data.kind.effects(function);
        let is_same = !effects.writes && (only_loads || !effects.reads) && effects.idempotent;
        if is_same && !data.kind.values().any(|value| varying.contains(&value)) {
            continue;
        }
        varying.extend(data.results.iter().copied());
        total += cost(function, *inst);
        loads += usize::from(is_slow_load(function, &data.kind));
    }
    (total, loads)
}

/// About how many instructions of a GPU an instruction becomes.
fn cost(function: &Function, inst: Inst) -> usize {
    let data = &function.insts[inst];
    let ty = data.results.first().map_or(Type::BOOL, |result| function.ty(*result));
    let wide = if ty.scalar().is_some_and(|s| s.bits() == 64) { 3 } else { 1 };
    let is_constant = |value: &Value| function.const_bits(*value).is_some();
    let each = match &data.kind {
        InstKind::RootAddr(_) | InstKind::PtrOffset { .. } | InstKind::PtrCast(_) | InstKind::Bitcast(_) => 0,
        InstKind::Construct(_) | InstKind::Extract(..) | InstKind::Insert { .. } | InstKind::Shuffle(..) => {
            return 0;
        }
        InstKind::Binary(BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem, _, by)
            if is_constant(by) =>
        {
            4 * wide
        }
        InstKind::Binary(BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem, ..) => 16 * wide,
        InstKind::Binary(BinaryOp::FDiv | BinaryOp::FRem, ..) | InstKind::Glsl { .. } => 8 * wide,
        InstKind::Binary(BinaryOp::IMul, ..) if ty.scalar() == Some(Scalar::I64) => 3,
        _ => 1,
    };
    each * usize::from(ty.lanes())
}

//! Guards: one condition that stands for the tests of several iterations.

use crate::analysis::loops::{self, Test};
use crate::analysis::ranges::Ranges;
use crate::analysis::trip_count::closed_form;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BranchTarget, Function, Inst, InstKind, IntCC, Terminator, Type, UnaryOp, Value,
    ValueDef,
};
use crate::transform::clone::Region;
use crate::transform::loops::Guard;
use rustc_hash::FxHashSet;

/// Invariant operations behind the end of a counter are followed to this depth.
const MAX_DEPTH: u32 = 6;
/// Limit on the distance that a counter moves in a trip.
const MAX_DISTANCE: u64 = 1 << 20;
/// No device has larger work-groups.
const MAX_GROUP_SIZE: u64 = 1 << 16;

/// What ends a loop.
pub(super) enum Bound {
    /// A counter.
    Counter(Counter),
    /// A test that is made for each iteration.
    Tests(Tests),
}

/// A counter with a constant step and an invariant end. The loop continues where `counter cc end` holds.
pub(super) struct Counter {
    /// The header's parameter, by its number.
    pub(super) param: usize,
    pub(super) start: Option<Value>,
    pub(super) step: i64,
    pub(super) cc: IntCC,
    end: Value,
    /// The instructions in the loop that compute the end, in order.
    computing_end: Vec<Inst>,
}

/// A test that may be made for iterations that do not take place.
pub(super) struct Tests {
    /// The loop's test, and whether the loop continues where it holds.
    test: Value,
    stays: bool,
    /// The header's parameters in the next iteration. `None` for those that no test depends on.
    next: Vec<Option<Value>>,
    /// The instructions, in order, that compute the test and the parameters that it depends on.
    deciding: Vec<Inst>,
}

impl Bound {
    /// The counter that ends a loop. `None` where the trip count is a constant.
    pub(super) fn counted(
        function: &Function,
        (cfg, data): (&Cfg, &LoopData),
        test: &Test,
        inside: &FxHashSet<Inst>,
    ) -> Option<Bound> {
        let (cc, a, b) = test.comparison(function)?;
        let counter = [(cc, a, b), (fold::swap_icmp(cc), b, a)]
            .into_iter()
            .find_map(|(cc, value, end)| Counter::new(function, (cfg, data), (cc, value, end), inside))?;
        if closed_form(function, cfg, data, test).is_some() {
            return None;
        }
        Some(Bound::Counter(counter))
    }

    /// Returns whether the loop may have several trips of so many iterations.
    pub(super) fn is_worth(&self, function: &Function, cfg: &Cfg, times: usize) -> bool {
        match self {
            Bound::Counter(counter) => counter.is_worth(function, cfg, times as u64),
            Bound::Tests(_) => true,
        }
    }

    /// Makes the blocks of the guard for so many iterations.
    pub(super) fn guard(&self, function: &mut Function, data: &LoopData, times: usize) -> Guard {
        let (entry, header) = (function.new_detached_block(), function.new_detached_block());
        Region::default().params(function, data.header, entry);
        Region::default().params(function, data.header, header);
        let args = function.blocks[entry].params.iter().copied().collect();
        function.blocks[entry].term = Terminator::Branch(BranchTarget { block: header, args });
        let holds = match self {
            Bound::Counter(counter) => counter.holds(function, (entry, header), times as u64),
            Bound::Tests(tests) => tests.hold(function, (data.header, header), times),
        };
        Guard { times, entry, header, holds }
    }
}

impl Counter {
    fn new(
        function: &Function,
        (cfg, data): (&Cfg, &LoopData),
        (cc, value, end): (IntCC, Value, Value),
        inside: &FxHashSet<Inst>,
    ) -> Option<Counter> {
        let ValueDef::Param(block, param) = function.values[value].def else { return None };
        let param = usize::from(param);
        let Type::Scalar(scalar) = function.ty(value) else { return None };
        if block != data.header || scalar.bits() < 32 {
            return None;
        }
        let carried = loops::carried(function, cfg, data, param)?;
        let step = loops::constant_step(function, value, carried.next?)?;
        let towards = match cc {
            IntCC::Slt | IntCC::Sle | IntCC::Ult | IntCC::Ule => step > 0,
            IntCC::Sgt | IntCC::Sge | IntCC::Ugt | IntCC::Uge => step < 0,
            IntCC::Ne => step != 0,
            IntCC::Eq => false,
        };
        if !towards || step.unsigned_abs() > MAX_DISTANCE {
            return None;
        }
        let mut found = FxHashSet::default();
        computing(function, data, inside, end, MAX_DEPTH, &mut found)?;
        let order = data.blocks.iter().flat_map(|block| &function.blocks[*block].insts).copied();
        let computing_end = order.filter(|inst| found.contains(inst)).collect();
        Some(Counter { param, start: carried.start, step, cc, end, computing_end })
    }

    fn is_worth(&self, function: &Function, cfg: &Cfg, times: u64) -> bool {
        let step = self.step.unsigned_abs();
        let Some(distance) = step.checked_mul(times).filter(|distance| *distance <= MAX_DISTANCE) else {
            return false;
        };
        let mut ranges = Ranges::new(function, cfg).with_items(MAX_GROUP_SIZE);
        let end = ranges.least_and_greatest(self.end);
        let bits = function.ty(self.end).scalar().map_or(64, |scalar| scalar.bits());
        let Some(start) = self.start else { return self.cc != IntCC::Ne && !is_in_the_middle(end, bits) };
        let is_constant = function.const_bits(start).is_some();
        let start = ranges.least_and_greatest(start);
        if is_in_the_middle(start, bits)
            || is_in_the_middle(end, bits)
            || (self.cc == IntCC::Ne && !is_constant)
        {
            return false;
        }
        let (from, to) = if self.step > 0 { (start.0, end.1) } else { (end.0, start.1) };
        // Negative numbers are large ones here, and unknown numbers may be negative.
        let known = start.1 <= i32::MAX as u64 && end.1 <= i32::MAX as u64;
        !known || to.saturating_sub(from) >= 2 * distance
    }

    /// The condition that the test holds for the counter and for the next `times - 1` values of it.
    fn holds(&self, function: &mut Function, (entry, header): (Block, Block), times: u64) -> Value {
        let counter = function.blocks[header].params[self.param];
        let ty = function.ty(counter);
        let mut region = Region::default();
        for inst in &self.computing_end {
            let copied = region.inst(function, *inst);
            function.blocks[entry].insts.push(copied);
        }
        let end = region.value(self.end);
        let distance = (times - 1) * self.step.unsigned_abs();
        if self.cc == IntCC::Ne {
            // None of the values is the end if it is farther than the last one, also around the type's limits.
            let (far, near) = if self.step > 0 { (end, counter) } else { (counter, end) };
            let left = function.append(header, InstKind::Binary(BinaryOp::ISub, far, near), ty);
            let distance = function.iconst(ty, distance);
            return function.append(header, InstKind::ICmp(IntCC::Ugt, left, distance), Type::BOOL);
        }
        // `counter <= end` is `counter < end + 1`.
        let (cc, distance) = match self.cc {
            IntCC::Sle => (IntCC::Slt, distance - 1),
            IntCC::Ule => (IntCC::Ult, distance - 1),
            IntCC::Sge => (IntCC::Sgt, distance - 1),
            IntCC::Uge => (IntCC::Ugt, distance - 1),
            cc => (cc, distance),
        };
        let bits = ty.scalar().map_or(64, |scalar| scalar.bits());
        let all = fold::mask(bits);
        // An end that is not so far from the type's limit becomes the limit, which no counter is beyond.
        let (clamp, limit, back) = match cc {
            IntCC::Slt => (BinaryOp::SMax, (all >> 1) + 1, BinaryOp::ISub),
            IntCC::Ult => (BinaryOp::UMax, 0, BinaryOp::ISub),
            IntCC::Sgt => (BinaryOp::SMin, all >> 1, BinaryOp::IAdd),
            _ => (BinaryOp::UMin, all, BinaryOp::IAdd),
        };
        let nearest = if back == BinaryOp::ISub { limit + distance } else { limit - distance };
        let nearest = function.iconst(ty, nearest);
        let end = function.append(entry, InstKind::Binary(clamp, end, nearest), ty);
        let distance = function.iconst(ty, distance);
        let end = function.append(entry, InstKind::Binary(back, end, distance), ty);
        function.append(header, InstKind::ICmp(cc, counter, end), Type::BOOL)
    }
}

/// Returns whether an unsigned number is in the middle half of its type's range, where NVIDIA's driver (580) counts loops wrongly. The pass
/// `opaque_step` hides the step of such a loop. It knows the loop by its start, which the loop for the rest no longer has.
fn is_in_the_middle((least, greatest): (u64, u64), bits: u32) -> bool {
    let quarter = 1u64 << (bits - 2);
    least >= quarter && greatest <= 3 * quarter
}

impl Tests {
    /// The test of a loop of two blocks. `None` where it depends on loads, or where each parameter that it depends on has a constant step: the driver
    /// counts such loops.
    pub(super) fn new(
        function: &Function,
        header: Block,
        body: Block,
        test: &Test,
        inside: &FxHashSet<Inst>,
    ) -> Option<Tests> {
        let (head, code) = (&function.blocks[header], &function.blocks[body]);
        let Terminator::Branch(again) = &code.term else { return None };
        if !code.params.is_empty() || !head.insts.iter().all(|inst| can_come_early(function, *inst)) {
            return None;
        }
        let next = again.args.to_vec();
        let found = deciding(function, header, inside, test.cond, &next)?;
        let order = head.insts.iter().chain(&code.insts).copied();
        let deciding = order.filter(|inst| found.contains(inst)).collect();
        let is_known = |value: &Value| match function.values[*value].def {
            ValueDef::Inst(inst, _) => !inside.contains(&inst) || found.contains(&inst),
            _ => true,
        };
        let next = next.into_iter().map(|value| Some(value).filter(is_known)).collect();
        Some(Tests { test: test.cond, stays: test.stays, next, deciding })
    }

    /// The condition that the test holds in so many iterations.
    fn hold(&self, function: &mut Function, (old, header): (Block, Block), times: usize) -> Value {
        let params = function.blocks[old].params.clone();
        let mut now: Vec<Value> = function.blocks[header].params.clone();
        let mut all: Option<Value> = None;
        for _ in 0..times {
            let values = params.iter().copied().zip(now.iter().copied()).collect();
            let mut iteration = Region { values, ..Region::default() };
            for inst in &self.deciding {
                let copied = iteration.inst(function, *inst);
                function.blocks[header].insts.push(copied);
            }
            let test = iteration.value(self.test);
            // All continue, or some exits.
            let op = if self.stays { BinaryOp::And } else { BinaryOp::Or };
            all = Some(match all {
                Some(all) => function.append(header, InstKind::Binary(op, all, test), Type::BOOL),
                None => test,
            });
            let next =
                |(next, now): (&Option<Value>, &Value)| next.map_or(*now, |next| iteration.value(next));
            now = self.next.iter().zip(&now).map(next).collect();
        }
        let all = all.unwrap_or(self.test);
        if self.stays { all } else { function.append(header, InstKind::Unary(UnaryOp::Not, all), Type::BOOL) }
    }
}

/// Collects the loop's instructions that compute a value which no iteration changes. `None` if that is not known.
fn computing(
    function: &Function,
    data: &LoopData,
    inside: &FxHashSet<Inst>,
    value: Value,
    depth: u32,
    found: &mut FxHashSet<Inst>,
) -> Option<()> {
    match function.values[value].def {
        ValueDef::Param(block, _) => (!data.blocks.contains(&block)).then_some(()),
        ValueDef::Inst(inst, _) if inside.contains(&inst) => {
            if depth == 0 || !can_come_early(function, inst) {
                return None;
            }
            found.insert(inst);
            let mut operands = function.insts[inst].kind.values();
            operands.try_for_each(|operand| computing(function, data, inside, operand, depth - 1, found))
        }
        _ => Some(()),
    }
}

/// The instructions that compute a test and the parameters that it depends on. `None` where loads are among them, or where each such
/// parameter has a constant step.
fn deciding(
    function: &Function,
    header: Block,
    inside: &FxHashSet<Inst>,
    test: Value,
    next: &[Value],
) -> Option<FxHashSet<Inst>> {
    let mut found: FxHashSet<Inst> = FxHashSet::default();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut steps = false;
    let mut work = vec![test];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Param(block, n) if block == header => {
                let next = *next.get(usize::from(n))?;
                steps |= value != next && loops::constant_step(function, value, next).is_none();
                work.push(next);
            }
            ValueDef::Inst(inst, _) if inside.contains(&inst) => {
                if !can_come_early(function, inst) {
                    return None;
                }
                found.insert(inst);
                work.extend(function.insts[inst].kind.values());
            }
            _ => {}
        }
    }
    steps.then_some(found)
}

/// Returns whether an instruction may be executed for iterations that do not take place.
fn can_come_early(function: &Function, inst: Inst) -> bool {
    let kind = &function.insts[inst].kind;
    let effects = kind.effects(function);
    let by_constant = match kind {
        InstKind::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, x, by) => {
            let bits = function.ty(*x).scalar().map_or(0, |s| u64::from(s.bits()));
            function.const_bits(*by).is_some_and(|by| by < bits)
        }
        _ => false,
    };
    effects.can_be_speculated() && !effects.reads || by_constant
}

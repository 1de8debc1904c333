//! The counters of the loops of a region: their intervals, and those of all values that each iteration changes by a constant.
//!
//! A test ends the loop: `counter < end`, in a block that each iteration passes. So the counter is below the end wherever the test came first, and
//! at most one step farther elsewhere. The conditions say that no step wraps around. Other exits make fewer iterations.

use super::bounds::Bound;
use super::intervals::{Evaluator, Interval};
use crate::analysis::loops::{self, Carried, Test};
use crate::ir::cfg::LoopData;
use crate::ir::{BinaryOp, Block, ConvertOp, InstKind, IntCC, Type, Value, fold};
use rustc_hash::FxHashMap;

/// The numbers that a loop's counter has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// The header's parameter.
    param: usize,
    /// Those behind the test.
    tested: Interval,
    /// All of them.
    all: Interval,
    /// The block that is reached only where the test has passed.
    behind: Option<Block>,
    /// The greatest number of iterations behind the test and elsewhere, less 1, where each changes the counter by a constant.
    iterations: Option<(Bound, Bound)>,
}

/// The counters that are known.
#[derive(Default)]
pub(super) struct Runs {
    known: FxHashMap<(usize, u64), Option<Run>>,
    /// The blocks behind the tests of loops.
    behind: FxHashMap<usize, Option<Block>>,
    /// The loops that are looked at.
    active: Vec<usize>,
}

/// A test of a counter.
#[derive(Debug, Clone, Copy)]
struct Exit {
    param: usize,
    carried: Carried,
    /// The comparison that holds while the loop goes on, of the counter and a value.
    cc: IntCC,
    end: Value,
    /// The counter's numbers are signed.
    signed: bool,
    /// The counter's next number is compared.
    of_next: bool,
    test: Test,
}

/// A step of a counter, away from its start.
#[derive(Debug, Clone, Copy)]
struct Step {
    up: bool,
    by: Bound,
}

impl Evaluator<'_, '_, '_> {
    /// The parameter's value in front of a loop.
    pub fn start_of(&self, index: usize, n: usize) -> Option<Value> {
        let f = &*self.out.rw.f;
        let start = loops::carried(f, self.region.cfg, &self.region.loops.loops[index], n)?.start;
        let of_entry = || f.blocks[self.region.entry].params.get(n).copied();
        start.or_else(|| of_entry().filter(|_| index == self.region.index))
    }

    /// The bytes that each iteration adds to a pointer.
    pub fn pointer_step(&self, index: usize, n: usize, pointer: Value) -> Option<i64> {
        let f = &*self.out.rw.f;
        let data = &self.region.loops.loops[index];
        let mut next = loops::carried(f, self.region.cfg, data, n)?.next?;
        let mut bytes = 0i64;
        for _ in 0..8 {
            if next == pointer {
                return Some(bytes);
            }
            next = match f.def_inst(next)?.kind {
                InstKind::PtrOffset { base, bytes: more } => {
                    bytes = bytes.checked_add(more)?;
                    base
                }
                InstKind::PtrAdd { base, index, scale } => {
                    let more = f.const_signed(index)?.checked_mul(i64::try_from(scale).ok()?)?;
                    bytes = bytes.checked_add(more)?;
                    base
                }
                _ => return None,
            };
        }
        None
    }

    /// The tests that come before a block in its iterations, a bit for each loop of the region.
    pub fn passed_tests(&self, at: Block) -> u64 {
        let bit = |(index, behind): (&usize, &Option<Block>)| {
            let passed = behind.is_some_and(|behind| self.region.cfg.dominates(behind, at));
            let inside = self.region.loops.contains(*index, at);
            u64::from(passed && inside) << (index - self.region.index).min(63)
        };
        self.runs.behind.iter().map(bit).fold(0, |all, bit| all | bit)
    }

    /// Finds the tests of all counters of the region. There are fewer than 64 loops.
    pub fn find_tests(&mut self) {
        for index in self.region.index..self.region.loops.loops.len() {
            let header = self.region.loops.loops[index].header;
            if self.region.contains(header) {
                let exit = self.exit(index);
                let behind = exit.and_then(|exit| self.behind(exit.test));
                self.runs.behind.insert(index, behind);
            }
        }
    }

    /// The block behind a test, if nothing else leads to it.
    fn behind(&self, test: Test) -> Option<Block> {
        let arms = self.out.rw.f.blocks[test.block].term.targets();
        let mut arms = arms.map(|target| target.block);
        let (then, els) = (arms.next()?, arms.next()?);
        let stays = if test.stays { then } else { els };
        (then != els && self.region.cfg.preds(stays).len() == 1).then_some(stays)
    }

    /// The test that ends a loop by its counter.
    fn exit(&self, index: usize) -> Option<Exit> {
        let (f, region) = (&*self.out.rw.f, self.region);
        let data = &region.loops.loops[index];
        let each = |block: &Block| data.latches.iter().all(|latch| region.cfg.dominates(*block, *latch));
        let own = |block: &&Block| region.loops.innermost(**block) == Some(index) && each(block);
        data.blocks.iter().filter(own).find_map(|block| {
            let test = Test::of_block(f, *block, |b| region.loops.contains(index, b))?;
            let both = |(cc, a, b): (IntCC, Value, Value)| [(cc, a, b), (fold::swap_icmp(cc), b, a)];
            let mut comparisons = test.comparisons(f).into_iter().flat_map(both);
            comparisons.find_map(|comparison| self.counter(data, comparison, test))
        })
    }

    /// The counter that an operand of a comparison is.
    fn counter(
        &self,
        data: &LoopData,
        (cc, operand, end): (IntCC, Value, Value),
        test: Test,
    ) -> Option<Exit> {
        let f = &*self.out.rw.f;
        let Type::Scalar(scalar) = f.ty(operand) else { return None };
        if !scalar.is_int() || cc == IntCC::Eq {
            return None;
        }
        let mut signed = fold::unsigned_icmp(cc) != cc || cc == IntCC::Ne;
        let counter = match f.def_inst(operand).map(|inst| &inst.kind) {
            Some(InstKind::Convert { op: op @ (ConvertOp::SExt | ConvertOp::ZExt), value, .. }) => {
                signed = *op == ConvertOp::SExt;
                *value
            }
            _ => operand,
        };
        if f.ty(counter).scalar().is_none_or(|s| s.bits() < 32) {
            return None;
        }
        let params = 0..f.blocks[data.header].params.len();
        params.into_iter().find_map(|param| {
            let carried = loops::carried(f, self.region.cfg, data, param)?;
            let next = carried.next?;
            let of_next = counter == next;
            let wanted = of_next || counter == carried.param;
            wanted.then_some(Exit { param, carried, cc, end, signed, of_next, test })
        })
    }

    /// The interval of a parameter of a loop's header.
    pub fn carried(
        &mut self,
        index: usize,
        n: usize,
        param: Value,
        at: Block,
        depth: u32,
    ) -> Option<Interval> {
        let run = self.run(index, at, depth)?;
        if run.param == n {
            return Some(if self.is_tested(index, run, at) { run.tested } else { run.all });
        }
        let data = &self.region.loops.loops[index];
        let next = loops::carried(self.out.rw.f, self.region.cfg, data, n)?.next?;
        let step = loops::constant_step(self.out.rw.f, param, next)?;
        let start = self.start_of(index, n)?;
        let start = self.interval(start, true, at, depth);
        self.stepped(index, (start, step), at, depth)
    }

    fn is_tested(&self, index: usize, run: Run, at: Block) -> bool {
        let passed = run.behind.is_some_and(|behind| self.region.cfg.dominates(behind, at));
        passed && self.region.loops.contains(index, at)
    }

    /// The interval of a number that each iteration changes by a constant.
    pub fn stepped(
        &mut self,
        index: usize,
        (start, step): (Interval, i64),
        at: Block,
        depth: u32,
    ) -> Option<Interval> {
        let run = self.run(index, at, depth)?;
        let (tested, all) = run.iterations?;
        let iterations = if self.is_tested(index, run, at) { tested } else { all };
        let distance = self.out.times(iterations, step)?;
        let mut moved = |bound: Option<Bound>| bound.and_then(|bound| self.out.add(bound, distance));
        Some(match step < 0 {
            true => Interval { low: moved(start.low), high: start.high },
            false => Interval { low: start.low, high: moved(start.high) },
        })
    }

    /// The numbers of a loop's counter.
    fn run(&mut self, index: usize, at: Block, depth: u32) -> Option<Run> {
        let key = (index, self.passed_tests(at));
        if let Some(known) = self.runs.known.get(&key) {
            return *known;
        }
        if self.runs.active.contains(&index) {
            return None;
        }
        self.runs.active.push(index);
        let found = self.exit(index).and_then(|exit| self.run_of(index, exit, at, depth));
        self.runs.active.pop();
        self.runs.known.insert(key, found);
        found
    }

    /// The step of a counter: a constant, or a positive number that is added.
    fn step(&mut self, exit: &Exit, at: Block, depth: u32) -> Option<Step> {
        let (f, param, next) = (&*self.out.rw.f, exit.carried.param, exit.carried.next?);
        if let Some(by) = loops::constant_step(f, param, next) {
            let distance = i64::try_from(by.unsigned_abs()).ok().filter(|n| (1..1 << 31).contains(n))?;
            return Some(Step { up: by > 0, by: Bound::constant(distance) });
        }
        let inner = match f.def_inst(next)?.kind {
            InstKind::Convert { op: ConvertOp::Trunc, value, .. } => value,
            _ => next,
        };
        let InstKind::Binary(BinaryOp::IAdd, a, b) = f.def_inst(inner)?.kind else { return None };
        let is_counter = |value: Value| {
            value == param
                || matches!(
                    f.def_inst(value).map(|inst| &inst.kind),
                    Some(InstKind::Convert { op: ConvertOp::SExt | ConvertOp::ZExt, value, .. }) if *value == param
                )
        };
        let by = if is_counter(a) { b } else { Some(a).filter(|_| is_counter(b))? };
        let by = self.operand(by, true, at, depth).single()?;
        let by = self.out.at_least(by, 1)?;
        Some(Step { up: true, by: self.out.at_most(by, (1 << 31) - 1)? })
    }

    fn run_of(&mut self, index: usize, exit: Exit, at: Block, depth: u32) -> Option<Run> {
        let depth = depth.checked_sub(1)?;
        let scalar = self.out.rw.f.ty(exit.carried.param).scalar()?;
        let width = scalar.bits();
        let start = self.start_of(index, exit.param)?;
        let start = self.operand(start, exit.signed, at, depth);
        let step = self.step(&exit, at, depth)?;
        let compares_signed = fold::unsigned_icmp(exit.cc) != exit.cc || exit.cc == IntCC::Ne;
        let end = self.operand(exit.end, compares_signed || exit.signed, at, depth);
        let ((first_low, first_high), (end_low, end_high)) = (start.both()?, end.both()?);
        let (limit_low, limit_high) = match (width, exit.signed) {
            (64, _) => (i64::MIN / 2, i64::MAX / 2),
            (_, true) => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            (_, false) => (0, (1i64 << width) - 1),
        };
        if !compares_signed {
            // The end is no negative number in disguise.
            self.out.at_least(end_low, 0)?;
        }
        let by_one = step.by == Bound::constant(1);
        let strict = match (exit.cc, step.up) {
            (IntCC::Slt | IntCC::Ult, true) | (IntCC::Sgt | IntCC::Ugt, false) => true,
            (IntCC::Sle | IntCC::Ule, true) | (IntCC::Sge | IntCC::Uge, false) => false,
            (IntCC::Ne, true) if by_one => {
                let room = self.out.sub(end_low, first_high)?;
                self.out.at_least(room, i64::from(exit.of_next))?;
                true
            }
            (IntCC::Ne, false) if by_one => {
                let room = self.out.sub(first_low, end_high)?;
                self.out.at_least(room, i64::from(exit.of_next))?;
                true
            }
            _ => return None,
        };
        let exact = start.single().zip(end.single()).is_some();
        let steps = step.by.base.is_none().then_some(step.by.add);
        let (mut tested, mut all) = (start, start);
        let iterations;
        if step.up {
            let mut last = if strict { end_high.plus(-1)? } else { end_high };
            if let Some(by) = steps.filter(|by| *by > 1 && exact) {
                let rest = self.distance(last, first_low)?;
                let count = self.out.quotient(rest, by)?;
                let distance = self.out.times(count, by)?;
                last = self.out.add(first_low, distance)?;
            }
            let beyond = self.out.add(last, step.by)?;
            if !(strict && by_one) {
                self.out.at_most(beyond, limit_high)?;
            }
            if exit.of_next {
                let second = self.out.add(first_high, step.by)?;
                self.out.at_most(second, limit_high)?;
                tested.high = Some(self.out.sub(last, step.by)?);
                all.high = Some(self.out.max(first_high, last));
            } else {
                tested.high = Some(last);
                all.high = Some(self.out.max(first_high, beyond));
            }
            iterations = self.iterations(steps, tested.high.zip(all.high), first_low, true);
        } else {
            let by = steps?;
            let mut last = if strict { end_low.plus(1)? } else { end_low };
            if by > 1 && exact {
                let rest = self.distance(first_high, last)?;
                let count = self.out.quotient(rest, by)?;
                let distance = self.out.times(count, -by)?;
                last = self.out.add(first_high, distance)?;
            }
            let beyond = last.plus(-by)?;
            if !(strict && by_one) {
                self.out.at_least(beyond, limit_low)?;
            }
            if exit.of_next {
                let second = first_low.plus(-by)?;
                self.out.at_least(second, limit_low)?;
                tested.low = Some(last.plus(by)?);
                all.low = Some(self.out.min(first_low, last));
            } else {
                tested.low = Some(last);
                all.low = Some(self.out.min(first_low, beyond));
            }
            iterations = self.iterations(steps, tested.low.zip(all.low), first_high, false);
        }
        let behind = self.runs.behind.get(&index).copied().flatten();
        Some(Run { param: exit.param, tested, all, behind, iterations })
    }

    /// The distance from one number up to another, at least 0.
    fn distance(&mut self, far: Bound, near: Bound) -> Option<Bound> {
        let distance = self.out.sub(far, near)?;
        Some(self.out.max(distance, Bound::constant(0)))
    }

    /// The greatest number of steps from the start to the ends.
    fn iterations(
        &mut self,
        steps: Option<i64>,
        ends: Option<(Bound, Bound)>,
        start: Bound,
        up: bool,
    ) -> Option<(Bound, Bound)> {
        let (tested, all) = ends?;
        let mut count = |end: Bound| {
            let distance = if up { self.distance(end, start) } else { self.distance(start, end) };
            distance.and_then(|distance| self.out.quotient(distance, steps?))
        };
        Some((count(tested)?, count(all)?))
    }
}

//! The loops for which a driver may compute a wrong trip count.
//!
//! Mesa's trip count is right for these starts, ends and steps, as all of those of 8 bits show. An integer moves towards its end
//! without passing the limits of its type, or steps until it equals the end. If the test uses the next value, the first step may not
//! wrap either. For floats the sums must equal the products.
//!
//! NVIDIA needs more. No unsigned counter passes the middle of its range, and the distance from start to end does not wrap in loops
//! that always have one iteration.

use super::{Counter, Relation, Test, narrowed};
use crate::analysis::ranges::Ranges;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, ConvertOp, FloatCC, Function, InstKind, IntCC, Scalar, Terminator, UnaryOp, Value,
    ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// The largest depth of expressions that is followed.
const DEPTH: u32 = 8;
/// The largest trip count that drivers unroll.
const MAX_ITERATIONS: u64 = 160;
/// No device has larger work-groups.
const MAX_GROUP_SIZE: u64 = 1 << 16;
/// SPIR-V's loop control Unroll.
const UNROLL: u32 = 1;

/// One loop of a function.
pub struct Loop<'f> {
    pub function: &'f Function,
    cfg: &'f Cfg,
    loops: &'f Loops,
    index: usize,
    ranges: RefCell<Ranges<'f>>,
}

impl<'f> Loop<'f> {
    pub fn new(function: &'f Function, cfg: &'f Cfg, loops: &'f Loops, index: usize) -> Self {
        let ranges = RefCell::new(Ranges::new(function, cfg).with_items(MAX_GROUP_SIZE));
        Loop { function, cfg, loops, index, ranges }
    }

    /// The least and the greatest number that an unsigned integer can be.
    fn range(&self, value: Value) -> (u64, u64) {
        self.ranges.borrow_mut().least_and_greatest(value)
    }

    pub fn is_inside(&self, block: Block) -> bool {
        self.loops.contains(self.index, block)
    }

    /// The arguments for a block's parameter, with their predecessors.
    pub fn arguments(&self, block: Block, n: u16) -> impl Iterator<Item = (Block, Value)> + use<'_, 'f> {
        let mut preds = self.cfg.preds(block).to_vec();
        preds.sort_unstable();
        preds.dedup();
        preds.into_iter().flat_map(move |from| {
            let targets = self.function.blocks[from].term.targets().filter(move |t| t.block == block);
            targets.filter_map(move |t| Some((from, *t.args.get(usize::from(n))?)))
        })
    }

    /// Returns whether the driver may compute a wrong trip count from a counter, if a test decides the exit.
    pub fn may_be_miscounted(&self, counter: &Counter, test: &Test) -> bool {
        let (value, narrow) = narrowed(self.function, test.value);
        let ahead = counter.adds.iter().any(|(inst, _)| self.function.insts[*inst].results.contains(&value));
        if !ahead && value != counter.param {
            return false;
        }
        counter.adds.iter().any(|(inst, step)| {
            let falls = matches!(
                self.function.insts[*inst].kind,
                InstKind::Binary(BinaryOp::ISub | BinaryOp::FSub, ..)
            );
            let course = Course {
                in_loop: self,
                start: counter.start,
                end: test.end,
                step: *step,
                falls,
                ahead,
                narrow,
            };
            match test.relation {
                Relation::Int(cc) => course.is_risky(cc),
                Relation::Float(cc) => course.is_risky_float(cc),
            }
        })
    }

    /// Returns whether the driver may unroll the loop wrongly by a hint, if this condition decides the exit: it is loop-invariant, so that the loop has
    /// one iteration or is infinite.
    pub fn exits_on_invariant(&self, condition: Value, data: &LoopData) -> bool {
        let f = self.function;
        let mut inside = vec![false; f.insts.len()];
        for inst in data.blocks.iter().flat_map(|block| &f.blocks[*block].insts) {
            inside[inst.0 as usize] = true;
        }
        let (mut work, mut seen) = (vec![condition], FxHashSet::default());
        while let Some(value) = work.pop() {
            match f.values[value].def {
                ValueDef::Const(_) => {}
                ValueDef::Param(block, _) if self.is_inside(block) => return false,
                ValueDef::Param(..) => {}
                ValueDef::Inst(inst, _) if !inside[inst.0 as usize] => {}
                ValueDef::Inst(inst, _) => {
                    let kind = &f.insts[inst].kind;
                    if !kind.effects(f).can_be_numbered() || matches!(kind, InstKind::Load { .. }) {
                        return false;
                    }
                    work.extend(kind.values().filter(|v| seen.insert(*v)));
                }
            }
        }
        true
    }

    /// Returns whether the driver may unroll the loop wrongly by a hint, if this test at the end of an iteration decides the exit: the step is known
    /// only at run time, and may move away from the end.
    pub fn may_be_unrolled_wrongly(&self, counter: &Counter, test: &Test) -> bool {
        let (value, _) = narrowed(self.function, test.value);
        let up = matches!(test.relation, Relation::Int(IntCC::Uge | IntCC::Ugt | IntCC::Sge | IntCC::Sgt));
        let width = self.function.ty(value).scalar().map_or(0, Scalar::bits);
        counter.adds.iter().any(|(inst, step)| {
            let f = self.function;
            let rises = width > 4
                && self.range(*step).1 < 1 << (width - 4)
                && matches!(f.insts[*inst].kind, InstKind::Binary(BinaryOp::IAdd, ..));
            f.insts[*inst].results.contains(&value)
                && f.const_bits(*step).is_none()
                && matches!(test.relation, Relation::Int(_))
                && !(up && rises)
        })
    }

    /// Returns whether a value may change between iterations, also for the driver's compiler.
    fn varies(&self, value: Value, depth: u32) -> bool {
        match self.function.values[value].def {
            ValueDef::Const(_) => false,
            ValueDef::Param(block, n) => self.is_inside(block) && !self.may_be_fixed(block, n),
            ValueDef::Inst(inst, _) => {
                let kind = &self.function.insts[inst].kind;
                let effects = kind.effects(self.function);
                depth > 0
                    && (effects.writes
                        || effects.convergent
                        || kind.values().any(|v| self.varies(v, depth - 1)))
            }
        }
    }

    /// Returns whether a header parameter gets itself plus a step that may be a constant zero for the driver's compiler: such an end never moves.
    fn may_be_fixed(&self, block: Block, n: u16) -> bool {
        let f = self.function;
        let param = f.blocks[block].params[usize::from(n)];
        block == self.loops.loops[self.index].header
            && self.arguments(block, n).filter(|(from, _)| self.is_inside(*from)).all(|(_, value)| {
                let step = match f.def_inst(value).map(|inst| &inst.kind) {
                    Some(InstKind::Binary(BinaryOp::IAdd | BinaryOp::ISub, a, step)) if *a == param => *step,
                    Some(InstKind::Binary(BinaryOp::IAdd, step, a)) if *a == param => *step,
                    _ => return value == param,
                };
                f.const_bits(step).is_none_or(|bits| bits == 0) && self.may_be_constant(step)
            })
    }

    /// Returns whether a value may be a constant for the driver's compiler, which knows the size of work-groups.
    fn may_be_constant(&self, value: Value) -> bool {
        self.is_constant(value, DEPTH, &mut FxHashMap::default())
    }

    fn is_constant(&self, value: Value, depth: u32, known: &mut FxHashMap<Value, bool>) -> bool {
        if let Some(known) = known.get(&value) {
            return *known;
        }
        if depth == 0 {
            return true;
        }
        // A value that an outer loop carries may become one.
        known.insert(value, true);
        let is = match self.function.values[value].def {
            ValueDef::Const(_) => true,
            ValueDef::Param(block, _) if block == self.loops.loops[self.index].header => false,
            ValueDef::Param(block, _) if self.cfg.preds(block).is_empty() => false,
            ValueDef::Param(block, n) => {
                self.arguments(block, n).all(|(_, value)| self.is_constant(value, depth - 1, known))
            }
            ValueDef::Inst(inst, _) => {
                let kind = &self.function.insts[inst].kind;
                let made = matches!(
                    kind,
                    InstKind::WorkgroupSize(_)
                        | InstKind::LocalArgUnits(_)
                        | InstKind::BuffersCross
                        | InstKind::SeveralWindows
                );
                let effects = kind.effects(self.function);
                let load = matches!(kind, InstKind::Load { .. });
                let pure = effects.can_be_numbered() && kind.values().next().is_some() && !load;
                (made || pure) && kind.values().all(|v| self.is_constant(v, depth - 1, known))
            }
        };
        known.insert(value, is);
        is
    }
}

/// The course of a counter to its end.
struct Course<'a, 'f> {
    in_loop: &'a Loop<'f>,
    start: Option<Value>,
    end: Value,
    step: Value,
    /// The step is subtracted.
    falls: bool,
    /// The test looks at the next round's counter.
    ahead: bool,
    /// The test uses only the low bits of the counter, sign-extended or not.
    narrow: Option<(u32, bool)>,
}

impl Course<'_, '_> {
    fn function(&self) -> &Function {
        self.in_loop.function
    }

    /// Returns whether the trip count of an integer counter may be wrong. The loop exits when the counter compares so with the end.
    fn is_risky(&self, leaves: IntCC) -> bool {
        let f = self.function();
        let Some(whole) = f.ty(self.step).scalar().filter(|s| s.is_int()).map(Scalar::bits) else {
            return false;
        };
        let width = self.narrow.map_or(whole, |(bits, _)| bits);
        let of_end = f.const_bits(self.end);
        let start = self.start.and_then(|start| f.const_bits(start));
        let step = f.const_bits(self.step).map(|s| if self.falls { s.wrapping_neg() } else { s });
        let step = step.map(|s| i128::from(fold::signed(s & fold::mask(width), width)));
        match leaves {
            // Left after the first step.
            IntCC::Ne => false,
            IntCC::Eq => self.is_risky_until_equal(width, start.zip(of_end), step),
            _ => self.is_risky_until_past(leaves, width, (start, of_end), step),
        }
    }

    fn is_risky_until_equal(&self, width: u32, ends: Option<(u64, u64)>, step: Option<i128>) -> bool {
        let Some(step) = step else {
            // Large, if the driver knows it, or over half of all numbers with a few steps.
            let least = self.start.map_or(0, |start| self.in_loop.range(start).0);
            let far = self.in_loop.range(self.step).1 >= 1 << (width - 4);
            return self.is_known()
                || self.in_loop.may_be_constant(self.step)
                    && !self.in_loop.varies(self.end, DEPTH)
                    && (far || least >= 1 << (width - 2));
        };
        if let Some((start, end)) = ends {
            let distance = i128::from(fold::signed(end.wrapping_sub(start), width));
            return self.may_cross_middle(width, step)
                || distance == 0 && self.ahead
                || distance % step.abs().max(1) != 0
                || distance * step.signum() < 0;
        }
        let large = step.unsigned_abs() > 1 && step.unsigned_abs() >= 1 << (width - 4);
        large && !self.in_loop.varies(self.end, DEPTH)
            || self.may_cross_middle(width, step)
            || self.ahead && self.is_known() && !self.start_differs_from_end()
            || self.end_is_minimum()
    }

    fn is_risky_until_past(
        &self,
        leaves: IntCC,
        width: u32,
        (start, end): (Option<u64>, Option<u64>),
        step: Option<i128>,
    ) -> bool {
        let up = matches!(leaves, IntCC::Uge | IntCC::Ugt | IntCC::Sge | IntCC::Sgt);
        let signed = self.narrow.map_or(fold::unsigned_icmp(leaves) != leaves, |(_, signed)| signed);
        let Some(step) = step else {
            // By a number of its own: up, if anything, and not far.
            let most = self.in_loop.range(self.step).1;
            let rises = most < 1 << (width - 4) && !self.falls;
            let wraps = || self.ahead && !self.first_step_is_short(leaves, most.into(), signed, width);
            return self.in_loop.may_be_constant(self.step)
                && (!(rises && up) || wraps())
                && !self.in_loop.varies(self.end, DEPTH);
        };
        if step == 0 {
            return false;
        }
        if step < 0 && self.end_is_negated() {
            return true;
        }
        let sign = 1i128 << (width - 1);
        let (least, most) = if signed { (-sign, sign - 1) } else { (0, 2 * sign - 1) };
        let number = |bits: u64| match fold::mask(width) & bits {
            bits if signed => i128::from(fold::signed(bits, width)),
            bits => bits.into(),
        };
        let (start, end) = (start.map(number), end.map(number));
        if (step > 0) != up || step.unsigned_abs() >= 1 << (width - 4) && (start.is_none() || end.is_none()) {
            return !self.in_loop.varies(self.end, DEPTH);
        }
        if (!matches!(leaves, IntCC::Sge | IntCC::Sgt) && self.end_is_minimum())
            || !signed && self.may_cross_middle(width, step)
            || self.ahead && self.may_wrap_distance(leaves, signed, width, step)
        {
            return true;
        }
        // One number beyond the end, if it may not be the end itself.
        let beyond =
            i128::from(matches!(leaves, IntCC::Ugt | IntCC::Sgt | IntCC::Ult | IntCC::Slt)) * step.signum();
        match (start, end) {
            (Some(start), Some(end)) => {
                let first = if self.ahead { start + step } else { start };
                let distance = (end + beyond - first) * step.signum();
                let iterations = (distance + (step.abs() - 1)).div_euclid(step.abs()).max(0);
                let hint = self.in_loop.function.blocks[self.in_loop.loops.loops[self.in_loop.index].header]
                    .loop_control;
                let last = first + iterations * step;
                !(least..=most).contains(&first)
                    || !(least..=most).contains(&last)
                    || width < 32 && hint & UNROLL != 0 && (end - start).abs() >= sign
            }
            (None, Some(end)) => {
                // Behind a wrap it has far to go, if it is not small.
                let past = width <= 16 && !(least..=most).contains(&(end + beyond + step - step.signum()));
                past && step.abs() != 1
                    || self.ahead && !self.first_step_is_short(leaves, step, signed, width)
            }
            (Some(start), None) => self.ahead && !(least..=most).contains(&(start + step)),
            (None, None) => {
                self.ahead
                    && !self.in_loop.varies(self.end, DEPTH)
                    && !self.first_step_is_short(leaves, step, signed, width)
            }
        }
    }

    /// Returns whether the end is the negative of a value. NVIDIA (580) computes a wrong trip count for `for (i = m; i >= -m; i--)`, whatever
    /// the start and the width are. Ends such as `1 - m`, and counters that rise, are right.
    fn end_is_negated(&self) -> bool {
        let f = self.function();
        let mut end = self.end;
        for _ in 0..DEPTH {
            end = match f.def_inst(end).map(|inst| &inst.kind) {
                Some(InstKind::Unary(UnaryOp::INeg, _)) => return true,
                Some(InstKind::Binary(BinaryOp::ISub, zero, _)) => return f.const_bits(*zero) == Some(0),
                Some(InstKind::Convert { value, .. }) => *value,
                _ => return false,
            };
        }
        false
    }

    /// Returns whether an unsigned counter may pass the middle of its range on the way to its end. NVIDIA assumes that no step does. Counters of few
    /// bits in words cannot.
    fn may_cross_middle(&self, width: u32, step: i128) -> bool {
        if self.narrow.is_some() {
            return false;
        }
        let half = 1 << (width - 1);
        let end = self.in_loop.range(self.end);
        let start = self.start.map_or((0, u64::MAX), |start| self.in_loop.range(start));
        // From a start that is near the half an end of which nothing is known may be beyond it.
        if step > 0 {
            start.0 < half && (end.0 >= half || start.0 >= half / 2 && end.1 >= half)
        } else {
            start.0 >= half && (end.1 < half || start.1 < half + half / 2 && end.0 < half)
        }
    }

    /// Returns whether the end may be more than half of the range behind the start, in a loop that has one iteration then. NVIDIA computes the trip
    /// count from the wrapped distance.
    fn may_wrap_distance(&self, leaves: IntCC, signed: bool, width: u32, step: i128) -> bool {
        if self.narrow.is_some()
            || self.in_loop.varies(self.end, DEPTH)
            || self.start.is_some_and(|start| self.is_guarded(start, leaves))
        {
            return false;
        }
        let half = 1i128 << (width - 1);
        let range = |value: Value| {
            let (least, most) = self.in_loop.range(value);
            match (i128::from(least), i128::from(most)) {
                (least, most) if !signed || most < half => (least, most),
                (least, most) if least >= half => (least - 2 * half, most - 2 * half),
                _ => (-half, half - 1),
            }
        };
        let all = if signed { (-half, half - 1) } else { (0, 2 * half - 1) };
        let (start, end) = (self.start.map_or(all, range), range(self.end));
        if step > 0 { start.1 - end.0 > half } else { end.1 - start.0 > half }
    }

    /// Returns whether the first step of a counter without a constant start does not wrap.
    fn first_step_is_short(&self, leaves: IntCC, step: i128, signed: bool, width: u32) -> bool {
        let Some(start) = self.start else { return false };
        let (least, most) = self.in_loop.range(start);
        let greatest = i128::from(fold::mask(width)) >> u32::from(signed);
        let near = i128::from(most) <= greatest;
        let stays = near
            && if step > 0 {
                i128::from(most) + step <= greatest
            } else {
                signed || i128::from(least) + step >= 0
            };
        stays || self.is_guarded(start, leaves)
    }

    /// Returns whether a test before the loop ensures that the loop continues with the start.
    fn is_guarded(&self, start: Value, leaves: IntCC) -> bool {
        let (f, cfg) = (self.function(), self.in_loop.cfg);
        let header = self.in_loop.loops.loops[self.in_loop.index].header;
        let mut at = cfg.idom(header);
        for _ in 0..DEPTH {
            let Some(block) = at else { return false };
            if let Terminator::CondBranch { cond, then, els } = &f.blocks[block].term
                && let Some(InstKind::ICmp(cc, a, b)) = f.def_inst(*cond).map(|inst| &inst.kind)
            {
                let only = |to: Block| cfg.preds(to).len() == 1 && cfg.dominates(to, header);
                let holds = [(only(then.block), *cc), (only(els.block), fold::not_icmp(*cc))];
                for cc in holds.into_iter().filter(|(only, _)| *only).map(|(_, cc)| cc) {
                    let goes = fold::not_icmp(leaves);
                    if (cc, *a, *b) == (goes, start, self.end)
                        || (cc, *b, *a) == (fold::swap_icmp(goes), start, self.end)
                    {
                        return true;
                    }
                }
            }
            at = cfg.idom(block);
        }
        false
    }

    /// Returns whether start and end may be constants for the driver's compiler.
    fn is_known(&self) -> bool {
        self.in_loop.may_be_constant(self.end)
            && self.in_loop.may_be_constant(self.step)
            && self.start.is_some_and(|start| self.in_loop.may_be_constant(start))
    }

    /// Returns whether the start is known to differ from the end.
    fn start_differs_from_end(&self) -> bool {
        let Some(start) = self.start else { return false };
        let (start, end) = (self.in_loop.range(start), self.in_loop.range(self.end));
        start.1 < end.0 || end.1 < start.0
    }

    /// Returns whether the end is a minimum with one constant operand: Mesa took the constant for the end, whatever the test (seen: 22.3).
    fn end_is_minimum(&self) -> bool {
        let f = self.function();
        let constant = |v: Value| self.in_loop.may_be_constant(v);
        match f.def_inst(self.end).map(|inst| &inst.kind) {
            Some(InstKind::Binary(BinaryOp::SMin, a, b)) => constant(*a) != constant(*b),
            Some(InstKind::Glsl { args, .. }) => args.len() == 2 && args.iter().any(|v| constant(*v)),
            _ => false,
        }
    }

    /// Returns whether the trip count of a float counter may be wrong.
    fn is_risky_float(&self, leaves: FloatCC) -> bool {
        use FloatCC::{OEq, OGe, OGt, OLe, OLt, UEq, UGe, UGt, ULe, ULt};
        let up = match leaves {
            OGe | OGt | UGe | UGt => Some(true),
            OLe | OLt | ULe | ULt => Some(false),
            OEq | UEq => None,
            _ => return false,
        };
        let f = self.function();
        let minimum = self.end_is_minimum();
        if !self.is_known() && !minimum {
            return false;
        }
        let constant = |v: Value| Some((f.ty(v).scalar()?, f.const_bits(v)?));
        let (Some((scalar, start)), Some((_, step))) = (self.start.and_then(constant), constant(self.step))
        else {
            return true;
        };
        let sign = 1u64 << (scalar.bits() - 1);
        let step = if self.falls { step ^ sign } else { step };
        let is_counted = match up {
            Some(up) => up == (step & sign == 0) && (up || !minimum),
            None => !self.ahead && !minimum,
        };
        !is_counted || !sums_are_products(scalar, start, step)
    }
}

/// Returns whether repeated sums of the step equal its products with the iteration number.
fn sums_are_products(scalar: Scalar, start: u64, step: u64) -> bool {
    let mut sum = start;
    (1..=MAX_ITERATIONS).all(|n| {
        let next = fold::binary(BinaryOp::FAdd, scalar, sum, step);
        let distance = fold::convert(ConvertOp::UToF, Scalar::I32, scalar, n, false, None)
            .and_then(|n| fold::binary(BinaryOp::FMul, scalar, n, step))
            .and_then(|distance| fold::binary(BinaryOp::FAdd, scalar, distance, start));
        sum = next.unwrap_or(sum);
        next.is_some() && next == distance
    })
}

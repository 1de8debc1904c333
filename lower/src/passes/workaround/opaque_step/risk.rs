//! Which loops' rounds may be counted wrongly.
//!
//! Said here is for which starts, ends and steps Mesa's count is the number of rounds, as all of those of 8 bits show: an integer that moves
//! towards its end without passing the greatest or least number, or steps until it is its end; where the test looks at the next round's
//! counter, the first step may not wrap either. Of floats the sums must be what products are. NVIDIA's asks for more: that no unsigned counter
//! comes by half of its numbers, and that the way from start to end has not to wrap where the loop goes round once whatever they are.

use super::{Counter, Relation, Test, narrowed};
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BuiltinInput, ConvertOp, FloatCC, Function, Inst, InstKind, IntCC, Scalar, Terminator,
    Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep it is looked into what a value is made of.
const DEPTH: u32 = 8;
/// Drivers unroll no loop of more rounds.
const MAX_ITERATIONS: u64 = 160;
/// No device has larger work-groups.
const LARGEST_GROUP: u64 = 1 << 16;
/// SPIR-V's loop control Unroll.
const UNROLL: u32 = 1;

/// One loop of a function.
pub struct Loop<'f> {
    pub function: &'f Function,
    cfg: &'f Cfg,
    loops: &'f Loops,
    index: usize,
}

impl<'f> Loop<'f> {
    pub fn new(function: &'f Function, cfg: &'f Cfg, loops: &'f Loops, index: usize) -> Self {
        Loop { function, cfg, loops, index }
    }

    pub fn is_inside(&self, block: Block) -> bool {
        self.loops.contains(self.index, block)
    }

    /// What a block's parameter gets, and from where.
    pub fn arguments(&self, block: Block, n: u16) -> impl Iterator<Item = (Block, Value)> + use<'_, 'f> {
        let mut preds = self.cfg.preds(block).to_vec();
        preds.sort_unstable();
        preds.dedup();
        preds.into_iter().flat_map(move |from| {
            let targets = self.function.blocks[from].term.targets().filter(move |t| t.block == block);
            targets.filter_map(move |t| Some((from, *t.args.get(usize::from(n))?)))
        })
    }

    /// Whether the rounds of the loop may be miscounted by a counter, if it is left by a test.
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
            let way =
                Way { of: self, start: counter.start, end: test.end, step: *step, falls, ahead, narrow };
            match test.relation {
                Relation::Int(cc) => way.is_risky(cc),
                Relation::Float(cc) => way.is_risky_float(cc),
            }
        })
    }

    /// Whether the driver may unroll the loop wrongly, if it is told to and the loop is left by this condition: one that is the same in each round, so that the
    /// loop goes round once or for ever.
    pub fn is_left_by_what_stays(&self, condition: Value, data: &LoopData) -> bool {
        let f = self.function;
        let inside: FxHashSet<Inst> =
            data.blocks.iter().flat_map(|block| f.blocks[*block].insts.iter().copied()).collect();
        let (mut work, mut seen) = (vec![condition], FxHashSet::default());
        while let Some(value) = work.pop() {
            match f.values[value].def {
                ValueDef::Const(_) => {}
                ValueDef::Param(block, _) if self.is_inside(block) => return false,
                ValueDef::Param(..) => {}
                ValueDef::Inst(inst, _) if !inside.contains(&inst) => {}
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

    /// Whether that, if it is left behind a round by a test of a counter that steps by what only the launch knows, and not surely towards the end.
    pub fn may_be_unrolled_wrongly(&self, counter: &Counter, test: &Test) -> bool {
        let (value, _) = narrowed(self.function, test.value);
        let up = matches!(test.relation, Relation::Int(IntCC::Uge | IntCC::Ugt | IntCC::Sge | IntCC::Sgt));
        let width = self.function.ty(value).scalar().map_or(0, Scalar::bits);
        counter.adds.iter().any(|(inst, step)| {
            let f = self.function;
            let rises = width > 4
                && self.range(*step, DEPTH).1 < 1 << (width - 4)
                && matches!(f.insts[*inst].kind, InstKind::Binary(BinaryOp::IAdd, ..));
            f.insts[*inst].results.contains(&value)
                && f.const_bits(*step).is_none()
                && matches!(test.relation, Relation::Int(_))
                && !(up && rises)
        })
    }

    /// Whether a value may be another one in each round, also to the driver's compiler.
    fn varies(&self, value: Value, depth: u32) -> bool {
        match self.function.values[value].def {
            ValueDef::Const(_) => false,
            ValueDef::Param(block, n) => self.is_inside(block) && !self.may_stand_still(block, n),
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

    /// Whether a header's parameter gets itself and a sum that may be a constant zero to the driver's compiler: an end that then never moves.
    fn may_stand_still(&self, block: Block, n: u16) -> bool {
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

    /// Whether a value may be a constant to the driver's compiler, which knows the size of work-groups.
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
        // What a loop around carries may become one.
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

    /// The least and the greatest number that an unsigned integer can be, as far as they are seen.
    fn range(&self, value: Value, depth: u32) -> (u64, u64) {
        let f = self.function;
        let all = f.ty(value).scalar().map_or(u64::MAX, |s| fold::mask(s.bits()));
        if let Some(bits) = f.const_bits(value) {
            return (bits, bits);
        }
        let (Some(inst), Some(deeper)) = (f.def_inst(value), depth.checked_sub(1)) else { return (0, all) };
        let of = |v: Value| self.range(v, deeper);
        let within = |least: Option<u64>, most: Option<u64>| match (least, most) {
            (Some(least), Some(most)) if most <= all => (least, most),
            _ => (0, all),
        };
        match inst.kind {
            InstKind::WorkgroupSize(_) => (1, LARGEST_GROUP.min(all)),
            InstKind::Input(
                BuiltinInput::LocalInvocationId
                | BuiltinInput::LocalInvocationIndex
                | BuiltinInput::SubgroupSize
                | BuiltinInput::SubgroupId
                | BuiltinInput::SubgroupLocalInvocationId,
                _,
            ) => (0, LARGEST_GROUP.min(all)),
            InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. } => of(value),
            InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. } => {
                let (least, most) = of(value);
                within(Some(least), Some(most))
            }
            InstKind::Binary(op, a, b) => {
                let ((a0, a1), (b0, b1)) = (of(a), of(b));
                match op {
                    BinaryOp::IAdd => within(a0.checked_add(b0), a1.checked_add(b1)),
                    BinaryOp::ISub if a0 >= b1 => (a0 - b1, a1 - b0),
                    BinaryOp::IMul => within(a0.checked_mul(b0), a1.checked_mul(b1)),
                    BinaryOp::And => (0, a1.min(b1)),
                    BinaryOp::UMin => (a0.min(b0), a1.min(b1)),
                    BinaryOp::UDiv => (0, a1),
                    BinaryOp::URem => (0, a1.min(b1.saturating_sub(1))),
                    BinaryOp::LShr if b0 == b1 && b0 < 64 => (a0 >> b0, a1 >> b0),
                    _ => (0, all),
                }
            }
            InstKind::Select(_, a, b) => {
                let ((a0, a1), (b0, b1)) = (of(a), of(b));
                (a0.min(b0), a1.max(b1))
            }
            _ => (0, all),
        }
    }
}

/// A counter's way to its end.
struct Way<'a, 'f> {
    of: &'a Loop<'f>,
    start: Option<Value>,
    end: Value,
    step: Value,
    /// The step is subtracted.
    falls: bool,
    /// The test looks at the next round's counter.
    ahead: bool,
    /// It looks at so many bits of it, extended with the sign or not.
    narrow: Option<(u32, bool)>,
}

impl Way<'_, '_> {
    fn function(&self) -> &Function {
        self.of.function
    }

    /// Whether that, of integers; it is left where the counter compares so with the end.
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
            let least = self.start.map_or(0, |start| self.of.range(start, DEPTH).0);
            let far = self.of.range(self.step, DEPTH).1 >= 1 << (width - 4);
            return self.is_known()
                || self.of.may_be_constant(self.step)
                    && !self.of.varies(self.end, DEPTH)
                    && (far || least >= 1 << (width - 2));
        };
        if let Some((start, end)) = ends {
            let way = i128::from(fold::signed(end.wrapping_sub(start), width));
            return self.may_come_by_the_sign(width, step)
                || way == 0 && self.ahead
                || way % step.abs().max(1) != 0
                || way * step.signum() < 0;
        }
        let large = step.unsigned_abs() > 1 && step.unsigned_abs() >= 1 << (width - 4);
        large && !self.of.varies(self.end, DEPTH)
            || self.may_come_by_the_sign(width, step)
            || self.ahead && self.is_known() && !self.starts_elsewhere()
            || self.is_of_minimum()
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
            let most = self.of.range(self.step, DEPTH).1;
            let rises = most < 1 << (width - 4) && !self.falls;
            let wraps = || self.ahead && !self.first_step_is_short(leaves, most.into(), signed, width);
            return self.of.may_be_constant(self.step)
                && (!(rises && up) || wraps())
                && !self.of.varies(self.end, DEPTH);
        };
        if step == 0 {
            return false;
        }
        let sign = 1i128 << (width - 1);
        let (least, most) = if signed { (-sign, sign - 1) } else { (0, 2 * sign - 1) };
        let number = |bits: u64| match fold::mask(width) & bits {
            bits if signed => i128::from(fold::signed(bits, width)),
            bits => bits.into(),
        };
        let (start, end) = (start.map(number), end.map(number));
        if (step > 0) != up || step.unsigned_abs() >= 1 << (width - 4) && (start.is_none() || end.is_none()) {
            return !self.of.varies(self.end, DEPTH);
        }
        if (!matches!(leaves, IntCC::Sge | IntCC::Sgt) && self.is_of_minimum())
            || !signed && self.may_come_by_the_sign(width, step)
            || self.ahead && self.may_be_far_behind(leaves, signed, width, step)
        {
            return true;
        }
        // One number beyond the end, if it may not be the end itself.
        let beyond =
            i128::from(matches!(leaves, IntCC::Ugt | IntCC::Sgt | IntCC::Ult | IntCC::Slt)) * step.signum();
        match (start, end) {
            (Some(start), Some(end)) => {
                let first = if self.ahead { start + step } else { start };
                let way = (end + beyond - first) * step.signum();
                let rounds = (way + (step.abs() - 1)).div_euclid(step.abs()).max(0);
                let hint = self.of.function.blocks[self.of.loops.loops[self.of.index].header].loop_control;
                let last = first + rounds * step;
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
                    && !self.of.varies(self.end, DEPTH)
                    && !self.first_step_is_short(leaves, step, signed, width)
            }
        }
    }

    /// Whether an unsigned counter may come from below half of its numbers to an end that is above, or from above to one below: NVIDIA's takes the
    /// step over the half for one that it need not think of. Those of few bits in words have none such.
    fn may_come_by_the_sign(&self, width: u32, step: i128) -> bool {
        if self.narrow.is_some() {
            return false;
        }
        let half = 1 << (width - 1);
        let end = self.of.range(self.end, DEPTH);
        let start = self.start.map_or((0, u64::MAX), |start| self.of.range(start, DEPTH));
        // From a start that is near the half an end of which nothing is known may be beyond it.
        if step > 0 {
            start.0 < half && (end.0 >= half || start.0 >= half / 2 && end.1 >= half)
        } else {
            start.0 >= half && (end.1 < half || start.1 < half + half / 2 && end.0 < half)
        }
    }

    /// Whether the end may be behind the start by more than half of all numbers, of a loop that goes round once then: NVIDIA's takes the wrapped
    /// way from one to the other for the rounds.
    fn may_be_far_behind(&self, leaves: IntCC, signed: bool, width: u32, step: i128) -> bool {
        if self.narrow.is_some()
            || self.of.varies(self.end, DEPTH)
            || self.start.is_some_and(|start| self.comes_by_the_test(start, leaves))
        {
            return false;
        }
        let half = 1i128 << (width - 1);
        let range = |value: Value| {
            let (least, most) = self.of.range(value, DEPTH);
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

    /// Whether the first step of a counter that starts by no constant does not wrap.
    fn first_step_is_short(&self, leaves: IntCC, step: i128, signed: bool, width: u32) -> bool {
        let Some(start) = self.start else { return false };
        let (least, most) = self.of.range(start, DEPTH);
        let greatest = i128::from(fold::mask(width)) >> u32::from(signed);
        let near = i128::from(most) <= greatest;
        let stays = near
            && if step > 0 {
                i128::from(most) + step <= greatest
            } else {
                signed || i128::from(least) + step >= 0
            };
        stays || self.comes_by_the_test(start, leaves)
    }

    /// Whether only who would go round with the start comes to the loop: a test before it says so.
    fn comes_by_the_test(&self, start: Value, leaves: IntCC) -> bool {
        let (f, cfg) = (self.function(), self.of.cfg);
        let header = self.of.loops.loops[self.of.index].header;
        let mut at = cfg.idom(header);
        for _ in 0..DEPTH {
            let Some(block) = at else { return false };
            if let Terminator::CondBranch { cond, then, els } = &f.blocks[block].term
                && let Some(InstKind::ICmp(cc, a, b)) = f.def_inst(*cond).map(|inst| &inst.kind)
            {
                let only = |to: Block| cfg.preds(to).len() == 1 && cfg.dominates(to, header);
                let holds = [(only(then.block), *cc), (only(els.block), fold::not_icmp(*cc))];
                for cc in holds.into_iter().filter(|way| way.0).map(|way| way.1) {
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

    /// Whether start and end may be constants to the driver's compiler.
    fn is_known(&self) -> bool {
        self.of.may_be_constant(self.end)
            && self.of.may_be_constant(self.step)
            && self.start.is_some_and(|start| self.of.may_be_constant(start))
    }

    /// Whether the start is known not to be the end.
    fn starts_elsewhere(&self) -> bool {
        let Some(start) = self.start else { return false };
        let (start, end) = (self.of.range(start, DEPTH), self.of.range(self.end, DEPTH));
        start.1 < end.0 || end.1 < start.0
    }

    /// Whether the end is no constant, but at most one: Mesa took that for the end, whatever the test (seen: 22.3).
    fn is_of_minimum(&self) -> bool {
        let f = self.function();
        let constant = |v: Value| self.of.may_be_constant(v);
        match f.def_inst(self.end).map(|inst| &inst.kind) {
            Some(InstKind::Binary(BinaryOp::SMin, a, b)) => constant(*a) != constant(*b),
            Some(InstKind::Glsl { args, .. }) => args.len() == 2 && args.iter().any(|v| constant(*v)),
            _ => false,
        }
    }

    /// Whether that, of floats.
    fn is_risky_float(&self, leaves: FloatCC) -> bool {
        use FloatCC::{OEq, OGe, OGt, OLe, OLt, UEq, UGe, UGt, ULe, ULt};
        let up = match leaves {
            OGe | OGt | UGe | UGt => Some(true),
            OLe | OLt | ULe | ULt => Some(false),
            OEq | UEq => None,
            _ => return false,
        };
        let f = self.function();
        let of_minimum = self.is_of_minimum();
        if !self.is_known() && !of_minimum {
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
            Some(up) => up == (step & sign == 0) && (up || !of_minimum),
            None => !self.ahead && !of_minimum,
        };
        !is_counted || !sums_are_products(scalar, start, step)
    }
}

/// Whether so many sums are what the products of the step and the rounds are.
fn sums_are_products(scalar: Scalar, start: u64, step: u64) -> bool {
    let mut sum = start;
    (1..=MAX_ITERATIONS).all(|n| {
        let next = fold::binary(BinaryOp::FAdd, scalar, sum, step);
        let way = fold::convert(ConvertOp::UToF, Scalar::I32, scalar, n, false, None)
            .and_then(|n| fold::binary(BinaryOp::FMul, scalar, n, step))
            .and_then(|way| fold::binary(BinaryOp::FAdd, scalar, way, start));
        sum = next.unwrap_or(sum);
        next.is_some() && next == way
    })
}

/// The comparison with the operands exchanged.
pub fn swap_fcmp(cc: FloatCC) -> FloatCC {
    use FloatCC::{OEq, OGe, OGt, OLe, OLt, ONe, Ordered, UEq, UGe, UGt, ULe, ULt, UNe, Unordered};
    match cc {
        OLt => OGt,
        OLe => OGe,
        OGt => OLt,
        OGe => OLe,
        ULt => UGt,
        ULe => UGe,
        UGt => ULt,
        UGe => ULe,
        OEq | ONe | Ordered | UEq | UNe | Unordered => cc,
    }
}

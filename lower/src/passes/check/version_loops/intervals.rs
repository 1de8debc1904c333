//! Intervals: between which numbers a value lies in all iterations of a loop, by values from before the loop.
//!
//! ```text
//! for (k = 0; k < n; k++) … p[4 * (i + k)]        i + k is from i to i + n - 1; the offset is from 16 * i to 16 * (i + n - 1)
//! ```
//!
//! Sums and products wrap around in their types. Their intervals are those of the exact numbers, which are the same modulo 2^32. Where the low bits
//! become a number of 64 bits or an operand of a comparison, the exact number must be one of the type's: a condition.
//!
//! An interval may be too large, never too small.

use super::bounds::{Bound, Emitter, LARGE};
use super::counters::Runs;
use crate::analysis::ranges::possible_bits;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{BinaryOp, Block, ConvertOp, Function, InstKind, Root, Scalar, Type, Value, ValueDef, fold};
use crate::passes::check::insert_checks::objects::{Origins, Sizes, distance};
use rustc_hash::FxHashMap;

/// The depth to which operations are followed.
const MAX_DEPTH: u32 = 24;
/// The largest size of memory before the object of an argument.
const MAX_BEFORE: i64 = 1 << 48;

/// The least and the greatest number, where they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: Option<Bound>,
    pub high: Option<Bound>,
}

impl Interval {
    pub const UNKNOWN: Interval = Interval { low: None, high: None };

    /// One number.
    pub fn one(bound: Bound) -> Interval {
        Interval { low: Some(bound), high: Some(bound) }
    }

    fn constants(low: i64, high: i64) -> Interval {
        Interval { low: Some(Bound::constant(low)), high: Some(Bound::constant(high)) }
    }

    /// Both ends.
    pub fn both(self) -> Option<(Bound, Bound)> {
        Some((self.low?, self.high?))
    }

    /// The number, if there is only one.
    pub fn single(self) -> Option<Bound> {
        self.low.filter(|_| self.low == self.high)
    }
}

/// The loop, and what is known of its function.
pub(super) struct Region<'r> {
    pub cfg: &'r Cfg,
    pub loops: &'r Loops,
    pub positions: &'r Positions,
    pub origins: &'r Origins,
    pub sizes: &'r Sizes,
    /// The loop's index.
    pub index: usize,
    /// The block in front of the loop, with copies of the header's parameters.
    pub entry: Block,
}

impl Region<'_> {
    pub fn contains(&self, block: Block) -> bool {
        self.loops.contains(self.index, block)
    }

    /// Returns whether a value is one of the loop's.
    fn defines(&self, f: &Function, value: Value) -> bool {
        self.positions.block_of(f, value).is_some_and(|home| self.contains(home))
    }
}

/// Computes intervals.
pub(super) struct Evaluator<'r, 'a, 'f> {
    pub region: &'r Region<'r>,
    pub out: Emitter<'a, 'f>,
    pub runs: Runs,
    known: FxHashMap<(Value, bool, u64), Interval>,
}

impl<'r, 'a, 'f> Evaluator<'r, 'a, 'f> {
    pub fn new(region: &'r Region<'r>, out: Emitter<'a, 'f>) -> Self {
        Evaluator { region, out, runs: Runs::default(), known: FxHashMap::default() }
    }

    /// The interval of a value that is used in a block. The exact numbers are those of signed or unsigned operands.
    pub fn interval(&mut self, value: Value, signed: bool, at: Block, depth: u32) -> Interval {
        let key = (value, signed, self.passed_tests(at));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = match depth.checked_sub(1) {
            Some(depth) => self.compute(value, signed, at, depth),
            None => Interval::UNKNOWN,
        };
        self.known.insert(key, found);
        found
    }

    fn compute(&mut self, value: Value, signed: bool, at: Block, depth: u32) -> Interval {
        let f = &*self.out.rw.f;
        let Type::Scalar(scalar) = f.ty(value) else { return Interval::UNKNOWN };
        if !scalar.is_int() {
            return Interval::UNKNOWN;
        }
        if let Some(number) = f.const_signed(value) {
            return Interval::constants(number, number);
        }
        let width = scalar.bits();
        let def = f.values[value].def;
        if !self.region.defines(f, value) {
            return self.invariant(value, width, signed);
        }
        let found = match def {
            ValueDef::Param(block, n) => self.param(value, block, n, (signed, at), depth),
            ValueDef::Inst(inst, _) => {
                let kind = self.out.rw.f.insts[inst].kind.clone();
                self.operation(&kind, width, (signed, at), depth)
            }
            ValueDef::Const(_) => None,
        };
        found.unwrap_or_else(|| self.by_bits(value, width))
    }

    /// A value from before the loop.
    fn invariant(&mut self, value: Value, width: u32, signed: bool) -> Interval {
        let f = &*self.out.rw.f;
        let bits = possible_bits(f, value);
        let known = i64::try_from(bits).ok().filter(|bits| *bits <= LARGE);
        if width == 64 {
            let extended = match f.def_inst(value).map(|inst| &inst.kind) {
                Some(InstKind::Convert { op: ConvertOp::SExt, value: inner, .. }) => {
                    f.ty(*inner).scalar().map(Scalar::bits).filter(|bits| *bits <= 32)
                }
                _ => None,
            };
            let range = extended.map(|bits| (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1));
            if let Some(range) = known.map(|bits| (0, bits)).or(range) {
                return Interval::one(Bound::value(value, range));
            }
            let bound = Bound::value(value, (i64::MIN / 2, i64::MAX / 2));
            let bound = self.out.at_least(bound, -LARGE).and_then(|b| self.out.at_most(b, LARGE));
            return bound.map_or(Interval::UNKNOWN, Interval::one);
        }
        let op = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        let wide = self.out.emit(InstKind::Convert { op, value, saturate: false, rounding: None }, Type::I64);
        let range = match (signed, known) {
            (true, Some(bits)) if bits < 1 << (width - 1) => (0, bits),
            (true, _) => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            (false, _) => (0, bits as i64),
        };
        Interval::one(Bound::value(wide, range))
    }

    /// What the bits say that a value may have.
    fn by_bits(&self, value: Value, width: u32) -> Interval {
        let bits = possible_bits(&*self.out.rw.f, value);
        if bits < 1 << (width - 1) && bits < 1 << 31 {
            return Interval::constants(0, bits as i64);
        }
        Interval::UNKNOWN
    }

    fn param(
        &mut self,
        value: Value,
        block: Block,
        n: u16,
        (signed, at): (bool, Block),
        depth: u32,
    ) -> Option<Interval> {
        let headed =
            self.region.loops.innermost(block).filter(|l| self.region.loops.loops[*l].header == block);
        if let Some(index) = headed {
            return self.carried(index, usize::from(n), value, at, depth);
        }
        let mut all: Option<Interval> = None;
        for from in self.region.cfg.preds(block).to_vec() {
            let targets: Vec<Value> = {
                let term = &self.out.rw.f.blocks[from].term;
                let targets = term.targets().filter(|target| target.block == block);
                targets.filter_map(|target| target.args.get(usize::from(n)).copied()).collect()
            };
            for arg in targets {
                let one = self.interval(arg, signed, at, depth);
                all = Some(match all {
                    None => one,
                    Some(all) => self.hull(all, one),
                });
            }
        }
        all.filter(|all| *all != Interval::UNKNOWN)
    }

    /// The interval that has both.
    fn hull(&mut self, a: Interval, b: Interval) -> Interval {
        let low = a.low.zip(b.low).map(|(a, b)| self.out.min(a, b));
        let high = a.high.zip(b.high).map(|(a, b)| self.out.max(a, b));
        Interval { low, high }
    }

    /// The interval where all numbers are the type's: no operation wrapped around.
    pub fn exact(&mut self, interval: Interval, width: u32, signed: bool) -> Interval {
        let Some((low, high)) = interval.both() else { return Interval::UNKNOWN };
        let (least, greatest) = match (width, signed) {
            (64, true) => return interval,
            // Such numbers are smaller than half of the type's.
            (64, false) => (0, i64::MAX / 2),
            (_, true) => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            (_, false) => (0, (1i64 << width) - 1),
        };
        let single = interval.single().is_some();
        let Some(low) = self.out.at_least(low, least) else { return Interval::UNKNOWN };
        let high = if single { low } else { high };
        let Some(high) = self.out.at_most(high, greatest) else { return Interval::UNKNOWN };
        Interval { low: Some(if single { high } else { low }), high: Some(high) }
    }

    /// The exact interval of an operand.
    pub fn operand(&mut self, value: Value, signed: bool, at: Block, depth: u32) -> Interval {
        let width = self.out.rw.f.ty(value).scalar().map_or(64, Scalar::bits);
        let interval = self.interval(value, signed, at, depth);
        self.exact(interval, width, signed)
    }

    fn operation(
        &mut self,
        kind: &InstKind,
        width: u32,
        (signed, at): (bool, Block),
        depth: u32,
    ) -> Option<Interval> {
        match *kind {
            InstKind::Convert { op, value, saturate: false, .. } => {
                let Type::Scalar(from) = self.out.rw.f.ty(value) else { return None };
                match op {
                    ConvertOp::Trunc if width >= 32 => Some(self.interval(value, signed, at, depth)),
                    ConvertOp::SExt if from.is_int() => Some(self.operand(value, true, at, depth)),
                    ConvertOp::ZExt if from.is_int() => Some(self.operand(value, false, at, depth)),
                    _ => None,
                }
            }
            InstKind::Binary(op, a, b) if width >= 32 => self.binary(op, (a, b), width, (signed, at), depth),
            InstKind::Select(_, a, b) => {
                let (a, b) = (self.interval(a, signed, at, depth), self.interval(b, signed, at, depth));
                Some(self.hull(a, b))
            }
            _ => None,
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (Value, Value),
        width: u32,
        (signed, at): (bool, Block),
        depth: u32,
    ) -> Option<Interval> {
        let constant = self.out.rw.f.const_bits(b);
        match op {
            BinaryOp::IAdd => {
                let (a, b) = (self.interval(a, signed, at, depth), self.interval(b, signed, at, depth));
                let low = a.low.zip(b.low).and_then(|(a, b)| self.out.add(a, b));
                let high = a.high.zip(b.high).and_then(|(a, b)| self.out.add(a, b));
                Some(Interval { low, high })
            }
            BinaryOp::ISub => {
                let (a, b) = (self.interval(a, signed, at, depth), self.interval(b, signed, at, depth));
                let low = a.low.zip(b.high).and_then(|(a, b)| self.out.sub(a, b));
                let high = a.high.zip(b.low).and_then(|(a, b)| self.out.sub(a, b));
                Some(Interval { low, high })
            }
            BinaryOp::IMul => {
                let (a, b) = (self.interval(a, signed, at, depth), self.interval(b, signed, at, depth));
                self.product(a, b)
            }
            BinaryOp::Shl => {
                let count = constant.filter(|count| *count <= 20)?;
                let a = self.interval(a, signed, at, depth);
                self.scaled(a, 1 << count)
            }
            BinaryOp::And => {
                let mask = i64::try_from(constant.filter(|mask| *mask < fold::mask(width - 1))?).ok()?;
                Some(Interval::constants(0, mask)).filter(|_| mask < 1 << 31)
            }
            BinaryOp::URem | BinaryOp::SRem => {
                let is_signed = op == BinaryOp::SRem;
                let (least, by) = self.operand(b, is_signed, at, depth).both()?;
                if is_signed {
                    let low = self.operand(a, true, at, depth).low?;
                    self.out.at_least(low, 0)?;
                }
                self.out.at_least(least, 1)?;
                Some(Interval { low: Some(Bound::constant(0)), high: Some(by.plus(-1)?) })
            }
            BinaryOp::LShr | BinaryOp::AShr | BinaryOp::UDiv | BinaryOp::SDiv => {
                let shifts = matches!(op, BinaryOp::LShr | BinaryOp::AShr);
                let by = i64::try_from(constant?).ok()?;
                let by =
                    if shifts { 1i64.checked_shl(u32::try_from(by).ok()?).filter(|_| by < 31)? } else { by };
                let by = Some(by).filter(|by| (1..1 << 31).contains(by))?;
                let of_sign = matches!(op, BinaryOp::AShr | BinaryOp::SDiv);
                let (low, high) = self.operand(a, of_sign, at, depth).both()?;
                let low = self.out.at_least(low, 0)?;
                let low = self.out.quotient(low, by);
                Some(Interval { low, high: self.out.quotient(high, by) })
            }
            BinaryOp::SMin | BinaryOp::UMin | BinaryOp::SMax | BinaryOp::UMax => {
                let of_sign = matches!(op, BinaryOp::SMin | BinaryOp::SMax);
                let (a, b) = (self.operand(a, of_sign, at, depth), self.operand(b, of_sign, at, depth));
                let below = matches!(op, BinaryOp::SMin | BinaryOp::UMin);
                Some(self.clamp(a, b, below))
            }
            _ => None,
        }
    }

    /// The smaller or the larger of two numbers. One of them is enough for an end.
    fn clamp(&mut self, a: Interval, b: Interval, smaller: bool) -> Interval {
        let mut pick = |x: Option<Bound>, y: Option<Bound>| match (x, y) {
            (Some(x), Some(y)) if smaller => Some(self.out.min(x, y)),
            (Some(x), Some(y)) => Some(self.out.max(x, y)),
            (x, y) => x.or(y),
        };
        match smaller {
            true => {
                let high = pick(a.high, b.high);
                Interval { low: a.low.and(b.low).and_then(|_| pick(a.low, b.low)), high }
            }
            false => {
                let low = pick(a.low, b.low);
                Interval { low, high: a.high.and(b.high).and_then(|_| pick(a.high, b.high)) }
            }
        }
    }

    fn product(&mut self, a: Interval, b: Interval) -> Option<Interval> {
        let constant = |i: Interval| i.single().filter(|b| b.base.is_none()).map(|b| b.add);
        if let Some(factor) = constant(b) {
            return self.scaled(a, factor);
        }
        if let Some(factor) = constant(a) {
            return self.scaled(b, factor);
        }
        let ((al, ah), (bl, bh)) = (a.both()?, b.both()?);
        let (one, (low, high)) = match (a.single(), b.single()) {
            (_, Some(b)) => (b, (al, ah)),
            (Some(a), None) => (a, (bl, bh)),
            (None, None) => {
                let (al, bl) = (self.out.at_least(al, 0)?, self.out.at_least(bl, 0)?);
                let low = self.out.product(al, bl);
                return Some(Interval { low, high: self.out.product(ah, bh) });
            }
        };
        let one = self.out.at_least(one, 0)?;
        let low_product = self.out.product(low, one);
        let high_product = if low == high { low_product } else { self.out.product(high, one) };
        Some(Interval { low: low_product, high: high_product })
    }

    /// A number times a constant.
    pub fn scaled(&mut self, a: Interval, factor: i64) -> Option<Interval> {
        let mut times = |bound: Option<Bound>| bound.and_then(|bound| self.out.times(bound, factor));
        let (x, y) = (times(a.low), times(a.high));
        Some(if factor < 0 { Interval { low: y, high: x } } else { Interval { low: x, high: y } })
    }

    /// The offset of a pointer in its one object.
    pub fn offset(&mut self, pointer: Value, root: Root, at: Block, depth: u32) -> Interval {
        let Some(depth) = depth.checked_sub(1) else { return Interval::UNKNOWN };
        let kind = self.out.rw.f.def_inst(pointer).map(|inst| inst.kind.clone());
        match kind {
            Some(InstKind::RootAddr(Root::Arg(n))) => {
                let before = self.out.emit(InstKind::ArgumentBefore(n), Type::I64);
                Interval::one(Bound::value(before, (0, MAX_BEFORE)))
            }
            Some(InstKind::RootAddr(_)) => Interval::one(Bound::constant(0)),
            Some(InstKind::PtrAdd { base, index, scale }) => {
                let base = self.offset(base, root, at, depth);
                let index = self.operand(index, true, at, depth);
                let scale = i64::try_from(scale).ok();
                let Some(index) = scale.and_then(|scale| self.scaled(index, scale)) else {
                    return Interval::UNKNOWN;
                };
                let low = base.low.zip(index.low).and_then(|(a, b)| self.out.add(a, b));
                let high = base.high.zip(index.high).and_then(|(a, b)| self.out.add(a, b));
                Interval { low, high }
            }
            Some(InstKind::PtrOffset { base, bytes }) => {
                let base = self.offset(base, root, at, depth);
                let plus = |bound: Option<Bound>| bound.and_then(|bound| bound.plus(bytes));
                Interval { low: plus(base.low), high: plus(base.high) }
            }
            Some(InstKind::PtrCast(base) | InstKind::Bitcast(base) | InstKind::PtrToSpace(base)) => {
                self.offset(base, root, at, depth)
            }
            _ => self.opaque_offset(pointer, root, at, depth),
        }
    }

    /// The offset of a pointer that is a parameter or chosen.
    fn opaque_offset(&mut self, pointer: Value, root: Root, at: Block, depth: u32) -> Interval {
        let f = &*self.out.rw.f;
        if !self.region.defines(f, pointer) {
            let distance = distance(self.out.rw, self.region.sizes, pointer, root);
            let bound = Bound::value(distance, (i64::MIN / 2, i64::MAX / 2));
            let bound = self.out.at_least(bound, 0).and_then(|b| self.out.at_most(b, LARGE));
            return bound.map_or(Interval::UNKNOWN, Interval::one);
        }
        let ValueDef::Param(block, n) = f.values[pointer].def else { return Interval::UNKNOWN };
        let loops = self.region.loops;
        let headed = loops.innermost(block).filter(|index| loops.loops[*index].header == block);
        let Some(index) = headed else { return Interval::UNKNOWN };
        let start = self.start_of(index, usize::from(n));
        let step = self.pointer_step(index, usize::from(n), pointer);
        let (Some(start), Some(step)) = (start, step) else { return Interval::UNKNOWN };
        let start = self.offset(start, root, at, depth);
        self.stepped(index, (start, step), at, depth).unwrap_or(Interval::UNKNOWN)
    }
}

/// The depth at which accesses begin.
pub(super) const DEPTH: u32 = MAX_DEPTH;

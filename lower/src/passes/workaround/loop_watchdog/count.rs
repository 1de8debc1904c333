//! Trip counts: an upper bound of the iterations of a function's loops.
//!
//! The trip count of a loop that exits by comparing a counter with a bound follows from the counter's first value, its step and the
//! bound. Their maxima are constants, or formulas that a launch evaluates. Values computed only from the argument block and from sizes
//! are exact ([`Counter::exact`]).

use crate::analysis::loops::{self, Carried, Test};
use crate::analysis::ranges::Ranges;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, InstKind, IntCC, Place, Root, Type, UnaryOp, Value, ValueDef,
    WorkItem, fold,
};
use crate::iterations::Count;
use std::cell::RefCell;

/// The launch is not asked about loops of fewer iterations.
const FEW: u64 = 1 << 12;
/// How deep formulas are followed.
const MAX_FORMULA_DEPTH: u32 = 12;

/// The arguments of a kernel that are values: each with its number, its first byte in the argument block, and its size. Empty where the launch is not asked.
pub(crate) type Arguments = Vec<(u32, u32, u32)>;

/// Counts a function's iterations.
pub(crate) struct Counter<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    ranges: RefCell<Ranges<'a>>,
    arguments: &'a Arguments,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(
        function: &'a Function,
        (cfg, loops): (&'a Cfg, &'a Loops),
        items: u64,
        arguments: &'a Arguments,
    ) -> Self {
        Counter {
            function,
            cfg,
            loops,
            ranges: RefCell::new(Ranges::new(function, cfg).with_items(items)),
            arguments,
        }
    }

    /// The iterations of all loops. A loop that no lane reaches may take an iteration too, because the driver masks lanes and does not
    /// branch. `copies`: into how many copies the body of the loop with a header is to be cloned.
    pub(crate) fn all(&self, called: &dyn Fn(Block) -> u64, copies: &dyn Fn(Block) -> u64) -> Option<Count> {
        if self.loops.irreducible {
            return None;
        }
        // The iterations within one iteration of each loop; the last entry is the code outside of all loops.
        let count = self.loops.loops.len();
        let mut per_iteration = vec![Count::Number(1); count + 1];
        for &block in self.cfg.rpo() {
            let at = self.loops.innermost(block).unwrap_or(count);
            per_iteration[at] = per_iteration[at].clone().plus(Count::Number(called(block)));
        }
        for index in (0..count).rev() {
            let data = &self.loops.loops[index];
            let visits = self.visits(data)?;
            // An iteration of the copies has the loops of all.
            let visits = match copies(data.header) {
                copies if copies > 1 && per_iteration[index].number() == Some(1) => {
                    visits.over(Count::Number(copies)).plus(Count::Number(1))
                }
                _ => visits,
            };
            let iterations = visits.times(per_iteration[index].clone());
            let around = data.parent.unwrap_or(count);
            per_iteration[around] = per_iteration[around].clone().plus(iterations);
        }
        Some(per_iteration[count].clone()).filter(Count::is_small)
    }

    /// The largest number of executions of a loop's header, each time that the loop is entered.
    pub(crate) fn visits(&self, data: &LoopData) -> Option<Count> {
        let tests = self.comparisons(data).filter_map(|(cc, a, b)| self.count_by_test(data, cc, a, b));
        tests.reduce(Count::or_less)
    }

    /// The comparisons of two values that hold in every iteration after which the loop goes on, both ways round.
    fn comparisons<'c>(&'c self, data: &'c LoopData) -> impl Iterator<Item = (IntCC, Value, Value)> + 'c {
        let inside = |block: Block| data.blocks.contains(&block);
        let every_iteration = |block: &&Block| data.latches.iter().all(|l| self.cfg.dominates(**block, *l));
        let tests = data.blocks.iter().filter(every_iteration).filter_map(move |&block| {
            Test::of_block(self.function, block, inside)?.comparison(self.function)
        });
        tests.flat_map(|(cc, a, b)| [(cc, a, b), (fold::swap_icmp(cc), b, a)])
    }

    /// The same for a loop that goes on while a counter compares so with a bound.
    fn count_by_test(&self, data: &LoopData, cc: IntCC, counter: Value, bound: Value) -> Option<Count> {
        let symbolic = || self.symbolic_count(data, cc, counter, bound);
        match self.constant_count(data, cc, counter, bound) {
            Some(few) if few <= FEW => Some(Count::Number(few)),
            Some(many) => Some(symbolic().unwrap_or(Count::Number(many)).or_less(Count::Number(many))),
            None => symbolic(),
        }
    }

    /// The trip count as a formula of the launch.
    fn symbolic_count(&self, data: &LoopData, cc: IntCC, counter: Value, bound: Value) -> Option<Count> {
        let (param, first, next, is_next) =
            self.counter(data, counter).filter(|_| !self.arguments.is_empty())?;
        let bits = self.function.ty(param).scalar()?.bits();
        let half = 1u64 << (bits - 1);
        let (op, from, by) = self.step(next)?;
        if op != BinaryOp::IAdd || from != param {
            return None;
        }
        let most = |v: Value| self.max_formula(v, MAX_FORMULA_DEPTH);
        let signed = |v: Value| self.function.const_signed(v);
        let number = Count::Number;
        // An upward step is neither 0 nor, taken as a signed one, downward.
        let upward = || self.exact(by, MAX_FORMULA_DEPTH).map(|step| step.below(half / 2));
        // The way from the first value to the bound, where the bound is computed from that value. It is not longer than the way by
        // the maxima, and needs the bound's maximum only so that the counter does not wrap around.
        let nearer = |far: Count, end: Count| match self.distance(cc, bound, first) {
            Some(near) => far.or_less(near.below(half / 2).guarded_by(end, half / 2)),
            None => far,
        };
        match (cc, signed(by)) {
            (IntCC::Ult | IntCC::Ule, step) => {
                let step = match step {
                    Some(step) => number(step.unsigned_abs()),
                    None => upward()?,
                };
                let end = most(bound)?;
                Some(nearer(end.clone().below(half / 2), end).over(step).plus(number(3)))
            }
            (IntCC::Slt | IntCC::Sle, step) if step.is_none_or(|step| step > 0) => {
                let step = match step {
                    Some(step) => number(step.unsigned_abs()).below(half / 2),
                    None => upward()?,
                };
                let end = self.max_signed(bound, MAX_FORMULA_DEPTH)?;
                let distance = match signed(first) {
                    Some(first) => end.clone().below(half / 2).plus(number(first.min(0).unsigned_abs())),
                    None => end.clone().below(half / 2).guarded_by(most(first)?, half),
                };
                Some(nearer(distance, end).over(step).plus(number(3)))
            }
            (IntCC::Sgt | IntCC::Sge, Some(step)) if step < 0 => {
                let bound = i128::from(signed(bound)?);
                let (below, least) = (bound.min(0).unsigned_abs(), -i128::from(half));
                let distance = most(first)?.below(half).plus(number(u64::try_from(below).ok()?));
                (bound + i128::from(step) >= least)
                    .then(|| distance.over(number(step.unsigned_abs())).plus(number(3)))
            }
            (IntCC::Ne | IntCC::Ugt, Some(-1)) if signed(bound) == Some(0) && !is_next => {
                Some(most(first)?.plus(number(3)))
            }
            (IntCC::Ne, Some(1)) if !is_next && self.function.ty(bound) == self.function.ty(param) => {
                let ends = [self.exact(bound, MAX_FORMULA_DEPTH)?, self.exact(first, MAX_FORMULA_DEPTH)?];
                Some(Count::Computed(BinaryOp::ISub, bits, Box::new(ends)).plus(number(3)))
            }
            _ => None,
        }
    }

    /// How far a bound is from a counter's first value, where the bound is a sum with that value, or a minimum of such a sum:
    /// `for (i = first; i < min(first + distance, n); …)`. Also where the launch knows both: `for (i = -n; i <= n; …)`.
    fn distance(&self, cc: IntCC, bound: Value, first: Value) -> Option<Count> {
        let signed = matches!(cc, IntCC::Slt | IntCC::Sle);
        let exact = |value: Value| {
            let bits = self.function.ty(value).scalar()?.bits();
            Some(Count::Extended(bits, Box::new(self.exact(value, MAX_FORMULA_DEPTH)?)))
        };
        if signed && let (Some(end), Some(start)) = (exact(bound), exact(first)) {
            let between = Count::Computed(BinaryOp::ISub, 64, Box::new([end, start]));
            return Some(Count::Computed(BinaryOp::SMax, 64, Box::new([between, Count::Number(0)])));
        }
        match self.function.def_inst(bound)?.kind {
            InstKind::Binary(BinaryOp::IAdd, a, b) if a == first => self.max_formula(b, MAX_FORMULA_DEPTH),
            InstKind::Binary(BinaryOp::IAdd, a, b) if b == first => self.max_formula(a, MAX_FORMULA_DEPTH),
            InstKind::Binary(op, a, b) if op == if signed { BinaryOp::SMin } else { BinaryOp::UMin } => {
                self.distance(cc, a, first).or_else(|| self.distance(cc, b, first))
            }
            _ => None,
        }
    }

    /// The largest value of a signed value, or 0 if all are negative, as a formula of the launch. A counter that is not negative
    /// is never below a negative bound.
    fn max_signed(&self, value: Value, depth: u32) -> Option<Count> {
        let bits = self.function.ty(value).scalar()?.bits();
        if let Some(exact) = self.exact(value, depth) {
            return Some(Count::Computed(BinaryOp::SMax, bits, Box::new([exact, Count::Number(0)])));
        }
        let of = |value: Value| self.max_signed(value, depth.checked_sub(1)?);
        match self.function.def_inst(value).map(|inst| &inst.kind) {
            Some(InstKind::Binary(BinaryOp::SMin, a, b)) => Some(of(*a)?.or_less(of(*b)?)),
            _ => self.max_formula(value, depth),
        }
    }

    /// The largest value of a counter that goes up to a bound, also where it is used behind its loop: the next loop may start there.
    ///
    /// ```text
    /// for (; i < n; i += 8) …  for (; i < m; i++) …
    /// ```
    fn max_of_counter(&self, value: Value, depth: u32) -> Option<Count> {
        let ValueDef::Param(header, _) = self.function.values[value].def else { return None };
        let data = self.loops.loops.iter().find(|data| data.header == header)?;
        let half = 1u64 << (self.function.ty(value).scalar()?.bits() - 1);
        self.comparisons(data).find_map(|(cc, counter, bound)| {
            let (param, first, next, _) = self.counter(data, counter)?;
            let (BinaryOp::IAdd, from, by) = self.step(next)? else { return None };
            if param != value || from != param {
                return None;
            }
            let end = match cc {
                IntCC::Slt | IntCC::Sle => self.max_signed(bound, depth)?,
                IntCC::Ult | IntCC::Ule => self.max_formula(bound, depth)?,
                _ => return None,
            };
            // Steps from below the bound do not wrap around. A first value that is beyond it stays.
            let steps = end.below(half / 2).plus(self.exact(by, depth)?.below(half / 2));
            Some(self.max_formula(first, depth)?.below(half).plus(steps))
        })
    }

    /// A value as an exact formula of the launch's arguments and sizes.
    fn exact(&self, value: Value, depth: u32) -> Option<Count> {
        if let Some(bits) = self.function.const_bits(value) {
            return Some(Count::Number(bits));
        }
        let depth = depth.checked_sub(1)?;
        let of = |value: Value| self.exact(value, depth);
        let bits = self
            .function
            .ty(value)
            .scalar()
            .filter(|s| s.is_int() && self.function.ty(value).lanes() == 1)?
            .bits();
        match self.function.def_inst(value)?.kind {
            InstKind::Load { place: Place::Pointer(pointer), flags } if !flags.volatile => {
                self.argument(pointer, bits / 8)
            }
            InstKind::WorkItem(WorkItem::GlobalSize, dim) => Some(Count::GlobalSize(dim)),
            InstKind::WorkItem(WorkItem::LocalSize | WorkItem::EnqueuedLocalSize, dim) => {
                Some(Count::LocalSize(dim))
            }
            InstKind::Convert { op: ConvertOp::ZExt, value: from, saturate: false, .. } => of(from),
            InstKind::Convert { op: ConvertOp::Trunc, value: from, saturate: false, .. } => {
                let mask = Count::Number(fold::mask(bits));
                Some(Count::Computed(BinaryOp::And, 64, Box::new([of(from)?, mask])))
            }
            InstKind::Convert { op: ConvertOp::SExt, value: from, saturate: false, .. } => {
                let mask = Count::Number(fold::mask(bits));
                let wide = Count::Extended(self.function.ty(from).scalar()?.bits(), Box::new(of(from)?));
                Some(Count::Computed(BinaryOp::And, 64, Box::new([wide, mask])))
            }
            InstKind::Unary(UnaryOp::INeg, a) => {
                Some(Count::Computed(BinaryOp::ISub, bits, Box::new([Count::Number(0), of(a)?])))
            }
            InstKind::Binary(op, a, b) => {
                use BinaryOp as B;
                let whole = matches!(
                    op,
                    B::IAdd
                        | B::ISub
                        | B::IMul
                        | B::UDiv
                        | B::SDiv
                        | B::URem
                        | B::SRem
                        | B::And
                        | B::Or
                        | B::Xor
                        | B::Shl
                        | B::LShr
                        | B::AShr
                        | B::UMin
                        | B::UMax
                        | B::SMin
                        | B::SMax
                );
                whole.then(|| Some(Count::Computed(op, bits, Box::new([of(a)?, of(b)?])))).flatten()
            }
            _ => None,
        }
    }

    /// The bytes of the argument block at a pointer.
    fn argument(&self, pointer: Value, bytes: u32) -> Option<Count> {
        let (base, at) = match self.function.def_inst(pointer)?.kind {
            InstKind::PtrOffset { base, bytes } => (base, u32::try_from(bytes).ok()?),
            _ => (pointer, 0),
        };
        let InstKind::RootAddr(Root::Block) = self.function.def_inst(base)?.kind else { return None };
        let inside = |(_, start, size): &&(u32, u32, u32)| at >= *start && at + bytes <= start + size;
        let (index, start, _) = self.arguments.iter().find(inside)?;
        Some(Count::Argument { index: *index, offset: at - start, bytes })
    }

    /// The largest value (unsigned) of a value, as a formula of the launch.
    fn max_formula(&self, value: Value, depth: u32) -> Option<Count> {
        let general = Count::Number(self.most(value));
        if let Some(exact) = self.exact(value, depth) {
            return Some(exact);
        }
        let Some(depth) = depth.checked_sub(1) else { return Some(general) };
        let of = |value: Value| self.max_formula(value, depth);
        let own = match self.function.def_inst(value).map(|inst| &inst.kind) {
            Some(InstKind::WorkItem(WorkItem::GlobalId, dim)) => Some(Count::GlobalEnd(*dim)),
            Some(InstKind::WorkItem(WorkItem::GroupId, dim)) => {
                Some(Count::GlobalEnd(*dim).over(Count::LocalSize(*dim)).or_less(Count::GlobalEnd(*dim)))
            }
            Some(InstKind::Convert {
                op: ConvertOp::Trunc | ConvertOp::ZExt,
                value,
                saturate: false,
                ..
            }) => of(*value),
            Some(InstKind::Binary(BinaryOp::LShr | BinaryOp::URem, a, _)) => of(*a),
            Some(InstKind::Binary(BinaryOp::UDiv, a, b)) => match self.exact(*b, depth) {
                Some(by) => Some(of(*a)?.over(by)),
                None => of(*a),
            },
            Some(InstKind::Binary(BinaryOp::And | BinaryOp::UMin, a, b)) => Some(of(*a)?.or_less(of(*b)?)),
            Some(InstKind::Binary(BinaryOp::IAdd, a, b)) => Some(of(*a)?.plus(of(*b)?)),
            Some(InstKind::Binary(BinaryOp::IMul, a, b)) => Some(of(*a)?.times(of(*b)?)),
            None => self.max_of_counter(value, depth / 2),
            _ => None,
        };
        Some(own.map_or(general.clone(), |own| own.or_less(general)))
    }

    /// The same where all of it is known.
    fn constant_count(&self, data: &LoopData, cc: IntCC, counter: Value, bound: Value) -> Option<u64> {
        let (param, first, next, is_next) = self.counter(data, counter)?;
        let bits = self.function.ty(param).scalar()?.bits();
        let half = 1u64 << (bits - 1);
        let most = |v: Value| self.most(v);
        let signed = |v: Value| self.function.const_signed(v);
        let (op, from, by) = self.step(next)?;
        if from != param {
            return None;
        }
        let by_at_least = |least: u64| self.function.const_bits(by).is_some_and(|k| k >= least);
        let to_zero = match cc {
            IntCC::Ne => signed(bound) == Some(0),
            IntCC::Ugt => true,
            IntCC::Uge => signed(bound).is_some_and(|b| b != 0),
            IntCC::Sgt => signed(bound).is_some_and(|b| b >= 0),
            IntCC::Sge => signed(bound).is_some_and(|b| b >= 1),
            _ => false,
        };
        match op {
            BinaryOp::LShr if to_zero && by_at_least(1) => Some(u64::from(bits) + 2),
            BinaryOp::AShr if matches!(cc, IntCC::Sgt | IntCC::Sge) && to_zero && by_at_least(1) => {
                Some(u64::from(bits) + 2)
            }
            BinaryOp::UDiv if to_zero && by_at_least(2) => Some(u64::from(bits) + 2),
            BinaryOp::SDiv if to_zero && signed(by).is_some_and(|k| k >= 2) => Some(u64::from(bits) + 2),
            // 1, 2, 4 … reaches a small bound before a bit is shifted out of 32.
            _ if matches!(op, BinaryOp::Shl | BinaryOp::IMul) && bits < 32 => None,
            BinaryOp::Shl if by_at_least(1) && signed(by) <= Some(8) => self.doubling(cc, first, bound),
            BinaryOp::IMul if by_at_least(2) && signed(by) <= Some(256) => self.doubling(cc, first, bound),
            BinaryOp::IAdd => match (cc, signed(by)) {
                // For any step modulo 2^n: a counter that stays below the bound moves through the range in one direction.
                (IntCC::Ult | IntCC::Ule, step) => {
                    let step = step.map_or(1, i64::unsigned_abs);
                    let moves = step != 0 && (signed(by).is_some() || self.is_size(by));
                    Some(most(bound)).filter(|bound| moves && *bound < half / 2).map(|bound| bound / step + 3)
                }
                // A step from below the bound to beyond it does not wrap around.
                (IntCC::Slt | IntCC::Sle, Some(step)) if step > 0 && step.unsigned_abs() < half / 2 => {
                    let bound = most(bound);
                    let from = signed(first).or_else(|| (most(first) < half).then_some(0))?;
                    let distance = (bound < half / 2).then(|| i128::from(bound) - i128::from(from))?;
                    u64::try_from(distance.max(0) / i128::from(step) + 3).ok()
                }
                (IntCC::Slt | IntCC::Sle, None) if self.is_size(by) => {
                    let bound = Some(most(bound)).filter(|b| *b < half / 2)?;
                    (most(first) < half).then_some(bound + 3)
                }
                (IntCC::Sgt | IntCC::Sge, Some(step)) if step < 0 => {
                    let from = Some(most(first)).filter(|f| *f < half)?;
                    let bound = i128::from(signed(bound)?);
                    // Nor does one to below it.
                    let distance = Some(i128::from(from) - bound);
                    let distance = distance.filter(|_| bound + i128::from(step) >= -i128::from(half))?;
                    u64::try_from(distance.max(0) / i128::from(step.unsigned_abs()) + 3).ok()
                }
                (IntCC::Ne | IntCC::Ugt, Some(-1)) if signed(bound) == Some(0) && !is_next => {
                    most(first).checked_add(3)
                }
                (IntCC::Ne, Some(step)) if step != 0 && most(bound) <= fold::mask(bits) => {
                    let distance = i128::from(signed(bound)?) - i128::from(signed(first)?);
                    let (iterations, rest) = (distance / i128::from(step), distance % i128::from(step));
                    (rest == 0 && iterations >= i128::from(is_next))
                        .then(|| u64::try_from(iterations + 2).ok())?
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A counter that is doubled until it reaches a small bound.
    fn doubling(&self, cc: IntCC, first: Value, bound: Value) -> Option<u64> {
        let small = self.most(bound) <= 1 << 16;
        let starts = self.function.const_signed(first).is_some_and(|f| (1..1 << 16).contains(&f));
        (small && starts && matches!(cc, IntCC::Ult | IntCC::Ule | IntCC::Slt | IntCC::Sle)).then_some(20)
    }

    /// The counter that a value is, is extended from, or is the next value of: the header parameter, its first and next values, and
    /// whether the value is the next one.
    fn counter(&self, data: &LoopData, value: Value) -> Option<(Value, Value, Value, bool)> {
        let params = &self.function.blocks[data.header].params;
        let value = match self.function.def_inst(value).map(|i| &i.kind) {
            Some(InstKind::Convert { op: ConvertOp::ZExt, value: from, saturate: false, .. }) => *from,
            _ => value,
        };
        (0..params.len()).find_map(|n| {
            let Carried { start, next, .. } = loops::carried(self.function, self.cfg, data, n)?;
            let (first, next) = (start?, next?);
            // A parameter with the value of another from the iteration before (`last = i`) is no counter.
            let is_next = value == next && !params.contains(&next);
            (value == params[n] || is_next).then_some((params[n], first, next, is_next))
        })
    }

    /// The operation and the operands that give a counter's next value. A sum may be computed in more bits
    /// (`i += get_local_size(0)`).
    fn step(&self, next: Value) -> Option<(BinaryOp, Value, Value)> {
        match self.function.def_inst(next)?.kind {
            InstKind::Binary(op, from, by) => Some((op, from, by)),
            InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. } => {
                let InstKind::Binary(BinaryOp::IAdd, a, b) = self.function.def_inst(value)?.kind else {
                    return None;
                };
                let narrow = |wide: Value| match self.function.def_inst(wide)?.kind {
                    InstKind::Convert {
                        op: ConvertOp::ZExt | ConvertOp::SExt,
                        value,
                        saturate: false,
                        ..
                    } => Some(value).filter(|value| self.function.ty(*value) == self.function.ty(next)),
                    _ => None,
                };
                Some((BinaryOp::IAdd, narrow(a)?, narrow(b)?))
            }
            _ => None,
        }
    }

    /// Returns whether the value is a size of the launch, which is not 0 in 32 bits.
    fn is_size(&self, value: Value) -> bool {
        match self.function.def_inst(value).map(|i| &i.kind) {
            Some(InstKind::WorkItem(what, _)) => {
                matches!(what, WorkItem::LocalSize | WorkItem::EnqueuedLocalSize)
            }
            Some(InstKind::Convert { op: ConvertOp::Trunc, value: wide, saturate: false, .. }) => {
                self.function.ty(value) == Type::I32 && self.is_size(*wide)
            }
            _ => false,
        }
    }

    /// The greatest value (unsigned) that a value can have.
    fn most(&self, value: Value) -> u64 {
        self.ranges.borrow_mut().greatest(value)
    }
}

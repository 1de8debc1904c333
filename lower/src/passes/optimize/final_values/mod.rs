//! Final-value replacement and loop deletion: a loop that computes only its final values is replaced by their closed forms.
//!
//! ```text
//! for (uint i = 0; i < n; i++) s += 2 * i;    →    s = s + n * (n - 1);
//! ```
//!
//! The loop must have no effects, no inner loop and one exit that every iteration reaches. The number of its iterations must follow from
//! values before it ([`iteration_count`]), and so must every value that is used behind it. These updates of a value have a closed form:
//!
//! - adding an invariant or a linear value (an add recurrence, or the sum of one);
//! - subtracting from an invariant, complementing (`not`, `xor`), or swapping two values: the value alternates between two;
//! - assigning an invariant, or combining with one by an idempotent operation (`and`, `min` …): the first iteration decides.
//!
//! All of it is exact modulo 2^n, as the loop would compute it.
//!
//! Termination is not assumed: C11 permits that (6.8.5), but OpenCL C is C99. A loop stays whose counter may miss its end for ever (`i <= n`
//! where n may be the greatest number), and so does any other whose number of iterations is not known.

mod iteration_count;

use crate::analysis::loops as counters;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, IntCC, Module, Scalar, Terminator, Type, UnaryOp,
    Value, ValueDef,
};
use crate::passes::optimize::simplify::{self, Simplifier};
use crate::transform::cleanup;
use crate::transform::loops::{redirect, used_outside};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// The terms of a sum, added or subtracted.
type Terms = SmallVec<[(BinaryOp, Value); 4]>;

/// Larger loops are not tried.
const MAX_SIZE: usize = 128;
/// No more instructions replace a loop.
const MAX_INSTRUCTIONS: u32 = 96;
/// An update with more terms is not followed.
const MAX_TERMS: usize = 8;
/// A value that earlier iterations computed is followed over this many of them.
const MAX_CARRIED_ITERATIONS: usize = 2;

/// Replaces the loops of every function by closed forms.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    let address_bits = module.address_bits;
    for function in module.functions.values_mut() {
        if replace_loops(function, address_bits) {
            simplify::simplify_function(function, address_bits);
        }
    }
    Ok(())
}

/// Replaces the loops of one function, and returns whether there were any.
pub fn replace_loops(function: &mut Function, address_bits: u32) -> bool {
    let mut tried: FxHashSet<Block> = FxHashSet::default();
    let mut any = false;
    while function.layout.len() > 1 && replace_next(function, address_bits, &mut tried) {
        any = true;
    }
    any
}

/// Replaces the first loop that was not tried and can be replaced, inner loops first.
fn replace_next(function: &mut Function, address_bits: u32, tried: &mut FxHashSet<Block>) -> bool {
    let Some((cfg, loops)) = function.loops() else { return false };
    for index in (0..loops.loops.len()).rev() {
        let header = loops.loops[index].header;
        // An outer loop is tried again when an inner one has gone.
        if loops.loops.iter().any(|l| l.parent == Some(index)) || !tried.insert(header) {
            continue;
        }
        let Some(only_exit) = only_exit(function, &cfg, &loops, index) else { continue };
        let mark = function.mark();
        let home = function.new_detached_block();
        let positions = Positions::new(function);
        let done =
            ClosedForms::new(function, (&cfg, &loops, &positions), (index, home), only_exit.0, address_bits)
                .and_then(|forms| forms.finish(only_exit));
        let Some(values) = done else {
            function.forget_since(mark);
            continue;
        };
        log::debug!("{}: the loop at {header} is computed at once", function.name);
        let entries = cfg.preds(header).iter().copied().filter(|from| !loops.contains(index, *from));
        redirect(function, entries, header, home);
        function.layout.push(home);
        cleanup::remove_unreachable(function);
        cleanup::order_layout(function);
        function.replace_uses(&values);
        // The outer loop sees through the block.
        cleanup::redundant_params(function);
        return true;
    }
    false
}

/// The only exit of a loop without effects, as a block and the index of its successor; every iteration must reach it.
fn only_exit(function: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<(Block, usize)> {
    let data = &loops.loops[index];
    let mut size = 0;
    let mut found = None;
    for &block in &data.blocks {
        let term = &function.blocks[block].term;
        if term.targets().is_empty() {
            return None;
        }
        for (successor, target) in term.targets().enumerate() {
            if !loops.contains(index, target.block) && found.replace((block, successor)).is_some() {
                return None;
            }
        }
        size += function.blocks[block].insts.len();
        if size > MAX_SIZE {
            return None;
        }
        let removable = |inst: &Inst| {
            let kind = &function.insts[*inst].kind;
            let effects = kind.effects(function);
            effects.can_be_removed() && !effects.convergent && !matches!(kind, InstKind::Call { .. })
        };
        if !function.blocks[block].insts.iter().all(removable) {
            return None;
        }
    }
    let (block, successor) = found?;
    let every_iteration = data.latches.iter().all(|latch| cfg.dominates(block, *latch));
    (every_iteration && matches!(function.blocks[block].term, Terminator::CondBranch { .. }))
        .then_some((block, successor))
}

/// A linear value (an add recurrence): `start` + k × `step` in iteration k.
#[derive(Debug, Clone, Copy)]
struct Linear {
    start: Value,
    step: Value,
}

/// A loop-carried value: a parameter of the header.
#[derive(Debug, Clone, Copy)]
struct Carried {
    /// Its value in the first iteration.
    start: Value,
    /// Its value in the next iteration; `None` where latches pass different ones.
    next: Option<Value>,
}

/// The closed forms of one loop's values.
struct ClosedForms<'a> {
    simplifier: Simplifier<'a>,
    cfg: &'a Cfg,
    loops: &'a Loops,
    positions: &'a Positions,
    index: usize,
    /// The block with the exit.
    exit: Block,
    /// The new block in which the values are computed.
    home: Block,
    carried: FxHashMap<Value, Carried>,
    /// Invariant values, as computed in `home`.
    invariant: FxHashMap<Value, Option<Value>>,
    linears: FxHashMap<Value, Option<Linear>>,
    /// The number of complete iterations before the exit, then that number less one, less two …
    iterations: SmallVec<[Value; 3]>,
    /// Values in the iteration that exits, or the given number of iterations before it.
    last: FxHashMap<(Value, usize), Option<Value>>,
    made: u32,
}

impl<'a> ClosedForms<'a> {
    fn new(
        function: &'a mut Function,
        (cfg, loops, positions): (&'a Cfg, &'a Loops, &'a Positions),
        (index, home): (usize, Block),
        exit: Block,
        address_bits: u32,
    ) -> Option<Self> {
        let header = loops.loops[index].header;
        let mut carried = FxHashMap::default();
        for (n, param) in function.blocks[header].params.clone().into_iter().enumerate() {
            let start = function.add_param(home, function.ty(param));
            if let Some(name) = function.names.get(&param).cloned() {
                function.names.insert(start, name);
            }
            let next =
                counters::carried(function, cfg, &loops.loops[index], n).and_then(|carried| carried.next);
            carried.insert(param, Carried { start, next });
        }
        let mut simplifier = Simplifier::detached(function, cfg, address_bits);
        simplifier.begin(home);
        Some(ClosedForms {
            simplifier,
            cfg,
            loops,
            positions,
            index,
            exit,
            home,
            carried,
            invariant: FxHashMap::default(),
            linears: FxHashMap::default(),
            iterations: SmallVec::new(),
            last: FxHashMap::default(),
            made: 0,
        })
    }

    /// Fills the block that replaces the loop. Returns the replacements of the values that are used behind the loop.
    fn finish(mut self, (exit, successor): (Block, usize)) -> Option<FxHashMap<Value, Value>> {
        let Terminator::CondBranch { cond, .. } = self.function().blocks[exit].term else { return None };
        let iterations = self.iterations(cond, successor == 1)?;
        self.iterations.push(iterations);
        let mut target = self.function().blocks[exit].term.target(successor)?.clone();
        for arg in &mut target.args {
            *arg = self.last(*arg, 0)?;
        }
        let mut values = FxHashMap::default();
        for value in self.used_outside() {
            values.insert(value, self.last(value, 0)?);
        }
        let insts = self.simplifier.end();
        let function = &mut *self.simplifier.function;
        function.blocks[self.home].insts = insts;
        function.blocks[self.home].term = Terminator::Branch(target);
        (self.made <= MAX_INSTRUCTIONS).then_some(values)
    }

    /// The loop's values that blocks outside use.
    fn used_outside(&self) -> Vec<Value> {
        let inside = |block: Block| self.loops.contains(self.index, block);
        let used = used_outside(self.function(), self.positions, inside);
        let mut found: Vec<Value> = used.into_iter().map(|(value, _)| value).collect();
        found.sort_unstable();
        found
    }

    fn function(&self) -> &Function {
        self.simplifier.function
    }

    fn is_inside(&self, value: Value) -> bool {
        let home = self.positions.block_of(self.function(), value);
        home.is_some_and(|block| self.loops.contains(self.index, block))
    }

    fn ty(&self, value: Value) -> Type {
        self.function().ty(value)
    }

    fn build(&mut self, kind: InstKind, ty: Type) -> Value {
        self.made += 1;
        self.simplifier.build(kind, ty)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.build(InstKind::Binary(op, a, b), ty)
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.simplifier.function.iconst(ty, bits)
    }

    fn compare(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.build(InstKind::ICmp(cc, a, b), Type::BOOL)
    }

    /// Copies an instruction into `home`, with other operands.
    fn copy(&mut self, inst: Inst, of: impl Fn(Value) -> Option<Value>) -> Option<Value> {
        let mut kind = self.function().insts[inst].kind.clone();
        let ty = self.ty(*self.function().insts[inst].results.first()?);
        let mut all = true;
        kind.map_values(|v| {
            of(v).unwrap_or_else(|| {
                all = false;
                v
            })
        });
        self.simplifier.line = self.function().insts[inst].line;
        (all && self.made <= MAX_INSTRUCTIONS).then(|| self.build(kind, ty))
    }

    /// The instruction with a value as its only result.
    fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.function().values[value].def {
            ValueDef::Inst(inst, 0) if self.function().insts[inst].results.len() == 1 => Some(inst),
            _ => None,
        }
    }

    /// Returns whether an instruction may be executed in `home` with the operands of some iteration: every iteration executes it before the exit,
    /// or it may be speculated.
    fn may_be_copied(&self, inst: Inst) -> bool {
        let always =
            self.positions.position(inst).is_some_and(|(block, _)| self.cfg.dominates(block, self.exit));
        always || self.function().insts[inst].kind.effects(self.function()).can_be_speculated()
    }

    /// An invariant value as computed in `home`; `None` for any other.
    fn invariant(&mut self, value: Value) -> Option<Value> {
        if !self.is_inside(value) {
            return Some(value);
        }
        if let Some(known) = self.invariant.get(&value) {
            return *known;
        }
        self.invariant.insert(value, None);
        let invariant = match self.carried.get(&value) {
            Some(carried) => (carried.next == Some(value)).then_some(carried.start),
            None => self.invariant_inst(value),
        };
        self.invariant.insert(value, invariant);
        invariant
    }

    /// [`Self::invariant`] of an instruction. Loads of memory that others may write are not invariant: each iteration reads it again.
    fn invariant_inst(&mut self, value: Value) -> Option<Value> {
        let inst = self.inst_of(value).filter(|inst| self.may_be_copied(*inst))?;
        if !self.function().insts[inst].kind.effects(self.function()).can_be_numbered() {
            return None;
        }
        let operands: SmallVec<[Value; 4]> = self.function().insts[inst].kind.values().collect();
        let mut invariant: FxHashMap<Value, Value> = FxHashMap::default();
        for operand in operands {
            invariant.insert(operand, self.invariant(operand)?);
        }
        self.copy(inst, |v| invariant.get(&v).copied())
    }

    /// A value as a linear one, where it is.
    fn linear(&mut self, value: Value) -> Option<Linear> {
        if let Some(start) = self.invariant(value) {
            let ty = self.ty(value);
            ty.scalar().filter(|s| s.is_int())?;
            let step = self.constant(ty, 0);
            return Some(Linear { start, step });
        }
        if let Some(known) = self.linears.get(&value) {
            return *known;
        }
        self.linears.insert(value, None);
        let linear = match self.carried.get(&value).copied() {
            Some(carried) => self.carried_linear(value, carried),
            None => self.linear_inst(value),
        };
        self.linears.insert(value, linear);
        linear
    }

    fn carried_linear(&mut self, param: Value, carried: Carried) -> Option<Linear> {
        let (1, terms) = self.terms(carried.next?, param)? else { return None };
        let ty = self.ty(param);
        let mut step = self.constant(ty, 0);
        for (op, term) in terms {
            let term = self.invariant(term)?;
            step = self.binary(op, step, term);
        }
        Some(Linear { start: carried.start, step })
    }

    fn linear_inst(&mut self, value: Value) -> Option<Linear> {
        let inst = self.inst_of(value)?;
        match self.function().insts[inst].kind {
            InstKind::Binary(op @ (BinaryOp::IAdd | BinaryOp::ISub), a, b) => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                Some(Linear {
                    start: self.binary(op, a.start, b.start),
                    step: self.binary(op, a.step, b.step),
                })
            }
            InstKind::Binary(BinaryOp::IMul, a, b) => {
                let (linear, by) = match self.invariant(b) {
                    Some(by) => (self.linear(a)?, by),
                    None => (self.linear(b)?, self.invariant(a)?),
                };
                let mut times = |v: Value| self.binary(BinaryOp::IMul, v, by);
                Some(Linear { start: times(linear.start), step: times(linear.step) })
            }
            InstKind::Binary(BinaryOp::Shl, a, b) => {
                let width = self.ty(a).scalar().map_or(0, Scalar::bits);
                self.function().const_bits(b).filter(|by| *by < u64::from(width))?;
                let linear = self.linear(a)?;
                let mut times = |v: Value| self.binary(BinaryOp::Shl, v, b);
                Some(Linear { start: times(linear.start), step: times(linear.step) })
            }
            _ => None,
        }
    }

    /// The coefficient of a parameter in a sum, 1 or -1, and the other terms.
    fn terms(&mut self, accumulated: Value, param: Value) -> Option<(i32, Terms)> {
        let ty = self.ty(param);
        ty.scalar().filter(|s| s.is_int())?;
        let mut work: SmallVec<[(bool, Value); 4]> = smallvec![(false, accumulated)];
        let mut found: i32 = 0;
        let mut terms = SmallVec::new();
        let mut looked = 0_usize;
        while let Some((negative, value)) = work.pop() {
            looked += 1;
            if looked > MAX_TERMS {
                return None;
            }
            if value == param {
                found += if negative { -1 } else { 1 };
                continue;
            }
            let op = if negative { BinaryOp::ISub } else { BinaryOp::IAdd };
            let kind = self.inst_of(value).filter(|_| self.is_inside(value));
            match kind.map(|inst| &self.function().insts[inst].kind) {
                Some(&InstKind::Binary(BinaryOp::IAdd, a, b)) => work.extend([(negative, a), (negative, b)]),
                Some(&InstKind::Binary(BinaryOp::ISub, a, b)) => work.extend([(negative, a), (!negative, b)]),
                Some(&InstKind::Unary(UnaryOp::INeg, a)) => work.push((!negative, a)),
                // -a - 1
                Some(&InstKind::Unary(UnaryOp::Not, a)) => {
                    let one = self.constant(ty, 1);
                    work.push((!negative, a));
                    terms.push((if negative { BinaryOp::IAdd } else { BinaryOp::ISub }, one));
                }
                _ => terms.push((op, value)),
            }
        }
        (found.abs() == 1).then_some((found, terms))
    }

    /// A value in the iteration that exits, or `back` iterations before it.
    fn last(&mut self, value: Value, back: usize) -> Option<Value> {
        if let Some(invariant) = self.invariant(value) {
            return Some(invariant);
        }
        if let Some(known) = self.last.get(&(value, back)) {
            return *known;
        }
        self.last.insert((value, back), None);
        let last = match self.carried.get(&value).copied() {
            Some(carried) => self.last_carried(value, carried, back),
            None => self.last_inst(value, back),
        };
        self.last.insert((value, back), last);
        last
    }

    fn last_inst(&mut self, value: Value, back: usize) -> Option<Value> {
        let inst = self.inst_of(value)?;
        let effects = self.function().insts[inst].kind.effects(self.function());
        // There may have been no earlier iteration.
        if !(if back == 0 { self.may_be_copied(inst) } else { effects.can_be_speculated() }) {
            return None;
        }
        let operands: SmallVec<[Value; 4]> = self.function().insts[inst].kind.values().collect();
        let mut last: FxHashMap<Value, Value> = FxHashMap::default();
        for operand in operands {
            last.insert(operand, self.last(operand, back)?);
        }
        self.copy(inst, |v| last.get(&v).copied())
    }

    fn last_carried(&mut self, param: Value, carried: Carried, back: usize) -> Option<Value> {
        let Carried { start, next } = carried;
        let next = next?;
        let iterations = self.iterations_before(back)?;
        let none = self.constant(self.ty(iterations), 0);
        if let Some(set) = self.invariant(next) {
            let any = self.compare(IntCC::Ne, iterations, none);
            return Some(self.choose(any, set, start));
        }
        if let Some(alternate) = self.alternate(param, start, next) {
            let one = self.constant(self.ty(iterations), 1);
            let odd = self.binary(BinaryOp::And, iterations, one);
            let odd = self.compare(IntCC::Ne, odd, none);
            return Some(self.choose(odd, alternate, start));
        }
        if let Some(accumulated) = self.accumulated(param, start, next, iterations) {
            return Some(accumulated);
        }
        if let Some(set) = self.after_idempotent(param, start, next) {
            let any = self.compare(IntCC::Ne, iterations, none);
            return Some(self.choose(any, set, start));
        }
        // The iteration before computed it from other values.
        if self.depends_on(next, param, 0) {
            return None;
        }
        let before = self.last(next, back + 1)?;
        let any = self.compare(IntCC::Ne, iterations, none);
        Some(self.choose(any, before, start))
    }

    fn choose(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.build(InstKind::Select(cond, a, b), ty)
    }

    /// The number of iterations before the exiting one, less `back`. The result is arbitrary where there were fewer.
    fn iterations_before(&mut self, back: usize) -> Option<Value> {
        while self.iterations.len() <= back {
            if self.iterations.len() > MAX_CARRIED_ITERATIONS {
                return None;
            }
            let last = *self.iterations.last()?;
            let one = self.constant(self.ty(last), 1);
            let before = self.binary(BinaryOp::ISub, last, one);
            self.iterations.push(before);
        }
        self.iterations.get(back).copied()
    }

    /// Returns whether a value may depend on a parameter within one iteration.
    fn depends_on(&self, value: Value, param: Value, depth: u32) -> bool {
        if value == param || depth > 8 {
            return true;
        }
        let inst = self.inst_of(value).filter(|_| self.is_inside(value));
        inst.is_some_and(|inst| {
            self.function().insts[inst].kind.values().any(|v| self.depends_on(v, param, depth + 1))
        })
    }

    /// The other value of a parameter that alternates between it and its start.
    fn alternate(&mut self, param: Value, start: Value, next: Value) -> Option<Value> {
        let ty = self.ty(param);
        // Two parameters that swap.
        if let Some(alternate) = self.carried.get(&next) {
            return (alternate.next == Some(param)).then_some(alternate.start);
        }
        let inst = self.inst_of(next)?;
        match self.function().insts[inst].kind {
            InstKind::Unary(op @ UnaryOp::Not, a) if a == param => {
                return Some(self.build(InstKind::Unary(op, start), ty));
            }
            InstKind::Binary(op @ BinaryOp::Xor, a, b) if a == param || b == param => {
                let by = self.invariant(if a == param { b } else { a })?;
                return Some(self.binary(op, start, by));
            }
            _ => {}
        }
        let (-1, terms) = self.terms(next, param)? else { return None };
        let mut accumulated = self.constant(ty, 0);
        for (op, term) in terms {
            let term = self.invariant(term)?;
            accumulated = self.binary(op, accumulated, term);
        }
        Some(self.binary(BinaryOp::ISub, accumulated, start))
    }

    /// A parameter to which every iteration adds a linear value, after that many iterations.
    fn accumulated(&mut self, param: Value, start: Value, next: Value, iterations: Value) -> Option<Value> {
        let (1, terms) = self.terms(next, param)? else { return None };
        let ty = self.ty(param);
        let zero = self.constant(ty, 0);
        let (mut first, mut growth) = (zero, zero);
        for (op, term) in terms {
            let linear = self.linear(term)?;
            first = self.binary(op, first, linear.start);
            growth = self.binary(op, growth, linear.step);
        }
        let count = self.as_type(iterations, ty)?;
        let mut accumulated = self.binary(BinaryOp::IMul, count, first);
        if growth != zero {
            let triangular = self.triangular(iterations, ty)?;
            let grown = self.binary(BinaryOp::IMul, triangular, growth);
            accumulated = self.binary(BinaryOp::IAdd, accumulated, grown);
        }
        Some(self.binary(BinaryOp::IAdd, start, accumulated))
    }

    /// n × (n - 1) / 2. The even factor is halved first, in the width of the number of iterations.
    fn triangular(&mut self, iterations: Value, ty: Type) -> Option<Value> {
        let wide = if self.ty(iterations).bytes() > ty.element().bytes() {
            self.ty(iterations)
        } else {
            ty.element()
        };
        let count = self.as_type(iterations, wide)?;
        let one = self.constant(wide, 1);
        let half = self.binary(BinaryOp::LShr, count, one);
        let less = self.binary(BinaryOp::ISub, count, one);
        let odd = self.binary(BinaryOp::Or, less, one);
        let triangular = self.binary(BinaryOp::IMul, half, odd);
        self.as_type(triangular, ty)
    }

    /// A parameter after an idempotent update: further iterations change nothing.
    fn after_idempotent(&mut self, param: Value, start: Value, next: Value) -> Option<Value> {
        use BinaryOp::{And, Or, SMax, SMin, UMax, UMin};
        let inst = self.inst_of(next)?;
        match self.function().insts[inst].kind {
            InstKind::Binary(op @ (And | Or | SMax | SMin | UMax | UMin), a, b)
                if a == param || b == param =>
            {
                let by = self.invariant(if a == param { b } else { a })?;
                Some(self.binary(op, start, by))
            }
            _ => None,
        }
    }

    /// A number of iterations modulo 2^n of the type, in every lane.
    fn as_type(&mut self, iterations: Value, ty: Type) -> Option<Value> {
        let scalar = ty.scalar().filter(|s| s.is_int())?;
        let own = self.ty(iterations).scalar()?;
        let op = match scalar.bits().cmp(&own.bits()) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(ConvertOp::Trunc),
            std::cmp::Ordering::Greater => Some(ConvertOp::ZExt),
        };
        let iterations = match op {
            Some(op) => {
                let kind = InstKind::Convert { op, value: iterations, saturate: false, rounding: None };
                self.build(kind, Type::Scalar(scalar))
            }
            None => iterations,
        };
        Some(match ty.lanes() {
            1 => iterations,
            _ => self.build(InstKind::Construct(smallvec![iterations]), ty),
        })
    }
}

#[cfg(test)]
mod tests;

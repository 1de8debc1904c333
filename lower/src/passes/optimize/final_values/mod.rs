//! Final-value replacement and loop deletion: a loop that computes only its final values is replaced by their closed forms.
//!
//! What a loop leaves that does nothing else is computed without going round: its last values, of how often it goes round.
//!
//! A loop is replaced that has no effect, no loop within and one way out, which every round comes to, where the number of its turns
//! follows from what is known before it ([`iteration_count`]) and so do the values that are used behind it. What a round adds is a line
//! or, where that grows by line itself, a sum of one; what a round takes from a constant changes between two values; what is set
//! alike in every round is set by the first. All of it is exact modulo 2^n, as the loop would compute it.
//!
//! Whether the loop ends is not assumed: C11's permission to (6.8.5) is none of OpenCL C's, which is C99. A loop whose
//! counter may pass its end for ever stays (`i <= n` where n may be the greatest number), and so does every other whose turns are
//! not known.

mod iteration_count;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, IntCC, Module, Scalar, Terminator, Type, UnaryOp,
    Value, ValueDef,
};
use crate::passes::optimize::simplify::{self, Simplifier};
use crate::transform::cleanup;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// What is added and subtracted.
type Terms = SmallVec<[(BinaryOp, Value); 4]>;

/// No larger loops are looked at.
const LARGEST: usize = 128;
/// No more than this is computed in a loop's place.
const MAX: u32 = 96;
/// A round's sum has no more terms.
const MAX_TERMS: usize = 8;
/// Values that are those of earlier rounds are followed over so many.
const MAX_CARRIED_ITERATIONS: usize = 2;

/// Replaces such loops of every function.
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

/// Replaces such loops of one function; tells whether there were any.
pub fn replace_loops(function: &mut Function, address_bits: u32) -> bool {
    let mut tried: FxHashSet<Block> = FxHashSet::default();
    let mut any = false;
    while function.layout.len() > 1 && replace_next(function, address_bits, &mut tried) {
        any = true;
    }
    any
}

/// Replaces the first loop that can be, of those that were not tried: inner ones first.
fn replace_next(function: &mut Function, address_bits: u32, tried: &mut FxHashSet<Block>) -> bool {
    let Some((cfg, loops)) = function.loops() else { return false };
    for index in (0..loops.loops.len()).rev() {
        let header = loops.loops[index].header;
        // A loop around others is looked at again when one of these has gone.
        if loops.loops.iter().any(|l| l.parent == Some(index)) || !tried.insert(header) {
            continue;
        }
        let Some(way_out) = way_out(function, &cfg, &loops, index) else { continue };
        let mark = function.mark();
        let home = function.new_detached_block();
        let positions = Positions::new(function);
        let done = Closing::new(function, (&cfg, &loops, &positions), (index, home), way_out.0, address_bits)
            .and_then(|closing| closing.finish(way_out));
        let Some(values) = done else {
            function.forget_since(mark);
            continue;
        };
        log::debug!("{}: the loop at {header} is computed at once", function.name);
        let outside = cfg.preds(header).iter().filter(|from| !loops.contains(index, **from));
        for &from in outside {
            for target in function.blocks[from].term.targets_mut().filter(|t| t.block == header) {
                target.block = home;
            }
        }
        function.layout.push(home);
        cleanup::remove_unreachable(function);
        cleanup::order_layout(function);
        function.replace_uses(&values);
        // The loop around sees through the block.
        cleanup::redundant_params(function);
        return true;
    }
    false
}

/// The block with a loop's only way out, and which of its targets that is, where the loop has no effect and every round comes there.
fn way_out(function: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<(Block, usize)> {
    let data = &loops.loops[index];
    let mut size = 0;
    let mut found = None;
    for &block in &data.blocks {
        let term = &function.blocks[block].term;
        if term.targets().is_empty() {
            return None;
        }
        for (way, target) in term.targets().enumerate() {
            if !loops.contains(index, target.block) && found.replace((block, way)).is_some() {
                return None;
            }
        }
        size += function.blocks[block].insts.len();
        if size > LARGEST {
            return None;
        }
        let goes = |inst: &Inst| {
            let kind = &function.insts[*inst].kind;
            let effects = kind.effects(function);
            effects.can_be_removed() && !effects.convergent && !matches!(kind, InstKind::Call { .. })
        };
        if !function.blocks[block].insts.iter().all(goes) {
            return None;
        }
    }
    let (block, way) = found?;
    let every_round = data.latches.iter().all(|latch| cfg.dominates(block, *latch));
    (every_round && matches!(function.blocks[block].term, Terminator::CondBranch { .. }))
        .then_some((block, way))
}

/// What a value is in round k: `start` + k × `step`.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: Value,
    step: Value,
}

/// A parameter of the loop's head.
#[derive(Debug, Clone, Copy)]
struct Carried {
    /// What it is in the first round.
    start: Value,
    /// What the next round gets for it; `None` where that depends on the way.
    next: Option<Value>,
}

/// A loop whose values are computed before it.
struct Closing<'a> {
    simplifier: Simplifier<'a>,
    cfg: &'a Cfg,
    loops: &'a Loops,
    positions: &'a Positions,
    index: usize,
    /// The block with the way out.
    exit: Block,
    /// Where the values are computed.
    home: Block,
    carried: FxHashMap<Value, Carried>,
    /// What is the same in every round, in `home`.
    same: FxHashMap<Value, Option<Value>>,
    lines: FxHashMap<Value, Option<Line>>,
    /// How often the loop is gone through wholly before it is left; before that by one, two …
    turns: SmallVec<[Value; 3]>,
    /// What values are so many rounds before the one that leaves.
    last: FxHashMap<(Value, usize), Option<Value>>,
    made: u32,
}

impl<'a> Closing<'a> {
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
            let mut nexts: SmallVec<[Value; 2]> = SmallVec::new();
            for latch in &loops.loops[index].latches {
                let targets = function.blocks[*latch].term.targets().filter(|t| t.block == header);
                nexts.extend(targets.filter_map(|t| t.args.get(n).copied()));
            }
            let next = nexts.first().copied().filter(|first| nexts.iter().all(|v| v == first));
            carried.insert(param, Carried { start, next });
        }
        let mut simplifier = Simplifier::detached(function, cfg, address_bits);
        simplifier.begin(home);
        Some(Closing {
            simplifier,
            cfg,
            loops,
            positions,
            index,
            exit,
            home,
            carried,
            same: FxHashMap::default(),
            lines: FxHashMap::default(),
            turns: SmallVec::new(),
            last: FxHashMap::default(),
            made: 0,
        })
    }

    /// Fills the block that stands for the loop: gives what stands for the loop's values that are used behind it.
    fn finish(mut self, (exit, way): (Block, usize)) -> Option<FxHashMap<Value, Value>> {
        let Terminator::CondBranch { cond, .. } = self.function().blocks[exit].term else { return None };
        let turns = self.turns(cond, way == 1)?;
        self.turns.push(turns);
        let mut target = self.function().blocks[exit].term.target(way)?.clone();
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
        (self.made <= MAX).then_some(values)
    }

    /// The loop's values that other blocks use.
    fn used_outside(&self) -> Vec<Value> {
        let function = self.function();
        let mut found = FxHashSet::default();
        let outside = |block: &&Block| !self.loops.contains(self.index, **block);
        for &block in function.layout.iter().filter(outside) {
            let data = &function.blocks[block];
            let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
            found.extend(insts.chain(data.term.values()).filter(|v| self.is_inside(*v)));
        }
        let mut found: Vec<Value> = found.into_iter().collect();
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

    /// The same instruction with other operands, in the loop's place.
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
        (all && self.made <= MAX).then(|| self.build(kind, ty))
    }

    /// The instruction of the loop that alone makes a value.
    fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.function().values[value].def {
            ValueDef::Inst(inst, 0) if self.function().insts[inst].results.len() == 1 => Some(inst),
            _ => None,
        }
    }

    /// Whether an instruction of the loop may stand before it, for the operands of some round: it is done in every round up to the last,
    /// or may be done anywhere.
    fn may_be_copied(&self, inst: Inst) -> bool {
        let always = self.positions.of(inst).is_some_and(|(block, _)| self.cfg.dominates(block, self.exit));
        always || self.function().insts[inst].kind.effects(self.function()).can_be_speculated()
    }

    /// What a value is where it is the same in every round.
    fn same(&mut self, value: Value) -> Option<Value> {
        if !self.is_inside(value) {
            return Some(value);
        }
        if let Some(known) = self.same.get(&value) {
            return *known;
        }
        self.same.insert(value, None);
        let same = match self.carried.get(&value) {
            Some(carried) => (carried.next == Some(value)).then_some(carried.start),
            None => self.same_inst(value),
        };
        self.same.insert(value, same);
        same
    }

    /// Of an instruction that gives the same for the same operands: each round reads memory again that others may write.
    fn same_inst(&mut self, value: Value) -> Option<Value> {
        let inst = self.inst_of(value).filter(|inst| self.may_be_copied(*inst))?;
        if !self.function().insts[inst].kind.effects(self.function()).can_be_numbered() {
            return None;
        }
        let operands: SmallVec<[Value; 4]> = self.function().insts[inst].kind.values().collect();
        let mut same: FxHashMap<Value, Value> = FxHashMap::default();
        for operand in operands {
            same.insert(operand, self.same(operand)?);
        }
        self.copy(inst, |v| same.get(&v).copied())
    }

    /// What a value is by round, where that is a line.
    fn line(&mut self, value: Value) -> Option<Line> {
        if let Some(start) = self.same(value) {
            let ty = self.ty(value);
            ty.scalar().filter(|s| s.is_int())?;
            let step = self.constant(ty, 0);
            return Some(Line { start, step });
        }
        if let Some(known) = self.lines.get(&value) {
            return *known;
        }
        self.lines.insert(value, None);
        let line = match self.carried.get(&value).copied() {
            Some(carried) => self.carried_line(value, carried),
            None => self.line_of_inst(value),
        };
        self.lines.insert(value, line);
        line
    }

    fn carried_line(&mut self, param: Value, carried: Carried) -> Option<Line> {
        let (1, terms) = self.terms(carried.next?, param)? else { return None };
        let ty = self.ty(param);
        let mut step = self.constant(ty, 0);
        for (op, term) in terms {
            let term = self.same(term)?;
            step = self.binary(op, step, term);
        }
        Some(Line { start: carried.start, step })
    }

    fn line_of_inst(&mut self, value: Value) -> Option<Line> {
        let inst = self.inst_of(value)?;
        match self.function().insts[inst].kind {
            InstKind::Binary(op @ (BinaryOp::IAdd | BinaryOp::ISub), a, b) => {
                let (a, b) = (self.line(a)?, self.line(b)?);
                Some(Line { start: self.binary(op, a.start, b.start), step: self.binary(op, a.step, b.step) })
            }
            InstKind::Binary(BinaryOp::IMul, a, b) => {
                let (line, by) = match self.same(b) {
                    Some(by) => (self.line(a)?, by),
                    None => (self.line(b)?, self.same(a)?),
                };
                let mut times = |v: Value| self.binary(BinaryOp::IMul, v, by);
                Some(Line { start: times(line.start), step: times(line.step) })
            }
            InstKind::Binary(BinaryOp::Shl, a, b) => {
                let width = self.ty(a).scalar().map_or(0, Scalar::bits);
                self.function().const_bits(b).filter(|by| *by < u64::from(width))?;
                let line = self.line(a)?;
                let mut times = |v: Value| self.binary(BinaryOp::Shl, v, b);
                Some(Line { start: times(line.start), step: times(line.step) })
            }
            _ => None,
        }
    }

    /// What a sum has of a parameter, 1 or -1, and its other terms: added or subtracted.
    fn terms(&mut self, sum: Value, param: Value) -> Option<(i32, Terms)> {
        let ty = self.ty(param);
        ty.scalar().filter(|s| s.is_int())?;
        let mut work: SmallVec<[(bool, Value); 4]> = smallvec![(false, sum)];
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

    /// What a value is in the round that leaves, or so many before.
    fn last(&mut self, value: Value, back: usize) -> Option<Value> {
        if let Some(same) = self.same(value) {
            return Some(same);
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
        // There may have been no round before.
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
        let turns = self.turns_before(back)?;
        let none = self.constant(self.ty(turns), 0);
        if let Some(set) = self.same(next) {
            let any = self.compare(IntCC::Ne, turns, none);
            return Some(self.choose(any, set, start));
        }
        if let Some(other) = self.other(param, start, next) {
            let one = self.constant(self.ty(turns), 1);
            let odd = self.binary(BinaryOp::And, turns, one);
            let odd = self.compare(IntCC::Ne, odd, none);
            return Some(self.choose(odd, other, start));
        }
        if let Some(sum) = self.sum(param, start, next, turns) {
            return Some(sum);
        }
        if let Some(set) = self.settled(param, start, next) {
            let any = self.compare(IntCC::Ne, turns, none);
            return Some(self.choose(any, set, start));
        }
        // What the round before made of other values.
        if self.depends_on(next, param, 0) {
            return None;
        }
        let before = self.last(next, back + 1)?;
        let any = self.compare(IntCC::Ne, turns, none);
        Some(self.choose(any, before, start))
    }

    fn choose(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.build(InstKind::Select(cond, a, b), ty)
    }

    /// How many rounds there were before the last, or before those that many back: any number where there were not so many.
    fn turns_before(&mut self, back: usize) -> Option<Value> {
        while self.turns.len() <= back {
            if self.turns.len() > MAX_CARRIED_ITERATIONS {
                return None;
            }
            let last = *self.turns.last()?;
            let one = self.constant(self.ty(last), 1);
            let before = self.binary(BinaryOp::ISub, last, one);
            self.turns.push(before);
        }
        self.turns.get(back).copied()
    }

    /// Whether a value depends on a parameter within one round, as far as is looked.
    fn depends_on(&self, value: Value, param: Value, depth: u32) -> bool {
        if value == param || depth > 8 {
            return true;
        }
        let inst = self.inst_of(value).filter(|_| self.is_inside(value));
        inst.is_some_and(|inst| {
            self.function().insts[inst].kind.values().any(|v| self.depends_on(v, param, depth + 1))
        })
    }

    /// What a parameter is in every other round, where it changes between that and its start.
    fn other(&mut self, param: Value, start: Value, next: Value) -> Option<Value> {
        let ty = self.ty(param);
        // Two that swap.
        if let Some(other) = self.carried.get(&next) {
            return (other.next == Some(param)).then_some(other.start);
        }
        let inst = self.inst_of(next)?;
        match self.function().insts[inst].kind {
            InstKind::Unary(op @ UnaryOp::Not, a) if a == param => {
                return Some(self.build(InstKind::Unary(op, start), ty));
            }
            InstKind::Binary(op @ BinaryOp::Xor, a, b) if a == param || b == param => {
                let by = self.same(if a == param { b } else { a })?;
                return Some(self.binary(op, start, by));
            }
            _ => {}
        }
        let (-1, terms) = self.terms(next, param)? else { return None };
        let mut sum = self.constant(ty, 0);
        for (op, term) in terms {
            let term = self.same(term)?;
            sum = self.binary(op, sum, term);
        }
        Some(self.binary(BinaryOp::ISub, sum, start))
    }

    /// A parameter to which every round adds a line, after so many.
    fn sum(&mut self, param: Value, start: Value, next: Value, turns: Value) -> Option<Value> {
        let (1, terms) = self.terms(next, param)? else { return None };
        let ty = self.ty(param);
        let zero = self.constant(ty, 0);
        let (mut first, mut growth) = (zero, zero);
        for (op, term) in terms {
            let line = self.line(term)?;
            first = self.binary(op, first, line.start);
            growth = self.binary(op, growth, line.step);
        }
        let count = self.as_type(turns, ty)?;
        let mut sum = self.binary(BinaryOp::IMul, count, first);
        if growth != zero {
            let pairs = self.pairs(turns, ty)?;
            let grown = self.binary(BinaryOp::IMul, pairs, growth);
            sum = self.binary(BinaryOp::IAdd, sum, grown);
        }
        Some(self.binary(BinaryOp::IAdd, start, sum))
    }

    /// turns × (turns - 1) / 2: whichever of the two is even is halved, as wide as the number of turns is.
    fn pairs(&mut self, turns: Value, ty: Type) -> Option<Value> {
        let wide = if self.ty(turns).bytes() > ty.element().bytes() { self.ty(turns) } else { ty.element() };
        let count = self.as_type(turns, wide)?;
        let one = self.constant(wide, 1);
        let half = self.binary(BinaryOp::LShr, count, one);
        let less = self.binary(BinaryOp::ISub, count, one);
        let odd = self.binary(BinaryOp::Or, less, one);
        let pairs = self.binary(BinaryOp::IMul, half, odd);
        self.as_type(pairs, ty)
    }

    /// What a parameter is after a round that changes nothing when it is done again.
    fn settled(&mut self, param: Value, start: Value, next: Value) -> Option<Value> {
        use BinaryOp::{And, Or, SMax, SMin, UMax, UMin};
        let inst = self.inst_of(next)?;
        match self.function().insts[inst].kind {
            InstKind::Binary(op @ (And | Or | SMax | SMin | UMax | UMin), a, b)
                if a == param || b == param =>
            {
                let by = self.same(if a == param { b } else { a })?;
                Some(self.binary(op, start, by))
            }
            _ => None,
        }
    }

    /// A number of turns modulo what the type holds, in every lane of it.
    fn as_type(&mut self, turns: Value, ty: Type) -> Option<Value> {
        let scalar = ty.scalar().filter(|s| s.is_int())?;
        let own = self.ty(turns).scalar()?;
        let op = match scalar.bits().cmp(&own.bits()) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(ConvertOp::Trunc),
            std::cmp::Ordering::Greater => Some(ConvertOp::ZExt),
        };
        let turns = match op {
            Some(op) => {
                let kind = InstKind::Convert { op, value: turns, saturate: false, rounding: None };
                self.build(kind, Type::Scalar(scalar))
            }
            None => turns,
        };
        Some(match ty.lanes() {
            1 => turns,
            _ => self.build(InstKind::Construct(smallvec![turns]), ty),
        })
    }
}

#[cfg(test)]
mod tests;

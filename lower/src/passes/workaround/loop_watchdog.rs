//! Iteration watchdog: kernels that may exceed a driver's limit of loop iterations detect that a loop was ended early and report it.
//!
//! Where a driver ends all loops of a work-item after so many turns together, a kernel that may come so far says that it did.
//!
//! Mesa's llvmpipe counts the turns of all loops down from 65,535, for the lanes of a vector together, and from 0 on ends every loop
//! after its first turn, silently. It shows in any loop that comes later. So a kernel whose turns are not proven few goes round one
//! more at its end, whose turns it knows:
//!
//! ```text
//! most = 2 + (told & 1);  for (i = 0; i < most; i++);  if (i != most) told = 1
//! ```
//!
//! `told` is a word of the launch's buffer ([`crate::printf`]), 0 until then: nobody but the launch knows it, so that no compiler
//! finds out that the loop ends as it says. Whoever launches looks at the word, and the command fails.
//! The driver's own vectors may be longer than a work-group is wide. Lanes that are nobody's work-items go round loops, too, as what they
//! read makes them, and would be counted: in such kernels they return at the start.
//!
//! Where the turns are known to be too many, but not by far (a delay loop of 100,000), several rounds of the innermost loops become one turn
//! ([`put_together`]), each with its own test, and the result is right.
//!
//! Atomics of floats that the Target lacks become loops later (`lower_float_atomics`). Each is one turn, or some where others are as quick.
//!
//! Most kernels can do better: their work-items go on where they were ended, in another launch ([`crate::passes::workaround::resume_loops`]). Those are only marked here.
//!
//! The loop costs three turns for each work-item, and nothing where the kernel's own turns are few.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BranchTarget, BuiltinInput, ConvertOp, Func, Function, InstKind, IntCC, MemFlags,
    Module, Place, Root, Space, Terminator, Type, Value, ValueDef, WorkItem,
};
use crate::passes::legalize::lower_float_atomics;
use crate::passes::legalize::work_item_loops::LARGEST;
use crate::passes::optimize::inline;
use crate::passes::optimize::narrow_int64::Ranges;
use crate::passes::optimize::unroll::clone_iterations;
use crate::passes::structurize::unify_returns;
use crate::printf::LOOPS_ENDED;
use crate::target::Target;
use crate::transform::cleanup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;

/// So many turns are left for loops that later passes and the driver add.
const MARGIN: u64 = 1 << 10;
/// The driver's vectors have no more lanes (512 bits), and their number divides this.
const LANES: u64 = 16;
/// No more rounds than this become one turn, of no more instructions together.
const MAX_ITERATIONS: u64 = 16;
const MAX_INSTRUCTIONS: u64 = 2048;
/// Loops that take fewer turns each time are left.
const SHORT: u64 = 64;
/// Calls are followed so deep.
const DEEPEST: u32 = 64;
/// How far back what a value is at most is followed.
const DEPTH: u32 = 8;

/// Makes kernels tell whether their loops were ended, for the drivers that end them.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let Some(most) = context.target.quirks.most_turns else { return Ok(()) };
    let launched = u64::from(context.target.limits.max_compute_work_group_invocations);
    let items = if module.pieces.is_some() { launched.max(LARGEST.into()) } else { launched };
    let mut known = FxHashMap::default();
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let function = &module.functions[func];
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let mut tried = insts.filter(|inst| lower_float_atomics::may_loop(function, **inst, context.target));
        let surely = if tried.next().is_some() { MARGIN } else { u64::from(most).saturating_sub(MARGIN) };
        let turns = of_function(module, (func, context.target), items, &mut known, 0);
        if turns.is_none_or(|turns| turns > surely) {
            if let Some(turns) = turns {
                shorten(&mut module.functions[func], items, turns, u64::from(most));
            }
            let goes_on = context.options.long_loops && may_resume(module, func, context.target);
            let (pieces, flat) = (module.pieces, module.flat);
            let kernel = &mut module.kernels[index];
            let function = &mut module.functions[func];
            kernel.resumes = goes_on.then_some(0);
            kernel.watches_loops =
                goes_on || watch(function, |f, entry| exists(f, entry, pieces, flat), word_of_pointer);
        }
    }
    Ok(())
}

/// Whether work-items whose loops were ended may go on in another launch ([`crate::passes::workaround::resume_loops`]): they wait for no others and have no memory together,
/// which would end with the launch, and the launch's buffer has one binding.
fn may_resume(module: &Module, func: Func, target: &Target) -> bool {
    let function = &module.functions[func];
    let alone = |kind: &InstKind| match kind {
        InstKind::Barrier { .. } | InstKind::MemBarrier { .. } | InstKind::Group { .. } => false,
        InstKind::RootAddr(Root::LocalArg(_) | Root::LocalArena) => false,
        InstKind::RootAddr(Root::Global(var)) => module.globals[*var].space != Space::Local,
        _ => true,
    };
    let mut insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
    // Values are saved as words when these integers are no longer made of others.
    let has = target.has_address_model() && target.features.shader_int64 && target.features.shader_int16;
    module.pieces.is_none() && has && insts.all(|i| alone(&function.insts[*i].kind))
}

/// The place of the word [`LOOPS_ENDED`], before `lower_addresses`.
fn word_of_pointer(function: &mut Function, block: Block) -> Place {
    let pointer = Type::Ptr(Space::Global);
    let base = function.append(block, InstKind::RootAddr(Root::Printf), pointer);
    let bytes = 4 * LOOPS_ENDED as i64;
    Place::Pointer(function.append(block, InstKind::PtrOffset { base, bytes }, pointer))
}

/// Puts several rounds of the innermost loops into one turn, so many that `loop_watchdog` become `most`. Whether it was enough the watch tells.
fn shorten(function: &mut Function, items: u64, turns: u64, most: u64) {
    let times = turns.div_ceil(most.saturating_sub(2 * MARGIN).max(1));
    if !(2..=MAX_ITERATIONS).contains(&times) {
        return;
    }
    let long: Vec<LoopData> = {
        let cfg = Cfg::new(function);
        let loops = cfg.loops();
        let counter = Counter::new(function, &cfg, &loops, items);
        let innermost = (0..loops.loops.len()).filter(|n| loops.loops.iter().all(|l| l.parent != Some(*n)));
        let of = innermost.map(|n| &loops.loops[n]);
        let size =
            |data: &LoopData| data.blocks.iter().map(|b| function.blocks[*b].insts.len() as u64).sum::<u64>();
        of.filter(|data| {
            counter.visits(data).is_some_and(|v| v > SHORT) && size(data) * times <= MAX_INSTRUCTIONS
        })
        .cloned()
        .collect()
    };
    for data in &long {
        clone_iterations::several(function, data, times as usize);
    }
}

/// How many turns the loops of a function and of all that it calls take at most; `None`: it is not known.
fn of_function(
    module: &Module,
    (func, device): (Func, &Target),
    items: u64,
    known: &mut FxHashMap<Func, Option<u64>>,
    depth: u32,
) -> Option<u64> {
    if let Some(turns) = known.get(&func) {
        return *turns;
    }
    let function = &module.functions[func];
    let callees: Vec<Func> = inline::calls(function).collect();
    let turns = if depth == DEEPEST {
        None
    } else {
        callees
            .iter()
            .all(|f| of_function(module, (*f, device), items, known, depth + 1).is_some())
            .then_some(())
    };
    let turns = turns.and_then(|()| {
        let cfg = Cfg::new(function);
        let loops = cfg.loops();
        let called = |block: Block| {
            let insts = function.blocks[block].insts.iter();
            insts.fold(0u64, |sum, inst| match &function.insts[*inst].kind {
                InstKind::Call { func, .. } => {
                    sum.saturating_add(known.get(func).copied().flatten().unwrap_or(0))
                }
                _ if lower_float_atomics::may_loop(function, *inst, device) => sum.saturating_add(1),
                _ => sum,
            })
        };
        Counter::new(function, &cfg, &loops, items).all(&called)
    });
    known.insert(func, turns);
    turns
}

/// Counts a function's turns.
struct Counter<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    ranges: RefCell<Ranges<'a>>,
    /// No more work-items than this are in a work-group.
    items: u64,
}

impl<'a> Counter<'a> {
    fn new(function: &'a Function, cfg: &'a Cfg, loops: &'a Loops, items: u64) -> Self {
        Counter { function, cfg, loops, ranges: RefCell::new(Ranges::new(function, cfg)), items }
    }

    /// All of them. A loop that no lane comes to may take a turn all the same: the driver masks lanes and does not branch.
    fn all(&self, called: &dyn Fn(Block) -> u64) -> Option<u64> {
        if self.loops.irreducible {
            return None;
        }
        // What a turn of each loop takes, and at the end what is in no loop.
        let count = self.loops.loops.len();
        let mut turn = vec![1u64; count + 1];
        for &block in self.cfg.rpo() {
            let at = self.loops.innermost(block).unwrap_or(count);
            turn[at] = turn[at].saturating_add(called(block));
        }
        for index in (0..count).rev() {
            let data = &self.loops.loops[index];
            let turns = self.visits(data)?.saturating_mul(turn[index]);
            let around = data.parent.unwrap_or(count);
            turn[around] = turn[around].saturating_add(turns);
        }
        Some(turn[count])
    }

    /// How often a loop's head is come to, at most, each time that the loop is entered.
    fn visits(&self, data: &LoopData) -> Option<u64> {
        let inside = |block: Block| data.blocks.contains(&block);
        let every_turn = |block: &Block| data.latches.iter().all(|l| self.cfg.dominates(*block, *l));
        data.blocks.iter().filter(|b| every_turn(b)).find_map(|&block| {
            let Terminator::CondBranch { cond, then, els } = &self.function.blocks[block].term else {
                return None;
            };
            let stays = match (inside(then.block), inside(els.block)) {
                (true, false) => true,
                (false, true) => false,
                _ => return None,
            };
            let InstKind::ICmp(cc, a, b) = self.function.def_inst(*cond)?.kind else { return None };
            let cc = if stays { cc } else { fold::not_icmp(cc) };
            self.by_test(data, cc, a, b).or_else(|| self.by_test(data, fold::swap_icmp(cc), b, a))
        })
    }

    /// The same for a loop that goes on while a counter compares so with a bound.
    fn by_test(&self, data: &LoopData, cc: IntCC, counter: Value, bound: Value) -> Option<u64> {
        let (param, first, next, is_next) = self.counter(data, counter)?;
        let bits = self.function.ty(param).scalar()?.bits();
        let half = 1u64 << (bits - 1);
        let most = |v: Value| self.most(v, DEPTH);
        let signed = |v: Value| self.function.const_signed(v);
        let InstKind::Binary(op, from, by) = self.function.def_inst(next)?.kind else { return None };
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
            // 1, 2, 4 … comes to a bound that is small, before anything is shifted out of 32 bits.
            _ if matches!(op, BinaryOp::Shl | BinaryOp::IMul) && bits < 32 => None,
            BinaryOp::Shl if by_at_least(1) && signed(by) <= Some(8) => self.doubling(cc, first, bound),
            BinaryOp::IMul if by_at_least(2) && signed(by) <= Some(256) => self.doubling(cc, first, bound),
            BinaryOp::IAdd => match (cc, signed(by)) {
                // Whatever is added, modulo 2^n: what does not leave the range below the bound goes through it one way.
                (IntCC::Ult | IntCC::Ule, step) => {
                    let step = step.map_or(1, i64::unsigned_abs);
                    let moves = step != 0 && (signed(by).is_some() || self.is_size(by));
                    Some(most(bound)).filter(|bound| moves && *bound < half / 2).map(|bound| bound / step + 3)
                }
                // A step from below the bound to beyond it does not wrap around.
                (IntCC::Slt | IntCC::Sle, Some(step)) if step > 0 && step.unsigned_abs() < half / 2 => {
                    let bound = most(bound);
                    let from = signed(first).or_else(|| (most(first) < half).then_some(0))?;
                    let way = (bound < half / 2).then(|| i128::from(bound) - i128::from(from))?;
                    u64::try_from(way.max(0) / i128::from(step) + 3).ok()
                }
                (IntCC::Slt | IntCC::Sle, None) if self.is_size(by) => {
                    let bound = Some(most(bound)).filter(|b| *b < half / 2)?;
                    (most(first) < half).then_some(bound + 3)
                }
                (IntCC::Sgt | IntCC::Sge, Some(step)) if step < 0 => {
                    let from = Some(most(first)).filter(|f| *f < half)?;
                    let bound = i128::from(signed(bound)?);
                    // Nor does one to below it.
                    let way = Some(i128::from(from) - bound);
                    let way = way.filter(|_| bound + i128::from(step) >= -i128::from(half))?;
                    u64::try_from(way.max(0) / i128::from(step.unsigned_abs()) + 3).ok()
                }
                (IntCC::Ne | IntCC::Ugt, Some(-1)) if signed(bound) == Some(0) && !is_next => {
                    most(first).checked_add(3)
                }
                (IntCC::Ne, Some(step)) if step != 0 && most(bound) <= fold::mask(bits) => {
                    let way = i128::from(signed(bound)?) - i128::from(signed(first)?);
                    let (turns, rest) = (way / i128::from(step), way % i128::from(step));
                    (rest == 0 && turns >= i128::from(is_next)).then(|| u64::try_from(turns + 2).ok())?
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A counter that is doubled until it reaches a small bound.
    fn doubling(&self, cc: IntCC, first: Value, bound: Value) -> Option<u64> {
        let small = self.most(bound, DEPTH) <= 1 << 16;
        let starts = self.function.const_signed(first).is_some_and(|f| (1..1 << 16).contains(&f));
        (small && starts && matches!(cc, IntCC::Ult | IntCC::Ule | IntCC::Slt | IntCC::Sle)).then_some(20)
    }

    /// The parameter of a loop's head that a value is, was extended from, or is what comes next of; what it is first, what next, and
    /// whether the value is that.
    fn counter(&self, data: &LoopData, value: Value) -> Option<(Value, Value, Value, bool)> {
        let params = &self.function.blocks[data.header].params;
        let value = match self.function.def_inst(value).map(|i| &i.kind) {
            Some(InstKind::Convert { op: ConvertOp::ZExt, value: from, saturate: false, .. }) => *from,
            _ => value,
        };
        (0..params.len()).find_map(|n| {
            let (mut first, mut next) = (None, None);
            for &from in self.cfg.preds(data.header) {
                let place = if data.latches.contains(&from) { &mut next } else { &mut first };
                for target in
                    self.function.blocks[from].term.targets().iter().filter(|t| t.block == data.header)
                {
                    let arg = *target.args.get(n)?;
                    if *place.get_or_insert(arg) != arg {
                        return None;
                    }
                }
            }
            let (first, next) = (first?, next?);
            // What another parameter is one turn later (`last = i`) counts nothing.
            let is_next = value == next && !params.contains(&next);
            (value == params[n] || is_next).then_some((params[n], first, next, is_next))
        })
    }

    /// Whether a value is a size of the launch's, which is not 0 in 32 bits.
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
    fn most(&self, value: Value, depth: u32) -> u64 {
        let general = self.ranges.borrow_mut().greatest(value);
        let ValueDef::Inst(inst, _) = self.function.values[value].def else { return general };
        let Some(depth) = depth.checked_sub(1) else { return general };
        let own = match self.function.insts[inst].kind {
            InstKind::WorkItem(
                WorkItem::LocalId
                | WorkItem::LocalSize
                | WorkItem::EnqueuedLocalSize
                | WorkItem::LocalLinearId,
                _,
            ) => self.items,
            InstKind::Convert { op: ConvertOp::Trunc | ConvertOp::ZExt, value, saturate: false, .. } => {
                self.most(value, depth)
            }
            InstKind::Binary(BinaryOp::UDiv | BinaryOp::LShr | BinaryOp::URem, a, _) => self.most(a, depth),
            InstKind::Binary(BinaryOp::And | BinaryOp::UMin, a, b) => {
                self.most(a, depth).min(self.most(b, depth))
            }
            InstKind::Binary(BinaryOp::IAdd, a, b) => {
                self.most(a, depth).checked_add(self.most(b, depth)).unwrap_or(general)
            }
            _ => general,
        };
        // A sum that may be more than the type holds is not what is said here.
        if own > general { general } else { own }
    }
}

/// Whether the lane is a work-item, as it is computed in a block. `work_item_loops`: how many work-items are launched of a work-group that runs in pieces; lanes
/// that are none of them have no piece where there are fewer work-items than that. `flat`: work-groups are launched in one dimension
/// ([`Module::flat`]).
fn exists(function: &mut Function, entry: Block, pieces: Option<u32>, flat: bool) -> Value {
    let mut ask = |what, dim| function.append(entry, InstKind::WorkItem(what, dim), Type::I32);
    if let Some(launched) = pieces {
        let input = InstKind::Input(BuiltinInput::LocalInvocationIndex, 0);
        let (index, all) =
            (function.append(entry, input, Type::I32), function.iconst(Type::I32, launched.into()));
        return match u64::from(launched).is_multiple_of(LANES) {
            true => function.append(entry, InstKind::ICmp(IntCC::Eq, all, all), Type::BOOL),
            false => function.append(entry, InstKind::ICmp(IntCC::Ult, index, all), Type::BOOL),
        };
    }
    let lane = ask(WorkItem::SubgroupLocalId, 0);
    // Vulkan's work-group may have one dimension where OpenCL's has three.
    if flat {
        let sizes = [0, 1, 2].map(|d| ask(WorkItem::LocalSize, d));
        let place = ask(WorkItem::LocalLinearId, 0);
        let plane = function.append(entry, InstKind::Binary(BinaryOp::IMul, sizes[0], sizes[1]), Type::I32);
        let all = function.append(entry, InstKind::Binary(BinaryOp::IMul, plane, sizes[2]), Type::I32);
        return is_inside(function, entry, place, all, lane);
    }
    let (place, width) = (ask(WorkItem::LocalId, 0), ask(WorkItem::LocalSize, 0));
    is_inside(function, entry, place, width, lane)
}

/// Whether a lane at a place in a row of so many work-items is one of them. `lane`: its number in the vector.
pub(crate) fn is_inside(
    function: &mut Function,
    block: Block,
    place: Value,
    width: Value,
    lane: Value,
) -> Value {
    // The driver takes the place in a row of one for 0 in all lanes: there the lane's own number is asked.
    let (one, none) = (function.iconst(Type::I32, 1), function.iconst(Type::I32, 0));
    let narrow = function.append(block, InstKind::ICmp(IntCC::Eq, width, one), Type::BOOL);
    let place = function.append(block, InstKind::Select(narrow, lane, place), Type::I32);
    let inside = function.append(block, InstKind::ICmp(IntCC::Ult, place, width), Type::BOOL);
    // Known when the driver compiles for a size: where vectors are full nothing of the kernel is under a condition, and what is the
    // same for all lanes is loaded once.
    let lanes = function.iconst(Type::I32, LANES - 1);
    let rest = function.append(block, InstKind::Binary(BinaryOp::And, width, lanes), Type::I32);
    let full = function.append(block, InstKind::ICmp(IntCC::Eq, rest, none), Type::BOOL);
    function.append(block, InstKind::Binary(BinaryOp::Or, full, inside), Type::BOOL)
}

/// What the entry held becomes a block of its own, which comes after the entry.
pub(crate) fn split_entry(function: &mut Function) -> Block {
    let (entry, start) = (function.entry(), function.new_block());
    function.blocks[start].insts = std::mem::take(&mut function.blocks[entry].insts);
    function.blocks[start].term =
        std::mem::replace(&mut function.blocks[entry].term, Terminator::Unreachable);
    start
}

/// Adds the loop at a kernel's end; whether it has one. `exists` computes in a block whether the lane is a work-item, `word` where the
/// launch's buffer has its word [`LOOPS_ENDED`].
pub(crate) fn watch(
    function: &mut Function,
    exists: impl FnOnce(&mut Function, Block) -> Value,
    word: impl FnOnce(&mut Function, Block) -> Place,
) -> bool {
    cleanup::remove_unreachable(function);
    let returns = unify_returns::returning(function);
    if returns.is_empty() {
        return false;
    }
    let end = unify_returns::join_returns(function, &returns);
    // What the entry held, behind a test whether the lane is a work-item.
    let entry = function.entry();
    let start = split_entry(function);
    let exists = exists(function, entry);
    let (head, next) = (function.new_block(), function.new_block());
    let (behind, tell, leave) = (function.new_block(), function.new_block(), function.new_block());
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
    let flags = MemFlags { align: 4, volatile: false };
    let (zero, one, two) =
        (function.iconst(Type::I32, 0), function.iconst(Type::I32, 1), function.iconst(Type::I32, 2));

    let place = word(function, end);
    let told = function.append(end, InstKind::Load { place, flags }, Type::I32);
    let told = function.append(end, InstKind::Binary(BinaryOp::And, told, one), Type::I32);
    let most = function.append(end, InstKind::Binary(BinaryOp::IAdd, told, two), Type::I32);
    function.blocks[end].term = Terminator::Branch(to(head, &[zero]));

    function.blocks[entry].term =
        Terminator::CondBranch { cond: exists, then: to(start, &[]), els: to(leave, &[]) };

    let i = function.add_param(head, Type::I32);
    let goes_on = function.append(head, InstKind::ICmp(IntCC::Ult, i, most), Type::BOOL);
    function.blocks[head].term =
        Terminator::CondBranch { cond: goes_on, then: to(next, &[]), els: to(behind, &[]) };
    let more = function.append(next, InstKind::Binary(BinaryOp::IAdd, i, one), Type::I32);
    function.blocks[next].term = Terminator::Branch(to(head, &[more]));

    let ended = function.append(behind, InstKind::ICmp(IntCC::Ne, i, most), Type::BOOL);
    function.blocks[behind].term =
        Terminator::CondBranch { cond: ended, then: to(tell, &[]), els: to(leave, &[]) };
    function.append_void(tell, InstKind::Store { place, value: one, flags });
    function.blocks[tell].term = Terminator::Branch(to(leave, &[]));
    function.blocks[leave].term = Terminator::Return(SmallVec::new());
    cleanup::order_layout(function);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text};

    /// The turns of a kernel whose loop's head, latch and bound are these, in a function with an argument and a local size.
    fn turns(first: &str, test: &str, next: &str) -> Option<u64> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i32):\n  v2: i32 = workitem.localsize 0\n  \
             v4: i32 = workitem.localid 0\n  v5: i32 = and v0, i32:255\n  br b1({first})\nb1(v6: i32):\n  \
             v7: bool = icmp.{test}\n  condbr v7, b2(), b3()\nb2():\n  v8: i32 = {next}\n  br b1(v8)\nb3():\n  return()\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (func, _) = module.functions.iter().next().expect("one");
        of_function(&module, (func, &Target::minimum()), 1024, &mut FxHashMap::default(), 0)
    }

    #[test]
    fn turns_that_are_known() {
        for (first, test, next, least, most) in [
            ("i32:0", "slt v6, i32:100", "iadd v6, i32:1", 101, 110),
            ("i32:0", "ult v6, i32:100", "iadd v6, i32:10", 11, 20),
            ("i32:-50", "sle v6, i32:50", "iadd v6, i32:1", 102, 110),
            ("i32:100", "sgt v6, i32:0", "iadd v6, i32:-1", 101, 110),
            ("i32:100", "ne v6, i32:0", "iadd v6, i32:-4", 26, 30),
            ("v4", "slt v6, i32:4096", "iadd v6, v2", 4096, 4100),
            ("v2", "sgt v6, i32:0", "lshr v6, i32:1", 12, 40),
            ("i32:1", "ult v6, v2", "shl v6, i32:1", 12, 40),
            ("v5", "ne v6, i32:0", "iadd v6, i32:-1", 256, 260),
            ("i32:0", "ult v6, v5", "iadd v6, i32:1", 256, 260),
        ] {
            let found = turns(first, test, next).unwrap_or_else(|| panic!("{first}, {test}, {next}"));
            assert!((least..=most).contains(&found), "{first}, {test}, {next}: {found}");
        }
    }

    #[test]
    fn turns_that_are_not() {
        for (first, test, next) in [
            ("i32:0", "slt v6, v0", "iadd v6, i32:1"),
            ("v0", "slt v6, i32:100", "iadd v6, i32:1"),
            ("i32:0", "ne v6, i32:100", "iadd v6, i32:3"),
            ("i32:0", "slt v6, i32:100", "iadd v6, i32:-1"),
            ("i32:0", "ule v6, i32:-1", "iadd v6, i32:1073741824"),
            ("i32:-8", "ne v6, i32:0", "ashr v6, i32:1"),
            ("i32:0", "ult v6, i32:8", "shl v6, i32:1"),
            ("i32:0", "ult v6, v0", "iadd v6, v2"),
            ("i32:0", "ult v6, i32:100", "iadd v6, v0"),
            // From below the bound beyond the greatest number, and the other way.
            ("i32:200000", "slt v6, i32:300000", "iadd v6, i32:2147483647"),
            ("i32:0", "sgt v6, i32:-2147483640", "iadd v6, i32:-2000000000"),
        ] {
            assert_eq!(turns(first, test, next), None, "{first}, {test}, {next}");
        }
    }

    /// The same with a counter of fewer bits, which is compared in 32.
    fn turns_of(ty: &str, test: &str, next: &str) -> Option<u64> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0():\n  v2: i64 = workitem.localsize 0\n  v4: {ty} = convert.trunc v2\n  \
             br b1({ty}:1)\nb1(v6: {ty}):\n  v9: i32 = convert.zext v6\n  v7: bool = icmp.{test}\n  condbr v7, b2(), b3()\nb2():\n  \
             v8: {ty} = {next}\n  br b1(v8)\nb3():\n  return()\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (func, _) = module.functions.iter().next().expect("one");
        of_function(&module, (func, &Target::minimum()), 1024, &mut FxHashMap::default(), 0)
    }

    #[test]
    fn small_counters_wrap_before_their_bounds() {
        for (ty, test, next) in [
            // 1, 2 … 32768, 0, 0; 1, 256, 0; 256 work-items are none in 8 bits.
            ("i16", "ult v9, i32:40000", "shl v6, i16:1"),
            ("i16", "ult v9, i32:60000", "imul v6, i16:256"),
            ("i8", "ult v9, i32:60", "iadd v6, v4"),
            ("i8", "ne v9, i32:300", "iadd v6, i8:1"),
        ] {
            assert_eq!(turns_of(ty, test, next), None, "{ty} {test} {next}");
        }
        assert!(turns_of("i16", "ult v9, i32:1000", "iadd v6, i16:1").is_some());
    }

    #[test]
    fn a_kernel_tells_that_its_loops_were_ended() {
        let source = "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i32):\n  br b1(i32:0)\nb1(v1: i32):\n  \
                      v2: bool = icmp.slt v1, v0\n  condbr v2, b2(), b3()\nb2():\n  v3: i32 = iadd v1, i32:1\n  \
                      br b1(v3)\nb3():\n  return()\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        let func = module.functions.iter().next().expect("one").0;
        assert!(watch(
            &mut module.functions[func],
            |f, entry| exists(f, entry, None, false),
            word_of_pointer
        ));
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let end = interp::run(&module.functions[func], &[vec![Some(5)]], 0, 1000).end;
        assert_eq!(end, interp::End::Return(vec![]), "{module}");
    }
}

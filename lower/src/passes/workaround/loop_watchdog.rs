//! Iteration watchdog: kernels that may exceed a driver's limit of loop iterations detect that a loop was ended early and report it.
//!
//! Mesa's llvmpipe before version 25 counts the iterations of all loops down from 65,535, for the lanes of a vector together. At 0 it
//! ends every loop after its first iteration, silently. Any later loop shows this. A kernel whose iterations are not proven to be few
//! therefore gets a loop at its end with a known trip count:
//!
//! ```text
//! limit = opaque 2;  for (i = 0; i < limit; i++);  if (i != limit) flag = 1
//! ```
//!
//! `flag` is a word of the launch's buffer ([`crate::printf`]) and starts as 0. No compiler can fold the loop. The
//! host reads the word, and the command fails.
//!
//! A vector of the driver may be longer than a row of the work-group. Its surplus lanes would execute loops with arbitrary values and
//! would be counted. In kernels with a watchdog they return at the start.
//!
//! If the iterations are known to exceed the limit moderately (a delay loop of 100,000), the bodies of the innermost loops are cloned
//! ([`loops::unroll`]). Each copy keeps its own test, and the result is right. The same is done if the launch finds that they are
//! too many ([`Iterations::Many`]), or cannot find their number, and the kernel cannot resume. The kernel's formula then counts them with
//! the copies. If the launch promises that they are few ([`Iterations::Few`]), the kernel only gets a formula of its trip count.
//!
//! Atomics of floats that the Target lacks become loops later (`lower_float_atomics`). Each takes one iteration, or some under
//! contention.
//!
//! Most kernels can resume instead: their work-items continue in another dispatch ([`crate::passes::workaround::resume_loops`]). The
//! pass only marks those. Loops before or around a barrier must have few iterations, because they cannot resume.
//!
//! The loop costs three iterations for each work-item. Kernels with few iterations are not changed.

mod count;

use crate::Iterations;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::{
    BinaryOp, Block, BranchTarget, BuiltinInput, Func, Function, InstKind, IntCC, KernelArgKind, KernelData,
    MemFlags, Module, Place, Root, Space, Terminator, Type, UnaryOp, Value, WorkItem,
};
use crate::iterations::Count;
use crate::passes::language::lower_kernel_args;
use crate::passes::legalize::lower_float_atomics;
use crate::passes::optimize::inline;
use crate::passes::structurize::unify_returns;
use crate::printf::LOOPS_ENDED;
use crate::target::MAX_WORK_GROUP_SIZE;
use crate::target::Target;
use crate::transform::cleanup;
use crate::transform::loops::{self, Unroll};
use crate::transform::split::split_entry;
use count::{Arguments, Counter};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The number of iterations reserved for loops that later passes and the driver add.
const MARGIN: u64 = 1 << 10;
/// The driver's vectors have no more lanes (512 bits), and their number divides this.
const LANES: u64 = 16;
/// The largest number of copies of a loop's body, and of instructions in all copies.
const MAX_ITERATIONS: u64 = 16;
const MAX_INSTRUCTIONS: u64 = 2048;
/// The trip count below which the body of a loop is not cloned.
const MIN_TRIP_COUNT: u64 = 64;
/// The largest depth of calls that is followed.
const MAX_CALL_DEPTH: u32 = 64;

/// The headers of loops whose bodies are to be cloned so many times.
#[derive(Default)]
struct Copied {
    headers: FxHashSet<Block>,
    times: u64,
}

/// Adds the watchdog to kernels, for the drivers that end loops.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let Some(most) = context.target.quirks.max_iterations else { return Ok(()) };
    let launched = u64::from(context.target.limits.max_compute_work_group_invocations);
    let items =
        if module.work_item_loops.is_some() { launched.max(MAX_WORK_GROUP_SIZE.into()) } else { launched };
    let alone = module.single_vector;
    let mut known = FxHashMap::default();
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let function = &module.functions[func];
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let mut tried = insts.filter(|inst| lower_float_atomics::may_loop(function, **inst, context.target));
        let budget = if tried.next().is_some() { MARGIN } else { u64::from(most).saturating_sub(MARGIN) };
        let arguments = match context.options.iterations {
            Iterations::Unknown => Arguments::new(),
            Iterations::Few | Iterations::Many => arguments(&module.kernels[index]),
        };
        let callees = inline::calls(function)
            .all(|callee| count_function(module, (callee, context.target), items, &mut known, 0).is_some());
        let counted = |copied: &Copied| {
            let blocks =
                || count_blocks(function, context.target, (items, &arguments), (&known, copied), |_| true);
            callees.then(blocks).flatten()
        };
        let asked = context.options.iterations != Iterations::Unknown;
        let count = counted(&Copied::default());
        let iterations = count.as_ref().and_then(Count::number);
        if let Some(count) =
            count.filter(|_| iterations.is_none() && context.options.iterations == Iterations::Few)
        {
            module.kernels[index].iterations = Some(count.below(budget + 1));
            continue;
        }
        if iterations.is_none_or(|iterations| iterations > budget) {
            let before_barriers = count_before_barriers(function, context.target, (items, alone), &known);
            let resumes = context.options.long_loops
                && before_barriers.is_some_and(|iterations| iterations <= budget)
                && may_resume(module, context.target);
            let times = match iterations {
                Some(iterations) => iterations.div_ceil(u64::from(most).saturating_sub(2 * MARGIN).max(1)),
                None if !resumes && asked => MAX_ITERATIONS,
                None => 1,
            };
            let long = long_loops(function, items, times);
            let copied = Copied { headers: long.iter().map(|data| data.header).collect(), times };
            let copied = counted(&copied).filter(|_| asked && !resumes);
            for data in &long {
                loops::unroll(&mut module.functions[func], data, Unroll::Factor(times as usize));
            }
            module.kernels[index].iterations = copied.map(|count| count.below(budget + 1));
            let (work_item_loops, linear_groups) = (module.work_item_loops, module.linear_groups);
            let kernel = &mut module.kernels[index];
            let function = &mut module.functions[func];
            kernel.resumes = resumes.then_some(0);
            kernel.watches_loops = resumes
                || watch(
                    function,
                    |f, entry| exists(f, entry, work_item_loops, linear_groups),
                    word_of_pointer,
                );
        }
    }
    Ok(())
}

/// The arguments of a kernel that are values, in its argument block.
fn arguments(kernel: &KernelData) -> Arguments {
    let (offsets, _) = lower_kernel_args::value_offsets(&kernel.args);
    let values = (0..).zip(kernel.args.iter().zip(offsets));
    values
        .filter_map(|(index, (arg, offset))| match arg.kind {
            KernelArgKind::Value { size, .. } => Some((index, offset?, size)),
            _ => None,
        })
        .collect()
}

/// Returns whether work-items can resume in another dispatch ([`crate::passes::workaround::resume_loops`]): the launch's buffer has one
/// binding, and values are saved as words after the legalisation of these integers.
fn may_resume(module: &Module, target: &Target) -> bool {
    let has = target.has_address_model() && target.features.shader_int64 && target.features.shader_int16;
    (module.work_item_loops.is_none() || module.single_vector) && has
}

/// Returns whether an instruction waits for other work-items, or orders memory for them. A vector that runs its work-group `alone`
/// needs no order.
fn waits(kind: &InstKind, alone: bool) -> bool {
    match kind {
        InstKind::Barrier { .. } | InstKind::Group { .. } => true,
        InstKind::MemBarrier { .. } => !alone,
        _ => false,
    }
}

/// The blocks from which one that waits for other work-items is reached, and these.
pub(crate) fn before_barriers(f: &Function, cfg: &Cfg, alone: bool) -> FxHashSet<Block> {
    let has = |block: &Block| f.blocks[*block].insts.iter().any(|inst| waits(&f.insts[*inst].kind, alone));
    let mut found: FxHashSet<Block> = FxHashSet::default();
    let mut next: Vec<Block> = cfg.rpo().iter().copied().filter(has).collect();
    while let Some(block) = next.pop() {
        if found.insert(block) {
            next.extend(cfg.preds(block).iter().copied());
        }
    }
    found
}

/// The largest number of iterations of the loops after which work-items wait for others, or in which they do. `None` if it is
/// unknown. Work-items cannot resume in these loops, because the others would not wait for them.
fn count_before_barriers(
    function: &Function,
    device: &Target,
    (items, alone): (u64, bool),
    known: &FxHashMap<Func, Option<u64>>,
) -> Option<u64> {
    let waiting = before_barriers(function, &Cfg::new(function), alone);
    if waiting.is_empty() {
        return Some(0);
    }
    let none = Copied::default();
    count_blocks(function, device, (items, &Arguments::new()), (known, &none), |block| {
        waiting.contains(&block)
    })?
    .number()
}

/// The place of the word [`LOOPS_ENDED`], before `lower_addresses`.
fn word_of_pointer(function: &mut Function, block: Block) -> Place {
    let pointer = Type::Ptr(Space::Global);
    let base = function.append(block, InstKind::RootAddr(Root::Printf), pointer);
    let bytes = 4 * LOOPS_ENDED as i64;
    Place::Pointer(function.append(block, InstKind::PtrOffset { base, bytes }, pointer))
}

/// The innermost loops whose bodies are cloned so many times. The watchdog shows whether that was enough.
fn long_loops(function: &Function, items: u64, times: u64) -> Vec<LoopData> {
    if !(2..=MAX_ITERATIONS).contains(&times) {
        return Vec::new();
    }
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let none = Arguments::new();
    let counter = Counter::new(function, (&cfg, &loops), items, &none);
    let innermost = (0..loops.loops.len()).filter(|n| loops.loops.iter().all(|l| l.parent != Some(*n)));
    let of = innermost.map(|n| &loops.loops[n]);
    let size =
        |data: &LoopData| data.blocks.iter().map(|b| function.blocks[*b].insts.len() as u64).sum::<u64>();
    of.filter(|data| {
        counter.visits(data).is_none_or(|v| v.number().is_some_and(|v| v > MIN_TRIP_COUNT))
            && size(data) * times <= MAX_INSTRUCTIONS
    })
    .cloned()
    .collect()
}

/// The largest number of loop iterations of a function and its callees; `None` if it is unknown.
fn count_function(
    module: &Module,
    (func, device): (Func, &Target),
    items: u64,
    known: &mut FxHashMap<Func, Option<u64>>,
    depth: u32,
) -> Option<u64> {
    if let Some(iterations) = known.get(&func) {
        return *iterations;
    }
    let function = &module.functions[func];
    let callees: Vec<Func> = inline::calls(function).collect();
    let iterations = if depth == MAX_CALL_DEPTH {
        None
    } else {
        callees
            .iter()
            .all(|f| count_function(module, (*f, device), items, known, depth + 1).is_some())
            .then_some(())
    };
    let none = Arguments::new();
    let iterations = iterations.and_then(|()| {
        count_blocks(function, device, (items, &none), (known, &Copied::default()), |_| true)?.number()
    });
    known.insert(func, iterations);
    iterations
}

/// The same where those of all callees are known. Only loops whose headers are `wanted` are counted. Iterations of loops
/// with copies are those of all copies.
fn count_blocks(
    function: &Function,
    device: &Target,
    (items, arguments): (u64, &Arguments),
    (known, copied): (&FxHashMap<Func, Option<u64>>, &Copied),
    wanted: impl Fn(Block) -> bool,
) -> Option<Count> {
    let cfg = Cfg::new(function);
    let loops = cfg.loops().without(|data| !wanted(data.header));
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
    let copies = |header: Block| if copied.headers.contains(&header) { copied.times } else { 1 };
    Counter::new(function, (&cfg, &loops), items, arguments).all(&called, &copies)
}

/// The condition that the lane is a work-item, computed in a block. `pieces` is the number of invocations of a work-group with
/// work-item loops: surplus lanes of a smaller group have no iteration there. With `flat`, work-groups are dispatched in one dimension
/// ([`Module::linear_groups`]).
fn exists(function: &mut Function, entry: Block, work_item_loops: Option<u32>, linear_groups: bool) -> Value {
    let mut ask = |what, dim| function.append(entry, InstKind::WorkItem(what, dim), Type::I32);
    if let Some(launched) = work_item_loops {
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
    if linear_groups {
        let sizes = [0, 1, 2].map(|d| ask(WorkItem::LocalSize, d));
        let place = ask(WorkItem::LocalLinearId, 0);
        let plane = function.append(entry, InstKind::Binary(BinaryOp::IMul, sizes[0], sizes[1]), Type::I32);
        let all = function.append(entry, InstKind::Binary(BinaryOp::IMul, plane, sizes[2]), Type::I32);
        return is_inside(function, entry, place, all, lane);
    }
    let (place, width) = (ask(WorkItem::LocalId, 0), ask(WorkItem::LocalSize, 0));
    is_inside(function, entry, place, width, lane)
}

/// The condition that a lane is a work-item, by its index in a row of `width`. `lane` is its number in the vector.
pub(crate) fn is_inside(
    function: &mut Function,
    block: Block,
    place: Value,
    width: Value,
    lane: Value,
) -> Value {
    // The driver folds the index in a row of one to 0 for all lanes. The lane's number is compared there.
    let (one, none) = (function.iconst(Type::I32, 1), function.iconst(Type::I32, 0));
    let narrow = function.append(block, InstKind::ICmp(IntCC::Eq, width, one), Type::BOOL);
    let place = function.append(block, InstKind::Select(narrow, lane, place), Type::I32);
    let inside = function.append(block, InstKind::ICmp(IntCC::Ult, place, width), Type::BOOL);
    // The driver folds this for a constant size. With full vectors no code is conditional then, and uniform loads are done once.
    let lanes = function.iconst(Type::I32, LANES - 1);
    let rest = function.append(block, InstKind::Binary(BinaryOp::And, width, lanes), Type::I32);
    let full = function.append(block, InstKind::ICmp(IntCC::Eq, rest, none), Type::BOOL);
    function.append(block, InstKind::Binary(BinaryOp::Or, full, inside), Type::BOOL)
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
    // The entry's code, after a test that the lane is a work-item.
    let entry = function.entry();
    let start = split_entry(function);
    let exists = exists(function, entry);
    let (head, next) = (function.new_block(), function.new_block());
    let (after, report, leave) = (function.new_block(), function.new_block(), function.new_block());
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
    let flags = MemFlags { align: 4, volatile: false };
    let (zero, one, two) =
        (function.iconst(Type::I32, 0), function.iconst(Type::I32, 1), function.iconst(Type::I32, 2));

    let place = word(function, end);
    let most = function.append(end, InstKind::Unary(UnaryOp::Opaque, two), Type::I32);
    function.blocks[end].term = Terminator::Branch(to(head, &[zero]));

    function.blocks[entry].term =
        Terminator::CondBranch { cond: exists, then: to(start, &[]), els: to(leave, &[]) };

    let i = function.add_param(head, Type::I32);
    let continues = function.append(head, InstKind::ICmp(IntCC::Ult, i, most), Type::BOOL);
    function.blocks[head].term =
        Terminator::CondBranch { cond: continues, then: to(next, &[]), els: to(after, &[]) };
    let more = function.append(next, InstKind::Binary(BinaryOp::IAdd, i, one), Type::I32);
    function.blocks[next].term = Terminator::Branch(to(head, &[more]));

    let ended = function.append(after, InstKind::ICmp(IntCC::Ne, i, most), Type::BOOL);
    function.blocks[after].term =
        Terminator::CondBranch { cond: ended, then: to(report, &[]), els: to(leave, &[]) };
    function.append_void(report, InstKind::Store { place, value: one, flags });
    function.blocks[report].term = Terminator::Branch(to(leave, &[]));
    function.blocks[leave].term = Terminator::Return(SmallVec::new());
    cleanup::order_layout(function);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text};

    /// The trip count of a loop with this first value, test and step, in a function with an argument and a local size.
    fn iterations(first: &str, test: &str, next: &str) -> Option<u64> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i32):\n  v2: i32 = workitem.localsize 0\n  \
             v4: i32 = workitem.localid 0\n  v5: i32 = and v0, i32:255\n  br b1({first})\nb1(v6: i32):\n  \
             v7: bool = icmp.{test}\n  condbr v7, b2(), b3()\nb2():\n  v8: i32 = {next}\n  br b1(v8)\nb3():\n  return()\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (func, _) = module.functions.iter().next().expect("one");
        count_function(&module, (func, &Target::minimum()), 1024, &mut FxHashMap::default(), 0)
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
            let found = iterations(first, test, next).unwrap_or_else(|| panic!("{first}, {test}, {next}"));
            assert!((least..=most).contains(&found), "{first}, {test}, {next}: {found}");
        }
    }

    #[test]
    fn sums_in_more_bits_are_steps() {
        let wide = |a: &str| {
            let step = "iadd v9, v10\n  v12: i32 = convert.trunc v11";
            let next = format!("i64 = convert.zext {a}\n  v10: i64 = convert.zext v2\n  v11: i64 = {step}");
            let source = format!(
                "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i32):\n  v2: i32 = workitem.localsize 0\n  \
                 v4: i32 = workitem.localid 0\n  br b1(v4)\nb1(v6: i32):\n  v7: bool = icmp.ult v6, i32:4096\n  \
                 condbr v7, b2(), b3()\nb2():\n  v9: {next}\n  br b1(v12)\nb3():\n  return()\n"
            );
            let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            let (func, _) = module.functions.iter().next().expect("one");
            count_function(&module, (func, &Target::minimum()), 1024, &mut FxHashMap::default(), 0)
        };
        assert!(wide("v6").is_some_and(|n| (4096..4110).contains(&n)));
        assert_eq!(wide("v0"), None);
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
            // Steps from one side of the bound past the limit of the type.
            ("i32:200000", "slt v6, i32:300000", "iadd v6, i32:2147483647"),
            ("i32:0", "sgt v6, i32:-2147483640", "iadd v6, i32:-2000000000"),
        ] {
            assert_eq!(iterations(first, test, next), None, "{first}, {test}, {next}");
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
        count_function(&module, (func, &Target::minimum()), 1024, &mut FxHashMap::default(), 0)
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

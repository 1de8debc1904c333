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
//! ([`clone_iterations`]), each with its own test, and the result is right. So it is where a launch tells that they are too many and the kernel cannot go on
//! ([`Iterations::Many`]). Where launches are to tell that they are few ([`Iterations::Few`]), the kernel gets a formula of them, and nothing else.
//!
//! Atomics of floats that the Target lacks become loops later (`lower_float_atomics`). Each is one turn, or some where others are as quick.
//!
//! Most kernels can do better: their work-items go on where they were ended, in another launch ([`crate::passes::workaround::resume_loops`]). Those are only marked here.
//!
//! The loop costs three turns for each work-item, and nothing where the kernel's own turns are few.

mod count;

use crate::Iterations;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::{
    BinaryOp, Block, BranchTarget, BuiltinInput, Func, Function, InstKind, IntCC, KernelArgKind, KernelData,
    MemFlags, Module, Place, Root, Space, Terminator, Type, Value, WorkItem,
};
use crate::iterations::Count;
use crate::passes::language::lower_kernel_args;
use crate::passes::legalize::lower_float_atomics;
use crate::passes::legalize::work_item_loops::LARGEST;
use crate::passes::optimize::inline;
use crate::passes::optimize::unroll::clone_iterations;
use crate::passes::structurize::unify_returns;
use crate::printf::LOOPS_ENDED;
use crate::target::Target;
use crate::transform::cleanup;
use count::{Arguments, Counter};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
    let Some(most) = context.target.quirks.max_iterations else { return Ok(()) };
    let launched = u64::from(context.target.limits.max_compute_work_group_invocations);
    let items = if module.work_item_loops.is_some() { launched.max(LARGEST.into()) } else { launched };
    let mut known = FxHashMap::default();
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let function = &module.functions[func];
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let mut tried = insts.filter(|inst| lower_float_atomics::may_loop(function, **inst, context.target));
        let surely = if tried.next().is_some() { MARGIN } else { u64::from(most).saturating_sub(MARGIN) };
        let arguments = if context.options.iterations == Iterations::Few {
            arguments(&module.kernels[index])
        } else {
            Arguments::new()
        };
        let callees = inline::calls(function)
            .all(|callee| of_function(module, (callee, context.target), items, &mut known, 0).is_some());
        let count =
            callees.then(|| of_blocks(function, context.target, (items, &arguments), &known)).flatten();
        let turns = count.as_ref().and_then(Count::number);
        if let Some(count) = count.filter(|_| turns.is_none()) {
            module.kernels[index].iterations = Some(count.below(surely + 1));
            continue;
        }
        if turns.is_none_or(|turns| turns > surely) {
            let goes_on = context.options.long_loops && may_resume(module, func, context.target);
            let many = context.options.iterations == Iterations::Many;
            let times = match turns {
                Some(turns) => turns.div_ceil(u64::from(most).saturating_sub(2 * MARGIN).max(1)),
                None if many && !goes_on => MAX_ITERATIONS,
                None => 1,
            };
            shorten(&mut module.functions[func], items, times);
            let (work_item_loops, linear_groups) = (module.work_item_loops, module.linear_groups);
            let kernel = &mut module.kernels[index];
            let function = &mut module.functions[func];
            kernel.resumes = goes_on.then_some(0);
            kernel.watches_loops = goes_on
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
    module.work_item_loops.is_none() && has && insts.all(|i| alone(&function.insts[*i].kind))
}

/// The place of the word [`LOOPS_ENDED`], before `lower_addresses`.
fn word_of_pointer(function: &mut Function, block: Block) -> Place {
    let pointer = Type::Ptr(Space::Global);
    let base = function.append(block, InstKind::RootAddr(Root::Printf), pointer);
    let bytes = 4 * LOOPS_ENDED as i64;
    Place::Pointer(function.append(block, InstKind::PtrOffset { base, bytes }, pointer))
}

/// Puts so many rounds of the innermost loops into one turn. Whether it was enough the watch tells.
fn shorten(function: &mut Function, items: u64, times: u64) {
    if !(2..=MAX_ITERATIONS).contains(&times) {
        return;
    }
    let long: Vec<LoopData> = {
        let cfg = Cfg::new(function);
        let loops = cfg.loops();
        let none = Arguments::new();
        let counter = Counter::new(function, (&cfg, &loops), items, &none);
        let innermost = (0..loops.loops.len()).filter(|n| loops.loops.iter().all(|l| l.parent != Some(*n)));
        let of = innermost.map(|n| &loops.loops[n]);
        let size =
            |data: &LoopData| data.blocks.iter().map(|b| function.blocks[*b].insts.len() as u64).sum::<u64>();
        of.filter(|data| {
            counter.visits(data).is_none_or(|v| v.number().is_some_and(|v| v > SHORT))
                && size(data) * times <= MAX_INSTRUCTIONS
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
    let none = Arguments::new();
    let turns = turns.and_then(|()| of_blocks(function, device, (items, &none), known)?.number());
    known.insert(func, turns);
    turns
}

/// The same where those of all callees are known.
fn of_blocks(
    function: &Function,
    device: &Target,
    (items, arguments): (u64, &Arguments),
    known: &FxHashMap<Func, Option<u64>>,
) -> Option<Count> {
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
    Counter::new(function, (&cfg, &loops), items, arguments).all(&called)
}

/// Whether the lane is a work-item, as it is computed in a block. `work_item_loops`: how many work-items are launched of a work-group that runs in pieces; lanes
/// that are none of them have no piece where there are fewer work-items than that. `linear_groups`: work-groups are launched in one dimension
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

//! Resumable loops: work-items whose loops a driver ended save their live values, and the next dispatch resumes there.
//!
//! Mesa's llvmpipe before version 25 ends loops silently after 65,535 iterations ([`crate::passes::workaround::loop_watchdog`]). Every
//! loop gets its only exit in the header ([`crate::passes::structurize::unify_loop_exits::redirect_all_exits`]). The exit's test is
//! repeated after the loop, or a parameter has the number of the exit. A lane was ended if the repeated test says that the loop
//! continues, or if it took no exit. The header's parameters then have the values of its next iteration.
//!
//! ```text
//! loop { head(i, sum): if (!(i < n)) break; … }                  loop { head(values, which): if (done) break; … }
//! if (i < n) goto stopped(the loop's number, i, sum)             if (which == 0) goto stopped(the loop's number, values)
//! stopped: save the arguments; return
//! ```
//!
//! Nothing is counted. llvmpipe does not branch around code that no lane executes. Values are therefore passed out of all loops and
//! saved in one block at the kernel's end. They go to an area after the launch's buffer ([`crate::printf::AREA_START`]). Values that
//! depend only on the argument block and ids are computed again instead.
//!
//! The kernel lowered with [`LowerOptions::resume`](crate::LowerOptions::resume) is built from the same graph ([`enter`]). It starts at
//! the header of the loop whose number was saved, and saves in the same way. One pass builds both, so that numbers and rows agree.
//!
//! A work-group's local memory would end with the dispatch ([`local`]):
//!
//! - Each work-group has a slab in the area. The kernel stores to local memory and to the slab; an atomic operation's result is loaded
//!   for that.
//! - Nothing is copied at the kernel's end: a loop there would end at once, and llvmpipe would execute its code in every launch.
//! - The resumed kernel copies the slab to local memory, waits for the work-group, and goes on. Work-items that have ended wait too.
//! - What work-items store between the dispatches is in the slab, so all that are left find it.
//! - Sizes of `__local` arguments are those of the launch, so both kernels have the same layout. The host makes fewer work-groups a
//!   dispatch where their slabs are large (`vk-runtime/src/launch/resume.rs`).
//! - No barrier may follow a loop that is resumed, or be in it: the work-items that were not ended would wait for nobody. Loops before
//!   the last barrier are left as they are ([`loop_watchdog::before_barriers`]). `loop_watchdog` counts them, and few iterations are not ended.
//!
//! Other kernels get the watchdog, and their launch fails: those with barriers behind loops of unknown trip counts, more private memory
//! than [`MAX_WORDS`], calls of functions with loops, or infinite loops.

mod area;
mod enter;
mod latch;
mod local;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{
    Block, BranchTarget, Constant, Func, Function, Inst, Module, Place, Root, Scalar, Slot, Terminator, Type,
    Value,
};
use crate::passes::legalize::work_item_loops::live_across_barriers;
use crate::passes::optimize::inline;
use crate::passes::structurize::unify_loop_exits::{self, Head};
use crate::passes::structurize::unify_returns;
use crate::passes::workaround::loop_watchdog;
use crate::printf::LOOPS_ENDED;
use crate::transform::cleanup;
use crate::transform::rewriter::Rewriter;
use crate::transform::split::split_entry;
use area::{Again, Area};
use local::LocalMemory;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The largest number of loops of a kernel. llvmpipe executes larger switches wrongly.
const MAX_LOOPS: usize = 60;
/// The largest number of words that a work-item saves.
pub(crate) const MAX_WORDS: u32 = 512;

/// Makes kernels go on where the driver ended their loops, where `loop_watchdog` found that they may.
///
/// # Errors
/// Those of `structurize`.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    for index in 0..module.kernels.len() {
        let kernel = &module.kernels[index];
        let (Some(_), Some(plan), func) = (kernel.resumes, &kernel.plan, kernel.func) else { continue };
        let size = kernel.reqd_work_group_size.filter(|_| !module.non_uniform);
        let alone = module.single_vector;
        let looped = module.work_item_loops.filter(|_| alone);
        let Some(area) = Area::new(plan, size, (module.linear_groups || alone, looped)) else { continue };
        let items = size.filter(|_| !alone).map_or(1, |size| size.iter().map(|n| u64::from(*n)).product());
        let most = u64::from(context.target.quirks.max_iterations.unwrap_or(u32::MAX));
        let local = LocalMemory::find(module, kernel, context.target)
            .filter(|local| local.iterations(context.target, items) <= most / 2);
        let made = match &local {
            Some(local) if !calls_loops(module, func) => {
                made_resumable(&module.functions[func], &area, local, (context.options.resume, alone))?
            }
            _ => None,
        };
        module.kernels[index].resumes = made.as_ref().map(|(_, words)| *words);
        let saved = local.filter(|local| made.is_some() && !local.is_empty());
        module.kernels[index].saved_local = saved.map(|local| local.bytes);
        module.functions[func] = match made {
            Some((function, _)) => function,
            None => {
                let mut f = module.functions[func].clone();
                loop_watchdog::watch(
                    &mut f,
                    |f, block| area.exists(f, block),
                    |f, block| area.place_in(f, block),
                );
                f
            }
        };
    }
    Ok(())
}

/// A kernel that saves and goes on, and how many words a work-item saves; `None` where it cannot.
fn made_resumable(
    f: &Function,
    area: &Area,
    local: &LocalMemory,
    how: (bool, bool),
) -> Result<Option<(Function, u32)>, LowerError> {
    for keep in [true, false] {
        let mut function = f.clone();
        match resumable(&mut function, (area, local), how, keep)? {
            Outcome::Resumable(words) => return Ok(Some((function, words))),
            Outcome::Cannot => break,
            Outcome::Spoiled => {}
        }
    }
    Ok(None)
}

enum Outcome {
    /// The number of words that a work-item saves.
    Resumable(u32),
    Cannot,
    /// A loop cannot keep its form.
    Spoiled,
}

/// Returns whether a function calls one that has loops.
fn calls_loops(module: &Module, func: Func) -> bool {
    let mut seen: Vec<Func> = inline::calls(&module.functions[func]).collect();
    let mut next = 0;
    while let Some(&callee) = seen.get(next) {
        next += 1;
        let function = &module.functions[callee];
        let cfg = Cfg::new(function);
        let loops = cfg.loops();
        if loops.irreducible || !loops.loops.is_empty() {
            return true;
        }
        let further: Vec<Func> = inline::calls(function).filter(|f| !seen.contains(f)).collect();
        seen.extend(further);
    }
    false
}

/// A private variable, of which all elements are saved.
struct Private {
    slot: Slot,
    element: Type,
    count: u32,
}

/// The values that are saved at a loop.
struct State {
    header: Block,
    /// The header's parameters, then what else is alive there and cannot be computed again, each with its first row.
    values: Vec<(Value, u32)>,
    /// The instructions that convert them to words. They are in the header until the loop has its new one.
    words: Vec<Inst>,
    /// The loads of the values, in a resumed kernel.
    loaded: enter::Loaded,
}

/// Makes a kernel save and, where it is to `resume`, go on. `alone`: one vector runs all work-items of a work-group. `keep`: loops
/// may keep their form.
fn resumable(
    f: &mut Function,
    (area, local): (&Area, &LocalMemory),
    (resume, alone): (bool, bool),
    keep: bool,
) -> Result<Outcome, LowerError> {
    unify_loop_exits::create_headers(f)?;
    unify_loop_exits::split_carried_vectors(f);
    let cfg = Cfg::new(f);
    let loops = cfg.loops();
    let returns = unify_returns::returning(f);
    let endless = |data: &LoopData| {
        let mut targets = data.blocks.iter().flat_map(|b| f.blocks[*b].term.targets());
        targets.all(|t| data.blocks.contains(&t.block))
    };
    if loops.irreducible || returns.is_empty() || loops.loops.iter().any(endless) {
        return Ok(Outcome::Cannot);
    }
    // `loop_watchdog` has counted the loops before the last barrier, which are not ended.
    let waiting = loop_watchdog::before_barriers(f, &cfg, alone);
    let fixed = |data: &LoopData| waiting.contains(&data.header);
    let kept_heads: FxHashSet<Block> =
        loops.loops.iter().filter(|data| fixed(data)).map(|data| data.header).collect();
    let loops = loops.without(|data| kept_heads.contains(&data.header));
    if !(1..=MAX_LOOPS).contains(&loops.loops.len()) {
        return Ok(Outcome::Cannot);
    }
    let Some(private) = private_variables(f) else { return Ok(Outcome::Cannot) };
    let end = unify_returns::join_returns(f, &returns);
    let entry = f.entry();
    let start = split_entry(f);
    let own: Vec<Block> = f.layout.iter().copied().filter(|b| *b != entry).collect();
    let mut again = Again::default();
    let Some((mut states, words)) = states(f, &own, &loops, &private, &mut again) else {
        return Ok(Outcome::Cannot);
    };
    for state in &mut states {
        let mut rw = Rewriter::new(f);
        state.values.iter().for_each(|(value, _)| area::as_words(&mut rw, *value));
        state.words = rw.take();
        f.blocks[state.header].insts.splice(0..0, state.words.iter().copied());
    }
    let exists = area.exists(f, entry);
    let first = match resume {
        true => enter::build(f, (area, alone), &loops, (&states, &private), &again, end),
        false => start,
    };
    f.blocks[entry].term = Terminator::CondBranch { cond: exists, then: to(first, &[]), els: to(end, &[]) };
    if resume {
        enter::join(f, &states);
    }
    cleanup::remove_unreachable(f);
    let before: u32 = words_of(&private).unwrap_or(0);
    let stopped = save(f, area, &private, words - before, end);
    let mut heads = Vec::new();
    let stands = unify_loop_exits::redirect_all_exits(f, (keep, &kept_heads), stopped, &mut |f, head| {
        heads.push(head.head);
        stop(f, head, &states, stopped)
    });
    if !stands {
        return Ok(Outcome::Spoiled);
    }
    cleanup::remove_unreachable(f);
    latch::join_iterations(f, &heads);
    if !local.is_empty() {
        local.keep(f, area, entry, resume);
    }
    cleanup::order_layout(f);
    cleanup::redundant_params(f);
    cleanup::dead_code(f);
    Ok(Outcome::Resumable(words))
}

/// How many words private variables take; `None`: they cannot be saved.
fn words_of(private: &[Private]) -> Option<u32> {
    private.iter().map(|p| Some(p.count * area::words(p.element)?)).sum()
}

fn to(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}

/// The private variables that are in use; `None` where they are too much.
fn private_variables(f: &Function) -> Option<Vec<Private>> {
    let mut found: Vec<Private> = Vec::new();
    for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
        let Some(Place::Element { root: Root::Slot(slot), scalar, lanes, .. }) = f.insts[*inst].kind.place()
        else {
            continue;
        };
        let element = Type::new(scalar, lanes);
        match found.iter().find(|p| p.slot == slot) {
            // A variable has one type of elements (`lower_addresses/views.rs`).
            Some(known) if known.element == element => {}
            Some(_) => return None,
            None => {
                let count = f.slots[slot].size.div_ceil(u64::from(element.bytes().max(1)));
                let count = u32::try_from(count).ok().filter(|n| *n <= MAX_WORDS)?;
                found.push(Private { slot, element, count });
            }
        }
    }
    found.sort_by_key(|p| p.slot);
    Some(found)
}

/// The values saved at each loop, and the largest number of words. `None` if they are too many.
fn states(
    f: &Function,
    own: &[Block],
    loops: &Loops,
    private: &[Private],
    again: &mut Again,
) -> Option<(Vec<State>, u32)> {
    let makers = live_across_barriers::makers(f, own);
    let alive = live_across_barriers::alive(f, own, &makers);
    let before = words_of(private)?;
    let (mut states, mut most) = (Vec::new(), before);
    for data in &loops.loops {
        let params = f.blocks[data.header].params.iter().copied();
        let mut others: Vec<Value> = alive.get(&data.header).into_iter().flatten().copied().collect();
        others.retain(|value| !again.can(f, *value));
        others.sort_unstable_by_key(|value| value.0);
        let (mut values, mut row) = (Vec::new(), before);
        for value in params.chain(others) {
            values.push((value, row));
            row += area::words(f.ty(value))?;
        }
        most = most.max(row);
        states.push(State { header: data.header, values, words: Vec::new(), loaded: Default::default() });
    }
    again.note_alive(&alive, loops.loops.iter().map(|data| data.header));
    (most <= MAX_WORDS).then_some((states, most))
}

/// The block, outside of all loops, that saves a loop's number and the words, which are its parameters.
fn save(f: &mut Function, area: &Area, private: &[Private], words: u32, end: Block) -> Block {
    let (stopped, saves) = (f.new_detached_block(), f.new_detached_block());
    let state = f.add_param(stopped, Type::I32);
    let words: Vec<Value> = (0..words).map(|_| f.add_param(stopped, Type::I32)).collect();
    let mut rw = Rewriter::new(f);
    let one = rw.iconst(Type::I32, 1);
    area.store_header(&mut rw, LOOPS_ENDED, one);
    let room = area.has_room(&mut rw);
    rw.finish_block(stopped);
    area.save(&mut rw, state, private, &words);
    rw.finish_block(saves);
    f.blocks[stopped].term = Terminator::CondBranch { cond: room, then: to(saves, &[]), els: to(end, &[]) };
    f.blocks[saves].term = Terminator::Branch(to(end, &[]));
    stopped
}

/// Behind a loop: a lane that was ended passes on what it goes on with. The blocks for that.
fn stop(f: &mut Function, head: &Head, states: &[State], stopped: Block) -> Vec<Block> {
    let Some(number) = states.iter().position(|s| s.header == head.header) else { return Vec::new() };
    let moved: FxHashSet<Inst> = states[number].words.iter().copied().collect();
    for block in f.layout.clone() {
        f.blocks[block].insts.retain(|inst| !moved.contains(inst));
    }
    let params: FxHashMap<Value, Value> =
        f.blocks[head.header].params.iter().copied().zip(head.header_params.iter().copied()).collect();
    let (mut insts, mut passed) = (Vec::new(), vec![f.iconst(Type::I32, number as u64 + 1)]);
    for inst in &states[number].words {
        f.insts[*inst].kind.map_values(|value| params.get(&value).copied().unwrap_or(value));
        match area::is_word(&f.insts[*inst].kind) {
            Some(word) => passed.push(word),
            None => insts.push(*inst),
        }
    }
    let nothing = f.constant(Type::I32, Constant::Undef);
    passed.resize(f.blocks[stopped].params.len(), nothing);
    let pass = f.new_block();
    f.blocks[pass].insts = insts;
    f.blocks[pass].term = Terminator::Branch(to(stopped, &passed));
    if let Terminator::Branch(out) = f.blocks[head.after].term.clone() {
        f.blocks[head.after].term =
            Terminator::CondBranch { cond: head.ended, then: to(pass, &[]), els: out };
    }
    vec![pass]
}

/// The scalar of a value that goes through memory.
fn scalar(ty: Type) -> Option<(Scalar, u8)> {
    Some((ty.scalar()?, ty.lanes()))
}

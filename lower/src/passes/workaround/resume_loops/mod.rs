//! Resumable loops: work-items whose loops a driver ended save their live values, and the next dispatch resumes there.
//!
//! Where a driver ends all loops of a work-item after so many iterations together, its work-items save where they were and leave, and
//! another launch goes on there.
//!
//! Mesa's llvmpipe before version 25 ends loops silently ([`crate::passes::workaround::loop_watchdog`]). Every loop is left through its head
//! ([`crate::passes::structurize::unify_loop_exits::lead_all_out`]), which is told which way out was taken. A lane that comes out of a loop and took none was ended:
//! the head's parameters are then what its next iteration would have begun with.
//!
//! ```text
//! loop { head(values, which): if (done) break; … }
//! if (which == 0) { save the loop's number, values, and what is alive at the head; return; }
//! ```
//!
//! Nothing is counted, so that loops which end in time cost no more than their heads. The values go to an area behind the launch's buffer
//! ([`crate::printf::AREA_START`]). What the argument block and the ids alone tell is computed again instead.
//!
//! The kernel lowered with [`LowerOptions::resume`](crate::LowerOptions::resume) is made of the same graph ([`enter`]): it begins at the head of the
//! loop whose number it finds, and is ended and saves in the same way. Both are one pass's work, so that numbers and rows agree.
//!
//! What cannot be had so watches its loops as other kernels do, and its launch fails: work-groups with barriers or memory of their own,
//! more private memory than [`MAX_WORDS`], calls of functions with loops, loops without an end.

mod area;
mod enter;
mod latch;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{
    Block, BranchTarget, Func, Function, Inst, InstKind, IntCC, Module, Place, Root, Scalar, Slot,
    Terminator, Type, Value,
};
use crate::passes::legalize::work_item_loops::live_across_barriers;
use crate::passes::optimize::inline;
use crate::passes::structurize::unify_loop_exits::{self, Head};
use crate::passes::structurize::unify_returns;
use crate::passes::workaround::loop_watchdog;
use crate::printf::LOOPS_ENDED;
use crate::transform::cleanup;
use crate::transform::rewriter::Rewriter;
use area::{Again, Area};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// So many loops a kernel may have: a driver is wrong about larger switches.
const MAX_LOOPS: usize = 60;
/// So many words a work-item saves at most.
pub(crate) const MAX_WORDS: u32 = 512;

/// Makes kernels go on where the driver ended their loops, where `loop_watchdog` found that they may.
///
/// # Errors
/// Those of `structurize`.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    for index in 0..module.kernels.len() {
        let kernel = &module.kernels[index];
        let (Some(_), Some(plan), func) = (kernel.resumes, &kernel.plan, kernel.func) else { continue };
        let size = kernel.reqd_work_group_size.filter(|_| !module.cut_off);
        let Some(area) = Area::new(plan, size, module.flat) else { continue };
        let mut function = module.functions[func].clone();
        let words = match calls_loops(module, func) {
            true => None,
            false => resumable(&mut function, &area, context.options.resume)?,
        };
        if words.is_none() {
            function = module.functions[func].clone();
            loop_watchdog::watch(
                &mut function,
                |f, block| area.exists(f, block),
                |f, block| area.place_in(f, block),
            );
        }
        module.functions[func] = function;
        module.kernels[index].resumes = words;
    }
    Ok(())
}

/// Whether a function calls one that has loops.
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

/// What is saved where a loop is ended.
struct State {
    header: Block,
    /// The header's parameters, then what else is alive there and cannot be computed again, each with its first row.
    values: Vec<(Value, u32)>,
    /// What saves them: it stands in the header until the loop has a new head.
    saves: Vec<Inst>,
    /// Where it is loaded, in the kernel that goes on.
    loaded: enter::Loaded,
}

/// Makes a kernel save and, where it is to `resume_loops`, go on; how many words a work-item saves. `None`: it cannot.
fn resumable(f: &mut Function, area: &Area, resume: bool) -> Result<Option<u32>, LowerError> {
    unify_loop_exits::give_heads(f)?;
    unify_loop_exits::take_vectors_apart(f);
    let cfg = Cfg::new(f);
    let loops = cfg.loops();
    let returns = unify_returns::returning(f);
    let endless = |data: &LoopData| {
        let mut targets = data.blocks.iter().flat_map(|b| f.blocks[*b].term.targets());
        targets.all(|t| data.blocks.contains(&t.block))
    };
    let count = loops.loops.len();
    if loops.irreducible || !(1..=MAX_LOOPS).contains(&count) || returns.is_empty() {
        return Ok(None);
    }
    if loops.loops.iter().any(endless) {
        return Ok(None);
    }
    let Some(private) = private_variables(f) else { return Ok(None) };
    let end = unify_returns::join_returns(f, &returns);
    let entry = f.entry();
    let start = loop_watchdog::split_entry(f);
    let own: Vec<Block> = f.layout.iter().copied().filter(|b| *b != entry).collect();
    let mut again = Again::default();
    let Some((mut states, words)) = states(f, &own, &loops, &private, &mut again) else { return Ok(None) };
    for state in &mut states {
        let mut rw = Rewriter::new(f);
        area.save(&mut rw, &private, &state.values);
        state.saves = rw.take();
        f.blocks[state.header].insts.splice(0..0, state.saves.iter().copied());
    }
    let exists = area.exists(f, entry);
    let first = match resume {
        true => enter::build(f, area, &loops, (&states, &private), &again, end),
        false => start,
    };
    f.blocks[entry].term = Terminator::CondBranch { cond: exists, then: to(first, &[]), els: to(end, &[]) };
    if resume {
        enter::join(f, &states);
    }
    cleanup::remove_unreachable(f);
    let mut heads = Vec::new();
    unify_loop_exits::lead_all_out(f, |f, head| {
        heads.push(head.head);
        stop(f, head, &states, area, end)
    });
    cleanup::remove_unreachable(f);
    latch::join_iterations(f, &heads);
    cleanup::order_layout(f);
    cleanup::redundant_params(f);
    cleanup::dead_code(f);
    Ok(Some(words))
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
        let element = Type::of(scalar, lanes);
        match found.iter().find(|p| p.slot == slot) {
            // A variable has one type of elements (`resolve/views.rs`).
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

/// What is saved at each loop, and how many words that takes at most; `None` where it is too much.
fn states(
    f: &Function,
    own: &[Block],
    loops: &Loops,
    private: &[Private],
    again: &mut Again,
) -> Option<(Vec<State>, u32)> {
    let makers = live_across_barriers::makers(f, own);
    let alive = live_across_barriers::alive(f, own, &makers);
    let before: u32 = private.iter().map(|p| Some(p.count * area::words(p.element)?)).sum::<Option<u32>>()?;
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
        states.push(State { header: data.header, values, saves: Vec::new(), loaded: Default::default() });
    }
    again.note_alive(&alive, loops.loops.iter().map(|data| data.header));
    (most <= MAX_WORDS).then_some((states, most))
}

/// Behind a loop's new head: a lane that took no way out saves what it goes on with. The blocks for that.
fn stop(f: &mut Function, head: &Head, states: &[State], area: &Area, end: Block) -> Vec<Block> {
    let Some(state) = states.iter().position(|s| s.header == head.header) else { return Vec::new() };
    let Terminator::CondBranch { cond, then, els } = f.blocks[head.head].term.clone() else {
        return Vec::new();
    };
    let (behind, told, save) = (f.new_block(), f.new_block(), f.new_block());
    f.blocks[head.head].term = Terminator::CondBranch { cond, then: to(behind, &[]), els };
    let none = f.iconst(Type::I32, 0);
    let ended = f.append(behind, InstKind::ICmp(IntCC::Eq, head.which, none), Type::BOOL);
    f.blocks[behind].term = Terminator::CondBranch { cond: ended, then: to(told, &[]), els: then };

    let mut rw = Rewriter::new(f);
    let one = rw.iconst(Type::I32, 1);
    area.store_header(&mut rw, LOOPS_ENDED, one);
    let room = area.has_room(&mut rw);
    rw.finish_block(told);
    f.blocks[told].term = Terminator::CondBranch { cond: room, then: to(save, &[]), els: to(end, &[]) };

    let moved: FxHashSet<Inst> = states[state].saves.iter().copied().collect();
    for block in f.layout.clone() {
        f.blocks[block].insts.retain(|inst| !moved.contains(inst));
    }
    let params: FxHashMap<Value, Value> =
        f.blocks[head.header].params.iter().copied().zip(head.turn.iter().copied()).collect();
    for inst in &states[state].saves {
        f.insts[*inst].kind.map_values(|value| params.get(&value).copied().unwrap_or(value));
    }
    f.blocks[save].insts.clone_from(&states[state].saves);
    let mut rw = Rewriter::new(f);
    area.save_state(&mut rw, state as u32 + 1);
    let last = rw.take();
    f.blocks[save].insts.extend(last);
    f.blocks[save].term = Terminator::Branch(to(end, &[]));
    vec![behind, told, save]
}

/// The scalar of a value that goes through memory.
fn scalar(ty: Type) -> Option<(Scalar, u8)> {
    Some((ty.scalar()?, ty.lanes()))
}

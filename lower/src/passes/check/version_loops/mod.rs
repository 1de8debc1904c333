//! Checks before loops: a loop whose accesses are in a range that is known before it is looked at once, and runs without checks.
//!
//! ```text
//! for (k = 0; k < n; k++) s += p[i + k];
//! → if (all of p[i] … p[i + n - 1] is in the buffer) for (k = 0; k < n; k++) s += p[i + k];
//!   else for (k = 0; k < n; k++) s += p[i + k];        with checks
//! ```
//!
//! The range only chooses between the versions, so that reports are those of a loop that has all checks. It may be larger than what the loop accesses:
//! a loop may end early, and may leave accesses out. The accesses of the first version have a mark
//! ([`SourceLine::is_within`](crate::ir::SourceLine::is_within)), and `insert_checks` leaves them alone. The same condition says that launches tell nothing
//! of the buffers.
//!
//! The pass comes before loops are unrolled: the first version is unrolled as without checks, and the second one stays as it is. With races there is no second
//! version: kernels take 2.4 times as long to compile then, and would 2.7 times (llvmpipe, six kernels of `opencl-bench`).
//!
//! | file | |
//! |---|---|
//! | [`bounds`] | numbers that are known before the loop, and their code |
//! | [`intervals`] | between which numbers a value lies |
//! | [`counters`] | the counters of the loops |

mod bounds;
mod counters;
mod intervals;
#[cfg(test)]
mod tests;

use super::insert_checks::accesses::{Access, Accesses};
use super::insert_checks::contents::Contents;
use super::insert_checks::objects::{Origin, Sizes};
use crate::check::{Access as Direction, Checks};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Positions;
use crate::ir::{BinaryOp, Block, Function, Inst, InstKind, IntCC, Module, Root, Type, Value};
use crate::passes::optimize::simplify;
use crate::transform::clone::Region as Copies;
use crate::transform::loops::{self, DONT_UNROLL};
use crate::transform::rewriter::Rewriter;
use bounds::{Bound, Emitter};
use intervals::{DEPTH, Evaluator, Region};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// No more loops of one function get a second version.
const MAX_LOOPS: usize = 16;
/// The largest number of loops of a region.
const MAX_INNER: usize = 32;
/// Larger regions stay as they are.
const MAX_SIZE: usize = 600;
/// The instructions that a region may have, and those for each access that needs no checks.
const SIZE: usize = 128;
const SIZE_OF_ACCESS: usize = 40;
/// The largest number of accesses that one condition stands for.
const MAX_ACCESSES: usize = 64;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let checks = cx.options.check.of_kernels();
    let of_memory = Checks::BOUNDS | Checks::NULL | Checks::UNINITIALISED | Checks::FLAGS;
    if !checks.intersects(of_memory) || checks.contains(Checks::RACES) {
        return Ok(());
    }
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let mut function = std::mem::take(&mut module.functions[func]);
        let contents = Contents::new(module, index, &function, checks);
        let known = Known { sizes: Sizes::new(module), contents, checks };
        let mut tried = FxHashSet::default();
        let mut any = false;
        for _ in 0..MAX_LOOPS {
            if !version_next(&mut function, &known, &mut tried) {
                break;
            }
            any = true;
        }
        if any {
            function.simplified = false;
            simplify::simplify_function(&mut function, module.address_bits);
        }
        module.functions[func] = function;
    }
    Ok(())
}

/// What is known of a kernel.
struct Known {
    sizes: Sizes,
    contents: Option<Contents>,
    checks: Checks,
}

/// The accesses of a loop that one condition stands for.
type Covered = Vec<(Inst, Block, Access)>;

/// Gives the next loop a second version, outer loops first. Returns whether there was one.
fn version_next(f: &mut Function, known: &Known, tried: &mut FxHashSet<Block>) -> bool {
    let Some((cfg, loops)) = f.loops() else { return false };
    if loops.loops.iter().all(|data| tried.contains(&data.header)) {
        return false;
    }
    let accesses = Accesses::of_memory(f, &known.sizes, known.checks, known.contents.as_ref());
    let positions = Positions::new(f);
    for (index, data) in loops.loops.iter().enumerate() {
        if !tried.insert(data.header) {
            continue;
        }
        let entry = f.new_detached_block();
        Copies::default().params(f, data.header, entry);
        let region = |index, entry| Region {
            cfg: &cfg,
            loops: &loops,
            positions: &positions,
            origins: &accesses.origins,
            sizes: &known.sizes,
            index,
            entry,
        };
        let own = region(index, entry);
        let Some(covered) = covered_by(f, &own, &accesses) else { continue };
        let inner = (index + 1..loops.loops.len()).filter(|inner| own.contains(loops.loops[*inner].header));
        let better = |f: &mut Function, inner: usize| {
            let header = loops.loops[inner].header;
            let entry = f.new_detached_block();
            Copies::default().params(f, header, entry);
            let alone = covered_by(f, &region(inner, entry), &accesses);
            let inside = |of: &&(Inst, Block, Access)| loops.contains(inner, of.1);
            alone.is_some_and(|alone| alone.len() > covered.iter().filter(inside).count())
        };
        if inner.clone().any(|inner| better(f, inner)) {
            continue;
        }
        let (holds, within) = condition(f, &own, &covered, known);
        let copies = loops::version(f, data, (entry, holds));
        for inst in within {
            f.insts[inst].line = f.insts[inst].line.within(true);
        }
        for header in inner.chain([index]).map(|inner| loops.loops[inner].header) {
            let second = copies.blocks[&header];
            f.blocks[second].loop_control = DONT_UNROLL;
            tried.extend([header, second]);
        }
        return true;
    }
    false
}

/// The accesses of a loop whose ranges are known before it. `None` where a second version is not worth its code, or leaves most checks of the inner loops.
fn covered_by(f: &mut Function, region: &Region<'_>, accesses: &Accesses) -> Option<Covered> {
    let data = &region.loops.loops[region.index];
    let size = loops::size(f, data);
    let own = |data: &&crate::ir::cfg::LoopData| region.contains(data.header);
    if size > MAX_SIZE
        || region.loops.loops[region.index..].iter().filter(own).count() > MAX_INNER
        || region.loops.loops.len() - region.index > MAX_INNER
        || !loops::can_be_duplicated(f, data)
    {
        return None;
    }
    let mut found = Vec::new();
    for block in &data.blocks {
        for inst in f.blocks[*block].insts.clone() {
            let Some(access) = accesses.get(inst).filter(|access| access.align.is_none()) else { continue };
            let mut rw = Rewriter::new(f);
            if found.len() < MAX_ACCESSES && range(&mut evaluator(region, &mut rw), &access, *block).is_some()
            {
                found.push((inst, *block, access));
            }
        }
    }
    let innermost = |block: Block| {
        let index = region.loops.innermost(block);
        !region.loops.loops.iter().any(|other| other.parent == index)
    };
    let worth = found.iter().filter(|of| innermost(of.1)).count();
    let of_memory = |inst: &&Inst| accesses.get(**inst).is_some();
    let inside = data.blocks.iter().filter(|block| innermost(**block));
    let all = inside.flat_map(|block| &f.blocks[*block].insts).filter(of_memory).count();
    (worth > 0 && 2 * worth >= all && size <= SIZE + SIZE_OF_ACCESS * worth).then_some(found)
}

fn evaluator<'r, 'a, 'f>(region: &'r Region<'r>, rw: &'a mut Rewriter<'f>) -> Evaluator<'r, 'a, 'f> {
    let mut evaluator = Evaluator::new(region, Emitter::new(rw));
    evaluator.find_tests();
    evaluator
}

/// The object of an access, and the least and the greatest offset. `None` if they are not known, or are always outside.
fn range(evaluator: &mut Evaluator<'_, '_, '_>, access: &Access, at: Block) -> Option<(Root, Bound, Bound)> {
    let origin = evaluator.region.origins.origin(evaluator.out.rw.f, access.pointer);
    let Origin::One(root) = origin else { return None };
    let (low, high) = evaluator.offset(access.pointer, root, at, DEPTH).both()?;
    let high = high.plus(i64::try_from(access.bytes).ok()?)?;
    let known = evaluator.region.sizes.known(evaluator.out.rw.f, root);
    let beyond = known.is_some_and(|size| i64::try_from(size).is_ok_and(|size| high.least > size));
    (low.greatest >= 0 && !beyond).then_some((root, low, high))
}

/// Makes the condition that accesses are within their objects, in the block in front of the loop. Gives also those for which it stands.
fn condition(f: &mut Function, region: &Region<'_>, covered: &Covered, known: &Known) -> (Value, Vec<Inst>) {
    let mut rw = Rewriter::new(f);
    let mut evaluator = evaluator(region, &mut rw);
    // The ends of each object, by their values: of those with one value the farthest counts.
    let mut ends: BTreeMap<String, (Root, Vec<Bound>, Vec<Bound>)> = BTreeMap::new();
    let mut fact: Vec<(u32, Direction)> = Vec::new();
    let mut within = Vec::new();
    for (inst, block, access) in covered {
        let Some((root, low, high)) = range(&mut evaluator, access, *block) else { continue };
        within.push(*inst);
        let (_, lows, highs) =
            ends.entry(format!("{root:?}")).or_insert_with(|| (root, Vec::new(), Vec::new()));
        match lows.iter_mut().find(|bound| bound.base == low.base) {
            Some(known) if known.add <= low.add => {}
            Some(known) => *known = low,
            None => lows.push(low),
        }
        match highs.iter_mut().find(|bound| bound.base == high.base) {
            Some(known) if known.add >= high.add => {}
            Some(known) => *known = high,
            None => highs.push(high),
        }
        if let Root::Arg(arg) = root {
            let direction =
                if access.direction == Direction::Read { Direction::Read } else { Direction::Write };
            if !fact.contains(&(arg, direction)) {
                fact.push((arg, direction));
            }
        }
    }
    let Evaluator { mut out, .. } = evaluator;
    for (root, lows, highs) in ends.into_values() {
        for low in lows {
            out.at_least(low, 0);
        }
        let size = match (known.sizes.known(out.rw.f, root), root) {
            (Some(size), _) => out.rw.iconst(Type::I64, size),
            (None, Root::Arg(n) | Root::LocalArg(n)) => out.emit(InstKind::ArgumentSize(n), Type::I64),
            _ => continue,
        };
        for high in highs {
            let end = out.materialise(high);
            out.condition(IntCC::Sle, end, size);
        }
    }
    for (arg, direction) in fact {
        let without_facts =
            known.contents.as_ref().map(|contents| contents.without_facts(out.rw, arg, direction));
        without_facts.into_iter().flatten().for_each(|condition| out.also(condition));
    }
    let conditions = std::mem::take(&mut out.conditions);
    let mut all = None;
    for condition in conditions {
        all = Some(match all {
            None => condition,
            Some(all) => out.emit(InstKind::Binary(BinaryOp::And, all, condition), Type::BOOL),
        });
    }
    let all = all.unwrap_or_else(|| rw.iconst(Type::BOOL, 1));
    let insts = rw.take();
    rw.f.blocks[region.entry].insts.extend(insts);
    (all, within)
}

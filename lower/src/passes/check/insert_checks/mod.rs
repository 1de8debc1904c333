//! Check insertion: operations that may be faulty are looked at before they are executed, and faults are reported.
//!
//! ```text
//! x = p[i]        becomes        if (i is within p's object) x = p[i]; else { report(site, i); x = 0; }
//! ```
//!
//! [`LowerOptions::check`](crate::LowerOptions::check) has the classes of faults; without one the pass changes nothing.
//! [`crate::check`] documents the reports. After a fault the kernel goes on: reads give zero, writes and atomics are left out.
//! The pass runs after optimisation. What is proven to be right has no check.
//!
//! | file | |
//! |---|---|
//! | [`objects`] | the object from which a pointer was derived, and the offset in it |
//! | [`accesses`] | bounds, null pointers and alignment |
//! | [`arithmetic`] | divisions, shifts, conversions |
//! | [`barriers`] | barriers that not all work-items reach |
//! | [`async_copies`] | async copies and waits that differ between work-items |
//! | [`images`] | texels that images do not have |
//! | [`contents`] | buffers that were never written, and their flags |
//! | [`shadows`], [`states`] | records of `__local` memory and buffers: uninitialised reads, races |
//! | [`report`], [`latch`], [`endless`] | the table of sites, and the code that reports |

pub(super) mod accesses;
mod arithmetic;
mod async_copies;
mod barriers;
pub(super) mod contents;
mod endless;
mod images;
mod latch;
pub(super) mod objects;
pub(super) mod report;
mod shadows;
mod states;
#[cfg(test)]
mod tests;

use crate::check::Fault;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Function, ImageOp, Inst, InstKind, Module, Slot};
use crate::passes::optimize::mem2reg;
use crate::transform::rewriter::{Rewriter, Site};
use accesses::Accesses;
pub(super) use arithmetic::is_shift;
use async_copies::AsyncCopies;
use barriers::Barriers;
use contents::Contents;
use objects::Sizes;
use report::Reporter;
use rustc_hash::FxHashMap;
use shadows::Shadows;
use states::States;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let checks = cx.options.check.of_kernels();
    if checks.is_empty() {
        return Ok(());
    }
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let mut function = std::mem::take(&mut module.functions[func]);
        let checks = barriers::that_fit(checks, module, &function, cx.target);
        let barriers = Barriers::new(module, &mut function, checks);
        let shadows = Shadows::new(module, index, &function, checks, cx.target);
        let contents = Contents::new(module, index, &function, checks);
        let mut reporter = Reporter::new(module, index, checks);
        check(
            &mut function,
            &Sizes::new(module),
            (barriers, shadows.as_ref(), contents.as_ref()),
            &mut reporter,
        );
        let table = reporter.finish();
        module.functions[func] = function;
        module.kernels[index].printf.checks = table;
    }
    Ok(())
}

/// Puts the checks into a kernel's function.
fn check(
    f: &mut Function,
    sizes: &Sizes,
    (barriers, shadows, contents): (Option<Barriers>, Option<&Shadows>, Option<&Contents>),
    reporter: &mut Reporter<'_>,
) {
    let accesses = Accesses::find(f, sizes, reporter.checks, (shadows, contents));
    let mut copies = AsyncCopies::new(f, reporter.checks);
    let divisions = arithmetic::find(f, reporter.checks);
    let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    let marked = insts.any(|inst| is_mark(&f.insts[*inst].kind));
    if accesses.is_empty() && divisions.is_empty() && barriers.is_none() && !marked {
        return;
    }
    let first_slot = Slot(f.slots.len() as u32);
    let mut objects = accesses.objects(f, sizes, reporter);
    let entry = f.entry();
    let layout = std::mem::take(&mut f.layout);
    let mut map = FxHashMap::default();
    let mut done = Vec::with_capacity(layout.len());
    let mut watch: Option<(&Shadows, States)> = None;
    for block in layout {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        let mut site = Site { at: block, done };
        if let Some(barriers) = barriers.filter(|_| block == entry) {
            barriers.begin(&mut rw, &mut site);
        }
        if let Some(shadows) = shadows.filter(|_| block == entry) {
            watch = Some((shadows, States::begin(&mut rw, &mut site, shadows)));
        }
        if let Some(copies) = copies.as_ref().filter(|_| block == entry) {
            copies.begin(&mut rw);
        }
        for inst in insts {
            rw.at(inst);
            if let InstKind::FaultIf(condition, fault) = rw.f.insts[inst].kind {
                reporter.report_if(&mut rw, (condition, fault));
                continue;
            }
            if let InstKind::MemberAccess { .. } = rw.f.insts[inst].kind {
                if !accesses.is_proven(inst) {
                    accesses::look_at_member(&mut rw, inst, reporter);
                }
                continue;
            }
            if images::guard(&mut rw, &mut site, inst, reporter) {
                continue;
            }
            if async_copies::is_async(&rw.f.insts[inst].kind) {
                let waits = matches!(rw.f.insts[inst].kind, InstKind::AsyncWait(_));
                if let Some((_, states)) = watch.filter(|(shadows, _)| waits && shadows.races) {
                    states.pass_wait(&mut rw);
                }
                let event = match &mut copies {
                    Some(copies) => copies.guard(&mut rw, &mut site, inst, (barriers, &objects), reporter),
                    // Asked for to find races.
                    None => Some(rw.iconst(crate::ir::Type::I32, 1)),
                };
                map.extend(result_of(rw.f, inst).zip(event));
                continue;
            }
            if let InstKind::BarrierFlags(flags) = rw.f.insts[inst].kind {
                if let Some(barriers) = barriers.filter(|_| rw.f.const_bits(flags).is_none()) {
                    let line = rw.f.insts[inst].line;
                    barriers.compare(&mut rw, &mut site, (flags, Fault::BarrierFlags, line), reporter);
                }
                continue;
            }
            if Barriers::has(rw.f, inst) {
                match barriers {
                    Some(barriers) => barriers.guard(&mut rw, &mut site, inst, reporter),
                    None => rw.keep(inst),
                }
                if let Some((_, states)) = watch.filter(|(shadows, _)| shadows.races) {
                    states.pass_barrier(&mut rw, inst);
                }
                continue;
            }
            let replaced = match (accesses.get(inst), divisions.contains(&inst)) {
                (Some(access), _) => accesses::guard(
                    &mut rw,
                    &mut site,
                    (inst, access),
                    &mut objects,
                    (reporter, watch, contents),
                ),
                (None, true) => arithmetic::guard(&mut rw, &mut site, inst, reporter),
                (None, false) => {
                    rw.keep(inst);
                    None
                }
            };
            map.extend(result_of(rw.f, inst).zip(replaced));
        }
        site.finish(&mut rw);
        done = site.done;
    }
    f.layout = done;
    f.replace_uses(&map);
    if let Some(copies) = copies {
        copies.end(f, reporter);
    }
    reporter.end(f);
    // What specialization constants leave out is known to be so where the latch's variables are values.
    mem2reg::promote_new(f, sizes.address_bits(), first_slot);
}

/// Returns whether an instruction stands for a check.
fn is_mark(kind: &InstKind) -> bool {
    let texels = matches!(kind, InstKind::Image { op: ImageOp::Bounds(_), .. });
    let flags = matches!(kind, InstKind::BarrierFlags(_));
    let others = matches!(kind, InstKind::FaultIf(..) | InstKind::MemberAccess { .. });
    texels || flags || others || async_copies::is_async(kind)
}

fn result_of(f: &Function, inst: Inst) -> Option<crate::ir::Value> {
    f.insts[inst].results.first().copied()
}

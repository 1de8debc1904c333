//! Loops that may never end: a work-item in one describes its fault now and then. The fault may be the reason, as a read outside of an object gives 0.
//!
//! ```text
//! while (*p != 0) …        becomes        while (*p != 0) { …; if (++iterations % 16384 == 0) describe the fault; }
//! ```

use super::latch::{Latch, WORD, linear_id, place, slot, used_dimensions};
use crate::analysis::loops::{Test, carried};
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{BinaryOp, Block, Function, InstKind, IntCC, Type, Value, ValueDef, WorkItem};
use crate::transform::rewriter::{Rewriter, Site as Point};

/// The iterations of loops, a power of two, between two tests for a fault to describe.
const ITERATIONS: u64 = 1 << 14;
/// The depth to which the next number of a counter is followed.
const MAX_DEPTH: u32 = 8;

/// Adds the code to the loops of a kernel that no counter ends. Latches come with the numbers of their first entries.
pub(super) fn describe_in_loops(f: &mut Function, parts: &[(&Latch, u32)]) {
    let parts: Vec<_> =
        parts.iter().filter_map(|(latch, first)| Some((latch, latch.described?, *first))).collect();
    if parts.is_empty() {
        return;
    }
    let cfg = f.cfg();
    let loops = cfg.loops();
    let endless = (0..loops.loops.len()).filter(|index| !is_counted(f, &cfg, &loops, *index));
    let mut latches: Vec<Block> = endless.flat_map(|index| loops.loops[index].latches.clone()).collect();
    latches.sort_unstable();
    latches.dedup();
    if latches.is_empty() {
        return;
    }
    let dims = used_dimensions(f);
    let mut rw = Rewriter::new(f);
    let iterations = slot(&mut rw, None, 4);
    let entry = rw.f.entry();
    let mut start = Vec::new();
    rw.elsewhere(&mut start, |rw| {
        let (at, zero) = (place(rw, iterations), rw.iconst(Type::I32, 0));
        rw.store(at, zero, WORD);
    });
    start.append(&mut rw.f.blocks[entry].insts);
    rw.f.blocks[entry].insts = start;
    let mut done = Vec::new();
    for block in std::mem::take(&mut rw.f.layout) {
        let mut point = Point { at: block, done };
        for inst in std::mem::take(&mut rw.f.blocks[block].insts) {
            rw.at(inst);
            rw.keep(inst);
        }
        if latches.contains(&block) {
            let at = place(&mut rw, iterations);
            let before = rw.load(at, Type::I32, WORD);
            let iteration = rw.binary_const(BinaryOp::IAdd, before, 1);
            let at = place(&mut rw, iterations);
            rw.store(at, iteration, WORD);
            let rest = rw.binary_const(BinaryOp::And, iteration, ITERATIONS - 1);
            let zero = rw.iconst(Type::I32, 0);
            let now = rw.icmp(IntCC::Eq, rest, zero);
            let mut fork = point.fork(&mut rw, now, &[]);
            let id = linear_id(&mut rw, dims);
            for (latch, described, first) in &parts {
                let at = place(&mut rw, *described);
                let known = rw.load(at, Type::I32, WORD);
                latch.write_description(&mut rw, &mut point, (known, *first), id);
            }
            fork.otherwise(&mut point, &mut rw, &[]);
            fork.join(&mut point, &mut rw, &[]);
        }
        point.finish(&mut rw);
        done = point.done;
    }
    rw.f.layout = done;
}

/// Returns whether some test ends a loop after as many iterations as a counter has values: one that each iteration changes by a constant, or by a number of
/// work-items.
fn is_counted(f: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> bool {
    let data = &loops.loops[index];
    let params = f.blocks[data.header].params.len();
    let counters: Vec<[Value; 2]> = (0..params)
        .filter_map(|n| {
            let of = carried(f, cfg, data, n)?;
            let next = of.next?;
            (next != of.param && moves(f, next, of.param, MAX_DEPTH)).then_some([of.param, next])
        })
        .collect();
    let outside = |value: Value| match f.values[value].def {
        ValueDef::Const(_) => true,
        ValueDef::Param(block, _) => !loops.contains(index, block),
        ValueDef::Inst(inst, _) => {
            let at = f.layout.iter().find(|block| f.blocks[**block].insts.contains(&inst));
            at.is_some_and(|block| !loops.contains(index, *block))
        }
    };
    let Some(test) = Test::of_loop(f, loops, index) else { return false };
    test.conditions(f).into_iter().any(|condition| {
        let (a, b) = match f.def_inst(condition).map(|inst| &inst.kind) {
            Some(InstKind::ICmp(_, a, b) | InstKind::FCmp(_, a, b)) => (*a, *b),
            _ => return false,
        };
        let counter = |value: Value| counters.iter().any(|counter| counter.contains(&converted(f, value)));
        (counter(a) && outside(b)) || (counter(b) && outside(a))
    })
}

/// The integer that a conversion extends or cuts.
fn converted(f: &Function, value: Value) -> Value {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Convert { value: inner, .. }) if f.ty(*inner).scalar().is_some_and(|s| s.is_int()) => {
            *inner
        }
        _ => value,
    }
}

/// Returns whether a number is a counter's number, after steps that are constants or numbers of work-items.
fn moves(f: &Function, value: Value, counter: Value, depth: u32) -> bool {
    let value = converted(f, value);
    let Some(depth) = depth.checked_sub(1) else { return false };
    if value == counter {
        return true;
    }
    let step = |value: Value| {
        let size = |kind: &InstKind| {
            use WorkItem::{EnqueuedLocalSize, GlobalSize, LocalSize, NumGroups};
            matches!(
                kind,
                InstKind::WorkItem(GlobalSize | LocalSize | EnqueuedLocalSize | NumGroups, _)
                    | InstKind::WorkgroupSize(_)
            )
        };
        let constant = f.const_bits(value).is_some_and(|bits| bits != 0);
        constant || f.def_inst(converted(f, value)).is_some_and(|inst| size(&inst.kind))
    };
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Binary(BinaryOp::IAdd | BinaryOp::FAdd, a, b)) => {
            (step(*b) && moves(f, *a, counter, depth)) || (step(*a) && moves(f, *b, counter, depth))
        }
        Some(InstKind::Binary(BinaryOp::ISub | BinaryOp::FSub, a, b)) => {
            step(*b) && moves(f, *a, counter, depth)
        }
        _ => false,
    }
}

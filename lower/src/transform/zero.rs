//! Loops that store zeros.

use super::rewriter::{Rewriter, Site};
use crate::ir::{
    BinaryOp, BranchTarget, Constant, InstKind, IntCC, MemFlags, Place, Terminator, Type, Value, WorkItem,
};
use smallvec::SmallVec;

/// The elements that a loop stores to: `for (n = first; n < count; n += step)`. The three values are 32-bit integers.
#[derive(Debug, Clone, Copy)]
pub struct Elements {
    /// The first element.
    pub first: Value,
    /// The distance between elements.
    pub step: Value,
    /// The number of elements in all.
    pub count: Value,
}

impl Elements {
    /// Each work-item's part of `count` elements that the work-group shares.
    pub fn of_work_group(rw: &mut Rewriter<'_>, count: Value) -> Self {
        let first = rw.inst(InstKind::WorkItem(WorkItem::LocalLinearId, 0), Type::I32);
        let mut step = rw.inst(InstKind::WorkItem(WorkItem::LocalSize, 0), Type::I32);
        for dim in 1..3 {
            let more = rw.inst(InstKind::WorkItem(WorkItem::LocalSize, dim), Type::I32);
            step = rw.binary(BinaryOp::IMul, step, more);
        }
        Elements { first, step, count }
    }
}

/// Adds a loop that stores zeros to elements of a type, and goes on behind it. `base` is the pointer to element 0.
pub fn zero_loop(rw: &mut Rewriter<'_>, point: &mut Site, base: Value, ty: Type, elements: Elements) {
    let Elements { first, step, count } = elements;
    let (before, tail) = point.split(rw);
    let (header, body) = (rw.f.new_detached_block(), rw.f.new_detached_block());
    let n = rw.f.add_param(header, Type::I32);
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
    rw.f.blocks[before].term = Terminator::Branch(to(header, &[first]));
    point.at = header;
    let more = rw.icmp(IntCC::Ult, n, count);
    rw.f.blocks[header].term = Terminator::CondBranch { cond: more, then: to(body, &[]), els: to(tail, &[]) };
    point.finish(rw);
    point.at = body;
    let space = rw.f.ty(base);
    let index = rw.int_cast(n, Type::I64, false);
    let pointer = rw.inst(InstKind::PtrAdd { base, index, scale: ty.bytes().into() }, space);
    let zero = rw.f.constant(ty, Constant::Bits(0));
    rw.store(Place::Pointer(pointer), zero, MemFlags { align: ty.bytes(), volatile: false });
    let next = rw.add(n, step);
    rw.f.blocks[body].term = Terminator::Branch(to(header, &[next]));
    point.finish(rw);
    point.at = tail;
}

//! Barriers that not all work-items of a work-group reach.
//!
//! A word of `__local` memory counts the arrivals of all work-items, and each work-item counts its own:
//!
//! ```text
//! barrier();        becomes        arrived += 1; barrier(); own += 1;
//!                                  if (arrived != own * size) report(); barrier();
//! ```
//!
//! The second barrier keeps work-items from arriving at the next one before all have looked. A work-group reports one barrier: after it the counts mean
//! nothing.

use super::report::{ReportValues, Reporter, SiteFault, UNKNOWN};
use crate::Target;
use crate::check::{Access, Checks, Fault};
use crate::ir::{
    AtomicOp, BinaryOp, ConvertOp, Function, GlobalVar, GlobalVarData, Inst, InstKind, IntCC, MemFlags,
    Module, Place, Root, Scope, Semantics, Slot, SlotData, SourceLine, Space, Type, UnaryOp, Value, WorkItem,
};
use crate::transform::rewriter::{Rewriter, Site};
use smallvec::SmallVec;

/// The variables of a kernel's barriers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Barriers {
    /// Three `__local` words: the number of arrivals, whether a fault was reported, and what the first work-item brought.
    arrivals: GlobalVar,
    /// The number of barriers that the work-item has passed.
    own: Slot,
}

const WORD: MemFlags = MemFlags { align: 4, volatile: false };

/// The bytes of [`Barriers::arrivals`].
const ARRIVALS_BYTES: u64 = 12;

/// The classes without barriers, if the kernel's `__local` variables leave no room for the counts of arrivals.
pub(super) fn that_fit(checks: Checks, module: &Module, f: &Function, target: &Target) -> Checks {
    let local = |root: Root| match root {
        Root::Global(var) => module.globals.get(var).filter(|var| var.space == Space::Local),
        _ => None,
    };
    let used = super::shadows::used_roots(f);
    let taken: u64 = used.into_iter().filter_map(local).map(|var| var.size.next_multiple_of(4)).sum();
    let fits = taken + ARRIVALS_BYTES <= target.limits.max_compute_shared_memory_size.into();
    if fits { checks } else { checks - Checks::BARRIERS }
}

/// Returns whether an instruction is a barrier of the work-group.
fn is_barrier(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Barrier { execution: Scope::Workgroup, .. })
}

impl Barriers {
    /// Adds the variables, if the kernel has barriers that are looked at.
    pub fn new(module: &mut Module, f: &mut Function, checks: Checks) -> Option<Self> {
        let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        let wanted = |kind: &InstKind| is_barrier(kind) || super::async_copies::is_async(kind);
        if !checks.contains(Checks::BARRIERS) || !insts.any(|inst| wanted(&f.insts[*inst].kind)) {
            return None;
        }
        let name = "arrivals".to_owned();
        let arrivals = module.globals.push(GlobalVarData {
            name,
            space: Space::Local,
            size: ARRIVALS_BYTES,
            align: 4,
            init: None,
        });
        let own = f.slots.push(SlotData { name: None, size: 4, align: 4 });
        Some(Barriers { arrivals, own })
    }

    /// Returns whether an instruction is a barrier of the work-group.
    pub fn has(f: &Function, inst: Inst) -> bool {
        is_barrier(&f.insts[inst].kind)
    }

    /// Sets the variables to 0, at the start of the kernel.
    pub fn begin(self, rw: &mut Rewriter<'_>, point: &mut Site) {
        let zero = rw.iconst(Type::I32, 0);
        let own = rw.inst(InstKind::RootAddr(Root::Slot(self.own)), Type::Ptr(Space::Private));
        rw.store(Place::Pointer(own), zero, WORD);
        let number = rw.inst(InstKind::WorkItem(WorkItem::LocalLinearId, 0), Type::I32);
        let first = rw.icmp(IntCC::Eq, number, zero);
        let mut fork = point.fork(rw, first, &[]);
        for word in [0, 4] {
            let place = self.word(rw, word);
            atomic(rw, AtomicOp::Store, place, &[zero]);
        }
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
        rw.void(barrier(Semantics::empty(), Scope::Workgroup));
    }

    /// Looks at what work-items brought, where all of them came.
    fn look(
        self,
        rw: &mut Rewriter<'_>,
        (brought, line): (Option<(Value, Fault)>, SourceLine),
        wrong: Value,
        reporter: &mut Reporter<'_>,
    ) {
        let Some((word, fault)) = brought else { return };
        let place = self.word(rw, 8);
        let first = atomic(rw, AtomicOp::Load, place, &[]);
        let other = rw.icmp(IntCC::Ne, first, word);
        let all = rw.inst(InstKind::Unary(UnaryOp::Not, wrong), Type::BOOL);
        let differs = rw.binary(BinaryOp::And, other, all);
        let what = SiteFault { fault, access: Access::None, size: 0 };
        reporter.report_where(rw, differs, (what, line));
    }

    fn word(self, rw: &mut Rewriter<'_>, bytes: i64) -> Value {
        let local = Type::Ptr(Space::Local);
        let base = rw.inst(InstKind::RootAddr(Root::Global(self.arrivals)), local);
        if bytes == 0 { base } else { rw.inst(InstKind::PtrOffset { base, bytes }, local) }
    }

    /// Executes a barrier, and reports it if not all work-items came.
    pub fn guard(self, rw: &mut Rewriter<'_>, point: &mut Site, inst: Inst, reporter: &mut Reporter<'_>) {
        let InstKind::Barrier { memory, semantics, .. } = rw.f.insts[inst].kind else { return };
        let line = rw.f.insts[inst].line;
        self.meet(rw, point, (barrier(semantics, memory), line, None), reporter);
    }

    /// Reports work-items that bring another word to a place than the first one of their work-group, and places that not all of them reach.
    pub fn compare(
        self,
        rw: &mut Rewriter<'_>,
        point: &mut Site,
        (word, fault, line): (Value, Fault, SourceLine),
        reporter: &mut Reporter<'_>,
    ) {
        let number = rw.inst(InstKind::WorkItem(WorkItem::LocalLinearId, 0), Type::I32);
        let zero = rw.iconst(Type::I32, 0);
        let first = rw.icmp(IntCC::Eq, number, zero);
        let mut fork = point.fork(rw, first, &[]);
        let place = self.word(rw, 8);
        atomic(rw, AtomicOp::Store, place, &[word]);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
        let kind = barrier(Semantics::empty(), Scope::Workgroup);
        self.meet(rw, point, (kind, line, Some((word, fault))), reporter);
    }

    /// A barrier, after which faults are looked for, and another one.
    fn meet(
        self,
        rw: &mut Rewriter<'_>,
        point: &mut Site,
        (kind, line, brought): (InstKind, SourceLine, Option<(Value, Fault)>),
        reporter: &mut Reporter<'_>,
    ) {
        let one = rw.iconst(Type::I32, 1);
        let place = self.word(rw, 0);
        atomic(rw, AtomicOp::IAdd, place, &[one]);
        rw.void(kind);
        let own = rw.inst(InstKind::RootAddr(Root::Slot(self.own)), Type::Ptr(Space::Private));
        let before = rw.load(Place::Pointer(own), Type::I32, WORD);
        let passed = rw.add(before, one);
        rw.store(Place::Pointer(own), passed, WORD);
        let mut size = rw.inst(InstKind::WorkItem(WorkItem::LocalSize, 0), Type::I32);
        for dim in 1..3 {
            let more = rw.inst(InstKind::WorkItem(WorkItem::LocalSize, dim), Type::I32);
            size = rw.binary(BinaryOp::IMul, size, more);
        }
        let place = self.word(rw, 0);
        let arrived = atomic(rw, AtomicOp::Load, place, &[]);
        let place = self.word(rw, 4);
        let reported = atomic(rw, AtomicOp::Load, place, &[]);
        let expected = rw.binary(BinaryOp::IMul, passed, size);
        let wrong = rw.icmp(IntCC::Ne, arrived, expected);
        self.look(rw, (brought, line), wrong, reporter);
        let zero = rw.iconst(Type::I32, 0);
        let first = rw.icmp(IntCC::Eq, reported, zero);
        let fault = rw.binary(BinaryOp::And, wrong, first);
        let mut fork = point.fork(rw, fault, &[]);
        let others = rw.binary(BinaryOp::IMul, before, size);
        let here = rw.inst(InstKind::Binary(BinaryOp::ISub, arrived, others), Type::I32);
        let value = rw.convert(ConvertOp::SExt, here, Type::I64);
        let limit = rw.convert(ConvertOp::ZExt, size, Type::I64);
        let object = rw.iconst(Type::I32, UNKNOWN.into());
        let what = SiteFault { fault: Fault::Barrier, access: Access::None, size: 0 };
        reporter.report_now(rw, point, (what, line), ReportValues { object, value, limit });
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
        rw.void(barrier(Semantics::empty(), Scope::Workgroup));
        let mut fork = point.fork(rw, fault, &[]);
        let place = self.word(rw, 4);
        atomic(rw, AtomicOp::Store, place, &[one]);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }
}

/// A barrier that also orders `__local` memory.
fn barrier(semantics: Semantics, memory: Scope) -> InstKind {
    let local = Semantics::LOCAL | Semantics::ACQUIRE | Semantics::RELEASE;
    let memory = if semantics.is_empty() { Scope::Workgroup } else { memory };
    InstKind::Barrier { execution: Scope::Workgroup, memory, semantics: semantics | local }
}

fn atomic(rw: &mut Rewriter<'_>, op: AtomicOp, pointer: Value, operands: &[Value]) -> Value {
    let operands: SmallVec<[Value; 2]> = SmallVec::from_slice(operands);
    let (scope, semantics) = (Scope::Workgroup, Semantics::empty());
    let kind = InstKind::Atomic {
        op,
        place: Place::Pointer(pointer),
        operands: operands[..].into(),
        scope,
        semantics,
    };
    match op {
        AtomicOp::Store => {
            rw.void(kind);
            pointer
        }
        _ => rw.inst(kind, Type::I32),
    }
}

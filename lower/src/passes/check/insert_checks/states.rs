//! The states of cells, and the code that looks at them and changes them: uninitialised reads, and races.
//!
//! A state of 64 bits says who used a cell last:
//!
//! | bits | hold |
//! |---|---|
//! | 0–10 | the linear id in the work-group, plus 1; a state of 0 stands for nobody |
//! | 11–34 | the linear id of the work-group; 0 for `__local` memory |
//! | 35–44 | the **epoch**: the number of barriers that the work-item had passed, at most 1023 |
//! | 45–55 | the place in the source: an index into [`CheckTable::places`](crate::check::CheckTable::places), plus 1 |
//! | 56–62 | for writes: a hash of what was written; for atomic operations the lowest bit, if others had one at that time |
//! | 63 | for writes: an atomic operation. For reads: others have read, too |
//!
//! Two uses are a race if one writes, other work-items made them, and no barrier is between them: they are of two work-groups, or of
//! one epoch. Only barriers count that order the memory. Equal values may be written at once: the hashes tell them apart.
//!
//! ```text
//! write: before = exchange(last write, mine); a race if before is another's; a race if last read is another's
//! read:  a race if last write is another's; last read = mine, or another's with the bit for several
//! ```

use super::objects::Fat;
use super::report::{ReportValues, Reporter, SiteFault, When};
use super::shadows::{Cells, Memory, Shadows, Use};
use crate::check::{Access as Direction, Fault};
use crate::ir::{
    AtomicOp, BinaryOp, ConvertOp, Inst, InstKind, IntCC, MemFlags, Place, Root, Scalar, Scope, Semantics,
    Slot, SlotData, SourceLine, Space, Type, UnaryOp, Value, WorkItem,
};
use crate::transform::rewriter::{Rewriter, Site as Point};
use crate::transform::zero::{Elements, zero_loop};
use smallvec::SmallVec;

/// The lowest bit of the work-group's id.
const GROUP: u32 = 11;
/// The lowest bit of the epoch.
const EPOCH: u32 = 35;
/// The lowest bit of the place.
const PLACE: u32 = 45;
/// The lowest bit of the hash.
const HASH: u32 = 56;
/// The bits of a work-item and its work-group.
const WHO: u64 = (1 << EPOCH) - 1;
/// The bits of the work-item in its work-group; all of them for async copies.
const ITEM: u64 = (1 << GROUP) - 1;
/// The bits of the work-group.
const GROUPS: u64 = WHO & !((1 << GROUP) - 1);
/// The bits of the epoch: also the last one, which later ones share.
const EPOCHS: u64 = ((1 << PLACE) - 1) & !WHO;
/// The bits of the hash.
const HASHES: u64 = 0x7f << HASH;
/// The highest bit.
const FLAG: u64 = 1 << 63;
/// The bit of an atomic operation beside which there were others.
const SEVERAL: u64 = 1 << HASH;

/// The values that the code of a kernel has for its records.
#[derive(Debug, Clone, Copy)]
pub(super) struct States {
    /// The work-item's bits for `__local` memory, and for buffers.
    me: [Value; 2],
    /// The epochs of `__local` memory and of buffers, in their place in states.
    epochs: [Slot; 2],
    /// The first epochs after the last wait for async copies, in a kernel that has these. Copies of these epochs may be under way.
    waited: Option<[Slot; 2]>,
}

/// An access, as the code sees it.
struct Visit<'a> {
    of: Use,
    cells: Cells,
    fat: Fat,
    line: SourceLine,
    states: States,
    shadows: &'a Shadows,
    /// What is stored.
    value: Option<Value>,
}

impl States {
    /// Code at the kernel's start: it clears the epochs and the records of `__local` memory.
    pub fn begin(rw: &mut Rewriter<'_>, point: &mut Point, shadows: &Shadows) -> Self {
        let mut slot = || rw.f.slots.push(SlotData { name: None, size: 8, align: 8 });
        let epochs = [slot(), slot()];
        let waited = (shadows.races && !shadows.copies.is_empty()).then(|| [slot(), slot()]);
        let zero = rw.iconst(Type::I64, 0);
        let mut states = States { me: [zero; 2], epochs, waited };
        if shadows.races {
            states.me = me(rw);
            for slot in epochs.into_iter().chain(waited.into_iter().flatten()) {
                let place = slot_place(rw, slot);
                rw.store(place, zero, MemFlags { align: 8, volatile: false });
            }
        }
        let mut local: Vec<Cells> = shadows.cells.values().copied().collect();
        local.retain(|cells| !matches!(cells.memory, Memory::Buffer(_)));
        local.sort_unstable_by_key(|cells| match cells.memory {
            Memory::Variable(var) => (0, var.0),
            Memory::Local(n) | Memory::Buffer(n) => (1, n),
        });
        for cells in &local {
            clear(rw, point, cells, shadows.record());
        }
        if !local.is_empty() {
            rw.void(InstKind::Barrier {
                execution: Scope::Workgroup,
                memory: Scope::Workgroup,
                semantics: Semantics::LOCAL | Semantics::ACQUIRE | Semantics::RELEASE,
            });
        }
        states
    }

    /// Counts a barrier.
    pub fn pass_barrier(self, rw: &mut Rewriter<'_>, inst: Inst) {
        let InstKind::Barrier { execution: Scope::Workgroup, semantics, .. } = rw.f.insts[inst].kind else {
            return;
        };
        if rw.f.insts[inst].line.is_marked() {
            // It names no memory.
            return;
        }
        for (slot, memory) in self.epochs.into_iter().zip([Semantics::LOCAL, Semantics::GLOBAL]) {
            if semantics.contains(memory) {
                let flags = MemFlags { align: 8, volatile: false };
                let place = slot_place(rw, slot);
                let before = rw.load(place, Type::I64, flags);
                let after = rw.binary_const(BinaryOp::IAdd, before, 1 << EPOCH);
                let most = rw.iconst(Type::I64, EPOCHS);
                let beyond = rw.icmp(IntCC::Ult, most, after);
                let after = rw.inst(InstKind::Select(beyond, most, after), Type::I64);
                let place = slot_place(rw, slot);
                rw.store(place, after, flags);
            }
        }
    }

    /// Notes a wait for async copies. A barrier follows.
    pub fn pass_wait(self, rw: &mut Rewriter<'_>) {
        let flags = MemFlags { align: 8, volatile: false };
        for (epoch, waited) in self.epochs.into_iter().zip(self.waited.into_iter().flatten()) {
            let place = slot_place(rw, epoch);
            let now = rw.load(place, Type::I64, flags);
            let next = rw.binary_const(BinaryOp::IAdd, now, 1 << EPOCH);
            let place = slot_place(rw, waited);
            rw.store(place, next, flags);
        }
    }

    /// Looks at the records of an access, and changes them.
    pub fn visit(
        self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (of, value, line): (Use, Option<Value>, SourceLine),
        fat: Fat,
        (shadows, reporter): (&Shadows, &mut Reporter<'_>),
    ) {
        let Some(cells) = shadows.cells.get(&of.root).copied() else { return };
        let visit = Visit { of, cells, fat, line, states: self, shadows, value };
        let arg = match cells.memory {
            Memory::Variable(var) => {
                let base = rw.inst(InstKind::RootAddr(Root::Global(var)), Type::Ptr(Space::Local));
                return visit.all(rw, point, base, reporter);
            }
            Memory::Local(arg) | Memory::Buffer(arg) => arg,
        };
        let any = match cells.memory {
            Memory::Buffer(_) => rw.inst(InstKind::HasArgumentCells(arg), Type::BOOL),
            _ => {
                let start = rw.inst(InstKind::ArgumentShadow(arg), Type::I64);
                let zero = rw.iconst(Type::I64, 0);
                rw.icmp(IntCC::Ne, start, zero)
            }
        };
        let mut fork = point.fork(rw, any, &[]);
        let start = rw.inst(InstKind::ArgumentShadow(arg), Type::I64);
        let base = records(rw, cells.memory, start);
        visit.all(rw, point, base, reporter);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }
}

/// The work-item's bits, for `__local` memory and for buffers.
fn me(rw: &mut Rewriter<'_>) -> [Value; 2] {
    let local = rw.inst(InstKind::WorkItem(WorkItem::LocalLinearId, 0), Type::I32);
    let local = rw.binary_const(BinaryOp::IAdd, local, 1);
    let local = rw.convert(ConvertOp::ZExt, local, Type::I64);
    let mut group = rw.inst(InstKind::WorkItem(WorkItem::GroupId, 2), Type::I32);
    for dim in [1, 0] {
        let count = rw.inst(InstKind::WorkItem(WorkItem::NumGroups, dim), Type::I32);
        let rows = rw.binary(BinaryOp::IMul, group, count);
        let own = rw.inst(InstKind::WorkItem(WorkItem::GroupId, dim), Type::I32);
        group = rw.add(rows, own);
    }
    let group = rw.convert(ConvertOp::ZExt, group, Type::I64);
    let group = rw.binary_const(BinaryOp::Shl, group, GROUP.into());
    let group = rw.binary_const(BinaryOp::And, group, GROUPS);
    let global = rw.binary(BinaryOp::Or, group, local);
    [local, global]
}

fn slot_place(rw: &mut Rewriter<'_>, slot: Slot) -> Place {
    Place::Pointer(rw.inst(InstKind::RootAddr(Root::Slot(slot)), Type::Ptr(Space::Private)))
}

/// The first record of an argument.
fn records(rw: &mut Rewriter<'_>, memory: Memory, start: Value) -> Value {
    let (root, space) = match memory {
        Memory::Variable(var) => (Root::Global(var), Space::Local),
        Memory::Local(n) => (Root::LocalArg(n), Space::Local),
        Memory::Buffer(_) => (Root::Printf, Space::Global),
    };
    let base = rw.inst(InstKind::RootAddr(root), Type::Ptr(space));
    rw.inst(InstKind::PtrAdd { base, index: start, scale: 1 }, Type::Ptr(space))
}

/// Clears the records of `__local` memory, by all work-items of the work-group.
fn clear(rw: &mut Rewriter<'_>, point: &mut Point, cells: &Cells, record: u64) {
    let (base, count) = match cells.memory {
        Memory::Variable(var) => {
            let base = rw.inst(InstKind::RootAddr(Root::Global(var)), Type::Ptr(Space::Local));
            (base, rw.iconst(Type::I32, cells.count * record / 4))
        }
        Memory::Buffer(_) => return,
        Memory::Local(arg) => {
            let start = rw.inst(InstKind::ArgumentShadow(arg), Type::I64);
            let size = rw.inst(InstKind::ArgumentSize(arg), Type::I64);
            let size = rw.binary_const(BinaryOp::IAdd, size, cells.bytes - 1);
            let count = rw.binary_const(BinaryOp::LShr, size, cells.bytes.trailing_zeros().into());
            let words = rw.mul_const(count, record / 4);
            let words = rw.convert(ConvertOp::Trunc, words, Type::I32);
            let zero = rw.iconst(Type::I64, 0);
            let none = rw.icmp(IntCC::Eq, start, zero);
            let nothing = rw.iconst(Type::I32, 0);
            let words = rw.inst(InstKind::Select(none, nothing, words), Type::I32);
            (records(rw, cells.memory, start), words)
        }
    };
    let elements = Elements::of_work_group(rw, count);
    zero_loop(rw, point, base, Type::I32, elements);
}

impl Visit<'_> {
    fn local(&self) -> bool {
        !matches!(self.cells.memory, Memory::Buffer(_))
    }

    /// Looks at all cells of the access.
    fn all(&self, rw: &mut Rewriter<'_>, point: &mut Point, base: Value, reporter: &mut Reporter<'_>) {
        let record = self.shadows.record();
        let space = rw.f.ty(base);
        let shift = u64::from(self.cells.bytes.trailing_zeros());
        let first = rw.binary_const(BinaryOp::LShr, self.fat.offset, shift);
        let base = rw.inst(InstKind::PtrAdd { base, index: first, scale: record }, space);
        for cell in 0..self.of.bytes.div_ceil(self.cells.bytes) {
            let bytes = (cell * record) as i64;
            let pointer = match bytes {
                0 => base,
                _ => rw.inst(InstKind::PtrOffset { base, bytes }, space),
            };
            if self.shadows.races {
                self.states(rw, point, (pointer, cell), reporter);
            } else {
                self.written(rw, point, pointer, reporter);
            }
        }
    }

    /// The record of a cell for `uninitialised` alone.
    fn written(&self, rw: &mut Rewriter<'_>, point: &mut Point, pointer: Value, reporter: &mut Reporter<'_>) {
        let word = MemFlags { align: 4, volatile: false };
        let zero = rw.iconst(Type::I32, 0);
        if self.of.direction != Direction::Write {
            let known = rw.load(Place::Pointer(pointer), Type::I32, word);
            let never = rw.icmp(IntCC::Eq, known, zero);
            self.tell(rw, point, (Fault::Uninitialised, never), None, reporter);
        }
        if self.of.direction != Direction::Read {
            let one = rw.iconst(Type::I32, 1);
            rw.store(Place::Pointer(pointer), one, word);
        }
    }

    /// The states of a cell.
    fn states(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (pointer, cell): (Value, u64),
        reporter: &mut Reporter<'_>,
    ) {
        let space = rw.f.ty(pointer);
        let reads = rw.inst(InstKind::PtrOffset { base: pointer, bytes: 8 }, space);
        let which = usize::from(!self.local());
        let place = slot_place(rw, self.states.epochs[which]);
        let epoch = rw.load(place, Type::I64, MemFlags { align: 8, volatile: false });
        let mut who = rw.binary(BinaryOp::Or, self.states.me[which], epoch);
        if self.shadows.copies.contains(&super::async_copies::place_of(self.line)) {
            // All work-items of the work-group make an async copy together.
            who = rw.binary_const(BinaryOp::Or, who, ITEM);
        }
        let place = reporter.place(self.line, self.of.direction);
        let mine = rw.binary_const(BinaryOp::Or, who, u64::from(place) << PLACE);
        let zero = rw.iconst(Type::I64, 0);
        if self.of.direction == Direction::Read {
            let write = self.atomic(rw, AtomicOp::Load, pointer, &[]);
            if self.cells.uninitialised {
                let never = rw.icmp(IntCC::Eq, write, zero);
                self.tell(rw, point, (Fault::Uninitialised, never), None, reporter);
            }
            if self.of.volatile {
                return;
            }
            let race = self.concurrent(rw, write, who, epoch);
            let others = self.own_among_others(rw, write, (who, epoch), FLAG | SEVERAL);
            let race = rw.binary(BinaryOp::Or, race, others);
            if !self.shadows.exchanges {
                self.tell(rw, point, (Fault::Race, race), Some(write), reporter);
            }
            let before = self.atomic(rw, AtomicOp::Load, reads, &[]);
            let others = self.concurrent(rw, before, who, epoch);
            let several = rw.binary_const(BinaryOp::Or, before, FLAG);
            let after = rw.inst(InstKind::Select(others, several, mine), Type::I64);
            let changed = rw.icmp(IntCC::Ne, before, after);
            let mut fork = point.fork(rw, changed, &[]);
            let last = self.atomic(rw, AtomicOp::Exchange, reads, &[after]);
            self.note_others(rw, point, (reads, last, FLAG), (who, epoch));
            fork.otherwise(point, rw, &[]);
            fork.join(point, rw, &[]);
            return;
        }
        let atomic = self.of.direction == Direction::Atomic;
        let mine = match (atomic || self.of.volatile, self.value) {
            (true, _) => rw.binary_const(BinaryOp::Or, mine, FLAG),
            (false, Some(value)) => {
                let hash = self.hash(rw, value, cell);
                rw.binary(BinaryOp::Or, mine, hash)
            }
            (false, None) => mine,
        };
        let write = match atomic {
            true => self.exchange(rw, point, (pointer, mine), (who, epoch)),
            false => self.atomic(rw, AtomicOp::Exchange, pointer, &[mine]),
        };
        if atomic && self.cells.uninitialised {
            let never = rw.icmp(IntCC::Eq, write, zero);
            self.tell(rw, point, (Fault::Uninitialised, never), None, reporter);
        }
        if self.of.volatile {
            return;
        }
        let concurrent = self.concurrent(rw, write, who, epoch);
        // Two atomic operations do not race, nor do two writes of one value.
        let differ = rw.inst(InstKind::Binary(BinaryOp::Xor, write, mine), Type::I64);
        let bits = rw.iconst(Type::I64, if atomic || self.shadows.exchanges { FLAG } else { FLAG | HASHES });
        let differ = rw.binary(BinaryOp::And, differ, bits);
        let differ = rw.icmp(IntCC::Ne, differ, zero);
        let mut race = rw.binary(BinaryOp::And, concurrent, differ);
        if !atomic {
            let others = self.own_among_others(rw, write, (who, epoch), FLAG | SEVERAL);
            race = rw.binary(BinaryOp::Or, race, others);
        }
        self.tell(rw, point, (Fault::Race, race), Some(write), reporter);
        if self.shadows.exchanges {
            return;
        }
        let read = self.atomic(rw, AtomicOp::Load, reads, &[]);
        let others = self.concurrent(rw, read, who, epoch);
        let several = self.own_among_others(rw, read, (who, epoch), FLAG);
        let race = rw.binary(BinaryOp::Or, others, several);
        self.tell(rw, point, (Fault::Race, race), Some(read), reporter);
    }

    /// Sets a bit of a state where it took the place of another work-item's, of which no barrier orders the use.
    fn note_others(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (pointer, last, bit): (Value, Value, u64),
        (who, epoch): (Value, Value),
    ) {
        let others = self.concurrent(rw, last, who, epoch);
        let mut fork = point.fork(rw, others, &[]);
        let bit = rw.iconst(Type::I64, bit);
        self.atomic(rw, AtomicOp::Or, pointer, &[bit]);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }

    /// Tests if a state is this work-item's in this epoch, with the bits that say that others had the same use.
    fn own_among_others(
        &self,
        rw: &mut Rewriter<'_>,
        state: Value,
        (who, epoch): (Value, Value),
        bits: u64,
    ) -> Value {
        let change = rw.inst(InstKind::Binary(BinaryOp::Xor, state, who), Type::I64);
        let change = rw.binary_const(BinaryOp::And, change, WHO | EPOCHS | bits);
        let wanted = rw.iconst(Type::I64, bits);
        let own = rw.icmp(IntCC::Eq, change, wanted);
        let last = rw.iconst(Type::I64, EPOCHS);
        let counted = rw.icmp(IntCC::Ne, epoch, last);
        rw.binary(BinaryOp::And, own, counted)
    }

    /// Notes an atomic operation as the last write, and gives the state before. A write that is none stays where others may still race with it.
    fn exchange(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (pointer, mine): (Value, Value),
        (who, epoch): (Value, Value),
    ) -> Value {
        let zero = rw.iconst(Type::I64, 0);
        let before = self.atomic(rw, AtomicOp::Load, pointer, &[]);
        let plain = rw.icmp(IntCC::Sgt, before, zero);
        let change = rw.inst(InstKind::Binary(BinaryOp::Xor, before, who), Type::I64);
        let stays = match self.local() {
            // Another epoch's is ordered before all work-items that can see it.
            true => {
                let change = rw.binary_const(BinaryOp::And, change, WHO | EPOCHS);
                rw.icmp(IntCC::Eq, change, zero)
            }
            false => {
                let concurrent = self.concurrent(rw, before, who, epoch);
                rw.inst(InstKind::Unary(UnaryOp::Not, concurrent), Type::BOOL)
            }
        };
        let stays = rw.binary(BinaryOp::And, plain, stays);
        let mut fork = point.fork(rw, stays, &[Type::I64]);
        fork.otherwise(point, rw, &[before]);
        let already = self.own_among_others(rw, before, (who, epoch), FLAG | SEVERAL);
        let marked = rw.binary_const(BinaryOp::Or, mine, SEVERAL);
        let mine = rw.inst(InstKind::Select(already, marked, mine), Type::I64);
        let exchanged = self.atomic(rw, AtomicOp::Exchange, pointer, &[mine]);
        self.note_others(rw, point, (pointer, exchanged, SEVERAL), (who, epoch));
        fork.join(point, rw, &[exchanged])[0]
    }

    /// Tests if a state is another work-item's that no barrier orders before this one.
    fn concurrent(&self, rw: &mut Rewriter<'_>, state: Value, who: Value, epoch: Value) -> Value {
        let zero = rw.iconst(Type::I64, 0);
        let change = rw.inst(InstKind::Binary(BinaryOp::Xor, state, who), Type::I64);
        let any = rw.icmp(IntCC::Ne, state, zero);
        let item = rw.binary_const(BinaryOp::And, change, WHO);
        let other = rw.icmp(IntCC::Ne, item, zero);
        let time = rw.binary_const(BinaryOp::And, change, EPOCHS);
        let same_time = rw.icmp(IntCC::Eq, time, zero);
        let last = rw.iconst(Type::I64, EPOCHS);
        let counted = rw.icmp(IntCC::Ne, epoch, last);
        let mut at_once = rw.binary(BinaryOp::And, same_time, counted);
        if let Some(waited) = self.states.waited {
            let item = rw.binary_const(BinaryOp::And, state, ITEM);
            let all = rw.iconst(Type::I64, ITEM);
            let copy = rw.icmp(IntCC::Eq, item, all);
            let made = rw.binary_const(BinaryOp::And, state, EPOCHS);
            let place = slot_place(rw, waited[usize::from(!self.local())]);
            let waited = rw.load(place, Type::I64, MemFlags { align: 8, volatile: false });
            let earlier = rw.icmp(IntCC::Ult, made, waited);
            let pending = rw.inst(InstKind::Unary(UnaryOp::Not, earlier), Type::BOOL);
            let pending = rw.binary(BinaryOp::And, pending, copy);
            let pending = rw.binary(BinaryOp::And, pending, counted);
            at_once = rw.binary(BinaryOp::Or, at_once, pending);
        }
        if !self.local() {
            let group = rw.binary_const(BinaryOp::And, change, GROUPS);
            let elsewhere = rw.icmp(IntCC::Ne, group, zero);
            at_once = rw.binary(BinaryOp::Or, at_once, elsewhere);
        }
        let other = rw.binary(BinaryOp::And, other, any);
        rw.binary(BinaryOp::And, other, at_once)
    }

    /// The hash of what an access writes to a cell, in its place in states.
    fn hash(&self, rw: &mut Rewriter<'_>, value: Value, cell: u64) -> Value {
        let ty = rw.f.ty(value);
        let Some(scalar) = ty.scalar() else { return rw.iconst(Type::I64, 0) };
        let lanes = u64::from(ty.lanes());
        let wanted = match self.cells.bytes == u64::from(scalar.bytes()) {
            true => cell..cell + 1,
            false => 0..lanes,
        };
        let mut sum = rw.iconst(Type::I64, 0);
        for lane in wanted.filter(|lane| *lane < lanes) {
            let lane = rw.extract(value, lane as u8);
            let lane = match scalar {
                Scalar::Bool => continue,
                s if s.is_float() => {
                    let int = Type::Scalar(Scalar::int(s.bytes()).unwrap_or(Scalar::I32));
                    rw.bitcast(lane, int)
                }
                _ => lane,
            };
            let wide = rw.int_cast(lane, Type::I64, false);
            let sum_of = rw.add(sum, wide);
            let factor = rw.iconst(Type::I64, 0x9e37_79b9_7f4a_7c15);
            sum = rw.inst(InstKind::Binary(BinaryOp::IMul, sum_of, factor), Type::I64);
        }
        rw.binary_const(BinaryOp::And, sum, HASHES)
    }

    fn atomic(&self, rw: &mut Rewriter<'_>, op: AtomicOp, pointer: Value, operands: &[Value]) -> Value {
        let scope = if self.local() { Scope::Workgroup } else { Scope::Device };
        let operands: SmallVec<[Value; 2]> = SmallVec::from_slice(operands);
        let kind = InstKind::Atomic {
            op,
            place: Place::Pointer(pointer),
            operands: operands[..].into(),
            scope,
            semantics: Semantics::empty(),
        };
        match op {
            AtomicOp::Store => {
                rw.void(kind);
                pointer
            }
            _ => rw.inst(kind, Type::I64),
        }
    }

    /// Reports a fault if a condition is true. A race has the state of the other use.
    fn tell(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (fault, condition): (Fault, Value),
        other: Option<Value>,
        reporter: &mut Reporter<'_>,
    ) {
        if fault == Fault::Uninitialised && !self.cells.uninitialised {
            return;
        }
        let mut fork = point.fork(rw, condition, &[]);
        let bytes = u32::try_from(self.of.bytes).unwrap_or(u32::MAX);
        let what = SiteFault { fault, access: self.of.direction, size: bytes };
        let (value, limit) = match other {
            Some(state) => (state, self.fat.offset),
            None => (self.fat.offset, self.fat.size),
        };
        let values = ReportValues { object: self.fat.number, value, limit };
        let when = if self.local() { When::Always } else { When::Cells };
        reporter.report_in(rw, (when, what, self.line), values, None);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }
}

//! Async copies: all work-items of a work-group begin the same copies, and wait for the same events, which copies gave.
//!
//! An event is a number from 1 to 30, the same in all work-items, and each work-item has a bit for each event that it has not waited for:
//!
//! ```text
//! e = asynccopy …        becomes        arrive, with a hash of the copy; e = the next number; pending |= 1 << e
//! asyncwait bits         becomes        arrive, with the bits; if (bits has no event) report(); pending &= ~bits
//! return                 becomes        if (pending has a copy's event) report(); return
//! ```

use super::barriers::Barriers;
use super::objects::Objects;
use super::report::{Reporter, SiteFault};
use crate::check::{Access, Checks, Fault};
use crate::ir::{
    BinaryOp, ConvertOp, Function, Inst, InstKind, IntCC, MemFlags, Place, Root, Slot, SlotData, SourceLine,
    Space, Type, UnaryOp, Value,
};
use crate::transform::rewriter::{Rewriter, Site};
use rustc_hash::FxHashSet;

/// The largest event. Later ones have the numbers of earlier ones.
const EVENTS: u64 = 30;
const WORD: MemFlags = MemFlags { align: 4, volatile: false };

/// The variables of a kernel with async copies.
pub(super) struct AsyncCopies {
    /// The bits of the events that were not waited for, and the next number.
    pending: Slot,
    next: Slot,
    /// The places of copies, each with the bits of its last event.
    places: Vec<(SourceLine, Slot)>,
}

/// Returns whether an instruction is looked at here.
pub(super) fn is_async(kind: &InstKind) -> bool {
    matches!(kind, InstKind::AsyncCopy { .. } | InstKind::AsyncWait(_))
}

/// The places in the source of all async copies: file, line and column.
pub(super) fn places(f: &Function) -> FxHashSet<(u16, u32, u32)> {
    let insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    let copies = insts.filter(|inst| matches!(f.insts[**inst].kind, InstKind::AsyncCopy { .. }));
    copies.map(|inst| place_of(f.insts[*inst].line)).collect()
}

/// A place in the source.
pub(super) fn place_of(line: SourceLine) -> (u16, u32, u32) {
    (line.file, line.line, line.column())
}

fn slot_place(rw: &mut Rewriter<'_>, slot: Slot) -> Place {
    Place::Pointer(rw.inst(InstKind::RootAddr(Root::Slot(slot)), Type::Ptr(Space::Private)))
}

impl AsyncCopies {
    /// Adds the variables, if the kernel has async copies or waits that are looked at.
    pub fn new(f: &mut Function, checks: Checks) -> Option<Self> {
        let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        if !checks.contains(Checks::BARRIERS) || !insts.any(|inst| is_async(&f.insts[*inst].kind)) {
            return None;
        }
        let mut slot = || f.slots.push(SlotData { name: None, size: 4, align: 4 });
        Some(AsyncCopies { pending: slot(), next: slot(), places: Vec::new() })
    }

    /// Sets the variables at the start of the kernel.
    pub fn begin(&self, rw: &mut Rewriter<'_>) {
        for (slot, first) in [(self.pending, 0), (self.next, 1)] {
            let (at, first) = (slot_place(rw, slot), rw.iconst(Type::I32, first));
            rw.store(at, first, WORD);
        }
    }

    /// Replaces a copy or a wait. Gives the event.
    pub fn guard(
        &mut self,
        rw: &mut Rewriter<'_>,
        point: &mut Site,
        inst: Inst,
        (barriers, objects): (Option<Barriers>, &Objects<'_>),
        reporter: &mut Reporter<'_>,
    ) -> Option<Value> {
        let line = rw.f.insts[inst].line;
        match rw.f.insts[inst].kind.clone() {
            InstKind::AsyncCopy { args } => {
                let [dst, src, count, stride, event] = args.as_slice().try_into().ok()?;
                let mut hash = rw.iconst(Type::I64, 1);
                for pointer in [dst, src] {
                    let fat = objects.fat(rw, pointer, reporter);
                    let number = rw.convert(ConvertOp::ZExt, fat.number, Type::I64);
                    hash = mix(rw, hash, fat.offset);
                    hash = mix(rw, hash, number);
                }
                for number in [count, stride] {
                    let number = rw.int_cast(number, Type::I64, false);
                    hash = mix(rw, hash, number);
                }
                let high = rw.binary_const(BinaryOp::LShr, hash, 32);
                let hash = rw.convert(ConvertOp::Trunc, high, Type::I32);
                if let Some(barriers) = barriers {
                    let fault = Fault::AsyncCopy;
                    barriers.compare(rw, point, (hash, fault, line), reporter);
                }
                Some(self.event(rw, event, line))
            }
            InstKind::AsyncWait(bits) => {
                if rw.f.const_bits(bits) != Some(0xffff_ffff) {
                    if let Some(barriers) = barriers {
                        barriers.compare(rw, point, (bits, Fault::AsyncEvents, line), reporter);
                    }
                    let one = rw.binary_const(BinaryOp::And, bits, 1);
                    let zero = rw.iconst(Type::I32, 0);
                    let none = rw.icmp(IntCC::Ne, one, zero);
                    tell(rw, (none, Fault::NoEvent, line), reporter);
                }
                let not = rw.inst(InstKind::Unary(UnaryOp::Not, bits), Type::I32);
                let at = slot_place(rw, self.pending);
                let before = rw.load(at, Type::I32, WORD);
                let after = rw.binary(BinaryOp::And, before, not);
                let at = slot_place(rw, self.pending);
                rw.store(at, after, WORD);
                None
            }
            _ => None,
        }
    }

    /// The event of a copy, which gets the next number unless it is to have an event that there is.
    fn event(&mut self, rw: &mut Rewriter<'_>, event: Value, line: SourceLine) -> Value {
        let zero = rw.iconst(Type::I32, 0);
        let new = rw.icmp(IntCC::Eq, event, zero);
        let at = slot_place(rw, self.next);
        let next = rw.load(at, Type::I32, WORD);
        let event = rw.inst(InstKind::Select(new, next, event), Type::I32);
        let last = rw.iconst(Type::I32, EVENTS);
        let more = rw.icmp(IntCC::Ult, next, last);
        let one = rw.iconst(Type::I32, 1);
        let after = rw.add(next, one);
        let after = rw.inst(InstKind::Select(more, after, one), Type::I32);
        let after = rw.inst(InstKind::Select(new, after, next), Type::I32);
        let at = slot_place(rw, self.next);
        rw.store(at, after, WORD);
        let bit = rw.binary_const(BinaryOp::And, event, 31);
        let bit = rw.binary(BinaryOp::Shl, one, bit);
        let at = slot_place(rw, self.pending);
        let before = rw.load(at, Type::I32, WORD);
        let after = rw.binary(BinaryOp::Or, before, bit);
        let at = slot_place(rw, self.pending);
        rw.store(at, after, WORD);
        let known = self.places.iter().find(|(place, _)| place_of(*place) == place_of(line));
        let slot = match known {
            Some((_, slot)) => *slot,
            None => {
                let slot = rw.f.slots.push(SlotData { name: None, size: 4, align: 4 });
                self.places.push((line, slot));
                slot
            }
        };
        let at = slot_place(rw, slot);
        rw.store(at, bit, WORD);
        event
    }

    /// Adds to all ends of the kernel that copies are reported for which nobody waited.
    pub fn end(self, f: &mut Function, reporter: &mut Reporter<'_>) {
        let entry = f.entry();
        for block in f.layout.clone() {
            if !matches!(f.blocks[block].term, crate::ir::Terminator::Return(_)) {
                continue;
            }
            let mut rw = Rewriter::new(f);
            let at = slot_place(&mut rw, self.pending);
            let pending = rw.load(at, Type::I32, WORD);
            for (line, slot) in &self.places {
                let at = slot_place(&mut rw, *slot);
                let bit = rw.load(at, Type::I32, WORD);
                let bit = rw.binary(BinaryOp::And, pending, bit);
                let zero = rw.iconst(Type::I32, 0);
                let left = rw.icmp(IntCC::Ne, bit, zero);
                tell(&mut rw, (left, Fault::NeverAwaited, *line), reporter);
            }
            let insts = rw.take();
            f.blocks[block].insts.extend(insts);
        }
        let mut rw = Rewriter::new(f);
        for (_, slot) in &self.places {
            let (at, zero) = (slot_place(&mut rw, *slot), rw.iconst(Type::I32, 0));
            rw.store(at, zero, WORD);
        }
        let mut insts = rw.take();
        insts.append(&mut f.blocks[entry].insts);
        f.blocks[entry].insts = insts;
    }
}

/// Mixes a number into a hash.
fn mix(rw: &mut Rewriter<'_>, hash: Value, number: Value) -> Value {
    let sum = rw.inst(InstKind::Binary(BinaryOp::Xor, hash, number), Type::I64);
    let factor = rw.iconst(Type::I64, 0x9e37_79b9_7f4a_7c15);
    rw.inst(InstKind::Binary(BinaryOp::IMul, sum, factor), Type::I64)
}

/// Reports a fault without numbers where a condition is true.
fn tell(
    rw: &mut Rewriter<'_>,
    (condition, fault, line): (Value, Fault, SourceLine),
    reporter: &mut Reporter<'_>,
) {
    let what = SiteFault { fault, access: Access::None, size: 0 };
    reporter.report_where(rw, condition, (what, line));
}

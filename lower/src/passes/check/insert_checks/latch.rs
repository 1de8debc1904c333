//! The latch: what a work-item keeps of its faults until it ends.
//!
//! A check that fails changes three private variables. The code that writes to the launch's entries is there once, where the kernel ends:
//!
//! ```text
//! if (in bounds) x = p[i];
//! else { faults |= 1 << site; if (none yet, or an odd work-item) { site, value = of this fault; } x = 0; }
//! …
//! for (each bit of faults) entry[bit].count += 1;
//! if (first to describe entry[site]) entry[site] = value, id;
//! ```
//!
//! Even work-items describe their first fault and odd ones their last, so that launches with several faults describe more of them.
//!
//! A call, or code that writes for each check, makes kernels several times as long: drivers copy functions to their calls, and processors
//! execute both sides of branches.

use super::report::ReportValues;
use crate::check::{CLAIMED, SITE_WORDS};
use crate::ir::{
    AtomicOp, BinaryOp, Block, BranchTarget, ConvertOp, Function, Inst, InstKind, IntCC, MemFlags, Place,
    Root, Scope, Semantics, Slot, SlotData, Space, Terminator, Type, UnaryOp, Value, WorkItem,
};
use crate::printf::HEADER_WORDS;
use crate::transform::rewriter::{Rewriter, Site as Point};
use smallvec::SmallVec;

/// The largest number of words of bits. Sites without a bit are known by their descriptions alone.
const MAX_WORDS: usize = 8;
/// The bits of the site in the description; the object's number is above.
const SITE_BITS: u32 = 16;

const WORD: MemFlags = MemFlags { align: 4, volatile: false };
const WIDE: MemFlags = MemFlags { align: 8, volatile: false };
const GLOBAL: Type = Type::Ptr(Space::Global);

/// The variables of a latch.
#[derive(Default)]
pub(super) struct Latch {
    /// The site that is described, plus 1, and the object.
    described: Option<Slot>,
    value: Option<Slot>,
    limit: Option<Slot>,
    /// A bit for each site.
    faults: Vec<Slot>,
    /// Whether the work-item describes its last fault: a bool, and the code for it at the start of the kernel.
    odd: Option<(Value, Vec<Inst>)>,
}

fn slot(rw: &mut Rewriter<'_>, of: Option<Slot>, size: u64) -> Slot {
    of.unwrap_or_else(|| rw.f.slots.push(SlotData { name: None, size, align: size as u32 }))
}

fn place(rw: &mut Rewriter<'_>, slot: Slot) -> Place {
    Place::Pointer(rw.inst(InstKind::RootAddr(Root::Slot(slot)), Type::Ptr(Space::Private)))
}

/// The description of a fault.
pub(super) struct Description {
    pub object: Value,
    pub value: Value,
    /// The second number, if it is not known.
    pub limit: Option<Value>,
}

impl Latch {
    /// Returns whether no check uses it.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Sets the bit of a site, where the condition is true if there is one.
    pub fn mark(&mut self, rw: &mut Rewriter<'_>, site: u32, condition: Option<Value>) {
        let word = (site as usize / 32).min(MAX_WORDS);
        while self.faults.len() <= word.min(MAX_WORDS - 1) {
            let new = slot(rw, None, 4);
            self.faults.push(new);
        }
        if word == MAX_WORDS {
            return;
        }
        let at = place(rw, self.faults[word]);
        let before = rw.load(at, Type::I32, WORD);
        let mut bit = rw.iconst(Type::I32, 1 << (site % 32));
        if let Some(condition) = condition {
            let none = rw.iconst(Type::I32, 0);
            bit = rw.inst(InstKind::Select(condition, bit, none), Type::I32);
        }
        let after = rw.binary(BinaryOp::Or, before, bit);
        rw.store(at, after, WORD);
    }

    /// Describes a fault, unless another one is to be described.
    pub fn describe(&mut self, rw: &mut Rewriter<'_>, site: u32, description: &Description) {
        let odd = self.odd(rw);
        let described = slot(rw, self.described, 4);
        self.described = Some(described);
        let number = match rw.f.const_bits(description.object) {
            Some(object) => rw.iconst(Type::I32, u64::from(site + 1) | object << SITE_BITS),
            None => {
                let high = rw.binary_const(BinaryOp::Shl, description.object, SITE_BITS.into());
                rw.binary_const(BinaryOp::Or, high, u64::from(site + 1))
            }
        };
        let at = place(rw, described);
        let before = rw.load(at, Type::I32, WORD);
        let zero = rw.iconst(Type::I32, 0);
        let none = rw.icmp(IntCC::Eq, before, zero);
        let takes = rw.binary(BinaryOp::Or, none, odd);
        let number = rw.inst(InstKind::Select(takes, number, before), Type::I32);
        rw.store(at, number, WORD);
        let value = slot(rw, self.value, 8);
        self.value = Some(value);
        keep(rw, value, takes, description.value);
        if let Some(limit) = description.limit {
            let slot = slot(rw, self.limit, 8);
            self.limit = Some(slot);
            keep(rw, slot, takes, limit);
        }
    }

    /// Whether the work-item describes its last fault.
    fn odd(&mut self, rw: &mut Rewriter<'_>) -> Value {
        if let Some((odd, _)) = &self.odd {
            return *odd;
        }
        let mut code = Vec::new();
        let odd = rw.elsewhere(&mut code, |rw| {
            let id = rw.inst(InstKind::WorkItem(WorkItem::GlobalId, 0), Type::I32);
            let bit = rw.binary_const(BinaryOp::And, id, 1);
            let zero = rw.iconst(Type::I32, 0);
            rw.icmp(IntCC::Ne, bit, zero)
        });
        self.odd = Some((odd, code));
        odd
    }

    /// Adds the code at the start and at the end of the kernel, which has so many sites.
    pub fn finish(mut self, f: &mut Function, sites: u32) {
        if self.is_empty() {
            return;
        }
        let entry = f.entry();
        let returns: Vec<Block> = f
            .layout
            .iter()
            .copied()
            .filter(|block| matches!(f.blocks[*block].term, Terminator::Return(_)))
            .collect();
        let mut rw = Rewriter::new(f);
        let mut start = self.odd.take().map(|odd| odd.1).unwrap_or_default();
        rw.elsewhere(&mut start, |rw| {
            let slots = self.faults.iter().chain(&self.described).map(|slot| (*slot, Type::I32, WORD));
            let wides = self.value.iter().chain(&self.limit).map(|slot| (*slot, Type::I64, WIDE));
            for (slot, ty, flags) in slots.chain(wides) {
                let (at, zero) = (place(rw, slot), rw.iconst(ty, 0));
                rw.store(at, zero, flags);
            }
        });
        start.append(&mut rw.f.blocks[entry].insts);
        rw.f.blocks[entry].insts = start;
        let end = rw.f.new_detached_block();
        for block in returns {
            rw.f.blocks[block].term = Terminator::Branch(BranchTarget { block: end, args: SmallVec::new() });
        }
        rw.f.blocks[end].term = Terminator::Return(SmallVec::new());
        let mut point = Point { at: end, done: Vec::new() };
        self.write(&mut rw, &mut point, sites);
        point.finish(&mut rw);
        f.layout.append(&mut point.done);
    }

    /// Writes what is known to the entries.
    fn write(&self, rw: &mut Rewriter<'_>, point: &mut Point, sites: u32) {
        let load = |rw: &mut Rewriter<'_>, slot: Slot| {
            let at = place(rw, slot);
            rw.load(at, Type::I32, WORD)
        };
        let words: Vec<Value> = self.faults.iter().map(|slot| load(rw, *slot)).collect();
        let described = self.described.map(|slot| load(rw, slot));
        let zero = rw.iconst(Type::I32, 0);
        let mut any = described.unwrap_or(zero);
        for word in &words {
            any = rw.binary(BinaryOp::Or, any, *word);
        }
        let faulty = rw.icmp(IntCC::Ne, any, zero);
        let mut fork = point.fork(rw, faulty, &[]);
        let id = rw.inst(InstKind::WorkItem(WorkItem::GlobalLinearId, 0), Type::I32);
        for (n, word) in words.into_iter().enumerate() {
            count(rw, point, (n, word), sites, id);
        }
        if let Some(described) = described {
            self.write_description(rw, point, described, id);
        }
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }

    /// Writes the description, if its site has none yet.
    fn write_description(&self, rw: &mut Rewriter<'_>, point: &mut Point, described: Value, id: Value) {
        let zero = rw.iconst(Type::I32, 0);
        let any = rw.icmp(IntCC::Ne, described, zero);
        let mut outer = point.fork(rw, any, &[]);
        let site = rw.binary_const(BinaryOp::And, described, (1 << SITE_BITS) - 1);
        let object = rw.binary_const(BinaryOp::LShr, described, SITE_BITS.into());
        let claim = rw.binary_const(BinaryOp::Or, object, CLAIMED.into());
        let one = rw.iconst(Type::I32, 1);
        let site = rw.inst(InstKind::Binary(BinaryOp::ISub, site, one), Type::I32);
        let entry = entry(rw, site);
        let at = word_of(rw, entry, 6);
        let before = atomic(rw, AtomicOp::Or, at, claim);
        let first = rw.icmp(IntCC::Eq, before, zero);
        let mut fork = point.fork(rw, first, &[]);
        let at = word_of(rw, entry, 7);
        rw.store(Place::Pointer(at), id, WORD);
        for (slot, at) in [(self.value, 2), (self.limit, 4)] {
            let Some(slot) = slot else { continue };
            let from = place(rw, slot);
            let wide = rw.load(from, Type::I64, WIDE);
            store_wide(rw, entry, wide, at);
        }
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
        outer.otherwise(point, rw, &[]);
        outer.join(point, rw, &[]);
    }
}

/// Counts and describes a fault now. The code goes to the current block, and ends in another.
pub(super) fn write_now(rw: &mut Rewriter<'_>, point: &mut Point, site: u32, values: ReportValues) {
    let site = rw.iconst(Type::I32, site.into());
    let entry = entry(rw, site);
    let one = rw.iconst(Type::I32, 1);
    atomic(rw, AtomicOp::IAdd, entry, one);
    let at = word_of(rw, entry, 6);
    let claim = rw.binary_const(BinaryOp::Or, values.object, CLAIMED.into());
    let before = atomic(rw, AtomicOp::Or, at, claim);
    let zero = rw.iconst(Type::I32, 0);
    let first = rw.icmp(IntCC::Eq, before, zero);
    let mut fork = point.fork(rw, first, &[]);
    let id = rw.inst(InstKind::WorkItem(WorkItem::GlobalLinearId, 0), Type::I32);
    let at = word_of(rw, entry, 7);
    rw.store(Place::Pointer(at), id, WORD);
    for (wide, at) in [(values.value, 2), (values.limit, 4)] {
        store_wide(rw, entry, wide, at);
    }
    fork.otherwise(point, rw, &[]);
    fork.join(point, rw, &[]);
}

/// Stores a number in two words of an entry.
fn store_wide(rw: &mut Rewriter<'_>, entry: Value, wide: Value, at: i64) {
    for (at, shift) in [(at, 0), (at + 1, 32)] {
        let word = rw.binary_const(BinaryOp::LShr, wide, shift);
        let word = rw.convert(ConvertOp::Trunc, word, Type::I32);
        let at = word_of(rw, entry, at);
        rw.store(Place::Pointer(at), word, WORD);
    }
}

/// Keeps a number of a fault that is to be described.
fn keep(rw: &mut Rewriter<'_>, slot: Slot, takes: Value, new: Value) {
    let at = place(rw, slot);
    let before = rw.load(at, Type::I64, WIDE);
    let after = rw.inst(InstKind::Select(takes, new, before), Type::I64);
    rw.store(at, after, WIDE);
}

/// Counts the faults of some sites: while (word) { entry[lowest bit].count += 1; word &= word - 1; }. The loop also counts its iterations, so that
/// their greatest number is known.
fn count(rw: &mut Rewriter<'_>, point: &mut Point, (n, word): (usize, Value), sites: u32, id: Value) {
    let (before, tail) = point.split(rw);
    let blocks = [(); 3].map(|()| rw.f.new_detached_block());
    let [header, test, body] = blocks;
    let (left, turn) = (rw.f.add_param(header, Type::I32), rw.f.add_param(header, Type::I32));
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
    let (zero, one) = (rw.iconst(Type::I32, 0), rw.iconst(Type::I32, 1));
    rw.f.blocks[before].term = Terminator::Branch(to(header, &[word, zero]));
    point.at = header;
    let most = rw.iconst(Type::I32, u64::from(sites.saturating_sub(32 * n as u32).clamp(1, 32)));
    let more = rw.icmp(IntCC::Ult, turn, most);
    rw.f.blocks[header].term = Terminator::CondBranch { cond: more, then: to(test, &[]), els: to(tail, &[]) };
    point.finish(rw);
    point.at = test;
    let any = rw.icmp(IntCC::Ne, left, zero);
    rw.f.blocks[test].term = Terminator::CondBranch { cond: any, then: to(body, &[]), els: to(tail, &[]) };
    point.finish(rw);
    point.at = body;
    let less = rw.inst(InstKind::Binary(BinaryOp::ISub, left, one), Type::I32);
    let not = rw.inst(InstKind::Unary(UnaryOp::Not, left), Type::I32);
    let below = rw.binary(BinaryOp::And, not, less);
    let bit = rw.inst(InstKind::Unary(UnaryOp::BitCount, below), Type::I32);
    let site = rw.binary_const(BinaryOp::IAdd, bit, 32 * n as u64);
    let entry = entry(rw, site);
    let at = word_of(rw, entry, 0);
    atomic(rw, AtomicOp::IAdd, at, one);
    let at = word_of(rw, entry, 1);
    rw.store(Place::Pointer(at), id, WORD);
    let next = rw.binary(BinaryOp::And, left, less);
    let turn = rw.add(turn, one);
    rw.f.blocks[body].term = Terminator::Branch(to(header, &[next, turn]));
    point.finish(rw);
    point.at = tail;
}

/// The entry of a site.
fn entry(rw: &mut Rewriter<'_>, site: Value) -> Value {
    let base = rw.inst(InstKind::RootAddr(Root::Printf), GLOBAL);
    let index = rw.convert(ConvertOp::ZExt, site, Type::I64);
    let entry = rw.inst(InstKind::PtrAdd { base, index, scale: 4 * SITE_WORDS as u64 }, GLOBAL);
    rw.inst(InstKind::PtrOffset { base: entry, bytes: 4 * HEADER_WORDS as i64 }, GLOBAL)
}

fn word_of(rw: &mut Rewriter<'_>, entry: Value, word: i64) -> Value {
    match word {
        0 => entry,
        _ => rw.inst(InstKind::PtrOffset { base: entry, bytes: 4 * word }, GLOBAL),
    }
}

fn atomic(rw: &mut Rewriter<'_>, op: AtomicOp, at: Value, operand: Value) -> Value {
    let (scope, semantics, operands) = (Scope::Device, Semantics::empty(), [operand][..].into());
    rw.inst(InstKind::Atomic { op, place: Place::Pointer(at), operands, scope, semantics }, Type::I32)
}

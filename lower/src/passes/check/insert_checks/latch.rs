//! The latch: what a work-item keeps of its faults until it ends.
//!
//! A check that fails changes three private variables. The code that writes to the launch's entries is there once, where the kernel ends:
//!
//! ```text
//! if (in bounds) x = p[i];
//! else { faults |= 1 << site; if (none yet, or an odd work-item) { site, value = of this fault; } x = 0; }
//! …
//! for (each bit of faults) entry[bit].count += 1;        (no loop where sites are few)
//! if (first to describe entry[site]) entry[site] = value, id;
//! ```
//!
//! Even work-items describe their first fault and odd ones their last, so that launches with several faults describe more of them.
//!
//! Loops that may never end describe the fault now and then, too ([`super::endless`]).
//!
//! The variables become values when all checks are there: sites that specialization constants leave out have no code then.
//!
//! A call, or code that writes for each check, makes kernels several times as long: drivers copy functions to their calls, and processors
//! execute both sides of branches.

use super::report::ReportValues;
use crate::check::{CLAIMED, ENTRIES_AT, SITE_WORDS};
use crate::ir::{
    AtomicOp, BinaryOp, Block, BranchTarget, ConvertOp, Function, Inst, InstKind, IntCC, MemFlags, Place,
    Root, Scalar, Scope, Semantics, Slot, SlotData, Space, Terminator, Type, UnaryOp, Value, WorkItem,
};
use crate::transform::rewriter::{Rewriter, Site as Point};
use smallvec::SmallVec;

/// The largest number of words of bits. Sites without a bit are known by their descriptions alone.
const MAX_WORDS: usize = 8;
/// The largest number of sites that are counted without a loop. A loop takes drivers longer to compile.
const MAX_IN_ROW: u32 = 6;
/// The bits of the site in the description; the object's number is above.
const SITE_BITS: u32 = 16;

pub(super) const WORD: MemFlags = MemFlags { align: 4, volatile: false };
const WIDE: MemFlags = MemFlags { align: 8, volatile: false };
const GLOBAL: Type = Type::Ptr(Space::Global);

/// The variables of a latch.
#[derive(Default)]
pub(super) struct Latch {
    /// The site that is described, plus 1, and the object.
    pub(super) described: Option<Slot>,
    value: Option<Slot>,
    limit: Option<Slot>,
    /// A bit for each site.
    faults: Vec<Slot>,
    /// Whether the work-item describes its last fault: a bool, and the code for it at the start of the kernel.
    odd: Option<(Value, Vec<Inst>)>,
}

pub(super) fn slot(rw: &mut Rewriter<'_>, of: Option<Slot>, size: u64) -> Slot {
    of.unwrap_or_else(|| rw.f.slots.push(SlotData { name: None, size, align: size as u32 }))
}

pub(super) fn place(rw: &mut Rewriter<'_>, slot: Slot) -> Place {
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

    /// Describes a fault where the condition is true if there is one, unless another fault is to be described.
    pub fn describe(
        &mut self,
        rw: &mut Rewriter<'_>,
        (site, condition): (u32, Option<Value>),
        description: &Description,
    ) {
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
        let mut takes = rw.binary(BinaryOp::Or, none, odd);
        if let Some(condition) = condition {
            takes = rw.binary(BinaryOp::And, takes, condition);
        }
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

    /// Adds the code at the start and at the end of the kernel. Its sites are so many, and have entries from `first` on.
    pub fn finish(mut self, f: &mut Function, (first, sites): (u32, u32)) {
        if self.is_empty() {
            return;
        }
        let dims = used_dimensions(f);
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
        self.write(&mut rw, &mut point, (first, sites), dims);
        point.finish(&mut rw);
        f.layout.append(&mut point.done);
    }

    /// Writes what is known to the entries.
    fn write(&self, rw: &mut Rewriter<'_>, point: &mut Point, (first, sites): (u32, u32), dims: [bool; 3]) {
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
        let id = linear_id(rw, dims);
        match words.as_slice() {
            [word] if sites <= MAX_IN_ROW => count_in_row(rw, point, (*word, first, sites), id),
            _ => count(rw, point, (&words, first, sites), id),
        }
        if let Some(described) = described {
            self.write_description(rw, point, (described, first), id);
        }
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }

    /// Writes the description, if its site has none yet.
    pub(super) fn write_description(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (described, first): (Value, u32),
        id: Value,
    ) {
        let zero = rw.iconst(Type::I32, 0);
        let any = rw.icmp(IntCC::Ne, described, zero);
        let mut outer = point.fork(rw, any, &[]);
        let site = rw.binary_const(BinaryOp::And, described, (1 << SITE_BITS) - 1);
        let object = rw.binary_const(BinaryOp::LShr, described, SITE_BITS.into());
        let claim = rw.binary_const(BinaryOp::Or, object, CLAIMED.into());
        // The number is that of the site in this latch, plus 1.
        let site = rw.binary_const(BinaryOp::IAdd, site, u64::from(first.wrapping_sub(1)) & 0xffff_ffff);
        let entry = entry(rw, site);
        let at = word_of(rw, entry, 2);
        let before = atomic(rw, AtomicOp::Or, at, claim);
        let new = rw.icmp(IntCC::Eq, before, zero);
        let mut fork = point.fork(rw, new, &[]);
        let at = word_of(rw, entry, 3);
        rw.store(Place::Pointer(at), id, WORD);
        let mut number = |slot: Option<Slot>| match slot {
            Some(slot) => {
                let from = place(rw, slot);
                rw.load(from, Type::I64, WIDE)
            }
            None => rw.iconst(Type::I64, 0),
        };
        let numbers = [number(self.value), number(self.limit)];
        store_numbers(rw, entry, numbers);
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
    let at = word_of(rw, entry, 2);
    let claim = rw.binary_const(BinaryOp::Or, values.object, CLAIMED.into());
    let before = atomic(rw, AtomicOp::Or, at, claim);
    let zero = rw.iconst(Type::I32, 0);
    let new = rw.icmp(IntCC::Eq, before, zero);
    let mut fork = point.fork(rw, new, &[]);
    let id = rw.inst(InstKind::WorkItem(WorkItem::GlobalLinearId, 0), Type::I32);
    let at = word_of(rw, entry, 3);
    rw.store(Place::Pointer(at), id, WORD);
    store_numbers(rw, entry, [values.value, values.limit]);
    fork.otherwise(point, rw, &[]);
    fork.join(point, rw, &[]);
}

/// Stores the value and the second number of an entry, by one store.
fn store_numbers(rw: &mut Rewriter<'_>, entry: Value, numbers: [Value; 2]) {
    let mut words = Vec::new();
    for wide in numbers {
        words.push(rw.convert(ConvertOp::Trunc, wide, Type::I32));
        let high = rw.binary_const(BinaryOp::LShr, wide, 32);
        words.push(rw.convert(ConvertOp::Trunc, high, Type::I32));
    }
    let four = rw.construct(&words, Type::new(Scalar::I32, 4));
    let at = word_of(rw, entry, 4);
    rw.store(Place::Pointer(at), four, MemFlags { align: 16, volatile: false });
}

/// Keeps a number of a fault that is to be described.
fn keep(rw: &mut Rewriter<'_>, slot: Slot, takes: Value, new: Value) {
    let at = place(rw, slot);
    let before = rw.load(at, Type::I64, WIDE);
    let after = rw.inst(InstKind::Select(takes, new, before), Type::I64);
    rw.store(at, after, WIDE);
}

/// The dimensions of the index space on which a kernel depends. In others it does the same everywhere.
pub(super) fn used_dimensions(f: &Function) -> [bool; 3] {
    let mut dims = [true, false, false];
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        match f.insts[*inst].kind {
            InstKind::WorkItem(WorkItem::GlobalLinearId | WorkItem::LocalLinearId, _)
            | InstKind::Call { .. } => {
                return [true; 3];
            }
            InstKind::WorkItem(WorkItem::GlobalId | WorkItem::LocalId | WorkItem::GroupId, dim) => {
                if let Some(used) = dims.get_mut(usize::from(dim)) {
                    *used = true;
                }
            }
            _ => {}
        }
    }
    dims
}

/// The linear global id of the work-item, of those that are 0 in the dimensions that the kernel does not use.
pub(super) fn linear_id(rw: &mut Rewriter<'_>, dims: [bool; 3]) -> Value {
    if dims[1] && dims[2] {
        return rw.inst(InstKind::WorkItem(WorkItem::GlobalLinearId, 0), Type::I32);
    }
    let part = |rw: &mut Rewriter<'_>, dim: u8| {
        let id = rw.inst(InstKind::WorkItem(WorkItem::GlobalId, dim), Type::I32);
        let offset = rw.inst(InstKind::WorkItem(WorkItem::GlobalOffset, dim), Type::I32);
        rw.inst(InstKind::Binary(BinaryOp::ISub, id, offset), Type::I32)
    };
    let mut linear = part(rw, 0);
    for dim in 1..3 {
        if dims[usize::from(dim)] {
            let mut id = part(rw, dim);
            for below in 0..dim {
                let size = rw.inst(InstKind::WorkItem(WorkItem::GlobalSize, below), Type::I32);
                id = rw.binary(BinaryOp::IMul, id, size);
            }
            linear = rw.add(linear, id);
        }
    }
    linear
}

/// Counts the faults of few sites, one after the other: if (word & 1 << site) entry[site].count += 1.
fn count_in_row(
    rw: &mut Rewriter<'_>,
    point: &mut Point,
    (word, first, sites): (Value, u32, u32),
    id: Value,
) {
    let zero = rw.iconst(Type::I32, 0);
    for site in 0..sites {
        let bit = rw.binary_const(BinaryOp::And, word, 1 << site);
        let faulty = rw.icmp(IntCC::Ne, bit, zero);
        let mut fork = point.fork(rw, faulty, &[]);
        let site = rw.iconst(Type::I32, (first + site).into());
        count_one(rw, site, id);
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }
}

/// Counts a fault of the work-item with an id at a site.
fn count_one(rw: &mut Rewriter<'_>, site: Value, id: Value) {
    let entry = entry(rw, site);
    let one = rw.iconst(Type::I32, 1);
    atomic(rw, AtomicOp::IAdd, entry, one);
    let at = word_of(rw, entry, 1);
    rw.store(Place::Pointer(at), id, WORD);
}

/// Counts the faults of all sites in one loop: while (any word is not 0) { entry[lowest bit].count += 1; clear it }. The loop also counts its
/// iterations, so that their greatest number is known.
fn count(rw: &mut Rewriter<'_>, point: &mut Point, (words, first, sites): (&[Value], u32, u32), id: Value) {
    let (before, tail) = point.split(rw);
    let blocks = [(); 3].map(|()| rw.f.new_detached_block());
    let [header, test, body] = blocks;
    let left: Vec<Value> = words.iter().map(|_| rw.f.add_param(header, Type::I32)).collect();
    let iteration = rw.f.add_param(header, Type::I32);
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };
    let (zero, one) = (rw.iconst(Type::I32, 0), rw.iconst(Type::I32, 1));
    let begin: Vec<Value> = words.iter().copied().chain([zero]).collect();
    rw.f.blocks[before].term = Terminator::Branch(to(header, &begin));
    point.at = header;
    let most = rw.iconst(Type::I32, u64::from(sites.clamp(1, 32 * words.len() as u32)));
    let more = rw.icmp(IntCC::Ult, iteration, most);
    rw.f.blocks[header].term = Terminator::CondBranch { cond: more, then: to(test, &[]), els: to(tail, &[]) };
    point.finish(rw);
    point.at = test;
    // The first word that has a bit, and the site of its bit 0.
    let (mut word, mut base) = (zero, rw.iconst(Type::I32, first.into()));
    for (n, next) in left.iter().enumerate().rev() {
        let has = rw.icmp(IntCC::Ne, *next, zero);
        word = rw.inst(InstKind::Select(has, *next, word), Type::I32);
        let own = rw.iconst(Type::I32, u64::from(first) + 32 * n as u64);
        base = rw.inst(InstKind::Select(has, own, base), Type::I32);
    }
    let any = rw.icmp(IntCC::Ne, word, zero);
    rw.f.blocks[test].term = Terminator::CondBranch { cond: any, then: to(body, &[]), els: to(tail, &[]) };
    point.finish(rw);
    point.at = body;
    let less = rw.inst(InstKind::Binary(BinaryOp::ISub, word, one), Type::I32);
    let not = rw.inst(InstKind::Unary(UnaryOp::Not, word), Type::I32);
    let below = rw.binary(BinaryOp::And, not, less);
    let bit = rw.inst(InstKind::Unary(UnaryOp::BitCount, below), Type::I32);
    let site = rw.add(bit, base);
    count_one(rw, site, id);
    let mut next = Vec::new();
    // No word before this one has a bit.
    let mut earlier = None;
    for word in &left {
        let less = rw.inst(InstKind::Binary(BinaryOp::ISub, *word, one), Type::I32);
        let cleared = rw.binary(BinaryOp::And, *word, less);
        next.push(match earlier {
            None => cleared,
            Some(earlier) => {
                let none = rw.icmp(IntCC::Eq, earlier, zero);
                rw.inst(InstKind::Select(none, cleared, *word), Type::I32)
            }
        });
        earlier = Some(match earlier {
            None => *word,
            Some(earlier) => rw.binary(BinaryOp::Or, earlier, *word),
        });
    }
    next.push(rw.add(iteration, one));
    rw.f.blocks[body].term = Terminator::Branch(to(header, &next));
    point.finish(rw);
    point.at = tail;
}

/// The entry of a site.
fn entry(rw: &mut Rewriter<'_>, site: Value) -> Value {
    let base = rw.inst(InstKind::RootAddr(Root::Printf), GLOBAL);
    let index = rw.convert(ConvertOp::ZExt, site, Type::I64);
    let entry = rw.inst(InstKind::PtrAdd { base, index, scale: 4 * SITE_WORDS as u64 }, GLOBAL);
    rw.inst(InstKind::PtrOffset { base: entry, bytes: 4 * ENTRIES_AT as i64 }, GLOBAL)
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

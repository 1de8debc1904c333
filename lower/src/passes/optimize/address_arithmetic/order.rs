//! Access reordering: accesses to neighbouring addresses become adjacent where only accesses to other buffers stand between.
//!
//! ```text
//! a[0] = x; b[0] = y; a[1] = z;    →    b[0] = y; a[0] = x; a[1] = z;
//! ```
//!
//! Mesa merges such accesses into wider ones. It assumes that two addresses alias unless one is the other and a constant: a store to one buffer
//! keeps two accesses to another separate. The order within one work-item cannot be observed where the arguments of a launch do not alias, or
//! where a store does not reach the addresses between.
//!
//! Stores wait for the last of their sixteen bytes, and loads move up to the first. Drivers merge no more than that, and no more registers are
//! live than the merged access needs.

use super::Planned;
use crate::analysis::alias::Area;
use crate::analysis::linear::Term;
use crate::ir::{Block, Function, Inst, InstKind, Place, Root, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// Limit on the instructions that an access moves over.
const MAX_DISTANCE: usize = 256;
/// The widest merged access of a driver, in bytes.
const WIDEST_ACCESS: i32 = 16;

/// A load or store whose address and size are known.
struct Plain {
    base: Value,
    /// The buffer, as in [`super::Sum`].
    buffer: u32,
    terms: SmallVec<[Term; 4]>,
    constant: i32,
    bytes: u32,
    stores: bool,
}

/// The key of accesses that may be merged: the start, the added terms, the sixteen bytes, and whether they store.
type Group<'a> = (Value, &'a [Term], i32, bool);

/// The relation of an instruction to an access that would move over it.
#[derive(PartialEq)]
enum Relation {
    /// It does not matter.
    Free,
    /// The access may move, and the instruction keeps the driver from merging accesses around it.
    Separates,
    /// The access must not move over it.
    Blocks,
}

/// Returns a better order of a block's instructions, if there is one. Loads that moved compute their addresses from the terms of the first
/// one. `noalias`: buffers share no memory. Records the start of the sixteen bytes of accesses to `written` buffers. Where addresses are
/// `slow`, drivers compare addresses within these alone.
pub(super) fn order(
    f: &Function,
    block: Block,
    accesses: &mut [(Inst, Planned)],
    written: &FxHashSet<Value>,
    (slow, noalias): (bool, bool),
) -> Option<Vec<Inst>> {
    let index: FxHashMap<Inst, usize> = accesses.iter().enumerate().map(|(n, a)| (a.0, n)).collect();
    let plain: Vec<Option<Plain>> =
        accesses.iter().map(|(inst, planned)| Plain::new(f, *inst, planned)).collect();
    let mut groups: FxHashMap<Group<'_>, SmallVec<[usize; 4]>> = FxHashMap::default();
    for (n, known) in plain.iter().enumerate() {
        if let Some(known) = known {
            groups.entry((known.base, &known.terms, known.chunk(), known.stores)).or_default().push(n);
        }
    }
    for ((base, ..), members) in &groups {
        let first = members.iter().filter_map(|n| plain[*n].as_ref()).map(|known| known.constant).min();
        for n in members.iter().filter(|_| written.contains(base)) {
            accesses[*n].1.chunk = first.map(i32::cast_unsigned);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|g| g.1.len() > 1).map(|g| (g.0.3, g.1)).collect();
    groups.sort_unstable_by_key(|g| g.1[0]);
    let mut insts = f.blocks[block].insts.to_vec();
    let mut changed = false;
    let between = |insts: &[Inst], moved: usize| {
        let Some(moved) = &plain[moved] else { return false };
        let mut parts = false;
        for inst in insts {
            let known = index.get(inst).and_then(|n| plain[*n].as_ref());
            match moved.relation_to(f, *inst, known, (slow, noalias)) {
                Relation::Free => {}
                Relation::Separates => parts = true,
                Relation::Blocks => return false,
            }
        }
        parts
    };
    for (stores, members) in &groups {
        if *stores {
            for pair in members.windows(2).rev() {
                let Some(span) = span(&insts, accesses[pair[0]].0, accesses[pair[1]].0) else { continue };
                if between(&insts[span.start + 1..span.end], pair[0]) {
                    insts[span].rotate_left(1);
                    changed = true;
                }
            }
            continue;
        }
        for pair in members.windows(2) {
            let Some(span) = span(&insts, accesses[pair[0]].0, accesses[pair[1]].0) else { continue };
            if between(&insts[span.start + 1..span.end], pair[1]) {
                insts[span.start + 1..=span.end].rotate_right(1);
                share_terms(accesses, pair[0], pair[1]);
                changed = true;
            }
        }
    }
    changed.then_some(insts)
}

/// The span from one instruction to another behind it, if they are near.
fn span(insts: &[Inst], from: Inst, to: Inst) -> Option<Range<usize>> {
    let start = insts.iter().position(|inst| *inst == from)?;
    let near = &insts[start..insts.len().min(start + MAX_DISTANCE)];
    Some(start..start + near.iter().position(|inst| *inst == to)?)
}

/// Computes the address of an access from the terms of an earlier one: they differ by a constant.
fn share_terms(accesses: &mut [(Inst, Planned)], first: usize, then: usize) {
    let (terms, constant, of) = {
        let first = &accesses[first].1;
        let less = first.sum.constant.wrapping_sub(first.offset.constant.into());
        (first.sum.terms.clone(), less, first.offset.terms.clone())
    };
    let then = &mut accesses[then].1;
    then.sum.terms = terms;
    then.sum.constant = constant.wrapping_add(then.offset.constant.into());
    then.offset.terms = of;
    then.moved = true;
}

impl Plain {
    fn new(f: &Function, inst: Inst, planned: &Planned) -> Option<Plain> {
        let (ty, flags, stores) = match &f.insts[inst].kind {
            InstKind::Load { flags, .. } => (f.ty(*f.insts[inst].results.first()?), flags, false),
            InstKind::Store { value, flags, .. } => (f.ty(*value), flags, true),
            _ => return None,
        };
        let scalar = ty.scalar().filter(|_| !flags.volatile)?;
        Some(Plain {
            base: planned.sum.base,
            buffer: planned.sum.buffer,
            terms: planned.offset.sorted_terms(),
            constant: planned.offset.constant.cast_signed(),
            bytes: scalar.bytes() * u32::from(ty.lanes()),
            stores,
        })
    }

    /// The index of its sixteen bytes.
    fn chunk(&self) -> i32 {
        self.constant.div_euclid(WIDEST_ACCESS)
    }

    /// The relation of an instruction to this access. `known` is the instruction's own access, if it is one.
    fn relation_to(
        &self,
        f: &Function,
        inst: Inst,
        known: Option<&Plain>,
        (slow, noalias): (bool, bool),
    ) -> Relation {
        let kind = &f.insts[inst].kind;
        let effects = kind.effects(f);
        if !effects.reads && !effects.writes && !effects.convergent {
            return Relation::Free;
        }
        let plain = match kind {
            InstKind::Load { flags, .. } | InstKind::Store { flags, .. } => !flags.volatile,
            _ => false,
        };
        if !plain {
            return Relation::Blocks;
        }
        let place = kind.place();
        let in_block = matches!(place, Some(Place::Element { root: Root::Block, .. }));
        if in_block || matches!(place.as_ref().and_then(Area::from_place), Some(Area::Slot(_) | Area::Local))
        {
            return Relation::Free;
        }
        let stores = matches!(kind, InstKind::Store { .. });
        let parts = if self.stores || stores { Relation::Separates } else { Relation::Free };
        match known {
            _ if !self.stores && !stores => parts,
            Some(other) if other.buffer != self.buffer => {
                if noalias {
                    parts
                } else {
                    Relation::Blocks
                }
            }
            Some(other) if other.base == self.base && other.terms == self.terms => {
                let (a, b) = (i64::from(self.constant), i64::from(other.constant));
                match a < b + i64::from(other.bytes) && b < a + i64::from(self.bytes) {
                    true => Relation::Blocks,
                    false if slow && self.chunk() != other.chunk() => parts,
                    false => Relation::Free,
                }
            }
            _ => Relation::Blocks,
        }
    }
}

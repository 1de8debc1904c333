//! Accesses that lie beside each other in a buffer are put next to each other where only accesses to other buffers stand between.
//!
//! Mesa joins them into wider ones, but takes two addresses for ones of the same memory unless one is the other and a constant: a store to
//! one buffer between two to another keeps these apart. Where the arguments of a launch share no memory, or a store does not reach what
//! is between, the order in which one work-item does them is not to be seen. Stores wait for the last of their sixteen bytes, loads come with the first:
//! drivers join no more, and no more registers are held than they would hold.

use super::{Planned, Term};
use crate::ir::{Block, Function, Inst, InstKind, Place, Root, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// No access is moved over more instructions than this.
const FARTHEST: usize = 256;
/// The widest access of a driver, in bytes.
const WIDEST: i32 = 16;

/// An access of which all is known that matters here.
struct Plain {
    base: Value,
    /// Which buffer it is.
    buffer: u32,
    terms: Vec<Term>,
    constant: i32,
    bytes: u32,
    stores: bool,
}

/// What accesses that may be one have in common: a start, what is added to it, sixteen bytes, and whether they store.
type Group<'a> = (Value, &'a [Term], i32, bool);

/// What an instruction is to an access that would be moved over it.
#[derive(PartialEq)]
enum Between {
    /// Nothing.
    Free,
    /// It keeps the driver from joining what it stands between.
    Parts,
    /// The access must stay on its side.
    Stays,
}

/// The order of a block's instructions, if another one is better: the accesses that moved have their addresses from what is there. `apart`: buffers
/// share no memory. Notes of accesses to buffers that are written where their sixteen bytes begin; where addresses are `slow` drivers compare no others' addresses.
pub(super) fn order(
    f: &Function,
    block: Block,
    accesses: &mut [(Inst, Planned)],
    written: &FxHashSet<Value>,
    (slow, apart): (bool, bool),
) -> Option<Vec<Inst>> {
    let index: FxHashMap<Inst, usize> = accesses.iter().enumerate().map(|(n, a)| (a.0, n)).collect();
    let plain: Vec<Option<Plain>> =
        accesses.iter().map(|(inst, planned)| Plain::of(f, *inst, planned)).collect();
    let mut groups: FxHashMap<Group<'_>, SmallVec<[usize; 4]>> = FxHashMap::default();
    for (n, known) in plain.iter().enumerate() {
        if let Some(known) = known {
            groups.entry((known.base, &known.terms, known.part(), known.stores)).or_default().push(n);
        }
    }
    for ((base, ..), members) in &groups {
        let first = members.iter().filter_map(|n| plain[*n].as_ref()).map(|known| known.constant).min();
        for n in members.iter().filter(|_| written.contains(base)) {
            accesses[*n].1.part = first.map(i32::cast_unsigned);
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
            match moved.passes(f, *inst, known, (slow, apart)) {
                Between::Free => {}
                Between::Parts => parts = true,
                Between::Stays => return false,
            }
        }
        parts
    };
    for (stores, members) in &groups {
        if *stores {
            for pair in members.windows(2).rev() {
                let Some(way) = way(&insts, accesses[pair[0]].0, accesses[pair[1]].0) else { continue };
                if between(&insts[way.start + 1..way.end], pair[0]) {
                    insts[way].rotate_left(1);
                    changed = true;
                }
            }
            continue;
        }
        for pair in members.windows(2) {
            let Some(way) = way(&insts, accesses[pair[0]].0, accesses[pair[1]].0) else { continue };
            if between(&insts[way.start + 1..way.end], pair[1]) {
                insts[way.start + 1..=way.end].rotate_right(1);
                follow(accesses, pair[0], pair[1]);
                changed = true;
            }
        }
    }
    changed.then_some(insts)
}

/// Where one instruction stands and another one behind it, if it is not too far.
fn way(insts: &[Inst], from: Inst, to: Inst) -> Option<Range<usize>> {
    let start = insts.iter().position(|inst| *inst == from)?;
    let near = &insts[start..insts.len().min(start + FARTHEST)];
    Some(start..start + near.iter().position(|inst| *inst == to)?)
}

/// Makes the address of an access of what another one's, before it, is made of: they differ by a constant.
fn follow(accesses: &mut [(Inst, Planned)], first: usize, then: usize) {
    let (terms, constant, of) = {
        let first = &accesses[first].1;
        let less = first.sum.constant.wrapping_sub(first.offset.constant.into());
        (first.sum.terms.clone(), less, first.offset.terms.clone())
    };
    let then = &mut accesses[then].1;
    then.sum.terms = terms;
    then.sum.constant = constant.wrapping_add(then.offset.constant.into());
    then.offset.terms = of;
}

impl Plain {
    fn of(f: &Function, inst: Inst, planned: &Planned) -> Option<Plain> {
        let (ty, flags, stores) = match &f.insts[inst].kind {
            InstKind::Load { flags, .. } => (f.ty(*f.insts[inst].results.first()?), flags, false),
            InstKind::Store { value, flags, .. } => (f.ty(*value), flags, true),
            _ => return None,
        };
        let scalar = ty.scalar().filter(|_| !flags.volatile)?;
        let mut terms = planned.offset.terms.to_vec();
        terms.sort_unstable();
        Some(Plain {
            base: planned.sum.base,
            buffer: planned.sum.buffer,
            terms,
            constant: planned.offset.constant.cast_signed(),
            bytes: scalar.bytes() * u32::from(ty.lanes()),
            stores,
        })
    }

    /// Which sixteen bytes it is in.
    fn part(&self) -> i32 {
        self.constant.div_euclid(WIDEST)
    }

    /// What an instruction is to this access, which is known if it is one, too.
    fn passes(
        &self,
        f: &Function,
        inst: Inst,
        known: Option<&Plain>,
        (slow, apart): (bool, bool),
    ) -> Between {
        let kind = &f.insts[inst].kind;
        let effects = kind.effects(f);
        if !effects.reads && !effects.writes && !effects.convergent {
            return Between::Free;
        }
        let plain = match kind {
            InstKind::Load { flags, .. } | InstKind::Store { flags, .. } => !flags.volatile,
            _ => false,
        };
        if !plain {
            return Between::Stays;
        }
        if let Some(Place::Element { root, .. }) = kind.place()
            && matches!(
                root,
                Root::Block | Root::Slot(_) | Root::Global(_) | Root::LocalArg(_) | Root::LocalArena
            )
        {
            return Between::Free;
        }
        let stores = matches!(kind, InstKind::Store { .. });
        let parts = if self.stores || stores { Between::Parts } else { Between::Free };
        match known {
            _ if !self.stores && !stores => parts,
            Some(other) if other.buffer != self.buffer => {
                if apart {
                    parts
                } else {
                    Between::Stays
                }
            }
            Some(other) if other.base == self.base && other.terms == self.terms => {
                let (a, b) = (i64::from(self.constant), i64::from(other.constant));
                match a < b + i64::from(other.bytes) && b < a + i64::from(self.bytes) {
                    true => Between::Stays,
                    false if slow && self.part() != other.part() => parts,
                    false => Between::Free,
                }
            }
            _ => Between::Stays,
        }
    }
}

//! Addresses whose low half alone is computed, for GPUs that take them from vector registers alone.
//!
//! A buffer that does not cross a multiple of 4 GiB has the same high half everywhere: the offset is added to the low half, and there is no
//! carry. So the sum may be taken in any order: what is the same for neighbouring work-items goes to the buffer's start, in scalar
//! registers, and what is left is one addition, where the low half of a 64-bit sum, its high half and the offset make three. The
//! runtime knows whether any buffer crosses such a multiple, and sets a specialization constant if one does: then all of it is as it was.

use super::{Offset, Planned, Term};
use crate::ir::{BinaryOp, BuiltinInput, Function, InstKind, Place, Root, Scalar, Type, Value};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The values that may differ between neighbours in the first dimension, as far as that is easily told: what branches make of values
/// is not looked at.
pub(super) struct Varying(FxHashSet<Value>);

impl Varying {
    pub(super) fn of(f: &Function) -> Varying {
        let mut found = Varying(FxHashSet::default());
        loop {
            let before = found.0.len();
            for block in &f.layout {
                let block = &f.blocks[*block];
                for inst in &block.insts {
                    let inst = &f.insts[*inst];
                    if found.makes(f, &inst.kind) {
                        found.0.extend(inst.results.iter().copied());
                    }
                }
                for target in block.term.targets() {
                    let pairs = f.blocks[target.block].params.iter().zip(&target.args);
                    let more: SmallVec<[Value; 4]> =
                        pairs.filter(|(_, arg)| found.0.contains(arg)).map(|(param, _)| *param).collect();
                    found.0.extend(more);
                }
            }
            if found.0.len() == before {
                return found;
            }
        }
    }

    fn makes(&self, f: &Function, kind: &InstKind) -> bool {
        use BuiltinInput::{
            GlobalInvocationId, LocalInvocationId, LocalInvocationIndex, SubgroupLocalInvocationId,
        };
        match kind {
            InstKind::Input(GlobalInvocationId | LocalInvocationId, lane) => *lane == 0,
            InstKind::Input(LocalInvocationIndex | SubgroupLocalInvocationId, _) => true,
            InstKind::Load { place: Place::Element { root: Root::Block, index, .. }, .. } => {
                f.const_bits(*index).is_none()
            }
            InstKind::Call { .. } | InstKind::Image { .. } => true,
            kind if kind.place().is_some() => true,
            kind => kind.values().any(|value| self.0.contains(&value)),
        }
    }

    pub(super) fn has(&self, value: Value) -> bool {
        self.0.contains(&value)
    }
}

impl Planned {
    /// The address from halves, unless a buffer crosses a multiple of 4 GiB; then that of 64 bits.
    pub(super) fn in_halves(&self, rw: &mut Rewriter<'_>, varying: &Varying, joins: &Joins) -> Value {
        let wide = self.sum.in_32_bits(rw);
        let Some((low, high)) = halves(rw.f, self.sum.base) else { return wide };
        let first = self.first.unwrap_or(self.offset.constant);
        let constant = rw.iconst(Type::I32, first.into());
        let (same, own) = if joins.joins(&self.offset, first, varying) {
            let all = self.offset.sum(rw, None, |_| true);
            (low, all.map(|all| rw.add(all, constant)))
        } else {
            let same = rw.add(low, constant);
            let same = self.offset.sum(rw, Some(same), |term| !varying.has(term.0)).unwrap_or(same);
            (same, self.offset.sum(rw, None, |term| varying.has(term.0)))
        };
        let low = own.map_or(same, |own| rw.add(same, own));
        let pair = rw.construct(&[low, high], Type::Vector(Scalar::I32, 2));
        let narrow = rw.bitcast(pair, Type::I64);
        let beyond = rw.iconst(Type::I64, self.beyond());
        let narrow = rw.add(narrow, beyond);
        let cross = rw.inst(InstKind::BuffersCross, Type::BOOL);
        rw.inst(InstKind::Select(cross, wide, narrow), Type::I64)
    }
}

/// How accesses to written buffers, at addresses that are the same for all work-items, have these: other loads are done by scalar units.
#[derive(Clone, Copy)]
pub(super) struct Alike {
    /// The driver takes those of stores to differ.
    hidden: bool,
}

impl Alike {
    /// A driver computes what is the same for all in scalar registers, and copies both halves of each address. Where there are several stores to one
    /// buffer, less is to do if it does not know that they are: the buffer's start is copied once, each constant is added to that copy's
    /// low half, and the high half is copied.
    pub(super) fn of<'a>(planned: impl Iterator<Item = &'a Planned>, varying: &Varying) -> Alike {
        let mut starts: FxHashSet<(Value, Vec<Term>)> = FxHashSet::default();
        let mut parts: FxHashSet<(Value, Vec<Term>, u32)> = FxHashSet::default();
        for planned in planned {
            if let Some(part) = planned.part.filter(|_| planned.stores && !planned.offset.varies(varying)) {
                let terms = planned.offset.parts(varying).1;
                starts.insert((planned.sum.base, terms.clone()));
                parts.insert((planned.sum.base, terms, part));
            }
        }
        Alike { hidden: parts.len() > starts.len() + 1 }
    }
}

impl Planned {
    /// The same for an access at an address that is the same for all work-items: where its sixteen bytes begin is computed from halves. What is
    /// loaded stays the same for all.
    pub(super) fn alike_in_halves(&self, rw: &mut Rewriter<'_>, alike: Alike) -> Value {
        let wide = self.sum.in_32_bits(rw);
        let (Some((low, high)), Some(part)) = (halves(rw.f, self.sum.base), self.part) else { return wide };
        let mut low = self.offset.sum(rw, Some(low), |_| true).unwrap_or(low);
        if alike.hidden && self.stores {
            // Zero: no work-group is so large.
            let id = rw.inst(InstKind::Input(BuiltinInput::LocalInvocationId, 0), Type::I32);
            let zero = rw.binary_const(BinaryOp::LShr, id, 31);
            low = rw.add(low, zero);
        }
        let constant = rw.iconst(Type::I32, part.into());
        let low = rw.add(low, constant);
        let pair = rw.construct(&[low, high], Type::Vector(Scalar::I32, 2));
        let narrow = rw.bitcast(pair, Type::I64);
        let beyond = rw.iconst(Type::I64, self.offset.constant.wrapping_sub(part).into());
        let narrow = rw.add(narrow, beyond);
        let cross = rw.inst(InstKind::BuffersCross, Type::BOOL);
        rw.inst(InstKind::Select(cross, wide, narrow), Type::I64)
    }
}

/// What is the same for neighbours in an offset, its constant included, and what is not.
type Parts = (Vec<Term>, u32);

/// The offsets in which what is the same for neighbours is added to what is not, rather than to the buffers' starts: where several
/// buffers are accessed at one offset that is one addition for all of them.
#[derive(Default)]
pub(super) struct Joins(FxHashSet<Parts>);

impl Joins {
    pub(super) fn of<'a>(planned: impl Iterator<Item = &'a Planned>, varying: &Varying) -> Joins {
        // For each such part: the offsets that have it, the buffers that it would be added to, and whether as many additions cost less,
        // which spare a shift; in a loop they would go round with what varies there.
        type Found = (FxHashSet<Vec<Term>>, FxHashSet<Value>, bool);
        let mut found: FxHashMap<Parts, Found> = FxHashMap::default();
        for planned in planned {
            let first = planned.first.unwrap_or(planned.offset.constant);
            let (own, same) = planned.offset.parts(varying);
            let alike = same.iter().any(|term| own.iter().any(|own| own.1 == term.1)) && !planned.repeated;
            let known = found
                .entry((same, first))
                .or_insert_with(|| (FxHashSet::default(), FxHashSet::default(), true));
            known.0.insert(own);
            known.1.insert(planned.sum.base);
            known.2 &= alike;
        }
        let pays = |(offsets, buffers, alike): &Found| {
            offsets.len() < buffers.len() || (offsets.len() == buffers.len() && *alike)
        };
        Joins(found.into_iter().filter(|(_, found)| pays(found)).map(|(part, _)| part).collect())
    }

    fn joins(&self, offset: &Offset, first: u32, varying: &Varying) -> bool {
        !self.0.is_empty() && self.0.contains(&(offset.parts(varying).1, first))
    }
}

impl Offset {
    /// The terms that vary and those that do not, each in order.
    fn parts(&self, varying: &Varying) -> (Vec<Term>, Vec<Term>) {
        let (mut own, mut same): (Vec<Term>, Vec<Term>) =
            self.terms.iter().copied().partition(|term| varying.has(term.0));
        own.sort_unstable();
        same.sort_unstable();
        (own, same)
    }
}

/// The two words of a start.
fn halves(f: &Function, start: Value) -> Option<(Value, Value)> {
    let InstKind::Bitcast(pair) = f.def_inst(start)?.kind else { return None };
    match &f.def_inst(pair)?.kind {
        InstKind::Construct(words) if words.len() == 2 => Some((words[0], words[1])),
        _ => None,
    }
}

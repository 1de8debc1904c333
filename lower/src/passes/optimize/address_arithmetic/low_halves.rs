//! Low-half addresses: only the low half of an address is computed, for GPUs that take addresses from vector registers alone.
//!
//! A buffer that does not cross a multiple of 4 GiB has one high half, and the sum of start and offset has no carry:
//!
//! ```text
//! start + offset (64 bits)    →    low(start) + offset, high(start)
//! ```
//!
//! The sum can then be taken in any order. Uniform terms are added to the buffer's start, in scalar registers, and one addition is left. A
//! 64-bit sum takes three: its low half, its high half and the offset.
//!
//! The runtime knows whether any buffer crosses a multiple of 4 GiB. It then sets a specialization constant that selects the 64-bit sums.

use super::{Offset, Planned};
use crate::analysis::linear::Term;
use crate::ir::{BinaryOp, BuiltinInput, Function, InstKind, Place, Root, Scalar, Type, Value};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The values that may differ between neighbouring work-items of the first dimension. The analysis is cheap: it ignores divergence through
/// branches.
pub(super) struct Varying(FxHashSet<Value>);

impl Varying {
    pub(super) fn new(f: &Function) -> Varying {
        let mut found = Varying(FxHashSet::default());
        loop {
            let before = found.0.len();
            for block in &f.layout {
                let block = &f.blocks[*block];
                for inst in &block.insts {
                    let inst = &f.insts[*inst];
                    if found.is_varying(f, &inst.kind) {
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

    fn is_varying(&self, f: &Function, kind: &InstKind) -> bool {
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

    pub(super) fn contains(&self, value: Value) -> bool {
        self.0.contains(&value)
    }
}

impl Planned {
    /// Builds the address from halves, or from 64 bits if a buffer crosses a multiple of 4 GiB.
    pub(super) fn in_halves(
        &self,
        rw: &mut Rewriter<'_>,
        varying: &Varying,
        uniform_parts: &UniformParts,
    ) -> Value {
        let wide = self.sum.in_32_bits(rw);
        let Some((low, high)) = halves(rw.f, self.sum.base) else { return wide };
        let first = self.first.unwrap_or(self.offset.constant);
        let constant = rw.iconst(Type::I32, first.into());
        let (same, own) = if uniform_parts.add_to_offset(&self.offset, first, varying) {
            let all = self.offset.sum(rw, None, |_| true);
            (low, all.map(|all| rw.add(all, constant)))
        } else {
            let same = rw.add(low, constant);
            let same = self.offset.sum(rw, Some(same), |term| !varying.contains(term.0)).unwrap_or(same);
            (same, self.offset.sum(rw, None, |term| varying.contains(term.0)))
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

/// The way to compute uniform addresses of accesses to written buffers. Scalar units do the other uniform loads.
#[derive(Clone, Copy)]
pub(super) struct UniformAddresses {
    /// True if the addresses of stores are opaque, so that the driver takes them as varying.
    opaque: bool,
}

impl UniformAddresses {
    /// Decides whether addresses become opaque. A driver computes uniform values in scalar registers, and copies both halves of each address.
    /// With several stores to one buffer, opaque addresses cost less: the buffer's start is copied once, each constant is added to the copy's
    /// low half, and the high half is copied.
    pub(super) fn new<'a>(planned: impl Iterator<Item = &'a Planned>, varying: &Varying) -> UniformAddresses {
        let mut starts: FxHashSet<(Value, Vec<Term>)> = FxHashSet::default();
        let mut parts: FxHashSet<(Value, Vec<Term>, u32)> = FxHashSet::default();
        for planned in planned {
            if let Some(chunk) = planned.chunk.filter(|_| planned.stores && !planned.offset.varies(varying)) {
                let terms = planned.offset.parts(varying).1;
                starts.insert((planned.sum.base, terms.clone()));
                parts.insert((planned.sum.base, terms, chunk));
            }
        }
        UniformAddresses { opaque: parts.len() > starts.len() + 1 }
    }
}

impl Planned {
    /// Builds a uniform address: the start of its sixteen bytes is computed from halves. A loaded value stays uniform.
    pub(super) fn uniform_in_halves(&self, rw: &mut Rewriter<'_>, alike: UniformAddresses) -> Value {
        let wide = self.sum.in_32_bits(rw);
        let (Some((low, high)), Some(chunk)) = (halves(rw.f, self.sum.base), self.chunk) else { return wide };
        let mut low = self.offset.sum(rw, Some(low), |_| true).unwrap_or(low);
        if alike.opaque && self.stores {
            // This is zero: no work-group is so large.
            let id = rw.inst(InstKind::Input(BuiltinInput::LocalInvocationId, 0), Type::I32);
            let zero = rw.binary_const(BinaryOp::LShr, id, 31);
            low = rw.add(low, zero);
        }
        let constant = rw.iconst(Type::I32, chunk.into());
        let low = rw.add(low, constant);
        let pair = rw.construct(&[low, high], Type::Vector(Scalar::I32, 2));
        let narrow = rw.bitcast(pair, Type::I64);
        let beyond = rw.iconst(Type::I64, self.offset.constant.wrapping_sub(chunk).into());
        let narrow = rw.add(narrow, beyond);
        let cross = rw.inst(InstKind::BuffersCross, Type::BOOL);
        rw.inst(InstKind::Select(cross, wide, narrow), Type::I64)
    }
}

/// The uniform terms of an offset, and its constant.
type Parts = (Vec<Term>, u32);

/// The uniform parts that are added to the varying terms rather than to the buffers' starts. Where several buffers are accessed at one offset,
/// that is one addition for all of them.
#[derive(Default)]
pub(super) struct UniformParts(FxHashSet<Parts>);

impl UniformParts {
    pub(super) fn new<'a>(planned: impl Iterator<Item = &'a Planned>, varying: &Varying) -> UniformParts {
        // For each uniform part: the varying terms beside it, the buffers that it would be added to, and whether an equal number of additions
        // saves a shift. In a loop that does not count, because these additions would be repeated with the varying terms.
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
        UniformParts(found.into_iter().filter(|(_, found)| pays(found)).map(|(chunk, _)| chunk).collect())
    }

    fn add_to_offset(&self, offset: &Offset, first: u32, varying: &Varying) -> bool {
        !self.0.is_empty() && self.0.contains(&(offset.parts(varying).1, first))
    }
}

impl Offset {
    /// The varying terms and the uniform ones, each sorted.
    fn parts(&self, varying: &Varying) -> (Vec<Term>, Vec<Term>) {
        let (mut own, mut same): (Vec<Term>, Vec<Term>) =
            self.terms.iter().copied().partition(|term| varying.contains(term.0));
        own.sort_unstable();
        same.sort_unstable();
        (own, same)
    }
}

/// The two words of a buffer's start.
fn halves(f: &Function, start: Value) -> Option<(Value, Value)> {
    let InstKind::Bitcast(pair) = f.def_inst(start)?.kind else { return None };
    match &f.def_inst(pair)?.kind {
        InstKind::Construct(words) if words.len() == 2 => Some((words[0], words[1])),
        _ => None,
    }
}

//! Addresses whose low half alone is computed, for GPUs that take them from vector registers alone.
//!
//! A buffer that does not cross a multiple of 4 GiB has the same high half everywhere: the offset is added to the low half, and there is no
//! carry. So the sum may be taken in any order: what is the same for neighbouring work-items goes to the buffer's start, in scalar
//! registers, and what is left is one addition, where the low half of a 64-bit sum, its high half and the offset make three. The
//! runtime knows whether any buffer crosses such a multiple, and sets a specialization constant if one does: then all of it is as it was.

use super::{Sum, TERMS};
use crate::ir::{
    BinaryOp, BuiltinInput, ConvertOp, Function, InstKind, Place, Root, Scalar, Type, Value, ValueDef,
};
use crate::passes::rewrite::Rewriter;
use rustc_hash::FxHashSet;
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

impl Sum {
    /// The address from halves, unless a buffer crosses a multiple of 4 GiB; then that of 64 bits.
    pub(super) fn in_halves(&self, rw: &mut Rewriter<'_>, varying: &Varying) -> Value {
        let wide = self.in_32_bits(rw);
        let Some((low, high)) = halves(rw.f, self.base) else { return wide };
        let mut terms = Terms::default();
        for term in &self.terms {
            terms.collect(rw, varying, *term, 1, TERMS);
        }
        let constant = rw.iconst(Type::I32, u64::from((self.constant as u32).wrapping_add(terms.constant)));
        let same = rw.add(low, constant);
        let same = terms.sum(rw, Some(same), false);
        let own = terms.sum(rw, None, true);
        let low = match (same, own) {
            (Some(same), Some(own)) => rw.add(same, own),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return wide,
        };
        let pair = rw.construct(&[low, high], Type::Vector(Scalar::I32, 2));
        let narrow = rw.bitcast(pair, Type::I64);
        let cross = rw.inst(InstKind::BuffersCross, Type::BOOL);
        rw.inst(InstKind::Select(cross, wide, narrow), Type::I64)
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

/// An offset modulo 2^32.
#[derive(Default)]
struct Terms {
    /// 32-bit values, each with its factor and whether it varies.
    list: Vec<(Value, u32, bool)>,
    constant: u32,
}

impl Terms {
    /// Adds a value times a factor, looking so deep into sums.
    fn collect(&mut self, rw: &mut Rewriter<'_>, varying: &Varying, value: Value, factor: u32, depth: usize) {
        if let Some(bits) = rw.f.const_bits(value) {
            self.constant = self.constant.wrapping_add((bits as u32).wrapping_mul(factor));
            return;
        }
        let kind = match rw.f.values[value].def {
            ValueDef::Inst(inst, _) if depth > 0 => Some(rw.f.insts[inst].kind.clone()),
            _ => None,
        };
        let known = |v: &Value| rw.f.const_bits(*v);
        let is_word = |v: &Value| matches!(rw.f.ty(*v), Type::I32 | Type::I64);
        match kind {
            Some(InstKind::Binary(BinaryOp::IAdd, a, b)) => {
                self.collect(rw, varying, a, factor, depth - 1);
                self.collect(rw, varying, b, factor, depth - 1);
            }
            Some(InstKind::Binary(BinaryOp::ISub, a, b)) => {
                self.collect(rw, varying, a, factor, depth - 1);
                self.collect(rw, varying, b, factor.wrapping_neg(), depth - 1);
            }
            Some(InstKind::Binary(BinaryOp::Shl, a, b)) if known(&b).is_some_and(|by| by < 32) => {
                let by = known(&b).unwrap_or_default() as u32;
                self.collect(rw, varying, a, factor << by, depth - 1);
            }
            Some(InstKind::Binary(BinaryOp::IMul, a, b)) if known(&b).is_some() => {
                let by = known(&b).unwrap_or_default() as u32;
                self.collect(rw, varying, a, factor.wrapping_mul(by), depth - 1);
            }
            Some(InstKind::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                value: inner,
                saturate: false,
                ..
            }) if is_word(&inner) => self.collect(rw, varying, inner, factor, depth - 1),
            _ => {
                let varies = varying.has(value);
                let value = rw.int_cast(value, Type::I32, false);
                match self.list.iter_mut().find(|term| term.0 == value) {
                    Some(term) => term.1 = term.1.wrapping_add(factor),
                    None => self.list.push((value, factor, varies)),
                }
            }
        }
    }

    /// Adds those terms that vary, or those that do not: what is scaled alike is scaled once.
    fn sum(&self, rw: &mut Rewriter<'_>, start: Option<Value>, varies: bool) -> Option<Value> {
        let these: Vec<(Value, u32)> =
            self.list.iter().filter(|t| t.2 == varies && t.1 != 0).map(|t| (t.0, t.1)).collect();
        let mut total = start;
        for (n, (_, factor)) in these.iter().enumerate() {
            if these[..n].iter().any(|(_, f)| f == factor) {
                continue;
            }
            let alike = these[n..].iter().filter(|(_, f)| f == factor);
            let sum = alike.fold(None, |sum, (value, _)| Some(sum.map_or(*value, |sum| rw.add(sum, *value))));
            if let Some(sum) = sum {
                let scaled = rw.mul_const(sum, u64::from(*factor));
                total = Some(total.map_or(scaled, |total| rw.add(total, scaled)));
            }
        }
        total
    }
}

//! The driver of rules outside `simplify`: a set is applied to one instruction.

use super::matcher::apply_first;
use super::{Builder, Facts, Folded, RuleSet};
use crate::ir::{Function, Inst, InstKind, Results, Type, Value};
use crate::transform::rewriter::Rewriter;

impl Builder for Rewriter<'_> {
    fn function(&self) -> &Function {
        self.f
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.iconst(ty, bits)
    }

    fn build(&mut self, kind: InstKind, ty: Type) -> Value {
        self.inst(kind, ty)
    }
}

/// Applies the first rule of a set that fits an instruction. The instructions that it needs are added before.
#[inline]
pub(crate) fn apply(rw: &mut Rewriter<'_>, inst: Inst, set: &RuleSet, facts: &Facts<'_>) -> Option<Folded> {
    // Small sets have no rules for most instructions.
    if set.has_rules_of(&rw.f.insts[inst].kind) { apply_rules(rw, inst, set, facts) } else { None }
}

/// [`apply`], for an instruction whose operation is the root of rules.
fn apply_rules(rw: &mut Rewriter<'_>, inst: Inst, set: &RuleSet, facts: &Facts<'_>) -> Option<Folded> {
    let data = &rw.f.insts[inst];
    let Results::One(result) = data.results else { return None };
    let (entries, root) = set.rules_of(rw.f, &data.kind)?;
    // The instruction is copied for rules that may apply alone.
    let first = entries.iter().position(|entry| entry.orders(&root).is_some())?;
    let (kind, ty) = (data.kind.clone(), rw.f.ty(result));
    apply_first(&entries[first..], &root, facts, rw, (&kind, ty))
}

/// Applies the first rule of a set whose replacement is an instruction, without facts beside the function.
pub(crate) fn kind(rw: &mut Rewriter<'_>, inst: Inst, set: &RuleSet) -> Option<InstKind> {
    match apply(rw, inst, set, &Facts::default())? {
        Folded::Kind(kind) => Some(kind),
        Folded::Value(_) => None,
    }
}

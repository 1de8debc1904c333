//! Workaround rules: one walk over each function applies the rewrite rules for the driver's faults.
//!
//! ```text
//! (uint)(float)x            opaque_rounding      →    (uint)(opaque (float)x)
//! x * 0.0f                  opaque_zero          →    x * opaque 0.0f
//! ```
//!
//! A [`Rule`] has a gate, which is a row of the table of workarounds, and a rewrite. The rules are applied to each instruction in the order of
//! [`RULES`]. A rule is applied to the instructions that a rule before it adds, too.
//!
//! Early rules come before 64-bit integers are split and divisions are lowered, because these change what the rules look for. Late rules come
//! behind all rewriting: no pass changes what they make.

use super::{
    bswap16, copy_array_index, fabs_by_mask, opaque_atomic_operand, opaque_bit_count, opaque_copysign,
    opaque_phi, opaque_rounding, opaque_select, opaque_zero, overflow_idioms, scalarize_sub,
    select_for_bit_product, signed_int_to_float, split_shift_by_31, unsigned_int64_compare,
};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::gate::Gate;
use crate::ir::{Block, Function, Inst, InstKind, Module};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// A rewrite rule for a driver's fault.
pub struct Rule {
    /// The name, which is its file's.
    pub name: &'static str,
    /// When it is applied.
    pub gate: Gate,
    /// Which of the two walks applies it.
    pub walks: &'static [Walk],
    /// The pattern and its replacement.
    pub rewrite: Rewrite,
}

/// A walk over all functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Before 64-bit integers are split.
    Early,
    /// Behind all passes that rewrite arithmetic.
    Late,
}

/// The pattern and the replacement of a rule.
#[derive(Clone, Copy)]
pub enum Rewrite {
    /// Gives the new kind of an instruction that matches, and adds others before it. Its results stay.
    Each(fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>),
    /// Looks at the whole function first. `None`: nothing in it matches.
    Sites(fn(&Function, &Target) -> Option<Box<dyn Sites>>),
}

/// The instructions and branches of one function that a rule rewrites.
pub trait Sites {
    /// Gives the new kind of an instruction that matches, and adds others before it. Its results stay.
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind>;

    /// Rewrites the arguments that a block's terminator passes, and adds instructions before it.
    fn rewrite_terminator(&self, _: &mut Rewriter<'_>, _: Block) {}
}

/// All rules, in the order in which they are applied.
pub const RULES: &[Rule] = &[
    Rule {
        name: "scalarize_sub",
        gate: Gate::Workaround("swapped_vector_operands", |q| q.swapped_vector_operands),
        walks: &[Walk::Early],
        rewrite: Rewrite::Each(scalarize_sub::rewrite),
    },
    Rule {
        name: "opaque_zero",
        gate: Gate::Workaround("folds_zeros", |q| q.folds_zeros),
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(opaque_zero::sites),
    },
    Rule {
        name: "fabs_by_mask",
        gate: Gate::Workaround("wrong_select_zeros", |q| q.wrong_select_zeros),
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(fabs_by_mask::sites),
    },
    Rule {
        name: "opaque_rounding",
        gate: Gate::Always,
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(opaque_rounding::sites),
    },
    Rule {
        name: "signed_int_to_float",
        gate: Gate::Workaround("double_rounded_unsigned", |q| q.double_rounded_unsigned),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(signed_int_to_float::rewrite),
    },
    Rule {
        name: "unsigned_int64_compare",
        gate: Gate::Workaround("wrong_int64_comparisons", |q| q.wrong_int64_comparisons),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(unsigned_int64_compare::rewrite),
    },
    Rule {
        name: "select_for_bit_product",
        gate: Gate::Workaround("wrong_int64_low_bits", |q| q.wrong_int64_low_bits),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(select_for_bit_product::rewrite),
    },
    Rule {
        name: "split_shift_by_31",
        gate: Gate::Workaround("wrong_int64_shifts", |q| q.wrong_int64_shifts),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(split_shift_by_31::rewrite),
    },
    Rule {
        name: "bswap16",
        gate: Gate::Workaround("wrong_byte_swaps", |q| q.wrong_byte_swaps),
        walks: &[Walk::Early, Walk::Late],
        rewrite: Rewrite::Each(bswap16::rewrite),
    },
    Rule {
        name: "overflow_idioms",
        gate: Gate::Always,
        walks: &[Walk::Early],
        rewrite: Rewrite::Each(overflow_idioms::rewrite_product),
    },
    Rule {
        name: "overflow_idioms",
        gate: Gate::Workaround("wrong_int64_overflow_checks", |q| q.wrong_int64_overflow_checks),
        walks: &[Walk::Early],
        rewrite: Rewrite::Each(overflow_idioms::rewrite_sum),
    },
    Rule {
        name: "opaque_copysign",
        gate: Gate::Workaround("wrong_copysign_selects", |q| q.wrong_copysign_selects),
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(opaque_copysign::sites),
    },
    Rule {
        name: "opaque_atomic_operand",
        gate: Gate::Workaround("float_operands_of_atomics", |q| q.float_operands_of_atomics),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(opaque_atomic_operand::rewrite),
    },
    Rule {
        name: "opaque_select",
        gate: Gate::Workaround("wrong_select_zeros or lost_select_zero_signs", |q| {
            q.wrong_select_zeros || q.lost_select_zero_signs
        }),
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(opaque_select::sites),
    },
    Rule {
        name: "opaque_phi",
        gate: Gate::Workaround("narrowed_phi_constants", |q| q.narrowed_phi_constants),
        walks: &[Walk::Late],
        rewrite: Rewrite::Sites(opaque_phi::sites),
    },
    Rule {
        name: "opaque_bit_count",
        gate: Gate::Workaround("wrong_16_bit_arithmetic", |q| q.wrong_16_bit_arithmetic),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(opaque_bit_count::rewrite),
    },
    Rule {
        name: "copy_array_index",
        gate: Gate::Workaround("overwritten_indices", |q| q.overwritten_indices),
        walks: &[Walk::Late],
        rewrite: Rewrite::Each(copy_array_index::rewrite),
    },
];

/// Applies the early rules whose gates are open to every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run_early(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    apply_open(module, context, Walk::Early);
    Ok(())
}

/// Applies the late rules whose gates are open to every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run_late(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    apply_open(module, context, Walk::Late);
    Ok(())
}

/// Applies the rules of a walk whose gates are open. `LowerOptions::skip` leaves rules out as it does passes.
fn apply_open(module: &mut Module, context: &PassContext<'_>, walk: Walk) {
    let target = context.target;
    let skipped = |rule: &Rule| context.options.skip.iter().any(|name| name == rule.name);
    let is_open = |rule: &&Rule| rule.walks.contains(&walk) && rule.gate.is_open(target) && !skipped(rule);
    let rewrites: Vec<Rewrite> = RULES.iter().filter(is_open).map(|rule| rule.rewrite).collect();
    if !rewrites.is_empty() {
        module.functions.values_mut().for_each(|f| apply(f, &rewrites, target));
    }
}

/// Applies rewrites to a function, in order.
pub(super) fn apply(f: &mut Function, rewrites: &[Rewrite], target: &Target) {
    let matchers: Vec<Matcher> = rewrites
        .iter()
        .filter_map(|rewrite| match rewrite {
            Rewrite::Each(rewrite) => Some(Matcher::Each(*rewrite)),
            Rewrite::Sites(find) => find(f, target).map(Matcher::Sites),
        })
        .collect();
    walk(f, &matchers);
}

/// A rule that may match in a function.
pub(super) enum Matcher {
    Each(fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>),
    Sites(Box<dyn Sites>),
}

/// Applies rules to each instruction and terminator of a function.
pub(super) fn walk(f: &mut Function, matchers: &[Matcher]) {
    if matchers.is_empty() {
        return;
    }
    for n in 0..f.layout.len() {
        let block = f.layout[n];
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        rw.reserve(insts.len());
        for inst in insts {
            rw.at(inst);
            rewrite(&mut rw, inst, matchers);
        }
        for matcher in matchers {
            if let Matcher::Sites(sites) = matcher {
                sites.rewrite_terminator(&mut rw, block);
            }
        }
        rw.finish_block(block);
    }
}

/// Applies rules to an instruction. Those behind a rule are applied to the instructions that it adds.
fn rewrite(rw: &mut Rewriter<'_>, inst: Inst, matchers: &[Matcher]) {
    for (n, matcher) in matchers.iter().enumerate() {
        let before = rw.count();
        let kind = match matcher {
            Matcher::Each(rewrite) => rewrite(rw, inst),
            Matcher::Sites(sites) => sites.rewrite(rw, inst),
        };
        if let Some(kind) = kind {
            rw.f.insts[inst].kind = kind;
        }
        // Most rules match nothing.
        if rw.count() > before {
            rw.take_from(before).into_iter().for_each(|inst| rewrite(rw, inst, &matchers[n + 1..]));
        }
    }
    rw.keep(inst);
}

/// Applies a rule that looks at each instruction alone to every function.
#[cfg(test)]
pub(super) fn apply_each(module: &mut Module, rewrite: fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>) {
    module.functions.values_mut().for_each(|f| walk(f, &[Matcher::Each(rewrite)]));
}

/// Applies a rule to every function, if what it found in that function is something.
#[cfg(test)]
pub(super) fn apply_sites(module: &mut Module, find: impl Fn(&Function) -> Option<Box<dyn Sites>>) {
    for f in module.functions.values_mut() {
        let matchers: Vec<Matcher> = find(f).map(Matcher::Sites).into_iter().collect();
        walk(f, &matchers);
    }
}

//! Rewrite rules: one walk over each function applies late algebraic rewrites and the workarounds that look for one pattern.
//!
//! ```text
//! a * b + c                 fma_contraction      →    fma(a, b, c)
//! (uint)(float)x            opaque_rounding      →    (uint)(opaque (float)x)
//! ```
//!
//! A [`Rule`] has a gate and a rewrite. The rules are applied to each instruction in the order of [`RULES`]. A rule is applied to the
//! instructions that a rule before it adds, too.
//!
//! Early rules come before 64-bit integers are split and divisions are lowered, because these change what the rules look for. Late rules come
//! behind all rewriting: no pass changes what they make.

use super::{divisor_powers, fma_contraction, funnel_shifts, narrow_double, narrow_int32};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::gate::Gate;
use crate::ir::{Func, Function, Inst, InstKind, Module, Scalar};
use crate::passes::workaround::{
    bswap16, copy_array_index, fabs_by_mask, opaque_atomic_operand, opaque_bit_count, opaque_copysign,
    opaque_phi, opaque_rounding, opaque_select, opaque_zero, scalarize_sub, signed_int_to_float,
};
use crate::rewrite::sites::{Scope, Sites};
use crate::rewrite::table::{overflow, workaround};
use crate::rewrite::{RuleSet, pass};
#[cfg(test)]
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// A rewrite rule: a late algebraic rewrite, or a workaround.
pub struct Rule {
    /// The name, which is that of its file or of its rows in the table of rewrites.
    pub name: &'static str,
    /// When it is applied.
    pub gate: Gate,
    /// The walks that apply it.
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
    /// Rows of the table of rewrites.
    Rows(&'static RuleSet),
    /// Gives the new kind of an instruction that matches, and adds others before it. Its results stay.
    Each(fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>),
    /// Looks at the whole function first. `None`: nothing in it matches.
    Sites(for<'a> fn(&Function, &Scope<'a>) -> Option<Box<dyn Sites + 'a>>),
}

/// A rule for every Target.
const fn rule(name: &'static str, walks: &'static [Walk], rewrite: Rewrite) -> Rule {
    Rule { name, gate: Gate::Always, walks, rewrite }
}

impl Rule {
    /// The same, behind a gate.
    const fn gated(self, gate: Gate) -> Rule {
        Rule { gate, ..self }
    }
}

/// All rules, in the order in which they are applied.
pub const RULES: &[Rule] = &[
    rule("divisor_powers", &[Walk::Early], Rewrite::Sites(divisor_powers::sites)),
    rule("fma_contraction", &[Walk::Early], Rewrite::Sites(fma_contraction::sites)),
    rule("narrow_double", &[Walk::Early], Rewrite::Sites(narrow_double::sites)),
    rule("funnel_shifts", &[Walk::Early], Rewrite::Each(funnel_shifts::rewrite)),
    rule("scalarize_sub", &[Walk::Early], Rewrite::Each(scalarize_sub::rewrite))
        .gated(Gate::Workaround("swapped_vector_operands", |q| q.swapped_vector_operands)),
    rule("opaque_zero", &[Walk::Late], Rewrite::Sites(opaque_zero::sites))
        .gated(Gate::Workaround("folds_zeros", |q| q.folds_zeros)),
    rule("fabs_by_mask", &[Walk::Late], Rewrite::Sites(fabs_by_mask::sites))
        .gated(Gate::Workaround("wrong_select_zeros", |q| q.wrong_select_zeros)),
    rule("opaque_rounding", &[Walk::Late], Rewrite::Sites(opaque_rounding::sites)),
    rule("signed_int_to_float", &[Walk::Late], Rewrite::Each(signed_int_to_float::rewrite))
        .gated(Gate::Workaround("double_rounded_unsigned", |q| q.double_rounded_unsigned)),
    rule("unsigned_int64_compare", &[Walk::Late], Rewrite::Rows(&workaround::UNSIGNED_INT64_COMPARE))
        .gated(Gate::Workaround("wrong_int64_comparisons", |q| q.wrong_int64_comparisons)),
    rule("select_for_bit_product", &[Walk::Late], Rewrite::Rows(&workaround::SELECT_FOR_BIT_PRODUCT))
        .gated(Gate::Workaround("wrong_int64_low_bits", |q| q.wrong_int64_low_bits)),
    rule("split_shift_by_31", &[Walk::Late], Rewrite::Rows(&workaround::SPLIT_SHIFT_BY_31))
        .gated(Gate::Workaround("wrong_int64_shifts", |q| q.wrong_int64_shifts)),
    rule("bswap16", &[Walk::Early, Walk::Late], Rewrite::Each(bswap16::rewrite))
        .gated(Gate::Workaround("wrong_byte_swaps", |q| q.wrong_byte_swaps)),
    rule("overflow_of_products", &[Walk::Early], Rewrite::Rows(&overflow::OVERFLOW_OF_PRODUCTS)),
    rule("overflow_of_sums", &[Walk::Early], Rewrite::Rows(&overflow::OVERFLOW_OF_SUMS))
        .gated(Gate::Workaround("wrong_int64_overflow_checks", |q| q.wrong_int64_overflow_checks)),
    rule("opaque_copysign", &[Walk::Late], Rewrite::Sites(opaque_copysign::sites))
        .gated(Gate::Workaround("wrong_copysign_selects", |q| q.wrong_copysign_selects)),
    rule("opaque_atomic_operand", &[Walk::Late], Rewrite::Each(opaque_atomic_operand::rewrite))
        .gated(Gate::Workaround("float_operands_of_atomics", |q| q.float_operands_of_atomics)),
    rule("opaque_select", &[Walk::Late], Rewrite::Sites(opaque_select::sites))
        .gated(Gate::Workaround("wrong_select_zeros or lost_select_zero_signs", |q| {
            q.wrong_select_zeros || q.lost_select_zero_signs
        })),
    rule("opaque_phi", &[Walk::Late], Rewrite::Sites(opaque_phi::sites))
        .gated(Gate::Workaround("narrowed_phi_constants", |q| q.narrowed_phi_constants)),
    rule("opaque_bit_count", &[Walk::Late], Rewrite::Each(opaque_bit_count::rewrite))
        .gated(Gate::Workaround("wrong_16_bit_arithmetic", |q| q.wrong_16_bit_arithmetic)),
    rule("copy_array_index", &[Walk::Late], Rewrite::Each(copy_array_index::rewrite))
        .gated(Gate::Workaround("overwritten_indices", |q| q.overwritten_indices)),
    rule("narrow_int32", &[Walk::Early], Rewrite::Sites(narrow_int32::sites))
        .gated(Gate::Feature("a GPU with 16-bit integers", |t| {
            !t.features.is_cpu && t.has_arithmetic(Scalar::I16)
        })),
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
    let is_open = |rule: &&Rule| rule.walks.contains(&walk) && rule.gate.is_open(context) && !skipped(rule);
    let rewrites: Vec<Rewrite> = RULES.iter().filter(is_open).map(|rule| rule.rewrite).collect();
    if rewrites.is_empty() {
        return;
    }
    for func in module.functions.keys() {
        let contracts = contracts(module, func);
        apply(&mut module.functions[func], &rewrites, &Scope { target, contracts });
    }
}

/// Returns whether contraction is on in a function. A kernel has a flag of its own. Other functions are contracted if no kernel forbids it.
fn contracts(module: &Module, func: Func) -> bool {
    match module.kernels.iter().find(|kernel| kernel.func == func) {
        Some(kernel) => !kernel.contraction_off,
        None => !module.kernels.iter().any(|kernel| kernel.contraction_off),
    }
}

/// Applies rewrites to a function, in order.
pub(crate) fn apply(f: &mut Function, rewrites: &[Rewrite], scope: &Scope<'_>) {
    let matchers: Vec<Matcher<'_>> = rewrites
        .iter()
        .filter_map(|rewrite| match rewrite {
            Rewrite::Rows(rows) => Some(Matcher::Rows(rows)),
            Rewrite::Each(rewrite) => Some(Matcher::Each(*rewrite)),
            Rewrite::Sites(find) => find(f, scope).map(Matcher::Sites),
        })
        .collect();
    walk(f, &matchers);
}

/// A rule that may match in a function.
enum Matcher<'a> {
    Rows(&'static RuleSet),
    Each(fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>),
    Sites(Box<dyn Sites + 'a>),
}

/// Applies rules to each instruction and terminator of a function.
fn walk(f: &mut Function, matchers: &[Matcher<'_>]) {
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
fn rewrite(rw: &mut Rewriter<'_>, inst: Inst, matchers: &[Matcher<'_>]) {
    for (n, matcher) in matchers.iter().enumerate() {
        let before = rw.count();
        let kind = match matcher {
            Matcher::Rows(rows) => pass::kind(rw, inst, rows),
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

/// Applies one rewrite to every function, for a device.
#[cfg(test)]
pub(crate) fn apply_to(module: &mut Module, rewrite: Rewrite, target: &Target) {
    let scope = Scope { target, contracts: true };
    module.functions.values_mut().for_each(|f| apply(f, &[rewrite], &scope));
}

/// Applies a rule that looks at each instruction alone to every function.
#[cfg(test)]
pub(crate) fn apply_each(module: &mut Module, rewrite: fn(&mut Rewriter<'_>, Inst) -> Option<InstKind>) {
    apply_to(module, Rewrite::Each(rewrite), &Target::minimum());
}

/// Applies a rule to every function, if what it found in that function is something.
#[cfg(test)]
pub(crate) fn apply_sites(module: &mut Module, find: impl Fn(&Function) -> Option<Box<dyn Sites>>) {
    for f in module.functions.values_mut() {
        let matchers: Vec<Matcher<'_>> = find(f).map(Matcher::Sites).into_iter().collect();
        walk(f, &matchers);
    }
}

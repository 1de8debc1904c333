//! Passes on random functions, and tests of the tester.

use super::*;
use crate::context::PassContext;
use crate::ir::{BinaryOp, Block, FloatCC, Inst, InstKind};
use crate::passes::language::zero_memory;
use crate::passes::legalize::legalize_types;
use crate::passes::optimize::{
    hoist_sink_common, jump_threading, licm, mem2reg, narrow_int64, reassociate, rewrite_rules, simplify,
};
use crate::passes::structurize;
use crate::passes::workaround::group_loops;
use crate::transform::cleanup;
use crate::{LowerOptions, Target};
use rustc_hash::FxHashMap;

/// The branches and merges alone.
fn shape(f: &Function) -> String {
    let line = |b: &Block| {
        let data = &f.blocks[*b];
        let to: Vec<String> = data.term.targets().iter().map(|t| t.block.to_string()).collect();
        format!("{b} -> {} {:?}\n", to.join(" "), data.merge)
    };
    f.layout.iter().map(line).collect()
}

fn structure(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    let before = shape(f);
    structurize::structurize(f).unwrap_or_else(|e| panic!("{e}\n{before}\n----\n{}", shape(f)));
    // The verifier allows merges in the last stage only.
    for block in f.layout.clone() {
        f.blocks[block].merge = None;
    }
}

#[test]
fn structured_control_flow_keeps_meaning() {
    check(60, 12, &[structure]);
    check(60, 12, &[promote_all, structure]);
    check(150, 20, &[promote_all, simplify_all, structure, simplify_all, structure]);
}

/// The same, with switches of few cases and cuts in what is not deep at all.
fn structure_within_limits(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    let before = shape(f);
    let limits = structurize::Limits {
        cases: Some(2),
        depth: Some(3),
        cut_spacing: 2,
        exits: true,
        no_fall_through: false,
    };
    structurize::within(f, &limits).unwrap_or_else(|e| panic!("{e}\n{before}\n----\n{}", shape(f)));
    for block in f.layout.clone() {
        f.blocks[block].merge = None;
    }
}

/// The same, without cases that fall through.
fn structure_without_fall_through(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    let before = shape(f);
    let limits = structurize::Limits { no_fall_through: true, ..structurize::Limits::default() };
    structurize::within(f, &limits).unwrap_or_else(|e| panic!("{e}\n{before}\n----\n{}", shape(f)));
    for block in f.layout.clone() {
        f.blocks[block].merge = None;
    }
}

#[test]
fn control_flow_without_fall_through_keeps_meaning() {
    check(60, 12, &[structure_without_fall_through]);
    check(
        150,
        20,
        &[
            promote_all,
            simplify_all,
            structure_without_fall_through,
            simplify_all,
            structure_without_fall_through,
        ],
    );
}

#[test]
fn cut_control_flow_keeps_meaning() {
    check(60, 12, &[structure_within_limits]);
    check(60, 12, &[promote_all, structure_within_limits]);
    check(60, 12, &[promote_all, simplify_all, structure_within_limits, simplify_all, structure]);
}

fn promote_all(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    cleanup::remove_unreachable(f);
    while mem2reg::promote_function(f, 8) == mem2reg::Promotion::Some {}
}

fn simplify_all(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    simplify::simplify_function(f, 64);
}

fn narrow_all(m: &mut Module) {
    narrow_int64::narrow_function(m.functions.values_mut().next().expect("one"));
}

#[test]
fn narrowing_keeps_meaning() {
    check(120, 6, &[promote_all, simplify_all, narrow_all, simplify_all, narrow_all, simplify_all]);
}

fn widen_all(m: &mut Module) {
    let mut target = Target::minimum();
    let features = &mut target.features;
    (features.shader_int64, features.shader_int16, features.shader_int8) = (true, true, true);
    (target.quirks.wrong_8_bit_arithmetic, target.quirks.wrong_16_bit_arithmetic) = (true, true);
    let f = m.functions.values_mut().next().expect("one");
    legalize_types::legalize_function(f, &target, "f").unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn arithmetic_in_32_bits_keeps_meaning() {
    check(100, 9, &[widen_all, simplify_all]);
    check(60, 9, &[promote_all, simplify_all, widen_all, simplify_all]);
}

fn sums_all(m: &mut Module) {
    reassociate::order_function(m.functions.values_mut().next().expect("one"));
}

#[test]
fn sums_keep_meaning() {
    check(100, 9, &[sums_all]);
    check(100, 9, &[promote_all, simplify_all, sums_all, simplify_all]);
}

fn group_loops(m: &mut Module) {
    group_loops::group(m.functions.values_mut().next().expect("one"), &FxHashMap::default(), 1);
}

#[test]
fn grouped_loops_keep_meaning() {
    check(60, 12, &[structure, group_loops, structure]);
    check(60, 12, &[promote_all, simplify_all, structure, group_loops, simplify_all, structure]);
}

fn invariants_all(m: &mut Module) {
    licm::move_invariants(m.functions.values_mut().next().expect("one"), (None, false), true);
}

#[test]
fn invariants_keep_meaning() {
    check(150, 12, &[invariants_all]);
    check(300, 12, &[promote_all, simplify_all, invariants_all, simplify_all, invariants_all]);
}

#[test]
fn promotion_keeps_meaning() {
    check(100, 9, &[promote_all]);
}

#[test]
fn simplification_keeps_meaning() {
    check(100, 9, &[simplify_all, promote_all, simplify_all]);
}

/// The pass, which eliminates loads and stores at stage `resolved`, as `simplify_function` does not.
fn simplify_memory(m: &mut Module) {
    let (target, options) = (Target::minimum(), LowerOptions::default());
    simplify::run(m, &PassContext { target: &target, options: &options }).expect("never fails");
}

#[test]
fn load_elimination_keeps_memory() {
    check_kind(Kind::Memory, 300, 9, &[simplify_memory]);
    check_kind(Kind::Memory, 200, 3, &[simplify_memory, invariants_all, simplify_memory]);
}

fn zero_private(m: &mut Module) {
    let zeroed = crate::Zeroed { local: false, private: true };
    let (target, options) = (Target::minimum(), LowerOptions { zeroed, ..LowerOptions::default() });
    zero_memory::run(m, &PassContext { target: &target, options: &options }).expect("never fails");
}

/// Runs functions with undefined values and memory after passes, and compares with those that have zeros in their place.
fn check_zeros(count: u64, passes: &[fn(&mut Module)]) {
    for seed in 0..count {
        let [mut unset, zeros] =
            [Kind::Unset, Kind::Zeros].map(|kind| random_module(seed, 1 + seed % 9, kind));
        for pass in passes {
            pass(&mut unset);
            verify::verify(&unset).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{unset}"));
        }
        compare(&zeros, &unset, seed).unwrap_or_else(|e| panic!("not zeros: {e}"));
    }
}

#[test]
fn memory_that_nobody_wrote_is_zero() {
    check_zeros(300, &[zero_private]);
    check_zeros(300, &[zero_private, promote_all, simplify_all, structure]);
}

#[test]
#[should_panic(expected = "not zeros: seed")]
fn memory_that_is_not_zero_is_seen() {
    check_zeros(20, &[promote_all]);
}

/// A pass that is wrong: it loses the last store of each block.
fn lose_stores(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    for block in f.layout.clone() {
        let is_store = |i: &Inst| matches!(f.insts[*i].kind, InstKind::Store { .. });
        if let Some(last) = f.blocks[block].insts.iter().rposition(is_store) {
            f.blocks[block].insts.remove(last);
        }
    }
}

#[test]
#[should_panic(expected = "pass 0: seed")]
fn lost_stores_are_seen() {
    check_kind(Kind::Memory, 20, 9, &[lose_stores]);
}

/// A pass that is wrong: it swaps the operands of differences.
fn swap_differences(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    let insts: Vec<Inst> = f.layout.iter().flat_map(|b| f.blocks[*b].insts.clone()).collect();
    for inst in insts {
        if let InstKind::Binary(op @ BinaryOp::FSub, a, b) = f.insts[inst].kind {
            f.insts[inst].kind = InstKind::Binary(op, b, a);
        }
    }
}

#[test]
#[should_panic(expected = "pass 0: seed")]
fn swapped_differences_are_seen() {
    check_kind(Kind::Floats, 60, 9, &[swap_differences]);
}

/// A pass that is wrong for a NaN: it takes an unordered comparison for the ordered one.
fn lose_nans(m: &mut Module) {
    let f = m.functions.values_mut().next().expect("one");
    for inst in f.insts.values_mut() {
        if let InstKind::FCmp(cc @ FloatCC::ULt, ..) = &mut inst.kind {
            *cc = FloatCC::OLt;
        }
    }
}

#[test]
#[should_panic(expected = "pass 0: seed")]
fn lost_nans_are_seen() {
    check_kind(Kind::Floats, 100, 9, &[lose_nans]);
}

fn hoist_all(m: &mut Module) {
    m.functions.values_mut().for_each(hoist_sink_common::hoist_and_sink);
}

fn thread_all(m: &mut Module) {
    m.functions.values_mut().for_each(jump_threading::thread_jumps);
}

/// All rules, whatever their gates, but contraction, which changes results.
fn rewrite_all(m: &mut Module) {
    let target = Target::minimum();
    let rules = rewrite_rules::RULES.iter().filter(|rule| rule.name != "fma_contraction");
    rules.for_each(|rule| rewrite_rules::apply_to(m, rule.rewrite, &target));
}

#[test]
fn floats_keep_their_values() {
    check_kind(Kind::Floats, 100, 9, &[simplify_all, promote_all, simplify_all]);
    check_kind(Kind::Floats, 200, 9, &[promote_all, simplify_all, invariants_all, simplify_all, structure]);
    check_kind(
        Kind::Floats,
        80,
        12,
        &[promote_all, simplify_all, hoist_all, thread_all, rewrite_all, simplify_all],
    );
}

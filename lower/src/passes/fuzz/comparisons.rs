//! Two comparisons of the same floats, the second behind the branch of the first: value numbering, branch facts, if-conversion and hoisting
//! may relate them. Every pair of comparisons runs on every pair of special floats.

use super::NUMBERS;
use crate::ir::interp::{self, Run, region};
use crate::ir::{FloatCC, Function, Module, text, verify};
use crate::passes::optimize::{hoist_sink_common, jump_threading, simplify};
use std::ops::RangeInclusive;

/// A module with one function of two floats and a pointer.
fn parse(body: &str) -> Module {
    let source = format!(
        "module read bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: f32, v1: f32, v20: ptr.global):\n{body}"
    );
    let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    module
}

fn function(module: &Module) -> &Function {
    module.functions.values().next().expect("one")
}

/// The runs on all pairs of special floats.
fn runs(module: &Module) -> Vec<Run> {
    let bits = |x: &f64| vec![Some(u64::from((*x as f32).to_bits()))];
    let pairs =
        NUMBERS.iter().flat_map(|a| NUMBERS.iter().map(move |b| [bits(a), bits(b), vec![Some(region(0))]]));
    pairs.map(|args| interp::run(function(module), &args, 0, 50)).collect()
}

/// Applies the passes, and looks at each result, which has some number of blocks in the end.
fn check(body: &str, blocks: RangeInclusive<usize>) {
    let passes: [fn(&mut Function); 4] = [
        |f| simplify::simplify_function(f, 64),
        hoist_sink_common::hoist_and_sink,
        jump_threading::thread_jumps,
        |f| simplify::simplify_function(f, 64),
    ];
    let before = parse(body);
    let expected = runs(&before);
    let mut after = before.clone();
    for (n, pass) in passes.iter().enumerate() {
        after.functions.values_mut().for_each(pass);
        let same = expected.iter().zip(runs(&after)).all(|(a, b)| a.allows(&b));
        assert!(same, "pass {n}:\n{before}\n----\n{after}");
    }
    assert!(blocks.contains(&function(&after).layout.len()), "{after}");
}

/// All pairs of comparisons, as text.
fn pairs() -> impl Iterator<Item = [String; 2]> {
    let name = |cc: &FloatCC| format!("fcmp.{cc:?}").to_lowercase();
    FloatCC::ALL.iter().flat_map(move |a| FloatCC::ALL.iter().map(move |b| [name(a), name(b)]))
}

/// The second comparison in both arms of a branch by the first: as it stands, with exchanged operands, and by the negation.
const OPERANDS: [(&str, &str); 3] = [("v2", "v0, v1"), ("v2", "v1, v0"), ("v3", "v0, v1")];

#[test]
fn comparisons_that_become_selections() {
    for [first, second] in pairs() {
        for (condition, operands) in OPERANDS {
            let body = format!(
                "  v2: bool = {first} v0, v1\n  v3: bool = not v2\n  condbr {condition}, b1(), b2()\nb1():\n  \
                 v4: bool = {second} {operands}\n  condbr v4, b3(i32:1), b3(i32:2)\nb2():\n  \
                 v5: bool = {second} {operands}\n  condbr v5, b3(i32:3), b3(i32:4)\nb3(v6: i32):\n  return(v6)\n"
            );
            check(&body, 1..=1);
        }
    }
}

#[test]
fn comparisons_behind_branches() {
    for [first, second] in pairs() {
        for (condition, operands) in OPERANDS {
            let store = |n| format!("  store [v20], i32:{n}, align=4\n");
            let body = format!(
                "  v2: bool = {first} v0, v1\n  v3: bool = not v2\n  condbr {condition}, b1(), b2()\nb1():\n{}  \
                 v4: bool = {second} {operands}\n  condbr v4, b3(), b4()\nb2():\n{}  v5: bool = {second} {operands}\n  \
                 condbr v5, b5(), b6()\nb3():\n{}  return(i32:0)\nb4():\n{}  return(i32:0)\nb5():\n{}  return(i32:0)\n\
                 b6():\n{}  return(i32:0)\n",
                store(1),
                store(2),
                store(3),
                store(4),
                store(5),
                store(6)
            );
            // A comparison that is made again is known: one arm of each goes.
            check(&body, if first == second && operands == "v0, v1" { 3..=5 } else { 3..=7 });
        }
    }
}

#[test]
fn arms_with_floats() {
    for [first, second] in pairs() {
        let body = format!(
            "  v2: bool = {first} v0, v1\n  condbr v2, b1(), b2()\nb1():\n  v3: f32 = fadd v0, v1\n  br b3(v3)\nb2():\n  \
             v4: f32 = fneg v1\n  br b3(v4)\nb3(v5: f32):\n  v6: bool = {second} v5, v0\n  v7: bool = not v6\n  \
             v8: f32 = select v7, v5, v1\n  v9: bool = {second} v8, v0\n  v10: i32 = select v9, i32:1, i32:0\n  return(v10)\n"
        );
        check(&body, 1..=1);
    }
}

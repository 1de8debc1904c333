//! Tests of the pass: functions of 64-bit integers run in the interpreter before and after it.

use super::*;
use crate::ir::interp::{self, End, Lanes};
use crate::ir::{text, verify};
use crate::passes::fuzz::Random;
use crate::passes::legalize::legalize_types;
use crate::passes::legalize::lower_division;
use crate::passes::optimize::simplify;
use crate::{LowerOptions, Target};

/// A module of one function with parameters of these types, before and after the pass.
fn before_and_after(params: &[&str], result: &str, body: &str) -> [Module; 2] {
    let params: Vec<String> = params.iter().enumerate().map(|(n, ty)| format!("v{n}: {ty}")).collect();
    let source = format!(
        "module resolved bits=32\nfunc f0 \"f\" returns ({result})\nb0({}):\n{body}",
        params.join(", ")
    );
    let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&before).unwrap_or_else(|e| panic!("{e}\n{before}"));
    let mut after = before.clone();
    let mut target = Target::minimum();
    let features = &mut target.features;
    (features.shader_int16, features.shader_float16, features.shader_float64) = (true, true, true);
    let cx = PassContext { target: &target, options: &LowerOptions::default() };
    for pass in [legalize_types::run, lower_division::run, run, simplify::run] {
        pass(&mut after, &cx).unwrap_or_else(|e| panic!("{e}\n{after}"));
        verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    }
    assert!(!after.to_string().contains("i64"), "{after}");
    [before, after]
}

/// Values of a type as words, if the pass splits the type.
fn split(value: &Lanes, ty: Type) -> Vec<Lanes> {
    match is_wide(ty) {
        true => {
            let half = |shift: u32| value.iter().map(|l| l.map(|bits| bits >> shift & 0xffff_ffff)).collect();
            vec![half(0), half(32)]
        }
        false => vec![value.clone()],
    }
}

fn check([before, after]: &[Module; 2], args: &[Lanes]) {
    let f = before.functions.values().next().expect("one");
    let arguments: Vec<Lanes> = args.iter().zip(f.params()).flat_map(|(a, p)| split(a, f.ty(*p))).collect();
    let expected = interp::run(f, args, 1, 400);
    let g = after.functions.values().next().expect("one");
    let found = interp::run(g, &arguments, 1, 4000);
    let End::Return(values) = &expected.end else { panic!("{args:x?}: {:?}\n{before}", expected.end) };
    let End::Return(words) = &found.end else { panic!("{args:x?}: {:?}\n{after}", found.end) };
    let values: Vec<Lanes> = values.iter().zip(&f.returns).flat_map(|(v, ty)| split(v, *ty)).collect();
    let agree = |(a, b): (&Option<u64>, &Option<u64>)| a.is_none() || a == b;
    let same = values.len() == words.len() && values.iter().flatten().zip(words.iter().flatten()).all(agree);
    assert!(same, "{args:x?}: {values:x?} became {words:x?}\n{before}\n{after}");
}

/// Numbers at the boundaries of words, and random ones of all lengths.
fn numbers() -> Vec<u64> {
    let near = |n: u32| [-1i64, 0, 1].map(|o| (1u64 << n).wrapping_add_signed(o));
    let mut all: Vec<u64> = [0, 5, 24, 31, 32, 40, 63].into_iter().flat_map(near).collect();
    all.extend([u64::MAX, u64::MAX - 1, 0xffff_ffff_0000_0000, 0x8000_0000_8000_0000, 0x0123_4567_89ab_cdef]);
    let mut random = Random::new(11);
    all.extend((0..12).map(|_| (random.below(1 << 32) << 32 | random.below(1 << 32)) >> random.below(64)));
    all.sort_unstable();
    all.dedup();
    all
}

fn one(bits: u64) -> Lanes {
    vec![Some(bits)]
}

#[test]
fn arithmetic_of_words_is_exact() {
    let ops =
        ["iadd", "isub", "imul", "and", "or", "xor", "umin", "umax", "smin", "smax", "umulhi", "smulhi"];
    for op in ops {
        let modules =
            before_and_after(&["i64", "i64"], "i64", &format!("  v2: i64 = {op} v0, v1\n  return(v2)\n"));
        numbers().iter().for_each(|a| numbers().iter().for_each(|b| check(&modules, &[one(*a), one(*b)])));
    }
    for op in ["ineg", "not", "bitcount", "bitreverse"] {
        let modules = before_and_after(&["i64"], "i64", &format!("  v1: i64 = {op} v0\n  return(v1)\n"));
        numbers().iter().for_each(|a| check(&modules, &[one(*a)]));
    }
}

#[test]
fn divisions_are_exact() {
    for op in ["udiv", "urem", "sdiv", "srem"] {
        let modules =
            before_and_after(&["i64", "i64"], "i64", &format!("  v2: i64 = {op} v0, v1\n  return(v2)\n"));
        for (a, b) in numbers().iter().flat_map(|a| numbers().into_iter().map(move |b| (*a, b))) {
            let overflows = op.starts_with('s') && (a, b) == (1 << 63, u64::MAX);
            if b != 0 && !overflows {
                check(&modules, &[one(a), one(b)]);
            }
        }
    }
}

#[test]
fn shifts_in_both_directions() {
    for op in ["shl", "lshr", "ashr"] {
        let modules =
            before_and_after(&["i64", "i64"], "i64", &format!("  v2: i64 = {op} v0, v1\n  return(v2)\n"));
        for by in 0..64 {
            let constant =
                before_and_after(&["i64"], "i64", &format!("  v1: i64 = {op} v0, i64:{by}\n  return(v1)\n"));
            for a in numbers() {
                check(&modules, &[one(a), one(by)]);
                check(&constant, &[one(a)]);
            }
        }
    }
}

#[test]
fn comparisons_look_at_both_words() {
    for cc in ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
        let body = format!("  v2: bool = icmp.{cc} v0, v1\n  v3: i64 = select v2, v0, i64:7\n  return(v3)\n");
        let modules = before_and_after(&["i64", "i64"], "i64", &body);
        numbers().iter().for_each(|a| numbers().iter().for_each(|b| check(&modules, &[one(*a), one(*b)])));
    }
}

#[test]
fn conversions_round_once() {
    for (op, to) in ["stof", "utof"].iter().flat_map(|op| ["f32", "f64", "f16"].map(|to| (op, to))) {
        let modules =
            before_and_after(&["i64"], to, &format!("  v1: {to} = convert.{op} v0\n  return(v1)\n"));
        // Neighbours of the midpoints between two floats.
        let ties =
            (24..64).flat_map(|n| [-1i64, 0, 1].map(|o| (1u64 << n | 1 << (n - 24)).wrapping_add_signed(o)));
        numbers().into_iter().chain(ties).for_each(|a| check(&modules, &[one(a)]));
    }
    for (from, to) in [("i32", "i64"), ("i16", "i64"), ("i64", "i32"), ("i64", "i16")] {
        for op in if from == "i64" { &["trunc"][..] } else { &["zext", "sext"] } {
            let modules =
                before_and_after(&[from], to, &format!("  v1: {to} = convert.{op} v0\n  return(v1)\n"));
            let mask = if from == "i64" {
                u64::MAX
            } else if from == "i32" {
                0xffff_ffff
            } else {
                0xffff
            };
            numbers().iter().for_each(|a| check(&modules, &[one(a & mask)]));
        }
    }
}

#[test]
fn floats_are_cut() {
    for (op, from) in ["ftos", "ftou"].iter().flat_map(|op| ["f32", "f64"].map(|from| (op, from))) {
        let modules =
            before_and_after(&[from], "i64", &format!("  v1: i64 = convert.{op} v0\n  return(v1)\n"));
        let saturated =
            before_and_after(&[from], "i64", &format!("  v1: i64 = convert.{op}.sat v0\n  return(v1)\n"));
        for n in numbers() {
            let halves = [n as f64, n as i64 as f64, n as f64 + 0.5, -0.25];
            for value in halves {
                let value = if from == "f32" { f64::from(value as f32) } else { value };
                let bits = if from == "f32" { u64::from((value as f32).to_bits()) } else { value.to_bits() };
                let whole = value.trunc();
                let fits = match *op {
                    "ftos" => (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole),
                    _ => (0.0..18_446_744_073_709_551_616.0).contains(&whole),
                };
                if fits {
                    check(&modules, &[one(bits)]);
                }
                check(&saturated, &[one(bits)]);
            }
        }
    }
}

#[test]
fn vectors_have_two_words_a_lane() {
    let body = "  v2: i64x3 = imul v0, v1\n  v3: i64x3 = shuffle v0, v2, (5, 0, 4)\n  v4: boolx3 = icmp.slt v2, v3\n  \
                v5: i64x3 = select v4, v2, v3\n  v6: i64 = extract v5, 1\n  v7: i64x3 = insert v5, v6, 2\n  \
                v8: i64 = extractdyn v7, i64:2\n  v9: i64x2 = construct (v8, v6)\n  v10: i32x4 = bitcast v9\n  \
                v11: i64x2 = bitcast v10\n  v12: i64 = extract v11, 1\n  v13: i64x3 = construct (v12, v9)\n  \
                v14: f64x3 = bitcast v13\n  v15: i64x3 = bitcast v14\n  v16: i64x3 = construct (v6)\n  \
                v17: i64x3 = iadd v15, v16\n  return(v17)\n";
    let modules = before_and_after(&["i64x3", "i64x3"], "i64x3", body);
    let all = numbers();
    for n in 0..all.len() - 6 {
        let lanes = |from: usize| all[from..from + 3].iter().map(|b| Some(*b)).collect();
        check(&modules, &[lanes(n), lanes(n + 3)]);
    }
}

#[test]
fn loops_and_switches_carry_pairs() {
    let body = "  br b1(v0, i64:1)\nb1(v2: i64, v3: i64):\n  v4: i64 = urem v2, i64:7\n  \
                switch v2, b4(v3), (0: b2(v3), 4294967296: b3(), 4294967297: b5(), 5: b3())\nb2(v5: i64):\n  return(v5)\n\
                b3():\n  return(v4)\nb5():\n  return(v3)\nb4(v6: i64):\n  v7: i64 = lshr v2, i64:1\n  v8: i64 = imul v6, v1\n  \
                v9: bool = icmp.ugt v7, v1\n  condbr v9, b1(v7, v8), b2(v8)\n";
    let modules = before_and_after(&["i64", "i64"], "i64", body);
    for b in [0, 3, u64::MAX, 1 << 33] {
        numbers().iter().for_each(|a| check(&modules, &[one(*a), one(b)]));
    }
}

/// A value that is not split yet is an error that shows the instruction, never undefined words.
#[test]
fn a_use_before_the_definition_is_an_error() {
    let source = "module legal bits=32\nfunc f0 \"f\" returns (i64)\nb0(v0: i64):\n  v1: i64 = iadd v2, v0\n  \
                  v2: i64 = iadd v0, v0\n  return(v1)\n";
    let mut module = text::parse(source).expect("it parses");
    let cx = PassContext { target: &Target::minimum(), options: &LowerOptions::default() };
    let error = run(&mut module, &cx).expect_err("not in order").to_string();
    assert!(error.contains("v2 is used before its definition in `v1: i64 = iadd v2, v0`"), "{error}");
}

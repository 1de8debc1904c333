use super::replace_loops;
use crate::ir::interp::{self, End, region};
use crate::ir::{Function, Module, text, verify};
use crate::passes::fuzz;
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;

/// The limit of instructions of one run: more than the finite loops of bytes here take.
const FUEL: u64 = 4000;

fn module(body: &str, returns: &str) -> Module {
    let source = format!("module read bits=64\nfunc f0 \"f\" returns ({returns})\n{body}");
    let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    module
}

/// Replaces the loops of a text's function. Returns the function before, the module after, and whether there were any.
fn replaced(body: &str, returns: &str) -> (Function, Module, bool) {
    let mut module = module(body, returns);
    let function = module.functions.values_mut().next().expect("a function");
    let before = function.clone();
    let done = replace_loops(function, 64);
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    (before, module, done)
}

fn check(before: &Function, module: &Module, args: &[u64]) {
    let after = module.functions.values().next().expect("a function");
    let args: Vec<interp::Lanes> = args.iter().map(|a| vec![Some(*a)]).collect();
    let (a, b) = (interp::run(before, &args, 1, FUEL), interp::run(after, &args, 1, FUEL));
    // A loop that never ends stays one.
    assert!(a.allows(&b) && (a.end == End::Fuel) == (b.end == End::Fuel), "{args:?}: {a:?} {b:?}\n{module}");
}

/// A loop over a counter of bytes, tested before or behind the body. Its exit values are the counter, a linear value, a sum of it, the
/// previous counter, an alternating value and one that an idempotent operation sets.
fn counted(ty: &str, cc: &str, step: &str, end: &str, swapped: bool, behind: bool) -> String {
    let body_code = format!(
        "  v9: {ty} = iadd v3, {ty}:{step}\n  v10: i32 = iadd v4, i32:7\n  v11: i32 = iadd v5, v4\n  v12: i32 = isub i32:100, v7\n  \
         v13: i32 = or v14, i32:24\n"
    );
    let compare = |v: &str| match swapped {
        true => format!("  v8: bool = icmp.{cc} v20, {v}\n"),
        false => format!("  v8: bool = icmp.{cc} {v}, v20\n"),
    };
    let head = format!(
        "b0(v0: {ty}, v1: {ty}, v2: i32):\n  v20: {ty} = {end}\n  br b1(v0, v2, v2, {ty}:9, v2, v2)\n\
         b1(v3: {ty}, v4: i32, v5: i32, v6: {ty}, v7: i32, v14: i32):\n"
    );
    let next = "v9, v10, v11, v3, v12, v13";
    match behind {
        false => format!(
            "{head}{}  condbr v8, b2(), b3()\nb2():\n{body_code}  br b1({next})\nb3():\n  return(v3, v4, v5, v6, v7, v14)\n",
            compare("v3")
        ),
        true => format!(
            "{head}{body_code}{}  condbr v8, b1({next}), b3()\nb3():\n  return(v9, v10, v11, v6, v12, v13)\n",
            compare("v9")
        ),
    }
}

#[test]
fn counters_of_bytes() {
    let values = [0, 1, 3, 100, 126, 127, 128, 200, 254, 255];
    let ends =
        ["and v1, i8:255", "and v1, i8:15", "iadd i8:0, i8:127", "iadd i8:1, i8:4", "iadd i8:0, i8:-128"];
    let (mut all, mut gone) = (0, 0);
    for cc in ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
        for step in [1, -1, 2, -2, 3, -3, 37, -128, 0] {
            for end in ends {
                for (swapped, behind) in [(step == 1, false), (step == -2, true)] {
                    let body = counted("i8", cc, &step.to_string(), end, swapped, behind);
                    let mut module = module(&body, "i8, i32, i32, i8, i32, i32");
                    let function = module.functions.values_mut().next().expect("a function");
                    let before = function.clone();
                    simplify::simplify_function(function, 64);
                    let done = replace_loops(function, 64);
                    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
                    all += 1;
                    if !done {
                        continue;
                    }
                    gone += 1;
                    for start in values {
                        values.iter().for_each(|end| check(&before, &module, &[start, *end, 5]));
                    }
                }
            }
        }
    }
    assert!(gone * 3 > all, "{gone} of {all}");
}

#[test]
fn other_counters() {
    for ty in ["i16", "i32", "i64"] {
        let bits = ty[1..].parse::<u32>().unwrap_or(0);
        let top = u64::MAX >> (64 - bits);
        for (cc, step) in [("ult", 1), ("slt", 1), ("ne", 1), ("sgt", -1), ("ugt", -1), ("ne", -3)] {
            let (before, module, done) = replaced(
                &counted(ty, cc, &step.to_string(), &format!("iadd v1, {ty}:0"), false, false),
                &format!("{ty}, i32, i32, {ty}, i32, i32"),
            );
            assert!(done, "{ty} {cc} {step}");
            for (start, end) in
                [(0, 0), (0, 40), (40, 0), (top, 20), (20, top), (top - 9, top), (top / 2 + 5, top / 2 - 5)]
            {
                let after = module.functions.values().next().expect("a function");
                let args: Vec<interp::Lanes> = [start, end, 5].iter().map(|a| vec![Some(*a)]).collect();
                let (a, b) = (interp::run(&before, &args, 1, FUEL), interp::run(after, &args, 1, FUEL));
                assert!(a.allows(&b), "{ty} {cc} {start} {end} {a:?} {b:?}\n{module}");
            }
        }
    }
}

const LOOP: &str = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0, i32:1)\nb1(v2: i32, v3: i32):\n  v4: bool = icmp.ult v2, v1\n  \
                    condbr v4, b2(), b3()\nb2():\n  BODY\n  v6: i32 = iadd v2, i32:1\n  br b1(v6, v5)\nb3():\n  return(v3)\n";

#[test]
fn loops_with_effects_stay() {
    let of = |body: &str| replaced(&LOOP.replace("BODY", body), "i32").2;
    assert!(of("v5: i32 = iadd v3, i32:3"));
    assert!(of("v5: i32 = iadd v3, v2"));
    assert!(!of("v5: i32 = imul v3, v2"), "not linear");
    assert!(!of("store [v0], v3, align=4\n  v5: i32 = iadd v3, i32:3"));
    assert!(!of("v5: i32 = load [v0], align=4 volatile"));
    assert!(!of("barrier workgroup workgroup acquire|release|local\n  v5: i32 = iadd v3, i32:3"));
    assert!(!of("membarrier workgroup acquire|release|local\n  v5: i32 = iadd v3, i32:3"));
    assert!(!of("v7: i32 = group.combine.iadd.reduce subgroup(v1)\n  v5: i32 = iadd v3, i32:3"));
    // It must not be executed where the loop has no iteration.
    assert!(!of("v7: i32 = load [v0], align=4\n  v5: i32 = iadd v3, v7"));
    assert!(!of("v5: i32 = udiv i32:7, v1"));
}

#[test]
fn loads_in_every_iteration() {
    let body = "b0(v0: ptr.constant, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: i32 = load [v0], align=4\n  v4: i32 = and v3, i32:63\n  \
                v5: bool = icmp.ult v2, v4\n  v6: i32 = iadd v2, i32:1\n  condbr v5, b1(v6), b3()\nb3():\n  v7: i32 = iadd v3, v2\n  return(v7)\n";
    let (before, module, done) = replaced(body, "i32");
    assert!(done, "{module}");
    check(&before, &module, &[region(0), 1]);
    assert!(!replaced(&body.replace("constant", "global"), "i32").2, "others may write it meanwhile");
    // A load of the last iteration.
    let body = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v8: ptr.global = ptradd v0, v2, 4\n  v3: i32 = load [v8], align=4\n  \
                v5: bool = icmp.ult v2, v1\n  v6: i32 = iadd v2, i32:1\n  condbr v5, b1(v6), b3()\nb3():\n  v7: i32 = iadd v3, v2\n  return(v7)\n";
    let (before, module, done) = replaced(body, "i32");
    assert!(done, "{module}");
    (0..9).for_each(|n| check(&before, &module, &[region(0), n]));
}

#[test]
fn loops_that_may_not_end_stay() {
    let of = |cc: &str, step: &str, end: &str| {
        replaced(&counted("i32", cc, step, end, false, false), "i32, i32, i32, i32, i32, i32").2
    };
    assert!(!of("sle", "1", "iadd v1, i32:0"), "the end may be the greatest number");
    assert!(of("sle", "1", "and v1, i32:255"));
    assert!(!of("ne", "2", "iadd v1, i32:0"), "it may step over the end");
    assert!(!of("ult", "2", "iadd v1, i32:0"));
    assert!(!of("ult", "0", "iadd v1, i32:0"));
}

/// The inner loop goes first; its closed form is part of a linear value of the outer one.
#[test]
fn loops_in_loops() {
    let body = "b0(v0: i32, v1: i32):\n  br b1(i32:0, i32:0)\nb1(v2: i32, v3: i32):\n  v4: bool = icmp.ult v2, v0\n  \
                condbr v4, b2(i32:0, v3), b4()\nb2(v5: i32, v6: i32):\n  v7: i32 = iadd v6, i32:3\n  v8: i32 = iadd v5, i32:1\n  \
                v9: bool = icmp.ne v8, v1\n  condbr v9, b2(v8, v7), b3()\nb3():\n  v10: i32 = iadd v2, i32:1\n  br b1(v10, v7)\n\
                b4():\n  return(v3)\n";
    let (before, mut module, done) = replaced(body, "i32");
    let function = module.functions.values_mut().next().expect("a function");
    simplify::simplify_function(function, 64);
    assert!(done && function.layout.len() == 1, "{module}");
    [(0, 5), (1, 1), (7, 3), (9, 20)].iter().for_each(|(a, b)| check(&before, &module, &[*a, *b]));
}

#[test]
fn random_graphs() {
    let replaced = |m: &mut Module| {
        let f = m.functions.values_mut().next().expect("one");
        while mem2reg::promote_function(f, 8) == mem2reg::Promotion::Some {}
        simplify::simplify_function(f, 64);
        replace_loops(f, 64);
    };
    fuzz::check(200, 12, &[replaced]);
}

#[test]
fn a_cycle_within_that_has_two_entries_may_never_end() {
    let body = "b0(v0: i32, v1: bool, v2: bool, v3: bool):\n  br b1(i32:0)\nb1(v4: i32):\n  v5: bool = icmp.ult v4, v0\n  condbr v5, b2(), b6()\n\
                b2():\n  condbr v1, b3(), b4()\nb3():\n  condbr v2, b5(), b4()\nb4():\n  condbr v3, b3(), b5()\nb5():\n  v6: i32 = iadd v4, i32:1\n  \
                br b1(v6)\nb6():\n  return(v4)\n";
    let (before, module, _) = replaced(body, "i32");
    for bits in 0..8 {
        check(&before, &module, &[5, bits & 1, bits >> 1 & 1, bits >> 2]);
    }
}

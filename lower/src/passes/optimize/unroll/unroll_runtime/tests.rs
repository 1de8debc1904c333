use super::*;
use crate::ir::interp::{self, region};
use crate::ir::{Module, text, verify};
use crate::passes::fuzz;

/// A loop with counter `v7` and second parameter `v8`; `v3` is its end, `v6` its step.
fn source(test: &str, targets: &str, code: &str, next: &str) -> String {
    format!(
        "module read bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: ptr.global, v1: i32, v2: i64):\n  v3: i32 = and v1, i32:23\n  \
         v4: i32 = convert.trunc v2\n  v5: i32 = and v4, i32:3\n  v6: i32 = iadd v5, i32:1\n  br b1(i32:0, i32:0)\n\
         b1(v7: i32, v8: i32):\n  {test}\n  condbr v9, {targets}\nb2():\n{code}  br b1({next})\nb3():\n  return(v8)\n"
    )
}

/// The module with batched loads, if any. Checks that both compute the same.
fn batched(source: &str) -> Option<Module> {
    let before = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut after = before.clone();
    let any = unroll_loops(after.functions.values_mut().next().expect("a function"));
    verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for seed in 0..60 {
        fuzz::compare(&before, &after, seed).unwrap_or_else(|e| panic!("{e}"));
    }
    any.then_some(after)
}

const TEST: &str = "v9: bool = icmp.ult v7, v3";
const SUM: &str = "  v10: ptr.global = ptradd v0, v7, 4\n  v11: i32 = load [v10], align=4\n  v12: i32 = imul v8, i32:31\n  \
                   v13: i32 = iadd v12, v11\n  v14: i32 = iadd v7, v6\n";

/// The number of loads before the second iteration's product, and of all.
fn loads_ahead(module: &Module) -> (usize, usize) {
    let text = module.to_string();
    let work = text.split("\nb").max_by_key(|block| block.matches("load").count()).expect("the batch");
    let ahead: usize = work.split("imul").take(2).map(|part| part.matches("load").count()).sum();
    (ahead, work.matches("load").count())
}

#[test]
fn loads_come_first() {
    let module = batched(&source(TEST, "b2(), b3()", SUM, "v14, v13")).expect("a batch");
    assert_eq!(loads_ahead(&module), (8, 8), "{module}");
    // A test that exits where it holds.
    let module =
        batched(&source("v9: bool = icmp.uge v7, v3", "b3(), b2()", SUM, "v14, v13")).expect("a batch");
    assert_eq!(loads_ahead(&module), (8, 8), "{module}");
}

/// Loads that depend on loads of the same iteration: all of the first ones come first, then all of the others.
#[test]
fn loads_that_depend_on_loads() {
    let code = "  v10: ptr.global = ptradd v0, v7, 4\n  v11: i32 = load [v10], align=4\n  v15: i32 = and v11, i32:7\n  \
                v16: ptr.global = ptradd v0, v15, 4\n  v17: i32 = load [v16], align=4\n  v12: i32 = imul v8, i32:31\n  \
                v13: i32 = iadd v12, v17\n  v14: i32 = iadd v7, v6\n";
    let module = batched(&source(TEST, "b2(), b3()", code, "v14, v13")).expect("a batch");
    assert_eq!(loads_ahead(&module).1, 8, "{module}");
}

/// The counter wraps; the next iteration takes another parameter, or a value from outside the loop.
#[test]
fn other_steps() {
    let code = SUM.replace("iadd v7, v6", "iadd v7, i32:1073741824").replace("load [v10]", "load [v0]");
    assert!(batched(&source(TEST, "b2(), b3()", &code, "v14, v13")).is_none(), "a constant");
    let wraps = format!("{}  v15: i32 = shl v6, i32:30\n  v16: i32 = iadd v7, v15\n", SUM);
    assert!(batched(&source(TEST, "b2(), b3()", &wraps, "v16, v13")).is_some());
    assert!(batched(&source(TEST, "b2(), b3()", SUM, "v14, v7")).is_some());
    assert!(batched(&source(TEST, "b2(), b3()", SUM, "v3, v13")).is_some());
    assert!(batched(&source("v9: bool = icmp.ult v8, v3", "b2(), b3()", SUM, "v8, v14")).is_some());
}

#[test]
fn what_is_left_alone() {
    let not = |test: &str, code: &str, next: &str| {
        assert!(batched(&source(test, "b2(), b3()", code, next)).is_none(), "{test}\n{code}");
    };
    // A store, volatile loads, no load.
    not(TEST, &format!("{SUM}  store [v10], v13, align=4\n"), "v14, v13");
    not(TEST, &SUM.replace("align=4", "align=4 volatile"), "v14, v13");
    not(TEST, &SUM.replace("load [v10], align=4", "iadd v7, i32:5"), "v14, v13");
    // Tests and addresses that depend on a load of the iteration before.
    not("v9: bool = icmp.ult v8, v3", SUM, "v14, v13");
    not(TEST, &SUM.replace("ptradd v0, v7", "ptradd v0, v8"), "v14, v13");
    // The test itself loads, or divides by what may be 0.
    let loads =
        "v20: ptr.global = ptradd v0, v7, 4\n  v21: i32 = load [v20], align=4\n  v9: bool = icmp.ult v7, v21";
    not(loads, SUM, "v14, v13");
    not("v20: i32 = udiv v3, v7\n  v9: bool = icmp.ult v20, v3", SUM, "v14, v13");
}

#[test]
fn random_graphs() {
    let batched = |m: &mut Module| {
        unroll_loops(m.functions.values_mut().next().expect("one"));
    };
    fuzz::check(60, 12, &[batched]);
}

/// A loop over a counter `v2` from `v1` with this test and step, behind an end `v9`. Its body is the blocks `b2` and on; it ends in `br b1`.
fn counting(bits: u32, test: &str, step: i64, body: &str) -> String {
    format!(
        "module read bits=64\nfunc f0 \"f\" returns (i{bits})\nb0(v0: ptr.global, v1: i{bits}, v9: i{bits}):\n  br b1(v1, v1)\n\
         b1(v2: i{bits}, v3: i{bits}):\n  v4: bool = icmp.{test}\n  condbr v4, b2(), b9()\n{body}\
         b8(v20: i{bits}):\n  v21: i{bits} = iadd v2, i{bits}:{step}\n  br b1(v21, v20)\n\
         b9():\n  v30: i{bits} = imul v3, i{bits}:31\n  v31: i{bits} = xor v30, v2\n  return(v31)\n"
    )
}

/// The step `v3 * 3 + v2`.
fn product(bits: u32) -> String {
    format!("b2():\n  v10: i{bits} = imul v3, i{bits}:3\n  v11: i{bits} = iadd v10, v2\n  br b8(v11)\n")
}

/// The number of iterations of a trip. Checks that both compute the same for these starts and ends.
fn factor(source: &str, ranges: &[(u64, u64)]) -> usize {
    let before = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut after = before.clone();
    let [f, g] = [&before, &after].map(|module| module.to_string().matches("imul").count());
    assert_eq!(f, g);
    let function = after.functions.values_mut().next().expect("a function");
    let any = unroll_loops(function);
    verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    let [old, new] = [&before, &after].map(|m| m.functions.values().next().expect("a function"));
    for (start, end) in ranges {
        let args = [vec![Some(region(0))], vec![Some(*start)], vec![Some(*end)]];
        let runs = [old, new].map(|f| interp::run(f, &args, 1, 900));
        assert!(runs[0].allows(&runs[1]), "{start} to {end}: {:?} {:?}\n{after}", runs[0].end, runs[1].end);
    }
    let count = after.to_string().matches("imul").count() - f;
    assert_eq!(any, count > 0);
    count
}

/// Starts and ends about the limits of a type, with few iterations between for a step.
fn ranges(bits: u32, step: i64) -> Vec<(u64, u64)> {
    let all = u64::MAX >> (64 - bits);
    let half = 1u64 << (bits - 1);
    let mut found = Vec::new();
    for base in [0, half, 1000] {
        for end in [0, 1, 31].into_iter().flat_map(|n: u64| [base.wrapping_add(n), base.wrapping_sub(n)]) {
            for steps in [-33, -32, -9, -1, 0] {
                let start = end.wrapping_add((steps * step) as u64);
                found.extend([start, start.wrapping_add(1)].map(|start| (start & all, end & all)));
            }
        }
    }
    found
}

#[test]
fn counters_of_every_kind() {
    for bits in [32, 64] {
        for (tests, steps) in [
            (["ult v2, v9", "ule v2, v9", "slt v2, v9", "sle v2, v9"], [1, 2, 7, 300]),
            (["ugt v2, v9", "uge v2, v9", "sgt v2, v9", "sge v2, v9"], [-1, -2, -7, -300]),
            (["ult v9, v2", "ule v9, v2", "slt v9, v2", "sle v9, v2"], [-1, -3, -16, -1000]),
            (["ne v2, v9", "ne v9, v2", "ne v2, v9", "ne v9, v2"], [1, -1, 3, -8]),
        ] {
            for test in tests {
                for step in if bits == 32 { &steps[..] } else { &steps[..1] } {
                    let step = *step;
                    let factor = factor(&counting(bits, test, step, &product(bits)), &ranges(bits, step));
                    // Where it ends by equality a start that is not known may be anywhere.
                    let stays = test.starts_with("ne");
                    assert!(if stays { factor == 0 } else { factor >= 8 }, "{test} by {step}");
                }
            }
        }
    }
}

#[test]
fn ends_that_the_loop_computes() {
    let test = "slt v2, v7";
    let end = "b1(v2: i32, v3: i32):\n  v6: i32 = imul v9, v1\n  v7: i32 = iadd v6, i32:-3\n";
    let source = counting(32, test, 1, &product(32)).replace("b1(v2: i32, v3: i32):\n", end);
    assert!(factor(&source, &ranges(32, 1)) >= 8);
    // One that changes with each iteration, and one that may trap.
    assert_eq!(factor(&source.replace("imul v9, v1", "imul v9, v3"), &ranges(32, 1)), 0);
    assert_eq!(factor(&source.replace("imul v9, v1", "udiv v9, v1"), &[(3, 100), (1, 200)]), 0);
}

/// Breaks, continues, values used behind them, and stores in order.
#[test]
fn other_exits() {
    let body = "b2():\n  v10: i32 = imul v3, i32:3\n  v11: i32 = iadd v10, v2\n  v12: i32 = and v11, i32:63\n  \
                v13: bool = icmp.eq v12, i32:7\n  condbr v13, b9b(v11), b3()\n\
                b3():\n  v14: bool = icmp.ult v12, i32:20\n  condbr v14, b8(v10), b4()\n\
                b4():\n  store [v0], v11, align=4\n  br b8(v11)\n";
    let source = counting(32, "slt v2, v9", 1, body).replace("b9b(", "b10(")
        + "b10(v40: i32):\n  v41: i32 = imul v40, v12\n  v42: i32 = iadd v41, v2\n  store [v0], v42, align=4\n  return(v42)\n";
    assert!(factor(&source, &ranges(32, 1)) >= 8);
}

#[test]
fn loops_that_stay() {
    let with = |test: &str, step: i64| factor(&counting(32, test, step, &product(32)), &ranges(32, 1));
    // Away from the end; large steps; equality; no step.
    assert_eq!(with("slt v2, v9", -1), 0);
    assert_eq!(with("ugt v2, v9", 1), 0);
    assert_eq!(with("slt v2, v9", 1 << 24), 0);
    assert_eq!(with("eq v2, v9", 1), 0);
    assert_eq!(with("ne v2, v9", 0), 0);
    // The end is the other variable, which changes.
    assert_eq!(with("slt v2, v3", 1), 0);
    // Few iterations, and a known number of them.
    let few = counting(32, "slt v2, v9", 1, &product(32))
        .replace("  br b1(v1, v1)", "  v7: i32 = and v1, i32:7\n  br b1(v7, v1)");
    assert_eq!(factor(&few.replace("slt v2, v9", "slt v2, i32:7"), &ranges(32, 1)), 0);
    assert!(factor(&few, &ranges(32, 1)) > 0);
    let known = counting(32, "ult v2, i32:300", 1, &product(32)).replace("br b1(v1, v1)", "br b1(i32:0, v1)");
    assert_eq!(factor(&known, &ranges(32, 1)), 0);
    // The source forbids it.
    let forbidden =
        counting(32, "slt v2, v9", 1, &product(32)).replace("  condbr v4", "  loopcontrol 2\n  condbr v4");
    assert_eq!(factor(&forbidden, &ranges(32, 1)), 0);
    // It writes private memory; that of another work-item may be written.
    let writes = |space: &str| {
        let parameter = format!("b0(v0: ptr.{space}, ");
        counting(32, "slt v2, v9", 1, &product(32))
            .replace("b0(v0: ptr.global, ", &parameter)
            .replace("  br b8", "  store [v0], v11, align=4\n  br b8")
    };
    let is_unrolled = |space: &str| {
        let mut module = text::parse(&writes(space)).expect("IR");
        unroll_loops(module.functions.values_mut().next().expect("a function"))
    };
    assert!(!is_unrolled("private") && is_unrolled("global"));
}

/// A larger body has fewer iterations.
#[test]
fn factors_by_size() {
    let body = |n: usize| {
        let code: String = (0..n)
            .map(|n| format!("  v{}: i32 = xor v{}, v2\n", 100 + n, if n == 0 { 3 } else { 99 + n }))
            .collect();
        format!("b2():\n{code}  v11: i32 = imul v{}, v2\n  br b8(v11)\n", 99 + n)
    };
    let with = |n: usize| factor(&counting(32, "slt v2, v9", 1, &body(n)), &ranges(32, 1));
    assert_eq!([1, 6, 14, 30, 40].map(with), [32, 16, 8, 0, 0]);
}

/// Extensions, addresses, products and remainders of the counter.
#[test]
fn values_that_follow_from_the_counter() {
    let products = "b2():\n  v10: i32 = imul v3, i32:3\n  v12: i64 = convert.EXT v2\n  v13: i64 = imul v12, v50\n  \
                    v14: i64 = lshr v13, i64:17\n  v15: i32 = convert.trunc v14\n  v27: i32 = xor v10, v15\n  \
                    v28: ptr.global = ptradd v0, v2, 4\n  v29: i32 = load [v28], align=4\n  v32: i32 = xor v27, v29\n  \
                    br b8(v32)\n";
    let remainders = "b2():\n  v10: i32 = imul v3, i32:3\n  v17: i32 = srem v2, i32:4\n  v18: i32 = urem v2, i32:2\n  \
                      v19: i32 = and v2, i32:7\n  v24: i32 = iadd v10, v17\n  v26: i32 = xor v24, v18\n  \
                      v27: i32 = iadd v26, v19\n  br b8(v27)\n";
    let source = |body: &str, test: &str, step: i64, start: &str| {
        counting(32, test, step, body).replace(
            "  br b1(v1, v1)",
            &format!(
                "  v51: i64 = convert.sext v1\n  v50: i64 = imul v51, i64:4294967291\n  br b1({start}, v1)"
            ),
        )
    };
    // The same with one block behind the test: products follow from one another, and loads come first.
    let straight = |source: &str| {
        let mut joined = source.to_owned();
        for value in ["v27", "v32"] {
            let end = format!("  br b8({value})\nb8(v20: i32):\n");
            if source.contains(&end) {
                joined = source.replace(&end, "").replace("br b1(v21, v20)", &format!("br b1(v21, {value})"));
            }
        }
        assert!(joined != source);
        joined
    };
    let ends =
        [0, 7, 8, 9, 40, 0x7fff_fff0, 0x7fff_ffff, 0x8000_0008, 0x8000_0018, 0xffff_ffff].map(|end| (3, end));
    let tests = ["slt v2, v9", "sle v2, v9", "sgt v2, v9", "ult v2, v9", "uge v2, v9", "ne v2, v9"];
    for (test, step) in tests.into_iter().zip([1, 3, -1, 1, -2, 1]) {
        for body in [&products.replace("EXT", "sext"), &products.replace("EXT", "zext"), remainders] {
            let stays = test.starts_with("ne");
            assert_eq!(factor(&source(body, test, step, "v1"), &ranges(32, step)) == 0, stays);
            assert_eq!(factor(&straight(&source(body, test, step, "v1")), &ranges(32, step)) == 0, stays);
            for start in ["i32:0", "i32:-3", "i32:5", "i32:2147483640", "i32:-9"] {
                // From the middle of the range it is the driver's to count, with its step hidden.
                let may = start != "i32:2147483640";
                assert!(factor(&source(body, test, step, start), &ends) == 0 || may);
                assert!(factor(&straight(&source(body, test, step, start)), &ends) == 0 || may);
            }
        }
    }
    let count = |body: &str, test: &str, start: &str, op: &str| {
        let mut module = text::parse(&source(body, test, 1, start)).expect("IR");
        assert!(unroll_loops(module.functions.values_mut().next().expect("a function")));
        module.to_string().matches(op).count()
    };
    // Those of the original loop are left, and one before it or in the first iteration.
    assert_eq!(count(remainders, "slt v2, v9", "i32:0", "srem"), 1);
    assert!(
        count(remainders, "ult v2, v9", "i32:0", "srem") > 1
            && count(remainders, "slt v2, v9", "v1", "srem") > 1
    );
    assert_eq!(count(&products.replace("EXT", "sext"), "slt v2, v9", "v1", "convert.sext"), 3);
    assert!(count(&products.replace("EXT", "zext"), "slt v2, v9", "v1", "convert.zext") > 3);
}

//! Which loops' steps are hidden.

use super::make_steps_opaque;
use crate::ir::{IntCC, fold, interp, text, verify};

/// A value that is no constant for any compiler.
const UNKNOWN: &str = "mul";
/// The size of a work-group, which drivers know.
const SIZE: &str = "size";
/// A value from the launch.
const SAID: &str = "said";

/// A loop's counter: its type, start, end (constants, or what is above) and step, and which comparison it goes on by.
#[derive(Clone, Copy, Debug)]
struct Count<'a> {
    ty: &'a str,
    start: &'a str,
    end: &'a str,
    step: &'a str,
    test: &'a str,
    /// The test uses the next value, at the end of the iteration.
    ahead: bool,
}

impl Count<'_> {
    fn source(&self) -> String {
        let Count { ty, start, end, step, test, ahead } = *self;
        let (add, less) = if ty.starts_with('f') { ("fadd", "fcmp") } else { ("iadd", "icmp") };
        let value = |is: &str, own: &str| match is {
            UNKNOWN => own.to_owned(),
            SIZE => "v8".to_owned(),
            SAID => "v10".to_owned(),
            constant => format!("{ty}:{constant}"),
        };
        let (start, end, step) = (value(start, "v0"), value(end, "v1"), value(step, "v9"));
        let iteration = format!("  v5: i32 = imul v4, i32:31\n  v6: {ty} = {add} v3, {step}\n");
        let body = match ahead {
            true => {
                format!("{iteration}  v7: bool = {less}.{test} v6, {end}\n  condbr v7, b2(), b3()\nb2():\n")
            }
            false => {
                format!("  v7: bool = {less}.{test} v3, {end}\n  condbr v7, b2(), b3()\nb2():\n{iteration}")
            }
        };
        format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: {ty}, v1: {ty}, v2: i32, v9: {ty}):\n  \
             v8: i32 = workgroupsize 0\n  v10: i32 = load block.i32[i32:2], align=4\n  br b1({start}, v2)\nb1(v3: {ty}, v4: i32):\n{body}  br b1(v6, v5)\nb3():\n  return(v4)\n"
        )
    }

    /// Returns whether the step becomes opaque.
    fn hides(&self) -> bool {
        let source = self.source();
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
        make_steps_opaque(module.functions.values_mut().next().expect("a function"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().contains("= opaque")
    }
}

fn hides(start: &str, end: &str, step: &str, test: &str, ahead: bool) -> bool {
    Count { ty: "i32", start, end, step, test, ahead }.hides()
}

#[test]
fn ordinary_loops_stay() {
    for end in ["100", SIZE, UNKNOWN] {
        for start in ["0", "5", UNKNOWN] {
            for test in ["ult", "slt", "ule", "sle", "ne"] {
                assert!(!hides(start, end, "1", test, false), "{start} {end} {test}");
            }
            assert!(!hides(start, end, "4", "ult", false), "{start} {end}");
            for step in [SIZE, UNKNOWN, SAID] {
                assert!(!hides(start, end, step, "ult", false) && !hides(start, end, step, "slt", false));
            }
        }
        assert!(!hides("0", end, "1", "slt", true) && !hides("0", end, "64", "ult", true), "{end}");
    }
    for start in ["100", SIZE, UNKNOWN] {
        for test in ["ugt", "sgt", "uge", "sge", "ne"] {
            assert!(!hides(start, "5", "-1", test, false), "{start} {test}");
        }
    }
    assert!(!hides("0", "100", "4", "ne", false) && !hides("0", SIZE, "1", "ne", true));
}

#[test]
fn steps_of_counters_that_may_wrap_are_hidden() {
    for end in ["62", SIZE, UNKNOWN] {
        assert!(hides("-3", end, "5", "uge", false) && hides(UNKNOWN, end, "5", "ugt", false), "{end}");
        assert!(hides("5", end, "-1", "ult", false) && hides("2147483645", end, "2", "sge", true), "{end}");
    }
    assert!(
        hides("290", "300", "2147483647", "slt", false)
            && hides(UNKNOWN, UNKNOWN, "1848019660", "ult", false)
    );
    assert!(hides("-80", "-3", "7", "ule", false), "the end is passed behind the greatest number");
    assert!(!hides("-78", "-8", "7", "ult", false), "it is not");
    assert!(hides("0", "1", "3", "ne", false) && hides("5", "5", "268435456", "ne", true));
    assert!(hides("-3", "10", "5", "ult", true), "the first step");
    assert!(hides(UNKNOWN, "10", "1", "ult", true) && !hides(SIZE, "10", "1", "ult", true));
    assert!(hides(UNKNOWN, UNKNOWN, "4", "slt", true) && !hides(SIZE, UNKNOWN, "4", "ult", true));
}

/// Counters of bytes in words: their low bits, extended; fewer bits are none of a type's.
#[test]
fn ends_beyond_half_of_the_numbers() {
    for start in [UNKNOWN, "2147483640", SIZE] {
        for test in ["ne", "ult", "ule"] {
            assert!(hides(start, "2147483650", "1", test, false), "{start} {test}");
        }
        assert!(!hides(start, "2147483647", "1", "ult", false) && !hides(start, "0", "-1", "ne", false));
    }
    assert!(
        hides("2147483650", "5", "-1", "ugt", false)
            && !hides("2147483650", "2147483649", "-1", "ugt", false)
    );
    assert!(!hides("-6", "-2", "1", "ne", false) && !hides("-6", "-2", "1", "slt", false));
}

/// Loops that fail on NVIDIA's driver (580): starts near the middle with ends known only at run time; steps by the size of a
/// work-group.
#[test]
fn ends_perhaps_beyond_half_of_the_numbers() {
    assert!(
        hides("2147483644", UNKNOWN, "1", "ne", false) && hides("2147483650", UNKNOWN, "-1", "ne", false)
    );
    assert!(hides("2147483644", UNKNOWN, SIZE, "ne", false) && !hides("4", UNKNOWN, SIZE, "ne", false));
    assert!(
        hides("2147483644", UNKNOWN, "1", "ult", false) && !hides("2147483644", UNKNOWN, "1", "slt", false)
    );
    assert!(hides(UNKNOWN, UNKNOWN, SIZE, "sle", true) && !hides("7", UNKNOWN, SIZE, "sle", true));
    for start in ["0", "1000", "-7", SIZE, UNKNOWN] {
        assert!(
            !hides(start, UNKNOWN, "1", "ne", false) && !hides(start, UNKNOWN, "-1", "ne", false),
            "{start}"
        );
    }
    // A step of a type of its own that the size is part of.
    let large = Count { ty: "i32", start: "5", end: UNKNOWN, step: "v12", test: "ne", ahead: false };
    let source = large.source().replace("i32:v12", "v12");
    let source = source.replace("  v10: i32", "  v12: i32 = iadd v8, i32:2147483647\n  v10: i32");
    let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    make_steps_opaque(module.functions.values_mut().next().expect("a function"));
    assert!(module.to_string().contains("opaque"));
}

/// An end that moves by what may be a constant zero to the driver.
#[test]
fn ends_that_stand_still() {
    let source = |by: &str| {
        format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  v8: i32 = workgroupsize 0\n  v9: i32 = iadd v8, i32:-4\n  \
             br b1(v0, v1)\nb1(v2: i32, v3: i32):\n  v4: i32 = iadd v2, i32:-1\n  v5: i32 = iadd v3, {by}\n  v6: bool = icmp.ule v4, v5\n  \
             condbr v6, b2(), b3()\nb2():\n  br b1(v4, v5)\nb3():\n  return(v4)\n"
        )
    };
    for (by, hidden) in [("v9", true), ("v1", false), ("i32:3", false)] {
        let mut module = text::parse(&source(by)).unwrap_or_else(|e| panic!("{e}\n{}", source(by)));
        make_steps_opaque(module.functions.values_mut().next().expect("a function"));
        assert_eq!(module.to_string().contains("opaque"), hidden, "{by}");
    }
}

/// Loops that NVIDIA's driver unrolls wrongly lose their hint.
#[test]
fn loops_that_are_left_by_what_stays_have_no_hint() {
    let control = |condition: &str| {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  br b1(v0, i32:0)\nb1(v2: i32, v8: i32):\n  \
             v3: i32 = xor v2, i32:-1\n  v4: i32 = iadd v8, v1\n  v5: i32 = iadd v8, i32:1\n  v6: bool = icmp.{condition}\n  \
             condbr v6, b2(), b3()\nb2():\n  br b1(v3, {})\nb3():\n  return(v3)\n",
            if condition.contains("v4") { "v4" } else { "v5" }
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values_mut().next().expect("a function");
        make_steps_opaque(function);
        function.blocks[crate::ir::Block(1)].loop_control
    };
    use crate::ir::UNHINTED;
    assert!(control("sge v1, i32:7") == UNHINTED && control("sge v4, i32:7") == UNHINTED);
    assert!(control("slt v5, i32:7") == 0);
}

#[test]
fn ends_far_behind_the_start() {
    // do … while (i <= n) from 2147483641 has one iteration if n is -2147483646.
    for (start, step, test) in
        [("2147483641", "1", "sle"), ("1", "1", "slt"), ("-2", "-3", "sgt"), (UNKNOWN, "1", "slt")]
    {
        assert!(hides(start, UNKNOWN, step, test, true), "{start} {step} {test}");
    }
    for (start, end) in [("0", UNKNOWN), ("100", SIZE), ("100", "50"), (SIZE, "100")] {
        assert!(!hides(start, end, "1", "slt", true), "{start} {end}");
    }
    assert!(hides("4000000000", UNKNOWN, "1", "ult", true) && !hides("100", UNKNOWN, "1", "ult", true));
}

#[test]
fn narrow_counters() {
    let hides = |mask: &str, test: &str| {
        let source = Count { ty: "i32", start: UNKNOWN, end: "78", step: "-4", test, ahead: false }.source();
        let source = source.replace(&format!("icmp.{test} v3"), &format!("icmp.{test} v11"));
        let source = source
            .replace("iadd v3", "iadd v11")
            .replace("  v7: bool", &format!("  v11: i32 = and v3, i32:{mask}\n  v7: bool"));
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        make_steps_opaque(module.functions.values_mut().next().expect("a function"));
        module.to_string().contains("opaque")
    };
    assert!(hides("255", "ult") && hides("65535", "slt") && !hides("255", "ugt"));
    assert!(!hides("1", "ult") && !hides("7", "ult"));
}

#[test]
fn floats() {
    let hides = |end: &str, step: &str, test: &str| {
        Count { ty: "f32", start: "0.0", end, step, test, ahead: false }.hides()
    };
    assert!(hides("6.6", "0.3", "ole"));
    assert!(!hides("6.5", "0.25", "ole") && !hides("10.0", "1.0", "olt"));
    assert!(!hides(UNKNOWN, "0.3", "ole"), "nobody can count");
    assert!(hides("10.0", "-1.0", "olt"));
}

/// The trip count by Mesa (both versions, for 8 bits): near the quotient of distance and step, the first for which the test fails.
fn mesas_count(cc: IntCC, (start, end, step): (u64, u64, u64), ahead: bool, old: bool) -> Option<i64> {
    let fails = |n: i64| !fold::icmp(cc, 8, start.wrapping_add((n as u64).wrapping_mul(step)) & 255, end);
    if fails(i64::from(ahead)) {
        return Some(0);
    }
    let distance = end.wrapping_sub(start) & 255;
    let quotient = match cc {
        IntCC::Eq => return Some(1),
        IntCC::Ult | IntCC::Ule | IntCC::Ugt | IntCC::Uge => (distance / step) as i64,
        _ => fold::signed(distance, 8).checked_div(fold::signed(step, 8))?,
    };
    if !(0..=127).contains(&quotient) {
        return None;
    }
    let found = (-1..=1).map(|bias| quotient + bias).find(|n| (old || *n >= 1) && fails(*n))?;
    if old && found <= 0 { (found == 0).then_some(0) } else { Some(found - i64::from(ahead)) }
}

/// Mesa's trip count is right for every loop whose step stays.
#[test]
fn what_stays_is_counted() {
    let numbers = [0u64, 1, 3, 8, 60, 125, 127, 128, 131, 200, 250, 255];
    let tests = [
        ("ult", IntCC::Ult),
        ("ule", IntCC::Ule),
        ("ugt", IntCC::Ugt),
        ("uge", IntCC::Uge),
        ("slt", IntCC::Slt),
        ("sle", IntCC::Sle),
        ("sgt", IntCC::Sgt),
        ("sge", IntCC::Sge),
        ("ne", IntCC::Ne),
    ];
    let mut kept = 0;
    for (test, cc) in tests {
        for ahead in [false, true] {
            for (start, end) in numbers.iter().flat_map(|start| numbers.map(|end| (*start, end))) {
                for step in [1u64, 2, 7, 15, 30, 127, 128, 192, 250, 255] {
                    let goes =
                        |n: u64| fold::icmp(cc, 8, start.wrapping_add(n.wrapping_mul(step)) & 255, end);
                    let iterations =
                        (u64::from(ahead)..300).find(|n| !goes(*n)).map(|n| n as i64 - i64::from(ahead));
                    let wrong = |old| {
                        mesas_count(cc, (start, end, step), ahead, old).is_some_and(|n| Some(n) != iterations)
                    };
                    if !wrong(false) && !wrong(true) {
                        continue;
                    }
                    let [s, e, by] = [start, end, step].map(|n| fold::signed(n, 8).to_string());
                    let count = Count { ty: "i8", start: &s, end: &e, step: &by, test, ahead };
                    assert!(count.hides(), "{count:?}: {iterations:?}");
                    kept += 1;
                }
            }
        }
    }
    assert!(kept > 100, "{kept}");
}

/// A carried vector with a lane that wraps around: the number of opaque steps. Results must not change. `next` computes v9 from the
/// vector v3.
fn hidden_in_lanes(next: &str) -> usize {
    hidden_before("i32:62", "v0", next)
}

/// The same with another end, and another lane besides.
fn hidden_before(end: &str, second: &str, next: &str) -> usize {
    let source = format!(
        "module resolved bits=64\nfunc f0 \"f\" returns (i32, i32)\nb0(v0: i32, v1: bool):\n  v20: i32x2 = construct(i32:-29, {second})\n  br b1(v20, v0)\n\
         b1(v3: i32x2, v4: i32):\n  v5: i32 = extract v3, 0\n  v21: i32 = extract v3, 1\n  v6: bool = icmp.ugt v5, {end}\n  condbr v6, b2(), b3()\n\
         b2():\n  v7: i32 = imul v4, i32:31\n  v8: i32 = xor v7, v5\n{next}b3():\n  v30: i32 = extract v3, 1\n  return(v4, v30)\n"
    );
    let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let function = module.functions.values_mut().next().expect("a function");
    let before = function.clone();
    make_steps_opaque(function);
    for (n, truth) in [(3, 0), (77, 1)] {
        let args = [vec![Some(n)], vec![Some(truth)]];
        let runs = [&before, &*function].map(|f| interp::run(f, &args, 1, 1000));
        assert!(runs[0].allows(&runs[1]), "{runs:?}\n{source}");
        assert!(matches!(runs[0].end, interp::End::Return(_)), "{runs:?}");
    }
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module.to_string().matches("= opaque").count()
}

#[test]
fn lanes_are_counters() {
    let on = "  br b1(v9, v8)\n";
    let own = "  v10: i32 = iadd v5, i32:9\n  v9: i32x2 = insert v3, v10, 0\n";
    assert_eq!(hidden_in_lanes(&format!("{own}{on}")), 1);
    let whole = "  v10: i32x2 = construct(i32:9, v8)\n  v9: i32x2 = iadd v3, v10\n";
    assert_eq!(hidden_in_lanes(&format!("{whole}{on}")), 1);
    let turned = "  v10: i32x2 = shuffle v3, v3, (1, 0)\n  v11: i32x2 = construct(v8, i32:9)\n  v12: i32x2 = iadd v11, v10\n  \
                  v9: i32x2 = shuffle v12, v3, (1, 3)\n";
    assert_eq!(hidden_in_lanes(&format!("{turned}{on}")), 1);
    // Two successors to the next iteration: a branch and a select, of which the other lane's stays one.
    let branch = "  v10: i32 = iadd v5, i32:9\n  condbr v1, b4(), b5()\nb4():\n  v11: i32x2 = construct(v10, v8)\n  br b6(v11)\n\
                  b5():\n  v12: i32x2 = insert v3, v10, 0\n  br b6(v12)\nb6(v9: i32x2):\n";
    assert_eq!(hidden_in_lanes(&format!("{branch}{on}")), 1);
    let choice = "  v10: i32 = iadd v5, i32:9\n  v11: i32x2 = construct(v10, v8)\n  v12: i32x2 = insert v3, v10, 0\n  \
                  v9: i32x2 = select v1, v11, v12\n";
    assert_eq!(hidden_in_lanes(&format!("{choice}{on}")), 1);
    // The end is the other lane, which stays.
    assert_eq!(hidden_before("v21", "i32:62", &format!("{own}{on}")), 1);
    let none = "  v10: i32x2 = construct(i32:9, i32:0)\n  v9: i32x2 = iadd v3, v10\n";
    assert_eq!(hidden_before("v21", "i32:62", &format!("{none}{on}")), 1);
    // A value that is no sum.
    let other = "  v10: i32 = imul v5, i32:2\n  v9: i32x2 = insert v3, v10, 0\n";
    assert_eq!(hidden_in_lanes(&format!("{other}{on}")), 0);
}

#[test]
fn steps_down_to_a_negated_end_are_hidden() {
    let hides = |end: &str, step: i32, test: &str| {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32, v1: i32):\n  v2: i32 = {end}\n  \
             br b1(v0, i32:0)\nb1(v3: i32, v4: i32):\n  v7: bool = icmp.{test} v3, v2\n  condbr v7, b2(), b3()\nb2():\n  \
             v5: i32 = imul v4, i32:31\n  v6: i32 = iadd v3, i32:{step}\n  br b1(v6, v5)\nb3():\n  return(v4)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        make_steps_opaque(module.functions.values_mut().next().expect("a function"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().contains("= opaque")
    };
    for (step, test) in [(-1, "sge"), (-1, "sgt"), (-2, "sge"), (-7, "sgt")] {
        assert!(hides("ineg v1", step, test) && hides("isub i32:0, v1", step, test), "{step} {test}");
        assert!(
            !hides("isub i32:1, v1", step, test) && !hides("iadd v1, i32:-9", step, test),
            "{step} {test}"
        );
    }
    assert!(!hides("ineg v1", 1, "sle") && !hides("ineg v1", 2, "slt"), "counters that rise");
}

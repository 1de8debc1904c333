//! Tests of the pass, in text.

use crate::check::Checks;
use crate::ir::text::parse;
use crate::pipeline::run_pass;
use crate::{LowerOptions, Target};

/// A kernel with a buffer of ints, a second one, and an int, after the passes.
fn checked(body: &str, passes: &[&str]) -> String {
    let text = format!(
        "module read bits=64\nfile \"k.cl\"\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\n  arg \"q\" \"int*\" () pointer global\n  \
         arg \"n\" \"int\" () value size=4 align=4 leaves=(0)\nfunc f0 \"k\" returns ()\nb0():\n  v100: ptr.global = rootaddr arg0\n  \
         v101: ptr.global = rootaddr arg1\n  v102: ptr.block = rootaddr block\n  v103: i32 = load [v102], align=4\n  \
         v0: i32 = workitem.globalid 0\n{body}  return()\n"
    );
    let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = LowerOptions { check: Checks::BOUNDS, ..LowerOptions::default() };
    for pass in passes {
        run_pass(pass, &mut module, &Target::minimum(), &options).unwrap_or_else(|e| panic!("{e}\n{module}"));
    }
    module.to_string()
}

/// for (k = 0; k cc n; k += step) p[index] = i
fn counted(cc: &str, step: u32, index: &str) -> String {
    format!(
        "  br b1(i32:0)\nb1(v1: i32):\n  v2: bool = icmp.{cc} v1, v103\n  condbr v2, b2(), b3()\nb2():\n{index}  \
         v4: ptr.global = ptradd v100, v3, 4\n  store [v4], v0, align=4 @1:2\n  v7: i32 = iadd v1, i32:{step}\n  br b1(v7)\nb3():\n"
    )
}

const SUM: &str = "  v3: i32 = iadd v1, v0\n";

/// Returns whether a loop has a second version.
fn is_versioned(body: &str) -> bool {
    checked(body, &["version_loops"]).contains("argumentsize")
}

#[test]
fn the_first_version_has_no_checks() {
    let text = checked(&counted("slt", 1, SUM), &["version_loops", "insert_checks"]);
    // The condition, and the checks of the second version.
    assert_eq!(text.matches("argumentsize 0").count(), 2, "{text}");
    assert_eq!(text.matches("loopcontrol 2").count(), 1, "{text}");
    // The stores of both.
    assert_eq!(text.matches(", v0, align=4 @1:2").count(), 2, "{text}");
}

#[test]
fn conditions_say_that_nothing_wraps() {
    // i + k is an int.
    let text = checked(&counted("slt", 1, SUM), &["version_loops"]);
    assert!(text.contains("i64:2147483648") || text.contains("i64:2147483647"), "{text}");
    // k is below n: one step more is an int, and two may be none.
    let own = "  v3: i32 = iadd v1, i32:0\n";
    let limits = |cc, step| {
        let text = checked(&counted(cc, step, own), &["version_loops"]);
        text.lines().filter(|line| line.contains("icmp.sl") && line.contains(":21474836")).count()
    };
    assert_eq!((limits("slt", 1), limits("sle", 1), limits("slt", 2)), (0, 1, 1));
}

#[test]
fn other_loops_stay() {
    assert!(is_versioned(&counted("slt", 1, SUM)));
    // The other way to the end, and an end that is no number of the loop's.
    assert!(!is_versioned(&counted("sgt", 1, SUM)));
    assert!(!is_versioned(&counted("eq", 1, SUM)));
    // Indices from memory, in most accesses.
    let chain = "  v8: i32 = load [v101], align=4\n  v9: ptr.global = ptradd v101, v8, 4\n  v10: i32 = load [v9], align=4\n  \
                 v3: i32 = iadd v1, v10\n";
    assert!(!is_versioned(&counted("slt", 1, chain)));
    // A barrier belongs to all versions.
    let barrier = "  barrier workgroup workgroup acquire|release|local\n";
    assert!(!is_versioned(&counted("slt", 1, &format!("{barrier}{SUM}"))));
}

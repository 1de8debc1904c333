use super::unroll_for_sroa::unroll_function;
use crate::ir::interp::{self, region};
use crate::ir::{text, verify};
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;

/// Unrolls a function that counts `v1` from 0 to `end`, and stores and loads the array at `index`. Checks that it computes the same, and
/// returns whether a loop was unrolled.
fn is_unrolled(end: u32, step: u32, index: &str, control: u32) -> bool {
    let source = format!(
        "module read bits=64\nfunc f0 \"f\" returns (i32)\n  slot s0 \"a\" size=256 align=4\nb0(v0: ptr.global, v9: i32):\n  br b1(i32:0, i32:5)\n\
         b1(v1: i32, v7: i32):\n  v2: bool = icmp.ult v1, i32:{end}\n  loopcontrol {control}\n  condbr v2, b2(), b4()\n\
         b2():\n  v3: i64 = convert.zext {index}\n  v4: ptr.private = rootaddr s0\n  v5: ptr.private = ptradd v4, v3, 4\n  \
         store [v5], v7, align=4\n  v6: i32 = load [v5], align=4\n  store [v0], v6, align=4\n  v10: i32 = imul v6, i32:3\n  \
         v8: i32 = iadd v1, i32:{step}\n  br b1(v8, v10)\n\
         b4():\n  v11: i32 = iadd v7, v1\n  return(v11)\n"
    );
    let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let function = module.functions.values_mut().next().expect("a function");
    let args = [vec![Some(region(0))], vec![Some(3)]];
    let before = interp::run(function, &args, 1, 5000);
    let done = unroll_function(function, 64);
    let after = interp::run(function, &args, 1, 5000);
    assert!(before.allows(&after), "{:?} {:?}\n{module}", before.end, after.end);
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    done
}

#[test]
fn counted_loops_over_private_arrays() {
    assert!(is_unrolled(64, 1, "v1", 0));
    assert!(is_unrolled(64, 2, "v1", 0));
    assert!(is_unrolled(0, 2, "v1", 0));
    assert!(!is_unrolled(64, 0, "v1", 0), "without end");
    assert!(!is_unrolled(64, 1, "v9", 0), "an index that is not known");
    assert!(!is_unrolled(64, 1, "v1", 2), "the source forbids it");
}

/// The outer loop's counter ends the inner loop; a value of the inner loop is used behind it.
#[test]
fn triangular_nests() {
    let source = "module read bits=64
func f0 \"f\" returns (i32)
  slot s0 \"a\" size=64 align=4
b0(v0: ptr.global, v1: i32):
  br b1(i32:0, i32:0)
b1(v2: i32, v3: i32):
  v4: bool = icmp.ult v2, i32:6
  condbr v4, b2(), b7()
b2():
  v5: ptr.private = rootaddr s0
  v6: ptr.private = ptradd v5, v2, 4
  v7: i32 = iadd v1, v2
  store [v6], v7, align=4
  br b3(i32:0, v3)
b3(v8: i32, v9: i32):
  v10: bool = icmp.ule v8, v2
  condbr v10, b4(), b6()
b4():
  v11: ptr.private = ptradd v5, v8, 4
  v12: i32 = load [v11], align=4
  v13: i32 = iadd v9, v12
  v14: i32 = iadd v8, i32:1
  v19: bool = icmp.eq v13, i32:77
  condbr v19, b6(), b5()
b5():
  br b3(v14, v13)
b6():
  v15: i32 = iadd v2, i32:1
  v16: i32 = iadd v9, v8
  br b1(v15, v16)
b7():
  v17: ptr.private = rootaddr s0
  v18: i32 = load [v17], align=4
  v20: i32 = iadd v18, v3
  return(v20)
";
    let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let function = module.functions.values_mut().next().expect("a function");
    for start in [0, 7, 77, 71] {
        let mut copy = function.clone();
        let args = [vec![Some(region(0))], vec![Some(start)]];
        let before = interp::run(&copy, &args, 1, 5000);
        mem2reg::promote_function(&mut copy, 8);
        simplify::simplify_function(&mut copy, 64);
        assert!(unroll_function(&mut copy, 64));
        let after = interp::run(&copy, &args, 1, 5000);
        assert!(before.allows(&after) && copy.slots.len() == 1, "{:?} {:?}", before.end, after.end);
    }
    assert!(unroll_function(function, 64));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
}

//! Printing and parsing are each other's reverse, and the verifier accepts what is right.

use super::parse;
use crate::ir::verify::verify;

const EVERYTHING: &str = r#"module read bits=64
file "a \"quoted\".cl"
opaque o0 image.two.arrayed.readonly
opaque o1 image.buffer.readwrite
global g0 "table" constant size=16 align=4 init="01ff" addresses=(8: g1)
global g1 "state" global size=8 align=8
kernel "k" f0 reqd=(8, 1, 1) contraction_off arena=32 of=(1, 2)
  arg "out" "int*" ("restrict", "const") pointer global restrict read_only
  arg "n" "struct s" () value size=8 align=4 leaves=(0, 4)
func f0 "k" returns ()
  slot s0 "tmp" size=16 align=4
  slot s1 size=4 align=4
b0(v0 "out": ptr.global, v1 "n": i32, v2: f32):
  v3: i32 = iadd v1, i32:-5 @1:3
  v4: ptr.global = ptradd v0, v3, 4
  v5: f32x4 = load [v4], align=16 volatile
  v6: f32x2 = shuffle v5, f32x4:undef, (0, _)
  store [v4], v6, align=8
  v7: i32 = atomic.compareexchange [v4] (v3, i32:0) device acquire|release|global
  v8: bool = fcmp.ult v2, f32:0x7fc00000
  v9: i32 = convert.ftos.sat.tozero f32:-1.5
  v10: ptr.private = rootaddr s0
  v11: ptr.generic = ptrcast v10
  copy v11, v4, 16, align=4
  barrier workgroup workgroup acquire|release|local
  v12: i64 = extinst 141(v10)
  v13: i32, v14: f32 = call f1(v9)
  loopcontrol 2
  condbr v8, b1(), b2(v7)
b1():
  switch v7, b3(v3), (0: b3(i32:1), 7: b2(v7))
b2(v15: i32):
  br b3(v15)
b3(v16: i32):
  return()
func f1 "g" returns (i32, f32) inline=false
b0(v0: i32):
  v1: i32 = workitem.globalid 2
  return(v1, f32:0.1)
func f2 "h" returns ()
b0(v0: o0, v1: i32x4, v2: f32x4, v3: o1):
  v4: i32 = samplerbits 3
  v5: f32x4 = image.sample.float.given v0(v4, v2, f32:1.5)
  v6: i32x4 = image.read.any v3(v1)
  image.write.uint v3(v1, v6)
  v7: i32x4 = image.fetch.sint arg2(v1, i32:0)
  v8: f32x4 = image.filter.zero v0(v4, v2)
  v9: f32x4 = image.filter.gradients.literal.39 arg0(v2, v2, v2)
  v10: f32x4 = image.load.float arg1(v1)
  image.store.float arg1(v1, v10)
  v11: i32 = image.size.1 v0()
  v12: i32 = image.format arg0()
  v13: i32 = image.levels arg0()
  return()
func f3 "together" returns ()
b0(v0: i32x4, v1: i32, v2: f32, v3: bool):
  v4: bool = group.elect subgroup()
  v5: i32x4 = group.ballot subgroup(v3)
  v6: i32 = group.ballotcount.exclusive subgroup(v5)
  v7: f32 = group.combine.fadd.inclusive workgroup(v2)
  v8: i32 = group.combine.smin.clustered subgroup(v1, i32:4)
  v9: i32x4 = group.shuffle subgroup(v0, v1)
  v10: f32 = group.broadcast workgroup(v2, v1, i32:0)
  v11: i32 = workitem.subgroupltmask 3
  return()
"#;

#[test]
fn round_trip() {
    let module = parse(EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    let text = module.to_string();
    assert_eq!(text, EVERYTHING);
    assert_eq!(parse(&text).unwrap().to_string(), text);
    assert_eq!(verify(&module), Ok(()));
}

/// Each change breaks the invariant that is named.
#[test]
fn broken() {
    let cases = [
        ("iadd v1, i32:-5", "iadd v0, i32:-5", "V-8"),
        ("iadd v1, i32:-5", "iadd v7, i32:-5", "V-3"),
        ("iadd v1, i32:-5", "iadd v99, i32:-5", "V-3"),
        ("br b3(v15)", "br b3()", "V-5"),
        ("br b3(v15)", "br b0()", "V-4"),
        ("br b3(v15)", "br b9(v15)", "V-5"),
        ("7: b2", "0: b2", "V-7"),
        ("return(v1, f32:0.1)", "return(v1)", "V-7"),
        ("load [v4], align=16", "load [v4], align=3", "V-10"),
        ("call f1(v9)", "call f1()", "V-12"),
        ("leaves=(0, 4)", "leaves=(0)", "V-13"),
        ("init=\"01ff\" addresses=(8: g1)", "init=\"01ff\" addresses=(9: g1)", "V-14"),
        ("loopcontrol 2", "merge selection b3", "V-17"),
        ("module read", "module resolved", "V-15"),
    ];
    for (from, to, invariant) in cases {
        let text = EVERYTHING.replacen(from, to, 1);
        assert_ne!(text, EVERYTHING);
        let message = verify(&parse(&text).unwrap()).unwrap_err();
        assert!(message.contains(invariant), "{to}: {message}");
    }
}

const STRUCTURED: &str = r#"module structured bits=64
func f0 "f" returns (i32)
b0(v0: i32):
  br b1(i32:0)
b1(v1: i32):
  merge loop b5, b4, 0
  br b2()
b2():
  v2: bool = icmp.slt v1, v0
  merge selection b3
  condbr v2, b3(), b6()
b6():
  br b5()
b3():
  br b4()
b4():
  v3: i32 = iadd v1, i32:1
  br b1(v3)
b5():
  return(v1)
"#;

#[test]
fn structured() {
    assert_eq!(verify(&parse(STRUCTURED).unwrap()), Ok(()));
    let cases = [
        ("  merge loop b5, b4, 0\n", "", "S-"),
        ("b6():\n  br b5()", "b6():\n  br b1(v1)", "S-4"),
        ("merge selection b3", "merge selection b5", "S-2"),
        ("b3():\n  br b4()", "b3():\n  br b6()", "S-"),
    ];
    for (from, to, rule) in cases {
        let message = verify(&parse(&STRUCTURED.replacen(from, to, 1)).unwrap()).unwrap_err();
        assert!(message.contains(rule), "{to}: {message}");
    }
}

/// The two visits of an instruction's operands, both made of the table, agree in number and order.
#[test]
fn operands_are_visited_in_one_order() {
    let module = parse(EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    let kinds = module.functions.values().flat_map(|f| f.insts.values()).map(|data| &data.kind);
    let mut seen = 0;
    for kind in kinds {
        let mut by_change = Vec::new();
        kind.clone().map_values(|value| {
            by_change.push(value);
            value
        });
        assert_eq!(kind.values().collect::<Vec<_>>(), by_change, "{kind:?}");
        seen += by_change.len();
    }
    assert!(seen > 40, "{seen}");
}

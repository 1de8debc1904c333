use super::*;
use crate::ir::interp;
use crate::ir::text::parse;
use crate::ir::verify::verify;
use crate::{LowerOptions, Target};

fn inlined(text: &str) -> Result<String, LowerError> {
    let mut module = parse(text).unwrap();
    verify(&module).unwrap();
    let (target, options) = (Target::minimum(), LowerOptions::default());
    run(&mut module, &PassContext { target: &target, options: &options })?;
    let text = module.to_string();
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Ok(text)
}

#[test]
fn blocks_and_pointers() {
    let text = inlined(
        r#"module read bits=64
kernel "k" f1
  arg "p" "int*" () pointer global
kernel "l" f1
  arg "p" "int*" () pointer global
func f0 "g" returns (i32)
  slot s0 size=4 align=4
b0(v0: ptr.global, v1: i32):
  v2: ptr.private = rootaddr s0
  store [v2], v1, align=4
  v3: bool = icmp.eq v1, i32:0
  condbr v3, b1(), b2(i32:7)
b1():
  v4: i32 = load [v0], align=4
  br b2(v4)
b2(v5: i32):
  return(v5)
func f1 "k" returns ()
b0(v0: ptr.global):
  br b1(i32:0)
b1(v1: i32):
  loopcontrol 1
  v2: i32 = call f0(v0, v1)
  v3: i32 = call f2(v2)
  v4: bool = icmp.eq v3, i32:9
  condbr v4, b2(), b3()
b2():
  v5: i32 = call f0(v0, v3)
  br b1(v5)
b3():
  store [v0], v2, align=4
  return()
func f2 "twice" returns (i32)
b0(v0: i32):
  v1: i32 = iadd v0, v0
  return(v1)
"#,
    )
    .unwrap();
    assert!(!text.contains("call") && text.contains("kernel \"l\" f1"), "{text}");
    assert_eq!(text.matches("loopcontrol 1").count(), 2, "{text}");
}

/// A leaf with a branch, and calls of it in a row, in a loop and in a branch. Each call uses results of earlier ones.
const CALLS: &str = r#"module read bits=64
kernel "k" f2
  arg "p" "int*" () pointer global
  arg "n" "int" () value size=4 align=4 leaves=(0)
func f0 "leaf" returns (i32)
b0(v0: ptr.global, v1: i32):
  v2: bool = icmp.slt v1, i32:3
  condbr v2, b1(), b2(i32:7)
b1():
  v3: i32 = load [v0], align=4
  br b2(v3)
b2(v4: i32):
  v5: i32 = imul v4, v1
  store [v0], v5, align=4
  return(v5)
func f1 "middle" returns (i32)
b0(v0: ptr.global, v1: i32):
  v2: i32 = call f0(v0, v1)
  v3: i32 = iadd v1, i32:1
  v4: i32 = call f0(v0, v3)
  v5: ptr.global = ptroffset v0, 4
  v6: i32 = call f0(v5, v2)
  v7: i32 = imul v2, i32:10
  v8: i32 = isub v7, v4
  br b1(v8, i32:0)
b1(v9: i32, v10: i32):
  v11: bool = icmp.slt v10, i32:3
  condbr v11, b2(), b3()
b2():
  v12: i32 = call f0(v5, v10)
  v13: i32 = iadd v9, v12
  v14: i32 = iadd v13, v6
  v15: i32 = iadd v10, i32:1
  br b1(v14, v15)
b3():
  v16: i32 = iadd v9, v2
  return(v16)
func f2 "k" returns ()
b0(v0: ptr.global, v1: i32):
  v2: i32 = call f1(v0, v1)
  v3: i32 = call f1(v0, v2)
  v4: bool = icmp.eq v1, i32:1
  condbr v4, b1(), b2(v3)
b1():
  v5: i32 = call f0(v0, v3)
  br b2(v5)
b2(v6: i32):
  v7: i32 = isub v6, v2
  v8: ptr.global = ptroffset v0, 8
  store [v8], v7, align=4
  return()
"#;

#[test]
fn one_copy_for_all_calls() {
    let with = |limit: u64, parameters: usize| {
        let mut module = parse(CALLS).unwrap();
        let order = callees_first(&module).unwrap();
        let counts = stay::count(&module, &order);
        let mut plan = plan::plan(&module, &order, &counts, limit);
        plan.parameters = parameters;
        if limit > 0 {
            plan.shared.clear();
        }
        inline_all(&mut module, &order, &counts, &plan).unwrap();
        verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(module.functions.len(), 1, "{module}");
        module
    };
    let (copies, values, memory) = (with(1, 1 << 20), with(0, 1 << 20), with(0, 0));
    let stores = |m: &Module| m.to_string().matches("store [v").count();
    // The leaf's store and the kernel's; variables in memory have more.
    assert!(stores(&copies) > 5 && stores(&values) == 2 && stores(&memory) > 2, "{values}");
    for n in 0..6 {
        let run = |m: &Module| {
            let f = m.functions.values().next().expect("one");
            interp::run(f, &[vec![Some(interp::region(0))], vec![Some(n)]], n, 5000)
        };
        let before = run(&copies);
        assert!(matches!(before.end, interp::End::Return(_)), "{copies}");
        for shared in [&values, &memory] {
            let after = run(shared);
            assert!(before.allows(&after), "{n}: {:?} {:?}\n{shared}", before.end, after.end);
        }
    }
}

/// A function whose one call is in a function that is copied: the call stays if the copies would be alike, else it is inlined.
#[test]
fn called_by_copies() {
    let work: String = (1..30).map(|n| format!("  v{}: i32 = imul v{}, v0\n", n + 1, n)).collect();
    let module = |arg: &str| {
        format!(
            r#"module read bits=64
kernel "k" f2
  arg "p" "int*" () pointer global
func f0 "leaf" returns (i32)
b0(v0: i32, v1: i32):
{work}  return(v30)
func f1 "middle" returns ()
b0(v0: ptr.global):
  v1: i32 = load [v0], align=4
  v2: i32 = call f0(v1, {arg})
  store [v0], v2, align=4
  return()
func f2 "k" returns ()
b0(v0: ptr.global):
  call f1(v0)
  call f1(v0)
  return()
"#
        )
    };
    let calls = |arg: &str| inlined(&module(arg)).unwrap().matches("call.pure f").count();
    assert_eq!((calls("v1"), calls("i32:7")), (2, 0));
}

/// Two calls that stay with equal arguments become one; a call with an unused result goes.
#[test]
fn pure_calls_are_numbered() {
    let work: String = (1..60).map(|n| format!("  v{}: i32 = imul v{}, v0\n", n + 1, n)).collect();
    let text = format!(
        r#"module read bits=64
kernel "k" f1
  arg "p" "int*" () pointer global
func f0 "leaf" returns (i32)
b0(v0: i32, v1: i32):
{work}  return(v60)
func f1 "k" returns ()
b0(v0: ptr.global):
  v1: i32 = load [v0], align=4
  v2: i32 = call f0(v1, v1)
  store [v0], v2, align=4
  v3: i32 = call f0(v1, v1)
  v4: i32 = call f0(v1, v3)
  v5: i32 = call f0(v2, v3)
  v6: i32 = iadd v3, v4
  store [v0], v6, align=4
  return()
"#
    );
    let mut module = parse(&inlined(&text).unwrap()).unwrap();
    module.functions.values_mut().for_each(|f| simplify::simplify_function(f, 64));
    let text = module.to_string();
    assert_eq!((text.matches("call.pure f").count(), text.matches("store").count()), (2, 2), "{text}");
}

/// How many calls of a function stay in a kernel that calls it so many times, each time with the result of the call before.
fn calls_that_stay(leaf: &str, times: usize, more: &str) -> usize {
    let call = |n: usize| format!("  v{}: i32 = call f0(v{n}{more})\n", n + 1);
    let calls: String = (1..=times).map(call).collect();
    let module = format!(
        r#"module read bits=64
kernel "k" f1
  arg "p" "int*" () pointer global
func f0 "leaf" returns (i32)
{leaf}func f1 "k" returns ()
b0(v0: ptr.global):
  v1: i32 = load [v0], align=4
{calls}  store [v0], v{}, align=4
  return()
"#,
        times + 1
    );
    inlined(&module).unwrap().matches("call.pure f").count()
}

/// A small function is copied for each call, but for a thousand.
#[test]
fn called_often() {
    let leaf = "b0(v0: i32):
  v1: bool = icmp.slt v0, i32:3
  condbr v1, b1(), b2(i32:7)
b1():
  v2: i32 = imul v0, v0
  v3: i32 = isub v2, i32:5
  br b2(v3)
b2(v4: i32):
  v5: i32 = imul v4, v0
  v6: i32 = imul v5, v4
  v7: i32 = isub v6, v0
  return(v7)
";
    assert_eq!((calls_that_stay(leaf, 100, ""), calls_that_stay(leaf, 1000, "")), (0, 1000));
}

/// A copy has nothing of what depends on parameters alone that are constant in every call. Rotations by constants are always inlined.
#[test]
fn called_often_with_constants() {
    let rotate = "b0(v0: i32, v1: i32):
  v2: i32 = and v1, i32:31
  v3: i32 = shl v0, v2
  v4: i32 = isub i32:0, v1
  v5: i32 = and v4, i32:31
  v6: i32 = lshr v0, v5
  v7: i32 = or v3, v6
  return(v7)
";
    assert_eq!((calls_that_stay(rotate, 1000, ", i32:7"), calls_that_stay(rotate, 1000, ", v1")), (0, 1000));
}

#[test]
fn recursion() {
    let text = "module read bits=64\nfunc f0 \"r\" returns ()\nb0():\n  call f0()\n  return()\n";
    assert!(matches!(inlined(text), Err(LowerError::InvalidModule(_))));
}

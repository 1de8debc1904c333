//! Shapes, and how many junctions they need.

use super::*;
use crate::ir::text::parse;
use crate::ir::{BranchTarget, Constant, Terminator, Type};
use smallvec::SmallVec;

/// A function from lists of successors: none returns, one branches, two branch on a parameter, more switch.
fn graph(edges: &[&[u32]]) -> Function {
    let mut f = Function::new("f", &[Type::BOOL, Type::I32], &[]);
    for _ in 1..edges.len() {
        f.new_block();
    }
    let (cond, value) = (f.params()[0], f.params()[1]);
    let to = |n: u32| BranchTarget { block: Block(n), args: SmallVec::new() };
    for (i, next) in edges.iter().enumerate() {
        f.blocks[Block(i as u32)].term = match next {
            [] => Terminator::Return(SmallVec::new()),
            [a] => Terminator::Branch(to(*a)),
            [a, b] => Terminator::CondBranch { cond, then: to(*a), els: to(*b) },
            [first, rest @ ..] => {
                let cases = rest.iter().enumerate().map(|(n, b)| (n as u64, to(*b))).collect();
                Terminator::Switch { value, cases, default: to(*first) }
            }
        };
    }
    f
}

/// The function as it can be before the last stage.
fn forget_merges(f: &mut Function) {
    for block in f.layout.clone() {
        f.blocks[block].merge = None;
    }
}

#[track_caller]
fn needs(edges: &[&[u32]], loops: usize, branches: usize) {
    let mut f = graph(edges);
    let found = structurize(&mut f).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found, Junctions { loops, branches });
}

#[test]
fn structured_graphs_need_no_junctions() {
    // if / else, nested
    needs(&[&[1, 2], &[3, 4], &[5], &[5], &[5], &[]], 0, 0);
    // consecutive early returns that share one end, as after inlining
    needs(&[&[4, 1], &[4, 2], &[4, 3], &[4], &[]], 0, 0);
    // a loop with continue and break, and code before the break
    needs(&[&[1], &[2, 6], &[3, 1], &[4, 5], &[6], &[1], &[]], 0, 0);
    // a loop in a loop; a return from within
    needs(&[&[1], &[2, 6], &[3, 1], &[4, 2], &[], &[], &[]], 0, 0);
    // break from ifs in a switch
    needs(&[&[1, 2, 3], &[4, 5], &[6], &[6], &[6, 5], &[6], &[]], 0, 0);
    // both successors are one block
    needs(&[&[1, 1], &[2, 2, 2], &[]], 0, 0);
    // cases that fall through, one after a condition, one with a break
    needs(&[&[4, 1, 2, 3], &[5, 6], &[3], &[4], &[], &[2], &[4]], 0, 0);
    // the default falls into a case
    needs(&[&[1, 2, 3], &[2], &[3], &[]], 0, 0);
    // continue from nested conditions, where the loop has a step
    needs(&[&[1], &[2, 9], &[3, 4], &[8, 5], &[6, 8], &[4], &[7], &[8], &[1], &[]], 0, 0);
    // a loop without end
    needs(&[&[1], &[1]], 0, 0);
}

#[test]
fn other_graphs_need_few() {
    // a shared else: if (a && b) x; else y;
    needs(&[&[1, 3], &[2, 3], &[4], &[4], &[]], 0, 1);
    // two cases that fall into one
    needs(&[&[1, 2, 3, 4], &[3], &[3], &[4], &[]], 0, 1);
    // a break out of two loops: the inner one has two exits, the outer one
    needs(&[&[1], &[2, 5], &[3, 1], &[5, 2], &[], &[]], 1, 0);
    // a goto into a loop
    needs(&[&[1, 2], &[2], &[1, 3], &[]], 1, 0);
}

/// The path of one exit ends in that of another. The first moves the second into the loop too.
#[test]
fn exits_that_meet_are_taken_once() {
    needs(&[&[1], &[2, 4], &[3, 5], &[1, 6], &[5], &[6], &[7], &[]], 0, 0);
    needs(&[&[1], &[2, 4, 5, 6], &[1, 7], &[], &[5, 6], &[6], &[7], &[]], 0, 0);
}

#[test]
fn values_survive_an_entry_in_the_middle() {
    let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: bool, v1: i32):
  v2: i32 = iadd v1, i32:1
  condbr v0, b1(v2), b2(v1)
b1(v3: i32):
  v4: i32 = iadd v3, v2
  br b2(v4)
b2(v5: i32):
  v6: i32 = iadd v5, v2
  condbr v0, b1(v6), b3()
b3():
  return(v6)
";
    let mut module = parse(text).unwrap();
    for function in module.functions.values_mut() {
        let found = structurize(function).unwrap();
        assert_eq!(found, Junctions { loops: 1, branches: 0 });
        forget_merges(function);
    }
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
}

/// A value on one exit's path is used after the loop, at the target of the other exit.
#[test]
fn values_survive_a_shared_exit() {
    let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: bool, v1: i32):
  br b1()
b1():
  condbr v0, b2(), b5()
b2():
  v2: i32 = iadd v1, v1
  condbr v0, b1(), b4()
b4():
  br b6(v2)
b5():
  br b6(v1)
b6(v3: i32):
  return(v3)
";
    let mut module = parse(text).unwrap();
    for function in module.functions.values_mut() {
        let found = structurize(function).unwrap();
        assert_eq!(found, Junctions { loops: 1, branches: 0 });
        forget_merges(function);
    }
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
}

#[test]
fn one_block_never_hands_two_sets_of_values_to_one() {
    let mut f = graph(&[&[1, 2], &[3, 4, 3, 4], &[3, 4], &[5], &[5], &[]]);
    let param = f.add_param(Block(3), Type::I32);
    let known = f.constant(Type::I32, Constant::Bits(7));
    let value = f.params()[1];
    for block in [1, 2] {
        for (n, target) in f.blocks[Block(block)].term.targets_mut().enumerate() {
            if target.block == Block(3) {
                target.args.push(if n == 0 { value } else { known });
            }
        }
    }
    f.append(Block(3), crate::ir::InstKind::Unary(crate::ir::UnaryOp::Not, param), Type::I32);
    structurize(&mut f).unwrap_or_else(|e| panic!("{e}"));
    for block in &f.layout {
        let targets = f.blocks[*block].term.targets();
        for a in targets.iter() {
            assert!(targets.iter().all(|b| a.block != b.block || a.args == b.args));
        }
    }
}

/// Consecutive loops, each entered at its header or in its middle and left in two places.
fn tangled(count: u32) -> Function {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for n in 0..count {
        let at = 4 * n;
        // Before; head, left to the next; middle, back to the head or to the step; the step.
        edges.extend([[at + 1, at + 2], [at + 2, at + 4], [at + 1, at + 3], [at + 4, at + 1]]);
    }
    let edges: Vec<&[u32]> = edges.iter().map(|e| e.as_slice()).chain([&[][..]]).collect();
    graph(&edges)
}

#[test]
fn the_result_grows_with_the_function() {
    let size = |count: u32| {
        let mut f = tangled(count);
        structurize(&mut f).unwrap_or_else(|e| panic!("{e}"));
        let insts: usize =
            f.layout.iter().map(|b| f.blocks[*b].insts.len() + f.blocks[*b].params.len()).sum();
        (f.layout.len(), insts)
    };
    let (small, large) = (size(100), size(800));
    assert!(large.0 <= 9 * small.0 && large.1 <= 9 * small.1, "{small:?} {large:?}");
}

#[test]
fn no_case_leaves_a_loop_for_naga() {
    // A loop around a switch, whose default and last case leave the loop.
    let edges: &[&[u32]] = &[&[1], &[6, 2, 3, 4], &[5], &[5], &[6], &[1], &[]];
    let mut f = graph(edges);
    structurize(&mut f).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(left_with_a_loop(&f).len(), 1, "other consumers have such a switch");
    let mut f = graph(edges);
    let limits = Limits { no_fall_through: true, ..Limits::default() };
    within(&mut f, &limits).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(left_with_a_loop(&f), []);
}

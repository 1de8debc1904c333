//! Jump threading: a branch to a block that only repeats its decision goes to where that block would branch.
//!
//! ```text
//! b1: condbr v1, b2(), b3(false)   b2: … br b3(v2)   b3(v3): condbr v3, b4(), b5()
//! → b1: condbr v1, b2(), b5()
//! ```
//!
//! `while (i < n && a[i])` has two tests whose results merge in a block that branches by them. RADV's compiler keeps that block
//! (`Quirks::lacks_jump_threading`). The loop then carries a mask of its own for the condition, and the result of the second test is not known
//! behind it. Here the first test exits the loop by itself, or skips the code that depends on both.
//!
//! Only branches that stay structured are redirected: out of one loop, or to a block that the other path reaches, too.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{Block, BranchTarget, Function, Terminator, Value, ValueDef};
use crate::transform::cleanup;
use rustc_hash::FxHashSet;

/// A block that only branches by one of its parameters.
struct MergeTest {
    block: Block,
    /// The index of that parameter.
    condition: usize,
    then: BranchTarget,
    els: BranchTarget,
}

/// Limit on the tests in a row that are followed.
const MAX_ITERATIONS: usize = 8;

/// Threads the jumps of one function.
pub fn thread_jumps(function: &mut Function) {
    for _ in 0..MAX_ITERATIONS {
        if !redirect(function) {
            break;
        }
    }
}

/// Redirects branches once, and returns whether there were any.
fn redirect(function: &mut Function) -> bool {
    let merge_tests: Vec<MergeTest> =
        function.layout.iter().skip(1).filter_map(|b| merge_test(function, *b)).collect();
    if merge_tests.is_empty() {
        return false;
    }
    let Some((cfg, loops)) = function.loops() else { return false };
    let used = used_elsewhere(function, &merge_tests);
    let mut changed = false;
    for merge_test in &merge_tests {
        let params = function.blocks[merge_test.block].params.clone();
        let is_header = loops.loops.iter().any(|l| l.header == merge_test.block);
        if is_header || params.iter().any(|p| used.contains(p)) {
            continue;
        }
        for from in cfg.preds(merge_test.block).iter().copied().collect::<FxHashSet<Block>>() {
            if loops.innermost(from) != loops.innermost(merge_test.block) {
                continue;
            }
            for successor in 0..function.blocks[from].term.targets().len() {
                let Some(target) =
                    function.blocks[from].term.target(successor).filter(|t| t.block == merge_test.block)
                else {
                    continue;
                };
                let Some(decided) =
                    target.args.get(merge_test.condition).and_then(|v| function.const_bits(*v))
                else {
                    continue;
                };
                let (to, other) = if decided != 0 {
                    (&merge_test.then, &merge_test.els)
                } else {
                    (&merge_test.els, &merge_test.then)
                };
                if !is_structured(function, &cfg, &loops, (merge_test.block, to.block), other.block) {
                    continue;
                }
                let known = target.args.clone();
                let mut to = to.clone();
                for arg in &mut to.args {
                    if let Some(n) = params.iter().position(|p| p == arg) {
                        *arg = known[n];
                    }
                }
                if let Some(target) = function.blocks[from].term.target_mut(successor) {
                    *target = to;
                    changed = true;
                }
            }
        }
    }
    if changed {
        cleanup::remove_unreachable(function);
        cleanup::order_layout(function);
    }
    changed
}

fn merge_test(function: &Function, block: Block) -> Option<MergeTest> {
    let data = &function.blocks[block];
    let Terminator::CondBranch { cond, then, els } = &data.term else { return None };
    let ValueDef::Param(of, condition) = function.values[*cond].def else { return None };
    (data.insts.is_empty()
        && of == block
        && then.block != els.block
        && then.block != block
        && els.block != block)
        .then(|| MergeTest { block, condition: condition.into(), then: then.clone(), els: els.clone() })
}

/// The parameters of merge tests that other blocks use, too.
fn used_elsewhere(function: &Function, merge_tests: &[MergeTest]) -> FxHashSet<Value> {
    let own: FxHashSet<Block> = merge_tests.iter().map(|j| j.block).collect();
    let mut used = FxHashSet::default();
    for &block in &function.layout {
        let data = &function.blocks[block];
        let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
        for value in insts.chain(data.term.values()) {
            if let ValueDef::Param(of, _) = function.values[value].def
                && of != block
                && own.contains(&of)
            {
                used.insert(value);
            }
        }
    }
    used
}

/// Returns whether a branch past a block to one of its successors needs no selector. It exits the block's loop, or all paths behind the other
/// successor reach its target.
fn is_structured(
    function: &Function,
    cfg: &Cfg,
    loops: &Loops,
    (merge_test, to): (Block, Block),
    other: Block,
) -> bool {
    if let Some(index) = loops.innermost(merge_test) {
        if loops.loops[index].header == to {
            return false;
        }
        if !loops.contains(index, to) {
            return true;
        }
    }
    if cfg.preds(other) != [merge_test]
        || loops.innermost(other) != loops.innermost(merge_test) && loops.innermost(other).is_some()
    {
        return false;
    }
    let within = |block: Block| cfg.dominates(other, block);
    let behind = function.layout.iter().filter(|b| within(**b));
    behind.flat_map(|b| function.blocks[*b].term.targets()).all(|t| within(t.block) || t.block == to)
}

#[cfg(test)]
mod tests {
    use super::thread_jumps;
    use crate::ir::Module;
    use crate::passes::fuzz;
    use crate::passes::optimize::mem2reg;
    use crate::passes::optimize::simplify;

    fn threaded(body: &str) -> String {
        fuzz::changed(body, |function| {
            thread_jumps(function);
        })
    }

    const TWO_TESTS: &str = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: bool = icmp.ult v2, v1\n  \
                             condbr v3, b2(), b3(bool:0, v2)\nb2():\n  v4: ptr.global = ptradd v0, v2, 1\n  v5: i8 = load [v4], align=1\n  \
                             v6: bool = icmp.ult v5, i8:-60\n  br b3(v6, v1)\nb3(v7: bool, v8: i32):\n  condbr v7, b4(), b5(v8)\nb4():\n  \
                             v9: i32 = iadd v2, i32:1\n  br b1(v9)\nb5(v10: i32):\n  v11: i32 = imul v10, v2\n  return(v11)\n";

    #[test]
    fn two_tests_of_a_loop() {
        let text = threaded(TWO_TESTS);
        assert!(text.contains("condbr v3, b2(), b5(v2)"), "{text}");
        // The condition is used again behind the test.
        let body = TWO_TESTS.replace("iadd v2, i32:1", "select v7, i32:99, v2");
        assert!(threaded(&body).contains("condbr v3, b2(), b3(bool:0, v2)"));
    }

    #[test]
    fn code_that_depends_on_both_tests_is_skipped() {
        let body = "b0(v0: ptr.global, v1: i32):\n  v3: bool = icmp.ult v1, i32:5\n  condbr v3, b2(), b3(bool:0)\nb2():\n  v5: i32 = load [v0], align=1\n  \
                    v6: bool = icmp.ult v5, v1\n  br b3(v6)\nb3(v7: bool):\n  condbr v7, b4(), b5(v1)\nb4():\n  store [v0], v1, align=4\n  br END\nb5(v10: i32):\n  \
                    return(v10)\nb6(v11: i32):\n  v12: i32 = iadd v11, i32:7\n  return(v12)\n";
        let text = threaded(&body.replace("END", "b5(i32:3)"));
        assert!(text.contains("condbr v3, b2(), b5(v1)"), "{text}");
        // Two paths that do not merge: a selector would replace the parameter.
        let text = threaded(&body.replace("END", "b6(i32:3)").replace("return(v10)", "br b6(v10)"));
        assert!(text.contains("condbr v3, b2(), b3(bool:0)"), "{text}");
    }

    #[test]
    fn random_graphs() {
        let threaded = |m: &mut Module| {
            let f = m.functions.values_mut().next().expect("one");
            while mem2reg::promote_function(f, 8) == mem2reg::Promotion::Some {}
            simplify::simplify_function(f, 64);
            thread_jumps(f);
        };
        fuzz::check(200, 12, &[threaded]);
    }
}

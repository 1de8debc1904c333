//! Return unification: a function gets one return block, because llvmpipe loses work-items at returns inside loops.
//!
//! In a function with loops, every other return becomes a branch to that block:
//!
//! ```text
//! for (i = 0; x[i] != 7; i++) { if (x[i] == 8) return; }  use(i);
//! ```
//!
//! Mesa's llvmpipe (22.3) does not execute `use(i)` if the loop's condition reads memory, even though nothing returns. With one return
//! the loop is left by a branch, whose selector is tested after the loop, and the result is right.
//!
//! llvmpipe does not execute conditions that are nested 80 deep, and nests the code after a return one level deeper. A function with
//! many returns therefore becomes a loop that its returns leave and that never iterates. The condition of its back edge is an opaque false.
//!
//! The pass does not touch functions without loops and with few returns.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, Function, InstKind, Module, Terminator, Type, UnaryOp, Value};
use smallvec::SmallVec;

/// The number of returns from which a function becomes a loop. Fewer leave enough levels for enclosing conditions.
const MANY: usize = 16;

/// Joins the returns of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let lost = context.target.quirks.unreached_after_loop_returns;
    module.functions.values_mut().for_each(|f| mend(f, lost));
    Ok(())
}

/// `lost`: returns in loops are lost, too.
fn mend(function: &mut Function, lost: bool) {
    let returns = returning(function);
    if returns.len() >= MANY {
        enclose(function, &returns);
    } else if lost && returns.len() > 1 && !Cfg::new(function).loops().loops.is_empty() {
        join_returns(function, &returns);
    }
}

/// The blocks that return.
pub(crate) fn returning(function: &Function) -> Vec<Block> {
    let returns = |block: &Block| matches!(function.blocks[*block].term, Terminator::Return(_));
    function.layout.iter().copied().filter(returns).collect()
}

/// Every return becomes a branch to a new block, which returns.
pub(crate) fn join_returns(function: &mut Function, returns: &[Block]) -> Block {
    let end = function.new_detached_block();
    let results = function.returns.clone();
    let params: Vec<Value> = results.into_iter().map(|ty| function.add_param(end, ty)).collect();
    function.blocks[end].term = Terminator::Return(params.into_iter().collect());
    for block in returns {
        let Terminator::Return(values) = &function.blocks[*block].term else { continue };
        let args: SmallVec<_> = values.iter().copied().collect();
        function.blocks[*block].term = Terminator::Branch(BranchTarget { block: end, args });
    }
    function.layout.push(end);
    end
}

/// The function becomes a loop: its last return goes back to the start where an opaque false holds, the others leave it.
fn enclose(function: &mut Function, returns: &[Block]) {
    let (Some(&entry), Some(&last)) = (function.layout.first(), returns.last()) else { return };
    let end = join_returns(function, returns);
    let start = function.new_detached_block();
    function.blocks[start].insts = std::mem::take(&mut function.blocks[entry].insts);
    let to_start = || Terminator::Branch(BranchTarget { block: start, args: SmallVec::new() });
    function.blocks[start].term = std::mem::replace(&mut function.blocks[entry].term, to_start());
    function.layout.insert(1, start);
    // The entry's own return is the start's now.
    let last = if last == entry { start } else { last };
    let Terminator::Branch(done) = function.blocks[last].term.clone() else { return };
    debug_assert_eq!(done.block, end);
    let never = function.iconst(Type::BOOL, 0);
    let cond = function.append(last, InstKind::Unary(UnaryOp::Opaque, never), Type::BOOL);
    let again = BranchTarget { block: start, args: SmallVec::new() };
    function.blocks[last].term = Terminator::CondBranch { cond, then: again, els: done };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{interp, text};

    #[test]
    fn one_return_is_left() {
        let source = "module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  v1: bool = icmp.eq v0, i32:0\n  \
                      condbr v1, b1(), b2()\nb1():\n  return(i32:5)\nb2():\n  v2: bool = icmp.eq v0, i32:1\n  \
                      condbr v2, b3(), b4()\nb3():\n  return(v0)\nb4():\n  return(i32:7)\n";
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        module.functions.values_mut().for_each(|f| {
            let returns = returning(f);
            join_returns(f, &returns);
        });
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(module.to_string().matches("return(").count(), 1, "{module}");
        let function = module.functions.values().next().expect("one");
        for (n, result) in [(0, 5), (1, 1), (2, 7)] {
            let end = interp::run(function, &[vec![Some(n)]], 0, 100).end;
            assert_eq!(end, interp::End::Return(vec![vec![Some(result)]]));
        }
    }

    #[test]
    fn many_returns_leave_a_loop() {
        let mut source =
            String::from("module resolved bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  br b1()\n");
        for n in 0..20 {
            let (v, b) = (n + 1, 2 * n + 1);
            let (yes, no) = (b + 1, b + 2);
            source += &format!(
                "b{b}():\n  v{v}: bool = icmp.eq v0, i32:{n}\n  condbr v{v}, b{yes}(), b{no}()\nb{yes}():\n  return(i32:{})\n",
                100 + n
            );
        }
        source += "b41():\n  return(v0)\n";
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}"));
        module.functions.values_mut().for_each(|f| mend(f, true));
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(module.to_string().matches("return(").count(), 1, "{module}");
        let function = module.functions.values().next().expect("one");
        assert_eq!(Cfg::new(function).loops().loops.len(), 1, "{module}");
    }
}

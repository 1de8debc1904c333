//! Where a driver loses work-items at returns in loops, a function with loops returns at one place: every other return becomes a branch there.
//!
//! Mesa's llvmpipe does not come to what stands behind
//!
//! ```text
//! for (i = 0; x[i] != 7; i++) { if (x[i] == 8) return; }
//! ```
//!
//! though nothing returns there, where the condition of the loop reads memory. With one return the loop is left by a branch whose
//! selector is tested behind it, and that is right.

use super::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{BranchTarget, Function, Module, Terminator, Value};
use smallvec::SmallVec;

/// Joins the returns of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if context.target.quirks.lost_in_returns {
        let has_loops = |f: &&mut Function| f.layout.len() > 1 && !Cfg::new(f).loops().loops.is_empty();
        module.functions.values_mut().filter(has_loops).for_each(join_returns);
    }
    Ok(())
}

fn join_returns(function: &mut Function) {
    let returned = |f: &Function, n: usize| match &f.blocks[f.layout[n]].term {
        Terminator::Return(values) => Some(values.iter().copied().collect::<SmallVec<[Value; 2]>>()),
        _ => None,
    };
    let returns: Vec<usize> =
        (0..function.layout.len()).filter(|n| returned(function, *n).is_some()).collect();
    if returns.len() < 2 {
        return;
    }
    let end = function.new_detached_block();
    let results = function.returns.clone();
    let params: Vec<Value> = results.into_iter().map(|ty| function.add_param(end, ty)).collect();
    function.blocks[end].term = Terminator::Return(params.into_iter().collect());
    for n in returns {
        let args = returned(function, n).unwrap_or_default().into_iter().collect();
        let block = function.layout[n];
        function.blocks[block].term = Terminator::Branch(BranchTarget { block: end, args });
    }
    function.layout.push(end);
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
        module.functions.values_mut().for_each(join_returns);
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(module.to_string().matches("return(").count(), 1, "{module}");
        let function = module.functions.values().next().expect("one");
        for (n, result) in [(0, 5), (1, 1), (2, 7)] {
            let end = interp::run(function, &[vec![Some(n)]], 0, 100).end;
            assert_eq!(end, interp::End::Return(vec![vec![Some(result)]]));
        }
    }
}

//! The order in which a function's blocks are read: definitions before uses.
//!
//! SPIR-V requires that a block comes after its dominators (§2.16.1). If each block except the first comes after one of its
//! predecessors, this holds: only blocks on that path can dominate it. LLVM's translator violates the rule after optimization. Blocks
//! are then read in reverse post-order, and unreachable ones are omitted.

use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::Instruction;
use spirv_io::spirv::Op;

/// The instructions of a body, block by block. `is_wide`: a value has a 64-bit type, so that literals of its switches have two words
/// (SPIR-V §3.3.17, OpSwitch).
pub(super) fn instructions<'b, 'a>(
    body: &'b [Instruction<'a>],
    is_wide: &dyn Fn(u32) -> bool,
) -> Vec<&'b Instruction<'a>> {
    if in_order(body, is_wide) { body.iter().collect() } else { reordered(body, is_wide) }
}

/// The labels that a terminator names.
fn targets(inst: &Instruction<'_>, is_wide: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let all = |at: usize, count: usize| inst.operands.iter().skip(at).take(count).copied().collect();
    match inst.op {
        Op::Branch => all(0, 1),
        Op::BranchConditional => all(1, 2),
        Op::Switch => {
            let cases = inst.operands.get(2..).unwrap_or(&[]);
            let size = if inst.operands.first().is_some_and(|id| is_wide(*id)) { 3 } else { 2 };
            let own = cases.iter().skip(size - 1).step_by(size).copied();
            inst.operands.get(1).copied().into_iter().chain(own).collect()
        }
        _ => Vec::new(),
    }
}

fn in_order(body: &[Instruction<'_>], is_wide: &dyn Fn(u32) -> bool) -> bool {
    let (mut named, mut first) = (FxHashSet::<u32>::default(), true);
    for inst in body {
        if inst.op == Op::Label {
            let known = inst.operands.first().is_some_and(|id| named.contains(id));
            if !known && !first {
                return false;
            }
            first = false;
        } else {
            named.extend(targets(inst, is_wide));
        }
    }
    true
}

fn reordered<'b, 'a>(body: &'b [Instruction<'a>], is_wide: &dyn Fn(u32) -> bool) -> Vec<&'b Instruction<'a>> {
    let starts: Vec<usize> = (0..body.len()).filter(|i| body[*i].op == Op::Label).collect();
    let blocks: Vec<&[Instruction<'a>]> = starts
        .iter()
        .enumerate()
        .map(|(i, start)| &body[*start..starts.get(i + 1).copied().unwrap_or(body.len())])
        .collect();
    let label = |block: &[Instruction<'a>]| block.first().and_then(|l| l.operands.first().copied());
    let at: FxHashMap<u32, usize> =
        blocks.iter().enumerate().filter_map(|(i, b)| Some((label(b)?, i))).collect();
    let edges: Vec<Vec<usize>> = blocks
        .iter()
        .map(|b| b.iter().flat_map(|i| targets(i, is_wide)).filter_map(|id| at.get(&id).copied()).collect())
        .collect();
    let (mut seen, mut order) = (vec![false; blocks.len()], Vec::with_capacity(blocks.len()));
    let mut stack: Vec<(usize, usize)> = Vec::new();
    if let Some(entry) = seen.first_mut() {
        *entry = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        match edges[*block].get(*next) {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*to], true) {
                    stack.push((*to, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.iter().rev().flat_map(|block| blocks[*block]).collect()
}

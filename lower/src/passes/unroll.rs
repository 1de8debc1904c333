//! Loops that index private arrays by their counter ask the driver to unroll them: then the arrays are registers.
//!
//! Drivers decide for themselves about other loops. An OpenCL compiler of a vendor unrolls these; NVIDIA's Vulkan driver
//! does so only when it is asked (SHA-256 on an H200: 1.3 times as fast).

use super::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, Function, InstKind, IntCC, Merge, Module, Place, Root, Scalar, Terminator,
    Value, ValueDef,
};
use crate::passes::fold;
use rustc_hash::FxHashSet;

/// No loop that goes round more often is unrolled.
const MOST_ROUNDS: u64 = 64;
/// No loop that would become more instructions.
const MOST_INSTRUCTIONS: u64 = 4096;
/// SPIR-V's loop control Unroll.
const UNROLL: u32 = 1;

/// Marks the loops of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut() {
        for header in function.layout.clone() {
            if is_worth_it(function, header)
                && let Some(Merge::Loop { control, .. }) = &mut function.blocks[header].merge
            {
                *control |= UNROLL;
            }
        }
    }
    Ok(())
}

fn is_worth_it(function: &Function, header: Block) -> bool {
    // What the source says of unrolling stands.
    let unsaid = matches!(function.blocks[header].merge, Some(Merge::Loop { control: 0, .. }));
    unsaid && unrolled(function, header).is_some_and(|(size, indexes)| indexes && size <= MOST_INSTRUCTIONS)
}

/// How many instructions a loop would become, with the loops in it, and whether it indexes a private array by what is not
/// constant. `None` where it cannot be told, or something in it stays what it is.
fn unrolled(function: &Function, header: Block) -> Option<(u64, bool)> {
    let Some(Merge::Loop { merge, continue_target, .. }) = function.blocks[header].merge else { return None };
    let rounds = rounds(function, header, merge, continue_target)?;
    let mut seen: FxHashSet<Block> = [header, merge].into_iter().collect();
    let (mut work, mut size, mut indexes) = (vec![header], 0, false);
    while let Some(block) = work.pop() {
        let data = &function.blocks[block];
        if let Some(Merge::Loop { merge, .. }) = data.merge
            && block != header
        {
            let (inner, inner_indexes) = unrolled(function, block)?;
            size = inner.saturating_add(size);
            indexes |= inner_indexes;
            work.extend(Some(merge).filter(|b| seen.insert(*b)));
            continue;
        }
        size += data.insts.len() as u64;
        for inst in &data.insts {
            let kind = &function.insts[*inst].kind;
            if matches!(kind, InstKind::Barrier { .. } | InstKind::Call { .. }) {
                return None;
            }
            if let Some(Place::Element { root: Root::Slot(_), index, .. }) = kind.place() {
                indexes |= function.const_bits(index).is_none();
            }
        }
        work.extend(data.term.targets().iter().map(|t| t.block).filter(|b| seen.insert(*b)));
    }
    Some((rounds.saturating_mul(size), indexes))
}

/// How often a loop goes round at most, where its header counts from a constant to a constant by a constant.
fn rounds(function: &Function, header: Block, merge: Block, continue_target: Block) -> Option<u64> {
    let Terminator::CondBranch { cond, then, els } = &function.blocks[header].term else { return None };
    let (cc, counter, end) = compared(function, *cond)?;
    let stays = match (then.block == merge, els.block == merge) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let ValueDef::Param(block, n) = function.values[counter].def else { return None };
    if block != header || function.ty(counter).scalar() != Some(Scalar::I32) {
        return None;
    }
    let arg = |target: &BranchTarget| target.args.get(usize::from(n)).copied();
    let (mut start, mut step) = (None, None);
    for &from in &function.layout {
        for target in function.blocks[from].term.targets() {
            if target.block != header {
                continue;
            }
            let value = arg(target)?;
            if from == continue_target {
                step = Some(increment(function, value, counter)?);
            } else {
                let first = function.const_bits(value)?;
                if start.replace(first).is_some() {
                    return None;
                }
            }
        }
    }
    let (mut value, step) = (start?, step?);
    for rounds in 0..=MOST_ROUNDS {
        if fold::icmp(cc, 32, value, end) != stays {
            return Some(rounds);
        }
        value = value.wrapping_add(step) & fold::mask(32);
    }
    None
}

/// A comparison of a value with a constant.
fn compared(function: &Function, cond: Value) -> Option<(IntCC, Value, u64)> {
    match function.def_inst(cond)?.kind {
        InstKind::ICmp(cc, a, b) => Some((cc, a, function.const_bits(b)?)),
        _ => None,
    }
}

/// What is added to the counter.
fn increment(function: &Function, value: Value, counter: Value) -> Option<u64> {
    match function.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::IAdd, a, b) if a == counter => function.const_bits(b),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// A loop over an array of 64, to `end` in steps of `step`; whether it is marked.
    fn is_marked(end: i32, step: i32, index: &str, control: u32) -> bool {
        let source = format!(
            "module structured bits=64\nfunc f0 \"f\" returns ()\n  slot s0 \"a\" size=256 align=4\nb0(v0: i32):\n  br b1(i32:0)\n\
             b1(v1: i32):\n  v2: bool = icmp.slt v1, i32:{end}\n  merge loop b4, b3, {control}\n  condbr v2, b2(), b4()\n\
             b2():\n  store s0.i32[{index}], v0, align=4\n  br b3()\nb3():\n  v3: i32 = iadd v1, i32:{step}\n  br b1(v3)\n\
             b4():\n  return()\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let function = module.functions.values().next().expect("a function");
        let header = function.layout.iter().find(|b| function.blocks[**b].merge.is_some()).expect("a loop");
        is_worth_it(function, *header)
    }

    #[test]
    fn loops_that_count_over_private_arrays() {
        assert!(is_marked(64, 1, "v1", 0));
        assert!(is_marked(128, 2, "v1", 0));
        assert!(!is_marked(65, 1, "v1", 0), "too many rounds");
        assert!(!is_marked(64, 0, "v1", 0), "without end");
        assert!(!is_marked(64, 1, "i32:3", 0), "no index");
        assert!(!is_marked(64, 1, "v1", 2), "the source forbids it");
    }
}

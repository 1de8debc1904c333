//! CFG simplification: branches on constants fold, unreachable blocks go, blocks fuse with their only successor, and small branches become
//! selections of values.
//!
//! ```text
//! if (c) x = a + 1; else x = b;    →    t = a + 1; x = select(c, t, b);
//! ```

mod case_ranges;

use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BranchTarget, Constant, Function, Inst, InstKind, Scalar, Terminator, Type, UnaryOp,
    Value, ValueDef,
};
use crate::transform::cleanup::{self, Replaced};
use smallvec::SmallVec;

/// Limit on the cost of the instructions of an arm that become unconditional. Each costs one, except those that only change a type.
const MAX_SPECULATED: usize = 4;
/// Limit on the selections that replace a branch.
const MAX_SELECTS: usize = 4;

/// Simplifies the control flow, and returns whether anything changed. The layout has no order then.
///
/// Unreachable blocks are searched only where a branch was decided, or where `fresh` says that there may be some.
pub fn run(function: &mut Function, fresh: bool) -> bool {
    let mut changed = false;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        changed |= decide(function, block);
    }
    if fresh {
        changed |= case_ranges::replace_ranges(function);
    }
    if changed || fresh {
        changed |= cleanup::remove_unreachable(function);
    }
    changed | fuse_and_select(function)
}

/// Simplifies one block's terminator.
fn decide(function: &mut Function, block: Block) -> bool {
    let selector = match &function.blocks[block].term {
        Terminator::CondBranch { cond, then, els } if then != els => *cond,
        Terminator::Switch { value, cases, default } if cases.iter().all(|c| c.1 != *default) => *value,
        Terminator::CondBranch { .. } | Terminator::Switch { .. } => return decided(function, block),
        _ => return false,
    };
    let interesting = match function.values[selector].def {
        ValueDef::Const(_) => true,
        ValueDef::Inst(inst, _) => {
            let kind = &function.insts[inst].kind;
            matches!(kind, InstKind::Unary(UnaryOp::Not, _) | InstKind::Binary(BinaryOp::IAdd, ..))
        }
        ValueDef::Param(..) => false,
    };
    interesting && decided(function, block)
}

/// [`decide`] where there is something to do.
fn decided(function: &mut Function, block: Block) -> bool {
    let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
    let mut changed = false;
    match &mut term {
        Terminator::CondBranch { cond, then, els } => {
            if let ValueDef::Inst(inst, _) = function.values[*cond].def
                && let InstKind::Unary(UnaryOp::Not, x) = function.insts[inst].kind
            {
                *cond = x;
                std::mem::swap(then, els);
                changed = true;
            }
            let taken = match function.values[*cond].def {
                ValueDef::Const(Constant::Bits(bits)) => Some(bits != 0),
                // Either arm is right.
                ValueDef::Const(Constant::Undef) => Some(true),
                _ if then == els => Some(true),
                _ => None,
            };
            if let Some(taken) = taken {
                term = Terminator::Branch(if taken { then.clone() } else { els.clone() });
                changed = true;
            }
        }
        Terminator::Switch { value, cases, default } => {
            let before = cases.len();
            // x + c is k where x is k - c.
            if let Some(InstKind::Binary(BinaryOp::IAdd, x, by)) = function.def_inst(*value).map(|i| &i.kind)
                && let Some(by) = function.const_bits(*by)
            {
                let all = fold::mask(function.ty(*x).scalar().map_or(64, Scalar::bits));
                cases.iter_mut().for_each(|case| case.0 = case.0.wrapping_sub(by) & all);
                *value = *x;
                changed = true;
            }
            let taken = match function.values[*value].def {
                ValueDef::Const(Constant::Bits(bits)) => {
                    Some(cases.iter().find(|c| c.0 == bits).map_or_else(|| default.clone(), |c| c.1.clone()))
                }
                ValueDef::Const(Constant::Undef) => Some(default.clone()),
                _ => None,
            };
            match taken {
                Some(target) => {
                    term = Terminator::Branch(target);
                    changed = true;
                }
                None => {
                    cases.retain(|c| c.1 != *default);
                    changed |= cases.len() != before;
                    if cases.is_empty() {
                        term = Terminator::Branch(default.clone());
                        changed = true;
                    }
                }
            }
        }
        _ => {}
    }
    function.blocks[block].term = term;
    changed
}

/// The state of the walk: the number of branches to each block.
struct Walk {
    edges: Vec<u32>,
    removed: Vec<bool>,
    /// Parameters of fused blocks.
    replaced: Replaced,
}

fn fuse_and_select(function: &mut Function) -> bool {
    let count = function.blocks.len();
    let mut walk = Walk { edges: vec![0; count], removed: vec![false; count], replaced: Replaced::default() };
    walk.edges[function.entry().0 as usize] = 1;
    for &block in &function.layout {
        function.blocks[block].term.each_target(|target| walk.edges[target.block.0 as usize] += 1);
    }
    let mut changed = false;
    // Inner blocks first, so that nested branches fold from the inside.
    for index in (0..function.layout.len()).rev() {
        let block = function.layout[index];
        if walk.removed[block.0 as usize] {
            continue;
        }
        loop {
            let again = select(function, &mut walk, block) || fuse(function, &mut walk, block, MAX_MOVED);
            changed |= again;
            if !again {
                break;
            }
        }
    }
    // Long blocks move once, to the first block of their chain.
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        while !walk.removed[block.0 as usize] && fuse(function, &mut walk, block, usize::MAX) {
            changed = true;
        }
    }
    function.layout.retain(|b| !walk.removed[b.0 as usize]);
    walk.replaced.apply(function);
    changed
}

/// Limit on the instructions that move from block to block out of nested branches; more would move again and again.
const MAX_MOVED: usize = 64;

/// Appends a block's only successor to it, if it has no other predecessor and no more than `limit` instructions.
fn fuse(function: &mut Function, walk: &mut Walk, block: Block, limit: usize) -> bool {
    let Terminator::Branch(target) = &function.blocks[block].term else { return false };
    let next = target.block;
    let n = next.0 as usize;
    if next == block
        || walk.edges[n] != 1
        || next == function.entry()
        || function.blocks[next].insts.len() > limit
    {
        return false;
    }
    let args = target.args.clone();
    let params = std::mem::take(&mut function.blocks[next].params);
    for (param, arg) in params.into_iter().zip(args) {
        walk.replaced.insert(param, arg);
    }
    let insts = std::mem::take(&mut function.blocks[next].insts);
    let term = std::mem::replace(&mut function.blocks[next].term, Terminator::Unreachable);
    let data = &mut function.blocks[block];
    data.insts.extend(insts);
    data.term = term;
    walk.removed[n] = true;
    walk.edges[n] = 0;
    true
}

/// One arm of a branch up to the merge block: an empty or cheap block, or nothing.
#[derive(Clone, Copy)]
struct Arm<'f> {
    /// The arm's block, if there is one.
    block_on_arm: Option<Block>,
    to: &'f BranchTarget,
}

fn arm<'f>(function: &'f Function, walk: &Walk, target: &'f BranchTarget) -> Arm<'f> {
    let direct = Arm { block_on_arm: None, to: target };
    let b = target.block.0 as usize;
    let data = &function.blocks[target.block];
    let Terminator::Branch(to) = &data.term else { return direct };
    let simple = walk.edges[b] == 1
        && data.params.is_empty()
        && data.insts.len() <= 2 * MAX_SPECULATED
        && data.insts.iter().all(|i| is_cheap(function, &function.insts[*i].kind))
        && data.insts.iter().filter(|i| costs(&function.insts[**i].kind)).count() <= MAX_SPECULATED;
    if simple { Arm { block_on_arm: Some(target.block), to } } else { direct }
}

/// Whether an instruction costs anything on a device.
fn costs(kind: &InstKind) -> bool {
    use crate::ir::ConvertOp::{SExt, Trunc, ZExt};
    !matches!(
        kind,
        InstKind::Bitcast(_)
            | InstKind::Construct(_)
            | InstKind::Extract(..)
            | InstKind::PtrOffset { .. }
            | InstKind::Convert { op: SExt | ZExt | Trunc, .. }
    )
}

/// Whether an instruction may be speculated and costs little.
fn is_cheap(function: &Function, kind: &InstKind) -> bool {
    use crate::ir::BinaryOp::{FDiv, FRem, SMulHi, UMulHi};
    let cheap = match kind {
        InstKind::Binary(op, ..) => !matches!(op, FDiv | FRem | UMulHi | SMulHi),
        InstKind::Unary(..)
        | InstKind::ICmp(..)
        | InstKind::FCmp(..)
        | InstKind::Select(..)
        | InstKind::Bitcast(_)
        | InstKind::Construct(_)
        | InstKind::Extract(..)
        | InstKind::Insert { .. }
        | InstKind::PtrOffset { .. } => true,
        InstKind::Convert { saturate, .. } => !saturate,
        _ => false,
    };
    cheap && kind.effects(function).can_be_speculated()
}

/// Turns a branch whose arms merge at once into selections of the values that differ.
fn select(function: &mut Function, walk: &mut Walk, block: Block) -> bool {
    let Terminator::CondBranch { cond, then, els } = &function.blocks[block].term else { return false };
    let plain = |to| Arm { block_on_arm: None, to };
    let (a, b) = (arm(function, walk, then), arm(function, walk, els));
    let (a, b) = if a.to.block == b.to.block {
        (a, b)
    } else if a.to.block == els.block {
        (a, plain(els))
    } else if b.to.block == then.block {
        (plain(then), b)
    } else {
        return false;
    };
    if a.to.args.len() != b.to.args.len() {
        return false;
    }
    let pairs = a.to.args.iter().copied().zip(b.to.args.iter().copied()).enumerate();
    let differing: SmallVec<[(usize, (Value, Value)); 4]> = pairs.filter(|(_, (a, b))| a != b).collect();
    let pointer = differing.iter().any(|(_, (a, _))| matches!(function.ty(*a), Type::Ptr(_)));
    if differing.len() > MAX_SELECTS || pointer {
        return false;
    }
    let (cond, mut to, arm_blocks) = (*cond, a.to.clone(), [a.block_on_arm, b.block_on_arm]);
    for block_on_arm in arm_blocks.into_iter().flatten() {
        let insts: Vec<Inst> = std::mem::take(&mut function.blocks[block_on_arm].insts);
        function.blocks[block].insts.extend(insts);
        function.blocks[block_on_arm].term = Terminator::Unreachable;
        walk.removed[block_on_arm.0 as usize] = true;
        walk.edges[block_on_arm.0 as usize] = 0;
    }
    for (n, (a, b)) in differing {
        let ty = function.ty(a);
        to.args[n] = function.append(block, InstKind::Select(cond, a, b), ty);
    }
    // Two branches to the merge block became one.
    walk.edges[to.block.0 as usize] -= 1;
    let data = &mut function.blocks[block];
    data.term = Terminator::Branch(to);
    true
}

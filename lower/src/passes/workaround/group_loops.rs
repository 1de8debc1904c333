//! Loop grouping: many loops in a row get an outer loop around every eight, because llvmpipe before Mesa 25 compiles long rows in cubic
//! time.
//!
//! llvmpipe of Mesa 22.3 counts the iterations of all loops down in one register. For LLVM, its value at a loop is a recurrence of all
//! earlier loops. Loop strength reduction expands that at each loop, in cubic time (20 loops 0.76 s, 32 loops 2.8 s, 80 loops 45 s). In
//! the header of an outer loop the register is a phi, which ends the recurrence (20 loops 0.08 s, 80 loops 0.2 s, 300 loops 1.5 s).
//!
//! ```text
//! loop 1 … loop 8;  loop 9 … loop 16    do { loop 1 … loop 8 } while (never);  do { loop 9 … loop 16 } while (never)
//! ```
//!
//! `never` is an opaque condition. Loops of callees count, because the driver inlines all functions. Loops with
//! barriers are not grouped: their live values are in memory, which also ends the recurrence.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{
    Block, BranchTarget, Func, Function, Inst, InstKind, IntCC, Module, Terminator, Type, UnaryOp, Value,
};
use crate::transform::cleanup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The largest number of consecutive loops that stay ungrouped, and of loops in a group.
const MAX: u32 = 8;
/// The largest depth of calls that is followed.
const MAX_CALL_DEPTH: u32 = 64;

/// Groups the loops of every function, for the drivers that need it.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    let mut known = FxHashMap::default();
    let functions: Vec<Func> = module.functions.keys().collect();
    for func in functions {
        loops_of(module, func, &mut known, 0);
        split_at_calls(&mut module.functions[func], &known);
        group(&mut module.functions[func], &known, MAX);
    }
    Ok(())
}

/// How many innermost loops a function has, those of the functions that it calls included.
fn loops_of(module: &Module, func: Func, known: &mut FxHashMap<Func, u32>, depth: u32) -> u32 {
    if let Some(known) = known.get(&func) {
        return *known;
    }
    let function = &module.functions[func];
    if depth > MAX_CALL_DEPTH || function.layout.is_empty() {
        return 0;
    }
    let loops = Cfg::new(function).loops();
    let mut sum = innermost(&loops).count() as u32;
    for inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
        if let InstKind::Call { func, .. } = &function.insts[*inst].kind {
            sum = sum.saturating_add(loops_of(module, *func, known, depth + 1));
        }
    }
    known.insert(func, sum);
    sum
}

/// The headers of the loops that have no loop in them.
fn innermost(loops: &Loops) -> impl Iterator<Item = Block> {
    let mut has_inner = vec![false; loops.loops.len()];
    loops.loops.iter().filter_map(|l| l.parent).for_each(|parent| has_inner[parent] = true);
    loops.loops.iter().zip(has_inner).filter(|(_, inner)| !inner).map(|(l, _)| l.header)
}

/// The loops that a block's calls have.
fn called(function: &Function, block: Block, known: &FxHashMap<Func, u32>) -> u32 {
    let of = |kind: &InstKind| match kind {
        InstKind::Call { func, .. } => known.get(func).copied().unwrap_or(0),
        _ => 0,
    };
    function.blocks[block].insts.iter().map(|i| of(&function.insts[*i].kind)).fold(0, u32::saturating_add)
}

/// Splits blocks after calls, so that a block calls at most one function beyond the loops of a group.
fn split_at_calls(function: &mut Function, known: &FxHashMap<Func, u32>) {
    for index in 0..function.layout.len() {
        let mut block = function.layout[index];
        while called(function, block, known) > MAX / 2 {
            let mut loops = 0u32;
            let second_half = function.blocks[block].insts.iter().position(|i| {
                if let InstKind::Call { func, .. } = &function.insts[*i].kind {
                    loops = loops.saturating_add(known.get(func).copied().unwrap_or(0));
                }
                loops > MAX / 2
            });
            let Some(second_half) = second_half.filter(|n| n + 1 < function.blocks[block].insts.len()) else {
                break;
            };
            let rest = function.blocks[block].insts.split_off(second_half + 1);
            let next = split(function, block);
            function.blocks[next].insts = rest;
            block = next;
        }
    }
    cleanup::order_layout(function);
}

/// Moves a block's terminator to a new block after it. The block keeps its parameters and the instructions that the caller left.
fn split(function: &mut Function, block: Block) -> Block {
    let next = function.new_block();
    let term = Terminator::Branch(BranchTarget { block: next, args: SmallVec::new() });
    function.blocks[next].term = std::mem::replace(&mut function.blocks[block].term, term);
    next
}

/// Groups the loops of a function, `most` in each; `known`: how many loops the functions that it may call have.
pub(crate) fn group(function: &mut Function, known: &FxHashMap<Func, u32>, most: u32) {
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let own = innermost(&loops).count() as u32;
    let all = cfg.rpo().iter().map(|b| called(function, *b, known)).fold(own, u32::saturating_add);
    if loops.irreducible || all <= most {
        return;
    }
    give_preheaders(function, &cfg, &loops);
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let mut weights: FxHashMap<Block, u32> = FxHashMap::default();
    for &block in cfg.rpo() {
        let loops = called(function, block, known);
        if loops > 0 {
            weights.insert(block, loops);
        }
    }
    innermost(&loops).for_each(|header| *weights.entry(header).or_default() += 1);
    let converges = |block: &Block| {
        let insts = &function.blocks[*block].insts;
        insts.iter().any(|i| !function.insts[*i].kind.effects(function).can_change_control_flow())
    };
    let marked: Vec<Block> =
        cfg.rpo().iter().copied().filter(|b| weights.contains_key(b) || converges(b)).collect();
    let mut plan = Plan { function, cfg: &cfg, loops: &loops, weights: &weights, most, groups: Vec::new() };
    let ends = cfg.rpo().iter().copied().filter(|b| function.blocks[*b].term.targets().count() == 0);
    plan.part(None, &marked, function.entry(), ends);
    for (index, data) in loops.loops.iter().enumerate() {
        let inside: Vec<Block> = marked.iter().copied().filter(|b| loops.contains(index, *b)).collect();
        plan.part(Some(index), &inside, data.header, data.latches.iter().copied());
    }
    let groups = plan.groups;
    enclose(function, &groups);
}

/// Gives every loop a preheader: groups begin and end with preheaders.
fn give_preheaders(function: &mut Function, cfg: &Cfg, loops: &Loops) {
    let entry = function.entry();
    for data in loops.loops.iter().filter(|l| l.header != entry) {
        let header = data.header;
        let types: Vec<Type> = function.blocks[header].params.iter().map(|p| function.ty(*p)).collect();
        let before = function.new_block();
        let args = types.into_iter().map(|ty| function.add_param(before, ty)).collect();
        function.blocks[before].term = Terminator::Branch(BranchTarget { block: header, args });
        for &from in cfg.preds(header).iter().filter(|from| !data.latches.contains(from)) {
            for target in function.blocks[from].term.targets_mut().filter(|t| t.block == header) {
                target.block = before;
            }
        }
    }
    cleanup::order_layout(function);
}

/// The search for groups, with their first and last blocks.
struct Plan<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    weights: &'a FxHashMap<Block, u32>,
    most: u32,
    groups: Vec<(Block, Block)>,
}

impl Plan<'_> {
    /// Groups the loops between a block and the last common dominator of `ends`, in the loop `home`. `marked` are the blocks there with
    /// loops or convergent operations.
    fn part(
        &mut self,
        home: Option<usize>,
        marked: &[Block],
        start: Block,
        ends: impl Iterator<Item = Block>,
    ) {
        let weight = |b: &Block| self.weights.get(b).copied().unwrap_or(0);
        if marked.iter().map(weight).sum::<u32>() <= self.most {
            return;
        }
        let end = ends.fold(None, |end: Option<Block>, b| match end {
            Some(end) => self.cfg.common_dominator(end, b),
            None => Some(b),
        });
        // The blocks on every path.
        let mut spine = Vec::new();
        let mut at = end.filter(|end| self.cfg.dominates(start, *end));
        while let Some(block) = at {
            if self.loops.innermost(block) == home {
                spine.push(block);
            }
            at = self.cfg.idom(block).filter(|_| block != start);
        }
        spine.reverse();
        let mut segments: Vec<Vec<Block>> = vec![Vec::new(); spine.len()];
        for &block in marked {
            let place = spine.partition_point(|s| self.cfg.dominates(*s, block));
            if let Some(segment) = place.checked_sub(1).and_then(|n| segments.get_mut(n)) {
                segment.push(block);
            }
        }
        let (mut begin, mut loops) = (0, 0);
        let mut heavy = Vec::new();
        for (n, segment) in segments.iter().enumerate() {
            let own = segment.iter().map(weight).sum::<u32>();
            let converges = segment.iter().any(|b| !self.weights.contains_key(b));
            if loops + own > self.most || converges {
                if loops > 0 && begin < n {
                    self.groups.push((spine[begin], spine[n]));
                }
                (begin, loops) = (n, 0);
            }
            if converges {
                begin = n + 1;
            } else {
                loops += own;
            }
            if own > self.most {
                heavy.push((n, segment));
            }
        }
        for (n, segment) in heavy {
            self.arms(home, segment, spine[n], spine.get(n + 1).copied());
        }
    }

    /// Groups the loops between a block and the next one on every path: in its arms, and where these merge.
    fn arms(&mut self, home: Option<usize>, marked: &[Block], from: Block, next: Option<Block>) {
        for &arm in self.cfg.dominated(from) {
            if Some(arm) == next || self.loops.innermost(arm) != home {
                continue;
            }
            let inside: Vec<Block> = marked.iter().copied().filter(|b| self.cfg.dominates(arm, *b)).collect();
            let leaves = |b: &Block| {
                let mut targets = self.function.blocks[*b].term.targets();
                self.cfg.dominates(arm, *b) && targets.any(|t| !self.cfg.dominates(arm, t.block))
            };
            let ends: Vec<Block> = self.cfg.rpo().iter().copied().filter(leaves).collect();
            self.part(home, &inside, arm, ends.into_iter());
        }
    }
}

/// Encloses each group in a loop that never iterates.
fn enclose(function: &mut Function, groups: &[(Block, Block)]) {
    let Some(&entry) = function.layout.first() else { return };
    if groups.is_empty() {
        return;
    }
    let mut first: Vec<Inst> = Vec::new();
    // The second halves of blocks that were split.
    let mut second_half: FxHashMap<Block, Block> = FxHashMap::default();
    for (index, &(begin, end)) in groups.iter().enumerate() {
        // Each has its own condition: Mesa folds the exit condition of one loop after that loop.
        let [own, zero] = [!(index as u64), 0].map(|n| function.iconst(Type::I32, n));
        let opaque = function.make_inst(InstKind::Unary(UnaryOp::Opaque, own), &[Type::I32]);
        let own = function.insts[opaque].results[0];
        let compared = function.make_inst(InstKind::ICmp(IntCC::Eq, own, zero), &[Type::BOOL]);
        let never: Value = function.insts[compared].results[0];
        first.extend([opaque, compared]);
        let start = match second_half.get(&begin) {
            Some(start) => *start,
            None => {
                let start = split_after_params(function, begin);
                second_half.insert(begin, start);
                start
            }
        };
        let next = split_after_params(function, end);
        second_half.insert(end, next);
        let to = |block| BranchTarget { block, args: SmallVec::new() };
        function.blocks[end].term = Terminator::CondBranch { cond: never, then: to(start), els: to(next) };
    }
    function.blocks[entry].insts.splice(0..0, first);
    cleanup::order_layout(function);
}

/// Splits a block after its parameters.
fn split_after_params(function: &mut Function, block: Block) -> Block {
    let insts = std::mem::take(&mut function.blocks[block].insts);
    let next = split(function, block);
    function.blocks[next].insts = insts;
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fuzz;

    /// Mesa's compiler folds the exit condition of a loop after it, and removes loops with the same condition.
    #[test]
    fn each_group_has_its_own_condition() {
        let mut body = "b0(v0: ptr.global, v1: i32):\n  br b1(v1)\n".to_owned();
        for n in 1..=7u32 {
            let [param, value, cond] = [10 * n, 10 * n + 1, 10 * n + 2];
            let (own, next) = (2 * n - 1, 2 * n + 1);
            body += &format!(
                "b{own}(v{param}: i32):\n  v{value}: i32 = iadd v{param}, i32:3\n  v{cond}: bool = icmp.ult v{value}, i32:9\n  \
                 condbr v{cond}, b{own}(v{value}), b{next}(v{value})\n"
            );
        }
        body += "b15(v200: i32):\n  return(v200)\n";
        let text = fuzz::changed(&body, |f| group(f, &FxHashMap::default(), 2));
        for condition in 0..3u32 {
            let number = (!condition).cast_signed();
            assert_eq!(text.matches(&format!("opaque i32:{number}\n")).count(), 1, "{number}\n{text}");
        }
        assert_eq!(text.matches("icmp.eq").count(), 3, "one loop is left over\n{text}");
    }
}

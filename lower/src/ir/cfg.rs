//! The control-flow graph of a function: predecessors, order, dominance, loops.
//!
//! A [`Cfg`] is a snapshot: a pass that changes branches takes a new one. [`Function::cfg`] takes a new one only where an edge has changed
//! since the last. Blocks that the entry does not reach have no order and no dominator; [`Cfg::dominates`] is false for them.
//! Dominators are found by Cooper, Harvey and Kennedy's iteration over the reverse post-order.

use super::entities::Entity;
use super::{Block, Function, Inst, Merge, Value, ValueDef};
use rustc_hash::FxHashSet;
use std::sync::{Arc, OnceLock};

/// Stands for "none" in the dense tables.
const NONE: u32 = u32::MAX;

/// Predecessors, reverse post-order and dominator tree. All tables but `rpo_index` are by index in the reverse post-order.
#[derive(Debug, Clone)]
pub struct Cfg {
    /// The blocks in the order in which they were first seen, and the successors of each: the lists in that order, each ended by
    /// [`NONE`]. [`Cfg::is_graph_of`] compares them.
    seen: Vec<Block>,
    edges: Vec<u32>,
    preds: Lists,
    rpo: Vec<Block>,
    /// By block; the blocks of the function at that time.
    rpo_index: Vec<u32>,
    idom: Vec<u32>,
    children: Lists,
    /// First and last visit of a block in a walk of the dominator tree.
    span: Vec<(u32, u32)>,
    /// The loop forest, when it was asked for.
    loops: OnceLock<Arc<Loops>>,
}

/// A list of blocks for each index, side by side.
#[derive(Debug, Clone, Default)]
struct Lists {
    /// The end of each list, which is the beginning of the next.
    ends: Vec<u32>,
    blocks: Vec<Block>,
}

impl Lists {
    /// Empty lists for `count` indices. Each entry is [counted](Self::count) first, then [filed](Self::file).
    fn new(count: usize) -> Lists {
        // One entry more at the front, so that filling the lists moves each beginning to its end.
        Lists { ends: vec![0; count + 1], blocks: Vec::new() }
    }

    #[inline]
    fn count(&mut self, whose: u32) {
        self.ends[whose as usize + 1] += 1;
    }

    fn counted(&mut self) {
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
        self.blocks = vec![Block(0); sum as usize];
    }

    #[inline]
    fn file(&mut self, whose: u32, block: Block) {
        let place = &mut self.ends[whose as usize];
        self.blocks[*place as usize] = block;
        *place += 1;
    }

    #[inline]
    fn list(&self, whose: usize) -> &[Block] {
        // The last is the end of all.
        let Some(&end) = self.ends.get(whose).filter(|_| whose + 1 < self.ends.len()) else { return &[] };
        let start = if whose == 0 { 0 } else { self.ends[whose - 1] };
        &self.blocks[start as usize..end as usize]
    }
}

impl Cfg {
    /// Looks at a function. Branch targets that do not exist are ignored.
    pub fn new(function: &Function) -> Cfg {
        Cfg::from_edges(function, |b, list| {
            function.blocks[b].term.each_target(|t| list.push(t.block.0));
        })
    }

    /// The structural graph (SPIR-V §2.11.1): a header also branches to its merge block and continue target.
    pub fn structural(function: &Function) -> Cfg {
        Cfg::from_edges(function, |b, list| structural_edges(function, b, list))
    }

    /// The reverse post-order of the structural graph alone.
    pub fn structural_order(function: &Function) -> Vec<Block> {
        let Some((mut cfg, entry)) = Cfg::without_edges(function) else { return Vec::new() };
        cfg.order(entry, |b, list| structural_edges(function, b, list));
        cfg.rpo
    }

    /// Whether this is still the function's graph (not the structural one): no edge has changed since.
    pub fn is_graph_of(&self, function: &Function) -> bool {
        if function.layout.first() != self.seen.first() {
            return false;
        }
        let mut edges = self.edges.iter();
        self.seen.iter().all(|block| {
            // A target that did not exist then would be counted now.
            let known = |t: u32| (t as usize) < self.rpo_index.len();
            let data = function.blocks.get(*block);
            let same = data.is_some_and(|data| {
                data.term.all_targets(|t| edges.next() == Some(&t.block.0) && known(t.block.0))
            });
            same && edges.next() == Some(&NONE)
        })
    }

    fn empty(count: usize) -> Cfg {
        Cfg {
            seen: Vec::new(),
            edges: Vec::new(),
            preds: Lists::default(),
            rpo: Vec::new(),
            rpo_index: vec![NONE; count],
            idom: Vec::new(),
            children: Lists::default(),
            span: Vec::new(),
            loops: OnceLock::new(),
        }
    }

    /// A graph with room for a function's edges, and the entry; `None` for a function without blocks.
    fn without_edges(function: &Function) -> Option<(Cfg, Block)> {
        let count = function.blocks.len();
        let &entry = function.layout.first().filter(|b| b.index() < count)?;
        let mut cfg = Cfg::empty(count);
        let size = function.layout.len();
        cfg.seen.reserve(size);
        cfg.edges.reserve(3 * size);
        cfg.rpo.reserve(size);
        Some((cfg, entry))
    }

    fn from_edges(function: &Function, targets: impl Fn(Block, &mut Vec<u32>)) -> Cfg {
        let Some((mut cfg, entry)) = Cfg::without_edges(function) else {
            return Cfg::empty(function.blocks.len());
        };
        let starts = cfg.order(entry, targets);
        cfg.file_edges(&starts);
        cfg.dominators();
        cfg.number_tree();
        cfg
    }

    /// Finds all edges and the order; gives where each block's edges begin.
    fn order(&mut self, entry: Block, targets: impl Fn(Block, &mut Vec<u32>)) -> Vec<u32> {
        let mut starts = vec![NONE; self.rpo_index.len()];
        let mut stack: Vec<(Block, u32)> = Vec::with_capacity(32);
        let mut next = Some(entry);
        loop {
            if let Some(block) = next.take() {
                let start = self.edges.len() as u32;
                starts[block.index()] = start;
                self.seen.push(block);
                targets(block, &mut self.edges);
                self.edges.push(NONE);
                stack.push((block, start));
            }
            let Some((block, at)) = stack.last_mut() else { break };
            let target = self.edges[*at as usize];
            if target == NONE {
                self.rpo.push(*block);
                stack.pop();
                continue;
            }
            *at += 1;
            next = (starts.get(target as usize) == Some(&NONE)).then_some(Block(target));
        }
        self.rpo.reverse();
        for (i, block) in self.rpo.iter().enumerate() {
            self.rpo_index[block.index()] = i as u32;
        }
        starts
    }

    /// The targets that exist among the edges that begin at an index, by their indices in the order.
    fn targets_from(&self, start: u32) -> impl Iterator<Item = u32> {
        let from = self.edges[start as usize..].iter();
        from.take_while(|t| **t != NONE).filter_map(|t| self.rpo_index.get(*t as usize).copied())
    }

    fn file_edges(&mut self, starts: &[u32]) {
        let mut preds = Lists::new(self.rpo.len());
        for &from in &self.rpo {
            self.targets_from(starts[from.index()]).for_each(|to| preds.count(to));
        }
        preds.counted();
        for &from in &self.rpo {
            self.targets_from(starts[from.index()]).for_each(|to| preds.file(to, from));
        }
        self.preds = preds;
    }

    fn dominators(&mut self) {
        self.idom = vec![NONE; self.rpo.len()];
        self.idom[0] = 0;
        loop {
            // Where an edge leads back to a block that does not dominate its source, the walk must be repeated.
            let mut again = false;
            for i in 1..self.rpo.len() {
                let mut best = NONE;
                for pred in self.preds.list(i) {
                    let pred = self.rpo_index[pred.index()];
                    if self.idom[pred as usize] != NONE {
                        best = if best == NONE { pred } else { self.meet(best, pred) };
                    }
                }
                again |= self.idom[i] != NONE && self.idom[i] != best;
                self.idom[i] = best;
            }
            let settled = |i: usize| {
                let back = |pred: &&Block| self.rpo_index[pred.index()] as usize >= i;
                let preds = self.preds.list(i).iter().filter(back);
                preds.into_iter().all(|p| self.meet(self.idom[i], self.rpo_index[p.index()]) == self.idom[i])
            };
            if !again && (1..self.rpo.len()).all(settled) {
                break;
            }
        }
    }

    /// The nearest index that dominates both.
    fn meet(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if a > b {
                a = self.idom[a as usize];
            } else {
                b = self.idom[b as usize];
            }
        }
        a
    }

    /// Numbers the dominator tree in the order of a walk: a block's number comes after its parent's and its earlier
    /// siblings' subtrees'. Parents precede children in reverse post-order.
    fn number_tree(&mut self) {
        let count = self.rpo.len();
        let mut children = Lists::new(count);
        self.idom[1..].iter().for_each(|parent| children.count(*parent));
        children.counted();
        for (parent, block) in self.idom.iter().zip(&self.rpo).skip(1) {
            children.file(*parent, *block);
        }
        self.children = children;
        let mut sizes = vec![1u32; count];
        for i in (1..count).rev() {
            sizes[self.idom[i] as usize] += sizes[i];
        }
        self.span = vec![(0, 0); count];
        for i in 0..count {
            let size = sizes[i];
            // From here on the block's entry in `sizes` is where its next child begins.
            let first = if i == 0 {
                0
            } else {
                let next = &mut sizes[self.idom[i] as usize];
                let first = *next;
                *next += size;
                first
            };
            self.span[i] = (first, first + size);
            sizes[i] = first + 1;
        }
    }

    /// The reachable predecessors of a block, one for each edge (a conditional branch with both arms to
    /// one block counts twice).
    #[inline]
    pub fn preds(&self, block: Block) -> &[Block] {
        self.rpo_index(block).map_or(&[], |i| self.preds.list(i))
    }

    /// The reachable blocks in reverse post-order, the entry first.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// A block's index in [`Cfg::rpo`], if it is reachable.
    #[inline]
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        self.rpo_index.get(block.index()).filter(|i| **i != NONE).map(|i| *i as usize)
    }

    /// Whether a block can be reached from the entry.
    #[inline]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }

    /// The immediate dominator; `None` for the entry and unreachable blocks.
    #[inline]
    pub fn idom(&self, block: Block) -> Option<Block> {
        let index = self.rpo_index(block).filter(|i| *i != 0)?;
        Some(self.rpo[self.idom[index] as usize])
    }

    /// The blocks that a block immediately dominates, in reverse post-order.
    pub fn dominated(&self, block: Block) -> &[Block] {
        self.rpo_index(block).map_or(&[], |i| self.children.list(i))
    }

    /// Dominance: every path from the entry to `b` goes through `a` (a block dominates itself).
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (Some(a), Some(b)) = (self.rpo_index(a), self.rpo_index(b)) else { return false };
        let (a, b) = (self.span[a], self.span[b]);
        a.0 <= b.0 && b.0 < a.1
    }

    /// When a walk of the dominator tree enters a reachable block, and when it has left all that the block dominates.
    #[inline]
    pub fn span(&self, block: Block) -> Option<(u32, u32)> {
        self.rpo_index(block).map(|i| self.span[i])
    }

    /// The nearest block that dominates both.
    pub fn common_dominator(&self, a: Block, b: Block) -> Option<Block> {
        let (a, b) = (self.rpo_index(a)?, self.rpo_index(b)?);
        Some(self.rpo[self.meet(a as u32, b as u32) as usize])
    }

    /// The loop forest of the function, computed once for each graph.
    pub fn loops(&self) -> Arc<Loops> {
        self.loops.get_or_init(|| Arc::new(Loops::new(self))).clone()
    }
}

/// The successors of a block in the structural graph.
fn structural_edges(function: &Function, block: Block, list: &mut Vec<u32>) {
    let block = &function.blocks[block];
    block.term.each_target(|t| list.push(t.block.0));
    match block.merge {
        Some(Merge::Selection { merge }) => list.push(merge.0),
        Some(Merge::Loop { merge, continue_target, .. }) => list.extend([merge.0, continue_target.0]),
        None => {}
    }
}

/// The positions of instructions, for "defined before used" questions within one block.
#[derive(Debug, Clone)]
pub struct Positions {
    at: Vec<(Block, u32)>,
}

impl Positions {
    /// Looks at a function.
    pub fn new(function: &Function) -> Positions {
        let mut at = vec![(Block(NONE), NONE); function.insts.len()];
        for &block in &function.layout {
            for (i, inst) in function.blocks[block].insts.iter().enumerate() {
                if let Some(slot) = at.get_mut(inst.index()) {
                    *slot = (block, i as u32);
                }
            }
        }
        Positions { at }
    }

    /// The block of an instruction and its index there, if it is in a block of the layout.
    pub fn position(&self, inst: Inst) -> Option<(Block, usize)> {
        self.at.get(inst.index()).filter(|p| p.1 != NONE).map(|p| (p.0, p.1 as usize))
    }

    /// The block in which a value is defined; `None` for constants and detached values.
    pub fn block_of(&self, function: &Function, value: Value) -> Option<Block> {
        match function.values.get(value)?.def {
            ValueDef::Inst(inst, _) => self.position(inst).map(|p| p.0),
            ValueDef::Param(block, _) => Some(block),
            ValueDef::Const(_) => None,
        }
    }

    /// Whether a value may be used by the instruction at `index` of `block` (the terminator: any index past
    /// the last).
    pub fn is_available(
        &self,
        function: &Function,
        cfg: &Cfg,
        value: Value,
        block: Block,
        index: usize,
    ) -> bool {
        match function.values.get(value).map(|v| v.def) {
            Some(ValueDef::Const(_)) => true,
            Some(ValueDef::Param(home, _)) => cfg.dominates(home, block),
            Some(ValueDef::Inst(inst, _)) => self.position(inst).is_some_and(|(home, at)| {
                if home == block { at < index } else { cfg.dominates(home, block) }
            }),
            None => false,
        }
    }
}

/// One natural loop.
#[derive(Debug, Clone)]
pub struct LoopData {
    /// Its header.
    pub header: Block,
    /// The sources of its back edges.
    pub latches: Vec<Block>,
    /// All its blocks, those of inner loops included, in reverse post-order.
    pub blocks: Vec<Block>,
    /// The index of the loop around it.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The natural loops of a function, outer before inner.
#[derive(Debug, Clone)]
pub struct Loops {
    /// The loops.
    pub loops: Vec<LoopData>,
    /// Whether there is a cycle with more than one entry (some retreating edge's target does not
    /// dominate its source).
    pub irreducible: bool,
    innermost: Vec<u32>,
}

impl Loops {
    fn new(cfg: &Cfg) -> Loops {
        let mut result =
            Loops { loops: Vec::new(), irreducible: false, innermost: vec![NONE; cfg.rpo_index.len()] };
        for &header in &cfg.rpo {
            let mut latches: Vec<Block> = Vec::new();
            for &pred in cfg.preds(header) {
                if cfg.dominates(header, pred) {
                    if !latches.contains(&pred) {
                        latches.push(pred);
                    }
                } else if cfg.rpo_index(pred) >= cfg.rpo_index(header) {
                    result.irreducible = true;
                }
            }
            if !latches.is_empty() {
                result.add(cfg, header, latches);
            }
        }
        result
    }

    /// Headers come in reverse post-order, so an outer loop is added before those inside it.
    fn add(&mut self, cfg: &Cfg, header: Block, latches: Vec<Block>) {
        let mut inside: FxHashSet<Block> = FxHashSet::default();
        let mut blocks = vec![header];
        inside.insert(header);
        let mut work: Vec<Block> = latches.clone();
        while let Some(block) = work.pop() {
            if inside.insert(block) {
                blocks.push(block);
                work.extend(cfg.preds(block).iter().copied());
            }
        }
        blocks.sort_unstable_by_key(|b| cfg.rpo_index[b.index()]);
        let parent = self.innermost(header);
        let depth = parent.map_or(1, |p| self.loops[p].depth + 1);
        let index = self.loops.len() as u32;
        for block in &blocks {
            self.innermost[block.index()] = index;
        }
        self.loops.push(LoopData { header, latches, blocks, parent, depth });
    }

    /// The loops without some of them.
    #[must_use]
    pub fn without(&self, drops: impl Fn(&LoopData) -> bool) -> Loops {
        let stays: Vec<bool> = self.loops.iter().map(|data| !drops(data)).collect();
        let number = |old: usize| stays[..old].iter().filter(|stays| **stays).count();
        // The nearest loop around that stays.
        let nearest = |mut at: Option<usize>| {
            while let Some(index) = at.filter(|index| !stays[*index]) {
                at = self.loops[index].parent;
            }
            at.map(number)
        };
        let mut loops: Vec<LoopData> = Vec::new();
        for data in self.loops.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(data, _)| data) {
            let parent = nearest(data.parent);
            let depth = parent.map_or(1, |parent| loops[parent].depth + 1);
            loops.push(LoopData { parent, depth, ..data.clone() });
        }
        let inner = |index: &u32| match *index {
            NONE => NONE,
            index => nearest(Some(index as usize)).map_or(NONE, |index| index as u32),
        };
        Loops { loops, irreducible: self.irreducible, innermost: self.innermost.iter().map(inner).collect() }
    }

    /// The index of the innermost loop that a block is in.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        self.innermost.get(block.index()).filter(|i| **i != NONE).map(|i| *i as usize)
    }

    /// Whether a loop (by index) contains a block.
    pub fn contains(&self, index: usize, block: Block) -> bool {
        let mut at = self.innermost(block);
        while let Some(i) = at {
            if i == index {
                return true;
            }
            at = self.loops[i].parent;
        }
        false
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |i| self.loops[i].depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BranchTarget, Constant, Terminator, Type};
    use smallvec::SmallVec;

    fn to(block: Block) -> BranchTarget {
        BranchTarget { block, args: SmallVec::new() }
    }

    fn graph(edges: &[&[u32]]) -> Function {
        let mut f = Function::new("f", &[], &[]);
        for _ in 1..edges.len() {
            f.new_block();
        }
        let cond = f.constant(Type::BOOL, Constant::Bits(1));
        for (i, next) in edges.iter().enumerate() {
            f.blocks[Block(i as u32)].term = match next {
                [] => Terminator::Return(SmallVec::new()),
                [a] => Terminator::Branch(to(Block(*a))),
                [a, b, ..] => Terminator::CondBranch { cond, then: to(Block(*a)), els: to(Block(*b)) },
            };
        }
        f
    }

    #[test]
    fn some_loops() {
        // 0 → 1 ⇄ 2 (1 → 3), 3 ⇄ 4 ⇄ 5 (3 → 6)
        let f = graph(&[&[1], &[2, 3], &[1], &[4, 6], &[5, 3], &[4], &[]]);
        let all = Cfg::new(&f).loops();
        assert_eq!(all.loops.len(), 3);
        let some = all.without(|data| data.header == Block(1));
        assert_eq!(
            some.loops.iter().map(|l| (l.header, l.parent, l.depth)).collect::<Vec<_>>(),
            [(Block(3), None, 1), (Block(4), Some(0), 2)]
        );
        assert_eq!((some.innermost(Block(2)), some.innermost(Block(5))), (None, Some(1)));
        let inner = all.without(|data| data.header == Block(3));
        assert_eq!((inner.innermost(Block(3)), inner.innermost(Block(5))), (None, Some(1)));
        assert_eq!(inner.loops[1].depth, 1);
    }

    #[test]
    fn diamond_and_loop() {
        // 0 → 1,2 → 3 ⇄ 4, 3 → 5; 6 unreachable
        let f = graph(&[&[1, 2], &[3], &[3], &[4, 5], &[3], &[], &[5]]);
        let cfg = Cfg::new(&f);
        assert_eq!(cfg.idom(Block(3)), Some(Block(0)));
        assert_eq!(cfg.idom(Block(5)), Some(Block(3)));
        assert!(cfg.dominates(Block(3), Block(4)) && !cfg.dominates(Block(1), Block(3)));
        assert!(!cfg.is_reachable(Block(6)) && cfg.preds(Block(5)) == [Block(3)]);
        let loops = cfg.loops();
        assert_eq!(loops.loops.len(), 1);
        assert_eq!(loops.loops[0].blocks, [Block(3), Block(4)]);
        assert!(!loops.irreducible && loops.depth(Block(4)) == 1 && loops.depth(Block(5)) == 0);
    }

    #[test]
    fn irreducible_cycle() {
        let f = graph(&[&[1, 2], &[2, 3], &[1, 3], &[]]);
        assert!(Cfg::new(&f).loops().irreducible);
    }
}

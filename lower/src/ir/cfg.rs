//! The control-flow graph of a function: predecessors, order, dominance, loops.
//!
//! [`Cfg`] is a picture taken at one moment: a pass that changes branches takes a new one. Blocks that
//! cannot be reached from the entry have no order and no dominator; [`Cfg::dominates`] is false for them.
//! Dominators by Cooper, Harvey and Kennedy's iteration over the reverse post-order.

use super::entities::Entity;
use super::{Block, Function, Inst, Merge, Value, ValueDef};
use rustc_hash::FxHashSet;

/// Stands for "none" in the dense tables.
const NONE: u32 = u32::MAX;

/// Predecessors, reverse post-order and dominator tree.
#[derive(Debug, Clone)]
pub struct Cfg {
    preds: Lists,
    rpo: Vec<Block>,
    rpo_index: Vec<u32>,
    idom: Vec<Option<Block>>,
    children: Lists,
    /// First and last visit of a block in a walk of the dominator tree.
    span: Vec<(u32, u32)>,
}

/// A list of blocks for each block, side by side.
#[derive(Debug, Clone, Default)]
struct Lists {
    /// Where each block's list ends; it begins where the one before ends.
    ends: Vec<u32>,
    blocks: Vec<Block>,
}

impl Lists {
    /// Empty lists for `count` blocks. What is to be filed is [counted](Self::count) first, then [filed](Self::file).
    fn new(count: usize) -> Lists {
        // One place more at the front, so that filling the lists moves each beginning to its end.
        Lists { ends: vec![0; count + 1], blocks: Vec::new() }
    }

    #[inline]
    fn count(&mut self, whose: Block) {
        self.ends[whose.index() + 1] += 1;
    }

    fn counted(&mut self) {
        for n in 1..self.ends.len() {
            self.ends[n] += self.ends[n - 1];
        }
        self.blocks = vec![Block(0); self.ends.last().copied().unwrap_or(0) as usize];
    }

    #[inline]
    fn file(&mut self, whose: Block, block: Block) {
        let place = &mut self.ends[whose.index()];
        self.blocks[*place as usize] = block;
        *place += 1;
    }

    fn of(&self, block: Block) -> &[Block] {
        let n = block.index();
        // The last is the end of all.
        let Some(&end) = self.ends.get(n).filter(|_| n + 1 < self.ends.len()) else { return &[] };
        let start = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.blocks[start as usize..end as usize]
    }
}

impl Cfg {
    /// Looks at a function. Branch targets that do not exist are ignored.
    pub fn new(function: &Function) -> Cfg {
        Cfg::of_edges(function, |b| function.blocks[b].term.targets().map(|t| t.block))
    }

    /// The structural graph (SPIR-V §2.11.1): a header also leads to its merge block and continue target.
    pub fn structural(function: &Function) -> Cfg {
        Cfg::of_edges(function, |b| {
            let block = &function.blocks[b];
            let (merge, continues) = match block.merge {
                Some(Merge::Selection { merge }) => (Some(merge), None),
                Some(Merge::Loop { merge, continue_target, .. }) => (Some(merge), Some(continue_target)),
                None => (None, None),
            };
            block.term.targets().map(|t| t.block).chain(merge).chain(continues)
        })
    }

    fn of_edges<I: Iterator<Item = Block> + Clone>(function: &Function, edges: impl Fn(Block) -> I) -> Cfg {
        let count = function.blocks.len();
        let mut cfg = Cfg {
            preds: Lists::default(),
            rpo: Vec::with_capacity(function.layout.len()),
            rpo_index: vec![NONE; count],
            idom: vec![None; count],
            children: Lists::default(),
            span: vec![(NONE, 0); count],
        };
        let Some(&entry) = function.layout.first().filter(|b| b.index() < count) else {
            return cfg;
        };
        cfg.order(entry, &edges);
        cfg.preds = Lists::new(count);
        for from in &cfg.rpo {
            edges(*from).filter(|to| to.index() < count).for_each(|to| cfg.preds.count(to));
        }
        cfg.preds.counted();
        for from in &cfg.rpo {
            edges(*from).filter(|to| to.index() < count).for_each(|to| cfg.preds.file(to, *from));
        }
        cfg.dominators(entry);
        cfg.number_tree();
        cfg
    }

    fn order<I: Iterator<Item = Block>>(&mut self, entry: Block, edges: &impl Fn(Block) -> I) {
        // Blocks that were seen have index 0 until their own is known.
        self.rpo_index[entry.index()] = 0;
        let mut stack = vec![(entry, edges(entry))];
        while let Some((block, next)) = stack.last_mut() {
            if let Some(target) = next.next() {
                if let Some(index) = self.rpo_index.get_mut(target.index())
                    && std::mem::replace(index, 0) == NONE
                {
                    stack.push((target, edges(target)));
                }
            } else {
                self.rpo.push(*block);
                stack.pop();
            }
        }
        self.rpo.reverse();
        for (i, block) in self.rpo.iter().enumerate() {
            self.rpo_index[block.index()] = i as u32;
        }
    }

    fn dominators(&mut self, entry: Block) {
        self.idom[entry.index()] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..self.rpo.len() {
                let block = self.rpo[i];
                let mut best: Option<Block> = None;
                for &pred in self.preds.of(block) {
                    if self.idom[pred.index()].is_some() {
                        best = Some(best.map_or(pred, |b| self.meet(b, pred)));
                    }
                }
                if best != self.idom[block.index()] {
                    self.idom[block.index()] = best;
                    changed = true;
                }
            }
        }
        self.idom[entry.index()] = None;
    }

    fn meet(&self, mut a: Block, mut b: Block) -> Block {
        while a != b {
            while self.rpo_index[a.index()] > self.rpo_index[b.index()] {
                a = self.idom[a.index()].unwrap_or(self.rpo[0]);
            }
            while self.rpo_index[b.index()] > self.rpo_index[a.index()] {
                b = self.idom[b.index()].unwrap_or(self.rpo[0]);
            }
        }
        a
    }

    /// Numbers the dominator tree in the order of a walk: a block's number comes after its parent's and its earlier
    /// siblings' subtrees'. In reverse post-order parents stand before children.
    fn number_tree(&mut self) {
        self.children = Lists::new(self.idom.len());
        self.rpo.iter().filter_map(|b| self.idom[b.index()]).for_each(|parent| self.children.count(parent));
        self.children.counted();
        for block in &self.rpo {
            if let Some(parent) = self.idom[block.index()] {
                self.children.file(parent, *block);
            }
        }
        let mut sizes = vec![1u32; self.idom.len()];
        for block in self.rpo.iter().rev() {
            if let Some(parent) = self.idom[block.index()] {
                sizes[parent.index()] += sizes[block.index()];
            }
        }
        for i in 0..self.rpo.len() {
            let block = self.rpo[i];
            let size = sizes[block.index()];
            // From here on the block's place in `sizes` is where its next child begins.
            let first = match self.idom[block.index()] {
                Some(parent) => {
                    let next = &mut sizes[parent.index()];
                    let first = *next;
                    *next += size;
                    first
                }
                None => 0,
            };
            self.span[block.index()] = (first, first + size);
            sizes[block.index()] = first + 1;
        }
    }

    /// The reachable predecessors of a block, one for each edge (a conditional branch with both ways to
    /// one block counts twice).
    pub fn preds(&self, block: Block) -> &[Block] {
        self.preds.of(block)
    }

    /// The reachable blocks in reverse post-order, the entry first.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// A block's place in [`Cfg::rpo`], if it is reachable.
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        self.rpo_index.get(block.index()).filter(|i| **i != NONE).map(|i| *i as usize)
    }

    /// Whether a block can be reached from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }

    /// The immediate dominator; `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom.get(block.index()).copied().flatten()
    }

    /// The blocks that a block immediately dominates, in reverse post-order.
    pub fn dominated(&self, block: Block) -> &[Block] {
        self.children.of(block)
    }

    /// Whether every way from the entry to `b` leads through `a` (a block dominates itself).
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return false;
        }
        let (a, b) = (self.span[a.index()], self.span[b.index()]);
        a.0 <= b.0 && b.0 < a.1
    }

    /// When a walk of the dominator tree enters a reachable block, and when it has left all that the block dominates.
    pub fn span(&self, block: Block) -> Option<(u32, u32)> {
        self.span.get(block.index()).copied().filter(|s| s.0 != NONE)
    }

    /// The nearest block that dominates both.
    pub fn common_dominator(&self, a: Block, b: Block) -> Option<Block> {
        (self.is_reachable(a) && self.is_reachable(b)).then(|| self.meet(a, b))
    }

    /// The loops of the function.
    pub fn loops(&self) -> Loops {
        Loops::new(self)
    }
}

/// Where each instruction stands, for "defined before used" questions within one block.
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

    /// The block of an instruction and its index there, if it stands in a block of the layout.
    pub fn of(&self, inst: Inst) -> Option<(Block, usize)> {
        self.at.get(inst.index()).filter(|p| p.1 != NONE).map(|p| (p.0, p.1 as usize))
    }

    /// The block in which a value is defined; `None` for constants and detached values.
    pub fn block_of(&self, function: &Function, value: Value) -> Option<Block> {
        match function.values.get(value)?.def {
            ValueDef::Inst(inst, _) => self.of(inst).map(|p| p.0),
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
            Some(ValueDef::Inst(inst, _)) => {
                self.of(inst).is_some_and(
                    |(home, at)| {
                        if home == block { at < index } else { cfg.dominates(home, block) }
                    },
                )
            }
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
            Loops { loops: Vec::new(), irreducible: false, innermost: vec![NONE; cfg.idom.len()] };
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

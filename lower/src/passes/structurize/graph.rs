//! A region as an acyclic graph, with its dominator tree.
//!
//! A region is a loop's body, or what is in no loop: inner loops count as one block each, and branches to the region's
//! own merge block and continue target, which are free, are left out.

use super::loops::Regions;
use crate::ir::{Block, Entity, Function, Terminator};
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;

/// Where a block's ways lead, `None` for free ones.
type Ways = SmallVec<[Option<Block>; 2]>;

/// Tables by block, shared by all regions.
pub struct Scratch {
    /// Numbers of the blocks in the region at hand, in reverse post-order.
    number: Vec<u32>,
    /// The loop that a block heads, or 0.
    inner: Vec<u32>,
}

impl Scratch {
    /// For a function whose loops have been found.
    pub fn new(function: &Function, regions: &Regions) -> Scratch {
        let count = function.blocks.len();
        let mut scratch = Scratch { number: vec![NONE; count], inner: vec![0; count] };
        for (n, shape) in regions.shapes.iter().enumerate() {
            scratch.inner[shape.header.index()] = n as u32 + 1;
        }
        scratch
    }

    /// The number of a block in the region at hand.
    pub fn number(&self, block: Block) -> Option<usize> {
        self.number.get(block.index()).filter(|n| **n < NONE - 1).map(|n| *n as usize)
    }

    /// Forgets a region's numbers, and makes room for the blocks that were made in it.
    pub fn forget(&mut self, blocks: &[Block], function: &Function) {
        for block in blocks {
            self.number[block.index()] = NONE;
        }
        if self.number.len() < function.blocks.len() {
            self.number.resize(function.blocks.len(), NONE);
            self.inner.resize(function.blocks.len(), 0);
        }
    }
}

/// A region's blocks and edges, by number.
pub struct Graph {
    /// Its blocks in reverse post-order.
    pub blocks: Vec<Block>,
    /// For each: the blocks that its ways lead to (an inner loop's merge block stands for the loop).
    pub next: Vec<SmallVec<[Option<u32>; 2]>>,
    /// Whether the block heads an inner loop, whose only edge is to its merge block.
    pub inner: Vec<bool>,
    /// Whether it ends in a switch of this region.
    pub switch: Vec<bool>,
    /// Whether a later junction chooses among its targets ([`Regions::rests`]).
    pub rest: Vec<bool>,
}

impl Graph {
    /// The graph of region `index` (0: what is in no loop), which `start` begins.
    pub fn new(
        function: &Function,
        regions: &Regions,
        index: usize,
        start: Block,
        scratch: &mut Scratch,
    ) -> Graph {
        let own = index.checked_sub(1).map(|n| regions.shapes[n]);
        let targets = |block: Block, scratch: &Scratch| -> (Ways, bool) {
            let inner = scratch.inner.get(block.index()).copied().unwrap_or(0) as usize;
            if inner != 0 && inner != index {
                return (SmallVec::from_iter([Some(regions.shapes[inner - 1].merge)]), true);
            }
            let free = |b: Block| own.is_some_and(|s| b == s.merge || b == s.latch);
            let mut ways = Ways::new();
            function.blocks[block].term.each_target(|t| ways.push(Some(t.block).filter(|b| !free(*b))));
            (ways, false)
        };
        let mut order: Vec<(Block, Ways, bool)> = Vec::new();
        let (first, inner) = targets(start, scratch);
        let mut stack = vec![(start, first, inner, 0usize)];
        scratch.number[start.index()] = NONE - 1;
        while let Some((_, ways, _, at)) = stack.last_mut() {
            if let Some(way) = ways.get(*at).copied() {
                *at += 1;
                let Some(block) = way else { continue };
                if scratch.number[block.index()] == NONE {
                    scratch.number[block.index()] = NONE - 1;
                    let (ways, inner) = targets(block, scratch);
                    stack.push((block, ways, inner, 0));
                }
            } else if let Some((block, ways, inner, _)) = stack.pop() {
                order.push((block, ways, inner));
            }
        }
        order.reverse();
        for (n, (block, ..)) in order.iter().enumerate() {
            scratch.number[block.index()] = n as u32;
        }
        let mut graph = Graph {
            blocks: Vec::new(),
            next: Vec::new(),
            inner: Vec::new(),
            switch: Vec::new(),
            rest: Vec::new(),
        };
        for (block, ways, inner) in order {
            graph.blocks.push(block);
            let mut next = SmallVec::new();
            ways.iter().for_each(|w| next.push(w.and_then(|b| scratch.number(b)).map(|n| n as u32)));
            graph.next.push(next);
            graph.inner.push(inner);
            let switch = matches!(function.blocks[block].term, Terminator::Switch { .. });
            let rest = regions.rests.contains(&block);
            graph.switch.push(switch && !inner && !rest);
            graph.rest.push(rest);
        }
        graph
    }

    /// Whether a block ends in a branch that may need a merge block: a switch, or a conditional branch neither of whose ways
    /// is free.
    pub fn branches(&self, node: usize) -> bool {
        let several = || self.next[node].iter().flatten().count() > 1;
        self.switch[node] || (!self.inner[node] && !self.rest[node] && several())
    }
}

/// Empty lists.
pub fn lists<A: smallvec::Array>(count: usize) -> Vec<SmallVec<A>> {
    std::iter::repeat_with(SmallVec::new).take(count).collect()
}

/// Up to four blocks, or too many to name.
#[derive(Debug, Clone, Default)]
pub struct Few {
    blocks: SmallVec<[u32; 4]>,
    many: bool,
}

impl Few {
    fn add(&mut self, block: u32) {
        if !self.blocks.contains(&block) {
            if self.blocks.len() < 4 {
                self.blocks.push(block);
            } else {
                self.many = true;
            }
        }
    }

    fn add_all(&mut self, other: &Few) {
        self.many |= other.many;
        other.blocks.iter().for_each(|b| self.add(*b));
    }

    /// Whether it may be among them.
    fn may_have(&self, block: u32) -> bool {
        self.many || self.blocks.contains(&block)
    }

    /// Whether there is more than one.
    pub fn several(&self) -> bool {
        self.many || self.blocks.len() > 1
    }

    /// Whether they are known and all among `allowed`.
    pub fn are_among(&self, allowed: &[u32]) -> bool {
        !self.many && self.blocks.iter().all(|b| allowed.contains(b))
    }
}

/// The dominator tree of a region, and what leaves each subtree.
pub struct Tree {
    pub idom: Vec<usize>,
    /// The blocks that a block immediately dominates, in reverse post-order.
    pub children: Vec<SmallVec<[u32; 4]>>,
    /// Whether several blocks lead to a block, or both ways of one.
    pub join: Vec<bool>,
    /// The blocks that lead to a join.
    pub preds: Vec<SmallVec<[u32; 2]>>,
    /// First number of a subtree in a walk of the tree, and its size.
    pub span: Vec<(u32, u32)>,
    /// Where the edges that leave a subtree go.
    pub leaves: Vec<Few>,
    /// The last of the joins among a block's children.
    pub last_join: Vec<Option<u32>>,
}

impl Tree {
    /// Immediate dominators as one pass over an acyclic graph finds them.
    pub fn new(graph: &Graph) -> Tree {
        let count = graph.blocks.len();
        let mut idom: Vec<Option<usize>> = vec![None; count];
        let mut join = vec![false; count];
        let mut preds: Vec<SmallVec<[u32; 2]>> = lists(count);
        for node in 0..count {
            for &to in graph.next[node].iter().flatten() {
                let to = to as usize;
                if preds[to].last() == Some(&(node as u32)) {
                    join[to] |= !graph.switch[node];
                    continue;
                }
                preds[to].push(node as u32);
                let Some(mut a) = idom[to] else {
                    idom[to] = Some(node);
                    continue;
                };
                join[to] |= a != node;
                let mut b = node;
                while a != b {
                    if a > b {
                        a = idom[a].unwrap_or(0);
                    } else {
                        b = idom[b].unwrap_or(0);
                    }
                }
                idom[to] = Some(a);
            }
        }
        let idom: Vec<usize> = idom.into_iter().map(|d| d.unwrap_or(0)).collect();
        let mut tree = Tree {
            children: lists(count),
            span: vec![(0, 1); count],
            leaves: std::iter::repeat_with(Few::default).take(count).collect(),
            last_join: vec![None; count],
            idom,
            join,
            preds,
        };
        for node in 1..count {
            let up = tree.idom[node];
            tree.children[up].push(node as u32);
            if tree.join[node] {
                tree.last_join[up] = Some(node as u32);
            }
        }
        tree.walk(graph);
        tree
    }

    fn walk(&mut self, graph: &Graph) {
        let count = graph.blocks.len();
        for node in (1..count).rev() {
            self.span[self.idom[node]].1 += self.span[node].1;
        }
        let mut free = vec![1u32; count];
        for node in 1..count {
            let up = self.idom[node];
            self.span[node].0 = self.span[up].0 + free[up];
            free[up] += self.span[node].1;
        }
        for node in (0..count).rev() {
            let mut leaves = self.own(graph, node);
            for &child in &self.children[node] {
                leaves.add_all(&self.leaves[child as usize]);
            }
            leaves.blocks.retain(|b| self.idom[*b as usize] != node);
            self.leaves[node] = leaves;
        }
    }

    /// The joins that a block itself leads to.
    fn own(&self, graph: &Graph, node: usize) -> Few {
        let mut own = Few::default();
        for &to in graph.next[node].iter().flatten() {
            if self.join[to as usize] {
                own.add(to);
            }
        }
        own
    }

    /// The child of `node` whose subtree a block (strictly below `node`) is in.
    pub fn child_towards(&self, node: usize, below: usize) -> Option<usize> {
        let children = &self.children[node];
        let at = children.partition_point(|c| self.span[*c as usize].0 <= self.span[below].0);
        children.get(at.checked_sub(1)?).map(|c| *c as usize)
    }

    /// Whether edges to `target` leave some branch together with edges to other blocks, so that a selector would have to
    /// tell them apart.
    pub fn is_mixed(&self, graph: &Graph, target: usize) -> bool {
        let target = target as u32;
        (0..graph.blocks.len()).any(|node| {
            if !graph.branches(node) {
                return false;
            }
            let mut now = self.own(graph, node);
            for &child in self.children[node].iter().filter(|c| !self.join[**c as usize]) {
                now.add_all(&self.leaves[child as usize]);
            }
            let mut mixed = false;
            for &join in self.children[node].iter().filter(|c| self.join[**c as usize]) {
                mixed |= now.several() && now.may_have(target);
                now.blocks.retain(|b| *b != join);
                now.add_all(&self.leaves[join as usize]);
            }
            mixed || (now.several() && now.may_have(target))
        })
    }
}

//! A region as an acyclic graph, with its dominator tree.
//!
//! A region is a loop's body, or the blocks outside all loops. An inner loop counts as one block. Branches to the region's own merge
//! block and continue target are free and left out.

use super::loops::Regions;
use crate::ir::{Block, Entity, Function, Terminator};
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;

/// The successors of a block, `None` for free branches.
type Successors = SmallVec<[Option<Block>; 2]>;

/// Tables by block, shared by all regions.
pub struct Scratch {
    /// The numbers of the region's blocks, in reverse post-order.
    number: Vec<u32>,
    /// The loop that a block heads, or 0.
    inner: Vec<u32>,
}

impl Scratch {
    /// Creates the tables for a function whose loops are known.
    pub fn new(function: &Function, regions: &Regions) -> Scratch {
        let count = function.blocks.len();
        let mut scratch = Scratch { number: vec![NONE; count], inner: vec![0; count] };
        for (n, shape) in regions.shapes.iter().enumerate() {
            scratch.inner[shape.header.index()] = n as u32 + 1;
        }
        scratch
    }

    /// The number of a block in the current region.
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
    /// The successors of each block. The successor of an inner loop is its merge block.
    pub next: Vec<SmallVec<[Option<u32>; 2]>>,
    /// The block is the header of an inner loop, whose only edge goes to its merge block.
    pub inner: Vec<bool>,
    /// The block ends in a switch of this region.
    pub switch: Vec<bool>,
    /// A later junction selects among its targets ([`Regions::deferred`]).
    pub deferred: Vec<bool>,
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
        let targets = |block: Block, scratch: &Scratch| -> (Successors, bool) {
            let inner = scratch.inner.get(block.index()).copied().unwrap_or(0) as usize;
            if inner != 0 && inner != index {
                return (SmallVec::from_iter([Some(regions.shapes[inner - 1].merge)]), true);
            }
            let free = |b: Block| own.is_some_and(|s| b == s.merge || b == s.latch);
            let mut successors = Successors::new();
            function.blocks[block].term.each_target(|t| successors.push(Some(t.block).filter(|b| !free(*b))));
            (successors, false)
        };
        let mut order: Vec<(Block, Successors, bool)> = Vec::new();
        let (first, inner) = targets(start, scratch);
        let mut stack = vec![(start, first, inner, 0usize)];
        scratch.number[start.index()] = NONE - 1;
        while let Some((_, successors, _, at)) = stack.last_mut() {
            if let Some(successor) = successors.get(*at).copied() {
                *at += 1;
                let Some(block) = successor else { continue };
                if scratch.number[block.index()] == NONE {
                    scratch.number[block.index()] = NONE - 1;
                    let (successors, inner) = targets(block, scratch);
                    stack.push((block, successors, inner, 0));
                }
            } else if let Some((block, successors, inner, _)) = stack.pop() {
                order.push((block, successors, inner));
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
            deferred: Vec::new(),
        };
        for (block, successors, inner) in order {
            graph.blocks.push(block);
            let mut next = SmallVec::new();
            successors.iter().for_each(|w| next.push(w.and_then(|b| scratch.number(b)).map(|n| n as u32)));
            graph.next.push(next);
            graph.inner.push(inner);
            let switch = matches!(function.blocks[block].term, Terminator::Switch { .. });
            let deferred = regions.deferred.contains(&block);
            graph.switch.push(switch && !inner && !deferred);
            graph.deferred.push(deferred);
        }
        graph
    }

    /// Returns whether a block ends in a branch that may need a merge block: a switch, or a conditional branch without free successors.
    pub fn branches(&self, node: usize) -> bool {
        let several = || self.next[node].iter().flatten().count() > 1;
        self.switch[node] || (!self.inner[node] && !self.deferred[node] && several())
    }
}

/// Empty lists.
pub fn lists<A: smallvec::Array>(count: usize) -> Vec<SmallVec<A>> {
    std::iter::repeat_with(SmallVec::new).take(count).collect()
}

/// Up to four blocks, or too many to name.
#[derive(Debug, Clone, Default)]
pub struct SmallSet {
    blocks: SmallVec<[u32; 4]>,
    many: bool,
}

impl SmallSet {
    fn add(&mut self, block: u32) {
        if !self.blocks.contains(&block) {
            if self.blocks.len() < 4 {
                self.blocks.push(block);
            } else {
                self.many = true;
            }
        }
    }

    fn add_all(&mut self, other: &SmallSet) {
        self.many |= other.many;
        other.blocks.iter().for_each(|b| self.add(*b));
    }

    /// Returns whether the set may contain a block.
    fn may_have(&self, block: u32) -> bool {
        self.many || self.blocks.contains(&block)
    }

    /// Returns whether the set has more than one block.
    pub fn several(&self) -> bool {
        self.many || self.blocks.len() > 1
    }

    /// Returns whether all blocks are known and among `allowed`.
    pub fn are_among(&self, allowed: &[u32]) -> bool {
        !self.many && self.blocks.iter().all(|b| allowed.contains(b))
    }
}

/// The dominator tree of a region, and what leaves each subtree.
pub struct Tree {
    pub idom: Vec<usize>,
    /// The blocks that a block immediately dominates, in reverse post-order.
    pub children: Vec<SmallVec<[u32; 4]>>,
    /// The block has several predecessors, or is both successors of one.
    pub join: Vec<bool>,
    /// The predecessors of a join.
    pub preds: Vec<SmallVec<[u32; 2]>>,
    /// First number of a subtree in a walk of the tree, and its size.
    pub span: Vec<(u32, u32)>,
    /// The targets of the edges that leave a subtree.
    pub leaves: Vec<SmallSet>,
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
            leaves: std::iter::repeat_with(SmallSet::default).take(count).collect(),
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

    /// The joins among a block's successors.
    fn own(&self, graph: &Graph, node: usize) -> SmallSet {
        let mut own = SmallSet::default();
        for &to in graph.next[node].iter().flatten() {
            if self.join[to as usize] {
                own.add(to);
            }
        }
        own
    }

    /// The child of `node` whose subtree contains a block strictly below `node`.
    pub fn child_towards(&self, node: usize, below: usize) -> Option<usize> {
        let children = &self.children[node];
        let at = children.partition_point(|c| self.span[*c as usize].0 <= self.span[below].0);
        children.get(at.checked_sub(1)?).map(|c| *c as usize)
    }

    /// Returns whether edges to `target` leave some branch together with edges to other blocks, so that a selector would have to distinguish them.
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

//! The second step: every branch gets a merge block that all its ways reach, or leave by a `break`, `continue`
//! or `return` that SPIR-V allows.
//!
//! Each region — a loop's body, or what is in no loop — is an acyclic graph once inner loops count as one block
//! and branches to the region's own merge block and continue target, which are free, are left out. A branch's
//! *arms* are the blocks that only it leads to, with all that they dominate; its *joins* are the other blocks
//! that it immediately dominates. Going up the dominator tree, the edges that leave the arms are gathered:
//!
//! - to nowhere: the merge block is unreachable;
//! - to one block: that, or a block before it, is the merge block;
//! - to several: a junction is the merge block (Bahmann et al. 2015, §4.2: the continuation predicate). It
//!   branches to the first join; what leaves that and what goes on to later targets meets again, and so on.
//!   Targets that the branch does not dominate are left to the branch around it.
//!
//! Within the arms of a switch, branches to its last join are free too (`break`).

use super::edges::{Edge, Junction, to};
use super::loops::Regions;
use crate::ir::{Block, BranchTarget, Entity, Function, Merge, Terminator};
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;

/// Gives every branch its merge; tells how many junctions choose among targets.
pub fn run(function: &mut Function, regions: &Regions) -> usize {
    let mut scratch =
        Scratch { number: vec![NONE; function.blocks.len()], inner: vec![0; function.blocks.len()] };
    for (n, shape) in regions.shapes.iter().enumerate() {
        scratch.inner[shape.header.index()] = n as u32 + 1;
    }
    let mut junctions = 0;
    for index in 0..=regions.shapes.len() {
        let start = match index.checked_sub(1) {
            Some(n) => regions.shapes[n].header,
            None => function.entry(),
        };
        let graph = Graph::new(function, regions, index, start, &mut scratch);
        let mut region = Region::new(function, &scratch, graph);
        region.run();
        junctions += region.junctions;
        for block in region.graph.blocks {
            scratch.number[block.index()] = NONE;
        }
        if scratch.number.len() < function.blocks.len() {
            scratch.number.resize(function.blocks.len(), NONE);
            scratch.inner.resize(function.blocks.len(), 0);
        }
    }
    junctions
}

/// Where a block's ways lead, `None` for free ones.
type Ways = SmallVec<[Option<Block>; 2]>;

/// Tables by block, shared by all regions.
struct Scratch {
    /// Numbers of the blocks in the region at hand, in reverse post-order.
    number: Vec<u32>,
    /// The loop that a block heads, or 0.
    inner: Vec<u32>,
}

impl Scratch {
    fn number(&self, block: Block) -> Option<usize> {
        self.number.get(block.index()).filter(|n| **n < NONE - 1).map(|n| *n as usize)
    }
}

/// A region as an acyclic graph.
struct Graph {
    /// Its blocks in reverse post-order.
    blocks: Vec<Block>,
    /// For each: the block whose branches are its edges (an inner loop's merge block stands for the loop).
    next: Vec<SmallVec<[Option<u32>; 2]>>,
    /// Whether the block heads an inner loop, whose only edge is to its merge block.
    inner: Vec<bool>,
}

impl Graph {
    fn new(
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
            let targets = function.blocks[block].term.targets();
            (targets.iter().map(|t| Some(t.block).filter(|b| !free(*b))).collect(), false)
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
        let mut graph = Graph { blocks: Vec::new(), next: Vec::new(), inner: Vec::new() };
        for (block, ways, inner) in order {
            graph.blocks.push(block);
            graph
                .next
                .push(ways.iter().map(|w| w.and_then(|b| scratch.number(b)).map(|n| n as u32)).collect());
            graph.inner.push(inner);
        }
        graph
    }

    /// Immediate dominators, as one pass over an acyclic graph finds them, and whether several blocks lead to each.
    fn dominators(&self) -> (Vec<usize>, Vec<bool>) {
        let mut idom: Vec<Option<usize>> = vec![None; self.blocks.len()];
        let mut join = vec![false; self.blocks.len()];
        for node in 0..self.blocks.len() {
            for &to in self.next[node].iter().flatten() {
                let to = to as usize;
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
        (idom.into_iter().map(|d| d.unwrap_or(0)).collect(), join)
    }
}

/// A region being worked on; everything is by block number.
struct Region<'a> {
    function: &'a mut Function,
    scratch: &'a Scratch,
    graph: Graph,
    join: Vec<bool>,
    /// The blocks that a block immediately dominates, in reverse post-order.
    children: Vec<Vec<usize>>,
    /// The switch in whose arms a block is, directly.
    switch: Vec<Option<usize>>,
    /// Edges that leave what the block dominates.
    pending: Vec<Vec<Edge>>,
    /// For a switch: the edges to its last join from within its arms.
    breaks: Vec<Vec<Edge>>,
    junctions: usize,
}

impl<'a> Region<'a> {
    fn new(function: &'a mut Function, scratch: &'a Scratch, graph: Graph) -> Self {
        let count = graph.blocks.len();
        let (idom, join) = graph.dominators();
        let mut children = vec![Vec::new(); count];
        for node in 1..count {
            children[idom[node]].push(node);
        }
        let mut region = Region {
            function,
            scratch,
            graph,
            join,
            children,
            switch: vec![None; count],
            pending: vec![Vec::new(); count],
            breaks: vec![Vec::new(); count],
            junctions: 0,
        };
        for node in 0..count {
            let own = region.is_switch(node).then_some(node);
            for i in 0..region.children[node].len() {
                let child = region.children[node][i];
                let arm = own.filter(|_| !region.join[child]);
                region.switch[child] = arm.or(region.switch[node]);
            }
        }
        region
    }

    fn is_switch(&self, node: usize) -> bool {
        let term = &self.function.blocks[self.graph.blocks[node]].term;
        !self.graph.inner[node] && matches!(term, Terminator::Switch { .. })
    }

    /// Where `break` goes from a block, as far as that is a switch's merge.
    fn break_target(&self, node: usize) -> Option<(usize, usize)> {
        let switch = self.switch[node]?;
        let last = self.children[switch].iter().rev().find(|c| self.join[**c])?;
        Some((switch, *last))
    }

    fn run(&mut self) {
        for node in (0..self.graph.blocks.len()).rev() {
            self.node(node);
        }
    }

    fn node(&mut self, node: usize) {
        let block = self.graph.blocks[node];
        let ways: SmallVec<[(usize, usize); 2]> = self.graph.next[node]
            .iter()
            .enumerate()
            .filter_map(|(way, next)| next.map(|n| (way, n as usize)))
            .collect();
        if self.graph.inner[node] {
            // A loop: all goes on from its merge block.
            let child = self.children[node].first().copied();
            self.pending[node] = child.map(|c| std::mem::take(&mut self.pending[c])).unwrap_or_default();
            return;
        }
        if self.is_switch(node) {
            self.lead_free_cases(node);
        }
        let branches = self.is_switch(node)
            || (ways.len() > 1 && matches!(self.function.blocks[block].term, Terminator::CondBranch { .. }));
        let mut edges: Vec<Edge> = Vec::new();
        for (way, to) in ways {
            if self.join[to] || (branches && self.is_shared(node, to)) {
                edges.extend(Edge::of(self.function, block, way));
            }
        }
        if branches && !self.is_switch(node) {
            // Both ways of a conditional branch to one block: a join of its own making.
            for i in 0..self.children[node].len() {
                let child = self.children[node][i];
                if self.is_shared(node, child) {
                    self.join[child] = true;
                }
            }
        }
        // A switch's own ways are within its construct: they cannot leave the switch around it.
        let mut gathered = if self.is_switch(node) { edges } else { self.sort_out(node, edges) };
        let joins: Vec<usize> = self.children[node].iter().copied().filter(|c| self.join[*c]).collect();
        for i in 0..self.children[node].len() {
            let child = self.children[node][i];
            if !self.join[child] {
                gathered.append(&mut self.pending[child]);
            }
        }
        gathered.append(&mut self.breaks[node]);
        self.pending[node] = if branches { self.chain(node, gathered, &joins) } else { gathered };
    }

    /// A switch dominates its cases, unless they are its merge block: a case that leaves the loop goes through a
    /// block of its own.
    fn lead_free_cases(&mut self, node: usize) {
        let block = self.graph.blocks[node];
        let mut made: Vec<(BranchTarget, Block)> = Vec::new();
        for way in 0..self.graph.next[node].len() {
            if self.graph.next[node][way].is_some() {
                continue;
            }
            let target = self.function.blocks[block].term.targets().get(way).map(|t| (*t).clone());
            let Some(target) = target else { continue };
            let middle = match made.iter().find(|m| m.0 == target) {
                Some(known) => known.1,
                None => {
                    let middle = self.function.new_block();
                    self.function.blocks[middle].term = Terminator::Branch(target.clone());
                    made.push((target, middle));
                    middle
                }
            };
            if let Some(slot) = self.function.blocks[block].term.targets_mut().into_iter().nth(way) {
                *slot = to(middle);
            }
        }
    }

    /// Whether both ways of a conditional branch lead to a block.
    fn is_shared(&self, node: usize, to: usize) -> bool {
        let ways = &self.graph.next[node];
        !self.is_switch(node) && ways.iter().filter(|w| **w == Some(to as u32)).count() > 1
    }

    /// Puts the edges that are `break`s of a switch aside.
    fn sort_out(&mut self, node: usize, edges: Vec<Edge>) -> Vec<Edge> {
        let Some((switch, last)) = self.break_target(node) else { return edges };
        let target = self.graph.blocks[last];
        let is_break = |e: &Edge| matches!(e.wants.as_slice(), [only] if only.block == target);
        let (breaks, rest) = edges.into_iter().partition(is_break);
        let mut breaks: Vec<Edge> = breaks;
        self.breaks[switch].append(&mut breaks);
        rest
    }

    fn targets(&self, edges: &[Edge]) -> Vec<Block> {
        let mut all: Vec<(usize, Block)> = edges
            .iter()
            .flat_map(|e| &e.wants)
            .map(|w| (self.scratch.number(w.block).unwrap_or(usize::MAX), w.block))
            .collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|t| t.1).collect()
    }

    /// The merge blocks of a branch and of the junctions after it. `edges` leave the arms. Gives the edges that
    /// leave everything that the branch dominates.
    fn chain(&mut self, node: usize, mut edges: Vec<Edge>, joins: &[usize]) -> Vec<Edge> {
        let mut header = self.graph.blocks[node];
        let mut joins = joins.iter().copied();
        loop {
            let join = joins.next();
            let mut targets = self.targets(&edges);
            if let Some(at) = join.and_then(|j| targets.iter().position(|t| *t == self.graph.blocks[j])) {
                // The first to be chosen; targets that the branch does not dominate can stand anywhere.
                targets[..=at].rotate_right(1);
            }
            if let ([only], Some(join)) = (targets.as_slice(), join)
                && self.graph.blocks[join] == *only
            {
                let merge = self.meet(&targets, &edges, true);
                merge.choose_all(self.function);
                self.set_merge(header, merge.block);
                return std::mem::take(&mut self.pending[join]);
            }
            if targets.is_empty() {
                let merge = self.function.new_block();
                self.set_merge(header, merge);
                return Vec::new();
            }
            let here = join.map(|j| self.graph.blocks[j]);
            let junction = self.meet(&targets, &edges, here.is_some());
            self.set_merge(header, junction.block);
            let Some(join) = join.filter(|_| targets.first() == here.as_ref()) else {
                let edge = junction.pending(self.function);
                return self.sort_out(node, vec![edge]);
            };
            self.junctions += 1;
            let rest = junction.choose_first(self.function);
            edges = self.sort_out(node, vec![rest]);
            edges.append(&mut self.pending[join]);
            header = junction.block;
        }
    }

    /// A junction to which edges lead.
    fn meet(&mut self, targets: &[Block], edges: &[Edge], local: bool) -> Junction {
        let junction = Junction::new(self.function, targets, edges, local);
        for edge in edges {
            junction.connect(self.function, edge);
        }
        junction
    }

    fn set_merge(&mut self, header: Block, merge: Block) {
        self.function.blocks[header].merge = Some(Merge::Selection { merge });
    }
}

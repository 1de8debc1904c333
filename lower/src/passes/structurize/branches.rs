//! The second step of structurisation: merge blocks of branches.
//!
//! Every branch gets a merge block. All its paths reach the merge block or leave by a `break`, `continue` or `return` that SPIR-V
//! allows.
//!
//! Each region is an acyclic graph ([`super::graph`]): a loop's body, or the blocks outside all loops. The *arms* of a branch are the
//! blocks that only it branches to, with all that they dominate. Its *joins* are the other blocks that it immediately dominates. The
//! edges that leave the arms are collected up the dominator tree. Their targets decide:
//!
//! - No target, or edges from only one arm of a conditional branch: the other arm ends or leaves the loop (`if (…) return; …`). The
//!   first arm is the continuation and becomes the merge block.
//! - One target: it, or a block before it, is the merge block.
//! - Several targets: a junction is the merge block (Bahmann et al. 2015, §4.2: the continuation predicate). It branches to the first
//!   join. The edges that leave the join merge with those to later targets in the next junction, and so on. Targets that the branch
//!   does not dominate are left to the enclosing branch.
//!
//! In the arms of a switch, branches to its last join need no junction (`break`). An arm may fall through into one other case
//! ([`Region::find_cases`]).
//!
//! The continue target of a loop is an empty block. If `continue` would need a selector otherwise, it is the block before that
//! ([`continue_block`]).

use super::edges::{Edge, Junction, to};
use super::graph::{Graph, Scratch, Tree};
use super::loops::Regions;
use crate::ir::{Block, BranchTarget, EMPTY_CONTINUE, Function, Merge, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The number of `continue` edges from which a block becomes the continue target. Each edge would add a level of nesting otherwise.
const MANY_CONTINUES: usize = 8;

/// Gives every branch its merge block. Returns the number of junctions with several targets. `no_fall_through`: no case of a switch falls through.
pub fn run(function: &mut Function, regions: &mut Regions, no_fall_through: bool) -> usize {
    let mut scratch = Scratch::new(function, regions);
    let merges: FxHashSet<Block> = regions.shapes.iter().map(|s| s.merge).collect();
    let mut junctions = 0;
    for index in 0..=regions.shapes.len() {
        let start = match index.checked_sub(1) {
            Some(n) => regions.shapes[n].header,
            None => function.entry(),
        };
        let mut graph = Graph::new(function, regions, index, start, &mut scratch);
        let mut tree = Tree::new(&graph);
        if let Some(block) = continue_block(function, regions, index, &graph, &tree)
            && !merges.contains(&block)
        {
            continue_at(function, regions, index, block);
            scratch.forget(&graph.blocks, function);
            graph = Graph::new(function, regions, index, start, &mut scratch);
            tree = Tree::new(&graph);
        }
        let mut region = Region::new(function, &scratch, graph, tree, no_fall_through);
        region.run();
        junctions += region.junctions;
        let graph = region.graph;
        scratch.forget(&graph.blocks, function);
    }
    junctions
}

/// The only block before a loop's continue target, if it should be the continue target itself: edges to it leave branches together with
/// other edges.
fn continue_block(
    function: &Function,
    regions: &Regions,
    index: usize,
    graph: &Graph,
    tree: &Tree,
) -> Option<Block> {
    let shape = regions.shapes[index.checked_sub(1)?];
    if function.blocks[shape.header].loop_control & EMPTY_CONTINUE != 0 {
        return None;
    }
    let branches_to =
        |block: Block, to: Block| function.blocks[block].term.targets().iter().any(|t| t.block == to);
    let mut before = (0..graph.blocks.len()).filter(|n| {
        !graph.inner[*n] && graph.next[*n].contains(&None) && branches_to(graph.blocks[*n], shape.latch)
    });
    let (Some(node), None) = (before.next(), before.next()) else { return None };
    let block = graph.blocks[node];
    let ends = match &function.blocks[block].term {
        Terminator::Branch(_) => true,
        Terminator::CondBranch { then, els, .. } => {
            then.block != els.block && [then.block, els.block].contains(&shape.merge)
        }
        _ => false,
    };
    let wanted = || tree.preds[node].len() > MANY_CONTINUES || tree.is_mixed(graph, node);
    (ends && node != 0 && tree.join[node] && wanted()).then_some(block)
}

/// Makes a block the continue target of a loop in place of the empty one after it.
fn continue_at(function: &mut Function, regions: &mut Regions, index: usize, block: Block) {
    let Some(shape) = index.checked_sub(1).and_then(|n| regions.shapes.get_mut(n)) else { return };
    let latch = std::mem::replace(&mut shape.latch, block);
    for target in function.blocks[block].term.targets_mut() {
        if target.block == latch {
            target.block = shape.header;
        }
    }
    if let Some(Merge::Loop { continue_target, .. }) = &mut function.blocks[shape.header].merge {
        *continue_target = block;
    }
}

/// A region being worked on; everything is by block number.
struct Region<'a> {
    function: &'a mut Function,
    scratch: &'a Scratch,
    graph: Graph,
    tree: Tree,
    /// The innermost switch whose arm contains the block.
    switch: Vec<Option<usize>>,
    /// Joins that are cases which another case falls into.
    case: Vec<bool>,
    /// The case that a case falls into.
    falls: FxHashMap<usize, usize>,
    /// Edges that leave what the block dominates.
    pending: Vec<Vec<Edge>>,
    /// For a switch: the edges to its last join from within its arms.
    breaks: Vec<Vec<Edge>>,
    junctions: usize,
}

impl<'a> Region<'a> {
    fn new(
        function: &'a mut Function,
        scratch: &'a Scratch,
        graph: Graph,
        tree: Tree,
        no_fall_through: bool,
    ) -> Self {
        let count = graph.blocks.len();
        let mut region = Region {
            function,
            scratch,
            graph,
            tree,
            switch: vec![None; count],
            case: vec![false; count],
            falls: FxHashMap::default(),
            pending: vec![Vec::new(); count],
            breaks: vec![Vec::new(); count],
            junctions: 0,
        };
        let tangled = region.tangled();
        for node in 0..count {
            let own = region.graph.switch[node].then_some(node);
            if own.is_some() && !no_fall_through {
                region.find_cases(node, &tangled);
            }
            for i in 0..region.tree.children[node].len() {
                let child = region.tree.children[node][i] as usize;
                let arm = own.filter(|_| region.is_arm(child));
                region.switch[child] = arm.or(region.switch[node]);
            }
        }
        region
    }

    /// Returns whether a child of a branch is one of its arms.
    fn is_arm(&self, child: usize) -> bool {
        !self.tree.join[child] || self.case[child]
    }

    /// Blocks that dominate a switch which edges to several blocks leave: within such a switch nothing can be done about a
    /// switch around it.
    fn tangled(&self) -> Vec<bool> {
        let mut tangled = vec![false; self.graph.blocks.len()];
        for node in (0..tangled.len()).rev() {
            tangled[node] |= self.graph.switch[node] && self.tree.leaves[node].several();
            // A selector could not separate its edge to a case from its other edges.
            tangled[node] |= self.graph.deferred[node];
            let up = self.tree.idom[node];
            tangled[up] |= tangled[node];
        }
        tangled
    }

    /// Finds the cases of a switch that another case falls through to.
    ///
    /// One case may branch to one other, and no two to the same (SPIR-V §2.11.1). Apart from that the first case may only leave the
    /// switch.
    fn find_cases(&mut self, node: usize, tangled: &[bool]) {
        let Some(last) = self.tree.last_join[node].map(|l| l as usize) else { return };
        let direct: FxHashSet<u32> = self.graph.next[node].iter().flatten().copied().collect();
        let joins: SmallVec<[u32; 4]> =
            self.tree.children[node].iter().copied().filter(|c| self.tree.join[*c as usize]).collect();
        let mut found = false;
        for join in joins {
            let case = join as usize;
            if case == last || !direct.contains(&join) || self.graph.inner[case] {
                continue;
            }
            let others = self.tree.preds[case].iter().map(|p| *p as usize).filter(|p| *p != node);
            let mut from = others.map(|p| self.tree.child_towards(node, p));
            let Some(Some(falling)) = from.next() else { continue };
            if from.all(|f| f == Some(falling))
                && self.is_arm(falling)
                && !tangled[falling]
                && !self.falls.contains_key(&falling)
                && self.tree.leaves[falling].are_among(&[join, last as u32])
            {
                self.case[case] = true;
                self.falls.insert(falling, case);
                found = true;
            }
        }
        if found {
            self.order_cases(node);
        }
    }

    /// The target of a `break` from a block, if it is a switch's merge block.
    fn break_target(&self, node: usize) -> Option<(usize, usize)> {
        let switch = self.switch[node]?;
        Some((switch, self.tree.last_join[switch]? as usize))
    }

    fn run(&mut self) {
        for node in (0..self.graph.blocks.len()).rev() {
            self.node(node);
        }
    }

    fn node(&mut self, node: usize) {
        if self.graph.inner[node] {
            // A loop: all goes on from its merge block.
            let child = self.tree.children[node].first().map(|c| *c as usize);
            self.pending[node] = child.map(|c| std::mem::take(&mut self.pending[c])).unwrap_or_default();
            return;
        }
        let (switch, branches) = (self.graph.switch[node], self.graph.branches(node));
        if switch {
            self.split_exiting_cases(node);
        }
        let mut edges = self.own_edges(node);
        // A switch's own edges are within its construct and cannot leave an enclosing switch.
        if !switch {
            edges = self.sort_out(node, edges);
        }
        let children = self.tree.children[node].clone();
        let (mut arms, mut joins) = (SmallVec::<[usize; 4]>::new(), SmallVec::<[usize; 4]>::new());
        for child in children.iter().map(|c| *c as usize) {
            if self.is_arm(child) { arms.push(child) } else { joins.push(child) }
        }
        if branches && !switch && joins.is_empty() && edges.is_empty() && self.merge_at_arm(node, &arms) {
            return;
        }
        let mut gathered = edges;
        for &arm in &arms {
            gathered.append(&mut self.pending[arm]);
        }
        if switch && arms.iter().any(|a| self.case[*a]) {
            let cases: FxHashSet<Block> =
                arms.iter().filter(|a| self.case[**a]).map(|a| self.graph.blocks[*a]).collect();
            gathered.retain(|e| !e.only().is_some_and(|b| cases.contains(&b)));
        }
        gathered.append(&mut self.breaks[node]);
        self.pending[node] = if branches { self.chain(node, gathered, &joins) } else { gathered };
    }

    /// The edges from a block to joins.
    fn own_edges(&mut self, node: usize) -> Vec<Edge> {
        let block = self.graph.blocks[node];
        let mut edges = Vec::new();
        if self.graph.deferred[node]
            && let Some(edge) = Edge::deferred(self.function, block)
        {
            let first = edge.choices.first().cloned();
            self.function.blocks[block].term = first.map_or(Terminator::Unreachable, Terminator::Branch);
            return vec![edge];
        }
        for (successor, next) in self.graph.next[node].iter().enumerate() {
            let Some(next) = next.map(|n| n as usize) else { continue };
            let case = self.graph.switch[node] && self.case[next] && self.tree.idom[next] == node;
            if self.tree.join[next] && !case {
                edges.extend(Edge::existing(self.function, block, successor));
            }
        }
        edges
    }

    /// Handles a conditional branch of which at most one arm continues. The continuation, or a block before it, is the merge block.
    /// Returns false if both arms continue.
    fn merge_at_arm(&mut self, node: usize, arms: &[usize]) -> bool {
        let mut continuing = arms.iter().copied().filter(|a| !self.pending[*a].is_empty());
        let (first, more) = (continuing.next(), continuing.next().is_some());
        if more {
            return false;
        }
        // If none does: the larger one.
        let Some(after) = first.or_else(|| arms.iter().copied().max_by_key(|a| self.tree.span[*a].1)) else {
            // Both edges leave a switch.
            return true;
        };
        let (header, block) = (self.graph.blocks[node], self.graph.blocks[after]);
        if self.graph.inner[after] {
            let successor = self.graph.next[node].iter().position(|n| *n == Some(after as u32));
            let edge = successor.and_then(|successor| Edge::existing(self.function, header, successor));
            let merge = self.new_junction(&[block], edge.as_slice(), true);
            merge.choose_all(self.function);
            self.set_merge(header, merge.block);
        } else {
            self.set_merge(header, block);
        }
        self.pending[node] = std::mem::take(&mut self.pending[after]);
        true
    }

    /// A switch dominates its cases, unless they are its merge block: a case that leaves the loop goes through a
    /// block of its own.
    fn split_exiting_cases(&mut self, node: usize) {
        let block = self.graph.blocks[node];
        let mut made: Vec<(BranchTarget, Block)> = Vec::new();
        for successor in 0..self.graph.next[node].len() {
            if self.graph.next[node][successor].is_some() {
                continue;
            }
            let Some(target) = self.function.blocks[block].term.target(successor).cloned() else { continue };
            let middle = match made.iter().find(|m| m.0 == target) {
                Some(known) => known.1,
                None => {
                    let middle = self.function.new_block();
                    self.function.blocks[middle].term = Terminator::Branch(target.clone());
                    made.push((target, middle));
                    middle
                }
            };
            if let Some(slot) = self.function.blocks[block].term.target_mut(successor) {
                *slot = to(middle);
            }
        }
    }

    /// Orders a switch's cases so that a case comes directly before the one that it falls through to (SPIR-V §2.11.1).
    fn order_cases(&mut self, node: usize) {
        let successors = std::mem::take(&mut self.graph.next[node]);
        let Terminator::Switch { cases, .. } = &mut self.function.blocks[self.graph.blocks[node]].term else {
            return;
        };
        let default = successors.last().copied();
        let mut groups: FxHashMap<Option<u32>, Vec<usize>> = FxHashMap::default();
        let fallen: FxHashSet<u32> = self.falls.values().map(|f| *f as u32).collect();
        let mut heads: Vec<Option<u32>> = Vec::new();
        for (n, successor) in successors.iter().enumerate() {
            let group = groups.entry(*successor).or_default();
            if group.is_empty() && !successor.is_some_and(|w| fallen.contains(&w)) {
                heads.push(*successor);
            }
            if n < cases.len() {
                group.push(n);
            }
        }
        let mut order: Vec<usize> = Vec::new();
        for head in heads {
            let mut at = Some(head);
            while let Some(successor) = at {
                order.extend(groups.remove(&successor).unwrap_or_default());
                at = successor.and_then(|w| self.falls.get(&(w as usize))).map(|w| Some(*w as u32));
            }
        }
        let mut old: Vec<_> = std::mem::take(cases).into_iter().map(Some).collect();
        *cases = order.iter().filter_map(|n| old.get_mut(*n)?.take()).collect();
        self.graph.next[node] =
            order.iter().filter_map(|n| successors.get(*n).copied()).chain(default).collect();
    }

    /// Puts the edges that are `break`s of a switch aside.
    fn sort_out(&mut self, node: usize, edges: Vec<Edge>) -> Vec<Edge> {
        let Some((switch, last)) = self.break_target(node) else { return edges };
        let target = self.graph.blocks[last];
        if edges.iter().all(|e| e.only() != Some(target)) {
            return edges;
        }
        let (breaks, rest) = edges.into_iter().partition(|e| e.only() == Some(target));
        let mut breaks: Vec<Edge> = breaks;
        self.breaks[switch].append(&mut breaks);
        rest
    }

    fn targets(&self, edges: &[Edge]) -> Vec<Block> {
        let mut all: SmallVec<[(usize, Block); 8]> = SmallVec::new();
        for choice in edges.iter().flat_map(|e| &e.choices) {
            all.push((self.scratch.number(choice.block).unwrap_or(usize::MAX), choice.block));
        }
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
                // The join is selected first. Targets that the branch does not dominate can have any position.
                targets[..=at].rotate_right(1);
            }
            if let ([only], Some(join)) = (targets.as_slice(), join)
                && self.graph.blocks[join] == *only
            {
                let merge = if !self.graph.inner[join] && are_plain(&edges) {
                    *only
                } else {
                    let junction = self.new_junction(&targets, &edges, true);
                    junction.choose_all(self.function);
                    junction.block
                };
                self.set_merge(header, merge);
                return std::mem::take(&mut self.pending[join]);
            }
            if targets.is_empty() {
                let merge = self.function.new_block();
                self.set_merge(header, merge);
                return Vec::new();
            }
            let here = join.map(|j| self.graph.blocks[j]);
            let junction = self.new_junction(&targets, &edges, here.is_some());
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

    /// Creates a junction and redirects edges to it.
    fn new_junction(&mut self, targets: &[Block], edges: &[Edge], local: bool) -> Junction {
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

/// Returns whether edges to one block need no junction: none has a selector, and they come from different blocks.
fn are_plain(edges: &[Edge]) -> bool {
    if let [only] = edges {
        return only.selector.is_none();
    }
    let mut from = FxHashSet::default();
    edges.iter().all(|e| e.selector.is_none() && from.insert(e.block))
}

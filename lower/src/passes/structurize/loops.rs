//! The first step of structurisation: every cycle becomes a loop with one entry, one back edge and one exit.
//!
//! Strongly connected components are found from the outermost to the innermost (Bahmann et al. 2015, §4.1). For each:
//!
//! - Several entries (`goto` into a loop) get a junction before them, which becomes the header. This is the dispatch variable of an
//!   irreducible graph.
//! - All back edges go to a new block, the continue target.
//! - All exits go to a new block, the merge block. If they have several targets, it is a junction that selects one. Short paths from an
//!   exit to the targets of the others, and to returns, are moved into the loop instead. They are the bodies of `if (…) { …; break; }`.

use super::edges::{Edge, Junction, to};
use crate::ir::{Block, EMPTY_CONTINUE, Entity, Function, Inst, Merge, Terminator, UNHINTED};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// No more blocks than this are taken into a loop from one of its exits.
const MAX_ABSORBED: usize = 64;
const NONE: u32 = u32::MAX;

/// A loop as it is now.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub header: Block,
    pub latch: Block,
    pub merge: Block,
}

/// Which loop each block belongs to: 0 for none, n for `shapes[n - 1]`, the innermost.
#[derive(Debug, Clone, Default)]
pub struct Regions {
    pub shapes: Vec<Shape>,
    pub region_of: Vec<u32>,
    /// How many junctions choose among entries or exits.
    pub junctions: usize,
    /// Blocks that end in a switch which is no construct. A later junction selects among its targets.
    pub deferred: FxHashSet<Block>,
}

impl Regions {
    /// The region of a block.
    pub fn get(&self, block: Block) -> usize {
        self.region_of.get(block.index()).map_or(0, |r| *r as usize)
    }

    /// Puts a block into a region.
    pub fn set(&mut self, block: Block, region: usize) {
        if self.region_of.len() <= block.index() {
            self.region_of.resize(block.index() + 1, 0);
        }
        self.region_of[block.index()] = region as u32;
    }
}

/// Restructures all loops of a function.
pub fn run(function: &mut Function) -> Regions {
    let cfg = function.cfg();
    let rpo_index = function.blocks.keys().map(|b| cfg.rpo_index(b).unwrap_or(usize::MAX)).collect();
    let mut edges_in = vec![0u32; function.blocks.len()];
    let mut sources = super::graph::lists(function.blocks.len());
    for &block in &function.layout {
        function.blocks[block].term.each_target(|target| {
            edges_in[target.block.index()] += 1;
            sources[target.block.index()].push(block);
        });
    }
    let made = FxHashSet::default();
    let mut finder = Finder {
        function,
        regions: Regions::default(),
        rpo_index,
        edges_in,
        sources,
        made,
        member: Marks::default(),
    };
    let mut numbers = Marks::default();
    let mut work = vec![(0usize, cfg.rpo().to_vec(), None)];
    while let Some((region, blocks, header)) = work.pop() {
        for component in components(finder.function, &blocks, header, &mut numbers) {
            let (index, inside, header) = finder.one_loop(region, &component);
            work.push((index, inside, Some(header)));
        }
    }
    finder.regions
}

/// Numbers given to some blocks, by block; room that is used for one set of them after another.
#[derive(Default)]
struct Marks {
    /// The set that the number was given in, and the number.
    entries: Vec<(u32, u32)>,
    set: u32,
}

impl Marks {
    /// Begins a new set.
    fn clear(&mut self) {
        self.set += 1;
    }

    fn put(&mut self, block: Block, number: u32) {
        if self.entries.len() <= block.index() {
            self.entries.resize(2 * block.index() + 1, (0, 0));
        }
        self.entries[block.index()] = (self.set, number);
    }

    fn get(&self, block: Block) -> Option<u32> {
        self.entries.get(block.index()).filter(|m| m.0 == self.set).map(|m| m.1)
    }

    fn contains(&self, block: Block) -> bool {
        self.get(block).is_some()
    }
}

/// The cycles among some blocks, branches to `header` not counted (Tarjan's algorithm, iterative).
fn components(
    function: &Function,
    blocks: &[Block],
    header: Option<Block>,
    number: &mut Marks,
) -> Vec<Vec<Block>> {
    number.clear();
    blocks.iter().enumerate().for_each(|(n, b)| number.put(*b, n as u32));
    let number = &*number;
    // The successor of a block at an index: the inner `None` is outside of the blocks, the outer `None` is past the last successor.
    let next = |node: usize, successor: usize| -> Option<Option<usize>> {
        let to = function.blocks[blocks[node]].term.target(successor)?.block;
        Some(if Some(to) == header { None } else { number.get(to).map(|n| n as usize) })
    };
    let mut found = Vec::new();
    let mut index = vec![NONE; blocks.len()];
    let mut low = vec![0u32; blocks.len()];
    let mut on_stack = vec![false; blocks.len()];
    let mut stack: Vec<usize> = Vec::with_capacity(blocks.len());
    let mut walk: Vec<(usize, usize, bool)> = Vec::with_capacity(blocks.len());
    let mut clock = 0;
    for root in 0..blocks.len() {
        if index[root] != NONE {
            continue;
        }
        walk.push((root, 0, false));
        while let Some((node, successor, own_edge)) = walk.last_mut() {
            let node = *node;
            if index[node] == NONE {
                (index[node], low[node]) = (clock, clock);
                clock += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(to) = next(node, *successor) {
                *successor += 1;
                let Some(to) = to else { continue };
                *own_edge |= to == node;
                if index[to] == NONE {
                    walk.push((to, 0, false));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            let own_edge = *own_edge;
            walk.pop();
            if let Some((parent, ..)) = walk.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|n| *n == node).unwrap_or(0);
                let members = stack.split_off(start);
                members.iter().for_each(|n| on_stack[*n] = false);
                if members.len() > 1 || own_edge {
                    let mut members = members;
                    members.sort_unstable();
                    found.push(members.into_iter().map(|n| blocks[n]).collect());
                }
            }
        }
    }
    found
}

struct Finder<'f> {
    function: &'f mut Function,
    regions: Regions,
    /// Places in the original reverse post-order.
    rpo_index: Vec<usize>,
    /// The number of branches to each block.
    edges_in: Vec<u32>,
    /// The present and former predecessors of each block.
    sources: Vec<SmallVec<[Block; 2]>>,
    /// Blocks made here, which are never taken into a loop.
    made: FxHashSet<Block>,
    /// The blocks of the current loop.
    member: Marks,
}

impl Finder<'_> {
    fn rpo_index(&self, block: Block) -> usize {
        self.rpo_index.get(block.index()).copied().unwrap_or(usize::MAX)
    }

    fn count(&mut self, block: Block) -> &mut u32 {
        if self.edges_in.len() <= block.index() {
            self.edges_in.resize(block.index() + 1, 0);
        }
        &mut self.edges_in[block.index()]
    }

    /// Leads an edge to a junction, keeping count; gives the block put between.
    fn connect(&mut self, junction: &Junction, edge: &Edge) -> Option<Block> {
        for choice in &edge.choices {
            let count = self.count(choice.block);
            *count = count.saturating_sub(1);
        }
        *self.count(junction.block) += 1;
        let middle = junction.connect(self.function, edge);
        self.add_source(middle.unwrap_or(edge.block), junction.block);
        let middle = middle?;
        self.add_source(edge.block, middle);
        *self.count(middle) += 1;
        self.made.insert(middle);
        Some(middle)
    }

    /// Adds a predecessor of a block.
    fn add_source(&mut self, from: Block, to: Block) {
        if self.sources.len() <= to.index() {
            self.sources.resize(to.index() + 1, SmallVec::new());
        }
        self.sources[to.index()].push(from);
    }

    fn chosen(&mut self, junction: &Junction) {
        self.made.insert(junction.block);
        junction.choose_all(self.function);
        for choice in &junction.choices {
            *self.count(choice.block) += 1;
            self.add_source(junction.block, choice.block);
        }
        self.regions.junctions += usize::from(junction.choices.len() > 1);
    }

    /// Shapes one cycle. Gives the loop's number, its blocks, and its header.
    fn one_loop(&mut self, parent: usize, component: &[Block]) -> (usize, Vec<Block>, Block) {
        let index = self.regions.shapes.len() + 1;
        let mut inside: Vec<Block> = component.to_vec();
        self.member.clear();
        component.iter().for_each(|b| self.member.put(*b, 0));
        let mut reached: FxHashMap<Block, u32> = FxHashMap::default();
        for block in component {
            for target in self.function.blocks[*block].term.targets() {
                *reached.entry(target.block).or_insert(0) += 1;
            }
        }
        let header = self.header(parent, component, &reached, &mut inside);
        self.absorb(&mut inside, &mut reached);
        // The header's branch moves into a new block, so that the header can contain any code.
        let body = self.function.new_block();
        let term = std::mem::replace(&mut self.function.blocks[header].term, Terminator::Branch(to(body)));
        self.function.blocks[body].term = term;
        let targets: SmallVec<[Block; 4]> =
            self.function.blocks[body].term.targets().iter().map(|t| t.block).collect();
        for target in targets {
            self.add_source(body, target);
        }
        self.add_source(header, body);
        *self.count(body) += 1;
        inside.push(body);
        self.member.put(body, 0);
        self.made.insert(body);
        let latch = self.latch(header, &mut inside);
        let merge = self.exits(&mut inside, latch);
        inside.push(latch);
        for block in &inside {
            self.regions.set(*block, index);
        }
        self.regions.set(merge, parent);
        let control = self.function.blocks[header].loop_control & !(UNHINTED | EMPTY_CONTINUE);
        self.function.blocks[header].merge = Some(Merge::Loop { merge, continue_target: latch, control });
        self.regions.shapes.push(Shape { header, latch, merge });
        (index, inside, header)
    }

    /// The block through which the cycle is entered; if there are several, a junction before them.
    fn header(
        &mut self,
        parent: usize,
        component: &[Block],
        reached: &FxHashMap<Block, u32>,
        inside: &mut Vec<Block>,
    ) -> Block {
        let from_inside = |b: &Block| reached.get(b).copied().unwrap_or(0);
        let entries: Vec<Block> =
            component.iter().copied().filter(|b| self.edges_in[b.index()] > from_inside(b)).collect();
        if let [only] = entries[..] {
            return only;
        }
        let mut from: Vec<Block> =
            entries.iter().filter_map(|b| self.sources.get(b.index())).flatten().copied().collect();
        from.sort_unstable_by_key(|b| (self.rpo_index(*b), *b));
        from.dedup();
        let entered: FxHashSet<Block> = entries.iter().copied().collect();
        let edges = self.edges(&from, |b| entered.contains(&b));
        let junction = Junction::new(self.function, &entries, &edges, true);
        for edge in &edges {
            let Some(middle) = self.connect(&junction, edge) else { continue };
            if self.member.contains(edge.block) {
                self.member.put(middle, 0);
                inside.push(middle);
            } else {
                self.regions.set(middle, self.regions.get(edge.block).max(parent));
            }
        }
        self.chosen(&junction);
        inside.push(junction.block);
        self.member.put(junction.block, 0);
        junction.block
    }

    /// Moves short paths from exits into the loop if they end, or join its main exit.
    fn absorb(&mut self, inside: &mut Vec<Block>, reached: &mut FxHashMap<Block, u32>) {
        let mut exits: Vec<Block> = reached.keys().copied().filter(|b| !self.member.contains(*b)).collect();
        exits.sort_unstable_by_key(|b| (self.rpo_index(*b), *b));
        if exits.len() < 2 {
            return;
        }
        let ends = |f: &Function, b: Block| {
            f.blocks[b].term.targets().is_empty() && reached.get(&b) == self.edges_in.get(b.index())
        };
        let main = exits.iter().rev().copied().find(|b| !ends(self.function, *b) && !self.made.contains(b));
        // If all of them end at once: what the earliest block leaves to, which is the loop's own condition.
        let leaves = |f: &Function, b: &Block| {
            f.blocks[*b]
                .term
                .targets()
                .iter()
                .map(|t| t.block)
                .find(|t| exits.contains(t) && !self.made.contains(t))
        };
        let first = || inside.iter().find_map(|b| leaves(self.function, b));
        let outer = exits.last().copied().filter(|b| self.made.contains(b));
        let Some(main) = main.or(outer).or_else(first) else { return };
        for exit in exits.into_iter().filter(|b| *b != main) {
            // One exit may have taken another with it.
            if self.member.contains(exit) {
                continue;
            }
            let mut taken: Vec<Block> = Vec::new();
            let mut seen: FxHashMap<Block, u32> = FxHashMap::default();
            let mut work = vec![exit];
            let mut fits = true;
            while let Some(block) = work.pop() {
                let known =
                    reached.get(&block).copied().unwrap_or(0) + seen.get(&block).copied().unwrap_or(0);
                let closed = known == self.edges_in[block.index()] && !self.made.contains(&block);
                if block == main || self.member.contains(block) || taken.contains(&block) || !closed {
                    continue;
                }
                // Convergent operations after the loop must not be executed by fewer work-items.
                let f = &*self.function;
                let company = |i: &Inst| !f.insts[*i].kind.effects(f).can_change_control_flow();
                if taken.len() >= MAX_ABSORBED || f.blocks[block].insts.iter().any(company) {
                    fits = false;
                    break;
                }
                taken.push(block);
                for target in self.function.blocks[block].term.targets() {
                    *seen.entry(target.block).or_insert(0) += 1;
                    work.push(target.block);
                }
            }
            let continues = seen.keys().all(|b| *b == main || self.member.contains(*b) || taken.contains(b));
            if fits && continues && !taken.is_empty() {
                for (block, count) in seen {
                    *reached.entry(block).or_insert(0) += count;
                }
                taken.iter().for_each(|b| self.member.put(*b, 0));
                inside.append(&mut taken);
            }
        }
    }

    /// One block for all back edges.
    fn latch(&mut self, header: Block, inside: &mut Vec<Block>) -> Block {
        let edges = self.edges(inside, |b| b == header);
        let latch = Junction::new(self.function, &[header], &edges, true);
        for edge in &edges {
            let middle = self.connect(&latch, edge);
            inside.extend(middle);
        }
        self.chosen(&latch);
        latch.block
    }

    /// One block for all exits.
    fn exits(&mut self, inside: &mut Vec<Block>, latch: Block) -> Block {
        inside.iter().chain([&latch]).for_each(|b| self.member.put(*b, 0));
        let edges = self.edges(inside, |b| !self.member.contains(b));
        let mut targets: Vec<Block> = edges.iter().flat_map(|e| e.choices.iter().map(|w| w.block)).collect();
        targets.sort_unstable_by_key(|b| (self.rpo_index(*b), *b));
        targets.dedup();
        let merge = Junction::new(self.function, &targets, &edges, true);
        for edge in &edges {
            let middle = self.connect(&merge, edge);
            inside.extend(middle);
        }
        self.chosen(&merge);
        merge.block
    }

    fn edges(&self, from: &[Block], wanted: impl Fn(Block) -> bool) -> Vec<Edge> {
        let mut edges = Vec::new();
        for &block in from {
            for (successor, target) in self.function.blocks[block].term.targets().enumerate() {
                if wanted(target.block) {
                    edges.push(Edge::new(block, successor, target));
                }
            }
        }
        edges
    }
}

//! Nesting reduction: conditions that are nested too deep for a driver are moved out of the enclosing ones.
//!
//! Edges from before a block that go to it, or past it to its successors, are redirected to a junction, which selects the target:
//!
//! ```text
//! if (a) { …; if (b) { DEEP } x; } y;      next = 0; if (a) { …; next = b ? 1 : 2; }
//!                                          if (next == 1) { DEEP; next = 2; }
//!                                          if (next == 2) x;
//!                                          y;
//! ```
//!
//! DEEP is then no deeper than the junction. A sequence of conditions that leave a loop is cut in the same way: those before the
//! junction leave the loop together, after it.

use super::edges::{Edge, Junction, number, to};
use super::graph::{Graph, Scratch};
use super::loops::Regions;
use crate::ir::{Block, BranchTarget, Function, InstKind, IntCC, Terminator, Type, Value};
use smallvec::SmallVec;

/// Cuts region `index` at a block. With `exits`, edges that leave or continue the loop go through the junction too. Returns false if
/// the block cannot be cut.
pub(super) fn cut(
    function: &mut Function,
    regions: &mut Regions,
    index: usize,
    at: Block,
    exits: bool,
) -> bool {
    if regions.shapes.iter().any(|s| s.merge == at) {
        return false;
    }
    let start = index.checked_sub(1).map_or(function.entry(), |n| regions.shapes[n].header);
    let mut scratch = Scratch::new(function, regions);
    let graph = Graph::new(function, regions, index, start, &mut scratch);
    let Some(start_number) = scratch.number(at).filter(|n| *n != 0) else { return false };
    let after = reachable(&graph, start_number);
    let Some(edges) = crossing(function, &graph, &after, exits) else { return false };
    let mut targets: Vec<(usize, Block)> = Vec::new();
    for choice in edges.iter().flat_map(|e| &e.choices) {
        targets.push((scratch.number(choice.block).unwrap_or(usize::MAX), choice.block));
    }
    targets.sort_unstable();
    targets.dedup();
    if targets.len() < 2 {
        return false;
    }
    let targets: Vec<Block> = targets.into_iter().map(|t| t.1).collect();
    let junction = Junction::new(function, &targets, &edges, false);
    for edge in &edges {
        if let Some(first) = edge.choices.first().filter(|_| edge.selector.is_some()) {
            function.blocks[edge.block].term = Terminator::Branch(first.clone());
            regions.deferred.remove(&edge.block);
        }
        if let Some(between) = junction.connect(function, edge) {
            regions.set(between, index);
        }
    }
    regions.set(junction.block, index);
    choose(function, regions, index, at, &junction);
    true
}

/// The blocks that are reachable from a block, including itself.
fn reachable(graph: &Graph, start_number: usize) -> Vec<bool> {
    let mut after = vec![false; graph.blocks.len()];
    after[start_number] = true;
    for node in start_number..after.len() {
        if after[node] {
            graph.next[node].iter().flatten().for_each(|n| after[*n as usize] = true);
        }
    }
    after
}

/// The edges into the blocks after the cut. `None` if only some edges of an earlier junction go there.
fn crossing(function: &Function, graph: &Graph, after: &[bool], exits: bool) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    for (node, &block) in graph.blocks.iter().enumerate() {
        if after[node] || graph.inner[node] {
            continue;
        }
        let crosses = |next: &Option<u32>| next.map_or(exits, |n| after[n as usize]);
        if graph.deferred[node] {
            let all = graph.next[node].iter().filter(|n| crosses(n)).count();
            if all == graph.next[node].len() {
                edges.extend(Edge::deferred(function, block));
            } else if all > 0 {
                return None;
            }
            continue;
        }
        for (successor, _) in graph.next[node].iter().enumerate().filter(|(_, next)| crosses(next)) {
            edges.extend(Edge::existing(function, block, successor));
        }
    }
    Some(edges)
}

/// Lets a junction choose: first what leaves the loop or goes on with it, then the block that was cut off, then the rest.
fn choose(function: &mut Function, regions: &mut Regions, index: usize, at: Block, junction: &Junction) {
    let Some(selector) = junction.selector else { return };
    let shape = index.checked_sub(1).map(|n| regions.shapes[n]);
    let is_free = |b: Block| shape.is_some_and(|s| b == s.merge || b == s.latch);
    let mut block = junction.block;
    for choice in junction.choices.iter().filter(|w| is_free(w.block)) {
        let next = function.new_block();
        regions.set(next, index);
        branch(function, block, selector, choice, to(next));
        block = next;
    }
    let own = junction.choices.iter().find(|w| w.block == at);
    let others: SmallVec<[BranchTarget; 4]> =
        junction.choices.iter().filter(|w| w.block != at && !is_free(w.block)).cloned().collect();
    let rest = match &others[..] {
        [] => None,
        [only] => Some(only.clone()),
        [many @ .., last] => {
            let rest = function.new_block();
            regions.set(rest, index);
            let cases = many.iter().map(|w| (number(w.block), w.clone())).collect();
            function.blocks[rest].term = Terminator::Switch { value: selector, cases, default: last.clone() };
            regions.deferred.insert(rest);
            Some(to(rest))
        }
    };
    match (own, rest) {
        (Some(own), Some(rest)) => branch(function, block, selector, own, rest),
        (Some(only), None) => function.blocks[block].term = Terminator::Branch(only.clone()),
        (None, Some(rest)) => function.blocks[block].term = Terminator::Branch(rest),
        (None, None) => {}
    }
}

fn branch(function: &mut Function, block: Block, selector: Value, then: &BranchTarget, els: BranchTarget) {
    let id = function.iconst(Type::I32, number(then.block));
    let cond = function.append(block, InstKind::ICmp(IntCC::Eq, selector, id), Type::BOOL);
    function.blocks[block].term = Terminator::CondBranch { cond, then: then.clone(), els };
}

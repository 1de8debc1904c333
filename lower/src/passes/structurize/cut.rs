//! Conditions that are nested too deep for a driver are cut off from those around them.
//!
//! The edges that lead from before a block to it, or past it to what follows, meet in a junction, and the junction chooses:
//!
//! ```text
//! if (a) { …; if (b) { DEEP } x; } y;      next = 0; if (a) { …; next = b ? 1 : 2; }
//!                                          if (next == 1) { DEEP; next = 2; }
//!                                          if (next == 2) x;
//!                                          y;
//! ```
//!
//! So DEEP is no deeper than the junction. A row of conditions that leave a loop is cut in the same way: those before the junction leave
//! the loop together, behind it.

use super::edges::{Edge, Junction, number, to};
use super::graph::{Graph, Scratch};
use super::loops::Regions;
use crate::ir::{Block, BranchTarget, Function, InstKind, IntCC, Terminator, Type, Value};
use smallvec::SmallVec;

/// Cuts region `index` at a block. `unify_loop_exits`: edges that leave the loop, or go on with it, pass the junction, too. Whether that could be done.
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
    let Some(place) = scratch.number(at).filter(|n| *n != 0) else { return false };
    let after = behind(&graph, place);
    let Some(edges) = crossing(function, &graph, &after, exits) else { return false };
    let mut targets: Vec<(usize, Block)> = Vec::new();
    for want in edges.iter().flat_map(|e| &e.wants) {
        targets.push((scratch.number(want.block).unwrap_or(usize::MAX), want.block));
    }
    targets.sort_unstable();
    targets.dedup();
    if targets.len() < 2 {
        return false;
    }
    let targets: Vec<Block> = targets.into_iter().map(|t| t.1).collect();
    let junction = Junction::new(function, &targets, &edges, false);
    for edge in &edges {
        if let Some(first) = edge.wants.first().filter(|_| edge.selector.is_some()) {
            function.blocks[edge.block].term = Terminator::Branch(first.clone());
            regions.rests.remove(&edge.block);
        }
        if let Some(between) = junction.connect(function, edge) {
            regions.set(between, index);
        }
    }
    regions.set(junction.block, index);
    choose(function, regions, index, at, &junction);
    true
}

/// The blocks that a block leads to, and itself.
fn behind(graph: &Graph, place: usize) -> Vec<bool> {
    let mut after = vec![false; graph.blocks.len()];
    after[place] = true;
    for node in place..after.len() {
        if after[node] {
            graph.next[node].iter().flatten().for_each(|n| after[*n as usize] = true);
        }
    }
    after
}

/// The edges that lead into what is behind; `None` if those of an earlier junction do in part.
fn crossing(function: &Function, graph: &Graph, after: &[bool], exits: bool) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    for (node, &block) in graph.blocks.iter().enumerate() {
        if after[node] || graph.inner[node] {
            continue;
        }
        let crosses = |next: &Option<u32>| next.map_or(exits, |n| after[n as usize]);
        if graph.rest[node] {
            let all = graph.next[node].iter().filter(|n| crosses(n)).count();
            if all == graph.next[node].len() {
                edges.extend(Edge::of_rest(function, block));
            } else if all > 0 {
                return None;
            }
            continue;
        }
        for (way, _) in graph.next[node].iter().enumerate().filter(|(_, next)| crosses(next)) {
            edges.extend(Edge::of(function, block, way));
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
    for want in junction.wants.iter().filter(|w| is_free(w.block)) {
        let next = function.new_block();
        regions.set(next, index);
        branch(function, block, selector, want, to(next));
        block = next;
    }
    let own = junction.wants.iter().find(|w| w.block == at);
    let others: SmallVec<[BranchTarget; 4]> =
        junction.wants.iter().filter(|w| w.block != at && !is_free(w.block)).cloned().collect();
    let rest = match &others[..] {
        [] => None,
        [only] => Some(only.clone()),
        [many @ .., last] => {
            let rest = function.new_block();
            regions.set(rest, index);
            let cases = many.iter().map(|w| (number(w.block), w.clone())).collect();
            function.blocks[rest].term = Terminator::Switch { value: selector, cases, default: last.clone() };
            regions.rests.insert(rest);
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

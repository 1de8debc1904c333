//! The blocks of functions: predecessors and dominators, by Lengauer and Tarjan's algorithm with path compression. Its time is nearly
//! linear in the number of edges for any graph.

use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// The blocks of one function, in the order of the module.
#[derive(Debug, Default)]
pub(super) struct FunctionBlocks {
    pub labels: Vec<u32>,
    /// The target labels of blocks, and the end of each block's list.
    targets: Vec<u32>,
    ends: Vec<u32>,
}

impl FunctionBlocks {
    /// The next block.
    pub fn begin(&mut self, label: u32) {
        self.labels.push(label);
    }

    /// An edge of the current block.
    pub fn leads_to(&mut self, label: u32) {
        self.targets.push(label);
    }

    /// The current block has ended.
    pub fn end(&mut self) {
        self.ends.push(self.targets.len() as u32);
    }
}

/// The facts about a block, by its number in the module.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The range of its predecessors in the list of all, one for each edge.
    preds: (u32, u32),
    /// The first and the end of the numbers of what it dominates; (0, 0) for unreachable blocks.
    span: (u32, u32),
}

/// The control flow of all functions.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// By block, counted from 1: place 0 is none.
    places: Vec<Place>,
    /// Labels.
    preds: Vec<u32>,
}

impl Flow {
    /// Returns whether a block is reachable from the entry block of its function.
    pub fn is_reachable(&self, block: u32) -> bool {
        self.places.get(block as usize).is_some_and(|p| p.span.1 != 0)
    }

    /// Returns whether block `a` dominates the reachable block `b` of the same function.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (Some(a), Some(b)) = (self.places.get(a as usize), self.places.get(b as usize)) else {
            return false;
        };
        a.span.0 <= b.span.0 && b.span.0 < a.span.1
    }

    /// The labels of a block's predecessors, one for each edge.
    pub fn preds(&self, block: u32) -> &[u32] {
        let range = self.places.get(block as usize).map_or((0, 0), |p| p.preds);
        self.preds.get(range.0 as usize..range.1 as usize).unwrap_or(&[])
    }

    /// Adds a function.
    ///
    /// # Errors
    /// A target that is no block of the function, or its entry.
    pub fn add(&mut self, function: FunctionBlocks) -> Result<(), String> {
        if self.places.is_empty() {
            self.places.push(Place::default());
        }
        let count = function.labels.len();
        let at: FxHashMap<u32, u32> = function.labels.iter().zip(0..).map(|(label, i)| (*label, i)).collect();
        let mut targets = Vec::with_capacity(function.targets.len());
        for label in &function.targets {
            match at.get(label) {
                Some(0) => return Err(format!("a branch targets the entry block %{label}")),
                Some(block) => targets.push(*block),
                None => return Err(format!("a branch targets %{label}, which is no block of the function")),
            }
        }
        let succs = Lists { ends: function.ends, items: targets };
        let preds = succs.reversed(count);
        let base = self.preds.len() as u32;
        let spans = dominator_spans(&succs, &preds, count);
        for (block, span) in spans.into_iter().enumerate() {
            let (first, end) = preds.range(block);
            self.places.push(Place { preds: (base + first as u32, base + end as u32), span });
        }
        self.preds.extend(preds.items.iter().map(|p| function.labels[*p as usize]));
        Ok(())
    }
}

/// A list of numbers for each block, side by side.
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn range(&self, block: usize) -> (usize, usize) {
        let first = block.checked_sub(1).map_or(0, |b| self.ends[b]);
        (first as usize, self.ends[block] as usize)
    }

    fn edges_of(&self, block: usize) -> &[u32] {
        let (first, end) = self.range(block);
        &self.items[first..end]
    }

    /// The reversed edges.
    fn reversed(&self, count: usize) -> Lists {
        let mut ends = vec![0u32; count];
        self.items.iter().for_each(|to| ends[*to as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // Filled from the back, so that each end moves to its beginning. The ends are counted again.
        let (mut items, kept) = (vec![0; self.items.len()], ends.clone());
        for from in (0..count).rev() {
            for to in self.edges_of(from).iter().rev() {
                ends[*to as usize] -= 1;
                items[ends[*to as usize] as usize] = from as u32;
            }
        }
        Lists { ends: kept, items }
    }
}

/// For each block, the range of numbers of the blocks that it dominates, in a walk of the dominator tree. Numbers begin at 1, and
/// unreachable blocks have (0, 0).
fn dominator_spans(succs: &Lists, preds: &Lists, count: usize) -> Vec<(u32, u32)> {
    let mut spans = vec![(0, 0); count];
    if count == 0 {
        return spans;
    }
    let (order, number, parent) = depth_first(succs, count);
    let idom = immediate(preds, &order, &number, &parent);
    // Dominators have lower numbers than what they dominate.
    let mut sizes = vec![1u32; order.len()];
    for i in (1..order.len()).rev() {
        sizes[idom[i] as usize] += sizes[i];
    }
    let mut next = vec![0u32; order.len()];
    for i in 0..order.len() {
        let first = if i == 0 {
            1
        } else {
            let place = &mut next[idom[i] as usize];
            *place += sizes[i];
            *place - sizes[i]
        };
        next[i] = first + 1;
        spans[order[i] as usize] = (first, first + sizes[i]);
    }
    spans
}

/// The reachable blocks in depth-first order, each block's number in it, and the numbers of their parents.
fn depth_first(succs: &Lists, count: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let (mut order, mut number, mut parent) = (vec![0u32], vec![NONE; count], vec![0u32]);
    number[0] = 0;
    let mut stack = vec![(0u32, 0usize)];
    while let Some((block, at)) = stack.last_mut() {
        let from = number[*block as usize];
        let Some(to) = succs.edges_of(*block as usize).get(*at).copied() else {
            stack.pop();
            continue;
        };
        *at += 1;
        if number[to as usize] == NONE {
            number[to as usize] = order.len() as u32;
            order.push(to);
            parent.push(from);
            stack.push((to, 0));
        }
    }
    (order, number, parent)
}

/// The immediate dominators, by numbers of the walk.
fn immediate(preds: &Lists, order: &[u32], number: &[u32], parent: &[u32]) -> Vec<u32> {
    let count = order.len();
    let mut forest = Forest {
        ancestor: vec![NONE; count],
        label: (0..count as u32).collect(),
        semi: (0..count as u32).collect(),
        path: Vec::new(),
    };
    let mut idom = vec![0u32; count];
    // Blocks by their semidominators, as linked lists.
    let (mut head, mut link) = (vec![NONE; count], vec![NONE; count]);
    for w in (1..count).rev() {
        for pred in preds.edges_of(order[w] as usize) {
            let v = number[*pred as usize];
            if v != NONE {
                let u = forest.least(v);
                forest.semi[w] = forest.semi[w].min(forest.semi[u as usize]);
            }
        }
        let semi = forest.semi[w] as usize;
        link[w] = std::mem::replace(&mut head[semi], w as u32);
        forest.ancestor[w] = parent[w];
        let mut v = std::mem::replace(&mut head[parent[w] as usize], NONE);
        while v != NONE {
            let u = forest.least(v);
            let lower = forest.semi[u as usize] < forest.semi[v as usize];
            idom[v as usize] = if lower { u } else { parent[w] };
            v = link[v as usize];
        }
    }
    for w in 1..count {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    idom
}

/// The forest of what has been walked, with compressed paths.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The block with the least semidominator on the path from a block to below its root.
    fn least(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        let mut at = v;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor[below as usize] as usize;
            let (theirs, own) = (self.label[above], self.label[below as usize]);
            if self.semi[theirs as usize] < self.semi[own as usize] {
                self.label[below as usize] = theirs;
            }
            self.ancestor[below as usize] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks 1.. of edges between nodes. Dominance is checked by removing each block.
    #[test]
    fn dominance_is_what_taking_blocks_away_says() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..300 {
            let count = 1 + random(9);
            let edges: Vec<Vec<u32>> = (0..count)
                .map(|_| {
                    (0..random(4)).map(|_| 1 + random(count.max(2) - 1)).filter(|t| *t < count).collect()
                })
                .collect();
            let mut blocks = FunctionBlocks::default();
            for (i, list) in edges.iter().enumerate() {
                blocks.begin(100 + i as u32);
                list.iter().for_each(|t| blocks.leads_to(100 + t));
                blocks.end();
            }
            let mut flow = Flow::default();
            flow.add(blocks).unwrap();
            let reach = |without: Option<u32>| {
                let (mut seen, mut work) = (vec![false; count as usize], vec![0u32]);
                while let Some(b) = work.pop() {
                    if Some(b) != without && !std::mem::replace(&mut seen[b as usize], true) {
                        work.extend(&edges[b as usize]);
                    }
                }
                seen
            };
            let all = reach(None);
            for a in 0..count {
                let without = reach(Some(a));
                for b in 0..count {
                    assert_eq!(flow.is_reachable(b + 1), all[b as usize]);
                    if all[b as usize] && all[a as usize] {
                        let expected = !without[b as usize];
                        assert_eq!(flow.dominates(a + 1, b + 1), expected, "{a} {b} in {edges:?}");
                    }
                }
                let mut preds: Vec<u32> = flow.preds(a + 1).to_vec();
                preds.sort_unstable();
                let mut expected: Vec<u32> = (0..count)
                    .flat_map(|p| edges[p as usize].iter().filter(|t| **t == a).map(move |_| 100 + p))
                    .collect();
                expected.sort_unstable();
                assert_eq!(preds, expected);
            }
        }
    }
}

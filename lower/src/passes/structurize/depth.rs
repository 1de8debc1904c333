//! How deep conditions are nested in structured control flow.

use crate::ir::{Block, Function, Merge, Terminator};
use rustc_hash::FxHashMap;

/// The nesting of a block.
#[derive(Debug, Clone, Copy, Default)]
struct At {
    /// How many conditions are around it.
    depth: u32,
    /// The block from which it has that.
    parent: Option<Block>,
    /// The innermost switch whose case contains the block.
    switch: Option<Block>,
}

/// The depths of a function's blocks. The layout is in structural order.
#[derive(Debug, Default)]
pub(super) struct Depths {
    at: FxHashMap<Block, At>,
    deepest: Option<Block>,
}

impl Depths {
    /// Computes the depths. With `exits`, code after a condition with one exiting arm counts as nested in it, and exiting cases of a
    /// switch count as nested in each other.
    pub(super) fn new(function: &Function, exits: bool) -> Depths {
        let leaving = if exits { leaving(function) } else { FxHashMap::default() };
        let mut depths = Depths::default();
        depths.fill(function, exits, &leaving);
        depths
    }

    fn fill(&mut self, function: &Function, exits: bool, leaving: &FxHashMap<Block, u32>) {
        self.at.extend(function.layout.first().map(|entry| (*entry, At::default())));
        let mut edges: FxHashMap<Block, u32> = FxHashMap::default();
        for block in function.layout.iter().filter(|_| exits) {
            function.blocks[*block].term.each_target(|t| *edges.entry(t.block).or_default() += 1);
        }
        let mut most = 0;
        // A loop's own test does not enclose the code after the loop.
        let mut tests: Option<Block> = None;
        for &block in &function.layout {
            // A block without predecessors is unreachable, or a merge block whose header has set its depth.
            let Some(&here) = self.at.get(&block) else { continue };
            let data = &function.blocks[block];
            let own = At { parent: Some(block), ..here };
            let own_test = matches!(data.merge, Some(Merge::Loop { .. })) || tests == Some(block);
            let leaves = u32::from(exits && !own_test && data.term.targets().count() > 1);
            tests = match (data.merge, &data.term) {
                (Some(Merge::Loop { .. }), Terminator::Branch(target)) => Some(target.block),
                _ => None,
            };
            let inside = match data.merge {
                Some(Merge::Selection { merge }) => {
                    let switch = matches!(data.term, Terminator::Switch { .. });
                    let more = leaving.get(&block).copied().unwrap_or(0);
                    let one = u32::from(!switch && edges.get(&merge) == Some(&1));
                    self.at.entry(merge).or_insert(At { depth: here.depth + one.max(more), ..own });
                    let switch = if switch { Some(block) } else { here.switch };
                    At { depth: here.depth + 1 + more, switch, ..own }
                }
                Some(Merge::Loop { merge, continue_target, .. }) => {
                    self.at.entry(merge).or_insert(own);
                    self.at.entry(continue_target).or_insert(own);
                    At { depth: here.depth + leaves, ..own }
                }
                None => At { depth: here.depth + leaves, ..own },
            };
            for target in data.term.targets() {
                self.at.entry(target.block).or_insert(inside);
            }
            if inside.depth > most {
                most = inside.depth;
                self.deepest = Some(block);
            }
        }
    }

    /// The depth of the selection construct that is nested deepest; 0 without any.
    pub(super) fn deepest(&self, function: &Function) -> u32 {
        let Some(block) = self.deepest else { return 0 };
        let inside = function.blocks[block].term.targets().filter_map(|t| self.at.get(&t.block));
        inside.map(|at| at.depth).max().unwrap_or(0).max(self.at.get(&block).map_or(0, |at| at.depth + 1))
    }

    /// The blocks around the deepest one, with their depths, from the inside out; itself first.
    pub(super) fn path(&self) -> Vec<(Block, u32)> {
        let mut path = Vec::new();
        let mut at = self.deepest;
        while let Some(block) = at {
            let Some(here) = self.at.get(&block) else { break };
            path.push((block, here.depth));
            at = here.parent;
        }
        path
    }
}

/// For each switch, by its header, how many edges of its cases leave it other than to its merge block.
fn leaving(function: &Function) -> FxHashMap<Block, u32> {
    let mut found: FxHashMap<Block, u32> = FxHashMap::default();
    if !function.layout.iter().any(|b| matches!(function.blocks[*b].term, Terminator::Switch { .. })) {
        return found;
    }
    let mut depths = Depths::default();
    depths.fill(function, false, &found);
    let switch_of = |block: Block| depths.at.get(&block).and_then(|at| at.switch);
    let merge_of = |block: Block| function.blocks[block].merge;
    for &block in &function.layout {
        let Some(switch) = switch_of(block) else { continue };
        let data = &function.blocks[block];
        let outside = |b: Block| {
            switch_of(b) != Some(switch) && merge_of(switch) != Some(Merge::Selection { merge: b })
        };
        let is_header = matches!(data.term, Terminator::Switch { .. });
        let exits = data.term.targets().filter(|t| !is_header && outside(t.block)).count();
        let returns = usize::from(matches!(data.term, Terminator::Return(_)));
        if exits + returns > 0 {
            *found.entry(switch).or_default() += (exits + returns) as u32;
        }
    }
    found
}

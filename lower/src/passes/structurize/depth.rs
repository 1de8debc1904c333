//! How deep conditions are nested in structured control flow.

use crate::ir::{Block, Function, Merge};
use rustc_hash::FxHashMap;

/// The depth of the selection construct that is nested deepest; 0 without any. The layout is in structural order. `exits`: what stands
/// behind a condition of which one way goes elsewhere counts as nested in it.
pub(super) fn deepest(function: &Function, exits: bool) -> u32 {
    let mut depths: FxHashMap<Block, u32> =
        function.layout.first().map(|entry| (*entry, 0)).into_iter().collect();
    let mut edges: FxHashMap<Block, u32> = FxHashMap::default();
    for block in function.layout.iter().filter(|_| exits) {
        function.blocks[*block].term.each_target(|t| *edges.entry(t.block).or_default() += 1);
    }
    let mut deepest = 0;
    for block in &function.layout {
        // What nothing leads to is a merge block that its header has told, or unreachable.
        let Some(&depth) = depths.get(block) else { continue };
        let data = &function.blocks[*block];
        let leaves = u32::from(exits && data.term.targets().count() > 1);
        let inside = match data.merge {
            Some(Merge::Selection { merge }) => {
                let one = edges.get(&merge) == Some(&1);
                depths.entry(merge).or_insert(depth + u32::from(one));
                depth + 1
            }
            Some(Merge::Loop { merge, continue_target, .. }) => {
                depths.entry(merge).or_insert(depth);
                depths.entry(continue_target).or_insert(depth);
                depth + leaves
            }
            None => depth + leaves,
        };
        for target in data.term.targets() {
            depths.entry(target.block).or_insert(inside);
        }
        deepest = deepest.max(inside);
    }
    deepest
}

//! Node splitting: small loops with several entries (a `goto` into the middle) get a single one.
//!
//! The blocks between the other entries and the first entry are copied for those who enter there. Structured control flow has no
//! irreducible loops: `structurize` would make each a loop over a selector.
//!
//! ```text
//! if (c) goto middle; top: A; middle: B; if (d) goto top;
//! → if (c) { B'; if (!d) goto end; } top: A; B; if (d) goto top; end:
//! ```

use crate::ir::cfg::{Cfg, Positions};
use crate::ir::{Block, Function, Value};
use crate::transform::cleanup;
use crate::transform::clone::Region;
use crate::transform::ssa;
use rustc_hash::{FxHashMap, FxHashSet};

/// No more instructions are copied for one loop.
const MAX_COPIED: usize = 48;
/// No more loops of one function are changed.
const MAX_LOOPS: usize = 16;

/// Splits the loops of a function, and returns whether there was one.
pub fn make_single(function: &mut Function) -> bool {
    let mut count = 0;
    while count < MAX_LOOPS {
        let cfg = function.cfg();
        let Some(copied) = next(function, &cfg) else { break };
        duplicate(function, &copied);
        count += 1;
    }
    count > 0
}

/// The blocks to copy, in reverse post-order, and the blocks outside the loop that branch to them.
struct Copied {
    blocks: Vec<Block>,
    from: FxHashSet<Block>,
}

/// The first irreducible loop that is small enough.
fn next(function: &Function, cfg: &Cfg) -> Option<Copied> {
    let mut found: FxHashSet<Block> = FxHashSet::default();
    for &head in cfg.rpo() {
        let back = |p: &&Block| cfg.rpo_index(**p) >= cfg.rpo_index(head) && !cfg.dominates(head, **p);
        let Some(&latch) = cfg.preds(head).iter().find(back) else { continue };
        if found.contains(&head) {
            continue;
        }
        let around = cfg.common_dominator(head, latch)?;
        let within = |b: Block| b != around && cfg.dominates(around, b);
        let forward = reach(head, |b, list| {
            function.blocks[b].term.each_target(|t| list.extend(within(t.block).then_some(t.block)));
        });
        let backward =
            reach(head, |b, list| list.extend(cfg.preds(b).iter().filter(|p| within(**p)).copied()));
        let region: FxHashSet<Block> = forward.intersection(&backward).copied().collect();
        found.extend(region.iter().copied());
        if let Some(copied) = copied(function, cfg, &region) {
            return Some(copied);
        }
    }
    None
}

/// The blocks that are reachable from one.
fn reach(from: Block, next: impl Fn(Block, &mut Vec<Block>)) -> FxHashSet<Block> {
    let mut seen = FxHashSet::from_iter([from]);
    let mut work = Vec::new();
    next(from, &mut work);
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            next(block, &mut work);
        }
    }
    seen
}

/// The blocks between the other entries of a loop and its first, if they may be copied.
fn copied(function: &Function, cfg: &Cfg, region: &FxHashSet<Block>) -> Option<Copied> {
    let outside = |b: &&Block| cfg.preds(**b).iter().any(|p| !region.contains(p));
    let order = cfg.rpo().iter().filter(|b| region.contains(b));
    let entries: Vec<Block> = order.filter(outside).copied().collect();
    let (&head, others) = entries.split_first()?;
    let mut blocks: FxHashSet<Block> = FxHashSet::default();
    for &entry in others {
        blocks.extend(reach(entry, |b, list| {
            let inside = |b: Block| region.contains(&b) && b != head;
            function.blocks[b].term.each_target(|t| list.extend(inside(t.block).then_some(t.block)));
        }));
    }
    let insts = blocks.iter().flat_map(|b| &function.blocks[*b].insts);
    let may = insts.clone().all(|i| function.insts[*i].kind.effects(function).can_be_duplicated());
    if blocks.is_empty() || !may || insts.count() + blocks.len() > MAX_COPIED {
        return None;
    }
    let from = others.iter().flat_map(|e| cfg.preds(*e)).filter(|p| !region.contains(p)).copied().collect();
    let blocks = cfg.rpo().iter().filter(|b| blocks.contains(b)).copied().collect();
    Some(Copied { blocks, from })
}

/// Copies the blocks, and redirects branches from outside to the copies. A use behind them takes the value of whichever of the two blocks
/// ran last.
fn duplicate(function: &mut Function, copied: &Copied) {
    let positions = Positions::new(function);
    let region = Region::copy(function, &copied.blocks);
    for old in &copied.blocks {
        function.blocks[region.blocks[old]].term = region.term(&function.blocks[*old].term);
    }
    for from in &copied.from {
        region.redirect(&mut function.blocks[*from].term);
    }
    cleanup::remove_unreachable(function);
    cleanup::order_layout(function);
    let homes: FxHashMap<Value, Block> =
        region.values.keys().filter_map(|v| Some((*v, positions.block_of(function, *v)?))).collect();
    ssa::rejoin_others(function, |value, block| {
        let home = *homes.get(&value).filter(|home| **home != block)?;
        Some(vec![(home, value), (region.blocks[&home], region.values[&value])])
    });
}

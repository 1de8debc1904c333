//! Finds the merge annotations of a graph that is structured but does not say so, as LLVM producers
//! leave it: natural loops get one continue block and one merge block, branches merge at their nearest
//! post-dominator. The result is a proposal: the caller checks it.
//!
//! A post-dominator is sought within the innermost loop alone, ways out of the loop ignored: those are
//! breaks. Merge blocks are new blocks, made from the inside out, so that constructs that meet at one
//! block nest.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{Block, BranchTarget, Function, Merge, Terminator, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Proposes annotations; false if the graph has loops with several entries.
pub fn run(function: &mut Function) -> bool {
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        function.blocks[block].merge = None;
    }
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    if loops.irreducible {
        return false;
    }
    for data in &loops.loops {
        one_latch(function, data.header, &data.latches);
    }
    loop_merges(function);
    selections(function);
    true
}

/// A new block that goes to `block` with whatever arguments it gets.
fn forward(function: &mut Function, block: Block) -> Block {
    let middle = function.new_block();
    let types: SmallVec<[_; 4]> = function.blocks[block].params.iter().map(|p| function.ty(*p)).collect();
    let args: SmallVec<[Value; 2]> = types.into_iter().map(|ty| function.add_param(middle, ty)).collect();
    function.blocks[middle].term = Terminator::Branch(BranchTarget { block, args });
    middle
}

fn redirect(function: &mut Function, from: Block, old: Block, new: Block) {
    for target in function.blocks[from].term.targets_mut() {
        if target.block == old {
            target.block = new;
        }
    }
}

/// Leads all back edges through one new block, and gives the header a plain branch.
fn one_latch(function: &mut Function, header: Block, latches: &[Block]) {
    let latch = forward(function, header);
    for from in latches {
        redirect(function, *from, header, latch);
    }
    // The header's own branch moves into a block of its own; a merge can stand there too.
    let body = function.new_block();
    let term = std::mem::replace(&mut function.blocks[header].term, Terminator::Unreachable);
    function.blocks[body].term = term;
    function.blocks[header].term = Terminator::Branch(BranchTarget { block: body, args: SmallVec::new() });
}

/// Gives every loop its merge block.
fn loop_merges(function: &mut Function) {
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let regions = Regions::new(function, &cfg, &loops);
    for data in loops.loops.iter().rev() {
        let Some(latch) = data.latches.first().copied() else { continue };
        let after = regions.after(&loops, data.parent, data.header, Some(data.header));
        let merge = merge_before(function, &cfg, data.header, after);
        function.blocks[data.header].merge = Some(Merge::Loop { merge, continue_target: latch, control: 0 });
    }
}

/// A new block that everything from within a construct goes through on its way to `after`.
fn merge_before(function: &mut Function, cfg: &Cfg, header: Block, after: Option<Block>) -> Block {
    let Some(after) = after else { return function.new_block() };
    let known = function.blocks.len();
    let merge = forward(function, after);
    let layout = function.layout.clone();
    for block in layout {
        if block == merge {
            continue;
        }
        // Blocks made meanwhile are judged by what leads to them: see `made_in`.
        let inside = cfg.dominates(header, block) || (known > 0 && made_in(function, cfg, header, block));
        if inside {
            redirect(function, block, after, merge);
        }
    }
    merge
}

/// Whether a merge block made since the graph was taken belongs to a header dominated by `header`.
fn made_in(function: &Function, cfg: &Cfg, header: Block, block: Block) -> bool {
    if cfg.is_reachable(block) {
        return false;
    }
    function.layout.iter().any(|h| {
        let merge = match function.blocks[*h].merge {
            Some(Merge::Selection { merge } | Merge::Loop { merge, .. }) => merge,
            None => return false,
        };
        merge == block && cfg.dominates(header, *h)
    })
}

/// Gives every branch that needs one its merge block, inner ones first.
fn selections(function: &mut Function) {
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let regions = Regions::new(function, &cfg, &loops);
    for &block in cfg.rpo().iter().rev() {
        let switch = matches!(function.blocks[block].term, Terminator::Switch { .. });
        if !switch && !matches!(function.blocks[block].term, Terminator::CondBranch { .. }) {
            continue;
        }
        let region = loops.innermost(block);
        let exits: SmallVec<[Block; 2]> = match region.map(|r| function.blocks[loops.loops[r].header].merge) {
            Some(Some(Merge::Loop { merge, continue_target, .. })) => {
                SmallVec::from_iter([merge, continue_target])
            }
            _ => SmallVec::new(),
        };
        let mut ways: SmallVec<[Block; 4]> =
            function.blocks[block].term.targets().iter().map(|t| t.block).collect();
        ways.retain(|w| !exits.contains(w));
        ways.sort_unstable();
        ways.dedup();
        if !switch && ways.len() < 2 {
            continue;
        }
        let after = regions.after(&loops, region, block, None);
        let merge = merge_before(function, &cfg, block, after);
        function.blocks[block].merge = Some(Merge::Selection { merge });
    }
}

/// Post-dominators of each region (a loop's body, or the whole function), of the graph before its changes.
struct Regions {
    tables: FxHashMap<Option<usize>, FxHashMap<Block, Block>>,
}

impl Regions {
    fn new(function: &Function, cfg: &Cfg, loops: &Loops) -> Self {
        let all = std::iter::once(None).chain((0..loops.loops.len()).map(Some));
        Regions { tables: all.map(|r| (r, post_dominators(function, cfg, loops, r))).collect() }
    }

    /// The nearest post-dominator of a block within its region, and outside the loop `leaving` if that is given.
    fn after(
        &self,
        loops: &Loops,
        region: Option<usize>,
        block: Block,
        leaving: Option<Block>,
    ) -> Option<Block> {
        let table = self.tables.get(&region)?;
        let inside = leaving.and_then(|h| loops.innermost(h));
        let mut at = *table.get(&block)?;
        while inside.is_some_and(|l| loops.contains(l, at)) {
            at = *table.get(&at)?;
        }
        Some(at)
    }
}

/// Immediate post-dominators (Cooper, Harvey and Kennedy on the reversed graph) of a region's blocks.
fn post_dominators(
    function: &Function,
    cfg: &Cfg,
    loops: &Loops,
    region: Option<usize>,
) -> FxHashMap<Block, Block> {
    let blocks: Vec<Block> = match region {
        Some(r) => loops.loops[r].blocks.clone(),
        None => cfg.rpo().to_vec(),
    };
    let header = region.map(|r| loops.loops[r].header);
    let number: FxHashMap<Block, usize> = blocks.iter().enumerate().map(|(n, b)| (*b, n)).collect();
    let end = blocks.len();
    let mut next: Vec<SmallVec<[usize; 2]>> = Vec::with_capacity(end);
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (n, block) in blocks.iter().enumerate() {
        let mut to: SmallVec<[usize; 2]> = function.blocks[*block]
            .term
            .targets()
            .iter()
            .filter(|t| Some(t.block) != header)
            .filter_map(|t| number.get(&t.block).copied())
            .collect();
        if to.is_empty() {
            to.push(end);
        }
        to.iter().for_each(|t| back[*t].push(n));
        next.push(to);
    }
    // Post-order of the reversed graph from the end.
    let mut seen = vec![false; end + 1];
    let mut order = Vec::with_capacity(end + 1);
    let mut stack = vec![(end, 0usize)];
    seen[end] = true;
    while let Some((node, at)) = stack.last_mut() {
        if let Some(&to) = back[*node].get(*at) {
            *at += 1;
            if !std::mem::replace(&mut seen[to], true) {
                stack.push((to, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    let mut place = vec![0usize; end + 1];
    order.iter().enumerate().for_each(|(i, n)| place[*n] = i);
    let mut idom: Vec<Option<usize>> = vec![None; end + 1];
    idom[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev().filter(|n| **n != end) {
            let mut best: Option<usize> = None;
            for &to in &next[node] {
                if idom[to].is_none() {
                    continue;
                }
                best = Some(match best {
                    None => to,
                    Some(mut a) => {
                        let mut b = to;
                        while a != b {
                            if place[a] < place[b] {
                                a = idom[a].unwrap_or(end);
                            } else {
                                b = idom[b].unwrap_or(end);
                            }
                        }
                        a
                    }
                });
            }
            if best.is_some() && idom[node] != best {
                idom[node] = best;
                changed = true;
            }
        }
    }
    let found = (0..end).filter_map(|n| idom[n].filter(|d| *d != end).map(|d| (blocks[n], blocks[d])));
    found.collect()
}

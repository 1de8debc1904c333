//! Structured control flow from any graph.
//!
//! Blocks with one way in are nested where they are branched to; the others — joins and loop headers —
//! become the cases of a switch in a loop, chosen by a state value that every branch to one sets:
//!
//! ```text
//! entry … state = n
//! loop { switch state { case n: block n, with what is nested in it, … state = m } }
//! ```
//!
//! A return leaves the loop from wherever it stands. Values that live across blocks, and block
//! parameters, become variables and are made SSA again at the end ([`crate::passes::ssa`]).

use super::repair;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, BranchTarget, Constant, Function, Merge, Terminator, Type, Value, ValueDef};
use crate::passes::cleanup;
use crate::passes::ssa::{Ssa, Var};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a block between two sets: the parameters of where it leads, and the state.
struct Edge {
    block: Block,
    sets: Vec<(Value, Value)>,
    state: Option<u64>,
}

struct Rebuild<'f> {
    function: &'f mut Function,
    cfg: Cfg,
    edges: Vec<Edge>,
    /// The number of each join.
    state: FxHashMap<Block, u64>,
}

fn to(block: Block) -> BranchTarget {
    BranchTarget { block, args: SmallVec::new() }
}

/// Rebuilds a function's control flow.
pub fn run(function: &mut Function) {
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        function.blocks[block].merge = None;
    }
    cleanup::remove_unreachable(function);
    let cfg = Cfg::new(function);
    let joins: Vec<Block> = cfg.rpo().iter().copied().filter(|b| cfg.preds(*b).len() > 1).collect();
    let state = joins.iter().enumerate().map(|(n, b)| (*b, n as u64)).collect();
    let params: Vec<(Block, Vec<Value>)> = cfg
        .rpo()
        .iter()
        .skip(1)
        .map(|b| (*b, std::mem::take(&mut function.blocks[*b].params)))
        .filter(|p| !p.1.is_empty())
        .collect();
    let by_block: FxHashMap<Block, Vec<Value>> = params.iter().cloned().collect();
    let mut rebuild = Rebuild { function, cfg, edges: Vec::new(), state };
    let entry = rebuild.function.entry();
    let dispatch = (!joins.is_empty()).then(|| rebuild.function.new_detached_block());
    // (block, where to go from its end)
    let unreachable = rebuild.function.new_detached_block();
    let mut work: Vec<(Block, Block)> = vec![(entry, dispatch.unwrap_or(unreachable))];
    let mut selector = None;
    if let Some(header) = dispatch {
        selector = Some(rebuild.dispatcher(header, &joins, &mut work));
    }
    while let Some((block, after)) = work.pop() {
        rebuild.block(block, after, &by_block, &mut work);
    }
    let Rebuild { function, edges, .. } = rebuild;
    let mut used = vec![false; function.blocks.len()];
    function.layout = reach(function, &mut used);
    restore_ssa(function, &params, &edges, selector);
    repair::order(function);
    cleanup::redundant_params(function);
    cleanup::dead_code(function);
}

/// Every block that branches and merges lead to.
fn reach(function: &Function, used: &mut [bool]) -> Vec<Block> {
    let mut layout = vec![function.entry()];
    used[function.entry().0 as usize] = true;
    let mut at = 0;
    while at < layout.len() {
        let data = &function.blocks[layout[at]];
        at += 1;
        let mut next: SmallVec<[Block; 4]> = data.term.targets().iter().map(|t| t.block).collect();
        match data.merge {
            Some(Merge::Selection { merge }) => next.push(merge),
            Some(Merge::Loop { merge, continue_target, .. }) => next.extend([merge, continue_target]),
            None => {}
        }
        for block in next {
            if !std::mem::replace(&mut used[block.0 as usize], true) {
                layout.push(block);
            }
        }
    }
    layout
}

impl Rebuild<'_> {
    /// Makes the loop with the switch; gives the block with the switch and its placeholder selector.
    fn dispatcher(&mut self, header: Block, joins: &[Block], work: &mut Vec<(Block, Block)>) -> Block {
        let f = &mut *self.function;
        let switch = f.new_detached_block();
        let merge = f.new_detached_block();
        let latch = f.new_detached_block();
        let done = f.new_detached_block();
        f.blocks[header].merge = Some(Merge::Loop { merge: done, continue_target: latch, control: 0 });
        f.blocks[header].term = Terminator::Branch(to(switch));
        let undef = f.constant(Type::I32, Constant::Undef);
        let mut cases: Vec<(u64, BranchTarget)> =
            joins.iter().enumerate().map(|(n, b)| (n as u64, to(*b))).collect();
        let default = cases.pop().map_or_else(|| to(merge), |c| c.1);
        f.blocks[switch].merge = Some(Merge::Selection { merge });
        f.blocks[switch].term = Terminator::Switch { value: undef, cases, default };
        f.blocks[merge].term = Terminator::Branch(to(latch));
        f.blocks[latch].term = Terminator::Branch(to(header));
        work.extend(joins.iter().map(|b| (*b, merge)));
        switch
    }

    /// Rewrites a block's terminator: single ways nest, joins go through the state.
    fn block(
        &mut self,
        block: Block,
        after: Block,
        params: &FxHashMap<Block, Vec<Value>>,
        work: &mut Vec<(Block, Block)>,
    ) {
        let mut term = std::mem::replace(&mut self.function.blocks[block].term, Terminator::Unreachable);
        let branches = matches!(term, Terminator::CondBranch { .. } | Terminator::Switch { .. });
        let mut after = after;
        if branches {
            let merge = self.function.new_detached_block();
            self.function.blocks[merge].term = Terminator::Branch(to(after));
            self.function.blocks[block].merge = Some(Merge::Selection { merge });
            after = merge;
        }
        for target in term.targets_mut() {
            let next = target.block;
            let names = params.get(&next).map_or(&[][..], |p| p.as_slice());
            let sets: Vec<(Value, Value)> = names.iter().copied().zip(target.args.drain(..)).collect();
            let state = self.state.get(&next).copied();
            let goes = if state.is_some() { after } else { next };
            if state.is_none() {
                work.push((next, after));
            }
            if state.is_some() || !sets.is_empty() || !self.cfg.is_reachable(next) {
                let edge = self.function.new_detached_block();
                self.function.blocks[edge].term = Terminator::Branch(to(goes));
                self.edges.push(Edge { block: edge, sets, state });
                target.block = edge;
            }
        }
        self.function.blocks[block].term = term;
    }
}

/// Makes SSA values of the former parameters, of values that live across blocks, and of the state.
fn restore_ssa(
    function: &mut Function,
    params: &[(Block, Vec<Value>)],
    edges: &[Edge],
    selector: Option<Block>,
) {
    let cfg = Cfg::new(function);
    let mut home: FxHashMap<Value, Block> = FxHashMap::default();
    for &block in cfg.rpo() {
        for inst in &function.blocks[block].insts {
            for result in &function.insts[*inst].results {
                home.insert(*result, block);
            }
        }
    }
    let is_param: FxHashMap<Value, ()> = params.iter().flat_map(|p| p.1.iter().map(|v| (*v, ()))).collect();
    let entry = function.entry();
    // Where variables are read and set.
    let mut order: Vec<Value> = Vec::new();
    let mut reads: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
    let edge_of: FxHashMap<Block, &Edge> = edges.iter().map(|e| (e.block, e)).collect();
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        let mut uses: Vec<Value> = data.insts.iter().flat_map(|i| function.insts[*i].kind.values()).collect();
        uses.extend(data.term.values());
        if let Some(edge) = edge_of.get(&block) {
            uses.extend(edge.sets.iter().map(|s| s.1));
        }
        for value in uses {
            let outside = match function.values[value].def {
                ValueDef::Const(_) => false,
                ValueDef::Param(at, _) => at != entry,
                ValueDef::Inst(..) => home.get(&value) != Some(&block),
            };
            if outside {
                let list = reads.entry(value).or_insert_with(|| {
                    order.push(value);
                    Vec::new()
                });
                if list.last() != Some(&block) {
                    list.push(block);
                }
            }
        }
    }
    let mut sets: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
    let mut state_sets = Vec::new();
    for edge in edges {
        for (param, _) in &edge.sets {
            sets.entry(*param).or_default().push(edge.block);
        }
        if edge.state.is_some() {
            state_sets.push(edge.block);
        }
    }
    let mut ssa = Ssa::new(function, &cfg);
    let mut vars: FxHashMap<Value, Var> = FxHashMap::default();
    for value in &order {
        let own: Vec<Block> = match home.get(value) {
            Some(block) => vec![*block],
            None => sets.get(value).cloned().unwrap_or_default(),
        };
        let name = function.names.get(value).cloned();
        let var = ssa.add(function, function.ty(*value), &own, &reads[value], name.as_deref());
        vars.insert(*value, var);
        if let (Some(block), false) = (home.get(value), is_param.contains_key(value)) {
            ssa.set_end(*block, var, *value);
        }
    }
    let state = selector.map(|block| (block, ssa.add(function, Type::I32, &state_sets, &[block], None)));
    for index in 0..cfg.rpo().len() {
        let block = cfg.rpo()[index];
        let at_entry = |function: &mut Function, ssa: &mut Ssa<'_>, value: Value| match vars.get(&value) {
            Some(var) if home.get(&value) != Some(&block) => ssa.at_entry(function, block, *var),
            _ => value,
        };
        for i in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[i];
            let mut kind =
                std::mem::replace(&mut function.insts[inst].kind, crate::ir::InstKind::WorkgroupSize(0));
            kind.map_values(|v| at_entry(function, &mut ssa, v));
            function.insts[inst].kind = kind;
        }
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        term.map_values(|v| at_entry(function, &mut ssa, v));
        if let (Some((at, var)), Terminator::Switch { value, .. }) = (state, &mut term)
            && at == block
        {
            *value = ssa.at_entry(function, block, var);
        }
        function.blocks[block].term = term;
        if let Some(edge) = edge_of.get(&block) {
            let values: Vec<Value> = edge.sets.iter().map(|s| at_entry(function, &mut ssa, s.1)).collect();
            for ((param, _), value) in edge.sets.iter().zip(values) {
                if let Some(var) = vars.get(param) {
                    ssa.set_end(block, *var, value);
                }
            }
            if let (Some(number), Some((_, var))) = (edge.state, state) {
                let number = function.iconst(Type::I32, number);
                ssa.set_end(block, var, number);
            }
        }
    }
    ssa.finish(function);
}

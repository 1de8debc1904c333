//! SSA construction for variables that are not values yet, shared by `mem2reg` and `structurize`.
//!
//! The construction follows Cytron et al. in pruned form:
//! 1. The caller adds each variable with the blocks that set it and the blocks that read it before they set it.
//! 2. [`Ssa`] puts block parameters at the iterated dominance frontiers of the definitions, if the variable is live there.
//! 3. The caller sets the value at the end of each block that sets a variable, and asks for values at block entries.
//! 4. [`Ssa::finish`] fills in the arguments of the branches.

use crate::ir::cfg::{Cfg, Positions};
use crate::ir::{Block, Constant, Function, Terminator, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Stands for "none".
const NONE: u32 = u32::MAX;

/// A variable's number.
pub type Var = u32;

/// SSA construction in progress.
pub struct Ssa<'a> {
    cfg: &'a Cfg,
    frontiers: Vec<SmallVec<[Block; 2]>>,
    types: Vec<Type>,
    placed: Vec<Vec<(Var, Value)>>,
    ends: FxHashMap<(Block, Var), Value>,
    entries: FxHashMap<(Block, Var), Value>,
    /// The blocks that give each variable a value, in the order of a walk of the dominator tree.
    /// Each has the index of its nearest dominator among them.
    givers: Vec<Vec<(Block, u32)>>,
    /// Marks for the current variable, by block: live at entry, set, has a parameter.
    live: Vec<u32>,
    sets: Vec<u32>,
    has_param: Vec<u32>,
}

impl<'a> Ssa<'a> {
    /// Starts the construction. The graph must not change until [`Ssa::finish`].
    pub fn new(function: &Function, cfg: &'a Cfg) -> Self {
        let count = function.blocks.len();
        Ssa {
            cfg,
            frontiers: frontiers(function, cfg),
            types: Vec::new(),
            placed: vec![Vec::new(); count],
            ends: FxHashMap::default(),
            entries: FxHashMap::default(),
            givers: Vec::new(),
            live: vec![u32::MAX; count],
            sets: vec![u32::MAX; count],
            has_param: vec![u32::MAX; count],
        }
    }

    /// Adds a variable and its block parameters. `sets` are the blocks that set it.
    /// `reads` are the blocks that read it before they set it, if they do.
    pub fn add(
        &mut self,
        function: &mut Function,
        ty: Type,
        sets: &[Block],
        reads: &[Block],
        name: Option<&str>,
    ) -> Var {
        self.add_below(function, ty, sets, reads, name, None)
    }

    /// Adds a variable that every path from `floor` to a reader sets, whatever the graph shows. The search ends at `floor`.
    fn add_below(
        &mut self,
        function: &mut Function,
        ty: Type,
        sets: &[Block],
        reads: &[Block],
        name: Option<&str>,
        floor: Option<Block>,
    ) -> Var {
        let var = self.types.len() as Var;
        self.types.push(ty);
        for block in sets {
            self.sets[block.0 as usize] = var;
        }
        if let [set] = *sets
            && reads.iter().all(|b| *b != set && self.cfg.dominates(set, *b))
        {
            // Every path to a reader passes the one block that sets it, so it needs no parameter.
            self.list_givers(vec![set]);
            return var;
        }
        let mut work: Vec<Block> = Vec::new();
        for &block in reads {
            if self.cfg.is_reachable(block) && self.live[block.0 as usize] != var {
                self.live[block.0 as usize] = var;
                work.push(block);
            }
        }
        while let Some(block) = work.pop() {
            for &pred in self.cfg.preds(block) {
                let p = pred.0 as usize;
                let above = floor.is_some_and(|f| self.cfg.dominates(pred, f));
                if self.sets[p] != var && self.live[p] != var && !above {
                    self.live[p] = var;
                    work.push(pred);
                }
            }
        }
        work.extend(sets.iter().copied().filter(|b| self.cfg.is_reachable(*b)));
        let mut givers = work.clone();
        while let Some(block) = work.pop() {
            for i in 0..self.frontiers[block.0 as usize].len() {
                let join = self.frontiers[block.0 as usize][i];
                let j = join.0 as usize;
                if self.live[j] != var || self.has_param[j] == var {
                    continue;
                }
                self.has_param[j] = var;
                let value = function.add_param(join, ty);
                if let Some(name) = name {
                    function.names.insert(value, name.to_owned());
                }
                self.placed[j].push((var, value));
                self.entries.insert((join, var), value);
                work.push(join);
                givers.push(join);
            }
        }
        self.list_givers(givers);
        var
    }

    /// Lists the blocks that give a variable a value, for a fast search of the nearest dominator.
    fn list_givers(&mut self, mut blocks: Vec<Block>) {
        let cfg = self.cfg;
        blocks.sort_unstable_by_key(|b| cfg.span(*b));
        blocks.dedup();
        let mut list: Vec<(Block, u32)> = Vec::with_capacity(blocks.len());
        for block in blocks {
            let mut above = list.len().checked_sub(1).map_or(NONE, |n| n as u32);
            while above != NONE && !cfg.dominates(list[above as usize].0, block) {
                above = list[above as usize].1;
            }
            list.push((block, above));
        }
        self.givers.push(list);
    }

    /// Sets the value of a variable at the end of a block that sets it.
    pub fn set_end(&mut self, block: Block, var: Var, value: Value) {
        self.ends.insert((block, var), value);
    }

    /// The value of a variable at the entry of a block. It is undefined if nothing has set it.
    ///
    /// [`Ssa::set_end`] must have run for every dominator that sets the variable, so callers walk the dominator tree downwards.
    pub fn at_entry(&mut self, function: &mut Function, block: Block, var: Var) -> Value {
        if let Some(value) = self.entries.get(&(block, var)) {
            return *value;
        }
        let span = self.cfg.span(block);
        let list = self.givers.get(var as usize).map_or(&[][..], |l| l.as_slice());
        let before = list.partition_point(|g| self.cfg.span(g.0) < span);
        let mut at = before.checked_sub(1).map_or(NONE, |n| n as u32);
        let value = loop {
            let Some(&(up, above)) = list.get(at as usize) else {
                break function.constant(self.types[var as usize], Constant::Undef);
            };
            if self.cfg.dominates(up, block)
                && let Some(value) = self.ends.get(&(up, var)).or_else(|| self.entries.get(&(up, var)))
            {
                break *value;
            }
            at = above;
        };
        self.entries.insert((block, var), value);
        value
    }

    /// The value of a variable at the end of a block.
    pub fn at_end(&mut self, function: &mut Function, block: Block, var: Var) -> Value {
        match self.ends.get(&(block, var)) {
            Some(value) => *value,
            None => self.at_entry(function, block, var),
        }
    }

    /// Adds the arguments for new parameters to all branches.
    pub fn finish(mut self, function: &mut Function) {
        for index in 0..function.layout.len() {
            let block = function.layout[index];
            let reachable = self.cfg.is_reachable(block);
            let mut next = 0;
            while let Some(target) = function.blocks[block].term.target(next).map(|t| t.block) {
                let n = next;
                next += 1;
                if self.placed[target.0 as usize].is_empty() {
                    continue;
                }
                let placed = std::mem::take(&mut self.placed[target.0 as usize]);
                let mut args: SmallVec<[Value; 4]> = SmallVec::new();
                for (var, _) in &placed {
                    args.push(if reachable {
                        self.at_end(function, block, *var)
                    } else {
                        function.constant(self.types[*var as usize], Constant::Undef)
                    });
                }
                self.placed[target.0 as usize] = placed;
                if let Some(t) = function.blocks[block].term.target_mut(n) {
                    t.args.extend_from_slice(&args);
                }
            }
        }
    }
}

/// A value that became a variable.
struct Variable {
    value: Value,
    /// The blocks that set it, with the values.
    sets: Vec<(Block, Value)>,
    /// The blocks that read it before they set it.
    reads: Vec<Block>,
}

/// Restores SSA form after branches were redirected. A value with a use that its definition does not dominate becomes a variable.
/// The variable is undefined on new paths.
pub fn repair(function: &mut Function) {
    restore(function, true);
}

/// [`repair`] for new loops: a path from a definition to its reader may pass blocks that dominate the definition.
pub fn repair_through_loops(function: &mut Function) {
    restore(function, false);
}

/// Restores SSA form. `below` says that no path from a definition to its reader passes blocks that dominate the definition.
fn restore(function: &mut Function, below: bool) {
    let cfg = function.cfg();
    let positions = Positions::new(function);
    let homes: Vec<Option<Block>> =
        function.values.keys().map(|value| positions.block_of(function, value)).collect();
    let broken = |_: &Function, value: Value, block: Block| {
        let home = (*homes.get(value.0 as usize)?)?;
        (home != block && !cfg.dominates(home, block)).then(|| vec![(home, value)])
    };
    make_variables(function, &cfg, below, broken);
}

/// Makes a variable of each value that now has several definitions. Each comes with the blocks that set it and the values.
/// None of these blocks uses the old value.
pub fn rejoin(function: &mut Function, values: &[(Value, Vec<(Block, Value)>)]) {
    let known: FxHashMap<Value, usize> = values.iter().enumerate().map(|(n, v)| (v.0, n)).collect();
    if known.is_empty() {
        return;
    }
    let cfg = function.cfg();
    let sets = |_: &Function, value: Value, _: Block| known.get(&value).map(|n| values[*n].1.clone());
    make_variables(function, &cfg, true, sets);
}

/// Makes variables of values that now have several definitions, by the used value and the block of the use.
/// `sets` gives the blocks that set it for that use, with the values. The value itself may be one of these, without its own block.
pub fn rejoin_others(function: &mut Function, sets: impl Fn(Value, Block) -> Option<Vec<(Block, Value)>>) {
    let cfg = function.cfg();
    make_variables(function, &cfg, false, |_, value, block| sets(value, block));
}

/// Makes a variable of every used value for which `sets` gives definitions.
fn make_variables(
    function: &mut Function,
    cfg: &Cfg,
    below: bool,
    sets: impl Fn(&Function, Value, Block) -> Option<Vec<(Block, Value)>>,
) {
    let mut variables: Vec<Variable> = Vec::new();
    let mut index: FxHashMap<Value, usize> = FxHashMap::default();
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
        for value in insts.chain(data.term.values()) {
            let Some(sets) = sets(function, value, block) else { continue };
            let at = *index.entry(value).or_insert(variables.len());
            if at == variables.len() {
                variables.push(Variable { value, sets, reads: Vec::new() });
            }
            if variables[at].reads.last() != Some(&block) {
                variables[at].reads.push(block);
            }
        }
    }
    if variables.is_empty() {
        return;
    }
    let mut ssa = Ssa::new(function, cfg);
    let mut readers: FxHashMap<Block, FxHashMap<Value, Var>> = FxHashMap::default();
    for Variable { value, sets, reads } in &variables {
        let name = function.names.get(value).cloned();
        let blocks: Vec<Block> = sets.iter().map(|s| s.0).collect();
        // The old value was set before all its readers. One of these blocks still is, below any block that dominates them all.
        let mut reachable = blocks.iter().copied().filter(|b| cfg.is_reachable(*b));
        let first = reachable.next();
        let floor = first
            .filter(|_| below)
            .and_then(|first| reachable.try_fold(first, |a, b| cfg.common_dominator(a, b)));
        let ty = function.ty(*value);
        let var = ssa.add_below(function, ty, &blocks, reads, name.as_deref(), floor);
        for (block, value) in sets {
            ssa.set_end(*block, var, *value);
        }
        for block in reads {
            readers.entry(*block).or_default().insert(*value, var);
        }
    }
    for &block in cfg.rpo() {
        let Some(vars) = readers.get(&block) else { continue };
        let mut now = |function: &mut Function, value: Value| match vars.get(&value) {
            Some(var) => ssa.at_entry(function, block, *var),
            None => value,
        };
        for i in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[i];
            let olds: SmallVec<[Value; 4]> = function.insts[inst].kind.values().collect();
            let mut news =
                olds.into_iter().map(|old| now(function, old)).collect::<SmallVec<[Value; 4]>>().into_iter();
            function.insts[inst].kind.map_values(|old| news.next().unwrap_or(old));
        }
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        term.map_values(|v| now(function, v));
        function.blocks[block].term = term;
    }
    ssa.finish(function);
}

/// The dominance frontier of every block.
fn frontiers(function: &Function, cfg: &Cfg) -> Vec<SmallVec<[Block; 2]>> {
    let mut result: Vec<SmallVec<[Block; 2]>> = Vec::new();
    result.resize_with(function.blocks.len(), SmallVec::new);
    for &block in cfg.rpo() {
        // The entry has an implicit edge besides those of the graph.
        let joins = cfg.preds(block).len() > 1 || cfg.idom(block).is_none();
        if !joins {
            continue;
        }
        for &pred in cfg.preds(block) {
            let mut at = Some(pred);
            while let Some(b) = at {
                if Some(b) == cfg.idom(block) {
                    break;
                }
                let list = &mut result[b.0 as usize];
                if list.last() == Some(&block) {
                    break;
                }
                list.push(block);
                at = cfg.idom(b);
            }
        }
    }
    result
}

//! Loop-exit unification: every loop is left through its header, because llvmpipe overwrites values of work-items that have left a
//! loop.
//!
//! Mesa's llvmpipe executes work-items as lanes of vectors, and a loop until the last lane has left it. Only phis are kept lane by
//! lane. Any other value is that of the last iteration, and a load by a lane that has left gives zero:
//!
//! ```text
//! loop { v = load; if (found(v)) break; }  use(v)
//! ```
//!
//! becomes
//!
//! ```text
//! loop(done = false, v) { if (done) break; v = load; done = found(v); }  use(v)
//! ```
//!
//! where the `v` after the loop is a parameter of the new header. Values from memory need this. A value that is computed only from phis
//! is computed again as it was, unless the register of a phi already has its next value at the exit (`do { t = y + x; y = t & 255; }
//! while (…); use(t)`). Such values need it too.
//!
//! Vectors that a loop carries are split into scalars ([`split_vectors`]). A private variable is affected too, because the driver keeps
//! it in registers: a variable to which the loop stores a loaded value keeps the value from the loop's header.
//!
//! SwiftShader has the same lanes. A cycle with several entries (`goto`, a `switch` into a loop) has no header: such a function is
//! structured first, which creates one. Loops that no such value leaves are not changed.

mod keep;
mod split_vectors;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, LoopData, Loops, Positions};
use crate::ir::{
    Block, BranchTarget, Constant, Function, InstKind, IntCC, Module, Place, Root, Terminator, Type, Value,
};
use crate::passes::structurize::structurize;
use crate::transform::cleanup;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Redirects the exits of loops through their headers, for the drivers that need it.
///
/// # Errors
/// Those of [`structurize`].
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut().filter(|f| f.layout.len() > 1) {
        create_headers(function)?;
        split_vectors::split(function);
        if redirect_exits(function) {
            // The new headers carry vectors too.
            split_vectors::split(function);
        }
    }
    Ok(())
}

/// Makes every cycle a loop with one entry.
pub(crate) fn create_headers(function: &mut Function) -> Result<(), LowerError> {
    cleanup::remove_unreachable(function);
    if Cfg::new(function).loops().irreducible {
        structurize(function)?;
        for block in function.layout.clone() {
            function.blocks[block].merge = None;
        }
    }
    Ok(())
}

/// Splits the vectors that loops carry.
pub(crate) fn split_carried_vectors(function: &mut Function) {
    split_vectors::split(function);
}

/// How a loop is left.
pub(crate) struct Head {
    /// The old header.
    pub(crate) header: Block,
    /// The head, from which alone the loop is left.
    pub(crate) head: Block,
    /// The values of the old header's parameters in the new one, in order.
    pub(crate) header_params: SmallVec<[Value; 2]>,
    /// The block after the loop, which ends in a branch to the next code.
    pub(crate) after: Block,
    /// True in `after` for a lane that has taken no exit: a driver ended its loop.
    pub(crate) ended: Value,
}

/// The callback for each loop, inner loops first. It may change the branch of `after`, and returns the blocks that it created.
pub(crate) type LoopHook<'a> = dyn FnMut(&mut Function, &Head) -> Vec<Block> + 'a;

/// Redirects the exits of all loops through their headers, and computes after each which lanes a driver ended.
///
/// `stopped` is the target of the callback's branches, outside of all loops. With `keep`,
/// loops keep their form if they can. Returns false if one of these needs new exits after all, which would invalidate the result.
/// The loops whose headers are in `fixed` are not changed.
pub(crate) fn redirect_all_exits(
    function: &mut Function,
    (keep, fixed): (bool, &FxHashSet<Block>),
    stopped: Block,
    made: &mut LoopHook<'_>,
) -> bool {
    let mut heads = FxHashSet::default();
    let choose = |f: &Function, cfg: &Cfg, loops: &Loops| {
        let kept =
            if keep { keep::kept(f, cfg, loops, &needing(f, cfg, loops)) } else { FxHashSet::default() };
        heads
            .extend(kept.iter().map(|index| loops.loops[*index].header).filter(|head| !fixed.contains(head)));
        (0..loops.loops.len()).filter(|index| !kept.contains(index)).collect()
    };
    redirect_exits_of(function, choose, fixed, Some((stopped, made)));
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let needing = needing(function, &cfg, &loops);
    !needing.iter().any(|index| heads.contains(&loops.loops[*index].header))
}

/// Redirects the exits of the loops that need it. Returns false if there were none.
fn redirect_exits(function: &mut Function) -> bool {
    redirect_exits_of(function, needing, &FxHashSet::default(), None)
}

/// The same for the loops that are chosen.
fn redirect_exits_of(
    function: &mut Function,
    choose: impl FnOnce(&Function, &Cfg, &Loops) -> FxHashSet<usize>,
    fixed: &FxHashSet<Block>,
    mut hook: Option<(Block, &mut LoopHook<'_>)>,
) -> bool {
    cleanup::remove_unreachable(function);
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let chosen = choose(function, &cfg, &loops);
    if chosen.is_empty() && hook.is_none() {
        return false;
    }
    let mut work =
        Work { uses: FxHashMap::default(), sources: FxHashMap::default(), stands_for: FxHashMap::default() };
    for &block in cfg.rpo() {
        work.note(function, block);
    }
    // Inner loops first: their new blocks belong to the loops around them, too.
    let mut made: FxHashMap<usize, Vec<Block>> = FxHashMap::default();
    let all = hook.is_some();
    let changes = |i: &usize| (all || chosen.contains(i)) && !fixed.contains(&loops.loops[*i].header);
    for index in (0..loops.loops.len()).rev().filter(changes) {
        let mut blocks = loops.loops[index].blocks.clone();
        blocks.extend(made.remove(&index).unwrap_or_default());
        let shape = &loops.loops[index];
        let new = match &mut hook {
            Some((stopped, made)) if !chosen.contains(&index) => {
                work.keep(function, shape.header, &blocks, *stopped, *made)
            }
            hook => {
                let made = hook.as_mut().map(|(_, made)| &mut **made);
                work.rotate(function, &cfg, shape, &blocks, made)
            }
        };
        let mut around = loops.loops[index].parent;
        while let Some(outer) = around {
            made.entry(outer).or_default().extend(&new);
            around = loops.loops[outer].parent;
        }
    }
    cleanup::order_layout(function);
    cleanup::redundant_params(function);
    true
}

/// The loops, by their indices, out of which values get that come from memory.
fn needing(function: &Function, cfg: &Cfg, loops: &Loops) -> FxHashSet<usize> {
    let positions = Positions::new(function);
    let spoiled = spoiled(function, cfg, loops);
    let advanced: Vec<FxHashSet<Value>> =
        loops.loops.iter().map(|shape| advanced(function, cfg, &positions, shape)).collect();
    let mut result = FxHashSet::default();
    for &block in cfg.rpo().iter().filter(|block| keeps(function, **block, &spoiled)) {
        let mut at = loops.innermost(block);
        while let Some(index) = at {
            if has_inner_exit(function, &loops.loops[index], block) {
                result.insert(index);
            }
            at = loops.loops[index].parent;
        }
    }
    let mut leaves = |value: Value, to: Block| {
        let home = positions.block_of(function, value);
        let mut at = home.and_then(|home| loops.innermost(home));
        while let Some(index) = at.filter(|i| !loops.contains(*i, to)) {
            if spoiled.contains(&value) || advanced[index].contains(&value) {
                result.insert(index);
            }
            at = loops.loops[index].parent;
        }
    };
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        for value in data.insts.iter().flat_map(|i| function.insts[*i].kind.values()) {
            leaves(value, block);
        }
        match &data.term {
            Terminator::CondBranch { cond: value, .. } | Terminator::Switch { value, .. } => {
                leaves(*value, block);
            }
            Terminator::Return(values) => values.iter().for_each(|v| leaves(*v, block)),
            Terminator::Branch(_) | Terminator::Unreachable => {}
        }
        // The arguments of an edge are used at its target.
        for target in data.term.targets() {
            target.args.iter().for_each(|v| leaves(*v, target.block));
        }
    }
    result
}

/// The values of a loop that its next iteration changes for a lane that has left.
///
/// They depend on a header parameter whose next value is computed before an exit and may already be in the parameter's register. A
/// parameter itself keeps its register. So does a next value that is the only user of its parameter: it is in the register, or the
/// parameter is unchanged.
fn advanced(function: &Function, cfg: &Cfg, positions: &Positions, shape: &LoopData) -> FxHashSet<Value> {
    let inside: FxHashSet<Block> = shape.blocks.iter().copied().collect();
    let last_exit =
        exits(function, &shape.blocks, &inside).iter().filter_map(|e| cfg.rpo_index(e.from)).max();
    let params = &function.blocks[shape.header].params;
    let mut next: FxHashMap<Value, Value> = FxHashMap::default();
    let mut moved: FxHashSet<Value> = FxHashSet::default();
    let back = shape.latches.iter().flat_map(|latch| function.blocks[*latch].term.targets());
    for target in back.filter(|t| t.block == shape.header) {
        for (param, arg) in params.iter().zip(&target.args).filter(|(_, arg)| !params.contains(arg)) {
            let home = positions.block_of(function, *arg).filter(|home| inside.contains(home));
            if home.and_then(|home| cfg.rpo_index(home)).is_some_and(|at| Some(at) <= last_exit) {
                moved.insert(*param);
                next.insert(*arg, *param);
            }
        }
    }
    let mut result = FxHashSet::default();
    if moved.is_empty() {
        return result;
    }
    let uses = |param: Value| {
        let insts = shape.blocks.iter().flat_map(|b| &function.blocks[*b].insts);
        let of_insts = insts.flat_map(|i| function.insts[*i].kind.values()).filter(|v| *v == param).count();
        let terms = shape.blocks.iter().flat_map(|b| function.blocks[*b].term.values());
        of_insts + terms.filter(|v| *v == param).count()
    };
    // Values that depend on them through instructions. Parameters of other blocks have registers that are not overwritten.
    for inst in shape.blocks.iter().flat_map(|b| &function.blocks[*b].insts) {
        let data = &function.insts[*inst];
        let of: SmallVec<[Value; 4]> =
            data.kind.values().filter(|v| moved.contains(v) || result.contains(v)).collect();
        for value in data.results.iter() {
            let own = next.get(value).is_some_and(|param| of[..] == [*param] && uses(*param) == 1);
            if !of.is_empty() && !own {
                result.insert(*value);
            }
        }
    }
    result
}

/// Returns whether a block stores one of the values to private memory.
fn keeps(function: &Function, block: Block, spoiled: &FxHashSet<Value>) -> bool {
    function.blocks[block].insts.iter().any(|inst| match &function.insts[*inst].kind {
        InstKind::Store { place: Place::Element { root: Root::Slot(_), .. }, value, .. } => {
            spoiled.contains(value)
        }
        _ => false,
    })
}

/// Returns whether a loop has an exit between one of its blocks and its header.
fn has_inner_exit(function: &Function, shape: &LoopData, block: Block) -> bool {
    let inside: FxHashSet<Block> = shape.blocks.iter().copied().collect();
    let exits = exits(function, &shape.blocks, &inside);
    exits.iter().any(|exit| exit.from != shape.header || block == shape.header)
}

/// The values that come from memory and not through a loop's header.
fn spoiled(function: &Function, cfg: &Cfg, loops: &Loops) -> FxHashSet<Value> {
    let heads: FxHashSet<Block> = loops.loops.iter().map(|l| l.header).collect();
    let mut spoiled: FxHashSet<Value> = FxHashSet::default();
    // In reverse post-order only back edges are seen after their targets, which are headers. In an irreducible graph a second pass
    // handles the rest.
    for _ in 0..if loops.irreducible { 2 } else { 1 } {
        for &block in cfg.rpo() {
            let data = &function.blocks[block];
            for inst in &data.insts {
                let data = &function.insts[*inst];
                if is_masked(&data.kind) || data.kind.values().any(|v| spoiled.contains(&v)) {
                    spoiled.extend(data.results.iter().copied());
                }
            }
            for target in data.term.targets().filter(|t| !heads.contains(&t.block)) {
                let params = &function.blocks[target.block].params;
                let bad = params.iter().zip(&target.args).filter(|(_, arg)| spoiled.contains(arg));
                spoiled.extend(bad.map(|(param, _)| *param).collect::<SmallVec<[Value; 4]>>());
            }
        }
    }
    spoiled
}

/// Returns whether the result of an instruction depends on the lane being active, not only on the operands.
fn is_masked(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load { .. } | InstKind::Atomic { .. } | InstKind::Call { .. } | InstKind::ExtInst { .. }
    )
}

/// The state of a function while its loops change.
struct Work {
    /// The blocks that use a value.
    uses: FxHashMap<Value, Vec<Block>>,
    /// The blocks that branch to a block.
    sources: FxHashMap<Block, Vec<Block>>,
    /// The old header for each new block, which has the same dominators.
    stands_for: FxHashMap<Block, Block>,
}

/// An exit of a loop.
struct Exit {
    from: Block,
    successor: usize,
    to: Block,
}

impl Work {
    fn note(&mut self, function: &Function, block: Block) {
        let data = &function.blocks[block];
        let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
        for value in insts.chain(data.term.values()) {
            let list = self.uses.entry(value).or_default();
            if list.last() != Some(&block) {
                list.push(block);
            }
        }
        for target in data.term.targets() {
            self.sources.entry(target.block).or_default().push(block);
        }
    }

    /// Gives a loop a new head, from which alone it is left; the blocks that are new.
    fn rotate(
        &mut self,
        function: &mut Function,
        cfg: &Cfg,
        shape: &LoopData,
        blocks: &[Block],
        made: Option<&mut LoopHook<'_>>,
    ) -> Vec<Block> {
        let inside: FxHashSet<Block> = blocks.iter().copied().collect();
        let exits = exits(function, blocks, &inside);
        let mut targets: Vec<Block> = Vec::new();
        for exit in &exits {
            if !targets.contains(&exit.to) {
                targets.push(exit.to);
            }
        }
        if targets.is_empty() {
            return vec![];
        }
        let leaving = self.leaving(function, blocks, &inside);
        let head = function.new_block();
        let types = |function: &Function, list: &[Value]| -> Vec<Type> {
            list.iter().map(|v| function.ty(*v)).collect()
        };
        let header_params = types(function, &function.blocks[shape.header].params);
        let live = leaving.iter().map(|(value, _)| function.ty(*value)).collect();
        let outs = targets.iter().map(|t| types(function, &function.blocks[*t].params)).collect();
        let header_args = HeaderArgs { head, header_params, live, outs };
        let params = header_args.params(function);
        for pred in self.sources.remove(&shape.header).unwrap_or_default() {
            for successor in 0..function.blocks[pred].term.targets().len() {
                header_args.redirect(function, pred, successor, shape.header, None);
            }
        }
        let place = |block: Block| self.stands_for.get(&block).copied().unwrap_or(block);
        for Exit { from, successor, to } in exits {
            let dominates = |home: Block| cfg.dominates(place(home), place(from));
            let live = leaving.iter().map(|(v, home)| dominates(*home).then_some(*v)).collect();
            let number = targets.iter().position(|t| *t == to).unwrap_or(0);
            header_args.redirect(function, from, successor, to, Some((number, live)));
        }
        let mut new = params.branch(function, shape.header, &targets);
        if let Some(made) = made {
            let after = params.insert_after(function);
            let none = function.iconst(Type::I32, 0);
            let ended = function.append(after, InstKind::ICmp(IntCC::Eq, params.which, none), Type::BOOL);
            let header_params = params.header_params.clone();
            new.push(after);
            new.extend(made(function, &Head { header: shape.header, head, header_params, after, ended }));
        }
        self.stands_for.extend(new.iter().map(|b| (*b, shape.header)));
        self.replace(function, &leaving, &params, &inside);
        for target in &targets {
            self.sources.entry(*target).or_default().retain(|s| !inside.contains(s));
        }
        new.iter().for_each(|b| self.note(function, *b));
        new
    }

    /// The values of a loop that are used outside of it, and the blocks that they are from.
    fn leaving(
        &self,
        function: &Function,
        blocks: &[Block],
        inside: &FxHashSet<Block>,
    ) -> Vec<(Value, Block)> {
        let mut leaving = Vec::new();
        for &block in blocks {
            let data = &function.blocks[block];
            let results = data.insts.iter().flat_map(|i| function.insts[*i].results.iter());
            for value in data.params.iter().chain(results) {
                let uses = self.uses.get(value).map_or(&[][..], Vec::as_slice);
                if uses.iter().any(|u| !inside.contains(u)) {
                    leaving.push((*value, block));
                }
            }
        }
        leaving
    }

    /// Outside of the loop, its values are the head's parameters.
    fn replace(
        &mut self,
        function: &mut Function,
        leaving: &[(Value, Block)],
        params: &Params,
        inside: &FxHashSet<Block>,
    ) {
        let map: FxHashMap<Value, Value> =
            leaving.iter().zip(&params.live).map(|((value, _), param)| (*value, *param)).collect();
        let mut users: Vec<Block> = Vec::new();
        for (value, param) in &map {
            let uses = self.uses.entry(*value).or_default();
            let (stay, go) = uses.iter().copied().partition::<Vec<Block>, _>(|u| inside.contains(u));
            *uses = stay;
            users.extend(&go);
            self.uses.entry(*param).or_default().extend(go);
        }
        users.sort_unstable();
        users.dedup();
        let now = |v: Value| map.get(&v).copied().unwrap_or(v);
        for block in users {
            for inst in function.blocks[block].insts.clone() {
                function.insts[inst].kind.map_values(now);
            }
            function.blocks[block].term.map_values(now);
        }
    }
}

fn exits(function: &Function, blocks: &[Block], inside: &FxHashSet<Block>) -> Vec<Exit> {
    let mut exits = Vec::new();
    for &from in blocks {
        for (successor, target) in function.blocks[from].term.targets().enumerate() {
            if !inside.contains(&target.block) {
                exits.push(Exit { from, successor, to: target.block });
            }
        }
    }
    exits
}

/// The types of the arguments of edges to a new header.
struct HeaderArgs {
    head: Block,
    /// The parameters of the old header.
    header_params: Vec<Type>,
    /// Values that are used outside.
    live: Vec<Type>,
    /// The parameters of each exit target.
    outs: Vec<Vec<Type>>,
}

/// The same as the head's parameters.
struct Params {
    head: Block,
    header_params: SmallVec<[Value; 2]>,
    /// The loop is over.
    done: Value,
    /// Which of the places comes then, counted from 1; else 0.
    which: Value,
    live: Vec<Value>,
    outs: Vec<SmallVec<[Value; 2]>>,
}

impl HeaderArgs {
    fn params(&self, function: &mut Function) -> Params {
        let mut add = |ty: &Type| function.add_param(self.head, *ty);
        Params {
            head: self.head,
            header_params: self.header_params.iter().map(&mut add).collect(),
            done: add(&Type::BOOL),
            which: add(&Type::I32),
            live: self.live.iter().map(&mut add).collect(),
            outs: self.outs.iter().map(|list| list.iter().map(&mut add).collect()).collect(),
        }
    }

    /// Redirects an edge to the new header. An exit has its number and the values that are available.
    fn redirect(
        &self,
        function: &mut Function,
        from: Block,
        successor: usize,
        to: Block,
        out: Option<(usize, Vec<Option<Value>>)>,
    ) {
        let Some(target) = function.blocks[from].term.target(successor).filter(|t| t.block == to) else {
            return;
        };
        let given = target.args.clone();
        let undef = |function: &mut Function, list: &[Type]| -> Vec<Value> {
            list.iter().map(|ty| function.constant(*ty, Constant::Undef)).collect()
        };
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        match out {
            None => args.extend(given.iter().copied()),
            Some(_) => args.extend(undef(function, &self.header_params)),
        }
        let (number, live) = out.map_or((None, vec![]), |(n, live)| (Some(n), live));
        args.push(function.iconst(Type::BOOL, u64::from(number.is_some())));
        args.push(function.iconst(Type::I32, number.map_or(0, |n| n as u64 + 1)));
        let nothing = undef(function, &self.live);
        args.extend(nothing.iter().enumerate().map(|(n, v)| live.get(n).copied().flatten().unwrap_or(*v)));
        for (n, types) in self.outs.iter().enumerate() {
            match number == Some(n) {
                true => args.extend(given.iter().copied()),
                false => args.extend(undef(function, types)),
            }
        }
        if let Some(target) = function.blocks[from].term.target_mut(successor) {
            *target = BranchTarget { block: self.head, args };
        }
    }
}

impl Params {
    /// Ends the head: on with the loop, or out of it; the new blocks.
    fn branch(&self, function: &mut Function, header: Block, targets: &[Block]) -> Vec<Block> {
        let mut new = vec![self.head];
        let place = |n: usize| BranchTarget { block: targets[n], args: self.outs[n].clone() };
        let then = match targets.len() {
            1 => place(0),
            count => {
                let choice = function.new_block();
                new.push(choice);
                let cases = (1..count).map(|n| (n as u64 + 1, place(n))).collect();
                let term = Terminator::Switch { value: self.which, cases, default: place(0) };
                function.blocks[choice].term = term;
                BranchTarget { block: choice, args: SmallVec::new() }
            }
        };
        let els = BranchTarget { block: header, args: self.header_params.clone() };
        let control = std::mem::take(&mut function.blocks[header].loop_control);
        let head = &mut function.blocks[self.head];
        head.term = Terminator::CondBranch { cond: self.done, then, els };
        head.loop_control = control;
        new
    }

    /// Inserts a block before the exit targets.
    fn insert_after(&self, function: &mut Function) -> Block {
        let after = function.new_block();
        if let Terminator::CondBranch { then, .. } = &mut function.blocks[self.head].term {
            let out = std::mem::replace(then, BranchTarget { block: after, args: SmallVec::new() });
            function.blocks[after].term = Terminator::Branch(out);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::ir::verify;

    /// How many heads are new; the result is verified.
    fn new_headers(text: &str) -> usize {
        let mut module = parse(text).unwrap_or_else(|e| panic!("{e:?}"));
        let function = module.functions.values_mut().next().expect("a function");
        create_headers(function).unwrap_or_else(|e| panic!("{e}"));
        let before = Cfg::new(function).loops().loops.len();
        redirect_exits(function);
        let cfg = Cfg::new(function);
        let loops = cfg.loops();
        assert_eq!(loops.loops.len(), before);
        let needing = needing(function, &cfg, &loops);
        assert!(needing.is_empty(), "values still leave loops {needing:?}");
        let done = |l: &&LoopData| {
            matches!(function.blocks[l.header].term, Terminator::CondBranch { cond, .. }
            if function.blocks[l.header].params.contains(&cond))
        };
        let heads = loops.loops.iter().filter(done).count();
        structurize(function).unwrap_or_else(|e| panic!("{e}"));
        for block in function.layout.clone() {
            function.blocks[block].merge = None;
        }
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        heads
    }

    #[test]
    fn a_value_that_was_loaded_leaves_by_the_head() {
        let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: i32, v1: ptr.private):
  br b1(v0)
b1(v2: i32):
  v3: i32 = load [v1], align=4
  v4: bool = icmp.eq v3, v0
  condbr v4, b2(), b3()
b2():
  return(v3)
b3():
  v5: i32 = iadd v2, v0
  br b1(v5)
";
        assert_eq!(new_headers(text), 1);
        // Values that are not from memory are computed again.
        let text = text.replace("load [v1], align=4", "iadd v2, v2").replace(", v1: ptr.private", "");
        assert_eq!(new_headers(&text), 0);
    }

    #[test]
    fn a_value_of_a_phi_that_is_moved_on_leaves_by_the_head() {
        let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: i32):
  br b1(v0, v0)
b1(v1: i32, v2: i32):
  v3: i32 = iadd v1, i32:5
  v4: i32 = iadd v2, v3
  v5: i32 = and v4, i32:255
  v6: bool = icmp.eq v5, v0
  condbr v6, b2(), b1(v3, v5)
b2():
  return(v4)
";
        assert_eq!(new_headers(text), 1);
        // A sum that is its parameter's only use is in the register. A parameter that only the header uses was not overwritten.
        assert_eq!(
            new_headers(&text.replace("and v4, i32:255", "iadd v3, v3").replace("b1(v3, v5)", "b1(v3, v4)")),
            0
        );
        let early = text.replace("icmp.eq v5, v0\n  condbr v6, b2(), b1(v3, v5)", "icmp.eq v4, v0\n  condbr v6, b2(), b3()\nb3():\n  v7: i32 = iadd v1, i32:5\n  v8: i32 = and v4, i32:255\n  br b1(v7, v8)");
        let early = early.replace("  v5: i32 = and v4, i32:255\n", "");
        assert_eq!(new_headers(&early), 0);
    }

    #[test]
    fn out_of_two_loops_by_several_ways() {
        let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: i32, v1: ptr.private):
  br b1(v0)
b1(v2: i32):
  v3: i32 = load [v1], align=4
  br b2(v3)
b2(v4: i32):
  v5: i32 = load [v1], align=4
  v6: bool = icmp.eq v5, v4
  condbr v6, b3(), b4()
b3():
  v7: bool = icmp.eq v5, v0
  condbr v7, b6(v5), b1(v5)
b4():
  v8: bool = icmp.eq v5, v3
  condbr v8, b2(v3), b5()
b5():
  v9: i32 = iadd v5, v3
  br b6(v9)
b6(v10: i32):
  v11: i32 = iadd v10, v10
  return(v11)
";
        assert_eq!(new_headers(text), 2);
    }

    #[test]
    fn a_cycle_with_two_entries_gets_a_head() {
        let text = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: i32, v1: ptr.private):
  v2: bool = icmp.eq v0, i32:3
  condbr v2, b1(v0), b2(v0)
b1(v3: i32):
  v4: i32 = load [v1], align=4
  v5: i32 = iadd v3, v4
  br b2(v5)
b2(v6: i32):
  v7: i32 = load [v1], align=4
  v8: i32 = iadd v6, v7
  v9: bool = icmp.eq v7, v0
  condbr v9, b1(v8), b3()
b3():
  return(v8)
";
        assert_eq!(new_headers(text), 1);
    }

    #[test]
    fn a_private_variable_is_left_by_the_head() {
        let text = "module resolved bits=64
func f0 \"f\" returns (i32)
slot s0 \"v\" size=4 align=4
b0(v0: i32):
  br b1()
b1():
  v1: i32 = load s0.i32[i32:0], align=4
  br b2()
b2():
  v2: i32 = iadd v1, v0
  store s0.i32[i32:0], v2, align=4
  v3: bool = icmp.eq v0, i32:1
  condbr v3, b1(), b3()
b3():
  v4: i32 = load s0.i32[i32:0], align=4
  return(v4)
";
        assert_eq!(new_headers(text), 1);
        // A value that was not loaded is computed again.
        assert_eq!(new_headers(&text.replace("iadd v1, v0", "iadd v0, v0")), 0);
    }
}

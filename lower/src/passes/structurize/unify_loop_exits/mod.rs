//! Loop-exit unification: every loop is left through its header, because llvmpipe overwrites values of work-items that have left a loop.
//!
//! Where a driver's loops spoil what work-items that have left them computed there, every loop is left from its head.
//!
//! Mesa's llvmpipe executes a group's work-items as lanes of vectors, a loop until the last lane has left it. Only phis are kept
//! lane by lane: any other value of the loop is what its last turn gave, and a lane that had left loaded zero then. So
//!
//! ```text
//! loop { v = load; if (found(v)) break; }  use(v)
//! ```
//!
//! becomes `loop { if (done) break; v = load; done = found(v); }`, where `v` after the loop is a parameter of its head. Values
//! that come from memory need it. What is computed from phis alone is computed again as it was, unless a phi's register has by then what
//! its next turn begins with, since a way out comes behind that (`do { t = y + x; y = t & 255; } while (…); use(t)`): such values
//! need it, too. Vectors that go round are taken apart ([`split_vectors`]). A private variable is one, since the driver keeps it in registers: one that the loop stores what it loaded to is what it was at the loop's head.
//! SwiftShader has the same lanes. A cycle that is entered at several places (`goto`, a `switch` into a loop) has no head: such a function is
//! structured before, which gives it one.

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

/// Leads the ways out of loops through their heads, for the drivers that need it.
///
/// # Errors
/// Those of [`structurize`].
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut().filter(|f| f.layout.len() > 1) {
        give_heads(function)?;
        split_vectors::split(function);
        if lead_out(function) {
            // What new heads hand out.
            split_vectors::split(function);
        }
    }
    Ok(())
}

/// Makes every cycle a loop with one entry.
pub(crate) fn give_heads(function: &mut Function) -> Result<(), LowerError> {
    cleanup::remove_unreachable(function);
    if Cfg::new(function).loops().irreducible {
        structurize(function)?;
        for block in function.layout.clone() {
            function.blocks[block].merge = None;
        }
    }
    Ok(())
}

/// Takes the vectors apart that loops' heads get.
pub(crate) fn take_vectors_apart(function: &mut Function) {
    split_vectors::split(function);
}

/// How a loop is left.
pub(crate) struct Head {
    /// The old header.
    pub(crate) header: Block,
    /// The head, from which alone the loop is left.
    pub(crate) head: Block,
    /// What stands in the head for the old header's parameters, in order.
    pub(crate) turn: SmallVec<[Value; 2]>,
    /// The block behind the loop, which ends in a branch to what comes then.
    pub(crate) behind: Block,
    /// Whether a lane is there that has taken no way out: a driver ended its loop. It is computed in `behind`.
    pub(crate) ended: Value,
}

/// What is told each loop's head, inner loops first, and may change where `behind` leads; it gives the blocks that it made, which are in the loops around.
pub(crate) type Made<'a> = dyn FnMut(&mut Function, &Head) -> Vec<Block> + 'a;

/// Lets all loops be left from their heads alone, and finds out behind each which lanes a driver ended. `stopped`: where `made` leads from there, outside of
/// all loops. `zero`: a word that no driver knows to be zero, at the entry. Loops that can keep their form do if they may (`keep`). Whether none of them has
/// to be led out of another way, which would spoil what was found out.
pub(crate) fn lead_all_out(
    function: &mut Function,
    keep: bool,
    (stopped, zero): (Block, Value),
    made: &mut Made<'_>,
) -> bool {
    let mut heads = FxHashSet::default();
    let choose = |f: &Function, cfg: &Cfg, loops: &Loops| {
        let kept =
            if keep { keep::kept(f, cfg, loops, &needing(f, cfg, loops)) } else { FxHashSet::default() };
        heads.extend(kept.iter().map(|index| loops.loops[*index].header));
        (0..loops.loops.len()).filter(|index| !kept.contains(index)).collect()
    };
    lead_out_of(function, choose, Some((stopped, zero, made)));
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let needing = needing(function, &cfg, &loops);
    !needing.iter().any(|index| heads.contains(&loops.loops[*index].header))
}

/// Leads out of the loops that need it; tells whether there were any.
fn lead_out(function: &mut Function) -> bool {
    lead_out_of(function, needing, None)
}

/// The same for the loops that are chosen.
fn lead_out_of(
    function: &mut Function,
    choose: impl FnOnce(&Function, &Cfg, &Loops) -> FxHashSet<usize>,
    mut told: Option<(Block, Value, &mut Made<'_>)>,
) -> bool {
    cleanup::remove_unreachable(function);
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let chosen = choose(function, &cfg, &loops);
    if chosen.is_empty() && told.is_none() {
        return false;
    }
    let mut work =
        Work { uses: FxHashMap::default(), sources: FxHashMap::default(), stands_for: FxHashMap::default() };
    for &block in cfg.rpo() {
        work.note(function, block);
    }
    // Inner loops first: their new blocks belong to the loops around them, too.
    let mut made: FxHashMap<usize, Vec<Block>> = FxHashMap::default();
    let all = told.is_some();
    for index in (0..loops.loops.len()).rev().filter(|i| all || chosen.contains(i)) {
        let mut blocks = loops.loops[index].blocks.clone();
        blocks.extend(made.remove(&index).unwrap_or_default());
        let shape = &loops.loops[index];
        let new = match &mut told {
            Some((stopped, zero, made)) if !chosen.contains(&index) => {
                work.keep(function, shape.header, &blocks, (*stopped, *zero), *made)
            }
            told => {
                let made = told.as_mut().map(|(_, _, made)| &mut **made);
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
            if left_behind(function, &loops.loops[index], block) {
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
        // What an edge hands over is used behind it.
        for target in data.term.targets() {
            target.args.iter().for_each(|v| leaves(*v, target.block));
        }
    }
    result
}

/// The values of a loop that its next turn computes otherwise for a lane that has left it: they depend on a parameter of its header
/// whose next value is there before a way out, and which may have it in its register already. A parameter itself keeps its
/// register; so does a next value of which alone its parameter is used: it is in the register, or the parameter is as it was.
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
    // What depends on them, by instructions alone: parameters of other blocks are registers that nothing moves on.
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

/// Whether a block stores one of the values to private memory.
fn keeps(function: &Function, block: Block, spoiled: &FxHashSet<Value>) -> bool {
    function.blocks[block].insts.iter().any(|inst| match &function.insts[*inst].kind {
        InstKind::Store { place: Place::Element { root: Root::Slot(_), .. }, value, .. } => {
            spoiled.contains(value)
        }
        _ => false,
    })
}

/// Whether a loop may be left between one of its blocks and its head.
fn left_behind(function: &Function, shape: &LoopData, block: Block) -> bool {
    let inside: FxHashSet<Block> = shape.blocks.iter().copied().collect();
    let exits = exits(function, &shape.blocks, &inside);
    exits.iter().any(|exit| exit.from != shape.header || block == shape.header)
}

/// The values that come from memory by another way than a loop's head.
fn spoiled(function: &Function, cfg: &Cfg, loops: &Loops) -> FxHashSet<Value> {
    let heads: FxHashSet<Block> = loops.loops.iter().map(|l| l.header).collect();
    let mut spoiled: FxHashSet<Value> = FxHashSet::default();
    // In reverse post-order all but back edges are seen before their targets, and those lead to heads; where they do not, the
    // graph is irreducible, and a second round sees the rest.
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

/// Whether what an instruction gives depends on more than its operands: on whether the lane takes part.
fn is_masked(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load { .. } | InstKind::Atomic { .. } | InstKind::Call { .. } | InstKind::ExtInst { .. }
    )
}

/// What is known of a function while its loops change.
struct Work {
    /// The blocks that use a value.
    uses: FxHashMap<Value, Vec<Block>>,
    /// The blocks that branch to a block.
    sources: FxHashMap<Block, Vec<Block>>,
    /// The header that a new block stands before: it has the same dominators.
    stands_for: FxHashMap<Block, Block>,
}

/// A way out of a loop.
struct Exit {
    from: Block,
    way: usize,
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
        made: Option<&mut Made<'_>>,
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
        let turn = types(function, &function.blocks[shape.header].params);
        let live = leaving.iter().map(|(value, _)| function.ty(*value)).collect();
        let outs = targets.iter().map(|t| types(function, &function.blocks[*t].params)).collect();
        let handed = Handed { head, turn, live, outs };
        let params = handed.params(function);
        for pred in self.sources.remove(&shape.header).unwrap_or_default() {
            for way in 0..function.blocks[pred].term.targets().len() {
                handed.lead(function, pred, way, shape.header, None);
            }
        }
        let place = |block: Block| self.stands_for.get(&block).copied().unwrap_or(block);
        for Exit { from, way, to } in exits {
            let dominates = |home: Block| cfg.dominates(place(home), place(from));
            let live = leaving.iter().map(|(v, home)| dominates(*home).then_some(*v)).collect();
            let number = targets.iter().position(|t| *t == to).unwrap_or(0);
            handed.lead(function, from, way, to, Some((number, live)));
        }
        let mut new = params.branch(function, shape.header, &targets);
        if let Some(made) = made {
            let behind = params.put_behind(function);
            let none = function.iconst(Type::I32, 0);
            let ended = function.append(behind, InstKind::ICmp(IntCC::Eq, params.which, none), Type::BOOL);
            let turn = params.turn.clone();
            new.push(behind);
            new.extend(made(function, &Head { header: shape.header, head, turn, behind, ended }));
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
        for (way, target) in function.blocks[from].term.targets().enumerate() {
            if !inside.contains(&target.block) {
                exits.push(Exit { from, way, to: target.block });
            }
        }
    }
    exits
}

/// What edges to a new head hand over, by types.
struct Handed {
    head: Block,
    /// What a turn begins with: the old header's parameters.
    turn: Vec<Type>,
    /// Values that are used outside.
    live: Vec<Type>,
    /// What each of the places that the loop is left to is handed.
    outs: Vec<Vec<Type>>,
}

/// The same as the head's parameters.
struct Params {
    head: Block,
    turn: SmallVec<[Value; 2]>,
    /// Whether the loop is over.
    done: Value,
    /// Which of the places comes then, counted from 1; else 0.
    which: Value,
    live: Vec<Value>,
    outs: Vec<SmallVec<[Value; 2]>>,
}

impl Handed {
    fn params(&self, function: &mut Function) -> Params {
        let mut add = |ty: &Type| function.add_param(self.head, *ty);
        Params {
            head: self.head,
            turn: self.turn.iter().map(&mut add).collect(),
            done: add(&Type::BOOL),
            which: add(&Type::I32),
            live: self.live.iter().map(&mut add).collect(),
            outs: self.outs.iter().map(|list| list.iter().map(&mut add).collect()).collect(),
        }
    }

    /// Leads an edge to the head. For a way out, its number and the values that are there.
    fn lead(
        &self,
        function: &mut Function,
        from: Block,
        way: usize,
        to: Block,
        out: Option<(usize, Vec<Option<Value>>)>,
    ) {
        let Some(target) = function.blocks[from].term.target(way).filter(|t| t.block == to) else { return };
        let given = target.args.clone();
        let undef = |function: &mut Function, list: &[Type]| -> Vec<Value> {
            list.iter().map(|ty| function.constant(*ty, Constant::Undef)).collect()
        };
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        match out {
            None => args.extend(given.iter().copied()),
            Some(_) => args.extend(undef(function, &self.turn)),
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
        if let Some(target) = function.blocks[from].term.target_mut(way) {
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
        let els = BranchTarget { block: header, args: self.turn.clone() };
        let control = std::mem::take(&mut function.blocks[header].loop_control);
        let head = &mut function.blocks[self.head];
        head.term = Terminator::CondBranch { cond: self.done, then, els };
        head.loop_control = control;
        new
    }

    /// Puts a block before what the head leads out to.
    fn put_behind(&self, function: &mut Function) -> Block {
        let behind = function.new_block();
        if let Terminator::CondBranch { then, .. } = &mut function.blocks[self.head].term {
            let out = std::mem::replace(then, BranchTarget { block: behind, args: SmallVec::new() });
            function.blocks[behind].term = Terminator::Branch(out);
        }
        behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::ir::verify;

    /// How many heads are new; the result is verified.
    fn led_out(text: &str) -> usize {
        let mut module = parse(text).unwrap_or_else(|e| panic!("{e:?}"));
        let function = module.functions.values_mut().next().expect("a function");
        give_heads(function).unwrap_or_else(|e| panic!("{e}"));
        let before = Cfg::new(function).loops().loops.len();
        lead_out(function);
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
        assert_eq!(led_out(text), 1);
        // What is not from memory is computed again.
        let text = text.replace("load [v1], align=4", "iadd v2, v2").replace(", v1: ptr.private", "");
        assert_eq!(led_out(&text), 0);
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
        assert_eq!(led_out(text), 1);
        // A sum that is all that its parameter is for is in the register, and what the head alone is left with was not moved on.
        assert_eq!(
            led_out(&text.replace("and v4, i32:255", "iadd v3, v3").replace("b1(v3, v5)", "b1(v3, v4)")),
            0
        );
        let early = text.replace("icmp.eq v5, v0\n  condbr v6, b2(), b1(v3, v5)", "icmp.eq v4, v0\n  condbr v6, b2(), b3()\nb3():\n  v7: i32 = iadd v1, i32:5\n  v8: i32 = and v4, i32:255\n  br b1(v7, v8)");
        let early = early.replace("  v5: i32 = and v4, i32:255\n", "");
        assert_eq!(led_out(&early), 0);
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
        assert_eq!(led_out(text), 2);
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
        assert_eq!(led_out(text), 1);
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
        assert_eq!(led_out(text), 1);
        // What was not loaded is computed again.
        assert_eq!(led_out(&text.replace("iadd v1, v0", "iadd v0, v0")), 0);
    }
}

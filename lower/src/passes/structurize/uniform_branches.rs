//! Uniform branches: conditions around barriers that are uniform, but not to WGSL, come from a variable that all work-items read together.
//!
//! ```text
//! branch v9, b2, b3    →    if local index == 0 { uniform_value = v9 }; v10 = load [uniform_value]; branch v10, b2, b3
//! ```
//!
//! A barrier must be in uniform control flow (WGSL, "Uniformity"), which the browser finds by an analysis of its own. To it what a kernel loads
//! from memory that it may write is not uniform. Here a load is uniform if its index is: work-items that load the same element between two
//! barriers get the same value, unless one of them writes it, which is a race.
//!
//! What depends on a work-item's id stays as it is: the browser refuses the barrier, and names its line. The web's WGSL has
//! `workgroupUniformLoad` for loads of the variable ([`NAME`]), with a barrier before and behind it.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{
    Block, BranchTarget, BuiltinInput, EntityMap, Function, GlobalVar, GlobalVarData, InstKind, IntCC,
    MemFlags, Module, Place, Root, Scalar, Scope, Space, Terminator, Type, Value,
};
use crate::transform::cleanup;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The name of the variable. Other variables of a kernel have names with a dot.
pub const NAME: &str = "uniform_value";

/// How a word of the variable is accessed. No pass moves such an access or takes it away.
const FLAGS: MemFlags = MemFlags { align: 4, volatile: true };

/// The module's variable, made at the first call.
pub(crate) fn variable(globals: &mut EntityMap<GlobalVar, GlobalVarData>) -> GlobalVar {
    let known =
        globals.iter().find(|(_, var)| var.name == NAME && var.space == Space::Local).map(|(id, _)| id);
    known.unwrap_or_else(|| {
        let name = NAME.to_owned();
        globals.push(GlobalVarData { name, space: Space::Local, size: 4, align: 4, init: None })
    })
}

fn known(globals: &EntityMap<GlobalVar, GlobalVarData>) -> Option<GlobalVar> {
    globals.iter().find(|(_, var)| var.name == NAME && var.space == Space::Local).map(|(id, _)| id)
}

/// Sends conditions of every kernel through the variable.
pub(super) fn make_uniform(module: &mut Module) {
    for kernel in &module.kernels {
        let f = &mut module.functions[kernel.func];
        if !barriers(f).any(|_| true) {
            continue;
        }
        let found = branches(f, known(&module.globals));
        if found.is_empty() {
            continue;
        }
        let cell = variable(&mut module.globals);
        for block in found {
            through_variable(f, block, cell);
        }
        cleanup::order_layout(f);
        f.simplified = false;
    }
}

/// The blocks with barriers of the work-group.
fn barriers(f: &Function) -> impl Iterator<Item = Block> {
    let is = |kind: &InstKind| matches!(kind, InstKind::Barrier { execution: Scope::Workgroup, .. });
    f.layout.iter().copied().filter(move |b| f.blocks[*b].insts.iter().any(|i| is(&f.insts[*i].kind)))
}

/// The blocks whose branches decide on a barrier, and are uniform here but not to the browser.
fn branches(f: &Function, cell: Option<GlobalVar>) -> Vec<Block> {
    let cfg = Cfg::new(f);
    let loops = cfg.loops();
    let ours = Divergence::analyze(f, &cfg, &loops, (false, cell));
    let theirs = Divergence::analyze(f, &cfg, &loops, (true, cell));
    let wanted = |block: &Block| {
        let condition = condition(&f.blocks[*block].term);
        condition.is_some_and(|c| theirs.is(c, *block) && !ours.is(c, *block))
    };
    deciders(f, &cfg).into_iter().filter(wanted).collect()
}

/// The value that chooses the successor.
fn condition(term: &Terminator) -> Option<Value> {
    match term {
        Terminator::CondBranch { cond, .. } => Some(*cond),
        Terminator::Switch { value, .. } => Some(*value),
        _ => None,
    }
}

/// The blocks whose branches decide whether a barrier is reached, or another such branch: some barrier is certain behind one of their successors,
/// and not behind another.
fn deciders(f: &Function, cfg: &Cfg) -> Vec<Block> {
    let mut work: Vec<Block> = barriers(f).collect();
    let mut seen: FxHashSet<Block> = work.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(reached) = work.pop() {
        let avoid = avoiders(f, cfg, reached);
        for block in cfg.rpo() {
            let avoids = |t: &BranchTarget| t.block != reached && avoid.contains(&t.block);
            let mut targets = f.blocks[*block].term.targets();
            if targets.clone().any(avoids) && !targets.all(avoids) && !found.contains(block) {
                found.push(*block);
                if seen.insert(*block) {
                    work.push(*block);
                }
            }
        }
    }
    found
}

/// The blocks from which the function's end is reached without another block.
fn avoiders(f: &Function, cfg: &Cfg, without: Block) -> FxHashSet<Block> {
    let is_end = |b: &&Block| matches!(f.blocks[**b].term, Terminator::Return(_));
    let mut work: Vec<Block> = cfg.rpo().iter().filter(is_end).copied().collect();
    let mut seen = FxHashSet::default();
    while let Some(block) = work.pop() {
        if block != without && seen.insert(block) {
            work.extend(cfg.preds(block));
        }
    }
    seen
}

/// The values that may differ between the work-items of a work-group.
struct Divergence<'a> {
    loops: &'a Loops,
    /// Where each value is defined.
    home: FxHashMap<Value, Block>,
    differs: FxHashSet<Value>,
    /// The loops that work-items leave at different times.
    left: FxHashSet<usize>,
}

impl<'a> Divergence<'a> {
    /// Of a function, as the browser sees it (`strict`) or as it is. Loads of `cell` are uniform.
    fn analyze(
        f: &Function,
        cfg: &Cfg,
        loops: &'a Loops,
        (strict, cell): (bool, Option<GlobalVar>),
    ) -> Divergence<'a> {
        let mut home = FxHashMap::default();
        for block in cfg.rpo() {
            home.extend(f.blocks[*block].params.iter().map(|p| (*p, *block)));
            let insts = f.blocks[*block].insts.iter();
            home.extend(insts.flat_map(|i| f.insts[*i].results.iter()).map(|r| (*r, *block)));
        }
        let written = if strict { written(f) } else { FxHashSet::default() };
        let mut all = Divergence { loops, home, differs: FxHashSet::default(), left: FxHashSet::default() };
        loop {
            let before = (all.differs.len(), all.left.len());
            for block in cfg.rpo() {
                all.parameters(f, cfg, *block);
                for inst in &f.blocks[*block].insts {
                    let kind = &f.insts[*inst].kind;
                    let operands = kind.values().any(|v| all.is(v, *block));
                    let shared = cell.is_some_and(|cell| root(kind) == Some(Root::Global(cell)));
                    if !shared && (operands || is_source(kind, strict, &written)) {
                        all.differs.extend(f.insts[*inst].results.iter().copied());
                    }
                }
                all.exits(f, *block);
            }
            if before == (all.differs.len(), all.left.len()) {
                return all;
            }
        }
    }

    /// Returns whether a value may differ where a block uses it: outside of a loop that work-items leave at different times, all of its values do.
    fn is(&self, value: Value, user: Block) -> bool {
        let left = |block: &Block| {
            self.left.iter().any(|l| self.loops.contains(*l, *block) && !self.loops.contains(*l, user))
        };
        self.differs.contains(&value) || self.home.get(&value).is_some_and(left)
    }

    /// Notes the parameters of a block that differ: by their arguments, or by the path on which work-items reach the block.
    fn parameters(&mut self, f: &Function, cfg: &Cfg, block: Block) {
        let params = &f.blocks[block].params;
        if params.is_empty() {
            return;
        }
        let paths = self.paths_differ(f, cfg, block);
        for (n, param) in params.iter().enumerate() {
            let mut args = cfg.preds(block).iter().flat_map(|pred| {
                let targets = f.blocks[*pred].term.targets().filter(|t| t.block == block);
                targets.map(|t| (t.args[n], *pred))
            });
            if paths || args.any(|(arg, pred)| self.is(arg, pred)) {
                self.differs.insert(*param);
            }
        }
    }

    /// Returns whether work-items may reach a block on different paths: some branch between its dominator and it, or in its loop, differs.
    fn paths_differ(&self, f: &Function, cfg: &Cfg, block: Block) -> bool {
        let (back, forward): (Vec<Block>, Vec<Block>) =
            cfg.preds(block).iter().partition(|p| cfg.dominates(block, **p));
        let differs = |b: &Block| condition(&f.blocks[*b].term).is_some_and(|c| self.is(c, *b));
        if back.len() > 1 {
            let own = |l: &&usize| self.loops.loops[**l].header == block;
            let inner = self.loops.innermost(block);
            return inner
                .as_ref()
                .filter(own)
                .is_none_or(|l| self.loops.loops[*l].blocks.iter().any(differs));
        }
        let Some(top) = cfg.idom(block).filter(|_| forward.len() > 1) else { return false };
        let (mut seen, mut work) = (FxHashSet::default(), forward);
        while let Some(at) = work.pop() {
            if seen.insert(at) && at != top {
                work.extend(cfg.preds(at).iter().copied().filter(|p| *p != block));
            }
        }
        seen.iter().any(differs)
    }

    /// Notes the loops that a block's branch leaves where it differs.
    fn exits(&mut self, f: &Function, block: Block) {
        let term = &f.blocks[block].term;
        if !condition(term).is_some_and(|c| self.is(c, block)) {
            return;
        }
        let mut at = self.loops.innermost(block);
        while let Some(index) = at {
            let leaves =
                |b: &Block| f.blocks[*b].term.targets().any(|t| !self.loops.contains(index, t.block));
            // What a differing branch chooses may leave the loop later.
            if !leaves(&block) && !self.chooses_exit(f, index, block, &leaves) {
                return;
            }
            let parent = self.loops.loops[index].parent;
            self.left.insert(index);
            at = parent;
        }
    }

    /// Returns whether a branch in a loop decides if another block of the loop, with an exit, is reached in the iteration.
    fn chooses_exit(&self, f: &Function, index: usize, block: Block, exits: &dyn Fn(&Block) -> bool) -> bool {
        let data = &self.loops.loops[index];
        let within = |from: Block| {
            let (mut seen, mut work) = (FxHashSet::default(), vec![from]);
            while let Some(at) = work.pop() {
                if !self.loops.contains(index, at) || !seen.insert(at) {
                    continue;
                }
                let next = f.blocks[at].term.targets().map(|t| t.block).filter(|b| *b != data.header);
                work.extend(next);
            }
            seen
        };
        let arms: Vec<FxHashSet<Block>> = f.blocks[block].term.targets().map(|t| within(t.block)).collect();
        let exits_of = |arm: &FxHashSet<Block>| {
            let mut found: Vec<Block> = arm.iter().copied().filter(|b| exits(b)).collect();
            found.sort_by_key(|b| b.0);
            found
        };
        arms.windows(2).any(|pair| exits_of(&pair[0]) != exits_of(&pair[1]))
    }
}

/// The memory that a kernel writes.
fn written(f: &Function) -> FxHashSet<Root> {
    let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i].kind);
    let writes = |kind: &InstKind| matches!(kind, InstKind::Store { .. } | InstKind::Atomic { .. });
    insts.filter(|kind| writes(kind)).filter_map(root).collect()
}

/// The memory that an instruction accesses.
fn root(kind: &InstKind) -> Option<Root> {
    match kind.place()? {
        Place::Element { root, .. } => Some(root),
        _ => None,
    }
}

/// Returns whether the result of an instruction may differ although its operands do not.
fn is_source(kind: &InstKind, strict: bool, written: &FxHashSet<Root>) -> bool {
    match kind {
        InstKind::Input(input, _) => *input != BuiltinInput::WorkgroupId,
        InstKind::Load { .. } => match root(kind) {
            Some(Root::Slot(_)) | None => true,
            Some(Root::Global(_) | Root::LocalArg(_) | Root::LocalArena) => strict,
            Some(root) => strict && written.contains(&root),
        },
        InstKind::Atomic { .. } | InstKind::Call { .. } | InstKind::Group { .. } | InstKind::Image { .. } => {
            true
        }
        _ => false,
    }
}

/// Sends a branch's condition through the variable.
fn through_variable(f: &mut Function, block: Block, cell: GlobalVar) {
    let Some(condition) = condition(&f.blocks[block].term) else { return };
    let truth = f.ty(condition) == Type::BOOL;
    let (zero, one) = (f.iconst(Type::I32, 0), f.iconst(Type::I32, 1));
    let word = match truth {
        true => f.append(block, InstKind::Select(condition, one, zero), Type::I32),
        false if f.ty(condition) == Type::I32 => condition,
        false => return,
    };
    let term = std::mem::replace(&mut f.blocks[block].term, Terminator::Unreachable);
    let place = Place::Element { root: Root::Global(cell), scalar: Scalar::I32, lanes: 1, index: zero };
    let (after, same) = sent(f, block, word, place);
    let same = match truth {
        true => f.append(after, InstKind::ICmp(IntCC::Ne, same, zero), Type::BOOL),
        false => same,
    };
    f.blocks[after].term = match term {
        Terminator::CondBranch { then, els, .. } => Terminator::CondBranch { cond: same, then, els },
        Terminator::Switch { cases, default, .. } => Terminator::Switch { value: same, cases, default },
        other => other,
    };
}

/// Ends a block with the store of the first work-item's word and its load by all. Gives the block behind it, and the word. The function has
/// pointers.
pub(crate) fn of_the_first(f: &mut Function, block: Block, word: Value, cell: GlobalVar) -> (Block, Value) {
    let pointer = f.append(block, InstKind::RootAddr(Root::Global(cell)), Type::Ptr(Space::Local));
    sent(f, block, word, Place::Pointer(pointer))
}

fn sent(f: &mut Function, block: Block, word: Value, place: Place) -> (Block, Value) {
    let (store, after) = (f.new_block(), f.new_block());
    let to = |block| BranchTarget { block, args: SmallVec::new() };
    let zero = f.iconst(Type::I32, 0);
    let index = f.append(block, InstKind::Input(BuiltinInput::LocalInvocationIndex, 0), Type::I32);
    let first = f.append(block, InstKind::ICmp(IntCC::Eq, index, zero), Type::BOOL);
    f.blocks[block].term = Terminator::CondBranch { cond: first, then: to(store), els: to(after) };
    f.append_void(store, InstKind::Store { place, value: word, flags: FLAGS });
    f.blocks[store].term = Terminator::Branch(to(after));
    (after, f.append(after, InstKind::Load { place, flags: FLAGS }, Type::I32))
}

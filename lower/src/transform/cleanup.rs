//! Clean-up that several passes share: unreachable-block removal, redundant block parameters, dead-code elimination.

use crate::ir::cfg::Cfg;
use crate::ir::{
    Block, BranchTarget, Constant, Effects, Function, Inst, InstKind, Place, Results, Root, Slot, Terminator,
    Value, ValueDef,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Removes unreachable blocks from the layout. Returns whether there were any.
pub fn remove_unreachable(function: &mut Function) -> bool {
    let mut reached = vec![false; function.blocks.len()];
    let mut work = vec![function.entry()];
    reached[function.entry().0 as usize] = true;
    while let Some(block) = work.pop() {
        function.blocks[block].term.each_target(|target| {
            if !std::mem::replace(&mut reached[target.block.0 as usize], true) {
                work.push(target.block);
            }
        });
    }
    let before = function.layout.len();
    function.layout.retain(|b| reached[b.0 as usize]);
    function.layout.len() != before
}

/// Orders the layout in reverse post-order, so that dominators come first. Unreachable blocks stay at the end.
pub fn order_layout(function: &mut Function) {
    let cfg = function.cfg();
    let rest: Vec<Block> = function.layout.iter().copied().filter(|b| !cfg.is_reachable(*b)).collect();
    let mut layout = cfg.rpo().to_vec();
    layout.extend(rest);
    function.layout = layout;
}

/// Removes the block parameters for which `keep` is false, with the arguments of every branch. Returns whether there
/// were any.
pub fn drop_params(function: &mut Function, keep: impl Fn(Value) -> bool) -> bool {
    let mut masks: FxHashMap<Block, Vec<bool>> = FxHashMap::default();
    for &block in function.layout.iter().skip(1) {
        let params = &function.blocks[block].params;
        if params.iter().any(|p| !keep(*p)) {
            masks.insert(block, params.iter().map(|p| keep(*p)).collect());
        }
    }
    if masks.is_empty() {
        return false;
    }
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        if let Some(mask) = masks.get(&block) {
            let mut params = std::mem::take(&mut function.blocks[block].params);
            let mut n = 0;
            params.retain(|_| {
                n += 1;
                mask.get(n - 1).copied().unwrap_or(true)
            });
            for (n, param) in params.iter().enumerate() {
                function.values[*param].def = ValueDef::Param(block, n as u16);
            }
            function.blocks[block].params = params;
        }
        for target in function.blocks[block].term.targets_mut() {
            if let Some(mask) = masks.get(&target.block) {
                let mut n = 0;
                target.args.retain(|_| {
                    n += 1;
                    mask.get(n - 1).copied().unwrap_or(true)
                });
            }
        }
    }
    true
}

/// A map from values to their replacements.
#[derive(Debug, Default)]
pub struct Replaced {
    /// By value: its replacement, or the value itself. Values beyond the end have no replacement.
    to: Vec<Value>,
}

impl Replaced {
    /// Returns whether no value is replaced.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Records that `to` replaces `value`.
    #[inline]
    pub fn insert(&mut self, value: Value, to: Value) {
        let wanted = value.0 + 1;
        self.to.extend((self.to.len() as u32..wanted).map(Value));
        self.to[value.0 as usize] = to;
    }

    /// Returns whether a value is replaced.
    pub fn contains(&self, value: Value) -> bool {
        self.to.get(value.0 as usize).is_some_and(|to| *to != value)
    }

    /// The final replacement of a value.
    #[inline]
    pub fn resolve(&self, mut value: Value) -> Value {
        while let Some(to) = self.to.get(value.0 as usize)
            && *to != value
        {
            value = *to;
        }
        value
    }

    /// Replaces all uses in the layout.
    pub fn apply(&self, function: &mut Function) {
        if self.is_empty() {
            return;
        }
        for &block in &function.layout {
            let data = &mut function.blocks[block];
            for inst in &data.insts {
                function.insts[*inst].kind.map_values(|v| self.resolve(v));
            }
            data.term.map_values(|v| self.resolve(v));
        }
    }
}

/// Replaces parameters whose arguments are one value, themselves or undefined. Returns whether there were any.
pub fn redundant_params(function: &mut Function) -> bool {
    if function.layout.iter().skip(1).all(|b| function.blocks[*b].params.is_empty()) {
        return false;
    }
    let cfg = function.cfg();
    redundant_params_in(function, &cfg)
}

/// [`redundant_params`], with the function's graph.
pub fn redundant_params_in(function: &mut Function, cfg: &Cfg) -> bool {
    let joins = |b: &&Block| !function.blocks[**b].params.is_empty();
    let blocks: Vec<Block> = cfg.rpo().iter().skip(1).filter(joins).copied().collect();
    let home = OnceCell::new();
    let mut replaced = Replaced::default();
    loop {
        let mut changed = false;
        for &block in &blocks {
            for n in 0..function.blocks[block].params.len() {
                let param = function.blocks[block].params[n];
                if replaced.contains(param) {
                    continue;
                }
                if let Some(value) = only_value(function, cfg, &home, &replaced, block, param, n) {
                    replaced.insert(param, value);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    if replaced.is_empty() {
        return false;
    }
    drop_params(function, |p| !replaced.contains(p));
    replaced.apply(function);
    true
}

/// Calls `f` with each argument that branches pass for a block's parameter n, while `f` returns true. Returns whether `f` saw all.
/// A branch with the block as a target twice passes both arguments.
#[inline]
fn all_arguments(
    function: &Function,
    cfg: &Cfg,
    block: Block,
    n: usize,
    mut f: impl FnMut(Value) -> bool,
) -> bool {
    cfg.preds(block).iter().all(|from| {
        let mut shows_all = |t: &BranchTarget| t.block != block || t.args.get(n).is_none_or(|v| f(*v));
        function.blocks[*from].term.all_targets(&mut shows_all)
    })
}

/// The block of each instruction.
fn homes(function: &Function, cfg: &Cfg) -> Vec<Option<Block>> {
    let mut homes = vec![None; function.insts.len()];
    for &block in cfg.rpo() {
        function.blocks[block].insts.iter().for_each(|i| homes[i.0 as usize] = Some(block));
    }
    homes
}

fn only_value(
    function: &mut Function,
    cfg: &Cfg,
    home: &OnceCell<Vec<Option<Block>>>,
    replaced: &Replaced,
    block: Block,
    param: Value,
    n: usize,
) -> Option<Value> {
    let mut only: Option<Value> = None;
    let mut undef = None;
    let is_single = all_arguments(function, cfg, block, n, |arg| {
        let arg = replaced.resolve(arg);
        match function.values[arg].def {
            _ if arg == param => {}
            ValueDef::Const(Constant::Undef) => undef = Some(arg),
            _ if only.is_some_and(|o| o != arg) => return false,
            _ => only = Some(arg),
        }
        true
    });
    if !is_single {
        return None;
    }
    match (only, undef) {
        (Some(value), None) => Some(value),
        // Some arguments are undefined, so the value must be available on all paths.
        (Some(value), Some(_)) => {
            let at = match function.values[value].def {
                ValueDef::Const(_) => return Some(value),
                ValueDef::Param(at, _) => Some(at),
                ValueDef::Inst(inst, _) => home.get_or_init(|| homes(function, cfg))[inst.0 as usize],
            };
            at.filter(|at| *at != block && cfg.dominates(*at, block)).map(|_| value)
        }
        (None, Some(undef)) => Some(undef),
        (None, None) => Some(function.constant(function.ty(param), Constant::Undef)),
    }
}

/// Pointers into slots, by value.
#[derive(Default)]
struct SlotPointers(Vec<Option<Slot>>);

impl SlotPointers {
    #[inline]
    fn get(&self, value: Value) -> Option<Slot> {
        self.0.get(value.0 as usize).copied().flatten()
    }

    fn insert(&mut self, value: Value, slot: Slot) {
        let n = value.0 as usize;
        if self.0.len() <= n {
            self.0.resize(n + 1, None);
        }
        self.0[n] = Some(slot);
    }
}

/// Slots that are never read and whose address does not escape. Stores to them are dead.
fn unread_slots(function: &Function) -> (Vec<bool>, SlotPointers) {
    let mut unread = vec![true; function.slots.len()];
    let mut pointers = SlotPointers::default();
    // The layout lists definitions of pointers before their uses.
    for &block in &function.layout {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let known = match &data.kind {
                InstKind::RootAddr(Root::Slot(slot)) => Some(*slot),
                InstKind::PtrOffset { base, .. }
                | InstKind::PtrAdd { base, .. }
                | InstKind::PtrCast(base) => pointers.get(*base),
                _ => None,
            };
            if let (Some(slot), Some(result)) = (known, data.results.first()) {
                pointers.insert(*result, slot);
                continue;
            }
            match &data.kind {
                InstKind::Store { place: Place::Element { root: Root::Slot(_), .. }, value, flags }
                | InstKind::Store { place: Place::Pointer(_), value, flags }
                    if !flags.volatile =>
                {
                    if let Some(slot) = pointers.get(*value) {
                        unread[slot.0 as usize] = false;
                    }
                }
                kind => {
                    if let InstKind::Load { place, .. }
                    | InstKind::Atomic { place, .. }
                    | InstKind::Store { place, .. } = kind
                        && let Place::Element { root: Root::Slot(slot), .. } = place
                    {
                        unread[slot.0 as usize] = false;
                    }
                    kind.each_value(|value| {
                        if let Some(slot) = pointers.get(value) {
                            unread[slot.0 as usize] = false;
                        }
                    });
                }
            }
        }
        for value in function.blocks[block].term.values() {
            if let Some(slot) = pointers.get(value) {
                unread[slot.0 as usize] = false;
            }
        }
    }
    (unread, pointers)
}

/// Live values, and a worklist of those whose operands are not visited yet.
struct Live {
    live: Vec<bool>,
    work: Vec<Value>,
}

impl Live {
    #[inline]
    fn mark(&mut self, value: Value) {
        if !std::mem::replace(&mut self.live[value.0 as usize], true) {
            self.work.push(value);
        }
    }
}

/// Dead-code elimination: removes instructions without effect whose results are not used, stores that nothing reads, and
/// unused block parameters. Returns whether anything was removed.
pub fn dead_code(function: &mut Function) -> bool {
    let cfg = function.cfg();
    dead_code_in(function, &cfg)
}

/// [`dead_code`], with the function's graph.
pub fn dead_code_in(function: &mut Function, cfg: &Cfg) -> bool {
    let mut seen = Seen::default();
    for &inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
        seen.look(function, inst);
    }
    dead_code_after(function, cfg, &seen)
}

/// The facts that a walk over all instructions of the layout collects.
#[derive(Debug, Default)]
pub struct Seen {
    /// The instructions with effects.
    acting: Vec<Inst>,
    /// True if an instruction names a slot.
    slots: bool,
}

impl Seen {
    /// Records an instruction.
    #[inline]
    pub fn look(&mut self, function: &Function, inst: Inst) {
        let kind = &function.insts[inst].kind;
        self.look_at(inst, kind, kind.effects(function));
    }

    /// Removes an instruction with effects from the record.
    pub fn forget(&mut self, inst: Inst) {
        self.acting.retain(|i| *i != inst);
    }

    /// Records an instruction of this kind and with these effects.
    #[inline]
    pub fn look_at(&mut self, inst: Inst, kind: &InstKind, effects: Effects) {
        if !effects.can_be_removed() {
            self.acting.push(inst);
        }
        self.slots |= match kind {
            InstKind::RootAddr(Root::Slot(_)) => true,
            InstKind::Load { place, .. } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                matches!(place, Place::Element { root: Root::Slot(_), .. })
            }
            _ => false,
        };
    }
}

/// [`dead_code_in`], for callers that have recorded all instructions.
pub fn dead_code_after(function: &mut Function, cfg: &Cfg, seen: &Seen) -> bool {
    let (unread, pointers) =
        if seen.slots { unread_slots(function) } else { (Vec::new(), SlotPointers::default()) };
    let dead_store = |kind: &InstKind| match kind {
        InstKind::Store { place, flags, .. } if !flags.volatile => match place {
            Place::Pointer(p) => pointers.get(*p).is_some_and(|s| unread[s.0 as usize]),
            Place::Element { root: Root::Slot(s), .. } => unread[s.0 as usize],
            _ => false,
        },
        _ => false,
    };
    let mut live = Live { live: vec![false; function.values.len()], work: Vec::with_capacity(64) };
    for &block in &function.layout {
        let data = &function.blocks[block];
        if !cfg.is_reachable(block) {
            // The graph does not show the arguments that it passes to other blocks.
            data.term.values().for_each(|v| live.mark(v));
        }
        match &data.term {
            Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => live.mark(*v),
            Terminator::Return(values) => values.iter().for_each(|v| live.mark(*v)),
            _ => {}
        }
    }
    for inst in &seen.acting {
        let inst = &function.insts[*inst];
        if !dead_store(&inst.kind) {
            inst.kind.each_value(|v| live.mark(v));
            // All results of a call stay.
            inst.results.iter().for_each(|v| live.mark(*v));
        }
    }
    while let Some(value) = live.work.pop() {
        match function.values[value].def {
            ValueDef::Inst(inst, _) => function.insts[inst].kind.each_value(|v| live.mark(v)),
            ValueDef::Param(block, n) => {
                all_arguments(function, cfg, block, n.into(), |v| {
                    live.mark(v);
                    true
                });
            }
            ValueDef::Const(_) => {}
        }
    }
    let live = live.live;
    let stays = |function: &Function, inst: Inst| {
        let data = &function.insts[inst];
        match &data.results {
            // The slots of instructions that may not be removed are all live.
            Results::One(result) => live[result.0 as usize],
            Results::Many(results) => results.iter().any(|r| live[r.0 as usize]),
            Results::None => !data.kind.effects(function).can_be_removed() && !dead_store(&data.kind),
        }
    };
    let mut removed = false;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        if function.blocks[block].insts.iter().all(|inst| stays(function, *inst)) {
            continue;
        }
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|inst| stays(function, *inst));
        removed = true;
        function.blocks[block].insts = insts;
    }
    removed | drop_params(function, |p| live[p.0 as usize])
}

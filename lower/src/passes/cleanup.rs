//! Housekeeping that several passes share: unreachable blocks, redundant block parameters, dead code.

use crate::ir::cfg::Cfg;
use crate::ir::{Block, Constant, Function, InstKind, Place, Root, Slot, Terminator, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Takes blocks that cannot be reached out of the layout. Tells whether there were any.
pub fn remove_unreachable(function: &mut Function) -> bool {
    let mut reached = vec![false; function.blocks.len()];
    let mut work = vec![function.entry()];
    reached[function.entry().0 as usize] = true;
    while let Some(block) = work.pop() {
        for target in function.blocks[block].term.targets() {
            if !std::mem::replace(&mut reached[target.block.0 as usize], true) {
                work.push(target.block);
            }
        }
    }
    let before = function.layout.len();
    function.layout.retain(|b| reached[b.0 as usize]);
    function.layout.len() != before
}

/// Lists the blocks of the layout in an order where dominators come first, unreachable ones kept at the
/// end of what names them.
pub fn order_layout(function: &mut Function) {
    let cfg = Cfg::new(function);
    let rest: Vec<Block> = function.layout.iter().copied().filter(|b| !cfg.is_reachable(*b)).collect();
    let mut layout = cfg.rpo().to_vec();
    layout.extend(rest);
    function.layout = layout;
}

/// Drops the parameters of blocks for which `keep` is false, with the arguments of every branch.
pub fn drop_params(function: &mut Function, keep: impl Fn(Value) -> bool) {
    let mut masks: FxHashMap<Block, Vec<bool>> = FxHashMap::default();
    for (i, &block) in function.layout.iter().enumerate() {
        if i == 0 {
            continue;
        }
        let mask: Vec<bool> = function.blocks[block].params.iter().map(|p| keep(*p)).collect();
        if mask.contains(&false) {
            masks.insert(block, mask);
        }
    }
    if masks.is_empty() {
        return;
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
}

/// Follows replacements to their end.
pub fn resolve(map: &FxHashMap<Value, Value>, mut value: Value) -> Value {
    while let Some(next) = map.get(&value) {
        value = *next;
    }
    value
}

/// Replaces parameters that always get one value (or themselves, or anything). Tells whether any was.
pub fn redundant_params(function: &mut Function) -> bool {
    if function.layout.iter().skip(1).all(|b| function.blocks[*b].params.is_empty()) {
        return false;
    }
    let cfg = Cfg::new(function);
    // The branches that lead to each block with parameters.
    let mut edges: FxHashMap<Block, Vec<(Block, usize)>> = FxHashMap::default();
    for &block in cfg.rpo() {
        for (n, target) in function.blocks[block].term.targets().iter().enumerate() {
            if !target.args.is_empty() {
                edges.entry(target.block).or_default().push((block, n));
            }
        }
    }
    let mut home: Vec<Option<Block>> = vec![None; function.values.len()];
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        data.params.iter().for_each(|p| home[p.0 as usize] = Some(block));
        for inst in &data.insts {
            function.insts[*inst].results.iter().for_each(|r| home[r.0 as usize] = Some(block));
        }
    }
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    loop {
        let mut changed = false;
        for &block in &cfg.rpo()[1..] {
            let Some(edges) = edges.get(&block) else { continue };
            for n in 0..function.blocks[block].params.len() {
                let param = function.blocks[block].params[n];
                if map.contains_key(&param) {
                    continue;
                }
                if let Some(value) = only_value(function, &cfg, &home, &map, block, param, n, edges) {
                    map.insert(param, value);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    if map.is_empty() {
        return false;
    }
    drop_params(function, |p| !map.contains_key(&p));
    function.replace_uses(&map);
    true
}

fn only_value(
    function: &mut Function,
    cfg: &Cfg,
    home: &[Option<Block>],
    map: &FxHashMap<Value, Value>,
    block: Block,
    param: Value,
    n: usize,
    edges: &[(Block, usize)],
) -> Option<Value> {
    let mut only: Option<Value> = None;
    let mut undef = None;
    for (from, way) in edges {
        let targets = function.blocks[*from].term.targets();
        let arg = resolve(map, *targets.get(*way)?.args.get(n)?);
        match function.values[arg].def {
            _ if arg == param => {}
            ValueDef::Const(Constant::Undef) => undef = Some(arg),
            _ if only.is_some_and(|o| o != arg) => return None,
            _ => only = Some(arg),
        }
    }
    match (only, undef) {
        (Some(value), None) => Some(value),
        // Undefined on some ways: the value will do if it is there on all.
        (Some(value), Some(_)) => match home.get(value.0 as usize).copied().flatten() {
            None => Some(value),
            Some(at) => (at != block && cfg.dominates(at, block)).then_some(value),
        },
        (None, Some(undef)) => Some(undef),
        (None, None) => Some(function.constant(function.ty(param), Constant::Undef)),
    }
}

/// Slots whose memory is never read and whose address goes nowhere: stores to them are dead.
fn unread_slots(function: &Function) -> (Vec<bool>, FxHashMap<Value, Slot>) {
    let mut unread = vec![true; function.slots.len()];
    let mut pointers: FxHashMap<Value, Slot> = FxHashMap::default();
    if function.slots.is_empty() {
        return (unread, pointers);
    }
    let cfg = Cfg::new(function);
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let known = match &data.kind {
                InstKind::RootAddr(Root::Slot(slot)) => Some(*slot),
                InstKind::PtrOffset { base, .. }
                | InstKind::PtrAdd { base, .. }
                | InstKind::PtrCast(base) => pointers.get(base).copied(),
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
                    if let Some(slot) = pointers.get(value) {
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
                    for value in kind.values() {
                        if let Some(slot) = pointers.get(&value) {
                            unread[slot.0 as usize] = false;
                        }
                    }
                }
            }
        }
        for value in function.blocks[block].term.values() {
            if let Some(slot) = pointers.get(&value) {
                unread[slot.0 as usize] = false;
            }
        }
    }
    (unread, pointers)
}

/// Removes instructions without effect whose results are not used, stores that nothing reads, and block
/// parameters that are not used. Tells whether anything was removed.
pub fn dead_code(function: &mut Function) -> bool {
    let (unread, pointers) = unread_slots(function);
    let dead_store = |kind: &InstKind| match kind {
        InstKind::Store { place, flags, .. } if !flags.volatile => match place {
            Place::Pointer(p) => pointers.get(p).is_some_and(|s| unread[s.0 as usize]),
            Place::Element { root: Root::Slot(s), .. } => unread[s.0 as usize],
            _ => false,
        },
        _ => false,
    };
    let mut live = vec![false; function.values.len()];
    let mut work: Vec<Value> = Vec::new();
    let mut edges: FxHashMap<Block, Vec<(Block, usize)>> = FxHashMap::default();
    for &block in &function.layout {
        for &inst in &function.blocks[block].insts {
            let kind = &function.insts[inst].kind;
            if !kind.effects(function).can_be_removed() && !dead_store(kind) {
                work.extend(kind.values());
                // All results of a call stay.
                work.extend(function.insts[inst].results.iter().copied());
            }
        }
        match &function.blocks[block].term {
            Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => work.push(*v),
            Terminator::Return(values) => work.extend(values.iter().copied()),
            _ => {}
        }
        for (n, target) in function.blocks[block].term.targets().iter().enumerate() {
            if !target.args.is_empty() {
                edges.entry(target.block).or_default().push((block, n));
            }
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value.0 as usize], true) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Inst(inst, _) => work.extend(function.insts[inst].kind.values()),
            ValueDef::Param(block, n) => {
                for (from, way) in edges.get(&block).map_or(&[][..], |e| e.as_slice()) {
                    let targets = function.blocks[*from].term.targets();
                    if let Some(arg) = targets.get(*way).and_then(|t| t.args.get(n as usize)) {
                        work.push(*arg);
                    }
                }
            }
            ValueDef::Const(_) => {}
        }
    }
    let mut removed = false;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        let before = insts.len();
        insts.retain(|inst| {
            let data = &function.insts[*inst];
            if !data.kind.effects(function).can_be_removed() {
                return !dead_store(&data.kind);
            }
            data.results.iter().any(|r| live[r.0 as usize])
        });
        removed |= insts.len() != before;
        function.blocks[block].insts = insts;
    }
    let params: usize = function.layout.iter().skip(1).map(|b| function.blocks[*b].params.len()).sum();
    drop_params(function, |p| live[p.0 as usize]);
    let now: usize = function.layout.iter().skip(1).map(|b| function.blocks[*b].params.len()).sum();
    removed || now != params
}

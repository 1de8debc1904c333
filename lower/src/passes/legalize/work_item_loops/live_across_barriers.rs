//! Keeps the state of a work-item across barriers.
//!
//! A private variable gets a copy for each chunk.
//! A value that is defined before a barrier and used behind it is stored at its definition and loaded at its uses.
//! A pointer is computed again from its operands (rematerialisation).
//! A pointer that a loop advances is kept as its distance from the start.
//! A pointer that may point into several variables, or that comes from memory, is stored as it is.
//!
//! ```text
//! v = load p; barrier; use v        becomes        v = load p; copy[chunk] = v
//!                                                  barrier
//!                                                  use copy[chunk]
//! ```

use super::{Chunk, Copies};
use crate::ir::{
    Block, Function, Inst, InstKind, IntCC, MemFlags, Place, Root, Scalar, Slot, Type, Value, ValueDef,
};
use crate::transform::cleanup::Replaced;
use rustc_hash::{FxHashMap, FxHashSet};

/// The limit of the iteration over pointers that are computed from pointers.
const DEPTH: u32 = 64;

/// `own` are the kernel's blocks. `resumed` are those of them that follow a barrier.
pub(super) fn run(
    f: &mut Function,
    own: &[Block],
    resumed: &[Block],
    (entry, chunk): (Block, &Chunk),
    mut copies: Copies<'_>,
    address: Type,
) -> Result<(), &'static str> {
    copy_variables(f, own, entry, chunk, &mut copies);
    for _ in 0..DEPTH {
        let kept = kept(f, own, resumed);
        let stored = stored_pointers(f, own, &kept);
        if !rematerialize_pointers(f, own, &kept, &stored, address)? {
            store_and_load(f, own, &kept, chunk, &mut copies, address);
            return Ok(());
        }
    }
    Err("where pointers are kept over a barrier")
}

/// Gives each private variable a copy for each chunk. Moves the addresses of other objects to the entry.
pub(super) fn copy_variables(
    f: &mut Function,
    own: &[Block],
    entry: Block,
    chunk: &Chunk,
    copies: &mut Copies<'_>,
) {
    let (mut replaced, mut known) = (Replaced::default(), FxHashMap::<Slot, Value>::default());
    for block in own {
        let list = std::mem::take(&mut f.blocks[*block].insts);
        let mut kept: Vec<Inst> = Vec::with_capacity(list.len());
        for inst in list {
            let slot = match f.insts[inst].kind {
                InstKind::RootAddr(Root::Slot(slot)) => slot,
                InstKind::RootAddr(_) => {
                    f.blocks[entry].insts.push(inst);
                    continue;
                }
                _ => {
                    kept.push(inst);
                    continue;
                }
            };
            let address = match known.get(&slot) {
                Some(address) => *address,
                None => {
                    let of = (f.slots[slot].size, f.slots[slot].align);
                    let address = copies.address(f, chunk, of, Some(slot));
                    known.insert(slot, address);
                    address
                }
            };
            for result in f.insts[inst].results.iter() {
                replaced.insert(*result, address);
            }
        }
        f.blocks[*block].insts = kept;
    }
    replaced.apply(f);
}

/// The values that the kernel's blocks define, with the block that defines each.
pub(crate) fn makers(f: &Function, own: &[Block]) -> FxHashMap<Value, Block> {
    let mut makers = FxHashMap::default();
    for block in own {
        let data = &f.blocks[*block];
        makers.extend(data.params.iter().map(|param| (*param, *block)));
        for inst in &data.insts {
            makers.extend(f.insts[*inst].results.iter().map(|result| (*result, *block)));
        }
    }
    makers
}

/// The live-in values of each of the kernel's blocks, without the block's own parameters.
/// `makers` has the values that count, with the block that defines each.
pub(crate) fn alive(
    f: &Function,
    own: &[Block],
    makers: &FxHashMap<Value, Block>,
) -> FxHashMap<Block, FxHashSet<Value>> {
    // Values that a block uses and does not define.
    let mut needed: FxHashMap<Block, FxHashSet<Value>> = FxHashMap::default();
    let mut before: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for &block in own {
        let data = &f.blocks[block];
        let used = data.insts.iter().flat_map(|inst| f.insts[*inst].kind.values()).chain(data.term.values());
        let outside = |value: &Value| makers.get(value).is_some_and(|maker| *maker != block);
        needed.insert(block, used.filter(outside).collect());
        data.term.each_target(|target| before.entry(target.block).or_default().push(block));
    }
    let mut work: Vec<Block> = own.to_vec();
    while let Some(block) = work.pop() {
        let Some(values) = needed.get(&block).cloned() else { continue };
        for from in before.get(&block).into_iter().flatten() {
            let Some(there) = needed.get_mut(from) else { continue };
            let count = there.len();
            there.extend(values.iter().filter(|value| makers.get(value) != Some(from)));
            if there.len() != count {
                work.push(*from);
            }
        }
    }
    needed
}

/// The values that are live behind a barrier, in order, with the block that defines each.
fn kept(f: &Function, own: &[Block], resumed: &[Block]) -> Vec<(Value, Block)> {
    let makers = makers(f, own);
    let needed = alive(f, own, &makers);
    let mut all: Vec<(Value, Block)> = resumed
        .iter()
        .filter_map(|block| needed.get(block))
        .flatten()
        .filter_map(|value| Some((*value, *makers.get(value)?)))
        .collect();
    all.sort_unstable_by_key(|(value, _)| value.0);
    all.dedup();
    all
}

/// The kept pointers that [`rematerialize`] cannot compute again. They are stored, and so are their operands.
fn stored_pointers(f: &Function, own: &[Block], kept: &[(Value, Block)]) -> FxHashSet<Value> {
    let makers = makers(f, own);
    let is_stored = |value: &Value| {
        matches!(f.ty(*value), Type::Ptr(_))
            && match f.values[*value].def {
                ValueDef::Const(_) => true,
                ValueDef::Param(..) => base_of(f, own, &makers, *value).is_none(),
                ValueDef::Inst(inst, _) => !computes(&f.insts[inst].kind),
            }
    };
    kept.iter().map(|(value, _)| *value).filter(is_stored).collect()
}

/// Rematerialises kept pointers in each block that uses them, except those that are stored. Returns whether there were any.
fn rematerialize_pointers(
    f: &mut Function,
    own: &[Block],
    kept: &[(Value, Block)],
    stored: &FxHashSet<Value>,
    address: Type,
) -> Result<bool, &'static str> {
    let what = "where a pointer that may point into several variables is kept over a barrier";
    let is_data = |value: Value, f: &Function| f.ty(value).scalar().is_some() || stored.contains(&value);
    let kept: FxHashMap<Value, Block> =
        kept.iter().filter(|(value, _)| !is_data(*value, f)).map(|(value, block)| (*value, *block)).collect();
    if kept.is_empty() {
        return Ok(false);
    }
    let mut offsets =
        Offsets { own, address, makers: makers(f, own), known: FxHashMap::default(), made: Vec::new() };
    for &block in own {
        let mut again: FxHashMap<Value, Value> = FxHashMap::default();
        let list = std::mem::take(&mut f.blocks[block].insts);
        let mut all: Vec<Inst> = Vec::with_capacity(list.len());
        let foreign = |value: Value| kept.get(&value).is_some_and(|maker| *maker != block);
        for inst in list {
            let used: Vec<Value> = f.insts[inst].kind.values().filter(|v| foreign(*v)).collect();
            for value in used {
                rematerialize(f, value, &kept, block, (&mut again, &mut offsets), &mut all).ok_or(what)?;
            }
            f.insts[inst].kind.map_values(|value| again.get(&value).copied().unwrap_or(value));
            all.push(inst);
        }
        let used: Vec<Value> = f.blocks[block].term.values().filter(|v| foreign(*v)).collect();
        for value in used {
            rematerialize(f, value, &kept, block, (&mut again, &mut offsets), &mut all).ok_or(what)?;
        }
        f.blocks[block].term.map_values(|value| again.get(&value).copied().unwrap_or(value));
        f.blocks[block].insts = all;
    }
    for (block, inst) in offsets.made {
        f.blocks[block].insts.insert(0, inst);
    }
    Ok(true)
}

/// The distance of each pointer parameter of a block from its base.
struct Offsets<'a> {
    own: &'a [Block],
    /// An integer as wide as an address.
    address: Type,
    makers: FxHashMap<Value, Block>,
    /// By parameter: its base, and the bytes from there.
    known: FxHashMap<Value, (Value, Value)>,
    /// New instructions for the starts of the parameters' blocks.
    made: Vec<(Block, Inst)>,
}

impl Offsets<'_> {
    fn base_and_bytes(&mut self, f: &mut Function, param: Value) -> Option<(Value, Value)> {
        if let Some(known) = self.known.get(&param) {
            return Some(*known);
        }
        let base = base_of(f, self.own, &self.makers, param)?;
        let inst = f.make_inst(InstKind::PtrDiff(param, base), &[self.address]);
        let bytes = *f.insts[inst].results.first()?;
        self.made.push((*self.makers.get(&param)?, inst));
        self.known.insert(param, (base, bytes));
        Some((base, bytes))
    }
}

/// The one pointer from outside the kernel's blocks that a block's parameter is computed from.
fn base_of(f: &Function, own: &[Block], makers: &FxHashMap<Value, Block>, param: Value) -> Option<Value> {
    let mut found = FxHashSet::default();
    collect_bases(f, own, makers, param, (&mut FxHashSet::default(), &mut found))?;
    found.iter().copied().next().filter(|base| found.len() == 1 && f.ty(*base) == f.ty(param))
}

/// Collects the values from outside the kernel's blocks that a pointer is computed from.
fn collect_bases(
    f: &Function,
    own: &[Block],
    makers: &FxHashMap<Value, Block>,
    value: Value,
    (seen, found): (&mut FxHashSet<Value>, &mut FxHashSet<Value>),
) -> Option<()> {
    if !makers.contains_key(&value) {
        found.insert(value);
        return Some(());
    }
    if !seen.insert(value) {
        return Some(());
    }
    match f.values[value].def {
        ValueDef::Inst(inst, _) => match f.insts[inst].kind {
            InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } => {
                collect_bases(f, own, makers, base, (seen, found))
            }
            InstKind::Select(_, a, b) => {
                collect_bases(f, own, makers, a, (&mut *seen, &mut *found))?;
                collect_bases(f, own, makers, b, (seen, found))
            }
            _ => None,
        },
        ValueDef::Param(block, n) => {
            for from in own {
                for target in f.blocks[*from].term.targets().filter(|t| t.block == block) {
                    let arg = *target.args.get(usize::from(n))?;
                    collect_bases(f, own, makers, arg, (&mut *seen, &mut *found))?;
                }
            }
            Some(())
        }
        ValueDef::Const(_) => None,
    }
}

/// Returns whether an instruction in a pointer's computation can be repeated elsewhere.
fn computes(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::RootAddr(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrOffset { .. }
            | InstKind::PtrCast(_)
            | InstKind::PtrToSpace(_)
            | InstKind::IntToPtr(_)
            | InstKind::Bitcast(_)
            | InstKind::Select(..)
    )
}

/// Copies the computation of a pointer, with the kept pointers that it is computed from.
fn rematerialize(
    f: &mut Function,
    value: Value,
    kept: &FxHashMap<Value, Block>,
    block: Block,
    (again, offsets): (&mut FxHashMap<Value, Value>, &mut Offsets<'_>),
    insts: &mut Vec<Inst>,
) -> Option<Value> {
    if kept.get(&value).is_none_or(|maker| *maker == block) {
        return Some(value);
    }
    if let Some(known) = again.get(&value) {
        return Some(*known);
    }
    let inst = match f.values[value].def {
        ValueDef::Inst(inst, _) => inst,
        ValueDef::Param(..) => {
            let (base, index) = offsets.base_and_bytes(f, value)?;
            let ty = f.ty(value);
            let result = put(f, InstKind::PtrAdd { base, index, scale: 1 }, ty, insts)?;
            again.insert(value, result);
            return Some(result);
        }
        ValueDef::Const(_) => return None,
    };
    let mut kind = f.insts[inst].kind.clone();
    if !computes(&kind) {
        return None;
    }
    // Operands are defined before their use, so only a block's parameter could close a cycle.
    let operands: Vec<Value> = kind.values().collect();
    for operand in operands {
        rematerialize(f, operand, kept, block, (&mut *again, &mut *offsets), insts)?;
    }
    kind.map_values(|value| again.get(&value).copied().unwrap_or(value));
    let made = f.make_inst(kind, &[f.ty(value)]);
    f.insts[made].line = f.insts[inst].line;
    insts.push(made);
    let result = *f.insts[made].results.first()?;
    again.insert(value, result);
    Some(result)
}

/// The memory that keeps a value.
struct KeptSlot {
    address: Value,
    maker: Block,
    /// The value's type is `bool`, which is kept as a word.
    is_bool: bool,
    stored: Type,
    /// The alignment of accesses.
    align: u32,
}

/// The size of a value in memory. A pointer has the size of the integer type `pointer`.
fn bytes_of(ty: Type, pointer: Type) -> u32 {
    if matches!(ty, Type::Ptr(_)) { pointer.bytes() } else { ty.bytes() }
}

/// Stores each kept value at its definition and loads it at its uses.
fn store_and_load(
    f: &mut Function,
    own: &[Block],
    kept: &[(Value, Block)],
    chunk: &Chunk,
    copies: &mut Copies<'_>,
    pointer: Type,
) {
    let mut slots_of: FxHashMap<Value, KeptSlot> = FxHashMap::default();
    for &(value, maker) in kept {
        let ty = f.ty(value);
        let is_bool = ty.scalar() == Some(Scalar::Bool);
        let stored = if is_bool { ty.with_scalar(Scalar::I32) } else { ty };
        let bytes = bytes_of(stored, pointer);
        let align = bytes.next_power_of_two().clamp(1, 128);
        let address = copies.address(f, chunk, (bytes.into(), align), None);
        let align = bytes_of(stored.element(), pointer).max(1);
        slots_of.insert(value, KeptSlot { address, maker, is_bool, stored, align });
    }
    for &block in own {
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        let list = std::mem::take(&mut f.blocks[block].insts);
        let mut all: Vec<Inst> = Vec::with_capacity(list.len());
        for param in f.blocks[block].params.clone() {
            if let Some(kept_slot) = slots_of.get(&param) {
                store(f, param, kept_slot, &mut all);
            }
        }
        for inst in list {
            let used: Vec<Value> = f.insts[inst].kind.values().collect();
            load_used(f, &used, block, &slots_of, &mut loaded, &mut all);
            f.insts[inst].kind.map_values(|value| loaded.get(&value).copied().unwrap_or(value));
            all.push(inst);
            let made: Vec<Value> = f.insts[inst].results.iter().copied().collect();
            for value in made {
                if let Some(kept_slot) = slots_of.get(&value) {
                    store(f, value, kept_slot, &mut all);
                }
            }
        }
        let used: Vec<Value> = f.blocks[block].term.values().collect();
        load_used(f, &used, block, &slots_of, &mut loaded, &mut all);
        f.blocks[block].term.map_values(|value| loaded.get(&value).copied().unwrap_or(value));
        f.blocks[block].insts = all;
    }
}

fn flags(kept_slot: &KeptSlot) -> MemFlags {
    MemFlags { align: kept_slot.align, volatile: false }
}

fn put(f: &mut Function, kind: InstKind, ty: Type, insts: &mut Vec<Inst>) -> Option<Value> {
    let inst = f.make_inst(kind, &[ty]);
    insts.push(inst);
    f.insts[inst].results.first().copied()
}

fn store(f: &mut Function, value: Value, kept_slot: &KeptSlot, insts: &mut Vec<Inst>) {
    let mut stored = value;
    if kept_slot.is_bool {
        let (one, zero) = (f.iconst(kept_slot.stored, 1), f.iconst(kept_slot.stored, 0));
        stored = put(f, InstKind::Select(value, one, zero), kept_slot.stored, insts).unwrap_or(value);
    }
    let to = Place::Pointer(kept_slot.address);
    let kind = InstKind::Store { place: to, value: stored, flags: flags(kept_slot) };
    insts.push(f.make_inst(kind, &[]));
}

/// Loads those of these values that are kept and defined in another block.
fn load_used(
    f: &mut Function,
    used: &[Value],
    block: Block,
    slots_of: &FxHashMap<Value, KeptSlot>,
    loaded: &mut FxHashMap<Value, Value>,
    insts: &mut Vec<Inst>,
) {
    for value in used {
        let Some(kept_slot) = slots_of.get(value).filter(|kept_slot| kept_slot.maker != block) else {
            continue;
        };
        if loaded.contains_key(value) {
            continue;
        }
        let kind = InstKind::Load { place: Place::Pointer(kept_slot.address), flags: flags(kept_slot) };
        let Some(mut found) = put(f, kind, kept_slot.stored, insts) else { continue };
        if kept_slot.is_bool {
            let zero = f.iconst(kept_slot.stored, 0);
            let ty = kept_slot.stored.with_scalar(Scalar::Bool);
            found = put(f, InstKind::ICmp(IntCC::Ne, found, zero), ty, insts).unwrap_or(found);
        }
        loaded.insert(*value, found);
    }
}

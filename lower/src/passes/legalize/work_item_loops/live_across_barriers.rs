//! What a work-item keeps over a barrier.
//!
//! Private variables get a copy for each piece. A value that is used behind a barrier and was made before it is stored where it is made and
//! loaded where it is used. A pointer is computed again from what it was computed from; of one that a loop moves along, how far it is from
//! where it began is kept. A pointer of which that cannot be done, since it may point into several variables or comes from memory, is stored as it is.

use super::{Piece, slot_address};
use crate::ir::{
    Block, EntityMap, Function, Inst, InstKind, IntCC, MemFlags, Place, Root, Scalar, Slot, SlotData, Type,
    Value, ValueDef,
};
use crate::transform::cleanup::Replaced;
use rustc_hash::{FxHashMap, FxHashSet};

/// So often pointers are made of pointers.
const DEPTH: u32 = 64;

/// `own` are the kernel's blocks, `resumed` those of them at which a piece goes on behind a barrier.
pub(super) fn run(
    f: &mut Function,
    own: &[Block],
    resumed: &[Block],
    (entry, piece): (Block, &Piece),
    pieces: u32,
    address: Type,
) -> Result<(), &'static str> {
    variables(f, own, entry, piece, pieces);
    for _ in 0..DEPTH {
        let kept = kept(f, own, resumed);
        let stored = stored_pointers(f, own, &kept);
        if !pointers(f, own, &kept, &stored, address)? {
            values(f, own, &kept, piece, pieces, address);
            return Ok(());
        }
    }
    Err("where pointers are kept over a barrier")
}

/// A copy of each private variable for each piece. The starts of other memory are asked for at the entry.
fn variables(f: &mut Function, own: &[Block], entry: Block, piece: &Piece, pieces: u32) {
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
                    let data = &mut f.slots[slot];
                    let stride = data.size.next_multiple_of(u64::from(data.align.max(1)));
                    data.size = stride.saturating_mul(u64::from(pieces));
                    let address = slot_address(f, piece, slot, stride);
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

/// The values that are made in the kernel's blocks, with the block that makes each.
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

/// The values that are alive at the start of each of the kernel's blocks, but for the block's own parameters. `makers`: the values that
/// count, with the block that makes each.
pub(crate) fn alive(
    f: &Function,
    own: &[Block],
    makers: &FxHashMap<Value, Block>,
) -> FxHashMap<Block, FxHashSet<Value>> {
    // Used in a block, and not made in it.
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

/// The values of the kernel's blocks that are alive where a piece goes on, in order, with the block that makes each.
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

/// The pointers among the kept values that [`copy`] cannot compute again. What they are computed from is kept, too, then.
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

/// Computes pointers that are kept, but those that are stored, again in each block that uses them. Tells whether there were any.
fn pointers(
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
                copy(f, value, &kept, block, (&mut again, &mut offsets), &mut all).ok_or(what)?;
            }
            f.insts[inst].kind.map_values(|value| again.get(&value).copied().unwrap_or(value));
            all.push(inst);
        }
        let used: Vec<Value> = f.blocks[block].term.values().filter(|v| foreign(*v)).collect();
        for value in used {
            copy(f, value, &kept, block, (&mut again, &mut offsets), &mut all).ok_or(what)?;
        }
        f.blocks[block].term.map_values(|value| again.get(&value).copied().unwrap_or(value));
        f.blocks[block].insts = all;
    }
    for (block, inst) in offsets.made {
        f.blocks[block].insts.insert(0, inst);
    }
    Ok(true)
}

/// How far parameters of blocks that are pointers are from where they began.
struct Offsets<'a> {
    own: &'a [Block],
    /// An integer as wide as an address.
    address: Type,
    makers: FxHashMap<Value, Block>,
    /// By parameter: where it began, and the bytes from there.
    known: FxHashMap<Value, (Value, Value)>,
    /// The instructions, for the starts of the parameters' blocks.
    made: Vec<(Block, Inst)>,
}

impl Offsets<'_> {
    fn of(&mut self, f: &mut Function, param: Value) -> Option<(Value, Value)> {
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
    bases(f, own, makers, param, (&mut FxHashSet::default(), &mut found))?;
    found.iter().copied().next().filter(|base| found.len() == 1 && f.ty(*base) == f.ty(param))
}

/// What is outside the kernel's blocks, and a pointer is computed from.
fn bases(
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
                bases(f, own, makers, base, (seen, found))
            }
            InstKind::Select(_, a, b) => {
                bases(f, own, makers, a, (&mut *seen, &mut *found))?;
                bases(f, own, makers, b, (seen, found))
            }
            _ => None,
        },
        ValueDef::Param(block, n) => {
            for from in own {
                for target in f.blocks[*from].term.targets().filter(|t| t.block == block) {
                    let arg = *target.args.get(usize::from(n))?;
                    bases(f, own, makers, arg, (&mut *seen, &mut *found))?;
                }
            }
            Some(())
        }
        ValueDef::Const(_) => None,
    }
}

/// Whether an instruction that gives a pointer, or what one is made of, can be done again.
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

/// A copy of what computes a pointer, with all pointers that are kept and that it is computed from.
fn copy(
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
            let (base, index) = offsets.of(f, value)?;
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
    // An instruction uses what was made before it: there is no way round in circles but through a block's parameter.
    let operands: Vec<Value> = kind.values().collect();
    for operand in operands {
        copy(f, operand, kept, block, (&mut *again, &mut *offsets), insts)?;
    }
    kind.map_values(|value| again.get(&value).copied().unwrap_or(value));
    let made = f.make_inst(kind, &[f.ty(value)]);
    f.insts[made].line = f.insts[inst].line;
    insts.push(made);
    let result = *f.insts[made].results.first()?;
    again.insert(value, result);
    Some(result)
}

/// Where a value is kept, and as what.
struct Kept {
    address: Value,
    maker: Block,
    /// Its own type is of bools, which are kept as words.
    truth: bool,
    stored: Type,
    /// What accesses are aligned to.
    align: u32,
}

/// Bytes of a value in memory; a pointer has those of an integer of this type.
fn bytes_of(ty: Type, pointer: Type) -> u32 {
    if matches!(ty, Type::Ptr(_)) { pointer.bytes() } else { ty.bytes() }
}

/// Stores the values that are kept where they are made, and loads them where they are used.
fn values(
    f: &mut Function,
    own: &[Block],
    kept: &[(Value, Block)],
    piece: &Piece,
    pieces: u32,
    pointer: Type,
) {
    let mut places: FxHashMap<Value, Kept> = FxHashMap::default();
    for &(value, maker) in kept {
        let ty = f.ty(value);
        let truth = ty.scalar() == Some(Scalar::Bool);
        let stored = if truth { ty.with_scalar(Scalar::I32) } else { ty };
        let bytes = bytes_of(stored, pointer);
        let align = bytes.next_power_of_two().clamp(1, 128);
        let stride = u64::from(bytes).next_multiple_of(u64::from(align));
        let size = stride.saturating_mul(u64::from(pieces));
        let slots: &mut EntityMap<Slot, SlotData> = &mut f.slots;
        let slot = slots.push(SlotData { name: None, size, align });
        let address = slot_address(f, piece, slot, stride);
        let align = bytes_of(stored.element(), pointer).max(1);
        places.insert(value, Kept { address, maker, truth, stored, align });
    }
    for &block in own {
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        let list = std::mem::take(&mut f.blocks[block].insts);
        let mut all: Vec<Inst> = Vec::with_capacity(list.len());
        for param in f.blocks[block].params.clone() {
            if let Some(place) = places.get(&param) {
                store(f, param, place, &mut all);
            }
        }
        for inst in list {
            let used: Vec<Value> = f.insts[inst].kind.values().collect();
            load_used(f, &used, block, &places, &mut loaded, &mut all);
            f.insts[inst].kind.map_values(|value| loaded.get(&value).copied().unwrap_or(value));
            all.push(inst);
            let made: Vec<Value> = f.insts[inst].results.iter().copied().collect();
            for value in made {
                if let Some(place) = places.get(&value) {
                    store(f, value, place, &mut all);
                }
            }
        }
        let used: Vec<Value> = f.blocks[block].term.values().collect();
        load_used(f, &used, block, &places, &mut loaded, &mut all);
        f.blocks[block].term.map_values(|value| loaded.get(&value).copied().unwrap_or(value));
        f.blocks[block].insts = all;
    }
}

fn flags(place: &Kept) -> MemFlags {
    MemFlags { align: place.align, volatile: false }
}

fn put(f: &mut Function, kind: InstKind, ty: Type, insts: &mut Vec<Inst>) -> Option<Value> {
    let inst = f.make_inst(kind, &[ty]);
    insts.push(inst);
    f.insts[inst].results.first().copied()
}

fn store(f: &mut Function, value: Value, place: &Kept, insts: &mut Vec<Inst>) {
    let mut stored = value;
    if place.truth {
        let (one, zero) = (f.iconst(place.stored, 1), f.iconst(place.stored, 0));
        stored = put(f, InstKind::Select(value, one, zero), place.stored, insts).unwrap_or(value);
    }
    let to = Place::Pointer(place.address);
    let kind = InstKind::Store { place: to, value: stored, flags: flags(place) };
    insts.push(f.make_inst(kind, &[]));
}

/// Loads those of these values that are kept and made elsewhere.
fn load_used(
    f: &mut Function,
    used: &[Value],
    block: Block,
    places: &FxHashMap<Value, Kept>,
    loaded: &mut FxHashMap<Value, Value>,
    insts: &mut Vec<Inst>,
) {
    for value in used {
        let Some(place) = places.get(value).filter(|place| place.maker != block) else { continue };
        if loaded.contains_key(value) {
            continue;
        }
        let kind = InstKind::Load { place: Place::Pointer(place.address), flags: flags(place) };
        let Some(mut found) = put(f, kind, place.stored, insts) else { continue };
        if place.truth {
            let zero = f.iconst(place.stored, 0);
            let ty = place.stored.with_scalar(Scalar::Bool);
            found = put(f, InstKind::ICmp(IntCC::Ne, found, zero), ty, insts).unwrap_or(found);
        }
        loaded.insert(*value, found);
    }
}

//! Memory-copy lowering: copies of bytes become loads and stores, or loops of them.
//!
//! ```text
//! copy [a], [b], 16        becomes        v: <4 x i32> = load [b]; store [a], v
//! ```
//!
//! The pass chooses the elements of a copy in this order:
//! - A copy of private memory is split at the boundaries of the slot's own accesses, so that promotion sees whole values.
//! - Other memory is copied in the unit of the other accesses through its pointer.
//! - The rest is copied in words of the alignment.
//!
//! A copy of more than [`MAX_ELEMENTS`] elements becomes a loop.

use crate::analysis::linear::Base;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, Function, Inst, InstKind, IntCC, MemFlags, Module, Place, Scalar, Slot,
    Terminator, Type, Value,
};
use crate::passes::optimize::sroa::{self, KnownPointers};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A copy between variables: the source and the destination (variable and byte offset), and the size in bytes.
type SlotCopy = ((Slot, i64), (Slot, i64), u64);

/// The maximum number of loads and stores of one copy. Longer copies become loops.
const MAX_ELEMENTS: u64 = 32;

/// A copied element: its offset and type.
type Element = (i64, Type);

/// Runs the pass.
///
/// # Errors
/// None. All passes have this signature.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    let pointer_bytes = module.address_bits / 8;
    for function in module.functions.values_mut() {
        if function.layout.iter().any(|b| has_copy(function, *b)) {
            expand_function(function, pointer_bytes);
        }
    }
    Ok(())
}

fn has_copy(function: &Function, block: Block) -> bool {
    let mut insts = function.blocks[block].insts.iter();
    insts.any(|i| matches!(function.insts[*i].kind, InstKind::Copy { .. }))
}

/// The facts about the memory of a function before expansion.
struct MemoryFacts {
    pointers: KnownPointers,
    /// Accesses of slots at known offsets, including those of copies.
    slots: Vec<Vec<Element>>,
    /// The scalar type of the accesses of other memory.
    units: FxHashMap<Base, Scalar>,
}

fn expand_function(function: &mut Function, pointer_bytes: u32) {
    let know = gather(function, pointer_bytes);
    for index in 0..function.layout.len() {
        let mut block = function.layout[index];
        if !has_copy(function, block) {
            continue;
        }
        // A loop splits the block. The instructions behind it go to the new block.
        loop {
            let insts = std::mem::take(&mut function.blocks[block].insts);
            let mut rest = insts.into_iter();
            let mut split = None;
            for inst in rest.by_ref() {
                let InstKind::Copy { dst, src, bytes, flags } = function.insts[inst].kind else {
                    function.blocks[block].insts.push(inst);
                    continue;
                };
                let pieces = pieces(function, &know, dst, src, bytes, flags, pointer_bytes);
                let line = function.insts[inst].line;
                let first = function.blocks[block].insts.len();
                match pieces {
                    Ok(pieces) => unrolled(function, block, dst, src, flags, &pieces),
                    Err(unit) => {
                        let (after, accesses) = copy_loop(function, block, dst, src, bytes, flags, unit);
                        split = Some(after);
                        if line.is_marked() {
                            accesses.iter().for_each(|access| function.insts[*access].line = line);
                        }
                    }
                }
                for n in first..function.blocks[block].insts.len() {
                    let made = function.blocks[block].insts[n];
                    function.insts[made].line = line;
                }
                if split.is_some() {
                    break;
                }
            }
            let Some(next) = split else { break };
            function.blocks[next].insts = rest.collect();
            block = next;
        }
    }
    crate::transform::cleanup::order_layout(function);
}

fn gather(function: &mut Function, pointer_bytes: u32) -> MemoryFacts {
    let cfg = function.cfg();
    let pointers = sroa::known_pointers(function, &cfg);
    let mut slots: Vec<Vec<Element>> = vec![Vec::new(); function.slots.len()];
    let mut units: FxHashMap<Base, Scalar> = FxHashMap::default();
    let mut copies: Vec<SlotCopy> = Vec::new();
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let (place, ty) = match &data.kind {
                InstKind::Load { place, .. } => (place, data.results.first().map(|r| function.ty(*r))),
                InstKind::Store { place, value, .. } => (place, Some(function.ty(*value))),
                InstKind::Copy { dst, src, bytes, .. } => {
                    if let (Some(d), Some(s)) = (pointers.get(*dst), pointers.get(*src)) {
                        copies.push((d, s, *bytes));
                    }
                    continue;
                }
                _ => continue,
            };
            let (Place::Pointer(pointer), Some(ty)) = (place, ty) else { continue };
            if let Some((slot, offset)) = pointers.get(*pointer) {
                let piece = (offset, ty);
                let list = &mut slots[slot.0 as usize];
                if !list.contains(&piece) || list.len() > 64 {
                    list.push(piece);
                }
            }
            if let Some(scalar) = ty.scalar() {
                units.entry(Base::of_object(function, *pointer)).or_insert(scalar);
            }
        }
    }
    share(&copies, &mut slots, pointer_bytes);
    for list in &mut slots {
        list.sort_by_key(|(offset, ty)| (*offset, std::cmp::Reverse(sroa::size_of(*ty, pointer_bytes))));
        list.dedup();
    }
    MemoryFacts { pointers, slots, units }
}

/// Gives the two slots of each copy the same boundaries.
fn share(copies: &[SlotCopy], slots: &mut [Vec<Element>], pointer_bytes: u32) {
    for _ in 0..4 {
        let mut changed = false;
        for (dst, src, bytes) in copies {
            for (from, to) in [(dst, src), (src, dst)] {
                let end = from.1.saturating_add_unsigned(*bytes);
                let moved: Vec<Element> = slots[from.0.0 as usize]
                    .iter()
                    .filter(|(o, ty)| {
                        *o >= from.1 && *o + i64::from(sroa::size_of(*ty, pointer_bytes)) <= end
                    })
                    .map(|(o, ty)| (o - from.1 + to.1, *ty))
                    .collect();
                let list = &mut slots[to.0.0 as usize];
                for piece in moved {
                    if list.len() < 256 && !list.contains(&piece) {
                        list.push(piece);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
}

/// The elements of a copy, or the unit of the copy loop.
fn pieces(
    function: &Function,
    know: &MemoryFacts,
    dst: Value,
    src: Value,
    bytes: u64,
    flags: MemFlags,
    pointer_bytes: u32,
) -> Result<Vec<Element>, Type> {
    let unit = [dst, src]
        .iter()
        .find_map(|p| know.units.get(&Base::of_object(function, *p)).copied())
        .filter(|s| s.bytes() > 0);
    let slot = [dst, src].iter().find_map(|p| {
        let (slot, offset) = know.pointers.get(*p)?;
        let list = &know.slots[slot.0 as usize];
        (!list.is_empty()).then_some((list, offset))
    });
    let align = flags.align.max(1);
    let mut result = Vec::new();
    let mut at = 0u64;
    if let Some((list, offset)) = slot {
        for (o, ty) in list {
            let size = u64::from(sroa::size_of(*ty, pointer_bytes));
            let Some(start) = o.checked_sub(offset).and_then(|s| u64::try_from(s).ok()) else { continue };
            if start < at || start + size > bytes {
                continue;
            }
            fill(&mut result, at, start, align, unit);
            result.push((start as i64, *ty));
            at = start + size;
        }
    }
    fill(&mut result, at, bytes, align, unit);
    if result.len() as u64 > MAX_ELEMENTS {
        // The loop's unit must divide the size.
        let unit = unit.filter(|u| align >= u.bytes() && bytes.is_multiple_of(u64::from(u.bytes())));
        let scalar = unit.unwrap_or_else(|| word(align, bytes, 0));
        return Err(Type::Scalar(scalar));
    }
    Ok(result)
}

/// The widest word of at most 32 bits that the alignment and the remaining size allow.
fn word(align: u32, left: u64, at: u64) -> Scalar {
    [Scalar::I32, Scalar::I16]
        .into_iter()
        .find(|s| {
            let size = u64::from(s.bytes());
            u64::from(align) >= size && left.is_multiple_of(size) && at.is_multiple_of(size)
        })
        .unwrap_or(Scalar::I8)
}

/// Adds elements for the bytes between two offsets.
fn fill(pieces: &mut Vec<Element>, mut at: u64, end: u64, align: u32, unit: Option<Scalar>) {
    while at < end {
        if pieces.len() as u64 > MAX_ELEMENTS {
            return;
        }
        let left = end - at;
        let fits = |size: u64| left >= size && at.is_multiple_of(size) && u64::from(align) >= size;
        let scalar = match unit {
            Some(unit) if fits(u64::from(unit.bytes())) => unit,
            _ if fits(4) => Scalar::I32,
            _ if fits(2) => Scalar::I16,
            _ => Scalar::I8,
        };
        // Wide accesses pay off if the alignment is known.
        let lanes = [4u8, 2]
            .into_iter()
            .find(|n| scalar.bytes() >= 4 && fits(u64::from(scalar.bytes()) * u64::from(*n)))
            .unwrap_or(1);
        let ty = Type::new(scalar, lanes);
        pieces.push((at as i64, ty));
        at += u64::from(ty.bytes());
    }
}

fn offset_pointer(function: &mut Function, block: Block, base: Value, bytes: i64) -> Value {
    if bytes == 0 {
        return base;
    }
    let ty = function.ty(base);
    function.append(block, InstKind::PtrOffset { base, bytes }, ty)
}

fn flags_at(flags: MemFlags, offset: u64) -> MemFlags {
    let align = flags.align.max(1);
    let at = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) };
    MemFlags { align: at, ..flags }
}

fn unrolled(
    function: &mut Function,
    block: Block,
    dst: Value,
    src: Value,
    flags: MemFlags,
    pieces: &[Element],
) {
    // All loads come first. The two ranges are equal or disjoint.
    let mut values: Vec<Value> = Vec::with_capacity(pieces.len());
    for (offset, ty) in pieces {
        let from = offset_pointer(function, block, src, *offset);
        let flags = flags_at(flags, *offset as u64);
        values.push(function.append(block, InstKind::Load { place: Place::Pointer(from), flags }, *ty));
    }
    for ((offset, _), value) in pieces.iter().zip(values) {
        let to = offset_pointer(function, block, dst, *offset);
        let flags = flags_at(flags, *offset as u64);
        function.append_void(block, InstKind::Store { place: Place::Pointer(to), value, flags });
    }
}

/// Ends `block` with a copy loop. Gives the block after the loop, which has `block`'s old terminator.
fn copy_loop(
    function: &mut Function,
    block: Block,
    dst: Value,
    src: Value,
    bytes: u64,
    flags: MemFlags,
    unit: Type,
) -> (Block, [Inst; 2]) {
    let header = function.new_block();
    let body = function.new_block();
    let after = function.new_block();
    let term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
    function.blocks[after].term = term;
    let to = |block, args: &[Value]| BranchTarget { block, args: SmallVec::from_slice(args) };

    let zero = function.iconst(Type::I32, 0);
    function.blocks[block].term = Terminator::Branch(to(header, &[zero]));
    let index = function.add_param(header, Type::I32);
    let size = u64::from(unit.bytes().max(1));
    let count = function.iconst(Type::I32, bytes / size);
    let more = function.append(header, InstKind::ICmp(IntCC::Ult, index, count), Type::BOOL);
    function.blocks[header].term =
        Terminator::CondBranch { cond: more, then: to(body, &[]), els: to(after, &[]) };

    let (dst_ty, src_ty) = (function.ty(dst), function.ty(src));
    let flags = MemFlags { align: flags.align.max(1).min(size as u32), ..flags };
    let from = function.append(body, InstKind::PtrAdd { base: src, index, scale: size }, src_ty);
    let value = function.append(body, InstKind::Load { place: Place::Pointer(from), flags }, unit);
    let load = function.blocks[body].insts[1];
    let onto = function.append(body, InstKind::PtrAdd { base: dst, index, scale: size }, dst_ty);
    function.append_void(body, InstKind::Store { place: Place::Pointer(onto), value, flags });
    let store = function.blocks[body].insts[3];
    let one = function.iconst(Type::I32, 1);
    let next = function.append(body, InstKind::Binary(BinaryOp::IAdd, index, one), Type::I32);
    function.blocks[body].term = Terminator::Branch(to(header, &[next]));
    (after, [load, store])
}

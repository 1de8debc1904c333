//! Scalar replacement of aggregates (SROA): finds the private variables that are only accessed at known offsets, and cuts them into parts.
//!
//! The accesses of a slot are byte ranges, and overlapping ranges form a component:
//!
//! ```text
//! accesses i32 at 0, i32 at 4, i32x2 at 8, i32 at 12    →    parts i32 at 0, i32 at 4, i32x2 at 8 (or two i32)
//! ```
//!
//! A component with one range is one part. A vector with accesses to single lanes stays one part if it is mostly accessed whole. Any other
//! component is cut at the ends of every access. A part has one type; accesses with another type of the same size become bit casts.

use crate::ir::cfg::Cfg;
use crate::ir::{Constant, Function, InstKind, MemFlags, Place, Root, Scalar, Slot, Type, Value, ValueDef};

/// A load or store of a slot at a known offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The byte offset of its start.
    pub offset: i64,
    /// The type that it reads or writes.
    pub ty: Type,
    /// The size in bytes.
    pub size: u32,
    /// True if it writes.
    pub store: bool,
}

/// A part of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The byte offset of its start.
    pub offset: i64,
    /// The size in bytes.
    pub size: u32,
    /// Its type as a value.
    pub ty: Type,
}

/// Pointers that are a known offset into a slot.
#[derive(Debug, Default)]
pub struct KnownPointers {
    /// The slot and offset of each value.
    of: Vec<Option<(Slot, i64)>>,
    count: usize,
}

impl KnownPointers {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The slot and offset of a value.
    #[inline]
    pub fn get(&self, value: Value) -> Option<(Slot, i64)> {
        self.of.get(value.0 as usize).copied().flatten()
    }

    fn insert(&mut self, value: Value, known: (Slot, i64)) {
        let n = value.0 as usize;
        if self.of.len() <= n {
            self.of.resize(n + 1, None);
        }
        self.of[n] = Some(known);
        self.count += 1;
    }
}

/// The size of a type in memory; pointers have the module's width.
pub fn size_of(ty: Type, pointer_bytes: u32) -> u32 {
    match ty {
        Type::Ptr(_) => pointer_bytes,
        _ => ty.bytes(),
    }
}

/// The slots' accesses, where all of them are at known offsets; `None` for other slots.
pub struct SlotAccesses {
    /// The accesses of each slot.
    pub accesses: Vec<Option<Vec<Access>>>,
    /// Pointers with known offsets.
    pub pointers: KnownPointers,
}

/// The slot and the constant offset of an address.
pub fn known_place(function: &Function, pointers: &KnownPointers, place: &Place) -> Option<(Slot, i64)> {
    match place {
        Place::Pointer(p) => pointers.get(*p),
        Place::Element { root: Root::Slot(slot), scalar, lanes, index } => {
            let index = function.const_bits(*index)?;
            let size = i64::from(scalar.bytes()) * i64::from(*lanes);
            Some((*slot, i64::try_from(index).ok()?.checked_mul(size)?))
        }
        _ => None,
    }
}

/// The pointers of a function that are a known offset into a slot.
pub fn known_pointers(function: &Function, cfg: &Cfg) -> KnownPointers {
    let mut pointers = KnownPointers::default();
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let known = match &data.kind {
                InstKind::RootAddr(Root::Slot(slot)) => Some((*slot, 0)),
                InstKind::PtrOffset { base, bytes } => {
                    pointers.get(*base).and_then(|(s, o)| Some((s, i64::checked_add(o, *bytes)?)))
                }
                InstKind::PtrAdd { base, index, scale } => pointers.get(*base).and_then(|(s, o)| {
                    let index = function.const_signed(*index)?;
                    let bytes = index.checked_mul(i64::try_from(*scale).ok()?)?;
                    Some((s, i64::checked_add(o, bytes)?))
                }),
                InstKind::PtrCast(base) => pointers.get(*base),
                _ => None,
            };
            if let (Some(known), Some(result)) = (known, data.results.first()) {
                pointers.insert(*result, known);
            }
        }
    }
    pointers
}

/// Returns whether some access names a slot's elements.
fn names_slots(function: &Function, cfg: &Cfg) -> bool {
    let mut insts = cfg.rpo().iter().flat_map(|b| &function.blocks[*b].insts);
    insts.any(|i| matches!(function.insts[*i].kind.place(), Some(Place::Element { root: Root::Slot(_), .. })))
}

/// Returns whether an access leaves a variable of so many bytes. Variables of opaque types, such as events, have none, and are not left.
fn is_outside(bytes: u64, offset: i64, size: u32) -> bool {
    if bytes == 0 {
        return false;
    }
    let end = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(size.into()));
    end.is_none_or(|end| end > bytes)
}

/// Finds the accesses of every slot.
pub fn slot_accesses(function: &Function, cfg: &Cfg, pointer_bytes: u32) -> SlotAccesses {
    let pointers = known_pointers(function, cfg);
    let mut accesses: Vec<Option<Vec<Access>>> = vec![Some(Vec::new()); function.slots.len()];
    if pointers.is_empty() && !names_slots(function, cfg) {
        return SlotAccesses { accesses, pointers };
    }
    let escape = |accesses: &mut Vec<Option<Vec<Access>>>, value: Value| {
        if let Some((slot, _)) = pointers.get(value) {
            accesses[slot.0 as usize] = None;
        }
    };
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let (place, flags, ty, store): (&Place, &MemFlags, Type, bool) = match &data.kind {
                InstKind::Load { place, flags } => match data.results.first() {
                    Some(result) => (place, flags, function.ty(*result), false),
                    None => continue,
                },
                InstKind::Store { place, value, flags } => {
                    escape(&mut accesses, *value);
                    (place, flags, function.ty(*value), true)
                }
                // Comparing addresses reads no memory.
                InstKind::ICmp(..) | InstKind::PtrDiff(..) => continue,
                kind => {
                    let derived = data.results.first().is_some_and(|r| pointers.get(*r).is_some());
                    if let InstKind::Atomic { place: Place::Element { root: Root::Slot(s), .. }, .. } = kind {
                        accesses[s.0 as usize] = None;
                    }
                    if !derived && !pointers.is_empty() {
                        kind.each_value(|v| escape(&mut accesses, v));
                    }
                    continue;
                }
            };
            let known = known_place(function, &pointers, place);
            let (Some((slot, offset)), false) = (known, flags.volatile) else {
                match place {
                    Place::Pointer(p) => escape(&mut accesses, *p),
                    Place::Element { root: Root::Slot(slot), .. } => accesses[slot.0 as usize] = None,
                    _ => {}
                }
                continue;
            };
            let size = size_of(ty, pointer_bytes);
            if function.keeps_faults && is_outside(function.slots[slot].size, offset, size) {
                accesses[slot.0 as usize] = None;
            }
            if let Some(list) = &mut accesses[slot.0 as usize] {
                list.push(Access { offset, ty, size, store });
            }
        }
        for value in function.blocks[block].term.values() {
            escape(&mut accesses, value);
        }
    }
    SlotAccesses { accesses, pointers }
}

/// Returns whether a vector may have this number of lanes.
pub fn lanes_ok(lanes: u32) -> bool {
    matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16)
}

/// Cuts a slot into parts; `None` if its accesses do not fit any cut.
pub fn cut(accesses: &[Access]) -> Option<Vec<Part>> {
    let mut sorted: Vec<Access> = accesses.to_vec();
    sorted.sort_by_key(|a| (a.offset, a.size));
    let mut parts = Vec::new();
    let mut start = 0;
    while start < sorted.len() {
        if sorted[start].size == 0 {
            return None;
        }
        let mut end = sorted[start].offset.checked_add(i64::from(sorted[start].size))?;
        let mut stop = start + 1;
        while stop < sorted.len() && sorted[stop].offset < end {
            end = end.max(sorted[stop].offset.checked_add(i64::from(sorted[stop].size))?);
            stop += 1;
        }
        cut_component(&sorted[start..stop], end, &mut parts)?;
        start = stop;
    }
    Some(parts)
}

/// The commonest type of the accesses; pointers win, then the first.
fn common_type<'a>(accesses: impl Iterator<Item = &'a Access>) -> Option<Type> {
    let mut counts: Vec<(Type, u32)> = Vec::new();
    for access in accesses {
        match counts.iter_mut().find(|c| c.0 == access.ty) {
            Some(c) => c.1 += 1,
            None => counts.push((access.ty, 1)),
        }
    }
    let mut best = *counts.first()?;
    for c in &counts[1..] {
        let pointer = |t: Type| matches!(t, Type::Ptr(_));
        if (pointer(c.0), c.1) > (pointer(best.0), best.1) {
            best = *c;
        }
    }
    Some(best.0)
}

fn cut_component(accesses: &[Access], end: i64, parts: &mut Vec<Part>) -> Option<()> {
    let offset = accesses[0].offset;
    let size = u32::try_from(end - offset).ok()?;
    let whole = || accesses.iter().filter(|a| a.offset == offset && a.size == size);
    let wholes = whole().count();
    if wholes == accesses.len() {
        parts.push(Part { offset, size, ty: common_type(whole())? });
        return Some(());
    }
    if 2 * wholes >= accesses.len() {
        // A vector with lane accesses: kept whole if every access is lanes of it.
        if let Some(ty @ Type::Vector(scalar, lanes)) = common_type(whole()) {
            let lane = i64::from(scalar.bytes());
            let fits = accesses.iter().all(|a| {
                (a.offset - offset) % lane == 0
                    && i64::from(a.size) % lane == 0
                    && lanes_ok((i64::from(a.size) / lane) as u32)
                    && !matches!(a.ty, Type::Ptr(_))
            });
            if fits && lanes <= 4 {
                parts.push(Part { offset, size, ty });
                return Some(());
            }
        }
    }
    let first = parts.len();
    let mut edges: Vec<i64> =
        accesses.iter().flat_map(|a| [a.offset, a.offset + i64::from(a.size)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let cells = whole_cells(accesses, &edges);
    edges.extend(cells.iter().flat_map(|(from, size)| [*from, from + i64::from(*size)]));
    edges.sort_unstable();
    edges.dedup();
    edges.retain(|e| !cells.iter().any(|(from, size)| from < e && *e < from + i64::from(*size)));
    for pair in edges.windows(2) {
        let (offset, size) = (pair[0], (pair[1] - pair[0]) as u32);
        let ty = match Scalar::int(size).filter(|_| cells.contains(&(offset, size))) {
            Some(int) => Type::Scalar(int),
            None => atom_type(accesses, offset, size)?,
        };
        parts.push(Part { offset, size, ty });
    }
    let ok = accesses.iter().all(|a| {
        let (from, to) = covered(&parts[first..], a.offset, a.size);
        Assembly::new(a.ty, &parts[first + from..first + to]).is_some()
    });
    ok.then_some(())
}

/// Words, and halves, that stay whole although parts of them are read: a read takes bits of the integer. Parts that are also written become
/// values of their own.
fn whole_cells(accesses: &[Access], edges: &[i64]) -> Vec<(i64, u32)> {
    if accesses.iter().any(|a| matches!(a.ty, Type::Ptr(_))) {
        return Vec::new();
    }
    let longest = accesses.iter().map(|a| a.size).max().map_or(0, i64::from);
    let mut cells: Vec<(i64, u32)> = Vec::new();
    for unit in [4u32, 2] {
        let units = accesses
            .iter()
            .filter(|a| a.ty.scalar().is_some_and(|s| s.bytes() >= unit) && a.size.is_multiple_of(unit));
        let mut starts: Vec<i64> =
            units.flat_map(|a| (0..a.size / unit).map(move |n| a.offset + i64::from(n * unit))).collect();
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            let end = start + i64::from(unit);
            let cut = edges.get(edges.partition_point(|e| *e <= start)).is_some_and(|e| *e < end);
            let taken = cells.last().is_some_and(|(s, size)| start < s + i64::from(*size))
                || cells.iter().any(|(s, size)| *s < end && start < s + i64::from(*size));
            if !cut || taken {
                continue;
            }
            let from = accesses.partition_point(|a| a.offset + longest <= start);
            let mut around = accesses[from..].iter().take_while(|a| a.offset < end);
            let fits = around.all(|a| {
                let stop = a.offset + i64::from(a.size);
                let outside = stop <= start;
                let contains = a.offset <= start && stop >= end;
                let within = a.offset >= start && stop <= end && !a.store && Scalar::int(a.size).is_some();
                outside || contains || within
            });
            if fits {
                cells.push((start, unit));
            }
        }
    }
    cells
}

/// The type of a part between the ends of accesses.
fn atom_type(accesses: &[Access], offset: i64, size: u32) -> Option<Type> {
    let exact = common_type(accesses.iter().filter(|a| a.offset == offset && a.size == size));
    if exact.is_some() {
        return exact;
    }
    let end = offset + i64::from(size);
    let covering = accesses.iter().filter(|a| a.offset <= offset && a.offset + i64::from(a.size) >= end);
    for access in covering {
        if let Some(scalar) = access.ty.scalar() {
            let lane = scalar.bytes();
            let aligned = (offset - access.offset) % i64::from(lane) == 0 && size.is_multiple_of(lane);
            if aligned && lanes_ok(size / lane) {
                return Some(Type::new(scalar, (size / lane) as u8));
            }
        }
    }
    Scalar::int(size).map(Type::Scalar).or_else(|| {
        let unit = [4, 2, 1].into_iter().find(|u| size.is_multiple_of(*u) && lanes_ok(size / u))?;
        Some(Type::new(Scalar::int(unit)?, (size / unit) as u8))
    })
}

/// The range of parts that an access covers, or that contains it.
pub fn covered(parts: &[Part], offset: i64, size: u32) -> (usize, usize) {
    let end = offset + i64::from(size);
    let from = parts.partition_point(|p| p.offset + i64::from(p.size) <= offset);
    let to = parts.partition_point(|p| p.offset < end);
    (from, to.max(from))
}

/// The way to assemble a value from the parts that it covers exactly, or to split it into them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assembly {
    /// One part: a cast.
    One,
    /// Lanes of this scalar side by side; the vector of them all has the second type.
    Lanes(Scalar, Type),
}

impl Assembly {
    /// The assembly for a type and its parts.
    pub fn new(ty: Type, parts: &[Part]) -> Option<Assembly> {
        if parts.len() == 1 {
            return Some(Assembly::One);
        }
        let total: u32 = parts.iter().map(|p| p.size).sum();
        let fits = |unit: u32| {
            total.is_multiple_of(unit) && parts.iter().all(|p| p.size % unit == 0 && lanes_ok(p.size / unit))
        };
        if let Some(scalar) = ty.scalar().filter(|s| fits(s.bytes()))
            && parts.iter().all(|p| !matches!(p.ty, Type::Ptr(_)))
        {
            return Some(Assembly::Lanes(scalar, ty));
        }
        let unit = [8, 4, 2, 1].into_iter().find(|u| fits(*u) && lanes_ok(total / u))?;
        let scalar = Scalar::int(unit)?;
        Some(Assembly::Lanes(scalar, Type::new(scalar, (total / unit) as u8)))
    }
}

/// Returns whether a value is an undefined constant.
pub fn is_undef(function: &Function, value: Value) -> bool {
    matches!(function.values[value].def, ValueDef::Const(Constant::Undef))
}

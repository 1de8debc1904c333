//! Pointers from elsewhere: those made of integers that no pointer in sight went into, or read where such integers were written.
//!
//! Such a pointer to a buffer is an address. Another launch or the host stored it.
//! Its bytes may have passed through other variables, as in a structure that is copied byte by byte.
//!
//! Such a pointer to private or local memory points to a variable whose address was made an integer, and the analysis could not
//! follow the integer (bit by bit in branches, through an image). Or it is a number that was never an object's address.
//!
//! An integer is traced backwards, and only if a pointer is made of it.
//! The trace follows selected values, operands that pointers went into, and the memory that the integer was read from.

use super::{Memory, PointerInfo, Solver, is_buffer, is_buffer_space, is_buffers_alone, is_zero, memory_of};
use crate::ir::{Constant, Function, Inst, InstKind, Place, Root, Type, Value, ValueDef};
use crate::passes::address::lower_addresses::views::memory_type;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The offsets that a pointer may have from the start of its object: each start plus any multiple of the stride.
/// A stride of 0 means the starts themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reach {
    starts: SmallVec<[i64; 4]>,
    stride: u64,
}

impl Reach {
    /// The maximum number of starts that are kept.
    const STARTS: usize = 4;

    fn new(starts: SmallVec<[i64; 4]>, stride: u64) -> Self {
        let reach = Reach::folded(starts, stride);
        let Some(&first) = reach.starts.first() else { return Reach::any() };
        if reach.starts.len() <= Reach::STARTS {
            return reach;
        }
        // The most precise stride wins: it keeps the members of consecutive structures distinct.
        let common_stride = |start: &i64| gcd(stride, start.abs_diff(first));
        let strides = reach.starts.iter().map(common_stride).filter(|s| *s != stride && *s != 0);
        let fewer = strides.map(|stride| Reach::folded(reach.starts.clone(), stride));
        let share = |r: &Reach, other: &Reach| r.starts.len() as u128 * u128::from(other.stride);
        let fewest = fewer.filter(|r| r.starts.len() <= Reach::STARTS);
        fewest.min_by(|a, b| share(a, b).cmp(&share(b, a))).unwrap_or_else(Reach::any)
    }

    /// Reduces the starts modulo the stride and removes duplicates.
    fn folded(mut starts: SmallVec<[i64; 4]>, stride: u64) -> Self {
        match i64::try_from(stride) {
            Ok(0) => {}
            Ok(stride) => starts.iter_mut().for_each(|start| *start = start.rem_euclid(stride)),
            Err(_) => return Reach::any(),
        }
        starts.sort_unstable();
        starts.dedup();
        Reach { starts, stride }
    }

    fn exactly(start: i64) -> Self {
        Reach { starts: SmallVec::from_slice(&[start]), stride: 0 }
    }

    fn any() -> Self {
        Reach { stride: 1, ..Reach::exactly(0) }
    }

    fn moved(&self, bytes: i64) -> Reach {
        Reach::new(self.starts.iter().map(|start| start.wrapping_add(bytes)).collect(), self.stride)
    }

    fn stepped(&self, step: u64) -> Reach {
        Reach::new(self.starts.clone(), gcd(self.stride, step))
    }

    fn join(&self, other: &Reach) -> Reach {
        Reach::new(self.starts.iter().chain(&other.starts).copied().collect(), gcd(self.stride, other.stride))
    }

    /// Returns whether accesses of these sizes may overlap.
    fn overlaps(&self, bytes: u32, other: &Reach, other_bytes: u32) -> bool {
        let (bytes, other_bytes) = (i128::from(bytes), i128::from(other_bytes));
        let stride = i128::from(gcd(self.stride, other.stride));
        let overlap = |a: i64, b: i64| {
            let distance = i128::from(b) - i128::from(a);
            if stride == 0 {
                return distance < bytes && -distance < other_bytes;
            }
            let distance = distance.rem_euclid(stride);
            distance < bytes || distance + other_bytes > stride
        };
        self.starts.iter().any(|a| other.starts.iter().any(|b| overlap(*a, *b)))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The reach of each pointer of a function.
/// A pointer read from memory has the reach of those stored there, unless pointers may have been changed as integers.
#[derive(Default)]
struct Reaches {
    by_pointer: FxHashMap<Value, Reach>,
    stored: Option<Reach>,
    changed: bool,
}

impl Reaches {
    fn find(f: &Function, changed: bool) -> FxHashMap<Value, Reach> {
        let mut reaches = Reaches { changed, ..Reaches::default() };
        while reaches.propagate(f) {}
        reaches.by_pointer
    }

    /// Propagates once over a function. Returns whether anything was new.
    fn propagate(&mut self, f: &Function) -> bool {
        let mut new = false;
        let is_pointer = |v: Value| matches!(f.ty(v), Type::Ptr(_));
        for block in f.layout.iter().map(|b| &f.blocks[*b]) {
            for data in block.insts.iter().map(|i| &f.insts[*i]) {
                let stored: &[Value] = match &data.kind {
                    InstKind::Store { value, .. } => std::slice::from_ref(value),
                    InstKind::Atomic { operands, .. } => operands,
                    _ => &[],
                };
                for value in stored.iter().filter(|v| is_pointer(**v)) {
                    let more = self.by_pointer.get(value).cloned();
                    new |= join(&mut self.stored, more);
                }
                if let Some(result) = data.results.first().filter(|r| is_pointer(**r)) {
                    let reach = self.made(f, &data.kind);
                    new |= self.add(*result, reach);
                }
            }
            for target in block.term.targets() {
                let pairs = f.blocks[target.block].params.iter().zip(&target.args);
                for (param, arg) in pairs.filter(|(param, _)| is_pointer(**param)) {
                    let reach = self.by_pointer.get(arg).cloned();
                    new |= self.add(*param, reach);
                }
            }
        }
        new
    }

    /// The reach of the pointer that an instruction gives, as far as it is known.
    fn made(&self, f: &Function, kind: &InstKind) -> Option<Reach> {
        let reach_of = |base: &Value| self.by_pointer.get(base);
        match kind {
            InstKind::RootAddr(_) => Some(Reach::exactly(0)),
            InstKind::PtrOffset { base, bytes } => reach_of(base).map(|r| r.moved(*bytes)),
            InstKind::PtrAdd { base, index, scale } => reach_of(base).map(|r| match f.const_signed(*index) {
                Some(n) => r.moved(n.wrapping_mul(*scale as i64)),
                None => r.stepped(*scale),
            }),
            InstKind::PtrCast(base) | InstKind::PtrToSpace(base) | InstKind::Bitcast(base) => {
                reach_of(base).cloned()
            }
            InstKind::Select(_, a, b) => match (reach_of(a), reach_of(b)) {
                (Some(a), Some(b)) => Some(a.join(b)),
                (a, b) => a.or(b).cloned(),
            },
            InstKind::Load { .. } | InstKind::Atomic { .. } if !self.changed => self.stored.clone(),
            _ => Some(Reach::any()),
        }
    }

    fn add(&mut self, value: Value, more: Option<Reach>) -> bool {
        let Some(more) = more else { return false };
        let mut known = self.by_pointer.remove(&value);
        let new = join(&mut known, Some(more));
        self.by_pointer.extend(known.map(|known| (value, known)));
        new
    }
}

/// Joins two reaches. Returns whether the result is new.
fn join(known: &mut Option<Reach>, more: Option<Reach>) -> bool {
    let Some(more) = more else { return false };
    let joined = known.as_ref().map_or_else(|| more.clone(), |known| known.join(&more));
    let new = known.as_ref() != Some(&joined);
    *known = Some(joined);
    new
}

/// The state of the search, for a function with pointers that may come from elsewhere.
struct Search {
    /// The instructions that make pointers of integers or read pointers from memory.
    made: Vec<Inst>,
    /// The arguments of each block parameter.
    incoming: FxHashMap<Value, SmallVec<[Value; 4]>>,
    reaches: FxHashMap<Value, Reach>,
    /// The offsets and sizes at which integers from elsewhere are written to variables.
    written: FxHashMap<Root, Vec<(Reach, u32)>>,
    /// Integers that are known not to be from elsewhere, until more such integers are written.
    explained: FxHashSet<Value>,
    address_bits: u32,
}

impl Search {
    fn new(f: &Function, address_bits: u32) -> Option<Self> {
        let insts = || f.layout.iter().flat_map(|b| &f.blocks[*b].insts).copied();
        let is_pointer = |v: Value| matches!(f.ty(v), Type::Ptr(_));
        let made: Vec<Inst> = insts()
            .filter(|inst| {
                let data = &f.insts[*inst];
                let from_bits = matches!(
                    data.kind,
                    InstKind::IntToPtr(_) | InstKind::Load { .. } | InstKind::Atomic { .. }
                );
                from_bits && data.results.first().is_some_and(|r| is_pointer(*r))
            })
            .collect();
        if made.is_empty() {
            return None;
        }
        let mut incoming: FxHashMap<Value, SmallVec<[Value; 4]>> = FxHashMap::default();
        for target in f.layout.iter().flat_map(|b| f.blocks[*b].term.targets()) {
            for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                incoming.entry(*param).or_default().push(*arg);
            }
        }
        Some(Search {
            made,
            incoming,
            reaches: FxHashMap::default(),
            written: FxHashMap::default(),
            explained: FxHashSet::default(),
            address_bits,
        })
    }

    fn reach(&self, pointer: Value) -> Reach {
        self.reaches.get(&pointer).cloned().unwrap_or_else(Reach::any)
    }

    fn bytes(&self, ty: Type) -> u32 {
        memory_type(ty, self.address_bits).bytes()
    }
}

impl Solver<'_> {
    /// Finds the pointers that come from elsewhere, and adds what they may be.
    pub(super) fn find_elsewhere(&mut self, address_bits: u32) {
        let Some(mut search) = Search::new(self.f, address_bits) else { return };
        loop {
            let escaped = self.made_integers();
            search.reaches = Reaches::find(self.f, false);
            if self.changes_pointers(&search) {
                search.reaches = Reaches::find(self.f, true);
            }
            let mut changed = self.find_written(&mut search);
            for inst in search.made.clone() {
                changed |=
                    self.comes_from_elsewhere(inst, &mut search) && self.join_elsewhere(inst, &escaped);
            }
            if !changed {
                return;
            }
            self.run();
        }
    }

    /// The roots whose pointers were made integers, whatever became of these.
    fn made_integers(&self) -> PointerInfo {
        let mut all = PointerInfo::default();
        for (_, info) in self.info.iter().filter(|(value, _)| !matches!(self.f.ty(**value), Type::Ptr(_))) {
            all.join(info);
        }
        all
    }

    /// Returns whether pointers to variables become integers, by conversion or by a load of a stored pointer.
    fn changes_pointers(&self, search: &Search) -> bool {
        let f = self.f;
        let insts = || f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i]);
        let is_pointer = |v: Value| matches!(f.ty(v), Type::Ptr(_));
        let roots = |v: Value| self.info.get(&v).map_or(&[][..], |info| &info.roots[..]);
        let to_variables = |v: Value| roots(v).iter().any(|r| memory_of(*r) != Memory::Buffers);
        let leaves = |v: Value| is_pointer(v) && to_variables(v);
        let memories = |place: &Place| self.memories(place.value());
        let mut written: FxHashMap<Memory, Vec<Reach>> = FxHashMap::default();
        for kind in insts().map(|data| &data.kind) {
            let place = match kind {
                InstKind::Store { place, value, .. } if leaves(*value) => place,
                InstKind::Atomic { place, operands, .. } if operands.iter().any(|v| leaves(*v)) => place,
                _ => continue,
            };
            for memory in memories(place) {
                written.entry(memory).or_default().push(search.reach(place.value()));
            }
        }
        let bytes = search.address_bits / 8;
        insts().any(|data| match (&data.kind, data.results.first()) {
            (InstKind::PtrToInt(pointer), _) => to_variables(*pointer),
            (InstKind::Load { place, .. } | InstKind::Atomic { place, .. }, Some(&result)) => {
                let (reach, read) = (search.reach(place.value()), search.bytes(f.ty(result)));
                let overlaps = |memory: &Memory| {
                    let in_buffers = *memory == Memory::Buffers;
                    let mut there = written.get(memory).into_iter().flatten();
                    there.any(|r| in_buffers || reach.overlaps(read, r, bytes))
                };
                !is_pointer(result) && to_variables(result) && memories(place).iter().any(overlaps)
            }
            _ => false,
        })
    }

    /// Finds where integers from elsewhere are written to variables. Returns whether there are more than before.
    fn find_written(&self, search: &mut Search) -> bool {
        let f = self.f;
        search.explained.clear();
        let mut written: FxHashMap<Root, Vec<(Reach, u32)>> = FxHashMap::default();
        for kind in f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i].kind) {
            let (pointer, values): (Value, SmallVec<[Value; 2]>) = match kind {
                InstKind::Store { place: Place::Pointer(p), value, .. } => {
                    (*p, SmallVec::from_slice(&[*value]))
                }
                InstKind::Atomic { place: Place::Pointer(p), operands, .. } => {
                    (*p, operands.iter().copied().collect())
                }
                _ => continue,
            };
            let Some(info) = self.info.get(&pointer) else { continue };
            let variables = || info.roots.iter().filter(|r| memory_of(**r) != Memory::Buffers);
            let integers = values.iter().filter(|v| !matches!(f.ty(**v), Type::Ptr(_)));
            for value in integers.filter(|_| variables().next().is_some()) {
                if !self.is_elsewhere(*value, search) {
                    continue;
                }
                let access = (search.reach(pointer), search.bytes(f.ty(*value)));
                for root in variables() {
                    let known = written.entry(*root).or_default();
                    if !known.contains(&access) {
                        known.push(access.clone());
                    }
                }
            }
        }
        let count = |w: &FxHashMap<Root, Vec<_>>| w.values().map(Vec::len).sum::<usize>();
        let more = count(&written) > count(&search.written);
        search.written = written;
        search.explained.clear();
        more
    }

    /// Returns whether the pointer that an instruction gives may be from elsewhere.
    fn comes_from_elsewhere(&self, inst: Inst, search: &mut Search) -> bool {
        let data = &self.f.insts[inst];
        let Some(&result) = data.results.first() else { return false };
        let Type::Ptr(space) = self.f.ty(result) else { return false };
        match &data.kind {
            InstKind::IntToPtr(integer) if is_zero(self.f, *integer) => false,
            InstKind::IntToPtr(integer) => {
                // A pointer to another space explains nothing.
                let of_another = self.info_of(*integer).within(space).is_empty();
                of_another || self.is_elsewhere(*integer, search)
            }
            kind => kind.place().is_some_and(|place| self.reads_elsewhere(place.value(), result, search)),
        }
    }

    /// Returns whether an integer may be nonzero and have no pointer in it.
    fn is_elsewhere(&self, value: Value, search: &mut Search) -> bool {
        let f = self.f;
        let explained = |v: &Value| self.info.get(v).is_some_and(|info| !info.is_empty());
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if let ValueDef::Const(constant) = f.values[value].def {
                if !matches!(constant, Constant::Bits(0) | Constant::Undef) {
                    return true;
                }
                continue;
            }
            if is_zero(f, value) {
                continue;
            }
            if !explained(&value) {
                return true;
            }
            if search.explained.contains(&value) || !seen.insert(value) {
                continue;
            }
            let ValueDef::Inst(inst, _) = f.values[value].def else {
                open.extend(search.incoming.get(&value).into_iter().flatten());
                continue;
            };
            match &f.insts[inst].kind {
                // The distance of two objects counts buffers by address.
                InstKind::PtrDiff(..) if self.info_of(value).roots.iter().any(|r| is_buffer(*r)) => {
                    return true;
                }
                InstKind::PtrToInt(_) | InstKind::PtrDiff(..) => {}
                InstKind::Select(_, a, b) => open.extend([*a, *b]),
                kind => match kind.place() {
                    Some(place) if self.reads_elsewhere(place.value(), value, search) => return true,
                    Some(_) => {}
                    None => open.extend(kind.values().filter(explained)),
                },
            }
        }
        search.explained.extend(seen);
        false
    }

    /// Returns whether a value is read from a variable at an offset where integers from elsewhere are written.
    fn reads_elsewhere(&self, pointer: Value, value: Value, search: &Search) -> bool {
        let reach = search.reach(pointer);
        let bytes = search.bytes(self.f.ty(value));
        let roots = self.info.get(&pointer).map_or(&[][..], |info| &info.roots[..]);
        let written = roots.iter().filter_map(|root| search.written.get(root)).flatten();
        written.into_iter().any(|(other, other_bytes)| reach.overlaps(bytes, other, *other_bytes))
    }

    /// Adds what a pointer from elsewhere may be. Returns whether that was new.
    fn join_elsewhere(&mut self, inst: Inst, escaped: &PointerInfo) -> bool {
        let data = &self.f.insts[inst];
        let Some(&result) = data.results.first() else { return false };
        let Type::Ptr(space) = self.f.ty(result) else { return false };
        let mut info = PointerInfo {
            address: is_buffer_space(space),
            null: true,
            number: !is_buffers_alone(space),
            ..PointerInfo::default()
        };
        let constant = matches!(data.kind, InstKind::IntToPtr(n) if self.f.const_bits(n).is_some());
        if info.number && !constant {
            let variable = |root: &&Root| memory_of(**root) == Memory::Root(**root);
            info.roots = escaped.within(space).roots.iter().filter(variable).copied().collect();
        }
        self.join(result, &info)
    }
}

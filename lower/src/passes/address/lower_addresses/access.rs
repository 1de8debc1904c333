//! Access legalisation: loads, stores and atomics become accesses of elements that their memory has.
//!
//! A **natural** memory (a buffer, a block of `__local` memory) has elements of any type that the target can store.
//! An access of it must be aligned to the element.
//! A memory with a **view** has elements of one type.
//! Other accesses are split into **units**: smaller elements that shifts combine or extract.
//!
//! ```text
//! load i64 [p], align=4, no 64-bit elements        becomes        bitcast (word[p >> 2], word[(p >> 2) + 1])
//! store i8 [p] to words of __local memory          becomes        atomic and, atomic or of word[p >> 2]
//! ```

use super::{
    address::{Base, Linear, Pointers, element_index, write_out},
    context::{Context, is_pointer},
    dispatch::{AccessTargets, access_targets},
    roots::is_buffer,
    views::{View, has_storage, has_view, memory_type},
};
use crate::error::LowerError;
use crate::ir::{
    AtomicOp, BinaryOp, Constant, Inst, InstKind, MemFlags, Place, Root, Scalar, Scope, Semantics, Type,
    Value,
};
use crate::kernel_info::BlockLocation;
use crate::passes::legalize::lower_float_atomics::{combined, until_unchanged};
use crate::transform::rewriter::{Rewriter, Site};
use smallvec::SmallVec;

/// Rewrites one access. Gives the value that replaces its result.
pub(super) fn rewrite(
    rw: &mut Rewriter<'_>,
    inst: Inst,
    cx: &Context<'_>,
    pointers: &mut Pointers,
    site: &mut Site,
) -> Result<Option<Value>, LowerError> {
    let mut kind = rw.f.insts[inst].kind.clone();
    let result = rw.f.insts[inst].results.first().copied();
    let Some(Place::Pointer(pointer)) = kind.place() else {
        rw.keep(inst);
        return Ok(None);
    };
    let ty = result.map(|r| memory_type(rw.f.ty(r), cx.address_bits));
    // Pointers among the operands are integers in memory.
    match &mut kind {
        InstKind::Store { value, .. } => *value = pointers.stored(rw, *value, cx)?,
        InstKind::Atomic { operands, .. } => {
            for operand in operands.iter_mut() {
                *operand = pointers.stored(rw, *operand, cx)?;
            }
        }
        _ => {}
    }
    let value = match access_targets(rw, pointer, pointers, cx) {
        AccessTargets::Nowhere => ty.map(|ty| rw.f.constant(ty, Constant::Undef)),
        AccessTargets::One(at) => {
            let at = pointers.accessed(rw.f, at, cx);
            access(rw, &kind, at, ty, cx, site)?
        }
        AccessTargets::Several(several) => site.dispatch(rw, several, ty, |rw, site, at| {
            let at = pointers.accessed(rw.f, at, cx);
            access(rw, &kind, at, ty, cx, site)
        })?,
    };
    match (result, value) {
        (Some(result), Some(value)) if is_pointer(rw.f, result) => {
            pointers.define_loaded(rw, result, value, cx);
            Ok(None)
        }
        (_, value) => Ok(value),
    }
}

/// Emits one access to one memory. Gives its result.
fn access(
    rw: &mut Rewriter<'_>,
    kind: &InstKind,
    at: Linear,
    result: Option<Type>,
    cx: &Context<'_>,
    site: &mut Site,
) -> Result<Option<Value>, LowerError> {
    match kind {
        InstKind::Load { flags, .. } => {
            let Some(ty) = result else { return Ok(None) };
            let memory = Memory::new(rw, at, *flags, cx)?;
            memory.load(rw, ty, 0, flags.align).map(Some)
        }
        InstKind::Store { value, flags, .. } => {
            let memory = Memory::new(rw, at, *flags, cx)?;
            memory.store(rw, *value, 0, flags.align)?;
            Ok(None)
        }
        InstKind::Atomic { op, operands, scope, semantics, .. } => {
            let flags = MemFlags { align: 4, volatile: false };
            let memory = Memory::new(rw, at, flags, cx)?;
            let bytes = result.or(operands.first().map(|v| rw.f.ty(*v))).map_or(0, Type::bytes);
            if memory.has_part(bytes) {
                return Ok(memory.part_atomic(rw, site, (*op, operands), *scope, *semantics, result));
            }
            memory.atomic(rw, *op, operands, *scope, *semantics, result)
        }
        _ => Err(cx.bug(format!("no rule for an access of another kind: {kind:?}"))),
    }
}

/// An address in some memory.
pub(super) struct Memory<'a> {
    cx: &'a Context<'a>,
    at: Linear,
    pub kind: Kind,
    volatile: bool,
}

/// The kinds of memory by the elements that they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A descriptor: elements of any type, each view aligned to its element.
    Descriptor(Root),
    /// A device address: elements of any type, vectors aligned to their scalar.
    Address,
    /// The kernel's block of `__local` memory: elements of any type, each view aligned to its element.
    Block(Root),
    /// A variable (or the argument block) with one element type.
    View(Root, View),
}

/// A smaller access that a larger one is split into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// An element of exactly this type.
    Whole(Scalar, u8),
    /// Part of a word of 32 bits, or of a variable's 64-bit element.
    PartOfWord,
}

impl<'a> Memory<'a> {
    fn new(
        rw: &mut Rewriter<'_>,
        mut at: Linear,
        flags: MemFlags,
        cx: &'a Context<'a>,
    ) -> Result<Self, LowerError> {
        let kind = match at.base {
            Base::Address(_) => Kind::Address,
            Base::Root(Root::Block) if cx.block.block.location == BlockLocation::BufferAddress => {
                let address = super::block::push_constant_address(rw, 0);
                at.base = Base::Address(address);
                Kind::Address
            }
            Base::Root(Root::Block) => Kind::View(Root::Block, View::WORDS),
            Base::Root(root @ Root::LocalArena) if cx.arena.as_ref().is_some_and(|a| a.views) => {
                Kind::Block(root)
            }
            Base::Root(root @ (Root::Slot(_) | Root::LocalArg(_) | Root::LocalArena | Root::Global(_))) => {
                Kind::View(root, cx.views.get(&root).copied().unwrap_or(View::WORDS))
            }
            Base::Root(root) if cx.target.features.wgsl => {
                Kind::View(root, cx.views.get(&root).copied().unwrap_or(View::WORDS))
            }
            Base::Root(root) => Kind::Descriptor(root),
            // `access_targets` has resolved these.
            Base::Null | Base::Pair(_) => return Err(cx.bug(format!("an access by {:?}", at.base))),
        };
        Ok(Memory { cx, at, kind, volatile: flags.volatile })
    }

    pub fn flags(&self, align: u32) -> MemFlags {
        MemFlags { align, volatile: self.volatile }
    }

    /// The element `offset` bytes on.
    fn place(&self, rw: &mut Rewriter<'_>, scalar: Scalar, lanes: u8, offset: u32) -> Place {
        let at = self.at.plus(offset.into());
        let root = match self.kind {
            Kind::Address => return Place::Address(write_out(rw, &at, Type::I64)),
            Kind::Descriptor(root) | Kind::Block(root) | Kind::View(root, _) => root,
        };
        let index = element_index(rw, &at, scalar.bytes() * u32::from(lanes));
        Place::Element { root, scalar, lanes, index }
    }

    /// The unit of a scalar access aligned to `align`, or of a vector access for `lanes` > 1.
    fn unit(&self, scalar: Scalar, lanes: u8, align: u32) -> Result<Unit, LowerError> {
        let size = scalar.bytes();
        match self.kind {
            Kind::View(_, view) => {
                if view.scalar.bytes() == size && view.lanes == lanes {
                    return Ok(Unit::Whole(view.scalar, lanes));
                }
                if view.lanes != 1 || lanes != 1 {
                    return Ok(Unit::Whole(view.scalar, 1));
                }
                if view.scalar.bytes() > size {
                    Ok(Unit::PartOfWord)
                } else {
                    Ok(Unit::Whole(view.scalar, 1))
                }
            }
            Kind::Descriptor(_) | Kind::Block(_) | Kind::Address => {
                let natural = if self.kind == Kind::Address { size } else { size * u32::from(lanes) };
                if self.has_elements(scalar) && align >= natural {
                    let mixed = matches!(self.kind, Kind::Descriptor(root) | Kind::Block(root)
                        if self.cx.is_mixed(root, size));
                    let int = Scalar::int(size).filter(|s| mixed && self.has_elements(*s)).unwrap_or(scalar);
                    return Ok(Unit::Whole(int, lanes));
                }
                let smaller = Scalar::int(size.min(align.max(1)));
                match smaller {
                    Some(s) if s.bytes() >= 4 => Ok(Unit::Whole(Scalar::I32, 1)),
                    Some(s) if self.has_elements(s) => Ok(Unit::Whole(s, 1)),
                    Some(s) if s.bytes() == size && size < 4 => Ok(Unit::PartOfWord),
                    _ if matches!(self.kind, Kind::Block(_)) => Err(self.cx.unsupported(
                        "unaligned accesses to local memory need workgroupMemoryExplicitLayout8BitAccess",
                    )),
                    _ => Err(self
                        .cx
                        .unsupported("unaligned accesses need shaderInt8 and storageBuffer8BitAccess")),
                }
            }
        }
    }

    /// Returns whether a natural memory has elements of a scalar.
    pub fn has_elements(&self, scalar: Scalar) -> bool {
        match self.kind {
            Kind::Block(_) => has_view(self.cx.target, scalar),
            _ => has_storage(self.cx.target, scalar),
        }
    }

    /// Loads a value of any scalar or vector type.
    fn load(&self, rw: &mut Rewriter<'_>, ty: Type, offset: u32, align: u32) -> Result<Value, LowerError> {
        let Some(scalar) = ty.scalar().filter(|s| *s != Scalar::Bool) else {
            return Err(self.cx.not_yet("a truth value in memory"));
        };
        if self.straddles(scalar, align) {
            return Ok(self.load_across(rw, ty, offset));
        }
        let (size, lanes) = (scalar.bytes(), ty.lanes());
        let mut parts: SmallVec<[Value; 8]> = SmallVec::new();
        let mut lane = 0;
        while lane < lanes {
            let at = offset + size * u32::from(lane);
            let aligned = align_at(align, at - offset);
            let (count, read) = self.chunk(scalar, lanes - lane, aligned, lanes == 3);
            let part = self.load_chunk(rw, scalar, read, at, aligned)?;
            parts.push(rw.lanes(part, 0, count));
            lane += count;
        }
        Ok(rw.construct(&parts, ty))
    }

    /// The number of lanes that one access takes, and the number that it reads.
    /// The load of a 3-lane vector may read the padding too.
    /// No access takes more than 16 bytes, because GPUs have no larger ones.
    /// On NVIDIA's driver (580) launches that load four 64-bit lanes from an address may never end.
    fn chunk(&self, scalar: Scalar, left: u8, align: u32, padded: bool) -> (u8, u8) {
        for lanes in [4u8, 2] {
            let enough = left >= lanes || (lanes == 4 && left == 3 && padded);
            let size = scalar.bytes() * u32::from(lanes);
            if !enough || size > 16 {
                continue;
            }
            // A fourth lane may be read only if the padding belongs to the vector.
            if left < lanes && align < size {
                continue;
            }
            let fits = match self.kind {
                Kind::View(_, view) => view.lanes == lanes && view.scalar.bytes() == scalar.bytes(),
                Kind::Descriptor(_) | Kind::Block(_) => self.has_elements(scalar) && align >= size,
                Kind::Address => self.has_elements(scalar) && align >= scalar.bytes(),
            };
            if fits {
                return (left.min(lanes), lanes);
            }
        }
        (1, 1)
    }

    fn load_chunk(
        &self,
        rw: &mut Rewriter<'_>,
        scalar: Scalar,
        lanes: u8,
        offset: u32,
        align: u32,
    ) -> Result<Value, LowerError> {
        let ty = Type::new(scalar, lanes);
        match self.unit(scalar, lanes, align)? {
            Unit::Whole(unit, unit_lanes) if unit.bytes() == scalar.bytes() && unit_lanes == lanes => {
                let place = self.place(rw, unit, lanes, offset);
                let element = rw.load(place, Type::new(unit, lanes), self.flags(align));
                Ok(rw.bitcast(element, ty))
            }
            Unit::Whole(unit, _) if unit.bytes() < scalar.bytes() => {
                self.load_from_units(rw, scalar, unit, offset, align)
            }
            Unit::Whole(..) => self.load_lane_of_vector(rw, scalar, offset),
            Unit::PartOfWord => {
                let (word, shift) = self.word_and_shift(rw, offset);
                let wide = self.word();
                let word = rw.load(word, Type::Scalar(wide), self.flags(wide.bytes()));
                let shifted = rw.binary(BinaryOp::LShr, word, shift);
                let int = Scalar::int(scalar.bytes()).unwrap_or(Scalar::I32);
                let narrow = rw.int_cast(shifted, Type::Scalar(int), false);
                Ok(rw.bitcast(narrow, ty))
            }
        }
    }

    /// Refuses a scalar of a variable with vector elements. Views never choose vectors for such accesses.
    fn load_lane_of_vector(
        &self,
        _rw: &mut Rewriter<'_>,
        scalar: Scalar,
        offset: u32,
    ) -> Result<Value, LowerError> {
        Err(self.cx.not_yet(format!("a {scalar} access at byte {offset} of memory with wider elements")))
    }

    /// Loads a scalar as smaller integers, the least significant first.
    fn load_from_units(
        &self,
        rw: &mut Rewriter<'_>,
        scalar: Scalar,
        unit: Scalar,
        offset: u32,
        align: u32,
    ) -> Result<Value, LowerError> {
        let int = Type::Scalar(Scalar::int(scalar.bytes()).unwrap_or(Scalar::I64));
        let count = scalar.bytes() / unit.bytes();
        let mut parts: SmallVec<[Value; 8]> = SmallVec::new();
        for n in 0..count {
            let place = self.place(rw, unit, 1, offset + n * unit.bytes());
            let element = rw.load(place, Type::Scalar(unit), self.flags(align.min(unit.bytes())));
            parts.push(rw.bitcast(element, Type::Scalar(Scalar::int(unit.bytes()).unwrap_or(unit))));
        }
        if unit.bytes() == 4 && count == 2 {
            let pair = rw.construct(&parts, Type::Vector(Scalar::I32, 2));
            return Ok(rw.bitcast(pair, Type::Scalar(scalar)));
        }
        let mut whole = rw.iconst(int, 0);
        for (n, part) in parts.into_iter().enumerate() {
            let wide = rw.int_cast(part, int, false);
            let shifted = rw.binary_const(BinaryOp::Shl, wide, n as u64 * u64::from(unit.bits()));
            whole = if n == 0 { shifted } else { rw.binary(BinaryOp::Or, whole, shifted) };
        }
        Ok(rw.bitcast(whole, Type::Scalar(scalar)))
    }

    /// The word type of [`Unit::PartOfWord`].
    fn word(&self) -> Scalar {
        match self.kind {
            Kind::View(_, View { scalar: Scalar::I64, lanes: 1 }) => Scalar::I64,
            _ => Scalar::I32,
        }
    }

    /// The word that holds the bytes at `offset`, and their bit position in it as a value of the word's type.
    pub fn word_and_shift(&self, rw: &mut Rewriter<'_>, offset: u32) -> (Place, Value) {
        let at = self.at.plus(offset.into());
        let (place, low) = match self.kind {
            Kind::Address => {
                let address = write_out(rw, &at, Type::I64);
                let word = rw.binary_const(BinaryOp::And, address, !3);
                let low = rw.int_cast(address, Type::I32, false);
                (Place::Address(word), low)
            }
            Kind::Descriptor(root) | Kind::Block(root) | Kind::View(root, _) => {
                let byte = write_out(rw, &at, Type::I32);
                let scalar = self.word();
                let index = rw.binary_const(BinaryOp::LShr, byte, scalar.bytes().trailing_zeros().into());
                (Place::Element { root, scalar, lanes: 1, index }, byte)
            }
        };
        let low = rw.binary_const(BinaryOp::And, low, u64::from(self.word().bytes()) - 1);
        let shift = rw.binary_const(BinaryOp::Shl, low, 3);
        (place, rw.int_cast(shift, Type::Scalar(self.word()), false))
    }

    /// Stores a value of any scalar or vector type.
    fn store(&self, rw: &mut Rewriter<'_>, value: Value, offset: u32, align: u32) -> Result<(), LowerError> {
        let ty = rw.f.ty(value);
        let Some(scalar) = ty.scalar().filter(|s| *s != Scalar::Bool) else {
            return Err(self.cx.not_yet("a truth value in memory"));
        };
        if self.straddles(scalar, align) {
            self.store_across(rw, value, offset);
            return Ok(());
        }
        if let Some(words) = self.as_words(rw, value, align) {
            return self.store(rw, words, offset, align);
        }
        let (size, lanes) = (scalar.bytes(), ty.lanes());
        let mut lane = 0;
        while lane < lanes {
            let at = offset + size * u32::from(lane);
            let aligned = align_at(align, at - offset);
            let (count, _) = self.chunk(scalar, lanes - lane, aligned, false);
            let part = rw.lanes(value, lane, count);
            self.store_chunk(rw, part, at, aligned)?;
            lane += count;
        }
        Ok(())
    }

    /// The words that small lanes fill, if the lanes cannot be stored by themselves.
    fn as_words(&self, rw: &mut Rewriter<'_>, value: Value, align: u32) -> Option<Value> {
        let ty = rw.f.ty(value);
        let scalar = ty.scalar()?;
        let per_word = (4 / scalar.bytes().max(1)) as u8;
        let in_parts = matches!(self.unit(scalar, 1, align.min(scalar.bytes())), Ok(Unit::PartOfWord));
        if scalar.bytes() >= 4 || align < 4 || !ty.lanes().is_multiple_of(per_word) || !in_parts {
            return None;
        }
        let words: SmallVec<[Value; 4]> = (0..ty.lanes() / per_word)
            .map(|n| {
                let lanes = rw.lanes(value, n * per_word, per_word);
                rw.bitcast(lanes, Type::I32)
            })
            .collect();
        Some(rw.construct(&words, Type::new(Scalar::I32, words.len() as u8)))
    }

    fn store_chunk(
        &self,
        rw: &mut Rewriter<'_>,
        value: Value,
        offset: u32,
        align: u32,
    ) -> Result<(), LowerError> {
        let ty = rw.f.ty(value);
        let (Some(scalar), lanes) = (ty.scalar(), ty.lanes()) else { return Ok(()) };
        match self.unit(scalar, lanes, align)? {
            Unit::Whole(unit, unit_lanes) if unit.bytes() == scalar.bytes() && unit_lanes == lanes => {
                let place = self.place(rw, unit, lanes, offset);
                let element = rw.bitcast(value, Type::new(unit, lanes));
                rw.store(place, element, self.flags(align));
            }
            Unit::Whole(unit, _) if unit.bytes() < scalar.bytes() => {
                self.store_as_units(rw, value, unit, offset, align);
            }
            Unit::Whole(..) => {
                return Err(self
                    .cx
                    .not_yet(format!("a {scalar} access at byte {offset} of memory with wider elements")));
            }
            Unit::PartOfWord => self.store_part_of_word(rw, value, offset),
        }
        Ok(())
    }

    fn store_as_units(&self, rw: &mut Rewriter<'_>, value: Value, unit: Scalar, offset: u32, align: u32) {
        let scalar = rw.f.ty(value).scalar().unwrap_or(Scalar::I64);
        let int = Type::Scalar(Scalar::int(scalar.bytes()).unwrap_or(Scalar::I64));
        let unit_int = Type::Scalar(Scalar::int(unit.bytes()).unwrap_or(unit));
        let count = scalar.bytes() / unit.bytes();
        let parts: SmallVec<[Value; 8]> = if unit.bytes() == 4 && count == 2 {
            let pair = rw.bitcast(value, Type::Vector(Scalar::I32, 2));
            (0..2).map(|n| rw.extract(pair, n)).collect()
        } else {
            let whole = rw.bitcast(value, int);
            (0..count)
                .map(|n| {
                    let shifted = match n {
                        0 => whole,
                        _ => rw.binary_const(BinaryOp::LShr, whole, u64::from(n * unit.bits())),
                    };
                    rw.int_cast(shifted, unit_int, false)
                })
                .collect()
        };
        for (n, part) in parts.into_iter().enumerate() {
            let place = self.place(rw, unit, 1, offset + n as u32 * unit.bytes());
            let element = rw.bitcast(part, Type::Scalar(unit));
            rw.store(place, element, self.flags(align.min(unit.bytes())));
        }
    }

    /// Stores part of a word. Other work-items may write the word's other bytes, so atomics clear and set the bits.
    /// Private memory needs no atomics.
    pub fn store_part_of_word(&self, rw: &mut Rewriter<'_>, value: Value, offset: u32) {
        let bits = rw.f.ty(value).scalar().map_or(8, Scalar::bits);
        let int = Type::Scalar(Scalar::int(bits / 8).unwrap_or(Scalar::I8));
        let value = rw.bitcast(value, int);
        let word = Type::Scalar(self.word());
        let value = rw.int_cast(value, word, false);
        let (place, shift) = self.word_and_shift(rw, offset);
        let field = rw.iconst(word, (1 << bits) - 1);
        let mask = rw.binary(BinaryOp::Shl, field, shift);
        let all = rw.iconst(word, u64::MAX);
        let keep = rw.binary(BinaryOp::Xor, mask, all);
        let set = rw.binary(BinaryOp::Shl, value, shift);
        let scope = match self.kind {
            Kind::View(Root::Slot(_) | Root::Block, _) => {
                let old = rw.load(place, Type::I32, self.flags(4));
                let cleared = rw.binary(BinaryOp::And, old, keep);
                let new = rw.binary(BinaryOp::Or, cleared, set);
                rw.store(place, new, self.flags(4));
                return;
            }
            Kind::View(root, _) if is_buffer(root) => Scope::Device,
            Kind::View(..) | Kind::Block(_) => Scope::Workgroup,
            _ => Scope::Device,
        };
        for (op, operand) in [(AtomicOp::And, keep), (AtomicOp::Or, set)] {
            let operands = [operand][..].into();
            rw.inst(InstKind::Atomic { op, place, operands, scope, semantics: Semantics::empty() }, word);
        }
    }

    /// Emits an atomic on an integer element of its size. A float addition takes a float element.
    fn atomic(
        &self,
        rw: &mut Rewriter<'_>,
        op: AtomicOp,
        operands: &[Value],
        scope: Scope,
        semantics: Semantics,
        result: Option<Type>,
    ) -> Result<Option<Value>, LowerError> {
        let ty = result.or(operands.first().map(|v| rw.f.ty(*v))).unwrap_or(Type::I32);
        if let Kind::View(Root::Slot(_), _) = self.kind {
            return self.private_atomic(rw, op, operands, ty).map(|old| result.and(old));
        }
        let Some(scalar) = ty.scalar().filter(|s| ty.lanes() == 1 && matches!(s.bytes(), 4 | 8)) else {
            return Err(self.cx.not_yet(format!("an atomic operation on {ty}")));
        };
        let int = Scalar::int(scalar.bytes()).unwrap_or(Scalar::I32);
        let element = match self.kind {
            Kind::View(_, view) if view.scalar.bytes() != scalar.bytes() || view.lanes != 1 => {
                return Err(self.cx.unsupported(
                    "64-bit atomics on local memory that is also accessed in other sizes need workgroupMemoryExplicitLayout",
                ));
            }
            Kind::View(_, view) => view.scalar,
            _ if op == AtomicOp::FAdd => scalar,
            _ => int,
        };
        let wrong_float = op == AtomicOp::FAdd && !element.is_float();
        let wrong_int = op != AtomicOp::FAdd && element.is_float();
        if wrong_float || wrong_int {
            return Err(self.cx.unsupported(
                "integer and float atomics on one local variable need workgroupMemoryExplicitLayout",
            ));
        }
        let place = self.place(rw, element, 1, 0);
        let operands = operands.iter().map(|v| rw.bitcast(*v, Type::Scalar(element))).collect();
        let kind = InstKind::Atomic { op, place, operands, scope, semantics };
        if result.is_none() {
            rw.void(kind);
            return Ok(None);
        }
        let old = rw.inst(kind, Type::Scalar(element));
        Ok(Some(rw.bitcast(old, ty)))
    }
}

impl Memory<'_> {
    /// Returns whether an atomic of this size is on a part of an element.
    fn has_part(&self, bytes: u32) -> bool {
        match self.kind {
            Kind::View(Root::Slot(_), _) => false,
            Kind::View(_, view) => {
                view.lanes == 1
                    && view.scalar.is_int()
                    && matches!((view.scalar.bytes(), bytes), (8, 4) | (4 | 8, 2))
            }
            _ => bytes == 2,
        }
    }

    /// Emits an atomic on part of an element: 32 bits of an element of 64 with atomics of its own, or 16 bits of a word.
    /// Concurrent writes to the other bits must not be lost.
    /// Bitwise operations are one atomic on the element. Others are a compare-exchange loop.
    fn part_atomic(
        &self,
        rw: &mut Rewriter<'_>,
        site: &mut Site,
        (op, operands): (AtomicOp, &[Value]),
        scope: Scope,
        semantics: Semantics,
        result: Option<Type>,
    ) -> Option<Value> {
        let (place, shift) = self.word_and_shift(rw, 0);
        let subject = result.or(operands.first().map(|v| rw.f.ty(*v))).unwrap_or(Type::I32);
        let (whole, part) =
            (Type::Scalar(self.word()), Type::Scalar(Scalar::int(subject.bytes()).unwrap_or(Scalar::I32)));
        let word = |rw: &mut Rewriter<'_>, op, operands: &[Value]| {
            let operands = operands.into();
            rw.inst(InstKind::Atomic { op, place, operands, scope, semantics }, whole)
        };
        let part_of = |rw: &mut Rewriter<'_>, value| {
            let shifted = rw.binary(BinaryOp::LShr, value, shift);
            rw.int_cast(shifted, part, false)
        };
        let spread = |rw: &mut Rewriter<'_>, value| {
            let bits = rw.bitcast(value, part);
            let wide = rw.int_cast(bits, whole, false);
            rw.binary(BinaryOp::Shl, wide, shift)
        };
        let as_result = |rw: &mut Rewriter<'_>, part_of| result.map(|ty| rw.bitcast(part_of, ty));
        let low = rw.iconst(whole, (1 << (part.bytes() * 8)) - 1);
        let all = rw.iconst(whole, u64::MAX);
        let mask = rw.binary(BinaryOp::Shl, low, shift);
        let other_bits = rw.binary(BinaryOp::Xor, mask, all);
        let at_once = match (op, operands.first()) {
            (AtomicOp::Or | AtomicOp::Xor, Some(operand)) => Some(spread(rw, *operand)),
            (AtomicOp::And, Some(operand)) => {
                let bits = spread(rw, *operand);
                Some(rw.binary(BinaryOp::Or, bits, other_bits))
            }
            _ => None,
        };
        if let Some(operand) = at_once {
            let old = word(rw, op, &[operand]);
            let old = part_of(rw, old);
            return as_result(rw, old);
        }
        let first = word(rw, AtomicOp::Load, &[]);
        let Some(operand) = operands.first().copied() else {
            let old = part_of(rw, first);
            return as_result(rw, old);
        };
        let ty = rw.f.ty(operand);
        let comparator = operands.get(1).copied().unwrap_or(operand);
        let found = until_unchanged(rw, site, first, self.cx.target, |rw, seen| {
            let old = part_of(rw, seen);
            let value = rw.bitcast(old, ty);
            let new = combined(rw, op, value, operand, comparator);
            let new = spread(rw, new);
            let rest = rw.binary(BinaryOp::And, seen, other_bits);
            let new = rw.binary(BinaryOp::Or, new, rest);
            word(rw, AtomicOp::CompareExchange, &[new, seen])
        });
        result?;
        let found = part_of(rw, found);
        as_result(rw, found)
    }

    /// Emits an atomic on private memory (through a generic pointer) as a plain load and store.
    fn private_atomic(
        &self,
        rw: &mut Rewriter<'_>,
        op: AtomicOp,
        operands: &[Value],
        ty: Type,
    ) -> Result<Option<Value>, LowerError> {
        let align = ty.bytes();
        if op == AtomicOp::Store {
            let Some(value) = operands.first() else { return Ok(None) };
            self.store(rw, *value, 0, align)?;
            return Ok(None);
        }
        let old = self.load(rw, ty, 0, align)?;
        let Some(operand) = operands.first().copied() else { return Ok(Some(old)) };
        let comparator = operands.get(1).copied().unwrap_or(operand);
        let new = combined(rw, op, old, operand, comparator);
        self.store(rw, new, 0, align)?;
        Ok(Some(old))
    }
}

/// The alignment `bytes` after an address aligned to `align`.
fn align_at(align: u32, bytes: u32) -> u32 {
    if bytes == 0 { align.max(1) } else { align.max(1).min(1 << bytes.trailing_zeros()) }
}

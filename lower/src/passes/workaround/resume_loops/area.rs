//! The save area: where its words are, values as words, and what need not be saved.

use super::{Private, scalar};
use crate::ir::{
    BinaryOp, Block, BuiltinInput, ConvertOp, Function, InstKind, IntCC, KernelPlan, MemFlags, Place, Root,
    Scalar, Type, Value, ValueDef,
};
use crate::kernel_info::{BindingModel, BlockLocation, BlockSource};
use crate::passes::address::lower_addresses::block::address_of;
use crate::passes::workaround::loop_watchdog::is_inside;
use crate::printf::{AREA_ITEMS, AREA_START, LOOPS_ENDED};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest depth of expressions that are computed again.
const MAX_DEPTH: u32 = 16;
const WORD: MemFlags = MemFlags { align: 4, volatile: false };

/// How a kernel reaches its launch's buffer, and how its work-items are counted.
pub(super) struct Area {
    /// In the address model: where the argument block has the buffer's address.
    address: Option<(u32, BlockLocation)>,
    /// The work-group's size, where it is required.
    size: Option<[u32; 3]>,
    linear_groups: bool,
    /// The largest number of invocations of a work-group with work-item loops.
    looped: Option<u32>,
}

impl Area {
    /// `None` in the packed model.
    pub(super) fn new(
        plan: &KernelPlan,
        size: Option<[u32; 3]>,
        (linear_groups, looped): (bool, Option<u32>),
    ) -> Option<Self> {
        let address = match plan.model {
            BindingModel::Descriptor => None,
            BindingModel::Address => {
                let member = plan.block.members.iter().find(|m| m.source == BlockSource::PrintfAddress)?;
                Some((member.offset, plan.block.location))
            }
            BindingModel::Packed => return None,
        };
        Some(Area { address, size, linear_groups, looped })
    }

    /// The address of a word of the buffer.
    fn place(&self, rw: &mut Rewriter<'_>, index: Value) -> Place {
        let Some((offset, place)) = self.address else {
            return Place::Element { root: Root::Printf, scalar: Scalar::I32, lanes: 1, index };
        };
        let base = address_of(rw, offset, place);
        let wide = rw.convert(ConvertOp::ZExt, index, Type::I64);
        let bytes = rw.binary_const(BinaryOp::Shl, wide, 2);
        Place::Address(rw.add(base, bytes))
    }

    /// The place of [`LOOPS_ENDED`], made at the end of a block.
    pub(super) fn place_in(&self, f: &mut Function, block: Block) -> Place {
        let mut rw = Rewriter::new(f);
        let index = rw.iconst(Type::I32, LOOPS_ENDED as u64);
        let place = self.place(&mut rw, index);
        let made = rw.take();
        f.blocks[block].insts.extend(made);
        place
    }

    /// The first byte of the rows, in the buffer.
    pub(super) fn start_bytes(&self, rw: &mut Rewriter<'_>) -> Value {
        let start = self.header(rw, AREA_START);
        rw.binary_const(BinaryOp::Shl, start, 2)
    }

    /// The address of a byte of the buffer, in the address model.
    pub(super) fn address_of_byte(&self, rw: &mut Rewriter<'_>, byte: Value) -> Option<Value> {
        let (offset, place) = self.address?;
        let base = address_of(rw, offset, place);
        let wide = rw.convert(ConvertOp::ZExt, byte, Type::I64);
        Some(rw.add(base, wide))
    }

    fn load(&self, rw: &mut Rewriter<'_>, index: Value) -> Value {
        let place = self.place(rw, index);
        rw.load(place, Type::I32, WORD)
    }

    fn store(&self, rw: &mut Rewriter<'_>, index: Value, value: Value) {
        let place = self.place(rw, index);
        rw.store(place, value, WORD);
    }

    fn header(&self, rw: &mut Rewriter<'_>, word: usize) -> Value {
        let index = rw.iconst(Type::I32, word as u64);
        self.load(rw, index)
    }

    /// Stores to a word of the buffer's header.
    pub(super) fn store_header(&self, rw: &mut Rewriter<'_>, word: usize, value: Value) {
        let index = rw.iconst(Type::I32, word as u64);
        self.store(rw, index, value);
    }

    fn size(&self, rw: &mut Rewriter<'_>, dim: u8) -> Value {
        match self.size {
            Some(size) => rw.iconst(Type::I32, size[usize::from(dim)].into()),
            None => rw.inst(InstKind::WorkgroupSize(dim), Type::I32),
        }
    }

    /// The number of invocations of a work-group.
    pub(super) fn items(&self, rw: &mut Rewriter<'_>) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dim| self.size(rw, dim));
        let plane = rw.binary(BinaryOp::IMul, x, y);
        let all = rw.binary(BinaryOp::IMul, plane, z);
        match self.looped {
            Some(most) => rw.binary_const(BinaryOp::UMin, all, most.into()),
            None => all,
        }
    }

    /// The condition that the lane is a work-item, computed at the end of a block.
    pub(super) fn exists(&self, f: &mut Function, block: Block) -> Value {
        let mut rw = Rewriter::new(f);
        let lane = rw.inst(InstKind::Input(BuiltinInput::SubgroupLocalInvocationId, 0), Type::I32);
        let (place, width) = match self.linear_groups {
            true => (BuiltinInput::LocalInvocationIndex, self.items(&mut rw)),
            false => (BuiltinInput::LocalInvocationId, self.size(&mut rw, 0)),
        };
        let place = rw.inst(InstKind::Input(place, 0), Type::I32);
        let made = rw.take();
        f.blocks[block].insts.extend(made);
        is_inside(f, block, place, width, lane)
    }

    /// The work-group's number in the dispatch.
    pub(super) fn group(&self, rw: &mut Rewriter<'_>) -> Value {
        let mut group = rw.inst(InstKind::Input(BuiltinInput::WorkgroupId, 2), Type::I32);
        for dim in [1, 0] {
            let count = rw.inst(InstKind::Input(BuiltinInput::NumWorkgroups, dim), Type::I32);
            let own = rw.inst(InstKind::Input(BuiltinInput::WorkgroupId, dim), Type::I32);
            let rows = rw.binary(BinaryOp::IMul, group, count);
            group = rw.add(rows, own);
        }
        group
    }

    /// The work-item's number in the dispatch.
    fn item(&self, rw: &mut Rewriter<'_>) -> Value {
        let group = self.group(rw);
        let items = self.items(rw);
        let first = rw.binary(BinaryOp::IMul, group, items);
        let own = rw.inst(InstKind::Input(BuiltinInput::LocalInvocationIndex, 0), Type::I32);
        rw.add(first, own)
    }

    /// The condition that the area has room for this work-item.
    pub(super) fn has_room(&self, rw: &mut Rewriter<'_>) -> Value {
        let room = self.header(rw, AREA_ITEMS);
        let item = self.item(rw);
        rw.icmp(IntCC::Ult, item, room)
    }

    /// The place of the work-item's state.
    fn own(&self, rw: &mut Rewriter<'_>) -> Value {
        let start = self.header(rw, AREA_START);
        let item = self.item(rw);
        rw.add(start, item)
    }

    /// Loads the work-item's state. Returns it and its index.
    pub(super) fn load_state(&self, rw: &mut Rewriter<'_>) -> (Value, Value) {
        let own = self.own(rw);
        (self.load(rw, own), own)
    }

    /// Says that the work-item goes on nowhere.
    pub(super) fn clear_state(&self, rw: &mut Rewriter<'_>, own: Value) {
        let none = rw.iconst(Type::I32, 0);
        self.store(rw, own, none);
    }

    /// Saves the state, private variables, and words after them.
    pub(super) fn save(&self, rw: &mut Rewriter<'_>, state: Value, private: &[Private], words: &[Value]) {
        let own = self.own(rw);
        let step = self.header(rw, AREA_ITEMS);
        self.store(rw, own, state);
        let mut row = 0;
        let mut store = |rw: &mut Rewriter<'_>, word: Value| {
            let index = row_of(rw, (own, step), &mut row);
            self.store(rw, index, word);
        };
        for element in elements(private) {
            let (place, ty) = element.place(rw);
            let value = rw.load(place, ty, element.flags());
            to_words(rw, value).into_iter().for_each(|word| store(rw, word));
        }
        words.iter().for_each(|word| store(rw, *word));
    }

    /// Gives private variables what was saved of them.
    pub(super) fn restore(&self, rw: &mut Rewriter<'_>, private: &[Private]) {
        let at = (self.own(rw), self.header(rw, AREA_ITEMS));
        let mut row = 0;
        for element in elements(private) {
            let (place, ty) = element.place(rw);
            let value = self.load_value(rw, ty, at, &mut row);
            rw.store(place, value, element.flags());
        }
    }

    /// Loads a value that was saved from a row on.
    pub(super) fn load_from(&self, rw: &mut Rewriter<'_>, ty: Type, mut row: u32) -> Value {
        let at = (self.own(rw), self.header(rw, AREA_ITEMS));
        self.load_value(rw, ty, at, &mut row)
    }

    fn load_value(&self, rw: &mut Rewriter<'_>, ty: Type, at: (Value, Value), row: &mut u32) -> Value {
        let Some((scalar, lanes)) = scalar(ty) else { return rw.iconst(Type::I32, 0) };
        let mut parts = Vec::new();
        for _ in 0..lanes {
            let words: Vec<Value> = (0..words(Type::Scalar(scalar)).unwrap_or(1))
                .map(|_| {
                    let index = row_of(rw, at, row);
                    self.load(rw, index)
                })
                .collect();
            parts.push(from_words(rw, scalar, &words));
        }
        match parts[..] {
            [one] => one,
            _ => rw.construct(&parts, ty),
        }
    }
}

/// The index of a work-item's word in the next row. Rows start after the states.
fn row_of(rw: &mut Rewriter<'_>, (own, step): (Value, Value), row: &mut u32) -> Value {
    *row += 1;
    let rows = rw.binary_const(BinaryOp::IMul, step, u64::from(*row));
    rw.add(own, rows)
}

/// An element of a private variable.
struct Element {
    root: Root,
    ty: Type,
    index: u32,
}

fn elements(private: &[Private]) -> impl Iterator<Item = Element> {
    private
        .iter()
        .flat_map(|p| (0..p.count).map(|index| Element { root: Root::Slot(p.slot), ty: p.element, index }))
}

impl Element {
    fn place(&self, rw: &mut Rewriter<'_>) -> (Place, Type) {
        let index = rw.iconst(Type::I32, self.index.into());
        let (scalar, lanes) = scalar(self.ty).unwrap_or((Scalar::I32, 1));
        (Place::Element { root: self.root, scalar, lanes, index }, self.ty)
    }

    fn flags(&self) -> MemFlags {
        MemFlags { align: self.ty.element().bytes().max(1), volatile: false }
    }
}

/// How many words a value takes; `None`: it is no data.
pub(super) fn words(ty: Type) -> Option<u32> {
    let (scalar, lanes) = scalar(ty)?;
    Some(u32::from(lanes) * if scalar.bits() > 32 { 2 } else { 1 })
}

/// Makes words of a value, each of which an instruction names that [`is_word`] knows.
pub(super) fn as_words(rw: &mut Rewriter<'_>, value: Value) {
    for word in to_words(rw, value) {
        let index = rw.iconst(Type::I32, 0);
        rw.store(Place::Element { root: Root::Printf, scalar: Scalar::I32, lanes: 1, index }, word, WORD);
    }
}

/// The word that an instruction of [`as_words`] names.
pub(super) fn is_word(kind: &InstKind) -> Option<Value> {
    match kind {
        InstKind::Store { value, .. } => Some(*value),
        _ => None,
    }
}

fn to_words(rw: &mut Rewriter<'_>, value: Value) -> Vec<Value> {
    let Some((scalar, lanes)) = scalar(rw.f.ty(value)) else { return Vec::new() };
    if lanes > 1 {
        let parts: Vec<Value> = (0..lanes).map(|lane| rw.extract(value, lane)).collect();
        return parts.into_iter().flat_map(|part| to_words(rw, part)).collect();
    }
    match scalar {
        Scalar::Bool => {
            let (one, zero) = (rw.iconst(Type::I32, 1), rw.iconst(Type::I32, 0));
            vec![rw.inst(InstKind::Select(value, one, zero), Type::I32)]
        }
        Scalar::I32 => vec![value],
        Scalar::F32 => vec![rw.bitcast(value, Type::I32)],
        Scalar::I8 | Scalar::I16 => vec![rw.convert(ConvertOp::ZExt, value, Type::I32)],
        Scalar::F16 => {
            let bits = rw.bitcast(value, Type::Scalar(Scalar::I16));
            vec![rw.convert(ConvertOp::ZExt, bits, Type::I32)]
        }
        Scalar::I64 | Scalar::F64 => {
            let pair = rw.bitcast(value, Type::Vector(Scalar::I32, 2));
            vec![rw.extract(pair, 0), rw.extract(pair, 1)]
        }
    }
}

fn from_words(rw: &mut Rewriter<'_>, scalar: Scalar, words: &[Value]) -> Value {
    let word = words[0];
    match scalar {
        Scalar::Bool => {
            let zero = rw.iconst(Type::I32, 0);
            rw.icmp(IntCC::Ne, word, zero)
        }
        Scalar::I32 => word,
        Scalar::F32 => rw.bitcast(word, Type::Scalar(Scalar::F32)),
        Scalar::I8 | Scalar::I16 => rw.convert(ConvertOp::Trunc, word, Type::Scalar(scalar)),
        Scalar::F16 => {
            let bits = rw.convert(ConvertOp::Trunc, word, Type::Scalar(Scalar::I16));
            rw.bitcast(bits, Type::Scalar(Scalar::F16))
        }
        Scalar::I64 | Scalar::F64 => {
            let pair = rw.construct(words, Type::Vector(Scalar::I32, 2));
            rw.bitcast(pair, Type::Scalar(scalar))
        }
    }
}

/// The values that need not be saved, because they depend only on ids, sizes and the argument block.
#[derive(Default)]
pub(super) struct Again {
    known: FxHashMap<Value, bool>,
    /// Those that are live at a loop's header, in order.
    pub(super) alive: Vec<Value>,
}

impl Again {
    /// Returns whether a value can be computed again.
    pub(super) fn can(&mut self, f: &Function, value: Value) -> bool {
        self.depth(f, value, MAX_DEPTH)
    }

    fn depth(&mut self, f: &Function, value: Value, depth: u32) -> bool {
        let ValueDef::Inst(inst, _) = f.values[value].def else {
            return matches!(f.values[value].def, ValueDef::Const(_));
        };
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let kind = &f.insts[inst].kind;
        let block = match kind {
            InstKind::Load { place: Place::Element { root: Root::Block, .. }, flags } => !flags.volatile,
            _ => false,
        };
        let effects = kind.effects(f);
        let plain = effects.can_be_speculated() && !effects.reads && f.insts[inst].results.len() == 1;
        let can = (block || plain)
            && depth > 0
            && kind.values().collect::<Vec<_>>().into_iter().all(|v| self.depth(f, v, depth - 1));
        self.known.insert(value, can);
        can
    }

    /// Notes the values that are alive at headers and can be computed again.
    pub(super) fn note_alive(
        &mut self,
        alive: &FxHashMap<Block, FxHashSet<Value>>,
        headers: impl Iterator<Item = Block>,
    ) {
        let all = headers.filter_map(|header| alive.get(&header)).flatten().copied();
        let mut all: Vec<Value> = all.filter(|v| self.known.get(v) == Some(&true)).collect();
        all.sort_unstable_by_key(|value| value.0);
        all.dedup();
        self.alive = all;
    }

    /// A copy of a value with all that it is computed from.
    pub(super) fn copy(
        &self,
        rw: &mut Rewriter<'_>,
        value: Value,
        copies: &mut FxHashMap<Value, Value>,
    ) -> Value {
        let ValueDef::Inst(inst, _) = rw.f.values[value].def else { return value };
        if let Some(copy) = copies.get(&value) {
            return *copy;
        }
        let mut kind = rw.f.insts[inst].kind.clone();
        let operands: Vec<Value> = kind.values().collect();
        for operand in operands {
            self.copy(rw, operand, copies);
        }
        kind.map_values(|v| copies.get(&v).copied().unwrap_or(v));
        let ty = rw.f.ty(value);
        rw.at(inst);
        let copy = rw.inst(kind, ty);
        copies.insert(value, copy);
        copy
    }
}

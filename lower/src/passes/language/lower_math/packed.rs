//! The shipped format of the math library: promoted and simplified functions, packed into bytes, with an index.
//!
//! A file has these parts:
//! 1. the number of functions;
//! 2. for each function, sorted by name, the start of its name and of its body;
//! 3. the names, each with a zero at the end;
//! 4. the bodies.
//!
//! Numbers in parts 1 and 2 are words of four bytes, the least significant first.
//! A body is a list of numbers in base 128, the lowest digits first, with the top bit set in all bytes but the last.
//! It has the types of the results, the private variables, the values in order (a constant with its bits), and the blocks.
//!
//! A number is an index into a list here or into the list of an enumeration, such as [`BinaryOp::ALL`].
//! A change of one of these lists needs a new packing of the library, as the tests require (`library.rs`).
//! A function is called by its index in the file.

use crate::ir::{
    BinaryOp, Block, BranchTarget, Constant, ConvertOp, FloatCC, Func, Function, Inst, InstData, InstKind,
    IntCC, MemFlags, Place, Root, Rounding, Scalar, Slot, SlotData, SourceLine, Space, Terminator, Type,
    UnaryOp, Value, ValueData, ValueDef,
};
use smallvec::SmallVec;

const SCALARS: [Scalar; 8] =
    [Scalar::Bool, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];

/// The kinds of instructions, by their first number.
mod tag {
    pub const UNARY: u64 = 0;
    pub const BINARY: u64 = 1;
    pub const ICMP: u64 = 2;
    pub const FCMP: u64 = 3;
    pub const SELECT: u64 = 4;
    pub const CONVERT: u64 = 5;
    pub const BITCAST: u64 = 6;
    pub const CONSTRUCT: u64 = 7;
    pub const EXTRACT: u64 = 8;
    pub const INSERT: u64 = 9;
    pub const GLSL: u64 = 10;
    pub const FMA: u64 = 11;
    pub const CALL: u64 = 12;
    pub const VARIABLE: u64 = 13;
    pub const PTR_ADD: u64 = 14;
    pub const PTR_OFFSET: u64 = 15;
    pub const LOAD: u64 = 16;
    pub const STORE: u64 = 17;
    pub const SHUFFLE: u64 = 18;
}

/// A reader of numbers.
struct Numbers<'a> {
    rest: &'a [u8],
}

impl Numbers<'_> {
    fn next(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// A count of what follows. It is at most the number of bytes left.
    fn count(&mut self) -> Option<usize> {
        self.next().map(|n| n as usize).filter(|n| *n <= self.rest.len())
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.next()?).ok()
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.next()? as usize).copied()
    }

    fn ty(&mut self) -> Option<Type> {
        Some(match self.next()? {
            0 => Type::Ptr(Space::Private),
            n => Type::new(*SCALARS.get((n & 7) as usize)?, (n >> 3) as u8),
        })
    }
}

/// A file of functions.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    /// The bytes of the file, as in the module's documentation.
    pub bytes: &'static [u8],
}

impl Packed {
    fn word(self, at: usize) -> Option<usize> {
        Some(u32::from_le_bytes(*self.bytes.get(4 * at..)?.first_chunk()?) as usize)
    }

    /// The number of functions.
    pub fn count(self) -> usize {
        self.word(0).unwrap_or(0)
    }

    /// The name of function n.
    pub fn name(self, n: usize) -> Option<&'static str> {
        let rest = self.bytes.get(self.word(1 + 2 * n)?..)?;
        std::str::from_utf8(rest.split(|b| *b == 0).next()?).ok()
    }

    /// The index of a function.
    pub fn find(self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle)?.cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Function n, with the indices of the functions that it calls as their handles.
    pub fn function(self, n: usize) -> Option<Function> {
        let mut reader = Unpacker {
            numbers: Numbers { rest: self.bytes.get(self.word(2 + 2 * n)?..)? },
            f: Function::default(),
        };
        reader.f.name = self.name(n)?.to_owned();
        reader.function()?;
        Some(reader.f)
    }
}

/// A function under construction.
struct Unpacker<'a> {
    numbers: Numbers<'a>,
    f: Function,
}

impl Unpacker<'_> {
    fn function(&mut self) -> Option<()> {
        let returns = self.numbers.count()?;
        self.f.returns = (0..returns).map(|_| self.numbers.ty()).collect::<Option<_>>()?;
        self.f.inline_hint = [None, Some(false), Some(true)].get(self.numbers.next()? as usize).copied()?;
        for _ in 0..self.numbers.count()? {
            let (size, align) = (self.numbers.next()?, self.numbers.small()?);
            self.f.slots.push(SlotData { name: None, size, align });
        }
        let nowhere = ValueDef::Inst(Inst(u32::MAX), 0);
        let values = self.numbers.count()?;
        self.f.values.reserve(values);
        for _ in 0..values {
            let kind = self.numbers.next()?;
            let ty = self.numbers.ty()?;
            match kind {
                0 => drop(self.f.values.push(ValueData { ty, def: nowhere })),
                1 => drop(self.f.constant(ty, Constant::Undef)),
                _ => {
                    let bits = self.numbers.next()?;
                    self.f.constant(ty, Constant::Bits(bits));
                }
            }
        }
        let blocks = self.numbers.count()?;
        self.f.blocks.reserve(blocks);
        self.f.layout.reserve(blocks);
        // Most values are results.
        self.f.insts.reserve(values);
        for _ in 0..blocks {
            self.f.new_block();
        }
        for n in 0..blocks {
            self.block(Block(n as u32))?;
        }
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        self.numbers.small().map(Value).filter(|v| (v.0 as usize) < self.f.values.len())
    }

    fn values<A: smallvec::Array<Item = Value>>(&mut self) -> Option<SmallVec<A>> {
        let count = self.numbers.count()?;
        let mut list = SmallVec::with_capacity(count);
        for _ in 0..count {
            list.push(self.value()?);
        }
        Some(list)
    }

    fn block(&mut self, block: Block) -> Option<()> {
        let params: SmallVec<[Value; 4]> = self.values()?;
        for (n, param) in params.iter().enumerate() {
            self.f.values[*param].def = ValueDef::Param(block, n as u16);
        }
        self.f.blocks[block].params = params.to_vec();
        self.f.blocks[block].loop_control = self.numbers.small()?;
        let count = self.numbers.count()?;
        let mut insts = Vec::with_capacity(count);
        for _ in 0..count {
            let kind = self.kind()?;
            let results: SmallVec<[Value; 1]> = self.values()?;
            let results = results.into_iter().collect();
            let inst = self.f.insts.push(InstData { kind, results, line: SourceLine::default() });
            for n in 0..self.f.insts[inst].results.len() {
                let result = self.f.insts[inst].results[n];
                self.f.values[result].def = ValueDef::Inst(inst, n as u16);
            }
            insts.push(inst);
        }
        self.f.blocks[block].insts = insts;
        self.f.blocks[block].term = match self.numbers.next()? {
            0 => Terminator::Branch(self.target()?),
            1 => Terminator::CondBranch { cond: self.value()?, then: self.target()?, els: self.target()? },
            2 => {
                let (value, default) = (self.value()?, self.target()?);
                let count = self.numbers.count()?;
                let case = |_| Some((self.numbers.next()?, self.target()?));
                Terminator::Switch { value, default, cases: (0..count).map(case).collect::<Option<_>>()? }
            }
            3 => Terminator::Return(self.values()?),
            _ => Terminator::Unreachable,
        };
        Some(())
    }

    fn target(&mut self) -> Option<BranchTarget> {
        let block = self.numbers.small().map(Block).filter(|b| (b.0 as usize) < self.f.blocks.len())?;
        Some(BranchTarget { block, args: self.values()? })
    }

    fn flags(&mut self) -> Option<MemFlags> {
        Some(MemFlags { align: self.numbers.small()?, volatile: self.numbers.next()? != 0 })
    }

    fn kind(&mut self) -> Option<InstKind> {
        Some(match self.numbers.next()? {
            tag::UNARY => InstKind::Unary(self.numbers.one_of(UnaryOp::ALL)?, self.value()?),
            tag::BINARY => {
                InstKind::Binary(self.numbers.one_of(BinaryOp::ALL)?, self.value()?, self.value()?)
            }
            tag::ICMP => InstKind::ICmp(self.numbers.one_of(IntCC::ALL)?, self.value()?, self.value()?),
            tag::FCMP => InstKind::FCmp(self.numbers.one_of(FloatCC::ALL)?, self.value()?, self.value()?),
            tag::SELECT => InstKind::Select(self.value()?, self.value()?, self.value()?),
            tag::CONVERT => {
                let op = self.numbers.one_of(ConvertOp::ALL)?;
                let how = self.numbers.next()?;
                let rounding = match how >> 1 {
                    0 => None,
                    n => Some(*Rounding::ALL.get(n as usize - 1)?),
                };
                InstKind::Convert { op, value: self.value()?, saturate: how & 1 != 0, rounding }
            }
            tag::BITCAST => InstKind::Bitcast(self.value()?),
            tag::CONSTRUCT => InstKind::Construct(self.values()?),
            tag::EXTRACT => InstKind::Extract(self.value()?, self.numbers.small()?),
            tag::INSERT => {
                InstKind::Insert { vector: self.value()?, scalar: self.value()?, lane: self.numbers.small()? }
            }
            tag::GLSL => InstKind::Glsl { number: self.numbers.small()?, args: self.values()? },
            tag::FMA => InstKind::Fma(self.value()?, self.value()?, self.value()?),
            tag::CALL => {
                let func = Func(self.numbers.small()?);
                InstKind::Call { func, args: self.values::<[Value; 4]>()?.to_vec(), pure: false }
            }
            tag::VARIABLE => {
                let slot = self.numbers.small().map(Slot).filter(|s| (s.0 as usize) < self.f.slots.len())?;
                InstKind::RootAddr(Root::Slot(slot))
            }
            tag::PTR_ADD => {
                InstKind::PtrAdd { base: self.value()?, index: self.value()?, scale: self.numbers.next()? }
            }
            tag::PTR_OFFSET => {
                InstKind::PtrOffset { base: self.value()?, bytes: self.numbers.next()? as i64 }
            }
            tag::LOAD => InstKind::Load { place: Place::Pointer(self.value()?), flags: self.flags()? },
            tag::STORE => InstKind::Store {
                place: Place::Pointer(self.value()?),
                value: self.value()?,
                flags: self.flags()?,
            },
            tag::SHUFFLE => {
                let (a, b, count) = (self.value()?, self.value()?, self.numbers.count()?);
                let lane = |_| Some(self.numbers.small::<u8>()?.checked_sub(1));
                InstKind::Shuffle(a, b, (0..count).map(lane).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
pub(super) mod pack {
    //! Packing, for the tests only.

    use super::*;
    use std::collections::BTreeMap;

    fn number(out: &mut Vec<u8>, mut value: u64) {
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }

    fn place<T: PartialEq + std::fmt::Debug>(list: &[T], what: &T) -> u64 {
        list.iter().position(|x| x == what).unwrap_or_else(|| panic!("no place for {what:?}")) as u64
    }

    fn ty(out: &mut Vec<u8>, ty: Type) {
        match ty {
            Type::Ptr(Space::Private) => number(out, 0),
            Type::Ptr(space) => panic!("a pointer to {space} memory in the library"),
            ty => {
                let scalar = ty.scalar().unwrap_or_else(|| panic!("{ty} in the library"));
                number(out, place(&SCALARS, &scalar) + 8 * u64::from(ty.lanes()));
            }
        }
    }

    /// A file of functions by name. `called` gives the name of a called function.
    pub fn file(functions: &BTreeMap<String, Function>, called: impl Fn(Func) -> String) -> Vec<u8> {
        let places: BTreeMap<&str, u64> = functions.keys().map(String::as_str).zip(0..).collect();
        let (mut names, mut bodies) = (Vec::new(), Vec::new());
        let mut index: Vec<(usize, usize)> = Vec::new();
        for (name, function) in functions {
            index.push((names.len(), bodies.len()));
            names.extend(name.bytes().chain([0]));
            let call = |func| places[called(func).as_str()];
            Packer::new(function, &call).function(&mut bodies);
        }
        let first = 4 + 8 * index.len();
        let mut out = (index.len() as u32).to_le_bytes().to_vec();
        for (name, body) in index {
            out.extend(((first + name) as u32).to_le_bytes());
            out.extend(((first + names.len() + body) as u32).to_le_bytes());
        }
        out.extend(names);
        out.extend(bodies);
        out
    }

    struct Packer<'f> {
        f: &'f Function,
        call: &'f dyn Fn(Func) -> u64,
        /// Used values in the order of their numbers, and slots.
        values: BTreeMap<Value, u64>,
        slots: BTreeMap<Slot, u64>,
    }

    impl<'f> Packer<'f> {
        fn new(f: &'f Function, call: &'f dyn Fn(Func) -> u64) -> Self {
            let mut values = BTreeMap::new();
            let mut slots = BTreeMap::new();
            for block in &f.layout {
                let data = &f.blocks[*block];
                values.extend(data.params.iter().map(|v| (*v, 0)));
                for inst in &data.insts {
                    let inst = &f.insts[*inst];
                    values.extend(inst.results.iter().copied().chain(inst.kind.values()).map(|v| (v, 0)));
                    if let InstKind::RootAddr(Root::Slot(slot)) = inst.kind {
                        slots.insert(slot, 0);
                    }
                }
                values.extend(data.term.values().map(|v| (v, 0)));
            }
            values.values_mut().zip(0..).for_each(|(place, n)| *place = n);
            slots.values_mut().zip(0..).for_each(|(place, n)| *place = n);
            Packer { f, call, values, slots }
        }

        fn function(&self, out: &mut Vec<u8>) {
            let f = self.f;
            number(out, f.returns.len() as u64);
            f.returns.iter().for_each(|t| ty(out, *t));
            number(out, f.inline_hint.map_or(0, |hint| 1 + u64::from(hint)));
            number(out, self.slots.len() as u64);
            for slot in self.slots.keys() {
                number(out, f.slots[*slot].size);
                number(out, f.slots[*slot].align.into());
            }
            number(out, self.values.len() as u64);
            for value in self.values.keys() {
                let data = f.values[*value];
                let (kind, bits) = match data.def {
                    ValueDef::Const(Constant::Undef) => (1, None),
                    ValueDef::Const(Constant::Bits(bits)) => (2, Some(bits)),
                    _ => (0, None),
                };
                number(out, kind);
                ty(out, data.ty);
                bits.into_iter().for_each(|b| number(out, b));
            }
            number(out, f.layout.len() as u64);
            f.layout.iter().for_each(|b| self.block(out, *b));
        }

        fn value(&self, out: &mut Vec<u8>, value: Value) {
            number(out, self.values[&value]);
        }

        fn values(&self, out: &mut Vec<u8>, values: &[Value]) {
            number(out, values.len() as u64);
            values.iter().for_each(|v| self.value(out, *v));
        }

        fn target(&self, out: &mut Vec<u8>, target: &BranchTarget) {
            number(out, place(&self.f.layout, &target.block));
            self.values(out, &target.args);
        }

        fn block(&self, out: &mut Vec<u8>, block: Block) {
            let data = &self.f.blocks[block];
            self.values(out, &data.params);
            number(out, data.loop_control.into());
            number(out, data.insts.len() as u64);
            for inst in &data.insts {
                let inst = &self.f.insts[*inst];
                self.kind(out, &inst.kind);
                self.values(out, &inst.results);
            }
            match &data.term {
                Terminator::Branch(to) => {
                    number(out, 0);
                    self.target(out, to);
                }
                Terminator::CondBranch { cond, then, els } => {
                    number(out, 1);
                    self.value(out, *cond);
                    self.target(out, then);
                    self.target(out, els);
                }
                Terminator::Switch { value, cases, default } => {
                    number(out, 2);
                    self.value(out, *value);
                    self.target(out, default);
                    number(out, cases.len() as u64);
                    for (bits, to) in cases {
                        number(out, *bits);
                        self.target(out, to);
                    }
                }
                Terminator::Return(values) => {
                    number(out, 3);
                    self.values(out, values);
                }
                Terminator::Unreachable => number(out, 4),
            }
        }

        /// Numbers, then values.
        fn plain(&self, out: &mut Vec<u8>, numbers: &[u64], values: &[Value]) {
            numbers.iter().for_each(|n| number(out, *n));
            values.iter().for_each(|v| self.value(out, *v));
        }

        fn kind(&self, out: &mut Vec<u8>, kind: &InstKind) {
            match kind {
                InstKind::Unary(op, a) => self.plain(out, &[tag::UNARY, place(UnaryOp::ALL, op)], &[*a]),
                InstKind::Binary(op, a, b) => {
                    self.plain(out, &[tag::BINARY, place(BinaryOp::ALL, op)], &[*a, *b])
                }
                InstKind::ICmp(cc, a, b) => self.plain(out, &[tag::ICMP, place(IntCC::ALL, cc)], &[*a, *b]),
                InstKind::FCmp(cc, a, b) => self.plain(out, &[tag::FCMP, place(FloatCC::ALL, cc)], &[*a, *b]),
                InstKind::Select(c, a, b) => self.plain(out, &[tag::SELECT], &[*c, *a, *b]),
                InstKind::Convert { op, value, saturate, rounding } => {
                    let rounding = rounding.map_or(0, |r| 1 + place(Rounding::ALL, &r));
                    let how = rounding << 1 | u64::from(*saturate);
                    self.plain(out, &[tag::CONVERT, place(ConvertOp::ALL, op), how], &[*value]);
                }
                InstKind::Bitcast(a) => self.plain(out, &[tag::BITCAST], &[*a]),
                InstKind::Construct(parts) => self.plain(out, &[tag::CONSTRUCT, parts.len() as u64], parts),
                InstKind::Extract(a, lane) => {
                    self.plain(out, &[tag::EXTRACT], &[*a]);
                    number(out, (*lane).into());
                }
                InstKind::Insert { vector, scalar, lane } => {
                    self.plain(out, &[tag::INSERT], &[*vector, *scalar]);
                    number(out, (*lane).into());
                }
                InstKind::Glsl { number: n, args } => {
                    self.plain(out, &[tag::GLSL, (*n).into(), args.len() as u64], args);
                }
                InstKind::Fma(a, b, c) => self.plain(out, &[tag::FMA], &[*a, *b, *c]),
                InstKind::Call { func, args, .. } => {
                    self.plain(out, &[tag::CALL, (self.call)(*func), args.len() as u64], args);
                }
                InstKind::RootAddr(Root::Slot(slot)) => {
                    self.plain(out, &[tag::VARIABLE, self.slots[slot]], &[]);
                }
                InstKind::PtrAdd { base, index, scale } => {
                    self.plain(out, &[tag::PTR_ADD], &[*base, *index]);
                    number(out, *scale);
                }
                InstKind::PtrOffset { base, bytes } => {
                    self.plain(out, &[tag::PTR_OFFSET], &[*base]);
                    number(out, *bytes as u64);
                }
                InstKind::Load { place: Place::Pointer(p), flags } => {
                    self.plain(out, &[tag::LOAD], &[*p]);
                    self.plain(out, &[flags.align.into(), flags.volatile.into()], &[]);
                }
                InstKind::Store { place: Place::Pointer(p), value, flags } => {
                    self.plain(out, &[tag::STORE], &[*p, *value]);
                    self.plain(out, &[flags.align.into(), flags.volatile.into()], &[]);
                }
                InstKind::Shuffle(a, b, mask) => {
                    self.plain(out, &[tag::SHUFFLE], &[*a, *b]);
                    number(out, mask.len() as u64);
                    mask.iter().for_each(|lane| number(out, lane.map_or(0, |n| 1 + u64::from(n))));
                }
                other => panic!("the library cannot be packed with {other:?}"),
            }
        }
    }
}

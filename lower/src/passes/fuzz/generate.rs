//! The generator of random functions.

use super::Random;
use crate::ir::interp::{mix, region};
use crate::ir::{
    BinaryOp, Block, BranchTarget, Constant, ConvertOp, FloatCC, Function, InstKind, IntCC, MemFlags, Module,
    Place, Root, Scalar, Slot, SlotData, Space, Stage, Terminator, Type, UnaryOp, Value,
};
use smallvec::SmallVec;

const FLAGS: MemFlags = MemFlags { align: 1, volatile: false };

/// The code that random functions have, and what of their runs is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Integers and vectors, with stores that the world sees in order.
    Integers,
    /// The same with floats. The bits of a NaN are undefined where they are stored, returned or taken as an integer.
    Floats,
    /// Accesses of elements of private variables, work-group memory and buffers that may alias, at stage `resolved`: integers and floats. What
    /// the memory holds at the end is compared: stores may be fewer.
    Memory,
    /// Integers with undefined values, and private variables that nobody has written, some of them with computed places.
    Unset,
    /// The same with zeros in their place.
    Zeros,
}

impl Kind {
    fn is_unset(self) -> bool {
        matches!(self, Kind::Unset | Kind::Zeros)
    }
}

/// The bytes of a large variable.
const LARGE: u64 = 80;

/// A module with one function `f(ptr.global out, i32, i64)`, with three floats more for [`Kind::Floats`], whose state lives in slots. Every block
/// stores a mark, unless the memory is compared.
pub fn random_module(seed: u64, blocks: u64, kind: Kind) -> Module {
    let mut r = Random::new(seed);
    // No pointers are left at stage `resolved`.
    let out = if kind == Kind::Memory { Type::I64 } else { Type::Ptr(Space::Global) };
    let mut params = vec![out, Type::I32, Type::I64];
    if kind == Kind::Floats {
        params.extend([F32, F32, F64]);
    }
    let mut f = Function::new("f", &params, &[Type::I32]);
    for n in 0..3 {
        // A variable that takes a loop to be written.
        let size = if n == 1 && kind.is_unset() { LARGE } else { 32 };
        f.slots.push(SlotData { name: Some(format!("s{n}")), size, align: 16 });
    }
    let all: Vec<Block> = std::iter::once(f.entry()).chain((0..blocks).map(|_| f.new_block())).collect();
    for (n, &block) in all.iter().enumerate() {
        let mut g = Gen { r: &mut r, f: &mut f, block, values: Vec::new(), places: Vec::new(), kind };
        g.values = g.f.params().to_vec();
        if n == 0 {
            g.initialise();
        }
        if kind != Kind::Memory {
            let mark = g.f.iconst(Type::I32, 0x1000 + n as u64);
            let out = g.f.params()[0];
            g.f.append_void(block, InstKind::Store { place: Place::Pointer(out), value: mark, flags: FLAGS });
        }
        // Accesses of one element meet in long blocks.
        let most = if kind == Kind::Memory { 24 } else { 6 };
        for _ in 0..2 + g.r.below(most) {
            g.inst();
        }
        if kind == Kind::Floats {
            g.show_floats();
        }
        let any = |r: &mut Random| all[1 + r.below(all.len() as u64 - 1) as usize];
        let term = match g.r.below(10) {
            0..2 => Terminator::Branch(to(any(g.r))),
            2..7 => {
                let cond = g.condition();
                let (then, els) = (to(any(g.r)), to(any(g.r)));
                Terminator::CondBranch { cond, then, els }
            }
            7 => {
                let value = g.pick(Type::I32);
                let three = g.f.iconst(Type::I32, 3);
                let value = g.f.append(block, InstKind::Binary(BinaryOp::And, value, three), Type::I32);
                let cases = vec![(0, to(any(g.r))), (1, to(any(g.r))), (2, to(any(g.r)))];
                Terminator::Switch { value, cases, default: to(any(g.r)) }
            }
            8 if n + 1 < all.len() => Terminator::Branch(to(all[n + 1])),
            _ => {
                let value = g.pick(Type::I32);
                Terminator::Return(SmallVec::from_iter([value]))
            }
        };
        f.blocks[block].term = term;
    }
    let mut module = Module { address_bits: 64, ..Module::default() };
    if kind == Kind::Memory {
        module.stage = Stage::Resolved;
    }
    module.functions.push(f);
    crate::transform::cleanup::remove_unreachable(module.functions.values_mut().next().expect("one"));
    crate::transform::cleanup::order_layout(module.functions.values_mut().next().expect("one"));
    module
}

fn to(block: Block) -> BranchTarget {
    BranchTarget { block, args: SmallVec::new() }
}

struct Gen<'a> {
    r: &'a mut Random,
    f: &'a mut Function,
    block: Block,
    values: Vec<Value>,
    /// The elements that the block has accessed, so that some are accessed again.
    places: Vec<(Type, Place)>,
    kind: Kind,
}

const TYPES: [Type; 9] = [
    Type::I32,
    Type::I64,
    Type::Scalar(Scalar::I8),
    Type::Scalar(Scalar::I16),
    Type::Vector(Scalar::I32, 4),
    Type::Vector(Scalar::I16, 4),
    Type::Vector(Scalar::I8, 4),
    Type::Vector(Scalar::I32, 2),
    Type::Vector(Scalar::I32, 3),
];

const F32: Type = Type::Scalar(Scalar::F32);
const F64: Type = Type::Scalar(Scalar::F64);

const FLOATS: [Type; 4] = [F32, F64, Type::Vector(Scalar::F32, 2), Type::Vector(Scalar::F32, 4)];

/// Floats of which rewrites must take care: both zeros, ones, small and great numbers, infinities and a NaN.
pub(super) const NUMBERS: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -4.0, 1.0e-42, 3.0e38, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

impl Gen<'_> {
    fn initialise(&mut self) {
        if self.kind.is_unset() {
            if self.kind == Kind::Zeros {
                self.write_zeros();
            }
            return;
        }
        for slot in 0..3u32 {
            for word in 0..8 {
                let value = self.f.iconst(Type::I32, mix(u64::from(slot * 8 + word)));
                let at = self.place(Slot(slot), i64::from(word * 4));
                self.f.append_void(self.block, InstKind::Store { place: at, value, flags: FLAGS });
            }
        }
    }

    fn write_zeros(&mut self) {
        let byte = Type::Scalar(Scalar::I8);
        for slot in 0..3u32 {
            for at in 0..self.f.slots[Slot(slot)].size {
                let (at, value) = (self.place(Slot(slot), at as i64), self.f.iconst(byte, 0));
                self.f.append_void(self.block, InstKind::Store { place: at, value, flags: FLAGS });
            }
        }
    }

    /// A place that a number computes, at the start of a variable.
    fn computed_place(&mut self, slot: Slot) -> Place {
        let ty = Type::Ptr(Space::Private);
        let base = self.f.append(self.block, InstKind::RootAddr(Root::Slot(slot)), ty);
        let (any, mask) = (self.f.params()[2], self.f.iconst(Type::I64, 7));
        let index = self.push(InstKind::Binary(BinaryOp::And, any, mask), Type::I64);
        let scale = 1 << self.r.below(2);
        Place::Pointer(self.f.append(self.block, InstKind::PtrAdd { base, index, scale }, ty))
    }

    fn place(&mut self, slot: Slot, offset: i64) -> Place {
        if self.kind == Kind::Memory {
            let index = self.f.iconst(Type::I32, offset as u64 / 4);
            return Place::Element { root: Root::Slot(slot), scalar: Scalar::I32, lanes: 1, index };
        }
        let ty = Type::Ptr(Space::Private);
        let base = self.f.append(self.block, InstKind::RootAddr(Root::Slot(slot)), ty);
        Place::Pointer(self.f.append(self.block, InstKind::PtrOffset { base, bytes: offset }, ty))
    }

    fn push(&mut self, kind: InstKind, ty: Type) -> Value {
        let value = self.f.append(self.block, kind, ty);
        self.values.push(value);
        value
    }

    /// A value of a type: one that is there, or a constant.
    fn pick(&mut self, ty: Type) -> Value {
        if self.kind.is_unset() && self.r.below(12) == 0 {
            let undefined = if self.kind == Kind::Unset { Constant::Undef } else { Constant::Bits(0) };
            return self.f.constant(ty, undefined);
        }
        let fits: Vec<Value> = self.values.iter().copied().filter(|v| self.f.ty(*v) == ty).collect();
        if fits.is_empty() || self.r.below(4) == 0 {
            if let Some(scalar) = ty.scalar().filter(|s| s.is_float()) {
                let number = NUMBERS[self.r.below(12) as usize];
                let bits =
                    if scalar == Scalar::F32 { (number as f32).to_bits().into() } else { number.to_bits() };
                return self.f.constant(ty, Constant::Bits(bits));
            }
            let small = [0, 1, 2, 3, 8, 0xff, 0xffff, 0xffff_ffff, u64::MAX, 0x8000_0000];
            let bits = small[self.r.below(10) as usize];
            return self.f.iconst(ty, bits);
        }
        fits[self.r.below(fits.len() as u64) as usize]
    }

    fn some_type(&mut self) -> Type {
        if self.kind == Kind::Floats && self.r.below(2) == 0 {
            return FLOATS[self.r.below(4) as usize];
        }
        if self.kind == Kind::Memory {
            // Three lanes have no elements.
            return match self.r.below(9) {
                0..3 => TYPES[self.r.below(8) as usize],
                3..5 => FLOATS[self.r.below(4) as usize],
                _ => Type::I32,
            };
        }
        if self.r.below(3) == 0 { TYPES[self.r.below(9) as usize] } else { Type::I32 }
    }

    /// A comparison, one that is negated, or a logical operation on two conditions of floats.
    fn condition(&mut self) -> Value {
        let ty = self.some_type();
        let one = self.comparison(Type::Scalar(ty.scalar().expect("scalar")));
        if self.kind != Kind::Floats {
            return one;
        }
        let kind = match self.r.below(8) {
            0..3 => InstKind::Unary(UnaryOp::Not, one),
            n @ 3..6 => {
                let other = self.pick(Type::BOOL);
                InstKind::Binary([BinaryOp::And, BinaryOp::Or, BinaryOp::Xor][n as usize - 3], one, other)
            }
            _ => return one,
        };
        self.push(kind, Type::BOOL)
    }

    /// A comparison of two values of a type, lane by lane.
    fn comparison(&mut self, ty: Type) -> Value {
        let (a, b) = (self.pick(ty), self.pick(ty));
        let kind = if ty.scalar().is_some_and(Scalar::is_float) {
            InstKind::FCmp(FloatCC::ALL[self.r.below(FloatCC::ALL.len() as u64) as usize], a, b)
        } else {
            InstKind::ICmp(IntCC::ALL[self.r.below(IntCC::ALL.len() as u64) as usize], a, b)
        };
        self.push(kind, ty.with_scalar(Scalar::Bool))
    }

    fn inst(&mut self) {
        use BinaryOp::*;
        let ty = self.some_type();
        match self.r.below(14) {
            0..3 => {
                let place = self.slot_place(ty);
                self.push(InstKind::Load { place, flags: FLAGS }, ty);
            }
            3..5 => {
                let place = self.slot_place(ty);
                let value = self.pick(ty);
                self.f.append_void(self.block, InstKind::Store { place, value, flags: FLAGS });
            }
            5..10 if ty.scalar().is_some_and(Scalar::is_float) => self.float(ty),
            5..8 => {
                const OPS: [BinaryOp; 16] = [
                    IAdd, ISub, IMul, UDiv, URem, SDiv, SRem, And, Or, Xor, UMin, SMax, UMulHi, SMulHi, SMin,
                    UMax,
                ];
                let op = OPS[self.r.below(16) as usize];
                let (a, b) = (self.pick(ty), self.pick(ty));
                self.push(InstKind::Binary(op, a, b), ty);
            }
            8 => {
                let width = u64::from(ty.scalar().map_or(8, Scalar::bits));
                let by = self.r.below(width);
                let by = self.f.iconst(ty, by);
                let a = self.pick(ty);
                let op = [Shl, LShr, AShr][self.r.below(3) as usize];
                self.push(InstKind::Binary(op, a, by), ty);
            }
            9 => {
                let cond = self.condition();
                let (a, b) = (self.pick(ty), self.pick(ty));
                let chosen = self.push(InstKind::Select(cond, a, b), ty);
                self.push(InstKind::Unary(UnaryOp::Not, chosen), ty);
            }
            10 | 11 => self.convert(ty),
            12 => self.vector(),
            _ if self.kind == Kind::Memory => {
                let place = self.element(ty);
                let value = self.pick(ty);
                self.f.append_void(self.block, InstKind::Store { place, value, flags: FLAGS });
            }
            _ => {
                let value = self.pick(Type::I32);
                let out = self.f.params()[0];
                let at = Type::Ptr(Space::Global);
                let index = self.pick(Type::I64);
                let mask = self.f.iconst(Type::I64, 15);
                let index = self.push(InstKind::Binary(And, index, mask), Type::I64);
                let p = self.push(InstKind::PtrAdd { base: out, index, scale: 4 }, at);
                let p = self.push(InstKind::PtrOffset { base: p, bytes: 8 }, at);
                let place = Place::Pointer(p);
                self.f.append_void(self.block, InstKind::Store { place, value, flags: FLAGS });
            }
        }
    }

    /// Stores the floats and the truth values that the block computes, for the world to see.
    fn show_floats(&mut self) {
        let place = Place::Pointer(self.f.params()[0]);
        for mut value in self.values.clone() {
            if self.f.ty(value) == Type::BOOL {
                let [one, zero] = [1, 0].map(|n| self.f.iconst(Type::I32, n));
                value = self.f.append(self.block, InstKind::Select(value, one, zero), Type::I32);
            } else if !self.f.ty(value).scalar().is_some_and(Scalar::is_float) {
                continue;
            }
            self.f.append_void(self.block, InstKind::Store { place, value, flags: FLAGS });
        }
    }

    fn float(&mut self, ty: Type) {
        use BinaryOp::{FAdd, FDiv, FMul, FSub};
        let (a, b) = (self.pick(ty), self.pick(ty));
        let kind = match self.r.below(8) {
            0 => InstKind::Unary(UnaryOp::FNeg, a),
            1 => InstKind::Unary(UnaryOp::FAbs, a),
            2 => InstKind::Fma(a, b, self.pick(ty)),
            3 => {
                let by_lane = self.r.below(2) == 0;
                let cond = if by_lane { self.comparison(ty) } else { self.condition() };
                InstKind::Select(cond, a, b)
            }
            n => InstKind::Binary([FAdd, FSub, FMul, FDiv][n as usize - 4], a, b),
        };
        self.push(kind, ty);
    }

    /// An element of some memory. Most are those of accesses before, as passes look for elements that are accessed again.
    fn element(&mut self, ty: Type) -> Place {
        let known: Vec<Place> =
            self.places.iter().filter(|(of, _)| *of == ty).map(|(_, place)| *place).collect();
        if !known.is_empty() && self.r.below(3) > 0 {
            return known[self.r.below(known.len() as u64) as usize];
        }
        let place = self.new_element(ty);
        self.places.push((ty, place));
        place
    }

    /// An element by a constant index, one that is computed, or the sum of both.
    fn new_element(&mut self, ty: Type) -> Place {
        let (scalar, lanes) = (ty.scalar().unwrap_or(Scalar::I32), ty.lanes());
        let size = u64::from(scalar.bytes()) * u64::from(lanes);
        let half = 16 / size;
        let constant = self.r.below(half + 1);
        let mut index = self.f.iconst(Type::I32, constant);
        if self.r.below(2) == 0 {
            let (any, mask) = (self.pick(Type::I32), self.f.iconst(Type::I32, half - 1));
            let masked = self.push(InstKind::Binary(BinaryOp::And, any, mask), Type::I32);
            index = self.push(InstKind::Binary(BinaryOp::IAdd, masked, index), Type::I32);
        }
        let root = match self.r.below(7) {
            n @ 0..2 => Root::Slot(Slot(n as u32)),
            n @ 2..4 => Root::LocalArg(n as u32),
            n @ 4..6 => Root::Arg(n as u32 - 4),
            // The same memory as that of the first argument.
            _ => {
                let zext = ConvertOp::ZExt;
                let kind = InstKind::Convert { op: zext, value: index, saturate: false, rounding: None };
                let wide = self.push(kind, Type::I64);
                let (size, start) = (self.f.iconst(Type::I64, size), self.f.iconst(Type::I64, region(0)));
                let bytes = self.push(InstKind::Binary(BinaryOp::IMul, wide, size), Type::I64);
                let address = self.push(InstKind::Binary(BinaryOp::IAdd, bytes, start), Type::I64);
                return Place::Address(address);
            }
        };
        Place::Element { root, scalar, lanes, index }
    }

    fn slot_place(&mut self, ty: Type) -> Place {
        if self.kind == Kind::Memory {
            return self.element(ty);
        }
        let slot = Slot(self.r.below(3) as u32);
        if self.kind.is_unset() && self.r.below(6) == 0 {
            return self.computed_place(slot);
        }
        let step = if slot.0 == 2 { u64::from(ty.bytes()) } else { 4 };
        let most = (32 - u64::from(ty.bytes())) / step + 1;
        let offset = self.r.below(most) * step;
        self.place(slot, offset as i64)
    }

    fn convert(&mut self, from: Type) {
        let value = self.pick(from);
        if from.scalar().is_some_and(Scalar::is_float) || self.kind == Kind::Floats && self.r.below(3) == 0 {
            return self.convert_float(from, value);
        }
        let scalars = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
        let to = scalars[self.r.below(4) as usize];
        let (a, b) = (from.scalar().map_or(0, Scalar::bits), to.bits());
        let op = match (a.cmp(&b), self.r.below(2)) {
            (std::cmp::Ordering::Greater, _) => ConvertOp::Trunc,
            (std::cmp::Ordering::Less, 0) => ConvertOp::ZExt,
            (std::cmp::Ordering::Less, _) => ConvertOp::SExt,
            _ => return,
        };
        let kind = InstKind::Convert { op, value, saturate: false, rounding: None };
        self.push(kind, from.with_scalar(to));
    }

    /// A conversion from or to floats that has a result for all numbers, or the bits of a float.
    fn convert_float(&mut self, from: Type, value: Value) {
        let convert = |op, saturate| InstKind::Convert { op, value, saturate, rounding: None };
        let (kind, to) = match (from.scalar(), self.r.below(2)) {
            (Some(Scalar::F32), 0) => (InstKind::Bitcast(value), from.with_scalar(Scalar::I32)),
            (Some(Scalar::F64), 0) => (InstKind::Bitcast(value), from.with_scalar(Scalar::I64)),
            (Some(Scalar::F32), _) => {
                (convert(ConvertOp::FloatToFloat, false), from.with_scalar(Scalar::F64))
            }
            (Some(Scalar::F64), _) => {
                (convert(ConvertOp::FloatToFloat, false), from.with_scalar(Scalar::F32))
            }
            (_, 0) => (convert(ConvertOp::SToF, false), from.with_scalar(Scalar::F32)),
            _ => (convert(ConvertOp::UToF, false), from.with_scalar(Scalar::F64)),
        };
        self.push(kind, to);
    }

    fn vector(&mut self) {
        let v4 = Type::Vector(Scalar::I32, 4);
        let (a, b, s) = (self.pick(v4), self.pick(v4), self.pick(Type::I32));
        let lane = self.r.below(4) as u8;
        let _: Value = match self.r.below(5) {
            0 => self.push(InstKind::Extract(a, lane), Type::I32),
            1 => self.push(InstKind::Insert { vector: a, scalar: s, lane }, v4),
            2 => {
                let t = self.pick(Type::Vector(Scalar::I32, 3));
                self.push(InstKind::Construct(SmallVec::from_iter([t, s])), v4)
            }
            3 => {
                let mask = (0..4).map(|_| Some(self.r.below(8) as u8)).collect();
                self.push(InstKind::Shuffle(a, b, mask), v4)
            }
            _ => {
                let x = self.push(InstKind::Bitcast(a), Type::Vector(Scalar::I16, 8));
                self.push(InstKind::Bitcast(x), Type::Vector(Scalar::I64, 2));
                self.push(InstKind::Construct(SmallVec::from_iter([s])), v4)
            }
        };
    }
}

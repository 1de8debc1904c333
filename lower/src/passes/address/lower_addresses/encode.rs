//! Pointers as integers, in memory, in registers and for comparison.
//!
//! | pointer | integer |
//! |---|---|
//! | null | 0 |
//! | device address | itself |
//! | into a buffer that has a descriptor | the buffer's address plus the offset, if no pointer that is read could be into two such buffers; else as below |
//! | into a variable | the root's word in the high part, plus the offset |
//! | an integer that is no object's address, as a pointer to a variable | that integer: its high part stands for a word |
//!
//! The words have a pattern that no canonical address has, and all differ.
//! Integers of different objects therefore differ, and none is 0.
//! An offset a little below zero borrows from the word. Reading the word rounds ([`BELOW`]), so `p - 1` may be stored and made `p` again.
//! The low bits are the offset's, because roots start aligned.
//!
//! In the packed model ([`super::pack`]) the word of buffers is 0 and the integer is the packed offset.
//! It has 32 bits and is below all words, which have their uppermost bit set there.
//!
//! Two arguments may be one buffer or parts of one, so pointers into different arguments are compared by address.

use super::address::{Base, Form, Linear, Pointers, write_out};
use super::context::{Context, is_pointer};
use super::roots::{in_space, is_buffer};
use crate::error::LowerError;
use crate::ir::{BinaryOp, InstKind, IntCC, Root, Scalar, Space, Type, Value};
use crate::kernel_info::{BindingModel, Windows};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// In the packed model, set in words of 32-bit pointers.
const SIGN: u64 = Windows::END;
/// The number of bytes below a root's start at which a pointer still counts as the root's.
const BELOW: u64 = 4096;
/// The leading bits of the high word of a root's pointers, and their mask.
const TAG: u64 = 0x5a00_0000;
const TAG_MASK: u64 = 0xff00_0000;

impl Context<'_> {
    /// The integer type of addresses.
    pub(super) fn int(&self) -> Type {
        if self.address_bits == 64 { Type::I64 } else { Type::I32 }
    }

    /// The bit position of a root's number in a 32-bit address.
    pub(super) fn shift(&self) -> u32 {
        let top = if self.is_packed() { 31 } else { 32 };
        top - (self.numbers.len() as u32 + 1).next_power_of_two().trailing_zeros().max(1)
    }

    /// The i32 that names a root. It is 0 for packed offsets only.
    pub(super) fn word(&self, root: Root) -> u64 {
        if root == Root::Places {
            return 0;
        }
        let Some(number) = self.numbers.get(&root).map(|n| n + 1) else {
            self.nameless.set(Some(root));
            return 0;
        };
        if self.address_bits == 64 || self.model == BindingModel::Address {
            return TAG | u64::from(number);
        }
        let sign = if self.is_packed() { SIGN } else { 0 };
        sign | u64::from(number) << self.shift()
    }

    /// Returns whether integers of pointers into this root are its address plus the offset.
    fn by_address(&self, root: Root) -> bool {
        is_buffer(root) && !self.tags_buffers && root != Root::Places
    }
}

impl Pointers {
    /// A pointer as an integer of this type (i64, or i32 where addresses have 32 bits).
    pub fn encode(&mut self, rw: &mut Rewriter<'_>, linear: &Linear, ty: Type, cx: &Context<'_>) -> Value {
        match linear.base {
            Base::Address(_) | Base::Null => write_out(rw, linear, ty),
            Base::Root(Root::Places) => {
                let offset = write_out(rw, linear, Type::I32);
                rw.int_cast(offset, ty, false)
            }
            Base::Root(root) if cx.by_address(root) => {
                let address = self.address(rw.f, root, cx);
                offset_from(rw, address, linear, ty)
            }
            Base::Root(_) => {
                let which = self.which(rw.f, linear, cx);
                self.combined(rw, which, linear, ty)
            }
            Base::Pair(which) => self.combined(rw, which, linear, ty),
        }
    }

    /// The word in the high part plus the offset.
    fn combined(&self, rw: &mut Rewriter<'_>, which: Value, linear: &Linear, ty: Type) -> Value {
        let high = match ty {
            Type::I64 => {
                let wide = rw.int_cast(which, Type::I64, false);
                rw.binary_const(BinaryOp::Shl, wide, 32)
            }
            _ => which,
        };
        offset_from(rw, high, linear, ty)
    }

    /// As [`Self::encode`], but always with the addresses of buffers. Equal pointers have equal results.
    fn identity(
        &mut self,
        rw: &mut Rewriter<'_>,
        linear: &Linear,
        roots: &[Root],
        cx: &Context<'_>,
    ) -> Value {
        let ty = cx.int();
        match linear.base {
            Base::Root(root) if is_buffer(root) && root != Root::Places => {
                let address = self.address(rw.f, root, cx);
                offset_from(rw, address, linear, ty)
            }
            Base::Pair(which) => {
                let mut high = match ty {
                    Type::I64 => {
                        let wide = rw.int_cast(which, Type::I64, false);
                        rw.binary_const(BinaryOp::Shl, wide, 32)
                    }
                    _ => which,
                };
                for root in roots.iter().filter(|r| is_buffer(**r) && **r != Root::Places) {
                    let address = self.address(rw.f, *root, cx);
                    let word = rw.iconst(Type::I32, cx.word(*root));
                    let same = rw.icmp(IntCC::Eq, which, word);
                    high = rw.inst(InstKind::Select(same, address, high), ty);
                }
                offset_from(rw, high, linear, ty)
            }
            Base::Address(_) => self.encode(rw, linear, Type::I64, cx),
            _ => self.encode(rw, linear, ty, cx),
        }
    }

    /// As [`Self::encode`], for a pointer value with known roots.
    fn encode_value(&mut self, rw: &mut Rewriter<'_>, pointer: Value, cx: &Context<'_>) -> Value {
        let linear = self.linear_of(rw.f, pointer);
        match linear.base {
            Base::Pair(_) if !cx.tags_buffers => {
                let roots = cx.roots_of(pointer);
                self.identity(rw, &linear, &roots, cx)
            }
            Base::Address(_) => self.encode(rw, &linear, Type::I64, cx),
            _ => self.encode(rw, &linear, cx.int(), cx),
        }
    }

    /// Lowers `PtrToInt`.
    pub fn integer(
        &mut self,
        rw: &mut Rewriter<'_>,
        pointer: Value,
        result: Option<Value>,
        cx: &Context<'_>,
    ) -> Result<Option<Value>, LowerError> {
        let Some(ty) = result.map(|r| rw.f.ty(r)) else { return Ok(None) };
        if ty.lanes() != 1 || !ty.scalar().is_some_and(Scalar::is_int) {
            return Err(cx.not_yet("a pointer converted to something else than an integer"));
        }
        let integer = self.encode_value(rw, pointer, cx);
        Ok(Some(rw.int_cast(integer, ty, false)))
    }

    /// The value to store: a pointer is stored as its integer.
    pub fn stored(
        &mut self,
        rw: &mut Rewriter<'_>,
        value: Value,
        cx: &Context<'_>,
    ) -> Result<Value, LowerError> {
        if !self.is_pointer(rw.f, value) {
            return Ok(value);
        }
        let integer = self.encode_value(rw, value, cx);
        if rw.f.ty(integer) == Type::I64 && cx.int() != Type::I64 {
            return Err(cx.not_yet("a device address stored in 32 bits"));
        }
        Ok(integer)
    }

    /// The pointer that an integer encodes.
    pub fn decode(
        &mut self,
        rw: &mut Rewriter<'_>,
        integer: Value,
        pointer: Value,
        cx: &Context<'_>,
    ) -> Linear {
        let form = cx.form(pointer);
        match form {
            Form::Nothing => return Linear::start(Base::Null, 0),
            Form::Address | Form::Tagged => {
                let address = rw.int_cast(integer, Type::I64, false);
                return Linear::start(Base::Address(address), 0);
            }
            Form::Plain(root @ Root::Places) => {
                let offset = rw.int_cast(integer, Type::I32, false);
                return Linear::at(Base::Root(root), offset);
            }
            Form::Plain(_) | Form::Pair => {}
        }
        let bits = rw.int_cast(integer, cx.int(), false);
        let roots = cx.roots_of(pointer);
        let buffer = roots.iter().copied().find(|r| cx.by_address(*r));
        let (which, offset) = match buffer {
            None => self.split(rw, bits, cx),
            Some(root) => {
                let address = self.address(rw.f, root, cx);
                let from = rw.inst(InstKind::Binary(BinaryOp::ISub, bits, address), cx.int());
                let from = rw.int_cast(from, Type::I32, false);
                let word = self.which(rw.f, &Linear::start(Base::Root(root), 0), cx);
                let (zero, none) = (rw.iconst(cx.int(), 0), rw.iconst(Type::I32, 0));
                let is_null = rw.icmp(IntCC::Eq, bits, zero);
                let which = rw.inst(InstKind::Select(is_null, none, word), Type::I32);
                let from = rw.inst(InstKind::Select(is_null, none, from), Type::I32);
                if roots.len() == 1 {
                    (which, from)
                } else {
                    let (high, low) = self.split(rw, bits, cx);
                    let tagged = self.is_tagged(rw, bits);
                    let which = rw.inst(InstKind::Select(tagged, high, which), Type::I32);
                    (which, rw.inst(InstKind::Select(tagged, low, from), Type::I32))
                }
            }
        };
        match form {
            Form::Plain(root) => Linear::at(Base::Root(root), offset),
            _ => Linear::at(Base::Pair(which), offset),
        }
    }

    /// Splits an integer into the root's word and the offset.
    pub fn split(&self, rw: &mut Rewriter<'_>, bits: Value, cx: &Context<'_>) -> (Value, Value) {
        let ty = rw.f.ty(bits);
        let below = rw.iconst(ty, BELOW);
        let rounded = rw.add(bits, below);
        if ty == Type::I64 {
            let high = rw.binary_const(BinaryOp::LShr, rounded, 32);
            let high = rw.int_cast(high, Type::I32, false);
            return (high, rw.int_cast(bits, Type::I32, false));
        }
        let mask = u64::from(u32::MAX << cx.shift());
        let mut high = rw.binary_const(BinaryOp::And, rounded, mask);
        if cx.is_packed() {
            let zero = rw.iconst(ty, 0);
            let is_word = rw.icmp(IntCC::Slt, rounded, zero);
            high = rw.inst(InstKind::Select(is_word, high, zero), ty);
        }
        (high, rw.inst(InstKind::Binary(BinaryOp::ISub, bits, high), Type::I32))
    }

    /// Returns whether 64 bits encode a root and an offset.
    pub fn is_tagged(&self, rw: &mut Rewriter<'_>, bits: Value) -> Value {
        let below = rw.iconst(Type::I64, BELOW);
        let rounded = rw.add(bits, below);
        let high = rw.binary_const(BinaryOp::LShr, rounded, 32);
        let high = rw.int_cast(high, Type::I32, false);
        let top = rw.binary_const(BinaryOp::And, high, TAG_MASK);
        let tag = rw.iconst(Type::I32, TAG);
        rw.icmp(IntCC::Eq, top, tag)
    }

    /// Lowers a comparison of two pointers.
    pub fn compare(
        &mut self,
        rw: &mut Rewriter<'_>,
        cc: IntCC,
        (a, b): (Value, Value),
        cx: &Context<'_>,
    ) -> Value {
        let (x, y) = (self.linear_of(rw.f, a), self.linear_of(rw.f, b));
        let equality = matches!(cc, IntCC::Eq | IntCC::Ne);
        if x.base == y.base && matches!(x.base, Base::Root(_) | Base::Address(_)) {
            // Common terms cancel.
            let difference = x.minus(&y);
            if difference.terms.is_empty() {
                // Offsets into roots have 32 bits.
                let same = match x.base {
                    Base::Root(_) => difference.bytes as u32 == 0,
                    _ => difference.bytes == 0,
                };
                let holds = match cc {
                    IntCC::Eq => same,
                    IntCC::Ne => !same,
                    IntCC::Ult | IntCC::Slt => difference.bytes < 0,
                    IntCC::Ule | IntCC::Sle => difference.bytes <= 0,
                    IntCC::Ugt | IntCC::Sgt => difference.bytes > 0,
                    IntCC::Uge | IntCC::Sge => difference.bytes >= 0,
                };
                return rw.f.iconst(Type::BOOL, u64::from(holds));
            }
            if matches!(x.base, Base::Root(_)) {
                return same_root(rw, cc, &x, &y);
            }
        }
        if equality && let Some(equal) = self.equal(rw, (a, &x), (b, &y), cx) {
            return if cc == IntCC::Eq {
                equal
            } else {
                let one = rw.f.iconst(Type::BOOL, 1);
                rw.binary(BinaryOp::Xor, equal, one)
            };
        }
        let [x, y] = [(a, &x), (b, &y)].map(|(value, linear)| {
            let roots = cx.roots_of(value);
            let integer = self.identity(rw, linear, &roots, cx);
            let addresses = matches!(x.base, Base::Address(_)) || matches!(y.base, Base::Address(_));
            rw.int_cast(integer, if addresses { Type::I64 } else { cx.int() }, false)
        });
        rw.icmp(cc, x, y)
    }

    /// The equality of two pointers with different bases, if it needs no addresses.
    fn equal(
        &mut self,
        rw: &mut Rewriter<'_>,
        (a, x): (Value, &Linear),
        (b, y): (Value, &Linear),
        cx: &Context<'_>,
    ) -> Option<Value> {
        let constant = |rw: &mut Rewriter<'_>, holds: bool| rw.f.iconst(Type::BOOL, u64::from(holds));
        let null = |l: &Linear| l.base == Base::Null && l.terms.is_empty() && l.bytes == 0;
        for (one, (value, other)) in [(x, (b, y)), (y, (a, x))] {
            if !null(one) {
                continue;
            }
            return match other.base {
                Base::Null if null(other) => Some(constant(rw, true)),
                Base::Root(Root::Places) => {
                    let (offset, zero) = (write_out(rw, other, Type::I32), rw.iconst(Type::I32, 0));
                    Some(rw.icmp(IntCC::Eq, offset, zero))
                }
                Base::Pair(which) if cx.is_packed() || cx.is_number(value) => {
                    let offset = write_out(rw, other, Type::I32);
                    let both = rw.binary(BinaryOp::Or, which, offset);
                    let zero = rw.iconst(Type::I32, 0);
                    Some(rw.icmp(IntCC::Eq, both, zero))
                }
                Base::Root(Root::Arg(_)) | Base::Pair(_) => {
                    let which = self.which(rw.f, other, cx);
                    let zero = rw.iconst(Type::I32, 0);
                    Some(rw.icmp(IntCC::Eq, which, zero))
                }
                Base::Root(_) => Some(constant(rw, false)),
                // Neither null nor an object's address is a few bytes from 0.
                Base::Address(_) if other.terms.is_empty() && is_near(other.bytes) => {
                    Some(constant(rw, false))
                }
                Base::Null | Base::Address(_) => None,
            };
        }
        let (p, q) = (self.candidates(a, x, cx), self.candidates(b, y, cx));
        if p.address && q.address {
            return None;
        }
        let shared = p.roots.iter().any(|r| q.roots.contains(r));
        let buffers = |c: &Candidates| c.roots.iter().any(|r| matches!(r, Root::Arg(_)));
        let may_be_equal = shared || p.null && q.null || buffers(&p) && buffers(&q);
        if !may_be_equal {
            return Some(constant(rw, false));
        }
        let several = p.roots.iter().chain(&q.roots).filter(|r| matches!(r, Root::Arg(_)));
        let mut args: SmallVec<[Root; 4]> = several.copied().collect();
        args.sort();
        args.dedup();
        // Two arguments may be one buffer.
        if p.address || q.address || args.len() > 1 {
            return None;
        }
        let (w, v) = (self.which(rw.f, x, cx), self.which(rw.f, y, cx));
        let roots = rw.icmp(IntCC::Eq, w, v);
        let (w, v) = (write_out(rw, x, Type::I32), write_out(rw, y, Type::I32));
        let offsets = rw.icmp(IntCC::Eq, w, v);
        Some(rw.binary(BinaryOp::And, roots, offsets))
    }

    fn candidates(&self, pointer: Value, linear: &Linear, cx: &Context<'_>) -> Candidates {
        match linear.base {
            Base::Root(root) => Candidates {
                roots: SmallVec::from_slice(&[root]),
                address: false,
                null: matches!(root, Root::Arg(_) | Root::Places),
            },
            Base::Null => Candidates { roots: SmallVec::new(), address: false, null: true },
            Base::Pair(_) | Base::Address(_) => {
                let roots = cx.roots_of(pointer);
                let null = cx.info.get(&pointer).is_none_or(|i| i.null)
                    || roots.iter().any(|r| matches!(r, Root::Arg(_)));
                let address = matches!(linear.base, Base::Address(_));
                Candidates { roots, address, null: null || address }
            }
        }
    }

    /// Lowers `PtrDiff`: the bytes from one pointer to another.
    pub fn difference(
        &mut self,
        rw: &mut Rewriter<'_>,
        (a, b): (Value, Value),
        ty: Type,
        cx: &Context<'_>,
    ) -> Value {
        let (x, y) = (self.linear_of(rw.f, a), self.linear_of(rw.f, b));
        let constant = (x.base == y.base).then(|| x.minus(&y)).filter(|d| d.terms.is_empty());
        if let Some(Linear { bytes, .. }) = constant {
            return rw.iconst(ty, bytes as u64);
        }
        let difference = match (x.base, y.base) {
            // Offsets into a buffer may be 2 GiB apart.
            (Base::Root(p), Base::Root(q)) if p == q && is_buffer(p) && ty == Type::I64 => {
                let (x, y) = (raised(rw, &x, Type::I64), raised(rw, &y, Type::I64));
                rw.inst(InstKind::Binary(BinaryOp::ISub, x, y), Type::I64)
            }
            (Base::Root(p), Base::Root(q)) if p == q => {
                let bytes = write_out(rw, &x.minus(&y), Type::I32);
                return rw.int_cast(bytes, ty, true);
            }
            (Base::Address(p), Base::Address(q)) if p == q => write_out(rw, &x.minus(&y), Type::I64),
            _ => {
                let [x, y] = [(a, &x), (b, &y)].map(|(value, linear)| {
                    let roots = cx.roots_of(value);
                    let integer = self.identity(rw, linear, &roots, cx);
                    let addresses = matches!(x.base, Base::Address(_)) || matches!(y.base, Base::Address(_));
                    rw.int_cast(integer, if addresses { Type::I64 } else { cx.int() }, false)
                });
                let wide = rw.f.ty(x);
                rw.inst(InstKind::Binary(BinaryOp::ISub, x, y), wide)
            }
        };
        rw.int_cast(difference, ty, true)
    }

    /// Lowers `PtrFence`: 2 for a pointer into buffers, 1 for work-group memory, else 0.
    pub fn fence(&mut self, rw: &mut Rewriter<'_>, pointer: Value, cx: &Context<'_>) -> Value {
        let linear = self.linear_of(rw.f, pointer);
        let code = |root: Root| match root {
            Root::Slot(_) => 0,
            _ if in_space(root, Space::Local) => 1,
            _ => 2,
        };
        let (which, mut fence) = match linear.base {
            Base::Root(root) => return rw.iconst(Type::I32, code(root)),
            Base::Null => return rw.iconst(Type::I32, 0),
            Base::Pair(which) => (which, rw.iconst(Type::I32, 0)),
            Base::Address(_) => {
                let bits = write_out(rw, &linear, Type::I64);
                (self.split(rw, bits, cx).0, rw.iconst(Type::I32, 2))
            }
        };
        for root in cx.roots_of(pointer) {
            let (word, code) = (rw.iconst(Type::I32, cx.word(root)), rw.iconst(Type::I32, code(root)));
            let same = rw.icmp(IntCC::Eq, which, word);
            fence = rw.inst(InstKind::Select(same, code, fence), Type::I32);
        }
        fence
    }

    /// Records the pointer that was loaded from memory as an integer.
    pub fn define_loaded(&mut self, rw: &mut Rewriter<'_>, pointer: Value, integer: Value, cx: &Context<'_>) {
        debug_assert!(is_pointer(rw.f, pointer));
        let linear = self.decode(rw, integer, pointer, cx);
        self.define(pointer, linear);
    }
}

struct Candidates {
    roots: SmallVec<[Root; 2]>,
    address: bool,
    null: bool,
}

/// The offset plus [`BELOW`], so that unsigned comparison orders offsets a little below zero correctly.
fn raised(rw: &mut Rewriter<'_>, linear: &Linear, ty: Type) -> Value {
    let offset = write_out(rw, &linear.on(Base::Null).plus(BELOW), Type::I32);
    rw.int_cast(offset, ty, false)
}

/// high + offset. An offset a little below zero borrows.
fn offset_from(rw: &mut Rewriter<'_>, high: Value, linear: &Linear, ty: Type) -> Value {
    if ty == Type::I32 {
        let offset = write_out(rw, &linear.on(Base::Null), Type::I32);
        return rw.add(high, offset);
    }
    if linear.terms.is_empty() && i32::try_from(linear.bytes).is_ok() {
        let bytes = rw.iconst(ty, linear.bytes as u64);
        return rw.add(high, bytes);
    }
    let offset = raised(rw, linear, ty);
    let below = rw.iconst(ty, BELOW.wrapping_neg());
    let sum = rw.add(high, offset);
    rw.add(sum, below)
}

/// Returns whether a distance is not 0 and within [`BELOW`].
fn is_near(bytes: i64) -> bool {
    bytes != 0 && bytes.unsigned_abs() <= BELOW
}

/// Compares two pointers into one root by their offsets.
fn same_root(rw: &mut Rewriter<'_>, cc: IntCC, x: &Linear, y: &Linear) -> Value {
    if matches!(cc, IntCC::Eq | IntCC::Ne) {
        let (x, y) =
            (write_out(rw, &x.on(Base::Null), Type::I32), write_out(rw, &y.on(Base::Null), Type::I32));
        return rw.icmp(cc, x, y);
    }
    let (x, y) = (raised(rw, x, Type::I32), raised(rw, y, Type::I32));
    rw.icmp(cc, x, y)
}

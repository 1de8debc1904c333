//! Unaligned accesses of words: values that may straddle words, in memory that is accessed by words only.
//!
//! An access covers parts of its first and last word. A load shifts and combines the words.
//! A store masks the first and last word of private memory, and stores shared memory byte by byte, by atomics.
//!
//! ```text
//! load i32 at byte 4*n + s        becomes        word[n] >> 8s | word[n + 1] << (32 - 8s)
//! ```

use super::{
    access::{Kind, Memory},
    views::View,
};
use crate::ir::{BinaryOp, Place, Root, Scalar, Type, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

impl Memory<'_> {
    /// Returns whether an access of scalars aligned to `align` may straddle the words of a memory.
    /// The memory consists of words, or the device accesses it by words only.
    pub fn straddles(&self, scalar: Scalar, align: u32) -> bool {
        let words = match self.kind {
            Kind::View(_, view) => view == View::WORDS,
            Kind::Descriptor(_) | Kind::Address | Kind::Block(_) => {
                !Scalar::int(align).is_some_and(|unit| self.has_elements(unit))
            }
        };
        words && align < scalar.bytes().min(4)
    }

    /// Loads a value that may straddle words.
    pub fn load_across(&self, rw: &mut Rewriter<'_>, ty: Type, offset: u32) -> Value {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let (size, lanes) = (scalar.bytes(), ty.lanes());
        // The lanes of one access: up to four words, or one lane.
        let count = if size < 4 { 1 } else { (16 / size).min(u32::from(lanes)) as u8 };
        let mut parts: SmallVec<[Value; 8]> = SmallVec::new();
        for first in (0..lanes).step_by(count.into()) {
            let part = Type::new(scalar, count.min(lanes - first));
            parts.push(self.load_words_across(rw, part, offset + size * u32::from(first)));
        }
        rw.construct(&parts, ty)
    }

    /// Loads at max_shift four words, or a scalar of two bytes.
    fn load_words_across(&self, rw: &mut Rewriter<'_>, ty: Type, offset: u32) -> Value {
        let bytes = ty.scalar().map_or(4, Scalar::bytes) * u32::from(ty.lanes());
        let count = bytes.div_ceil(4);
        let (first, shift) = self.word_and_shift(rw, offset);
        // The word of the last byte is the last of these or the next, and never beyond the memory.
        let (last, _) = self.word_and_shift(rw, offset + bytes - 1);
        let mut whole: SmallVec<[Value; 5]> = SmallVec::new();
        for n in 0..count {
            let place = place_after(rw, first, n);
            whole.push(rw.load(place, Type::I32, self.flags(4)));
        }
        whole.push(rw.load(last, Type::I32, self.flags(4)));
        let max_shift = rw.iconst(Type::I32, 31);
        let left = rw.binary(BinaryOp::Xor, shift, max_shift);
        let words: SmallVec<[Value; 4]> = whole
            .windows(2)
            .map(|pair| {
                let low = rw.binary(BinaryOp::LShr, pair[0], shift);
                // pair[1] << (32 - shift), which is 0 for a shift of 0. In the same word it fills bits that are cut off.
                let high = rw.binary_const(BinaryOp::Shl, pair[1], 1);
                let high = rw.binary(BinaryOp::Shl, high, left);
                rw.binary(BinaryOp::Or, low, high)
            })
            .collect();
        if bytes < 4 {
            let int = Type::Scalar(Scalar::int(bytes).unwrap_or(Scalar::I32));
            let narrow = rw.int_cast(words[0], int, false);
            return rw.bitcast(narrow, ty);
        }
        let vector = rw.construct(&words, Type::new(Scalar::I32, count as u8));
        rw.bitcast(vector, ty)
    }

    /// Stores a value that may straddle words. Shared words change by atomics, byte by byte.
    pub fn store_across(&self, rw: &mut Rewriter<'_>, value: Value, offset: u32) {
        let ty = rw.f.ty(value);
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let (size, lanes) = (scalar.bytes(), ty.lanes());
        let private = matches!(self.kind, Kind::View(Root::Slot(_), _));
        let count = if size < 4 || !private { 1 } else { (16 / size).min(u32::from(lanes)) as u8 };
        for first in (0..lanes).step_by(count.into()) {
            let part = rw.lanes(value, first, count.min(lanes - first));
            let at = offset + size * u32::from(first);
            if private && size >= 4 {
                self.store_words_across(rw, part, at);
            } else {
                self.store_bytes(rw, part, at);
            }
        }
    }

    /// Stores the bytes of a scalar one by one.
    fn store_bytes(&self, rw: &mut Rewriter<'_>, value: Value, offset: u32) {
        let bytes = rw.f.ty(value).bytes();
        let int = Type::Scalar(Scalar::int(bytes).unwrap_or(Scalar::I32));
        let whole = rw.bitcast(value, int);
        for n in 0..bytes {
            let shifted =
                if n == 0 { whole } else { rw.binary_const(BinaryOp::LShr, whole, u64::from(8 * n)) };
            let byte = rw.int_cast(shifted, Type::Scalar(Scalar::I8), false);
            self.store_part_of_word(rw, byte, offset + n);
        }
    }

    /// Stores at max_shift four words into private memory.
    fn store_words_across(&self, rw: &mut Rewriter<'_>, value: Value, offset: u32) {
        let bytes = rw.f.ty(value).bytes();
        let count = (bytes / 4) as u8;
        let vector = rw.bitcast(value, Type::new(Scalar::I32, count));
        let words: SmallVec<[Value; 4]> = (0..count).map(|n| rw.extract(vector, n)).collect();
        let (first, shift) = self.word_and_shift(rw, offset);
        let (last, _) = self.word_and_shift(rw, offset + bytes - 1);
        let (max_shift, all) = (rw.iconst(Type::I32, 31), rw.iconst(Type::I32, u64::MAX));
        let left = rw.binary(BinaryOp::Xor, shift, max_shift);
        let above = rw.binary(BinaryOp::Shl, all, shift);
        let below = rw.binary(BinaryOp::Xor, above, all);
        let merge = |rw: &mut Rewriter<'_>, place: Place, keep: Value, set: Value| {
            let old = rw.load(place, Type::I32, self.flags(4));
            let kept = rw.binary(BinaryOp::And, old, keep);
            let new = rw.binary(BinaryOp::Or, kept, set);
            rw.store(place, new, self.flags(4));
        };
        let low = rw.binary(BinaryOp::Shl, words[0], shift);
        merge(rw, first, below, low);
        for n in 1..words.len() {
            let low = rw.binary(BinaryOp::Shl, words[n], shift);
            let high = carried_bits(rw, words[n - 1], left);
            let word = rw.binary(BinaryOp::Or, low, high);
            let place = place_after(rw, first, n as u32);
            rw.store(place, word, self.flags(4));
        }
        // The bits that carry into the next word. For a shift of 0 there are none, and the last word was just stored.
        let high = carried_bits(rw, words[words.len() - 1], left);
        merge(rw, last, above, high);
    }
}

/// word >> (32 - shift), with `left` as 31 - shift. The result for a shift of 0 is 0.
fn carried_bits(rw: &mut Rewriter<'_>, word: Value, left: Value) -> Value {
    let half = rw.binary_const(BinaryOp::LShr, word, 1);
    rw.binary(BinaryOp::LShr, half, left)
}

/// The place `words` words after another.
fn place_after(rw: &mut Rewriter<'_>, place: Place, words: u32) -> Place {
    match place {
        Place::Element { root, scalar, lanes, index } => {
            let more = rw.iconst(rw.f.ty(index), words.into());
            Place::Element { root, scalar, lanes, index: rw.add(index, more) }
        }
        Place::Address(address) => {
            let more = rw.iconst(rw.f.ty(address), u64::from(words) * 4);
            Place::Address(rw.add(address, more))
        }
        other => other,
    }
}

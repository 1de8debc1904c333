//! Images in buffers: the offsets of texels, and their bits.
//!
//! ```text
//! offset = x × texel + (y + z × height) × row        row = width × texel, rounded up to IMAGE_ROW_ALIGNMENT
//! ```
//!
//! An array's layer counts as the coordinate behind the others. The words at these offsets are operations on the image here
//! ([`ImageOp::LoadBits`] of four bytes, [`ImageOp::StoreBits`]), whose operand is the offset. `images_in_buffers` makes accesses of the
//! argument's buffer of them.

use super::{Image, Images, texel_type};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ImageOp, InstKind, IntCC, Level, Type, Value};
use crate::kernel_info::TexelClass;
use crate::target::IMAGE_ROW_ALIGNMENT;

impl Images<'_, '_> {
    /// Refuses what buffers have not: levels and several samples.
    pub(super) fn check_in_buffer(&self, image: Image, op: ImageOp, args: usize) -> Result<(), LowerError> {
        let levels = match op {
            ImageOp::Sample { level, .. } => level != Level::Zero,
            ImageOp::Write(_) => args > 2,
            _ => false,
        };
        if levels {
            return Err(self.not_yet("the levels of an image, on a device whose images are buffers"));
        }
        if image.ty.shape.multisampled {
            return Err(self.not_yet("an image with several samples, on a device whose images are buffers"));
        }
        Ok(())
    }

    /// The offset of a texel in bytes. `bytes` is the size of a texel.
    pub(super) fn offset_in_buffer(&mut self, image: Image, at: Value, bytes: Value) -> Value {
        let x = self.rw.extract(at, 0);
        let start = self.rw.binary(BinaryOp::IMul, x, bytes);
        let coordinates = image.ty.coordinates();
        if coordinates == 1 {
            return start;
        }
        let mut row = self.rw.extract(at, 1);
        if coordinates == 3 {
            let (z, height) = (self.rw.extract(at, 2), self.size(image, 1));
            let before = self.rw.binary(BinaryOp::IMul, z, height);
            row = self.rw.binary(BinaryOp::IAdd, row, before);
        }
        let width = self.size(image, 0);
        let used = self.rw.binary(BinaryOp::IMul, width, bytes);
        let up = self.rw.binary_const(BinaryOp::IAdd, used, u64::from(IMAGE_ROW_ALIGNMENT - 1));
        let pitch = self.rw.binary_const(BinaryOp::And, up, u64::from(!(IMAGE_ROW_ALIGNMENT - 1)));
        let above = self.rw.binary(BinaryOp::IMul, row, pitch);
        self.rw.binary(BinaryOp::IAdd, above, start)
    }

    /// The word at an offset, a multiple of 4.
    fn word_in_buffer(&mut self, image: Image, offset: Value) -> Value {
        let word = self.op(image, ImageOp::LoadBits(4), &[offset], texel_type(TexelClass::Uint));
        self.rw.extract(word, 0)
    }

    /// The word in which a texel begins, its offset, and the texel's first bit in it.
    fn first_word(&mut self, image: Image, at: Value, bytes: Value) -> (Value, Value, Value) {
        let offset = self.offset_in_buffer(image, at, bytes);
        let start = self.rw.binary_const(BinaryOp::And, offset, 0xffff_fffc);
        let byte = self.rw.binary_const(BinaryOp::And, offset, 3);
        let bit = self.rw.binary_const(BinaryOp::Shl, byte, 3);
        (self.word_in_buffer(image, start), start, bit)
    }

    /// The bits of a texel as [`ImageOp::LoadBits`] of its size gives them, with any bits above those of one or two bytes.
    pub(super) fn bits_in_buffer(&mut self, image: Image, at: Value, bytes: Value) -> Value {
        let ty = texel_type(TexelClass::Uint);
        let (first, start, bit) = self.first_word(image, at, bytes);
        let zero = self.rw.iconst(Type::I32, 0);
        let small = self.rw.binary(BinaryOp::LShr, first, bit);
        let small = self.rw.construct(&[small, zero, zero, zero], ty);
        let four = self.rw.iconst(Type::I32, 4);
        let large = self.rw.icmp(IntCC::Ugt, bytes, four);
        let mut fork = self.site.fork(self.rw, large, &[ty]);
        let sixteen = self.rw.iconst(Type::I32, 16);
        let whole = self.rw.icmp(IntCC::Eq, bytes, sixteen);
        let mut words = [first; 4];
        for (n, word) in (1u64..).zip(&mut words[1..]) {
            let mut there = self.rw.binary_const(BinaryOp::IAdd, start, 4 * n);
            if n > 1 {
                there = self.rw.inst(InstKind::Select(whole, there, start), Type::I32);
            }
            *word = self.word_in_buffer(image, there);
        }
        let mut halves = [zero; 4];
        for (n, half) in halves.iter_mut().enumerate() {
            *half = match n % 2 {
                0 => self.rw.binary_const(BinaryOp::And, words[n / 2], 0xffff),
                _ => self.rw.binary_const(BinaryOp::LShr, words[n / 2], 16),
            };
        }
        let (words, halves) = (self.rw.construct(&words, ty), self.rw.construct(&halves, ty));
        let bits = self.rw.inst(InstKind::Select(whole, words, halves), ty);
        fork.otherwise(self.site, self.rw, &[bits]);
        fork.join(self.site, self.rw, &[small])[0]
    }

    /// The bits of a texel of one, two or four bytes, or 0 if it is not needed. `shift` is the logarithm of its size.
    pub(super) fn small_texel_in_buffer(
        &mut self,
        image: Image,
        at: Value,
        shift: Value,
        needed: Option<Value>,
    ) -> Value {
        let (one, zero) = (self.rw.iconst(Type::I32, 1), self.rw.iconst(Type::I32, 0));
        let bytes = self.rw.binary(BinaryOp::Shl, one, shift);
        let (word, _, bit) = self.first_word(image, at, bytes);
        let texel = self.rw.binary(BinaryOp::LShr, word, bit);
        // The bits above the texel: none of four bytes.
        let four = self.rw.iconst(Type::I32, 4);
        let missing = self.rw.binary(BinaryOp::ISub, four, bytes);
        let missing = self.rw.binary_const(BinaryOp::Shl, missing, 3);
        let all = self.rw.iconst(Type::I32, 0xffff_ffff);
        let mask = self.rw.binary(BinaryOp::LShr, all, missing);
        let texel = self.rw.binary(BinaryOp::And, texel, mask);
        match needed {
            Some(needed) => self.rw.inst(InstKind::Select(needed, texel, zero), Type::I32),
            None => texel,
        }
    }
}

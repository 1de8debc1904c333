//! Block reads and writes: the raw bytes of an image's rows, for blocks of sub-groups (cl_intel_subgroups).
//!
//! The texels are accessed as unsigned integers of their size.
//! A read_only image has a sampled view for that. Other images have storage images with a format.
//!
//! A texel has one, two or four bytes. Images with larger texels give undefined values (cl_intel_subgroups, 6.13.X.1, "Restrictions").

use super::{Image, Images, texel_type};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ImageOp, InstKind, IntCC, Type, Value};
use crate::kernel_info::{ImageAccess, ImageDim, TexelClass};
use smallvec::SmallVec;

/// The sizes of a texel in bytes.
const SIZES: [u8; 3] = [4, 1, 2];

/// A byte of a row, located by the image's format.
struct Spot {
    /// The texel that has it.
    texel: Value,
    /// Its index in the texel.
    byte: Value,
    row: Value,
    /// The logarithm of the texel's size.
    shift: Value,
}

impl Images<'_, '_> {
    fn spot(&mut self, image: Image, place: Value) -> Result<Spot, LowerError> {
        let shape = image.ty.shape;
        if shape.dim != ImageDim::Two || shape.arrayed || shape.depth || shape.multisampled {
            return Err(self.not_yet("a block of an image that is no image2d_t"));
        }
        if self.features.widens_texels() {
            // Its small texels are widened in memory.
            return Err(
                self.not_yet("a block of an image on a device without shaderStorageImageExtendedFormats")
            );
        }
        let format = self.format(image);
        let shift = self.call("texel_shift", &[format])?;
        let (at, row) = (self.rw.extract(place, 0), self.rw.extract(place, 1));
        let texel = self.rw.binary(BinaryOp::AShr, at, shift);
        let one = self.rw.iconst(Type::I32, 1);
        let size = self.rw.binary(BinaryOp::Shl, one, shift);
        let last = self.rw.binary_const(BinaryOp::ISub, size, 1);
        let byte = self.rw.binary(BinaryOp::And, at, last);
        Ok(Spot { texel, byte, row, shift })
    }

    /// Reads `bytes` bytes at any byte, as one or two words. Bytes outside of the image are those of its edge.
    pub(super) fn read_bytes(&mut self, image: Image, place: Value, bytes: u8) -> Result<Value, LowerError> {
        let spot = self.spot(image, place)?;
        let (width, height) = (self.size(image, 0), self.size(image, 1));
        let row = self.clamp(spot.row, height);
        let words = if bytes == 8 { 2 } else { 1 };
        let mut parts: SmallVec<[Value; 4]> = SmallVec::from_elem(self.rw.iconst(Type::I32, 0), words);
        // A texel has at least one byte.
        for n in 0..bytes {
            // The start of the texel, in bytes from the first that is read.
            let n_texels = self.rw.iconst(Type::I32, n.into());
            let ahead = self.rw.binary(BinaryOp::Shl, n_texels, spot.shift);
            let begin = self.rw.binary(BinaryOp::ISub, ahead, spot.byte);
            let end = self.rw.iconst(Type::I32, bytes.into());
            let needed = (n > 0).then(|| self.rw.icmp(IntCC::Slt, begin, end));
            let column = self.rw.binary_const(BinaryOp::IAdd, spot.texel, n.into());
            let column = self.clamp(column, width);
            let at = self.vector(&[column, row]);
            let sizes = SIZES.into_iter().filter(|size| n == 0 || n * size < bytes + size - 1);
            let texel = self.texel_bits(image, at, spot.shift, needed, sizes);
            let begin = self.rw.binary_const(BinaryOp::IMul, begin, 8);
            for (word, part) in (0..).zip(parts.iter_mut()) {
                let first = self.rw.binary_const(BinaryOp::ISub, begin, 32 * word);
                let piece = self.call("part", &[texel, first])?;
                *part = self.rw.binary(BinaryOp::Or, *part, piece);
            }
        }
        Ok(self.vector(&parts))
    }

    /// The bits of an existing texel of one of the sizes, or 0 if it is not needed.
    fn texel_bits(
        &mut self,
        image: Image,
        at: Value,
        shift: Value,
        needed: Option<Value>,
        sizes: impl Iterator<Item = u8>,
    ) -> Value {
        let bits = texel_type(TexelClass::Uint);
        if self.features.images_in_buffers() {
            return self.small_texel_in_buffer(image, at, shift, needed);
        }
        if image.ty.access == ImageAccess::ReadOnly {
            let Some(needed) = needed else {
                let texel = self.op(image, ImageOp::FetchBits, &[at], bits);
                return self.rw.extract(texel, 0);
            };
            return self.where_it_holds(image, ImageOp::FetchBits, at, needed);
        }
        let mut found = self.rw.iconst(Type::I32, 0);
        for size in sizes {
            let fits = self.has_shift(shift, size);
            let fits = self.and(needed, fits);
            let texel = self.where_it_holds(image, ImageOp::LoadBits(size), at, fits);
            found = self.rw.binary(BinaryOp::Or, found, texel);
        }
        found
    }

    /// The first channel of a texel, or 0.
    fn where_it_holds(&mut self, image: Image, op: ImageOp, at: Value, condition: Value) -> Value {
        let zero = self.rw.iconst(Type::I32, 0);
        let mut fork = self.site.fork(self.rw, condition, &[Type::I32]);
        let texel = self.op(image, op, &[at], texel_type(TexelClass::Uint));
        let texel = self.rw.extract(texel, 0);
        fork.otherwise(self.site, self.rw, &[texel]);
        fork.join(self.site, self.rw, &[zero])[0]
    }

    fn has_shift(&mut self, shift: Value, size: u8) -> Value {
        let of_size = self.rw.iconst(Type::I32, size.trailing_zeros().into());
        self.rw.icmp(IntCC::Eq, shift, of_size)
    }

    /// Writes `bytes` bytes at a multiple of four, or of their number if that is less. Bytes outside of the image are dropped.
    /// If a texel is larger than a member's bytes, the first member that shares it writes it.
    pub(super) fn write_bytes(
        &mut self,
        image: Image,
        place: Value,
        member: Value,
        values: &[Value],
        bytes: u8,
    ) -> Result<(), LowerError> {
        self.check_writable(image)?;
        let spot = self.spot(image, place)?;
        let (width, height) = (self.size(image, 0), self.size(image, 1));
        let inside = self.rw.icmp(IntCC::Ult, spot.row, height);
        for size in SIZES {
            let fits = self.has_shift(spot.shift, size);
            let fits = self.and(Some(inside), fits);
            let sharing = (size / bytes).max(1);
            let fits = if sharing > 1 {
                let rest = self.rw.binary_const(BinaryOp::And, member, u64::from(sharing) - 1);
                let zero = self.rw.iconst(Type::I32, 0);
                let first = self.rw.icmp(IntCC::Eq, rest, zero);
                self.and(Some(fits), first)
            } else {
                fits
            };
            for n in 0..(bytes / size).max(1) {
                let column = self.rw.binary_const(BinaryOp::IAdd, spot.texel, n.into());
                let exists = self.rw.icmp(IntCC::Ult, column, width);
                let fits = self.and(Some(fits), exists);
                let (word, byte) = match sharing {
                    1 => (usize::from(n * size / 4), n * size % 4),
                    _ => (usize::from(sharing.trailing_zeros() as u8), 0),
                };
                let Some(value) = values.get(word) else {
                    return Err(self.not_yet("a block with other operands"));
                };
                let texel = self.rw.binary_const(BinaryOp::LShr, *value, u64::from(byte) * 8);
                let texel = match size {
                    4 => texel,
                    _ => self.rw.binary_const(BinaryOp::And, texel, (1 << (8 * size)) - 1),
                };
                let zero = self.rw.iconst(Type::I32, 0);
                let texel = self.rw.construct(&[texel, zero, zero, zero], texel_type(TexelClass::Uint));
                let mut at = self.vector(&[column, spot.row]);
                if self.features.images_in_buffers() {
                    let size = self.rw.iconst(Type::I32, size.into());
                    at = self.offset_in_buffer(image, at, size);
                }
                self.store(image, (at, texel), ImageOp::StoreBits(size, 0), Some(fits));
            }
        }
        Ok(())
    }
}

/// Returns whether an operation is one of these.
pub(super) fn is_source(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Image { op: ImageOp::ReadBytes(_) | ImageOp::WriteBytes(_), .. })
}

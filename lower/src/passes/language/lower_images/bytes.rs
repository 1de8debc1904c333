//! Bytes of an image's rows as they lie there, without conversion: what blocks of sub-groups read and write (cl_intel_subgroups). The texels are seen as
//! unsigned integers of their size: of a read_only image by a sampled view, of others by storage images that say their format.
//!
//! A texel has one, two or four bytes; what images with larger ones give is undefined (cl_intel_subgroups, 6.13.X.1, "Restrictions").

use super::{Image, Images, texel_type};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ImageOp, InstKind, IntCC, Type, Value};
use crate::kernel_info::{ImageAccess, ImageDim, TexelClass};
use smallvec::SmallVec;

/// The bytes of a texel.
const SIZES: [u8; 3] = [4, 1, 2];

/// A byte of a row, and what the image's format says of it.
struct Spot {
    /// The texel that it lies in.
    texel: Value,
    /// Which of the texel's bytes it is.
    byte: Value,
    row: Value,
    /// The logarithm of a texel's size.
    shift: Value,
}

impl Images<'_, '_> {
    fn spot(&mut self, image: Image, place: Value) -> Result<Spot, LowerError> {
        let shape = image.ty.shape;
        if shape.dim != ImageDim::Two || shape.arrayed || shape.depth || shape.multisampled {
            return Err(self.not_yet("a block of an image that is no image2d_t"));
        }
        if self.features.widens_texels() {
            // Its small texels do not lie there as they are.
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

    /// So many bytes from any byte on, as one or two words. Outside of the image lies what is at its edge.
    pub(super) fn read_bytes(&mut self, image: Image, place: Value, bytes: u8) -> Result<Value, LowerError> {
        let spot = self.spot(image, place)?;
        let (width, height) = (self.size(image, 0), self.size(image, 1));
        let row = self.clamp(spot.row, height);
        let words = if bytes == 8 { 2 } else { 1 };
        let mut parts: SmallVec<[Value; 4]> = SmallVec::from_elem(self.rw.iconst(Type::I32, 0), words);
        // A texel has a byte at the least.
        for n in 0..bytes {
            // Where the texel begins, counted in bytes from the first that is read.
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

    /// The bits of a texel that exists, of one of some sizes; none where it is not needed.
    fn texel_bits(
        &mut self,
        image: Image,
        at: Value,
        shift: Value,
        needed: Option<Value>,
        sizes: impl Iterator<Item = u8>,
    ) -> Value {
        let bits = texel_type(TexelClass::Uint);
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

    /// So many bytes from a multiple of four on, or of their number where that is less; what is outside of the image is dropped. Of texels with more bytes
    /// than a member writes the first of those that share one writes it.
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
                let at = self.vector(&[column, spot.row]);
                self.store(image, (at, texel), ImageOp::StoreBits(size, 0), Some(fits));
            }
        }
        Ok(())
    }
}

/// Whether an operation is one of these.
pub(super) fn is_source(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Image { op: ImageOp::ReadBytes(_) | ImageOp::WriteBytes(_), .. })
}

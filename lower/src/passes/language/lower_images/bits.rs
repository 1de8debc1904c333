//! Texels as bits: loads and stores of unsigned integers of a texel's size, if storage images need their format.
//!
//! The device says so by [`TargetFeatures::texels_as_bits`](crate::target::TargetFeatures::texels_as_bits).
//! The kernel packs and unpacks channels by the image's format.

use super::{Image, Images, class_name, texel_type};
use crate::error::LowerError;
use crate::ir::{ImageOp, IntCC, TEXEL_SIZES, Type, Value};
use crate::kernel_info::{ImageDim, TexelClass};

impl Images<'_, '_> {
    /// Returns whether the kernel packs and unpacks the image's texels.
    pub(super) fn as_bits(&self, image: Image) -> bool {
        self.features.texels_as_bits(image.ty.access, image.ty.shape.dim)
    }

    /// The format of the image's texels in memory, and their size in bytes.
    fn texel_bytes(&mut self, image: Image) -> Result<(Value, Value), LowerError> {
        let mut format = self.format(image);
        if self.features.images_in_buffers() {
            return Ok((format, self.call("buffer_texel_bytes", &[format])?));
        }
        if self.is_widened(image) {
            format = self.call("wide_format", &[format])?;
        }
        Ok((format, self.call("texel_bytes", &[format])?))
    }

    /// Returns whether small texels have four channels in memory. Those of buffers have the application's channels.
    fn is_widened(&self, image: Image) -> bool {
        self.features.widens_texels() && image.ty.shape.dim != ImageDim::Buffer
    }

    /// The texel sizes for which the device has storage images.
    fn sizes(&self) -> impl Iterator<Item = u8> + use<> {
        let extended =
            self.features.shader_storage_image_extended_formats || self.features.images_in_buffers();
        TEXEL_SIZES.into_iter().filter(move |bytes| extended || *bytes >= 4)
    }

    /// Returns whether the texels have `n` bytes. The condition is uniform.
    fn has_bytes(&mut self, bytes: Value, n: u8) -> Value {
        let n = self.rw.iconst(Type::I32, n.into());
        self.rw.icmp(IntCC::Eq, bytes, n)
    }

    /// The channels of a texel in the order of its bytes, unpacked from its bits.
    pub(super) fn load_bits(
        &mut self,
        image: Image,
        at: Value,
        class: TexelClass,
    ) -> Result<Value, LowerError> {
        let (format, bytes) = self.texel_bytes(image)?;
        if self.features.images_in_buffers() {
            let bits = self.bits_in_buffer(image, at, bytes);
            let source = if class == TexelClass::Float { "buffer" } else { "bits" };
            return self.call(&format!("{}_of_{source}", class_name(class)), &[bits, format]);
        }
        let ty = texel_type(TexelClass::Uint);
        let zero = self.rw.iconst(Type::I32, 0);
        let mut bits = self.rw.construct(&[zero; 4], ty);
        for n in self.sizes() {
            let fits = self.has_bytes(bytes, n);
            let mut fork = self.site.fork(self.rw, fits, &[ty]);
            let loaded = self.op(image, ImageOp::LoadBits(n), &[at], ty);
            fork.otherwise(self.site, self.rw, &[loaded]);
            bits = fork.join(self.site, self.rw, &[bits])[0];
        }
        let texel = self.call(&format!("{}_of_bits", class_name(class)), &[bits, format])?;
        if !self.is_widened(image) {
            return Ok(texel);
        }
        let own = self.format(image);
        self.call(&format!("{}_channels_of", class_name(class)), &[texel, own])
    }

    /// A store of channels, in the order of the texel's bytes, as bits.
    pub(super) fn store_bits(
        &mut self,
        image: Image,
        (at, texel): (Value, Value),
        class: TexelClass,
        (level, inside): (u8, Option<Value>),
    ) -> Result<(), LowerError> {
        let (format, bytes) = self.texel_bytes(image)?;
        let bits = if class == TexelClass::Float {
            let cut = self.rw.iconst(Type::I32, self.cut_halves.into());
            let place = if self.features.images_in_buffers() { "_in_buffer" } else { "" };
            self.call(&format!("bits_of_float{place}"), &[texel, format, cut])?
        } else {
            self.call("bits_of_int", &[texel, format])?
        };
        let at = if self.features.images_in_buffers() { self.offset_in_buffer(image, at, bytes) } else { at };
        for n in self.sizes() {
            let fits = self.has_bytes(bytes, n);
            let fits = self.and(inside, fits);
            self.store(image, (at, bits), ImageOp::StoreBits(n, level), Some(fits));
        }
        Ok(())
    }
}

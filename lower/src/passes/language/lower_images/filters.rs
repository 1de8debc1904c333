//! Linear filters and samples of levels, by a VkSampler or by fetched and blended texels.
//!
//! The kernel fetches and blends if the driver's filters are coarse.

use super::{Image, Images, LINEAR, Place, Sample, texel_type};
use crate::error::LowerError;
use crate::ir::{BinaryOp, Constant, ConvertOp, FloatCC, ImageOp, InstKind, IntCC, Level, Type, Value};
use crate::kernel_info::TexelClass;
use crate::target::Target;
use smallvec::SmallVec;

/// CL_SNORM_INT8, in a format's bits above the channel order.
const SNORM_INT8: u64 = 0x10D0;

/// The images whose linear filters the kernel computes, because the device's are too coarse or there is no sampler for them.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Coarse {
    None,
    /// Images of CL_SNORM_INT8.
    SignedBytes,
    All,
}

impl Coarse {
    pub(super) fn on(target: &Target) -> Coarse {
        let quirks = &target.quirks;
        if target.features.images_in_buffers() {
            return Coarse::All;
        }
        match (quirks.coarse_linear_filters, quirks.coarse_signed_filters) {
            (true, _) => Coarse::All,
            (false, true) => Coarse::SignedBytes,
            (false, false) => Coarse::None,
        }
    }
}

/// The two texels along a dimension that a linear filter reads.
struct Pair {
    /// Coordinates of existing texels, and whether the original ones are inside.
    ends: [(Value, Option<Value>); 2],
    /// The weight of the second texel.
    share: Value,
}

impl Images<'_, '_> {
    /// The level of detail of gradients.
    pub(super) fn level_of_gradients(
        &mut self,
        image: Image,
        gradients: &[Value],
    ) -> Result<Value, LowerError> {
        let zero = self.rw.f.constant(Type::F32, Constant::Bits(0));
        let of_four = |s: &mut Self, part: &mut dyn FnMut(&mut Self, u8) -> Value| {
            let parts: SmallVec<[Value; 4]> =
                (0..4).map(|n| if n < image.ty.dimensions() { part(s, n) } else { zero }).collect();
            s.rw.construct(&parts, texel_type(TexelClass::Float))
        };
        let mut args: SmallVec<[Value; 3]> = SmallVec::new();
        for gradient in gradients {
            args.push(of_four(self, &mut |s, n| s.rw.extract(*gradient, n)));
        }
        args.push(of_four(self, &mut |s, n| {
            let size = s.size(image, n);
            s.rw.convert(ConvertOp::UToF, size, Type::F32)
        }));
        self.call("gradient_level", &args)
    }

    /// A sample with a sampler that is known at run time only. Its branch is uniform.
    pub(super) fn either(&mut self, sample: Sample, rest: &[Value]) -> Result<Value, LowerError> {
        let linear = self.filters_linearly(sample);
        let ty = texel_type(TexelClass::Float);
        let mut fork = self.site.fork(self.rw, linear, &[ty]);
        let filtered = self.filter(sample, Level::Zero, rest)?;
        fork.otherwise(self.site, self.rw, &[filtered]);
        let nearest = self.nearest(sample, TexelClass::Float)?;
        Ok(fork.join(self.site, self.rw, &[nearest])[0])
    }

    /// Returns whether a run-time sampler has a linear filter.
    fn filters_linearly(&mut self, sample: Sample) -> Value {
        let filter = self.rw.binary_const(BinaryOp::LShr, sample.bits, 4);
        let filter = self.rw.binary_const(BinaryOp::And, filter, 3);
        let linear = self.rw.iconst(Type::I32, LINEAR);
        self.rw.icmp(IntCC::Eq, filter, linear)
    }

    /// A sample with a linear filter, or of levels. It uses a VkSampler if the device's is fine enough. Its branch is uniform.
    pub(super) fn filter(
        &mut self,
        sample: Sample,
        level: Level,
        rest: &[Value],
    ) -> Result<Value, LowerError> {
        match self.coarse {
            Coarse::None => return self.by_sampler(sample, level, rest),
            Coarse::All => return self.in_kernel(sample, level, rest),
            // -128 becomes -1 if nothing is blended.
            Coarse::SignedBytes if sample.known.is_some_and(|bits| bits >> 4 & 3 != LINEAR) => {
                return self.by_sampler(sample, level, rest);
            }
            Coarse::SignedBytes => {}
        }
        let format = self.format(sample.image);
        let channels = self.rw.binary_const(BinaryOp::LShr, format, 16);
        let signed_bytes = self.rw.iconst(Type::I32, SNORM_INT8);
        let signed = self.rw.icmp(IntCC::Eq, channels, signed_bytes);
        let ty = texel_type(TexelClass::Float);
        let mut fork = self.site.fork(self.rw, signed, &[ty]);
        let blended = self.in_kernel(sample, level, rest)?;
        fork.otherwise(self.site, self.rw, &[blended]);
        let filtered = self.by_sampler(sample, level, rest)?;
        Ok(fork.join(self.site, self.rw, &[filtered])[0])
    }

    /// The same sample, computed in the kernel.
    fn in_kernel(&mut self, sample: Sample, level: Level, rest: &[Value]) -> Result<Value, LowerError> {
        match level {
            Level::Zero => self.blended(sample),
            Level::Given | Level::Gradients => self.blended_levels(sample, level, rest),
        }
    }

    /// A sample with a level, computed in the kernel. If the sampler filters between levels, it blends the two levels around it,
    /// each with the sampler's filter.
    fn blended_levels(&mut self, sample: Sample, from: Level, rest: &[Value]) -> Result<Value, LowerError> {
        let mut level = match sample.level {
            Some(level) => level,
            None if from == Level::Gradients => self.level_of_gradients(sample.image, rest)?,
            None => return Err(self.not_yet("a sample of no level")),
        };
        if sample.known.is_none() {
            level = self.call("bounded_level", &[level, sample.bits])?;
        }
        let between = self.call("between_levels", &[level, sample.bits])?;
        let low = self.rw.extract(between, 0);
        let first = self.of_one_level(Sample { level: Some(low), ..sample })?;
        // Only sampler objects filter between levels.
        if sample.known.is_some() {
            return Ok(first);
        }
        let one = self.rw.f.constant(Type::F32, Constant::Bits(1f32.to_bits().into()));
        let high = self.rw.inst(InstKind::Binary(BinaryOp::FAdd, low, one), Type::F32);
        let second = self.of_one_level(Sample { level: Some(high), ..sample })?;
        let share = self.rw.extract(between, 1);
        let both = self.call("blend", &[first, second, share])?;
        // A weight of 0 selects the first sample, because 0 × infinity is not 0.
        let zero = self.rw.f.constant(Type::F32, Constant::Bits(0));
        let some = self.rw.inst(InstKind::FCmp(FloatCC::OGt, share, zero), Type::BOOL);
        Ok(self.rw.inst(InstKind::Select(some, both, first), texel_type(TexelClass::Float)))
    }

    /// A sample of the nearest level.
    fn of_one_level(&mut self, sample: Sample) -> Result<Value, LowerError> {
        match sample.known.map(|bits| bits >> 4 & 3 == LINEAR) {
            Some(true) => self.blended(sample),
            Some(false) => self.nearest(sample, TexelClass::Float),
            None => {
                let linear = self.filters_linearly(sample);
                let ty = texel_type(TexelClass::Float);
                let mut fork = self.site.fork(self.rw, linear, &[ty]);
                let filtered = self.blended(sample)?;
                fork.otherwise(self.site, self.rw, &[filtered]);
                let nearest = self.nearest(sample, TexelClass::Float)?;
                Ok(fork.join(self.site, self.rw, &[nearest])[0])
            }
        }
    }

    /// A linear filter, computed in the kernel: the texels around the coordinate, blended along one dimension after another.
    fn blended(&mut self, sample: Sample) -> Result<Value, LowerError> {
        let Sample { image, bits, coordinate, .. } = sample;
        let border = self.border_of(sample, TexelClass::Float)?;
        let level = sample.level.map(|level| self.whole_level(image, level));
        let (mut pairs, mut layer) = (SmallVec::<[Pair; 3]>::new(), None);
        for n in 0..image.ty.coordinates() {
            let (c, mut size) = (self.rw.extract(coordinate, n), self.size(image, n));
            if n >= image.ty.dimensions() {
                layer = Some(self.call("layer", &[c, size])?);
                continue;
            }
            if let Some(level) = level {
                size = self.of_level(size, level);
            }
            let both = self.call("pair", &[c, size, bits])?;
            let share = self.call("share", &[c, size, bits])?;
            let ends = [0, 1].map(|end| {
                let i = self.rw.extract(both, end);
                if border.is_none() {
                    return (i, None);
                }
                let clamped = self.clamp(i, size);
                (clamped, Some(self.rw.icmp(IntCC::Eq, i, clamped)))
            });
            pairs.push(Pair { ends, share });
        }
        let mut texels: SmallVec<[Value; 8]> = SmallVec::new();
        for corner in 0..1usize << pairs.len() {
            let (mut at, mut inside) = (SmallVec::<[Value; 4]>::new(), None);
            for (d, pair) in pairs.iter().enumerate() {
                let (i, fits) = pair.ends[corner >> d & 1];
                at.push(i);
                inside = fits.map_or(inside, |fits| Some(self.and(inside, fits)));
            }
            at.extend(layer);
            let place = Place { at: &at, inside, level };
            texels.push(self.fetch(image, TexelClass::Float, place, border)?);
        }
        for pair in &pairs {
            for n in 0..texels.len() / 2 {
                texels[n] = self.call("blend", &[texels[2 * n], texels[2 * n + 1], pair.share])?;
            }
            texels.truncate(texels.len() / 2);
        }
        Ok(texels[0])
    }

    /// A sample with a VkSampler.
    fn by_sampler(&mut self, sample: Sample, level: Level, rest: &[Value]) -> Result<Value, LowerError> {
        let Sample { image, bits, known, coordinate, .. } = sample;
        let dimensions = image.ty.dimensions();
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for n in 0..image.ty.coordinates() {
            let c = self.rw.extract(coordinate, n);
            if n >= dimensions {
                // Drivers differ in their results for layers far outside.
                let size = self.size(image, n);
                let layer = self.call("layer", &[c, size])?;
                parts.push(self.rw.convert(ConvertOp::SToF, layer, Type::F32));
                continue;
            }
            let c = self.normalized(image, n, c, (bits, known));
            parts.push(self.call("near", &[c, bits])?);
        }
        let mut args: SmallVec<[Value; 4]> = smallvec::smallvec![bits, self.vector(&parts)];
        for operand in rest {
            args.push(match level {
                Level::Gradients => self.rw.lanes(*operand, 0, dimensions),
                _ => *operand,
            });
        }
        let op = ImageOp::Filter { sampler: None, level };
        Ok(self.op(image, op, &args, texel_type(TexelClass::Float)))
    }

    /// A coordinate for a VkSampler: divided by the size, unless it is normalized.
    fn normalized(&mut self, image: Image, n: u8, c: Value, (bits, known): (Value, Option<u64>)) -> Value {
        if known.is_some_and(|bits| bits & 1 != 0) {
            return c;
        }
        let size = self.size(image, n);
        let size = self.rw.convert(ConvertOp::UToF, size, Type::F32);
        let divided = self.rw.inst(InstKind::Binary(BinaryOp::FDiv, c, size), Type::F32);
        if known.is_some() {
            return divided;
        }
        let zero = self.rw.iconst(Type::I32, 0);
        let normalized = self.rw.binary_const(BinaryOp::And, bits, 1);
        let normalized = self.rw.icmp(IntCC::Ne, normalized, zero);
        self.rw.inst(InstKind::Select(normalized, c, divided), Type::F32)
    }
}

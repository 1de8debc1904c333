//! Image lowering: OpenCL reads and writes of images become Vulkan texel fetches, stores and samples.
//!
//! ```text
//! read_imagef(image, CLK_NEAREST | CLK_CLAMP, (int2)(x, y))
//!     →    inside = x < width && y < height;  texel = fetch(image, min(x, width - 1), min(y, height - 1));  inside ? texel : border
//! ```
//!
//! | in OpenCL C | lowering |
//! |---|---|
//! | nearest filter, integer coordinates | the texel's coordinates are computed, and it is fetched: exact, whatever the device's sampler does |
//! | linear filter | a VkSampler with normalized coordinates; so are samples with a level of detail, for floats only |
//! | linear filter, if a driver's are coarse | the texels' coordinates are computed, and they are fetched and blended; so are levels |
//! | linear filter, if a driver's are coarse for signed bytes | both, behind a branch on the image's format |
//! | a sampler that the kernel does not know | a branch on its bits |
//! | `read_write` images | loads from a storage image |
//! | the same, if storage images need their format | loads and stores of the texel's bits, behind a branch on its size |
//! | writes | a store, unless the texel is outside |
//! | the same, and reads, if images are buffers | loads and stores at the texel's offset ([`in_buffers`]) |
//! | blocks of sub-groups | fetches, loads and stores of the texels' bits, whatever the device has: `bytes` |
//!
//! A fetch never goes outside, unless the device checks that itself. Coordinates are clamped, and the border is selected afterwards.
//! Channels are reordered if no swizzle does it: in storage images and texel buffers.
//! [`crate::kernel_info`] documents how images reach the kernel.
//! The arithmetic is the library's (`lower/mathlib/image.cl`). It is inlined, so it folds for samplers in the source.
//!
//! The pass runs before `inline`: an image is a parameter here, and `inline` makes it an argument of the kernel.

mod bits;
mod bytes;
mod filters;
mod in_buffers;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, ConvertOp, EntityMap, FloatCC, Func, ImageOp, ImageRef, ImageType, Inst, InstKind, IntCC,
    Level, MAX_LEVELS, Module, Opaque, OpaqueType, Scalar, Type, UnaryOp, Value,
};
use crate::kernel_info::{ImageAccess, ImageDim, TexelClass};
use crate::passes::language::lower_math::library::Library;
use crate::target::TargetFeatures;
use crate::transform::rewriter::{Rewriter, Site};
use filters::Coarse;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The addressing mode in which reads outside give the border.
const CLAMP: u64 = 2;
/// The linear filter.
const LINEAR: u64 = 2;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::NotYet`] for operations without a lowering.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    if module.opaques.is_empty() {
        return Ok(());
    }
    let mut library = Library::new(module, cx.target);
    let opaques = module.opaques.clone();
    for func in module.functions.keys().collect::<Vec<_>>() {
        run_function(module, func, &mut library, &opaques, cx)?;
    }
    library.finish(module);
    Ok(())
}

fn run_function(
    module: &mut Module,
    func: Func,
    library: &mut Library,
    opaques: &EntityMap<Opaque, OpaqueType>,
    cx: &PassContext<'_>,
) -> Result<(), LowerError> {
    let f = &mut module.functions[func];
    if !f.insts.values().any(|i| is_source(&i.kind)) {
        return Ok(());
    }
    let name = f.name.clone();
    let robust = cx.target.features.robust_image_access;
    let coarse = Coarse::on(cx.target);
    let (features, cut_halves) = (&cx.target.features, cx.target.quirks.truncated_half_texels);
    let layout = std::mem::take(&mut f.layout);
    let (mut map, mut done) = (FxHashMap::default(), Vec::with_capacity(layout.len()));
    for block in layout {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        let mut site = Site { at: block, done };
        for inst in insts {
            rw.at(inst);
            if !is_source(&rw.f.insts[inst].kind) {
                rw.keep(inst);
                continue;
            }
            let mut images = Images {
                rw: &mut rw,
                site: &mut site,
                library,
                opaques,
                robust,
                coarse,
                features,
                cut_halves,
                name: &name,
            };
            let new = images.rewrite(inst)?;
            if let (Some(old), Some(new)) = (rw.f.insts[inst].results.first().copied(), new) {
                map.insert(old, new);
            }
        }
        site.finish(&mut rw);
        done = site.done;
    }
    f.layout = done;
    f.replace_uses(&map);
    Ok(())
}

/// Returns whether an instruction is an OpenCL C image operation.
fn is_source(kind: &InstKind) -> bool {
    let InstKind::Image { op, .. } = kind else { return false };
    matches!(op, ImageOp::Sample { .. } | ImageOp::Read(_) | ImageOp::Write(_)) || bytes::is_source(kind)
}

/// The rewriter of one function's image operations.
struct Images<'a, 'f> {
    rw: &'a mut Rewriter<'f>,
    site: &'a mut Site,
    library: &'a mut Library,
    opaques: &'a EntityMap<Opaque, OpaqueType>,
    /// True if the device checks that texels exist.
    robust: bool,
    coarse: Coarse,
    features: &'a TargetFeatures,
    /// True if the device truncates floats to halves.
    cut_halves: bool,
    name: &'a str,
}

/// An image and its type.
#[derive(Clone, Copy)]
struct Image {
    handle: ImageRef,
    ty: ImageType,
}

/// The value of texels outside.
#[derive(Clone, Copy)]
struct Border {
    texel: Value,
    /// True if the sampler has no border after all. `None` if it certainly has one.
    none: Option<Value>,
}

/// A texel that exists.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: &'a [Value],
    /// True if the coordinates are inside. `None` if they always are.
    inside: Option<Value>,
    level: Option<Value>,
}

/// A sample with a sampler.
#[derive(Clone, Copy)]
struct Sample {
    image: Image,
    bits: Value,
    /// The sampler's bits, if they are known.
    known: Option<u64>,
    coordinate: Value,
    /// The level as a float.
    level: Option<Value>,
}

impl Images<'_, '_> {
    fn not_yet(&self, what: &str) -> LowerError {
        LowerError::NotYet { kernel: self.name.to_owned(), what: what.to_owned() }
    }

    fn rewrite(&mut self, inst: Inst) -> Result<Option<Value>, LowerError> {
        let data = &self.rw.f.insts[inst];
        let result = data.results.first().map(|r| self.rw.f.ty(*r));
        let InstKind::Image { op, image: ImageRef::Value(handle), args } = data.kind.clone() else {
            return Err(self.not_yet("an image that is an argument already"));
        };
        let ty = match self.rw.f.ty(handle) {
            Type::Opaque(opaque) => self.opaques.get(opaque),
            _ => None,
        };
        let Some(OpaqueType::Image(ty)) = ty else { return Err(self.not_yet("an image of no type")) };
        let image = Image { handle: ImageRef::Value(handle), ty: *ty };
        if self.features.images_in_buffers() {
            self.check_in_buffer(image, op, args.len())?;
        }
        match (op, &args[..]) {
            (ImageOp::Sample { class, level }, [bits, coordinate, rest @ ..]) => {
                self.check_readable(image)?;
                if image.ty.access == ImageAccess::ReadWrite {
                    // Its texels may change between two samples, and a sampled view does not see that.
                    return Err(self.not_yet("a read_write image that is read with a sampler"));
                }
                let sample = Sample {
                    image,
                    bits: *bits,
                    known: self.rw.f.const_bits(*bits),
                    coordinate: *coordinate,
                    level: rest.first().copied().filter(|_| level == Level::Given),
                };
                let texel = self.of_class(class, image, |s, class| s.sample(sample, level, rest, class))?;
                Ok(result.map(|ty| self.as_result(texel, ty)))
            }
            (ImageOp::Read(class), [coordinate, sample @ ..]) => {
                self.check_readable(image)?;
                let texel = self.of_class(class, image, |s, class| {
                    s.read(image, *coordinate, sample.first().copied(), class)
                })?;
                Ok(result.map(|ty| self.as_result(texel, ty)))
            }
            (ImageOp::Write(class), [coordinate, texel, level @ ..]) => {
                match level.first() {
                    Some(level) => self.write_level(image, (*coordinate, *texel), *level, class)?,
                    None => self.write(image, *coordinate, *texel, class)?,
                }
                Ok(None)
            }
            (ImageOp::ReadBytes(bytes), [place]) => {
                self.check_readable(image)?;
                Ok(Some(self.read_bytes(image, *place, bytes)?))
            }
            (ImageOp::WriteBytes(bytes), [place, member, values @ ..]) => {
                self.write_bytes(image, *place, *member, values, bytes)?;
                Ok(None)
            }
            _ => Err(self.not_yet("an image operation with other operands")),
        }
    }

    fn check_readable(&self, image: Image) -> Result<(), LowerError> {
        if image.ty.access == ImageAccess::WriteOnly {
            return Err(LowerError::InvalidModule(format!(
                "function '{}' reads a write_only image",
                self.name
            )));
        }
        Ok(())
    }

    /// A texel of a class. The image's format decides the signedness of integers if the module does not.
    fn of_class(
        &mut self,
        class: Option<TexelClass>,
        image: Image,
        mut texel: impl FnMut(&mut Self, TexelClass) -> Result<Value, LowerError>,
    ) -> Result<Value, LowerError> {
        if let Some(class) = class {
            return texel(self, class);
        }
        let signed = texel(self, TexelClass::Sint)?;
        let unsigned = texel(self, TexelClass::Uint)?;
        let which = self.is_unsigned(image)?;
        Ok(self.rw.inst(InstKind::Select(which, unsigned, signed), texel_type(TexelClass::Sint)))
    }

    /// A texel in the type of the source. A depth is the first channel.
    fn as_result(&mut self, texel: Value, ty: Type) -> Value {
        let texel = if ty.lanes() == 1 { self.rw.extract(texel, 0) } else { texel };
        if self.rw.f.ty(texel) == ty {
            return texel;
        }
        self.rw.convert(ConvertOp::FloatToFloat, texel, ty)
    }

    fn op(&mut self, image: Image, op: ImageOp, args: &[Value], ty: Type) -> Value {
        let args = Box::new(SmallVec::from_slice(args));
        self.rw.inst(InstKind::Image { op, image: image.handle, args }, ty)
    }

    fn size(&mut self, image: Image, dim: u8) -> Value {
        self.op(image, ImageOp::Size(dim), &[], Type::I32)
    }

    fn call(&mut self, name: &str, args: &[Value]) -> Result<Value, LowerError> {
        self.library.call_image(self.rw, name, args).ok_or_else(|| LowerError::Bug {
            pass: "lower_images",
            message: format!("the library has no '{name}'"),
        })
    }

    fn format(&mut self, image: Image) -> Value {
        self.op(image, ImageOp::Format, &[], Type::I32)
    }

    fn is_unsigned(&mut self, image: Image) -> Result<Value, LowerError> {
        let format = self.format(image);
        let answer = self.call("is_unsigned", &[format])?;
        let zero = self.rw.iconst(Type::I32, 0);
        Ok(self.rw.icmp(IntCC::Ne, answer, zero))
    }

    fn and(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.rw.inst(InstKind::Binary(BinaryOp::And, a, b), Type::BOOL),
            None => b,
        }
    }

    /// min(max(i, 0), n - 1), signed.
    fn clamp(&mut self, i: Value, n: Value) -> Value {
        let zero = self.rw.iconst(Type::I32, 0);
        let i = self.rw.inst(InstKind::Binary(BinaryOp::SMax, i, zero), Type::I32);
        let last = self.rw.binary_const(BinaryOp::ISub, n, 1);
        self.rw.inst(InstKind::Binary(BinaryOp::SMin, i, last), Type::I32)
    }

    /// A coordinate that may be fetched, and whether the original coordinate is inside.
    /// The library gives an inside coordinate for a float coordinate and a sampler without a border.
    fn bounded(&mut self, i: Value, size: Value, border: Border, floats: bool) -> (Value, Value) {
        if border.none.is_some() && !(floats && self.robust) {
            let clamped = self.clamp(i, size);
            return (clamped, self.rw.icmp(IntCC::Eq, i, clamped));
        }
        let fits = self.rw.icmp(IntCC::Ult, i, size);
        if self.robust {
            return (i, fits);
        }
        // The border replaces texels outside, whichever texel is fetched for them.
        let last = self.rw.binary_const(BinaryOp::ISub, size, 1);
        (self.rw.inst(InstKind::Binary(BinaryOp::UMin, i, last), Type::I32), fits)
    }

    /// A vector of coordinates. A single one is itself.
    fn vector(&mut self, parts: &[Value]) -> Value {
        match parts {
            [one] => *one,
            _ => {
                let ty = Type::new(self.rw.f.ty(parts[0]).scalar().unwrap_or(Scalar::I32), parts.len() as u8);
                self.rw.construct(parts, ty)
            }
        }
    }

    fn sample(
        &mut self,
        sample: Sample,
        level: Level,
        rest: &[Value],
        class: TexelClass,
    ) -> Result<Value, LowerError> {
        let floats = self.rw.f.ty(sample.coordinate).scalar() == Some(Scalar::F32);
        let filters = class == TexelClass::Float && floats;
        match (level, sample.known.map(|bits| bits >> 4 & 3 == LINEAR)) {
            (Level::Zero, _) if !filters => self.nearest(sample, class),
            (Level::Zero, Some(false)) => self.nearest(sample, class),
            (Level::Zero, Some(true)) => self.filter(sample, level, rest),
            (Level::Zero, None) => self.either(sample, rest),
            (Level::Given | Level::Gradients, _) if filters => self.filter(sample, level, rest),
            (Level::Given, _) => self.nearest_of_level(sample, class),
            (Level::Gradients, _) => {
                let level = self.level_of_gradients(sample.image, rest)?;
                self.nearest_of_level(Sample { level: Some(level), ..sample }, class)
            }
        }
    }

    /// The nearest texel of a level, within a sampler object's bounds of levels. Samplers in the source have no bounds.
    fn nearest_of_level(&mut self, sample: Sample, class: TexelClass) -> Result<Value, LowerError> {
        let level = match (sample.level, sample.known) {
            (Some(level), None) => Some(self.call("bounded_level", &[level, sample.bits])?),
            (level, _) => level,
        };
        self.nearest(Sample { level, ..sample }, class)
    }

    /// The nearest texel, or the border.
    fn nearest(&mut self, sample: Sample, class: TexelClass) -> Result<Value, LowerError> {
        let Sample { image, bits, coordinate, .. } = sample;
        let floats = self.rw.f.ty(coordinate).scalar() == Some(Scalar::F32);
        let border = self.border_of(sample, class)?;
        let level = sample.level.map(|level| self.whole_level(image, level));
        let (mut parts, mut inside) = (SmallVec::<[Value; 4]>::new(), None);
        for n in 0..image.ty.coordinates() {
            let c = self.rw.extract(coordinate, n);
            let mut size = self.size(image, n);
            if n >= image.ty.dimensions() {
                parts.push(if floats { self.call("layer", &[c, size])? } else { self.clamp(c, size) });
                continue;
            }
            if let Some(level) = level {
                size = self.of_level(size, level);
            }
            let i = if floats { self.call("texel", &[c, size, bits])? } else { c };
            let Some(border) = border else {
                parts.push(if floats { i } else { self.clamp(i, size) });
                continue;
            };
            let (place, fits) = self.bounded(i, size, border, floats);
            parts.push(place);
            inside = Some(self.and(inside, fits));
        }
        self.fetch(image, class, Place { at: &parts, inside, level }, border)
    }

    /// A size in a level, which is at least one texel.
    fn of_level(&mut self, size: Value, level: Value) -> Value {
        let shifted = self.rw.binary(BinaryOp::LShr, size, level);
        let one = self.rw.iconst(Type::I32, 1);
        self.rw.inst(InstKind::Binary(BinaryOp::UMax, shifted, one), Type::I32)
    }

    /// The value of texels outside. `None` for a sampler without a border.
    fn border_of(&mut self, sample: Sample, class: TexelClass) -> Result<Option<Border>, LowerError> {
        if sample.known.is_some_and(|bits| bits >> 1 & 7 != CLAMP) {
            return Ok(None);
        }
        let none = sample.known.is_none().then(|| {
            let mode = self.rw.binary_const(BinaryOp::And, sample.bits, 7 << 1);
            let clamp = self.rw.iconst(Type::I32, CLAMP << 1);
            self.rw.icmp(IntCC::Ne, mode, clamp)
        });
        Ok(Some(Border { texel: self.border(sample.image, class)?, none }))
    }

    /// A texel, or the border.
    fn fetch(
        &mut self,
        image: Image,
        class: TexelClass,
        place: Place<'_>,
        border: Option<Border>,
    ) -> Result<Value, LowerError> {
        let texel = self.fetch_inside(image, class, place)?;
        let (Some(mut inside), Some(border)) = (place.inside, border) else { return Ok(texel) };
        if let Some(none) = border.none {
            inside = self.rw.inst(InstKind::Binary(BinaryOp::Or, inside, none), Type::BOOL);
        }
        Ok(self.rw.inst(InstKind::Select(inside, texel, border.texel), texel_type(class)))
    }

    /// A texel that exists.
    fn fetch_inside(
        &mut self,
        image: Image,
        class: TexelClass,
        place: Place<'_>,
    ) -> Result<Value, LowerError> {
        if self.as_bits(image) {
            let at = self.vector(place.at);
            return self.unpacked(image, at, class);
        }
        let mut args: SmallVec<[Value; 2]> = smallvec::smallvec![self.vector(place.at)];
        args.extend(place.level);
        Ok(self.op(image, ImageOp::Fetch(class), &args, texel_type(class)))
    }

    /// A texel from its bits, with the channels of OpenCL.
    fn unpacked(&mut self, image: Image, at: Value, class: TexelClass) -> Result<Value, LowerError> {
        let texel = self.load_bits(image, at, class)?;
        if image.ty.shape.depth {
            return Ok(texel);
        }
        let format = self.format(image);
        self.call(&format!("unpack_{}", class_name(class)), &[texel, format])
    }

    /// The level of a nearest filter between levels, as an i32 within the image's levels. No level is NaN.
    fn whole_level(&mut self, image: Image, level: Value) -> Value {
        let levels = self.op(image, ImageOp::Levels, &[], Type::I32);
        let levels = self.rw.binary_const(BinaryOp::And, levels, 0xffff);
        let last = self.rw.binary_const(BinaryOp::ISub, levels, 1);
        let last_float = self.rw.convert(ConvertOp::UToF, last, Type::F32);
        let zero = self.rw.f.constant(Type::F32, crate::ir::Constant::Bits(0));
        let half = self.rw.f.constant(Type::F32, crate::ir::Constant::Bits(0.5f32.to_bits().into()));
        let above = self.rw.inst(InstKind::FCmp(FloatCC::OGt, level, zero), Type::BOOL);
        let level = self.rw.inst(InstKind::Select(above, level, zero), Type::F32);
        let below = self.rw.inst(InstKind::FCmp(FloatCC::OLt, level, last_float), Type::BOOL);
        let level = self.rw.inst(InstKind::Select(below, level, last_float), Type::F32);
        let rounded = self.rw.inst(InstKind::Binary(BinaryOp::FAdd, level, half), Type::F32);
        self.rw.convert(ConvertOp::FToU, rounded, Type::I32)
    }

    fn border(&mut self, image: Image, class: TexelClass) -> Result<Value, LowerError> {
        let format = self.format(image);
        let alpha = self.call("border_alpha", &[format])?;
        let (zero, alpha) = if class == TexelClass::Float {
            let zero = self.rw.f.constant(Type::F32, crate::ir::Constant::Bits(0));
            (zero, self.rw.convert(ConvertOp::SToF, alpha, Type::F32))
        } else {
            (self.rw.iconst(Type::I32, 0), alpha)
        };
        Ok(self.rw.construct(&[zero, zero, zero, alpha], texel_type(class)))
    }

    /// A read without a sampler.
    fn read(
        &mut self,
        image: Image,
        coordinate: Value,
        sample: Option<Value>,
        class: TexelClass,
    ) -> Result<Value, LowerError> {
        let buffer = image.ty.shape.dim == ImageDim::Buffer;
        let trusted = self.robust && !buffer;
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for n in 0..image.ty.coordinates() {
            let c = self.rw.extract(coordinate, n);
            // Every read clamps layers.
            parts.push(if trusted && n < image.ty.dimensions() {
                c
            } else {
                let size = self.size(image, n);
                self.clamp(c, size)
            });
        }
        let stored = image.ty.access == ImageAccess::ReadWrite;
        if let Some(sample) = sample {
            if stored {
                return Err(self.not_yet("a read_write image with several samples"));
            }
            let layer = self.layer_of_sample(image, sample, parts.get(2).copied());
            parts.truncate(2);
            parts.push(layer);
        }
        let at = self.vector(&parts);
        if self.as_bits(image) {
            return self.unpacked(image, at, class);
        }
        let op = if stored { ImageOp::Load(class) } else { ImageOp::Fetch(class) };
        let texel = self.op(image, op, &[at], texel_type(class));
        if (stored || buffer) && !image.ty.shape.depth {
            let format = self.format(image);
            return self.call(&format!("unpack_{}", class_name(class)), &[texel, format]);
        }
        Ok(texel)
    }

    /// The layer of Vulkan's image that has a sample: the samples of an image are layers, one after the other
    /// ([`ImageShape::is_layered`](crate::kernel_info::ImageShape::is_layered)).
    fn layer_of_sample(&mut self, image: Image, sample: Value, layer: Option<Value>) -> Value {
        let samples = self.op(image, ImageOp::Levels, &[], Type::I32);
        let samples = self.rw.binary_const(BinaryOp::LShr, samples, 16);
        let sample = self.clamp(sample, samples);
        let Some(layer) = layer else { return sample };
        let before = self.rw.binary(BinaryOp::IMul, layer, samples);
        self.rw.binary(BinaryOp::IAdd, before, sample)
    }

    fn write(
        &mut self,
        image: Image,
        coordinate: Value,
        texel: Value,
        class: Option<TexelClass>,
    ) -> Result<(), LowerError> {
        self.check_writable(image)?;
        let any = class.unwrap_or(TexelClass::Sint);
        let texel = self.packed(image, texel, any)?;
        let trusted = self.robust && image.ty.shape.dim != ImageDim::Buffer;
        let (mut parts, mut inside) = (SmallVec::<[Value; 4]>::new(), None);
        for n in 0..image.ty.coordinates() {
            let c = self.rw.extract(coordinate, n);
            parts.push(c);
            if !trusted {
                let size = self.size(image, n);
                let fits = self.rw.icmp(IntCC::Ult, c, size);
                inside = Some(self.and(inside, fits));
            }
        }
        let at = self.vector(&parts);
        self.store_as(image, (at, texel), class, 0, inside)
    }

    /// A write to a level. Each level has a view of its own.
    fn write_level(
        &mut self,
        image: Image,
        (coordinate, texel): (Value, Value),
        level: Value,
        class: Option<TexelClass>,
    ) -> Result<(), LowerError> {
        self.check_writable(image)?;
        let texel = self.packed(image, texel, class.unwrap_or(TexelClass::Sint))?;
        let levels = self.op(image, ImageOp::Levels, &[], Type::I32);
        let levels = self.rw.binary_const(BinaryOp::And, levels, 0xffff);
        let mut inside = self.rw.icmp(IntCC::Ult, level, levels);
        let mut parts = SmallVec::<[Value; 4]>::new();
        for n in 0..image.ty.coordinates() {
            let c = self.rw.extract(coordinate, n);
            let mut size = self.size(image, n);
            if n < image.ty.dimensions() {
                size = self.of_level(size, level);
            }
            let fits = self.rw.icmp(IntCC::Ult, c, size);
            inside = self.and(Some(inside), fits);
            parts.push(c);
        }
        let at = self.vector(&parts);
        for n in 0..MAX_LEVELS {
            let known = self.rw.f.const_bits(level);
            if known.is_some_and(|level| level != u64::from(n)) {
                continue;
            }
            let this = self.rw.iconst(Type::I32, n.into());
            let this = self.rw.icmp(IntCC::Eq, level, this);
            let condition = if known.is_some() { inside } else { self.and(Some(inside), this) };
            self.store_as(image, (at, texel), class, n, Some(condition))?;
        }
        Ok(())
    }

    fn check_writable(&self, image: Image) -> Result<(), LowerError> {
        if image.ty.access == ImageAccess::ReadOnly || image.ty.shape.multisampled {
            return Err(LowerError::InvalidModule(format!(
                "function '{}' writes an image that it may not write",
                self.name
            )));
        }
        Ok(())
    }

    /// A store of texels of a class, or of the class of the image's format.
    fn store_as(
        &mut self,
        image: Image,
        value: (Value, Value),
        class: Option<TexelClass>,
        level: u8,
        inside: Option<Value>,
    ) -> Result<(), LowerError> {
        if self.as_bits(image) {
            return self.store_bits(image, value, class.unwrap_or(TexelClass::Sint), (level, inside));
        }
        let Some(class) = class else {
            let unsigned = self.is_unsigned(image)?;
            let signed = self.rw.inst(InstKind::Unary(UnaryOp::Not, unsigned), Type::BOOL);
            for (class, fits) in [(TexelClass::Uint, unsigned), (TexelClass::Sint, signed)] {
                let fits = self.and(inside, fits);
                self.store(image, value, ImageOp::Store(class, level), Some(fits));
            }
            return Ok(());
        };
        self.store(image, value, ImageOp::Store(class, level), inside);
        Ok(())
    }

    /// The channels in the image's order.
    fn packed(&mut self, image: Image, texel: Value, class: TexelClass) -> Result<Value, LowerError> {
        let scalar = texel_type(class).scalar().unwrap_or(Scalar::I32);
        let ty = self.rw.f.ty(texel).with_scalar(scalar);
        let mut texel = texel;
        if self.rw.f.ty(texel) != ty {
            texel = self.rw.convert(ConvertOp::FloatToFloat, texel, ty);
        }
        if ty.lanes() == 1 {
            let zero = self.rw.f.constant(Type::Scalar(scalar), crate::ir::Constant::Bits(0));
            return Ok(self.rw.construct(&[texel, zero, zero, zero], texel_type(class)));
        }
        let format = self.format(image);
        self.call(&format!("pack_{}", class_name(class)), &[texel, format])
    }

    /// A store under a condition.
    fn store(&mut self, image: Image, (at, texel): (Value, Value), op: ImageOp, condition: Option<Value>) {
        let args = Box::new(smallvec::smallvec![at, texel]);
        let kind = InstKind::Image { op, image: image.handle, args };
        let Some(condition) = condition else { return self.rw.void(kind) };
        let mut fork = self.site.fork(self.rw, condition, &[]);
        self.rw.void(kind);
        fork.otherwise(self.site, self.rw, &[]);
        fork.join(self.site, self.rw, &[]);
    }
}

fn texel_type(class: TexelClass) -> Type {
    match class {
        TexelClass::Float => Type::Vector(Scalar::F32, 4),
        TexelClass::Sint | TexelClass::Uint => Type::Vector(Scalar::I32, 4),
    }
}

fn class_name(class: TexelClass) -> &'static str {
    if class == TexelClass::Float { "float" } else { "int" }
}

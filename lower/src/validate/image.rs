//! The rules of images and samplers.

use super::rules::Rule;
use super::types::{Class, Kind};
use super::{Check, Checker, Fault, broken, ensure, unsupported};
use spirv_io::Instruction;
use spirv_io::spirv::{Dim, ImageOperands, Op};

impl Checker<'_> {
    /// OpTypeImage (the SPIR-V Environment specification, "Validation Rules").
    pub(super) fn image_type(&self, inst: &Instruction<'_>) -> Check {
        ensure(self.kind(inst.word(1)?) == Kind::Void, "an image of kernels has the sampled type void")?;
        let dim = Dim::from_u32(inst.word(2)?);
        let arrayed = inst.word(4)?;
        match dim {
            Some(Dim::Dim1D | Dim::Dim2D) => ensure(arrayed <= 1, "Arrayed is 0 or 1")?,
            Some(Dim::Dim3D | Dim::DimBuffer) => ensure(arrayed == 0, "such images have no arrays")?,
            Some(other) => return unsupported(format!("images of dimension {other:?}")),
            None => return broken("there is no such dimension"),
        }
        ensure(inst.word(3)? <= 2 && inst.word(5)? <= 1, "Depth is 0 to 2, MS 0 or 1")?;
        if inst.word(5)? == 1 {
            ensure(dim == Some(Dim::Dim2D), "images with several samples have two dimensions")?;
        }
        ensure(inst.word(6)? == 0 && inst.word(7)? == 0, "Sampled and the format are 0 in kernels")?;
        ensure(inst.rest(8).first().is_some_and(|access| *access <= 2), "the access qualifier is 0, 1 or 2")
    }

    /// The components of coordinates of an image type.
    fn coordinates(&self, image: u32) -> u32 {
        let dimensions = match Dim::from_u32(self.m.operand(image, 2)) {
            Some(Dim::Dim2D) => 2,
            Some(Dim::Dim3D) => 3,
            _ => 1,
        };
        dimensions + u32::from(self.m.operand(image, 4) != 0)
    }

    /// The image type of a value.
    fn image(&self, id: u32) -> Result<u32, Fault> {
        match self.kind_of(id) {
            Kind::Image => Ok(self.type_of(id)),
            _ => broken(format!("%{id} is no image")),
        }
    }

    fn coordinate(&self, id: u32, image: u32, float: bool) -> Check {
        let fits = match self.kind_of(id).numeric() {
            Some((Class::Int, 32, lanes)) => lanes >= self.coordinates(image),
            Some((Class::Float, 32, lanes)) => float && lanes >= self.coordinates(image),
            _ => false,
        };
        ensure(fits, "the coordinate is not of 32 bits, or has fewer components than the image needs")
    }

    fn texel(&self, ty: u32) -> Check {
        let fits = match self.kind(ty).numeric() {
            Some((Class::Int, 32, lanes)) | Some((Class::Float, 16 | 32, lanes)) => matches!(lanes, 1 | 4),
            _ => false,
        };
        ensure(fits, "a texel is one or four of float, half or 32-bit integers")
    }

    /// Image operands from word `from` on: a mask, and what its bits ask for.
    fn image_operands(&self, inst: &Instruction<'_>, from: usize) -> Result<ImageOperands, Fault> {
        let Some(mask) = inst.rest(from).first() else { return Ok(ImageOperands::empty()) };
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SAMPLE
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        let mask = ImageOperands::from_bits_retain(*mask);
        if !known.contains(mask) {
            return unsupported(format!("the image operands {:#x}", mask.bits()));
        }
        let both = ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND;
        ensure(!mask.contains(both), "a texel is extended by sign and by zero")?;
        let mut ids = inst.rest(from + 1).iter();
        let mut next = |class: Class, count: usize| {
            for _ in 0..count {
                let id = ids.next().ok_or_else(|| Fault::Rule("an image operand is missing".to_owned()))?;
                let found = self.kind_of(*id).numeric();
                ensure(
                    found.is_some_and(|n| n.0 == class && n.1 == 32),
                    "an image operand has another type",
                )?;
            }
            Ok::<(), Fault>(())
        };
        next(Class::Float, usize::from(mask.contains(ImageOperands::LOD)))?;
        next(Class::Float, 2 * usize::from(mask.contains(ImageOperands::GRAD)))?;
        next(Class::Int, usize::from(mask.contains(ImageOperands::SAMPLE)))?;
        ensure(ids.next().is_none(), "there are more image operands than the mask asks for")?;
        Ok(mask)
    }

    /// The rules of images; the others are passed on.
    pub(super) fn image_rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        match rule {
            Rule::SampledImage => {
                let image = self.image(inst.word(2)?)?;
                let of = self.m.operand(inst.word(0)?, 1);
                ensure(self.kind(inst.word(0)?) == Kind::SampledImage, "the result is no sampled image")?;
                ensure(of == image, "the result is of another image type")?;
                ensure(self.kind_of(inst.word(3)?) == Kind::Sampler, "the second operand is no sampler")
            }
            Rule::Sample => {
                ensure(self.kind_of(inst.word(2)?) == Kind::SampledImage, "it samples no sampled image")?;
                let image = self.m.operand(self.type_of(inst.word(2)?), 1);
                self.coordinate(inst.word(3)?, image, true)?;
                self.texel(inst.word(0)?)?;
                let mask = self.image_operands(inst, 4)?;
                let level = mask.intersects(ImageOperands::LOD | ImageOperands::GRAD);
                ensure(level, "a level of detail or gradients are missing")
            }
            Rule::ImageRead => {
                let image = self.image(inst.word(2)?)?;
                self.coordinate(inst.word(3)?, image, false)?;
                self.texel(inst.word(0)?)?;
                let sample = self.image_operands(inst, 4)?.contains(ImageOperands::SAMPLE);
                ensure(sample == (self.m.operand(image, 5) != 0), "a sample is for images of several")
            }
            Rule::ImageWrite => {
                let image = self.image(inst.word(0)?)?;
                self.coordinate(inst.word(1)?, image, false)?;
                self.texel(self.type_of(inst.word(2)?))?;
                self.image_operands(inst, 3).map(|_| ())
            }
            Rule::ImageQuery => {
                let image = self.image(inst.word(2)?)?;
                let Some(lanes) = self.kind(inst.word(0)?).lanes_of(Class::Int) else {
                    return broken("the result is no integer");
                };
                let size = matches!(inst.op, Op::ImageQuerySize | Op::ImageQuerySizeLod);
                let expected = if size { self.coordinates(image) } else { 1 };
                ensure(lanes == expected, "the result has another number of components")?;
                let level = inst.rest(3).first().is_none_or(|id| self.kind_of(*id).is_int_scalar());
                ensure(level, "the level is no integer")
            }
            _ => self.function_rule(rule, inst),
        }
    }
}

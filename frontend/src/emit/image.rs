//! Images and samplers (§6.15.15): OpImageSampleExplicitLod, OpImageRead, OpImageWrite and the queries.

use super::error::Emit;
use super::function::FunctionEmitter;
use super::module::Module;
use crate::builtins::Builtin;
use crate::builtins::image::ImageType;
use crate::builtins::op::{ImageOp, Lod, Query};
use crate::hir::Expr;
use crate::types::{Scalar, Type};
use spirv_io::Id;
use spirv_io::spirv::{Capability, ImageOperands, Op, SamplerAddressingMode, SamplerFilterMode};

/// CLK_R: the first channel order (the API's CL_R); SPIR-V counts from 0.
const FIRST_ORDER: u32 = 0x10B0;
/// CLK_SNORM_INT8: the first channel type.
const FIRST_TYPE: u32 = 0x10D0;

impl Module<'_> {
    /// The sampler that an integer describes (§6.15.15.1): bit 0 normalized coordinates, bits 1 to 3 the addressing
    /// mode, bits 4 and 5 the filter.
    pub fn sampler_constant(&mut self, bits: u32) -> Id {
        // OpenCL devices have literal samplers with images only (SPIR-V environment, "Image Support"), so the module asks for
        // both.
        self.b.capability(Capability::ImageBasic);
        self.b.capability(Capability::LiteralSampler);
        let addressing = match bits >> 1 & 7 {
            1 => SamplerAddressingMode::ClampToEdge,
            2 => SamplerAddressingMode::Clamp,
            3 => SamplerAddressingMode::Repeat,
            4 => SamplerAddressingMode::RepeatMirrored,
            _ => SamplerAddressingMode::None,
        };
        let filter = match bits >> 4 & 3 {
            2 => SamplerFilterMode::Linear,
            _ => SamplerFilterMode::Nearest,
        };
        let ty = self.b.unique(Op::TypeSampler, None, &[]);
        self.b.unique(Op::ConstantSampler, Some(ty), &[addressing as u32, bits & 1, filter as u32])
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// An image function.
    pub fn image(&mut self, op: ImageOp, ids: &[Id], args: &'a [Expr], builtin: &Builtin) -> Emit<Id> {
        let (Some(&image), Some(arg)) = (ids.first(), args.first()) else {
            return self.wrong_arguments(builtin);
        };
        let what = match self.m.program.types.get(arg.ty.ty) {
            Type::Image(name, _) => ImageType::find(name),
            _ => None,
        };
        let Some(what) = what else { return self.wrong_arguments(builtin) };
        match (op, ids) {
            (ImageOp::Sample { lod, signed }, [_, sampler, at, rest @ ..]) => {
                let image_type = self.m.value_type(arg.ty.ty)?;
                let sampled_type = self.m.b.unique(Op::TypeSampledImage, None, &[image_type.0]);
                let sampled = self.op(Op::SampledImage, sampled_type, &[image.0, sampler.0]);
                let (mask, values) = match lod {
                    Lod::Zero => (ImageOperands::LOD, vec![self.m.float_constant(Scalar::Float, 0.0).0]),
                    Lod::Given => (ImageOperands::LOD, rest.iter().map(|id| id.0).collect()),
                    Lod::Gradients => (ImageOperands::GRAD, self.gradients(what, rest)),
                };
                let mut operands = vec![sampled.0, at.0, (mask | self.extension_of(signed)).bits()];
                operands.extend(values);
                self.texel(Op::ImageSampleExplicitLod, what, &operands, builtin)
            }
            (ImageOp::Read { signed }, [_, at, rest @ ..]) => {
                let mut mask = self.extension_of(signed);
                mask.set(ImageOperands::SAMPLE, !rest.is_empty());
                let mut operands = vec![image.0, at.0];
                if !mask.is_empty() {
                    operands.push(mask.bits());
                }
                operands.extend(rest.iter().map(|id| id.0));
                let ty = self.m.value_type(builtin.ret)?;
                Ok(self.op(Op::ImageRead, ty, &operands))
            }
            (ImageOp::Write { signed, lod }, [_, at, rest @ ..]) => {
                let (level, color) = match (lod, rest) {
                    (true, [level, color]) => (Some(level.0), color),
                    (false, [color]) => (None, color),
                    _ => return self.wrong_arguments(builtin),
                };
                let mut mask = self.extension_of(signed);
                if level.is_some() {
                    // cl_khr_mipmap_image_writes has no capability of its own; this is the one that allows the operand.
                    mask |= ImageOperands::LOD;
                    self.m.b.capability(Capability::ImageReadWriteLodAMD);
                    self.m.b.extension("SPV_AMD_shader_image_load_store_lod");
                }
                let mut operands = vec![image.0, at.0, color.0];
                if !mask.is_empty() {
                    operands.push(mask.bits());
                }
                operands.extend(level);
                self.op_void(Op::ImageWrite, &operands);
                Ok(super::expr::NO_VALUE)
            }
            (ImageOp::Query(query), [_]) => self.image_query(query, image, what, builtin),
            _ => self.wrong_arguments(builtin),
        }
    }

    /// Gradients: in OpenCL C those of 3D images have a fourth component, which is ignored.
    fn gradients(&mut self, what: &ImageType, given: &[Id]) -> Vec<u32> {
        if what.dimensions != 3 {
            return given.iter().map(|id| id.0).collect();
        }
        let ty = self.m.vector_type(Scalar::Float, 3);
        given.iter().map(|id| self.op(Op::VectorShuffle, ty, &[id.0, id.0, 0, 1, 2]).0).collect()
    }

    /// SPIR-V's integers have no sign: the operands (since 1.4) that say how narrow channels become 32 bits.
    fn extension_of(&mut self, signed: Option<bool>) -> ImageOperands {
        let Some(signed) = signed else { return ImageOperands::empty() };
        self.m.require_version(1, 4);
        if signed { ImageOperands::SIGN_EXTEND } else { ImageOperands::ZERO_EXTEND }
    }

    /// A sample: four components; of a depth the first.
    fn texel(&mut self, op: Op, what: &ImageType, operands: &[u32], builtin: &Builtin) -> Emit<Id> {
        let (scalar, _) = self.m.arithmetic(builtin.ret)?;
        let ty = self.m.vector_type(scalar, 4);
        let texel = self.op(op, ty, operands);
        if !what.depth {
            return Ok(texel);
        }
        let ty = self.m.scalar_type(scalar);
        Ok(self.op(Op::CompositeExtract, ty, &[texel.0, 0]))
    }

    fn image_query(&mut self, query: Query, image: Id, what: &ImageType, builtin: &Builtin) -> Emit<Id> {
        let int = self.m.int_type(32);
        match query {
            Query::ChannelType | Query::ChannelOrder => {
                let (op, first) = match query {
                    Query::ChannelType => (Op::ImageQueryFormat, FIRST_TYPE),
                    _ => (Op::ImageQueryOrder, FIRST_ORDER),
                };
                let number = self.op(op, int, &[image.0]);
                let first = self.m.word(first);
                return Ok(self.op(Op::IAdd, int, &[number.0, first.0]));
            }
            Query::Samples | Query::MipLevels => {
                self.m.b.capability(Capability::ImageQuery);
                let samples = query == Query::Samples;
                let op = if samples { Op::ImageQuerySamples } else { Op::ImageQueryLevels };
                return Ok(self.op(op, int, &[image.0]));
            }
            _ => {}
        }
        let lanes = what.dimensions + u8::from(what.array);
        let ty = self.m.vector_type(Scalar::Int, lanes);
        let size = if what.buffer || what.samples {
            self.op(Op::ImageQuerySize, ty, &[image.0])
        } else {
            let zero = self.m.word(0);
            self.op(Op::ImageQuerySizeLod, ty, &[image.0, zero.0])
        };
        let mut component = |at: u8| match lanes {
            1 => size,
            _ => self.op(Op::CompositeExtract, int, &[size.0, at.into()]),
        };
        match query {
            Query::Height => Ok(component(1)),
            Query::Depth => Ok(component(2)),
            Query::ArraySize => {
                let number = component(what.dimensions);
                let to = self.m.address_bits();
                self.resize_int(number, Scalar::UInt, 1, to)
            }
            Query::Dim => {
                let mut parts: Vec<u32> = (0..what.dimensions).map(|at| component(at).0).collect();
                if what.dimensions == 3 {
                    parts.push(self.m.word(0).0);
                }
                let ty = self.m.value_type(builtin.ret)?;
                Ok(self.op(Op::CompositeConstruct, ty, &parts))
            }
            _ => Ok(component(0)),
        }
    }
}

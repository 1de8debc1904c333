//! Samplers (OpenCL API §5.7).

use std::sync::Arc;

use opencl_sys as cl;

use crate::abi::error::{ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;

/// How images are read.
pub(crate) struct Sampler {
    own: Own<Sampler>,
    pub(crate) context: Arc<Context>,
    mode: Mode,
    /// CL_SAMPLER_PROPERTIES, as given.
    properties: Vec<cl::cl_sampler_properties>,
}
object!(Sampler, cl::CL_INVALID_SAMPLER);

/// The state of a sampler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mode {
    pub(crate) normalized: bool,
    pub(crate) addressing: cl::cl_addressing_mode,
    pub(crate) filter: cl::cl_filter_mode,
    pub(crate) levels: Levels,
}

/// Its filter between levels (cl_khr_mipmap_image).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Levels {
    filter: cl::cl_filter_mode,
    /// The bounds of the level of detail.
    least: f32,
    most: f32,
}

impl Levels {
    /// The properties' defaults.
    pub(crate) const DEFAULT: Levels = Levels { filter: cl::CL_FILTER_NEAREST, least: 0.0, most: f32::MAX };

    /// Its bits beside those of OpenCL C's literals, which have none: as `vk-runtime` and kernels know them.
    fn bits(&self) -> u32 {
        // A level of detail in 256ths, of 12 bits: images have less than 16 levels.
        let level = |lod: f32| (lod.clamp(0.0, 4095.0 / 256.0) * 256.0).round() as u32;
        let linear = u32::from(self.filter == cl::CL_FILTER_LINEAR);
        linear << 6 | level(self.least) << 8 | (0xfff - level(self.most)) << 20
    }
}

impl Mode {
    /// The properties' defaults.
    const DEFAULT: Mode = Mode {
        normalized: true,
        addressing: cl::CL_ADDRESS_CLAMP,
        filter: cl::CL_FILTER_NEAREST,
        levels: Levels::DEFAULT,
    };

    /// Reads a list of properties.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for a property that there is not, a wrong value, or a property that is there twice.
    fn from_properties(properties: &[cl::cl_sampler_properties]) -> ClResult<Self> {
        let mut mode = Mode::DEFAULT;
        let mut seen = Vec::new();
        for pair in properties.chunks_exact(2) {
            let [name, value] = *pair else { continue };
            ensure(!seen.contains(&name), cl::CL_INVALID_VALUE)?;
            seen.push(name);
            let Ok(value) = u32::try_from(value) else { return fail(cl::CL_INVALID_VALUE) };
            match u32::try_from(name) {
                Ok(cl::CL_SAMPLER_NORMALIZED_COORDS) => {
                    ensure(value <= 1, cl::CL_INVALID_VALUE)?;
                    mode.normalized = value == 1;
                }
                Ok(cl::CL_SAMPLER_ADDRESSING_MODE) => mode.addressing = value,
                Ok(cl::CL_SAMPLER_FILTER_MODE) => mode.filter = value,
                Ok(cl::CL_SAMPLER_MIP_FILTER_MODE) => mode.levels.filter = value,
                // Floats, in the property's low bits.
                Ok(cl::CL_SAMPLER_LOD_MIN) => mode.levels.least = f32::from_bits(value),
                Ok(cl::CL_SAMPLER_LOD_MAX) => mode.levels.most = f32::from_bits(value),
                _ => return fail(cl::CL_INVALID_VALUE),
            }
        }
        Ok(mode)
    }

    /// §5.7.1: "if addressing_mode, filter_mode, normalized_coords or a combination of these are not valid". Repeating modes are for
    /// normalized coordinates alone (OpenCL C, "Sampler Fields"), yet other implementations take them all.
    fn check(&self) -> ClResult<()> {
        let filters = [self.filter, self.levels.filter];
        let known = (cl::CL_ADDRESS_NONE..=cl::CL_ADDRESS_MIRRORED_REPEAT).contains(&self.addressing)
            && filters.iter().all(|f| matches!(*f, cl::CL_FILTER_NEAREST | cl::CL_FILTER_LINEAR));
        // No comparison holds of NaN.
        ensure(known && self.levels.least <= self.levels.most, cl::CL_INVALID_VALUE)
    }

    /// The bits of OpenCL C's literals, and more.
    fn bits(&self) -> u32 {
        let addressing = match self.addressing {
            cl::CL_ADDRESS_CLAMP_TO_EDGE => 1,
            cl::CL_ADDRESS_CLAMP => 2,
            cl::CL_ADDRESS_REPEAT => 3,
            cl::CL_ADDRESS_MIRRORED_REPEAT => 4,
            _ => 0,
        };
        let filter = if self.filter == cl::CL_FILTER_LINEAR { 2 } else { 1 };
        u32::from(self.normalized) | addressing << 1 | filter << 4 | self.levels.bits()
    }
}

impl Sampler {
    /// clCreateSampler.
    ///
    /// # Errors
    /// Those of §5.7.1.
    pub(crate) fn create(context: Arc<Context>, mode: Mode) -> ClResult<Raw> {
        Self::make(context, mode, Vec::new())
    }

    /// clCreateSamplerWithProperties.
    ///
    /// # Errors
    /// Those of §5.7.1.
    pub(crate) fn with_properties(
        context: Arc<Context>,
        properties: Vec<cl::cl_sampler_properties>,
    ) -> ClResult<Raw> {
        ensure(has_images(&context), cl::CL_INVALID_OPERATION)?;
        Self::make(context, Mode::from_properties(&properties)?, properties)
    }

    fn make(context: Arc<Context>, mode: Mode, properties: Vec<cl::cl_sampler_properties>) -> ClResult<Raw> {
        ensure(has_images(&context), cl::CL_INVALID_OPERATION)?;
        mode.check()?;
        Ok(handle::publish(&Arc::new(Sampler { own: Own::reserve()?, context, mode, properties })))
    }

    /// The bits of OpenCL C's literals.
    pub(crate) fn bits(&self) -> u32 {
        self.mode.bits()
    }

    /// clGetSamplerInfo (§5.7.2).
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_sampler_info) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_SAMPLER_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            cl::CL_SAMPLER_CONTEXT => ParamValue::pointer(self.context.raw()),
            cl::CL_SAMPLER_NORMALIZED_COORDS => ParamValue::bool(self.mode.normalized),
            cl::CL_SAMPLER_ADDRESSING_MODE => ParamValue::uint(self.mode.addressing),
            cl::CL_SAMPLER_FILTER_MODE => ParamValue::uint(self.mode.filter),
            cl::CL_SAMPLER_MIP_FILTER_MODE => ParamValue::uint(self.mode.levels.filter),
            cl::CL_SAMPLER_LOD_MIN => ParamValue::uint(self.mode.levels.least.to_bits()),
            cl::CL_SAMPLER_LOD_MAX => ParamValue::uint(self.mode.levels.most.to_bits()),
            cl::CL_SAMPLER_PROPERTIES => ParamValue::ulongs(&self.properties),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

fn has_images(context: &Context) -> bool {
    context.devices.iter().any(|d| d.caps.images.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::error::ClError;

    #[test]
    fn properties_and_bits() {
        let wrong = Err(ClError(cl::CL_INVALID_VALUE));
        assert_eq!(Mode::from_properties(&[0]), Ok(Mode::DEFAULT));
        assert_eq!(Mode::DEFAULT.bits(), 0b01_0101);
        let list = [0x1152, 0, 0x1153, u64::from(cl::CL_ADDRESS_REPEAT), 0x1154, 0x1141, 0];
        let mode = Mode::from_properties(&list).expect("properties");
        assert_eq!(mode.bits(), 0b10_0110);
        assert_eq!(Mode::from_properties(&[0x1152, 2, 0]), wrong);
        assert_eq!(Mode::from_properties(&[0x1152, 1, 0x1152, 1, 0]), wrong);
        let lods =
            [0x1155, 0x1141, 0x1156, u64::from(1.5f32.to_bits()), 0x1157, u64::from(2.0f32.to_bits()), 0];
        let levels = Mode::from_properties(&lods).expect("properties");
        assert_eq!(levels.bits(), 0b0101_0101 | 384 << 8 | (4095 - 512) << 20);
        assert!(
            levels.check().is_ok()
                && Mode::from_properties(&[0x1155, 1, 0]).is_ok_and(|m| m.check().is_err())
        );
        assert!(
            Mode::from_properties(&[0x1157, u64::from((-1f32).to_bits()), 0])
                .is_ok_and(|m| m.check().is_err())
        );
        assert_eq!(Mode::from_properties(&[0x1158, 1, 0]), wrong);
        assert!(Mode { filter: 0x1142, ..mode }.check().is_err());
        assert!(Mode { addressing: 0x1135, ..mode }.check().is_err());
    }
}

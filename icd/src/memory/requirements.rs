//! The requirements of images of buffers: clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info; OpenCL API, "Querying
//! Image Requirements").
//!
//! Mirrors ask for whole texels alone.

use host::image::{self as formats, ImageFormat};
use opencl_sys as cl;
use vk_runtime::ImageLimits;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::memory::image::{ImageForm, Kind};

const BAD_DESCRIPTOR: ClError = ClError(cl::CL_INVALID_IMAGE_DESCRIPTOR);
/// Bytes of the largest texel.
const LARGEST: usize = 16;

/// The arguments of the query beside its flags.
pub(crate) struct Asked {
    pub(crate) properties: Vec<cl::cl_mem_properties>,
    pub(crate) format: Option<cl::cl_image_format>,
    pub(crate) desc: Option<cl::cl_image_desc>,
}

/// clGetImageRequirementsInfoEXT.
///
/// # Errors
/// CL_INVALID_OPERATION where no device has images; CL_INVALID_PROPERTY, CL_INVALID_VALUE, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
/// CL_INVALID_IMAGE_DESCRIPTOR.
pub(crate) fn requirements(
    context: &Context,
    asked: &Asked,
    param: cl::cl_image_requirements_info_ext,
) -> ClResult<ParamValue> {
    let limits: Vec<ImageLimits> = context.devices.iter().filter_map(|d| d.caps.images).collect();
    ensure(!limits.is_empty(), cl::CL_INVALID_OPERATION)?;
    ensure(asked.properties.len() <= 1, cl::CL_INVALID_PROPERTY)?;
    let format = asked.format.map(format).transpose()?;
    let kinds = match asked.desc {
        None => &ALL[..],
        Some(desc) => kinds(&desc)?,
    };
    // An image may be made where one device has such.
    let most = |of: fn(&ImageLimits, Kind) -> u32, having: fn(Kind) -> bool| {
        let having: Vec<Kind> = kinds.iter().copied().filter(|k| having(*k)).collect();
        ensure(!having.is_empty(), cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let least = |l: &ImageLimits| having.iter().map(|k| of(l, *k)).min();
        Ok(ParamValue::uint(limits.iter().filter_map(least).max().unwrap_or(0)))
    };
    match param {
        // The mirror is a copy: where the buffer's bytes begin does not matter.
        cl::CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => {
            sized(asked)?;
            Ok(ParamValue::size(1))
        }
        cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
        | cl::CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => {
            sized(asked)?;
            Ok(ParamValue::size(format.map_or(LARGEST, |f| f.texel as usize)))
        }
        cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT => {
            let (Some(format), Some(desc)) = (format, asked.desc) else { return fail(cl::CL_INVALID_VALUE) };
            let kind = Kind::from_object_type(desc.image_type).ok_or(BAD_DESCRIPTOR)?;
            let form = ImageForm::new(format, kind, &desc, true).map_err(|_| BAD_DESCRIPTOR)?;
            Ok(ParamValue::size(usize::try_from(form.buffer_bytes()).map_err(|_| BAD_DESCRIPTOR)?))
        }
        cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => most(ImageForm::most_wide, |_| true),
        cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => most(ImageForm::most_high, Kind::has_rows),
        cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => most(|l, _| l.size_3d, |k| k == Kind::Three),
        cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => most(|l, _| l.layers, Kind::is_array),
        _ => fail(cl::CL_INVALID_VALUE),
    }
}

const ALL: [Kind; 6] = [Kind::One, Kind::Buffer, Kind::OneArray, Kind::Two, Kind::TwoArray, Kind::Three];

/// The kinds that a descriptor may mean: all where it names none.
fn kinds(desc: &cl::cl_image_desc) -> ClResult<&'static [Kind]> {
    ensure(desc.num_mip_levels <= 1 && desc.num_samples == 0, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
    if desc.image_type == 0 {
        return Ok(&ALL);
    }
    let kind = Kind::from_object_type(desc.image_type).ok_or(BAD_DESCRIPTOR)?;
    let place = ALL.iter().position(|k| *k == kind).ok_or(BAD_DESCRIPTOR)?;
    ALL.get(place..=place).ok_or(BAD_DESCRIPTOR)
}

/// Members of a descriptor may be 0 for the queries of greatest sizes alone.
fn sized(asked: &Asked) -> ClResult<()> {
    ensure(asked.desc.is_none_or(|desc| desc.image_width > 0), cl::CL_INVALID_IMAGE_DESCRIPTOR)
}

fn format(given: cl::cl_image_format) -> ClResult<ImageFormat> {
    const BAD: ClError = ClError(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let (order, data_type) = (given.image_channel_order, given.image_channel_data_type);
    ensure(formats::is_valid(order, data_type), BAD.0)?;
    ImageFormat::find(order, data_type).ok_or(BAD)
}

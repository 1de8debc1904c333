//! The GLSL helper kernels of `shaders`, as ordinary programs with a hand-made reflection.

use lower::kernel_info::{
    ArgInfo, ArgKind, ArgumentBlock, BindingModel, BlockLocation, BlockMember, BlockSource, DescriptorInfo,
    DescriptorKind, DescriptorSource, ImageAccess, ImageArg, ImageDim, ImageShape, ImageView, ImageViewKind,
    KernelInfo, Lowered, ProgramData, TexelClass,
};
use shaders::Helper;

use crate::device::logical::Device;
use crate::error::RuntimeError;
use crate::kernel::program::Kernel;

/// The helpers on one device.
pub(crate) struct Helpers {
    pub(crate) fill: Kernel,
    pub(crate) copy_rect: Kernel,
    pub(crate) copy_wide: Kernel,
    pub(crate) fill_wide: Kernel,
    /// `None` where kernels write no storage images without a format.
    pub(crate) texels_to_image: Option<Kernel>,
    pub(crate) image_to_texels: Kernel,
}

impl Helpers {
    pub(crate) fn new(device: &Device) -> Result<Self, RuntimeError> {
        let fill = ["first", "count", "pattern_size", "phase"];
        let copy_rect = [
            "dst_first",
            "dst_row_pitch",
            "dst_slice_pitch",
            "src_first",
            "src_row_pitch",
            "src_slice_pitch",
            "width",
            "height",
            "depth",
            "row_words",
        ];
        let features = &device.target().features;
        let stores = features.shader_storage_image_write_without_format;
        let to_image = stores.then(|| load_texels(device, &shaders::TEXELS_TO_IMAGE, ImageAccess::WriteOnly));
        Ok(Helpers {
            texels_to_image: to_image.transpose()?,
            image_to_texels: load_texels(device, &shaders::IMAGE_TO_TEXELS, ImageAccess::ReadOnly)?,
            fill: load(device, &shaders::FILL, &fill)?,
            copy_rect: load(device, &shaders::COPY_RECT, &copy_rect)?,
            copy_wide: load(device, &shaders::COPY_WIDE, &["dst_first", "src_first", "count"])?,
            fill_wide: load(device, &shaders::FILL_WIDE, &["first", "pattern_mask", "count"])?,
        })
    }
}

/// Each helper takes a destination, a source, 32-bit values, and the first work-group.
fn load(device: &Device, helper: &Helper, values: &[&str]) -> Result<Kernel, RuntimeError> {
    let buffer = |name: &str, written: bool, binding: u32| {
        // Words at the edge of the destination are read too.
        let kind = ArgKind::Buffer { constant: false, written, read: true, binding: Some(binding) };
        argument(name, kind)
    };
    let buffers = [buffer("destination", true, 0), buffer("source", false, 1)];
    let descriptor = |binding: u32| DescriptorInfo {
        binding,
        kind: DescriptorKind::StorageBuffer,
        source: DescriptorSource::Argument(binding),
    };
    made(device, helper, (buffers, [descriptor(0), descriptor(1)]), values, true)
}

/// Kernels for texels take an image, a buffer, and 32-bit values.
fn load_texels(device: &Device, helper: &Helper, access: ImageAccess) -> Result<Kernel, RuntimeError> {
    let shape = ImageShape { dim: ImageDim::Two, arrayed: false, depth: false, multisampled: false };
    let view =
        ImageView { binding: 0, kind: ImageViewKind::Storage, class: TexelClass::Uint, level: 0, bits: true };
    let image = ImageArg { shape, access, views: vec![view] };
    let written = access != ImageAccess::WriteOnly;
    let buffer = ArgKind::Buffer { constant: false, written, read: !written, binding: Some(1) };
    let args = [argument("image", ArgKind::Image(image)), argument("texels", buffer)];
    let image =
        DescriptorInfo { binding: 0, kind: DescriptorKind::StorageImage, source: DescriptorSource::Image(0) };
    let buffer = DescriptorInfo {
        binding: 1,
        kind: DescriptorKind::StorageBuffer,
        source: DescriptorSource::Argument(1),
    };
    let values = ["first", "row_pitch", "x", "y", "width", "height", "texel"];
    made(device, helper, (args, [image, buffer]), &values, false)
}

/// A helper with objects and 32-bit values, and, where a launch may be split, the first work-group behind them.
fn made<const N: usize>(
    device: &Device,
    helper: &Helper,
    (objects, descriptors): ([ArgInfo; N], [DescriptorInfo; N]),
    values: &[&str],
    split: bool,
) -> Result<Kernel, RuntimeError> {
    let mut args = Vec::from(objects);
    let mut members = Vec::new();
    let mut offset = 0;
    for (name, index) in values.iter().zip(2..) {
        args.push(argument(name, ArgKind::Value { size: 4 }));
        members.push(BlockMember { offset, size: 4, source: BlockSource::Argument(index) });
        offset += 4;
    }
    if split {
        members.push(BlockMember { offset, size: 4, source: BlockSource::GroupBase(0) });
        offset += 4;
    }
    let info = KernelInfo {
        name: shaders::ENTRY_POINT.to_owned(),
        binding_model: BindingModel::Descriptor,
        args,
        block: ArgumentBlock { size: offset, location: BlockLocation::PushConstants, members },
        descriptors: descriptors.into(),
        samplers: Vec::new(),
        reqd_work_group_size: None,
        work_group_size_hint: None,
        required_sub_groups: None,
        required_sub_group_size: None,
        has_sub_groups: false,
        wide: false,
        noalias: false,
        aligned: false,
        specialised: Vec::new(),
        work_group_size_ids: Some([0, 1, 2]),
        crossing_id: None,
        contents_ids: Vec::new(),
        emulated: Vec::new(),
        windows: None,
        local_memory_size: 0,
        private_memory_size: 0,
        work_item_loops: None,
        has_barrier: false,
        sees_work_groups: true,
        watches_loops: false,
        resumes: None,
        saved_local: None,
        iterations: None,
        batch: None,
        printf: Default::default(),
    };
    let lowered = Lowered {
        spirv: helper.words(),
        kernels: vec![info],
        program_data: ProgramData::default(),
        warnings: Vec::new(),
    };
    device.create_program(&lowered)?.kernel(shaders::ENTRY_POINT)
}

/// The helper that tells when it is done (`transfer/completion_word.rs`), which has push constants alone, as so many values.
pub(crate) fn load_copy_with_word(device: &Device) -> Result<Kernel, RuntimeError> {
    made(device, &shaders::COPY_WITH_WORD, ([], []), &[""; PUSH_WORDS], false)
}

/// The helper that counts its work-groups (`device/fault_probe.rs`), which has an address alone.
pub(crate) fn load_probe(device: &Device) -> Result<Kernel, RuntimeError> {
    made(device, &shaders::PROBE, ([], []), &[""; 2], false)
}

/// Words of the former's push constants.
pub(crate) const PUSH_WORDS: usize = 10;

fn argument(name: &str, kind: ArgKind) -> ArgInfo {
    ArgInfo { name: name.to_owned(), type_name: String::new(), type_qualifiers: Vec::new(), kind }
}

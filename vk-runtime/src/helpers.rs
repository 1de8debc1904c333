//! The GLSL helper kernels of `shaders`, as ordinary programs with a hand-made reflection.

use lower::kernel_info::{
    ArgInfo, ArgKind, ArgumentBlock, BindingModel, BlockMember, BlockPlace, BlockSource, DescriptorInfo,
    DescriptorKind, DescriptorSource, KernelInfo, Lowered, ProgramData,
};
use shaders::Helper;

use crate::device::Device;
use crate::error::RuntimeError;
use crate::kernel::Kernel;

/// The helpers on one device.
pub(crate) struct Helpers {
    pub(crate) fill: Kernel,
    pub(crate) copy_rect: Kernel,
    pub(crate) copy_wide: Kernel,
    pub(crate) fill_wide: Kernel,
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
        Ok(Helpers {
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
    let mut args = vec![buffer("destination", true, 0), buffer("source", false, 1)];
    let mut members = Vec::new();
    let mut offset = 0;
    for (name, index) in values.iter().zip(2..) {
        args.push(argument(name, ArgKind::Value { size: 4 }));
        members.push(BlockMember { offset, size: 4, source: BlockSource::Argument(index) });
        offset += 4;
    }
    members.push(BlockMember { offset, size: 4, source: BlockSource::GroupBase(0) });
    let descriptor = |binding: u32| DescriptorInfo {
        binding,
        kind: DescriptorKind::StorageBuffer,
        source: DescriptorSource::Argument(binding),
    };
    let info = KernelInfo {
        name: shaders::ENTRY_POINT.to_owned(),
        binding_model: BindingModel::Descriptor,
        args,
        block: ArgumentBlock { size: offset + 4, place: BlockPlace::PushConstants, members },
        descriptors: vec![descriptor(0), descriptor(1)],
        samplers: Vec::new(),
        reqd_work_group_size: None,
        work_group_size_hint: None,
        required_sub_groups: None,
        required_sub_group_size: None,
        has_sub_groups: false,
        wide: false,
        work_group_size_ids: Some([0, 1, 2]),
        crossing_id: None,
        local_memory_size: 0,
        private_memory_size: 0,
        has_barrier: false,
        sees_work_groups: true,
        watches_loops: false,
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

fn argument(name: &str, kind: ArgKind) -> ArgInfo {
    ArgInfo { name: name.to_owned(), type_name: String::new(), type_qualifiers: Vec::new(), kind }
}

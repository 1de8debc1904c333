//! The SPIR-V that a device takes (OpenCL API §4.2; the SPIR-V Environment specification, "Required Capabilities").

use std::ffi::CStr;

use frontend::options::Features;
use opencl_sys as cl;
use spirv_io::spirv::Capability;

use crate::abi::param_value::ParamValue;
use crate::device::caps::{Caps, Named, version};

/// CL_DEVICE_IL_VERSION.
const VERSIONS: &str = "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6";

/// CL_DEVICE_ILS_WITH_VERSION: the same.
const NAMED: [Named; 7] = [
    ("SPIR-V", version(1, 0, 0)),
    ("SPIR-V", version(1, 1, 0)),
    ("SPIR-V", version(1, 2, 0)),
    ("SPIR-V", version(1, 3, 0)),
    ("SPIR-V", version(1, 4, 0)),
    ("SPIR-V", version(1, 5, 0)),
    ("SPIR-V", version(1, 6, 0)),
];

/// Extensions of SPIR-V that the reader understands or may pass over.
const EXTENSIONS: [&CStr; 13] = [
    c"SPV_EXT_shader_atomic_float16_add",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_INTEL_subgroups",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_uniform_group_instructions",
];

/// Sets of extended instructions. Instructions of debug information are passed over (cl_khr_spirv_extended_debug_info).
const INSTRUCTION_SETS: [&CStr; 2] = [c"OpenCL.std", c"OpenCL.DebugInfo.100"];

/// The queries about SPIR-V; `None` for others.
pub(crate) fn answer(caps: &Caps, param: cl::cl_device_info) -> Option<ParamValue> {
    Some(match param {
        cl::CL_DEVICE_IL_VERSION => ParamValue::text(VERSIONS),
        cl::CL_DEVICE_ILS_WITH_VERSION => ParamValue::named_versions(NAMED),
        cl::CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => strings(&INSTRUCTION_SETS),
        cl::CL_DEVICE_SPIRV_EXTENSIONS => strings(&EXTENSIONS),
        cl::CL_DEVICE_SPIRV_CAPABILITIES => {
            ParamValue(capabilities(caps).into_iter().flat_map(|c| (c as u32).to_ne_bytes()).collect())
        }
        _ => return None,
    })
}

/// Strings that live as long as the library, by their addresses.
fn strings(list: &[&'static CStr]) -> ParamValue {
    ParamValue(list.iter().flat_map(|s| s.as_ptr().addr().to_ne_bytes()).collect())
}

/// CL_DEVICE_SPIRV_CAPABILITIES.
fn capabilities(caps: &Caps) -> Vec<Capability> {
    let has = |feature: Features| caps.language.contains(feature);
    let images = caps.images.is_some();
    let table = [
        (true, Capability::Addresses),
        (true, Capability::Linkage),
        (true, Capability::Kernel),
        (true, Capability::Vector16),
        (true, Capability::Float16Buffer),
        (has(Features::FP16), Capability::Float16),
        (has(Features::FP64), Capability::Float64),
        (has(Features::INT64), Capability::Int64),
        (has(Features::INT64_ATOMICS), Capability::Int64Atomics),
        (images, Capability::ImageBasic),
        (images && has(Features::READ_WRITE_IMAGES), Capability::ImageReadWrite),
        (images && has(Features::MIPMAP_WRITES), Capability::ImageMipmap),
        (images, Capability::LiteralSampler),
        (true, Capability::Int16),
        (has(Features::GENERIC_ADDRESS_SPACE), Capability::GenericPointer),
        (has(Features::PIPES), Capability::Pipes),
        (has(Features::DEVICE_ENQUEUE), Capability::DeviceEnqueue),
        (true, Capability::Int8),
        (images, Capability::Sampled1D),
        (images, Capability::Image1D),
        (images, Capability::SampledBuffer),
        (images, Capability::ImageBuffer),
        (true, Capability::ExpectAssumeKHR),
        (has(Features::DOT_4X8), Capability::DotProduct),
        (has(Features::DOT_4X8), Capability::DotProductInput4x8Bit),
        (has(Features::DOT_4X8_PACKED), Capability::DotProductInput4x8BitPacked),
        (has(Features::BIT_OPS), Capability::BitInstructions),
        (has(Features::WORK_GROUP_COLLECTIVES), Capability::Groups),
        (has(Features::WORK_GROUP_ARITHMETIC), Capability::GroupUniformArithmeticKHR),
        (has(Features::SUBGROUPS), Capability::SubgroupDispatch),
        (has(Features::SUBGROUPS), Capability::GroupNonUniform),
        (has(Features::SUBGROUP_VOTE), Capability::GroupNonUniformVote),
        (has(Features::SUBGROUP_ARITHMETIC), Capability::GroupNonUniformArithmetic),
        (has(Features::SUBGROUP_BALLOT), Capability::GroupNonUniformBallot),
        (has(Features::SUBGROUP_SHUFFLE), Capability::GroupNonUniformShuffle),
        (has(Features::SUBGROUP_SHUFFLE_RELATIVE), Capability::GroupNonUniformShuffleRelative),
        (has(Features::SUBGROUP_CLUSTERED), Capability::GroupNonUniformClustered),
        (has(Features::SUBGROUP_ROTATE), Capability::GroupNonUniformRotateKHR),
        (has(Features::CLOCK_DEVICE) || has(Features::CLOCK_SUB_GROUP), Capability::ShaderClockKHR),
        (has(Features::FP32_GLOBAL_ADD), Capability::AtomicFloat32AddEXT),
        (has(Features::FP32_GLOBAL_MIN_MAX), Capability::AtomicFloat32MinMaxEXT),
        (has(Features::FP64_GLOBAL_ADD), Capability::AtomicFloat64AddEXT),
        (has(Features::FP64_GLOBAL_MIN_MAX), Capability::AtomicFloat64MinMaxEXT),
        (has(Features::FP16_GLOBAL_ADD), Capability::AtomicFloat16AddEXT),
        (has(Features::FP16_GLOBAL_MIN_MAX), Capability::AtomicFloat16MinMaxEXT),
        (has(Features::INTEL_SUBGROUPS), Capability::SubgroupShuffleINTEL),
        (has(Features::INTEL_SUBGROUPS), Capability::SubgroupBufferBlockIOINTEL),
        (has(Features::INTEL_SUBGROUPS) && images, Capability::SubgroupImageBlockIOINTEL),
        // Of SPIR-V 1.6: hints, which the reader passes over.
        (true, Capability::UniformDecoration),
    ];
    table.into_iter().filter(|(has, _)| *has).map(|(_, capability)| capability).collect()
}

//! Answers of clGetDeviceInfo (OpenCL API §4.2, the table of device queries).
//!
//! Features that are not there (sub-groups, for one) answer what the table says for a device without them.

use frontend::options::Features;
use host::profile;
use opencl_sys as cl;
use vk_runtime::{DeviceKind, ImageLimits, MemoryHandle, SemaphoreHandle};

use crate::abi::error::{ClResult, fail};
use crate::abi::param_value::ParamValue;
use crate::commands::command_buffer::FIELDS;
use crate::commands::native::is_native;
use crate::device::caps;
use crate::device::caps::Caps;
use crate::device::device_queue;
use crate::device::platform::platform;
use crate::device::semaphore;
use crate::device::vendor;
use crate::device::{Device, il};
use crate::entry::pipe;
use crate::memory::external::code;
use crate::program::binary;

/// The answer to a query.
///
/// # Errors
/// CL_INVALID_VALUE for a query that there is not.
pub(crate) fn answer(device: &Device, param: cl::cl_device_info) -> ClResult<ParamValue> {
    let found = identity(device, param)?
        .or_else(|| versions(device, param))
        .or_else(|| execution(device, param))
        .or_else(|| vector_widths(device, param))
        .or_else(|| memory(device, param))
        .or_else(|| numerics(device, param))
        .or_else(|| images(device, param))
        .or_else(|| il::answer(&device.caps, param))
        .or_else(|| vendor::answer(&device.caps.vendor, param))
        .or_else(|| external(device, param))
        .or_else(|| pipes(&device.caps, param))
        .or_else(|| device_queues(device, param))
        .or_else(|| absent(param));
    found.map_or_else(|| fail(cl::CL_INVALID_VALUE), Ok)
}

/// Who the device is.
fn identity(device: &Device, param: cl::cl_device_info) -> ClResult<Option<ParamValue>> {
    let id = &device.caps.identity;
    Ok(Some(match param {
        cl::CL_DEVICE_TYPE => ParamValue::ulong(device.device_type()),
        cl::CL_DEVICE_VENDOR_ID => {
            ParamValue::uint(device.present.device_vendor_id.unwrap_or(device.physical.vendor_id()))
        }
        cl::CL_DEVICE_VENDOR => {
            let name = vendor::name(device.physical.vendor_id());
            ParamValue::text(device.present.device_vendor.as_deref().unwrap_or(name))
        }
        cl::CL_DEVICE_NAME => {
            ParamValue::text(device.present.device_name.as_deref().unwrap_or(device.physical.name()))
        }
        cl::CL_DEVICE_PLATFORM => ParamValue::pointer(platform()?.raw()),
        cl::CL_DEVICE_PARENT_DEVICE => ParamValue::pointer(std::ptr::null()),
        cl::CL_DEVICE_REFERENCE_COUNT => ParamValue::uint(1),
        cl::CL_DEVICE_UUID => ParamValue(id.device_uuid.to_vec()),
        cl::CL_DRIVER_UUID => ParamValue(id.driver_uuid.to_vec()),
        cl::CL_DEVICE_LUID_VALID => ParamValue::bool(id.luid.is_some()),
        cl::CL_DEVICE_LUID => ParamValue(id.luid.unwrap_or_default().0.to_vec()),
        cl::CL_DEVICE_NODE_MASK => ParamValue::uint(id.luid.unwrap_or_default().1),
        cl::CL_DEVICE_PCI_BUS_INFO_KHR => match id.pci {
            Some(pci) => ParamValue(pci.iter().flat_map(|n| n.to_ne_bytes()).collect()),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// Semaphores, and the handles of other APIs (cl_khr_semaphore, cl_khr_external_memory, cl_khr_external_semaphore).
fn external(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let known = &device.caps.external;
    let shares = !known.semaphores_in.is_empty() || !known.semaphores_out.is_empty();
    let semaphores =
        |handles: &[SemaphoreHandle]| ParamValue::uints(handles.iter().map(|h| semaphore::code(*h)));
    match param {
        cl::CL_DEVICE_SEMAPHORE_TYPES_KHR => {
            return Some(ParamValue::uint(cl::CL_SEMAPHORE_TYPE_BINARY_KHR));
        }
        cl::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR if shares => {
            return Some(semaphores(&known.semaphores_in));
        }
        cl::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR if shares => {
            return Some(semaphores(&known.semaphores_out));
        }
        _ => {}
    }
    if known.memory.is_empty() {
        return None;
    }
    let codes = |handles: &[MemoryHandle]| ParamValue::uints(handles.iter().map(|h| code(*h)));
    Some(match param {
        cl::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => codes(&known.memory),
        cl::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => {
            let linear: Vec<_> = known.memory.iter().copied().filter(|h| h.has_rows()).collect();
            codes(&linear)
        }
        _ => return None,
    })
}

/// Versions, profile, extensions, languages.
fn versions(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let caps = &device.caps;
    Some(match param {
        cl::CL_DEVICE_VERSION => ParamValue::text(&caps.version_text()),
        cl::CL_DEVICE_NUMERIC_VERSION => ParamValue::uint(caps.version),
        cl::CL_DRIVER_VERSION => ParamValue::text(&driver_version(device)),
        cl::CL_DEVICE_PROFILE => ParamValue::text(caps.profile()),
        cl::CL_DEVICE_OPENCL_C_VERSION => ParamValue::text("OpenCL C 1.2 Pumice"),
        cl::CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => ParamValue::uint(caps::OPENCL_C_VERSION),
        // §5.8.6, "C++ for OpenCL": what `-cl-std=CLC++` is.
        cl::CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT => ParamValue::uint(caps::version(1, 0, 0)),
        cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS => ParamValue::named_versions(caps.opencl_c()),
        cl::CL_DEVICE_OPENCL_C_FEATURES => ParamValue::named_versions(caps.features.iter().copied()),
        cl::CL_DEVICE_EXTENSIONS => ParamValue::text(&names(&caps.extensions)),
        cl::CL_DEVICE_EXTENSIONS_WITH_VERSION => ParamValue::named_versions(caps.extensions.iter().copied()),
        // No conformance run was ever submitted: the specification's form of "none".
        cl::CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => ParamValue::text("v0000-01-01-00"),
        _ => return None,
    })
}

/// CL_DRIVER_VERSION: Pumice's version, which some read as numbers; a digest of what program binaries depend on, since
/// programs keep binaries under this string; and Vulkan's driver.
fn driver_version(device: &Device) -> String {
    let numbers = device.present.driver_version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
    let digest: String =
        device.binaries(binary::identity).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{numbers} {digest} ({})", device.physical.driver())
}

/// A list as CL_*_EXTENSIONS gives it.
pub(crate) fn names(list: &[caps::Named]) -> String {
    list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

/// Returns how kernels run.
fn execution(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let caps = &device.caps;
    Some(match param {
        cl::CL_DEVICE_MAX_COMPUTE_UNITS => ParamValue::uint(caps.compute_units),
        cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => ParamValue::uint(3),
        cl::CL_DEVICE_MAX_WORK_ITEM_SIZES => ParamValue::sizes(&caps.max_work_item_sizes),
        cl::CL_DEVICE_MAX_WORK_GROUP_SIZE => ParamValue::size(caps.max_work_group_size),
        cl::CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => ParamValue::size(caps.preferred_multiple),
        cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => ParamValue::bool(true),
        cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => {
            ParamValue::bool(caps.language.contains(Features::WORK_GROUP_COLLECTIVES))
        }
        cl::CL_DEVICE_MAX_NUM_SUB_GROUPS => ParamValue::uint(
            device.subgroup_size().map_or(0, |size| caps.max_work_group_size.div_ceil(size) as u32),
        ),
        cl::CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => {
            let scopes = [
                (Features::CLOCK_DEVICE, cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR),
                (Features::CLOCK_WORK_GROUP, cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR),
                (Features::CLOCK_SUB_GROUP, cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR),
            ];
            let has = scopes.iter().filter(|(feature, _)| caps.language.contains(*feature));
            ParamValue::ulong(has.fold(0, |bits, (_, bit)| bits | *bit))
        }
        // cl_intel_required_subgroup_size: the one that OpenCL is told of.
        cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL if caps.language.contains(Features::INTEL_REQUIRED_SIZE) => {
            ParamValue::sizes(device.subgroup_size().as_slice())
        }
        cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
            ParamValue::bool(caps.language.contains(Features::SUBGROUPS) && caps.forward_progress)
        }
        // 0 where nobody tells.
        cl::CL_DEVICE_MAX_CLOCK_FREQUENCY => ParamValue::uint(device.clock()),
        cl::CL_DEVICE_AVAILABLE | cl::CL_DEVICE_COMPILER_AVAILABLE | cl::CL_DEVICE_LINKER_AVAILABLE => {
            ParamValue::bool(true)
        }
        cl::CL_DEVICE_EXECUTION_CAPABILITIES => ParamValue::ulong(match is_native(device) {
            true => cl::CL_EXEC_KERNEL | cl::CL_EXEC_NATIVE_KERNEL,
            false => cl::CL_EXEC_KERNEL,
        }),
        cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            ParamValue::ulong(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE)
        }
        cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => ParamValue::ulong(
            cl::CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                | cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
        ),
        cl::CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => ParamValue::ulong(FIELDS),
        cl::CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
            ParamValue::ulong(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE)
        }
        cl::CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => ParamValue::ulong(0),
        cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION => ParamValue::size(caps.timer_resolution),
        cl::CL_DEVICE_PRINTF_BUFFER_SIZE => ParamValue::size(profile::PRINTF_BUFFER_SIZE),
        cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => ParamValue::bool(true),
        cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES => ParamValue::uint(0),
        cl::CL_DEVICE_PARTITION_PROPERTIES | cl::CL_DEVICE_PARTITION_TYPE => ParamValue::isizes(&[0]),
        cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN => ParamValue::ulong(0),
        _ => return None,
    })
}

fn vector_widths(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let (bytes, needs) = match param {
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => {
            (1, Features::empty())
        }
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => {
            (2, Features::empty())
        }
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => (4, Features::empty()),
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => {
            (8, Features::INT64)
        }
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            (8, Features::FP64)
        }
        cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            (2, Features::FP16)
        }
        _ => return None,
    };
    let is_cpu = device.physical.kind() == DeviceKind::Cpu;
    Some(ParamValue::uint(device.caps.vector_width(bytes, needs, is_cpu)))
}

/// Memory of all kinds.
fn memory(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let caps: &Caps = &device.caps;
    Some(match param {
        cl::CL_DEVICE_ADDRESS_BITS => ParamValue::uint(device.target.address_bits()),
        cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE => ParamValue::ulong(caps.max_mem_alloc_size),
        cl::CL_DEVICE_GLOBAL_MEM_SIZE => ParamValue::ulong(caps.global_mem_size),
        // Vulkan does not tell of caches; others may.
        cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => {
            ParamValue::uint(if caps.cache.is_some() { cl::CL_READ_WRITE_CACHE } else { cl::CL_NONE })
        }
        cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => ParamValue::uint(caps.cache.map_or(0, |c| c.line)),
        cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => ParamValue::ulong(caps.cache.map_or(0, |c| c.size)),
        cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => ParamValue::ulong(caps::MAX_CONSTANT_BUFFER_SIZE),
        cl::CL_DEVICE_MAX_CONSTANT_ARGS => ParamValue::uint(profile::MAX_CONSTANT_ARGS),
        cl::CL_DEVICE_MAX_PARAMETER_SIZE => ParamValue::size(profile::MAX_PARAMETER_SIZE),
        cl::CL_DEVICE_LOCAL_MEM_TYPE => ParamValue::uint(match device.physical.kind() {
            DeviceKind::Cpu => cl::CL_GLOBAL,
            _ => cl::CL_LOCAL,
        }),
        cl::CL_DEVICE_LOCAL_MEM_SIZE => ParamValue::ulong(caps.local_mem_size),
        cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT => ParamValue::bool(device.corrects_errors()),
        cl::CL_DEVICE_HOST_UNIFIED_MEMORY => ParamValue::bool(caps.host_unified_memory),
        cl::CL_DEVICE_ENDIAN_LITTLE => ParamValue::bool(cfg!(target_endian = "little")),
        cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN => ParamValue::uint(caps.base_address_align * 8),
        // The size of long16.
        cl::CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => ParamValue::uint(128),
        param if crate::memory::usm::is_query(param) => {
            ParamValue::ulong(crate::memory::usm::capabilities(device, param))
        }
        cl::CL_DEVICE_SVM_CAPABILITIES => ParamValue::ulong(device.svm_capabilities()),
        cl::CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | cl::CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | cl::CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => ParamValue::uint(0),
        cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => {
            ParamValue::bool(caps.language.contains(Features::GENERIC_ADDRESS_SPACE))
        }
        // Sizes of program-scope variables in __global: 64 KiB each where there are such variables.
        cl::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | cl::CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            let has = caps.language.contains(Features::PROGRAM_SCOPE_GLOBALS);
            ParamValue::size(if has { 64 << 10 } else { 0 })
        }
        _ => return None,
    })
}

/// Floating point and atomics.
fn numerics(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    Some(match param {
        cl::CL_DEVICE_SINGLE_FP_CONFIG => ParamValue::ulong(device.caps.single_fp),
        cl::CL_DEVICE_DOUBLE_FP_CONFIG => ParamValue::ulong(device.caps.double_fp),
        cl::CL_DEVICE_HALF_FP_CONFIG => ParamValue::ulong(device.caps.half_fp),
        SINGLE_FP_ATOMICS => ParamValue::ulong(float_atomics(device.caps.language, 32)),
        DOUBLE_FP_ATOMICS => ParamValue::ulong(float_atomics(device.caps.language, 64)),
        HALF_FP_ATOMICS => ParamValue::ulong(float_atomics(device.caps.language, 16)),
        cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => {
            let least = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
            ParamValue::ulong(least | orders(device.caps.language))
        }
        cl::CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
            let least = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED
                | cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
                | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
            ParamValue::ulong(least | orders(device.caps.language))
        }
        _ => return None,
    })
}

/// CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT and its kin (cl_ext_float_atomics).
const SINGLE_FP_ATOMICS: cl::cl_device_info = 0x4231;
const DOUBLE_FP_ATOMICS: cl::cl_device_info = 0x4232;
const HALF_FP_ATOMICS: cl::cl_device_info = 0x4233;

/// Atomics of floats of a width, as the language's features tell: loads, stores and exchanges are bit 0, additions 1, minima and maxima
/// 2; those of local memory 16 bits above.
fn float_atomics(language: Features, width: u32) -> u64 {
    // Loads and stores of these are of OpenCL C 2.0 itself, where there are 64-bit atomics for doubles.
    let always = match width {
        32 => Features::empty(),
        _ => Features::FP64 | Features::INT64_ATOMICS,
    };
    let names = match width {
        16 => [
            (0, Features::FP16_GLOBAL_LOAD_STORE),
            (1, Features::FP16_GLOBAL_ADD),
            (2, Features::FP16_GLOBAL_MIN_MAX),
            (16, Features::FP16_LOCAL_LOAD_STORE),
            (17, Features::FP16_LOCAL_ADD),
            (18, Features::FP16_LOCAL_MIN_MAX),
        ],
        32 => [
            (0, always),
            (1, Features::FP32_GLOBAL_ADD),
            (2, Features::FP32_GLOBAL_MIN_MAX),
            (16, always),
            (17, Features::FP32_LOCAL_ADD),
            (18, Features::FP32_LOCAL_MIN_MAX),
        ],
        _ => [
            (0, always),
            (1, Features::FP64_GLOBAL_ADD),
            (2, Features::FP64_GLOBAL_MIN_MAX),
            (16, always),
            (17, Features::FP64_LOCAL_ADD),
            (18, Features::FP64_LOCAL_MIN_MAX),
        ],
    };
    names.iter().filter(|(_, needs)| language.contains(*needs)).fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// The orders and scopes of atomics beyond the least that OpenCL 3.0 allows, as the language's features tell.
fn orders(language: Features) -> cl::cl_device_atomic_capabilities {
    let all = [
        (Features::ATOMIC_ORDER_ACQ_REL, cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        (Features::ATOMIC_ORDER_SEQ_CST, cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        (Features::ATOMIC_SCOPE_DEVICE, cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        (Features::ATOMIC_SCOPE_ALL_DEVICES, cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ];
    all.iter().filter(|(feature, _)| language.contains(*feature)).fold(0, |bits, (_, bit)| bits | bit)
}

/// Images and samplers; all 0 on a device without.
fn images(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let has = device.caps.images.as_ref();
    let uint = |of: fn(&ImageLimits) -> u32| ParamValue::uint(has.map_or(0, of));
    let size = |of: fn(&ImageLimits) -> u32| ParamValue::size(has.map_or(0, of) as usize);
    Some(match param {
        cl::CL_DEVICE_IMAGE_SUPPORT => ParamValue::bool(has.is_some()),
        // A program with more is refused by a device that cannot have them; nothing is gained by higher numbers.
        cl::CL_DEVICE_MAX_READ_IMAGE_ARGS => uint(|l| l.sampled_images.min(128)),
        cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS => uint(|l| l.storage_images.min(64)),
        cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS if device.caps.reads_and_writes => {
            uint(|l| l.storage_images.min(64))
        }
        cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => ParamValue::uint(0),
        cl::CL_DEVICE_MAX_SAMPLERS => uint(|l| l.samplers.min(32)),
        cl::CL_DEVICE_IMAGE2D_MAX_WIDTH => size(|l| l.size_2d.min(l.size_1d)),
        cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(|l| l.size_2d),
        cl::CL_DEVICE_IMAGE3D_MAX_WIDTH
        | cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | cl::CL_DEVICE_IMAGE3D_MAX_DEPTH => size(|l| l.size_3d),
        cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(|l| l.texel_buffer_elements),
        cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(|l| l.layers),
        // In texels: any whole ones (`memory/mirror.rs`).
        cl::CL_DEVICE_IMAGE_PITCH_ALIGNMENT | cl::CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => uint(|_| 1),
        _ => return None,
    })
}

/// Returns what is said of pipes; zeros where there are none.
fn pipes(caps: &Caps, param: cl::cl_device_info) -> Option<ParamValue> {
    let has = caps.language.contains(Features::PIPES);
    let most = |value: u32| ParamValue::uint(if has { value } else { 0 });
    Some(match param {
        cl::CL_DEVICE_PIPE_SUPPORT => ParamValue::bool(has),
        cl::CL_DEVICE_MAX_PIPE_ARGS => most(pipe::MAX_PIPE_ARGS),
        cl::CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => most(pipe::MAX_RESERVATIONS),
        cl::CL_DEVICE_PIPE_MAX_PACKET_SIZE => most(pipe::MAX_PACKET_SIZE),
        _ => return None,
    })
}

/// Returns what is said of device queues; zeros where there are none.
fn device_queues(device: &Device, param: cl::cl_device_info) -> Option<ParamValue> {
    let has = device_queue::is_supported(device);
    let most = |value: u32| ParamValue::uint(if has { value } else { 0 });
    let bits = |value: u64| ParamValue::ulong(if has { value } else { 0 });
    Some(match param {
        cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => most(device_queue::PREFERRED_SIZE),
        cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => most(device_queue::MAX_SIZE),
        cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES => most(device_queue::MAX_QUEUES),
        cl::CL_DEVICE_MAX_ON_DEVICE_EVENTS => most(device_queue::MAX_EVENTS),
        cl::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => bits(device_queue::PROPERTIES),
        cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            bits(cl::CL_DEVICE_QUEUE_SUPPORTED | cl::CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT)
        }
        _ => return None,
    })
}

/// Returns what a device without built-in kernels answers, and of dot products that they are there.
fn absent(param: cl::cl_device_info) -> Option<ParamValue> {
    Some(match param {
        cl::CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => ParamValue::ulong(
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
                | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
        ),
        // Vulkan's own answers are of its own operations: nothing is promised.
        cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
        | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => {
            ParamValue(vec![0; size_of::<cl::cl_device_integer_dot_product_acceleration_properties>()])
        }
        cl::CL_DEVICE_BUILT_IN_KERNELS => ParamValue::text(""),
        cl::CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => ParamValue::default(),
        _ => return None,
    })
}

//! The capabilities of a device in OpenCL's terms, worked out once: everything that clGetDeviceInfo reports and the front end uses.
//!
//! Nothing is claimed here that does not work. Features that the language lacks on a device are off for the queries
//! and the compiler alike.

use frontend::options::features::OPTIONAL;
use frontend::options::{Features, Options};
use host::present::Present;
use host::profile;
use lower::Target;
use opencl_sys as cl;
use vk_runtime::{
    DeviceKind, ExternalSupport, Identity, ImageLimits, MemoryHandle, PhysicalDevice, RuntimeError,
    SemaphoreHandle,
};

use crate::abi::extensions::{Condition, EXTENSIONS, Extension};
use crate::device::gl::binding;
use crate::device::system::{Cache, System};
use crate::device::vendor::Vendor;

/// CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: the full profile's minimum (§4.2). `__constant` arguments are storage buffers here, and a
/// larger one is taken; but programs divide their data by this number, or allocate all of it, and mean a fast memory of
/// such a size, as devices have it that have one.
pub(crate) const MAX_CONSTANT_BUFFER_SIZE: u64 = 64 << 10;

/// Work-items of a work-group that programs take for granted (CLBlast and clFFT do). A device with fewer says that it has so many: kernels
/// go through larger work-groups in pieces (`lower/src/passes/legalize/work_item_loops`). CL_KERNEL_WORK_GROUP_SIZE is less for the few kernels that cannot, and
/// where programs leave the size open it is the device's own.
const COMMON_WORK_GROUP: usize = 256;

/// A name with its version, as CL_*_WITH_VERSION queries give it.
pub(crate) type Named = (&'static str, cl::cl_version);

/// CL_MAKE_VERSION.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> cl::cl_version {
    (major << 22) | (minor << 12) | patch
}

/// CL_PLATFORM_NUMERIC_VERSION: devices may be older ([`Caps::version`]).
pub(crate) const PLATFORM_VERSION: cl::cl_version = version(3, 1, 0);
/// The OpenCL C versions that clBuildProgram takes, the last of them on devices of OpenCL 3.1 alone; the highest with which all
/// older programs compile is [`OPENCL_C_VERSION`].
const OPENCL_C: [Named; 5] = [
    ("OpenCL C", version(1, 0, 0)),
    ("OpenCL C", version(1, 1, 0)),
    ("OpenCL C", version(1, 2, 0)),
    ("OpenCL C", version(3, 0, 0)),
    ("OpenCL C", version(3, 1, 0)),
];
/// CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR.
pub(crate) const OPENCL_C_VERSION: cl::cl_version = version(1, 2, 0);

/// The capabilities of a device.
#[derive(Debug)]
pub(crate) struct Caps {
    /// True if its limits are those of the full profile, or it is presented so.
    pub(crate) full_profile: bool,
    /// CL_DEVICE_NUMERIC_VERSION: what [`host::version`] says.
    pub(crate) version: cl::cl_version,
    /// The features that the front end may use.
    pub(crate) language: Features,
    pub(crate) extensions: Vec<Named>,
    /// CL_DEVICE_OPENCL_C_FEATURES.
    pub(crate) features: Vec<Named>,
    pub(crate) identity: Identity,
    pub(crate) compute_units: u32,
    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub(crate) max_work_group_size: usize,
    pub(crate) max_work_item_sizes: [usize; 3],
    /// Sub-groups of a work-group that wait for each other get on: llvmpipe runs them one after the other.
    pub(crate) forward_progress: bool,
    pub(crate) preferred_multiple: usize,
    pub(crate) global_mem_size: u64,
    pub(crate) max_mem_alloc_size: u64,
    pub(crate) local_mem_size: u64,
    /// Alignment of sub-buffer offsets in bytes.
    pub(crate) base_address_align: u32,
    pub(crate) single_fp: cl::cl_device_fp_config,
    pub(crate) double_fp: cl::cl_device_fp_config,
    pub(crate) half_fp: cl::cl_device_fp_config,
    pub(crate) host_unified_memory: bool,
    /// CL_DEVICE_PROFILING_TIMER_RESOLUTION.
    pub(crate) timer_resolution: usize,
    /// The answers to queries of its vendor's own extension.
    pub(crate) vendor: Vendor,
    /// The limits of its images, if kernels can use them.
    pub(crate) images: Option<ImageLimits>,
    /// True if kernels write 3D images.
    pub(crate) writes_3d: bool,
    /// True if a kernel reads and writes one image.
    pub(crate) reads_and_writes: bool,
    /// The memory and semaphores of other APIs that it imports and exports.
    pub(crate) external: ExternalSupport,
    /// True if it imports dma-bufs that are not acquired and released: it shares the host's memory.
    pub(crate) imports_dma_bufs: bool,
    /// CL_DEVICE_GLOBAL_MEM_CACHE_*, where they are known.
    pub(crate) cache: Option<Cache>,
}

impl Caps {
    /// Works them out. The profile may be presented as another one.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub(crate) fn from_device(
        physical: &PhysicalDevice,
        target: &Target,
        present: &Present,
    ) -> Result<Self, RuntimeError> {
        let (limits, is_cpu) = (&target.limits, physical.kind() == DeviceKind::Cpu);
        let identity = physical.identity()?;
        let mut language = language(target);
        let has_full_profile = profile::lacks_for_full_profile(physical, target).is_empty();
        let images =
            images(physical, target, language, has_full_profile && present.full_profile != Some(false));
        if images.is_none() {
            language.remove(IMAGE_FEATURES);
        }
        let compute_units = identity.compute_units.unwrap_or(1).max(1);
        let mut caps = Caps {
            full_profile: present.full_profile.unwrap_or(has_full_profile),
            version: version(3, host::version::number(language) / 10 % 10, 0),
            language,
            extensions: Vec::new(),
            features: Vec::new(),
            compute_units,
            max_work_group_size: (limits.max_compute_work_group_invocations as usize).max(COMMON_WORK_GROUP),
            // A kernel may go through larger ones in pieces: CL_KERNEL_WORK_GROUP_SIZE.
            max_work_item_sizes: limits.max_compute_work_group_size.map(|n| {
                let small = limits.max_compute_work_group_invocations < lower::MAX_WORK_GROUP_SIZE;
                if small { n.max(lower::MAX_WORK_GROUP_SIZE) as usize } else { n as usize }
            }),
            forward_progress: !target.features.is_cpu,
            preferred_multiple: limits.subgroup_size as usize,
            global_mem_size: physical.memory_size(),
            max_mem_alloc_size: profile::max_mem_alloc_size(physical, target),
            local_mem_size: limits.max_compute_shared_memory_size.into(),
            base_address_align: base_address_align(physical, target),
            single_fp: fp_config(target, 1),
            double_fp: if language.contains(Features::FP64) { fp_config(target, 2) } else { 0 },
            half_fp: if language.contains(Features::FP16) { fp_config(target, 0) } else { 0 },
            host_unified_memory: is_cpu || physical.kind() == DeviceKind::Integrated,
            timer_resolution: (physical.timestamp_period().ceil() as usize).max(1),
            vendor: Vendor::from_identity(&identity, physical, &System::new()),
            images,
            writes_3d: language.contains(Features::IMAGE_3D_WRITES) || crate::abi::test_modes::has_images(),
            reads_and_writes: language.contains(Features::READ_WRITE_IMAGES),
            imports_dma_bufs: false,
            external: physical.external_support(target),
            cache: None,
            identity,
        };
        caps.imports_dma_bufs =
            caps.host_unified_memory && caps.external.memory.contains(&MemoryHandle::DmaBuf);
        caps.cache = caps.known_cache(is_cpu);
        caps.extensions = extensions(target, &caps);
        caps.features = features(language);
        Ok(caps)
    }

    /// The cache before global memory: a CPU's as the system tells, a GPU's as its vendor's own OpenCL does.
    fn known_cache(&self, is_cpu: bool) -> Option<Cache> {
        match is_cpu {
            true => System::new().cpu_cache(),
            false => self.vendor.cache(self.compute_units),
        }
    }

    /// Returns whether it imports or exports semaphores so.
    fn shares_semaphores(&self, handle: SemaphoreHandle) -> bool {
        self.external.semaphores_in.contains(&handle) || self.external.semaphores_out.contains(&handle)
    }

    /// Returns whether its images may have mip levels (cl_khr_mipmap_image).
    pub(crate) fn has_mipmaps(&self) -> bool {
        self.images.is_some() && self.language.contains(Features::MIPMAPS)
    }

    /// CL_DEVICE_PROFILE.
    pub(crate) fn profile(&self) -> &'static str {
        if self.full_profile { "FULL_PROFILE" } else { "EMBEDDED_PROFILE" }
    }

    /// CL_DEVICE_VERSION.
    pub(crate) fn version_text(&self) -> String {
        format!("OpenCL {}.{} Pumice", self.version >> 22, self.version >> 12 & 0x3ff)
    }

    /// CL_DEVICE_OPENCL_C_ALL_VERSIONS.
    pub(crate) fn opencl_c(&self) -> impl Iterator<Item = Named> {
        let newest = self.version;
        OPENCL_C.into_iter().filter(move |(_, version)| *version <= newest)
    }

    /// Tells the front end what this device is.
    pub(crate) fn tell(&self, target: &Target, options: &mut Options) {
        host::target::apply(target, options);
        options.features = self.language;
        options.device_version = host::version::number(self.language);
        options.embedded_profile = !self.full_profile;
    }

    /// CL_DEVICE_PREFERRED_VECTOR_WIDTH_*: a CPU is fed by vectors of 16 bytes (measured with lavapipe), a GPU by
    /// work-items side by side. 0 for a type that the device lacks.
    pub(crate) fn vector_width(&self, bytes: u32, needs: Features, is_cpu: bool) -> cl::cl_uint {
        match (self.language.contains(needs), is_cpu) {
            (false, _) => 0,
            (true, true) => 16 / bytes,
            (true, false) => 1,
        }
    }
}

/// Returns what the front end may use.
fn language(target: &Target) -> Features {
    let mut options = Options::default();
    host::target::apply(target, &mut options);
    let mut features = options.features;
    let whole = cl::CL_FP_INF_NAN | cl::CL_FP_DENORM;
    let has_doubles = fp_config(target, 2) & whole == whole;
    features.set(Features::FP64, features.contains(Features::FP64) && has_doubles);
    // Halves need infinities and NaNs (the minimum of CL_DEVICE_HALF_FP_CONFIG); denormals they need not.
    let has_halves = fp_config(target, 0) & cl::CL_FP_INF_NAN != 0;
    features.set(Features::FP16, features.contains(Features::FP16) && has_halves);
    // Textures of OpenGL alone have several samples, and buffers have none.
    let shares = binding::is_there() && !target.features.images_in_buffers();
    features.set(Features::MSAA_IMAGES, features.contains(Features::DEPTH_IMAGES) && shares);
    features
}

/// The features of kernels on devices with images.
const IMAGE_FEATURES: Features = Features::IMAGES
    .union(Features::IMAGE_3D_WRITES)
    .union(Features::READ_WRITE_IMAGES)
    .union(Features::DEPTH_IMAGES)
    .union(Features::MSAA_IMAGES)
    .union(Features::MIPMAPS)
    .union(Features::MIPMAP_WRITES);

/// Returns what a device has of images, if that is enough and kernels can use it.
fn images(
    physical: &PhysicalDevice,
    target: &Target,
    language: Features,
    full_profile: bool,
) -> Option<ImageLimits> {
    let (mut limits, masked) = (physical.image_limits(), &target.limits);
    limits.sampled_images = limits.sampled_images.min(masked.max_per_stage_descriptor_sampled_images);
    limits.storage_images = limits.storage_images.min(masked.max_per_stage_descriptor_storage_images);
    limits.samplers = limits.samplers.min(masked.max_per_stage_descriptor_samplers);
    let used = language.contains(Features::IMAGES) || crate::abi::test_modes::has_images();
    (used && suffices(&limits, full_profile)).then_some(limits)
}

/// At least the size of long16, the largest type.
fn base_address_align(physical: &PhysicalDevice, target: &Target) -> u32 {
    // Images of sub-buffers are texel buffers.
    let texels = physical.image_limits().texel_buffer_alignment;
    let align = target.limits.min_storage_buffer_offset_alignment.max(texels);
    u32::try_from(align).unwrap_or(256).max(128)
}

/// CL_DEVICE_*_FP_CONFIG for the width with this index among 16, 32, 64. Vulkan rounds basic operations to nearest
/// even or leaves it open; infinities and denormals hold where the float controls promise them. Doubles are nothing
/// without both (table "Device Queries", the minimum of CL_DEVICE_DOUBLE_FP_CONFIG).
fn fp_config(target: &Target, width: usize) -> cl::cl_device_fp_config {
    let features = &target.features;
    let is = |flags: &[bool; 3]| flags.get(width).copied().unwrap_or(false);
    let mut config = cl::CL_FP_ROUND_TO_NEAREST;
    if is(&features.shader_signed_zero_inf_nan_preserve) {
        config |= cl::CL_FP_INF_NAN;
    }
    if is(&target.keeps_denormals())
        || (width == 1 && target.quirks.denormal_floats)
        || (width == 2 && (features.is_cpu || target.quirks.denormal_doubles))
    {
        config |= cl::CL_FP_DENORM;
    }
    if width == 2 {
        // `fma` is fused, by the device or else by the library (§4.2: mandated for double precision). The conversions round
        // in every mode; OpenCL 1.x has these modes in the minimum, and the conformance tests demand them of every device.
        config |= cl::CL_FP_FMA | cl::CL_FP_ROUND_TO_ZERO | cl::CL_FP_ROUND_TO_INF;
    }
    config
}

/// Returns whether images that a device has suffice for the least that the specification demands (§4.2, "Device Queries"), or, of a device with the
/// embedded profile, for what programs do with images. Some such devices write four images in a kernel where the profile demands eight, or
/// have smaller 3D images: queries say what there is.
fn suffices(limits: &ImageLimits, full_profile: bool) -> bool {
    let (sides, solid, written, samplers) =
        if full_profile { (8192, 2048, 8, 16) } else { (2048, 256, 4, 8) };
    limits.size_2d >= sides
        && limits.size_1d >= sides
        && limits.size_3d >= solid
        && limits.layers >= 256
        && limits.texel_buffer_elements >= 65536
        && limits.sampled_images >= 8
        && limits.storage_images >= written
        && limits.samplers >= samplers
}

/// CL_DEVICE_EXTENSIONS.
fn extensions(target: &Target, caps: &Caps) -> Vec<Named> {
    let there = |extension: &&Extension| holds(extension.condition, target, caps);
    EXTENSIONS.iter().filter(there).map(named).collect()
}

/// An extension's name and version.
pub(crate) fn named(extension: &Extension) -> Named {
    let (major, minor, patch) = extension.version;
    (extension.name, version(major, minor, patch))
}

/// Returns whether a device has the extensions with a condition.
fn holds(condition: Condition, target: &Target, caps: &Caps) -> bool {
    let language = caps.language;
    match condition {
        Condition::Platform => false,
        Condition::Always => true,
        Condition::Language(features) => language.contains(features),
        Condition::Images(features) => caps.images.is_some() && language.contains(features),
        Condition::Writes3d => caps.images.is_some() && caps.writes_3d,
        Condition::IntelBlocks => {
            // Blocks of images are written as texels of a size that the kernel says.
            let sized = caps.images.is_none() || target.features.shader_storage_image_extended_formats;
            language.contains(Features::INTEL_SUBGROUPS) && sized
        }
        Condition::AnyClock => {
            let clocks = Features::CLOCK_DEVICE | Features::CLOCK_WORK_GROUP | Features::CLOCK_SUB_GROUP;
            language.intersects(clocks)
        }
        Condition::ForwardProgress => language.contains(Features::SUBGROUPS) && caps.forward_progress,
        Condition::EmbeddedInt64 => !caps.full_profile && language.contains(Features::INT64),
        Condition::Cxx => true,
        Condition::Pci => caps.identity.pci.is_some(),
        Condition::Nvidia => matches!(caps.vendor, Vendor::Nvidia(_)),
        Condition::Amd => matches!(caps.vendor, Vendor::Amd(_)),
        Condition::ImportsMemory => !caps.external.memory.is_empty(),
        Condition::ImportsOpaqueFd => caps.external.memory.contains(&MemoryHandle::OpaqueFd),
        Condition::ImportsDmaBuf => caps.external.memory.contains(&MemoryHandle::DmaBuf),
        Condition::ImportsOpaqueWin32 => caps.external.memory.contains(&MemoryHandle::OpaqueWin32),
        Condition::ImportsByArm => caps.external.host || caps.imports_dma_bufs,
        Condition::ImportsHost => caps.external.host,
        Condition::ImportsDmaBufByArm => caps.imports_dma_bufs,
        Condition::SharesSemaphores => {
            !caps.external.semaphores_in.is_empty() || !caps.external.semaphores_out.is_empty()
        }
        Condition::SemaphoreOpaqueFd => caps.shares_semaphores(SemaphoreHandle::OpaqueFd),
        Condition::SemaphoreOpaqueWin32 => caps.shares_semaphores(SemaphoreHandle::OpaqueWin32),
        Condition::SemaphoreSyncFd => caps.shares_semaphores(SemaphoreHandle::SyncFd),
        Condition::Addresses => target.has_address_model(),
        Condition::Gl => caps.images.is_some() && binding::is_there(),
        Condition::GlDepth => {
            caps.images.is_some() && language.contains(Features::DEPTH_IMAGES) && binding::is_there()
        }
        Condition::Egl => caps.images.is_some() && binding::has_egl(),
    }
}

/// CL_DEVICE_OPENCL_C_FEATURES: the feature macros that the front end defines, by its own table.
fn features(language: Features) -> Vec<Named> {
    let defined = OPTIONAL.iter().filter(|o| o.is_feature() && o.is_in(language));
    defined.map(|o| (o.name, version(3, 0, 0))).collect()
}

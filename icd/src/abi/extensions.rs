//! The extensions: name, version, condition and functions of each. CL_PLATFORM_EXTENSIONS, CL_DEVICE_EXTENSIONS and the queries with versions,
//! clGetExtensionFunctionAddress and docs/reference/extensions.md come from this list. It is plain data, which the tests of the library read too.

use frontend::options::Features;

use Condition::*;

/// An extension.
pub(crate) struct Extension {
    /// The name.
    pub(crate) name: &'static str,
    /// Major, minor and patch version.
    pub(crate) version: (u32, u32, u32),
    /// The devices that have it.
    pub(crate) condition: Condition,
    /// Its functions, which have no place in the table of the ICD loader.
    pub(crate) functions: &'static [&'static str],
}

/// The devices that have an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// An extension of the platform.
    Platform,
    /// Every device.
    Always,
    /// Devices for which the front end has these features.
    Language(Features),
    /// Devices with images for which the front end has these features.
    Images(Features),
    /// Devices with images whose kernels write 3D images.
    Writes3d,
    /// Devices with Intel's sub-group functions, and, if they have images, with texels whose size the kernel says.
    IntelBlocks,
    /// Devices with one of the kernel clocks.
    AnyClock,
    /// Devices with sub-groups that make progress independently.
    ForwardProgress,
    /// Devices of the embedded profile with 64-bit integers.
    EmbeddedInt64,
    /// Systems with a clang that compiles C++ for OpenCL.
    Cxx,
    /// Devices on a PCI bus that Vulkan tells.
    Pci,
    /// NVIDIA's GPUs.
    Nvidia,
    /// AMD's GPUs of which Vulkan tells the cores.
    Amd,
    /// Devices with buffer addresses.
    Addresses,
    /// Devices that import memory of other APIs.
    ImportsMemory,
    /// Devices that import it by descriptors of Vulkan's drivers.
    ImportsOpaqueFd,
    /// Devices that import it by Linux's dma-bufs.
    ImportsDmaBuf,
    /// Devices that import it by handles of Windows.
    ImportsOpaqueWin32,
    /// Devices that import memory as one of the next two.
    ImportsByArm,
    /// Devices that import the host's memory, which they share.
    ImportsHost,
    /// Devices that import dma-bufs and share the host's memory.
    ImportsDmaBufByArm,
    /// Devices that import or export semaphores.
    SharesSemaphores,
    /// Devices that do so by descriptors of Vulkan's drivers.
    SemaphoreOpaqueFd,
    /// Devices that do so by Linux's sync files.
    SemaphoreSyncFd,
    /// Devices that do so by handles of Windows.
    SemaphoreOpaqueWin32,
    /// Devices with images, where the system has EGL or GLX.
    Gl,
    /// The same with depth images.
    GlDepth,
    /// Devices with images, where the system has EGL.
    Egl,
}

const fn row(
    name: &'static str,
    version: (u32, u32, u32),
    condition: Condition,
    functions: &'static [&'static str],
) -> Extension {
    Extension { name, version, condition, functions }
}

/// All extensions, in the order of CL_DEVICE_EXTENSIONS.
pub(crate) const EXTENSIONS: &[Extension] = &[
    row(
        "cl_khr_icd",
        (2, 0, 0),
        Platform,
        &[
            "clIcdGetFunctionAddressForPlatformKHR",
            "clIcdGetPlatformIDsKHR",
            "clIcdSetPlatformDispatchDataKHR",
        ],
    ),
    row("cl_khr_icd_unloadable", (1, 0, 0), Platform, &[]),
    row("cl_ext_cxx_for_opencl", (1, 0, 0), Cxx, &[]),
    row("cl_ext_float_atomics", (1, 0, 0), Language(Features::FLOAT_ATOMICS), &[]),
    row("cl_ext_immutable_memory_objects", (1, 0, 0), Always, &[]),
    row("cl_ext_migrate_memobject", (1, 0, 0), Always, &["clEnqueueMigrateMemObjectEXT"]),
    row("cl_intel_mem_force_host_memory", (1, 0, 0), Always, &[]),
    row("cl_intel_required_subgroup_size", (1, 0, 0), Language(Features::INTEL_REQUIRED_SIZE), &[]),
    row("cl_intel_subgroups", (1, 0, 0), IntelBlocks, &[]),
    row("cl_intel_subgroups_char", (1, 0, 0), IntelBlocks, &[]),
    row("cl_intel_subgroups_long", (1, 0, 0), IntelBlocks, &[]),
    // With blocks of 16.
    row("cl_intel_subgroups_short", (1, 1, 0), IntelBlocks, &[]),
    row("cl_khr_3d_image_writes", (1, 0, 0), Writes3d, &[]),
    row("cl_khr_async_work_group_copy_fence", (1, 0, 0), Language(Features::ASYNC_COPY_FENCE), &[]),
    row("cl_khr_byte_addressable_store", (1, 0, 0), Always, &[]),
    // The text of 3.1.1 has this one and the next as experimental.
    row(
        "cl_khr_command_buffer",
        (0, 9, 8),
        Always,
        &[
            "clCommandBarrierWithWaitListKHR",
            "clCommandCopyBufferKHR",
            "clCommandCopyBufferRectKHR",
            "clCommandCopyBufferToImageKHR",
            "clCommandCopyImageKHR",
            "clCommandCopyImageToBufferKHR",
            "clCommandFillBufferKHR",
            "clCommandFillImageKHR",
            "clCommandNDRangeKernelKHR",
            "clCommandSVMMemFillKHR",
            "clCommandSVMMemcpyKHR",
            "clCreateCommandBufferKHR",
            "clEnqueueCommandBufferKHR",
            "clFinalizeCommandBufferKHR",
            "clGetCommandBufferInfoKHR",
            "clReleaseCommandBufferKHR",
            "clRetainCommandBufferKHR",
        ],
    ),
    row(
        "cl_khr_command_buffer_mutable_dispatch",
        (0, 9, 5),
        Always,
        &["clGetMutableCommandInfoKHR", "clUpdateMutableCommandsKHR"],
    ),
    row("cl_khr_create_command_queue", (1, 0, 0), Always, &["clCreateCommandQueueWithPropertiesKHR"]),
    row("cl_khr_depth_images", (1, 0, 0), Images(Features::DEPTH_IMAGES), &[]),
    row("cl_khr_device_uuid", (1, 0, 0), Always, &[]),
    // The functions of this one and of the others for EGL and OpenGL are in the table of the ICD loader.
    row("cl_khr_egl_event", (1, 0, 0), Egl, &[]),
    row("cl_khr_egl_image", (1, 0, 0), Egl, &[]),
    row("cl_khr_expect_assume", (1, 0, 0), Always, &[]),
    row("cl_khr_extended_async_copies", (1, 0, 0), Language(Features::EXTENDED_ASYNC_COPIES), &[]),
    row("cl_khr_extended_bit_ops", (1, 0, 0), Language(Features::BIT_OPS), &[]),
    row("cl_khr_extended_versioning", (1, 0, 0), Always, &[]),
    row(
        "cl_khr_external_memory",
        (1, 0, 1),
        ImportsMemory,
        &["clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"],
    ),
    row("cl_khr_external_memory_opaque_fd", (1, 0, 0), ImportsOpaqueFd, &[]),
    row("cl_khr_external_memory_dma_buf", (1, 0, 0), ImportsDmaBuf, &[]),
    row("cl_khr_external_memory_win32", (1, 1, 0), ImportsOpaqueWin32, &[]),
    row("cl_khr_external_semaphore", (1, 0, 1), SharesSemaphores, &["clGetSemaphoreHandleForTypeKHR"]),
    row("cl_khr_external_semaphore_opaque_fd", (1, 0, 0), SemaphoreOpaqueFd, &[]),
    row("cl_khr_external_semaphore_sync_fd", (1, 0, 1), SemaphoreSyncFd, &["clReImportSemaphoreSyncFdKHR"]),
    row("cl_khr_external_semaphore_win32", (0, 9, 1), SemaphoreOpaqueWin32, &[]),
    row("cl_khr_fp16", (1, 0, 0), Language(Features::FP16), &[]),
    row("cl_khr_fp64", (1, 0, 0), Language(Features::FP64), &[]),
    row("cl_khr_gl_depth_images", (1, 0, 0), GlDepth, &[]),
    row("cl_khr_gl_event", (1, 0, 0), Gl, &[]),
    row("cl_khr_gl_msaa_sharing", (1, 0, 0), Images(Features::MSAA_IMAGES), &[]),
    row("cl_khr_gl_sharing", (1, 0, 0), Gl, &[]),
    row("cl_khr_global_int32_base_atomics", (1, 0, 0), Always, &[]),
    row("cl_khr_global_int32_extended_atomics", (1, 0, 0), Always, &[]),
    row("cl_khr_il_program", (1, 0, 0), Always, &["clCreateProgramWithILKHR"]),
    row("cl_khr_image2d_from_buffer", (1, 0, 0), Images(Features::empty()), &[]),
    row("cl_khr_initialize_memory", (1, 0, 0), Always, &[]),
    row("cl_khr_int64_base_atomics", (1, 0, 0), Language(Features::INT64_ATOMICS), &[]),
    row("cl_khr_int64_extended_atomics", (1, 0, 0), Language(Features::INT64_ATOMICS), &[]),
    // With acceleration properties and both forms of input.
    row("cl_khr_integer_dot_product", (2, 0, 0), Always, &[]),
    row("cl_khr_kernel_clock", (1, 0, 0), AnyClock, &[]),
    row("cl_khr_local_int32_base_atomics", (1, 0, 0), Always, &[]),
    row("cl_khr_local_int32_extended_atomics", (1, 0, 0), Always, &[]),
    row("cl_khr_mipmap_image", (1, 0, 0), Images(Features::MIPMAPS), &[]),
    row("cl_khr_mipmap_image_writes", (1, 0, 0), Images(Features::MIPMAP_WRITES), &[]),
    row("cl_khr_pci_bus_info", (1, 0, 0), Pci, &[]),
    row(
        "cl_khr_semaphore",
        (1, 0, 1),
        Always,
        &[
            "clCreateSemaphoreWithPropertiesKHR",
            "clEnqueueSignalSemaphoresKHR",
            "clEnqueueWaitSemaphoresKHR",
            "clGetSemaphoreInfoKHR",
            "clReleaseSemaphoreKHR",
            "clRetainSemaphoreKHR",
        ],
    ),
    row("cl_khr_spirv_extended_debug_info", (1, 0, 0), Always, &[]),
    row("cl_khr_spirv_linkonce_odr", (1, 0, 0), Always, &[]),
    row("cl_khr_spirv_no_integer_wrap_decoration", (1, 0, 0), Always, &[]),
    row("cl_khr_spirv_queries", (1, 0, 0), Always, &[]),
    row("cl_khr_srgb_image_writes", (1, 0, 0), Images(Features::empty()), &[]),
    row("cl_khr_subgroup_ballot", (1, 0, 0), Language(Features::SUBGROUP_BALLOT), &[]),
    row("cl_khr_subgroup_clustered_reduce", (1, 0, 0), Language(Features::SUBGROUP_CLUSTERED), &[]),
    row("cl_khr_subgroup_extended_types", (1, 0, 0), Language(Features::SUBGROUP_TYPES), &[]),
    row("cl_khr_subgroup_non_uniform_arithmetic", (1, 0, 0), Language(Features::SUBGROUP_ARITHMETIC), &[]),
    row("cl_khr_subgroup_non_uniform_vote", (1, 0, 0), Language(Features::SUBGROUP_VOTE), &[]),
    row("cl_khr_subgroup_rotate", (1, 0, 0), Language(Features::SUBGROUP_ROTATE), &[]),
    row("cl_khr_subgroup_shuffle", (1, 0, 0), Language(Features::SUBGROUP_SHUFFLE), &[]),
    row("cl_khr_subgroup_shuffle_relative", (1, 0, 0), Language(Features::SUBGROUP_SHUFFLE_RELATIVE), &[]),
    // §4.2: the extension, unlike the feature, promises independent forward progress.
    row("cl_khr_subgroups", (1, 0, 0), ForwardProgress, &[]),
    row("cl_khr_suggested_local_work_size", (1, 0, 0), Always, &["clGetKernelSuggestedLocalWorkSizeKHR"]),
    row("cl_khr_priority_hints", (1, 0, 0), Always, &[]),
    row("cl_khr_throttle_hints", (1, 0, 0), Always, &[]),
    row("cl_khr_work_group_uniform_arithmetic", (1, 0, 0), Language(Features::WORK_GROUP_ARITHMETIC), &[]),
    row("cles_khr_int64", (1, 0, 0), EmbeddedInt64, &[]),
    row("cl_nv_device_attribute_query", (1, 0, 0), Nvidia, &[]),
    row("cl_amd_device_attribute_query", (1, 0, 0), Amd, &[]),
    row("cl_arm_import_memory", (1, 0, 0), ImportsByArm, &["clImportMemoryARM"]),
    row("cl_arm_import_memory_host", (1, 0, 0), ImportsHost, &[]),
    row("cl_arm_import_memory_dma_buf", (1, 0, 0), ImportsDmaBufByArm, &[]),
    row("cl_qcom_perf_hint", (1, 0, 5), Always, &["clSetPerfHintQCOM"]),
    row("cl_ext_image_from_buffer", (1, 0, 0), Images(Features::empty()), &[]),
    row(
        "cl_ext_image_requirements_info",
        (0, 5, 0),
        Images(Features::empty()),
        &["clGetImageRequirementsInfoEXT"],
    ),
    row("cl_ext_buffer_device_address", (1, 0, 2), Addresses, &["clSetKernelArgDevicePointerEXT"]),
    // Allocations of the device, at least: the queries tell of the others.
    row(
        "cl_intel_unified_shared_memory",
        (1, 2, 0),
        Addresses,
        &[
            "clDeviceMemAllocINTEL",
            "clEnqueueMemAdviseINTEL",
            "clEnqueueMemFillINTEL",
            "clEnqueueMemcpyINTEL",
            "clEnqueueMigrateMemINTEL",
            "clGetMemAllocInfoINTEL",
            "clHostMemAllocINTEL",
            "clMemBlockingFreeINTEL",
            "clMemFreeINTEL",
            "clSetKernelArgMemPointerINTEL",
            "clSharedMemAllocINTEL",
        ],
    ),
];

/// A function for the tests of leaks, which belongs to no extension.
pub(crate) const LIVE_OBJECTS: &str = "pumiceLiveObjectsPUMICE";

/// The functions of all extensions, and the one of the tests.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    EXTENSIONS.iter().flat_map(|extension| extension.functions.iter().copied()).chain([LIVE_OBJECTS])
}

#[cfg(test)]
mod documentation {
    use super::*;

    /// The condition in words.
    fn words(condition: Condition) -> String {
        let features = |features: Features| {
            let names: Vec<_> = features.iter_names().map(|(name, _)| format!("`{name}`")).collect();
            names.join(", ")
        };
        match condition {
            Platform => "the platform".to_owned(),
            Always => "every device".to_owned(),
            Language(needed) => features(needed),
            Images(needed) if needed.is_empty() => "images".to_owned(),
            Images(Features::MSAA_IMAGES) => {
                "images, `DEPTH_IMAGES`; Linux with EGL or GLX; not where images are buffers".to_owned()
            }
            Images(needed) => format!("images, {}", features(needed)),
            Writes3d => "images; kernels write 3D images".to_owned(),
            IntelBlocks => "`INTEL_SUBGROUPS`; with images also texels whose size the kernel says".to_owned(),
            AnyClock => "`CLOCK_DEVICE`, `CLOCK_WORK_GROUP` or `CLOCK_SUB_GROUP`".to_owned(),
            ForwardProgress => "`SUBGROUPS` with independent forward progress".to_owned(),
            EmbeddedInt64 => "the embedded profile, `INT64`".to_owned(),
            Cxx => "always".to_owned(),
            Pci => "Vulkan tells the place on the PCI bus".to_owned(),
            Nvidia => "NVIDIA's GPUs".to_owned(),
            Amd => "AMD's GPUs".to_owned(),
            Addresses => "buffer addresses".to_owned(),
            ImportsMemory => "one of the next three".to_owned(),
            ImportsOpaqueFd => "buffer addresses; Vulkan imports buffers of `OPAQUE_FD`".to_owned(),
            ImportsByArm => "one of the next two".to_owned(),
            ImportsHost => "buffer addresses; memory shared with the host, which Vulkan imports".to_owned(),
            ImportsDmaBufByArm => "`cl_khr_external_memory_dma_buf`; memory shared with the host".to_owned(),
            SharesSemaphores => "one of the next three".to_owned(),
            SemaphoreOpaqueFd => "timelines; Vulkan imports or exports semaphores of `OPAQUE_FD`".to_owned(),
            SemaphoreSyncFd => "timelines; Vulkan imports or exports semaphores of `SYNC_FD`".to_owned(),
            SemaphoreOpaqueWin32 => {
                "Windows; timelines; Vulkan imports or exports semaphores of `OPAQUE_WIN32`".to_owned()
            }
            ImportsOpaqueWin32 => {
                "Windows; buffer addresses; Vulkan imports buffers of `OPAQUE_WIN32`".to_owned()
            }
            ImportsDmaBuf => "buffer addresses; Vulkan imports buffers of `DMA_BUF_EXT`".to_owned(),
            Gl => "images; Linux with EGL or GLX".to_owned(),
            GlDepth => "images, `DEPTH_IMAGES`; Linux with EGL or GLX".to_owned(),
            Egl => "images; Linux with EGL".to_owned(),
        }
    }

    const NOT_CLAIMED: &str = "
## Not claimed, and why

| extension | why no device has it |
|---|---|
| cl_khr_terminate_context | it demands that commands which run on the device can be ended, and Vulkan has no such command |
| cl_khr_spir | it takes SPIR 1.2, which is LLVM's bitcode; SPIR-V comes by cl_khr_il_program |
| cl_khr_command_buffer_multi_device | its command buffers record for several queues; each has one queue here |
| cl_arm_printf | its callback comes before the launch is complete, which the thread that calls the application's functions cannot promise without a deadlock |
| cl_arm_scheduling_controls | batches of work-groups, registers and compute units are the Vulkan driver's, which lets nobody set them |
| cl_qcom_priority_hint | its text is not in Khronos' registry; cl_khr_priority_hints is there |
| cl_qcom_recordable_queues | its text is not in Khronos' registry; cl_khr_command_buffer is there |
| cl_ext_device_fission, sub-devices | Vulkan does not divide a device |
";

    fn page() -> String {
        let mut out = String::from(
            "# Extensions\n\n\
             This page is made from `icd/src/abi/extensions.rs`. A device has an extension if the condition holds. Names in capitals are features \
             of the front end\n(`frontend/src/options.rs`), which depend on the device.\n\n\
             | extension | version | condition | functions |\n|---|---|---|---|\n",
        );
        for Extension { name, version: (major, minor, patch), condition, functions } in EXTENSIONS {
            let functions: Vec<_> = functions.iter().map(|f| format!("`{f}`")).collect();
            let (condition, functions) = (words(*condition), functions.join(", "));
            out += &format!("| {name} | {major}.{minor}.{patch} | {condition} | {functions} |\n");
        }
        out += "\nThe hints of cl_khr_priority_hints and cl_khr_throttle_hints are taken and have no effect: queues of OpenCL share those of \
                Vulkan. So is that of cl_qcom_perf_hint: Vulkan does not set a device's frequency.\nA kernel that writes to an immutable buffer through a pointer is not stopped (cl_ext_immutable_memory_objects).\n\
                A program from a bundle cannot be built in a context with `CL_CONTEXT_MEMORY_INITIALIZE_KHR`: its kernels are compiled already.\n";
        out += NOT_CLAIMED;
        out
    }

    #[test]
    fn the_page_of_extensions() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/extensions.md");
        let wanted = page();
        if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
            std::fs::write(path, &wanted).expect("written");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(found, wanted, "PUMICE_TEST_BLESS=1 cargo test -p pumice-icd --lib extensions writes it");
    }

    #[test]
    fn each_name_is_there_once() {
        let mut names: Vec<_> = EXTENSIONS.iter().map(|e| e.name).chain(functions()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

//! The statistics of a driver's compiler for a kernel: registers, instructions, spills, by VK_KHR_pipeline_executable_properties (Vulkan
//! specification, "Pipeline Executable Properties"). Nothing runs, so that RADV's null device will do.

use crate::device::logical::create_device;
use crate::device::physical::PhysicalDevice;
use crate::error::{Call, RuntimeError};
use crate::kernel::program::descriptor_type;
use ash::{khr, vk};
use lower::kernel_info::{ArgKind, BlockLocation, BlockSource};
use lower::{KernelInfo, Target};
use std::ffi::{CStr, CString};

/// The source of a pipeline: a kernel of ours ([`Shader::of_kernel`]) or a module from elsewhere.
#[derive(Debug, Clone)]
pub struct Shader<'a> {
    /// The module.
    pub spirv: &'a [u32],
    /// Its entry point.
    pub entry: &'a str,
    /// Descriptors, as (set, binding, type).
    pub descriptors: Vec<(u32, u32, vk::DescriptorType)>,
    /// Bytes of push constants.
    pub push_constants: u32,
    /// Specialization constants of 32 bits, as (id, value).
    pub constants: Vec<(u32, u32)>,
}

impl<'a> Shader<'a> {
    /// One kernel of a module for a work-group size (where it requires none); `__local` arguments have 1 KiB each, images are CL_RGBA of
    /// CL_UNORM_INT8, samplers give the nearest texel of one that exists, at coordinates in texels, and ids begin at 0.
    pub fn of_kernel(spirv: &'a [u32], kernel: &'a KernelInfo, local_size: [u32; 3]) -> Self {
        let descriptors = kernel.descriptors.iter().map(|d| (0, d.binding, descriptor_type(d.kind)));
        let push_constants = match kernel.block.location {
            BlockLocation::PushConstants => kernel.block.size,
            BlockLocation::StorageBuffer { .. } => 0,
            BlockLocation::BufferAddress => 8,
        };
        let mut constants: Vec<(u32, u32)> = Vec::new();
        if let Some(ids) = kernel.work_group_size_ids {
            constants.extend(ids.into_iter().zip(local_size));
        }
        for arg in &kernel.args {
            if let ArgKind::Local { spec_id: Some(id), unit, .. } = arg.kind {
                constants.push((id, 1024u32.div_ceil(unit.max(1))));
            }
        }
        constants.extend(kernel.specialised.iter().map(|word| match word.source {
            BlockSource::ImageFormat(_) => (word.id, 0x10d2_10b5),
            source if source.is_usually_zero() => (word.id, 0),
            _ => (word.id, 0x12),
        }));
        Shader { spirv, entry: &kernel.name, descriptors: descriptors.collect(), push_constants, constants }
    }
}

/// The driver's statistics of a pipeline.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its statistics, as (name, value).
    pub statistics: Vec<(String, f64)>,
    /// Its code in the forms that the driver shows (for RADV NIR, ACO's and the assembly), as (name, text); empty unless they were
    /// asked for.
    pub texts: Vec<(String, String)>,
}

/// A device that only compiles.
pub struct Compiler {
    device: ash::Device,
    properties: khr::pipeline_executable_properties::Device,
    /// Keeps the instance.
    _physical: PhysicalDevice,
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiler").field("device", &self._physical.name()).finish_non_exhaustive()
    }
}

impl Compiler {
    /// Opens a device with the features of a Target, which is its own or less.
    ///
    /// # Errors
    /// Unsupported without a queue for compute work or without VK_KHR_pipeline_executable_properties; Driver when Vulkan fails.
    pub fn new(physical: &PhysicalDevice, target: &Target) -> Result<Self, RuntimeError> {
        let raw = &physical.instance.inner.raw;
        let name = khr::pipeline_executable_properties::NAME;
        // SAFETY: the handle is of this live instance.
        let known = unsafe { raw.enumerate_device_extension_properties(physical.handle) }
            .call("vkEnumerateDeviceExtensionProperties")?;
        if !known.iter().any(|e| e.extension_name_as_c_str() == Ok(name)) {
            return Err(RuntimeError::unsupported(format!(
                "the driver of '{}' tells nothing of its code (VK_KHR_pipeline_executable_properties)",
                physical.name()
            )));
        }
        let Some(family) = physical.info.compute_family else {
            return Err(RuntimeError::unsupported("the device has no compute queue"));
        };
        let device = create_device(physical, family.index, 1, target, true)?;
        let properties = khr::pipeline_executable_properties::Device::new(raw, &device);
        Ok(Compiler { device, properties, _physical: physical.clone() })
    }

    /// Compiles one kernel of a module for a work-group size (where it requires none; `__local` arguments have 1 KiB each) and asks for
    /// the driver's statistics, as (name, value).
    ///
    /// # Errors
    /// The driver's.
    pub fn statistics(
        &self,
        spirv: &[u32],
        kernel: &KernelInfo,
        local_size: [u32; 3],
    ) -> Result<Vec<(String, f64)>, RuntimeError> {
        self.compile(&Shader::of_kernel(spirv, kernel, local_size), false).map(|made| made.statistics)
    }

    /// Compiles a shader, and asks the driver for its statistics and, on request, for its code.
    ///
    /// # Errors
    /// The driver's.
    pub fn compile(&self, shader: &Shader<'_>, texts: bool) -> Result<Report, RuntimeError> {
        let create = vk::ShaderModuleCreateInfo::default().code(shader.spirv);
        // SAFETY: `create` and what it points to live across the call. Drivers need not check modules: they come from our own writer,
        // for this device's features, or from another compiler, which the caller trusts as it trusts this one.
        let module =
            unsafe { self.device.create_shader_module(&create, None) }.call("vkCreateShaderModule")?;
        let result = self.layouts(shader).and_then(|(sets, layout)| {
            let result = self.pipeline(module, layout, shader, texts).and_then(|pipeline| {
                let result = self.ask(pipeline, texts);
                // SAFETY: made above, not in use, destroyed once.
                unsafe { self.device.destroy_pipeline(pipeline, None) };
                result
            });
            // SAFETY: as above.
            unsafe { self.device.destroy_pipeline_layout(layout, None) };
            self.destroy_sets(&sets);
            result
        });
        // SAFETY: as above.
        unsafe { self.device.destroy_shader_module(module, None) };
        result
    }

    fn destroy_sets(&self, sets: &[vk::DescriptorSetLayout]) {
        for set in sets {
            // SAFETY: made by `layouts`, whose caller has no pipeline layout of them any more; destroyed once.
            unsafe { self.device.destroy_descriptor_set_layout(*set, None) };
        }
    }

    fn layouts(
        &self,
        shader: &Shader<'_>,
    ) -> Result<(Vec<vk::DescriptorSetLayout>, vk::PipelineLayout), RuntimeError> {
        let last = shader.descriptors.iter().map(|d| d.0).max();
        let mut sets = Vec::new();
        for set in 0..last.map_or(1, |last| last + 1) {
            let bindings: Vec<_> = shader
                .descriptors
                .iter()
                .filter(|d| d.0 == set)
                .map(|(_, binding, kind)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(*binding)
                        .descriptor_type(*kind)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: `create` and what it points to live across the call.
            match unsafe { self.device.create_descriptor_set_layout(&create, None) }
                .call("vkCreateDescriptorSetLayout")
            {
                Ok(made) => sets.push(made),
                Err(e) => {
                    self.destroy_sets(&sets);
                    return Err(e);
                }
            }
        }
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(shader.push_constants)];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        if shader.push_constants > 0 {
            create = create.push_constant_ranges(&ranges);
        }
        // SAFETY: as above.
        match unsafe { self.device.create_pipeline_layout(&create, None) }.call("vkCreatePipelineLayout") {
            Ok(layout) => Ok((sets, layout)),
            Err(e) => {
                self.destroy_sets(&sets);
                Err(e)
            }
        }
    }

    fn pipeline(
        &self,
        module: vk::ShaderModule,
        layout: vk::PipelineLayout,
        shader: &Shader<'_>,
        texts: bool,
    ) -> Result<vk::Pipeline, RuntimeError> {
        let data: Vec<u8> = shader.constants.iter().flat_map(|c| c.1.to_ne_bytes()).collect();
        let entries: Vec<_> = shader
            .constants
            .iter()
            .zip((0u32..).step_by(4))
            .map(|((id, _), offset)| vk::SpecializationMapEntry { constant_id: *id, offset, size: 4 })
            .collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name =
            CString::new(shader.entry).map_err(|_| RuntimeError::bug("a kernel's name has a zero in it"))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name)
            .specialization_info(&specialization);
        let mut flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        if texts {
            flags |= vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        }
        let create = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout)];
        // SAFETY: all handles are of this device and alive; the feature is on.
        unsafe { self.device.create_compute_pipelines(vk::PipelineCache::null(), &create, None) }
            .map_err(|(_, e)| e)
            .call("vkCreateComputePipelines")?
            .first()
            .copied()
            .ok_or_else(|| RuntimeError::bug("no pipeline was made"))
    }

    fn ask(&self, pipeline: vk::Pipeline, texts: bool) -> Result<Report, RuntimeError> {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline was made with CAPTURE_STATISTICS; a compute pipeline has one executable, number 0.
        let list = unsafe { self.properties.get_pipeline_executable_statistics(&info) }
            .call("vkGetPipelineExecutableStatisticsKHR")?;
        let statistics = list.iter().map(|s| (text(&s.name), value(s))).collect();
        let texts = if texts { self.texts(&info)? } else { Vec::new() };
        Ok(Report { statistics, texts })
    }

    /// The forms of the code that are text. The first question tells how many there are and how long they are, the second takes them.
    fn texts(&self, info: &vk::PipelineExecutableInfoKHR<'_>) -> Result<Vec<(String, String)>, RuntimeError> {
        const CALL: &str = "vkGetPipelineExecutableInternalRepresentationsKHR";
        // SAFETY: the pipeline was made with CAPTURE_INTERNAL_REPRESENTATIONS; without room for data the sizes are written.
        let mut list =
            unsafe { self.properties.get_pipeline_executable_internal_representations(info) }.call(CALL)?;
        let mut rooms: Vec<Vec<u8>> = list.iter().map(|r| vec![0; r.data_size]).collect();
        for (form, room) in list.iter_mut().zip(&mut rooms) {
            form.p_data = room.as_mut_ptr().cast();
        }
        let mut count = u32::try_from(list.len()).map_err(|_| RuntimeError::bug("too many forms of code"))?;
        // SAFETY: each `p_data` has room for the `data_size` bytes that stand beside it, and lives in `rooms`; the driver writes no more
        // than `count` of them.
        unsafe {
            (self.properties.fp().get_pipeline_executable_internal_representations_khr)(
                self.properties.device(),
                info,
                &mut count,
                list.as_mut_ptr(),
            )
        }
        .result()
        .call(CALL)?;
        let forms = list.iter().zip(&rooms).filter(|(form, _)| form.is_text == vk::TRUE);
        Ok(forms.map(|(form, room)| (text(&form.name), up_to_zero(room))).collect())
    }
}

/// Text that a driver wrote into a buffer, without what follows its zero.
fn up_to_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: everything made from them is gone; destroyed once.
        unsafe { self.device.destroy_device(None) };
    }
}

// c_char has no sign on ARM.
fn text(name: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = name.iter().flat_map(|c| c.to_ne_bytes()).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |s| s.to_string_lossy().into_owned())
}

fn value(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> f64 {
    // SAFETY: the driver wrote the member that `format` names; all are plain numbers.
    unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => f64::from(statistic.value.b32),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => statistic.value.i64 as f64,
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => statistic.value.u64 as f64,
            _ => statistic.value.f64,
        }
    }
}

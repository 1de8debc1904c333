//! What a driver's compiler makes of a kernel: registers, instructions, spills, by VK_KHR_pipeline_executable_properties (Vulkan
//! specification, "Pipeline Executable Properties"). Nothing runs, so that RADV's null device will do.

use crate::device::create_device;
use crate::error::{Call, RuntimeError};
use crate::physical::PhysicalDevice;
use ash::{khr, vk};
use lower::kernel_info::{ArgKind, BlockPlace, DescriptorKind};
use lower::{KernelInfo, Target};
use std::ffi::{CStr, CString};

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
        let create = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the module was made by our own writer for this device's features.
        let module =
            unsafe { self.device.create_shader_module(&create, None) }.call("vkCreateShaderModule")?;
        let result = self.layouts(kernel).and_then(|(set, layout)| {
            let result = self.pipeline(module, layout, kernel, local_size).and_then(|pipeline| {
                let result = self.ask(pipeline);
                // SAFETY: made above, not in use, destroyed once.
                unsafe { self.device.destroy_pipeline(pipeline, None) };
                result
            });
            // SAFETY: as above.
            unsafe {
                self.device.destroy_pipeline_layout(layout, None);
                self.device.destroy_descriptor_set_layout(set, None);
            }
            result
        });
        // SAFETY: as above.
        unsafe { self.device.destroy_shader_module(module, None) };
        result
    }

    fn layouts(
        &self,
        kernel: &KernelInfo,
    ) -> Result<(vk::DescriptorSetLayout, vk::PipelineLayout), RuntimeError> {
        let bindings: Vec<_> = kernel
            .descriptors
            .iter()
            .map(|d| {
                let kind = match d.kind {
                    DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
                    DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
                    DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
                    DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
                    DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
                    DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
                    DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
                };
                vk::DescriptorSetLayoutBinding::default()
                    .binding(d.binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: `create` and what it points to live across the call.
        let set = unsafe { self.device.create_descriptor_set_layout(&create, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let size = match kernel.block.place {
            BlockPlace::PushConstants => kernel.block.size,
            BlockPlace::StorageBuffer { .. } => 0,
            BlockPlace::BufferAddress => 8,
        };
        let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
        let sets = [set];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        if size > 0 {
            create = create.push_constant_ranges(&ranges);
        }
        // SAFETY: as above.
        match unsafe { self.device.create_pipeline_layout(&create, None) }.call("vkCreatePipelineLayout") {
            Ok(layout) => Ok((set, layout)),
            Err(e) => {
                // SAFETY: made above, not in use, destroyed once.
                unsafe { self.device.destroy_descriptor_set_layout(set, None) };
                Err(e)
            }
        }
    }

    fn pipeline(
        &self,
        module: vk::ShaderModule,
        layout: vk::PipelineLayout,
        kernel: &KernelInfo,
        local_size: [u32; 3],
    ) -> Result<vk::Pipeline, RuntimeError> {
        let mut constants: Vec<(u32, u32)> = Vec::new();
        if let Some(ids) = kernel.work_group_size_ids {
            constants.extend(ids.into_iter().zip(local_size));
        }
        for arg in &kernel.args {
            if let ArgKind::Local { spec_id: Some(id), unit, .. } = arg.kind {
                constants.push((id, 1024u32.div_ceil(unit.max(1))));
            }
        }
        let data: Vec<u8> = constants.iter().flat_map(|c| c.1.to_ne_bytes()).collect();
        let entries: Vec<_> = constants
            .iter()
            .zip((0u32..).step_by(4))
            .map(|((id, _), offset)| vk::SpecializationMapEntry { constant_id: *id, offset, size: 4 })
            .collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name = CString::new(kernel.name.as_str())
            .map_err(|_| RuntimeError::bug("a kernel's name has a zero in it"))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name)
            .specialization_info(&specialization);
        let create = [vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
            .stage(stage)
            .layout(layout)];
        // SAFETY: all handles are of this device and alive; the feature is on.
        unsafe { self.device.create_compute_pipelines(vk::PipelineCache::null(), &create, None) }
            .map_err(|(_, e)| e)
            .call("vkCreateComputePipelines")?
            .first()
            .copied()
            .ok_or_else(|| RuntimeError::bug("no pipeline was made"))
    }

    fn ask(&self, pipeline: vk::Pipeline) -> Result<Vec<(String, f64)>, RuntimeError> {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline was made with CAPTURE_STATISTICS; a compute pipeline has one executable, number 0.
        let list = unsafe { self.properties.get_pipeline_executable_statistics(&info) }
            .call("vkGetPipelineExecutableStatisticsKHR")?;
        Ok(list.iter().map(|s| (text(&s.name), value(s))).collect())
    }
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

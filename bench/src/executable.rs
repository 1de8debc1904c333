//! What a driver's compiler makes of a module: VK_KHR_pipeline_executable_properties (Vulkan specification,
//! "Pipeline Executable Properties"). All of this crate's `unsafe` is here.

use ash::vk;
use lower::KernelInfo;
use lower::kernel_info::{ArgKind, BlockPlace, DescriptorKind};
use std::ffi::{CStr, CString};

/// A device that is only used to compile.
pub struct Compiler {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    properties: ash::khr::pipeline_executable_properties::Device,
}

impl Compiler {
    /// Opens the first device of the loader's drivers, with every feature that it has.
    ///
    /// # Errors
    /// No Vulkan, no device, a device without VK_KHR_pipeline_executable_properties.
    pub fn new() -> Result<Self, String> {
        // SAFETY: the library is Vulkan's loader.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: `create` and what it points to live across the call.
        let instance =
            unsafe { entry.create_instance(&create, None) }.map_err(|e| format!("vkCreateInstance: {e}"))?;
        let made = Self::open(&instance);
        match made {
            Ok((device, properties)) => Ok(Compiler { _entry: entry, instance, device, properties }),
            Err(message) => {
                // SAFETY: nothing made from the instance is left; destroyed once.
                unsafe { instance.destroy_instance(None) };
                Err(message)
            }
        }
    }

    fn open(
        instance: &ash::Instance,
    ) -> Result<(ash::Device, ash::khr::pipeline_executable_properties::Device), String> {
        // SAFETY: the instance is alive.
        let devices = unsafe { instance.enumerate_physical_devices() }.map_err(|e| e.to_string())?;
        let physical = *devices.first().ok_or("no Vulkan device")?;
        let name = ash::khr::pipeline_executable_properties::NAME;
        // SAFETY: the handle is of this instance.
        let known =
            unsafe { instance.enumerate_device_extension_properties(physical) }.map_err(|e| e.to_string())?;
        if !known.iter().any(|e| e.extension_name_as_c_str() == Ok(name)) {
            return Err("the driver has no VK_KHR_pipeline_executable_properties".to_owned());
        }
        let mut info = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13)
            .push_next(&mut info);
        // SAFETY: the chain lives across the call.
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        // What needs another extension or costs speed stays off.
        features.features.robust_buffer_access = vk::FALSE;
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let extensions = [name.as_ptr()];
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        // SAFETY: the features are the device's own; queue family 0 exists on every device.
        let device = unsafe { instance.create_device(physical, &create, None) }
            .map_err(|e| format!("vkCreateDevice: {e}"))?;
        let properties = ash::khr::pipeline_executable_properties::Device::new(instance, &device);
        Ok((device, properties))
    }

    /// Compiles one kernel of a module and asks for the driver's statistics, as (name, value).
    ///
    /// # Errors
    /// The driver's.
    pub fn statistics(
        &self,
        spirv: &[u32],
        kernel: &KernelInfo,
        local_size: [u32; 3],
    ) -> Result<Vec<(String, f64)>, String> {
        let create = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the module was made by our own writer for this device's features.
        let module = unsafe { self.device.create_shader_module(&create, None) }.map_err(|e| e.to_string())?;
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

    fn layouts(&self, kernel: &KernelInfo) -> Result<(vk::DescriptorSetLayout, vk::PipelineLayout), String> {
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
        let set =
            unsafe { self.device.create_descriptor_set_layout(&create, None) }.map_err(|e| e.to_string())?;
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
        match unsafe { self.device.create_pipeline_layout(&create, None) } {
            Ok(layout) => Ok((set, layout)),
            Err(e) => {
                // SAFETY: made above, not in use, destroyed once.
                unsafe { self.device.destroy_descriptor_set_layout(set, None) };
                Err(e.to_string())
            }
        }
    }

    fn pipeline(
        &self,
        module: vk::ShaderModule,
        layout: vk::PipelineLayout,
        kernel: &KernelInfo,
        local_size: [u32; 3],
    ) -> Result<vk::Pipeline, String> {
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
        let name = CString::new(kernel.name.as_str()).map_err(|e| e.to_string())?;
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
            .map_err(|(_, e)| format!("vkCreateComputePipelines: {e}"))?
            .first()
            .copied()
            .ok_or_else(|| "no pipeline".to_owned())
    }

    fn ask(&self, pipeline: vk::Pipeline) -> Result<Vec<(String, f64)>, String> {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline was made with CAPTURE_STATISTICS; a compute pipeline of RADV has one executable.
        let list = unsafe { self.properties.get_pipeline_executable_statistics(&info) }
            .map_err(|e| format!("vkGetPipelineExecutableStatisticsKHR: {e}"))?;
        Ok(list.iter().map(|s| (text(&s.name), value(s))).collect())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: everything made from them is gone; destroyed once.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn text(name: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = name.iter().map(|c| c.cast_unsigned()).collect();
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

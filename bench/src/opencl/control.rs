//! The control: the same launches and copies in bare Vulkan, with nothing between the measurement and the driver.
//!
//! A launch is what an in-order OpenCL queue must do for a kernel that may write its buffer: bind, push constants, dispatch, and a
//! barrier to the next.

use std::ffi::CStr;
use std::time::Instant;

use ash::vk;
use lower::kernel_info::{BindingModel, BlockPlace, BlockSource};
use lower::{BindingChoice, LowerOptions};

use super::Result;

/// A Vulkan device with one kernel and its buffers.
pub struct Control {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    module: vk::ShaderModule,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    local: Memory,
    staging: Memory,
    mapped: *mut u8,
    push: Vec<u8>,
}

#[derive(Default)]
struct Memory {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

/// Bytes of both buffers.
pub const COPY_BYTES: usize = 64 << 20;

fn vk<T>(what: &str, result: std::result::Result<T, vk::Result>) -> Result<T> {
    result.map_err(|e| format!("{what}: {e}"))
}

impl Control {
    /// Opens the device whose name contains a text (the first one without), and makes everything ready.
    ///
    /// # Errors
    /// No such device, one without buffer device addresses, or a failing driver.
    pub fn new(wanted: &str) -> Result<Self> {
        // SAFETY: the library is Vulkan's loader.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: `create` lives across the call. The process ends soon: what a failing step leaves is not cleaned up.
        let instance = vk("vkCreateInstance", unsafe { entry.create_instance(&create, None) })?;
        // SAFETY: the instance is alive.
        let devices = vk("vkEnumeratePhysicalDevices", unsafe { instance.enumerate_physical_devices() })?;
        let physical = devices.into_iter().find(|d| {
            // SAFETY: a handle of this instance; the name ends with a NUL.
            let name = unsafe {
                CStr::from_ptr(instance.get_physical_device_properties(*d).device_name.as_ptr()).to_owned()
            };
            name.to_string_lossy().to_lowercase().contains(&wanted.to_lowercase())
        });
        let physical = physical.ok_or_else(|| format!("no Vulkan device '{wanted}'"))?;
        let features = vk::PhysicalDeviceFeatures::default().shader_int64(true);
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default()
            .buffer_device_address(true)
            .vulkan_memory_model(true)
            .vulkan_memory_model_device_scope(true);
        // SAFETY: a handle of this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let compute = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE));
        let family = compute.ok_or("no compute queue")? as u32;
        let priorities = [1.0];
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&features)
            .push_next(&mut v12);
        // SAFETY: the chain lives across the call; a device without the features fails.
        let device = vk("vkCreateDevice", unsafe { instance.create_device(physical, &create, None) })?;
        // SAFETY: all handles below are of this device and alive; each structure lives across its call.
        unsafe {
            let queue = device.get_device_queue(family, 0);
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = vk("vkCreateCommandPool", device.create_command_pool(&info, None))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = vk("vkAllocateCommandBuffers", device.allocate_command_buffers(&info))?[0];
            let fence = vk("vkCreateFence", device.create_fence(&vk::FenceCreateInfo::default(), None))?;
            let types = instance.get_physical_device_memory_properties(physical);
            let local = memory(&device, &types, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
            let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let staging = memory(&device, &types, host)?;
            let mapped = device.map_memory(staging.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let mapped = vk("vkMapMemory", mapped)?.cast();
            let info = vk::BufferDeviceAddressInfo::default().buffer(local.buffer);
            let address = device.get_buffer_device_address(&info);
            let (module, layout, pipeline, push) = kernel(&device, address)?;
            Ok(Control {
                _entry: entry,
                instance,
                device,
                queue,
                pool,
                commands,
                fence,
                module,
                layout,
                pipeline,
                local,
                staging,
                mapped,
                push,
            })
        }
    }

    fn record(&self, what: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<()> {
        let once = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        let info = vk::CommandBufferBeginInfo::default().flags(once);
        // SAFETY: nothing of the pool is running: every submission was waited for.
        unsafe {
            let reset = self.device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty());
            vk("vkResetCommandPool", reset)?;
            vk("vkBeginCommandBuffer", self.device.begin_command_buffer(self.commands, &info))?;
            what(&self.device, self.commands);
            vk("vkEndCommandBuffer", self.device.end_command_buffer(self.commands))
        }
    }

    fn submit_and_wait(&self) -> Result<()> {
        let commands = [self.commands];
        let info = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the command buffer is complete; the fence is unsignalled and waited for.
        unsafe {
            vk("vkQueueSubmit", self.device.queue_submit(self.queue, &info, self.fence))?;
            vk("vkWaitForFences", self.device.wait_for_fences(&[self.fence], true, u64::MAX))?;
            vk("vkResetFences", self.device.reset_fences(&[self.fence]))
        }
    }

    /// Records, submits and waits for so many launches; the nanoseconds of recording and submitting, and of all.
    ///
    /// # Errors
    /// The driver's.
    pub fn launches(&self, count: usize) -> Result<(f64, f64)> {
        let start = Instant::now();
        self.record(|device, commands| {
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
            let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
            let flags = vk::DependencyFlags::empty();
            // SAFETY: recording; all handles are alive; the push constants are the layout's.
            unsafe {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipeline);
                for n in 0..count {
                    if n > 0 {
                        device.cmd_pipeline_barrier(commands, stage, stage, flags, &barriers, &[], &[]);
                    }
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, self.layout, stages, 0, &self.push);
                    device.cmd_dispatch(commands, 1, 1, 1);
                }
            }
        })?;
        let recorded = start.elapsed();
        self.submit_and_wait()?;
        Ok((recorded.as_nanos() as f64, start.elapsed().as_nanos() as f64))
    }

    /// Copies host data to the device through a mapped buffer, and waits; nanoseconds.
    ///
    /// # Errors
    /// The driver's.
    pub fn write(&self, data: &[u8]) -> Result<f64> {
        let start = Instant::now();
        let size = data.len().min(COPY_BYTES);
        // SAFETY: the mapping has COPY_BYTES bytes, and the device does not use it now.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.mapped, size) };
        self.record(|device, commands| {
            let regions = [vk::BufferCopy::default().size(size as u64)];
            // SAFETY: recording; both buffers are large enough.
            unsafe { device.cmd_copy_buffer(commands, self.staging.buffer, self.local.buffer, &regions) };
        })?;
        self.submit_and_wait()?;
        Ok(start.elapsed().as_nanos() as f64)
    }
}

fn memory(
    device: &ash::Device,
    types: &vk::PhysicalDeviceMemoryProperties,
    flags: vk::MemoryPropertyFlags,
) -> Result<Memory> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let info = vk::BufferCreateInfo::default().size(COPY_BYTES as u64).usage(usage);
    // SAFETY: the device is alive; the memory is of a type that the buffer may have, and large enough.
    unsafe {
        let buffer = vk("vkCreateBuffer", device.create_buffer(&info, None))?;
        let needs = device.get_buffer_memory_requirements(buffer);
        let fits = |i: &u32| {
            needs.memory_type_bits & (1 << i) != 0
                && types.memory_types[*i as usize].property_flags.contains(flags)
        };
        let index = (0..types.memory_type_count).find(fits).ok_or("no such memory")?;
        let mut address =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index)
            .push_next(&mut address);
        let memory = vk("vkAllocateMemory", device.allocate_memory(&info, None))?;
        vk("vkBindBufferMemory", device.bind_buffer_memory(buffer, memory, 0))?;
        Ok(Memory { buffer, memory })
    }
}

/// The kernel that is launched: the same source as OpenCL's, in the address model.
fn kernel(
    device: &ash::Device,
    address: u64,
) -> Result<(vk::ShaderModule, vk::PipelineLayout, vk::Pipeline, Vec<u8>)> {
    let mut target = lower::Target::minimum();
    target.api_version = (1, 3);
    target.features.shader_int64 = true;
    target.features.buffer_device_address = true;
    target.features.vulkan_memory_model = true;
    target.features.vulkan_memory_model_device_scope = true;
    let options = crate::inputs::options(&target);
    let compiled = frontend::compile("tiny.cl", include_str!("../../kernels/tiny.cl"), &options);
    let words = compiled.spirv.ok_or("tiny.cl does not compile")?;
    let choice =
        LowerOptions { binding: BindingChoice::Fixed(BindingModel::Address), ..LowerOptions::default() };
    let lowered = lower::lower(&words, &target, &choice).map_err(|e| e.to_string())?;
    let info = lowered.kernels.first().ok_or("no kernel")?;
    if info.block.place != BlockPlace::PushConstants || !info.descriptors.is_empty() {
        return Err("the kernel's arguments are not in push constants".into());
    }
    let mut push = vec![0; info.block.size as usize];
    for member in &info.block.members {
        let value = match member.source {
            BlockSource::ArgumentAddress(_) => address,
            _ => 0,
        };
        let at = member.offset as usize;
        push[at..at + member.size as usize].copy_from_slice(&value.to_le_bytes()[..member.size as usize]);
    }
    let create = vk::ShaderModuleCreateInfo::default().code(&lowered.spirv);
    let ranges =
        [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(info.block.size)];
    let layout = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
    // SAFETY: the device is alive and has the features that the module was made for.
    unsafe {
        let module = vk("vkCreateShaderModule", device.create_shader_module(&create, None))?;
        let layout = vk("vkCreatePipelineLayout", device.create_pipeline_layout(&layout, None))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"tiny");
        let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &create, None);
        let pipeline = made.map_err(|(_, e)| format!("vkCreateComputePipelines: {e}"))?[0];
        Ok((module, layout, pipeline, push))
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // SAFETY: nothing runs; every handle is destroyed once, what was made from another first.
        unsafe {
            for memory in [&self.local, &self.staging] {
                self.device.destroy_buffer(memory.buffer, None);
                self.device.free_memory(memory.memory, None);
            }
            self.device.destroy_pipeline(self.pipeline, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_shader_module(self.module, None);
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

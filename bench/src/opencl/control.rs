//! The control: the same launches and copies, and shaders written for the work, in bare Vulkan, with nothing between the measurement and the driver.
//!
//! A launch is what an in-order OpenCL queue must do for a kernel that may write its buffer: a dispatch, and a barrier to the
//! next. State that does not change from launch to launch (the pipeline, and the arguments, in push constants, where they are the same)
//! is bound once in each command buffer, as a program does that knows that. Many launches are submitted while they are
//! recorded, [`BATCH`] in a command buffer: a program that submits them all at the end would leave the device idle until then, and one
//! that submits fewer at once pays for more submissions. The host's time is what passes until the last one is recorded, as
//! that of the OpenCL calls is what passes until the last one returns; waiting for the device is in neither.

use std::ffi::CStr;
use std::time::Instant;

use ash::vk;
use lower::kernel_info::{BindingModel, BlockLocation, BlockSource};
use lower::{BindingChoice, LowerOptions};

use super::Result;

mod shader;

pub use shader::{Bare, Shader};

/// A Vulkan device with one kernel and its buffers.
pub struct Control {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    types: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    /// Command buffers, each with a pool of its own: as many as [`MAX`] launches take.
    slots: Vec<(vk::CommandPool, vk::CommandBuffer)>,
    fence: vk::Fence,
    module: vk::ShaderModule,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    local: Memory,
    staging: Memory,
    mapped: *mut u8,
    push: Vec<u8>,
    /// The place of the kernel's value argument in them.
    value_at: usize,
}

/// Launches in a command buffer.
const BATCH: usize = 1024;
/// The most launches at once.
const MAX: usize = 10_240;

/// The host's time for some launches, in nanoseconds.
pub struct Spent {
    /// Until the last one was recorded.
    pub enqueued: f64,
    /// Until all were done.
    pub done: f64,
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
        let compute = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
        // Where Pumice's work goes.
        let alone =
            |f: &vk::QueueFamilyProperties| compute(f) && !f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
        let family = families.iter().position(alone).or_else(|| families.iter().position(compute));
        let family = family.ok_or("no compute queue")? as u32;
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
            let mut slots = Vec::new();
            for _ in 0..MAX / BATCH {
                let pool = vk("vkCreateCommandPool", device.create_command_pool(&info, None))?;
                let info =
                    vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
                slots
                    .push((pool, vk("vkAllocateCommandBuffers", device.allocate_command_buffers(&info))?[0]));
            }
            let fence = vk("vkCreateFence", device.create_fence(&vk::FenceCreateInfo::default(), None))?;
            let types = instance.get_physical_device_memory_properties(physical);
            let local = memory(&device, &types, vk::MemoryPropertyFlags::DEVICE_LOCAL, COPY_BYTES)?;
            let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let staging = memory(&device, &types, host, COPY_BYTES)?;
            let mapped = device.map_memory(staging.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let mapped = vk("vkMapMemory", mapped)?.cast();
            let info = vk::BufferDeviceAddressInfo::default().buffer(local.buffer);
            let address = device.get_buffer_device_address(&info);
            let (module, layout, pipeline, push, value_at) = kernel(&device, address)?;
            Ok(Control {
                _entry: entry,
                instance,
                device,
                types,
                queue,
                slots,
                fence,
                module,
                layout,
                pipeline,
                local,
                staging,
                mapped,
                push,
                value_at,
            })
        }
    }

    /// Records into one of the command buffers.
    fn record(&self, slot: usize, what: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<()> {
        let (_, commands) = *self.slots.get(slot).ok_or("too many launches at once")?;
        let once = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        let info = vk::CommandBufferBeginInfo::default().flags(once);
        // SAFETY: the command buffer is new, or its pool was reset.
        unsafe {
            vk("vkBeginCommandBuffer", self.device.begin_command_buffer(commands, &info))?;
            what(&self.device, commands);
            vk("vkEndCommandBuffer", self.device.end_command_buffer(commands))
        }
    }

    fn submit(&self, slot: usize, fence: vk::Fence) -> Result<()> {
        let (_, commands) = *self.slots.get(slot).ok_or("too many launches at once")?;
        let commands = [commands];
        let info = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the command buffer is complete; the fence is null, or unsignalled and waited for.
        unsafe { vk("vkQueueSubmit", self.device.queue_submit(self.queue, &info, fence)) }
    }

    /// Waits for the submission with the fence, which is the last, and makes so many command buffers ready for the next time.
    fn wait(&self, slots: usize) -> Result<()> {
        // SAFETY: the fence is that of a submission, and waited for before it is reset.
        unsafe {
            vk("vkWaitForFences", self.device.wait_for_fences(&[self.fence], true, u64::MAX))?;
            vk("vkResetFences", self.device.reset_fences(&[self.fence]))?;
            for (pool, _) in &self.slots[..slots] {
                let reset = self.device.reset_command_pool(*pool, vk::CommandPoolResetFlags::empty());
                vk("vkResetCommandPool", reset)?;
            }
            Ok(())
        }
    }

    /// Records, submits and waits for so many launches. `changing`: the value argument is another one each time. `clock`
    /// measures the host's part.
    ///
    /// # Errors
    /// The driver's; more than [`MAX`] launches.
    pub fn launches(&self, count: usize, changing: bool, clock: fn() -> f64) -> Result<Spent> {
        let (start, host) = (Instant::now(), clock());
        let slots = count.div_ceil(BATCH);
        for slot in 0..slots {
            self.record_launches(slot, BATCH.min(count - slot * BATCH), changing)?;
            if slot + 1 < slots {
                self.submit(slot, vk::Fence::null())?;
            }
        }
        let enqueued = clock() - host;
        self.submit(slots - 1, self.fence)?;
        self.wait(slots)?;
        Ok(Spent { enqueued, done: start.elapsed().as_nanos() as f64 })
    }

    fn record_launches(&self, slot: usize, count: usize, changing: bool) -> Result<()> {
        let mut push = self.push.clone();
        self.record(slot, |device, commands| {
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
            let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
            let flags = vk::DependencyFlags::empty();
            // SAFETY: recording; all handles are alive; the push constants are the layout's.
            unsafe {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipeline);
                for n in 0..count {
                    if slot + n > 0 {
                        device.cmd_pipeline_barrier(commands, stage, stage, flags, &barriers, &[], &[]);
                    }
                    if changing || n == 0 {
                        push[self.value_at..self.value_at + 4].copy_from_slice(&(n as u32).to_le_bytes());
                        let stages = vk::ShaderStageFlags::COMPUTE;
                        device.cmd_push_constants(commands, self.layout, stages, 0, &push);
                    }
                    device.cmd_dispatch(commands, 1, 1, 1);
                }
            }
        })
    }

    /// Copies host data to the device through a mapped buffer, and waits; nanoseconds.
    ///
    /// # Errors
    /// The driver's.
    pub fn write(&self, data: &[u8]) -> Result<f64> {
        let start = Instant::now();
        self.write_to(&self.local, 0, &data[..data.len().min(COPY_BYTES)])?;
        Ok(start.elapsed().as_nanos() as f64)
    }

    /// Writes at most [`COPY_BYTES`] to a place of a buffer.
    fn write_to(&self, to: &Memory, at: usize, data: &[u8]) -> Result<()> {
        let size = data.len().min(COPY_BYTES);
        // SAFETY: the mapping has COPY_BYTES bytes, and the device does not use it now.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.mapped, size) };
        self.copy(&self.staging, to, vk::BufferCopy::default().size(size as u64).dst_offset(at as u64))
    }

    /// Reads at most [`COPY_BYTES`] from a place of a buffer.
    fn read_from(&self, from: &Memory, at: usize, data: &mut [u8]) -> Result<()> {
        let size = data.len().min(COPY_BYTES);
        self.copy(from, &self.staging, vk::BufferCopy::default().size(size as u64).src_offset(at as u64))?;
        // SAFETY: as above; the memory is coherent and the copy was waited for.
        unsafe { std::ptr::copy_nonoverlapping(self.mapped, data.as_mut_ptr(), size) };
        Ok(())
    }

    /// Copies, and waits.
    fn copy(&self, from: &Memory, to: &Memory, region: vk::BufferCopy) -> Result<()> {
        self.record(0, |device, commands| {
            // SAFETY: recording; both buffers are large enough.
            unsafe { device.cmd_copy_buffer(commands, from.buffer, to.buffer, &[region]) };
        })?;
        self.submit(0, self.fence)?;
        self.wait(1)
    }
}

fn memory(
    device: &ash::Device,
    types: &vk::PhysicalDeviceMemoryProperties,
    flags: vk::MemoryPropertyFlags,
    size: usize,
) -> Result<Memory> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
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
) -> Result<(vk::ShaderModule, vk::PipelineLayout, vk::Pipeline, Vec<u8>, usize)> {
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
    if info.block.location != BlockLocation::PushConstants || !info.descriptors.is_empty() {
        return Err("the kernel's arguments are not in push constants".into());
    }
    let mut push = vec![0; info.block.size as usize];
    let value = info.block.members.iter().find(|m| matches!(m.source, BlockSource::Argument(_)));
    let value_at = value.ok_or("no value argument")?.offset as usize;
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
        Ok((module, layout, pipeline, push, value_at))
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
            for (pool, _) in &self.slots {
                self.device.destroy_command_pool(*pool, None);
            }
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

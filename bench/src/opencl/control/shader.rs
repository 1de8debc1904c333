//! Shaders that were written for a workload by hand, in bare Vulkan: what the driver makes of the same work without OpenCL.
//!
//! The GLSL is in `bench/shaders`, with glslc's SPIR-V. Buffers are descriptors of set 0, inputs first, the
//! result last; values are push constants.

use super::{COPY_BYTES, Control, Memory, memory, vk};
use crate::opencl::Result;

/// A shader and what it works on.
pub struct Bare {
    /// SPIR-V, little-endian words; the entry point is `main`.
    pub spirv: &'static [u8],
    /// The contents of the input buffers.
    pub inputs: Vec<Vec<u8>>,
    /// Bytes of the result.
    pub output: usize,
    /// Push constants.
    pub push: Vec<u8>,
    /// Work-groups.
    pub groups: [u32; 3],
}

/// A shader that is ready to be launched.
pub struct Shader<'c> {
    control: &'c Control,
    module: vk::ShaderModule,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    /// Inputs, then the result.
    buffers: Vec<Memory>,
    output: usize,
    push: Vec<u8>,
    groups: [u32; 3],
}

impl Control {
    /// Makes a shader ready: its pipeline, its buffers with their contents.
    ///
    /// # Errors
    /// The driver's; nothing is given back then, since the process ends soon.
    pub fn shader(&self, bare: &Bare) -> Result<Shader<'_>> {
        let words: Vec<u32> = bare.spirv.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        let sizes: Vec<usize> = bare.inputs.iter().map(Vec::len).chain([bare.output]).collect();
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let buffers = sizes.iter().map(|size| memory(&self.device, &self.types, local, *size));
        let buffers = buffers.collect::<Result<Vec<_>>>()?;
        let bindings: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, _)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let device = &self.device;
        // SAFETY: all handles are of this device and alive; each structure lives across its call; the shader uses the bindings and
        // push constants that are declared here (its author and ours are one).
        let shader = unsafe {
            let set_layout =
                vk("vkCreateDescriptorSetLayout", device.create_descriptor_set_layout(&info, None))?;
            let layouts = [set_layout];
            let ranges = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(bare.push.len().max(4) as u32)];
            let info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
            let layout = vk("vkCreatePipelineLayout", device.create_pipeline_layout(&info, None))?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = vk("vkCreateShaderModule", device.create_shader_module(&info, None))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            let pipeline = made.map_err(|(_, e)| format!("vkCreateComputePipelines: {e}"))?[0];
            let counts = [vk::DescriptorPoolSize::default()
                .ty(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(buffers.len() as u32)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&counts);
            let pool = vk("vkCreateDescriptorPool", device.create_descriptor_pool(&info, None))?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = vk("vkAllocateDescriptorSets", device.allocate_descriptor_sets(&info))?[0];
            for (binding, buffer) in (0..).zip(&buffers) {
                let whole = [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&whole);
                device.update_descriptor_sets(&[write], &[]);
            }
            let push = bare.push.clone();
            let (output, groups) = (bare.output, bare.groups);
            Shader {
                control: self,
                module,
                set_layout,
                layout,
                pipeline,
                pool,
                set,
                buffers,
                output,
                push,
                groups,
            }
        };
        for (data, buffer) in bare.inputs.iter().zip(&shader.buffers) {
            for (n, piece) in data.chunks(COPY_BYTES).enumerate() {
                self.write_to(buffer, n * COPY_BYTES, piece)?;
            }
        }
        Ok(shader)
    }
}

impl Shader<'_> {
    /// This many launches one after another, and a wait; the clock's nanoseconds.
    ///
    /// # Errors
    /// The driver's.
    pub fn launches(&self, count: usize, clock: fn() -> f64) -> Result<f64> {
        let start = clock();
        self.control.record(0, |device, commands| {
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
            let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
            let point = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: recording; all handles are alive.
            unsafe {
                device.cmd_bind_pipeline(commands, point, self.pipeline);
                device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
                if !self.push.is_empty() {
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, self.layout, stages, 0, &self.push);
                }
                for n in 0..count {
                    if n > 0 {
                        let flags = vk::DependencyFlags::empty();
                        device.cmd_pipeline_barrier(commands, stage, stage, flags, &barriers, &[], &[]);
                    }
                    let [x, y, z] = self.groups;
                    device.cmd_dispatch(commands, x, y, z);
                }
            }
        })?;
        self.control.submit(0, self.control.fence)?;
        self.control.wait(1)?;
        Ok(clock() - start)
    }

    /// The result of the last launch.
    ///
    /// # Errors
    /// The driver's.
    pub fn result(&self) -> Result<Vec<u8>> {
        let mut data = vec![0; self.output];
        let buffer = self.buffers.last().ok_or("no result")?;
        for (n, piece) in data.chunks_mut(COPY_BYTES).enumerate() {
            self.control.read_from(buffer, n * COPY_BYTES, piece)?;
        }
        Ok(data)
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        let device = &self.control.device;
        // SAFETY: nothing runs: every launch was waited for. Each handle is destroyed once.
        unsafe {
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_shader_module(self.module, None);
            for memory in &self.buffers {
                device.destroy_buffer(memory.buffer, None);
                device.free_memory(memory.memory, None);
            }
        }
    }
}

//! The Vulkan objects of a launch, made on the application's device, for those who want no other: a pipeline with its layout, a descriptor
//! set, and what is recorded into a command buffer.

use std::ffi::CString;

use ash::vk;
use lower::kernel_info::{BlockLocation, DescriptorKind, DescriptorSource};
use vk_runtime::descriptor_type;

use crate::{Addresses, Arg, Kernel, Launch, LaunchError};

/// Why an object was not made.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ObjectError {
    /// The launch is none.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The error of a Vulkan function.
    #[error("Vulkan: {0}")]
    Vulkan(#[from] vk::Result),
}

/// The resource of a descriptor: the application's.
#[derive(Debug, Clone, Copy)]
pub enum Resource {
    /// For storage and uniform buffers.
    Buffer(vk::DescriptorBufferInfo),
    /// For images and samplers.
    Image(vk::DescriptorImageInfo),
    /// For texel buffers.
    Texels(vk::BufferView),
}

/// A kernel's pipeline, for one work-group size and one length of each `__local` argument.
pub struct Pipeline<'a> {
    device: &'a ash::Device,
    kernel: Kernel<'a>,
    /// The values of its specialization constants.
    constants: Vec<(u32, u32)>,
    module: vk::ShaderModule,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

/// A launch that can be recorded as often as it is wanted, while its pipeline lives.
pub struct Bound<'a> {
    pipeline: &'a Pipeline<'a>,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    block: Vec<u8>,
    push: Vec<u8>,
    groups: [u32; 3],
}

impl<'a> Pipeline<'a> {
    /// A pipeline for launches with the work-group size of this one and its `__local` arguments.
    ///
    /// # Errors
    /// A launch that is none; what Vulkan fails with: nothing is left then.
    ///
    /// # Safety
    /// The device is alive as long as this is, and was made with [`extensions`](crate::Device::extensions) and
    /// [`features`](crate::Device::with_features) of the kernel's variant.
    pub unsafe fn new(
        device: &'a ash::Device,
        kernel: Kernel<'a>,
        launch: &Launch,
        args: &[Arg<'_>],
    ) -> Result<Self, ObjectError> {
        kernel.groups(launch)?;
        let mut made = Pipeline {
            device,
            kernel,
            constants: kernel.specialization(launch, args)?,
            module: vk::ShaderModule::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipeline: vk::Pipeline::null(),
        };
        // SAFETY: by the caller's promise; what was made before a failure is destroyed, and nobody has used it.
        unsafe {
            if let Err(error) = made.make() {
                made.destroy();
                return Err(error.into());
            }
        }
        Ok(made)
    }

    /// # Safety
    /// As [`new`](Self::new).
    unsafe fn make(&mut self) -> Result<(), vk::Result> {
        let (device, info) = (self.device, self.kernel.info());
        let stage = vk::ShaderStageFlags::COMPUTE;
        let binding = |d: &lower::kernel_info::DescriptorInfo| {
            let binding = vk::DescriptorSetLayoutBinding::default().binding(d.binding).descriptor_count(1);
            binding.descriptor_type(descriptor_type(d.kind)).stage_flags(stage)
        };
        let bindings: Vec<_> = info.descriptors.iter().map(binding).collect();
        let set_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let code = vk::ShaderModuleCreateInfo::default().code(self.kernel.spirv());
        let size = match info.block.location {
            BlockLocation::PushConstants => info.block.size,
            BlockLocation::BufferAddress => 8,
            BlockLocation::StorageBuffer { .. } => 0,
        };
        let push = [vk::PushConstantRange { stage_flags: stage, offset: 0, size }];
        let push = if size == 0 { &[][..] } else { &push };
        let entries = self.constants.iter().zip(0..);
        let entries: Vec<_> = entries
            .map(|(constant, i)| vk::SpecializationMapEntry {
                constant_id: constant.0,
                offset: 4 * i,
                size: 4,
            })
            .collect();
        let values: Vec<u8> = self.constants.iter().flat_map(|c| c.1.to_le_bytes()).collect();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
        let name = CString::new(info.name.as_str()).map_err(|_| vk::Result::ERROR_UNKNOWN)?;
        // SAFETY: the device is alive and has what the module needs, by the caller's promise; the structures live until the calls end.
        unsafe {
            self.module = device.create_shader_module(&code, None)?;
            self.set_layout = device.create_descriptor_set_layout(&set_info, None)?;
            let sets = [self.set_layout];
            let layout =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(push);
            self.layout = device.create_pipeline_layout(&layout, None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default().stage(stage).module(self.module);
            let stage = stage.name(&name).specialization_info(&special);
            let all = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &all, None);
            self.pipeline = made.map_err(|e| e.1)?.first().copied().ok_or(vk::Result::ERROR_UNKNOWN)?;
        }
        Ok(())
    }

    /// A launch: its descriptors are made of what `resource` says that each source is, its argument block is written.
    ///
    /// # Errors
    /// A launch that is none, or is not one of this pipeline; a descriptor without a resource of its kind; what Vulkan fails with.
    ///
    /// # Safety
    /// The resources are alive and the device's.
    pub unsafe fn bind(
        &'a self,
        launch: &Launch,
        args: &[Arg<'_>],
        addresses: &Addresses,
        resource: impl Fn(DescriptorSource) -> Option<Resource>,
    ) -> Result<Bound<'a>, ObjectError> {
        let info = self.kernel.info();
        if self.kernel.specialization(launch, args)? != self.constants {
            let text = "the pipeline is for another work-group size, or other sizes of local arguments";
            return Err(LaunchError(text.to_owned()).into());
        }
        let block = self.kernel.block(launch, args, addresses)?;
        let push = match info.block.location {
            _ if block.is_empty() => Vec::new(),
            BlockLocation::PushConstants => block.clone(),
            BlockLocation::StorageBuffer { .. } => Vec::new(),
            BlockLocation::BufferAddress if addresses.block == 0 => {
                return Err(LaunchError(
                    "the address of a buffer for the argument block is needed".to_owned(),
                )
                .into());
            }
            BlockLocation::BufferAddress => addresses.block.to_le_bytes().to_vec(),
        };
        let mut resources = Vec::new();
        for descriptor in &info.descriptors {
            let found = resource(descriptor.source).filter(|r| r.fits(descriptor.kind));
            let Some(found) = found else {
                let text =
                    format!("{:?}: a resource for a {:?} is needed", descriptor.source, descriptor.kind);
                return Err(LaunchError(text).into());
            };
            resources.push(found);
        }
        let groups = self.kernel.groups(launch)?;
        let (pool, set) = (vk::DescriptorPool::null(), vk::DescriptorSet::null());
        let mut bound = Bound { pipeline: self, pool, set, block, push, groups };
        // SAFETY: the device is alive; a failure leaves nothing.
        unsafe {
            if let Err(error) = bound.make(&resources) {
                bound.destroy();
                return Err(error.into());
            }
        }
        Ok(bound)
    }

    /// Destroys what was made.
    ///
    /// # Safety
    /// No launch of it is bound, recorded or executing any more.
    pub unsafe fn destroy(self) {
        // SAFETY: by the caller's promise; null handles are allowed.
        unsafe {
            self.device.destroy_pipeline(self.pipeline, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_set_layout(self.set_layout, None);
            self.device.destroy_shader_module(self.module, None);
        }
    }
}

impl Bound<'_> {
    /// # Safety
    /// As [`Pipeline::bind`].
    unsafe fn make(&mut self, resources: &[Resource]) -> Result<(), vk::Result> {
        let (device, descriptors) = (self.pipeline.device, &self.pipeline.kernel.info().descriptors);
        if descriptors.is_empty() {
            return Ok(());
        }
        let size = |d: &lower::kernel_info::DescriptorInfo| vk::DescriptorPoolSize {
            ty: descriptor_type(d.kind),
            descriptor_count: 1,
        };
        let sizes: Vec<_> = descriptors.iter().map(size).collect();
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let layouts = [self.pipeline.set_layout];
        // SAFETY: the device is alive, the resources too, by the caller's promise, and of the descriptors' kinds: `bind` has looked.
        unsafe {
            self.pool = device.create_descriptor_pool(&pool, None)?;
            let info =
                vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            self.set = *device.allocate_descriptor_sets(&info)?.first().ok_or(vk::Result::ERROR_UNKNOWN)?;
            for (descriptor, resource) in descriptors.iter().zip(resources) {
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(self.set)
                    .dst_binding(descriptor.binding)
                    .descriptor_count(1)
                    .descriptor_type(descriptor_type(descriptor.kind));
                let (buffer, image, texels);
                let write = match resource {
                    Resource::Buffer(info) => {
                        buffer = [*info];
                        write.buffer_info(&buffer)
                    }
                    Resource::Image(info) => {
                        image = [*info];
                        write.image_info(&image)
                    }
                    Resource::Texels(view) => {
                        texels = [*view];
                        write.texel_buffer_view(&texels)
                    }
                };
                device.update_descriptor_sets(&[write], &[]);
            }
        }
        Ok(())
    }

    /// The argument block. If the kernel's is not in the push constants ([`BlockLocation`]), the application writes it into the buffer
    /// of [`DescriptorSource::ArgumentBlock`], or the one at [`Addresses::block`].
    #[must_use]
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// Records the launch: pipeline, descriptors, push constants, dispatch. Barriers are the application's.
    ///
    /// # Safety
    /// The command buffer is the device's and is being recorded, outside a render pass.
    pub unsafe fn record(&self, commands: vk::CommandBuffer) {
        let Pipeline { device, layout, pipeline, .. } = *self.pipeline;
        let [x, y, z] = self.groups;
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: by the caller's promise; the objects are alive, and the push constants are as long as the layout says.
        unsafe {
            device.cmd_bind_pipeline(commands, point, pipeline);
            if self.set != vk::DescriptorSet::null() {
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[self.set], &[]);
            }
            if !self.push.is_empty() {
                device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &self.push);
            }
            device.cmd_dispatch(commands, x, y, z);
        }
    }

    /// Destroys the descriptors.
    ///
    /// # Safety
    /// No command buffer with this launch is executed any more.
    pub unsafe fn destroy(self) {
        // SAFETY: by the caller's promise; a null handle is allowed.
        unsafe { self.pipeline.device.destroy_descriptor_pool(self.pool, None) };
    }
}

impl Resource {
    fn fits(&self, kind: DescriptorKind) -> bool {
        use DescriptorKind as Kind;
        match self {
            Resource::Buffer(_) => matches!(kind, Kind::StorageBuffer | Kind::UniformBuffer),
            Resource::Image(_) => matches!(kind, Kind::SampledImage | Kind::StorageImage | Kind::Sampler),
            Resource::Texels(_) => matches!(kind, Kind::UniformTexelBuffer | Kind::StorageTexelBuffer),
        }
    }
}

//! The other API: bare Vulkan on the device that OpenCL uses, with memory and semaphores that it exports.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use ash::{khr, vk};

/// A Vulkan device with one queue, of which Pumice knows nothing.
pub struct Peer {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub device: ash::Device,
    memories: vk::PhysicalDeviceMemoryProperties,
    family: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory_fd: khr::external_memory_fd::Device,
    semaphore_fd: Option<khr::external_semaphore_fd::Device>,
}

/// Commands that were submitted.
pub struct Submitted(vk::CommandBuffer, vk::Fence);

/// Memory that is exported.
pub struct Shared {
    pub memory: vk::DeviceMemory,
}

/// A side of a change of owner.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Acquire,
    Release,
}

const OPAQUE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

const OPAQUE_SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags =
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

/// What Pumice makes buffers for: the peer's serve the same.
pub fn buffer_usage() -> vk::BufferUsageFlags {
    vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
}

impl Peer {
    /// On the device with this UUID, if it exports memory by descriptors.
    pub fn new(uuid: &[u8]) -> Option<Self> {
        // SAFETY: the loader is a Vulkan loader; all structures live through their calls, and all handles are of this instance.
        unsafe {
            let entry = ash::Entry::load().ok()?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).ok()?;
            let physical = instance.enumerate_physical_devices().ok()?.into_iter().find(|p| {
                let mut id = vk::PhysicalDeviceIDProperties::default();
                let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
                instance.get_physical_device_properties2(*p, &mut all);
                id.device_uuid == uuid
            })?;
            let known = instance.enumerate_device_extension_properties(physical).ok()?;
            let has = |name| known.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
            if !has(khr::external_memory_fd::NAME) {
                instance.destroy_instance(None);
                return None;
            }
            let semaphores = has(khr::external_semaphore_fd::NAME);
            let mut names = vec![khr::external_memory_fd::NAME.as_ptr()];
            names.extend(semaphores.then_some(khr::external_semaphore_fd::NAME.as_ptr()));
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family =
                families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE))? as u32;
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
            let device = instance.create_device(physical, &info, None).ok()?;
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            Some(Peer {
                queue: device.get_device_queue(family, 0),
                pool: device.create_command_pool(&pool, None).ok()?,
                memory_fd: khr::external_memory_fd::Device::new(&instance, &device),
                semaphore_fd: semaphores.then(|| khr::external_semaphore_fd::Device::new(&instance, &device)),
                memories: instance.get_physical_device_memory_properties(physical),
                _entry: entry,
                instance,
                device,
                family,
            })
        }
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
        exported: bool,
    ) -> vk::DeviceMemory {
        let types = self.memories.memory_types_as_slice().iter().zip(0u32..);
        let mut fit = types.filter(|(_, i)| needs.memory_type_bits & (1 << i) != 0);
        let (_, index) = fit.find(|(t, _)| t.property_flags.contains(wanted)).expect("a memory type");
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        if exported {
            info = info.push_next(&mut export);
        }
        // SAFETY: a type of the device; the structures live through the call.
        unsafe { self.device.allocate_memory(&info, None) }.expect("memory")
    }

    /// A buffer of memory that is exported.
    pub fn shared_buffer(&self, size: u64) -> (vk::Buffer, Shared) {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE);
        let info = vk::BufferCreateInfo::default().size(size).usage(buffer_usage()).push_next(&mut external);
        // SAFETY: as above; the buffer is bound once, to memory of its size.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).expect("a buffer");
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL, true);
            self.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            (buffer, Shared { memory })
        }
    }

    /// An image of memory that is exported, of RGBA with 8 bits, made as Pumice makes its own.
    pub fn shared_image(&self, width: u32, height: u32, flags: vk::ImageCreateFlags) -> (vk::Image, Shared) {
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(OPAQUE);
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(
                vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST
                    | vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::STORAGE,
            )
            .push_next(&mut external);
        // SAFETY: as above.
        unsafe {
            let image = self.device.create_image(&info, None).expect("an image");
            let needs = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL, true);
            self.device.bind_image_memory(image, memory, 0).expect("bound");
            (image, Shared { memory })
        }
    }

    /// A new descriptor of exported memory.
    pub fn export(&self, shared: &Shared) -> OwnedFd {
        let info = vk::MemoryGetFdInfoKHR::default().memory(shared.memory).handle_type(OPAQUE);
        // SAFETY: the memory was made to be exported; the descriptor is new.
        unsafe { OwnedFd::from_raw_fd(self.memory_fd.get_memory_fd(&info).expect("a descriptor")) }
    }

    pub fn free(&self, shared: Shared) {
        // SAFETY: of this device, no longer used by it.
        unsafe { self.device.free_memory(shared.memory, None) };
    }

    /// Records commands, submits them between semaphores, and waits for them.
    pub fn run(
        &self,
        waits: &[vk::Semaphore],
        signals: &[vk::Semaphore],
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) {
        self.finish(self.submit(waits, signals, record));
    }

    /// Waits for commands.
    pub fn finish(&self, Submitted(commands, fence): Submitted) {
        // SAFETY: both are of this device, and given back once.
        unsafe {
            self.device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
            self.device.destroy_fence(fence, None);
            self.device.free_command_buffers(self.pool, &[commands]);
        }
    }

    /// Records commands, and submits them between semaphores.
    pub fn submit(
        &self,
        waits: &[vk::Semaphore],
        signals: &[vk::Semaphore],
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Submitted {
        // SAFETY: one thread uses the peer; the command buffer is freed when it has run.
        unsafe {
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let commands = self.device.allocate_command_buffers(&info).expect("a command buffer");
            self.device
                .begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())
                .expect("begun");
            record(&self.device, commands[0]);
            self.device.end_command_buffer(commands[0]).expect("ended");
            let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
            let submit = vk::SubmitInfo::default()
                .wait_semaphores(waits)
                .wait_dst_stage_mask(&stages)
                .signal_semaphores(signals)
                .command_buffers(&commands);
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            self.device.queue_submit(self.queue, &[submit], fence).expect("submitted");
            Submitted(commands[0], fence)
        }
    }

    /// A semaphore, for export or for import.
    pub fn semaphore(&self, exported: bool) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(OPAQUE_SEMAPHORE);
        let mut info = vk::SemaphoreCreateInfo::default();
        if exported {
            info = info.push_next(&mut export);
        }
        // SAFETY: the device exports such semaphores: OpenCL claims it.
        unsafe { self.device.create_semaphore(&info, None) }.expect("a semaphore")
    }

    /// A new descriptor of a semaphore.
    pub fn export_semaphore(&self, semaphore: vk::Semaphore) -> OwnedFd {
        let calls = self.semaphore_fd.as_ref().expect("the extension");
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(OPAQUE_SEMAPHORE);
        // SAFETY: it was made to be exported; the descriptor is new.
        unsafe { OwnedFd::from_raw_fd(calls.get_semaphore_fd(&info).expect("a descriptor")) }
    }

    /// Takes another side's semaphore for this one.
    pub fn import_semaphore(&self, semaphore: vk::Semaphore, descriptor: OwnedFd) {
        let calls = self.semaphore_fd.as_ref().expect("the extension");
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(OPAQUE_SEMAPHORE)
            .fd(descriptor.into_raw_fd());
        // SAFETY: no command uses the semaphore; the descriptor becomes the driver's.
        unsafe { calls.import_semaphore_fd(&info) }.expect("imported");
    }

    /// The families of a change of owner on one side.
    fn families(&self, side: Side) -> (u32, u32) {
        match side {
            Side::Acquire => (vk::QUEUE_FAMILY_EXTERNAL, self.family),
            Side::Release => (self.family, vk::QUEUE_FAMILY_EXTERNAL),
        }
    }

    pub fn owner_of_buffer(&self, commands: vk::CommandBuffer, buffer: vk::Buffer, side: Side) {
        let (from, to) = self.families(side);
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::BufferMemoryBarrier::default()
            .src_access_mask(if side == Side::Release { all } else { vk::AccessFlags::empty() })
            .dst_access_mask(if side == Side::Acquire { all } else { vk::AccessFlags::empty() })
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .buffer(buffer)
            .size(vk::WHOLE_SIZE);
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: being recorded; the buffer is alive.
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[barrier], &[]) };
    }

    /// `first`: from no layout, as the owner that it has from the beginning.
    pub fn owner_of_image(&self, commands: vk::CommandBuffer, image: vk::Image, side: Option<Side>) {
        let (from, to) =
            side.map_or((vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED), |s| self.families(s));
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let old = if side.is_none() { vk::ImageLayout::UNDEFINED } else { vk::ImageLayout::GENERAL };
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(if side == Some(Side::Release) { all } else { vk::AccessFlags::empty() })
            .dst_access_mask(if side == Some(Side::Release) { vk::AccessFlags::empty() } else { all })
            .old_layout(old)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .image(image)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            });
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: being recorded; the image is alive.
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &[barrier]) };
    }

    /// A buffer that the host reaches, for one use.
    pub fn with_staging<T>(&self, bytes: &mut [u8], then: impl FnOnce(vk::Buffer) -> T) -> T {
        let info = vk::BufferCreateInfo::default().size(bytes.len() as u64).usage(buffer_usage());
        // SAFETY: as above; the mapping has the buffer's size; `then` waits for what it submits.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).expect("a buffer");
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let memory = self.allocate(needs, seen, false);
            self.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let map: *mut u8 = map.expect("mapped").cast();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), map, bytes.len());
            let result = then(buffer);
            std::ptr::copy_nonoverlapping(map, bytes.as_mut_ptr(), bytes.len());
            self.device.destroy_buffer(buffer, None);
            self.device.free_memory(memory, None);
            result
        }
    }

    /// Writes a shared buffer, which this side owns, and releases it.
    pub fn write(&self, buffer: vk::Buffer, bytes: &[u8]) {
        self.with_staging(&mut bytes.to_vec(), |staging| {
            self.run(&[], &[], |device, commands| {
                let region = vk::BufferCopy::default().size(bytes.len() as u64);
                // SAFETY: both have this size.
                unsafe { device.cmd_copy_buffer(commands, staging, buffer, &[region]) };
                self.owner_of_buffer(commands, buffer, Side::Release);
            });
        });
    }

    /// Acquires a shared buffer and reads it.
    pub fn read(&self, buffer: vk::Buffer, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        self.with_staging(&mut bytes, |staging| {
            self.run(&[], &[], |device, commands| {
                self.owner_of_buffer(commands, buffer, Side::Acquire);
                let region = vk::BufferCopy::default().size(size as u64);
                // SAFETY: both have this size.
                unsafe { device.cmd_copy_buffer(commands, buffer, staging, &[region]) };
            });
        });
        bytes
    }

    /// All texels of an image.
    pub fn texels(width: u32, height: u32) -> vk::BufferImageCopy {
        vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                layer_count: 1,
                ..Default::default()
            })
            .image_extent(vk::Extent3D { width, height, depth: 1 })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SAFETY: what was submitted was waited for; the tests have destroyed what they made.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

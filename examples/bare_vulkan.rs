//! A kernel of OpenCL C, compiled ahead of time, on bare Vulkan. Pumice makes no Vulkan object here: it says which module the device
//! gets, what the VkDevice must be made with, and what a launch hands over. Errors end the program; nothing is destroyed at its end.
//!
//! ```text
//! pumice compile examples/saxpy.cl --target phone.json --target desktop.json -o saxpy.pum
//! cargo run -p pumice-vk --example bare_vulkan saxpy.pum
//! ```
#![allow(clippy::undocumented_unsafe_blocks)] // All of it is Vulkan, as its specification says.

use ash::vk;
use pumice_vk::kernel_info::{BindingModel, BlockPlace, DescriptorSource};
use pumice_vk::{Addresses, Arg, Bundle, Device, Kernel, Launch};

const COUNT: u32 = 1 << 16;
const SIZE: u64 = 4 * COUNT as u64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bare_vulkan KERNELS.pum")?;
    let bundle = Bundle::read(&std::fs::read(path)?)?;
    unsafe { run(&bundle) }
}

unsafe fn run(bundle: &Bundle) -> Result<(), Box<dyn std::error::Error>> {
    let entry = unsafe { ash::Entry::load() }?;
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    let instance = unsafe { entry.create_instance(&info, None) }?;
    let physical = *unsafe { instance.enumerate_physical_devices() }?.first().ok_or("no device")?;

    // What the bundle has for this device, and what a VkDevice needs for it.
    let device_info = unsafe { Device::query(&instance, vk::API_VERSION_1_3, physical) }?;
    let program = bundle.choose(device_info.target())?;
    let kernel = Kernel::new(program, "saxpy")?;
    let by_address = kernel.info().binding_model == BindingModel::Address;
    println!("'{}' runs what was made for '{}'", device_info.target().name, program.target.name);
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let family =
        families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE)).ok_or("no queue")?
            as u32;
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let extensions: Vec<_> = device_info.extensions(program).iter().map(|e| e.as_ptr()).collect();
    let device = device_info.with_features(program, |features| {
        let info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        unsafe { instance.create_device(physical, &info.push_next(features), None) }
    })?;

    // Two buffers that the host can write and read.
    let memories = unsafe { instance.get_physical_device_memory_properties(physical) };
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let make = || -> Result<(vk::Buffer, *mut f32, u64), Box<dyn std::error::Error>> {
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let mut flags = vk::MemoryAllocateFlagsInfo::default();
        if by_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        }
        let buffer =
            unsafe { device.create_buffer(&vk::BufferCreateInfo::default().size(SIZE).usage(usage), None) }?;
        let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
        let fits = |i: &u32| {
            needs.memory_type_bits >> i & 1 != 0
                && memories.memory_types[*i as usize].property_flags.contains(visible)
        };
        let kind = (0..memories.memory_type_count).find(fits).ok_or("no memory")?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        let memory = unsafe { device.allocate_memory(&info.push_next(&mut flags), None) }?;
        unsafe { device.bind_buffer_memory(buffer, memory, 0) }?;
        let mapped = unsafe { device.map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty()) }?;
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        let address = if by_address { unsafe { device.get_buffer_device_address(&info) } } else { 0 };
        Ok((buffer, mapped.cast(), address))
    };
    let buffers = [make()?, make()?];
    let (y, x) = unsafe {
        (
            std::slice::from_raw_parts_mut(buffers[0].1, COUNT as usize),
            std::slice::from_raw_parts_mut(buffers[1].1, COUNT as usize),
        )
    };
    for (i, (y, x)) in y.iter_mut().zip(x).enumerate() {
        (*y, *x) = (1.0, i as f32);
    }

    // The launch: y = 2 x + y.
    let launch = Launch::new([COUNT, 1, 1], [64, 1, 1]);
    let args = [buffers[0].2, buffers[1].2].map(|address| Arg::Buffer { address, size: SIZE });
    let args = [args[0], args[1], Arg::Value(&2f32.to_le_bytes())];
    let block = kernel.block(&launch, &args, &Addresses::default())?;
    assert!(
        block.is_empty() || kernel.info().block.place == BlockPlace::PushConstants,
        "small enough everywhere"
    );

    // A pipeline for its specialization constants.
    let bindings: Vec<_> = kernel
        .info()
        .descriptors
        .iter()
        .map(|d| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(d.binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let set_layout = unsafe {
        device.create_descriptor_set_layout(
            &vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings),
            None,
        )
    }?;
    let (sets, push) = (
        [set_layout],
        [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: block.len() as u32,
        }],
    );
    let info = vk::PipelineLayoutCreateInfo::default()
        .set_layouts(&sets)
        .push_constant_ranges(if block.is_empty() { &[] } else { &push });
    let layout = unsafe { device.create_pipeline_layout(&info, None) }?;
    let (ids, values): (Vec<u32>, Vec<u32>) = kernel.specialization(&launch, &args)?.into_iter().unzip();
    let entries: Vec<_> = ids
        .iter()
        .zip(0..)
        .map(|(id, i)| vk::SpecializationMapEntry { constant_id: *id, offset: 4 * i, size: 4 })
        .collect();
    let values: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let special = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
    let module = unsafe {
        device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&program.lowered.spirv), None)
    }?;
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(c"saxpy");
    let info =
        [vk::ComputePipelineCreateInfo::default().stage(stage.specialization_info(&special)).layout(layout)];
    let pipeline = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) }
        .map_err(|e| e.1)?[0];

    // Descriptors, as many as the kernel has: none where it takes addresses.
    let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 2 }];
    let pool = unsafe {
        device.create_descriptor_pool(
            &vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes),
            None,
        )
    }?;
    let set = unsafe {
        device.allocate_descriptor_sets(
            &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&sets),
        )
    }?[0];
    for d in &kernel.info().descriptors {
        let DescriptorSource::Argument(n) = d.source else { return Err("saxpy has arguments alone".into()) };
        let info = [vk::DescriptorBufferInfo { buffer: buffers[n as usize].0, offset: 0, range: SIZE }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(d.binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER);
        unsafe { device.update_descriptor_sets(&[write.buffer_info(&info)], &[]) };
    }

    let commands = unsafe {
        device.create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(family), None)
    }?;
    let buffer = unsafe {
        device.allocate_command_buffers(
            &vk::CommandBufferAllocateInfo::default().command_pool(commands).command_buffer_count(1),
        )
    }?[0];
    let [a, b, c] = kernel.groups(&launch)?;
    unsafe {
        device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default())?;
        device.cmd_bind_pipeline(buffer, vk::PipelineBindPoint::COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(buffer, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
        if !block.is_empty() {
            device.cmd_push_constants(buffer, layout, vk::ShaderStageFlags::COMPUTE, 0, &block);
        }
        device.cmd_dispatch(buffer, a, b, c);
        let seen = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        device.cmd_pipeline_barrier(
            buffer,
            vk::PipelineStageFlags::COMPUTE_SHADER,
            vk::PipelineStageFlags::HOST,
            vk::DependencyFlags::empty(),
            &seen,
            &[],
            &[],
        );
        device.end_command_buffer(buffer)?;
        let buffers = [buffer];
        device.queue_submit(
            device.get_device_queue(family, 0),
            &[vk::SubmitInfo::default().command_buffers(&buffers)],
            vk::Fence::null(),
        )?;
        device.device_wait_idle()?;
    }
    match y.iter().enumerate().find(|(i, y)| **y != 2.0 * *i as f32 + 1.0) {
        None => println!("{COUNT} results are right"),
        Some((i, y)) => return Err(format!("y[{i}] is {y}").into()),
    }
    Ok(())
}

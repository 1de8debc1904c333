//! A kernel of OpenCL C, compiled ahead of time, on bare Vulkan. Errors end the program; nothing is destroyed at its end.
//!
//! ```text
//! pumice compile examples/saxpy.cl --target phone.json --target desktop.json -o saxpy.pum
//! cargo run -p pumice-vk --example bare_vulkan saxpy.pum
//! ```
#![allow(clippy::undocumented_unsafe_blocks)] // All of it is Vulkan, as its specification says.

use std::error::Error;

use ash::vk;
use pumice_vk::kernel_info::{BindingModel, DescriptorSource};
use pumice_vk::{Addresses, Arg, Bundle, Device, Kernel, Launch, Pipeline, Resource};

const COUNT: u32 = 1 << 16;
const SIZE: u64 = 4 * COUNT as u64;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bare_vulkan KERNELS.pum")?;
    unsafe { run(&Bundle::read(&std::fs::read(path)?)?) }
}

unsafe fn run(bundle: &Bundle) -> Result<(), Box<dyn Error>> {
    let entry = unsafe { ash::Entry::load() }?;
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    let instance = unsafe { entry.create_instance(&info, None) }?;
    let physical = *unsafe { instance.enumerate_physical_devices() }?.first().ok_or("no device")?;
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let family = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE));
    let family = family.ok_or("no queue")? as u32;

    // What the bundle has for this device, and a VkDevice for it.
    let described = unsafe { Device::query(&instance, vk::API_VERSION_1_3, physical) }?;
    let program = bundle.choose(described.target())?;
    println!("'{}' runs what was made for '{}'", described.target().name, program.target.name);
    let device = unsafe { described.create(&instance, program, family) }?;
    let kernel = Kernel::new(program, "saxpy")?;

    // Two buffers that the host can write and read.
    let memories = unsafe { instance.get_physical_device_memory_properties(physical) };
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let by_address = kernel.info().binding_model == BindingModel::Address;
    let (mut usage, mut flags) = (vk::BufferUsageFlags::STORAGE_BUFFER, vk::MemoryAllocateFlags::empty());
    if by_address {
        usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        flags |= vk::MemoryAllocateFlags::DEVICE_ADDRESS;
    }
    let make = || -> Result<(vk::Buffer, u64, &mut [f32]), Box<dyn Error>> {
        unsafe {
            let buffer =
                device.create_buffer(&vk::BufferCreateInfo::default().size(SIZE).usage(usage), None)?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let mut types = memories.memory_types_as_slice().iter().zip(0u32..);
            let fits = types
                .find(|(t, i)| needs.memory_type_bits >> i & 1 != 0 && t.property_flags.contains(visible));
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(flags);
            let info = vk::MemoryAllocateInfo::default().memory_type_index(fits.ok_or("no memory")?.1);
            let memory =
                device.allocate_memory(&info.allocation_size(needs.size).push_next(&mut flags), None)?;
            device.bind_buffer_memory(buffer, memory, 0)?;
            let mapped = device.map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty())?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = if by_address { device.get_buffer_device_address(&info) } else { 0 };
            Ok((buffer, address, std::slice::from_raw_parts_mut(mapped.cast(), COUNT as usize)))
        }
    };
    let (y, x) = (make()?, make()?);
    for (i, (y, x)) in y.2.iter_mut().zip(x.2).enumerate() {
        (*y, *x) = (1.0, i as f32);
    }

    // The launch, y = 2 x + y: its objects, and its commands.
    let launch = Launch::new([COUNT, 1, 1], [64, 1, 1]);
    let [to, from] = [y.1, x.1].map(|address| Arg::Buffer { address, size: SIZE });
    let args = [to, from, Arg::Value(&2f32.to_le_bytes())];
    let pipeline = unsafe { Pipeline::new(&device, kernel, &launch, &args) }?;
    let whole = |buffer| Resource::Buffer(vk::DescriptorBufferInfo { buffer, offset: 0, range: SIZE });
    let resource = |source| match source {
        DescriptorSource::Argument(n) => Some(whole([y.0, x.0][n as usize])),
        _ => None,
    };
    let bound = unsafe { pipeline.bind(&launch, &args, &Addresses::default(), resource) }?;
    let seen = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::SHADER_WRITE);
    let seen = [seen.dst_access_mask(vk::AccessFlags::HOST_READ)];
    let (shader, host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
    unsafe {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = device.create_command_pool(&info, None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?;
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
        bound.record(commands[0]);
        device.cmd_pipeline_barrier(commands[0], shader, host, vk::DependencyFlags::empty(), &seen, &[], &[]);
        device.end_command_buffer(commands[0])?;
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        device.queue_submit(device.get_device_queue(family, 0), &submit, vk::Fence::null())?;
        device.device_wait_idle()?;
    }
    match y.2.iter().enumerate().find(|(i, y)| **y != 2.0 * *i as f32 + 1.0) {
        None => println!("{COUNT} results are right"),
        Some((i, y)) => return Err(format!("y[{i}] is {y}").into()),
    }
    Ok(())
}

//! Faults in bare Vulkan: which calls of a driver tell of them, and when. The reproducer of the workarounds `timelines_hide_loss` and `hides_faults` (docs/explanation/faults.md).

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use ash::vk;

const HELP: &str = "\
Usage: vulkan-faults [--device NAME] [--groups N] [--size N] [--only N] [--number N] [KIND ...]

Launches a kernel that goes wrong, in a process of its own for each kind, asks the driver for three seconds, and prints each call's first answer and its changes:
vkGetSemaphoreCounterValue, vkGetFenceStatus, vkWaitSemaphores and vkWaitForFences without patience. Then a second queue is given a dispatch of many small work-groups, and how many of them ran is said
after a tenth of a second and after a second. The process ends by _exit, or is killed after ten seconds.

KIND: read, write, odd (a word at an odd address), atomic, shared, loop, work, none (default: all but loop and work)
--groups N   work-groups of the launch (default 1), each of --size N work-items (default 32)
--only N     the work-group alone that goes wrong
--number N   rounds of 'work' for each work-item, how far outside 'shared' reads (default 1048576)
";
const KINDS: [&str; 8] = ["read", "write", "odd", "atomic", "shared", "loop", "work", "none"];
/// An address that no buffer has.
const NOWHERE: u64 = 0x7000_0000_0000;
const ASKS_FOR: Duration = Duration::from_secs(3);
const LIMIT: Duration = Duration::from_secs(10);
/// Work-groups of the dispatch on the second queue: some for every multiprocessor.
const GROUPS: u32 = 132 * 64;

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("vulkan-faults: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A launch.
#[derive(Clone, Copy)]
struct Shape {
    groups: u32,
    size: u32,
    only: u32,
    number: u32,
}

fn run() -> Result<()> {
    let (mut device, mut kinds, mut child) = (String::new(), Vec::new(), false);
    let mut shape = Shape { groups: 1, size: 32, only: u32::MAX, number: 1 << 20 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse::<u32>().map_err(|_| format!("'{text}' is no number"))
        };
        match word.as_str() {
            "--groups" => shape.groups = number()?,
            "--size" => shape.size = number()?,
            "--only" => shape.only = number()?,
            "--number" => shape.number = number()?,
            _ => {}
        }
        match word.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            "--device" => device = words.next().ok_or("--device needs a name")?,
            "--child" => child = true,
            "--groups" | "--size" | "--only" | "--number" => {}
            kind if KINDS.contains(&kind) => kinds.push(kind.to_owned()),
            other => return Err(format!("no kind '{other}' (see --help)")),
        }
    }
    if child {
        return strike(&device, kinds.first().ok_or("no kind")?, shape);
    }
    if kinds.is_empty() {
        kinds = KINDS
            .iter()
            .filter(|kind| !["loop", "work"].contains(kind))
            .map(|kind| (*kind).to_owned())
            .collect();
    }
    for kind in kinds {
        println!("== {kind}");
        let me = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut child = Command::new(me);
        child.args(["--child", "--device", &device, &kind]);
        let numbers = [
            ("--groups", shape.groups),
            ("--size", shape.size),
            ("--only", shape.only),
            ("--number", shape.number),
        ];
        for (option, number) in numbers {
            child.arg(option).arg(number.to_string());
        }
        let mut child = child.spawn().map_err(|e| e.to_string())?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                println!("   {status}, {:.1} s", start.elapsed().as_secs_f64());
                break;
            }
            if start.elapsed() > LIMIT {
                child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
                println!("   killed, gone after {:.1} s", start.elapsed().as_secs_f64());
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

fn vk<T>(what: &str, result: std::result::Result<T, vk::Result>) -> Result<T> {
    result.map_err(|e| format!("{what}: {e:?}"))
}

/// A device with two queues of a family that computes, without graphics where there is one.
struct Gpu {
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    queues: Vec<vk::Queue>,
}

impl Gpu {
    fn open(entry: &ash::Entry, wanted: &str) -> Result<Gpu> {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let create = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: handles are alive, structures live across their calls, names end with a NUL; a device without the features fails. The process ends soon:
        // nothing is destroyed.
        unsafe {
            let instance = vk("vkCreateInstance", entry.create_instance(&create, None))?;
            let name = |d: vk::PhysicalDevice| {
                let properties = instance.get_physical_device_properties(d);
                properties
                    .device_name_as_c_str()
                    .map_or_else(|_| String::new(), |n| n.to_string_lossy().to_lowercase())
            };
            let devices = vk("vkEnumeratePhysicalDevices", instance.enumerate_physical_devices())?;
            let physical = devices.into_iter().find(|d| name(*d).contains(&wanted.to_lowercase()));
            let physical = physical.ok_or_else(|| format!("no Vulkan device '{wanted}'"))?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let computes = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
            let alone = |f: &vk::QueueFamilyProperties| {
                computes(f) && !f.queue_flags.contains(vk::QueueFlags::GRAPHICS)
            };
            let family = families.iter().position(alone).or_else(|| families.iter().position(computes));
            let family = family.ok_or("no compute queue")?;
            let count = families[family].queue_count.min(2);
            let priorities = vec![1.0; count as usize];
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family as u32)
                .queue_priorities(&priorities)];
            let features = vk::PhysicalDeviceFeatures::default().shader_int64(true);
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default()
                .buffer_device_address(true)
                .timeline_semaphore(true);
            let create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .push_next(&mut v12);
            let device = vk("vkCreateDevice", instance.create_device(physical, &create, None))?;
            let queues = (0..count).map(|index| device.get_device_queue(family as u32, index)).collect();
            Ok(Gpu { instance, physical, device, family: family as u32, queues })
        }
    }

    /// The address of 64 words in the host's memory, which are 0, and where the host sees them.
    fn words(&self) -> Result<(u64, *const u32)> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let info = vk::BufferCreateInfo::default().size(256).usage(usage);
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: as in `open`; the memory is of a type that the buffer may have, and as large as it wants.
        unsafe {
            let buffer = vk("vkCreateBuffer", self.device.create_buffer(&info, None))?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let fits = |i: &u32| {
                needs.memory_type_bits & 1 << i != 0
                    && types.memory_types[*i as usize].property_flags.contains(flags)
            };
            let index = (0..types.memory_type_count).find(fits).ok_or("no such memory")?;
            let mut address =
                vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index)
                .push_next(&mut address);
            let memory = vk("vkAllocateMemory", self.device.allocate_memory(&info, None))?;
            vk("vkBindBufferMemory", self.device.bind_buffer_memory(buffer, memory, 0))?;
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let words = vk("vkMapMemory", map)?.cast::<[u32; 64]>();
            words.write([0; 64]);
            let address = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            Ok((self.device.get_buffer_device_address(&address), words.cast_const().cast()))
        }
    }

    /// A command buffer with one launch.
    fn commands(&self, push: &Push, groups: u32, size: u32) -> Result<vk::CommandBuffer> {
        let (words, _) = include_bytes!("../../shaders/fault.spv").as_chunks();
        let code: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (d, stages) = (&self.device, vk::ShaderStageFlags::COMPUTE);
        let ranges = [vk::PushConstantRange::default().stage_flags(stages).size(32)];
        let layout = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
        // SAFETY: as in `open`; the push constants are the layout's.
        unsafe {
            let module = vk(
                "vkCreateShaderModule",
                d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None),
            )?;
            let layout = vk("vkCreatePipelineLayout", d.create_pipeline_layout(&layout, None))?;
            let entries = [vk::SpecializationMapEntry::default().size(4)];
            let size = size.to_le_bytes();
            let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&size);
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(stages)
                .module(module)
                .name(c"main")
                .specialization_info(&constants);
            let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &create, None);
            let pipeline = made.map_err(|(_, e)| format!("vkCreateComputePipelines: {e:?}"))?[0];
            let pool = vk("vkCreateCommandPool", d.create_command_pool(&pool, None))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = vk("vkAllocateCommandBuffers", d.allocate_command_buffers(&info))?[0];
            vk(
                "vkBeginCommandBuffer",
                d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()),
            )?;
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_push_constants(commands, layout, stages, 0, &push.bytes());
            d.cmd_dispatch(commands, groups, 1, 1);
            vk("vkEndCommandBuffer", d.end_command_buffer(commands))?;
            Ok(commands)
        }
    }
}

/// The argument of the shader.
struct Push {
    at: u64,
    result: u64,
    kind: u32,
    number: u32,
    only: u32,
}

impl Push {
    fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.result.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.kind.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.only.to_le_bytes());
        bytes
    }
}

/// Launches the kernel and asks.
fn strike(device: &str, kind: &str, shape: Shape) -> Result<()> {
    // SAFETY: the library is Vulkan's loader.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
    let gpu = Gpu::open(&entry, device)?;
    let (word, seen) = gpu.words()?;
    let (at, number) = match kind {
        "read" => (NOWHERE, 0u32),
        "write" => (NOWHERE, 1),
        "odd" => (word + 1, 0),
        "atomic" => (NOWHERE, 2),
        "shared" => (word, 3),
        "loop" => (word, 4),
        "work" => (word, 6),
        _ => (word, 7),
    };
    let Shape { groups, size, only, number: rounds } = shape;
    let commands =
        [gpu.commands(&Push { at, result: word, kind: number, number: rounds, only }, groups, size)?];
    let all = u32::MAX;
    let probe =
        [gpu.commands(&Push { at, result: word + 128, kind: 5, number: 0, only: all }, GROUPS, 32)?];
    let d = &gpu.device;
    let mut timeline = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let create = vk::SemaphoreCreateInfo::default().push_next(&mut timeline);
    // SAFETY: as in `Gpu::open`; each fence is in one submission; `words` gave 64 words.
    unsafe {
        let semaphore = [vk("vkCreateSemaphore", d.create_semaphore(&create, None))?];
        let fence = vk("vkCreateFence", d.create_fence(&vk::FenceCreateInfo::default(), None))?;
        let second = vk("vkCreateFence", d.create_fence(&vk::FenceCreateInfo::default(), None))?;
        let value = [1];
        let mut signal = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&value);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .signal_semaphores(&semaphore)
            .push_next(&mut signal);
        let start = Instant::now();
        vk("vkQueueSubmit", d.queue_submit(gpu.queues[0], &[submit], fence))?;
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphore).values(&value);
        let mut known = [const { String::new() }; 4];
        while start.elapsed() < ASKS_FOR {
            let answers = [
                format!("vkGetSemaphoreCounterValue: {:?}", d.get_semaphore_counter_value(semaphore[0])),
                format!("vkGetFenceStatus: {:?}", d.get_fence_status(fence)),
                format!("vkWaitSemaphores: {:?}", d.wait_semaphores(&wait, 0)),
                format!("vkWaitForFences: {:?}", d.wait_for_fences(&[fence], true, 0)),
            ];
            for (known, answer) in known.iter_mut().zip(answers) {
                if *known != answer {
                    println!("   {:.3} s {answer}", start.elapsed().as_secs_f64());
                    *known = answer;
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let last = gpu.queues[gpu.queues.len() - 1];
        let begin = Instant::now();
        let submit = vk::SubmitInfo::default().command_buffers(&probe);
        vk("vkQueueSubmit", d.queue_submit(last, &[submit], second))?;
        for patience in [Duration::from_millis(100), Duration::from_secs(1)] {
            let waited = d.wait_for_fences(&[second], true, patience.as_nanos() as u64);
            println!(
                "   queue {} of {}: {waited:?} after {:?}, {} of {GROUPS} work-groups ran",
                gpu.queues.len(),
                gpu.queues.len(),
                begin.elapsed(),
                seen.add(32).read_volatile()
            );
        }
        // The driver's exit handlers may wait for the kernel.
        libc::_exit(0)
    }
}

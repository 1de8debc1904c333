//! The logical device: made with exactly the features of its Target.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ash::{ext, khr, vk};
use lower::{Lowered, Target};

use crate::buffer::Buffer;
use crate::error::{Call, RuntimeError, UserError};
use crate::features::{Present, consistent, with_feature_chain};
use crate::files::Folder;
use crate::happening::{self, What};
use crate::instance::Instance;
use crate::kernel::Program;
use crate::life::{driver_came, without_signals};
use crate::live;
use crate::memory::{BufferUse, Memory};
use crate::physical::{DeviceKind, Family, PhysicalDevice};
use crate::pipeline_cache::PipelineCache;
use crate::point::STREAMS;
use crate::pool::Pool;
use crate::queue::Queue;
use crate::streams::{Current, LastValues, Streams};
use crate::time::{CalibratedTimestamps, Clock, host_time};

/// A device that is ready to run kernels. Cheap to clone; everything made from it keeps it alive.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

/// How to make a [`Device`].
#[derive(Debug, Clone, Copy, Default)]
pub struct DeviceOptions<'a> {
    /// Restricts the device's Target.
    pub mask: Option<&'a Target>,
    /// Moves data through staging buffers even where the host could reach a buffer's memory: what a discrete GPU
    /// does, testable on any device.
    pub always_stage: bool,
    /// Test mode: of device memory the host reaches small buffers alone, uncached: what a discrete GPU with a window to its
    /// memory does.
    pub window: bool,
    /// Splits launches so that no dispatch takes much longer than this, and submits each part alone: for machines
    /// whose watchdog ends long kernels. Launching then waits where a kernel's speed is not known yet.
    pub max_dispatch_ms: Option<u32>,
    /// Test mode: the n-th submission or wait on the device (from 1) finds it lost.
    pub lose_after: Option<u64>,
    /// Test mode: every mapping is a copy that only [`Buffer::flush_host`] and [`Buffer::invalidate_host`] (and the
    /// runtime's own transfers) synchronise, as memory that is not coherent may behave.
    pub shadow_mappings: bool,
    /// Test mode: commands between two barriers run in the opposite order, so that a barrier that is missing shows
    /// on a device that runs commands one after the other.
    pub reorder: bool,
    /// Test mode: every pipeline counts as one that took the driver long.
    pub slow_pipelines: bool,
    /// Test mode: leaves the barriers of this class out.
    pub drop_barrier: Option<BarrierClass>,
    /// Test mode: how many streams the device has, whatever queues there are: they share what there is.
    pub streams: Option<u32>,
    /// Test mode: [`live_objects`](crate::live_objects) counts the device's Vulkan objects.
    pub count_objects: bool,
}

impl DeviceOptions<'_> {
    /// Turns test modes on by a list of words: `stage`, `window`, `shadow`, `reorder`, `slow`, `count`, `streams=N`, `lose=N`, `drop=CLASS`
    /// with the class `kernel-kernel`, `kernel-copy`, `copy-kernel` or `device-host`.
    ///
    /// # Errors
    /// User (InvalidValue) for another word.
    pub fn set_test_modes(&mut self, text: &str) -> Result<(), RuntimeError> {
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let known = match word.split_once('=') {
                None => match word {
                    "stage" => {
                        self.always_stage = true;
                        true
                    }
                    "window" => {
                        self.window = true;
                        true
                    }
                    "shadow" => {
                        self.shadow_mappings = true;
                        true
                    }
                    "reorder" => {
                        self.reorder = true;
                        true
                    }
                    "slow" => {
                        self.slow_pipelines = true;
                        true
                    }
                    "count" => {
                        self.count_objects = true;
                        true
                    }
                    _ => false,
                },
                Some(("lose", count)) => {
                    self.lose_after = count.parse().ok();
                    self.lose_after.is_some()
                }
                Some(("streams", count)) => {
                    self.streams = count.parse().ok();
                    self.streams.is_some()
                }
                Some(("drop", class)) => {
                    self.drop_barrier = BarrierClass::ALL.into_iter().find(|c| c.word() == class);
                    self.drop_barrier.is_some()
                }
                Some(_) => false,
            };
            if !known {
                return Err(RuntimeError::user(UserError::InvalidValue, format!("no test mode '{word}'")));
            }
        }
        Ok(())
    }
}

/// What a barrier is between: for [`DeviceOptions::drop_barrier`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierClass {
    /// Two kernels.
    KernelToKernel,
    /// A kernel and a copy, fill or write after it.
    KernelToCopy,
    /// A copy, fill or write and a kernel after it.
    CopyToKernel,
    /// The device and the host that reads after it: with [`DeviceOptions::shadow_mappings`] the host then sees what was
    /// there before.
    DeviceToHost,
}

impl BarrierClass {
    /// All of them.
    pub const ALL: [BarrierClass; 4] = [
        BarrierClass::KernelToKernel,
        BarrierClass::KernelToCopy,
        BarrierClass::CopyToKernel,
        BarrierClass::DeviceToHost,
    ];

    /// Its name in [`DeviceOptions::set_test_modes`].
    fn word(self) -> &'static str {
        match self {
            BarrierClass::KernelToKernel => "kernel-kernel",
            BarrierClass::KernelToCopy => "kernel-copy",
            BarrierClass::CopyToKernel => "copy-kernel",
            BarrierClass::DeviceToHost => "device-host",
        }
    }
}

/// The options that matter after creation.
pub(crate) struct Modes {
    pub(crate) max_dispatch_ms: Option<u32>,
    /// How many submissions and waits are left before the loss; 0: none is to be.
    lose_after: AtomicU64,
    injects_loss: AtomicBool,
    pub(crate) reorder: bool,
    pub(crate) slow_pipelines: bool,
    pub(crate) drop_barrier: Option<BarrierClass>,
}

impl Modes {
    fn of(options: &DeviceOptions<'_>) -> Self {
        Modes {
            max_dispatch_ms: options.max_dispatch_ms,
            lose_after: AtomicU64::new(options.lose_after.unwrap_or(0)),
            injects_loss: AtomicBool::new(options.lose_after.is_some()),
            reorder: options.reorder,
            slow_pipelines: options.slow_pipelines,
            drop_barrier: options.drop_barrier,
        }
    }

    /// Whether a loss may be a test's.
    pub(crate) fn injects_loss(&self) -> bool {
        self.injects_loss.load(Ordering::Relaxed)
    }

    /// The n-th submission or wait from now finds the device lost; 0: none does.
    pub(crate) fn lose_after(&self, n: u64) {
        self.injects_loss.store(n > 0, Ordering::Relaxed);
        self.lose_after.store(n, Ordering::Relaxed);
    }

    /// A submission or wait is about to happen: whether it is to find the device lost.
    pub(crate) fn loses(&self) -> bool {
        let count = |left: u64| left.checked_sub(1);
        self.lose_after.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count) == Ok(1)
    }
}

/// What is worked around, driver by driver: the only place that looks at a driver's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Workarounds {
    /// NVIDIA's driver states maxMemoryAllocationSize and maxBufferSize of 4 GiB, yet allocates and runs far larger
    /// buffers (16 GB measured on an H200, driver 580): only the heap's size limits a buffer.
    pub allocation_limit_is_heap: bool,
    /// Mesa's llvmpipe (22.3) makes a memory barrier a point where the work-items of a group wait for each other, one
    /// of an atomic's order too: in a loop that they leave at different times, those that stay are never resumed. Its
    /// read-modify-writes are sequentially consistent without an order, and stand for fences and ordered loads and stores.
    pub atomics_order_themselves: bool,
    /// Mesa's llvmpipe (22.3) makes a multiplication and an addition of an Fma, with two roundings; OpenCL's `fma` has one
    /// (OpenCL C §7.4).
    pub unfused_fma: bool,
    /// NVIDIA's driver (580, on an H200) makes nonsense of (x << 8 | x >> 8) in 16 bits: zeros, or a register with an
    /// address. Its own instruction for it is what is wrong, not the shifts.
    pub wrong_byte_swaps: bool,
    /// NVIDIA's driver (580, on an H200) reads an entry point's buffers as if nothing wrote them where another entry point of
    /// the module has a buffer that is NonWritable: a load after a store of the same work-item gives what was there before.
    pub spreading_non_writable: bool,
    /// NVIDIA's GPUs compute with denormal doubles and have no other way (sums, products, quotients, roots and fused
    /// products of 131,072 doubles, a fifth of them denormal, had the exact bits on an H200); the driver does not say so in
    /// shaderDenormPreserveFloat64.
    pub denormal_doubles: bool,
    /// NVIDIA's driver runs vkCmdCopyBuffer at 273 GB/s where a kernel copies at more than 2,000 (H200, driver 580): large
    /// copies and fills of device memory are done by kernels.
    pub slow_copies: bool,
}

impl Workarounds {
    /// What this device needs.
    pub(crate) fn of(physical: &PhysicalDevice) -> Self {
        Self::of_driver(physical.info.driver_id)
    }

    /// What this driver needs.
    pub(crate) fn of_driver(driver: Option<vk::DriverId>) -> Self {
        let nvidia = driver == Some(vk::DriverId::NVIDIA_PROPRIETARY);
        let llvmpipe = driver == Some(vk::DriverId::MESA_LLVMPIPE);
        Workarounds {
            allocation_limit_is_heap: nvidia,
            slow_copies: nvidia,
            atomics_order_themselves: llvmpipe,
            unfused_fma: llvmpipe,
            wrong_byte_swaps: nvidia,
            spreading_non_writable: nvidia,
            denormal_doubles: nvidia,
        }
    }
}

/// How long a wait looks before it sleeps.
const SPIN: std::time::Duration = std::time::Duration::from_micros(50);

pub(crate) struct DeviceInner {
    pub(crate) raw: ash::Device,
    pub(crate) target: Target,
    pub(crate) workarounds: Workarounds,
    pub(crate) queue_family: u32,
    /// A VkQueue needs external synchronisation: every submission locks it.
    queues: Vec<Mutex<vk::Queue>>,
    /// How many streams the device has.
    pub(crate) stream_count: u32,
    pub(crate) memory: Memory,
    /// Storage of buffers that are gone.
    pub(crate) pool: Pool,
    pub(crate) cache: PipelineCache,
    pub(crate) calls: Calls,
    /// Waits begin with [`SPIN`].
    pub(crate) waits_by_looking: bool,
    /// Nanoseconds per tick, and how many bits of a timestamp count (0: no timestamps).
    pub(crate) timestamp_period: f32,
    pub(crate) timestamp_bits: u32,
    pub(crate) max_buffer_size: u64,
    /// The workaround, which is also part of the test mode `stage`.
    pub(crate) slow_copies: bool,
    /// How many threads copy large amounts of host data.
    pub(crate) copy_threads: usize,
    pub(crate) next_id: AtomicU64,
    /// The last values of the device's streams.
    pub(crate) last_values: LastValues,
    pub(crate) streams: Mutex<Current>,
    pub(crate) streams_ended: Condvar,
    pub(crate) modes: Modes,
    pub(crate) clock: Clock,
    /// VK_EXT_device_fault.
    pub(crate) fault: Option<vk::PFN_vkGetDeviceFaultInfoEXT>,
    pub(crate) calibrated: Option<CalibratedTimestamps>,
    /// VK_EXT_external_memory_host.
    pub(crate) import: Option<ext::external_memory_host::Device>,
    /// Buffers made for users, and by the runtime for itself.
    pub(crate) live_buffers: AtomicU64,
    /// Where buffers are said to be, where kernels have no addresses.
    pub(crate) places: crate::places::Places,
    pub(crate) live_internal_buffers: AtomicU64,
    names: Option<ext::debug_utils::Device>,
    /// Dropped last: the instance outlives the device.
    pub(crate) physical: PhysicalDevice,
}

/// Commands that are core in a newer version or come by an extension.
pub(crate) struct Calls {
    address: Option<khr::buffer_device_address::Device>,
    timeline: Option<khr::timeline_semaphore::Device>,
    synchronization2: Option<khr::synchronization2::Device>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.inner.target.name).finish_non_exhaustive()
    }
}

impl Device {
    /// Makes the device. `mask` (what `PUMICE_TARGET` names) restricts its Target: a feature that the mask lacks is
    /// not enabled, a smaller limit holds.
    ///
    /// # Errors
    /// Unsupported for a device below the floor; Driver when Vulkan fails.
    pub fn new(physical: &PhysicalDevice, mask: Option<&Target>) -> Result<Self, RuntimeError> {
        Self::with_options(physical, &DeviceOptions { mask, ..Default::default() })
    }

    /// Makes the device, with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(
        physical: &PhysicalDevice,
        options: &DeviceOptions<'_>,
    ) -> Result<Self, RuntimeError> {
        if let Some(why) = physical.below_floor() {
            return Err(RuntimeError::unsupported(format!(
                "the device '{}' cannot be used: {why}",
                physical.name()
            )));
        }
        let info = &physical.info;
        let Some(family) = info.compute_family else {
            return Err(RuntimeError::unsupported("the device has no compute queue"));
        };
        let mut target = options.mask.map_or_else(|| info.target.clone(), |m| info.target.intersect(m));
        target.features = consistent(&target.features);
        let (queue_count, stream_count) = counts(family, &target, options);
        let mut raw = without_signals(|| create_device(physical, family.index, queue_count, &target))?;
        driver_came();
        if options.count_objects {
            raw = live::counted(&raw);
        }
        let instance = &physical.instance.inner.raw;
        // SAFETY: so many queues of the family were asked for at creation.
        let queue = |index| unsafe { raw.get_device_queue(family.index, index) };
        let queues: Vec<_> = (0..queue_count).map(|index| Mutex::new(queue(index))).collect();
        let calls = Calls::load(instance, &raw, physical, &target);
        let limits = &info.properties.limits;
        let memory = Memory::new(
            instance,
            physical.handle,
            &raw,
            &info.memory,
            matches!(info.kind, DeviceKind::Integrated | DeviceKind::Cpu),
            target.features.buffer_device_address,
            limits.non_coherent_atom_size,
            info.present.memory_budget,
            options,
        );
        let memory = match memory {
            Ok(memory) => memory,
            Err(e) => {
                // SAFETY: nothing was made from the device yet.
                unsafe { raw.destroy_device(None) };
                return Err(e);
            }
        };
        let workarounds = Workarounds::of(physical);
        let inner = DeviceInner {
            names: physical.instance.inner.debug_utils.then(|| ext::debug_utils::Device::new(instance, &raw)),
            queue_family: family.index,
            queues,
            stream_count,
            cache: PipelineCache::default(),
            calls,
            waits_by_looking: matches!(info.kind, DeviceKind::Discrete | DeviceKind::Integrated),
            timestamp_period: limits.timestamp_period,
            timestamp_bits: family.timestamp_bits,
            max_buffer_size: max_buffer_size(physical, &target, workarounds),
            copy_threads: memory.copy_threads(),
            pool: Pool::new(&info.memory),
            memory,
            slow_copies: workarounds.slow_copies || options.always_stage || options.window,
            workarounds,
            next_id: AtomicU64::new(1),
            last_values: LastValues::default(),
            streams: Mutex::default(),
            streams_ended: Condvar::new(),
            modes: Modes::of(options),
            clock: Clock::default(),
            fault: info
                .present
                .device_fault
                .then(|| ext::device_fault::Device::new(instance, &raw).fp().get_device_fault_info_ext),
            calibrated: calibrated_timestamps(physical, &raw),
            import: info
                .present
                .external_memory_host
                .then(|| ext::external_memory_host::Device::new(instance, &raw)),
            live_buffers: AtomicU64::new(0),
            places: crate::places::Places::default(),
            live_internal_buffers: AtomicU64::new(0),
            target,
            raw,
            physical: physical.clone(),
        };
        let device = Device { inner: Arc::new(inner) };
        for (index, queue) in device.inner.queues.iter().enumerate() {
            let queue = *queue.lock().unwrap_or_else(PoisonError::into_inner);
            device.inner.name(queue, &format!("pumice queue {index}"));
        }
        device.inner.cache.create(&device.inner)?;
        Ok(device)
    }

    /// What may be lowered for: the physical device's Target, masked.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.inner.target
    }

    /// The physical device.
    #[must_use]
    pub fn physical(&self) -> &PhysicalDevice {
        &self.inner.physical
    }

    /// Driver quirks that are being worked around.
    #[must_use]
    pub fn workarounds(&self) -> Workarounds {
        self.inner.workarounds
    }

    /// The largest buffer that may be asked for.
    #[must_use]
    pub fn max_buffer_size(&self) -> u64 {
        self.inner.max_buffer_size
    }

    /// Keeps compiled pipelines between runs, in a file of this folder: reads it now, writes it a while after new pipelines
    /// were made, when the device is dropped, and at [`save_pipeline_cache`](Self::save_pipeline_cache). A missing, damaged or
    /// foreign file is ignored.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn use_pipeline_cache(&self, folder: &Folder) -> Result<(), RuntimeError> {
        self.inner.cache.load(&self.inner, folder)
    }

    /// Writes the file of the pipeline cache, if there is one.
    ///
    /// # Errors
    /// Driver when Vulkan fails; User when the file cannot be written.
    pub fn save_pipeline_cache(&self) -> Result<(), RuntimeError> {
        self.inner.cache.save(&self.inner)
    }

    /// Makes a buffer. Its content is undefined. Where memory has run out, this waits for the commands of buffers that are gone.
    ///
    /// # Errors
    /// User (InvalidBufferSize) for size 0 or above [`max_buffer_size`](Self::max_buffer_size); Driver when
    /// memory runs out ([`RuntimeError::is_out_of_memory`]).
    pub fn create_buffer(&self, size: u64, usage: BufferUse) -> Result<Buffer, RuntimeError> {
        match Buffer::new(&self.inner, size, usage, "buffer") {
            Err(e) if e.is_out_of_memory() => {
                Streams::settle(&self.inner)?;
                Buffer::new(&self.inner, size, usage, "buffer")
            }
            other => other,
        }
    }

    /// Loads a lowered program. Its constants and globals go into device memory at the first launch.
    ///
    /// # Errors
    /// Driver when Vulkan fails; Bug when the reflection contradicts itself.
    pub fn create_program(&self, lowered: &Lowered) -> Result<Program, RuntimeError> {
        Program::new(self, lowered, None)
    }

    /// As [`create_program`](Self::create_program) for a program that is loaded already and was lowered another way, or in
    /// part: both have the same data in device memory.
    ///
    /// # Errors
    /// As `create_program`; Bug when the two do not have the same data.
    pub fn create_program_beside(&self, lowered: &Lowered, other: &Program) -> Result<Program, RuntimeError> {
        Program::new(self, lowered, Some(other))
    }

    /// A handle on the device's first stream. The streams live as long as a handle on one of them.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn create_queue(&self) -> Result<Queue, RuntimeError> {
        Queue::of(self)
    }

    /// How many streams the device has.
    #[must_use]
    pub fn streams(&self) -> u32 {
        self.inner.stream_count
    }

    /// The device's time, as [`DeviceTime`](crate::DeviceTime) reports it, and the host's: both nanoseconds of
    /// [`host_time`], so both are the same.
    ///
    /// # Errors
    /// Unsupported when the device has no timestamps.
    pub fn device_and_host_time(&self) -> Result<(u64, u64), RuntimeError> {
        if self.inner.timestamp_bits == 0 {
            return Err(RuntimeError::unsupported(format!(
                "the device '{}' has no timestamps (timestampValidBits is 0)",
                self.inner.target.name
            )));
        }
        let now = host_time();
        Ok((now, now))
    }

    /// Bytes of device memory that are free of this process's buffers; what is kept for reuse counts as free.
    #[must_use]
    pub fn free_memory(&self) -> u64 {
        let (used, size) = self.inner.memory.used();
        size.saturating_sub(used.saturating_sub(self.inner.pool.bytes()))
    }

    /// How many buffers that users asked for are alive (memory of program variables included): 0 when all handles are
    /// dropped and the stream has finished.
    #[must_use]
    pub fn live_allocations(&self) -> u64 {
        self.inner.live_buffers.load(Ordering::Relaxed)
    }

    /// Test mode: the n-th submission or wait on the device from now on (from 1) finds it lost; 0 takes that back.
    pub fn lose_after(&self, n: u64) {
        self.inner.modes.lose_after(n);
    }

    /// How many buffers the runtime holds for itself (staging and the like): 0 when all queues are dropped.
    #[must_use]
    pub fn live_internal_allocations(&self) -> u64 {
        self.inner.live_internal_buffers.load(Ordering::Relaxed)
    }
}

/// So many queues of a device are used, where it has as many: programs seldom have more than two or three at work at a time.
const QUEUES: u32 = 4;

/// How many VkQueues a device is made with, and how many streams it has: without timeline semaphores streams cannot wait for each
/// other, so there is one.
fn counts(family: Family, target: &Target, options: &DeviceOptions<'_>) -> (u32, u32) {
    if !target.features.timeline_semaphore {
        return (1, 1);
    }
    let streams = options.streams.unwrap_or(family.queues.min(QUEUES)).clamp(1, STREAMS as u32);
    (family.queues.clamp(1, streams), streams)
}

fn create_device(
    physical: &PhysicalDevice,
    family: u32,
    queue_count: u32,
    target: &Target,
) -> Result<ash::Device, RuntimeError> {
    let info = &physical.info;
    let version = info.properties.api_version.min(physical.instance.inner.api_version);
    let names = info.present.extensions(&target.features);
    // The structures must be those of enabled extensions, not of all that the device has.
    let enabled: BTreeSet<CString> = names.iter().map(|&n| n.to_owned()).collect();
    let present = Present::of(version, &enabled);
    let pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    let priorities = vec![1.0; queue_count as usize];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
    let (_, device) = with_feature_chain(&present, &target.features, |chain| {
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&pointers)
            .push_next(chain);
        // SAFETY: the handle belongs to the live instance; all pointers live through the call; the features and
        // extensions are among those that the device reported.
        unsafe { physical.instance.inner.raw.create_device(physical.handle, &create, None) }
    });
    device.call("vkCreateDevice")
}

/// vkGetCalibratedTimestamps, where the device's own clock can be read by it.
fn calibrated_timestamps(physical: &PhysicalDevice, raw: &ash::Device) -> Option<CalibratedTimestamps> {
    let present = &physical.info.present;
    let name = if present.calibrated_khr {
        c"vkGetCalibratedTimestampsKHR"
    } else if present.calibrated_ext {
        c"vkGetCalibratedTimestampsEXT"
    } else {
        return None;
    };
    // SAFETY: the device is alive; the name is that of a command of an enabled extension.
    let call =
        unsafe { (physical.instance.inner.raw.fp_v1_0().get_device_proc_addr)(raw.handle(), name.as_ptr()) }?;
    // SAFETY: both names have this signature (the extension was promoted without a change).
    let call = unsafe {
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetCalibratedTimestampsKHR>(call)
    };
    Some(CalibratedTimestamps { call })
}

pub(crate) fn max_buffer_size(physical: &PhysicalDevice, target: &Target, workarounds: Workarounds) -> u64 {
    let heap = physical.memory_size();
    if workarounds.allocation_limit_is_heap {
        return heap;
    }
    let buffer = physical.info.max_buffer_size.unwrap_or(u64::MAX);
    // Room for the rounding that Buffer::new does.
    (target.limits.max_memory_allocation_size.min(heap).min(buffer)) / 256 * 256
}

impl Calls {
    fn load(instance: &ash::Instance, raw: &ash::Device, physical: &PhysicalDevice, target: &Target) -> Self {
        let version = physical.info.properties.api_version.min(physical.instance.inner.api_version);
        let (v12, v13) = (version >= vk::API_VERSION_1_2, version >= vk::API_VERSION_1_3);
        let f = &target.features;
        Calls {
            address: (f.buffer_device_address && !v12)
                .then(|| khr::buffer_device_address::Device::new(instance, raw)),
            timeline: (f.timeline_semaphore && !v12)
                .then(|| khr::timeline_semaphore::Device::new(instance, raw)),
            synchronization2: (f.synchronization2 && !v13)
                .then(|| khr::synchronization2::Device::new(instance, raw)),
        }
    }
}

impl DeviceInner {
    /// The VkQueue of a stream.
    pub(crate) fn queue_of(&self, stream: u32) -> &Mutex<vk::Queue> {
        // There is at least one.
        &self.queues[stream as usize % self.queues.len()]
    }

    /// A number that no other object of this device has.
    pub(crate) fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether names do anything.
    pub(crate) fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// Names an object for debuggers and validation messages.
    pub(crate) fn name(&self, handle: impl vk::Handle, name: &str) {
        let (Some(names), Ok(name)) = (&self.names, CString::new(name)) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // SAFETY: VK_EXT_debug_utils is enabled; the handle is alive and of this device. A failure costs a name only.
        let _ = unsafe { names.set_debug_utils_object_name(&info) };
    }

    /// The address of a buffer made with SHADER_DEVICE_ADDRESS usage.
    pub(crate) fn buffer_address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.calls.address {
            // SAFETY: the feature is enabled; the buffer is alive, bound, and has the usage.
            Some(ext) => unsafe { ext.get_buffer_device_address(&info) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.get_buffer_device_address(&info) },
        }
    }

    /// vkWaitSemaphores on one timeline; false when the time is over.
    pub(crate) fn wait_timeline(
        &self,
        semaphore: vk::Semaphore,
        value: u64,
        timeout: u64,
    ) -> Result<bool, RuntimeError> {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let start = happening::start();
        let waited = match &self.calls.timeline {
            // SAFETY: a live timeline semaphore of this device.
            Some(ext) => unsafe { ext.wait_semaphores(&info, timeout) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.wait_semaphores(&info, timeout) },
        };
        happening::over(What::Wait, start);
        match waited {
            Err(vk::Result::TIMEOUT) => Ok(false),
            other => other.call("vkWaitSemaphores").map(|()| true),
        }
    }

    /// Looks for a short time if a timeline reaches a value: going to sleep and being woken takes longer than a small
    /// kernel. Not where the device's work is done by the host's own cores.
    pub(crate) fn spin_timeline(&self, semaphore: vk::Semaphore, value: u64) -> Result<bool, RuntimeError> {
        if !self.waits_by_looking {
            return Ok(false);
        }
        let start = std::time::Instant::now();
        loop {
            if self.timeline_value(semaphore)? >= value {
                return Ok(true);
            }
            if start.elapsed() > SPIN {
                return Ok(false);
            }
            std::hint::spin_loop();
        }
    }

    /// vkGetSemaphoreCounterValue.
    pub(crate) fn timeline_value(&self, semaphore: vk::Semaphore) -> Result<u64, RuntimeError> {
        match &self.calls.timeline {
            // SAFETY: a live timeline semaphore of this device.
            Some(ext) => unsafe { ext.get_semaphore_counter_value(semaphore) },
            // SAFETY: as above, with Vulkan 1.2.
            None => unsafe { self.raw.get_semaphore_counter_value(semaphore) },
        }
        .call("vkGetSemaphoreCounterValue")
    }

    /// One global memory barrier, by synchronization2 where it is enabled.
    pub(crate) fn barrier(&self, commands: vk::CommandBuffer, barrier: &MemoryBarrier) {
        if self.target.features.synchronization2 {
            let barriers = [vk::MemoryBarrier2::default()
                .src_stage_mask(stages2(barrier.src_stages))
                .src_access_mask(access2(barrier.src_access))
                .dst_stage_mask(stages2(barrier.dst_stages))
                .dst_access_mask(access2(barrier.dst_access))];
            let info = vk::DependencyInfo::default().memory_barriers(&barriers);
            match &self.calls.synchronization2 {
                // SAFETY: the command buffer is being recorded under the queue's lock; the feature is enabled.
                Some(ext) => unsafe { ext.cmd_pipeline_barrier2(commands, &info) },
                // SAFETY: as above, with Vulkan 1.3.
                None => unsafe { self.raw.cmd_pipeline_barrier2(commands, &info) },
            }
        } else {
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(barrier.src_access)
                .dst_access_mask(barrier.dst_access)];
            // SAFETY: the command buffer is being recorded under the queue's lock.
            unsafe {
                self.raw.cmd_pipeline_barrier(
                    commands,
                    barrier.src_stages,
                    barrier.dst_stages,
                    vk::DependencyFlags::empty(),
                    &barriers,
                    &[],
                    &[],
                );
            }
        }
    }
}

/// A global memory barrier in Vulkan 1.0's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryBarrier {
    pub(crate) src_stages: vk::PipelineStageFlags,
    pub(crate) src_access: vk::AccessFlags,
    pub(crate) dst_stages: vk::PipelineStageFlags,
    pub(crate) dst_access: vk::AccessFlags,
}

/// The bits of Vulkan 1.0's stages mean the same in synchronization2.
fn stages2(stages: vk::PipelineStageFlags) -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::from_raw(stages.as_raw().into())
}

/// The bits of Vulkan 1.0's accesses mean the same in synchronization2.
fn access2(access: vk::AccessFlags) -> vk::AccessFlags2 {
    vk::AccessFlags2::from_raw(access.as_raw().into())
}

impl Drop for DeviceInner {
    fn drop(&mut self) {
        if let Err(e) = self.cache.save(self) {
            log::warn!("the pipeline cache was not saved: {e}");
        }
        self.cache.destroy(self);
        // No wait for idle: every queue has waited for its own work when it was dropped, and they all are.
        // SAFETY: once, here; every buffer holds an Arc of this struct, so all parts were freed.
        unsafe { self.memory.shut_down() };
        // SAFETY: everything made from the device holds an Arc of this struct, so nothing is left.
        unsafe { self.raw.destroy_device(None) };
    }
}

impl Device {
    /// The instance that the device comes from.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.inner.physical.instance
    }
}

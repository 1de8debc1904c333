//! The logical device: made with exactly the features of its Target.

use crate::device::services::Service;
use crate::device::services::Services;
use std::any::Any;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use timeline::sync::{Mutex, MutexGuard};

use ash::{ext, khr, vk};
use lower::Target;
use lower::kernel_info::Windows;

use crate::device::external::ExternalFunctions;
use crate::device::features::{Present, consistent, with_feature_chain};
use crate::device::functions::CalibratedTimestamps;
use crate::device::functions::DeviceFunctions;
use crate::device::instance::Instance;
use crate::device::object_counts;
use crate::device::options::{DeviceOptions, Modes};
use crate::device::physical::{DeviceKind, Family, PhysicalDevice};
use crate::device::tune::Tune;
use crate::device::workarounds::Workarounds;
use crate::error::{Call, RuntimeError};
use crate::memory::allocator::Memory;
use crate::memory::packed_blocks::{Blocks, Sizes};
use crate::process::clock::host_time;
use crate::process::life::{self, driver_came, without_signals};
use timeline::DroppedLaunches;
use timeline::PerStream;
use timeline::STREAMS;

/// A device that is ready to run kernels. Cheap to clone; everything made from it keeps it alive.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

/// Clones of one are the same.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Device {}

pub(crate) struct DeviceInner {
    pub(crate) raw: ash::Device,
    pub(crate) target: Target,
    pub(crate) workarounds: Workarounds,
    pub(crate) queue_family: u32,
    /// A VkQueue needs external synchronisation: every submission locks it.
    queues: Vec<Mutex<vk::Queue>>,
    /// How many of them are for streams.
    for_streams: usize,
    /// The one for [probes](crate::stream::fault_probe), where the driver hides faults: the last, which is theirs alone.
    pub(crate) for_probes: Option<u32>,
    /// This many were made.
    pub(crate) probes: AtomicU64,
    /// How many streams the device has.
    pub(crate) stream_count: u32,
    pub(crate) memory: Memory,
    pub(crate) calls: DeviceFunctions,
    /// Waits begin with looking: the device's work is not done by the host's own cores.
    pub(crate) waits_by_looking: bool,
    pub(crate) tune: Tune,
    /// Launches that come again are kept as they were recorded ([`command_buffer_cache`](crate::stream::command_buffer_cache)).
    pub(crate) keeps: bool,
    /// The dropped launches of all queues.
    pub(crate) dropped_launches: DroppedLaunches,
    /// Nanoseconds per tick, and how many bits of a timestamp count (0: no timestamps).
    pub(crate) timestamp_period: f32,
    pub(crate) timestamp_bits: u32,
    pub(crate) max_buffer_size: u64,
    /// The workaround, which is also part of the test mode `stage`.
    pub(crate) slow_copies: bool,
    /// How many threads copy large amounts of host data.
    pub(crate) copy_threads: usize,
    /// A buffer was made that crosses a multiple of 4 GiB ([`KernelInfo::crossing_id`](lower::kernel_info::KernelInfo)).
    pub(crate) crossed: AtomicBool,
    pub(crate) next_id: AtomicU64,
    /// The last values of the device's streams.
    pub(crate) last_values: PerStream,
    pub(crate) modes: Modes,
    /// Queries are reset by the host.
    pub(crate) resets_queries: bool,
    /// Who waits asks fences, too, whether the device is lost ([`loss_watch`](crate::stream::loss_watch)).
    pub(crate) asks_fences: bool,
    /// [`DeviceOptions::watchdog`].
    pub(crate) watchdog: Option<Duration>,
    /// VK_EXT_device_fault.
    pub(crate) fault: Option<vk::PFN_vkGetDeviceFaultInfoEXT>,
    pub(crate) calibrated: Option<CalibratedTimestamps>,
    /// VK_EXT_external_memory_host.
    pub(crate) import: Option<ext::external_memory_host::Device>,
    /// Memory and semaphores of other APIs.
    pub(crate) external: ExternalFunctions,
    /// VK_EXT_map_memory_placed.
    pub(crate) map_memory2: Option<ash::khr::map_memory2::Device>,
    /// [`Device::shared_base`].
    pub(crate) shared_base: std::sync::OnceLock<u64>,
    /// Buffers made for users (and images), and buffers made by the runtime for itself.
    pub(crate) live_buffers: AtomicU64,
    /// The packed addresses of buffers, for kernels without device addresses.
    pub(crate) places: Arc<crate::memory::packed_addresses::PackedAddresses>,
    pub(crate) live_internal_buffers: AtomicU64,
    names: Option<ext::debug_utils::Device>,
    /// Parts that belong to higher layers.
    services: Services,
    /// Dropped last: the instance outlives the device.
    pub(crate) physical: PhysicalDevice,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.inner.target.name).finish_non_exhaustive()
    }
}

/// A block of memory that buffers share has this part of the device's memory at most.
const HEAP_SHARE: u64 = 8;

/// The memory of a device that is being made.
fn memory(
    physical: &PhysicalDevice,
    raw: &ash::Device,
    target: &Target,
    places: Arc<crate::memory::packed_addresses::PackedAddresses>,
    options: &DeviceOptions<'_>,
) -> Result<Memory, RuntimeError> {
    let limits = &target.limits;
    // A large one is a good part of a small device's memory.
    let heaps = physical.info.memory.memory_heaps_as_slice().iter();
    let heap = heaps
        .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
        .map(|heap| heap.size)
        .max();
    let sizes = Sizes {
        range: limits.max_storage_buffer_range,
        first: options.tune.block,
        most: options.tune.block_most.min(heap.unwrap_or(0) / HEAP_SHARE).max(options.tune.block),
        windows: Windows::MAX.min(limits.max_per_stage_descriptor_storage_buffers) as usize,
    };
    let blocks = (!target.has_address_model()).then(|| Blocks::new(places, sizes));
    Memory::new(physical, raw, target.features.buffer_device_address, blocks, options)
}

impl Device {
    /// Returns what may be lowered for: the physical device's Target, masked.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.inner.target
    }

    /// The physical device.
    #[must_use]
    pub fn physical(&self) -> &PhysicalDevice {
        &self.inner.physical
    }

    /// Returns how often it was looked whether the device executes anything, since it got no further ([`Workarounds::hides_faults`]).
    #[must_use]
    pub fn probes(&self) -> u64 {
        self.inner.probes.load(Ordering::Relaxed)
    }

    /// Driver quirks that are being worked around.
    #[must_use]
    pub fn workarounds(&self) -> Workarounds {
        self.inner.workarounds
    }

    /// Returns whether it has memory of its own that the host does not share: a discrete GPU's. With
    /// [`DeviceOptions::always_stage`](crate::DeviceOptions) every device has.
    #[must_use]
    pub fn has_own_memory(&self) -> bool {
        self.inner.memory.has_own()
    }

    /// The largest buffer that may be asked for.
    #[must_use]
    pub fn max_buffer_size(&self) -> u64 {
        self.inner.max_buffer_size
    }

    /// Returns how many streams the device has.
    #[must_use]
    pub fn streams(&self) -> u32 {
        self.inner.stream_count
    }

    /// Returns whether command queues are to change their streams with each command, for a test.
    #[must_use]
    pub fn wanders(&self) -> bool {
        self.inner.modes.wander
    }

    /// The binding model to lower programs for: the lowering's own choice but in tests.
    #[must_use]
    pub fn binding(&self) -> lower::BindingChoice {
        self.inner.modes.binding
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

    /// Returns how many buffers and images that users asked for are alive (memory of program variables included): 0 when all handles are
    /// dropped and the stream has finished.
    #[must_use]
    pub fn live_allocations(&self) -> u64 {
        self.inner.live_buffers.load(Ordering::Relaxed)
    }

    /// Test mode: the n-th submission or wait on the device from now on (from 1) finds it lost; 0 takes that back.
    pub fn lose_after(&self, n: u64) {
        self.inner.modes.lose_after(n);
    }

    /// Test mode: the n-th submission or wait on the device from now on (from 1) loses it, and timelines do not tell; `fence_reports`: a fence does, a moment later.
    /// 0 takes that back, unless it has come about.
    pub fn fall_silent_after(&self, n: u64, fence_reports: bool) {
        self.inner.modes.fall_silent_after(n, fence_reports);
    }

    /// Test mode: the n-th launch from now on (from 1) that is recorded after its enqueue finds no memory; 0 takes that back.
    pub fn leave_out(&self, n: u64) {
        self.inner.modes.leave_out(n);
    }

    /// Test mode: the n-th submission from now on finds no memory (VK_ERROR_OUT_OF_HOST_MEMORY), and so do those after it, so many in all; 0
    /// takes that back.
    pub fn lack_memory_at_submissions(&self, n: u64, times: u64) {
        self.inner.modes.submissions.begin(n, times);
    }

    /// Test mode: the same for ends of command buffers.
    pub fn lack_memory_at_ends(&self, n: u64, times: u64) {
        self.inner.modes.ends.begin(n, times);
    }

    /// Returns how many buffers the runtime holds for itself (staging and the like): 0 when all queues are dropped.
    #[must_use]
    pub fn live_internal_allocations(&self) -> u64 {
        self.inner.live_internal_buffers.load(Ordering::Relaxed)
    }
}

impl DeviceInner {
    /// Makes the VkDevice and what all layers use of it.
    ///
    /// # Errors
    /// Unsupported for a device below the floor; Driver when Vulkan fails.
    pub(crate) fn make(
        physical: &PhysicalDevice,
        options: &DeviceOptions<'_>,
    ) -> Result<Arc<Self>, RuntimeError> {
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
        target.features.buffers_below_4_gib |= options.below;
        let (queue_count, stream_count) = counts(family, &target, options);
        let workarounds = Workarounds::for_device(physical);
        let all = queue_count + u32::from(workarounds.hides_faults && family.queues > queue_count);
        let probes = all > queue_count || options.probe;
        let mut raw = without_signals(|| create_device(physical, family.index, all, &target, false))?;
        driver_came();
        let (major, minor, patch) = physical.api_version();
        let (name, driver) = (physical.name(), physical.driver());
        log::info!(
            "device '{name}', Vulkan {major}.{minor}.{patch}, driver {driver}: {stream_count} streams"
        );
        if options.count_objects {
            raw = object_counts::counted(&raw);
        }
        let instance = &physical.instance.inner.raw;
        // SAFETY: so many queues of the family were asked for at creation.
        let queue = |index| unsafe { raw.get_device_queue(family.index, index) };
        let queues: Vec<_> = (0..all).map(|index| Mutex::new(queue(index))).collect();
        let calls = DeviceFunctions::load(instance, &raw, physical, &target);
        let limits = &info.properties.limits;
        let places = Arc::<crate::memory::packed_addresses::PackedAddresses>::default();
        let memory = memory(physical, &raw, &target, places.clone(), options);
        let memory = match memory {
            Ok(memory) => memory,
            Err(e) => {
                // SAFETY: nothing was made from the device yet.
                unsafe { raw.destroy_device(None) };
                return Err(e);
            }
        };
        if workarounds.exits_badly_in_children || options.spare_children {
            life::spare_children();
        }
        let inner = DeviceInner {
            names: physical.instance.inner.names.then(|| ext::debug_utils::Device::new(instance, &raw)),
            queue_family: family.index,
            queues,
            for_streams: queue_count as usize,
            for_probes: probes.then_some(all - 1),
            probes: AtomicU64::new(0),
            stream_count,
            calls,
            tune: options.tune,
            dropped_launches: DroppedLaunches::default(),
            keeps: options.tune.keep > 0 && !options.reorder && options.drop_barrier.is_none(),
            waits_by_looking: matches!(info.kind, DeviceKind::Discrete | DeviceKind::Integrated),
            timestamp_period: limits.timestamp_period,
            timestamp_bits: family.timestamp_bits,
            max_buffer_size: max_buffer_size(physical, &target, workarounds),
            copy_threads: memory.copy_threads(),
            memory,
            slow_copies: workarounds.slow_copies || options.always_stage || options.window,
            workarounds,
            crossed: AtomicBool::new(false),
            next_id: AtomicU64::new(1),
            last_values: PerStream::default(),
            modes: Modes::from_options(options),
            // Both came with Vulkan 1.2: a mask takes both away.
            resets_queries: info.present.host_query_reset && target.features.timeline_semaphore,
            asks_fences: workarounds.timelines_hide_loss || options.ask_fences,
            watchdog: options.watchdog,
            fault: info
                .present
                .device_fault
                .then(|| ext::device_fault::Device::new(instance, &raw).fp().get_device_fault_info_ext),
            calibrated: calibrated_timestamps(physical, &raw),
            import: info
                .present
                .external_memory_host
                .then(|| ext::external_memory_host::Device::new(instance, &raw)),
            external: ExternalFunctions::load(instance, &raw, &info.present),
            map_memory2: crate::device::functions::load_map_memory2(instance, &raw, physical),
            shared_base: std::sync::OnceLock::new(),
            live_buffers: AtomicU64::new(0),
            places,
            live_internal_buffers: AtomicU64::new(0),
            services: Services::default(),
            target,
            raw,
            physical: physical.clone(),
        };
        for (index, queue) in inner.queues.iter().enumerate() {
            let queue = *queue.lock().unwrap_or_else(PoisonError::into_inner);
            inner.name(queue, &format!("pumice queue {index}"));
        }
        Ok(Arc::new(inner))
    }

    /// Makes the device known to the others of its physical device.
    pub(crate) fn join_siblings(self: &Arc<Self>) {
        let mut devices = self.physical.info.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.retain(|device| device.strong_count() > 0);
        let device: Arc<dyn Any + Send + Sync> = self.clone();
        devices.push(Arc::downgrade(&device));
    }
}

/// Returns how many VkQueues a device is made with, and how many streams it has: without timeline semaphores streams cannot wait for each
/// other, so there is one.
fn counts(family: Family, target: &Target, options: &DeviceOptions<'_>) -> (u32, u32) {
    if !target.features.timeline_semaphore {
        return (1, 1);
    }
    let streams = options.streams.unwrap_or(family.queues.min(options.tune.queues)).clamp(1, STREAMS as u32);
    (family.queues.clamp(1, streams), streams)
}

/// Makes the VkDevice; `tells`: it says what its compiler makes of kernels ([`crate::kernel::executable`]).
pub(crate) fn create_device(
    physical: &PhysicalDevice,
    family: u32,
    queue_count: u32,
    target: &Target,
    tells: bool,
) -> Result<ash::Device, RuntimeError> {
    let info = &physical.info;
    let version = info.properties.api_version.min(physical.instance.inner.api_version);
    let names = info.present.extensions(&target.features);
    // The structures must be those of enabled extensions, not of all that the device has.
    let enabled: BTreeSet<CString> = names.iter().map(|&n| n.to_owned()).collect();
    let present = Present::from_extensions(version, &enabled);
    let mut pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    let mut telling =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    if tells {
        pointers.push(khr::pipeline_executable_properties::NAME.as_ptr());
    }
    let priorities = vec![1.0; queue_count as usize];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
    let (_, device) = with_feature_chain(&present, &target.features, |chain| {
        let mut create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&pointers)
            .push_next(chain);
        if tells {
            create = create.push_next(&mut telling);
        }
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
    let most = if target.features.buffers_below_4_gib { lower::target::MAX_BUFFER_SIZE } else { u64::MAX };
    let buffer = physical.info.max_buffer_size.unwrap_or(u64::MAX).min(most);
    // Room for the rounding that Buffer::new does.
    (target.limits.max_memory_allocation_size.min(heap).min(buffer)) / 256 * 256
}

impl DeviceInner {
    /// The process's Vulkan devices of the same physical device, which share its memory: itself among them.
    pub(crate) fn siblings(&self) -> Vec<Arc<DeviceInner>> {
        let devices = self.physical.info.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.iter().filter_map(|device| device.upgrade()?.downcast().ok()).collect()
    }

    /// The part of the device that a higher layer defines.
    pub(crate) fn service<T: Service>(&self) -> &T {
        self.services.get(self)
    }

    /// The VkQueue of a stream, locked.
    pub(crate) fn lock_queue(&self, stream: u32) -> MutexGuard<'_, vk::Queue> {
        // There is at least one.
        self.queues[stream as usize % self.for_streams].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The VkQueue for probes, locked; `None` where there are none.
    pub(crate) fn lock_probe_queue(&self) -> Option<MutexGuard<'_, vk::Queue>> {
        let queue = self.queues.get(self.for_probes? as usize)?;
        Some(queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A number that no other object of this device has.
    pub(crate) fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns whether names do anything.
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
}

impl Drop for DeviceInner {
    fn drop(&mut self) {
        // The end of the process waits for this as it does for compilers: the last owner may be a thread of ours, and a driver that takes
        // itself down while vkDestroyDevice runs crashes. Once it is ending the driver takes the device along, and the instance stays with it.
        let Ok(_busy) = life::compiling() else {
            std::mem::forget(self.physical.instance.clone());
            return;
        };
        // No wait for idle: every queue has waited for its own work when it was dropped, and they all are.
        self.services.end(self);
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

//! Devices, and the Vulkan device behind one ([`Runtime`]); the platform, contexts, queues and events.
//!
//! | module | what it is |
//! |---|---|
//! | [`platform`], [`context`], [`queue`], [`event`] | the objects of those names |
//! | [`caps`], [`vendor`], [`il`] | what a device can do, what its vendor's own queries answer, the SPIR-V that it takes |
//! | `system`, `cuda` | what the operating system and NVIDIA's driver know of a device |
//! | [`device_queue`], [`queue_registry`] | queues to which kernels enqueue kernels |
//! | `streams` | a device's streams, as the scheduler asks for them |
//! | [`host_work`], [`profiling`], [`loop_watch`] | the host's part of commands, their times, loops that a driver ended |
//! | [`checking`] | faults that launches reported in the checking mode |
//! | [`semaphore`] | semaphores |
//! | [`svm`] | the memory that host and devices share |
//! | [`addresses`], [`mirror_order`], [`pending_writes`] | what a context notes of its buffers and of the application's memory |
//! | [`gl`] | OpenGL, as far as objects are shared with it |
//! | `process_end` | the end of the process |

pub(crate) mod addresses;
pub(crate) mod caps;
pub(crate) mod checking;
pub(crate) mod context;
pub(crate) mod creation;
mod cuda;
pub(crate) mod device_queue;
pub(crate) mod event;
pub(crate) mod gl;
pub(crate) mod host_work;
pub(crate) mod il;
pub(crate) mod loop_watch;
pub(crate) mod mirror_order;
pub(crate) mod pending_writes;
pub(crate) mod platform;
mod process_end;
pub(crate) mod profiling;
pub(crate) mod queue;
pub(crate) mod queue_registry;
pub(crate) mod semaphore;
mod streams;
pub(crate) mod svm;
mod system;
pub(crate) mod vendor;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use host::cache::Hash;
use host::present::{DeviceType, Present};
use lower::Target;
use opencl_sys as cl;
use vk_runtime::{AddressMapping, DeviceKind, DeviceOptions, PhysicalDevice};

use crate::abi::error::ClResult;
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::test_modes;
use crate::device::caps::Caps;
use crate::device::context::Context;
use crate::device::svm::multi_device::Kept;
use scheduler::CommandQueue;

/// A device. Root devices live as long as the process; there are no sub-devices, since Vulkan cannot partition.
pub(crate) struct Device {
    own: Own<Device>,
    pub(crate) physical: PhysicalDevice,
    /// The Target of programs: the physical device's, masked by `PUMICE_TARGET`.
    pub(crate) target: Target,
    /// Its capabilities in OpenCL's terms.
    pub(crate) caps: Caps,
    /// The answers that queries give in place of the truth.
    pub(crate) present: Present,
    /// The memory of the process that contexts of several devices share.
    multi_device: Arc<Kept>,
    /// The hash of all that program binaries depend on, once it was asked for.
    binaries: OnceLock<Hash>,
    /// The Vulkan devices of contexts, by [`DeviceCount`], the newest last.
    runtimes: Mutex<[Vec<Weak<Runtime>>; 2]>,
    /// Ways to share memory that kernels did not follow.
    failed: Mutex<Vec<AddressMapping>>,
    /// The kinds of memory that it shares with the host, once they are known.
    svm: OnceLock<crate::device::svm::mapping::Shared>,
    /// CL_DEVICE_MAX_CLOCK_FREQUENCY, when it was asked for.
    clock: OnceLock<cl::cl_uint>,
    /// CL_DEVICE_ERROR_CORRECTION_SUPPORT, when it was asked for.
    corrects_errors: OnceLock<bool>,
}
object!(Device, cl::CL_INVALID_DEVICE);

/// The number of a context's devices, one or several: these share memory by other means ([`crate::device::svm::multi_device`]), for which kernels are compiled
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceCount {
    One,
    Several,
}

/// A Vulkan device with its streams, which the command queues of all contexts share; where kernels have no addresses, those of one
/// context ([`Device::runtime`]). Lives as long as a context needs it; after a loss the next context gets a new one.
pub(crate) struct Runtime {
    /// The heap of shared memory, if the device may share any.
    pub(crate) heap: Option<crate::device::svm::Heap>,
    /// The Target for which programs are lowered. It says, too, if pointers that kernels keep differ from addresses.
    pub(crate) target: Target,
    pub(crate) device: vk_runtime::Device,
    /// The first stream, for what belongs to no command queue.
    pub(crate) stream: vk_runtime::Queue,
    streams: Vec<vk_runtime::Queue>,
    /// How many command queues use each.
    users: Mutex<Vec<u32>>,
    /// The command queues that record into the streams.
    queues: Mutex<Vec<Weak<CommandQueue>>>,
    /// Who hears of its loss.
    contexts: Mutex<Vec<Weak<Context>>>,
    /// Bytes of buffers whose memory is left to their first use.
    promised: AtomicU64,
    /// Memory for launches that enqueue.
    pub(crate) arenas: queue_registry::Arenas,
    /// Who does the host's heavy work.
    pub(crate) workers: crate::abi::workers::Workers,
    /// `PUMICE_KEEP_CLOCKS`.
    _clocks: Option<cuda::Kept>,
}

impl Device {
    /// The size of sub-groups, where kernels have them.
    pub(crate) fn subgroup_size(&self) -> Option<usize> {
        self.target.has_subgroups().then_some(self.target.limits.subgroup_size as usize)
    }

    pub(crate) fn new(
        physical: PhysicalDevice,
        present: &Present,
        multi_device: &Arc<Kept>,
    ) -> ClResult<Arc<Self>> {
        let mask = host::target::mask().unwrap_or_else(|e| {
            log::error!("PUMICE_TARGET is ignored: {e}");
            None
        });
        let target =
            mask.map_or_else(|| physical.target().clone(), |mask| physical.target().intersect(&mask));
        let caps = Caps::from_device(&physical, &target, present)?;
        let device = Arc::new(Device {
            own: Own::reserve()?,
            physical,
            target,
            caps,
            present: present.clone(),
            multi_device: multi_device.clone(),
            binaries: OnceLock::new(),
            runtimes: Mutex::default(),
            failed: Mutex::default(),
            svm: OnceLock::new(),
            clock: OnceLock::new(),
            corrects_errors: OnceLock::new(),
        });
        handle::publish(&device);
        Ok(device)
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// CL_DEVICE_TYPE, as it is presented.
    pub(crate) fn device_type(&self) -> cl::cl_device_type {
        let own = match self.physical.kind() {
            DeviceKind::Discrete | DeviceKind::Integrated | DeviceKind::Virtual => DeviceType::Gpu,
            DeviceKind::Cpu => DeviceType::Cpu,
            DeviceKind::Other => DeviceType::Accelerator,
        };
        match self.present.device_type.unwrap_or(own) {
            DeviceType::Gpu => cl::CL_DEVICE_TYPE_GPU,
            DeviceType::Cpu => cl::CL_DEVICE_TYPE_CPU,
            DeviceType::Accelerator => cl::CL_DEVICE_TYPE_ACCELERATOR,
        }
    }

    /// Returns what program binaries for this device depend on, which `identity` finds out at the first call.
    pub(crate) fn binaries(&self, identity: impl FnOnce(&Device) -> Hash) -> &Hash {
        self.binaries.get_or_init(|| identity(self))
    }

    /// Returns whether a query for devices of this type finds it (§4.2, CL_DEVICE_TYPE_*). CL_DEVICE_TYPE_DEFAULT is not looked
    /// at: which device is the default one is the platform's decision.
    pub(crate) fn is_of_type(&self, kind: cl::cl_device_type) -> bool {
        kind == cl::CL_DEVICE_TYPE_ALL || self.device_type() & kind != 0
    }

    /// CL_DEVICE_SVM_CAPABILITIES: what a kernel showed at the first call.
    pub(crate) fn svm_capabilities(&self) -> cl::cl_device_svm_capabilities {
        self.shared().capabilities
    }

    /// Returns what it was seen to share with the host.
    pub(crate) fn shared(&self) -> crate::device::svm::mapping::Shared {
        *self.svm.get_or_init(|| crate::device::svm::mapping::find(self))
    }

    /// CL_DEVICE_MAX_CLOCK_FREQUENCY in MHz: what the system tells, at the first call; 0 where it does not.
    pub(crate) fn clock(&self) -> cl::cl_uint {
        *self.clock.get_or_init(|| {
            let system = system::System::new();
            let pci = self.caps.identity.pci;
            match self.physical.kind() {
                DeviceKind::Cpu => system.cpu_clock(),
                _ => pci.and_then(|pci| vendor::gpu_clock(&self.physical, &system, pci)),
            }
            .unwrap_or(0)
        })
    }

    /// CL_DEVICE_ERROR_CORRECTION_SUPPORT: what the system tells of a GPU, at the first call.
    pub(crate) fn corrects_errors(&self) -> bool {
        *self.corrects_errors.get_or_init(|| {
            let pci = self.caps.identity.pci;
            match self.physical.kind() {
                // Of the host's memory nothing is told that could be relied on.
                DeviceKind::Cpu => None,
                _ => pci.and_then(|pci| vendor::gpu_corrects_errors(&self.physical, pci)),
            }
            .unwrap_or(false)
        })
    }

    /// The loader's data for its handle (cl_khr_icd 2.0).
    pub(crate) fn set_loader_data(&self, data: *mut std::ffi::c_void) {
        self.own.set_loader_data(data);
    }

    /// The Vulkan device that contexts use, if any does: that of those of this device alone before the other, and the newest.
    pub(crate) fn current(&self) -> Option<Arc<Runtime>> {
        let kept = self.runtimes.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find_map(|of_company| of_company.iter().rev().find_map(Weak::upgrade))
    }

    /// Returns how many Vulkan buffers are alive on the Vulkan devices that contexts use.
    pub(crate) fn live_buffers(&self) -> usize {
        let kept = self.runtimes.lock().unwrap_or_else(PoisonError::into_inner);
        let alive: Vec<Arc<Runtime>> = kept.iter().flatten().filter_map(Weak::upgrade).collect();
        drop(kept);
        let count: u64 = alive.iter().map(|runtime| runtime.device.live_allocations()).sum();
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Kernels do not follow the pointers of a mapping: contexts from now on have another.
    pub(crate) fn give_up(&self, mapping: AddressMapping) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(mapping);
    }

    /// The Vulkan device for a context: the one that other contexts use, unless it was lost.
    ///
    /// If kernels have no addresses, each context has a Vulkan device of its own. A kernel that follows pointers is then bound to
    /// all memory that they may point into (`lower::kernel_info::Windows`), which is that of its context and no other's; and the
    /// 2 GiB of places that stand for addresses there are each context's own.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES and CL_OUT_OF_HOST_MEMORY when it cannot be made.
    pub(crate) fn runtime(&self, count: DeviceCount) -> ClResult<Arc<Runtime>> {
        let mut kept = self.runtimes.lock().unwrap_or_else(PoisonError::into_inner);
        let [alone, multi_device] = &mut *kept;
        let kept = if count == DeviceCount::One { alone } else { multi_device };
        kept.retain(|runtime| runtime.strong_count() > 0);
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let serves =
            |r: &Arc<Runtime>| !r.is_lost() && !r.mapping().is_some_and(|mapping| failed.contains(&mapping));
        let shares = self.target.has_address_model();
        if let Some(runtime) = kept.iter().rev().filter_map(Weak::upgrade).find(serves).filter(|_| shares) {
            return Ok(runtime);
        }
        let options = options(&self.target);
        let device = vk_runtime::Device::with_options(&self.physical, &options)?;
        if let Some(folder) = host::cache::pipelines() {
            device.use_pipeline_cache(&folder)?;
        }
        let mappings = crate::device::svm::mapping::wanted(&self.physical, &self.target);
        let mappings: Vec<_> = mappings.into_iter().filter(|mapping| !failed.contains(mapping)).collect();
        let heap = self.target.has_address_model().then(|| match count {
            DeviceCount::One => crate::device::svm::Heap::new(&device, &mappings),
            DeviceCount::Several => {
                crate::device::svm::Heap::multi_device(&device, !mappings.is_empty(), &self.multi_device)
            }
        });
        let mut target = self.target.clone();
        // Programs on one Vulkan device share memory, and one order.
        target.features.shared_sequence = true;
        target.features.shared_base =
            heap.as_ref().is_some_and(|heap| heap.mapping == Some(AddressMapping::Arena));
        let keeps = vendor::has_cuda(&self.physical) && host::settings::keeps_clocks();
        let clocks = if keeps { cuda::Kept::start(self.caps.identity.device_uuid) } else { None };
        let runtime = Runtime::new(device, target, heap, clocks)?;
        kept.push(Arc::downgrade(&runtime));
        process_end::register(&runtime);
        Ok(runtime)
    }
}

/// The options of a Vulkan device: `PUMICE_MAX_DISPATCH_MS`, `PUMICE_WATCHDOG` and `PUMICE_TEST_MODES`.
fn options(target: &Target) -> DeviceOptions<'_> {
    let mut options = DeviceOptions { mask: Some(target), ..DeviceOptions::default() };
    options.max_dispatch_ms = host::settings::max_dispatch_ms();
    options.watchdog = host::settings::watchdog();
    if let Some(text) = test_modes::modes()
        && let Err(e) = options.set_test_modes(&text)
    {
        log::error!("PUMICE_TEST_MODES: {e}");
    }
    if LOST_ONCE.load(Ordering::Relaxed) {
        options.lose_after = None;
    }
    options
}

/// A device was lost: the ones that follow are to work, whatever the test modes say.
static LOST_ONCE: AtomicBool = AtomicBool::new(false);

/// Returns the message of a loss for contexts; `account`: what is known of it.
fn lost_message(account: &str) -> String {
    const LOST: &str = "the Vulkan device is lost: all commands that were under way have failed";
    if account.is_empty() { LOST.to_owned() } else { format!("{LOST}; {account}") }
}

impl Runtime {
    fn new(
        device: vk_runtime::Device,
        target: Target,
        heap: Option<crate::device::svm::Heap>,
        clocks: Option<cuda::Kept>,
    ) -> ClResult<Arc<Self>> {
        host::check::name_missing_classes(host::check::checks(), &target);
        let stream = device.create_queue()?;
        let streams: Vec<_> =
            (0..device.streams()).map(|index| stream.sibling(index)).collect::<Result<_, _>>()?;
        let runtime = Arc::new(Runtime {
            users: Mutex::new(vec![0; streams.len()]),
            heap,
            target,
            stream,
            streams,
            device,
            queues: Mutex::default(),
            contexts: Mutex::default(),
            promised: AtomicU64::new(0),
            arenas: queue_registry::Arenas::default(),
            workers: crate::abi::workers::Workers::heavy(),
            _clocks: clocks,
        });
        let weak = Arc::downgrade(&runtime);
        runtime.stream.on_loss(Box::new(move |_| {
            if let Some(runtime) = weak.upgrade() {
                let queues = std::mem::take(&mut *runtime.queues());
                queues.iter().filter_map(Weak::upgrade).for_each(|queue| queue.abandon());
                if !crate::abi::process::may_call() {
                    return;
                }
                runtime.report(&lost_message(runtime.stream.loss_account()));
            }
        }));
        Ok(runtime)
    }

    /// Notes that a buffer will take so many bytes; those of all such buffers, if they can be told.
    pub(crate) fn promise(&self, size: u64) -> Option<u64> {
        self.promised.fetch_add(size, Ordering::Relaxed).checked_add(size)
    }

    /// A buffer has taken what was noted, or will not.
    pub(crate) fn keep_promise(&self, size: u64) {
        self.promised.fetch_sub(size, Ordering::Relaxed);
    }

    /// The contexts that use it.
    pub(crate) fn contexts(&self) -> Vec<Arc<Context>> {
        let contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.iter().filter_map(Weak::upgrade).collect()
    }

    /// From now on a context hears of the loss of the device.
    pub(crate) fn tell(&self, context: &Arc<Context>) {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.retain(|context| context.strong_count() > 0);
        contexts.push(Arc::downgrade(context));
    }

    fn report(&self, message: &str) {
        let contexts = std::mem::take(&mut *self.contexts.lock().unwrap_or_else(PoisonError::into_inner));
        contexts.iter().filter_map(Weak::upgrade).for_each(|context| context.report(message));
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Weak<CommandQueue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream, by its number.
    pub(crate) fn stream(&self, index: u32) -> &vk_runtime::Queue {
        self.streams.get(index as usize).unwrap_or(&self.stream)
    }

    /// The stream that the fewest command queues use, for another one.
    pub(crate) fn join_stream(&self) -> u32 {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let fewest = (0..).zip(users.iter_mut()).min_by_key(|(_, users)| **users);
        fewest.map_or(0, |(index, users)| {
            *users += 1;
            index
        })
    }

    /// A stream for copies from and to other devices: one that no command queue uses, if there is one. A copy in a command queue's
    /// stream would wait for the kernels that were submitted there before it, though it does not need them.
    pub(crate) fn copy_stream(&self) -> &vk_runtime::Queue {
        let users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = users.iter().rposition(|users| *users == 0);
        unused.and_then(|index| self.streams.get(index)).unwrap_or(&self.stream)
    }

    /// One of them is gone.
    pub(crate) fn leave_stream(&self, stream: u32) {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(users) = users.get_mut(stream as usize) {
            *users -= 1;
        }
    }

    /// A command queue's part of the schedule. When the device is lost, the commands that it holds end.
    pub(crate) fn command_queue(self: &Arc<Self>, in_order: bool) -> Arc<CommandQueue> {
        let mut queues = self.queues();
        let queue = CommandQueue::new(self.clone(), in_order);
        if queues.len() == queues.capacity() {
            queues.retain(|queue| queue.strong_count() > 0);
        }
        queues.push(Arc::downgrade(&queue));
        queue
    }

    /// Returns whether the Vulkan device is gone.
    pub(crate) fn is_lost(&self) -> bool {
        let lost = self.stream.lost().is_some();
        if lost {
            LOST_ONCE.store(true, Ordering::Relaxed);
        }
        lost
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.is_lost();
    }
}

//! How a device is made: options, and the modes of tests.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use lower::{BindingChoice, BindingModel, Target};

use crate::device::silent_loss::SilentLoss;
use crate::device::tune::Tune;
use crate::error::{RuntimeError, UserError};

/// Options for making a [`Device`](crate::Device).
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
    /// A device on which nothing ends for longer counts as lost, although something may only run long. `None`: that is waited for without an end.
    pub watchdog: Option<Duration>,
    /// Test mode: the n-th submission or wait on the device (from 1) finds it lost.
    pub lose_after: Option<u64>,
    /// Test mode: fences are asked whether the device is lost, as where timelines do not tell.
    pub ask_fences: bool,
    /// For tests: a device that gets no further is probed, as where the driver hides faults.
    pub probe: bool,
    /// Test mode: every mapping is a copy that only [`Buffer::flush_host`](crate::Buffer::flush_host) and [`Buffer::invalidate_host`](crate::Buffer::invalidate_host) (and the
    /// runtime's own transfers) synchronise, as memory that is not coherent may behave.
    pub shadow_mappings: bool,
    /// Test mode: commands between two barriers run in the opposite order, so that a barrier that is missing shows
    /// on a device that runs commands one after the other.
    pub reorder: bool,
    /// Test mode: every pipeline counts as one that took the driver long.
    pub slow_pipelines: bool,
    /// Test mode: pipelines are made without the driver's optimizations (VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT).
    pub plain_pipelines: bool,
    /// Test mode: the driver's compiler is called on threads that are given up where it crashes (`process/crash_guard.rs`).
    pub guard_compiler: bool,
    /// Test mode: leaves the barriers of this class out.
    pub drop_barrier: Option<BarrierClass>,
    /// Test mode: how many streams the device has, whatever queues there are: they share what there is.
    pub streams: Option<u32>,
    /// Test mode: command queues change their streams with each command.
    pub wander: bool,
    /// Test mode: children by fork end before the driver's exit handlers, as they do where those crash.
    pub spare_children: bool,
    /// Test mode: the binding model that programs had better be lowered for.
    pub binding: BindingChoice,
    /// Constants that were measured.
    pub tune: Tune,
    /// Test mode: kernels are lowered for buffers of less than 4 GiB
    /// ([`TargetFeatures::buffers_below_4_gib`](lower::target::TargetFeatures)).
    pub below: bool,
    /// Test mode: [`live_objects`](crate::live_objects) counts the device's Vulkan objects.
    pub count_objects: bool,
}

impl DeviceOptions<'_> {
    /// Turns test modes on by a list of words: `stage`, `window`, `shadow`, `reorder`, `slow`, `plain`, `guard`, `count`, `wander`, `spare`, `below`, `fences`, `probe`, `streams=N`, `lose=N`, `watchdog=MS`,
    /// `binding=address`, `binding=descriptor` or `binding=packed`, `tune.NAME=N` for a constant of `tune.rs`, `drop=CLASS` with the class `kernel-kernel`, `kernel-copy`, `copy-kernel` or `device-host`.
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
                    "plain" => {
                        self.plain_pipelines = true;
                        true
                    }
                    "guard" => {
                        self.guard_compiler = true;
                        true
                    }
                    "count" => {
                        self.count_objects = true;
                        true
                    }
                    "wander" => {
                        self.wander = true;
                        true
                    }
                    "spare" => {
                        self.spare_children = true;
                        true
                    }
                    "below" => {
                        self.below = true;
                        true
                    }
                    "fences" => {
                        self.ask_fences = true;
                        true
                    }
                    "probe" => {
                        self.probe = true;
                        true
                    }
                    _ => false,
                },
                Some(("lose", count)) => {
                    self.lose_after = count.parse().ok();
                    self.lose_after.is_some()
                }
                Some(("watchdog", ms)) => {
                    self.watchdog = ms.parse().ok().map(Duration::from_millis);
                    self.watchdog.is_some()
                }
                Some(("streams", count)) => {
                    self.streams = count.parse().ok();
                    self.streams.is_some()
                }
                Some(("binding", name)) => {
                    let models = [BindingModel::Descriptor, BindingModel::Address, BindingModel::Packed];
                    let model = models.into_iter().find(|m| m.name() == name);
                    self.binding = model.map_or(BindingChoice::Auto, BindingChoice::Prefer);
                    model.is_some()
                }
                Some(("drop", class)) => {
                    self.drop_barrier = BarrierClass::ALL.into_iter().find(|c| c.word() == class);
                    self.drop_barrier.is_some()
                }
                Some((name, value)) => match name.strip_prefix("tune.") {
                    Some(name) => self.tune.set(name, value).is_some(),
                    None => false,
                },
            };
            if !known {
                return Err(RuntimeError::user(UserError::InvalidValue, format!("no test mode '{word}'")));
            }
        }
        Ok(())
    }
}

/// The sides of a barrier, for [`DeviceOptions::drop_barrier`].
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
    silence: SilentLoss,
    /// How many launches are left that are recorded after their enqueue, up to the one that finds no memory; 0: none does.
    leave_out: AtomicU64,
    /// Submissions, and ends of command buffers, that find no memory.
    pub(crate) submissions: Shortage,
    pub(crate) ends: Shortage,
    pub(crate) reorder: bool,
    pub(crate) slow_pipelines: bool,
    pub(crate) plain_pipelines: bool,
    pub(crate) guard_compiler: bool,
    pub(crate) wander: bool,
    pub(crate) binding: BindingChoice,
    pub(crate) drop_barrier: Option<BarrierClass>,
}

impl Modes {
    pub(crate) fn from_options(options: &DeviceOptions<'_>) -> Self {
        Modes {
            max_dispatch_ms: options.max_dispatch_ms,
            lose_after: AtomicU64::new(options.lose_after.unwrap_or(0)),
            injects_loss: AtomicBool::new(options.lose_after.is_some()),
            silence: SilentLoss::default(),
            leave_out: AtomicU64::new(0),
            submissions: Shortage::default(),
            ends: Shortage::default(),
            reorder: options.reorder,
            slow_pipelines: options.slow_pipelines,
            plain_pipelines: options.plain_pipelines,
            guard_compiler: options.guard_compiler,
            wander: options.wander,
            binding: options.binding,
            drop_barrier: options.drop_barrier,
        }
    }

    /// Returns whether a loss may be a test's.
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
        self.silence.count();
        is_the_last(&self.lose_after)
    }

    /// The n-th submission or wait from now loses the device in silence; 0: none does.
    pub(crate) fn fall_silent_after(&self, n: u64, fence_reports: bool) {
        self.injects_loss.store(n > 0, Ordering::Relaxed);
        self.silence.begin_after(n, fence_reports);
    }

    /// The silence of a device that was lost so.
    pub(crate) fn silence(&self) -> Option<&SilentLoss> {
        self.silence.has_begun().then_some(&self.silence)
    }

    /// The n-th launch from now that is recorded after its enqueue finds no memory; 0: none does.
    pub(crate) fn leave_out(&self, n: u64) {
        self.leave_out.store(n, Ordering::Relaxed);
    }

    /// Returns whether a launch is to find no memory when it is recorded after its enqueue.
    pub(crate) fn is_to_leave_out(&self) -> bool {
        self.leave_out.load(Ordering::Relaxed) != 0
    }

    /// A launch is about to be recorded after its enqueue: whether it is to find no memory.
    pub(crate) fn leaves_out(&self) -> bool {
        is_the_last(&self.leave_out)
    }
}

/// Calls that a test wants to find no memory.
#[derive(Default)]
pub(crate) struct Shortage {
    /// The number of calls up to the first one; 0: none finds no memory.
    left: AtomicU64,
    /// The number of calls from there on that find none, in a row.
    times: AtomicU64,
}

impl Shortage {
    /// The n-th call from now finds none, and those after it, so many in all.
    pub(crate) fn begin(&self, n: u64, times: u64) {
        self.times.store(times, Ordering::Relaxed);
        self.left.store(n, Ordering::Relaxed);
    }

    /// A call of that kind is about to happen: whether it is to find no memory.
    pub(crate) fn strikes(&self) -> bool {
        if self.left.load(Ordering::Relaxed) > 1 {
            let _ = is_the_last(&self.left);
            return false;
        }
        self.left.load(Ordering::Relaxed) == 1
            && self
                .times
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |times| times.checked_sub(1))
                .is_ok()
    }
}

/// Counts down to 0; whether it came there.
pub(crate) fn is_the_last(left: &AtomicU64) -> bool {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) == Ok(1)
}

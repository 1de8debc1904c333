//! Pipelines that are made in the background when a program is built: those of kernels that say their work-group size, so that
//! the first launch finds them made or under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lower::KernelInfo;
use lower::kernel_info::ArgKind;

/// A program with more kernels than this is a library, of which few will run.
const MAX: usize = 16;

/// The pipelines of one program that are being made. Dropped, it makes no more and waits for the one that is under way: what
/// Vulkan makes is counted when a program is released.
pub(crate) struct PipelinePrebuild {
    /// Pipelines live as long as a handle of their kernel.
    _kernels: Vec<vk_runtime::Kernel>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl PipelinePrebuild {
    /// Starts, where a kernel has a size that its launches will have.
    pub(crate) fn start(kernels: &[Arc<KernelInfo>], program: &vk_runtime::Program) -> Option<Self> {
        let wanted: Vec<_> = kernels
            .iter()
            .filter_map(|k| Some((program.kernel(&k.name).ok()?, launch_size(k)?)))
            .take(MAX)
            .collect();
        if wanted.is_empty() {
            return None;
        }
        let kernels = wanted.iter().map(|(kernel, _)| kernel.clone()).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            for (kernel, size) in wanted {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(e) = kernel.compile(size, &[]) {
                    // The launch will say so, too.
                    log::info!("kernel '{}' ahead of its launch: {e}", kernel.info().name);
                    return;
                }
            }
        };
        // Without a thread the launches make them.
        let thread = vk_runtime::life::spawn("pumice pipelines", None, work).ok()?;
        Some(PipelinePrebuild { _kernels: kernels, stop, thread: Some(thread) })
    }
}

impl Drop for PipelinePrebuild {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It cannot panic with anything of ours held.
            let _ = thread.join();
        }
    }
}

/// The work-group size of a kernel's launches, where it says one, and no argument gives the pipeline a size of its own, or tells it
/// something.
fn launch_size(kernel: &KernelInfo) -> Option<[u32; 3]> {
    let sized = |kind: &ArgKind| matches!(kind, ArgKind::Local { spec_id: Some(_), .. });
    let unusual = kernel.specialised.iter().any(|word| !word.source.is_usually_zero());
    if kernel.args.iter().any(|arg| sized(&arg.kind)) || unusual {
        return None;
    }
    kernel.reqd_work_group_size.or(kernel.work_group_size_hint)
}

//! Pipelines that are made in the background when a program is built: those of kernels that say their work-group size, so that
//! the first launch finds them made or under way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use lower::KernelInfo;
use lower::kernel_info::ArgKind;

/// A program with more kernels than this is a library, of which few will run.
const MOST: usize = 16;
/// How long the end of the process waits for a driver's compiler.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pipelines of one program that are being made. Dropped, it makes no more and waits for the one that is under way: what
/// Vulkan makes is counted when a program is released.
pub(super) struct Ahead {
    /// Pipelines live as long as a handle of their kernel.
    _kernels: Vec<vk_runtime::Kernel>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Ahead {
    /// Starts, where a kernel has a size that its launches will have.
    pub(super) fn start(kernels: &[Arc<KernelInfo>], program: &vk_runtime::Program) -> Option<Self> {
        let wanted: Vec<_> = kernels
            .iter()
            .filter_map(|k| Some((program.kernel(&k.name).ok()?, launch_size(k)?)))
            .take(MOST)
            .collect();
        if wanted.is_empty() {
            return None;
        }
        let kernels = wanted.iter().map(|(kernel, _)| kernel.clone()).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            for (kernel, size) in wanted {
                let Some(_busy) = Busy::new() else { return };
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
        let thread = std::thread::Builder::new().name("pumice pipelines".to_owned()).spawn(work).ok()?;
        Some(Ahead { _kernels: kernels, stop, thread: Some(thread) })
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It cannot panic with anything of ours held.
            let _ = thread.join();
        }
    }
}

/// The work-group size of a kernel's launches, where it says one, and no argument gives the pipeline a size of its own.
fn launch_size(kernel: &KernelInfo) -> Option<[u32; 3]> {
    let sized = |kind: &ArgKind| matches!(kind, ArgKind::Local { spec_id: Some(_), .. });
    if kernel.args.iter().any(|arg| sized(&arg.kind)) {
        return None;
    }
    kernel.reqd_work_group_size.or(kernel.work_group_size_hint)
}

/// Who is in a driver's compiler.
struct Compilers {
    threads: u32,
    /// The process is ending: drivers take their compilers down.
    ending: bool,
}

static COMPILERS: Mutex<Compilers> = Mutex::new(Compilers { threads: 0, ending: false });
static LESS: Condvar = Condvar::new();

fn compilers() -> MutexGuard<'static, Compilers> {
    COMPILERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread that is in a driver's compiler.
struct Busy;

impl Busy {
    /// `None` when the process is ending.
    fn new() -> Option<Self> {
        static HOOK: Once = Once::new();
        // SAFETY: a function without arguments that does not unwind. It is registered after the driver's own ones, so that it
        // runs before them.
        HOOK.call_once(|| unsafe {
            libc::atexit(at_exit);
        });
        let mut compilers = compilers();
        (!compilers.ending).then(|| {
            compilers.threads += 1;
            Busy
        })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        compilers().threads -= 1;
        LESS.notify_all();
    }
}

/// Lets no thread go into a driver's compiler any more, and waits until none is in it: the driver's own end of the process would
/// pull it away under them.
extern "C" fn at_exit() {
    let mut compilers = compilers();
    compilers.ending = true;
    let none = LESS.wait_timeout_while(compilers, PATIENCE, |c| c.threads > 0);
    drop(none);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_process_waits_for_the_busy() {
        let busy = Busy::new().expect("not ending");
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(busy);
        });
        at_exit();
        assert!(Busy::new().is_none(), "no more");
        compilers().ending = false;
        thread.join().expect("joined");
    }
}

//! Faults that launches reported in the checking mode (`PUMICE_CHECK`), and their consequence for the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use host::check::{LaunchFacts, ReportLog};
use lower::KernelInfo;
use lower::check::Checks;
use lower::check::{CLAIMED, ENTRIES_AT, SITE_WORDS};
use vk_runtime::sync::Mutex;
use vk_runtime::{Buffer, Kernel, NdRange};

use crate::device::creation::Creation;

/// The faults that were reported, each once in the process.
static REPORTED: Mutex<Option<ReportLog>> = Mutex::new(None);
/// A fault was found.
static FOUND: AtomicBool = AtomicBool::new(false);

/// A launch that has not ended for this long reports what it has found.
const LONG: Duration = Duration::from_secs(2);
/// The time between two looks at such launches.
const BETWEEN: Duration = Duration::from_secs(1);

/// The launches that may report.
static RUNNING: Mutex<Vec<Weak<Watched>>> = Mutex::new(Vec::new());

/// What reports say of a launch's arguments.
#[derive(Default)]
pub(crate) struct Arguments {
    /// The bytes of their memory.
    pub(crate) sizes: Vec<u64>,
    /// Where the memory objects were made, if that is known.
    pub(crate) creations: Vec<(u32, Arc<Creation>)>,
}

/// A launch whose faults the host can see while it runs, and after its device was lost: they are in mapped memory.
pub(crate) struct Watched {
    kernel: Kernel,
    range: NdRange,
    arguments: Arc<Arguments>,
    buffer: Buffer,
    begun: Instant,
    /// Which sites were seen to have a fault; none once the launch has ended.
    seen: Mutex<Option<Vec<bool>>>,
}

impl Watched {
    /// Begins to watch a launch, if it can have faults and its buffer is mapped.
    pub(crate) fn new(
        kernel: &Kernel,
        range: &NdRange,
        arguments: &Arc<Arguments>,
        buffer: &Buffer,
    ) -> Option<Arc<Self>> {
        let sites = kernel.info().printf.checks.sites.len();
        if sites == 0 || !buffer.is_mapped() {
            return None;
        }
        let watched = Arc::new(Watched {
            kernel: kernel.clone(),
            range: *range,
            arguments: arguments.clone(),
            buffer: buffer.clone(),
            begun: Instant::now(),
            seen: Mutex::new(Some(vec![false; sites])),
        });
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watched));
        static START: Once = Once::new();
        START.call_once(|| {
            let thread = std::thread::Builder::new().name("pumice-check".to_owned());
            if let Err(e) = thread.spawn(watch) {
                log::warn!("PUMICE_CHECK: no thread for launches that do not end: {e}");
            }
        });
        Some(watched)
    }

    /// Reports what the host sees of the launch's faults now, where there are new ones. Returns whether there are.
    fn peek(&self) -> bool {
        let mut guard = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(seen) = &mut *guard else { return false };
        let Some((data, found)) = self.faults() else { return false };
        let news = found.iter().zip(&*seen).any(|(found, seen)| *found && !seen);
        *seen = found;
        news && report(self.kernel.info(), &data, &self.range, &self.arguments)
    }

    /// The part of the buffer with the entries, as the host sees it now, and which sites have a fault.
    fn faults(&self) -> Option<(Vec<u8>, Vec<bool>)> {
        let printf = &self.kernel.info().printf;
        let mut data = vec![0; 4 * printf.first_record()];
        self.buffer.peek(0, &mut data).ok()?;
        let words: Vec<u32> = data.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let entries = words.get(ENTRIES_AT..).unwrap_or_default().chunks_exact(SITE_WORDS);
        let found = entries.map(|entry| entry[0] != 0 || entry[2] & CLAIMED != 0);
        Some((data, found.take(printf.checks.sites.len()).collect()))
    }

    /// The launch has ended, and its buffer is somebody else's.
    fn end(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The reports of a launch that nobody has read: they are made where the launch fails.
pub(crate) struct Unread(pub(crate) Option<Arc<Watched>>);

impl Unread {
    /// The launch has ended, and its reports are read now.
    pub(crate) fn end(mut self) {
        if let Some(watched) = self.0.take() {
            watched.end();
        }
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let Some(watched) = self.0.take() else { return };
        let faults = watched.peek();
        watched.end();
        if faults {
            stop();
        }
    }
}

/// The launches that have not ended.
fn running() -> Vec<Arc<Watched>> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.retain(|launch| launch.strong_count() > 0);
    running.iter().filter_map(Weak::upgrade).collect()
}

/// Returns whether the host sees a fault of a launch that has not ended.
pub(crate) fn any_running_has_a_fault() -> bool {
    running().iter().any(|launch| {
        let guard = launch.seen.lock().unwrap_or_else(PoisonError::into_inner);
        guard.is_some() && launch.faults().is_some_and(|(_, found)| found.contains(&true))
    })
}

/// Looks at launches that do not end.
fn watch() {
    loop {
        std::thread::sleep(BETWEEN);
        let all = running();
        let long = all.iter().filter(|launch| launch.begun.elapsed() >= LONG);
        if long.filter(|launch| launch.peek()).count() > 0 {
            stop();
        }
    }
}

/// Reports the faults in a launch's buffer. Returns whether there are any.
pub(crate) fn report(info: &KernelInfo, buffer: &[u8], range: &NdRange, arguments: &Arguments) -> bool {
    if info.printf.checks.is_empty() {
        return false;
    }
    let mut log = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    let creation = |arg: u32| arguments.creations.iter().find(|(n, _)| *n == arg);
    let origin = |arg: u32| creation(arg)?.1.place();
    let facts = LaunchFacts { grid: host::check::grid(range), sizes: &arguments.sizes, origin: &origin };
    let faults = log.get_or_insert_default().report(info, buffer, facts) > 0;
    if faults {
        FOUND.store(true, Ordering::Relaxed);
    }
    faults
}

/// Reports a wrong call about a kernel's arguments, if the user wants that.
pub(crate) fn report_call(kernel: &str, message: impl FnOnce() -> String) {
    report_of(Checks::ARGUMENTS, kernel, message);
}

/// Reports memory that is used when it may not be, if the user wants that.
pub(crate) fn report_lifetime(kernel: &str, message: impl FnOnce() -> String) {
    report_of(Checks::LIFETIME, kernel, message);
}

fn report_of(class: Checks, kernel: &str, message: impl FnOnce() -> String) {
    if !host::check::checks().contains(class) {
        return;
    }
    let mut log = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    log.get_or_insert_default().report_call(&class.names(), kernel, &message());
    FOUND.store(true, Ordering::Relaxed);
    drop(log);
    stop();
}

/// Ends the process after a launch with a fault, if the user wants that.
pub(crate) fn stop() {
    if host::check::stops() {
        leave(host::check::exit_code().unwrap_or(1));
    }
}

/// The process ends: with the code for processes that had a fault, if there is one.
pub(crate) fn end() {
    if FOUND.load(Ordering::Relaxed)
        && let Some(code) = host::check::exit_code()
    {
        leave(code);
    }
}

fn leave(code: u8) {
    // SAFETY: what was written by the C library's streams goes to its files, and the process ends. Handlers of the exit do not run: one of
    // them may be running this.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code.into());
    }
}

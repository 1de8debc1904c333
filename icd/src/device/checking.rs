//! Faults that launches reported in the checking mode (`PUMICE_CHECK`), and what they mean for the process.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use host::check::Told;
use lower::KernelInfo;
use lower::check::Checks;
use vk_runtime::NdRange;
use vk_runtime::sync::Mutex;

/// The faults that were told, each once in the process.
static TOLD: Mutex<Option<Told>> = Mutex::new(None);
/// A fault was found.
static FOUND: AtomicBool = AtomicBool::new(false);

/// Tells of the faults in a launch's buffer. Returns whether there are any.
pub(crate) fn tell(info: &KernelInfo, buffer: &[u8], range: &NdRange) -> bool {
    if info.printf.checks.is_empty() {
        return false;
    }
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let faults = told.get_or_insert_default().tell(info, buffer, &host::check::grid(range)) > 0;
    if faults {
        FOUND.store(true, Ordering::Relaxed);
    }
    faults
}

/// Tells of a wrong call about a kernel's arguments, if the user wants that.
pub(crate) fn tell_call(kernel: &str, message: impl FnOnce() -> String) {
    if !host::check::checks().contains(Checks::ARGUMENTS) {
        return;
    }
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    told.get_or_insert_default().tell_call(kernel, &message());
    FOUND.store(true, Ordering::Relaxed);
    drop(told);
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

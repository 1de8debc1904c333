//! Faults that launches reported in the checking mode (`PUMICE_CHECK`), and their consequence for the process.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use host::check::ReportLog;
use lower::KernelInfo;
use lower::check::Checks;
use vk_runtime::NdRange;
use vk_runtime::sync::Mutex;

/// The faults that were reported, each once in the process.
static REPORTED: Mutex<Option<ReportLog>> = Mutex::new(None);
/// A fault was found.
static FOUND: AtomicBool = AtomicBool::new(false);

/// Reports the faults in a launch's buffer, whose arguments' memory has these sizes. Returns whether there are any.
pub(crate) fn report(info: &KernelInfo, buffer: &[u8], (range, sizes): (&NdRange, &[u64])) -> bool {
    if info.printf.checks.is_empty() {
        return false;
    }
    let mut log = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    let faults = log.get_or_insert_default().report(info, buffer, (&host::check::grid(range), sizes)) > 0;
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

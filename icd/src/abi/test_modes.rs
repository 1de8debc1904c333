//! Test modes of this crate ([`testing`](crate::testing) is their interface).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, PoisonError};
use vk_runtime::sync::Mutex;

use vk_runtime::{Instance, InstanceOptions};

/// The text in place of `PUMICE_TEST_MODES`.
pub(crate) static MODES: Mutex<Option<String>> = Mutex::new(None);
pub(crate) static VALIDATE: AtomicBool = AtomicBool::new(false);
pub(crate) static IMAGES: AtomicBool = AtomicBool::new(false);
pub(crate) static INSTANCE: OnceLock<Instance> = OnceLock::new();

/// Returns whether devices have images in any case.
pub(crate) fn has_images() -> bool {
    IMAGES.load(Ordering::SeqCst)
}

/// The test modes.
pub(crate) fn modes() -> Option<String> {
    let own = MODES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let asked = host::settings::get("PUMICE_TEST_MODES");
    let Some(own) = own else { return asked };
    let streams = asked.as_deref().unwrap_or("").split(',').find(|word| word.trim().starts_with("streams="));
    Some(streams.map_or(own.clone(), |streams| format!("{own},{streams}")))
}

/// Returns how the platform makes its instance.
pub(crate) fn instance_options() -> InstanceOptions {
    InstanceOptions { validation: VALIDATE.load(Ordering::SeqCst), ..host::settings::instance_options() }
}

/// A process that the layers complained about fails, at its end.
pub(crate) fn fail_on_messages(instance: &Instance) {
    if INSTANCE.set(instance.clone()).is_ok() {
        // SAFETY: a function that may be called at any time.
        unsafe { libc::atexit(judge) };
    }
}

/// The messages of the validation layers so far.
pub(crate) fn validation_messages() -> Vec<String> {
    INSTANCE.get().map(Instance::validation_messages).unwrap_or_default()
}

pub(crate) static FORGIVEN: AtomicBool = AtomicBool::new(false);

extern "C" fn judge() {
    let messages = validation_messages();
    if messages.is_empty() || FORGIVEN.load(Ordering::SeqCst) {
        return;
    }
    eprintln!(
        "Pumice: the Vulkan validation layers have {} complaints; the first: {}",
        messages.len(),
        messages[0]
    );
    // SAFETY: NULL means all files; the process ends here, and nothing of it runs any more.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(101);
    }
}

//! Switches and counters for the tests of this crate. Nothing of it is in libpumice.so's interface.

use std::sync::atomic::Ordering;
use std::sync::{Once, PoisonError};

use vk_runtime::{Instance, InstanceOptions};

use crate::abi::{handle, test_modes};
use crate::device::Device;
use crate::device::context::Context;
use crate::entry::extension::live;

/// Turns the validation layers on, where they are installed and unless `PUMICE_VALIDATE` decides: a process in which they
/// complain then fails. To be called before anything else.
pub fn validate() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if host::settings::get("PUMICE_VALIDATE").is_some() {
            return;
        }
        match Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }) {
            Ok(_) => test_modes::VALIDATE.store(true, Ordering::SeqCst),
            Err(e) => println!("no validation: {e}"),
        }
    });
}

/// Devices have images although no kernel can use them. To be called before anything else.
pub fn with_images() {
    test_modes::IMAGES.store(true, Ordering::SeqCst);
}

/// Vulkan devices that are made from now on have these test modes, and of those of `PUMICE_TEST_MODES` only the number of
/// streams.
pub fn set_modes(text: &str) {
    *test_modes::MODES.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
}

/// There is no Vulkan device: a test that wants one has failed, unless `PUMICE_TEST_SKIP_NO_DEVICE` is set.
///
/// # Panics
/// Unless it is set.
pub fn no_device() {
    let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
    assert!(
        may_skip,
        "no Vulkan device; with PUMICE_TEST_SKIP_NO_DEVICE=1 the tests that want one are skipped"
    );
    println!("SKIP: no Vulkan device");
}

/// Returns whether the host sees a fault of a launch that has not ended, in the checking mode. Nothing is reported.
#[must_use]
pub fn a_launch_has_a_fault() -> bool {
    crate::device::checking::any_running_has_a_fault()
}

/// The n-th submission or wait from now on finds the Vulkan device lost that contexts use; 0 takes that back. False for
/// a handle that is no device with a context.
pub fn lose_after(device: handle::Raw, n: u64) -> bool {
    let runtime = handle::get::<Device>(device).ok().and_then(|d| d.current());
    runtime.inspect(|r| r.device.lose_after(n)).is_some()
}

/// The n-th submission or wait from now on loses the Vulkan device that contexts use, and timelines do not tell; a fence does, a moment later, if `fence_reports`.
/// 0 takes that back. False for a handle that is no device with a context.
pub fn fall_silent_after(device: handle::Raw, n: u64, fence_reports: bool) -> bool {
    let runtime = handle::get::<Device>(device).ok().and_then(|d| d.current());
    runtime.inspect(|r| r.device.fall_silent_after(n, fence_reports)).is_some()
}

/// The n-th launch from now on that is recorded after its enqueue finds no memory. False for a handle that is no device with a context.
pub fn leave_out(device: handle::Raw, n: u64) -> bool {
    let runtime = handle::get::<Device>(device).ok().and_then(|d| d.current());
    runtime.inspect(|r| r.device.leave_out(n)).is_some()
}

/// The n-th submission from now on finds no memory, or the n-th end of a command buffer, and so do those after it, so many in all. 0 takes that
/// back. False for a handle that is no device with a context.
pub fn lack_memory(device: handle::Raw, at_end: bool, n: u64, times: u64) -> bool {
    let runtime = handle::get::<Device>(device).ok().and_then(|d| d.current());
    let begin = |r: &std::sync::Arc<crate::device::Runtime>| match at_end {
        true => r.device.lack_memory_at_ends(n, times),
        false => r.device.lack_memory_at_submissions(n, times),
    };
    runtime.as_ref().map(begin).is_some()
}

/// Returns how many objects are alive, by kind, where there are any: the API's, and Vulkan's on devices with the test mode `count`.
#[must_use]
pub fn alive() -> Vec<(&'static str, i64)> {
    const KINDS: [&str; 11] = [
        "context",
        "queue",
        "memory",
        "sampler",
        "program",
        "kernel",
        "event",
        "semaphore",
        "command buffer",
        "mutable command",
        "buffers",
    ];
    let count = |kind: &&'static str| i64::try_from(live(kind)?).ok().filter(|c| *c != 0).map(|c| (*kind, c));
    KINDS.iter().filter_map(count).chain(vk_runtime::live_objects()).collect()
}

/// Returns how often the mirrors of a context's images of buffers were brought something.
#[must_use]
pub fn brought_to_mirrors(context: handle::Raw) -> Option<u64> {
    Some(handle::get::<Context>(context).ok()?.mirrors.brought())
}

/// Returns what the layers have complained about so far.
#[must_use]
pub fn validation_messages() -> Vec<String> {
    test_modes::validation_messages()
}

/// This process provokes messages.
pub fn forgive_messages() {
    test_modes::FORGIVEN.store(true, Ordering::SeqCst);
}

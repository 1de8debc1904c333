//! The record of trials: what the launches of a program's kernels showed of loops that the driver may end ([`crate::kernel::trial`]).

use std::collections::HashMap;
use std::sync::PoisonError;

use vk_runtime::Buffer;
use vk_runtime::sync::Mutex;

/// What is known of a program's kernels, by their names.
#[derive(Default)]
pub(crate) struct Trials(Mutex<HashMap<String, Known>>);

/// What is known of one kernel.
#[derive(Default)]
pub(crate) struct Known {
    /// The driver ended loops of a launch.
    pub(crate) ended: bool,
    pub(crate) launches: u32,
    /// The time of a launch in nanoseconds, on average.
    pub(crate) time: u64,
    /// Memory for copies.
    pub(crate) spare: Option<Buffer>,
}

impl Trials {
    /// Looks at what is known of a kernel, or changes it.
    pub(crate) fn with<T>(&self, name: &str, what: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        what(known.entry(name.to_owned()).or_default())
    }

    /// Returns whether the driver ended loops of a launch of a kernel.
    pub(crate) fn ended(&self, name: &str) -> bool {
        self.with(name, |known| known.ended)
    }
}

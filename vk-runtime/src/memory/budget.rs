//! How much memory the driver would give this process: VK_EXT_memory_budget.

use std::sync::PoisonError;
use std::time::{Duration, Instant};
use timeline::sync::Mutex;

use ash::vk;

/// The driver is asked no more often than this.
const RATE: Duration = Duration::from_millis(100);
/// From this part of the budget on there is little left: nine of ten parts.
const TIGHT: (u64, u64) = (9, 10);

/// The budget of a device's largest heap of its own.
pub(crate) struct Budget {
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    /// When the driver was asked last, and whether little was left.
    last: Mutex<Option<(Instant, bool)>>,
}

impl Budget {
    /// For a device that has the extension, which adds to a query and is not enabled.
    pub(crate) fn new(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Self {
        Budget { instance: instance.clone(), physical, last: Mutex::new(None) }
    }

    /// Returns whether little is left, as the driver said of late.
    pub(crate) fn is_tight(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((when, tight)) if when.elapsed() < RATE => tight,
            _ => {
                let tight = self.ask();
                *last = Some((Instant::now(), tight));
                tight
            }
        }
    }

    fn ask(&self) -> bool {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: the instance (Vulkan 1.1 at least) outlives the device that this belongs to; the device has the extension.
        unsafe { self.instance.get_physical_device_memory_properties2(self.physical, &mut properties) };
        let memory = properties.memory_properties;
        let heaps = memory.memory_heaps_as_slice().iter();
        let figures = heaps.zip(budget.heap_usage).zip(budget.heap_budget);
        figures
            .filter(|((heap, _), _)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .max_by_key(|((heap, _), _)| heap.size)
            .is_some_and(|((_, usage), budget)| is_tight(usage, budget))
    }
}

/// A budget of 0 says nothing.
fn is_tight(usage: u64, budget: u64) -> bool {
    budget > 0 && usage / TIGHT.0 >= budget / TIGHT.1
}

#[cfg(test)]
mod tests {
    use super::is_tight;

    #[test]
    fn nine_tenths_are_tight() {
        assert!(!is_tight(0, 0) && !is_tight(5, 0));
        assert!(!is_tight(80 << 20, 100 << 20));
        assert!(is_tight(91 << 20, 100 << 20) && is_tight(200 << 20, 100 << 20));
    }
}

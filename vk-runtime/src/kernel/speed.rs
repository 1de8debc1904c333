//! Measured speeds of kernels.

use timeline::sync::Mutex;

use crate::device::device_time::DeviceTime;

/// Work-groups of the first part of a kernel of unknown speed.
const FIRST: u64 = 8;

/// A part may have so many times the work-groups of the largest one that was measured.
const GROWTH: u64 = 8;

/// The known facts about a kernel's speed.
#[derive(Default)]
pub(crate) struct Speed {
    pub(crate) known: Mutex<Known>,
}

#[derive(Default)]
pub(crate) struct Known {
    /// The time of the slowest recent part; 0: unknown.
    ns_per_group: f64,
    /// The most work-groups that were measured at once.
    pub(crate) groups: u64,
    /// A launch in one part, not waited for: its time counts when it is there.
    pub(crate) last: Option<Part>,
}

/// A part on its way.
pub(crate) struct Part {
    pub(crate) value: u64,
    pub(crate) groups: u64,
    pub(crate) start: DeviceTime,
    pub(crate) end: DeviceTime,
}

impl Known {
    pub(crate) fn learn(&mut self, groups: u64, ns: u64) {
        let now = ns as f64 / groups.max(1) as f64;
        // Slower at once, faster slowly.
        self.ns_per_group = if now > self.ns_per_group { now } else { (self.ns_per_group + now) / 2.0 };
        self.groups = self.groups.max(groups);
    }

    pub(crate) fn take_last(&mut self) {
        let Some(part) = &self.last else { return };
        match (part.start.nanos(), part.end.nanos()) {
            (Ok(Some(start)), Ok(Some(end))) => {
                let groups = part.groups;
                self.learn(groups, end.saturating_sub(start));
                self.last = None;
            }
            (Ok(_), Ok(_)) => {}
            _ => self.last = None,
        }
    }

    /// Returns how many work-groups may run for so long.
    pub(crate) fn wish(&self, budget_ns: u64) -> u64 {
        if self.groups == 0 {
            return FIRST;
        }
        let by_time = budget_ns as f64 / self.ns_per_group.max(1e-6);
        (by_time as u64).clamp(1, self.groups.saturating_mul(GROWTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_with_what_is_known() {
        let mut known = Known::default();
        assert_eq!(known.wish(1_000_000), FIRST);
        known.learn(FIRST, 800);
        assert_eq!(known.wish(1_000_000), FIRST * GROWTH, "no leap from one small measurement");
        known.learn(1000, 100_000);
        assert_eq!(known.wish(1_000_000), 8000);
        known.learn(8000, 8_000_000);
        assert_eq!(known.wish(1_000_000), 1000, "slower at once");
        assert_eq!(known.wish(1), 1);
    }
}

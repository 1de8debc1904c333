//! Launches in parts of bounded time, each submitted alone: [`DeviceOptions::max_dispatch_ms`](crate::DeviceOptions).
//!
//! A kernel's speed (nanoseconds per work-group) is measured at its launches. A launch begins with few work-groups while
//! it is unknown, and grows as measurements come in; a part is recorded only when the one before the last was measured.

use std::collections::VecDeque;
use std::sync::PoisonError;
use timeline::sync::Mutex;

use crate::error::RuntimeError;
use crate::kernel::ndrange::{Cursor, Split};
use crate::launch::recording::Launch;
use crate::stream::command::Command;
use crate::stream::point::Point;
use crate::stream::queue::Queue;
use crate::stream::timestamps::DeviceTime;

/// Work-groups of the first part of a kernel of unknown speed.
const FIRST: u64 = 8;
/// A part may have so many times the work-groups of the largest one that was measured.
const GROWTH: u64 = 8;

/// What is known of a kernel's speed.
#[derive(Default)]
pub(crate) struct Speed {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Of the slowest part of late; 0: unknown.
    ns_per_group: f64,
    /// The most work-groups that were measured at once.
    groups: u64,
    /// A launch in one part, not waited for: its time counts when it is there.
    last: Option<Part>,
}

/// A part on its way.
struct Part {
    value: u64,
    groups: u64,
    start: DeviceTime,
    end: DeviceTime,
}

impl Known {
    fn learn(&mut self, groups: u64, ns: u64) {
        let now = ns as f64 / groups.max(1) as f64;
        // Slower at once, faster slowly.
        self.ns_per_group = if now > self.ns_per_group { now } else { (self.ns_per_group + now) / 2.0 };
        self.groups = self.groups.max(groups);
    }

    fn take_last(&mut self) {
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

    /// How many work-groups may run for so long.
    fn wish(&self, budget_ns: u64) -> u64 {
        if self.groups == 0 {
            return FIRST;
        }
        let by_time = budget_ns as f64 / self.ns_per_group.max(1e-6);
        (by_time as u64).clamp(1, self.groups.saturating_mul(GROWTH))
    }
}

impl Queue {
    /// Records a launch in parts of at most about `ms` milliseconds: its value, start and end.
    pub(crate) fn dispatch_in_parts(
        &self,
        launch: &Launch<'_>,
        ms: u32,
    ) -> Result<(Point, DeviceTime, DeviceTime), RuntimeError> {
        let budget = u64::from(ms.max(1)) * 1_000_000;
        let max = self.device().target().limits.max_compute_work_group_count;
        let speed = &launch.kernel.speed.known;
        let known = || speed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cursor = Cursor::new(&launch.plan, max);
        let mut under_way: VecDeque<Part> = VecDeque::new();
        let mut whole: Option<(DeviceTime, Part)> = None;
        loop {
            let wish = {
                let mut known = known();
                known.take_last();
                known.wish(budget)
            };
            let Some(split) = cursor.next(wish) else { break };
            // Those that are cut off come with the first part: they are few.
            let part = self.part(launch, split, whole.is_none())?;
            let measured = Part { start: part.start.clone(), end: part.end.clone(), ..part };
            let begin = whole.map_or_else(|| part.start.clone(), |(begin, _)| begin);
            whole = Some((begin, part));
            under_way.push_back(measured);
            let unknown = known().groups == 0;
            while under_way.len() > usize::from(!unknown)
                && !(under_way.len() == 1 && cursor.is_done())
                && let Some(part) = under_way.pop_front()
            {
                self.inner.stream.wait(part.value)?;
                if let (Some(start), Some(end)) = (part.start.nanos()?, part.end.nanos()?) {
                    known().learn(part.groups, end.saturating_sub(start));
                }
            }
        }
        known().last = under_way.pop_back();
        match whole {
            Some((begin, part)) => {
                if let Some(span) = self.span() {
                    span.note(begin.clone(), part.end.clone());
                }
                Ok((self.point(part.value), begin, part.end))
            }
            None => Err(RuntimeError::bug("a launch without work-groups")),
        }
    }

    fn part(&self, launch: &Launch<'_>, split: Split, remainders: bool) -> Result<Part, RuntimeError> {
        let stream = &self.inner.stream;
        let ((start, end), value) = stream.record(|state| {
            state.alone()?;
            let start = state.timestamp()?;
            state.perform(&Command::Launch { launch, parts: &[split], remainders })?;
            Ok((start, state.timestamp()?))
        })?;
        stream.submit_up_to(value)?;
        Ok(Part { value, groups: split.total(), start, end })
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

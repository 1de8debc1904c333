//! Launches in parts of bounded time, each submitted alone: [`DeviceOptions::max_dispatch_ms`](crate::DeviceOptions).
//!
//! A kernel's speed (nanoseconds per work-group) is measured at its launches. A launch begins with few work-groups while
//! it is unknown, and grows as measurements come in; a part is recorded only when the one before the last was measured.

use crate::kernel::speed::Part;
use std::collections::VecDeque;
use std::sync::PoisonError;

use crate::device::device_time::DeviceTime;
use crate::error::RuntimeError;
use crate::kernel::ndrange::{Cursor, Split};
use crate::launch::recording::{self, Launch};
use crate::stream::queue::Queue;
use timeline::Point;

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
            recording::dispatch_parts(state, launch, &[split], remainders)?;
            Ok((start, state.timestamp()?))
        })?;
        stream.submit_up_to(value)?;
        Ok(Part { value, groups: split.total(), start, end })
    }
}

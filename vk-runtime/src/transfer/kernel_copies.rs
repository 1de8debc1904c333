//! Large copies and fills by kernels that move 16 bytes at a time.
//!
//! Some drivers run vkCmdCopyBuffer far below the memory's speed ([`Workarounds::slow_copies`](crate::Workarounds)); and Vulkan's
//! fill has patterns of 4 bytes only (on CPUs: `fill_by_copies.rs`). Ends that do not fill whole units go the ordinary way.

use std::sync::Arc;

use crate::error::RuntimeError;
use crate::image::resource_use::Bytes;
use crate::kernel::arguments::ArgValue;
use crate::memory::allocator::MemoryPart;
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::Point;

/// From this size on a fill that Vulkan does not have is done in units.
const FILL: u64 = 1 << 10;
/// Bytes that are moved at once.
pub(crate) const UNIT: u64 = 16;
/// Bytes that one dispatch covers at most.
const WINDOW: u64 = 1 << 30;

/// A range that falls into whole units of both sides, and what is left at its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parts {
    head: u64,
    middle: u64,
    tail: u64,
}

impl Parts {
    fn split(offset: u64, size: u64) -> Self {
        let head = (offset.next_multiple_of(UNIT) - offset).min(size);
        let middle = (size - head) / UNIT * UNIT;
        Parts { head, middle, tail: size - head - middle }
    }
}

impl Queue {
    /// Returns whether a copy is to be done by a kernel: on drivers that are slow at it, between buffers in the device's memory whose
    /// units coincide.
    pub(crate) fn copies_wide(
        &self,
        src: &BufferInner,
        src_at: u64,
        dst: &BufferInner,
        dst_at: u64,
        size: u64,
    ) -> bool {
        self.device_inner().slow_copies
            && size >= self.device_inner().tune.wide_copy
            && src_at % UNIT == dst_at % UNIT
            && is_local(src)
            && is_local(dst)
    }

    /// Records a copy from one buffer to another behind a kernel: small ones by another kernel, where the driver is slow at copies.
    ///
    /// # Errors
    /// As [`copy_buffer`](Self::copy_buffer).
    pub fn copy_behind(
        &self,
        src: &Buffer,
        src_at: u64,
        dst: &Buffer,
        dst_at: u64,
        size: u64,
    ) -> Result<Point, RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own(s)?;
        self.own(d)?;
        s.check_range("copy, source", src_at, size)?;
        d.check_range("copy, destination", dst_at, size)?;
        let device = self.device_inner();
        let by_kernel = device.slow_copies
            && (UNIT..=device.tune.behind_kernel).contains(&size)
            && (src_at | dst_at | size).is_multiple_of(UNIT)
            && s.marks.id != d.marks.id;
        match by_kernel {
            true => self.copy_wide(src, src_at, dst, dst_at, size),
            false => self.copy_buffer(src, src_at, dst, dst_at, size),
        }
    }

    /// Copies between buffers, or disjoint parts of one. The ranges were checked.
    pub(crate) fn copy_wide(
        &self,
        src: &Buffer,
        src_at: u64,
        dst: &Buffer,
        dst_at: u64,
        size: u64,
    ) -> Result<Point, RuntimeError> {
        let kernel = self.helpers()?.copy_wide.clone();
        let (s, d) = (&src.inner, &dst.inner);
        let parts = Parts::split(src_at, size);
        let group = self.wide_group();
        let by_address = self.copies_by_address()?;
        self.transfer(|state| {
            let mut at = 0;
            for edge in [parts.head, parts.tail] {
                if edge > 0 {
                    let (from, to) = (Bytes::new(s, src_at + at, edge), Bytes::new(d, dst_at + at, edge));
                    state.perform(&Command::Copy { from, to })?;
                }
                at = parts.head + parts.middle;
            }
            if let Some(words) = by_address {
                let (from, to) = (src_at + parts.head, dst_at + parts.head);
                let (from, to) = (Bytes::new(s, from, parts.middle), Bytes::new(d, to, parts.middle));
                if words.copy(state, from, to)? {
                    return Ok(());
                }
            }
            let mut done = 0;
            while done < parts.middle {
                let from = Window::new(self, src_at + parts.head + done);
                let to = Window::new(self, dst_at + parts.head + done);
                let count = (parts.middle - done).min(from.room).min(to.room);
                let values = [to.skip / UNIT, from.skip / UNIT, count / UNIT];
                let buffers = [to.range(dst, count), from.range(src, count)];
                self.run_helper(state, &kernel, buffers, &values, items(count, group), group)?;
                done += count;
            }
            Ok(())
        })
    }

    /// Work-group size of these kernels: a multiple of 8.
    fn wide_group(&self) -> u64 {
        let device = self.device_inner();
        let limits = &device.target.limits;
        let most = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
        device.tune.wide_group.min(u64::from(most) / 8 * 8).max(8)
    }

    /// Returns whether a fill is to be done in units. `word`: Vulkan has it, too.
    pub(crate) fn fills_wide(&self, buffer: &BufferInner, size: u64, pattern: &[u8], word: bool) -> bool {
        let wide = if word {
            self.device_inner().slow_copies && size >= self.device_inner().tune.wide_copy && is_local(buffer)
        } else {
            size >= FILL && !self.fills_by_copies()
        };
        wide && pattern.len().is_power_of_two()
    }

    /// Fills a range with a pattern whose length is a power of two. The range was checked.
    pub(crate) fn fill_wide(
        &self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<Point, RuntimeError> {
        let parts = Parts::split(offset, size);
        // The pattern as it goes on behind so many bytes.
        let turned = |by: u64| {
            let mut turned = pattern.to_vec();
            turned.rotate_left(usize::try_from(by).unwrap_or(0) % pattern.len());
            turned
        };
        if parts.head > 0 {
            self.fill_by_helper(buffer, offset, parts.head, pattern)?;
        }
        if parts.tail > 0 {
            let at = parts.head + parts.middle;
            self.fill_by_helper(buffer, offset + at, parts.tail, &turned(at))?;
        }
        let kernel = self.helpers()?.fill_wide.clone();
        let units = turned(parts.head).repeat((UNIT as usize).div_ceil(pattern.len()));
        let mask = units.len() as u64 / UNIT - 1;
        let group = self.wide_group();
        self.transfer(|state| {
            state.behind_origin(&buffer.inner.marks)?;
            let mut done = 0;
            while done < parts.middle {
                let to = Window::new(self, offset + parts.head + done);
                // Whole patterns, so that the next dispatch begins with one.
                let count = (parts.middle - done).min(to.room / 128 * 128);
                let (source, at) = small(state, &units, self)?;
                let source = Buffer { inner: source };
                let source = ArgValue::BufferRange { buffer: &source, offset: at, size: units.len() as u64 };
                let values = [to.skip / UNIT, mask, count / UNIT];
                let buffers = [to.range(buffer, count), source];
                self.run_helper(state, &kernel, buffers, &values, items(count, group), group)?;
                done += count;
            }
            Ok(())
        })
    }
}

/// Returns whether a buffer is in the device's own memory.
pub(crate) fn is_local(buffer: &BufferInner) -> bool {
    buffer.part().is_ok_and(MemoryPart::is_local)
}

/// The part of a buffer that is bound for a dispatch: from a place that descriptors allow on.
struct Window {
    base: u64,
    /// From there to the first byte that counts.
    skip: u64,
    /// Bytes that fit then, in whole units.
    room: u64,
}

impl Window {
    fn new(queue: &Queue, at: u64) -> Self {
        let limits = &queue.device_inner().target.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(UNIT);
        let base = at / align * align;
        let range = WINDOW.min(limits.max_storage_buffer_range).max(2 * align);
        Window { base, skip: at - base, room: (range - (at - base)) / UNIT * UNIT }
    }

    fn range<'a>(&self, buffer: &'a Buffer, count: u64) -> ArgValue<'a> {
        ArgValue::BufferRange { buffer, offset: self.base, size: self.skip + count }
    }
}

/// Invocations for so many bytes.
fn items(bytes: u64, group: u64) -> u64 {
    // The last work-group's invocations share what is left of its units.
    (bytes / UNIT).div_ceil(shaders::UNITS * group) * group
}

/// A place of the batch's own with these bytes.
pub(crate) fn small(
    state: &mut State,
    bytes: &[u8],
    queue: &Queue,
) -> Result<(Arc<BufferInner>, u64), RuntimeError> {
    let align = queue.device_inner().target.limits.min_storage_buffer_offset_alignment.max(UNIT);
    let (batch, recycler) = state.open()?;
    let (buffer, offset) = batch.small(recycler, bytes.len() as u64, align)?;
    buffer.device.memory.write(buffer.part()?, offset, bytes)?;
    Ok((buffer, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_what_is_left() {
        assert_eq!(Parts::split(0, 64), Parts { head: 0, middle: 64, tail: 0 });
        assert_eq!(Parts::split(3, 64), Parts { head: 13, middle: 48, tail: 3 });
        assert_eq!(Parts::split(5, 4), Parts { head: 4, middle: 0, tail: 0 });
        assert_eq!(Parts::split(16, 15), Parts { head: 0, middle: 0, tail: 15 });
    }

    #[test]
    fn every_unit_has_an_invocation() {
        for units in [1, 63, 64, 65, 255, 256, 257, 1000] {
            for group in [8, 64, 256] {
                let items = items(units * UNIT, group);
                assert!(items.is_multiple_of(group) && items * shaders::UNITS >= units);
            }
        }
    }
}

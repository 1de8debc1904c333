//! Reads, writes, fills and copies of buffers.
//!
//! Memory that the host can reach is written and read in place when no unfinished command is in the way;
//! else through staging buffers that the device copies from or to. The host copies, and waits, without the stream's lock.

use crate::error::{RuntimeError, UserError};
use crate::image::resource_use::Bytes;
use crate::kernel::arguments::{ArgValue, bind};
use crate::kernel::ndrange::{NdRange, Plan};
use crate::kernel::program::Kernel;
use crate::launch::recording::{self, Launch};
use crate::memory::buffer::{Buffer, BufferInner};
use crate::memory::host_access::IN_PLACE;
use crate::stream::batch::new_staging;
use crate::stream::command::Command;
use crate::stream::command_stream::Stream;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use smallvec::SmallVec;
use timeline::Point;

/// Bytes that one dispatch of a helper covers at most.
const WINDOW: u64 = 64 << 20;
/// Work-group size of the helpers that move bytes.
pub(crate) const HELPER_GROUP: u64 = 64;

impl Queue {
    /// Writes host data into a buffer. The data may be changed as soon as this returns. Large data goes in pieces: then
    /// this waits for the device to take the first ones before it stages the last.
    ///
    /// # Errors
    /// User for a range outside the buffer; Driver when Vulkan fails.
    pub fn write_buffer(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<Point, RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("write", offset, data.len() as u64)?;
        if data.is_empty() {
            return self.recorded_point();
        }
        if self.writable_in_place(b, data.len())? {
            // Commands that use the buffer and are recorded meanwhile are not ordered with this one by their caller.
            let written = b.device.memory.write(b.part()?, offset, data);
            b.marks.note_host_write();
            return written.map(|()| self.reached());
        }
        if offset.is_multiple_of(4)
            && data.len().is_multiple_of(4)
            && data.len() as u64 <= b.device.tune.update
        {
            let to = Bytes::new(b, offset, data.len() as u64);
            return self.perform(&Command::Update { to, data });
        }
        self.write_pieces(b, offset, data)
    }

    /// Writes host data into a buffer at once, if the host reaches its memory and everything that uses it was seen to be done.
    /// Returns whether it did; there is no point to wait for.
    ///
    /// # Errors
    /// As [`write_buffer`](Self::write_buffer); Driver when the device is lost.
    pub fn write_now(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<bool, RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("write", offset, data.len() as u64)?;
        let shared = &self.inner.stream.shared;
        if !b.part()?.reach().writes_in_place() {
            return Ok(false);
        }
        if !shared.is_idle(&b.marks) {
            self.inner.streams.poll_words(&shared.last_use(&b.marks))?;
            if !shared.is_idle(&b.marks) {
                return Ok(false);
            }
        }
        shared.loss.check()?;
        let written = b.device.memory.write(b.part()?, offset, data);
        b.marks.note_host_write();
        written.map(|()| true)
    }

    /// Reads a buffer at once, if the host reaches its memory well enough for so much and everything that writes it was seen to be
    /// done. Returns whether it did.
    ///
    /// # Errors
    /// As [`read_buffer`](Self::read_buffer); Driver when the device is lost.
    pub fn read_now(&self, buffer: &Buffer, offset: u64, data: &mut [u8]) -> Result<bool, RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("read", offset, data.len() as u64)?;
        let (part, shared) = (b.part()?, &self.inner.stream.shared);
        let reached = part.reach().reads_in_place(data.len() as u64, &b.device.tune);
        if !reached {
            return Ok(false);
        }
        if !shared.is_unwritten(&b.marks) {
            self.inner.streams.poll_words(&shared.last_write(&b.marks))?;
            if !shared.is_unwritten(&b.marks) {
                return Ok(false);
            }
        }
        shared.loss.check()?;
        if !self.sees(b)? {
            return Ok(false);
        }
        b.device.memory.read(part, offset, data).map(|()| true)
    }

    /// Gives a buffer contents that nobody else orders before what uses it: whatever stream that is in, it comes after this. Until
    /// it has come the buffer is used for nothing else.
    ///
    /// # Errors
    /// As [`write_buffer`](Self::write_buffer).
    pub fn initialize(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let point = self.write_buffer(buffer, offset, data)?;
        self.begins_with(buffer, point)
    }

    /// Submits what gives a buffer its contents: all that uses it in any stream comes behind.
    pub(crate) fn begins_with(&self, buffer: &Buffer, point: Point) -> Result<(), RuntimeError> {
        if point.value > 0 {
            // Other streams may wait for it from here on.
            self.inner.stream.submit_up_to(point.value)?;
            self.inner.stream.progress.outcome(point.value)?;
            buffer.inner.marks.origin.set(point.into());
        }
        Ok(())
    }

    /// Returns whether the host may write a buffer's memory now. For much data it is worth waiting for that.
    pub(crate) fn writable_in_place(&self, b: &BufferInner, size: usize) -> Result<bool, RuntimeError> {
        if !b.part()?.reach().writes_in_place() {
            return Ok(false);
        }
        let (stream, streams) = (&self.inner.stream, &self.inner.streams);
        for point in stream.shared.last_use(&b.marks).iter() {
            streams.stream(point)?.poll()?;
        }
        let uses = stream.shared.last_use(&b.marks);
        if uses.is_empty() || size <= IN_PLACE {
            return Ok(uses.is_empty());
        }
        streams.wait(&uses)?;
        Ok(stream.shared.is_idle(&b.marks))
    }

    /// Waits for the commands that write a buffer, and reads it. Runs no completion callbacks.
    ///
    /// # Errors
    /// User for a range outside the buffer; Driver when Vulkan fails.
    pub fn read_buffer(&self, buffer: &Buffer, offset: u64, data: &mut [u8]) -> Result<(), RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("read", offset, data.len() as u64)?;
        if data.is_empty() {
            return Ok(());
        }
        let part = b.part()?;
        let stream = &self.inner.stream;
        if part.reach().reads_in_place(data.len() as u64, &b.device.tune) {
            stream.shared.loss.check()?;
            self.inner.streams.wait(&stream.shared.last_write(&b.marks))?;
            if self.sees(b)? {
                return b.device.memory.read(part, offset, data);
            }
        }
        self.read_pieces(b, offset, data)
    }

    /// Returns whether the host sees what the device wrote to a buffer that it reaches, when that is done.
    pub(crate) fn sees(&self, b: &BufferInner) -> Result<bool, RuntimeError> {
        // What is the host's own has a barrier behind every write.
        Ok(b.part()?.is_cached() || self.inner.stream.shared.is_for_host(&b.marks))
    }

    /// Fills a range with a repeating pattern of 1 to 128 bytes, which starts at `offset`. Any alignment.
    ///
    /// # Errors
    /// User for a range outside the buffer or a pattern of a wrong size; Driver when Vulkan fails.
    pub fn fill_buffer(
        &self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<Point, RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("fill", offset, size)?;
        if pattern.is_empty() || pattern.len() > 128 {
            let text = format!("a fill pattern of {} bytes: 1 to 128 are possible", pattern.len());
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if size == 0 {
            return self.recorded_point();
        }
        let word = as_word(pattern).filter(|_| offset.is_multiple_of(4) && size.is_multiple_of(4));
        if self.fills_wide(b, size, pattern, word.is_some()) {
            return self.fill_wide(buffer, offset, size, pattern);
        }
        if let Some(word) = word {
            return self.perform(&Command::Fill { to: Bytes::new(b, offset, size), word });
        }
        if self.fills_by_copies() {
            return self.fill_by_copies(buffer, offset, size, pattern);
        }
        self.fill_by_helper(buffer, offset, size, pattern)
    }

    /// Fills byte by byte.
    pub(crate) fn fill_by_helper(
        &self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<Point, RuntimeError> {
        let kernel = self.helpers()?.fill.clone();
        let limits = &self.inner.device.target().limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        let window = (WINDOW.min(limits.max_storage_buffer_range) / align * align).max(align);
        let mut padded = pattern.to_vec();
        padded.resize(pattern.len().next_multiple_of(16), 0);
        let mut done = 0;
        let mut point = self.reached();
        while done < size {
            let at = offset + done;
            let base = at / align * align;
            let count = (size - done).min(base + window - at);
            let words = ((at - base) % 4 + count).div_ceil(4);
            let values = [at - base, count, pattern.len() as u64, done % pattern.len() as u64];
            let destination = ArgValue::BufferRange { buffer, offset: base, size: at - base + count };
            point = self.transfer(|state| {
                // Before its batch has anything of this command's.
                state.behind_origin(&buffer.inner.marks)?;
                let (source, source_offset) = {
                    let (batch, recycler) = state.open()?;
                    batch.small(recycler, padded.len() as u64, align)?
                };
                source.device.memory.write(source.part()?, source_offset, &padded)?;
                let source = Buffer { inner: source };
                let size = padded.len() as u64;
                let source = ArgValue::BufferRange { buffer: &source, offset: source_offset, size };
                self.run_helper(state, &kernel, [destination, source], &values, words, HELPER_GROUP)
            })?;
            done += count;
        }
        Ok(point)
    }

    /// Launches a helper with two buffers and 32-bit values.
    pub(crate) fn run_helper(
        &self,
        state: &mut State,
        kernel: &Kernel,
        buffers: [ArgValue<'_>; 2],
        values: &[u64],
        items: u64,
        group: u64,
    ) -> Result<(), RuntimeError> {
        let range = NdRange::new_1d(items.next_multiple_of(group)).with_local([group, 1, 1]);
        self.run_helper_over(state, kernel, buffers, values, &range)
    }

    /// Launches a helper with two objects and 32-bit values.
    pub(crate) fn run_helper_over(
        &self,
        state: &mut State,
        kernel: &Kernel,
        objects: [ArgValue<'_>; 2],
        values: &[u64],
        range: &NdRange,
    ) -> Result<(), RuntimeError> {
        let mut bytes = Vec::with_capacity(values.len());
        for value in values {
            let value =
                u32::try_from(*value).map_err(|_| RuntimeError::bug("a helper's value above 32 bits"))?;
            bytes.push(value.to_le_bytes());
        }
        let mut args = objects.to_vec();
        args.extend(bytes.iter().map(|b| ArgValue::Value(b)));
        let plan = Plan::new(range, kernel.inner.wishes(), &self.inner.device.target().limits)?;
        let bound = bind(&kernel.inner, &args)?;
        // A helper: it is told nothing.
        let key = kernel.inner.key(plan.local, &bound.local_args, (false, &[], &[]), &SmallVec::new());
        let pipeline = kernel.inner.pipeline(&key)?;
        let remainders = SmallVec::new();
        let launch = Launch {
            kernel: &kernel.inner,
            pipeline,
            wish: None,
            bound,
            plan,
            remainders,
            touches: &[],
            anything: false,
        };
        recording::dispatch(state, &launch)
    }

    /// Copies between buffers, or between parts of one that do not overlap. Any alignment.
    ///
    /// # Errors
    /// User for ranges outside the buffers or overlapping; Driver when Vulkan fails.
    pub fn copy_buffer(
        &self,
        src: &Buffer,
        src_offset: u64,
        dst: &Buffer,
        dst_offset: u64,
        size: u64,
    ) -> Result<Point, RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own(s)?;
        self.own(d)?;
        s.check_range("copy, source", src_offset, size)?;
        d.check_range("copy, destination", dst_offset, size)?;
        if s.marks.id == d.marks.id
            && src_offset < dst_offset + size
            && dst_offset < src_offset + size
            && size > 0
        {
            return Err(RuntimeError::user(
                UserError::MemCopyOverlap,
                "a copy whose source and destination overlap",
            ));
        }
        if size == 0 {
            return self.recorded_point();
        }
        if self.copies_wide(s, src_offset, d, dst_offset, size) {
            return self.copy_wide(src, src_offset, dst, dst_offset, size);
        }
        let (from, to) = (Bytes::new(s, src_offset, size), Bytes::new(d, dst_offset, size));
        self.perform(&Command::Copy { from, to })
    }

    /// Records a command; its point.
    pub(crate) fn perform(&self, command: &Command<'_>) -> Result<Point, RuntimeError> {
        self.transfer(|state| state.perform(command))
    }

    /// Records under the lock; its point.
    pub(crate) fn transfer(
        &self,
        record: impl FnOnce(&mut State) -> Result<(), RuntimeError>,
    ) -> Result<Point, RuntimeError> {
        let recorded = match self.span() {
            None => self.inner.stream.record(record),
            Some(span) => self.inner.stream.record(|state| {
                if let Some((start, end)) = state.timed(record)? {
                    span.note(start, end);
                }
                Ok(())
            }),
        };
        recorded.map(|((), value)| self.point(value))
    }

    /// The point of everything recorded so far.
    pub(crate) fn recorded_point(&self) -> Result<Point, RuntimeError> {
        self.transfer(|_| Ok(()))
    }
}

impl Stream {
    /// A staging buffer of at least this size that no command uses.
    pub(crate) fn staging(&self, size: u64) -> Result<Buffer, RuntimeError> {
        if let Some(buffer) = self.lock()?.recycler.take_staging(size) {
            return Ok(buffer);
        }
        new_staging(&self.device, size)
    }

    /// Takes a staging buffer back whose commands are done.
    pub(crate) fn give_staging(&self, staging: Buffer) {
        if let Ok(mut state) = self.lock() {
            state.recycler.give_staging(staging);
        }
    }
}

/// A pattern as a repeating 32-bit word, if it is one.
fn as_word(pattern: &[u8]) -> Option<u32> {
    let word: [u8; 4] = std::array::from_fn(|i| pattern[i % pattern.len()]);
    let same = pattern.iter().enumerate().all(|(i, b)| *b == word[i % 4]);
    (same && (pattern.len().is_multiple_of(4) || 4 % pattern.len() == 0)).then(|| u32::from_ne_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_words() {
        assert_eq!(as_word(&[7]), Some(0x0707_0707));
        assert_eq!(as_word(&[1, 2]).map(u32::to_ne_bytes), Some([1, 2, 1, 2]));
        assert_eq!(as_word(&[1, 2, 3, 4, 1, 2, 3, 4]).map(u32::to_ne_bytes), Some([1, 2, 3, 4]));
        assert_eq!(as_word(&[1, 2, 3]), None);
        assert_eq!(as_word(&[1, 2, 3, 4, 5, 6, 7, 8]), None);
        assert_eq!(as_word(&[1, 2, 1, 2, 1, 2]), None, "not whole words");
    }
}

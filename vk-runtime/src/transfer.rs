//! Reads, writes, fills and copies of buffers.
//!
//! Memory that the host can reach is written and read in place when no unfinished command is in the way;
//! else through staging buffers that the device copies from or to.

use std::collections::VecDeque;
use std::sync::Arc;

use ash::vk;

use crate::args::{ArgValue, bind};
use crate::batch::STAGING;
use crate::buffer::{Buffer, BufferInner};
use crate::error::{RuntimeError, UserError};
use crate::hazards::{Access, Stage};
use crate::kernel::Kernel;
use crate::ndrange::{NdRange, Plan};
use crate::queue::{Queue, State};
use crate::record;

/// vkCmdUpdateBuffer's limit.
const UPDATE: usize = 65536;
/// Below this a write goes through a shared chunk rather than a staging buffer of its own.
const SMALL: usize = 64 << 10;
/// Above this, waiting and writing mapped memory in place is better than copying twice.
const IN_PLACE: usize = 1 << 20;
/// Bytes that one dispatch of a helper covers at most.
const WINDOW: u64 = 64 << 20;
/// Rows of a box up to which it is a list of copy regions rather than a helper's work.
const REGIONS: u64 = 256;
/// Work-group size of the helpers.
const HELPER_GROUP: u64 = 64;

/// A copy of a box of bytes: clEnqueueCopyBufferRect's parameters. A pitch of 0 means tightly packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RectCopy {
    /// Where the box starts in the source: bytes, rows, slices.
    pub src_origin: [u64; 3],
    /// Where it starts in the destination.
    pub dst_origin: [u64; 3],
    /// Its size: bytes of a row, rows, slices.
    pub region: [u64; 3],
    /// Bytes from row to row in the source.
    pub src_row_pitch: u64,
    /// Bytes from slice to slice in the source.
    pub src_slice_pitch: u64,
    /// Bytes from row to row in the destination.
    pub dst_row_pitch: u64,
    /// Bytes from slice to slice in the destination.
    pub dst_slice_pitch: u64,
}

/// One side of a [`RectCopy`], settled: where it starts, its pitches, and where it ends.
#[derive(Debug, Clone, Copy)]
struct Side {
    first: u64,
    row: u64,
    slice: u64,
    end: u64,
}

impl Queue {
    /// Writes host data into a buffer. The data may be changed as soon as this returns.
    ///
    /// # Errors
    /// User for a range outside the buffer; Driver when Vulkan fails.
    pub fn write_buffer(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("write", offset, data.len() as u64)?;
        if data.is_empty() {
            return Ok(());
        }
        let part = b.part()?;
        let mut state = self.lock()?;
        if part.is_mapped() {
            state.poll()?;
            if data.len() > IN_PLACE {
                let value = state.last_use(b.id);
                state.wait(value)?;
            }
            if state.is_idle(b.id) {
                return b.device.memory.write(part, offset, data);
            }
        }
        if offset.is_multiple_of(4) && data.len().is_multiple_of(4) && data.len() <= UPDATE {
            let commands = state.transfer(&[(b, offset, data.len() as u64, true)])?;
            // SAFETY: recording under the queue's lock; offset and size are multiples of 4, at most 65536 bytes, inside
            // the buffer, which the batch keeps alive.
            unsafe { b.device.raw.cmd_update_buffer(commands, b.raw, offset, data) };
            return state.recorded().map(|_| ());
        }
        let mut at = offset;
        for piece in data.chunks(STAGING as usize) {
            let (batch, recycler) = state.open()?;
            let (staging, start) = if piece.len() <= SMALL {
                batch.small(recycler, piece.len() as u64, 16)?
            } else {
                (batch.staging(recycler)?.inner, 0)
            };
            b.device.memory.write(staging.part()?, start, piece)?;
            state.copy(&staging, start, b, at, piece.len() as u64)?;
            at += piece.len() as u64;
            if piece.len() > SMALL {
                // The device works on this piece while the next one is staged.
                state.flush()?;
            } else {
                state.recorded()?;
            }
        }
        Ok(())
    }

    /// Waits for the commands that write a buffer, and reads it.
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
        let mut state = self.lock()?;
        if part.is_cached() {
            let value = state.last_write(b.id);
            state.wait(value)?;
            return b.device.memory.read(part, offset, data);
        }
        // Two pieces on their way: one is being copied by the device, one by the host.
        let mut under_way: VecDeque<(u64, Buffer, &mut [u8])> = VecDeque::new();
        let mut at = offset;
        for piece in data.chunks_mut(STAGING as usize) {
            if under_way.len() == 2
                && let Some(oldest) = under_way.pop_front()
            {
                state.fetch(oldest)?;
            }
            let staging = state.take_staging()?;
            let size = piece.len() as u64;
            state.copy(b, at, &staging.inner, 0, size)?;
            let value = state.flush()?;
            under_way.push_back((value, staging, piece));
            at += size;
        }
        for rest in under_way {
            state.fetch(rest)?;
        }
        Ok(())
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
    ) -> Result<(), RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("fill", offset, size)?;
        if pattern.is_empty() || pattern.len() > 128 {
            let text = format!("a fill pattern of {} bytes: 1 to 128 are possible", pattern.len());
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if size == 0 {
            return Ok(());
        }
        if let Some(word) = as_word(pattern)
            && offset.is_multiple_of(4)
            && size.is_multiple_of(4)
        {
            let mut state = self.lock()?;
            let commands = state.transfer(&[(b, offset, size, true)])?;
            // SAFETY: recording under the queue's lock; a range of whole words inside the buffer, which the batch keeps
            // alive.
            unsafe { b.device.raw.cmd_fill_buffer(commands, b.raw, offset, size, word) };
            return state.recorded().map(|_| ());
        }
        self.fill_by_helper(buffer, offset, size, pattern)
    }

    fn fill_by_helper(
        &self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<(), RuntimeError> {
        let kernel = self.helpers()?.fill.clone();
        let limits = &self.inner.device.target().limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        let window = (WINDOW.min(limits.max_storage_buffer_range) / align * align).max(align);
        let mut padded = pattern.to_vec();
        padded.resize(pattern.len().next_multiple_of(16), 0);
        let mut state = self.lock()?;
        let mut done = 0;
        while done < size {
            let at = offset + done;
            let base = at / align * align;
            let count = (size - done).min(base + window - at);
            let (source, source_offset) = {
                let (batch, recycler) = state.open()?;
                batch.small(recycler, padded.len() as u64, align)?
            };
            source.device.memory.write(source.part()?, source_offset, &padded)?;
            let source = Buffer { inner: source };
            let words = ((at - base) % 4 + count).div_ceil(4);
            let values = [at - base, count, pattern.len() as u64, done % pattern.len() as u64];
            let buffers = [
                ArgValue::BufferRange { buffer, offset: base, size: at - base + count },
                ArgValue::BufferRange { buffer: &source, offset: source_offset, size: padded.len() as u64 },
            ];
            self.run_helper(&mut state, &kernel, buffers, &values, words)?;
            done += count;
        }
        Ok(())
    }

    /// Launches a helper with two buffers and 32-bit values.
    fn run_helper(
        &self,
        state: &mut State,
        kernel: &Kernel,
        buffers: [ArgValue<'_>; 2],
        values: &[u64],
        items: u64,
    ) -> Result<(), RuntimeError> {
        let mut bytes = Vec::with_capacity(values.len());
        for value in values {
            let value =
                u32::try_from(*value).map_err(|_| RuntimeError::bug("a helper's value above 32 bits"))?;
            bytes.push(value.to_le_bytes());
        }
        let mut args = buffers.to_vec();
        args.extend(bytes.iter().map(|b| ArgValue::Value(b)));
        let range = NdRange::new_1d(items.next_multiple_of(HELPER_GROUP)).with_local([HELPER_GROUP, 1, 1]);
        let plan = Plan::new(&range, kernel.inner.wishes(), &self.inner.device.target().limits)?;
        let bound = bind(&kernel.inner, &args)?;
        let pipeline = kernel.inner.pipeline(&bound.key(&plan))?;
        record::dispatch(state, kernel, &pipeline, &bound, &plan)?;
        state.recorded().map(|_| ())
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
    ) -> Result<(), RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own(s)?;
        self.own(d)?;
        s.check_range("copy, source", src_offset, size)?;
        d.check_range("copy, destination", dst_offset, size)?;
        if s.id == d.id && src_offset < dst_offset + size && dst_offset < src_offset + size && size > 0 {
            return Err(RuntimeError::user(
                UserError::MemCopyOverlap,
                "a copy whose source and destination overlap",
            ));
        }
        if size == 0 {
            return Ok(());
        }
        let mut state = self.lock()?;
        state.copy(s, src_offset, d, dst_offset, size)?;
        state.recorded().map(|_| ())
    }

    /// Copies a box of bytes between buffers, or between parts of one whose spans do not overlap.
    ///
    /// # Errors
    /// User for boxes outside the buffers, pitches below a row, or overlapping spans; Driver when Vulkan fails.
    pub fn copy_rect(&self, src: &Buffer, dst: &Buffer, rect: &RectCopy) -> Result<(), RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own(s)?;
        self.own(d)?;
        let [width, height, depth] = rect.region;
        let from = side(rect.src_origin, rect.region, rect.src_row_pitch, rect.src_slice_pitch)?;
        let to = side(rect.dst_origin, rect.region, rect.dst_row_pitch, rect.dst_slice_pitch)?;
        s.check_range("rectangle copy, source", from.first, from.end - from.first)?;
        d.check_range("rectangle copy, destination", to.first, to.end - to.first)?;
        if s.id == d.id && from.first < to.end && to.first < from.end {
            return Err(RuntimeError::user(
                UserError::MemCopyOverlap,
                "a rectangle copy whose source and destination overlap",
            ));
        }
        let limits = &self.inner.device.target().limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        let window = limits.max_storage_buffer_range.min(1 << 31);
        let spans = (from.first / align * align, to.first / align * align);
        let fits = from.end - spans.0 <= window && to.end - spans.1 <= window;
        let row_words = width / 4 + 2;
        let items = row_words.saturating_mul(height).saturating_mul(depth);
        if height * depth <= REGIONS || !fits || items >= 1 << 31 {
            return self.copy_rows(s, &from, d, &to, rect.region);
        }
        let kernel = self.helpers()?.copy_rect.clone();
        let values = [
            to.first - spans.1,
            to.row,
            to.slice,
            from.first - spans.0,
            from.row,
            from.slice,
            width,
            height,
            depth,
            row_words,
        ];
        let buffers = [
            ArgValue::BufferRange { buffer: dst, offset: spans.1, size: to.end - spans.1 },
            ArgValue::BufferRange { buffer: src, offset: spans.0, size: from.end - spans.0 },
        ];
        let mut state = self.lock()?;
        self.run_helper(&mut state, &kernel, buffers, &values, items)
    }

    /// A box as one copy command with a region for each row.
    fn copy_rows(
        &self,
        s: &Arc<BufferInner>,
        from: &Side,
        d: &Arc<BufferInner>,
        to: &Side,
        [width, height, depth]: [u64; 3],
    ) -> Result<(), RuntimeError> {
        let mut state = self.lock()?;
        let commands = state.transfer(&[
            (s, from.first, from.end - from.first, false),
            (d, to.first, to.end - to.first, true),
        ])?;
        let mut regions = Vec::with_capacity(4096);
        let send = |regions: &mut Vec<vk::BufferCopy>| {
            if !regions.is_empty() {
                // SAFETY: recording under the queue's lock; the regions lie in the buffers (their spans were checked) and
                // do not overlap; the batch keeps both alive.
                unsafe { s.device.raw.cmd_copy_buffer(commands, s.raw, d.raw, regions) };
                regions.clear();
            }
        };
        for z in 0..depth {
            for y in 0..height {
                regions.push(vk::BufferCopy {
                    src_offset: from.first + z * from.slice + y * from.row,
                    dst_offset: to.first + z * to.slice + y * to.row,
                    size: width,
                });
                if regions.len() == 4096 {
                    send(&mut regions);
                }
            }
        }
        send(&mut regions);
        state.recorded().map(|_| ())
    }

    fn own(&self, buffer: &BufferInner) -> Result<(), RuntimeError> {
        if Arc::ptr_eq(&buffer.device, &self.inner.device.inner) {
            Ok(())
        } else {
            Err(RuntimeError::user(UserError::InvalidContext, "a buffer of another device"))
        }
    }
}

impl State {
    /// Starts a transfer command: the barrier it needs, its buffers kept alive. Ranges are
    /// (buffer, offset, size, whether written).
    fn transfer(
        &mut self,
        ranges: &[(&Arc<BufferInner>, u64, u64, bool)],
    ) -> Result<vk::CommandBuffer, RuntimeError> {
        let accesses: Vec<Access> = ranges
            .iter()
            .map(|(b, offset, size, write)| Access {
                buffer: b.id,
                start: *offset,
                end: offset + size,
                read: !write,
                write: *write,
                stage: Stage::Transfer,
            })
            .collect();
        let commands = self.command(&accesses)?;
        let (batch, _) = self.open()?;
        for (b, _, _, write) in ranges {
            batch.keep(b);
            batch.host_reads |= *write && b.part()?.is_mapped();
        }
        Ok(commands)
    }

    /// Records a copy.
    fn copy(
        &mut self,
        src: &Arc<BufferInner>,
        src_offset: u64,
        dst: &Arc<BufferInner>,
        dst_offset: u64,
        size: u64,
    ) -> Result<(), RuntimeError> {
        let commands = self.transfer(&[(src, src_offset, size, false), (dst, dst_offset, size, true)])?;
        let region = vk::BufferCopy { src_offset, dst_offset, size };
        // SAFETY: recording under the queue's lock; the callers checked that the ranges lie in the buffers and do not
        // overlap; the batch keeps both alive.
        unsafe { self.device.raw.cmd_copy_buffer(commands, src.raw, dst.raw, &[region]) };
        Ok(())
    }

    fn take_staging(&mut self) -> Result<Buffer, RuntimeError> {
        let device = self.device.clone();
        self.recycler.take_staging(&device)
    }

    /// Waits for a staged piece and copies it to its place.
    fn fetch(&mut self, (value, staging, piece): (u64, Buffer, &mut [u8])) -> Result<(), RuntimeError> {
        self.wait(value)?;
        self.device.memory.read(staging.inner.part()?, 0, piece)?;
        self.recycler.give_staging(staging);
        Ok(())
    }
}

/// A pattern as a repeating 32-bit word, if it is one.
fn as_word(pattern: &[u8]) -> Option<u32> {
    let word: [u8; 4] = std::array::from_fn(|i| pattern[i % pattern.len()]);
    let same = pattern.iter().enumerate().all(|(i, b)| *b == word[i % 4]);
    (same && (pattern.len().is_multiple_of(4) || 4 % pattern.len() == 0)).then(|| u32::from_ne_bytes(word))
}

/// Settles one side of a box: default pitches, the rules of clEnqueueCopyBufferRect, no overflow.
fn side(origin: [u64; 3], region: [u64; 3], row: u64, slice: u64) -> Result<Side, RuntimeError> {
    let [width, height, depth] = region;
    let bad = |text: &str| RuntimeError::user(UserError::InvalidValue, format!("rectangle copy: {text}"));
    if region.contains(&0) {
        return Err(bad("a box of size 0"));
    }
    let row = if row == 0 { width } else { row };
    let tight = height.checked_mul(row).ok_or_else(|| bad("sizes overflow"))?;
    let slice = if slice == 0 { tight } else { slice };
    if row < width {
        return Err(bad("a row pitch below the box's width"));
    }
    if slice < tight {
        return Err(bad("a slice pitch below the box's rows"));
    }
    let place = |[x, y, z]: [u64; 3]| z.checked_mul(slice)?.checked_add(y.checked_mul(row)?)?.checked_add(x);
    let first = place(origin).ok_or_else(|| bad("sizes overflow"))?;
    let end = place([width, height - 1, depth - 1])
        .and_then(|length| first.checked_add(length))
        .ok_or_else(|| bad("sizes overflow"))?;
    Ok(Side { first, row, slice, end })
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

    #[test]
    fn boxes() {
        let s = side([1, 2, 3], [4, 5, 6], 10, 100).expect("side");
        assert_eq!((s.first, s.end), (321, 321 + 500 + 40 + 4));
        let s = side([0; 3], [4, 5, 6], 0, 0).expect("side");
        assert_eq!((s.row, s.slice, s.end), (4, 20, 120));
        assert!(side([0; 3], [4, 5, 6], 3, 0).is_err());
        assert!(side([0; 3], [4, 5, 6], 4, 19).is_err());
        assert!(side([0; 3], [4, 0, 6], 0, 0).is_err());
        assert!(side([u64::MAX, 0, 0], [4, 1, 1], 0, 0).is_err());
        assert!(side([0, u64::MAX, 0], [4, 1, 1], 8, 0).is_err());
    }
}

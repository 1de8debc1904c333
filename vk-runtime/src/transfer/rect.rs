//! Boxes of bytes: copied between buffers, written from the host, read to the host.

use crate::error::{RuntimeError, UserError};
use crate::kernel::arguments::ArgValue;
use crate::memory::buffer::Buffer;
use crate::stream::command::Command;
use crate::stream::command::Side;
use crate::stream::command::rows;
use crate::stream::queue::Queue;
use crate::transfer::buffer::HELPER_GROUP;
use crate::transfer::chunks::PIECE;
use crate::transfer::pending_read::PendingRead;
use timeline::Point;

/// Rows of a box up to which it is a list of copy regions rather than a helper's work.
const REGIONS: u64 = 256;

/// A copy of a box of bytes: clEnqueueCopyBufferRect's parameters. A pitch of 0 means tightly packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RectCopy {
    /// The start of the box in the source: bytes, rows, slices.
    pub src_origin: [u64; 3],
    /// The start in the destination.
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

impl RectCopy {
    fn src(&self) -> Result<Side, RuntimeError> {
        side(self.src_origin, self.region, self.src_row_pitch, self.src_slice_pitch)
    }

    fn dst(&self) -> Result<Side, RuntimeError> {
        side(self.dst_origin, self.region, self.dst_row_pitch, self.dst_slice_pitch)
    }
}

impl Queue {
    /// Copies a box of bytes between buffers, or between parts of one whose spans do not overlap.
    ///
    /// # Errors
    /// User for boxes outside the buffers, pitches below a row, or overlapping spans; Driver when Vulkan fails.
    pub fn copy_rect(&self, src: &Buffer, dst: &Buffer, rect: &RectCopy) -> Result<Point, RuntimeError> {
        let (s, d) = (&src.inner, &dst.inner);
        self.own(s)?;
        self.own(d)?;
        let (from, to) = (rect.src()?, rect.dst()?);
        s.check_range("rectangle copy, source", from.first, from.end - from.first)?;
        d.check_range("rectangle copy, destination", to.first, to.end - to.first)?;
        if s.marks.id == d.marks.id && spans_overlap(&from, &to, rect.region) {
            return Err(RuntimeError::user(
                UserError::MemCopyOverlap,
                "a rectangle copy whose source and destination overlap",
            ));
        }
        self.copy_sides(src, &from, dst, &to, rect.region)
    }

    /// Writes a box from host data, whose layout is the rectangle's source. The data may be changed as soon as this
    /// returns.
    ///
    /// # Errors
    /// User for a box outside the buffer or the data, or pitches below a row; Driver when Vulkan fails.
    pub fn write_rect(&self, dst: &Buffer, rect: &RectCopy, data: &[u8]) -> Result<Point, RuntimeError> {
        let d = &dst.inner;
        self.own(d)?;
        let (from, to) = (rect.src()?, rect.dst()?);
        from.check_host(data.len())?;
        d.check_range("rectangle write", to.first, to.end - to.first)?;
        let [width, height, depth] = rect.region;
        let row = |y: u64, z: u64| -> &[u8] {
            let start = from.at(y, z) as usize;
            data.get(start..start + width as usize).unwrap_or_default()
        };
        let total = width.saturating_mul(height).saturating_mul(depth);
        if self.writable_in_place(d, usize::try_from(total).unwrap_or(usize::MAX))? {
            let part = d.part()?;
            let mut places = rows(height, depth);
            let written = places.try_for_each(|(y, z)| d.device.memory.write(part, to.at(y, z), row(y, z)));
            d.marks.note_host_write();
            return written.map(|()| self.reached());
        }
        if width > PIECE as u64 {
            let mut point = self.reached();
            for (y, z) in rows(height, depth) {
                point = self.write_buffer(dst, to.at(y, z), row(y, z))?;
            }
            return Ok(point);
        }
        // Packed into staging buffers, some rows of a slice each.
        let step = (PIECE as u64 / width).min(height);
        let stream = &self.inner.stream;
        let (mut point, mut last) = (self.reached(), 0);
        let mut packed = Vec::new();
        for z in 0..depth {
            let mut y = 0;
            while y < height {
                let count = step.min(height - y);
                packed.clear();
                (y..y + count).for_each(|y| packed.extend_from_slice(row(y, z)));
                let staging = stream.staging(packed.len() as u64)?;
                d.device.memory.write(staging.inner.part()?, 0, &packed)?;
                let tight = Side { first: 0, row: width, slice: width * count, end: width * count };
                let first = to.at(y, z);
                let part = Side { first, end: first + (count - 1) * to.row + width, ..to };
                point = self.copy_sides(&staging, &tight, dst, &part, [width, count, 1])?;
                let mut state = stream.lock()?;
                if let Ok((batch, _)) = state.open() {
                    // The copy is in this batch or an earlier one.
                    batch.return_later(staging);
                    batch.count += 1;
                }
                stream.leave(state)?;
                if packed.len() * 4 > PIECE {
                    stream.wait(last)?;
                    last = point.value;
                    stream.submit_up_to(point.value)?;
                }
                y += count;
            }
        }
        Ok(point)
    }

    /// Starts reading a box to the host, whose layout is the rectangle's destination. The device packs it.
    ///
    /// # Errors
    /// User for a box outside the buffer, or pitches below a row; Driver when Vulkan fails.
    pub fn begin_read_rect(&self, src: &Buffer, rect: &RectCopy) -> Result<PendingRead, RuntimeError> {
        let s = &src.inner;
        self.own(s)?;
        let (from, to) = (rect.src()?, rect.dst()?);
        s.check_range("rectangle read", from.first, from.end - from.first)?;
        let [width, height, depth] = rect.region;
        // Not above the source's size: rows do not overlap.
        let size = width * height * depth;
        let staging = self.inner.stream.staging(size)?;
        let tight = Side { first: 0, row: width, slice: width * height, end: size };
        let value = self.copy_sides(src, &from, &staging, &tight, rect.region)?;
        Ok(PendingRead::of_rect(self, value, staging, to, rect.region))
    }

    /// Copies a box by regions, or by the helper where there are many rows. The sides are inside the buffers.
    pub(crate) fn copy_sides(
        &self,
        src: &Buffer,
        from: &Side,
        dst: &Buffer,
        to: &Side,
        region: [u64; 3],
    ) -> Result<Point, RuntimeError> {
        let [width, height, depth] = region;
        let limits = &self.inner.device.target().limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        let window = limits.max_storage_buffer_range.min(1 << 31);
        let spans = (from.first / align * align, to.first / align * align);
        let fits = from.end - spans.0 <= window && to.end - spans.1 <= window;
        let row_words = width / 4 + 2;
        let items = row_words.saturating_mul(height).saturating_mul(depth);
        if height * depth <= REGIONS || !fits || items >= 1 << 31 {
            let (from, to) = ((&src.inner, from), (&dst.inner, to));
            return self.perform(&Command::CopyBox { from, to, region });
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
        self.transfer(|state| self.run_helper(state, &kernel, buffers, &values, items, HELPER_GROUP))
    }
}

/// Returns whether two boxes of one buffer overlap. With the same pitches the spans may be interleaved without that (OpenCL
/// API specification, clEnqueueCopyBufferRect, "CL_MEM_COPY_OVERLAP"); with different ones overlapping spans count.
fn spans_overlap(from: &Side, to: &Side, [width, height, depth]: [u64; 3]) -> bool {
    if from.first >= to.end || to.first >= from.end {
        return false;
    }
    if from.row != to.row || from.slice != to.slice {
        return true;
    }
    // How far apart, in slices, rows and bytes, either way around; each coordinate differs by less than its size.
    let delta = i128::from(to.first) - i128::from(from.first);
    let (row, slice) = (i128::from(from.row), i128::from(from.slice));
    let (width, height, depth) = (i128::from(width), i128::from(height), i128::from(depth));
    let z0 = delta.div_euclid(slice);
    (z0..=z0 + 1).any(|z| {
        let rest = delta - z * slice;
        let y0 = rest.div_euclid(row);
        (y0..=y0 + 1).any(|y| {
            let x = rest - y * row;
            z.abs() < depth && y.abs() < height && x.abs() < width
        })
    })
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
    fn boxes_beside_each_other_in_one_buffer() {
        let box_at = |x: u64, y: u64, z: u64| side([x, y, z], [4, 3, 2], 10, 50).expect("side");
        let overlap = |a: Side, b: Side| spans_overlap(&a, &b, [4, 3, 2]);
        assert!(overlap(box_at(0, 0, 0), box_at(3, 2, 1)));
        assert!(overlap(box_at(3, 2, 1), box_at(0, 0, 0)));
        assert!(overlap(box_at(3, 0, 0), box_at(0, 2, 1)));
        assert!(!overlap(box_at(0, 0, 0), box_at(4, 0, 0)), "beside it");
        assert!(!overlap(box_at(4, 1, 0), box_at(0, 0, 0)));
        assert!(!overlap(box_at(0, 0, 0), box_at(0, 0, 2)), "behind it");
        assert!(overlap(box_at(0, 0, 0), side([0, 0, 0], [4, 3, 2], 11, 50).expect("side")), "other pitches");
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

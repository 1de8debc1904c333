//! Reads that are under way.

use crate::error::{RuntimeError, UserError};
use crate::memory::buffer::Buffer;
use crate::memory::host_access::AT_ONCE;
use crate::stream::command::{Side, rows};
use crate::stream::queue::Queue;
use timeline::{Point, Points};

/// A read of device data: what the buffer held at its place in the stream, whatever is written later.
pub struct PendingRead {
    queue: Queue,
    /// When the data is there.
    points: Points,
    data: Data,
    layout: Layout,
    size: u64,
}

enum Data {
    /// Already taken.
    Here(Vec<u8>),
    Staged(Buffer),
    Gone,
}

/// The destination of the bytes.
enum Layout {
    Packed,
    Rect { side: Side, region: [u64; 3] },
}

impl std::fmt::Debug for PendingRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingRead").field("points", &self.points).finish_non_exhaustive()
    }
}

impl Queue {
    /// Starts reading a range of a buffer: copies it to a place where later commands cannot change it.
    ///
    /// # Errors
    /// User for a range outside the buffer; Driver when Vulkan fails.
    pub fn begin_read(&self, buffer: &Buffer, offset: u64, size: u64) -> Result<PendingRead, RuntimeError> {
        let b = &buffer.inner;
        self.own(b)?;
        b.check_range("read", offset, size)?;
        let pending =
            |points, data| PendingRead { queue: self.clone(), points, data, layout: Layout::Packed, size };
        let stream = &self.inner.stream;
        let part = b.part()?;
        let at_once = size == 0
            || (size <= AT_ONCE
                && part.reach().reads_in_place(size, &b.device.tune)
                && stream.shared.last_write(&b.marks).is_empty()
                && self.sees(b)?);
        if at_once {
            let mut data = vec![0; usize::try_from(size).unwrap_or(0)];
            if size > 0 {
                b.device.memory.read(part, offset, &mut data)?;
            }
            return Ok(pending(Points::none(), Data::Here(data)));
        }
        let staging = stream.staging(size)?;
        let point = self.copy_behind(buffer, offset, &staging, 0, size)?;
        Ok(pending(point.into(), Data::Staged(staging)))
    }
}

/// Returns whether a box has no bytes between its rows: then it is copied as one, by several threads where it is large.
fn is_packed(side: &Side, [width, height, depth]: [u64; 3]) -> bool {
    side.first == 0 && side.row == width && (depth == 1 || side.slice == width * height)
}

impl PendingRead {
    pub(crate) fn of_rect(
        queue: &Queue,
        point: Point,
        staging: Buffer,
        side: Side,
        region: [u64; 3],
    ) -> Self {
        PendingRead {
            queue: queue.clone(),
            points: point.into(),
            data: Data::Staged(staging),
            layout: if is_packed(&side, region) { Layout::Packed } else { Layout::Rect { side, region } },
            size: region.iter().product(),
        }
    }

    /// The points after which it can be finished.
    #[must_use]
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Bytes from the start of the destination to the end of what [`finish`](Self::finish) writes there.
    #[must_use]
    pub fn span(&self) -> u64 {
        match &self.layout {
            Layout::Packed => self.size,
            Layout::Rect { side, .. } => side.end,
        }
    }

    /// Copies the data to its place in host memory; of a box, only its rows are written. The stream must have reached
    /// its [`points`](Self::points): else this waits for it, running no callbacks.
    ///
    /// # Errors
    /// User when `dst` is shorter than [`span`](Self::span); Driver when Vulkan fails.
    pub fn finish(mut self, dst: &mut [u8]) -> Result<(), RuntimeError> {
        let stream = &self.queue.inner.stream;
        self.queue.inner.streams.wait(&self.points)?;
        if (dst.len() as u64) < self.span() {
            let text = format!("a read of {} bytes into {} bytes of host memory", self.span(), dst.len());
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        let fetch = |from: u64, to: &mut [u8]| match &self.data {
            Data::Here(bytes) => {
                if let Some(bytes) = bytes.get(from as usize..from as usize + to.len()) {
                    to.copy_from_slice(bytes);
                }
                Ok(())
            }
            Data::Staged(staging) => stream.device.memory.read(staging.inner.part()?, from, to),
            Data::Gone => Err(RuntimeError::bug("a read finished twice")),
        };
        match &self.layout {
            Layout::Packed => fetch(0, dst.get_mut(..self.size as usize).unwrap_or_default())?,
            Layout::Rect { side, region: [width, height, depth] } => {
                for (index, (y, z)) in (0u64..).zip(rows(*height, *depth)) {
                    let start = side.at(y, z) as usize;
                    let row = dst.get_mut(start..start + *width as usize).unwrap_or_default();
                    fetch(index * width, row)?;
                }
            }
        }
        if let Data::Staged(staging) = std::mem::replace(&mut self.data, Data::Gone) {
            stream.give_staging(staging);
        }
        Ok(())
    }
}

//! Copies of buffers from one device to another through host memory that both reach (VK_EXT_external_memory_host).
//!
//! Vulkan shares memory between two GPUs only where their driver makes one device of them. Elsewhere the bytes cross the bus twice: the one
//! device copies a piece into host memory, and the other one copies it out, while the first is at the next piece. The host moves nothing.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use crate::device::logical::Device;
use crate::error::RuntimeError;
use crate::image::resource_use::Bytes;
use crate::memory::buffer::Buffer;
use crate::memory::svm::CommonMemory;
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use crate::sync::Mutex;
use timeline::Point;

/// Pieces of this size go through the bridge. At 25 GB/s one takes 0.3 ms, some ten times as long as to submit it.
const PIECE: u64 = 8 << 20;
/// The largest number of pieces under way.
const SLOTS: usize = 4;

/// Host memory for copies between the devices of a context. It is made at the first copy, and kept.
#[derive(Default)]
pub struct HostBridge {
    slots: Mutex<Vec<Slot>>,
}

/// The memory of one piece.
struct Slot {
    memory: Arc<CommonMemory>,
    /// Its buffers on the devices that have used it.
    ends: Vec<(Device, Buffer)>,
    /// The copy that last read it.
    read_by: Option<(Queue, Point)>,
}

impl std::fmt::Debug for HostBridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBridge").finish_non_exhaustive()
    }
}

impl HostBridge {
    /// Copies a range of bytes between buffers of two devices. It is behind what is recorded for either buffer, and ahead of what is recorded
    /// for the target from now on, in any of its device's streams. Waits for the source's device alone.
    ///
    /// # Errors
    /// Unsupported where a device cannot reach the memory; nothing is copied then. User for ranges outside the buffers; Driver when Vulkan
    /// fails.
    pub fn copy(
        &self,
        (from, source): (&Queue, &Buffer),
        (to, target): (&Queue, &Buffer),
        range: Range<u64>,
    ) -> Result<(), RuntimeError> {
        let size = range.end.saturating_sub(range.start);
        source.inner.check_range("copy, source", range.start, size)?;
        target.inner.check_range("copy, destination", range.start, size)?;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces: Vec<Range<u64>> = (range.start..range.end)
            .step_by(PIECE as usize)
            .map(|at| at..range.end.min(at + PIECE))
            .collect();
        let used = SLOTS.min(pieces.len());
        while slots.len() < used {
            slots.push(Slot::new()?);
        }
        for slot in slots.iter_mut().take(used) {
            slot.end(from)?;
            slot.end(to)?;
        }
        // The pieces that are on their way into the bridge.
        let mut filled: Vec<Point> = Vec::with_capacity(pieces.len());
        for next in 0..pieces.len() + used {
            if let Some(done) = next.checked_sub(used) {
                from.wait_only(filled[done])?;
                slots[done % used].drain((to, target), &pieces[done])?;
            }
            if let Some(piece) = pieces.get(next) {
                filled.push(slots[next % used].fill((from, source), piece)?);
            }
        }
        Ok(())
    }
}

impl Slot {
    fn new() -> Result<Self, RuntimeError> {
        let memory = CommonMemory::new(PIECE)
            .ok_or_else(|| RuntimeError::unsupported("there is no memory for copies between devices"))?;
        Ok(Slot { memory, ends: Vec::new(), read_by: None })
    }

    /// The slot as a buffer of a stream's device.
    fn end(&mut self, stream: &Queue) -> Result<Buffer, RuntimeError> {
        let device = stream.device();
        if let Some((_, buffer)) = self.ends.iter().find(|(other, _)| other == device) {
            return Ok(buffer.clone());
        }
        let buffer = device.reach_common(&self.memory, false)?;
        self.ends.push((device.clone(), buffer.clone()));
        Ok(buffer)
    }

    /// Sends a piece of a buffer into the slot, when what was in it has been read.
    fn fill(
        &mut self,
        (stream, source): (&Queue, &Buffer),
        piece: &Range<u64>,
    ) -> Result<Point, RuntimeError> {
        if let Some((reader, point)) = self.read_by.take() {
            reader.wait_only(point)?;
        }
        let buffer = self.end(stream)?;
        let size = piece.end - piece.start;
        let (from, to) = (Bytes::new(&source.inner, piece.start, size), Bytes::new(&buffer.inner, 0, size));
        let point = stream.perform(&Command::Copy { from, to })?;
        stream.inner.stream.submit_up_to(point.value)?;
        Ok(point)
    }

    /// Sends what is in the slot into a buffer.
    fn drain(&mut self, (stream, target): (&Queue, &Buffer), piece: &Range<u64>) -> Result<(), RuntimeError> {
        let buffer = self.end(stream)?;
        let size = piece.end - piece.start;
        let (from, to) = (Bytes::new(&buffer.inner, 0, size), Bytes::new(&target.inner, piece.start, size));
        let point = stream.perform(&Command::Copy { from, to })?;
        self.read_by = Some((stream.clone(), point));
        stream.begins_with(target, point)
    }
}

//! What was ever written of a buffer, for the checking mode: kernels report reads of the rest.
//!
//! Ranges that commands write are noted here. Kernels note what they write in a **record**, a buffer on the device with a byte of ones for each byte
//! that was written. It is made for the first launch that uses a buffer of which not all was written. A launch works on a copy of it in its printf
//! buffer (`lower/src/passes/check/insert_checks/contents.rs`).
//!
//! Everything counts as written from the time when something is not known: a command that does not say what it writes, a kernel without code for
//! it, or two streams that use the buffer.

use std::ops::Range;
use std::sync::PoisonError;

use vk_runtime::sync::Mutex;
use vk_runtime::{Buffer, BufferUse, Queue};

use crate::abi::error::ClResult;

/// The largest buffer that has a record, in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// The part of a buffer that was written.
pub(crate) struct Contents(Option<Mutex<State>>);

struct State {
    size: u64,
    /// All was written, or may have been.
    all: bool,
    /// Written by commands: ascending, apart from each other.
    known: Vec<Range<u64>>,
    /// The record, and the stream whose launches use it.
    record: Option<(Buffer, u32)>,
}

impl Contents {
    /// Of a buffer of so many bytes, if it is `watched`.
    pub(crate) fn new(size: u64, watched: bool) -> Self {
        let watched = watched && size <= MAX_SIZE;
        Contents(watched.then(|| Mutex::new(State { size, all: false, known: Vec::new(), record: None })))
    }

    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> Option<T> {
        let state = self.0.as_ref()?;
        Some(look(&mut state.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Notes that all of it may have been written.
    pub(crate) fn all_written(&self) {
        self.state(State::set_all);
    }

    /// Notes that a command of a stream writes a range.
    ///
    /// # Errors
    /// What the fill of the record gives.
    pub(crate) fn written(&self, stream: &Queue, range: Range<u64>) -> ClResult<()> {
        let filled = self.state(|state| state.note(stream, range));
        filled.unwrap_or(Ok(()))
    }

    /// Notes that a command of a stream copies `size` bytes from a place of other contents.
    ///
    /// # Errors
    /// As [`written`](Self::written).
    pub(crate) fn copied(
        &self,
        stream: &Queue,
        (to, size): (u64, u64),
        (from, at): (&Contents, u64),
    ) -> ClResult<()> {
        if self.0.is_none() || std::ptr::eq(self, from) {
            self.all_written();
            return Ok(());
        }
        // Kernels' writes to the source are in its record alone: what they wrote counts as copied.
        let gaps = from.state(|state| {
            let known = state.all || state.record.is_some();
            if known { Vec::new() } else { state.gaps(at..at + size) }
        });
        let mut start = to;
        for gap in gaps.unwrap_or_default() {
            let (gap_start, gap_end) = (to + gap.start - at, to + gap.end - at);
            self.written(stream, start..gap_start)?;
            start = gap_end;
        }
        self.written(stream, start..to + size)
    }

    /// The record for a launch in a stream; none if all was written.
    ///
    /// # Errors
    /// What a buffer and its first contents give.
    pub(crate) fn record(&self, stream: &Queue) -> ClResult<Option<Buffer>> {
        self.state(|state| state.record(stream)).unwrap_or(Ok(None))
    }
}

impl State {
    fn set_all(&mut self) {
        self.all = true;
        self.known = Vec::new();
        self.record = None;
    }

    fn note(&mut self, stream: &Queue, range: Range<u64>) -> ClResult<()> {
        if self.all || range.is_empty() {
            return Ok(());
        }
        let (mut start, mut end) = (range.start, range.end);
        self.known.retain(|known| {
            let apart = known.end < start || end < known.start;
            if !apart {
                (start, end) = (start.min(known.start), end.max(known.end));
            }
            apart
        });
        let at = self.known.partition_point(|known| known.start < start);
        self.known.insert(at, start..end);
        if start == 0 && end >= self.size {
            self.set_all();
        } else if let Some((record, of)) = &self.record {
            if *of == stream.stream() {
                stream.fill_buffer(record, range.start, range.end - range.start, &[0xff])?;
            } else {
                self.set_all();
            }
        }
        Ok(())
    }

    /// The parts of a range that no command wrote.
    fn gaps(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let (mut gaps, mut start) = (Vec::new(), range.start);
        for known in self.known.iter().filter(|known| known.start < range.end && range.start < known.end) {
            if start < known.start {
                gaps.push(start..known.start);
            }
            start = start.max(known.end);
        }
        if start < range.end {
            gaps.push(start..range.end);
        }
        gaps
    }

    fn record(&mut self, stream: &Queue) -> ClResult<Option<Buffer>> {
        if self.all {
            return Ok(None);
        }
        if let Some((record, of)) = &self.record {
            if *of == stream.stream() {
                return Ok(Some(record.clone()));
            }
            self.set_all();
            return Ok(None);
        }
        let mut bytes = vec![0u8; usize::try_from(self.size).unwrap_or(0)];
        for known in &self.known {
            let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(bytes.len());
            let (start, end) = (at(known.start), at(known.end));
            bytes[start..end].fill(0xff);
        }
        let record = stream.device().create_buffer(self.size, BufferUse::Device)?;
        stream.initialize(&record, 0, &bytes)?;
        self.record = Some((record.clone(), stream.stream()));
        Ok(Some(record))
    }
}

//! Large amounts of host data: copied by several threads, and piece by piece through staging memory where the host does not
//! reach a buffer, so that the device copies some pieces while the host copies others.
//!
//! One thread copies at a quarter of what a bus to a GPU carries. Pieces are small enough that the host's half of the way ends in
//! its caches.

use crate::process::parallel_copy::THREADED;
use crate::process::parallel_copy::side_by_side;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use crate::error::RuntimeError;
use crate::image::resource_use::Bytes;
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use timeline::Point;

/// Bytes of the largest piece, and of the smallest one.
pub(crate) const PIECE: usize = 4 << 20;
const SMALL_PIECE: usize = 512 << 10;
/// A transfer has so many pieces where their size allows it: the first and the last one are what the device and the host do not do
/// at the same time.
const PIECES: usize = 8;
/// This many pieces of a thread are on their way at a time.
const UNDER_WAY: usize = 3;

/// Bytes of a piece of a transfer.
pub(crate) fn piece_of(size: usize) -> usize {
    (size / PIECES).next_power_of_two().clamp(SMALL_PIECE, PIECE)
}

/// Pieces with their offsets in a buffer, which threads take in turn.
pub(crate) struct Pieces<P> {
    left: Mutex<VecDeque<(u64, P)>>,
    threads: usize,
}

impl<P: Send> Pieces<P> {
    /// `piece`: the size of all but the last.
    pub(crate) fn new(offset: u64, piece: usize, pieces: impl Iterator<Item = P>, threads: usize) -> Self {
        let left: VecDeque<_> = (0u64..).map(|i| offset + i * piece as u64).zip(pieces).collect();
        let threads = if left.len() * piece < THREADED { 1 } else { threads.min(left.len()) };
        Pieces { left: Mutex::new(left), threads }
    }

    pub(crate) fn next(&self) -> Option<(u64, P)> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// The highest value of what the threads give, or the first error.
    pub(crate) fn work(
        &self,
        work: impl Fn() -> Result<u64, RuntimeError> + Sync,
    ) -> Result<u64, RuntimeError> {
        let results = side_by_side(self.threads, work);
        if self.next().is_some() {
            // Threads end early on errors alone.
            results
                .into_iter()
                .find(Result::is_err)
                .unwrap_or_else(|| Err(RuntimeError::bug("pieces are left")))
        } else {
            results.into_iter().try_fold(0, |last, value| Ok(last.max(value?)))
        }
    }
}

impl Queue {
    /// Writes through staging memory; the value of the last piece. The data has been taken when this returns.
    pub(crate) fn write_pieces(
        &self,
        b: &Arc<BufferInner>,
        offset: u64,
        data: &[u8],
    ) -> Result<Point, RuntimeError> {
        let whole = piece_of(data.len());
        let pieces = Pieces::new(offset, whole, data.chunks(whole), b.device.copy_threads);
        let stream = &self.inner.stream;
        let last = pieces.work(|| {
            let (mut under_way, mut value) = (VecDeque::new(), 0);
            while let Some((at, piece)) = pieces.next() {
                if under_way.len() >= UNDER_WAY
                    && let Some(oldest) = under_way.pop_front()
                {
                    stream.wait(oldest)?;
                }
                let size = piece.len() as u64;
                let staging = stream.staging(size)?;
                b.device.memory.write(staging.inner.part()?, 0, piece)?;
                value = self
                    .transfer(|state| {
                        let from = Bytes::new(&staging.inner, 0, size);
                        state.perform(&Command::Copy { from, to: Bytes::new(b, at, size) })?;
                        state.open()?.0.return_later(staging);
                        Ok(())
                    })?
                    .value;
                if piece.len() == whole {
                    // The device works on this piece while the next one is staged.
                    stream.submit_up_to(value)?;
                }
                under_way.push_back(value);
            }
            Ok(value)
        });
        last.map(|value| self.point(value))
    }

    /// Reads through staging memory.
    pub(crate) fn read_pieces(
        &self,
        b: &Arc<BufferInner>,
        offset: u64,
        data: &mut [u8],
    ) -> Result<(), RuntimeError> {
        let whole = piece_of(data.len());
        let pieces = Pieces::new(offset, whole, data.chunks_mut(whole), b.device.copy_threads);
        let stream = &self.inner.stream;
        let fetch = |(value, staging, piece): (u64, Buffer, &mut [u8])| {
            stream.wait(value)?;
            b.device.memory.read(staging.inner.part()?, 0, piece)?;
            stream.give_staging(staging);
            Ok(())
        };
        let done = pieces.work(|| {
            let mut under_way = VecDeque::new();
            while let Some((at, piece)) = pieces.next() {
                if under_way.len() >= UNDER_WAY
                    && let Some(oldest) = under_way.pop_front()
                {
                    fetch(oldest)?;
                }
                let size = piece.len() as u64;
                let staging = stream.staging(size)?;
                let (from, to) = (Bytes::new(b, at, size), Bytes::new(&staging.inner, 0, size));
                let value = self.perform(&Command::Copy { from, to })?.value;
                stream.submit_up_to(value)?;
                under_way.push_back((value, staging, piece));
            }
            under_way.into_iter().try_for_each(fetch)?;
            Ok(0)
        });
        done.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::parallel_copy::copy;

    #[test]
    fn several_threads_copy_everything() {
        let size = THREADED + 12345;
        let from: Vec<u8> = (0..size).map(|i| (i / 3) as u8).collect();
        let mut to = vec![0; size];
        // SAFETY: two vectors of the size.
        unsafe { copy(from.as_ptr(), to.as_mut_ptr(), size, 3) };
        assert!(from == to);
    }

    #[test]
    fn pieces_have_their_offsets() {
        let data = vec![0u8; PIECE * 2 + 5];
        let pieces = Pieces::new(100, PIECE, data.chunks(PIECE), 4);
        let found: Vec<_> = std::iter::from_fn(|| pieces.next()).map(|(at, p)| (at, p.len())).collect();
        let piece = PIECE as u64;
        assert_eq!(found, [(100, PIECE), (100 + piece, PIECE), (100 + 2 * piece, 5)]);
        assert_eq!(pieces.threads, 3, "one for each piece");
        assert_eq!(Pieces::new(0, PIECE, data[..9].chunks(PIECE), 4).threads, 1);
    }

    #[test]
    fn pieces_are_a_part_of_the_whole() {
        assert_eq!([1, 3 << 20, 12 << 20, 1 << 30].map(piece_of), [SMALL_PIECE, SMALL_PIECE, 2 << 20, PIECE]);
    }

    #[test]
    fn errors_come_out() {
        let data = vec![0u8; PIECE * 3];
        let pieces = Pieces::new(0, PIECE, data.chunks(PIECE), 2);
        let failing = || match pieces.next() {
            Some((0, _)) => Err(RuntimeError::bug("first")),
            Some((at, _)) => Ok(at),
            None => Ok(0),
        };
        assert!(pieces.work(failing).is_err());
    }
}

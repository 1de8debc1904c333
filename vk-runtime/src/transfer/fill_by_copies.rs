//! Fills by copies, on devices that are CPUs.
//!
//! There a copy runs at the speed of memory, and a kernel stores the lanes of a vector one by one (llvmpipe of Mesa 22.3: 64 MiB by
//! stores of 16 bytes take six times as long). The pattern, a few times over, is copied to the front; what is there is
//! copied behind itself until it is a block that a core's cache holds; then the block is copied to all the rest. Any alignment,
//! any length of the pattern, and no pipeline to compile.

use crate::error::RuntimeError;
use crate::image::resource_use::Bytes;
use crate::memory::buffer::Buffer;
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use crate::transfer::kernel_copies::small;
use timeline::Point;

/// Bytes that come from the host.
const SEED: usize = 4 << 10;
/// Bytes that are copied again and again.
const BLOCK: u64 = 256 << 10;

impl Queue {
    /// Returns whether fills that Vulkan does not have are done so: not where copies are known to be slow.
    pub(crate) fn fills_by_copies(&self) -> bool {
        let device = self.device_inner();
        device.target.features.is_cpu && !device.slow_copies
    }

    /// Fills a range with a pattern. The range was checked, and is not empty.
    pub(crate) fn fill_by_copies(
        &self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<Point, RuntimeError> {
        let b = &buffer.inner;
        let whole = pattern.repeat(SEED.div_ceil(pattern.len()));
        let seed = &whole[..usize::try_from(size).map_or(whole.len(), |s| s.min(whole.len()))];
        self.transfer(|state| {
            state.behind_origin(&b.marks)?;
            let (source, at) = small(state, seed, self)?;
            let mut done = seed.len() as u64;
            let from = Bytes::new(&source, at, done);
            state.perform(&Command::Copy { from, to: Bytes::new(b, offset, done) })?;
            // Whole patterns, so that each copy begins with one.
            let mut block = done;
            while done < size {
                let count = block.min(size - done);
                let (from, to) = (Bytes::new(b, offset, count), Bytes::new(b, offset + done, count));
                state.perform(&Command::Copy { from, to })?;
                done += count;
                if block < BLOCK {
                    block = done;
                }
            }
            Ok(())
        })
    }
}

//! Iterations without the host: a kernel of the library sorts the packets that a generation wrote, and the dispatches of the next one take their numbers
//! of work-groups from memory ([`vk_runtime::Queue::iterations`]).
//!
//! The dispatches are recorded with work-group sizes that earlier kernels of each block had. A generation with other sizes, with events,
//! wait lists, markers, local arguments, or blocks that the host looks after, is left to the host with all its packets.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use lower::enqueue::SCHEDULER;
use lower::enqueue::layout::THREADS;
use vk_runtime::{DispatchExtras, NdRange, Repeat, Sequence};

use super::arena::Arena;
use crate::abi::error::ClResult;
use crate::kernel::prepared::{Objects, Prepared, touches};
use crate::program::executable::{BlockSize, Executable, Form};

/// The iterations of the first submission: most launches have few generations, and iterations without kernels take time, too.
const FIRST_ITERATIONS: u32 = 2;
/// The most iterations of a submission.
const MAX_ITERATIONS: u32 = 128;
/// Iterations that take longer are followed by fewer, in nanoseconds: the host is to look at a launch now and then.
const LONG: u64 = 100_000_000;

/// Iterations without the host of a launch.
pub(super) struct Indirect {
    executable: Arc<Executable>,
    blocks: usize,
    most_groups: u32,
    /// The launch can have such iterations.
    possible: bool,
    iterations: u32,
    /// When the last ones were submitted, by the host's clock.
    since: Option<u64>,
    recorded: Option<Recorded>,
}

/// Iterations that were recorded.
struct Recorded {
    sizes: Vec<Option<BlockSize>>,
    iterations: u32,
    sequence: Sequence,
}

impl Indirect {
    /// Of a launch with so many blocks and queues.
    pub(super) fn new(executable: &Arc<Executable>, (blocks, queues): (u32, u32), most_groups: u32) -> Self {
        let scheduler = executable.info(SCHEDULER);
        // Drivers that end loops end none of so few iterations.
        let by_itself = scheduler.is_some_and(|info| !info.takes_buffer() && info.iterations.is_none());
        Indirect {
            executable: executable.clone(),
            blocks: blocks as usize,
            most_groups,
            possible: by_itself && blocks <= THREADS && queues <= THREADS,
            iterations: FIRST_ITERATIONS,
            since: None,
            recorded: None,
        }
    }

    /// Notes the size of a block's work-groups.
    pub(super) fn note(&self, block: u32, new: BlockSize) {
        let mut sizes = self.executable.block_sizes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sizes.entry(block).or_insert(new);
        // A size that serves any NDRange stays, but that of single work-items.
        if !known.any || known.size == [1; 3] {
            *known = new;
        }
    }

    /// The iterations that were submitted have ended, of which so many launched kernels. `halted`: what comes next needs the host. False if there were
    /// none.
    pub(super) fn ended(&mut self, generations: u32, halted: bool, now: u64) -> bool {
        let Some(since) = self.since.take() else { return false };
        if generations == 0 && halted {
            self.executable.needs_host.store(true, Ordering::Relaxed);
        }
        self.iterations = match generations {
            0 => FIRST_ITERATIONS,
            _ if now.saturating_sub(since) > LONG => (self.iterations / 2).max(FIRST_ITERATIONS),
            _ if generations >= self.iterations => (4 * self.iterations).min(MAX_ITERATIONS),
            // They met kernels that need the host.
            _ => (2 * generations).clamp(FIRST_ITERATIONS, self.iterations),
        };
        true
    }

    /// Returns whether iterations may follow the launch of the host: in none before did they meet kernels at once that need the host.
    pub(super) fn may_follow(&self) -> bool {
        !self.executable.needs_host.load(Ordering::Relaxed)
    }

    /// The iterations to submit behind what was recorded; `None` where the host launches the next generation. No kernel uses the arena.
    ///
    /// # Errors
    /// What writing and recording give.
    pub(super) fn sequence(
        &mut self,
        (arena, base): (&Arena, u64),
        stream: &vk_runtime::Queue,
        now: u64,
    ) -> ClResult<Option<&Sequence>> {
        if !self.possible {
            return Ok(None);
        }
        let sizes: Vec<Option<BlockSize>> = {
            let known = self.executable.block_sizes.lock().unwrap_or_else(PoisonError::into_inner);
            (0..self.blocks).map(|n| known.get(&(n as u32)).copied()).collect()
        };
        if sizes.iter().all(Option::is_none) {
            return Ok(None);
        }
        let as_recorded = self
            .recorded
            .as_ref()
            .is_some_and(|known| known.sizes == sizes && known.iterations == self.iterations);
        if !as_recorded {
            let places = arena.write_blocks(&sizes, self.most_groups)?;
            let sequence = self.record((arena, base), stream, &sizes, &places)?;
            let iterations = self.iterations;
            self.recorded = sequence.map(|sequence| Recorded { sizes, iterations, sequence });
        }
        self.possible = self.recorded.is_some();
        self.since = Some(now).filter(|_| self.possible);
        Ok(self.recorded.as_ref().map(|known| &known.sequence))
    }

    fn record(
        &self,
        (arena, base): (&Arena, u64),
        stream: &vk_runtime::Queue,
        sizes: &[Option<BlockSize>],
        places: &[u64],
    ) -> ClResult<Option<Sequence>> {
        let make = |prepared: Prepared, size: [u64; 3]| -> ClResult<Option<Repeat>> {
            let range = NdRange {
                work_dim: 3,
                global_offset: [0; 3],
                global_size: size,
                local_size: Some(size),
                non_uniform: false,
                chosen: false,
            };
            let whole = [((None, arena.buffer().clone(), 0, arena.buffer().size()), true)];
            let objects = Objects::new();
            let values = prepared.values(&objects)?;
            let touched = touches(&whole);
            let extras = DispatchExtras { touches: &touched, lasting: true, ..Default::default() };
            Ok(stream.repeat(&prepared.kernel, &values, &range, &extras)?)
        };
        let (record, none) = ((arena.address, base), std::iter::empty);
        let scheduler = Prepared::of_block(&self.executable, SCHEDULER, Form::default(), record, none())?;
        let Some(first) = make(scheduler, [THREADS.into(), 1, 1])? else { return Ok(None) };
        let mut others = Vec::new();
        for (n, (known, place)) in (0..).zip(sizes.iter().zip(places)) {
            let Some(known) = known else { continue };
            let header = (arena.address.wrapping_add(*place), base);
            let block = Prepared::of_batch(&self.executable, n, header, none())?;
            let Some(launch) = make(block, known.size.map(u64::from))? else { return Ok(None) };
            others.push((launch, *place));
        }
        Ok(stream.iterations(first, others, arena.buffer(), self.iterations)?)
    }
}

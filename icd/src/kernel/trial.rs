//! Trials: launches of kernels with barriers whose loops iterate as often as memory says.
//!
//! Mesa's llvmpipe before version 25 ends loops that iterate too often (`lower::KernelInfo::may_be_ended`). A launch as single vectors is
//! right however often they iterate, but slower. A trial therefore copies what the kernel may write, and launches it as it is. If the driver
//! ended loops, the host puts the copy back, and launches again as single vectors. Later launches of that kernel begin so.
//!
//! The copy has a price. After the first launch of a kernel only those have trials in which it is less than 3 % of the kernel's time, and
//! every sixteenth. Loops that the driver ends in others fail them, with a message.

use std::time::Instant;

use lower::kernel_info::ArgKind;
use lower::printf::LOOPS_ENDED;
use smallvec::SmallVec;
use vk_runtime::{Buffer, BufferUse, read_area};

use crate::abi::error::ClResult;
use crate::kernel::prepared::{Object, Objects, Prepared};
use crate::program::trials::Known;

/// The largest copy of a trial, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The time of a trial without its copy, in nanoseconds.
const OVERHEAD: u64 = 40_000;
/// The speed of copies, in bytes per nanosecond.
const BYTES_IN_NANOSECOND: u64 = 4;
/// A trial may take the kernel's time divided by this.
const PART: u64 = 33;
/// Every launch whose number is a multiple of this has a trial.
const EVERY: u32 = 16;
/// The largest copy, in bytes, whose memory is kept for the next trial.
const LARGEST_KEPT: u64 = 16 << 20;

/// A part of a buffer: its first byte and its size.
pub(crate) type Written = (Buffer, u64, u64);

/// The form of a launch whose loops the driver may end.
pub(crate) enum Choice {
    /// It is tried, after a copy of these parts.
    Tried(SmallVec<[Written; 4]>),
    SingleVectors,
    /// It runs as it is, without a copy.
    Untried,
}

/// Chooses a trial, or that there is none this time. `None`: the launch may write more than buffers among its arguments, such as variables at
/// program scope, or too much for a trial.
pub(crate) fn written(prepared: &Prepared, objects: &Objects) -> Option<Choice> {
    let info = prepared.kernel.info();
    let is_object =
        |arg: &&lower::kernel_info::ArgInfo| matches!(arg.kind, ArgKind::Buffer { .. } | ArgKind::Image(_));
    let kinds: SmallVec<[&ArgKind; 8]> = info.args.iter().filter(is_object).map(|arg| &arg.kind).collect();
    if kinds.len() != objects.len() || !info.printf.is_empty() || info.uses_globals() {
        return None;
    }
    let mut all = SmallVec::new();
    for (kind, object) in kinds.into_iter().zip(objects) {
        match (kind, object) {
            (ArgKind::Buffer { written: false, .. }, Object::Buffer(..)) => {}
            (ArgKind::Buffer { .. }, Object::Buffer(buffer, start, size)) => {
                all.push((buffer.clone(), *start, *size));
            }
            (ArgKind::Image(image), Object::Image(_))
                if image.access == lower::kernel_info::ImageAccess::ReadOnly => {}
            _ => return None,
        }
    }
    let bytes: u64 = all.iter().map(|(_, _, size)| size).sum();
    let times = |known: &mut Known| {
        known.launches = known.launches.wrapping_add(1);
        let price = OVERHEAD + bytes / BYTES_IN_NANOSECOND;
        known.launches == 1
            || known.launches.is_multiple_of(EVERY)
            || price.saturating_mul(PART) <= known.time
    };
    if bytes > MAX_BYTES {
        return None;
    }
    Some(match prepared.executable.trials.with(&info.name, times) {
        true => Choice::Tried(all),
        false => Choice::Untried,
    })
}

/// A copy of what a launch may write.
pub(crate) struct Copy {
    parts: SmallVec<[Written; 4]>,
    copy: Option<Buffer>,
    begun: Instant,
}

impl Copy {
    /// Records the copy.
    ///
    /// # Errors
    /// As of copies.
    pub(crate) fn new(
        prepared: &Prepared,
        stream: &vk_runtime::Queue,
        parts: SmallVec<[Written; 4]>,
    ) -> ClResult<Self> {
        let bytes: u64 = parts.iter().map(|(_, _, size)| size.next_multiple_of(16)).sum();
        let spare = prepared.executable.trials.with(&prepared.kernel.info().name, |known| known.spare.take());
        let copy = match spare.filter(|spare| spare.size() >= bytes) {
            _ if bytes == 0 => None,
            Some(spare) => Some(spare),
            None => Some(stream.device().create_buffer(bytes, BufferUse::Device)?),
        };
        let made = Copy { parts, copy, begun: Instant::now() };
        made.each(|(buffer, start, size), copy, at| {
            Ok(stream.copy_buffer(buffer, *start, copy, at, *size).map(drop)?)
        })?;
        Ok(made)
    }

    fn each(&self, mut what: impl FnMut(&Written, &Buffer, u64) -> ClResult<()>) -> ClResult<()> {
        let Some(copy) = &self.copy else { return Ok(()) };
        let mut at = 0;
        for part in self.parts.iter().filter(|(_, _, size)| *size > 0) {
            what(part, copy, at)?;
            at += part.2.next_multiple_of(16);
        }
        Ok(())
    }

    /// Returns whether the driver ended loops of the launch, which is complete. If it did, the memory has its contents from before the launch.
    ///
    /// # Errors
    /// As of copies.
    pub(crate) fn finish(
        self,
        prepared: &Prepared,
        stream: &vk_runtime::Queue,
        header: &Buffer,
    ) -> ClResult<bool> {
        let mut flag = [0; 4];
        read_area(stream, header, 4 * LOOPS_ENDED as u64, &mut flag)?;
        let ended = flag != [0; 4];
        let time = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if ended {
            self.each(|(buffer, start, size), copy, at| {
                Ok(stream.copy_buffer(copy, at, buffer, *start, *size).map(drop)?)
            })?;
            stream.wait_only(stream.flush()?)?;
        }
        prepared.executable.trials.with(&prepared.kernel.info().name, |known| {
            known.ended |= ended;
            known.time = if known.time == 0 {
                time
            } else {
                (known.time / 8).saturating_mul(7).saturating_add(time / 8)
            };
            known.spare = self.copy.filter(|copy| copy.size() <= LARGEST_KEPT);
        });
        Ok(ended)
    }
}

//! Launches of kernels that go on where the driver ended their loops ([`KernelInfo::resumes`]).
//!
//! A launch of that kind is made dispatch by dispatch: its work-items are counted in each. The launch's buffer has room for what those of one
//! dispatch save, and for the local memory of their work-groups ([`lower::printf::AREA_START`]), and says whether some did. Then the kernel that goes on is dispatched with the same work-groups, until
//! none is left, and the next dispatch comes.

use lower::KernelInfo;
use lower::kernel_info::ArgKind;
use lower::printf::{AREA_ITEMS, AREA_START, LOOPS_ENDED};

use crate::error::RuntimeError;
use crate::kernel::arguments::ArgValue;
use crate::kernel::ndrange::{Cursor, NdRange, Plan, Split};
use crate::kernel::program::Kernel;
use crate::launch::dispatch::DispatchExtras;
use crate::launch::recording::dispatch_parts;
use crate::memory::buffer::Buffer;
use crate::process::clock::{host_time, nanos};
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::Point;

/// The save area of a dispatch has at most this many bytes, unless one work-group takes more.
const MAX_BYTES: u64 = 64 << 20;
/// The alignment of a work-group's local memory in the save area.
const LOCAL_ALIGN: u64 = 16;

/// A launch of such a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Resumable<'a> {
    /// The kernel that begins.
    pub kernel: &'a Kernel,
    /// The arguments, the launch's buffer among them.
    pub args: &'a [ArgValue<'a>],
    /// The work-items.
    pub range: &'a NdRange,
    /// The other memory that the kernel touches.
    pub extras: &'a DispatchExtras<'a>,
    /// The launch's buffer.
    pub buffer: &'a Buffer,
}

/// The size of a launch's save area: that of its largest dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SaveArea {
    /// The number of work-items for which it has room.
    pub items: u32,
    /// The bytes for the local memory of their work-groups, a multiple of 16.
    pub local: u64,
}

impl SaveArea {
    /// The first byte of the rows in a buffer with so many bytes for text. The local memory is between them.
    #[must_use]
    pub fn rows(&self, text: u64) -> u64 {
        text.next_multiple_of(LOCAL_ALIGN) + self.local
    }

    /// The bytes of a buffer with so many bytes for text.
    #[must_use]
    pub fn buffer_bytes(&self, info: &KernelInfo, text: u64) -> u64 {
        match self.items {
            0 => text,
            _ => self.rows(text) + u64::from(self.items) * item_bytes(info),
        }
    }

    /// The bytes to write at [`rows`](Self::rows) before a launch: no work-item has saved anything.
    #[must_use]
    pub fn no_states(&self) -> Vec<u8> {
        vec![0; 4 * self.items as usize]
    }
}

/// The bytes that a work-item saves.
fn item_bytes(info: &KernelInfo) -> u64 {
    4 * (1 + u64::from(info.resumes.unwrap_or(0)))
}

/// The bytes of a work-group's local memory in the save area, with these arguments.
fn group_bytes(info: &KernelInfo, args: &[ArgValue<'_>]) -> u64 {
    let Some(variables) = info.saved_local else { return 0 };
    let arguments = info.args.iter().zip(args).map(|(arg, value)| match (&arg.kind, value) {
        (ArgKind::Local { spec_id: Some(_), unit, .. }, ArgValue::Local(bytes)) => {
            let unit = u64::from((*unit).max(1));
            bytes.div_ceil(unit).max(1).saturating_mul(unit).next_multiple_of(LOCAL_ALIGN)
        }
        _ => 0,
    });
    u64::from(variables).next_multiple_of(LOCAL_ALIGN) + arguments.sum::<u64>()
}

/// The start of a launch's buffer, of which so many bytes are for the header, the entries of checks and text. A save area is behind them.
#[must_use]
pub fn area_header(info: &KernelInfo, text: u64, area: SaveArea) -> Vec<u8> {
    let mut header = info.printf.header_bytes(text).to_vec();
    let mut set = |word: usize, value: u64| {
        let value = u32::try_from(value).unwrap_or(0);
        header[4 * word..][..4].copy_from_slice(&value.to_le_bytes());
    };
    set(AREA_START, area.rows(text) / 4);
    set(AREA_ITEMS, area.items.into());
    // No check has found a fault.
    header.resize(4 * info.printf.first_record(), 0);
    header
}

/// Writes to a launch's buffer that no launch uses, at once where the host reaches its memory.
///
/// # Errors
/// As [`Queue::write_buffer`].
pub fn write_area(queue: &Queue, buffer: &Buffer, at: u64, bytes: &[u8]) -> Result<(), RuntimeError> {
    let Some(memory) = reached(buffer, at, bytes.len()) else {
        return queue.write_buffer(buffer, at, bytes).map(drop);
    };
    // SAFETY: mapped memory of so many bytes; the device does not use it by the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
    buffer.flush_host(at..at + bytes.len() as u64)
}

/// Reads from a launch's buffer that no launch uses any more.
///
/// # Errors
/// As [`Queue::read_buffer`].
pub fn read_area(queue: &Queue, buffer: &Buffer, at: u64, bytes: &mut [u8]) -> Result<(), RuntimeError> {
    let Some(memory) = reached(buffer, at, bytes.len()) else { return queue.read_buffer(buffer, at, bytes) };
    // SAFETY: as in `write_area`.
    unsafe { std::ptr::copy_nonoverlapping(memory, bytes.as_mut_ptr(), bytes.len()) };
    Ok(())
}

/// Returns where the host reaches these bytes of a buffer without further ado.
fn reached(buffer: &Buffer, at: u64, length: usize) -> Option<*mut u8> {
    let inside = at.checked_add(length as u64).is_some_and(|end| end <= buffer.size());
    let memory = buffer.host_ptr().filter(|_| inside && buffer.is_coherent() && buffer.is_cached())?;
    Some(memory.wrapping_add(usize::try_from(at).ok()?))
}

/// A dispatch of a launch: the work-groups that are alike, and those of them.
type Step = (Plan, Split);

/// The dispatches. None saves more bytes than these, unless one work-group does: so many for an invocation and for a work-group. `looped`:
/// [`KernelInfo::work_item_loops`].
fn steps(plan: &Plan, max: [u32; 3], most: u64, (bytes, looped): ((u64, u64), Option<u32>)) -> Vec<Step> {
    let (item, group) = bytes;
    let mut all = Vec::new();
    for plan in std::iter::once(*plan).chain(plan.remainders()) {
        let bytes = items_of(&plan, looped).saturating_mul(item).saturating_add(group);
        let mut cursor = Cursor::new(&plan, max);
        while let Some(split) = cursor.next((most / bytes.max(1)).max(1)) {
            all.push((plan, split));
        }
    }
    all
}

/// The invocations of a work-group.
fn items_of(plan: &Plan, looped: Option<u32>) -> u64 {
    let items = plan.local.iter().map(|n| u64::from(*n)).product();
    looped.map_or(items, |most| items.min(most.into()))
}

impl Queue {
    /// The save area that a launch of a kernel needs: none if the kernel does not resume.
    ///
    /// # Errors
    /// User when the NDRange is wrong.
    pub fn save_area(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<SaveArea, RuntimeError> {
        let info = kernel.info();
        if info.resumes.is_none() {
            return Ok(SaveArea::default());
        }
        let limits = &self.device().target().limits;
        let plan = Plan::new(range, kernel.inner.wishes(), limits)?;
        let (item, group) = (item_bytes(info), group_bytes(info, args));
        let looped = info.work_item_loops;
        let steps = steps(&plan, limits.max_compute_work_group_count, MAX_BYTES, ((item, group), looped));
        let items =
            steps.iter().map(|(plan, split)| split.total().saturating_mul(items_of(plan, looped))).max();
        let groups = steps.iter().map(|(_, split)| split.total()).max();
        Ok(SaveArea {
            items: u32::try_from(items.unwrap_or(0)).unwrap_or(u32::MAX),
            local: groups.unwrap_or(0).saturating_mul(group),
        })
    }

    /// Records the first dispatch of a launch; whether it is the only one. The buffer has its header, and no work-item saved anything in it.
    ///
    /// # Errors
    /// As a dispatch.
    pub fn begin(&self, launch: &Resumable<'_>) -> Result<(Point, bool), RuntimeError> {
        self.step(launch, launch.kernel, 0)
    }

    /// Returns whether no work-item of a dispatch that is done saved anything, as far as that is seen at once.
    #[must_use]
    pub fn is_done_in(&self, buffer: &Buffer) -> bool {
        let mut flag = [0; 4];
        let at = 4 * LOOPS_ENDED as u64;
        reached(buffer, at, flag.len()).is_some()
            && read_area(self, buffer, at, &mut flag).is_ok()
            && flag == [0; 4]
    }

    /// Waits for the first dispatch, and sees to it that the launch is done to its end. `begun`: what [`Self::begin`] flag. `resume`: the kernel that goes
    /// on, which is asked for where it is needed.
    ///
    /// # Errors
    /// As a dispatch, and those of `resume`.
    pub fn go_on<E: From<RuntimeError>>(
        &self,
        launch: &Resumable<'_>,
        begun: (Point, bool),
        mut resume: impl FnMut() -> Result<Kernel, E>,
    ) -> Result<(), E> {
        let at = 4 * LOOPS_ENDED as u64;
        let (mut point, mut last) = begun;
        let mut step = 0;
        // When the last work-groups ended.
        let mut ended = host_time();
        loop {
            self.wait_only(point)?;
            let mut flag = [0; 4];
            read_area(self, launch.buffer, at, &mut flag)?;
            if flag != [0; 4] {
                self.check_going_on(launch, ended)?;
                let kernel = resume()?;
                write_area(self, launch.buffer, at, &[0; 4])?;
                point = self.step(launch, &kernel, step)?.0;
            } else if last {
                return Ok(());
            } else {
                step += 1;
                ended = host_time();
                (point, last) = self.step(launch, launch.kernel, step)?;
            }
        }
    }

    /// The dispatches of a kernel that never ends do end, so that the [watch](crate::stream::loss_watch) for the loss of a device sees nothing: work-groups that
    /// go on for longer than the watchdog allows are a loss here. `ended`: when the last ones ended.
    fn check_going_on(&self, launch: &Resumable<'_>, ended: u64) -> Result<(), RuntimeError> {
        let Some(time) = self.device_inner().watchdog else { return Ok(()) };
        if host_time().saturating_sub(ended) < nanos(time) {
            return Ok(());
        }
        // That the driver ended loops is not what is wrong.
        write_area(self, launch.buffer, 4 * LOOPS_ENDED as u64, &[0; 4])?;
        Err(self.inner.stream.lock()?.lose(RuntimeError::Hung { time }))
    }

    /// Records one of the dispatches; whether it is the last.
    fn step(
        &self,
        launch: &Resumable<'_>,
        kernel: &Kernel,
        step: usize,
    ) -> Result<(Point, bool), RuntimeError> {
        let mut whole = self.prepare(kernel, launch.args, launch.range, launch.extras)?;
        let max = self.device().target().limits.max_compute_work_group_count;
        let info = launch.kernel.info();
        let bytes = (item_bytes(info), group_bytes(info, launch.args));
        let steps = steps(&whole.plan, max, MAX_BYTES, (bytes, info.work_item_loops));
        let Some((plan, split)) = steps.get(step).copied() else {
            return Err(RuntimeError::bug("a launch has fewer dispatches than it had"));
        };
        let remainder = whole.remainders.iter().find(|(other, _)| *other == plan);
        if let Some(pipeline) = remainder.map(|(_, pipeline)| pipeline.clone()) {
            whole.pipeline = pipeline;
        }
        whole.plan = plan;
        whole.remainders.clear();
        let record = |state: &mut State| dispatch_parts(state, &whole, &[split], false);
        Ok((self.transfer(record)?, step + 1 == steps.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_have_no_more_work_items_than_there_is_room_for() {
        let plan = Plan {
            work_dim: 2,
            offset: [0; 3],
            global: [100, 7, 1],
            enqueued: [10, 1, 1],
            local: [10, 1, 1],
            groups: [10, 7, 1],
            first: [0; 3],
            cut: false,
        };
        for (items, count) in [(700, 1), (1 << 40, 1), (100, 7), (99, 14), (10, 70), (1, 70)] {
            let steps = super::steps(&plan, [u32::MAX; 3], 4 * items, ((4, 0), None));
            assert_eq!(steps.len(), count, "{items}");
            assert_eq!(steps.iter().map(|(_, split)| split.total()).sum::<u64>(), 70);
        }
        // Ten work-items of 4 bytes, and 60 bytes of local memory.
        assert_eq!(super::steps(&plan, [u32::MAX; 3], 1000, ((4, 60), None)).len(), 7);
        // One invocation for ten work-items.
        assert_eq!(super::steps(&plan, [u32::MAX; 3], 640, ((4, 60), Some(1))).len(), 7);
    }
}

//! Records of arguments' memory ([`lower::check::ArgumentCells`]), which kernels in the checking mode keep: where a launch has them.
//!
//! Those of a `__local` argument are behind its own bytes, if local memory has room for them. Those of buffers are at the end of the launch's
//! printf buffer, which [`record_bytes`] makes larger for them. Arguments of one buffer share its records.

use crate::device::logical::Device;
use crate::kernel::arguments::{ArgValue, Bound, BoundArgs};
use crate::memory::buffer::BufferInner;
use lower::KernelInfo;
use lower::check::ArgumentCells;
use lower::kernel_info::ArgKind;
use lower::target::TargetLimits;
use std::sync::Arc;

/// The alignment of records.
const ALIGNMENT: u64 = 16;
/// Limit on the bytes of a launch's records. Buffers that need more have none.
const MAX_BYTES: u64 = 1 << 30;

/// The bytes of the records of a memory.
fn needed(cells: &ArgumentCells, size: u64) -> u64 {
    let count = size.div_ceil(u64::from(cells.bytes.max(1)));
    count.saturating_mul(cells.record.into()).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

fn cells_of(info: &KernelInfo, arg: u32) -> Option<&ArgumentCells> {
    info.printf.checks.cells.iter().find(|cells| cells.arg == arg)
}

/// A buffer argument with records: its cells, the identity of its buffer, and the part of it that the argument is.
struct Part {
    cells: ArgumentCells,
    buffer: usize,
    from: u64,
    size: u64,
    whole: u64,
}

/// The starts of buffer arguments' records in the area for them, and the bytes of all. An area has the records of each buffer of which
/// some argument is written: others have no races.
fn layout(parts: &[Part], max: u64) -> (Vec<(u32, u64)>, u64) {
    let mut buffers: Vec<(usize, u64)> = Vec::new();
    let (mut starts, mut end) = (Vec::new(), 0u64);
    for part in parts {
        let shared = parts.iter().any(|p| p.buffer == part.buffer && p.cells.written);
        let unit = u64::from(part.cells.bytes.max(1));
        if !shared || part.size == 0 || !part.from.is_multiple_of(unit) {
            continue;
        }
        let at = match buffers.iter().find(|(buffer, _)| *buffer == part.buffer) {
            Some((_, at)) => *at,
            None => {
                let bytes = needed(&part.cells, part.whole);
                if end.checked_add(bytes).is_none_or(|end| end > max) {
                    log::warn!(
                        "PUMICE_CHECK: a buffer of {} bytes is too large to look for races in",
                        part.whole
                    );
                    continue;
                }
                buffers.push((part.buffer, end));
                end += bytes;
                end - bytes
            }
        };
        starts.push((part.cells.arg, at + part.from / unit * u64::from(part.cells.record)));
    }
    (starts, end)
}

/// The limit on the bytes of records in a storage buffer of a device.
fn max_bytes(limits: &TargetLimits) -> u64 {
    MAX_BYTES.min(limits.max_storage_buffer_range / 2)
}

fn parts<'a>(
    info: &KernelInfo,
    args: impl Iterator<Item = (u32, &'a Arc<BufferInner>, u64, u64)>,
) -> Vec<Part> {
    args.filter_map(|(arg, buffer, from, size)| {
        let cells = *cells_of(info, arg)?;
        let identity = Arc::as_ptr(buffer) as usize;
        Some(Part { cells, buffer: identity, from, size, whole: buffer.size })
    })
    .collect()
}

/// The bytes that a launch's printf buffer needs at its end for the records of these arguments.
pub fn record_bytes(info: &KernelInfo, args: &[ArgValue<'_>], device: &Device) -> u64 {
    if info.printf.checks.cells.is_empty() {
        return 0;
    }
    let buffers = args.iter().enumerate().filter_map(|(n, arg)| match arg {
        ArgValue::Buffer(buffer) => Some((n as u32, &buffer.inner, 0, buffer.inner.size)),
        ArgValue::BufferRange { buffer, offset, size } => Some((n as u32, &buffer.inner, *offset, *size)),
        _ => None,
    });
    layout(&parts(info, buffers), max_bytes(&device.target().limits)).1
}

/// The bytes of the memory of each argument that is a pointer, for the reports of a kernel that checks its accesses; 0 for others.
pub fn argument_sizes(info: &KernelInfo, args: &[ArgValue<'_>]) -> Vec<u64> {
    if info.printf.checks.is_empty() {
        return Vec::new();
    }
    let size = |arg: &ArgValue<'_>| match arg {
        ArgValue::Buffer(buffer) => buffer.inner.size,
        ArgValue::BufferRange { size, .. } | ArgValue::Local(size) => *size,
        ArgValue::Address(pointer) => pointer.memory_size(),
        _ => 0,
    };
    args.iter().map(size).collect()
}

/// Where the records of an argument begin; 0 if it has none.
pub(crate) fn start(bound: &BoundArgs<'_>, info: &KernelInfo, arg: u32) -> u64 {
    if let Some(Bound::Local(_)) = bound.args.get(arg as usize) {
        return bound.local_records.iter().find(|(n, _)| *n == arg).map_or(0, |(_, at)| *at);
    }
    let Some(printf) = bound.printf else { return 0 };
    let buffers = bound.args.iter().enumerate().filter_map(|(n, arg)| match arg {
        Bound::Buffer(range) => Some((n as u32, range.buffer, range.offset, range.asked)),
        _ => None,
    });
    let limits = &printf.inner.device.target.limits;
    let (starts, all) = layout(&parts(info, buffers), max_bytes(limits));
    let area = printf.inner.size.saturating_sub(all) / ALIGNMENT * ALIGNMENT;
    starts.iter().find(|(n, _)| *n == arg).map_or(0, |(_, at)| area + at)
}

/// The bytes of a `__local` argument with its records, and where they begin; none if `room` is too little.
pub(crate) fn local(info: &KernelInfo, arg: u32, size: u64, room: u64) -> Option<(u64, u64)> {
    let start = size.checked_next_multiple_of(ALIGNMENT)?;
    let end = start.checked_add(needed(cells_of(info, arg)?, size))?;
    matches!(info.args.get(arg as usize)?.kind, ArgKind::Local { spec_id: Some(_), .. }).then_some(())?;
    (end.checked_sub(size)? + ALIGNMENT <= room).then_some((end, start))
}

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

/// Returns whether no two work-items of an index space use a byte of a buffer together: its arguments' places are of one kind, and the windows of
/// all of them fit between those of neighbours.
fn is_own(parts: &[Part], buffer: usize, global: [u64; 3]) -> bool {
    let (mut steps, mut low, mut high) = (None, i128::MAX, i128::MIN);
    for part in parts.iter().filter(|part| part.buffer == buffer) {
        let Some(own) = part.cells.own else { return false };
        if *steps.get_or_insert(own.steps) != own.steps {
            return false;
        }
        let from = i128::from(part.from);
        (low, high) = (low.min(from + i128::from(own.low)), high.max(from + i128::from(own.high)));
    }
    let Some(steps) = steps else { return false };
    let mut dims: Vec<(u32, u64)> =
        steps.iter().map(|step| step.unsigned_abs()).zip(global).filter(|(_, size)| *size > 1).collect();
    dims.sort_unstable();
    let mut taken = u128::try_from(high - low).unwrap_or(u128::MAX);
    for (step, size) in dims {
        if u128::from(step) < taken {
            return false;
        }
        taken = u128::from(step).saturating_mul(size.into());
    }
    taken <= 1 << 32
}

/// The starts of buffer arguments' records in the area for them, and the bytes of all. An area has the records of each buffer of which
/// some argument is written: others have no races. Neither have those where each work-item of the index space keeps to places of its own.
fn layout(parts: &[Part], global: [u64; 3], max: u64) -> (Vec<(u32, u64)>, u64) {
    let mut buffers: Vec<(usize, u64)> = Vec::new();
    let (mut starts, mut end) = (Vec::new(), 0u64);
    for part in parts {
        let shared = parts.iter().any(|p| p.buffer == part.buffer && p.cells.written);
        let unit = u64::from(part.cells.bytes.max(1));
        let unused = !shared || part.size == 0 || is_own(parts, part.buffer, global);
        if unused || !part.from.is_multiple_of(unit) {
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

/// The bytes that a launch's printf buffer needs at its end for the records of these arguments. The launch has this global size.
pub fn record_bytes(info: &KernelInfo, args: &[ArgValue<'_>], global: [u64; 3], device: &Device) -> u64 {
    if info.printf.checks.cells.is_empty() {
        return 0;
    }
    let buffers = args.iter().enumerate().filter_map(|(n, arg)| match arg {
        ArgValue::Buffer(buffer) => Some((n as u32, &buffer.inner, 0, buffer.inner.size)),
        ArgValue::BufferRange { buffer, offset, size } => Some((n as u32, &buffer.inner, *offset, *size)),
        _ => None,
    });
    layout(&parts(info, buffers), global, max_bytes(&device.target().limits)).1
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

/// Where the records of an argument begin, in a launch with a global size; 0 if it has none.
pub(crate) fn start(bound: &BoundArgs<'_>, info: &KernelInfo, global: [u64; 3], arg: u32) -> u64 {
    if let Some(Bound::Local(_)) = bound.args.get(arg as usize) {
        return bound.local_records.iter().find(|(n, _)| *n == arg).map_or(0, |(_, at)| *at);
    }
    starts(bound, info, global).iter().find(|(n, _)| *n == arg).map_or(0, |(_, at)| *at)
}

/// The buffer arguments with records, and where these begin, in a launch with a global size.
pub(crate) fn starts(bound: &BoundArgs<'_>, info: &KernelInfo, global: [u64; 3]) -> Vec<(u32, u64)> {
    let Some(printf) = bound.printf.filter(|_| !info.printf.checks.cells.is_empty()) else {
        return Vec::new();
    };
    let buffers = bound.args.iter().enumerate().filter_map(|(n, arg)| match arg {
        Bound::Buffer(range) => Some((n as u32, range.buffer, range.offset, range.asked)),
        _ => None,
    });
    let limits = &printf.inner.device.target.limits;
    let (mut starts, all) = layout(&parts(info, buffers), global, max_bytes(limits));
    let area = printf.inner.size.saturating_sub(all) / ALIGNMENT * ALIGNMENT;
    starts.iter_mut().for_each(|(_, at)| *at += area);
    starts
}

/// The bytes of a `__local` argument with its records, and where they begin; none if `room` is too little.
pub(crate) fn local(info: &KernelInfo, arg: u32, size: u64, room: u64) -> Option<(u64, u64)> {
    let start = size.checked_next_multiple_of(ALIGNMENT)?;
    let end = start.checked_add(needed(cells_of(info, arg)?, size))?;
    matches!(info.args.get(arg as usize)?.kind, ArgKind::Local { spec_id: Some(_), .. }).then_some(())?;
    (end.checked_sub(size)? + ALIGNMENT <= room).then_some((end, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lower::check::OwnPlaces;

    fn part(arg: u32, buffer: usize, from: u64, own: Option<OwnPlaces>) -> Part {
        let cells = ArgumentCells { arg, bytes: 4, record: 16, written: true, own };
        Part { cells, buffer, from, size: 1 << 20, whole: 1 << 20 }
    }

    fn own(steps: [i32; 3], low: i32, high: i64) -> Option<OwnPlaces> {
        Some(OwnPlaces { steps, low, high })
    }

    #[test]
    fn own_places_need_no_records() {
        let has = |parts: &[Part], global: [u64; 3]| !layout(parts, global, MAX_BYTES).0.is_empty();
        let row = [1 << 16, 1, 1];
        assert!(!has(&[part(0, 1, 0, own([4, 0, 0], 0, 4))], row));
        assert!(has(&[part(0, 1, 0, None)], row));
        // The next work-item's place, too; and the same place in each row.
        assert!(has(&[part(0, 1, 0, own([4, 0, 0], 0, 8))], row));
        assert!(has(&[part(0, 1, 0, own([4, 0, 0], 0, 4))], [256, 2, 1]));
        // Rows of 256 ints, and of more work-items than that.
        let rows = || [part(0, 1, 0, own([4, 1024, 0], 0, 4))];
        assert!(!has(&rows(), [256, 64, 1]));
        assert!(has(&rows(), [257, 64, 1]));
        // All places of 2^32 bytes; one work-item more has the first one's.
        assert!(!has(&[part(0, 1, 0, own([1 << 20, 0, 0], 0, 4))], [1 << 12, 1, 1]));
        assert!(has(&[part(0, 1, 0, own([1 << 20, 0, 0], 0, 4))], [(1 << 12) + 1, 1, 1]));
    }

    #[test]
    fn arguments_of_one_buffer_have_their_places_together() {
        let has = |second: Part| {
            let parts = [part(0, 1, 0, own([4, 0, 0], 0, 4)), second];
            layout(&parts, [64, 1, 1], MAX_BYTES).0.len()
        };
        assert_eq!(has(part(1, 1, 0, own([4, 0, 0], 0, 4))), 0, "the same places");
        assert_eq!(has(part(1, 1, 4, own([4, 0, 0], 0, 4))), 2, "the neighbours' places");
        assert_eq!(has(part(1, 1, 0, own([8, 0, 0], 0, 4))), 2, "other places");
        assert_eq!(has(part(1, 1, 0, None)), 2, "any place");
        assert_eq!(has(part(1, 2, 0, None)), 1, "another buffer");
    }
}

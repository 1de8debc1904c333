//! The commands that move data: read, write, copy, fill, map, unmap, migrate (OpenCL API §5.2.2 to §5.2.4, §5.5.2 to §5.5.5).
//!
//! | module | what it is |
//! |---|---|
//! | [`policy`] | which way bytes go, by size, direction and memory |
//! | [`host`] | the application's memory |
//! | [`read`], [`write`] | transfers between it and buffers |
//! | [`copy`] | between buffers; fills |
//! | [`mapping`] | maps and unmaps |
//! | [`image`], [`image_map`] | the same for images |
//! | [`migrate`] | from device to device |
//!
//! Small transfers are staged when they are recorded, and the host's part is a copy from or to staging memory. Large ones of memory that
//! the host reaches are made in place, when the device has come so far: commands that depend on them are held until then. So they
//! are where host memory that commands have yet to write is a source ([`crate::device::pending_writes`]), or shared virtual memory is touched.

pub(crate) mod copy;
pub(crate) mod image;
pub(crate) mod image_map;
pub(crate) mod mapping;
pub(crate) mod migrate;
pub(crate) mod policy;
pub(crate) mod read;
pub(crate) mod write;

use vk_runtime::RectCopy;

use crate::abi::error::ClResult;
use crate::device::queue::Queue;
use crate::memory::rect::Side;
use crate::memory::{Access, Memory};

pub(crate) use crate::memory::host::{HostBox, HostRange};
pub(crate) use copy::{Copy, Fill, check_pattern, copy, copy_rect, fill};
pub(crate) use image::{
    HostBox as ImageHostBox, copy_buffer_to_image, copy_image, copy_image_to_buffer, fill_image, read_image,
    write_image,
};
pub(crate) use image_map::map_image;
pub(crate) use mapping::{map, unmap};
pub(crate) use migrate::migrate;
pub(crate) use read::{read, read_at_once, read_rect, record_read};
pub(crate) use write::{record_write, write, write_at_once, write_rect};

fn usual(size: usize) -> u64 {
    size as u64
}

/// The number of the queue's device among the buffer's; the checks that all commands have in common.
///
/// # Errors
/// CL_INVALID_CONTEXT, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_MEM_OBJECT_ALLOCATION_FAILURE.
fn use_on(queue: &Queue, memory: &Memory) -> ClResult<usize> {
    queue.context.same(memory.context())?;
    memory.check_alignment(&queue.device)?;
    let index = memory.store.index(&queue.runtime)?;
    memory.store.ensure(index)?;
    Ok(index)
}

/// Returns what a command that changes so much of a buffer does to the store.
fn change(memory: &Memory, size: u64) -> Access {
    if size == memory.store.size { Access::Replace } else { Access::Write }
}

fn rect_copy(src: &Side, dst: &Side, region: [usize; 3]) -> RectCopy {
    RectCopy {
        src_origin: src.origin,
        dst_origin: dst.origin,
        region: region.map(|v| v as u64),
        src_row_pitch: src.row,
        src_slice_pitch: src.slice,
        dst_row_pitch: dst.row,
        dst_slice_pitch: dst.slice,
    }
}

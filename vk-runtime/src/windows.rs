//! What a launch of the packed model binds: the blocks that its buffers lie in.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ash::vk;
use lower::kernel_info::{ArgKind, Windows};
use smallvec::SmallVec;

use crate::args::{Bound, BoundArgs};
use crate::batch::Kept;
use crate::blocks::Block;
use crate::buffer::BufferInner;
use crate::device::DeviceInner;
use crate::error::{RuntimeError, UserError};
use crate::kernel::KernelInner;
use crate::views::Bindable;

/// Arguments begin at multiples of this, as the lowering relies on.
const STEP: u64 = 16;

/// A Vulkan buffer that begins at a place.
#[derive(Clone)]
pub(crate) struct Window {
    raw: vk::Buffer,
    start: u64,
    size: u64,
    /// To be kept while the device uses it; `None`: a buffer in it is an argument, and kept.
    pub(crate) held: Option<Arc<HeldBlock>>,
}

/// A block that no argument of a launch lies in. What it is of goes after it.
pub(crate) struct HeldBlock {
    block: Arc<Block>,
    _device: Arc<DeviceInner>,
}

impl Kept for HeldBlock {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.block.kept_by(stream)
    }
}

impl Window {
    fn of_block(block: &Arc<Block>) -> Self {
        Window { raw: block.window, start: block.start, size: block.size, held: None }
    }

    /// Of a block that nothing else may keep.
    fn holding(block: Arc<Block>, device: &Arc<DeviceInner>) -> Self {
        let window = Window::of_block(&block);
        Window { held: Some(Arc::new(HeldBlock { block, _device: device.clone() })), ..window }
    }

    fn of_buffer(buffer: &Arc<BufferInner>) -> Result<Self, RuntimeError> {
        match buffer.block() {
            Some(block) => Ok(Window::of_block(block)),
            None => Ok(Window {
                raw: buffer.raw,
                start: buffer.told_address()?,
                size: buffer.bound_size,
                held: None,
            }),
        }
    }
}

/// The windows of a launch, ascending.
pub(crate) fn find(
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    windows: &Windows,
) -> Result<SmallVec<[Window; 1]>, RuntimeError> {
    let info = &kernel.info;
    let mut found: SmallVec<[Window; 1]> = SmallVec::new();
    // What it was to read, nothing needs: the module has no window.
    if windows.count == 0 {
        return Ok(found);
    }
    for (index, (arg, value)) in info.args.iter().zip(&bound.args).enumerate() {
        let (ArgKind::Buffer { read, written, .. }, Bound::Buffer(range)) = (&arg.kind, value) else {
            continue;
        };
        if !range.offset.is_multiple_of(STEP) {
            let text = format!(
                "kernel '{}', argument {index}: a range from offset {}, which must be a multiple of {STEP}",
                info.name, range.offset
            );
            return Err(RuntimeError::user(UserError::InvalidValue, text));
        }
        if *read || *written {
            found.push(Window::of_buffer(range.buffer)?);
        }
    }
    let (constants, globals) = kernel.program_data_used;
    for (buffer, used) in [
        (&bound.blocks.constants, constants),
        // Constants may hold pointers to globals.
        (&bound.blocks.globals, globals || constants),
    ] {
        if let Some(buffer) = buffer.as_ref().filter(|_| used) {
            found.push(Window::of_buffer(&buffer.inner)?);
        }
    }
    for buffer in [bound.printf, bound.sequence].into_iter().flatten() {
        found.push(Window::of_buffer(&buffer.inner)?);
    }
    let device = kernel.device();
    if windows.follows_pointers {
        found.extend(device.memory.blocks().into_iter().map(|block| Window::holding(block, device)));
    }
    // Of two windows of a block the first stays: an argument's.
    found.sort_by_key(|w| w.start);
    found.dedup_by_key(|w| w.start);
    let (range, name) = (device.target.limits.max_storage_buffer_range, &device.target.name);
    let whole = |w: &Window| w.size <= range && w.start + w.size <= Windows::END;
    if found.len() > windows.count as usize || !found.iter().all(whole) {
        return Err(RuntimeError::unsupported(format!(
            "kernel '{}' reaches buffers in {} blocks of memory, of which the device '{name}' binds {} of {range} bytes at once \
             (maxPerStageDescriptorStorageBuffers, maxStorageBufferRange)",
            info.name,
            found.len(),
            windows.count,
        )));
    }
    Ok(found)
}

/// Where a window begins; behind everything, if the launch has no use for it.
pub(crate) fn start(windows: &[Window], n: u32) -> u32 {
    windows.get(n as usize).map_or(u32::MAX, |w| u32::try_from(w.start).unwrap_or(u32::MAX))
}

/// What is bound as a window: anything, if the launch has no use for it; `None` if it uses none.
pub(crate) fn bindable(windows: &[Window], n: u32) -> Option<Bindable> {
    let window = windows.get(n as usize).or(windows.first())?;
    Some(Bindable::Buffer(window.raw, 0, window.size))
}

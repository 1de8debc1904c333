//! The bindings of a launch of the packed model: the blocks of its buffers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ash::vk;
use lower::kernel_info::{ArgKind, BlockSource, Windows};
use smallvec::SmallVec;

use crate::device::logical::DeviceInner;
use crate::device::retained::Retained;
use crate::error::{RuntimeError, UserError};
use crate::kernel::arguments::{Bound, BoundArgs};
use crate::kernel::image_bindings::Bindable;
use crate::kernel::program::KernelInner;
use crate::memory::buffer::BufferInner;
use crate::memory::packed_blocks::Block;

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

/// A block without an argument of the launch. Its owner goes after it.
pub(crate) struct HeldBlock {
    block: Arc<Block>,
    _device: Arc<DeviceInner>,
}

impl Retained for HeldBlock {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.block.kept_by(stream)
    }
}

impl Window {
    fn of_block(block: &Arc<Block>) -> Self {
        Window { raw: block.window, start: block.start, size: block.size, held: None }
    }

    /// The lock of a block that nothing else may keep.
    fn holding(block: Arc<Block>, device: &Arc<DeviceInner>) -> Self {
        let window = Window::of_block(&block);
        Window { held: Some(Arc::new(HeldBlock { block, _device: device.clone() })), ..window }
    }

    pub(crate) fn of_buffer(buffer: &BufferInner) -> Result<Self, RuntimeError> {
        match buffer.block() {
            Some(block) => Ok(Window::of_block(block)),
            None => Ok(Window {
                raw: buffer.raw,
                start: buffer.kernel_address()?,
                size: buffer.bound_size,
                held: None,
            }),
        }
    }

    /// Returns where it begins: no two that are alive begin at one place.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Returns whether a descriptor shows all of it, and a kernel knows all of its places.
    pub(crate) fn is_whole(&self, device: &DeviceInner) -> bool {
        self.size <= device.target.limits.max_storage_buffer_range && self.start + self.size <= Windows::END
    }
}

/// The windows of a launch, ascending.
pub(crate) enum Found {
    Windows(SmallVec<[Window; 1]>),
    /// More than it can have.
    TooMany(Box<TooMany>),
}

/// A launch whose buffers need more windows than it can have.
pub(crate) struct TooMany {
    /// How many windows it can have.
    pub(crate) most: usize,
    /// The memory that it sees besides its arguments, or must see where it is.
    pub(crate) fixed: SmallVec<[Window; 1]>,
    /// Its arguments may be elsewhere while it runs: nobody else learns where they are.
    pub(crate) movable: bool,
    error: RuntimeError,
}

impl TooMany {
    /// Returns what to tell where nothing helps.
    pub(crate) fn error(self) -> RuntimeError {
        self.error
    }
}

/// The windows that a launch needs.
///
/// # Errors
/// User for an argument that begins where none may; Unsupported for a pointer that no window has.
pub(crate) fn find(
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    windows: &Windows,
) -> Result<Found, RuntimeError> {
    match find_now(kernel, bound, windows)? {
        // Blocks that have nothing but what is kept for reuse count until that goes.
        Found::TooMany(_) if windows.follows_pointers && kernel.device().pool().empty() => {
            find_now(kernel, bound, windows)
        }
        found => Ok(found),
    }
}

fn find_now(kernel: &KernelInner, bound: &BoundArgs<'_>, windows: &Windows) -> Result<Found, RuntimeError> {
    let device = kernel.device();
    // What it was to read, nothing needs: the module has no window.
    if windows.count == 0 {
        return Ok(Found::Windows(SmallVec::new()));
    }
    let mut fixed = unnamed(kernel, bound)?;
    if windows.follows_pointers {
        let stored = device.memory.blocks().and_then(|blocks| blocks.stored()).ok_or_else(|| {
            let name = &kernel.info.name;
            let text = format!(
                "kernel '{name}' follows pointers, and one was stored to a buffer for which no block of memory was left"
            );
            RuntimeError::unsupported(text)
        })?;
        fixed.extend(stored.into_iter().map(|block| Window::holding(block, device)));
    }
    let mut found = named(kernel, bound)?;
    let own = |window: &Window, all: &[Window]| all.iter().any(|w| w.start == window.start);
    // Of two windows of a block the first stays: an argument's.
    fixed.retain(|window| !own(window, &found));
    let mut all = found.clone();
    all.extend(fixed.iter().cloned());
    sort(&mut all);
    let most = windows.count as usize;
    if all.len() <= most && all.iter().all(|window| window.is_whole(device)) {
        if windows.stores_pointers {
            note_stored(kernel, bound);
        }
        return Ok(Found::Windows(all));
    }
    let (range, name) = (device.target.limits.max_storage_buffer_range, &device.target.name);
    let error = RuntimeError::unsupported(format!(
        "kernel '{}' reaches buffers in {} blocks of memory, of which the device '{name}' binds {most} of {range} bytes at once \
         (maxPerStageDescriptorStorageBuffers, maxStorageBufferRange)",
        kernel.info.name,
        all.len(),
    ));
    // What others stored pointers to stays where it is, an argument too.
    if windows.follows_pointers {
        let stored = device.memory.blocks().and_then(|blocks| blocks.stored()).unwrap_or_default();
        found.retain(|window| stored.iter().any(|block| block.start == window.start));
        fixed.append(&mut found);
    }
    Ok(Found::TooMany(Box::new(TooMany { most, fixed, movable: !windows.stores_pointers, error })))
}

fn sort(windows: &mut SmallVec<[Window; 1]>) {
    windows.sort_by_key(|w| w.start);
    windows.dedup_by_key(|w| w.start);
}

/// The windows of the arguments.
fn named(kernel: &KernelInner, bound: &BoundArgs<'_>) -> Result<SmallVec<[Window; 1]>, RuntimeError> {
    let info = &kernel.info;
    let mut found: SmallVec<[Window; 1]> = SmallVec::new();
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
    sort(&mut found);
    Ok(found)
}

/// The blocks of the kernel's other memory: the program's data, printf's buffer, the word for sequential consistency.
fn unnamed(kernel: &KernelInner, bound: &BoundArgs<'_>) -> Result<SmallVec<[Window; 1]>, RuntimeError> {
    let (constants, globals) = kernel.program_data_used;
    let data = [
        (&bound.blocks.constants, constants),
        // Constants may hold pointers to globals.
        (&bound.blocks.globals, globals || constants),
    ];
    let data = data.into_iter().filter_map(|(buffer, used)| buffer.as_ref().filter(|_| used));
    let all = data.chain([bound.printf, bound.sequence].into_iter().flatten());
    let mut found = all.map(|buffer| Window::of_buffer(&buffer.inner)).collect::<Result<_, _>>()?;
    sort(&mut found);
    Ok(found)
}

/// The kernel may store where its buffers are: kernels that follow pointers reach their blocks from now on.
fn note_stored(kernel: &KernelInner, bound: &BoundArgs<'_>) {
    let Some(blocks) = kernel.device().memory.blocks() else { return };
    for value in &bound.args {
        if let Bound::Buffer(range) = value {
            blocks.note_stored(range.buffer.block());
        }
    }
    for buffer in [&bound.blocks.constants, &bound.blocks.globals].into_iter().flatten() {
        blocks.note_stored(buffer.inner.block());
    }
}

/// The same of a kernel that works on descriptors: of the buffers whose places it gets.
pub(crate) fn note_addresses(kernel: &KernelInner, bound: &BoundArgs<'_>) {
    let Some(blocks) = kernel.device().memory.blocks() else { return };
    for member in &kernel.info.block.members {
        let buffer = match member.source {
            BlockSource::ArgumentAddress(index) => match bound.args.get(index as usize) {
                Some(Bound::Buffer(range)) => Some(range.buffer),
                _ => None,
            },
            BlockSource::ConstantsAddress => bound.blocks.constants.as_ref().map(|b| &b.inner),
            BlockSource::GlobalsAddress => bound.blocks.globals.as_ref().map(|b| &b.inner),
            _ => None,
        };
        if let Some(buffer) = buffer {
            blocks.note_stored(buffer.block());
        }
    }
}

/// Returns where a window begins; behind everything, if the launch has no use for it.
pub(crate) fn start(windows: &[Window], n: u32) -> u32 {
    windows.get(n as usize).map_or(u32::MAX, |w| u32::try_from(w.start).unwrap_or(u32::MAX))
}

/// Returns what is bound as a window: anything, if the launch has no use for it; `None` if it uses none.
pub(crate) fn bindable(windows: &[Window], n: u32) -> Option<Bindable> {
    let window = windows.get(n as usize).or(windows.first())?;
    Some(Bindable::Buffer(window.raw, 0, window.size))
}

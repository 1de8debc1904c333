//! The buffer in which launches of a queue note that the driver ended their loops.

use std::sync::{Arc, PoisonError};
use vk_runtime::sync::Mutex;

use lower::KernelInfo;
use lower::printf::{LOOPS_ENDED, PrintfTable};
use vk_runtime::{Buffer, BufferUse, Kernel};

use crate::abi::error::ClResult;
use crate::device::queue::Queue;

/// The size of a buffer that holds no text of printf.
pub(crate) const HEADER_ALONE: u64 = 256;

/// The watch for loops of a queue's launches that the driver ended.
pub(crate) struct Watched {
    buffer: Buffer,
    /// The kernels that were launched, as far as they are named.
    names: Arc<Mutex<Vec<String>>>,
}

/// This many kernels are named.
const NAMES: usize = 8;

/// The buffer in which launches of a queue whose kernels watch their loops and do not print tell what became of them; `None` for
/// others, and where the host does not see the device's memory.
pub(crate) fn watched(queue: &Queue, kernel: &Kernel) -> ClResult<Option<Buffer>> {
    let info = kernel.info();
    if !info.watches_loops || !info.printf.is_empty() {
        return Ok(None);
    }
    let mut place = queue.watched.lock().unwrap_or_else(PoisonError::into_inner);
    if place.is_none() {
        *place = Watched::new(queue)?;
    }
    let Some(watched) = &*place else { return Ok(None) };
    let mut names = watched.names.lock().unwrap_or_else(PoisonError::into_inner);
    if names.len() < NAMES && !names.contains(&info.name) {
        names.push(info.name.clone());
    }
    Ok(Some(watched.buffer.clone()))
}

impl Watched {
    fn new(queue: &Queue) -> ClResult<Option<Self>> {
        let device = queue.runtime.stream.device();
        let buffer = device.create_buffer(HEADER_ALONE, BufferUse::Download)?;
        let (Some(memory), true) = (buffer.host_ptr(), buffer.is_coherent()) else { return Ok(None) };
        let header = PrintfTable::default().header_bytes(HEADER_ALONE);
        // SAFETY: mapped memory of more bytes, which nobody else uses yet.
        unsafe { std::ptr::copy_nonoverlapping(header.as_ptr(), memory, header.len()) };
        let (kept, context) = (buffer.clone(), Arc::downgrade(&queue.context));
        let names = Arc::new(Mutex::new(Vec::new()));
        let told = names.clone();
        let ended = move || {
            let word = kept.host_ptr().map(|memory| memory.cast::<u32>().wrapping_add(LOOPS_ENDED));
            // SAFETY: the buffer is kept, mapped, aligned for anything and has the word; the device writes it at any time.
            word.is_some_and(|word| unsafe { word.read_volatile() } != 0)
        };
        let tell = move || {
            let names = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(context) = context.upgrade() {
                context.report(&KernelInfo::loops_ended_in(&names));
            }
        };
        queue.commands.watch(ended, tell);
        Ok(Some(Watched { buffer, names }))
    }
}

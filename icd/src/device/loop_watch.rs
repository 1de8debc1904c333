//! The buffers in which launches of a queue note that the driver ended their loops, one for each kernel.

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
#[derive(Default)]
pub(crate) struct Watched {
    /// The kernels that were launched.
    kernels: Arc<Mutex<Vec<Of>>>,
}

/// The buffer of some kernels.
struct Of {
    names: Vec<String>,
    buffer: Buffer,
}

/// This many kernels have their own buffers. The others share one.
const OWN: usize = 16;

/// The buffer in which launches of a queue whose kernels watch their loops and do not print tell what became of them; `None` for
/// others, and where the host does not see the device's memory.
pub(crate) fn watched(queue: &Queue, kernel: &Kernel) -> ClResult<Option<Buffer>> {
    let info = kernel.info();
    if !info.watches_loops || !info.printf.is_empty() {
        return Ok(None);
    }
    let mut place = queue.watched.lock().unwrap_or_else(PoisonError::into_inner);
    let watched = place.get_or_insert_with(|| Watched::new(queue));
    let mut kernels = watched.kernels.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kernels.iter().position(|of| of.names.contains(&info.name));
    let at = match known {
        Some(at) => at,
        None if kernels.len() > OWN => {
            kernels[OWN].names.push(info.name.clone());
            OWN
        }
        None => {
            let Some(buffer) = new_buffer(queue)? else { return Ok(None) };
            kernels.push(Of { names: vec![info.name.clone()], buffer });
            kernels.len() - 1
        }
    };
    Ok(Some(kernels[at].buffer.clone()))
}

/// A buffer with the header of a launch that prints nothing; `None` where the host does not see the device's memory.
fn new_buffer(queue: &Queue) -> ClResult<Option<Buffer>> {
    let buffer = queue.runtime.stream.device().create_buffer(HEADER_ALONE, BufferUse::Download)?;
    let (Some(memory), true) = (buffer.host_ptr(), buffer.is_coherent()) else { return Ok(None) };
    let header = PrintfTable::default().header_bytes(HEADER_ALONE);
    // SAFETY: mapped memory of more bytes, which nobody else uses yet.
    unsafe { std::ptr::copy_nonoverlapping(header.as_ptr(), memory, header.len()) };
    Ok(Some(buffer))
}

impl Of {
    fn is_ended(&self) -> bool {
        let word = self.buffer.host_ptr().map(|memory| memory.cast::<u32>().wrapping_add(LOOPS_ENDED));
        // SAFETY: the buffer is kept, mapped, aligned for anything and has the word; the device writes it at any time.
        word.is_some_and(|word| unsafe { word.read_volatile() } != 0)
    }
}

impl Watched {
    fn new(queue: &Queue) -> Self {
        let (watched, context) = (Watched::default(), Arc::downgrade(&queue.context));
        let (watched_by, named_by) = (watched.kernels.clone(), watched.kernels.clone());
        let ended =
            move || watched_by.lock().unwrap_or_else(PoisonError::into_inner).iter().any(Of::is_ended);
        let tell = move || {
            let kernels = named_by.lock().unwrap_or_else(PoisonError::into_inner);
            let names: Vec<String> =
                kernels.iter().filter(|of| of.is_ended()).flat_map(|of| of.names.clone()).collect();
            drop(kernels);
            if let Some(context) = context.upgrade() {
                context.report(&KernelInfo::loops_ended_in(&names));
            }
        };
        queue.commands.watch(ended, tell);
        watched
    }
}

//! What kernels print (OpenCL C §6.15.14): each launch of a kernel with printf gets a buffer, whose text goes to the standard
//! output when the launch is done, before its event is complete. The buffer also says whether the driver ended loops of the
//! launch before their time: then the launch fails, and its queue with it.

use std::sync::{Arc, Mutex, PoisonError};

use lower::printf::{HEADER_WORDS, decode, loops_were_ended, used_bytes};
use opencl_sys as cl;
use vk_runtime::{Buffer, BufferUse, Kernel};

use crate::device::caps::PRINTF_BUFFER_SIZE;
use crate::error::{ClError, ClResult};
use crate::queue::Queue;
use crate::schedule::HostWork;

/// So many buffers are kept for later launches.
const KEPT: usize = 8;
/// The size of one that holds no text.
const HEADER_ALONE: u64 = 256;

/// Buffers that no launch uses.
#[derive(Clone, Default)]
pub(crate) struct Spare(Arc<Mutex<Vec<Buffer>>>);

/// Where one launch prints to.
pub(super) struct Output {
    buffer: Buffer,
    kernel: Kernel,
    spare: Spare,
}

impl Output {
    /// A buffer with the header that a launch expects, written before what is recorded next.
    pub(super) fn new(spare: &Spare, stream: &vk_runtime::Queue, kernel: &Kernel) -> ClResult<Self> {
        let prints = !kernel.info().printf.is_empty();
        let size = if prints { PRINTF_BUFFER_SIZE as u64 } else { HEADER_ALONE };
        let kept = {
            let mut spare = spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            spare.iter().position(|b| b.size() == size).map(|at| spare.swap_remove(at))
        };
        let buffer = match kept {
            Some(buffer) => buffer,
            None => stream.device().create_buffer(size, BufferUse::Download)?,
        };
        let header = kernel.info().printf.header_bytes(size);
        stream.write_buffer(&buffer, 0, &header)?;
        Ok(Output { buffer, kernel: kernel.clone(), spare: spare.clone() })
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// What to do when the launch, of this queue, is done.
    pub(super) fn work(self, stream: &vk_runtime::Queue, queue: &Queue) -> HostWork {
        let (stream, line, context) = (stream.clone(), queue.line.clone(), queue.context.clone());
        HostWork::light(move || {
            let mut header = [0; 4 * HEADER_WORDS];
            stream.begin_read(&self.buffer, 0, header.len() as u64)?.finish(&mut header)?;
            let ended = loops_were_ended(&header);
            let used = used_bytes(&header, self.buffer.size());
            let info = self.kernel.info();
            if !info.printf.is_empty() {
                let mut data = vec![0; usize::try_from(used).unwrap_or(0)];
                stream.begin_read(&self.buffer, 0, used)?.finish(&mut data)?;
                let printed = decode(&data, &info.printf);
                show(&printed.text);
                if printed.lost > 0 {
                    log::warn!(
                        "kernel '{}': {} printf calls did not fit the buffer",
                        info.name,
                        printed.lost
                    );
                }
            }
            if ended {
                context.report(&info.loops_ended());
                line.fail(cl::CL_OUT_OF_RESOURCES);
            }
            let mut spare = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.len() < KEPT {
                spare.push(self.buffer);
            }
            if ended { Err(ClError(cl::CL_OUT_OF_RESOURCES)) } else { Ok(()) }
        })
    }
}

/// Writes to the C library's standard output, so that the text comes after what the program itself has printed before,
/// and hands it on.
fn show(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // SAFETY: the stream is there as long as the process; one call locks it once, so that nothing comes in between; the text
    // has so many bytes.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}

unsafe extern "C" {
    /// The C library's standard output.
    #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
    static stdout: *mut libc::FILE;
}

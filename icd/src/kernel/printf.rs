//! Output of kernels (OpenCL C §6.15.14): each launch of a kernel with printf gets a buffer, whose text goes to the standard
//! output when the launch is done, before its event is complete. The buffer also says whether the driver ended loops of the
//! launch before their time: then the launch fails, and its queue with it. Launches that do not print share one buffer of their queue
//! for that, which is looked at when somebody is about to learn that they have ended.

use std::sync::{Arc, PoisonError};

use lower::printf::{HEADER_WORDS, decode, loops_were_ended, used_bytes};
use opencl_sys as cl;
use vk_runtime::{
    ArgValue, Buffer, BufferUse, Kernel, NdRange, SaveArea, area_header, read_area, write_area,
};

use crate::abi::error::{ClError, ClResult};
use crate::device::checking::{self, Arguments, Unread, Watched};
use crate::device::creation::Creation;
use crate::device::host_work;
use crate::device::loop_watch::HEADER_ALONE;
use crate::device::queue::Queue;
use crate::program::printf_buffers::{Room, Spare};
use host::profile::PRINTF_BUFFER_SIZE;
use scheduler::HostWork;

/// This many buffers are kept for later launches.
const KEPT: usize = 8;
/// Larger ones are not kept.
const LARGEST_KEPT: u64 = 8 << 20;

/// The buffer that one launch prints to.
pub(crate) struct Output {
    room: Room,
    kernel: Kernel,
    range: NdRange,
    arguments: Arc<Arguments>,
    /// Where the room for records of buffers' contents begins.
    contents: u64,
    spare: Spare,
    /// What may report before the launch ends.
    watched: Option<Arc<Watched>>,
}

impl Output {
    /// A buffer with the header that a launch with these arguments expects, written before what is recorded next, a save area, room for so many bytes of
    /// buffers' contents, and records.
    pub(crate) fn new(
        spare: &Spare,
        stream: &vk_runtime::Queue,
        kernel: &Kernel,
        range: &NdRange,
        (area, args, contents): (SaveArea, &[ArgValue<'_>], u64),
        creations: Vec<(u32, Arc<Creation>)>,
    ) -> ClResult<Self> {
        let info = kernel.info();
        let records = vk_runtime::record_bytes(info, args, range.global_size, stream.device());
        let text = if info.printf.formats.is_empty() { HEADER_ALONE } else { PRINTF_BUFFER_SIZE as u64 };
        let text = info.printf.buffer_bytes(text);
        let start = area.buffer_bytes(info, text).next_multiple_of(16);
        let size = start + contents.next_multiple_of(16) + records;
        let kept = {
            let mut spare = spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = |room: &Room| (room.buffer.size(), room.text, room.area) == (size, text, area);
            spare.iter().position(fits).map(|at| spare.swap_remove(at))
        };
        let room = match kept {
            Some(room) => room,
            None => {
                // The records are what the kernel uses at each access.
                let records = contents + records > 0;
                let of = if records { BufferUse::Records } else { BufferUse::Download };
                let buffer = stream.device().create_buffer(size, of)?;
                buffer.clear_unused(4 * info.printf.first_record() as u64)?;
                write_area(stream, &buffer, area.rows(text), &area.no_states())?;
                Room { buffer, text, area }
            }
        };
        let header = area_header(info, text, area);
        match area.items {
            0 => drop(stream.write_buffer(&room.buffer, 0, &header)?),
            // Whoever kept it waited for its launch.
            _ => write_area(stream, &room.buffer, 0, &header)?,
        }
        if records > 0 {
            stream.fill_buffer(&room.buffer, size - records, records, &[0; 4])?;
        }
        let sizes = vk_runtime::argument_sizes(info, args);
        let arguments = Arc::new(Arguments { sizes, creations });
        let watched = Watched::new(kernel, range, &arguments, &room.buffer);
        Ok(Output {
            room,
            kernel: kernel.clone(),
            range: *range,
            arguments,
            contents: start,
            spare: spare.clone(),
            watched,
        })
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.room.buffer
    }

    /// Where the room for records of buffers' contents begins.
    pub(crate) fn contents(&self) -> u64 {
        self.contents
    }

    /// Returns what to do when the launch, of this queue, is done.
    pub(crate) fn work(self, stream: &vk_runtime::Queue, queue: &Queue) -> HostWork {
        let (stream, commands, context) = (stream.clone(), queue.commands.clone(), queue.context.clone());
        // Dropped with the work, if the launch fails.
        let unread = Unread(self.watched.clone());
        host_work::light(move || {
            unread.end();
            let mut header = [0; 4 * HEADER_WORDS];
            let Room { buffer, text, .. } = &self.room;
            match self.room.area.items {
                0 => stream.begin_read(buffer, 0, header.len() as u64)?.finish(&mut header)?,
                _ => read_area(&stream, buffer, 0, &mut header)?,
            }
            let mut faults = false;
            let ended = loops_were_ended(&header);
            let used = used_bytes(&header, *text);
            let info = self.kernel.info();
            if !info.printf.is_empty() {
                let mut data = vec![0; usize::try_from(used).unwrap_or(0)];
                stream.begin_read(buffer, 0, used)?.finish(&mut data)?;
                faults = checking::report(info, &data, &self.range, &self.arguments);
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
                commands.fail(cl::CL_OUT_OF_RESOURCES);
            }
            let mut spare = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Without faults: whoever looks at it before the next launch begins finds none.
            let clean = (!ended || self.room.area.items == 0) && !faults;
            if clean && spare.len() < KEPT && self.room.buffer.size() <= LARGEST_KEPT {
                spare.push(self.room);
            }
            if faults {
                checking::stop();
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
        let stream = standard_output();
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stream);
        libc::fflush(stream);
    }
}

/// The C library's standard output.
#[cfg(unix)]
fn standard_output() -> *mut libc::FILE {
    unsafe extern "C" {
        #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library's own, which a program may change only before its first use.
    unsafe { stdout }
}

/// The same, of the C library that this library uses. A program with another one has a stream of its own.
#[cfg(windows)]
fn standard_output() -> *mut libc::FILE {
    unsafe extern "C" {
        safe fn __acrt_iob_func(index: std::ffi::c_uint) -> *mut libc::FILE;
    }
    __acrt_iob_func(1)
}

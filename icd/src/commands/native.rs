//! Functions of the application as commands (clEnqueueNativeKernel, §5.10), where the device is the processor.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use scheduler::{Done, HostWork};
use vk_runtime::{Buffer, DeviceKind, Points, Queue as Stream};

use crate::abi::callbacks::{Callback, NativeFunction};
use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::device::Device;
use crate::device::queue::Queue;
use crate::memory::{Access, Memory};

/// A block of arguments, aligned for all that C puts into one.
pub(crate) struct Arguments {
    words: Vec<u128>,
    size: usize,
}

impl Arguments {
    /// A copy.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut out =
            Arguments { words: vec![0; bytes.len().div_ceil(size_of::<u128>())], size: bytes.len() };
        for (word, bytes) in out.words.iter_mut().zip(bytes.chunks(size_of::<u128>())) {
            let mut all = [0; size_of::<u128>()];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u128::from_ne_bytes(all);
        }
        out
    }

    /// Puts a pointer where the application has the handle of a memory object.
    fn set(&mut self, offset: usize, pointer: *mut u8) {
        let start = self.words.as_mut_ptr().cast::<u8>();
        debug_assert!(offset + size_of::<usize>() <= self.size);
        // SAFETY: the place lies in the block, by `NativeCall::new`'s check; it need not be aligned.
        unsafe { start.add(offset).cast::<*mut u8>().write_unaligned(pointer) };
    }
}

/// A call of a function of the application.
pub(crate) struct NativeCall {
    function: NativeFunction,
    arguments: Arguments,
    /// The memory objects, and the places of their handles in the arguments.
    memories: Vec<(Arc<Memory>, usize)>,
    queue: Arc<Queue>,
}

/// Returns whether a device calls functions of the application: its memory is the host's.
pub(crate) fn is_native(device: &Device) -> bool {
    device.physical.kind() == DeviceKind::Cpu
}

/// clEnqueueNativeKernel.
///
/// # Errors
/// CL_INVALID_OPERATION for a device that is not the processor, CL_INVALID_CONTEXT for a buffer of another context, CL_INVALID_VALUE for a place
/// outside of the arguments.
pub(crate) fn enqueue(
    queue: &Arc<Queue>,
    request: Request<'_>,
    function: NativeFunction,
    arguments: Arguments,
    memories: Vec<(Arc<Memory>, usize)>,
) -> ClResult<()> {
    ensure(is_native(&queue.device), cl::CL_INVALID_OPERATION)?;
    for (memory, offset) in &memories {
        queue.context.same(memory.context())?;
        let end = offset.checked_add(size_of::<usize>());
        ensure(end.is_some_and(|end| end <= arguments.size), cl::CL_INVALID_VALUE)?;
    }
    queue.enqueue(request, NativeCall { function, arguments, memories, queue: queue.clone() })
}

impl Command for NativeCall {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let NativeCall { function, mut arguments, memories, queue } = self;
        let mut points = Points::none();
        let mut buffers: Vec<Buffer> = Vec::with_capacity(memories.len());
        for (memory, place) in &memories {
            let index = memory.store.index(&queue.runtime)?;
            memory.store.prepare_any(index, Access::Write)?;
            let (buffer, offset, _) = memory.device_buffer(&queue.runtime)?;
            points.merge(&stream.last_use(&buffer));
            let start = buffer.host_ptr().ok_or(ClError(cl::CL_OUT_OF_RESOURCES))?;
            arguments.set(*place, start.wrapping_add(usize::try_from(offset).unwrap_or(0)));
            buffers.push(buffer);
        }
        let executor = queue.context.executor.clone();
        let work = HostWork::application(move |then| {
            let each = |call: fn(&Buffer) -> Result<(), vk_runtime::RuntimeError>, buffers: &[Buffer]| {
                buffers.iter().for_each(|buffer| {
                    if let Err(e) = call(buffer) {
                        log::error!("a native kernel's buffer: {e}");
                    }
                });
            };
            each(|buffer| buffer.invalidate_host(0..buffer.size()), &buffers);
            let place = UserPointer(arguments.words.as_mut_ptr().cast());
            executor.give_then(Callback::Native(function, place), move || {
                // Until here they are alive.
                drop((arguments, memories));
                each(|buffer| buffer.flush_host(0..buffer.size()), &buffers);
                then();
            });
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        // Of shared virtual memory nothing is known: the arguments may point there.
        true
    }
}

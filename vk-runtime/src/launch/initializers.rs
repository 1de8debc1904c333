//! Kernels that give objects of a program their values (C++ for OpenCL): they run once, before the program's first launch.

use smallvec::SmallVec;

use crate::error::RuntimeError;
use crate::kernel::arguments::ArgValue;
use crate::kernel::ndrange::NdRange;
use crate::kernel::program::{Kernel, KernelInner};
use crate::launch::resume::area_header;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;
use crate::stream::queue::Queue;

/// Bytes for the text of such a kernel, which is dropped.
const TEXT: u64 = 1 << 16;

/// Runs the initialisers of a kernel's program, and waits for them, unless they have run or the kernel is one of them.
///
/// # Errors
/// As a launch's.
pub(super) fn run(queue: &Queue, kernel: &KernelInner) -> Result<(), RuntimeError> {
    if kernel.info.is_initializer() {
        return Ok(());
    }
    kernel.program.initialize(|initializer| {
        let range = NdRange::new_1d(1).with_local([1, 1, 1]);
        let buffer = buffer(queue, initializer, &range)?;
        let args: SmallVec<[ArgValue<'_>; 1]> = buffer.iter().map(ArgValue::Printf).collect();
        queue.dispatch(initializer, &args, &range)?;
        queue.finish()
    })
}

/// The buffer of an initialiser that prints or watches its loops.
fn buffer(queue: &Queue, kernel: &Kernel, range: &NdRange) -> Result<Option<Buffer>, RuntimeError> {
    let info = kernel.info();
    if !info.takes_buffer() {
        return Ok(None);
    }
    let text = info.printf.buffer_bytes(TEXT);
    let area = queue.save_area(kernel, &[], range)?;
    let size = area.buffer_bytes(info, text).next_multiple_of(16);
    let buffer = Buffer::new(queue.device_inner(), size, BufferUse::Device, "printf of an initialiser")?;
    queue.write_buffer(&buffer, 0, &area_header(info, text, area))?;
    queue.write_buffer(&buffer, area.rows(text), &area.no_states())?;
    Ok(Some(buffer))
}

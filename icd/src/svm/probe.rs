//! Shows that a device follows host pointers: a kernel walks a list that the host built, writes through its pointers, and
//! builds one that the host walks.

use frontend::options::{AddressWidth, Options};
use lower::{BindingChoice, BindingModel, LowerOptions};
use vk_runtime::{ArgValue, BufferUse, NdRange};

use super::shared_start;
use crate::device::Device;
use crate::error::{ClError, ClResult};

/// A node is its value and the next node. The kernel adds 1 to every value, sums them up, then turns the list around.
const SOURCE: &str = "
typedef struct node { ulong value; global struct node *next; } node;
kernel void walk(global node *list, global ulong *out) {
    global node *before = 0;
    ulong sum = 0;
    while (list) {
        list->value += 1;
        sum += list->value;
        global node *next = list->next;
        list->next = before;
        before = list;
        list = next;
    }
    out[0] = sum;
    out[1] = (ulong)before;
}";

const NODES: usize = 5;
/// Bytes of a node.
const NODE: usize = 16;
/// The answers' place.
const ANSWER: usize = 1024;

/// Runs the kernel. False when addresses differ, or a result is wrong.
///
/// # Errors
/// When memory, the compilation or the run fails.
pub(super) fn run(device: &Device) -> ClResult<bool> {
    let runtime = device.runtime()?;
    let memory = runtime.device.create_buffer(4096, BufferUse::Svm)?;
    let Some(start) = shared_start(&memory) else { return Ok(false) };
    const BUG: ClError = ClError(opencl_sys::CL_OUT_OF_RESOURCES);
    let options = Options { address_width: AddressWidth::Bits64, ..Options::default() };
    let module = frontend::compile("svm.cl", SOURCE, &options).spirv.ok_or(BUG)?;
    let binding = BindingChoice::Fixed(BindingModel::Address);
    let lowered = lower::lower(&module, &device.target, &LowerOptions { binding, ..LowerOptions::default() })
        .map_err(|e| {
            log::warn!("the kernel that shows shared virtual memory: {e}");
            BUG
        })?;
    let kernel = runtime.device.create_program(&lowered)?.kernel("walk")?;
    let node = |i: usize| start.wrapping_add((NODES - 1 - i) * 64);
    for i in 0..NODES {
        let next = if i + 1 < NODES { node(i + 1).addr() as u64 } else { 0 };
        // SAFETY: 4096 bytes of mapped memory that nothing else uses; aligned as Vulkan aligns memory.
        unsafe {
            node(i).cast::<u64>().write_unaligned(i as u64 * 10);
            node(i).add(NODE / 2).cast::<u64>().write_unaligned(next);
        }
    }
    memory.flush_host(0..4096)?;
    let at = |offset: usize| ArgValue::BufferRange { buffer: &memory, offset: offset as u64, size: 64 };
    let args = [at((NODES - 1) * 64), at(ANSWER)];
    let value = runtime.stream.dispatch(&kernel, &args, &NdRange::new_1d(1))?;
    runtime.stream.wait(value)?;
    memory.invalidate_host(0..4096)?;
    // SAFETY: as above; the kernel is done.
    let read = |place: *mut u8| unsafe { place.cast::<u64>().read_volatile() };
    let answer = start.wrapping_add(ANSWER);
    let mut right = read(answer) == 105 && read(answer.wrapping_add(8)) == node(NODES - 1).addr() as u64;
    for i in 0..NODES {
        let next = if i > 0 { node(i - 1).addr() as u64 } else { 0 };
        right &= read(node(i)) == i as u64 * 10 + 1 && read(node(i).wrapping_add(NODE / 2)) == next;
    }
    Ok(right)
}

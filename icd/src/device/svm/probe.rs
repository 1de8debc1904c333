//! Shows that a device follows host pointers: a kernel walks a list that the host built, writes through its pointers, and turns it
//! around; another builds one that the host walks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use frontend::options::{AddressWidth, Options};
use lower::{BindingChoice, BindingModel, LowerOptions};
use opencl_sys as cl;
use vk_runtime::{ArgValue, BufferUse, DispatchExtras, NdRange, Points, SharedPlace};

use crate::abi::error::{ClError, ClResult};
use crate::device::Runtime;
use crate::device::svm::heap::{Heap, Piece};
use crate::device::svm::mapping;
use crate::device::svm::multi_device::{MultiDeviceMemory, Part};

/// A node is its value and the next node. `walk` adds 1 to every value, sums them up, then turns the list around; `build` makes a
/// list of what it is given.
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
}
kernel void build(global node *nodes, global ulong *out) {
    for (int i = 0; i < 5; i++) {
        nodes[i].value = 7 * i;
        nodes[i].next = i ? nodes + i - 1 : 0;
    }
    out[0] = (ulong)(nodes + 4);
}
kernel void count(volatile global uint *sum, volatile global uint *bits) {
    for (int i = 0; i < 20001; i++) {
        atomic_inc(sum);
        atomic_xor(bits, 2u);
    }
}";

/// The results of the probe.
pub(crate) struct Seen {
    /// Pointers into shared memory mean the same.
    pub(crate) shared: bool,
    /// So do pointers into any memory of the host's.
    pub(crate) system: bool,
    /// They do, too, where host and device have memory of their own at an address and somebody copies, and that is better.
    pub(crate) copies: bool,
    /// Kernels' atomics are atomic with the host's.
    pub(crate) atomics: bool,
}

/// A node as the host sees it.
#[repr(C)]
struct Node {
    value: u64,
    next: u64,
}

const NODES: usize = 5;
/// The count of the kernel.
const COUNTED: u32 = 20_001;
const BUG: ClError = ClError(cl::CL_OUT_OF_RESOURCES);

/// The kernels, on a device.
struct Probe<'a> {
    runtime: &'a Runtime,
    base: u64,
    walk: vk_runtime::Kernel,
    build: vk_runtime::Kernel,
    count: vk_runtime::Kernel,
}

/// Runs the kernels.
///
/// # Errors
/// When memory, the compilation or a run fails.
/// `may_count`: whether it is worth trying if the host's atomics and the device's go together.
pub(crate) fn run(runtime: &Runtime, may_count: bool) -> ClResult<Seen> {
    let heap = runtime.heap.as_ref().ok_or(BUG)?;
    let probe = Probe::new(runtime)?;
    let shared = probe.shares(heap, [SharedPlace::Device, SharedPlace::Host])?;
    let system = shared && mapping::may_reach_system(runtime) && probe.reaches_system()?;
    let wanted = heap.mapping.is_some_and(|mapping| runtime.device.copies_shared(mapping));
    let copies = shared && wanted && probe.shares(heap, [SharedPlace::Copied; 2]).unwrap_or(false);
    if wanted && !copies {
        log::warn!(
            "shared virtual memory lies in the device's memory alone: the host's did not work beside it"
        );
    }
    let atomics = shared && may_count && probe.counts(heap)?;
    Ok(Seen { shared, system, copies, atomics })
}

/// Returns whether a device's kernels follow pointers into memory that other devices reach, too.
pub(crate) fn follows(runtime: &Runtime, multi_device: &Arc<MultiDeviceMemory>) -> bool {
    let seen = || {
        let parts = (0..=NODES).map(|_| multi_device.allocate(128)).collect::<ClResult<Vec<_>>>()?;
        let at: Vec<usize> = parts.iter().map(Part::address).collect();
        let right = Probe::new(runtime)?.follows(&at, |_| Ok(()));
        // The kernels are done, or the device is lost.
        parts.into_iter().for_each(|part| part.free(&[]));
        right
    };
    let name = runtime.device.physical().name();
    match seen() {
        Ok(true) => return true,
        Ok(false) => log::warn!("'{name}' does not follow pointers to memory of several devices"),
        Err(e) => {
            log::warn!("'{name}' has no memory of several devices: the kernels that show it failed ({})", e.0)
        }
    }
    false
}

impl<'a> Probe<'a> {
    fn new(runtime: &'a Runtime) -> ClResult<Self> {
        let base = runtime.shared_base();
        let options = Options { address_width: AddressWidth::Bits64, ..Options::default() };
        let module = frontend::compile("svm.cl", SOURCE, &options).spirv.ok_or(BUG)?;
        let binding = BindingChoice::Fixed(BindingModel::Address);
        let lowered =
            lower::lower(&module, &runtime.target, &LowerOptions { binding, ..LowerOptions::default() })
                .map_err(|e| {
                    log::warn!("the kernels that show shared virtual memory: {e}");
                    BUG
                })?;
        let program = runtime.device.create_program(&lowered)?;
        let [walk, build, count] = ["walk", "build", "count"].map(|name| program.kernel(name));
        Ok(Probe { runtime, base, walk: walk?, build: build?, count: count? })
    }

    /// A list whose nodes are in two places in turn.
    fn shares(&self, heap: &Heap, places: [SharedPlace; 2]) -> ClResult<bool> {
        let stream = &self.runtime.stream;
        let pieces: Vec<Piece> =
            (0..=NODES).map(|i| heap.allocate(places[i % 2], 128, stream)).collect::<ClResult<_>>()?;
        let at: Option<Vec<usize>> = pieces.iter().map(|p| p.pointer(self.base)).collect();
        let sides = |to_device| pieces.iter().try_for_each(|piece| self.copy(piece, to_device));
        let right = at.map_or(Ok(false), |at| self.follows(&at, sides));
        pieces.into_iter().for_each(|piece| heap.free(piece, stream));
        right
    }

    /// The kernels, on nodes and an answer that lie there, each with 128 bytes. `sides`: brings what lies twice to the device, or to the
    /// host.
    fn follows(&self, at: &[usize], sides: impl Fn(bool) -> ClResult<()>) -> ClResult<bool> {
        let [nodes @ .., answer] = at else { return Ok(false) };
        let Some(first) = nodes.first() else { return Ok(false) };
        Ok(self.walks(nodes, *answer, &sides)? && self.builds(*first, *answer, &sides)?)
    }

    /// The same in memory of the process that Vulkan knows nothing of.
    fn reaches_system(&self) -> ClResult<bool> {
        let mut memory = vec![0u64; 128];
        let start = memory.as_mut_ptr().expose_provenance();
        let nodes: Vec<usize> = (0..NODES).map(|i| start + (NODES - 1 - i) * 64).collect();
        let answer = start + 512;
        let right = self.walks(&nodes, answer, |_| Ok(()))? && self.builds(start, answer, |_| Ok(()))?;
        // The kernels are done; nothing else knows of it.
        drop(memory);
        Ok(right)
    }

    /// Copies memory that lies twice from one side to the other.
    fn copy(&self, piece: &Piece, to_device: bool) -> ClResult<()> {
        let Some(view) = piece.buffer.host_view()? else { return Ok(()) };
        let (stream, device, at) = (&self.runtime.stream, &piece.buffer, piece.offset);
        let point = match to_device {
            true => stream.copy_buffer(&view.buffer, view.start + at, device, at, 128)?,
            false => stream.copy_buffer(device, at, &view.buffer, view.start + at, 128)?,
        };
        Ok(stream.wait_only(point)?)
    }

    /// Returns whether no count is lost if a kernel and the host count at one place at once.
    fn counts(&self, heap: &Heap) -> ClResult<bool> {
        let stream = &self.runtime.stream;
        let piece = heap.allocate(SharedPlace::Host, 256, stream)?;
        let right = piece.pointer(self.base).map_or(Ok(false), |at| self.counts_at(at));
        heap.free(piece, stream);
        right
    }

    fn counts_at(&self, at: usize) -> ClResult<bool> {
        let word = |at| std::ptr::with_exposed_provenance_mut::<u32>(at);
        // SAFETY: aligned memory of 256 bytes, which nothing but the kernel uses beside.
        let [sum, bits] = [at, at + 128].map(|at| unsafe { AtomicU32::from_ptr(word(at)) });
        sum.store(0, Ordering::SeqCst);
        bits.store(0, Ordering::SeqCst);
        let points = self.enqueue(&self.count, at, at + 128)?;
        let mut own = 0u32;
        while own < 1000 || (own < 100_000_000 && !self.runtime.stream.has_come_to(&points)) {
            for _ in 0..101 {
                sum.fetch_add(1, Ordering::SeqCst);
                bits.fetch_xor(1, Ordering::SeqCst);
                own += 1;
            }
        }
        self.runtime.stream.wait_only(points)?;
        let all = sum.load(Ordering::SeqCst) == own + COUNTED;
        Ok(all && bits.load(Ordering::SeqCst) == (COUNTED & 1) * 2 + (own & 1))
    }

    fn launch(&self, kernel: &vk_runtime::Kernel, list: usize, answer: usize) -> ClResult<()> {
        let points = self.enqueue(kernel, list, answer)?;
        Ok(self.runtime.stream.wait_only(points)?)
    }

    fn enqueue(&self, kernel: &vk_runtime::Kernel, list: usize, answer: usize) -> ClResult<Points> {
        let address = |pointer: usize| ArgValue::Address((pointer as u64).wrapping_add(self.base).into());
        let extras = DispatchExtras { anything: true, ..DispatchExtras::default() };
        let stream = &self.runtime.stream;
        // Kernels that watch their loops tell here that the driver ended them; what they leave shows that as well.
        let output = self.runtime.device.create_buffer(64, BufferUse::Download)?;
        stream.write_buffer(&output, 0, &[0; 64])?;
        let args = [address(list), address(answer), ArgValue::Printf(&output)];
        let point = stream.dispatch_with(kernel, &args, &NdRange::new_1d(1), &extras)?;
        stream.flush()?;
        Ok(point.into())
    }

    /// Returns whether the kernel walks a list through some nodes and turns it around.
    fn walks(&self, nodes: &[usize], answer: usize, sides: impl Fn(bool) -> ClResult<()>) -> ClResult<bool> {
        for (i, at) in nodes.iter().enumerate() {
            let next = nodes.get(i + 1).map_or(0, |next| *next as u64);
            // SAFETY: memory for a node, aligned for all types, which nothing else uses.
            unsafe { node(*at).write_volatile(Node { value: i as u64 * 10, next }) };
        }
        let Some((first, last)) = nodes.first().zip(nodes.last()) else { return Ok(false) };
        sides(true)?;
        self.launch(&self.walk, *first, answer)?;
        sides(false)?;
        // SAFETY: as above; the kernel is done.
        let Node { value: sum, next: head } = unsafe { node(answer).read_volatile() };
        let mut right = sum == 105 && head == *last as u64;
        for (i, at) in nodes.iter().enumerate() {
            // SAFETY: as above.
            let seen = unsafe { node(*at).read_volatile() };
            let before = if i > 0 { nodes[i - 1] as u64 } else { 0 };
            right &= seen.value == i as u64 * 10 + 1 && seen.next == before;
        }
        Ok(right)
    }

    /// Returns whether the host walks a list that the kernel builds.
    fn builds(&self, start: usize, answer: usize, sides: impl Fn(bool) -> ClResult<()>) -> ClResult<bool> {
        self.launch(&self.build, start, answer)?;
        sides(false)?;
        // SAFETY: aligned memory of the answer's; the kernel is done.
        let mut at = unsafe { node(answer).read_volatile() }.value;
        let size = size_of::<Node>();
        for i in (0..NODES).rev() {
            // No pointer that is not the expected one is followed.
            if at != (start + i * size) as u64 {
                return Ok(false);
            }
            // SAFETY: memory for five nodes begins at `start`.
            let seen = unsafe { node(start + i * size).read_volatile() };
            if seen.value != i as u64 * 7 {
                return Ok(false);
            }
            at = seen.next;
        }
        Ok(at == 0)
    }
}

fn node(at: usize) -> *mut Node {
    std::ptr::with_exposed_provenance_mut(at)
}

//! CUDA's driver API as a third side: it imports Vulkan's memory, and semaphores of Vulkan and of OpenCL.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr::null_mut;

use opencl_sys::CL_DEVICE_UUID;
use pumice::entry::kernel::clReleaseKernel;
use vk_runtime::library::Library;

use crate::cl::{arg, kernel, launch, release};
use crate::peer::Side;
use crate::semaphores::{both, exported, give_back, imported, signal, wait};
use crate::{bytes_of, device_info, words_of};

type Pointer = *mut c_void;

/// CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.
const OPAQUE_FD: c_int = 1;

/// A handle of the two structures below: the union of a descriptor and of two pointers.
#[repr(C)]
struct HandleOf {
    descriptor: c_int,
    rest: [u32; 3],
}

/// CUDA_EXTERNAL_MEMORY_HANDLE_DESC.
#[repr(C)]
struct MemoryDesc {
    kind: c_int,
    padding: u32,
    handle: HandleOf,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_MEMORY_BUFFER_DESC.
#[repr(C)]
struct BufferDesc {
    offset: u64,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.
#[repr(C)]
struct SemaphoreDesc {
    kind: c_int,
    padding: u32,
    handle: HandleOf,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, which have one size. Binary semaphores need none of their members.
type SemaphoreParams = [u64; 18];

/// Adds 5 to each of the words.
const PTX: &CStr = c"
.version 7.0
.target sm_50
.address_size 64
.visible .entry f(.param .u64 words, .param .u32 count) {
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %a<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    ld.param.u32 %r4, [count];
    setp.ge.u32 %p, %r3, %r4;
    @%p bra END;
    ld.param.u64 %a0, [words];
    mul.wide.u32 %a1, %r3, 4;
    add.u64 %a2, %a0, %a1;
    ld.global.u32 %r5, [%a2];
    add.u32 %r5, %r5, 5;
    st.global.u32 [%a2], %r5;
END:
    ret;
}
";

/// A context of CUDA, current on this thread, on the device with a UUID.
struct Cuda {
    library: Library,
    context: Pointer,
}

/// Calls a function of CUDA, which must succeed. The types are those of its parameters.
macro_rules! call {
    ($library:expr, $name:literal, ($($ty:ty),*), ($($value:expr),*)) => {{
        // SAFETY: the driver's function has these parameters, and each pointer is valid for what the function does.
        let result = unsafe {
            let function = $library.function::<unsafe extern "C" fn($($ty),*) -> c_int>($name);
            function.expect("a function of CUDA")($($value),*)
        };
        assert_eq!(result, 0, "{:?}", $name);
    }};
}

impl Cuda {
    /// `None`, said aloud, where CUDA does not have the device.
    fn new(uuid: &[u8]) -> Option<Self> {
        // SAFETY: the driver's own library.
        let Some(library) = (unsafe { Library::open(c"libcuda.so.1") }) else {
            println!("SKIP: there is no CUDA driver");
            return None;
        };
        let mut count = 0;
        call!(library, c"cuInit", (c_uint), (0));
        call!(library, c"cuDeviceGetCount", (*mut c_int), (&mut count));
        let device = (0..count).find(|&index| {
            let mut found = [0u8; 16];
            call!(library, c"cuDeviceGetUuid", (*mut u8, c_int), (found.as_mut_ptr(), index));
            found == uuid
        });
        let Some(device) = device else {
            println!("SKIP: CUDA does not have the device");
            return None;
        };
        let mut context = null_mut();
        call!(library, c"cuCtxCreate_v2", (*mut Pointer, c_uint, c_int), (&mut context, 0, device));
        Some(Cuda { library, context })
    }

    /// Memory of a descriptor, which is CUDA's then: the object and its address.
    fn memory(&self, descriptor: OwnedFd, size: u64) -> (Pointer, u64) {
        let handle = HandleOf { descriptor: descriptor.into_raw_fd(), rest: [0; 3] };
        let desc = MemoryDesc { kind: OPAQUE_FD, padding: 0, handle, size, flags: 0, reserved: [0; 16] };
        let whole = BufferDesc { offset: 0, size, flags: 0, reserved: [0; 16] };
        let (mut memory, mut address) = (null_mut(), 0);
        call!(
            self.library,
            c"cuImportExternalMemory",
            (*mut Pointer, *const MemoryDesc),
            (&mut memory, &desc)
        );
        call!(
            self.library,
            c"cuExternalMemoryGetMappedBuffer",
            (*mut u64, Pointer, *const BufferDesc),
            (&mut address, memory, &whole)
        );
        (memory, address)
    }

    /// A semaphore of a descriptor, which is CUDA's then.
    fn semaphore(&self, descriptor: OwnedFd) -> Pointer {
        let handle = HandleOf { descriptor: descriptor.into_raw_fd(), rest: [0; 3] };
        let desc = SemaphoreDesc { kind: OPAQUE_FD, padding: 0, handle, flags: 0, reserved: [0; 16] };
        let mut made = null_mut();
        call!(
            self.library,
            c"cuImportExternalSemaphore",
            (*mut Pointer, *const SemaphoreDesc),
            (&mut made, &desc)
        );
        made
    }

    /// Waits in the default stream, adds 5 to each word, and signals.
    fn add(&self, function: Pointer, waits: Pointer, signals: Pointer, address: u64, count: u32) {
        let params: SemaphoreParams = [0; 18];
        let (mut address, mut count) = (address, count);
        let mut arguments: [Pointer; 2] = [(&raw mut address).cast(), (&raw mut count).cast()];
        call!(
            self.library,
            c"cuWaitExternalSemaphoresAsync",
            (*const Pointer, *const SemaphoreParams, c_uint, Pointer),
            (&waits, &params, 1, null_mut())
        );
        call!(
            self.library,
            c"cuLaunchKernel",
            (
                Pointer,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                Pointer,
                *mut Pointer,
                *mut Pointer
            ),
            (
                function,
                count.div_ceil(128),
                1,
                1,
                128,
                1,
                1,
                0,
                null_mut(),
                arguments.as_mut_ptr(),
                null_mut()
            )
        );
        call!(
            self.library,
            c"cuSignalExternalSemaphoresAsync",
            (*const Pointer, *const SemaphoreParams, c_uint, Pointer),
            (&signals, &params, 1, null_mut())
        );
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        call!(self.library, c"cuCtxDestroy_v2", (Pointer), (self.context));
    }
}

/// Frames in which Vulkan, OpenCL and CUDA work on one buffer in sequence, ordered by semaphores alone: Vulkan's between Vulkan and OpenCL,
/// OpenCL's between OpenCL and CUDA, and Vulkan's between CUDA and Vulkan.
#[test]
fn frames_of_three() {
    const COUNT: usize = 4096;
    const FRAMES: u32 = 40;
    let Some(both) = both() else { return };
    let uuid = device_info(both.cl.device, CL_DEVICE_UUID).expect("a UUID");
    let Some(cuda) = Cuda::new(&uuid) else { return };
    let peer = &both.peer;
    let (buffer, shared) = peer.shared_buffer(COUNT as u64 * 4);
    let memory = both.import(peer.export(&shared), COUNT * 4);
    let (external, address) = cuda.memory(peer.export(&shared), COUNT as u64 * 4);
    let (peer_ready, peer_done) = (peer.semaphore(true), peer.semaphore(true));
    let ready = imported(&both, peer.export_semaphore(peer_ready));
    let (mapped, cuda_mapped) = {
        let (semaphore, descriptor) = exported(&both);
        (semaphore, cuda.semaphore(descriptor))
    };
    let cuda_done = cuda.semaphore(peer.export_semaphore(peer_done));
    let (mut module, mut function) = (null_mut(), null_mut());
    call!(cuda.library, c"cuModuleLoadData", (*mut Pointer, *const c_char), (&mut module, PTX.as_ptr()));
    call!(
        cuda.library,
        c"cuModuleGetFunction",
        (*mut Pointer, Pointer, *const c_char),
        (&mut function, module, c"f".as_ptr())
    );
    let kernel = kernel(
        both.cl.context,
        "kernel void f(global uint* x) { size_t i = get_global_id(0); x[i] = x[i] * 3 + 1; }",
        c"f",
    );
    arg(kernel, 0, &memory);
    let mut wanted: Vec<u32> = (0..COUNT as u32).collect();
    peer.write(buffer, &bytes_of(&wanted));
    let mut submitted = Vec::new();
    for frame in 0..FRAMES {
        let waits = if frame == 0 { vec![] } else { vec![peer_done] };
        submitted.push(peer.submit(&waits, &[peer_ready], |device, commands| {
            peer.owner_of_buffer(commands, buffer, Side::Acquire);
            // SAFETY: a word of the buffer.
            unsafe { device.cmd_update_buffer(commands, buffer, 0, &frame.to_ne_bytes()) };
            peer.owner_of_buffer(commands, buffer, Side::Release);
        }));
        wait(&both, ready);
        both.acquire(&[memory]);
        launch(both.cl.queue, kernel, COUNT);
        both.release(&[memory]);
        signal(&both, mapped);
        cuda.add(function, cuda_mapped, cuda_done, address, COUNT as u32);
        wanted[0] = frame;
        wanted.iter_mut().for_each(|w| *w = w.wrapping_mul(3).wrapping_add(6));
    }
    peer.run(&[peer_done], &[], |_, _| {});
    submitted.into_iter().for_each(|s| peer.finish(s));
    assert_eq!(words_of(&peer.read(buffer, COUNT * 4)), wanted);
    both.cl.finish();
    call!(cuda.library, c"cuMemFree_v2", (u64), (address));
    call!(cuda.library, c"cuDestroyExternalMemory", (Pointer), (external));
    for semaphore in [cuda_mapped, cuda_done] {
        call!(cuda.library, c"cuDestroyExternalSemaphore", (Pointer), (semaphore));
    }
    release(memory);
    [ready, mapped].into_iter().for_each(give_back);
    // SAFETY: given back once; the peer's commands have ended.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        peer.device.destroy_buffer(buffer, None);
        [peer_ready, peer_done].into_iter().for_each(|s| peer.device.destroy_semaphore(s, None));
    }
    peer.free(shared);
}

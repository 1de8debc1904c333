//! cl_intel_unified_shared_memory: allocations of the host, of a device, and of both, as pointers.
//!
//! Allocations of a device need device addresses alone; the host may copy them and follows no pointer to them. The others are
//! there where the probe saw shared pointers. Nothing migrates: shared memory is the device's, which the host reaches.

use std::sync::Arc;

use opencl_sys as cl;
use smallvec::smallvec;
use vk_runtime::SharedPlace;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::device::context::Context;
use crate::device::svm::{Allocation, Asked, Kind, check_alignment, sharing};

const ACCESS: u64 = cl::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
const ATOMIC: u64 = cl::CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
/// CL_MEM_ALLOC_FLAGS_INTEL, as a query.
const FLAGS: cl::cl_mem_info_intel = cl::CL_MEM_ALLOC_FLAGS_INTEL as cl::cl_mem_info_intel;
const CONCURRENT: u64 = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
const CONCURRENT_ATOMIC: u64 = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;

/// Returns whether a query is one of CL_DEVICE_*_MEM_CAPABILITIES_INTEL.
pub(crate) fn is_query(param: cl::cl_device_info) -> bool {
    let (first, last) =
        (cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL);
    (first..=last).contains(&param)
}

/// The answer to such a query.
pub(crate) fn capabilities(device: &Device, param: cl::cl_device_info) -> u64 {
    let own = if device.target.has_address_model() { ACCESS | ATOMIC } else { 0 };
    let shared = || match device.svm_capabilities() {
        0 => 0,
        has if has & cl::CL_DEVICE_SVM_ATOMICS != 0 => ACCESS | ATOMIC | CONCURRENT | CONCURRENT_ATOMIC,
        // Kernels' atomics are atomic among kernels; with the host's they are not claimed to be.
        _ => ACCESS | ATOMIC | CONCURRENT,
    };
    match param {
        cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => own,
        cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => shared(),
        cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL if device.shared().reaches_system() => shared(),
        // Not across devices, and not without a probe.
        _ => 0,
    }
}

/// The flags of a list of properties, with its 0 at the end.
///
/// # Errors
/// CL_INVALID_PROPERTY for others, unknown flags, or such as the kind of memory does not take.
fn flags(properties: &[u64], kind: Kind) -> ClResult<u64> {
    let placements =
        cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    let mut found = None;
    for pair in properties.chunks_exact(2) {
        let &[name, value] = pair else { continue };
        ensure(name == cl::CL_MEM_ALLOC_FLAGS_INTEL && found.is_none(), cl::CL_INVALID_PROPERTY)?;
        found = Some(value);
    }
    let flags = found.unwrap_or(0);
    let known = flags & !(placements | cl::CL_MEM_ALLOC_WRITE_COMBINED_INTEL) == 0;
    let placed = (flags & placements).count_ones();
    ensure(known && placed <= u32::from(kind == Kind::Shared), cl::CL_INVALID_PROPERTY)?;
    Ok(flags)
}

/// clHostMemAllocINTEL, clDeviceMemAllocINTEL and clSharedMemAllocINTEL.
///
/// # Errors
/// Those of the extension.
pub(crate) fn allocate(
    context: &Context,
    kind: Kind,
    device: Option<Arc<Device>>,
    properties: &[u64],
    size: usize,
    alignment: u32,
) -> ClResult<UserPointer> {
    ensure(device.as_ref().is_none_or(|d| context.has(d)), cl::CL_INVALID_DEVICE)?;
    let on = match (&device, kind) {
        (Some(device), Kind::Device) => {
            ensure(device.target.has_address_model(), cl::CL_INVALID_OPERATION)?;
            device
        }
        (Some(device), _) => {
            ensure(device.svm_capabilities() != 0, cl::CL_INVALID_OPERATION)?;
            device
        }
        (None, Kind::Device) => return fail(cl::CL_INVALID_DEVICE),
        (None, _) => {
            let first = context.devices.iter().find(|d| d.svm_capabilities() != 0);
            first.ok_or(ClError(cl::CL_INVALID_OPERATION))?
        }
    };
    check_alignment(alignment)?;
    let flags = flags(properties, kind)?;
    ensure(size > 0 && size as u64 <= on.caps.max_mem_alloc_size, cl::CL_INVALID_BUFFER_SIZE)?;
    // Nobody says when the host reads shared memory, and the device's takes a microsecond a word.
    let devices = flags & cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL != 0;
    let place = match kind {
        Kind::Device => SharedPlace::Hidden,
        Kind::Shared if devices => SharedPlace::Device,
        _ => SharedPlace::Host,
    };
    let runtimes = match kind {
        Kind::Device => smallvec![context.runtime(on)?.clone()],
        _ => sharing(context)?,
    };
    let asked = Asked { kind, place, size, device: device.clone(), flags };
    // The extension's own words for no memory.
    context.svm.make(&runtimes, asked).map_err(|_| ClError(cl::CL_OUT_OF_RESOURCES))
}

/// clMemFreeINTEL, clMemBlockingFreeINTEL.
///
/// # Errors
/// CL_INVALID_VALUE for what was not allocated so.
pub(crate) fn free(context: &Context, pointer: usize, blocking: bool) -> ClResult<()> {
    if pointer == 0 {
        return Ok(());
    }
    let found = context.svm.find(pointer).filter(|a| a.kind != Kind::Svm && a.pointer.0.addr() == pointer);
    let allocation = found.ok_or(ClError(cl::CL_INVALID_VALUE))?;
    if blocking {
        wait_for_uses(context, &allocation);
    }
    drop(allocation);
    let removed = context.svm.remove(pointer, |kind| kind != Kind::Svm);
    ensure(removed.is_some(), cl::CL_INVALID_VALUE)
}

/// Waits for the commands that may use an allocation, all of which are its context's; how they end is theirs ("Freeing Unified Shared Memory
/// Allocations": "to wait for previously enqueued commands to finish that may be using ptr"). A command that waits for the application is
/// one of them only if it uses the memory.
fn wait_for_uses(context: &Context, allocation: &Allocation) {
    let memory = allocation.addresses();
    for queue in context.queues() {
        queue.wait_for_uses(&memory);
    }
    for runtime in allocation.runtimes() {
        if let Some(buffer) = allocation.on(runtime) {
            // Recorded commands end without the host, and a lost device uses nothing.
            let _ = runtime.stream.wait_only(runtime.stream.last_use(buffer));
        }
    }
}

/// clGetMemAllocInfoINTEL.
///
/// # Errors
/// CL_INVALID_VALUE for an unknown query.
pub(crate) fn info(context: &Context, pointer: usize, param: cl::cl_mem_info_intel) -> ClResult<ParamValue> {
    let found = context.svm.find(pointer).filter(|a| a.kind != Kind::Svm);
    let found: Option<&Allocation> = found.as_deref();
    Ok(match param {
        cl::CL_MEM_ALLOC_TYPE_INTEL => ParamValue::uint(match found.map(|a| a.kind) {
            Some(Kind::Host) => cl::CL_MEM_TYPE_HOST_INTEL,
            Some(Kind::Device) => cl::CL_MEM_TYPE_DEVICE_INTEL,
            Some(Kind::Shared) => cl::CL_MEM_TYPE_SHARED_INTEL,
            Some(Kind::Svm) | None => cl::CL_MEM_TYPE_UNKNOWN_INTEL,
        }),
        cl::CL_MEM_ALLOC_BASE_PTR_INTEL => {
            ParamValue::pointer(found.map_or(std::ptr::null(), |a| a.pointer.0))
        }
        cl::CL_MEM_ALLOC_SIZE_INTEL => ParamValue::size(found.map_or(0, |a| a.size)),
        cl::CL_MEM_ALLOC_DEVICE_INTEL => {
            let device = found.and_then(|a| a.device.as_ref());
            ParamValue::pointer(device.map_or(std::ptr::null_mut(), |d| d.raw()))
        }
        FLAGS => ParamValue::ulong(found.map_or(0, |a| a.flags)),
        _ => return fail(cl::CL_INVALID_VALUE),
    })
}

//! Functions by their names (OpenCL API §4.5): those of extensions, which have no place in the loader's table.

use std::ffi::{c_char, c_void};

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::error::fail;
use crate::abi::extensions;
use crate::abi::ffi;
use crate::abi::handle::Object;
use crate::abi::names::NAMES;
use crate::commands::command_buffer::{CommandBuffer, MutableCommand};
use crate::device::context::Context;
use crate::device::event::Event;
use crate::device::queue::Queue;
use crate::entry::guard::entry;
use crate::entry::{command_buffer, dispatch_table, image, kernel, platform, usm};
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::memory::sampler::Sampler;
use crate::program::Program;

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clGetExtensionFunctionAddress = Some(clGetExtensionFunctionAddress);
    table.clGetExtensionFunctionAddressForPlatform = Some(clGetExtensionFunctionAddressForPlatform);
}

/// The functions of extensions that are there: those of [`extensions`].
fn extension(name: &str) -> Option<*const c_void> {
    if !extensions::functions().any(|known| known == name) {
        return None;
    }
    Some(match name {
        "clIcdGetPlatformIDsKHR" => platform::clIcdGetPlatformIDsKHR as *const c_void,
        "clIcdGetFunctionAddressForPlatformKHR" => {
            platform::clIcdGetFunctionAddressForPlatformKHR as *const c_void
        }
        "clIcdSetPlatformDispatchDataKHR" => platform::clIcdSetPlatformDispatchDataKHR as *const c_void,
        // cl_khr_create_command_queue, cl_khr_suggested_local_work_size: the functions of OpenCL 2.0 and 3.1.
        "clCreateCommandQueueWithPropertiesKHR" => {
            return by_name("clCreateCommandQueueWithProperties");
        }
        // cl_khr_il_program: the function of OpenCL 2.1.
        "clCreateProgramWithILKHR" => return by_name("clCreateProgramWithIL"),
        "clGetKernelSuggestedLocalWorkSizeKHR" => {
            return by_name("clGetKernelSuggestedLocalWorkSize");
        }
        "clGetImageRequirementsInfoEXT" => image::clGetImageRequirementsInfoEXT as *const c_void,
        "clSetKernelArgDevicePointerEXT" => kernel::clSetKernelArgDevicePointerEXT as *const c_void,
        "clCommandBarrierWithWaitListKHR" => command_buffer::clCommandBarrierWithWaitListKHR as *const c_void,
        "clCommandCopyBufferKHR" => command_buffer::clCommandCopyBufferKHR as *const c_void,
        "clCommandCopyBufferRectKHR" => command_buffer::clCommandCopyBufferRectKHR as *const c_void,
        "clCommandCopyBufferToImageKHR" => command_buffer::clCommandCopyBufferToImageKHR as *const c_void,
        "clCommandCopyImageKHR" => command_buffer::clCommandCopyImageKHR as *const c_void,
        "clCommandCopyImageToBufferKHR" => command_buffer::clCommandCopyImageToBufferKHR as *const c_void,
        "clCommandFillBufferKHR" => command_buffer::clCommandFillBufferKHR as *const c_void,
        "clCommandFillImageKHR" => command_buffer::clCommandFillImageKHR as *const c_void,
        "clCommandNDRangeKernelKHR" => command_buffer::clCommandNDRangeKernelKHR as *const c_void,
        "clCommandSVMMemFillKHR" => command_buffer::clCommandSVMMemFillKHR as *const c_void,
        "clCommandSVMMemcpyKHR" => command_buffer::clCommandSVMMemcpyKHR as *const c_void,
        "clCreateCommandBufferKHR" => command_buffer::clCreateCommandBufferKHR as *const c_void,
        "clEnqueueCommandBufferKHR" => command_buffer::clEnqueueCommandBufferKHR as *const c_void,
        "clFinalizeCommandBufferKHR" => command_buffer::clFinalizeCommandBufferKHR as *const c_void,
        "clGetCommandBufferInfoKHR" => command_buffer::clGetCommandBufferInfoKHR as *const c_void,
        "clReleaseCommandBufferKHR" => command_buffer::clReleaseCommandBufferKHR as *const c_void,
        "clRetainCommandBufferKHR" => command_buffer::clRetainCommandBufferKHR as *const c_void,
        "clGetMutableCommandInfoKHR" => command_buffer::clGetMutableCommandInfoKHR as *const c_void,
        "clUpdateMutableCommandsKHR" => command_buffer::clUpdateMutableCommandsKHR as *const c_void,
        "clDeviceMemAllocINTEL" => usm::clDeviceMemAllocINTEL as *const c_void,
        "clEnqueueMemAdviseINTEL" => usm::clEnqueueMemAdviseINTEL as *const c_void,
        "clEnqueueMemFillINTEL" => usm::clEnqueueMemFillINTEL as *const c_void,
        "clEnqueueMemcpyINTEL" => usm::clEnqueueMemcpyINTEL as *const c_void,
        "clEnqueueMigrateMemINTEL" => usm::clEnqueueMigrateMemINTEL as *const c_void,
        "clGetMemAllocInfoINTEL" => usm::clGetMemAllocInfoINTEL as *const c_void,
        "clHostMemAllocINTEL" => usm::clHostMemAllocINTEL as *const c_void,
        "clMemBlockingFreeINTEL" => usm::clMemBlockingFreeINTEL as *const c_void,
        "clMemFreeINTEL" => usm::clMemFreeINTEL as *const c_void,
        "clSetKernelArgMemPointerINTEL" => usm::clSetKernelArgMemPointerINTEL as *const c_void,
        "clSharedMemAllocINTEL" => usm::clSharedMemAllocINTEL as *const c_void,
        "pumiceLiveObjectsPUMICE" => pumiceLiveObjectsPUMICE as *const c_void,
        _ => return None,
    })
}

/// For tests of leaks: how many objects of a kind ("context", "queue", "memory", "sampler", "program", "kernel", "event", "command buffer", "mutable command") are alive, the
/// ones that only other objects hold included; "buffers": Vulkan buffers of the devices that contexts use. -1 for
/// another kind.
///
/// # Safety
/// `kind` is NULL or NUL-terminated.
pub unsafe extern "C" fn pumiceLiveObjectsPUMICE(kind: *const c_char) -> cl::cl_long {
    entry!(pumiceLiveObjectsPUMICE, failed = -1, {
        // SAFETY: the caller's promise.
        let kind = unsafe { ffi::text(kind) }.unwrap_or_default();
        let Some(count) = live(&kind) else { return Ok(-1) };
        Ok(cl::cl_long::try_from(count).unwrap_or(cl::cl_long::MAX))
    })
}

/// Returns how many objects of a kind are alive.
pub(crate) fn live(kind: &str) -> Option<usize> {
    Some(match kind {
        "context" => Context::pool().live(),
        "queue" => Queue::pool().live(),
        "memory" => Memory::pool().live(),
        "sampler" => Sampler::pool().live(),
        "program" => Program::pool().live(),
        "kernel" => Kernel::pool().live(),
        "event" => Event::pool().live(),
        "command buffer" => CommandBuffer::pool().live(),
        "mutable command" => MutableCommand::pool().live(),
        "buffers" => crate::device::platform::platform().ok()?.devices.iter().map(|d| d.live_buffers()).sum(),
        _ => return None,
    })
}

/// The address of a function of an extension or of the API.
pub(crate) fn address(name: &str) -> Option<*const c_void> {
    extension(name).or_else(|| by_name(name))
}

/// The address of a function, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    entry!(clGetExtensionFunctionAddress, failed = std::ptr::null_mut(), {
        let name = ffi::text(name);
        Ok(name.and_then(|n| address(&n)).unwrap_or(std::ptr::null()).cast_mut())
    })
}

/// The address of a function for a platform, or NULL: for no platform, too, which §4.5 lets stand for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl::cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    entry!(clGetExtensionFunctionAddressForPlatform, failed = std::ptr::null_mut(), {
        if platform.is_null() {
            return fail(cl::CL_INVALID_PLATFORM);
        }
        crate::device::platform::check(platform)?;
        let name = ffi::text(name);
        Ok(name.and_then(|n| address(&n)).unwrap_or(std::ptr::null()).cast_mut())
    })
}

/// The address of an entry point of the table; `None` when there is none of this name.
pub(crate) fn by_name(name: &str) -> Option<*const c_void> {
    let tagged: [(&str, *const c_void); 2] = [
        ("clGetPlatformIDs", platform::clGetPlatformIDs as *const c_void),
        ("clUnloadCompiler", platform::clUnloadCompiler as *const c_void),
    ];
    if let Some((_, address)) = tagged.iter().find(|(n, _)| *n == name) {
        return Some(*address);
    }
    let index = NAMES.iter().position(|n| *n == name)?;
    words().get(index).copied().filter(|address| !address.is_null())
}

/// The table as words, in the order of [`NAMES`].
fn words() -> &'static [*const c_void; NAMES.len()] {
    const { assert!(size_of::<cl_icd_dispatch>() == size_of::<[*const c_void; NAMES.len()]>()) };
    // SAFETY: the table is a structure of the C layout whose members are all of a pointer's size (asserted), functions
    // or integers; it lives for ever.
    unsafe { &*std::ptr::from_ref(dispatch_table::table()).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_there() {
        let empty: Vec<&str> =
            NAMES.iter().zip(words()).filter(|(_, w)| w.is_null()).map(|(name, _)| *name).collect();
        assert!(empty.is_empty(), "{empty:?}");
        assert_eq!(words().first().map(|w| w.addr().cast_signed()), Some(crate::abi::loader::ICD2_TAG));
    }

    #[test]
    fn entry_points_have_names() {
        assert_eq!(by_name("clGetPlatformInfo"), Some(platform::clGetPlatformInfo as *const c_void));
        assert_eq!(by_name("clGetPlatformIDs"), Some(platform::clGetPlatformIDs as *const c_void));
        assert_eq!(by_name("clNoSuchFunction"), None);
        for name in extensions::functions() {
            assert!(address(name).is_some(), "{name}");
        }
        for (node, names) in crate::abi::versions::NODES {
            for name in names {
                assert!(address(name).is_some(), "{name} of {node}");
            }
        }
    }
}

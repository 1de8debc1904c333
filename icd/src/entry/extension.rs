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
use crate::device::semaphore::Semaphore;
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::entry::{
    command_buffer, context, device, dispatch_table, event, external_memory, image, kernel, launch, memory,
    platform, program, queue, sampler, semaphore, svm, transfer, usm,
};
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::memory::sampler::Sampler;
use crate::program::Program;

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clGetExtensionFunctionAddress = Some(clGetExtensionFunctionAddress);
    table.clGetExtensionFunctionAddressForPlatform = Some(clGetExtensionFunctionAddressForPlatform);
}

/// The addresses of the functions of extensions, by the modules that have them.
const MODULES: [&[Function]; 18] = [
    command_buffer::EXTENSION_FUNCTIONS,
    context::EXTENSION_FUNCTIONS,
    device::EXTENSION_FUNCTIONS,
    event::EXTENSION_FUNCTIONS,
    external_memory::EXTENSION_FUNCTIONS,
    image::EXTENSION_FUNCTIONS,
    kernel::EXTENSION_FUNCTIONS,
    launch::EXTENSION_FUNCTIONS,
    memory::EXTENSION_FUNCTIONS,
    platform::EXTENSION_FUNCTIONS,
    program::EXTENSION_FUNCTIONS,
    queue::EXTENSION_FUNCTIONS,
    sampler::EXTENSION_FUNCTIONS,
    semaphore::EXTENSION_FUNCTIONS,
    svm::EXTENSION_FUNCTIONS,
    transfer::EXTENSION_FUNCTIONS,
    usm::EXTENSION_FUNCTIONS,
    functions![pumiceLiveObjectsPUMICE],
];

/// The address of a function of an extension in the list ([`extensions`]).
fn extension(name: &str) -> Option<*const c_void> {
    if !extensions::functions().any(|known| known == name) {
        return None;
    }
    let mut all = MODULES.iter().copied().flatten();
    all.find(|(known, _)| *known == name).map(|(_, address)| *address)
}

/// For tests of leaks: how many objects of a kind ("context", "queue", "memory", "sampler", "program", "kernel", "event", "semaphore", "command buffer", "mutable command") are alive, the
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
        "semaphore" => Semaphore::pool().live(),
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
        assert_eq!(words().first().map(|w| w.addr().cast_signed()), crate::abi::loader::tag());
    }

    /// The list of extensions and the modules name the same functions.
    #[test]
    fn functions_of_extensions_have_addresses() {
        let mut listed: Vec<_> = extensions::functions().collect();
        let mut there: Vec<_> = MODULES.iter().copied().flatten().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        there.sort_unstable();
        assert_eq!(listed, there);
    }

    #[test]
    fn entry_points_have_names() {
        assert_eq!(by_name("clGetPlatformInfo"), Some(platform::clGetPlatformInfo as *const c_void));
        assert_eq!(by_name("clGetPlatformIDs"), Some(platform::clGetPlatformIDs as *const c_void));
        assert_eq!(by_name("clNoSuchFunction"), None);
        for (node, names) in crate::abi::versions::NODES {
            for name in names {
                assert!(address(name).is_some(), "{name} of {node}");
            }
        }
    }
}

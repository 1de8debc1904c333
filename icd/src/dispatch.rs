//! The table that the ICD loader calls through (cl_khr_icd), what the loader tells us, and entry points by their names.
//!
//! Under cl_khr_icd 2.0 the table's places of clGetPlatformIDs and clUnloadCompiler, which no loader calls through it, hold a
//! tag: such a loader asks for each entry point by name once ([`clIcdGetFunctionAddressForPlatformKHR`]) and keeps
//! its own table at each object's second word. Older loaders use this table as ever.
//!
//! [`clIcdGetFunctionAddressForPlatformKHR`]: crate::entry::platform::clIcdGetFunctionAddressForPlatformKHR

use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::entry;

/// CL_ICD2_TAG_KHR: "OPENCL31", or "CL31" where pointers have 32 bits.
pub(crate) const ICD2_TAG: isize = 0x4f50_454e_434c_3331_u64 as isize;

/// The loader's data for our objects (cl_khr_icd 2.0); NULL without such a loader.
static LOADER_DATA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The loader's data, for the second word of every object.
pub(crate) fn loader_data() -> *mut c_void {
    LOADER_DATA.load(Ordering::Relaxed)
}

/// clIcdSetPlatformDispatchDataKHR: before any other object is made.
pub(crate) fn set_loader_data(data: *mut c_void) {
    LOADER_DATA.store(data, Ordering::Relaxed);
}

/// The table.
pub(crate) fn table() -> &'static cl_icd_dispatch {
    static TABLE: LazyLock<cl_icd_dispatch> = LazyLock::new(entry::table);
    &TABLE
}

/// The address of an entry point of the table; `None` when there is none of this name.
pub(crate) fn by_name(name: &str) -> Option<*const c_void> {
    let tagged: [(&str, *const c_void); 2] = [
        ("clGetPlatformIDs", entry::platform::clGetPlatformIDs as *const c_void),
        ("clUnloadCompiler", entry::platform::clUnloadCompiler as *const c_void),
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
    unsafe { &*std::ptr::from_ref(table()).cast() }
}

/// The members of the table, in their order (cl_icd.h).
pub(crate) const NAMES: [&str; 150] = [
    "clGetPlatformIDs",
    "clGetPlatformInfo",
    "clGetDeviceIDs",
    "clGetDeviceInfo",
    "clCreateContext",
    "clCreateContextFromType",
    "clRetainContext",
    "clReleaseContext",
    "clGetContextInfo",
    "clCreateCommandQueue",
    "clRetainCommandQueue",
    "clReleaseCommandQueue",
    "clGetCommandQueueInfo",
    "clSetCommandQueueProperty",
    "clCreateBuffer",
    "clCreateImage2D",
    "clCreateImage3D",
    "clRetainMemObject",
    "clReleaseMemObject",
    "clGetSupportedImageFormats",
    "clGetMemObjectInfo",
    "clGetImageInfo",
    "clCreateSampler",
    "clRetainSampler",
    "clReleaseSampler",
    "clGetSamplerInfo",
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clRetainProgram",
    "clReleaseProgram",
    "clBuildProgram",
    "clUnloadCompiler",
    "clGetProgramInfo",
    "clGetProgramBuildInfo",
    "clCreateKernel",
    "clCreateKernelsInProgram",
    "clRetainKernel",
    "clReleaseKernel",
    "clSetKernelArg",
    "clGetKernelInfo",
    "clGetKernelWorkGroupInfo",
    "clWaitForEvents",
    "clGetEventInfo",
    "clRetainEvent",
    "clReleaseEvent",
    "clGetEventProfilingInfo",
    "clFlush",
    "clFinish",
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueCopyBuffer",
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueUnmapMemObject",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueNativeKernel",
    "clEnqueueMarker",
    "clEnqueueWaitForEvents",
    "clEnqueueBarrier",
    "clGetExtensionFunctionAddress",
    "clCreateFromGLBuffer",
    "clCreateFromGLTexture2D",
    "clCreateFromGLTexture3D",
    "clCreateFromGLRenderbuffer",
    "clGetGLObjectInfo",
    "clGetGLTextureInfo",
    "clEnqueueAcquireGLObjects",
    "clEnqueueReleaseGLObjects",
    "clGetGLContextInfoKHR",
    "clGetDeviceIDsFromD3D10KHR",
    "clCreateFromD3D10BufferKHR",
    "clCreateFromD3D10Texture2DKHR",
    "clCreateFromD3D10Texture3DKHR",
    "clEnqueueAcquireD3D10ObjectsKHR",
    "clEnqueueReleaseD3D10ObjectsKHR",
    "clSetEventCallback",
    "clCreateSubBuffer",
    "clSetMemObjectDestructorCallback",
    "clCreateUserEvent",
    "clSetUserEventStatus",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBufferRect",
    "clCreateSubDevicesEXT",
    "clRetainDeviceEXT",
    "clReleaseDeviceEXT",
    "clCreateEventFromGLsyncKHR",
    "clCreateSubDevices",
    "clRetainDevice",
    "clReleaseDevice",
    "clCreateImage",
    "clCreateProgramWithBuiltInKernels",
    "clCompileProgram",
    "clLinkProgram",
    "clUnloadPlatformCompiler",
    "clGetKernelArgInfo",
    "clEnqueueFillBuffer",
    "clEnqueueFillImage",
    "clEnqueueMigrateMemObjects",
    "clEnqueueMarkerWithWaitList",
    "clEnqueueBarrierWithWaitList",
    "clGetExtensionFunctionAddressForPlatform",
    "clCreateFromGLTexture",
    "clGetDeviceIDsFromD3D11KHR",
    "clCreateFromD3D11BufferKHR",
    "clCreateFromD3D11Texture2DKHR",
    "clCreateFromD3D11Texture3DKHR",
    "clCreateFromDX9MediaSurfaceKHR",
    "clEnqueueAcquireD3D11ObjectsKHR",
    "clEnqueueReleaseD3D11ObjectsKHR",
    "clGetDeviceIDsFromDX9MediaAdapterKHR",
    "clEnqueueAcquireDX9MediaSurfacesKHR",
    "clEnqueueReleaseDX9MediaSurfacesKHR",
    "clCreateFromEGLImageKHR",
    "clEnqueueAcquireEGLObjectsKHR",
    "clEnqueueReleaseEGLObjectsKHR",
    "clCreateEventFromEGLSyncKHR",
    "clCreateCommandQueueWithProperties",
    "clCreatePipe",
    "clGetPipeInfo",
    "clSVMAlloc",
    "clSVMFree",
    "clEnqueueSVMFree",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clCreateSamplerWithProperties",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clGetKernelSubGroupInfoKHR",
    "clCloneKernel",
    "clCreateProgramWithIL",
    "clEnqueueSVMMigrateMem",
    "clGetDeviceAndHostTimer",
    "clGetHostTimer",
    "clGetKernelSubGroupInfo",
    "clSetDefaultDeviceCommandQueue",
    "clSetProgramReleaseCallback",
    "clSetProgramSpecializationConstant",
    "clCreateBufferWithProperties",
    "clCreateImageWithProperties",
    "clSetContextDestructorCallback",
    "clGetKernelSuggestedLocalWorkSize",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_there() {
        let empty: Vec<&str> =
            NAMES.iter().zip(words()).filter(|(_, w)| w.is_null()).map(|(name, _)| *name).collect();
        assert!(empty.is_empty(), "{empty:?}");
        assert_eq!(words().first().map(|w| w.addr().cast_signed()), Some(ICD2_TAG));
    }

    #[test]
    fn entry_points_have_names() {
        assert_eq!(by_name("clGetPlatformInfo"), Some(entry::platform::clGetPlatformInfo as *const c_void));
        assert_eq!(by_name("clGetPlatformIDs"), Some(entry::platform::clGetPlatformIDs as *const c_void));
        assert_eq!(by_name("clNoSuchFunction"), None);
        for (node, names) in crate::versions::NODES {
            for name in names {
                assert!(entry::extension::address(name).is_some(), "{name} of {node}");
            }
        }
    }
}

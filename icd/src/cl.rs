//! The numbers of the OpenCL API that are used here (OpenCL API specification; cl.xml).

pub(crate) const SUCCESS: i32 = 0;
pub(crate) const DEVICE_NOT_FOUND: i32 = -1;
pub(crate) const OUT_OF_HOST_MEMORY: i32 = -6;
pub(crate) const INVALID_VALUE: i32 = -30;
pub(crate) const INVALID_DEVICE_TYPE: i32 = -31;
pub(crate) const INVALID_PLATFORM: i32 = -32;
pub(crate) const INVALID_DEVICE: i32 = -33;
pub(crate) const INVALID_CONTEXT: i32 = -34;
pub(crate) const INVALID_COMMAND_QUEUE: i32 = -36;
pub(crate) const INVALID_MEM_OBJECT: i32 = -38;
pub(crate) const INVALID_SAMPLER: i32 = -41;
pub(crate) const INVALID_PROGRAM: i32 = -44;
pub(crate) const INVALID_KERNEL: i32 = -48;
pub(crate) const INVALID_EVENT: i32 = -58;
pub(crate) const INVALID_OPERATION: i32 = -59;
pub(crate) const INVALID_PROPERTY: i32 = -64;
pub(crate) const PLATFORM_NOT_FOUND_KHR: i32 = -1001;

pub(crate) const DEVICE_TYPE_DEFAULT: u64 = 1;
pub(crate) const DEVICE_TYPE_CPU: u64 = 1 << 1;
pub(crate) const DEVICE_TYPE_GPU: u64 = 1 << 2;
pub(crate) const DEVICE_TYPE_ACCELERATOR: u64 = 1 << 3;
pub(crate) const DEVICE_TYPE_CUSTOM: u64 = 1 << 4;
pub(crate) const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;

/// CL_CONTEXT_PLATFORM.
pub(crate) const CONTEXT_PLATFORM: isize = 0x1084;

//! OpenCL error codes, and what becomes of the errors of the other crates.

use opencl_sys as cl;
use vk_runtime::{RuntimeError, UserError};

/// An error code of the OpenCL API (negative), as entry points return it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClError(pub(crate) cl::cl_int);

/// The result of most functions inside.
pub(crate) type ClResult<T> = Result<T, ClError>;

/// Fails with a code.
pub(crate) fn fail<T>(code: cl::cl_int) -> ClResult<T> {
    Err(ClError(code))
}

/// Fails with a code unless a condition holds.
pub(crate) fn ensure(holds: bool, code: cl::cl_int) -> ClResult<()> {
    if holds { Ok(()) } else { Err(ClError(code)) }
}

impl From<scheduler::Failure> for ClError {
    fn from(failure: scheduler::Failure) -> Self {
        ClError(failure.0)
    }
}

impl From<ClError> for scheduler::Failure {
    fn from(error: ClError) -> Self {
        scheduler::Failure(error.0)
    }
}

impl From<RuntimeError> for ClError {
    /// Logs the error's text (it names what is missing or wrong) and keeps its code.
    fn from(error: RuntimeError) -> Self {
        match &error {
            // The application's mistake: it gets the code; the text is for who looks for it.
            RuntimeError::User { .. } => log::info!("{error}"),
            // Programs try how much memory there is.
            e if e.is_out_of_memory() => log::warn!("{error}"),
            _ => log::error!("{error}"),
        }
        ClError(match &error {
            RuntimeError::User { what, .. } => user_code(*what),
            RuntimeError::Unsupported(_) => cl::CL_OUT_OF_RESOURCES,
            e if e.is_out_of_memory() => cl::CL_MEM_OBJECT_ALLOCATION_FAILURE,
            RuntimeError::Driver { .. }
            | RuntimeError::Hung { .. }
            | RuntimeError::Faulted { .. }
            | RuntimeError::Bug(_) => cl::CL_OUT_OF_RESOURCES,
        })
    }
}

fn user_code(what: UserError) -> cl::cl_int {
    match what {
        UserError::DeviceNotFound => cl::CL_DEVICE_NOT_FOUND,
        UserError::InvalidBufferSize => cl::CL_INVALID_BUFFER_SIZE,
        UserError::InvalidValue => cl::CL_INVALID_VALUE,
        UserError::InvalidKernelName => cl::CL_INVALID_KERNEL_NAME,
        UserError::InvalidKernelArgs => cl::CL_INVALID_KERNEL_ARGS,
        UserError::InvalidArgValue => cl::CL_INVALID_ARG_VALUE,
        UserError::InvalidArgSize => cl::CL_INVALID_ARG_SIZE,
        UserError::InvalidWorkDimension => cl::CL_INVALID_WORK_DIMENSION,
        UserError::InvalidGlobalWorkSize => cl::CL_INVALID_GLOBAL_WORK_SIZE,
        UserError::InvalidGlobalOffset => cl::CL_INVALID_GLOBAL_OFFSET,
        UserError::InvalidWorkGroupSize => cl::CL_INVALID_WORK_GROUP_SIZE,
        UserError::InvalidWorkItemSize => cl::CL_INVALID_WORK_ITEM_SIZE,
        UserError::MemCopyOverlap => cl::CL_MEM_COPY_OVERLAP,
        UserError::OutOfResources => cl::CL_OUT_OF_RESOURCES,
        UserError::InvalidImageSize => cl::CL_INVALID_IMAGE_SIZE,
        UserError::InvalidContext => cl::CL_INVALID_CONTEXT,
        UserError::InvalidHandle => cl::CL_INVALID_PROPERTY,
    }
}

//! Errors, in three kinds: the user's mistake, a device that cannot, a driver that failed.

use std::time::Duration;

use ash::vk;

/// Any failure of the runtime.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// The caller asked for something that the API does not allow.
    #[error("{message}")]
    User {
        /// Which rule was broken: what an OpenCL layer makes its error code from.
        what: UserError,
        /// The rule and the values, for people.
        message: String,
    },
    /// The machine has no Vulkan, no device, or the device lacks what is needed. Names what is missing.
    #[error("{0}")]
    Unsupported(String),
    /// A Vulkan call failed.
    #[error("{call} failed: {result}")]
    Driver {
        /// The Vulkan command.
        call: &'static str,
        /// Its result.
        result: vk::Result,
    },
    /// Nothing has ended on the device for as long as the [watchdog](crate::DeviceOptions::watchdog) allows: it counts as lost.
    #[error("nothing has ended on the device for {time:?}: the watchdog takes it for lost")]
    Hung {
        /// The watchdog's time.
        time: Duration,
    },
    /// A kernel has faulted, of which no call of the driver tells: the device executes nothing any more, and counts as lost.
    #[error("a kernel has faulted: the device has executed nothing for {time:?}")]
    Faulted {
        /// How long nothing has ended.
        time: Duration,
    },
    /// A promise inside Pumice was broken, for example a KernelInfo that contradicts itself.
    #[error("internal error: {0} (this is a bug in Pumice)")]
    Bug(String),
}

/// The user's mistakes, named after the OpenCL error codes that they correspond to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserError {
    /// CL_DEVICE_NOT_FOUND: no device with this index or name.
    DeviceNotFound,
    /// CL_INVALID_BUFFER_SIZE: 0, or more than the device can allocate.
    InvalidBufferSize,
    /// CL_INVALID_VALUE: a range outside a buffer, a pattern of a wrong size, and the like.
    InvalidValue,
    /// CL_INVALID_KERNEL_NAME: no such kernel in the program.
    InvalidKernelName,
    /// CL_INVALID_KERNEL_ARGS: a wrong number of arguments.
    InvalidKernelArgs,
    /// CL_INVALID_ARG_VALUE: an argument of the wrong kind.
    InvalidArgValue,
    /// CL_INVALID_ARG_SIZE: a value of the wrong size, or a local argument of size 0.
    InvalidArgSize,
    /// CL_INVALID_WORK_DIMENSION: not 1, 2 or 3.
    InvalidWorkDimension,
    /// CL_INVALID_GLOBAL_WORK_SIZE: 0 or too large.
    InvalidGlobalWorkSize,
    /// CL_INVALID_GLOBAL_OFFSET: offset plus size is too large.
    InvalidGlobalOffset,
    /// CL_INVALID_WORK_GROUP_SIZE: not the required one, or it does not divide the global size, or too many work-items.
    InvalidWorkGroupSize,
    /// CL_INVALID_WORK_ITEM_SIZE: a dimension above the device's limit.
    InvalidWorkItemSize,
    /// CL_MEM_COPY_OVERLAP: source and destination overlap.
    MemCopyOverlap,
    /// CL_OUT_OF_RESOURCES: more local memory than the device has.
    OutOfResources,
    /// CL_INVALID_IMAGE_SIZE: more texels in a direction, layers or levels than the device has.
    InvalidImageSize,
    /// CL_INVALID_CONTEXT: an object of another device.
    InvalidContext,
    /// CL_INVALID_PROPERTY: a handle of another API that is none of its type.
    InvalidHandle,
}

/// The kinds of [`RuntimeError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The user's mistake.
    User,
    /// The device or machine lacks something.
    Unsupported,
    /// The driver or Pumice failed.
    Internal,
}

impl RuntimeError {
    /// Whose fault it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            RuntimeError::User { .. } => ErrorKind::User,
            RuntimeError::Unsupported(_) => ErrorKind::Unsupported,
            RuntimeError::Driver { .. }
            | RuntimeError::Hung { .. }
            | RuntimeError::Faulted { .. }
            | RuntimeError::Bug(_) => ErrorKind::Internal,
        }
    }

    /// Returns whether the device was lost: nothing on this [`Device`](crate::Device) will work any more.
    #[must_use]
    pub fn is_device_lost(&self) -> bool {
        matches!(
            self,
            RuntimeError::Driver { result: vk::Result::ERROR_DEVICE_LOST, .. }
                | RuntimeError::Hung { .. }
                | RuntimeError::Faulted { .. }
        )
    }

    /// Returns whether the device that counts as lost may still do what it was given.
    pub(crate) fn leaves_work(&self) -> bool {
        matches!(self, RuntimeError::Hung { .. } | RuntimeError::Faulted { .. })
    }

    /// Returns whether host or device memory ran out.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            RuntimeError::Driver {
                result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY,
                ..
            }
        )
    }

    pub(crate) fn user(what: UserError, message: impl Into<String>) -> Self {
        RuntimeError::User { what, message: message.into() }
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        RuntimeError::Unsupported(message.into())
    }

    pub(crate) fn bug(message: impl Into<String>) -> Self {
        RuntimeError::Bug(message.into())
    }
}

/// Turns a VkResult into a [`RuntimeError`] that names the call.
pub(crate) trait Call<T> {
    fn call(self, call: &'static str) -> Result<T, RuntimeError>;
}

impl<T> Call<T> for Result<T, vk::Result> {
    fn call(self, call: &'static str) -> Result<T, RuntimeError> {
        self.map_err(|result| RuntimeError::Driver { call, result })
    }
}

//! Launches of a command buffer that can be changed (cl_khr_command_buffer_mutable_dispatch 0.9.5; API, "Mutable Commands").
//!
//! This launch has a kernel object of its own, a copy of the one that it was recorded with. To change it is to change a copy of that, by the
//! functions that set arguments: nothing is kept of changes of which one fails. The command buffer then has other commands
//! from its next enqueue on; what is under way has the old ones.

use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::commands::command::Recordable;
use crate::commands::command_buffer::CommandBuffer;
use crate::commands::command_buffer::recordable_launch;
use crate::device::queue::Queue;
use crate::kernel::Kernel;
use crate::kernel::dimensions::Dimensions;

/// The parts that may be changed: CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR.
pub(crate) const FIELDS: cl::cl_mutable_dispatch_fields_khr = cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// A launch that can be changed.
pub(crate) struct MutableCommand {
    own: Own<MutableCommand>,
    buffer: Weak<CommandBuffer>,
    /// Its place there.
    pub(crate) place: usize,
    /// As given.
    properties: Vec<cl::cl_command_properties_khr>,
    /// The parts that may be changed.
    fields: cl::cl_mutable_dispatch_fields_khr,
    /// The one that it was recorded with.
    kernel: Arc<Kernel>,
    dispatch: Mutex<Dispatch>,
}
object!(MutableCommand, cl::CL_INVALID_MUTABLE_COMMAND_KHR);

/// The launch.
#[derive(Clone)]
pub(crate) struct Dispatch {
    /// Its own, with its arguments.
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) dims: Dimensions,
}

impl Dispatch {
    /// A kernel as it is now.
    ///
    /// # Errors
    /// CL_OUT_OF_HOST_MEMORY.
    pub(crate) fn from_kernel(kernel: &Kernel, dims: Dimensions) -> ClResult<Self> {
        Ok(Dispatch { kernel: kernel.copy()?, dims })
    }

    /// The command; `None` where arguments are not set.
    ///
    /// # Errors
    /// Those of a launch.
    pub(crate) fn command(&self, queue: &Arc<Queue>) -> ClResult<Option<Arc<dyn Recordable>>> {
        match self.kernel.launch(queue, &self.dims) {
            Err(ClError(cl::CL_INVALID_KERNEL_ARGS)) if self.kernel.lacks_arguments() => Ok(None),
            launch => launch.map(|launch| Some(recordable_launch(launch))),
        }
    }
}

impl MutableCommand {
    pub(crate) fn new(
        own: Own<Self>,
        buffer: &Arc<CommandBuffer>,
        place: usize,
        (properties, fields): (Vec<cl::cl_command_properties_khr>, cl::cl_mutable_dispatch_fields_khr),
        (kernel, dispatch): (Arc<Kernel>, Dispatch),
    ) -> Arc<Self> {
        let (buffer, dispatch) = (Arc::downgrade(buffer), Mutex::new(dispatch));
        Arc::new(MutableCommand { own, buffer, place, properties, fields, kernel, dispatch })
    }

    /// Its handle, which is good while the command buffer is.
    pub(crate) fn lend(self: &Arc<Self>) -> Raw {
        handle::lend(self)
    }

    /// Returns whether it is a command of a command buffer.
    pub(crate) fn is_of(&self, buffer: &Arc<CommandBuffer>) -> bool {
        std::ptr::eq(self.buffer.as_ptr(), Arc::as_ptr(buffer))
    }

    fn lock(&self) -> MutexGuard<'_, Dispatch> {
        self.dispatch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is launched now.
    pub(crate) fn dispatch(&self) -> Dispatch {
        self.lock().clone()
    }

    pub(crate) fn set(&self, dispatch: Dispatch) {
        let old = std::mem::replace(&mut *self.lock(), dispatch);
        drop(old);
    }

    /// Checks that a part of it may be changed.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if it may not.
    pub(crate) fn check(&self, field: cl::cl_mutable_dispatch_fields_khr) -> ClResult<()> {
        ensure(self.fields & field != 0, cl::CL_INVALID_OPERATION)
    }

    /// clGetMutableCommandInfoKHR.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_mutable_command_info_khr) -> ClResult<ParamValue> {
        let buffer = self.buffer.upgrade().ok_or(ClError(cl::CL_INVALID_MUTABLE_COMMAND_KHR))?;
        let dims = self.lock().dims;
        Ok(match param {
            cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => ParamValue::pointer(buffer.queue.raw()),
            cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => ParamValue::pointer(buffer.raw()),
            cl::CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => ParamValue::uint(cl::CL_COMMAND_NDRANGE_KERNEL),
            cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => ParamValue::ulongs(&self.properties),
            cl::CL_MUTABLE_DISPATCH_KERNEL_KHR => ParamValue::pointer(self.kernel.raw()),
            cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => ParamValue::uint(dims.work_dim()),
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => ParamValue::sizes(&dims.given()[0]),
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => ParamValue::sizes(&dims.given()[1]),
            cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => ParamValue::sizes(&dims.given()[2]),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

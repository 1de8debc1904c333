//! Device queues: queues to which kernels enqueue kernels (§5.1, CL_QUEUE_ON_DEVICE).
//!
//! A device queue has a size and no memory of its own. Each launch of the host that enqueues has an arena
//! ([`crate::kernel::enqueue`]), in which it uses at most so many bytes of each queue.

use std::sync::Arc;

use frontend::options::Features;
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::device::context::Context;

/// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: some ten thousand kernels that wait.
pub(crate) const PREFERRED_SIZE: u32 = 2 << 20;
/// CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: some hundred thousands.
pub(crate) const MAX_SIZE: u32 = 64 << 20;
/// CL_DEVICE_MAX_ON_DEVICE_QUEUES. A kernel that uses all of them with an event for each work-item stays within the events.
pub(crate) const MAX_QUEUES: u32 = 16;
/// CL_DEVICE_MAX_ON_DEVICE_EVENTS: those of a launch of the host and all that comes from it.
pub(crate) const MAX_EVENTS: u32 = 1 << 16;
/// CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES.
pub(crate) const PROPERTIES: cl::cl_command_queue_properties =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

/// A device queue.
pub(crate) struct DeviceQueue {
    own: Own<DeviceQueue>,
    context: Arc<Context>,
    device: Arc<Device>,
    /// CL_QUEUE_PROPERTIES.
    properties: cl::cl_command_queue_properties,
    /// CL_QUEUE_PROPERTIES_ARRAY, as given.
    array: Vec<cl::cl_queue_properties>,
    /// CL_QUEUE_SIZE in bytes.
    pub(crate) size: u32,
}
object!(DeviceQueue, cl::CL_INVALID_COMMAND_QUEUE);

/// Returns whether a device has device queues.
pub(crate) fn is_supported(device: &Device) -> bool {
    device.caps.language.contains(Features::DEVICE_ENQUEUE)
}

/// The default device queue of a context's device.
pub(crate) fn default_of(context: &Context, device: &Arc<Device>) -> Option<Arc<DeviceQueue>> {
    context.device_queues.find(context.place(device)?)?.downcast().ok()
}

impl DeviceQueue {
    /// clCreateCommandQueueWithProperties with CL_QUEUE_ON_DEVICE. A default queue that is there already is given once more.
    ///
    /// # Errors
    /// CL_INVALID_QUEUE_PROPERTIES for a device without such queues and a size that it does not have.
    pub(crate) fn create(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl::cl_command_queue_properties,
        size: Option<u64>,
        array: Vec<cl::cl_queue_properties>,
    ) -> ClResult<Raw> {
        ensure(is_supported(&device), cl::CL_INVALID_QUEUE_PROPERTIES)?;
        let size = size.unwrap_or(PREFERRED_SIZE.into());
        let size = u32::try_from(size).ok().filter(|size| (1..=MAX_SIZE).contains(size));
        let size = size.ok_or(ClError(cl::CL_INVALID_QUEUE_PROPERTIES))?;
        let is_default = properties & cl::CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        let known = if is_default { default_of(&context, &device) } else { None };
        if let Some(known) = known {
            handle::retain::<DeviceQueue>(known.own.raw())?;
            return Ok(known.own.raw());
        }
        let own = Own::reserve()?;
        let queue = Arc::new(DeviceQueue { own, context, device, properties, array, size });
        if is_default {
            queue.make_default();
        }
        Ok(handle::publish(&queue))
    }

    /// clSetDefaultDeviceCommandQueue.
    ///
    /// # Errors
    /// CL_INVALID_COMMAND_QUEUE for a queue of another context or device.
    pub(crate) fn set_default(
        self: &Arc<Self>,
        context: &Arc<Context>,
        device: &Arc<Device>,
    ) -> ClResult<()> {
        let own = Arc::ptr_eq(&self.context, context) && Arc::ptr_eq(&self.device, device);
        ensure(own, cl::CL_INVALID_COMMAND_QUEUE)?;
        self.make_default();
        Ok(())
    }

    fn make_default(self: &Arc<Self>) {
        if let Some(place) = self.context.place(&self.device) {
            self.context.device_queues.set(place, self.clone());
        }
    }

    /// The context.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// Returns whether it is a queue of that device.
    pub(crate) fn is_of(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.device, device)
    }

    /// clGetCommandQueueInfo.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_command_queue_info) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_QUEUE_CONTEXT => ParamValue::pointer(self.context.raw()),
            cl::CL_QUEUE_DEVICE => ParamValue::pointer(self.device.raw()),
            cl::CL_QUEUE_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            cl::CL_QUEUE_PROPERTIES => ParamValue::ulong(self.properties),
            cl::CL_QUEUE_PROPERTIES_ARRAY => ParamValue::ulongs(&self.array),
            cl::CL_QUEUE_SIZE => ParamValue::uint(self.size),
            cl::CL_QUEUE_DEVICE_DEFAULT => default_handle(&self.context, &self.device),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

/// CL_QUEUE_DEVICE_DEFAULT: the handle of the default device queue, or NULL.
pub(crate) fn default_handle(context: &Context, device: &Arc<Device>) -> ParamValue {
    ParamValue::pointer(default_of(context, device).map_or(std::ptr::null_mut(), |queue| queue.raw()))
}

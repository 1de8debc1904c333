//! Command queues (§5.1).

use std::sync::Arc;
use vk_runtime::sync::Mutex;

use opencl_sys as cl;

use crate::abi::error::{ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Mark, Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::device::device_queue::{self, DeviceQueue};
use crate::device::{Device, Runtime};
use scheduler::CommandQueue;

/// A command queue. It records into one of the device's streams, which it may share with other queues; what a queue adds is the
/// order of its commands.
pub(crate) struct Queue {
    own: Own<Queue>,
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    pub(crate) runtime: Arc<Runtime>,
    /// CL_QUEUE_PROPERTIES.
    pub(crate) properties: cl::cl_command_queue_properties,
    /// CL_QUEUE_PROPERTIES_ARRAY, as given.
    array: Vec<cl::cl_queue_properties>,
    /// Its commands, for the scheduler. Outlives the queue while commands are not complete.
    pub(crate) commands: Arc<CommandQueue>,
    /// The watch for loops of its launches that the driver ended.
    pub(crate) watched: Mutex<Option<crate::device::loop_watch::Watched>>,
}
object!(Queue, cl::CL_INVALID_COMMAND_QUEUE);

/// The properties that host queues can have.
const ON_HOST: cl::cl_command_queue_properties =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;
/// The further properties of device queues.
const ON_DEVICE: cl::cl_command_queue_properties = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT;

impl Queue {
    /// clCreateCommandQueue.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for unknown properties; as [`create`](Self::create).
    pub(crate) fn from_bits(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl::cl_command_queue_properties,
    ) -> ClResult<Raw> {
        ensure(context.has(&device), cl::CL_INVALID_DEVICE)?;
        ensure(properties & !ON_HOST == 0, cl::CL_INVALID_VALUE)?;
        Self::create(context, device, properties, Vec::new())
    }

    /// clCreateCommandQueueWithProperties.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for what the specification does not know; as [`create`](Self::create) and [`DeviceQueue::create`].
    pub(crate) fn from_list(
        context: Arc<Context>,
        device: Arc<Device>,
        list: Vec<cl::cl_queue_properties>,
    ) -> ClResult<Raw> {
        ensure(context.has(&device), cl::CL_INVALID_DEVICE)?;
        let (properties, size) = check_list(&list)?;
        if properties & cl::CL_QUEUE_ON_DEVICE != 0 {
            return DeviceQueue::create(context, device, properties, size, list);
        }
        Self::create(context, device, properties, list)
    }

    /// Makes a queue and gives it to the application.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE for a device that the context does not have (§5.1).
    fn create(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl::cl_command_queue_properties,
        array: Vec<cl::cl_queue_properties>,
    ) -> ClResult<Raw> {
        let runtime = context.runtime(&device)?.clone();
        let in_order = properties & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let commands = runtime.command_queue(in_order);
        context.add_queue(&commands);
        let own = Own::reserve()?;
        let queue =
            Queue { own, context, device, runtime, properties, array, commands, watched: Mutex::default() };
        Ok(handle::publish(&Arc::new(queue)))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// To know it by.
    pub(crate) fn mark(&self) -> Mark<Queue> {
        self.own.mark()
    }

    /// Returns whether the application has more than one reference to it.
    pub(crate) fn is_shared(&self) -> bool {
        self.own.references() > 1
    }

    /// Returns whether its events have times.
    pub(crate) fn is_profiled(&self) -> bool {
        self.properties & cl::CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// clGetCommandQueueInfo.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query, CL_INVALID_COMMAND_QUEUE for one of device queues (§5.1).
    pub(crate) fn info(&self, param: cl::cl_command_queue_info) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_QUEUE_CONTEXT => ParamValue::pointer(self.context.raw()),
            cl::CL_QUEUE_DEVICE => ParamValue::pointer(self.device.raw()),
            cl::CL_QUEUE_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            cl::CL_QUEUE_PROPERTIES => ParamValue::ulong(self.properties),
            cl::CL_QUEUE_PROPERTIES_ARRAY => ParamValue::ulongs(&self.array),
            cl::CL_QUEUE_SIZE => return fail(cl::CL_INVALID_COMMAND_QUEUE),
            cl::CL_QUEUE_DEVICE_DEFAULT => device_queue::default_handle(&self.context, &self.device),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

/// Checks a list of properties, with its 0 at the end; returns CL_QUEUE_PROPERTIES, and CL_QUEUE_SIZE if it is there.
fn check_list(
    list: &[cl::cl_queue_properties],
) -> ClResult<(cl::cl_command_queue_properties, Option<cl::cl_queue_properties>)> {
    let mut properties = 0;
    let mut seen = Vec::new();
    let mut size = None;
    for pair in list.chunks_exact(2) {
        let &[name, value] = pair else { return fail(cl::CL_INVALID_VALUE) };
        ensure(!seen.contains(&name), cl::CL_INVALID_VALUE)?;
        seen.push(name);
        match u32::try_from(name) {
            Ok(cl::CL_QUEUE_PROPERTIES) => properties = value,
            Ok(cl::CL_QUEUE_SIZE) => size = Some(value),
            // A hint is one of three bits (cl_khr_throttle_hints, cl_khr_priority_hints), and may be ignored, as it is: queues share those of Vulkan,
            // whose priorities are the device's.
            _ if name == cl::CL_QUEUE_THROTTLE_KHR || name == cl::CL_QUEUE_PRIORITY_KHR => {
                ensure(matches!(value, 1 | 2 | 4), cl::CL_INVALID_VALUE)?;
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        }
    }
    ensure(properties & !(ON_HOST | ON_DEVICE) == 0, cl::CL_INVALID_VALUE)?;
    let on_device = properties & cl::CL_QUEUE_ON_DEVICE != 0;
    ensure(on_device || (size.is_none() && properties & ON_DEVICE == 0), cl::CL_INVALID_VALUE)?;
    ensure(!on_device || properties & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0, cl::CL_INVALID_VALUE)?;
    Ok((properties, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::error::ClError;

    #[test]
    fn lists_of_properties() {
        let properties = u64::from(cl::CL_QUEUE_PROPERTIES);
        assert_eq!(check_list(&[]), Ok((0, None)));
        assert_eq!(check_list(&[0]), Ok((0, None)));
        assert_eq!(check_list(&[properties, 3, 0]), Ok((3, None)));
        assert_eq!(check_list(&[cl::CL_QUEUE_THROTTLE_KHR, 4, properties, 1, 0]), Ok((1, None)));
        let invalid = Err(ClError(cl::CL_INVALID_VALUE));
        assert_eq!(
            check_list(&[cl::CL_QUEUE_PRIORITY_KHR, 1, cl::CL_QUEUE_THROTTLE_KHR, 2, 0]),
            Ok((0, None))
        );
        assert_eq!(check_list(&[cl::CL_QUEUE_PRIORITY_KHR, 0, 0]), invalid, "no priority");
        assert_eq!(check_list(&[cl::CL_QUEUE_THROTTLE_KHR, 3, 0]), invalid);
        assert_eq!(check_list(&[properties, 1 << 20, 0]), invalid);
        assert_eq!(check_list(&[77, 0, 0]), invalid);
        assert_eq!(check_list(&[properties, 1, properties, 1, 0]), invalid, "twice");
        assert_eq!(check_list(&[u64::from(cl::CL_QUEUE_SIZE), 64, 0]), invalid, "of a host queue");
        assert_eq!(check_list(&[properties, cl::CL_QUEUE_ON_DEVICE, 0]), invalid, "must be out-of-order");
        let device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        assert_eq!(check_list(&[properties, device, 0]), Ok((device, None)));
        let size = u64::from(cl::CL_QUEUE_SIZE);
        assert_eq!(check_list(&[properties, device, size, 4096, 0]), Ok((device, Some(4096))));
    }
}

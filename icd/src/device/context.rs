//! Contexts.

use std::ffi::CString;
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::Mutex;

use lower::Zeroed;
use opencl_sys as cl;

use crate::abi::callbacks::{Callback, DestructorFunction, ErrorFunction, Executor, KeptAlive};
use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::device::gl::binding::{Application, Refusal};
use crate::device::gl::{Foreign, Gl};
use crate::device::{Device, DeviceCount, Runtime};
use scheduler::CommandQueue;

/// A context.
pub(crate) struct Context {
    own: Own<Context>,
    /// Its devices, each once, in the order in which they were given.
    pub(crate) devices: Vec<Arc<Device>>,
    /// The Vulkan device of each.
    runtimes: Vec<Arc<Runtime>>,
    /// CL_CONTEXT_PROPERTIES, as given.
    properties: Vec<isize>,
    /// CL_CONTEXT_PERF_HINT_QCOM of clSetPerfHintQCOM.
    perf_hint: Mutex<Option<isize>>,
    /// The kinds of memory that hold zeros when a kernel begins.
    pub(crate) zeroed: Zeroed,
    /// Shared virtual memory.
    pub(crate) svm: crate::device::svm::Allocations,
    /// Host memory that recorded commands have yet to write.
    pub(crate) pending: Arc<crate::device::pending_writes::Pending>,
    /// Carries buffers from one of its devices to another.
    pub(crate) bridge: vk_runtime::HostBridge,
    /// The order of commands on images of buffers.
    pub(crate) mirrors: crate::device::mirror_order::MirrorOrder,
    /// The default device queues.
    pub(crate) device_queues: crate::device::queue_registry::Defaults,
    /// Buffers with device addresses.
    pub(crate) addresses: crate::device::addresses::Addresses,
    /// Calls the application's functions.
    pub(crate) executor: Executor,
    /// The context of OpenGL that it shares objects with.
    gl: Option<Arc<Gl>>,
    /// Contexts of OpenGL of ours for the images of EGL's displays.
    displays: Mutex<Vec<Arc<Gl>>>,
    /// The parts that its queues have of the schedule.
    queues: Mutex<Vec<Weak<CommandQueue>>>,
    /// clSetContextDestructorCallback; called in reverse order.
    destructors: Mutex<Vec<Destructor>>,
    /// The function that hears of errors in this context.
    notify: Option<(ErrorFunction, UserPointer)>,
}
object!(Context, cl::CL_INVALID_CONTEXT);

/// CL_CONTEXT_PERF_HINT_QCOM, a property of contexts (cl_qcom_perf_hint).
pub(crate) const PERF_HINT: isize = 0x40C2;
/// CL_PERF_HINT_HIGH_QCOM, CL_PERF_HINT_NORMAL_QCOM and CL_PERF_HINT_LOW_QCOM.
pub(crate) const PERF_HINTS: [isize; 3] = [0x40C3, 0x40C4, 0x40C5];

/// What the properties of a context ask of it, besides the sharing with other APIs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// CL_CONTEXT_MEMORY_INITIALIZE_KHR.
    pub(crate) zeroed: Zeroed,
}

/// A destructor callback.
pub(crate) type Destructor = (DestructorFunction, UserPointer);

impl Context {
    /// Makes a context and gives it to the application.
    pub(crate) fn create(
        devices: Vec<Arc<Device>>,
        (properties, wishes): (Vec<isize>, Wishes),
        gl: Option<Arc<Gl>>,
        notify: Option<(ErrorFunction, UserPointer)>,
    ) -> ClResult<Raw> {
        let mut once: Vec<Arc<Device>> = Vec::new();
        for device in devices {
            if !once.iter().any(|d| Arc::ptr_eq(d, &device)) {
                once.push(device);
            }
        }
        let count = if once.len() > 1 { DeviceCount::Several } else { DeviceCount::One };
        let runtimes = once.iter().map(|d| d.runtime(count)).collect::<ClResult<Vec<_>>>()?;
        let context = Context {
            own: Own::reserve()?,
            devices: once,
            runtimes,
            properties,
            perf_hint: Mutex::default(),
            zeroed: wishes.zeroed,
            svm: crate::device::svm::Allocations::default(),
            pending: Arc::default(),
            bridge: vk_runtime::HostBridge::default(),
            mirrors: crate::device::mirror_order::MirrorOrder::default(),
            device_queues: crate::device::queue_registry::Defaults::default(),
            addresses: crate::device::addresses::Addresses::default(),
            executor: Executor::new(),
            gl,
            displays: Mutex::default(),
            queues: Mutex::default(),
            destructors: Mutex::default(),
            notify,
        };
        let context = Arc::new(context);
        context.runtimes.iter().for_each(|runtime| runtime.tell(&context));
        Ok(handle::publish(&context))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// CL_CONTEXT_PROPERTIES: the list as given, with the last performance hint.
    pub(crate) fn properties(&self) -> Vec<isize> {
        let mut list = self.properties.clone();
        let Some(hint) = *self.perf_hint.lock().unwrap_or_else(PoisonError::into_inner) else { return list };
        let end = list.len().saturating_sub(1);
        let given = list.iter().step_by(2).position(|name| *name == PERF_HINT).map(|pair| pair * 2);
        match given.filter(|at| *at < end) {
            Some(at) => list.splice(at..at + 2, [PERF_HINT, hint]).for_each(drop),
            None => list = [&list[..end], &[PERF_HINT, hint, 0]].concat(),
        }
        list
    }

    /// clSetPerfHintQCOM: takes a hint, which has no effect. Vulkan has no such setting.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown hint.
    pub(crate) fn set_perf_hint(&self, hint: isize) -> ClResult<()> {
        ensure(PERF_HINTS.contains(&hint), cl::CL_INVALID_VALUE)?;
        *self.perf_hint.lock().unwrap_or_else(PoisonError::into_inner) = Some(hint);
        Ok(())
    }

    /// The application's references.
    pub(crate) fn references(&self) -> u32 {
        self.own.references()
    }

    /// Tells the application of an error that no call can return (§4.4, `pfn_notify`).
    pub(crate) fn report(self: &Arc<Self>, message: &str) {
        log::error!("{message}");
        let Some((call, user)) = self.notify else { return };
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        self.executor.give(Callback::Error(call, KeptAlive::new(self.clone()), text, user));
    }

    /// Returns whether a device is one of its devices.
    pub(crate) fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
    }

    /// The place of one of its devices among them.
    pub(crate) fn place(&self, device: &Arc<Device>) -> Option<usize> {
        self.devices.iter().position(|d| Arc::ptr_eq(d, device))
    }

    /// The Vulkan device of one of its devices.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE if it is none of them.
    pub(crate) fn runtime(&self, device: &Arc<Device>) -> ClResult<&Arc<Runtime>> {
        let index = self.devices.iter().position(|d| Arc::ptr_eq(d, device));
        index.and_then(|i| self.runtimes.get(i)).ok_or(crate::abi::error::ClError(cl::CL_INVALID_DEVICE))
    }

    /// The Vulkan devices, in the order of the devices.
    pub(crate) fn runtimes(&self) -> &[Arc<Runtime>] {
        &self.runtimes
    }

    /// The context of OpenGL that it shares objects with.
    pub(crate) fn gl(&self) -> Option<&Arc<Gl>> {
        self.gl.as_ref()
    }

    /// A context of OpenGL that has the images of a display of EGL's.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for no display.
    pub(crate) fn gl_of_display(&self, display: Foreign) -> ClResult<Arc<Gl>> {
        let mut displays = self.displays.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |gl: &&Arc<Gl>| gl.session().binding.egl_display() == Some(display.0);
        if let Some(found) = self.gl.iter().chain(&*displays).find(of) {
            return Ok(found.clone());
        }
        let context = UserPointer(std::ptr::null_mut());
        let made = Gl::start(Application::Egl { display: UserPointer(display.0), context });
        let made = made.map_err(|refusal| match refusal {
            Refusal::NoLibrary => ClError(cl::CL_INVALID_OPERATION),
            Refusal::NotShared => ClError(cl::CL_INVALID_VALUE),
        })?;
        displays.push(made.clone());
        Ok(made)
    }

    /// Checks that an object's context is this one.
    pub(crate) fn same(&self, other: &Context) -> ClResult<()> {
        ensure(std::ptr::eq(self, other), cl::CL_INVALID_CONTEXT)
    }

    /// A queue of it has begun.
    pub(crate) fn add_queue(&self, queue: &Arc<CommandQueue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.len() == queues.capacity() {
            queues.retain(|queue| queue.strong_count() > 0);
        }
        queues.push(Arc::downgrade(queue));
    }

    /// The parts that its queues have of the schedule, of released queues with commands under way, too.
    pub(crate) fn queues(&self) -> Vec<Arc<CommandQueue>> {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.iter().filter_map(Weak::upgrade).collect()
    }

    /// clSetContextDestructorCallback.
    pub(crate) fn on_destruction(&self, destructor: Destructor) {
        self.destructors.lock().unwrap_or_else(PoisonError::into_inner).push(destructor);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let raw = UserPointer(self.raw());
        let destructors = std::mem::take(self.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
        if destructors.is_empty() {
            return;
        }
        // In the reverse order of their registration (§4.4, clSetContextDestructorCallback).
        let calls = destructors.into_iter().rev().map(|(call, user)| Callback::Destructor(call, raw, user));
        self.executor.deleted(calls.collect(), ());
    }
}

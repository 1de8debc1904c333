//! Semaphores (cl_khr_semaphore, cl_khr_external_semaphore): "Semaphores" of §5.
//!
//! A semaphore within OpenCL is a node of the schedule: the command that signals it is what the command that waits for it waits for. One that
//! another API signals or waits for has a semaphore of Vulkan besides.

use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::SemaphoreHandle;
use vk_runtime::os_handle::{self, BorrowedOsHandle, NO_HANDLE, RawOsHandle};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::device::platform::platform;
use crate::device::{Device, Runtime};
use scheduler::Node;

/// A binary semaphore.
pub(crate) struct Semaphore {
    own: Own<Semaphore>,
    pub(crate) context: Arc<Context>,
    /// CL_SEMAPHORE_PROPERTIES_KHR, as given.
    properties: Vec<cl::cl_semaphore_properties_khr>,
    /// The devices that it is for, by their numbers among the context's.
    devices: SmallVec<[usize; 2]>,
    export: Option<SemaphoreHandle>,
    imported: Option<SemaphoreHandle>,
    state: Mutex<State>,
    /// Vulkan's, if another API has it, too.
    shared: Mutex<Option<vk_runtime::Semaphore>>,
}
object!(Semaphore, cl::CL_INVALID_SEMAPHORE_KHR);

/// The state of a semaphore, as commands of OpenCL have it.
enum State {
    Unsignalled,
    /// This command signals it, or has.
    Signalled(Arc<Node>),
    /// Commands wait for this, and no command signals it yet.
    Wanted(Arc<Node>),
}

/// The properties of clCreateSemaphoreWithPropertiesKHR.
#[derive(Debug, Default, PartialEq, Eq)]
struct Properties {
    devices: Option<Vec<usize>>,
    /// CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.
    exports: Option<Vec<SemaphoreHandle>>,
    import: Option<(SemaphoreHandle, RawOsHandle)>,
}

/// CL_SEMAPHORE_HANDLE_*_KHR of a type.
pub(crate) fn code(handle: SemaphoreHandle) -> cl::cl_uint {
    match handle {
        SemaphoreHandle::OpaqueFd => cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        SemaphoreHandle::SyncFd => cl::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
        SemaphoreHandle::OpaqueWin32 => cl::CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR,
    }
}

fn handle_of(code_of: u64) -> Option<SemaphoreHandle> {
    SemaphoreHandle::ALL.into_iter().find(|h| u64::from(code(*h)) == code_of)
}

/// The properties whose values are lists.
pub(crate) const LISTS: [cl::cl_semaphore_properties_khr; 2] =
    [cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64, cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR];

impl Properties {
    /// Reads a list.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for no list and no type; CL_INVALID_PROPERTY for an unknown name, a wrong value, a name that is there twice, more than one
    /// handle ("Creating Semaphores").
    fn read(list: &[cl::cl_semaphore_properties_khr]) -> ClResult<Self> {
        const WRONG: ClError = ClError(cl::CL_INVALID_PROPERTY);
        let mut out = Properties::default();
        let mut typed = false;
        let mut rest = list.iter().copied();
        while let Some(name) = rest.next().filter(|name| *name != 0) {
            if name == LISTS[0] {
                ensure(out.devices.is_none(), WRONG.0)?;
                out.devices = Some(
                    rest.by_ref().take_while(|w| *w != 0).map(|w| usize::try_from(w).unwrap_or(0)).collect(),
                );
            } else if name == LISTS[1] {
                ensure(out.exports.is_none(), WRONG.0)?;
                let known: Option<Vec<_>> = rest.by_ref().take_while(|w| *w != 0).map(handle_of).collect();
                out.exports = Some(known.ok_or(WRONG)?);
            } else if name == u64::from(cl::CL_SEMAPHORE_TYPE_KHR) {
                let value = rest.next().ok_or(WRONG)?;
                ensure(!typed && value == u64::from(cl::CL_SEMAPHORE_TYPE_BINARY_KHR), WRONG.0)?;
                typed = true;
            } else {
                let handle = handle_of(name).ok_or(WRONG)?;
                ensure(out.import.is_none(), WRONG.0)?;
                out.import = Some((handle, os_handle::of_property(rest.next().ok_or(WRONG)?)));
            }
        }
        ensure(typed, cl::CL_INVALID_VALUE)?;
        Ok(out)
    }
}

/// The application's handle, for an import; `None` for the sync file that stands for a signal that has come.
///
/// # Errors
/// CL_INVALID_PROPERTY for a number that is no handle.
fn borrow<'a>(handle: SemaphoreHandle, raw: RawOsHandle) -> ClResult<Option<BorrowedOsHandle<'a>>> {
    if raw == NO_HANDLE && handle == SemaphoreHandle::SyncFd {
        return Ok(None);
    }
    ensure(os_handle::is_possible(raw), cl::CL_INVALID_PROPERTY)?;
    // SAFETY: possible. The application promises that it is open; whoever uses it asks the system first.
    Ok(Some(unsafe { os_handle::borrow(raw) }))
}

/// Ends the application's ownership of a descriptor that was imported.
fn take_over(raw: RawOsHandle) {
    // SAFETY: it was imported just now, so it is open; and it is the application's, which gives it away.
    unsafe { os_handle::take_over(raw) };
}

impl Semaphore {
    /// clCreateSemaphoreWithPropertiesKHR.
    ///
    /// # Errors
    /// Those of "Creating Semaphores".
    pub(crate) fn create(
        context: Arc<Context>,
        properties: Vec<cl::cl_semaphore_properties_khr>,
    ) -> ClResult<Raw> {
        let Properties { devices, exports, import } = Properties::read(&properties)?;
        let devices = devices_of(&context, devices)?;
        let exports = exports.unwrap_or_default();
        ensure(exports.len() <= 1, cl::CL_INVALID_VALUE)?;
        let export = exports.first().copied();
        ensure(import.is_none() || export.is_none(), cl::CL_INVALID_OPERATION)?;
        let of = |index: &usize| context.devices.get(*index).map(|d| &d.caps.external);
        if let Some((handle, _)) = import {
            let known = platform()?.devices.iter().any(|d| d.caps.external.semaphores_in.contains(&handle));
            ensure(known, cl::CL_INVALID_PROPERTY)?;
            let imports = |index| of(index).is_some_and(|e| e.semaphores_in.contains(&handle));
            ensure(devices.iter().all(imports), cl::CL_INVALID_DEVICE)?;
        }
        if let Some(handle) = export {
            let exports = |index| of(index).is_some_and(|e| e.semaphores_out.contains(&handle));
            ensure(devices.iter().all(exports), cl::CL_INVALID_PROPERTY)?;
        }
        let own = Own::reserve()?;
        let mut shared = None;
        if import.is_some() || export.is_some() {
            // One device: semaphores of contexts of several name theirs.
            let runtime = devices.first().and_then(|index| context.runtimes().get(*index));
            let runtime = runtime.ok_or(ClError(cl::CL_INVALID_DEVICE))?;
            let made = runtime.device.create_semaphore(export)?;
            if let Some((handle, descriptor)) = import {
                made.import(handle, borrow(handle, descriptor)?)?;
            }
            shared = Some(made);
        }
        if let Some((_, descriptor)) = import {
            take_over(descriptor);
        }
        let imported = import.map(|(handle, _)| handle);
        let (state, shared) = (Mutex::new(State::Unsignalled), Mutex::new(shared));
        let semaphore = Semaphore { own, context, properties, devices, export, imported, state, shared };
        Ok(handle::publish(&Arc::new(semaphore)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Vulkan's semaphore, if another API has it, too.
    pub(crate) fn shared(&self) -> Option<vk_runtime::Semaphore> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks that commands of a device's queue in a context may use it.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT for another context with the device; CL_INVALID_COMMAND_QUEUE for one without, and for a device that it is not for.
    pub(crate) fn check_queue(&self, context: &Context, device: &Arc<Device>) -> ClResult<()> {
        let index = self.context.devices.iter().position(|d| Arc::ptr_eq(d, device));
        let index = index.ok_or(ClError(cl::CL_INVALID_COMMAND_QUEUE))?;
        self.context.same(context)?;
        ensure(self.devices.contains(&index), cl::CL_INVALID_COMMAND_QUEUE)
    }

    /// A command signals it, which was enqueued just now.
    pub(crate) fn signalled_by(&self, node: &Arc<Node>) {
        let mut state = self.state();
        let before = std::mem::replace(&mut *state, State::Signalled(node.clone()));
        let State::Wanted(wanted) = before else { return };
        // Whoever waits takes the signal with it.
        *state = State::Unsignalled;
        drop(state);
        node.on_status(
            cl::CL_COMPLETE,
            Box::new(move |status| {
                // It is set once, here.
                let _ = wanted.set(if status < 0 { status } else { cl::CL_COMPLETE });
            }),
        );
    }

    /// The command that a command waits for which waits for the semaphore. Takes the signal with it. A wait for a semaphore that no command of OpenCL's
    /// signals is the other API's, or else for the next command that does.
    pub(crate) fn take_signal(&self) -> Option<Arc<Node>> {
        let is_shared = self.shared().is_some();
        let mut state = self.state();
        match std::mem::replace(&mut *state, State::Unsignalled) {
            State::Signalled(node) => Some(node),
            State::Unsignalled if is_shared => None,
            State::Unsignalled => {
                let wanted = Node::user();
                *state = State::Wanted(wanted.clone());
                Some(wanted)
            }
            State::Wanted(wanted) => {
                *state = State::Wanted(wanted.clone());
                Some(wanted)
            }
        }
    }

    /// clGetSemaphoreHandleForTypeKHR: a descriptor, -1 for a sync file whose signal has come.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE for a device that it is not for; CL_INVALID_VALUE for a type that it was not made to be exported as.
    pub(crate) fn export(&self, device: &Arc<Device>, handle: u64, wanted: bool) -> ClResult<RawOsHandle> {
        let index = self.context.devices.iter().position(|d| Arc::ptr_eq(d, device));
        ensure(index.is_some_and(|index| self.devices.contains(&index)), cl::CL_INVALID_DEVICE)?;
        let handle = handle_of(handle).filter(|h| Some(*h) == self.export);
        let handle = handle.ok_or(ClError(cl::CL_INVALID_VALUE))?;
        if !wanted {
            return Ok(NO_HANDLE);
        }
        let shared = self.shared().ok_or(ClError(cl::CL_INVALID_VALUE))?;
        let descriptor = shared.export(handle)?;
        if handle == SemaphoreHandle::SyncFd {
            // "The same side effects on the source semaphore's payload as executing a semaphore wait operation" ("Exporting Semaphore External
            // Handles").
            *self.state() = State::Unsignalled;
        }
        Ok(descriptor.map_or(NO_HANDLE, os_handle::into_raw))
    }

    /// clReImportSemaphoreSyncFdKHR: a new semaphore of Vulkan's, since commands may still use the old one.
    ///
    /// # Errors
    /// CL_INVALID_SEMAPHORE_KHR for one that was not made of a sync file; CL_INVALID_VALUE for another descriptor.
    pub(crate) fn import_again(&self, descriptor: RawOsHandle) -> ClResult<()> {
        const HANDLE: SemaphoreHandle = SemaphoreHandle::SyncFd;
        ensure(self.imported == Some(HANDLE), cl::CL_INVALID_SEMAPHORE_KHR)?;
        let runtime = self.runtime()?;
        let wrong = |e: ClError| match e {
            ClError(cl::CL_INVALID_PROPERTY) => ClError(cl::CL_INVALID_VALUE),
            e => e,
        };
        let borrowed = borrow(HANDLE, descriptor).map_err(wrong)?;
        let made = runtime.device.create_semaphore(None)?;
        made.import(HANDLE, borrowed).map_err(|e| wrong(e.into()))?;
        take_over(descriptor);
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        *self.state() = State::Unsignalled;
        Ok(())
    }

    fn runtime(&self) -> ClResult<&Arc<Runtime>> {
        let first = self.devices.first().and_then(|index| self.context.runtimes().get(*index));
        first.ok_or(ClError(cl::CL_INVALID_DEVICE))
    }

    /// clGetSemaphoreInfoKHR ("Semaphore Queries"). The payload is that of OpenCL's commands: Vulkan does not tell what another API signalled.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_semaphore_info_khr) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_SEMAPHORE_CONTEXT_KHR => ParamValue::pointer(self.context.raw()),
            cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR => ParamValue::uint(self.own.references()),
            cl::CL_SEMAPHORE_PROPERTIES_KHR => ParamValue::ulongs(&self.properties),
            cl::CL_SEMAPHORE_TYPE_KHR => ParamValue::uint(cl::CL_SEMAPHORE_TYPE_BINARY_KHR),
            cl::CL_SEMAPHORE_PAYLOAD_KHR => {
                let signal = match &*self.state() {
                    State::Signalled(node) => Some(node.clone()),
                    State::Unsignalled | State::Wanted(_) => None,
                };
                let is_signalled = signal.is_some_and(|node| node.poll() == cl::CL_COMPLETE);
                ParamValue::ulong(is_signalled.into())
            }
            cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => ParamValue::handles(
                self.devices.iter().filter_map(|index| Some(self.context.devices.get(*index)?.raw())),
            ),
            cl::CL_SEMAPHORE_EXPORTABLE_KHR => ParamValue::bool(self.export.is_some()),
            _ if u64::from(param) == cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                ParamValue::uints(self.export.map(code))
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

/// The devices that a semaphore is for, by their numbers.
///
/// # Errors
/// CL_INVALID_PROPERTY for none in a context of several devices; CL_INVALID_DEVICE for other than one of the context's.
fn devices_of(context: &Context, given: Option<Vec<usize>>) -> ClResult<SmallVec<[usize; 2]>> {
    let Some(list) = given else {
        ensure(context.devices.len() == 1, cl::CL_INVALID_PROPERTY)?;
        return Ok((0..context.devices.len()).collect());
    };
    let [address] = *list.as_slice() else { return fail(cl::CL_INVALID_DEVICE) };
    let device = handle::get::<Device>(std::ptr::with_exposed_provenance_mut(address))?;
    let index = context.devices.iter().position(|d| Arc::ptr_eq(d, &device));
    Ok(SmallVec::from_slice(&[index.ok_or(ClError(cl::CL_INVALID_DEVICE))?]))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_properties() {
        let kind = [u64::from(cl::CL_SEMAPHORE_TYPE_KHR), u64::from(cl::CL_SEMAPHORE_TYPE_BINARY_KHR)];
        let (fd, sync) = (code(SemaphoreHandle::OpaqueFd).into(), code(SemaphoreHandle::SyncFd).into());
        let read = |more: &[u64]| Properties::read(&[&kind[..], more, &[0]].concat());
        assert_eq!(read(&[]), Ok(Properties::default()));
        let all = read(&[LISTS[0], 64, 0, LISTS[1], fd, 0]).expect("read");
        assert_eq!(all.devices, Some(vec![64]));
        assert_eq!(all.exports, Some(vec![SemaphoreHandle::OpaqueFd]));
        let imported = read(&[sync, u64::MAX]).expect("read").import;
        assert_eq!(imported, Some((SemaphoreHandle::SyncFd, -1)));
        let wrong = Err(ClError(cl::CL_INVALID_PROPERTY));
        for more in [&[77, 1][..], &kind, &[fd, 3, sync, 4], &[LISTS[1], 77, 0], &[LISTS[0], 0, LISTS[0], 0]]
        {
            assert_eq!(read(more), wrong, "{more:?}");
        }
        assert_eq!(Properties::read(&[kind[0], 2, 0]), wrong, "another type");
        assert_eq!(Properties::read(&[0]), Err(ClError(cl::CL_INVALID_VALUE)), "no type");
        assert_eq!(Properties::read(&[]), Err(ClError(cl::CL_INVALID_VALUE)));
    }
}

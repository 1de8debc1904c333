//! Functions of the application, and the one place that calls them.
//!
//! A function of the application may wait for anything. It may want a lock that another thread holds while that thread waits for an event.
//! Neither a thread that completes commands nor one that waits for them calls it, therefore. The context's [`Executor`] does: one thread with
//! no other work, one function after the other, in order.
//!
//! | function | called | by |
//! |---|---|---|
//! | clSetEventCallback (§5.11) | when the status is reached | the executor; the registering call if it is reached already |
//! | clBuildProgram, clCompileProgram, clLinkProgram (§5.8) | before the call returns | that call (`program::build` says why) |
//! | clSetMemObjectDestructorCallback (§5.5.1) | when the object is deleted | the executor; the last release if nothing uses the object |
//! | clSetContextDestructorCallback (§4.4) | when the context is deleted | the executor; the last release |
//! | clEnqueueSVMFree (§5.6.1) | when the command runs; the command is complete after it | the executor |
//! | clEnqueueNativeKernel (§5.10) | when the command runs; the command is complete after it | the executor |
//! | clCreateContext's pfn_notify (§4.4) | when an error is reported | the executor |
//! | clSetProgramReleaseCallback (§5.8.2) | never: the call is refused | |
//!
//! A [`Callback`] can only be given to an executor, or called at the two places whose comments say why the calling thread may. Builds with
//! debug assertions assert at each call that the thread holds no lock of ours. No function is called after the process begins to end.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::sync::assert_no_lock;

use crate::abi::ffi::UserPointer;
use crate::abi::handle::{Object, Raw};
use crate::abi::process::may_call;
use crate::abi::workers::Workers;

/// clSetEventCallback's function.
pub(crate) type EventFunction = unsafe extern "C" fn(cl::cl_event, cl::cl_int, *mut c_void);
/// The function of a build.
pub(crate) type BuildFunction = unsafe extern "C" fn(cl::cl_program, *mut c_void);
/// clSetMemObjectDestructorCallback's and clSetContextDestructorCallback's.
pub(crate) type DestructorFunction = unsafe extern "C" fn(Raw, *mut c_void);
/// clEnqueueSVMFree's.
pub(crate) type FreeFunction =
    unsafe extern "C" fn(cl::cl_command_queue, cl::cl_uint, *mut *mut c_void, *mut c_void);
/// clEnqueueNativeKernel's.
pub(crate) type NativeFunction = unsafe extern "C" fn(*mut c_void);
/// clCreateContext's, for errors: message, data and its size, the user's pointer.
pub(crate) type ErrorFunction = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);

/// An object that a callback names: it lives until the callback has returned.
pub(crate) struct KeptAlive {
    raw: Raw,
    _object: Arc<dyn Send + Sync>,
}

impl KeptAlive {
    pub(crate) fn new<T: Object>(object: Arc<T>) -> Self {
        KeptAlive { raw: object.own().raw(), _object: object }
    }
}

// SAFETY: the handle is an address, which is not followed here; the object may cross threads.
unsafe impl Send for KeptAlive {}

/// A call of a function of the application, with its arguments; the last is the application's pointer. The application promises that the
/// function may be called with these arguments from any thread (the sections in the module's table).
pub(crate) enum Callback {
    /// The event lives until then.
    Event(EventFunction, KeptAlive, cl::cl_int, UserPointer),
    /// The program lives until then.
    Build(BuildFunction, KeptAlive, UserPointer),
    /// The handle names nothing any more.
    Destructor(DestructorFunction, UserPointer, UserPointer),
    /// The queue lives until then.
    Free(FreeFunction, KeptAlive, Vec<UserPointer>, UserPointer),
    /// The arguments live until then.
    Native(NativeFunction, UserPointer),
    /// The context lives until then, so that its destructor callbacks come later.
    Error(ErrorFunction, KeptAlive, CString, UserPointer),
}

thread_local! {
    /// This thread of the application is in a release that may call its functions.
    static MAY_CALL: Cell<bool> = const { Cell::new(false) };
}

impl Callback {
    /// Calls it on this thread: the application's own, in an API call that must call it before it returns. It holds no lock.
    pub(crate) fn call_here(self) {
        self.call();
    }

    fn call(self) {
        assert_no_lock("a function of the application is called");
        if !may_call() {
            // Dropping it could call a driver that is gone already.
            std::mem::forget(self);
            return;
        }
        // It may call exit, or wait.
        vk_runtime::life::thread_came();
        let _may = MayCall::begin(false);
        match self {
            Callback::Event(call, event, status, user) => {
                // SAFETY: the application's promise (§5.11).
                unsafe { call(event.raw, status, user.0) };
            }
            Callback::Build(call, program, user) => {
                // SAFETY: the application's promise (§5.8.3, §5.8.4, §5.8.5).
                unsafe { call(program.raw, user.0) };
            }
            Callback::Destructor(call, object, user) => {
                // SAFETY: the application's promise (§4.4, §5.5.1).
                unsafe { call(object.0, user.0) };
            }
            Callback::Free(call, queue, pointers, user) => {
                let mut list: Vec<_> = pointers.iter().map(|p| p.0).collect();
                let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
                // SAFETY: the application's promise (§5.6.1); the list has so many pointers.
                unsafe { call(queue.raw, count, list.as_mut_ptr(), user.0) };
            }
            Callback::Native(call, arguments) => {
                // SAFETY: the application's promise (§5.10).
                unsafe { call(arguments.0) };
            }
            Callback::Error(call, _context, text, user) => {
                // SAFETY: the application's promise (§4.4); the text lives through the call; there is no private data.
                unsafe { call(text.as_ptr(), std::ptr::null(), 0, user.0) };
            }
        }
    }
}

/// Sets [`MAY_CALL`] for a while.
struct MayCall(bool);

impl MayCall {
    fn begin(may: bool) -> Self {
        MayCall(MAY_CALL.replace(may))
    }
}

impl Drop for MayCall {
    fn drop(&mut self) {
        MAY_CALL.set(self.0);
    }
}

/// Runs a release call of the application. It calls the destructor functions of deleted objects before it returns, as other drivers do,
/// because programs rely on that. The thread holds no lock of ours and waits for nothing.
pub(crate) fn in_release<T>(release: impl FnOnce() -> T) -> T {
    let _may = MayCall::begin(true);
    release()
}

/// The executor of a context: it calls the application's functions.
#[derive(Clone)]
pub(crate) struct Executor(Arc<Workers>);

impl Executor {
    pub(crate) fn new() -> Self {
        Executor(Arc::new(Workers::callbacks()))
    }

    /// Calls a function soon.
    pub(crate) fn give(&self, callback: Callback) {
        self.give_then(callback, || ());
    }

    /// Calls a function soon, and then does something of ours.
    pub(crate) fn give_then(&self, callback: Callback, then: impl FnOnce() + Send + 'static) {
        self.0.give(Box::new(move || {
            callback.call();
            then();
        }));
    }

    /// Calls the destructor functions of a deleted object in order, and then drops `kept`: at once within a [release](in_release),
    /// otherwise soon.
    pub(crate) fn deleted(&self, callbacks: Vec<Callback>, kept: impl Send + 'static) {
        if MAY_CALL.get() {
            callbacks.into_iter().for_each(Callback::call);
            drop(kept);
            return;
        }
        self.0.give(Box::new(move || {
            callbacks.into_iter().for_each(Callback::call);
            drop(kept);
        }));
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::ptr::{from_ref, null_mut};
    use std::sync::PoisonError;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use vk_runtime::sync::Mutex;

    use super::*;

    unsafe extern "C" fn count(_: Raw, user: *mut c_void) {
        // SAFETY: the counter of the test, which lives longer.
        unsafe { &*user.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
    }

    /// Each of the places that call a function of the application asserts that the thread holds no lock of ours.
    #[test]
    fn no_function_is_called_with_a_lock_held() {
        let calls = AtomicUsize::new(0);
        let callback = || {
            let user = UserPointer(from_ref(&calls).cast_mut().cast());
            Callback::Destructor(count, UserPointer(null_mut()), user)
        };
        let executor = Executor::new();
        let lock = Mutex::new(());
        let places: [&dyn Fn(); 2] =
            [&|| callback().call_here(), &|| in_release(|| executor.deleted(vec![callback()], ()))];
        for (i, place) in places.iter().enumerate() {
            place();
            assert_eq!(calls.load(Ordering::SeqCst), i + 1);
            let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            assert!(catch_unwind(AssertUnwindSafe(place)).is_err(), "place {i}");
            drop(guard);
            assert_eq!(calls.load(Ordering::SeqCst), i + 1);
        }
        // The executor's thread holds none, whatever the thread that gives it the function holds.
        let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        executor.give(callback());
        while calls.load(Ordering::SeqCst) < places.len() + 1 {
            std::thread::yield_now();
        }
        drop(guard);
    }
}

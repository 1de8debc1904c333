//! The life of the process: our threads, its children, and its end.
//!
//! Drivers take themselves down by exit handlers, after which their functions crash; so what uses them must have stopped
//! before. Exit handlers run in the order opposite to that of their registration: ours are registered whenever a driver may
//! just have registered its own (an instance, a device, the first pipeline was made), and the first of them that runs does
//! the work. A handler that a driver registers unseen comes later than ours and goes first: llvmpipe compiles when it executes a
//! kernel, on a thread of its own, and the tables that LLVM makes then are taken away under it. So the work that is under way is waited for before
//! all handlers: `exit` runs the destructors of its thread's variables first, and one of ours registers a handler that does no more
//! than that. Only glibc's `exit` does so, and only threads are known that have made an object or run a callback. A child by fork has none of the threads and none of the device's state: there nothing of Vulkan is called. Where
//! a driver's own handlers cannot bear to be called there, the child's end leaves them out.
//!
//! The threads of the library take no signals that come from outside, so that the application's handlers run on its own
//! threads, where it expects them.

use std::cell::Cell;
use std::io;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timeline::sync::{Condvar, Mutex, MutexGuard};

use crate::error::{RuntimeError, UserError};
#[cfg(windows)]
use crate::process::windows_exit;

/// The extent to which the process may use Vulkan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Everything.
    Running,
    /// Nothing any more: it is ending.
    Ending,
    /// Nothing: it came into being by fork, after Vulkan was in use.
    Child,
}

const RUNNING: u8 = 0;
const ENDING: u8 = 1;
#[cfg(unix)]
const CHILD: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(RUNNING);

/// The functions that run at the end.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// Before all exit handlers, if it can be, and perhaps more than once: waits, within bounds, for what is under way. Everything works still, since handlers
    /// of the application may need it.
    pub settle: fn(),
    /// Once, before the exit handlers of the drivers: takes everything down, once [`life`] says that the process is ending.
    pub end: fn(),
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Returns what the process may do with Vulkan.
#[inline]
#[must_use]
pub fn life() -> Life {
    match STATE.load(Ordering::SeqCst) {
        #[cfg(windows)]
        _ if windows_exit::is_past() => Life::Ending,
        RUNNING => Life::Running,
        ENDING => Life::Ending,
        _ => Life::Child,
    }
}

/// From now on the hooks run when the process ends by `exit` or by returning from `main`; and a child by fork knows that it is one.
/// To be called after the instance was made. Only the first hooks count.
pub fn watch(hooks: Hooks) {
    if HOOKS.set(hooks).is_ok() {
        #[cfg(unix)]
        // SAFETY: the handler only stores a number. It stays loaded: the library is linked so that it is never unloaded.
        unsafe {
            libc::pthread_atfork(None, None, Some(in_child));
        }
        #[cfg(windows)]
        windows_exit::stay_loaded();
    }
    driver_came();
    thread_came();
}

/// How many threads that end, other than the main one, register a handler: it stays when the process goes on.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LEAVERS: usize = 1 << 10;

/// Registers a handler when its thread ends: if that is because the process does, it is the newest, and runs first.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
struct Leaver;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
impl Drop for Leaver {
    fn drop(&mut self) {
        static LEFT: AtomicUsize = AtomicUsize::new(0);
        // SAFETY: two calls without arguments, and a function without arguments that does not unwind.
        unsafe {
            let main = libc::gettid() == libc::getpid();
            if life() == Life::Running && (main || LEFT.fetch_add(1, Ordering::Relaxed) < LEAVERS) {
                libc::atexit(before_exit);
            }
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
thread_local! {
    static LEAVER: Leaver = const { Leaver };
}

/// This thread may give a driver work: if it ends the process, that is waited for first.
#[inline]
pub fn thread_came() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // Not where the thread's variables are gone already.
    let _ = LEAVER.try_with(|_| ());
}

/// Waits for work under way before anything is taken away that it may need.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn before_exit() {
    if life() == Life::Running
        && let Some(hooks) = HOOKS.get()
        && std::panic::catch_unwind(hooks.settle).is_err()
    {
        log::error!("internal error at the end of the process (this is a bug in Pumice)");
    }
}

/// A driver may just have registered exit handlers: ours is to run before them.
pub(crate) fn driver_came() {
    if HOOKS.get().is_some() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        at_exit_with(at_exit_with_status);
        #[cfg(all(unix, not(all(target_os = "linux", target_env = "gnu"))))]
        // SAFETY: a function without arguments that does not unwind.
        unsafe {
            libc::atexit(at_exit);
        }
        #[cfg(windows)]
        windows_exit::at_exit(at_exit_of_windows);
    }
}

/// A handler that is given the status that the process ends with.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn at_exit_with(handler: extern "C" fn(libc::c_int, *mut libc::c_void)) {
    unsafe extern "C" {
        fn on_exit(
            handler: extern "C" fn(libc::c_int, *mut libc::c_void),
            arg: *mut libc::c_void,
        ) -> libc::c_int;
    }
    // SAFETY: glibc's function, with this type; the handler does not unwind, uses no argument, and stays loaded.
    unsafe {
        on_exit(handler, std::ptr::null_mut());
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn at_exit_with_status(status: libc::c_int, _: *mut libc::c_void) {
    at_exit();
    if LEFT_OUT.load(Ordering::SeqCst) && life() == Life::Ending {
        end_now(status);
    }
}

/// Ends the process with a status, without the exit handlers that are left.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn end_now(status: libc::c_int) -> ! {
    // SAFETY: NULL means all files, whose locks are free or, in a child, were seen to by fork; then the process ends.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status);
    }
}

/// Some driver's exit handlers would not return.
static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// From now on the process ends before the exit handlers of the drivers, and of whatever came before them: one of them would wait without an end for a device that
/// was given up. Without glibc it ends as usual.
pub(crate) fn leave_drivers_out() {
    LEFT_OUT.store(true, Ordering::SeqCst);
}

#[cfg(unix)]
extern "C" fn in_child() {
    STATE.store(CHILD, Ordering::SeqCst);
}

#[cfg(windows)]
extern "C" fn at_exit_of_windows() -> std::ffi::c_int {
    at_exit();
    0
}

extern "C" fn at_exit() {
    if STATE.compare_exchange(RUNNING, ENDING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    LESS.notify_all();
    if let Some(hooks) = HOOKS.get()
        && std::panic::catch_unwind(hooks.end).is_err()
    {
        log::error!("internal error at the end of the process (this is a bug in Pumice)");
    }
}

/// Some driver's exit handlers crash in a child by fork.
static SPARED: AtomicBool = AtomicBool::new(false);

/// From now on a child by fork that ends by `exit` does so before the exit handlers run that drivers have registered so far, if a
/// device was made that needs that. Handlers that came before those are not called either: they would not be with the driver's,
/// which crash. To be called once, after the devices were asked for.
pub fn watch_children() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    at_exit_with(at_exit_of_child);
}

/// A device was made whose driver's exit handlers crash in a child by fork.
pub(crate) fn spare_children() {
    SPARED.store(true, Ordering::SeqCst);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn at_exit_of_child(status: libc::c_int, _: *mut libc::c_void) {
    if STATE.load(Ordering::SeqCst) == CHILD && SPARED.load(Ordering::SeqCst) {
        end_now(status);
    }
}

/// The error of calls that come too late.
pub(crate) fn too_late() -> RuntimeError {
    RuntimeError::user(UserError::OutOfResources, "the process is ending")
}

/// The counts of our threads and calls.
struct Busy {
    threads: usize,
    /// The number of each.
    compilers: Vec<u64>,
    /// The number of the next compiler.
    next: u64,
}

static BUSY: Mutex<Busy> = Mutex::new(Busy { threads: 0, compilers: Vec::new(), next: 0 });
static LESS: Condvar = Condvar::new();

thread_local! {
    /// How many of the threads and compilers this thread is.
    static OWN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn busy() -> MutexGuard<'static, Busy> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that is in a driver's compiler, or one of ours.
pub(crate) struct Counted {
    threads: usize,
    compiler: Option<u64>,
}

impl Counted {
    fn thread() -> Self {
        busy().threads += 1;
        OWN.set((OWN.get().0 + 1, OWN.get().1));
        Counted { threads: 1, compiler: None }
    }

    fn compiler() -> Self {
        let mut busy = busy();
        let number = busy.next;
        busy.next += 1;
        busy.compilers.push(number);
        OWN.set((OWN.get().0, OWN.get().1 + 1));
        Counted { threads: 0, compiler: Some(number) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut busy = busy();
        busy.threads -= self.threads;
        busy.compilers.retain(|number| Some(*number) != self.compiler);
        drop(busy);
        OWN.set((OWN.get().0 - self.threads, OWN.get().1 - usize::from(self.compiler.is_some())));
        LESS.notify_all();
    }
}

/// Notes that this thread goes into a driver's compiler, which the end of the process waits for: the driver would pull it
/// away under it.
///
/// # Errors
/// The process is ending already.
pub(crate) fn compiling() -> Result<Counted, RuntimeError> {
    let counted = Counted::compiler();
    if life() == Life::Running { Ok(counted) } else { Err(too_late()) }
}

/// Waits until no other thread is in a driver's compiler; false when it takes longer than `patience`.
pub fn wait_for_compilers(patience: Duration) -> bool {
    wait(patience, |busy, own| busy.compilers.len() <= own.1)
}

/// Waits until no other thread is in a driver's compiler that is in it now, whatever others begin meanwhile; false when it takes longer than `patience`.
pub fn wait_for_present_compilers(patience: Duration) -> bool {
    // Learnt at the first look, which has the lock.
    let present = Cell::new(None);
    wait(patience, |busy, own| {
        let next = present.get().unwrap_or(busy.next);
        present.set(Some(next));
        busy.compilers.iter().filter(|number| **number < next).count() <= own.1
    })
}

/// Waits until no other thread of the library runs; false when it takes longer than `patience`.
pub fn wait_for_threads(patience: Duration) -> bool {
    wait(patience, |busy, own| busy.threads <= own.0)
}

fn wait(patience: Duration, enough: impl Fn(&Busy, (usize, usize)) -> bool) -> bool {
    let (end, own) = (Instant::now() + patience, OWN.get());
    loop {
        // Never a wait for the lock: a signal's handler may have called exit on the thread that has it.
        if let Ok(busy) = BUSY.try_lock() {
            let left = end.saturating_duration_since(Instant::now()).min(Duration::from_millis(20));
            let waited = LESS.wait_timeout_while(busy, left, |busy| !enough(busy, own));
            if !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
                return true;
            }
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Lets a thread of ours rest; false when the process is ending, and then soon.
pub fn rest(time: Duration) -> bool {
    let end = Instant::now() + time;
    let mut busy = busy();
    while life() == Life::Running {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        // Short, since the end may come between the look and the wait.
        let left = left.min(Duration::from_millis(100));
        busy = LESS.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    false
}

/// Starts a thread of the library, with a stack of this size where one is given. It takes no signals from outside, and the end
/// of the process waits for it a while.
///
/// # Errors
/// There is no thread to be had, or the process is ending.
pub fn spawn<T: Send + 'static>(
    name: &str,
    stack: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    if life() != Life::Running {
        return Err(io::Error::other("the process is ending"));
    }
    let mut thread = std::thread::Builder::new().name(name.to_owned());
    if let Some(stack) = stack {
        thread = thread.stack_size(stack);
    }
    without_signals(|| {
        thread.spawn(move || {
            let _counted = Counted::thread();
            work()
        })
    })
}

/// Runs something on this thread with all signals blocked that come from outside: threads that it starts, a driver's among
/// them, inherit that.
pub fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    let _blocked = Blocked::new();
    run()
}

/// Signals are blocked while it lives.
#[cfg(unix)]
struct Blocked {
    before: libc::sigset_t,
}

#[cfg(unix)]
impl Blocked {
    fn new() -> Self {
        /// The signals that a thread brings upon itself, which are not blocked.
        const OWN_DOING: [libc::c_int; 7] = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
        ];
        // SAFETY: a sigset_t is plain data, which sigfillset fills; the calls read and write these two sets alone.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            for signal in OWN_DOING {
                libc::sigdelset(&mut all, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &all, &mut before);
            Blocked { before }
        }
    }
}

#[cfg(unix)]
impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set that was there before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_compilers_are_waited_for() {
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let (started, begun) = std::sync::mpsc::channel();
        let thread = spawn("pumice test", None, move || {
            let _compiler = compiling().expect("running");
            started.send(()).expect("open");
            gate.recv().expect("open");
        })
        .expect("a thread");
        begun.recv().expect("it runs");
        assert!(!wait_for_compilers(Duration::from_millis(5)));
        assert!(!wait_for_threads(Duration::from_millis(5)));
        assert!(!wait_for_present_compilers(Duration::from_millis(5)));
        {
            // This thread's own is not waited for.
            let _own = compiling().expect("running");
            assert!(!wait_for_present_compilers(Duration::from_millis(5)));
        }
        go.send(()).expect("open");
        assert!(wait_for_present_compilers(Duration::from_secs(60)));
        assert!(wait_for_compilers(Duration::from_secs(60)));
        thread.join().expect("ended");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_take_no_signals_from_outside() {
        fn blocked() -> u64 {
            let status = std::fs::read_to_string("/proc/thread-self/status").expect("Linux");
            let line = status.lines().find_map(|l| l.strip_prefix("SigBlk:")).expect("a mask");
            u64::from_str_radix(line.trim(), 16).expect("a number")
        }
        let before = blocked();
        let inside = spawn("pumice test", Some(1 << 20), blocked).expect("a thread").join().expect("ended");
        for signal in [libc::SIGUSR1, libc::SIGINT, libc::SIGTERM, libc::SIGCHLD, libc::SIGALRM] {
            assert_ne!(inside & 1 << (signal - 1), 0, "signal {signal}");
        }
        assert_eq!(inside & 1 << (libc::SIGSEGV - 1), 0);
        assert_eq!(blocked(), before, "the caller's mask is as it was");
    }
}

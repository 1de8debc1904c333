//! A driver's compiler that dies ends the thread that it is in, not the process.
//!
//! NVIDIA's (580) dies of one random program in some thousands (docs/archive/fuzzing-findings.md): it reads through a null pointer. The call is made on a
//! thread of its own. If that comes upon SIGSEGV, SIGBUS, SIGFPE or SIGILL outside the C library, the handler says so to who waits, and
//! never returns: what the thread held stays held, and nothing goes on that has lost its way. All other faults go to the handler that was there
//! before, or end the process as they would have. The handlers are the process's while such a call lasts, and put back behind it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Once, PoisonError};
use timeline::sync::Mutex;

/// The signals that a thread brings upon itself in a compiler.
const FAULTS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
/// Compilers need much.
const STACK: usize = 64 << 20;
/// This many calls are guarded at a time; more are not.
const MAX: usize = 64;
/// For the handler, where the fault is the end of the thread's stack.
const HANDLERS_STACK: usize = 64 << 10;

/// A call that somebody waits for.
struct Call {
    over: libc::sem_t,
    died: AtomicBool,
}

/// The threads that are in such calls: a handler asks for no thread-local memory.
static THREADS: [AtomicI32; MAX] = [const { AtomicI32::new(0) }; MAX];
static CALLS: [AtomicPtr<Call>; MAX] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX];
/// The range of the C library's code: what faults there may hold its locks.
static LIBRARY: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
/// The handlers before ours, for each of [`FAULTS`]; never freed, since a handler may be at it.
static BEFORE: AtomicPtr<[libc::sigaction; 4]> = AtomicPtr::new(std::ptr::null_mut());
/// How many calls there are that need the handlers.
static NEEDED: Mutex<usize> = Mutex::new(0);

/// Does something on a thread of its own, and waits for it; `None` if it died of it.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    let Some(_handlers) = Handlers::put() else { return Some(run()) };
    // SAFETY: zeros are room for a semaphore, which is made below.
    let mut call = Box::new(Call { over: unsafe { std::mem::zeroed() }, died: AtomicBool::new(false) });
    // SAFETY: it stays where it is, in its box, and is destroyed below after its last use.
    unsafe { libc::sem_init(&mut call.over, 0, 0) };
    let call = Box::into_raw(call);
    let result: Arc<Mutex<Option<T>>> = Arc::default();
    let task = Arc::new(Mutex::new(Some(run)));
    let (kept, to_do, sent) = (result.clone(), task.clone(), Sent(call));
    let work: Box<dyn FnOnce()> = Box::new(move || {
        let sent = { sent }.0;
        enter(sent);
        let value = taken(&to_do).map(|run| catch_unwind(AssertUnwindSafe(run)));
        leave();
        if let Some(Ok(value)) = value {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        }
        drop((kept, to_do));
        // SAFETY: who waits frees it after this.
        unsafe { libc::sem_post(&raw mut (*sent).over) };
    });
    // SAFETY: what it borrows lives until it is over or has died; from then on it touches nothing, since the handler does not return.
    let work = Sent(unsafe { std::mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce()>>(work) });
    let thread = std::thread::Builder::new().name("pumice compile".to_owned()).stack_size(STACK);
    let Ok(thread) = thread.spawn(move || { work }.0()) else {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(call) });
        return taken(&task).map(|run| run());
    };
    // SAFETY: as above.
    while unsafe { libc::sem_wait(&raw mut (*call).over) } != 0 {}
    // SAFETY: alive: the thread does not free it.
    if unsafe { (*call).died.load(Ordering::Acquire) } {
        // The handler may still be in sem_post: a few bytes stay behind, with all that the thread has.
        return None;
    }
    let _ = thread.join();
    // SAFETY: the thread is gone.
    unsafe {
        libc::sem_destroy(&raw mut (*call).over);
        drop(Box::from_raw(call));
    }
    taken(&result)
}

fn taken<T>(from: &Mutex<Option<T>>) -> Option<T> {
    from.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// To another thread, while this one waits.
struct Sent<T>(T);

// SAFETY: only `guarded` makes one, and does nothing with what is in it until the other thread is through.
unsafe impl<T> Send for Sent<T> {}

/// This thread goes into a call.
fn enter(call: *mut Call) {
    other_stack();
    let own = own_id();
    for (thread, place) in THREADS.iter().zip(&CALLS) {
        // Nobody but this thread looks at the place until it leaves.
        if thread.compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            place.store(call, Ordering::SeqCst);
            return;
        }
    }
}

/// It is through.
fn leave() {
    let own = own_id();
    for (thread, place) in THREADS.iter().zip(&CALLS) {
        if thread.load(Ordering::SeqCst) == own {
            place.store(std::ptr::null_mut(), Ordering::SeqCst);
            thread.store(0, Ordering::SeqCst);
        }
    }
}

fn own_id() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::gettid() }
}

/// A stack for the handler, where the fault is that this thread's own is at its end. Rust's threads may have one already.
fn other_stack() {
    // SAFETY: the memory is this thread's alone, and stays: a few pages for each call that dies.
    unsafe {
        let mut before: libc::stack_t = std::mem::zeroed();
        if libc::sigaltstack(std::ptr::null(), &mut before) != 0 || before.ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(std::ptr::null_mut(), HANDLERS_STACK, protection, flags, -1, 0);
        if memory != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: HANDLERS_STACK };
            libc::sigaltstack(&stack, std::ptr::null_mut());
        }
    }
}

/// That the handlers are in place.
struct Handlers;

impl Handlers {
    /// Puts them there, if they are not yet.
    fn put() -> Option<Handlers> {
        static FOUND: Once = Once::new();
        // SAFETY: the callback is called with this number's address, before the function returns.
        FOUND.call_once(|| unsafe {
            libc::dl_iterate_phdr(Some(find_library), std::ptr::null_mut());
        });
        if LIBRARY[1].load(Ordering::SeqCst) == 0 {
            return None;
        }
        let mut needed = NEEDED.lock().unwrap_or_else(PoisonError::into_inner);
        if *needed == 0 {
            // SAFETY: a sigaction is plain data; the handler does nothing that one must not.
            unsafe {
                let mut before: [libc::sigaction; 4] = std::mem::zeroed();
                for (signal, before) in FAULTS.iter().zip(&mut before) {
                    libc::sigaction(*signal, std::ptr::null(), before);
                }
                keep(before);
                let mut own: libc::sigaction = std::mem::zeroed();
                own.sa_sigaction = own_handler();
                own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigfillset(&mut own.sa_mask);
                for signal in FAULTS {
                    libc::sigaction(signal, &own, std::ptr::null_mut());
                }
            }
        }
        *needed += 1;
        Some(Handlers)
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let mut needed = NEEDED.lock().unwrap_or_else(PoisonError::into_inner);
        *needed -= 1;
        if *needed > 0 {
            return;
        }
        // SAFETY: what was there before, in place of our own: what somebody put there since then stays.
        unsafe {
            let before = &*BEFORE.load(Ordering::SeqCst);
            for (signal, before) in FAULTS.iter().zip(before) {
                let mut now: libc::sigaction = std::mem::zeroed();
                libc::sigaction(*signal, std::ptr::null(), &mut now);
                if now.sa_sigaction == own_handler() {
                    libc::sigaction(*signal, before, std::ptr::null_mut());
                }
            }
        }
    }
}

fn own_handler() -> libc::sighandler_t {
    handler as *const () as usize
}

/// Keeps what was there before, where it is not what was there the last time.
fn keep(before: [libc::sigaction; 4]) {
    let is = |action: &libc::sigaction| (action.sa_sigaction, action.sa_flags);
    // SAFETY: never freed.
    let last = unsafe { BEFORE.load(Ordering::SeqCst).as_ref() };
    if last.is_none_or(|last| last.iter().map(is).ne(before.iter().map(is))) {
        BEFORE.store(Box::into_raw(Box::new(before)), Ordering::SeqCst);
    }
}

/// Keeps where the library's code is that `malloc` is in.
unsafe extern "C" fn find_library(
    info: *mut libc::dl_phdr_info,
    _: usize,
    _: *mut libc::c_void,
) -> libc::c_int {
    let inside = libc::malloc as *const () as usize;
    // SAFETY: the loader's own description, valid during the call.
    unsafe {
        let info = &*info;
        for n in 0..usize::from(info.dlpi_phnum) {
            let part = &*info.dlpi_phdr.add(n);
            let start = (info.dlpi_addr as usize).wrapping_add(part.p_vaddr as usize);
            let end = start.wrapping_add(part.p_memsz as usize);
            if part.p_type == libc::PT_LOAD
                && part.p_flags & libc::PF_X != 0
                && (start..end).contains(&inside)
            {
                LIBRARY[0].store(start, Ordering::SeqCst);
                LIBRARY[1].store(end, Ordering::SeqCst);
                return 1;
            }
        }
    }
    0
}

/// Returns where the thread was.
fn place(context: *mut libc::c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: what the kernel gives a handler.
    #[cfg(target_arch = "x86_64")]
    return unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    return unsafe { (*context).uc_mcontext.pc as usize };
}

extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let own = own_id();
    let guarded = THREADS.iter().zip(&CALLS).find(|(thread, _)| thread.load(Ordering::SeqCst) == own);
    let library = LIBRARY[0].load(Ordering::SeqCst)..LIBRARY[1].load(Ordering::SeqCst);
    if let Some((thread, call)) = guarded
        && !library.contains(&place(context))
    {
        let call = call.load(Ordering::SeqCst);
        thread.store(0, Ordering::SeqCst);
        // SAFETY: who waits keeps it. sem_post and pause are for handlers.
        unsafe {
            (*call).died.store(true, Ordering::Release);
            libc::sem_post(&raw mut (*call).over);
            loop {
                libc::pause();
            }
        }
    }
    // SAFETY: never freed.
    let before = unsafe { BEFORE.load(Ordering::SeqCst).as_ref() };
    let before = before
        .and_then(|all| FAULTS.iter().zip(all).find(|(own, _)| **own == signal).map(|(_, before)| *before));
    let Some(before) = before else { return };
    // SAFETY: what was there before is called as it was to be, or put back: then the fault comes again.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, std::ptr::null_mut());
            }
            function if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let function: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(function);
                function(signal, info, context);
            }
            function => {
                let function: extern "C" fn(libc::c_int) = std::mem::transmute(function);
                function(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn what_dies_is_given_up() {
        let mut here = 1;
        assert_eq!(
            guarded(|| {
                here += 1;
                here
            }),
            Some(2)
        );
        for _ in 0..3 {
            let died = guarded(|| {
                // SAFETY: none: this is the fault.
                unsafe { std::ptr::null::<u32>().wrapping_add(4).read_volatile() }
            });
            assert_eq!(died, None);
        }
        assert_eq!(guarded(|| here), Some(2), "the next one is as ever");
        let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: asks what is there.
        let now = unsafe {
            libc::sigaction(libc::SIGBUS, std::ptr::null(), now.as_mut_ptr());
            now.assume_init()
        };
        assert_ne!(now.sa_sigaction, super::own_handler(), "the process has its own again");
    }
}

//! The thread that calls the application's event callbacks.
//!
//! A function of the application may wait for anything, a lock that its caller holds while it waits for an event among them. So
//! it is called neither on the thread that completes a command, which others may depend on, nor on one that is in a call of
//! the API. The thread starts with the first call and ends when there has been nothing to do for a while.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use vk_runtime::life::spawn;

use crate::life::may_call;

/// How long the thread waits for more.
const LINGER: Duration = Duration::from_millis(250);

type Call = Box<dyn FnOnce() + Send>;

/// Calls functions one after the other, in the order in which they come.
#[derive(Default)]
pub(crate) struct Caller {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: VecDeque<Call>,
    running: bool,
}

impl Caller {
    /// Calls a function soon.
    pub(crate) fn call(&self, call: Call) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.push_back(call);
        if state.running {
            self.shared.changed.notify_one();
            return;
        }
        state.running = true;
        drop(state);
        let shared = self.shared.clone();
        if let Err(e) = spawn("pumice callbacks", None, move || shared.run(LINGER)) {
            if !may_call() {
                return;
            }
            log::error!("no thread for callbacks, they are called at once: {e}");
            self.shared.run(Duration::ZERO);
        }
    }
}

impl Shared {
    fn run(&self, linger: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(call) = state.calls.pop_front() {
                drop(state);
                if !may_call() {
                    // Dropping it could drop what a driver is to destroy.
                    std::mem::forget(call);
                    return;
                }
                if catch_unwind(AssertUnwindSafe(call)).is_err() {
                    log::error!("internal error in a callback (this is a bug in Pumice)");
                }
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let waited = self.changed.wait_timeout(state, linger).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            if state.calls.is_empty() && (waited.1.timed_out() || linger.is_zero()) {
                state.running = false;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn calls_come_in_order_and_may_wait() {
        let caller = Caller::default();
        let (send, receive) = channel();
        let (go, gate) = channel::<()>();
        let first = send.clone();
        caller.call(Box::new(move || {
            gate.recv().expect("the test goes on");
            first.send(0).expect("open");
        }));
        for i in 1..100 {
            let send = send.clone();
            caller.call(Box::new(move || send.send(i).expect("open")));
        }
        assert!(receive.try_recv().is_err());
        go.send(()).expect("open");
        assert_eq!(receive.iter().take(100).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        // Ended and started again.
        std::thread::sleep(2 * LINGER);
        assert!(!caller.shared.state.lock().expect("state").running);
        caller.call(Box::new(move || send.send(7).expect("open")));
        assert_eq!(receive.recv(), Ok(7));
    }
}

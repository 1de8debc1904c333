//! Whose turn it is to wait for a timeline.
//!
//! Several threads in vkWaitSemaphores on one semaphore wake up to 10 ms late on NVIDIA's driver. So one thread waits for the
//! earliest value that anybody wants, and the others sleep on a condition until it has seen that.

use std::sync::PoisonError;
use std::time::Duration;
use timeline::sync::{Condvar, Mutex, MutexGuard};

/// How long a thread that wants an earlier value than the one being waited for sleeps between looks.
const LOOK: Duration = Duration::from_micros(50);

/// The threads that wait for one timeline.
#[derive(Default)]
pub(crate) struct WaitLeader {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The value that a thread waits for with the driver; 0: none does.
    target: u64,
    /// The values that the sleeping threads want.
    wanted: Vec<u64>,
}

/// The role of a thread that wants a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It waits for this value with the driver, and then calls [`WaitLeader::end`].
    Wait(u64),
    /// Something may have changed: it looks.
    Look,
}

impl WaitLeader {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the turn, or sleeps until it is over (or for `step`). `reached`: the value that is known to be reached, or a greater one
    /// when nothing more is to be waited for.
    pub(crate) fn take(&self, value: u64, step: Duration, reached: impl FnOnce() -> u64) -> Turn {
        let mut state = self.lock();
        // After the lock: who ends a turn notes what was reached before.
        let reached = reached();
        if reached >= value {
            return Turn::Look;
        }
        if state.target == 0 {
            // Those that were woken and have not come by yet want what has been reached.
            let wanted = state.wanted.iter().copied().filter(|wanted| *wanted > reached);
            state.target = wanted.fold(value, u64::min);
            return Turn::Wait(state.target);
        }
        let sleep = if value < state.target { LOOK } else { step };
        state.wanted.push(value);
        state = self.changed.wait_timeout(state, sleep).unwrap_or_else(PoisonError::into_inner).0;
        if let Some(place) = state.wanted.iter().position(|v| *v == value) {
            state.wanted.swap_remove(place);
        }
        Turn::Look
    }

    /// Ends this thread's turn; what it saw has been noted.
    pub(crate) fn end(&self) {
        self.lock().target = 0;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    #[test]
    fn one_waits_for_what_is_wanted_first() {
        let (turns, reached, waiting) = (WaitLeader::default(), AtomicU64::new(0), AtomicU32::new(0));
        let step = Duration::from_millis(100);
        let wait = |value: u64| {
            while reached.load(Ordering::SeqCst) < value {
                let turn = turns.take(value, step, || reached.load(Ordering::SeqCst));
                if let Turn::Wait(target) = turn {
                    assert_eq!(waiting.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
                    // The device gets on by one with each wait, and not beyond what is wanted.
                    std::thread::sleep(Duration::from_millis(1));
                    assert!(target > reached.load(Ordering::SeqCst));
                    reached.fetch_add(1, Ordering::SeqCst);
                    waiting.fetch_sub(1, Ordering::SeqCst);
                    turns.end();
                }
            }
        };
        std::thread::scope(|scope| {
            for value in [9, 3, 7, 3, 9, 1] {
                let wait = &wait;
                scope.spawn(move || wait(value));
            }
        });
        assert_eq!(reached.load(Ordering::SeqCst), 9);
        assert_eq!(turns.take(9, step, || 9), Turn::Look);
        assert_eq!(turns.take(12, step, || 9), Turn::Wait(12));
    }
}

//! Looking at a timeline, again and again: the first part of a wait.
//!
//! To be woken by a driver takes some 90 µs on NVIDIA's (up to 400 beside a long kernel), longer than small kernels run. So a thread
//! that waits looks without a break at first, then between naps that are a small part of the time that it has waited already, and
//! only then leaves the waiting to the driver: what comes late comes late by a small part of the whole wait, and long waits cost
//! little of the host's time. One at a time of several threads that look asks the driver.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::device::tune::Tune;

/// The shortest nap: less than the system's own part of one.
const SHORTEST: Duration = Duration::from_micros(2);

/// How long a thread of ours looks.
const BRIEF: Duration = Duration::from_micros(50);

/// The threads that look at one timeline.
#[derive(Default)]
pub(crate) struct Pollers {
    /// How many there are.
    count: AtomicU32,
    /// One is asking the driver.
    asking: AtomicBool,
}

/// One of them.
pub(crate) struct Looker<'a> {
    lookers: &'a Pollers,
    since: Instant,
    /// When it last looked in vain, counted from the beginning.
    pub(crate) looked: Duration,
    /// Looks without a break.
    spin: Duration,
    nap: u32,
    /// Looks at all.
    until: Duration,
    #[cfg(target_os = "linux")]
    slack: Option<Slack>,
}

impl Pollers {
    /// A thread begins to look. `brief`: nobody of the application waits for it.
    pub(crate) fn join(&self, tune: &Tune, brief: bool) -> Looker<'_> {
        let others = self.count.fetch_add(1, Ordering::Relaxed);
        // More would take cores from those who have work.
        let spin = if brief { tune.spin.min(BRIEF) } else { tune.spin };
        let spin = if others < spinners() { spin } else { Duration::ZERO };
        let naps = tune.nap > 0 && !brief;
        Looker {
            lookers: self,
            since: Instant::now(),
            looked: Duration::ZERO,
            spin,
            nap: tune.nap.max(1),
            until: if naps { tune.sleep.max(spin) } else { spin },
            #[cfg(target_os = "linux")]
            slack: None,
        }
    }
}

/// This many threads look at one timeline without a break.
fn spinners() -> u32 {
    use std::sync::OnceLock;
    static SPINNERS: OnceLock<u32> = OnceLock::new();
    *SPINNERS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
        (cores / 2).max(1)
    })
}

impl Looker<'_> {
    /// Asks the driver, unless another thread is just doing that.
    pub(crate) fn ask<T>(&self, ask: impl FnOnce() -> T) -> Option<T> {
        let asking = &self.lookers.asking;
        if asking.load(Ordering::Relaxed) || asking.swap(true, Ordering::Acquire) {
            return None;
        }
        let answer = ask();
        asking.store(false, Ordering::Release);
        Some(answer)
    }

    /// Returns whether others look, too: they hear of what this one sees.
    pub(crate) fn has_company(&self) -> bool {
        self.lookers.count.load(Ordering::Relaxed) > 1
    }

    /// Between two looks; false when it has looked long enough.
    pub(crate) fn rest(&mut self) -> bool {
        let elapsed = self.since.elapsed();
        self.looked = elapsed;
        if elapsed < self.spin {
            std::hint::spin_loop();
            return true;
        }
        if elapsed >= self.until {
            return false;
        }
        #[cfg(target_os = "linux")]
        self.slack.get_or_insert_with(Slack::little);
        std::thread::sleep((elapsed / self.nap).max(SHORTEST));
        true
    }
}

impl Drop for Looker<'_> {
    fn drop(&mut self) {
        self.lookers.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Linux wakes a thread up to 50 µs late, by its default. The old value is set again.
#[cfg(target_os = "linux")]
struct Slack(libc::c_ulong);

#[cfg(target_os = "linux")]
impl Slack {
    fn little() -> Self {
        // SAFETY: these two change how exactly this thread's sleeps end, and nothing else; arguments are numbers.
        let old = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
        let slack = Slack(libc::c_ulong::try_from(old).unwrap_or(0));
        slack.set(1000);
        slack
    }

    fn set(&self, nanos: libc::c_ulong) {
        // SAFETY: as above.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanos) };
    }
}

#[cfg(target_os = "linux")]
impl Drop for Slack {
    fn drop(&mut self) {
        // 0 is the thread's default.
        self.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_ends() {
        let lookers = Pollers::default();
        let mut tune = Tune::default();
        for (name, value) in [("spin", "100"), ("nap", "8"), ("sleep", "3000")] {
            tune.set(name, value).expect("known");
        }
        let look = || {
            let mut looker = lookers.join(&tune, false);
            let mut looks = 0;
            while looker.rest() {
                assert_eq!(looker.ask(|| looker.ask(|| ())), Some(None), "one at a time");
                looks += 1;
            }
            assert!(looker.since.elapsed() >= Duration::from_millis(3));
            assert!(!looker.has_company());
            looks
        };
        // A thread that is suspended at once has no time left to look.
        assert!((0..100).any(|_| look() > 0));
        let mut brief = lookers.join(&tune, true);
        while brief.rest() {}
        assert!(brief.since.elapsed() >= BRIEF);
        assert_eq!(lookers.count.load(Ordering::Relaxed), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn slack_is_set_again() {
        // SAFETY: asks for a number.
        let now = || unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
        let before = now();
        let little = Slack::little();
        assert_eq!(now(), 1000);
        drop(little);
        assert_eq!(now(), before);
    }
}

//! Out of the way of the device's interrupts.
//!
//! Where a driver raises an interrupt with each value that a timeline gets ([`Workarounds::signals_interrupt`]), one processor of
//! the host handles them, and a thread that launches and waits there is held up each time. Linux leaves a thread where it is. So a
//! thread that waits, and is found on that processor, steps aside: it says for a moment that it may run everywhere else,
//! and then again that it may run wherever it might before.
//!
//! Which processor that is, is what the system has counted between two waits. Nothing else is known of it, and nothing is lost if
//! it is wrong.
//!
//! [`Workarounds::signals_interrupt`]: crate::Workarounds::signals_interrupt

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::time::host_time;

/// It is counted over so many waits.
const WAITS: u32 = 64;
/// And again after so many.
const AGAIN: u32 = 1 << 16;
/// A thread that was put back is not moved again for so long, in nanoseconds: the others are busy.
const PATIENCE: u64 = 20_000_000;
/// Where no processor handles the interrupts, or it is not known.
const NONE: i32 = -1;

/// What is known of the interrupts of a device.
pub(crate) struct Aside {
    waits: AtomicU32,
    processor: AtomicI32,
    /// When a thread stepped aside last.
    stepped: AtomicU64,
    before: Mutex<Vec<(i32, u64)>>,
}

impl Default for Aside {
    fn default() -> Self {
        Aside {
            waits: AtomicU32::new(0),
            processor: AtomicI32::new(NONE),
            stepped: AtomicU64::new(0),
            before: Mutex::default(),
        }
    }
}

impl Aside {
    /// A thread begins to wait for the device.
    pub(crate) fn wait_begins(&self) {
        match self.waits.fetch_add(1, Ordering::Relaxed) % AGAIN {
            WAITS => *self.lock() = counted(),
            n if n == 2 * WAITS => {
                let busiest = busiest(&std::mem::take(&mut *self.lock()), &counted());
                self.processor.store(busiest.unwrap_or(NONE), Ordering::Relaxed);
            }
            _ => {}
        }
        let processor = self.processor.load(Ordering::Relaxed);
        if processor == NONE || processor != here() {
            return;
        }
        let now = host_time();
        if now.saturating_sub(self.stepped.load(Ordering::Relaxed)) >= PATIENCE {
            leave(processor);
            self.stepped.store(now, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(i32, u64)>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The interrupts of the driver that each processor has handled.
fn counted() -> Vec<(i32, u64)> {
    std::fs::read_to_string("/proc/interrupts").map_or_else(|_| Vec::new(), |text| sums(&text))
}

/// The same in the system's words: a line of processors, then one for each interrupt with its counts and who handles it.
fn sums(text: &str) -> Vec<(i32, u64)> {
    let mut lines = text.lines();
    let processors = lines.next().unwrap_or("").split_whitespace();
    let mut sums: Vec<(i32, u64)> =
        processors.filter_map(|name| Some((name.strip_prefix("CPU")?.parse().ok()?, 0))).collect();
    for line in lines.filter(|line| line.contains("nvidia")) {
        let counts = line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
        sums.iter_mut().zip(counts).for_each(|((_, sum), count)| *sum += count);
    }
    sums
}

/// The processor that has handled an interrupt for about every wait.
fn busiest(before: &[(i32, u64)], after: &[(i32, u64)]) -> Option<i32> {
    let grown =
        before.iter().zip(after).filter(|(b, a)| b.0 == a.0).map(|(b, a)| (a.0, a.1.saturating_sub(b.1)));
    grown
        .max_by_key(|(_, count)| *count)
        .filter(|(_, count)| *count >= u64::from(WAITS / 2))
        .map(|(cpu, _)| cpu)
}

/// The processor that this thread is on.
#[cfg(target_os = "linux")]
fn here() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::sched_getcpu() }
}

#[cfg(not(target_os = "linux"))]
fn here() -> i32 {
    NONE
}

/// Takes this thread off a processor, if it may run on another one; it may be put back later.
#[cfg(target_os = "linux")]
fn leave(processor: i32) {
    let Ok(processor) = usize::try_from(processor) else { return };
    // SAFETY: a set of bits, all 0 of which is the empty one; the calls read or fill one of the size that they are told, for this
    // thread, and the macros stay within it for a number below CPU_SETSIZE.
    unsafe {
        let mut may: libc::cpu_set_t = std::mem::zeroed();
        let size = std::mem::size_of_val(&may);
        let told = libc::sched_getaffinity(0, size, &mut may) == 0;
        // Who is to run there alone stays.
        if !told || processor >= libc::CPU_SETSIZE as usize || libc::CPU_COUNT(&may) < 2 {
            return;
        }
        let mut others = may;
        libc::CPU_CLR(processor, &mut others);
        if libc::sched_setaffinity(0, size, &others) == 0 {
            libc::sched_setaffinity(0, size, &may);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn leave(_: i32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_handles_the_interrupts() {
        let text = |a, b, c| {
            format!(
                "           CPU0       CPU2       CPU3\n  1: 9 9 9 IO-APIC 1-edge i8042\n \
                 42: 7 {a} {b} PCI-MSIX-0000:00:06.0 0-edge nvidia\n 43: 0 0 {c} PCI-MSIX nvidia\nNMI: 0 0 0 Non-maskable\n"
            )
        };
        let before = sums(&text(5, 1, 10));
        assert_eq!(before, [(0, 7), (2, 5), (3, 11)]);
        assert_eq!(busiest(&before, &sums(&text(69, 1, 12))), Some(2));
        assert_eq!(busiest(&before, &sums(&text(30, 1, 12))), None, "seldom");
        assert_eq!((busiest(&[], &before), sums("")), (None, Vec::new()));
    }

    #[test]
    fn a_thread_may_run_where_it_might() {
        // A thread of its own: what it may do is not for others to see.
        std::thread::spawn(|| {
            let aside = Aside::default();
            (0..3 * WAITS).for_each(|_| aside.wait_begins());
            let before = std::thread::available_parallelism().expect("told");
            aside.processor.store(here(), Ordering::Relaxed);
            aside.wait_begins();
            leave(here());
            assert_eq!(std::thread::available_parallelism().expect("told"), before);
        })
        .join()
        .expect("no panic");
    }
}

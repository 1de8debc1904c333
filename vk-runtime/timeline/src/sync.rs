//! Locks that each thread counts in builds with debug assertions. A thread that holds one must not call a function of the application, nor
//! wait for a queue on behalf of others ([`assert_no_lock`]). In other builds they are the standard library's.

#[cfg(debug_assertions)]
pub use counted::{Condvar, Mutex, MutexGuard, locks_held};
#[cfg(not(debug_assertions))]
pub use std::sync::{Condvar, Mutex, MutexGuard};

/// The locks that this thread holds are not counted.
#[cfg(not(debug_assertions))]
#[must_use]
#[inline]
pub fn locks_held() -> u32 {
    0
}

/// Asserts in builds with debug assertions that this thread holds no lock of ours. `what` names the action that follows.
///
/// # Panics
/// If it does.
#[inline]
pub fn assert_no_lock(what: &str) {
    debug_assert_eq!(locks_held(), 0, "{what} while a lock is held (this is a bug in Pumice)");
}

#[cfg(debug_assertions)]
mod counted {
    use std::cell::Cell;
    use std::ops::{Deref, DerefMut};
    use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult, WaitTimeoutResult};
    use std::time::Duration;

    thread_local! {
        static HELD: Cell<u32> = const { Cell::new(0) };
    }

    /// The number of locks that this thread holds.
    #[must_use]
    pub fn locks_held() -> u32 {
        // A destructor of another thread-local may ask when this one is gone.
        HELD.try_with(Cell::get).unwrap_or(0)
    }

    fn count(by: i32) {
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_add_signed(by)));
    }

    /// `std::sync::Mutex`, counted.
    #[derive(Debug, Default)]
    pub struct Mutex<T>(std::sync::Mutex<T>);

    /// Its guard. The count goes after the lock.
    #[derive(Debug)]
    pub struct MutexGuard<'a, T> {
        lock: std::sync::MutexGuard<'a, T>,
        held: Held,
    }

    #[derive(Debug)]
    struct Held;

    impl Held {
        fn new() -> Self {
            count(1);
            Held
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            count(-1);
        }
    }

    impl<'a, T> MutexGuard<'a, T> {
        fn new(lock: std::sync::MutexGuard<'a, T>) -> Self {
            MutexGuard { lock, held: Held::new() }
        }

        /// The result of the standard library, for the counted lock.
        fn from_std(result: LockResult<std::sync::MutexGuard<'a, T>>) -> LockResult<Self> {
            match result {
                Ok(lock) => Ok(Self::new(lock)),
                Err(poisoned) => Err(PoisonError::new(Self::new(poisoned.into_inner()))),
            }
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            &self.lock
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            &mut self.lock
        }
    }

    impl<T> Mutex<T> {
        /// As `std::sync::Mutex::new`.
        pub const fn new(value: T) -> Self {
            Mutex(std::sync::Mutex::new(value))
        }

        /// As `std::sync::Mutex::lock`.
        ///
        /// # Errors
        /// As there.
        pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
            MutexGuard::from_std(self.0.lock())
        }

        /// As `std::sync::Mutex::try_lock`.
        ///
        /// # Errors
        /// As there.
        pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
            match self.0.try_lock() {
                Ok(lock) => Ok(MutexGuard::new(lock)),
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                Err(TryLockError::Poisoned(poisoned)) => {
                    let lock = MutexGuard::new(poisoned.into_inner());
                    Err(TryLockError::Poisoned(PoisonError::new(lock)))
                }
            }
        }

        /// As `std::sync::Mutex::get_mut`.
        ///
        /// # Errors
        /// As there.
        pub fn get_mut(&mut self) -> LockResult<&mut T> {
            self.0.get_mut()
        }

        /// As `std::sync::Mutex::into_inner`.
        ///
        /// # Errors
        /// As there.
        pub fn into_inner(self) -> LockResult<T> {
            self.0.into_inner()
        }
    }

    /// The result of a wait with a time limit.
    type Timed<'a, T> = LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>;

    fn with_time<'a, T>(
        result: LockResult<(std::sync::MutexGuard<'a, T>, WaitTimeoutResult)>,
    ) -> Timed<'a, T> {
        match result {
            Ok((lock, waited)) => Ok((MutexGuard::new(lock), waited)),
            Err(poisoned) => {
                let (lock, waited) = poisoned.into_inner();
                Err(PoisonError::new((MutexGuard::new(lock), waited)))
            }
        }
    }

    /// `std::sync::Condvar` of counted locks. A lock that is waited for counts: the thread does nothing else meanwhile.
    #[derive(Debug, Default)]
    pub struct Condvar(std::sync::Condvar);

    impl Condvar {
        /// As `std::sync::Condvar::new`.
        #[must_use]
        pub const fn new() -> Self {
            Condvar(std::sync::Condvar::new())
        }

        /// As `std::sync::Condvar::wait`.
        ///
        /// # Errors
        /// As there.
        pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            let MutexGuard { lock, held } = guard;
            let result = self.0.wait(lock);
            drop(held);
            MutexGuard::from_std(result)
        }

        /// As `std::sync::Condvar::wait_while`.
        ///
        /// # Errors
        /// As there.
        pub fn wait_while<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            condition: impl FnMut(&mut T) -> bool,
        ) -> LockResult<MutexGuard<'a, T>> {
            let MutexGuard { lock, held } = guard;
            let result = self.0.wait_while(lock, condition);
            drop(held);
            MutexGuard::from_std(result)
        }

        /// As `std::sync::Condvar::wait_timeout`.
        ///
        /// # Errors
        /// As there.
        pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, limit: Duration) -> Timed<'a, T> {
            let MutexGuard { lock, held } = guard;
            let result = self.0.wait_timeout(lock, limit);
            drop(held);
            with_time(result)
        }

        /// As `std::sync::Condvar::wait_timeout_while`.
        ///
        /// # Errors
        /// As there.
        pub fn wait_timeout_while<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            limit: Duration,
            condition: impl FnMut(&mut T) -> bool,
        ) -> Timed<'a, T> {
            let MutexGuard { lock, held } = guard;
            let result = self.0.wait_timeout_while(lock, limit, condition);
            drop(held);
            with_time(result)
        }

        /// As `std::sync::Condvar::notify_one`.
        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        /// As `std::sync::Condvar::notify_all`.
        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;
    use std::sync::PoisonError;
    use std::time::Duration;

    #[test]
    fn locks_are_counted() {
        let (a, b, changed) = (Mutex::new(1), Mutex::new(2), Condvar::new());
        assert_eq!(locks_held(), 0);
        let first = a.lock().expect("whole");
        {
            let second = b.try_lock().expect("free");
            assert_eq!((*first + *second, locks_held()), (3, 2));
            assert!(b.try_lock().is_err());
            assert_eq!(locks_held(), 2);
        }
        let (first, waited) = changed.wait_timeout(first, Duration::ZERO).expect("whole");
        assert!(waited.timed_out());
        assert_eq!((locks_held(), std::thread::scope(|s| s.spawn(locks_held).join().ok())), (1, Some(0)));
        drop(first);
        assert_no_lock("a test");
        // One that a panic has left.
        let left = std::thread::scope(|s| s.spawn(|| panic!("{:?}", a.lock())).join());
        assert!(left.is_err() && a.lock().is_err());
        assert_eq!(*a.lock().unwrap_or_else(PoisonError::into_inner), 1);
        assert_eq!(locks_held(), 0);
        let guard = a.lock();
        assert!(std::panic::catch_unwind(|| assert_no_lock("a test")).is_err());
        drop(guard);
    }
}

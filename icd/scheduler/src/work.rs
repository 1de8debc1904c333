//! A command as the graph sees it, and the host's part of it.

use std::ops::Range;

use timeline::Points;

use crate::status::Result;

/// A command that is blocked until it may be recorded.
pub trait Work: Send {
    /// Returns whether it may use shared memory at these addresses. Takes no lock.
    fn may_use(&self, memory: &Range<usize>) -> bool;

    /// Records it in a stream, by its number.
    fn record(self: Box<Self>, stream: u32) -> Result<Done>;
}

/// Gives a function of the application to its executor. The argument runs after it.
type Delegate = Box<dyn FnOnce(Box<dyn FnOnce() + Send>) + Send>;
/// The closure of host work.
pub type Run = Box<dyn FnOnce() -> Result<()> + Send>;

/// The host's part of a command, after the device's.
pub struct HostWork {
    run: Run,
    /// It takes long, or waits: the thread that tells of the device's progress does not do it itself.
    heavy: Box<dyn Fn() -> bool + Send>,
    /// Another executor does it instead.
    delegate: Option<Delegate>,
}

/// From so many bytes on a copy takes longer than another thread takes to wake up.
const HEAVY: u64 = 256 << 10;

impl HostWork {
    /// Work of a moment.
    pub fn light(run: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        HostWork { run: Box::new(run), heavy: Box::new(|| false), delegate: None }
    }

    /// Work that waits for others.
    pub fn heavy(run: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        HostWork { run: Box::new(run), heavy: Box::new(|| true), delegate: None }
    }

    /// A function of the application, which only its executor may call. `delegate` gives it to the executor, which calls the argument
    /// after it.
    pub fn application(delegate: impl FnOnce(Box<dyn FnOnce() + Send>) + Send + 'static) -> Self {
        HostWork { delegate: Some(Box::new(delegate)), ..Self::light(|| Ok(())) }
    }

    /// Work that moves so many bytes.
    pub fn moving(size: u64, run: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        HostWork { run: Box::new(run), heavy: Box::new(move || size >= HEAVY), delegate: None }
    }

    /// Work that waits for others where this says so, when what is before it is done.
    pub fn heavy_where(
        heavy: impl Fn() -> bool + Send + 'static,
        run: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Self {
        HostWork { run: Box::new(run), heavy: Box::new(heavy), delegate: None }
    }

    /// One thing after the other; all of them are done, whatever becomes of one.
    pub fn all(works: Vec<HostWork>) -> Self {
        let heavy = works.iter().any(HostWork::is_heavy);
        let run = move || {
            let mut result = Ok(());
            for work in works {
                result = result.and(work.run());
            }
            result
        };
        HostWork { run: Box::new(run), heavy: Box::new(move || heavy), delegate: None }
    }

    /// With something around it.
    pub fn within(self, around: impl FnOnce(Run) -> Result<()> + Send + 'static) -> Self {
        let HostWork { run, heavy, delegate } = self;
        HostWork { run: Box::new(move || around(run)), heavy, delegate }
    }

    /// Returns whether it is better not done by a thread that others wait for.
    pub fn is_heavy(&self) -> bool {
        (self.heavy)()
    }

    /// Returns whether it is a function of the application.
    pub fn calls_application(&self) -> bool {
        self.delegate.is_some()
    }

    /// Does it.
    ///
    /// # Errors
    /// What becomes the command's status.
    pub fn run(self) -> Result<()> {
        (self.run)()
    }

    /// Gives it to its executor if it is a function of the application, and runs `then` after it. Returns it if not.
    pub fn delegate(self, then: impl FnOnce() + Send + 'static) -> Option<Self> {
        match self.delegate {
            Some(delegate) => {
                delegate(Box::new(then));
                None
            }
            None => Some(self),
        }
    }
}

/// When a recorded command is complete.
pub enum Done {
    /// It is already, or when what it waits for is complete: there is nothing to do.
    Host,
    /// When the streams reach these points.
    Device(Points),
    /// When the streams have reached the points and then the host's work is done.
    Then {
        /// The points.
        points: Points,
        /// The host's work.
        work: HostWork,
        /// True if commands that wait for this one may be recorded only after the host's work. Otherwise they are
        /// recorded behind it, and only complete after it.
        holds: bool,
    },
}

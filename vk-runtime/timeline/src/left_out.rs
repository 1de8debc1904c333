//! Launches that could not be recorded after their enqueue had returned.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::point::{Point, Points};
use crate::sync::{Mutex, MutexGuard};

/// A launch that is in a batch but not in its command buffer yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// The point of its batch.
    pub point: Point,
    /// Its index among the batch's launches that are not recorded yet.
    pub place: usize,
}

/// Why a launch was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It could not be recorded.
    NoMemory,
    /// It waits for one that was left out.
    Waits,
}

/// The launches that were left out because they could not be recorded when it was their turn. It is known when their points are reached.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<List>);

#[derive(Debug, Default)]
struct List {
    /// It is not empty.
    any: AtomicBool,
    all: Mutex<Vec<Left>>,
}

#[derive(Debug)]
struct Left {
    launch: Noted,
    cause: Cause,
    observed: bool,
    reported: bool,
}

impl LeftOut {
    /// None, where there is no launch.
    #[inline]
    fn all(&self) -> Option<MutexGuard<'_, Vec<Left>>> {
        let any = self.0.any.load(Ordering::Acquire);
        any.then(|| self.0.all.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a launch. `observed`: the application has its event.
    pub fn add(&self, launch: Noted, cause: Cause, observed: bool) {
        let left = Left { launch, cause, observed, reported: false };
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner).push(left);
        self.0.any.store(true, Ordering::Release);
    }

    /// Returns why a launch was left out, if it was.
    #[must_use]
    #[inline]
    pub fn cause(&self, launch: Noted) -> Option<Cause> {
        let all = self.all()?;
        all.iter().find(|left| left.launch == launch).map(|left| left.cause)
    }

    /// Marks a launch as reported.
    pub fn told(&self, launch: Noted) {
        if let Some(mut all) = self.all() {
            all.iter_mut().filter(|left| left.launch == launch).for_each(|left| left.reported = true);
        }
    }

    /// Returns whether launches up to some points were left out and not reported yet. They count as reported from now on. `observed`: those
    /// with an event, too.
    #[must_use]
    #[inline]
    pub fn tell(&self, points: &Points, observed: bool) -> bool {
        let Some(mut all) = self.all() else { return false };
        let reached = |left: &Left| left.launch.point.value <= points.value_in(left.launch.point.stream);
        let news =
            all.iter_mut().filter(|left| !left.reported && (observed || !left.observed) && reached(left));
        news.map(|left| left.reported = true).count() > 0
    }
}

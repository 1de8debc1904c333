//! Launches that could not be recorded after their enqueue had returned.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::point::{Point, Points};
use crate::sync::{Mutex, MutexGuard};

/// A launch that is in a batch but not in its command buffer yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeferredLaunch {
    /// The point of its batch.
    pub point: Point,
    /// Its index among the batch's launches that are not recorded yet.
    pub place: usize,
}

/// Why a launch was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It could not be recorded.
    NoMemory,
    /// It waits for one that was dropped.
    Waits,
}

/// The launches that were dropped because they could not be recorded when it was their turn. It is known when their points are reached.
#[derive(Debug, Clone, Default)]
pub struct DroppedLaunches(Arc<List>);

#[derive(Debug, Default)]
struct List {
    /// It is not empty.
    any: AtomicBool,
    all: Mutex<Vec<Dropped>>,
}

#[derive(Debug)]
struct Dropped {
    launch: DeferredLaunch,
    cause: Cause,
    observed: bool,
    reported: bool,
}

impl DroppedLaunches {
    /// None, where there is no launch.
    #[inline]
    fn all(&self) -> Option<MutexGuard<'_, Vec<Dropped>>> {
        let any = self.0.any.load(Ordering::Acquire);
        any.then(|| self.0.all.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a launch. `observed`: the application has its event.
    pub fn add(&self, launch: DeferredLaunch, cause: Cause, observed: bool) {
        let dropped = Dropped { launch, cause, observed, reported: false };
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner).push(dropped);
        self.0.any.store(true, Ordering::Release);
    }

    /// Returns why a launch was dropped, if it was.
    #[must_use]
    #[inline]
    pub fn cause(&self, launch: DeferredLaunch) -> Option<Cause> {
        let all = self.all()?;
        all.iter().find(|dropped| dropped.launch == launch).map(|dropped| dropped.cause)
    }

    /// Marks a launch as reported.
    pub fn mark_reported(&self, launch: DeferredLaunch) {
        if let Some(mut all) = self.all() {
            all.iter_mut()
                .filter(|dropped| dropped.launch == launch)
                .for_each(|dropped| dropped.reported = true);
        }
    }

    /// Returns whether launches up to some points were dropped and not reported yet. They count as reported from now on. `observed`: those
    /// with an event, too.
    #[must_use]
    #[inline]
    pub fn report(&self, points: &Points, observed: bool) -> bool {
        let Some(mut all) = self.all() else { return false };
        let reached =
            |dropped: &Dropped| dropped.launch.point.value <= points.value_in(dropped.launch.point.stream);
        let news = all
            .iter_mut()
            .filter(|dropped| !dropped.reported && (observed || !dropped.observed) && reached(dropped));
        news.map(|dropped| dropped.reported = true).count() > 0
    }
}

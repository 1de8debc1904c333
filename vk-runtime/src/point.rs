//! Points: moments in the streams of a device.

use crate::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use smallvec::SmallVec;

/// How many streams a device has at most.
pub(crate) const STREAMS: usize = 8;

/// A moment in one stream of a device: the stream reaches it when the command (and everything before it there) is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Point {
    /// The stream's number.
    pub stream: u32,
    /// Values of a stream only grow; 0 is reached from the beginning.
    pub value: u64,
}

/// Moments in some streams of one device: at most one of each, for a later one implies the earlier ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Points(SmallVec<[Point; 2]>);

impl Points {
    /// Those of none: always reached.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Takes another one in.
    pub fn add(&mut self, point: Point) {
        if point.value == 0 {
            return;
        }
        match self.0.iter_mut().find(|p| p.stream == point.stream) {
            Some(known) => known.value = known.value.max(point.value),
            None => self.0.push(point),
        }
    }

    /// Takes others in.
    pub fn merge(&mut self, others: &Points) {
        others.iter().for_each(|point| self.add(point));
    }

    /// These and others.
    #[must_use]
    pub fn and(mut self, others: impl Into<Points>) -> Self {
        self.merge(&others.into());
        self
    }

    /// Keeps some.
    pub fn retain(&mut self, mut keep: impl FnMut(Point) -> bool) {
        self.0.retain(|point| keep(*point));
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Point> {
        self.0.iter().copied()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value in a stream; 0 if there is none.
    #[must_use]
    pub fn value_in(&self, stream: u32) -> u64 {
        self.iter().find(|p| p.stream == stream).map_or(0, |p| p.value)
    }
}

impl From<Point> for Points {
    fn from(point: Point) -> Self {
        let mut points = Points::default();
        points.add(point);
        points
    }
}

impl From<&Points> for Points {
    fn from(points: &Points) -> Self {
        points.clone()
    }
}

/// A value for each stream.
pub(crate) struct PerStream([AtomicU64; STREAMS]);

impl Default for PerStream {
    fn default() -> Self {
        PerStream([const { AtomicU64::new(0) }; STREAMS])
    }
}

impl PerStream {
    /// That of a stream.
    pub(crate) fn of(&self, stream: u32) -> &AtomicU64 {
        // Streams are numbered below the limit.
        &self.0[stream as usize % STREAMS]
    }
}

/// Points that threads share, seldom any.
#[derive(Default)]
pub(crate) struct SharedPoints {
    some: AtomicBool,
    points: Mutex<Points>,
}

impl SharedPoints {
    pub(crate) fn set(&self, points: Points) {
        let mut known = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        self.some.store(!points.is_empty(), Ordering::Release);
        *known = points;
    }

    /// The points, if there are any.
    #[inline]
    pub(crate) fn get(&self) -> Option<Points> {
        if !self.some.load(Ordering::Acquire) {
            return None;
        }
        Some(self.points.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_point_of_each_stream() {
        let at = |stream, value| Point { stream, value };
        let mut points = Points::from(at(1, 5)).and(at(0, 7)).and(at(1, 3)).and(at(2, 0));
        assert_eq!(points.iter().collect::<Vec<_>>(), [at(1, 5), at(0, 7)]);
        points.merge(&Points::from(at(1, 9)));
        assert_eq!((points.value_in(1), points.value_in(0), points.value_in(2)), (9, 7, 0));
        points.retain(|p| p.stream != 1);
        assert_eq!(points, Points::from(at(0, 7)));
        assert!(Points::from(at(3, 0)).is_empty() && Points::none().is_empty());
    }

    #[test]
    fn shared_points_come_and_go() {
        let shared = SharedPoints::default();
        assert_eq!(shared.get(), None);
        let points = Points::from(Point { stream: 7, value: 9 });
        shared.set(points.clone());
        assert_eq!(shared.get(), Some(points));
        shared.set(Points::none());
        assert_eq!(shared.get(), None);
    }
}

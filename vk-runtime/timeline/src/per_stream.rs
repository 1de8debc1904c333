//! Values and points that threads share.

use crate::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::Points;

/// How many streams a device has at most.
pub const STREAMS: usize = 8;

/// A value for each stream.
pub struct PerStream([AtomicU64; STREAMS]);

impl Default for PerStream {
    fn default() -> Self {
        PerStream([const { AtomicU64::new(0) }; STREAMS])
    }
}

impl PerStream {
    /// That of a stream.
    pub fn stream(&self, stream: u32) -> &AtomicU64 {
        // Streams are numbered below the limit.
        &self.0[stream as usize % STREAMS]
    }
}

/// Points that threads share, seldom any.
#[derive(Default)]
pub struct SharedPoints {
    some: AtomicBool,
    points: Mutex<Points>,
}

impl SharedPoints {
    /// Replaces them.
    pub fn set(&self, points: Points) {
        let mut known = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        self.some.store(!points.is_empty(), Ordering::Release);
        *known = points;
    }

    /// The points, if there are any.
    #[inline]
    pub fn get(&self) -> Option<Points> {
        if !self.some.load(Ordering::Acquire) {
            return None;
        }
        Some(self.points.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

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

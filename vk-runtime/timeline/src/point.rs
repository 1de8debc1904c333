//! Points: moments in the streams of a device.

use smallvec::SmallVec;

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
    /// The points of no command: always reached.
    #[must_use]
    #[inline]
    pub fn none() -> Self {
        Self::default()
    }

    /// Takes another one in.
    #[inline]
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
    #[inline]
    pub fn merge(&mut self, others: &Points) {
        others.iter().for_each(|point| self.add(point));
    }

    /// These and others.
    #[must_use]
    #[inline]
    pub fn and(mut self, others: impl Into<Points>) -> Self {
        self.merge(&others.into());
        self
    }

    /// Keeps some.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(Point) -> bool) {
        self.0.retain(|point| keep(*point));
    }

    /// All of them.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Point> {
        self.0.iter().copied()
    }

    /// Returns whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value in a stream; 0 if there is none.
    #[must_use]
    #[inline]
    pub fn value_in(&self, stream: u32) -> u64 {
        self.iter().find(|p| p.stream == stream).map_or(0, |p| p.value)
    }
}

impl From<Point> for Points {
    #[inline]
    fn from(point: Point) -> Self {
        let mut points = Points::default();
        points.add(point);
        points
    }
}

impl From<&Points> for Points {
    #[inline]
    fn from(points: &Points) -> Self {
        points.clone()
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
}

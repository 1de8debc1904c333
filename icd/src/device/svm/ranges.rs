//! Free ranges of some pieces of memory: the smallest that suffices is found, and neighbours become one, both in logarithmic time.

use std::collections::{BTreeMap, BTreeSet};

/// The number of a piece of memory, and a place in it.
pub(crate) type At = (u32, u64);

/// Free ranges.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// Sizes, by their places.
    by_place: BTreeMap<At, u64>,
    by_size: BTreeSet<(u64, At)>,
}

impl Ranges {
    /// Takes a range of so many bytes.
    pub(crate) fn take(&mut self, size: u64) -> Option<At> {
        let (have, at) = self.by_size.range((size, (0, 0))..).next().copied()?;
        self.remove(at, have);
        if have > size {
            self.insert((at.0, at.1 + size), have - size);
        }
        Some(at)
    }

    /// Gives a range back. How large the free range is that it is part of now, and where that begins.
    pub(crate) fn give(&mut self, at: At, size: u64) -> (At, u64) {
        let (mut start, mut length) = (at, size);
        if let Some((&before, &have)) = self.by_place.range(..at).next_back()
            && before.0 == at.0
            && before.1 + have == at.1
        {
            self.remove(before, have);
            (start, length) = (before, length + have);
        }
        let behind = (at.0, at.1 + size);
        if let Some(&have) = self.by_place.get(&behind) {
            self.remove(behind, have);
            length += have;
        }
        self.insert(start, length);
        (start, length)
    }

    /// Forgets a free range, whose memory goes.
    pub(crate) fn remove(&mut self, at: At, size: u64) {
        self.by_place.remove(&at);
        self.by_size.remove(&(size, at));
    }

    fn insert(&mut self, at: At, size: u64) {
        self.by_place.insert(at, size);
        self.by_size.insert((size, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_suffices_is_taken_and_neighbours_join() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.take(1), None);
        assert_eq!(ranges.give((1, 0), 1000), ((1, 0), 1000));
        // Another piece of memory is no neighbour.
        assert_eq!(ranges.give((2, 1000), 100), ((2, 1000), 100));
        assert_eq!(ranges.take(90), Some((2, 1000)));
        assert_eq!(ranges.take(10), Some((2, 1090)));
        let parts: Vec<_> = (0..10).map(|_| ranges.take(100).expect("a part")).collect();
        assert_eq!(ranges.take(1), None);
        for part in parts.iter().step_by(2) {
            assert_eq!(ranges.give(*part, 100).1, 100);
        }
        for part in parts.iter().skip(1).step_by(2) {
            ranges.give(*part, 100);
        }
        assert_eq!(ranges.take(1000), Some((1, 0)));
    }
}

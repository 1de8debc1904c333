//! Sets of bytes, as ranges that do not touch.

use std::ops::Range;

/// This many ranges are kept apart; more are not worth the looking.
const MAX: usize = 4096;

/// Some bytes.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// In order, with gaps between them.
    list: Vec<Range<u64>>,
}

impl Spans {
    /// All of a range.
    pub(crate) fn all(range: Range<u64>) -> Self {
        Spans { list: vec![range] }
    }

    /// The ranges that end behind `start` and begin before `end`.
    fn near(&self, start: u64, end: u64) -> Range<usize> {
        let first = self.list.partition_point(|r| r.end <= start);
        let last = self.list.partition_point(|r| r.start < end);
        first..last.max(first)
    }

    /// Adds a range. If there would be too many, others are forgotten.
    pub(crate) fn add(&mut self, mut range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        // What only touches it becomes one with it, too.
        let near = self.near(range.start.saturating_sub(1), range.end.saturating_add(1));
        for r in self.list.get(near.clone()).unwrap_or_default() {
            range = range.start.min(r.start)..range.end.max(r.end);
        }
        self.list.splice(near, [range.clone()]);
        if self.list.len() > MAX {
            self.list = vec![range];
        }
    }

    /// Takes a range out.
    pub(crate) fn remove(&mut self, range: &Range<u64>) {
        if range.is_empty() {
            return;
        }
        let near = self.near(range.start, range.end);
        let cut: Vec<_> = self.list.get(near.clone()).unwrap_or_default().to_vec();
        let left = cut.iter().flat_map(|r| [r.start..r.end.min(range.start), r.start.max(range.end)..r.end]);
        self.list.splice(near, left.filter(|r| !r.is_empty()));
    }

    /// Returns what of a range is not in it.
    pub(crate) fn missing(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let (mut at, mut missing) = (range.start, Vec::new());
        for r in self.list.get(self.near(range.start, range.end)).unwrap_or_default() {
            if at < r.start {
                missing.push(at..r.start);
            }
            at = r.end;
        }
        if at < range.end {
            missing.push(at..range.end);
        }
        missing
    }

    /// Takes all out.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_set_of_numbers() {
        let (mut spans, mut set, mut seed) = (Spans::all(10..20), [false; 64], 12345u32);
        set[10..20].fill(true);
        for _ in 0..5000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (start, size) = (u64::from(seed >> 8) % 60, u64::from(seed >> 20) % 9);
            let range = start..(start + size).min(64);
            let bytes = range.start as usize..range.end as usize;
            match seed >> 30 {
                0 | 1 => {
                    spans.add(range);
                    set[bytes].fill(true);
                }
                2 => {
                    spans.remove(&range);
                    set[bytes].fill(false);
                }
                _ => {
                    let missing = spans.missing(&range);
                    let found: Vec<u64> = missing.iter().cloned().flatten().collect();
                    let wanted: Vec<u64> = range.filter(|i| !set[*i as usize]).collect();
                    assert_eq!(found, wanted);
                    assert!(missing.windows(2).all(|w| w[0].end < w[1].start));
                }
            }
            assert!(spans.list.windows(2).all(|w| w[0].end < w[1].start), "{spans:?}");
        }
    }

    #[test]
    fn too_many_are_forgotten() {
        let mut spans = Spans::default();
        for i in 0..2 * MAX as u64 {
            spans.add(2 * i..2 * i + 1);
            assert!(spans.list.len() <= MAX && spans.missing(&(2 * i..2 * i + 1)).is_empty());
        }
        spans.clear();
        assert_eq!(spans.missing(&(0..2)).len(), 1);
    }
}

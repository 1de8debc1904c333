//! The habit of a program with memory that lies twice: so many kernels write it, then the host maps the same region.
//!
//! From the third time on the region is brought to the host behind the last of these kernels, in the same submission, and the map finds
//! it there. A kernel more than usual, or another write, ends the habit. If the kernels were waited for before the map, that is part
//! of the habit: what is brought must not hold up who waits for them alone.

use std::ops::Range;

/// A habit begins with so many maps that are alike.
const BEGINS: u32 = 2;

/// The habit of one allocation.
#[derive(Debug, Default)]
pub(crate) struct MapPredictor {
    /// The region of the last map after kernels, and the number of these.
    region: Range<u64>,
    kernels_before: u32,
    /// This many such maps in a row were alike.
    alike: u32,
    /// Kernels since the last map.
    kernels: u32,
    /// They had been waited for when the last map came.
    done: bool,
    /// The region was brought ahead, and no map has asked for it yet.
    ahead: bool,
    /// The memory is used in ways that a copy which nobody asked for may come between.
    never: bool,
}

impl MapPredictor {
    /// A kernel that may write the allocation was recorded: what is to be brought behind it.
    pub(crate) fn kernel(&mut self) -> Option<Range<u64>> {
        self.write();
        self.kernels = self.kernels.saturating_add(1);
        let usual = self.alike >= BEGINS && self.kernels == self.kernels_before && !self.never;
        usual.then(|| self.region.clone())
    }

    /// Returns whether the kernels are waited for before the host maps the region.
    pub(crate) fn waits_before(&self) -> bool {
        self.done
    }

    /// A map comes; `done`: what kernels write was seen to be there.
    pub(crate) fn comes(&mut self, done: bool) {
        if self.kernels > 0 {
            self.done = done;
        }
    }

    /// That was brought.
    pub(crate) fn brought(&mut self) {
        self.ahead = true;
    }

    /// A map asks for a region.
    pub(crate) fn map(&mut self, region: &Range<u64>) {
        if self.kernels == 0 {
            return;
        }
        let alike = self.region == *region && self.kernels_before == self.kernels;
        self.alike = if alike { self.alike.saturating_add(1) } else { 1 };
        (self.region, self.kernels_before) = (region.clone(), self.kernels);
        (self.kernels, self.ahead) = (0, false);
    }

    /// Something may have written it: what was brought ahead was brought in vain.
    pub(crate) fn write(&mut self) {
        if std::mem::take(&mut self.ahead) {
            self.alike = 0;
        }
    }

    /// Nothing is brought ahead any more.
    pub(crate) fn never(&mut self) {
        self.never = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(habit: &mut MapPredictor) -> Option<Range<u64>> {
        let region = habit.kernel();
        if region.is_some() {
            habit.brought();
        }
        region
    }

    #[test]
    fn from_the_third_time_on() {
        let mut habit = MapPredictor::default();
        for round in 0..5 {
            assert_eq!(kernel(&mut habit), None);
            assert_eq!(kernel(&mut habit), (round >= 2).then_some(8..16), "behind the second kernel");
            habit.map(&(8..16));
            // Looking twice, or at more, changes nothing.
            habit.map(&(0..16));
        }
        // Another region begins anew, once it was asked for in place of what was brought.
        for round in 0..4 {
            assert_eq!(kernel(&mut habit), None, "{round}");
            assert_eq!(kernel(&mut habit).is_some(), round != 1, "{round}");
            habit.map(&(0..4));
        }
    }

    #[test]
    fn ends_when_it_was_in_vain() {
        let mut habit = MapPredictor::default();
        for _ in 0..2 {
            assert_eq!(kernel(&mut habit), None);
            habit.map(&(0..4));
        }
        assert_eq!(kernel(&mut habit), Some(0..4));
        for _ in 0..9 {
            assert_eq!(kernel(&mut habit), None, "nobody asked for the last one");
        }
        habit.map(&(0..4));
        assert_eq!(kernel(&mut habit), None);
        habit.map(&(0..4));
        assert_eq!(kernel(&mut habit), None);
        habit.map(&(0..4));
        assert_eq!(kernel(&mut habit), Some(0..4));
        habit.write();
        habit.map(&(0..4));
        assert_eq!(kernel(&mut habit), None, "a copy wrote it meanwhile");
    }

    #[test]
    fn notes_whether_kernels_were_waited_for() {
        let mut habit = MapPredictor::default();
        for done in [false, true, true, false] {
            habit.kernel();
            habit.comes(done);
            habit.map(&(0..4));
            // Looking twice tells nothing of kernels.
            habit.comes(!done);
            habit.map(&(0..4));
            assert_eq!(habit.waits_before(), done);
        }
    }

    #[test]
    fn never_is_never() {
        let mut habit = MapPredictor::default();
        habit.never();
        for _ in 0..5 {
            assert_eq!(kernel(&mut habit), None);
            habit.map(&(0..4));
        }
    }
}

//! How bytes go between the host and a buffer: one table.
//!
//! | the host reaches the memory | write | read |
//! |---|---|---|
//! | as its own (memory is shared; pinned memory) | in place when no command is in the way, else staged; large data waits for that | in place behind the last write |
//! | through a window (device memory, mapped uncached: small buffers) | in place when no command is in the way, else staged | in place up to [`window_read`](Tune), by loads of whole lines (`write_combined.rs`), else staged |
//! | not | staged | staged |
//!
//! Staged means: small writes go into the command buffer itself ([`update`](Tune)), others through staging memory, large ones piece by
//! piece (`transfer/chunks.rs`).

use crate::device::tune::Tune;

/// Above this, waiting and writing mapped memory in place is better than copying twice.
pub(crate) const IN_PLACE: usize = 1 << 20;
/// Above this a read that nobody waits for is staged by the device even where the host could take it now.
pub(crate) const AT_ONCE: u64 = 64 << 10;

/// How the host reaches a buffer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Own,
    Window,
    Not,
}

impl Reach {
    /// Returns whether reads of so much are taken from the mapping.
    pub(crate) fn reads_in_place(self, size: u64, tune: &Tune) -> bool {
        match self {
            Reach::Own => true,
            Reach::Window => size <= tune.window_read,
            Reach::Not => false,
        }
    }

    /// Returns whether writes go to the mapping.
    pub(crate) fn writes_in_place(self) -> bool {
        self != Reach::Not
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_reads_do_not_go_through_a_window() {
        let tune = Tune::default();
        let reads = |reach: Reach, size| reach.reads_in_place(size, &tune);
        assert!(reads(Reach::Own, 1 << 40));
        assert!(reads(Reach::Window, 4) && !reads(Reach::Window, tune.window_read + 1));
        assert!(!reads(Reach::Not, 1) && !Reach::Not.writes_in_place());
        assert!(Reach::Window.writes_in_place());
    }
}

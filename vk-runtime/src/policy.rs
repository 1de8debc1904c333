//! How bytes go between the host and a buffer: one table.
//!
//! | the host reaches the memory | write | read |
//! |---|---|---|
//! | as its own (memory is shared; pinned memory) | in place when no command is in the way, else staged; large data waits for that | in place behind the last write |
//! | through a window (device memory, mapped uncached: small buffers) | in place when no command is in the way, else staged | in place up to [`WINDOW_READ`], else staged |
//! | not | staged | staged |
//!
//! Staged means: small writes go into the command buffer itself ([`UPDATE`]), others through staging memory, large ones piece by
//! piece (`pieces.rs`).

/// vkCmdUpdateBuffer's limit.
pub(crate) const UPDATE: usize = 65536;
/// Above this, waiting and writing mapped memory in place is better than copying twice.
pub(crate) const IN_PLACE: usize = 1 << 20;
/// Above this a read that nobody waits for is staged by the device even where the host could take it now.
pub(crate) const AT_ONCE: u64 = 64 << 10;
/// Buffers up to this are put where the host reaches device memory, if there is such memory: a write is stores to the bus, and no
/// submission. Larger ones are better copied by the device, and windows may be small.
pub(crate) const WINDOW_BUFFER: u64 = 64 << 10;
/// Up to this a read through the window takes less than a copy by the device: each load is a round trip over the bus of about a
/// microsecond, and carries 16 to 64 bytes.
pub(crate) const WINDOW_READ: u64 = 256;

/// How the host reaches a buffer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Own,
    Window,
    Not,
}

impl Reach {
    /// Whether reads of so much are taken from the mapping.
    pub(crate) fn reads_in_place(self, size: u64) -> bool {
        match self {
            Reach::Own => true,
            Reach::Window => size <= WINDOW_READ,
            Reach::Not => false,
        }
    }

    /// Whether writes go to the mapping.
    pub(crate) fn writes_in_place(self) -> bool {
        self != Reach::Not
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_reads_do_not_go_through_a_window() {
        assert!(Reach::Own.reads_in_place(1 << 40));
        assert!(Reach::Window.reads_in_place(4) && !Reach::Window.reads_in_place(WINDOW_READ + 1));
        assert!(!Reach::Not.reads_in_place(1) && !Reach::Not.writes_in_place());
        assert!(Reach::Window.writes_in_place());
    }
}

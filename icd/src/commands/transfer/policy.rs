//! Which way bytes go between the application's memory and a buffer: one table, for reads and writes of ranges. What a way costs in
//! Vulkan is `vk-runtime`'s matter, which has a table of its own.
//!
//! | command | the host reaches the buffer's memory | it does not, or only uncached |
//! |---|---|---|
//! | read, the buffer is not being written, up to [`AT_ONCE`] | the enqueue copies: nothing is submitted | staged |
//! | read that is waited for | in place, by the thread that waits; staged where the device takes less to bring it behind what writes it ([`Buffer::reads_behind`]) | staged; piece by piece from [`OVERLAPPED`] on |
//! | read | in place from [`IN_PLACE`] on, by a worker; else staged | staged; piece by piece from [`PIECEWISE`] on, by a worker |
//! | write | in place at once if the buffer is idle, or by the thread that waits where it is one of a few bytes; else staged, from [`IN_PLACE`] on in place by a worker | staged; piece by piece from [`PIECEWISE`] on, by a worker |
//!
//! A transfer that goes at once, asks for no event, waits for nothing and has nothing before it that is held, is no command at all:
//! [`read`](crate::commands::transfer::read) and [`write`](crate::commands::transfer::write) make it before they make one. So does what is waited for in an in-order queue and goes in
//! place, up to [`AT_ONCE`], once what is before it is complete: nothing comes between that the same thread enqueued.
//!
//! Staged: the device copies from or to staging memory in the stream, and later commands are recorded behind that; the enqueue of a
//! write, and the end of a read, copy once on the host. In place and piece by piece: commands behind it are held until it is done.

use vk_runtime::Buffer;

/// Reads up to this are made by the enqueue itself if nothing prevents it.
const AT_ONCE: u64 = 64 << 10;
/// From this size on, data that the host reaches is moved in place.
const IN_PLACE: u64 = 1 << 20;
/// From this size on, data goes piece by piece, so that staging memory stays small.
const PIECEWISE: u64 = 48 << 20;
/// The same for reads that are waited for: the host copies while the device does.
const OVERLAPPED: u64 = 2 << 20;

/// How a read or write goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the enqueue, before it returns.
    Now,
    /// By the host, when the device has come so far: in place or piece by piece.
    Host,
    /// Through staging memory.
    Staged,
}

/// The facts about a command that decide the row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) size: u64,
    /// The host may do the whole transfer in the buffer's memory.
    pub(crate) reached: bool,
    /// Commands are under way that must come before it.
    pub(crate) busy: bool,
    /// The application's memory is the buffer's, or commands may use it that are not complete: another one has yet to write it, or
    /// it is shared virtual memory.
    pub(crate) entangled: bool,
    /// The call returns when it is done; of a write, also that it waits for nothing but its own queue's stream.
    pub(crate) waited_for: bool,
}

impl Case {
    /// Returns whether a buffer's memory is reached well enough for a read of so much.
    pub(crate) fn reaches(buffer: &Buffer, size: u64) -> bool {
        buffer.reads_in_place(size)
    }

    /// The same where the device has yet to write it.
    pub(crate) fn reaches_behind(buffer: &Buffer, size: u64) -> bool {
        buffer.reads_behind(size)
    }

    /// Returns whether a read of so much that is waited for is never [`Way::Host`].
    pub(crate) fn is_brought(buffer: &Buffer, size: u64) -> bool {
        size < OVERLAPPED && !buffer.reads_behind(size)
    }

    /// Returns whether so much is read or written by the enqueue itself where that can be.
    pub(crate) fn is_small(size: u64) -> bool {
        size <= AT_ONCE
    }

    /// Returns how a read goes.
    pub(crate) fn read(self) -> Way {
        let in_place = self.reached && !self.entangled;
        let pieces = if self.waited_for { OVERLAPPED } else { PIECEWISE };
        if in_place && !self.busy && Self::is_small(self.size) {
            Way::Now
        } else if (in_place && (self.waited_for || self.size >= IN_PLACE)) || self.size >= pieces {
            Way::Host
        } else {
            Way::Staged
        }
    }

    /// Returns how a write goes.
    pub(crate) fn write(self) -> Way {
        let large = if self.reached { self.busy && self.size >= IN_PLACE } else { self.size >= PIECEWISE };
        // It has to wait anyway, and then writes faster than the device is told to.
        let awaited = self.reached && self.busy && self.waited_for && self.size <= AT_ONCE;
        match self.entangled || large || awaited {
            true => Way::Host,
            false => Way::Now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: Case = Case { size: 4, reached: true, busy: false, entangled: false, waited_for: false };

    #[test]
    fn reads() {
        assert_eq!(CASE.read(), Way::Now);
        assert_eq!(Case { busy: true, ..CASE }.read(), Way::Staged);
        assert_eq!(Case { busy: true, waited_for: true, ..CASE }.read(), Way::Host);
        assert_eq!(Case { entangled: true, ..CASE }.read(), Way::Staged);
        assert_eq!(Case { reached: false, ..CASE }.read(), Way::Staged);
        assert_eq!(Case { size: IN_PLACE, ..CASE }.read(), Way::Host);
        assert_eq!(Case { size: AT_ONCE + 1, ..CASE }.read(), Way::Staged);
        assert_eq!(Case { size: OVERLAPPED, reached: false, ..CASE }.read(), Way::Staged);
        assert_eq!(Case { size: OVERLAPPED, reached: false, waited_for: true, ..CASE }.read(), Way::Host);
        assert_eq!(Case { size: PIECEWISE, reached: false, ..CASE }.read(), Way::Host);
    }

    #[test]
    fn writes() {
        assert_eq!(CASE.write(), Way::Now);
        assert_eq!(Case { busy: true, ..CASE }.write(), Way::Now, "staged by the runtime");
        assert_eq!(Case { busy: true, waited_for: true, ..CASE }.write(), Way::Host);
        assert_eq!(Case { busy: true, waited_for: true, size: AT_ONCE + 1, ..CASE }.write(), Way::Now);
        assert_eq!(Case { entangled: true, ..CASE }.write(), Way::Host);
        assert_eq!(Case { size: IN_PLACE, busy: true, ..CASE }.write(), Way::Host);
        assert_eq!(Case { size: IN_PLACE, ..CASE }.write(), Way::Now);
        assert_eq!(Case { size: PIECEWISE, reached: false, ..CASE }.write(), Way::Host);
    }
}

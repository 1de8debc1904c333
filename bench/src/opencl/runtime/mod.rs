//! Costs of the runtime, and the work that it lets run at once: temporaries, events, several queues and contexts, waits, transfers of all
//! sizes, callbacks, threads. Each case checks what it computed.

mod chains;
mod objects;
mod overlap;
mod pinned;
mod threads;
mod transfers;
mod waits;

use super::case::Case;
use super::spin::SOURCE;
use super::{Arg, Buffer, Kernel, Place, Result, Session};

/// All of them.
pub fn cases() -> Vec<Case> {
    let groups = [
        objects::cases(),
        chains::cases(),
        overlap::cases(),
        waits::cases(),
        transfers::cases(),
        pinned::cases(),
        threads::cases(),
    ];
    groups.into_iter().flatten().collect()
}

/// A word that launches change one after another, and what it must be after them.
struct Steps<'s> {
    kernel: Kernel<'s>,
    word: Buffer<'s>,
    expected: u32,
    next: u32,
}

impl<'s> Steps<'s> {
    fn new(session: &'s Session) -> Result<Self> {
        Self::on(session, session.buffer(4, Place::Device)?)
    }

    /// On a buffer whose first word it is.
    fn on(session: &'s Session, word: Buffer<'s>) -> Result<Self> {
        let kernel = session.kernel(SOURCE, "advance", "")?;
        kernel.set_one(0, &Arg::Buffer(&word))?;
        word.write(0, &[0; 4])?;
        Ok(Self { kernel, word, expected: 0, next: 0 })
    }

    /// The kernel with the next value as its argument, which the launch that follows must use.
    fn kernel(&mut self) -> Result<&Kernel<'s>> {
        self.next = self.next.wrapping_add(1);
        self.expected = self.expected.wrapping_mul(1_664_525).wrapping_add(self.next);
        self.kernel.set_one(1, &Arg::Value(&self.next.to_le_bytes()))?;
        Ok(&self.kernel)
    }

    /// Returns whether all launches ran, in order; they must be complete.
    fn check(&self) -> Result<()> {
        let mut bytes = [0; 4];
        self.word.read(0, &mut bytes)?;
        expect("the word that the launches change", u32::from_le_bytes(bytes), self.expected)
    }
}

fn expect(what: &str, found: u32, right: u32) -> Result<()> {
    if found == right {
        return Ok(());
    }
    Err(format!("{what} is {found:#x}, not {right:#x}"))
}

/// The first word of some bytes.
fn first_word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
}

/// `4 B`, `12 MiB`.
fn size_name(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

//! Buffers for printf, which launches of a kernel hand on to later ones.

use std::sync::Arc;
use vk_runtime::sync::Mutex;
use vk_runtime::{Buffer, SaveArea};

/// Buffers that no launch uses.
#[derive(Clone, Default)]
pub(crate) struct Spare(pub(crate) Arc<Mutex<Vec<Room>>>);

/// A buffer with so many bytes for text, and a save area behind them in which no work-item has saved anything.
pub(crate) struct Room {
    pub(crate) buffer: Buffer,
    pub(crate) text: u64,
    pub(crate) area: SaveArea,
}

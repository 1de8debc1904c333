//! Buffers for printf, which launches of a kernel hand on to later ones.

use std::sync::Arc;
use vk_runtime::Buffer;
use vk_runtime::sync::Mutex;

/// Buffers that no launch uses.
#[derive(Clone, Default)]
pub(crate) struct Spare(pub(crate) Arc<Mutex<Vec<Room>>>);

/// A buffer with so many bytes for text, behind which so many work-items may save what they go on with. None of them has.
pub(crate) struct Room {
    pub(crate) buffer: Buffer,
    pub(crate) text: u64,
    pub(crate) items: u32,
}

//! The memory that a launch and what it enqueues share with the host.

use std::sync::PoisonError;

use lower::enqueue::layout::{BLOCK_WORDS, MIN_PACKET_BYTES, QUEUE_WORDS, UNIT, batch, block, event, header};
use vk_runtime::{Buffer, BufferUse, read_area, write_area};

use crate::abi::error::ClResult;
use crate::device::device_queue::{MAX_EVENTS, MAX_SIZE};
use crate::device::queue_registry::Arenas;
use crate::program::executable::BlockSize;

/// This many buffers are kept for later launches of a device.
const KEPT: usize = 4;
/// Packets have at least this room, for requests that belong to no queue.
const LEAST_BYTES: u64 = 4096;
/// What kernels of an iteration captured has at least this room: the largest record fits.
const LEAST_RECORD_BYTES: u64 = 2 << 20;
/// It has at most this room. What does not fit waits for the next iteration.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// The lists of batches have at least so many words.
const LEAST_LIST_WORDS: usize = 1 << 12;

/// The places in an arena: in words, but for the packets, which are counted in units, and the records, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    blocks: usize,
    queues: usize,
    free: usize,
    events: usize,
    index: usize,
    /// Lists of batches, each with its header.
    pub(super) lists: usize,
    pub(super) lists_end: usize,
    /// The same for iterations without the host, up to the packets.
    own_lists: usize,
    own_lists_end: usize,
    pub(super) most_packets: u32,
    /// Two halves of so many units: packets of one wait for their kernels to end while these write others to the other one.
    pub(super) packets: u32,
    pub(super) units: u32,
    pub(super) records: u64,
    pub(super) records_end: u64,
}

impl Places {
    /// The half of the packets' memory that begins elsewhere.
    pub(super) fn other_half(&self, from: u32) -> u32 {
        if from == self.packets { self.packets + self.units } else { self.packets }
    }

    /// Returns whether a half begins there.
    pub(super) fn is_half(&self, from: u32) -> bool {
        from == self.packets || from == self.packets + self.units
    }

    /// Of an arena for these blocks, and queues with these sizes.
    fn new(blocks: usize, sizes: &[u32]) -> Self {
        let bytes = sizes.iter().map(|size| u64::from(*size)).sum::<u64>();
        let bytes = bytes.clamp(LEAST_BYTES, MAX_SIZE.into()).next_multiple_of(UNIT.into());
        let most_packets = bytes / MIN_PACKET_BYTES as u64 + 1;
        let blocks_at = header::WORDS;
        let queues = blocks_at + BLOCK_WORDS * blocks;
        let free = queues + QUEUE_WORDS * (sizes.len() + 1);
        let events = free + MAX_EVENTS as usize;
        let index = events + event::WORDS * (MAX_EVENTS as usize + 1);
        let lists = index + most_packets as usize;
        let lists_end = lists + most_packets as usize + LEAST_LIST_WORDS;
        let own_lists_end = lists_end + blocks * batch::header::WORDS + 2 * most_packets as usize;
        let packets = (4 * own_lists_end as u64).div_ceil(256) * (256 / u64::from(UNIT));
        let units = bytes / u64::from(UNIT);
        let packets_end = packets + 2 * units;
        let records = (packets_end * u64::from(UNIT)).next_multiple_of(4096);
        Places {
            blocks: blocks_at,
            queues,
            free,
            events,
            index,
            lists,
            lists_end,
            own_lists: lists_end,
            own_lists_end,
            most_packets: most_packets as u32,
            packets: packets as u32,
            units: units as u32,
            records,
            records_end: records + bytes.clamp(LEAST_RECORD_BYTES, MAX_RECORD_BYTES),
        }
    }
}

/// An arena.
pub(crate) struct Arena {
    buffer: Buffer,
    stream: vk_runtime::Queue,
    arenas: Arenas,
    pub(super) places: Places,
    /// The sizes of the queues in units.
    sizes: Vec<u32>,
    /// The buffer's address, as kernels keep pointers.
    pub(super) address: u64,
    /// Its device address.
    pub(super) device_address: u64,
}

/// The properties of a launch that kernels may ask for.
pub(crate) struct Facts {
    /// For each block the largest work-group and the preferred multiple.
    pub(crate) blocks: Vec<[u32; 2]>,
    /// The bytes of the queues, the default queue first.
    pub(crate) queues: Vec<u32>,
    /// There is a default queue.
    pub(crate) has_default: bool,
    /// Work-groups have to divide NDRanges.
    pub(crate) uniform: bool,
    pub(crate) sub_group_size: u32,
    /// What pointers in kernels differ from addresses.
    pub(crate) base: u64,
}

impl Arena {
    /// Makes an arena, or takes one that is left, and writes its header.
    ///
    /// # Errors
    /// What memory gives.
    pub(crate) fn new(arenas: &Arenas, stream: &vk_runtime::Queue, facts: &Facts) -> ClResult<Self> {
        let places = Places::new(facts.blocks.len(), &facts.queues);
        let size = places.records_end;
        let kept = {
            let mut all = arenas.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().position(|buffer| buffer.size() == size).map(|at| all.swap_remove(at))
        };
        let buffer = match kept {
            Some(buffer) => buffer,
            None => stream.device().create_buffer(size, BufferUse::Download)?,
        };
        let address = buffer.device_address().unwrap_or(0).wrapping_sub(facts.base);
        let sizes = facts.queues.iter().map(|size| size / UNIT).collect();
        let arena = Arena {
            device_address: buffer.device_address().unwrap_or(0),
            buffer,
            stream: stream.clone(),
            arenas: arenas.clone(),
            places,
            sizes,
            address,
        };
        arena.write_header(facts)?;
        Ok(arena)
    }

    fn write_header(&self, facts: &Facts) -> ClResult<()> {
        let Places { blocks, queues, free, events, index, packets, units, .. } = self.places;
        let mut words = vec![0; free];
        (words[0], words[1]) = (self.address as u32, (self.address >> 32) as u32);
        for (word, value) in [
            (header::NEXT, packets),
            (header::FROM, packets),
            (header::END, packets + units),
            (header::FIRST, packets),
            (header::HALF_UNITS, units),
            (header::INDEX, index as u32),
            (header::FREE_LIST, free as u32),
            (header::EVENTS, events as u32),
            (header::MAX_EVENTS, MAX_EVENTS),
            (header::BLOCKS, blocks as u32),
            (header::QUEUES, queues as u32),
            (header::QUEUE_COUNT, facts.queues.len() as u32),
            (header::DEFAULT_QUEUE, facts.has_default.into()),
            (header::UNIFORM, facts.uniform.into()),
            (header::SUB_GROUP_SIZE, facts.sub_group_size.max(1)),
        ] {
            words[word] = value;
        }
        for (n, block) in facts.blocks.iter().enumerate() {
            words[blocks + BLOCK_WORDS * n..][..2].copy_from_slice(block);
        }
        for (n, size) in self.sizes.iter().enumerate() {
            words[queues + QUEUE_WORDS * (n + 1)] = *size;
        }
        self.write_words(0, &words)
    }

    /// Tells the scheduler of the blocks, and returns the places of their batches' headers in bytes. `most_groups`: along x of a dispatch.
    ///
    /// # Errors
    /// What writing gives.
    pub(super) fn write_blocks(&self, blocks: &[Option<BlockSize>], most_groups: u32) -> ClResult<Vec<u64>> {
        let Places { own_lists, own_lists_end, .. } = self.places;
        let share = (own_lists_end - own_lists) / blocks.len().max(1);
        let mut places = Vec::new();
        for (n, known) in blocks.iter().enumerate() {
            let at = own_lists + share * n;
            let mut words = [0; BLOCK_WORDS - block::KIND];
            let mut set = |word: usize, value: u32| words[word - block::KIND] = value;
            set(block::HEADER, at as u32);
            set(block::ROOM, (share - batch::header::WORDS) as u32);
            set(block::GROUPS, most_groups);
            if let Some(known) = known {
                set(block::KIND, if known.any { block::ANY_SIZE } else { block::ONE_SIZE });
                (0..3).for_each(|d| set(block::SIZE + d, known.size[d]));
            }
            self.write_words(self.places.blocks + BLOCK_WORDS * n + block::KIND, &words)?;
            let list = self.device_address + 4 * (at + batch::header::WORDS) as u64;
            self.write_words(at, &batch_header([0; 3], 0, list, self.device_address))?;
            places.push(4 * at as u64);
        }
        self.write_words(header::BLOCK_COUNT, &[blocks.len() as u32])?;
        Ok(places)
    }

    /// The buffer.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Gives the buffer to a later launch. Nothing uses it any more.
    pub(super) fn keep(self) {
        let mut all = self.arenas.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push(self.buffer);
    }

    /// Writes bytes. No kernel uses the arena.
    pub(super) fn write(&self, at: u64, bytes: &[u8]) -> ClResult<()> {
        Ok(write_area(&self.stream, &self.buffer, at, bytes)?)
    }

    pub(super) fn write_words(&self, at: usize, words: &[u32]) -> ClResult<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(4 * at as u64, &bytes)
    }

    /// Reads bytes. No kernel uses the arena.
    fn read(&self, at: u64, size: usize) -> ClResult<Vec<u8>> {
        let mut bytes = vec![0; size];
        read_area(&self.stream, &self.buffer, at, &mut bytes)?;
        Ok(bytes)
    }

    fn read_words(&self, at: usize, count: usize) -> ClResult<Vec<u32>> {
        let bytes = self.read(4 * at as u64, 4 * count)?;
        Ok(bytes
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes(four.try_into().unwrap_or_default()))
            .collect())
    }

    /// The header as the kernels of an iteration left it.
    pub(super) fn header(&self) -> ClResult<Vec<u32>> {
        self.read_words(0, header::WORDS)
    }

    /// The places of so many packets, in units.
    pub(super) fn index(&self, count: u32) -> ClResult<Vec<u32>> {
        self.read_words(self.places.index, count.min(self.places.most_packets) as usize)
    }

    /// The memory of the packets of a half up to a place, in units.
    pub(super) fn packets(&self, from: u32, next: u32) -> ClResult<Vec<u8>> {
        let end = next.clamp(from, from + self.places.units);
        self.read(u64::from(from) * u64::from(UNIT), (end - from) as usize * UNIT as usize)
    }

    /// The words of the first events.
    pub(super) fn events(&self, count: u32) -> ClResult<Vec<u32>> {
        self.read_words(self.places.events + event::WORDS, event::WORDS * count as usize)
    }

    /// Writes an event's status and times.
    pub(super) fn write_event(&self, number: u32, status: i32, times: [u64; 2]) -> ClResult<()> {
        let at = self.places.events + event::WORDS * number as usize;
        self.write_words(at + event::STATUS, &[status as u32])?;
        let words: Vec<u32> = times.iter().flat_map(|time| [*time as u32, (*time >> 32) as u32]).collect();
        self.write_words(at + event::TIMES, &words)
    }

    /// Makes the arena ready for the next iteration, which writes packets to the half that begins at `from`. `used`: the units of each queue that
    /// packets use which wait.
    pub(super) fn reset(&self, from: u32, events: u32, free: &[u32], used: &[u32]) -> ClResult<()> {
        let taken = used.iter().fold(0u32, |sum, units| sum.saturating_add(*units));
        let next = from + taken.min(self.places.units);
        self.write_words(header::NEXT, &[next, from + self.places.units, 0])?;
        self.write_words(header::FROM, &[from])?;
        self.write_words(header::HALT, &[0, 0])?;
        self.write_words(header::FREE_EVENTS, &[free.len() as u32])?;
        self.write_words(header::NEW_EVENTS, &[events])?;
        self.write_words(header::KNOWN_EVENTS, &[events, free.len() as u32])?;
        self.write_words(self.places.free, free)?;
        let mut queues = Vec::new();
        for (n, size) in self.sizes.iter().enumerate() {
            queues.extend([*size, used.get(n + 1).copied().unwrap_or(0), 0, 0]);
        }
        self.write_words(self.places.queues + QUEUE_WORDS, &queues)
    }
}

/// The header of a batch, whose list and arena have these device addresses.
pub(super) fn batch_header(
    groups: [u32; 3],
    kernels: u32,
    list: u64,
    arena: u64,
) -> [u32; batch::header::WORDS] {
    let mut words = [0; batch::header::WORDS];
    words[..3].copy_from_slice(&groups);
    words[batch::header::COUNT] = kernels;
    for (at, address) in [(batch::header::LIST, list), (batch::header::ARENA, arena)] {
        (words[at], words[at + 1]) = (address as u32, (address >> 32) as u32);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts do not overlap, and are aligned.
    #[test]
    fn places() {
        for (blocks, sizes) in
            [(1, vec![]), (3, vec![16]), (100, vec![64 << 20, 1 << 20, 3]), (0, vec![u32::MAX; 9])]
        {
            let p = Places::new(blocks, &sizes);
            assert!(p.blocks >= header::WORDS && p.queues >= p.blocks + BLOCK_WORDS * blocks);
            assert!(p.free >= p.queues + QUEUE_WORDS * (sizes.len() + 1));
            assert!(p.events >= p.free + MAX_EVENTS as usize);
            assert!(p.index >= p.events + event::WORDS * (MAX_EVENTS as usize + 1));
            assert!(p.lists >= p.index + p.most_packets as usize && p.lists_end > p.lists);
            assert!(p.own_lists >= p.lists_end && u64::from(p.packets) * 16 >= 4 * p.own_lists_end as u64);
            assert!(u64::from(p.packets + 2 * p.units) * 16 <= p.records);
            assert_eq!(
                (p.other_half(p.packets), p.other_half(p.packets + p.units)),
                (p.packets + p.units, p.packets)
            );
            assert!(p.records.is_multiple_of(4096) && p.records < p.records_end);
            assert!(p.units as usize * 16 <= p.most_packets as usize * MIN_PACKET_BYTES);
        }
    }
}

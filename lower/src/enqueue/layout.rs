//! The memory that kernels and the host exchange packets in. `lower/mathlib/enqueue.cl` has the same numbers.
//!
//! An **arena** serves one launch of the host and all that comes from it. It begins with a header, of which the first four words are the
//! record of that launch. Behind it are the tables whose places the header has, and packets.
//!
//! A **record** is what a launch gets: the arena's address (two words), the event that owns what it enqueues (0: the host's launch), a
//! word of padding, and for a block its captures ([`captures_at`]).

/// The alignment of records and packets of arenas in bytes.
pub const UNIT: u32 = 16;
/// The bytes of a record before captures of the usual alignment.
pub const RECORD_BYTES: u32 = 16;

/// The largest number of bytes that a block captures.
pub const MAX_CAPTURES: u32 = 1 << 20;
/// Their largest alignment.
pub const MAX_ALIGN: u32 = 4096;

/// The byte of a record where captures of an alignment begin.
#[must_use]
pub fn captures_at(align: u32) -> u32 {
    RECORD_BYTES.max(align)
}

/// The words of an arena's header.
pub mod header {
    /// Where the next packet begins, in units from the arena's start.
    pub const NEXT: usize = 4;
    /// Where packets end, in the same units.
    pub const END: usize = 5;
    /// The number of packets.
    pub const PACKETS: usize = 6;
    /// The word where the list of packets' places begins.
    pub const INDEX: usize = 7;
    /// The number of events that are free again.
    pub const FREE_EVENTS: usize = 8;
    /// The word where the list of them begins.
    pub const FREE_LIST: usize = 9;
    /// The word where event 0 would be, which there is not.
    pub const EVENTS: usize = 10;
    /// The number of events.
    pub const MAX_EVENTS: usize = 11;
    /// The number of events that were used so far, and more if some were asked for in vain.
    pub const NEW_EVENTS: usize = 12;
    /// The word where the blocks' properties begin: [`BLOCK_WORDS`](super::BLOCK_WORDS) for each.
    pub const BLOCKS: usize = 13;
    /// The word where queue 0 would be, which there is not.
    pub const QUEUES: usize = 14;
    /// The number of queues.
    pub const QUEUE_COUNT: usize = 15;
    /// The number of the default queue; 0 if there is none.
    pub const DEFAULT_QUEUE: usize = 16;
    /// 1 if work-groups have to divide NDRanges.
    pub const UNIFORM: usize = 17;
    /// The number of work-items of a sub-group.
    pub const SUB_GROUP_SIZE: usize = 18;
    /// Where the packets begin that kernels write now, in units. The memory for packets has two halves: kernels of one half read what they
    /// captured while those that they enqueue go to the other.
    pub const FROM: usize = 19;
    /// Where the first half begins, in units.
    pub const FIRST: usize = 20;
    /// The units of a half.
    pub const HALF_UNITS: usize = 21;
    /// The number of blocks that the scheduler knows, at most [`THREADS`](super::THREADS).
    pub const BLOCK_COUNT: usize = 22;
    /// Not 0 once the scheduler met a packet that needs the host.
    pub const HALT: usize = 23;
    /// The number of generations that were launched without the host.
    pub const GENERATIONS: usize = 24;
    /// [`NEW_EVENTS`] and [`FREE_EVENTS`] (two words) when the host last looked. It alone gives events free, and the scheduler leaves a generation
    /// behind new ones to it.
    pub const KNOWN_EVENTS: usize = 25;
    /// The number of words.
    pub const WORDS: usize = 32;
}

/// The words of a block's properties: the largest work-group size and its preferred multiple, and then [`block`].
pub const BLOCK_WORDS: usize = 12;

/// The words of a block that the host writes before the scheduler runs.
pub mod block {
    /// 0: its kernels need the host.
    pub const KIND: usize = 2;
    /// The word where the header of its batch begins. The list is behind it.
    pub const HEADER: usize = 3;
    /// The length of the list.
    pub const ROOM: usize = 4;
    /// The work-group size, three words.
    pub const SIZE: usize = 5;
    /// The most work-groups along x.
    pub const GROUPS: usize = 8;

    /// A kind: the work-group size serves any NDRange.
    pub const ANY_SIZE: u32 = 1;
    /// A kind: kernels have this work-group size.
    pub const ONE_SIZE: u32 = 2;
}

/// The work-items of the scheduler's work-group. It takes so many blocks and queues.
pub const THREADS: u32 = 64;
/// The words of a queue: its size and what is used of it, in units, and two of padding.
pub const QUEUE_WORDS: usize = 4;

/// The words of an event.
pub mod event {
    /// The number of references that kernels hold.
    pub const REFERENCES: usize = 0;
    /// Its status: 0 complete, positive not complete, negative an error.
    pub const STATUS: usize = 1;
    /// 1 if a kernel made it.
    pub const IS_USER: usize = 2;
    /// From the start to the end in nanoseconds (two words), and to the completion.
    pub const TIMES: usize = 4;
    /// The number of words.
    pub const WORDS: usize = 8;
}

/// A **batch** is a dispatch that runs several enqueued kernels of one block.
///
/// The kernels are along y and z of the dispatch, and the work-groups of each along x: work-group (x, y, z) is number x of kernel
/// `y + z * ROW`. Work-groups beyond a kernel's number, and kernels beyond the batch's number, return at once.
pub mod batch {
    /// The kernels along y.
    pub const ROW: u32 = 1 << 15;

    /// The words of a batch's header. The first three are the numbers of work-groups, as vkCmdDispatchIndirect takes them.
    pub mod header {
        /// The number of kernels. It is at least 1 where there are work-groups.
        pub const COUNT: usize = 3;
        /// The device address of the list of packets (two words): each a word, in units from the arena's start.
        pub const LIST: usize = 4;
        /// The device address of the arena (two words).
        pub const ARENA: usize = 6;
        /// The number of words.
        pub const WORDS: usize = 8;
    }
}

/// The words of a packet.
pub mod packet {
    /// The alignment of the captures, of [`KERNEL`].
    pub const ALIGN: usize = 0;
    /// One of the kinds below.
    pub const KIND: usize = 1;
    /// The event that owns the launch which wrote it, or 0.
    pub const OWNER: usize = 2;
    /// Its event, or 0; of [`PROFILE`] the event whose times are wanted.
    pub const EVENT: usize = 3;
    /// The block's number.
    pub const BLOCK: usize = 4;
    /// The number of dimensions.
    pub const DIMENSIONS: usize = 5;
    /// The number of events that it waits for.
    pub const WAITS: usize = 6;
    /// The number of local arguments.
    pub const LOCALS: usize = 7;
    /// The bytes of the captures.
    pub const CAPTURES: usize = 8;
    /// The queue's number.
    pub const QUEUE: usize = 9;
    /// Offset, global size, local size: three numbers of two words each. Of [`PROFILE`] the address for the times.
    pub const RANGE: usize = 10;
    /// The events of the wait list, then the sizes of the local arguments. Behind them is the record ([`record_at`]) and behind that
    /// are the captures.
    pub const LIST: usize = 28;

    /// The byte of a packet where the record begins of the kernel that it asks for.
    #[must_use]
    pub fn record_at(waits: u64, locals: u64) -> u64 {
        (4 * (LIST as u64 + waits + locals)).next_multiple_of(super::UNIT.into())
    }

    /// A block to be launched.
    pub const KERNEL: u32 = 1;
    /// A marker.
    pub const MARKER: u32 = 2;
    /// A request for the times of a command.
    pub const PROFILE: u32 = 3;
}

/// The bytes of the smallest packet.
pub const MIN_PACKET_BYTES: usize = 4 * packet::LIST;

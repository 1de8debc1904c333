//! The memory of a pipe: a header, a state for each packet, and the packets.

/// The words of the header. `lower/mathlib/pipe.cl` has the same numbers.
const HEADER_WORDS: u64 = 16;
/// The packets begin at a multiple of this number of bytes, the largest alignment of an OpenCL type.
const PACKET_ALIGN: u64 = 128;

/// The memory of a pipe (OpenCL API §5.4.1, clCreatePipe).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeLayout {
    /// The bytes of a packet.
    pub packet_bytes: u32,
    /// The largest number of packets, not 0.
    pub packets: u32,
}

impl PipeLayout {
    /// The largest number of packets. Their states take 256 MiB.
    pub const MAX_PACKETS: u32 = 1 << 26;

    /// The first byte of the packets.
    fn data(self) -> u64 {
        (4 * (HEADER_WORDS + u64::from(self.packets))).next_multiple_of(PACKET_ALIGN)
    }

    /// The size of the memory in bytes. `None` if an offset has more than 32 bits, or there are too many packets.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        if self.packets == 0 || self.packets > Self::MAX_PACKETS {
            return None;
        }
        u32::try_from(self.data()).ok()?;
        Some(self.data() + u64::from(self.packets) * u64::from(self.packet_bytes))
    }

    /// The bytes before the packets of an empty pipe.
    #[must_use]
    pub fn empty(self) -> Vec<u8> {
        let packets = self.packets.max(1);
        // A whole number of laps, at least two, and twice their number fits in a word.
        let wrap = packets * ((1 << 31) / packets);
        let words = [packets, self.packet_bytes, self.data() as u32, wrap];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(self.data() as usize, 0);
        bytes
    }
}

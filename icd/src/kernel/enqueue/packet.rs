//! Packets as the host reads them. A damaged packet is none: kernels may write anything.

use lower::enqueue::layout::{MAX_ALIGN, MAX_CAPTURES, RECORD_BYTES, UNIT, packet};
use smallvec::SmallVec;

/// The largest number of local arguments of a packet.
const MAX_LOCALS: u32 = 1024;

/// A packet.
pub(super) struct Packet {
    pub(super) kind: Kind,
    /// The event that owns the launch which wrote it.
    pub(super) owner: u32,
    /// Its event, or 0.
    pub(super) event: u32,
    /// What it waits for.
    pub(super) waits: SmallVec<[u32; 2]>,
    /// Its queue, of which it uses so many units.
    pub(super) queue: u32,
    pub(super) units: u32,
    /// Where it lies, in units of the arena, until kernels may write there.
    pub(super) place: Option<u32>,
}

/// What a packet asks for.
pub(super) enum Kind {
    Kernel(Box<Child>),
    Marker,
    /// The times of the event that it waits for, at an address.
    Profile(u64),
}

/// A block to be launched.
pub(super) struct Child {
    pub(super) block: u32,
    pub(super) dimensions: u32,
    /// Offset, global size, local size.
    pub(super) range: [[u64; 3]; 3],
    /// The sizes of local arguments.
    pub(super) locals: SmallVec<[u64; 2]>,
    pub(super) captures: SmallVec<[u8; 48]>,
    pub(super) align: u32,
}

/// The numbers that packets may name: below these.
pub(super) struct Known {
    pub(super) events: u32,
    pub(super) blocks: u32,
    pub(super) queues: u32,
}

/// A word of a packet.
fn word(bytes: &[u8], n: usize) -> Option<u32> {
    let four = bytes.get(4 * n..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*four))
}

fn wide(bytes: &[u8], n: usize) -> Option<u64> {
    Some(u64::from(word(bytes, n)?) | u64::from(word(bytes, n + 1)?) << 32)
}

fn units(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT.into())
}

/// Reads a packet that begins there. `None` for a damaged one.
pub(super) fn read(bytes: &[u8], known: &Known) -> Option<Packet> {
    let get = |n| word(bytes, n);
    let (owner, event, queue) = (get(packet::OWNER)?, get(packet::EVENT)?, get(packet::QUEUE)?);
    let (waits, locals, captures) = (get(packet::WAITS)?, get(packet::LOCALS)?, get(packet::CAPTURES)?);
    let named = owner < known.events && event < known.events && queue < known.queues;
    if !named || waits > known.events || locals > MAX_LOCALS || captures > MAX_CAPTURES {
        return None;
    }
    // The record is between the lists and the captures.
    let is_kernel = get(packet::KIND)? == packet::KERNEL;
    let lists = packet::record_at(waits.into(), locals.into());
    let before = units(lists + if is_kernel { RECORD_BYTES.into() } else { 0 });
    let all = before + units(captures.into());
    let (from, units) = (usize::try_from(before * u64::from(UNIT)).ok()?, u32::try_from(all).ok()?);
    let mut list: SmallVec<[u32; 2]> = SmallVec::new();
    for n in 0..waits as usize {
        list.push(get(packet::LIST + n).filter(|event| *event != 0 && *event < known.events)?);
    }
    let kind = match get(packet::KIND)? {
        packet::KERNEL => {
            let (block, dimensions) = (get(packet::BLOCK)?, get(packet::DIMENSIONS)?);
            let align = get(packet::ALIGN)?;
            let fits = block < known.blocks && (1..=3).contains(&dimensions);
            if !fits || !align.is_power_of_two() || align > MAX_ALIGN {
                return None;
            }
            let mut range = [[0; 3]; 3];
            for (n, place) in range.as_flattened_mut().iter_mut().enumerate() {
                *place = wide(bytes, packet::RANGE + 2 * n)?;
            }
            let first = packet::LIST + waits as usize;
            let sizes = (0..locals as usize).map(|n| get(first + n).map(u64::from));
            let locals = sizes.collect::<Option<SmallVec<[u64; 2]>>>()?;
            let captures = SmallVec::from_slice(bytes.get(from..)?.get(..captures as usize)?);
            Kind::Kernel(Box::new(Child { block, dimensions, range, locals, captures, align }))
        }
        packet::MARKER => Kind::Marker,
        packet::PROFILE => {
            list.push(event);
            if event == 0 {
                return None;
            }
            let to = wide(bytes, packet::RANGE)?;
            let kind = Kind::Profile(to);
            return Some(Packet { kind, owner, event: 0, waits: list, queue, units, place: None });
        }
        _ => return None,
    };
    Some(Packet { kind, owner, event, waits: list, queue, units, place: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known = Known { events: 4, blocks: 2, queues: 3 };

    fn kernel() -> Vec<u32> {
        let mut words = vec![0; 40];
        let set = [
            (packet::ALIGN, 8),
            (packet::KIND, packet::KERNEL),
            (packet::OWNER, 1),
            (packet::EVENT, 2),
            (packet::BLOCK, 1),
            (packet::DIMENSIONS, 1),
            (packet::WAITS, 1),
            (packet::LOCALS, 1),
            (packet::CAPTURES, 8),
            (packet::QUEUE, 1),
            (packet::RANGE + 6, 64),
            (packet::LIST, 3),
            (packet::LIST + 1, 256),
            (36, 7),
        ];
        set.iter().for_each(|(n, value)| words[*n] = *value);
        words
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_kernel() {
        let packet = read(&bytes(&kernel()), &KNOWN).expect("a packet");
        assert_eq!((packet.owner, packet.event, packet.queue, packet.units), (1, 2, 1, 10));
        assert_eq!(&packet.waits[..], [3]);
        let Kind::Kernel(child) = packet.kind else { panic!("a kernel") };
        assert_eq!((child.block, child.range[1], &child.locals[..]), (1, [64, 0, 0], &[256][..]));
        assert_eq!(&child.captures[..], [7, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// No word makes the host reach beyond what is there.
    #[test]
    fn damaged() {
        for at in 0..38 {
            for value in [4, 1 << 16, u32::MAX] {
                let mut words = kernel();
                words[at] = value;
                let _ = read(&bytes(&words), &KNOWN);
            }
        }
        for (at, value) in [
            (packet::KIND, 4),
            (packet::OWNER, 4),
            (packet::EVENT, 4),
            (packet::BLOCK, 2),
            (packet::DIMENSIONS, 4),
            (packet::QUEUE, 3),
            (packet::WAITS, u32::MAX),
            (packet::LOCALS, u32::MAX),
            (packet::CAPTURES, u32::MAX),
            (packet::LIST, 0),
            (packet::LIST, 4),
            (packet::ALIGN, 3),
        ] {
            let mut words = kernel();
            words[at] = value;
            assert!(read(&bytes(&words), &KNOWN).is_none(), "{at}: {value}");
        }
        let whole = bytes(&kernel());
        for length in 0..152 {
            assert!(read(&whole[..length], &KNOWN).is_none(), "{length} bytes");
        }
    }
}

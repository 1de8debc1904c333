//! Addresses for buffers on devices whose kernels have none: what tells whether two arguments are one buffer, or parts of
//! one. They are not the device's, fit 32 bits, differ between all buffers that are alive, and none is 0.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use timeline::sync::Mutex;

/// The first place: small numbers look like mistakes.
const FIRST: u64 = 1 << 16;
/// Places are multiples of this, as buffers begin where any type may lie.
const ALIGN: u64 = 256;

/// The places of a device that are taken: where each ends, by its start.
#[derive(Default)]
pub(crate) struct PackedAddresses(Mutex<BTreeMap<u64, u64>>);

impl PackedAddresses {
    /// See [`PackedAddresses`].
    pub(crate) const ALIGN: u64 = ALIGN;

    /// Takes the first place that is large enough; `None` when 4 GiB are full.
    pub(crate) fn take(&self, size: u64) -> Option<u64> {
        self.take_from(FIRST, size, 1 << 32)
    }

    /// The same where all of it ends below a place.
    pub(crate) fn take_below(&self, size: u64, end: u64) -> Option<u64> {
        self.take_from(FIRST, size, end)
    }

    /// The same for places that are parts of something of so many bytes.
    pub(crate) fn take_within(&self, size: u64, whole: u64) -> Option<u64> {
        self.take_from(0, size, whole)
    }

    fn take_from(&self, first: u64, size: u64, most: u64) -> Option<u64> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut start = first;
        for (from, to) in taken.iter() {
            if from - start >= size {
                break;
            }
            start = *to;
        }
        let end = start.checked_add(size)?.checked_next_multiple_of(ALIGN)?;
        if end > most {
            return None;
        }
        taken.insert(start, end);
        Some(start)
    }

    /// Gives a place back.
    pub(crate) fn give(&self, start: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_overlap() {
        let places = PackedAddresses::default();
        let (a, b, c) = (places.take(1000), places.take(1), places.take(300));
        assert_eq!((a, b, c), (Some(0x1_0000), Some(0x1_0400), Some(0x1_0500)));
        places.give(0x1_0400);
        assert_eq!(places.take(300), Some(0x1_0700), "too large for the gap");
        assert_eq!(places.take(256), Some(0x1_0400));
        assert_eq!(places.take(1 << 32), None);
        assert_eq!(places.take_below(1000, 0x1_0000), None);
        let parts = PackedAddresses::default();
        assert_eq!([768, 300, 256].map(|size| parts.take_within(size, 1024)), [Some(0), None, Some(768)]);
    }
}

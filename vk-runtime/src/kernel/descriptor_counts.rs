//! Descriptors counted by their kinds.

use lower::KernelInfo;
use lower::kernel_info::DescriptorKind;

/// Descriptor sets of one pool.
pub(crate) const SETS: u32 = 64;

/// Descriptors by their kinds: what a pool has left, or what a set takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Room(pub(crate) [u32; KINDS.len()]);

pub(crate) const KINDS: [DescriptorKind; 7] = [
    DescriptorKind::StorageBuffer,
    DescriptorKind::UniformBuffer,
    DescriptorKind::SampledImage,
    DescriptorKind::StorageImage,
    DescriptorKind::UniformTexelBuffer,
    DescriptorKind::StorageTexelBuffer,
    DescriptorKind::Sampler,
];

/// The contents of a new pool: of images only where a kernel asks for them.
const BUFFERS: Room = Room([SETS * 4, SETS, 0, 0, 0, 0, 0]);

const IMAGES: Room = Room([SETS * 4, SETS, SETS * 2, SETS * 2, SETS / 2, SETS / 2, SETS * 2]);

impl Room {
    /// Returns what a descriptor set of a kernel takes.
    pub(crate) fn for_kernel(info: &KernelInfo) -> Self {
        let count = |kind| info.descriptors.iter().filter(|d| d.kind == kind).count();
        Room(KINDS.map(|kind| u32::try_from(count(kind)).unwrap_or(u32::MAX)))
    }

    /// Both.
    pub(crate) fn and(mut self, other: &Room) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(all, more)| *all = all.saturating_add(*more));
        self
    }

    pub(crate) fn has(&self, other: &Room) -> bool {
        self.0.iter().zip(&other.0).all(|(have, wanted)| have >= wanted)
    }

    pub(crate) fn take(&mut self, other: &Room) {
        self.0.iter_mut().zip(&other.0).for_each(|(have, taken)| *have -= taken);
    }

    /// Returns what a pool is made with from which such a set is to be had.
    pub(crate) fn for_pool(&self) -> Room {
        let usual = if BUFFERS.has(&Room([0, 0, self.0[2], self.0[3], self.0[4], self.0[5], self.0[6]])) {
            BUFFERS
        } else {
            IMAGES
        };
        Room(std::array::from_fn(|i| usual.0[i].max(self.0[i])))
    }
}

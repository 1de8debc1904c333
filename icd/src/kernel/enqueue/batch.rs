//! Batches: kernels of one block in one dispatch ([`lower::enqueue::layout::batch`]).
//!
//! The kernels of a batch have one work-group size and local arguments of the same sizes. A block that cannot notice its work-groups takes
//! any size. Kernels with far more work-groups than others are in another batch, because each has as many as the largest.

use std::sync::Arc;

use lower::Target;
use lower::enqueue::layout::RECORD_BYTES;
use lower::enqueue::layout::batch::{ROW, header};
use smallvec::SmallVec;
use vk_runtime::NdRange;

use super::arena::{Arena, Places, batch_header};
use super::packet::{Child, Kind, Packet};
use crate::abi::error::ClResult;
use crate::kernel::prepared::Prepared;
use crate::program::executable::{BlockSize, Executable};

/// A batch has at least so many kernels: others are launched one by one.
const LEAST: usize = 2;
/// Work-items of a work-group of a block that takes any size, where its NDRanges have more than one.
const ITEMS: u32 = 64;
/// So large a work-group in two dimensions: as many work-items.
const SQUARE: u32 = 8;

/// The blocks of a launch, as far as batches need to know them.
pub(super) struct Batches {
    executable: Arc<Executable>,
    most_groups: [u32; 3],
    most_local: u64,
}

/// What the kernels of a batch have in common.
#[derive(PartialEq, Eq, Clone)]
struct Alike {
    block: u32,
    size: [u32; 3],
    locals: SmallVec<[u64; 2]>,
    /// Numbers of work-groups that differ little.
    class: u32,
}

/// The size of the work-groups of dispatches for NDRanges like this one of a block, which has a form for batches. `chosen`: the size of its own
/// launch.
pub(super) fn size_for(any: bool, child: &Child, chosen: [u32; 3]) -> Option<BlockSize> {
    let global = narrow(child).filter(|_| child.locals.is_empty())?;
    let size = if any { serving(global) } else { chosen };
    Some(BlockSize { any, size })
}

/// Kernels that are launched by one dispatch.
pub(super) struct Batch {
    alike: Alike,
    /// The number of work-groups of the largest one.
    groups: u32,
    pub(super) packets: Vec<Packet>,
}

impl Batches {
    pub(super) fn new(executable: &Arc<Executable>, target: &Target) -> Self {
        let limits = &target.limits;
        Batches {
            executable: executable.clone(),
            most_groups: limits.max_compute_work_group_count,
            most_local: limits.max_compute_shared_memory_size.into(),
        }
    }

    /// Separates the packets of batches from others.
    pub(super) fn gather(
        &self,
        ready: Vec<Packet>,
        is_timed: &dyn Fn(&Packet) -> bool,
    ) -> (Vec<Batch>, Vec<Packet>) {
        let (mut batches, mut single): (Vec<Batch>, Vec<Packet>) = (Vec::new(), Vec::new());
        if ready.len() < LEAST {
            return (batches, ready);
        }
        for packet in ready {
            let fits = if is_timed(&packet) { None } else { self.alike(&packet) };
            let Some((alike, groups)) = fits else {
                single.push(packet);
                continue;
            };
            match batches.iter_mut().find(|batch| batch.alike == alike) {
                Some(batch) => {
                    batch.groups = batch.groups.max(groups);
                    batch.packets.push(packet);
                }
                None => batches.push(Batch { alike, groups, packets: vec![packet] }),
            }
        }
        let (enough, few): (Vec<_>, Vec<_>) =
            batches.into_iter().partition(|batch| batch.packets.len() >= LEAST);
        single.extend(few.into_iter().flat_map(|batch| batch.packets));
        (enough, single)
    }

    /// The batch that a packet may be in, and the number of its work-groups; `None` for one that is launched by itself.
    fn alike(&self, packet: &Packet) -> Option<(Alike, u32)> {
        let Kind::Kernel(child) = &packet.kind else { return None };
        if packet.place.is_none() || child.align > RECORD_BYTES {
            return None;
        }
        let kernel = self.executable.batch(child.block)?;
        let info = kernel.info();
        let any_size = info.batch?.any_size;
        let global = narrow(child)?;
        let size = match any_size {
            true => serving(global),
            // What is chosen for an NDRange without a size depends on it.
            false => given(child).filter(|size| (0..3).all(|d| global[d].is_multiple_of(size[d])))?,
        };
        let local =
            child.locals.iter().fold(u64::from(info.local_memory_size), |all, n| all.saturating_add(*n));
        let groups = groups(global, size).filter(|groups| *groups <= self.most_groups[0])?;
        let fits = local <= self.most_local && child.locals.len() + 1 == info.args.len();
        let class = groups.ilog2() / 2;
        fits.then(|| (Alike { block: child.block, size, locals: child.locals.clone(), class }, groups))
    }
}

/// The global size of an NDRange whose ids have 31 bits and that is not empty.
fn narrow(child: &Child) -> Option<[u32; 3]> {
    let [offset, global, _] = child.range;
    let mut sizes = [1; 3];
    for d in 0..child.dimensions as usize {
        let end = offset[d].checked_add(global[d])?;
        if global[d] == 0 || end > 1 << 31 {
            return None;
        }
        sizes[d] = global[d] as u32;
    }
    Some(sizes)
}

/// The work-group size that a kernel was enqueued with.
fn given(child: &Child) -> Option<[u32; 3]> {
    let mut size = [1; 3];
    for d in 0..child.dimensions as usize {
        size[d] = u32::try_from(child.range[2][d]).ok().filter(|n| *n > 0)?;
    }
    Some(size)
}

/// The work-group size for an NDRange of a block that takes any.
fn serving(global: [u32; 3]) -> [u32; 3] {
    match global {
        [1, 1, 1] => [1; 3],
        [x, y, _] if x <= ITEMS / 2 && y > 1 => [SQUARE, SQUARE, 1],
        _ => [ITEMS, 1, 1],
    }
}

/// The number of work-groups of a size that an NDRange takes.
fn groups(global: [u32; 3], size: [u32; 3]) -> Option<u32> {
    (0..3).try_fold(1u32, |all, d| all.checked_mul(global[d].div_ceil(size[d])))
}

impl Batch {
    /// The block, and the size of its work-groups, unless it has local arguments.
    pub(super) fn size(&self, executable: &Executable) -> Option<(u32, BlockSize)> {
        let any = executable.batch(self.alike.block)?.info().batch?.any_size;
        let size = BlockSize { any, size: self.alike.size };
        self.alike.locals.is_empty().then_some((self.alike.block, size))
    }

    /// The end of its header and list, which begin at a word; `None` where there is no room.
    pub(super) fn end(&self, at: usize, places: &Places) -> Option<usize> {
        Some(at + header::WORDS + self.packets.len()).filter(|end| *end <= places.lists_end)
    }

    /// Writes its header and list, and returns the header's address.
    ///
    /// # Errors
    /// What writing gives.
    pub(super) fn write(&self, arena: &Arena, at: usize) -> ClResult<u64> {
        let (at_bytes, kernels) = (4 * at as u64, self.packets.len() as u32);
        let list = arena.device_address + at_bytes + 4 * header::WORDS as u64;
        let mut words = batch_header(self.counts(), kernels, list, arena.device_address).to_vec();
        words.extend(self.packets.iter().filter_map(|packet| packet.place));
        arena.write_words(at, &words)?;
        Ok(arena.address.wrapping_add(at_bytes))
    }

    /// The numbers of work-groups of its dispatch.
    fn counts(&self) -> [u32; 3] {
        let kernels = self.packets.len() as u32;
        [self.groups, kernels.min(ROW), kernels.div_ceil(ROW)]
    }

    /// The launch of all, whose header is at an address.
    ///
    /// # Errors
    /// As of a block.
    pub(super) fn prepared(
        &self,
        executable: &Arc<Executable>,
        header: (u64, u64),
    ) -> ClResult<(Prepared, NdRange)> {
        let prepared =
            Prepared::of_batch(executable, self.alike.block, header, self.alike.locals.iter().copied())?;
        let (size, counts) = (self.alike.size.map(u64::from), self.counts().map(u64::from));
        let range = NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size: std::array::from_fn(|d| size[d] * counts[d]),
            local_size: Some(size),
            non_uniform: false,
            chosen: false,
        };
        Ok((prepared, range))
    }
}

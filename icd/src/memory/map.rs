//! Mapped regions of buffers (OpenCL API §5.2.4, §5.5.2 to §5.5.4).
//!
//! A region is reached in one of four ways: the device's memory itself, where the host reads it at full speed; the application's
//! memory of CL_MEM_USE_HOST_PTR, copied from and to the device's; pinned memory, likewise; or the host's memory of shared
//! virtual memory that lies twice. Pinned memory is lent for a map, or stays with the buffer (CL_MEM_ALLOC_HOST_PTR).

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Buffer, StagingLease};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::device::svm::Allocation;
use crate::memory::Memory;
use crate::memory::pinned::PinnedMirror;
use crate::memory::store::{Place, Store};

/// Pinned pieces begin as far from a multiple of this as their regions do in the buffer, so that what is aligned there is
/// aligned here: the size of the largest type (long16).
const ALIGN: u64 = 128;

/// A mapped region.
#[derive(Clone)]
pub(crate) struct Map {
    /// The handle of the buffer or sub-buffer that was mapped.
    object: usize,
    /// The pointer that the application got.
    pub(crate) pointer: UserPointer,
    /// The region, in the store.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) purpose: MapFor,
    /// The number of the device whose queue mapped it.
    pub(crate) device: usize,
    pub(crate) via: Via,
}

/// How the host reaches a mapped region.
#[derive(Clone)]
pub(crate) enum Via {
    /// In the device's memory.
    Direct,
    /// In the application's memory.
    User,
    /// In pinned memory, from this byte of it on.
    Pinned(Pinned, u64),
    /// In the host's memory at the addresses of shared virtual memory.
    Shared(Arc<Allocation>),
}

/// Pinned memory that a map shows.
#[derive(Clone)]
pub(crate) enum Pinned {
    /// For this map alone.
    Leased(Arc<StagingLease>),
    /// For every map of the buffer: what an earlier one wrote may still be on its way to the device.
    Mirror(Arc<PinnedMirror>),
}

impl Pinned {
    /// # Errors
    /// None but a bug's.
    pub(crate) fn buffer(&self) -> ClResult<&Buffer> {
        match self {
            Pinned::Leased(piece) => Ok(piece.buffer()?),
            Pinned::Mirror(mirror) => Ok(&mirror.memory),
        }
    }
}

impl Map {
    /// Finds how the host reaches a region of a buffer, for a device.
    ///
    /// # Errors
    /// CL_MAP_FAILURE when there is no memory for it.
    pub(crate) fn new(
        memory: &Memory,
        device: usize,
        offset: u64,
        size: u64,
        purpose: MapFor,
    ) -> ClResult<Self> {
        let store = &memory.store;
        let start = memory.offset + offset;
        let (pointer, via) = reach(store, device, start, size)?;
        let object = memory.raw().addr();
        Ok(Map {
            object,
            pointer: UserPointer(pointer.cast()),
            start,
            end: start + size,
            purpose,
            device,
            via,
        })
    }

    /// Notes the region as mapped.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if it overlaps another one and both are to be written (§5.5.3).
    pub(crate) fn note(&self, store: &Store) -> ClResult<()> {
        let mut maps = store.maps();
        let clash =
            |m: &Map| m.purpose.writes() && self.purpose.writes() && m.start < self.end && self.start < m.end;
        ensure(!maps.iter().any(clash), cl::CL_INVALID_OPERATION)?;
        maps.push(self.clone());
        Ok(())
    }

    /// Takes a region that is mapped at a pointer out of the list; the last one that was mapped there.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if there is none (clEnqueueUnmapMemObject).
    pub(crate) fn take(memory: &Memory, pointer: UserPointer) -> ClResult<Self> {
        let object = memory.raw().addr();
        let mut maps = memory.store.maps();
        let found = maps.iter().rposition(|m| m.object == object && m.pointer.0 == pointer.0);
        found.map(|i| maps.remove(i)).ok_or(ClError(cl::CL_INVALID_VALUE))
    }

    /// Puts a region back that was taken.
    pub(crate) fn put_back(self, store: &Store) {
        store.maps().push(self);
    }

    /// CL_MEM_MAP_COUNT.
    pub(crate) fn count(memory: &Memory) -> usize {
        let object = memory.raw().addr();
        memory.store.maps().iter().filter(|m| m.object == object).count()
    }
}

fn reach(store: &Store, device: usize, start: u64, size: u64) -> ClResult<(*mut u8, Via)> {
    const FAILURE: ClError = ClError(cl::CL_MAP_FAILURE);
    let place = |base: *mut u8, offset: u64| -> ClResult<*mut u8> {
        Ok(base.wrapping_add(usize::try_from(offset).map_err(|_| FAILURE)?))
    };
    if let Place::User(pointer) = &store.place {
        let via = if store.is_imported(device) { Via::Direct } else { Via::User };
        return Ok((place(pointer.0.cast(), start)?, via));
    }
    if let Place::Svm(allocation, base) = &store.place
        && let Some((_, _, buffer)) = allocation.coarse()
    {
        buffer.host_view().map_err(|_| FAILURE)?;
        return Ok((allocation.host_pointer(base + start), Via::Shared(allocation.clone())));
    }
    let buffer = store.buffer(device)?;
    let runtime = store.context.runtimes().get(device).ok_or(FAILURE)?;
    let is_shared = match store.place {
        Place::Svm(..) | Place::Host => true,
        Place::Pinned => !runtime.device.has_own_memory(),
        Place::Device | Place::User(_) | Place::External(_) | Place::Gl(_) => false,
    };
    if let Some(base) = buffer.host_ptr()
        && (is_shared || buffer.is_cached())
    {
        return Ok((place(base, store.base() + start)?, Via::Direct));
    }
    let base_of = |pinned: &Buffer| pinned.host_ptr().ok_or(FAILURE);
    if matches!(store.place, Place::Pinned) {
        let mirror = store.mirror(device, ALIGN).map_err(|_| FAILURE)?;
        let base = base_of(&mirror.memory)?;
        let offset = to_alignment(base) + start;
        return Ok((place(base, offset)?, Via::Pinned(Pinned::Mirror(mirror.clone()), offset)));
    }
    let skew = start % ALIGN;
    let lend = |more: u64| -> ClResult<(StagingLease, *mut u8)> {
        let wanted = size.checked_add(more).ok_or(FAILURE)?;
        let piece = runtime.stream.lease_staging(wanted).map_err(|e| {
            log::error!("no memory to map a buffer to: {e}");
            FAILURE
        })?;
        let base = base_of(piece.buffer()?)?;
        Ok((piece, base))
    };
    let (mut piece, mut base) = lend(skew)?;
    if !(base.addr() as u64).is_multiple_of(ALIGN) {
        // Vulkan promises less (minMemoryMapAlignment).
        (piece, base) = lend(skew + ALIGN)?;
    }
    let offset = to_alignment(base) + skew;
    Ok((place(base, offset)?, Via::Pinned(Pinned::Leased(Arc::new(piece)), offset)))
}

/// Returns the bytes from an address to the next multiple of [`ALIGN`].
fn to_alignment(base: *mut u8) -> u64 {
    (base.addr() as u64).next_multiple_of(ALIGN) - base.addr() as u64
}

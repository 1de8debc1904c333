//! Mapped boxes of images (OpenCL API §5.3.6).

use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{ImageBox, Pitches, Queue as Stream, StagingLease};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::MapFor;
use crate::memory::Memory;
use crate::memory::host::HostRange;
use crate::memory::image::ImageForm;
use crate::memory::store::Store;

/// A mapped box.
#[derive(Clone)]
pub(crate) struct ImageMap {
    /// The handle of the image that was mapped.
    pub(crate) object: usize,
    /// The pointer that the application got.
    pub(crate) pointer: UserPointer,
    pub(crate) part: ImageBox,
    pub(crate) purpose: MapFor,
    /// The number of the device whose queue mapped it.
    pub(crate) device: usize,
    pub(crate) via: Via,
}

/// How the host reaches it.
#[derive(Clone)]
pub(crate) enum Via {
    /// In the application's memory.
    User(HostRange, Pitches),
    /// In pinned memory, packed.
    Pinned(Arc<StagingLease>),
}

impl ImageMap {
    /// Finds how the host reaches a box, for a device.
    pub(crate) fn new(
        stream: &Stream,
        memory: &Memory,
        form: &ImageForm,
        device: usize,
        part: ImageBox,
        purpose: MapFor,
    ) -> ClResult<(Self, Pitches)> {
        const FAILURE: ClError = ClError(cl::CL_MAP_FAILURE);
        let start = memory.host_pointer().cast_mut().cast::<u8>();
        let (pointer, via, pitches) = match start.is_null() {
            false => {
                let pitches = memory.user_pitches();
                let place = start.wrapping_add(form.host_offset(&part, pitches));
                let range =
                    HostRange { start: UserPointer(place.cast()), size: form.host_span(&part, pitches)? };
                (range.start, Via::User(range, pitches), pitches)
            }
            true => {
                let size = part.bytes(form.format.texel).ok_or(FAILURE)?;
                let piece = stream.lease_staging(size).map_err(|e| {
                    log::error!("no memory to map an image to: {e}");
                    FAILURE
                })?;
                let base = piece.buffer()?.host_ptr().ok_or(FAILURE)?;
                let pitches = form.host_pitches(&part, 0, 0)?;
                (UserPointer(base.cast()), Via::Pinned(Arc::new(piece)), pitches)
            }
        };
        Ok((ImageMap { object: memory.raw().addr(), pointer, part, purpose, device, via }, pitches))
    }

    /// Notes the box as mapped.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if it overlaps another one and both are to be written.
    pub(crate) fn note(&self, store: &Store) -> ClResult<()> {
        let mut maps = store.image_maps();
        // Two images of one buffer's bytes may lie anywhere in it.
        let alike = |m: &ImageMap| m.object == self.object || store.is_image();
        let clash = |m: &ImageMap| {
            m.purpose.writes() && self.purpose.writes() && alike(m) && m.part.overlaps(&self.part)
        };
        ensure(!maps.iter().any(clash), cl::CL_INVALID_OPERATION)?;
        maps.push(self.clone());
        Ok(())
    }

    /// Takes the box that was mapped last at a pointer out of the list.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if there is none.
    pub(crate) fn take(memory: &Memory, pointer: UserPointer) -> ClResult<Self> {
        let object = memory.raw().addr();
        let mut maps = memory.store.image_maps();
        let found = maps.iter().rposition(|m| m.object == object && m.pointer.0 == pointer.0);
        found.map(|i| maps.remove(i)).ok_or(ClError(cl::CL_INVALID_VALUE))
    }

    /// Returns how many boxes of an image are mapped.
    pub(crate) fn count(memory: &Memory) -> usize {
        let object = memory.raw().addr();
        memory.store.image_maps().iter().filter(|m| m.object == object).count()
    }
}

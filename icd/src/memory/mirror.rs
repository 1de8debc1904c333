//! Images of buffers' bytes (cl_khr_image2d_from_buffer, cl_ext_image_from_buffer) other than rows of texels, which are texel buffers.
//!
//! Kernels sample Vulkan images, whose texels lie as the driver likes: a linear one would have the driver's pitch, not the application's,
//! and no device must have storage images of that tiling. So on each device such an image has a mirror: a Vulkan image that is
//! brought up to date when a command that uses it is recorded, and whose texels go back to the buffer right behind one that writes it. The promise of
//! the specification, that changes of either are seen in the other by the next command, holds with any pitch and format.
//!
//! The runtime counts what may change a buffer ([`Stream::writes_of`]). A mirror knows the count at which its texels were the buffer's, and
//! while it is the same nothing is copied to it. If the host may change the bytes without a command, or kernels by device
//! addresses that nobody named, nothing is known ([`Memory::counts_writes`]), and every command copies.

use std::sync::{OnceLock, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{Image, ImageBox, Points, Queue as Stream, RuntimeError};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::memory::store::Place;
use crate::memory::{Access, Memory};

/// The mirrors of an image, by the context's devices.
pub(crate) struct Mirror(SmallVec<[OnDevice; 1]>);

/// A device's.
#[derive(Default)]
struct OnDevice {
    image: OnceLock<Image>,
    state: Mutex<State>,
}

/// Whose texels it has.
#[derive(Default)]
struct State {
    /// All are the buffer's, as it is while the count of its writes is this.
    same_at: Option<u64>,
    /// The same, before what the command changes that is to be given back.
    changed_from: Option<u64>,
}

const NO_DEVICE: ClError = ClError(cl::CL_INVALID_CONTEXT);

impl Mirror {
    pub(crate) fn new(devices: usize) -> Self {
        Mirror((0..devices).map(|_| OnDevice::default()).collect())
    }

    fn on(&self, index: usize) -> ClResult<&OnDevice> {
        self.0.get(index).ok_or(NO_DEVICE)
    }
}

impl OnDevice {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Returns whether it is an image that has texels of its own or a mirror: no buffer, and no row of texels of one.
    pub(crate) fn has_texels(&self) -> bool {
        self.mirror.is_some() || self.store.is_image()
    }

    /// Returns whether its texels are a buffer's bytes.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }

    /// To be held from [`bring`](Self::bring) to [`give_back`](Self::give_back), once for all the objects of a command.
    pub(crate) fn order<'a>(objects: &[&'a Memory]) -> Option<MutexGuard<'a, ()>> {
        let mirrored = objects.iter().find(|m| m.is_mirrored())?;
        Some(mirrored.context().mirrors.lock())
    }

    /// Its Vulkan image on a device, made when it is first asked for. Its contents may be old.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED; CL_INVALID_MEM_OBJECT for a buffer.
    pub(crate) fn image_on(&self, index: usize) -> ClResult<&Image> {
        let Some(mirror) = &self.mirror else { return self.store.image(index) };
        let place = mirror.on(index)?;
        if let Some(image) = place.image.get() {
            return Ok(image);
        }
        let runtime = self.context().runtimes().get(index).ok_or(NO_DEVICE)?;
        let made = runtime.device.create_image(&self.form()?.desc()).map_err(|e| match e {
            RuntimeError::Unsupported(why) => {
                log::error!("{why}");
                ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED)
            }
            e => ClError::from(e),
        })?;
        Ok(place.image.get_or_init(|| made))
    }

    /// Its image for a command that is being recorded in a device's stream. What is to be read or changed in parts has the newest
    /// contents in a box; `change`: what the command does to the box, which [`give_back`](Self::give_back) then brings to the buffer.
    ///
    /// # Errors
    /// As [`image_on`](Self::image_on); what the copies give.
    pub(crate) fn bring(
        &self,
        (index, stream): (usize, &Stream),
        part: &ImageBox,
        change: Access,
    ) -> ClResult<&Image> {
        let Some(mirror) = &self.mirror else { return self.store.prepare_image(index, change) };
        // The box is not all of the buffer.
        let writes = if change == Access::Read { Access::Read } else { Access::Write };
        let buffer = self.store.prepare(index, writes)?;
        let image = self.image_on(index)?;
        let mut state = mirror.on(index)?.state();
        // Before anything is looked up that orders the copy: a write that comes later makes it another one.
        let count = stream.writes_of(buffer);
        let counted = self.counts_writes(index);
        let same = counted && state.same_at == Some(count);
        // What other commands brought and gave back may be in other streams, where nobody else orders this one behind them. The buffer's
        // writes there are submitted by that, and so are counted when they are repeated.
        let uses = match change {
            Access::Read if same => stream.last_image_write(image),
            _ => stream.last_image_use(image),
        };
        stream.behind(&uses.and(stream.last_write(buffer)))?;
        state.same_at = None;
        if !same && change != Access::Replace {
            let (offset, pitches) = (self.first_byte(part)?, self.form()?.pitches());
            stream.copy_rows_to_image(buffer, offset, pitches, image, part)?;
            self.context().mirrors.count();
        }
        let all = counted && (same || *part == self.form()?.whole());
        *(if change == Access::Read { &mut state.same_at } else { &mut state.changed_from }) =
            all.then_some(count);
        Ok(image)
    }

    /// Behind a command that changed a box, at whose end the stream is then: the points at which the buffer has the changes.
    ///
    /// # Errors
    /// What the copy gives.
    pub(crate) fn give_back(
        &self,
        (index, stream): (usize, &Stream),
        part: &ImageBox,
        points: Points,
    ) -> ClResult<Points> {
        let Some(mirror) = &self.mirror else { return Ok(points) };
        let (buffer, image) = (self.store.buffer(index)?, self.image_on(index)?);
        let mut state = mirror.on(index)?.state();
        let before = state.changed_from.take();
        state.same_at = None;
        let (offset, pitches) = (self.first_byte(part)?, self.form()?.pitches());
        let count = stream.writes_of(buffer);
        stream.behind(&stream.last_write(buffer))?;
        let points = stream.copy_image_to_rows(image, part, buffer, offset, pitches)?.into();
        // Nothing but this copy has changed the buffer.
        let after = stream.writes_of(buffer);
        if before == Some(count) && after == count + 1 && self.counts_writes(index) {
            state.same_at = Some(after);
        }
        Ok(points)
    }

    /// Returns whether all that changes the buffer on a device is counted.
    fn counts_writes(&self, index: usize) -> bool {
        self.counts_changes(index) && !self.store.maps().iter().any(|map| map.purpose.writes())
    }

    /// The same, but for what the host writes while a region is mapped.
    pub(crate) fn counts_changes(&self, index: usize) -> bool {
        let known = match &self.store.place {
            Place::Device | Place::Pinned | Place::Host | Place::External(_) | Place::Gl(_) => true,
            // Where it is the device's memory, the application changes it as it likes; so may a second buffer of it.
            Place::User(_) => !self.store.is_imported(index),
            Place::Svm(..) => false,
        };
        known && !self.has_addresses()
    }

    /// Returns whether kernels may know the buffer's address without its being an argument.
    fn has_addresses(&self) -> bool {
        self.addresses.is_some() || self.parent.as_ref().is_some_and(|parent| parent.has_addresses())
    }

    /// Returns where a box begins in the Vulkan buffers.
    fn first_byte(&self, part: &ImageBox) -> ClResult<u64> {
        let form = self.form()?;
        Ok(self.store.base() + self.offset + form.host_offset(part, form.pitches()) as u64)
    }

    /// Checks that a buffer's bytes can be an image's texels: they are whole ones, in the application's memory too (§5.3.1).
    ///
    /// # Errors
    /// CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for pitches or memory of the application between texels.
    pub(crate) fn check_texels(&self, desc: &cl::cl_image_desc, texel: usize) -> ClResult<()> {
        let host = self.host_pointer().addr();
        let whole =
            [desc.image_row_pitch, desc.image_slice_pitch, host].iter().all(|n| n.is_multiple_of(texel));
        ensure(whole, cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    }
}

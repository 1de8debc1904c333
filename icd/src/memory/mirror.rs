//! Images of buffers' bytes (cl_khr_image2d_from_buffer, cl_ext_image_from_buffer) other than rows of texels, which are texel buffers.
//!
//! Kernels sample Vulkan images, whose texels lie as the driver likes: a linear one would have the driver's pitch, not the application's,
//! and no device must have storage images of that tiling. So on each device such an image has a mirror: a Vulkan image that is
//! brought up to date when a command that reads it is recorded, and whose texels go back to the buffer right behind one that writes it. What
//! the specification promises, that changes of either are seen in the other by the next command, holds with any pitch and format.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{Image, ImageBox, Points, Queue as Stream, RuntimeError};

use super::{Access, Memory};
use crate::error::{ClError, ClResult, ensure};

/// The mirrors of an image, by the context's devices.
pub(crate) struct Mirror(SmallVec<[OnceLock<Image>; 1]>);

/// What commands on mirrors hold while they are recorded: none comes between what another one brings and gives back.
#[derive(Default)]
pub(crate) struct Order(Mutex<()>);

impl Mirror {
    pub(super) fn new(devices: usize) -> Self {
        Mirror((0..devices).map(|_| OnceLock::new()).collect())
    }
}

impl Memory {
    /// Whether it is an image that has texels of its own or a mirror: no buffer, and no row of texels of one.
    pub(crate) fn has_texels(&self) -> bool {
        self.mirror.is_some() || self.store.is_image()
    }

    /// Whether its texels are a buffer's bytes.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }

    /// To be held from [`bring`](Self::bring) to [`give_back`](Self::give_back), once for all the objects of a command.
    pub(crate) fn order<'a>(objects: &[&'a Memory]) -> Option<MutexGuard<'a, ()>> {
        let mirrored = objects.iter().find(|m| m.is_mirrored())?;
        Some(mirrored.context().mirrors.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Its Vulkan image on a device, made when it is first asked for. Its contents may be old.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED; CL_INVALID_MEM_OBJECT for a buffer.
    pub(crate) fn image_on(&self, index: usize) -> ClResult<&Image> {
        let Some(mirror) = &self.mirror else { return self.store.image(index) };
        const NO_DEVICE: ClError = ClError(cl::CL_INVALID_CONTEXT);
        let place = mirror.0.get(index).ok_or(NO_DEVICE)?;
        if let Some(image) = place.get() {
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
        Ok(place.get_or_init(|| made))
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
        access: Access,
    ) -> ClResult<&Image> {
        if !self.is_mirrored() {
            return self.store.prepare_image(index, access);
        }
        // The box is not all of the buffer.
        let writes = if access == Access::Read { Access::Read } else { Access::Write };
        let buffer = self.store.prepare(index, writes)?;
        let image = self.image_on(index)?;
        if access != Access::Replace {
            let (offset, pitches) = (self.first_byte(part)?, self.form()?.pitches());
            stream.copy_rows_to_image(buffer, offset, pitches, image, part)?;
        }
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
        if !self.is_mirrored() {
            return Ok(points);
        }
        let (buffer, image) = (self.store.buffer(index)?, self.image_on(index)?);
        let (offset, pitches) = (self.first_byte(part)?, self.form()?.pitches());
        Ok(stream.copy_image_to_rows(image, part, buffer, offset, pitches)?.into())
    }

    /// Where a box begins in the Vulkan buffers.
    fn first_byte(&self, part: &ImageBox) -> ClResult<u64> {
        let form = self.form()?;
        Ok(self.store.base() + self.offset + form.host_offset(part, form.pitches()) as u64)
    }

    /// Checks that a buffer's bytes can be an image's texels: they are whole ones, in the application's memory too (§5.3.1).
    ///
    /// # Errors
    /// CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for pitches or memory of the application between texels.
    pub(super) fn check_texels(&self, desc: &cl::cl_image_desc, texel: usize) -> ClResult<()> {
        let host = self.host_pointer().addr();
        let whole =
            [desc.image_row_pitch, desc.image_slice_pitch, host].iter().all(|n| n.is_multiple_of(texel));
        ensure(whole, cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    }
}

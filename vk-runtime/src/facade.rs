//! The device as its users see it: it makes buffers, images, programs and queues.

use std::sync::Arc;

use lower::{Lowered, Target};

use crate::device::external::MemoryHandle;
use crate::device::logical::{Device, DeviceInner};
use crate::device::options::DeviceOptions;
use crate::device::physical::PhysicalDevice;
use crate::error::RuntimeError;
use crate::image::resource::{Image, ImageDesc, ImageStorage, OtherMemory};
use crate::kernel::program::Program;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;
use crate::memory::external::Import;
use crate::memory::storage_pool::StreamCalls;
use crate::process::os_handle::BorrowedOsHandle;
use crate::stream::command::Command;
use crate::stream::device_streams::Streams;
use crate::stream::queue::Queue;

impl Device {
    /// Makes the device. `mask` (what `PUMICE_TARGET` names) restricts its Target: a feature that the mask lacks is
    /// not enabled, a smaller limit holds.
    ///
    /// # Errors
    /// Unsupported for a device below the floor; Driver when Vulkan fails.
    pub fn new(physical: &PhysicalDevice, mask: Option<&Target>) -> Result<Self, RuntimeError> {
        Self::with_options(physical, &DeviceOptions { mask, ..Default::default() })
    }

    /// Makes the device, with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(
        physical: &PhysicalDevice,
        options: &DeviceOptions<'_>,
    ) -> Result<Self, RuntimeError> {
        let inner = DeviceInner::make(physical, options)?;
        inner.pool().use_streams(StreamCalls { submit_uses: Streams::submit_uses, settle: Streams::settle });
        inner.pipeline_cache().create(&inner)?;
        inner.join_siblings();
        Ok(Device { inner })
    }

    /// Makes a buffer. Its content is undefined. If memory has run out, this waits for the commands of buffers that are gone.
    ///
    /// # Errors
    /// User (InvalidBufferSize) for size 0 or above [`max_buffer_size`](Self::max_buffer_size); Driver when
    /// memory runs out ([`RuntimeError::is_out_of_memory`]).
    pub fn create_buffer(&self, size: u64, usage: BufferUse) -> Result<Buffer, RuntimeError> {
        match Buffer::new(&self.inner, size, usage, "buffer") {
            Err(e) if e.is_out_of_memory() => {
                self.inner.settle()?;
                Buffer::new(&self.inner, size, usage, "buffer")
            }
            other => other,
        }
    }

    /// Loads a lowered program. Its constants and globals go into device memory at the first launch.
    ///
    /// # Errors
    /// Driver when Vulkan fails; Bug when the reflection contradicts itself.
    pub fn create_program(&self, lowered: &Lowered) -> Result<Program, RuntimeError> {
        for kernel in &lowered.kernels {
            log::info!("kernel '{}': {} binding model", kernel.name, kernel.binding_model.name());
        }
        Program::new(self, lowered, None)
    }

    /// As [`create_program`](Self::create_program) for a program that is loaded already and was lowered another way, or in
    /// part: both have the same data in device memory.
    ///
    /// # Errors
    /// As `create_program`; Bug when the two do not have the same data.
    pub fn create_program_beside(&self, lowered: &Lowered, other: &Program) -> Result<Program, RuntimeError> {
        Program::new(self, lowered, Some(other))
    }

    /// A handle on the device's first stream. The streams live as long as a handle on one of them.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn create_queue(&self) -> Result<Queue, RuntimeError> {
        Queue::for_device(self)
    }

    /// Bytes of device memory that are free of this process's buffers; what is kept for reuse counts as free.
    #[must_use]
    pub fn free_memory(&self) -> u64 {
        let (used, size) = self.inner.memory.used();
        let kept = self.inner.siblings().iter().map(|device| device.pool().bytes()).sum();
        size.saturating_sub(used.saturating_sub(kept))
    }

    /// Makes an image. Its content is undefined: it may be that of one that is gone. If memory has run out, this waits for the commands of images and buffers that
    /// are gone.
    ///
    /// # Errors
    /// User (InvalidImageSize) for sizes that the device does not have; Unsupported for a format that it has no images of; Driver
    /// when memory runs out ([`RuntimeError::is_out_of_memory`]).
    pub fn create_image(&self, desc: &ImageDesc) -> Result<Image, RuntimeError> {
        // What is kept is kept as long as there is a queue.
        let queue = self.create_queue()?;
        if let Some(storage) = self.inner.pool().take_image::<ImageStorage>(desc) {
            if self.inner.stream_count > 1 {
                storage.marks.origin.set(self.inner.submit_uses(&storage.marks)?);
            }
            return Ok(Image::on(storage));
        }
        let storage = match ImageStorage::new(&self.inner, desc) {
            Err(e) if e.is_out_of_memory() => {
                self.inner.make_room();
                self.inner.settle()?;
                ImageStorage::new(&self.inner, desc)
            }
            other => other,
        }?;
        let image = Image::on(Arc::new(storage));
        let point = queue.perform(&Command::Begin { image: &image.inner })?;
        if self.inner.stream_count > 1 {
            // Other streams may wait for it from here on.
            queue.inner.stream.submit_up_to(point.value)?;
            image.inner.marks.origin.set(point.into());
        }
        Ok(image)
    }

    /// Makes an image of memory that another API exported. The descriptor stays the caller's. The other API leaves the image in
    /// VK_IMAGE_LAYOUT_GENERAL and finds it so; commands may use it between [`Queue::acquire`] and [`Queue::release`]. `row_pitch`: bytes from row to
    /// row, if the texels are in rows ([`MemoryHandle::DmaBuf`]) and that is known.
    ///
    /// # Errors
    /// As [`create_image`](Self::create_image); User: InvalidHandle for a descriptor that is none of that type, InvalidBufferSize for more than the memory
    /// has, InvalidImageSize for another row pitch than the device's.
    pub fn import_image(
        &self,
        handle: MemoryHandle,
        descriptor: BorrowedOsHandle<'_>,
        desc: &ImageDesc,
        row_pitch: Option<u64>,
    ) -> Result<Image, RuntimeError> {
        let inner = &self.inner;
        if inner.imports_buffers(handle).is_none() {
            let name = &inner.target.name;
            return Err(RuntimeError::unsupported(format!("{handle:?} memory on the device '{name}'")));
        }
        let import = Import::new(inner, handle, descriptor)?;
        let allocate = |holder, own, requirements| import.allocate(inner, holder, own, requirements);
        let row_pitch = row_pitch.filter(|_| handle == MemoryHandle::DmaBuf);
        let other = OtherMemory { handle, row_pitch, allocate: &allocate };
        Ok(Image::on(Arc::new(ImageStorage::make(inner, desc, Some(other))?)))
    }
}

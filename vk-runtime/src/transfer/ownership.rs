//! Memory that the device's queues and other APIs own in turns (Vulkan specification, "Queue Family Ownership Transfer" and "External Memory
//! Handle Types").

use ash::vk;
use smallvec::SmallVec;

use crate::device::functions::READS_AND_WRITES;
use crate::error::RuntimeError;
use crate::image::resource::{Image, all_subresources};
use crate::image::resource_use::{Resource, Use};
use crate::memory::buffer::Buffer;
use crate::stream::command::Command;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::Point;

/// A buffer or an image.
#[derive(Clone, Copy, Debug)]
pub enum Object<'a> {
    /// A buffer.
    Buffer(&'a Buffer),
    /// An image.
    Image(&'a Image),
}

impl<'a> Object<'a> {
    fn resource(self) -> Resource<'a> {
        match self {
            Object::Buffer(buffer) => Resource::whole(&buffer.inner),
            Object::Image(image) => Resource::image(&image.inner),
        }
    }
}

impl Queue {
    /// The device's queues become the owners of what other APIs have released: commands behind it may use it. Nothing happens to what they own
    /// already, or to memory of the device.
    ///
    /// # Errors
    /// User (InvalidContext) for an object of another device; Driver when Vulkan fails.
    pub fn acquire(&self, objects: &[Object<'_>]) -> Result<Point, RuntimeError> {
        self.change_owner(objects, true)
    }

    /// The device's queues give up what other APIs may acquire then: images are in VK_IMAGE_LAYOUT_GENERAL.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub fn release(&self, objects: &[Object<'_>]) -> Result<Point, RuntimeError> {
        self.change_owner(objects, false)
    }

    fn change_owner(&self, objects: &[Object<'_>], acquire: bool) -> Result<Point, RuntimeError> {
        for object in objects {
            match object {
                Object::Buffer(buffer) => self.own(&buffer.inner)?,
                Object::Image(image) => self.own_image(&image.inner)?,
            }
        }
        let objects: SmallVec<[Resource<'_>; 4]> = objects.iter().map(|object| object.resource()).collect();
        self.perform(&Command::ChangeOwner { objects: &objects, acquire })
    }
}

impl State {
    pub(crate) fn change_owner(
        &mut self,
        objects: &[Resource<'_>],
        acquire: bool,
    ) -> Result<(), RuntimeError> {
        let uses: SmallVec<[Use<'_>; 4]> = objects.iter().map(|object| object.written()).collect();
        let commands = self.transfer(&uses)?;
        let device = &self.device;
        // The half that a queue does of a transfer: the other half's accesses are the other owner's.
        let access = |ours: bool| if ours { READS_AND_WRITES } else { vk::AccessFlags::empty() };
        let (mut buffers, mut images) = (Vec::new(), Vec::new());
        for object in objects {
            match object {
                Resource::Buffer(bytes) => {
                    let change =
                        bytes.buffer.external.as_ref().and_then(|e| e.change(device.queue_family, acquire));
                    let Some((from, to)) = change else { continue };
                    let barrier = vk::BufferMemoryBarrier::default()
                        .src_access_mask(access(!acquire))
                        .dst_access_mask(access(acquire))
                        .src_queue_family_index(from)
                        .dst_queue_family_index(to)
                        .buffer(bytes.buffer.raw)
                        .size(vk::WHOLE_SIZE);
                    buffers.push(barrier);
                }
                Resource::Image { image, .. } => {
                    let change = image.external.as_ref().and_then(|e| e.change(device.queue_family, acquire));
                    let Some((from, to)) = change else { continue };
                    let barrier = vk::ImageMemoryBarrier::default()
                        .src_access_mask(access(!acquire))
                        .dst_access_mask(access(acquire))
                        .old_layout(vk::ImageLayout::GENERAL)
                        .new_layout(vk::ImageLayout::GENERAL)
                        .src_queue_family_index(from)
                        .dst_queue_family_index(to)
                        .image(image.raw)
                        .subresource_range(all_subresources());
                    images.push(barrier);
                }
            }
        }
        if buffers.is_empty() && images.is_empty() {
            return Ok(());
        }
        // SAFETY: recording under the stream's lock; the batch keeps the objects alive; one of the families is the queue's, the other stands
        // for users outside.
        unsafe {
            device.raw.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &buffers,
                &images,
            );
        }
        Ok(())
    }
}

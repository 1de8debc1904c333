//! Pipelines, descriptor sets and push constants bound in a batch's command buffer.

use ash::vk;
use smallvec::SmallVec;

use crate::error::RuntimeError;
use crate::kernel::image_bindings::Bindable;
use crate::kernel::program::{KernelInner, Pipeline, descriptor_type};
use crate::stream::batch::{Batch, Recycler};

/// The bindings of a batch's command buffer, which are not made again.
#[derive(Default)]
pub(crate) struct BoundState {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    push: Vec<u8>,
    /// The [`Repeat`](crate::Repeat) that all this is of, by its number and its values'; 0: none.
    launch: (u64, u64),
}

impl BoundState {
    /// In a new command buffer.
    pub(crate) fn forget(&mut self) {
        self.pipeline = vk::Pipeline::null();
        self.layout = vk::PipelineLayout::null();
        self.set = vk::DescriptorSet::null();
        self.push.clear();
        self.launch = (0, 0);
    }

    /// Returns whether all that a launch needs is bound.
    pub(crate) fn is_launch(&self, launch: (u64, u64)) -> bool {
        self.launch == launch
    }

    /// After a launch.
    pub(crate) fn note_launch(&mut self, launch: (u64, u64)) {
        self.launch = launch;
    }

    /// Returns whether a pipeline is to be bound now.
    pub(crate) fn pipeline(&mut self, pipeline: vk::Pipeline, layout: vk::PipelineLayout) -> bool {
        if self.pipeline == pipeline {
            return false;
        }
        self.pipeline = pipeline;
        self.launch = (0, 0);
        if self.layout != layout {
            // A pipeline of another layout leaves push constants undefined (Vulkan specification, "Pipeline Layout
            // Compatibility").
            self.layout = layout;
            self.push.clear();
        }
        true
    }

    /// Returns whether a descriptor set is to be bound now.
    pub(crate) fn set(&mut self, set: vk::DescriptorSet) -> bool {
        let change = self.set != set;
        if change {
            self.set = set;
            self.launch = (0, 0);
        }
        change
    }

    /// Returns whether push constants are to be set now. The pipeline is bound.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        if self.push.as_slice() == bytes {
            return false;
        }
        self.launch = (0, 0);
        self.push.clear();
        self.push.extend_from_slice(bytes);
        true
    }
}

/// The descriptor sets that a batch wrote last: launches that repeat, or take turns, need no new ones.
#[derive(Default)]
pub(crate) struct WrittenSets {
    sets: [WrittenSet; 4],
    /// The one to replace next.
    oldest: usize,
}

#[derive(Default)]
struct WrittenSet {
    layout: vk::DescriptorSetLayout,
    set: vk::DescriptorSet,
    bound: SmallVec<[Bindable; 8]>,
}

impl WrittenSets {
    fn find(&self, layout: vk::DescriptorSetLayout, bound: &[Bindable]) -> Option<vk::DescriptorSet> {
        let known = |w: &&WrittenSet| w.layout == layout && w.bound.as_slice() == bound;
        self.sets.iter().find(known).map(|w| w.set)
    }

    fn note(&mut self, set: WrittenSet) {
        let place = self.oldest % self.sets.len();
        self.oldest += 1;
        if let Some(old) = self.sets.get_mut(place) {
            *old = set;
        }
    }
}

/// Binds all that a launch needs whose block is its push constants, as far as it is not bound.
#[inline(always)]
pub(crate) fn bind_launch(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    pipeline: &Pipeline,
    bound: &[Bindable],
    push: &[u8],
) -> Result<(), RuntimeError> {
    if batch.bound.pipeline(pipeline.raw, kernel.layout) {
        let (device, commands) = (&kernel.device().raw, batch.commands);
        // SAFETY: the command buffer is being recorded under the stream's lock; the batch keeps the pipeline alive.
        unsafe { device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw) };
    }
    if !bound.is_empty() {
        bind_set(batch, recycler, kernel, bound)?;
    }
    push_constants(batch, kernel, push);
    Ok(())
}

/// Binds a descriptor set with these.
pub(crate) fn bind_set(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    bound: &[Bindable],
) -> Result<(), RuntimeError> {
    let layout = kernel.set_layout;
    let set = match batch.sets.find(layout, bound) {
        Some(set) => set,
        None => {
            let set = write_set(batch, recycler, kernel, bound)?;
            batch.sets.note(WrittenSet { layout, set, bound: bound.into() });
            set
        }
    };
    if batch.bound.set(set) {
        // SAFETY: recording under the stream's lock; the set was made with this layout's set layout and lives as long as
        // the batch.
        unsafe {
            kernel.device().raw.cmd_bind_descriptor_sets(
                batch.commands,
                vk::PipelineBindPoint::COMPUTE,
                kernel.layout,
                0,
                &[set],
                &[],
            );
        }
    }
    Ok(())
}

/// Sets the push constants, if there are any and they are not those already.
pub(crate) fn push_constants(batch: &mut Batch, kernel: &KernelInner, bytes: &[u8]) {
    if !bytes.is_empty() && batch.bound.push(bytes) {
        // SAFETY: recording under the stream's lock; the layout's range is exactly these bytes.
        unsafe {
            kernel.device().raw.cmd_push_constants(
                batch.commands,
                kernel.layout,
                vk::ShaderStageFlags::COMPUTE,
                0,
                bytes,
            );
        }
    }
}

/// A descriptor set with these.
fn write_set(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    bound: &[Bindable],
) -> Result<vk::DescriptorSet, RuntimeError> {
    let set = batch.descriptor_set(recycler, kernel.set_layout, &kernel.room)?;
    fill_set(set, kernel, bound);
    Ok(set)
}

/// Writes a new set's descriptors. The objects that they name are alive, and stays so while the set is used.
pub(crate) fn fill_set(set: vk::DescriptorSet, kernel: &KernelInner, bound: &[Bindable]) {
    let descriptors = &kernel.info.descriptors;
    let infos: SmallVec<[Info; 8]> = bound.iter().map(Info::from_bound).collect();
    let writes: SmallVec<[vk::WriteDescriptorSet<'_>; 8]> = descriptors
        .iter()
        .zip(&infos)
        .map(|(d, info)| {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(d.binding)
                .descriptor_type(descriptor_type(d.kind));
            match info {
                Info::Buffer(info) => write.buffer_info(info),
                Info::Image(info) => write.image_info(info),
                Info::Texels(view) => write.texel_buffer_view(view),
            }
        })
        .collect();
    // SAFETY: the set is new and not in use; buffers and images are alive (kept by the batch), ranges within them and within the
    // limits (args::check_descriptors).
    unsafe { kernel.device().raw.update_descriptor_sets(&writes, &[]) };
}

/// The target of a descriptor write.
enum Info {
    Buffer([vk::DescriptorBufferInfo; 1]),
    Image([vk::DescriptorImageInfo; 1]),
    Texels([vk::BufferView; 1]),
}

impl Info {
    fn from_bound(bound: &Bindable) -> Self {
        let image = |sampler, image_view| {
            let image_layout = vk::ImageLayout::GENERAL;
            Info::Image([vk::DescriptorImageInfo { sampler, image_view, image_layout }])
        };
        match *bound {
            Bindable::Buffer(buffer, offset, range) => {
                Info::Buffer([vk::DescriptorBufferInfo { buffer, offset, range }])
            }
            Bindable::Image(view) => image(vk::Sampler::null(), view),
            Bindable::Sampler(sampler) => image(sampler, vk::ImageView::null()),
            Bindable::Texels(view) => Info::Texels([view]),
        }
    }
}

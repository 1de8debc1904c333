//! Recording of launches into the open batch.

use std::sync::Arc;

use ash::vk;
use lower::kernel_info::{BlockLocation, BlockMember, BlockSource, DescriptorSource};
use smallvec::SmallVec;

use crate::error::RuntimeError;
use crate::kernel::arguments::{Bound, BoundArgs, assemble};
use crate::kernel::image_bindings::{self, Bindable};
use crate::kernel::ndrange::{Plan, Split};
use crate::kernel::packed_bindings;
use crate::kernel::program::{KernelInner, Pipeline, descriptor_type};
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::batch::{Batch, Recycler};
use crate::stream::command::{Bytes, Command, Resource, Use};
use crate::stream::hazards::Stage;
use crate::stream::queue::Touch;
use crate::stream::state::State;

/// A launch that was checked, with its pipeline.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'a Arc<KernelInner>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) bound: BoundArgs<'a>,
    /// The work-groups, or the first of the parts that are alike.
    pub(crate) plan: Plan,
    /// The other parts, each with its pipeline.
    pub(crate) remainders: SmallVec<[(Plan, Arc<Pipeline>); 1]>,
    /// Buffers reached by addresses, and whether they may be written.
    pub(crate) touches: &'a [Touch<'a>],
    pub(crate) anything: bool,
}

impl Launch<'_> {
    /// What it uses, with the numbers of the arguments that name it.
    pub(crate) fn uses(&self) -> SmallVec<[(Option<u32>, Use<'_>); 8]> {
        let mut uses = self.bound.uses(self.kernel);
        uses.extend(self.touches.iter().map(|touch| (touch.arg, touch.used())));
        uses
    }
}

impl<'a> Touch<'a> {
    /// What a kernel does there.
    pub(crate) fn used(&self) -> Use<'a> {
        let (start, end) = (self.start / 4 * 4, self.end.next_multiple_of(4));
        let bytes = Bytes { buffer: &self.buffer.inner, start, end };
        Use { resource: Resource::Buffer(bytes), read: true, write: self.written }
    }
}

/// What is bound in a batch's command buffer: not bound again.
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

    /// Whether all that a launch needs is bound.
    pub(crate) fn is_launch(&self, launch: (u64, u64)) -> bool {
        self.launch == launch
    }

    /// After a launch.
    pub(crate) fn note_launch(&mut self, launch: (u64, u64)) {
        self.launch = launch;
    }

    /// Whether a pipeline is to be bound now.
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

    /// Whether a descriptor set is to be bound now.
    pub(crate) fn set(&mut self, set: vk::DescriptorSet) -> bool {
        let change = self.set != set;
        if change {
            self.set = set;
            self.launch = (0, 0);
        }
        change
    }

    /// Whether push constants are to be set now. The pipeline is bound.
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

/// Records a launch: the barrier it needs, its pipeline, and one dispatch per split.
pub(crate) fn dispatch(state: &mut State, launch: &Launch<'_>) -> Result<(), RuntimeError> {
    let splits = launch.plan.splits(launch.kernel.device().target.limits.max_compute_work_group_count);
    state.perform(&Command::Launch { launch, parts: &splits, remainders: true })
}

/// Records some parts of a launch, and where asked those work-groups that are cut off at the NDRange's ends.
pub(crate) fn dispatch_parts(
    state: &mut State,
    launch: &Launch<'_>,
    splits: &[Split],
    remainders: bool,
) -> Result<(), RuntimeError> {
    let Launch { kernel, bound, .. } = launch;
    let uses: SmallVec<[Use<'_>; 8]> = launch.uses().into_iter().map(|(_, used)| used).collect();
    let commands = state.command(Stage::Compute, &uses, launch.anything)?;
    let (batch, recycler) = state.open()?;
    batch.keep(kernel);
    for block in bound.windows.iter().filter_map(|w| w.held.as_ref()) {
        batch.keep(block);
    }
    alike(batch, recycler, commands, launch, (&launch.plan, &launch.pipeline), splits)?;
    if remainders {
        let max = kernel.device().target.limits.max_compute_work_group_count;
        for (plan, pipeline) in &launch.remainders {
            alike(batch, recycler, commands, launch, (plan, pipeline), &plan.splits(max))?;
        }
    }
    Ok(())
}

/// Dispatches of work-groups that are alike.
fn alike(
    batch: &mut Batch,
    recycler: &mut Recycler,
    commands: vk::CommandBuffer,
    launch: &Launch<'_>,
    (plan, pipeline): (&Plan, &Arc<Pipeline>),
    splits: &[Split],
) -> Result<(), RuntimeError> {
    let Launch { kernel, bound, .. } = launch;
    let device = kernel.device();
    batch.keep(pipeline);
    if batch.bound.pipeline(pipeline.raw, kernel.layout) {
        // SAFETY: the command buffer is being recorded under the stream's lock; the batch keeps the pipeline alive.
        unsafe { device.raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw) };
    }
    let by_split = |m: &BlockMember| {
        matches!(
            m.source,
            BlockSource::GroupBase(_) | BlockSource::GlobalIdBase(_) | BlockSource::GlobalIdBaseHigh(_)
        )
    };
    let depends_on_split = splits.len() > 1 && kernel.info.block.members.iter().any(by_split);
    for (index, split) in splits.iter().enumerate() {
        if index == 0 || depends_on_split {
            let block = assemble(kernel, bound, plan, split)?;
            bind_inputs(batch, recycler, kernel, bound, &block)?;
        }
        let [x, y, z] = split.count;
        // SAFETY: pipeline, descriptors and push constants are bound; counts are within the device's limits.
        unsafe { device.raw.cmd_dispatch(commands, x, y, z) };
    }
    Ok(())
}

/// Binds the descriptor set and sets the push constants.
fn bind_inputs(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    block: &[u8],
) -> Result<(), RuntimeError> {
    let device = kernel.device();
    let info = &kernel.info;
    // The argument block's buffer, where it has one.
    let mut block_at = None;
    let mut push: SmallVec<[u8; 128]> = SmallVec::new();
    match info.block.location {
        _ if block.is_empty() => {}
        BlockLocation::PushConstants => push.extend_from_slice(block),
        BlockLocation::StorageBuffer { .. } | BlockLocation::BufferAddress => {
            let align = device.target.limits.min_storage_buffer_offset_alignment;
            let align = align.max(device.target.limits.min_uniform_buffer_offset_alignment);
            let (buffer, offset) = batch.small(recycler, block.len() as u64, align)?;
            device.memory.write(buffer.part()?, offset, block)?;
            if info.block.location == BlockLocation::BufferAddress {
                let base =
                    buffer.address.ok_or_else(|| RuntimeError::bug("the argument block has no address"))?;
                push.extend_from_slice(&(base + offset).to_le_bytes());
            }
            block_at = Some((buffer, offset));
        }
    }
    if !info.descriptors.is_empty() {
        let named = bindables(batch, recycler, kernel, bound, block_at.as_ref(), block.len() as u64)?;
        bind_set(batch, recycler, kernel, &named)?;
    }
    push_constants(batch, kernel, &push);
    Ok(())
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

/// What the kernel's descriptors name.
fn bindables(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    block: Option<&(Arc<BufferInner>, u64)>,
    block_size: u64,
) -> Result<SmallVec<[Bindable; 8]>, RuntimeError> {
    let bug = |what: &str| RuntimeError::bug(format!("kernel '{}': {what}", kernel.info.name));
    let whole = |buffer: Option<&Buffer>| {
        let inner =
            buffer.map(|b| &b.inner).ok_or_else(|| bug("a descriptor for program data that is empty"))?;
        Ok(image_bindings::whole(inner))
    };
    let mut infos = SmallVec::new();
    for descriptor in &kernel.info.descriptors {
        infos.push(match descriptor.source {
            DescriptorSource::Argument(index) => match bound.args.get(index as usize) {
                Some(Bound::Buffer(range)) => Bindable::Buffer(range.buffer.raw, range.offset, range.size),
                Some(Bound::Null) => {
                    // No nullDescriptor below robustness2: something small stands in for NULL.
                    let (dummy, offset) = batch.small(recycler, 256, 256)?;
                    Bindable::Buffer(dummy.raw, offset, 256)
                }
                _ => return Err(bug("a descriptor for an argument that is no buffer")),
            },
            DescriptorSource::ArgumentBlock => {
                let (buffer, offset) =
                    block.ok_or_else(|| bug("a descriptor for an argument block elsewhere"))?;
                Bindable::Buffer(buffer.raw, *offset, block_size)
            }
            DescriptorSource::Constants => whole(bound.blocks.constants.as_ref())?,
            DescriptorSource::Globals => whole(bound.blocks.globals.as_ref())?,
            DescriptorSource::Printf => whole(bound.printf)?,
            DescriptorSource::Sequence => whole(bound.sequence)?,
            DescriptorSource::Window(n) => match packed_bindings::bindable(&bound.windows, n) {
                Some(window) => window,
                // All arguments are NULL.
                None => {
                    let (dummy, offset) = batch.small(recycler, 256, 256)?;
                    Bindable::Buffer(dummy.raw, offset, 256)
                }
            },
            DescriptorSource::Image(_) | DescriptorSource::Sampler(_) => bound
                .view(descriptor.binding)
                .ok_or_else(|| bug("a descriptor for an image or a sampler that is no argument"))?,
        });
    }
    Ok(infos)
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

/// Writes a new set's descriptors. What they name is alive, and stays so while the set is used.
pub(crate) fn fill_set(set: vk::DescriptorSet, kernel: &KernelInner, bound: &[Bindable]) {
    let descriptors = &kernel.info.descriptors;
    let infos: SmallVec<[Info; 8]> = bound.iter().map(Info::of).collect();
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

/// What a write of a descriptor points to.
enum Info {
    Buffer([vk::DescriptorBufferInfo; 1]),
    Image([vk::DescriptorImageInfo; 1]),
    Texels([vk::BufferView; 1]),
}

impl Info {
    fn of(bound: &Bindable) -> Self {
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

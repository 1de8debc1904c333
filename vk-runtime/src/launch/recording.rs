//! Recording of launches into the open batch.

use crate::stream::binding::bind_set;
use crate::stream::binding::push_constants;
use std::sync::Arc;

use ash::vk;
use lower::kernel_info::{BlockLocation, BlockMember, BlockSource, DescriptorSource};
use smallvec::SmallVec;

use crate::device::functions::MemoryBarrier;
use crate::error::RuntimeError;
use crate::image::resource_use::Touch;
use crate::image::resource_use::Use;
use crate::kernel::arguments::{Bound, BoundArgs, assemble};
use crate::kernel::image_bindings::{self, Bindable};
use crate::kernel::ndrange::{Plan, Split};
use crate::kernel::packed_bindings;
use crate::kernel::pipeline_choice::Wish;
use crate::kernel::program::{KernelInner, Pipeline};
use crate::memory::buffer::{Buffer, BufferInner};
use crate::stream::batch::{Batch, Recycler};
use crate::stream::hazards::Stage;
use crate::stream::state::State;

/// A launch that was checked, with its pipeline.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'a Arc<KernelInner>,
    pub(crate) pipeline: Arc<Pipeline>,
    /// The pipeline that it would rather have.
    pub(crate) wish: Option<Wish>,
    pub(crate) bound: BoundArgs<'a>,
    /// The work-groups, or the first of the parts that are alike.
    pub(crate) plan: Plan,
    /// The other parts, each with its pipeline.
    pub(crate) remainders: SmallVec<[(Plan, Arc<Pipeline>); 1]>,
    /// Buffers reached by device addresses, and whether they may be written.
    pub(crate) touches: &'a [Touch<'a>],
    pub(crate) anything: bool,
}

impl Launch<'_> {
    /// Returns what it uses, with the numbers of the arguments that name it.
    pub(crate) fn uses(&self) -> SmallVec<[(Option<u32>, Use<'_>); 8]> {
        let mut uses = self.bound.uses(self.kernel);
        uses.extend(self.touches.iter().map(|touch| (touch.arg, touch.used())));
        uses
    }
}

/// Records a launch: the barrier it needs, its pipeline, and one dispatch per split.
pub(crate) fn dispatch(state: &mut State, launch: &Launch<'_>) -> Result<(), RuntimeError> {
    let splits = launch.plan.splits(launch.kernel.device().target.limits.max_compute_work_group_count);
    dispatch_parts(state, launch, &splits, true)
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
            between_parts(kernel, commands);
            alike(batch, recycler, commands, launch, (plan, pipeline), &plan.splits(max))?;
        }
    }
    Ok(())
}

/// Orders the dispatches of a launch that keeps records of its arguments' memory: they use those through several bindings, as words of 32 and of
/// 64 bits. Other launches need no order between their dispatches.
fn between_parts(kernel: &KernelInner, commands: vk::CommandBuffer) {
    if kernel.info.printf.checks.cells.is_empty() {
        return;
    }
    let barrier = MemoryBarrier {
        src_stages: vk::PipelineStageFlags::COMPUTE_SHADER,
        src_access: vk::AccessFlags::SHADER_WRITE,
        dst_stages: vk::PipelineStageFlags::COMPUTE_SHADER,
        dst_access: vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE,
    };
    kernel.device().barrier(commands, &barrier);
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
            BlockSource::GroupBase(_)
                | BlockSource::GlobalIdBase(_)
                | BlockSource::GlobalIdBaseHigh(_)
                | BlockSource::DispatchSize(_)
        )
    };
    let depends_on_split = splits.len() > 1 && kernel.info.block.members.iter().any(by_split);
    for (index, split) in splits.iter().enumerate() {
        if index > 0 {
            between_parts(kernel, commands);
        }
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

/// Returns what the kernel's descriptors name.
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

//! Recording of launches into the open batch.

use std::sync::Arc;

use ash::vk;
use lower::kernel_info::{ArgKind, BlockMember, BlockPlace, BlockSource, DescriptorKind, DescriptorSource};

use crate::args::{Bound, BoundArgs, assemble};
use crate::batch::{Batch, Recycler};
use crate::buffer::{Buffer, BufferInner};
use crate::error::RuntimeError;
use crate::kernel::{Kernel, KernelInner, Pipeline, descriptor_type};
use crate::ndrange::Plan;
use crate::queue::State;
use crate::timing::TimingSlot;

/// Records a launch: the barrier it needs, its pipeline, and one dispatch per split.
pub(crate) fn dispatch(
    state: &mut State,
    kernel: &Kernel,
    pipeline: &Arc<Pipeline>,
    bound: &BoundArgs<'_>,
    plan: &Plan,
) -> Result<(), RuntimeError> {
    let inner = &kernel.inner;
    let device = inner.device().clone();
    let accesses = bound.accesses(inner);
    let commands = state.command(&accesses)?;
    let (batch, recycler) = state.open()?;
    batch.keep(pipeline);
    batch.keep(inner);
    for (access, arg) in inner.info.args.iter().zip(&bound.args) {
        if let Bound::Buffer(range) = arg {
            batch.keep(range.buffer);
            let written = matches!(access.kind, ArgKind::Buffer { written: true, .. });
            batch.host_reads |= written && range.buffer.part()?.is_mapped();
        }
    }
    for buffer in [&bound.blocks.constants, &bound.blocks.globals].into_iter().flatten() {
        batch.keep(&buffer.inner);
    }
    if let Some(Buffer { inner }) = bound.printf {
        batch.keep(inner);
        batch.host_reads |= inner.part()?.is_mapped();
    }
    // SAFETY: the command buffer is being recorded under the queue's lock; the batch keeps the pipeline alive.
    unsafe { device.raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw) };
    let limits = &device.target.limits;
    let by_split =
        |m: &BlockMember| matches!(m.source, BlockSource::GroupBase(_) | BlockSource::GlobalIdBase(_));
    let depends_on_split = inner.info.block.members.iter().any(by_split);
    for (index, split) in plan.splits(limits.max_compute_work_group_count).iter().enumerate() {
        if index == 0 || depends_on_split {
            let block = assemble(inner, bound, plan, split)?;
            bind_inputs(batch, recycler, inner, bound, &block)?;
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
    let mut push = Vec::new();
    match info.block.place {
        _ if block.is_empty() => {}
        BlockPlace::PushConstants => push.extend_from_slice(block),
        BlockPlace::StorageBuffer { .. } | BlockPlace::BufferAddress => {
            let align = device.target.limits.min_storage_buffer_offset_alignment;
            let align = align.max(device.target.limits.min_uniform_buffer_offset_alignment);
            let (buffer, offset) = batch.small(recycler, block.len() as u64, align)?;
            device.memory.write(buffer.part()?, offset, block)?;
            if info.block.place == BlockPlace::BufferAddress {
                let base =
                    buffer.address.ok_or_else(|| RuntimeError::bug("the argument block has no address"))?;
                push.extend_from_slice(&(base + offset).to_le_bytes());
            }
            block_at = Some((buffer, offset));
        }
    }
    if !info.descriptors.is_empty() {
        let set = write_set(batch, recycler, kernel, bound, block_at.as_ref(), block.len() as u64)?;
        // SAFETY: recording under the queue's lock; the set was made with this layout's set layout and lives as long as
        // the batch.
        unsafe {
            device.raw.cmd_bind_descriptor_sets(
                batch.commands,
                vk::PipelineBindPoint::COMPUTE,
                kernel.layout,
                0,
                &[set],
                &[],
            );
        }
    }
    if !push.is_empty() {
        // SAFETY: recording under the queue's lock; the layout's range is exactly these bytes.
        unsafe {
            device.raw.cmd_push_constants(
                batch.commands,
                kernel.layout,
                vk::ShaderStageFlags::COMPUTE,
                0,
                &push,
            );
        }
    }
    Ok(())
}

/// A descriptor set with everything that the kernel's descriptors name.
fn write_set(
    batch: &mut Batch,
    recycler: &mut Recycler,
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    block: Option<&(Arc<BufferInner>, u64)>,
    block_size: u64,
) -> Result<vk::DescriptorSet, RuntimeError> {
    let bug = |what: &str| RuntimeError::bug(format!("kernel '{}': {what}", kernel.info.name));
    let whole = |buffer: Option<&Buffer>| {
        let inner =
            buffer.map(|b| &b.inner).ok_or_else(|| bug("a descriptor for program data that is empty"))?;
        Ok((inner.raw, 0, inner.bound_size))
    };
    let descriptors = &kernel.info.descriptors;
    let mut infos = Vec::with_capacity(descriptors.len());
    for descriptor in descriptors {
        let (buffer, offset, range) = match descriptor.source {
            DescriptorSource::Argument(index) => match bound.args.get(index as usize) {
                Some(Bound::Buffer(range)) => (range.buffer.raw, range.offset, range.size),
                Some(Bound::Null) => {
                    // No nullDescriptor below robustness2: something small stands in for NULL.
                    let (dummy, offset) = batch.small(recycler, 256, 256)?;
                    (dummy.raw, offset, 256)
                }
                _ => return Err(bug("a descriptor for an argument that is no buffer")),
            },
            DescriptorSource::ArgumentBlock => {
                let (buffer, offset) =
                    block.ok_or_else(|| bug("a descriptor for an argument block elsewhere"))?;
                (buffer.raw, *offset, block_size)
            }
            DescriptorSource::Constants => whole(bound.blocks.constants.as_ref())?,
            DescriptorSource::Globals => whole(bound.blocks.globals.as_ref())?,
            DescriptorSource::Printf => whole(bound.printf)?,
        };
        infos.push([vk::DescriptorBufferInfo { buffer, offset, range }]);
    }
    let storage = descriptors.iter().filter(|d| d.kind == DescriptorKind::StorageBuffer).count();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let set = batch.descriptor_set(
        recycler,
        kernel.set_layout,
        count(storage),
        count(descriptors.len() - storage),
    )?;
    let writes: Vec<_> = descriptors
        .iter()
        .zip(&infos)
        .map(|(d, info)| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(d.binding)
                .descriptor_type(descriptor_type(d.kind))
                .buffer_info(info)
        })
        .collect();
    // SAFETY: the set is new and not in use; buffers are alive (kept by the batch), ranges within them and within the
    // limits (args::check_descriptors).
    unsafe { kernel.device().raw.update_descriptor_sets(&writes, &[]) };
    Ok(set)
}

/// Records a timestamp after everything recorded so far; the first of a pair resets its queries.
pub(crate) fn timestamp(state: &mut State, slot: &Arc<TimingSlot>, second: bool) -> Result<(), RuntimeError> {
    let device = state.device.clone();
    let (batch, _) = state.open()?;
    batch.keep(slot);
    let (pool, query) = (slot.pool.raw, slot.first);
    // SAFETY: recording under the queue's lock, outside a render pass; the batch keeps slot and pool alive; the slot's
    // two queries belong to it alone, and are reset before they are written.
    unsafe {
        if !second {
            device.raw.cmd_reset_query_pool(batch.commands, pool, query, 2);
        }
        device.raw.cmd_write_timestamp(
            batch.commands,
            vk::PipelineStageFlags::BOTTOM_OF_PIPE,
            pool,
            query + u32::from(second),
        );
    }
    Ok(())
}

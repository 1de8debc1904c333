//! Argument block: its layout, and the lowering of the work-item functions that read it.
//!
//! The block holds value arguments, then addresses, then the dispatch's geometry.
//! It is the push constants if it fits there, else a buffer.

use super::context::Context;
use super::{pack, roots::Analysis};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, BuiltinInput, Function, ImageOp, ImageRef, Inst, InstKind, IntCC, KernelArgKind, KernelData,
    MemFlags, Place, Root, Scalar, Type, Value, WorkItem,
};
use crate::kernel_info::{
    ArgumentBlock, BindingModel, BlockLocation, BlockMember, BlockSource, SamplerSource,
};
use crate::passes::language::lower_kernel_args::value_offsets;
use crate::passes::language::lower_workgroup::bits_below;
use crate::target::Target;
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The record of a block, in a batch the batch's header.
pub(super) const RECORD: BlockSource = BlockSource::ArgumentAddress(0);

/// The block with its layout.
#[derive(Debug, Clone)]
pub(super) struct BlockPlan {
    pub block: ArgumentBlock,
}

impl Default for BlockPlan {
    fn default() -> Self {
        let block = ArgumentBlock { size: 0, location: BlockLocation::PushConstants, members: Vec::new() };
        BlockPlan { block }
    }
}

impl BlockPlan {
    /// The byte offset of a member.
    pub fn offset(&self, source: BlockSource) -> Option<u32> {
        self.block.members.iter().find(|m| m.source == source).map(|m| m.offset)
    }

    /// The number of windows.
    pub fn windows(&self) -> u32 {
        self.block.members.iter().filter(|m| matches!(m.source, BlockSource::WindowStart(_))).count() as u32
    }
}

/// The number of image arguments, each with a descriptor.
pub(super) fn images(kernel: &KernelData) -> usize {
    kernel.args.iter().filter(|arg| matches!(arg.kind, KernelArgKind::Image(_))).count()
}

/// Lays out the block of a kernel: value arguments, then addresses, then launch geometry.
pub(super) fn plan(
    kernel: &KernelData,
    f: &Function,
    (analysis, named): (&Analysis, &BTreeSet<Root>),
    (model, shared_base, batch): (BindingModel, bool, bool),
    target: &Target,
) -> BlockPlan {
    let windows = |in_buffer| match model {
        BindingModel::Packed => pack::max_windows(&target.limits, images(kernel), in_buffer),
        _ => 0,
    };
    let mut sources = geometry_sources(f);
    if model != BindingModel::Address {
        // Other models bind a buffer from its start.
        sources.retain(|source| !matches!(source, BlockSource::ArgumentBefore(_)));
    }
    if model != BindingModel::Descriptor {
        sources.extend(address_sources(analysis));
        // No instruction names the printf buffer yet (`resume_loops` will).
        sources.extend(kernel.resumes.and(address_source(Root::Printf)));
    }
    sources.extend(named.iter().filter_map(|r| address_source(*r)));
    if batch {
        sources.insert(RECORD);
    }
    if shared_base && (model == BindingModel::Address || !named.is_empty()) {
        sources.insert(BlockSource::SharedBase);
    }
    let pushed = lay_out(kernel, &sources, windows(false), model);
    if pushed.size <= target.limits.max_push_constants_size {
        return BlockPlan { block: pushed };
    }
    // A remainder guard is not worth a block in a buffer. Without the word it is folded. WebGPU has the block in a buffer anyway.
    if !target.features.wgsl {
        sources.retain(|source| !matches!(source, BlockSource::DispatchSize(_)));
    }
    let unguarded = lay_out(kernel, &sources, windows(false), model);
    if unguarded.size <= target.limits.max_push_constants_size {
        return BlockPlan { block: unguarded };
    }
    let place = match model {
        BindingModel::Address => BlockLocation::BufferAddress,
        _ => BlockLocation::StorageBuffer { binding: kernel.args.len() as u32 },
    };
    BlockPlan { block: ArgumentBlock { location: place, ..lay_out(kernel, &sources, windows(true), model) } }
}

/// The members, as push constants.
fn lay_out(
    kernel: &KernelData,
    sources: &BTreeSet<BlockSource>,
    windows: u32,
    model: BindingModel,
) -> ArgumentBlock {
    let (offsets, mut end) = value_offsets(&kernel.args);
    let mut members: Vec<BlockMember> = Vec::new();
    for (n, (offset, arg)) in offsets.iter().zip(&kernel.args).enumerate() {
        if let (Some(offset), crate::ir::KernelArgKind::Value { size, .. }) = (offset, &arg.kind) {
            members.push(BlockMember {
                offset: *offset,
                size: *size,
                source: BlockSource::Argument(n as u32),
            });
        }
    }
    // BTreeSet order puts addresses before geometry (BlockSource's order of variants).
    let windows = (0..windows).map(BlockSource::WindowStart);
    for source in sources.iter().copied().chain(windows) {
        let size = match source {
            BlockSource::ArgumentAddress(_)
            | BlockSource::ConstantsAddress
            | BlockSource::GlobalsAddress
            | BlockSource::PrintfAddress
                if model == BindingModel::Packed =>
            {
                4
            }
            BlockSource::ArgumentAddress(_)
            | BlockSource::ConstantsAddress
            | BlockSource::GlobalsAddress
            | BlockSource::PrintfAddress
            | BlockSource::SequenceAddress
            | BlockSource::SharedBase
            | BlockSource::ArgumentSize(_)
            | BlockSource::ArgumentBefore(_)
            | BlockSource::ArgumentShadow(_)
            | BlockSource::ArgumentContent(_) => 8,
            _ => 4,
        };
        let offset = end.next_multiple_of(size);
        members.push(BlockMember { offset, size, source });
        end = offset + size;
    }
    ArgumentBlock { size: end, location: BlockLocation::PushConstants, members }
}

/// The addresses of the buffers that the function uses.
pub(super) fn address_sources(analysis: &Analysis) -> BTreeSet<BlockSource> {
    let roots = analysis.info.values().flat_map(|i| i.roots.iter());
    roots.filter_map(|root| address_source(*root)).collect()
}

pub(super) fn address_source(root: Root) -> Option<BlockSource> {
    match root {
        Root::Window(n) => Some(BlockSource::WindowStart(n)),
        Root::Arg(n) => Some(BlockSource::ArgumentAddress(n)),
        Root::Constants => Some(BlockSource::ConstantsAddress),
        Root::Globals => Some(BlockSource::GlobalsAddress),
        Root::Printf => Some(BlockSource::PrintfAddress),
        Root::Sequence => Some(BlockSource::SequenceAddress),
        _ => None,
    }
}

/// The block member that answers an image query.
fn image_source(op: ImageOp, arg: u32) -> Option<BlockSource> {
    match op {
        ImageOp::Size(dim) => Some(BlockSource::ImageSize { arg, dim: dim.into() }),
        ImageOp::Format => Some(BlockSource::ImageFormat(arg)),
        ImageOp::Levels => Some(BlockSource::ImageLevels(arg)),
        _ => None,
    }
}

/// Lowers an image operation. A query reads the block; a sampler is an argument or known. `None` keeps the instruction.
pub(super) fn image(
    rw: &mut Rewriter<'_>,
    inst: Inst,
    cx: &Context<'_>,
) -> Result<Option<Value>, LowerError> {
    let InstKind::Image { op, image: ImageRef::Arg(arg), args } = rw.f.insts[inst].kind.clone() else {
        return Ok(None);
    };
    if let Some(source) = image_source(op, arg) {
        return Ok(Some(member(rw, source, cx)));
    }
    let ImageOp::Filter { sampler: None, level } = op else { return Ok(None) };
    let Some((bits, rest)) = args.split_first() else { return Ok(None) };
    // Coordinates are normalized before this pass.
    let known = rw.f.const_bits(*bits).map(|bits| SamplerSource::Literal(bits as u32 | 1));
    let argument = match rw.f.def_inst(*bits).map(|inst| &inst.kind) {
        Some(InstKind::SamplerBits(arg)) => Some(SamplerSource::Argument(*arg)),
        _ => None,
    };
    let Some(sampler) = known.or(argument) else {
        return Err(cx.not_yet("a sampler that is chosen at run time"));
    };
    let op = ImageOp::Filter { sampler: Some(sampler), level };
    let ty = rw.f.insts[inst].results.first().map_or(Type::I32, |r| rw.f.ty(*r));
    let args = Box::new(SmallVec::from_slice(rest));
    let kind = InstKind::Image { op, image: ImageRef::Arg(arg), args };
    Ok(Some(rw.inst(kind, ty)))
}

/// The bits of a sampler argument.
pub(super) fn sampler(rw: &mut Rewriter<'_>, arg: u32, cx: &Context<'_>) -> Value {
    member(rw, BlockSource::Sampler(arg), cx)
}

/// A member of 64 bits about a pointer argument's memory; 0 if the block does not have it.
pub(super) fn argument_memory(rw: &mut Rewriter<'_>, source: BlockSource, cx: &Context<'_>) -> Value {
    match cx.block.offset(source) {
        Some(offset) => address(rw, offset, cx),
        None => rw.iconst(Type::I64, 0),
    }
}

/// The block members that work-item functions and image queries of the function need.
fn geometry_sources(f: &Function) -> BTreeSet<BlockSource> {
    let mut sources = BTreeSet::new();
    for block in &f.layout {
        for inst in &f.blocks[*block].insts {
            match f.insts[*inst].kind {
                InstKind::WorkItem(item, dim) => sources.extend(sources_of(item, u32::from(dim))),
                InstKind::Image { op, image: ImageRef::Arg(arg), .. } => {
                    sources.extend(image_source(op, arg))
                }
                InstKind::SamplerBits(arg) => {
                    sources.insert(BlockSource::Sampler(arg));
                }
                InstKind::ArgumentBefore(arg) => {
                    sources.insert(BlockSource::ArgumentBefore(arg));
                }
                InstKind::ArgumentShadow(arg) => {
                    sources.insert(BlockSource::ArgumentShadow(arg));
                }
                InstKind::ArgumentContent(arg) => {
                    sources.insert(BlockSource::ArgumentContent(arg));
                }
                InstKind::ArgumentSize(arg) => {
                    sources.insert(BlockSource::ArgumentSize(arg));
                }
                _ => {}
            }
        }
    }
    sources
}

fn sources_of(item: WorkItem, dim: u32) -> Vec<BlockSource> {
    match item {
        WorkItem::GlobalId | WorkItem::GlobalStart => vec![BlockSource::GlobalIdBase(dim)],
        WorkItem::GlobalStartHigh => vec![BlockSource::GlobalIdBaseHigh(dim)],
        WorkItem::GlobalSizeHigh => vec![BlockSource::GlobalSizeHigh(dim)],
        WorkItem::GlobalOffsetHigh => vec![BlockSource::GlobalOffsetHigh(dim)],
        WorkItem::GroupId => vec![BlockSource::GroupBase(dim)],
        WorkItem::GlobalSize => vec![BlockSource::GlobalSize(dim)],
        WorkItem::NumGroups => vec![BlockSource::NumGroups(dim)],
        WorkItem::EnqueuedLocalSize => vec![BlockSource::EnqueuedLocalSize(dim)],
        WorkItem::NumEnqueuedSubgroups => (0..3).map(BlockSource::EnqueuedLocalSize).collect(),
        WorkItem::GlobalOffset => vec![BlockSource::GlobalOffset(dim)],
        WorkItem::WorkDim => vec![BlockSource::WorkDim],
        WorkItem::DispatchSize => vec![BlockSource::DispatchSize(dim)],
        WorkItem::GlobalLinearId => (0..3)
            .flat_map(|d| {
                [BlockSource::GlobalIdBase(d), BlockSource::GlobalOffset(d), BlockSource::GlobalSize(d)]
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A 32-bit word of the block at a constant offset, a multiple of 4.
/// If the block is in a buffer accessed by address, that address is the push constants' first member.
pub(super) fn word(rw: &mut Rewriter<'_>, offset: u32, cx: &Context<'_>) -> Value {
    word_of(rw, offset, cx.block.block.location)
}

fn word_of(rw: &mut Rewriter<'_>, offset: u32, place: BlockLocation) -> Value {
    let flags = MemFlags { align: 4, volatile: false };
    if place == BlockLocation::BufferAddress {
        let base = push_constant_address(rw, 0);
        let offset = rw.iconst(Type::I64, offset.into());
        let address = rw.add(base, offset);
        return rw.load(Place::Address(address), Type::I32, flags);
    }
    push_word(rw, offset)
}

fn push_word(rw: &mut Rewriter<'_>, offset: u32) -> Value {
    let index = rw.iconst(Type::I32, u64::from(offset / 4));
    let place = Place::Element { root: Root::Block, scalar: Scalar::I32, lanes: 1, index };
    rw.load(place, Type::I32, MemFlags { align: 4, volatile: false })
}

/// The 64-bit value at a constant offset of the push constants.
pub(super) fn push_constant_address(rw: &mut Rewriter<'_>, offset: u32) -> Value {
    let parts = [push_word(rw, offset), push_word(rw, offset + 4)];
    let pair = rw.construct(&parts, Type::Vector(Scalar::I32, 2));
    rw.bitcast(pair, Type::I64)
}

/// The 64-bit member at a constant offset of the block.
pub(super) fn address(rw: &mut Rewriter<'_>, offset: u32, cx: &Context<'_>) -> Value {
    address_of(rw, offset, cx.block.block.location)
}

/// The 64-bit member at a constant offset of a block in `place`.
pub(crate) fn address_of(rw: &mut Rewriter<'_>, offset: u32, place: BlockLocation) -> Value {
    let parts = [word_of(rw, offset, place), word_of(rw, offset + 4, place)];
    let pair = rw.construct(&parts, Type::Vector(Scalar::I32, 2));
    rw.bitcast(pair, Type::I64)
}

/// Lowers a work-item function to inputs and words of the block.
pub(super) fn work_item(rw: &mut Rewriter<'_>, item: WorkItem, dim: u8, cx: &Context<'_>) -> Value {
    let d = u32::from(dim);
    match item {
        WorkItem::GlobalId => global_id(rw, dim, cx),
        WorkItem::LocalId => local_id(rw, dim, cx),
        WorkItem::GroupId => {
            let group = input(rw, BuiltinInput::WorkgroupId, dim);
            let base = member(rw, BlockSource::GroupBase(d), cx);
            rw.add(group, base)
        }
        WorkItem::GlobalSize => member(rw, BlockSource::GlobalSize(d), cx),
        WorkItem::GlobalStart => member(rw, BlockSource::GlobalIdBase(d), cx),
        WorkItem::GlobalStartHigh => member(rw, BlockSource::GlobalIdBaseHigh(d), cx),
        WorkItem::GlobalSizeHigh => member(rw, BlockSource::GlobalSizeHigh(d), cx),
        WorkItem::GlobalOffsetHigh => member(rw, BlockSource::GlobalOffsetHigh(d), cx),
        WorkItem::EnqueuedLocalSize => member(rw, BlockSource::EnqueuedLocalSize(d), cx),
        WorkItem::LocalSize => local_size(rw, dim, cx),
        WorkItem::NumGroups => member(rw, BlockSource::NumGroups(d), cx),
        WorkItem::GlobalOffset => member(rw, BlockSource::GlobalOffset(d), cx),
        WorkItem::WorkDim => member(rw, BlockSource::WorkDim, cx),
        WorkItem::DispatchSize => member(rw, BlockSource::DispatchSize(d), cx),
        WorkItem::GlobalLinearId => global_linear_id(rw, cx),
        WorkItem::LocalLinearId => input(rw, BuiltinInput::LocalInvocationIndex, 0),
        WorkItem::SubgroupSize => subgroup_size(rw, cx),
        WorkItem::SubgroupMaxSize => subgroup_max_size(rw, cx),
        WorkItem::SubgroupId => input(rw, BuiltinInput::SubgroupId, 0),
        WorkItem::SubgroupLocalId => input(rw, BuiltinInput::SubgroupLocalInvocationId, 0),
        // Vulkan's own number is not used: Mesa 22.3's llvmpipe leaves out the sub-group that is not full.
        WorkItem::NumSubgroups => {
            let items = work_group_items(rw, cx);
            subgroups_of(rw, items, cx)
        }
        WorkItem::NumEnqueuedSubgroups => {
            let mut items = member(rw, BlockSource::EnqueuedLocalSize(0), cx);
            for dim in 1..3 {
                let size = member(rw, BlockSource::EnqueuedLocalSize(dim), cx);
                items = rw.binary(BinaryOp::IMul, items, size);
            }
            subgroups_of(rw, items, cx)
        }
        WorkItem::SubgroupEqMask
        | WorkItem::SubgroupGeMask
        | WorkItem::SubgroupGtMask
        | WorkItem::SubgroupLeMask
        | WorkItem::SubgroupLtMask => subgroup_mask(rw, item, dim, cx),
    }
}

fn input(rw: &mut Rewriter<'_>, builtin: BuiltinInput, dim: u8) -> Value {
    rw.inst(InstKind::Input(builtin, dim), Type::I32)
}

fn member(rw: &mut Rewriter<'_>, source: BlockSource, cx: &Context<'_>) -> Value {
    match cx.block.offset(source) {
        Some(offset) => word(rw, offset, cx),
        // Functions that are not inlined contain no work-item functions (see `inline`). A remainder guard may have no word.
        None => rw.iconst(Type::I32, 0),
    }
}

/// The number of work-items in the work-group.
fn work_group_items(rw: &mut Rewriter<'_>, cx: &Context<'_>) -> Value {
    let mut items = local_size(rw, 0, cx);
    for dim in 1..3 {
        let size = local_size(rw, dim, cx);
        items = rw.binary(BinaryOp::IMul, items, size);
    }
    items
}

/// The number of sub-groups of `items` work-items.
fn subgroups_of(rw: &mut Rewriter<'_>, items: Value, cx: &Context<'_>) -> Value {
    let size = subgroup_max_size(rw, cx);
    let rest = rw.binary_const(BinaryOp::ISub, items, 1);
    let whole = rw.binary(BinaryOp::UDiv, rest, size);
    rw.binary_const(BinaryOp::IAdd, whole, 1)
}

/// The number of work-items in a full sub-group.
fn subgroup_max_size(rw: &mut Rewriter<'_>, cx: &Context<'_>) -> Value {
    match cx.target.certain_subgroup_size() {
        Some(size) => rw.iconst(Type::I32, size.into()),
        None => input(rw, BuiltinInput::SubgroupSize, 0),
    }
}

/// The number of work-items in this sub-group. The last one may not be full (OpenCL C §6.15.19).
fn subgroup_size(rw: &mut Rewriter<'_>, cx: &Context<'_>) -> Value {
    let items = work_group_items(rw, cx);
    let size = subgroup_max_size(rw, cx);
    let number = input(rw, BuiltinInput::SubgroupId, 0);
    let before = rw.binary(BinaryOp::IMul, number, size);
    let left = rw.binary(BinaryOp::ISub, items, before);
    let least = rw.binary(BinaryOp::UMin, left, size);
    let Some(certain) = cx.target.certain_subgroup_size() else { return least };
    // The driver sees the work-group's size as a constant. This is then a constant too if all sub-groups are full.
    let remainder = rw.binary_const(BinaryOp::And, items, u64::from(certain) - 1);
    let zero = rw.iconst(Type::I32, 0);
    let full = rw.icmp(IntCC::Eq, remainder, zero);
    rw.inst(InstKind::Select(full, size, least), Type::I32)
}

/// A word of a sub-group mask (`get_sub_group_eq_mask` and the like).
fn subgroup_mask(rw: &mut Rewriter<'_>, item: WorkItem, word: u8, cx: &Context<'_>) -> Value {
    let lane = input(rw, BuiltinInput::SubgroupLocalInvocationId, 0);
    let next = rw.binary_const(BinaryOp::IAdd, lane, 1);
    let size = subgroup_max_size(rw, cx);
    let mut below = |end| bits_below(rw, end, word);
    let (less, up_to, all) = (below(lane), below(next), below(size));
    // The bits below an end are a subset of those below a higher end, so xor subtracts.
    match item {
        WorkItem::SubgroupLtMask => less,
        WorkItem::SubgroupLeMask => up_to,
        WorkItem::SubgroupEqMask => rw.binary(BinaryOp::Xor, up_to, less),
        WorkItem::SubgroupGeMask => rw.binary(BinaryOp::Xor, all, less),
        _ => rw.binary(BinaryOp::Xor, all, up_to),
    }
}

/// The local id. In work-groups that are dispatched in one dimension it comes from the index.
fn local_id(rw: &mut Rewriter<'_>, dim: u8, cx: &Context<'_>) -> Value {
    if !cx.linear_groups {
        return input(rw, BuiltinInput::LocalInvocationId, dim);
    }
    let index = input(rw, BuiltinInput::LocalInvocationIndex, 0);
    let mut rest = index;
    for before in 0..dim {
        let size = local_size(rw, before, cx);
        rest = rw.binary(BinaryOp::UDiv, rest, size);
    }
    if dim == 2 {
        return rest;
    }
    let size = local_size(rw, dim, cx);
    let id = rw.binary(BinaryOp::URem, rest, size);
    // The driver sees the sizes as constants. It does not see that the quotient by the last size is already in range.
    let mut later_sizes = local_size(rw, dim + 1, cx);
    for more in dim + 2..3 {
        let size = local_size(rw, more, cx);
        later_sizes = rw.binary(BinaryOp::IMul, later_sizes, size);
    }
    let one = rw.iconst(Type::I32, 1);
    let last = rw.icmp(IntCC::Eq, later_sizes, one);
    rw.inst(InstKind::Select(last, rest, id), Type::I32)
}

/// The size of the work-group. It is a constant if the kernel requires one.
fn local_size(rw: &mut Rewriter<'_>, dim: u8, cx: &Context<'_>) -> Value {
    match cx.local_size {
        Some(size) => rw.iconst(Type::I32, size[usize::from(dim.min(2))].into()),
        None => rw.inst(InstKind::WorkgroupSize(dim), Type::I32),
    }
}

fn global_id(rw: &mut Rewriter<'_>, dim: u8, cx: &Context<'_>) -> Value {
    let id = match cx.linear_groups {
        false => input(rw, BuiltinInput::GlobalInvocationId, dim),
        true => {
            let group = input(rw, BuiltinInput::WorkgroupId, dim);
            let size = local_size(rw, dim, cx);
            let start = rw.binary(BinaryOp::IMul, group, size);
            let local = local_id(rw, dim, cx);
            rw.add(start, local)
        }
    };
    let base = member(rw, BlockSource::GlobalIdBase(dim.into()), cx);
    rw.add(id, base)
}

/// `get_global_linear_id` (OpenCL C §6.15.1): ids without the global offset, row by row.
fn global_linear_id(rw: &mut Rewriter<'_>, cx: &Context<'_>) -> Value {
    let mut linear = rw.iconst(Type::I32, 0);
    for dim in (0..3u8).rev() {
        let size = member(rw, BlockSource::GlobalSize(dim.into()), cx);
        let id = global_id(rw, dim, cx);
        let offset = member(rw, BlockSource::GlobalOffset(dim.into()), cx);
        let relative = rw.inst(InstKind::Binary(BinaryOp::ISub, id, offset), Type::I32);
        let scaled = rw.binary(BinaryOp::IMul, linear, size);
        linear = rw.add(scaled, relative);
    }
    linear
}

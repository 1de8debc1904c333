//! KernelInfo: what was laid out, for the host.

use super::entry::SizeForm;
use super::usage::KernelUse;
use super::{KernelState, Writer};
use crate::analysis::alias::origins::Buffers;
use crate::error::LowerError;
use crate::ir::{ImageType, KernelArgKind, KernelData, KernelPlan, Root, Space, WindowPlan};
use crate::kernel_info::{
    ArgInfo, ArgKind, ArgumentBlock, BindingModel, BlockLocation, BlockSource, DescriptorSource, Emulated,
    ImageAccess, ImageArg, KernelInfo, Windows,
};

/// The largest size of private memory. Vulkan has no limit for it. GPUs have at most some MiB for a work-item, and drivers on CPUs take
/// all the memory of the machine.
const MAX_PRIVATE: u32 = 1 << 28;

impl Writer<'_> {
    pub(super) fn kernel_info(
        &self,
        kernel: &KernelData,
        used: &KernelUse,
        state: &KernelState,
        form: SizeForm,
    ) -> Result<KernelInfo, LowerError> {
        let Some(plan) = &kernel.plan else { return Err(self.bug("a kernel without a plan")) };
        let (local, most) = (state.local_size, self.target.limits.max_compute_shared_memory_size);
        if local > most {
            return Err(self.unsupported(format!("{local} bytes of local memory, of which it has {most}")));
        }
        let private = state.private_size;
        let private_memory_size = match u32::try_from(private) {
            Ok(size) if size <= MAX_PRIVATE => size,
            _ => return Err(self.unsupported(format!("{private} bytes of private memory in each work-item"))),
        };
        let block = block_info(&plan.block, used, state);
        let written = state.addresses.written;
        let args = (0..).zip(&kernel.args).map(|(n, arg)| ArgInfo {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            type_qualifiers: arg.type_qualifiers.clone(),
            kind: match arg.kind {
                KernelArgKind::Value { size, .. } => ArgKind::Value { size },
                KernelArgKind::Image(ImageType { shape, access }) => {
                    let views = state.image_views.get(&n).cloned().unwrap_or_default();
                    ArgKind::Image(ImageArg { shape, access, views })
                }
                KernelArgKind::Sampler => ArgKind::Sampler,
                KernelArgKind::Pointer { space: Space::Local, .. } => local_info(n, state),
                KernelArgKind::Pointer { space, .. } => {
                    let constant = space == Space::Constant;
                    let may_write = written.is_none_or(|some| !some.are_none_of(Buffers::argument(n)));
                    match &plan.windows {
                        Some(windows) => windows.buffer_info(n, constant),
                        None => buffer_info(n, constant, may_write, plan.model, &block, used, state),
                    }
                }
            },
        });
        let args: Vec<ArgInfo> = args.collect();
        Ok(KernelInfo {
            name: kernel.name.clone(),
            binding_model: plan.model,
            noalias: self.module.noalias && plan.windows.is_none() && could_share(&args),
            aligned: state.array_elements.get()
                || plan.model == BindingModel::Address && self.target.features.buffers_below_4_gib,
            args,
            descriptors: state.descriptors.clone(),
            samplers: state.sampler_uses.clone(),
            reqd_work_group_size: kernel.reqd_work_group_size,
            work_group_size_hint: kernel.work_group_size_hint,
            required_sub_groups: kernel.required_sub_groups,
            required_sub_group_size: kernel.required_sub_group_size,
            has_sub_groups: self.module.linear_groups,
            wide: kernel.wide,
            work_group_size_ids: match (form, kernel.reqd_work_group_size) {
                (SizeForm::Literal | SizeForm::Ids, Some(_)) => None,
                _ => Some([0, 1, 2]),
            },
            crossing_id: state.crossing.map(|c| c.1),
            contents_ids: state.contents.iter().map(|(fact, c)| (*fact, c.1)).collect(),
            specialised: state.specialised.values().map(|specialised| specialised.1).collect(),
            emulated: self.emulated(kernel, plan, state),
            windows: plan.windows.as_ref().map(|plan| Windows {
                count: plan.count.min(state.windows()),
                several_id: state.several.map(|c| c.1),
                follows_pointers: plan.follows_pointers,
                stores_pointers: plan.stores_pointers,
            }),
            local_memory_size: state.local_size,
            private_memory_size,
            work_item_loops: self.module.work_item_loops,
            has_barrier: used.has_barrier,
            // Work-items are counted by work-groups where they save what they go on with.
            sees_work_groups: used.sees_work_groups || tells_groups(&block) || kernel.resumes.is_some(),
            watches_loops: kernel.watches_loops,
            resumes: kernel.resumes,
            saved_local: kernel.saved_local,
            iterations: kernel.iterations.clone(),
            batch: kernel.batch,
            printf: kernel.printf.clone(),
            block,
        })
    }
}

impl Writer<'_> {
    /// The emulated features, including those that only the writer knows.
    fn emulated(&self, kernel: &KernelData, plan: &KernelPlan, state: &KernelState) -> Vec<Emulated> {
        let mut all = kernel.emulated.clone();
        if plan.windows.is_some() {
            all.insert(Emulated::Buffers);
        }
        if plan.model == BindingModel::Address && !self.target.features.shader_int64 {
            all.insert(Emulated::Addresses);
        }
        if state.image_views.values().flatten().any(|view| view.bits) {
            all.insert(Emulated::Texels);
        }
        all.into_iter().collect()
    }
}

/// Returns whether the arguments of a launch could alias, with some memory written.
fn could_share(args: &[ArgInfo]) -> bool {
    let (mut buffers, mut images, mut writes) = (0, 0, false);
    for arg in args {
        match &arg.kind {
            ArgKind::Buffer { read, written, .. } => {
                buffers += u32::from(*read || *written);
                writes |= written;
            }
            ArgKind::Image(image) => {
                images += 1;
                writes |= image.access != ImageAccess::ReadOnly;
            }
            _ => {}
        }
    }
    writes && buffers > 0 && buffers + images > 1
}

/// The argument block with its real binding; empty when the kernel never reads it.
fn block_info(planned: &ArgumentBlock, used: &KernelUse, state: &KernelState) -> ArgumentBlock {
    if !used.roots.contains_key(&Root::Block) {
        return ArgumentBlock { size: 0, location: BlockLocation::PushConstants, members: Vec::new() };
    }
    let mut block = planned.clone();
    if let BlockLocation::StorageBuffer { binding } = &mut block.location {
        *binding = state.binding_of(DescriptorSource::ArgumentBlock).unwrap_or(*binding);
    }
    block
}

/// Returns whether the argument block has facts about work-groups.
fn tells_groups(block: &ArgumentBlock) -> bool {
    let shows = |source: BlockSource| {
        matches!(
            source,
            BlockSource::NumGroups(_) | BlockSource::GroupBase(_) | BlockSource::EnqueuedLocalSize(_)
        )
    };
    block.members.iter().any(|m| shows(m.source))
}

fn local_info(arg: u32, state: &KernelState) -> ArgKind {
    match state.local_args.get(&arg) {
        Some((spec_id, unit)) => ArgKind::Local { spec_id: Some(*spec_id), unit: *unit, align: *unit },
        None => ArgKind::Local { spec_id: None, unit: 1, align: 1 },
    }
}

fn buffer_info(
    arg: u32,
    constant: bool,
    may_write: bool,
    model: BindingModel,
    block: &ArgumentBlock,
    used: &KernelUse,
    state: &KernelState,
) -> ArgKind {
    match model {
        BindingModel::Descriptor | BindingModel::Packed => {
            let memory = used.roots.get(&Root::Arg(arg));
            ArgKind::Buffer {
                constant,
                written: memory.is_some_and(|m| m.written),
                read: memory.is_some_and(|m| m.read),
                binding: state.binding_of(DescriptorSource::Argument(arg)),
            }
        }
        // An address that is loaded says nothing of where it came from: the kernel may read any buffer that it has.
        BindingModel::Address => {
            let passed = block.members.iter().any(|m| m.source == BlockSource::ArgumentAddress(arg));
            ArgKind::Buffer {
                constant,
                written: passed && !constant && may_write && used.addresses.written,
                read: passed && used.addresses.read,
                binding: state.binding_of(DescriptorSource::Argument(arg)),
            }
        }
    }
}

impl WindowPlan {
    /// The kind of an argument's buffer in the packed model.
    fn buffer_info(&self, arg: u32, constant: bool) -> ArgKind {
        let (read, written) = (self.read.contains(&arg), self.written.contains(&arg));
        ArgKind::Buffer { constant, written, read, binding: None }
    }
}

impl KernelState {
    /// How many windows are bound.
    fn windows(&self) -> u32 {
        self.descriptors.iter().filter(|d| matches!(d.source, DescriptorSource::Window(_))).count() as u32
    }

    fn binding_of(&self, source: DescriptorSource) -> Option<u32> {
        self.descriptors.iter().find(|d| d.source == source).map(|d| d.binding)
    }
}

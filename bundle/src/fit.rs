//! Which variant of a bundle a device gets.
//!
//! A variant **fits** if its module is valid on the device and right there: the device has what the module asks for and what its
//! kernels need of the limits, the faults of its driver are avoided, and what the Target promised beyond features holds. The
//! fitting variant is chosen whose Target is most like the device; of several the first.

use std::fmt::Write;

use lower::kernel_info::{
    ArgKind, BindingModel, BlockLocation, BlockMember, BlockSource, DescriptorKind, ImageView, ImageViewKind,
};
use lower::{KernelInfo, Target};

use crate::{Bundle, Variant};

impl Bundle {
    /// The best variant for a device.
    ///
    /// # Errors
    /// None fits: for each, what the device lacks.
    pub fn choose(&self, device: &Target) -> Result<&Variant, String> {
        let mut best: Option<(usize, &Variant)> = None;
        let mut why = format!("the bundle has nothing for '{}'", device.name);
        for variant in &self.variants {
            if let Some(lack) = variant.unfit(device) {
                let _ = write!(why, "; what was made for '{}' needs {lack}", variant.target.name);
                continue;
            }
            let unlike = differences(&variant.target, device);
            if best.is_none_or(|(least, _)| unlike < least) {
                best = Some((unlike, variant));
            }
        }
        best.map(|(_, variant)| variant).ok_or(why)
    }
}

impl Variant {
    /// Why it does not fit a device; `None` if it does.
    #[must_use]
    pub fn unfit(&self, device: &Target) -> Option<String> {
        let own = &self.target;
        if let Some(lack) = self.needs.lacking(device) {
            return Some(lack);
        }
        if let Some(quirk) = own.quirks.wrong_on(&device.quirks) {
            return Some(format!(
                "a driver like its own (--driver of 'pumice compile' names it); they differ in this: {}",
                quirk.description.trim_end_matches('.')
            ));
        }
        let subgroups = self.needs.subgroup_operations != 0;
        let addresses = self.lowered.kernels.iter().any(|k| k.binding_model == BindingModel::Address);
        if own.features.buffers_below_4_gib && !device.features.buffers_below_4_gib && addresses {
            return Some("that no buffer is larger than 4 GiB".to_owned());
        }
        // Pointers that are kept mean other addresses there.
        let keeps = self.lowered.kernels.iter().any(|k| {
            let named = |m: &BlockMember| matches!(m.source, BlockSource::ArgumentAddress(_));
            k.binding_model == BindingModel::Address || k.block.members.iter().any(named)
        });
        if own.features.shared_base != device.features.shared_base && keeps {
            return Some("shared virtual memory in another way (or --binding descriptor)".to_owned());
        }
        let of_size = |k: &KernelInfo| {
            k.required_sub_groups.or(k.required_sub_group_size).is_some() || k.has_sub_groups
        };
        let subgroups = subgroups || self.lowered.kernels.iter().any(of_size);
        if subgroups && own.limits.subgroup_size != device.limits.subgroup_size {
            return Some(format!("sub-groups of {}", own.limits.subgroup_size));
        }
        let certain = |target: &Target| target.certain_subgroup_size_in(own.spirv_version());
        if subgroups && certain(own) != certain(device) && certain(own).is_some() {
            return Some(format!("sub-groups of {} alone", own.limits.subgroup_size));
        }
        // Some things in a module have as many places as a work-group may have work-items.
        let counted = self.traits.group_functions || subgroups || device.quirks.max_iterations.is_some();
        let (items, there) =
            (own.limits.max_compute_work_group_invocations, device.limits.max_compute_work_group_invocations);
        if counted && there > items {
            return Some(format!("work-groups of at most {items} work-items"));
        }
        self.lowered.kernels.iter().find_map(|kernel| kernel_unfit(kernel, device))
    }
}

/// Why a kernel does not fit a device's limits.
fn kernel_unfit(kernel: &KernelInfo, device: &Target) -> Option<String> {
    let open = |v: &ImageView| v.kind == ImageViewKind::TexelStorage && !v.bits;
    let images = kernel.args.iter().filter_map(|a| match &a.kind {
        ArgKind::Image(image) => Some(image),
        _ => None,
    });
    if device.features.texel_buffers_need_format && images.flat_map(|i| &i.views).any(open) {
        return Some("texel buffers without a format".to_owned());
    }
    let limits = &device.limits;
    let push = match kernel.block.location {
        _ if kernel.block.size == 0 => 0,
        BlockLocation::PushConstants => kernel.block.size,
        BlockLocation::BufferAddress => 8,
        BlockLocation::StorageBuffer { .. } => 0,
    };
    let count = |kind| kernel.descriptors.iter().filter(|d| d.kind == kind).count() as u64;
    let required = match kernel.work_item_loops {
        Some(launched) => [launched, 1, 1],
        None => kernel.reqd_work_group_size.unwrap_or([1; 3]),
    };
    let items: u64 = required.iter().map(|n| u64::from(*n)).product();
    let rows = [
        (u64::from(push), limits.max_push_constants_size, "maxPushConstantsSize"),
        (
            u64::from(kernel.local_memory_size),
            limits.max_compute_shared_memory_size,
            "maxComputeSharedMemorySize",
        ),
        (items, limits.max_compute_work_group_invocations, "maxComputeWorkGroupInvocations"),
        (
            count(DescriptorKind::StorageBuffer),
            limits.max_per_stage_descriptor_storage_buffers,
            "maxPerStageDescriptorStorageBuffers",
        ),
        (
            count(DescriptorKind::UniformBuffer),
            limits.max_per_stage_descriptor_uniform_buffers,
            "maxPerStageDescriptorUniformBuffers",
        ),
        (
            count(DescriptorKind::SampledImage) + count(DescriptorKind::UniformTexelBuffer),
            limits.max_per_stage_descriptor_sampled_images,
            "maxPerStageDescriptorSampledImages",
        ),
        (
            count(DescriptorKind::StorageImage) + count(DescriptorKind::StorageTexelBuffer),
            limits.max_per_stage_descriptor_storage_images,
            "maxPerStageDescriptorStorageImages",
        ),
        (
            count(DescriptorKind::Sampler),
            limits.max_per_stage_descriptor_samplers,
            "maxPerStageDescriptorSamplers",
        ),
        (
            kernel.descriptors.iter().filter(|d| d.kind != DescriptorKind::Sampler).count() as u64,
            limits.max_per_stage_resources,
            "maxPerStageResources",
        ),
    ];
    let short = rows.into_iter().find(|(need, has, _)| *need > u64::from(*has));
    let short = short.map(|(need, _, name)| format!("{name} of {need} for kernel '{}'", kernel.name));
    let sizes = required.iter().zip(limits.max_compute_work_group_size);
    short.or_else(|| {
        let large = sizes.into_iter().any(|(need, has)| *need > has);
        large.then(|| format!("maxComputeWorkGroupSize of {required:?} for kernel '{}'", kernel.name))
    })
}

/// In how many features and quirks two Targets differ; whether one is a processor counts most.
fn differences(a: &Target, b: &Target) -> usize {
    let members = |target: &Target| {
        let features = serde_json::to_value(&target.features).ok();
        let quirks = serde_json::to_value(&target.quirks).ok();
        [features, quirks].map(|v| v.and_then(|v| v.as_object().cloned()).unwrap_or_default())
    };
    let different: usize = members(a)
        .iter()
        .zip(&members(b))
        .map(|(a, b)| a.iter().filter(|(name, value)| b.get(*name) != Some(value)).count())
        .sum();
    different + if a.features.is_cpu == b.features.is_cpu { 0 } else { 1000 }
}

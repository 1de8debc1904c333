//! Work-group and sub-group builtin lowering: collective functions become sub-group operations of the target and shared memory.
//!
//! ```text
//! work_group_reduce_add(x)
//!     →    partial = sub_group_reduce_add(x);  shared[sub_group_id] = partial;  barrier;  sum of shared[0 … sub_groups - 1]
//! ```
//!
//! | builtin | lowering |
//! |---|---|
//! | work-group functions | results of sub-groups, combined in `__local` memory ([`workgroup`]); `__local` memory only, if the target has no sub-groups or the kernel gets work-item loops ([`work_item_loops`]) |
//! | exchanges of values of any type | exchanges of 32-bit words |
//! | reductions and scans of 8, 16 bits and bools | those of 32 bits |
//! | operations that the target lacks (shuffles, clusters, reductions of 64 bits) | broadcasts of each member's value ([`subgroup`]); `__local` memory if it has no broadcasts and ballots ([`subgroups_in_shared_memory`]) |
//! | bits of ballots | arithmetic |
//! | scans of all members, if the driver's are slow ([`slow_scans`](crate::quirks::Quirks::slow_scans)) | steps of shuffles |
//!
//! Vulkan does not say which work-items are in which sub-group.
//! If a kernel of the module uses sub-groups, work-groups are therefore dispatched in one dimension ([`Module::linear_groups`]).
//! All known drivers then take work-items in order, and only the last sub-group may not be full, as OpenCL C §6.15.19 requires.
//! The ids in each dimension come from the index in the work-group.
//!
//! Only sub-group operations of the kinds and types that the target has are left after the pass.

mod cells;
mod part;
mod subgroup;
mod subgroups_in_shared_memory;
#[cfg(test)]
mod tests;
mod workgroup;

pub(crate) use part::bits_below;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Function, InstKind, Module, WorkItem};
use crate::passes::legalize::work_item_loops;
use crate::target::MAX_WORK_GROUP_SIZE;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] if the target has no sub-groups and a kernel uses them.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    if !module.functions.values().any(has_groups) {
        return Ok(());
    }
    let in_loops = work_item_loops::launched(module, cx).is_some();
    let device = cx.target.limits.max_compute_work_group_invocations;
    let max_items = match cx.options.single_vector {
        Some(items) => items.max(1),
        None if in_loops => device.max(MAX_WORK_GROUP_SIZE),
        None => device,
    };
    workgroup::run(module, cx.target, (in_loops, max_items))?;
    subgroup::run(module, (cx.target, max_items))?;
    module.linear_groups = module.functions.values().any(has_subgroups);
    Ok(())
}

fn any(f: &Function, is: impl Fn(&InstKind) -> bool) -> bool {
    f.layout.iter().flat_map(|b| &f.blocks[*b].insts).any(|i| is(&f.insts[*i].kind))
}

fn has_groups(f: &Function) -> bool {
    any(f, |kind| matches!(kind, InstKind::Group { .. })) || has_subgroups(f)
}

/// Returns whether a function uses sub-groups. Work-group operations are already lowered.
fn has_subgroups(f: &Function) -> bool {
    any(f, |kind| match kind {
        InstKind::Group { .. } => true,
        InstKind::WorkItem(item, _) => is_subgroup(*item),
        _ => false,
    })
}

/// Returns whether a work-item function is about sub-groups.
fn is_subgroup(item: WorkItem) -> bool {
    use WorkItem::*;
    matches!(
        item,
        SubgroupSize
            | SubgroupMaxSize
            | NumSubgroups
            | SubgroupId
            | SubgroupLocalId
            | NumEnqueuedSubgroups
            | SubgroupEqMask
            | SubgroupGeMask
            | SubgroupGtMask
            | SubgroupLeMask
            | SubgroupLtMask
    )
}

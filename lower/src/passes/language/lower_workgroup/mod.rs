//! Work-group and sub-group builtin lowering: collective functions become sub-group operations of the Target and shared memory.
//!
//! What the members of a group compute together becomes what the Target has.
//!
//! | | by |
//! |---|---|
//! | work-group functions | sub-groups' results that meet in `__local` memory ([`workgroup`]); `__local` memory alone where the Target has no sub-groups, or work-groups run in pieces ([`work_item_loops`](crate::passes::legalize::work_item_loops)) |
//! | values of any type that are handed over | 32-bit words |
//! | reductions and scans of 8, 16 bits and bools | those of 32 bits |
//! | what the Target lacks (shuffles, clusters, reductions of 64 bits) | broadcasts of each member's value ([`subgroup`]); `__local` memory where it has no broadcasts and ballots ([`subgroups_in_shared_memory`]) |
//! | ballots' bits | arithmetic |
//! | scans of all members, where the driver's are slow ([`slow_scans`](crate::quirks::Quirks::slow_scans)) | steps of shuffles |
//!
//! Vulkan does not say which work-items are in which sub-group. So where a kernel of the module has sub-groups, work-groups are
//! launched in one dimension ([`Module::flat`]): all drivers that are known take work-items in order then, and only the last
//! sub-group is not full, as OpenCL C §6.15.19 wants. The ids in each dimension come from the index in the work-group.
//!
//! After the pass only sub-groups' operations are left, of the kinds and types that the Target has.

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

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] where the Target has no sub-groups and a kernel uses them.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    if !module.functions.values().any(has_groups) {
        return Ok(());
    }
    let in_pieces = work_item_loops::launched(module, cx).is_some();
    let device = cx.target.limits.max_compute_work_group_invocations;
    let most = if in_pieces { device.max(work_item_loops::LARGEST) } else { device };
    workgroup::run(module, cx.target, (in_pieces, most))?;
    subgroup::run(module, (cx.target, most))?;
    module.flat = module.functions.values().any(has_subgroups);
    Ok(())
}

fn any(f: &Function, is: impl Fn(&InstKind) -> bool) -> bool {
    f.layout.iter().flat_map(|b| &f.blocks[*b].insts).any(|i| is(&f.insts[*i].kind))
}

fn has_groups(f: &Function) -> bool {
    any(f, |kind| matches!(kind, InstKind::Group { .. })) || has_subgroups(f)
}

/// Whether a function sees sub-groups; work-groups' operations are gone.
fn has_subgroups(f: &Function) -> bool {
    any(f, |kind| match kind {
        InstKind::Group { .. } => true,
        InstKind::WorkItem(item, _) => is_subgroup(*item),
        _ => false,
    })
}

/// Whether it tells something of sub-groups.
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

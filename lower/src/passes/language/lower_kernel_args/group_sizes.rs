//! Known group sizes: required work-group sizes and a fixed sub-group size become constants.
//!
//! Loops over sub-groups then have known ends, and no code tests whether a sub-group is full.
//!
//! ```text
//! __attribute__((reqd_work_group_size(64, 1, 1)))    get_local_size(0) → 64
//! ```
//!
//! If work-groups may be non-uniform ([`Module::non_uniform`]), the last ones of a launch are smaller than required. Only the enqueued
//! size is then known.

use crate::ir::{Function, Inst, InstKind, Type, WorkItem};
use crate::target::Target;
use crate::transform::rewriter::replace_results;

/// Replaces the sizes that are known in a kernel's function.
pub(super) fn fold(f: &mut Function, required: Option<[u32; 3]>, non_uniform: bool, target: &Target) {
    let known = Known { required, non_uniform, sub_group: target.certain_subgroup_size() };
    let size = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::WorkItem(item, dim) => known.value_of(item, dim),
        _ => None,
    };
    replace_results(
        f,
        |f, inst| size(f, inst).is_some(),
        |rw, inst| size(rw.f, inst).map(|size| rw.iconst(Type::I32, size.into())),
    );
}

/// The known sizes of a kernel's groups.
#[derive(Clone, Copy)]
struct Known {
    required: Option<[u32; 3]>,
    non_uniform: bool,
    sub_group: Option<u32>,
}

impl Known {
    /// The constant value of a group query, if it has one.
    fn value_of(&self, item: WorkItem, dim: u8) -> Option<u32> {
        let whole = self.required.filter(|_| !self.non_uniform);
        let items = |size: [u32; 3]| size.iter().try_fold(1u32, |items, n| items.checked_mul(*n));
        let most = self.required.and_then(items);
        let exact = most.filter(|_| !self.non_uniform);
        match item {
            WorkItem::EnqueuedLocalSize => self.required?.get(usize::from(dim)).copied(),
            WorkItem::LocalSize => whole?.get(usize::from(dim)).copied(),
            WorkItem::SubgroupMaxSize => self.sub_group,
            WorkItem::SubgroupSize => {
                let (size, items) = (self.sub_group?, exact?);
                (items.is_multiple_of(size) || items < size).then_some(size.min(items))
            }
            WorkItem::SubgroupId => (most? <= self.sub_group?).then_some(0),
            WorkItem::NumSubgroups if most? <= self.sub_group? => Some(1),
            WorkItem::NumSubgroups => Some(exact?.div_ceil(self.sub_group?)),
            WorkItem::NumEnqueuedSubgroups => Some(most?.div_ceil(self.sub_group?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::pipeline::run_pass;
    use crate::target::SubgroupOperations as Has;
    use crate::{LowerOptions, Target};

    /// The constants that replace the queries of a kernel with a required size (or none), on a device with these sub-group sizes.
    fn answers(required: &str, non_uniform: bool, sizes: [u32; 2]) -> Vec<Option<u64>> {
        const ASKED: [&str; 8] = [
            "localsize 0",
            "localsize 2",
            "enqueuedlocalsize 1",
            "subgroupsize 0",
            "subgroupmaxsize 0",
            "numsubgroups 0",
            "numenqueuedsubgroups 0",
            "subgroupid 0",
        ];
        let end = if non_uniform { " non_uniform" } else { "" };
        let mut text = format!(
            "module read bits=64{end}\nkernel \"k\" f0{required}\n  arg \"p\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n\
             b0(v100: ptr.global):\n"
        );
        for (n, asked) in ASKED.iter().enumerate() {
            text += &format!("  v{n}: i32 = workitem.{asked}\n");
        }
        for n in 0..ASKED.len() {
            text += &format!("  store [v100], v{n}, align=4\n");
        }
        let mut module = parse(&(text + "  return()\n")).unwrap_or_else(|e| panic!("{e}"));
        let mut target = Target::minimum();
        target.api_version = (1, 3);
        target.limits.subgroup_size = 32;
        target.limits.required_subgroup_sizes = sizes;
        target.features.subgroup_operations = (Has::BASIC | Has::BALLOT).bits();
        run_pass("lower_kernel_args", &mut module, &target, &LowerOptions::default()).expect("runs");
        let text = module.to_string();
        let stored = text.lines().filter_map(|l| l.trim().strip_prefix("store ")?.split(", ").nth(1));
        stored.map(|v| v.strip_prefix("i32:").and_then(|n| n.parse().ok())).collect()
    }

    #[test]
    fn sizes_are_constants_where_they_are_known() {
        let one = [32, 32];
        let all = |numbers: [u64; 8]| numbers.map(Some).to_vec();
        assert_eq!(answers(" reqd=(8, 2, 2)", false, one), all([8, 2, 2, 32, 32, 1, 1, 0]));
        assert_eq!(answers(" reqd=(31, 1, 1)", false, one), all([31, 1, 1, 31, 32, 1, 1, 0]));
        let mut sizes = all([33, 1, 1, 0, 32, 2, 2, 0]);
        (sizes[3], sizes[7]) = (None, None);
        assert_eq!(answers(" reqd=(33, 1, 1)", false, one), sizes, "the last one is not full");
        sizes = all([64, 1, 1, 32, 32, 2, 2, 0]);
        sizes[7] = None;
        assert_eq!(answers(" reqd=(64, 1, 1)", false, one), sizes);
        (sizes[0], sizes[1], sizes[3], sizes[5]) = (None, None, None, None);
        assert_eq!(answers(" reqd=(64, 1, 1)", true, one), sizes, "work-groups may be cut off");
        assert_eq!(answers("", false, one), [None, None, None, None, Some(32), None, None, None]);
        // Several sub-group sizes, and none is required.
        let unknown = [Some(64), Some(1), Some(1), None, None, None, None, None];
        assert_eq!(answers(" reqd=(64, 1, 1)", false, [8, 32]), unknown);
    }
}

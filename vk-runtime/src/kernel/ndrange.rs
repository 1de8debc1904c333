//! NDRanges: checks, the automatic work-group size, and the split into dispatches.
//!
//! All pure arithmetic. OpenCL API specification, "Executing Kernels" (clEnqueueNDRangeKernel).

use lower::target::TargetLimits;
use smallvec::SmallVec;

use crate::error::{RuntimeError, UserError};
use crate::kernel::work_group_sizes;
use lower::iterations::LaunchFacts;

/// The index space of one launch. Unused dimensions have size 1 and offset 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NdRange {
    /// The number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// The first value of get_global_id.
    pub global_offset: [u64; 3],
    /// The number of work-items in each dimension.
    pub global_size: [u64; 3],
    /// The work-group's size; `None` lets the runtime choose.
    pub local_size: Option<[u64; 3]>,
    /// The work-group's size need not divide the global size: what is left over in a dimension makes smaller work-groups.
    pub non_uniform: bool,
    /// The work-group's size is the runtime's choice ([`Queue::work_group_size`](crate::Queue::work_group_size)) for a launch without one.
    pub chosen: bool,
}

impl NdRange {
    /// One dimension, offset 0, work-group size chosen by the runtime.
    #[must_use]
    pub fn new_1d(x: u64) -> Self {
        NdRange {
            work_dim: 1,
            global_offset: [0; 3],
            global_size: [x, 1, 1],
            local_size: None,
            non_uniform: false,
            chosen: false,
        }
    }

    /// From slices, as a command line or clEnqueueNDRangeKernel has them. `None` when the slices'
    /// lengths differ or are not 1 to 3; sizes are checked at the launch.
    #[must_use]
    pub fn from_slices(global: &[u64], local: Option<&[u64]>, offset: Option<&[u64]>) -> Option<Self> {
        let dims = global.len();
        let fits = |s: Option<&[u64]>| s.is_none_or(|s| s.len() == dims);
        if !(1..=3).contains(&dims) || !fits(local) || !fits(offset) {
            return None;
        }
        let pad = |s: &[u64], rest: u64| {
            let mut out = [rest; 3];
            for (o, v) in out.iter_mut().zip(s) {
                *o = *v;
            }
            out
        };
        Some(NdRange {
            work_dim: u32::try_from(dims).ok()?,
            global_offset: offset.map_or([0; 3], |o| pad(o, 0)),
            global_size: pad(global, 1),
            local_size: local.map(|l| pad(l, 1)),
            non_uniform: false,
            chosen: false,
        })
    }

    /// Returns what a launch of it tells of its kernel's loops. `argument`: the bytes of an argument that is a value.
    pub(crate) fn facts<'a>(&self, argument: &'a dyn Fn(u32) -> Option<&'a [u8]>) -> LaunchFacts<'a> {
        let divides = |local: &[u64; 3]| {
            self.global_size
                .iter()
                .zip(local)
                .all(|(global, local)| *local != 0 && global.is_multiple_of(*local))
        };
        LaunchFacts {
            argument,
            global: self.global_size,
            offset: self.global_offset,
            local: self.local_size.filter(divides),
        }
    }

    /// With this work-group size.
    #[must_use]
    pub fn with_local(mut self, local: [u64; 3]) -> Self {
        self.local_size = Some(local);
        self
    }

    /// With work-groups that may be smaller at the ends.
    #[must_use]
    pub fn with_remainders(mut self, may: bool) -> Self {
        self.non_uniform = may;
        self
    }

    /// With this global offset.
    #[must_use]
    pub fn with_offset(mut self, offset: [u64; 3]) -> Self {
        self.global_offset = offset;
        self
    }
}

/// An NDRange with its work-group size settled, or the part of one whose work-groups are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) work_dim: u32,
    pub(crate) offset: [u64; 3],
    pub(crate) global: [u64; 3],
    /// The work-group size that was asked for.
    pub(crate) enqueued: [u32; 3],
    /// That of this part.
    pub(crate) local: [u32; 3],
    /// Work-groups of this part.
    pub(crate) groups: [u32; 3],
    /// The first of them.
    pub(crate) first: [u32; 3],
    /// The last work-groups may reach beyond the NDRange: the kernel cuts off what is there.
    pub(crate) cut: bool,
}

/// One vkCmdDispatch of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// The first work-group.
    pub(crate) base: [u32; 3],
    /// How many work-groups.
    pub(crate) count: [u32; 3],
}

/// Goes through a plan's work-groups in parts of any size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    groups: [u32; 3],
    max: [u32; 3],
    at: [u32; 3],
}

impl Cursor {
    pub(crate) fn new(plan: &Plan, max: [u32; 3]) -> Self {
        Cursor { groups: plan.groups, max: plan.at_once(max), at: [0; 3] }
    }

    /// Returns whether nothing is left.
    pub(crate) fn is_done(&self) -> bool {
        self.at[2] >= self.groups[2]
    }

    /// The next part, of about `wish` work-groups and never more (but at least one): a box of whole slices, of whole
    /// rows, or of a piece of a row.
    pub(crate) fn next(&mut self, wish: u64) -> Option<Split> {
        let [gx, gy, gz] = self.groups;
        let [x, y, z] = self.at;
        if z >= gz {
            return None;
        }
        let fit =
            |wish: u64, left: u32, max: u32| u32::try_from(wish).unwrap_or(u32::MAX).clamp(1, left).min(max);
        let (row, slice) = (u64::from(gx), u64::from(gx) * u64::from(gy));
        let rows_fit = x == 0 && gx <= self.max[0] && wish >= row;
        let count = if rows_fit && y == 0 && gy <= self.max[1] && wish >= slice {
            [gx, gy, fit(wish / slice, gz - z, self.max[2])]
        } else if rows_fit {
            [gx, fit(wish / row, gy - y, self.max[1]), 1]
        } else {
            [fit(wish, gx - x, self.max[0]), 1, 1]
        };
        self.at = if count[0] < gx && x + count[0] < gx {
            [x + count[0], y, z]
        } else if count[1] < gy && y + count[1] < gy {
            [0, y + count[1], z]
        } else {
            [0, 0, z + count[2]]
        };
        Some(Split { base: [x, y, z], count })
    }
}

impl Split {
    /// Its work-groups.
    pub(crate) fn total(&self) -> u64 {
        self.count.iter().map(|&c| u64::from(c)).product()
    }
}

/// A kernel's demands on its work-group.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// reqd_work_group_size.
    pub(crate) required: Option<[u32; 3]>,
    /// work_group_size_hint.
    pub(crate) hint: Option<[u32; 3]>,
    /// This many sub-groups a work-group must have.
    pub(crate) sub_groups: Option<u32>,
    /// Global ids have 64 bits.
    pub(crate) wide: bool,
    /// It has work-item loops: work-groups may be larger than the device's.
    pub(crate) work_item_loops: bool,
    /// The module has the required size as a constant: it takes no smaller work-groups.
    pub(crate) fixed: bool,
    /// The dimensions in which it cuts off work-items beyond the NDRange ([`lower::KernelInfo::guarded`]).
    pub(crate) guarded: [bool; 3],
}

impl Plan {
    /// Checks an NDRange and settles its work-group size.
    pub(crate) fn new(range: &NdRange, wishes: Wishes, limits: &TargetLimits) -> Result<Plan, RuntimeError> {
        let natural = limits;
        let looped = wishes.work_item_loops.then(|| larger(limits));
        let limits = looped.as_ref().unwrap_or(limits);
        let dims = range.work_dim;
        if !(1..=3).contains(&dims) {
            return Err(user(
                UserError::InvalidWorkDimension,
                format!("work dimension {dims}: only 1, 2 and 3"),
            ));
        }
        let (mut offset, mut global) = ([0u64; 3], [1u64; 3]);
        let most = if wishes.wide { u64::MAX } else { u64::from(u32::MAX) };
        for d in 0..dims as usize {
            let (size, start) = (range.global_size[d], range.global_offset[d]);
            if !(1..=most).contains(&size) {
                let text = format!("global size {size} in dimension {d}: 1 to {most} are possible");
                return Err(user(UserError::InvalidGlobalWorkSize, text));
            }
            // The last id, offset + size - 1, must fit.
            if start.checked_add(size).is_none_or(|end| end - 1 > most) {
                let text =
                    format!("global offset {start} plus size {size} in dimension {d} is above {most} + 1");
                return Err(user(UserError::InvalidGlobalOffset, text));
            }
            (global[d], offset[d]) = (size, start);
        }
        let uniform = !range.non_uniform || wishes.fixed;
        let guarded = wishes.guarded;
        let local = match (range.local_size, wishes.required) {
            (Some(local), required) => {
                let divides = [0, 1, 2].map(|d| uniform && !(range.chosen && guarded[d]));
                given_local(local, required, dims, (&global, divides), limits)?
            }
            (None, Some(required)) => {
                given_local(required.map(u64::from), None, dims, (&global, [uniform; 3]), limits)?
            }
            (None, None) => match wishes.sub_groups {
                Some(count) => {
                    let items = u64::from(count) * u64::from(limits.subgroup_size.max(1));
                    given_local([items, 1, 1], None, dims, (&global, [uniform; 3]), limits)?
                }
                None if guarded != [false; 3] => {
                    work_group_sizes::few(&global, wishes.hint, guarded, natural)
                }
                None => work_group_sizes::dividing(&global, wishes.hint, uniform, natural),
            },
        };
        if let Some(count) = wishes.sub_groups {
            let made = local.iter().product::<u32>().div_ceil(limits.subgroup_size.max(1));
            if made != count {
                let text =
                    format!("work-group size {local:?}: {made} sub-groups; the kernel requires {count}");
                return Err(user(UserError::InvalidWorkGroupSize, text));
            }
        }
        for d in 0..3 {
            if global[d].div_ceil(u64::from(local[d].max(1))) > u64::from(u32::MAX) {
                let text =
                    format!("global size {} in dimension {d}: more than 2^32 - 1 work-groups", global[d]);
                return Err(user(UserError::InvalidGlobalWorkSize, text));
            }
        }
        let whole = Plan {
            work_dim: dims,
            offset,
            global,
            enqueued: local,
            local,
            groups: [0; 3],
            first: [0; 3],
            cut: is_cut(&global, &local, guarded),
        };
        let first = whole.parts().into_iter().next();
        first.ok_or_else(|| RuntimeError::bug("an NDRange without work-groups"))
    }

    /// Returns whether all work-groups are alike to the device.
    pub(crate) fn is_uniform(&self) -> bool {
        self.cut || (0..3).all(|d| self.global[d].is_multiple_of(u64::from(self.enqueued[d].max(1))))
    }

    /// Work-groups of the whole NDRange in a dimension.
    pub(crate) fn all_groups(&self) -> [u32; 3] {
        // At most so many: `new` has looked.
        std::array::from_fn(|d| self.global[d].div_ceil(u64::from(self.enqueued[d].max(1))) as u32)
    }

    /// The first work-item of the part's work-groups from the NDRange's first, in each dimension.
    pub(crate) fn start(&self) -> [u64; 3] {
        std::array::from_fn(|d| u64::from(self.first[d]) * u64::from(self.enqueued[d]))
    }

    /// Returns whether its ids begin at 0, those of work-groups among them, in every dispatch that it takes.
    pub(crate) fn begins_at_zero(&self, max: [u32; 3]) -> bool {
        let max = self.at_once(max);
        self.offset == [0; 3] && self.first == [0; 3] && (0..3).all(|d| self.groups[d] <= max[d])
    }

    /// The parts of the NDRange whose work-groups are alike: the full ones, and those that are cut off in some dimensions.
    fn parts(&self) -> SmallVec<[Plan; 1]> {
        let size = |d: usize| u64::from(self.enqueued[d].max(1));
        if self.cut {
            return smallvec::smallvec![Plan { groups: self.all_groups(), ..*self }];
        }
        let full: [u32; 3] = std::array::from_fn(|d| (self.global[d] / size(d)) as u32);
        let rest: [u32; 3] = std::array::from_fn(|d| (self.global[d] % size(d)) as u32);
        let mut parts = SmallVec::new();
        for cut in 0..8u32 {
            let is_cut = |d: usize| cut >> d & 1 != 0;
            if (0..3).any(|d| if is_cut(d) { rest[d] == 0 } else { full[d] == 0 }) {
                continue;
            }
            parts.push(Plan {
                local: std::array::from_fn(|d| if is_cut(d) { rest[d] } else { self.enqueued[d] }),
                groups: std::array::from_fn(|d| if is_cut(d) { 1 } else { full[d] }),
                first: std::array::from_fn(|d| if is_cut(d) { full[d] } else { 0 }),
                ..*self
            });
        }
        parts
    }

    /// The other parts: none where all work-groups are alike.
    pub(crate) fn remainders(&self) -> SmallVec<[Plan; 1]> {
        if self.is_uniform() {
            return SmallVec::new();
        }
        self.parts().into_iter().filter(|part| part != self).collect()
    }

    /// The same work-items in work-groups of another size, where it divides the global size or the kernel is guarded.
    pub(crate) fn regrouped(&self, size: [u32; 3], guarded: [bool; 3]) -> Option<Plan> {
        let divides = |d: usize| self.global[d].is_multiple_of(u64::from(size[d].max(1)));
        let serves = |d: usize| {
            size[d] > 0
                && (guarded[d] || divides(d))
                && self.global[d].div_ceil(u64::from(size[d])) <= u64::from(u32::MAX)
        };
        if !self.is_uniform() || !(0..3).all(serves) {
            return None;
        }
        let cut = is_cut(&self.global, &size, guarded);
        let plan = Plan { local: size, enqueued: size, first: [0; 3], cut, ..*self };
        Some(Plan { groups: plan.all_groups(), ..plan })
    }

    /// The number of invocations.
    pub(crate) fn invocations(&self) -> u128 {
        (0..3).map(|d| u128::from(self.groups[d]) * u128::from(self.local[d])).product()
    }

    /// The number of work-items of a dispatch in a dimension if its last work-groups reach beyond the NDRange, else 0.
    pub(crate) fn dispatch_size(&self, split: &Split, d: usize) -> u64 {
        let size = u64::from(self.local[d]);
        let left = self.global[d].saturating_sub(u64::from(split.base[d]) * size);
        if self.cut && left < u64::from(split.count[d]) * size { left } else { 0 }
    }

    /// Returns how many work-groups one dispatch may have, of what the device takes: Vulkan counts its work-items in 32 bits.
    fn at_once(&self, max: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|d| max[d].min(u32::MAX / self.local[d].max(1)).max(1))
    }

    /// The dispatches, none with more work-groups than the device takes at once.
    pub(crate) fn splits(&self, max: [u32; 3]) -> SmallVec<[Split; 1]> {
        let max = self.at_once(max);
        let starts = |d: usize| (0..self.groups[d]).step_by(max[d] as usize);
        let count = |d: usize, base: u32| (self.groups[d] - base).min(max[d]);
        let mut out = SmallVec::new();
        for z in starts(2) {
            for y in starts(1) {
                for x in starts(0) {
                    out.push(Split { base: [x, y, z], count: [count(0, x), count(1, y), count(2, z)] });
                }
            }
        }
        out
    }
}

/// Returns whether the last work-groups reach beyond the NDRange, and the kernel cuts off all that is there.
fn is_cut(global: &[u64; 3], local: &[u32; 3], guarded: [bool; 3]) -> bool {
    let uneven = |d: usize| !global[d].is_multiple_of(u64::from(local[d].max(1)));
    (0..3).any(uneven) && (0..3).all(|d| guarded[d] || !uneven(d))
}

/// Checks a work-group size that the caller or the kernel gives; `uniform`: it divides the global size in these dimensions.
fn given_local(
    local: [u64; 3],
    required: Option<[u32; 3]>,
    dims: u32,
    (global, uniform): (&[u64; 3], [bool; 3]),
    limits: &TargetLimits,
) -> Result<[u32; 3], RuntimeError> {
    let mut out = [1u32; 3];
    for d in 0..3 {
        let size = if d < dims as usize { local[d] } else { 1 };
        if size == 0 {
            return Err(user(UserError::InvalidWorkGroupSize, format!("work-group size 0 in dimension {d}")));
        }
        let max = limits.max_compute_work_group_size[d];
        out[d] = match u32::try_from(size) {
            Ok(size) if size <= max => size,
            _ => {
                let text = format!("work-group size {size} in dimension {d}: the device allows {max}");
                return Err(user(UserError::InvalidWorkItemSize, text));
            }
        };
    }
    // Dimensions beyond work_dim have size 1 by definition; the kernel may require more there.
    let beyond = (dims as usize..3).find(|&d| local[d] > 1);
    if let Some(want) = required.filter(|&want| want != out) {
        let text = format!("work-group size {out:?}: the kernel requires {want:?}");
        return Err(user(UserError::InvalidWorkGroupSize, text));
    }
    if let Some(d) = beyond {
        let text = format!("work-group size {} in dimension {d} of a {dims}-dimensional NDRange", local[d]);
        return Err(user(UserError::InvalidWorkGroupSize, text));
    }
    let total: u64 = out.iter().map(|&s| u64::from(s)).product();
    let max = limits.max_compute_work_group_invocations;
    if total > u64::from(max) {
        let text = format!("a work-group of {total} work-items: the device allows {max}");
        return Err(user(UserError::InvalidWorkGroupSize, text));
    }
    for d in 0..3 {
        if uniform[d] && !global[d].is_multiple_of(u64::from(out[d])) {
            let text = format!(
                "the work-group size {} does not divide the global size {} in dimension {d}; \
                 the kernel takes no work-groups of other sizes (OpenCL C 2.0 and later without \
                 -cl-uniform-work-group-size)",
                out[d], global[d]
            );
            return Err(user(UserError::InvalidWorkGroupSize, text));
        }
    }
    Ok(out)
}

/// The limits for kernels with work-item loops.
fn larger(limits: &TargetLimits) -> TargetLimits {
    let most = lower::MAX_WORK_GROUP_SIZE.max(limits.max_compute_work_group_invocations);
    let sizes = limits.max_compute_work_group_size.map(|size| size.max(most));
    TargetLimits {
        max_compute_work_group_invocations: most,
        max_compute_work_group_size: sizes,
        ..limits.clone()
    }
}

fn user(what: UserError, message: String) -> RuntimeError {
    RuntimeError::user(what, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::work_group_sizes::tests::limits;

    fn auto(global: [u64; 3]) -> [u32; 3] {
        let range = NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size: global,
            local_size: None,
            non_uniform: false,
            chosen: false,
        };
        let plan = Plan::new(&range, Wishes::default(), &limits()).expect("plan");
        for d in 0..3 {
            assert_eq!(plan.global[d] % u64::from(plan.local[d]), 0);
        }
        plan.local
    }

    fn what(range: NdRange, wishes: Wishes) -> UserError {
        match Plan::new(&range, wishes, &limits()) {
            Err(RuntimeError::User { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn automatic_sizes() {
        assert_eq!(auto([1 << 20, 1, 1]), [256, 1, 1]);
        assert_eq!(auto([1024, 1, 1]), [64, 1, 1]);
        assert_eq!(auto([1024, 1024, 1]), [32, 8, 1]);
        assert_eq!(auto([1, 1, 1]), [1, 1, 1]);
        assert_eq!(auto([1009, 1, 1]), [1009, 1, 1], "a prime that fits one work-group");
        assert_eq!(auto([1_000_003, 1, 1]), [1, 1, 1], "a prime that does not");
        assert_eq!(auto([1_000_003, 64, 1]), [1, 64, 1], "y takes over");
        assert_eq!(auto([1000, 1, 1]), [125, 1, 1], "as full as 1000 and nearer to 64");
        let total: u32 = auto([64, 64, 64]).iter().product();
        assert_eq!(total, 256);
    }

    #[test]
    fn errors_name_the_rule() {
        let range = NdRange::new_1d(64);
        assert_eq!(
            what(NdRange { work_dim: 0, ..range }, Wishes::default()),
            UserError::InvalidWorkDimension
        );
        assert_eq!(
            what(NdRange { work_dim: 4, ..range }, Wishes::default()),
            UserError::InvalidWorkDimension
        );
        assert_eq!(what(NdRange::new_1d(0), Wishes::default()), UserError::InvalidGlobalWorkSize);
        assert_eq!(what(NdRange::new_1d(1 << 32), Wishes::default()), UserError::InvalidGlobalWorkSize);
        assert_eq!(
            what(range.with_offset([u64::MAX, 0, 0]), Wishes::default()),
            UserError::InvalidGlobalOffset
        );
        assert_eq!(
            what(range.with_offset([(1 << 32) - 63, 0, 0]), Wishes::default()),
            UserError::InvalidGlobalOffset
        );
        assert!(Plan::new(&range.with_offset([(1 << 32) - 64, 0, 0]), Wishes::default(), &limits()).is_ok());
        assert_eq!(what(range.with_local([7, 1, 1]), Wishes::default()), UserError::InvalidWorkGroupSize);
        assert_eq!(what(range.with_local([0, 1, 1]), Wishes::default()), UserError::InvalidWorkGroupSize);
        assert_eq!(what(range.with_local([2048, 1, 1]), Wishes::default()), UserError::InvalidWorkItemSize);
        assert_eq!(what(range.with_local([64, 2, 1]), Wishes::default()), UserError::InvalidWorkGroupSize);
        let two = Wishes { sub_groups: Some(2), ..Wishes::default() };
        assert_eq!(what(range.with_local([16, 1, 1]), two), UserError::InvalidWorkGroupSize);
        assert_eq!(Plan::new(&range, two, &limits()).expect("plan").local, [64, 1, 1]);
        let required = Wishes { required: Some([16, 1, 1]), ..Wishes::default() };
        assert_eq!(what(range.with_local([32, 1, 1]), required), UserError::InvalidWorkGroupSize);
        assert_eq!(what(NdRange::new_1d(24), required), UserError::InvalidWorkGroupSize);
        let plan = Plan::new(&range, required, &limits()).expect("plan");
        assert_eq!((plan.local, plan.groups), ([16, 1, 1], [4, 1, 1]));
        let wide = Wishes { wide: true, ..Wishes::default() };
        let far = Plan::new(&range.with_offset([1 << 40, 0, 0]), wide, &limits()).expect("plan");
        assert_eq!((far.offset[0], far.global[0]), (1 << 40, 64));
        assert_eq!(what(range.with_offset([u64::MAX - 62, 0, 0]), wide), UserError::InvalidGlobalOffset);
        // With work-item loops.
        let looped = Wishes { work_item_loops: true, ..Wishes::default() };
        let small = TargetLimits {
            max_compute_work_group_invocations: 128,
            max_compute_work_group_size: [128, 128, 64],
            ..limits()
        };
        let thousand = NdRange::new_1d(2048).with_local([1024, 1, 1]);
        assert!(Plan::new(&thousand, Wishes::default(), &small).is_err());
        let plan = Plan::new(&thousand, looped, &small).expect("plan");
        assert_eq!((plan.local, plan.groups), ([1024, 1, 1], [2, 1, 1]));
        assert!(Plan::new(&NdRange::new_1d(4096).with_local([2048, 1, 1]), looped, &small).is_err());
        assert!(Plan::new(&NdRange::new_1d(4096), looped, &small).expect("plan").local[0] <= 128);
        let large = Plan::new(&NdRange::new_1d(1 << 38), wide, &limits()).expect("plan");
        assert_eq!((large.local, large.groups), ([256, 1, 1], [1 << 30, 1, 1]));
        // Where ids begin.
        let begins = |range: NdRange, max: [u32; 3]| {
            Plan::new(&range, Wishes::default(), &limits()).expect("plan").begins_at_zero(max)
        };
        assert!(begins(range, [u32::MAX; 3]) && !begins(range.with_offset([1, 0, 0]), [u32::MAX; 3]));
        assert!(!begins(NdRange::new_1d(1 << 20), [100, 1, 1]), "two dispatches");
        // No dispatch has 2^32 work-items.
        assert!(large.splits([u32::MAX; 3]).iter().all(|s| u64::from(s.count[0]) * 256 < 1 << 32));
        assert_eq!(what(NdRange::new_1d(1 << 32).with_local([1; 3]), wide), UserError::InvalidGlobalWorkSize);
        let flat = Wishes { required: Some([8, 8, 1]), ..Wishes::default() };
        assert_eq!(what(range, flat), UserError::InvalidWorkGroupSize);
    }

    #[test]
    fn guarded_kernels_are_cut_off() {
        let wishes = Wishes { guarded: [true, false, false], ..Wishes::default() };
        let plan = Plan::new(&NdRange::new_1d(1009), wishes, &limits()).expect("plan");
        assert_eq!((plan.local, plan.groups, plan.cut), ([64, 1, 1], [16, 1, 1], true));
        assert!(plan.is_uniform() && plan.remainders().is_empty());
        let sizes = |max| plan.splits([max; 3]).iter().map(|s| plan.dispatch_size(s, 0)).collect::<Vec<_>>();
        assert_eq!(sizes(u32::MAX), [1009]);
        assert_eq!(sizes(10), [0, 1009 - 640], "only the last dispatch has a remainder");
        // The size that was chosen, given back.
        let again = NdRange { local_size: Some([64, 1, 1]), chosen: true, ..NdRange::new_1d(1009) };
        assert_eq!(Plan::new(&again, wishes, &limits()).expect("plan"), plan);
        let given = NdRange { chosen: false, ..again };
        assert_eq!(what(given, wishes), UserError::InvalidWorkGroupSize, "a given size divides");
        let ends = Plan::new(&given.with_remainders(true), wishes, &limits()).expect("plan");
        assert_eq!((ends.groups, ends.cut), ([16, 1, 1], true), "no work-groups of another size");
        let parts = Plan::new(&given.with_remainders(true), Wishes::default(), &limits()).expect("plan");
        assert_eq!((parts.groups, parts.remainders().len()), ([15, 1, 1], 1));
        // Other sizes.
        let even = Plan::new(&NdRange::new_1d(1024), wishes, &limits()).expect("plan");
        assert!(!even.cut && even.dispatch_size(&even.splits([u32::MAX; 3])[0], 0) == 0);
        let other = even.regrouped([100, 1, 1], wishes.guarded).expect("cut off");
        assert_eq!((other.groups, other.cut, other.invocations()), ([11, 1, 1], true, 1100));
        assert!(even.regrouped([100, 1, 1], [false; 3]).is_none());
        assert!(even.regrouped([64, 2, 1], wishes.guarded).is_none());
    }

    #[test]
    fn splits_cover_every_group_once() {
        let range = NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size: [10, 7, 3],
            local_size: Some([1, 1, 1]),
            non_uniform: false,
            chosen: false,
        };
        let plan = Plan::new(&range, Wishes::default(), &limits()).expect("plan");
        let splits = plan.splits([4, 3, 3]);
        assert_eq!(splits.len(), 9);
        assert_eq!(splits.first(), Some(&Split { base: [0; 3], count: [4, 3, 3] }));
        assert_eq!(splits.last(), Some(&Split { base: [8, 6, 0], count: [2, 1, 3] }));
        let covered: u32 = splits.iter().map(|s| s.count.iter().product::<u32>()).sum();
        assert_eq!(covered, 210);
    }

    #[test]
    fn parts_cover_every_group_once() {
        for groups in [[10u32, 7, 3], [1, 1, 1], [100, 1, 1], [3, 50, 1], [2, 2, 40]] {
            for wish in [1u64, 2, 5, 9, 10, 23, 70, 75, 1000] {
                for max in [[4, 3, 3], [u32::MAX; 3]] {
                    let plan = Plan {
                        work_dim: 3,
                        offset: [0; 3],
                        global: groups.map(u64::from),
                        enqueued: [1; 3],
                        local: [1; 3],
                        groups,
                        first: [0; 3],
                        cut: false,
                    };
                    let mut cursor = Cursor::new(&plan, max);
                    let mut seen = std::collections::BTreeSet::new();
                    while let Some(part) = cursor.next(wish) {
                        assert!(part.total() <= wish && part.count.iter().zip(max).all(|(c, m)| *c <= m));
                        for z in 0..part.count[2] {
                            for y in 0..part.count[1] {
                                for x in 0..part.count[0] {
                                    let [bx, by, bz] = part.base;
                                    assert!(seen.insert([bx + x, by + y, bz + z]));
                                }
                            }
                        }
                    }
                    let all: u32 = groups.iter().product();
                    assert_eq!(seen.len(), all as usize, "{groups:?} by {wish}, {max:?}");
                    assert!(seen.iter().all(|at| at.iter().zip(groups).all(|(a, g)| *a < g)));
                }
            }
        }
    }
}

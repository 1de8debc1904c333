//! Work-group sizes that the runtime chooses: few for kernels that cut off the remainder themselves, else divisors.

use lower::target::TargetLimits;

/// NDRanges of so many work-items have work-groups of [`LARGE`], smaller ones of [`SMALL`], so that they spread.
const MANY: u64 = 1 << 16;
const LARGE: u32 = 256;
const SMALL: u32 = 64;

/// Chooses among few work-group sizes, whatever the global size is. `guarded`: the dimensions in which the last work-groups may reach
/// beyond the NDRange ([`lower::KernelInfo::guarded`]); the size is 1 in the others.
///
/// It is the one that needs the fewest lanes, where rows along x count for more.
pub(crate) fn few(
    global: &[u64; 3],
    hint: Option<[u32; 3]>,
    guarded: [bool; 3],
    limits: &TargetLimits,
) -> [u32; 3] {
    let max = limits.max_compute_work_group_size;
    let max_total = limits.max_compute_work_group_invocations.max(1);
    if let Some(hint) = hint.filter(|hint| fits(*hint, global, guarded, limits)) {
        return hint;
    }
    let total = if work(global) >= MANY { LARGE } else { SMALL }.min(max_total);
    let row = limits.subgroup_size.max(32).min(total);
    // Rows that are narrower than a sub-group, in much work: neighbours in memory stay in one sub-group.
    let narrow = u32::try_from(global[0]).unwrap_or(u32::MAX).min(if total == LARGE { row } else { 1 });
    // The size, and how much a lane costs.
    let shapes = [
        ([total, 1, 1], 16),
        ([row, total / row, 1], 15),
        ([narrow, total / narrow, 1], if narrow > 1 { 16 } else { 28 }),
        ([8, total / 8, 1], 18),
        ([8, 8, total / 64], 20),
        ([4, 4, total / 16], 24),
        ([1, total, 1], 28),
        ([1, 1, total], 28),
    ];
    let mut best = ([1; 3], u128::MAX);
    for (shape, cost) in shapes {
        let free = |d: usize| guarded[d] && (global[d] > 1 || d == 0);
        if (0..3).any(|d| shape[d] > 1 && !free(d)) {
            continue;
        }
        let size: [u32; 3] = std::array::from_fn(|d| shape[d].clamp(1, max[d].max(1)));
        // Sub-groups that are not full cost as much as full ones.
        let items = u64::from(size.iter().product::<u32>());
        let lanes = items.next_multiple_of(u64::from(row));
        let groups: u128 = (0..3).map(|d| u128::from(global[d].div_ceil(u64::from(size[d])))).product();
        let all = groups * u128::from(lanes) * cost;
        if items <= u64::from(max_total) && all < best.1 {
            best = (size, all);
        }
    }
    best.0
}

/// The work-group size for a launch that asks for `asked`, of a kernel that cannot notice its work-group: the same one, or one of
/// [`few`] in place of one that serves the device badly.
///
/// Work-groups of fewer than [`SMALL`] work-items leave lanes idle, and those of more than [`LARGE`] leave each fewer registers. In one
/// dimension nothing else depends on the size. So programs that look for the best size, as hashcat does, find all of them good, and their
/// launches share pipelines. In more dimensions the shape decides which memory is near, and only groups that do not fill a sub-group
/// are left.
pub(crate) fn in_place_of(
    asked: [u32; 3],
    global: &[u64; 3],
    guarded: [bool; 3],
    limits: &TargetLimits,
) -> [u32; 3] {
    let items: u32 = asked.iter().product();
    let flat = global[1..] == [1, 1];
    let serves = match flat {
        true => (SMALL..=LARGE).contains(&items),
        false => items >= limits.subgroup_size.max(32),
    };
    if serves { asked } else { few(global, None, guarded, limits) }
}

/// The number of work-items.
fn work(global: &[u64; 3]) -> u64 {
    global.iter().fold(1u64, |work, g| work.saturating_mul(*g))
}

/// Returns whether work-groups may have a size that the kernel hints at.
fn fits(size: [u32; 3], global: &[u64; 3], guarded: [bool; 3], limits: &TargetLimits) -> bool {
    let max = limits.max_compute_work_group_size;
    let each = (0..3).all(|d| {
        size[d] > 0 && size[d] <= max[d] && (guarded[d] || global[d].is_multiple_of(u64::from(size[d])))
    });
    let total = size.iter().map(|&s| u64::from(s)).product::<u64>();
    each && total <= u64::from(limits.max_compute_work_group_invocations.max(1))
}

/// The divisors of `n` up to `max`, ascending.
fn divisors(n: u64, max: u32) -> Vec<u32> {
    let most = u32::try_from(n).unwrap_or(u32::MAX).min(max).min(2048);
    (1..=most).filter(|d| n.is_multiple_of(u64::from(*d))).collect()
}

/// Chooses a work-group size that divides the global size: full sub-groups first, then about 256 work-items
/// (64 when there is little work, so that it spreads), then rows along x as wide as a sub-group or 32.
///
/// If it need not divide, and no such size has a sub-group's worth of work-items, it is the whole range or `target` of them.
pub(crate) fn dividing(
    global: &[u64; 3],
    hint: Option<[u32; 3]>,
    uniform: bool,
    limits: &TargetLimits,
) -> [u32; 3] {
    let max = limits.max_compute_work_group_size;
    let max_total = limits.max_compute_work_group_invocations.max(1);
    if let Some(hint) = hint.filter(|hint| fits(*hint, global, [false; 3], limits)) {
        return hint;
    }
    let work = work(global);
    let target = if work >= MANY { LARGE } else { SMALL }.min(max_total);
    let subgroup = limits.subgroup_size.max(1);
    let flat = global[1] == 1 && global[2] == 1;
    let row = if flat { target } else { subgroup.max(32).min(target) };
    let lists: [Vec<u32>; 3] = std::array::from_fn(|d| divisors(global[d], max[d]));
    let mut best = ([1; 3], (0, i64::MIN, i64::MIN, i64::MIN));
    for &z in &lists[2] {
        for &y in lists[1].iter().take_while(|&&y| y.saturating_mul(z) <= max_total) {
            for &x in lists[0].iter().take_while(|&&x| x.saturating_mul(y * z) <= max_total) {
                let total = x * y * z;
                // Lanes that work, in percent of whole sub-groups, for groups of up to 64 work-items.
                let filled = 100 * total / total.next_multiple_of(subgroup) * total.min(64);
                let key = (filled, -distance(total, target), -distance(x, row), -i64::from(z));
                if key > best.1 {
                    best = ([x, y, z], key);
                }
            }
        }
    }
    let total: u32 = best.0.iter().product();
    if uniform || total >= subgroup.max(16).min(target) || work <= u64::from(total) {
        return best.0;
    }
    let mut left = target;
    std::array::from_fn(|d| {
        let size = u32::try_from(global[d]).unwrap_or(u32::MAX).min(left).min(max[d]).max(1);
        left /= size;
        size
    })
}

/// Returns how far apart two sizes are, as factors (in 1/16 of a doubling).
fn distance(a: u32, b: u32) -> i64 {
    let log = |v: u32| (f64::from(v.max(1)).log2() * 16.0).round() as i64;
    (log(a) - log(b)).abs()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The limits of a usual GPU.
    pub(crate) fn limits() -> TargetLimits {
        TargetLimits {
            max_compute_work_group_invocations: 1024,
            max_compute_work_group_size: [1024, 1024, 64],
            subgroup_size: 32,
            ..TargetLimits::default()
        }
    }

    fn chosen(global: [u64; 3]) -> [u32; 3] {
        few(&global, None, [true; 3], &limits())
    }

    #[test]
    fn few_sizes_serve_all_ranges() {
        assert_eq!(chosen([1 << 20, 1, 1]), [256, 1, 1]);
        assert_eq!(chosen([1_000_003, 1, 1]), [256, 1, 1], "a prime");
        assert_eq!(chosen([1009, 1, 1]), [64, 1, 1]);
        assert_eq!(chosen([1, 1, 1]), [64, 1, 1]);
        assert_eq!(chosen([1024, 1024, 1]), [32, 8, 1]);
        assert_eq!(chosen([1000, 1000, 1]), [32, 8, 1]);
        assert_eq!(chosen([3, 100_000, 1]), [3, 85, 1], "narrow rows");
        assert_eq!(chosen([16, 100_000, 1]), [16, 16, 1], "narrow rows");
        assert_eq!(chosen([31, 100_000, 1]), [32, 8, 1], "narrow rows that leave few lanes idle");
        assert_eq!(chosen([3, 1000, 1]), [1, 64, 1], "narrow rows, little work");
        assert_eq!(chosen([1, 100_000, 1]), [1, 256, 1]);
        assert_eq!(chosen([1, 1, 100_000]), [1, 1, 64], "the device's limit");
        let sizes: BTreeSet<_> = (1..3000).map(|n| chosen([n * 37, 1, 1])).collect();
        assert!(sizes.len() <= 2, "{sizes:?}");
        let sizes: BTreeSet<_> = (17..300).map(|n| chosen([n, n + 3, 1])).collect();
        assert!(sizes.len() <= 6, "{sizes:?}");
        for n in [1u64, 2, 3, 5, 7, 31, 100, 257] {
            for global in [[n, n, n], [n, 1, n], [n, 3, 1], [1, n, 2]] {
                let size = chosen(global);
                assert!(size.iter().product::<u32>() <= 256, "{global:?}: {size:?}");
                assert!((1..3).all(|d| global[d] > 1 || size[d] == 1), "{global:?}: {size:?}");
            }
        }
    }

    #[test]
    fn sizes_that_serve_badly_are_replaced() {
        let size = |asked, global| in_place_of(asked, &global, [true; 3], &limits());
        for x in [64, 96, 128, 256] {
            assert_eq!(size([x, 1, 1], [1 << 20, 1, 1]), [x, 1, 1]);
        }
        for x in [1, 11, 32, 512, 1024] {
            assert_eq!(size([x, 1, 1], [11 << 20, 1, 1]), [256, 1, 1], "{x}");
            assert_eq!(size([x, 1, 1], [11 << 10, 1, 1]), [64, 1, 1], "{x}: little work spreads");
        }
        assert_eq!(size([32, 32, 1], [1024, 1024, 1]), [32, 32, 1], "a shape that the program chose");
        assert_eq!(size([8, 4, 1], [1024, 1024, 1]), [8, 4, 1]);
        assert_eq!(size([1, 1, 1], [1024, 1024, 1]), [32, 8, 1]);
        assert_eq!(size([4, 4, 1], [1024, 1024, 1]), [32, 8, 1]);
    }

    #[test]
    fn sizes_are_1_where_the_kernel_reads_no_ids() {
        assert_eq!(few(&[1 << 20, 8, 1], None, [true, false, false], &limits()), [256, 1, 1]);
        assert_eq!(few(&[1 << 20, 8, 1], None, [false, true, false], &limits()), [1, 256, 1]);
        let hint = |hint, guarded| few(&[100, 9, 1], Some(hint), guarded, &limits());
        assert_eq!(hint([16, 4, 1], [true, true, false]), [16, 4, 1]);
        assert_eq!(hint([16, 3, 1], [true, false, false]), [16, 3, 1]);
        assert_eq!(hint([16, 4, 1], [true, false, false]), [64, 1, 1], "4 does not divide 9");
    }
}

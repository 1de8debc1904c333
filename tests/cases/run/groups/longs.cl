// Sums and extremes of 64 bits in sub-groups and work-groups, also where the device has no 64-bit integers but sub-groups' operations on
// "extended types" (SwiftShader): they are done member by member.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_subgroups __opencl_c_work_group_collective_functions cl_khr_subgroup_clustered_reduce
// run: --kernel k --global 10 --local 5 --arg long[10] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1
kernel void k(global long *q) {
    long big = (1l << 40) + (long)get_local_id(0), n = get_sub_group_size(), first = (1l << 40) + (long)(get_local_id(0) - get_sub_group_local_id());
    long sum = sub_group_reduce_add(big), before = sub_group_scan_exclusive_add(big), lane = get_sub_group_local_id();
    int good = sum == n * first + n * (n - 1) / 2 && before == lane * first + lane * (lane - 1) / 2;
    good &= sub_group_reduce_max(-big) == -first && sub_group_reduce_min((ulong)-big) == (ulong)-(first + n - 1);
    good &= work_group_reduce_add(big) == 5 * (1l << 40) + 10 && work_group_scan_inclusive_min(-big) == -big;
    good &= sub_group_clustered_reduce_xor(big, 2) == ((lane | 1) < n ? 1 : big);
    q[get_global_id(0)] = good;
}

// Sub-groups of any size, the last of them not full: sums of what their own work-items say, where all come and where some do; in
// two dimensions, too.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_subgroups __opencl_c_work_group_collective_functions cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle
// run: --kernel sizes --global 26 --local 13 --arg int[26] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel some --global 10,3 --local 5,3 --arg int[30] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
kernel void sizes(global int *q) {
    int items = sub_group_reduce_add(1), before = sub_group_scan_exclusive_add(1);
    int good = items == get_sub_group_size() && before == get_sub_group_local_id() && items <= get_max_sub_group_size();
    good &= work_group_reduce_max((int)get_sub_group_id()) == get_num_sub_groups() - 1;
    good &= sub_group_broadcast(get_local_id(0), 0) == get_sub_group_id() * get_max_sub_group_size();
    q[get_global_id(0)] = good;
}
kernel void some(global int *q) {
    int lane = get_sub_group_local_id(), odd = lane & 1, sum, expected = 0, size = get_sub_group_size();
    if (odd) {
        sum = sub_group_non_uniform_reduce_add(lane);
        for (int i = 1; i < size; i += 2)
            expected += i;
    } else {
        sum = sub_group_non_uniform_reduce_max(lane);
        expected = (size - 1) / 2 * 2;
    }
    int other = lane ^ 1, there = sub_group_shuffle(lane * 3, other);
    int good = sum == expected && (other >= size || there == other * 3);
    good &= popcount(sub_group_ballot(odd).x) == size / 2;
    q[get_global_id(1) * 10 + get_global_id(0)] = good;
}

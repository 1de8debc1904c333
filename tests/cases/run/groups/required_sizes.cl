// What is known of sub-groups where the work-group's size is required: full and partial ones, one alone, three dimensions, and work-groups
// that are cut off, of which the required size says nothing.
// no-diagnostics
// features: __opencl_c_subgroups __opencl_c_work_group_collective_functions cl_khr_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_shuffle
// run: -cl-std=CL1.2 --kernel one --global 3 --local 1 --arg int[3] --print q
// prints: q: 1 1 1
// run: -cl-std=CL1.2 --kernel prime --global 62 --local 31 --arg int[62] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL1.2 --kernel above --global 33 --local 33 --arg int[33] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL1.2 --kernel odd --global 5,3,6 --local 5,3,3 --arg int[90] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL1.2 --kernel full --global 16,4 --local 16,4 --arg int[64] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL3.0 --kernel above --global 40 --local 33 --arg int[40] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL3.0 --kernel odd --global 7,4,3 --local 5,3,3 --arg int[84] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL3.0 --kernel any --global 45 --local 45 --arg int[45] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -cl-std=CL1.2 --kernel any --global 9,4,2 --local 9,2,2 --arg int[72] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
void check(global int *q, local uint *seen) {
    uint lane = get_sub_group_local_id(), sub = get_sub_group_id(), size = get_sub_group_size(), most = get_max_sub_group_size();
    uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    uint wide = get_local_size(0), high = get_local_size(1), items = wide * high * get_local_size(2);
    uint index = (z * high + y) * wide + x;
    // Who counts and who is counted are found without the functions that are asked.
    if (index == 0)
        seen[0] = seen[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&seen[0]);
    atomic_max(&seen[1], sub);
    barrier(CLK_LOCAL_MEM_FENCE);
    int good = seen[0] == items && seen[1] + 1 == get_num_sub_groups();
    good &= sub_group_reduce_add(1u) == size && sub_group_scan_exclusive_add(1u) == lane && sub * most + lane == index;
    good &= sub_group_reduce_max(lane) + 1 == size && size <= most;
    good &= get_num_sub_groups() == (items + most - 1) / most;
    good &= sub_group_broadcast(index, size - 1) == sub * most + size - 1;
    q[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)] = good;
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void one(global int *q) {
    local uint seen[2];
    check(q, seen);
}
kernel __attribute__((reqd_work_group_size(31, 1, 1))) void prime(global int *q) {
    local uint seen[2];
    check(q, seen);
}
kernel __attribute__((reqd_work_group_size(33, 1, 1))) void above(global int *q) {
    local uint seen[2];
    check(q, seen);
}
kernel __attribute__((reqd_work_group_size(5, 3, 3))) void odd(global int *q) {
    local uint seen[2];
    check(q, seen);
}
kernel __attribute__((reqd_work_group_size(16, 4, 1))) void full(global int *q) {
    local uint seen[2];
    check(q, seen);
}
kernel void any(global int *q) {
    local uint seen[2];
    check(q, seen);
}

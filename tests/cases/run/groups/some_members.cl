// Functions of sub-groups where some of the members come: members that leave a loop one by one, both ways of a branch, sub-groups that
// are at different places, in functions; and beside the whole local memory of a small device, which has no room for what the functions
// need where its sub-groups can only meet.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_clustered_reduce cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_shuffle
// run: --kernel leaving --global 54 --local 27 --arg int[54] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel apart --global 42 --local 42 --arg int[42] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel full --global 16 --local 16 --arg int[16]:range --print q
// prints: q: 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 15
// refused[phone-1.1]: bytes of local memory
ulong sum_of(ulong v) { return sub_group_non_uniform_reduce_add(v); }
int first_of(int v) {
    int first = sub_group_broadcast_first(v);
    return sub_group_elect() ? v : first;
}
// In round i those of index i and more are there.
kernel void leaving(global int *q) {
    int lane = get_sub_group_local_id(), size = get_sub_group_size(), good = 1;
    for (int i = 0; i <= lane; ++i) {
        ulong sum = sum_of((1ul << 40) + lane);
        good &= sum == ((ulong)(size - i) << 40) + (ulong)((size - 1) * size / 2 - i * (i - 1) / 2);
        good &= first_of(lane) == i && sub_group_non_uniform_scan_inclusive_max(-lane) == -i;
        good &= popcount(sub_group_ballot(1).x) == size - i || size > 32;
        if (lane & 1)
            good &= sub_group_clustered_reduce_min(lane - i, 4) == max(i, lane & ~3) + (max(i, lane & ~3) & 1 ? 0 : 1) - i;
    }
    q[get_global_id(0)] = good;
}
// Sub-groups of odd numbers take more rounds, of another function; of each work-item's bits some decide where it goes.
kernel void apart(global int *q) {
    int lane = get_sub_group_local_id(), size = get_sub_group_size(), id = get_sub_group_id(), good = 1;
    for (int i = 0; i < 2 + 3 * (id & 1); ++i) {
        int odd = (lane >> (i % 3)) & 1, expected = 0;
        for (int other = 0; other < size; ++other)
            expected += ((other >> (i % 3)) & 1) == odd ? other + id : 0;
        if (odd)
            good &= sub_group_non_uniform_reduce_add(lane + id) == expected && sub_group_non_uniform_all(odd);
        else
            good &= (int)sum_of(lane + id) == expected && !sub_group_non_uniform_any(odd);
        if (id & 1) {
            char there = sub_group_shuffle((char)-lane, (uint)((lane + i) % size));
            good &= there == -((lane + i) % size);
        }
    }
    q[get_global_id(0)] = good;
}
kernel void full(global int *q) {
    local int all[4096];
    int i = get_local_id(0);
    for (int at = i; at < 4096; at += 16)
        all[at] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = sub_group_shuffle(i, get_sub_group_local_id()) + 1;
    q[i] = q[i] + (other < 16 ? all[other] : 0);
}

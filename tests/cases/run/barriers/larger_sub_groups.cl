// Sub-groups in work-groups that are larger than small devices', which run in pieces: their numbers and sizes, values that go from member to
// member before, between and behind barriers and in loops with them, where some of the members come, and the last one that is not full.
// no-diagnostics
// options: -cl-std=CL3.0
// features: __opencl_c_subgroups __opencl_c_work_group_collective_functions cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle
// run: --kernel numbers --global 1024 --local 1024 --arg int[8]:const=0 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel numbers --global 900 --local 300 --arg int[8]:const=0 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel numbers --global 60,30 --local 20,15 --arg int[8]:const=0 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel sums --global 2000 --local 1000 --arg int[2000]:range --arg int[4] --print out
// prints: out: 499500 1000 1499500 1000
// run: --kernel rounds --global 600 --local 300 --arg int[8]:const=0 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel some --global 500 --local 500 --arg int[8]:const=0 --print bad
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel required --global 512 --arg int[512]:range --print p:4
// prints: p: 2 4 6 8 …

kernel void numbers(global int *bad) {
    uint i = get_local_linear_id(), n = get_local_size(0) * get_local_size(1), most = get_max_sub_group_size();
    if (get_sub_group_id() != i / most || get_sub_group_local_id() != i % most) bad[0] = 1;
    if (get_num_sub_groups() != (n + most - 1) / most) bad[1] = 1;
    if (get_enqueued_num_sub_groups() != get_num_sub_groups()) bad[2] = 1;
    if (get_sub_group_size() != min(most, n - i / most * most)) bad[3] = 1;
    if (sub_group_broadcast(i, 0) != i / most * most) bad[4] = 1;
    uint first = i / most * most, size = get_sub_group_size();
    if (sub_group_reduce_add(i) != size * first + size * (size - 1) / 2) bad[5] = 1;
    if (sub_group_scan_exclusive_max((int)i) != (i == first ? INT_MIN : (int)i - 1)) bad[6] = 1;
    if (popcount(get_sub_group_lt_mask().x) != min(i % most, 32u)) bad[7] = 1;
}

// One sub-group combines what all left.
kernel void sums(global const int *a, global int *out) {
    local int partial[1024];
    int own = sub_group_reduce_add(a[get_global_id(0)]);
    if (get_sub_group_local_id() == 0) partial[get_sub_group_id()] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        int sum = 0;
        for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_sub_group_size())
            sum += partial[k];
        sum = sub_group_reduce_add(sum);
        if (get_sub_group_local_id() == 0) out[2 * get_group_id(0)] = sum;
    }
    int ones = work_group_reduce_add(1);
    if (get_local_id(0) == 0) out[2 * get_group_id(0) + 1] = ones;
}

// Barriers in a loop, between operations of sub-groups; loops of sub-groups' own length between them; sub-groups' barriers.
kernel void rounds(global int *bad) {
    local int all[300], mine[300];
    int i = get_local_id(0), lane = get_sub_group_local_id(), size = get_sub_group_size(), id = get_sub_group_id();
    int first = i - lane, sum = 0;
    for (int round = 0; round < 5; ++round) {
        int last = sub_group_shuffle(i + round, (uint)(size - 1));
        if (last != first + size - 1 + round) bad[0] = 1;
        all[i] = last;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = (i + 101 * (round + 1)) % 300;
        int turned = 0;
        for (int k = 0; k <= (id + round) % 3; ++k) {
            mine[i] = i * 10 + k;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            turned += mine[first + (lane + k + 1) % size];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (sub_group_reduce_min(i + k) != first + k) bad[1] = 1;
        }
        int expected = 0;
        for (int k = 0; k <= (id + round) % 3; ++k)
            expected += (first + (lane + k + 1) % size) * 10 + k;
        if (turned != expected) bad[2] = 1;
        uint most = get_max_sub_group_size(), start = other / most * most;
        if (all[other] != (int)min(start + most, 300u) - 1 + round) bad[3] = 1;
        if (round == 3) {
            barrier(CLK_LOCAL_MEM_FENCE);
            all[i] = sub_group_scan_inclusive_add(1);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (all[299 - i] != (int)((299 - i) % most) + 1) bad[4] = 1;
        }
        sum += sub_group_any(lane == size - 1 && round == 2);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (sum != 1) bad[5] = 1;
}

kernel void some(global int *bad) {
    local int l[500];
    int i = get_local_id(0), lane = get_sub_group_local_id(), size = get_sub_group_size(), first = i - lane;
    if (lane & 1) {
        int expected = 0;
        for (int k = 1; k < size; k += 2) expected += first + k;
        if (sub_group_non_uniform_reduce_add(i) != expected) bad[0] = 1;
        if (sub_group_broadcast_first(i) != first + 1) bad[1] = 1;
    } else if (i > 3) {
        if (sub_group_broadcast_first(i) != max(first, 4)) bad[2] = 1;
    }
    l[i] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Members leave a loop one by one.
    for (int k = 0; k <= lane; ++k)
        if (popcount(sub_group_ballot(1).x) != size - k) bad[3] = 1;
    if (l[499 - i] != (499 - i) % (int)get_max_sub_group_size()) bad[4] = 1;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void required(global int *p) {
    int i = get_global_id(0), next = sub_group_reduce_max(p[i]) - (int)(get_sub_group_size() - 1 - get_sub_group_local_id());
    p[i] = i + next + 2;
}

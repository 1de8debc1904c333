// Barriers of sub-groups that order more than their members share, in loops of the sub-groups' own length: llvmpipe had the whole group wait
// at each (clang's SPIR-V, where every barrier of a sub-group has the work-group's scope).
// options: -cl-std=CL3.0
// features: __opencl_c_subgroups __opencl_c_atomic_scope_device
// run: --kernel k --global 600 --local 300 --arg int[4]:const=0 --print bad
// prints: bad: 0 0 0 0
kernel void k(global int *bad) {
    local int all[300], mine[300];
    int i = get_local_id(0), lane = get_sub_group_local_id(), size = get_sub_group_size(), id = get_sub_group_id();
    int first = i - lane;
    for (int round = 0; round < 5; ++round) {
        all[i] = i + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        int turned = 0, expected = 0;
        for (int n = 0; n <= (id + round) % 3; ++n) {
            mine[i] = i * 10 + n;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
            turned += mine[first + (lane + n + 1) % size];
            expected += (first + (lane + n + 1) % size) * 10 + n;
            if (n == 1)
                sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
            else
                sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        }
        if (turned != expected) bad[0] = 1;
        int other = (i + 101 * (round + 1)) % 300;
        if (all[other] != other + round) bad[1] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

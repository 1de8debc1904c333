// Launches without a work-group size of kernels that notice their work-groups, or have a required or hinted size: these are whole, and all
// their work-items are of the range.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel local_memory --global 1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel asks --global 1 --arg uint[4] --print t
// prints: t: 1 1 1 0
// run: --kernel local_memory --global 13 --arg uint[4] --print t
// prints: t: 13 0 0 0
// run: --kernel asks --global 13 --arg uint[4] --print t
// prints: t: 13 13 13 0
// run: --kernel local_memory --global 64 --arg uint[4] --print t
// prints: t: 64 0 0 0
// run: --kernel asks --global 64 --arg uint[4] --print t
// prints: t: 64 64 64 0
// run: --kernel local_memory --global 97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel asks --global 97 --arg uint[4] --print t
// prints: t: 97 97 97 0
// run: --kernel local_memory --global 1009 --arg uint[4] --print t
// prints: t: 1009 0 0 0
// run: --kernel asks --global 1009 --arg uint[4] --print t
// prints: t: 1009 1009 1009 0
// run: --kernel local_memory --global 1000 --arg uint[4] --print t
// prints: t: 1000 0 0 0
// run: --kernel asks --global 1000 --arg uint[4] --print t
// prints: t: 1000 1000 1000 0
// run: --kernel local_memory --global 7,13 --arg uint[4] --print t
// prints: t: 91 0 0 0
// run: --kernel asks --global 7,13 --arg uint[4] --print t
// prints: t: 91 91 91 0
// run: --kernel local_memory --global 1,97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel asks --global 1,97 --arg uint[4] --print t
// prints: t: 97 97 97 0
// run: --kernel local_memory --global 5,3,11 --arg uint[4] --print t
// prints: t: 165 0 0 0
// run: --kernel asks --global 5,3,11 --arg uint[4] --print t
// prints: t: 165 165 165 0
// run: --kernel local_argument --global 97 --arg uint[4] --arg local:4 --print t
// prints: t: 97 0 0 0
// run: --kernel required --global 24 --arg uint[4] --print t
// prints: t: 24 4 0 0
// run: --kernel required_of_others --global 24 --arg uint[4] --print t
// prints: t: 24 0 0 0
// run: --kernel hinted --global 39 --arg uint[4] --print t
// prints: t: 39 741 0 0

kernel void local_memory(global uint *t) {
    local uint all, first;
    uint own = get_local_linear_id();
    if (own == 0) all = 0, first = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&all);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0) atomic_add(t, all);
    if (all != get_local_size(0) * get_local_size(1) * get_local_size(2)) t[1] = all;
    if (first + get_local_id(0) != get_global_id(0)) t[2] = first;
}
kernel void asks(global uint *t) {
    uint size = 1, at = 1, whole = 1;
    for (uint d = 0; d < 3; d++) {
        whole &= get_local_id(d) < get_local_size(d) && get_group_id(d) < get_num_groups(d);
        at &= get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) == get_global_id(d);
        size &= get_local_size(d) <= get_enqueued_local_size(d);
    }
    atomic_add(t, whole);
    atomic_add(t + 1, at);
    atomic_add(t + 2, size);
}
kernel void local_argument(global uint *t, local uint *all) {
    if (get_local_id(0) == 0) *all = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(all);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_add(t, *all);
}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void required(global uint *t) {
    atomic_inc(t);
    if (get_global_id(0) == 0) t[1] = get_local_size(0);
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void required_of_others(global uint *t) {
    atomic_inc(t + (get_global_id(0) >= 24));
}
kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted(global uint *t) {
    atomic_inc(t);
    atomic_add(t + 1, (uint)get_global_id(0));
}

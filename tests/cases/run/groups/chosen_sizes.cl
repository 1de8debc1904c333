// Launches without a work-group size of kernels with work-group functions, with sub-groups, and of one beside them without: each work-item of
// the range takes part once.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_subgroups __opencl_c_work_group_collective_functions
// run: --kernel groups --global 1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel sub_groups --global 1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel beside --global 1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel groups --global 13 --arg uint[4] --print t
// prints: t: 13 0 0 0
// run: --kernel sub_groups --global 13 --arg uint[4] --print t
// prints: t: 13 0 0 0
// run: --kernel beside --global 13 --arg uint[4] --print t
// prints: t: 13 0 0 0
// run: --kernel groups --global 64 --arg uint[4] --print t
// prints: t: 64 0 0 0
// run: --kernel sub_groups --global 64 --arg uint[4] --print t
// prints: t: 64 0 0 0
// run: --kernel beside --global 64 --arg uint[4] --print t
// prints: t: 64 0 0 0
// run: --kernel groups --global 97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel sub_groups --global 97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel beside --global 97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel groups --global 1009 --arg uint[4] --print t
// prints: t: 1009 0 0 0
// run: --kernel sub_groups --global 1009 --arg uint[4] --print t
// prints: t: 1009 0 0 0
// run: --kernel beside --global 1009 --arg uint[4] --print t
// prints: t: 1009 0 0 0
// run: --kernel groups --global 7,13 --arg uint[4] --print t
// prints: t: 91 0 0 0
// run: --kernel sub_groups --global 7,13 --arg uint[4] --print t
// prints: t: 91 0 0 0
// run: --kernel beside --global 7,13 --arg uint[4] --print t
// prints: t: 91 0 0 0
// run: --kernel groups --global 1,97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel sub_groups --global 1,97 --arg uint[4] --print t
// prints: t: 97 0 0 0
// run: --kernel beside --global 1,97 --arg uint[4] --print t
// prints: t: 97 0 0 0

kernel void groups(global uint *t) {
    uint items = work_group_reduce_add(1u);
    if (get_local_linear_id() == 0) atomic_add(t, items);
    if (work_group_any(items > get_enqueued_local_size(0) * get_enqueued_local_size(1))) t[1] = items;
}
kernel void sub_groups(global uint *t) {
    uint items = sub_group_reduce_add(1u);
    if (get_sub_group_local_id() == 0) atomic_add(t, items);
    if (items != get_sub_group_size()) t[1] = items;
}
kernel void beside(global uint *t) {
    uint last = get_global_size(0) * get_global_size(1);
    atomic_inc(t + (get_global_id(0) >= get_global_size(0) || get_global_linear_id() >= last));
}
